"""``turnwise export FORMAT ...``: what of ours other frameworks read."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from turnwise.cli.environments import chosen
from turnwise.cli.export.served import export_openenv, export_rows, export_space
from turnwise.cli.flags import parse
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError

__all__ = ["FORMATS"]

ENVS_OUT = "Environments (Countdown:num_numbers=5) or families, and the folder to write."


@dataclass(frozen=True)
class LmEval:
    """Write one-message environments as tasks of lm-evaluation-harness, and the group `turnwise` of all of them."""

    words: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV... OUT", help=ENVS_OUT)]
    num_tasks: int = 100
    """Rows of each task."""
    split: Split = "test"
    """Split of the tasks: test or train."""


@dataclass(frozen=True)
class NemoGym:
    """Write environments as the folders that NeMo Gym starts: a resources server, its agent, and rows."""

    words: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV... OUT", help=ENVS_OUT)]
    num_tasks: int = 1000
    """Rows of each environment and split."""


@dataclass(frozen=True)
class Harbor:
    """Write tasks of an environment as folders that Harbor runs: instruction, image, judge and solution."""

    words: Annotated[
        Positional[tuple[str, ...]], arg(metavar="ENV OUT", help="Environment (Shell:num_goals=1), and the folder.")
    ]
    num_tasks: int = 10
    """Number of tasks."""
    split: Split = "test"
    """Split of the tasks: test or train."""
    image: str = ""
    """Image that the agent's begins with; python:3.12-slim if none is given."""
    judge_image: str = ""
    """Image that has turnwise, for the judge; if none is given, it is installed into python:3.12-slim."""


@dataclass(frozen=True)
class Inspect:
    """Write an evaluation as logs that `inspect view` shows, one for each environment."""

    folders: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="RUN OUT", help="Folder of the evaluation, and for the logs.")
    ]


@dataclass(frozen=True)
class Parquet:
    """Write evaluations as two Parquet tables, episodes.parquet and turns.parquet."""

    folders: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="RUN... OUT", help="Folders of evaluations, and for the tables.")
    ]


@dataclass(frozen=True)
class LmEvalResults:
    """Write an evaluation as the results file of lm-evaluation-harness."""

    folders: Annotated[
        Positional[tuple[Path, ...]],
        arg(metavar="RUN OUT", help="Folder of the evaluation, and lm-eval's output path."),
    ]


@dataclass(frozen=True)
class ModelCard:
    """Write evaluations of a model as a section of its Hugging Face card: model-index and tables."""

    folders: Annotated[
        Positional[tuple[Path, ...]], arg(metavar="RUN... OUT.md", help="Folders of evaluations, and the file.")
    ]
    name: str = ""
    """Name of the model; that of the agent if none is given."""


def export_parquet(args: Sequence[str]) -> int:
    """Write evaluations as Parquet tables."""
    runs, out = _runs_and_out("parquet", parse("export parquet", Parquet, args).options.folders)
    from turnwise.export.parquet import write_parquet

    return _name(write_parquet(runs, out))


def export_lm_eval_results(args: Sequence[str]) -> int:
    """Write an evaluation as the results file of lm-evaluation-harness."""
    folders = parse("export lm-eval-results", LmEvalResults, args).options.folders
    if len(folders) != 2:
        raise SettingsError(f"export lm-eval-results takes two folders, RUN and OUT; {len(folders)} were given")
    from turnwise.export.lm_eval_results import write_lm_eval_results

    return _name([write_lm_eval_results(*folders)])


def export_model_card(args: Sequence[str]) -> int:
    """Write evaluations as a section of a model card."""
    options = parse("export model-card", ModelCard, args).options
    runs, out = _runs_and_out("model-card", options.folders)
    from turnwise.export.model_card import write_model_card

    return _name([write_model_card(runs, out, options.name)])


def _runs_and_out(what: str, folders: Sequence[Path]) -> tuple[list[Path], Path]:
    if len(folders) < 2:
        raise SettingsError(f"export {what} takes RUN... OUT; {len(folders)} words were given")
    return list(folders[:-1]), folders[-1]


def export_inspect(args: Sequence[str]) -> int:
    """Write an evaluation as logs that ``inspect view`` shows."""
    options = parse("export inspect", Inspect, args).options
    if len(options.folders) != 2:
        raise SettingsError(f"export inspect takes two folders, RUN and OUT; {len(options.folders)} were given")
    from turnwise.report.inspect_log import write_inspect_logs

    run, out = options.folders
    return _name(write_inspect_logs(run, out))


def export_lm_eval(args: Sequence[str]) -> int:
    """Write one-message environments as tasks of lm-evaluation-harness."""
    options = parse("export lm-eval", LmEval, args).options
    words, out = _envs_and_folder("lm-eval", options.words)
    from turnwise.export.lm_eval import one_message, write_lm_eval_tasks

    specs = [spec for spec in chosen(words) if spec in words or one_message(spec)]
    return _name(write_lm_eval_tasks(specs, out, options.num_tasks, options.split))


def export_nemo_gym(args: Sequence[str]) -> int:
    """Write environments as the folders that NeMo Gym starts."""
    options = parse("export nemo-gym", NemoGym, args).options
    words, out = _envs_and_folder("nemo-gym", options.words)
    from turnwise.export.nemo_gym import write_nemo_gym

    return _name(write_nemo_gym(chosen(words), out, options.num_tasks))


def export_harbor(args: Sequence[str]) -> int:
    """Write tasks of an environment as folders that Harbor runs."""
    options = parse("export harbor", Harbor, args).options
    if len(options.words) != 2:
        raise SettingsError(f"export harbor takes ENV OUT; it got {len(options.words)} words")
    from turnwise.export.harbor import write_harbor_tasks

    spec, out = options.words
    how = (options.num_tasks, options.split, options.image, options.judge_image)
    return _name(write_harbor_tasks(spec, Path(out), *how))


def _envs_and_folder(what: str, words: Sequence[str]) -> tuple[list[str], Path]:
    if len(words) < 2:
        raise SettingsError(f"export {what} takes ENV... OUT; it got {len(words)} words")
    return list(words[:-1]), Path(words[-1])


def _name(paths: Sequence[Path]) -> int:
    for path in paths:
        sys.stdout.write(f"{path}\n")
    return 0


FORMATS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "inspect": export_inspect,
    "harbor": export_harbor,
    "lm-eval": export_lm_eval,
    "lm-eval-results": export_lm_eval_results,
    "model-card": export_model_card,
    "nemo-gym": export_nemo_gym,
    "openenv": export_openenv,
    "parquet": export_parquet,
    "rows": export_rows,
    "space": export_space,
}
"""By the word after ``turnwise export``; any other word is the folder of a training run."""
