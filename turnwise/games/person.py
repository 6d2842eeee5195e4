"""An episode that a person plays, with players of games in the other seats of a table."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import gymnasium

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.games.entrants import GamePlayer
from turnwise.games.seats import Seats
from turnwise.worlds.games.players.make import make_player

__all__ = ["Board", "PersonPlays"]


@runtime_checkable
class Board(Protocol):
    """An environment with a position that can be drawn and moves that can be listed."""

    def legal_moves(self) -> list[str]:
        """Return the moves that whoever acts next has, in writing."""
        ...

    def seen(self) -> str:
        """Return the position as whoever acts next sees it."""
        ...


class PersonPlays:
    """One episode after another; at a table of games a player answers for every seat but the person's.

    Args:
        env: Any environment.
        against: Who answers for the other seats of a table, such as ``alphabeta:2``; empty: the person plays them all.
        seat: The person's seat at a table, from 0.

    Raises:
        SettingsError: There is no such player or seat, or the environment is no table.
    """

    def __init__(self, env: gymnasium.Env[str, str], against: str = "", seat: int = 0) -> None:
        self.env, self.against, self.seat = env, against, seat
        inner = env.unwrapped
        if not against:
            return
        if not isinstance(inner, Seats):
            raise SettingsError(f"against is {against!r}; {type(inner).__name__} has an opponent of its own")
        GamePlayer(against).check(inner.game)

    def begin(self, seed: int | None = None) -> str:
        """Start an episode; return what the person sees first."""
        observation, _ = self.env.reset(seed=seed)
        inner = self.env.unwrapped
        self.total, self.over = 0.0, False
        self.info: dict[str, Any] = {}
        if self.against and isinstance(inner, Seats) and not 0 <= self.seat < inner.table.seats:
            raise SettingsError(f"side is {self.seat + 1}; {inner.game} has {inner.table.seats} seats")
        return self._others(observation)

    def act(self, text: str) -> tuple[str, float]:
        """Make the person's move, and the others' after it; return what the person sees and the reward."""
        observation, reward, terminated, truncated, self.info = self.env.step(text)
        self.total += float(reward)
        self.over = terminated or truncated
        return self._others(observation), float(reward)

    def _others(self, observation: str) -> str:
        inner = self.env.unwrapped
        info: Mapping[str, Any] = self.info
        while self.against and isinstance(inner, Seats) and not self.over and inner.seat != self.seat:
            table, seat = inner.table, inner.seat
            player = make_player(self.against, table.game, seed_of("person", table.seed, seat))
            move = table.game.write(table.state, player.act(table.state, seat))
            observation, reward, terminated, truncated, info = self.env.step(move)
            self.total += float(reward)
            self.over = terminated or truncated
        self.info = dict(info)
        return observation

    def won(self) -> bool:
        """Return whether the person has solved the task, or won more than any other seat."""
        inner = self.env.unwrapped
        if isinstance(inner, Seats) and self.against:
            others = [value for seat, value in enumerate(inner.returns) if seat != self.seat]
            return inner.returns[self.seat] > max(others, default=0.0)
        return bool(self.info.get("solved"))
