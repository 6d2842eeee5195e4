"""Environments: texts that must satisfy constraints."""
