"""Draw a request about a database: a business, how it keeps its records, a question, and the rows."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from turnwise.core.draw import Draw
from turnwise.worlds.programs.databases.domains import (
    airline_requests,
    billing_requests,
    clinic_requests,
    library_requests,
    logistics_requests,
    school_requests,
    shop_requests,
    utility_requests,
)
from turnwise.worlds.programs.databases.domains.airline import AIRLINE
from turnwise.worlds.programs.databases.domains.billing import BILLING
from turnwise.worlds.programs.databases.domains.clinic import CLINIC
from turnwise.worlds.programs.databases.domains.library import LIBRARY
from turnwise.worlds.programs.databases.domains.logistics import LOGISTICS
from turnwise.worlds.programs.databases.domains.school import SCHOOL
from turnwise.worlds.programs.databases.domains.shop import SHOP
from turnwise.worlds.programs.databases.domains.utility import UTILITY
from turnwise.worlds.programs.databases.easy import EASY
from turnwise.worlds.programs.databases.fill import Filler, Hints, built, declared, hints_of
from turnwise.worlds.programs.databases.model import Ask, Domain, Question, Style, tables_in

__all__ = [
    "DOMAINS",
    "Request",
    "database",
    "dictionary",
    "draw_request",
    "families",
    "schema",
    "title",
    "unnamed",
]

DOMAINS: Mapping[str, Domain] = {
    domain.name: domain for domain in (SHOP, CLINIC, BILLING, AIRLINE, LIBRARY, LOGISTICS, SCHOOL, UTILITY)
}
_FAMILIES: Mapping[str, Sequence[tuple[int, Callable[[Ask], Question]]]] = {
    "shop": shop_requests.FAMILIES,
    "clinic": clinic_requests.FAMILIES,
    "billing": billing_requests.FAMILIES,
    "airline": airline_requests.FAMILIES,
    "library": library_requests.FAMILIES,
    "logistics": logistics_requests.FAMILIES,
    "school": school_requests.FAMILIES,
    "utility": utility_requests.FAMILIES,
}
Kind = Literal["mixed", "question", "change"]


@dataclass(frozen=True)
class Request:
    """A request about a database.

    Attributes:
        domain: The business.
        style: How it keeps its records.
        question: What is asked.
        tables: The tables of the database, by their names in the code.
        seed: Seeds the rows.
    """

    domain: str
    style: Style
    question: Question
    tables: frozenset[str]
    seed: int = field(compare=False)


def families(tier: int, kind: Kind = "mixed", businesses: Collection[str] = tuple(DOMAINS)) -> list[tuple[str, int]]:
    """Return the kinds of questions of a tier: the business, and the place in its list (or in that of easy ones)."""
    names = [name for name in DOMAINS if name in businesses]
    if tier in EASY:
        return [] if kind == "change" else [(name, i) for name in names for i in range(len(EASY[tier]))]
    found = []
    for name in names:
        for i, (level, _) in enumerate(_FAMILIES[name]):
            if level == tier and (kind == "mixed" or (kind == "change") == (i in _changes(name))):
                found.append((name, i))
    return found


@cache
def _changes(name: str) -> frozenset[int]:
    """Return the places of the families that ask for changes."""
    domain, style = DOMAINS[name], Style(soft="flag")
    names = domain.names(style)
    return frozenset(i for i, (_, make) in enumerate(_FAMILIES[name]) if make(Ask(Draw(name, i), style, names)).writes)


def _style(draw: Draw, tier: int) -> Style:
    names = draw.below(1000)
    if tier < 3:
        return Style(names)
    if tier == 3:
        return Style(names, stamps=draw.chance(0.5))
    return Style(
        names, draw.chance(0.5), draw.either("flag", "date"), draw.chance(0.5), draw.chance(0.5), draw.chance(0.5),
        draw.chance(0.6),
    )  # fmt: skip


def draw_request(
    draw: Draw, tier: int, num_tables: int, kind: Kind, businesses: Collection[str] = tuple(DOMAINS)
) -> Request:
    """Draw a request of a tier.

    Args:
        draw: The source of randomness.
        tier: The difficulty of the question, from 1 to 6.
        num_tables: Number of tables, if there are as many and the question needs no more.
        kind: Whether it asks for a result or for a change of the data.
        businesses: Names of the businesses that it may be about.
    """
    name, place = draw.choice(families(tier, kind, businesses))
    domain, style = DOMAINS[name], _style(draw, tier)
    names = domain.names(style)
    ask = Ask(draw, style, names)
    question = EASY[tier][place](ask, domain) if tier in EASY else _FAMILIES[name][place][1](ask)
    needed = {*tables_in(question.sql, names), *question.also}
    for term in question.terms:
        needed |= {*tables_in(domain.terms(style, names)[term], names)}
    others = draw.sample([table for table in names if table not in needed], max(num_tables - len(needed), 0))
    return Request(name, style, question, frozenset({*needed, *others}), draw.below(2**53))


def title(request: Request) -> str:
    """Return what the business is: "a web shop"."""
    return DOMAINS[request.domain].title


def schema(request: Request) -> dict[str, str]:
    """Return the CREATE TABLE statements of a request's tables, by their names in the database."""
    domain = DOMAINS[request.domain]
    names = domain.names(request.style)
    return {names[table]: text for table, text in declared(domain, request.style, request.tables).items()}


def unnamed(request: Request) -> str:
    """Return the statement that answers a request, with the tables as they are called in the code."""
    own = {name: table for table, name in DOMAINS[request.domain].names(request.style).items()}
    return re.sub(r"\w+", lambda word: own.get(word[0], word[0]), request.question.sql)


def dictionary(request: Request) -> dict[str, str]:
    """Return the entries of the data dictionary: those that the question depends on, and others about the tables."""
    domain = DOMAINS[request.domain]
    names = domain.names(request.style)
    entries = domain.terms(request.style, names)
    return {
        term: text
        for term, text in entries.items()
        if term in request.question.terms or request.tables.issuperset(tables_in(text, names))
    }


def database(request: Request, num_rows: int, number: int = 0, hinted: bool = True) -> bytes:
    """Return a database of a request, as an SQLite file.

    Args:
        request: The request.
        num_rows: Number of rows of the largest tables, about.
        number: 0 for the one that is shown; others have other rows.
        hinted: Whether values that the statement names are frequent; somewhat, in the one that is shown.
    """
    draw = Draw("databases", request.seed, number)
    hints = hints_of(request.question.sql) if hinted else Hints()
    filler = Filler(draw, request.style, num_rows, hints, mild=number == 0)
    return built(DOMAINS[request.domain], request.style, filler, request.tables)
