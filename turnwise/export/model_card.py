"""An evaluation as a section of a Hugging Face model card: its ``model-index`` and the tables in Markdown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turnwise.core.errors import SettingsError
from turnwise.core.files import replace_file
from turnwise.evaluation.compare import Run, read_run
from turnwise.evaluation.headline import Part
from turnwise.report.evaluation import scores_table
from turnwise.report.html import short_id, visible
from turnwise.report.standing import standing_markdown
from turnwise.report.tables import markdown_table, one_line

__all__ = ["model_card", "model_index", "write_model_card"]

HOME = "https://github.com/turnwise-rl/turnwise"
TASK = {"type": "text-generation", "name": "Text Generation"}


def write_model_card(runs: list[Path], out: Path, name: str = "") -> Path:
    """Write the card's section; ``out`` is a file that ends in ``.md``.

    Args:
        runs: Folders of finished evaluations of one model.
        out: The file.
        name: Name of the model; empty: that of the agent.

    Raises:
        SettingsError: A folder has no finished evaluation, or the agents differ and no name is given.
    """
    if out.suffix != ".md":
        raise SettingsError(f"OUT is {str(out)!r}; its name must end in .md")
    found = [read_run(run) for run in runs]
    agents = sorted({run.agent for run in found})
    if len(agents) > 1 and not name:
        raise SettingsError(f"the runs are of {' and '.join(agents)}; --name says whose card it is")
    out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(out, [model_card(found, name or agents[0]).encode(errors="backslashreplace")])
    return out


def model_card(runs: list[Run], name: str) -> str:
    """The metadata in front, then a section with a table for each run."""
    index = json.dumps(model_index(runs, name), indent=1)  # JSON is YAML
    return f"---\nmodel-index: {index}\n---\n\n{_section(runs)}"


def model_index(runs: list[Run], name: str) -> list[dict[str, Any]]:
    """The entry ``model-index`` of a card, as the Hub reads it.

    Source: the Hub's specification of model cards, docs/hub-docs/modelcard.md (``task``, ``dataset``, ``metrics``,
    ``source`` of each result).
    """
    return [{"name": visible(name), "results": [result for run in runs for result in _results(run)]}]


def _results(run: Run) -> Iterator[dict[str, Any]]:
    suite, config, split = run.summary.suite, run.config, run.config.split or "all"
    common = {"seed": config.seed, "num_samples": config.num_samples, "turnwise": run.versions.get("turnwise")}
    if suite is not None:
        about = {"hash": suite.about.get("hash"), "environments": suite.about.get("environments"), **common}
        title = str(suite.about.get("name"))
        domains = {domain: suite.domains[domain] for domain, _ in suite.about["parts"]}
        for domain, part in {"": suite.headline, **domains}.items():
            named = f"turnwise {title}" + (f" ({domain})" if domain else "")
            if metrics := list(_part_metrics(part)):
                yield _result(f"turnwise/{title}", named, domain, split, about, metrics)
        return
    for env, scores in run.summary.environments.items():
        metrics = list(_part_metrics(Part(scores.chance_corrected, None, scores)))
        if metrics:
            settings = {"settings": config.settings_of(env), **common}
            yield _result("turnwise", short_id(env), env, split, settings, metrics)


def _result(
    kind: str, name: str, part: str, split: str, args: dict[str, Any], metrics: list[dict[str, Any]]
) -> dict[str, Any]:
    dataset = {"type": kind, "name": name, **({"config": part} if part else {}), "split": split, "args": args}
    return {"task": TASK, "dataset": dataset, "metrics": metrics, "source": {"name": "turnwise", "url": HOME}}


def _part_metrics(part: Part) -> Iterator[dict[str, Any]]:
    """The score in points, then the solve rate in percent; each says its interval in its name."""
    rows = (
        ("chance_corrected_solve_rate", "score, corrected for chance", part.score, part.ci95),
        ("solve_rate", "solve rate", part.scores.solve_rate, part.scores.ci95),
    )
    for kind, words, value, ci95 in rows:
        if value is not None:
            ends = "" if ci95 is None else f" (95 % interval {100 * ci95[0]:.1f} to {100 * ci95[1]:.1f})"
            yield {"type": kind, "name": f"{words}{ends}", "value": round(100 * value, 2)}


def _section(runs: list[Run]) -> str:
    parts = [
        "## Evaluation\n\n"
        f"Measured with [turnwise]({HOME}): multi-turn environments whose rewards are verified by programs. Scores are "
        "solve rates corrected for chance, in points of 100; intervals are 95 %."
    ]
    for run in runs:
        if run.summary.suite is not None:
            title, table = str(run.summary.suite.about.get("name")), standing_markdown(run.summary.suite)
        else:
            title, table = "Environments", markdown_table(*scores_table(run.summary.environments))
        parts.append(f"### {one_line(title)}\n\n{table}\n\n{_how(run)}")
    return "\n\n".join(parts) + "\n"


def _how(run: Run) -> str:
    """The settings that someone else needs to play the same tasks."""
    config, suite = run.config, run.summary.suite
    what = f"suite:{suite.about.get('name')}" if suite is not None else "the environments above"
    facts = [f"`turnwise eval` of {what}", f"seed {config.seed}", f"{config.num_samples} sample(s) per task"]
    facts += [f"split {config.split or 'all'}", f"turnwise {run.versions.get('turnwise')}"]
    if config.agent_options:
        facts.append("options " + ", ".join(f"{k} = {v}" for k, v in config.agent_options.items()))
    return one_line("; ".join(facts)) + "."
