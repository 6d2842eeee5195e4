"""Templates of tasks of the shop."""
