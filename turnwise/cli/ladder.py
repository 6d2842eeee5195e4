"""``turnwise ladder`` and ``calibrate``: levels that an agent solves half of the time, and how hard levels are."""

# ruff: noqa: T201  (command-line output)

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.agents.make import KINDS
from turnwise.cli.environments import chosen
from turnwise.cli.flags import parse, positionals
from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.core.registration import env_class, expand, parse_spec, written
from turnwise.evaluation.ladder.calibrate import calibrated, scale_of
from turnwise.evaluation.ladder.climb import Climb, Ladder, LadderConfig, climb
from turnwise.evaluation.ladder.model import Located
from turnwise.evaluation.ladder.results import read_results
from turnwise.evaluation.ladder.scale import NOT_CALIBRATED, Scale, write_scale
from turnwise.report.tables import markdown_table

__all__ = ["calibrate_command", "ladder_command"]

_ENVS = "Environments with levels, families (games) or all, each with settings of its own if need be."
_MISFIT = 0.02
_FEW_AGENTS = 4
_BY_LEVEL = ("graded:", "oracle", "random")


@dataclass(frozen=True, kw_only=True)
class Climbing(LadderConfig):
    """Find the level of each environment that an agent solves half of the time.

    After every batch the ladder plays the level that says most about the agent's ability; docs/ladder.md has the model
    and its assumptions. Exits with 1 if no episode could be scored.
    """

    envs: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV...", help=_ENVS)]
    agent: Annotated[str, arg(help=f"Who plays: {', '.join(KINDS)}.")] = "oracle"
    json: Path | None = None
    """A file for the result as JSON; in --out it is ladder.json."""


@dataclass(frozen=True)
class Calibrate:
    """Fit a scale: how hard each level of each environment is, from what agents solved in evaluations and ladders.

    docs/ladder.md has the model and what a scale can say. Without a run the scale has the levels' numbers.
    """

    runs: Annotated[Positional[tuple[Path, ...]], arg(metavar="RUN...", help="Folders of `eval` and `ladder`.")] = ()
    out: Path = Path("scale.json")
    """The scale's file, for `turnwise ladder --scale`."""
    title: str = ""
    """A line about it, for the file."""


def calibrate_command(args: Sequence[str]) -> int:
    """Fit the difficulties of levels and the abilities of agents on one scale."""
    options = parse("calibrate", Calibrate, args).options
    if not options.runs:
        write_scale(options.out, Scale(title=options.title or NOT_CALIBRATED))
        _say(f"wrote {options.out}, a scale of level numbers: no run was named")
        return 0
    rows = read_results(options.runs, _measuring, _say)
    if not rows:
        raise SettingsError("RUN: none of the runs has a scored episode at a difficulty level of the test split")
    fit = calibrated(rows, {row.env: len(env_class(parse_spec(row.env)[0]).levels) for row in rows})
    scale = scale_of(fit, rows, options.title)
    write_scale(options.out, scale)
    print(_calibration(scale))
    for line in _doubts(scale):
        _say(line)
    _say(f"wrote {options.out}, scale {scale.hash}")
    return 0


def _calibration(scale: Scale) -> str:
    """What was found, as tables and lines."""
    agents = [
        (name, _between(found["ability"], found["ci95"]), str(found["tasks"]), f"{found['fit']:.2f}")
        for name, found in scale.sources["agents"].items()
    ]
    fits = scale.sources["environment_fit"]
    envs = [
        (env.removeprefix("turnwise/").replace("-v0", "", 1), str(place.agents), str(place.episodes),
         *(f"{place.difficulty[i]:.1f}" for i in (0, (len(place.difficulty) - 1) // 2, -1)),
         f"{place.offset_se:.1f}", f"{place.slope:.2f}", f"{fits[env]:.2f}")
        for env, place in scale.environments.items()
    ]  # fmt: skip
    header = ("environment", "agents", "tasks", "first level", "middle", "top", "error", "slope", "fit p")
    lines = [f"spread of an agent's abilities among environments: {scale.spread:.2f}"]
    for what, found in scale.sources["separation"].items():
        if found:
            lines.append(f"{what}: reliability {found[0]:.2f}, {found[1]:.1f} groups can be distinguished")
    tables = (markdown_table(("agent", "ability", "tasks", "fit p"), agents), markdown_table(header, envs))
    return "\n\n".join([*tables, "\n".join(lines)])


def _doubts(scale: Scale) -> Iterator[str]:
    """Return what stands in the way of trusting a scale."""
    agents = scale.sources["agents"]
    if scripted := [name for name in agents if name.startswith(_BY_LEVEL)]:
        yield (
            f"{', '.join(scripted)}: what scripted agents solve says nothing about how hard tasks are for models "
            "(graded agents go by the level's number); leave them out of a scale that is meant for models"
        )
    if len(agents) < _FEW_AGENTS:
        yield (
            f"{len(agents)} agents: an environment that is hard and an agent that is weak in it look the same; the "
            "differences among environments rest on the model's prior"
        )
    fits = {**scale.sources["environment_fit"], **{name: found["fit"] for name, found in agents.items()}}
    if bad := [name for name, p in fits.items() if p < _MISFIT]:
        yield f"{', '.join(bad)}: the results do not fit the model (p below {_MISFIT}); do not trust these numbers"


def _between(value: float, ends: Sequence[float]) -> str:
    return f"{value:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"


def ladder_command(args: Sequence[str]) -> int:
    """Locate an agent on the levels of environments."""
    words = positionals(args, Climbing, lambda word: [parse_spec(spec)[0] for spec in expand(word)])
    if not words and not {"-h", "--help"} & set(args):
        raise SettingsError("ENV: name at least one environment, a family or all; `turnwise list` shows them")
    named = words if {"-h", "--help"} & set(args) else list(dict.fromkeys(_with_levels(words)))
    options = parse("ladder", Climbing, args, words=named).options
    config = LadderConfig(**{f.name: getattr(options, f.name) for f in dataclasses.fields(LadderConfig)})
    found = climb(config, None, _tell, _measuring, _say)
    print(_markdown(found))
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        replace_file(options.json, [found.to_json().encode()])
    for line in _remarks(found, config):
        _say(line)
    return 0 if any(each.episodes for each in found.climbs) else 1


def _with_levels(words: Sequence[str]) -> Iterator[str]:
    """Yield the environments named; those of families without levels are left out, with a line that says so."""
    for word in words:
        for spec in chosen([word]):
            env_id, settings = parse_spec(spec)
            if env_class(env_id).levels or expand(word) == [word]:
                yield written(env_id, settings)
            else:
                _say(f"left out {env_id}: it has no difficulty levels")


def _say(text: str) -> None:
    print(f"turnwise: {text}", file=sys.stderr)


def _tell(env: str, episodes: int, found: Located) -> None:
    low, high = found.ci95
    _say(f"{env}: {episodes} episodes, level {found.ability:.1f} ({low:.1f} to {high:.1f})")


def _measuring(env: str, done: int, total: int) -> None:
    if not done:
        _say(f"measuring chance in {env}: {total} episodes of the random agent")


def _markdown(found: Ladder) -> str:
    rows = [
        (_short(each), each.says(), str(each.episodes), _played(each), f"{each.misfit:.2f}") for each in found.climbs
    ]
    table = markdown_table(("environment", "result", "episodes", "solved of played by level", "fit p"), rows)
    parts = [found.agent, table]
    parts.append("\n".join(_overall(found)))
    return "\n\n".join(parts)


def _overall(found: Ladder) -> Iterator[str]:
    """Return the ability over all environments, in words."""
    of = found.ability
    number, (name, digest) = len(found.climbs), found.scale
    said = f"{number} environment{'s' * (number > 1)}: {_open(of.value, of.ends)}"
    yield f"ability over {said} on the scale {name} ({digest})"
    beyond = [f"{count} {words}" for count, words in ((of.above, "above the top level"), (of.below, "below the first"))
              if count]  # fmt: skip
    if beyond:
        yield f"beyond the levels: {' and '.join(beyond)}, of {number}"
    if number > 1:
        yield f"expected in another environment: {_open(of.elsewhere.value, of.elsewhere_ends)}"


def _open(value: float, ends: tuple[float | None, float | None]) -> str:
    """An interval of which either end may be open."""
    low, high = ends
    if low is None and high is None:
        return "not located"
    if high is None:
        return f"at least {low:.2f}"
    return f"at most {high:.2f}" if low is None else _between(value, (low, high))


def _short(found: Climb) -> str:
    return found.env.removeprefix("turnwise/").replace("-v0", "", 1)


def _played(found: Climb) -> str:
    return " ".join(f"{step.level}:{step.solved}/{step.played}" for step in found.levels)


def _remarks(found: Ladder, config: LadderConfig) -> Iterator[str]:
    """Return remarks that accompany the table."""
    for each in found.climbs:
        if each.failed:
            again = "; the same command plays them again" if config.out is not None else ""
            yield f"{_short(each)}: {each.failed} episodes failed and are not scored{again}"
        if each.why == "episodes":
            yield (
                f"{_short(each)}: stopped at --max-episodes with an interval {each.located.width:.1f} levels wide; "
                f"--width asks for {config.width:g}"
            )
        if each.misfit < _MISFIT:
            yield (
                f"{_short(each)}: the results do not fit a curve that falls with the level (p = {each.misfit:.3f}); "
                "do not trust its interval"
            )
    if config.out is not None:
        yield f"every episode is in {config.out}; the result is {Path(config.out) / 'ladder.json'}"
