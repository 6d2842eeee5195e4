"""Classical mutants of a program, by its syntax tree: what a tester imagines who knows nothing of the faults here.

Source: the operators of mutation testing (Jia and Harman, "An Analysis and Survey of the Development of Mutation
Testing", IEEE TSE 37(5), 2011): operators, constants, conditions, statements.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from turnwise.verifiers.code.syntax import parse

__all__ = ["classical_mutants"]

_Change = Callable[[], Callable[[], None]]
"""Makes a change in place and returns what takes it back."""
_COMPARED: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE, ast.NotEq), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE, ast.NotEq),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq, ast.GtE, ast.LtE), ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_COMPUTED: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add,), ast.FloorDiv: (ast.Mod, ast.Div),
    ast.Div: (ast.FloorDiv,), ast.Mod: (ast.FloorDiv,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
}  # fmt: skip
_CALLED: Mapping[str, str] = {
    "min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "sum": "len", "strip": "rstrip",
    "lstrip": "strip", "rstrip": "strip", "lower": "upper", "upper": "lower", "split": "rsplit", "find": "rfind",
    "startswith": "endswith", "endswith": "startswith", "set": "list",
}  # fmt: skip


def classical_mutants(source: str, functions: list[str]) -> Iterator[tuple[int, str]]:
    """Yield all mutants of some functions and classes of a module: the statement, from 0, and its new text."""
    for number, node in enumerate(parse(source).body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in functions:
            for change in list(_changes(node)):
                back = change()
                yield number, ast.unparse(ast.fix_missing_locations(node))
                back()


def _changes(tree: ast.AST) -> Iterator[_Change]:
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                for place, sign in enumerate(node.ops):
                    for other in _COMPARED.get(type(sign), ()):
                        yield _item(node.ops, place, other())
            case ast.BinOp() | ast.AugAssign():
                for operator in _COMPUTED.get(type(node.op), ()):
                    yield _field(node, "op", operator())
            case ast.BoolOp():
                yield _field(node, "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or())
            case ast.UnaryOp(op=ast.USub()):
                yield _field(node, "op", ast.UAdd())
            case ast.UnaryOp(op=ast.Not()):
                yield _field(node, "operand", ast.UnaryOp(ast.Not(), node.operand))
            case ast.Constant(value=bool() as value):
                yield _field(node, "value", not value)
            case ast.Constant(value=int() as value):
                for number in dict.fromkeys((value + 1, value - 1, 0)):
                    yield _field(node, "value", number)
            case ast.If() | ast.While() | ast.IfExp():
                yield _field(node, "test", ast.UnaryOp(ast.Not(), node.test))
                yield _field(node, "test", ast.Constant(isinstance(node, ast.IfExp)))
            case ast.Slice():
                for name in ("lower", "upper"):
                    if getattr(node, name) is not None:
                        yield _field(node, name, None)
            case ast.comprehension():
                if node.ifs:
                    yield _field(node, "ifs", [])
            case ast.Name(id=called) if called in _CALLED:
                yield _field(node, "id", _CALLED[called])
            case ast.Attribute(attr=called) if called in _CALLED:
                yield _field(node, "attr", _CALLED[called])
            case ast.Call(keywords=[*_, last]):
                yield _field(node, "keywords", [keyword for keyword in node.keywords if keyword is not last])
        yield from _without(node)


def _without(node: ast.AST) -> Iterator[_Change]:
    """Leave out a statement, or end a loop in another way."""
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        for place, statement in enumerate(block if isinstance(block, list) else ()):
            assert isinstance(block, list)
            call = isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant)
            if call or isinstance(statement, (ast.Assign, ast.AugAssign, ast.Continue, ast.Break)):
                yield _item(block, place, ast.Pass())


def _field(node: ast.AST, name: str, value: object) -> _Change:
    before = getattr(node, name)

    def change() -> Callable[[], None]:
        setattr(node, name, value)
        return lambda: setattr(node, name, before)

    return change


def _item(items: list[Any], place: int, value: ast.AST) -> _Change:
    before = items[place]

    def change() -> Callable[[], None]:
        items[place] = value
        return lambda: items.__setitem__(place, before)

    return change
