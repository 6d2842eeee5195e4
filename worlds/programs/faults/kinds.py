"""Finders for small faults in Python programs: where and how a small change of the text makes a program wrong.

Source: the classical operators of mutation testing (Jia and Harman, "An Analysis and Survey of the Development of
Mutation Testing", IEEE TSE 37(5), 2011; Derezinska and Halas, "Analysis of Mutation Operators for the Python
Language", 2014) and the faults that people make, after the categories of DebugBench (arXiv 2401.04621) and QuixBugs
(Lin et al., SPLASH 2017).
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["FINDERS", "Edit", "Place", "Text", "wrapped"]

_LINE = re.compile(r"\r\n|\r|\n")
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Dict, ast.Set)
_SUMS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_SYMBOLS: Mapping[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.And: "and", ast.Or: "or",
}  # fmt: skip
_BOUNDARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_COMPARISON = {
    "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "!=", "!=": "==", "in": "not in", "not in": "in",
    "is": "is not", "is not": "is",
}  # fmt: skip
# never a power, a shift or a product in place of a sum: such growth in a loop would not end
_OPERATOR = {"+": ("-",), "-": ("+",), "*": ("+",), "/": ("//",), "//": ("/", "%"), "%": ("//",), "&": ("|",),
             "|": ("&",)}  # fmt: skip
_FUNCTION = {
    "min": "max", "max": "min", "any": "all", "all": "any", "sum": "len", "floor": "ceil", "ceil": "floor",
    "sorted": "list", "startswith": "endswith", "endswith": "startswith", "lower": "upper", "upper": "lower",
    "strip": "rstrip", "lstrip": "rstrip", "rstrip": "lstrip", "find": "rfind", "rfind": "find", "split": "rsplit",
    "partition": "rpartition", "rpartition": "partition", "popleft": "pop", "ljust": "rjust", "rjust": "ljust",
    "isdigit": "isalnum", "isalpha": "isalnum", "bisect_left": "bisect_right", "bisect_right": "bisect_left",
    "appendleft": "append", "keys": "values", "values": "keys", "discard": "add", "add": "discard",
    "difference": "union", "intersection": "union", "union": "intersection",
}  # fmt: skip


class Edit(NamedTuple):
    """One change of a text.

    Attributes:
        start: The first character that is replaced.
        end: The character after the last one.
        text: The replacement.
        kind: The kind of fault, a key of ``FINDERS``.
        line: Line of the change in the original, from 1.
        description: The change in words.
    """

    start: int
    end: int
    text: str
    kind: str
    line: int
    description: str


class Text:
    """A source, with the positions of its syntax tree's nodes in characters."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._starts = [0, *(match.end() for match in _LINE.finditer(source))]
        self._ascii = source.isascii()

    def at(self, line: int, column: int) -> int:
        """Return the character offset of a line (from 1) and a column in bytes of UTF-8, as counted by ``ast``."""
        start = self._starts[line - 1]
        if self._ascii:
            return start + column
        end = self._starts[line] if line < len(self._starts) else len(self.source)
        return start + len(self.source[start:end].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the offsets of a node's first character and of the one after its last."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.source[start:end]

    def line_start(self, line: int) -> int:
        """Return the offset of a line's first character."""
        return self._starts[line - 1] if line <= len(self._starts) else len(self.source)

    def alone(self, node: ast.stmt) -> bool:
        """Tell whether the statement is alone on its lines, except for a comment after it."""
        assert node.end_lineno is not None
        start, end = self.span(node)
        before = self.source[self.line_start(node.lineno) : start]
        after = self.source[end : self.line_start(node.end_lineno + 1)].strip()
        return not before.strip() and (not after or after.startswith("#"))


@dataclass(frozen=True)
class Place:
    """The place that a finder examines: a node in a function.

    Attributes:
        text: The whole source.
        node: A node of the function.
        names: Variables of the function: name to the line where it is first bound.
        keys: Strings that are used as keys anywhere in the source.
        block: The block that contains the node, if it is a statement.
    """

    text: Text
    node: ast.AST
    names: Mapping[str, int]
    keys: tuple[str, ...] = ()
    block: tuple[ast.stmt, ...] = ()

    def replace(self, node: ast.expr | ast.stmt, text: str, description: str) -> Edit:
        """Return the edit that replaces a node with ``text``; the caller fills in its kind."""
        start, end = self.text.span(node)
        return Edit(start, end, text, "", node.lineno, description)


Found = Iterator[Edit]


def wrapped(place: Place, node: ast.expr) -> str:
    """Return an expression's text as an operand."""
    text = place.text.of(node)
    return text if isinstance(node, _SIMPLE) else f"({text})"


def _shifted(place: Place, node: ast.expr, by: int) -> str:
    """Return the text of an index, moved by one."""
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return str(value + by)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return str(by - value)
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=int(more))) if more + by > 0:
            return f"{place.text.of(left)} + {more + by}"
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)) if by < 0:
            return wrapped(place, left)
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=1)) if by > 0:
            return wrapped(place, left)
    text = place.text.of(node)
    plain = isinstance(node, _SIMPLE) or (isinstance(node, ast.BinOp) and isinstance(node.op, _SUMS))
    plain |= isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    return f"{text if plain else f'({text})'} {'+' if by > 0 else '-'} 1"


def _between(place: Place, left: ast.expr, right: ast.expr, symbol: str) -> tuple[int, int] | None:
    """Return the position of the operator between two operands."""
    start, end = place.text.span(left)[1], place.text.span(right)[0]
    gap = place.text.source[start:end]
    if "#" in gap or "\\" in gap:
        return None
    match = re.search(r"\s+".join(map(re.escape, symbol.split())), gap)
    return None if match is None else (start + match.start(), start + match.end())


def _swapped_symbol(
    place: Place, left: ast.expr, operator: ast.AST, right: ast.expr, others: Mapping[str, Iterable[str]]
) -> Found:
    symbol = _SYMBOLS.get(type(operator), "")
    for other in others.get(symbol, ()):
        found = _between(place, left, right, symbol)
        if found is not None:
            line = left.end_lineno or left.lineno
            yield Edit(*found, other, "", line, f"`{symbol}` became `{other}`")


def _compared(others: Mapping[str, str]) -> Callable[[Place], Found]:
    table = {symbol: (other,) for symbol, other in others.items()}

    def find(place: Place) -> Found:
        if isinstance(place.node, ast.Compare):
            operands = [place.node.left, *place.node.comparators]
            for left, operator, right in zip(operands, place.node.ops, operands[1:], strict=False):
                yield from _swapped_symbol(place, left, operator, right, table)

    return find


def _operator(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.BinOp) and not _is_text(node.left) and not _is_text(node.right):
        yield from _swapped_symbol(place, node.left, node.op, node.right, _OPERATOR)
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)) and not _is_text(node.value):
        symbol, other = ("+=", "-=") if isinstance(node.op, ast.Add) else ("-=", "+=")
        if (found := _between(place, node.target, node.value, symbol)) is not None:
            yield Edit(*found, other, "", node.lineno, f"`{symbol}` became `{other}`")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _logic(place: Place) -> Found:
    if isinstance(place.node, ast.BoolOp):
        for left, right in zip(place.node.values, place.node.values[1:], strict=False):
            table = {"and": ("or",), "or": ("and",)}
            yield from _swapped_symbol(place, left, place.node.op, right, table)


def _tests(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return [node.test]
    return list(node.ifs) if isinstance(node, ast.comprehension) else []


def _negated(place: Place) -> Found:
    for test in _tests(place.node):
        if not isinstance(test, (ast.Compare, ast.UnaryOp, ast.Constant)):
            yield place.replace(test, f"not {wrapped(place, test)}", "a condition was negated")


def _missing_not(place: Place) -> Found:
    if isinstance(place.node, ast.UnaryOp) and isinstance(place.node.op, ast.Not):
        yield place.replace(place.node, place.text.of(place.node.operand), "a `not` was lost")


def _function(place: Place) -> Found:
    if not isinstance(place.node, ast.Call):
        return
    function = place.node.func
    name = getattr(function, "id", "") or getattr(function, "attr", "")
    other = _FUNCTION.get(name, "")
    if not other or (isinstance(function, ast.Name) and name in place.names):
        return
    if other in ("list", "len", "pop") and (place.node.keywords or len(place.node.args) > 1):
        return
    end = place.text.span(function)[1]
    yield Edit(end - len(name), end, other, "", function.end_lineno or 0, f"`{name}` became `{other}`")


def _off_by_one(place: Place) -> Found:
    node = place.node
    bounds: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        bounds = [a for a in node.args[:2] if not isinstance(a, ast.Starred)]
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        bounds = [b for b in (node.slice.lower, node.slice.upper) if b is not None]
    elif isinstance(node, ast.Subscript) and _is_index(node.slice):
        bounds = [node.slice]
    for bound in bounds:
        if not _is_text(bound):
            for by in (1, -1):
                changed = _shifted(place, bound, by)
                yield place.replace(bound, changed, f"`{place.text.of(bound)}` became `{changed}`")


def _is_index(node: ast.expr) -> bool:
    """Guess whether a subscript is a position rather than a key."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return (isinstance(node, ast.Constant) and type(node.value) is int) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, _SUMS)
    )


def _dropped(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Assign):
        names = [n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name) and n.id in place.names]
        stores = [t for t in node.targets if isinstance(t, (ast.Subscript, ast.Attribute))]
        again = names and all(place.names[name] < node.lineno for name in names)
        if not stores and not again:
            return
    elif isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Call):
            return
    elif not isinstance(node, (ast.AugAssign, ast.Delete, ast.Break, ast.Continue)):
        return
    yield from _without(place, node, f"`{_first_line(place, node)}` was dropped")


def _without(place: Place, node: ast.stmt, description: str) -> Found:
    """Return an edit that removes the statement's lines, or puts ``pass`` there if its block would be empty."""
    if len(place.block) == 1:
        yield place.replace(node, "pass", description)
    elif place.text.alone(node):
        assert node.end_lineno is not None
        start, end = place.text.line_start(node.lineno), place.text.line_start(node.end_lineno + 1)
        if end < len(place.text.source) or place.text.source.endswith(("\n", "\r")):
            yield Edit(start, end, "", "", node.lineno, description)


def _first_line(place: Place, node: ast.stmt) -> str:
    return place.text.of(node).splitlines()[0]


def _base_case(place: Place) -> Found:
    node = place.node
    if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1 or len(place.block) < 2:
        return
    leaves = isinstance(node.body[0], (ast.Return, ast.Raise, ast.Continue, ast.Break))
    if leaves and place.text.of(node).startswith("if"):  # not an elif
        yield from _without(place, node, f"the case `{_first_line(place, node)}` was dropped")


def _missing_return(place: Place) -> Found:
    if isinstance(place.node, ast.Return) and isinstance(place.node.value, (ast.Call, ast.Name, ast.BinOp)):
        start = place.text.span(place.node)[0]
        yield Edit(start, place.text.span(place.node.value)[0], "", "", place.node.lineno, "a `return` was lost")


def _variable(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in place.names and node.id != "self":
        for other, line in place.names.items():
            if other not in (node.id, "self", "cls", "_") and line < node.lineno:
                yield place.replace(node, other, f"`{node.id}` became `{other}`")


def _arguments(place: Place) -> Found:
    if isinstance(place.node, ast.Call):
        for left, right in zip(place.node.args, place.node.args[1:], strict=False):
            if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
                (start, middle), (resumed, end) = place.text.span(left), place.text.span(right)
                source = place.text.source
                first, gap, second = source[start:middle], source[middle:resumed], source[resumed:end]
                if first != second:
                    yield Edit(start, end, second + gap + first, "", left.lineno, "two arguments were swapped")


def _constant(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Constant):
        yield from _other_constants(place, node)


def _other_constants(place: Place, node: ast.Constant) -> Found:
    value = node.value
    if isinstance(value, bool):
        yield place.replace(node, str(not value), f"`{value}` became `{not value}`")
    elif isinstance(value, int):
        for other in (value + 1, value - 1) if value > 0 else (value + 1,):
            yield place.replace(node, str(other), f"`{value}` became `{other}`")
    elif isinstance(value, float) and 0 < value < 1e6:
        other_float = value + 1
        yield place.replace(node, repr(other_float), f"`{value}` became `{other_float}`")


def _initial(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        later = place.block[place.block.index(node) + 1 :]
        if isinstance(node.value, ast.Constant) and any(isinstance(s, _LOOPS) for s in later):
            yield from _other_constants(place, node.value)


def _default(place: Place) -> Found:
    if isinstance(place.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for default in (*place.node.args.defaults, *place.node.args.kw_defaults):
            if isinstance(default, ast.Constant):
                yield from _other_constants(place, default)


def _augmented(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.AugAssign):
        symbol = _SYMBOLS.get(type(node.op), "?") + "="
        if (found := _between(place, node.target, node.value, symbol)) is not None:
            yield Edit(*found, "=", "", node.lineno, f"`{symbol}` became `=`")


def _early_return(place: Place) -> Found:
    node = place.node
    if not isinstance(node, ast.Return) or node not in place.block:
        return
    position = place.block.index(node)
    loop = place.block[position - 1] if position else None
    if isinstance(loop, _LOOPS) and not loop.orelse and loop.body[0].lineno > loop.lineno and place.text.alone(node):
        indent = place.text.source[place.text.line_start(loop.body[0].lineno) : place.text.span(loop.body[0])[0]]
        if not indent.strip():
            start = place.text.line_start(node.lineno)
            yield Edit(start, place.text.span(node)[0], indent, "", node.lineno, "a `return` moved into the loop")


def _branches(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.IfExp):
        (start, middle), (resumed, end) = place.text.span(node.body), place.text.span(node.orelse)
    elif (
        isinstance(node, ast.If) and len(node.body) == len(node.orelse) == 1
        and not isinstance(node.orelse[0], ast.If) and not isinstance(node.body[0], ast.If)
    ):  # fmt: skip
        one, other = node.body[0], node.orelse[0]
        if one.end_lineno != one.lineno or other.end_lineno != other.lineno:
            return
        (start, middle), (resumed, end) = place.text.span(one), place.text.span(other)
    else:
        return
    source = place.text.source
    first, gap, second = source[start:middle], source[middle:resumed], source[resumed:end]
    if first != second and "#" not in gap:
        yield Edit(start, end, second + gap + first, "", node.lineno, "two branches were swapped")


def _exception(place: Place) -> Found:
    if isinstance(place.node, ast.Raise):
        yield place.replace(place.node, "return None", "an exception is not raised any more")


def _aliasing(place: Place) -> Found:
    match place.node:
        case ast.Call(func=ast.Attribute(value=value, attr="copy"), args=[], keywords=[]):
            pass
        case ast.Call(func=ast.Name(id="list" | "dict" | "set" | "deepcopy"), args=[value], keywords=[]):
            if not isinstance(value, (ast.Name, ast.Attribute)):
                return
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=None), ctx=ast.Load()):
            pass
        case _:
            return
    yield place.replace(place.node, wrapped(place, value), "a copy was lost")


def _key(place: Place) -> Found:
    match place.node:
        case ast.Subscript(slice=node):
            pass
        case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=[node, *_]):
            pass
        case _:
            return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        for other in place.keys:
            if other != node.value:
                yield place.replace(node, repr(other), f"the key {node.value!r} became {other!r}")


_BRANCHING = (ast.If, ast.While, ast.IfExp, ast.comprehension)
_DROPPABLE = (ast.Assign, ast.Expr, ast.AugAssign, ast.Delete, ast.Break, ast.Continue)
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
FINDERS: Mapping[str, tuple[Callable[[Place], Iterator[Edit]], tuple[type[ast.AST], ...]]] = {
    "boundary": (_compared(_BOUNDARY), (ast.Compare,)),
    "comparison": (_compared(_COMPARISON), (ast.Compare,)),
    "operator": (_operator, (ast.BinOp, ast.AugAssign)),
    "logic": (_logic, (ast.BoolOp,)),
    "negated": (_negated, _BRANCHING),
    "missing_not": (_missing_not, (ast.UnaryOp,)),
    "function": (_function, (ast.Call,)),
    "off_by_one": (_off_by_one, (ast.Call, ast.Subscript)),
    "dropped": (_dropped, _DROPPABLE),
    "base_case": (_base_case, (ast.If,)),
    "missing_return": (_missing_return, (ast.Return,)),
    "variable": (_variable, (ast.Name,)),
    "arguments": (_arguments, (ast.Call,)),
    "constant": (_constant, (ast.Constant,)),
    "initial": (_initial, (ast.Assign,)),
    "default": (_default, _DEFS),
    "augmented": (_augmented, (ast.AugAssign,)),
    "early_return": (_early_return, (ast.Return,)),
    "branches": (_branches, (ast.IfExp, ast.If)),
    "exception": (_exception, (ast.Raise,)),
    "aliasing": (_aliasing, (ast.Call, ast.Subscript)),
    "key": (_key, (ast.Subscript, ast.Call)),
}
"""The kinds of faults: each has a finder of edits at one node of a function, and the types of nodes that it handles."""
