"""Agents of graded skill for Negotiation: conceding with time, and offers that are all worth the goal."""

import re
from collections.abc import Sequence

from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.hidden.negotiation import ACCEPT, Negotiation, Position
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


def _holds_out(heard: Sequence[str], turn: int) -> str:
    """Accept what is worth the goal; offer what is worth it and leaves most items, another offer each time."""
    game, state, goal = _read(heard)
    worth = state.values[0]

    def gain(kept: tuple[int, ...]) -> int:
        return sum(a * b for a, b in zip(kept, worth, strict=True))

    if state.offers and gain(tuple(a - b for a, b in zip(state.pool, state.offers[-1], strict=True))) >= goal:
        return game.write(state, ACCEPT)
    enough = [move for move in game.legal(state) if move != ACCEPT and gain(move) >= goal]
    fresh = [move for move in enough if move not in state.offers] or enough
    return game.write(state, min(fresh, key=lambda kept: (sum(kept), gain(kept))))


SHORTCUTS = {"always accepts": agent(lambda heard, turn: "accept", "always accepts")}
SKILLS = {
    "gives in to 4 of 20 points": agent(lambda heard, turn: _concedes(1, heard), "gives in to 4 of 20 points"),
    "gives in to 8": agent(lambda heard, turn: _concedes(2, heard), "gives in to 8"),
    "offers what is worth the goal": agent(_holds_out, "offers what is worth the goal"),
}
