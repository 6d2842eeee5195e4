"""Curricula: which tasks come next, how hard they are, how long they may take."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnwise.baselines.methods.curricula.bandits import Dump, Sec, boltzmann, dump_scores, sec_update
from turnwise.baselines.methods.curricula.base import Arm, ArmCurriculum, Curriculum, Outcome, TaskSpec, scaling_inter
from turnwise.baselines.methods.curricula.fixed import (
    Disco,
    Mixture,
    ScalingInter,
    Uniform,
    difficulty_weight,
    domain_weight,
)
from turnwise.baselines.methods.curricula.levels import (
    Adcl,
    Saturn,
    SuccessWindow,
    adcl_resort,
    saturn_advances,
    saturn_difficulty,
)
from turnwise.baselines.methods.curricula.pcl import Pcl, pcl_select
from turnwise.core.errors import SettingsError

__all__ = [
    "CURRICULA", "WITHOUT_ARMS", "Arm", "ArmCurriculum", "Curriculum", "Outcome", "TaskSpec", "adcl_resort",
    "boltzmann", "difficulty_weight", "domain_weight", "dump_scores", "make_arms", "make_curriculum", "make_targets",
    "pcl_select", "saturn_advances", "saturn_difficulty", "scaling_inter", "sec_update",
]  # fmt: skip

CURRICULA: dict[str, type[ArmCurriculum]] = {
    "uniform": Uniform,
    "mixture": Mixture,
    "disco": Disco,
    "saturn": Saturn,
    "success_window": SuccessWindow,
    "sec": Sec,
    "dump": Dump,
    "adcl": Adcl,
    "pcl": Pcl,
    "scaling_inter": ScalingInter,
}
"""Config name to class; the keyword arguments of a class are its settings."""
WITHOUT_ARMS = ("uniform", "scaling_inter")
"""Those that mean something for a single environment at one level, too."""


def make_arms(
    env: str,
    env_settings: Mapping[str, Any] | None = None,
    *,
    arms: Sequence[Mapping[str, Any]] | None = None,
    levels: Sequence[int] | None = None,
) -> list[Arm]:
    """The arms that a config describes: listed one by one, or the levels of one environment, or just that.

    Args:
        env: environment id, where an arm names none.
        env_settings: settings that all arms of this environment share; an arm's own win. An arm of another
            environment has only its own.
        arms: each with "env", "settings" and "weight", all optional.
        levels: values of the setting ``difficulty``, one arm each, in this order.
    """
    if arms is not None and levels is not None:
        raise SettingsError("arms and levels exclude each other: give one of them")
    for name, given in (("arms", arms), ("levels", levels)):
        if given is not None and not isinstance(given, list | tuple):
            raise SettingsError(f"{name} must be a list, not {given!r}")
    if levels is not None:
        arms = [{"settings": {"difficulty": level}} for level in levels]
    made = []
    for arm in [{}] if arms is None else arms:
        unknown = sorted(set(arm) - {"env", "settings", "weight"})
        if unknown:
            raise SettingsError(f"an arm has 'env', 'settings' and 'weight', not {unknown}")
        name = arm.get("env", env)
        shared = (env_settings or {}) if name == env else {}
        made.append(Arm(name, {**shared, **arm.get("settings", {})}, arm.get("weight", 1.0)))
    return made


def make_targets(arms: Sequence[Arm], env: str, env_settings: Mapping[str, Any] | None = None) -> list[Arm]:
    """What a run is evaluated on, and what its warm start plays.

    Returns:
        The run's environment with its settings where all arms are of that environment (the arms are then its levels);
        otherwise every different arm once.
    """
    if all(arm.env == env for arm in arms):
        return [Arm(env, dict(env_settings or {}))]
    return list({arm.label: replace(arm, weight=1.0) for arm in arms}.values())


def make_curriculum(
    name: str,
    env: str,
    env_settings: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> ArmCurriculum:
    """The curriculum called ``name``.

    Args:
        name: a key of ``CURRICULA``.
        env: environment id of the run.
        env_settings: its settings.
        settings: "arms" or "levels" (see ``make_arms``) and the keyword arguments of the class.
    """
    if name not in CURRICULA:
        raise SettingsError(f"curriculum must be one of {sorted(CURRICULA)}, not {name!r}")
    own = dict(settings or {})
    arms = make_arms(env, env_settings, arms=own.pop("arms", None), levels=own.pop("levels", None))
    known = [p for p in inspect.signature(CURRICULA[name]).parameters if p != "arms"]
    unknown = sorted(set(own) - set(known))
    if unknown:
        raise SettingsError(f"the curriculum {name} has no settings {unknown}; known: {['arms', 'levels', *known]}")
    return CURRICULA[name](arms, **own)
