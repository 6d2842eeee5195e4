"""Reinforcement learning on multi-turn environments: one loop, in the order in which things happen.

A step draws tasks (curricula/), plays them (collect.py, context.py) until the sampling method is satisfied (sampling/),
turns rewards into an advantage for every sampled token (credit/, advantage.py), and makes a few updates (losses/,
batch.py, model/policy.py). The values passed from stage to stage are never edited in place: groups of rollouts, a
batch, rows. Every method is a pure function, selected by its name in the settings; docs/trainer.md lists them all.
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

Several processes (model/parallel.py) run this same loop: the rollouts are divided among them and gathered again, and so
are the rows of each update; every rank makes all decisions in between, and makes the same ones.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from turnwise.baselines.methods.curricula.base import Curriculum
from turnwise.baselines.methods.losses import ADVANTAGE_SHAPING, LossSpec, TokenBatch, Totals, policy_loss
from turnwise.baselines.methods.losses.controllers import EntropyControl
from turnwise.baselines.methods.losses.weights import token_factors
from turnwise.baselines.methods.sampling import make_sampler
from turnwise.baselines.methods.sampling.replay import ReplayBuffer
from turnwise.baselines.methods.sampling.select import Sampler
from turnwise.baselines.trainer.advantage import (
    Arrays,
    Batch,
    advantages,
    reward_signal,
    shaped_signal,
    shuffled_signal,
    training_rows,
    value_targets,
)  # fmt: skip
from turnwise.baselines.trainer.batch import (
    MicroBatch,
    Row,
    TaskRows,
    count,
    make_micro_batch,
    minibatches,
    plan,
    with_values,
)  # fmt: skip
from turnwise.baselines.trainer.collect import check_environments, target_envs, vocabulary_texts
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.guidance import Guidance, make_guidance
from turnwise.baselines.trainer.measure import Measures
from turnwise.baselines.trainer.model.parallel import Parallel
from turnwise.baselines.trainer.model.policy import Optimizer, Policy, device_of, learning_rate_factor, load_policy
from turnwise.baselines.trainer.objective import make_loss, step_tokens
from turnwise.baselines.trainer.parts import RowPerTurn
from turnwise.baselines.trainer.rollouts import Group, Rollout, outcome
from turnwise.baselines.trainer.run.checkpoint import Checkpoint, claimed, load_checkpoint, save_checkpoint
from turnwise.baselines.trainer.run.interrupt import Interrupt, interruptible
from turnwise.baselines.trainer.run.log import Logger, Silence, describe, draw_curve, scores, timings, write_report
from turnwise.baselines.trainer.run.samples import sample_episodes, test_episodes
from turnwise.baselines.trainer.run.stop import Target
from turnwise.baselines.trainer.run.stopwatch import Stopwatch
from turnwise.baselines.trainer.source import Source
from turnwise.baselines.trainer.sums import Sums, check_gap
from turnwise.baselines.trainer.warmstart import clone_teacher
from turnwise.core.errors import SettingsError
from turnwise.engine.tokens import make_renderer

__all__ = ["Run", "train"]


@dataclass
class Run:
    """The state of a run: its parts, and the number of steps that it has completed."""

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
    guidance: Guidance[Any]
    loss: LossSpec
    entropy: EntropyControl
    max_tokens: int  # most tokens that a rollout can sample
    target: Target
    log: Logger | Silence
    step: int = 0


def train(cfg: TrainConfig, *, resume: bool = False, stop_after: int | None = None, quiet: bool = False) -> Run:
    """Run the training that ``cfg`` describes; results are in ``cfg.run.out``.

    Args:
        cfg: the settings.
        resume: continue from the checkpoint in ``cfg.run.out``, if there is one; otherwise ``out`` must hold none.
        stop_after: end early, after this many steps in all; a later call with ``resume`` continues.
        quiet: print nothing.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM came while it trained. The step was completed and saved: ``resume``
            continues from there. A second one raises it immediately, and what came after the last checkpoint is lost.
    """
    with claimed(Path(cfg.run.out)):
        run = start(cfg, resume=resume, quiet=quiet)
        try:
            with interruptible() as interrupt:
                last = cfg.run.steps if stop_after is None else min(stop_after, cfg.run.steps)
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
    """Run the steps up to ``last``, or fewer if the process is asked to stop or the target is reached."""
    cfg = run.cfg
    while run.step < last and not run.target.reached and not run.parallel.max_int(interrupt.requested):
        watch = Stopwatch()
        played = watch.lap("play", run.source.take(run.curriculum, run.step))  # tasks that the curriculum drew
        batch = watch.lap("choose", choose(run, played, guide(run, played)))  # the groups to learn from
        batch, rows = watch.lap("credit", credit(run, batch))  # rewards to learn from, advantages, training rows
        run.target.observe(played)
        over = run.step + 1 == cfg.run.steps or run.target.reached
        samples = sample_episodes(cfg, run.step + 1, batch, played, run.policy, partial(score, run), last=over)
        watch.lap("samples", samples)
        rows = watch.lap("score", annotate(run, rows))  # what the loss needs from the policy before the first update
        stats = watch.lap("optimise", update(run, rows, fresh=all(t.version == run.step for t in batch.rollouts)))
        stats |= watch.lap("critic", run.measures.learn(rows, run.step, partial(micro_batches, run)))
        stats |= run.guidance.metrics()
        stats |= run.source.observe(played)
        run.guidance.observe(stats["entropy"])
        run.entropy.observe(stats["entropy"])
        run.curriculum.observe([outcome(g, batch.sizes) for g in played])
        run.step += 1
        stats |= {f"curriculum/{k}": v for k, v in run.curriculum.metrics().items()}
        run.log.step(run.step, describe(played) | stats, timings(played, rows, watch, run.source.sampling_s))
        run.log.samples(samples)
        if over or (cfg.eval.every and run.step % cfg.eval.every == 0):
            evaluate(run)
        if cfg.run.save_every and run.step % cfg.run.save_every == 0 and run.step < last and not over:
            save(run)
    if run.target.reached:
        run.log.say(run.target.reason(run.step))


def start(cfg: TrainConfig, *, resume: bool, quiet: bool) -> Run:
    """Set up a run: its parts, then warm start and first evaluation, or the state of the checkpoint."""
    folder = Path(cfg.run.out)
    saved = load_checkpoint(folder, cfg)
    if saved is not None and not resume:
        raise SettingsError(f"{folder} holds a checkpoint after {saved.step} steps: resume it, or choose another out")
    parallel = Parallel.start(device_of(cfg))
    folder.mkdir(parents=True, exist_ok=True)
    check_environments(cfg)
    if parallel.is_main:
        cfg.save(folder)
    torch.set_num_threads(cfg.run.num_threads)
    loss = make_loss(cfg)
    at = -1 if saved is None else saved.step
    log = Logger(folder, cfg, step=at, quiet=quiet) if parallel.is_main else Silence()
    for note in saved.changed if saved is not None else ():
        log.say(f"resume: {note}")
    policy = load_policy(cfg, vocabulary_texts(cfg) if cfg.model.name == "tiny" else (), parallel.device)
    renderer = make_renderer(
        policy.tokenizer, fallback="rows" if isinstance(cfg.rollout.context, RowPerTurn) else "error"
    )
    guidance = make_guidance(cfg, renderer, policy.model.config.get_text_config().max_position_embeddings)
    envs = target_envs(cfg, "train")
    max_turns = max(env.unwrapped.max_turns for env in envs)
    log.header(policy.num_parameters, str(policy.device), max_turns)
    if saved is None and cfg.warm_start.steps:
        began = time.perf_counter()
        losses = clone_teacher(cfg, policy, renderer, envs, progress=log.warming)
        log.warm_start(losses, time.perf_counter() - began)
    sampler = make_sampler(cfg.sampling, cfg.rollout.group_size)
    reference = policy.reference() if cfg.loss.kl.coef > 0 else None
    source = Source(cfg, policy, renderer, parallel, sampler)
    if cfg.model.shard:
        policy.shard(parallel, torch.bfloat16 if cfg.model.dtype == "bf16" else torch.float32)
    run = Run(
        cfg=cfg,
        folder=folder,
        parallel=parallel,
        policy=policy,
        optimizer=Optimizer(policy.model, cfg.optim.name, max_grad_norm=cfg.optim.max_grad_norm, parallel=parallel),
        reference=reference,
        source=source,
        curriculum=cfg.make_curriculum(),
        sampler=sampler,
        replay=None if cfg.replay is None else ReplayBuffer(cfg.replay),
        measures=Measures(cfg, policy, renderer, parallel),
        guidance=guidance,
        loss=loss,
        entropy=EntropyControl(cfg.loss.entropy_coef, cfg.loss.adaptive_entropy),
        max_tokens=max_turns * cfg.rollout.max_new_tokens,
        target=Target(cfg.run.stop_at, cfg.run.stop_window),
        log=log,
    )
    for env in envs:
        env.close()
    if saved is not None:
        restore(run, saved)
    else:
        evaluate(run)
        if cfg.run.save_every:
            save(run)
    return run


def guide(run: Run, played: list[Group]) -> list[Group]:
    """Return the rollouts with the guidance's help added where it is needed; see guidance.py."""
    when: Any = {"step": run.step, "horizon": run.curriculum.horizon(run.step)}
    return run.guidance.help(played, play=partial(run.source.play, **when), **when)


def choose(run: Run, played: list[Group], guided: list[Group] | None = None) -> Batch:
    """Choose the groups to learn from; if all rollouts of one failed, an earlier success may replace one of them.

    Args:
        run: the run.
        played: the policy's own rollouts, whose successes are remembered.
        guided: the same tasks with the guidance's additions, if there are any.
    """
    cfg = run.cfg
    groups: list[Group] = []
    kept: list[bool] = []
    for group in recalled(run, played, guided or played):
        choice = run.sampler.choose(group.returns)
        tasks = {id(other.task) for other in groups} | {id(group.task)}  # at a table, a task has several groups
        if choice is not None and len(tasks) <= cfg.rollout.groups_per_step:
            places = iter(range(len(group.rollouts)))
            groups.append(group)
            kept += [t.valid and next(places) in choice.kept for t in group.rollouts]
    return Batch.of(groups, kept)


def recalled(run: Run, played: list[Group], groups: list[Group]) -> list[Group]:
    """Put an earlier success into each group that failed as a whole, and remember the new successes."""
    replay = run.replay
    if replay is None:
        return groups
    found = []
    for group in groups:
        past = replay.substitute(group.name, group.returns, step=run.step, key=(run.cfg.run.seed,))
        if past is not None:
            first = group.rollouts.index(group.valid[0])
            old = Rollout.from_dict(past.payload)
            group = replace(group, rollouts=(*group.rollouts[:first], old, *group.rollouts[first + 1 :]))
        found.append(group)
    for group in played:
        for rollout in group.valid:
            if rollout.total > replay.min_return:
                replay.add(group.name, rollout.to_dict(), rollout.total, step=run.step)
    return found


def credit(run: Run, batch: Batch) -> tuple[Batch, list[TaskRows]]:
    """Compute signals and advantages; return the batch with them, and per group the rows of the kept rollouts."""
    cfg = run.cfg
    measure = partial(run.measures, partial(per_token, run))
    batch = reward_signal(cfg, batch, measure)
    batch = run.measures.filtered(batch)
    batch = shaped_signal(cfg, batch)
    if cfg.run.shuffle_rewards:
        batch = shuffled_signal(batch, (cfg.run.seed, run.step))
    arrays = Arrays(batch, measure)
    factors = run.curriculum.weights([outcome(g) for g in batch.groups])
    batch = batch.having(advantages=advantages(cfg, arrays, factors))
    return batch, training_rows(batch, dict(zip(batch.valid, value_targets(cfg, arrays), strict=False)))


def annotate(run: Run, groups: list[TaskRows]) -> list[TaskRows]:
    """Add what the loss needs per token, once per step: shaped advantages, old and reference numbers, factors."""
    cfg = run.cfg
    own = [row for group in groups for row in group.own]
    recompute = cfg.loss.old_logps == "recompute"
    if own and (recompute or cfg.loss.token_weights or cfg.loss.advantage_shaping):
        now, entropy = score(run, run.policy, own)
        of_row = [i for i, group in enumerate(groups) for _ in group.own]
        tokens = step_tokens(own, of_row, now, entropy, recomputed=recompute)
        for settings in cfg.loss.advantage_shaping:
            tokens = replace(tokens, advantages=ADVANTAGE_SHAPING.of(settings).run_on(tokens, settings))
        own = with_values(own, advantages=tokens.advantages.numpy())
        if recompute:
            own = with_values(own, proximal_logps=now.numpy())
        if (factors := token_factors(tokens, cfg.loss.token_weights)) is not None:
            own = with_values(own, weights=factors.numpy())
    if own and run.reference is not None:
        own = with_values(own, reference_logps=score(run, run.reference, own)[0].numpy())
    external = [row for group in groups for row in group.external]
    external = run.guidance.rescored(external, lambda rows: score(run, run.policy, rows)[0])
    mine, others = iter(own), iter(external)
    return [TaskRows(list(islice(mine, len(g.own))), list(islice(others, len(g.external)))) for g in groups]


def update(run: Run, groups: list[TaskRows], *, fresh: bool) -> dict[str, float]:
    """Make the updates of one step: ``epochs`` passes over the groups in ``minibatches`` parts.

    Args:
        run: the run.
        groups: the rows, by group.
        fresh: whether all rows were sampled with the present weights.
    """
    cfg, lr = run.cfg, run.cfg.optim.lr * learning_rate_factor(run.step, run.cfg.run.steps, run.cfg.optim.warmup)
    run.loss = replace(run.loss, entropy_coef=run.entropy.coef)
    warming = run.step < run.measures.warming  # only the critic learns
    sums, first = Sums(), Sums()  # of all passes; of the first minibatch, before any update
    others = Sums()  # of external rows
    norms: list[float] = []
    for epoch in range(cfg.optim.epochs):
        for part in minibatches(len(groups), cfg.optim.minibatches, (cfg.run.seed, run.step, epoch)):
            chosen = [row for i in part for row in groups[i].own]
            outside = [row for i in part for row in groups[i].external]
            always = run.reference is not None or run.loss.entropy_coef > 0  # these teach without an advantage
            teaching = [row for row in chosen if always or row.advantages.any()]
            totals = Totals(count(chosen), len(chosen), run.max_tokens)
            if not first.tokens:  # all rows, since this is also where sampler and trainer are compared
                accumulate(run, chosen, totals, first, entropy=True)
                first.over_ranks(run.parallel)
                if fresh and cfg.model.dtype == "fp32" and run.policy.device.type == "cpu":
                    check_gap(first, run.step, cfg.rollout.group_size)
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
    """Add the gradient of some rows, micro-batch by micro-batch, and their statistics to ``sums``."""
    spec = (run.guidance.loss if external else None) or run.loss
    weight = run.guidance.weights[external] if run.step >= run.measures.warming else 0.0
    for _, batch, real in micro_batches(run, rows):
        logps, entropies = run.policy.logps(batch, entropy="gradient" if spec.entropy_coef else entropy)
        tokens = TokenBatch(
            logps=logps,
            entropy=entropies,
            old_logps=batch.old_logps if batch.proximal_logps is None else batch.proximal_logps,
            sampler_logps=batch.old_logps,
            advantages=batch.advantages,
            rows=batch.rows,
            turns=batch.turns,
            ref_logps=batch.reference_logps,
            weights=batch.weights,
        )
        loss, stats = policy_loss(tokens, spec, totals)
        run.optimizer.backward((weight if real else 0.0) * loss)
        if real:
            sums.add(loss, stats, logps - batch.old_logps)


def score(run: Run, policy: Policy, rows: Sequence[Row]) -> tuple[Tensor, Tensor]:
    """Compute the log-probability and entropy of every sampled token of the rows, in order."""
    logps, entropy = per_token(run, rows, policy.logps)
    return logps, entropy


@torch.no_grad()
def per_token(run: Run, rows: Sequence[Row], compute: Callable[[MicroBatch], Sequence[Tensor]]) -> list[Tensor]:
    """Apply ``compute`` to micro-batches; return its tensors over the sampled tokens of all rows, in order."""
    found: list[tuple[Any, ...]] = []
    for numbers, batch, real in micro_batches(run, rows):
        sizes = torch.bincount(batch.rows).tolist()
        values = [torch.split(x.cpu(), sizes) for x in compute(batch)]
        found += zip(numbers, *values, strict=True) if real else ()
    found = sorted(run.parallel.gather_objects(found), key=lambda part: part[0])
    return [torch.cat(part) for part in list(zip(*found, strict=True))[1:]]


def micro_batches(run: Run, rows: Sequence[Row]) -> Iterator[tuple[list[int], MicroBatch, bool]]:
    """Yield this rank's micro-batches of some rows as (indices of the rows, tensors, whether they count).

    If the model is sharded, every forward pass involves all ranks: a rank with fewer micro-batches repeats a row that
    does not count.
    """
    cfg, sharded = run.cfg, run.cfg.model.shard
    share = run.policy.shares_prefixes and not sharded
    mine = run.parallel.share(range(len(rows)), [row.length for row in rows])  # all of them if there is one rank
    parts = plan([rows[i] for i in mine], cfg.optim.token_budget, share=share) if mine else []
    most = run.parallel.max_int(len(parts)) if sharded else len(parts)
    for k in range(most):
        at, shared = parts[k] if k < len(parts) else ([0], False)
        numbers = [mine[i] for i in at] if k < len(parts) else [min(range(len(rows)), key=lambda i: rows[i].length)]
        batch = make_micro_batch([rows[i] for i in numbers], run.policy.device, share=shared)
        yield numbers, batch, k < len(parts)


def evaluate(run: Run) -> None:
    """Play the test tasks, sampled and greedy, and log the solve rates. The tasks are the same for all runs.

    A mixture is also evaluated on each of its environments: ``sampled_solved/LABEL``; without a label, the mean.
    """
    if not run.cfg.eval.tasks:
        return
    began = time.perf_counter()
    metrics: dict[str, float] = {}
    targets = run.cfg.targets
    for name in ("sampled", "greedy"):
        played = run.source.evaluate(run.step, greedy=name == "greedy")
        run.log.samples(test_episodes(run.cfg, run.step, played) if name == "sampled" else ())
        metrics |= {f"{name}_{key}": value for key, value in scores(played, targets, bool(run.cfg.opponents)).items()}
    run.log.evaluation(run.step, metrics, time.perf_counter() - began)


def parts(run: Run) -> dict[str, Any]:
    """Return the parts of the run that have a state, by their names in the checkpoint."""
    found: dict[str, Any] = {"model": run.policy, "optimizer": run.optimizer, "curriculum": run.curriculum}
    found |= {"measures": run.measures, "guidance": run.guidance, "entropy": run.entropy, "target": run.target}
    if run.source.tables is not None:
        found["opponents"] = run.source.tables
    if run.reference is not None:
        found["reference"] = run.reference
    if run.replay is not None:
        found["replay"] = run.replay
    return found


def save(run: Run) -> None:
    """Write a checkpoint of the run as it is now."""
    began = time.perf_counter()
    states = {name: run.parallel.full_state(part.state_dict()) for name, part in parts(run).items()}
    if run.parallel.is_main:
        save_checkpoint(run.folder, run.cfg, Checkpoint(run.step, states))
    run.parallel.barrier()
    run.log.saved(run.step, time.perf_counter() - began)


def restore(run: Run, saved: Checkpoint) -> None:
    """Bring the run to the state of a checkpoint."""
    run.step = saved.step
    named = parts(run)
    if set(named) != set(saved.parts):
        raise SettingsError(
            f"{run.folder} holds a checkpoint of {sorted(saved.parts)}, this version keeps {sorted(named)}:"
            " choose another out"
        )
    for name, part in named.items():
        part.load_state_dict(saved.parts[name])


def finish(run: Run) -> None:
    """Write the last checkpoint, the model, the curve and the report."""
    save(run)
    run.policy.save(run.folder / "model")
    if run.parallel.is_main:
        draw_curve(run.folder)
        write_report(run.folder, run.cfg)
    run.parallel.close()
