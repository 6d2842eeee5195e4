"""Environments: data."""
