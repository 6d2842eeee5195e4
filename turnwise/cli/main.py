"""The command line: ``turnwise list | show | play | eval | rollout | train | audit | depth | report | ...``."""

import contextlib
import dataclasses
import difflib
import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

from tyro.conf import Positional, Suppress, arg

import turnwise
from turnwise.cli.environments import EVAL_ENVS, eval_config, first_line, list_command
from turnwise.cli.flags import EnvModules, parse
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.core.registration import import_envs
from turnwise.core.settings import Range, check_all

if TYPE_CHECKING:  # needed by one command only
    from turnwise.evaluation.config import EvalConfig

__all__ = ["main", "run"]


# ---- options of each command ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """Print tables of evaluations and training runs, and write a page to browse them (report.html) into each folder."""

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="DIR...", help="Folders of runs, or parent folders.")]
    extra_episodes: Annotated[int, Range(0)] = 100
    """Episodes of each evaluation that are played again for the environment's pages and the oracle's way, spread
    evenly; `turnwise view` plays any again."""
    html: bool = True
    """Write a page into each folder."""
    env_module: EnvModules = ()
    out: Path | None = None
    """File for an additional page with all runs side by side."""

    def __post_init__(self) -> None:
        check_all(self)


# ---- entry ---------------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit with its status: 0, 1 (something was found), 2 (usage or failure), 130 (Ctrl-C)."""
    raise SystemExit(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str]) -> int:
    """Run a command and return its exit status."""
    args = [a for a in argv if a != "--debug"]
    debug = len(args) != len(argv)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # not a file
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        with _quiet(debug):
            status = _dispatch(args)
            sys.stdout.flush()
            return status
    except (TurnwiseError, OSError) as error:
        if isinstance(error, BrokenPipeError):  # the reader has closed the pipe
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (what is still buffered must go somewhere at exit)
            return 141
        if debug:
            raise
        print(f"turnwise: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except SystemExit as stop:  # tyro has printed the reason
        return stop.code if isinstance(stop.code, int) else 2


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0 if args else 2
    if args[0] == "--version":
        print(f"turnwise {turnwise.__version__}")
        return 0
    if args[0] not in COMMANDS:
        close = difflib.get_close_matches(args[0], COMMANDS, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"the commands are {', '.join(COMMANDS)}"
        raise SettingsError(f"there is no command {args[0]!r}; {hint}")
    return COMMANDS[args[0]](args[1:])


@contextlib.contextmanager
def _quiet(debug: bool) -> Iterator[None]:
    """Silence the warnings, log lines and progress bars of libraries."""
    if debug:
        yield
        return
    for name, value in {
        "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "TOKENIZERS_PARALLELISM": "false"
    }.items():  # fmt: skip
        os.environ.setdefault(name, value)
    before = logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(before)


def _usage() -> str:
    lines = ["usage: turnwise COMMAND ...", "", (turnwise.__doc__ or "").split("\n")[0], "", "commands:"]
    width = max(map(len, COMMANDS)) + 2
    lines += [f"  {name:{width}}{first_line(command)}" for name, command in COMMANDS.items()]
    lines += ["", "options:", "  --version, --help; --debug shows tracebacks and messages of libraries"]
    return "\n".join([*lines, "", "`turnwise COMMAND --help` explains each; settings of an environment are flags."])


# ---- list, show, play ----------------------------------------------------------------------------------------------


def show_command(args: Sequence[str]) -> int:
    """Show an environment's settings, a random agent's first turns in a task, and the oracle's solution."""
    from turnwise.cli.play import show_command

    return show_command(args)


def play_command(args: Sequence[str]) -> int:
    """Play an environment yourself."""
    from turnwise.cli.play import play_command

    return play_command(args)


# ---- eval, rollout, train ------------------------------------------------------------------------------------------


def eval_options(args: Sequence[str]) -> "EvalConfig":
    """Build the options of ``turnwise eval``."""
    return _eval_options(args)[0]


def _eval_options(args: Sequence[str]) -> tuple["EvalConfig", bool]:
    """The options of ``turnwise eval``, and whether it is a dry run."""
    from turnwise.agents.make import KINDS
    from turnwise.evaluation.config import EvalConfig

    envs = Annotated[Positional[tuple[str, ...]], arg(metavar="ENV...", help=EVAL_ENVS)]
    agent = Annotated[str, arg(help=f"Who plays: {', '.join(KINDS)}.")]
    fields: list[Any] = [("envs", envs), ("agent", agent, "oracle")]
    fields.append(("tasks_of", Annotated[Mapping[str, int], Suppress], dataclasses.field(default_factory=dict)))
    fields.append(("suite", Annotated[Mapping[str, Any] | None, Suppress], None))  # the two that only suites set
    dry = Annotated[bool, arg(help="Say what the run will read, write and cost, and play nothing.")]
    fields.append(("dry_run", dry, False))
    options = dataclasses.make_dataclass("Eval", fields, bases=(EvalConfig,), frozen=True, kw_only=True)
    options.__doc__ = f"{first_line(eval_command)}\n\n" + (EvalConfig.__doc__ or "").partition("\n\n")[2]
    config, given = eval_config(options, args)
    return config, given.dry_run


def eval_command(args: Sequence[str]) -> int:
    """Evaluate an agent on environments: solve rates with intervals, pass@k, chance-corrected scores."""
    config, dry = _eval_options(args)
    if dry:
        from turnwise.cli.estimate import dry_run

        return dry_run(config)
    from turnwise.cli.progress import evaluate_shown

    return evaluate_shown(config)


def rollout_command(args: Sequence[str]) -> int:
    """Play groups of episodes and write their tokens, masks, log-probabilities and rewards for a trainer."""
    from turnwise.cli.rollout import rollout_command

    return rollout_command(args)


def suites_command(args: Sequence[str]) -> int:
    """List the suites that `turnwise eval suite:NAME` plays; show, check or record one."""
    from turnwise.cli.suites import suites_command

    return suites_command(args)


def train_command(args: Sequence[str]) -> int:
    """Train a model with a recipe, or resume a run; every setting of the recipe is a flag."""
    from turnwise.cli.train import train_command

    return train_command(args)


def export_command(args: Sequence[str]) -> int:
    """Write a run's model so that transformers can load it; `export FORMAT` writes what others read."""
    from turnwise.cli.export.formats import FORMATS
    from turnwise.cli.train import export_command

    if args and args[0] in FORMATS:
        return FORMATS[args[0]](args[1:])
    return export_command(args)


# ---- audit, depth, reverify, report ---------------------------------------------------------------------------------


def merge_command(args: Sequence[str]) -> int:
    """Merge trained models into one: the weighted mean of their weights."""
    from turnwise.cli.train import merge_command

    return merge_command(args)


def audit_command(args: Sequence[str]) -> int:
    """Look for right answers that are refused and wrong ones that are paid; `audit all` makes a table."""
    from turnwise.cli.checks import audit_command

    return audit_command(args)


def depth_command(args: Sequence[str]) -> int:
    """Measure how deep tasks are: what shortcuts and scripted skills solve level by level, and how tasks read."""
    from turnwise.cli.depth import depth_command

    return depth_command(args)


def reverify_command(args: Sequence[str]) -> int:
    """Judge stored episodes again after a verifier has changed, and show what flipped."""
    from turnwise.cli.checks import reverify_command

    return reverify_command(args)


def report_command(args: Sequence[str]) -> int:
    """Print tables of evaluations and training runs, and write their pages."""
    options = parse("report", Report, args).options
    if not options.folders:
        raise SettingsError("DIR: name at least one folder of runs, or a folder that contains some")
    from turnwise.report.evaluation import Evaluation, load_runs, markdown, write_comparison, write_page

    for module in options.env_module:
        import_envs(module)
    runs = load_runs(options.folders)
    for why in dict.fromkeys(why for run in runs if isinstance(run, Evaluation) for why in run.missing.values()):
        print(f"turnwise: {why}", file=sys.stderr)
    print(markdown(runs))
    pages = [write_page(found, options.extra_episodes) for found in runs] if options.html else []
    if options.out is not None:
        pages.append(write_comparison(runs, options.out, options.extra_episodes))
    for path in pages:
        print(f"wrote {path}", file=sys.stderr)
    return 0


def view_command(args: Sequence[str]) -> int:
    """Browse runs in the browser, live while they are going: scores, episodes, comparisons; play on from any turn."""
    from turnwise.cli.view import view_command

    return view_command(args)


def compare_command(args: Sequence[str]) -> int:
    """Compare two evaluations of the same tasks, with gates for continuous integration."""
    from turnwise.cli.compare import compare_command

    return compare_command(args)


def leaderboard_command(args: Sequence[str]) -> int:
    """Write a static leaderboard site from a folder of results of suites."""
    from turnwise.cli.suites import leaderboard_command

    return leaderboard_command(args)


def arena_command(args: Sequence[str]) -> int:
    """Rate agents by games against each other; with --out, write a page with every game."""
    from turnwise.cli.arena import arena_command

    return arena_command(args)


def ladder_command(args: Sequence[str]) -> int:
    """Find the level that an agent solves half of the time, in few episodes: levels are chosen as it goes."""
    from turnwise.cli.ladder import ladder_command

    return ladder_command(args)


def calibrate_command(args: Sequence[str]) -> int:
    """Fit how hard levels are on one scale, from what agents solved in evaluations and ladders."""
    from turnwise.cli.ladder import calibrate_command

    return calibrate_command(args)


def serve_command(args: Sequence[str]) -> int:
    """Serve environments to other frameworks over OpenEnv, the Open Reward Standard and MCP."""
    from turnwise.cli.serve import Serve, serve_main

    return serve_main(parse("serve", Serve, args).options, lambda line: print(line, flush=True))


def index_command(args: Sequence[str]) -> int:
    """Build the index of a corpus into a folder, for search environments and serve-retriever."""
    from turnwise.cli.retrieval import Index, index_main

    return index_main(parse("index", Index, args).options, print)


def serve_retriever_command(args: Sequence[str]) -> int:
    """Serve a retriever over HTTP, with the protocols of Search-R1 and others."""
    from turnwise.cli.retrieval import ServeRetriever, serve_main

    return serve_main(parse("serve-retriever", ServeRetriever, args).options)


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    "list": list_command,
    "show": show_command,
    "play": play_command,
    "eval": eval_command,
    "rollout": rollout_command,
    "suites": suites_command,
    "train": train_command,
    "export": export_command,
    "merge": merge_command,
    "audit": audit_command,
    "depth": depth_command,
    "reverify": reverify_command,
    "report": report_command,
    "view": view_command,
    "compare": compare_command,
    "leaderboard": leaderboard_command,
    "ladder": ladder_command,
    "arena": arena_command,
    "calibrate": calibrate_command,
    "serve": serve_command,
    "index": index_command,
    "serve-retriever": serve_retriever_command,
}
