"""What a unit of the library is: a small module as a template, the behaviours it may have, and how it is called."""

import re
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Row", "Signature", "Unit", "filled"]

Row = Mapping[str, str]
"""One behaviour: what stands for each ``$name`` of a template."""
_PLACE = re.compile(r"\$([a-z_]+)")
_MOST = 110  # characters in a line
_LINE = re.compile(r"^ *\$([a-z_]+)\n", re.MULTILINE)


class Signature(NamedTuple):
    """How a function is called.

    Attributes:
        arguments: The kind of each argument, keys of ``_library_values.VALUES``.
        result: The kind of what it returns; "" where nothing else takes it.
    """

    arguments: tuple[str, ...]
    result: str = ""


class Unit(NamedTuple):
    """A module of the library.

    Attributes:
        name: Its file's name, without ``.py``.
        source: A template: ``$name`` stands for a text of the behaviour drawn.
        choices: Of each group one row is drawn.
        functions: The functions that tests call. Each raises ``ValueError`` or nothing.
        names: Names in it that may be called otherwise, the file's among them.
    """

    name: str
    source: str
    choices: tuple[tuple[Row, ...], ...]
    functions: Mapping[str, Signature]
    names: Mapping[str, tuple[str, ...]]

    @property
    def num_variants(self) -> int:
        """How many behaviours it has."""
        number = 1
        for group in self.choices:
            number *= len(group)
        return number


def filled(unit: Unit, variant: int) -> str:
    """The source of one behaviour; a line that is nothing but an empty text is left out.

    Args:
        unit: The unit.
        variant: From 0 to ``unit.num_variants - 1``.
    """
    texts: dict[str, str] = {}
    for group in unit.choices:
        variant, index = divmod(variant, len(group))
        texts |= group[index]
    source = _LINE.sub(lambda match: match[0] if texts[match[1]] else "", unit.source)
    source = _PLACE.sub(lambda match: texts[match[1]], source).lstrip("\n")
    return "".join(_broken(line) for line in source.splitlines(keepends=True))


def _broken(line: str) -> str:
    """A line; of a docstring that got too long, two."""
    start = line.rfind(" ", 0, _MOST) if len(line) > _MOST + 1 else -1
    if start < 0:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return f"{line[:start]}\n{indent}{line[start + 1 :]}"
