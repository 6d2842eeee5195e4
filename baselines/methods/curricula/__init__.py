"""Curricula decide which tasks are played next, how hard they are, and how many turns they may take."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnwise.baselines.methods.curricula import bandits, levels, pcl
from turnwise.baselines.methods.curricula.base import Arm, ArmCurriculum, CurriculumSettings
from turnwise.baselines.methods.curricula.fixed import ScalingInter, Uniform
from turnwise.baselines.methods.kinds import curriculum as CURRICULA

__all__ = [
    "CURRICULA", "WITHOUT_ARMS", "bandits", "levels", "make_arms", "make_curriculum", "make_targets", "pcl",
]  # fmt: skip

WITHOUT_ARMS = (Uniform, ScalingInter)
"""Those that mean something for a single environment at one level, too."""


def make_arms(env: str, env_settings: Mapping[str, Any], settings: CurriculumSettings) -> list[Arm]:
    """Make the arms of a run: those listed, or the levels of its environment, or the environment alone.

    Args:
        env: environment of the arms that name none.
        env_settings: settings that all arms of this environment share; an arm's own win. An arm of another
            environment has only its own.
        settings: of the curriculum.
    """
    levels = [Arm(settings={"difficulty": level}) for level in settings.levels]
    made = []
    for arm in settings.arms or levels or [Arm()]:
        name = arm.env or env
        shared = env_settings if name == env else {}
        made.append(Arm(env=name, settings={**shared, **arm.settings}, weight=arm.weight))
    return made


def make_targets(arms: Sequence[Arm], env: str, env_settings: Mapping[str, Any]) -> list[Arm]:
    """Return the environments that a run is evaluated on and that its warm start plays.

    Returns:
        The run's environment with its settings where all arms are of that environment (the arms are then its levels);
        otherwise every different arm once.
    """
    if all(arm.env == env for arm in arms):
        return [Arm(env=env, settings=dict(env_settings))]
    return list({arm.label: replace(arm, weight=1.0) for arm in arms}.values())


def make_curriculum(
    settings: CurriculumSettings, env: str, env_settings: Mapping[str, Any] | None = None
) -> ArmCurriculum[Any]:
    """Create the curriculum of a run in its initial state.

    Args:
        settings: which curriculum, and how it draws.
        env: environment id of the run.
        env_settings: its settings.
    """
    made: ArmCurriculum[Any] = CURRICULA.make(settings, make_arms(env, env_settings or {}, settings))
    return made
