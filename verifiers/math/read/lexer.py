r"""Text to tokens: numbers, names, commands, words.

Runs of letters are taken apart here: ``sinx`` is ``sin`` and ``x``, ``xy`` two variables, ``AB`` one name, and what is
none of these a word, which has no place in an expression.
"""

import re
from typing import NamedTuple

from turnwise.verifiers.math.values.tree import ReadError

__all__ = ["Token", "tokens"]

MAX_CHARS = 4000
MAX_TOKENS = 1500
MAX_DIGITS = 1000
MAX_DEPTH = 40


class Token(NamedTuple):
    """``kind`` is num, name (variable), func, const, cmd, word, op or end; ``spaced``: blanks stand before it."""

    kind: str
    value: str
    start: int
    end: int
    spaced: bool


_FUNCTION_NAMES = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc", "cosec": "csc", "tg": "tan",
    "ctg": "cot",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "arccot": "arccot", "arcsec": "arcsec",
    "arccsc": "arccsc",
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "arctg": "arctan", "acot": "arccot", "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh", "coth": "coth", "arcsinh": "arsinh", "asinh": "arsinh", "arsinh": "arsinh", "arccosh": "arcosh",
    "acosh": "arcosh", "arcosh": "arcosh", "arctanh": "artanh", "atanh": "artanh", "artanh": "artanh", "ln": "ln",
    "log": "log",
    "lg": "lg", "exp": "exp", "sqrt": "sqrt", "cbrt": "cbrt", "abs": "abs", "floor": "floor", "ceil": "ceil",
    "gcd": "gcd",
    "lcm": "lcm", "min": "min", "max": "max", "det": "det", "binom": "binomial", "binomial": "binomial",
    "choose": "choose",
    "factorial": "factorial", "Re": "re", "Im": "im", "arg": "arg", "sgn": "sgn", "sign": "sgn", "ceiling": "ceil",
    "comb": "binomial", "cis": "cis",
    "nCr": "binomial", "nPr": "permutations",
}  # fmt: skip
FUNCTION_COMMANDS = {k: v for k, v in _FUNCTION_NAMES.items() if k not in ("choose", "nCr", "nPr", "comb")} | {
    "binom": "binom", "dbinom": "binom", "tbinom": "binom", "surd": "surd", "fourthroot": "fourthroot", "Pr": "apply_P",
}  # fmt: skip
_CONSTANTS = {"pi": "pi", "infinity": "inf", "infty": "inf", "inf": "inf"}
_WORDS = {
    "percentage": "percent", "pct": "percent", "percents": "percent",
    "and": "and", "or": "or", "y": "y", "if": "if", "when": "if", "for": "if", "where": "where", "with": "where",
    "otherwise": "otherwise",
    "else": "otherwise", "mod": "mod", "modulo": "mod", "percent": "percent", "per": "per", "base": "base",
    "times": "times", "plus": "plus",
    "minus": "minus", "to": "ratio_to", "squared": "squared", "cubed": "cubed", "union": "union",
    "intersect": "intersection", "in": "in_word",
    "degrees": "degree", "degree": "degree", "deg": "degree", "thousand": "1000", "million": "1000000",
    "billion": "1000000000",
    "trillion": "1000000000000", "over": "over", "oo": "oo", "equals": "equals", "is": "is",
}  # fmt: skip
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_STYLE = frozenset(
    ["text", "textbf", "textit", "textrm", "textsf", "texttt", "textup", "textnormal", "mbox", "hbox", "emph", "fbox"]
)
_UPRIGHT = frozenset(["mathrm", "mathsf", "mathit", "operatorname", "mathop", "rm", "bf", "it", "mathtt", "mathnormal"])
_BOLD = frozenset(
    [
        "mathbf",
        "boldsymbol",
        "bm",
        "vec",
        "overrightarrow",
        "hat",
        "widehat",
        "underline",
        "mathcal",
        "mathscr",
        "mathfrak",
        "overleftarrow",
        "bar",
    ]
)

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
    |(?P<num>(?:(?<![0-9],)[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9]|,[0-9])|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+)
    |(?P<cmd>\\[A-Za-z]+\*?|\\.)
    |(?P<letters>[A-Za-z]+)
    |(?P<op>\*\*|<=|>=|!=|==|<>|->|=>|\.\.\.|&&|:=|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACED_GROUPS = re.compile(r"(?<![0-9.,^_{])([0-9]{1,3})((?:[ '][0-9]{3})+)(?![0-9])")
_UNDERSCORED = re.compile(r"(?<![0-9_])([0-9]{1,3})((?:_[0-9]{3})+)(?![0-9_])")
_EUROPEAN = re.compile(
    r"(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9.,])|(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3}){2,}(?![0-9.,])"
)
_PIECES = re.compile("arcsin|arccos|arctan|sqrt|sin|cos|tan|log|ln|pi|[A-Za-z]")
_COMPOSED = re.compile("[a-zA-Z]?(?:(?:arcsin|arccos|arctan|sqrt|sin|cos|tan|log|ln)[A-Za-z]|pi[A-Za-z]?)+")
_CONSECUTIVE = "abcdefghijklmnopqrstuvwxyz"


def tokens(text: str, *, in_list: bool = False) -> list[Token]:
    """The tokens of a text that `turnwise.verifiers.math.read.spelling.plain` has seen, an ``end`` token last.

    Args:
        text: What to take apart.
        in_list: ``1,234`` is two numbers.

    Raises:
        ReadError: The text is past the bounds.
    """
    if len(text) > MAX_CHARS:
        raise ReadError(f"the answer is longer than {MAX_CHARS} characters")
    if "." in text and "," in text:
        text = _EUROPEAN.sub(lambda m: m[0].replace(".", "").replace(",", "."), text)
    if " " in text or "'" in text:
        text = _SPACED_GROUPS.sub(lambda m: m[1] + re.sub("[ ']", "", m[2]), text)
    if "_" in text:
        text = _UNDERSCORED.sub(
            lambda m: m[0].replace("_", "") if m[2].startswith("_0") or m[2].count("_") > 1 else m[0], text
        )
    return _Lexer(text, in_list).run()


class _Lexer:
    def __init__(self, text: str, in_list: bool) -> None:
        self.text = text
        self.in_list = in_list
        self.found: list[Token] = []
        self.brackets = 0
        self.unclosed = False  # a group without end was met: all that follow in it have none either

    def run(self) -> list[Token]:
        self.scan(0, len(self.text), False, 0)
        end = len(self.text)
        self.found.append(Token("end", "", end, end, True))
        return self.found

    def add(self, kind: str, value: str, start: int, end: int, spaced: bool) -> None:
        if len(self.found) >= MAX_TOKENS:
            raise ReadError(f"the answer has more than {MAX_TOKENS} parts")
        self.found.append(Token(kind, value, start, end, spaced))

    def scan(self, position: int, stop: int, words: bool, depth: int) -> None:
        """Token after token of a stretch; ``words``: it stands in upright text."""
        if depth > MAX_DEPTH:
            raise ReadError(f"the answer is nested more than {MAX_DEPTH} deep")
        spaced = words
        while position < stop:
            match = _TOKEN.match(self.text, position, stop)
            assert match is not None
            start, position = match.span()
            kind = match.lastgroup
            if kind == "space":
                spaced = True
                continue
            value = match[0]
            if kind == "num":
                position = self.number(value, start, position, spaced)
            elif kind == "letters":
                self.letters(value, start, spaced, words)
            elif kind == "cmd":
                position = self.command(value[1:].rstrip("*"), start, position, stop, spaced, words, depth)
            else:
                if value in "([":
                    self.brackets += 1
                elif value in ")]" and self.brackets:
                    self.brackets -= 1
                self.add("op", value, start, position, spaced)
            spaced = False

    def number(self, value: str, start: int, end: int, spaced: bool) -> int:
        if "," in value and (self.in_list or self.brackets):  # between brackets a comma separates
            value = value[: value.index(",")]
            end = start + len(value)
        if len(value) > MAX_DIGITS:
            raise ReadError(f"the answer has a number of more than {MAX_DIGITS} digits")
        self.add("num", value.replace(",", ""), start, end, spaced)
        return end

    def letters(self, run: str, start: int, spaced: bool, words: bool) -> None:
        end = start + len(run)
        low = run.lower()
        if low in _WORDS and (len(run) > 1 or words):
            self.add("word", _WORDS[low], start, end, spaced)
        elif run in _CONSTANTS or (low in _CONSTANTS and (len(run) > 2 or low == "pi")):
            self.add("const", _CONSTANTS[low], start, end, spaced)
        elif (run in _FUNCTION_NAMES or (low in _FUNCTION_NAMES and len(run) > 2)) and not (words and low == "min"):
            self.add("func", _FUNCTION_NAMES.get(run) or _FUNCTION_NAMES[low], start, end, spaced)
        elif len(run) == 1:
            self.add("name", run, start, end, spaced)
        elif words or not self.product(run, start, spaced):
            self.add("word", run, start, end, spaced)

    def product(self, run: str, start: int, spaced: bool) -> bool:
        """Take a run apart into variables and functions, if that is what it is."""
        if run.isupper() and len(run) <= 4 and run not in ("DNE", "NONE", "TRUE", "NAN"):
            self.add("name", run, start, start + len(run), spaced)  # a segment, a triangle
            return True
        if self.composed(run, start, spaced):
            return True
        low = run.lower()
        if len(run) == 2 or (len(run) < 9 and (low in _CONSECUTIVE or set(low) <= set("xyz"))):
            self.singles(run, start, spaced)
            return True
        return False

    def composed(self, run: str, start: int, spaced: bool) -> bool:
        """Take ``sinxcosx`` or ``pir`` apart: functions, π and single letters after them."""
        pieces = _PIECES.findall(run)
        if not any(len(piece) > 1 for piece in pieces) or not _COMPOSED.fullmatch(run):
            return False
        position = start
        for piece in pieces:
            kind = "name" if len(piece) == 1 else "const" if piece == "pi" else "func"
            self.add(kind, piece, position, position + len(piece), spaced and position == start)
            position += len(piece)
        return True

    def singles(self, run: str, start: int, spaced: bool) -> None:
        for n, letter in enumerate(run):
            self.add("name", letter, start + n, start + n + 1, spaced and n == 0)

    def command(self, name: str, start: int, end: int, stop: int, spaced: bool, words: bool, depth: int) -> int:
        """One command; returns where to go on. Style commands give their content's tokens."""
        text = self.text
        if name in _STYLE or name in _UPRIGHT or name in _BOLD:
            inner, outer = self.group(end, stop)
            if inner < 0:  # \rm cm, \bf x
                return end
            content = text[inner : outer - 1].strip()
            upright = name in _STYLE or (name in _UPRIGHT and len(content) > 1)
            if name in _BOLD and len(content) == 1 and content.isalpha():
                self.add("name", content, start, outer, spaced)
            elif upright and content.isalpha() and content.isascii() and content.isupper() and 1 < len(content) <= 4:
                self.letters(content, inner, spaced, False)
            elif upright:
                before = len(self.found)
                self.scan(inner, outer - 1, True, depth + 1)
                if len(self.found) > before:
                    first = self.found[before]
                    self.found[before] = first._replace(start=start)
                    last = self.found[-1]
                    self.found[-1] = last._replace(end=outer)
            else:
                self.scan(inner, outer - 1, words, depth + 1)
            return outer
        if name in FUNCTION_COMMANDS:
            self.add("func", FUNCTION_COMMANDS[name], start, end, spaced)
        elif name in _CONSTANTS:
            self.add("const", _CONSTANTS[name], start, end, spaced)
        else:
            self.add("cmd", name, start, end, spaced)
        return end

    def group(self, position: int, stop: int) -> tuple[int, int]:
        """Where the content of a braced group begins and where the group ends; (-1, -1) where there is none."""
        text = self.text
        while position < stop and text[position] == " ":
            position += 1
        if position >= stop or text[position] != "{" or self.unclosed:
            return -1, -1
        depth = 0
        for n in range(position, stop):
            if text[n] == "{" and text[n - 1] != "\\":
                depth += 1
            elif text[n] == "}" and text[n - 1] != "\\":
                depth -= 1
                if depth == 0:
                    return position + 1, n + 1
        self.unclosed = True
        return -1, -1
