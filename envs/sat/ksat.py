r"""KSat: find an assignment that satisfies a planted formula of fixed clause length.

Source: SATURN (arXiv 2505.16368): instances by (n, k, l), their difficulty D(n, k, l), the published files.
"""

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.sat.planted import draw_clauses, draw_unique_clauses, settings_for
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.logic import sat

Clause = tuple[int, ...]


@dataclass(frozen=True)
class Task:
    """A formula (literals as in DIMACS), a solution of it, and the prompt it was published with, if it was."""

    num_vars: int
    clauses: tuple[Clause, ...]
    solution: str = field(compare=False)
    prompt: str = field(default="", compare=False)

    @property
    def formula(self) -> sat.Formula:
        """The formula, as the verifiers take it."""
        return sat.Formula(self.num_vars, self.clauses)


def chance_of(task: Task) -> float:
    """Return the share of all assignments that solve the task, by counting; for at most 20 variables."""
    return sat.count_models(task.formula) * 0.5**task.num_vars


@lru_cache(maxsize=8)
def _read(path: str, mtime: int, size: int) -> tuple[Task, ...]:
    """Return the rows of a file; size and time are part of the cache key."""
    tasks = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise sat.FormulaError("it is not a JSON object")
                formula, solution = sat.read_saturn(row)
            except ValueError as error:
                raise SettingsError(f"{path} line {number + 1}: {error}") from error
            tasks.append(Task(formula.num_vars, formula.clauses, solution, str(row.get("prompt") or "")))
    if not tasks:
        raise SettingsError(f"{path} has no rows")
    return tuple(tasks)


def _load(path: str) -> tuple[Task, ...]:
    try:
        stat = os.stat(path)
    except (OSError, ValueError) as error:
        raise SettingsError(f"path is {path!r}, which cannot be read: {error}") from error
    return _read(path, stat.st_mtime_ns, stat.st_size)


@register("KSat-v0")
class KSat(Env[Task]):
    r"""Find an assignment that makes every clause of a formula true; reward 1 for any such assignment.

    The formula has ``num_clauses`` different clauses, drawn from those that a hidden assignment satisfies: it always
    has a solution, and usually others, which count as much. The answer is exactly ``num_vars`` characters 0 or 1
    (SATURN's own checker pads and skips), or a list of literals with ``rendering="dimacs"``.

    Chance: the levels are chosen so that guessing stays below 5 %. Settings given by name, SATURN's own training
    levels among them, may be far easier to guess ((3, 5, 5): about 51 %): see `expected_chance` and `chance_of`.
    """

    clause_size: Annotated[int, Range(2, 8)] = 3
    """Literals in a clause (SATURN's n)."""
    num_vars: Annotated[int, Range(2, 100)] = 7
    """Variables (k)."""
    num_clauses: Annotated[int, Range(1, 2000)] = 32
    """Clauses (l)."""
    target_d: Annotated[float, Range(0, 40)] | None = None
    """Choose the three above by SATURN's difficulty D; see `settings_for`."""
    max_chance: Annotated[float, Range(0.001, 1)] = 0.05
    """The highest solve rate of guessing that a ``target_d`` may choose."""
    unique: bool = False
    """Exactly one solution; up to 20 variables."""
    rendering: Literal["saturn", "letters", "dimacs"] = "saturn"
    """How the formula is written: "saturn" (a JSON object, as published), "letters" (the formula in words) or "dimacs".
    """
    path: str = ""
    """A file of SATURN rows (JSONL) to play instead of generated formulas, with the prompts published in it."""
    index: Annotated[int, Range(0, 10**9)] | None = None
    """Play this row of the file, from 0; None draws one."""
    max_turns: int = 1
    """With more than 1, the reply to a wrong assignment names clauses it leaves false."""

    levels = tuple(
        {"clause_size": n, "num_vars": k, "num_clauses": num}
        for n, k, num in [
            (3, 5, 28), (3, 6, 28), (3, 7, 32), (3, 8, 36), (3, 9, 40),
            (3, 10, 44), (3, 12, 52), (3, 14, 60), (3, 17, 73), (3, 20, 86),
        ]
    )  # fmt: skip
    chance = (0.042, 0.036, 0.023, 0.015, 0.0095, 0.006, 0.0024, 0.0009, 0.0002, 0.0)
    chance_default = 0.024
    cheats = (
        lambda env: f"\\boxed{{{env.task.solution}0}}",
        lambda env: f"\\boxed{{{env.task.solution[:-1]}}}",
        lambda env: f"\\boxed{{{env.task.solution} or so}}",
        lambda env: f"\\boxed{{{env.task.solution}}} or \\boxed{{{_flipped(env.task.solution)}}}",
        lambda env: f"<answer>{' '.join(f'{v} {-v}' for v in range(1, env.task.num_vars + 1))} 0</answer>",
        lambda env: f"<answer>{'*' * env.task.num_vars}</answer>",
        lambda env: f"<answer>{'1' * 200}{'0' * 200}</answer>",
        "<answer>{'solution': True}</answer>",
    )

    def check(self) -> None:
        if self.path:
            if self.target_d is not None or self.unique:
                raise SettingsError(f"path is {self.path!r}: target_d and unique are for generated formulas")
            rows = _load(self.path)
            if self.index is not None and self.index >= len(rows):
                raise SettingsError(f"index is {self.index}; {self.path} has the rows 0 to {len(rows) - 1}")
            return
        if self.index is not None:
            raise SettingsError(f"index is {self.index}; it needs path, the file that has the row")
        if self.target_d is not None:
            chosen = settings_for(float(self.target_d), self.max_chance, self.unique)
            self.clause_size, self.num_vars, self.num_clauses = chosen
        n, k, num = self.clause_size, self.num_vars, self.num_clauses
        most = math.comb(k, n) * (2**n - 1)
        if num > most:
            raise SettingsError(
                f"num_clauses is {num}; with clause_size={n} and num_vars={k} only {most} clauses exist"
            )
        if self.rendering != "dimacs" and k > sat.MAX_LETTERS:
            raise SettingsError(f"num_vars is {k}; past {sat.MAX_LETTERS} letters use rendering='dimacs'")
        if self.unique and k > sat.MAX_COUNTED_VARS:
            raise SettingsError(f"num_vars is {k}; with unique=True it must be at most {sat.MAX_COUNTED_VARS}")

    def generate(self, rng: np.random.Generator) -> Task:
        if self.path:
            rows = _load(self.path)
            return rows[int(rng.random() * len(rows)) if self.index is None else self.index]
        k = self.num_vars
        solution = "".join("1" if u < 0.5 else "0" for u in rng.random(k).tolist())
        draw = draw_unique_clauses if self.unique else draw_clauses
        clauses = draw(solution, self.clause_size, self.num_clauses, rng)
        return Task(k, tuple(sorted(clauses)), solution)  # sorted: the order reveals nothing

    def identity(self, task: Task) -> object:
        return sat.canonical(task.formula)

    def begin(self) -> str:
        task, k = self.task, self.task.num_vars
        if task.prompt and self.rendering == "saturn":
            return task.prompt
        if self.rendering == "dimacs":
            return (
                "Find an assignment that satisfies every clause of this formula, in DIMACS format: one clause per "
                "line, ended by 0; -2 is the negation of variable 2."
                f"\n\n{sat.dimacs_text(task.formula)}\n\nAny solution is accepted. For each of the {k} variables, give "
                "the literal that is true, in the form <answer>v 1 -2 3 ... 0</answer>."
            )
        bits = (
            f"exactly {k} characters in \\boxed{{}}, one for each variable in alphabetical order: 1 for true and 0 "
            f"for false. With {_example(k)}."
        )
        if self.rendering == "letters":
            lines = "\n".join(
                " or ".join(sat.clause_letters((x,)).replace("!", "not ") for x in c) for c in task.clauses
            )
            return (
                f"Assign true or false to the variables A to {chr(64 + k)} so that every line is true.\n\n{lines}\n\n"
                f"Any solution is accepted. Give {bits}"
            )
        return (
            'Solve this Boolean satisfiability problem, given as a JSON object. "clause" is the formula: clauses '
            'joined by " & " (and). A clause is "n_sat" letters, implicitly joined by "or"; "!" negates the letter '
            f'after it. The "k" variables are A to {chr(64 + k)}. Find values that make every clause true; any '
            f"solution is accepted. Reason step by step, then give {bits}\n\n{sat.saturn_json(task.formula)}"
        )

    def respond(self, action: str) -> Reply:
        answer = final_answer(action)
        if answer.text is None:
            return Reply(answer.problem.capitalize() + ".", invalid=True)
        verdict = sat.verify_assignment(answer.text, self.task.formula, literals=self.rendering == "dimacs")
        if verdict.correct:
            return Reply("Correct.", solved=True)
        return Reply(verdict.reason[0].upper() + verdict.reason[1:] + ".", invalid=not verdict.readable)

    def _written(self, bits: str) -> str:
        if self.rendering != "dimacs":
            return bits
        return "v " + " ".join(str(v if bit == "1" else -v) for v, bit in enumerate(bits, 1)) + " 0"

    def oracle(self) -> str:
        return f"\\boxed{{{self._written(self.task.solution)}}}"

    def paraphrases(self) -> Sequence[str]:
        text = self._written(self.task.solution)
        other = next(sat.models(self.task.formula)) if self.task.num_vars <= 12 else self.task.solution
        spellings = [f"<answer> {text} </answer>", f"<think>\\boxed{{0}}</think>So \\boxed{{{text}}}."]
        spellings.append(f"\\boxed{{{self._written(other)}}}")
        if self.rendering == "dimacs":
            numbers = text[2:-2].split()
            spellings += [
                f"<answer>{' '.join(numbers)}</answer>",
                f"<answer>v {' '.join(reversed(numbers))} 0</answer>",
            ]
        return spellings

    def sample_action(self, rng: np.random.Generator) -> str:
        bits = "".join("1" if u < 0.5 else "0" for u in rng.random(self.task.num_vars).tolist())
        return f"\\boxed{{{self._written(bits)}}}"


def _example(num_vars: int) -> str:
    """Return an example answer for another number of variables, so that it can never be right."""
    if num_vars == 2:
        return r"three variables and only A true, that would be \boxed{100}"
    return r"two variables and only A true, that would be \boxed{10}"


def _flipped(bits: str) -> str:
    return bits.translate({48: 49, 49: 48})
