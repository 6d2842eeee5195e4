"""Briefings: sections, support, repeated lines and contradictions."""

import pytest

from turnwise.verifiers.claims import Claim
from turnwise.verifiers.sections import Point, Section, read_briefing, verify_briefing

OLD = "Bak (1950 edition)"
A = Point(Claim(("a", "a)"), ("5,000", "5000"), ("Bak",)), (OLD,))
B = Point(Claim(("b",), ("Fes",), ("Bak",)))
NATIVE = Point(Claim(("Gor",), ("1890",), ("Gor",), ("Natives of Bak",)))
SECTIONS = [Section("Profile", (A, B)), Section("Natives", (NATIVE,))]
RIGHT = (
    f"## 1\na: 5,000 [Bak] contradicted by [{OLD}]\nb: Fes [Bak]\n\n"
    "## Section 2: Natives\n- Gor: 1890 [Gor; Natives of Bak]"
)


def test_a_complete_briefing() -> None:
    verdict = verify_briefing(RIGHT, SECTIONS)
    assert verdict.correct and verdict.parts is not None
    assert verdict.parts["coverage"] == verdict.parts["conflict_recall"] == 1.0 and verdict.parts["redundancy"] == 0.0
    assert [one.section for one in read_briefing(RIGHT)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (RIGHT.replace(f" contradicted by [{OLD}]", ""), "a contradiction is not named"),
        (RIGHT.replace(OLD, "Another"), "a contradiction is not named"),
        (RIGHT.replace("b: Fes [Bak]", "b: Fes [Bak] contradicted by [Gor]"), "a document named contradicts nothing"),
        (RIGHT.replace("b: Fes [Bak]", "b: Fes [Gor]"), "a citation does not support its claim"),
        (RIGHT.replace("b: Fes [Bak]\n", ""), "something is missing"),
        (RIGHT.replace("b: Fes [Bak]", "b: Fes [Bak]\nb: Fes [Bak]"), "a line says again what another says"),
        (RIGHT.replace("b: Fes", "b: Zar"), "a line is not right"),
        (RIGHT.replace("## Section 2: Natives\n", ""), "a line is not right"),  # in the wrong section
        (RIGHT.replace("## 1", "## 2").replace("## Section 2", "## Section 1"), "a line is not right"),
        ("## 1\n## 2", "the briefing has 0 lines; it must have 1 to 400"),
        ("a: b\n" * 500, "the briefing has 500 lines; it must have 1 to 400"),
        ("x" * 50_000, "the briefing is longer than 40000 characters"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    verdict = verify_briefing(text, SECTIONS)
    assert not verdict.correct and verdict.score < 1 and verdict.reason == reason


def test_partial_credit() -> None:
    """Two of three claims, and no contradiction named: half of two thirds."""
    text = "## 1\na: 5000 [Bak]\n## 2\nGor: 1890 [Gor]"
    verdict = verify_briefing(text, SECTIONS)
    assert verdict.parts is not None
    assert verdict.parts["coverage"] == 0.75 and verdict.parts["claim_recall"] == pytest.approx(2 / 3)
    assert verdict.score == pytest.approx(1 / 3)


def test_hostile_text_takes_no_time() -> None:
    for text in ("contradicted by [" * 2000, "## 1\n" + "[x] " * 9000, "# " * 15_000, "\u202e" * 9000, ""):
        assert not verify_briefing(text, SECTIONS).correct
