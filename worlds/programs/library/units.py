"""Units of the library: small modules as templates, their possible behaviours, and their signatures."""

import re
from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Row", "Signature", "Unit", "filled"]

Row = Mapping[str, str]
"""One behaviour: the text for each ``$name`` of a template."""
_PLACE = re.compile(r"\$([a-z_]+)")
_MOST = 110  # characters in a line
_LINE = re.compile(r"^ *\$([a-z_]+)\n", re.MULTILINE)


class Signature(NamedTuple):
    """The signature of a function.

    Attributes:
        arguments: The kind of each argument, a key of ``values.VALUES``.
        result: The kind of its result; "" if no other function accepts it.
    """

    arguments: tuple[str, ...]
    result: str = ""


class Unit(NamedTuple):
    """A module of the library.

    Attributes:
        name: Its file's name, without ``.py``.
        source: A template, in which ``$name`` stands for a text of the drawn behaviour.
        choices: Groups of rows; one row of each is drawn.
        functions: The functions that tests call. Each raises ``ValueError`` or nothing.
        names: Names in it that may be replaced, including the file's.
        uses: Names of the units that it imports.
    """

    name: str
    source: str
    choices: tuple[tuple[Row, ...], ...]
    functions: Mapping[str, Signature]
    names: Mapping[str, tuple[str, ...]]
    uses: tuple[str, ...] = ()

    @property
    def num_variants(self) -> int:
        """The number of behaviours."""
        number = 1
        for group in self.choices:
            number *= len(group)
        return number


def readings(unit: Unit, variant: int) -> list[int]:
    """Return the behaviours in which one choice is made in another way."""
    found, place = [], 1
    for group in unit.choices:
        row = variant // place % len(group)
        found += [variant + (other - row) * place for other in range(len(group)) if other != row]
        place *= len(group)
    return found


def filled(unit: Unit, variant: int) -> str:
    """Fill in the source of one behaviour; a line that consists only of an empty text is left out.

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
    """Return the line, or two lines if a docstring has become too long."""
    start = line.rfind(" ", 0, _MOST) if len(line) > _MOST + 1 else -1
    if start < 0:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    return f"{line[:start]}\n{indent}{line[start + 1 :]}"
