"""Records of played episodes, and their JSON lines."""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

__all__ = ["Episode", "Job", "Tokens", "Turn", "read_episodes", "write_episode"]

Status = Literal["done", "error"]


@dataclass(frozen=True)
class Job:
    """An episode to play.

    Attributes:
        env: Registered id.
        seed: Seed of the task.
        sample: Number of the sample among several of the same task.
        settings: Settings of the environment.
        key: Together with the turn, determines the agent's random choices; default ``(seed, sample)``.
        hint: Appended to the first observation for the agent; not part of the record.
    """

    env: str
    seed: int
    sample: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    key: tuple[int, ...] = ()
    hint: str = ""

    @property
    def rng_key(self) -> tuple[int, ...]:
        """`key`, or its default."""
        return self.key or (self.seed, self.sample)

    @property
    def name(self) -> str:
        """A string that distinguishes this job from the others of a run."""
        return f"{self.env}{json.dumps(dict(self.settings), sort_keys=True)}#{self.seed}/{self.sample}"


@dataclass(frozen=True)
class Tokens:
    """The tokens of a turn, as whoever sampled it reports them.

    A row of tokens is what the turns since the last ``fresh`` one read and sampled, one after the other. Only what is
    new is kept, so that a record grows with the conversation and not with its square.

    Attributes:
        context: What was read before the turn and comes after the tokens of the turn before; all that was read, with
            ``fresh``.
        ids: The sampled tokens, stop token included.
        logps: The sampler's log-probability of each.
        fresh: The turn begins a new row; the first one always does.
        fault: Why these are not the tokens that were read and sampled: a word, a colon and a sentence; see
            `turnwise.evaluation.rollouts.Fault`. Empty if they are.
    """

    context: tuple[int, ...] = ()
    ids: tuple[int, ...] = ()
    logps: tuple[float, ...] = ()
    fresh: bool = False
    fault: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without what is seldom set where it is not."""
        found: dict[str, Any] = {"context": list(self.context), "ids": list(self.ids), "logps": list(self.logps)}
        return found | {name: value for name, value in (("fresh", self.fresh), ("fault", self.fault)) if value}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Tokens":
        """Restore from the result of `to_dict`."""
        lists = {name: tuple(values[name]) for name in ("context", "ids", "logps")}
        return cls(**{**values, **lists})


@dataclass(frozen=True)
class Turn:
    """One exchange: an observation, the agent's action, and its reward.

    Attributes:
        observation: Text that the agent answered.
        action: Its answer.
        reward: Reward of the answer.
        invalid: The environment could not use the answer (format error, illegal move).
        finish: Why generation ended: "stop", "length", or what an endpoint reports.
        prompt_tokens: Tokens read for this turn; 0 if unknown.
        completion_tokens: Tokens written.
        reasoning: The model's reasoning, if an endpoint returns it separately from the answer. It is neither scored nor
            sent back.
        served: The parts of an endpoint's answer that differ from run to run: ``at`` (when the request was sent, UTC),
            ``latency_s`` (until the whole answer had arrived), ``retries`` (requests that failed before it), ``model``
            (what the server calls it), ``id`` (of the answer), ``usage`` (its own count of tokens) and ``refusal``.
            Ignored when turns are compared; None for agents that are not endpoints, so that equal runs of those have
            equal files.
        shaping: What the environment adds to the reward for learners; not written to files.
        internal: The agent's own turn (a summary), which no environment has read.
        tokens: The tokens that were read and sampled, of agents that keep them; None of all others.
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
    shaping: float = field(default=0.0, compare=False)
    internal: bool = False
    tokens: Tokens | None = None

    @classmethod
    def of_all(cls, values: Mapping[str, Any]) -> "Turn":
        """Make a turn of the values of all fields, in a fifth of the time that a frozen dataclass takes."""
        turn = object.__new__(cls)
        turn.__dict__.update(values)
        return turn

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values, without what is seldom set where it is not."""
        found = {name: getattr(self, name) for name in _TURN}
        if self.tokens is not None:
            found["tokens"] = self.tokens.to_dict()
        return {name: value for name, value in found.items() if name not in _SPARSE or value}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Turn":
        """Restore from the result of `to_dict`."""
        tokens = values.get("tokens")
        return cls(**{**values, "tokens": Tokens.from_dict(tokens)} if tokens is not None else values)


_TURN = tuple(f.name for f in dataclasses.fields(Turn) if f.name != "shaping")
_SPARSE = ("reasoning", "served", "internal", "tokens")


@dataclass(frozen=True)
class Episode:
    """A finished episode. ``status="error"``: infrastructure failed, and its reward is not counted.

    Attributes:
        env: Registered id.
        settings: Settings of the environment.
        agent: The agent's name.
        seed: Seed of the task.
        sample: Number of the sample of that task.
        task_id: Hash of the task's content; empty if the environment failed to start.
        turns: The exchanges, in order.
        final_observation: The environment's last observation.
        episode_return: Sum of the rewards, in [0, 1].
        solved: The goal was reached.
        terminated: The episode ended by itself.
        truncated: The turn limit ended it.
        metrics: The environment's metrics.
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
        """The job that this episode was played for."""
        return Job(self.env, self.seed, self.sample, self.settings)

    def to_json(self) -> str:
        """Return one JSON line; `from_json` restores an equal episode. Lone surrogates are kept, escaped."""
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return json.dumps({**data, "turns": [turn.to_dict() for turn in self.turns]}, sort_keys=True)

    @classmethod
    def from_json(cls, line: str) -> "Episode":
        """Parse an episode from a JSON line.

        Raises:
            ValueError: The line is not an episode.
        """
        try:
            data = json.loads(line)
            data["turns"] = tuple(Turn.from_dict(turn) for turn in data["turns"])
            return cls(**data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"this line is not an episode ({error}): {line[:80]!r}") from error


def write_episode(path: Path, episode: Episode) -> None:
    """Append one line; a process killed between lines leaves no partial line."""
    with path.open("ab") as file:
        file.write(episode.to_json().encode() + b"\n")


def read_episodes(path: Path) -> Iterator[Episode]:
    """Read the episodes of a file. An unfinished last line (the writer was killed) is skipped."""
    if not path.exists():
        return
    with path.open("rb") as file:
        lines: Iterable[bytes] = file
        for line in lines:
            if line.endswith(b"\n") and line.strip():
                yield Episode.from_json(line.decode())
