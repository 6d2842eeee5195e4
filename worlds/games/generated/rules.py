"""The grammar of generated games: what can be combined, and its form as a line of words."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast, get_args

from turnwise.core.errors import SettingsError
from turnwise.worlds.games.generated.board import Board, Kind

__all__ = ["Capture", "Goal", "Near", "Rules", "Verb", "read"]

Verb = Literal["place", "drop", "step", "slide", "jump", "push", "take"]
Near = Literal["any", "touch", "apart", "clear"]
Capture = Literal["none", "step", "jump", "flank", "turn", "infect"]
Goal = Literal["line", "avoid", "connect", "reach", "capture", "unite", "most", "group", "last", "misere"]

_BOARD = re.compile(r"(line|ring|grid|hex)-(\d{1,2})x(\d{1,2})(c?)", re.ASCII)
_MOST_CHARS = 500
_WORDS = {
    "holes": (), "x": (), "o": (), "stones": (), "moves": get_args(Verb), "near": get_args(Near), "forward": (),
    "hand": (), "capture": get_args(Capture), "goal": get_args(Goal), "limit": (), "longest": (),
}  # fmt: skip


@dataclass(frozen=True)
class Rules:
    """A game of the grammar.

    Attributes:
        board: The cells.
        x: Where the first seat's pieces stand at the start.
        o: Where the second seat's stand.
        stones: Where stones stand that belong to nobody.
        verbs: What a move may be.
        near: Where a piece may be placed: anywhere, touching an own one, not touching an own or an opposing one.
        forward: Whether steps lead towards the far side only.
        hand: Pieces that each seat places before it moves them; 0 if there is no such phase.
        capture: What happens to opposing pieces.
        goal: How the game is won.
        count: The pieces in a row, or the captures, that the goal asks for.
        longest: The most stones that one move takes.
        limit: Moves of both seats together after which the game ends; 0 for none.
    """

    board: Board
    verbs: tuple[Verb, ...]
    goal: Goal
    count: int = 0
    x: tuple[int, ...] = ()
    o: tuple[int, ...] = ()
    stones: tuple[int, ...] = ()
    near: Near = "any"
    forward: bool = False
    hand: int = 0
    capture: Capture = "none"
    longest: int = 0
    limit: int = 0

    def __str__(self) -> str:
        """The rules as a line of words, from which `read` makes them again."""
        b = self.board
        words = [f"{b.kind}-{b.rows}x{b.columns}{'c' * b.corners}"]
        for name, cells in (("holes", b.holes), ("x", self.x), ("o", self.o), ("stones", self.stones)):
            words += ["-".join([name, *map(str, cells)])] * bool(cells)
        words.append("-".join(["moves", *self.verbs]))
        words += [f"near-{self.near}"] * (self.near != "any") + ["forward"] * self.forward
        words += [f"hand-{self.hand}"] * (self.hand > 0) + [f"capture-{self.capture}"] * (self.capture != "none")
        words += [f"longest-{self.longest}"] * (self.longest > 0)
        words.append(f"goal-{self.goal}" + (f"-{self.count}" if self.count else ""))
        return " ".join(words + [f"limit-{self.limit}"] * (self.limit > 0))

    @property
    def moving(self) -> bool:
        """Whether pieces move once they are on the board."""
        return any(verb in ("step", "slide", "jump", "push") for verb in self.verbs)


@lru_cache(maxsize=4096)
def read(text: str) -> Rules:
    """Read rules from their line of words.

    Raises:
        SettingsError: They are not rules of the grammar.
    """
    first, *words = (text.split() if len(text) <= _MOST_CHARS else None) or [text]
    match = _BOARD.fullmatch(first)
    if match is None:
        raise _wrong(first, "a board such as grid-5x5, grid-5x5c, hex-4x4, line-1x12 or ring-1x12 comes first")
    kind, rows, columns = cast(Kind, match[1]), int(match[2]), int(match[3])
    if not (1 <= rows <= 12 and 3 <= columns <= 24) or (kind in ("line", "ring")) != (rows == 1):
        raise _wrong(first, "lines and rings have one row, grids and hex boards 2 to 12, and all 3 to 24 columns")
    found: dict[str, list[str]] = {}
    for word in words:
        name, *values = word.split("-")
        allowed = _WORDS.get(name)
        if allowed is None or name in found:
            raise _wrong(word, f"known are {', '.join(_WORDS)}, each once")
        for value in values:
            if not (value in allowed or (value.isascii() and value.isdigit() and len(value) <= 3)):
                raise _wrong(word, f"{name} takes {', '.join(allowed) or 'numbers'}")
        found[name] = values
    return _checked(_made(Board(kind, rows, columns, bool(match[4]), _numbers(found, "holes")), found), text)


def _made(board: Board, found: dict[str, list[str]]) -> Rules:
    goal, *count = found.get("goal", [""])
    return Rules(
        board=board, verbs=cast(tuple[Verb, ...], tuple(found.get("moves", ()))), goal=cast(Goal, goal),
        count=int(count[0]) if count else 0, x=_numbers(found, "x"), o=_numbers(found, "o"),
        stones=_numbers(found, "stones"), near=cast(Near, found.get("near", ["any"])[0]), forward="forward" in found,
        hand=sum(_numbers(found, "hand")), capture=cast(Capture, found.get("capture", ["none"])[0]),
        longest=sum(_numbers(found, "longest")), limit=sum(_numbers(found, "limit")),
    )  # fmt: skip


def _numbers(found: dict[str, list[str]], name: str) -> tuple[int, ...]:
    return tuple(int(value) for value in found.get(name, ()) if value.isdigit())


def _checked(rules: Rules, text: str) -> Rules:
    """Return rules that can be played: something to move, a goal that fits, and an end."""
    board, cells = rules.board, (*rules.board.holes, *rules.x, *rules.o, *rules.stones)
    shrinking = not rules.moving and rules.capture != "flank"
    marching = rules.forward and not {"push", "place", "drop"} & set(rules.verbs)
    problems = {
        "moves- must name at least one kind of move": not rules.verbs,
        "goal- must name one goal": rules.goal not in get_args(Goal),
        "cells must be on the board, each named once": len(set(cells)) < len(cells)
        or max(cells, default=0) >= board.size,
        "drop needs a grid": "drop" in rules.verbs and board.kind != "grid",
        "take needs stones and nothing else to move": ("take" in rules.verbs) != bool(rules.stones)
        or ("take" in rules.verbs and (len(rules.verbs) > 1 or rules.longest < 1)),
        "a slide and a step, or a slide on a ring, would be the same move": "slide" in rules.verbs
        and ("step" in rules.verbs or board.kind == "ring"),
        "a push and a capture by steps would be the same move": "push" in rules.verbs and rules.capture == "step",
        "connect needs a grid or a hex board": rules.goal == "connect" and board.rows == 1,
        "this goal needs a number of at least 2": rules.goal in ("line", "avoid") and rules.count < 2,
        "goal-capture needs pieces at the start and how many are captured": rules.goal == "capture"
        and not 1 <= rules.count <= min(len(rules.x), len(rules.o)),
        "these moves need a limit": not (shrinking or marching or rules.limit),
    }
    if wrong := next((problem for problem, holds in problems.items() if holds), ""):
        raise _wrong(text, wrong)
    return rules


def _wrong(text: str, why: str) -> SettingsError:
    shown = text if len(text) <= 100 else text[:100] + "..."
    return SettingsError(f"rules is {shown!r}; {why}")
