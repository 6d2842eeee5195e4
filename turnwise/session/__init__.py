"""One seam for everything outside that plays our environments: sessions and rows of tasks."""
