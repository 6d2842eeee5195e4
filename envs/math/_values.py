"""Read the values of unknowns as people write them: ``x = 3, y = -2``, ``(3, -2)``, ``x = 2 or x = -5``."""

import re
from fractions import Fraction

from turnwise.verifiers.rational import parse_rational

MAX_ANSWER_CHARS = 300
_BULLET = re.compile(r"[-*•]\s+(?=[A-Za-z])")
_NAMED = re.compile(r"\s*([A-Za-z])(?:_?\{?[0-9]\}?|[₀-₉])?\s*[=:]\s*")
_BREAKS = re.compile(r"\s*(?:[,;\n]|\\\\|\\text\{\s*(?:and|or)\s*\}|\b(?:and|or)\b)\s*")
_MARKS = (
    ("$", " "), ("\\left", ""), ("\\right", ""), ("\\(", ""), ("\\)", ""), ("\\{", "{"), ("\\}", "}"),
    ("\\,", " "), ("\\;", " "), ("\\quad", " "), ("{,}", ""), ("\\begin{cases}", ""), ("\\end{cases}", ""),
    ("\\in", "="), ("∈", "="), ("\\pm", "±"), ("\\lor", "or"),
)  # fmt: skip


def parse_values(text: str, names: str, number: int) -> list[Fraction] | str:
    """Return the values given, in the order of ``names``; or what is wrong with the text."""
    if len(text) > MAX_ANSWER_CHARS:
        return f"The answer is longer than {MAX_ANSWER_CHARS} characters."
    for mark, plain in _MARKS:
        text = text.replace(mark, plain)
    text = text.strip().removesuffix(".").strip()
    left, _, right = text.partition("=")
    if len(names) > 1 and "".join(left.split()).strip("()") == ",".join(names):  # (x, y) = (3, -2)
        text = right
    elif number > len(names):
        text = _listed(text)
    text = _unwrapped(text)
    parts = [text] if number == 1 else [part for part in _BREAKS.split(text) if part]
    if len(parts) != number:
        return f"Give exactly {number} values, separated by commas."
    found: list[tuple[str, Fraction]] = []
    for part in parts:
        part = _BULLET.sub("", part, count=1) if _BULLET.match(part) else part
        named = _NAMED.match(part)
        value = parse_rational(part[named.end() :] if named else part)
        name = named[1] if named else ""
        if value is None or name.lower() not in names.lower():
            return f"Cannot read {part[:40]!r}. Write, for example, {names[0]} = -7/2."
        found.append((name.lower(), value))
    if number > len(names) or not any(name for name, _ in found):
        return [value for _, value in found]
    by_name = dict(found)
    if len(by_name) != number or "" in by_name:
        return f"Give each of {', '.join(names)} exactly once."
    return [by_name[name] for name in names.lower()]


def _listed(text: str) -> str:
    """Return the roots of ``x = {3, -2}`` or ``x = ±3`` as a plain list; other texts unchanged."""
    name, equals, value = text.rpartition("=")
    value = value.strip()
    if value.startswith("±"):
        return f"{name}{equals}{value[1:]}, -{value[1:].strip()}"
    return _unwrapped(value) if value[:1] in "({[" and _NAMED.fullmatch(name + equals) else text


def _unwrapped(text: str) -> str:
    """Return the text without a pair of brackets around all of it."""
    text = text.strip()
    if text[:1] + text[-1:] not in ("()", "{}", "[]"):
        return text
    depth = 0
    for i, char in enumerate(text):
        depth += (char == text[0]) - (char == text[-1])
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1].strip()
