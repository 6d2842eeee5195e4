"""Customers and merging them, tickets, deals, and the staff."""

import re

from turnwise.worlds.web.site import Answered, NotFound, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.crm.data import KINDS, PRIORITIES, REGIONS, ROLES, SEGMENTS, STAGES
from turnwise.worlds.web.sites.crm.pages.access import euros, history, log, needs, order_name, role_of, staff
from turnwise.worlds.web.sites.listing import Listing, bulk_form, chosen, tabs

__all__ = ["CUSTOMER_ROWS", "people"]

people = Pages()

_EMAIL = re.compile(r"[a-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)
_COLUMNS = (("email", "E-mail"), ("phone", "Phone"), ("town", "Town"), ("region", "Region"), ("segment", "Segment"),
            ("owner", "Account manager"), ("since", "Customer since"))  # fmt: skip
CUSTOMER_ROWS = 15
TICKET_STATES = (("open", "Open"), ("waiting", "Waiting"), ("closed", "Closed"))


# ---- customers --------------------------------------------------------------------------------------------------


@people.page("/customers", signed_in=True)
def customers(visit: Visit) -> Answered:
    """Show the list of customers, with a choice of columns."""
    needs(visit, "customers")
    source = "customer t JOIN town w ON w.name = t.town JOIN account a ON a.id = t.owner"
    found = Listing(
        visit, "/customers", source, {"name": "t.name", "town": "t.town", "since": "t.since"}, CUSTOMER_ROWS
    )
    found.search("q", "t.name", "t.email", "t.phone")
    region, segment = found.equal("region", "w.region"), found.equal("segment", "t.segment")
    names = dict(_COLUMNS)
    columns = [c for c in found.several("column") if c in names] or ["email", "phone", "town"]
    wanted = {"region": "w.region", "owner": "a.name"}
    rows = found.rows(", ".join(["t.id", "t.name", *(wanted.get(c, f"t.{c}") for c in columns)]))
    heads = [found.header(c, names[c]) if c in ("town", "since") else names[c] for c in columns]
    pick = [m.checkbox(text, "column", c in columns, c) for c, text in _COLUMNS]
    more = m.panel("more", m.tag("fieldset", m.tag("legend", "Columns"), pick))
    filters = found.form(
        m.field("Search", "q", visit.text("q"), type="search"),
        m.choices("Region", "region", [("", "All"), *REGIONS], region),
        m.choices("Segment", "segment", [("", "All"), *SEGMENTS], segment),
        m.button("Choose columns", type="button", data_tw_toggle="more", aria_expanded="false"),
        more,
    )
    body = [(m.link(f"/customer/{id}", name), *cells) for id, name, *cells in rows]
    table = m.table((found.header("name", "Name"), *heads), body) if rows else m.paragraph("No customer matches.")
    return visit.show("Customers", filters, m.paragraph(found.count("customer")), table, found.pager())


@people.page("/customer/{id:int}", signed_in=True)
def customer(visit: Visit, id: int) -> Answered:
    """Show a customer's data, orders, tickets and history in tabs."""
    needs(visit, "customers")
    row = visit.row("SELECT t.*, w.region, a.name FROM customer t JOIN town w ON w.name = t.town "
                    "JOIN account a ON a.id = t.owner WHERE t.id = ?", id)  # fmt: skip
    _, name, email, phone, town, segment, _, since, remark, region, owner = row
    data = m.definitions(
        [("Customer number", str(id)), ("E-mail", email), ("Phone", phone), ("Town", f"{town} ({region})"),
         ("Segment", segment), ("Account manager", owner), ("Customer since", since), ("Remark", remark or "-")]
    )  # fmt: skip
    sales = visit.rows("SELECT id, day, status, total FROM sale WHERE customer = ? ORDER BY id DESC LIMIT 8", id)
    orders = m.join(
        m.table(
            ("Order", "Day", "Status", "Total"),
            [(m.link(f"/order/{s}", order_name(s)), day, status, euros(total)) for s, day, status, total in sales],
            empty="No orders.",
        ),
        m.link(f"/orders?customer={id}", "All orders of this customer"),
    )
    rows = visit.rows("SELECT id, subject, kind, status FROM ticket WHERE customer = ? ORDER BY id DESC LIMIT 8", id)
    tickets = m.table(("Ticket", "Kind", "Status"),
                      [(m.link(f"/ticket/{t}", f"{t} {s}"), k, state) for t, s, k, state in rows])  # fmt: skip
    panels = [("data", "Overview", data), ("orders", "Orders", orders),
              ("tickets", "Tickets", tickets if rows else m.paragraph("No tickets.")),
              ("history", "History", history(visit, f"customer {id}"))]  # fmt: skip
    links = m.items([m.link(f"/customer/{id}/edit", "Edit"), m.link(f"/customer/{id}/merge", "Merge a duplicate")])
    return visit.show(name, links, tabs("customer", panels))


@people.page("/customer/{id:int}/edit", signed_in=True)
def edit_customer(visit: Visit, id: int) -> Answered:
    """Show the form for changing a customer."""
    needs(visit, "customers")
    names = ("name", "email", "phone", "town", "segment", "remark")
    row = visit.row(f"SELECT {', '.join(names)} FROM customer WHERE id = ?", id)
    return _customer_form(visit, id, dict(zip(names, row, strict=True)), {})


def _customer_form(visit: Visit, id: int, value: dict[str, str], wrong: dict[str, str]) -> Answered:
    towns = visit.rows("SELECT name FROM town ORDER BY name")
    return visit.show(
        "Edit customer",
        m.form(
            f"/customer/{id}/edit",
            m.field("Name", "name", value["name"], error=wrong.get("name", "")),
            m.field("E-mail", "email", value["email"], error=wrong.get("email", "")),
            m.field("Phone", "phone", value["phone"], error=wrong.get("phone", "")),
            m.choices("Town", "town", towns, value["town"], error=wrong.get("town", "")),
            m.choices("Segment", "segment", SEGMENTS, value["segment"], error=wrong.get("segment", "")),
            m.area("Remark", "remark", value["remark"]),
        ),
        m.link(f"/customer/{id}", "Cancel"),
    )


@people.action("/customer/{id:int}/edit")
def save_customer(visit: Visit, id: int) -> Answered:
    """Check the form and save a customer."""
    needs(visit, "customers")
    visit.row("SELECT id FROM customer WHERE id = ?", id)
    value = {name: visit.text(name) for name in ("name", "email", "phone", "town", "segment", "remark")}
    wrong = {}
    if not 1 <= len(value["name"]) <= 60:
        wrong["name"] = "A customer needs a name of at most 60 characters."
    if not _EMAIL.fullmatch(value["email"]):
        wrong["email"] = "Write the e-mail as name@host.test, in lower case."
    elif visit.get("SELECT id FROM customer WHERE email = ? AND id <> ?", value["email"], id) is not None:
        wrong["email"] = "Another customer has this e-mail."
    if not re.fullmatch(r"0[0-9]{3} [0-9]{4}", value["phone"]):
        wrong["phone"] = "Write the phone number as 0123 4567."
    if visit.get("SELECT name FROM town WHERE name = ?", value["town"]) is None:
        wrong["town"] = "Choose a town."
    if value["segment"] not in SEGMENTS:
        wrong["segment"] = "Choose a segment."
    if wrong:
        return _customer_form(visit, id, value, wrong)
    visit.change("customer", id, **value)
    log(visit, f"customer {id}", "data changed")
    return visit.redirect(f"/customer/{id}", flash="The customer has been saved.")


# ---- merging ----------------------------------------------------------------------------------------------------


@people.page("/customer/{id:int}/merge", signed_in=True)
def merge(visit: Visit, id: int) -> Answered:
    """Ask for a customer's duplicate."""
    needs(visit, "customers")
    name = visit.row("SELECT name FROM customer WHERE id = ?", id)
    found = Listing(visit, f"/customer/{id}/merge", "customer t", {"name": "t.name"}, 10)
    found.where("t.id <> ?", id)
    words = found.search("q", "t.name", "t.email", "t.phone") or name
    if not found.given.get("q"):
        found.where("t.name = ?", name)
    rows = [
        (f"{other}", m.link(f"/customer/{id}/merge/{other}", f"{called}, {email}"), since)
        for other, called, email, since in found.rows("t.id, t.name, t.email, t.since")
    ]
    table = m.table(("Number", "Customer", "Customer since"), rows) if rows else m.paragraph("No customer matches.")
    return visit.show(
        f"Merge a duplicate into {name}",
        m.paragraph(f"Customer {id} ({name}) stays. Choose the entry that will be merged into it and deleted."),
        m.search_form(f"/customer/{id}/merge", words, "Search customers"),
        table,
    )


@people.page("/customer/{id:int}/merge/{other:int}", signed_in=True)
def confirm_merge(visit: Visit, id: int, other: int) -> Answered:
    """Show both customers side by side."""
    needs(visit, "customers")
    if id == other:
        raise NotFound
    pair = [visit.row("SELECT id, name, email, phone, town, since FROM customer WHERE id = ?", i) for i in (id, other)]
    counts = [visit.row(f"SELECT count(*) FROM {table} WHERE customer = ?", other) for table in ("sale", "ticket")]
    heads = ("Number", "Name", "E-mail", "Phone", "Town", "Customer since")
    rows = [(head, str(one), str(two)) for head, one, two in zip(heads, *pair, strict=True)]
    sides = [("keep", f"customer {id}"), ("take", f"customer {other}")]
    return visit.show(
        "Confirm the merge",
        m.table(("", "Stays", "Will be deleted"), rows),
        m.paragraph(
            f"Customer {id} gets {m.counted(counts[0], 'order')} and {m.counted(counts[1], 'ticket')} of customer "
            f"{other}."
        ),
        m.form(
            f"/customer/{id}/merge/{other}",
            m.choices("Keep the e-mail of", "email", sides, "keep"),
            m.choices("Keep the town of", "town", sides, "keep"),
            submit="Merge now",
        ),
        m.link(f"/customer/{id}", "Cancel"),
    )


@people.action("/customer/{id:int}/merge/{other:int}")
def do_merge(visit: Visit, id: int, other: int) -> Answered:
    """Move what belongs to the duplicate, and delete it."""
    needs(visit, "customers")
    visit.row("SELECT id FROM customer WHERE id = ?", id)
    email, town = visit.row("SELECT email, town FROM customer WHERE id = ?", other)
    if id == other:
        raise NotFound
    for table in ("sale", "ticket"):
        visit.run(f"UPDATE {table} SET customer = ? WHERE customer = ?", id, other)
    visit.run("DELETE FROM customer WHERE id = ?", other)
    if visit.text("email") == "take":
        visit.change("customer", id, email=email)
    if visit.text("town") == "take":
        visit.change("customer", id, town=town)
    log(visit, f"customer {id}", f"customer {other} merged into this one")
    return visit.redirect(f"/customer/{id}", flash=f"Customer {other} has been merged into this one.")


# ---- tickets ----------------------------------------------------------------------------------------------------


def _tickets(visit: Visit) -> Listing:
    source = "ticket t JOIN customer c ON c.id = t.customer"
    found = Listing(visit, "/tickets", source, {"number": "t.id", "opened": "t.opened", "subject": "t.subject"})
    found.search("q", "t.subject", "c.name", "t.body")
    found.equal("kind", "t.kind")
    status = found.param("status")
    if status == "active":
        found.where("t.status <> 'closed'")
    elif status:
        found.where("t.status = ?", status)
    found.equal("priority", "t.priority")
    found.limit("before", "t.opened < ?", "date")
    return found


@people.page("/tickets", signed_in=True)
def tickets(visit: Visit) -> Answered:
    """Show the list of tickets, with bulk edit."""
    needs(visit, "tickets")
    found = _tickets(visit)
    filters = found.form(
        m.field("Search", "q", visit.text("q"), type="search"),
        m.choices("Kind", "kind", [("", "All"), *KINDS], visit.text("kind")),
        m.choices("Status", "status", [("", "All"), ("active", "Not closed"), *TICKET_STATES], visit.text("status")),
        m.choices("Priority", "priority", [("", "All"), *PRIORITIES], visit.text("priority")),
        m.date_field("Opened before", "before", visit.text("before"), error=found.errors.get("before", "")),
    )
    rows = [
        (id, f"ticket {id}", (m.link(f"/ticket/{id}", f"{id} {subject}"), name, kind, priority, status, opened, body))
        for id, subject, name, kind, priority, status, opened, body in found.rows(
            "t.id, t.subject, c.name, t.kind, t.priority, t.status, t.opened, t.body"
        )
    ]
    heads = (found.header("number", "Ticket"), "Customer", "Kind", "Priority", "Status",
             found.header("opened", "Opened"), "Message")  # fmt: skip
    does = [("", "Choose"), ("close", "Close"), ("high", "Set priority to High"), ("wait", "Set to Waiting")]
    bulk = bulk_form(found, "/tickets/bulk", heads, rows, m.choices("Action", "do", does), "No ticket matches.")
    return visit.show("Tickets", filters, m.paragraph(found.count("ticket")), bulk)


@people.action("/tickets/bulk")
def bulk_tickets(visit: Visit) -> Answered:
    """Change all ticked tickets."""
    needs(visit, "tickets")
    found = _tickets(visit)
    change = {"close": "status = 'closed'", "high": "priority = 'High'", "wait": "status = 'waiting'"}.get(
        visit.text("do")
    )
    ids = chosen(visit, found)
    if change is None or not ids:
        return visit.redirect(found.href(), flash="Tick at least one ticket and choose an action.")
    for id in ids:
        visit.run(f"UPDATE ticket SET {change} WHERE id = ?", id)
        log(visit, f"ticket {id}", change)
    return visit.redirect(found.href(), flash=f"{m.counted(len(ids), 'ticket')} changed.")


@people.page("/ticket/{id:int}", signed_in=True)
def ticket(visit: Visit, id: int) -> Answered:
    """Show a ticket's message, notes and what can be changed."""
    return _ticket(visit, id, "")


def _ticket(visit: Visit, id: int, error: str) -> Answered:
    needs(visit, "tickets")
    customer, name, subject, body, kind, priority, status, assignee, opened = visit.row(
        "SELECT c.id, c.name, t.subject, t.body, t.kind, t.priority, t.status, t.assignee, t.opened FROM ticket "
        "t JOIN customer c ON c.id = t.customer WHERE t.id = ?", id)  # fmt: skip
    notes = visit.rows("SELECT author, at, text FROM note WHERE ticket = ? ORDER BY id", id)
    staff = _handlers(visit, assignee)
    return visit.show(
        f"Ticket {id}: {subject}",
        m.definitions([("Customer", m.link(f"/customer/{customer}", name)), ("Kind", kind), ("Opened", opened)]),
        m.section("Message", m.rich(body)),
        m.section(
            "Notes",
            [m.card(m.paragraph(m.tag("b", author), f", {at}"), m.rich(text)) for author, at, text in notes]
            or m.paragraph("No notes yet."),
        ),
        m.form(f"/ticket/{id}/note", m.area("New note", "text", visit.text("text"), error=error), submit="Add note"),
        m.section(
            "Handling",
            m.form(
                f"/ticket/{id}",
                m.choices("Priority", "priority", PRIORITIES, priority),
                m.choices("Status", "status", TICKET_STATES, status),
                m.choices("Assignee", "assignee", staff, assignee),
            ),
        ),
    )


def _handlers(visit: Visit, now: int) -> list[tuple[int, str]]:
    """Return who may have a ticket, and who has it now."""
    return visit.rows("SELECT id, name FROM account WHERE role IN ('support', 'manager') OR id = ? ORDER BY id", now)


@people.action("/ticket/{id:int}")
def save_ticket(visit: Visit, id: int) -> Answered:
    """Save a ticket's priority, status and assignee."""
    needs(visit, "tickets")
    now = visit.row("SELECT assignee FROM ticket WHERE id = ?", id)
    priority, status, who = visit.text("priority"), visit.text("status"), visit.whole("assignee")
    known = who in dict(_handlers(visit, now))
    if priority not in PRIORITIES or status not in dict(TICKET_STATES) or not known:
        return visit.redirect(f"/ticket/{id}", flash="Nothing was saved: choose from the lists.")
    visit.change("ticket", id, priority=priority, status=status, assignee=who)
    log(visit, f"ticket {id}", f"{priority}, {status}")
    return visit.redirect(f"/ticket/{id}", flash="The ticket has been saved.")


@people.action("/ticket/{id:int}/note")
def add_note(visit: Visit, id: int) -> Answered:
    """Add a note in the visitor's name."""
    needs(visit, "tickets")
    text = visit.text("text")
    visit.row("SELECT id FROM ticket WHERE id = ?", id)
    if not 1 <= len(text) <= 2000:
        return _ticket(visit, id, "A note has 1 to 2000 characters.")
    name = visit.row("SELECT name FROM account WHERE id = ?", visit.user)
    at = visit.now.strftime("%Y-%m-%d %H:%M")
    visit.add("note", ticket=id, author=name, text=text, at=at)
    return visit.redirect(f"/ticket/{id}", flash="The note has been added.")


# ---- deals ------------------------------------------------------------------------------------------------------


def _deals(visit: Visit) -> Listing:
    source = "deal t JOIN account a ON a.id = t.owner"
    found = Listing(visit, "/deals", source, {"due": "t.due", "value": "t.value", "title": "t.title"})
    found.search("q", "t.title")
    found.limit("owner", "t.owner = ?", "whole")
    stage = found.param("stage")
    if stage == "open":
        found.where("t.stage NOT IN ('Won', 'Lost')")
    elif stage:
        found.where("t.stage = ?", stage)
    found.limit("least", "t.value >= ?", "money")
    return found


@people.page("/deals", signed_in=True)
def deals(visit: Visit) -> Answered:
    """Show the list of deals, with bulk edit."""
    needs(visit, "deals")
    found = _deals(visit)
    filters = found.form(
        m.field("Search", "q", visit.text("q"), type="search"),
        m.choices("Owner", "owner", [("", "All"), *staff(visit, "sales", "former")], visit.text("owner")),
        m.choices("Stage", "stage", [("", "All"), ("open", "Not won or lost"), *STAGES], visit.text("stage")),
        m.number_field("Value from (EUR)", "least", visit.text("least"), error=found.errors.get("least", "")),
    )
    rows = [
        (id, f"deal {id}", (str(id), title, euros(value), stage, owner, due))
        for id, title, value, stage, owner, due in found.rows("t.id, t.title, t.value, t.stage, a.name, t.due")
    ]
    heads = ("Number", found.header("title", "Deal"), found.header("value", "Value"), "Stage", "Owner",
             found.header("due", "Due"))  # fmt: skip
    does = m.choices("New owner", "new_owner", [("", "Unchanged"), *staff(visit, "sales")])
    stages = m.choices("New stage", "new_stage", [("", "Unchanged"), *STAGES])
    bulk = bulk_form(found, "/deals/bulk", heads, rows, [does, stages], "No deal matches.")
    return visit.show("Deals", filters, m.paragraph(found.count("deal")), bulk)


@people.action("/deals/bulk")
def bulk_deals(visit: Visit) -> Answered:
    """Change the owner or the stage of deals."""
    needs(visit, "deals")
    found = _deals(visit)
    ids, owner, stage = chosen(visit, found), visit.text("new_owner"), visit.text("new_stage")
    known = {str(id) for id, _ in staff(visit, "sales")}
    if not ids or owner not in {"", *known} or stage not in {"", *STAGES} or not (owner or stage):
        return visit.redirect(found.href(), flash="Tick at least one deal and choose an owner or a stage.")
    for id in ids:
        if owner:
            visit.change("deal", id, owner=int(owner))
        if stage:
            visit.change("deal", id, stage=stage)
        log(visit, f"deal {id}", "owner or stage changed")
    return visit.redirect(found.href(), flash=f"{m.counted(len(ids), 'deal')} changed.")


# ---- staff ------------------------------------------------------------------------------------------------------


@people.page("/staff", signed_in=True)
def staff_page(visit: Visit) -> Answered:
    """List the staff with their roles."""
    needs(visit, "staff")
    rows = visit.rows("SELECT id, name, email, role FROM account WHERE role <> 'member' ORDER BY name, id")
    body = [(name, email, ROLES[role], _role_form(id, name, role)) for id, name, email, role in rows]
    return visit.show("Staff", m.table(("Name", "E-mail", "Role", "Change the role"), body))


def _role_form(id: int, name: str, role: str) -> Markup:
    if role == "former":
        return m.tag("span", "-")
    options = [(key, text) for key, text in ROLES.items() if key != "former"]
    save = m.button("Save", aria_label=f"Save the role of {name}")
    role_field = m.choices(f"New role of {name}", "role", options, role)
    return m.form(f"/staff/{id}", role_field, save, submit=None, class_="inline")


@people.action("/staff/{id:int}")
def save_role(visit: Visit, id: int) -> Answered:
    """Change a role: managers move people between sales and support, administrators do the rest."""
    needs(visit, "staff")
    old = visit.row("SELECT role FROM account WHERE id = ? AND role NOT IN ('member', 'former')", id)
    new = visit.text("role")
    if new not in ROLES or new == "former":
        return visit.redirect("/staff", flash="Nothing was saved: choose a role.")
    if role_of(visit) != "admin" and {old, new} - {"sales", "support"}:
        raise Refused("Only an administrator may give or take the roles Manager and Administrator. You are a manager.")
    visit.change("account", id, role=new)
    log(visit, f"account {id}", f"role {new}")
    return visit.redirect("/staff", flash="The role has been saved.")
