"""Queries judged by their results on several databases."""
