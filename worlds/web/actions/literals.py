"""Calls as texts: a name and literals, read in time linear in the text and never evaluated."""

import re
from typing import Literal, NamedTuple

__all__ = ["MAX_TEXT_CHARS", "Call", "Value", "bounded", "quoted", "read_call", "short"]

MAX_TEXT_CHARS = 10_000
_MAX_VALUES = 64
_LONGEST_ESCAPE = 10

_SPACE = re.compile(r"\s*+")
_NAME = re.compile(r"([A-Za-z_]\w{0,40})[ \t]{0,4}\(", re.ASCII)
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,30})\s{0,4}=\s*+", re.ASCII)
_VALUE = re.compile(
    r"""(?:[ru]?(?:
      \"\"\"((?:[^"\\]++|\\.|"(?!""))*+)\"\"\" | '''((?:[^'\\]++|\\.|'(?!''))*+)'''
    | "((?:[^"\\]++|\\.)*+)" | '((?:[^'\\]++|\\.)*+)' )
    | ([+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))(?![\w.]) | ([A-Za-z_][\w+]{0,40}) )\s*+""",
    re.DOTALL | re.ASCII | re.VERBOSE,
)
_NUMBER, _WORD = 5, 6  # groups of _VALUE
_ESCAPE = re.compile(r"\\(?:(\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\'\"]))")
_CONTROLS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_TAG = re.compile(r"<(?=/?(?:think|action|answer)>)")


class Value(NamedTuple):
    """A literal: a number and a bare word keep the text they were written as; a list has its texts in ``items``."""

    kind: Literal["text", "number", "word", "list"]
    text: str
    items: tuple[str, ...] = ()


class Call(NamedTuple):
    """A name and its values, in order and by keyword."""

    name: str
    given: list[Value]
    named: dict[str, Value]


def read_call(text: str, at: int = 0) -> tuple[Call, int]:
    """Return the call that begins at a place of the text, and where it ends.

    Values are texts in Python's quotes (a line may end inside), numbers, bare words, and lists of these.

    Raises:
        ValueError: There is no call here, a text has more than 10,000 characters, or the call more than 64 values.

    >>> read_call("back() # x")
    (Call(name='back', given=[], named={}), 6)
    """
    name = _NAME.match(text, at)
    if name is None:
        raise ValueError(f"{short(text[at : at + 200])} is not a call")
    call = Call(name[1], [], {})
    at = _after_space(text, name.end())
    while not text.startswith(")", at):
        keyword = _KEYWORD.match(text, at)
        value, at = _value(text, at if keyword is None else keyword.end(), call.name)
        if keyword is None:
            call.given.append(value)
        elif keyword[1] in call.named:
            raise ValueError(f"{call.name}(...) has the value {keyword[1]} twice")
        else:
            call.named[keyword[1]] = value
        if len(call.given) + len(call.named) > _MAX_VALUES:
            raise ValueError(f"{call.name}(...) has more than {_MAX_VALUES} values")
        if text.startswith(",", at):
            at = _after_space(text, at + 1)
        elif not text.startswith(")", at):
            raise _unreadable(call.name)
    return call, at + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _value(text: str, at: int, name: str) -> tuple[Value, int]:
    if not text.startswith("[", at):
        return _single(text, at, name)
    items: list[str] = []
    at = _after_space(text, at + 1)
    while not text.startswith("]", at):
        item, at = _single(text, at, name)
        items.append(item.text)
        if text.startswith(",", at):
            at = _after_space(text, at + 1)
        elif not text.startswith("]", at):
            raise _unreadable(name)
        if len(items) > _MAX_VALUES:
            raise ValueError(f"a list in {name}(...) has more than {_MAX_VALUES} values")
    return Value("list", "", tuple(items)), _after_space(text, at + 1)


def _single(text: str, at: int, name: str) -> tuple[Value, int]:
    match = _VALUE.match(text, at)
    if match is None:
        raise _unreadable(name)
    kind = match.lastindex or 0
    content: str = match[kind]
    if kind == _NUMBER:
        return Value("number", content), match.end()
    if kind == _WORD:
        return Value("word", content), match.end()
    if "\\" in content and text[match.start()] != "r":
        content = _ESCAPE.sub(_unescaped, bounded(content, _LONGEST_ESCAPE))
    return Value("text", bounded(content)), match.end()


def _unescaped(match: re.Match[str]) -> str:
    line_end, octal, two, four, eight, plain = match.groups()
    if plain is not None:
        return _CONTROLS.get(plain, plain)
    if line_end is not None:
        return ""
    code = int(octal, 8) if octal else int(two or four or eight, 16)
    return chr(code) if code < 0x110000 else match[0]


def _unreadable(name: str) -> ValueError:
    return ValueError(f"the values of {name}(...) cannot be read; write texts in quotes")


def bounded(text: str, times: int = 1) -> str:
    """Return the text if it is not too long.

    Raises:
        ValueError: It has more than ``times`` times 10,000 characters.
    """
    if len(text) > MAX_TEXT_CHARS * times:
        raise ValueError(f"a text may have at most {MAX_TEXT_CHARS:,} characters")
    return text


def quoted(text: str) -> str:
    r"""Return the text as a literal on one line that contains no tag of a message and no fence.

    >>> print(quoted("it's\n</action>"))
    "it's\n\x3c/action>"
    """
    return _TAG.sub(r"\\x3c", repr(text)).replace("```", r"\x60\x60\x60")


def short(text: str) -> str:
    """Return the beginning of a text's first line, in quotes, for an error message."""
    line = text.strip().partition("\n")[0]
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
