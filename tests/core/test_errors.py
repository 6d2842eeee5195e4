"""Errors that name what is missing name it rightly."""

import re
import tomllib
from pathlib import Path

import pytest

from turnwise.core.errors import MissingDependencyError

ROOT = Path(__file__).parents[2]
CHECKOUT = pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs the checkout's pyproject.toml")


def test_the_message_serves_an_installation_and_a_checkout() -> None:
    text = str(MissingDependencyError.of("torch.nn", "train"))
    assert "'torch'" in text
    assert "pip install 'turnwise[train]'" in text and "pip install '.[train]' in a checkout" in text


@CHECKOUT
def test_every_extra_that_is_named_brings_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    def brought(extra: str) -> set[str]:
        words = {re.split(r"[\[<>=]", word)[0] for word in extras[extra]}
        for word in extras[extra]:
            for other in re.findall(r"turnwise\[(.*?)\]", word):
                words |= set().union(*(brought(part) for part in other.split(",")))
        return words

    named = set()
    for folder in ("turnwise", *(path.name for path in (ROOT / "turnwise").iterdir() if path.is_symlink())):
        for path in (ROOT / folder).rglob("*.py"):
            calls = re.findall(r'MissingDependencyError\.of\((?:\w+\.name or )?"([\w-]+)", "(\w+)"\)', path.read_text())
            assert len(calls) == path.read_text().count("MissingDependencyError.of("), path
            named |= set(calls)
    assert len(named) > 10
    for package, extra in named:
        assert package in brought(extra), f"the extra {extra!r} does not bring {package}"
