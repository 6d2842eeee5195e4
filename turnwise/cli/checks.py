"""The commands ``turnwise audit`` and ``turnwise reverify``."""

# ruff: noqa: T201  (command-line output)

import contextlib
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional, arg

from turnwise.audit.levels import chance_line, measure_levels
from turnwise.audit.result import AuditResult, markdown_rows, to_json, to_text
from turnwise.audit.reverify import FLIPS, report, reverify, write
from turnwise.audit.run import audit
from turnwise.cli import play as cli_play
from turnwise.cli.environments import chosen, env_and_settings, ids_of, levelled, playable, with_settings
from turnwise.cli.flags import EnvModules, parse, positionals
from turnwise.core.errors import SettingsError
from turnwise.core.registration import NAMESPACE, env_ids, expand, import_envs, parse_spec
from turnwise.report.tables import between_marks, markdown_table

__all__ = ["audit_command", "reverify_command"]

BEGIN, END = "<!-- audit table: begin -->", "<!-- audit table: end -->"
"""Markers in a Markdown file between which the table is placed; a file without them is overwritten."""


@dataclass(frozen=True)
class Audit:
    """Look for right answers that are refused and wrong ones that are paid; exit with status 1 if there are any."""

    env: Annotated[
        Positional[str], arg(metavar="ENV", help="Environment, as shown by `turnwise list`; or a family, or all.")
    ]
    num_tasks: int = 50
    """Tasks that each agent plays; the right answers of the first twenty are also rewritten and corrupted."""
    seed: int = 0
    """Selects the tasks."""
    json: Path | None = None
    """File for the full report as JSON."""
    markdown: Path | None = None
    """File for the table of environments; if it has markers, only the table between them is replaced."""
    levels: bool = False
    """Instead measure the random agent's solve rate at the defaults and every difficulty level, to put in the class."""
    episodes: int = 1000
    """Episodes per level."""


@dataclass(frozen=True)
class Reverify:
    """Judge stored episodes again with the current verifiers and show what flipped; exit status 1 if anything did."""

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="DIR...", help="Folders of `turnwise eval`.")]
    env: str = ""
    """Only this environment, with these settings if there are any; file.py:Name-v0 imports the file first."""
    env_module: EnvModules = ()
    write: Path | None = None
    """New folder for the episodes as judged now; with several folders, one subfolder for each."""


def audit_command(args: Sequence[str]) -> int:
    """Look for right answers that are refused and wrong ones that are paid."""
    words = positionals(args, with_settings(Audit), ids_of)[:1]
    if words and expand(words[0]) != words:
        options, cases = _several(words[0], args)
    else:
        options, name, settings = env_and_settings("audit", Audit, args)
        cases = [(name, settings)]
    if options.levels:
        return _levels(*cases[0], options)
    results: list[AuditResult] = []
    for name, settings in cases:
        with _status(f"auditing {name}") as tell:
            result = audit(name, settings, options.num_tasks, options.seed, tell)
        results.append(result)
        if len(cases) == 1 or not result.ok:
            print(to_text(result) + _transcripts(result) + "\n" * (len(cases) > 1), flush=True)
    if len(cases) > 1:
        print(markdown_table(*markdown_rows(results)))
        print(f"\n{sum(len(r.findings) for r in results)} findings in {len(results)} environments")
    if options.json is not None:
        options.json.write_text(to_json(results), encoding="utf-8")
    if options.markdown is not None:
        _put_table(options.markdown, markdown_table(*markdown_rows(results)))
    return 0 if all(result.ok for result in results) else 1


def _several(word: str, args: Sequence[str]) -> tuple[Any, list[tuple[str, dict[str, Any]]]]:
    """Parse options and the environments of a family or of all (including data sets), with their settings."""
    ours = f"{NAMESPACE}/"  # a table whose seats are all the agent's is no task
    names = [i for i in env_ids(ours) if playable(i)] if word == "all" else chosen([word])
    options, settings, _ = parse(f"audit {word}", with_settings(Audit), args, [parse_spec(name)[0] for name in names])
    if options.levels:
        raise SettingsError(f"levels are measured for one environment at a time; name it instead of {word!r}")
    common = {**options.settings, **settings}
    specs = [parse_spec(name) for name in names]
    if common.get("difficulty") is not None:
        specs = [parse_spec(spec) for spec in levelled(specs)]
    return options, [(env_id, {**common, **own}) for env_id, own in specs]


def _transcripts(result: AuditResult) -> str:
    """Print the full episodes of findings whose example has several turns."""
    parts = [
        f"\n\n{finding.kind.upper()}: {finding.name}, the whole episode:\n\n"
        + textwrap.indent(cli_play.transcript(finding.example.episode), "    ")
        for finding in result.findings
        if finding.example.episode is not None
    ]
    return "".join(parts[:3])


def _put_table(path: Path, table: str) -> None:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(between_marks(text, BEGIN, END, table) or table + "\n", encoding="utf-8")


def _levels(name: str, settings: dict[str, object], options: Audit) -> int:
    levels = []
    for level in measure_levels(name, settings, options.episodes, options.seed):
        recorded = "none" if level.recorded is None else f"{level.recorded:.3g}"
        share = f"{level.solved}/{level.episodes} = {level.rate:.2g}"
        name_of = "defaults" if level.level is None else f"level {level.level:2}"
        print(f"{name_of}: {share}, recorded {recorded}{'' if level.ok else '  DIFFERS'}")
        levels.append(level)
    print(f"\n{chance_line(levels)}")
    return 0 if all(level.ok for level in levels) else 1


@contextlib.contextmanager
def _status(title: str) -> Iterator[Callable[[str], None]]:
    """Show a line on a terminal that says what is being done; show nothing elsewhere."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status(title) as status:
        yield lambda text: status.update(f"{title}: {escape(text[:60])}")


def reverify_command(args: Sequence[str]) -> int:
    """Judge stored episodes again with the current verifiers and show what flipped."""
    options = parse("reverify", Reverify, args).options
    if not options.folders:
        raise SettingsError("name at least one folder of `turnwise eval`")
    for module in options.env_module:
        import_envs(module)
    env, settings = parse_spec(options.env) if options.env else ("", {})
    flipped = lost = 0
    for folder in options.folders:
        found = list(reverify(folder, env, settings))
        print(f"{folder}: {len(found)} episodes\n{report(found)}")
        flipped += sum(item.change in FLIPS for item in found)
        lost += sum(item.change == "not playable" for item in found)
        if options.write is not None:
            out = options.write if len(options.folders) == 1 else options.write / folder.name
            print(f"wrote {write(found, folder, out)} episodes to {out}", file=sys.stderr)
    print((f"{flipped} episodes flipped" if flipped else "no episode flipped") + f", {lost} not playable" * bool(lost))
    return 1 if flipped else 0
