"""Judge stored episodes again, to see what they would earn after a verifier or an environment has changed.

The actions of each episode are replayed in the current environment with the same id, settings and seed, wrapped as in
the evaluation. An episode whose task has changed says nothing about the verifier and is counted separately.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import gymnasium

import turnwise
from turnwise.core.episode import Episode, read_episodes, write_episode
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import wilson
from turnwise.core.origins import recall
from turnwise.core.player import replay
from turnwise.core.wrappers import Retry
from turnwise.evaluation.measures.confidence import StatedConfidence
from turnwise.report.html import visible

__all__ = ["Change", "Rescored", "counts", "report", "reverify", "write"]

Change = Literal["same", "now solved", "no longer solved", "other return", "changed task", "not playable", "failed"]
"""Outcomes of judging an episode again. "changed task": the seed now gives another task; "not playable": the
environment is gone, refuses its settings or raises; "failed": the episode failed when it was played, so there is
nothing to judge."""

FLIPS = ("now solved", "no longer solved", "other return")


@dataclass(frozen=True)
class Rescored:
    """A stored episode and its new judgement.

    Attributes:
        old: The episode as stored.
        new: The episode as replayed now; None if it cannot be played or has another task.
        change: The outcome.
        worded: Whether some observation has changed, even if only in wording.
        why: The obstacle, if ``new`` is None.
    """

    old: Episode
    new: Episode | None
    change: Change
    worded: bool = False
    why: str = ""


def reverify(folder: Path, env: str = "", settings: Mapping[str, Any] = {}) -> Iterator[Rescored]:
    """Replay the episodes of an evaluation's folder, in the order of the file; imports the environments' modules.

    Args:
        folder: Folder with episodes.jsonl, and config.json with the number of tries.
        env: Only episodes of this registered id.
        settings: Only episodes with these settings of the environment.

    Raises:
        SettingsError: The folder has no episodes, or they cannot be read.
    """
    path = folder / "episodes.jsonl"
    if not path.exists():
        raise SettingsError(f"{folder} has no episodes.jsonl: it is not a folder of `turnwise eval`")
    manifest = _manifest(folder)
    made: dict[str, gymnasium.Env[str, str] | str] = {}
    try:
        for old in read_episodes(path):
            if (env and old.env != env) or any(old.settings.get(name) != value for name, value in settings.items()):
                continue
            key = f"{old.env}{json.dumps(old.settings, sort_keys=True)}"
            if key not in made:
                made[key] = _made(old, manifest)
            yield _judged(old, made[key])
    except ValueError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    finally:
        for found in made.values():
            if not isinstance(found, str):
                found.close()


def _judged(old: Episode, env: "gymnasium.Env[str, str] | str") -> Rescored:
    if old.status == "error":
        return Rescored(old, None, "failed", why=old.error or "")
    if isinstance(env, str):
        return Rescored(old, None, "not playable", why=env)
    try:
        new = replay(old, env)
    except Exception as error:  # a bug in the environment must not hide the other episodes
        return Rescored(old, None, "not playable", why=f"{type(error).__name__}: {error}")
    if new.status == "error":
        return Rescored(old, None, "not playable", why=new.error or "")
    if new.task_id != old.task_id:
        return Rescored(old, None, "changed task", why=f"task {old.task_id} is {new.task_id} today")
    change: Change = "same"
    if new.solved != old.solved:
        change = "now solved" if new.solved else "no longer solved"
    elif abs(new.episode_return - old.episode_return) > 1e-9:
        change = "other return"
    return Rescored(old, new, change, _said(old) != _said(new))


def _said(episode: Episode) -> list[str]:
    return [*(turn.observation for turn in episode.turns), episode.final_observation]


def _manifest(folder: Path) -> Mapping[str, Any]:
    """Read config.json; empty if the folder has none."""
    path = folder / "config.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except ValueError as error:
        raise SettingsError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, Mapping):
        raise SettingsError(f"{path} cannot be read: it is not a JSON object")
    return found


def _made(episode: Episode, manifest: Mapping[str, Any]) -> "gymnasium.Env[str, str] | str":
    """Create the environment as `turnwise.evaluation.evaluate` wraps it, or return the reason why not."""
    if why := recall(episode.env, manifest.get("env_modules")):
        return why
    config = manifest.get("config")
    config = config if isinstance(config, Mapping) else {}
    try:
        env = gymnasium.make(episode.env, **episode.settings)
        tries = config.get("tries", 1)
        single = env.unwrapped.max_turns == 1  # type: ignore[attr-defined]
        env = Retry(env, tries, config.get("feedback", "detail")) if tries > 1 and single else env
        return StatedConfidence(env) if config.get("confidence") else env
    except Exception as error:
        return f"{type(error).__name__}: {error}"


# ---- output ---------------------------------------------------------------------------------------


def counts(found: Iterable[Rescored]) -> dict[str, dict[Change, int]]:
    """Count episodes by environment and outcome."""
    table: dict[str, dict[Change, int]] = {}
    for item in found:
        row = table.setdefault(item.old.env, dict.fromkeys(get_args(Change), 0))
        row[item.change] += 1
    return dict(sorted(table.items()))


def report(found: Sequence[Rescored]) -> str:
    """Report the counts, the solve rates before and after, and the shortest example of each kind of flip."""
    lines = []
    for env, row in counts(found).items():
        mine = [item for item in found if item.old.env == env]
        judged = [(item.old.solved, item.new.solved) for item in mine if item.new is not None]
        lines.append(f"{env}: {', '.join(f'{n} {change}' for change, n in row.items() if n)}")
        if judged:
            before, after = (_rate([pair[i] for pair in judged]) for i in (0, 1))
            lines.append(f"  solved: {before} before, {after} today")
        if worded := sum(item.worded for item in mine):
            lines.append(f"  {worded} episodes have other observations today")
        for change in (*FLIPS, "changed task", "not playable"):
            some = [item for item in mine if item.change == change]
            if some:
                lines += _example(min(some, key=_size))
    return "\n".join(lines)


def _rate(solved: Sequence[bool]) -> str:
    low, high = wilson(sum(solved), len(solved))
    return f"{sum(solved) / len(solved):.1%} ({low:.1%} to {high:.1%})"


def _size(item: Rescored) -> tuple[int, int]:
    return len(item.old.turns), sum(len(turn.action) for turn in item.old.turns)


def _example(item: Rescored) -> list[str]:
    old, new = item.old, item.new
    lines = [f"  {item.change}: seed {old.seed}, sample {old.sample}"]
    if new is None:
        return [*lines, f"    {visible(item.why, 300)}"]
    last = new.turns[-1] if new.turns else None
    asked, said = (last.observation, last.action) if last else ("", "")
    return [
        *lines,
        f"    asked: {visible(asked, 300)!r}",
        f"    said:  {visible(said, 300)!r}" + (f" (turn {len(new.turns)})" if len(new.turns) > 1 else ""),
        f"    then:  return {old.episode_return:g}: {visible(old.final_observation, 200)!r}",
        f"    today: return {new.episode_return:g}: {visible(new.final_observation, 200)!r}",
    ]


def write(found: Iterable[Rescored], folder: Path, out: Path) -> int:
    """Write the episodes as judged now into a new folder, which `turnwise report` reads like any other.

    Those that could not be judged are written as errors, which are left out of all statistics.

    Args:
        found: The result of `reverify`.
        folder: The folder they were read from.
        out: A folder that does not exist yet or is empty.

    Returns:
        The number of episodes written.

    Raises:
        SettingsError: The folder is not empty.
    """
    if out.resolve() == folder.resolve() or (out.exists() and any(out.iterdir())):
        raise SettingsError(f"{out} is not empty; stored episodes are never changed in place, choose a new folder")
    out.mkdir(parents=True, exist_ok=True)
    config: dict[str, Any] = {}
    with suppress(OSError):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["reverified"] = {"of": str(folder), "turnwise": turnwise.__version__}
    (out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    number = 0
    for item in found:
        unjudged = dataclasses.replace(item.old, status="error", error=f"{item.change}: {item.why}")
        write_episode(out / "episodes.jsonl", item.new or unjudged)
        number += 1
    return number
