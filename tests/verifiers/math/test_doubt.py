r"""The last look at an answer that would be paid: what the sentence around it says; what is only posed or copied."""

import pytest

from turnwise.envs.data.grading import judge
from turnwise.verifiers.math import verify

HEDGED = [
    ("It is at least y=2x+3.", "y=2x+3"),
    ("See line y=2x+3.", "y=2x+3"),
    ("half of $y=2x+3$", "y=2x+3"),
    ("Vielleicht y=2x+3.", "y=2x+3"),
    ("There is a good chance that it is 8.", "8"),
    ("Write your answer like this: 8", "8"),
    ("The sum is x-2 and the product is x+2.", "x+2"),
    ("The train arrives at 4:8.", "8"),
    ("The answer is (6,31,-1) times", "(6,31,-1)"),
    ("e.g. E", "E"),
    ("$6 - 5i$?", "6-5i"),
    ("x=0 or y=0", "x=0"),
    ("Nowhere does it say that the answer is 8.", "8"),
    (r"\phantom{\boxed{\frac{1}{2}}}", r"\frac{1}{2}"),
    ("#### x-2\n<answer>x+2</answer>", "x+2"),
    (r"x > x\equiv 3 \pmod 7", r"x\equiv 3 \pmod 7"),
]
STATED = [
    ("So the largest possible value is 8, reached when x = 2 and y = 3.", "8"),
    ("Hence the average guess of the 3 friends is 80.", "80"),
    ("Number of packs = 12", "12"),
    ("Hence the line is y=2x+3.", "y=2x+3"),
    ("The total is **36**. I hope this helps!", "36"),
    ("So the answer is False.", "False"),
]
POSED = [
    (r"\sum_{k=1}^{10} k", "55"),
    (r"\gcd(12,18)", "6"),
    (r"\det\begin{pmatrix}1&2\\3&4\end{pmatrix}", "-2"),
    (r"\max(3,5)", "5"),
]
COPIED = [
    ("i^{2023}+i^{2024}", "1-i", "Evaluate $i^{2023} + i^{2024}$."),
    ("x^2-9", "(x+3)(x-3)", "Factor $x^2 - 9$."),
    (r"\frac{\frac{2}{x}+\frac{3}{x+1}}{1}", r"\frac{5x+2}{x(x+1)}", r"Add $\frac{2}{x} + \frac{3}{x+1}$."),
    ("y = 2x^2 + 8x + 3", "y = 2(x + 2)^2 - 5", "Find the vertex form of $y = 2x^2 + 8x + 3$."),
]
GIVEN = [
    ("3^{20}", "3^{20}", "Which is larger, $2^{30}$ or $3^{20}$?"),
    (r"\frac12", "0.5", r"Is it $\frac{1}{2}$ or $\frac{1}{3}$?"),
    (r"\sqrt{2}", "2^{1/2}", r"Which of $\sqrt{2}$ and $\sqrt{3}$ is it?"),
]


@pytest.mark.parametrize(("message", "gold"), HEDGED)
def test_hedged_answers_earn_nothing(message, gold):
    assert not verify(message, gold).correct


@pytest.mark.parametrize(("message", "gold"), STATED)
def test_stated_answers_are_paid(message, gold):
    assert verify(message, gold).correct


@pytest.mark.parametrize(("answer", "gold"), POSED)
def test_what_is_only_posed_is_no_answer(answer, gold):
    assert not verify(rf"\boxed{{{answer}}}", gold).correct
    assert verify(rf"\boxed{{{answer} = {gold}}}", gold).correct
    assert verify(rf"\boxed{{{answer}}}", answer).correct


@pytest.mark.parametrize(("answer", "gold", "question"), COPIED)
def test_copies_of_the_question_are_no_answer(answer, gold, question):
    assert verify(rf"\boxed{{{answer}}}", gold).correct
    assert not judge("math", rf"\boxed{{{answer}}}", gold, question).correct
    assert judge("math", rf"\boxed{{{gold}}}", gold, question).correct


@pytest.mark.parametrize(("answer", "gold", "question"), GIVEN)
def test_answers_that_the_question_offers_are_no_copies(answer, gold, question):
    assert judge("math", rf"\boxed{{{answer}}}", gold, question).correct
