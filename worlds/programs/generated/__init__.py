"""Random Python programs that people could have written, and questions about them."""
