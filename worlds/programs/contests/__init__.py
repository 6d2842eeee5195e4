"""Algorithmic problems: kernels with variations, their stories, inputs and solutions."""
