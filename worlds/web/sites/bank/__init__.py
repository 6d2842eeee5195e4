"""A bank."""
