"""A game in which the moves of all seats are actions: what arenas and training on every seat play."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.registration import read_settings, register
from turnwise.core.settings import Range
from turnwise.games.table import Table, make
from turnwise.verifiers.extract import final_answer

__all__ = ["Seats", "table_of"]


@dataclass(frozen=True)
class Task:
    """A game with its settings, and what decides the draws in it."""

    game: str
    seed: int


def table_of(game: str, seed: int = 0) -> Table:
    """Open a table for a game written with its settings: ``"Go:size=7"``.

    Raises:
        SettingsError: There is no such game or setting.
    """
    name, settings = read_settings(game)
    return make(name, settings.pop("players", None), seed, **settings)


@register("seats/Table-v0")
class Seats(Env[Task]):
    """Every observation is for the seat that moves next, and the action is its move.

    The reward is that of the first seat: 1 if it has more than any other, a half if nobody has more. The metrics have
    what every seat gets (``return_0``, ``return_1``, ...), its messages (``messages_0``, ...), those of them that were
    not legal moves (``illegal_0``, ...) and whether it has forfeited (``forfeit_0``, ...). Whoever forfeits has lost:
    the seat gets -1 and the others share 1. A game that is cut off by the turn limit gives every seat 0.

    Source: the tables of `turnwise.games`.
    """

    game: str = "TicTacToe"
    """The game, one of `turnwise.games.names()`, with its settings if need be: "Go:size=7"."""
    seating: str = ""
    """Who sits where: names from the first seat on, with | between them. The game does not depend on it."""
    illegal_moves: Annotated[int, Range(0, 100)] = 3
    """Messages of a seat that are not legal moves; each is answered with the legal ones, and with one more the seat
    forfeits."""
    rules: bool = True
    """Whether the first message to a seat explains the game and how to answer."""
    max_turns: Annotated[int, Range(1, 100_000)] = 500
    """The most messages of all seats together."""

    in_all = False
    cheats = ("I win.", "<answer>win</answer>", "resign", "self.table.state = won")

    def check(self) -> None:
        table_of(self.game)

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(self.game, int(rng.integers(2**62)))

    @property
    def seat(self) -> int:
        """The seat that moves next; that of the last message once the game is over."""
        return self.table.to_move[0] if not self.table.over else self._last

    def begin(self) -> str:
        return self.open(table_of(self.task.game, self.task.seed))

    def open(self, table: Table) -> str:
        """Begin at a table as it stands; return what the seat that moves next hears."""
        self.table = table
        seats = table.seats
        self._log: list[str] = []  # moves in words
        self._heard = [-1] * seats  # how much of it each seat knows; -1: not even the rules
        self._messages, self._illegal = [0] * seats, [0] * seats
        self._lost: int | None = None
        self._last = 0
        return self._message()

    def _message(self) -> str:
        """What the next seat hears: the rules the first time, then what was played since, and how things stand."""
        table, seat = self.table, self.seat
        heard = self._heard[seat]
        self._heard[seat] = len(self._log)
        now = table.observe(seat)
        if heard < 0 and self.rules:
            example = table.legal(seat)[0]
            return (
                f"{table.rules()}\n\nAnswer with one move, alone or in the form <answer>{example}</answer>. After "
                f"{self.illegal_moves} messages that are not legal moves, another one loses the game.\n\n{now}"
            )
        played = " ".join(self._log[max(0, heard) :]) if not table.game.hidden else ""
        return f"{played}\n{now}" if played else now

    def respond(self, action: str) -> Reply:
        table, seat = self.table, self.seat
        self._last = seat
        self._messages[seat] += 1
        before = table.state
        text, problem = final_answer(action)
        if text is None or not table.play(seat, text):
            wrong = f"Not a legal move{f': {problem}' if problem else ''}."
            self._illegal[seat] += 1
            if self._illegal[seat] > self.illegal_moves:
                self._lost = seat
                return self._end(f"{wrong} {table.game.names[seat]} forfeits the game.", True)
            return Reply(f"{wrong} Legal moves: {' '.join(self.legal_moves())}", invalid=True)
        if before is not table.state or table.over:
            self._log.append(f"{table.game.names[seat]} played {' '.join(text.split())}.")
            self._heard[seat] = len(self._log)
        if table.over:
            return self._end(f"{self._log[-1]} The game is over.\n{table.game.board(table.state)}")
        return Reply(self._message())

    def legal_moves(self) -> list[str]:
        """Return the moves of the seat that moves next, in writing."""
        return [] if self.table.over else sorted(self.table.legal(self.seat))

    def seen(self) -> str:
        """Return the position as the seat that moves next sees it."""
        return self.table.game.view(self.table.state, self.seat)

    def _end(self, said: str, invalid: bool = False) -> Reply:
        first, *rest = self.returns
        if first > max(rest, default=0.0):
            return Reply(said, solved=True, invalid=invalid)
        return Reply(said, reward=0.5 if first == max(rest, default=0.0) else 0.0, done=True, invalid=invalid)

    @property
    def returns(self) -> tuple[float, ...]:
        """What every seat gets."""
        seats = self.table.seats
        if self._lost is not None:
            return tuple(-1.0 if seat == self._lost else 1.0 / max(1, seats - 1) for seat in range(seats))
        return self.table.returns if self.table.over else (0.0,) * seats

    def metrics(self) -> dict[str, float]:
        found: dict[str, float] = {"moves": float(len(self._log))}
        for seat, value in enumerate(self.returns):
            found[f"return_{seat}"] = float(value)
            found[f"messages_{seat}"] = float(self._messages[seat])
            found[f"illegal_{seat}"] = float(self._illegal[seat])
            found[f"forfeit_{seat}"] = float(seat == self._lost)
        return found

    def oracle(self) -> str:
        """Return a legal move: nobody can solve a game for all seats."""
        return self.table.legal(self.seat)[0]

    def sample_action(self, rng: np.random.Generator) -> str:
        if self.table.over:
            return "none"
        legal = self.table.legal(self.seat)
        return legal[int(rng.random() * len(legal))]
