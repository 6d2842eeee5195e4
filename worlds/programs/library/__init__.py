"""Small programs with a known behavior, recombined and renamed by a draw."""
