"""Code that runs in the jail of a test program in place of pytest: the few parts of it that such programs use.

Only the text of this file is used, by `turnwise.verifiers.code.asserts`, after that of ``jailed_tests.py``.
"""

import re
import sys
import types
from typing import Any

__all__ = ["install"]


class _Raises:
    """``pytest.raises`` as a context."""

    def __init__(self, expected: Any, match: str | None = None) -> None:
        self.expected = expected
        self.match = match
        self.value: BaseException | None = None

    def __enter__(self) -> "_Raises":
        return self

    def __exit__(self, kind: Any, error: BaseException | None, at: Any) -> bool:
        if error is None:
            raise AssertionError("nothing was raised")
        if not isinstance(error, self.expected):
            return False
        self.value = error
        if self.match is not None and not re.search(self.match, str(error)):
            raise AssertionError("another message")
        return True


def _raises(expected: Any, *call: Any, match: str | None = None, **kwargs: Any) -> Any:
    raised = _Raises(expected, match)
    if call:
        with raised:
            call[0](*call[1:], **kwargs)
    return raised


class _Approx:
    """``pytest.approx``."""

    def __init__(self, expected: Any, rel: float | None = None, abs: float | None = None) -> None:
        self.expected = expected
        self.relative = 1e-6 if rel is None and abs is None else rel or 0.0
        self.absolute = 1e-12 if abs is None else abs

    def __eq__(self, got: object) -> bool:
        return self._near(got, self.expected)

    def _near(self, got: Any, expected: Any) -> bool:
        if isinstance(expected, dict):
            return (
                isinstance(got, dict)
                and got.keys() == expected.keys()
                and all(self._near(got[key], item) for key, item in expected.items())
            )
        if isinstance(expected, (list, tuple)):
            return isinstance(got, (list, tuple)) and len(got) == len(expected) and all(map(self._near, got, expected))
        if got == expected:
            return True
        if not isinstance(got, (int, float, complex)) or not isinstance(expected, (int, float, complex)):
            return False
        return bool(abs(got - expected) <= max(self.absolute, self.relative * abs(expected)))


class _Mark:
    """``pytest.mark``: parametrisation works, other marks are ignored."""

    def __getattr__(self, name: str) -> Any:
        def mark(*args: Any, **kwargs: Any) -> Any:
            return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else lambda found: found

        return mark

    @staticmethod
    def parametrize(names: Any, values: Any, **_: Any) -> Any:
        """Run the function once for each of the values."""
        keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        rows = [dict(zip(keys, row if len(keys) > 1 else (row,), strict=True)) for row in values]

        def mark(found: Any) -> Any:
            before = getattr(found, "__turnwise_cases__", [{}])
            found.__turnwise_cases__ = [{**row, **other} for row in rows for other in before]
            return found

        return mark


def install() -> None:
    """Let test programs import the most used parts of pytest."""
    module = types.ModuleType("pytest")
    module.__dict__.update({"raises": _raises, "approx": _Approx, "mark": _Mark()})
    sys.modules["pytest"] = module
