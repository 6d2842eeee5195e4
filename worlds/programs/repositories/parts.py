"""The subsystems that packages are composed of, with the faults and features that issues are about.

Each is a text file in ``data/parts``. A line ``%% word rest`` begins a section: ``module`` (the right source),
``tests`` (those that the agent gets), ``probes`` (functions ``probe_...(rng)`` that the judge runs on both programs),
and for each ``case`` a change of the source and what somebody writes about it. ``docs/repo_issue.md`` has the format.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

__all__ = ["Case", "Example", "Part", "Patch", "load_parts", "patched"]

FOLDER = Path(__file__).with_name("data") / "parts"
_SECTION = re.compile(r"^%% (\w+) ?(.*)\n", re.MULTILINE)
_PATCH = re.compile(r"<<<<\n(.*?)^====\n(.*?)^>>>>\n", re.MULTILINE | re.DOTALL)


class Patch(NamedTuple):
    """One change that a fault consists of.

    Attributes:
        module: The module's name in the library.
        right: A text that occurs once in the right source.
        wrong: What the fault has in its place.
    """

    module: str
    right: str
    wrong: str


class Example(NamedTuple):
    """A program that shows the fault.

    Attributes:
        code: Its source.
        got: What it prints with the fault.
        want: What it should print.
    """

    code: str
    got: str
    want: str


@dataclass(frozen=True)
class Case:
    """A fault or a missing feature, and what its users say.

    Attributes:
        name: Unique in the library.
        part: The part in whose file it stands, and which its users use.
        kind: "bug", "slip" (a bug of one word or number, which a visible test shows), "feature" (the change removes
            one), or "refactoring" (the change makes the source worse, and the package does what it did).
        far: 0: the fault is in what the report describes; 1: elsewhere; 2: far away or in two places.
        patches: What the fault changes.
        commit: First line of the commit that brought it.
        titles: First lines of issues.
        stories: Accounts of users, each one or more paragraphs.
        wishes: Sentences on what should happen, for reports without an example.
        guesses: What users wrongly suspect.
        examples: Programs that show it.
        tidy: What a refactoring changes in the source of the library.
        checks: Requirements on the source, as in `structure`.
        probes: Further probes, of what a refactoring adds.
        how: What changes: texts, a name everywhere, or a module that is split in two.
        failing: Visible tests that a slip makes fail.
    """

    name: str
    part: str
    kind: Literal["bug", "slip", "feature", "refactoring"]
    far: int
    patches: tuple[Patch, ...]
    commit: str
    titles: tuple[str, ...]
    stories: tuple[str, ...]
    wishes: tuple[str, ...]
    guesses: tuple[str, ...]
    examples: tuple[Example, ...] = ()
    tidy: tuple[Patch, ...] = ()
    checks: tuple[str, ...] = ()
    probes: str = ""
    how: Literal["texts", "rename", "split"] = "texts"
    failing: tuple[str, ...] = ()

    def modules(self) -> set[str]:
        """The modules that it changes."""
        found = {patch.module for patch in (*self.patches, *self.tidy)}
        return found or {self.part}


@dataclass(frozen=True)
class Part:
    """A subsystem.

    Attributes:
        name: Its name in the library, which is that of its module there.
        about: What it is, in a few words.
        needs: Parts that it imports.
        names: Alternatives for each name that packages may change.
        log: First lines of harmless commits.
        source: The right source of its module.
        tests: The source of its tests.
        probes: Functions whose results the right program decides.
        cases: Its faults and features.
    """

    name: str
    about: str
    needs: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]
    log: tuple[str, ...]
    source: str
    tests: str
    probes: str
    cases: tuple[Case, ...] = field(repr=False)


@cache
def load_parts() -> Mapping[str, Part]:
    """Read all parts, by name."""
    return {path.stem: _part(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.txt"))}


def _sections(text: str) -> Iterator[tuple[str, str, str]]:
    found = list(_SECTION.finditer(text))
    for match, after in zip(found, [*found[1:], None], strict=True):
        yield match[1], match[2].strip(), text[match.end() : after.start() if after else len(text)]


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _blocks(text: str) -> tuple[str, ...]:
    """Texts between lines of two dashes."""
    return tuple(block.strip() for block in re.split(r"^--$", text, flags=re.MULTILINE) if block.strip())


def _part(name: str, text: str) -> Part:
    head: dict[str, str] = {}
    cases: list[dict[str, object]] = []
    for word, rest, body in _sections(text):
        if word == "case":
            far, kind, title = rest.split()
            cases.append(
                {"name": f"{name}.{title}", "far": int(far), "kind": kind, "patches": [], "tidy": [], "examples": []}
            )
        elif not cases:
            head[word] = (rest or body).strip() + "\n"
        elif word in ("fault", "tidy"):
            patches = [Patch(rest or name, right, wrong) for right, wrong in _PATCH.findall(body)]
            cast(list[Patch], cases[-1]["patches" if word == "fault" else "tidy"]).extend(patches)
        elif word == "example":
            code, got, want = [*body.strip().split("\n----\n"), "", ""][:3]
            cast(list[Example], cases[-1]["examples"]).append(Example(code, got, want))
        else:
            cases[-1][word] = rest or body
    alternatives = [line.split(": ") for line in _lines(head.get("names", ""))]
    return Part(
        name=name,
        about=head["about"].strip(),
        needs=tuple(head.get("needs", "").split()),
        names={old: (old, *new.split()) for old, new in alternatives},
        log=_lines(head["log"]),
        source=head["module"],
        tests=head["tests"],
        probes=head["probes"],
        cases=tuple(_case(name, case) for case in cases),
    )


def _case(part: str, case: Mapping[str, object]) -> Case:
    text = {key: value for key, value in case.items() if isinstance(value, str)}
    return Case(
        name=text["name"],
        part=part,
        kind=cast(Literal["bug", "feature", "refactoring"], text["kind"]),
        far=cast(int, case["far"]),
        patches=tuple(cast(list[Patch], case["patches"])),
        commit=text.get("commit", "").strip(),
        titles=_lines(text["titles"]),
        stories=_blocks(text["stories"]),
        wishes=_blocks(text["wishes"]),
        guesses=_lines(text.get("guesses", "")),
        examples=tuple(cast(list[Example], case["examples"])),
        tidy=tuple(cast(list[Patch], case["tidy"])),
        checks=_lines(text.get("checks", "")),
        probes=text.get("probes", ""),
    )


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
