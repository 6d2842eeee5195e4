"""``turnwise depth``: what shortcuts and scripted skills solve at each level, and how tasks read."""

# ruff: noqa: T201  (command-line output)

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from turnwise.audit.depth import Depth, Solved, measure_depth
from turnwise.audit.texts import Reading, read_tasks
from turnwise.cli.environments import chosen, ids_of
from turnwise.cli.flags import EnvModules, parse, positionals
from turnwise.core.errors import SettingsError
from turnwise.core.registration import import_envs, parse_spec
from turnwise.core.settings import Range, check_all
from turnwise.report.tables import between_marks, interval, markdown_table, percent

__all__ = ["DepthOptions", "depth_command"]

_ENVS = "Environments, families (games) or all, each with settings of its own if need be: Sql:split=test."


@dataclass(frozen=True)
class DepthOptions:
    """Measure how deep tasks are: what shortcuts earn and how scripted skills fall with the level, or how tasks read.

    A bound that is missed is marked with an exclamation mark; docs/depth.md has the bounds and how to add agents.
    """

    envs: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV...", help=_ENVS)]
    levels: tuple[int, ...] = (1, 5, 10)
    """Difficulty levels."""
    num_tasks: Annotated[int | None, Range(1)] = None
    """Tasks a level; 100, or 1,000 with --texts."""
    seed: int = 0
    """Selects the tasks."""
    texts: bool = False
    """Read the tasks instead: tics of language, how much they differ, which of the test split are in the training
    split."""
    strict: bool = False
    """Exit with status 1 if a bound is missed."""
    env_module: EnvModules = ()
    out: Path | None = None
    """File for the tables: JSON if it ends in .json; else Markdown, in which the table of an environment replaces the
    one between its marks, or is appended with marks."""

    def __post_init__(self) -> None:
        check_all(self)


def depth_command(args: Sequence[str]) -> int:
    """Measure how deep tasks are."""
    words = positionals(args, DepthOptions)
    options = parse("depth", DepthOptions, args).options
    for module in options.env_module:
        import_envs(module)
    if not words:
        raise SettingsError("ENV: name at least one environment, a family or all; `turnwise list` shows them")
    for word in words:
        ids_of(word)
    found: list[Depth | Reading] = []
    for spec in chosen(words):
        env, settings = parse_spec(spec)
        if options.texts:
            found += read_tasks(env, settings, options.levels, options.num_tasks or 1000, options.seed, _tell)
        else:
            depth = measure_depth(env, settings, options.levels, options.num_tasks or 100, options.seed, _tell)
            print(f"{_table(depth)}\n", flush=True)
            found.append(depth)
    _tell("")
    tables = {_short(each.env): _table(each) for each in found if isinstance(each, Depth)}
    readings = [each for each in found if isinstance(each, Reading)]
    if readings:
        tables["texts"] = _reading_table(readings)
        print("\n".join([tables["texts"], *_places(readings)]))
    if options.out is not None:
        _write(options.out, tables, found)
    why = [line for each in found for line in _why(each)]
    for line in why:
        print(f"turnwise: {line}", file=sys.stderr)
    return int(options.strict and bool(why))


def _tell(what: str) -> None:
    """Say on a terminal what is done next."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{what}")
        sys.stderr.flush()


def _short(env: str) -> str:
    return env.removeprefix("turnwise/").removesuffix("-v0")


# ---- tables ----------------------------------------------------------------------------------------------------------


def _table(found: Depth) -> str:
    """Write an environment's table: a row for each agent and a column for each level."""
    missed = found.missed()
    rows = [_best(found)]
    for kind in ("shortcut", "skill"):
        for agent, row in found.of(kind).items():
            rows.append((f"{kind}: {agent}", *(_cell(each, (agent, each.level) in missed) for each in row)))
    steps, facts = zip(*found.extents.values(), strict=True)
    rows.append(("steps of a solution (median)", *(f"{value:g}" for value in steps)))
    rows.append(("facts it needs (median)", *("" if value is None else f"{value:g}" for value in facts)))
    title = _short(found.env) + ("" if found.own else " (no agents of its own)")
    levels = ["defaults" if level is None else f"level {level}" for level in found.levels]
    return markdown_table((title, *levels), rows)


def _best(found: Depth) -> tuple[str, ...]:
    columns = zip(*found.of("shortcut").values(), strict=True)
    best = [max(column, key=lambda each: each.rate) for column in columns]
    return ("best shortcut", *(f"{percent(each.rate)} ({each.agent})" if each.solved else "0.0 %" for each in best))


def _cell(each: Solved, missed: bool) -> str:
    return f"{percent(each.rate)} ({interval(each.ci95)}){' !' if missed else ''}"


def _reading_table(found: Sequence[Reading]) -> str:
    header = ("environment", "level", "tasks", "read differently", "templates per 1,000", "distinct pairs", "triples",
              "test in train", "tasks with tics")  # fmt: skip
    rows = []
    for each in found:
        of, missed = each.diversity, each.missed()
        level = "defaults" if each.level is None else str(each.level)
        mark = {name: " !" if name in missed else "" for name in ("different", "leaked", "tics")}
        rows.append((
            _short(each.env), level, str(of.texts), percent(of.different) + mark["different"], f"{of.templates:.0f}",
            percent(of.bigrams), percent(of.trigrams), f"{each.leaked} of {each.tests}{mark['leaked']}",
            percent(each.with_tics / max(1, of.texts)) + mark["tics"],
        ))  # fmt: skip
    return markdown_table(header, rows)


def _places(found: Sequence[Reading]) -> Iterator[str]:
    """Yield where the tics are: the commonest of each rule."""
    for each in found:
        for rule, (count, seed, excerpt) in each.tics.items():
            yield f"\n{_short(each.env)}, level {each.level}: {rule}, {count} times; seed {seed}: ...{excerpt}..."


def _why(found: Depth | Reading) -> Iterator[str]:
    if isinstance(found, Reading):
        for why in found.missed().values():
            yield f"{_short(found.env)}, level {found.level}: {why}"
        return
    for (agent, level), why in found.missed().items():
        yield f"{_short(found.env)}, level {level}, {agent}: {why}"


# ---- the file --------------------------------------------------------------------------------------------------------


def _write(path: Path, tables: dict[str, str], found: Sequence[Depth | Reading]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps([_plain(each) for each in found], indent=2) + "\n", encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for name, table in tables.items():
        begin, end = f"<!-- depth {name}: begin -->", f"<!-- depth {name}: end -->"
        text = between_marks(text, begin, end, table) or f"{text}{begin}\n{table}\n{end}\n\n"
    path.write_text(text, encoding="utf-8")


def _plain(found: Depth | Reading) -> dict[str, Any]:
    """Return a result as plain values, without keys that JSON cannot have."""
    values: dict[str, Any] = dataclasses.asdict(found)
    if isinstance(found, Depth):
        values["extents"] = [[level, *extent] for level, extent in found.extents.items()]
    return {**values, "missed": sorted(set(_why(found)))}
