"""A specification in steps, posed like any other problem."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.worlds.programs.contests.problem import Case
from turnwise.worlds.programs.specifications.program import (
    CAN_PRINT,
    CAN_READ,
    name_of,
    question_lines,
    source_of,
    written,
)
from turnwise.worlds.programs.specifications.steps import Spec, neighbours, run, stages
from turnwise.worlds.programs.specifications.tests import draw_spec, example_inputs, hidden_inputs
from turnwise.worlds.programs.specifications.types import TAKES

__all__ = ["Steps", "draw_steps"]


def draw_steps(draw: Draw, topic: str, num_steps: int, form: str) -> tuple[Spec, tuple[Any, ...]]:
    """Draw a specification, and inputs that rule out its wrong readings.

    Args:
        draw: Source of randomness.
        topic: Type of the argument, or "mixed".
        num_steps: Number of steps.
        form: "program": only what can be read and printed.
    """
    every = CAN_READ if form == "program" else tuple(TAKES)
    while True:
        drawn = draw_spec(draw, draw.choice(every) if topic == "mixed" else topic, num_steps)
        if drawn is not None and (form != "program" or drawn[0].gives in CAN_PRINT):
            return drawn


class Steps:
    """A specification as a problem.

    Args:
        spec: The specification.
        telling: Inputs that rule out its wrong readings.
        seed: Of wording, examples and tests.
        form: How it is asked.
    """

    num_big = 0
    """Large inputs: there are none."""

    def __init__(self, spec: Spec, telling: Sequence[Any], seed: int, form: Literal["function", "program"]) -> None:
        self.spec = spec
        self.telling = telling
        self.seed = seed
        self.form = form
        self.name = name_of(seed)

    def __reduce__(self) -> tuple[Any, ...]:
        return Steps, (self.spec, self.telling, self.seed, self.form)

    def statement(self) -> list[str]:
        """Return the lines of the problem, without examples."""
        wanted = f"a Python function `{self.name}`" if self.form == "function" else "a Python program"
        return [f"Write {wanted}.", "", *question_lines(self.spec, self.seed, self.form)]

    def shown(self, cases: Sequence[Case]) -> list[str]:
        """Return the lines that show examples."""
        if not cases:
            return []
        lines = ["Examples:" if len(cases) > 1 else "Example:"]
        for (value,), result in cases:
            if self.form == "function":
                lines.append(f"{self.name}({value!r}) == {result!r}")
            else:
                lines.append(f"For the input\n{written(value)}\nit prints\n{written(result)}")
        return lines

    def stdin(self, cases: Sequence[Case]) -> str:
        """Return what a program reads: one case."""
        ((value,), _), *_ = cases
        return f"{written(value)}\n"

    def stdout(self, cases: Sequence[Case]) -> str:
        """Return what a program prints."""
        return "".join(f"{written(case.result)}\n" for case in cases)

    def samples(self, count: int) -> list[Case]:
        """Return examples."""
        return [Case((value,), self.run((value,))) for value in self._sample_inputs(count)]

    def _sample_inputs(self, count: int) -> list[Any]:
        return example_inputs(self.spec, seed_of("examples", self.seed), count, self.telling)

    def small(self, seed: int, count: int, without: Sequence[Case] = ()) -> list[Case]:
        """Return test cases that rule out every wrong reading, and corners, and random ones."""
        values = hidden_inputs(self.spec, self.telling, seed, count, [case.args[0] for case in without])
        return [Case((value,), self.run((value,))) for value in values]

    def big(self, seed: int) -> list[Case]:
        """Return nothing: there are no large inputs."""
        return []

    def run(self, args: Sequence[Any]) -> Any:
        """Return the right result."""
        return run(self._stages, args[0])

    @cached_property
    def _stages(self) -> Any:
        return stages(self.spec)

    def reference(self) -> str:
        """Return the right program."""
        return source_of(self.spec, self._stages, self.name, self.form)

    def wrong(self) -> list[str]:
        """Return the programs of wrong readings."""
        readings = [code for _, code, required in neighbours(self.spec) if required]
        return [source_of(self.spec, code, self.name, self.form) for code in readings]
