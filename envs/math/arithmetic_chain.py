"""ArithmeticChain: work out an expression of several numbers exactly.

Source: after the arithmetic families of reasoning-gym (arXiv 2505.24760) and InternBootcamp (arXiv 2508.08636).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_rational

MAX_DENOMINATOR = 10**4
MAX_DIGITS = 24
MAX_DIVISOR = 12


@dataclass(frozen=True)
class Task:
    """The expression as shown, and its value as ``a`` or ``a/b`` in lowest terms."""

    expression: str
    value: str = field(compare=False)


@register("ArithmeticChain-v0")
class ArithmeticChain(Env[Task]):
    """Compute the value of an arithmetic expression; reward 1 for the exact integer, decimal or fraction."""

    num_terms: Annotated[int, Range(2, 30)] = 5
    """How many numbers the expression has."""
    depth: Annotated[int, Range(0, 6)] = 1
    """How deeply parentheses may be nested; 0 means none."""
    digits: Annotated[int, Range(1, 6)] = 2
    """The most digits a number has before its decimal point."""
    operations: str = "+-*"
    """The operators: a string of some of ``+-*/``. Divisors are integers from 2 to 12."""
    decimals: Annotated[int, Range(0, 4)] = 0
    """The most digits a number has after its decimal point."""
    negative: bool = False
    """Whether numbers may be negative, as in ``3 - (-5)``."""

    levels = tuple(
        {"num_terms": n, "depth": d, "digits": k, "operations": o, "decimals": f, "negative": s}
        for n, d, k, o, f, s in [
            (3, 0, 2, "+-", 0, False), (3, 0, 3, "+-", 0, False), (4, 1, 2, "+-*", 0, False),
            (5, 1, 2, "+-*", 0, True), (6, 2, 2, "+-*/", 0, True), (7, 2, 2, "+-*/", 1, True),
            (8, 3, 3, "+-*/", 1, True), (10, 3, 3, "+-*/", 2, True), (13, 4, 3, "+-*/", 2, True),
            (16, 5, 4, "+-*/", 2, True),
        ]
    )  # fmt: skip
    own_wordings = ("reworded", "terse")
    chance = (0.004, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.001
    cheats = (
        lambda env: f"<answer>{env.task.value} or {env.task.value}1</answer>",
        lambda env: f"<answer>{env.task.value} = {env.task.value}1</answer>",
        lambda env: f"<answer>{env.task.expression}</answer>",
        lambda env: f"<answer>{env.task.expression} = {env.task.expression}</answer>",
        lambda env: f"<answer>({env.task.value})*1</answer>",
        lambda env: " ".join(map(str, range(-60, 60))),
        "<answer>__import__('os').getpid()</answer>",
    )

    def check(self) -> None:
        if not self.operations or set(self.operations) - set("+-*/"):
            raise SettingsError(f"operations is {self.operations!r}; it must be some of '+-*/'")
        if not set(self.operations) - {"/"}:
            raise SettingsError("operations is '/'; add one of '+-*'")

    def generate(self, rng: np.random.Generator) -> Task:
        for _ in range(2000):
            draw = Draw.of(iter(rng.random(16 * self.num_terms).tolist()).__next__)
            text, value = self._chain(self.num_terms, self.depth, draw)
            if self.num_terms == 2 and " / " in text and "." not in text:
                continue  # 12 / 4 is a fraction: it would be its own answer
            if value is not None and value.denominator <= MAX_DENOMINATOR and abs(value) < 10**MAX_DIGITS:
                return Task(text, str(value))
        raise SettingsError(
            f"num_terms={self.num_terms}, digits={self.digits}, decimals={self.decimals} with operations="
            f"{self.operations!r} make values too long to write; lower one of them"
        )

    def _chain(self, num_terms: int, depth: int, draw: Draw) -> tuple[str, Fraction]:
        """Return a flat chain of numbers and bracketed chains: its text, and its value by the usual precedence."""
        texts: list[str] = []
        total, product = Fraction(0), Fraction(0)  # value so far = total + product
        left = num_terms
        while left:
            op = draw.choice(self.operations) if texts else "+"
            size = 1
            if depth and left > 1 and op != "/" and num_terms > 2 and draw.unit() < 0.5:
                size = 2 + draw.below(min(left, num_terms - 1) - 1)
            left -= size
            if size > 1:
                inner, value = self._chain(size, depth - 1, draw)
                text = f"({inner})"
            elif op == "/":
                divisor = 2 + draw.below(MAX_DIVISOR - 1)
                text, value = str(divisor), Fraction(divisor)
            else:
                text, value = self._number(draw)
            if op in "+-":
                total, product = total + product, value if op == "+" else -value
            else:
                product = product * value if op == "*" else product / value
            texts.append(f"{op} {text}" if texts else text)
        return " ".join(texts), total + product

    def _number(self, draw: Draw) -> tuple[str, Fraction]:
        digits = draw.integer(1, self.digits) if draw.unit() < 0.3 else self.digits
        decimals = draw.below(self.decimals + 1) if self.decimals else 0
        low, high = 10 ** (digits - 1), 10**digits
        number = (low + draw.below(high - low)) * 10**decimals
        if decimals:
            number += 1 + draw.below(10**decimals - 1)
        value = Fraction(number, 10**decimals)
        text = f"{number // 10**decimals}.{number % 10**decimals:0{decimals}d}" if decimals else str(number)
        return (f"(-{text})", -value) if self.negative and draw.unit() < 0.25 else (text, value)

    def begin(self) -> str:
        return (
            f"Compute the exact value of this expression: {self.task.expression}\n* and / take precedence over + and "
            "-. Answer with an integer, an exact decimal or a fraction a/b, for example <answer>-5/13</answer>."
        )

    def reworded(self, wording: str) -> str:
        expression = self.task.expression
        if wording == "terse":
            return (
                f"{expression} = ?\nExact value, with * and / before + and -, as an integer, a decimal or a fraction "
                "a/b: <answer>-5/13</answer>, for example."
            )
        return (
            f"What is the value of the following expression, exactly? {expression}\nMultiplication (*) and division "
            "(/) come before addition (+) and subtraction (-). Write the value as an integer, an exact decimal or a "
            "fraction a/b. An example of the form: <answer>-5/13</answer>."
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(problem.capitalize() + ".", invalid=True)
        left, equals, right = text.rpartition("=")
        value = parse_rational(right)
        if value is None or (equals and not self._restates(left, value)):
            return Reply("That is not a single number. Write, for example, 12, -3.5 or 7/4.", invalid=True)
        if value != Fraction(self.task.value):
            return Reply(f"Wrong: {right.strip()} is not the value of the expression.")
        return Reply("Correct.", solved=True)

    def _restates(self, text: str, value: Fraction) -> bool:
        """Return whether the left side is the expression itself, or the same number written differently."""
        if len(text) > 4 * len(self.task.expression) + 100:
            return False
        for other, sign in (("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("×", "*"), ("÷", "/"), ("−", "-")):
            text = text.replace(other, sign)
        return "".join(text.split()) == self.task.expression.replace(" ", "") or parse_rational(text) == value

    def oracle(self) -> str:
        return f"<answer>{self.task.value}</answer>"

    def paraphrases(self) -> Sequence[str]:
        text = self.task.value
        top, slash, bottom = text.partition("/")
        boxed = f"\\frac{{{top}}}{{{bottom}}}" if slash else f"{int(top):,}"
        double = f"{2 * int(top)}/{2 * int(bottom)}" if slash else f"{text}.0"
        return (
            text,
            f"So it is \\boxed{{{boxed}}}.",
            f"<answer>{double}</answer>",
            f"<think>or <answer>0</answer>?</think><answer>{self.task.expression} = {text}</answer>",
            f"<answer>${text.replace('-', '−')}$</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        top = 10**self.digits
        return f"<answer>{int(rng.integers(-top, top, endpoint=True))}</answer>"
