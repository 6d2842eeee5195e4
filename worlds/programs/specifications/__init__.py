"""Specifications of functions, composed of steps, with tests that tell wrong readings apart."""
