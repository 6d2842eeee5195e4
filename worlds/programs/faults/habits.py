"""Finders for faults that people make and that classical mutation operators do not: they hide from most inputs.

Source: the categories of bugs in DebugBench (arXiv 2401.04621), the faults of QuixBugs (Lin et al., SPLASH 2017), and
the pages on mutable defaults, sorting and division in Python's programming FAQ.
"""

import ast
from collections.abc import Callable, Iterator, Mapping

from turnwise.worlds.programs.faults.kinds import Edit, Place, wrapped

__all__ = ["HABITS"]

Found = Iterator[Edit]
_PLAIN = (ast.Assign, ast.AugAssign, ast.Expr)
_PRODUCTS = (ast.Mult, ast.FloorDiv, ast.Mod, ast.Div)
_SUMS = (ast.Add, ast.Sub)
_LIKE = {  # functions that people take for each other
    "min": "max", "max": "min", "any": "all", "all": "any", "strip": "rstrip", "lstrip": "strip", "rstrip": "strip",
    "find": "rfind", "rfind": "find", "partition": "rpartition", "rpartition": "partition", "ljust": "rjust",
    "rjust": "ljust", "isdigit": "isalnum", "isalpha": "isalnum", "isalnum": "isalpha", "isdecimal": "isalnum",
    "title": "capitalize", "floor": "ceil", "ceil": "floor",
}  # fmt: skip
_ORDERS = ("sorted", "min", "max", "sort")


def _called(node: ast.AST) -> str:
    """Return the name of a call's function or method, or ""."""
    if not isinstance(node, ast.Call):
        return ""
    return str(getattr(node.func, "id", "") or getattr(node.func, "attr", ""))


def _dedupe(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Call) and _called(node) in ("sorted", "list", "len", "sum") and len(node.args) == 1:
        inner = node.args[0]
        if isinstance(inner, ast.Call) and _called(inner) in ("set", "fromkeys") and len(inner.args) == 1:
            yield place.replace(inner, place.text.of(inner.args[0]), "duplicates are not removed any more")


def _precedence(place: Place) -> Found:
    node, source = place.node, place.text.source
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, _PRODUCTS):
        return
    for side in (node.left, node.right):
        start, end = place.text.span(side)
        sums = isinstance(side, ast.BinOp) and isinstance(side.op, _SUMS)
        if sums and source[start - 1 : start] == "(" and source[end : end + 1] == ")":
            yield Edit(start - 1, end + 1, source[start:end], "", side.lineno, "parentheses were lost")


def _rounding(place: Place) -> Found:
    node = place.node
    match node:
        case ast.UnaryOp(
            op=ast.USub(), operand=ast.BinOp(left=ast.UnaryOp(op=ast.USub(), operand=up), op=ast.FloorDiv(), right=by)
        ):
            text = f"{wrapped(place, up)} // {place.text.of(by)}"
            alone = place.text.source[: place.text.span(node)[0]].endswith(("= ", "return "))
            yield place.replace(node, text if alone else f"({text})", "it is not rounded up any more")
        case ast.BinOp(left=ast.UnaryOp(), op=ast.FloorDiv()):
            pass  # half of what rounds up
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            text = f"int({place.text.of(left)} / {place.text.of(right)})"
            yield place.replace(node, text, "negative numbers are rounded towards zero")
            yield place.replace(node, f"round({text[4:]}", "it is rounded to the nearest number")
        case ast.BinOp(left=ast.BinOp(op=ast.Sub()) as left, op=ast.Mod(), right=right):
            text = f"abs({place.text.of(left)}) % {place.text.of(right)}"
            yield place.replace(node, text, "the remainder of negative numbers is another one")


def _truthiness(place: Place) -> Found:
    node = place.node
    match node:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as sign], comparators=[ast.Constant(value=None)]):
            text = place.text.of(left)
            new = text if isinstance(sign, ast.IsNot) else f"not {text}"
            yield place.replace(node, new, "0 and empty values count as missing")
        case ast.Compare(left=left, ops=[ast.NotIn()], comparators=[ast.Name() | ast.Attribute() as held]):
            text = f"not {place.text.of(held)}.get({place.text.of(left)})"
            yield place.replace(node, text, "a stored 0 counts as missing")


def _get_default(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Call) and _called(node) in ("get", "setdefault", "pop") and len(node.args) == 2:
        default = node.args[1]
        if isinstance(default, ast.Constant) and type(default.value) is int:
            for other in (default.value + 1, default.value - 1):
                yield place.replace(default, str(other), f"the default became {other}")


def _tie_break(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Call) and _called(node) in _ORDERS:
        for keyword in node.keywords:
            yield from _key(place, keyword)


def _key(place: Place, keyword: ast.keyword) -> Found:
    if keyword.arg == "reverse" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
        yield place.replace(keyword.value, "False", "the order is the other one")
    if keyword.arg != "key" or not isinstance(keyword.value, ast.Lambda):
        return
    body = keyword.value.body
    if not isinstance(body, ast.Tuple) or len(body.elts) < 2:
        return
    start, end = place.text.span(body)
    first, *_, last = body.elts
    yield Edit(start, end, place.text.of(first), "", body.lineno, "ties are not broken any more")
    if isinstance(last, ast.UnaryOp) and isinstance(last.op, ast.USub):
        yield place.replace(last, place.text.of(last.operand), "ties are broken the other way round")
    elif len(body.elts) == 2:
        swapped = f"({place.text.of(last)}, {place.text.of(first)})"
        yield Edit(start, end, swapped, "", body.lineno, "two keys were swapped")


def _unsorted(place: Place) -> Found:
    node = place.node
    if isinstance(node, (ast.For, ast.comprehension)) and _called(node.iter) == "sorted":
        call = node.iter
        if isinstance(call, ast.Call) and len(call.args) == 1 and not call.keywords:
            yield place.replace(call, place.text.of(call.args[0]), "it is not sorted any more")


def _mixed_up(place: Place) -> Found:
    node = place.node
    other = _LIKE.get(_called(node), "")
    if not other or not isinstance(node, ast.Call) or _called(node) in place.names:
        return
    end = place.text.span(node.func)[1]
    name = _called(node)
    yield Edit(end - len(name), end, other, "", node.func.end_lineno or 0, f"`{name}` became `{other}`")


def _case(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        names = ("lower", "casefold", "strip", "rstrip", "lstrip", "upper")
        if node.func.attr in names:
            yield place.replace(node, place.text.of(node.func.value), f"`.{node.func.attr}()` was lost")


def _plain_line(place: Place, node: ast.stmt) -> bool:
    return isinstance(node, _PLAIN) and node.lineno == node.end_lineno and place.text.alone(node)


def _order(place: Place) -> Found:
    """Swap a statement with the next one, if both are plain lines of one block."""
    node = place.node
    if not isinstance(node, _PLAIN) or node not in place.block:
        return
    at = place.block.index(node)
    after = place.block[at + 1] if at + 1 < len(place.block) else None
    if after is None or not _plain_line(place, node) or not _plain_line(place, after):
        return
    if after.lineno != node.lineno + 1 or ast.dump(node) == ast.dump(after):
        return
    (start, middle), (resumed, end) = place.text.span(node), place.text.span(after)
    source = place.text.source
    text = source[resumed:end] + source[middle:resumed] + source[start:middle]
    yield Edit(start, end, text, "", node.lineno, "two statements were swapped")


def _reset(place: Place) -> Found:
    """Move a first value into the loop after it, or out of the loop that begins with it."""
    node, source = place.node, place.text.source
    if not isinstance(node, (ast.For, ast.While)) or node not in place.block:
        return
    at, first = place.block.index(node), node.body[0]
    before = place.block[at - 1] if at else None
    header = place.text.line_start(node.lineno)
    if before is not None and _first_value(place, before) and before.lineno == node.lineno - 1:
        start = place.text.line_start(before.lineno)
        inner = place.text.line_start(first.lineno)
        indent = source[inner : place.text.span(first)[0]]
        if not indent.strip():
            line = f"{indent}{place.text.of(before)}\n"
            yield Edit(start, inner, source[header:inner] + line, "", before.lineno, "a value is reset in each round")
    if _first_value(place, first) and len(node.body) > 1:
        indent = source[header : place.text.span(node)[0]]
        start, end = place.text.line_start(first.lineno), place.text.line_start(first.lineno + 1)
        text = f"{indent}{place.text.of(first)}\n{source[header:start]}"
        yield Edit(header, end, text, "", first.lineno, "a value is not reset any more")


def _first_value(place: Place, node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    match node.value:
        case ast.Constant() | ast.List(elts=[]) | ast.Dict(keys=[]):
            return _plain_line(place, node)
    return False


def _mutable_default(place: Place) -> Found:
    """Make a list or dictionary that a function begins with a default of its last argument."""
    node, source = place.node, place.text.source
    if not isinstance(node, ast.FunctionDef) or not node.args.args or node.args.kwonlyargs or node.args.vararg:
        return
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    last = node.args.args[-1]
    end = place.text.at(last.end_lineno or 0, last.end_col_offset or 0)
    for statement in body[:2]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]) | ast.Dict(keys=[]) as value):
                if source[end : end + 2] == "):" and _plain_line(place, statement):
                    start, stop = (place.text.line_start(statement.lineno + more) for more in (0, 1))
                    text = f", {name}={place.text.of(value)}{source[end:start]}"
                    yield Edit(end, stop, text, "", node.lineno, "a value is kept from call to call")


def _elif(place: Place) -> Found:
    node = place.node
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        start = place.text.span(node.orelse[0])[0]
        if place.text.source.startswith("elif", start):
            yield Edit(start, start + 4, "if", "", node.orelse[0].lineno, "`elif` became `if`")


def _jump(place: Place) -> Found:
    if isinstance(place.node, ast.Continue):
        yield place.replace(place.node, "break", "`continue` became `break`")
    elif isinstance(place.node, ast.Break):
        yield place.replace(place.node, "continue", "`break` became `continue`")


HABITS: Mapping[str, tuple[Callable[[Place], Iterator[Edit]], tuple[type[ast.AST], ...]]] = {
    "dedupe": (_dedupe, (ast.Call,)),
    "precedence": (_precedence, (ast.BinOp,)),
    "rounding": (_rounding, (ast.BinOp, ast.UnaryOp)),
    "truthiness": (_truthiness, (ast.Compare,)),
    "get_default": (_get_default, (ast.Call,)),
    "tie_break": (_tie_break, (ast.Call,)),
    "unsorted": (_unsorted, (ast.For, ast.comprehension)),
    "mixed_up": (_mixed_up, (ast.Call,)),
    "case": (_case, (ast.Call,)),
    "order": (_order, _PLAIN),
    "reset": (_reset, (ast.For, ast.While)),
    "mutable_default": (_mutable_default, (ast.FunctionDef,)),
    "elif": (_elif, (ast.If,)),
    "jump": (_jump, (ast.Continue, ast.Break)),
}
"""Further kinds of faults, as in ``kinds.FINDERS``."""
