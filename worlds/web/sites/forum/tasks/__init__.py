"""Templates of tasks of the forum."""
