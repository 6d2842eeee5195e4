"""A directory of two kinds of pages, small enough to learn in minutes."""
