"""Scripted agents of graded skill for the games for one player."""
