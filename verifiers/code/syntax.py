"""A thread-safe wrapper of Python's parser."""

import ast
import threading
import warnings
from typing import Literal, overload

__all__ = ["parse"]

_LOCK = threading.Lock()


@overload
def parse(source: str, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str, mode: Literal["eval"]) -> ast.Expression: ...
def parse(source: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Call ``ast.parse``, one at a time.

    Two threads that build syntax trees in parallel can fail with "AST constructor recursion depth mismatch": the depth
    is counted for all of them together (CPython issue 106905, seen with 3.11.7).

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As ``ast.parse``.
    """
    with _LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the source: "invalid escape sequence" and the like
        return ast.parse(source, mode="eval") if mode == "eval" else ast.parse(source)
