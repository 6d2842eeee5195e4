"""Pages without sentences: lists, tables, disambiguation pages, and the terse style."""

from turnwise.worlds.documents.phrases import KIND_NOUNS, article
from turnwise.worlds.documents.schema import OPEN, Statement, relation_named
from turnwise.worlds.documents.wording.pen import Pen, capitalised
from turnwise.worlds.documents.wording.text import DISAMBIGUATION, LISTS, TEXTS, Texts
from turnwise.worlds.documents.wording.values import terse_date, years

__all__ = ["write_disambiguation", "write_list", "write_table", "write_terse"]


def write_list(pen: Pen) -> str:
    """Write an opening line, then an entry for each statement."""
    return "\n".join([_opening(pen), *(f"- {_entry(pen, x)}" for x in pen.page.statements)])


def write_table(pen: Pen) -> str:
    """Write an opening line, then a table of the relation's subjects with further columns."""
    page = pen.page
    cells: dict[tuple[int, str], list[str]] = {}
    for x in page.statements:
        if x.relation != page.relation:
            cells.setdefault((x.subject, x.relation), []).append(_cell(pen, x))
    heads = [KIND_NOUNS[relation_named(page.relation).subject][0].capitalize()]
    heads += [TEXTS[column].column.format(year=page.year) for column in page.columns]
    lines = [_opening(pen), _row(heads), "|" + "---|" * len(heads)]
    for x in page.statements:
        if x.relation == page.relation:
            values = ["; ".join(cells.get((x.subject, column), ["-"])) for column in page.columns]
            lines.append(_row([pen.link(x.subject, x.subject_form), *values]))
    return "\n".join(lines)


def write_disambiguation(pen: Pen) -> str:
    """Write a list of namesakes: the kind of each, and what the page says about it."""
    page, world = pen.page, pen.world
    lines = [pen.choose(DISAMBIGUATION).format(name=world.name(page.members[0]))]
    for e in page.members:
        entry = f"- {pen.link(e)}, {article(KIND_NOUNS[world.kind(e)][0])}."
        lines.append(" ".join([entry, *(pen.sentence(x, "s")[1] for x in page.statements if x.subject == e)]))
    return "\n".join(lines)


def write_terse(pen: Pen) -> str:
    """Write a line per subject, its name first: "Bak spouse [[Fes]] father [[Gor]]"; an older edition's year above."""
    page = pen.page
    lines: dict[tuple[int, int], list[str]] = {}
    for x in page.statements:
        words = lines.setdefault((x.subject, x.subject_form), [pen.link(x.subject, x.subject_form)])
        texts = TEXTS[x.relation]
        words += [texts.short, _terse_value(pen, x, texts)]
        if x.start >= 0:
            words += [str(x.start), "now" if x.end == OPEN else str(x.end)]
    if page.kind == "disambiguation":
        lines[-1, 0] = [pen.world.name(page.members[0]), *(pen.link(e) for e in page.members)]
    text = "\n".join(map(" ".join, lines.values())) or pen.link(page.subject)
    return f"{page.year}\n{text}" if page.kind == "stale" else text


def _opening(pen: Pen) -> str:
    page = pen.page
    title = relation_named(page.relation).list_title
    texts = TEXTS[page.relation]
    kind = texts.relation.subject if texts.relation.shape == "terms" else texts.relation.object
    whom = pen.link(page.subject) if "the {}" in title else pen.spoken(page.subject, 0, kind)
    text = title[0].lower() + title[1:].format(whom)
    return capitalised(pen.choose(LISTS).format(title=text))


def _entry(pen: Pen, x: Statement) -> str:
    if x.start < 0:
        return pen.link(x.subject, x.subject_form)
    return f"{pen.link(x.object, x.object_form)}, {years(x.start, x.end)}"


def _cell(pen: Pen, x: Statement) -> str:
    texts = TEXTS[x.relation]
    value = terse_date(x.object) if texts.object == "date" else pen.value(x, texts, True) + texts.unit
    return f"{value} ({years(x.start, x.end)})" if x.start >= 0 else value


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _terse_value(pen: Pen, x: Statement, texts: Texts) -> str:
    if texts.object in ("number", "year"):
        return str(x.object)
    return terse_date(x.object) if texts.object == "date" else pen.value(x, texts, True)
