"""Environments: programs and queries."""
