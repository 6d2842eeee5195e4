"""Agents that measure how deep the tasks of this family are."""
