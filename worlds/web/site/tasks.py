"""Tasks: what is asked, how a scripted agent does it through the page, and what must hold at the end.

A template is a function that draws an instance from a world's data. It knows the data, so it can write down the
expected changes to the databases, the answer, and a plan: steps that name elements as the page shows them, never their
numbers.
"""

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.web.site.cast import Cast, cast_of
from turnwise.worlds.web.site.registry import snapshot_of
from turnwise.worlds.web.site.state import Snapshot
from turnwise.worlds.web.site.steps import Plan, Step

__all__ = [
    "ANYTHING", "Answer", "Change", "Draft", "Goal", "OneOf", "Said", "TaskSet", "Tasks", "Template", "World",
    "check_plan", "check_several", "delete", "insert", "money", "update",
]  # fmt: skip

TemplateT = TypeVar("TemplateT", bound=Callable[..., Any])
LEVELS = (1, 2, 3, 4, 5)


# ---- goals -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """A text that agents may write in their own way: compared without case, white space and a final full stop."""

    text: str


@dataclass(frozen=True)
class OneOf:
    """Any of several values."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class _Anything:
    pass


ANYTHING = _Anything()
"""Any value: a free text that cannot be checked."""


@dataclass(frozen=True)
class Change:
    """A row that must be changed; made with `insert`, `update` and `delete`.

    Values are compared as they are (texts without white space at their ends), or as `Said`, `OneOf` and `ANYTHING` say.
    Columns of an insert that are not named must have the schema's default; its INTEGER PRIMARY KEY need not be named.

    Attributes:
        site: The site's name.
        table: The table's.
        op: What must happen.
        key: Columns and values that find the row; empty for an insert.
        values: Columns and their new values; for an update these change and no others.
    """

    site: str
    table: str
    op: Literal["insert", "update", "delete"]
    key: tuple[tuple[str, Any], ...] = ()
    values: tuple[tuple[str, Any], ...] = ()


def insert(where: str, /, **values: object) -> Change:
    """Return the change that adds a row: ``insert("shop.review", product=3, stars=5)``."""
    site, table = _place(where)
    return Change(site, table, "insert", (), tuple(values.items()))


def update(where: str, key: int | str | Mapping[str, object], /, **values: object) -> Change:
    """Return a row's change: ``update("shop.product", 3, price=1250)``; the key is its ``id``, or columns by name."""
    site, table = _place(where)
    return Change(site, table, "update", _key(key), tuple(values.items()))


def delete(where: str, key: int | str | Mapping[str, object], /) -> Change:
    """Return the change that deletes a row: ``delete("shop.cart", 3)``."""
    site, table = _place(where)
    return Change(site, table, "delete", _key(key))


def _place(where: str) -> tuple[str, str]:
    site, _, table = where.partition(".")
    if not site or not table:
        raise SettingsError(f"the change is of {where!r}; write the site and the table: 'shop.cart'")
    return site, table


def _key(key: int | str | Mapping[str, object]) -> tuple[tuple[str, Any], ...]:
    return tuple(key.items()) if isinstance(key, Mapping) else (("id", key),)


_WRITTEN = {
    "money": (re.compile(r"-?[0-9]+\.[0-9]{2}"), "money(1250) does, '12.50'"),
    "date": (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), "'2027-04-13'"),
    "time": (re.compile(r"[0-9]{2}:[0-9]{2}"), "'14:30'"),
    "yes_no": (re.compile("yes|no"), "'yes' or 'no'"),
}


@dataclass(frozen=True)
class Answer:
    """The right answer.

    Attributes:
        form: "text", "number", "money" (gold as "12.50"), "date" (gold as YYYY-MM-DD), "time" (HH:MM), "items" (a list
            in any order), "yes_no" ("yes" or "no").
        golds: For "items", each item with its accepted forms; else one item with all accepted forms, the first as the
            oracle says it.
    """

    form: Literal["text", "number", "money", "date", "time", "items", "yes_no"]
    golds: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        forms = get_args(type(self).__annotations__["form"])
        if self.form not in forms:
            raise SettingsError(f"the answer's form is {self.form!r}; the forms are {', '.join(forms)}")
        written, example = _WRITTEN.get(self.form, (None, ""))
        if written is not None and not written.fullmatch(self.golds[0][0]):
            raise SettingsError(f"the answer of form {self.form!r} is {self.golds[0][0]!r:.80}; write it as {example}")

    @classmethod
    def of(
        cls, form: Literal["text", "number", "money", "date", "time", "yes_no"], gold: object, *others: str
    ) -> "Answer":
        """Return one answer, with other accepted forms."""
        return cls(form, ((str(gold), *others),))

    @classmethod
    def items(cls, golds: "list[str] | tuple[str, ...]") -> "Answer":
        """Return a list in any order."""
        return cls("items", tuple((gold,) for gold in golds))

    @property
    def text(self) -> str:
        """The answer as the oracle says it."""
        return "; ".join(item[0] for item in self.golds)


@dataclass(frozen=True)
class Goal:
    """What must hold at the end: exactly these changes and no others, and this answer.

    Attributes:
        changes: All that may differ in the databases.
        answer: None if no answer is asked for.
        url: Where the active tab must be; "" for anywhere. Compared without the order of parameters.
        infeasible: The agent must say that the task cannot be done.
    """

    changes: tuple[Change, ...] = ()
    answer: Answer | None = None
    url: str = ""
    infeasible: bool = False

    def __post_init__(self) -> None:
        check_several("changes", self.changes, Change, "update(...)")
        _check_answer(self.answer)


@dataclass(frozen=True)
class Draft:
    """What a template returns.

    Attributes:
        instruction: What the agent is asked, in one to four sentences, with everything that the checker requires.
        plan: The oracle's steps from ``start``. A last `answer`, `done` or `infeasible` is added if it is missing.
        changes: Expected changes.
        answer: Expected answer.
        url: Expected address at the end.
        infeasible: Why it cannot be done, as the oracle says it; "" if it can.
        start: Address of the first page; "" for the home page of the task set's site.
        signed_in: Whether the user is signed in at the sites from the start.
        others: Further goals that count as much (several right ends).
    """

    instruction: str
    plan: Plan
    changes: tuple[Change, ...] = ()
    answer: Answer | None = None
    url: str = ""
    infeasible: str = ""
    start: str = ""
    signed_in: bool = True
    others: tuple[Goal, ...] = ()

    def __post_init__(self) -> None:
        for name in ("instruction", "url", "infeasible", "start"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} is {getattr(self, name)!r:.80}; it must be a text")
        check_plan(self.plan)
        check_several("changes", self.changes, Change, "update(...)")
        _check_answer(self.answer)
        check_several("others", self.others, Goal, "Goal(...)")


def check_plan(plan: object, name: str = "plan", where: str = "") -> None:
    """Raise an error unless ``plan`` is a plan; arguments as in `check_several`.

    Raises:
        TypeError: It is not; the message says how to write one.
    """
    check_several(name, plan, Step, "click(...)", where)


def check_several(name: str, given: object, kind: type, example: str, where: str = "") -> None:
    """Raise an error unless ``given`` is a tuple of values of one type.

    Args:
        name: What it is called.
        given: What was given.
        kind: Type of its parts.
        example: How a part is written.
        where: What it belongs to, with a space in front.

    Raises:
        TypeError: It is not; the message says how to write it.
    """
    if isinstance(given, kind):
        raise TypeError(f"{name}{where} is one {kind.__name__}; a tuple of one needs a comma: {name}=({example},)")
    if not isinstance(given, tuple):
        raise TypeError(f"{name}{where} is {given!r:.80}; it must be a tuple: {name}=({example},)")
    for place, part in enumerate(given):
        if not isinstance(part, kind):
            found = f"{name}[{place}]{where} is {part!r:.80}"
            raise TypeError(f"{found}; each of its parts must be a {kind.__name__}: {example}")


def _check_answer(given: object) -> None:
    if given is not None and not isinstance(given, Answer):
        raise TypeError(f"answer is {given!r:.80}; write Answer.of(form, value), such as Answer.of('number', 12)")


# ---- templates -------------------------------------------------------------------------------------------------------


class World:
    """The data that templates draw from.

    Attributes:
        seed: The world's.
        size: About how many main things each site has.
        cast: People, companies and towns.
    """

    def __init__(self, seed: int, size: int) -> None:
        self.seed, self.size = seed, size
        self.cast: Cast = cast_of(seed)

    @property
    def now(self) -> datetime.datetime:
        """The time that all clocks show."""
        return self.cast.now

    def __call__(self, site: str) -> Snapshot:
        """Return a site's database at the start, read-only: ``world("shop").rows("SELECT ...")``."""
        return snapshot_of(site, self.seed, self.size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, World) and (self.seed, self.size) == (other.seed, other.size)

    def __hash__(self) -> int:
        return hash((self.seed, self.size))

    def __reduce__(self) -> Any:
        return World, (self.seed, self.size)


class Template(NamedTuple):
    """A kind of task.

    Attributes:
        name: ``set.method``.
        draw: ``(world, draw) -> Draft | None``; None if this world, or this draw, has no such task. An error in it
            has notes that name the template and the world.
        level: 1 (one page) to 5 (many pages, several constraints).
        sites: Names of the sites it needs.
        browser: It needs free JavaScript.
        infeasible: Its instances cannot be done.
        needs_size: Smallest world that has such tasks.
    """

    name: str
    draw: "Callable[[World, Draw], Draft | None]"
    level: int
    sites: tuple[str, ...]
    browser: bool
    infeasible: bool
    needs_size: int


@dataclass(frozen=True)
class _Drawing:
    """A template's function; checks that it returns a draft of that template, and notes in errors where they were."""

    function: "Callable[[World, Draw], Draft | None]"
    name: str
    level: int
    infeasible: bool

    def __call__(self, world: World, draw: Draw) -> "Draft | None":
        try:
            draft = self.function(world, draw)
            self._check(draft)
        except Exception as error:
            if _last_code(error) is Draw.choice.__code__:
                error.add_note("draw.choice was given nothing to choose from; return None if a world has nothing")
            error.add_note(f"in the template {self.name}, in the world with seed {world.seed} at size {world.size}")
            raise
        return draft

    def _check(self, draft: "Draft | None") -> None:
        if draft is None:
            return
        if not isinstance(draft, Draft):
            raise TypeError(f"it returned {draft!r:.80}; a template returns a Draft, or None if there is no task")
        if draft.infeasible and not self.infeasible:
            raise SettingsError(f"the draft has infeasible=; write template({self.level}, infeasible=True)")
        if self.infeasible and not draft.infeasible:
            raise SettingsError("the template has infeasible=True; the draft must say why, as infeasible='Sold out.'")


def _last_code(error: BaseException) -> object:
    """Return the code that raised an error."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return None if at is None else at.tb_frame.f_code


class Tasks:
    """A group of templates. A module creates one, and a site or a `TaskSet` lists the groups of all its modules.

    Attributes:
        defined: The templates, in the order of their definition, with names that lack the site's.
    """

    def __init__(self) -> None:
        self.defined: list[Template] = []

    def template(
        self,
        level: int,
        *,
        sites: tuple[str, ...] = (),
        browser: bool = False,
        infeasible: bool = False,
        needs_size: int = 20,
    ) -> Callable[[TemplateT], TemplateT]:
        """Register a function ``(world, draw) -> Draft | None`` as a template; arguments as in `Template`.

        Raises:
            SettingsError: The level is not in 1 to 5, or ``sites`` is not a tuple of names.
        """
        if callable(level):
            raise SettingsError("a template has a level: write @tasks.template(2) above the function")
        if level not in LEVELS:
            raise SettingsError(f"level is {level!r}; the level of a template is 1, 2, 3, 4 or 5")
        if not isinstance(sites, tuple) or not all(isinstance(name, str) for name in sites):
            raise SettingsError(f"sites is {sites!r}; it must be a tuple of names: sites=('shop',)")

        def add(function: TemplateT) -> TemplateT:
            self.defined.append(Template(function.__name__, function, level, sites, browser, infeasible, needs_size))
            return function

        return add


@dataclass(frozen=True)
class TaskSet:
    """Templates that belong together.

    Attributes:
        name: The first half of their names; one lower-case word.
        tasks: Groups of templates.
        sites: Sites that all of them need.
    """

    name: str
    tasks: tuple[Tasks, ...]
    sites: tuple[str, ...] = ()

    def templates(self) -> Iterator[Template]:
        """Yield all templates, in the order of their definition.

        Raises:
            SettingsError: Two have the same name.
        """
        seen = set()
        for each in chain.from_iterable(group.defined for group in self.tasks):
            if each.name in seen:
                raise SettingsError(f"{self.name} has two templates named {each.name!r}; rename one of them")
            seen.add(each.name)
            name = f"{self.name}.{each.name}"
            draw = _Drawing(each.draw, name, each.level, each.infeasible)
            yield each._replace(name=name, draw=draw, sites=tuple(dict.fromkeys((*self.sites, *each.sites))))


def money(cents: int) -> str:
    """Format an amount as all sites write it: ``money(123450)`` is ``1234.50``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
