"""Tasks: what is asked, how a scripted agent does it through the page, and what must hold when it says that it is done.

A template is a method of a `TaskSet` (every `WebSite` is one) that draws an instance from a world's data. It knows the
data, so it can write down the expected changes to the databases, the answer, and a plan: steps that name elements as
the page shows them, never their numbers.
"""

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

from turnwise.core.errors import SettingsError
from turnwise.worlds.web.site.cast import Cast, cast_of
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.registry import snapshot_of
from turnwise.worlds.web.site.state import Snapshot

__all__ = [
    "ANYTHING", "Answer", "Change", "Draft", "Goal", "OneOf", "Plan", "Said", "Step", "TaskSet", "Template",
    "World", "answer", "back", "check", "check_plan", "click", "close_tab", "delete", "done", "fill", "goto", "hover",
    "infeasible", "insert", "money", "new_tab", "press", "select", "tab", "template", "uncheck", "update",
]  # fmt: skip

TemplateT = TypeVar("TemplateT", bound=Callable[..., Any])
LEVELS = (1, 2, 3, 4, 5)


# ---- plans -----------------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One action of a plan, of an element as a reader of the page would name it.

    Attributes:
        verb: As in ``turnwise.worlds.web.actions.actions``.
        name: Accessible name of the element, whole.
        role: Its role; "" for any.
        text: What is filled in, selected, pressed, answered, or the URL.
        near: Text within the row, list item, article, section or form around it, where the name alone does not tell.
        via: Name of a link or button that is clicked again and again until the element is there ("Next").
    """

    verb: str
    name: str = ""
    role: str = ""
    text: str = ""
    near: str = ""
    via: str = ""


Plan = tuple[Step, ...]


def click(name: str, role: str = "", near: str = "", via: str = "") -> Step:
    """Click the link, button or other element of that name."""
    return Step("click", name, role, "", near, via)


def fill(name: str, text: str, role: str = "", near: str = "", via: str = "") -> Step:
    """Write into a field, replacing what is there."""
    return Step("fill", name, role, text, near, via)


def select(name: str, option: str, near: str = "", via: str = "") -> Step:
    """Choose an option of a drop-down list by its text."""
    return Step("select", name, "", option, near, via)


def check(name: str, near: str = "", via: str = "") -> Step:
    """Tick a check box, or choose a radio button."""
    return Step("check", name, "", "", near, via)


def uncheck(name: str, near: str = "", via: str = "") -> Step:
    """Take the tick off a check box."""
    return Step("uncheck", name, "", "", near, via)


def press(name: str, key: str, role: str = "", near: str = "") -> Step:
    """Press a key in a field: ``press("Search", "Enter")``."""
    return Step("press", name, role, key, near)


def hover(name: str, role: str = "", near: str = "") -> Step:
    """Move the pointer over an element."""
    return Step("hover", name, role, "", near)


def goto(url: str) -> Step:
    """Open an address; only one that the agent can know: from the task, or seen on a page."""
    return Step("goto", text=url)


def back() -> Step:
    """Go back in the tab's history."""
    return Step("back")


def new_tab(url: str = "") -> Step:
    """Open another tab."""
    return Step("new_tab", text=url)


def tab(number: int) -> Step:
    """Go to a tab, counted from 1."""
    return Step("tab", text=str(number))


def close_tab() -> Step:
    """Close the tab."""
    return Step("close_tab")


def answer(text: str) -> Step:
    """Give the answer, which ends the episode."""
    return Step("answer", text=text)


def done() -> Step:
    """Say that it is done, which ends the episode."""
    return Step("done")


def infeasible(reason: str) -> Step:
    """Say that it cannot be done, which ends the episode."""
    return Step("infeasible", text=reason)


# ---- goals -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """A text that an agent writes in its own way: compared without case, white space and a full stop at its end."""

    text: str


@dataclass(frozen=True)
class OneOf:
    """Any of several values."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class _Anything:
    pass


ANYTHING = _Anything()
"""A value that may be what it likes: a free text that nobody can check."""


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
    """A new row: ``insert("shop.review", product=3, stars=5)``."""
    site, table = _place(where)
    return Change(site, table, "insert", (), tuple(values.items()))


def update(where: str, key: int | str | Mapping[str, object], /, **values: object) -> Change:
    """A row with new values: ``update("shop.product", 3, price=1250)``; the key is its ``id``, or columns by name."""
    site, table = _place(where)
    return Change(site, table, "update", _key(key), tuple(values.items()))


def delete(where: str, key: int | str | Mapping[str, object], /) -> Change:
    """A row that goes: ``delete("shop.cart", 3)``."""
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
        golds: For "items" each item with its accepted forms; else one item with all accepted forms, the first as the
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
        """One answer, with other accepted forms."""
        return cls(form, ((str(gold), *others),))

    @classmethod
    def items(cls, golds: "list[str] | tuple[str, ...]") -> "Answer":
        """A list in any order."""
        return cls("items", tuple((gold,) for gold in golds))

    @property
    def text(self) -> str:
        """The answer as the oracle says it."""
        return "; ".join(item[0] for item in self.golds)


@dataclass(frozen=True)
class Goal:
    """What must hold at the end: exactly these changes and no other, and this answer.

    Attributes:
        changes: All that may differ in the databases.
        answer: None where none is asked for.
        url: Where the active tab must be; "" for anywhere. Compared without the order of parameters.
        infeasible: The agent must say that the task cannot be done.
    """

    changes: tuple[Change, ...] = ()
    answer: Answer | None = None
    url: str = ""
    infeasible: bool = False

    def __post_init__(self) -> None:
        _check_several("changes", self.changes, Change, "update(...)")
        _check_answer(self.answer)


@dataclass(frozen=True)
class Draft:
    """What a template returns.

    Attributes:
        instruction: What the agent is asked, in one to four sentences; everything that the checker insists on is said.
        plan: The oracle's steps from ``start``. A last `answer`, `done` or `infeasible` is added where it is missing.
        changes: Expected changes.
        answer: Expected answer.
        url: Expected address at the end.
        infeasible: Why it cannot be done, as the oracle says it; "" where it can.
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
        _check_several("changes", self.changes, Change, "update(...)")
        _check_answer(self.answer)
        _check_several("others", self.others, Goal, "Goal(...)")


def check_plan(plan: object, name: str = "plan") -> None:
    """See that something is a plan.

    Raises:
        TypeError: It is none; the text says how to write one.
    """
    _check_several(name, plan, Step, "click(...)")


def _check_several(name: str, given: object, kind: type, example: str) -> None:
    if isinstance(given, kind):
        raise TypeError(f"{name} is one {kind.__name__}; a tuple of one needs a comma: {name}=({example},)")
    if not isinstance(given, tuple):
        raise TypeError(f"{name} is {given!r:.80}; it must be a tuple: {name}=({example},)")
    for place, part in enumerate(given):
        if not isinstance(part, kind):
            raise TypeError(f"{name}[{place}] is {part!r:.80}; each of its parts must be a {kind.__name__}: {example}")


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
        """The time of all clocks."""
        return self.cast.now

    def __call__(self, site: str) -> Snapshot:
        """A site's database at the start: ``world("shop").rows("SELECT ...")``. What it returns is only for reading."""
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
        draw: ``(world, draw) -> Draft | None``; None where this world has no such task, or these draws. An error in it
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
    """A template's method: what it draws is seen to be a draft of that template, and an error says where it was."""

    method: "Callable[[World, Draw], Draft | None]"
    name: str
    level: int
    infeasible: bool

    def __call__(self, world: World, draw: Draw) -> "Draft | None":
        try:
            draft = self.method(world, draw)
            self._check(draft)
        except Exception as error:
            if _last_code(error) is Draw.choice.__code__:
                error.add_note("draw.choice was given nothing to choose from; return None where a world has none")
            error.add_note(f"in the template {self.name}, in the world with seed {world.seed} at size {world.size}")
            raise
        return draft

    def _check(self, draft: "Draft | None") -> None:
        if draft is None:
            return
        if not isinstance(draft, Draft):
            raise TypeError(f"it returned {draft!r:.80}; a template returns a Draft, or None where there is no task")
        if draft.infeasible and not self.infeasible:
            raise SettingsError(f"the draft has infeasible=; write @template({self.level}, infeasible=True)")
        if self.infeasible and not draft.infeasible:
            raise SettingsError("the template has infeasible=True; the draft must say why, as infeasible='Sold out.'")


def _last_code(error: BaseException) -> object:
    """The code that raised an error."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return None if at is None else at.tb_frame.f_code


def template(
    level: int, *, sites: tuple[str, ...] = (), browser: bool = False, infeasible: bool = False, needs_size: int = 20
) -> Callable[[TemplateT], TemplateT]:
    """Marks a method ``(self, world, draw) -> Draft | None`` as a template; arguments as in `Template`.

    Raises:
        SettingsError: The level is none of 1 to 5, or the sites are no tuple of names.
    """
    if callable(level):
        raise SettingsError("a template has a level: write @template(2) above the method")
    if level not in LEVELS:
        raise SettingsError(f"level is {level!r}; the level of a template is 1, 2, 3, 4 or 5")
    if not isinstance(sites, tuple) or not all(isinstance(name, str) for name in sites):
        raise SettingsError(f"sites is {sites!r}; it must be a tuple of names: sites=('shop',)")

    def mark(method: TemplateT) -> TemplateT:
        method._template = (level, sites, browser, infeasible, needs_size)  # type: ignore[attr-defined]
        return method

    return mark


class TaskSet:
    """Templates that belong together; `name` is the first half of their names.

    Attributes:
        name: One lower-case word.
    """

    name: ClassVar[str] = ""

    def templates(self) -> Iterator[Template]:
        """All of its templates, in the order of their definition."""
        site = (self.name,) if hasattr(self, "fill") else ()
        for key in dict.fromkeys(key for base in reversed(type(self).__mro__) for key in vars(base)):
            found = getattr(getattr(type(self), key), "_template", None)
            if found is not None:
                level, sites, browser, infeasible_, needs_size = found
                all_sites = tuple(dict.fromkeys((*site, *sites)))
                name = f"{self.name}.{key}"
                draw = _Drawing(getattr(self, key), name, level, infeasible_)
                yield Template(name, draw, level, all_sites, browser, infeasible_, needs_size)


def money(cents: int) -> str:
    """An amount as all sites write it: ``money(123450)`` is ``1234.50``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
