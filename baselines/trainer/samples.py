"""Sample episodes of a run, kept for people to read: what was asked, said, paid and learned from.

Whole groups are kept, since an advantage compares the rollouts of one task. The groups whose returns differ come first,
in the order in which they were drawn: from the others nothing is learned. So the samples show what teaches, and not
what share of the rollouts succeeds; metrics.jsonl has that.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from turnwise.baselines.methods.sampling.select import has_spread
from turnwise.baselines.trainer.collect import Group, Trajectory
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.report import html

__all__ = ["readable", "sample_episodes"]

WIDTH = 300  # characters of a message in the log; samples.jsonl has all of them
TURNS = 8  # turns of an episode in the log


def sample_episodes(cfg: TrainConfig, step: int, groups: Sequence[Group]) -> list[dict[str, Any]]:
    """A record per rollout of the groups to be kept after ``step``, which is none in most steps.

    A record has ``step``, ``group`` (the task's number in the step), ``rollout``, ``env``, ``settings``, ``seed``,
    ``return``, ``solved``, ``truncated``, ``status``, ``kept`` (trained on), ``external`` (not the policy's own),
    ``version`` (steps that its weights had been trained for), ``error``, ``turns`` and ``final_observation``. A turn
    has ``observation``, ``action``, ``reward``, ``signal`` (the reward that was learned from), ``invalid``,
    ``advantage`` (the mean over its tokens; null where it was not credited), ``tokens`` and ``logprobs`` (of the
    sampled tokens, the stop token included, by the sampler).
    """
    if not cfg.sample_every or (step % cfg.sample_every and step != 1):
        return []
    order = sorted(range(len(groups)), key=lambda i: (not has_spread(groups[i].returns), i))
    chosen = sorted(order[: cfg.sample_groups])
    return [
        {"step": step, "group": i, "rollout": j, **_record(run)}
        for i in chosen
        for j, run in enumerate(groups[i].trajectories)
    ]


def _record(run: Trajectory) -> dict[str, Any]:
    tokens = _by_turn(run)
    turns = [
        {
            "observation": run.observations[t] if t < len(run.observations) else "",
            "action": run.texts[t],
            "reward": run.rewards[t],
            "signal": run.signal[t],
            "invalid": run.invalid[t],
            **tokens.get(t, {"advantage": None, "tokens": [], "logprobs": []}),
        }
        for t in range(run.num_turns)
    ]
    task = run.play.task
    return {
        "env": task.env,
        "settings": dict(task.settings),
        "seed": task.seed,
        "return": run.total,
        "solved": run.solved,
        "truncated": run.status in ("truncated", "no_room"),
        "status": run.status,
        "kept": run.kept and run.valid,
        "external": run.external,
        "version": run.version,
        "error": run.error,
        "turns": turns,
        "final_observation": run.observations[-1] if len(run.observations) > run.num_turns else "",
    }


def _by_turn(run: Trajectory) -> dict[int, dict[str, Any]]:
    """Of each turn: the mean advantage of its tokens, the tokens, and their log-probabilities."""
    found: dict[int, dict[str, Any]] = {}
    for number, stream in enumerate(run.streams):
        at = np.flatnonzero(stream.mask)
        turns = np.asarray(stream.turns, dtype=np.int64)[at]
        for turn in np.unique(turns).tolist():
            here = turns == turn
            where = at[here].tolist()
            found[turn] = {
                "advantage": round(float(run.advantages[number][here].mean()), 6) if run.advantages else None,
                "tokens": [stream.ids[i] for i in where],
                "logprobs": [round(stream.logps[i], 6) for i in where],
            }
    return found


def readable(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines that show one rollout among the ``records``, cut short: of the first group, the first that ends best.

    A success shows what is being learned; the returns of its siblings stand beside it.
    """
    if not records:
        return []
    group = [r for r in records if r["group"] == records[0]["group"]]
    one = max(group, key=lambda r: (r["status"] != "error", r["return"]))
    returns = " ".join("error" if r["status"] == "error" else f"{r['return']:.3g}" for r in group)
    end = "failed: " + one["error"] if one["status"] == "error" else "solved" if one["solved"] else "not solved"
    lines = [
        f"sample episode of step {one['step']}: {html.short_id(one['env'])}, seed {one['seed']}, rollout"
        f" {one['rollout'] + 1} of {len(group)} (returns {returns}): {end}{', truncated' * one['truncated']}"
    ]
    for turn in one["turns"][:TURNS]:
        known = turn["advantage"] is not None and math.isfinite(turn["advantage"])
        paid = f"reward {turn['reward']:g}" + (f", advantage {turn['advantage']:+.2f}" if known else "")
        lines.append(f"  env   | {_short(turn['observation'])}")
        lines.append(f"  model | {_short(turn['action'])}   [{paid}{', invalid' * turn['invalid']}]")
    if len(one["turns"]) > TURNS:
        lines.append(f"  ... {len(one['turns']) - TURNS} more turns in samples.jsonl")
    elif one["final_observation"]:
        lines.append(f"  env   | {_short(one['final_observation'])}")
    return lines


def _short(text: str) -> str:
    """One line of at most about ``WIDTH`` characters, in which nothing can control a terminal."""
    cut = text if len(text) <= WIDTH else f"{text[: WIDTH // 2]} [...] {text[-WIDTH // 2 :]}"
    return html.visible(cut).replace("\n", "\n        | ")
