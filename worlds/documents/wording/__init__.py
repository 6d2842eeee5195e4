"""Pages in words."""
