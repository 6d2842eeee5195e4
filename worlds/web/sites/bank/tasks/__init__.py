"""Templates of tasks of the bank."""
