"""Sets of numbers in words: ``all positive real numbers``, ``any integer except 0``, ``all x > 3``."""

import re

__all__ = ["set_in_words"]

MAX_CHARS = 200
_SET = re.compile(
    r"(?:the )?(?:set of )?(?:(?:\(?[a-z]\)? )(?:is|are|can be|may be|could be) )?(?:all|any|every|each|an? arbitrary) "
    r"(?P<rest>.+)",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(r"(non-?negative|non-?positive|non-?zero|positive|negative|even|odd) ", re.IGNORECASE)
_KIND = re.compile(
    r"(?P<integer>integers?|integer values|whole numbers?|natural numbers?|naturals)"
    r"|(?P<rational>rational numbers?|rationals)"
    r"|(?P<real>real numbers?|reals?(?: values)?(?: of)?(?= |$)|numbers?|values?(?: of)?)"
    r"|(?P<multiple>multiples? of (?P<factor>[0-9]{1,9}))",
    re.IGNORECASE,
)
_NATURAL = re.compile(r"natural", re.IGNORECASE)
_NAME = re.compile(r" ?([A-Za-z])(?![A-Za-z])")
_EXCEPT = re.compile(
    r",? ?(?:except|but(?: not)?|other than|excluding|apart from|not equal to|different from)"
    r"(?: for)?(?: when)?(?: [a-z] ?(?:=|\\neq?))? ?"
    r"(?P<points>[^a-zA-Z]*(?:\\[a-zA-Z]+[^a-zA-Z]*)*(?:and|or)?[^a-zA-Z]*)"
)
_SUCH = re.compile(r"(?:,? ?(?:such that|with|where|satisfying|for which))? ?(?P<condition>[a-z] ?(?:[<>=≠]|\\).+)")
_END = r" (?P<end>(?:[^A-Za-z]|\\[a-z]+|(?<![A-Za-z\\])[a-z](?![A-Za-z]))+)"
_BOUNDS = [
    (re.compile(pattern + _END), sign)
    for pattern, sign in (
        (r"(?: that (?:is|are))?(?: (?:greater|larger|bigger|more) than or equal to| at least"
         r"| (?:not|no) (?:less|smaller) than)", r"\ge"),
        (r"(?: that (?:is|are))?(?: (?:less|smaller|fewer) than or equal to| at most"
         r"| (?:not|no) (?:greater|more|larger) than)", r"\le"),
        (r"(?: that (?:is|are))? (?:strictly )?(?:(?:greater|larger|bigger|more) than|above)", ">"),
        (r"(?: that (?:is|are))? (?:strictly )?(?:(?:less|smaller|fewer) than|below)", "<"),
    )
]  # fmt: skip
_SIGNED = {"positive": "> 0", "negative": "< 0", "nonnegative": r"\ge 0", "nonpositive": r"\le 0", "nonzero": r"\ne 0"}


def set_in_words(text: str) -> str | None:
    r"""The set that the whole text says, in LaTeX; None where it says none.

    >>> set_in_words("all positive real numbers"), set_in_words("any even integer")
    ('\\{v \\in \\mathbb{R} : v > 0\\}', '\\{2k : k \\in \\mathbb{Z}\\}')
    >>> set_in_words("all real numbers except 2"), set_in_words("all x > 3"), set_in_words("all apples")
    ('\\mathbb{R} \\setminus \\{2\\}', 'x > 3', None)
    """
    if len(text) > MAX_CHARS or (match := _SET.fullmatch(text)) is None:
        return None
    rest, adjectives = match["rest"], []
    real = rest.lower().startswith("real ")
    while (found := _ADJECTIVE.match(rest.removeprefix("real "))) is not None:
        adjectives.append(found[1].lower().replace("-", ""))
        rest = rest.removeprefix("real ")[found.end() :]
    kind = _KIND.match(rest)
    if kind is None:
        bare = rest.removeprefix("real ")  # all x > 3
        if adjectives or not (real or _SUCH.fullmatch(bare)) or _NAME.match(bare) is None:
            return None
        return _of_reals([], _NAME.match(bare), bare)
    rest = rest[kind.end() :]
    name = _NAME.match(rest)
    if kind["multiple"]:
        return rf"\{{{kind['factor']}k : k \in \mathbb{{Z}}\}}" if not rest and not adjectives else None
    if kind["integer"]:
        if _NATURAL.match(kind[0]):
            adjectives.append("positive")
        return _of_integers(adjectives, name, rest)
    if kind["rational"]:
        return r"\mathbb{Q}" if not rest and not adjectives else None
    return _of_reals(adjectives, name, rest)


def _conditions(adjectives: list[str], name: str, rest: str) -> list[str] | None:
    """What adjectives and what follows the noun ask of a variable; None where they are not understood."""
    found = [f"{name} {_SIGNED[word]}" for word in adjectives if word in _SIGNED]
    if not rest.strip():
        return found
    for pattern, sign in _BOUNDS:
        if (match := pattern.fullmatch(rest)) is not None:
            return [*found, f"{name} {sign} {match['end']}"]
    if (match := _SUCH.fullmatch(rest)) is not None:
        return [*found, match["condition"]]
    return None


def _of_reals(adjectives: list[str], variable: re.Match[str] | None, rest: str) -> str | None:
    if set(adjectives) - set(_SIGNED):
        return None
    name = variable[1] if variable is not None else "v"
    after = rest[variable.end() :] if variable is not None else rest
    conditions = _conditions(adjectives, name, rest if variable and _SUCH.fullmatch(rest) else after)
    if conditions is None:
        match = _EXCEPT.fullmatch(after)
        if match is None or adjectives:
            return None
        points = re.sub(r" ?\b(?:and|or)\b ?", ",", match["points"])
        found = rf"\mathbb{{R}} \setminus \{{{points}\}}"
        return found if variable is None else rf"{name} \in {found}"
    if not conditions:
        return r"\mathbb{R}"
    if variable is None:
        return rf"\{{{name} \in \mathbb{{R}} : {', '.join(conditions)}\}}"
    return r" \text{ and } ".join(conditions)


def _of_integers(adjectives: list[str], variable: re.Match[str] | None, rest: str) -> str | None:
    parity = [word for word in adjectives if word in ("even", "odd")]
    name = variable[1] if variable is not None else "n"
    after = rest[variable.end() :] if variable is not None else rest
    if parity:
        others = [word for word in adjectives if word not in parity]
        if after.strip() or len(parity) > 1 or others not in ([], ["positive"]):
            return None
        if others:
            return rf"\{{{'2k' if parity == ['even'] else '2k - 1'} : k \in \mathbb{{N}}\}}"
        return rf"\{{{'2k' if parity == ['even'] else '2k + 1'} : k \in \mathbb{{Z}}\}}"
    if adjectives == ["positive"] and not after.strip():
        return r"\mathbb{N}"
    conditions = _conditions(adjectives, name, rest if variable and _SUCH.fullmatch(rest) else after)
    if conditions is None:
        return None
    if not conditions:
        return r"\mathbb{Z}"
    return rf"\{{{name} \in \mathbb{{Z}} : {', '.join(conditions)}\}}"
