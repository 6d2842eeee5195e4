"""Programs of 20 to 130 lines, each about one thing: data, code for them, and a function that reports on them.

They are in ``data/programs_*.txt``. A line ``%% name`` begins one and names the function that is called. Up to
``%setup`` stand its docstring, data, functions and classes. The lines after it begin the function. Each ``%part key``
is one of the reports, some of which are drawn: what it defines, lines ``-> …`` for the function, and after ``=>`` the
value that is returned. ``%part key = name: Text.`` gives the name and the docstring of a program that has no other
report. What the drawn reports do not use is left out; ``{%@key,other?a|b%}`` is a if one of these reports is drawn.

Nothing in them depends on the order of a set, on the clock or on Python's version.
"""

import ast
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.generated.pruning import pruned, reached
from turnwise.worlds.programs.generated.templates import Filling, sections, split

__all__ = ["FILES", "Draft", "Script", "draw_script", "load_scripts"]

FILES = (
    "programs_business.txt",
    "programs_codes.txt",
    "programs_games.txt",
    "programs_graphs.txt",
    "programs_money.txt",
    "programs_records.txt",
    "programs_systems.txt",
    "programs_text.txt",
    "programs_time.txt",
)
_CONSTANT = re.compile(r"""^[A-Z]+ = (?:["{]).*\n""", re.MULTILINE)  # data, which stand with the others
_IMPORT = re.compile(r"^(?:import|from) .*\n", re.MULTILINE)


class _Part(NamedTuple):
    key: str
    alone: str  # name of a program with this report only
    purpose: str
    text: str
    lines: tuple[str, ...]
    value: str


class Script(NamedTuple):
    """A program with its variations.

    Attributes:
        name: The function that is called.
        core: Docstring, imports, data and definitions of all reports.
        setup: The first lines of the function.
        parts: Its reports.
    """

    name: str
    core: str
    setup: str
    parts: tuple[_Part, ...]


@cache
def load_scripts() -> tuple[Script, ...]:
    """Return all programs."""
    return tuple(_script(head, text) for file in FILES for head, text in sections(file, "%% "))


def _script(name: str, text: str) -> Script:
    core, setup, parts = "", "", []
    for head, body in split(text, "%"):
        kind, _, key = head.partition(" ")
        if kind == "part":
            lines = body.splitlines()
            called = tuple(line[3:] for line in lines if line.startswith("-> "))
            value = next(line[3:] for line in lines if line.startswith("=> "))
            defined = "\n".join(line for line in lines if not line.startswith(("-> ", "=> ")))
            names, _, purpose = key.partition(": ")
            key, _, alone = names.partition(" = ")
            parts.append(_Part(key, alone, purpose, defined + "\n", called, value))
        elif kind == "setup":
            setup = body
        else:
            core = body
    return Script(name, core, setup, tuple(parts))


class Draft(NamedTuple):
    """A program of which some reports are drawn.

    Attributes:
        name: The function that is called.
        bodies: What it is made of.
    """

    name: str
    bodies: tuple[str, ...]

    def rough(self) -> str:
        """Return a program with the same result, in which some things may not be used; this takes less time."""
        return _assembled(self.bodies, self.name, reached)

    def source(self) -> str:
        """Return the program."""
        return _assembled(self.bodies, self.name, pruned)


def draw_script(draw: Draw, num_parts: int, length: int, script: Script | None = None) -> Draft:
    """Draw a program with so many reports, or all that it has.

    Args:
        draw: Source of randomness.
        num_parts: Number of reports.
        length: Number of records in its data.
        script: The program, or None to draw one.
    """
    script = script or draw.choice(load_scripts())
    places = sorted(draw.sample(range(len(script.parts)), num_parts))
    drawn = [script.parts[place] for place in places]
    filling = Filling(draw, length, {part.key for part in drawn})
    parts = [
        part._replace(
            text=filling.fill(part.text), lines=tuple(map(filling.fill, part.lines)), value=filling.fill(part.value)
        )
        for part in drawn
    ]
    core, setup = filling.fill(script.core), filling.fill(script.setup)
    name = script.name
    if len(parts) == 1:
        name = parts[0].alone
        core = re.sub(r'^""".*"""', f'"""{filling.fill(parts[0].purpose)}"""', core, count=1)
    main = _main(draw, name, setup, parts)
    constants = "".join(line for part in parts for line in _CONSTANT.findall(part.text))
    core = re.sub(r"\n\n\n", lambda gap: "\n" + constants.rstrip("\n") + gap[0], core, count=1) if constants else core
    bodies = [core, *(text for part in parts if (text := _CONSTANT.sub("", part.text).strip()))]
    return Draft(name, (*bodies, main))


def _main(draw: Draw, name: str, setup: str, parts: list[_Part]) -> str:
    lines = [*setup.strip("\n").splitlines(), *(line for part in parts for line in part.lines)]
    if len(parts) == 1:
        lines.append(f"return {_bare(parts[0].value)}")
    elif draw.chance(0.5) and not any(re.search(rf"\b{part.key}\b", one.value) for part in parts for one in parts):
        lines += [f"{part.key} = {_bare(part.value)}" for part in parts]
        lines.append(f"return {', '.join(part.key for part in parts)}")
    else:
        lines += ["return {", *(f'    "{part.key}": {part.value},' for part in parts), "}"]
    return _without_unused(f"def {name}():\n" + "".join(f"    {line}\n" for line in lines))


def _bare(value: str) -> str:
    """Leave out the parentheses around a tuple."""
    tree = parse(value, "eval").body
    return value[1:-1] if isinstance(tree, ast.Tuple) and value.startswith("(") else value


def _without_unused(main: str) -> str:
    """Leave out what the function assigns and does not use."""
    function = parse(main).body[0]
    assert isinstance(function, ast.FunctionDef)
    lines = main.splitlines()
    used: set[str] = set()
    for statement in reversed(function.body):
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            names = [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
            if not used & set(names):
                lines[statement.lineno - 1] = ""
                continue
            if isinstance(target, ast.Tuple):
                _, _, value = lines[statement.lineno - 1].partition(" = ")
                kept = ", ".join(name if name in used else "_" for name in names)
                lines[statement.lineno - 1] = f"    {kept} = {value}"
        used |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return "\n".join(line for line in lines if line) + "\n"


def _assembled(bodies: Sequence[str], main: str, prune: Callable[[str, str], str]) -> str:
    """Join the parts of a program without what its function does not reach, with the imports that are left."""
    imports = [line.strip() for body in bodies for line in _IMPORT.findall(body)]
    first, *rest = (_IMPORT.sub("", body).strip("\n") for body in bodies)
    docstring, _, first = first.partition("\n")
    code = prune("\n\n\n".join([first.strip("\n"), *(body for body in rest if body)]) + "\n", main)
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    for line in imports:
        _, module, _, *names = line.replace(",", "").split() + [""] * 2
        wanted = {name for name in names if name and re.search(rf"\b{name}\b", code)}
        if wanted:
            named.setdefault(module, set()).update(wanted)
        elif line.startswith("import ") and re.search(rf"\b{module}\b", code):
            plain.add(line)
    head = [*sorted(plain), *(f"from {module} import {', '.join(sorted(named[module]))}" for module in sorted(named))]
    space = [] if not head else ["", ""] if code.startswith(("def ", "class ", "@")) else [""]
    return "\n".join([docstring, "", *head, *space, code])
