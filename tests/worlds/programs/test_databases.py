"""Databases of businesses: wrong versions are told apart, and answers agree with a computation in plain Python."""

import doctest
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.verifiers.sql.results import verify_sql
from turnwise.worlds.programs.databases import model, mutants
from turnwise.worlds.programs.databases.draw import (
    _FAMILIES,
    DOMAINS,
    Request,
    database,
    dictionary,
    draw_request,
    schema,
)
from turnwise.worlds.programs.databases.fill import declared
from turnwise.worlds.programs.databases.hidden import first_databases, further_databases, wrong_versions
from turnwise.worlds.programs.databases.model import Ask, Style

Row = dict[str, Any]


@pytest.mark.parametrize("module", [model, mutants], ids=lambda m: m.__name__)
def test_doctests(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


def test_every_family_runs_in_every_style() -> None:
    for name, made in _FAMILIES.items():
        domain = DOMAINS[name]
        for place, (tier, make) in enumerate(made):
            for number in range(6):
                bits = [bool(number >> k & 1) for k in range(3)]
                soft = ("flag", "date")[number % 2] if tier > 3 else "none"
                style = Style(
                    97 * number, bits[0] and tier > 3, soft, bits[1], bits[2], not bits[0], bits[1] and tier > 3
                )
                names = domain.names(style)
                assert len(set(names.values())) == len(names) >= 8
                question = make(Ask(Draw(name, place, number), style, names))
                terms = domain.terms(style, names)
                assert set(question.terms) <= set(terms), question.family
                with closing(sqlite3.connect(":memory:")) as connection:
                    for statement in declared(domain, style, frozenset(names)).values():
                        connection.execute(statement)
                    for statement in question.sql.split(";"):
                        connection.execute(statement)
                assert "  " not in question.text + question.returns


def test_a_request_has_the_tables_and_entries_that_it_needs() -> None:
    for number in range(60):
        request = draw_request(Draw("needs", number), 1 + number % 6, 1, "mixed")
        tables = schema(request)
        words = set(re.findall(r"\w+", request.question.sql))
        all_names = DOMAINS[request.domain].names(request.style).values()
        assert {name for name in all_names if name in words} <= set(tables)
        assert set(request.question.terms) <= set(dictionary(request))


def test_rows_depend_on_the_seed_alone() -> None:
    request = draw_request(Draw("seed", 1), 5, 12, "mixed")
    assert database(request, 80, 3) == database(request, 80, 3) != database(request, 80, 4)


@pytest.mark.slow
def test_wrong_versions_are_told_apart() -> None:
    """On the hidden databases: those that differ on others, which are drawn for this test."""
    tried = kept = 0
    for number in range(5):
        request = draw_request(Draw("wrong", number), 3 + number % 4, 12, "question")
        judged = [*first_databases(request), *further_databases(request)]
        others = [database(request, size, 1000 + size) for size in (28, 47, 75, 120)]
        known = set(wrong_versions(request))
        for version in mutants.mutants(request.question.sql):
            if version in known or not _same(version, request, others):
                tried += 1
                kept += _same(version, request, judged)
    assert tried > 80
    assert kept <= tried / 50


def _same(version: str, request: Request, databases: list[bytes]) -> bool:
    return all(verify_sql(version, data, request.question.sql, allow_empty=True).correct for data in databases)


# ---- answers in plain Python ----------------------------------------------------------------------------------------


class Tables:
    """A database as dictionaries, under the names of tables in the code."""

    def __init__(self, request: Request, data: bytes) -> None:
        self.style = request.style
        names = DOMAINS[request.domain].names(request.style)
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(data)
            connection.row_factory = sqlite3.Row
            self.rows = {
                table: [dict(row) for row in connection.execute(f"SELECT * FROM {names[table]}")]
                for table in request.tables
            }

    def live(self, row: Row) -> bool:
        return not row.get("is_deleted") and row.get("deleted_at") is None

    def by_id(self, table: str) -> dict[int, Row]:
        return {row["id"]: row for row in self.rows[table]}


def _streak(t: Tables, sql: str) -> list[tuple[Any, ...]]:
    """Longest runs of months with valid orders of a customer."""
    (end,) = re.findall(r"placed_\w+ < '([\d-]+)'", sql)
    least = int(sql.rsplit(">= ", 1)[1])
    moment = "placed_at" if t.style.stamps else "placed_on"
    customers, statuses = t.by_id("customers"), t.by_id("order_statuses")
    months: dict[int, set[int]] = {}
    for order in t.rows["orders"]:
        customer = customers[order["customer_id"]]
        code = statuses[order["status_id"]]["code"]
        if code == "CANC" or (t.style.strict and code == "NEW") or not t.live(order) or not t.live(customer):
            continue
        if not customer["email"].endswith("@example.com") and order[moment] < end:
            year, month = order[moment].split("-")[:2]
            months.setdefault(customer["id"], set()).add(12 * int(year) + int(month))
    found = []
    for customer_id, all_months in months.items():
        longest = max(next(n for n in range(1, 99) if m + n not in all_months) for m in all_months)
        if longest >= least:
            found.append((customer_id, longest))
    return found


def _uncovered(t: Tables, sql: str) -> list[tuple[Any, ...]]:
    """Days without a contract from the first contract up to a day."""
    last = date.fromisoformat(re.findall(r"starts_on <= '([\d-]+)'", sql)[0])
    premises = t.by_id("premises")
    found = []
    for key, row in premises.items():
        stretches = []
        for contract in t.rows["contracts"]:
            if contract["premises_id"] == key and contract["starts_on"] <= last.isoformat():
                end = date.fromisoformat(contract["ends_on"]) if contract["ends_on"] else last
                stretches.append((date.fromisoformat(contract["starts_on"]), end, contract["ends_on"]))
        if stretches and t.live(row):
            day, missing = min(start for start, _, _ in stretches), 0
            while day <= last:
                missing += not any(
                    start <= day and (stated is None or (day < end if t.style.late else day <= end))
                    for start, end, stated in stretches
                )
                day += timedelta(1)
            found.append((key, missing))
    return found


def _absence_runs(t: Tables, sql: str) -> list[tuple[Any, ...]]:
    """The longest run of missed days of each pupil."""
    start, end = re.findall(r"x\.day >= '([\d-]+)' AND x\.day < '([\d-]+)'", sql)[0]
    least = int(re.findall(r"days >= (\d+)", sql)[0])
    missed = ("A", "E") if t.style.late else ("A",)
    found = []
    for key, pupil in t.by_id("pupils").items():
        days = sorted(
            (row["day"], row["mark"])
            for row in t.rows["attendance"]
            if row["pupil_id"] == key and start <= row["day"] < end
        )
        runs: list[list[str]] = [[]]
        for day, mark in days:
            if mark in missed:
                runs[-1].append(day)
            else:
                runs.append([])
        best = max(runs, key=lambda run: (len(run), [-ord(c) for c in "".join(run[:1])]))
        if t.live(pupil) and len(best) >= least:
            found.append((key, best[0], best[-1], len(best)))
    return found


def _mrr(t: Tables, sql: str) -> list[tuple[Any, ...]]:
    """Monthly recurring revenue by plan."""
    (day,) = set(re.findall(r"started_on <= '([\d-]+)'", sql))
    found: dict[str, float] = {}
    for row in t.rows["subscriptions"]:
        account, plan = t.by_id("accounts")[row["account_id"]], t.by_id("plans")[row["plan_id"]]
        price = plan["price_cents"] / 100 if t.style.cents else plan["price"]
        ended = row["ended_on"] is not None and (row["ended_on"] <= day if t.style.late else row["ended_on"] < day)
        if (
            account["is_internal"]
            or not t.live(account)
            or row["started_on"] > day
            or ended
            or (t.style.strict and not price)
        ):
            continue
        monthly = row["seats"] * price / (12 if plan["billed_per"] == "year" else 1)
        found[plan["code"]] = found.get(plan["code"], 0.0) + monthly
    return list(found.items())


ANSWERS: dict[str, tuple[int, Callable[[Tables, str], list[tuple[Any, ...]]]]] = {
    "shop.streak": (6, _streak),
    "utility.uncovered": (6, _uncovered),
    "school.absence_runs": (6, _absence_runs),
    "billing.mrr": (4, _mrr),
}


@pytest.mark.parametrize("family", list(ANSWERS))
def test_answers_agree_with_plain_python(family: str) -> None:
    tier, answer = ANSWERS[family]
    checked = 0
    for number in range(2000):
        request = draw_request(Draw(family, number), tier, 12, "question")
        if request.question.family != family:
            continue
        for size in (30, 90):
            data = database(request, size, 7)
            wanted = answer(Tables(request, data), request.question.sql)
            verdict = verify_sql(request.question.sql, data, gold_rows=wanted, ordered=False, allow_empty=True)
            assert verdict.correct, (request.style, request.question.sql, verdict.reason)
            checked += bool(wanted)
        if checked >= 8:
            break
    assert checked >= 8
