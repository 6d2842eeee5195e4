"""Texts of programs with choices and data left open, and how they are filled in.

``{%a|b%}`` stands for one of several texts, the same wherever it is repeated in a program. What ``{%key=a|b%}`` stands
for is also that of ``{%key%}`` later on, and ``{%key?c|d%}`` is c where it was a; ``{%@mark,other?c|d%}`` is c if one
of these marks was given. A line that begins with ``~`` has drawn data: ``~*`` repeats it as often as there are records,
``~/2`` half as often and at least once, ``~4`` four times, ``~`` once. In such lines stand fields: ``<1..9>`` a whole
number, ``<5..60/5>`` one in steps of 5, ``<a|b>`` one of several texts, ``<name>`` one of the program's four words of
that pool, ``<name@0>`` the first of these, ``<name!>``, ``<name/5!>`` and ``<a|b!>`` one of all, five or the given
ones, none a second time before each has come, ``<+1..9>`` a number that grows from line to line, ``<clock 5..30>`` and
``<date 1..5>`` a time and a day that go on by so many minutes and days. ``<1..9 *>`` is a list of as many as there are
records, and ``<a|b +>`` a text of them.
"""

import datetime
import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from turnwise.core.draw import Draw

__all__ = ["Filling", "sections", "split"]

_INNERMOST = re.compile(r"\{%((?:(?!\{%|%\}).)*?)%\}", re.DOTALL)
_KEY = re.compile(r"(\w+)(=(?!=)|\?)")
_LINE = re.compile(r"^( *)~(\*|/?\d*) (.*)$", re.MULTILINE)
_EMPTIED = re.compile(r"^ +\n", re.MULTILINE)  # by a choice of nothing
_FIELD = re.compile(r"<([^<>\n]+?)( \*| \+)?>")
_RANGE = re.compile(r"(clock |date |\+)?(-?\d+)\.\.(-?\d+)(?:/(\d+))?")
_SHARED = 4  # words of a pool that a program uses
_FIRST_DAY = datetime.date(2024, 1, 8)


def _read(name: str) -> str:
    return Path(__file__).with_name("data").joinpath(name).read_text(encoding="utf-8")


@cache
def sections(name: str, mark: str) -> tuple[tuple[str, str], ...]:
    """Return heading and text of each section of a data file; a heading is a line that begins with the mark."""
    return split(_read(name), mark)


def split(text: str, mark: str) -> tuple[tuple[str, str], ...]:
    """Return heading and text of each section of a text; what stands before the first heading has an empty one."""
    first, *rest = re.split(rf"^{re.escape(mark)}(.*)\n", text, flags=re.MULTILINE)
    found = [("", first)] if first.strip() else []
    return (*found, *((head.strip(), body) for head, body in zip(rest[::2], rest[1::2], strict=True)))


@cache
def _pools() -> dict[str, tuple[str, ...]]:
    lines = (line.partition(":") for line in _read("pools.txt").splitlines())
    return {name: tuple(word.strip() for word in words.split(";" if ";" in words else ",")) for name, _, words in lines}


class Filling:
    """The choices and data of one program."""

    def __init__(self, draw: Draw, length: int, marks: Collection[str] = ()) -> None:
        self._draw = draw
        self._length = length
        self._marks = marks
        self._keys: dict[str, int] = {}
        self._texts: dict[str, list[str]] = {}
        self._shared: dict[str, Sequence[str]] = {}
        self._fresh: dict[str, list[str]] = {}
        self._sums: dict[str, int] = {}

    def fill(self, text: str) -> str:
        """Fill in a text; keys and pools are the same in all texts of a program."""
        while _INNERMOST.search(text):
            text = _INNERMOST.sub(self._chosen, text, count=1)
        return _LINE.sub(self._lines, _EMPTIED.sub("", text))

    def _chosen(self, match: re.Match[str]) -> str:
        text = match[1]
        if text.startswith("@"):
            marks, _, texts = text[1:].partition("?")
            wanted, _, other = texts.partition("|")
            return wanted if any(mark in self._marks for mark in marks.split(",")) else other
        if text in self._keys:
            return self._texts[text][self._keys[text]]
        key = _KEY.match(text)
        texts = text[key.end() if key else 0 :].split("|")
        if key and key[2] == "?":
            return texts[self._keys[key[1]]]
        name = key[1] if key else text
        self._keys[name] = self._draw.below(len(texts))
        self._texts[name] = texts
        return texts[self._keys[name]]

    def _lines(self, match: re.Match[str]) -> str:
        indent, count, text = match.groups()
        if count.startswith("/"):
            times = max(self._length // int(count[1:]), 1)
        else:
            times = self._length if count == "*" else int(count or 1)
        return "\n".join(indent + _FIELD.sub(self._field, text) for _ in range(times))

    def _field(self, match: re.Match[str]) -> str:
        times = self._length if match[2] else 1
        return ("" if match[2] == " +" else ", ").join(self._one(match[1]) for _ in range(times))

    def _one(self, field: str) -> str:
        found = _RANGE.fullmatch(field)
        if found is None:
            return self._word(field)
        kind, low, high, step = found[1], int(found[2]), int(found[3]), int(found[4] or 1)
        drawn = low + step * self._draw.integer(0, (high - low) // step)
        if not kind:
            return str(drawn)
        start = {"clock ": 480, "date ": 0, "+": 0}[kind]
        self._sums[kind] = self._sums.get(kind, start) + drawn
        if kind == "clock ":
            return "{:02d}:{:02d}".format(*divmod(self._sums[kind], 60))
        if kind == "date ":
            return (_FIRST_DAY + datetime.timedelta(self._sums[kind])).isoformat()
        return str(self._sums[kind])

    def _word(self, field: str) -> str:
        name = field.rstrip("!")
        if name != field:
            if not self._fresh.get(name):
                self._fresh[name] = self._draw.shuffled(self._words(name))
            return self._fresh[name].pop()
        if "|" in field:
            word = self._draw.choice(field.split("|"))
            return self._one(word) if _RANGE.fullmatch(word) else word
        pool, _, place = field.partition("@")
        shared = self._words(f"{pool}/{_SHARED}")
        return shared[int(place)] if place else self._draw.choice(shared)

    def _words(self, name: str) -> Sequence[str]:
        """Return the words of a pool, of so many of it, or the alternatives."""
        if "|" in name:
            return name.split("|")
        pool, _, count = name.partition("/")
        if name not in self._shared:
            self._shared[name] = self._draw.sample(_pools()[pool], int(count or len(_pools()[pool])))
        return self._shared[name]
