"""Agents of graded skill for Snake: towards the apple, by a way around the body, and by a plan for all apples."""

import re
from collections.abc import Callable, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games.solo.snake import MOVES, Position, Snake, plan, way

_FIELD = re.compile(r"^ ?\d+ ([#@.oHt ]+)$", re.MULTILINE)


def _read(text: str) -> tuple[Snake, Position]:
    """Return the rules and the position that a message of the environment shows."""
    rows = [row.replace(" ", "") for row in _FIELD.findall(text)]
    columns = len(rows[0])

    def cells(label: str) -> tuple[int, ...]:
        found = re.search(rf"^{label}: (.*)$", text, re.MULTILINE)
        names = found[1].split() if found else []
        return tuple((int(name[1:]) - 1) * columns + ord(name[0]) - ord("a") for name in names)

    walls = frozenset(i for i, sign in enumerate("".join(rows)) if sign == "#")
    left = re.search(r"Moves left: (\d+)", text)
    state = Position(
        cells("Snake, from head to tail"), walls, cells("Apples, in this order"), int(left[1]) if left else 1
    )
    return Snake(len(rows), columns, len(walls), 1), state


def _toward(game: Snake, state: Position) -> Sequence[str]:
    """Return a move that comes nearer to the apple and does not crash, if there is one."""
    row, column = divmod(state.apples[0], game.columns)

    def far(move: str) -> int:
        after = game.apply(state, move)
        r, c = divmod(after.body[0], game.columns)
        return 99 if after.crashed else abs(r - row) + abs(c - column)

    return [min(game.legal(state), key=far)]


def _around(game: Snake, state: Position) -> Sequence[str]:
    """Return a way to the next apple that the body leaves free in time."""
    return way(game, state, MOVES) or _toward(game, state)


def _planned(game: Snake, state: Position) -> Sequence[str]:
    return plan(game, state) or _around(game, state)


def _player(choose: Callable[[Snake, Position], Sequence[str]], most: int, name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        return f"<answer>{', '.join(choose(*_read(heard[-1]))[:most])}</answer>"

    return lambda: Shortcut(act, name)


SKILLS = {
    "straight to the apple": _player(_toward, 1, "straight to the apple"),
    "a way to the next apple": _player(_around, 40, "a way to the next apple"),
    "a plan for all apples": _player(_planned, 40, "a plan for all apples"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the moves of a solution, and the apples."""
    return len(env.task.line), len(env.task.state.apples)
