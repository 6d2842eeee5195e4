"""Scripted agents of graded skill for the search environments."""
