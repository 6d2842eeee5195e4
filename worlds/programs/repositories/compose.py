"""Compose a package of parts, with names of its own, a history, and faults.

Everything about a package follows from a `Plan`, which is small; the texts are made when they are needed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.programs.repositories.history import changelog, history, releases
from turnwise.worlds.programs.repositories.moves import Words, further_probes, move_cases, right_files
from turnwise.worlds.programs.repositories.parts import Case, Part, load_parts, patched
from turnwise.worlds.programs.repositories.slips import slip_cases
from turnwise.worlds.programs.repositories.suite import Suite, test_functions
from turnwise.worlds.programs.repositories.wording import Style, issue_text

__all__ = ["Package", "Plan", "compose", "draw_plan", "eligible", "known_cases", "package_of"]

Kind = Literal["mixed", "slip", "bug", "feature", "refactoring", "removed"]
_NAMES = (
    "almanac",
    "anvil",
    "backroom",
    "bellows",
    "brickyard",
    "cartwright",
    "chandlery",
    "copperplate",
    "counterfoil",
    "dovetail",
    "drawbridge",
    "fernley",
    "flotilla",
    "gantry",
    "granary",
    "halyard",
    "harrow",
    "hopper",
    "inkwell",
    "kestrel",
    "keystone",
    "ladle",
    "lantern",
    "loom",
    "marlin",
    "mortise",
    "oakum",
    "paddock",
    "pantry",
    "pewter",
    "quarry",
    "quillon",
    "rivet",
    "sandbar",
    "sextant",
    "shuttle",
    "spindle",
    "stockroom",
    "tallow",
    "teasel",
    "thicket",
    "tiller",
    "trellis",
    "turnstile",
    "upland",
    "viaduct",
    "wainscot",
    "warehouse",
    "weir",
    "windlass",
)
_SHARES = {"slip": 1.0, "bug": 0.75, "feature": 0.1, "refactoring": 0.15}
_MAX_DRAWS = 100
_WORD = re.compile(r"pkg\.\w+|\w+")
_OPENERS = (
    "Building blocks for small back-office services",
    "Shared code of our internal tools",
    "A toolbox for line-of-business applications",
    "What our services have in common",
    "Plain-Python components without dependencies",
    "The core library of our operations team",
)


class Plan(NamedTuple):
    """What a package follows from.

    Attributes:
        parts: Names of its parts.
        cases: Names of the faults in it.
        style: How the issue is written.
        key: Seeds names, history and wording.
    """

    parts: tuple[str, ...]
    cases: tuple[str, ...]
    style: Style
    key: int


@dataclass(frozen=True)
class Package:
    """A package with faults.

    Attributes:
        name: Its name.
        about: A description in one sentence.
        issue: The text of the issue.
        before: The files with the faults.
        after: The right files.
        suite: The tests that the agent gets; they pass after, and before unless a slip or a new name makes them fail.
        tests: The names of these tests.
        probes: Modules that the judge runs, by path.
        checks: Requirements on the source, as in `structure`.
        renamed: The names of this package, by those of the library.
    """

    name: str
    about: str
    issue: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    suite: Suite
    tests: tuple[str, ...]
    probes: Mapping[str, str]
    checks: tuple[str, ...]
    renamed: Mapping[str, str]


@lru_cache(maxsize=1)
def known_cases() -> Mapping[str, Case]:
    """Return all cases by name: those that are written out, slips, and refactorings that every part can have."""
    parts = load_parts().values()
    every = [
        *(case for part in parts for case in part.cases),
        *(case for part in parts for case in move_cases(part)),
        *slip_cases(),
    ]
    return {case.name: case for case in every}


def eligible(kind: Kind, far: int, part: str = "") -> list[Case]:
    """Return the cases that a setting admits: of a kind, ``far`` or one step farther from the symptom, in a part."""
    kinds = ("bug", "feature", "refactoring") if kind == "mixed" else (kind,)
    return [
        case
        for case in known_cases().values()
        if case.kind in kinds
        and (far <= case.far <= far + 1 or kind in ("slip", "feature", "refactoring"))
        and part in ("", case.part)
    ]


def draw_plan(
    draw: Draw, first: Sequence[Case], others: Sequence[Case], num_parts: int, num_faults: int, style: Style
) -> Plan:
    """Draw a package with faults in different parts.

    Args:
        draw: The source of randomness.
        first: The cases of which one is in it.
        others: The cases that the other ones come from.
        num_parts: About how many parts it has.
        num_faults: How many cases it has.
        style: How the issue is written.

    Raises:
        SettingsError: There are not so many cases that leave each other alone.
    """
    for _ in range(_MAX_DRAWS):
        chosen = _drawn_cases(draw, first, others, num_faults)
        if len(chosen) == num_faults:
            break
    else:
        raise SettingsError(f"num_faults={num_faults}: there are not so many faults in different subsystems")
    parts = _with_needs(case.part for case in chosen)
    for name in draw.shuffled(sorted(load_parts())):
        if len(parts) < num_parts and name not in parts:
            parts = _with_needs([*parts, name])
    return Plan(tuple(sorted(parts)), tuple(case.name for case in chosen), style, draw.below(2**60))


def _drawn_cases(draw: Draw, first: Sequence[Case], others: Sequence[Case], count: int) -> list[Case]:
    chosen = [_picked(draw, first)]
    while len(chosen) < count:
        taken = {case.part for case in chosen}.union(*(case.modules() for case in chosen))
        more = [case for case in others if case.part not in taken and not case.modules() & taken]
        if not more:
            break
        chosen.append(_picked(draw, more))
    return chosen


def _picked(draw: Draw, cases: Sequence[Case]) -> Case:
    """Draw a case; most issues of a tracker are bugs, however many of each kind there are."""
    kinds = sorted({case.kind for case in cases})
    kind = draw.weighted(kinds, [_SHARES[kind] for kind in kinds])
    return draw.choice([case for case in cases if case.kind == kind])


def _with_needs(names: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += load_parts()[name].needs
    return list(found)


@lru_cache(maxsize=64)
def package_of(plan: Plan) -> Package:
    """Compose the package of a plan."""
    library = load_parts()
    return compose([library[name] for name in plan.parts], _cases(plan), plan.style, plan.key)


def _cases(plan: Plan) -> list[Case]:
    return [known_cases()[name] for name in plan.cases]


def compose(parts: Sequence[Part], cases: Sequence[Case], style: Style, key: int) -> Package:
    """Compose a package.

    Args:
        parts: With all parts that they need.
        cases: Faults in these parts.
        style: How the issue is written.
        key: Seeds names, history and wording.
    """
    name = Draw("package", key).choice(_NAMES)
    renamed = _renamed(parts, name, Draw("names", key))
    rename = _renamer(renamed)
    shelf = {part.name: renamed[f"pkg.{part.name}"].partition(".")[2] for part in parts}
    about = f"{Draw('about', key).choice(_OPENERS)}: {_listed([part.about for part in parts])}"
    found = releases(Draw("history", key), parts, cases, shelf)
    common = {
        "README.md": _readme(name, parts, shelf, Draw("about", key).choice(_OPENERS)),
        "CHANGELOG.md": changelog(found),
        "HISTORY": history(found, name, files=style == "plain"),
        f"{name}/__init__.py": f'"""{name}: {_listed([shelf[part.name] for part in parts])}."""\n\n'
        f'__version__ = "{found[0].version}"\n',
        **{f"tests/test_{shelf[part.name]}.py": part.tests for part in parts},
    }
    after, before = dict(common), dict(common)
    for part in parts:
        path, mine = f"{name}/{shelf[part.name]}.py", [case for case in cases if part.name in case.modules()]
        before[path] = patched(
            part.source, [each for case in mine for each in case.patches if each.module == part.name]
        )
        after |= right_files(part, mine, path)
    after = {path: rename(text) for path, text in after.items()}
    words = Words.of(parts, cases, renamed, after, key)
    earlier = _renamer({**renamed, **words.earlier}) if words.earlier else rename
    before = {path: (rename if path.startswith("tests/") else earlier)(text) for path, text in before.items()}
    tests = tuple(sorted(path for path in after if path.startswith("tests/")))
    functions = tuple(test_functions(after, tests))
    issue = rename(issue_text(Draw("issue", key), cases, style, name, found))
    return Package(
        name=name,
        about=about,
        issue=words.fill(issue, functions),
        before=before,
        after=after,
        suite=Suite(tests),
        tests=functions,
        probes={f"probes_{part.name}.py": rename(part.probes + further_probes(part, cases)) for part in parts},
        checks=tuple(words.fill(rename(check), functions) for case in cases for check in case.checks),
        renamed=renamed,
    )


def _renamed(parts: Sequence[Part], name: str, draw: Draw) -> dict[str, str]:
    found = {"pkg": name}
    for part in parts:
        for old, options in part.names.items():
            if old == "@":
                found[f"pkg.{part.name}"] = f"{name}.{draw.choice((part.name, *options[1:]))}"
            else:
                found[old] = draw.choice(options)
        found.setdefault(f"pkg.{part.name}", f"{name}.{part.name}")
    return found


def _renamer(renamed: Mapping[str, str]) -> Callable[[str], str]:
    def word(match: re.Match[str]) -> str:
        found = match[0]
        return renamed.get(found) or (renamed["pkg"] + found[3:] if found.startswith("pkg.") else found)

    @cache  # most files are the same before and after
    def rename(text: str) -> str:
        return _WORD.sub(word, text)

    return rename


def _readme(name: str, parts: Sequence[Part], shelf: Mapping[str, str], opener: str) -> str:
    rows = [f"- `{name}.{shelf[part.name]}`: {part.about}" for part in parts]
    return "\n".join(
        [
            f"# {name}",
            "",
            f"{opener}. Python 3.11 or newer, no dependencies.",
            "",
            *rows,
            "",
            "Run the tests with `pytest`. Notable changes are listed in CHANGELOG.md, all of them in HISTORY.",
            "",
        ]
    )


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{'; '.join(items[:-1])}; and {items[-1]}"
