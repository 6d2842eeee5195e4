"""The bank's payments: transfers with a page to confirm them, payees, standing orders."""

import re
from typing import NamedTuple

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.site import Answered, Visit, WebSite, action, page
from turnwise.worlds.web.site.tasks import money
from turnwise.worlds.web.sites.bank.data import written_number
from turnwise.worlds.web.sites.shop.parts import cents_of as _plain_cents

__all__ = ["Paying", "cents_of", "eur", "payee_label"]

MAX_REFERENCE = 60
MOST_MONTHLY = 1000000
"""Most that a standing order pays, in cents."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?", re.ASCII)


def eur(cents: int) -> str:
    """An amount as the bank writes it."""
    return f"{money(cents)} EUR"


def cents_of(text: str) -> int | None:
    """An amount a visitor typed, in cents, ``2,100.00`` too; None where it is none."""
    bare = text.removeprefix("€").removesuffix("EUR").strip()
    return _plain_cents(bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare)


def payee_label(name: str, number: str) -> str:
    """A payee in a list of choices."""
    return f"{name}, {number}"


class _Target(NamedTuple):
    """Where money goes: a payee, or another account of the same owner."""

    name: str
    number: str
    payee: int
    deposit: int


def _target(visit: Visit, text: str) -> _Target | None:
    """What a value of the field "To" means: ``p`` or ``d`` and an id of the visitor's."""
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
    """Why a transfer cannot be made, by field of its form."""
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
    """What may go to payees in a day."""
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
    """One entry, and the balance with it."""
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


class Paying(WebSite):
    """Transfers, payees, standing orders."""

    @page("/transfer", signed_in=True)
    def transfer_page(self, visit: Visit) -> Answered:
        """The form; with what is to be changed, if that is so."""
        row = (
            visit.get("SELECT source, target, amount, reference FROM draft WHERE owner = ?", visit.user)
            if visit.text("change")
            else None
        )
        source, target, amount, reference = row or (0, "", 0, "")
        return self._transfer(visit, {}, source, target, money(amount) if amount else "", reference)

    def _transfer(
        self, visit: Visit, errors: dict[str, str], source: object, target: str, amount: str, reference: str
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
        return self.show(visit, "Transfer", balances, content, more)

    @action("/transfer")
    def draft_transfer(self, visit: Visit) -> Answered:
        """Takes the form; nothing is booked yet."""
        target, cents, reference = (
            _target(visit, visit.text("to")),
            cents_of(visit.text("amount")),
            visit.text("reference"),
        )
        errors = _problems(visit, visit.whole("from"), target, cents, reference)
        if errors:
            return self._transfer(visit, errors, visit.text("from"), visit.text("to"), visit.text("amount"), reference)
        visit.run(
            "INSERT OR REPLACE INTO draft VALUES (?, ?, ?, ?, ?)",
            visit.user,
            visit.whole("from"),
            visit.text("to"),
            cents,
            reference,
        )
        return self.redirect("/transfer/confirm")

    @page("/transfer/confirm", signed_in=True)
    def confirm_page(self, visit: Visit) -> Answered:
        """What will be booked."""
        row = visit.get(
            "SELECT d.name, t.target, t.amount, t.reference FROM draft t JOIN deposit d ON d.id = t.source AND "
            "d.owner = t.owner WHERE t.owner = ?",
            visit.user,
        )
        target = _target(visit, row[1]) if row else None
        if target is None:
            return self.redirect("/transfer")
        facts = [
            ("From", row[0]),
            ("To", payee_label(target.name, target.number)),
            ("Amount", eur(row[2])),
            ("Reference", row[3] or "none"),
            ("Date", f"{visit.now.date()}"),
        ]
        return self.show(
            visit,
            "Confirm the transfer",
            m.definitions(facts),
            m.form("/transfer/confirm", submit="Confirm transfer"),
            m.link("/transfer?change=1", "Change it"),
        )

    @action("/transfer/confirm")
    def send(self, visit: Visit) -> Answered:
        """Books the transfer, on both accounts where both are the visitor's, or not at all."""
        row = visit.get("SELECT source, target, amount, reference FROM draft WHERE owner = ?", visit.user)
        if row is None:
            return self.redirect("/transfer", flash="There is no transfer to confirm.")
        source, text, cents, reference = row
        target = _target(visit, text)
        errors = _problems(visit, source, target, cents, reference)
        if errors or target is None:
            return self._transfer(visit, errors, source, text, money(cents), reference)
        _book(visit, source, target.name, reference, -cents, target.payee)
        if target.deposit:
            name = visit.row("SELECT name FROM deposit WHERE id = ?", source)
            _book(visit, target.deposit, name, reference, cents, 0)
        visit.run("DELETE FROM draft WHERE owner = ?", visit.user)
        return self.redirect(f"/accounts/{source}", flash=f"{eur(cents)} went to {target.name}.")

    # ---- payees ---------------------------------------------------------------------------------------------------

    @page("/payees", signed_in=True)
    def payees(self, visit: Visit) -> Answered:
        """Who can be paid."""
        return self._payee_list(visit, {})

    def _payee_list(self, visit: Visit, errors: dict[str, str]) -> Answered:
        rows = visit.rows("SELECT id, name, number FROM payee WHERE owner = ? ORDER BY name, id", visit.user)
        shown = [(name, number, m.post_button(f"/payees/{id}/remove", "Remove")) for id, name, number in rows]
        new = m.form(
            "/payees",
            m.field("Name", "name", visit.text("name"), error=errors.get("name", "")),
            m.field("Account number", "number", visit.text("number"), error=errors.get("number", "")),
            submit="Add payee",
        )
        return self.show(visit, "Payees", m.table(("Name", "Account number", ""), shown), m.section("A new payee", new))

    @action("/payees")
    def add_payee(self, visit: Visit) -> Answered:
        """Adds one."""
        name, digits, errors = visit.text("name"), visit.text("number").replace(" ", ""), {}
        if not 0 < len(name) <= 60:
            errors["name"] = "A name of at most 60 characters is needed."
        if not (digits.isascii() and digits.isdigit() and len(digits) == 12):
            errors["number"] = "An account number has twelve digits."
        elif (
            visit.get("SELECT id FROM payee WHERE owner = ? AND number = ?", visit.user, written_number(digits))
            is not None
        ):
            errors["number"] = "You have a payee with this number."
        if errors:
            return self._payee_list(visit, errors)
        visit.run("INSERT INTO payee (owner, name, number) VALUES (?, ?, ?)", visit.user, name, written_number(digits))
        return self.redirect("/payees", flash=f"{name} is one of your payees now.")

    @action("/payees/{number:int}/remove")
    def remove_payee(self, visit: Visit, number: int) -> Answered:
        """Removes one that no standing order goes to."""
        name = visit.row("SELECT name FROM payee WHERE id = ? AND owner = ?", number, visit.user)
        if visit.get("SELECT id FROM standing WHERE payee = ?", number) is not None:
            return self.redirect("/payees", flash=f"There is a standing order to {name}. Cancel it first.")
        visit.run("DELETE FROM payee WHERE id = ?", number)
        return self.redirect("/payees", flash=f"{name} is removed.")

    # ---- standing orders ------------------------------------------------------------------------------------------

    @page("/standing", signed_in=True)
    def standing(self, visit: Visit) -> Answered:
        """What is paid every month."""
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
        table = (
            m.table(("To", "Reference", "Amount", "Every month on", "From", ""), shown)
            if shown
            else m.paragraph("There are none.")
        )
        return self.show(visit, "Standing orders", table, m.link("/standing/new", "New standing order"))

    @page("/standing/new", signed_in=True)
    def new_standing(self, visit: Visit) -> Answered:
        """The form for another one."""
        return self._standing(visit, 0, {}, ("", "", "", ""))

    @page("/standing/{number:int}", signed_in=True)
    def change_standing(self, visit: Visit, number: int) -> Answered:
        """The form with one."""
        payee, amount, reference, day = visit.row(
            "SELECT payee, amount, reference, day FROM standing WHERE id = ? AND owner = ?", number, visit.user
        )
        return self._standing(visit, number, {}, (f"{payee}", money(amount), reference, f"{day}"))

    def _standing(
        self, visit: Visit, number: int, errors: dict[str, str], values: tuple[str, str, str, str]
    ) -> Answered:
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
        return self.show(
            visit,
            "Standing order",
            m.paragraph("It is paid from your current account."),
            content,
            m.link("/standing", "Back to the standing orders"),
        )

    @action("/standing/new")
    def add_standing(self, visit: Visit) -> Answered:
        """Adds one."""
        return self._save_standing(visit, 0)

    @action("/standing/{number:int}")
    def save_standing(self, visit: Visit, number: int) -> Answered:
        """Changes one."""
        visit.row("SELECT id FROM standing WHERE id = ? AND owner = ?", number, visit.user)
        return self._save_standing(visit, number)

    def _save_standing(self, visit: Visit, number: int) -> Answered:
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
            return self._standing(
                visit, number, errors, (visit.text("to"), visit.text("amount"), reference, visit.text("day"))
            )
        if number:
            visit.run(
                "UPDATE standing SET payee = ?, amount = ?, reference = ?, day = ? WHERE id = ?",
                payee,
                cents,
                reference,
                day,
                number,
            )
        else:
            visit.run(
                "INSERT INTO standing (owner, deposit, payee, amount, reference, day) VALUES (?, ?, ?, ?, ?, ?)",
                visit.user,
                account,
                payee,
                cents,
                reference,
                day,
            )
        return self.redirect("/standing", flash="The standing order is saved.")

    @action("/standing/{number:int}/cancel")
    def cancel_standing(self, visit: Visit, number: int) -> Answered:
        """Ends one."""
        visit.row("SELECT id FROM standing WHERE id = ? AND owner = ?", number, visit.user)
        visit.run("DELETE FROM standing WHERE id = ?", number)
        return self.redirect("/standing", flash="The standing order is cancelled.")


def _payees(visit: Visit, prefix: str) -> list[tuple[object, str]]:
    """The visitor's payees as choices."""
    rows = visit.rows("SELECT id, name, number FROM payee WHERE owner = ? ORDER BY name, id", visit.user)
    return [(f"{prefix}{id}", payee_label(name, number)) for id, name, number in rows]
