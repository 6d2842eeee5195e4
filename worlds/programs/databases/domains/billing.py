"""A company that sells software by subscription: accounts, plans, invoices in several currencies, payments, usage."""

from collections.abc import Mapping

from turnwise.verifiers.sql.results import Value
from turnwise.worlds.programs.databases.fill import FIRST_DAY, LAST_DAY, Filler
from turnwise.worlds.programs.databases.model import DAYS, Domain, Fact, Filter, Rows, Style

__all__ = ["BILLING"]

_COUNTRIES = ("AT", "CA", "DE", "FR", "GB", "JP", "US")
_PLANS = (
    ("FREE", "month", 0),
    ("TEAM", "month", 40),
    ("TEAMY", "year", 420),
    ("BIZ", "month", 100),
    ("BIZY", "year", 960),
)
_CURRENCIES = ("EUR", "USD", "GBP", "CHF")
_STATUSES = ("draft", "open", "paid", "void")
_FEATURES = ("export", "api call", "report", "import", "share")
_SOURCES = ("referral", "search", "event", "partner")
_STEMS = ("Alder", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Harbor", "Iris", "Juno", "Krill", "Lumen")
_ENDS = ("Labs", "Works", "Media", "Foods", "Systems", "Health")


def _tables(s: Style) -> dict[str, str]:
    return {
        "accounts": f"id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, source TEXT, created_on TEXT NOT NULL, "
        f"parent_id INTEGER REFERENCES accounts(id), is_internal INTEGER NOT NULL{s.deleted}",
        "plans": f"id INTEGER PRIMARY KEY, code TEXT NOT NULL, billed_per TEXT NOT NULL, {s.money('price')} NOT NULL",
        "subscriptions": "id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(id), plan_id "
        "INTEGER NOT "
        "NULL REFERENCES plans(id), seats INTEGER NOT NULL, started_on TEXT NOT NULL, ended_on TEXT",
        "fx_rates": "currency TEXT NOT NULL, valid_from TEXT NOT NULL, euros_per_unit REAL NOT NULL, PRIMARY KEY "
        "(currency, "
        "valid_from)",
        "invoices": f"id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(id), issued_on TEXT NOT "
        f"NULL, "
        f"due_on TEXT NOT NULL, currency TEXT NOT NULL, {s.money('amount')} NOT NULL, status TEXT NOT NULL, num_items "
        f"INTEGER{s.deleted}",
        "payments": f"id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoices(id), {s.moment('paid')} "
        f"TEXT "
        f"NOT NULL, {s.money('amount')} NOT NULL",
        "credit_notes": f"id INTEGER PRIMARY KEY, invoice_id INTEGER NOT NULL REFERENCES invoices(id), issued_on TEXT "
        f"NOT "
        f"NULL, {s.money('amount')} NOT NULL",
        "usage_events": f"id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts(id), "
        f"{s.moment('happened')} TEXT NOT NULL, feature TEXT NOT NULL, units INTEGER",
    }


def _terms(s: Style, t: Mapping[str, str]) -> dict[str, str]:
    gone = f", not deleted ({s.deletion})" if s.deletion else ""
    free = "; subscriptions to plans with a price of 0 do not count" if s.strict else ""
    ended = "and is not over: ended_on is empty or a later day" if s.late else (
        "and is not over: ended_on, the last day of the subscription, is empty or not before that day"
    )  # fmt: skip
    terms = {
        "customer": f"an account with is_internal 0{gone}; everything else (subscriptions, invoices, usage) counts "
        f"only if "
        "it belongs to a customer",
        "running": f"a subscription runs on a day if it started on or before that day {ended}{free}",
        "MRR": "monthly recurring revenue on a day: over the subscriptions that run that day, seats times the price "
        "of the "
        "plan, in euros; a twelfth of it for plans billed per year",
        "open amount": "of an invoice on a day: its amount minus its payments and credit notes up to and including "
        "that "
        "day",
        "receivable": f"an invoice that is neither draft nor void{gone}",
        "exchange rate": f"the latest row of {t['fx_rates']} for the currency with valid_from on or before the day in "
        "question; amounts in EUR need none",
        "group": "an account without a parent, with all accounts below it, at any depth",
        "churned": "a customer with a running subscription on the first day of a period and none on the last day of it",
    }
    if s.dirty:
        terms["source"] = "typed by hand: compare and group it in lower case without blanks around it"
        terms["feature"] = "logged inconsistently: compare and group it in lower case without blanks around it"
    return terms


def _rows(f: Filler) -> Rows:
    accounts = f.ids(0.18, 10)
    parents = f.tree(accounts, max(4, len(accounts) // 2))
    invoices = f.ids(0.5, 25)
    subscriptions: list[tuple[int | str | None, ...]] = []
    for key in accounts:
        for start, end in f.chain(0, 3, FIRST_DAY, LAST_DAY):
            last = end - f.draw.either(1, 1, 1, 20) if end else (f.day(start, LAST_DAY) if f.some(0.4) else None)
            plan = f.number(1, len(_PLANS))
            last = max(last, start) if last else None
            subscriptions.append(
                (len(subscriptions) + 1, key, plan, f.number(1, 12), DAYS[start], DAYS[last] if last else None)
            )
            if f.some(0.15):
                subscriptions.append((len(subscriptions) + 1, key, f.number(1, len(_PLANS)), f.number(1, 5),
                                      DAYS[start], DAYS[last] if last else None))  # fmt: skip
    rates = {
        (currency, DAYS[day]): f.number(40, 160, 5) / 100
        for currency in _CURRENCIES[1:]
        for day in (FIRST_DAY - 200, *(f.day() for _ in range(5)))
    }
    issued = [f.day() for _ in invoices]
    bills: list[tuple[Value, ...]] = []
    paid: list[tuple[Value, ...]] = []
    credits: list[tuple[Value, ...]] = []
    for key, day in zip(invoices, issued, strict=True):
        amount = f.money(20, 200)
        due = day + f.draw.either(14, 30, 30, 45) if f.some(0.6) else f.day(day, day + 60)
        bills.append((key, f.ref(accounts), DAYS[day], DAYS[due], "EUR" if f.some(0.4) else f.pick(_CURRENCIES), amount,
                      "open" if f.some(0.4) else f.pick(_STATUSES, 0.3), f.maybe(0.1, f.number(1, 9)),
                      *f.gone()))  # fmt: skip
        left, when = amount, day
        while f.some(0.55) and left > 0:
            when = max(f.day(when, LAST_DAY), when)
            part = left if f.some(0.6) else (left // 2 if f.style.cents else left / 2)
            paid.append((len(paid) + 1, key, f.moment(when), part))
            left -= part
        if f.some(0.2):
            credits.append((len(credits) + 1, key, DAYS[f.day(day, LAST_DAY)], f.money(5, 30)))
    prices = [
        f.money(0, 0) if price == 0 else (price * 100 if f.style.cents else float(price)) for _, _, price in _PLANS
    ]
    return {
        "accounts": [
            (key, f"{f.pick(_STEMS)} {f.pick(_ENDS)}", f.maybe(0.08, f.pick(_COUNTRIES)),
             f.maybe(0.12, f.typed(f.pick(_SOURCES))), DAYS[f.day()], above, int(f.some(0.12)), *f.gone())
            for key, above in zip(accounts, parents, strict=True)
        ],
        "plans": [(i + 1, code, per, prices[i]) for i, (code, per, _) in enumerate(_PLANS)],
        "subscriptions": subscriptions,
        "fx_rates": [(currency, day, rate) for (currency, day), rate in sorted(rates.items())],
        "invoices": bills,
        "payments": paid,
        "credit_notes": credits,
        "usage_events": [
            (key, f.ref(accounts), f.moment(f.day()), f.typed(f.pick(_FEATURES)), f.maybe(0.06, f.number(1, 20)))
            for key in f.ids(1.0, 40)
        ],
    }  # fmt: skip


BILLING = Domain(
    "billing",
    "a company that sells software by subscription",
    _tables,
    {
        "accounts": ("customer_accounts", "companies"), "invoices": ("bills", "issued_invoices"),
        "subscriptions": ("contracts", "account_plans"), "payments": ("incoming_payments", "receipts"),
        "usage_events": ("product_usage", "usage_log"),
    },
    _terms,
    _rows,
    (
        Fact("invoices", "invoice", "invoices", "issued_on", "issued",
             (Filter("currency", _CURRENCIES, "in {}", "currency"),
              Filter("status", _STATUSES, "with the status '{}'", "status")),
             (("num_items", "with {} items", "number of items", 9),), ("account_id", "account", "accounts")),
        Fact("usage_events", "usage event", "usage events", "happened", "logged",
             (Filter("feature", _FEATURES, "for the feature '{}'", "feature"),), (("units", "of {} units", "number of "
             "units", 20),),
             ("account_id", "account", "accounts")),
    ),
)  # fmt: skip
