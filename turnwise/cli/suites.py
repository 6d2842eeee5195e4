"""``turnwise suites``, ``turnwise eval suite:NAME`` and ``turnwise leaderboard``."""

# ruff: noqa: T201  (command-line output)

import dataclasses
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional, arg

from turnwise.cli.flags import parse
from turnwise.core.errors import SettingsError
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.fingerprints import fingerprint, write_fingerprints
from turnwise.evaluation.suite import PREFIX, Suite, built_in_suites, load_suite

__all__ = ["check_seed", "leaderboard_command", "names_suite", "suite_config", "suites_command"]


@dataclass(frozen=True)
class Suites:
    """List the suites; show one, check its environments, record them after they changed, or play the references."""

    do: Annotated[
        Positional[Literal["list", "show", "check", "record", "references"]],
        arg(
            help="list (default): all that come with turnwise; show: a suite's file; check, record: its environments; "
            "references: play the scripted agents whose rows every leaderboard has, and write the rows."
        ),
    ] = "list"
    names: Annotated[
        Positional[tuple[str, ...]], arg(metavar="SUITE...", help="Names of suites, or files; none: all.")
    ] = ()
    runs: Path | None = None
    """Folder where references keeps its evaluations, so that it continues after an interruption."""


def names_suite(args: Sequence[str]) -> bool:
    """Return whether the arguments of ``turnwise eval`` name a suite."""
    return any(word.startswith(PREFIX) for word in args)


def suite_config(options: type[Any], args: Sequence[str]) -> tuple[EvalConfig, Any]:
    """Build the evaluation of a suite from the flags of ``turnwise eval``; return it with all options."""
    unchecked = {"__post_init__": lambda self: None, "__doc__": options.__doc__}  # a suite is not an environment
    found = parse("eval suite:NAME", type(options.__name__, (options,), unchecked), args)
    words = found.options.envs
    if len(words) != 1:
        raise SettingsError(f"{' '.join(words[:4])}: a suite is evaluated by itself, and alone")
    check_seed(found.given)
    suite = load_suite(words[0])
    names = {f.name for f in dataclasses.fields(EvalConfig)} - {"envs", "agent"}
    values = {flag: getattr(found.options, flag) for flag in found.given if flag in names}
    print(f"turnwise: {suite.name}: {suite.num_episodes} episodes in {len(suite.cells)} levels; checking that its "
          "environments are those it was made for", file=sys.stderr)  # fmt: skip
    return suite.config(found.options.agent, **values), found.options


def check_seed(given: Collection[str]) -> None:
    """Raise `SettingsError` if the flags have a seed and ask for a fresh one."""
    if {"seed", "fresh"} <= set(given):
        raise SettingsError("--seed and --fresh are both given; --fresh draws a seed")


def suites_command(args: Sequence[str]) -> int:
    """List the suites, show one, or check and record what their environments are."""
    options = parse("suites", Suites, args).options
    suites = [load_suite(name) for name in options.names or built_in_suites()]
    if options.do == "list":
        for suite in suites:
            domains = ", ".join(domain.name for domain in suite.domains)
            print(f"{suite.name}\t{suite.num_episodes} episodes\t{domains}\t{suite.title}\t{suite.hash}")
        return 0
    if options.do == "show":
        if len(suites) != 1:
            raise SettingsError("show: name one suite")
        assert suites[0].path is not None
        print(suites[0].path.read_text(encoding="utf-8"), end="")
        return 0
    if options.do == "references":
        return _references(suites, options.runs)
    return max([_check(suite) if options.do == "check" else _record(suite) for suite in suites])


def _references(suites: Sequence[Suite], runs: Path | None) -> int:
    from turnwise.report.boards import record_references

    with tempfile.TemporaryDirectory() as temporary:
        for suite in suites:
            print(f"wrote {record_references(suite, runs or Path(temporary))}")
    return 0


def _check(suite: Suite) -> int:
    try:
        suite.check()
    except SettingsError as error:
        print(f"turnwise: {error}", file=sys.stderr)
        return 1
    known = "as recorded" if suite.recorded is not None else "not recorded yet"
    print(f"{suite.name}: its {len(suite.cells)} levels are {known}")
    return 0


def _record(suite: Suite) -> int:
    assert suite.path is not None
    now = fingerprint([cell.spec for cell in suite.cells], suite.split)
    if empty := [spec for spec, cell in now.cells.items() if not cell["moves"]]:
        print(f"turnwise: {', '.join(empty)}: recorded without moves, which need a sandbox", file=sys.stderr)
    print(f"wrote {write_fingerprints(suite.path, now)}")
    return 0


# ---- leaderboards ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaderboard:
    """Write a static leaderboard site of all runs of suites in a folder: a table for each suite, sortable, one page."""

    results: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="RESULTS...", help="Folders with runs of suites, at any depth.")
    ]
    out: Path | None = None
    """Folder of the site."""
    title: str = "Leaderboard"
    """Its heading."""
    reports: bool = True
    """Copy and link each run's report.html, where there is one. The files are copied as they are: publish only those
    of runs that you trust."""
    references: bool = True
    """Add the rows of the scripted agents (random, graded, oracle) that come with turnwise."""


def leaderboard_command(args: Sequence[str]) -> int:
    """Write a static leaderboard site from a folder of results."""
    options = parse("leaderboard", Leaderboard, args).options
    if not options.results:
        raise SettingsError("RESULTS: name at least one folder with runs of suites")
    if options.out is None:
        raise SettingsError("--out: name the folder of the site")
    from turnwise.report.leaderboard import write_leaderboard

    how = {name: getattr(options, name) for name in ("title", "reports", "references")}
    path, left_out = write_leaderboard(options.results, options.out, **how)
    for run, why in left_out.items():
        print(f"turnwise: {run} is left out: {why}", file=sys.stderr)
    print(path)
    return 0
