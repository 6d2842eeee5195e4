"""Parts of programs as people write them: functions and classes with the standard library, in many variations.

They are in ``data/parts.txt``. A line ``%% name IN OUT`` begins a part, which turns a value of one type into a value of
another; a line ``=>`` has the call, in which ``@`` is the value. ``{%a|b%}`` stands for one of several texts, some of
which mean something else and some of which are other names; ``{%key=a|b%}`` is the same text as ``{%key%}`` later on.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from turnwise.core.draw import Draw

__all__ = ["Part", "Written", "load_parts", "written_part"]

_HEAD = re.compile(r"^%% (\w+) (\w) (\w)\n", re.MULTILINE)
_INNERMOST = re.compile(r"\{%((?:(?!\{%|%\}).)*?)%\}", re.DOTALL)
_KEY = re.compile(r"(\w+)=(?!=)")
_DEFINED = re.compile(r"^(?:def|class) (\w+)|^(\w+) = ", re.MULTILINE)


class Part(NamedTuple):
    """A template.

    Attributes:
        name: Its name, unique.
        takes: Type of its argument: a letter, see `sources.SOURCES` and `scripts`.
        gives: Type of its value.
        text: Imports and definitions.
        call: How it is called with ``@``.
    """

    name: str
    takes: str
    gives: str
    text: str
    call: str


class Written(NamedTuple):
    """A part in one of its variations.

    Attributes:
        part: The template.
        imports: Its import lines.
        body: Its definitions.
        call: The call, with ``@`` for the argument.
        names: What it defines.
    """

    part: Part
    imports: tuple[str, ...]
    body: str
    call: str
    names: frozenset[str]


@cache
def load_parts() -> tuple[Part, ...]:
    """Return all parts."""
    text = Path(__file__).with_name("data").joinpath("parts.txt").read_text(encoding="utf-8")
    _, *pieces = _HEAD.split(text)
    found = []
    for name, takes, gives, body in zip(pieces[::4], pieces[1::4], pieces[2::4], pieces[3::4], strict=True):
        source, _, call = body.rpartition("\n=> ")
        found.append(Part(name, takes, gives, source, call.strip()))
    return tuple(found)


def written_part(draw: Draw, part: Part, known: dict[str, str]) -> Written:
    """Draw a variation of a part.

    Args:
        draw: Source of randomness.
        part: The template.
        known: Texts of keys that the program's data decide, such as the separator of its lines.
    """
    keys = dict(known)

    def chosen(match: re.Match[str]) -> str:
        text = match[1]
        if text in keys:
            return keys[text]
        key = _KEY.match(text)
        if key is None or "|" not in text:
            return str(draw.choice(text.split("|")))
        keys[key[1]] = draw.choice(text[key.end() :].split("|"))
        return keys[key[1]]

    text = f"{part.text}\n=> {part.call}"
    while _INNERMOST.search(text):
        text = _INNERMOST.sub(chosen, text, count=1)
    body, _, call = text.rpartition("\n=> ")
    lines = [line for line in body.split("\n") if line.strip() or not line]  # an empty choice leaves blanks
    imports = tuple(line for line in lines if line.startswith(("import ", "from ")))
    source = "\n".join(line for line in lines if line not in imports)
    return Written(part, imports, source, call, frozenset(a or b for a, b in _DEFINED.findall(source)))
