"""`play`: one episode with a model behind an endpoint, for hosts whose agent owns the loop.

Such a host hands over the address of an endpoint that records tokens and log-probabilities, and wants to know at the
end what each of the answers earned. The conversation only grows, so that what it recorded is one sequence.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnwise.agents.openai import OpenAIAgent
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import SettingsError
from turnwise.core.player import rollout
from turnwise.core.registration import full_id, make

__all__ = ["Played", "play", "play_async"]


@dataclass(frozen=True)
class Played:
    """What became of an episode.

    Attributes:
        episode_return: Sum of the rewards, in [0, 1].
        rewards: Reward of each answer, by the id that the endpoint gave it; answers without one are left out.
        valid: The environment worked. If it failed, the return says nothing: leave the episode out.
        episode: The whole record.
    """

    episode_return: float
    rewards: Mapping[str, float]
    valid: bool
    episode: Episode


def play(
    env: str,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    base_url: str,
    model: str,
    api_key: str | None = None,
    system: str = "",
    retries: int = 0,
    **options: Any,
) -> Played:
    """Play one episode with the model at an endpoint that speaks chat completions.

    Args:
        env: Id of the environment.
        settings: Its settings, by name.
        seed: Seed of the task; equal seeds give equal tasks.
        base_url: Address of the endpoint, up to ``/v1``.
        model: The model's name there.
        api_key: Sent as a bearer token; None takes the environment variable ``OPENAI_API_KEY``.
        system: System message before the conversation; none if empty.
        retries: How often an episode that failed is begun again. A host that records the answers keeps those of the
            failed attempts; they have no reward.
        options: Further ones of `OpenAIAgent`, such as ``temperature`` and ``max_tokens``.

    Raises:
        FatalError: The endpoint refuses every request: a wrong key, no such model.
    """
    env_id, given = full_id(env), dict(settings or {})
    agent = OpenAIAgent(model, base_url, **{"concurrency": 1, **options})
    if api_key is not None:
        if not api_key.isascii() or not api_key.isprintable():
            raise SettingsError("api_key: it must consist of printable ASCII characters")
        agent.client.token = api_key
    try:
        jobs = [Job(env_id, seed, settings=given)]
        [episode] = rollout(
            agent, jobs, make=lambda job: make(job.env, **job.settings), system=system or None, retries=retries
        )
    finally:
        agent.close()
    ids = [str((turn.served or {}).get("id", "")) for turn in episode.turns]
    rewards = {answer: turn.reward for answer, turn in zip(ids, episode.turns, strict=True) if answer}
    return Played(episode.episode_return, rewards, episode.status == "done", episode)


async def play_async(*args: Any, **options: Any) -> Played:
    """`play` in a thread, for hosts that run many episodes in one event loop."""
    return await asyncio.to_thread(play, *args, **options)
