"""The settings of losses, of factors on their tokens and of advantage shaping; their formulas are in losses/.

They are apart from the functions because these need torch, which a command line loads only to train.
"""

from typing import Annotated, ClassVar, Literal

from turnwise.baselines.methods.kinds import AdvantageShaping, Objective, TokenWeight
from turnwise.baselines.methods.registry import Flat, Settings
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range

__all__ = [
    "AdaptiveEntropy",
    "Aggregation",
    "Aipo",
    "Amft",
    "Cispo",
    "ClipCov",
    "DecoupledPpo",
    "Divergence",
    "DppoTvMask",
    "DualClip",
    "Exploration",
    "Gspo",
    "HighEntropyMask",
    "Importance",
    "Luspo",
    "OffPolicySequenceMask",
    "PolicyShaping",
    "PpoClip",
    "Reinforce",
    "RlPlus",
    "Sft",
    "Steer",
    "Ucas",
]

Aggregation = Literal["token_mean", "sequence_mean", "sequence_sum", "constant"]


class PpoClip(Objective, name="ppo_clip"):
    """PPO's clipped ratio times the advantage."""

    clip_low: Annotated[float, Range(above=0, below=1)] = 0.2
    """Distance below 1 to which the ratio may fall before its gradient is cut off."""
    clip_high: Annotated[float, Range(above=0)] = 0.28
    """Distance above 1 to which the ratio may rise before its gradient is cut off."""
    level: Literal["token", "turn", "sequence"] = "token"
    """Unit over which the ratio is taken: each token, its turn, or its whole row (sequence)."""
    reduce: Literal["sum", "mean"] = "sum"
    """How the token ratios of a turn or row are combined: by their product (sum) or their geometric mean (mean)."""


class DualClip(Objective, name="dual_clip"):
    """`ppo_clip`, also bounded where the advantage is negative."""

    c: Annotated[float, Range(above=1)] = 3.0
    """Upper bound of the ratio for tokens with a negative advantage."""
    clip_low: Annotated[float, Range(above=0, below=1)] = 0.2
    """Distance below 1 to which the ratio may fall before its gradient is cut off."""
    clip_high: Annotated[float, Range(above=0)] = 0.28
    """Distance above 1 to which the ratio may rise before its gradient is cut off."""
    level: Literal["token", "turn", "sequence"] = "token"
    """Unit over which the ratio is taken: each token, its turn, or its whole row (sequence)."""
    reduce: Literal["sum", "mean"] = "sum"
    """How the token ratios of a turn or row are combined: by their product (sum) or their geometric mean (mean)."""


class Gspo(Objective, name="gspo"):
    """The clipped geometric mean of a row's ratios; use it with aggregation `sequence_mean`."""

    clip_low: Annotated[float, Range(above=0, below=1)] = 3e-4
    """Distance below 1 to which the ratio may fall before its gradient is cut off."""
    clip_high: Annotated[float, Range(above=0)] = 4e-4
    """Distance above 1 to which the ratio may rise before its gradient is cut off."""
    gradient: Literal["sequence", "token"] = "sequence"
    """Path of the gradient: through the row's common ratio (sequence), or through each token's own (token)."""


class Luspo(Objective, name="luspo"):
    """GSPO's term summed over each row; it needs aggregation `sequence_sum`."""

    clip_low: Annotated[float, Range(above=0, below=1)] = 2e-3
    """Distance below 1 to which the ratio may fall before its gradient is cut off."""
    clip_high: Annotated[float, Range(above=0)] = 2.5e-3
    """Distance above 1 to which the ratio may rise before its gradient is cut off."""
    gradient: Literal["sequence", "token"] = "sequence"
    """Path of the gradient: through the row's common ratio (sequence), or through each token's own (token)."""


class Cispo(Objective, name="cispo"):
    """REINFORCE with a capped importance weight: no token loses its gradient."""

    cap: float = 5.0
    """Upper bound of the weight."""
    cap_kind: Literal["absolute", "one_plus"] = "absolute"
    """Whether the weight is capped at `cap` or at 1 + `cap`."""
    floor: Annotated[float, Range(0)] = 0.0
    """Lower bound of the weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.floor < self.cap:
            raise SettingsError(f"cap is {self.cap!r}; it must be above floor, which is {self.floor!r}")


class Aipo(Objective, name="aipo"):
    """REINFORCE with the capped ratio of policy and sampler."""

    cap: Annotated[float, Range(above=0)] = 2.0
    """Upper bound of the weight."""


class DecoupledPpo(Objective, name="decoupled_ppo"):
    """PPO around a proximal policy, weighted by its ratio to the sampler."""

    clip_low: Annotated[float, Range(above=0, below=1)] = 0.2
    """Distance below 1 to which the ratio may fall before its gradient is cut off."""
    clip_high: Annotated[float, Range(above=0)] = 0.2
    """Distance above 1 to which the ratio may rise before its gradient is cut off."""
    cap: Annotated[float, Range(above=0)] = 5.0
    """Upper bound of a token's weight."""
    cap_kind: Literal["truncate", "mask"] = "truncate"
    """Treatment of a token above the cap: lower its weight to the cap (truncate), or leave it out (mask)."""
    level: Literal["token", "turn", "sequence"] = "token"
    """Unit over which the ratio is taken: each token, its turn, or its whole row (sequence)."""
    reduce: Literal["sum", "mean"] = "sum"
    """How the token ratios of a turn or row are combined: by their product (sum) or their geometric mean (mean)."""


class Reinforce(Objective, name="reinforce"):
    """The advantage times the log-probability."""


class Sft(Objective, name="sft"):
    """The log-probability alone: imitation of the tokens."""


class RlPlus(Objective, name="rl_plus"):
    """RL-PLUS's objective for tokens that the policy did not sample: a mixed ratio; unlikely tokens count more."""

    gamma: Annotated[float, Range(0)] = 0.5
    """Strength with which unlikely tokens count more; 0 counts all tokens alike."""


class PolicyShaping(Objective, name="policy_shaping"):
    """LUFFY's objective for tokens that the policy did not sample: p / (p + gamma) times the advantage."""

    gamma: Annotated[float, Range(above=0)] = 0.1
    """Probability at which a token has the largest gradient."""


class Importance(TokenWeight, name="importance"):
    """The ratio of policy and sampler, truncated or masked."""

    level: Literal["token", "sequence", "geometric"] = "token"
    """Ratio of a token: its own (token), its row's product (sequence), or its row's geometric mean (geometric)."""
    kind: Literal["truncate", "mask"] = "truncate"
    """Treatment of a ratio out of bounds: clip it to the bound (truncate), or leave its token out (mask)."""
    low: Annotated[float, Range(0)] = 0.0
    """Lower bound of the ratio."""
    high: Annotated[float, Range(above=0)] = 2.0
    """Upper bound of the ratio."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise SettingsError(f"high is {self.high!r}; it must be above low, which is {self.low!r}")


class OffPolicySequenceMask(TokenWeight, name="off_policy_sequence_mask"):
    """Leave out negative tokens of rows on which sampler and policy disagree."""

    delta: float = 0.5
    """Mean difference of log-probability per token, in nats, above which a row is left out."""


class DppoTvMask(TokenWeight, name="dppo_tv_mask"):
    """Leave out tokens that would leave a trust region of probabilities."""

    low: Annotated[float, Range(0)] = 0.15
    """Most that the probability of a token may have fallen since it was sampled."""
    high: Annotated[float, Range(0)] = 0.15
    """Most that the probability of a token may have risen since it was sampled."""


class HighEntropyMask(TokenWeight, name="high_entropy_mask"):
    """Train only the tokens with the highest entropy, where the policy is least certain."""

    keep: Annotated[float, Range(above=0, high=1)] = 0.2
    """Fraction of the tokens that are trained."""


class Steer(TokenWeight, name="steer"):
    """Less weight for tokens that would change the entropy most."""

    variant: Literal["exponential", "linear"] = "exponential"
    """Shape of the function by which the weight falls with the estimated change of entropy."""
    w_min: Annotated[float, Range(above=0, below=1)] = 0.8
    """Lower bound of the weight."""
    w_max: float = 1.2
    """Upper bound of the weight; used by the linear variant only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.w_min < self.w_max:
            raise SettingsError(f"w_max is {self.w_max!r}; it must be above w_min, which is {self.w_min!r}")


class ClipCov(TokenWeight, name="clip_cov"):
    """Leave out a few random tokens of high covariance, which reduce entropy fastest."""

    share: Annotated[float, Range(above=0, high=1)] = 2e-4
    """Fraction of all tokens that are left out."""
    low: float = 1.0
    """Covariance above which a token may be left out."""
    high: float = 5.0
    """Covariance below which a token may be left out."""
    seed: int = 0
    """Seed of the random choice of tokens."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise SettingsError(f"high is {self.high!r}; it must be above low, which is {self.low!r}")


class Exploration(AdvantageShaping, name="exploration"):
    """Tokens that the policy finds unlikely have larger advantages."""

    gamma: Annotated[float, Range(0)] = 0.5
    """Strength with which unlikely tokens count more; 0 counts all tokens alike."""


class Ucas(AdvantageShaping, name="ucas"):
    """Uncertain successes and confident failures count more."""

    beta_positive: Annotated[float, Range(0)] = 0.25
    """Strength for tokens with a positive advantage."""
    beta_negative: Annotated[float, Range(0)] = 0.35
    """Strength for tokens with a negative advantage."""
    penalty: Annotated[float, Range(0)] = 0.05
    """Largest amount subtracted from a token's advantage for being likely."""
    confidence: Literal["sum", "mean"] = "sum"
    """How the confidence of a row is computed: sum or mean over its tokens."""
    ddof: Literal[0, 1] = 1
    """Degrees of freedom subtracted in the variance: 0 (population) or 1 (Bessel)."""
    eps: Annotated[float, Range(0)] = 1e-6
    """Number added to the standard deviation and to the range of the logits, which avoids division by 0."""


class Divergence(Settings):
    """The divergence from the model as it was before the first step."""

    PREFIX: ClassVar[str] = "kl_"
    coef: Annotated[float, Range(0)] = 0.0
    """Weight of the KL divergence from the model as it was before the first step; 0 needs no copy of that model."""
    estimator: Literal["k1", "k2", "k3", "k3+", "abs"] = "k3"
    """Estimator of the KL divergence, with d the log-ratio: k1 is d, k2 is d^2 / 2, k3 is exp(-d) + d - 1."""
    where: Annotated[Literal["loss", "reward"], Flat("in")] = "loss"
    """Use of the KL divergence: as a term of the loss, or subtracted from the advantage of each token (reward)."""
    importance: bool = False
    """Multiply the KL term of the loss by pi / pi_old, so that its gradient is unbiased off policy, too."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.coef and self.where == "loss" and self.estimator == "k1" and not self.importance:
            raise SettingsError(
                "kl_estimator is 'k1', which has a mean gradient of zero in the loss; set kl_in to 'reward' or "
                "kl_importance to True"
            )
        if self.importance and self.where == "reward":
            raise SettingsError("kl_importance is True; it corrects a term of the loss, so kl_in must be 'loss'")


class AdaptiveEntropy(Settings):
    """An entropy bonus whose weight follows the entropy: it is in force only while the entropy is below a target.

    Source: He et al. 2025, Skywork-OR1, arXiv:2505.22312.
    """

    target: float = 0.2
    """Mean entropy per token, in nats, below which the bonus is applied."""
    step: Annotated[float, Range(0)] = 1e-4
    """Amount by which the weight rises after a step below the target, and falls after any other."""
    low: float = 0.0
    """Lower bound of the weight."""
    high: float = 5e-3
    """Upper bound of the weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low <= self.high:
            raise SettingsError(f"low is {self.low!r}; it must be at most high, which is {self.high!r}")


class Amft(Settings):
    """A weight of imitation that follows the entropy.

    Source: He et al. 2025, AMFT, arXiv:2508.06944 (the entropy rule).
    """

    target_entropy: float | None = None
    """Mean entropy per token to maintain, in nats; by default that of the first step."""
    entropy_lr: float = 5e-4
    """Change of the weight per step, for each nat by which the entropy differs from the target."""
    low: Annotated[float, Range(0, 1)] = 0.05
    """Lower bound of the weight."""
    high: Annotated[float, Range(0, 1)] = 0.95
    """Upper bound of the weight."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low <= self.high:
            raise SettingsError(f"low is {self.low!r}; it must be at most high, which is {self.high!r}")
