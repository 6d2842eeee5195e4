"""The bank's accounts and statements, cards, bills, disputes, messages and settings."""

import datetime
from typing import Any
from urllib.parse import quote, urlencode

from turnwise.worlds.web.site import Answered, NotFound, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.bank.data import CATEGORIES, DISPUTE_DAYS, REASONS
from turnwise.worlds.web.sites.bank.pages.paying import cents_of, eur
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.shop.parts import long_day

__all__ = ["accounts"]

accounts = Pages()

PER_PAGE = 12
_DISPUTES = f"Only card payments of the last {DISPUTE_DAYS} days can be disputed, and only once."


# ---- accounts -------------------------------------------------------------------------------------------------


@accounts.page("/", signed_in=True)
def overview(visit: Visit) -> Answered:
    """Show all accounts, and what was booked last."""
    accounts = visit.rows("SELECT id, name, number, balance FROM deposit WHERE owner = ? ORDER BY id", visit.user)
    latest = visit.rows(
        "SELECT e.id, e.day, e.party, e.amount, d.name FROM entry e JOIN deposit d ON d.id = e.deposit WHERE "
        "d.owner = ? ORDER BY e.day DESC, e.id DESC LIMIT 5",
        visit.user,
    )
    unread = visit.row("SELECT count(*) FROM message WHERE owner = ? AND seen = 0", visit.user)
    return visit.show(
        "Overview",
        m.table(
            ("Account", "Number", "Balance"),
            [(m.link(f"/accounts/{id}", name), number, eur(balance)) for id, name, number, balance in accounts],
        ),
        m.section(
            "Booked last",
            m.table(
                ("Date", "Who", "Account", "Amount"),
                [(day, m.link(f"/entries/{id}", party), name, eur(amount)) for id, day, party, amount, name in latest],
            ),
        ),
        m.paragraph(m.link("/messages", f"{unread} unread message{'s' if unread != 1 else ''}")),
    )


def _account(visit: Visit, number: int) -> tuple[str, str, int]:
    found: tuple[str, str, int] = visit.row(
        "SELECT name, number, balance FROM deposit WHERE id = ? AND owner = ?", number, visit.user
    )
    return found


@accounts.page("/accounts/{number:int}", signed_in=True)
def account(visit: Visit, number: int) -> Answered:
    """Show an account's entries, newest first, by search and filters, in pages."""
    name, digits, balance = _account(visit, number)
    where, values, errors = _entries_wanted(visit)
    tables = f"FROM entry WHERE deposit = ? AND {where}"
    count = visit.row(f"SELECT count(*) {tables}", number, *values)
    part = visit.part(count, PER_PAGE)
    rows = visit.rows(
        f"SELECT id, day, party, reference, category, amount, after {tables} ORDER BY day DESC, id DESC{part.limit}",
        number,
        *values,
    )
    kept = {key: visit.text(key) for key in ("q", "from", "to", "category") if visit.text(key)}
    filters = [
        m.date_field("From", "from", visit.text("from"), errors.get("from", "")),
        m.date_field("To", "to", visit.text("to"), errors.get("to", "")),
        m.choices("Category", "category", [("", "All"), *CATEGORIES], visit.text("category")),
    ]
    closed = not kept.keys() & {"from", "to", "category"}
    form = m.form(
        f"/accounts/{number}",
        m.field("Search", "q", visit.text("q"), type="search"),
        m.button("More filters", type="button", data_tw_toggle="filters", aria_expanded=str(not closed).lower()),
        m.panel("filters", filters, hidden=closed),
        submit="Show",
        method="get",
    )
    shown = [
        (day, m.link(f"/entries/{id}", party), reference, category, eur(amount), eur(after))
        for id, day, party, reference, category, amount, after in rows
    ]
    found = (
        m.paragraph(f"{count} {'entry' if count == 1 else 'entries'}"),
        m.table(("Date", "Who", "Reference", "Category", "Amount", "Balance"), shown, empty="Nothing was booked."),
        part.links(f"/accounts/{number}?{urlencode(kept)}" if kept else f"/accounts/{number}"),
    )
    return visit.show(
        name,
        m.definitions([("Number", digits), ("Balance", eur(balance))]),
        m.paragraph(m.link(f"/accounts/{number}/statements", "Statements")),
        form,
        "" if errors else found,  # entries that no filter was applied to would look like the result
    )


@accounts.page("/entries/{number:int}", signed_in=True)
def entry(visit: Visit, number: int) -> Answered:
    """Show one entry."""
    row = _entry(visit, number)
    _, day, party, reference, category, amount, after, name, last4, deposit, account = row
    facts = [
        ("Date", long_day(day)),
        ("Account", account),
        ("Who", party),
        ("Reference", reference or "none"),
        ("Category", category),
        ("Amount", eur(amount)),
        ("Balance after it", eur(after)),
    ]
    if last4:
        facts.append(("Paid by card", f"{name} ending in {last4}"))
    reason = visit.get("SELECT reason FROM dispute WHERE entry = ?", number)
    more: m.Markup | str = m.paragraph(f"You disputed this payment: {reason}.") if reason else ""
    if not reason and last4:
        more = (
            m.link(f"/entries/{number}/dispute", "Dispute this payment")
            if _disputable(visit, day)
            else m.paragraph(_DISPUTES)
        )
    return visit.show(
        f"Entry {number}", m.definitions(facts), more, " ", m.link(f"/accounts/{deposit}", "Back to the account")
    )


def _entry(visit: Visit, number: int) -> Any:
    return visit.row(
        "SELECT e.id, e.day, e.party, e.reference, e.category, e.amount, e.after, c.name, c.last4, d.id, d.name "
        "FROM entry e JOIN deposit d ON d.id = e.deposit LEFT JOIN card c ON c.id = e.card WHERE e.id = ? AND "
        "d.owner = ?",
        number,
        visit.user,
    )


@accounts.page("/entries/{number:int}/dispute", signed_in=True)
def dispute_page(visit: Visit, number: int) -> Answered:
    """Show the form for disputing a payment."""
    return _dispute(visit, number, "")


def _dispute(visit: Visit, number: int, error: str) -> Answered:
    row = _entry(visit, number)
    if (
        not row[8]
        or not _disputable(visit, row[1])
        or visit.get("SELECT id FROM dispute WHERE entry = ?", number) is not None
    ):
        raise Refused(_DISPUTES)
    return visit.show(
        "Dispute a payment",
        m.paragraph(f"{row[2]}, {long_day(row[1])}, {eur(row[5])}"),
        m.form(
            f"/entries/{number}/dispute",
            m.choices("Reason", "reason", [("", "Please choose"), *REASONS], visit.text("reason"), error),
            m.area("Comment (optional)", "comment", visit.text("comment")),
            submit="Send dispute",
        ),
    )


@accounts.action("/entries/{number:int}/dispute")
def dispute(visit: Visit, number: int) -> Answered:
    """Open a dispute."""
    form = _dispute(visit, number, "Choose a reason.")
    if visit.text("reason") not in REASONS:
        return form
    visit.add(
        "dispute",
        owner=visit.user,
        entry=number,
        reason=visit.text("reason"),
        comment=visit.text("comment"),
        opened=f"{visit.now.date()}",
    )
    return visit.redirect(f"/entries/{number}", flash="Your dispute is open. We will write to you within ten days.")


# ---- statements -----------------------------------------------------------------------------------------------


@accounts.page("/accounts/{number:int}/statements", signed_in=True)
def statements(visit: Visit, number: int) -> Answered:
    """List the months that have a statement."""
    name, _, _ = _account(visit, number)
    months = visit.rows("SELECT DISTINCT substr(day, 1, 7) FROM entry WHERE deposit = ? ORDER BY 1 DESC", number)
    entries = [m.link(f"/accounts/{number}/statements/{month}", long_day(f"{month}-01")[2:]) for month in months]
    return visit.show(f"Statements: {name}", m.items(entries))


@accounts.page("/accounts/{number:int}/statements/{month}", signed_in=True)
def statement(visit: Visit, number: int, month: str) -> Answered:
    """Show a month's totals, also by category."""
    name, _, _ = _account(visit, number)
    if not visit.get("SELECT count(*) FROM entry WHERE deposit = ? AND substr(day, 1, 7) = ?", number, month):
        raise NotFound
    opening, closing, coming, going = visit.row(
        "SELECT (SELECT after - amount FROM entry WHERE deposit = ?1 AND substr(day, 1, 7) = ?2 ORDER BY day, id "
        "LIMIT 1), (SELECT after FROM entry WHERE deposit = ?1 AND substr(day, 1, 7) = ?2 ORDER BY day DESC, id "
        "DESC LIMIT 1), sum(max(amount, 0)), sum(min(amount, 0)) FROM entry WHERE deposit = ?1 AND substr(day, 1, "
        "7) = ?2",
        number,
        month,
    )
    rows = visit.rows(
        "SELECT category, count(*), sum(amount) FROM entry WHERE deposit = ? AND substr(day, 1, 7) = ? GROUP BY "
        "category ORDER BY category",
        number,
        month,
    )
    path = f"/accounts/{number}/statements/{month}/"
    shown = [
        (
            category,
            str(count),
            eur(total),
            m.button(f"Entries of {category}", type="button", data_tw_get=path + quote(category), data_tw_target="of"),
        )
        for category, count, total in rows
    ]
    sums = [
        ("Balance at the start", eur(opening)),
        ("Coming in", eur(coming)),
        ("Going out", eur(going)),
        ("Balance at the end", eur(closing)),
    ]
    return visit.show(
        f"{name}: {long_day(f'{month}-01')[2:]}",
        m.definitions(sums),
        m.table(("Category", "Entries", "Total", ""), shown),
        m.tag("div", id="of"),
    )


@accounts.page("/accounts/{number:int}/statements/{month}/{category}", signed_in=True)
def statement_part(visit: Visit, number: int, month: str, category: str) -> Answered:
    """Return the entries of a category in a month, for the statement's buttons."""
    _account(visit, number)
    rows = visit.rows(
        "SELECT day, party, amount FROM entry WHERE deposit = ? AND substr(day, 1, 7) = ? AND category = ? ORDER "
        "BY day, id",
        number,
        month,
        category,
    )
    return visit.fragment(
        m.table(("Date", "Who", "Amount"), [(day, party, eur(amount)) for day, party, amount in rows], category)
    )


# ---- cards ----------------------------------------------------------------------------------------------------


@accounts.page("/cards", signed_in=True)
def cards(visit: Visit) -> Answered:
    """Show the visitor's cards."""
    return _cards(visit, 0, "")


def _cards(visit: Visit, wrong: int, error: str) -> Answered:
    rows = visit.rows("SELECT id, name, last4, status, maximum FROM card WHERE owner = ? ORDER BY id", visit.user)
    shown = [
        m.card(
            m.heading(f"{name} ending in {last4}", 2),
            m.tag("p", f"Status: {status} · Monthly limit: {eur(maximum)}"),
            m.post_button(
                f"/cards/{id}/status",
                "Freeze" if status == "Active" else "Unfreeze",
                frozen="1" if status == "Active" else "0",
            ),
            m.form(
                f"/cards/{id}/limit",
                m.number_field(
                    "Monthly limit", "limit", visit.text("limit") if id == wrong else "", error if id == wrong else ""
                ),
                submit="Save limit",
            ),
        )
        for id, name, last4, status, maximum in rows
    ]
    return visit.show("Cards", shown)


@accounts.action("/cards/{number:int}/status")
def card_status(visit: Visit, number: int) -> Answered:
    """Freeze a card, or unfreeze it."""
    name, last4 = visit.row("SELECT name, last4 FROM card WHERE id = ? AND owner = ?", number, visit.user)
    status = "Frozen" if visit.text("frozen") == "1" else "Active"
    visit.change("card", number, status=status)
    return visit.redirect("/cards", flash=f"{name} ending in {last4}: {status}.")


@accounts.action("/cards/{number:int}/limit")
def save_limit(visit: Visit, number: int) -> Answered:
    """Set a card's monthly limit."""
    visit.row("SELECT id FROM card WHERE id = ? AND owner = ?", number, visit.user)
    cents = cents_of(visit.text("limit"))
    if cents is None or not 10000 <= cents <= 500000:
        return _cards(visit, number, "An amount from 100.00 to 5000.00, please.")
    visit.change("card", number, maximum=cents)
    return visit.redirect("/cards", flash="The limit is saved.")


# ---- bills, messages, settings --------------------------------------------------------------------------------


@accounts.page("/bills", signed_in=True)
def bills(visit: Visit) -> Answered:
    """List the bills that the visitor has scanned; the bank does not know whether they are paid."""
    rows = visit.rows(
        "SELECT number, company, amount, due FROM bill WHERE owner = ? ORDER BY due DESC, number", visit.user
    )
    shown = [(number, company, eur(amount), long_day(due)) for number, company, amount, due in rows]
    return visit.show(
        "Bills",
        m.paragraph(
            "The bills you have scanned. Compare them with the entries of your account: the reference of a "
            "payment is the bill's number."
        ),
        m.table(("Number", "Company", "Amount", "Due"), shown, empty="There are no bills."),
    )


@accounts.page("/messages", signed_in=True)
def messages(visit: Visit) -> Answered:
    """Show the mailbox."""
    rows = visit.rows(
        "SELECT id, sender, subject, sent, seen FROM message WHERE owner = ? ORDER BY sent DESC, id DESC", visit.user
    )
    shown = [
        (long_day(sent), sender, m.link(f"/messages/{id}", subject), "" if seen else "new")
        for id, sender, subject, sent, seen in rows
    ]
    return visit.show("Messages", m.table(("Date", "From", "Subject", ""), shown, empty="There are no messages."))


@accounts.page("/messages/{number:int}", signed_in=True)
def message(visit: Visit, number: int) -> Answered:
    """Show one message and mark it as read."""
    sender, subject, body, sent = visit.row(
        "SELECT sender, subject, body, sent FROM message WHERE id = ? AND owner = ?", number, visit.user
    )
    visit.run("UPDATE message SET seen = 1 WHERE id = ?", number)
    return visit.show(
        subject, m.paragraph(f"{sender}, {long_day(sent)}"), m.rich(body), m.link("/messages", "Back to the messages")
    )


@accounts.page("/settings", signed_in=True)
def settings(visit: Visit) -> Answered:
    """Show the visitor's settings."""
    paperless, alerts, nickname = visit.row(
        "SELECT paperless, alerts, nickname FROM preference WHERE owner = ?", visit.user
    )
    return visit.show(
        "Settings",
        m.form(
            "/settings",
            m.field("Nickname", "nickname", nickname),
            m.checkbox("Statements by e-mail only", "paperless", bool(paperless)),
            m.checkbox("Tell me of every payment", "alerts", bool(alerts)),
            submit="Save settings",
        ),
    )


@accounts.action("/settings")
def save_settings(visit: Visit) -> Answered:
    """Save the visitor's settings."""
    visit.run(
        "UPDATE preference SET paperless = ?, alerts = ?, nickname = ? WHERE owner = ?",
        int(bool(visit.text("paperless"))),
        int(bool(visit.text("alerts"))),
        visit.text("nickname")[:40],
        visit.user,
    )
    return visit.redirect("/settings", flash="Your settings are saved.")


def _disputable(visit: Visit, day: str) -> bool:
    return (visit.now.date() - datetime.date.fromisoformat(day)).days <= DISPUTE_DAYS


def _entries_wanted(visit: Visit) -> tuple[str, list[object], dict[str, str]]:
    """Return the condition that search and filters make, its values, and what is wrong with them, by field."""
    where: list[str] = ["1"]
    values: list[object] = []
    errors: dict[str, str] = {}
    for word in visit.text("q").split()[:8]:
        where.append("(party LIKE ? ESCAPE '!' OR reference LIKE ? ESCAPE '!')")
        values += [like(word)] * 2
    for name, sql in (("from", "day >= ?"), ("to", "day <= ?")):
        day = visit.date(name)
        if day is not None:
            where.append(sql)
            values.append(f"{day}")
        elif visit.text(name):
            errors[name] = "A date such as 2027-03-31, please."
    if visit.text("category"):
        where.append("category = ?")
        values.append(visit.text("category"))
    return " AND ".join(where), values, errors
