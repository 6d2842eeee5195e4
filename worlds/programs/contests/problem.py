"""A puzzle as it is posed: its words, its samples, its hidden tests, and programs that are right and wrong."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.contests.catalogue import KERNELS, Puzzle
from turnwise.worlds.programs.contests.kernel import Arg, compiled
from turnwise.worlds.programs.contests.layout import (
    answers,
    described,
    reader,
    signature,
    stdin_of,
    stdout_of,
)

__all__ = ["Case", "Form", "Problem"]

Form = Literal["function", "program", "class"]
_MIDDLE, _LARGE, _SMALL = 20, 2, 60
_SAMPLE_CHARS = 160
_TURNED = (
    "Now the other way round: {name} is not given. Given {bound}, find the smallest {name}, from {ends}, for which "
    "{reached}; the answer is -1 if there is none.",
    "But {name} is up to you: for a given {bound}, what is the smallest {name}, from {ends}, for which {reached}? If "
    "there is none, the answer is -1.",
    "Nobody remembers {name}. You are given {bound} instead and look for the smallest {name}, from {ends}, for which "
    "{reached}; the answer is -1 if there is none.",
)
_SOLVE = re.compile(r"\bsolve\b|\bSolve\b")


class Case(NamedTuple):
    """A test case: the arguments (of a class: those of its constructor, and the operations), and the result."""

    args: tuple[Any, ...]
    result: Any


class Problem:
    """A puzzle in a story.

    Args:
        puzzle: What is asked.
        seed: Of story, wording and samples.
        form: How it is asked.
        large: Whether inputs are so large that slow programs are too slow.
    """

    num_big = _LARGE
    """Test cases of the largest size."""

    def __init__(self, puzzle: Puzzle, seed: int, form: Form, large: bool) -> None:
        self.puzzle = puzzle
        self.seed = seed
        self.form = form
        self.large = large
        self.kernel = KERNELS[puzzle.kernel]
        self.picked = dict(puzzle.picked)
        draw = Draw("story", seed)
        self.story = draw.choice(self.kernel.stories)
        self.bound = "x" if all(arg.name != "x" for arg in self.kernel.args) else "limit"
        size = self.kernel.large if large else self.kernel.small
        self.largest = max(61, size // 40) if puzzle.turned and large else size
        title = self.story["title"]
        words = re.findall(r"\w+", title.replace("'", ""))
        self.name = self.story["cls"] if self.kernel.ops else "_".join(words).lower()
        self._words = {
            **self.kernel.pieces(self.picked),
            **dict(self.story),
            "N": _number(self.largest),
        }
        self._words["MOD"] = "10^9 + 7"

    def __reduce__(self) -> tuple[Any, ...]:
        return Problem, (self.puzzle, self.seed, self.form, self.large)

    # ---- words ------------------------------------------------------------------------------------------------------

    def say(self, words: str) -> str:
        """Fill the holes of words."""
        for _ in range(4):
            if "{" not in words:
                break
            words = words.format_map(_Words(self._words))
        words = re.sub(r"@(\w+)@", lambda hole: self._words[hole[1]], words)
        return re.sub(r"\s+([,;]|[.](?![.]))", r"\1", re.sub(r" {2,}", " ", words)).strip()

    @cached_property
    def _given(self) -> tuple[Arg, ...]:
        return self.kernel.given(self.picked)

    @cached_property
    def args(self) -> tuple[Arg, ...]:
        """The arguments that are given."""
        inverse = self.kernel.inverse
        given = tuple(arg._replace(cols=self.say(arg.cols)) for arg in self._given)
        if not self.puzzle.turned or inverse is None:
            return given
        return (
            *(arg for arg in given if arg.name != inverse.arg),
            Arg(self.bound, "int", f"the number {self.bound}"),
        )

    def statement(self) -> list[str]:
        """Return the lines of the problem, without samples."""
        kernel, inverse = self.kernel, self.kernel.inverse
        lines = [f"# {self.story['title']}", "", f"{self.story['intro']} {self.say(kernel.text)}"]
        bounds = [self.say(bound) for bound in kernel.bounds]
        asked = self.say
        if self.puzzle.turned and inverse is not None:
            name = inverse.arg
            draw = Draw("turned", self.seed)
            wanted = self.say(kernel.result).partition(", or ")[0]
            reached = f"{wanted} is at {'least' if inverse.up else 'most'} {self.bound}"
            lines += [
                "",
                draw.choice(_TURNED).format(name=name, bound=self.bound, ends=self._ends(), reached=reached),
            ]
            bounds = [bound for bound in bounds if not re.search(rf"\b{name}\b", bound)]
            bounds.append(f"0 ≤ {self.bound} ≤ 10^18")
            answer = f"the smallest {name}, or -1"
            asked = lambda words: answer if words is kernel.result else self.say(words)  # noqa: E731
        lines += ["", *described(kernel, self.args, self.form, self.name, asked)]
        lines += ["", "Constraints:", *(f"- {bound}" for bound in bounds if bound)]
        return lines

    def _ends(self) -> str:
        inverse = self.kernel.inverse
        assert inverse is not None
        high = {"max(sum(a), len(a))": "the larger of n and the sum of all a_i"}.get(inverse.high, inverse.high)
        high = re.sub(r"len[(]\w+[)]", "n", high)
        return f"{inverse.low} to {high.replace('**', '^').replace(' * ', '·')}"

    def shown(self, cases: Sequence[Case]) -> list[str]:
        """Return the lines that show samples."""
        if not cases:
            return []
        if self.form == "program":
            given = stdin_of(self.kernel, self.args, [case.args for case in cases])
            return [
                "Sample input:",
                "```",
                given.rstrip(),
                "```",
                "Sample output:",
                "```",
                self.stdout(cases).rstrip(),
                "```",
            ]
        lines = ["Examples:" if len(cases) > 1 else "Example:"]
        for case in cases:
            if self.form == "function":
                lines.append(f"{self.name}({', '.join(map(repr, case.args))}) == {case.result!r}")
                continue
            *first, ops = case.args
            lines += ["```", f">>> it = {self.name}({', '.join(map(repr, first))})"]
            results = iter(case.result)
            answering = {op.name for op in self.kernel.ops if op.answers}
            for name, *args in ops:
                lines.append(f">>> it.{name}({', '.join(map(repr, args))})")
                lines += [str(next(results))] if name in answering else []
            lines.append("```")
        return lines

    def stdin(self, cases: Sequence[Case]) -> str:
        """Return what a program reads."""
        return stdin_of(self.kernel, self.args, [case.args for case in cases])

    def stdout(self, cases: Sequence[Case]) -> str:
        """Return what a program prints."""
        return stdout_of(self.kernel, [case.result for case in cases])

    # ---- tests ------------------------------------------------------------------------------------------------------

    def samples(self, count: int) -> list[Case]:
        """Return short test cases with results that differ."""
        draw = Draw("samples", self.seed)
        found: dict[str, tuple[int, int, Case]] = {}
        for number in range(60):
            if len(found) >= 6 * count:
                break
            case = self.case(draw, draw.integer(4, 7))
            text, result = repr(case.args), repr(case.result)
            plain = not self.kernel.ops and case.result in (0, 1, -1)
            if len(text) <= _SAMPLE_CHARS + 4 * number and (not plain or number >= 30):
                found.setdefault(result, (-len(set(re.findall(r"\w+", text))), len(text), case))
        chosen = sorted(found.values(), key=lambda item: item[:2])[:count]  # the richest ones
        return [case for _, _, case in sorted(chosen, key=lambda item: item[1])]

    def small(self, seed: int, count: int, without: Sequence[Case] = ()) -> list[Case]:
        """Return many small test cases, and some of middle size."""
        draw = Draw("small", seed)
        seen = {repr(case.args) for case in without}
        found: list[Case] = []
        for number in range(count + _MIDDLE):
            size = 1 + number % 8 if number < count else draw.either(12, 25, 40)
            case = self.case(draw, min(size, self.largest))
            if repr(case.args) not in seen:
                seen.add(repr(case.args))
                found.append(case)
        return found

    def big(self, seed: int) -> list[Case]:
        """Return test cases of the largest size."""
        draw = Draw("large", seed)
        return [self.case(draw, self.largest, hard) for hard in range(self.num_big)]

    def case(self, draw: Draw, size: int, hard: int = 0) -> Case:
        """Draw a test case; a hard one is of a shape that slow programs like least."""
        every = self.kernel.make(draw, size, {**self.picked, "hard": hard})
        args = self.kernel.without_unused(every, self.picked)
        if not self.puzzle.turned:
            return Case(args, self.run(args))
        inverse = self.kernel.inverse
        assert inverse is not None
        values = dict(zip((arg.name for arg in self._given), args, strict=True))
        if size <= _SMALL and draw.chance(0.3):  # at the end of the range, or just out of reach
            values[inverse.arg] = self._last(*(values[arg.name] for arg in self._given))
            end = self._plain(*(values[arg.name] for arg in self._given))
            values[self.bound] = max(0, end + draw.either(0, 1, 1) * (1 if inverse.up else -1))
        else:
            result = self._plain(*args)
            values[self.bound] = max(0, result + draw.either(0, 0, 1, -1, result // 3))
        turned = tuple(values[arg.name] for arg in self.args)
        return Case(turned, self.run(turned))

    def run(self, args: Sequence[Any]) -> Any:
        """Return the right result."""
        if self.kernel.ops:
            *first, ops = args
            return answers(self.kernel, ops, self._solve(*first))
        return self._solve(*args)

    @cached_property
    def _plain(self) -> Any:
        return compiled(self._code(self.kernel.solution), "solve")

    @cached_property
    def _last(self) -> Any:
        inverse = self.kernel.inverse
        assert inverse is not None
        return compiled(f"def last({signature(self._given)}):\n    return {inverse.high}\n", "last")

    @cached_property
    def _solve(self) -> Any:
        return compiled(self._function(self.kernel.solution), "Solve" if self.kernel.ops else "solve")

    # ---- programs ---------------------------------------------------------------------------------------------------

    def reference(self) -> str:
        """Return the right program."""
        return self.program(self._function(self.kernel.solution))

    def slow(self) -> str:
        """Return a program that is right by definition, and too slow for large inputs."""
        code = self._function(self.kernel.slow, scan=True)
        return self.program(re.sub(r"\n *@lru_cache\(None\)", "", code))

    def wrong(self) -> list[str]:
        """Return programs that people write instead."""
        return [self.program(self._function(code)) for code in self.kernel.wrong]

    def checked(self, args: Sequence[Any]) -> Any:
        """Return the result of the slow program, with its caches, for small arguments."""
        thing = compiled(self._function(self.kernel.slow, scan=True), "Solve" if self.kernel.ops else "solve")
        if self.kernel.ops:
            *first, ops = args
            return answers(self.kernel, ops, thing(*first))
        return thing(*args)

    def _code(self, template: str) -> str:
        return self.kernel.completed(self.kernel.code(template, self.picked), self.picked)

    def _function(self, template: str, scan: bool = False) -> str:
        code = self._code(template)
        inverse = self.kernel.inverse
        if not self.puzzle.turned or inverse is None:
            return code
        plain = code.replace("def solve(", "def plain(", 1)
        sign, body = (">=" if inverse.up else "<="), _SCAN if scan else _BISECT
        return plain + "\n\n" + body.format(
            given=signature(self.args), every=signature(self._given), arg=inverse.arg, low=inverse.low,
            high=inverse.high, sign=sign, bound=self.bound,
        )  # fmt: skip

    def program(self, code: str) -> str:
        """Return a complete program in the form asked for, from a function or class ``solve``."""
        code = _SOLVE.sub(self.name, code)
        if self.form != "program":
            return code
        return f"import sys\n{code}{self._reader()}"

    def _reader(self) -> str:
        text = reader(self.kernel, self.args, self.name)
        for op in self.kernel.ops:
            count = len(self.say(op.args).split())
            text = text.replace(f"ARGS_{op.name})", f"{', '.join(['int(next(data))'] * count)})")
            if not op.answers:
                text = re.sub(rf"out\.append\((thing\.{op.name}\(.*\))\)", r"\1", text)
        return text


class _Words(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""


_BISECT = """def solve({given}):
    low, high = {low}, {high}
    while low < high:
        {arg} = (low + high) // 2
        if plain({every}) {sign} {bound}:
            high = {arg}
        else:
            low = {arg} + 1
    {arg} = low
    return low if plain({every}) {sign} {bound} else -1
"""
_SCAN = """def solve({given}):
    for {arg} in range({low}, {high} + 1):
        if plain({every}) {sign} {bound}:
            return {arg}
    return -1
"""


def _number(value: int) -> str:
    """Write a bound as people do."""
    for power in (6, 5, 4, 3):
        lead, rest = divmod(value, 10**power)
        if lead and not rest and lead < 10:
            return f"10^{power}" if lead == 1 else f"{lead}·10^{power}"
    return str(value)
