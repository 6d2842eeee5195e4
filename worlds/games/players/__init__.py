"""Players of the games: from random to perfect, deterministic for a seed and a position."""
