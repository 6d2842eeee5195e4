"""Tasks across sites about invoices, bills and orders."""

from collections.abc import Sequence

from turnwise.worlds.web.site import Answer, Draft, Draw, Plan, Said, Tasks, World, click, fill, insert, money
from turnwise.worlds.web.sites.across.steps import BANK, MAIL, SHOP, contacts, other_tab, written
from turnwise.worlds.web.sites.across.words import NOTES, worded
from turnwise.worlds.web.sites.across.words.invoices import (
    BILL,
    CANCEL,
    CANCEL_SUBJECTS,
    INVOICE,
    PARCEL_SUBJECTS,
    PAYEE,
    SHOPPING,
    TRACKING,
)
from turnwise.worlds.web.sites.bank.data import written_number
from turnwise.worlds.web.sites.bank.pages.paying import payee_label
from turnwise.worlds.web.sites.bank.tasks.common import account, accounts, bills, bills_compared
from turnwise.worlds.web.sites.bank.tasks.transfers import paid_changes, transfer_steps
from turnwise.worlds.web.sites.mail.data import MONTHS_BACK, months_before
from turnwise.worlds.web.sites.mail.tasks.mails import find, sent
from turnwise.worlds.web.sites.mail.words import MONTHS
from turnwise.worlds.web.sites.shop.parts import long_day
from turnwise.worlds.web.sites.shop.tasks.buying import cancelled
from turnwise.worlds.web.sites.shop.tasks.common import opened, order_with

__all__ = ["invoices"]

invoices = Tasks()

_PER_PAGE = 6  # orders on a page of the shop


@invoices.template(4, sites=("mail", "bank"))
def pay_invoice(world: World, draw: Draw) -> Draft | None:
    """Ask to pay an invoice at the bank, with the amount and the reference from a mail."""
    rows = [row for row in _invoices(world) if row[3] <= accounts(world)[0][3]]
    if not rows:
        return None
    vendor, subject, month, total, number = draw.choice(rows)
    known = world("bank").row("SELECT id, number FROM payee WHERE owner = 1 AND name = ?", vendor)
    digits = written_number(f"{draw.integer(10**11, 10**12 - 1)}")
    text = _pay_words(draw, vendor, month, "" if known else digits)
    read: Plan = (*find(f"{vendor} Invoice {month}"), click(subject, "link"))
    if known:
        payee, digits = known
        steps = transfer_steps("Current account", payee_label(vendor, digits), total, number)
        return Draft(text, (*read, BANK, *steps), paid_changes(world, vendor, payee, total, number))
    payee = world("bank").row("SELECT max(id) + 1 FROM payee")
    steps = (
        click("Payees"),
        fill("Name", vendor),
        fill("Account number", digits),
        click("Add payee"),
        *transfer_steps("Current account", payee_label(vendor, digits), total, number),
    )
    new = insert("bank.payee", id=payee, owner=1, name=vendor, number=digits)
    return Draft(text, (*read, BANK, *steps), (new, *paid_changes(world, vendor, payee, total, number)))


@invoices.template(3, sites=("mail", "bank"), infeasible=True)
def pay_missing_invoice(world: World, draw: Draw) -> Draft | None:
    """Ask to pay the invoice of a month for which none came."""
    rows = _invoices(world, unpaid=False)
    vendor = draw.choice(rows)[0]
    there = {row[2] for row in rows if row[0] == vendor}
    months = [_month(day.year, day.month) for day in months_before(world.now.date(), MONTHS_BACK)]
    month = draw.choice([month for month in months if month not in there])
    known = world("bank").row("SELECT 1 FROM payee WHERE owner = 1 AND name = ?", vendor)
    digits = written_number(f"{draw.integer(10**11, 10**12 - 1)}")
    text = _pay_words(draw, vendor, month, "" if known else digits)
    plan = (*find(f"{vendor} Invoice {month}"), *find(f"{vendor} Invoice"))
    return Draft(text, plan, infeasible=f"There is no invoice from {vendor} for {month}.")


@invoices.template(4, sites=("bank", "shop"))
def shopping_and_orders(world: World, draw: Draw) -> Draft | None:
    """Compare a month's shopping at the bank with the orders of that month in the shop."""
    spent = dict(
        world("bank").rows(
            "SELECT substr(day, 1, 7), -sum(amount) FROM entry WHERE deposit = 1 AND category = 'Shopping' GROUP "
            "BY 1 ORDER BY 1"
        )
    )
    orders = world("shop").rows(
        "SELECT substr(placed, 1, 7), total, status FROM purchase WHERE account = 1 ORDER BY id DESC"
    )
    counted = [(month, total) for month, total, status in orders if status != "Cancelled"]
    cancelled = {month for month, _, status in orders if status == "Cancelled"}
    months = sorted({month for month, _ in counted} & spent.keys())
    hard = [month for month in months if month in cancelled]  # one order is to be left out
    several = [month for month in hard or months if sum(other == month for other, _ in counted) > 1]
    if not months:
        return None
    month = draw.choice(several or hard or months)
    cents = abs(spent[month] - sum(total for other, total in counted if other == month))
    when = long_day(f"{month}-01")[2:]
    last = max(place for place, order in enumerate(orders) if order[0] == month)
    plan = (
        account(world, 1),
        click("Statements"),
        click(when),
        SHOP,
        *opened(world),
        click("Orders"),
        *[click("Next")] * (last // _PER_PAGE),
    )
    return Draft(worded(draw, SHOPPING, month=when), plan, answer=Answer.of("money", money(cents)))


@invoices.template(5, sites=("bank", "mail"))
def tell_about_bill(world: World, draw: Draw) -> Draft | None:
    """Find the bill that was paid twice, or never, and write about it."""
    twice = draw.chance(0.5)
    found = [number for number, _, paid in bills(world) if (len(paid) > 1 if twice else not paid)]
    if len(found) != 1:
        return None
    number = found[0]
    name, email, _ = draw.choice(contacts(world))
    body = draw.choice(NOTES)
    plan = (*bills_compared(world), other_tab(MAIL), *written(name, number, body))
    text = worded(draw, BILL[twice], name=name, body=body)
    return Draft(text, plan, (sent(world, email, number, Said(body)),))


@invoices.template(3, sites=("shop", "mail"))
def send_tracking(world: World, draw: Draw) -> Draft | None:
    """Send somebody the tracking number of an order."""
    orders, title, order = order_with(world, draw, "Shipped")
    if not order:
        return None
    tracking = world("shop").row("SELECT tracking FROM purchase WHERE id = ?", order)
    name, email, _ = draw.choice(contacts(world))
    subject = draw.choice(PARCEL_SUBJECTS)
    look: list[Plan] = [
        (click("Orders"), click(f"Order {seen}", via="Next")) for seen in orders[: orders.index(order) + 1]
    ]
    plan = (*opened(world), *(step for part in look for step in part), MAIL)
    plan = (*plan, *written(name, subject, tracking))
    text = worded(draw, TRACKING, title=title, name=name, subject=subject)
    return Draft(text, plan, (sent(world, email, subject, Said(tracking)),))


@invoices.template(4, sites=("shop", "mail"))
def cancel_and_tell(world: World, draw: Draw) -> Draft | None:
    """Cancel an order, and write its number to somebody."""
    found = cancelled(world, draw)
    if found is None:
        return None
    title, steps, changes = found
    order = str(dict(changes[0].key)["id"])
    name, email, _ = draw.choice(contacts(world))
    subject = draw.choice(CANCEL_SUBJECTS)
    text = worded(draw, CANCEL, title=title, name=name, subject=subject)
    plan = (*steps, MAIL, *written(name, subject, order))
    return Draft(text, plan, (*changes, sent(world, email, subject, Said(order))))


def _month(year: int, month: int) -> str:
    return f"{MONTHS[month - 1]} {year}"


def _invoices(world: World, unpaid: bool = True) -> Sequence[tuple[str, str, str, int, str]]:
    """Return (vendor, subject, month in words, total in cents, number) of invoices without a payment."""
    mail, found = world("mail"), []
    told = set(mail.rows("SELECT subject FROM mail WHERE kind = 'payment'")) if unpaid else set()
    for name, subject, fact in mail.rows(
        "SELECT name, subject, fact FROM mail WHERE kind = 'invoice' AND owner = 1 ORDER BY id"
    ):
        month, total, number = fact.split("|")
        if f"Payment received: invoice {number}" in told:
            continue
        when = _month(int(month[:4]), int(month[5:]))
        found.append((name.removesuffix(" Billing"), subject, when, int(total), number))
    return found


def _pay_words(draw: Draw, vendor: str, month: str, number: str) -> str:
    return worded(draw, (*INVOICE, *PAYEE[not number]), vendor=vendor, month=month, number=number)
