"""Agents of graded skill for Pig: holding at a number of points, and keeping pace with the other."""

import re
from collections.abc import Callable, Sequence

from turnwise.envs.tables._depth.reading import agent, extent
from turnwise.worlds.games.pig import Pig, Position
from turnwise.worlds.games.players.guides.racing import Racer

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_GOAL, _SCORE = re.compile(r"first holds (\d+) points"), re.compile(r"^Player \d has (\d+) points\.$", re.MULTILINE)
_TURN = re.compile(r"^It is the turn of Player (\d), with (\d+) points so far\.$", re.MULTILINE)


def _read(heard: Sequence[str]) -> tuple[Pig, Position]:
    goal, turn = _GOAL.search(heard[0]), _TURN.search(heard[-1])
    assert goal
    assert turn
    scores = tuple(int(score) for score in _SCORE.findall(heard[-1]))
    return Pig(len(scores), int(goal[1])), Position(scores, int(turn[2]), int(turn[1]) - 1)


def _holds_at(points: int) -> tuple[str, Callable[[Sequence[str], int], str]]:
    def read(heard: Sequence[str], turn: int) -> str:
        game, state = _read(heard)
        enough = state.scores[state.seat] + state.total >= game.goal
        return "hold" if enough or state.total >= points else "roll"

    return f"holds at {points}", read


def _keeps_pace(heard: Sequence[str], turn: int) -> str:
    game, state = _read(heard)
    return str(Racer(game).choose(state))


SHORTCUTS = {"always rolls": agent(lambda heard, turn: "roll", "always rolls")}
SKILLS = {
    **{name: agent(read, name) for name, read in map(_holds_at, (15, 20, 25))},
    "keeps pace": agent(_keeps_pace, "keeps pace"),
}
