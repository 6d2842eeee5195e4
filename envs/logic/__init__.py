"""Environments: logic."""
