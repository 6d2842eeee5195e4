"""Random but natural-looking Python programs, and questions about them."""
