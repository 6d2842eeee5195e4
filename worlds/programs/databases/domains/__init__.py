"""The businesses that databases are about: tables, rows, a dictionary and questions of each."""
