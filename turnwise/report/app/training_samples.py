"""The sample episodes of a training run, as its file grows, and what the app shows of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from turnwise.report.html import visible

__all__ = ["Samples", "groups_of", "readable", "story"]


class Samples:
    """The lines of samples.jsonl by step, read as they are appended; a resumed run may have cut some off."""

    def __init__(self, path: Path) -> None:
        self._path, self.generation = path, 0
        self._begin()

    def _begin(self) -> None:
        self.generation += 1
        self._offset, self._end = 0, b""
        self.by_step: dict[int, list[bytes]] = {}

    def refresh(self) -> None:
        """Read what was appended; an incomplete line, which a killed run may leave, waits for its end."""
        if not self._path.exists():
            self._begin()
            return
        with self._path.open("rb") as file:
            file.seek(max(0, self._offset - len(self._end)))
            if file.read(len(self._end)) != self._end:
                self._begin()
                file.seek(0)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                if line.strip():
                    self.by_step.setdefault(int(json.loads(line)["step"]), []).append(line)
                self._offset, self._end = self._offset + len(line), line[-200:]


def groups_of(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """The groups of a step: what is asked, and how the rollouts ended."""
    groups: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for line in lines:
        record = json.loads(line)
        groups.setdefault((record.get("split", "train"), record["group"]), []).append(record)
    found = []
    for (split, group), members in groups.items():
        first = members[0]
        asked = first["turns"][0]["observation"] if first["turns"] else first["error"]
        found.append({
            "split": split, "group": group, "env": visible(first["env"], 200), "head": visible(asked[:200], 200),
            "returns": [None if r["status"] == "error" else r["return"] for r in members],
            "solved": sum(bool(r["solved"]) for r in members), "size": len(members),
        })  # fmt: skip
    return found


def readable(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose texts hold nothing that is not seen."""
    turns = [
        {
            **turn,
            "observation": visible(turn["observation"]),
            "action": visible(turn["action"]),
            **({"pieces": [visible(piece) for piece in turn["pieces"]]} if "pieces" in turn else {}),
        }
        for turn in record["turns"]
    ]
    own = {name: visible(str(record[name])) for name in ("env", "seed", "error", "final_observation")}
    return {**record, **own, "settings": visible(json.dumps(record["settings"]), 500), "turns": turns}


def story(first: Sequence[Mapping[str, Any]], last: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one test task as it went in two evaluations: if there is one, a task that was failed and then solved."""
    before, after = (
        {r["group"]: r for r in side if r.get("split") == "test" and r["status"] != "error"} for side in (first, last)
    )

    def told(group: int) -> tuple[bool, bool, int]:
        return not after[group]["solved"], bool(before[group]["solved"]), -len(after[group]["turns"])

    shared = [group for group in before if group in after]
    return [dict(side[min(shared, key=told)]) for side in (before, after)] if shared else []
