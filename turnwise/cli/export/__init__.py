"""``turnwise export``: its formats."""
