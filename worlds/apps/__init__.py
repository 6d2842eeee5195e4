"""A generated world of nine everyday apps: their functions, their data, and what changes in it."""
