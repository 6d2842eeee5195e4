"""Programs of 20 to 90 lines as people write them: data, functions and classes for them, and a ``main``.

Parts are joined by the types of their values: lines of text (L), rows of a name, a kind and an amount (R), totals by
name (T), pairs of a name and a number (P), numbers (N), words (W), a text (S), shifts (H), invoices (D), JSON (J) and
commands (C). Nothing in them depends on the order of a set, on the clock or on Python's version.
"""

from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.generated.parts import Part, Written, load_parts, written_part
from turnwise.worlds.programs.generated.sources import KEYS, Source, draw_occasion, draw_sources

__all__ = ["draw_script", "result_of"]

_VARS = {
    "R": ("rows", "records", "cleaned"), "T": ("totals", "table", "counts_by_name"), "P": ("pairs", "listing", "lines"),
    "N": ("numbers", "values", "series"), "W": ("names", "labels_found", "queue"), "S": ("summary", "code", "label"),
}  # fmt: skip
_ENDS = {
    "R": ("[(name, amount) for name, _, amount in {0}][-4:]", "[sum(row[2] for row in {0}), len({0}), {0}[-1][0]]",
          "[(row[0], row[2]) for row in {0}[:3]]"),
    "T": ("{0}", "sorted({0}.items())[:4]", "(max({0}, key={0}.get), sum({0}.values()))", "sorted({0}.values())[-4:]"),
    "P": ("{0}[:4]", "dict({0})", "[value for _, value in {0}][-5:]"),
    "N": ("{0}[-6:]", "(len({0}), sum({0}), max({0}) - min({0}))", "{0}[::2]"),
    "W": ("' '.join({0}[:5])", "{0}[-4:]", "[len({0}), *sorted({0})[:3]]"),
    "S": ("{0}", "{0}[:24]"),
}  # fmt: skip
_SLICED = frozenset("RLPNWHDS")  # types of which a part of the values can be taken
_TWICE = 0.35


class _Step(NamedTuple):
    """A part in a chain, and whether it is first called with some of its values."""

    written: Written
    twice: int


def draw_script(draw: Draw, num_parts: int, size: int) -> str | None:
    """Draw a program whose ``main()`` returns what is asked for; None if its names collide.

    Args:
        draw: Source of randomness.
        num_parts: Number of parts; from four on, there are two sets of data.
        size: About as many records, numbers or words are in the data.
    """
    lengths = [num_parts] if num_parts < 4 else [num_parts - num_parts // 2, num_parts // 2]
    occasion = draw_occasion(draw, len(lengths))
    sources = draw_sources(draw, occasion, size)
    used: set[str] = set()
    chains = []
    for source, length in zip(sources, lengths, strict=True):
        chain = _chain(draw, source, length, used)
        if chain is None:
            return None
        chains.append(chain)
    return _source(draw, occasion.title, sources, chains)


def _chain(draw: Draw, source: Source, length: int, used: set[str]) -> list[_Step] | None:
    """Draw parts that follow each other; ``used`` has the parts and names of the program so far."""
    steps: list[_Step] = []
    takes = source.type
    while len(steps) < length:
        fitting = [part for part in load_parts() if part.takes == takes and part.name not in used]
        if not fitting:
            return None
        part = _preferred(draw, fitting, last=len(steps) == length - 1)
        written = written_part(draw, part, {**KEYS, **source.keys})
        if used & written.names:
            return None
        used |= {part.name, *written.names}
        twice = draw.integer(2, 4) if takes in _SLICED and draw.chance(_TWICE) else 0
        steps.append(_Step(written, twice))
        takes = part.gives
    return steps


def _preferred(draw: Draw, fitting: list[Part], last: bool) -> Part:
    """Draw a part, one that shortens a text or ends in a listing only at the end."""
    open_ended = [part for part in fitting if last or part.gives not in "S"]
    return draw.choice(open_ended or fitting)


def _source(draw: Draw, title: str, sources: list[Source], chains: list[list[_Step]]) -> str | None:
    imports: dict[str, set[str]] = {}
    plain: set[str] = set()
    bodies: list[str] = []
    taken = {name for chain in chains for step in chain for name in step.written.names}
    taken |= {source.name for source in sources}
    main: list[str] = []
    returned: list[str] = []
    for source, chain in zip(sources, chains, strict=True):
        value = source.name
        for step in chain:
            for line in step.written.imports:
                _, _, names = line.partition(" import ")
                (imports.setdefault(line.split()[1], set()).update(names.split(", ")) if names else plain.add(line))
            bodies.append(step.written.body.strip("\n"))
            gives = step.written.part.gives
            if step.twice:
                early = _variable(draw, gives, taken, "first_" if value == source.name else "early_")
                main.append(f"{early} = {step.written.call.replace('@', f'{value}[:{step.twice}]')}")
                returned.append(_ENDS[gives][0].format(early) if gives in "TS" else f"len({early})")
            name = _variable(draw, gives, taken)
            main.append(f"{name} = {step.written.call.replace('@', value)}")
            value = name
        returned.append(draw.choice(_ENDS[chain[-1].written.part.gives]).format(value))
    head = [
        *([f'"""{title}"""', ""] if title else []),
        *sorted(plain),
        *(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())),
    ]
    end = f"return {', '.join(returned)}"
    data = "\n".join(source.text for source in sources)
    written = "\n\n\n".join([*bodies, "\n".join(["def main():", *(f"    {line}" for line in [*main, end])])])
    return "\n".join([*head, *([""] if head else []), data, "", "", written]) + "\n"


def _variable(draw: Draw, type_: str, taken: set[str], before: str = "") -> str:
    free = [before + name for name in _VARS[type_] if before + name not in taken]
    name = draw.choice(free) if free else f"{before}{_VARS[type_][0]}_{len(taken)}"
    taken.add(name)
    return name


def result_of(source: str) -> object:
    """Run one of these programs, which end by construction, and return the value of ``main()``."""
    space: dict[str, object] = {"__name__": "program"}
    exec(compile(source, "<program>", "exec", dont_inherit=True), space)
    main = space["main"]
    assert callable(main)
    value: object = main()
    return value
