"""Golds of several named values: each value beside its name, in rows, sentences and formulas, and no other ones."""

import pytest

from turnwise.verifiers.math import verify
from turnwise.verifiers.math.named_parts import parts_of

QUESTION = (
    "A club has 45 members, juniors and seniors. There are 5 more juniors than seniors. How many of each are there?"
)
GOLD = "juniors 25, seniors 20"
RIGHT = [
    "Let s be the number of seniors. Then 2s + 5 = 45, so s = 20.\n\nThe club has 25 juniors and 20 seniors.",
    "From 2s + 5 = 45 we get s = 20.\n\n- **Juniors:** 20 + 5 = **25**\n- **Seniors:** **20**\n\nThat is 45 in all.",
    "The seniors number 20, since 2s = 40, and the juniors therefore number 25. Both add up to the 45 members.",
    "We need $s + (s + 5) = 45$.\n\n$$\\text{Seniors} = \\frac{40}{2} = 20$$\n$$\\text{Juniors} = 20 + 5 = 25$$",
    "Taking off the 5 leaves 40 members in two equal groups. So there are 20 seniors and 25 juniors, 45 together.",
]
WRONG = [
    "Let s be the number of seniors. Then 2s + 5 = 45, so s = 20.\n\nThe club has 20 juniors and 25 seniors.",
    "From 2s + 5 = 45 we get s = 20.\n\n- **Juniors:** 20 - 5 = **15**\n- **Seniors:** **20**\n\nThat is 35 in all.",
    "The club has 25 juniors and 20 seniors, or it has 20 juniors and 25 seniors.",
    "The club has 30 juniors and 15 seniors. The club has 25 juniors and 20 seniors.",
    "The club has 25 juniors and 20 seniors. The club has 30 juniors and 15 seniors.",
    "If the club had 25 juniors and 20 seniors, the sum would be right.",
    "It might have 25 juniors and 20 seniors, but I am not sure.",
    "The club has 25 juniors and 20 seniors. Wait, that is wrong, as 25 is not 6 more than 20.",
    "There are 25 seniors and 20 juniors.",
    "Juniors: 30\nSeniors: 15\n\nJuniors: 25\nSeniors: 20",
    "Juniors: 25. Seniors: 20. Both of these are guesses.",
    "There are 25 juniors and 20 seniors. In fact there are 30 of the former and 15 of the latter.",
    "- Juniors: 25\n- Seniors: 20\n\nSo the answer is 30 and 15.",
    "There are 25 juniors. How many seniors there are, I leave to you.",
]


@pytest.mark.parametrize("message", RIGHT)
def test_each_value_beside_its_name(message):
    assert verify(message, GOLD, question=QUESTION).correct


@pytest.mark.parametrize("message", WRONG)
def test_other_values_or_none(message):
    assert not verify(message, GOLD, question=QUESTION).correct


@pytest.mark.parametrize(
    "gold", ["x = 2, y = -1", "(3, 4), (5, 6)", "12, 15", "no solution", "$1,250", "Ann, Ben", "B"]
)
def test_other_golds_have_no_named_parts(gold):
    assert parts_of(gold) == []


def test_parts_with_units_pairs_and_equations():
    assert [part.value.text for part in parts_of("center (-5, 2), radius 7")] == ["(-5, 2)", "7"]
    assert [part.value.text for part in parts_of("focus (0, 1), directrix x = -4")] == ["(0, 1)", "x = -4"]
    assert [part.value.text for part in parts_of("flour 450 g, butter 1,300 g")] == ["450 g", "1,300 g"]
