"""What is remembered of an input that was lost: facts about it, each as a condition on ``x`` and in words."""

from collections.abc import Mapping
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.library.run import Call, Compiled, Running

__all__ = ["Remembered", "remember"]

_MIN_LENGTH = 4  # of an input that is described: shorter ones say little
_NUMBERS = {
    "sum(x)": "their sum is {}",
    "max(x)": "the largest is {}",
    "min(x)": "the smallest is {}",
    "x[0]": "the first is {}",
    "x[-1]": "the last is {}",
    "len(set(x))": "{} of them would be left without duplicates",
}
_LETTERS = {
    "len(set(x))": "{} different characters occur in it",
    "x[0]": "it begins with {!r}",
    "x[-1]": "it ends with {!r}",
}
_PAIRS = {
    "len(x)": "it has {} pairs",
    "sum(n for _, n in x)": "their numbers add up to {}",
    "max(n for _, n in x)": "the largest number is {}",
    "x[0][0]": "the first word is {!r}",
    "len({w for w, _ in x})": "{} of the words would be left without duplicates",
}
_FACTS: Mapping[str, Mapping[str, str]] = {
    "ints": {"len(x)": "it has {} numbers", **_NUMBERS},
    "naturals": {"len(x)": "it has {} numbers", **_NUMBERS},
    "words": {
        "len(x)": "it has {} words",
        "sum(map(len, x))": "they have {} letters in all",
        "x[0]": "the first word is {!r}",
        "x[-1]": "the last word is {!r}",
        "len(set(x))": "{} of the words would be left without duplicates",
    },
    "text": {"len(x)": "it has {} characters", "len(x.split())": "they form {} words", **_LETTERS},
    "letters": {
        "len(x)": "it has {} letters",
        "x.count('a')": "the letter a stands in it {} times",
        "x.count('b')": "the letter b stands in it {} times",
        **{fact: _LETTERS[fact] for fact in ("x[0]", "x[-1]")},
    },
    "spans": {
        "len(x)": "it has {} pairs",
        "sum(b - a for a, b in x)": "the differences of the pairs add up to {}",
        "min(x)[0]": "the smallest first number of a pair is {}",
        "max(b for _, b in x)": "the largest second number of a pair is {}",
        "x[0]": "the first pair is {}",
    },
    "pairs": _PAIRS,
    "moves": _PAIRS,
    "edges": {
        "len(x)": "it has {} pairs",
        "sum(a for a, _ in x)": "the first numbers of the pairs add up to {}",
        "sum(b for _, b in x)": "their second numbers add up to {}",
        "x[0]": "the first pair is {}",
        "x[-1]": "the last pair is {}",
    },
    "grid": {
        "sum(map(len, x))": "it has {} numbers",
        "sum(map(sum, x))": "they add up to {}",
        "x[0][0]": "the first number of the first row is {}",
        "x[-1][-1]": "the last number of the last row is {}",
        "len(x)": "it has {} rows",
    },
}  # fmt: skip


class Remembered(NamedTuple):
    """Facts about an input.

    Attributes:
        condition: All of them, as an expression in ``x``; nothing that they say fails for any value of the kind.
        words: Most of them, in words.
    """

    condition: str
    words: tuple[str, ...]


def remember(draw: Draw, kind: str, value: object, number: int, untold: int) -> Remembered | None:
    """Draw facts about a value; None if its kind has none, or if it is too short to say much about.

    Args:
        draw: Where choices come from.
        kind: The kind of the value.
        value: The value.
        number: How many facts there are.
        untold: How many of them are not put into words.
    """
    facts = _FACTS.get(kind)
    if facts is None:
        return None
    size, *rest = facts
    left = list(rest)
    chosen = [size, *(draw.take(left) for _ in range(number - 1))]
    source = f"def facts(x):\n    return [{', '.join(chosen)}] if {size} >= {_MIN_LENGTH} else []\n"
    what, values = Running({"remembered": Compiled(source).codes() or []}).outcome(
        Call.of("remembered.facts", (value,))
    )
    if what != "returned" or not values or 1 in values:  # of one of something the words would be wrong
        return None
    secret = {draw.choice(chosen[1:]) for _ in range(untold)}
    told = tuple(facts[fact].format(found) for fact, found in zip(chosen, values, strict=True) if fact not in secret)
    return Remembered(" and ".join(f"{f} == {v!r}" for f, v in zip(chosen, values, strict=True)), told)
