"""Agents for games against an opponent: they read the position from the board that is shown, and play as players do."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.core.env import Env
from turnwise.worlds.games.game import OVER, Game
from turnwise.worlds.games.players.make import make_player

_PLAYED = re.compile(r"\bYou(?:r opponent)? played (\S+?)\.")
_ROW = re.compile(r"^ *(\d+) (\S(?: \S)*)$", re.MULTILINE)
_SEAT = re.compile(r"\bYou are (.+)\. It is your turn\.$", re.MULTILINE)
_SEED = 11

Read = Callable[[str, Sequence[str], int], tuple[Game[Any, Any], Any]]
"""Returns the rules and the position, given the first message, the rows of a board (row 1 first) and the seat."""


def rows_of(text: str) -> list[str]:
    """Return the rows of the board that a message shows, row 1 first, a character for each cell."""
    found = {int(number): marks.replace(" ", "") for number, marks in _ROW.findall(text)}
    return [found[number] for number in sorted(found)]


def bits_of(rows: Sequence[str], mark: str) -> int:
    """Return the cells with a mark as bits, row by row."""
    return sum(1 << i for i, each in enumerate("".join(rows)) if each == mark)


def number_in(prompt: str, pattern: str, default: int = 0) -> int:
    """Return the number that a pattern finds in the first message."""
    found = re.search(pattern, prompt)
    return int(found[1]) if found else default


def position(read: Read, heard: Sequence[str]) -> tuple[Game[Any, Any], Any]:
    """Return the rules and the position that the messages show; the moves made so far are part of it."""
    seat = _seat(heard[0])
    game, state = read(heard[0], rows_of(heard[0]), seat)
    for text in heard[1:]:
        for word in _PLAYED.findall(text):
            move = game.parse(state, word) if game.turn(state) != OVER else None
            if move is None:  # a right that the board does not show, such as castling
                _, state = read(heard[0], rows_of(text), seat)
                break
            state = game.apply(state, move)
    return game, state


def _seat(prompt: str) -> int:
    """Return the seat that the agent has."""
    found = _SEAT.search(prompt)
    return int(found is not None and found[1] in ("O", "Black", "the second player"))


def _first(game: Game[Any, Any], state: Any) -> Any:
    return game.legal(state)[0]


def _player(read: Read, choose: Callable[[Game[Any, Any], Any], Any], name: str) -> Callable[[], Agent]:
    def act(heard: Sequence[str], turn: int) -> str:
        game, state = position(read, heard)
        return f"<answer>{game.write(state, choose(game, state))}</answer>"

    return lambda: Shortcut(act, name)


def shortcuts(read: Read) -> dict[str, Callable[[], Agent]]:
    """Return the makers of shortcuts for a game."""
    return {"the first move": _player(read, _first, "the first move")}


def skills(read: Read, names: Iterable[str]) -> dict[str, Callable[[], Agent]]:
    """Return the makers of agents that play as the players of some names do."""

    def playing(name: str) -> Callable[[Game[Any, Any], Any], Any]:
        return lambda game, state: make_player(name, game, _SEED).choose(state)

    return {name: _player(read, playing(name), name) for name in names}


def extent(env: Env) -> tuple[int, int]:  # type: ignore[type-arg]
    """Return the moves of a win, and the moves that there are at first."""
    return len(env.task.line), len(env.task.game.legal(env.task.state))
