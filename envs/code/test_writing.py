"""TestWriting: write tests that a right program passes and faulty ones do not.

Source: tests judged by the mutants that they kill, as in mutation analysis (DeMillo, Lipton and Sayward, "Hints on test
data selection", IEEE Computer 11(4), 1978) and in MutGen (Wang et al., arXiv 2506.02954), on generated specifications.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.code import read_program, shown_value
from turnwise.worlds.programs.specifications.asserts import BadTests, Case, read_cases
from turnwise.worlds.programs.specifications.program import fenced, name_of, question_lines, source_of
from turnwise.worlds.programs.specifications.steps import Spec, run, stages
from turnwise.worlds.programs.specifications.tests import Faulty, draw_spec, draw_trial
from turnwise.worlds.programs.specifications.types import TAKES, belongs

__all__ = ["Task", "TestWriting"]

_TEST, _WRONG = "assert {call} == {result}", "assert {call} == [{result}]"


@dataclass(frozen=True)
class Task:
    """A specification, faulty programs, inputs that reveal all of them, and the seed of the wording."""

    spec: Spec
    faulty: tuple[Faulty, ...] = field(compare=False)
    telling: tuple[Any, ...] = field(compare=False)
    seed: int = field(compare=False)


_OPENINGS = (
    "This week's exercise in our course on testing: write tests for the Python function `{name}`, which is easy to get "
    "almost right.",
    "A kata for those who like corner cases: write tests for the Python function `{name}`.",
    "Several students have handed in solutions, and most of them got a corner wrong. Write tests for the Python "
    "function `{name}` that tell who did.",
)


@register("TestWriting-v0")
class TestWriting(Env[Task]):
    """Write tests from a specification; reward 1 if the correct program passes them and the faulty programs fail.

    Faulty programs are wrong readings of the specification (a constant one off, another tie rule, a step left out) and
    the right program with one operator, number or condition changed, from level 4 on some of them only where a step
    works on something special; each gives something else for some input, and few inputs are enough for all of them.
    Tests are lines ``assert f(argument) == result`` with literals, also in test functions. They are read, never run:
    what runs are the environment's own programs, on arguments that the specification allows.
    """

    num_steps: Annotated[int, Range(1, 8)] = 2
    """Steps of the specification."""
    topic: Literal[
        "mixed", "ints", "words", "text", "pairs", "grid", "nested", "records", "dates", "moves", "events", "int"
    ] = "mixed"  # fmt: skip
    """The type of the argument, or mixed: any of them."""
    show: Literal["specification", "source", "both"] = "specification"
    """What is shown: the specification, the source of the right program, or both."""
    num_faulty: Annotated[int, Range(3, 40)] = 6
    """Faulty programs."""
    subtlety: Annotated[int, Range(1, 5)] = 2
    """They are the ones that the fewest inputs tell from the right one, of this many times as many."""
    special: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Share of the faulty programs that are wrong only where a step works on something special, such as a long list,
    one in order or one with repetitions."""
    max_tests: Annotated[int, Range(1, 50)] = 8
    """Tests, at most."""
    kill_rate: Annotated[float, Range(0.1, 1.0)] = 1.0
    """Share of the faulty programs that some test must catch."""
    feedback: Literal["none", "counts", "tests"] = "tests"
    """What the reply to wrong tests says: nothing more ("none"), how many tests are wrong and how
    many faulty programs are not caught ("counts"), or also which tests are wrong ("tests")."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for right tests that catch fewer, times the share that they catch; in several turns, of the best."""
    max_turns: Annotated[int, Range(1, 100)] = 1
    """Sets of tests that may be tried."""

    __test__ = False  # pytest must not collect it
    levels = tuple(
        {"num_steps": steps, "num_faulty": faulty, "max_tests": tests, "subtlety": subtle, "special": special,
         "max_turns": turns}
        for steps, faulty, tests, subtle, special, turns in [
            (1, 4, 8, 1, 0.0, 3), (1, 6, 8, 2, 0.0, 3), (2, 6, 8, 2, 0.0, 3), (2, 8, 8, 2, 0.15, 3),
            (2, 10, 8, 2, 0.2, 3), (3, 10, 8, 2, 0.3, 3), (3, 10, 7, 2, 0.4, 3), (4, 12, 7, 2, 0.5, 3),
            (4, 14, 6, 3, 0.6, 2), (5, 16, 6, 3, 0.8, 2),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        fenced("pass"),
        fenced("assert True"),
        fenced("assert 1 == 1"),
        lambda env: env.filled("assert isinstance({call}, object)"),
        lambda env: env.filled("assert {call} == {call}"),
        lambda env: env.filled("assert {call} != object()"),
        lambda env: env.filled("assert {call} == {result} or True"),
        lambda env: env.filled("assert {call} == 'other'"),
        lambda env: env.filled("assert {call} == {result}\nassert {call} == None"),
        lambda env: env.filled("try:\n    assert {call} == {result}\nexcept AssertionError:\n    pass"),
        lambda env: env.filled("if {call} == {result}:\n    assert True"),
        lambda env: env.filled("raise AssertionError({result})"),
        lambda env: env.filled("def {name}(x):\n    return {result}\nassert {call} == {result}"),
        lambda env: env.filled("import inspect\nassert inspect.getsource({name}) == ''"),
        lambda env: env.filled("import random\nassert {name}([random.random()]) == []"),
        lambda env: env.filled("import sys\nassert {call} == {result}\nsys.exit(0)"),
        lambda env: env.filled("'''\nassert {call} == {result}\n'''"),
        lambda env: env.filled("# assert {call} == {result}"),
        lambda env: env.filled("assert {name}(None) == None"),
        lambda env: env.filled("assert {name}({{'a': [1.5]}}) == 'x'"),
        lambda env: fenced("\n".join([env.lines(_TEST)] * (env.max_tests + 1))),
        lambda env: fenced(f"{env.lines(_TEST)}\n{env.lines(_WRONG)}"),
        lambda env: env.filled(_WRONG),
        lambda env: fenced(env.reference()),
        lambda env: f"<answer>{env.lines(_TEST)}</answer><answer>{env.lines(_WRONG)}</answer>",
        lambda env: f"{env.oracle()}\n{fenced('assert True')}",
        lambda env: f"<think>{env.oracle()}",
    )

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        topics = tuple(TAKES)
        while True:
            takes = draw.choice(topics) if self.topic == "mixed" else self.topic
            drawn = draw_spec(draw, takes, self.num_steps)
            if drawn is None:
                continue
            trial = draw_trial(draw, *drawn, self.num_faulty, self.max_tests, self.subtlety, self.special)
            if trial is not None:
                return Task(drawn[0], trial.faulty, trial.telling, draw.below(2**53))

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self.best = 0.0
        self.name, self.argument = name_of(task.seed), TAKES[task.spec.takes].argument
        lines = [Draw("opening", task.seed).choice(_OPENINGS).format(name=self.name), ""]
        lines += question_lines(task.spec, task.seed, steps=self.show != "source")
        if self.show != "specification":
            lines += ["", "This program is correct:", fenced(self.reference())]
        wanted = "each of which" if self.kill_rate == 1 else f"at least {self.kill_rate:.0%} of which"
        special = (
            " Some of them are wrong only in special cases: when a step works on a long, sorted, symmetric or "
            "repetitive value, or on one of a certain length."
            if self.special
            else ""
        )
        tries = f" You have {self.max_turns} attempts." if self.max_turns > 1 else ""
        return "\n".join([
            *lines, "",
            "Your tests are run on the correct program, which must pass all of them, and on "
            f"{len(task.faulty)} faulty programs that you cannot see, {wanted} must fail at least one test."
            f"{special} Write at most {self.max_tests} tests in one ```python block, one per line, in the form",
            f"assert {self.name}(ARGUMENT) == RESULT",
            "where ARGUMENT is a literal that the specification allows and RESULT is the literal that the correct "
            f"program returns for it.{tries}",
        ])  # fmt: skip

    def respond(self, action: str) -> Reply:
        text, problem = read_program(action, examples=True)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            cases = read_cases(text, self.name, self.argument, self.max_tests)
            for case in cases:
                if not belongs(self.task.spec.takes, case.argument):
                    shown = shown_value(case.argument, 100)
                    raise BadTests(f"line {case.line}: the specification does not allow the argument {shown}")
        except BadTests as error:
            return Reply(f"The tests cannot be used. {str(error).capitalize()}.", invalid=True)
        right = stages(self.task.spec)
        wrong = [case for case in cases if run(right, case.argument) != case.expected]
        caught = self._caught([case for case in cases if case not in wrong])
        share = caught / len(self.task.faulty)
        if not wrong and share >= self.kill_rate:
            return Reply("Correct: the correct program passes your tests and the faulty ones fail.", solved=True)
        gain = 0.0
        if not wrong and share > self.best:
            gain, self.best = self.partial * (share - self.best), share
        return Reply(self._feedback(cases, wrong, caught), gain)

    def _caught(self, cases: Sequence[Case]) -> int:
        """Return the number of faulty programs that fail at least one of these right tests."""
        return sum(any(_fails(faulty, case) for case in cases) for faulty in self.task.faulty)

    def _feedback(self, cases: Sequence[Case], wrong: Sequence[Case], caught: int) -> str:
        if self.feedback == "none":
            return "Wrong."
        text = f"Wrong: {len(wrong)} of your {len(cases)} tests are wrong"
        if wrong and self.feedback == "tests":
            text += f" (on the lines {', '.join(str(case.line) for case in wrong)})"
        missed = len(self.task.faulty) - caught
        return f"{text}; {missed} of {len(self.task.faulty)} faulty programs pass all your other tests."

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reference(self) -> str:
        """Return the right program."""
        return source_of(self.task.spec, stages(self.task.spec), self.name)

    def cases(self) -> list[tuple[Any, Any]]:
        """Arguments and results that catch all faulty programs."""
        return [(value, run(stages(self.task.spec), value)) for value in self.task.telling]

    def filled(self, form: str) -> str:
        """Return a message with a form filled for each of the oracle's tests."""
        return fenced(self.lines(form))

    def lines(self, form: str) -> str:
        """Return a form filled for each of the oracle's tests."""
        return "\n".join(
            form.format(name=self.name, value=repr(value), result=repr(result), call=f"{self.name}({value!r})", i=i)
            for i, (value, result) in enumerate(self.cases())
        )

    def oracle(self) -> str:
        return fenced(self.lines(_TEST))

    def paraphrases(self) -> Sequence[str]:
        tests = self.lines(_TEST)
        indented = self.lines(f"    {_TEST}")
        named = self.lines(
            "    given{i} = {value}\n    wanted = {result}\n    assert {name}(given{i},) == wanted, 'wrong'"
        )
        methods = self.lines(f"    def test_{{i}}(self):\n        '''A case.'''\n        {_TEST}  # a case")
        head = f"from solution import {self.name}\n\n\n"
        test_all = f"def test_all():\n{indented}"
        main = "if __name__ == '__main__':\n    test_all()\n    print('ok')"
        return (
            f"<answer>\n{tests}\n</answer>",
            f"<think>assert?</think>Here:\n{fenced(head + test_all)}\nDone.",
            fenced(f"import pytest\n\ndef test_all() -> None:\n{named}\n\n{main}"),
            fenced(self.lines(f"assert ({{result}} == {{name}}({self.argument}={{value}}))")),
            fenced(f"class TestAll:\n{methods}"),
            f"```\r\n{tests}\r\n```",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = Draw.from_generator(rng)
        kind = TAKES[self.task.spec.takes]
        values = [kind.draw(draw, ()) for _ in range(min(4, self.max_tests))]
        guesses = [values[0], [], 0, "", {}, [1], 1]
        return fenced("\n".join(f"assert {self.name}({v!r}) == {draw.choice(guesses)!r}" for v in values))


def _fails(faulty: Faulty, case: Case) -> bool:
    try:
        return bool(run(faulty.program, case.argument) != case.expected)
    except Exception:  # whatever a faulty program raises
        return True
