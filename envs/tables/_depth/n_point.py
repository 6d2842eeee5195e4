"""Agents of graded skill for N-point: fixed bars, the open card, what is best on average, and what habits ask for."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.hidden.n_point import HIT, STAND
from turnwise.worlds.games.players.habits import HABITS, advice

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_EACH = re.compile(r"one after another, for (\d+) rounds? each")
_NOW = re.compile(r"^Round (\d+) of \d+, N is (\d+)\.", re.MULTILINE)
_CARDS = re.compile(r"^You have ([\w ]+): ", re.MULTILINE)
_OPEN = re.compile(r"^The opponent has (\w+) and", re.MULTILINE)
_MOVES = re.compile(r"^Moves: (.*)\.$", re.MULTILINE)
_BEFORE = re.compile(r"^Round (\d+), N was (\d+), .*$", re.MULTILINE)
_BOTH = ("You", "he opponent")
_LEAST = 1e-3  # the likelihood of what a habit never does, so that nothing rules a habit out


class Round(NamedTuple):
    """A round as it is seen: its number, its limit, one's own cards and the opponent's, and the moves of both."""

    number: int
    limit: int
    own: tuple[int, ...]
    other: tuple[int, ...]
    made: tuple[str, ...]
    theirs: tuple[str, ...]


def _points(text: str) -> tuple[int, ...]:
    return tuple(_RANKS.index(card) + 1 for card in text.split())


def _word(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else ""


def _now(text: str) -> Round:
    now, own, other, moves = (each.search(text) for each in (_NOW, _CARDS, _OPEN, _MOVES))
    assert now
    assert own
    assert other
    assert moves
    made, theirs = (tuple(re.findall(r"hit|stand", _word(name, moves[1]))) for name in (r"you ([^;]*)", r"ent ([^;]*)"))
    return Round(int(now[1]), int(now[2]), _points(own[1]), _points(other[1]), made, theirs)


def _before(heard: Sequence[str]) -> list[Round]:
    """Return the rounds that are over; in these all cards are seen, and the moves follow from them."""
    found = {}
    for line in [line for text in heard for line in _BEFORE.finditer(text)]:
        limit, own, other = int(line[2]), *(_points(_word(rf"{name} had ([\w ]+) \(", line[0])) for name in _BOTH)
        turns = max(len(cards) - 2 + (sum(cards) <= limit) for cards in (own, other))
        moves = ((*(HIT,) * (len(cards) - 2), *(STAND,) * (turns - len(cards) + 2)) for cards in (own, other))
        found[int(line[1])] = Round(int(line[1]), limit, own, other, *moves)
    return list(found.values())


def _likelihood(habit: str, seen: Round) -> float:
    """Return how likely a habit makes the opponent's moves, whose cards may be known but for the first one."""
    hits, known = HABITS[habit], len(seen.other) > 1
    totals = {sum(seen.other[:2]): 1.0} if known else {seen.other[0] + card: 1 / 13 for card in range(1, 14)}
    for turn, move in enumerate(seen.theirs):
        follow = turn == 0 or seen.made[turn - 1] == HIT
        does = {t: p for t, p in totals.items() if (t <= seen.limit and hits(t, seen.limit, follow)) == (move == HIT)}
        cards = [(seen.other[turn + 2], 1.0)] if known and move == HIT else [(card, 1 / 13) for card in range(1, 14)]
        totals = {} if move == HIT else does
        for total, p in does.items() if move == HIT else ():
            for card, q in cards:
                totals[total + card] = totals.get(total + card, 0.0) + p * q
    return sum(totals.values())


def _answers(learns: bool) -> Callable[[Sequence[str], int], str]:
    """Return what does what is best against most habits, each as likely as it makes the present opponent's moves."""

    def read(heard: Sequence[str], turn: int) -> str:
        now, each = _now(heard[-1]), _EACH.search(heard[0])
        first = (now.number - 1) // int(each[1]) * int(each[1]) if each else 0
        seen = [*(past for past in _before(heard) if past.number > first), now] if learns else []
        for_it = 0.0
        for habit in HABITS:
            weight = 1.0
            for each_round in seen:
                weight *= max(_LEAST, _likelihood(habit, each_round))
            own = now.made if habit in ("repeat", "nervous") else ()
            hit = advice(f"habit:{habit}", now.limit, now.other[0], now.theirs, own)[sum(now.own)]
            for_it += weight if hit else -weight
        return HIT if for_it > 0 else STAND

    return read


def _stops(low: int, high: int) -> Callable[[Sequence[str], int], str]:
    """Return what stops so many points short of the limit against a low open card, and so many against a high one."""

    def read(heard: Sequence[str], turn: int) -> str:
        now = _now(heard[-1])
        return HIT if sum(now.own) < now.limit - (high if now.other[0] > 7 else low) else STAND

    return read


SHORTCUTS = {
    "stands": agent(lambda heard, turn: STAND, "stands"),
    "stops 7 short of the limit": agent(_stops(7, 7), "stops 7 short of the limit"),
}
SKILLS = {
    "stops 9 or 5 short by the open card": agent(_stops(9, 5), "stops 9 or 5 short by the open card"),
    "what is best against most habits": agent(_answers(False), "what is best against most habits"),
    "answers the likeliest habits": agent(_answers(True), "answers the likeliest habits"),
}
