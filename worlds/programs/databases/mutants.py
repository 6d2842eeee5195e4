"""Wrong versions of a statement, as people write them: a filter forgotten, the wrong join, a bound off by one.

Source: the operators follow those of Tuya, Suárez-Cabal and de la Riva, "Mutating database queries", Information and
Software Technology 49 (2007); the list here is our own.
"""

import re
from collections.abc import Iterator

from turnwise.worlds.programs.databases.model import DAYS, day_number

__all__ = ["mutants"]

_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][\w.]*|\d[\d.]*|<>|<=|>=|\|\||\S|\s+")
_ENDS = ("AND", "OR", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "JOIN", "LEFT", "CROSS",
         "WHERE", "THEN", "WHEN", "ELSE", "END", ";", "RETURNING")  # fmt: skip
_SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "SUM": "MAX", "AVG": "SUM", "MIN": "MAX", "MAX": "MIN", "LAG": "LEAD",
    "LEAD": "LAG", "RANK": "ROW_NUMBER", "ROW_NUMBER": "RANK", "DENSE_RANK": "RANK", "UNION": "EXCEPT",
    "EXCEPT": "UNION", "+": "-", "OR": "AND",
}  # fmt: skip
_PHRASES = (
    (r"\bLEFT JOIN\b", "JOIN"), (r"(?<!LEFT )(?<!CROSS )\bJOIN\b", "LEFT JOIN"), (r"\bNOT EXISTS\b", "EXISTS"),
    (r"\bIS NULL\b", "IS NOT NULL"), (r"\bIS NOT NULL\b", "IS NULL"), (r"\bNOT IN\b", "IN"), (r"\bNOT LIKE\b", "LIKE"),
    (r"\bCOUNT\(DISTINCT ", "COUNT("), (r"\bCOUNT\((?!DISTINCT|\*)", "COUNT(DISTINCT "),
    (r"\bSELECT DISTINCT\b", "SELECT"),
    (r"\bSUM\((?!DISTINCT)", "SUM(DISTINCT "), (r"\bSUM\(", "AVG("), (r"\bCOUNT\((?!\*)[^()]*\)", "COUNT(*)"),
    (r" DESC\b", ""), (r"\bPARTITION BY [\w.]+(?:, [\w.]+)* ?", ""), (r"\bLOWER\(TRIM\(([\w.]+)\)\)", r"\1"),
    (r"\bLOWER\(TRIM\(([\w.]+)\)\)", r"LOWER(\1)"), (r"\bABS\(", "("), (r"100\.0 \*", "100 *"),
    (r" / 100\.0", ""), (r"\bCOALESCE\(((?:[^(),]|\([^()]*\))*), [^()]*?\)", r"\1"), (r"\bUNION ALL\b", "UNION"),
    (r"\bdate\(([\w.]+)\)", r"\1"), (r" GROUP BY [\w.]+(?:, [\w.]+)*(?= HAVING| ORDER|\)|$)", ""),
    (r" HAVING [^)]*?(?=\)|$| ORDER)", ""), (r"\bLIMIT \d+", ""), (r", [\w.]+(?: DESC)?(?= LIMIT)", ""),
)  # fmt: skip


def mutants(sql: str) -> list[str]:
    """Return different statements that each make one mistake, in the order of the mistakes in the statement.

    >>> mutants("SELECT COUNT(*) FROM t WHERE a < 3")
    ['SELECT COUNT(*) FROM t WHERE 1', 'SELECT COUNT(*) FROM t WHERE a <= 3', 'SELECT COUNT(*) FROM t WHERE a < 4', \
'SELECT COUNT(*) FROM t WHERE a < 2']
    """
    found = dict.fromkeys((*_without_tests(sql), *_swapped(sql), *_phrased(sql)))
    found.pop(sql, None)
    return list(found)


def _tokens(sql: str) -> list[tuple[str, int, int, int]]:
    """Return the tokens that are not blank, with start, end and depth of brackets."""
    found, depth = [], 0
    for match in _TOKEN.finditer(sql):
        if match[0].isspace():
            continue
        depth -= match[0] == ")"
        found.append((match[0], match.start(), match.end(), depth))
        depth += match[0] == "("
    return found


def _without_tests(sql: str) -> Iterator[str]:
    """Yield the statement without one of the tests that AND joins, or that follows WHERE."""
    tokens = _tokens(sql)
    for i, (word, start, end, depth) in enumerate(tokens):
        if word not in ("AND", "WHERE", "ON"):
            continue
        if word == "AND" and _of_between(tokens, i):
            continue
        between, stop = False, len(sql)
        for other, begin, _, level in tokens[i + 1 :]:
            if level < depth or (level == depth and other in _ENDS and not (other == "AND" and between)):
                stop = begin
                break
            if level == depth:
                between = other == "BETWEEN" or (between and other != "AND")
        if word == "AND":
            yield f"{sql[:start].rstrip()} {sql[stop:]}".rstrip().replace(" )", ")")
        else:
            yield f"{sql[:end]} 1 {sql[stop:]}".rstrip().replace(" )", ")")


def _of_between(tokens: list[tuple[str, int, int, int]], place: int) -> bool:
    depth = tokens[place][3]
    for word, _, _, level in reversed(tokens[:place]):
        if level < depth:
            return False
        if level == depth and word in ("AND", "WHERE", "ON", "WHEN", "OR"):
            return False
        if level == depth and word == "BETWEEN":
            return True
    return False


def _swapped(sql: str) -> Iterator[str]:
    """Yield the statement with one operator, function, number or day changed."""
    for match in _TOKEN.finditer(sql):
        word = match[0]
        others: list[str] = []
        if word in _SWAPS:
            others = [_SWAPS[word]]
        elif word == "=" or word == "<>":
            others = ["<>" if word == "=" else "="]
        elif word.isdigit():
            others = [str(int(word) + 1), str(int(word) - 1)]
        elif len(word) == 12 and word[1:-1] in DAYS:
            others = [f"'{DAYS[day_number(word[1:-1]) + step]}'" for step in (1, -1)]
        for other in others:
            yield sql[: match.start()] + other + sql[match.end() :]


def _phrased(sql: str) -> Iterator[str]:
    """Yield the statement with one phrase replaced."""
    for pattern, other in _PHRASES:
        for match in re.finditer(pattern, sql):
            yield sql[: match.start()] + match.expand(other) + sql[match.end() :]
