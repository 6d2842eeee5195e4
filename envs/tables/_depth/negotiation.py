"""Agents of graded skill for Negotiation: conceding with time, offers worth the goal, and offers likely accepted."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from turnwise.core.draw import Draw
from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation, Position
from turnwise.worlds.games.players.bargaining import TACTICS, holding_out
from turnwise.worlds.games.players.make import make_player

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_WORTH, _POOL = re.compile(r"^Worth of one to you: (.*)$", re.MULTILINE), re.compile(r"^Pool: (.*)$", re.MULTILINE)
_OFFER, _LEFT = re.compile(r"^Player \d keeps (.*); player", re.MULTILINE), re.compile(r"^Offers left: (\d+)", re.M)
_WHOLE, _GOAL = re.compile(r"whole pool is worth (\d+)"), re.compile(r"at least (\d+) points")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _read(heard: Sequence[str]) -> tuple[Negotiation, Position, int]:
    """Return the rules, the position (with nothing known of the other's values), and the goal."""
    text = heard[-1]
    pool, worth, left = _POOL.search(text), _WORTH.search(text), _LEFT.search(text)
    whole, goal = _WHOLE.search(heard[0]), _GOAL.search(heard[0])
    assert pool
    assert worth
    assert left
    assert whole
    assert goal
    offers = tuple(map(_numbers, _OFFER.findall(text)))
    items, values = _numbers(pool[1]), _numbers(worth[1])
    game = Negotiation(len(items), max(items), len(offers) + int(left[1]), int(whole[1]))
    return game, Position(items, (values, values), offers), int(goal[1])


def _concedes(skill: int, heard: Sequence[str]) -> str:
    game, state, _ = _read(heard)
    player = make_player(f"heuristic:{skill}", game, len(state.offers))
    return game.write(state, player.act(state, len(state.offers) % 2))


def _holds_out(drawn: bool, heard: Sequence[str], turn: int) -> str:
    game, state, goal = _read(heard)
    draw = Draw("negotiation", state) if drawn else None
    return game.write(state, holding_out(state, len(state.offers) % 2, goal, draw))


def _reads_the_counterpart(heard: Sequence[str], turn: int) -> str:
    """Make the offer worth the goal that the counterpart is likeliest to accept, by all values and tactics it may have.

    Values and tactics that do not lead to its offers and refusals are ruled out. The first offer asks for everything,
    as one of the tactics concedes as much as the other side does.
    """
    game, state, goal = _read(heard)
    made, pool = len(state.offers), np.array(state.pool)
    ways = np.array(list(product(*(range(game.worth // n + 1) for n in state.pool[:-1]))))
    rest, odd = np.divmod(game.worth - ways @ pool[:-1], pool[-1])
    values = np.column_stack([ways, rest])[(rest >= 0) & (odd == 0)]
    kept = np.array(list(product(*(range(count + 1) for count in state.pool))))
    worth, mine = values @ kept.T, kept @ np.array(state.values[0])  # what each division is worth to whoever keeps it
    offers, sizes = [np.array(offer) for offer in state.offers], kept.sum(axis=1)
    theirs = values @ np.array([pool - offer for offer in offers[made % 2 :: 2]]).T if made > 1 else None
    likely = {}
    for name in TACTICS:
        fits = np.ones(len(values), bool)
        for at in range(1 - made % 2, made, 2):
            aims = _aims(game, name, at, theirs[:, : (at + 1) // 2] if theirs is not None else None, len(values))
            if at:
                fits &= values @ (pool - offers[at - 1]) < aims
            rank = np.where(worth >= aims[:, None], 100 * worth + sizes, 10**6)
            fits &= 100 * (values @ offers[at]) + offers[at].sum() == rank.min(axis=1)
        likely[name] = fits
    if made and (pool - offers[-1]) @ np.array(state.values[0]) >= goal:
        return game.write(state, ACCEPT)
    enough = np.flatnonzero(mine >= goal)
    if made < 2 or not any(fits.any() for fits in likely.values()):
        return game.write(state, state.pool if made < 2 else tuple(map(int, kept[enough[sizes[enough].argmin()]])))
    chance, gives = np.zeros(len(enough)), np.zeros(len(enough))
    for name, fits in likely.items():
        given = values[fits] @ (pool - kept[enough]).T
        for number in range(len(enough)):
            past = np.column_stack([*([theirs[fits]] if theirs is not None else []), given[:, number]])
            aims = _aims(game, name, made + 1, past, len(given))
            chance[number] += (given[:, number] >= aims).sum()
            gives[number] += given[:, number].sum()
    best = max(range(len(enough)), key=lambda number: (chance[number], gives[number]))
    return game.write(state, tuple(map(int, kept[enough[best]])))


def _aims(
    game: Negotiation, tactic: str, made: int, given: NDArray[np.int64] | None, count: int
) -> NDArray[np.float64]:
    """Return what the counterpart asks for after so many offers, if given so much, for each of its values."""
    exponent, reserve = TACTICS[tactic]
    last = made == game.rounds - 1
    if exponent or last:
        time = made / max(1, game.rounds - 1)
        return np.full(count, game.worth * (reserve + (not last) * (1 - reserve) * (1 - time ** (1 / (exponent or 1)))))
    conceded = np.maximum(0, given[:, -1] - given[:, 0]) if given is not None and given.size else np.zeros(count)
    return np.maximum(game.worth * reserve, game.worth - conceded)


SHORTCUTS = {"always accepts": agent(lambda heard, turn: "accept", "always accepts")}
SKILLS = {
    "gives in to 4 of 20 points": agent(lambda heard, turn: _concedes(1, heard), "gives in to 4 of 20 points"),
    "gives in to 8": agent(lambda heard, turn: _concedes(2, heard), "gives in to 8"),
    "any offer worth the goal": agent(partial(_holds_out, True), "any offer worth the goal"),
    "the fewest items worth the goal": agent(partial(_holds_out, False), "the fewest items worth the goal"),
    "reads the counterpart": agent(_reads_the_counterpart, "reads the counterpart"),
}
