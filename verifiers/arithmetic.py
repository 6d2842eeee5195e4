"""Exact evaluation of arithmetic expressions over whole numbers, with a bounded grammar.

``expression := term (('+' | '-') term)*``, ``term := factor (('*' | '/') factor)*``,
``factor := '-' factor | number | '(' expression ')'``. No powers, no names, no calls: the size of a value is bounded
by the length of the text.
"""

from fractions import Fraction

__all__ = ["ExpressionError", "evaluate"]

MAX_CHARS = 500
MAX_DEPTH = 40
MAX_DIGITS = 15
_SPELLINGS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "[": "(", "]": ")"})
_LATEX = (("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("\\left", ""), ("\\right", ""))


class ExpressionError(ValueError):
    """The text is not an expression of the grammar, or divides by zero; the message says where."""


def evaluate(text: str) -> tuple[Fraction, list[int]]:
    """Return the exact value of an expression and the numbers written in it, in order.

    Args:
        text: At most 500 characters; whole numbers of at most 15 digits, ``+ - * /`` (also × · ÷ − and LaTeX's
            operators), brackets.

    Raises:
        ExpressionError: The text is outside the grammar, or divides by zero.

    >>> evaluate("(3 + 4) * 2 / 7")
    (Fraction(2, 1), [3, 4, 2, 7])
    """
    if len(text) > MAX_CHARS:
        raise ExpressionError(f"it is longer than {MAX_CHARS} characters")
    if "\\" in text:
        for latex, plain in _LATEX:
            text = text.replace(latex, plain)
    parser = _Parser(text.translate(_SPELLINGS))
    value = parser.expression(0)
    if parser.peek():
        raise ExpressionError(f"unexpected {parser.peek()!r} at position {parser.position + 1}")
    return value, parser.numbers


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.numbers: list[int] = []

    def peek(self) -> str:
        """Return the next non-blank character, or ''."""
        text, i = self.text, self.position
        while i < len(text) and text[i] in " \t\r\n":
            i += 1
        self.position = i
        return text[i] if i < len(text) else ""

    def expression(self, depth: int) -> Fraction:
        value = self.term(depth)
        while (sign := self.peek()) in ("+", "-") and sign:
            self.position += 1
            other = self.term(depth)
            value = value + other if sign == "+" else value - other
        return value

    def term(self, depth: int) -> Fraction:
        value = self.factor(depth)
        while (sign := self.peek()) in ("*", "/") and sign:
            self.position += 1
            other = self.factor(depth)
            if sign == "*":
                value *= other
            elif other == 0:
                raise ExpressionError("it divides by zero")
            else:
                value /= other
        return value

    def factor(self, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise ExpressionError(f"it is nested deeper than {MAX_DEPTH}")
        char = self.peek()
        if char == "-":
            self.position += 1
            return -self.factor(depth + 1)
        if char == "(":
            self.position += 1
            value = self.expression(depth + 1)
            if self.peek() != ")":
                raise ExpressionError("a bracket is not closed")
            self.position += 1
            return value
        start = self.position
        while self.position < len(self.text) and self.text[self.position] in "0123456789":
            self.position += 1
        digits = self.text[start : self.position]
        if not digits:
            raise ExpressionError(
                f"a number is missing at position {start + 1}" + (f", before {char!r}" if char else "")
            )
        if len(digits) > MAX_DIGITS:
            raise ExpressionError(f"a number has more than {MAX_DIGITS} digits")
        self.numbers.append(int(digits))
        return Fraction(int(digits))
