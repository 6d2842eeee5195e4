"""Specifications of functions, composed of steps, with tests that distinguish wrong readings."""
