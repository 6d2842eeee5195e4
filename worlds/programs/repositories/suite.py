"""Run the test suite of a small repository in the sandbox."""

import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from turnwise.sandbox import Limits, Program, Result, shared_sandbox
from turnwise.verifiers.code import shown
from turnwise.verifiers.code.syntax import parse

__all__ = ["Outcomes", "Suite", "cut", "run_suite", "test_functions"]

_MAX_REPORT = 1 << 20


class Suite(NamedTuple):
    """The test suite of a repository.

    Attributes:
        files: Paths of its test files.
        pytest: Whether pytest runs them; else functions ``test_...`` are simply called.
        packages: Installed distributions that the tests import.
    """

    files: tuple[str, ...]
    pytest: bool = False
    packages: tuple[str, ...] = ()


class Outcomes(NamedTuple):
    """The outcomes of tests, as reported by the repository itself.

    Attributes:
        by_test: "passed", "skipped" or "failed" by test function, ``path::name`` or ``path::Class::name``.
        texts: Descriptions of the first failures.
        problem: Why there is no outcome at all; "" if there is one.
    """

    by_test: Mapping[str, str]
    texts: Mapping[str, str]
    problem: str = ""

    def failed(self) -> list[str]:
        """The tests that failed."""
        return [name for name, outcome in self.by_test.items() if outcome == "failed"]


@cache
def _runner() -> str:
    return Path(__file__).with_name("suite_runner.py").read_text()


def run_suite(
    files: Mapping[str, str],
    suite: Suite,
    limits: Limits,
    only: Sequence[str] = (),
    described: int = 0,
    sandbox: str = "auto",
) -> Outcomes:
    """Run tests of a repository in a fresh process.

    Args:
        files: All files of the repository, by path.
        suite: The test suite.
        limits: Limits of the whole run.
        only: These test functions; empty: all.
        described: Number of failures to describe.
        sandbox: The name of the shared sandbox.

    Raises:
        InfrastructureError: The sandbox failed.
    """
    seal = blake2b(repr((sorted(files.items()), suite, only)).encode("utf-8", "replace"), digest_size=12).hexdigest()
    asked = {"files": suite.files, "only": list(only), "pytest": suite.pytest, "shown": described, "seal": seal}
    packages = tuple(dict.fromkeys((*suite.packages, *(["pytest"] if suite.pytest else []))))
    program = Program(_runner(), (json.dumps(asked),), files=files, name="run_tests.py")
    result = shared_sandbox(sandbox, packages).run(program, limits)
    return _read(result, seal, limits)


def _read(result: Result, seal: str, limits: Limits) -> Outcomes:
    _, sealed, text = result.stdout.rpartition(f"\n{seal}")
    if result.killed_by in ("wall", "cpu"):
        return Outcomes({}, {}, f"the tests ran out of time ({limits.wall_s:g} s)")
    if not sealed or len(text) > _MAX_REPORT:
        return Outcomes({}, {}, f"the tests ended without a result: {shown(result, 600)}")
    try:
        found = json.loads(text)
        by_test = {str(k): str(v) for k, v in found["outcomes"].items()}
        texts = {str(k): str(v) for k, v in found["texts"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Outcomes({}, {}, "the tests ended without a result")
    return Outcomes(by_test, {name: shown(Result(stdout=text), 1600) for name, text in texts.items()})


class _Place(NamedTuple):
    first: int  # lines, from 1, decorators included
    last: int
    alone: bool  # the only statement of its class


def test_functions(files: Mapping[str, str], paths: Iterable[str]) -> dict[str, _Place]:
    """Return the place of each test function in the files, by id."""
    found: dict[str, _Place] = {}

    def walk(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}::{node.name}")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                found[f"{prefix}::{node.name}"] = _Place(first, node.end_lineno or node.lineno, len(body) == 1)

    for path in paths:
        try:
            walk(parse(files[path]).body, path)
        except (SyntaxError, ValueError, RecursionError):
            continue
    return found


test_functions.__test__ = False  # type: ignore[attr-defined]  # no test, whatever its name


def cut(files: Mapping[str, str], paths: Iterable[str], tests: Iterable[str]) -> dict[str, str]:
    """Remove test functions from files."""
    places = test_functions(files, paths)
    drop: dict[str, list[_Place]] = {}
    for name in tests:
        if name in places:
            drop.setdefault(name.partition("::")[0], []).append(places[name])
    after: dict[str, Any] = dict(files)
    for path, spans in drop.items():
        lines = after[path].split("\n")
        for place in sorted(spans, reverse=True):
            head = lines[place.first - 1]
            rest = [head[: len(head) - len(head.lstrip())] + "pass"] if place.alone else []
            lines[place.first - 1 : place.last] = rest
        after[path] = "\n".join(lines)
    return after
