"""Programs and what they work on: specifications, faults, file trees, databases, repositories."""
