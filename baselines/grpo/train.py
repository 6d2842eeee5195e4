"""GRPO on multi-turn environments: one process, one loop, in the order in which things happen.

Read next: credit.py (rewards to advantages), loss.py, batch.py, collect.py. How this departs from the papers:

1. The old policy of the ratio is the sampler itself: its log-probabilities are kept with the tokens and never
   recomputed. That is exact as long as sampler and trainer agree, so they are compared in every step, on the
   rows of the first minibatch, before the first update; in fp32 on a CPU differences above 1e-5 stop the run
   (one token in a thousand may have up to 1e-4: there, fp32 itself is that far from fp64).
2. No divergence penalty by default, clip bounds 0.2 / 0.28, and the loss is a mean over all sampled tokens of
   an update (DAPO, arXiv:2503.14476); GRPO (arXiv:2402.03300) takes the mean over each rollout first.
3. A rollout is a conversation: there is an advantage per turn, and context tokens are never predicted.
4. A rollout whose environment failed is left out of the loss and of the baseline; it is not scored 0.
5. Rows whose advantages are all zero count in the denominator, but after the first minibatch they are not run
   through the model: they would add zero to the gradient. A minibatch of such rows alone makes no update.
6. Minibatches are whole groups.
7. The prompt that the rollouts of a task share is run through the model once per micro-batch; see batch.py.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from turnwise.agents.engine import ReprefillEngine
from turnwise.agents.kv import KVEngine
from turnwise.agents.tokens import make_renderer
from turnwise.baselines.grpo.batch import Row, count, make_micro_batch, make_row, minibatches, plan
from turnwise.baselines.grpo.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from turnwise.baselines.grpo.collect import (
    EVAL,
    TRAIN,
    Collector,
    Group,
    make_env,
    shuffle_rewards,
    vocabulary_texts,
)
from turnwise.baselines.grpo.config import TrainConfig
from turnwise.baselines.grpo.credit import group_advantages, has_spread
from turnwise.baselines.grpo.log import Logger, describe, draw_curve, timings, write_report
from turnwise.baselines.grpo.loss import loss_denominator, policy_loss
from turnwise.baselines.grpo.policy import Optimizer, Policy, learning_rate_factor, load_policy
from turnwise.baselines.grpo.warmstart import clone_teacher
from turnwise.core import seed_of
from turnwise.errors import SettingsError, TurnwiseError

__all__ = ["Run", "train"]

MAX_GAP = 1e-5
"""Largest difference of log-probability between sampler and trainer in fp32 on a CPU, rounding aside."""
MAX_ROUNDING = 1e-4
"""What rounding alone can make of one token in a thousand, where a layer is ill-conditioned."""


@dataclass
class Run:
    """The parts of a run, and how many steps it has made."""

    cfg: TrainConfig
    folder: Path
    policy: Policy
    optimizer: Optimizer
    reference: Policy | None
    engine: Any
    collector: Collector
    max_tokens: int  # the most that a rollout can sample
    step: int
    log: Logger


def train(cfg: TrainConfig, *, resume: bool = False, stop_after: int | None = None, quiet: bool = False) -> Run:
    """Run the training that ``cfg`` describes; results are in ``cfg.out``.

    Args:
        cfg: the settings.
        resume: go on from the checkpoint in ``cfg.out``, if there is one; otherwise ``out`` must hold none.
        stop_after: end early, after this many steps in all; a later call with ``resume`` goes on.
        quiet: print nothing.
    """
    run = start(cfg, resume=resume, quiet=quiet)
    last = cfg.steps if stop_after is None else min(stop_after, cfg.steps)
    while run.step < last:
        began = time.perf_counter()
        run.engine.load(run.step)  # the weights are new: drop what was computed with the old ones
        groups, played = collect(run)
        collected = time.perf_counter()
        if cfg.shuffle_rewards:
            shuffle_rewards(groups, (cfg.seed, run.step))
        rows = rows_of(cfg, groups)  # per group
        stats = update(run, rows)
        run.step += 1
        run.log.step(run.step, describe(played) | stats, timings(played, rows, began, collected))
        if (cfg.eval_every and run.step % cfg.eval_every == 0) or run.step == cfg.steps:
            evaluate(run)
        if cfg.save_every and run.step % cfg.save_every == 0 and run.step < last:
            save(run)
    finish(run)
    return run


def start(cfg: TrainConfig, *, resume: bool, quiet: bool) -> Run:
    """Everything before the first step: parts, warm start, first evaluation; or the state of the checkpoint."""
    folder = Path(cfg.out)
    saved = load_checkpoint(folder, cfg)
    if saved is not None and not resume:
        raise SettingsError(f"{folder} holds a checkpoint after {saved.step} steps: resume it, or name another out")
    folder.mkdir(parents=True, exist_ok=True)
    cfg.save(folder)
    torch.set_num_threads(cfg.num_threads)
    log = Logger(folder, cfg, step=-1 if saved is None else saved.step, quiet=quiet)
    policy = load_policy(cfg, vocabulary_texts(cfg) if cfg.model == "tiny" else ())
    renderer = make_renderer(policy.tokenizer)
    max_len = policy.model.config.get_text_config().max_position_embeddings
    engine: Any = (
        KVEngine(policy.model, cfg.groups_per_step * cfg.group_size, max_len, prefill_tokens=cfg.token_budget)
        if cfg.engine == "kv"
        else ReprefillEngine(policy.model, max_len)
    )
    env = make_env(cfg, "train")
    max_tokens = env.unwrapped.max_turns * cfg.max_new_tokens
    if saved is None and cfg.warm_steps:
        began = time.perf_counter()
        losses = clone_teacher(cfg, policy, renderer, env, max_len)
        log.warm_start(losses, time.perf_counter() - began)
    optimizer = Optimizer(policy.model, cfg.optimizer, max_grad_norm=cfg.max_grad_norm)
    reference = policy.reference() if cfg.kl_coef > 0 else None
    collector = Collector(cfg, engine, renderer)
    run = Run(cfg, folder, policy, optimizer, reference, engine, collector, max_tokens, 0, log)
    if saved is not None:
        restore(run, saved)
    else:
        evaluate(run)
        if cfg.save_every:
            save(run)
    return run


def collect(run: Run) -> tuple[list[Group], list[Group]]:
    """Play the tasks of this step: the groups to learn from, and all that were played.

    Dynamic sampling drops groups whose returns do not differ and plays other tasks in their place. A task is
    known by its number in the step, so nothing but the step says which tasks come next.
    """
    cfg = run.cfg
    kept: list[Group] = []
    played: list[Group] = []
    for _ in range(1 + (cfg.max_refills if cfg.dynamic_sampling else 0)):
        first = len(played)
        numbers = range(first, first + cfg.groups_per_step - len(kept))
        seeds = [seed_of(cfg.seed, "train", run.step, i) for i in numbers]
        key = (cfg.seed, TRAIN, run.step)
        new = run.collector.play(seeds, cfg.group_size, split="train", key=key, first_task=first)
        played += new
        kept += [g for g in new if not cfg.dynamic_sampling or has_spread(g.rewards, g.valid)]
        if len(kept) == cfg.groups_per_step:
            break
    return kept, played


def rows_of(cfg: TrainConfig, groups: list[Group]) -> list[list[Row]]:
    """Credit: per group, the training rows of the valid rollouts, with the advantage of each sampled token."""
    found = []
    for group in groups:
        advantages = group_advantages(cfg.credit, group.rewards, group.valid, ddof=cfg.std_ddof, eps=cfg.std_eps)
        pairs = [(t, a) for t, a in zip(group.trajectories, advantages, strict=True) if t.valid]
        rows = [row for t, a in pairs if (row := make_row(t.stream, a)) is not None]
        if rows:
            found.append(rows)
    return found


def update(run: Run, groups: list[list[Row]]) -> dict[str, float]:
    """The updates of one step: ``epochs`` passes over the groups in ``minibatches`` parts."""
    cfg, lr = run.cfg, run.cfg.lr * learning_rate_factor(run.step, run.cfg.steps, run.cfg.warmup)
    sums = {"loss": 0.0, "clipped": 0.0, "kl": 0.0, "kl_ref": 0.0, "tokens": 0.0}
    first = {"entropy": 0.0, "logp_gap": 0.0, "over": 0.0}  # of the first minibatch, before any update
    norms: list[float] = []
    check = True
    for epoch in range(cfg.epochs):
        for part in minibatches(len(groups), cfg.minibatches, (cfg.seed, run.step, epoch)):
            chosen = [row for i in part for row in groups[i]]
            teaching = [r for r in chosen if run.reference is not None or r.advantages.any()]
            denominator = loss_denominator(
                cfg.loss_norm, tokens=count(chosen), rollouts=len(chosen), max_tokens=run.max_tokens
            )
            accumulate(run, chosen if check else teaching, denominator, sums, first if check else None)
            if check:
                first["entropy"] /= count(chosen)
                check_gap(run, first["logp_gap"], int(first["over"]), count(chosen))
                check = False
            if teaching:
                norms.append(run.optimizer.step(lr))
    seen = max(sums.pop("tokens"), 1.0)
    return {
        "entropy": first["entropy"],
        "logp_gap": first["logp_gap"],
        "loss": sums["loss"],
        "clip_fraction": sums["clipped"] / seen,
        "kl": sums["kl"] / seen,
        "kl_ref": sums["kl_ref"] / seen,
        "grad_norm": float(np.mean(norms)) if norms else 0.0,
        "lr": lr,
    }


def accumulate(
    run: Run, rows: list[Row], denominator: float, sums: dict[str, float], first: dict[str, float] | None
) -> None:
    """Add the gradient of some rows, micro-batch by micro-batch; in the first minibatch also compare and measure."""
    cfg = run.cfg
    share = run.policy.shares_prefixes and not cfg.gradient_checkpointing
    for indices, shared in plan(rows, cfg.token_budget, share=share):
        batch = make_micro_batch([rows[i] for i in indices], run.policy.device, share=shared)
        logps, entropy = run.policy.logps(batch, entropy=first is not None)
        ref_logps = None
        if run.reference is not None:
            with torch.no_grad():
                ref_logps, _ = run.reference.logps(batch, entropy=False)
        loss, stats = policy_loss(
            logps,
            batch.old_logps,
            batch.advantages,
            denominator=denominator,
            clip_low=cfg.clip_low,
            clip_high=cfg.clip_high,
            ref_logps=ref_logps,
            kl_coef=cfg.kl_coef,
            kl_estimator=cfg.kl_estimator,
        )
        run.optimizer.backward(loss)
        sums["loss"] += float(loss.detach())
        sums["clipped"] += float(stats.clipped)
        sums["kl"] += float(stats.kl_old)
        sums["kl_ref"] += float(stats.kl_ref)
        sums["tokens"] += stats.tokens
        if first is not None:
            first["entropy"] += float(entropy.sum())
            gaps = (logps.detach() - batch.old_logps).abs()
            first["logp_gap"] = max(first["logp_gap"], float(gaps.max()))
            first["over"] += float((gaps > MAX_GAP).sum())


def check_gap(run: Run, gap: float, over: int, tokens: int) -> None:
    """Stop when sampler and trainer disagree: a wrong token, mask, position, temperature or weight shows here.

    Args:
        run: the run.
        gap: the largest difference.
        over: how many of the ``tokens`` are above ``MAX_GAP``.
        tokens: how many were compared.
    """
    exact = run.cfg.dtype == "fp32" and run.policy.device.type == "cpu"
    if exact and (over > max(1, tokens // 1000) or not gap < MAX_ROUNDING):
        raise TurnwiseError(
            f"step {run.step}: sampler and trainer differ by {gap:.2e} in a token's log-probability,"
            f" more than {MAX_GAP:.0e}"
        )


def evaluate(run: Run) -> None:
    """Play the test tasks, sampled and greedy, and write the solve rates down. The tasks are the same for all runs."""
    cfg = run.cfg
    if not cfg.eval_tasks:
        return
    run.engine.load(run.step)
    seeds = [seed_of("eval", i) for i in range(cfg.eval_tasks)]
    most = cfg.groups_per_step * cfg.group_size  # rows of the engine
    metrics: dict[str, float] = {}
    for name in ("sampled", "greedy"):
        groups: list[Group] = []
        for at in range(0, len(seeds), most):
            groups += run.collector.play(
                seeds[at : at + most],
                1,
                split="test",
                key=(cfg.seed, EVAL, run.step),
                first_task=at,
                greedy=name == "greedy",
            )
        found = describe(groups)
        metrics |= {f"{name}_{key}": found[key] for key in ("solved", "turns", "tokens", "errors")}
        metrics[f"{name}_return"] = found["reward"]
    run.log.evaluation(run.step, metrics)


def save(run: Run) -> None:
    """Write a checkpoint of the run as it is now."""
    reference = None if run.reference is None else run.reference.model.state_dict()
    state = Checkpoint(run.step, run.policy.model.state_dict(), run.optimizer.state_dict(), reference)
    save_checkpoint(run.folder, run.cfg, state)


def restore(run: Run, saved: Checkpoint) -> None:
    """Bring the run to the state of a checkpoint."""
    run.step = saved.step
    run.policy.model.load_state_dict(saved.model)
    run.optimizer.load_state_dict(saved.optimizer)
    if run.reference is not None and saved.reference is not None:
        run.reference.model.load_state_dict(saved.reference)


def finish(run: Run) -> None:
    """Leave checkpoint, model, curve and report behind."""
    save(run)
    run.policy.save(run.folder / "model")
    draw_curve(run.folder)
    write_report(run.folder, run.cfg)
    run.collector.close()
    run.log.close()
