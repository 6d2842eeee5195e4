"""Rollouts as rows of tokens for trainers: ids, loss mask, log-probabilities, rewards per turn, validity.

A row says all that a trainer needs to know of it. A rollout has one, unless its context was restarted on the way, and
at least one, be it without tokens: every episode is accounted for. What a sampler did not say, or said in a way that
cannot be right, is never made up: such a rollout is not valid, and its ``reason`` says why.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from turnwise.core.episode import Episode, Turn, read_episodes
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.files import replace_file
from turnwise.core.http.address import without_surrogates
from turnwise.core.rows import read_located
from turnwise.evaluation.evaluate import EvalConfig

__all__ = [
    "FORMATS", "Fault", "RolloutRow", "collect_rollouts", "read_rollouts", "rows_of", "with_tokens", "write_rollouts",
]  # fmt: skip

Fault = Literal["", "error", "drift", "cut", "missing"]
"""Why a rollout is not valid.

- ``error``: the environment or the endpoint failed.
- ``drift``: the prompt of a turn does not begin with the tokens before it; the conversation was tokenised again.
- ``cut``: an answer was cut by a limit, or the conversation had no room for one.
- ``missing``: token ids or log-probabilities were not sent, or cannot be right.
"""
FORMATS = (".jsonl", ".parquet")
WHOLE = ("stop", "tool_calls", "function_call")
"""What endpoints call the end of an answer that the model has ended."""
AGENTS = {"hf": True, "openai": True, "vllm": False, "sglang": False}
"""Agents that know tokens, and whether their option ``tokens`` says if they keep them."""
_BATCH = 1024


@dataclass(frozen=True)
class RolloutRow:
    """A row of tokens, and the rollout that it belongs to.

    Attributes:
        env: Registered id.
        settings: Settings of the environment; in files, a JSON text.
        split: "train", "test" or "" for both.
        seed: Seed of the task.
        sample: Number of the rollout among those of its task.
        group: The same text for all rollouts of a task: baselines are taken over it.
        task_id: Hash of the task's content.
        agent: Who played.
        version: Of the weights, as whoever wrote the file counts them.
        row: Number of the row in its rollout.
        num_rows: Rows of the rollout.
        ids: The tokens.
        mask: 1 where the policy sampled the token: these are trained.
        logps: The sampler's log-probability of each sampled token, 0 elsewhere.
        turns: The turn in which each token was sampled, -1 elsewhere.
        observations: What the environment said before each turn of the rollout.
        actions: What it read of the agent.
        rewards: Reward of each turn; their sum is the return.
        finishes: Why each turn ended: "stop", "length" or what an endpoint reports.
        invalid_turns: Whether the environment could not use the action (format error, illegal move).
        final_observation: What the environment said last.
        episode_return: In [0, 1].
        solved: The goal was reached.
        terminated: The episode ended by itself.
        truncated: The turn limit ended it.
        metrics: The environment's; in files, a JSON text.
        valid: The rollout may be trained on. If not, all its rows say so: leave it out of loss and baseline.
        fault: Why not.
        reason: The same as a sentence.
        attempts: How often the episode was started.
    """

    env: str
    settings: Mapping[str, Any]
    split: str
    seed: int
    sample: int
    group: str
    task_id: str
    agent: str
    version: int
    row: int
    num_rows: int
    ids: Sequence[int]
    mask: Sequence[int]
    logps: Sequence[float]
    turns: Sequence[int]
    observations: Sequence[str]
    actions: Sequence[str]
    rewards: Sequence[float]
    finishes: Sequence[str]
    invalid_turns: Sequence[bool]
    final_observation: str
    episode_return: float
    solved: bool
    terminated: bool
    truncated: bool
    metrics: Mapping[str, float]
    valid: bool
    fault: Fault
    reason: str
    attempts: int = 1

    @property
    def prompt_length(self) -> int:
        """Number of tokens before the first that was sampled; all, if none was."""
        return self.mask.index(1) if 1 in self.mask else len(self.mask)

    @property
    def token_rewards(self) -> list[float]:
        """The reward of each turn at its last token, 0 elsewhere: of the turns that were sampled in this row."""
        last = {turn: i for i, turn in enumerate(self.turns) if turn >= 0}
        found = [0.0] * len(self.ids)
        for turn, i in last.items():
            found[i] = self.rewards[turn]
        return found

    def to_dict(self) -> dict[str, Any]:
        """As a row of a file; ``prompt_length`` is written for readers of other programs."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        texts = {name: json.dumps(found[name], sort_keys=True) for name in _TEXTS}
        return {**found, **texts, "prompt_length": self.prompt_length}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "RolloutRow":
        """Restore from the result of `to_dict`; further columns are left out.

        Raises:
            ValueError: A column is missing, or they do not fit together.
        """
        missing = [f.name for f in fields(cls) if f.name not in values]
        if missing:
            raise ValueError(f"it has no {', '.join(missing)}")
        found = {f.name: values[f.name] for f in fields(cls)}
        try:
            row = cls(**{**found, **{name: json.loads(found[name]) for name in _TEXTS}})
            wrong = _wrong(row)
        except (TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error
        if wrong:
            raise ValueError(wrong)
        return row


_TEXTS = ("settings", "metrics")


def rows_of(episode: Episode, *, version: int = 0, keep_cut: bool = False) -> list[RolloutRow]:
    """Return the rows of an episode whose agent keeps tokens; at least one, which may be empty.

    Args:
        episode: The record.
        version: Of the weights that played.
        keep_cut: A rollout with an answer that was cut at the token limit is valid. The environment has read such an
            answer as it was, and the row holds what was sampled.
    """
    kind, _, reason = _fault(episode, keep_cut=keep_cut).partition(": ")
    streams = _streams(episode.turns) or [{name: [] for name in _LISTS}]
    turns = episode.turns
    return [
        RolloutRow(
            env=episode.env,
            settings=episode.settings,
            split=str(episode.settings.get("split") or ""),
            seed=episode.seed,
            sample=episode.sample,
            group=episode.job.name.rpartition("/")[0],
            task_id=episode.task_id,
            agent=episode.agent,
            version=version,
            row=number,
            num_rows=len(streams),
            **stream,
            observations=[turn.observation for turn in turns],
            actions=[turn.action for turn in turns],
            rewards=[float(turn.reward) for turn in turns],
            finishes=[turn.finish for turn in turns],
            invalid_turns=[turn.invalid for turn in turns],
            final_observation=episode.final_observation,
            episode_return=float(episode.episode_return),
            solved=episode.solved,
            terminated=episode.terminated,
            truncated=episode.truncated,
            metrics=episode.metrics,
            valid=not kind,
            fault=kind,  # type: ignore[arg-type]  # checked where the file is read
            reason=reason,
            attempts=episode.attempts,
        )
        for number, stream in enumerate(streams)
    ]


def write_rollouts(path: Path | str, rows: Iterable[RolloutRow]) -> None:
    """Write rows into a file, which is replaced as a whole: JSON lines or Parquet, by its name.

    Raises:
        SettingsError: The name ends in neither .jsonl nor .parquet.
        MissingDependencyError: Parquet needs pyarrow.
    """
    path = Path(path)
    if path.suffix not in FORMATS:
        raise SettingsError(f"the file is {path.name!r}; its name must end in {' or '.join(FORMATS)}")
    if path.suffix == ".parquet":
        _write_parquet(path, iter(rows))
    else:
        replace_file(path, (json.dumps(row.to_dict(), sort_keys=True).encode() + b"\n" for row in rows))


def read_rollouts(path: Path | str, *, valid: bool = False) -> Iterator[RolloutRow]:
    """Read the rows of a file that `write_rollouts` wrote.

    Args:
        path: JSON lines (also as .gz or .bz2) or Parquet.
        valid: Only rows that may be trained on.

    Raises:
        SettingsError: The file cannot be read, or a row is none; the message has its place.
    """
    for found in read_located(str(path)):
        try:
            row = RolloutRow.from_dict(found.row)
        except ValueError as error:
            raise SettingsError(f"{found.where}: not a row of rollouts: {error}") from error
        if row.valid or not valid:
            yield row


def with_tokens(config: EvalConfig) -> EvalConfig:
    """Return the configuration with an agent that keeps tokens.

    Raises:
        SettingsError: The agent knows none.
    """
    kind = config.agent.partition(":")[0]
    if kind not in AGENTS:
        known = ", ".join(f"{name}:..." for name in AGENTS)
        raise SettingsError(f"agent is {config.agent!r}; for rollouts it must be one that knows tokens: {known}")
    options = {**config.agent_options, **({"tokens": True} if AGENTS[kind] else {})}
    return replace(config, agent_options=options)


def collect_rollouts(folder: Path | str, path: Path | str, *, version: int = 0, keep_cut: bool = False) -> Counter[str]:
    """Write the rollouts in the folder of an evaluation whose agent kept tokens, in the order of its tasks.

    Args:
        folder: The evaluation's.
        path: The file, see `write_rollouts`.
        version: See `rows_of`.
        keep_cut: See `rows_of`.

    Returns:
        How many rollouts there are of each `Fault`.
    """
    counts: Counter[str] = Counter()

    def rows() -> Iterator[RolloutRow]:
        for episode in read_episodes(Path(folder) / "episodes.jsonl"):
            found = rows_of(episode, version=version, keep_cut=keep_cut)
            counts[found[0].fault] += 1
            yield from found

    write_rollouts(path, rows())
    return counts


# ---- inside ----------------------------------------------------------------------------------------------------------

_LISTS = ("ids", "mask", "logps", "turns")
_COLUMNS = {
    "string": "env settings split group task_id agent final_observation metrics fault reason",
    "int64": "seed sample version row num_rows attempts prompt_length",
    "bool": "solved terminated truncated valid",
    "double": "episode_return",
}
_LIST_COLUMNS = {
    "ids": "int32", "mask": "int8", "logps": "double", "turns": "int32", "observations": "string", "actions": "string",
    "rewards": "double", "finishes": "string", "invalid_turns": "bool",
}  # fmt: skip
_MAX_LOGP = 1e-3  # what rounding makes of 0


def _streams(turns: Sequence[Turn]) -> list[dict[str, list[Any]]]:
    """Return the rows of tokens that the turns have read and sampled."""
    streams: list[dict[str, list[Any]]] = []
    for number, turn in enumerate(turns):
        tokens = turn.tokens
        if tokens is None or not tokens.ids or len(tokens.ids) != len(tokens.logps):
            continue
        if tokens.fresh or not streams:
            streams.append({name: [] for name in _LISTS})
        read, sampled = len(tokens.context), len(tokens.ids)
        parts: dict[str, list[Any]] = {
            "ids": [*tokens.context, *tokens.ids],
            "mask": [0] * read + [1] * sampled,
            "logps": [0.0] * read + [*tokens.logps],
            "turns": [-1] * read + [number] * sampled,
        }
        for name, values in parts.items():
            streams[-1][name] += values
    return streams


def _fault(episode: Episode, *, keep_cut: bool) -> str:
    """Return why a rollout is not valid, as a `Fault`, a colon and a sentence; empty if it is valid."""
    if episode.status == "error":
        return f"error: {episode.error}"
    for number, turn in enumerate(episode.turns):
        tokens = turn.tokens
        if tokens is None:
            return f"missing: turn {number} has no tokens; the agent {episode.agent} keeps none"
        if tokens.fault:
            kind, _, sentence = tokens.fault.partition(": ")
            return f"{kind}: turn {number}: {sentence}"
        if not tokens.ids or len(tokens.ids) != len(tokens.logps):
            return f"missing: turn {number}: {len(tokens.ids)} ids and {len(tokens.logps)} log-probabilities"
        if odd := [logp for logp in tokens.logps if not _possible(logp)]:
            return f"missing: turn {number}: {odd[0]!r} is not a log-probability"
        if turn.finish not in WHOLE and not (keep_cut and turn.finish == "length"):
            return f"cut: turn {number} ended after {len(tokens.ids)} tokens by {turn.finish!r}"
    return "" if episode.turns else "missing: there are no turns"


def _wrong(row: RolloutRow) -> str:
    """Return what is wrong with a row that was read, as far as a trainer would stumble over it."""
    lengths = {name: len(getattr(row, name)) for name in _LISTS}
    per_turn = {name: len(getattr(row, name)) for name in ("rewards", "finishes", "invalid_turns", "actions")}
    for found in (lengths, per_turn):
        if len(set(found.values())) > 1:
            return f"its lists differ in length: {', '.join(f'{name} {n}' for name, n in found.items())}"
    if row.fault not in get_args(Fault) or row.valid == bool(row.fault):
        return f"fault is {row.fault!r} and valid is {row.valid}"
    if row.valid and 1 not in row.mask:
        return "it is valid, but none of its tokens was sampled"
    for i, (token, mask, logp, turn) in enumerate(zip(row.ids, row.mask, row.logps, row.turns, strict=True)):
        sampled = mask == 1 and 0 <= turn < len(row.rewards) and _possible(logp)
        if token < 0 or not (sampled or (mask, turn, logp) == (0, -1, 0)):
            return f"token {i} is {token} with mask {mask}, turn {turn}, log-probability {logp}"
    return ""


def _possible(logp: float) -> bool:
    return math.isfinite(logp) and logp <= _MAX_LOGP


def _encodable(values: dict[str, Any]) -> dict[str, Any]:
    """Replace lone surrogates, which JSON can escape and Parquet cannot hold."""
    texts = {name: without_surrogates(value) for name, value in values.items() if isinstance(value, str)}
    lists = {name: [without_surrogates(text) for text in values[name]] for name in ("observations", "actions")}
    return {**values, **texts, **lists}


def _write_parquet(path: Path, rows: Iterator[RolloutRow]) -> None:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingDependencyError.of("pyarrow", "data") from error
    kinds = {name: pyarrow.type_for_alias(kind) for kind, names in _COLUMNS.items() for name in names.split()}
    kinds |= {name: pyarrow.list_(pyarrow.type_for_alias(kind)) for name, kind in _LIST_COLUMNS.items()}
    schema = pyarrow.schema([(name, kinds[name]) for name in (*(f.name for f in fields(RolloutRow)), "prompt_length")])
    new = path.with_name(path.name + ".new")
    with parquet.ParquetWriter(new, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _BATCH)):
            writer.write_table(pyarrow.Table.from_pylist([_encodable(row.to_dict()) for row in batch], schema))
    new.replace(path)
