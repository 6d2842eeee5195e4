"""A whole conversation: the tables, what the person asks turn by turn, and the state that each turn must lead to."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple, Self

from turnwise.core.draw import Draw
from turnwise.core.tools import Call, Toolbox
from turnwise.worlds.calls.api import Answer, Api, Do, Goal, Place, Refused, Request, World
from turnwise.worlds.calls.apis.files import FILES
from turnwise.worlds.calls.apis.maths import MATHS
from turnwise.worlds.calls.apis.messages import MESSAGES
from turnwise.worlds.calls.apis.tickets import TICKETS
from turnwise.worlds.calls.apis.trading import TRADING
from turnwise.worlds.calls.apis.travel import TRAVEL
from turnwise.worlds.calls.apis.vehicle import VEHICLE
from turnwise.worlds.desks.said import Said
from turnwise.worlds.desks.store import Row, Store

__all__ = ["APIS", "Shape", "Talk", "Turn", "talk_of", "toolbox_of"]

APIS: Final[Mapping[str, Api]] = {
    api.name: api for api in (FILES, TRADING, TRAVEL, VEHICLE, MESSAGES, TICKETS, MATHS)
}  # fmt: skip
_STATEFUL: Final = [name for name, api in APIS.items() if api.does]
_FIRST_DAY: Final = datetime.date(2026, 1, 5)
_TRIES: Final = 60
MAX_RESULT: Final = 30_000

Changes = Mapping[tuple[str, str], Row | None]


class Shape(NamedTuple):
    """How large and how difficult a conversation is.

    Attributes:
        apis: APIs that the requests are about.
        distractors: Further APIs whose functions are there.
        rows: About how many rows the larger tables have.
        turns: Turns with requests.
        requests: Most requests in one turn.
        back: Share of requests that refer to something earlier, where there is something.
        questions: Share of requests that are questions.
        missing_functions: Turns for which a function is missing at first.
        missing_details: Turns in which a detail is missing at first.
    """

    apis: int = 2
    distractors: int = 0
    rows: int = 20
    turns: int = 3
    requests: int = 1
    back: float = 0.3
    questions: float = 0.25
    missing_functions: int = 0
    missing_details: int = 0


@dataclass(frozen=True, eq=False)
class Turn:
    """What the person says, and what has to come of it.

    Attributes:
        kind: ``plain``; ``detail`` (something is missing: the agent has to ask); ``function`` (the agent has to say
            that it cannot do it).
        text: What they say.
        calls: The calls that the program made, for the oracle.
        answers: What has to be told.
        changes: The rows that differ from the start once the turn is over.
        granted: Functions that are there from this turn on.
    """

    kind: Literal["plain", "detail", "function"]
    text: str
    calls: tuple[Call, ...]
    answers: tuple[Answer, ...]
    changes: Changes
    granted: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Talk:
    """A conversation.

    Attributes:
        apis: Names of the APIs whose functions are there.
        hidden: Functions that are missing at first.
        opened: The tables at the start.
        today: Its day.
        turns: What is asked.
    """

    apis: tuple[str, ...]
    hidden: frozenset[str]
    opened: World
    today: datetime.date
    turns: tuple[Turn, ...]

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it changes


@lru_cache(maxsize=512)
def toolbox_of(apis: tuple[str, ...], hidden: frozenset[str]) -> Toolbox:
    """Return the functions of APIs but for the hidden ones."""
    tools = [tool for name in apis for tool in APIS[name].tools if tool.name not in hidden]
    return Toolbox(tools, MAX_RESULT)


def talk_of(draw: Draw, shape: Shape) -> Talk:
    """Draw a conversation."""
    first = draw.choice(_STATEFUL)
    rest = draw.shuffled([name for name in APIS if name != first])
    about = [first, *rest[: shape.apis - 1]]
    apis = tuple(sorted(about + rest[shape.apis - 1 : shape.apis - 1 + shape.distractors], key=list(APIS).index))
    today = _FIRST_DAY + datetime.timedelta(draw.below(700))
    tables = {name: rows for api in apis for name, rows in APIS[api].fill(draw, shape.rows, today).items()}
    opened = World(Store(tables))
    return _Writer(draw, shape, about, apis, opened, today).talk()


class _Made(NamedTuple):
    """A request that was carried out."""

    goal: Goal
    request: Request
    do: Do
    answer: Answer | None
    world: World


Fits = Callable[[_Made], bool]


class _Writer:
    """Writes the turns of a conversation, carrying each request out on the tables."""

    def __init__(
        self, draw: Draw, shape: Shape, about: list[str], apis: tuple[str, ...], opened: World, today: datetime.date
    ) -> None:
        self.draw, self.shape, self.about, self.apis = draw, shape, [APIS[name] for name in about], apis
        self.opened, self.today = opened, today
        self.world = opened.fork()
        self.toolbox = toolbox_of(apis, frozenset())
        self.memory: dict[str, str] = {}
        self.used: set[str] = set()
        self.hidden: set[str] = set()
        self.last: Goal | None = None

    def talk(self) -> Talk:
        """Write all turns."""
        shape, draw = self.shape, self.draw
        places = draw.shuffled(range(shape.turns))
        functions = set(places[: shape.missing_functions])
        details = set(places[shape.missing_functions : shape.missing_functions + shape.missing_details])
        turns: list[Turn] = []
        for place in range(shape.turns):
            last = place == shape.turns - 1
            if place in functions:
                turns += self._without_function()
            elif place in details:
                turns += self._without_detail()
            else:
                turns.append(self._plain(last))
        return Talk(self.apis, frozenset(self.hidden), self.opened, self.today, tuple(turns))

    def _plain(self, last: bool) -> Turn:
        count = self.draw.integer(1, self.shape.requests)
        made = []
        for place in range(count):
            question = self.draw.chance(self.shape.questions) and not (last and place == count - 1)
            made.append(self._drawn(question)[0])
        return Turn(
            "plain", _joined(self.draw, [one.request.text for one in made]),
            tuple(call for one in made for call in one.do.calls),
            tuple(one.answer for one in made if one.answer is not None), self.world.store.changes(),
        )  # fmt: skip

    def _done(self, made: _Made, text: str, granted: frozenset[str] = frozenset()) -> Turn:
        """Return the turn in which a request is carried out."""
        answers = () if made.answer is None else (made.answer,)
        return Turn("plain", text, tuple(made.do.calls), answers, self.world.store.changes(), granted)

    def _without_detail(self) -> list[Turn]:
        before = self.world.store.changes()
        made, fits = self._drawn(False, lambda made: bool(made.request.blank))
        if not fits:
            return [self._done(made, made.request.text)]
        return [Turn("detail", made.request.blank, (), (), before), self._done(made, made.request.supply)]

    def _without_function(self) -> list[Turn]:
        sole = frozenset().union(*(api.sole for api in self.about)) - self.used
        before = self.world.store.changes()
        made, fits = self._drawn(False, lambda made: any(call.name in sole for call in made.do.calls))
        if not fits:
            return [self._done(made, made.request.text)]
        gone = frozenset({next(call.name for call in reversed(made.do.calls) if call.name in sole)})
        self.hidden |= gone
        again = self.draw.either("You have another function now. Can you do it with that?",
                                 "I've added a function for you. Please try again.",
                                 "There is one more function now; please do it.")  # fmt: skip
        return [Turn("function", made.request.text, (), (), before), self._done(made, again, gone)]

    def _drawn(self, question: bool, fits: Fits = lambda made: True) -> tuple[_Made, bool]:
        """Draw a request and carry it out on the tables; say whether it fits."""
        back = self.draw.chance(self.shape.back)
        found: _Made | None = None
        right = False
        for attempt in range(_TRIES):
            made = self._attempt(question, back if attempt < _TRIES // 2 else None)
            if made is not None and (found is None or fits(made)):
                found, right = made, fits(made)
                if right:
                    break
        if found is None:
            raise Refused(f"nothing can be asked about {[api.name for api in self.about]}")
        self.world, self.memory, self.last = found.world, found.do.memory, found.goal
        self.used |= {call.name for call in found.do.calls}
        return found, right

    def _attempt(self, question: bool, back: bool | None) -> _Made | None:
        """Try a request, of another kind than the last and one that refers back or not, unless ``back`` is None."""
        api = self.draw.choice([api for api in self.about if (api.asks if question else api.does)])
        goal = self.draw.choice(api.asks if question else api.does)
        if goal is self.last and back is not None:
            return None
        request = goal(Place(self.draw, self.world.store, self.memory, self.today))
        if request is None or (back is not None and request.back != back):
            return None
        world = self.world.fork()
        do = Do(world, self.toolbox, dict(self.memory))
        try:
            told = request.program(do)
        except Refused:  # a purchase without the cash for it
            return None
        if not question and world.store.changes() == self.world.store.changes():
            return None
        return _Made(goal, request, do, Answer(told) if isinstance(told, Said) else told, world)


def _joined(draw: Draw, texts: list[str]) -> str:
    """Put the requests of a turn into one message."""
    if len(texts) == 1:
        return texts[0]
    if draw.chance(0.5):
        lines = "\n".join(f"{place}. {text}" for place, text in enumerate(texts, 1))
        lead = draw.either("In this order, please:", "A few things, one after the other:", "Here is what I need:")
        return f"{lead}\n{lines}"
    links = ("After that:", "When that is done:", "And then:", "Next:")
    return texts[0] + "".join(f" {draw.choice(links)} {text}" for text in texts[1:])
