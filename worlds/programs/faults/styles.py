r"""The same program as somebody else would have written it: judges must accept all of these.

>>> print(restyled("def f(a):\n    x = a + 1\n    return x\n", "locals renamed"))
def f(a):
    x_ = a + 1
    return x_
<BLANKLINE>
"""

import ast
import copy
from collections.abc import Callable, Mapping
from typing import TypeVar

from turnwise.verifiers.code.syntax import parse

__all__ = ["STYLES", "restyled"]

Node = TypeVar("Node", bound=ast.AST)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_OTHER_WAY: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq,
}  # fmt: skip


def restyled(source: str, style: str) -> str:
    """Return a program that does the same, in one of `STYLES`."""
    return STYLES[style](source)


def _by(change: Callable[[ast.Module], ast.AST | None]) -> Callable[[str], str]:
    def write(source: str) -> str:
        tree = copy.deepcopy(parse(source))
        changed = change(tree) or tree
        return ast.unparse(ast.fix_missing_locations(changed)) + "\n"

    return write


def _each(*kinds: type[ast.AST]) -> Callable[[Callable[[ast.Module, ast.AST], object]], Callable[[str], str]]:
    """Make a style of a change of every node of some kinds, inner ones first; the change is in place."""

    def made(change: Callable[[ast.Module, ast.AST], object]) -> Callable[[str], str]:
        def all_of(tree: ast.Module) -> None:
            for node in reversed([node for node in ast.walk(tree) if isinstance(node, kinds)]):
                change(tree, node)

        return _by(all_of)

    return made


def _blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    found = []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                found.append(block)
    return found


def _in_blocks(change: Callable[[list[ast.stmt]], None]) -> Callable[[str], str]:
    def all_of(tree: ast.Module) -> None:
        for block in reversed(_blocks(tree)):
            change(block)

    return _by(all_of)


def _has_doc(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0], "value", None), ast.Constant)


def _generates(function: ast.AST) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in ast.walk(function))


# ---- declarations ---------------------------------------------------------------------------------------------------


def _bare(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, *_Function)) and body and _has_doc(body):
            body[:1] = [] if len(body) > 1 else [ast.Pass()]


def _untyped(tree: ast.Module) -> None:
    for function in [node for node in ast.walk(tree) if isinstance(node, _Function)]:
        function.returns = None
        for node in ast.walk(function):
            if isinstance(node, ast.arg):
                node.annotation = None
        for block in _blocks(function):
            for place, statement in enumerate(block):
                if isinstance(statement, ast.AnnAssign):
                    plain = statement.value and ast.Assign([statement.target], statement.value)
                    block[place] = plain or ast.Pass()


def _renamed(tree: ast.Module, function: ast.AST) -> None:
    taken = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            taken.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            taken.add(node.name)
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in stored - taken and not node.id.endswith("_"):
            node.id += "_"


def _modules_renamed(tree: ast.Module) -> None:
    renamed = {}
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if "." not in alias.name and not alias.asname:
                alias.asname = renamed[alias.name] = f"{alias.name}_module"
    for name in [node for node in ast.walk(tree) if isinstance(node, ast.Name)]:
        name.id = renamed.get(name.id, name.id)


def _decorated(tree: ast.Module) -> None:
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function) and not node.decorator_list]
    for function in functions:
        function.decorator_list.append(ast.Name("as_it_is", ast.Load()))
    place = next((i for i, node in enumerate(tree.body) if not isinstance(node, (ast.Expr, ast.ImportFrom))), 0)
    tree.body[place:place] = parse("def as_it_is(function):\n    return function\n").body


def _constants_named(tree: ast.Module) -> None:
    values: dict[int, str] = {}

    class Naming(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            if type(node.value) is not int or node.value < 2:
                return node
            return ast.Name(values.setdefault(node.value, f"NUMBER_{node.value}"), ast.Load())

        def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
            return node

        def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
            return node

    for function in [node for node in ast.walk(tree) if isinstance(node, _Function)]:
        function.body = [Naming().visit(statement) for statement in function.body]
    place = next((i for i, node in enumerate(tree.body) if not isinstance(node, (ast.Expr, ast.ImportFrom))), 0)
    tree.body[place:place] = [ast.Assign([ast.Name(n, ast.Store())], ast.Constant(v)) for v, n in values.items()]


# ---- statements -----------------------------------------------------------------------------------------------------


def _swapped(tree: ast.Module, node: ast.AST) -> None:
    if isinstance(node, ast.If) and node.orelse and not isinstance(node.orelse[0], ast.If):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        node.body, node.orelse = node.orelse, node.body


def _else_after_return(block: list[ast.stmt]) -> None:
    for place, statement in enumerate(block[:-1]):
        if isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Return):
            statement.orelse = block[place + 1 :]
            del block[place + 1 :]
            return


def _nested(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, ast.If)
    if not node.orelse and isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
        first, *rest = node.test.values
        inner = rest[0] if len(rest) == 1 else ast.BoolOp(ast.And(), rest)
        node.test, node.body = first, [ast.If(inner, node.body, [])]


def _result_named(block: list[ast.stmt]) -> None:
    for place, statement in enumerate(list(block)):
        if isinstance(statement, ast.Return) and statement.value is not None:
            name = ast.Assign([ast.Name("result_", ast.Store())], statement.value)
            block[place : place + 1] = [name, ast.Return(ast.Name("result_", ast.Load()))]
            return


def _sums_written_out(block: list[ast.stmt]) -> None:
    for place, statement in enumerate(block):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, (ast.Name, ast.Attribute)):
            value = statement.value
            if not isinstance(value, ast.Constant) or not isinstance(value.value, int):
                continue
            read = copy.deepcopy(statement.target)
            read.ctx = ast.Load()
            block[place] = ast.Assign([statement.target], ast.BinOp(read, statement.op, value))


def _choices_written_out(block: list[ast.stmt]) -> None:
    for place, statement in enumerate(block):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.IfExp):
            continue
        value, (target, *more) = statement.value, statement.targets
        if not more and isinstance(target, (ast.Name, ast.Attribute)):
            block[place] = ast.If(value.test, [ast.Assign([target], value.body)], [ast.Assign([target], value.orelse)])


def _guarded(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, _Function)
    first = int(_has_doc(node.body))
    if node.body[first:]:
        node.body[first:] = [ast.Try(node.body[first:], [], [], [ast.Pass()])]


def _checked(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, _Function)
    first = int(_has_doc(node.body))
    node.body[first:first] = parse("assert True, 'reached'\nunused_ = None\ndel unused_\n").body


def _by_helper(tree: ast.Module, node: ast.AST) -> None:
    """Move the body of a function into an inner one that gets all arguments."""
    args = node.args  # type: ignore[attr-defined]
    if _generates(node) or args.vararg or args.kwarg or args.kwonlyargs or args.posonlyargs:
        return
    assert isinstance(node, _Function)
    if any(isinstance(inner, (ast.Nonlocal, ast.Global)) for inner in ast.walk(node)):
        return
    first = int(_has_doc(node.body))
    names = [ast.arg(arg.arg) for arg in args.args]
    (inner,) = parse("def worked_out_():\n    pass\n").body
    assert isinstance(inner, ast.FunctionDef)
    inner.args.args, inner.body = names, node.body[first:] or [ast.Pass()]
    call = ast.Call(ast.Name("worked_out_", ast.Load()), [ast.Name(arg.arg, ast.Load()) for arg in names], [])
    node.body[first:] = [inner, ast.Return(call)]


# ---- expressions ----------------------------------------------------------------------------------------------------


def _flipped(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    if len(node.ops) == 1 and type(node.ops[0]) in _OTHER_WAY:
        sides = [node.left, node.comparators[0]]
        if not any(isinstance(inner, (ast.Call, ast.NamedExpr)) for side in sides for inner in ast.walk(side)):
            node.left, node.comparators = node.comparators[0], [node.left]
            node.ops = [_OTHER_WAY[type(node.ops[0])]()]


class _Replacing(ast.NodeTransformer):
    def __init__(self, kind: type[ast.AST], change: Callable[[ast.AST], ast.AST]) -> None:
        self.kind = kind
        self.change = change

    def visit(self, node: Node) -> ast.AST:
        self.generic_visit(node)
        return self.change(node) if isinstance(node, self.kind) else node


def _equal(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        return ast.UnaryOp(ast.Not(), ast.Compare(node.left, [ast.NotEq()], node.comparators))
    return node


def _listed(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.ListComp)
    return ast.Call(ast.Name("list", ast.Load()), [ast.GeneratorExp(node.elt, node.generators)], [])


def _doubly_negated(tree: ast.Module, node: ast.AST) -> None:
    node.test = ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), node.test))  # type: ignore[attr-defined]


def _iterated(tree: ast.Module, node: ast.AST) -> None:
    assert isinstance(node, ast.For)
    node.iter = ast.Call(ast.Name("iter", ast.Load()), [node.iter], [])


def _tabs(source: str) -> str:
    lines = _by(_bare)(source).split("\n")
    return "\n".join("\t" * ((len(line) - len(line.lstrip(" "))) // 4) + line.lstrip(" ") for line in lines)


STYLES: Mapping[str, Callable[[str], str]] = {
    "reformatted": _by(lambda tree: None),
    "no docstrings": _by(_bare),
    "no annotations": _by(_untyped),
    "locals renamed": _each(*_Function)(_renamed),
    "modules renamed": _by(_modules_renamed),
    "functions decorated": _by(_decorated),
    "constants named": _by(_constants_named),
    "branches swapped": _each(ast.If)(_swapped),
    "else after return": _in_blocks(_else_after_return),
    "ifs nested": _each(ast.If)(_nested),
    "results named": _in_blocks(_result_named),
    "sums written out": _in_blocks(_sums_written_out),
    "choices written out": _in_blocks(_choices_written_out),
    "guarded": _each(*_Function)(_guarded),
    "with assertions": _each(*_Function)(_checked),
    "by helpers": _each(*_Function)(_by_helper),
    "comparisons flipped": _each(ast.Compare)(_flipped),
    "not unequal": _by(_Replacing(ast.Compare, _equal).visit),
    "lists by calls": _by(_Replacing(ast.ListComp, _listed).visit),
    "doubly negated": _each(ast.If, ast.While)(_doubly_negated),
    "iterators": _each(ast.For)(_iterated),
    "tabs": _tabs,
    "other line ends": lambda source: _by(_bare)(source).replace("\n", "\r\n"),
}
"""Styles by name: each returns another text of a program."""
