"""Evaluations as Parquet: a table of episodes and one of turns, for pandas, Polars, DuckDB and the like."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.episode import Episode, Turn, read_episodes
from turnwise.core.errors import MissingDependencyError, SettingsError

__all__ = ["EPISODES", "TURNS", "write_parquet"]

EPISODES: Mapping[str, str] = {
    "run": "string", "agent": "string", "env": "string", "settings": "string", "level": "int64", "seed": "int64",
    "sample": "int64", "task_id": "string", "status": "string", "error": "string", "solved": "bool",
    "episode_return": "float64", "terminated": "bool", "truncated": "bool", "num_turns": "int64", "invalid": "int64",
    "prompt_tokens": "int64", "completion_tokens": "int64", "latency_s": "float64", "attempts": "int64",
    "metrics": "string", "final_observation": "string",
}  # fmt: skip
"""Columns of ``episodes.parquet`` and their types; ``settings`` and ``metrics`` are JSON."""

TURNS: Mapping[str, str] = {
    "run": "string", "env": "string", "settings": "string", "seed": "int64", "sample": "int64", "turn": "int64",
    "observation": "string", "action": "string", "reasoning": "string", "reward": "float64", "invalid": "bool",
    "finish": "string", "prompt_tokens": "int64", "completion_tokens": "int64", "internal": "bool", "served": "string",
    "tokens": "string",
}  # fmt: skip
"""Columns of ``turns.parquet`` and their types; ``served`` and ``tokens`` are JSON, null where there are none."""

BATCH = 1000  # episodes in memory at a time
Row = dict[str, Any]


def write_parquet(runs: Sequence[Path], out: Path) -> list[Path]:
    """Write the episodes of evaluations, a row for each, and their turns.

    Args:
        runs: Folders of ``turnwise eval``; the column ``run`` has their names.
        out: Folder for ``episodes.parquet`` and ``turns.parquet``; made if it does not exist.

    Raises:
        SettingsError: A folder has no episodes, or two have the same name.
        MissingDependencyError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError.of("pyarrow", "data") from error
    names = [run.resolve().name for run in runs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SettingsError(f"two folders are named {twice[0]!r}; the column `run` could not tell them apart")
    if empty := [str(run) for run in runs if not (run / "episodes.jsonl").is_file()]:
        raise SettingsError(f"{empty[0]} is not the folder of an evaluation: it has no episodes.jsonl")
    out.mkdir(parents=True, exist_ok=True)
    tables: tuple[tuple[str, Mapping[str, str], Callable[[str, Episode], Iterator[Row]]], ...] = (
        ("episodes", EPISODES, _episode_rows),
        ("turns", TURNS, _turn_rows),
    )
    paths = [out / f"{name}.parquet" for name, _, _ in tables]
    for path, (_, columns, rows_of) in zip(paths, tables, strict=True):
        schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])
        with pq.ParquetWriter(path, schema) as writer:
            for rows in _batches(row for name, run in zip(names, runs, strict=True) for row in _of(run, name, rows_of)):
                writer.write_table(pa.Table.from_pylist(rows, schema))
    return paths


def _of(run: Path, name: str, rows_of: Callable[[str, Episode], Iterator[Row]]) -> Iterator[Row]:
    """The rows of a run; of episodes that were played again, the last record counts."""
    path = run / "episodes.jsonl"
    last = {episode.job.name: number for number, episode in enumerate(read_episodes(path))}
    for number, episode in enumerate(read_episodes(path)):
        if last[episode.job.name] == number:
            yield from rows_of(name, episode)


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _episode_rows(run: str, e: Episode) -> Iterator[Row]:
    played = [turn for turn in e.turns if not turn.internal]
    seconds = [turn.served["latency_s"] for turn in e.turns if turn.served and "latency_s" in turn.served]
    level = e.settings.get("difficulty")
    yield {
        **_key(run, e),
        "agent": _text(e.agent),
        "level": level if isinstance(level, int) else None,
        "task_id": e.task_id,
        "status": e.status,
        "error": _text(e.error),
        "solved": e.solved,
        "episode_return": e.episode_return,
        "terminated": e.terminated,
        "truncated": e.truncated,
        "num_turns": len(played),
        "invalid": sum(turn.invalid for turn in played),
        "prompt_tokens": sum(turn.prompt_tokens for turn in e.turns),
        "completion_tokens": sum(turn.completion_tokens for turn in e.turns),
        "latency_s": float(sum(seconds)) if seconds else None,
        "attempts": e.attempts,
        "metrics": json.dumps(e.metrics, sort_keys=True),
        "final_observation": _text(e.final_observation),
    }


def _turn_rows(run: str, e: Episode) -> Iterator[Row]:
    for number, turn in enumerate(e.turns):
        texts = {name: _text(getattr(turn, name)) for name in ("observation", "action", "reasoning", "finish")}
        same = ("reward", "invalid", "prompt_tokens", "completion_tokens", "internal")
        yield {**_key(run, e), "turn": number, **texts, **{name: getattr(turn, name) for name in same}, **_more(turn)}


def _more(turn: Turn) -> Row:
    return {
        "served": None if turn.served is None else json.dumps(dict(turn.served), sort_keys=True),
        "tokens": None if turn.tokens is None else json.dumps(turn.tokens.to_dict()),
    }


def _key(run: str, e: Episode) -> Row:
    """What the two tables are joined by."""
    settings = json.dumps(e.settings, sort_keys=True)
    return {"run": run, "env": e.env, "settings": settings, "seed": e.seed, "sample": e.sample}


def _text(text: str | None) -> str | None:
    """Write lone surrogates, which Parquet cannot hold, as escapes."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()
