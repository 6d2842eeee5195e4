"""Makes the functions that list, show, create, update and delete rows, from one declaration each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnwise.worlds.apps.api import ApiError, Apps, Function, Handler, parameters, require
from turnwise.worlds.apps.store import Row

__all__ = ["PAGES", "Book", "Table", "paged", "shown"]

PAGES = "page_index:int=0 page_limit:int=5"
_BELOW, _ABOVE = "max_", "min_"


@dataclass(frozen=True)
class Table:
    """A table of an app.

    Attributes:
        name: Its name in the store.
        key: The field with a row's number.
        noun: What a row is called.
        brief: Fields that lists show; empty: all.
        links: Fields that hold the number of a row of another table, by name.
        search: Fields that ``query`` looks into.
    """

    name: str
    key: str
    noun: str
    brief: tuple[str, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    search: tuple[str, ...] = ()


def shown(row: Row, fields: Sequence[str] = ()) -> dict[str, Any]:
    """Return a row as callers see it."""
    if fields:
        return {name: _plain(row[name]) for name in fields}
    return {name: _plain(value) for name, value in row.items() if name != "owner"}


def _plain(value: Any) -> Any:
    return list(value) if type(value) is tuple else value


def paged(rows: Sequence[Any], arguments: Mapping[str, Any]) -> list[Any]:
    """Return one page."""
    start = arguments["page_index"] * arguments["page_limit"]
    return list(rows[start : start + arguments["page_limit"]])


def _fits(row: Row, name: str, wanted: Any) -> bool:
    if name.startswith(_BELOW):
        return bool(row[name[4:]] <= wanted)
    if name.startswith(_ABOVE):
        return bool(row[name[4:]] >= wanted)
    if name.endswith("_from"):
        return bool(row[name[:-5]][: len(wanted)] >= wanted)
    if name.endswith("_until"):
        return bool(row[name[:-6]][: len(wanted)] <= wanted)
    value = row[name]
    if type(value) is tuple:
        return str(wanted).lower() in [str(each).lower() for each in value]
    return bool(value.lower() == wanted.lower()) if type(value) is str else bool(value == wanted)


class Book:
    """Collects the functions of one app."""

    def __init__(self, app: str, about: Mapping[str, str]) -> None:
        self.app = app
        self.about = dict(about)
        self.functions: dict[str, Function] = {}

    def add(
        self, name: str, line: str, description: str, handler: Handler, returns: str = "", login: bool = True
    ) -> None:
        """Add a function by hand."""
        line += " access_token:str" if login else ""
        self.functions[name] = Function(self.app, name, description, parameters(line, self.about), handler, returns)

    def by_hand(self, name: str, line: str, description: str, returns: str = "") -> Callable[[Handler], Handler]:
        """Add the function that is decorated."""

        def added(handler: Handler) -> Handler:
            self.add(name, line, description, handler, returns)
            return handler

        return added

    def lists(
        self,
        name: str,
        table: Table,
        description: str,
        filters: str = "",
        where: Callable[[Row], bool] | None = None,
        order: str = "",
    ) -> None:
        """Add a function that lists rows page by page; each filter compares the field of its name."""
        brief = table.brief
        names = [word.partition(":")[0] for word in filters.split()]

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            found = [row for row in apps.store.rows(table.name) if row.get("owner", user) == user]
            if where is not None:
                found = [row for row in found if where(row)]
            for each in names:
                wanted = arguments[each]
                if wanted is None:
                    continue
                if each == "query":
                    text = wanted.lower()
                    found = [row for row in found if any(text in _searched(row[part]) for part in table.search)]
                else:
                    found = [row for row in found if _fits(row, each, wanted)]
            if order:
                found.sort(key=lambda row: row[order.lstrip("-")], reverse=order.startswith("-"))
            page = paged(found, arguments)
            apps.read.update((table.name, row[table.key]) for row in page)
            return [shown(row, brief) for row in page]

        fields = ", ".join(brief) or "all fields"
        self.add(name, f"{filters} {PAGES}", description, handler, f"A list of {table.noun}s: {fields}.")

    def shows(self, name: str, table: Table, description: str) -> None:
        """Add a function that shows one row."""

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            return shown(apps.mine(table.name, table.key, arguments[table.key], user, table.noun))

        self.add(name, f"{table.key}:int", description, handler, f"The {table.noun} with all fields.")

    def creates(
        self,
        name: str,
        table: Table,
        description: str,
        line: str,
        fixed: Mapping[str, Any] | None = None,
        check: Callable[[Apps, str, dict[str, Any]], object] | None = None,
    ) -> None:
        """Add a function that creates a row of its arguments and ``fixed`` ("now" stands for the time)."""

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            arguments.pop("access_token", None)
            if check is not None:
                check(apps, user, arguments)
            _linked(apps, user, table, arguments)
            row = {each: apps.now if value == "now" else value for each, value in (fixed or {}).items()}
            row |= {each: tuple(value) if type(value) is list else value for each, value in arguments.items()}
            made = apps.store.insert(table.name, table.key, {"owner": user, **row})
            return {"message": f"The {table.noun} was created.", table.key: made[table.key]}

        self.add(name, line, description, handler, f"A message and the {table.key}.")

    def updates(
        self,
        name: str,
        table: Table,
        description: str,
        line: str,
        check: Callable[[Apps, str, dict[str, Any]], object] | None = None,
    ) -> None:
        """Add a function that changes the fields that are given."""

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            key = arguments.pop(table.key)
            arguments.pop("access_token", None)
            apps.mine(table.name, table.key, key, user, table.noun)
            given = {each: value for each, value in arguments.items() if value is not None}
            require(given, "nothing to change was given")
            if check is not None:
                check(apps, user, {table.key: key, **given})
            _linked(apps, user, table, given)
            fields = {each: tuple(value) if type(value) is list else value for each, value in given.items()}
            apps.store.update(table.name, key, fields)
            return {"message": f"The {table.noun} was updated."}

        self.add(name, f"{table.key}:int {line}", description, handler)

    def deletes(self, name: str, table: Table, description: str, also: Sequence[Table] = ()) -> None:
        """Add a function that deletes a row, and rows of other tables that belong to it."""

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            key = arguments[table.key]
            apps.mine(table.name, table.key, key, user, table.noun)
            apps.store.delete(table.name, key)
            for other in also:
                for row in list(apps.store.rows(other.name)):
                    if row[table.key] == key:
                        apps.store.delete(other.name, row[other.key])
            return {"message": f"The {table.noun} was deleted."}

        self.add(name, f"{table.key}:int", description, handler)

    def sets(self, name: str, table: Table, description: str, **fields: Any) -> None:
        """Add a function that sets fields of a row to fixed values."""

        def handler(apps: Apps, user: str, arguments: dict[str, Any]) -> Any:
            key = arguments[table.key]
            row = apps.mine(table.name, table.key, key, user, table.noun)
            require(any(row[each] != value for each, value in fields.items()), f"the {table.noun} is so already", 409)
            apps.store.update(table.name, key, fields)
            return {"message": f"The {table.noun} was updated."}

        self.add(name, f"{table.key}:int", description, handler)

    def members(self, add: str, remove: str, table: Table, noun: str, listed: str) -> None:
        """Add two functions that add to and remove from a list of texts in a row.

        Args:
            add: Name of the one.
            remove: Name of the other.
            table: The table.
            noun: What is added, which is also the parameter's name.
            listed: The field with the list.
        """

        def change(apps: Apps, user: str, arguments: dict[str, Any], adds: bool) -> Any:
            key, value = arguments[table.key], arguments[noun]
            row = apps.mine(table.name, table.key, key, user, table.noun)
            require(value.strip(), f"{noun} must not be empty")
            has = value in row[listed]
            if has == adds:
                raise ApiError(409, f"the {table.noun} {'already has' if has else 'does not have'} this {noun}")
            values = (*row[listed], value) if adds else tuple(each for each in row[listed] if each != value)
            apps.store.update(table.name, key, {listed: values})
            return {"message": f"The {table.noun} was updated."}

        line, text = f"{table.key}:int {noun}:str", noun.replace("_", " ")
        a = "an" if text[0] in "aeiou" else "a"
        to, of = f"Add {a} {text} to a {table.noun}.", f"Remove {a} {text} from a {table.noun}."
        self.add(add, line, to, lambda apps, user, arguments: change(apps, user, arguments, True))
        self.add(remove, line, of, lambda apps, user, arguments: change(apps, user, arguments, False))


def _searched(value: Any) -> str:
    return " ".join(map(str, value)).lower() if type(value) is tuple else str(value).lower()


def _linked(apps: Apps, user: str, table: Table, fields: Mapping[str, Any]) -> None:
    """Check that linked rows exist."""
    for name, other in table.links.items():
        key = fields.get(name)
        if key is None:
            continue
        row = apps.store.get(other, key)
        if row is None or row.get("owner", user) != user:
            raise ApiError(404, f"there is no row with {name} {key}")
