"""An evaluation in the app: its figures, a row for each episode, and the episodes in pieces.

The file of episodes is read as it grows. Rows are columns of values, in parts of `ROWS` episodes; transcripts are in
shards of `SHARD` episodes: a line of JSON with the numbers, then the texts, separated by control characters that no
text has (`visible` escapes them), so that a search runs over a shard without parsing it.
"""

import dataclasses
import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.core.episode import Episode, Turn
from turnwise.core.errors import SettingsError
from turnwise.report.app.figures import figures
from turnwise.report.app.replays import Replays
from turnwise.report.app.rows import FLAGS, columns, shard
from turnwise.report.app.sources import no_answer, packed
from turnwise.report.html import state_of, visible
from turnwise.report.pictures import draws
from turnwise.report.runs import Evaluation, config_of, evaluation_of, json_of, price_of

__all__ = ["ROWS", "SHARD", "EvaluationSource"]

ROWS, SHARD = 5000, 500
OPENING = 4000
"""Characters of an episode's first text that its heading is taken from."""
SLICE = 5000
"""Episodes that one `EvaluationSource.refresh` reads at most, so that a page sees the beginning of a long file."""


class EvaluationSource:
    """An evaluation's folder, read as it grows.

    Args:
        folder: The folder.
        extra_episodes: Episodes of a written page that get the environment's pictures and the oracle's way.
    """

    kind = "evaluation"

    def __init__(self, folder: Path, extra_episodes: int = 0) -> None:
        self.folder = folder
        self.config = json_of(folder / "config.json")
        self._made = config_of(self.config)
        self._price = price_of(self._made)
        self._extra_episodes = extra_episodes
        self.replays = Replays(self._made)
        self._generation = -1
        self._seen: deque[tuple[float, int]] = deque(maxlen=120)
        self._begin()

    def _begin(self) -> None:
        """Forget everything: the file is another one."""
        self._generation += 1
        self._offset, self._inode = 0, -1
        self.places: list[tuple[int, int]] = []  # where each episode's line is in the file
        self.episodes: list[Episode] = []  # without their texts
        self._latest: dict[str, int] = {}
        self._dead: list[int] = []
        self._blobs: dict[str, bytes] = {}
        self._about: dict[str, Any] | None = None
        self._open: list[Episode] = []  # those of the last part, with their first observations

    # ---- reading -----------------------------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Read what was appended, at most `SLICE` episodes; True if there was anything."""
        path = self.folder / "episodes.jsonl"
        try:
            state = path.stat()
        except OSError:
            return False
        if state.st_size < self._offset or (self._inode >= 0 and state.st_ino != self._inode):
            self._begin()
        if state.st_size == self._offset:
            return False
        self._inode = state.st_ino
        found = self._lines(path)
        if not found:
            return False
        self._add(found)
        self._about = None
        self._seen.append((time.monotonic(), len(self._latest)))
        return True

    def read(self) -> None:
        """Read everything that is there."""
        while self.refresh():
            pass

    def _lines(self, path: Path) -> list[Episode]:
        """The next episodes; an unfinished last line waits for its end, and a damaged one for the next call."""
        found: list[Episode] = []
        with path.open("rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n") or len(found) == SLICE:
                    break
                if line.strip():
                    try:
                        found.append(Episode.from_json(line.decode()))
                    except ValueError as error:
                        if found:
                            break
                        raise SettingsError(f"{path} cannot be read: {error}") from error
                    self.places.append((self._offset, len(line)))
                self._offset += len(line)
        return found

    def _add(self, found: Sequence[Episode]) -> None:
        """Make rows and shards of new episodes; the last of each, which is not full, is made again the next time."""
        shard_from = len(self.episodes) // SHARD * SHARD
        before = [self.episode(n) for n in range(shard_from, len(self.episodes))]
        for episode in found:
            number = len(self.episodes)
            old = self._latest.get(episode.job.name)
            if old is not None:
                self._dead.append(old)
            self._latest[episode.job.name] = number
            self.episodes.append(_thin(episode))
        texts = [*before, *found]
        for name in [n for n in self._blobs if n.startswith(("rows", "shard")) and n.endswith("+")]:
            del self._blobs[name]
        for i in range(0, len(texts), SHARD):
            part = texts[i : i + SHARD]
            self._blobs[self._name("shard", (shard_from + i) // SHARD, len(part), SHARD)] = packed(shard(part))
        self._open += [_thin(episode, OPENING) for episode in found]
        first = len(self.episodes) - len(self._open)
        for i in range(0, len(self._open), ROWS):
            part = self._open[i : i + ROWS]
            name = self._name("rows", (first + i) // ROWS, len(part), ROWS)
            self._blobs[name] = packed(columns(part, self._price))
        self._open = self._open[len(self._open) // ROWS * ROWS :]

    def _name(self, kind: str, number: int, size: int, full: int) -> str:
        """A name that is never given to other data; those that are not full end in +."""
        return f"{kind}{number}.{self._generation}" + ("" if size == full else f".{size}+")

    def episode(self, number: int) -> Episode:
        """Read an episode again, whole."""
        start, length = self.places[number]
        with (self.folder / "episodes.jsonl").open("rb") as file:
            file.seek(start)
            return Episode.from_json(file.read(length).decode())

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def about(self) -> Mapping[str, Any]:
        if self._about is None:
            alive = [self.episodes[n] for n in self._latest.values()]
            run = self._scored(alive)
            self.replays.missing = run.missing
            self._about = {
                "name": visible(run.agent, 200),
                "folder": visible(self.folder.resolve().name, 200),
                **figures(run, self._made),
                "notes": [visible(why) for why in run.missing.values()],
                "config": visible(json.dumps(self.config, indent=2, sort_keys=True)),
                "count": len(self.episodes),
                "dead": self._dead,
                "flags": FLAGS,
                "drawn": sorted({e.env for e in alive if e.env not in run.missing and draws(e.env)}),
                "rows": _in_order(self._blobs, "rows"),
                "shards": _in_order(self._blobs, "shard"),
                "shard_size": SHARD,
            }
        return {**self._about, "rate": self._rate()}

    def _scored(self, alive: Sequence[Episode]) -> Evaluation:
        try:
            return evaluation_of(self.folder, self.config, alive, self._price)
        except (ValueError, KeyError, TypeError) as error:  # a summary.json of something else
            raise SettingsError(f"{self.folder} cannot be read: {error!r}") from error

    def _rate(self) -> float | None:
        """Episodes a second while this process has been looking; None if none was added."""
        if len(self._seen) < 2:
            return None
        (t0, n0), (t1, n1) = self._seen[0], self._seen[-1]
        return (n1 - n0) / (t1 - t0) if t1 > t0 and n1 > n0 else None

    def latest(self) -> dict[str, Episode]:
        """The last record of each job, by its name, without texts."""
        return {name: self.episodes[number] for name, number in self._latest.items()}

    def blobs(self) -> Mapping[str, bytes]:
        return self._blobs

    def extras(self) -> Mapping[str, bytes]:
        """The environment's pictures and the oracle's way, for some episodes of every kind."""
        found: dict[str, bytes] = {}
        alive = {n: self.episodes[n] for n in self._latest.values()}
        self.about()  # which environments are missing
        for number in chosen(alive, self._extra_episodes):
            episode = self.episode(number)
            for what in ("pictures", "way"):
                answer = self.replays.answer(what, episode, {})
                if "none" not in answer:
                    found[f"{what}{number}"] = packed(answer)
        return found

    def answer(self, what: str, arguments: Mapping[str, Any]) -> Any:
        number = arguments.get("episode")
        if what in ("pictures", "way", "play"):
            if type(number) is not int or not 0 <= number < len(self.episodes):
                raise SettingsError(f"episode is {number!r}; it must be from 0 to {len(self.episodes) - 1}")
            return self.replays.answer(what, self.episode(number), arguments)
        if what in ("step", "hint", "end"):
            return self.replays.go_on(what, arguments)
        raise no_answer(what)


def _in_order(blobs: Mapping[str, bytes], kind: str) -> list[str]:
    names = [name for name in blobs if name.startswith(kind)]
    return sorted(names, key=lambda name: int(name.removeprefix(kind).split(".")[0]))


def chosen(episodes: Mapping[int, Episode], most: int) -> list[int]:
    """Choose at most ``most`` episodes, evenly over environments and outcomes; none whose infrastructure failed."""
    kinds: dict[tuple[str, str], list[int]] = {}
    for number, episode in episodes.items():
        if episode.status == "done":
            kinds.setdefault((episode.env, state_of(episode)), []).append(number)
    found: list[int] = []
    depth = 0
    while len(found) < min(most, sum(map(len, kinds.values()))):
        found += [numbers[depth] for numbers in kinds.values() if depth < len(numbers)][: most - len(found)]
        depth += 1
    return sorted(found)


def _thin(episode: Episode, opening: int = 0) -> Episode:
    """The episode without its texts: all that its figures are computed from.

    Args:
        episode: The whole one.
        opening: Characters of its first text that are kept.
    """
    turns = tuple(
        Turn(
            t.observation[: opening * (i == 0)], "", t.reward, t.invalid, t.finish, t.prompt_tokens,
            t.completion_tokens, served=t.served, internal=t.internal,
        )
        for i, t in enumerate(episode.turns)
    )  # fmt: skip
    last = "" if turns else episode.final_observation[:opening]
    return dataclasses.replace(episode, turns=turns, final_observation=last)
