"""The settings of a training run: one frozen dataclass, checked when it is made, saved beside the results."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from turnwise.errors import SettingsError

__all__ = ["TrainConfig"]

_POSITIVE = (
    "group_size", "groups_per_step", "minibatches", "epochs", "token_budget", "max_new_tokens", "num_threads",
    "lr", "warm_lr", "temperature", "max_grad_norm", "std_eps", "clip_low", "clip_high",
)  # fmt: skip
_NOT_NEGATIVE = (
    "steps", "warmup", "kl_coef", "max_refills", "max_turns", "eval_every", "eval_tasks", "save_every",
    "seed", "warm_steps", "std_ddof",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Everything a run depends on: on one CPU, equal settings give equal weights, bit for bit."""

    env: str
    """Registered environment id, such as "turnwise/GuessNumber-v0"."""
    env_settings: Mapping[str, Any] = field(default_factory=dict)
    """Keyword arguments of the environment; the trainer sets ``split`` itself."""
    max_turns: int = 0
    """Turn limit of an episode; 0 keeps the environment's own."""

    model: str = "tiny"
    """A folder or hub name of a causal language model, or "tiny": a small one made from nothing."""
    dtype: Literal["fp32", "bf16"] = "fp32"
    """Weights of the model; with bf16 the optimiser still works on fp32 copies."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, about a third more time."""

    warm_steps: int = 0
    """Behaviour-cloning steps before the first reinforcement-learning step."""
    warm_skill: float = 0.3
    """Probability that the cloned teacher plays the oracle's move rather than a random one."""
    warm_lr: float = 4e-3
    """Peak learning rate of the warm start."""

    steps: int = 100
    """Reinforcement-learning steps: each collects one batch and makes minibatches x epochs updates."""
    groups_per_step: int = 32
    """Tasks per step."""
    group_size: int = 8
    """Rollouts of each task; their returns are each other's baseline."""
    max_new_tokens: int = 32
    """Sampled tokens per turn, stop token included."""
    temperature: float = 1.0
    """Sampling temperature of training; the trainer's logits are divided by it as well."""
    engine: Literal["kv", "reprefill"] = "kv"
    """How the sampler reads context: keep the KV cache across turns, or read it anew each turn."""
    dynamic_sampling: bool = False
    """Drop groups whose returns are all equal and play other tasks in their place."""
    max_refills: int = 3
    """Extra collection rounds that dynamic sampling may use in a step."""

    credit: Literal["grpo", "dr_grpo", "rloo", "turn_rtg"] = "grpo"
    """How rewards become advantages; the formulas are in credit.py."""
    std_ddof: int = 1
    """Degrees of freedom taken off in GRPO's standard deviation (published code uses 0 and 1)."""
    std_eps: float = 1e-6
    """Added to GRPO's standard deviation (published code uses 1e-8 to 1e-4)."""
    clip_low: float = 0.2
    """The probability ratio is not rewarded below 1 - clip_low."""
    clip_high: float = 0.28
    """The probability ratio is not rewarded above 1 + clip_high."""
    loss_norm: Literal["token_mean", "constant"] = "token_mean"
    """Divide the summed token losses of an update by its tokens, or by rollouts x the longest possible."""
    kl_coef: float = 0.0
    """Weight of the divergence from the model as it was before the first step; 0 keeps no copy of it."""
    kl_estimator: Literal["k1", "k2", "k3"] = "k3"
    """Which estimator of that divergence; see loss.py for what each does to the gradient."""

    optimizer: Literal["adamw", "muon"] = "adamw"
    """AdamW for all, or Muon for the hidden matrices and AdamW for the rest."""
    lr: float = 1e-6
    """Peak learning rate of AdamW; Muon's is five times as high."""
    warmup: int = 5
    """Steps of linear warm-up; then linear decay to a tenth at the last step."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this global norm."""
    minibatches: int = 4
    """Optimiser updates per pass over the rollouts of a step."""
    epochs: int = 1
    """Passes over the rollouts of a step."""
    token_budget: int = 2048
    """Tokens, padding included, per forward pass: it changes memory and speed, never the loss.

    2048 keeps a tiny model's activations in the cache of a CPU (a third faster than 16384); a GPU wants more.
    """

    eval_every: int = 0
    """Steps between evaluations on the test split; 0 evaluates before and after only."""
    eval_tasks: int = 256
    """Test tasks per evaluation; 0 never evaluates."""
    save_every: int = 0
    """Steps between checkpoints; 0 saves at the end only."""
    seed: int = 0
    """Seed of weights, tasks, samples and minibatches."""
    num_threads: int = 1
    """Threads of torch on the CPU; at tiny sizes one is faster than two."""
    shuffle_rewards: bool = False
    """Negative control: permute the returns over all rollouts of a step; nothing must be learnt."""
    trackers: tuple[Literal["tensorboard", "wandb"], ...] = ("tensorboard",)
    """Where metrics go besides metrics.jsonl."""
    out: str = "runs/grpo"
    """Folder of the run: config, metrics, checkpoint, model, curve."""

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            _check_choice(name, hint, getattr(self, name))
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise SettingsError(f"{name} must be greater than 0, not {getattr(self, name)!r}")
        for name in _NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise SettingsError(f"{name} must be 0 or more, not {getattr(self, name)!r}")
        if self.group_size < 2:
            raise SettingsError(f"group_size must be 2 or more, not {self.group_size}: one has no baseline")
        if self.std_ddof >= self.group_size:
            raise SettingsError(f"std_ddof must be below group_size = {self.group_size}, not {self.std_ddof}")
        if not self.clip_low < 1:
            raise SettingsError(f"clip_low must be below 1, not {self.clip_low!r}: ratios are positive")
        if not 0 <= self.warm_skill <= 1:
            raise SettingsError(f"warm_skill is a probability, from 0 to 1, not {self.warm_skill!r}")
        if self.minibatches > self.groups_per_step:
            raise SettingsError(
                f"minibatches = {self.minibatches} is more than groups_per_step = {self.groups_per_step}: a minibatch"
                " is made of whole groups"
            )
        if "split" in self.env_settings:
            raise SettingsError("env_settings must not hold 'split': training plays one, evaluation the other")
        try:
            json.dumps(dict(self.env_settings))
        except TypeError as error:
            raise SettingsError(f"env_settings must be JSON values, not {self.env_settings!r}") from error

    def to_json(self) -> str:
        """The settings as indented JSON, one field per line."""
        return json.dumps(asdict(self) | {"env_settings": dict(self.env_settings)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "TrainConfig":
        """The settings that ``to_json`` wrote."""
        values = json.loads(text)
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        if unknown:
            raise SettingsError(f"unknown settings {unknown}; known: {sorted(f.name for f in fields(cls))}")
        return cls(**values | {"trackers": tuple(values.get("trackers", ()))})

    def save(self, folder: Path) -> None:
        """Write config.json into ``folder``."""
        (folder / "config.json").write_text(self.to_json(), encoding="utf-8")


def _check_choice(name: str, hint: Any, value: Any) -> None:
    """Refuse a value outside a Literal (or outside the Literal that a tuple is made of)."""
    if get_origin(hint) is Literal and value not in get_args(hint):
        raise SettingsError(f"{name} must be one of {list(get_args(hint))}, not {value!r}")
    if get_origin(hint) is tuple:
        if not isinstance(value, tuple):
            raise SettingsError(f"{name} must be a tuple, not {value!r}")
        for item in value:
            _check_choice(name, get_args(hint)[0], item)
