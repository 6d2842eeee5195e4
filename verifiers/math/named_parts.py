"""A gold of several named values, "Mara 34, Joel 13", in a message that gives each of them beside its name."""

import re
from typing import NamedTuple

from turnwise.verifiers.math.answer import Gold, GoldError, Rules, equivalent, read_gold
from turnwise.verifiers.messages.picked.gates import doubts_of, left_open
from turnwise.verifiers.messages.picked.segments import Segment, segments
from turnwise.verifiers.messages.picked.ways import ways_of
from turnwise.verifiers.messages.picked.words import stems
from turnwise.verifiers.messages.skeleton import UNIT, P
from turnwise.verifiers.messages.sought.subject import stem

__all__ = ["Part", "each_is_given", "parts_of"]

_COMMA = re.compile(r"(?:,(?![0-9]{3}(?![0-9]))|;|,?\s+and)\s+(?![^(\[{]*[)\]}])")
_PART = re.compile(
    r"(?:the\s+)?(?P<name>[A-Za-z][A-Za-z'’-]+(?:\s[A-Za-z'’-]{2,}){0,2}?)\s?[:=]?\s?"
    r"(?P<value>(?:[a-z]\s?=\s?)?[-−+]?(?:[$£€(\[]|\\[$a-z])*[0-9].*|\\[a-z]+.*|[(\[][^A-Za-z]*[)\]])"
)
_COUNT = re.compile(r"(?P<value>[0-9][0-9.,]*)\s(?P<name>[a-z][a-z'’-]{2,}(?:\s[a-z'’-]{3,}){0,2})")  # 7 dimes
_TOKEN = re.compile(rf"(?P<word>[A-Za-z]+(?:['’][a-z]+)?)|(?P<value>{P})")
_TOTAL = re.compile(r"\b(?:total|sum|altogether|in all|together|out of|makes?|making|add(?:s|ing)?)\b", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:or|either|if|unless|not|would|could|might|may|suppose|instead)\b|n['’]t\b", re.IGNORECASE)
_TAKES_BACK = frozenset(["taken back", "corrected", "doubted"])
_FORBIDS = _TAKES_BACK | {"supposed", "not stated", "no result"}
_IN_TEXT = re.compile(r"\\(?:text|mathrm)\s?\{\s*(?P<name>[A-Za-z ]+?)\s*:?\s*\}\s*&?\s*=")
_FIGURES, _LETTER = re.compile(r"[0-9]+(?:[.,][0-9]+)*"), re.compile(r"(?<![A-Za-z])[a-z](?![A-Za-z])")
_MIN_PARTS, _MAX_PARTS = 2, 5


class Part(NamedTuple):
    """A named value: the stem of the longest word of its name, and the value as a gold."""

    key: str
    value: Gold


def parts_of(gold: str) -> list[Part]:
    """The named values that a gold is made up of; none where it is anything else.

    >>> [(part.key, part.value.text) for part in parts_of("Mara 34, Joel $13.50")]
    [('mara', '34'), ('joel', '$13.50')]
    >>> [part.key for part in parts_of("12 apples, 3 pears")], parts_of("x = 2, y = 3"), parts_of("3, 4")
    (['apple', 'pear'], [], [])
    """
    found = []
    pieces = _COMMA.split(gold)
    if not _MIN_PARTS <= len(pieces) <= _MAX_PARTS:
        return []
    for piece in pieces:
        match = _PART.fullmatch(piece.strip()) or _COUNT.fullmatch(piece.strip())
        if match is None:
            return []
        try:
            found.append(Part(stem(max(match["name"].split(), key=len)), read_gold(match["value"])))
        except GoldError:
            return []
    return found if len({part.key for part in found}) == len(found) else []


def each_is_given(end: str, gold: str, rules: Rules, question: str = "") -> bool | None:
    r"""Whether the end of a message gives each of the named values of a gold, and never other ones as well.

    Args:
        end: The end of the message, as the rules for sentences read it.
        gold: The gold.
        rules: How strict.
        question: The question. A message that repeats its numbers does not give other values.

    Returns:
        True if it does; False if a sentence gives another value to one of the names; None if that is not clear.

    >>> each_is_given("So Joel got 13 plants and Mara got 34.", "Mara 34, Joel 13", Rules())
    True
    >>> each_is_given("- **Mara:** 3 · 13 - 5 = **34**\n- **Joel:** **13**", "Mara 34, Joel 13", Rules())
    True
    >>> each_is_given("So Joel got 34 plants and Mara got 13.", "Mara 34, Joel 13", Rules())
    False
    >>> each_is_given("Joel got 13 plants.", "Mara 34, Joel 13", Rules())
    """
    parts = parts_of(gold)
    if not parts or left_open(end):
        return None
    known: set[int] = set()
    seen = {*_FIGURES.findall(question), *_FIGURES.findall(gold)}
    for segment in reversed(segments(end)[1]):
        said = _said_in(segment, parts)
        doubted = (_FORBIDS if said else _TAKES_BACK).intersection(doubts_of(segment.text))
        open_ = _OPEN.search(segment.text) is not None
        if len(known) < len(parts):
            if said is None or doubted or (said and open_):
                return None  # names and values that are not told apart, or are not stated
            if not said and not known and any(_is_new(value, seen) for value in segment.masked.values):
                return None  # So the answer is 30 and 15
        new = {n: ways for n, ways in (said or {}).items() if n not in known}
        if not all(_is_any(ways, parts[n].value, rules) for n, ways in new.items()):
            return False if len(new) == len(parts) else None
        again = {n: ways for n, ways in (said or {}).items() if n in known and not open_}
        if any(not _is_any(ways, parts[n].value, rules) and _is_new(ways[0], seen) for n, ways in again.items()):
            return None
        known.update(new)
    return len(known) == len(parts) or None


def _is_new(value: str, seen: set[str]) -> bool:
    """Whether a value is a number that neither the question nor the gold has."""
    return not any(sign in value for sign in "=+*/×·") and not (
        seen.issuperset(_FIGURES.findall(value)) or _LETTER.search(value)
    )


def _is_any(ways: list[str], value: Gold, rules: Rules) -> bool:
    return any(equivalent(way, value, rules).correct for way in ways)


def _said_in(segment: Segment, parts: list[Part]) -> dict[int, list[str]] | None:
    """The values that a sentence gives beside the names, by the numbers of these; None where that is not clear."""
    words, order = segment.masked.words, list[tuple[int, int]]()  # the number of a name, or -1, and where it stands
    names = stems(words)
    present = {part.key: n for n, part in enumerate(parts) if part.key in names}
    for match in _TOKEN.finditer(words):
        n = -1 if match["value"] else present.get(stem(match["word"]), -2)
        if n == -1 or (n >= 0 and (not order or order[-1][0] != n)):
            order.append((n, match.start()))
    values = [place for n, place in order if n < 0]
    if not values:
        return {}
    inside = _IN_TEXT.match(segment.masked.at(words[values[0]])) if len(values) == 1 and not present else None
    if inside is not None:
        return {n: _ways(segment, values[0]) for n, part in enumerate(parts) if part.key in stems(inside["name"])}
    if not present:
        return {}
    if len(present) == 1:
        heads = order[0][0] >= 0 and (":" in words or "=" in words)  # Area: ½ · 10 · 24 = 120
        return {n: _ways(segment, values[-1]) for n in present.values()} if heads or len(values) == 1 else None
    if len(values) > len(present):  # 20, since 2s = 40; 45 in all
        order = [one for one in order if one[0] >= 0 or "=" not in segment.masked.at(words[one[1]])]
        if _TOTAL.search(words, values[-2] + 1) is not None and order[-1] == (-1, values[-1]):
            order.pop()
    kinds = [n >= 0 for n, _ in order]
    if len(order) != 2 * len(present) or kinds not in ([True, False] * len(present), [False, True] * len(present)):
        return None
    pairs = zip(order[::2], order[1::2], strict=True)
    return {max(pair)[0]: _ways(segment, min(pair)[1]) for pair in pairs}


def _ways(segment: Segment, place: int) -> list[str]:
    """The ways to read a value of a sentence, with its unit."""
    words = segment.masked.words
    ways = ways_of(segment.masked.at(words[place]))
    unit = UNIT.match(words, place + 1)
    return [*(f"{way} {unit[1]}" for way in ways if unit is not None), *ways]
