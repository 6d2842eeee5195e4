r"""What an algorithmic problem is made of: a kernel, and the options that change its objective.

>>> fill("for v in a:\n    @step@\nreturn @end@", {"step": "total += v\ncount += 1", "end": "total"}).splitlines()
['for v in a:', '    total += v', '    count += 1', 'return total']
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import CodeType
from typing import Any, Literal, NamedTuple

from turnwise.core.draw import Draw

__all__ = [
    "MOD",
    "Arg",
    "Inverse",
    "Kernel",
    "Op",
    "Option",
    "Picked",
    "compiled",
    "fill",
    "opt",
    "story",
    "variations",
]

MOD = 1_000_000_007
_LINE, _HOLE = re.compile(r"([ ]*)@(\w+)@"), re.compile(r"@(\w+)@")
_ROUNDS = 4  # pieces may have holes, and so on

Picked = Mapping[str, str | int]
"""The option picked for each choice, and the value of each constant."""


class Option(NamedTuple):
    """One way to make a choice: how much harder it is than the plainest one, and what it puts into each hole."""

    weight: int
    pieces: Mapping[str, str]


def opt(weight: int = 0, /, **pieces: str) -> Option:
    """Make an option; holes of code are written ``@hole@``, holes of words ``{hole}``."""
    return Option(weight, pieces)


def story(**words: str) -> Mapping[str, str]:
    """Make a story: title, introduction, and the words for the holes of the problem; ``cls`` names a class."""
    return words


class Arg(NamedTuple):
    """An argument of the function; its words may have holes.

    Attributes:
        name: Its name.
        kind: "int", "ints" (a line of numbers), "rows" (lines of as many numbers as there are ``cols``), "text" (a
            word), or "grid" (words of equal length).
        say: What it is.
        count: Name of its length.
        cols: Names of the numbers of a row.
    """

    name: str
    kind: Literal["int", "ints", "rows", "text", "grid"]
    say: str
    count: str = ""  # type: ignore[assignment]  # tuples have a method of that name
    cols: str = ""


class Op(NamedTuple):
    """An operation of a data structure.

    Attributes:
        name: Its name.
        args: Names of its arguments, all of them integers.
        say: What it does.
        answers: Whether it returns an integer.
    """

    name: str
    args: str
    say: str
    answers: bool = False


class Inverse(NamedTuple):
    """A question turned around: the smallest value of an argument for which the result reaches a given number.

    Attributes:
        arg: The argument asked for.
        low: Its smallest value, as an expression of the other arguments.
        high: Its largest value.
        up: Whether the result grows with the argument (it must be at least the number), or falls (at most).
        fits: For which options.
    """

    arg: str
    low: str
    high: str
    up: bool
    fits: Callable[[Picked], bool]


@dataclass(frozen=True)
class Kernel:
    """A family of problems with the same core.

    Attributes:
        name: Its name.
        topic: The field it belongs to.
        hard: Difficulty of its plainest variation.
        text: The problem, in words with holes, after the story's introduction.
        stories: Titles, introductions and nouns.
        args: The arguments of the function.
        result: What it returns, in words.
        bounds: Constraints; ``{N}`` is the largest size.
        make: Draws arguments of about a size for the options picked.
        solution: A function ``solve``, or a class ``Solve`` if there are ``ops``.
        slow: The same by definition, quick for small inputs only.
        wrong: Programs that people write: a greedy rule for a search, a forgotten corner.
        small: Largest size where the slow program is quick enough.
        large: Largest size where the solution is quick and the slow program is not.
        choices: The options, by choice.
        params: The values of constants.
        gives: Type of the result.
        ops: Operations of a data structure; ``args`` are then those of its constructor.
        fits: Whether options go together.
        inverse: How the question is turned around, if it can be.
    """

    name: str
    topic: str
    hard: int
    text: str
    stories: tuple[Mapping[str, str], ...]
    args: tuple[Arg, ...]
    result: str
    bounds: tuple[str, ...]
    make: Callable[[Draw, int, Picked], tuple[Any, ...]]
    solution: str
    slow: str
    wrong: tuple[str, ...] = ()
    small: int = 200
    large: int = 100_000
    choices: Mapping[str, Mapping[str, Option]] = field(default_factory=dict)
    params: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    gives: Literal["int", "ints", "text"] = "int"
    ops: tuple[Op, ...] = ()
    fits: Callable[[Picked], bool] = lambda picked: True
    inverse: Inverse | None = None

    def pieces(self, picked: Picked) -> dict[str, str]:
        """Return what fills the holes."""
        found = {name: "" for options in self.choices.values() for option in options.values() for name in option.pieces}
        for choice, options in self.choices.items():
            found.update(options[str(picked[choice])].pieces)
        for name, values in self.params.items():
            value = int(picked.get(name, values[0]))
            found.update({name: str(value), f"{name}m": str(value - 1), f"{name}1": str(value + 1)})
            found.update({f"{name}2": str(2 * value), f"{name}3": str(3 * value)})
        found["MOD"] = str(MOD)
        return found

    def given(self, picked: Picked) -> tuple[Arg, ...]:
        """Return the arguments, without those and without those columns that the options picked do not use.

        The piece ``unused`` names them: "k items.w". A list gives way to its length if nothing else tells it.
        """
        unused = self.pieces(picked).get("unused", "").split()
        kept = []
        for arg in self.args:
            cols = [col for col in arg.cols.split() if f"{arg.name}.{col}" not in unused]
            if arg.name not in unused:
                kind = "ints" if arg.kind == "rows" and len(cols) == 1 else arg.kind
                kept.append(arg._replace(kind=kind, cols=" ".join(cols) if kind == "rows" else ""))
            elif arg.kind == "ints" and all(other.count != arg.count for other in self.args if other is not arg):
                kept.append(Arg(arg.count, "int", f"the number of {{{arg.name}_of}}"))
        return tuple(kept)

    def without_unused(self, values: Sequence[Any], picked: Picked) -> tuple[Any, ...]:
        """Return the values of the arguments that are given."""
        if self.ops:
            return tuple(values)
        given = {arg.name: arg for arg in self.given(picked)}
        kept: list[Any] = []
        for arg, value in zip(self.args, values, strict=True):
            if arg.name not in given:
                kept += [len(value)] if arg.kind == "ints" and arg.count in given else []
            elif arg.kind == "rows":
                names = given[arg.name].cols.split()
                places = [place for place, col in enumerate(arg.cols.split()) if col in names]
                one = given[arg.name].kind == "ints"
                kept.append([row[0] for row in value] if one else [[row[place] for place in places] for row in value])
            else:
                kept.append(value)
        return tuple(kept)

    def completed(self, code: str, picked: Picked) -> str:
        """Return a function of the arguments that are given, from one of all arguments."""
        given = {arg.name: arg for arg in self.given(picked)}
        if tuple(given.values()) == self.args or self.ops:
            return code
        passed = []
        for arg in self.args:
            if arg.name not in given:
                same = next((other.name for other in given.values() if other.count == arg.count), "")
                length = arg.count if arg.count in given else f"len({same})"
                passed.append(f"[1] * {length}" if arg.kind == "ints" else "1")
            elif given[arg.name].cols == arg.cols:
                passed.append(arg.name)
            else:
                names = given[arg.name].cols.split() or arg.cols.split()[:1]
                row = ", ".join(col if col in names else "1" for col in arg.cols.split())
                passed.append(f"[[{row}] for {', '.join(names)} in {arg.name}]")
        inner = code.replace("def solve(", "def with_all(", 1)
        return f"{inner}\n\ndef solve({', '.join(given)}):\n    return with_all({', '.join(passed)})\n"

    def constants(self, picked: Picked) -> set[str]:
        """Return the constants that the options picked use."""
        pieces = self.pieces(picked)
        code = fill(
            self.solution, {**pieces, **{name: f"@{name}@" for name in pieces if name.rstrip("1m23") in self.params}}
        )
        words = " ".join([self.text, self.result, *(op.say for op in self.ops)])
        for _ in range(_ROUNDS):
            words = re.sub(
                r"{(\w+)}", lambda hole: pieces.get(hole[1], "") if hole[1] not in self.params else hole[0], words
            )
        return {name for name in self.params if re.search(f"[@{{]{name}[1m23]?[@}}]", code + words)}

    def code(self, template: str, picked: Picked) -> str:
        """Return a program of the kernel for the options picked."""
        return fill(template, self.pieces(picked)).strip("\n") + "\n"


def fill(template: str, pieces: Mapping[str, str]) -> str:
    """Fill the holes of a program; a hole with a line to itself takes several lines, or none."""
    for _ in range(_ROUNDS):
        if "@" not in template:
            break
        lines: list[str] = []
        for line in template.split("\n"):
            whole = _LINE.fullmatch(line)
            if whole:
                lines += [whole[1] + part for part in pieces[whole[2]].split("\n") if pieces[whole[2]]]
            else:
                lines.append(_HOLE.sub(lambda hole: pieces[hole[1]], line))
        template = "\n".join(lines)
    return template


def variations(kernel: Kernel) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the options that go together, each time with the difficulty that they add up to."""
    names = list(kernel.choices)
    for picked in product(*(kernel.choices[name] for name in names)):
        chosen = dict(zip(names, picked, strict=True))
        if kernel.fits(chosen):
            yield kernel.hard + sum(kernel.choices[name][option].weight for name, option in chosen.items()), chosen


def compiled(source: str, name: str) -> Any:
    """Return a function or class of one of our own programs."""
    code: CodeType = compile(source, "<kernel>", "exec")
    space: dict[str, Any] = {"__name__": "kernel"}
    exec(code, space)
    return space[name]
