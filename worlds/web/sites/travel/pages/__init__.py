"""Pages of the travel agency."""
