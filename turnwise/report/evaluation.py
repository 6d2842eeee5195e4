"""Tables and pages of evaluations and training runs.

A folder with episodes.jsonl is an evaluation, one with metrics.jsonl and config.json a training run. `markdown` returns
tables with several evaluations side by side; `write_page` writes a self-contained page.
"""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.metrics import Scores, overall, wilson
from turnwise.report import html
from turnwise.report.app.figures import by_family, family_of
from turnwise.report.app.make import EXTRA_EPISODES, write_app
from turnwise.report.measures import measures_markdown
from turnwise.report.runs import Evaluation, Run, load_run, load_runs
from turnwise.report.standing import standing_markdown
from turnwise.report.tables import interval, markdown_table, one_line, percent
from turnwise.report.training import (
    Training,
    by_environment,
    origins_table,
    settings_of_runs,
    settings_table,
    trained_on,
)  # fmt: skip

__all__ = [
    "Evaluation",
    "Training",
    "load_run",
    "load_runs",
    "markdown",
    "scores_table",
    "write_comparison",
    "write_page",
]

OVERALL = "all (mean)"
TRAININGS = "Training: test solve rate in percent, mean ± standard deviation over seeds"
MANY = 8  # with more training runs than this, only their common table is printed
_EVAL_COLUMNS = (
    "env", "episodes", "solved", "95 % interval", "pass@k", "pass^k", "chance-corrected", "return", "turns", "tokens",
    "cost", "seconds", "truncated", "cut", "format errors", "refusals", "errors",
)  # fmt: skip


Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Header and rows."""


# ---- Markdown ------------------------------------------------------------------------------------------------------


def markdown(runs: Sequence[Run]) -> str:
    """Return tables of all runs, beginning with several evaluations side by side, and training runs by setting.

    Many training runs get only the common table; their own pages show the rest.
    """
    evaluations = [run for run in runs if isinstance(run, Evaluation)]
    trainings = [run for run in runs if isinstance(run, Training)]
    parts = []
    if len(evaluations) > 1:
        parts.append("## Solve rate (95 % interval)\n\n" + markdown_table(*comparison(evaluations)))
    if len(trainings) > 1:
        parts.append(f"## {TRAININGS}\n\n" + markdown_table(*settings_table(settings_of_runs(trainings))))
        if any(run.origin for run in trainings):
            parts.append("## Where the runs come from\n\n" + markdown_table(*origins_table(trainings)))
    shown = evaluations if len(trainings) > MANY else runs
    for run in shown:
        if isinstance(run, Evaluation):
            title = f"{run.agent}: {run.folder}"
            suite = "" if run.standing is None else f"{standing_markdown(run.standing)}\n\n"
            parts.append(
                f"## {one_line(title)}\n\n{suite}"
                + markdown_table(*scores_table(run.scores))
                + measures_markdown(run.scores)
            )
        else:
            parts.append(f"## {one_line(_training_title(run))}\n\n" + markdown_table(*before_and_after(run)))
    return "\n\n".join(parts)


def scores_table(scores: Mapping[str, Scores], *, headings: bool = False) -> Table:
    """Build a table with a row per environment, by family, and the mean; columns without any value are left out.

    Args:
        scores: Scores by environment.
        headings: Put a row of one cell, the family and its mean, above the environments of each.
    """
    families = by_family(scores)
    named = {html.short_id(env): part for members in families.values() for env, part in members.items()}
    if len(named) > 1:
        named[OVERALL] = overall(list(scores.values()))
    columns = list(zip(_EVAL_COLUMNS, *(_score_cells(name, part) for name, part in named.items()), strict=True))
    header, *rows = zip(*(column for column in columns if any(column[1:])), strict=True)
    if headings and len(families) > 1:
        rest, rows = iter(rows), []
        for title, members in families.items():
            mean = percent(overall(list(members.values())).solve_rate)
            rows.append((f"{title}: {mean}" if mean and len(members) > 1 else title,))
            rows += itertools.islice(rest, len(members))
        rows += [("all",), *rest]
    return header, rows


def _score_cells(name: str, s: Scores) -> Sequence[str]:
    most = max((k for k, v in (s.pass_at_k or {}).items() if v is not None), default=1)
    passed = (s.pass_at_k or {}).get(most)
    tokens = "" if not s.prompt_tokens and not s.completion_tokens else f"{s.completion_tokens:.0f}"
    return (
        name,
        str(s.num_episodes),
        percent(s.solve_rate),
        interval(s.ci95),
        f"{percent(passed)} (k={most})" if most > 1 else "",
        f"{percent((s.pass_hat_k or {}).get(most))} (k={most})" if most > 1 else "",
        percent(s.chance_corrected),
        "" if s.mean_return is None else f"{s.mean_return:.3f}",
        "" if s.mean_turns is None else f"{s.mean_turns:.1f}",
        tokens,
        "" if s.cost is None else f"{s.cost * s.num_episodes:.4g}",
        "" if s.latency_s is None else f"{s.latency_s:.1f}",
        percent(s.truncation_rate),
        percent(s.cut_rate) if tokens else "",
        percent(s.format_error_rate),
        percent(s.refusal_rate) if s.refusal_rate else "",
        str(s.num_errors),
    )


def comparison(runs: Sequence[Evaluation]) -> Table:
    """Build a table with agents in columns and environments in rows; folders distinguish agents of the same name."""
    names = [r.agent for r in runs]
    header = ["env", *(r.agent if names.count(r.agent) == 1 else f"{r.agent} ({r.folder.name})" for r in runs)]
    envs = sorted(dict.fromkeys(env for r in runs for env in r.scores), key=family_of)
    rows: list[Sequence[str]] = [[html.short_id(env), *(_rate(r.scores.get(env)) for r in runs)] for env in envs]
    if len(envs) > 1 and all(set(r.scores) == set(envs) for r in runs):
        rows.append([OVERALL, *(_rate(overall(list(r.scores.values()))) for r in runs)])
    return header, rows


def _rate(scores: Scores | None) -> str:
    known = scores is not None and scores.solve_rate is not None
    return f"{percent(scores.solve_rate)} ({interval(scores.ci95)})" if known and scores else ""


def before_and_after(run: Training) -> Table:
    """Build a table of the test solve rate before the first step, after the last, and in between."""
    header = (
        "after step", "sampled", "95 % interval", "greedy", "95 % interval", "return", "turns", "tokens", "errors"
    )  # fmt: skip
    tasks = int(run.config.get("eval_tasks", 0))
    return header, [_test_cells(name, record, tasks) for name, record in by_environment(run.tests)]


def _test_cells(name: str, r: Mapping[str, Any], tasks: int) -> Sequence[str]:
    cells = [name]
    tasks *= max(1, sum(key.startswith("sampled_solved/") for key in r))  # a mixture's: of all its environments
    for kind in ("sampled", "greedy"):
        played = tasks - int(r.get(f"{kind}_errors", 0))
        rate = float(r[f"{kind}_solved"])
        known = played > 0
        cells += [percent(rate), interval(wilson(min(played, rate * played), played)) if known else ""]
    figures = (("return", ".3f"), ("turns", ".1f"), ("tokens", ".0f"), ("errors", ".0f"))
    values = [(r.get(f"sampled_{name}"), form) for name, form in figures]
    return cells + ["" if value is None else format(value, form) for value, form in values]


def _training_title(run: Training) -> str:
    return f"{trained_on(run.config)}: {run.folder}"


# ---- pages ---------------------------------------------------------------------------------------------------------


def write_page(run: Run, extra_episodes: int = EXTRA_EPISODES) -> Path:
    """Write report.html into the run's folder and return its path."""
    return write_app([run.folder], run.folder / "report.html", extra_episodes)


def write_comparison(runs: Sequence[Run], path: Path, extra_episodes: int = EXTRA_EPISODES) -> Path:
    """Write a page with all runs, and return its path."""
    return write_app([run.folder for run in runs], path, extra_episodes)
