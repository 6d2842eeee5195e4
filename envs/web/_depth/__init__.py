"""Agents of graded skill for the web environments."""
