"""Pages of the map."""
