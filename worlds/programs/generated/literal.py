r"""Python literals in text: read in a bounded grammar, compared by type and value, and written in several ways.

Source of the grammar: the literals and displays of The Python Language Reference, sections 2.4 to 2.5 and 6.2.
"""

import re
from collections.abc import Callable

__all__ = ["LiteralError", "read_literal", "same", "written"]

MAX_CHARS = 10_000
MAX_DEPTH = 20
MAX_DIGITS = 300

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<word>True|False|None)(?![\w'"])
  | (?P<float>(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9]{1,3})?(?![\w.'"])
      |[0-9](?:_?[0-9])*\.?[eE][+-]?[0-9]{1,3}(?![\w.'"])|[0-9](?:_?[0-9])*\.(?![\w.'"]))
  | (?P<int>0[xX](?:_?[0-9a-fA-F])+(?![\w.'"])|0[oO](?:_?[0-7])+(?![\w.'"])|0[bB](?:_?[01])+(?![\w.'"])
      |(?:0(?:_?0)*|[1-9](?:_?[0-9])*)(?![\w.'"]))
  | (?P<string>[uU]?(?:'''|\"""|'|"))
  | (?P<sign>[-+\[\](){},:])
    )""",
    re.VERBOSE | re.ASCII,
)
_PIECES = {
    quote: re.compile(pattern, re.DOTALL)
    for quote, pattern in {
        "'": r"(?:[^\\'\n]|\\.)*",
        '"': r'(?:[^\\"\n]|\\.)*',
        "'''": r"(?:[^\\']|\\.|'(?!''))*",
        '"""': r'(?:[^\\"]|\\.|"(?!""))*',
    }.items()
}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL)
_PLAIN_ESCAPES = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class LiteralError(ValueError):
    """The text is not a literal of plain data within the bounds."""


def read_literal(text: str) -> object:
    r"""Read a literal of plain data: None, bool, int, float, str, list, tuple, set and dict.

    Names, calls, operators and comments are refused. Without brackets, values separated by commas are a tuple, as in
    Python; they may span several lines.

    Raises:
        LiteralError: The text is not such a literal, is longer than 10,000 characters, nested deeper than 20, or has a
            number of more than 300 digits.

    >>> read_literal("[1, 2.5, (True,), {'a': None,},]"), read_literal("3, 'x\\n'"), read_literal("-1_000")
    ([1, 2.5, (True,), {'a': None}], (3, 'x\n'), -1000)
    """
    if len(text) > MAX_CHARS:
        raise LiteralError(f"it has more than {MAX_CHARS} characters")
    return _Reader(text.strip()).items("")


class _Reader:
    """Reads tokens one at a time."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.kind, self.token = "", ""
        self.advance()

    def advance(self) -> None:
        """Go to the next token; its kind is "end" after the last."""
        match = _TOKEN.match(self.text, self.at)
        if match is not None:
            self.kind, self.token, self.at = str(match.lastgroup), match[str(match.lastgroup)], match.end()
        elif self.text[self.at :].strip():
            raise LiteralError(f"what begins with {self.text[self.at :].strip()[:12]!r} is none")
        else:
            self.kind, self.token = "end", ""

    def items(self, closing: str) -> object:
        """Read the content of brackets or the whole text: a value, or a tuple of several."""
        found: list[object] = []
        commas = 0
        while self.token != closing or self.kind not in ("sign", "end"):
            if len(found) > commas:
                if (self.kind, self.token) != ("sign", ","):
                    raise LiteralError("several values without a comma between them, or an expression")
                commas += 1
                self.advance()
                continue
            found.append(self.value())
        if not found and not closing:
            raise LiteralError("it is empty")
        return found[0] if len(found) == 1 and not commas else tuple(found)

    def value(self) -> object:
        """Read one value."""
        kind, token = self.kind, self.token
        if kind == "string":
            return self.string()
        if kind == "sign" and token in "+-":
            self.advance()
            if self.kind not in ("int", "float"):
                raise LiteralError("a sign without a number")
            number = self.number()
            return -number if token == "-" else number
        if kind in ("int", "float"):
            return self.number()
        if kind == "word":
            self.advance()
            return {"True": True, "False": False, "None": None}[token]
        if kind == "sign" and token in _CLOSING:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise LiteralError(f"it is deeper than {MAX_DEPTH}")
            self.advance()
            value = {"(": self.group, "[": self.list, "{": self.braces}[token]()
            self.depth -= 1
            self.advance()
            return value
        raise LiteralError(f"{token!r} stands where a value should" if token else "it ends too early")

    def number(self) -> int | float:
        """Read the number at this token."""
        kind, digits = self.kind, self.token.replace("_", "")
        if len(digits) > MAX_DIGITS:
            raise LiteralError(f"a number of more than {MAX_DIGITS} digits")
        self.advance()
        return float(digits) if kind == "float" else int(digits, 0)

    def string(self) -> str:
        """Read adjacent strings as one string."""
        parts = []
        while self.kind == "string":
            quote = self.token.lstrip("uU")
            match = _PIECES[quote].match(self.text, self.at)
            assert match is not None  # it may be empty
            if not self.text.startswith(quote, match.end()):
                raise LiteralError("a string that does not end")
            self.at = end = match.end() + len(quote)
            parts.append(_ESCAPE.sub(_unescaped, match[0]))
            self.advance()
            if self.kind == "string" and not self.depth and "\n" in self.text[end : self.at]:
                raise LiteralError("several values without a comma between them")
        return "".join(parts)

    def group(self) -> object:
        """Read the rest after ``(``."""
        return self.items(")")

    def list(self) -> object:
        """Read the rest after ``[``."""
        found: list[object] = []
        self.sequence("]", lambda: found.append(self.value()))
        return found

    def sequence(self, closing: str, item: Callable[[], None]) -> None:
        """Read items separated by commas, up to the closing bracket."""
        while self.token != closing:
            item()
            if (self.kind, self.token) == ("sign", ","):
                self.advance()
            elif (self.kind, self.token) != ("sign", closing):
                raise LiteralError("several values without a comma between them, or an expression")

    def braces(self) -> object:
        """Read the rest of a dict or a set after ``{``."""
        keys: list[object] = []
        values: list[object] = []

        def item() -> None:
            keys.append(self.value())
            if (self.kind, self.token) == ("sign", ":"):
                self.advance()
                values.append(self.value())

        self.sequence("}", item)
        try:
            if len(values) == len(keys):
                return dict(zip(keys, values, strict=True))
            if not values:
                return set(keys)
        except TypeError as error:
            raise LiteralError("a list, set or dict as key or in a set") from error
        raise LiteralError("keys without values")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code or match[4]:
        number = int(code, 16) if code else int(match[4], 8)
        if number > 0x10FFFF:
            raise LiteralError("an escape that stands for no character")
        return chr(number)
    if match[5] not in _PLAIN_ESCAPES:
        raise LiteralError(f"the escape {match[0]!r}")
    return _PLAIN_ESCAPES[match[5]]


def same(one: object, other: object) -> bool:
    """Tell whether two plain values are equal with the same types throughout: 1 is neither True nor 1.0.

    >>> same([1, {"a": ()}], [1, {"a": ()}]), same(1, True), same([1], (1,)), same({1: 2}, {True: 2})
    (True, False, False, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        places = {(type(key), repr(key)): item for key, item in other.items()}
        return len(one) == len(other) and all(
            (place := (type(key), repr(key))) in places and same(item, places[place]) for key, item in one.items()
        )
    if isinstance(one, set) and isinstance(other, set):
        return {(type(item), repr(item)) for item in one} == {(type(item), repr(item)) for item in other}
    return one == other


def written(value: object, *, quote: str = "'", comma: str = ", ", trailing: bool = False) -> str:
    """Write a value as a literal, in a style.

    Args:
        value: Plain data; strings in it have no quotes, backslashes or control characters.
        quote: Quotation mark of strings.
        comma: Separator of items.
        trailing: Whether to add a comma after the last item of lists and dicts too.

    >>> written([1, "a", (2,)], quote='"', comma=",", trailing=True)
    '[1,"a",(2,),]'
    """
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    end = "," if trailing and value else ""

    def item(part: object) -> str:
        return written(part, quote=quote, comma=comma, trailing=trailing)

    if isinstance(value, list):
        return f"[{comma.join(map(item, value))}{end}]"
    if isinstance(value, tuple):
        return f"({comma.join(map(item, value))}{',' if len(value) == 1 or end else ''})"
    if isinstance(value, dict):
        colon = ": " if " " in comma else ":"
        pairs = [f"{item(key)}{colon}{item(content)}" for key, content in value.items()]
        return f"{{{comma.join(pairs)}{end}}}"
    return repr(value)
