"""The APIs: each has tables, functions, and what people ask of them."""
