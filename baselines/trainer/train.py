"""Reinforcement learning on multi-turn environments: one loop, in the order in which things happen.

A step draws tasks (curricula/), plays them (collect.py, context.py) until the sampling is content (sampling/), turns
rewards into an advantage for every sampled token (credit/, advantage.py), and makes a few updates (losses/, batch.py,
policy.py). Every method is a pure function found by the name that the settings give; docs/trainer.md lists them all.
The default is GRPO. How it departs from the papers:

1. The old policy of the ratio is the sampler itself: its log-probabilities are kept with the tokens and never
   recomputed. That is exact as long as sampler and trainer agree, so they are compared in every step, on the
   rows of the first minibatch, before the first update; in fp32 on a CPU differences above 1e-5 stop the run
   (one token in a hundred, or as many as a prompt has rollouts, may have up to 1e-4: there, fp32 itself is that far
   from fp64).
2. No divergence penalty by default, clip bounds 0.2 / 0.28, and the loss is a mean over all sampled tokens of
   an update (DAPO, arXiv:2503.14476); GRPO (arXiv:2402.03300) takes the mean over each rollout first.
3. A rollout is a conversation: there is an advantage per token, and context tokens are never predicted.
4. A rollout whose environment failed is left out of the loss and of the baseline; it is not scored 0.
5. Rows whose advantages are all zero count in the denominator, but after the first minibatch they are not run
   through the model: they would add zero to the gradient. A minibatch of such rows alone makes no update.
6. Minibatches are whole groups.
7. The prompt that the rollouts of a task share is run through the model once per micro-batch; see batch.py.

Several processes (parallel.py) run this same loop: rollouts are shared out and brought back together, then the rows of
each update are; everything in between is decided by all alike.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from turnwise.baselines.methods.curricula import Curriculum
from turnwise.baselines.methods.losses import (
    ADVANTAGE_SHAPING,
    EntropyControl,
    LossSpec,
    TokenBatch,
    Totals,
    policy_loss,
    token_factors,
)  # fmt: skip
from turnwise.baselines.methods.registry import bind, fields_of
from turnwise.baselines.methods.sampling import ReplayBuffer, Sampler, make_sampler
from turnwise.baselines.trainer.advantage import Arrays, advantages, learning_signal, replace_rewards, value_targets
from turnwise.baselines.trainer.batch import (
    MicroBatch,
    Row,
    count,
    make_micro_batch,
    minibatches,
    plan,
    with_extra,
)
from turnwise.baselines.trainer.checkpoint import Checkpoint, claimed, load_checkpoint, save_checkpoint
from turnwise.baselines.trainer.collect import (
    Group,
    Trajectory,
    check_environments,
    outcome,
    shuffle_rewards,
    target_envs,
    vocabulary_texts,
)
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.guidance import Guidance, is_external, make_guidance, marked_rows
from turnwise.baselines.trainer.interrupt import Interrupt, interruptible
from turnwise.baselines.trainer.log import Logger, Silence, describe, draw_curve, timings, write_report
from turnwise.baselines.trainer.measure import Measures
from turnwise.baselines.trainer.parallel import Parallel
from turnwise.baselines.trainer.policy import Optimizer, Policy, device_of, learning_rate_factor, load_policy
from turnwise.baselines.trainer.samples import sample_episodes
from turnwise.baselines.trainer.source import Source
from turnwise.baselines.trainer.stop import Target
from turnwise.baselines.trainer.sums import Sums, check_gap
from turnwise.baselines.trainer.warmstart import clone_teacher
from turnwise.baselines.trainer.whole import make_loss, step_tokens, with_advantages
from turnwise.core.errors import SettingsError
from turnwise.engine.tokens import make_renderer

__all__ = ["Run", "train"]


@dataclass
class Run:
    """The parts of a run, and how many steps it has made."""

    cfg: TrainConfig
    folder: Path
    parallel: Parallel
    policy: Policy
    optimizer: Optimizer
    reference: Policy | None
    source: Source
    curriculum: Curriculum
    sampler: Sampler
    replay: ReplayBuffer | None
    measures: Measures
    guidance: Guidance
    loss: LossSpec
    entropy: EntropyControl
    max_tokens: int  # the most that a rollout can sample
    target: Target
    log: Logger | Silence
    step: int = 0


def train(cfg: TrainConfig, *, resume: bool = False, stop_after: int | None = None, quiet: bool = False) -> Run:
    """Run the training that ``cfg`` describes; results are in ``cfg.out``.

    Args:
        cfg: the settings.
        resume: go on from the checkpoint in ``cfg.out``, if there is one; otherwise ``out`` must hold none.
        stop_after: end early, after this many steps in all; a later call with ``resume`` goes on.
        quiet: print nothing.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM came while it trained. The step was completed and saved: ``resume`` goes
            on from there. A second one raises it immediately, and what came after the last checkpoint is lost.
    """
    with claimed(Path(cfg.out)):
        run = start(cfg, resume=resume, quiet=quiet)
        try:
            with interruptible() as interrupt:
                last = cfg.steps if stop_after is None else min(stop_after, cfg.steps)
                loop(run, last, interrupt)
                if run.step < last and not run.target.reached:
                    save(run)
                    raise KeyboardInterrupt
            finish(run)
        finally:
            run.source.close()
            run.log.close()
    return run


def loop(run: Run, last: int, interrupt: Interrupt) -> None:
    """The steps up to ``last``, in the order in which things happen; fewer, if the process is asked to stop."""
    cfg = run.cfg
    while run.step < last and not run.target.reached and not run.parallel.max_int(interrupt.requested):
        began = time.perf_counter()
        played = run.source.take(run.curriculum, run.step)  # the rollouts of the tasks that the curriculum drew
        groups = choose(run, played, guide(run, played))  # those to learn from
        collected = time.perf_counter()
        rows = credit(run, groups)  # per group: training rows, with an advantage for every sampled token
        rows = annotate(run, rows)  # what the loss wants to know of the policy before the first update
        stats = update(run, rows, fresh=all(t.version == run.step for g in groups for t in g.trajectories))
        stats |= run.measures.learn(rows, run.step, partial(micro_batches, run))  # the critic, where there is one
        stats |= run.guidance.metrics()
        run.guidance.observe(stats["entropy"])
        run.entropy.observe(stats["entropy"])
        run.curriculum.observe([outcome(g) for g in played])
        run.step += 1
        run.target.observe(played)
        stats |= {f"curriculum/{k}": v for k, v in run.curriculum.metrics().items()}
        run.log.step(run.step, describe(played) | stats, timings(played, rows, began, collected))
        run.log.samples(sample_episodes(cfg, run.step, groups or played))
        over = run.step == cfg.steps or run.target.reached
        if over or (cfg.eval_every and run.step % cfg.eval_every == 0):
            evaluate(run)
        if cfg.save_every and run.step % cfg.save_every == 0 and run.step < last and not over:
            save(run)
    if run.target.reached:
        run.log.say(run.target.reason(run.step))


def start(cfg: TrainConfig, *, resume: bool, quiet: bool) -> Run:
    """Everything before the first step: parts, warm start, first evaluation; or the state of the checkpoint."""
    folder = Path(cfg.out)
    saved = load_checkpoint(folder, cfg)
    if saved is not None and not resume:
        raise SettingsError(f"{folder} holds a checkpoint after {saved.step} steps: resume it, or name another out")
    parallel = Parallel.start(device_of(cfg))
    folder.mkdir(parents=True, exist_ok=True)
    check_environments(cfg)
    if parallel.is_main:
        cfg.save(folder)
    torch.set_num_threads(cfg.num_threads)
    loss = make_loss(cfg)
    at = -1 if saved is None else saved.step
    log = Logger(folder, cfg, step=at, quiet=quiet) if parallel.is_main else Silence()
    for note in saved.changed if saved is not None else ():
        log.say(f"resume: {note}")
    policy = load_policy(cfg, vocabulary_texts(cfg) if cfg.model == "tiny" else (), parallel.device)
    renderer = make_renderer(policy.tokenizer, fallback="rows" if cfg.context == "row_per_turn" else "error")
    guidance = make_guidance(cfg, renderer, policy.model.config.get_text_config().max_position_embeddings)
    envs = target_envs(cfg, "train")
    max_turns = max(env.unwrapped.max_turns for env in envs)
    log.header(policy.num_parameters, str(policy.device), max_turns)
    if saved is None and cfg.warm_steps:
        began = time.perf_counter()
        losses = clone_teacher(cfg, policy, renderer, envs, progress=log.warming)
        log.warm_start(losses, time.perf_counter() - began)
    sampler = make_sampler(cfg.sampling, cfg.group_size, cfg.sampling_settings)
    reference = policy.reference() if cfg.kl_coef > 0 else None
    source = Source(cfg, policy, renderer, parallel, sampler)
    if cfg.shard:
        policy.shard(parallel, torch.bfloat16 if cfg.dtype == "bf16" else torch.float32)
    run = Run(
        cfg=cfg,
        folder=folder,
        parallel=parallel,
        policy=policy,
        optimizer=Optimizer(policy.model, cfg.optimizer, max_grad_norm=cfg.max_grad_norm, parallel=parallel),
        reference=reference,
        source=source,
        curriculum=cfg.make_curriculum(),
        sampler=sampler,
        replay=ReplayBuffer(**cfg.replay) if cfg.replay else None,
        measures=Measures(cfg, policy, renderer, parallel),
        guidance=guidance,
        loss=loss,
        entropy=EntropyControl(cfg.entropy_coef, cfg.adaptive_entropy),
        max_tokens=max_turns * cfg.max_new_tokens,
        target=Target(cfg.stop_at, cfg.stop_window),
        log=log,
    )
    for env in envs:
        env.close()
    if saved is not None:
        restore(run, saved)
    else:
        evaluate(run)
        if cfg.save_every:
            save(run)
    return run


def guide(run: Run, played: list[Group]) -> list[Group]:
    """The rollouts, with help where the guidance sees need; see guidance.py."""
    when: Any = {"step": run.step, "horizon": run.curriculum.horizon(run.step)}
    return run.guidance.help(played, play=partial(run.source.play, **when), **when)


def choose(run: Run, played: list[Group], guided: list[Group] | None = None) -> list[Group]:
    """The groups to learn from: those that the sampling keeps, where all failed with a success of the past in them.

    Args:
        run: the run.
        played: the policy's own rollouts, whose successes are remembered.
        guided: the same tasks with what the guidance added, if it did.
    """
    cfg, replay = run.cfg, run.replay
    groups = [Group(group.task, list(group.trajectories), group.lessons) for group in guided or played]
    if replay is not None:
        for group in groups:
            found = replay.substitute(group.name, group.returns, step=run.step, key=(cfg.seed,))
            if found is not None:
                first = group.trajectories.index(group.valid[0])
                group.trajectories[first] = Trajectory.from_dict(found.payload)
        for group in played:
            for trajectory in group.valid:
                if trajectory.total > replay.min_return:
                    replay.add(group.name, trajectory.to_dict(), trajectory.total, step=run.step)
    kept = []
    for group in groups:
        choice = run.sampler.choose(group.returns)
        if choice is not None:
            for i, trajectory in enumerate(group.valid):
                trajectory.kept = i in choice.kept
            kept.append(group)
    return kept[: cfg.groups_per_step]


def credit(run: Run, groups: list[Group]) -> list[list[Row]]:
    """Per group, the training rows of the rollouts that are kept, with the advantage of each sampled token."""
    cfg = run.cfg
    measure = partial(run.measures, partial(per_token, run))
    replace_rewards(cfg, groups, measure)
    run.measures.filter(Arrays(groups))
    learning_signal(cfg, groups)
    if cfg.shuffle_rewards:
        shuffle_rewards(groups, (cfg.seed, run.step))
    arrays = Arrays(groups, measure)
    found, targets = advantages(cfg, arrays), value_targets(cfg, arrays)
    factors = run.curriculum.weights([outcome(g) for g in groups])
    rows = []
    for group, factor in zip(groups, factors, strict=True):
        own = []
        for trajectory in group.valid:
            per_row = [factor * a for a in found[id(trajectory)]]
            trajectory.advantages = per_row
            if trajectory.kept:
                own += marked_rows(trajectory, per_row, targets.get(id(trajectory)))
        for lesson in group.lessons:
            own += marked_rows(lesson, [np.ones(sum(s.mask)) for s in lesson.streams])
        if own:
            rows.append(own)
    return rows


def annotate(run: Run, groups: list[list[Row]]) -> list[list[Row]]:
    """What the loss needs of every token, once per step: shaped advantages, old and reference numbers, factors."""
    cfg = run.cfg
    rows = [row for group in groups for row in group if not is_external(row)]
    extra: dict[str, Tensor] = {}
    recompute = cfg.old_logps == "recompute"
    if rows and (recompute or cfg.token_weights or cfg.advantage_shaping):
        now, entropy = score(run, run.policy, rows)
        of_row = [i for i, group in enumerate(groups) for row in group if not is_external(row)]
        tokens = step_tokens(rows, of_row, now, entropy, recomputed=recompute)
        for name, settings in cfg.advantage_shaping.items():
            shape = ADVANTAGE_SHAPING[name]
            shaped = shape(*fields_of(tokens, bind(shape, settings, name), name), **settings)
            tokens = replace(tokens, advantages=shaped)
        rows = with_advantages(rows, tokens.advantages)
        if recompute:
            extra["prox"] = now
        if (factors := token_factors(tokens, cfg.token_weights)) is not None:
            extra["weights"] = factors
    if rows and run.reference is not None:
        extra["ref"] = score(run, run.reference, rows)[0]
    found = iter(with_extra(rows, **{name: values.numpy() for name, values in extra.items()}) if extra else rows)
    external = [row for group in groups for row in group if is_external(row)]
    others = iter(run.guidance.rescored(external, lambda rows: score(run, run.policy, rows)[0]))
    return [[next(others if is_external(row) else found) for row in group] for group in groups]


def update(run: Run, groups: list[list[Row]], *, fresh: bool) -> dict[str, float]:
    """The updates of one step: ``epochs`` passes over the groups in ``minibatches`` parts.

    Args:
        run: the run.
        groups: the rows, by group.
        fresh: all were sampled with the present weights.
    """
    cfg, lr = run.cfg, run.cfg.lr * learning_rate_factor(run.step, run.cfg.steps, run.cfg.warmup)
    run.loss = replace(run.loss, entropy_coef=run.entropy.coef)
    warming = run.step < run.measures.warming  # only the critic learns
    sums, first = Sums(), Sums()  # of all passes; of the first minibatch, before any update
    others = Sums()  # of external rows
    norms: list[float] = []
    for epoch in range(cfg.epochs):
        for part in minibatches(len(groups), cfg.minibatches, (cfg.seed, run.step, epoch)):
            chosen = [row for i in part for row in groups[i] if not is_external(row)]
            outside = [row for i in part for row in groups[i] if is_external(row)]
            always = run.reference is not None or run.loss.entropy_coef > 0  # these teach without an advantage
            teaching = [row for row in chosen if always or row.advantages.any()]
            totals = Totals(count(chosen), len(chosen), run.max_tokens)
            if not first.tokens:  # all rows, since this is also where sampler and trainer are compared
                accumulate(run, chosen, totals, first, entropy=True)
                first.over_ranks(run.parallel)
                if fresh and cfg.dtype == "fp32" and run.policy.device.type == "cpu":
                    check_gap(first, run.step, cfg.group_size)
            elif not warming:
                accumulate(run, teaching, totals, sums, entropy=False)
            if warming:
                continue
            if outside:
                totals = Totals(count(outside), len(outside), run.max_tokens)
                accumulate(run, outside, totals, others, entropy=False, external=True)
            if teaching or outside:
                norms.append(run.optimizer.step(lr))
    sums.over_ranks(run.parallel)
    others.over_ranks(run.parallel)
    seen = max(sums.tokens + first.tokens, 1)
    return {
        "entropy": float(first.entropy) / max(first.tokens, 1),
        "logp_gap": float(first.gap),
        "loss": float(first.loss + sums.loss),
        "clip_fraction": float(first.clipped + sums.clipped) / seen,
        "kl": float(first.kl_old + sums.kl_old) / seen,
        "kl_ref": float(first.kl_ref + sums.kl_ref) / seen,
        "grad_norm": float(np.mean(norms)) if norms else 0.0,
        "lr": lr,
    } | ({"external_loss": float(others.loss)} if run.guidance.loss else {})


def accumulate(run: Run, rows: list[Row], totals: Totals, sums: Sums, *, entropy: bool, external: bool = False) -> None:
    """Add the gradient of some rows, micro-batch by micro-batch, and to ``sums`` what there is to see of them."""
    spec = (run.guidance.loss if external else None) or run.loss
    weight = run.guidance.weights[external] if run.step >= run.measures.warming else 0.0
    for _, batch, real in micro_batches(run, rows):
        logps, entropies = run.policy.logps(batch, entropy="gradient" if spec.entropy_coef else entropy)
        tokens = TokenBatch(
            logps=logps,
            entropy=entropies,
            old_logps=batch.extra.get("prox", batch.old_logps),
            sampler_logps=batch.old_logps,
            advantages=batch.advantages,
            rows=batch.rows,
            turns=batch.turns,
            ref_logps=batch.extra.get("ref"),
            weights=batch.extra.get("weights"),
        )
        loss, stats = policy_loss(tokens, spec, totals)
        run.optimizer.backward((weight if real else 0.0) * loss)
        if real:
            sums.add(loss, stats, logps - batch.old_logps)


def score(run: Run, policy: Policy, rows: Sequence[Row]) -> tuple[Tensor, Tensor]:
    """Log-probability and entropy of every sampled token of the rows, one after the other."""
    logps, entropy = per_token(run, rows, policy.logps)
    return logps, entropy


@torch.no_grad()
def per_token(run: Run, rows: Sequence[Row], compute: Callable[[MicroBatch], Sequence[Tensor]]) -> list[Tensor]:
    """What ``compute`` gives for the sampled tokens of the rows, each of its tensors over all of them in order."""
    found: list[tuple[Any, ...]] = []
    for numbers, batch, real in micro_batches(run, rows):
        sizes = torch.bincount(batch.rows).tolist()
        values = [torch.split(x.cpu(), sizes) for x in compute(batch)]
        found += zip(numbers, *values, strict=True) if real else ()
    found = sorted(run.parallel.gather_objects(found), key=lambda part: part[0])
    return [torch.cat(part) for part in list(zip(*found, strict=True))[1:]]


def micro_batches(run: Run, rows: Sequence[Row]) -> Iterator[tuple[list[int], MicroBatch, bool]]:
    """This rank's part of some rows as (their numbers, tensors, whether they count).

    Where the model is sharded every forward pass is a common act: a rank with less to do repeats a row that does not
    count.
    """
    cfg, sharded = run.cfg, run.cfg.shard
    share = run.policy.shares_prefixes and not sharded
    mine = run.parallel.share(range(len(rows)), [row.length for row in rows])  # all of them where there is one rank
    parts = plan([rows[i] for i in mine], cfg.token_budget, share=share) if mine else []
    most = run.parallel.max_int(len(parts)) if sharded else len(parts)
    for k in range(most):
        at, shared = parts[k] if k < len(parts) else ([0], False)
        numbers = [mine[i] for i in at] if k < len(parts) else [min(range(len(rows)), key=lambda i: rows[i].length)]
        batch = make_micro_batch([rows[i] for i in numbers], run.policy.device, share=shared)
        yield numbers, batch, k < len(parts)


def evaluate(run: Run) -> None:
    """Play the test tasks, sampled and greedy, and write the solve rates down. The tasks are the same for all runs.

    A mixture is evaluated on each of its environments, too: ``sampled_solved/LABEL``; without a label, the mean.
    """
    if not run.cfg.eval_tasks:
        return
    metrics: dict[str, float] = {}
    targets = run.cfg.targets
    for name in ("sampled", "greedy"):
        played = run.source.evaluate(run.step, greedy=name == "greedy")
        found = describe(played)
        metrics |= {f"{name}_{key}": found[key] for key in ("solved", "turns", "tokens", "errors")}
        metrics[f"{name}_return"] = found["reward"]
        for k, target in enumerate(targets if len(targets) > 1 else ()):
            groups = [group for group in played if group.task.arm == k and group.valid]
            if not groups:  # its environment failed in every episode
                continue
            own = describe(groups)
            metrics |= {f"{name}_{key}/{target.label}": own[key] for key in ("solved", "turns")}
            metrics[f"{name}_return/{target.label}"] = own["reward"]
    run.log.evaluation(run.step, metrics)


def parts(run: Run) -> dict[str, Any]:
    """What has a state, by its name in the checkpoint."""
    found: dict[str, Any] = {"model": run.policy, "optimizer": run.optimizer, "curriculum": run.curriculum}
    found |= {"measures": run.measures, "guidance": run.guidance, "entropy": run.entropy, "target": run.target}
    if run.reference is not None:
        found["reference"] = run.reference
    if run.replay is not None:
        found["replay"] = run.replay
    return found


def save(run: Run) -> None:
    """Write a checkpoint of the run as it is now."""
    states = {name: run.parallel.full_state(part.state_dict()) for name, part in parts(run).items()}
    if run.parallel.is_main:
        save_checkpoint(run.folder, run.cfg, Checkpoint(run.step, states))
    run.parallel.barrier()


def restore(run: Run, saved: Checkpoint) -> None:
    """Bring the run to the state of a checkpoint."""
    run.step = saved.step
    named = parts(run)
    if set(named) != set(saved.parts):
        raise SettingsError(
            f"{run.folder} holds a checkpoint of {sorted(saved.parts)}, this version keeps {sorted(named)}:"
            " name another out"
        )
    for name, part in named.items():
        part.load_state_dict(saved.parts[name])


def finish(run: Run) -> None:
    """Leave checkpoint, model, curve and report behind."""
    save(run)
    run.policy.save(run.folder / "model")
    if run.parallel.is_main:
        draw_curve(run.folder)
        write_report(run.folder, run.cfg)
    run.parallel.close()
