"""Environments: math."""
