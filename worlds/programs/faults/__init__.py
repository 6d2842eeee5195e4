"""Small faults put into Python programs."""
