"""GRPO on a multi-turn environment in one file, top to bottom: the default path of turnwise.baselines.trainer.

    python examples/grpo_single_file.py

A tiny language model, trained from scratch, first imitates a mediocre teacher and then learns from rewards alone. The
trainer adds the rest: other credit and losses, divergence penalties, dynamic sampling, bf16, micro-batches,
checkpoints, logging. With the same settings and seed both give the same losses (checked by a test).

The environment, the renderer (text to tokens around the sampled turns) and the engine (sampling with a KV cache
that is kept across turns) come from the package.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
import tyro

import turnwise
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.core.env import seed_of
from turnwise.engine.kv import KVEngine
from turnwise.engine.tokens import Stream, make_renderer


@dataclass(frozen=True)
class Settings:
    """The few settings of this example; the trainer's TrainConfig has the rest, with the same names."""

    env: str = "turnwise/FrozenLake-v0"
    max_turns: int = 4
    env_settings: dict[str, bool | int | str] = field(default_factory=lambda: {"size": 3, "rules": False})
    warm_steps: int = 120
    warm_skill: float = 0.5
    warm_lr: float = 4e-3
    steps: int = 100
    groups_per_step: int = 32
    group_size: int = 8
    max_new_tokens: int = 4
    lr: float = 5e-4
    muon: bool = True
    warmup: int = 5
    minibatches: int = 4
    clip_low: float = 0.2
    clip_high: float = 0.28
    std_eps: float = 1e-6
    max_grad_norm: float = 1.0
    eval_tasks: int = 256
    seed: int = 0


@dataclass
class Episode:
    """One rollout: its tokens, with the sampler's log-probabilities, and the reward of each turn."""

    stream: Stream
    rewards: list[float]
    solved: bool = False


# ---- 1. A teacher: the oracle's move with probability `skill`, else a random well-formed one -----------------------


def teacher_play(env, seed, skill):
    """Play one episode of the teacher; return pairs of observation and answer."""
    rng = np.random.default_rng(seed)
    observation, _ = env.reset(seed=seed)
    turns, over = [], False
    while not over:
        move = env.unwrapped.oracle() if rng.random() < skill else env.unwrapped.sample_action(rng)
        turns.append((observation, move))
        observation, _, terminated, truncated, _ = env.step(move)
        over = terminated or truncated
    return turns


# ---- 2. Log-probabilities of the sampled tokens of some rows -------------------------------------------------------


def pad(streams):
    """Return right-padded tokens [B, T], the positions that predict sampled tokens, and those tokens [N]."""
    width = max(len(s.ids) for s in streams)
    ids = torch.zeros(len(streams), width, dtype=torch.int64)
    rows, columns, targets = [], [], []
    for b, stream in enumerate(streams):
        ids[b, : len(stream.ids)] = torch.tensor(stream.ids)
        for t, sampled in enumerate(stream.mask):
            if sampled:
                rows.append(b)
                columns.append(t - 1)
                targets.append(stream.ids[t])
    return ids, (torch.tensor(rows), torch.tensor(columns)), torch.tensor(targets)


def token_logps(model, streams):
    """Compute the log-probability of every sampled token, [N]; attention is causal, so right padding needs no mask."""
    ids, predicted_at, targets = pad(streams)
    logits = model(input_ids=ids, use_cache=False).logits[predicted_at]  # [N, V]
    return logits.log_softmax(-1).gather(1, targets[:, None])[:, 0]


# ---- 3. An optimiser update ----------------------------------------------------------------------------------------


def make_optimizers(cfg, model):
    """Create AdamW, and Muon at five times its learning rate for the matrices between embedding and output layer."""
    ends = {id(model.get_input_embeddings().weight), id(model.get_output_embeddings().weight)}
    hidden = [p for p in model.parameters() if cfg.muon and p.ndim == 2 and id(p) not in ends]
    rest = [p for p in model.parameters() if not any(p is q for q in hidden)]
    optimizers = [(torch.optim.AdamW(rest, lr=0.0, betas=(0.9, 0.95), weight_decay=0.0), 1.0)]
    if hidden:
        optimizers.append((torch.optim.Muon(hidden, lr=0.0, weight_decay=0.1, momentum=0.95), 5.0))
    return optimizers


def apply_update(cfg, model, optimizers, loss, lr):
    """Compute gradients, clip them, and step."""
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.max_grad_norm)
    for optimizer, ratio in optimizers:
        optimizer.param_groups[0]["lr"] = lr * ratio
        optimizer.step()


def schedule(step, steps, warmup):
    """Warm up linearly, then decay linearly to a tenth."""
    if step < warmup:
        return (step + 1) / (warmup + 1)
    return 0.1 + 0.9 * max(0.0, (steps - 1 - step) / max(1, steps - 1 - warmup))


# ---- 4. Warm start: cross-entropy on the teacher's answers ---------------------------------------------------------


def warm_start(cfg, env, model, renderer):
    """Teach the format of answers, and a little skill."""
    optimizers = make_optimizers(cfg, model)
    for step in range(cfg.warm_steps):
        streams = []
        for i in range(64):
            stream = Stream()
            turns = teacher_play(env, seed_of(cfg.seed, "warm", step, i), cfg.warm_skill)
            for t, (observation, move) in enumerate(turns):
                said = [{"role": "user", "content": observation}]
                stream.context(renderer.bridge(said, closed=True) if t else renderer.start(said))
                answer = [*renderer.encode(move), renderer.stop_ids[0]]
                stream.action(answer, [0.0] * len(answer))
            streams.append(stream)
        loss = -token_logps(model, streams).mean()
        apply_update(cfg, model, optimizers, loss, cfg.warm_lr * schedule(step, cfg.warm_steps, 5))


# ---- 5. Rollouts: all episodes in lockstep, every token kept as it was sampled ------------------------------------


def play(cfg, engine, renderer, envs, seeds, samples, key, greedy=False):
    """Play each task ``samples`` times. What an episode samples depends only on its key, not on its neighbours."""
    episodes = [Episode(Stream(), []) for _ in range(len(seeds) * samples)]
    keys = [(*key, task, sample) for task in range(len(seeds)) for sample in range(samples)]
    rows = engine.open(len(episodes))
    contexts = {}
    for i in range(len(episodes)):
        observation, _ = envs[i].reset(seed=seeds[i // samples])
        contexts[i] = renderer.start([{"role": "user", "content": observation}])
    while contexts:
        live = list(contexts)
        for i in live:
            episodes[i].stream.context(contexts[i])
        engine.extend([rows[i] for i in live], [contexts[i] for i in live])
        sampled = engine.sample(
            [rows[i] for i in live],
            max_new=cfg.max_new_tokens,
            stop_ids=renderer.stop_ids,
            temperature=1.0,
            keys=[(*keys[i], episodes[i].stream.num_turns) for i in live],
            greedy=greedy,
        )
        contexts = {}
        for i, action in zip(live, sampled, strict=True):
            episode = episodes[i]
            episode.stream.action(action.ids, action.logps)
            observation, reward, terminated, truncated, info = envs[i].step(renderer.decode(action.ids))
            episode.rewards.append(float(reward))
            if terminated or truncated:
                episode.solved = info["solved"]
                engine.close([rows[i]])
            else:
                said = [{"role": "user", "content": observation}]
                contexts[i] = renderer.bridge(said, closed=action.stopped)
    return episodes


# ---- 6. Credit: GRPO's advantage (arXiv:2402.03300), one number per rollout ----------------------------------------


def advantages(cfg, episodes):
    """Compute (R - mean) / (std + eps) within each group of ``group_size`` rollouts of one task."""
    returns = np.array([sum(e.rewards) for e in episodes]).reshape(-1, cfg.group_size)
    spread = np.ptp(returns, axis=1, keepdims=True) > 1e-8  # smaller differences are rounding
    centred = returns - returns.mean(1, keepdims=True)
    return np.where(spread, centred / (returns.std(1, ddof=1, keepdims=True) + cfg.std_eps), 0.0).ravel()


# ---- 7. Loss: clipped ratio, mean over all sampled tokens (arXiv:1707.06347, arXiv:2503.14476) ---------------------


def policy_loss(cfg, model, episodes, advantage):
    """Return the clipped objective, and the largest gap between the trainer's and the sampler's log-probabilities."""
    streams = [e.stream for e in episodes]
    sampled = [np.array(s.mask, dtype=bool) for s in streams]
    old = torch.tensor(np.concatenate([np.array(s.logps)[m] for s, m in zip(streams, sampled, strict=True)])).float()
    weight = torch.tensor(np.repeat(advantage, [m.sum() for m in sampled])).float()
    logps = token_logps(model, streams)
    ratio = (logps - old).exp()
    clipped = ratio.clamp(1 - cfg.clip_low, 1 + cfg.clip_high)
    return -torch.minimum(ratio * weight, clipped * weight).mean(), float((logps.detach() - old).abs().max())


# ---- 8. The loop ---------------------------------------------------------------------------------------------------


def main(cfg: Settings) -> list[dict[str, float]]:
    """Train; return what was printed for each step."""
    torch.set_num_threads(1)
    train_envs, test_envs = (
        [
            turnwise.make(cfg.env, **cfg.env_settings, max_turns=cfg.max_turns, split=split)
            for _ in range(max(1, number))
        ]
        for split, number in (("train", cfg.groups_per_step * cfg.group_size), ("test", cfg.eval_tasks))
    )
    plays = [teacher_play(train_envs[0], seed_of(cfg.seed, "vocabulary", i), cfg.warm_skill) for i in range(128)]
    tokenizer = tiny_tokenizer([text for turns in plays for turn in turns for text in turn])
    model, renderer = tiny_model(tokenizer, cfg.seed), make_renderer(tokenizer)
    engine = KVEngine(model, max(len(train_envs), len(test_envs)), model.config.max_position_embeddings)

    def evaluate(step):
        if not cfg.eval_tasks:
            return
        seeds = [seed_of("eval", i) for i in range(cfg.eval_tasks)]
        engine.load(step)
        for name, greedy in (("sampled", False), ("greedy", True)):
            episodes = play(cfg, engine, renderer, test_envs, seeds, 1, (cfg.seed, 1, step), greedy)
            print(f"test solve rate after {step} steps, {name}: {np.mean([e.solved for e in episodes]):.3f}")

    warm_start(cfg, train_envs[0], model, renderer)
    evaluate(0)
    optimizers, history = make_optimizers(cfg, model), []
    for step in range(cfg.steps):
        engine.load(step)  # the weights have changed: drop what was computed with the old ones
        seeds = [seed_of(cfg.seed, "train", step, i) for i in range(cfg.groups_per_step)]
        episodes = play(cfg, engine, renderer, train_envs, seeds, cfg.group_size, (cfg.seed, 0, step))
        advantage = advantages(cfg, episodes)
        total, gap = 0.0, None
        order = np.random.default_rng(np.random.SeedSequence([cfg.seed, step, 0])).permutation(cfg.groups_per_step)
        groups = np.arange(len(episodes)).reshape(-1, cfg.group_size)
        for part in (groups[chosen].ravel() for chosen in np.array_split(order, cfg.minibatches)):
            if gap is not None and not advantage[part].any():
                continue  # nothing to learn here
            loss, difference = policy_loss(cfg, model, [episodes[i] for i in part], advantage[part])
            if gap is None:  # before any update: the sampler's probabilities must be the trainer's
                gap = difference
                assert gap < 1e-4, f"sampler and trainer differ by {gap}"  # usually 1e-6; 1e-5 is rounding
            if advantage[part].any():
                apply_update(cfg, model, optimizers, loss, cfg.lr * schedule(step, cfg.steps, cfg.warmup))
            total += float(loss.detach())
        reward = float(np.mean([sum(e.rewards) for e in episodes]))
        history.append({"reward": reward, "loss": total, "logp_gap": gap})
        print(f"step {step + 1:3d}  reward {reward:.3f}  loss {total:+.4f}  gap {gap:.1e}")
    evaluate(cfg.steps)
    return history


if __name__ == "__main__":
    main(tyro.cli(Settings))
