"""Environments: sat."""
