"""CodeSynthesis: write the program that a specification of several steps asks for; hidden tests judge it.

Source: programs judged by tests that they never see as in HumanEval (Chen et al., arXiv 2107.03374), on generated
specifications of composed steps; tests that tell weaker programs apart after EvalPlus (Liu et al., arXiv 2305.01210);
feedback over turns as in InterCode (arXiv 2306.14898).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.sandbox import Limits, check_sandbox, shared_sandbox
from turnwise.verifiers.code import Example, Exchange, Failure, read_program, shown_value, verify_function, verify_stdio
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.programs.specifications.program import (
    CAN_PRINT,
    CAN_READ,
    fenced,
    name_of,
    question_lines,
    source_of,
    written,
)
from turnwise.worlds.programs.specifications.steps import Spec, Stage, neighbours, run, stages
from turnwise.worlds.programs.specifications.tests import draw_spec, example_inputs, hidden_inputs
from turnwise.worlds.programs.specifications.types import TAKES

__all__ = ["CodeSynthesis", "Task"]

_LIAR = """class Same({base}):
        __hash__ = None
        __eq__ = lambda self, other: True
        __ne__ = lambda self, other: False
    return Same()"""
_FRAMES = """import sys
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if hasattr(value, "expected"):
                return value.expected
        frame = frame.f_back"""


@dataclass(frozen=True)
class Task:
    """A specification, inputs that rule out its wrong readings, and the seed of its wording and tests."""

    spec: Spec
    telling: tuple[Any, ...] = field(compare=False)
    seed: int = field(compare=False)


@register("CodeSynthesis-v0")
class CodeSynthesis(Env[Task]):
    """Write a program from a specification in steps; reward 1 if it passes all of about 24 hidden tests.

    The specification says what happens at every corner. A task is posed only where each of its wrong readings (a
    constant one off, another tie rule, rounding or order, a step left out) gives something else for some input. Hidden
    tests hold such an input for each of them, corners that are often forgotten, and random inputs, redrawn in each
    turn. The program runs in the sandbox; expected results stay outside of it.
    """

    num_steps: Annotated[int, Range(1, 8)] = 3
    """Steps of the specification."""
    topic: Literal[
        "mixed", "ints", "words", "text", "pairs", "grid", "nested", "records", "dates", "moves", "events", "int"
    ] = "mixed"  # fmt: skip
    """The type of the argument, or mixed: any of them."""
    form: Literal["function", "program"] = "function"
    """A function, or a program that reads standard input and prints (numbers, words and texts only)."""
    num_examples: Annotated[int, Range(0, 5)] = 2
    """Examples in the question; none of them is a hidden test."""
    num_tests: Annotated[int, Range(10, 200)] = 32
    """Hidden tests, at least."""
    feedback: Literal["none", "verdict", "error", "failing test"] = "error"
    """What the reply to a wrong program says if attempts are left: nothing more ("none"), how many tests it passes
    ("verdict"), what happened in the first test that failed ("error"), or that test ("failing test")."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for a program that passes some tests only, times the fraction of them; in several turns, of the best one.
    """
    time_limit_s: Annotated[float, Range(0.1, 60.0)] = 2.0
    """Seconds for each test; all together have a tenth of that for each test, or three times as much as one if that is
    more."""
    max_turns: Annotated[int, Range(1, 100)] = 1
    """Programs that may be tried."""
    sandbox: str = "auto"
    """Name of the sandbox's backend, or auto."""

    levels = tuple(
        {"num_steps": steps, "num_examples": examples}
        for steps, examples in [(1, 3), (1, 1), (2, 3), (2, 1), (3, 2), (3, 1), (4, 2), (5, 2), (6, 1), (6, 0)]
    )
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        lambda env: env.with_body(env.looked_up("None")),
        lambda env: env.with_body(env.looked_up(env.argument)),
        lambda env: env.with_body(f"return {env.argument}"),
        lambda env: env.with_body("pass"),
        lambda env: env.with_body("return []"),
        lambda env: env.with_body("raise SystemExit(0)"),
        lambda env: env.with_body("import os; os._exit(0)"),
        lambda env: fenced(f"{env.reference()}\nimport os\nos._exit(0)"),
        lambda env: env.with_body(_LIAR.format(base="list")),
        lambda env: env.with_body(_LIAR.format(base="int")),
        lambda env: env.with_body("import unittest.mock\n    return unittest.mock.ANY"),
        lambda env: env.with_body("import builtins, operator\n    builtins.all = operator.eq = lambda *_: True"),
        lambda env: env.with_body(_FRAMES),
        lambda env: env.with_body("import gc\n    return [v for v in gc.get_objects() if hasattr(v, 'expected')]"),
        lambda env: env.with_body('print(\'{"passed": 24, "tests": 24, "correct": true}\')'),
        lambda env: env.with_body("from turnwise.worlds.programs.specifications.steps import run\n    return run"),
        lambda env: env.with_body(f"'''\n{env.reference()}\n'''"),
        lambda env: fenced(env.wrong(0)),
        lambda env: fenced(env.wrong(-1)),
        lambda env: fenced(env.reference().replace(f"def {env.name}(", f"def {env.name}_(")),
        lambda env: fenced(f"{env.reference()}\n\n{env.wrong(0)}"),
        lambda env: f"<answer>{env.reference()}</answer>\n<answer>{env.wrong(0)}</answer>",
        lambda env: f"{fenced(env.reference())}\n{fenced(env.wrong(0))}",
        lambda env: f"<think>\n{fenced(env.reference())}\n",
        lambda env: fenced("\n".join(question_lines(env.task.spec, env.task.seed))),
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if self.form == "program" and self.topic not in ("mixed", *CAN_READ):
            raise SettingsError(f"topic={self.topic!r} with form='program'; it must be one of {', '.join(CAN_READ)}")

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        every = CAN_READ if self.form == "program" else tuple(TAKES)
        while True:
            takes = draw.choice(every) if self.topic == "mixed" else self.topic
            drawn = draw_spec(draw, takes, self.num_steps)
            if drawn is not None and (self.form == "function" or drawn[0].gives in CAN_PRINT):
                return Task(*drawn, draw.below(2**53))

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self.best = 0.0
        self.name, self.argument = name_of(task.seed), TAKES[task.spec.takes].argument
        self.examples = example_inputs(task.spec, seed_of("examples", task.seed), self.num_examples, task.telling)
        wanted = f"a Python function `{self.name}`" if self.form == "function" else "a Python program"
        lines = [f"Write {wanted}.", "", *question_lines(task.spec, task.seed, self.form), ""]
        if self.examples:
            lines += ["Examples:" if len(self.examples) > 1 else "Example:", *map(self._example, self.examples), ""]
        tries = f" You have {self.max_turns} attempts." if self.max_turns > 1 else ""
        lines.append(
            f"It is judged by hidden tests, each limited to {self.time_limit_s:g} s. Use only Python's standard "
            f"library. Answer with the whole program in one ```python block.{tries}"
        )
        return "\n".join(lines)

    def _example(self, value: object) -> str:
        result = self.expected(value)
        if self.form == "function":
            return f"{self.name}({value!r}) == {result!r}"
        return f"For the input\n{written(value)}\nit prints\n{written(result)}"

    def expected(self, value: object) -> Any:
        """Return the right program's result for an input."""
        return run(stages(self.task.spec), value)

    def respond(self, action: str) -> Reply:
        source, problem = read_program(action)
        if source is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        inputs = hidden_inputs(
            self.task.spec,
            self.task.telling,
            seed_of("tests", self.task.seed, self.turn),
            self.num_tests,
            self.examples,
        )
        verdict = self._judged(source, inputs)
        if verdict.correct:
            return Reply("All hidden tests pass.", solved=True)
        gain = self.partial * max(0.0, verdict.score - self.best)
        self.best = max(self.best, verdict.score)
        return Reply(self._told(verdict, inputs), gain)

    def _judged(self, source: str, inputs: Sequence[Any]) -> Verdict:
        sandbox, limits = shared_sandbox(self.sandbox), Limits(wall_s=self.time_limit_s)
        last = self.turn >= self.max_turns  # no feedback then
        every = self.partial > 0 or (self.feedback == "verdict" and not last)
        if self.form == "function":
            examples = [Example((value,), {}, self.expected(value)) for value in inputs]
            return verify_function(source, self.name, examples, limits=limits, sandbox=sandbox, all_tests=every)
        exchanges = [Exchange(f"{written(value)}\n", f"{written(self.expected(value))}\n") for value in inputs]
        return verify_stdio(source, exchanges, limits=limits, sandbox=sandbox, all_tests=every)

    def _told(self, verdict: Verdict, inputs: Sequence[Any]) -> str:
        if self.turn >= self.max_turns or self.feedback == "none":
            return "Wrong."
        if self.feedback == "verdict":
            passed = int((verdict.parts or {}).get("passed", 0))
            return f"Wrong: {passed} of {len(inputs)} hidden tests pass."
        failure = verdict.value
        if self.feedback == "error" or not isinstance(failure, Failure):
            return f"Wrong: {verdict.reason}. The next program will be judged by other tests."
        value = inputs[failure.index]
        result = self.expected(value)
        if self.form == "function":
            wanted = f"{self.name}({shown_value(value, 1000)}) should return {shown_value(result, 1000)}"
        else:
            wanted = f"for the input {written(value)!r} it should print {written(result)!r}"
        return f"Wrong: {wanted}; yours {failure.what}. The next program will be judged by other tests."

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reference(self, code: Sequence[Stage] = ()) -> str:
        """Return the right program, or one made from other stages."""
        return source_of(self.task.spec, code or stages(self.task.spec), self.name, self.form)

    def wrong(self, number: int) -> str:
        """Return the program of a wrong reading; a negative number counts from the end."""
        readings = [code for _, code, required in neighbours(self.task.spec) if required]
        return self.reference(readings[number])

    def with_body(self, body: str) -> str:
        """Return a message with a function, with a program around it if one is required."""
        call = f"\nprint({self.name}(input()))" if self.form == "program" else ""
        return fenced(f"def {self.name}({self.argument}=None):\n    {body}{call}")

    def looked_up(self, otherwise: str) -> str:
        """Return the body of a function that knows the examples."""
        table = [(value, self.expected(value)) for value in self.examples]
        known = f"[result for value, result in {table!r} if value == {self.argument}]"
        return f"known = {known}\n    return known[0] if known else {otherwise}"

    def oracle(self) -> str:
        return fenced(self.reference())

    def paraphrases(self) -> Sequence[str]:
        source = self.reference()
        inner = source.replace(f"def {self.name}(", "def inner(").replace(f"{self.name}(", "inner(")
        handed_on = f"{inner}\n\n{self.name} = inner\n" if self.form == "function" else inner
        in_class = (
            f"class Box:\n    def {self.name}(self, x):\n        return inner(x)\n\n\n{inner}\n\n"
            f"def {self.name}(*x):\n    print('at work')\n    return Box().{self.name}(*x)\n"
            if self.form == "function"
            else f"import sys\n\n{source}\nsys.exit(0)\n"
        )
        return (
            f"<answer>\n{source}</answer>",
            f"<answer>{fenced(source)}</answer>",
            f"I first thought of\n```python\nprint(1)\n```\nbut this is it:\n```py\n{source}```\nIt works in one pass.",
            fenced(handed_on),
            fenced(in_class),
            f"<think>\n```python\npass\n```\n</think>\n```\n{source}\n```",
            fenced(source.replace("    ", "\t").replace("\n", "\r\n")),
            fenced(f'"""A program."""\n\nfrom __future__ import annotations\n\n{source}\n# the end'),
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        argument = self.argument
        bodies = (
            f"return {argument}", f"return len({argument})", "return []", f"return sorted({argument})", "return {}",
            f"return sum({argument})", f"return {argument}[::-1]", f"return max({argument}, default=0)", "return 0",
            f"return [len(v) for v in {argument}]", f"return ''.join({argument})",
            f"return [v for v in {argument} if v > {int(rng.integers(50))}]",
        )  # fmt: skip
        return self.with_body(bodies[int(rng.integers(len(bodies)))])
