"""Scripted giver and guesser of Clues, who know the same associations."""

from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.associations import CLUES, pointing
from turnwise.worlds.games.hidden.clues import GIVER, STOP, Clues, Position

__all__ = ["clue"]


def clue(game: Clues, state: Position, seat: int, skill: int, draw: Draw) -> Any:
    """Give or guess by associations; the less skilled look less at the other words, and guess at random at times."""
    return _give(game, state, skill, draw) if seat == GIVER else _guess(state, skill, draw)


def _give(game: Clues, state: Position, skill: int, draw: Draw) -> tuple[str, int]:
    """Return the clue for most targets: without regard to others (1), to neutral words (2), or with both (3)."""
    kinds = {w: k for w, k in zip(state.words, state.key, strict=True) if w not in state.shown}
    most = min(4, game.targets - game.found(state))

    def worth(name: str) -> tuple[float, int]:
        seen = [kinds[word] for word in pointing(name) if word in kinds]
        bad = (0, 5 * seen.count("x"), 10 * seen.count("x") + 1.5 * seen.count("n"))[skill - 1]
        return min(most, seen.count("t")) - bad, seen.count("t")

    names = draw.shuffled(list(CLUES))
    if skill == 1:
        names = [name for name in names if worth(name)[1]][:6] or names
    best = max(names, key=worth)
    return best, max(1, min(most, worth(best)[1]))


def _guess(state: Position, skill: int, draw: Draw) -> str:
    """Return a word that the clue points to; the skilled prefer those that earlier clues pointed to as well."""
    open_ = [word for word in state.words if word not in state.shown]
    if skill < 3 and draw.chance(0.35 if skill == 1 else 0.12):
        return draw.choice(open_)
    fits = draw.shuffled([word for word in open_ if word in pointing(state.clue)])
    if not fits:
        return STOP
    if skill < 3:
        return fits[0]
    unmet = [name for name, number, guesses in state.said[:-1] if sum(g != STOP for g in guesses) < number]
    return max(fits, key=lambda word: sum([word in pointing(name) for name in unmet]))
