"""The command ``turnwise rollout``: episodes as training data."""

# ruff: noqa: T201  (command-line output)

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional, Suppress, arg

from turnwise.cli.environments import EVAL_ENVS, eval_config
from turnwise.cli.progress import evaluate_shown
from turnwise.core.env import Split
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.evaluation.evaluate import EvalConfig
from turnwise.evaluation.rollouts import AGENTS, collect_rollouts, with_tokens

__all__ = ["rollout_command"]


@dataclass(frozen=True, kw_only=True)
class Rollout(EvalConfig):
    """Play groups of episodes and write their tokens, masks, log-probabilities and rewards for a trainer."""

    envs: Annotated[Positional[tuple[str, ...]], arg(metavar="ENV...", help=EVAL_ENVS)]
    agent: Annotated[str, arg(help=f"Who plays: {', '.join(f'{kind}:...' for kind in AGENTS)}.")] = ""
    num_samples: Annotated[int, Range(1), arg(help="Rollouts of each task: its group.")] = 8
    split: Annotated[Split | None, arg(help="Instances that are played; None plays both splits.")] = "train"
    chance_episodes: Annotated[int, Range(0), arg(help="As for `turnwise eval`.")] = 0
    tasks_of: Annotated[Mapping[str, int], Suppress] = field(default_factory=dict)  # only suites set these two
    suite: Annotated[Mapping[str, Any] | None, Suppress] = None
    format: Literal["jsonl", "parquet"] = "jsonl"
    """The file rollouts.FORMAT in --out; Parquet needs pyarrow."""
    keep_cut: bool = False
    """Rollouts with an answer that was cut at the token limit are valid."""
    version: int = 0
    """Version of the weights, for the rows of the file."""


def rollout_command(args: Sequence[str]) -> int:
    """Play, write the file, and print what came of it; 1 if no rollout is valid."""
    config, options = eval_config(Rollout, args, "rollout")
    if config.out is None:
        raise SettingsError("--out: name the folder for the rollouts; a run that was interrupted continues there")
    folder, config = Path(config.out), with_tokens(config)
    evaluate_shown(config)
    path = folder / f"rollouts.{options.format}"
    counts = collect_rollouts(folder, path, version=options.version, keep_cut=options.keep_cut)
    valid = counts.pop("", 0)
    parts = [f"{valid} valid", *(f"{number} {fault}" for fault, number in sorted(counts.items()))]
    print(f"\n{path}: {valid + counts.total()} rollouts: {', '.join(parts)}")
    return 0 if valid else 1
