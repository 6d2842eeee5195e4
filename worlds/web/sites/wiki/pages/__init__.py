"""Pages of the wiki."""
