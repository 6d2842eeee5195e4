"""Read documents as a careful reader of the world's English would: by the sentences in which facts are stated."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from turnwise.worlds.documents.phrases import PHRASES
from turnwise.worlds.documents.schema import KINDS, VOCABULARY, relation_named
from turnwise.worlds.documents.wording.text import BOX_PAIRS, LEADS, TEXTS

__all__ = ["Doc", "documents_in", "found", "listed", "parsed", "terms", "value_order"]

_DOC = re.compile(r"Doc \d+ \(Title: (.+?)\)(?= |\n)")
_OPENED = re.compile(r"<tool_response>([^\n<]{1,200}?)(?:, part \d+ of \d+)?\n(.*?)</tool_response>", re.DOTALL)
_OLD = re.compile(r"\((?:\d+ edition|newspaper of \d+|letter of \d+|forum thread)(?:, \d+)?\)$")
_SLOT = re.compile(r"\\\{(\w+)\\\}")
_TIME = r"(?:(?:[Ff]rom|[Ii]n the years) \d+ (?:to|through) \d+|[Ii]n \d+)"
_NAME = r"[A-Z][\w'-]*(?: (?:& |of |in |to |the |over |from |at )?[A-Z][\w'-]*| [a-z]{5,}(?= |\.|,))*(?: \([^()]*\))?"
_DATE = r"\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4}|\d{4}-\d\d-\d\d"
_VALUES = {"number": r"[\d,]+(?:\.\d+)?(?: thousand| million)?", "year": r"\d{3,4}", "date": _DATE, "term": r"[a-z ]+?"}
"""Patterns of values that are not names."""


class Doc(NamedTuple):
    """A document as shown."""

    title: str
    text: str

    @property
    def subject(self) -> str:
        """Whom it is about: its title without what stands in parentheses at the end."""
        return re.sub(r" \([^()]*\)$", "", self.title)


def documents_in(text: str) -> list[Doc]:
    """Return the documents that an observation or a prompt shows."""
    marks = list(_DOC.finditer(text))
    stops = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    shown = [Doc(mark[1], text[mark.end() : stop]) for mark, stop in zip(marks, stops, strict=True)]
    opened = [match for match in _OPENED.finditer(text) if not match[1].startswith("Doc ")]
    return shown + [Doc(match[1], match[2].replace("[", "").replace("]", "")) for match in opened]


def _flush(text: str) -> str:
    """Return a text without the blanks before its lines."""
    return "\n".join(line.strip() for line in text.splitlines())


@lru_cache(4096)
def _pattern(template: str, slot: str, entity: str, given: str, sort: str) -> re.Pattern[str]:
    """Return a sentence with one slot filled in, another captured, and the others open."""

    def filled(match: re.Match[str]) -> str:
        name = match[1]
        if name == given:
            return rf"(?:[Tt]he )?{re.escape(entity)}(?: \([^()]*\))?" if entity else r"(?:He|She|It)"
        if name in ("He", "he", "His", "his"):
            return r"(?:[Hh]e|[Ss]he|[Ii]t|[Hh]is|[Hh]er|[Ii]ts)"
        if name == slot:
            return rf"(?:the )?((?!(?:It|He|She|His|Her|Its)\b)(?:{_VALUES.get(sort, _NAME)}))"
        if name in ("when", "when_s"):
            return _TIME
        return r"\d{4}" if name in ("year", "a") else r"(?:(?!\. )[\w&'.,() -])+?"

    return re.compile(
        r"(?:^|(?<=[.!?:] )|(?<=\n))"
        + _SLOT.sub(filled, re.escape(template).replace("an\\ ", "an? ").replace(r"\ ", " "))
        + r"(?=\s|$)"
    )


def found(docs: Iterable[Doc], relation: str, entity: str, inverse: bool = False, year: int = 0) -> list[str]:
    """Return what documents state as the objects of an entity, or as its subjects; at a year, if one is given."""
    answers: dict[str, None] = {}
    mutable, terms = relation_named(relation).mutable, relation_named(relation).shape == "terms"
    for doc in docs:
        if mutable and _OLD.search(doc.title):
            continue
        for value, span in _stated(doc, _flush(doc.text), relation, entity, inverse):
            clean = _clean(value, relation)
            if clean and "…" not in value and (not terms or not year or _covers(span, year)):
                answers[clean] = None
        if inverse and doc.subject != entity and entity in found([doc], relation, doc.subject):
            answers[doc.subject] = None
    return list(answers)


def _stated(doc: Doc, text: str, relation: str, entity: str, inverse: bool) -> Iterator[tuple[str, str]]:
    """Yield each value with the words that state it."""
    if entity not in text and entity not in doc.title:
        return
    texts = TEXTS[relation]
    title = texts.relation.list_title
    if title and not inverse and texts.relation.shape == "terms" and doc.title == title.format(entity):
        for row in re.findall(r"(?m)^- (.+)$", text):
            yield row.rpartition(", ")[0], row
        return
    if not inverse:
        yield from _from_object(doc, text, relation, entity)
        yield from _in_table(text, texts.column, entity)
    given, slot = ("o", "s") if inverse else ("s", "o")
    own = entity in (doc.title, doc.subject) and ("(born" not in doc.title or doc.title == entity)
    sort = "name" if inverse else texts.object
    for template in {*texts.s, *texts.o, *texts.s_open, *texts.o_open}:
        for name in (doc.subject, "") if own else (entity,):
            for match in _pattern(_typed(template, "o"), slot, name, given, sort).finditer(text):
                yield match[1], match[0]
    for template in texts.p if own and not inverse else ():
        for match in _pattern(_typed(template, "o"), "o", "", "He", sort).finditer(text):
            yield match[1], match[0]
    if not own:
        return
    if not inverse:
        for pair, label in BOX_PAIRS.items():
            for match in re.finditer(rf"(?m)^\s*{label}: (.+), ([^,\n]+)$", text) if relation in pair else ():
                value = match[1 + pair.index(relation)]
                if texts.object not in _VALUES or re.fullmatch(_VALUES[texts.object], value):
                    yield value, value
        for label in texts.box:
            head = re.escape(label).replace(r"\{year\}", r"\d{4}")
            for match in re.finditer(rf"(?m)^\s*{head}: (.+)$", text):
                yield match[1], match[1]
        for kind in KINDS:
            for lead in LEADS[kind] if kind == relation_named(relation).subject else ():
                for template in lead.texts if relation in lead.relations else ():
                    shape = _typed(template, relation)
                    for match in _pattern(shape, relation, doc.subject, "s", sort).finditer(text):
                        yield match[1], match[0]
    for heading in texts.o_list if inverse else texts.s_list:
        yield from _under(text, heading)
    for names in _together(doc, text, texts.o_many if inverse else texts.s_many, "o" if inverse else "s"):
        yield from ((name, "") for name in names)


def _from_object(doc: Doc, text: str, relation: str, entity: str) -> Iterator[tuple[str, str]]:
    """Yield the object of an entity where the object's own page, or a list of such entities, names the entity."""
    texts = TEXTS[relation]
    for heading in texts.o_list:
        for row, said in _under(text, heading):
            if row == entity:
                yield doc.subject, said
    title = texts.relation.list_title
    if title and texts.relation.shape != "terms":
        head, _, tail = title.partition("{}")
        if doc.title.startswith(head) and doc.title.endswith(tail) and entity in listed([doc], relation, ""):
            yield doc.title[len(head) : len(doc.title) - len(tail)], doc.title
    for names in _together(doc, text, texts.o_many, "o"):
        if entity in names:
            yield doc.subject, ", ".join(names)
    for template in {*texts.o, *texts.o_open}:
        if template.startswith("{o}"):
            for match in _pattern(template.replace("{o}", "{He}", 1), "", entity, "s", "").finditer(text):
                yield doc.subject, match[0]


def _in_table(text: str, column: str, entity: str) -> Iterator[tuple[str, str]]:
    """Yield what a table says about an entity in a column."""
    rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in re.findall(r"(?m)^\s*(\|.+\|)$", text)]
    heading = column.replace(" ({year})", "")
    for row in rows[2:]:
        if row[0] == entity and len(row) == len(rows[0]):
            for head, cell in zip(rows[0][1:], row[1:], strict=True):
                if re.sub(r" \(\d{4}\)$", "", head) == heading and heading and cell != "-":
                    yield cell, cell


def _together(doc: Doc, text: str, templates: Iterable[str], own: str) -> Iterator[list[str]]:
    """Yield the lists of names in sentences about several entities that have the page's subject in common."""
    for template in templates:
        shape = re.escape(template.format_map({own: "OWN", "list": "LIST"}))
        shape = shape.replace("OWN", rf"(?:[Tt]he )?{re.escape(doc.subject)}").replace("LIST", r"([^.\n]+?)")
        for match in re.finditer(rf"(?:^|(?<=[.!?:] )|(?<=\n)){shape}(?=\s|$)", text):
            yield [name.removeprefix("the ") for name in re.split(r", | and ", match[1])]


def _typed(template: str, slot: str) -> str:
    """Return a template with "a" or "an" before a word of the vocabulary as a word of its own."""
    return template.replace("{an}", "an {o}").replace("{an_" + slot + "}", "an {" + slot + "}")


def terms(docs: Iterable[Doc], relation: str, entity: str) -> list[tuple[int, str]]:
    """Return the terms that documents state, by first year: the year and the holder."""
    known: dict[tuple[int, str], None] = {}
    for doc in docs:
        for value, span in _stated(doc, _flush(doc.text), relation, entity, False):
            if (year := re.search(r"\b\d{4}\b", span.replace(value, ""))) is not None:
                known[int(year[0]), _clean(value, relation)] = None
    return sorted(known)


def _under(text: str, heading: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a list under its heading."""
    head = re.sub(r"\\\{\w\\\}", ".+", re.escape(heading))
    for match in re.finditer(rf"(?m)^\s*{head}:\n((?:\s*- .+\n?)+)", text):
        for line in match[1].splitlines():
            entry = line.strip().removeprefix("- ")
            yield re.sub(r", \d{4}(?:-\w+)?$", "", entry), entry


def _covers(words: str, year: int) -> bool:
    years = [int(found) for found in re.findall(r"\b\d{4}\b", words)]
    if not years:
        return False
    going_on = "since" in words or "present" in words or "still" in words
    return years[0] <= year and (going_on or year <= years[-1])


def _clean(value: str, relation: str) -> str:
    value = value.strip().rstrip(".;").removeprefix("the ").strip('"')
    described = relation_named(relation)
    if described.object == "number":
        match = re.search(r"[\d,]+(?:\.\d+)?(?: thousand| million)?", value)
        return match[0] if match else value
    if described.object == "term":
        return next((word for word in VOCABULARY[relation] if word in value), "")
    return re.sub(r" \((?:\d{4}.*)\)$", "", value)


def listed(docs: Iterable[Doc], relation: str, entity: str) -> list[str]:
    """Return the members that a list or table page of a relation names; without an entity, of the first page."""
    title = relation_named(relation).list_title.format(entity)
    for doc in docs:
        if title and (doc.title == title or not entity):
            rows = re.findall(r"(?m)^\s*- (.+)$", doc.text)
            if not rows:
                rows = re.findall(r"(?m)^\s*\| ([^|]+) \|", doc.text)[1:]
            return [re.sub(r", \d{4}(?:-\w+)?$", "", row).strip() for row in rows]
    return []


def parsed(text: str, keys: Sequence[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield every way to read a text as one of the phrases: the relation, the kind of phrase, what fills its slots."""
    for relation, words in PHRASES.items():
        for key in keys:
            for template in getattr(words, key):
                shape = re.escape(template).replace(r"\{\}", "(?P<x>.+)").replace(r"\{year\}", r"(?P<year>.+?)")
                shape = shape.replace(r"\{a\}", "(?P<a>.+)").replace(r"\{b\}", "(?P<b>.+)")
                if (match := re.fullmatch(shape, text)) is not None:
                    yield relation, key, match.groupdict()


def value_order(value: str) -> tuple[int, ...]:
    """Return what a value is compared by: a date by year, month and day, a number by its size."""
    months = "January February March April May June July August September October November December".split()  # noqa: SIM905
    if (match := re.search(r"(\d{1,2}) ([A-Z]\w+) (\d{4})", value)) is not None:
        return int(match[3]), months.index(match[2]), int(match[1])
    if (match := re.search(r"([A-Z]\w+) (\d{1,2}), (\d{4})", value)) is not None:
        return int(match[3]), months.index(match[1]), int(match[2])
    if (match := re.search(r"(\d{4})-(\d\d)-(\d\d)", value)) is not None:
        return int(match[1]), int(match[2]) - 1, int(match[3])
    match = re.search(r"\d[\d,]*(?:\.\d+)?", value)
    scale = 1_000_000 if "million" in value else 1000 if "thousand" in value else 1
    return (round(float(match[0].replace(",", "")) * scale),) if match else (0,)
