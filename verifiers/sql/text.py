"""Analysis of an SQL query by its tokens: its kind, the place of its order, and the size of its expansion."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from turnwise.verifiers.blocks import blocks
from turnwise.verifiers.extract import after_thinking, left_open, tagged
from turnwise.verifiers.structured.values import unfenced

__all__ = ["Query", "QueryError", "query_in", "read_query", "read_script"]

MAX_CHARS = 5000
MAX_EXPANSION = 1_000_000  # maximum number of tokens once common table expressions are expanded
_TOKEN = re.compile(
    r"""(?P<space>[ \t\n\r\f]++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)
    |(?P<quoted>[xX]?'(?:[^']|'')*+'|"(?:[^"]|"")*+"|`(?:[^`]|``)*+`|\[[^\]]*+\])
    |(?P<word>[A-Za-z_\x80-\U0010ffff][0-9A-Za-z_$\x80-\U0010ffff]*+)
    |(?P<number>[0-9][0-9A-Za-z_.]*+)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
MAX_MESSAGE_CHARS = 100_000
_COMMON = r"with(?:\s+recursive)?\s+\w+\s*(?:\([^)]{0,200}\)\s*)?as\b"
_BEGINS = re.compile(
    rf"--|/\*|\(|{_COMMON}|(?:select|values|insert|update|delete|create|drop|alter|attach|detach|pragma|explain|replace|"
    r"begin|commit|vacuum|analyze|reindex)\b",
    re.IGNORECASE,
)
_QUERY = re.compile(
    r"^[ \t>*`-]{0,12}(?:(?i:(?:(?:the|final|sqlite|sql|query) ){0,3}(?:sql|query|answer)(?: is)?)"
    r"[*` ]{0,3}:[*` ]{0,4})?"
    rf"((?:SELECT|select)\b|(?:VALUES|values) ?\(|(?:(?=WITH|with)(?i:{_COMMON})))",
    re.MULTILINE,
)
_EMPTY_LINE = re.compile(r"\n[ \t\r\f]*\n")
_WIDE = re.compile(r"\*|[0-9]{3}")
_CLOCKS = {"date": 0, "time": 0, "datetime": 0, "julianday": 0, "unixepoch": 0, "strftime": 1}  # with so few arguments


class QueryError(ValueError):
    """The text is not a single query, or one that is not allowed; the message says why."""


class _Token(NamedTuple):
    text: str  # in lower case, without quotes
    start: int
    end: int
    depth: int  # of the brackets around it
    kind: str


class Query(NamedTuple):
    """One query.

    Attributes:
        text: The query without surrounding text.
        ordered: Whether it has its own ORDER BY.
        order_end: Where that ends in the text.
        limited: Whether it has its own LIMIT.
    """

    text: str
    ordered: bool
    order_end: int
    limited: bool

    def with_ties_broken(self, width: int, direction: str) -> str:
        """Return the query with ties of its order broken by its ``width`` columns, ASC or DESC."""
        ties = "".join(f", {i + 1} COLLATE BINARY {direction}" for i in range(width))
        return f"{self.text[: self.order_end]}{ties} {self.text[self.order_end :]}"


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "space":
            continue
        shown = match[0].lower()
        if kind == "quoted":
            shown = shown.removeprefix("x")[1:-1]
        elif shown in ("'", '"', "`", "["):
            raise QueryError("a quote is not closed")
        elif kind == "mark" and shown in "?:@$#":
            raise QueryError(f"{shown!r} has no place in a query without parameters")
        depth -= shown == ")" and kind == "mark"
        found.append(_Token(shown, match.start(), match.end(), depth, kind))
        depth += shown == "(" and kind == "mark"
    return found


def _is(token: _Token, *words: str) -> bool:
    return token.kind != "quoted" and token.text in words


def _expansion(tokens: list[_Token]) -> int:
    """Return an upper bound on the tokens once each common table expression replaces its name.

    SQLite copies them while it prepares a query, when nothing can stop it: twenty that each name the previous one twice
    are copied a million times.
    """
    names: list[str] = []
    for i, token in enumerate(tokens[:-1]):
        if not _is(token, "as") or i == 0:
            continue
        j = i + 1
        while j < len(tokens) - 1 and _is(tokens[j], "not", "materialized"):
            j += 1
        if not _is(tokens[j], "("):
            continue
        before = i - 1
        if _is(tokens[before], ")"):  # name(column, ...) AS (
            depth = tokens[before].depth
            while before > 0 and not (_is(tokens[before], "(") and tokens[before].depth == depth):
                before -= 1
            before -= 1
        names.append(tokens[max(before, 0)].text)
    texts = ["", *(token.text for token in tokens), ""]
    neighbours = list(zip(texts, texts[2:], strict=False))
    product = len(tokens)
    for name in names:
        named = sum(token.text == name and "." not in beside for token, beside in zip(tokens, neighbours, strict=True))
        product *= max(1, named - 1)
        if product > MAX_EXPANSION:
            break
    return product


def _reads_the_clock(tokens: list[_Token]) -> bool:
    for i, token in enumerate(tokens):
        if _is(token, "current_date", "current_time", "current_timestamp") or (
            token.kind == "quoted" and token.text.strip() == "now"
        ):
            return True
        if token.text in _CLOCKS and i + 1 < len(tokens) and _is(tokens[i + 1], "("):
            depth = tokens[i + 1].depth
            inside = []
            for other in tokens[i + 2 :]:
                if other.depth <= depth:
                    break
                inside.append(other)
            arguments = sum(_is(other, ",") and other.depth == depth + 1 for other in inside) + bool(inside)
            if arguments <= _CLOCKS[token.text]:
                return True
    return False


def _formats_without_bound(tokens: list[_Token]) -> bool:
    """Return whether printf may get a width: SQLite writes a billion characters before it checks its limit."""
    for i, token in enumerate(tokens):
        if token.text in ("printf", "format") and tokens[i + 1 : i + 2] and _is(tokens[i + 1], "("):
            literal = tokens[i + 2] if len(tokens) > i + 3 and _is(tokens[i + 3], ",", ")") else None
            if literal is None or literal.kind != "quoted" or _WIDE.search(literal.text):
                return True
    return False


def query_in(message: str) -> str:
    r"""Find the query of a message: the bare text, in ``<answer>``, in its last SQL fence, or between words.

    Thinking is not read. A text without such a fence that begins as SQL does, or a comment, is taken whole. A fence
    without a mark counts where none says ``sql``. Between words a query begins a line, or follows "SQL:" or the like on
    it, and ends at a semicolon, an empty line, or the end; of several that differ, none is the query.

    Raises:
        QueryError: The message has no query, or different ones.

    >>> query_in("Here it is:\n```sql\nSELECT 1\n```\nIt gives 1.")
    'SELECT 1'
    >>> query_in("The query is:\n\nSELECT a\nFROM t;\n\nIt lists all a.")
    'SELECT a\nFROM t;'
    """
    rest = after_thinking(message)
    if rest is None:
        raise QueryError("the message ends inside <think>; close it and give the query")
    answers = tagged(rest, "answer")
    if not answers and (content := left_open(rest)) is not None:
        answers = [content]
    if len({unfenced(answer) for answer in answers}) > 1:
        raise QueryError("the message gives different answers; give exactly one")
    text = unfenced(answers[0] if answers else rest)
    if len(text) > MAX_MESSAGE_CHARS:
        return text
    fenced = list(blocks(text))
    if marked := [block for block in fenced if block.mark in ("sql", "sqlite", "sqlite3")]:
        return marked[-1].body.strip()
    if _BEGINS.match(text):
        return text
    plain = [block.body.strip() for block in fenced if not block.mark]
    if begun := [body for body in plain if _BEGINS.match(body)]:
        return begun[-1]
    queries = list(dict.fromkeys(_between_words(text)))
    if len(queries) > 1:
        raise QueryError("the message gives different queries; give exactly one")
    return queries[0] if queries else text


def _between_words(text: str) -> Iterator[str]:
    """Yield the queries that begin lines, each up to its semicolon or an empty line."""
    at = 0
    while (start := _QUERY.search(text, at)) is not None:
        begin = end = start.start(1)
        if text[begin - 1 : begin] == "`" and (close := text.find("`", begin)) >= 0:
            yield text[begin:close].strip()
            at = close + 1
            continue
        for token in _TOKEN.finditer(text, begin):
            blank = token.lastgroup == "space" and _EMPTY_LINE.search(token[0]) is not None
            if blank:
                break
            end = token.end()
            if token[0] == ";":
                break
        yield text[begin:end].strip()
        at = max(end, begin + 1)


def _checked(text: str, clock: bool, noun: str = "query") -> list[_Token]:
    """Return the tokens of a text without its last semicolons; raise `QueryError` if they are not allowed."""
    if len(text) > MAX_CHARS:
        raise QueryError(f"the {noun} is longer than {MAX_CHARS} characters")
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise QueryError(f"the {noun} has an invalid character")
    tokens = _tokens(text)
    while tokens and _is(tokens[-1], ";"):
        tokens.pop()
    if not tokens:
        raise QueryError(f"the {noun} is empty")
    if not clock and _reads_the_clock(tokens):
        raise QueryError(f"the {noun} reads the clock")
    if _formats_without_bound(tokens):
        raise QueryError("printf and format need a format written out, with widths of at most two digits")
    if _expansion(tokens) > MAX_EXPANSION:
        raise QueryError("the common table expressions name one another too often")
    return tokens


def read_script(text: str) -> str:
    """Read a text with statements that may change a database, and return it without its last semicolons.

    Raises:
        QueryError: It is empty, too long, reads the clock, or expands too far.

    >>> read_script("UPDATE t SET a = 1; DELETE FROM u;")
    'UPDATE t SET a = 1; DELETE FROM u'
    """
    tokens = _checked(text, False, "script")
    return text[tokens[0].start : tokens[-1].end]


def read_query(text: str, clock: bool = False) -> Query:
    """Read a text that is a single query.

    Args:
        text: At most 5000 characters.
        clock: Whether the query may read the clock.

    Raises:
        QueryError: It is not a query, more than one, or one that is not allowed.

    >>> read_query("SELECT a FROM t ORDER BY a LIMIT 3; -- done").with_ties_broken(1, "DESC")
    'SELECT a FROM t ORDER BY a, 1 COLLATE BINARY DESC  LIMIT 3'
    """
    tokens = _checked(text, clock)
    if not _is(tokens[0], "select", "with", "values"):
        raise QueryError("only a query is allowed: SELECT, WITH or VALUES")
    if any(_is(token, ";") for token in tokens):
        raise QueryError("only one statement is allowed")
    start, end = tokens[0].start, tokens[-1].end
    order = limit = None
    for i, token in enumerate(tokens):
        if token.depth == 0 and _is(token, "order") and tokens[i + 1 : i + 2] and _is(tokens[i + 1], "by"):
            order = i
        elif token.depth == 0 and _is(token, "limit"):
            limit = i
    order_end = end if limit is None else tokens[limit - 1].end
    return Query(text[start:end], order is not None, order_end - start, limit is not None)
