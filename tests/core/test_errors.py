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


CALL = re.compile(r'(?:MissingDependencyError\.of\((?:\w+\.name or )?|needed\()"([\w.-]+)", "([\w-]+)"\)')
PACKAGES = {"gem": "gem-llm", "gem.envs.registration": "gem-llm", "reasoning_gym": "reasoning-gym"}
"""Packages that are not called as their modules are."""


@pytest.mark.slow
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
            calls = re.findall(CALL, text := path.read_text())
            given = text.count("MissingDependencyError.of(") - text.count("MissingDependencyError.of(package, extra)")
            assert len(calls) == given + text.count('needed("'), path
            named |= {(PACKAGES.get(module, module.partition(".")[0]), extra) for module, extra in calls}
    assert len(named) > 10
    for package, extra in named:
        assert package in brought(extra), f"the extra {extra!r} does not bring {package}"
