"""TestWriting: write tests that a right program passes and faulty ones do not.

Source: tests judged by the mutants that they kill, as in mutation analysis (DeMillo, Lipton and Sayward, "Hints on test
data selection", IEEE Computer 11(4), 1978) and in MutGen (Wang et al., arXiv 2506.02954), on modules of our own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.code._writing_text import asked, fenced, limits
from turnwise.verifiers.code import read_program, same_value, shown_value
from turnwise.worlds.programs.faults.special import SPECIAL
from turnwise.worlds.programs.library.domains import ALLOWED
from turnwise.worlds.programs.library.interface import interface, parameters, used_by
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import UNITS, Part, Program, draw_call, part_of
from turnwise.worlds.programs.library.run import Call, CallOutcome
from turnwise.worlds.programs.library.trials import Asked, Wrong, draw_trial, running
from turnwise.worlds.programs.specifications.asserts import BadTests, Case, read_cases

__all__ = ["Task", "TestWriting"]

_TEST, _WRONG = "assert {call} == {result}", "assert {call} == [{result}]"
MAX_DRAWS = 400
_GUESSES: tuple[object, ...] = ([], 0, "", {}, [1], 1, True, None)


@dataclass(frozen=True)
class Task:
    """A module, its functions to test, faulty versions, calls that reveal all of them, and the seed of names."""

    unit: int
    variant: int
    functions: tuple[str, ...]
    faulty: tuple[Wrong, ...] = field(compare=False)
    telling: tuple[Call, ...] = field(compare=False)
    seed: int = field(compare=False)

    @property
    def part(self) -> Part:
        """The module, in its right behaviour."""
        return part_of(self.unit, self.variant)

    @cached_property
    def names(self) -> Names:
        """The names that the task uses."""
        return Names(Program([self.part]), Draw("TestWriting names", self.seed))


@register("TestWriting-v0")
class TestWriting(Env[Task]):
    """Write tests of a module from its interface; reward 1 if the right version passes them and the faulty ones fail.

    Faulty versions have one fault each: misreadings of the docstrings (the other tie rule, another rounding, an end
    that counts or does not) and faults that people make (a boundary, a value that is reset too late, a lost copy or
    sort). Some are wrong in a special case alone, such as a long list, equal items, or items in order.
    Each gives something else for some input, and few inputs are enough for all of them. Tests are lines
    ``assert f(arguments) == result`` with literals, also in test functions. They are read, never run: what runs are the
    environment's own programs, on arguments that the request allows.
    """

    num_functions: Annotated[int, Range(1, 6)] = 2
    """Functions to test, or all of the module if it has fewer."""
    show: Literal["specification", "source"] = "specification"
    """What is shown: the module's interface with its docstrings, or its source."""
    num_faulty: Annotated[int, Range(3, 30)] = 6
    """Faulty versions."""
    subtlety: Annotated[int, Range(1, 5)] = 2
    """They are the ones that the fewest calls tell from the right one, of this many times as many."""
    rare: Annotated[float, Range(0.05, 1.0)] = 0.8
    """Largest share of typical calls of any one function that reveal a faulty version."""
    common: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Smallest share of typical calls of some function that reveal a faulty version."""
    special: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Share of the faulty versions that are wrong in a special case alone, such as long lists or equal items; the
    request names at most two of the cases."""
    max_tests: Annotated[int, Range(1, 50)] = 8
    """Tests, at most."""
    kill_rate: Annotated[float, Range(0.1, 1.0)] = 1.0
    """Share of the faulty versions that some test must catch."""
    feedback: Literal["none", "counts", "tests"] = "tests"
    """What the reply to wrong tests says: nothing more ("none"), how many tests are wrong and how
    many faulty versions are not caught ("counts"), or also which tests are wrong ("tests")."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for right tests that catch fewer, times the share that they catch; in several turns, of the best."""
    max_turns: Annotated[int, Range(1, 100)] = 1
    """Sets of tests that may be tried."""

    __test__ = False  # pytest must not collect it
    levels = tuple(
        {"num_functions": functions, "num_faulty": faulty, "max_tests": tests, "subtlety": subtle, "rare": rare,
         "common": common, "special": special, "max_turns": turns}
        for functions, faulty, tests, subtle, rare, common, special, turns in [
            (1, 3, 10, 1, 1.0, 0.25, 0.0, 3), (1, 4, 10, 1, 1.0, 0.15, 0.0, 3), (2, 5, 10, 1, 0.9, 0.1, 0.0, 3),
            (2, 6, 8, 2, 0.9, 0.0, 0.0, 3), (3, 7, 8, 2, 0.8, 0.0, 0.1, 3), (3, 8, 8, 2, 0.8, 0.0, 0.2, 3),
            (4, 9, 8, 2, 0.7, 0.0, 0.3, 3), (4, 10, 8, 2, 0.7, 0.0, 0.4, 3), (5, 11, 7, 2, 0.6, 0.0, 0.55, 2),
            (6, 12, 6, 2, 0.6, 0.0, 0.7, 2),
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
        lambda env: env.filled("def {name}(*x):\n    return {result}\nassert {call} == {result}"),
        lambda env: env.filled("import inspect\nassert inspect.getsource({name}) == ''"),
        lambda env: env.filled("import random\nassert {name}([random.random()]) == []"),
        lambda env: env.filled("import sys\nassert {call} == {result}\nsys.exit(0)"),
        lambda env: env.filled("'''\nassert {call} == {result}\n'''"),
        lambda env: env.filled("# assert {call} == {result}"),
        lambda env: env.filled("assert {name}(None{rest}) == None"),
        lambda env: env.filled("assert {name}({{'a': [1.5]}}{rest}) == 'x'"),
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
        asked_for = Asked(self.num_faulty, self.max_tests, self.subtlety, self.rare, self.common, self.special)
        for _ in range(MAX_DRAWS):
            unit = draw.below(len(UNITS))
            variant = draw.below(UNITS[unit].num_variants)
            names = [*UNITS[unit].functions]
            some = {draw.take(names) for _ in range(min(self.num_functions, len(names)))}
            functions = tuple(name for name in UNITS[unit].functions if name in some)
            trial = draw_trial(draw, unit, variant, functions, asked_for)
            if trial is not None:
                return Task(unit, variant, functions, trial.wrong, trial.telling, draw.below(2**53))
        raise SettingsError(
            f"no module with num_faulty={self.num_faulty} faulty versions that max_tests={self.max_tests} tests tell "
            f"was found; lower num_faulty, or raise rare={self.rare}"
        )

    def identity(self, task: Task) -> object:
        """The functions, with the descriptions of whatever they use."""
        used = used_by(task.part.source, list(task.functions))
        docs = [f.doc for f in task.part.functions if f.name.partition(".")[0] in used]
        return UNITS[task.unit].name, task.functions, docs, task.part.source.partition("\n\n\n")[0]

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        self.best = 0.0
        part, names = task.part, task.names
        self.module, source = names.file(part.name), names.text(part.name, part.source)
        renamed = {names.function(f"{part.name}.{name}").partition(".")[2]: name for name in task.functions}
        self.own = renamed
        self.functions = parameters(source, list(renamed))
        draw = Draw("TestWriting request", task.seed)
        whole = len(renamed) == len(part.signatures)
        number = len(task.faulty)
        special = [SPECIAL[name].words for name in dict.fromkeys(wrong.special for wrong in task.faulty) if name]
        shown = source if self.show == "source" else interface(source)
        intro = (
            "This is the correct version:"
            if self.show == "source"
            else "This is its interface; the docstrings say everything:"
        )
        example = next(iter(renamed))
        arguments = ", ".join(name.upper() for name in self.functions[example])
        tries = f" You have {self.max_turns} attempts." if self.max_turns > 1 else ""
        return "\n".join([
            asked(draw, self.module, list(renamed), whole, number), "",
            intro, fenced(shown), "",
            f"{limits(draw, number, self.max_tests, self.kill_rate, special)} Arguments may be:",
            *self._allowed(), "",
            "Answer with one ```python block that has one test per line, such as",
            f"assert {self.module}.{example}({arguments}) == RESULT",
            f"with literals for the arguments and for the result that the correct version returns.{tries}",
        ])  # fmt: skip

    def _allowed(self) -> list[str]:
        """The lines that say what the arguments may be."""
        by_words: dict[tuple[str, str], list[str]] = {}
        for name, own in self.own.items():
            kinds = self.task.part.signatures[own].arguments
            for parameter, kind in zip(self.functions[name], kinds, strict=True):
                by_words.setdefault((parameter, ALLOWED[kind].words), []).append(name)
        parameters = [parameter for parameter, _ in by_words]
        return [
            f"- `{parameter}`{f' of `{names[0]}`' if parameters.count(parameter) > 1 else ''}: {words}"
            for (parameter, words), names in by_words.items()
        ]

    def respond(self, action: str) -> Reply:
        text, problem = read_program(action, examples=True)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            cases = read_cases(text, self.functions, self.max_tests, self.module)
            calls = [self._checked(case) for case in cases]
        except BadTests as error:
            problem = str(error)
            return Reply(f"The tests cannot be used. {problem[:1].upper()}{problem[1:]}.", invalid=True)
        wrong = [case for case, (_, right) in zip(cases, calls, strict=True) if right[1] != case.expected]
        kept = [call for case, call in zip(cases, calls, strict=True) if case not in wrong]
        caught = self._caught(kept)
        share = caught / len(self.task.faulty)
        if not wrong and share >= self.kill_rate:
            return Reply("Correct: the correct version passes your tests and the faulty ones fail.", solved=True)
        gain = 0.0
        if not wrong and share > self.best:
            gain, self.best = self.partial * (share - self.best), share
        return Reply(self._feedback(cases, wrong, caught), gain)

    def _checked(self, case: Case) -> tuple[Call, CallOutcome]:
        """Return a test's call and its right outcome.

        Raises:
            BadTests: Arguments like this are not allowed.
        """
        own = self.own[case.function]
        for kind, value in zip(self.task.part.signatures[own].arguments, case.arguments, strict=True):
            if not ALLOWED[kind].holds(value):
                raise BadTests(
                    f"line {case.line}: the request does not allow the argument {shown_value(value, 100)}: it must be "
                    f"{ALLOWED[kind].words}"
                )
        call = Call.of(f"{self.task.part.name}.{own}", case.arguments)
        outcome = self._run(Wrong(self.task.variant), call)
        if outcome[0] != "returned":
            what = f"raises {outcome[1]}" if outcome[0] == "raised" else "takes too long"
            raise BadTests(f"line {case.line}: the correct version {what} for these arguments")
        return call, outcome

    def _run(self, version: Wrong, call: Call) -> CallOutcome:
        """Call a version afresh."""
        fresh = running(self.task.unit, version)
        return ("raised", "SyntaxError") if fresh is None else fresh.outcome(call)

    def _caught(self, calls: Sequence[tuple[Call, CallOutcome]]) -> int:
        """Return the number of faulty versions that answer at least one of these calls in another way."""
        return sum(
            any(not same_value(self._run(faulty, call), right) for call, right in calls) for faulty in self.task.faulty
        )

    def _feedback(self, cases: Sequence[Case], wrong: Sequence[Case], caught: int) -> str:
        if self.feedback == "none":
            return "Wrong."
        text = f"Wrong: {len(wrong)} of your {len(cases)} tests are wrong"
        if wrong and self.feedback == "tests":
            text += f" (on the lines {', '.join(str(case.line) for case in wrong)})"
        missed = len(self.task.faulty) - caught
        return f"{text}; {missed} of {len(self.task.faulty)} faulty versions pass all your other tests."

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reference(self) -> str:
        """Return the right version."""
        return self.task.names.text(self.task.part.name, self.task.part.source)

    def cases(self) -> list[tuple[str, tuple[Any, ...], Any]]:
        """Functions, arguments and results that catch all faulty versions."""
        names = {own: name for name, own in self.own.items()}
        version = Wrong(self.task.variant)
        return [
            (names[call.function.partition(".")[2]], call.args, self._run(version, call)[1])
            for call in self.task.telling
        ]

    def filled(self, form: str) -> str:
        """Return a message with a form filled for each of the oracle's tests."""
        return fenced(self.lines(form))

    def lines(self, form: str) -> str:
        """Return a form filled for each of the oracle's tests."""
        found = []
        for i, (name, arguments, result) in enumerate(self.cases()):
            written = ", ".join(map(repr, arguments))
            keywords = ", ".join(f"{key}={value!r}" for key, value in zip(self.functions[name], arguments, strict=True))
            found.append(
                form.format(
                    name=name, module=self.module, arguments=written, keywords=keywords, result=repr(result),
                    call=f"{self.module}.{name}({written})", i=i, first=repr(arguments[0]),
                    rest="".join(f", {value!r}" for value in arguments[1:]),
                )
            )  # fmt: skip
        return "\n".join(found)

    def oracle(self) -> str:
        return fenced(self.lines(_TEST))

    def paraphrases(self) -> Sequence[str]:
        tests = self.lines(_TEST)
        indented = self.lines(f"    {_TEST}")
        named = self.lines(
            "    given{i} = {first}\n    wanted = {result}\n    assert {name}(given{i}{rest},) == wanted, 'wrong'"
        )
        methods = self.lines(f"    def test_{{i}}(self):\n        '''A case.'''\n        {_TEST}  # a case")
        head = f"from {self.module} import *\n\n\n"
        test_all = f"def test_all():\n{indented}"
        main = "if __name__ == '__main__':\n    test_all()\n    print('ok')"
        return (
            f"<answer>\n{tests}\n</answer>",
            f"<think>assert?</think>Here:\n{fenced(head + test_all)}\nDone.",
            fenced(f"import pytest\n\ndef test_all() -> None:\n{named}\n\n{main}"),
            fenced(self.lines("assert ({result} == {name}({keywords}))")),
            fenced(f"class TestAll:\n{methods}"),
            f"```\r\n{tests}\r\n```",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = Draw.from_generator(rng)
        names = {own: name for name, own in self.own.items()}
        lines = []
        for _ in range(min(4, self.max_tests)):
            own = draw.choice(self.task.functions)
            arguments = ", ".join(map(repr, draw_call(draw, self.task.part, own).args))
            lines.append(f"assert {self.module}.{names[own]}({arguments}) == {draw.choice(_GUESSES)!r}")
        return fenced("\n".join(lines))
