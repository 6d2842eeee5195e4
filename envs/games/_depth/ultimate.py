"""Agents of graded skill for Ultimate: a win at once, and searches of one to four moves."""

import re
from collections.abc import Callable, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.env import Env
from turnwise.worlds.games import cells
from turnwise.worlds.games.players.player import Greedy, Player
from turnwise.worlds.games.players.search import AlphaBeta
from turnwise.worlds.games.ultimate import Position, Ultimate

_GAME = Ultimate()
_ROW = re.compile(r"^\d (.*)$", re.MULTILINE)
_SEAT = re.compile(r"You are ([XO])\. It is your turn\.$", re.MULTILINE)
_MIDDLE = re.compile(r"The next move is in the board with (\w\d) in its middle\.$", re.MULTILINE)


def read(text: str) -> Position:
    """Return the position that a message of the environment shows."""
    grid = ["".join(row.split()) for row in _ROW.findall(text)[-9:]]
    small = "".join(text.rpartition("Won boards:\n")[2].split("\n", 3)[:3]).replace(" ", "")
    marks, won = [], []
    for mark in "XO":
        boards = [0] * 9
        for row, line in enumerate(grid):
            for column, here in enumerate(line):
                if here == mark:
                    boards[row // 3 * 3 + column // 3] |= 1 << row % 3 * 3 + column % 3
        marks.append(tuple(boards))
        won.append(sum(1 << board for board, here in enumerate(small) if here == mark))
    middle, seat = _MIDDLE.findall(text), _SEAT.findall(text)
    target = -1
    if middle:
        row, column = divmod(cells.named(9, 9)[middle[-1]], 9)
        target = row // 3 * 3 + column // 3
    return Position((marks[0], marks[1]), (won[0], won[1]), target, "XO".index(seat[-1]), -1)


def _player(player: Player, name: str) -> Callable[[], Shortcut]:
    def act(heard: Sequence[str], turn: int) -> str:
        state = read(heard[-1])
        return f"<answer>{_GAME.write(state, player.choose(state))}</answer>"

    return lambda: Shortcut(act, name)


SHORTCUTS = {"wins at once": _player(Greedy(_GAME), "wins at once")}
SKILLS = {f"{n} deep": _player(AlphaBeta(_GAME, depth=n), f"{n} deep") for n in (1, 2, 3, 4)}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the moves of the known win, and the free cells."""
    marks = env.task.state.marks
    return len(env.task.line), 81 - sum([(x | o).bit_count() for x, o in zip(*marks, strict=True)])
