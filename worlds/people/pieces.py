"""What a regular expression needs: literal pieces of words, one of which is in every text that it matches.

It reads the usual syntax, without flags and named groups. What it does not know counts as any text, so that it never
claims a need that there is not.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

__all__ = ["Piece", "alternatives", "needs"]

_TOKEN: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<[=!]|\(\?[:=!]|[*+?][?+]?|\{(?:\d+(?:,\d*)?|,\d+)\}[?+]?|.", re.DOTALL
)
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_AROUND: Final = {"(?=": "ahead", "(?!": "around", "(?<=": "around", "(?<!": "around"}
_ZERO: Final = {r"\b": "edge", r"\A": "edge", r"\Z": "edge", "^": "edge", "$": "edge", r"\B": "around"}


class Piece(NamedTuple):
    """Part of a word, made of letters and digits.

    Attributes:
        text: The letters.
        head: Whether the word begins with it.
        tail: Whether the word ends with it.
    """

    text: str
    head: bool
    tail: bool


class _Node(NamedTuple):
    """A part of a pattern.

    Attributes:
        kind: ``letter``, ``other`` (a literal that is in no word), ``edge`` (where a word may begin or end),
            ``around`` or ``ahead`` (takes no text), ``any``, ``group``, ``maybe`` or ``often`` (at least once).
        text: The letter.
        parts: The alternatives of a group; of what is repeated one.
    """

    kind: str
    text: str = ""
    parts: "tuple[tuple[_Node, ...], ...]" = ()


def alternatives(pattern: str) -> tuple[str, ...]:
    """The alternatives of a pattern, in order; of one with capturing groups only itself."""
    tokens = _TOKEN.findall(pattern)
    if "(" in tokens:
        return (pattern,)
    before, after = "", ""
    if tokens[:2] == [r"\b", "(?:"]:
        depths = list(_depths(tokens))
        close = depths.index(0, 2)  # of the group
        if tokens[close + 1 :] in ([], [r"\b"]):
            before, after = r"\b(?:", ")" + "".join(tokens[close + 1 :])
            tokens = tokens[2:close]
    parts = [""]
    for token, depth in zip(tokens, _depths(tokens), strict=True):
        if token == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return tuple(f"{before}{part}{after}" for part in parts)


def needs(pattern: str, most: int) -> tuple[frozenset[Piece], ...]:
    """At most so many sets of pieces, of each of which every match of a pattern holds one; the rarest first."""
    try:
        found = _needs((_Node("group", "", _parsed(pattern)),), head=False, tail=False)
    except (ValueError, IndexError):
        return ()
    return tuple(sorted({pieces for pieces in found if pieces}, key=_frequency)[:most])


def _depths(tokens: Sequence[str]) -> Iterator[int]:
    """How many groups are open after each token."""
    depth = 0
    for token in tokens:
        depth += token.startswith("(") - (token == ")")
        yield depth


def _parsed(pattern: str) -> tuple[tuple[_Node, ...], ...]:
    """The alternatives of a pattern as trees."""
    open_: list[tuple[str, list[list[_Node]]]] = [("group", [[]])]
    for token in _TOKEN.findall(pattern):
        kind, branches = open_[-1]
        if token == "|":
            branches.append([])
        elif token in ("(", "(?:", *_AROUND):
            open_.append((_AROUND.get(token, "group"), [[]]))
        elif token == ")":
            open_.pop()
            open_[-1][1][-1].append(_Node(kind, "", tuple(map(tuple, branches))))
        elif token[0] in "*+?{" and token != "{":
            least = token[0] == "+" or token[1:2].strip("0,") != ""
            branches[-1][-1] = _Node("often" if least else "maybe", "", ((branches[-1][-1],),))
        else:
            branches[-1].append(_leaf(token))
    if len(open_) != 1:
        raise ValueError("a group is not closed")
    return tuple(map(tuple, open_[0][1]))


def _leaf(token: str) -> _Node:
    if token in _ZERO:
        return _Node(_ZERO[token])
    if token[0] == "[" or token == ".":
        return _Node("any")
    if token[0] == "\\":
        if token in (r"\s", r"\W"):
            return _Node("other")
        return _Node("any" if token[1].isalnum() else "other")
    return _Node("letter", token) if token in _WORD else _Node("other")


def _needs(nodes: Sequence[_Node], *, head: bool, tail: bool) -> list[frozenset[Piece]]:
    """What a sequence needs that begins or ends where a word does: a piece of each set, but of an empty one nothing."""
    found: list[frozenset[Piece]] = []
    place = 0
    while place < len(nodes):
        node, stop = nodes[place], place + 1
        if node.kind == "letter":
            while stop < len(nodes) and nodes[stop].kind == "letter":
                stop += 1
        starts, ends = _is_edge(nodes[:place][::-1], head, -1), _is_edge(nodes[stop:], tail, 1)
        if node.kind == "letter":
            text = "".join(each.text for each in nodes[place:stop])
            found.append(frozenset({Piece(text, starts, ends)}))
        elif node.kind == "often":
            found += _needs(node.parts[0], head=False, tail=False)
        elif node.kind in ("group", "ahead"):
            branches = [_needs(part, head=starts, tail=ends and node.kind == "group") for part in node.parts]
            if len(branches) == 1:
                found += branches[0]
            elif all(branches):
                best = [min(sets, key=_frequency) for sets in branches]
                found.append(frozenset().union(*best) if all(best) else frozenset())
        place = stop
    return found


def _is_edge(nodes: Sequence[_Node], end: bool, way: int) -> bool:
    """Whether no word goes on into a sequence; ``end`` is the answer for what lies behind it."""
    for place, node in enumerate(nodes):
        if node.kind in ("around", "ahead"):
            continue
        if node.kind in ("edge", "other"):
            return True
        if node.kind in ("letter", "any"):
            return False
        behind = _is_edge(nodes[place + 1 :], end, way)
        inner = [_is_edge(part[::way], behind, way) for part in node.parts]
        return all(inner) and (behind or node.kind != "maybe")
    return end


def _frequency(pieces: frozenset[Piece]) -> tuple[float, list[Piece]]:
    """About how often a text holds one of the pieces, whatever the text."""
    return sum((1 if piece.head and piece.tail else 4) * 3.0 ** -len(piece.text) for piece in pieces), sorted(pieces)
