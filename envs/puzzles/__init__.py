"""Environments: puzzles."""
