"""Agents that measure how deep the environments of this folder are."""
