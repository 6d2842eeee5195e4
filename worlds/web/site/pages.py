"""`Pages`: the handlers of a site's pages and forms, registered module by module."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from starlette.routing import compile_path

from turnwise.core.errors import SettingsError

__all__ = ["Pages", "Route"]

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])


class Route(NamedTuple):
    """A handler and the requests it answers.

    Attributes:
        method: "GET" or "POST".
        path: Path in Starlette's notation.
        handler: ``(visit, **parameters of the path) -> Answered``.
        signed_in: Visitors who are not signed in are asked to sign in first.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    signed_in: bool

    @property
    def where(self) -> str:
        """The handler's module and name, for error messages."""
        return f"{self.handler.__module__.rpartition('.')[2]}.{self.handler.__qualname__}"


class Pages:
    """A group of handlers. A module creates one, and `Site` lists the groups of all its modules.

    Attributes:
        routes: The handlers, in the order of their definition.
    """

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def page(self, path: str, signed_in: bool = False) -> Callable[[HandlerT], HandlerT]:
        """Register a function as the handler of GET requests: ``(visit, **parameters of the path) -> Answered``.

        Args:
            path: Path in Starlette's notation: ``"/orders/{number:int}"``.
            signed_in: Ask visitors who are not signed in to sign in first.

        Raises:
            SettingsError: The path does not start with a slash, cannot be parsed, or has parameters that the function
                does not take.
        """
        return self._registered("GET", path, signed_in)

    def action(self, path: str, signed_in: bool = True) -> Callable[[HandlerT], HandlerT]:
        """Register a function as the handler of a posted form; it should end in `Visit.redirect`. See `page`."""
        return self._registered("POST", path, signed_in)

    def _registered(self, method: str, path: str, signed_in: bool) -> Callable[[HandlerT], HandlerT]:
        names = _parameters("page" if method == "GET" else "action", path)

        def add(handler: HandlerT) -> HandlerT:
            taken = inspect.signature(handler).parameters.values()
            free = any(each.kind is each.VAR_KEYWORD for each in taken)
            if lacking := sorted(names - {each.name for each in taken}) if not free else []:
                raise SettingsError(
                    f"{handler.__qualname__} takes no argument {lacking[0]!r}, which its path {path!r} has: write "
                    f"def {handler.__name__}(visit, {', '.join(sorted(names))})"
                )
            self.routes.append(Route(method, path, handler, signed_in))
            return handler

        return add


def _parameters(mark: str, path: str) -> set[str]:
    """Return the names of a path's parameters."""
    if not isinstance(path, str):
        raise SettingsError(f"{mark} needs a path: write @pages.{mark}('/orders') above the function")
    if not path.startswith("/"):
        raise SettingsError(f"the path of {mark}({path!r}) must start with a slash: write {mark}('/{path}')")
    if "?" in path or "#" in path:
        raise SettingsError(f"the path of {mark}({path!r}) must end before '?' and '#'; parameters are in visit.query")
    try:
        return set(compile_path(path)[2])
    except (AssertionError, ValueError) as error:
        raise SettingsError(f"the path of {mark}({path!r}) cannot be parsed: {error}") from error
