"""Environments: games."""
