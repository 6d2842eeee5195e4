"""Evaluations as logs of Inspect (log format 2), which ``inspect view`` shows; Inspect itself is not needed."""

import datetime
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import turnwise
from turnwise.core.episode import Episode
from turnwise.core.errors import SettingsError
from turnwise.report.evaluation import Evaluation, load_run

__all__ = ["write_inspect_logs"]

SCORES = {"episode_return": "episode_return", "solved": "solved"}
"""Names of the scores, and what of an episode they are."""


def write_inspect_logs(run: Path, out: Path) -> list[Path]:
    """Write the logs of an evaluation, one for each environment and its settings.

    Args:
        run: Folder of ``turnwise eval``.
        out: Folder for the logs; made if it does not exist.

    Raises:
        SettingsError: The folder is not an evaluation, or has no episodes.
    """
    found = load_run(run)
    if not isinstance(found, Evaluation) or not found.episodes:
        raise SettingsError(f"{run} is not the folder of an evaluation with episodes")
    changed = datetime.datetime.fromtimestamp((run / "episodes.jsonl").stat().st_mtime, datetime.UTC)
    created = changed.isoformat(timespec="seconds")
    groups: dict[str, list[Episode]] = {}
    for episode in found.episodes:
        groups.setdefault(json.dumps([episode.env, episode.settings, episode.agent], sort_keys=True), []).append(
            episode
        )
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for key, episodes in groups.items():
        env = episodes[0].env.rpartition("/")[2].rpartition("-v")[0]
        identity = hashlib.blake2b(f"{created}{key}".encode(), digest_size=11).hexdigest()
        path = out / f"{created.replace(':', '-').replace('+', '-')}_{env}_{identity}.json"
        log = _log(sorted(episodes, key=lambda episode: (episode.seed, episode.sample)), created, identity)
        path.write_text(json.dumps(log, indent=1, ensure_ascii=True), encoding="utf-8")
        written.append(path)
    return written


def _log(episodes: Sequence[Episode], created: str, identity: str) -> dict[str, Any]:
    first, samples = episodes[0], list(map(_sample, episodes))
    valid = [episode for episode in episodes if episode.status == "done"]
    ids = list(dict.fromkeys(sample["id"] for sample in samples))
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": identity,
            "run_id": identity,
            "task_id": identity,
            "created": created,
            "task": first.env,
            "task_args": dict(first.settings),
            "solver": "turnwise",
            "dataset": {"name": first.env, "samples": len(ids), "sample_ids": ids, "shuffled": False},
            "model": first.agent,
            "config": {"epochs": max(episode.sample for episode in episodes) + 1},
            "packages": {"turnwise": turnwise.__version__},
            "scorers": [{"name": name} for name in SCORES],
        },
        "plan": {"name": "plan", "steps": [{"solver": "turnwise"}]},
        "results": {
            "total_samples": len(episodes),
            "completed_samples": len(valid),
            "scores": [_figures(name, [float(getattr(e, of)) for e in valid]) for name, of in SCORES.items()],
        },
        "stats": {"started_at": created, "completed_at": created},
        "samples": samples,
    }


def _figures(name: str, values: Sequence[float]) -> dict[str, Any]:
    count = len(values)
    mean = sum(values) / count if count else 0.0
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (count - 1) / count) if count > 1 else 0.0
    metrics = {"mean": mean, "stderr": spread}
    return {
        "name": name,
        "scorer": name,
        "scored_samples": count,
        "metrics": {figure: {"name": figure, "value": value} for figure, value in metrics.items()},
    }


def _sample(episode: Episode) -> dict[str, Any]:
    start = episode.turns[0].observation if episode.turns else episode.final_observation
    said = list(_messages(episode))
    result = {"truncated": episode.truncated, "turns": len(episode.turns), "metrics": episode.metrics}
    sample: dict[str, Any] = {
        "id": f"seed-{episode.seed}",
        "epoch": episode.sample + 1,
        "input": start,
        "target": "",
        "messages": said,
        "output": {"model": episode.agent, "choices": _choices(episode), "usage": _usage(episode)},
        "scores": {},
        "metadata": {
            "env": episode.env,
            "settings": episode.settings,
            "seed": episode.seed,
            "task_id": episode.task_id,
        },
        "store": {},
        "events": [],
        "model_usage": {episode.agent: _usage(episode)},
    }
    if episode.status == "done":
        for name, of in SCORES.items():
            sample["scores"][name] = {"value": float(getattr(episode, of)), "metadata": result}
    else:  # no score: it says nothing
        text = episode.error or "the environment failed"
        sample["error"] = {"message": text, "traceback": text, "traceback_ansi": text}
    return sample


def _messages(episode: Episode) -> Iterator[Mapping[str, Any]]:
    for turn in episode.turns:
        if not turn.internal:
            yield {"role": "user", "content": turn.observation}
            content: Any = turn.action
            if turn.reasoning:
                content = [{"type": "reasoning", "reasoning": turn.reasoning}, {"type": "text", "text": turn.action}]
            yield {"role": "assistant", "content": content, "metadata": {"reward": turn.reward}}
    yield {"role": "user", "content": episode.final_observation}


def _choices(episode: Episode) -> list[dict[str, Any]]:
    if not episode.turns:
        return []
    last = episode.turns[-1]
    stop = "max_tokens" if last.finish == "length" else "stop"
    return [{"message": {"role": "assistant", "content": last.action}, "stop_reason": stop}]


def _usage(episode: Episode) -> dict[str, int]:
    read = sum(turn.prompt_tokens for turn in episode.turns)
    written = sum(turn.completion_tokens for turn in episode.turns)
    return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
