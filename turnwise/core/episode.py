"""Records of played episodes, and their JSON lines."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Episode", "Job", "Turn", "read_episodes", "write_episode"]

Status = Literal["done", "error"]


@dataclass(frozen=True)
class Job:
    """An episode to be played.

    Attributes:
        env: Registered id.
        seed: Seed of the task.
        sample: Number of the sample among several of the same task.
        settings: Settings of the environment.
        key: What random choices of the agent depend on, beside the turn; default ``(seed, sample)``.
    """

    env: str
    seed: int
    sample: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    key: tuple[int, ...] = ()

    @property
    def rng_key(self) -> tuple[int, ...]:
        """`key`, or its default."""
        return self.key or (self.seed, self.sample)

    @property
    def name(self) -> str:
        """What tells this job from the others of a run, as one string."""
        return f"{self.env}{json.dumps(dict(self.settings), sort_keys=True)}#{self.seed}/{self.sample}"


@dataclass(frozen=True)
class Turn:
    """One exchange: what the agent read, what it said, what that earned.

    Attributes:
        observation: Text that the agent answered.
        action: Its answer.
        reward: Reward of the answer.
        invalid: The environment could not use the answer (format error, illegal move).
        finish: Why generation ended: "stop", "length", or what an endpoint reports.
        prompt_tokens: Tokens read for this turn, 0 where unknown.
        completion_tokens: Tokens written.
        reasoning: What the model thought before it answered, where an endpoint returns that apart from the answer.
            It is neither scored nor sent back.
        served: Of an endpoint's answer, what differs from run to run: ``at`` (when the request was sent, UTC),
            ``latency_s`` (until the whole answer was there), ``retries`` (requests that failed before it), ``model``
            (what the server calls it), ``usage`` (its own count of tokens) and ``refusal``. No part of what makes two
            turns equal; None for agents that are no endpoint, so that equal runs of those have equal files.
    """

    observation: str
    action: str
    reward: float
    invalid: bool = False
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning: str = ""
    served: Mapping[str, Any] | None = field(default=None, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without `reasoning` and `served` where there are none."""
        found = {name: getattr(self, name) for name in _TURN}
        return {name: value for name, value in found.items() if name not in _SPARSE or value}


_TURN = tuple(f.name for f in dataclasses.fields(Turn))
_SPARSE = ("reasoning", "served")


@dataclass(frozen=True)
class Episode:
    """A finished episode. With ``status="error"`` infrastructure failed: its reward says nothing and is not counted.

    Attributes:
        env: Registered id.
        settings: Settings of the environment.
        agent: The agent's name.
        seed: Seed of the task.
        sample: Number of the sample of that task.
        task_id: Hash of the task's content; empty if the environment failed to start.
        turns: The exchanges, in order.
        final_observation: The environment's last words.
        episode_return: Sum of the rewards, in [0, 1].
        solved: The goal was reached.
        terminated: The episode ended by itself.
        truncated: The turn limit ended it.
        metrics: The environment's figures.
        status: "done" or "error".
        error: What failed.
        attempts: How often the episode was started.
    """

    env: str
    settings: dict[str, Any]
    agent: str
    seed: int
    sample: int
    task_id: str
    turns: tuple[Turn, ...]
    final_observation: str
    episode_return: float
    solved: bool
    terminated: bool
    truncated: bool
    metrics: dict[str, float]
    status: Status = "done"
    error: str | None = None
    attempts: int = 1

    @property
    def job(self) -> Job:
        """The job that this episode did."""
        return Job(self.env, self.seed, self.sample, self.settings)

    def to_json(self) -> str:
        """One JSON line; `from_json` gives back an equal episode. Lone surrogates are kept, escaped."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return json.dumps({**data, "turns": [turn.to_dict() for turn in self.turns]}, sort_keys=True)

    @classmethod
    def from_json(cls, line: str) -> "Episode":
        """The episode of a JSON line.

        Raises:
            ValueError: The line is no episode.
        """
        try:
            data = json.loads(line)
            data["turns"] = tuple(Turn(**turn) for turn in data["turns"])
            return cls(**data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"this line is no episode ({error}): {line[:80]!r}") from error


def write_episode(path: Path, episode: Episode) -> None:
    """Append one line, whole or not at all where the process is killed between lines."""
    with path.open("ab") as file:
        file.write(episode.to_json().encode() + b"\n")


def read_episodes(path: Path) -> Iterator[Episode]:
    """The episodes of a file. An unfinished last line (the writer was killed) is passed over."""
    if not path.exists():
        return
    with path.open("rb") as file:
        lines: Iterable[bytes] = file
        for line in lines:
            if line.endswith(b"\n") and line.strip():
                yield Episode.from_json(line.decode())
