"""Where the episodes of an evaluation are kept: in memory, or in a folder that survives kills."""

import contextlib
import dataclasses
import json
import platform
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.episode import Episode, read_episodes, write_episode
from turnwise.core.errors import SettingsError
from turnwise.core.files import locked, replace_file
from turnwise.core.origins import origins_of
from turnwise.core.registration import parse_spec
from turnwise.evaluation.config import EvalConfig

__all__ = ["Folder", "Memory", "claim", "opened"]

FREE = (
    "out", "concurrency", "env_workers", "retries", "ks", "chance_episodes", "prices", "budget", "request_log",
    "rerank", "rerank_options",
)  # fmt: skip
"""Fields that may differ between runs in the same folder, because they change no episode."""

FREE_OPTIONS = (
    "timeout_s", "max_retries", "backoff_s", "give_up_after", "api_key_env", "requests_per_minute", "tokens_per_minute",
    "stream", "request_log",
)  # fmt: skip
"""The same for an agent's options: those about timeouts, retries and how requests are sent."""


class Memory:
    """Keeps episodes in a list."""

    def __init__(self, config: EvalConfig) -> None:
        self.env_of = _envs(config)
        self.order = {name: index for index, name in enumerate(self.env_of)}
        self.played: set[str] = set()
        self._episodes: list[Episode] = []

    def add(self, episode: Episode) -> None:
        self._episodes.append(episode)

    def kept(self) -> Iterable[Episode]:
        """The episodes so far, in any order."""
        return self._episodes

    def in_order(self) -> Iterable[Episode]:
        return sorted(self._episodes, key=lambda episode: self.order[episode.job.name])


class Folder:
    """Keeps episodes in a file, including those played earlier."""

    def __init__(self, config: EvalConfig, path: Path) -> None:
        self.path, self.env_of = path, _envs(config)
        self.order = {name: index for index, name in enumerate(self.env_of)}
        self.played = self._tidy(errors=False)

    def add(self, episode: Episode) -> None:
        write_episode(self.path, episode)

    def kept(self) -> Iterable[Episode]:
        """The episodes so far, in any order."""
        return read_episodes(self.path)

    def in_order(self) -> Iterable[Episode]:
        self._tidy(errors=True)
        return read_episodes(self.path)

    def _tidy(self, *, errors: bool) -> set[str]:
        """Sort the lines by job and drop an unfinished one; return the names of their jobs."""
        places: dict[str, tuple[int, int]] = {}
        if not self.path.exists():
            return set()
        with self.path.open("rb") as file:
            start = 0
            for line in file:
                if line.endswith(b"\n") and line.strip():
                    episode = Episode.from_json(line.decode())
                    if episode.job.name not in self.order:
                        raise SettingsError(f"{self.path} has an episode of another evaluation: {episode.job.name}")
                    if errors or episode.status == "done":
                        places[episode.job.name] = (start, len(line))
                start += len(line)
        with self.path.open("rb") as file:
            names = sorted(places, key=self.order.__getitem__)
            replace_file(self.path, (_slice(file, *places[name]) for name in names))
        return set(places)


def _envs(config: EvalConfig) -> dict[str, str]:
    """Return the environment of each job as the config names it, in the order of the jobs."""
    return {job.name: env for env in config.envs for job in config.jobs_of(env)}


def _slice(file: Any, start: int, length: int) -> bytes:
    file.seek(start)
    data: bytes = file.read(length)
    return data


def _change(name: str, before: Any, now: Any) -> str:
    """Describe a setting that differs; for long lists, the elements that only one of them has."""
    if not (isinstance(before, list) and isinstance(now, list) and len(before) + len(now) > 6):
        return f"{name} was {before!r}, is {now!r}"
    parts = []
    for words, items, other in (("no longer has", before, now), ("has also", now, before)):
        if only := [str(item) for item in items if item not in other]:
            more = f" and {len(only) - 3} more" if len(only) > 3 else ""
            parts.append(f"{words} {', '.join(only[:3])}{more}")
    return f"{name} {' and '.join(parts) or 'has another order'}"


def claim(folder: Path, config: EvalConfig, agent: str, *, made: bool) -> None:
    """Write ``config.json``, unless the folder belongs to another config."""
    ours: dict[str, Any] = {"config": config.to_dict(), "agent": agent, "versions": _versions()}
    if not made:
        ours["config"]["agent"] = f"(given: {agent})"
    origins = origins_of(parse_spec(env)[0] for env in config.envs)
    path = folder / "config.json"
    if path.exists():
        theirs, mine = json.loads(path.read_text()), dict(ours["config"])
        unset = {f.name: f.default for f in dataclasses.fields(config) if f.default in (None, False)}
        theirs["config"] = {
            **unset,
            "tasks_of": {},
            "wordings": [],
            **theirs["config"],
        }  # it may be from before they were settings
        for side in (theirs["config"], mine):
            side["agent_options"] = {k: v for k, v in side["agent_options"].items() if k not in FREE_OPTIONS}
        before = {**theirs["config"], "agent's name": theirs["agent"], "turnwise": theirs["versions"]["turnwise"]}
        now = {**mine, "agent's name": agent, "turnwise": ours["versions"]["turnwise"]}
        changed = [name for name in {**before, **now} if name not in FREE and before.get(name) != now.get(name)]
        if changed:
            lines = "; ".join(_change(name, before.get(name), now.get(name)) for name in changed)
            raise SettingsError(f"{folder} has the results of another evaluation: {lines}. Choose another folder")
        origins = {**theirs.get("env_modules", {}), **origins}
    elif (folder / "episodes.jsonl").exists():
        raise SettingsError(f"{folder} has an episodes.jsonl but no config.json; choose another folder")
    if origins:
        ours["env_modules"] = origins
    replace_file(path, [json.dumps(ours, indent=2, sort_keys=True).encode() + b"\n"])


@contextlib.contextmanager
def opened(config: EvalConfig, agent: str, *, made: bool, doing: str) -> Iterator[Memory | Folder]:
    """Open the store of a run: ``config.out``, which nobody else writes to meanwhile, or memory if there is none.

    Args:
        config: The run.
        agent: Name of the agent.
        made: As for `claim`.
        doing: What an error says that another process does in the folder.

    Raises:
        SettingsError: The folder is a file, or has the results of another config.
    """
    if config.out is None:
        yield Memory(config)
        return
    folder = Path(config.out)
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"out is {config.out!r}, which is a file; it must be a folder")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, doing):
        claim(folder, config, agent, made=made)
        yield Folder(config, folder / "episodes.jsonl")


def _versions() -> dict[str, str]:
    found = {"turnwise": turnwise.__version__, "python": platform.python_version()}
    for name in ("gymnasium", "numpy", "httpx", "torch", "transformers"):
        if name in sys.modules:
            found[name] = metadata.version(name)
    return found
