"""The desk of an online shop."""
