"""The built-in sites."""
