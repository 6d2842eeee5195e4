"""Sample episodes of a run, kept for people to look at, with what the trainer saw in each sampled token.

Of training, whole groups are kept, since an advantage compares the rollouts of one task. The groups whose returns
differ come first, in the order in which they were drawn: from the others nothing is learned. So the samples show what
teaches, and not what share of the rollouts succeeds; metrics.jsonl has that.

Of evaluations the same few test tasks are kept each time, so that the policy before and after can be read side by side.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from turnwise.baselines.methods.sampling.select import has_spread
from turnwise.baselines.trainer.advantage import Batch, Signal, TokenAdvantages
from turnwise.baselines.trainer.batch import Row, make_row
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.policy import Policy
from turnwise.baselines.trainer.rollouts import Group, Rollout
from turnwise.report import html

__all__ = ["pieces", "readable", "sample_episodes", "test_episodes"]

WIDTH = 300  # characters of a message in the log; samples.jsonl has all of them
TURNS = 8  # turns of an episode in the log
TEST_TASKS = 8  # of each target
Floats = npt.NDArray[np.floating]
Score = Callable[[Policy, Sequence[Row]], tuple[Any, Any]]
"""Log-probability and entropy of every sampled token of some rows, by a policy."""
Decode = Callable[[Sequence[int]], str]


def sample_episodes(
    cfg: TrainConfig, step: int, batch: Batch, played: Sequence[Group], policy: Policy, score: Score, *, last: bool
) -> list[dict[str, Any]]:
    """Return a record per rollout of the groups to keep of ``step``, before its first update; none in most steps.

    A record has ``step``, ``split``, ``group`` (the task's number in the step), ``rollout``, ``env``, ``settings``,
    ``seed``, ``return``, ``solved``, ``truncated``, ``status``, ``kept`` (trained on), ``external`` (not the policy's
    own), ``version`` (steps that its weights had been trained for), ``error``, ``turns`` and ``final_observation``. A
    turn has ``observation``, ``action``, ``reward``, ``signal`` (the reward that was learned from), ``invalid`` and
    ``advantage`` (the mean over its tokens; null where it was not credited), and for each of its sampled tokens, the
    stop token included, its id in ``tokens``, its text in ``pieces``, the sampler's log-probability in ``logprobs``,
    and by the policy before the step's first update the difference to that in ``gaps`` and the entropy of the
    distribution it came from, in nats, in ``entropies``. Where the advantages of a turn's tokens differ,
    ``advantages`` has them.

    Args:
        cfg: the settings of the run.
        step: its number, counted from 1.
        batch: what is learned from.
        played: the rollouts of the step; they are kept where nothing is learned.
        policy: of whose tokens the texts are.
        score: computes what it sees in rows.
        last: whether the run ends with this step; then there are always samples.
    """
    if not cfg.run.sample_every or (step % cfg.run.sample_every and step != 1 and not last):
        return []
    batch = batch if batch.groups else Batch.of(played)
    groups, decode = batch.groups, partial(policy.tokenizer.decode, clean_up_tokenization_spaces=False)
    order = sorted(range(len(groups)), key=lambda i: (not has_spread(groups[i].returns), i))
    chosen = set(order[: cfg.run.sample_groups])
    places = [(i, j) for i, group in enumerate(groups) for j in range(len(group.rollouts))]
    decided = zip(batch.rollouts, batch.kept, batch.signals, batch.advantages, strict=True)
    mine = [(place, *of_rollout) for place, of_rollout in zip(places, decided, strict=True) if place[0] in chosen]
    seen = _seen([run for _, run, *_ in mine], policy, score)
    return [
        {"step": step, "split": "train", "group": i, "rollout": j}
        | _record(run, _by_turn(run, advantages, values, decode), signal)
        | {"kept": kept and run.valid, "external": run.external, "version": run.version}
        for ((i, j), run, kept, signal, advantages), values in zip(mine, seen, strict=True)
    ]


def test_episodes(cfg: TrainConfig, step: int, groups: Sequence[Group]) -> list[dict[str, Any]]:
    """Return a record for each of the first test tasks of each target, of an evaluation after ``step``.

    It is that of `sample_episodes` without what is about training; its ``split`` is "test".
    """
    if not cfg.run.sample_every:
        return []
    chosen: list[tuple[int, Group]] = []
    for arm in dict.fromkeys(group.task.arm for group in groups):
        chosen += [(i, group) for i, group in enumerate(groups) if group.task.arm == arm][:TEST_TASKS]
    return [
        {"step": step, "split": "test", "group": i, "rollout": 0} | _record(group.rollouts[0], {}, None)
        for i, group in chosen
    ]


def _seen(runs: Sequence[Rollout], policy: Policy, score: Score) -> list[list[tuple[Floats, Floats]]]:
    """Return (log-probabilities, entropies) of each row of each rollout; none of rollouts that failed."""
    rows = [
        [make_row(stream, np.zeros(sum(stream.mask)), per="token") for stream in run.streams] if run.valid else []
        for run in runs
    ]
    every = [row for of_run in rows for row in of_run if row is not None]
    if not every:
        return [[] for _ in runs]
    logps, entropies = score(policy, every)
    ends = np.cumsum([len(row.actions) for row in every])[:-1]
    found = zip(np.split(logps.numpy(), ends), np.split(entropies.numpy(), ends), strict=True)
    none = (np.zeros(0), np.zeros(0))
    return [[none if row is None else next(found) for row in of_run] for of_run in rows]


def _record(run: Rollout, tokens: Mapping[int, Mapping[str, Any]], signal: Signal | None) -> dict[str, Any]:
    turns = []
    for t, turn in enumerate(run.turns):
        own = {"observation": turn.observation, "action": turn.action, "reward": turn.reward, "invalid": turn.invalid}
        if signal is not None:
            own |= {"signal": signal[t], "advantage": None, "tokens": [], "logprobs": []}
        turns.append(own | dict(tokens.get(t, {})))
    return {
        "env": run.job.env,
        "settings": dict(run.job.settings),
        "seed": run.job.seed,
        "return": run.total,
        "solved": run.solved,
        "truncated": run.status in ("truncated", "no_room"),
        "status": run.status,
        "error": run.error,
        "turns": turns,
        "final_observation": run.final_observation,
    }


def _by_turn(
    run: Rollout, advantages: TokenAdvantages, seen: Sequence[tuple[Floats, Floats]], decode: Decode
) -> dict[int, dict[str, Any]]:
    """Return per turn the mean advantage of its tokens, and the numbers of each of them."""
    found: dict[int, dict[str, Any]] = {}
    for number, stream in enumerate(run.streams):
        at = np.flatnonzero(stream.mask)
        turns = np.asarray(stream.turns, dtype=np.int64)[at]
        for turn in np.unique(turns).tolist():
            here = turns == turn
            where = at[here].tolist()
            ids, logps = [stream.ids[i] for i in where], np.array([stream.logps[i] for i in where])
            own = advantages[number][here] if advantages else None
            found[turn] = {
                "advantage": None if own is None else round(float(own.mean()), 6),
                **({} if own is None or not np.ptp(own) else {"advantages": [round(x, 4) for x in own.tolist()]}),
                "tokens": ids,
                "pieces": pieces(ids, decode),
                "logprobs": [round(x, 6) for x in logps.tolist()],
            }
            if seen:
                ours, entropies = (values[here].astype(np.float64) for values in seen[number])
                gaps = ours - logps.astype(np.float32)  # as the loss has them
                found[turn]["gaps"] = [float(f"{x:.3g}") for x in gaps.tolist()]
                found[turn]["entropies"] = [round(x, 4) for x in entropies.tolist()]
    return found


def pieces(ids: Sequence[int], decode: Decode) -> list[str]:
    """Return the text that each token adds to those before it; together they are the text of all.

    A character of several tokens belongs to the last of them.
    """
    found: list[str] = []
    start = shown = 0  # the tokens from start on are decoded together; the text up to shown has been given out
    for end in range(1, len(ids) + 1):
        before, now = decode(ids[start:shown]), decode(ids[start:end])
        if now.endswith("\ufffd") and end < len(ids):
            found.append("")
            continue
        found.append(now[len(before) :])
        start, shown = shown, end
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
