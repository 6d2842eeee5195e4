"""Pages of the back office."""
