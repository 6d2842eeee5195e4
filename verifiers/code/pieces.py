"""Decide which of several Python blocks in a message are its program."""

import ast
import builtins
import sys
from collections.abc import Iterable
from typing import NamedTuple

from turnwise.verifiers.code.syntax import parse

__all__ = ["is_program", "joined"]

MAX_CHARS = 200_000
"""Longer blocks are not analysed."""
_BUILTINS = frozenset(dir(builtins))
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Piece(NamedTuple):
    """The names that a block defines and uses from others, and whether it reads the input."""

    defines: frozenset[str]
    takes: frozenset[str]
    reads_input: bool


def joined(bodies: Iterable[str], marked: bool = True) -> str | None:
    r"""Return the program made of blocks of Python; None if there is no block.

    It is the last block. A block that uses definitions of earlier ones is read together with them if it defines
    functions or classes or reads the input, and left out if it only uses them, as a test or an example does.

    Args:
        bodies: The blocks in order.
        marked: Whether the fences say that it is Python; otherwise a block after definitions that has none is their
            output.

    >>> joined(["def f(x):\n    return x\n", "assert f(1) == 1\n"])
    'def f(x):\n    return x\n'
    >>> joined(["class A: pass\n", "def f():\n    return A()\n", "x = 1\n"])
    'x = 1\n'
    """
    kept: list[str] = []
    defined: frozenset[str] = frozenset()
    for body in bodies:
        piece = _piece(body)
        if kept and (_is_transcript(body) or (not marked and defined and (piece is None or not piece.defines))):
            continue
        if piece is None or not piece.takes & defined:
            kept, defined = [body], piece.defines if piece else frozenset()
        elif piece.reads_input or any(not name.lower().startswith("test") for name in piece.defines):
            kept.append(body)
            defined |= piece.defines
    return "\n".join(kept) if kept else None


def is_program(text: str) -> bool:
    r"""Return whether the whole text is Python that defines or imports something.

    >>> is_program("import math\nprint(math.pi)"), is_program("yes"), is_program("The answer is 4.")
    (True, False, False)
    """
    if len(text) > MAX_CHARS or ("def " not in text and "class " not in text and "import " not in text):
        return False
    tree = _tree(text)
    return tree is not None and any(isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)) for node in tree.body)


def _tree(text: str) -> ast.Module | None:
    if len(text) > MAX_CHARS:
        return None
    try:
        return parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_transcript(body: str) -> bool:
    """Return whether a block is a transcript of an interactive interpreter."""
    return body.lstrip().startswith(">>> ")


def _piece(body: str) -> _Piece | None:
    tree = _tree(body)
    if tree is None:
        return None
    bound: set[str] = set()
    loaded: set[str] = set()
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, _DEFINITIONS):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            bound |= names
            if (
                isinstance(node, ast.ImportFrom)
                and (node.module or "").partition(".")[0] not in sys.stdlib_module_names
            ):
                imported |= names
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return _Piece(
        frozenset(node.name for node in tree.body if isinstance(node, _DEFINITIONS)),
        frozenset((loaded - bound - _BUILTINS) | imported),
        "input" in loaded - bound or "stdin" in body,
    )
