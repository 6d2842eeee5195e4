"""Templates of tasks of the mail site."""
