"""A stated option beside boxes of its working, one amount in two units, and clauses that only lead up to the value."""

import pytest

from turnwise.verifiers.math import verify

RIGHT = [
    ("The correct answer is (B).\n\nThe angles add up to 180, so $x = \\boxed{57}$.", "B"),
    ("Sure. The answer is **(C). 12**.\n\nThe root is 11.4, which rounds to $\\boxed{12}$.", "C"),
    ("2.5 h = 150 min", "150"),
    ("1.5 kg = 1500 g", "1500"),
    ("60 eggs make up 5 dozen, and since each dozen costs $3, you'd pay $15 altogether.", "15"),
    ("7 puppies were given away, leaving 5.\n\nTherefore, Alyssa had 12 puppies to start with.", "12"),
]
WRONG = [
    ("The correct answer is (B).\n\nThe angles add up to 180, so $x = \\boxed{57}$.", "57"),
    ("The correct answer is (B).\n\nSo it is $\\boxed{(C)}$.", "B"),
    ("The correct answer is (B) or (C). $\\boxed{57}$", "B"),
    ("2.5 h = 150 h", "150"),
    ("8 = 9", "9"),
    ("8 apples = 9 apples", "9"),
    ("60 eggs make up 5 dozen, and since each may cost $3 or $4, you'd pay $15.", "15"),
    ("I would start with 12.", "12"),
]


@pytest.mark.parametrize(("message", "gold"), RIGHT)
def test_right(message, gold):
    assert verify(message, gold).correct


@pytest.mark.parametrize(("message", "gold"), WRONG)
def test_wrong(message, gold):
    assert not verify(message, gold).correct
