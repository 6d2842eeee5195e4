"""Compose a package of parts, with names of its own, a history, and faults.

Everything about a package follows from a `Plan`, which is small; the texts are made when they are needed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.programs.repositories.history import changelog, history, releases
from turnwise.worlds.programs.repositories.parts import Case, Part, Patch, load_parts
from turnwise.worlds.programs.repositories.suite import Suite, test_functions
from turnwise.worlds.programs.repositories.wording import Style, issue_text

__all__ = ["Package", "Plan", "compose", "draw_plan", "eligible", "package_of", "patched"]

Kind = Literal["mixed", "bug", "feature", "removed"]
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
_MAX_DRAWS = 100
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
        suite: The tests that the agent gets; they pass before and after.
        tests: The names of these tests.
        probes: Modules that the judge runs, by path.
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
    renamed: Mapping[str, str]


def eligible(kind: Kind, far: int, part: str = "") -> list[Case]:
    """Return the cases that a setting admits: of a kind, ``far`` or one step farther from the symptom, in a part."""
    found = [case for each in load_parts().values() for case in each.cases]
    return [
        case
        for case in found
        if kind in ("mixed", case.kind)
        and (far <= case.far <= far + 1 or (case.kind == "feature" and kind == "feature"))
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
    chosen = [draw.choice(first)]
    while len(chosen) < count:
        taken = {case.part for case in chosen}.union(*(case.modules() for case in chosen))
        more = [case for case in others if case.part not in taken and not case.modules() & taken]
        if not more:
            break
        chosen.append(draw.choice(more))
    return chosen


def _with_needs(names: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = None
            waiting += load_parts()[name].needs
    return list(found)


def patched(source: str, patches: Iterable[Patch]) -> str:
    """Put faults into the source of a module.

    Raises:
        ValueError: A text to replace does not occur exactly once.
    """
    for patch in patches:
        if source.count(patch.right) != 1:
            raise ValueError(f"{patch.module}: occurs {source.count(patch.right)} times: {patch.right!r}")
        source = source.replace(patch.right, patch.wrong)
    return source


@lru_cache(maxsize=64)
def package_of(plan: Plan) -> Package:
    """Compose the package of a plan."""
    library = load_parts()
    return compose([library[name] for name in plan.parts], _cases(plan), plan.style, plan.key)


def _cases(plan: Plan) -> list[Case]:
    known = {case.name: case for part in load_parts().values() for case in part.cases}
    return [known[name] for name in plan.cases]


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
    after = {**common, **{f"{name}/{shelf[part.name]}.py": part.source for part in parts}}
    before = dict(after)
    for part in parts:
        patches = [patch for case in cases for patch in case.patches if patch.module == part.name]
        before[f"{name}/{shelf[part.name]}.py"] = patched(part.source, patches)
    before, after = ({path: rename(text) for path, text in files.items()} for files in (before, after))
    tests = tuple(sorted(path for path in after if path.startswith("tests/")))
    return Package(
        name=name,
        about=about,
        issue=rename(issue_text(Draw("issue", key), cases, style, name, found)),
        before=before,
        after=after,
        suite=Suite(tests),
        tests=tuple(test_functions(after, tests)),
        probes={f"probes_{part.name}.py": rename(part.probes) for part in parts},
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
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(renamed, key=len, reverse=True))) + r")\b")
    return lambda text: pattern.sub(lambda match: renamed[match[0]], text)


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
