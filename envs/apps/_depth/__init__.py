"""Agents of graded skill for the app environments."""
