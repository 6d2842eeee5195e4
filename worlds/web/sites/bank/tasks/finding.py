"""Tasks at the bank: questions, cards, disputes."""

import datetime
from collections import Counter

from turnwise.worlds.web.site import (
    ANYTHING,
    Answer,
    Draft,
    Draw,
    Plan,
    Tasks,
    World,
    click,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.sites.bank.data import DISPUTE_DAYS, REASONS
from turnwise.worlds.web.sites.bank.pages.paying import eur
from turnwise.worlds.web.sites.bank.tasks.common import account, bills, bills_compared, listed, searched
from turnwise.worlds.web.sites.shop.parts import long_day

__all__ = ["finding"]

finding = Tasks()

_PER_PAGE = 12
_SPENT = ("Groceries", "Restaurants", "Transport", "Shopping", "Health", "Utilities")


# ---- answers --------------------------------------------------------------------------------------------------


@finding.template(1)
def balance(world: World, draw: Draw) -> Draft | None:
    """Ask to sign in and read a balance."""
    user = world.cast.user
    name, cents = draw.choice(world("bank").rows("SELECT name, balance FROM deposit WHERE owner = 1 ORDER BY id"))
    ask = draw.either(
        "Sign in with the e-mail {0} and the password {1}. What is the balance of the account “{2}”?",
        "What is the balance of my account “{2}”? My e-mail is {0}, my password {1}.",
    )
    plan = (fill("E-mail", user.email), fill("Password", user.password), click("Sign in", role="button"))
    return Draft(
        ask.format(user.email, user.password, name), plan, answer=Answer.of("money", money(cents)), signed_in=False
    )


@finding.template(2)
def paid_on(world: World, draw: Draw) -> Draft | None:
    """Ask what was paid to somebody on a day."""
    rows = listed(world)
    days = Counter(row[1:3] for row in rows)
    once = [row for row in rows if row[4] in _SPENT and row[6] and days[row[1:3]] == 1]
    if not once:
        return None
    _, day, party, _, _, amount, _ = draw.choice(once)
    shown = [row for row in rows if party in row[2]]
    place = next(place for place, row in enumerate(shown) if row[1] == day)
    ask = draw.either(
        "How much did I pay to {0} on {1} from my current account?",
        "What did my payment to {0} on {1} come to? It was made from my current account.",
    )
    plan = (*searched(world, party), *[click("Next")] * (place // _PER_PAGE))
    return Draft(ask.format(party, long_day(day)), plan, answer=Answer.of("money", money(-amount), money(amount)))


@finding.template(2)
def received_when(world: World, draw: Draw) -> Draft | None:
    """Ask when somebody sent an amount."""
    rows = listed(world)
    sent = Counter(row[2:6:3] for row in rows)
    once = [row for row in rows if row[4] == "Transfers" and row[5] > 0 and sent[row[2:6:3]] == 1]
    if not once:
        return None
    _, day, party, _, _, amount, _ = draw.choice(once)
    shown = [row for row in rows if party in row[2]]
    place = next(place for place, row in enumerate(shown) if row[5] == amount)
    ask = draw.either(
        "On which day did {0} send {1} to my current account?",
        "When did I get {1} from {0}? It went to my current account.",
    )
    plan = (*searched(world, party), *[click("Next")] * (place // _PER_PAGE))
    return Draft(ask.format(party, eur(amount)), plan, answer=Answer.of("date", day))


@finding.template(3)
def month_category(world: World, draw: Draw) -> Draft | None:
    """Ask for a month's spending in a category."""
    rows = world("bank").rows(
        "SELECT substr(day, 1, 7), category, sum(amount) FROM entry WHERE deposit = 1 GROUP BY 1, 2 HAVING "
        "count(*) > 1 ORDER BY 1, 2"
    )
    rows = [row for row in rows if row[1] in _SPENT]
    if not rows:
        return None
    month, category, total = draw.choice(rows)
    when = long_day(f"{month}-01")[2:]
    ask = draw.either(
        "How much did I spend on {0} from my current account in {1}?",
        "What is the total of the category {0} for {1} on my current account?",
    )
    plan = (account(world, 1), click("Statements"), click(when))
    return Draft(ask.format(category, when), plan, answer=Answer.of("money", money(-total), money(total)))


@finding.template(3)
def balance_at(world: World, draw: Draw) -> Draft | None:
    """Ask for the balance at the end of a day, which may have no entry."""
    rows = listed(world)
    yesterday = world.cast.today - datetime.timedelta(days=1)
    day = f"{draw.day(datetime.date.fromisoformat(rows[-1][1]), yesterday)}"
    last = next(row[0] for row in rows if row[1] <= day)
    after = world("bank").row("SELECT after FROM entry WHERE id = ?", last)
    ask = draw.either(
        "What was the balance of my current account at the end of {}?",
        "How much was in my current account when the day {} was over?",
    )
    plan = (account(world, 1), click("More filters"), fill("To", day), click("Show"))
    return Draft(ask.format(long_day(day)), plan, answer=Answer.of("money", money(after)))


@finding.template(4)
def party_total(world: World, draw: Draw) -> Draft | None:
    """Ask what was paid to somebody in a period."""
    bank = world("bank")
    parties = bank.rows(
        "SELECT party FROM entry WHERE deposit = 1 AND card GROUP BY party HAVING count(DISTINCT day) > 2 ORDER "
        "BY party"
    )
    if not parties:
        return None
    party = draw.choice(parties)
    paid = bank.rows("SELECT day, amount FROM entry WHERE deposit = 1 AND party = ? ORDER BY day DESC, id DESC", party)
    start, end = _part(world, draw, sorted({day for day, _ in paid}))
    fit = [amount for day, amount in paid if start <= day <= end]
    total = -sum(fit)
    ask = draw.either(
        "How much went from my current account to {0} in all from {1} to {2}, both days included?",
        "What do the payments from my current account to {0} from {1} to {2} (both days count) add up to?",
    )
    plan = (
        account(world, 1),
        fill("Search", party),
        click("More filters"),
        fill("From", start),
        fill("To", end),
        click("Show"),
        *[click("Next")] * ((len(fit) - 1) // _PER_PAGE),
    )
    answer = Answer.of("money", money(total), money(-total))
    return Draft(ask.format(party, long_day(start), long_day(end)), plan, answer=answer)


@finding.template(2)
def message_fact(world: World, draw: Draw) -> Draft | None:
    """Ask what a message of the bank says."""
    rows = world("bank").rows("SELECT subject, body FROM message WHERE owner = 1 ORDER BY id")
    kind = draw.choice(("moves", "interest", "fee"))
    subject, body = next(row for row in rows if kind in row[0])
    if kind == "moves":
        town, words = subject.split(" in ")[1].removesuffix(" moves"), body.split("until ")[1].split(".")[0]
        day = datetime.datetime.strptime(words, "%d %B %Y").date()
        ask, answer = f"Until which day does the bank's branch in {town} stay open?", Answer.of("date", f"{day}")
    elif kind == "interest":
        rate = body.split("we pay ")[1].split(" ")[0]
        ask = "Which new interest rate on savings, in percent a year, does the bank announce?"
        answer = Answer.of("number", rate, f"{rate} percent", f"{rate} %", f"{rate}%")
    else:
        fee = body.split("will be ")[1].split(" ")[0]
        ask, answer = "What will the yearly fee of my Mastercard Gold be?", Answer.of("money", fee)
    return Draft(f"{ask} There is a message about it.", (click("Messages"), click(subject)), answer=answer)


@finding.template(4)
def paid_twice(world: World, draw: Draw) -> Draft | None:
    """Ask which bill was paid twice."""
    number = next(number for number, _, paid in bills(world) if len(paid) > 1)
    ask = draw.either(
        "One of the bills in my list was paid twice from my current account. What is its number?",
        "I paid one of my bills two times from my current account. Which one? Give its number.",
    )
    return Draft(ask, bills_compared(world), answer=Answer.of("text", number, number.removeprefix("INV-")))


@finding.template(4)
def paid_too_little(world: World, draw: Draw) -> Draft | None:
    """Ask how much of a bill is still to be paid."""
    missing = next(amount - paid[0] for _, amount, paid in bills(world) if paid and paid[0] < amount)
    ask = draw.either(
        "One of the bills in my list was paid, but with too small an amount. How much is still missing?",
        "For one of my bills I sent too little. How much do I still owe on that bill?",
    )
    return Draft(ask, bills_compared(world), answer=Answer.of("money", money(missing)))


# ---- cards and disputes ---------------------------------------------------------------------------------------


@finding.template(2)
def freeze(world: World, draw: Draw) -> Draft | None:
    """Ask to freeze a card."""
    id, name, last4, _ = draw.choice(_cards(world))
    ask = draw.choice(("Freeze my {} ending in {}.", "I cannot find my {} ending in {}. Freeze it, please."))
    return Draft(
        ask.format(name, last4),
        (click("Cards"), click("Freeze", near=f"ending in {last4}")),
        (update("bank.card", id, status="Frozen"),),
    )


@finding.template(2)
def card_limit(world: World, draw: Draw) -> Draft | None:
    """Ask to change the limit of a card."""
    id, name, last4, maximum = draw.choice(_cards(world))
    cents = draw.choice([whole * 10000 for whole in range(3, 40) if whole * 10000 != maximum])
    ask = draw.either(
        "Set the monthly limit of my {0} ending in {1} to {2}.",
        "My {0} ending in {1} should have a monthly limit of {2}.",
    )
    plan = (
        click("Cards"),
        fill("Monthly limit", money(cents), near=f"ending in {last4}"),
        click("Save limit", near=f"ending in {last4}"),
    )
    return Draft(ask.format(name, last4, eur(cents)), plan, (update("bank.card", id, maximum=cents),))


@finding.template(4)
def freeze_used(world: World, draw: Draw) -> Draft | None:
    """Ask to freeze the card with which something was paid."""
    found = _card_payment(world, draw, 10**6)
    if found is None:
        return None
    (_, day, party, _, _, amount, card), plan = found
    last4 = next(row[2] for row in _cards(world) if row[0] == card)
    ask = draw.either(
        "I have lost the card with which I paid {0} to {1} on {2}. Freeze that card and no other.",
        "Freeze the card that was used for my payment of {0} to {1} on {2}.",
    )
    plan = (*plan, click("Cards"), click("Freeze", near=f"ending in {last4}"))
    return Draft(ask.format(eur(-amount), party, long_day(day)), plan, (update("bank.card", card, status="Frozen"),))


@finding.template(3)
def dispute_payment(world: World, draw: Draw) -> Draft | None:
    """Ask to dispute a card payment."""
    found = _card_payment(world, draw, DISPUTE_DAYS)
    if found is None:
        return None
    (id, day, party, _, _, amount, _), plan = found
    reason, today = draw.choice(REASONS), f"{world.cast.today}"
    ask = draw.either(
        "Dispute my card payment of {0} to {1} on {2}; the reason is “{3}”.",
        "Something is wrong with the {0} that {1} took from my card on {2}. Dispute it for the reason “{3}”.",
    )
    plan = (*plan, click("Dispute this payment"), select("Reason", reason), click("Send dispute"))
    new = insert("bank.dispute", owner=1, entry=id, reason=reason, comment=ANYTHING, opened=today)
    return Draft(ask.format(eur(-amount), party, long_day(day), reason), plan, (new,))


def _part(world: World, draw: Draw, days: list[str]) -> tuple[str, str]:
    """Draw a period with at least two of the days, but not all; it need not start or end on one of them."""
    known = [datetime.date.fromisoformat(day) for day in days]
    one, week = datetime.timedelta(days=1), datetime.timedelta(days=7)
    spans = [(low, high) for high in range(1, len(known)) for low in range(high) if high - low < len(known) - 1]
    low, high = draw.choice(spans)
    start = draw.day(known[low - 1] + one if low else known[0] - week, known[low])
    later = known[high + 1] if high + 1 < len(known) else min(known[-1] + week, world.cast.today)
    return f"{start}", f"{draw.day(known[high], later - one)}"


def _cards(world: World) -> list[tuple[int, str, str, int]]:
    return world("bank").rows("SELECT id, name, last4, maximum FROM card WHERE owner = 1 ORDER BY id")


def _card_payment(world: World, draw: Draw, days: int) -> tuple[tuple[int, str, str, str, str, int, int], Plan] | None:
    """Draw a unique card payment of the last ``days``, and return it with the steps to its page."""
    since = f"{world.cast.today - datetime.timedelta(days=min(days, 3650))}"
    rows = listed(world)
    alike = Counter(row[2:6:3] for row in rows)
    fit = [row for row in rows if row[6] and row[1] >= since and alike[row[2:6:3]] == 1]
    if not fit:
        return None
    row = draw.choice(fit)
    return row, (*searched(world, row[2]), click(row[2], near=f"{row[4]} {eur(row[5])}", via="Next"))
