"""Agents against each other: a round robin of games, and ratings from its results."""
