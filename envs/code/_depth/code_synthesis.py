"""Agents that measure how deep the tasks of CodeSynthesis are; they see only what a model sees.

The shortcuts answer without an algorithm. The skills have read the library of kernels: "textbook" recognises the kind
of problem and writes the solution of its plainest variation; "systematic" has a table of plain solutions, and writes
the first one for that kind of problem that agrees with all samples; "definition" understands every word of the problem,
and writes the program that follows from the definition, however slow it is.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from turnwise.core.agent import Action, Agent, Play
from turnwise.envs.code._synthesis_text import fenced
from turnwise.worlds.programs.contests.catalogue import HARDEST, KERNELS, Puzzle, puzzles
from turnwise.worlds.programs.contests.kernel import compiled
from turnwise.worlds.programs.contests.problem import Form, Problem

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_CALL = re.compile(r"^(\w+)\((.*)\) == (.*)$", re.MULTILINE)
_STDIN = re.compile(r"Sample input:\n```\n(.*?)\n```\nSample output:\n```\n(.*?)\n```", re.DOTALL)
_METHOD = re.compile(r"^- `(\w+)\((.*?)\)`", re.MULTILINE)


class _Writer(Agent):
    """Writes a program from the first message, and hands it in again in the following turns, ``tries`` times in all."""

    batched = True

    def __init__(self, name: str, program: Callable[[str], str], tries: int = 9) -> None:
        self.name = name
        self._program = program
        self._tries = tries

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self._said(play)) for play in plays]

    def _said(self, play: Play) -> str:
        return fenced(self._program(play.messages[0]["content"])) if play.turn < self._tries else "I give up."


def _form(prompt: str) -> Form:
    return "class" if "Write a class" in prompt else "program" if "standard input" in prompt else "function"


def _wrapped(prompt: str, body: str) -> str:
    """Write a program around the body of a function of arguments ``*x``, in the form asked for."""
    form = _form(prompt)
    if form == "program":
        return f"def answer(*x):\n    {body}\n\n\nprint(answer(open(0).read()))\n"
    if form == "function":
        name = next(iter(re.findall(r"[Ff]unction `(\w+)", prompt)), "solve")
        return f"def {name}(*x):\n    {body}\n"
    name = next(iter(re.findall(r"Write a class `(\w+)`", prompt)), "Solve")
    methods = "".join(f"    def {method}(self, *x):\n        {body}\n\n" for method, _ in _METHOD.findall(prompt))
    return f"class {name}:\n    def __init__(self, *x):\n        pass\n\n{methods}"


def _samples(prompt: str) -> list[tuple[list[Any], Any]]:
    """Return the examples of a function, or of a program as a whole."""
    if _form(prompt) == "program":
        return [([given], printed) for given, printed in _STDIN.findall(prompt)]
    found = []
    for _, args, result in _CALL.findall(prompt):
        try:
            found.append((list(ast.literal_eval(f"({args},)")), ast.literal_eval(result)))
        except (SyntaxError, ValueError):
            continue
    return found


def _knows_examples(prompt: str) -> str:
    table = _samples(prompt)
    strip = "[v.strip() if isinstance(v, str) else v for v in x]" if _form(prompt) == "program" else "list(x)"
    return _wrapped(prompt, f"return next((r for a, r in {table!r} if a == {strip}), {table[0][1] if table else 0!r})")


_GUESSES = (
    "return x[0]", "return len(x[0])", "return sum(x[0])", "return max(x[0])", "return min(x[0])", "return 0",
    "return 1", "return sorted(x[0])", "return x[0][::-1]", "return max(x[0]) - min(x[0])", "return len(set(x[0]))",
    "return sum(x[0]) % 1000000007", "return sum(x[0]) // x[-1]", "return -1",
)  # fmt: skip


def _one_line(prompt: str) -> str:
    """Write the first one-line body that agrees with all examples."""
    samples = _samples(prompt)
    for body in _GUESSES:
        space: dict[str, Any] = {}
        exec(f"def answer(*x):\n    {body}\n", space)
        try:
            if samples and all(space["answer"](*args) == result for args, result in samples):
                return _wrapped(prompt, body)
        except Exception:  # it does not fit arguments of this type
            continue
    return _wrapped(prompt, _GUESSES[0])


@lru_cache(1)
def _titles() -> Mapping[str, str]:
    return {story["title"]: name for name, kernel in KERNELS.items() for story in kernel.stories}


def _kernel(prompt: str) -> str:
    title = prompt.partition("\n")[0].removeprefix("# ")
    return _titles().get(title, "")


def _variations(name: str) -> Iterator[Puzzle]:
    """Yield the variations of a kernel, the plainest first, with all values of their constants."""
    for hardness in range(HARDEST + 1):
        for kernel, mine in puzzles(hardness):
            for picked, turned in mine if kernel == name else ():
                yield from _with_constants(name, picked, turned)


def _with_constants(name: str, picked: Sequence[tuple[str, str]], turned: bool) -> Iterator[Puzzle]:
    kernel = KERNELS[name]
    used = [key for key in kernel.params if key in kernel.constants(dict(picked))]
    found: list[tuple[tuple[str, str | int], ...]] = [tuple(picked)]
    for key in used:
        found = [(*more, (key, value)) for more in found for value in kernel.params[key]]
    for more in found:
        yield Puzzle(name, more, turned)


def _seed(prompt: str, name: str) -> int:
    """Return a seed whose story is the prompt's."""
    title = prompt.partition("\n")[0].removeprefix("# ")
    puzzle = next(_variations(name))
    return next(seed for seed in range(10_000) if Problem(puzzle, seed, "function", True).story["title"] == title)


def _says(problem: Problem, prompt: str) -> bool:
    return all(line in prompt for line in problem.statement() if not re.search(r"≤|^Constraints", line))


def _by_definition(prompt: str) -> str:
    name = _kernel(prompt)
    if not name:
        return _one_line(prompt)
    seed, form = _seed(prompt, name), _form(prompt)
    for puzzle in _variations(name):
        problem = Problem(puzzle, seed, form, large=True)
        if _says(problem, prompt):
            return problem.slow()
    return _one_line(prompt)


def _textbook(prompt: str) -> str:
    name = _kernel(prompt)
    if not name:
        return _one_line(prompt)
    return Problem(next(_variations(name)), _seed(prompt, name), _form(prompt), large=True).reference()


def _systematic(prompt: str) -> str:
    """Write the first plain solution that agrees with all samples."""
    name = _kernel(prompt)
    if not name:
        return _one_line(prompt)
    seed, form = _seed(prompt, name), _form(prompt)
    known = [Problem(puzzle, seed, form, large=True) for puzzle in _plain(name)]
    for problem in sorted(known, key=lambda problem: not _says(problem, prompt)):  # the constant is in the words
        if _agrees(problem, prompt):
            return problem.reference()
    return _textbook(prompt)


def _plain(name: str) -> Iterator[Puzzle]:
    for hardness in (0, 1):
        for kernel, mine in puzzles(hardness):
            for picked, turned in mine if kernel == name else ():
                yield from _with_constants(name, picked, turned)


def _agrees(problem: Problem, prompt: str) -> bool:
    """Whether a solution gives the results of all samples."""
    try:
        if problem.form == "function":
            return all(problem.run(args) == result for args, result in _samples(prompt))
        if problem.form == "program":
            main = problem.reference().replace("def main():", "def main(text):").replace("sys.stdin.read()", "text")
            main = re.sub(r"    print\(.*\)\n\n\nmain\(\)\n\Z", "    return out\n", main)
            solve = compiled(main, "main")
            return all([str(v) for v in solve(given)] == wanted.split("\n") for (given,), wanted in _samples(prompt))
    except Exception:  # it does not fit arguments of this type
        return False
    return True


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "knows the examples": partial(_Writer, "knows the examples", _knows_examples),
    "always zero": partial(_Writer, "always zero", lambda prompt: _wrapped(prompt, "return 0")),
    "returns the input": partial(_Writer, "returns the input", lambda prompt: _wrapped(prompt, "return x[0]")),
    "one line that fits": partial(_Writer, "one line that fits", _one_line),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "one line": partial(_Writer, "one line", _one_line),
    "textbook": partial(_Writer, "textbook", _textbook),
    "systematic": partial(_Writer, "systematic", _systematic),
    "definition": partial(_Writer, "definition", _by_definition, 1),  # too slow is too slow
}


def extent(env: Any) -> tuple[int, int]:
    """Return the steps of a shortest solution, and the facts of the problem that it depends on."""
    asked = env.task.asked
    if isinstance(asked, Puzzle):
        kernel = KERNELS[asked.kernel]
        return 1, len(asked.picked) + len(kernel.args) + len(kernel.ops) + asked.turned
    return 1, 1 + len(asked.steps)
