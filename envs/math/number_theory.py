"""NumberTheory: divisors, factors, powers and inverses modulo m, bases, digits.

Source: elementary number theory; kinds after the arithmetic families of reasoning-gym (arXiv 2505.24760).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, get_args

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.math._numbers import (
    DIGITS,
    SMALL_PRIMES,
    from_base,
    in_base,
    is_prime,
    next_prime,
    num_divisors,
    parse_factors,
)
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_integer

Kind = Literal["gcd", "lcm", "factor", "power", "inverse", "base", "digits", "divisors"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_ANSWER_CHARS = 300


@dataclass(frozen=True)
class Task:
    """A kind of question, its numbers, and the prime factors, in order, of a number to factor."""

    kind: Kind
    numbers: tuple[int, ...]
    primes: tuple[int, ...] = field(default=(), compare=False)


@register("NumberTheory-v0")
class NumberTheory(Env[Task]):
    """Answer a question about divisors, primes, remainders or digits; reward 1 for the right number or factorisation.

    Chance: the commonest number of divisors is right one time in ten at the first levels, where ``kind="divisors"`` is
    played alone; no other kind has an answer more common than one in twenty.
    """

    kind: Literal["mixed", "gcd", "lcm", "factor", "power", "inverse", "base", "digits", "divisors"] = "mixed"
    """gcd, lcm, factor (into primes), power (modulo m), inverse (modulo m), base (conversion), digits (the sum of four
    times as many as below), divisors (how many), or mixed: any of them."""
    digits: Annotated[int, Range(3, 18)] = 5
    """About how long the numbers are."""

    levels = tuple({"digits": n} for n in (3, 4, 5, 6, 7, 8, 9, 11, 13, 16))
    chance = (0.005, 0.003, 0.001, 0.002, 0.001, 0.001, 0.001, 0.0, 0.0, 0.0)
    chance_default = 0.002
    cheats = (
        lambda env: f"<answer>{'*'.join(map(str, env.task.numbers))}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9]} or 1</answer>",
        lambda env: f"<answer>1*{env.oracle()[8:-9]}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9]}</answer> <answer>{env.oracle()[8:-9]}0</answer>",
        lambda env: f"<answer>gcd({', '.join(map(str, env.task.numbers))})</answer>",
        "<answer>pow(2, 10**9)</answer>",
        "<answer>2^999*3^999</answer>",
    )

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.of(iter(rng.random(24 + 4 * self.digits).tolist()).__next__)
        kind: Kind = draw.choice(KINDS) if self.kind == "mixed" else self.kind
        numbers: tuple[int, ...] = getattr(self, f"_{kind}")(draw)
        return Task(kind, (math.prod(numbers),), numbers) if kind == "factor" else Task(kind, numbers)

    def _number(self, draw: Draw, digits: int) -> int:
        """A number of that many digits, spread evenly over its logarithm."""
        return int(float(10 ** (digits - 1 + draw.unit())))

    def _gcd(self, draw: Draw) -> tuple[int, ...]:
        shared = 5 + int(10 ** (self.digits * (0.3 + 0.3 * draw.unit())))
        rest = max(2, (self.digits + 1) // 2)
        a, b = (self._number(draw, rest) for _ in range(2))
        return (shared * a, shared * (b if a != b else b + 1))

    def _lcm(self, draw: Draw) -> tuple[int, ...]:
        shared = 2 + int(10 ** (draw.unit() * self.digits / 3))
        rest = max(2, self.digits // 3)
        a, b = (self._number(draw, rest) for _ in range(2))
        return (shared * a, shared * (b if a != b else b + 1))

    def _factor(self, draw: Draw) -> tuple[int, ...]:
        """Return the factors of a number, the largest about half as long as the number."""
        low, high, longest = 10 ** (self.digits - 1), 10**self.digits, self.digits / 2
        found, number = [], 1
        while number < low:  # no single prime reaches `low`, so there are at least two
            prime = next_prime(int(10 ** (draw.unit() * longest)))
            if number * prime >= high:
                prime = 2 + draw.below(2)  # 2 or 3 fits: number < low = high / 10
            found.append(prime)
            number *= prime
        return tuple(sorted(found))

    def _power(self, draw: Draw) -> tuple[int, ...]:
        modulus = 31 + int(10 ** max(2.0, self.digits / 2 * (1 + draw.unit()) / 1.5))
        return (2 + draw.below(modulus - 3), self._number(draw, max(2, self.digits // 2 + 1)), modulus)

    def _inverse(self, draw: Draw) -> tuple[int, ...]:
        modulus = 31 + int(10 ** max(2.0, self.digits / 2 * (1 + draw.unit()) / 1.5))
        number = 2 + draw.below(modulus - 3)
        while math.gcd(number, modulus) != 1:  # ends at modulus - 1 at the latest
            number += 1
        return (number, modulus)

    def _base(self, draw: Draw) -> tuple[int, ...]:
        bases = (2, 3, 5, 7, 8, 9, 10, 12, 16, 20, 36)
        start = draw.below(len(bases))
        end = (start + 1 + draw.below(len(bases) - 1)) % len(bases)
        return (self._number(draw, self.digits), bases[start], bases[end])

    def _digits(self, draw: Draw) -> tuple[int, ...]:
        number = draw.integer(1, 9)
        for _ in range(4 * self.digits - 1):
            number = 10 * number + draw.below(10)
        return (number,)

    def _divisors(self, draw: Draw) -> tuple[int, ...]:
        """Return a number with many small factors, so that its divisors take some counting."""
        number, high = 1, 10 ** (self.digits + 4)
        while True:
            prime = SMALL_PRIMES[int(draw.unit() ** 2 * min(len(SMALL_PRIMES), 4 + self.digits // 2))]
            if number * prime >= high:
                return (number,)
            number *= prime

    def identity(self, task: Task) -> object:
        symmetric = task.kind in ("gcd", "lcm")
        return task.kind, tuple(sorted(task.numbers)) if symmetric else task.numbers

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        form = "Answer with a whole number N, in the form <answer>N</answer>."
        a, b, c = (*self.task.numbers, 0, 0)[:3]
        match self.task.kind:
            case "gcd":
                return f"What is the greatest common divisor of {a} and {b}? {form}"
            case "lcm":
                return f"What is the least common multiple of {a} and {b}? {form}"
            case "factor":
                return f"Write {a} as a product of prime numbers. For 56, the answer would be <answer>2^3 * 7</answer>."
            case "power":
                return f"What is the remainder when {a}^{b} is divided by {c}? {form}"
            case "inverse":
                return (
                    f"Which number from 1 to {b - 1}, multiplied by {a}, leaves remainder 1 when divided by {b}? {form}"
                )
            case "base":
                digits = f" Digits from 10 on are written a-{DIGITS[max(b, c) - 1]}." if max(b, c) > 10 else ""
                return (
                    f"Convert {in_base(a, b)} from base {b} to base {c}.{digits} Answer with the digits only, in the "
                    "form <answer>...</answer>."
                )
            case "digits":
                return f"What is the sum of the digits of {a}? {form}"
            case "divisors":
                return f"How many positive divisors does {a} have, including 1 and itself? {form}"

    def value(self) -> int:
        """Return the right number, computed from the question; for ``factor`` and ``base``, the number itself."""
        a, b, c = (*self.task.numbers, 0, 0)[:3]
        match self.task.kind:
            case "gcd":
                return math.gcd(a, b)
            case "lcm":
                return math.lcm(a, b)
            case "power":
                return pow(a, b, c)
            case "inverse":
                return pow(a, -1, b)
            case "digits":
                return sum(map(int, str(a)))
            case "divisors":
                return num_divisors(a)
            case _:
                return a

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(problem.capitalize() + ".", invalid=True)
        if len(text) > MAX_ANSWER_CHARS:
            return Reply(f"The answer is longer than {MAX_ANSWER_CHARS} characters.", invalid=True)
        text = text.strip("$ ").rstrip("$. ")
        if self.task.kind == "factor":
            return self._judge_factors(text)
        if self.task.kind == "base":
            number = from_base(text, self.task.numbers[2])
        else:  # a quotient would leave the division to the verifier
            number = None if "/" in text or "frac" in text else parse_integer(text)
        if number is None:
            return Reply(f"{text[:40]!r} is not a number in the requested form.", invalid=True)
        return Reply("Correct.", solved=True) if number == self.value() else Reply(f"Wrong: it is not {text}.")

    def _judge_factors(self, text: str) -> Reply:
        goal = self.task.numbers[0]
        left, equals, right = text.partition("=")
        found = parse_factors(right if equals and left.strip() == str(goal) else text)
        if found is None:
            return Reply("That is not a product of numbers. Write it like 2^3 * 7.", invalid=True)
        product = 1
        for number, power in found:
            if number < 2 or power < 1:
                return Reply(f"{number}^{power} is not a power of a prime.")
            if power * (number.bit_length() - 1) > goal.bit_length():
                return Reply(f"The product is greater than {goal}.")
            product *= number**power
        if product != goal:
            return Reply(
                f"The product is {product}, not {goal}." if product < 10**40 else f"The product is not {goal}."
            )
        composite = next((number for number, _ in found if not is_prime(number)), None)
        return Reply(f"{composite} is not prime.") if composite else Reply("Correct.", solved=True)

    def oracle(self) -> str:
        if self.task.kind == "factor":
            powers = Counter(self.task.primes).items()
            return f"<answer>{' * '.join(f'{p}^{k}' if k > 1 else str(p) for p, k in powers)}</answer>"
        if self.task.kind == "base":
            return f"<answer>{in_base(self.task.numbers[0], self.task.numbers[2])}</answer>"
        return f"<answer>{self.value()}</answer>"

    def paraphrases(self) -> Sequence[str]:
        text = self.oracle()[8:-9]
        if self.task.kind == "factor":
            return (
                " × ".join(map(str, reversed(self.task.primes))),
                f"\\boxed{{{text.replace('*', chr(92) + 'cdot')}}}",
                f"<answer>{self.task.numbers[0]} = {text.replace('^', '**')}</answer>",
                f"<answer>${text.replace('^2', '^{2}')}$.</answer>",
            )
        if self.task.kind == "base":
            return (text, f"\\boxed{{{text.upper()}}}", f"<answer>{text}_{self.task.numbers[2]}</answer>")
        return (text, f"It is \\boxed{{{text}}}.", f"<answer>{int(text):,}</answer>", f"<answer>${text}$</answer>")

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        numbers, kind = self.task.numbers, self.task.kind
        if kind == "factor":
            return f"<answer>{' * '.join(str(p) for p in rng.choice(SMALL_PRIMES, size=3).tolist())}</answer>"
        if kind == "base":
            width = len(in_base(numbers[0], numbers[2]))
            return f"<answer>{''.join(DIGITS[i] for i in rng.integers(numbers[2], size=width).tolist())}</answer>"
        high = {"gcd": numbers[0] // 10, "lcm": math.prod(numbers), "digits": 36 * self.digits, "divisors": 60}
        return f"<answer>{1 + int(rng.random() * high.get(kind, numbers[-1] - 1))}</answer>"
