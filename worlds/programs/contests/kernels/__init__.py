"""The kinds of problems, a module for each field: stories, solutions, wrong programs and choices."""
