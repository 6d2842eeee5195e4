"""Games for one seat: puzzles that are played move by move, some of them with chance or hidden things."""
