"""Templates that are still paid for some golds."""

OPEN: frozenset[str] = frozenset()
