"""A forum."""
