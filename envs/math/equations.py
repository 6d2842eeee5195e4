"""Equations: solve a linear equation, a linear system, a grid of symbols with sums, or a quadratic.

Source: school algebra with planted roots, after the algebra families of reasoning-gym (arXiv 2505.24760); the grid of
symbols after KORGym's SquareAddition (arXiv 2505.14552).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal, get_args

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.math._values import parse_values
from turnwise.verifiers.extract import final_answer

Kind = Literal["linear", "system", "grid", "quadratic"]
KINDS: tuple[Kind, ...] = get_args(Kind)
NAMES = "xyzw"
SYMBOLS = "ABCD"


@dataclass(frozen=True)
class Task:
    """Equations in whole numbers and their roots.

    Attributes:
        kind: What ``rows`` mean. system: ``(a, b, ..., s)`` is ``ax + by + ... = s``. linear: ``(a, b, c, d, e)`` is
            ``a(x + b) + c = dx + e``. quadratic: ``(a, b, c, d, e)`` is ``ax² + bx + c = dx + e``. grid: as system,
            the sums of a grid's rows, then of its columns.
        rows: The coefficients.
        cells: The rows of symbols of a grid, as numbers of unknowns.
        roots: The value of each unknown, or both roots of a quadratic, as ``a`` or ``a/b``.
    """

    kind: Kind
    rows: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[int, ...], ...]
    roots: tuple[str, ...] = field(compare=False)


@register("Equations-v0")
class Equations(Env[Task]):
    """Solve equations; reward 1 for the exact value of every unknown, or for both roots of a quadratic."""

    kind: Literal["mixed", "linear", "system", "grid", "quadratic"] = "mixed"
    """linear, system, grid, quadratic, or mixed: any of them."""
    num_unknowns: Annotated[int, Range(2, 4)] = 2
    """Unknowns of a system or a grid."""
    max_root: Annotated[int, Range(5, 10_000)] = 20
    """The largest absolute value of a root; in a grid, symbols are from 1 to this."""
    max_coefficient: Annotated[int, Range(2, 1000)] = 9
    """The largest absolute value of a coefficient."""
    max_denominator: Annotated[int, Range(1, 30)] = 1
    """Roots are fractions with a denominator up to this; in a grid they are whole."""

    levels = tuple(
        {"kind": kind, "num_unknowns": n, "max_root": r, "max_coefficient": c, "max_denominator": q}
        for kind, n, r, c, q in [
            ("linear", 2, 20, 5, 1), ("linear", 2, 50, 9, 1), ("mixed", 2, 20, 5, 1), ("mixed", 2, 40, 9, 1),
            ("mixed", 3, 20, 5, 1), ("mixed", 3, 40, 9, 2), ("mixed", 3, 80, 12, 4), ("mixed", 4, 40, 9, 4),
            ("mixed", 4, 100, 20, 6), ("mixed", 4, 400, 50, 12),
        ]
    )  # fmt: skip
    chance = (0.027, 0.01, 0.008, 0.003, 0.006, 0.003, 0.001, 0.002, 0.001, 0.0)
    chance_default = 0.004
    cheats = (
        lambda env: f"<answer>{env.oracle()[8:-9]}, {env.oracle()[8:-9]}1</answer>",
        lambda env: f"<answer>{env.task.roots[0]}, {env.task.roots[-1]}, 0, 1/7</answer>",
        lambda env: f"<answer>x = {env.task.roots[0]} = {env.task.roots[0]}1</answer>",
        lambda env: f"<answer>{env.task.roots[0]} or {env.task.roots[0]}7 or {env.task.roots[-1]}</answer>",
        "<answer>x = x</answer>",
        "<answer>x = (lambda: 0)()</answer>",
        "<answer>all real numbers</answer>",
    )

    def check(self) -> None:
        if self.kind in ("mixed", "grid") and self.max_root < self.num_unknowns:
            raise SettingsError(f"max_root is {self.max_root}; it must be at least num_unknowns={self.num_unknowns}")

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        for _ in range(1000):
            draw = Draw.of(iter(rng.random(48).tolist()).__next__)
            kind: Kind = KINDS[draw.below(4)] if self.kind == "mixed" else self.kind
            task = getattr(self, f"_{kind}")(draw)
            if task is not None:
                assert isinstance(task, Task)
                return task
        raise SettingsError(f"no equation of kind={self.kind!r} was found; raise max_root or max_coefficient")

    def _root(self, draw: Draw) -> Fraction:
        bottom = draw.integer(1, self.max_denominator)
        return Fraction(_signed(draw, self.max_root * bottom), bottom)

    def _linear(self, draw: Draw) -> Task | None:
        root, top = self._root(draw), self.max_coefficient
        times, b, c = _nonzero(draw, top), _signed(draw, top), _signed(draw, 2 * top)
        other = times - root.denominator * _nonzero(draw, max(1, top // root.denominator))  # times - other: a multiple
        return Task("linear", ((times, b, c, other, int(times * (root + b) + c - other * root)),), (), (str(root),))

    def _quadratic(self, draw: Draw) -> Task | None:
        one, two = self._root(draw), self._root(draw)
        if one == two:
            return None
        scale = 1 + int(draw.unit() * max(1, self.max_coefficient // (2 * one.denominator * two.denominator)))
        a = scale * one.denominator * two.denominator
        d, e = (_signed(draw, self.max_coefficient), _signed(draw, self.max_root)) if draw.unit() < 0.5 else (0, 0)
        row = (a, int(-a * (one + two)) + d, int(a * one * two) + e, d, e)
        return Task("quadratic", (row,), (), tuple(map(str, sorted((one, two)))))

    def _system(self, draw: Draw) -> Task | None:
        n = self.num_unknowns
        roots = [self._root(draw) for _ in range(n)]
        matrix = [[_signed(draw, self.max_coefficient) for _ in range(n)] for _ in range(n)]
        if _rank(matrix) < n:
            return None
        rows = []
        for row in matrix:
            total = sum(a * r for a, r in zip(row, roots, strict=True))
            bottom = Fraction(total).denominator
            rows.append((*(a * bottom for a in row), int(total * bottom)))
        return Task("system", tuple(rows), (), tuple(map(str, roots)))

    def _grid(self, draw: Draw) -> Task | None:
        n = self.num_unknowns
        roots = [draw.integer(1, self.max_root) for _ in range(n)]
        cells = [[draw.below(n) for _ in range(n)] for _ in range(n)]
        lines = cells + [list(column) for column in zip(*cells, strict=True)]
        matrix = [[line.count(i) for i in range(n)] for line in lines]
        if _rank(matrix) < n:
            return None
        rows = tuple((*row, sum(a * r for a, r in zip(row, roots, strict=True))) for row in matrix)
        return Task("grid", rows, tuple(map(tuple, cells)), tuple(map(str, roots)))

    def identity(self, task: Task) -> object:
        return task.kind, tuple(sorted(task.rows)), task.cells

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self.names = (SYMBOLS if task.kind == "grid" else NAMES)[: 1 if task.kind == "quadratic" else len(task.roots)]
        number = "an integer or a fraction a/b" if self.max_denominator > 1 and task.kind != "grid" else "a number"
        exact = f", where every value is {number}"
        if task.kind == "linear":
            a, b, c, d, e = task.rows[0]
            left = _terms((a, c), (f"({_terms((1, b), ('x', ''))})" if b else "x", ""))
            right = _terms((d, e), ("x", ""))
            return f"Solve for x: {left} = {right}. Answer in the form <answer>x = ...</answer>{exact}."
        if task.kind == "quadratic":
            a, b, c, d, e = task.rows[0]
            equation = f"{_terms((a, b, c), ('x²', 'x', ''))} = {_terms((d, e), ('x', ''))}"
            return (
                f"Solve for x: {equation}. The equation has two different roots. Give both, in the form "
                f"<answer>x = ..., ...</answer>{exact}."
            )
        form = f"<answer>{', '.join(f'{name} = ...' for name in self.names)}</answer>"
        if task.kind == "system":
            lines = [f"{_terms(row[:-1], self.names)} = {row[-1]}" for row in task.rows]
            return "\n".join(["Solve this system of equations:", *lines, f"Answer in the form {form}{exact}."])
        n = len(task.cells)
        lines = [f"{' '.join(SYMBOLS[i] for i in line)} | {task.rows[k][-1]}" for k, line in enumerate(task.cells)]
        below = " ".join(str(row[-1]) for row in task.rows[n:])
        head = (
            "In this grid each letter stands for a number. The sum of each row is at its right; the last line has the "
            "sums of the columns, from left to right."
        )
        return "\n".join([head, *lines, below, f"Find the numbers. Answer in the form {form}{exact}."])

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(problem.capitalize() + ".", invalid=True)
        values = parse_values(text, self.names, 2 if self.task.kind == "quadratic" else len(self.names))
        if isinstance(values, str):
            return Reply(values, invalid=True)
        if self.task.kind == "quadratic" and values[0] == values[1]:
            return Reply("The equation has two different roots. Give both.")
        wrong = self._unsatisfied(values)
        return Reply(wrong) if wrong else Reply("Correct.", solved=True)

    def _unsatisfied(self, values: list[Fraction]) -> str:
        """Return what is wrong with the values, by substitution; "" if all equations hold."""
        task = self.task
        if task.kind in ("linear", "quadratic"):
            for x in values:
                a, b, c, d, e = task.rows[0]
                left = a * (x + b) + c if task.kind == "linear" else a * x * x + b * x + c
                if left != d * x + e:
                    return f"With x = {x}, the left side is {left} and the right side is {d * x + e}."
            return ""
        for k, row in enumerate(task.rows):
            total = sum(a * v for a, v in zip(row, values, strict=False))
            if total != row[-1]:
                return f"With these values, {self._place(k)} is {total}, not {row[-1]}."
        return ""

    def _place(self, row: int) -> str:
        """Return a description of the sum that a row of coefficients stands for."""
        if self.task.kind != "grid":
            return f"the left side of equation {row + 1}"
        n = len(self.task.cells)
        return f"the sum of row {row + 1}" if row < n else f"the sum of column {row - n + 1}"

    def oracle(self) -> str:
        if self.task.kind == "quadratic":
            return f"<answer>x = {', '.join(self.task.roots)}</answer>"
        return f"<answer>{', '.join(f'{n} = {r}' for n, r in zip(self.names, self.task.roots, strict=True))}</answer>"

    def paraphrases(self) -> Sequence[str]:
        roots = self.task.roots
        latex = [re.sub(r"(-?)(\d+)/(\d+)", r"\1\\frac{\2}{\3}", r) for r in roots]
        if self.task.kind == "quadratic":
            return (
                f"x = {roots[1]} or x = {roots[0]}",
                f"So \\boxed{{x_1 = {latex[0]}, x_2 = {latex[1]}}}",
                f"<answer>x ∈ {{{roots[1]}, {roots[0]}}}</answer>",
                f"<answer>{roots[1]} and {roots[0]}</answer>",
            )
        pairs = [f"{n}={r}" for n, r in zip(self.names, roots, strict=True)]
        return (
            "; ".join(reversed(pairs)),
            f"<answer>\n{chr(10).join(pairs)}\n</answer>",
            f"So \\boxed{{({', '.join(latex)})}}" if len(roots) > 1 else f"\\boxed{{{latex[0]}}}",
            f"<think>x = 0</think><answer>${' and '.join(pairs)}$</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        low = 1 if self.task.kind == "grid" else -self.max_root
        values = rng.integers(low, self.max_root, size=2 if self.task.kind == "quadratic" else len(self.names)).tolist()
        if self.task.kind == "quadratic":
            return f"<answer>x = {values[0]}, {values[1]}</answer>"
        return f"<answer>{', '.join(f'{n} = {v}' for n, v in zip(self.names, values, strict=True))}</answer>"


def _terms(coefficients: Sequence[int], names: Sequence[str]) -> str:
    """Return a sum as written by hand: ``2x - y + 3``."""
    text = ""
    for a, name in zip(coefficients, names, strict=True):
        if a:
            size = name if name and abs(a) == 1 else f"{abs(a)}{name}"
            text += f" {'-' if a < 0 else '+'} {size}" if text else f"{'-' if a < 0 else ''}{size}"
    return text or "0"


def _signed(draw: Draw, top: int) -> int:
    return draw.below(2 * top + 1) - top


def _nonzero(draw: Draw, top: int) -> int:
    value = int(draw.unit() * 2 * top) - top
    return value if value < 0 else value + 1


def _rank(rows: Sequence[Sequence[int]]) -> int:
    """Return the rank of a matrix of whole numbers, without fractions."""
    left, rank = [list(row) for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        rank += 1
        left = [[a * pivot[column] - b * row[column] for a, b in zip(row, pivot, strict=True)] for row in left]
    return rank
