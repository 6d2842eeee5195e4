"""The parts of a run's settings: where it trains, on which model, how it plays, what it learns from, how it learns.

The docstring beneath a field is its text in ``turnwise train --help``. A part with a `PREFIX` puts it before the names
of its fields on the command line; a field with `Flat` has that name there. Methods are in turnwise.baselines.methods.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal

from turnwise.baselines.methods import loss_settings
from turnwise.baselines.methods.credit.intrinsic import EnvironmentReward, StdFilter
from turnwise.baselines.methods.kinds import (
    AdvantageShaping,
    Context,
    Engine,
    Guidance,
    Objective,
    Reward,
    Shaping,
    TokenWeight,
)
from turnwise.baselines.methods.registry import Flat, Settings
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = [
    "Append",
    "Critique",
    "DropObservations",
    "EnvConfig",
    "Evaluation",
    "External",
    "Hints",
    "Imitation",
    "Kv",
    "Lora",
    "LossConfig",
    "ModelConfig",
    "NoGuidance",
    "Optim",
    "Ray",
    "Reprefill",
    "RewardConfig",
    "Rollout",
    "RowPerTurn",
    "RunConfig",
    "Summarise",
    "Vllm",
    "WarmStart",
    "Window",
]

# ---- the environment and the model -----------------------------------------------------------------------------------


class EnvConfig(Settings):
    """The environment that the run trains on."""

    PREFIX: ClassVar[str] = ""
    id: Annotated[str, Flat("env")]
    """Id of the environment, such as GuessNumber, or file.py:Name for an environment of your own."""
    settings: Annotated[Mapping[str, Any], Flat("env_settings")] = field(default_factory=dict)
    """Settings of the environment, such as max_number=32; the trainer sets `split` itself."""
    max_turns: Annotated[int, Range(0)] = 0
    """Most turns of an episode; 0 keeps the environment's own limit."""
    tries: Annotated[int, Range(1)] = 1
    """Attempts per episode in an environment that takes a single answer; a wrong answer gets the reply "Try again."."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if "split" in self.settings:
            raise SettingsError("env_settings has 'split'; training plays one split and evaluation the other")


class Lora(Settings):
    """Low-rank adapters, trained in place of the model's own weights."""

    rank: Annotated[int, Range(1)] = 16
    """Rank of the low-rank update that is added to each adapted matrix."""
    alpha: Annotated[int, Range(1)] = 32
    """Scale of the update, which is multiplied by alpha / rank."""
    targets: str | tuple[str, ...] = "all-linear"
    """Matrices to adapt, by the ends of their names, such as q_proj; all-linear adapts all but the output layer."""

    def __post_init__(self) -> None:
        if isinstance(self.targets, list):
            object.__setattr__(self, "targets", tuple(self.targets))
        super().__post_init__()


class ModelConfig(Settings):
    """The model that is trained."""

    PREFIX: ClassVar[str] = ""
    name: Annotated[str, Flat("model")] = "tiny"
    """Folder or hub name of a causal language model, or tiny for a small, randomly initialised model."""
    dtype: Literal["fp32", "bf16"] = "fp32"
    """Precision of the weights; with bf16 the optimiser still updates fp32 copies."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device that the model runs on; auto uses a GPU if one is available, except for the tiny model."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass, which saves memory and takes about a third more time."""
    shard: bool = False
    """Shard the model over the processes started by torchrun (FSDP2); otherwise each process holds the whole model."""
    lora: Lora | None = None
    """Train low-rank adapters (LoRA) and freeze the model's own weights."""


class WarmStart(Settings):
    """Behaviour cloning before reinforcement learning."""

    PREFIX: ClassVar[str] = "warm_"
    steps: Annotated[int, Range(0)] = 0
    """Updates of behaviour cloning before the first reinforcement-learning step; 0 skips the warm start."""
    skill: Annotated[float, Range(0, 1)] = 0.3
    """Probability that the cloned teacher plays the oracle's move instead of a random one."""
    lr: Annotated[float, Range(above=0)] = 4e-3
    """Peak learning rate of behaviour cloning."""


# ---- how episodes are played -----------------------------------------------------------------------------------------


class Append(Context, name="append"):
    """The whole conversation so far, in one row of tokens that grows."""


class RowPerTurn(Context, name="row_per_turn"):
    """The whole conversation so far, rendered again for each turn: for chat templates that rewrite past turns."""


class Window(Context, name="window"):
    """The first observation and the most recent turns."""

    turns: Annotated[int, Range(1)] = 4
    """Number of recent turns that the policy still reads."""


class DropObservations(Context, name="drop_observations"):
    """All of the policy's turns, but only the first and the most recent observations."""

    keep: Annotated[int, Range(1)] = 1
    """Number of recent observations that are kept, in addition to the first."""
    placeholder: str = "(omitted)"
    """Text that replaces each omitted observation."""


class Summarise(Context, name="summarise"):
    """When the row grows too long, the policy writes a summary and continues from it."""

    max_tokens: Annotated[int, Range(1)] = 1024
    """Length of a row, in tokens, above which the policy is asked for a summary."""
    instruction: str = "Before going on, sum up what matters so far. Only your summary will be kept."
    """Message that asks the policy for the summary."""


class Kv(Engine, name="kv"):
    """The built-in sampler, which caches keys and values across turns."""


class Reprefill(Engine, name="reprefill"):
    """The built-in sampler without a cache across turns: each turn is computed from the start."""


class Vllm(Engine, name="vllm"):
    """A vLLM server, which receives new weights through a folder."""

    base_url: str
    """Address of the vLLM server, such as http://localhost:8000."""
    model: str
    """Name under which the vLLM server serves the model."""
    folder: str
    """Folder for the weights; both the trainer and the vLLM server must be able to read it."""
    concurrency: Annotated[int, Range(1)] = 64
    """Most requests in flight at the same time."""
    timeout_s: Annotated[float, Range(above=0)] = 600.0
    """Time limit of a request, in seconds."""
    retries: Annotated[int, Range(0)] = 5
    """Number of times that a failed request is retried."""
    backoff_s: Annotated[float, Range(0)] = 0.5
    """Wait before the first retry, in seconds; it doubles with each further retry."""
    api_key_env: str = "VLLM_API_KEY"
    """Name of the environment variable that holds the server's API key."""


class Ray(Settings):
    """Ray workers that play the rollouts."""

    workers: Annotated[int, Range(1)]
    """Number of Ray workers; Ray distributes them over the machines of its cluster."""
    unit: Annotated[int, Range(0)] = 0
    """Number of consecutive rollouts that a worker plays together; 0 plays the rollouts of one task together."""
    timeout_s: Annotated[float, Range(above=0)] = 1800.0
    """Time limit for one unit of rollouts on a worker, in seconds, including the loading of weights."""
    start_timeout_s: Annotated[float, Range(above=0)] = 600.0
    """Time without any running worker, in seconds, after which the run ends with an error."""
    max_replacements: Annotated[int, Range(0)] = 100
    """Number of workers replaced over the whole run after which it ends with an error."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the Ray actors, such as num_gpus=1."""
    address: str | None = None
    """Address of the Ray cluster; without one, a cluster is started on this machine."""


class Rollout(Settings):
    """How the rollouts of a step are played."""

    PREFIX: ClassVar[str] = ""
    groups_per_step: Annotated[int, Range(1)] = 32
    """Number of tasks per step."""
    group_size: Annotated[int, Range(2)] = 8
    """Number of rollouts per task; they form a group, whose returns serve as each other's baseline."""
    system: str = ""
    """System message at the start of every conversation; an empty one is not sent."""
    max_new_tokens: Annotated[int, Range(1)] = 32
    """Most tokens that the policy may sample per turn, including the stop token."""
    temperature: Annotated[float, Range(above=0)] = 1.0
    """Sampling temperature during training; the trainer divides its logits by it as well."""
    context: Context = field(default_factory=Append)
    """What the policy reads before each turn of a conversation."""
    engine: Engine = field(default_factory=Kv)
    """Engine that samples the policy's tokens."""
    ray: Ray | None = None
    """Play the rollouts on Ray workers instead of in this process."""
    max_rows: Annotated[int, Range(0)] = 0
    """Most episodes played at the same time; 0 plays all rollouts of a step together."""
    wait_share: Annotated[float, Range(above=0, high=1)] = 1.0
    """Share of the running turns that must be finished before environments answer them; 1 plays in lock step."""
    env_threads: Annotated[int, Range(0)] = 0
    """Number of threads in which environments answer while other rows are sampled; 0 answers them one by one.

    With `wait_share` below 1, which rows are computed together then depends on the clock, and a resumed run is no
    longer the same to the last bit.
    """
    staleness: Annotated[int, Range(0)] = 0
    """Number of steps by which the sampling weights lag behind the trained weights; 0 is on-policy."""


# ---- rewards and guidance --------------------------------------------------------------------------------------------


class RewardConfig(Settings):
    """What the policy learns from; the score of a rollout is always the environment's."""

    PREFIX: ClassVar[str] = ""
    source: Annotated[Reward, Flat("reward")] = field(default_factory=EnvironmentReward)
    """Reward that the policy learns from; the reported score is always the environment's."""
    filter: Annotated[StdFilter | None, Flat("reward_filter")] = None
    """Leave out tasks whose rollouts have too small a standard deviation of reward (RLPR)."""
    shaping: tuple[Shaping, ...] = ()
    """Terms added to the rewards that the policy learns from, but not to the reported score."""


class NoGuidance(Guidance, name="none"):
    """No guidance: the policy learns from its own rollouts only."""


class Hints(Guidance, name="hints"):
    """Tasks that no rollout solved are played again with the beginning of a solution as a hint."""

    shares: tuple[float, ...] = (0.25, 0.5, 0.75)
    """Share of the solution that the hint of each stage reveals."""
    keep: Annotated[int, Range(0)] = 1
    """Number of rollouts without a hint that remain in the group."""
    text: str = "\n\nHint: {hint}"
    """Text added to the first observation; {hint} is replaced by the hint."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.shares or not all(0 < share <= 1 for share in self.shares):
            raise SettingsError(f"shares is {list(self.shares)!r}; they must be above 0 and at most 1")
        if "{hint}" not in self.text:
            raise SettingsError(f"text is {self.text!r}; it must have {{hint}} in it")


class External(Guidance):
    """Guidance that trains rows which the policy did not sample itself."""

    objective: Objective = field(default_factory=loss_settings.Sft)
    """Objective of the external rows: sft, rl_plus or policy_shaping."""
    weight: Annotated[float, Range(0)] = 1.0
    """Weight of the external rows' loss; with mix convex it is mu in (1 - mu) RL + mu external."""
    mix: Literal["sum", "convex"] = "sum"
    """How the two losses are combined: sum is RL + weight external, convex is (1 - weight) RL + weight external."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.objective, (loss_settings.Sft, loss_settings.RlPlus, loss_settings.PolicyShaping)):
            raise SettingsError(f"objective is {self.objective.METHOD!r}; it must be sft, rl_plus or policy_shaping")
        if self.mix == "convex" and self.weight > 1:
            raise SettingsError(f"weight is {self.weight!r}; it must be at most 1 with mix 'convex'")


class Critique(External, name="critique"):
    """Failed rollouts are played again with the attempt and a critique of it in the prompt."""

    objective: Objective = field(default_factory=loss_settings.PolicyShaping)
    """Objective of the refined rollouts: sft, rl_plus or policy_shaping."""
    rollouts: Annotated[int, Range(1)] = 1
    """Number of failed rollouts per task that are refined; the first ones are chosen."""
    answer: bool = False
    """Include the right answer in the critique, if the environment knows it."""
    only_solved: bool = False
    """Train only the refinements that solved the task."""
    text: str = "\n\nAn earlier attempt failed:\n{attempt}\n{critique}\nDo better."
    """Text added to the first observation; {attempt} and {critique} are replaced."""


class Imitation(External, name="imitation"):
    """The oracle's episode of each task is trained together with the rollouts."""

    weight: Annotated[float, Range(0)] = 0.5
    """Weight of the imitation loss: mu in (1 - mu) RL + mu external, or with mix sum in RL + mu external."""
    mix: Literal["sum", "convex"] = "convex"
    """How the two losses are combined (see weight); RL-PLUS and LUFFY use sum with weight 1."""
    only_unsolved: bool = False
    """Imitate the oracle only on tasks that no rollout solved."""
    amft: loss_settings.Amft | None = None
    """Adjust the weight of imitation to the entropy of the policy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.amft is not None and self.mix != "convex":
            raise SettingsError(f"mix is {self.mix!r}; it must be 'convex' with amft, which sets mu")


# ---- loss, optimiser, evaluation, run --------------------------------------------------------------------------------


class LossConfig(Settings):
    """What an optimiser update minimises."""

    PREFIX: ClassVar[str] = ""
    objective: Annotated[Objective, Flat("loss")] = field(default_factory=loss_settings.PpoClip)
    """Objective that is minimised, per sampled token."""
    aggregation: loss_settings.Aggregation = "token_mean"
    """How an update combines its token losses; constant divides the sum by rollouts x longest possible rollout."""
    old_logps: Literal["sampler", "recompute"] = "sampler"
    """Old log-probabilities of the ratio: those of the sampler, or recomputed by the trainer before any update."""
    token_weights: tuple[TokenWeight, ...] = ()
    """Factors multiplied with the token losses, computed once per step before its first update."""
    advantage_shaping: tuple[AdvantageShaping, ...] = ()
    """Transformations of the advantages, applied in this order before the first update of a step."""
    kl: loss_settings.Divergence = field(default_factory=loss_settings.Divergence)
    """Divergence (KL) of the policy from the model as it was before the first step."""
    entropy_coef: Annotated[float, Range(0)] = 0.0
    """Weight of the entropy bonus in the loss."""
    adaptive_entropy: loss_settings.AdaptiveEntropy | None = None
    """Adjust the weight of the entropy bonus to the entropy of the policy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.objective, loss_settings.Luspo) and self.aggregation != "sequence_sum":
            raise SettingsError(f"aggregation is {self.aggregation!r}; it must be 'sequence_sum' for loss 'luspo'")


class Optim(Settings):
    """How the weights are updated."""

    PREFIX: ClassVar[str] = ""
    name: Annotated[Literal["adamw", "muon"], Flat("optimizer")] = "adamw"
    """Optimiser: AdamW for all weights, or Muon for the hidden matrices and AdamW for the rest."""
    lr: Annotated[float, Range(above=0)] = 1e-6
    """Peak learning rate of AdamW; Muon's is five times as high."""
    warmup: Annotated[int, Range(0)] = 5
    """Steps over which the learning rate rises to its peak; after them it falls to a tenth of it at the last step."""
    max_grad_norm: Annotated[float, Range(above=0)] = 1.0
    """Largest global norm of the gradient; larger gradients are scaled down to it."""
    minibatches: Annotated[int, Range(1)] = 4
    """Number of optimiser updates per pass over the rollouts of a step."""
    epochs: Annotated[int, Range(1)] = 1
    """Number of passes over the rollouts of a step."""
    token_budget: Annotated[int, Range(1)] = 8192
    """Most tokens per forward pass, with padding: affects memory and speed, not the loss; set it higher on a GPU."""


class Evaluation(Settings):
    """How the policy is evaluated on the test split."""

    PREFIX: ClassVar[str] = "eval_"
    every: Annotated[int, Range(0)] = 0
    """Steps between evaluations on the test split; 0 evaluates only before the first and after the last step."""
    tasks: Annotated[int, Range(0)] = 256
    """Number of test tasks per evaluation, for each environment of a mixture; 0 never evaluates."""


class RunConfig(Settings):
    """Length of the run, and what it stores where."""

    PREFIX: ClassVar[str] = ""
    steps: Annotated[int, Range(0)] = 100
    """Number of reinforcement-learning steps; each plays one batch and makes minibatches x epochs updates."""
    seed: Annotated[int, Range(0)] = 0
    """Seed of weights, tasks, samples and minibatches."""
    out: str = "runs/grpo"
    """Folder in which the run stores its settings, metrics, checkpoint, model and curve."""
    stop_at: Annotated[float, Range(0, 1)] = 0.0
    """Share of solved training rollouts at which the run ends before its last step; 0 runs all steps.

    The share is that of the last `stop_window` steps together: the test split has no part in it.
    """
    stop_window: Annotated[int, Range(1)] = 10
    """Number of recent steps over which the solved share for `stop_at` is measured."""
    sample_every: Annotated[int, Range(0)] = 10
    """Steps between sample episodes, which are saved in samples.jsonl; one of them is printed. 0 saves none."""
    sample_groups: Annotated[int, Range(1)] = 1
    """Number of tasks whose rollouts are saved as samples each time; tasks with unequal returns come first."""
    save_every: Annotated[int, Range(0)] = 0
    """Steps between checkpoints; 0 saves only at the end."""
    num_threads: Annotated[int, Range(1)] = 1
    """Number of CPU threads of torch; for tiny models one is faster than two."""
    shuffle_rewards: bool = False
    """Negative control: permute the returns among all rollouts of a step, so that nothing can be learned."""
    trackers: tuple[Literal["tensorboard", "wandb"], ...] = ("tensorboard",)
    """Experiment trackers that receive the metrics in addition to metrics.jsonl."""
