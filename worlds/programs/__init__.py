"""Programs and what programs work on: specifications, faults, file trees, databases, repositories."""
