"""What verl's adapter does without verl: `tests/interop/check_verl.py` has verl's own worker."""

import importlib
import sys

import pytest

from turnwise.core.errors import MissingDependencyError


def test_without_verl_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "verl", None)
    monkeypatch.delitem(sys.modules, "turnwise.adapters.verl", raising=False)
    with pytest.raises(MissingDependencyError, match=r"'verl', which is not installed: pip install 'turnwise\[verl\]'"):
        importlib.import_module("turnwise.adapters.verl")
