"""What kinds of things a clause does, seen in its turns of phrase: asks, refuses, confirms, waits.

The turns of phrase are in ``data/cues.txt`` and ``data/turns.txt``, an alternative a line.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from turnwise.worlds.people.gates import Gated, Gates

__all__ = [
    "ASK",
    "ASK_MORE",
    "ASK_OPEN",
    "BYE",
    "CONFIRM",
    "DONE",
    "FUTURE",
    "HANDOVER",
    "IDENTITY",
    "NEGATED",
    "NO_ASK",
    "OFFER",
    "REFUSE",
    "SEEN",
    "TURNS",
    "WAIT",
    "cues_of",
]

(
    ASK, ASK_OPEN, ASK_MORE, CONFIRM, DONE, FUTURE, REFUSE, OFFER, WAIT, HANDOVER, BYE, IDENTITY, NO_ASK, NEGATED, SEEN,
) = (1 << bit for bit in range(15))  # fmt: skip


def _sections(name: str) -> dict[str, tuple[list[str], str]]:
    """Each section of a data file: the words one of which must be there, and the pattern."""
    found: dict[str, tuple[list[str], str]] = {}
    text = (Path(__file__).parent / "data" / name).read_text("utf-8")
    macros = dict(line[1:].split(" = ", 1) for line in text.split("\n") if line.startswith("@"))
    for block in text.split("\n\n"):
        head, *lines = [line for line in block.split("\n") if line and not line.startswith(("#", "@"))] or [""]
        if not lines:
            continue
        first = [word for line in lines if line.startswith("first: ") for word in line[7:].split()]
        pattern = "|".join(line for line in lines if not line.startswith("first: "))
        for macro, meaning in macros.items():
            pattern = pattern.replace("{" + macro + "}", meaning)
        section = head.strip("[]")
        if section.endswith(" ="):
            section, pattern = section[:-2], rf"\b(?:{pattern})\b"
        found[section] = first, pattern
    return found


_CUES: Final = _sections("cues.txt")
_SHARED: Final = Gates()
_COMPILED: Final = {
    1 << place: _SHARED.pattern(rf"\b(?:{pattern})").holds for place, (_, pattern) in enumerate(_CUES.values())
}
_GATES: Final[dict[str, int]] = {}
for _place, (_words, _) in enumerate(_CUES.values()):
    for _word in _words:
        _GATES[_word] = _GATES.get(_word, 0) | 1 << _place
TURNS: Final[Mapping[str, Gated]] = {name: _SHARED.pattern(found[1]) for name, found in _sections("turns.txt").items()}


def cues_of(clause: str, words: Sequence[str]) -> int:
    """Which of the cues a clause shows, as bits; ``words`` are its words."""
    gates, open_ = _GATES.get, 0
    for word in words:
        open_ |= gates(word, 0)
    shown = 0
    while open_:
        bit = open_ & -open_
        open_ ^= bit
        if _COMPILED[bit](clause):
            shown |= bit
    return shown
