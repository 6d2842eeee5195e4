"""Which of many functions is wrong? They can be called; their signatures and docstrings are shown, not their code."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import indent

from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.debugging.domains import Unclear
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import (
    UNITS,
    Fault,
    Part,
    Program,
    draw_call,
    draw_fault,
    part_of,
    program_of,
)

__all__ = ["MIN_FUNCTIONS", "FunctionTask", "draw_function"]

MIN_FUNCTIONS = 28
_FUNCTIONS = (MIN_FUNCTIONS, 34, 40, 46, 96)  # at least so many, by size; with the largest a guess is hardly ever right
_TRIES = 12
_SHARES = (1.0, 0.7, 0.5, 0.4, 0.3)  # of a function's calls that reveal its bug, by size
_EXAMPLES = 2  # calls shown for each function


@dataclass(frozen=True)
class FunctionTask:
    """Which function is wrong? Units with their behaviours, and a bug in one of them."""

    units: tuple[tuple[int, int], ...]
    fault: Fault
    seed: int = field(compare=False)

    @property
    def program(self) -> Program:
        """The units."""
        return program_of(self.units)

    @property
    def names(self) -> Names:
        """Names of their parts."""
        return Names(self.program, Draw("Debugging names", self.seed))

    @property
    def modules(self) -> dict[str, str]:
        """The sources by name, as they are loaded."""
        changed = self.program.changed([self.fault])
        return {self.names.file(name): self.names.text(name, source) for name, source in changed.items()}

    @property
    def candidates(self) -> list[str]:
        """All functions that can be called."""
        parts = self.program.parts.values()
        return sorted(self.names.function(f"{part.name}.{function}") for part in parts for function in part.signatures)

    @property
    def solution(self) -> str:
        """The wrong function."""
        return self.names.function(f"{self.fault.file}.{_holding(self.program.parts[self.fault.file], self.fault)}")

    @property
    def stubs(self) -> dict[str, str]:
        """What is public of each module, by path: signatures, docstrings, and examples of calls."""
        draw = Draw("Debugging stubs", self.seed)
        found = {}
        for name, source in self.program.files.items():
            part, module = self.program.parts[name], self.names.file(name)
            calls = {f: [draw_call(draw, part, f) for _ in range(_EXAMPLES)] for f in part.signatures}
            examples = {
                self.names.function(f"{name}.{f}"): [", ".join(map(repr, call.args)) for call in each]
                for f, each in calls.items()
            }
            found[f"{module}.pyi"] = _stub(module, self.names.text(name, source), examples)
        return found

    def read(self, text: str) -> str:
        """Read the function that an answer names.

        Raises:
            Unclear: No function, or more than one, has that name.
        """
        name = text.strip().removesuffix("()")
        found = [c for c in self.candidates if c == name or c.endswith(f".{name}")] if name else []
        if name in found:
            return name
        if len(found) != 1:
            raise Unclear("an answer is the name of one of the functions, such as module.function")
        return found[0]


def _holding(part: Part, fault: Fault) -> str:
    """Return the innermost function around a fault."""
    return [f.name for f in part.functions if f.line <= fault.edit.line <= f.end_line][-1]


def _stub(module: str, source: str, examples: Mapping[str, Sequence[str]]) -> str:
    tree = parse(source)
    parts = [f'"""{ast.get_docstring(tree)}"""']
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and f"{module}.{node.name}" in examples:
            doc = indent(ast.get_docstring(node) or "", "    ").strip()
            shown = [f"# such as {node.name}({arguments})" for arguments in examples[f"{module}.{node.name}"]]
            head = f"def {node.name}({ast.unparse(node.args)}):"
            parts.append("\n".join([*shown, head, f'    """{doc}"""', "    ..."]))
    return "\n\n\n".join(parts) + "\n"


def draw_function(draw: Draw, size: int) -> FunctionTask | None:
    """Draw units with more functions for larger ``size``; one is wrong, on fewer inputs for larger ``size``."""
    left = list(range(len(UNITS)))
    units: list[tuple[int, int]] = []
    number = 0
    while number < _FUNCTIONS[size - 1]:
        unit = draw.take(left)
        units.append((unit, draw.below(UNITS[unit].num_variants)))
        number += len(part_of(*units[-1]).signatures)
    part = part_of(*draw.choice(units))
    for _ in range(_TRIES):
        edit = draw_fault(draw, part, share=_SHARES[size - 1])
        if edit is None:
            break
        fault = Fault(part.name, edit)
        name = _holding(part, fault)
        if name in part.signatures and [*part.revealing(edit)] == [name] and not part.crashes(edit):
            return FunctionTask(tuple(units), fault, draw.below(2**53))
    return None
