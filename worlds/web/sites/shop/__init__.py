"""A web shop."""
