"""A wiki."""
