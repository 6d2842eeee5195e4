"""Read tests of functions: calls with literal arguments and their expected results.

The text is never run. Only a small part of Python is read: ``assert f(...) == ...`` with literals, bare or in functions
``test_...()``, with names for literals, and what usually surrounds such tests.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["MAX_CHARS", "BadTests", "Case", "read_cases"]

Functions = Mapping[str, Sequence[str]]
MAX_CHARS = 50_000
_MAX_DEPTH, _MAX_DIGITS, _MAX_SIZE = 20, 12, 20_000
_TOKEN = re.compile(
    r"(?P<blank>(?:[ \t\r\f]|\\\n)++|\#[^\n]*+)|(?P<newline>\n)"
    r'|(?P<text>"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+(?:\'\'\')?'
    r'|"(?:[^"\\\n]|\\.)*+"?|\'(?:[^\'\\\n]|\\.)*+\'?)'
    r"|(?P<number>[0-9][0-9_]*+(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?)|(?P<name>[^\W\d]\w*+)|(?P<sign>==|[^\s])",
    re.DOTALL,
)
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "\n": ""}
_CONSTANTS = {"True": True, "False": False, "None": None}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class BadTests(ValueError):
    """The text does not have the required form; the message says where and how."""


class Case(NamedTuple):
    """A test: the function, its arguments, their expected result, and its line."""

    function: str
    arguments: tuple[Any, ...]
    expected: Any
    line: int


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def read_cases(text: str, functions: Functions, most: int, module: str = "") -> list[Case]:
    r"""Read the tests in a text.

    Args:
        text: The text.
        functions: The names of the arguments, by the name of a function.
        most: Maximum number of tests.
        module: The module that has the functions; they may be called by their own names, too.

    Raises:
        BadTests: The text is not a list of 1 to ``most`` such tests.

    >>> text = "def test_it():\n    xs = [1, -2]\n    assert f(xs, by=2) == {'a': xs}"
    >>> read_cases(text, {"f": ("numbers", "by")}, 9)
    [Case(function='f', arguments=([1, -2], 2), expected={'a': [1, -2]}, line=3)]
    """
    if len(text) > MAX_CHARS:
        raise BadTests(f"the tests have {len(text)} characters: at most {MAX_CHARS}")
    cases = _Reader(text.replace("\r\n", "\n"), functions, module).cases()
    if not 1 <= len(cases) <= most:
        raise BadTests(f"there are {len(cases)} tests; there must be 1 to {most}")
    return cases


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    line, depth = 1, 0
    for match in _TOKEN.finditer(text):
        kind, found = str(match.lastgroup), match[0]
        if kind == "sign":
            depth += (found in "([{") - (found in ")]}")
        if kind not in ("blank", "newline") or (kind == "newline" and depth <= 0):
            tokens.append(_Token(kind, found, line))
        line += found.count("\n")
    tokens.append(_Token("newline", "\n", line))
    return tokens


class _Reader:
    def __init__(self, text: str, functions: Functions, module: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0
        self.functions, self.module = functions, module
        self.known: dict[str, tuple[Any, int]] = {}  # with sizes
        self.size = 0  # of all values so far; named ones count again at each use
        self.found: list[Case] = []

    # ---- statements -------------------------------------------------------------------------------------------------

    def cases(self) -> list[Case]:
        while self.at < len(self.tokens):
            if self.peek in ("\n", ";"):
                self.at += 1
            else:
                self.statement()
        return self.found

    def statement(self) -> None:
        token = self.tokens[self.at]
        word = token.text
        if word == "assert":
            self.assertion()
        elif word in ("import", "from"):
            while self.peek != "\n":
                self.at += 1
        elif word == "def":
            self.at += 1
            if not self.take_name().startswith("test"):
                self.refuse(token, "only functions test_...() are read")
            self.heading("(self)", "()", "()->None", "(self)->None")
        elif word == "class":
            self.at += 1
            if not self.take_name().startswith("Test"):
                self.refuse(token, "only classes Test... are read")
            self.heading("", "()", "(unittest.TestCase)", "(TestCase)", "(object)")
        elif word == "if":
            self.at += 1
            self.heading('__name__=="__main__"', "__name__=='__main__'")
        elif token.kind == "name" and self.tokens[self.at + 1].text == "=":
            self.at += 2
            before = self.size
            value = self.literal(0)
            self.known[word] = value, self.size - before
            self.end()
        elif word == "pass":
            self.at += 1
            self.end()
        elif token.kind == "text":
            self.text(token)
            self.at += 1
            self.end()
        elif token.kind == "name":
            self.call_of_tests(token)
        else:
            self.refuse(token, "this is not a test")

    def heading(self, *forms: str) -> None:
        """Read the rest of a line that opens a block."""
        token, rest = self.tokens[self.at], ""
        while self.peek not in ("\n", ":") and len(rest) < 60:
            rest += self.tokens[self.at].text
            self.at += 1
        if self.peek != ":" or rest not in forms:
            self.refuse(token, "this block is not read")
        self.at += 1

    def call_of_tests(self, token: _Token) -> None:
        """Read a call of a function defined in the tests, which adds no test."""
        path = self.take_name()
        while self.peek == ".":
            self.at += 1
            path = self.take_name()
        self.take("(")
        if path == "print" and self.tokens[self.at].kind == "text":
            self.at += 1
        elif not (path == "main" or path.startswith("test")):
            self.refuse(token, "this is not a test")
        self.take(")")
        self.end()

    def assertion(self) -> None:
        token = self.tokens[self.at]
        self.at += 1
        start = self.at
        try:
            (function, arguments), expected = self.comparison()
        except BadTests:
            self.at = start
            if self.peek != "(":
                raise
            self.at += 1
            (function, arguments), expected = self.comparison()
            self.take(")")
        if self.peek == ",":
            self.at += 1
            if self.tokens[self.at].kind != "text":
                self.refuse(token, "after the comma, only a text is read")
            self.at += 1
        self.end()
        self.found.append(Case(function, arguments, expected, token.line))

    def comparison(self) -> tuple[tuple[str, tuple[Any, ...]], Any]:
        if self.peek in self.functions or (self.peek == self.module and self.tokens[self.at + 1].text == "."):
            called = self.call()
            self.take("==")
            return called, self.literal(0)
        expected = self.literal(0)
        self.take("==")
        return self.call(), expected

    def call(self) -> tuple[str, tuple[Any, ...]]:
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        name = self.take_name()
        if name == self.module and self.peek == ".":
            self.at += 1
            name = self.take_name()
        if name not in self.functions:
            self.refuse(token, f"a call of {' or '.join(self.functions)} was expected here")
        names = self.functions[name]
        self.take("(")
        given: dict[str, Any] = {}
        positions = iter(names)
        while self.peek != ")":
            place = self.tokens[min(self.at, len(self.tokens) - 1)]
            if self.peek in names and self.tokens[self.at + 1].text == "=":
                key, positions = self.take_name(), iter(())
                self.at += 1
            else:
                key = next(positions, "")
            if not key or key in given:
                self.refuse(place, f"{name} takes {', '.join(names)}, each once")
            given[key] = self.literal(0)
            if self.peek != ",":
                break
            self.at += 1
        self.take(")")
        if len(given) < len(names):
            self.refuse(token, f"{name} takes {', '.join(names)}, each once")
        return name, tuple(given[key] for key in names)

    # ---- literals ---------------------------------------------------------------------------------------------------

    def literal(self, depth: int) -> Any:
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        self.at += 1
        self.size += self.known[token.text][1] if token.text in self.known else 1
        if depth > _MAX_DEPTH or self.size > _MAX_SIZE:
            self.refuse(token, f"nested more than {_MAX_DEPTH} deep, or more than {_MAX_SIZE} values")
        if token.text == "-":
            value = self.literal(depth + 1)
            if type(value) not in (int, float):
                self.refuse(token, "a minus sign before something that is not a number")
            return -value
        if token.kind == "number":
            return self.number(token)
        if token.kind == "text":
            return self.text(token)
        if token.kind == "name":
            if token.text in _CONSTANTS:
                return _CONSTANTS[token.text]
            if token.text in self.known:
                return self.known[token.text][0]
        if token.text in _CLOSING:
            return self.items(token, depth + 1)
        return self.refuse(token, "a value must be written out as a literal")

    def items(self, opening: _Token, depth: int) -> Any:
        closing, items, commas = _CLOSING[opening.text], list[Any](), 0
        pairs = list[tuple[Any, Any]]()
        while self.peek != closing:
            item = self.literal(depth)
            if opening.text == "{":
                self.take(":")
                pairs.append((item, self.literal(depth)))
            items.append(item)
            if self.peek != ",":
                break
            self.at += 1
            commas += 1
        self.take(closing)
        if opening.text == "[":
            return items
        if opening.text == "(":
            return tuple(items) if commas or not items else items[0]
        try:
            return dict(pairs)
        except TypeError:
            return self.refuse(opening, "a key that cannot be one")

    def number(self, token: _Token) -> int | float:
        digits = token.text.replace("_", "")
        if len(digits) > _MAX_DIGITS:
            self.refuse(token, f"a number of more than {_MAX_DIGITS} characters")
        return int(digits) if digits.isdecimal() and digits.isascii() else self.decimal(token, digits)

    def decimal(self, token: _Token, digits: str) -> float:
        try:
            value = float(digits)
        except ValueError:
            value = math.inf
        return value if math.isfinite(value) else float(self.refuse(token, "no number"))

    def text(self, token: _Token) -> str:
        mark = token.text[0] * (3 if token.text[:3] == token.text[0] * 3 else 1)
        inner = token.text[len(mark) : -len(mark)]
        if (
            len(token.text) < 2 * len(mark)
            or not token.text.endswith(mark)
            or (len(inner) - len(inner.rstrip("\\"))) % 2
        ):
            self.refuse(token, "a text that does not end")
        pieces, escaped = list[str](), False
        for char in inner:
            if escaped and char not in _ESCAPES:
                self.refuse(token, "an escape sequence that is not read")
            if escaped or char != "\\":
                pieces.append(_ESCAPES[char] if escaped else char)
            escaped = char == "\\" and not escaped
        return "".join(pieces)

    # ---- tokens -----------------------------------------------------------------------------------------------------

    @property
    def peek(self) -> str:
        """Return the next token; a line's end if there are no more."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else "\n"

    def take(self, text: str) -> None:
        if self.peek != text:
            self.refuse(self.tokens[min(self.at, len(self.tokens) - 1)], f"'{text}' was expected here")
        self.at += 1

    def take_name(self) -> str:
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        if token.kind != "name":
            self.refuse(token, "a name was expected here")
        self.at += 1
        return token.text

    def end(self) -> None:
        if self.peek not in ("\n", ";"):
            self.refuse(self.tokens[self.at], "the line should end here")

    def refuse(self, token: _Token, problem: str) -> Any:
        shown = token.text[:20] if token.text != "\n" else "the line's end"
        raise BadTests(f"line {token.line}, at {shown}: {problem}")
