"""The syntax of regular expressions: from text to a tree of five kinds of node, or an error that says why not."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

__all__ = [
    "ANY", "LAST", "MAX_CHARS", "NEWLINE", "WORDS", "Assertion", "CharSet", "Choice", "Concat", "Ranges",
    "RegexError", "RegexTooLarge", "RegexUnsupported", "Repeat", "Tree", "parse",
]  # fmt: skip

MAX_CHARS = 1000
MAX_DEPTH = 40
MAX_STATES = 2000
LAST = 0x10FFFF

Ranges: TypeAlias = tuple[tuple[int, int], ...]  # first and last code point, sorted, apart


class RegexError(ValueError):
    """The text is not a regular expression; the message says why."""


class RegexUnsupported(RegexError):
    """The expression uses unsupported or non-regular syntax; the message names it."""


class RegexTooLarge(RegexError):
    """The expression, or the work it takes, exceeds the bounds."""


def _joined(ranges: Sequence[tuple[int, int]]) -> Ranges:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def _negated(ranges: Ranges) -> Ranges:
    found, start = [], 0
    for low, high in ranges:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    return (*found, (start, LAST)) if start <= LAST else tuple(found)


def _any_case(ranges: Ranges) -> Ranges:
    more = list(ranges)
    for low, high in ranges:
        for first, last, shift in ((65, 90, 32), (97, 122, -32)):
            if max(low, first) <= min(high, last):
                more.append((max(low, first) + shift, min(high, last) + shift))
    return _joined(more)


NEWLINE: Ranges = ((10, 10),)
WORDS: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
ANY: Ranges = ((0, LAST),)
_CLASSES: dict[str, Ranges] = {"d": ((48, 57),), "w": WORDS, "s": ((9, 13), (32, 32))}
_CLASSES |= {name.upper(): _negated(ranges) for name, ranges in _CLASSES.items()}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "a": 7}
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}

# ---- the expression as a tree -------------------------------------------------------------------------------------


class CharSet(NamedTuple):
    """One character from a set. ``size``, here and in other nodes: approximate number of states when expanded."""

    ranges: Ranges
    size: int = 1


class Assertion(NamedTuple):
    """An assertion: ``start end line_start line_end boundary no_boundary``."""

    name: str
    size: int = 1


class Concat(NamedTuple):
    """Parts in sequence; none of them is the empty string."""

    parts: tuple["Tree", ...]
    size: int


class Choice(NamedTuple):
    """One of the parts."""

    parts: tuple["Tree", ...]
    size: int


class Repeat(NamedTuple):
    """``part`` at least ``low`` times and at most ``high`` times; None means no bound."""

    part: "Tree"
    low: int
    high: int | None
    size: int


Tree: TypeAlias = CharSet | Assertion | Concat | Choice | Repeat


def _cat(parts: Sequence[Tree]) -> Tree:
    return parts[0] if len(parts) == 1 else Concat(tuple(parts), 1 + sum(part.size for part in parts))


def _repeat(part: Tree, low: int, high: int | None) -> Tree:
    size = 1 + part.size * max(low, high or 1)
    if size > MAX_STATES:
        raise RegexTooLarge(f"written out, the expression has more than {MAX_STATES} states")
    return Repeat(part, low, high, size)


class _Parser:
    def __init__(self, text: str, flags: str) -> None:
        self.text = text
        self.position = 0
        self.flags = _known(flags)

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def take(self) -> str:
        if self.position == len(self.text):
            raise RegexError("the expression ends too early")
        self.position += 1
        return self.text[self.position - 1]

    def skip(self, text: str) -> bool:
        found = self.text.startswith(text, self.position)
        if found:
            self.position += len(text)
        return found

    def whole(self) -> Tree:
        end = self.text.find(")")
        if self.text.startswith("(?") and self.text[2:end].isalpha():
            self.flags |= _known(self.text[2:end])
            self.position = end + 1
        tree = self.alternatives(0)
        if self.peek():
            raise RegexError(f"a bracket is closed at position {self.position + 1} that was never opened")
        if tree.size > MAX_STATES:
            raise RegexTooLarge(f"written out, the expression has more than {MAX_STATES} states")
        return tree

    def alternatives(self, depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise RegexTooLarge(f"the expression is nested deeper than {MAX_DEPTH}")
        found = [self.sequence(depth)]
        while self.skip("|"):
            found.append(self.sequence(depth))
        return found[0] if len(found) == 1 else Choice(tuple(found), 1 + sum(part.size for part in found))

    def sequence(self, depth: int) -> Tree:
        parts = []
        while self.peek() not in ("", "|", ")"):
            parts.append(self.quantified(self.atom(depth)))
        return _cat(parts)

    def quantified(self, atom: Tree) -> Tree:
        bounds = self.bounds()
        if bounds is None:
            return atom
        if isinstance(atom, Assertion):
            raise RegexError(f"there is nothing to repeat before position {self.position}")
        if self.skip("+"):
            raise RegexUnsupported("possessive quantifiers are not supported")
        self.skip("?")  # lazy: the same language
        if self.bounds() is not None:
            raise RegexError(f"two quantifiers follow one another at position {self.position}")
        return _repeat(atom, *bounds)

    def bounds(self) -> tuple[int, int | None] | None:
        """Return the quantifier here, if one is here; a brace that begins none is a literal."""
        for mark, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.skip(mark):
                return bounds
        end = self.text.find("}", self.position)
        if self.peek() != "{" or end < 0:
            return None
        low, comma, high = self.text[self.position + 1 : end].partition(",")
        if any(x and not (x.isascii() and x.isdecimal()) for x in (low, high)) or not (low or comma):
            return None
        if max(len(low), len(high)) > 6:
            raise RegexTooLarge(f"a part is repeated more than {MAX_STATES} times")
        self.position = end + 1
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            raise RegexError(f"a quantifier asks for at least {least} and at most {most}")
        return least, most

    def atom(self, depth: int) -> Tree:
        char = self.take()
        if char == "(":
            return self.group(depth)
        if char == "[":
            return CharSet(self.bracket())
        if char == "\\":
            return self.escape()
        if char == ".":
            return CharSet(ANY if "s" in self.flags else _negated(NEWLINE))
        if char in "^$":
            side = "start" if char == "^" else "end"
            return Assertion("line_" + side if "m" in self.flags else side)
        self.position -= 1
        if self.bounds() is not None:
            raise RegexError(f"there is nothing to repeat before position {self.position}")
        self.position += 1
        return self.literal(ord(char))

    def literal(self, code: int) -> CharSet:
        ranges = ((code, code),)
        return CharSet(_any_case(ranges) if "i" in self.flags else ranges)

    def group(self, depth: int) -> Tree:
        outer = self.flags
        if self.skip("?"):
            self.opening()
        tree = self.alternatives(depth + 1)
        if not self.skip(")"):
            raise RegexError("a bracket is not closed")
        self.flags = outer
        # A group is not a bare assertion: it may be repeated.
        return Concat((tree,), tree.size + 1) if isinstance(tree, Assertion) else tree

    def opening(self) -> None:
        """Parse what follows ``(?``."""
        for mark, what in (("=", "lookahead"), ("!", "lookahead"), ("<=", "lookbehind"), ("<!", "lookbehind"),
                           (">", "atomic groups"), ("(", "conditional groups"), ("#", "comments"),
                           ("P=", "back references"), ("P>", "recursion")):  # fmt: skip
            if self.skip(mark):
                raise RegexUnsupported(f"{what} {'are' if what.endswith('s') else 'is'} not supported")
        if self.skip("P<") or self.skip("<"):
            name, closed, _ = self.text[self.position :].partition(">")
            if not closed or not name.isidentifier():
                raise RegexError("a group has a bad name")
            self.position += len(name) + 1
            return
        flags, colon, _ = self.text[self.position :].partition(":")
        added, minus, removed = flags.partition("-")
        if not colon or (flags and not (added + removed).isalpha()) or (minus and not removed):
            raise RegexUnsupported(f"a group that begins with {'(?' + flags[:1]!r} is not supported here")
        self.flags = (self.flags | _known(added)) - _known(removed)
        self.position += len(flags) + 1

    def escape(self) -> Tree:
        char = self.take()
        if char in _CLASSES:
            return CharSet(_CLASSES[char])
        if char in "AZzbB":
            return Assertion({"A": "start", "b": "boundary", "B": "no_boundary"}.get(char, "end"))
        if char in "123456789" or char in "kg":
            raise RegexUnsupported("back references are not supported")
        return self.literal(self.code(char))

    def code(self, char: str) -> int:
        """Return the code point of an escaped character, inside or outside a class."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "0":
            digits = ""
            while len(digits) < 2 and self.peek() and self.peek() in "01234567":
                digits += self.take()
            return int(digits or "0", 8)
        if char in _HEX_DIGITS:
            digits = self.text[self.position : self.position + _HEX_DIGITS[char]]
            self.position += len(digits)
            if len(digits) < _HEX_DIGITS[char] or any(x not in "0123456789abcdefABCDEF" for x in digits):
                raise RegexError(f"\\{char} needs {_HEX_DIGITS[char]} hexadecimal digits")
            if int(digits, 16) > LAST:
                raise RegexError(f"there is no character \\{char}{digits}")
            return int(digits, 16)
        if char.isascii() and char.isalnum():
            raise RegexUnsupported(f"the escape \\{char} is not supported")
        return ord(char)

    def bracket(self) -> Ranges:
        negated = self.skip("^")
        found: list[tuple[int, int]] = []
        first = True
        while first or self.peek() != "]":
            if self.text.startswith(("[:", "[.", "[="), self.position):
                raise RegexUnsupported("POSIX classes such as [:alpha:] are not supported")
            low = self.member()
            first = False
            if self.peek() == "-" and self.text[self.position + 1 : self.position + 2] not in ("]", ""):
                self.take()
                high = self.member()
                if isinstance(low, tuple) or isinstance(high, tuple) or high < low:
                    raise RegexError(f"a class has a bad range before position {self.position + 1}")
                found.append((low, high))
            elif isinstance(low, tuple):
                found.extend(low)
            else:
                found.append((low, low))
        self.take()
        ranges = _joined(found)
        if "i" in self.flags:
            ranges = _any_case(ranges)
        return _negated(ranges) if negated else ranges

    def member(self) -> int | Ranges:
        char = self.take()
        if char != "\\":
            return ord(char)
        char = self.take()
        if char == "b":
            return 8
        if char in "123456789":
            raise RegexUnsupported("octal escapes are not supported")
        return _CLASSES.get(char) or self.code(char)


def _known(flags: str) -> frozenset[str]:
    for flag in flags:
        if flag not in "aims":
            raise RegexUnsupported(f"the flag {flag!r} is not supported")
    return frozenset(flags)


def parse(pattern: str, flags: str = "") -> Tree:
    """Return the tree of a pattern.

    Raises:
        RegexError: It is not a pattern, uses unsupported syntax (`RegexUnsupported`) or is too large (`RegexTooLarge`).

    >>> parse("a")
    CharSet(ranges=((97, 97),), size=1)
    """
    if len(pattern) > MAX_CHARS:
        raise RegexTooLarge(f"the expression is longer than {MAX_CHARS} characters")
    return _Parser(pattern, flags).whole()
