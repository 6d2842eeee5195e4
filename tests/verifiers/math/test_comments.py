"""Sentences behind a conclusion that only comment on it, and those that do not."""

import pytest

from turnwise.verifiers.math import verify

COMMENTS = [
    "For comparison, the perimeter is 34 cm.",
    "Sure enough, 5 + 70 = 75.",
    "Numerically this is about 74.9.",
    "That's about 463 kilometers, in case you need it in metric units.",
    "That's just four short of 79!",
    "It's smaller than the product 120.",
    "The next multiple after it is 90.",
    "Equivalently, that's 1.25 hours of 60 minutes.",
]


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_comment_is_not_read_as_the_answer(comment):
    message = f"Filling 900 gallons takes 900 / 12 = 75 minutes. {comment}"
    assert verify(message, "75").correct
    for other in ("34", "463", "79", "4", "120", "90", "1.25", "74.9"):
        assert not verify(message, other).correct


@pytest.mark.parametrize(
    "comment",
    [
        "Sure enough, Ben has 80 apples.", "For reference, Ben has 80.", "By symmetry, x = 80.",
        "Equivalently, 80 apples.", "Plugging it back in, x = 80.",
        "That is the same as 80 apples.", "That's about 80.", "As a decimal, 80.", "Numerically, x = 80.",
        "For the record, it is 80.", "Incidentally, it is 80.", "In metric, it is 80.", "That's about 80, for example.",
    ],
)  # fmt: skip
@pytest.mark.parametrize("conclusion", ["Ben has 75 apples.", "x = 75.", "So the total is 75."])
def test_a_comment_that_states_another_value_does_not_leave_the_first_one_right(conclusion, comment):
    assert not verify(f"{conclusion} {comment}", "75").correct


@pytest.mark.parametrize(
    "message", ["It is 75. Or 80.", "It is 75. If zero counts, it would be 80.", "It is 75. Actually, it is 80."]
)
def test_another_offer_is_no_comment(message):
    assert not verify(message, "75").correct


@pytest.mark.parametrize(
    ("message", "gold"),
    [
        ("\\[\n4^5 = 4 \\cdot 256 = 1024\n\\]", "1024"),
        ("So\n\n\\[\nf'(x) = 5x^4 - 6x + 2\n\\]", "5x^4 - 6x + 2"),
        ("The flight lasts **4 hours 25 minutes**.", "4 hours 25 minutes"),
        ("r^3 = 27, so r = 3", "3"),
        ("The smallest prime number greater than 7 is **11**.", "11"),
        ("There are 7 prime numbers between 1 and 18.", "7"),
        ("The angle whose cosine is 1/2 is 60 degrees.", "60"),
        ("There are now 11 cars in the lot, 4 fewer than at the start.", "11"),
        ("With four workers it takes **7.5 hours**, assuming they all work at the same rate.", "7.5"),
        ("$$P(\\text{not blue}) = \\mathbf{\\frac{7}{12}}$$", "7/12"),
        ("令分母为零，解得 $x=3$ 或 $x=-3$。所以当 $x=3$ 或 $x=-3$ 时该式没有意义。", "x = \\pm 3"),
    ],
)
def test_small_words_of_real_answers_are_read(message, gold):
    assert verify(message, gold).correct
