"""Trees of expressions and their values: exact, with error bounds, with units."""
