"""A thread-safe wrapper of Python's parser."""

import ast
import threading
import warnings

__all__ = ["parse"]

_LOCK = threading.Lock()


def parse(source: str) -> ast.Module:
    """Call ``ast.parse``, one at a time.

    Two threads that build syntax trees in parallel can fail with "AST constructor recursion depth mismatch": the depth
    is counted for all of them together (CPython issue 106905, seen with 3.11.7).

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As ``ast.parse``.
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the source: "invalid escape sequence" and the like
        return ast.parse(source)
