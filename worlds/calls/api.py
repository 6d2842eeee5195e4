"""What an API is, what is asked of it, and how a program carries a request out by calls."""

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from turnwise.core.draw import Draw
from turnwise.core.tools import Call, Tool, Toolbox
from turnwise.worlds.desks.said import Said
from turnwise.worlds.desks.store import Store, Tables

__all__ = ["Answer", "Api", "Do", "Goal", "Place", "Refused", "Request", "World", "asked", "dump"]


class World:
    """The tables of all APIs in one conversation.

    Args:
        store: The tables.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def perform(self, name: str, function: Callable[..., str], arguments: Mapping[str, Any], writes: bool) -> str:
        """Carry out a call.

        Raises:
            ValueError: It cannot be carried out; nothing has changed.
        """
        return function(self.store, **arguments)

    def fork(self) -> Self:
        """Return an independent copy."""
        return type(self)(self.store.fork())

    def __deepcopy__(self, memo: object) -> Self:
        return self.fork()


class Refused(ValueError):
    """A call of a program that an API does not carry out."""


class Do:
    """Carries out a program's calls, and keeps them.

    Args:
        world: The world, which the calls change.
        toolbox: The functions.
        memory: What earlier requests were about, by kind: the order that was placed last, the figure told last.

    Attributes:
        calls: The calls so far.
    """

    def __init__(self, world: World, toolbox: Toolbox, memory: dict[str, str]) -> None:
        self._world, self._toolbox = world, toolbox
        self.memory = memory
        self.calls: list[Call] = []

    def __call__(self, tool: str, **arguments: Any) -> Any:
        """Call a function and return its result as data.

        Raises:
            Refused: The call cannot be carried out.
        """
        one = Call(tool, arguments)
        answer = self._toolbox.run(one, self._world)
        if answer.failed:
            raise Refused(answer.text)
        self.calls.append(one)
        return json.loads(answer.text.removeprefix("<tool_response>").removesuffix("</tool_response>"))


class Answer(NamedTuple):
    """What has to be told to somebody who asked.

    Attributes:
        said: It.
        rivals: What else might have been the answer; a message that names several of them answers nothing.
    """

    said: Said
    rivals: tuple[Said, ...] = ()


@dataclass(frozen=True, eq=False)
class Request:
    """One thing that a person asks for.

    Attributes:
        text: In their words.
        program: Carries it out by calls, and returns what has to be told if it is a question.
        blank: The same with a detail left out that cannot be looked up; empty if there is no such wording.
        supply: How they give the detail when they are asked.
        back: Whether it refers to something earlier in the conversation.
    """

    text: str
    program: Callable[[Do], Answer | Said | None]
    blank: str = ""
    supply: str = ""
    back: bool = False


@dataclass(frozen=True)
class Place:
    """What a request is drawn from.

    Attributes:
        draw: The draws.
        store: The tables as they are when the request is made.
        memory: What earlier requests were about.
        today: The day of the conversation.
    """

    draw: Draw
    store: Store
    memory: Mapping[str, str]
    today: datetime.date


Goal = Callable[[Place], Request | None]
"""Draws a request; None if the tables hold nothing that it could be about."""


@dataclass(frozen=True, eq=False)
class Api:
    """A set of functions over tables of their own.

    Attributes:
        name: Its name.
        tools: Its functions.
        fill: Draws its tables: from draws, the number of rows of the larger tables, and the day.
        does: Requests that change something.
        asks: Questions.
        sole: Functions whose effect no others have, so that a request for it cannot be met without them.
    """

    name: str
    tools: tuple[Tool, ...]
    fill: Callable[[Draw, int, datetime.date], Tables]
    does: tuple[Goal, ...]
    asks: tuple[Goal, ...] = ()
    sole: frozenset[str] = field(default_factory=frozenset)


def dump(value: Any) -> str:
    """Write a result."""
    return json.dumps(value, ensure_ascii=False)


_ASKING = (
    "Please {}.", "Could you {}?", "I'd like you to {}.", "Can you {} for me?", "{!c}.", "I need you to {}.",
    "Would you {}, please?",
)  # fmt: skip


def asked(draw: Draw, what: str, blank: str = "") -> Sequence[str]:
    """Word a request that is given as an imperative in lower case, and the same with a detail left out."""
    form = draw.choice(_ASKING)
    return [
        (form.replace("{!c}", text[0].upper() + text[1:]) if "!c" in form else form.format(text)) if text else ""
        for text in (what, blank)
    ]
