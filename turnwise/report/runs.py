"""Runs: a folder with episodes.jsonl is an evaluation, one with metrics.jsonl and config.json a training run."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from turnwise.core.episode import Episode, read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Scores, Tally, score
from turnwise.core.origins import recall
from turnwise.core.registration import parse_spec
from turnwise.evaluation.chance import recorded_chance
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import about_suite
from turnwise.evaluation.headline import Standing, standing
from turnwise.evaluation.prices import read_prices
from turnwise.report.training import Training, read_training

__all__ = [
    "Evaluation",
    "Run",
    "Training",
    "config_of",
    "evaluation_of",
    "json_of",
    "load_run",
    "load_runs",
    "price_of",
]

NOBODY = "nothing played yet"
Price = Callable[[Episode], float | None]


@dataclass(frozen=True)
class Evaluation:
    """An evaluation's folder.

    Attributes:
        folder: Path of the folder.
        agent: The agent's name.
        config: Its config.json.
        episodes: The last record of each job.
        scores: Scores by environment (and settings, if one was played with several).
        missing: Reasons why environments are not registered here, by id.
        standing: The suite's headline and its parts; None without a suite.
    """

    folder: Path
    agent: str
    config: Mapping[str, Any]
    episodes: Sequence[Episode]
    scores: Mapping[str, Scores]
    missing: Mapping[str, str] = field(default_factory=dict)
    standing: Standing | None = None


Run = Evaluation | Training


def load_runs(folders: Iterable[Path]) -> list[Run]:
    """Load the runs in these folders, or in folders below them.

    Raises:
        SettingsError: A folder has no runs, or one cannot be read.
    """
    return [load_run(folder) for folder in run_folders(folders)]


def run_folders(folders: Iterable[Path], *, begun: bool = False) -> list[Path]:
    """The folders of runs among these and below them.

    Args:
        folders: Where to look.
        begun: Take evaluations that have no episode yet, too.

    Raises:
        SettingsError: A folder has none.
    """
    runs: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise SettingsError(f"{folder} is not a folder")
        inner = [folder] if _is_run(folder, begun) else sorted(folder.rglob("*/"))
        found = [path for path in inner if _is_run(path, begun)]
        if not found:
            raise SettingsError(
                f"{folder} holds no run: neither episodes.jsonl (of `turnwise eval`) nor metrics.jsonl and config.json "
                "(of `turnwise train`)"
            )
        runs += found
    return runs


def _is_run(folder: Path, begun: bool) -> bool:
    names = [(folder / name).is_file() for name in ("episodes.jsonl", "metrics.jsonl", "config.json")]
    return names[0] or (names[1] and names[2]) or (begun and names[2] and _has_begun(folder))


def _has_begun(folder: Path) -> bool:
    """Whether config.json is that of an evaluation."""
    try:
        return config_of(json_of(folder / "config.json")) is not None
    except ValueError:
        return False


def is_training(folder: Path) -> bool:
    """Whether a run's folder has a training run."""
    return not (folder / "episodes.jsonl").exists() and not _has_begun(folder)


def load_run(folder: Path) -> Run:
    """Load the evaluation or training run in a folder; imports the modules of an evaluation's environments.

    Raises:
        SettingsError: A file cannot be read.
    """
    if is_training(folder):
        return read_training(folder)
    try:
        config = json_of(folder / "config.json")
        latest = {e.job.name: e for e in read_episodes(folder / "episodes.jsonl")}
        return evaluation_of(folder, config, list(latest.values()))
    except ValueError as error:
        raise SettingsError(f"{folder} cannot be read: {error}") from error


def evaluation_of(
    folder: Path, config: Mapping[str, Any], episodes: Sequence[Episode], price: Price | None = None
) -> Evaluation:
    """Score episodes again, since an interrupted evaluation has no summary.json or an old one.

    Args:
        folder: The folder of the run.
        config: Its config.json.
        episodes: The last record of each job.
        price: What an episode costs; None reads the prices that the config names, if they are still there.
    """
    missing = {env: recall(env, config.get("env_modules")) for env in sorted({e.env for e in episodes})}
    made = config_of(config)
    names = {} if made is None else {job.name: env for env in made.envs for job in made.jobs_of(env)}
    groups: dict[str, list[Episode]] = {name: [] for name in dict.fromkeys(names.values())}
    for episode in episodes:
        groups.setdefault(names.get(episode.job.name, episode.env), []).append(episode)
    summary = json_of(folder / "summary.json")
    parts = summary.get("environments", {})
    price = price or price_of(made)
    ks = (1,) if made is None else made.ks
    scores, tasks = {}, {}
    for env, group in groups.items():
        tally = Tally()
        for episode in group:
            tally.add(episode)
        tasks[env] = tally.counts
        if group:
            chance = parts[env].get("chance") if env in parts else _chance(made, env)
            scores[env] = _with_measures(score(group, ks, chance, price), parts.get(env))
    agents = sorted({e.agent for e in episodes})
    named = ", ".join(agents) or str(config.get("agent") or NOBODY)
    whole = summary.get("overall", {})
    finished = whole.get("num_episodes", 0) + whole.get("num_errors", 0) == len(episodes) and "suite" in summary
    suite = Standing.from_dict(summary["suite"]) if finished else _standing(made, scores, tasks)
    return Evaluation(folder, named, config, episodes, scores, {e: w for e, w in missing.items() if w}, suite)


def _with_measures(scores: Scores, part: Mapping[str, Any] | None) -> Scores:
    """Add the further figures of summary.json, if it is about as many episodes."""
    if part is None or part.get("num_episodes") != scores.num_episodes or not part.get("measures"):
        return scores
    return replace(scores, measures=Scores.from_dict(part).measures)


def _standing(
    made: EvalConfig | None, scores: Mapping[str, Scores], tasks: Mapping[str, Sequence[tuple[int, int]]]
) -> Standing | None:
    """A suite's result so far."""
    if made is None or made.suite is None:
        return None
    cells = made.suite["cells"]
    every = {cell["spec"]: scores.get(cell["spec"], Scores(0, 0, 0)) for cell in cells}
    return standing(about_suite(made), cells, every, tasks)


def _chance(made: EvalConfig | None, env: str) -> float | None:
    """The chance rate that the environment's class records, if it is registered here."""
    try:
        return None if made is None or made.tries > 1 else recorded_chance(parse_spec(env)[0], made.settings_of(env))
    except SettingsError:
        return None


def config_of(config: Mapping[str, Any]) -> EvalConfig | None:
    """The settings of an evaluation; None if its config.json is not one of `evaluate`, or its environments are gone."""
    try:
        return EvalConfig.from_dict(config["config"])
    except (KeyError, TypeError, SettingsError):  # SettingsError: an environment that is not registered here
        return None


def price_of(made: EvalConfig | None) -> Price | None:
    """What episodes cost, by the prices that the run was given, if their file is still there."""
    try:
        return None if made is None or made.prices is None else read_prices(made.prices)
    except SettingsError:
        return None


def json_of(path: Path) -> dict[str, Any]:
    """Read a JSON file; {} if it does not exist."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}
