"""Evaluate the conditions of plain assertions in this process, on plain data returned by a program.

Only operations that are bounded on any such data are done here; the rest runs in the jail of the test program.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection
from typing import Any

__all__ = ["Beyond", "evaluate", "is_simple"]

Call = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]
_MAX_BITS = 4096  # of integers to multiply
_MAX_MEMBERS = 20_000  # of new sets: hashes can be made to collide
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        abs,
        all,
        any,
        bool,
        dict,
        float,
        frozenset,
        int,
        len,
        list,
        max,
        min,
        round,
        set,
        sorted,
        str,
        sum,
    )
} | {"tuple": tuple}
_PAIRS = ("int", "max", "min", "round")  # functions that may have a second argument here
_HASHING = ("dict", "frozenset", "set")
_MATH: dict[str, Callable[..., Any]] = {
    "fabs": math.fabs,
    "isclose": math.isclose,
    "isnan": math.isnan,
    "isinf": math.isinf,
    "sqrt": math.sqrt,
}
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
_TYPES = {kind.__name__: kind for kind in (bool, bytes, complex, dict, float, frozenset, int, list, set, str, tuple)}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}


class Beyond(Exception):
    """The condition is not evaluated here."""


def is_simple(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether the condition can be evaluated here.

    Args:
        node: An expression.
        names: Functions of the program under test.
    """
    match node:
        case ast.Constant():
            return True
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            if any(isinstance(arg, ast.Starred) for arg in args) or any(word.arg is None for word in keywords):
                return False
            if name == "isinstance":
                return len(args) == 2 and is_simple(args[0], names) and _is_type(args[1])
            if name not in names and (keywords or len(args) > (2 if name in _PAIRS else 1) or name not in _FUNCTIONS):
                return False
            return all(is_simple(part, names) for part in (*args, *(word.value for word in keywords)))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math"), attr=name), args=args, keywords=keywords):
            known = name in _MATH and all(word.arg in ("rel_tol", "abs_tol") for word in keywords)
            return known and all(is_simple(part, names) for part in (*args, *(word.value for word in keywords)))
        case ast.Attribute(value=ast.Name(id="math"), attr=name):
            return name in _CONSTANTS
        case ast.UnaryOp(op=operation):
            return type(operation) in _UNARY and is_simple(node.operand, names)
        case ast.BinOp(op=operation):
            known = type(operation) in _BINARY or (isinstance(operation, ast.Pow) and not _calls(node))
            return known and is_simple(node.left, names) and is_simple(node.right, names)
        case ast.Compare():
            return all(is_simple(part, names) for part in (node.left, *node.comparators))
        case ast.BoolOp() | ast.List() | ast.Tuple() | ast.Set():
            return all(is_simple(part, names) for part in (node.values if isinstance(node, ast.BoolOp) else node.elts))
        case ast.Dict():
            return all(part is not None and is_simple(part, names) for part in (*node.keys, *node.values))
        case ast.Subscript(slice=place):
            return is_simple(node.value, names) and is_simple(place, names)
        case ast.Slice():
            return all(part is None or is_simple(part, names) for part in (node.lower, node.upper, node.step))
    return False


def _is_type(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(part, ast.Name) and part.id in _TYPES for part in parts)


def _calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def evaluate(node: Any, call: Call, names: Collection[str]) -> Any:
    """Return the value of an expression that `is_simple`; raise what Python would.

    Args:
        node: The expression.
        call: Calls the program under test.
        names: Functions of the program under test.

    Raises:
        Beyond: The program's answer is too large to judge here.
    """

    def value(part: Any) -> Any:
        return None if part is None else evaluate(part, call, names)

    match node:
        case ast.Constant():
            return node.value
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            if name == "isinstance":
                kinds = tuple(_TYPES[part.id] for part in ast.walk(args[1]) if isinstance(part, ast.Name))
                return isinstance(value(args[0]), kinds)
            given, named = [value(arg) for arg in args], {str(word.arg): value(word.value) for word in keywords}
            if name in names:
                return call(name, tuple(given), named)
            return _applied(name, given)
        case ast.Call(func=ast.Attribute(attr=name), args=args, keywords=keywords):
            return _MATH[name](*map(value, args), **{str(word.arg): value(word.value) for word in keywords})
        case ast.Attribute(attr=name):
            return _CONSTANTS[name]
        case ast.UnaryOp():
            return _UNARY[type(node.op)](value(node.operand))
        case ast.BinOp():
            return _combined(node, value(node.left), value(node.right))
        case ast.Compare():
            left = value(node.left)
            for operation, part in zip(node.ops, node.comparators, strict=True):
                right = value(part)
                if not _COMPARE[type(operation)](left, right):
                    return False
                left = right
            return True
        case ast.BoolOp(op=operation):
            found = None
            for part in node.values:
                found = value(part)
                if bool(found) is isinstance(operation, ast.Or):
                    break
            return found
        case ast.List():
            return [value(part) for part in node.elts]
        case ast.Tuple():
            return tuple(value(part) for part in node.elts)
        case ast.Set():
            return {value(part) for part in node.elts}
        case ast.Dict():
            return {value(key): value(item) for key, item in zip(node.keys, node.values, strict=True)}
        case ast.Slice():
            return slice(value(node.lower), value(node.upper), value(node.step))
    return value(node.value)[value(node.slice)]


def _applied(name: str, given: list[Any]) -> Any:
    if name in _HASHING and given and not isinstance(given[0], dict) and len(given[0]) > _MAX_MEMBERS:
        raise Beyond
    return _FUNCTIONS[name](*given)


def _combined(node: ast.BinOp, left: Any, right: Any) -> Any:
    if isinstance(node.op, ast.Pow):
        return left**right
    numbers = all(isinstance(part, (int, float, complex)) for part in (left, right))
    large = any(isinstance(part, int) and part.bit_length() > _MAX_BITS for part in (left, right))
    if (large or not numbers) and not isinstance(node.op, (ast.Add, ast.Sub)) and _calls(node):
        raise Beyond
    return _BINARY[type(node.op)](left, right)
