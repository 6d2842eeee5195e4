"""Methods of tests, made by their names and plain settings."""

from collections.abc import Mapping
from typing import Any

from turnwise.baselines.methods import curricula, sampling
from turnwise.baselines.methods.kinds import loss
from turnwise.baselines.methods.loss_settings import Divergence
from turnwise.baselines.methods.losses import LossSpec


def under(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a method by the names that they have in a run's."""
    return {f"{kind}.{name}": value for name, value in settings.items()}


def make_curriculum(
    name: str, env: str, env_settings: Mapping[str, Any] | None = None, settings: Mapping[str, Any] | None = None
) -> curricula.ArmCurriculum[Any]:
    """A curriculum; arms are mappings."""
    own = dict(settings or {})
    if "arms" in own:
        own["arms"] = [curricula.Arm(**arm) for arm in own["arms"]]
    return curricula.make_curriculum(curricula.CURRICULA.settings_of(name)(**own), env, env_settings)


def make_sampler(name: str, n: int, settings: Mapping[str, Any] | None = None) -> sampling.Sampler:
    """A sampler for groups of ``n``."""
    return sampling.make_sampler(sampling.SAMPLING.settings_of(name)(**(settings or {})), n)


def loss_spec(
    objective: str = "ppo_clip", objective_settings: Mapping[str, Any] | None = None, **settings: Any
) -> LossSpec:
    """A loss; settings that begin with ``kl_`` are those of the divergence."""
    kl = {{"in": "where"}.get(k[3:], k[3:]): settings.pop(k) for k in list(settings) if k.startswith("kl_")}
    return LossSpec(
        objective=loss.settings_of(objective)(**(objective_settings or {})), kl=Divergence(**kl), **settings
    )
