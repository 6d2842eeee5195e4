r"""Whether the source of a package has the structure that an issue asks for; nothing is executed.

A requirement is a line: a rule, a module, and names.

>>> files = {"pkg/a.py": "import math\n\nclass Box:\n    def area(self):\n        return self._side() ** 2\n"}
>>> [unmet(files, line) for line in ("calls pkg.a Box.area _side", "defines pkg.a Box._side", "unnamed pkg.a sqrt")]
[False, True, False]
"""

import ast
from collections.abc import Iterator, Mapping

from turnwise.verifiers.code.syntax import parse

__all__ = ["RULES", "unmet"]

RULES = {
    "defines": "the module defines each of the names at its top level, or a method as Class.method",
    "lacks": "it defines none of the names",
    "offers": "the names can be imported from it",
    "apart": "it imports none of the modules named",
    "takes": "the function named first has the parameters named",
    "calls": "the function named first calls each of the others",
    "untouched": "the function named first mentions none of the others",
    "untried": "the functions named have no try statement",
    "only": "outside of the functions named after it, the first name is not mentioned in the module",
    "raises": "the exception is raised in at most so many places of the module",
    "literal": "a text with these letters occurs in at most one place of the module, docstrings aside",
    "stateless": "no name at the top level of the module is bound to a dictionary, list or set that functions change",
    "unnamed": "nothing in the package, not only in the module, has one of these names",
}
"""The rules, with what they ask for."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CHANGING = {
    "append",
    "add",
    "update",
    "setdefault",
    "pop",
    "popitem",
    "clear",
    "insert",
    "extend",
    "discard",
    "remove",
}


def unmet(files: Mapping[str, str], requirement: str) -> bool:
    """Tell whether the files of a package miss a requirement; a module that cannot be read misses all."""
    rule, module, *names = requirement.split()
    path = module.replace(".", "/") + ".py"
    folder = path.partition("/")[0] + "/"
    try:
        if rule == "unnamed":
            trees = [parse(text) for name, text in files.items() if name.startswith(folder) and name.endswith(".py")]
            return any(name in _mentioned(tree) for tree in trees for name in names)
        return not _holds(rule, parse(files[path]), names, module.partition(".")[0])
    except (KeyError, SyntaxError, ValueError, RecursionError):
        return True


def _holds(rule: str, tree: ast.Module, names: list[str], package: str) -> bool:
    defined = dict(_defined(tree))
    first = defined.get(names[0]) if names else None
    if rule == "defines":
        return all(name in defined for name in names)
    if rule == "lacks":
        return not any(name in defined for name in names)
    if rule == "offers":
        return all(name in defined or name in _imported(tree) for name in names)
    if rule == "apart":
        return not {*names} & _modules(tree, package)
    if rule == "only":
        inside = [defined[name] for name in names[1:] if name in defined]
        return not any(names[0] in _own(node) for node in _outside(tree, inside))
    if rule == "raises":
        return len([node for node in ast.walk(tree) if _raised(node) == names[0]]) <= int(names[1])
    if rule == "literal":
        return sum(names[0] in text for text in _texts(tree)) <= 1
    if rule == "stateless":
        return not _state(tree)
    if rule == "untried":
        return all(
            name in defined and not any(isinstance(node, ast.Try) for node in ast.walk(defined[name])) for name in names
        )
    if first is None:
        return False
    if rule == "takes":
        return isinstance(first, _Function) and {*names[1:]} <= {arg.arg for arg in _parameters(first)}
    if rule == "calls":
        called = {_last(node.func) for node in ast.walk(first) if isinstance(node, ast.Call)}
        return {*names[1:]} <= called
    return not {*names[1:]} & _mentioned(first)  # untouched


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, _Function):
                    yield f"{node.name}.{inner.name}", inner
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name) and not isinstance(node.value, (ast.Name, ast.Attribute)):
                    yield target.id, node


def _imported(tree: ast.Module) -> set[str]:
    return {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    } | {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _modules(tree: ast.Module, package: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.update([node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)])
            if node.level:
                found.update(f"{package}.{name}" for name in [node.module or "", *(alias.name for alias in node.names)])
    return found


def _own(node: ast.AST) -> set[str]:
    """The names that a node itself has."""
    fields = ("id", "attr", "arg", "name", "asname")
    return {value for field in fields if isinstance(value := getattr(node, field, None), str)}


def _mentioned(tree: ast.AST) -> set[str]:
    return {name for node in ast.walk(tree) for whole in _own(node) for name in whole.split(".")}


def _outside(tree: ast.AST, inside: list[ast.AST]) -> Iterator[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not any(node is each for each in inside):
            yield node
            waiting += ast.iter_child_nodes(node)


def _raised(node: ast.AST) -> str:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return ""
    return _last(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _parameters(function: _Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def _texts(tree: ast.AST) -> list[str]:
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def _state(tree: ast.Module) -> bool:
    """Whether a function changes something bound at the top level, or keeps results by a decorator of functools."""
    bound = {target.id for node in tree.body for target in _targets(node) if isinstance(target, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, _Function):
            decorators = {_last(each.func if isinstance(each, ast.Call) else each) for each in node.decorator_list}
            if decorators & {"cache", "lru_cache"}:
                return True
            for inner in ast.walk(node):
                if _changed(inner) in bound:
                    return True
    return False


def _changed(node: ast.AST) -> str:
    """The name of what a node changes in place, or ""."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGING:
        return _last(node.func.value)
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return _last(node.value)
    return ""


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []
