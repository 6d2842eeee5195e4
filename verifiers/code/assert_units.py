"""Read trusted test programs: what they use from the program under test, and what counts as one test."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from turnwise.verifiers.code.feedback import shown_value
from turnwise.verifiers.code.syntax import parse

__all__ = ["MODULES", "TestFormatError", "TestProgram", "read_tests"]

MODULES = ("solution",)
"""Names under which test programs import the program under test."""
_LEAVES = (ast.Return, ast.Yield, ast.YieldFrom)
_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class TestFormatError(ValueError):
    """The test program cannot be used: it is not Python, tests nothing, or needs more than plain data."""

    __test__ = False


class TestProgram(NamedTuple):
    """A test program, ready to run.

    Attributes:
        code: The program, instrumented to report every assertion separately.
        asserts: The conditions of all assertions, if there is nothing else; otherwise None.
        names: Names that it uses from the program under test.
        entry: The function that ``candidate`` stands for; empty if there is none.
        functions: Test functions and test cases, to run after it.
        units: Minimum number of tests in it.
    """

    code: str
    asserts: tuple[ast.expr, ...] | None
    names: tuple[str, ...]
    entry: str
    functions: tuple[str, ...]
    units: int


@lru_cache(256)
def read_tests(tests: str, entry_point: str = "", support: str = "") -> TestProgram:
    """Read a test program.

    Args:
        tests: Python source: assertions; or a function ``check(candidate)``; or ``test_...`` functions; or subclasses
            of ``unittest.TestCase``.
        entry_point: The function under test, passed as ``candidate``. Empty: the argument with which ``check`` is
            called.
        support: Python source that the tests build on, run before them.

    Raises:
        TestFormatError: It is none of these, or uses an undefined name as a module.
    """
    try:
        tree = parse(tests)
        base = parse(support)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TestFormatError(f"tests that are not Python: {error}: {shown_value(tests)}") from error
    tree.body = [part for node in tree.body for part in _as_main(node)]
    blocks: list[ast.Module | ast.FunctionDef] = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for block in (tree, *blocks):
        block.body = [node for node in block.body if not _says_nothing(node)] or [ast.Pass()]
    check = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    if check is not None and len(check.args.args) != 1:
        check = None
    calls = [node for node in tree.body if check is not None and _is_check_call(node)]
    entry = entry_point
    if check is not None and not entry:
        named = next((call.value.args[0] for call in calls), None)  # type: ignore[attr-defined]
        if not isinstance(named, ast.Name):
            raise TestFormatError("entry_point='': the name of the function that check(candidate) is to be given")
        entry = named.id
    functions = tuple(
        node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and _is_test(node)
    )
    names = _undefined(tree, base, entry)
    others = [name for name in names if name != entry]
    if entry_point and others:
        raise TestFormatError(f"the tests use {', '.join(others)}, and neither they nor support= define it")
    if not names and check is None and not any(map(_imports_program, ast.walk(tree))):
        raise TestFormatError(f"tests that use nothing from the program: {shown_value(tests)}")
    asserts = _only_asserts(tree, check, calls) if not base.body and not functions else None
    units = _split(tree)
    # Code after a return may not be reached: such a function is one test.
    split = check is not None and not any(isinstance(node, _LEAVES) for node in _within(check))
    if check is not None:
        units += _split(check) if split else 1
    tree.body = [node for node in tree.body if node not in calls]
    if check is not None:
        run = parse("check(__turnwise_entry__)").body
        tree.body += run if split else [_reported(run)]
    units += sum(_count(node) for node in tree.body if _is_test(node))
    if not units:
        raise TestFormatError(f"tests that assert nothing: {shown_value(tests)}")
    _Aside().visit(tree)
    tree.body = [*_future(base), *_future(tree), *_rest(base, names), *_rest(tree, ())]
    return TestProgram(ast.unparse(ast.fix_missing_locations(tree)), asserts, names, entry, functions, units)


def _as_main(node: ast.stmt) -> list[ast.stmt]:
    """Return the body of ``if __name__ == "__main__"``, without calls that would find and run the tests again."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
        return [] if ".main(" in ast.unparse(node) else node.body
    return [node]


def _imports_program(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module in MODULES
    return isinstance(node, ast.Import) and any(alias.name in MODULES for alias in node.names)


def _says_nothing(node: ast.stmt) -> bool:
    """Tell whether a node is ``assert True``, as in HumanEval."""
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def _is_check_call(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "check"
        and len(call.args) == 1
        and not call.keywords
    )


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith("test") and not _needs_fixtures(node)
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def _needs_fixtures(node: ast.FunctionDef) -> bool:
    if not node.args.args or any("parametrize" in ast.unparse(mark) for mark in node.decorator_list):
        return False
    raise TestFormatError(f"{node.name} takes arguments: fixtures are not available")


def _count(node: ast.stmt) -> int:
    if isinstance(node, ast.ClassDef):
        return sum(isinstance(part, ast.FunctionDef) and part.name.startswith("test") for part in node.body)
    return 1


def _future(tree: ast.Module) -> list[ast.stmt]:
    return [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]


def _rest(tree: ast.Module, without: Sequence[str]) -> list[ast.stmt]:
    """Return everything except what must come first and functions that the program under test must define."""
    future = _future(tree)
    return [
        node
        for node in tree.body
        if node not in future and not (isinstance(node, ast.FunctionDef) and node.name in without)
    ]


def _undefined(tree: ast.Module, base: ast.Module, entry: str) -> tuple[str, ...]:
    """Return the names that the program under test must define, sorted."""
    used: set[str] = set()
    defined = {*dir(builtins), "__name__", "__file__"}
    for node in (*ast.walk(tree), *ast.walk(base)):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else defined).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.add(node.name)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
        elif isinstance(node, ast.alias):
            defined.add((node.asname or node.name).partition(".")[0])
            if node.name == "*":
                raise TestFormatError("from ... import *: name what is imported")
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            defined.add(node.name)
    names = (used - defined) | ({entry} if entry else set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names - {entry}:
            raise TestFormatError(f"the tests use {node.value.id}.{node.attr}, but {node.value.id} is not defined")
    return tuple(sorted(name for name in names if "." not in name))


def _asserts(node: ast.AST) -> bool:
    """Return whether a statement asserts something, ignoring functions and classes in it."""
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.With) and any("raises" in ast.unparse(item.context_expr) for item in node.items):
        return True
    if isinstance(node, ast.Try) and node.handlers:
        return True
    return not isinstance(node, _BLOCKS) and any(_asserts(child) for child in ast.iter_child_nodes(node))


def _split(block: ast.Module | ast.FunctionDef) -> int:
    """Instrument every assertion of a block to be reported separately; return their number."""
    units = sum(map(_asserts, block.body))
    block.body = [_reported([node]) if _asserts(node) else node for node in block.body]
    return units


class _Aside(ast.NodeTransformer):
    """Marks where assertions begin and end."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        """Mark an assertion."""
        return self._framed(node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt | list[ast.stmt]:
        """Mark an assertion of unittest."""
        function = node.value.func if isinstance(node.value, ast.Call) else None
        return self._framed(node) if isinstance(function, ast.Attribute) and function.attr[:6] == "assert" else node

    @staticmethod
    def _framed(node: ast.stmt) -> list[ast.stmt]:
        begin, frame = parse("__turnwise_begin__()\ntry:\n    pass\nfinally:\n    __turnwise_end__()").body
        assert isinstance(frame, ast.Try)
        frame.body = [node]
        return [begin, frame]


def _within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _BLOCKS):
            yield from _within(child)


def _reported(body: list[ast.stmt]) -> ast.stmt:
    frame = parse(
        "try:\n    pass\nexcept BaseException as __turnwise_error__:\n"
        "    __turnwise_bad__(__turnwise_error__)\nelse:\n    __turnwise_good__()"
    ).body[0]
    assert isinstance(frame, ast.Try)
    frame.body = body
    return frame


def _only_asserts(
    tree: ast.Module, check: ast.FunctionDef | None, calls: Sequence[ast.stmt]
) -> tuple[ast.expr, ...] | None:
    """Return the conditions, if the program has only assertions and statements without effect."""
    found: list[ast.expr] = []
    for node in (*tree.body, *(check.body if check is not None else [])):
        if isinstance(node, ast.Assert):
            found.append(node.test)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant) and node not in calls:
                return None
        elif isinstance(node, ast.Import):
            if any(alias.name != "math" or alias.asname for alias in node.names):
                return None
        elif isinstance(node, ast.Assign):
            if ast.unparse(node.targets[0]) != "METADATA":
                return None
        elif node is not check and not isinstance(node, ast.Pass):
            return None
    return tuple(found)
