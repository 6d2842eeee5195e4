"""The bank's payments: transfers with a page to confirm them, payees, standing orders."""

import re
from typing import NamedTuple

from turnwise.worlds.web.site import Answered, Pages, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.bank.data import written_number
from turnwise.worlds.web.sites.shop.parts import cents_of as _plain_cents

__all__ = ["cents_of", "eur", "payee_label", "paying"]

paying = Pages()

MAX_REFERENCE = 60
MOST_MONTHLY = 1000000
"""Most that a standing order pays, in cents."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?", re.ASCII)


def eur(cents: int) -> str:
    """Format an amount as the bank writes it."""
    return f"{money(cents)} EUR"


def cents_of(text: str) -> int | None:
    """Return an amount that a visitor typed in cents, also ``2,100.00``; None if it is not an amount."""
    bare = text.removeprefix("€").removesuffix("EUR").strip()
    return _plain_cents(bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare)


def payee_label(name: str, number: str) -> str:
    """Return the text of a payee in a list of choices."""
    return f"{name}, {number}"


class _Target(NamedTuple):
    """Where money goes: a payee, or another account of the same owner."""

    name: str
    number: str
    payee: int
    deposit: int


def _target(visit: Visit, text: str) -> _Target | None:
    """Return what a value of the field "To" means: ``p`` or ``d`` and an id of the visitor's."""
    kind, digits = text[:1], text[1:]
    if kind not in ("p", "d") or not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        return None
    table = "payee" if kind == "p" else "deposit"
    found = visit.get(f"SELECT name, number FROM {table} WHERE id = ? AND owner = ?", int(digits), visit.user)
    if found is None:
        return None
    name, number = found
    return _Target(name, number, int(digits) if kind == "p" else 0, int(digits) if kind == "d" else 0)


def _problems(visit: Visit, source: int, target: _Target | None, cents: int | None, reference: str) -> dict[str, str]:
    """Return why a transfer cannot be made, by field of its form."""
    errors: dict[str, str] = {}
    account = visit.get("SELECT kind, balance FROM deposit WHERE id = ? AND owner = ?", source, visit.user)
    if account is None:
        errors["from"] = "Choose an account."
    if target is None:
        errors["to"] = "Choose who gets it."
    elif target.deposit == source:
        errors["to"] = "This is the account it comes from."
    elif account is not None and account[0] == "savings" and not target.deposit:
        errors["to"] = "From savings you can transfer only to your own accounts."
    if cents is None or cents <= 0:
        errors["amount"] = "An amount such as 25 or 19.90, please."
    elif account is not None and cents > account[1]:
        errors["amount"] = f"The balance of this account is only {eur(account[1])}."
    elif target is not None and target.payee and cents + _sent_today(visit) > _daily(visit):
        errors["amount"] = f"At most {eur(_daily(visit))} a day can go to payees."
    if len(reference) > MAX_REFERENCE:
        errors["reference"] = f"At most {MAX_REFERENCE} characters."
    return errors


def _daily(visit: Visit) -> int:
    """Return what may go to payees in a day."""
    found: int = visit.row("SELECT daily FROM preference WHERE owner = ?", visit.user)
    return found


def _sent_today(visit: Visit) -> int:
    found: int = visit.row(
        "SELECT coalesce(-sum(e.amount), 0) FROM entry e JOIN deposit d ON d.id = e.deposit WHERE d.owner = ? AND "
        "e.payee AND e.day = ?",
        visit.user,
        f"{visit.now.date()}",
    )
    return found


def _book(visit: Visit, deposit: int, party: str, reference: str, amount: int, payee: int) -> None:
    """Write one entry, and update the balance."""
    visit.run("UPDATE deposit SET balance = balance + ? WHERE id = ?", amount, deposit)
    visit.run(
        "INSERT INTO entry (deposit, day, party, reference, category, amount, after, payee) SELECT id, ?, ?, ?, "
        "'Transfers', ?, balance, ? FROM deposit WHERE id = ?",
        f"{visit.now.date()}",
        party,
        reference,
        amount,
        payee,
        deposit,
    )


@paying.page("/transfer", signed_in=True)
def transfer_page(visit: Visit) -> Answered:
    """Show the transfer form, filled in when a draft is changed."""
    row = (
        visit.get("SELECT source, target, amount, reference FROM draft WHERE owner = ?", visit.user)
        if visit.text("change")
        else None
    )
    source, target, amount, reference = row or (0, "", 0, "")
    return _transfer(visit, {}, source, target, money(amount) if amount else "", reference)


def _transfer(
    visit: Visit, errors: dict[str, str], source: object, target: str, amount: str, reference: str
) -> Answered:
    accounts = visit.rows("SELECT id, name, balance FROM deposit WHERE owner = ? ORDER BY id", visit.user)
    own = [(f"d{id}", f"{name} (own account)") for id, name, _ in accounts]
    content = m.form(
        "/transfer",
        m.choices(
            "From",
            "from",
            [("", "Please choose"), *((id, name) for id, name, _ in accounts)],
            source,
            errors.get("from", ""),
        ),
        m.choices("To", "to", [("", "Please choose"), *own, *_payees(visit, "p")], target, errors.get("to", "")),
        m.number_field("Amount", "amount", amount, errors.get("amount", "")),
        m.field("Reference", "reference", reference, error=errors.get("reference", "")),
        submit="Continue",
    )
    balances = m.definitions((name, eur(balance)) for _, name, balance in accounts)
    more = m.paragraph(
        f"At most {eur(_daily(visit))} a day can go to payees. Who is not in the list must be added under ",
        m.link("/payees", "Payees"),
        " first.",
    )
    return visit.show("Transfer", balances, content, more)


@paying.action("/transfer")
def draft_transfer(visit: Visit) -> Answered:
    """Check the transfer form and keep it as a draft; nothing is booked yet."""
    target, cents, reference = (
        _target(visit, visit.text("to")),
        cents_of(visit.text("amount")),
        visit.text("reference"),
    )
    errors = _problems(visit, visit.whole("from"), target, cents, reference)
    if errors:
        return _transfer(visit, errors, visit.text("from"), visit.text("to"), visit.text("amount"), reference)
    visit.run(
        "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?)",
        visit.user,
        visit.whole("from"),
        visit.text("to"),
        cents,
        reference,
    )
    return visit.redirect("/transfer/confirm")


@paying.page("/transfer/confirm", signed_in=True)
def confirm_page(visit: Visit) -> Answered:
    """Show what will be booked."""
    row = visit.get(
        "SELECT d.name, t.target, t.amount, t.reference FROM draft t JOIN deposit d ON d.id = t.source AND "
        "d.owner = t.owner WHERE t.owner = ?",
        visit.user,
    )
    target = _target(visit, row[1]) if row else None
    if target is None:
        return visit.redirect("/transfer")
    facts = [
        ("From", row[0]),
        ("To", payee_label(target.name, target.number)),
        ("Amount", eur(row[2])),
        ("Reference", row[3] or "none"),
        ("Date", f"{visit.now.date()}"),
    ]
    return visit.show(
        "Confirm the transfer",
        m.definitions(facts),
        m.form("/transfer/confirm", submit="Confirm transfer"),
        m.link("/transfer?change=1", "Change it"),
    )


@paying.action("/transfer/confirm")
def send(visit: Visit) -> Answered:
    """Book the transfer, on both accounts if both are the visitor's, or not at all."""
    row = visit.get("SELECT source, target, amount, reference FROM draft WHERE owner = ?", visit.user)
    if row is None:
        return visit.redirect("/transfer", flash="There is no transfer to confirm.")
    source, text, cents, reference = row
    target = _target(visit, text)
    errors = _problems(visit, source, target, cents, reference)
    if errors or target is None:
        return _transfer(visit, errors, source, text, money(cents), reference)
    _book(visit, source, target.name, reference, -cents, target.payee)
    if target.deposit:
        name = visit.row("SELECT name FROM deposit WHERE id = ?", source)
        _book(visit, target.deposit, name, reference, cents, 0)
    visit.run("DELETE FROM draft WHERE owner = ?", visit.user)
    return visit.redirect(f"/accounts/{source}", flash=f"{eur(cents)} went to {target.name}.")


# ---- payees ---------------------------------------------------------------------------------------------------


@paying.page("/payees", signed_in=True)
def payees(visit: Visit) -> Answered:
    """List the payees."""
    return _payee_list(visit, {})


def _payee_list(visit: Visit, errors: dict[str, str]) -> Answered:
    rows = visit.rows("SELECT id, name, number FROM payee WHERE owner = ? ORDER BY name, id", visit.user)
    shown = [(name, number, m.post_button(f"/payees/{id}/remove", "Remove")) for id, name, number in rows]
    new = m.form(
        "/payees",
        m.field("Name", "name", visit.text("name"), error=errors.get("name", "")),
        m.field("Account number", "number", visit.text("number"), error=errors.get("number", "")),
        submit="Add payee",
    )
    return visit.show("Payees", m.table(("Name", "Account number", ""), shown), m.section("A new payee", new))


@paying.action("/payees")
def add_payee(visit: Visit) -> Answered:
    """Add a payee."""
    name, digits, errors = visit.text("name"), visit.text("number").replace(" ", ""), {}
    if not 0 < len(name) <= 60:
        errors["name"] = "A name of at most 60 characters is needed."
    if not (digits.isascii() and digits.isdigit() and len(digits) == 12):
        errors["number"] = "An account number has twelve digits."
    elif (
        visit.get("SELECT id FROM payee WHERE owner = ? AND number = ?", visit.user, written_number(digits)) is not None
    ):
        errors["number"] = "You have a payee with this number."
    if errors:
        return _payee_list(visit, errors)
    visit.add("payee", owner=visit.user, name=name, number=written_number(digits))
    return visit.redirect("/payees", flash=f"{name} is one of your payees now.")


@paying.action("/payees/{number:int}/remove")
def remove_payee(visit: Visit, number: int) -> Answered:
    """Remove a payee that no standing order pays."""
    name = visit.row("SELECT name FROM payee WHERE id = ? AND owner = ?", number, visit.user)
    if visit.get("SELECT id FROM standing WHERE payee = ?", number) is not None:
        return visit.redirect("/payees", flash=f"There is a standing order to {name}. Cancel it first.")
    visit.run("DELETE FROM payee WHERE id = ?", number)
    return visit.redirect("/payees", flash=f"{name} is removed.")


# ---- standing orders ------------------------------------------------------------------------------------------


@paying.page("/standing", signed_in=True)
def standing(visit: Visit) -> Answered:
    """List the standing orders."""
    rows = visit.rows(
        "SELECT s.id, p.name, s.reference, s.amount, s.day, d.name FROM standing s JOIN payee p ON p.id = s.payee "
        "JOIN deposit d ON d.id = s.deposit WHERE s.owner = ? ORDER BY s.day, s.id",
        visit.user,
    )
    shown = [
        (
            name,
            reference,
            eur(amount),
            f"day {day}",
            account,
            m.join(
                m.link(f"/standing/{id}", "Change"),
                " ",
                m.button("Cancel", type="button", data_tw_toggle=f"cancel-{id}", aria_expanded="false"),
                m.panel(f"cancel-{id}", m.post_button(f"/standing/{id}/cancel", "Yes, cancel it")),
            ),
        )
        for id, name, reference, amount, day, account in rows
    ]
    heads = ("To", "Reference", "Amount", "Every month on", "From", "")
    table = m.table(heads, shown, empty="There are none.")
    return visit.show("Standing orders", table, m.link("/standing/new", "New standing order"))


@paying.page("/standing/new", signed_in=True)
@paying.page("/standing/{number:int}", signed_in=True)
def change_standing(visit: Visit, number: int | None = None) -> Answered:
    """Show the form for a new standing order, or for changing one."""
    if number is None:
        return _standing(visit, 0, {}, ("", "", "", ""))
    payee, amount, reference, day = visit.row(
        "SELECT payee, amount, reference, day FROM standing WHERE id = ? AND owner = ?", number, visit.user
    )
    return _standing(visit, number, {}, (f"{payee}", money(amount), reference, f"{day}"))


def _standing(visit: Visit, number: int, errors: dict[str, str], values: tuple[str, str, str, str]) -> Answered:
    payee, amount, reference, day = values
    to = m.choices("To", "to", [("", "Please choose"), *_payees(visit, "")], payee, errors.get("to", ""))
    content = m.form(
        f"/standing/{number or 'new'}",
        to,
        m.number_field("Amount", "amount", amount, errors.get("amount", "")),
        m.field("Reference", "reference", reference, error=errors.get("reference", "")),
        m.number_field("Day of the month", "day", day, errors.get("day", "")),
        submit="Save standing order",
    )
    return visit.show(
        "Standing order",
        m.paragraph("It is paid from your current account."),
        content,
        m.link("/standing", "Back to the standing orders"),
    )


@paying.action("/standing/new")
@paying.action("/standing/{number:int}")
def save_standing(visit: Visit, number: int | None = None) -> Answered:
    """Add or change a standing order."""
    own = "SELECT id FROM standing WHERE id = ? AND owner = ?"
    number = 0 if number is None else visit.row(own, number, visit.user)
    cents, day, reference, errors = cents_of(visit.text("amount")), visit.whole("day"), visit.text("reference"), {}
    payee = visit.get("SELECT id FROM payee WHERE id = ? AND owner = ?", visit.whole("to"), visit.user)
    account = visit.get("SELECT id FROM deposit WHERE owner = ? AND kind = 'current' ORDER BY id", visit.user)
    if payee is None:
        errors["to"] = "Choose who gets it."
    if cents is None or not 0 < cents <= MOST_MONTHLY:
        errors["amount"] = f"An amount up to {money(MOST_MONTHLY)}, please."
    if not 1 <= day <= 28:
        errors["day"] = "A day from 1 to 28, please."
    if not 0 < len(reference) <= MAX_REFERENCE:
        errors["reference"] = f"A reference of at most {MAX_REFERENCE} characters is needed."
    if errors or account is None:
        return _standing(visit, number, errors, (visit.text("to"), visit.text("amount"), reference, visit.text("day")))
    new = {"owner": visit.user, "deposit": account}
    visit.save("standing", number, new, payee=payee, amount=cents, reference=reference, day=day)
    return visit.redirect("/standing", flash="The standing order is saved.")


@paying.action("/standing/{number:int}/cancel")
def cancel_standing(visit: Visit, number: int) -> Answered:
    """Cancel a standing order."""
    visit.row("SELECT id FROM standing WHERE id = ? AND owner = ?", number, visit.user)
    visit.run("DELETE FROM standing WHERE id = ?", number)
    return visit.redirect("/standing", flash="The standing order is cancelled.")


def _payees(visit: Visit, prefix: str) -> list[tuple[object, str]]:
    """Return the visitor's payees as choices."""
    rows = visit.rows("SELECT id, name, number FROM payee WHERE owner = ? ORDER BY name, id", visit.user)
    return [(f"{prefix}{id}", payee_label(name, number)) for id, name, number in rows]
