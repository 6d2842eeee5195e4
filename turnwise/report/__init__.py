"""Reports: pages about evaluations and training runs."""
