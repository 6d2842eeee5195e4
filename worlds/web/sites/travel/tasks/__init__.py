"""Templates of tasks of the travel agency."""
