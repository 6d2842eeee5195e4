"""Whether two expressions are equal."""
