"""Tasks of the back office, up to level 3."""

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
    Plan,
    Said,
    Tasks,
    World,
    click,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.site.cast import phone_forms
from turnwise.worlds.web.sites.crm.data import KINDS, REGIONS
from turnwise.worlds.web.sites.crm.pages.people import CUSTOMER_ROWS
from turnwise.worlds.web.sites.listing import MONTHS, ROWS, grouped, tick

__all__ = ["REPORT", "everyday"]

everyday = Tasks()

_ONE_NAME = "(SELECT name FROM customer GROUP BY name HAVING count(*) = 1)"
REPORT = (click("Reports"), click("Close"))
_BY_MONTH = """
    SELECT substr(s.day, 1, 7), sum(s.total)
    FROM sale s JOIN customer c ON c.id = s.customer JOIN town w ON w.name = c.town
    WHERE s.status IN ('paid', 'shipped') AND w.region = ? AND substr(s.day, 1, 4) = ? GROUP BY 1 ORDER BY 1
"""


@everyday.template(1)
def ticket_priority(world: World, draw: Draw) -> Draft | None:
    """Ask to change one field of the page on which the task starts."""
    id, old = draw.choice(world("crm").rows("SELECT id, priority FROM ticket WHERE status <> 'closed' ORDER BY id"))
    new = draw.choice([p for p in ("Low", "Normal", "High", "Urgent") if p != old])
    text = draw.either(
        f"Set the priority of ticket {id} to {new}.", f"Ticket {id} should have the priority {new}. Change it."
    )
    plan = (select("Priority", new), click("Save"))
    return Draft(text, plan, (update("crm.ticket", id, priority=new),), start=f"http://crm.test/ticket/{id}")


@everyday.template(1)
def customer_phone(world: World, draw: Draw) -> Draft | None:
    """Ask for a cell of a list that is not on the start page."""
    rows = world("crm").rows(
        f"SELECT name, phone FROM (SELECT * FROM customer ORDER BY name, id LIMIT -1 OFFSET {CUSTOMER_ROWS}) WHERE "
        f"name IN {_ONE_NAME} ORDER BY id"
    )
    name, phone = draw.choice(rows)
    text = draw.either(f"What is the phone number of the customer {name}?",
                        f"Look up the customer {name} and tell me the phone number.")  # fmt: skip
    plan = (fill("Search", name), click("Filter"))
    return Draft(text, plan, answer=Answer.of("text", *phone_forms(phone)), start="http://crm.test/customers")


@everyday.template(2)
def note_on_ticket(world: World, draw: Draw) -> Draft | None:
    """Ask for a note on a ticket found by its customer and subject."""
    rows = world("crm").rows(
        "SELECT min(t.id), t.subject, c.name FROM ticket t JOIN customer c ON c.id = t.customer GROUP BY c.name, "
        "t.subject HAVING count(*) = 1 ORDER BY 1"
    )
    id, subject, name = draw.choice(rows)
    words = draw.either(
        f"Offered {draw.integer(5, 40)} EUR off the next order",
        f"Will call back on day {draw.integer(2, 9)}",
        f"Replacement sent, parcel number {draw.integer(10000, 99999)}",
    )
    text = f'Add a note to the ticket "{subject}" of the customer {name}. The note reads: {words}'
    plan = (click("Tickets"), fill("Search", name), click("Filter"), click(f"{id} {subject}", via="Next"),
            fill("New note", words), click("Add note"))  # fmt: skip
    at = world.now.strftime("%Y-%m-%d %H:%M")
    change = insert("crm.note", ticket=id, author=world.cast.user.name, text=Said(words), at=at)
    return Draft(text, plan, (change,))


@everyday.template(2)
def customer_moved(world: World, draw: Draw) -> Draft | None:
    """Ask to change two fields of a form."""
    db = world("crm")
    rows = db.rows(f"SELECT id, name, town FROM customer WHERE name IN {_ONE_NAME} ORDER BY id")
    id, name, old = draw.choice(rows)
    town = draw.choice([t for t in sorted(world.cast.towns) if t != old])
    phone = f"0{draw.integer(800, 899)} {draw.integer(1000, 9999)}"
    text = draw.either(
        f"The customer {name} has moved to {town} and has a new phone number, {phone}. Correct the entry.",
        f"Change the town of the customer {name} to {town} and the phone number to {phone}.",
    )  # fmt: skip
    plan = (
        click("Customers"),
        fill("Search", name),
        click("Filter"),
        click(name),
        click("Edit"),
        fill("Phone", phone),
        select("Town", town),
        click("Save"),
    )
    return Draft(text, plan, (update("crm.customer", id, town=town, phone=phone),))


@everyday.template(2)
def change_role(world: World, draw: Draw) -> Draft | None:
    """Ask for a change of role that a manager may make."""
    rows = world("crm").rows("SELECT id, name, role FROM account WHERE role IN ('sales', 'support') ORDER BY id")
    id, name, old = draw.choice(rows)
    new = "support" if old == "sales" else "sales"
    text = _role(name, new)
    return Draft(text, _new_role(name, new), (update("crm.account", id, role=new),))


@everyday.template(2, infeasible=True)
def change_role_refused(world: World, draw: Draw) -> Draft | None:
    """Ask to change the role of an administrator, or of somebody who has left: not possible."""
    name, old = draw.choice(
        world("crm").rows("SELECT name, role FROM account WHERE role IN ('admin', 'former') ORDER BY id")
    )
    new = draw.choice(("sales", "support", "support"))  # as often as in `change_role`
    text = _role(name, new)
    if old == "former":
        return Draft(text, (click("Staff"),), infeasible=f"{name} has left the company.")
    return Draft(
        text, _new_role(name, new), infeasible="Only an administrator may take the role Administrator from somebody."
    )


def _role(name: str, new: str) -> str:
    return f"{name} is moving to another team. Set the role of {name} to {new.capitalize()}."


@everyday.template(2)
def count_orders(world: World, draw: Draw) -> Draft | None:
    """Ask for a count under four filters, drawn so that all counts are about equally likely."""
    rows = world("crm").rows("SELECT status, day, total FROM sale ORDER BY status, day, id")
    wanted, groups = draw.integer(4, 20), grouped(rows, 1)
    for (status,) in draw.shuffled(list(groups)):
        least = draw.choice((50, 100, 150, 200, 250, 300, 400, 500))
        days = [day for day, total in groups[status,] if total >= least * 100]
        if len(days) >= wanted:
            break
    else:
        return None
    start = draw.integer(0, len(days) - wanted)
    first, last = days[start], days[start + wanted - 1]
    count = sum(first <= day <= last for day in days)
    text = (
        f"How many orders from {first} to {last} (both days included) that came to {least} EUR or more have the "
        f"status {status}? Answer with the number."
    )
    plan = (click("Orders"), select("Status", status), fill("From", first), fill("To (included)", last),
            fill("Total from (EUR)", str(least)), click("Filter"))  # fmt: skip
    return Draft(text, plan, answer=Answer.of("number", count))


@everyday.template(2)
def best_month(world: World, draw: Draw) -> Draft | None:
    """Ask which month of a report has the highest figure."""
    region, year = draw.choice(REGIONS), str(world.now.year - draw.integer(0, 1))
    rows = world("crm").rows(_BY_MONTH, region, year)
    if len(rows) < 2:
        return None
    text = draw.either(
        f"How much revenue (paid and shipped orders) did the region {region} bring in its best month of "
        f"{year}, in EUR?",
        f"Take the month of {year} in which the revenue (paid and shipped orders) of the region {region} was "
        "highest. How much was it in that month?",
    )
    plan = (*REPORT, select("Region", region), select("Year", year), click("Show report"))
    return Draft(text, plan, answer=Answer.of("money", money(max(total for _, total in rows))))


@everyday.template(2)
def revenue(world: World, draw: Draw) -> Draft | None:
    """Ask for one figure of a report."""
    region, year = draw.choice(REGIONS), str(world.now.year - draw.integer(0, 1))
    rows = world("crm").rows(_BY_MONTH, region, year)
    if len(rows) < 2:
        return None
    month, total = draw.choice(rows)
    when = f"{MONTHS[int(month[5:]) - 1]} {year}"
    text = draw.either(
        f"How much revenue (paid and shipped orders) did the region {region} bring in {when}, in EUR?",
        f"What was the revenue of {when} in the region {region}? Paid and shipped orders count.",
    )
    plan = (*REPORT, select("Region", region), select("Year", year), click("Show report"))
    return Draft(text, plan, answer=Answer.of("money", money(total)))


@everyday.template(3)
def most_cancellations(world: World, draw: Draw) -> Draft | None:
    """Ask about the first customer of a report, whose page must be opened."""
    for year in draw.shuffled(("", str(world.now.year), str(world.now.year - 1))):
        rows = world("crm").rows(
            "SELECT c.name, c.phone, count(*) FROM sale s JOIN customer c ON c.id = s.customer WHERE s.status = "
            "'cancelled' AND s.day LIKE ? GROUP BY c.id ORDER BY 3 DESC, c.id",
            f"{year}%",
        )
        counts = grouped([(name, count) for name, _, count in rows], 1)
        sums = sorted((sum(n for (n,) in found) for found in counts.values()), reverse=True)
        if len(sums) > 2 and sums[1] < sums[0] <= sums[1] + 2 and rows[0][2] == sums[0]:
            break
    else:
        return None
    name, phone, _ = rows[0]
    when = f"in {year}" if year else "so far"
    text = f"Which customer has the most cancelled orders {when}? Answer with the phone number of the customer."
    plan = (*REPORT, select("Group by", "Customer"), select("Orders", "Cancelled orders"),
            *((select("Year", year),) if year else ()), click("Show report"), click(name))  # fmt: skip
    return Draft(text, plan, answer=Answer.of("text", *phone_forms(phone)))


@everyday.template(3)
def restock(world: World, draw: Draw) -> Draft | None:
    """Ask for a bulk edit under three conditions; if possible, a disabled product meets the other two."""
    below, level = draw.choice((5, 8, 10, 15)), draw.integer(3, 12) * 10
    rows = world("crm").rows(
        "SELECT category, id, sku FROM product WHERE active AND stock < ? ORDER BY category, name, id", below
    )
    groups = {key: found for key, found in grouped(rows, 1).items() if len(found) > 1}
    if not groups:
        return None
    traps = world("crm").rows("SELECT DISTINCT category FROM product WHERE NOT active AND stock < ?", below)
    tempting = {key: found for key, found in groups.items() if key[0] in traps}
    (category,), found = draw.choice(list((tempting or groups).items()))
    text = (
        f"Set the stock of every active product of the category {category} that has fewer than {below} units to "
        f"{level}. Leave disabled products as they are."
    )
    plan = (
        click("Products"),
        select("Category", category),
        fill("Stock below", str(below)),
        select("State", "Active"),
        click("Filter"),
        *tick([sku for _, sku in found]),
        select("Action", "Set stock to"),
        fill("Value", str(level)),
        click("Apply"),
    )
    return Draft(text, plan, tuple(update("crm.product", id, stock=level) for id, _ in found))


def _cancel(draw: Draw, name: str) -> tuple[str, Plan]:
    text = draw.either(
        f"Cancel all pending orders of the customer {name}.",
        f"The customer {name} no longer wants the orders that are still pending. Cancel all of these.",
    )
    return text, (click("Orders"), fill("Customer name", name), select("Status", "pending"), click("Filter"))


@everyday.template(3)
def cancel_pending(world: World, draw: Draw) -> Draft | None:
    """Ask to cancel a customer's pending orders, whose goods go back into stock."""
    db = world("crm")
    rows = db.rows(
        "SELECT c.name, s.id FROM sale s JOIN customer c ON c.id = s.customer WHERE s.status = 'pending' AND "
        f"c.name IN {_ONE_NAME} ORDER BY c.id, s.day, s.id"
    )
    groups = grouped(rows, 1)
    several = {key: found for key, found in groups.items() if len(found) > 1} or groups
    if not several:
        return None
    (name,), found = draw.choice(list(several.items()))
    ids = [id for (id,) in found]
    marks = ", ".join("?" * len(ids))
    goods = db.rows(
        "SELECT p.id, p.stock + sum(l.quantity) FROM line l JOIN product p ON p.id = l.product WHERE l.sale IN "
        f"({marks}) GROUP BY p.id ORDER BY p.id",
        *ids,
    )
    text, plan = _cancel(draw, name)
    plan = (
        *plan,
        *tick([f"order {id}" for id in ids]),
        select("Action", "Cancel (pending orders only)"),
        click("Apply"),
    )
    changes = [update("crm.sale", id, status="cancelled") for id in ids]
    return Draft(text, plan, (*changes, *(update("crm.product", id, stock=stock) for id, stock in goods)))


@everyday.template(3, infeasible=True)
def cancel_unknown(world: World, draw: Draw) -> Draft | None:
    """Ask to cancel orders of an unknown customer, who shares a name with others."""
    names = [
        tuple(name.split(" ", 1))
        for name in world("crm").rows("SELECT name FROM customer WHERE segment = 'Private' ORDER BY id")
    ]
    first, last = next(
        ((first, last) for (first, _), (_, last) in zip(draw.sample(names, 12), draw.sample(names, 12), strict=True)
         if (first, last) not in names)
    )  # fmt: skip
    text, plan = _cancel(draw, f"{first} {last}")
    plan = (*plan, click("Customers"), fill("Search", f"{first} {last}"), click("Filter"))
    return Draft(text, plan, infeasible=f"There is no customer named {first} {last}.")


@everyday.template(3)
def close_tickets(world: World, draw: Draw) -> Draft | None:
    """Ask to close tickets of a kind before a day, in some tasks with an exception that no filter knows."""
    db = world("crm")
    for kind in draw.shuffled(KINDS):
        days = db.rows("SELECT opened FROM ticket WHERE kind = ? AND status <> 'closed' ORDER BY opened, id", kind)
        if len(days) > 2 and days[0] < days[2]:
            break
    else:
        return None
    before = days[draw.integer(2, len(days) - 1)]
    rows = db.rows(
        "SELECT id, priority FROM ticket WHERE kind = ? AND status <> 'closed' AND opened < ? ORDER BY id", kind, before
    )
    ids = [id for id, priority in rows if priority != "High"]
    some = 0 < len(ids) < len(rows) <= ROWS and draw.chance(0.7)
    ids = ids if some else [id for id, _ in rows]
    text = draw.either(
        f"Close all tickets of the kind {kind} that were opened before {before} and are not closed yet"
        f"{', except those with the priority High' * some}.",
        f"Every open or waiting ticket of the kind {kind} from before {before} should be closed"
        f"{', unless its priority is High' * some}.",
    )
    plan = (
        click("Tickets"),
        select("Kind", kind),
        select("Status", "Not closed"),
        fill("Opened before", before),
        click("Filter"),
        *tick([f"ticket {id}" for id in ids], others=some),
        select("Action", "Close"),
        click("Apply"),
    )
    return Draft(text, plan, tuple(update("crm.ticket", id, status="closed") for id in ids))


def _new_role(name: str, new: str) -> Plan:
    return click("Staff"), select(f"New role of {name}", new.capitalize()), click(f"Save the role of {name}")
