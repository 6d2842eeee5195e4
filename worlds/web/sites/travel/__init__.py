"""A travel agency."""
