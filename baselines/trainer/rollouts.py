"""The records of training: rollouts and the groups they form. Nothing changes them once they are made."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any, Literal

from turnwise.baselines.methods.curricula.base import TaskResult, TaskSpec
from turnwise.core.episode import Job, Turn
from turnwise.core.player import Live, episode_of
from turnwise.engine.tokens import Stream

__all__ = ["Group", "Rollout", "Status", "anchor_of", "outcome", "rollout_of"]

Status = Literal["done", "truncated", "no_room", "error"]


@dataclass(frozen=True)
class Rollout:
    """An episode with its tokens.

    ``truncated`` is the environment's turn limit, ``no_room`` the model's context length; both keep their
    reward. ``error`` is a failure of the environment: such a rollout is left out of loss, baseline and mean.

    Attributes:
        job: The job that was played; its key is unique among the rollouts of a step.
        turns: The exchanges, one for each sampled turn; a summary asked for by the context policy counts as one.
        final_observation: The observation after the last turn.
        streams: Its rows: one, unless the context policy began new ones.
        status: How it ended.
        solved: The goal was reached.
        tool_calls: Number of tool calls; -1 if the environment does not count them.
        reference: The action that solves the task, if the run needs it and the environment knows it.
        external: Not the policy's own answer to what it reads in ``streams``: trained with the loss of the guidance.
        version: Steps that the weights had been trained for when it began.
        error: What failed.
        seat: The seat that was played at a table.
        seats: Of a game at a table, the rollouts of the seats that the policy played.
    """

    job: Job
    turns: tuple[Turn, ...] = ()
    final_observation: str = ""
    streams: tuple[Stream, ...] = ()
    status: Status = "done"
    solved: bool = False
    tool_calls: int = -1
    reference: str | None = None
    external: bool = False
    version: int = 0
    error: str = ""
    seat: int = 0
    seats: tuple["Rollout", ...] = ()

    @property
    def valid(self) -> bool:
        return self.status != "error"

    @property
    def rewards(self) -> tuple[float, ...]:
        """The environment's reward for each turn."""
        return tuple(turn.reward for turn in self.turns)

    @property
    def total(self) -> float:
        return sum(self.rewards)

    @property
    def num_turns(self) -> int:
        return len(self.turns)

    @property
    def num_tokens(self) -> int:
        """The number of sampled tokens in all rows."""
        return sum(sum(stream.mask) for stream in self.streams)

    @property
    def actions(self) -> list[list[int]]:
        """The sampled tokens of each turn."""
        found: dict[int, list[int]] = {}
        for token, turn in ((i, t) for stream in self.streams for i, t in zip(stream.ids, stream.turns, strict=True)):
            if turn >= 0:
                found.setdefault(turn, []).append(token)
        return [found[turn] for turn in sorted(found)]

    @property
    def cut_turns(self) -> int:
        """The number of turns that were cut off at the token limit."""
        return sum(turn.finish == "length" for turn in self.turns)

    def to_dict(self) -> dict[str, Any]:
        """Return the rollout as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Rollout":
        """Restore a rollout from the result of ``to_dict``."""
        job = {**values["job"], "key": tuple(values["job"]["key"])}
        turns = tuple(Turn.from_dict(turn) for turn in values["turns"])
        streams = tuple(Stream(**stream) for stream in values["streams"])
        return cls(**{**values, "job": Job(**job), "turns": turns, "streams": streams})


def rollout_of(live: Live, version: int) -> Rollout:
    """Make the record of an episode that the policy played, with one turn per sampled turn, failed ones included."""
    episode, pending = episode_of(live, "policy"), live.pending
    failed = () if pending is None else (Turn(live.observation, pending.text, 0.0, finish=pending.finish),)
    status: Status = "done" if episode.terminated else "truncated" if episode.truncated else "no_room"
    return Rollout(
        live.job,
        turns=(*episode.turns, *failed),
        final_observation="" if failed else episode.final_observation,
        streams=tuple(getattr(live.play.state, "streams", ())),
        status="error" if episode.status == "error" else status,
        solved=episode.solved,
        tool_calls=int(episode.metrics.get("tool_calls", -1)),
        reference=live.noted,
        version=version,
        error=episode.error or "",
    )


@dataclass(frozen=True)
class Group:
    """The rollouts of one task, and ``lessons``, which are trained with them but count in no statistics.

    Of a task at a table there is a group for each seat that the policy plays, with the same ``task``.
    """

    task: TaskSpec
    rollouts: tuple[Rollout, ...] = ()
    lessons: tuple[Rollout, ...] = ()
    seat: int = 0

    def joined(self, rollouts: Sequence[Rollout]) -> "Group":
        """Return the group with further rollouts."""
        return replace(self, rollouts=(*self.rollouts, *rollouts))

    @property
    def name(self) -> str:
        """A name of the task, equal for the same task in another step."""
        return f"{self.task.env} {self.task.arm} {self.task.seed}" + f" seat {self.seat}" * bool(self.seat)

    @property
    def valid(self) -> tuple[Rollout, ...]:
        """The rollouts whose environment did not fail."""
        return tuple(t for t in self.rollouts if t.valid)

    @property
    def returns(self) -> list[float]:
        """The returns of the valid rollouts."""
        return [t.total for t in self.valid]


def outcome(group: Group, advantages: Mapping[tuple[int, ...], float] | None = None) -> TaskResult:
    """Summarise a group for the curriculum; ``advantages`` are `Batch.sizes`, 0 for other rollouts."""
    valid = [t for t in group.valid if not t.external]
    known = advantages or {}
    return TaskResult(
        group.task,
        returns=tuple(t.total for t in valid),
        solved=tuple(t.solved for t in valid),
        advantages=tuple(known.get(t.job.key, 0.0) for t in valid),
        tokens=sum(t.num_tokens for t in valid),
        turns=sum(t.num_turns for t in valid),
    )


def anchor_of(turn: Turn) -> int:
    """Return a number for the state that a turn answered: equal observations have equal numbers.

    A summary is not the state from which the environment's next turn starts.
    """
    found = _hash(turn.observation)
    return _hash(f"summary of {found}") if turn.internal else found


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=7).digest(), "big")
