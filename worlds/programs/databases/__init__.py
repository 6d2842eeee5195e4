"""Small relational databases, and questions about them in English and in SQL."""
