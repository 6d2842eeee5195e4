"""Constraints on format: lists, titles, highlights, sections, tables, code, JSON, quotation marks.

Source: detectable formats of IFEval (arXiv 2311.07911), format constraints of arXiv 2505.07591.
"""

import json
import re
from collections.abc import Sequence

from turnwise.verifiers.constraints.base import Constraint, Facts, Range, listed
from turnwise.verifiers.constraints.content import literal_bounds
from turnwise.verifiers.constraints.plan import Interval, Plan
from turnwise.verifiers.constraints.units import Reading, words_of

__all__ = [
    "Bullets", "CodeBlocks", "Highlights", "JsonObject", "NoMarkdown", "NumberedList", "Quoted", "Sections", "Table",
    "Title",
]  # fmt: skip

MAX_JSON_DEPTH = 20
_BULLET = re.compile(r"[-*+•][ \t]++\S")
_ITEM = re.compile(r"([0-9]{1,3})[.)][ \t]++\S")
_HEADING = re.compile(r"#{1,6}[ \t]++(\S.*)")
_HIGHLIGHT = re.compile(r"(?<![*\w])(\*{1,2})(?![*\s])([^*\n]++)(?<!\s)\1(?![*\w])")
_CELL = re.compile(r":?-++:?")
_BAR = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*")
_MARKDOWN = (
    ("a heading", re.compile(r"^[^\S\n]*+#{1,6}[ \t]", re.MULTILINE)),
    ("a list item", re.compile(r"^[^\S\n]*+(?:[-*+•]|[0-9]{1,3}[.)])[ \t]", re.MULTILINE)),
    ("a quotation", re.compile(r"^[^\S\n]*+>", re.MULTILINE)),
    ("an asterisk or underscore around words", re.compile(r"(?<![\w*_])[*_]{1,3}(?=[^\s*_])")),
    ("a highlighted passage", _HIGHLIGHT),
    ("a fence or backquote", re.compile(r"`|~~~")),
    ("a table", re.compile(r"^[^\S\n]*+\|", re.MULTILINE)),
    ("a link", re.compile(r"\]\(")),
    ("a rule", re.compile(r"^[^\S\n]*+(?:\*{3,}+|-{3,}+|_{3,}+)[^\S\n]*+$", re.MULTILINE)),
)


def _markdown(low: int) -> dict[str, Interval]:
    return {"markdown": (1, None)} if low else {}


class Bullets(Range):
    """The number of lines that are list items: they begin with ``-``, ``*``, ``+`` or ``•``, a space and something."""

    name = "bullets"
    dimension = "format"
    noun = "bullet point(s)"

    def count(self, reading: Reading) -> int:
        return sum(_BULLET.match(line) is not None for line in reading.lines)

    def wordings(self) -> Sequence[str]:
        return (
            f'Use {self.amount}: lines that begin with "- ".',
            f'The text must have {self.amount}, each on a line of its own that begins with "- ".',
            f'Make a list with {self.amount} (begin each line of it with "- ").',
        )

    def facts(self) -> Facts:
        return Facts({"lines": (self.low, None), "bullets": (self.low, self.high), **_markdown(self.low)})

    def demand(self, plan: Plan) -> None:
        if self.low:
            plan.lists.append((self.low, False))


class NumberedList(Constraint):
    """The lines that begin with a number and a point are numbered 1, 2, ... to a given number."""

    name = "numbered_list"
    dimension = "format"
    items: int

    def __post_init__(self) -> None:
        if not 1 <= self.items <= 50:
            self.refuse("items", "from 1 to 50")

    def problem(self, reading: Reading) -> str:
        found = [int(match[1]) for line in reading.lines if (match := _ITEM.match(line)) is not None]
        if found == list(range(1, self.items + 1)):
            return ""
        return f"numbered lines 1 to {self.items} asked for, found {', '.join(map(str, found[:20])) or 'none'}"

    def wordings(self) -> Sequence[str]:
        return (
            f'Make one numbered list with exactly {self.items} items: lines that begin with "1. ", "2. " and so on.',
            f'The text must have {self.items} numbered lines, "1. " to "{self.items}. ", and no others with a number.',
            f'Number exactly {self.items} lines, in order from "1. " on, as one list.',
        )

    def facts(self) -> Facts:
        return Facts({"lines": (self.items, None), "digits": (self.items, None), **_markdown(1)})

    def demand(self, plan: Plan) -> None:
        plan.lists.append((self.items, True))


class Title(Constraint):
    """The first line is a title in double angle brackets, ``<<My title>>``, and there is no other."""

    name = "title"
    dimension = "format"

    def problem(self, reading: Reading) -> str:
        first = reading.lines[0] if reading.lines else ""
        inside = first[2:-2]
        if not (first.startswith("<<") and first.endswith(">>") and words_of(inside)):
            return "the first line is not a title in double angle brackets, <<...>>"
        return "" if reading.text.count("<<") == reading.text.count(">>") == 1 else "there is more than one << or >>"

    def wordings(self) -> Sequence[str]:
        return (
            "The first line must be a title in double angle brackets, such as <<Hope>>; use these brackets only there.",
            "Give the text a title on its first line, wrapped as <<title>>, with no other << or >> in the text.",
            "Begin with a line that holds just the title in double angle brackets: <<title>>, the only such brackets.",
        )

    def facts(self) -> Facts:
        bounds = literal_bounds("<<>>")
        return Facts({**bounds, "words": (1, None), "mark:<": (2, None), "mark:>": (2, None)}, prefix="<<")

    def demand(self, plan: Plan) -> None:
        plan.head.append("<<{*}>>")


class Highlights(Range):
    """The number of passages highlighted with single or double asterisks, ``*like this*``, each within a line."""

    name = "highlights"
    dimension = "format"
    noun = "highlighted passage(s)"

    def count(self, reading: Reading) -> int:
        return sum(bool(words_of(match[2])) for match in _HIGHLIGHT.finditer(reading.text))

    def wordings(self) -> Sequence[str]:
        return (
            f"Highlight with asterisks, *like this*: {self.amount}.",
            f"The text must have {self.amount} in Markdown, such as *a highlighted passage*.",
            f"Use {self.amount}, each wrapped in asterisks as in *these words*.",
        )

    def facts(self) -> Facts:
        bounds = {"mark:*": (2 * self.low, None), "words": (self.low, None), **_markdown(self.low)}
        return Facts({**bounds, self.name: (self.low, self.high)})

    def demand(self, plan: Plan) -> None:
        plan.need += ["*{}*"] * self.low


class Sections(Constraint):
    """The Markdown headings of the text are these, in this order, each with text after it."""

    name = "sections"
    dimension = "format"
    effort = 2
    titles: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.titles) <= 20:
            self.refuse("titles", "from 1 to 20 titles")
        for title in self.titles:
            if title != " ".join(title.split()) or not words_of(title) or len(title) > 80 or title[0] == "#":
                self.refuse("titles", "single lines of 1 to 80 characters")

    def problem(self, reading: Reading) -> str:
        found, filled = [], True
        for line in reading.lines:
            heading = _HEADING.fullmatch(line)
            if heading is None:
                filled = filled or bool(words_of(line))
            elif not filled:
                break
            else:
                found.append(heading[1].strip())
                filled = False
        if not filled:
            return f'there is no text under the heading "{found[-1][:40]}"'
        if found == list(self.titles):
            return ""
        return f"the headings are {listed([f[:40] for f in found[:10]])}" if found else "there are no headings"

    def wordings(self) -> Sequence[str]:
        n, titles = len(self.titles), listed(self.titles)
        many = f"{n} sections with the headings" if n > 1 else "one section with the heading"
        return (
            f'Divide the text into {many} {titles}, in Markdown ("# " before each), and write text under every one.',
            f"The Markdown headings of the text must be exactly {titles}, in this order, each with text under it.",
            f'Write {many} {titles} in this order, each heading on a line that begins with "# ", and no others.',
        )

    def facts(self) -> Facts:
        n = len(self.titles)
        bounds = {**literal_bounds("".join(self.titles)), "lines": (2 * n, None), "mark:#": (n, None)}
        return Facts({**bounds, **_markdown(1)})

    def demand(self, plan: Plan) -> None:
        plan.claim("sections", self.titles)


class Table(Constraint):
    """There is one Markdown table: a header, a line of dashes, and rows; all with the same number of cells.

    Attributes:
        rows: Rows under the header.
        columns: Cells of each row.
    """

    name = "table"
    dimension = "format"
    effort = 2
    rows: int
    columns: int

    def __post_init__(self) -> None:
        for parameter in ("rows", "columns"):
            if not 1 <= getattr(self, parameter) <= 30:
                self.refuse(parameter, "from 1 to 30")

    def problem(self, reading: Reading) -> str:
        tables: list[list[list[str]]] = [[]]
        for raw in reading.text.split("\n"):
            line = raw.strip()
            if len(line) > 1 and line[0] == "|" == line[-1]:
                tables[-1].append([cell.strip() for cell in _BAR.split(line[1:-1])])
            elif tables[-1]:
                tables.append([])
        tables = [table for table in tables if table]
        if len(tables) != 1:
            return f"{len(tables)} tables counted, one asked for"
        table = tables[0]
        if len(table) < 2 or not all(_CELL.fullmatch(cell) for cell in table[1]):
            return "the table has no line of dashes under its header"
        widths = {len(row) for row in table}
        if widths != {self.columns}:
            return f"{self.columns} columns asked for, {' and '.join(map(str, sorted(widths)[:5]))} counted"
        number = len(table) - 2
        return "" if number == self.rows else f"{self.rows} rows under the header asked for, {number} counted"

    def wordings(self) -> Sequence[str]:
        r, c = self.rows, self.columns
        rows, columns = f"{r} row{'s' if r > 1 else ''}", f"{c} column{'s' if c > 1 else ''}"
        return (
            f"Include exactly one Markdown table with {columns} and {rows} under its header; begin and end its lines "
            "with |.",
            f"The text must have one Markdown table (every line of it from | to |): {columns}, a header and {rows}.",
            f"Put in a single table in Markdown, lines beginning and ending with |, with a header, {rows} below it and "
            f"{columns}.",
        )

    def facts(self) -> Facts:
        bars = (self.rows + 2) * (self.columns + 1)
        marks = {"mark:|": (bars, None), "mark:-": (self.columns, None)}
        return Facts({"lines": (self.rows + 2, None), **marks, **_markdown(1)})

    def demand(self, plan: Plan) -> None:
        row, dashes = "| {} " * self.columns + "|", "| --- " * self.columns + "|"
        plan.blocks.append("\n".join([row, dashes, *[row] * self.rows]))


class CodeBlocks(Range):
    """The number of fenced code blocks: lines of three backquotes (or tildes), with a line between."""

    name = "code_blocks"
    dimension = "format"
    noun = "fenced code block(s)"

    def count(self, reading: Reading) -> int:
        number, fence, inside = 0, "", 0
        for line in reading.lines:
            match = _FENCE.fullmatch(line)
            if not fence:
                if match is not None:
                    fence, inside = match[1][:3], 0
            elif match is not None and line.startswith(fence) and not line.strip(fence[0]):
                number += inside > 0
                fence = ""
            else:
                inside += 1
        return number

    def wordings(self) -> Sequence[str]:
        return (
            f"The text must have {self.amount}, between lines of three backquotes (```).",
            f"Include {self.amount} (opened and closed by a line with ```), not empty.",
            f"Use {self.amount} in Markdown, fenced with ``` and not empty.",
        )

    def facts(self) -> Facts:
        return Facts({"lines": (3 * self.low, None), self.name: (self.low, self.high), **_markdown(self.low)})

    def demand(self, plan: Plan) -> None:
        plan.blocks += ["```\n{*}\n```"] * self.low


class JsonObject(Constraint):
    """The whole text is one JSON object with exactly these keys; each value is a string with a word in it."""

    name = "json_object"
    dimension = "format"
    effort = 2
    keys: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.keys) <= 20 or len(set(self.keys)) < len(self.keys):
            self.refuse("keys", "from 1 to 20 different keys")
        if not all(key.isascii() and key.isidentifier() and len(key) <= 40 for key in self.keys):
            self.refuse("keys", "names of ASCII letters, digits and underscores")

    def problem(self, reading: Reading) -> str:
        pairs = read_object(reading.text)
        if isinstance(pairs, str):
            return pairs
        names = [name for name, _ in pairs]
        if sorted(names) != sorted(self.keys):
            return f"the keys are {listed([name[:40] for name in names[:10]])}" if names else "the object has no keys"
        for name, value in pairs:
            if not isinstance(value, str) or not words_of(value):
                return f'the value of "{name}" is not a text'
        return ""

    def wordings(self) -> Sequence[str]:
        keys = listed(self.keys)
        many = f"key{'s' if len(self.keys) > 1 else ''}"
        return (
            f"Answer with nothing but one JSON object with exactly the {many} {keys}; every value is a string.",
            f"The whole text must be a single JSON object (no code fence) with the {many} {keys} and string values.",
            f"Write only a JSON object, nothing around it, whose {many} {'are' if len(self.keys) > 1 else 'is'} {keys} "
            "and whose values are strings.",
        )

    def facts(self) -> Facts:
        n = len(self.keys)
        bounds = literal_bounds("".join(self.keys))
        bounds |= {"mark:{": (1, None), "mark:}": (1, None), 'mark:"': (4 * n, None), "mark::": (n, None)}
        if n > 1:
            bounds["mark:,"] = (n - 1, None)
        return Facts(bounds, prefix="{", suffix="}")

    def demand(self, plan: Plan) -> None:
        plan.claim("keys", self.keys)


def read_object(text: str) -> list[tuple[str, object]] | str:
    """Return the names and values of a JSON object, in order, or what is wrong with the text.

    Numbers are left unread (None) and depth is bounded, so that no text costs more than its length.
    """
    if not (text.startswith("{") and text.endswith("}")):
        return "the text is not one JSON object from { to }"
    depth = deepest = 0
    for bracket in re.finditer(r"[\[{\]}]", text):  # brackets in strings also count, which only makes it stricter
        depth += 1 if bracket[0] in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MAX_JSON_DEPTH:
        return f"the JSON is nested more than {MAX_JSON_DEPTH} deep"
    try:
        pairs = json.loads(text, object_pairs_hook=list, parse_int=_number, parse_float=_number, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return f"the text is not valid JSON: {str(error)[:80]}"
    return pairs if isinstance(pairs, list) else "the text is not one JSON object"


def _number(digits: str) -> None:
    """Skip a number, which is never a wanted string and would take more than linear time to parse."""


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


class Quoted(Constraint):
    """The whole text is in double quotation marks: it begins with one and ends with another."""

    name = "quoted"
    dimension = "format"

    def problem(self, reading: Reading) -> str:
        text = reading.text
        ok = len(text) > 2 and (text[0], text[-1]) in (
            ('"', '"'),
            ("“", "”"),
            ("„", "“"),
            ("«", "»"),
            ("「", "」"),
            ("『", "』"),
        )
        return "" if ok else "the text is not wrapped in double quotation marks"

    def wordings(self) -> Sequence[str]:
        return (
            "Wrap the whole text in double quotation marks.",
            "The first and the last character of the text must be double quotation marks.",
            "Put everything you write between double quotation marks.",
        )

    def demand(self, plan: Plan) -> None:
        plan.claim("wrap", ('"', '"'))


class NoMarkdown(Constraint):
    """No heading, list, quotation, emphasis, code, table, link or rule of Markdown."""

    name = "no_markdown"
    dimension = "format"

    def problem(self, reading: Reading) -> str:
        found = next((what for what, pattern in _MARKDOWN if pattern.search(reading.text)), "")
        return f"there is {found}" if found else ""

    def wordings(self) -> Sequence[str]:
        return (
            "Write plain text without any Markdown: no headings, lists, emphasis, code, tables, links or rules.",
            "Use no Markdown at all (headings, lists, quotations, emphasis, code, tables, links, rules).",
            "The text must be plain, free of all Markdown marks for headings, lists, emphasis, code, tables and links.",
        )

    def facts(self) -> Facts:
        return Facts({"markdown": (0, 0)})

    def demand(self, plan: Plan) -> None:
        pass
