"""Tasks across sites about invoices, bills and orders."""

from collections.abc import Sequence

from turnwise.worlds.web.site import Answer, Draft, Draw, Plan, Said, Tasks, World, click, fill, insert, money
from turnwise.worlds.web.sites.across.steps import BANK, MAIL, NOTES, SHOP, contacts, other_tab, written
from turnwise.worlds.web.sites.bank.data import written_number
from turnwise.worlds.web.sites.bank.pages.paying import payee_label
from turnwise.worlds.web.sites.bank.tasks.common import account, accounts, bills, bills_compared
from turnwise.worlds.web.sites.bank.tasks.transfers import paid_changes, transfer_steps
from turnwise.worlds.web.sites.mail.data import MONTHS_BACK, months_before
from turnwise.worlds.web.sites.mail.tasks.mails import find, sent
from turnwise.worlds.web.sites.mail.words import MONTHS
from turnwise.worlds.web.sites.shop.parts import long_day
from turnwise.worlds.web.sites.shop.tasks.buying import cancel_order
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
    text = draw.either(
        "I am going through my budget for {0}. By how much does what the bank's statement of my current account says "
        "under Shopping for that month differ from the total of all orders that I placed in the shop in that month, "
        "cancelled ones left out?",
        "The bank's statement of my current account for {0} does not seem to fit my shop orders. How far apart are the "
        "statement's figure for the category Shopping and the total of the orders that were placed in {0} and are not "
        "cancelled?",
    )
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
    return Draft(text.format(when), plan, answer=Answer.of("money", money(cents)))


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
    what = "has been paid twice" if twice else "has not been paid at all"
    text = draw.either(
        "One of the bills in my list at the bank {0} from my current account. Send {1} a mail whose subject "
        'is the number of that bill and nothing else; its text is "{2}"',
        "One of my bills at the bank {0} from my current account. Find it and write a mail to {1}. Subject: "
        'only the number of the bill. Text: "{2}"',
    )
    plan = (*bills_compared(world), other_tab(MAIL), *written(name, number, body))
    return Draft(text.format(what, name, body), plan, (sent(world, email, number, Said(body)),))


@invoices.template(3, sites=("shop", "mail"))
def send_tracking(world: World, draw: Draw) -> Draft | None:
    """Send somebody the tracking number of an order."""
    orders, title, order = order_with(world, draw, "Shipped")
    if not order:
        return None
    tracking = world("shop").row("SELECT tracking FROM purchase WHERE id = ?", order)
    name, email, _ = draw.choice(contacts(world))
    text = draw.either(
        '{1} waits for the "{0}" that I have ordered. Send {1} a mail with the subject "Your parcel"; its text '
        "is the tracking number of my shop order with that product and the status Shipped, nothing else.",
        'Mail {1} the tracking number of my order with the "{0}" that has the status Shipped in the shop. '
        'Subject: "Your parcel". Text: only the tracking number.',
    )
    look: list[Plan] = [
        (click("Orders"), click(f"Order {seen}", via="Next")) for seen in orders[: orders.index(order) + 1]
    ]
    plan = (*opened(world), *(step for part in look for step in part), MAIL)
    plan = (*plan, *written(name, "Your parcel", tracking))
    return Draft(text.format(title, name), plan, (sent(world, email, "Your parcel", Said(tracking)),))


@invoices.template(4, sites=("shop", "mail"))
def cancel_and_tell(world: World, draw: Draw) -> Draft | None:
    """Cancel an order, and write its number to somebody."""
    draft = cancel_order(world, draw)
    if draft is None:
        return None
    order = str(dict(draft.changes[0].key)["id"])
    name, email, _ = draw.choice(contacts(world))
    cancel = draft.instruction.replace("“", '"').replace("”", '"')  # as the other tasks of this set
    text = (
        f'{cancel} Then send {name} a mail with the subject "Cancelled"; its text is the number of that '
        "order, without the word Order, and nothing else."
    )
    plan = (*draft.plan, MAIL, *written(name, "Cancelled", order))
    return Draft(text, plan, (*draft.changes, sent(world, email, "Cancelled", Said(order))))


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
    ask = draw.either(
        "Pay the invoice that {0} sent me by mail for {1}: transfer its total from my current account at the bank "
        "to {0}. The reference is the number of the invoice and nothing else.",
        "{0} has mailed me an invoice for {1}. Pay it in full from my current account at the bank; the reference "
        "of the transfer is only the number of the invoice.",
    ).format(vendor, month)
    if not number:
        return f"{ask} {vendor} is among my payees."
    return f"{ask} {vendor} is not among my payees yet: add them by that name, with the account number {number}."
