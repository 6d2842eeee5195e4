"""The settings of a training run: one frozen dataclass, checked when it is made, saved beside the results."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from turnwise.baselines.methods.credit import CREDIT, REWARDS, SHAPING
from turnwise.baselines.methods.credit.intrinsic import rlpr_std_filter
from turnwise.baselines.methods.curricula import WITHOUT_ARMS, Arm, ArmCurriculum, make_curriculum, make_targets
from turnwise.baselines.methods.registry import bind, call, find
from turnwise.baselines.methods.sampling import ReplayBuffer, make_sampler
from turnwise.baselines.trainer.context import check_context
from turnwise.core.errors import SettingsError

__all__ = ["TrainConfig"]

_MAPPINGS = (
    "env_settings", "lora", "engine_settings", "ray", "context_settings", "curriculum_settings", "sampling_settings",
    "replay",
    "reward_settings", "reward_filter", "judge", "shaping", "guidance_settings", "credit_settings", "loss_settings",
    "token_weights", "advantage_shaping", "critic", "adaptive_entropy",
)  # fmt: skip

_PROBE = {name: np.zeros(2) for name in ("returns", "lengths")}
_PROBE |= {name: np.zeros(2, dtype=np.int64) for name in ("groups", "strata")}
_PROBE |= {name: np.ones(2, dtype=np.bool_) for name in ("solved", "finished")}
_PROBE |= {name: np.zeros((2, 2)) for name in ("rewards", "additions", "progress", "token_rewards", "values", "info")}
_PROBE |= {name: np.ones((2, 2), dtype=np.bool_) for name in ("turns", "executable", "mask")}
_PROBE |= {name: np.zeros((2, 2), dtype=np.int64) for name in ("anchors", "tokens", "token_turns")}
_PROBE["info"] = np.zeros((2, 3))
"""Arrays of two rollouts, to try settings of credit on."""

_POSITIVE = (
    "group_size", "groups_per_step", "minibatches", "epochs", "token_budget", "max_new_tokens", "num_threads",
    "lr", "warm_lr", "temperature", "max_grad_norm", "tries", "wait_share",
    "stop_window", "sample_groups",
)  # fmt: skip
_NOT_NEGATIVE = (
    "steps", "warmup", "kl_coef", "entropy_coef", "max_turns", "eval_every", "eval_tasks", "save_every", "seed",
    "warm_steps", "env_threads", "staleness", "max_rows", "sample_every",
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
    tries: int = 1
    """Answers to a single-answer environment, a wrong one is answered by "Try again." (UFO, arXiv:2507.14295)."""

    model: str = "tiny"
    """A folder or hub name of a causal language model, or "tiny": a small one made from nothing."""
    dtype: Literal["fp32", "bf16"] = "fp32"
    """Weights of the model; with bf16 the optimiser still works on fp32 copies."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where it runs; "auto" takes the GPU where there is one, but for the tiny model."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, about a third more time."""
    lora: Mapping[str, Any] = field(default_factory=dict)
    """Settings of low-rank adapters (rank, alpha, targets); with none of them all weights are trained."""

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
    system: str = ""
    """System message before every conversation; empty sends none."""
    max_new_tokens: int = 32
    """Sampled tokens per turn, stop token included."""
    temperature: float = 1.0
    """Sampling temperature of training; the trainer's logits are divided by it as well."""
    context: str = "append"
    """What the policy reads before a turn: append | window | drop_observations | summarise | row_per_turn."""
    context_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the context policy; see context.py."""
    engine: Literal["kv", "reprefill", "vllm"] = "kv"
    """What samples: a KV cache kept across turns, one made anew each turn, or a vLLM server."""
    engine_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the vLLM server: base_url, model, folder (where both see new weights), ..."""
    ray: Mapping[str, Any] = field(default_factory=dict)
    """Settings of Ray workers that play the rollouts (workers, unit, address, ...); without any, no Ray."""
    max_rows: int = 0
    """Episodes that are played at once; 0 plays all rollouts of a step at once."""
    wait_share: float = 1.0
    """The sampler hands turns back once this part of the running ones has finished; 1 plays in lock step."""
    env_threads: int = 0
    """Threads in which environments answer; 0 answers one after the other.

    With ``wait_share`` below 1 they answer while other rows are sampled; then which rows are computed together depends
    on the clock, and a resumed run is no longer the same to the last bit.
    """
    staleness: int = 0
    """Steps that rollouts may lag behind the weights that learn from them; 0 is on-policy."""

    curriculum: str = "uniform"
    """Which tasks come next: a name in turnwise.baselines.methods.curricula."""
    curriculum_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the curriculum; ``arms`` are mappings with env, settings and weight, and a run whose arms are of
    several environments is evaluated on each of them."""
    sampling: str = "all"
    """Which rollouts are kept: a name in turnwise.baselines.methods.sampling."""
    sampling_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the sampler, by name."""
    replay: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the replay of successes (per_task, max_age, ...); without any there is none."""

    reward: str = "environment"
    """What is learned from: environment | em_rl_sequence | em_rl_token | rlpr | self_judge; the score stays its own."""
    reward_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of that reward; see turnwise.baselines.methods.credit.intrinsic."""
    reward_filter: Mapping[str, Any] = field(default_factory=dict)
    """Settings of RLPR's filter of groups by the standard deviation of that reward; without any, all are kept."""
    judge: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the self-judge (by, question, yes, no); see measure.py."""
    shaping: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is added to the reward for learning, never to the score: names in baselines/methods/credit/shaping.py."""
    guidance: Literal["none", "hints", "critique", "imitation"] = "none"
    """Help with tasks: hints where all failed, refinements of failures, demonstrations of the oracle; guidance.py."""
    guidance_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the guidance."""

    credit: str = "grpo"
    """How rewards become advantages: a name in turnwise.baselines.methods.credit."""
    credit_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the credit, such as ddof and eps."""
    loss: str = "ppo_clip"
    """The objective: a name in turnwise.baselines.methods.losses."""
    loss_settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the objective, such as clip_low and clip_high."""
    aggregation: Literal["token_mean", "sequence_mean", "sequence_sum", "constant"] = "token_mean"
    """How an update sums its token losses; the constant is rollouts x the longest possible."""
    old_logps: Literal["sampler", "recompute"] = "sampler"
    """The old policy of the ratio: what the sampler reported, or the trainer's own numbers before the first update."""
    token_weights: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Factors on the token losses, fixed before the first update: names in turnwise.baselines.methods.losses."""
    advantage_shaping: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is made of the advantages before the first update: names in turnwise.baselines.methods.losses."""
    kl_coef: float = 0.0
    """Weight of the divergence from the model as it was before the first step; 0 keeps no copy of it."""
    kl_estimator: Literal["k1", "k2", "k3", "k3+", "abs"] = "k3"
    """Which estimator of that divergence; see turnwise.baselines.methods.losses for what each does to the gradient."""
    kl_in: Literal["loss", "reward"] = "loss"
    """Where the divergence is counted."""
    kl_importance: bool = False
    """Multiply the divergence in the loss by pi / pi_old: its gradient is then unbiased off policy, too."""
    entropy_coef: float = 0.0
    """Weight of the entropy bonus."""
    adaptive_entropy: Mapping[str, Any] = field(default_factory=dict)
    """Settings (target, step, ...) by which that weight follows the entropy; without any it stays."""
    critic: Mapping[str, Any] = field(default_factory=dict)
    """Settings of what learns to predict returns: the critic of gae and bi_level_gae, spa's progress estimator."""

    shard: bool = False
    """Split the model over the processes that torchrun started (FSDP2); otherwise each holds all of it."""
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
    token_budget: int = 8192
    """Tokens, padding included, per forward pass: it changes memory and speed, never the loss; a GPU wants more."""

    eval_every: int = 0
    """Steps between evaluations on the test split; 0 evaluates before and after only."""
    eval_tasks: int = 256
    """Test tasks per evaluation, of each environment of a mixture; 0 never evaluates."""
    stop_at: float = 0.0
    """End before the last step once this share of the training rollouts is solved; 0 makes all steps.

    The share is that of the last ``stop_window`` steps together: the test split has no part in it.
    """
    stop_window: int = 10
    """Steps over which the share for ``stop_at`` is taken."""
    sample_every: int = 10
    """Steps between sample episodes, which are kept in samples.jsonl and one of them printed; 0 keeps none.

    Those of the first step are kept, too.
    """
    sample_groups: int = 1
    """Tasks whose rollouts are kept each time, all of a task's; those with unequal returns come first."""
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
            _check_type(name, hint, getattr(self, name))
        for name in _POSITIVE:
            if not getattr(self, name) > 0:
                raise SettingsError(f"{name} must be greater than 0, not {getattr(self, name)!r}")
        for name in _NOT_NEGATIVE:
            if not getattr(self, name) >= 0:
                raise SettingsError(f"{name} must be 0 or more, not {getattr(self, name)!r}")
        if self.group_size < 2:
            raise SettingsError(f"group_size must be 2 or more, not {self.group_size}: one has no baseline")
        if not self.wait_share <= 1:
            raise SettingsError(f"wait_share is a part, above 0 and at most 1, not {self.wait_share!r}")
        if not 0 <= self.stop_at <= 1:
            raise SettingsError(f"stop_at is a share of rollouts, from 0 to 1, not {self.stop_at!r}")
        if not 0 <= self.warm_skill <= 1:
            raise SettingsError(f"warm_skill is a probability, from 0 to 1, not {self.warm_skill!r}")
        if self.minibatches > self.groups_per_step:
            raise SettingsError(
                f"minibatches = {self.minibatches} is more than groups_per_step = {self.groups_per_step}: a minibatch"
                " is made of whole groups"
            )
        if "split" in self.env_settings:
            raise SettingsError("env_settings must not hold 'split': training plays one, evaluation the other")
        for name in _MAPPINGS:
            try:
                json.dumps(getattr(self, name))
            except TypeError as error:
                raise SettingsError(f"{name} must hold JSON values, not {getattr(self, name)!r}") from error
        self._check_methods()

    def _check_methods(self) -> None:
        """Refuse unknown methods, and settings that they do not have; losses are checked where torch is loaded."""
        with _as_settings("credit_settings"):
            call(find("credit", self.credit, CREDIT), _PROBE.__getitem__, self.credit_settings, self.credit)
        if self.reward != "environment":
            bind(find("reward", self.reward, REWARDS), self.reward_settings, self.reward)
        if self.reward_filter:
            bind(rlpr_std_filter, self.reward_filter, "reward_filter")
        if self.guidance in ("critique", "imitation") and self.reward != "environment":
            raise SettingsError(f"guidance {self.guidance!r} compares returns of the environment, not {self.reward!r}")
        for name, settings in self.shaping.items():
            bind(find("shaping", name, SHAPING), settings, name)
        check_context(self.context, self.context_settings)
        with _as_settings("sampling_settings"):
            make_sampler(self.sampling, self.group_size, self.sampling_settings)
        with _as_settings("curriculum_settings"):
            self.make_curriculum()
        if self.curriculum not in WITHOUT_ARMS and not {"arms", "levels"} & set(self.curriculum_settings):
            raise SettingsError(
                f"curriculum {self.curriculum!r} chooses among arms, and curriculum_settings has none: give "
                'arms=[{"env": "Maze", "settings": {"size": 5}, "weight": 1}, ...] or levels=[1, 2, 3]'
            )
        with _as_settings("replay"):
            bind(ReplayBuffer, self.replay, "replay")
            ReplayBuffer(**self.replay)
        if self.reward != "environment" and self.sampling != "all":
            raise SettingsError(f"sampling {self.sampling!r} compares returns of the environment, not {self.reward!r}")
        if self.judge and self.reward != "self_judge":
            raise SettingsError(f"judge is for reward 'self_judge', not {self.reward!r}")
        if self.engine_settings and self.engine != "vllm":
            raise SettingsError(f"engine_settings are for engine 'vllm', not {self.engine!r}")

    def make_curriculum(self) -> ArmCurriculum:
        """The curriculum of the run, in its first state."""
        return make_curriculum(self.curriculum, self.env, self.env_settings, self.curriculum_settings)

    @property
    def targets(self) -> list[Arm]:
        """The environments that the run is evaluated on; its warm start plays them, too."""
        return make_targets(self.make_curriculum().arms, self.env, self.env_settings)

    @property
    def measured(self) -> frozenset[str]:
        """Names of the data that the run's credit and reward take."""
        reward = () if self.reward == "environment" else bind(REWARDS[self.reward], self.reward_settings, self.reward)
        return frozenset((*bind(CREDIT[self.credit], self.credit_settings, self.credit), *reward))

    @property
    def needs_reference(self) -> bool:
        """Whether rollouts are to keep the reference answer of their task."""
        return bool(self.measured & {"info", "answer_probs"}) or bool(self.guidance_settings.get("answer"))

    def to_json(self) -> str:
        """The settings as indented JSON, one field per line."""
        return json.dumps(asdict(self), indent=2) + "\n"

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


def _check_type(name: str, hint: Any, value: Any) -> None:
    """Refuse a value that is not what the field is for."""
    origin = get_origin(hint)
    if origin is Literal:
        if value not in get_args(hint):
            raise SettingsError(f"{name} must be one of {list(get_args(hint))}, not {value!r}")
    elif origin is tuple:
        if not isinstance(value, tuple):
            raise SettingsError(f"{name} must be a tuple, not {value!r}")
        for item in value:
            _check_type(name, get_args(hint)[0], item)
    elif origin is Mapping:
        if not isinstance(value, Mapping):
            raise SettingsError(f"{name} must be a mapping of names to values, not {value!r}")
        if get_origin(get_args(hint)[1]) is Mapping:
            for method, settings in value.items():
                _check_type(f"{name}[{method!r}]", get_args(hint)[1], settings)
    elif hint is float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise SettingsError(f"{name} must be a finite number, not {value!r}")
    elif not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise SettingsError(f"{name} must be of type {hint.__name__}, not {value!r}")


@contextmanager
def _as_settings(name: str) -> Iterator[None]:
    """What goes wrong in making ``name`` is the fault of its settings."""
    try:
        yield
    except TypeError as error:
        raise SettingsError(f"{name}: {error}") from error
