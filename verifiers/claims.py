"""Judge reports of claims with citations: claims against the facts, citations against what their documents state.

A report is a list of lines ``what: value [source]``, or with several sources ``[source; source]``.

Source: citation recall and precision of ALCE (Gao et al., arXiv 2305.14627, section 4), with the entailment model
replaced by knowledge of what every document states.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from turnwise.verifiers.qa import exact_match
from turnwise.verifiers.structured.values import paired_off, unfenced
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["Claim", "Line", "read_report", "verify_claims"]

MAX_CHARS = 20_000
MAX_LINES = 200
MAX_CITED = 50
"""Maximum number of citations read per line; the text before them is the line's value."""
_BULLET = re.compile(r"(?:[-*•]\s+)")
_NUMBERED = re.compile(r"(\d{1,3})[.)]\s+(?=\S)")
_CITED = re.compile(r"\s*\[{1,2}([^\[\]]{1,1000})\]{1,2}\s*\.?\s*$")


@dataclass(frozen=True, slots=True)
class Claim:
    """A fact that a report must state.

    Attributes:
        labels: The subject, in all accepted forms.
        values: The required value, in all accepted forms.
        sources: The documents that state it; one of them must be cited.
        related: Documents that may also be cited.
    """

    labels: tuple[str, ...]
    values: tuple[str, ...]
    sources: tuple[str, ...]
    related: tuple[str, ...] = ()


class Line(NamedTuple):
    """A line of a report as written."""

    label: str
    value: str
    cited: tuple[str, ...]


def read_report(text: str) -> list[Line]:
    """Return the distinct lines of a report; the label of a line without a colon is the number that it begins with.

    >>> read_report("- author: Ann Lee [The Tower; Ann Lee]")
    [Line(label='author', value='Ann Lee', cited=('The Tower', 'Ann Lee'))]
    """
    lines: dict[Line, None] = {}
    for row in unfenced(text).splitlines():
        row = _BULLET.sub("", row.strip(), count=1).strip()
        cited: list[str] = []
        while len(cited) < MAX_CITED and (found := _CITED.search(row, max(0, len(row) - 1100))) is not None:
            cited = [part.strip(" \"'“”") for part in found[1].split(";") if part.strip()] + cited
            row = row[: found.start()]
        label, _, value = row.rpartition(": ") if ": " in row else row.rpartition(":")
        if not label and (numbered := _NUMBERED.match(row)) is not None:
            label, value = numbered[1], row[numbered.end() :]
        if row or cited:
            lines[Line(label.strip(), value.strip(), tuple(dict.fromkeys(cited)))] = None
    return list(lines)


def verify_claims(text: str, claims: Sequence[Claim]) -> Verdict:
    """Judge whether a report states all the claims, each with a supporting citation, and nothing else.

    The ``score`` of any other report is (supported claims - wrong lines) / claims, times the citation precision, at
    least 0.

    Args:
        text: The report, at most 20,000 characters and 200 lines.
        claims: The claims that it must state.

    Returns:
        A verdict with the parts ``claim_precision`` (right lines / lines), ``claim_recall`` (claims stated / claims),
        ``citation_recall`` (claims stated with a source of theirs / claims) and ``citation_precision`` (citations of a
        document that states the line's claim or is related / citations), each in [0, 1].

    Raises:
        ValueError: There are no claims, or one has no source.

    >>> claim = Claim(("author",), ("Ann Lee",), ("The Tower",))
    >>> verify_claims("author: Ann Lee [The Tower]", [claim]).correct
    True
    >>> verify_claims("author: Ann Lee [The Bridge]", [claim]).reason
    'a citation does not support its claim'
    """
    if not claims or not all(claim.labels and claim.values and claim.sources for claim in claims):
        raise ValueError(f"the claims are {str(list(claims))[:80]!r}; there must be some, each with a source")
    if len(text) > MAX_CHARS:
        return wrong(f"the report is longer than {MAX_CHARS} characters")
    lines = read_report(text)
    if not lines or len(lines) > MAX_LINES:
        return wrong(f"the report has {len(lines)} lines; it must have 1 to {MAX_LINES}")
    partners = paired_off(lines, claims, _states)
    stated = [(line, claims[at]) for line, at in zip(lines, partners, strict=True) if at is not None]
    supported = sum(not _keys(line.cited).isdisjoint(_keys(claim.sources)) for line, claim in stated)
    borne = sum(len(_keys(line.cited) & _keys(claim.sources + claim.related)) for line, claim in stated)
    citations = sum(len(_keys(line.cited)) for line in lines)
    parts = {
        "claim_precision": len(stated) / len(lines),
        "claim_recall": len(stated) / len(claims),
        "citation_recall": supported / len(claims),
        "citation_precision": borne / citations if citations else 0.0,
    }
    if all(value == 1.0 for value in parts.values()):
        return right(lines, parts)
    reason = (
        "a line is not right" if len(stated) < len(lines)
        else "something is missing" if len(stated) < len(claims)
        else "a citation does not support its claim" if citations
        else "there are no citations"
    )  # fmt: skip
    score = max(0, supported - (len(lines) - len(stated))) / len(claims) * parts["citation_precision"]
    return wrong(reason, lines, min(score, 0.99), parts)


def _states(line: Line, claim: Claim) -> bool:
    """Return whether the line states the claim."""
    return any(exact_match(line.label, label) for label in claim.labels) and any(
        exact_match(line.value, value) for value in claim.values
    )


def _keys(titles: Sequence[str]) -> set[str]:
    """Return titles without case and spacing."""
    return {" ".join(title.casefold().split()) for title in titles}
