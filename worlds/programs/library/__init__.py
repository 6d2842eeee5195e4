"""Small programs with a known behaviour, recombined and renamed at random."""
