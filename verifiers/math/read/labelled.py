"""Several values, each with words that say which it is: ``radius: 5, centre: (1, 2)``, ``maximum 5 and minimum 2``."""

import re

__all__ = ["labelled"]

MAX_CHARS = 400
MAX_PARTS = 8
_PART = re.compile(
    r"(?:the |its |local |absolute |global )*(?P<label>[A-Za-z][a-z]+(?:[ -][A-Za-z][a-z]+){0,3}?)\.?(?: value)?"
    r"\s*(?:[:=]|\b(?:is|at|of|on)\b|(?=[-0-9(\\]))\s*(?P<value>[^:=A-Za-z].*|\\.+)",
    re.DOTALL,
)
_SPLIT = re.compile(r"[(\[{]|[)\]}]|[,;]\s*(?:and\s+)?(?=[A-Za-z]{3})|\s+and\s+(?=[A-Za-z]{3})")
_NAMES = {
    "maximum": "max", "max": "max", "maxima": "max", "greatest": "max", "largest": "max", "minimum": "min",
    "min": "min", "minima": "min", "least": "min", "smallest": "min", "centre": "center", "median value": "median",
}  # fmt: skip
_NEVER = re.compile(
    r"\b(?:or|not|no|if|either|maybe|perhaps|alternatively|when|where|for|otherwise|except|pi|sqrt|using|since|because"
    r"|by|with|from|let|so|thus|hence|therefore|that)\b"
)


def labelled(bare: str) -> list[tuple[str, str]] | None:
    """The labels and values of a text that is nothing but these; None for any other. One alone is an extreme.

    >>> labelled("radius: 5, centre: (1, 2)"), labelled("maximum 5 and minimum 2"), labelled("8 or 9")
    ([('radius', '5'), ('center', '(1, 2)')], [('max', '5'), ('min', '2')], None)
    """
    if len(bare) > MAX_CHARS:
        return None
    parts, depth, start = [], 0, 0
    for match in _SPLIT.finditer(bare):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif not depth:
            parts.append(bare[start : match.start()])
            start = match.end()
    parts.append(bare[start:])
    if len(parts) > MAX_PARTS:
        return None
    found = [_PART.fullmatch(part.strip()) for part in parts]
    pairs = [(match["label"].lower(), match["value"].strip()) for match in found if match is not None]
    if len(pairs) < len(parts) or any(_NEVER.search(label) for label, _ in pairs):
        return None
    pairs = [(_NAMES.get(label, label), value) for label, value in pairs]
    if len(pairs) == 1 and pairs[0][0] not in ("max", "min"):
        return None
    return pairs if len({label for label, _ in pairs}) == len(pairs) else None
