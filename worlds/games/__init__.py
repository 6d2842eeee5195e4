"""Rules of games for one or more seats: positions, legal moves, results, and what each seat sees."""
