"""Programs without what nothing in them reads: definitions, methods, attributes, variables and results.

A program is shortened line by line, so that its layout stays, until nothing is left to leave out.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from turnwise.verifiers.code.syntax import parse

__all__ = ["pruned", "reached"]

_PURE = frozenset(
    [
        "Counter",
        "OrderedDict",
        "defaultdict",
        "deque",
        "dict",
        "field",
        "fromisoformat",
        "int",
        "len",
        "list",
        "max",
        "min",
        "partition",
        "set",
        "str",
        "sum",
        "timedelta",
    ]
)
_FRESH = (ast.BinOp, ast.Call, ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.List, ast.ListComp, ast.Tuple)
_GROWING = frozenset(("append", "add", "clear"))
_Edit = tuple[int, int, list[str]]  # first and last line, and what stands there instead
_Function = ast.FunctionDef


def pruned(code: str, main: str) -> str:
    """Return a program without what its function ``main`` does not need."""
    code = reached(code, main)
    while True:
        tree, lines = parse(code), code.splitlines()
        edits = list(_edits(tree, lines, main)) or list(_empty(tree, lines))
        if not edits:
            return _spaced(code)
        code = _edited(lines, edits)


def _edited(lines: list[str], edits: list[_Edit]) -> str:
    """Make those edits that do not touch each other, or only the first one if they leave a block empty."""
    chosen: list[_Edit] = []
    for edit in edits:
        if all(edit[1] < first or last < edit[0] for first, last, _ in chosen):
            chosen.append(edit)
    for some in (chosen, chosen[:1]):
        changed = list(lines)
        for first, last, text in sorted(some, key=lambda edit: edit[0], reverse=True):
            changed[first - 1 : last] = text
        code = "\n".join(changed)
        if len(some) == 1 or _parsed(code):
            break
    return code


def _parsed(code: str) -> bool:
    try:
        parse(code)
    except SyntaxError:
        return False
    return True


def reached(code: str, main: str) -> str:
    """Return a program without the definitions that its function ``main`` does not use, directly or not."""
    for first, last, _ in reversed(list(_unreached(parse(code), main))):
        lines = code.splitlines()
        code = "\n".join([*lines[: first - 1], *lines[last:]])
    return _spaced(code)


def _spaced(code: str) -> str:
    """Return code with the empty lines that a formatter leaves."""
    code = re.sub(r"\n{3,}(?= )", "\n\n", code.strip("\n"))
    code = re.sub(r"^( *(?:class|def) .*:\n)\n+(?= )", r"\1", code, flags=re.MULTILINE)
    return re.sub(r"\n{4,}", "\n\n\n", code) + "\n"


def _edits(tree: ast.Module, lines: list[str], main: str) -> Iterator[_Edit]:
    yield from _unreached(tree, main)
    yield from _unread_members(tree, lines)
    for node in _functions(tree):
        yield from _unread_variables(node, lines)
    yield from _unread_results(tree, lines)


def _walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """Return a node and all below it, kept for the next time: trees are read here and never changed."""
    found: tuple[ast.AST, ...] | None = node.__dict__.get("_nodes")
    if found is None:
        found = node.__dict__["_nodes"] = tuple(ast.walk(node))
    return found


def _functions(tree: ast.AST) -> list[_Function]:
    """Return functions and methods, but not those within them."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            found.append(node)
        elif isinstance(node, ast.ClassDef):
            found += _functions(node)
    return found


def _span(node: ast.stmt) -> tuple[int, int]:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return first, node.end_lineno or first


# ---- definitions ----------------------------------------------------------------------------------------------------


def _unreached(tree: ast.Module, main: str) -> Iterator[_Edit]:
    uses = {name: _names(node) for node in tree.body for name in _defined(node)}
    needed, following = set(), [main]
    while following:
        name = following.pop()
        if name not in needed:
            needed.add(name)
            following += sorted(uses.get(name, set()))
    for node in tree.body:
        if not needed & set(_defined(node)):
            yield (*_span(node), [])


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    targets = [one for target in getattr(node, "targets", []) for one in _walk(target)]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in _walk(node) if isinstance(one, ast.Name)}


# ---- what is written and never read ---------------------------------------------------------------------------------


def _written(node: ast.AST) -> ast.Name | ast.Attribute | None:
    """Return the variable or attribute that a statement changes and does nothing else with."""
    target: ast.AST | None = None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value.func
        if isinstance(call, ast.Attribute) and call.attr in _GROWING:
            target = call.value
    while isinstance(target, ast.Subscript):
        target = target.value
    return target if isinstance(target, (ast.Name, ast.Attribute)) else None


def _statements(tree: ast.AST) -> Iterator[tuple[ast.stmt, ast.AST, list[ast.stmt]]]:
    """Yield each statement with the one that it is in, and its block."""
    for node in _walk(tree):
        for key in ("body", "orelse", "finalbody"):
            block = getattr(node, key, None)
            if isinstance(block, list):
                for one in block:
                    yield one, node, block


def _read_attributes(tree: ast.AST) -> set[str]:
    ignored = {id(target) for node in _walk(tree) if (target := _written(node)) is not None}
    found = {
        node.attr
        for node in _walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in ignored
    }
    if "getattr" in _names(tree):
        texts = [node.value for node in _walk(tree) if isinstance(node, ast.Constant)]
        found.update(word for text in texts if isinstance(text, str) for word in text.split())
    return found


def _unread_members(tree: ast.Module, lines: list[str]) -> Iterator[_Edit]:
    read = _read_attributes(tree)
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        listed = any(isinstance(base, ast.Name) and base.id == "Enum" for base in kind.bases)
        for one in kind.body:
            name = ""
            if isinstance(one, ast.FunctionDef) and not one.name.startswith("__"):
                name = one.name
            elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and _optional(one.value):
                name = one.target.id
            elif isinstance(one, ast.Assign) and not listed:
                name = _defined(one)[0]
            if name and name not in read:
                yield _without(one, kind, kind.body, lines, tree)
    for one, outer, block in _statements(tree):
        target = _written(one)
        if isinstance(target, ast.Attribute) and target.attr not in read:
            yield _without(one, outer, block, lines, tree)


def _optional(value: ast.expr | None) -> bool:
    """Tell whether a field of a dataclass has a default."""
    options = [keyword.arg for keyword in value.keywords] if isinstance(value, ast.Call) else ["default"]
    return value is not None and not {"default", "default_factory"}.isdisjoint(options)


def _unread_variables(function: _Function, lines: list[str]) -> Iterator[_Edit]:
    outside = {name for node in _walk(function) if isinstance(node, (ast.Nonlocal, ast.Global)) for name in node.names}
    stored = {
        node.id for node in _walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    } - outside
    ignored = {
        id(target)
        for node in _walk(function)
        if isinstance(target := _written(node), ast.Name)
        and target.id in stored
        and (_assigned(node) or _own(function, target.id))
    }
    read = {
        node.id
        for node in _walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in ignored
    }
    unread = stored - read
    if unread:
        for whole in (False, True):  # what is changed goes before what it was at first
            for one, outer, block in _statements(function):
                target = _written(one)
                wanted = isinstance(target, ast.Name) and target.id in unread and _assigned(one) == whole
                if wanted and (whole or _own(function, target.id)):  # type: ignore[union-attr]
                    yield _without(one, outer, block, lines, function)
    for node in _walk(function):
        if isinstance(node, ast.ExceptHandler) and node.name and node.name not in read:
            line = lines[node.lineno - 1]
            yield node.lineno, node.lineno, [line.replace(f" as {node.name}:", ":")]
        if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Store):
            for item in node.elts:
                if isinstance(item, ast.Name) and item.id not in read | {"_"}:
                    line = lines[item.lineno - 1]
                    yield item.lineno, item.lineno, [f"{line[: item.col_offset]}_{line[item.end_col_offset :]}"]


def _assigned(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)


def _own(function: _Function, name: str) -> bool:
    """Tell whether a variable is always a new object, so that nobody else sees how it changes."""
    stores = sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in _walk(function)
    )
    for node in _walk(function):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            stores -= 1
        elif isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            stores -= len(node.targets) == 1 and isinstance(node.value, _FRESH) and _pure(node.value)
    return not stores


def _without(one: ast.stmt, outer: ast.AST, block: list[ast.stmt], lines: list[str], tree: ast.AST) -> _Edit:
    """Leave a statement out, but for calls that do something, and with it what would be empty."""
    first, last = _span(one)
    indent = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    value = getattr(one, "value", None)
    if isinstance(one, (ast.Assign, ast.AugAssign)) and value is not None and not _pure(value):
        segment = ast.get_source_segment("\n".join(lines), value)
        return first, last, f"{indent}{segment}".splitlines()
    if isinstance(one, ast.Expr) and isinstance(value, ast.Call) and not all(map(_pure, value.args)):
        text = [ast.get_source_segment("\n".join(lines), arg) for arg in value.args]
        return first, last, f"{indent}{', '.join(filter(None, text))}".splitlines()
    if len(block) > 1:
        return first, last, []
    if isinstance(outer, (ast.If, ast.For)) and block is outer.body and not outer.orelse:
        for around, further, inside in _statements(tree):
            if around is outer:
                if lines[outer.lineno - 1].lstrip().startswith("elif"):
                    return (*_span(outer), [])
                return _without(outer, further, inside, lines, tree)
    if isinstance(outer, ast.If) and block is outer.orelse and lines[first - 2].strip() == "else:":
        return first - 1, last, []
    return first, last, [f"{indent}pass"]


def _pure(value: ast.AST) -> bool:
    calls = (node.func for node in _walk(value) if isinstance(node, ast.Call))
    return all((call.id if isinstance(call, ast.Name) else getattr(call, "attr", "")) in _PURE for call in calls)


# ---- results --------------------------------------------------------------------------------------------------------


def _unread_results(tree: ast.Module, lines: list[str]) -> Iterator[_Edit]:
    """Leave out those of several results that are called ``_`` wherever the function is called."""
    used = Counter(node.id for node in _walk(tree) if isinstance(node, ast.Name))
    assigned: dict[str, list[ast.Assign]] = {}
    for node in _walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            assigned.setdefault(node.value.func.id, []).append(node)
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        calls = assigned.get(function.name, [])
        values = [node.value for node in _walk(function) if isinstance(node, ast.Return)]
        if len(calls) != 1 or used[function.name] != 1 or len(values) != 1:
            continue
        target, value = calls[0].targets[0], values[0]
        if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
            continue
        kept = [place for place, one in enumerate(target.elts) if not (isinstance(one, ast.Name) and one.id == "_")]
        dropped = [one for place, one in enumerate(value.elts) if place not in kept]
        if not dropped or not kept or not all(map(_pure, dropped)):
            continue
        line, call = lines[value.lineno - 1], lines[target.lineno - 1]
        items = ", ".join(ast.unparse(value.elts[place]) for place in kept)
        names = ", ".join(ast.unparse(target.elts[place]) for place in kept)
        changed = list(lines)
        changed[value.lineno - 1] = line[: value.col_offset] + items + line[value.end_col_offset :]
        changed[target.lineno - 1] = call[: target.col_offset] + names + call[target.end_col_offset :]
        yield 1, len(lines), changed


# ---- what the rest leaves empty -------------------------------------------------------------------------------------


def _empty(tree: ast.Module, lines: list[str]) -> Iterator[_Edit]:
    """Take out a "finally" that does nothing, join neighbouring handlers that do nothing, drop unpacking to ``_``."""
    for node in _walk(tree):
        if isinstance(node, ast.Try):
            if node.finalbody and all(map(_passes, node.finalbody)):
                body = node.body[-1].end_lineno or 0
                last = node.finalbody[-1].end_lineno or 0
                if node.handlers:
                    yield node.finalbody[0].lineno - 1, last, []
                else:
                    yield node.lineno, last, [line.removeprefix("    ") for line in lines[node.lineno : body]]
            for one, other in zip(node.handlers, node.handlers[1:], strict=False):
                if all(map(_passes, one.body + other.body)) and one.type and other.type:
                    kinds = [ast.unparse(kind) for kind in (*_kinds(one.type), *_kinds(other.type))]
                    indent = " " * one.col_offset
                    yield (
                        one.lineno,
                        other.end_lineno or 0,
                        [f"{indent}except ({', '.join(kinds)}):", f"{indent}    pass"],
                    )
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            targets, value = node.targets[0].elts, node.value
            kept = [place for place, one in enumerate(targets) if not (isinstance(one, ast.Name) and one.id == "_")]
            first, last = _span(node)
            indent = " " * node.col_offset
            if not kept and isinstance(value, ast.Call):
                yield first, last, [indent + lines[first - 1][value.col_offset :], *lines[first:last]]
            elif kept and len(kept) < len(targets) and isinstance(value, ast.Tuple) and _pure(value):
                names = ", ".join(ast.unparse(targets[place]) for place in kept)
                values = ", ".join(ast.unparse(value.elts[place]) for place in kept)
                yield first, last, [f"{indent}{names} = {values}"]
    for node, _, block in _statements(tree):
        if isinstance(node, ast.If) and all(map(_passes, node.body)) and not node.orelse:
            test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
            if lines[node.lineno - 1].lstrip().startswith("elif") or (_pure(test) and len(block) > 1):
                yield (*_span(node), [])
            elif isinstance(test, ast.Call):
                yield (*_span(node), [f"{' ' * node.col_offset}{ast.unparse(test)}"])


def _passes(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass)


def _kinds(kind: ast.expr) -> list[ast.expr]:
    return kind.elts if isinstance(kind, ast.Tuple) else [kind]
