"""Templates of tasks of the back office."""
