"""Agents of graded skill for CircleTheCat: in the cat's way, and by the best block at each move."""

import re
from collections.abc import Callable, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games import cells
from turnwise.worlds.games.solo.circle_the_cat import CircleTheCat, Position, plan

_ROW = re.compile(r"^ ?\d+ +([#.C](?: [#.C])*)$", re.MULTILINE)
_ORDER = re.compile(r"order of sides: (.*)$", re.MULTILINE)


def _read(text: str) -> tuple[CircleTheCat, Position]:
    """Return the rules and the position that a message of the environment shows."""
    rows = [row.replace(" ", "") for row in _ROW.findall(text)]
    signs = "".join(rows)
    order = _ORDER.search(text)
    blocked = sum(1 << i for i, sign in enumerate(signs) if sign == "#")
    sides = tuple(order[1].split(", ")) if order else ()
    return CircleTheCat(len(rows), 0), Position(blocked, signs.index("C"), sides)


def _in_the_way(game: CircleTheCat, state: Position) -> int:
    """Return the cell that the cat would step to if nothing were blocked."""
    taken = state.blocked | 1 << state.cat
    free = next(cell for cell in range(game.size**2) if not taken >> cell & 1)
    step = game.stepped(state)
    return step if step != state.cat else free


def _one_ahead(game: CircleTheCat, state: Position) -> int:
    """Return the first block of a search that keeps a single position, or else the cell of the next step."""
    line = plan(game, state, 1)
    return line[0] if line else _in_the_way(game, state)


def _player(choose: Callable[[CircleTheCat, Position], int], name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        game, state = _read(heard[-1])
        return f"<answer>{cells.name(*divmod(choose(game, state), game.size))}</answer>"

    return lambda: Shortcut(act, name)


SKILLS = {
    "the cell of the next step": _player(_in_the_way, "the cell of the next step"),
    "one position kept": _player(_one_ahead, "one position kept"),
}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the blocks of a solution, and the free cells."""
    return len(env.task.line), len(env.task.game.legal(env.task.state))
