"""Pages of the bank."""
