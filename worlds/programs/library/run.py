"""Run library programs in this process, with faults: every loop and call uses fuel, so that each run ends.

Only texts of the library and faults from `worlds.programs.faults` ever run here, never model text.
"""

import ast
import builtins
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from turnwise.verifiers.code.compare import same_value
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.faults.kinds import Text
from turnwise.worlds.programs.faults.mutations import Edit, applied

__all__ = ["Call", "CallOutcome", "Compiled", "Running", "same_outcome"]

CallOutcome = tuple[str, Any]
"""The outcome of a call: ("returned", the value), ("raised", the exception's name) or ("endless", None)."""
_FUEL = 5_000  # loop rounds and calls
_NO_PLAIN_DATA = ("returned", NotImplemented)


class Call(NamedTuple):
    """A call with plain data, protected from changes by the callee.

    Attributes:
        function: "file.function".
        data: The marshalled arguments.
    """

    function: str
    data: bytes

    @classmethod
    def of(cls, function: str, args: Sequence[Any]) -> "Call":
        """Make a call with these arguments."""
        return cls(function, marshal.dumps(tuple(args)))

    @property
    def args(self) -> tuple[Any, ...]:
        """A fresh copy of the arguments."""
        found: tuple[Any, ...] = marshal.loads(self.data)
        return found


def same_outcome(got: CallOutcome, wanted: CallOutcome) -> bool:
    """Return `same_value` of two outcomes; plain data that are written alike are the same, which is soon found out."""
    return (wanted[1] is not NotImplemented and repr(got) == repr(wanted)) or same_value(got, wanted)


class _Exhausted(BaseException):
    """The fuel is used up; no program catches it."""


_TICK = ast.fix_missing_locations(parse("_tick()")).body[0]


class Compiled:
    """A source whose top-level statements are compiled separately, so that a fault recompiles only one of them.

    Attributes:
        source: The text.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        text, body = Text(source), parse(source).body
        starts = [text.line_start(node.lineno) for node in body]
        self._bounds = list(zip(starts, [*starts[1:], len(source)], strict=True))
        self._codes = [_code(node) for node in body]

    def codes(self, edits: Sequence[Edit] = ()) -> list[CodeType] | None:
        """Return the compiled statements with edits applied; None if they do not compile."""
        found = list(self._codes)
        for number, (start, end) in enumerate(self._bounds):
            here = [e._replace(start=e.start - start, end=e.end - start) for e in edits if start <= e.start < end]
            if here:
                try:
                    (node,) = parse(applied(self.source[start:end], here)).body
                    found[number] = _code(node)
                except (SyntaxError, ValueError):
                    return None
        return found


def _code(node: ast.stmt) -> CodeType:
    """Compile a statement with a call of ``_tick`` at the start of every loop and function."""
    _fuel([node])
    return compile(ast.Module([node], []), "<library>", "exec", dont_inherit=True)


def _fuel(block: Sequence[ast.stmt]) -> None:
    for statement in block:
        for field in ("body", "orelse", "finalbody"):
            _fuel(getattr(statement, field, ()))
        for handler in getattr(statement, "handlers", ()):
            _fuel(handler.body)
        if isinstance(statement, (ast.For, ast.While, ast.FunctionDef)):
            statement.body.insert(0, _TICK)


class Running:
    """Freshly loaded modules that import each other."""

    def __init__(self, modules: Mapping[str, Sequence[CodeType]]) -> None:
        self._codes = modules
        self._loaded: dict[str, ModuleType] = {}
        self._left: Iterator[int] = iter(())
        self._builtins = {**vars(builtins), "__import__": self._import}
        for name in modules:
            self._load(name)

    def _import(self, name: str, *rest: Any) -> ModuleType:
        return self._load(name) if name in self._codes else __import__(name, *rest)

    def _load(self, name: str) -> ModuleType:
        if name not in self._loaded:
            module = self._loaded[name] = ModuleType(name)
            space = vars(module)
            space["__builtins__"], space["_tick"] = self._builtins, self._tick
            for code in self._codes[name]:
                exec(code, space)
        return self._loaded[name]

    def _tick(self) -> None:
        if next(self._left, None) is None:
            raise _Exhausted

    def outcome(self, call: Call) -> CallOutcome:
        """Return the outcome of a call."""
        module, _, function = call.function.partition(".")
        self._left = iter(range(_FUEL))
        try:
            called: Callable[..., Any] = getattr(self._loaded[module], function)
            value = called(*call.args)
            return ("returned", marshal.loads(marshal.dumps(value)))
        except _Exhausted:
            return ("endless", None)
        except ValueError as error:
            if str(error) == "unmarshallable object":
                return _NO_PLAIN_DATA
            return ("raised", type(error).__name__)
        except Exception as error:
            return ("raised", type(error).__name__)
