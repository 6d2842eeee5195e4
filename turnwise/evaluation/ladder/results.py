"""What agents solved at each level of each environment, from the folders of evaluations, suites and ladders."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from turnwise.core.episode import read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, parse_spec
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Measuring, chance_of
from turnwise.evaluation.fingerprints import digest
from turnwise.evaluation.ladder.scale import label
from turnwise.evaluation.store import FREE_OPTIONS

__all__ = ["Row", "names_of", "read_results"]


@dataclass(frozen=True)
class Row:
    """What an agent solved at one level of an environment.

    Attributes:
        agent: Its name.
        env: The environment with its settings, without the level.
        level: The level.
        solved: Sum over the tasks of the share of their episodes that was solved.
        tasks: Number of tasks; several episodes of one count once.
        chance: The random agent's solve rate.
    """

    agent: str
    env: str
    level: int
    solved: float
    tasks: int
    chance: float


def read_results(
    folders: Iterable[str | Path], measuring: Measuring | None = None, notify: Callable[[str], None] = lambda text: None
) -> list[Row]:
    """Read the scored episodes of runs, by agent, environment and level; runs of the same agent are put together.

    Args:
        folders: Of `turnwise eval` and `turnwise ladder`.
        measuring: Called for the random agent's episodes while a chance rate is measured.
        notify: Called with what was left out.

    Raises:
        SettingsError: A folder has no run.
    """
    counts: dict[tuple[str, str, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    chances: dict[tuple[str, int], float] = {}
    for folder in map(Path, folders):
        agent, config = _config(folder)
        if config.tries > 1:
            notify(f"left out {folder}: with {config.tries} tries its levels are not those of other runs")
            continue
        places = _places(folder, config, notify)
        for episode in read_episodes(folder / "episodes.jsonl"):
            found = places.get((episode.job.env, _key(episode.job.settings)))
            if found is None or episode.status != "done":
                continue
            spec, env, level = found
            if (env, level) not in chances:
                chance = chance_of(config, spec, measuring)
                if chance is None:
                    raise SettingsError(f"{folder}: the random agent's solve rate in {spec} is not known")
                chances[env, level] = chance
            task = counts[agent, env, level][episode.seed]
            task[0] += episode.solved
            task[1] += 1
    return [
        Row(*key, sum(solved / samples for solved, samples in tasks.values()), len(tasks), chances[key[1:]])
        for key, tasks in sorted(counts.items())
    ]


def _config(folder: Path) -> tuple[str, EvalConfig]:
    """Return the agent's name, with a digest of its options if it has any, and what it played."""
    if missing := [name for name in ("config.json", "episodes.jsonl") if not (folder / name).is_file()]:
        raise SettingsError(f"{folder} holds no evaluation and no ladder: it has no {' and no '.join(missing)}")
    try:
        data = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        config, name = EvalConfig.from_dict(data["config"]), str(data["agent"])
    except (KeyError, TypeError, ValueError) as error:
        raise SettingsError(f"{folder / 'config.json'} cannot be read: {error}") from error
    options = {key: value for key, value in config.agent_options.items() if key not in FREE_OPTIONS}
    if config.system:
        options["system"] = config.system
    return (f"{name} {digest(options)[:6]}" if options else name), config


def _places(
    folder: Path, config: EvalConfig, notify: Callable[[str], None]
) -> Mapping[tuple[str, str], tuple[str, str, int]]:
    """Return the environment and the level of each combination of settings that counts."""
    found, without = {}, []
    for spec in config.envs:
        env_id, settings = parse_spec(spec)[0], config.settings_of(spec)
        level = settings.get("difficulty")
        if settings.get("split") == "train" or type(level) is not int:
            without.append(spec)
        elif 1 <= level <= len(env_class(env_id).levels):
            found[env_id, _key(settings)] = spec, label(env_id, settings), level
    if without:
        more = f" and {len(without) - 3} more" if len(without) > 3 else ""
        notify(f"{folder}: left out {', '.join(without[:3])}{more}: not played at a difficulty level of the test split")
    return found


def _key(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True)


def names_of(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return the agents and the environments of results, each once, in order."""
    return sorted({row.agent for row in rows}), sorted({row.env for row in rows})
