"""The ways to read what is written as a value: the last member of a chain, exact or rounded, or all of it."""

import re

__all__ = ["IMPLIES", "NAMED", "NEAR", "key_of", "members_of", "ways_of"]

NEAR = re.compile(r"≈|≃|\\(?:approx|simeq|doteq)(?![A-Za-z])")
IMPLIES = re.compile(
    r"\\(?:implies|therefore|iff|to|[Ll]ong(?:left)?rightarrow|Long(?:left)?rightarrow|(?:[Ll]eft)?[Rr]ightarrow)"
    r"(?![A-Za-z])|⇒|⟹|=>|→|⇔|⟺"
)
NAMED = re.compile(r"\W*\\?[A-Za-z]{1,8}(?:_\{?\w{1,4}\}?|[₀-₉])?(?:\([a-z]\))?'?\W*")
_SIGN = re.compile(rf"(?<![<>!:=\\])=(?![=>])|{NEAR.pattern}")
_OR = re.compile(r"(?<![A-Za-z])or(?![A-Za-z])")
_SPACING = re.compile(r"^(?:\\(?:q?quad(?![A-Za-z])|[,;:! ])|\s)+")
_KEY = re.compile(r"[\s$*{}\\]|text|left|right|,(?=[0-9]{3})")


def members_of(formula: str) -> tuple[list[str], list[bool]]:
    """The members of a chain outside brackets, and whether each but the first only comes near.

    >>> members_of("v = √90 ≈ 9.49")
    (['v', '√90', '9.49'], [False, True])
    """
    depth, start = 0, 0
    members: list[str] = []
    near: list[bool] = []
    places = {match.start(): match for match in _SIGN.finditer(formula)}
    for n, char in enumerate(formula):
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
        if n in places and depth <= 0:
            members.append(formula[start:n].strip())
            near.append(NEAR.match(formula, n) is not None)
            start = places[n].end()
    return [*members, formula[start:].strip(" .,;")], near


def ways_of(written: str) -> list[str]:
    r"""The ways to read what is written: its last exact member, its last rounded one, with its name, an equation.

    >>> ways_of(r"3x = 12 \Rightarrow x = 4"), ways_of("v = √90 ≈ 9.49"), ways_of("3 + 4 = 7")
    (['4', 'x = 4'], ['√90', '9.49', 'v = √90'], ['7', '3 + 4 = 7'])
    >>> ways_of("12π − 9√3 ≈ 37.70 - 15.59 = 22.11"), ways_of("pH ≈ 2.40")
    (['12π − 9√3', '22.11'], ['2.40'])
    >>> ways_of("cos x = 1/2 or cos x = -1/2")
    ['cos x = 1/2 or cos x = -1/2']
    """
    last = _SPACING.sub("", IMPLIES.split(written)[-1]).strip() or written
    if _OR.search(last) is not None:  # which of the two is open
        return [last]
    members, near = members_of(last)
    if len(members) == 1:
        return [last] if last == written else [last, written]
    first = near.index(True) + 1 if any(near) else len(members)  # what stands behind a sign of nearness is rounded
    exact = [member for member in members[:first] if member]
    ways = exact[-1:] if len(exact) > 1 or NAMED.fullmatch(members[0]) is None else []
    ways += [member for member in members[first:] if member][-1:]
    if len(exact) > 1 and NAMED.fullmatch(members[0]):
        ways.append(f"{members[0]} = {exact[-1]}")
    if len(members) == 2 and not any(near):
        ways.append(last)
    if not ways:
        return [last]
    return list(dict.fromkeys(ways))


def key_of(value: str) -> str:
    """What two mentions of one value have in common."""
    return _KEY.sub("", value).lower().rstrip(".").split("=")[-1]
