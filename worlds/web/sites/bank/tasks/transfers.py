"""Tasks at the bank: transfers and standing orders."""

from typing import Any

from turnwise.worlds.web.site import (
    Change,
    Draft,
    Draw,
    Plan,
    Said,
    Tasks,
    World,
    click,
    delete,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.sites.bank.data import written_number
from turnwise.worlds.web.sites.bank.pages.paying import eur, payee_label
from turnwise.worlds.web.sites.bank.tasks.common import accounts, bills, bills_compared

__all__ = ["paid_changes", "transfer_steps", "transfers"]

transfers = Tasks()

_REFERENCES = (
    "Birthday present",
    "Dinner last week",
    "Trip to the lake",
    "Second-hand bike",
    "Concert on Saturday",
    "Repair of the roof",
)
# references to persons, and to companies
_LARGE = (
    ("Repair of the roof", "Second-hand car", "Deposit for the flat", "My part of the wedding", "Loan of last year"),
    ("Down payment", "Order of last month", "Final instalment", "Balance of the contract", "Deposit for the event"),
)
_MONTHLY = (
    ("Share of the internet bill", "Garden work", "Piano lessons", "Rent of the garage", "Weekly shopping"),
    ("Service contract", "Monthly instalment", "Licence fee", "Office plants", "Rent of the machine"),
)
_ALONE = "Do not move money between my accounts for it."


@transfers.template(2)
def between_accounts(world: World, draw: Draw) -> Draft | None:
    """Ask to move money between the user's accounts."""
    (source, name, _, held), (target, other, _, _) = draw.sample(accounts(world), 2)
    cents = draw.integer(20, max(20, min(900, held // 100))) * 100 + draw.choice((0, 0, 50))
    if cents > held:
        return None
    ask = draw.either(
        "Move {0} from my account “{1}” to my account “{2}”. Leave the reference empty.",
        "Transfer {0} from “{1}” to “{2}”, both of them mine, without a reference.",
    )
    changes = _moved(world, source, target, cents, "")
    return Draft(
        ask.format(eur(cents), name, other), transfer_steps(name, f"{other} (own account)", cents, ""), changes
    )


@transfers.template(4)
def top_up(world: World, draw: Draw) -> Draft | None:
    """Ask to bring an account to a round balance."""
    current, *others = accounts(world)
    held = current[3]
    target, name, _, balance = draw.choice(others)
    goal = (balance // 10000 + draw.integer(1, 5)) * 10000
    if goal - balance > held:
        return None
    ask = draw.either(
        "Bring the balance of “{0}” to exactly {1} with one transfer from my current account, without a reference.",
        "I want to have exactly {1} in “{0}”. Transfer what is missing from my current account; no reference.",
    )
    plan = transfer_steps("Current account", f"{name} (own account)", goal - balance, "")
    return Draft(ask.format(name, eur(goal)), plan, _moved(world, 1, target, goal - balance, ""))


@transfers.template(3)
def pay_somebody(world: World, draw: Draw) -> Draft | None:
    """Ask to transfer money to a payee."""
    payee, name, number = draw.choice(
        world("bank").rows("SELECT id, name, number FROM payee WHERE owner = 1 ORDER BY id")
    )
    cents, reference = _much(world, draw), draw.choice(_fitting(_LARGE, world, name))
    plan = transfer_steps("Current account", payee_label(name, number), cents, reference)
    return Draft(_asked(draw, cents, name, reference), plan, paid_changes(world, name, payee, cents, reference))


@transfers.template(3, infeasible=True)
def pay_too_much(world: World, draw: Draw) -> Draft | None:
    """Ask to pay more than the account holds, or than may go to payees in a day."""
    name = draw.choice(world("bank").rows("SELECT name FROM payee WHERE owner = 1 ORDER BY id"))
    cents, held = _much(world, draw, over=True), accounts(world)[0][3]
    ask = _asked(draw, cents, name, draw.choice(_fitting(_LARGE, world, name)))
    why = f"There are only {eur(held)} in the current account."
    if cents <= held:
        why = f"At most {eur(_daily(world))} a day can go to payees."
    return Draft(ask, (click("Transfer"),), infeasible=why)


@transfers.template(3, infeasible=True)
def pay_a_stranger(world: World, draw: Draw) -> Draft | None:
    """Ask to pay somebody who is not a payee and whose account number is not known."""
    known = set(world("bank").rows("SELECT name FROM payee WHERE owner = 1 ORDER BY id"))
    names = {word for name in known for word in name.split()}
    strangers = [person.name for person in world.cast.people[1:] if person.name not in known]
    alike = [name for name in strangers if names & set(name.split())]
    name = draw.choice(alike or strangers)
    ask = _asked(draw, _much(world, draw), name, draw.choice(_fitting(_LARGE, world, name)))
    return Draft(ask, (click("Payees"),), infeasible=f"{name} is not among the payees, and there is no account number.")


@transfers.template(4)
def pay_new_payee(world: World, draw: Draw) -> Draft | None:
    """Ask to add a payee and pay them."""
    bank = world("bank")
    known = set(bank.rows("SELECT name FROM payee WHERE owner = 1 ORDER BY id"))
    name = draw.choice([person.name for person in world.cast.people[1:] if person.name not in known])
    number = written_number(f"{draw.integer(10**11, 10**12 - 1)}")
    cents, reference = draw.integer(1000, 40000), draw.choice(_REFERENCES)
    if cents > accounts(world)[0][3]:
        return None
    payee = bank.row("SELECT max(id) + 1 FROM payee")
    ask = draw.either(
        "Add {0} with the account number {1} to my payees, and transfer {2} to them from my current account "
        "with the reference “{3}”.",
        "Transfer {2} from my current account to {0}, account number {1}, who is not among my payees yet and "
        "has to be added by that name. The reference is “{3}”.",
    )
    plan = (
        click("Payees"),
        fill("Name", name),
        fill("Account number", number),
        click("Add payee"),
        *transfer_steps("Current account", payee_label(name, number), cents, reference),
    )
    new = insert("bank.payee", id=payee, owner=1, name=name, number=number)
    return Draft(
        ask.format(name, number, eur(cents), reference),
        plan,
        (new, *paid_changes(world, name, payee, cents, reference)),
    )


@transfers.template(5)
def pay_forgotten(world: World, draw: Draw) -> Draft | None:
    """Ask to pay the bill that was not paid."""
    number, cents, _ = next(row for row in bills(world) if not row[2])
    if cents > accounts(world)[0][3]:
        return None
    company = world("bank").row("SELECT company FROM bill WHERE number = ?", number)
    payee, digits = world("bank").row("SELECT id, number FROM payee WHERE owner = 1 AND name = ?", company)
    ask = draw.either(
        "For one of the bills in my list there is no payment from my current account at all. Pay it from that "
        "account, with the bill's number as the reference.",
        "I forgot one of my bills: my current account shows no payment with its number. Pay it from there in "
        "full; the reference is the bill's number and nothing else.",
    )
    plan = (*bills_compared(world), *transfer_steps("Current account", payee_label(company, digits), cents, number))
    return Draft(ask, plan, paid_changes(world, company, payee, cents, number))


# ---- standing orders ------------------------------------------------------------------------------------------


@transfers.template(3)
def standing_change(world: World, draw: Draw) -> Draft | None:
    """Ask to change the amount or the day of a standing order."""
    id, name, reference, amount, day = draw.choice(_standing(world))
    step = click("Change", near=f"{name} {reference} {eur(amount)}")
    if draw.chance(0.5):
        cents = amount + draw.integer(1, 40) * 100
        ask = f"Raise my standing order to {name} with the reference “{reference}” to {eur(cents)}."
        changed, values = fill("Amount", money(cents)), {"amount": cents}
    else:
        new = draw.choice([other for other in range(1, 29) if other != day])
        ask = f"My standing order to {name} with the reference “{reference}” must be paid on day {new} from now on."
        changed, values = fill("Day of the month", str(new)), {"day": new}
    plan = (click("Standing orders"), step, changed, click("Save standing order"))
    return Draft(f"{ask} Change nothing else.", plan, (update("bank.standing", id, **values),))


@transfers.template(2)
def standing_stop(world: World, draw: Draw) -> Draft | None:
    """Ask to cancel a standing order."""
    id, name, reference, amount, _ = draw.choice(_standing(world))
    near = f"{name} {reference} {eur(amount)}"
    ask = draw.either(
        "Cancel my standing order to {0} with the reference “{1}”.",
        "I no longer want to pay “{1}” to {0} every month. End it.",
    )
    plan = (click("Standing orders"), click("Cancel", near=near), click("Yes, cancel it", near=near))
    return Draft(ask.format(name, reference), plan, (delete("bank.standing", id),))


@transfers.template(3)
def standing_new(world: World, draw: Draw) -> Draft | None:
    """Ask to set up a standing order."""
    payee, name, number = draw.choice(
        world("bank").rows("SELECT id, name, number FROM payee WHERE owner = 1 ORDER BY id")
    )
    cents, day, reference = (
        draw.integer(5, 90) * 100 + draw.choice((0, 50)),
        draw.integer(1, 28),
        draw.choice(_fitting(_MONTHLY, world, name)),
    )
    ask = draw.either(
        "Set up a standing order to {0}: {1} on day {2} of every month, with the reference “{3}”.",
        "From now on {0} should get {1} from me on day {2} of each month, reference “{3}”. Set up a standing order.",
    )
    plan = (
        click("Standing orders"),
        click("New standing order"),
        select("To", payee_label(name, number)),
        fill("Amount", money(cents)),
        fill("Reference", reference),
        fill("Day of the month", str(day)),
        click("Save standing order"),
    )
    new = insert("bank.standing", owner=1, deposit=1, payee=payee, amount=cents, reference=Said(reference), day=day)
    return Draft(ask.format(name, eur(cents), day, reference), plan, (new,))


def _daily(world: World) -> int:
    """Return what the user may send to payees in a day, in cents."""
    found: int = world("bank").row("SELECT daily FROM preference WHERE owner = 1")
    return found


def _much(world: World, draw: Draw, over: bool = False) -> int:
    """Draw cents near what the current account can pay, so that the amount alone does not show if it can."""
    most = min(accounts(world)[0][3], _daily(world))
    return most * (draw.integer(100200, 108000) if over else draw.integer(92000, 99800)) // 100000


def _fitting(words: tuple[tuple[str, ...], tuple[str, ...]], world: World, name: str) -> tuple[str, ...]:
    """Return the references that fit a person, or those that fit a company."""
    return words[name not in {person.name for person in world.cast.people}]


def _asked(draw: Draw, cents: int, name: str, reference: str) -> str:
    ask = draw.either(
        "Transfer {0} from my current account to {1} with the reference “{2}”.",
        "Send {1} {0} from my current account; the reference is “{2}”.",
    )
    return f"{ask.format(eur(cents), name, reference)} {_ALONE}"


def transfer_steps(source: str, target: str, cents: int, reference: str) -> Plan:
    """Return the steps of a transfer, from the form to its confirmation."""
    words = (fill("Reference", reference),) if reference else ()
    return (
        click("Transfer"),
        select("From", source),
        select("To", target),
        fill("Amount", money(cents)),
        *words,
        click("Continue"),
        click("Confirm transfer"),
    )


def _booked(
    world: World, deposit: int, party: str, cents: int, reference: str, payee: int = 0
) -> tuple[Change, Change]:
    """Return what one entry changes; outgoing ``cents`` are negative."""
    after = accounts(world)[deposit - 1][3] + cents
    words = Said(reference) if reference else ""
    return (
        insert(
            "bank.entry",
            deposit=deposit,
            day=f"{world.cast.today}",
            party=party,
            reference=words,
            category="Transfers",
            amount=cents,
            after=after,
            payee=payee,
        ),
        update("bank.deposit", deposit, balance=after),
    )


def paid_changes(world: World, name: str, payee: int, cents: int, reference: str) -> tuple[Change, ...]:
    """Return what a payment from the current account changes."""
    return _booked(world, 1, name, -cents, reference, payee)


def _moved(world: World, source: int, target: int, cents: int, reference: str) -> tuple[Change, ...]:
    names = [row[1] for row in accounts(world)]
    return (
        *_booked(world, source, names[target - 1], -cents, reference),
        *_booked(world, target, names[source - 1], cents, reference),
    )


def _standing(world: World) -> list[Any]:
    """Return (id, payee, reference, amount, day) of the user's standing orders."""
    return world("bank").rows(
        "SELECT s.id, p.name, s.reference, s.amount, s.day FROM standing s JOIN payee p ON p.id = s.payee WHERE "
        "s.owner = 1 ORDER BY s.id"
    )
