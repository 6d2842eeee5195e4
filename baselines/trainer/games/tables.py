"""The tables of a run: who has which seat in every game of a step, and who plays there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnwise.baselines.methods.curricula.base import TaskSpec
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.games.past import PastSelves
from turnwise.baselines.trainer.games.settings import POLICY, Opponents, lag_of
from turnwise.baselines.trainer.rollouts import Group
from turnwise.core.agent import Agent
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.games.entrants import Entrants, GamePlayer, make_entrant
from turnwise.games.seats import table_of

__all__ = ["Tables", "with_seating"]


class Tables:
    """Gives the seats of games to the policy and its opponents.

    Args:
        cfg: The run.
        settings: Who the opponents are.
        model: The model that is trained.
        play: Makes an agent of a model, for past selves.

    Raises:
        SettingsError: There is no such opponent, or it does not play one of the games.
    """

    def __init__(self, cfg: TrainConfig, settings: Opponents, model: Any, play: Callable[[Any], Agent]) -> None:
        self.settings = settings
        self._key = (cfg.run.seed, "opponents")
        self.past = PastSelves(settings, model, play)
        named = [name for name in settings.names if name not in ("self", "pool") and not lag_of(name)]
        self.named = {name: _entrant(name, settings.options) for name in dict.fromkeys((*named, *settings.test))}
        players = Entrants({name: one for name, one in self.named.items() if isinstance(one, GamePlayer)})
        for arm in cfg.targets:
            players.check(str(arm.settings.get("game", "TicTacToe")))

    def begin(self, step: int) -> None:
        """Keep the present policy as a past self, if it is time."""
        if self.settings.uses_past:
            self.past.keep(step)

    def agent(self, policy: Agent, games: int) -> Agent:
        """Return the agent that plays all seats of at most so many games at a time."""
        return Entrants({POLICY: policy, **self.named, **self.past.agents}, together=games)

    def seated(self, tasks: Sequence[TaskSpec], step: int, first: int = 0) -> list[TaskSpec]:
        """Return tasks of a step with their seatings: the policy has all seats, or takes them in turn.

        Args:
            tasks: Those drawn, of which the first is number ``first`` of the step.
            step: The step.
            first: See ``tasks``.
        """
        return [self._seated(task, step, number) for number, task in enumerate(tasks, first)]

    def _seated(self, task: TaskSpec, step: int, number: int) -> TaskSpec:
        opponent = self.settings.at(step)
        if opponent == "self":
            opponent = POLICY
        elif opponent == "pool":
            opponent = self.past.drawn(Draw(*self._key, step, number))
        elif lag := lag_of(opponent):
            opponent = self.past.older(step, lag)
        return with_seating(task, opponent, number)

    def observe(self, groups: Sequence[Group]) -> None:
        """Learn the results of a step against past selves."""
        results: dict[str, list[float]] = {}
        for group in groups:
            others = {*str(group.task.settings["seating"]).split("|")} & self.past.agents.keys()
            for name in sorted(others):
                results.setdefault(name, []).extend(group.returns)
        self.past.observe(results)

    def metrics(self) -> Mapping[str, float]:
        """Return what to log of the past selves."""
        return self.past.metrics()

    def state_dict(self) -> dict[str, Any]:
        """Return the state that the next step depends on."""
        return self.past.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state_dict`` returned."""
        self.past.load_state_dict(state)

    def close(self) -> None:
        """Close the opponents."""
        for agent in self.named.values():
            agent.close()


def with_seating(task: TaskSpec, opponent: str, number: int) -> TaskSpec:
    """Return a task in which the policy has seat ``number``, counted round the table, and an opponent the others."""
    seats = table_of(str(task.settings.get("game", "TicTacToe"))).seats
    names = [POLICY if seat == number % seats else opponent for seat in range(seats)]
    return replace(task, settings={**task.settings, "seating": "|".join(names)})


def _entrant(name: str, options: Mapping[str, Any]) -> Agent:
    try:
        return make_entrant(name, options)
    except SettingsError as error:
        raise SettingsError(f"opponents: {error}; self, past:K and pool are the policy itself") from None
