"""Agents of graded skill for Secretary: one rule for all forms, a fixed bar, and the optimal rule."""

import re
from collections.abc import Callable, Sequence
from typing import cast

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games.solo.secretary import Form, Position, Secretary, advice, played

_SEEN = re.compile(r"Series (\d+) of (\d+), candidate (\d+) of (\d+): (?:score (\d+), )?(?:rank (\d+)|the first one)")
_BAR = 80  # of values from 1 to 100
_SKIP = 0.37  # of the candidates are let go, for 1/e


def _rules(prompt: str) -> Secretary:
    """Return the rules that the first message explains."""

    def number(pattern: str, default: int) -> int:
        found = re.search(pattern, prompt)
        return int(found[1]) if found else default

    form = "costs" if "pays the scores" in prompt else "values" if "equally likely, drawn" in prompt else "unknown"
    form = "ranks" if "You do not see how good" in prompt else form
    goal = number(r"pay at least (\d+)", 0) or number(r"win with (\d+)", 1)
    candidates, rounds = number(r"series of (\d+)", 10), number(r"There are (\d+)", 1)
    picks, cost = number(r"choose up to (\d+)", 1), number(r"less (\d+) for", 0)
    return Secretary(cast(Form, form), candidates, picks, rounds, goal, cost)


def _read(game: Secretary, heard: Sequence[str]) -> Position:
    """Return the position; candidates of ranks alone are given values that have the same order."""
    looks = [_SEEN.search(text) for text in heard]
    shown = [look for look in looks if look and looks[-1] and look[1] == looks[-1][1]]
    values: list[int] = []
    chosen: tuple[int, ...] = ()
    for look in shown:
        while len(values) < int(look[3]) - 1:  # passed without being seen one by one
            values.append(0)
        rank = int(look[6] or 1)
        if look[5]:
            values.append(int(look[5]))
        else:
            best = max(values, default=0)
            values.append(best + 1 if rank == 1 else 0)
    named = re.search(r"Chosen in this series: ([\d, ]+)\.", heard[-1])
    if named:
        chosen = tuple(int(place) - 1 for place in named[1].split(", "))
    padded = tuple(values) + (0,) * (game.candidates - len(values))
    return Position((padded,), 0, len(values) - 1, chosen)


def _by_ranks(game: Secretary, state: Position) -> str:
    """Let the first 37 % go, then take whoever is better than all before."""
    values = state.series[0][: state.seen + 1]
    return "take" if state.seen >= _SKIP * game.candidates and values[-1] == max(values) else "pass"


def _by_bar(game: Secretary, state: Position) -> str:
    """Take whoever has a score of at least 80, and the last candidate."""
    return "take" if state.series[0][state.seen] >= _BAR or state.seen + 1 == game.candidates else "pass"


def _player(choose: Callable[[Secretary, Position], str], name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        game = _rules(heard[0])
        return f"<answer>{choose(game, _read(game, heard))}</answer>"

    return lambda: Shortcut(act, name)


SHORTCUTS = {"takes the first": lambda: Shortcut(lambda heard, turn: "<answer>take</answer>", "takes the first")}
SKILLS = {
    "a bar of 80": _player(_by_bar, "a bar of 80"),
    "37 % go, then the best": _player(_by_ranks, "37 % go, then the best"),
    "the optimal rule": _player(advice, "the optimal rule"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the candidates that the optimal rule sees, and the series."""
    game, state = env.task.game, env.task.state
    seen, end = 0, played(game, state)
    while state != end:
        state, seen = game.apply(state, advice(game, state)), seen + 1
    return seen, game.rounds
