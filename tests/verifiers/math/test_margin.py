"""Golds that say which one and by how much: a message must say both, and nothing else."""

import pytest

from turnwise.envs.data.grading import grader_for
from turnwise.verifiers.math import verify

FARES = (
    "Depot North charges $4.50 a crate and a fee of $30, Depot South $6 a crate and no fee. For 24 crates, which depot"
    " is cheaper, and by how much?"
)
DEPOT = "Depot North, by $6"
AGES = "Iris is twice as old as Milo, and Nell is 4 years older than Milo. Who is the oldest, and how many years older?"


@pytest.mark.parametrize(
    "message",
    [
        "North: 24 · 4.50 + 30 = 138. South: 24 · 6 = 144.\n\n**Depot North is cheaper by $6.**",
        "It's $138 against $144, so Depot North saves you $6.",
        "Depot North comes out $6 cheaper ($138 instead of $144). Below 20 crates, Depot South is the cheaper one.",
        r"\[\boxed{\text{Depot North, by } \$6}\]",
        r"So \boxed{\text{Depot North is cheaper by } \$6}.",
        "Depot North is the cheaper one. The difference is 144 - 138 = 6 dollars.",
        "## Winner: Depot North, $6 less than Depot South",
        "You'd pay less at Depot North: with 24 crates you save 6 dollars compared with Depot South.",
    ],
)
def test_both_stated_is_right(message: str) -> None:
    assert verify(message, DEPOT, question=FARES).correct


@pytest.mark.parametrize(
    "message",
    [
        "Depot South is cheaper by $6.",
        "Depot North is cheaper by $8.",
        "Depot North is $6 more expensive than Depot South.",
        "Depot South beats Depot North by $6.",
        "Depot North loses by $6.",
        "Depot North is cheaper.",
        "The difference is $6.",
        "Depot North is cheaper by $6 or $8.",
        "Depot North or Depot South is cheaper by $6.",
        "Depot North is cheaper by $6.\nDepot South is cheaper by $6.",
        "Depot North is cheaper by $6 per crate.",
        "Depot North is cheaper by $6. Wait, no: Depot South is cheaper by $6.",
        "If Depot North is cheaper by $6, it is the one to take.",
        "Depot South is cheaper. The difference is $6. Depot North is cheaper.",
        "Is Depot North cheaper by $6?",
        "Perhaps Depot North is cheaper by $6.",
        "Depot North is $6 cheaper than Depot South; no, Depot South is.",
        "Depot North is nearly $6 cheaper.",
        "Depot North would be cheaper by $6 if it were open.",
        "Depot North is cheaper by $6 and $8.",
        "So it's either Depot North (by $6) or Depot South (by $8)!",
        r"\boxed{\text{Depot South, by } \$6}",
        r"\boxed{\text{Depot North, by } \$60}",
        r"\boxed{\text{Depot North or Depot South, by } \$6}",
        r"\boxed{\text{Depot North, by } \$6} or \boxed{\text{Depot South, by } \$6}",
    ],
)
def test_half_or_both_ways_is_wrong(message: str) -> None:
    assert not verify(message, DEPOT, question=FARES).correct


def test_names_and_units() -> None:
    assert verify(
        "Iris is the oldest; the gap to second-placed Nell is 9 years.", "Iris, by 9 years", question=AGES
    ).correct
    assert verify("The oldest is Iris, who is 9 years ahead of Nell.", "Iris, by 9 years", question=AGES).correct
    assert not verify("The oldest is Nell, who is 9 years ahead of Iris.", "Iris, by 9 years", question=AGES).correct
    assert not verify("Iris is the oldest, 9 months older than Nell.", "Iris, by 9 years", question=AGES).correct


def test_another_question_keeps_its_rules() -> None:
    assert not verify("Depot North is cheaper by $6.", DEPOT, question="Name a depot.").correct
    assert verify("He saves $6.", "$6", question="Which is cheaper is known; how much does he save?").correct


JARS = "A 750 g jar of honey costs $4.20, a 1.2 kg jar $6.60. Which jar is cheaper per kilogram, and by how much?"


@pytest.mark.parametrize(
    ("message", "right"),
    [
        ("That is $5.60 and $5.50 per kg. **The 1.2 kg jar is cheaper, by $0.10 per kilogram.**", True),
        ("That is $5.60 and $5.50 per kg. **The 750 g jar is cheaper, by $0.10 per kilogram.**", False),
        ("The 1.2 kg jar is cheaper, saving this person $0.10 per kilogram.", True),
        ("So it's either **the 1.2 kg jar (by $0.10)** or **the 750 g jar (by $0.05)**!", False),
    ],
)
def test_sizes_as_names(message: str, right: bool) -> None:
    assert verify(message, "the 1.2 kg jar, by $0.10 per kg", question=JARS).correct is right


def test_auto_judges_golds_of_several_parts_as_mathematics() -> None:
    found = {gold: grader_for(gold) for gold in ("Iris, by 9 years", "Mara 34, Joel 13", "Paris, 1900", "Apollo 11")}
    assert list(found.values()) == ["math", "math", "exact", "exact"]


@pytest.mark.parametrize(
    ("question", "gold", "message", "right"),
    [
        (
            "Who was faster, Kofi or Sven, and by how many seconds?",
            "Kofi, by 10 seconds",
            "Kofi was faster by 10 seconds.",
            True,
        ),
        (
            "Who was faster, Kofi or Sven, and by how many seconds?",
            "Kofi, by 10 seconds",
            "Kofi was slower by 10 seconds.",
            False,
        ),
        (
            "Which is warmer, Oslo or Rome, and by how many degrees?",
            "Rome, by 8 degrees",
            "Rome is warmer by 8 degrees.",
            True,
        ),
        (
            "Which is warmer, Oslo or Rome, and by how many degrees?",
            "Rome, by 8 degrees",
            "Rome is colder by 8 degrees.",
            False,
        ),
    ],
)
def test_the_direction_is_that_of_the_question(question: str, gold: str, message: str, right: bool) -> None:
    assert verify(message, gold, question=question).correct is right
