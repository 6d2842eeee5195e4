"""Tables and figures of the suite, from the folders of its runs alone."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.baselines.suite.jobs import CURRICULA, METHODS, TASKS
from turnwise.baselines.suite.runner import RECORD
from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.report.evaluation import load_run
from turnwise.report.tables import markdown_table
from turnwise.report.training import (
    Training,
    cpu_seconds,
    curve,
    env_steps,
    mean_and_sd,
    origins_table,
    rates,
    spread,
    task_of,
)

__all__ = ["Runs", "curriculum_table", "keep", "load", "methods_table", "reached", "summary_table", "write_results"]

Runs = Mapping[str, Mapping[str, Sequence[Training]]]
"""Finished runs by task and method, in the order of their seeds."""
Table = tuple[Sequence[str], Sequence[Sequence[str]]]
NAMES = {
    "grpo": "GRPO", "rloo": "RLOO", "gigpo": "GiGPO", "turn_rtg_loo": "per-turn return-to-go", "pkpo": "PKPO (k = 4)",
    "shuffled": "GRPO, shuffled rewards", "mixture": "GRPO, uniform over the levels", "saturn": "GRPO, SATURN",
    "sec": "GRPO, SEC",
}  # fmt: skip
KEPT = ("kind", "step", "solved", "reward", "turns", "groups", "errors", "entropy", "spread", "logp_gap")
"""The metrics of a training step that ``keep`` copies."""


def load(out: Path) -> Runs:
    """Load the finished runs of a suite's folder.

    Raises:
        SettingsError: There are none.
    """
    found: dict[str, dict[str, list[Training]]] = {}
    for task in TASKS:
        for method in (*METHODS, *CURRICULA):
            folders = sorted(out.glob(f"{task}/{method}/*/{RECORD}"), key=lambda path: int(path.parent.name))
            runs = [run for path in folders if isinstance(run := load_run(path.parent), Training)]
            if runs:
                found.setdefault(task, {})[method] = runs
    if not found:
        raise SettingsError(f"{out} holds no finished run of the suite")
    return found


def summary_table(runs: Runs) -> Table:
    """Tasks in rows, methods in columns: test solve rate after training, in percent, mean ± sd over seeds."""
    shown = [method for method in (*METHODS, *CURRICULA) if any(method in of for of in runs.values())]
    rows: list[Sequence[str]] = []
    for task, methods in runs.items():
        cloned = _unique([run for of in methods.values() for run in of])
        cells = [spread([run.tests[-1]["sampled_solved"] for run in methods.get(method, [])]) for method in shown]
        rows.append((task, spread([run.tests[0]["sampled_solved"] for run in cloned]), *cells))
    return ("task", "behaviour cloning", *(NAMES[method] for method in shown)), rows


def methods_table(runs: Runs) -> Table:
    """Per task and method: solve rate after cloning and after training, change, environment steps, CPU seconds."""
    header = ("task", "method", "seeds", "test solve rate, %", "change, points", "greedy, %", "turns played", "CPU s")
    rows: list[Sequence[str]] = []
    for task, methods in runs.items():
        cloned = _unique([run for of in methods.values() for run in of])
        title = f"{task}: {task_of(cloned[0].config)}"
        before = [run.tests[0] for run in cloned]
        sampled, greedy = ([r[f"{kind}_solved"] for r in before] for kind in ("sampled", "greedy"))
        rows.append((title, "behaviour cloning", str(len(cloned)), spread(sampled), "", spread(greedy), "0", ""))
        rows += [("", NAMES[method], *_method_cells(methods[method])) for method in methods]
    return header, rows


def _unique(runs: Sequence[Training]) -> list[Training]:
    """Return one run per seed, after checking that all methods start from the same model.

    Raises:
        SettingsError: They are not.
    """
    found: dict[int, Training] = {}
    for run in runs:
        first = found.setdefault(run.config["seed"], run)
        if run.tests[0] != first.tests[0]:
            raise SettingsError(
                f"{run.folder} and {first.folder} differ before the first step: they were played by different code or "
                "with different settings; play them again"
            )
    return [found[seed] for seed in sorted(found)]


def _method_cells(runs: Sequence[Training]) -> Sequence[str]:
    last = [run.tests[-1] for run in runs]
    change = [b["sampled_solved"] - run.tests[0]["sampled_solved"] for run, b in zip(runs, last, strict=True)]
    turns = [env_steps(run)[-1][1] for run in runs]
    return (
        str(len(runs)),
        spread([r["sampled_solved"] for r in last]),
        spread(change, "+.1f"),
        spread([r["greedy_solved"] for r in last]),
        f"{mean_and_sd(turns)[0]:,.0f}",
        cpu_seconds(runs),
    )


def reached(run: Training, target: float) -> float | None:
    """Return the environment steps after which an evaluation first reaches ``target``; None if none does."""
    played = dict(env_steps(run))
    for step, rate in sorted(rates(run).items()):
        if rate >= target:
            return played[float(step)]
    return None


def curriculum_table(runs: Runs) -> Table:
    """Per task with levels: environment steps until the tested level is solved at the named rates, seed by seed."""
    header = ("task", "target", "drawn from", "steps to target, by seed", "mean", "final, %")
    rows: list[Sequence[str]] = []
    for task, methods in runs.items():
        for target in TASKS[task].targets:
            for method in (m for m in ("grpo", *CURRICULA) if m in methods and TASKS[task].arms):
                of = methods[method]
                found = [reached(run, target) for run in of]
                known = [turns for turns in found if turns is not None]
                most = sum(env_steps(run)[-1][1] for run, turns in zip(of, found, strict=True) if turns is None)
                mean = f"{'' if len(known) == len(found) else '> '}{(sum(known) + most) / len(found):,.0f}"
                name = "the tested level" if method == "grpo" else NAMES[method].removeprefix("GRPO, ")
                cells = ", ".join("never" if turns is None else f"{turns:,.0f}" for turns in found)
                final = spread([run.tests[-1]["sampled_solved"] for run in of])
                rows.append((task, f"{100 * target:.0f} %", name, cells, mean, final))
    return header, rows


def write_results(out: Path) -> Path:
    """Write tables (results.md) and two figures, of the methods and of the curricula, into the suite's folder."""
    runs = load(out)
    every = [run for methods in runs.values() for of in methods.values() for run in of]
    parts = [
        "## Test solve rate in percent, sampled: mean ± standard deviation over seeds\n\n"
        + markdown_table(*summary_table(runs)),
        "## Methods\n\n" + markdown_table(*methods_table(runs)),
        "## Curricula\n\n" + markdown_table(*curriculum_table(runs)),
        "## Where the runs come from\n\n" + markdown_table(*origins_table(every)),
    ]
    levels = {task: of for task, of in runs.items() if TASKS[task].arms}
    draw({task: of for task, of in runs.items() if task not in levels}, out / "methods.png", list(METHODS))
    draw(levels, out / "curricula.png", ["grpo", *CURRICULA], turns=True)
    path = out / "results.md"
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return path


def draw(runs: Runs, path: Path, methods: Sequence[str], *, turns: bool = False) -> None:
    """Small multiples, one per task: mean over the seeds, in a band from the lowest to the highest.

    Args:
        runs: Finished runs.
        path: Of the PNG.
        methods: Which to draw, in order of their colours.
        turns: Over the turns played (mean of the seeds) rather than over the training steps.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError.of("matplotlib", "train") from error
    shown = {task: of for task, of in runs.items() if any(m in of for m in methods)}
    if not shown:
        return
    across = min(3, len(shown))
    down = -(-len(shown) // across)
    figure = Figure(figsize=(4.2 * across, 3 * down + 0.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = list(figure.subplots(down, across, squeeze=False).flat)
    for (task, of), axis in zip(shown.items(), axes, strict=False):
        for i, method in enumerate(methods):
            if method in of:
                points = curve(of[method])
                x = [_turns_at(of[method], step) if turns else step for step, *_ in points]
                axis.plot(x, [mean for _, mean, _, _ in points], color=f"C{i}", label=NAMES[method], linewidth=1.4)
                axis.fill_between(x, [p[2] for p in points], [p[3] for p in points], color=f"C{i}", alpha=0.15, lw=0)
        axis.set_title(task, fontsize=10)
        axis.set(ylim=(0, 1), xlabel="turns played" if turns else "training step", ylabel="test solve rate, sampled")
    for axis in axes[len(shown) :]:
        axis.set_visible(False)
    named = {text: line for axis in figure.axes for line, text in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(named.values(), named, loc="outside lower center", ncols=4, fontsize=8)
    figure.savefig(path, dpi=90)


def _turns_at(runs: Sequence[Training], step: float) -> float:
    return sum(dict(env_steps(run))[step] for run in runs) / len(runs)


def keep(out: Path, folder: Path) -> int:
    """Copy config.json, run.json and a thinned metrics.jsonl of every finished run, and return how many there are.

    All evaluations are copied whole; of the training steps only ``KEPT``, to six digits.
    """
    every = [run for methods in load(out).values() for of in methods.values() for run in of]
    for run in every:
        to = folder / run.folder.relative_to(out)
        to.mkdir(parents=True, exist_ok=True)
        for name in ("config.json", RECORD):
            (to / name).write_bytes((run.folder / name).read_bytes())
        lines = [json.dumps(_thinned(json.loads(line))) for line in _lines(run.folder / "metrics.jsonl")]
        (to / "metrics.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(every)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _thinned(record: Mapping[str, Any]) -> dict[str, Any]:
    if record["kind"] != "train":
        return dict(record)
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in record.items() if k in KEPT}
