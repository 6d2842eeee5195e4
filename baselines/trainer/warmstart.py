"""Warm start: clone a mediocre teacher, so that a model made from nothing knows the format before it is rewarded.

The teacher plays the oracle's move with probability ``warm_skill`` and else a random well-formed one
(``Env.sample_action``): the clone learns to make legal moves and leaves room to improve.

Source: behaviour cloning, Pomerleau 1989, ALVINN (NIPS 1).
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turnwise.baselines.trainer.batch import make_micro_batch, make_row, split_by_tokens
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.context import with_system
from turnwise.baselines.trainer.policy import Optimizer, Policy, learning_rate_factor
from turnwise.core.env import seed_of
from turnwise.engine.tokens import Renderer, Stream

__all__ = ["WARM_EPISODES", "clone_teacher", "teacher_play"]

WARM_EPISODES = 64
"""Teacher episodes per update; small updates learn the format in fewer episodes than large ones."""
WARM_WARMUP = 5


def teacher_play(env: Any, seed: int, skill: float) -> list[tuple[str, str]]:
    """One episode of the teacher: pairs of what the environment said and what the teacher answered."""
    rng = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    base, turns, over = env.unwrapped, [], False
    while not over:
        move = base.oracle() if rng.random() < skill else base.sample_action(rng)
        turns.append((observation, move))
        observation, _, terminated, truncated, _ = env.step(move)
        over = terminated or truncated
    return turns


def teacher_stream(renderer: Renderer, turns: list[tuple[str, str]], max_len: int, system: str = "") -> Stream:
    """The row of a teacher's episode, each answer closed by the stop token; cut where it gets too long."""
    stream = Stream()
    for t, (observation, move) in enumerate(turns):
        message = [{"role": "user", "content": observation}]
        context = renderer.bridge(message, closed=True) if t else renderer.start(with_system(system, message))
        action = renderer.action(move)
        if len(stream) + len(context) + len(action) > max_len:
            break
        stream.context(context)
        stream.action(action, [0.0] * len(action))
    return stream


def clone_teacher(
    cfg: TrainConfig,
    policy: Policy,
    renderer: Renderer,
    envs: Sequence[Any],
    progress: Callable[[int, float, float], None] = lambda step, loss, seconds: None,
) -> list[float]:
    """Run ``cfg.warm_steps`` updates of cross-entropy on the teacher's tokens, its episodes from all ``envs`` in turn.

    ``progress`` is called after each, with the number of updates made, the loss, and the seconds since the first began.

    Returns:
        The loss of each update.
    """
    began = time.perf_counter()
    optimizer = Optimizer(policy.model, cfg.optimizer, max_grad_norm=cfg.max_grad_norm)
    max_len = policy.model.config.get_text_config().max_position_embeddings
    losses = []
    for step in range(cfg.warm_steps):
        seeds = [seed_of(cfg.seed, "warm", step, i) for i in range(WARM_EPISODES)]
        plays = [teacher_play(envs[i % len(envs)], s, cfg.warm_skill) for i, s in enumerate(seeds)]
        streams = [teacher_stream(renderer, play, max_len, cfg.system) for play in plays]
        rows = [r for s in streams if (r := make_row(s, np.zeros(s.num_turns))) is not None]
        tokens = sum(len(r.actions) for r in rows)
        total = 0.0
        for run in split_by_tokens([r.length for r in rows], cfg.token_budget):
            logps, _ = policy.logps(make_micro_batch([rows[i] for i in run], policy.device), entropy=False)
            loss = -logps.sum() / tokens
            optimizer.backward(loss)
            total += float(loss.detach())
        optimizer.step(cfg.warm_lr * learning_rate_factor(step, cfg.warm_steps, WARM_WARMUP))
        losses.append(total)
        progress(step + 1, total, time.perf_counter() - began)
    return losses
