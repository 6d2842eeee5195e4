"""People who talk back: customers, callers and readers who want something and answer in plain text."""
