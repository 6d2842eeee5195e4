"""Context policies on messages: which of them a model reads before a turn, whoever it is.

A local model applies them to rows of tokens (`turnwise.engine.context`), an endpoint's agent to what it sends.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnwise.core.errors import SettingsError, did_you_mean

__all__ = ["OMITTED", "Policy", "read_policy", "window", "without_observations"]

Messages = Sequence[Mapping[str, Any]]
OMITTED = "(omitted)"
_DEFAULTS = {"append": 0, "window": 4, "drop_observations": 1, "summarise": 8192}
_SPEC = re.compile(r"([a-z_]+)(?::([1-9]\d{0,8}))?")


def window(messages: Messages, turns: int) -> list[Mapping[str, Any]]:
    """Keep the first observation and the last ``turns`` turns.

    Args:
        messages: The first observation, then pairs of an action and the observation that answers it.
        turns: At least 1.

    Source: ReAct agents with a bounded history; here as in the observation window of RAGEN, arXiv:2504.20073, 3.1.
    """
    return [*messages[:1], *messages[1:][-2 * turns :]]


def without_observations(messages: Messages, keep: int, placeholder: str = OMITTED) -> list[Mapping[str, Any]]:
    """Keep all actions, and of the observations the first and the last ``keep``; the others become ``placeholder``.

    Source: dynamic context compression of WebAgent-R1, arXiv:2505.16421, section 2.2.
    """
    places = [i for i, message in enumerate(messages) if i and message["role"] == "user"]
    old = set(places[:-keep])
    return [{**m, "content": placeholder} if i in old else m for i, m in enumerate(messages)]


@dataclass(frozen=True)
class Policy:
    """A context policy by name: "append", "window", "drop_observations" or "summarise", and its number."""

    name: str = "append"
    number: int = 0

    def kept(self, messages: Messages) -> list[Mapping[str, Any]]:
        """The messages that are read, from the first observation on."""
        if self.name == "window":
            return window(messages, self.number)
        if self.name == "drop_observations":
            return without_observations(messages, self.number)
        return list(messages)


def read_policy(text: str) -> Policy:
    """Read ``append``, ``window:TURNS``, ``drop_observations:KEPT`` or ``summarise:TOKENS``.

    >>> read_policy("window:4"), read_policy("drop_observations")
    (Policy(name='window', number=4), Policy(name='drop_observations', number=1))
    """
    found = _SPEC.fullmatch(text)
    if found is None or found[1] not in _DEFAULTS or (found[1] == "append" and found[2]):
        near = did_you_mean(text.partition(":")[0], _DEFAULTS)
        raise SettingsError(
            f"context is {text!r}{near}; it must be 'append', 'window:TURNS', 'drop_observations:KEPT' or "
            "'summarise:TOKENS', with whole numbers of at least 1"
        )
    return Policy(found[1], int(found[2] or _DEFAULTS[found[1]]))
