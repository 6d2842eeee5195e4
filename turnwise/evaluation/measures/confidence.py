"""Ask an agent how sure it is, and read what it says; the environment never sees it."""

import re
from typing import Any

import gymnasium

from turnwise.core.wrappers import TextWrapper

__all__ = ["ASKING", "StatedConfidence", "stated_confidence"]

ASKING = (
    "End your message with how sure you are that you solve this task, in percent from 0 to 100, in the form "
    "<confidence>PERCENT</confidence>."
)
_TAG = re.compile(r"<confidence>(.*?)</confidence>", re.DOTALL)
_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)", re.ASCII)
Step = tuple[str, float, bool, bool, dict[str, Any]]


def stated_confidence(message: str) -> float | None:
    """Return the probability that a message states last; None if it states none.

    A number is in percent, unless it has a decimal point, no percent sign and is at most 1: then it is a probability.

    Source: verbalised probabilities, Lin et al. 2022, arXiv 2205.14334; Tian et al. 2023, arXiv 2305.14975.

    >>> [stated_confidence(f"<confidence>{text}</confidence>") for text in ("85", "85 %", "0.85", "1", "120", "high")]
    [0.85, 0.85, 0.85, 0.01, None, None]
    """
    found = _TAG.findall(message)
    match = _NUMBER.fullmatch(found[-1].strip()) if found else None
    if match is None:
        return None
    value = float(match[1])
    if match[2] or "." not in match[1] or value > 1:
        value /= 100
    return value if value <= 1 else None


class StatedConfidence(TextWrapper):
    """Asks for a confidence in the first observation, and takes it out of every message.

    The last one that is stated is the metric ``confidence`` of the episode, from 0 to 1; an episode in which none is
    stated has no such metric.

    Args:
        env: Any environment.
    """

    def __init__(self, env: gymnasium.Env[str, str]) -> None:
        super().__init__(env)
        self._last: float | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._last = None
        observation, info = self.env.reset(seed=seed, options=options)
        return f"{observation}\n\n{ASKING}", info

    def step(self, action: str) -> Step:
        stated = stated_confidence(action)
        if stated is not None:
            self._last = stated
        heard = _TAG.sub("", action).strip() if "<confidence>" in action else action
        observation, reward, terminated, truncated, info = self.env.step(heard)
        if "metrics" in info and self._last is not None:
            info = {**info, "metrics": {**info["metrics"], "confidence": self._last}}
        return observation, float(reward), terminated, truncated, info
