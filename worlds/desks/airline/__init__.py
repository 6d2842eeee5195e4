"""The desk of an airline."""
