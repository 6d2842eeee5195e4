r"""Formulas that go over several lines, as one line; pictures in a program's text are left out."""

import re
from functools import lru_cache

__all__ = ["flattened"]

_PICTURE = re.compile(r"\[asy\](?:(?!\[/?asy\]).)*+\[/asy\]", re.DOTALL)
_ALIGNED = re.compile(
    r"\\begin\{((?:align|gather|eqnarray|split|equation|multline)(?:ed|at)?\*?)\}((?:(?!\\begin\{|\\end\{).)*+)\\end\{\1\}",
    re.DOTALL,
)
_DISPLAY = re.compile(r"\\\[((?:(?!\\\[|\\\]).)*+)\\\]|\$\$([^$]*+)\$\$", re.DOTALL)
_CONTINUED = re.compile(  # \\[ a = b \\] \\[ = c \\]: one chain
    r"[ \t.,]{0,9}(?:\\\][ \t]{0,9}\n\s{0,9}\\\[|\$\$[ \t]{0,9}\n\s{0,9}\$\$)\s{0,9}&?"
    r"(?=\s{0,3}(?:=|≈|\\approx(?![a-z])))"
)
_ROW = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_RELATION = re.compile(
    r"^(?:\\q?quad|\\[,;: ]|\s)*(?:=|\\(?:Rightarrow|implies|iff|Longrightarrow|therefore)(?![A-Za-z]))+\s*"
)
_IN_MATHEMATICS = re.compile(r"(?:\$\$|\\\[)\s*$")


@lru_cache(maxsize=32)
def flattened(text: str) -> str:
    r"""The text with each displayed formula on one line between ``$``, of aligned rows the last one alone.

    >>> flattened("so\n\\[\n  x = 5\n\\]"), flattened(r"\begin{align*} x &= 2 + 3 \\ &= 5. \end{align*}")
    ('so\n$x = 5$ ', '$5$ ')
    >>> flattened("\\[ x = 2 + 3 \\]\n\\[ = 5 \\]")
    '$x = 2 + 3 = 5$ '
    """
    if "[asy]" in text:
        text = _PICTURE.sub("", text).strip()
    if "\\begin{" in text:
        text = _ALIGNED.sub(_last_row, text)
    if "\\[" in text or "$$" in text:
        text = _DISPLAY.sub(_on_one_line, _CONTINUED.sub(" ", text) if "\n" in text else text)
    return text


def _on_one_line(match: re.Match[str]) -> str:
    content = " ".join((match[1] or match[2] or "").split()).strip(" .,;")
    return f"${content}$ " if content and "$" not in content else content


def _last_row(match: re.Match[str]) -> str:
    rows = [row for row in _ROW.split(match[2]) if row.strip(" &\n\t.")]
    row = " ".join(_RELATION.sub("", rows[-1].replace("&", " ").strip()).split()).strip(" .,;") if rows else ""
    inside = _IN_MATHEMATICS.search(match.string, max(0, match.start() - 40), match.start()) is not None
    return row if inside or not row or "$" in row else f"${row}$ "
