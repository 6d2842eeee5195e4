"""Environments: seats at tables."""
