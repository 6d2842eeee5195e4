"""Addresses: parsing and checking them, suggesting people in forms, and the contacts' pages."""

import re
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.listing import like

__all__ = ["addresses", "contacts", "picker"]

contacts = Pages()

PAGE = 15
_ADDRESS = re.compile(r"[a-z0-9._+'-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,4}")
_PHONE = re.compile(r"[+0-9][0-9 /()-]{2,24}")
_IN_BRACKETS = re.compile(r".*[<(](.*)[>)]")
_LABELS = {"name": "Name", "email": "E-mail", "phone": "Phone", "company": "Company", "role": "Role", "town": "Town"}


def addresses(typed: str, picked: list[str]) -> tuple[str, str]:
    """Return the typed and picked addresses, sorted and joined by commas, and what is wrong, or ""."""
    found = set(picked)
    for part in re.split(r"[,;\n]", typed):
        bracketed = _IN_BRACKETS.fullmatch(part.strip())  # "Ada Frost (ada@post.test)"
        part = (bracketed[1] if bracketed else part).strip()
        if part:
            found.add(part)
    found = {part.lower() for part in found}
    for part in sorted(found):
        if not _ADDRESS.fullmatch(part):
            return "", f"'{part}' is not a mail address. Find people by name below."
    return ", ".join(sorted(found)), "" if len(found) <= 20 else "That is too many: at most 20 people."


def suggestions(visit: Visit) -> Markup:
    """Return people whose names or addresses match the field ``find``, and those picked before."""
    picked = visit.lists.get("pick", [])[:20]
    rows = [(name, email, company, True) for name, email, company in _contacts(visit, picked)]
    find = visit.text("find").split()
    if find:
        where = " AND ".join(["(name LIKE ? ESCAPE '!' OR email LIKE ? ESCAPE '!')"] * len(find[:5]))
        values = [like(word) for word in find[:5] for _ in range(2)]
        known = visit.rows(
            f"SELECT name, email, company FROM contact WHERE owner = ? AND {where} ORDER BY name, id LIMIT 8",
            visit.user,
            *values,
        )
        rows += [(name, email, company, False) for name, email, company in known if email not in picked]
    if not rows:
        return m.paragraph("No contact has that name.") if find else m.join()
    entries = []
    for name, email, company, checked in rows:
        box = m.void("input", type="checkbox", name="pick", value=email, checked=checked)
        entries.append([m.tag("label", box, " ", name), f" {email}", f", {company}" if company else ""])
    return m.items(entries)


def _contacts(visit: Visit, emails: list[str]) -> list[tuple[str, str, str]]:
    marks = ", ".join("?" * len(emails))
    known = visit.rows(
        f"SELECT name, email, company FROM contact WHERE owner = ? AND email IN ({marks}) ORDER BY name, id",
        visit.user,
        *emails,
    )
    return [*known, *((email, email, "") for email in emails if all(email != row[1] for row in known))]


def picker(visit: Visit) -> Markup:
    """Return a field that finds people while one types, with check boxes."""
    find = m.field(
        "Find people",
        "find",
        visit.text("find"),
        data_tw_get="/people",
        data_tw_target="people",
        data_tw_on="input",
        placeholder="Part of a name",
        autocomplete="off",
    )
    return m.join(find, m.tag("div", suggestions(visit), id="people"))


@contacts.page("/people", signed_in=True)
def people(visit: Visit) -> Answered:
    """Return what the picker shows."""
    return visit.fragment(suggestions(visit))


@contacts.page("/contacts", signed_in=True)
def show_contacts(visit: Visit) -> Answered:
    """List all contacts by name."""
    query = m.field(
        "Filter contacts",
        "q",
        visit.text("q"),
        type="search",
        data_tw_get="/contacts/found",
        data_tw_target="found",
        data_tw_on="input",
    )
    found = m.tag("div", _found(visit), id="found")
    form = m.form("/contacts", query, submit="Filter", method="get", role="search")
    return visit.show("Contacts", m.link("/contact/new", "New contact"), form, found)


@contacts.page("/contacts/found", signed_in=True)
def contacts_found(visit: Visit) -> Answered:
    """Return the list alone, while one types."""
    return visit.fragment(_found(visit))


def _found(visit: Visit) -> Markup:
    text = visit.text("q")[:100]
    where = "owner = ? AND (name LIKE ? ESCAPE '!' OR email LIKE ? ESCAPE '!' OR company LIKE ? ESCAPE '!')"
    values = (visit.user, *[like(text)] * 3)
    part = visit.part(visit.row(f"SELECT count(*) FROM contact WHERE {where}", *values), PAGE)
    rows = visit.rows(
        f"SELECT id, name, email, phone, company FROM contact WHERE {where} ORDER BY name, id{part.limit}", *values
    )
    if not rows:
        return m.paragraph("There are no such contacts.")
    table = m.table(
        ("Name", "E-mail", "Phone", "Company"),
        [(m.link(f"/contact/{id}", name), email, phone, company) for id, name, email, phone, company in rows],
    )
    path = f"/contacts?{urlencode({'q': text})}" if text else "/contacts"
    return m.join(table, part.links(path))


@contacts.page("/contact/{number:int}", signed_in=True)
def contact(visit: Visit, number: int) -> Answered:
    """Show one contact."""
    row = _contact(visit, number)
    links = (
        m.link(f"/contact/{number}/edit", "Edit"),
        " ",
        m.link(f"/compose?contact={number}", "Write mail"),
        " ",
        m.link(f"/search?{urlencode({'sender': row['email']})}", "Mails from this person"),
    )
    table = m.definitions((label, row[name]) for name, label in _LABELS.items())
    delete = m.post_button(f"/contact/{number}/delete", "Delete contact")
    return visit.show(row["name"], m.paragraph(links), table, delete)


def _contact(visit: Visit, number: int) -> dict[str, str]:
    row = visit.row(f"SELECT {', '.join(_LABELS)} FROM contact WHERE id = ? AND owner = ?", number, visit.user)
    return dict(zip(_LABELS, row, strict=True))


@contacts.page("/contact/new", signed_in=True)
@contacts.page("/contact/{number:int}/edit", signed_in=True)
def contact_edit(visit: Visit, number: int | None = None) -> Answered:
    """Show the form for a new contact, or for changing one."""
    row = {"name": "", "email": visit.text("email")} if number is None else _contact(visit, number)
    return _contact_form(visit, number or 0, row, {})


def _contact_form(visit: Visit, number: int, row: dict[str, str], wrong: dict[str, str]) -> Answered:
    fields = [m.field(label, name, row.get(name, ""), error=wrong.get(name, "")) for name, label in _LABELS.items()]
    path = f"/contact/{number}/edit" if number else "/contact/new"
    return visit.show("Edit contact" if number else "New contact", m.form(path, fields, submit="Save contact"))


@contacts.action("/contact/new")
@contacts.action("/contact/{number:int}/edit")
def contact_change(visit: Visit, number: int | None = None) -> Answered:
    """Add or change a contact."""
    if number is not None:
        _contact(visit, number)
    number = number or 0
    row = {name: visit.text(name)[:100] for name in _LABELS}
    row["email"] = row["email"].lower()
    wrong = {}
    if not row["name"]:
        wrong["name"] = "A contact needs a name."
    if not _ADDRESS.fullmatch(row["email"]):
        wrong["email"] = "That is not a mail address."
    elif visit.get("SELECT 1 FROM contact WHERE owner = ? AND email = ? AND id <> ?", visit.user, row["email"], number):
        wrong["email"] = "Another contact has that address."
    if row["phone"] and not _PHONE.fullmatch(row["phone"]):
        wrong["phone"] = "A phone number has only digits, spaces and + / ( ) -."
    if wrong:
        return _contact_form(visit, number, row, wrong)
    number = visit.save("contact", number, {"owner": visit.user}, **row)
    return visit.redirect(f"/contact/{number}", flash="The contact is saved.")


@contacts.action("/contact/{number:int}/delete")
def contact_delete(visit: Visit, number: int) -> Answered:
    """Delete a contact."""
    name = _contact(visit, number)["name"]
    visit.run("DELETE FROM contact WHERE id = ?", number)
    return visit.redirect("/contacts", flash=f"{name} was deleted from your contacts.")
