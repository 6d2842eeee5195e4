"""Scripted agents of graded skill for the search environments: shortcuts that must fail, and readers of more or less."""
