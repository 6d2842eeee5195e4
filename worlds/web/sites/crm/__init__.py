"""A customer relationship manager."""
