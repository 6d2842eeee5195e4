"""Pages of the forum."""
