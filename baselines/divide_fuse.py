"""``python -m turnwise.baselines.divide_fuse``: Divide-Fuse-Conquer, a recipe of named steps for several games.

    base     a model that knows the moves of all games
    group    games that it plays equally well go together
    divide   a policy is trained on each group, from the base model on: group_1, group_2, ...
    fuse     the mean of their weights (`turnwise merge`)
    conquer  the fused model is trained on all games
    joint    for comparison: the base model is trained on all games, for as many steps as the groups and conquer have

Every model is evaluated on every game. Finished runs are not repeated, so the same command goes on after a stop.

Source: Divide-Fuse-Conquer, arXiv:2505.16401.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from turnwise.baselines.recipes.games import games_selfplay
from turnwise.baselines.suite.runner import finished, play
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.core.errors import SettingsError, TurnwiseError
from turnwise.report.tables import markdown_table

__all__ = ["STEPS", "Plan", "grouped", "main", "play_steps", "table"]

STEPS = ("base", "group", "divide", "fuse", "conquer", "joint")
GAMES = ("Nim:heaps=[12],most=3", "TicTacToe")

Rates = Mapping[str, Mapping[str, float]]
"""For each model the share of games that it does not lose, by game."""


@dataclass(frozen=True)
class Plan:
    """What is played.

    Attributes:
        out: Folder of the runs.
        games: All games, with their settings.
        groups: Number of groups.
        steps: Steps of reinforcement learning on each group.
        conquer: Steps on all games after the merge.
        seed: Seed of all runs.
        changes: Settings to change in all runs alike.
    """

    out: Path
    games: Sequence[str] = GAMES
    groups: int = 2
    steps: int = 60
    conquer: int = 60
    seed: int = 0
    changes: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.groups <= len(self.games):
            raise SettingsError(f"groups is {self.groups}; it must be from 2 to the number of games, {len(self.games)}")

    def run(self, name: str, games: Sequence[str], model: str = "", **changes: Any) -> TrainConfig:
        """Make the settings of a run on some games, from a model of an earlier step on."""
        arms, recipe = [{"settings": {"game": game}} for game in games], games_selfplay()
        start: dict[str, Any] = {"warm_steps": recipe.warm_start.steps * len(games)}  # a warm start plays all in turn
        if model:
            start = {"model": str(self.out / model / "model"), "warm_steps": 0}
        return recipe.changed({
            "env_settings": {"rules": False}, "curriculum": "mixture", "curriculum.arms": arms, "seed": self.seed,
            "eval_every": 0, "out": str(self.out / name), "trackers": (), **start, **(self.changes or {}), **changes,
        })  # fmt: skip

    def trained(self, name: str, games: Sequence[str], model: str, steps: int) -> TrainConfig:
        """Make the settings of a run that trains, and leaves the evaluation to `measured`."""
        return self.run(name, games, model, steps=steps, eval_tasks=0)

    def measured(self, model: str) -> TrainConfig:
        """Make the settings of a run without steps, which evaluates a model on all games."""
        return self.run(f"measured/{model}", self.games, model, steps=0)


def grouped(rates: Mapping[str, float], groups: int) -> list[list[str]]:
    """Return games in groups of like results, the hardest first, as equal in size as can be.

    >>> grouped({"Nim": 0.3, "Kuhn": 0.5, "Pig": 0.35, "TicTacToe": 0.55}, 2)
    [['Nim', 'Pig'], ['Kuhn', 'TicTacToe']]
    """
    order = sorted(rates, key=lambda game: rates[game])
    cuts = [len(order) * i // groups for i in range(groups + 1)]
    return [order[low:high] for low, high in pairwise(cuts)]


def play_steps(plan: Plan, until: str = STEPS[-1]) -> dict[str, dict[str, float]]:
    """Play the steps up to a named one; return the rates of each model."""
    from turnwise.baselines.trainer.run.merge import merge

    wanted = STEPS[: STEPS.index(until) + 1]
    rates: dict[str, dict[str, float]] = {}

    def add(config: TrainConfig) -> None:
        _once(config)
        measure(Path(config.run.out).name)

    def measure(name: str) -> None:
        rates[name] = _rates(plan, name)
        _say(f"{name}: " + ", ".join(f"{game} {100 * rate:.0f} %" for game, rate in rates[name].items()))

    add(plan.run("base", plan.games, steps=0, eval_tasks=0))
    groups = grouped(rates["base"], plan.groups) if "group" in wanted else []
    names = [f"group_{i}" for i in range(1, len(groups) + 1)]
    for name, games in zip(names, groups, strict=True):
        _say(f"{name}: {', '.join(games)}")
    if "divide" in wanted:
        for name, games in zip(names, groups, strict=True):
            add(plan.trained(name, games, "base", plan.steps))
    if "fuse" in wanted:
        merge([str(plan.out / name) for name in names], [1.0] * len(names), plan.out / "fused" / "model")
        measure("fused")
    if "conquer" in wanted:
        add(plan.trained("conquered", plan.games, "fused", plan.conquer))
    if "joint" in wanted:
        add(plan.trained("joint", plan.games, "base", plan.groups * plan.steps + plan.conquer))
    return rates


def _once(config: TrainConfig) -> None:
    """Play a run, unless it is finished."""
    if not finished(config):
        play(config)


def _rates(plan: Plan, model: str) -> dict[str, float]:
    """Evaluate a model; return the share of games that it does not lose, over all opponents, sampled."""
    from turnwise.baselines.trainer.run.log import read_metrics

    config = plan.measured(model)
    _once(config)
    found = read_metrics(Path(config.run.out), "eval")[-1]
    labels: dict[str, list[str]] = {game: [] for game in plan.games}
    for target in config.targets:
        labels[str(target.settings["game"])].append(target.label)
    return {game: sum(found[f"sampled_unbeaten/{one}"] for one in of) / len(of) for game, of in labels.items()}


def table(rates: Rates) -> str:
    """Write the rates as a table, a model a row."""
    games = list(next(iter(rates.values())))
    rows = [[name, *(f"{100 * own[game]:.1f} %" for game in games)] for name, own in rates.items()]
    return markdown_table(["model", *games], rows)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Play the steps and print the table; return exit status 2 for settings that do not fit."""
    parser = argparse.ArgumentParser(
        prog="python -m turnwise.baselines.divide_fuse", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("runs/divide_fuse"), help="folder of the runs")
    parser.add_argument("--games", nargs="+", default=GAMES, help="games with their settings")
    parser.add_argument("--groups", type=int, default=2, help="number of groups")
    parser.add_argument("--steps", type=int, default=60, help="steps on each group")
    parser.add_argument("--conquer", type=int, default=60, help="steps on all games after the merge")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--until", choices=STEPS, default=STEPS[-1], help="the last step to play")
    options = vars(parser.parse_args(argv))
    until = options.pop("until")
    try:
        _say(table(play_steps(Plan(**options), until)))
    except TurnwiseError as error:
        sys.stderr.write(f"divide_fuse: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
