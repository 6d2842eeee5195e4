"""JSON values, schemas and function calls."""
