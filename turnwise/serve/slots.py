"""What a session is to the server: its limits, what it plays, and how far it is."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from turnwise.core.errors import SettingsError
from turnwise.serve.crew import Opened, Refusal

__all__ = ["Limits", "Served", "Slot", "Talk"]


@dataclass(frozen=True)
class Limits:
    """What clients may use.

    Attributes:
        sessions: Most sessions at a time.
        message_bytes: Longest message of a client.
        idle_s: Seconds without a message after which a session is closed.
        step_s: Longest time that an environment may take for a message, in seconds; then the session is given up.
        waiting: Most messages that wait for a worker; more are refused.
    """

    sessions: int = 256
    message_bytes: int = 1 << 20
    idle_s: float = 900.0
    step_s: float = 300.0
    waiting: int = 4096

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not value > 0:
                raise SettingsError(f"{name} is {value}; it must be above 0")


@dataclass(frozen=True)
class Served:
    """An environment that the server offers.

    Attributes:
        name: What clients call it.
        id: Its registered id.
        settings: Its settings; clients choose none but ``difficulty`` and the split.
        levels: Number of its levels; 0 if it has none.
        num_tasks: Tasks of each split that are listed.
        quick: It computes quickly and never waits for anything.
    """

    name: str
    id: str
    settings: Mapping[str, Any]
    levels: int
    num_tasks: int
    quick: bool = False


@dataclass
class Slot:
    """A session, as the server sees it.

    Attributes:
        key: What its client calls it; cannot be guessed.
        number: What its host calls it.
        env: Its environment.
        opened: How its episode began; None while there is none.
        seed: Seed of the episode.
        turn: Turns played.
        done: The episode is over.
        episode_id: The client's name for the episode.
        attached: A socket speaks for it.
        used: When it was last used, on the table's clock.
        lock: Held while something happens in it: one thing at a time.
        results: Answers to the last messages that had an id.
        hangup: Ends the connection that speaks for it.
    """

    key: str
    number: int
    env: Served
    opened: Opened | None = None
    seed: int = 0
    turn: int = 0
    done: bool = False
    episode_id: str | None = None
    attached: bool = False
    used: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    results: "OrderedDict[str, asyncio.Future[Any]]" = field(default_factory=OrderedDict)
    hangup: Callable[[], None] = lambda: None


class Talk(Protocol):
    """What is said on a connection in one of the protocols.

    Attributes:
        slot: The session that it speaks for.
        own: The session ends with the connection.
    """

    slot: Slot
    own: bool

    def __init__(self, table: Any, env: str | None, key: str | None) -> None:
        """Open or find the session; raises `Refusal`."""

    @staticmethod
    def refused(refusal: Refusal) -> Mapping[str, Any]:
        """What a client reads that got no session."""

    @staticmethod
    def unreadable(refusal: Refusal) -> Mapping[str, Any]:
        """The answer to what is not JSON."""

    def answer(self, sent: Any) -> Coroutine[Any, Any, Mapping[str, Any] | None]:
        """The answer to a message: empty if it needs none, None if it ends the connection."""
