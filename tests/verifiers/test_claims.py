"""Reports of claims with citations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnwise.verifiers.claims import Claim, Line, read_report, verify_claims

AUTHOR = Claim(("1", "the author"), ("Ann Lee", "A. Lee"), ("The Tower", "Ann Lee"), ("Works",))
YEAR = Claim(("2",), ("1890",), ("The Tower",))
UNBORNE = "a citation does not support its claim"
RIGHT = "1: Ann Lee [Ann Lee]\n2: 1890 [The Tower]"


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        "2: 1890 [The Tower]\n1: Ann Lee [Ann Lee]",
        "- the author: A. Lee [the tower]\n* 2: 1,890 [The  Tower].",
        "```\n1: ann lee [The Tower; Works]\n\n2: 1890 [The Tower]\n```",
        '1. Ann Lee [[The Tower]]\n2) 1890 ["The Tower"]',
        "1: Ann Lee [Ann Lee] [Works]\n2: 1890 [The Tower]\n2: 1890 [The Tower]",
    ],
)
def test_right_reports(text: str) -> None:
    verdict = verify_claims(text, [AUTHOR, YEAR])
    assert verdict.correct, verdict
    assert verdict.score == 1.0
    assert set((verdict.parts or {}).values()) == {1.0}


@pytest.mark.parametrize(
    ("text", "reason", "score", "parts"),
    [
        # two lines of which one is right and supported: (1 - 1) / 2
        ("1: Ann Lee [Ann Lee]\n2: 1891 [The Tower]", "a line is not right", 0.0, (0.5, 0.5, 0.5, 0.5)),
        ("1: Ann Lee [Ann Lee]", "something is missing", 0.5, (1.0, 0.5, 0.5, 1.0)),
        ("1: Ann Lee\n2: 1890", "there are no citations", 0.0, (1.0, 1.0, 0.0, 0.0)),
        ("1: Ann Lee [Works]\n2: 1890 [The Tower]", UNBORNE, 0.5, (1, 1, 0.5, 1)),
        # three citations, one of a document that states nothing of it: 2/2 x 2/3
        ("1: Ann Lee [Ann Lee; Fog]\n2: 1890 [The Tower]", UNBORNE, 2 / 3, (1, 1, 1, 2 / 3)),
        (RIGHT + "\n2: 1891 [The Tower]", "a line is not right", 0.5 * 2 / 3, (2 / 3, 1, 1, 2 / 3)),
        ("Here it is\n" + RIGHT, "a line is not right", 0.5, (2 / 3, 1, 1, 1)),
        ("1: Ann Lee or Bob [Ann Lee]\n2: 1890 [The Tower]", "a line is not right", 0.0, (0.5, 0.5, 0.5, 0.5)),
        ("1: 1890 [The Tower]\n2: Ann Lee [Ann Lee]", "a line is not right", 0.0, (0, 0, 0, 0)),
        ("", "the report has 0 lines; it must have 1 to 200", 0.0, None),
        ("\n".join(f"{i}: y" for i in range(301)), "the report has 301 lines; it must have 1 to 200", 0.0, None),
        ("x" * 30_000, "the report is longer than 20000 characters", 0.0, None),
    ],
)  # fmt: skip
def test_wrong_reports(text: str, reason: str, score: float, parts: tuple[float, ...] | None) -> None:
    verdict = verify_claims(text, [AUTHOR, YEAR])
    assert not verdict.correct
    assert verdict.reason == reason
    assert verdict.score == pytest.approx(score)
    names = ("claim_precision", "claim_recall", "citation_recall", "citation_precision")
    assert verdict.parts == (parts and pytest.approx(dict(zip(names, parts, strict=True))))


def test_lines() -> None:
    assert read_report("a: b: c [d;e] [f].") == [Line("a: b", "c", ("d", "e", "f"))]
    assert read_report("no colon") == [Line("", "no colon", ())]
    assert read_report("[only a source]") == [Line("", "", ("only a source",))]


def test_claims_need_sources() -> None:
    with pytest.raises(ValueError, match="source"):
        verify_claims(RIGHT, [Claim(("1",), ("x",), ())])
    with pytest.raises(ValueError, match="there must be some"):
        verify_claims(RIGHT, [])


@given(
    st.lists(
        st.sampled_from(["1: ", "2: ", "Ann Lee", "1890", " [The Tower]", " [Fog]", "\n", "[", "]", "; "]), max_size=30
    )
)
def test_only_the_right_report_is_right(pieces: list[str]) -> None:
    verdict = verify_claims("".join(pieces), [AUTHOR, YEAR])
    lines = {line for line in "".join(pieces).split("\n") if line.strip()}
    assert 0 <= verdict.score <= 1
    assert verdict.correct == (verdict.score == 1.0)
    if verdict.correct:
        assert {line.split(" [")[0].strip() for line in lines} == {"1: Ann Lee", "2: 1890"}
        assert not any("Fog" in line for line in lines)
