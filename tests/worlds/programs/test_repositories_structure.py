"""Requirements on the source of a package, and refactorings that every package can have."""

import doctest
import re
import signal
import sys
from types import ModuleType

import pytest

from turnwise.worlds.programs.repositories import structure
from turnwise.worlds.programs.repositories.compose import Plan, known_cases, package_of
from turnwise.worlds.programs.repositories.moves import SPLITS, split_source
from turnwise.worlds.programs.repositories.parts import load_parts
from turnwise.worlds.programs.repositories.probing import reaching
from turnwise.worlds.programs.repositories.slips import _failing
from turnwise.worlds.programs.repositories.structure import RULES, unmet

SOURCE = '''"""Boxes, called crates elsewhere."""

import math
from pkg.other import side

KNOWN = {}
LIMIT = 3


class Box:
    def area(self, unit):
        return self._side() * side(unit)

    def _side(self):
        try:
            return KNOWN.setdefault(1, math.sqrt(4))
        except KeyError:
            raise ValueError("crate") from None


def grow(box, by=1):
    if by > LIMIT:
        raise ValueError("too much")
    return box.area(by)
'''
FILES = {"pkg/box.py": SOURCE, "pkg/other.py": "def side(unit):\n    return unit\n"}


def test_doctests() -> None:
    assert doctest.testmod(structure).failed == 0


@pytest.mark.parametrize(
    ("requirement", "met"),
    [
        ("defines pkg.box Box grow Box.area LIMIT", True),
        ("defines pkg.box Box.volume", False),
        ("lacks pkg.box side", True),
        ("lacks pkg.box grow", False),
        ("offers pkg.box side Box", True),
        ("offers pkg.box tools", False),
        ("apart pkg.box pkg.another", True),
        ("apart pkg.box pkg.other", False),
        ("takes pkg.box grow box by", True),
        ("takes pkg.box grow speed", False),
        ("calls pkg.box Box.area _side side", True),
        ("calls pkg.box Box.area grow", False),
        ("untouched pkg.box grow _side", True),
        ("untouched pkg.box Box.area _side", False),
        ("untried pkg.box grow Box.area", True),
        ("untried pkg.box Box._side", False),
        ("only pkg.box setdefault Box._side", True),
        ("only pkg.box LIMIT Box._side", False),
        ("raises pkg.box ValueError 2", True),
        ("raises pkg.box ValueError 1", False),
        ("literal pkg.box crate", True),
        ("literal pkg.box e", True),
        ("stateless pkg.other", True),
        ("stateless pkg.box", False),
        ("unnamed pkg.box volume crate", True),
        ("unnamed pkg.box unit", False),
        ("defines pkg.missing Box", False),
    ],
)
def test_requirements(requirement: str, met: bool) -> None:
    assert unmet(FILES, requirement) is not met


def test_a_module_that_cannot_be_read_misses_everything() -> None:
    assert all(unmet({"pkg/box.py": "def"}, f"{rule} pkg.box a 1") for rule in RULES)


def test_every_case_uses_rules_that_exist_and_its_right_package_meets_them() -> None:
    for number, case in enumerate(known_cases().values()):
        if case.checks:
            parts = tuple(sorted({case.part, *load_parts()[case.part].needs, *_needs(case.part)}))
            made = package_of(Plan(parts, (case.name,), "plain", number))
            assert {check.split()[0] for check in made.checks} <= set(RULES)
            assert not [check for check in made.checks if unmet(made.after, check)], case.name
            assert any(unmet(made.before, check) for check in made.checks), case.name
            assert made.name in made.issue or "`" in made.issue


def _needs(name: str) -> set[str]:
    direct = load_parts()[name].needs
    return {*direct, *(each for need in direct for each in _needs(need))}


@pytest.mark.parametrize("name", SPLITS)
def test_split_modules_hold_everything_once(name: str) -> None:
    split = SPLITS[name]
    source = load_parts()[name].source
    old, new = split_source(source, f"pkg.{name}", f"pkg.{split.module}", split.about, split.names)
    defined = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
    moved = [each for each in defined.findall(source) if each in split.names]
    assert moved
    assert defined.findall(new) == moved
    assert defined.findall(old) == [each for each in defined.findall(source) if each not in moved]


def test_only_what_imports_a_changed_file_is_reached() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "x = 1",
        "pkg/b.py": "from pkg.a import x",
        "pkg/c.py": "import pkg.b",
        "pkg/d.py": "import json",
    }
    probes = {f"probes_{name}.py": f"from pkg.{name} import x" for name in "abcd"}
    assert set(reaching(files, probes, {"pkg/a.py"})) == {"probes_a.py", "probes_b.py", "probes_c.py"}
    assert set(reaching(files, probes, {"pkg/d.py"})) == {"probes_d.py"}
    assert set(reaching(files, probes, {"pkg/__init__.py"})) == set(probes)
    assert set(reaching(files, probes, {"pkg/d/__init__.py"})) == {"probes_d.py"}
    hidden = {**files, "pkg/d.py": "__import__('pkg.a')"}
    assert set(reaching(hidden, probes, {"pkg/a.py"})) == set(probes)


def test_the_search_for_slips_leaves_the_process_as_it_was() -> None:
    part = next(iter(load_parts().values()))
    mine, handler, traced = ModuleType("pkg"), signal.getsignal(signal.SIGALRM), sys.gettrace()
    sys.modules["pkg"] = mine
    try:
        for source in (part.source, "raise ValueError", "while True: pass"):
            failed = _failing(part, source, set())
            assert (failed == []) == (source == part.source)
            assert sys.modules["pkg"] is mine
            assert [name for name in sys.modules if name.startswith("pkg.")] == []
            assert signal.getsignal(signal.SIGALRM) is handler
            assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
            assert sys.gettrace() is traced
    finally:
        del sys.modules["pkg"]
