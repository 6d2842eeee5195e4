"""Small relational databases, and questions to them in English and in SQL."""
