"""Answers that are graphs, grids, tables or lists."""
