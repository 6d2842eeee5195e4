"""Agents of graded skill for Hanabi: what is known to fit is played; no hints, hints of what fits, hints that tell."""

import re
from collections.abc import Sequence

from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.hidden.hanabi import Card, Hanabi, Position
from turnwise.worlds.games.players.heuristics import Heuristic

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_MINE = re.compile(r"^You are Player (\d)\.", re.MULTILINE)
_TOPS, _TOKENS = re.compile(r"^Fireworks: (.*)$", re.MULTILINE), re.compile(r"^Hints (\d+), lives (\d+)", re.MULTILINE)
_HAND = re.compile(r"^(?:Your hand \(you know\)|Player (\d) holds \(and knows\)):\n((?:  \d: .*\n?)+)", re.MULTILINE)
_CARD = re.compile(r"^  \d: (?:(\w+) (\d), )?(any colour|[\w/]+), (any rank|rank [\d/]+)$", re.MULTILINE)
_MOST = re.compile(r"hint token \((\d+) at most\)")


def _read(heard: Sequence[str]) -> tuple[Hanabi, Position, int]:
    """Return the rules, the position, and the seat; the agent's own cards are not known, but what was told of them."""
    text = heard[-1]
    mine, tops, tokens, most = _MINE.search(heard[0]), _TOPS.search(text), _TOKENS.search(text), _MOST.search(heard[0])
    ranks = re.search(r"one of rank (\d)", heard[0])
    assert mine
    assert tops
    assert tokens
    assert most
    assert ranks
    names = [part.split()[0] for part in tops[1].split(", ")]
    hands: list[tuple[Card, ...]] = []
    for _, cards in _HAND.findall(text):
        hand = []
        for colour, rank, colours, numbers in _CARD.findall(cards):
            bits = sum(1 << i for i, name in enumerate(names) if "any" in colours or name in colours.split("/"))
            told = sum(1 << i for i in range(int(ranks[1])) if "any" in numbers or str(i + 1) in numbers)
            hand.append(Card(names.index(colour) if colour else 0, int(rank) - 1 if rank else 0, bits, told))
        hands.append(tuple(hand))
    game, seat = Hanabi(len(hands), len(names), int(ranks[1]), int(most[1])), int(mine[1]) - 1
    played = tuple(int(part.split()[1]) for part in tops[1].split(", "))
    return game, Position((), tuple(hands), played, (), int(tokens[1]), int(tokens[2]), seat), seat


def _plays(skill: int, heard: Sequence[str]) -> str:
    game, state, seat = _read(heard)
    return game.write(state, Heuristic(game, 0, skill=skill).act(state, seat))


SHORTCUTS = {"always plays the fourth card": agent(lambda heard, turn: "play 4", "always plays the fourth card")}
SKILLS = {
    "gives no hints": agent(lambda heard, turn: _plays(1, heard), "gives no hints"),
    "hints at cards that fit": agent(lambda heard, turn: _plays(2, heard), "hints at cards that fit"),
    "hints that make cards known": agent(lambda heard, turn: _plays(3, heard), "hints that make cards known"),
}
