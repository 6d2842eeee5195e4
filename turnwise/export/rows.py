"""Rows of a data set that any trainer reads: one a task, with its seed; as JSONL, Parquet, or a data set of a hub."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.env import Split
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.core.registration import full_id, make, parse_spec
from turnwise.export.openenv import card_files, filled, write_files
from turnwise.serve.cards import card
from turnwise.serve.run import ServeConfig, served_envs
from turnwise.session.rows import rows

__all__ = ["SUFFIXES", "write_rows"]

SUFFIXES = (".jsonl", ".parquet")
SPLITS: tuple[Split, ...] = ("train", "test")


def write_rows(specs: Sequence[str], out: Path, num_tasks: int, split: Split = "train", start: int = 0) -> Path:
    """Write the tasks of environments with the columns ``env, settings, split, index, seed``.

    Args:
        specs: Environments, each with settings behind a colon if need be.
        out: The file, ``.jsonl`` or ``.parquet``; without an ending a folder for the Hugging Face Hub, with both
            splits, the environments' cards and a page that is tagged ``rl-environment``.
        num_tasks: Rows of each environment.
        split: "train" or "test"; a folder has both.
        start: Index of the first row of each.

    Raises:
        SettingsError: There is no such environment, setting or form of file.
        MissingDependencyError: pyarrow is not installed, which Parquet needs.
    """
    if not out.suffix:
        return _folder(specs, out, num_tasks, start)
    if out.suffix not in SUFFIXES:
        raise SettingsError(f"OUT is {str(out)!r}; its name must end with {' or '.join(SUFFIXES)}, or be a folder's")
    found: list[dict[str, Any]] = []
    for spec in specs:
        env, settings = parse_spec(spec)
        make(env, **settings).close()  # a wrong setting is found now, not by the trainer
        found += rows(full_id(env), num_tasks, split=split, settings=settings, start=start)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".jsonl":
        out.write_text("".join(json.dumps(row) + "\n" for row in found), encoding="utf-8")
        return out
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingDependencyError.of("pyarrow", "data") from error
    types = {"index": pa.int64(), "seed": pa.int64()}
    columns = ("env", "settings", "split", "index", "seed")
    pq.write_table(pa.Table.from_pylist(found, pa.schema([(c, types.get(c, pa.string())) for c in columns])), out)
    return out


def _folder(specs: Sequence[str], out: Path, num_tasks: int, start: int) -> Path:
    envs = served_envs(ServeConfig(specs))
    files, lines = card_files({env.name: card(env, turnwise.__version__) for env in envs})
    write_files(out, {"README.md": filled("dataset", cards=lines), **files})
    for split in SPLITS:
        write_rows(specs, out / "data" / f"{split}.jsonl", num_tasks, split, start)
    return out
