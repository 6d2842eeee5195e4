"""Questions about one table: count, filter, total, group. The rungs below the questions of each business."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from turnwise.core.draw import Draw
from turnwise.worlds.programs.databases.model import Ask, Domain, Fact, Filter, Period, Question

__all__ = ["EASY"]


class _Case(NamedTuple):
    """A fact with details drawn."""

    ask: Ask
    fact: Fact
    filter: Filter
    value: str
    measure: str
    phrase: str
    noun: str
    most: int
    period: Period

    @property
    def table(self) -> str:
        return self.ask.t[self.fact.table]

    @property
    def column(self) -> str:
        return self.ask.at(self.fact.column) if self.fact.column in _moments(self.fact) else self.fact.column

    @property
    def those(self) -> str:
        """The rows with the value of the filter: "orders paid by card"."""
        return f"{self.fact.many} {self.filter.phrase.format(self.value)}"

    @property
    def equal(self) -> str:
        return f"{self.filter.column} = '{self.value}'"

    @property
    def within(self) -> str:
        return self.ask.among(self.column, self.period)


def _moments(fact: Fact) -> Sequence[str]:
    return () if fact.column.endswith(("_on", "_date")) else (fact.column,)


def _case(ask: Ask, domain: Domain, *kinds: str) -> _Case:
    fact = ask.draw.choice(domain.facts)
    chosen = ask.draw.choice(fact.filters)
    measure, phrase, noun, most = ask.draw.choice(fact.measures)
    period = ask.period(*(kinds or ("month", "quarter", "half", "year")))
    return _Case(ask, fact, chosen, ask.draw.choice(chosen.values), measure, phrase, noun, most, period)


def _threshold(draw: Draw, most: int) -> int:
    """A number between the usual values."""
    return draw.integer(2, most - 1) if most < 500 else 100 * draw.integer(2, most // 100 - 1)


# ---- one condition --------------------------------------------------------------------------------------------------


def _count(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    return ask.question(
        "count",
        [
            f"How many {c.fact.many} were {c.fact.verb} in {c.period.words}?",
            f"Count the {c.fact.many} {c.fact.verb} in {c.period.words}.",
            f"What was the number of {c.fact.many} {c.fact.verb} in {c.period.words}?",
        ],
        "one row with the number",
        f"SELECT COUNT(*) FROM {c.table} WHERE {c.within}",
    )


def _count_value(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    return ask.question(
        "count_value",
        [
            f"How many {c.those} were {c.fact.verb} in {c.period.words}?",
            f"In {c.period.words}, how many {c.those} were {c.fact.verb}?",
        ],
        "one row with the number",
        f"SELECT COUNT(*) FROM {c.table} WHERE {c.equal} AND {c.within}",
    )


def _list(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    least = _threshold(ask.draw, c.most)
    side, sign = ask.draw.either(("at least", ">="), ("more than", ">"), ("at most", "<="), ("less than", "<"))
    return ask.question(
        "list",
        [
            f"List the {c.fact.many} {c.phrase.format(f'{side} {least}')}.",
            f"Which {c.fact.many} {c.phrase.format(f'{side} {least}')} are on record?",
        ],
        f"one row per {c.fact.one}: its id",
        f"SELECT id FROM {c.table} WHERE {c.measure} {sign} {least}",
    )


def _extent(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    name, word = ask.draw.either(("AVG", "average"), ("SUM", "total"))
    return ask.question(
        "extent",
        [
            f"What is the {word} {c.noun} of the {c.fact.many} {c.fact.verb} in {c.period.words}?",
            f"For the {c.fact.many} {c.fact.verb} in {c.period.words}, what is the {word} {c.noun}?",
        ],
        f"one row with the {word} {c.noun}",
        f"SELECT {name}({c.measure}) FROM {c.table} WHERE {c.within}",
    )


# ---- groups and several conditions ----------------------------------------------------------------------------------


def _per_value(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    column, each = c.filter.column, c.filter.each
    return ask.question(
        "per_value",
        [
            f"Break the {c.fact.many} {c.fact.verb} in {c.period.words} down by {each}: how many were there of each?",
            f"For each {each}, how many {c.fact.many} were {c.fact.verb} in {c.period.words}?",
        ],
        f"one row per {each} that occurs: the {each}, the number of {c.fact.many}",
        f"SELECT {column}, COUNT(*) FROM {c.table} WHERE {c.within} GROUP BY {column}",
    )


def _often(ask: Ask, domain: Domain) -> Question:
    c, least = _case(ask, domain, "half", "year", "quarter"), ask.draw.integer(2, 5)
    column, one, many = c.fact.owner
    return ask.question(
        "often",
        [
            f"Which {many} account for at least {least} {c.fact.many} {c.fact.verb} in {c.period.words}?",
            f"List the {many} with {least} or more {c.fact.many} {c.fact.verb} in {c.period.words}.",
        ],
        f"one row per {one}: {column}, the number of those {c.fact.many}",
        f"SELECT {column}, COUNT(*) FROM {c.table} WHERE {c.within} AND {column} IS NOT NULL GROUP BY {column} "
        f"HAVING COUNT(*) >= {least}",
    )


def _different(ask: Ask, domain: Domain) -> Question:
    c = _case(ask, domain)
    column, _, many = c.fact.owner
    return ask.question(
        "different",
        [
            f"How many different {many} are behind the {c.those} that were {c.fact.verb} in {c.period.words}?",
            f"Count the distinct {many} with {c.those}, {c.fact.verb} in {c.period.words}.",
        ],
        f"one row with the number of {many}",
        f"SELECT COUNT(DISTINCT {column}) FROM {c.table} WHERE {c.equal} AND {c.within}",
    )


def _highest(ask: Ask, domain: Domain) -> Question:
    c, count = _case(ask, domain, "quarter", "half", "year"), ask.draw.integer(3, 10)
    return ask.question(
        "highest",
        [
            f"Which {count} {c.fact.many} {c.fact.verb} in {c.period.words} had the highest {c.noun}? If there is a "
            f"tie, "
            "the lower id goes first.",
            f"List the top {count} {c.fact.many} {c.fact.verb} in {c.period.words} by {c.noun} (lower id first in a "
            f"tie)."
            "",
        ],
        f"up to {count} rows, highest first: id, {c.noun}; leave out {c.fact.many} for which it is not known",
        f"SELECT id, {c.measure} FROM {c.table} WHERE {c.within} AND {c.measure} IS NOT NULL ORDER BY {c.measure} "
        f"DESC, "
        f"id LIMIT {count}",
    )


def _average(ask: Ask, domain: Domain) -> Question:
    c, least = _case(ask, domain, "half", "year", "quarter"), ask.draw.integer(2, 4)
    column, each = c.filter.column, c.filter.each
    return ask.question(
        "average",
        [
            f"For the {c.fact.many} {c.fact.verb} in {c.period.words}, what is the average {c.noun} by {each}? Skip "
            f"any {each} "
            f"with fewer than {least} of them.",
            f"What was the average {c.noun} of the {c.fact.many} {c.fact.verb} in {c.period.words}, for each {each} "
            f"with at "
            f"least {least} of them?",
        ],
        f"one row per {each}: the {each}, the average, the number of {c.fact.many}",
        f"SELECT {column}, AVG({c.measure}), COUNT(*) FROM {c.table} WHERE {c.within} GROUP BY {column} HAVING "
        f"COUNT(*) >= "
        f"{least}",
    )


EASY: Mapping[int, Sequence[Callable[[Ask, Domain], Question]]] = {
    1: (_count, _count_value, _list, _extent),
    2: (_per_value, _often, _different, _highest, _average),
}
"""What draws the questions of the first two tiers."""
