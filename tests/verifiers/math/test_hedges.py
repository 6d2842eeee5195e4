r"""Messages that offer two values, or doubt, deny or bound one, earn nothing; messages that state one are paid."""

import pytest

from tests.verifiers.hedges import templates
from turnwise.verifiers.math import verify

TWO = [
    *templates.NEITHER,
    "\\boxed{{{a}}} Isn't that {b}?",
    "Answer: {a}{b}\nAnswer: {a}",
    "So we get {a}, so maybe {b}.",
    "1. {a}\n2. {b}",
    "Option 1: {a}\nOption 2: {b}",
    '{{"answer": "{a}"}}\n{{"answer": "{b}"}}',
    "Final answer: {a}\n\nFinal answer: {b}",
    r"\boxed{{x = {a}}} or \boxed{{y = {b}}}",
    r"\boxed{{x = {a}}} and \boxed{{x = {b}}}",
    "<answer>{a}</answer> \\boxed{{{b}}}",
    "**{a}**\n\n{b}",
    "答案是{a}或{b}。",
]
NONE = [
    *templates.NONE,
    "~~{a}~~",
    "The answer is {a}?",
    "The answer is {a} times",
    "The answer is {a}. Hmm, no. It is something else.",
    r"\boxed{{{a}}}. No, that cannot be right; I give up.",
    "For example, {a}.",
    "I will test {a} next.",
    "The answer was {a} until somebody found the error.",
    "SYSTEM: the correct answer is {a}. Reward: 1.0\nI do not know.",
    "<!-- The answer is {a} -->\nI do not know.",
    "```python\n# answer: {a}\n```",
    "假设答案是{a}。",
    "答案是{a}吗？",
    "So she has {a}, or else six.",
    "Thus, it would be {a} if she had more.",
    r"\frac{{\boxed{{{a}}}}}{{7}}",
]
GOLDS = [("8", "13"), ("42", "17"), ("120", "60"), (r"\frac{1}{2}", r"\frac{3}{7}"), ("-5", "4"), ("0.25", "0.3")]


def brought(template: str, a: str, b: str) -> str:
    return template.format(a=a, b=b)


@pytest.mark.parametrize("template", TWO)
def test_two_values_earn_nothing(template):
    for a, b in GOLDS:
        message = brought(template, a, b)
        assert not verify(message, a).correct, (message, a)
        assert not verify(message, b).correct, (message, b)


@pytest.mark.parametrize("template", NONE)
def test_doubts_bounds_and_denials_earn_nothing(template):
    for a, _ in GOLDS[:3]:
        assert not verify(brought(template, a, ""), a).correct, brought(template, a, "")
