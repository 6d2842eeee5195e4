"""Judge briefings: claims with citations in numbered sections, with the documents that contradict them.

A section begins with its number after "#" or "section"; its lines are those of `turnwise.verifiers.claims`. A line may
end with ``contradicted by [title]``. Here an answer also loses by saying a thing twice, and by hiding that a document
says otherwise.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from turnwise.verifiers.claims import Claim, Line, read_report
from turnwise.verifiers.qa import exact_match
from turnwise.verifiers.structured.values import paired_off, unfenced
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["Point", "Said", "Section", "read_briefing", "verify_briefing"]

MAX_CHARS = 40_000
MAX_LINES = 400
_HEADING = re.compile(r"\s*(?:[-*•]\s+)?(?:#{1,6}\s*(?:section\s+)?|section\s+)(\d{1,2})\b", re.IGNORECASE)
_AGAINST = re.compile(
    r"\s*\(?contradicted by:?\s*((?:\[{1,2}[^\[\]\n]{1,500}\]{1,2}[;,\s]*){1,20})\)?\s*\.?\s*$", re.IGNORECASE
)


_TITLES = re.compile(r"\[([^\[\]]+)\]")


class Point(NamedTuple):
    """A claim that a section must make, and the documents that contradict it."""

    claim: Claim
    against: tuple[str, ...] = ()


class Section(NamedTuple):
    """What one section must state."""

    title: str
    points: tuple[Point, ...]


class Said(NamedTuple):
    """A line of a briefing: the number of its section, the line, and the documents named as contradicting it."""

    section: int
    line: Line
    against: tuple[str, ...]


def read_briefing(text: str) -> list[Said]:
    r"""Return the lines of a briefing; those before the first heading are in section 0.

    >>> read_briefing("## 2\n- a: 5 [Bak] contradicted by [Bak (1950 edition)]")[0].against
    ('Bak (1950 edition)',)
    """
    found, section = [], 0
    for row in unfenced(text).splitlines():
        if (heading := _HEADING.match(row)) is not None:
            section = int(heading[1])
            continue
        against: tuple[str, ...] = ()
        if "ontradicted by" in row and len(row) < 12_000 and (match := _AGAINST.search(row)) is not None:
            against = tuple(
                dict.fromkeys(
                    title.strip() for part in re.findall(r"\[([^\[\]]+)\]", match[1]) for title in part.split(";")
                )
            )
            row = row[: match.start()]
        found += [Said(section, line, against) for line in read_report(row)]
    return found


def verify_briefing(text: str, sections: Sequence[Section]) -> Verdict:
    r"""Judge whether a briefing states each section's claims once, with support, and names what contradicts them.

    The ``score`` of any other briefing is (supported claims - other lines) / claims, times the citation precision,
    times the mean of 1 and the F1 of the contradictions named; at least 0.

    Args:
        text: The briefing, at most 40,000 characters and 400 lines.
        sections: What it must state, section 1 first.

    Returns:
        A verdict with the parts of `turnwise.verifiers.claims.verify_claims`, and ``coverage`` (mean over sections of
        their claim recall), ``redundancy`` (lines that repeat another / lines), ``conflict_recall`` and
        ``conflict_precision`` (of the contradictions named; 1 where there are none).

    >>> point = Point(Claim(("a",), ("5",), ("Bak",)), ("Bak (1950 edition)",))
    >>> verify_briefing("# 1\na: 5 [Bak] contradicted by [Bak (1950 edition)]", [Section("Profile", (point,))]).correct
    True
    >>> verify_briefing("# 1\na: 5 [Bak]", [Section("Profile", (point,))]).reason
    'a contradiction is not named'
    """
    if len(text) > MAX_CHARS:
        return wrong(f"the briefing is longer than {MAX_CHARS} characters")
    said = read_briefing(text)
    if not said or len(said) > MAX_LINES:
        return wrong(f"the briefing has {len(said)} lines; it must have 1 to {MAX_LINES}")
    stated: list[tuple[Said, Point]] = []
    coverage = []
    for number, section in enumerate(sections, 1):
        lines = [one for one in said if one.section == number]
        partners = paired_off(lines, section.points, _states)
        matched = [(one, section.points[at]) for one, at in zip(lines, partners, strict=True) if at is not None]
        stated += matched
        coverage.append(len(matched) / len(section.points))
    points = [point for section in sections for point in section.points]
    parts = _parts(said, stated, points) | {"coverage": sum(coverage) / len(coverage)}
    if all(value == 1.0 for name, value in parts.items() if name != "redundancy"):
        return right(said, parts)
    others = len(said) - len(stated)
    supported = round(parts["citation_recall"] * len(points))
    named = 2 * parts["conflict_recall"] * parts["conflict_precision"]
    named /= parts["conflict_recall"] + parts["conflict_precision"] or 1.0
    score = max(0, supported - others) / len(points) * parts["citation_precision"] * (1 + named) / 2
    return wrong(_reason(parts), said, min(score, 0.99), parts)


def _parts(said: Sequence[Said], stated: Sequence[tuple[Said, Point]], points: Sequence[Point]) -> dict[str, float]:
    supported = sum(not _keys(one.line.cited).isdisjoint(_keys(point.claim.sources)) for one, point in stated)
    borne = sum(len(_keys(one.line.cited) & _keys(point.claim.sources + point.claim.related)) for one, point in stated)
    citations = sum(len(_keys(one.line.cited)) for one in said)
    named = sum(len(_keys(one.against) & _keys(point.against)) for one, point in stated)
    claimed, known = sum(len(_keys(one.against)) for one in said), sum(len(point.against) for point in points)
    unique = {(one.section, one.line.label.casefold(), one.line.value.casefold()) for one in said}
    return {
        "claim_precision": len(stated) / len(said),
        "claim_recall": len(stated) / len(points),
        "citation_recall": supported / len(points),
        "citation_precision": borne / citations if citations else 0.0,
        "conflict_recall": named / known if known else 1.0,
        "conflict_precision": named / claimed if claimed else 1.0,
        "redundancy": 1 - len(unique) / len(said),
    }


def _reason(parts: dict[str, float]) -> str:
    if parts["claim_precision"] < 1:
        return "a line says again what another says" if parts["redundancy"] else "a line is not right"
    if parts["claim_recall"] < 1:
        return "something is missing"
    if parts["citation_recall"] < 1 or parts["citation_precision"] < 1:
        return "a citation does not support its claim" if parts["citation_precision"] else "there are no citations"
    return "a contradiction is not named" if parts["conflict_recall"] < 1 else "a document named contradicts nothing"


def _states(said: Said, point: Point) -> bool:
    """Return whether the line states the claim."""
    return any(exact_match(said.line.label, label) for label in point.claim.labels) and any(
        exact_match(said.line.value, value) for value in point.claim.values
    )


def _keys(titles: Sequence[str]) -> set[str]:
    """Return titles without case and spacing."""
    return {" ".join(title.casefold().split()) for title in titles}
