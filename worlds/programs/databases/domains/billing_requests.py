"""What is asked about a company that sells software by subscription."""

from turnwise.worlds.programs.databases.domains.billing import _FEATURES
from turnwise.worlds.programs.databases.model import DAYS, Ask, Question, long_date

__all__ = ["FAMILIES"]


# ---- parts of statements --------------------------------------------------------------------------------------------


def _customer(a: Ask, alias: str) -> str:
    """The test that an account is a customer."""
    return f"{alias}.is_internal = 0 AND {a.live(alias)}"


def _runs(a: Ask, day: str, alias: str = "s") -> str:
    """The test that a subscription, with its plan as p, runs on a day."""
    over = ">" if a.style.late else ">="
    paid = f" AND p.{a.money('price')} > 0" if a.style.strict else ""
    return f"{alias}.started_on <= {day} AND ({alias}.ended_on IS NULL OR {alias}.ended_on {over} {day}){paid}"


def _mrr(a: Ask) -> str:
    return a.euros(f"SUM(s.seats * p.{a.money('price')} / CASE p.billed_per WHEN 'year' THEN 12.0 ELSE 1.0 END)")


def _subscribed(a: Ask) -> str:
    """Subscriptions with plans and customers, as the source of a query."""
    t = a.t
    return (
        f"{t['subscriptions']} AS s JOIN {t['plans']} AS p ON p.id = s.plan_id JOIN {t['accounts']} AS c ON c.id = "
        "s.account_id"
    )


def _open(a: Ask, day: str) -> str:
    """The open amount of invoice i on a day, as the column holds amounts."""
    t, amount = a.t, a.money("amount")
    return (
        f"i.{amount} - COALESCE((SELECT SUM(y.{amount}) FROM {t['payments']} AS y WHERE y.invoice_id = i.id AND "
        f"{a.until('y.' + a.at('paid'), day)}), 0) - COALESCE((SELECT SUM(n.{amount}) FROM {t['credit_notes']} AS n "
        f"WHERE "
        f"n.invoice_id = i.id AND {a.until('n.issued_on', day)}), 0)"
    )


def _receivable(a: Ask) -> str:
    return f"i.status NOT IN ('draft', 'void') AND {a.live('i')}"


_RUN = ("running", "customer")

# ---- questions ------------------------------------------------------------------------------------------------------


def _late_payers(a: Ask) -> Question:
    p, t = a.period("half", "year"), a.t
    return a.question(
        "billing.late_payments",
        [
            f"How many payments of {p.words} came after the due date of their invoice, by account?",
            f"Which accounts paid late in {p.words}? Count, per account, the payments made in that time after the day "
            f"on "
            "which the invoice was due.",
        ],
        "one row per account with such a payment: account id, number of those payments",
        f"SELECT i.account_id, COUNT(*) FROM {t['payments']} AS y JOIN {t['invoices']} AS i ON i.id = y.invoice_id "
        f"WHERE "
        f"{a.among('y.' + a.at('paid'), p)} AND {a.date('y.paid')} > i.due_on GROUP BY i.account_id",
    )


def _silent(a: Ask) -> Question:
    p, t = a.period("quarter", "half"), a.t
    return a.question(
        "billing.silent",
        [
            f"Which accounts received an invoice in {p.words} but did not use the product at all in that time?",
            f"List the accounts with an invoice issued in {p.words} and no usage event in the same period.",
        ],
        "one row per account: account id, name",
        f"SELECT c.id, c.name FROM {t['accounts']} AS c WHERE EXISTS (SELECT 1 FROM {t['invoices']} AS i WHERE "
        f"i.account_id "
        f"= c.id AND {a.among('i.issued_on', p)}) AND NOT EXISTS (SELECT 1 FROM {t['usage_events']} AS u WHERE "
        f"u.account_id "
        f"= c.id AND {a.among('u.' + a.at('happened'), p)})",
    )


def _features(a: Ask) -> Question:
    p, t, feature = a.period("month", "quarter", "half"), a.t, a.draw.choice(_FEATURES)
    return a.question(
        "billing.feature_use",
        [
            f"For every account, how many units of the feature '{feature}' were used in {p.words}?",
            f"Give each account's units of '{feature}' in {p.words}; accounts without any get 0.",
        ],
        "one row per account: account id, number of units (0 without any; an event without units counts as 0)",
        f"SELECT c.id, COALESCE(SUM(u.units), 0) FROM {t['accounts']} AS c LEFT JOIN {t['usage_events']} AS u ON "
        f"u.account_id = c.id AND u.feature = '{feature}' AND {a.among('u.' + a.at('happened'), p)} GROUP BY c.id",
    )


def _mrr_by_plan(a: Ask) -> Question:
    day = a.day()
    return a.question(
        "billing.mrr",
        [
            f"What was our MRR on {long_date(day)}, by plan?",
            f"Finance needs the MRR per plan as of {long_date(day)}.",
        ],
        "one row per plan with a running subscription: code of the plan, MRR in euros",
        f"SELECT p.code, {_mrr(a)} FROM {_subscribed(a)} WHERE {_customer(a, 'c')} AND {_runs(a, repr(day))} GROUP BY "
        f"p.code",
        ("MRR", *_RUN),
    )


def _overdue(a: Ask) -> Question:
    day = a.day("2021-10-31")
    t = a.t
    return a.question(
        "billing.overdue",
        [
            f"Who owed us money that was overdue on {long_date(day)}, and how much, by account and currency?",
            f"Prepare the dunning run of {long_date(day)}: overdue amounts per account and currency.",
        ],
        "one row per customer and currency: account id, currency, the sum of the open amounts that are greater than "
        "0, of "
        "receivable invoices due before that day, in units of the currency (not in cents)",
        f"WITH o AS (SELECT i.account_id, i.currency, {_open(a, day)} AS open FROM {t['invoices']} AS i JOIN "
        f"{t['accounts']} AS c ON c.id = i.account_id WHERE {_customer(a, 'c')} AND {_receivable(a)} AND i.due_on < "
        f"'{day}') "
        f"SELECT account_id, currency, {a.euros('SUM(open)')} FROM o WHERE open > 0 GROUP BY account_id, currency",
        ("open amount", "receivable", "customer"),
    )


def _sources(a: Ask) -> Question:
    p, day = a.period("half", "year"), "2023-12-31"
    t = a.t
    source = a.typed("c.source")
    return a.question(
        "billing.sources",
        [
            f"Which sources bring customers that stay? Of the customers created in {p.words}, what percentage had a "
            f"running "
            f"subscription on {long_date(day)}, by source?",
            f"Marketing asks, by source: how many customers were created in {p.words}, and what percentage of them "
            f"had a "
            f"running subscription on {long_date(day)}?",
        ],
        "one row per source, NULL included as a source of its own: source, number of customers, percentage with a "
        "running "
        "subscription (0 to 100)",
        f"SELECT {source}, COUNT(*), 100.0 * SUM(EXISTS (SELECT 1 FROM {t['subscriptions']} AS s JOIN {t['plans']} AS "
        f"p ON "
        f"p.id = s.plan_id WHERE s.account_id = c.id AND {_runs(a, repr(day))})) / COUNT(*) FROM {t['accounts']} AS c "
        f"WHERE "
        f"{_customer(a, 'c')} AND {a.among('c.created_on', p)} GROUP BY {source}",
        (*_RUN, *(["source"] if a.style.dirty else [])),
    )


def _in_euros(a: Ask) -> Question:
    p, t = a.period("quarter", "half", "year"), a.t
    rate = (
        f"CASE i.currency WHEN 'EUR' THEN 1.0 ELSE (SELECT r.euros_per_unit FROM {t['fx_rates']} AS r WHERE "
        f"r.currency = "
        "i.currency AND r.valid_from <= i.issued_on ORDER BY r.valid_from DESC LIMIT 1) END"
    )
    return a.question(
        "billing.in_euros",
        [
            f"How much did we invoice in {p.words}, in euros, at the exchange rate of the day of issue? By country.",
            f"Give the invoiced amount of {p.words} for each country, converted to euros at the rate of the issue "
            f"date.",
        ],
        "one row per country of customers with receivable invoices issued in that time, NULL for unknown countries: "
        "country, "
        "amount in euros",
        f"SELECT c.country, SUM({a.euros('i.' + a.money('amount'))} * {rate}) FROM {t['invoices']} AS i JOIN "
        f"{t['accounts']} "
        f"AS c ON c.id = i.account_id WHERE {_customer(a, 'c')} AND {_receivable(a)} AND {a.among('i.issued_on', p)} "
        f"GROUP BY "
        "c.country",
        ("exchange rate", "receivable", "customer"),
    )


def _churn(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    last = DAYS[DAYS.index(p.end) - 1]
    running = (
        f"SELECT 1 FROM {a.t['subscriptions']} AS s JOIN {a.t['plans']} AS p ON p.id = s.plan_id WHERE "
        "s.account_id = c.id"
    )
    start, end = f"{running} AND {_runs(a, repr(p.start))}", f"{running} AND {_runs(a, repr(last))}"
    return a.question(
        "billing.churn",
        [
            f"Which customers churned in {p.words}, and what was their MRR on the first day?",
            f"Customer success wants the list of customers that churned in {p.words}, with the MRR that each had at "
            f"the start.",
        ],
        f"one row per churned customer: account id, MRR in euros on {long_date(p.start)}",
        f"SELECT c.id, (SELECT {_mrr(a)} FROM {a.t['subscriptions']} AS s JOIN {a.t['plans']} AS p ON p.id = "
        f"s.plan_id WHERE "
        f"s.account_id = c.id AND {_runs(a, repr(p.start))}) FROM {a.t['accounts']} AS c WHERE {_customer(a, 'c')} "
        f"AND EXISTS "
        f"({start}) AND NOT EXISTS ({end})",
        ("churned", "MRR", *_RUN),
    )


def _rolling(a: Ask) -> Question:
    p, days, t = a.period("quarter", "half"), a.draw.choice((7, 14, 28)), a.t
    feature, day = a.draw.choice(_FEATURES), a.date("u.happened")
    return a.question(
        "billing.rolling",
        [
            f"For each day of {p.words} on which customers used '{feature}': how many units were used that day, and "
            f"how many "
            f"in the {days} days ending with it?",
            f"I need daily units of '{feature}' for {p.words} with a rolling total over {days} days (the day itself "
            f"and the "
            f"{days - 1} before it, days before the period included).",
        ],
        f"one row per day of that time with such an event: day (like 2022-03-09), units of the day, units of those "
        f"{days} "
        "days; an event without units counts as 0",
        f"WITH d AS (SELECT {day} AS day, SUM(COALESCE(u.units, 0)) AS units FROM {t['usage_events']} AS u JOIN "
        f"{t['accounts']} AS c ON c.id = u.account_id WHERE {_customer(a, 'c')} AND {a.typed('u.feature')} = "
        f"'{feature}' "
        f"GROUP BY {day}) SELECT day, units, (SELECT SUM(e.units) FROM d AS e WHERE e.day <= d.day AND "
        f"julianday(d.day) - "
        f"julianday(e.day) < {days}) FROM d WHERE {a.among('day', p)}",
        ("customer", *(["feature"] if a.style.dirty else [])),
    )


def _bridge(a: Ask) -> Question:
    p = a.period("quarter", "half", "year")
    last = DAYS[DAYS.index(p.end) - 1]
    both = [
        f"COALESCE((SELECT {_mrr(a)} FROM {a.t['subscriptions']} AS s JOIN {a.t['plans']} AS p ON p.id = s.plan_id "
        f"WHERE "
        f"s.account_id = c.id AND {_runs(a, repr(day))}), 0)"
        for day in (p.start, last)
    ]
    parts = ("old = 0 AND new > 0", "old > 0 AND new > old", "old > 0 AND new > 0 AND new < old", "old > 0 AND new = 0")
    sums = ", ".join(f"COALESCE(SUM(CASE WHEN {test} THEN new - old END), 0)" for test in parts)
    return a.question(
        "billing.bridge",
        [
            f"Build the MRR bridge for {p.words}: how much of the change came from new business, expansion, "
            f"contraction and "
            "loss? Compare each customer's MRR on the first and on the last day.",
            f"Explain the movement of MRR over {p.words}, first day against last: new, expansion, contraction, lost.",
        ],
        "one row, all in euros: the changes of customers with MRR only on the last day; with more MRR than on the "
        "first day; "
        "with less but some; and with none left (the last two are negative or 0)",
        f"WITH m AS (SELECT c.id, {both[0]} AS old, {both[1]} AS new FROM {a.t['accounts']} AS c WHERE "
        f"{_customer(a, 'c')}) "
        f"SELECT {sums} FROM m",
        ("MRR", *_RUN),
    )


def _groups(a: Ask) -> Question:
    day = a.day()
    t = a.t
    return a.question(
        "billing.groups",
        [
            f"What was the MRR of each group on {long_date(day)}, and how many of its accounts contributed?",
            f"Roll the MRR of {long_date(day)} up to groups; show how many accounts with a running subscription each "
            f"one has.",
        ],
        "one row per group with MRR above 0: id of the account at the top (a customer or not), MRR in euros of the "
        "customers "
        "in the group, number of customers in it with a running subscription",
        f"WITH RECURSIVE g(top, id) AS (SELECT id, id FROM {t['accounts']} WHERE parent_id IS NULL UNION ALL SELECT "
        f"g.top, "
        f"c.id FROM {t['accounts']} AS c JOIN g ON c.parent_id = g.id) SELECT g.top, {_mrr(a)} AS mrr, COUNT(DISTINCT "
        f"c.id) "
        f"FROM {_subscribed(a)} JOIN g ON g.id = c.id WHERE {_customer(a, 'c')} AND {_runs(a, repr(day))} GROUP BY "
        f"g.top "
        "HAVING mrr > 0",
        ("group", "MRR", *_RUN),
    )


def _spells(a: Ask) -> Question:
    day = a.day("2022-06-30", "2023-12-31")
    paid = f" AND p.{a.money('price')} > 0" if a.style.strict else ""
    last = "julianday(COALESCE(s.ended_on, '9999-01-01'))" + (" - 1" if a.style.late else "")
    return a.question(
        "billing.spells",
        [
            f"Since when has each customer been with us without a break, as of {long_date(day)}? Subscriptions that "
            f"overlap or "
            "follow on the next day count as one stretch.",
            f"For the customers with a running subscription on {long_date(day)}, find the first day of the unbroken "
            f"stretch of "
            "running subscriptions that includes this day. One that starts the day after another's last day continues "
            "it.",
        ],
        "one row per customer with a running subscription on that day: account id, first day of the stretch",
        f"WITH e AS (SELECT s.account_id, s.id, s.started_on, julianday(s.started_on) AS a, {last} AS b FROM "
        f"{_subscribed(a)} "
        f"WHERE {_customer(a, 'c')}{paid} AND julianday(s.started_on) <= {last}), f AS (SELECT *, MAX(b) OVER "
        f"(PARTITION BY "
        "account_id ORDER BY a, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM e), g AS (SELECT "
        "*, "
        "SUM(before IS NULL OR a > before + 1) OVER (PARTITION BY account_id ORDER BY a, id) AS run FROM f) SELECT "
        f"account_id, MIN(started_on) FROM g GROUP BY account_id, run HAVING MIN(a) <= julianday('{day}') AND MAX(b) "
        f">= "
        f"julianday('{day}')",
        _RUN,
    )


# ---- changes --------------------------------------------------------------------------------------------------------


def _settle(a: Ask) -> Question:
    day, t = a.day("2021-12-31"), a.t
    amount = a.money("amount")
    paid = f"(SELECT SUM(y.{amount}) FROM {t['payments']} AS y WHERE y.invoice_id = {t['invoices']}.id)"
    return a.question(
        "billing.settle",
        [
            f"Invoices issued up to {long_date(day)} have wrong statuses: set those that are paid in full to paid, "
            f"and those "
            "marked as paid without being paid in full back to open.",
            f"Correct the status of invoices issued on or before {long_date(day)}. Open ones that are fully paid "
            f"become paid; "
            "paid ones that are not fully paid become open.",
        ],
        f"status in {t['invoices']} is as described, where fully paid means that the payments, whenever made, add up "
        f"to the "
        "amount or more; credit notes do not count here, draft and void invoices stay as they are, and it makes no "
        "difference "
        "whether a row is marked as deleted. Nothing else changes",
        f"UPDATE {t['invoices']} SET status = CASE WHEN COALESCE({paid}, 0) >= {amount} THEN 'paid' ELSE 'open' END "
        f"WHERE "
        f"status IN ('open', 'paid') AND issued_on <= '{day}'",
        writes=True,
    )


def _merge(a: Ask) -> Question:
    t = a.t
    keep = (
        f"(SELECT MIN(k.id) FROM {t['subscriptions']} AS k WHERE k.account_id = {t['subscriptions']}.account_id AND "
        f"k.plan_id "
        f"= {t['subscriptions']}.plan_id AND k.started_on = {t['subscriptions']}.started_on)"
    )
    year = a.draw.choice((2021, 2022, 2023))
    return a.question(
        "billing.merge",
        [
            f"Some subscriptions that started in {year} were entered more than once: same account, same plan, same "
            f"first day. "
            "Keep one of each, with the seats of all of them together.",
            f"Merge duplicate subscriptions of {year} (same account, plan and start): one row stays and has all the "
            f"seats.",
        ],
        f"in {t['subscriptions']}, of each set of duplicates the row with the lowest id stays, its seats being the "
        f"sum of the "
        "set's seats and its other columns unchanged; the others are gone. Nothing else changes",
        f"UPDATE {t['subscriptions']} SET seats = (SELECT SUM(k.seats) FROM {t['subscriptions']} AS k WHERE "
        f"k.account_id = "
        f"{t['subscriptions']}.account_id AND k.plan_id = {t['subscriptions']}.plan_id AND k.started_on = "
        f"{t['subscriptions']}.started_on) WHERE started_on LIKE '{year}-%' AND id = {keep}; DELETE FROM "
        f"{t['subscriptions']} "
        f"WHERE started_on LIKE '{year}-%' AND id <> {keep}",
        writes=True,
    )


FAMILIES = (
    (3, _late_payers),
    (3, _silent),
    (3, _features),
    (4, _mrr_by_plan),
    (4, _overdue),
    (4, _sources),
    (5, _in_euros),
    (5, _churn),
    (5, _rolling),
    (6, _bridge),
    (6, _groups),
    (6, _spells),
    (4, _settle),
    (5, _merge),
)
"""The tier of each kind of request, and what draws one."""
