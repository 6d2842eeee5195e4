"""A desk with two kinds of pages, small enough to learn in minutes."""
