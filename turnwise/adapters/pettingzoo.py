"""Games for several seats as environments of PettingZoo (1.25 and later). See docs/games.md."""

from functools import cache
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from turnwise.core.errors import SettingsError
from turnwise.core.spaces import Text
from turnwise.games.table import Table, make
from turnwise.worlds.games.game import ALL

__all__ = ["AEC", "Moves", "Parallel"]

_MOST_CHARS = 100_000
Seen = dict[str, str]
"""An observation: one text, under the name "text" (PettingZoo's tests want arrays or dictionaries)."""


class Moves(gymnasium.Space[str]):
    """Any text; `sample` draws one of the moves that a seat has now, or an empty text if it has none."""

    def __init__(self, table: Table, seat: int) -> None:
        self.table, self.seat = table, seat
        super().__init__(shape=None, dtype=str)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def sample(self, mask: None = None, probability: None = None) -> str:
        """Return a legal move."""
        legal = self.table.legal(self.seat)
        return legal[int(self.np_random.integers(len(legal)))] if legal else ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moves) and (other.table, other.seat) == (self.table, self.seat)

    def __hash__(self) -> int:
        return hash(("Moves", self.seat))

    def __repr__(self) -> str:
        return f"Moves(seat={self.seat})"


class _Seats:
    """What both forms share: agents, spaces, observations, the table."""

    def __init__(self, name: str, players: int | None, max_illegal: int, settings: dict[str, Any]) -> None:
        self.table = make(name, players, **settings)
        self.max_illegal = max_illegal
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.seats)]
        self.agents: list[str] = []
        self.observation_space = cache(lambda agent: gymnasium.spaces.Dict({"text": Text(_MOST_CHARS)}))
        self.action_space = cache(lambda agent: Moves(self.table, self._seat(agent)))
        self._rng = np.random.default_rng()

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _begin(self, seed: int | None) -> None:
        """Begin a game; without a seed it is drawn by the generator of the last one, as in Gymnasium."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.table.reset(int(self._rng.integers(2**62)))
        self.agents = list(self.possible_agents)
        self._illegal = dict.fromkeys(self.agents, 0)

    def observe(self, agent: str) -> Seen:
        """Return what an agent sees: the rules, and the game from its seat."""
        return {"text": f"{self.table.rules()}\n\n{self.table.observe(self._seat(agent))}"}

    def _info(self, agent: str) -> dict[str, Any]:
        return {"legal": self.table.legal(self._seat(agent)), "illegal": self._illegal[agent]}

    def _returns(self) -> dict[str, float]:
        paid = self.table.returns if self.table.over else (0.0,) * self.table.seats
        return dict(zip(self.possible_agents, paid, strict=True))

    def render(self) -> str:
        """Draw the whole position, with what is hidden."""
        return self.table.game.board(self.table.state)

    def close(self) -> None:
        """Do nothing: nothing is held open."""


class AEC(_Seats, AECEnv[str, Seen, str]):
    """A game in which agents act one after another; where all move at the same time, none sees the others' choices.

    A text that is not a legal move changes nothing: the agent is asked again, ``infos[agent]["illegal"]`` counts, and
    after ``max_illegal`` of them by one agent the game is cut short and pays nothing. All rewards are paid at the end.

    Args:
        name: A game of `turnwise.games.names`.
        players: The number of seats, where the game leaves a choice.
        max_illegal: How many texts of an agent may be no legal moves.
        settings: Those of the game.
    """

    metadata: dict[str, Any] = {"name": "turnwise", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, name: str, players: int | None = None, max_illegal: int = 10, **settings: Any) -> None:
        _Seats.__init__(self, name, players, max_illegal, settings)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._info(agent) for agent in self.agents}
        self.agent_selection = self._next()

    def _next(self) -> str:
        waiting = self.table.to_move
        return self.possible_agents[waiting[0]] if waiting else self.agents[0]

    def step(self, action: str | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._illegal[agent] += not self.table.play(self._seat(agent), str(action))
        cut = self._illegal[agent] >= self.max_illegal
        self.rewards = self._returns()
        self.terminations = dict.fromkeys(self.agents, self.table.over)
        self.truncations = dict.fromkeys(self.agents, cut and not self.table.over)
        self.infos = {other: self._info(other) for other in self.agents}
        self._accumulate_rewards()
        self.agent_selection = self._next()


class Parallel(_Seats, ParallelEnv[str, Seen, str]):
    """A game in which all seats move at the same time, such as the matrix games.

    Args:
        name: A game of `turnwise.games.names`.
        players: The number of seats, where the game leaves a choice.
        max_illegal: How many texts of an agent may be no legal moves; the game is cut short at that number.
        settings: Those of the game.

    Raises:
        SettingsError: The seats of the game take turns.
    """

    metadata: dict[str, Any] = {"name": "turnwise", "render_modes": ["ansi"]}

    def __init__(self, name: str, players: int | None = None, max_illegal: int = 10, **settings: Any) -> None:
        _Seats.__init__(self, name, players, max_illegal, settings)
        if self.table.game.turn(self.table.state) != ALL:
            raise SettingsError(f"the seats of {name} take turns; use turnwise.adapters.pettingzoo.AEC")

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        self._begin(seed)
        return self._all()

    def _all(self) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        return {agent: self.observe(agent) for agent in self.agents}, {
            agent: self._info(agent) for agent in self.agents
        }

    def step(
        self, actions: dict[str, str]
    ) -> tuple[dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make the moves of all agents; those that have not made a legal one are asked again."""
        for agent, action in actions.items():
            if self._seat(agent) in self.table.to_move:
                self._illegal[agent] += not self.table.play(self._seat(agent), action)
        over = self.table.over
        cut = not over and max(self._illegal.values()) >= self.max_illegal
        observations, infos = self._all()
        rewards = self._returns()
        ended, cut_short = dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, cut)
        if over or cut:
            self.agents = []
        return observations, rewards, ended, cut_short, infos
