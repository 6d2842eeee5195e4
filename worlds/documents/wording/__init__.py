"""The text of pages."""
