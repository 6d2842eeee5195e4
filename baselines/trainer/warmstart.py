"""Warm start: clone a mediocre teacher, so that a randomly initialised model knows the format before it is rewarded.

The teacher plays the oracle's move with probability ``warm_skill`` and else a random well-formed one
(``Env.sample_action``): the clone learns to make legal moves and leaves room to improve.

Source: behaviour cloning, Pomerleau 1989, ALVINN (NIPS 1).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from turnwise.baselines.trainer.batch import make_micro_batch, make_row, split_by_tokens
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.policy import Optimizer, Policy, learning_rate_factor
from turnwise.core.agent import Action, Play
from turnwise.core.env import seed_of
from turnwise.core.episode import Episode, Job
from turnwise.core.player import play_in
from turnwise.engine.context import Context
from turnwise.engine.conversation import tell
from turnwise.engine.tokens import Renderer, Stream
from turnwise.games.seats import Seats

__all__ = ["WARM_EPISODES", "clone_teacher", "teacher_play", "teacher_seats"]

WARM_EPISODES = 64
"""Teacher episodes per update; small updates learn the format in fewer episodes than large ones."""
WARM_WARMUP = 5


def teacher_play(env: Any, seed: int, skill: float, note: Callable[[], None] = lambda: None) -> Episode:
    """Play one episode of the teacher; ``note`` is called before each of its moves."""
    rng, base = np.random.default_rng(seed), env.unwrapped

    def act(play: Play) -> Action:
        note()
        return Action(base.oracle() if rng.random() < skill else base.sample_action(rng))

    return play_in(env, act, Job("", seed))


def teacher_seats(env: Any, seed: int, skill: float) -> list[Episode]:
    """Play one episode of the teacher; at a table it has all seats, and there is an episode for each."""
    base = env.unwrapped
    if not isinstance(base, Seats):
        return [teacher_play(env, seed, skill)]
    movers: list[int] = []
    whole = teacher_play(env, seed, skill, note=lambda: movers.append(base.seat))
    turns = list(zip(whole.turns, movers, strict=True))
    return [replace(whole, turns=tuple(t for t, who in turns if who == seat)) for seat in sorted(set(movers))]


def cloned_rows(renderer: Renderer, episode: Episode, max_len: int, system: str) -> list[Stream]:
    """Make the row of a teacher's episode, each answer closed by the stop token, cut at the maximum length."""
    turns = ((turn.observation, renderer.action(turn.action)) for turn in episode.turns)
    return tell(Context(renderer), turns, max_len, system)


def clone_teacher(
    cfg: TrainConfig,
    policy: Policy,
    renderer: Renderer,
    envs: Sequence[Any],
    progress: Callable[[int, float, float], None] = lambda step, loss, seconds: None,
) -> list[float]:
    """Run the updates of the warm start: cross-entropy on the teacher's tokens, its episodes from all ``envs`` in turn.

    ``progress`` is called after each, with the number of updates made, the loss, and the seconds since the first began.

    Returns:
        The loss of each update.
    """
    began = time.perf_counter()
    optimizer = Optimizer(policy.model, cfg.optim.name, max_grad_norm=cfg.optim.max_grad_norm)
    max_len = policy.model.config.get_text_config().max_position_embeddings
    losses = []
    for step in range(cfg.warm_start.steps):
        seeds = [seed_of(cfg.run.seed, "warm", step, i) for i in range(WARM_EPISODES)]
        played = [teacher_seats(envs[i % len(envs)], s, cfg.warm_start.skill) for i, s in enumerate(seeds)]
        plays = [play for parts in played for play in parts]
        streams = [stream for play in plays for stream in cloned_rows(renderer, play, max_len, cfg.rollout.system)]
        rows = [r for s in streams if (r := make_row(s, np.zeros(s.num_turns))) is not None]
        tokens = sum(len(r.actions) for r in rows)
        total = 0.0
        for run in split_by_tokens([r.length for r in rows], cfg.optim.token_budget):
            logps, _ = policy.logps(make_micro_batch([rows[i] for i in run], policy.device), entropy=False)
            loss = -logps.sum() / tokens
            optimizer.backward(loss)
            total += float(loss.detach())
        optimizer.step(cfg.warm_start.lr * learning_rate_factor(step, cfg.warm_start.steps, WARM_WARMUP))
        losses.append(total)
        progress(step + 1, total, time.perf_counter() - began)
    return losses
