"""The suite: six environments with several methods and seeds in one command, and controls for its numbers.

``python -m turnwise.baselines.suite --out runs/suite --jobs 2`` plays every run that is not finished yet, then writes
tables and figures. ``jobs`` says which runs there are, ``runner`` plays them, ``origin`` writes down where a run comes
from, ``results`` makes the page.
"""
