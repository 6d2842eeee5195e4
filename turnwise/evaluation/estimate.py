"""What a run will read, write and cost, before it starts: from its own prompts, the oracle's way, and the limits.

Two bounds for each environment. The lower one is an agent that goes the oracle's way and writes no more than the
oracle; the upper one takes every turn and writes up to the longest answer in each. Tokens are counted as characters by
four, as no tokenizer is known; nothing is counted as cached, and requests that fail cost nothing.
"""

import dataclasses
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from turnwise.agents.make import ANSWER_LIMIT, option_of
from turnwise.core.agent import Action
from turnwise.core.env import Env
from turnwise.core.episode import Episode, Job
from turnwise.core.player import play_in
from turnwise.engine.policy import Policy, read_policy
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.prices import MILLION, Price, read_prices

__all__ = ["CHARS_A_TOKEN", "TASKS", "Bounds", "Estimate", "estimate"]

CHARS_A_TOKEN = 4
TASKS = 5
"""Tasks of each environment that the oracle plays for the estimate."""


@dataclass(frozen=True)
class Bounds:
    """An estimate for all episodes of an environment, or of a run.

    Attributes:
        requests: Turns.
        read: Tokens read.
        written: Tokens written.
        cost: By the prices; None without any.
    """

    requests: float
    read: float
    written: float
    cost: float | None = None

    def __add__(self, other: "Bounds") -> "Bounds":
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Bounds(self.requests + other.requests, self.read + other.read, self.written + other.written, cost)

    def times(self, number: float) -> "Bounds":
        """For so many episodes."""
        return Bounds(self.requests * number, self.read * number, self.written * number)

    def priced(self, price: Price | None) -> "Bounds":
        """With its cost."""
        cost = None if price is None else (price.input * self.read + price.output * self.written) / MILLION
        return dataclasses.replace(self, cost=cost)


@dataclass(frozen=True)
class Estimate:
    """What an environment of the run will take.

    Attributes:
        env: As the config names it.
        episodes: How many are played.
        least: The oracle's way.
        most: Every turn, and the longest answer in each; None without a limit of the answer.
    """

    env: str
    episodes: int
    least: Bounds
    most: Bounds | None


@dataclass(frozen=True)
class _Asking:
    """What every request of the run has."""

    system: str
    shots: int
    native: bool
    policy: Policy
    limit: int | None


def estimate(config: EvalConfig, make: Callable[[Job], gymnasium.Env[str, str]]) -> list[Estimate]:
    """Estimate a run.

    Args:
        config: The run.
        make: Builds a job's environment.
    """
    asking = _Asking(
        config.system or "",
        int(option_of(config.agent, config.agent_options, "shots") or 0),
        option_of(config.agent, config.agent_options, "tools") == "native",
        read_policy(str(option_of(config.agent, config.agent_options, "context") or "append")),
        _limit(config),
    )
    price = None
    if config.prices is not None:
        model = config.agent.partition(":")[2]
        price = read_prices(config.prices).named(*dict.fromkeys((model.partition("@http")[0], model, config.agent)))
    return [_of_env(config, env, make, asking, price) for env in config.envs]


def _limit(config: EvalConfig) -> int | None:
    name = ANSWER_LIMIT.get(config.agent.partition(":")[0])
    found = option_of(config.agent, config.agent_options, name) if name else None
    return int(found) if isinstance(found, int) else None


def _of_env(
    config: EvalConfig, env: str, make: Callable[[Job], gymnasium.Env[str, str]], asking: _Asking, price: Price | None
) -> Estimate:
    jobs = config.jobs_of(env)
    tasks = list({job.seed: job for job in jobs}.values())[:TASKS]
    played = []
    made: Any = make(tasks[0])
    try:
        for job in tasks:
            episode = play_in(made, lambda play: Action(_inside(play.env).oracle()), job)
            if episode.turns:
                played.append(episode)
        tools = made.get_wrapper_attr("tools")() if asking.native and made.has_wrapper_attr("tools") else ()
        fixed = len(asking.system) + sum(len(json.dumps(tool.schema())) for tool in tools)
        turns = int(getattr(made.unwrapped, "max_turns", 1))
    finally:
        made.close()
    if not played:
        return Estimate(env, len(jobs), Bounds(0, 0, 0).priced(price), None)
    fixed += asking.shots * sum(map(_size, played)) // len(played)
    each = len(jobs) / len(played)
    least = sum((_least(episode, asking, fixed) for episode in played), Bounds(0, 0, 0)).times(each)
    most = None
    if asking.limit is not None:
        turns = max(turns, config.tries if turns == 1 else turns)
        most = sum((_most(e, asking, fixed, turns, asking.limit) for e in played), Bounds(0, 0, 0)).times(each)
    return Estimate(env, len(jobs), least.priced(price), None if most is None else most.priced(price))


def _inside(env: gymnasium.Env[str, str]) -> Env[Any]:
    inside = env.unwrapped
    assert isinstance(inside, Env)
    return inside


def _size(episode: Episode) -> int:
    return sum(len(t.observation) + len(t.action) for t in episode.turns) + len(episode.final_observation)


def _least(episode: Episode, asking: _Asking, fixed: int) -> Bounds:
    actions = [len(turn.action) for turn in episode.turns]
    return _bounds([len(turn.observation) for turn in episode.turns], actions, asking.policy, fixed)


def _most(episode: Episode, asking: _Asking, fixed: int, turns: int, limit: int) -> Bounds:
    seen = [len(turn.observation) for turn in episode.turns]
    later = sum(seen[1:], len(episode.final_observation)) // len(seen)
    return _bounds([seen[0], *[later] * (turns - 1)], [limit * CHARS_A_TOKEN] * turns, asking.policy, fixed)


def _bounds(seen: Sequence[int], said: Sequence[int], policy: Policy, fixed: int) -> Bounds:
    """What is read and written in an episode, from the characters of its observations and actions."""
    read, messages = 0, []
    for observation, action in zip(seen, said, strict=True):
        messages.append({"role": "user", "content": "", "size": observation})
        read += fixed + sum(m["size"] for m in policy.kept(messages) if m["content"] != "(omitted)")
        messages.append({"role": "assistant", "content": "", "size": action})
    return Bounds(len(seen), read / CHARS_A_TOKEN, sum(said) / CHARS_A_TOKEN)
