"""``turnwise list``, and how the other commands read their environments and settings."""

# ruff: noqa: T201  (command-line output)

import inspect
import itertools
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import gymnasium
from tyro.conf import Positional, arg

from turnwise.agents.folder import run_settings, trained_envs
from turnwise.cli.flags import parse, positionals
from turnwise.cli.words import PAIR, renamed
from turnwise.core.env import Env
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.core.registration import (
    env_class,
    env_ids,
    expand,
    family,
    fault,
    full_id,
    matching,
    parse_spec,
    split_settings,
    summary,
    unreadable,
    written,
)
from turnwise.core.settings import named_settings

if TYPE_CHECKING:
    from turnwise.evaluation.config import EvalConfig

__all__ = [
    "ENV",
    "EVAL_ENVS",
    "List",
    "chosen",
    "env_and_settings",
    "eval_config",
    "first_line",
    "ids_of",
    "levelled",
    "list_command",
    "playable",
    "with_settings",
]

ENV = arg(
    metavar="ENV",
    help="Environment: an id as `turnwise list` shows it, with or without turnwise/ and -v0. A module or file may "
    "stand before it (my_file.py:Nim-v0), settings behind it (Countdown:num_numbers=5,max_number=9).",
)
EVAL_ENVS = (
    "Environments, families (games) or all, each with settings of its own if need be: Countdown:num_numbers=5. One "
    "without levels is played at its defaults when others are played at a --difficulty. Or a suite: suite:quick-1; "
    "`turnwise suites` lists them."
)


@dataclass(frozen=True)
class List:
    """Show the environments: id, family, description; those that match a PATTERN with their turns and settings."""

    patterns: Annotated[
        Positional[tuple[str, ...]],
        arg(metavar="PATTERN...", help="Only families and ids that contain this, or else whose description does."),
    ] = ()


def first_line(thing: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").split("\n")[0].replace("``", "")


def env_and_settings(command: str, options: type[Any], args: Sequence[str]) -> tuple[Any, str, dict[str, Any]]:
    """Parse options, environment and settings of a command for one environment, named as for ``turnwise eval``."""
    options = with_settings(options)
    words = positionals(args, options, ids_of)
    ids = [env_id for word in words for env_id in ids_of(word)][:1]  # tyro complains about further words
    parsed, settings, _ = parse(" ".join([command, *words[:1]]), options, args, ids)
    env_id, own = parse_spec(parsed.env)
    ways = (own, parsed.settings, settings)
    if twice := _twice(*ways):
        raise SettingsError(f"{twice}: given twice, behind the environment's name, in --settings or as a flag")
    return parsed, env_id, {name: value for way in ways for name, value in way.items()}


def with_settings(options: type[Any]) -> type[Any]:
    """Add ``--settings``, which every command for environments has, to the options."""
    hint = Annotated[Mapping[str, Any], arg(help="Settings of the environment; each of them is also a flag.")]
    more = make_dataclass(
        options.__name__, [("settings", hint, field(default_factory=dict))], bases=(options,), frozen=True, kw_only=True
    )
    more.__doc__ = options.__doc__
    return more


def _twice(*ways: Mapping[str, Any]) -> str:
    """List the settings that are given in more than one way."""
    return ", ".join(sorted(name for name, times in Counter(itertools.chain(*ways)).items() if times > 1))


def ids_of(word: str) -> list[str]:
    """Return the environments that a word on the command line stands for.

    Raises:
        SettingsError: It is not an environment, a family or ``all``.
    """
    if PAIR.match(word):
        key = word.partition("=")[0]
        forms = f"Name:{word}, --{key.replace('_', '-')} {word[len(key) + 1 :]} or --settings {word}"
        raise SettingsError(f"{word} is not an environment; settings are written {forms}")
    return [full_id(split_settings(spec)[0]) for spec in expand(word)]


def chosen(words: Sequence[str]) -> list[str]:
    """Return the environments that words name; of families and ``all``, only those that can be played as they are.

    Some need a setting, a file or a package; each one left out is named on standard error.
    """
    found: list[str] = []
    for word in words:
        specs = expand(word)
        found += specs if specs == [word] else [spec for spec in specs if playable(spec)]
        if not found:
            raise SettingsError(f"none of {word} can be played as it is")
    return list({written(*parse_spec(spec)): spec for spec in found}.values())


def playable(spec: str) -> bool:
    """Return whether an environment can be played; if not, print the reason to standard error."""
    env_id, settings = parse_spec(spec)
    try:
        env = gymnasium.make(env_id, **settings)
        env.reset(seed=0)
        env.close()
    except TurnwiseError as error:
        print(f"turnwise: left out {env_id}: {error}", file=sys.stderr)
        return False
    return True


def list_command(args: Sequence[str]) -> int:
    """Show the environments."""
    patterns = parse("list", List, args).options.patterns
    ids = sorted({env_id for pattern in patterns for env_id in matching(pattern) or [full_id(pattern)]}) or env_ids()
    header = ("id", "family", *(("turns", "settings") if patterns else ()), "description")
    rows = [(env_id, family(env_id), *(_details(env_id) if patterns else (_description(env_id),))) for env_id in ids]
    for line in unreadable():
        print(f"turnwise: {line}", file=sys.stderr)
    if not sys.stdout.isatty():
        print("\n".join("\t".join(row) for row in rows))
        return 0
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*header, box=None, header_style="bold")
    for row in rows:
        table.add_row(Text(row[0].removeprefix("turnwise/"), "bold cyan"), *map(Text, row[1:]))
    Console().print(table)
    return 0


def _details(env_id: str) -> tuple[str, str, str]:
    """Import an environment and describe its turns and settings, or say why it cannot be imported."""
    try:
        cls = env_class(env_id)
    except TurnwiseError as error:
        return "", "", str(error)
    own = [name for name in named_settings(cls) if name not in named_settings(Env)]
    return str(cls.max_turns), ", ".join(own), first_line(cls)


def _description(env_id: str) -> str:
    """Return an environment's description from its file, or why it cannot be imported."""
    return f"cannot be imported: {problem}" if (problem := fault(env_id)) else summary(env_id)


# ---- the environments of an evaluation ------------------------------------------------------------------------------


def eval_config(options: type[Any], args: Sequence[str], command: str = "eval") -> tuple["EvalConfig", Any]:
    """Build the `EvalConfig` for a command line; return it with all options, those of the command's own included."""
    from turnwise.cli.suites import check_seed, names_suite, suite_config
    from turnwise.evaluation.config import EvalConfig

    if command == "eval" and names_suite(args):
        return suite_config(options, args)
    args, run = _run_played(args)
    words = positionals(args, options, ids_of)
    taken = [] if words else _of_run(run)
    if not words and not taken and not {"-h", "--help"} & set(args):
        raise SettingsError("ENV: name at least one environment, a family or all; `turnwise list` shows them")
    words = words or list(dict.fromkeys(env_id for env_id, _ in taken))
    args = [*words, *args] if taken else args
    ids = [env_id for word in words for env_id in ids_of(word)]
    if not any("env_settings" in named_settings(env_class(env_id)) for env_id in ids):
        args = renamed(args, "env-settings", "settings")  # as `turnwise train` calls it
    parsed, settings, given = parse(" ".join([command, *words[:3]]), options, args, ids, list(dict.fromkeys(ids)))
    check_seed(given)
    values = {f.name: getattr(parsed, f.name) for f in fields(EvalConfig)}
    common = [{name: values[name] for name in ("difficulty", "split") if name in given}, parsed.settings, settings]
    if twice := _twice(*common):
        raise SettingsError(f"{twice}: given twice, in --settings and as a flag")
    values["envs"] = tuple(chosen(words))
    if taken:
        values |= _as_trained(run, taken, set().union(*common), given)
    specs = [parse_spec(env) for env in values["envs"]]
    if unheard := [name for name in itertools.chain(*common) if all(name in own for _, own in specs)]:
        raise SettingsError(f"{', '.join(unheard)}: given twice, as a flag and behind the name of every environment")
    if "feedback" in given and values["tries"] == 1:
        owners = [env_id for env_id, _ in specs if "feedback" in named_settings(env_class(env_id))]
        hint = f"; write the setting of {owners[0]} after its name, :feedback=..." if owners else ""
        raise SettingsError(f"--feedback is given between several --tries, but there is only one{hint}")
    difficulty = parsed.difficulty or parsed.settings.get("difficulty")
    if difficulty is not None:
        values["envs"] = tuple(levelled(specs))
    return EvalConfig(**{**values, "settings": {**parsed.settings, **settings}}), parsed


def _run_played(args: Sequence[str]) -> tuple[Sequence[str], str]:
    """Turn ``hf:FOLDER`` in place of an environment into the agent; return the arguments and the agent's folder."""
    if args and args[0].startswith("hf:") and not any(word.partition("=")[0] == "--agent" for word in args):
        args = ["--agent", args[0], *args[1:]]
    for word, after in itertools.zip_longest(args, args[1:], fillvalue=""):
        flag, _, value = word.partition("=")
        if flag == "--agent":
            kind, _, path = (value or after).partition(":")
            return args, path if kind == "hf" else ""
    return args, ""


def _of_run(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the environments of the training run in a folder, with their settings."""
    found = []
    for name, settings in trained_envs(path) if path else []:
        env_id, own = parse_spec(name)
        found.append((env_id, {**own, **settings}))
    return found


def _as_trained(
    run: str, taken: Sequence[tuple[str, dict[str, Any]]], given: set[str], flags: Collection[str]
) -> dict[str, Any]:
    """Take from a training run what is not ``given``, and say so on standard error."""
    envs = tuple(written(env_id, {k: v for k, v in own.items() if k not in given}) for env_id, own in taken)
    found: dict[str, Any] = {"envs": tuple(dict.fromkeys(envs))}
    tries = run_settings(run).get("tries")
    if isinstance(tries, int) and tries > 1 and "tries" not in flags:
        found |= {"tries": tries} | ({"feedback": "try again"} if "feedback" not in flags else {})
    extra = f", with {found['tries']} tries" if "tries" in found else ""
    print(f"turnwise: as {run} was trained: {' '.join(found['envs'])}{extra}", file=sys.stderr)
    return found


def levelled(specs: Sequence[tuple[str, dict[str, Any]]]) -> Iterator[str]:
    """Let environments without levels play at their defaults when others have a difficulty."""
    some = any(env_class(env_id).levels for env_id, _ in specs)
    for env_id, own in specs:
        if some and not env_class(env_id).levels and "difficulty" not in own:
            print(f"turnwise: {env_id} has no difficulty levels and is played at its defaults", file=sys.stderr)
            own = {**own, "difficulty": None}
        yield written(env_id, own)
