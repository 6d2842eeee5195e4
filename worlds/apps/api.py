"""How the functions of apps are declared, documented, checked and carried out.

A function is declared with a line of parameters, ``"mail_id:int labels:strs=[] query:str?"``: name and type, and a
default in JSON or a question mark for None. Most functions list, show, create, update or delete rows, and are made by
the helpers of `turnwise.worlds.apps.rows`.
"""

import datetime
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from turnwise.core.env import seed_of
from turnwise.worlds.apps.store import Row, Store

__all__ = ["GLOSSARY", "ApiError", "Apps", "Function", "Parameter", "parameters", "refuse", "require"]

Handler = Callable[["Apps", str, dict[str, Any]], Any]
MAX_TEXT = 20_000
MAX_ITEMS = 200
MAX_NUMBER = 10**9


class ApiError(Exception):
    """What an app answers to a request that it does not carry out.

    Attributes:
        status: As in HTTP: 401 (no valid token), 404 (not found), 409 (conflict), 422 (invalid arguments).
        message: What is wrong, for the caller.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


def refuse(status: int, message: str) -> Any:
    """Raise `ApiError`."""
    raise ApiError(status, message)


def require(condition: object, message: str, status: int = 422) -> None:
    """Raise `ApiError` unless the condition holds."""
    if not condition:
        raise ApiError(status, message)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: Its name.
        kind: A key of `KINDS`.
        description: What it means.
        required: Whether it must be given.
        default: Its value otherwise.
    """

    name: str
    kind: str
    description: str
    required: bool = True
    default: Any = None


def _date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def _time(text: str) -> bool:
    try:
        return len(text) == 16 and text[10] == " " and bool(datetime.datetime.fromisoformat(text))
    except ValueError:
        return False


def _text(value: Any) -> bool:
    return type(value) is str and len(value) <= MAX_TEXT


KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "int": ("integer", lambda value: type(value) is int and abs(value) <= MAX_NUMBER),
    "num": ("number", lambda value: type(value) in (int, float) and abs(value) <= MAX_NUMBER),
    "bool": ("boolean", lambda value: type(value) is bool),
    "str": ("string", _text),
    "date": ("string, as YYYY-MM-DD", lambda value: _text(value) and _date(value)),
    "time": ("string, as YYYY-MM-DD HH:MM", lambda value: _text(value) and _time(value)),
    "strs": (
        "list of strings",
        lambda value: type(value) is list and len(value) <= MAX_ITEMS and all(map(_text, value)),
    ),
}

GLOSSARY: dict[str, str] = {
    "access_token": "Token from the app's login.",
    "page_index": "Page to return, from 0.",
    "page_limit": "Results on a page, 1 to 20.",
    "query": "Words to look for; case does not matter.",
    "username": "User name of the account.",
    "password": "Password of the account.",
    "page": "Page.",
}


def parameters(line: str, about: Mapping[str, str]) -> tuple[Parameter, ...]:
    """Read a line of parameters; ``about`` and the glossary describe them."""
    found = []
    for word in line.split():
        declared, given, default = word.partition("=")
        optional = declared.endswith("?")
        name, _, kind = declared.rstrip("?").partition(":")
        said = about.get(name) or GLOSSARY.get(name) or f"{name.replace('_', ' ').capitalize()}."
        found.append(Parameter(name, kind, said, not (optional or given), json.loads(default) if given else None))
    return tuple(found)


@dataclass(frozen=True)
class Function:
    """A function of an app.

    Attributes:
        app: Name of the app.
        name: Its name in the app.
        description: A sentence about it.
        parameters: In order.
        handler: Carries it out: takes the apps, the user (a mail address) and the arguments.
        returns: What it returns, in words.
    """

    app: str
    name: str
    description: str
    parameters: tuple[Parameter, ...]
    handler: Handler = field(compare=False)
    returns: str = ""

    @property
    def needs_login(self) -> bool:
        """Whether it takes an access token."""
        return any(each.name == "access_token" for each in self.parameters)

    def document(self) -> dict[str, Any]:
        """Return its documentation."""
        listed = []
        for each in self.parameters:
            entry = {"name": each.name, "type": KINDS[each.kind][0], "description": each.description}
            listed.append({**entry, "required": True} if each.required else {**entry, "default": each.default})
        return {
            "app": self.app,
            "api": self.name,
            "description": self.description,
            "parameters": listed,
            "returns": self.returns or "A message.",
        }

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments with defaults; raise `ApiError` if they do not fit."""
        known = {each.name: each for each in self.parameters}
        for name in given:
            require(name in known, f"{self.name} has no parameter {str(name)[:40]!r}; see its documentation")
        found = {}
        for name, each in known.items():
            if name not in given or (given[name] is None and not each.required):
                require(not each.required, f"{name} is required")
                found[name] = each.default
                continue
            says, accepts = KINDS[each.kind]
            require(accepts(given[name]), f"{name} must be of type {says}")
            found[name] = given[name]
        if "page_limit" in found:
            require(1 <= found["page_limit"] <= 20, "page_limit must be from 1 to 20")
            require(found["page_index"] >= 0, "page_index must be at least 0")
        return found


class Apps:
    """The apps of one person: carries out calls on the data.

    Args:
        functions: Of the apps that are installed, by app and name.
        store: The data.
        me: The person's mail address.
        now: The time in the world, as YYYY-MM-DD HH:MM.
        key: What access tokens are made from.
    """

    def __init__(
        self, functions: Mapping[str, Mapping[str, Function]], store: Store, me: str, now: str, key: int
    ) -> None:
        self.functions = functions
        self.store = store
        self.me = me
        self.now = now
        self.key = key
        self.tokens: dict[str, tuple[str, str]] = {}
        self.logins = 0
        self.read: set[tuple[str, int]] = set()

    def fork(self) -> "Apps":
        """Return an independent copy."""
        twin = Apps(self.functions, self.store.fork(), self.me, self.now, self.key)
        twin.tokens, twin.logins, twin.read = dict(self.tokens), self.logins, set(self.read)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the functions, which whoever unpickles it puts back."""
        return {**self.__dict__, "functions": {}}

    def __deepcopy__(self, memo: object) -> "Apps":
        return self.fork()

    def call(self, app: str, name: str, given: Mapping[str, Any]) -> Any:
        """Carry out a call and return plain data; raise `ApiError` for what the app refuses."""
        if type(app) is not str or app not in self.functions:
            raise ApiError(404, f"there is no app {str(app)[:40]!r}; docs.show_apps lists them")
        if type(name) is not str or name not in self.functions[app]:
            raise ApiError(404, f"{app} has no API {str(name)[:40]!r}; docs.show_apis lists them")
        function = self.functions[app][name]
        if function.needs_login:
            token = given.get("access_token")
            held = self.tokens.get(token) if type(token) is str else None
            if held is None or held[0] != app:
                raise ApiError(401, f"access_token is missing or not valid; {app}.login returns one")
            user = held[1]
        else:
            user = ""
        return function.handler(self, user, function.arguments(given))

    def grant(self, app: str, user: str) -> str:
        """Return a new access token."""
        self.logins += 1
        token = f"{seed_of(self.key, app, user, self.logins):016x}"
        self.tokens[token] = (app, user)
        return token

    def mine(self, table: str, key_name: str, key: int, user: str, noun: str) -> Row:
        """Return a row of the user, or of everybody; raise `ApiError` if there is none."""
        row = self.store.get(table, key)
        if row is None or row.get("owner", user) != user:
            raise ApiError(404, f"there is no {noun} with {key_name} {key}")
        self.read.add((table, key))
        return row
