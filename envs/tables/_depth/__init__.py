"""Scripted agents of graded skill for the games at a table."""
