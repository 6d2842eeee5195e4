"""The past of a package: releases with commits, most of them harmless, some with a fault."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.repositories.parts import Case, Part

__all__ = ["Commit", "Release", "changelog", "history", "releases"]

_PEOPLE = (
    "Ada Mbeki", "Bjarne Holm", "Chidi Okafor", "Dana Petrescu", "Elif Kaya", "Farid Rahimi", "Greta Lindqvist",
    "Hana Sato", "Imre Varga", "Joana Pires", "Kofi Mensah", "Lena Vogt", "Marek Zielny", "Noor Haddad", "Priya Raman",
    "Rosa Delgado", "Sven Aalto", "Tomos Pugh", "Uma Krishnan", "Yusuf Demir",
)  # fmt: skip
_CHORES = (
    "Update the copyright year", "Run the formatter", "Fix typos in docstrings", "Drop support for Python 3.10",
    "Pin the versions of development tools", "Move the tests out of the package", "Shorten the README",
    "Add a badge for the build", "Remove an unused import", "Speed up the test suite", "Describe how to release",
    "Ignore editor files",
)  # fmt: skip


class Commit(NamedTuple):
    """A commit: its hash, author, day, first line, and the module it touches ("" for none)."""

    mark: str
    author: str
    day: date
    line: str
    module: str


class Release(NamedTuple):
    """A release and its commits, newest first."""

    version: str
    day: date
    commits: tuple[Commit, ...]


def releases(draw: Draw, parts: Sequence[Part], cases: Sequence[Case], shelf: Mapping[str, str]) -> list[Release]:
    """Draw the releases of a package, newest first; the faults came with one of the last two.

    Args:
        draw: The source of randomness.
        parts: The parts of the package.
        cases: The faults in it.
        shelf: The module of each part.
    """
    harmless = draw.shuffled([(line, shelf[part.name]) for part in parts for line in part.log])
    harmless = harmless[: draw.integer(8, 12 + 2 * len(parts))]
    harmless += [(line, "") for line in draw.sample(_CHORES, draw.integer(1, 4))]
    lines = draw.shuffled(harmless)
    recent = max(len(cases) + 3, len(lines) // 3)
    for case in cases:
        if case.kind in ("bug", "slip"):
            lines.insert(draw.below(recent), (case.commit, shelf[sorted(case.modules())[0]]))
    authors = draw.sample(_PEOPLE, draw.integer(2, 5))
    major, minor, micro = draw.integer(1, 5), draw.integer(2, 9), draw.integer(0, 3)
    day = date(2023, 1, 1) + timedelta(days=draw.integer(200, 900))
    found: list[Release] = []
    while lines:
        size = recent if not found else draw.integer(3, 7)
        taken, lines = lines[:size], lines[size:]
        released = day
        commits = []
        for line, module in taken:
            day -= timedelta(days=draw.integer(0, 9))
            commits.append(Commit(f"{draw.below(16**7):07x}", draw.choice(authors), day, line, module))
        found.append(Release(f"{major}.{minor}.{micro}", released, tuple(commits)))
        if micro:
            micro -= 1
        elif minor:
            minor, micro = minor - 1, draw.integer(0, 4)
        else:
            major, minor, micro = max(major - 1, 0), draw.integer(3, 9), draw.integer(0, 4)
        day -= timedelta(days=draw.integer(2, 20))
    return found


def changelog(found: Sequence[Release]) -> str:
    """Write CHANGELOG.md."""
    parts = ["# Changelog"]
    for release in found:
        parts += [f"\n## {release.version} ({release.day})\n", *(f"- {commit.line}" for commit in release.commits)]
    return "\n".join(parts) + "\n"


def history(found: Sequence[Release], package: str, *, files: bool) -> str:
    """Write the log of commits, with the files that each one touches or a line each."""
    lines: list[str] = []
    for release in found:
        lines += [f"tag v{release.version}"] + [""] * files
        for commit in release.commits:
            if files:
                where = f"{package}/{commit.module}.py" if commit.module else "README.md"
                lines += [f"commit {commit.mark}", f"Author: {commit.author}", f"Date:   {commit.day}", ""]
                lines += [f"    {commit.line}", "", f" {where}", ""]
            else:
                lines.append(f"{commit.mark} {commit.day} {commit.author}: {commit.line}")
    return "\n".join(lines).rstrip("\n") + "\n"
