"""Code that runs a trusted test program in its own jail; its calls of the program under test are answered from outside.

The test program runs in a thread. A call of the function under test hands its arguments to the caller of `start` or
`go`, and waits for the answer. It gets values of exactly the built-in types, exceptions of built-in types, or a
`Remote` for an object that is not plain data. Only the text of this file is used, by `turnwise.verifiers.code.asserts`.
"""

import builtins
import random
import sys
import types
from _thread import allocate_lock, start_new_thread  # threading and queue take a millisecond to import
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["beside", "go", "start"]


class _Box:
    """Passes one object at a time from one thread to another."""

    def __init__(self) -> None:
        self._full = allocate_lock()
        self._full.acquire()
        self._item: Any = None

    def put(self, item: Any) -> None:
        self._item = item
        self._full.release()

    def get(self) -> Any:
        self._full.acquire()
        return self._item


_requests = _Box()
_answers = _Box()
_results: list[bool] = []
_first: list[Any] = []
_stop_early: list[bool] = []
_ended: list[BaseException] = []
_asserting: list[bool] = []


class Ended(BaseException):
    """The program under test has ended or was stopped."""


class _Stop(BaseException):
    """No further test is wanted."""


def start(code: str, entry: str, names: list[str], functions: list[str], modules: list[str], all_tests: bool) -> Any:
    """Start the test program; return its first request.

    Args:
        code: The test program, instrumented to report each assertion.
        entry: The function that ``candidate`` stands for.
        names: Names that it uses from the program under test.
        functions: Its test functions and test cases, to run after it.
        modules: Names under which it imports the program under test.
        all_tests: Do not stop at the first failure.
    """
    _stop_early[:] = [not all_tests]
    start_new_thread(_run_aside, (code, entry, names, functions, modules))
    return _requests.get()


def go(answer: Any, printed: str) -> Any:
    """Deliver the answer to the last request and what the program printed meanwhile; return the next request."""
    _answers.put((answer, printed))
    return _requests.get()


def beside(
    code: str, entry: str, names: list[str], functions: list[str], modules: list[str], all_tests: bool, nonce: str
) -> Any:
    """Run the test program in the process of the program under test, which has full control over it."""
    _stop_early[:] = [not all_tests]
    program = sys.modules["__main__"]
    space = {name: getattr(program, name) for name in names if hasattr(program, name)}
    found: Any = program
    for attribute in entry.split(".") if entry else []:
        found = getattr(found() if isinstance(found, type) else found, attribute)
    error = _run({**space, "__turnwise_entry__": found}, code, functions, dict.fromkeys(modules, program))
    return nonce, list(_results), list(_first), error


def _run_aside(code: str, entry: str, names: list[str], functions: list[str], modules: list[str]) -> None:
    space = {**{name: stub(name) for name in names}, "__turnwise_entry__": stub(entry)}
    error = _run(space, code, functions, {name: _Program(name) for name in modules})
    _requests.put(("done", list(_results), list(_first), error))


def _run(space: dict[str, Any], code: str, functions: list[str], modules: dict[str, types.ModuleType]) -> str:
    """Run the test program; return the exception that ended it, if any."""
    error = ""
    try:
        sys.modules.update(modules)
        random.seed(0)
        space.update({"__name__": "tests", "__turnwise_good__": _good, "__turnwise_bad__": _bad})
        space.update({"__turnwise_begin__": _begin, "__turnwise_end__": _end})
        exec(compile(code, "tests.py", "exec"), space)
        for name in functions:
            _run_one(space[name])
    except _Stop:
        pass
    except BaseException as problem:
        error = type(problem).__name__
    return error


def _run_one(found: Any) -> None:
    if isinstance(found, type):
        _run_cases(found)
        return
    for case in getattr(found, "__turnwise_cases__", [{}]):
        try:
            found(**case)
        except BaseException as error:
            _bad(error)
        else:
            _good()


def _run_cases(found: Any) -> None:
    import unittest

    for case in unittest.TestLoader().loadTestsFromTestCase(found):
        result = unittest.TestResult()
        case.run(result)
        if result.wasSuccessful() and not result.skipped and result.testsRun:
            _good()
        else:
            _bad(AssertionError())


def _good() -> None:
    if _ended:  # and the test took that for an exception of its own
        _bad(_ended[0])
        return
    _results.append(True)


def _bad(error: BaseException) -> None:
    if isinstance(error, _Stop):
        raise error
    if not _first:
        _first.extend([len(_results), type(error).__name__, str(error)[:500]])
    _results.append(False)
    _ended.clear()
    if _stop_early[0]:
        raise _Stop


def _ask(op: str, target: int, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], made: bool = False) -> Any:
    _requests.put(("ask", op, target, name, _packed(list(args)), _packed(kwargs), bool(_first)))
    answer, printed = _answers.get()
    if printed:
        sys.stdout.write(printed)
    kind = answer[0]
    if kind == "value":
        if not _asserting and answer[1] is None:
            for old, new in zip(args, answer[2], strict=False):
                _merge(old, _unpacked(new))
        value = _unpacked(answer[1])
        return Made(value._number, value._kind) if made and isinstance(value, Remote) else value
    if kind == "method":
        return _Method(target, name)
    if kind == "raised":
        raise _exception(answer[1], answer[2], name)
    _ended[:] = [Ended(answer[1])]
    raise _ended[0]


def _exception(kind: str, text: str, name: str) -> BaseException:
    found: Any = getattr(builtins, kind, RuntimeError)
    if issubclass(found, (StopIteration, StopAsyncIteration)) and name != "__next__":
        return RuntimeError(f"{kind}: {text}")  # it would end a loop of the test
    try:
        made = found(text)
    except TypeError:  # UnicodeDecodeError and the like need more
        made = (ValueError if issubclass(found, ValueError) else RuntimeError)(text)
    return made if isinstance(made, BaseException) else RuntimeError(text)


def _begin() -> None:
    """Begin an assertion: calls in it do not change the test's own arguments, which may be compared.

    Otherwise ``assert f(x) == sorted(x)`` would hold for a function that empties its argument. A call on its own may
    change them only if it returns nothing: ``got = f(x)``, ``assert got == sorted(x)``.
    """
    _asserting.append(True)


def _end() -> None:
    _asserting.pop()


def stub(name: str) -> Callable[..., Any]:
    """Return a stub for a function or class of the program under test."""
    made = name.rpartition(".")[2][:1].isupper()

    def call(*args: Any, **kwargs: Any) -> Any:
        return _ask("call", 0, name, args, kwargs, made)

    call.__name__ = call.__qualname__ = name
    return call


class _Program(types.ModuleType):
    """Stands in for the program under test where it is imported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stub(name)


class _Method:
    """A method of an object of the program under test.

    Attributes:
        judges: Whether its name is that of a method of plain data that judges its argument.
    """

    def __init__(self, target: int, name: str) -> None:
        self._target = target
        self._name = name
        self.judges = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.judges and (args or kwargs):
            raise TypeError(f"{self._name}() takes no arguments here")
        return _ask("invoke", self._target, self._name, args, kwargs)


class Remote:
    """An object of the program under test, where a test may have expected plain data.

    It is equal only to itself, does not support arithmetic, and cannot imitate plain data with methods such as
    ``difference``: otherwise it would be handed the expected value and could judge itself.
    """

    def __init__(self, number: int, kind: str) -> None:
        self._number = number
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        judges = name in _JUDGES and not isinstance(self, Made)
        if name.startswith("__") or (judges and name.startswith("is")):
            raise AttributeError(f"{self._kind!r} object has no {name!r} here")
        found = _ask("get", self._number, name, (), {})
        if isinstance(found, _Method):
            found.judges = judges
        return found

    def __iter__(self) -> Iterator[Any]:
        number, size = _ask("iter", self._number, "__iter__", (), {}), 1
        while True:
            items = _ask("take", number, "__iter__", (size,), {})
            yield from items
            if len(items) < size:
                return
            size *= 2


class Made(Remote):
    """An instance of a class of the program under test, created by a test, whose operators are being tested."""


def _forward(name: str) -> Any:
    def method(self: Remote, *args: Any) -> Any:
        try:
            return _ask("invoke", self._number, name, args, {})
        except AttributeError as error:
            if name not in str(error):
                raise
            raise TypeError(f"{self._kind!r} object has no {name}") from error

    return method


def _true(self: Remote) -> bool:
    return bool(_ask("true", self._number, "__bool__", (), {}))


Remote.__bool__ = _true  # type: ignore[attr-defined]
_PLAIN = (str, bytes, list, tuple, set, frozenset, dict, int, float, complex)
_MUTATORS = set("add append discard extend insert pop remove setdefault update".split())  # noqa: SIM905
_JUDGES = {"compare", "equals"}.union(*(kind.__dict__ for kind in _PLAIN)) - _MUTATORS
for _name in "len getitem setitem delitem call next str repr int float index enter exit".split():  # noqa: SIM905
    setattr(Remote, f"__{_name}__", _forward(f"__{_name}__"))
for _name in "contains add radd sub mul rmul truediv floordiv mod pow neg abs matmul and or xor".split():  # noqa: SIM905
    setattr(Made, f"__{_name}__", _forward(f"__{_name}__"))


def _packed(value: Any) -> Any:
    if isinstance(value, Remote):
        return {"~object~": value._number}
    if isinstance(value, _Method):
        _ended[:] = [Ended("answered with a method where a test needs a value")]
        raise _ended[0]
    if type(value) is range:
        return {"~range~": [value.start, value.stop, value.step]}
    if type(value) is dict:
        return {_packed(key): _packed(item) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)([_packed(item) for item in value])
    return value


def _unpacked(value: Any) -> Any:
    if type(value) is dict:
        number = value.get("~object~")
        if type(number) is int:
            return Remote(number, str(value.get("type")))
        return {key: _unpacked(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_unpacked(item) for item in value])
    return value


def _merge(old: Any, new: Any) -> None:
    """Update an argument to the state in which the call left it."""
    if type(old) is not type(new):
        return
    if type(old) is list:
        for index, (a, b) in enumerate(zip(old, new, strict=False)):
            if type(a) is type(b) and type(a) in (list, dict, set, bytearray):
                _merge(a, b)
                new[index] = a
        old[:] = new
    elif type(old) is dict:
        for key, item in new.items():
            if type(old.get(key)) is type(item) and type(item) in (list, dict, set, bytearray):
                _merge(old[key], item)
                new[key] = old[key]
        old.clear()
        old.update(new)
    elif type(old) is set:
        old.clear()
        old.update(new)
    elif type(old) is bytearray:
        old[:] = new
