"""What is public of a module: its docstring, its functions and classes with theirs, and no code."""

import ast
import re
from functools import lru_cache

from turnwise.verifiers.code.syntax import parse

__all__ = ["docstrings", "interface", "parameters", "used_by"]

_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.ClassDef)


def interface(source: str) -> str:
    """Return a module with ``...`` in place of what its functions do; names that begin with "_" are left out."""
    lines = source.split("\n")
    tree = parse(source)
    parts = [f'"""{ast.get_docstring(tree, clean=False)}"""']
    for node in tree.body:
        if isinstance(node, ast.Assign):
            parts.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        elif isinstance(node, ast.ClassDef):
            methods = [_cut(lines, method) for method in node.body if isinstance(method, ast.FunctionDef)]
            head = "\n".join([lines[node.lineno - 1], *_documented(lines, node)])
            parts.append("\n\n".join([head, *filter(None, methods)]))
        elif isinstance(node, ast.FunctionDef):
            parts.append(_cut(lines, node))
    return "\n\n\n".join(filter(None, parts)) + "\n"


def docstrings(source: str) -> tuple[str, ...]:
    """Return the docstrings of a module and of all functions and classes in it, "" for none."""
    return tuple(ast.get_docstring(node) or "" for node in ast.walk(parse(source)) if isinstance(node, _DOCUMENTED))


def _cut(lines: list[str], node: ast.FunctionDef) -> str:
    if node.name.startswith("_") and node.name != "__init__":
        return ""
    head = lines[node.lineno - 1]
    indent = " " * (node.col_offset + 4)
    return "\n".join([head, *_documented(lines, node), f"{indent}..."])


def _documented(lines: list[str], node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    if ast.get_docstring(node) is None:
        return []
    doc = node.body[0]
    return lines[doc.lineno - 1 : doc.end_lineno]


def parameters(source: str, functions: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the names of the arguments of some functions of a module."""
    found = {node.name: node for node in parse(source).body if isinstance(node, ast.FunctionDef)}
    return {name: tuple(arg.arg for arg in found[name].args.args) for name in functions}


def used_by(source: str, names: list[str]) -> list[str]:
    """Return those functions and classes of a module that some of them use, themselves included, in its order."""
    texts = _definitions(source)
    found = set(names)
    while True:
        more = {other for name in found for other in texts if re.search(rf"\b{other}\b", texts[name])}
        if more <= found:
            return [name for name in texts if name in found]
        found |= more


@lru_cache(256)
def _definitions(source: str) -> dict[str, str]:
    """Return the texts of the functions and classes of a module; they must not be changed."""
    found = (node for node in parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return {node.name: ast.get_source_segment(source, node) or "" for node in found}
