"""Convert the settings of runs of version 0.1, in which the settings of methods were separate mappings."""

from collections.abc import Mapping
from typing import Any

__all__ = ["converted"]

_BESIDE = ("context", "engine", "curriculum", "sampling", "reward", "credit", "loss")
_SEVERAL = ("shaping", "token_weights", "advantage_shaping")
_OPTIONS = ("lora", "ray", "replay", "reward_filter", "adaptive_entropy")


def converted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a config.json by their present names; unchanged if they already have these.

    >>> converted({"credit": "gigpo", "credit_settings": {"gamma": 0.9}, "replay": {}})
    {'credit': 'gigpo', 'credit.gamma': 0.9, 'replay': False}
    """
    if "credit_settings" not in values:
        return dict(values)
    found = dict(values)
    for name in _BESIDE:
        found |= {f"{name}.{key}": value for key, value in (found.pop(f"{name}_settings", None) or {}).items()}
    for name in _OPTIONS:
        if isinstance(own := found.get(name), Mapping):
            found[name] = bool(own)
            found |= {f"{name}.{key}": value for key, value in own.items()}
    for name in _SEVERAL:
        if isinstance(own := found.get(name), Mapping):
            found[name] = list(own)
            found |= {f"{name}.{method}.{key}": value for method, its in own.items() for key, value in its.items()}
    for key, value in (found.pop("judge", None) or {}).items():
        found[f"reward.{key}"] = value
    learner = "estimator" if found.get("credit") == "spa" else "critic"
    for key, value in (found.pop("critic", None) or {}).items():
        found[f"credit.{learner}.{key}"] = value
    for key, value in (found.pop("guidance_settings", None) or {}).items():
        if key == "objective_settings":
            found |= {f"guidance.objective.{inner}": each for inner, each in value.items()}
        elif key == "amft":
            found["guidance.amft"] = value is not None
            found |= {f"guidance.amft.{inner}": each for inner, each in (value or {}).items()}
        else:
            found[f"guidance.{key}"] = value
    return found
