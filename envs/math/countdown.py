"""Countdown: combine the given numbers with + - * / to make the target.

Source: the numbers round of the television game; as a reasoning task for RL, TinyZero (Pan et al., 2025).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.arithmetic import ExpressionError, evaluate
from turnwise.verifiers.extract import final_answer


@dataclass(frozen=True)
class Task:
    """Numbers to combine, the target value, and one solution."""

    numbers: tuple[int, ...]
    target: int
    solution: str = field(compare=False)


@register("Countdown-v0")
class Countdown(Env[Task]):
    """Combine numbers with + - * /; reward 1 for an expression that uses each exactly once and equals the target."""

    num_numbers: Annotated[int, Range(3, 9)] = 4
    """How many numbers are given."""
    max_number: Annotated[int, Range(4, 1000)] = 25
    """The largest of them; they start at 1."""
    max_target: Annotated[int, Range(10, 10_000)] = 100
    """The largest target; it is at least 1 and never one of the given numbers."""

    levels = tuple(
        {"num_numbers": n, "max_number": m, "max_target": t}
        for n, m, t in [
            (3, 12, 60), (3, 25, 100), (4, 10, 50), (4, 25, 100), (4, 50, 200),
            (5, 25, 100), (5, 50, 500), (6, 50, 500), (7, 100, 1000), (8, 100, 1000),
        ]
    )  # fmt: skip
    own_wordings = ("reworded", "terse")
    chance = (0.047, 0.041, 0.018, 0.012, 0.009, 0.004, 0.002, 0.0, 0.0, 0.0)
    chance_default = 0.015
    cheats = (
        lambda env: f"<answer>{env.task.target}</answer>",
        lambda env: f"<answer>{env.task.target} + 0*({'+'.join(map(str, env.task.numbers))})</answer>",
        lambda env: f"<answer>{env.task.solution} + 0</answer>",
        lambda env: f"<answer>{env.task.solution} = {env.task.target} or 1 + 1</answer>",
        lambda env: f"<answer>{env.task.target}e0 + 0e0*({'+'.join(map(str, env.task.numbers))})</answer>",
        "<answer>__import__('os').system('id')</answer>",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        n, top = self.num_numbers, self.max_number
        for _ in range(10_000):
            draws: list[float] = rng.random(5 * n).tolist()
            numbers = [1 + int(u * top) for u in draws[:n]]
            found = self._combine(numbers, draws[n : 4 * n])
            if found is not None and found[1] not in numbers:
                shown = [number for _, number in sorted(zip(draws[4 * n :], numbers, strict=True))]
                return Task(tuple(shown), found[1], found[0])
        raise SettingsError(f"no target up to max_target={self.max_target} was found; raise it")

    def _combine(self, numbers: list[int], draws: list[float]) -> tuple[str, int] | None:
        """Return a random expression over the numbers whose value is a target, if these draws make one."""
        parts: list[tuple[str, int]] = [(str(n), n) for n in numbers]  # values stay whole and >= 0
        limit = 100 * self.max_target
        for i in range(3, 3 * len(numbers), 3):
            left = parts.pop(int(draws[i] * len(parts)))
            right = parts.pop(int(draws[i + 1] * len(parts)))
            sign = "+-*/"[int(draws[i + 2] * 4)]
            a, b = left[1], right[1]
            if sign == "/" and (b == 0 or a % b):
                sign = "*"
            if sign == "-" and a < b:
                left, right, a, b = right, left, b, a
            value = a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a // b
            if value > limit:
                return None
            parts.append((f"({left[0]} {sign} {right[0]})", value))
        text, value = parts[0]
        return (text[1:-1], value) if 1 <= value <= self.max_target else None

    def identity(self, task: Task) -> object:
        return tuple(sorted(task.numbers)), task.target  # the order shown does not change the problem

    def begin(self) -> str:
        return (
            f"Make {self.task.target} from the numbers {', '.join(map(str, self.task.numbers))}. Use each "
            "number exactly once, with + - * / and parentheses; intermediate results may be negative or fractions. "
            "Answer with one expression, in the form <answer>(a + b) * c</answer>."
        )

    def reworded(self, wording: str) -> str:
        numbers, target = ", ".join(map(str, self.task.numbers)), self.task.target
        if wording == "terse":
            return (
                f"{numbers} -> {target}. Each number exactly once; + - * / and parentheses; intermediate results may "
                "be negative or fractions. One expression: <answer>(a + b) * c</answer>."
            )
        return (
            f"These numbers are given: {numbers}. Write an arithmetic expression whose value is {target}. Every number "
            "must occur in it exactly once, joined by +, -, * or / and grouped by parentheses as you like; on the way "
            "there may be negative numbers and fractions. Give one expression, in the form "
            "<answer>(a + b) * c</answer>."
        )

    def respond(self, action: str) -> Reply:
        answer = final_answer(action)
        if answer.text is None:
            return Reply(answer.problem.capitalize() + ".", invalid=True)
        expression, equals, claim = answer.text.partition("=")
        if expression.strip() == str(self.task.target) and equals:  # 24 = 4 * 6
            expression, claim = claim, expression
        try:
            value, used = evaluate(expression)
            if equals and evaluate(claim)[0] != value:
                return Reply(f"{expression.strip()} equals {value}, not what you wrote after the equals sign.")
        except ExpressionError as error:
            return Reply(f"That is not a valid expression: {error}.", invalid=True)
        if Counter(used) != Counter(self.task.numbers):
            return Reply(f"That uses {used}; use each of {list(self.task.numbers)} exactly once.")
        if value != self.task.target:
            return Reply(f"That equals {value}, not {self.task.target}.")
        return Reply("Correct.", solved=True)

    def oracle(self) -> str:
        return f"<answer>{self.task.solution}</answer>"

    def paraphrases(self) -> Sequence[str]:
        text = self.task.solution
        return (
            text,
            f"\\boxed{{{text.replace('*', chr(92) + 'times')}}}",
            f"<think>hm <answer>1</answer></think><answer>({text}) = {self.task.target}</answer>",
            f"<answer>{text.replace('*', '×').replace('/', '÷').replace('-', '−')}</answer>",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        text = " ".join(f"{n} {'+-*/'[int(rng.integers(4))]}" for n in rng.permutation(self.task.numbers).tolist())
        return f"<answer>{text[:-2]}</answer>"
