"""Values with units, degrees, amounts of money."""

import re
from fractions import Fraction

from turnwise.verifiers.math.read.building import multiplied, number_of, signed
from turnwise.verifiers.math.read.cursor import FRACTIONS, LETTERS, RELATIONS, SET_OPS, VARIABLES, Cursor, NotMath
from turnwise.verifiers.math.read.lexer import Token
from turnwise.verifiers.math.values.tree import Add, Node, Num, Quantity, Unit
from turnwise.verifiers.math.values.units import read_count, read_unit

__all__ = ["Quantities"]

_END_OF_UNIT = frozenset(["=", "<", ">", "<=", ">=", "!=", ",", ";", ")", "]", "}", "|", ":", "&", "=="])
_SIZE_OF_GROUP = 400  # characters looked at for a unit
_STYLES = re.compile(
    r"\\(?:text|mathrm|rm|textrm|mbox|operatorname|mathit|mathsf|textbf|textit|mathbf|textnormal|textup)\*?\s*(?=\{)"
)
_UNIT_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*\\(?:text|mathrm|rm)")
_OPENS_STYLE = re.compile(r"\\(?:text|mathrm|textrm|mbox|mathsf|textup)\s*\{\s*$")
_BARE_STYLE = re.compile(r"\\(?:rm|bf|it)(?![A-Za-z])")


class Quantities(Cursor):
    """The rules for units."""

    def quantity(self, value: Node, start: int) -> Node | None:
        """The value with the unit that stands here; None where none does."""
        token = self.token
        minutes = token.kind == "func" and token.value == "min" and self.peek().value not in ("(", "{", "\\{")
        sign = token.kind == "op" and (token.value == "$" or not token.value.isascii())  # 5 €
        if token.kind not in ("word", "name", "cmd") and not minutes and not sign:
            return None
        of_units = (
            token.kind == "cmd"
            and token.value in FRACTIONS
            and _UNIT_FRACTION.match(self.text, token.start) is not None
        )
        if token.kind == "cmd" and not of_units and token.value not in ("mu", "Omega", "$", "degree", "AA"):
            return None
        if token.kind == "word" and token.value in (
            "and",
            "or",
            "if",
            "otherwise",
            "where",
            "mod",
            "is",
            "equals",
            "ratio_to",
            "union",
            "intersection",
        ):
            return None
        upright = token.kind == "word" or minutes or self.text.startswith("\\", token.start)
        upright = upright or _OPENS_STYLE.search(self.text, max(0, token.start - 16), token.start) is not None
        variables = any(_is_variable(t) for t in self.tokens[start : self.at])
        if variables and not self.text.startswith("\\", token.start):
            return None
        end = self.end_of_unit()
        if end == self.at:
            return None
        raw = unit_text(self.text[token.start : self.tokens[end - 1].end])
        if variables and (len(raw) < 2 or read_unit(raw) is None):  # \mathrm{m} may be a mass
            return None
        if not upright:
            follows = self.tokens[end]
            if follows.kind == "op" and follows.value in "+-*/^":
                return None
            if len(raw.rstrip("^23²³ ")) == 1 and token.kind == "name":
                self.ambiguous.add("letters")
                if self.reading.letters == "symbols" or (self.reading.letters is None and not token.spaced):
                    return None
        if isinstance(value, Quantity):  # $5 per hour
            joined = read_unit(f"{value.unit.name} {raw}")
            if joined is None and read_count(raw) is None:
                raise NotMath("a second unit")
            self.at = end
            self.token = self.tokens[end]
            return value if joined is None else Quantity(value.value, joined)
        unit = read_unit(raw)
        if unit is None and token.kind == "word":
            unit = read_count(raw)
        if unit is None:
            if token.kind == "word":
                raise NotMath(f"the word {token.value!r}")
            return None
        self.at = end
        self.token = self.tokens[end]
        rest: Node = Quantity(value, unit)
        if self.token.kind == "num":  # 5 ft 3 in, 2 h 30 min
            more = self.power()
            second = self.quantity(more, self.at)
            if second is None:
                raise NotMath("two numbers side by side")
            rest = Add((rest, second))
        return rest

    def end_of_unit(self) -> int:
        """Number of the first token after the unit that begins here."""
        depth = 0
        n = self.at
        while True:
            token = self.tokens[n]
            if token.kind == "end" or token.end - self.token.start > _SIZE_OF_GROUP:
                return n
            if token.kind == "op":
                if token.value in "{(":
                    depth += 1
                elif token.value in "})" and depth:
                    depth -= 1
                elif token.value in _END_OF_UNIT or (
                    token.value in "+-" and self.tokens[n - 1].value not in ("^", "{")
                ):
                    return n
            elif token.kind == "cmd":
                if token.value in RELATIONS or token.value in SET_OPS or token.value in ("pm", "\\", "land", "lor"):
                    return n
            elif token.kind == "num" and not depth and self.tokens[n - 1].value not in ("^", "_", "/", "-", "**"):
                if (self.tokens[n - 1].kind in ("word", "name") and token.spaced) or self.tokens[n - 1].kind == "word":
                    return n
            elif token.kind == "word" and token.value in ("and", "or", "if", "otherwise", "where", "equals", "is"):
                return n
            n += 1

    def amount(self, sign_of_currency: str) -> Node:
        """What stands after a currency sign, as a quantity."""
        unit = read_unit(sign_of_currency)
        if unit is None:
            raise NotMath(sign_of_currency)
        sign = self.sign()
        amount = self.power()
        amount = self.mixed_number(amount) or amount
        while self.token.kind == "word" and self.token.value.isdigit():
            amount = multiplied(amount, Num(Fraction(int(self.next().value))))
        return Quantity(signed(sign, amount), unit)

    def degrees(self, value: Node) -> Node:
        """What stands after a degree sign: C or F, minutes and seconds, or nothing."""
        token = self.token
        low = token.value.lower()
        if token.kind in ("name", "word") and (token.value in ("C", "F", "K") or low in ("celsius", "fahrenheit")):
            unit = read_unit("°" + ("C" if low[0] == "c" else "F" if low[0] == "f" else "K"))
            if unit is not None:
                self.next()
                return Quantity(value, unit)
        whole: Node = Quantity(value, unit_named("°"))
        if isinstance(value, Num) and token.kind == "num" and self.peek().value == "'" and self.peek().kind == "op":
            minutes = number_of(self.next().value)
            self.next()
            parts = [whole, Quantity(minutes, unit_named("arcmin"))]
            if self.token.kind == "num" and self.peek().value == "'" and self.peek(2).value == "'":
                parts.append(Quantity(number_of(self.next().value), unit_named("arcsec")))
                self.next(), self.next()
            whole = Add(tuple(parts))
        return whole

    def marked(self, mixed: Node) -> Node:
        """A mixed number with its degree or percent sign."""
        if self.is_op("^") and (self.peek().value in ("circ", "degree") or self.peek(2).value in ("circ", "degree")):
            self.next()
            if not self.take("circ", "degree"):
                self.circle_group()
            return self.degrees(mixed)
        return self.postfix(mixed)


def _is_variable(token: Token) -> bool:
    if token.kind == "cmd":
        return token.value.lower().removeprefix("var") in VARIABLES or token.value in LETTERS
    return token.kind == "name" and token.value not in "eE"


def unit_named(name: str) -> Unit:
    unit = read_unit(name)
    assert unit is not None
    return unit


def unit_text(raw: str) -> str:
    """The source of a unit without LaTeX."""
    if "frac" in raw:
        raw = re.sub(r"\\[dt]?frac\s*\{(.*)\}\s*\{(.*)\}\s*$", r"\1/\2", raw)
    raw = _STYLES.sub(" ", _BARE_STYLE.sub(" ", raw))
    raw = (
        raw.replace("^{\\circ}", "°")
        .replace("^\\circ", "°")
        .replace("\\degree", "°")
        .replace("\\cdot", "*")
        .replace("\\times", "*")
    )
    raw = (
        raw.replace("\\mu ", "µ")
        .replace("\\mu", "µ")
        .replace("\\Omega ", "Ω")
        .replace("\\Omega", "Ω")
        .replace("\\$", "$")
    )
    raw = raw.replace("^{", "^").replace("{", "").replace("}", "")
    return " ".join(raw.split()).rstrip(".")
