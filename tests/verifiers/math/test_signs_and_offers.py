"""Percent signs behind a blank, rates of percent, money beside a count."""

import pytest

from turnwise.verifiers.math import verify


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
@pytest.mark.parametrize(
    "message", ["The answer is 12{}% or 13{}%.", "It is 12{}% or about 13{}%.", "Answer: 12{}% or 13{}%"]
)
def test_what_stands_behind_a_percent_sign_is_read(message, blank):
    assert not verify(message.format(blank, blank), "12\\%").correct
    assert not verify(message.format(blank, blank), "13\\%").correct


@pytest.mark.parametrize("message", ["The answer is 8 apples % or 9 apples", "It is 8 kg % or 9 kg", "8. % or 9"])
def test_a_percent_sign_within_a_line_hides_nothing(message):
    assert not verify(message, "8").correct


def test_one_percentage_with_a_blank():
    assert verify("The answer is 12 % of the total.", "12\\%").correct
    assert verify("So 8 is the answer.\n% or 9", "8").correct  # a comment of TeX


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (r"\boxed{3.5\%\text{ per month}}", True),
        (r"\boxed{3.5\% \text{ a year}}", True),
        ("3.5% annually", True),
        (r"\boxed{5.3\%\text{ per month}}", False),
        (r"\boxed{3.5\text{ per cent of }40}", False),
    ],
)
def test_percent_with_its_period(answer, right):
    assert verify(answer, r"3.5\%").correct is right


QUESTION = "A stand has costs of $90 a day and earns $6 on each cake. How many cakes must it sell a day to break even?"


def test_an_amount_of_money_is_not_offered_as_a_count():
    message = r"We solve $6x = 90$, so $x = \boxed{{15}}$." + "\n\nIt must sell 15 cakes a day. Then {}."
    assert verify(message.format("costs and earnings are both $90"), "15", question=QUESTION).correct
    assert not verify(message.format("again, it could be either 15 or 16"), "15", question=QUESTION).correct


def test_a_chemical_formula_is_left_to_the_rules():
    question = "A compound has the empirical formula CH2 and a molar mass of 56 g/mol. What is its molecular formula?"
    message = (
        "The mass of CH₂ is 14 g/mol.\n\nSince 56/14 = 4, multiply each subscript by 4:\n\n**Molecular formula: {}**"
    )
    assert verify(message.format("C₄H₈"), r"\text{C}_4\text{H}_8", question=question).correct
    assert not verify(message.format("C₄H₁₀"), r"\text{C}_4\text{H}_8", question=question).correct


def test_two_values_of_one_formula():
    question = "Given that tan t = 3/4 and t is in the third quadrant, find cos t."
    message = "Since 1 + tan² t = 25/16, we know that cos² t = 16/25 and take the root.\n\n**Therefore, cos t = {}.**"
    assert verify(message.format("-4/5"), "-4/5", question=question).correct
    assert not verify(message.format("4/5 or cos t = -4/5"), "-4/5", question=question).correct
    assert not verify(message.format("-4/5 or cos t = 4/5"), "-4/5", question=question).correct


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (r"\boxed{2 \cdot 3^2 \cdot 11}", True),
        (r"\boxed{198 = 2 \times 3^2 \times 11}", True),
        (r"\boxed{11 \cdot 3 \cdot 3 \cdot 2}", True),
        (r"\boxed{2 \cdot 9 \cdot 11}", False),
        (r"\boxed{198 = 6 \times 33}", False),
        (r"\boxed{198}", False),
    ],
)
def test_a_prime_factorization_is_of_primes(answer, right):
    assert verify(answer, r"2 \cdot 3^2 \cdot 11", question="What is the prime factorization of 198?").correct is right
