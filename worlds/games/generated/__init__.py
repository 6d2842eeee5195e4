"""Games that are drawn from a grammar of boards, moves, captures and goals."""
