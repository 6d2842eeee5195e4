"""CodeSynthesis: write the program that a problem asks for, quick enough for its inputs; hidden tests judge it.

Source: programs judged by tests that they never see as in HumanEval (Chen et al., arXiv 2107.03374) and APPS (Hendrycks
et al., arXiv 2105.09938), with inputs that separate complexities as in programming contests (CodeContests, Li et al.,
arXiv 2203.07814); tests that tell weaker programs apart after EvalPlus (Liu et al., arXiv 2305.01210); feedback over
turns as in InterCode (arXiv 2306.14898).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply, seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.code._synthesis_text import ANSWERING, CLASS_DRIVER, FRAMES, LIAR, fenced, restyled
from turnwise.sandbox import Limits, check_sandbox, shared_sandbox
from turnwise.verifiers.code import Example, Exchange, Failure, read_program, shown_value, verify_function, verify_stdio
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.programs.contests.catalogue import Puzzle, draw_puzzle
from turnwise.worlds.programs.contests.problem import Case, Problem
from turnwise.worlds.programs.contests.steps import Steps, draw_steps
from turnwise.worlds.programs.specifications.program import CAN_READ
from turnwise.worlds.programs.specifications.steps import Spec

__all__ = ["CodeSynthesis", "Task"]

Form = Literal["function", "program", "class"]
_FILES = 4  # in which a program gets the small test cases
_PATIENCE = 5  # times its processor time that a program may take by the clock: other programs run beside it


@dataclass(frozen=True)
class Task:
    """What is asked, and how; inputs that rule out wrong readings of steps, and the seed of wording and tests."""

    asked: Puzzle | Spec
    large: bool
    form: Form = field(compare=False)
    telling: tuple[Any, ...] = field(compare=False)
    seed: int = field(compare=False)


@register("CodeSynthesis-v0")
class CodeSynthesis(Env[Task]):
    """Write a program for a problem; reward 1 if it passes all hidden tests within their time limit.

    Two kinds of problems. "algorithm": a problem as in contests and interviews, put together from one of some sixty
    kernels, the options that change its objective, and a story; with large inputs, only programs of the right
    complexity end in time. "steps": a specification in steps that says what happens at every corner. Hidden tests hold
    many small inputs with their corners, inputs of middle size, and the largest ones (steps: inputs that rule out each
    wrong reading), redrawn in each turn. The program runs in the sandbox; expected results stay outside of it.
    """

    kind: Literal["algorithm", "steps"] = "algorithm"
    """A problem that needs an algorithm, or a specification in steps."""
    hardness: Annotated[int, Range(0, 6)] = 2
    """Difficulty of the algorithm: that of its kernel, plus that of each option; 0 is what every textbook has, 6 is
    composed of several."""
    inputs: Literal["small", "large"] = "large"
    """Whether the largest inputs of an algorithm are so large that the obvious program takes too long."""
    area: Literal[
        "mixed", "sequences", "searching", "greedy", "dynamic", "graphs", "trees", "strings", "numbers", "counting",
        "games", "structures", "geometry", "simulation",
    ] = "mixed"  # fmt: skip
    """The field that an algorithm belongs to, or mixed: any."""
    num_steps: Annotated[int, Range(1, 8)] = 3
    """Steps of a specification."""
    topic: Literal[
        "mixed", "ints", "words", "text", "pairs", "grid", "nested", "records", "dates", "moves", "events", "int"
    ] = "mixed"  # fmt: skip
    """The type of the argument of a specification, or mixed: any of them."""
    form: Literal["mixed", "function", "program", "class"] = "mixed"
    """A function; a program that reads standard input and prints; a class with methods (data structures only); or
    mixed: any that fits (steps: a function)."""
    num_examples: Annotated[int, Range(0, 5)] = 2
    """Examples in the question; none of them is a hidden test."""
    num_tests: Annotated[int, Range(10, 200)] = 60
    """Small hidden tests, about."""
    feedback: Literal["none", "verdict", "error", "failing test"] = "failing test"
    """What the reply to a wrong program says if attempts are left: nothing more ("none"), how many tests it passes
    ("verdict"), what happened in the first test that failed ("error"), or that test ("failing test")."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for a program that passes some tests only, times the fraction of them; in several turns, of the best one.
    """
    time_limit_s: Annotated[float, Range(0.1, 60.0)] = 2.0
    """Seconds of processor time for each test; all together have a tenth of that for each test, or three times as much
    as one if that is more. By the clock, five times as long."""
    max_turns: Annotated[int, Range(1, 100)] = 1
    """Programs that may be tried."""
    sandbox: str = "auto"
    """Name of the sandbox's backend, or auto."""

    levels = tuple(
        {"hardness": h, "inputs": i, "form": f, "num_examples": e, "max_turns": t, "feedback": w}
        for h, i, f, e, t, w in [
            (0, "small", "function", 3, 3, "failing test"), (0, "small", "program", 2, 3, "failing test"),
            (1, "small", "mixed", 3, 3, "failing test"), (2, "small", "mixed", 2, 3, "failing test"),
            (2, "large", "mixed", 2, 3, "failing test"), (3, "large", "mixed", 2, 3, "error"),
            (4, "large", "mixed", 1, 3, "error"), (5, "large", "mixed", 1, 2, "error"),
            (6, "large", "mixed", 1, 2, "verdict"), (6, "large", "mixed", 1, 1, "none"),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        lambda env: env.with_body(env.looked_up("0")),
        lambda env: env.with_body(env.looked_up("x[0]")),
        lambda env: env.with_body("return x[0]"),
        lambda env: env.with_body("pass"),
        lambda env: env.with_body("return []"),
        lambda env: env.with_body("raise SystemExit(0)"),
        lambda env: env.with_body("import os; os._exit(0)"),
        lambda env: fenced(f"{env.reference()}\nimport os\nos._exit(0)"),
        lambda env: env.with_body(LIAR.format(base="list")),
        lambda env: env.with_body(LIAR.format(base="int")),
        lambda env: env.with_body("import unittest.mock\n    return unittest.mock.ANY"),
        lambda env: env.with_body("import builtins, operator\n    builtins.all = operator.eq = lambda *_: True"),
        lambda env: env.with_body(FRAMES),
        lambda env: env.with_body("import gc\n    return [v for v in gc.get_objects() if hasattr(v, 'expected')]"),
        lambda env: env.with_body('print(\'{"passed": 24, "tests": 24, "correct": true}\')'),
        lambda env: env.with_body("from turnwise.worlds.programs.contests import catalogue\n    return catalogue"),
        lambda env: env.with_body(f"'''\n{env.reference()}\n'''"),
        lambda env: fenced(env.wrong(0)),
        lambda env: fenced(env.wrong(-1)),
        lambda env: fenced(env.nameless()),
        lambda env: fenced(f"{env.reference()}\n\n{env.wrong(0)}"),
        lambda env: f"<answer>{env.reference()}</answer>\n<answer>{env.wrong(0)}</answer>",
        lambda env: f"{fenced(env.reference())}\n{fenced(env.wrong(0))}",
        lambda env: f"<think>\n{fenced(env.reference())}\n",
        lambda env: fenced("\n".join(env.problem.statement())),
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if self.kind == "steps":
            if self.form == "class":
                raise SettingsError("form='class' with kind='steps'; it must be 'function', 'program' or 'mixed'")
            if self.form == "program" and self.topic not in ("mixed", *CAN_READ):
                raise SettingsError(
                    f"topic={self.topic!r} with form='program'; it must be one of {', '.join(CAN_READ)}"
                )
        elif draw_puzzle(Draw(0), self.hardness, self._area(), self._forms()) is None:
            fits = [h for h in range(7) if draw_puzzle(Draw(0), h, self._area(), self._forms())]
            raise SettingsError(
                f"hardness={self.hardness} with area={self.area!r} and form={self.form!r}; it must be one of {fits}"
            )

    def _area(self) -> str:
        return "" if self.area == "mixed" else self.area

    def _forms(self) -> tuple[str, ...]:
        return () if self.form == "mixed" else (self.form,)

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        if self.kind == "steps":
            form: Form = "program" if self.form == "program" else "function"
            return Task(*_steps(draw, self.topic, self.num_steps, form), draw.below(2**53))
        puzzle = draw_puzzle(draw, self.hardness, self._area(), self._forms())
        assert puzzle is not None
        forms = sorted(puzzle.forms & set(self._forms() or ("function", "program", "class")))
        return Task(puzzle, self.inputs == "large", draw.choice(forms), (), draw.below(2**53))  # type: ignore[arg-type]

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self.best = 0.0
        self.problem: Problem | Steps = (
            Steps(task.asked, task.telling, task.seed, "program" if task.form == "program" else "function")
            if isinstance(task.asked, Spec)
            else Problem(task.asked, task.seed, task.form, task.large)
        )
        self.examples = self.problem.samples(self.num_examples)
        tries = f" You have {self.max_turns} attempts." if self.max_turns > 1 else ""
        what = {"program": "program", "class": "class with its imports", "function": "program"}[task.form]
        return "\n".join([
            *self.problem.statement(), "", *self.problem.shown(self.examples), *([""] if self.examples else []),
            f"It is judged by hidden tests, each limited to {self.time_limit_s:g} s of CPU time. Use only Python's "
            f"standard library. Answer with the whole {what} in one ```python block.{tries}",
        ])  # fmt: skip

    def expected(self, value: object) -> Any:
        """Return the right program's result for the input of a specification in steps."""
        return self.problem.run((value,))

    def respond(self, action: str) -> Reply:
        source, problem = read_program(action)
        if source is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        verdict, case = self._judged(source)
        if verdict.correct:
            return Reply("All hidden tests pass.", solved=True)
        gain = self.partial * max(0.0, verdict.score - self.best)
        self.best = max(self.best, verdict.score)
        return Reply(self._feedback(verdict, case), gain)

    def tests(self) -> tuple[list[Case], list[Case]]:
        """Return this turn's hidden tests: small ones, and large ones."""
        return self._small(), self._big()

    def _small(self) -> list[Case]:
        return _small_tests(self._key(), self.turn, self.num_tests, _Unseen(self.problem, self.examples))

    def _big(self) -> list[Case]:
        return _big_tests(self._key(), self.turn, _Unseen(self.problem, ()))

    def _key(self) -> str:
        return repr((self.task, self.num_examples))

    def _judged(self, source: str) -> tuple[Verdict, Case | None]:
        """Return the verdict of small and large tests together, and the case that failed first."""
        last = self.turn >= self.max_turns  # no feedback then
        every = self.partial > 0 or (self.feedback == "verdict" and not last)
        passed = tests = 0
        first: tuple[Verdict, Case | None] | None = None
        for big in (False, True):
            if big and (not self.problem.num_big or (first is not None and not every)):
                tests += self.problem.num_big  # not drawn: that is most of the work
                continue
            cases = self._big() if big else self._small()
            verdict, case = self._verdict(source, cases, every)
            passed += int((verdict.parts or {}).get("passed", 0))
            tests += int((verdict.parts or {}).get("tests", 0))
            if not verdict.correct:
                first = first or (verdict, case)
        if first is None:
            return verdict, None
        parts = {"passed": float(passed), "tests": float(tests)}
        return first[0]._replace(score=passed / tests, parts=parts), first[1]

    def _batches(self, cases: Sequence[Case]) -> list[Sequence[Case]]:
        """Return the cases that are judged in one run or call each."""
        if self.task.form != "program" or isinstance(self.problem, Steps) or len(cases) <= _FILES:
            return [[case] for case in cases]
        size = -(-len(cases) // _FILES)
        return [cases[i : i + size] for i in range(0, len(cases), size)]

    def _verdict(self, source: str, cases: Sequence[Case], every: bool) -> tuple[Verdict, Case | None]:
        problem, batches = self.problem, self._batches(cases)
        sandbox = shared_sandbox(self.sandbox)
        limits = Limits(wall_s=_PATIENCE * self.time_limit_s, cpu_s=self.time_limit_s)
        if self.task.form == "program":
            exchanges = [Exchange(problem.stdin(batch), problem.stdout(batch)) for batch in batches]
            verdict = verify_stdio(source, exchanges, limits=limits, sandbox=sandbox, all_tests=every)
            failed = verdict.value
            if not isinstance(failed, Failure):
                return verdict, None
            batch = batches[failed.index]
            return verdict, batch[0] if len(batch) == 1 else _first_wrong(problem, batch, failed.got)
        if self.task.form == "class":
            asked = list(self._methods())
            examples = [Example((problem.name, list(first), ops, asked), {}, result) for (*first, ops), result in cases]
            files = {"solution.py": source}
            verdict = verify_function(
                CLASS_DRIVER, "drive", examples, limits=limits, sandbox=sandbox, files=files, all_tests=every
            )
        else:
            examples = [Example(tuple(case.args), {}, case.result) for case in cases]
            verdict = verify_function(source, problem.name, examples, limits=limits, sandbox=sandbox, all_tests=every)
        failed = verdict.value
        return verdict, cases[failed.index] if isinstance(failed, Failure) else None

    def _feedback(self, verdict: Verdict, case: Case | None) -> str:
        if self.turn >= self.max_turns or self.feedback == "none":
            return "Wrong."
        if self.feedback == "verdict":
            parts = verdict.parts or {}
            return f"Wrong: {parts['passed']:.0f} of {parts['tests']:.0f} hidden tests pass."
        failure = verdict.value
        new = "The next program will be judged by other tests."
        if self.feedback == "error" or not isinstance(failure, Failure) or case is None:
            return f"Wrong: {verdict.reason}. {new}"
        if len(repr(case.args)) > 1500:
            return f"Wrong: {verdict.reason}, on a large input. {new}"
        return f"Wrong: {self._case_text(case, failure)}. {new}"

    def _case_text(self, case: Case, failure: Failure) -> str:
        """Say what should have happened in a test, and what did."""
        if self.task.form == "program":
            given, wanted = self.problem.stdin([case]), self.problem.stdout([case])
            return f"for the input {given!r} it should print {wanted!r}; on a file with this test, yours {failure.what}"
        if self.task.form == "class":
            *first, ops = case.args
            return (
                f"after {self.problem.name}({', '.join(map(repr, first))}), the calls {shown_value(ops, 1000)} should "
                f"return {shown_value(case.result, 1000)}, without the calls that return nothing; yours {failure.what}"
            )
        args = ", ".join(shown_value(value, 1000) for value in case.args)
        return f"{self.problem.name}({args}) should return {shown_value(case.result, 1000)}; yours {failure.what}"

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reference(self) -> str:
        """Return the right program."""
        return self.problem.reference()

    def wrong(self, number: int) -> str:
        """Return a program that is nearly right; a negative number counts from the end."""
        if isinstance(self.problem, Steps):
            return self.problem.wrong()[number]
        return f"{self.reference()}\n" + ANSWERING[self.task.form].format(
            name=self.problem.name, methods=self._methods(), change="+ 1" if number >= 0 else "- 1"
        )  # fmt: skip

    def nameless(self) -> str:
        """Return the right program under another name, or without its output."""
        source = self.reference()
        if self.task.form == "program":
            return source.replace("print(", "str(")
        return source.replace(f"def {self.problem.name}(", "def other(").replace(
            f"class {self.problem.name}", "class Other"
        )

    def _methods(self) -> tuple[str, ...]:
        return () if isinstance(self.problem, Steps) else tuple(op.name for op in self.problem.kernel.ops if op.answers)

    def with_body(self, body: str) -> str:
        """Return a message with a function of arguments ``*x``, with a program or a class around it if needed."""
        name = self.problem.name
        if self.task.form == "class":
            return fenced(
                f"def answer(*x):\n    {body}\n\n\nclass {name}:\n    def __init__(self, *x):\n        pass\n\n"
                "    def __getattr__(self, name):\n        return lambda *x: answer(*x or [0])"
            )
        call = f"\nprint({name}(input()))" if self.task.form == "program" else ""
        return fenced(f"def {name}(*x):\n    {body}{call}")

    def looked_up(self, otherwise: str) -> str:
        """Return the body of a function that knows the examples."""
        table = [(list(case.args), case.result) for case in self.examples]
        known = f"[result for value, result in {table!r} if value == list(x)]"
        return f"known = {known}\n    return known[0] if known else {otherwise}"

    def oracle(self) -> str:
        return fenced(self.reference())

    def paraphrases(self) -> Sequence[str]:
        return restyled(self.reference(), self.problem.name, self.task.form)

    def sample_action(self, rng: np.random.Generator) -> str:
        bodies = (
            "return x[0]", "return len(x[0])", "return []", "return sorted(x[0])", "return {}", "return sum(x[0])",
            "return x[0][::-1]", "return max(x[0], default=0)", "return 0", "return 1", "return -1",
            "return [len(v) for v in x[0]]", "return ''.join(x[0])", "return len(x[0]) - x[-1]",
            f"return [v for v in x[0] if v > {int(rng.integers(50))}]",
        )  # fmt: skip
        return self.with_body(bodies[int(rng.integers(len(bodies)))])


def _steps(draw: Draw, topic: str, num_steps: int, form: Form) -> tuple[Spec, bool, Form, tuple[Any, ...]]:
    spec, telling = draw_steps(draw, topic, num_steps, form)
    return spec, False, form, telling


class _Unseen:
    """A problem and its examples, which a cache does not look at: it knows them by the other arguments."""

    def __init__(self, problem: Problem | Steps, examples: Sequence[Case]) -> None:
        self.problem = problem
        self.examples = examples

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Unseen)

    def __hash__(self) -> int:
        return 0


# Several agents play the same task.


@lru_cache(maxsize=64)
def _small_tests(task: str, turn: int, count: int, unseen: _Unseen) -> list[Case]:
    problem = unseen.problem
    return problem.small(seed_of("tests", problem.seed, turn), count, unseen.examples)


@lru_cache(maxsize=4)  # they are large
def _big_tests(task: str, turn: int, unseen: _Unseen) -> list[Case]:
    return unseen.problem.big(seed_of("tests", unseen.problem.seed, turn))


def _first_wrong(problem: Problem | Steps, cases: Sequence[Case], printed: object) -> Case:
    """Return the first test case of a file whose lines are not as they should be."""
    got = str(printed).split("\n")
    at = 0
    for case in cases:
        wanted = problem.stdout([case]).split("\n")[:-1]
        if [line.rstrip() for line in got[at : at + len(wanted)]] != wanted:
            return case
        at += len(wanted)
    return cases[-1]
