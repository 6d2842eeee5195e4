"""Harder tasks of the back office: several conditions, collapsed forms, facts from several pages."""

from typing import NamedTuple

from turnwise.worlds.web.site import (
    Draft,
    Draw,
    Plan,
    Said,
    Step,
    Tasks,
    World,
    back,
    check,
    click,
    delete,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.sites.crm.data import CATEGORIES
from turnwise.worlds.web.sites.crm.pages.reports import RETURNS, per_mille
from turnwise.worlds.web.sites.crm.tasks.everyday import REPORT
from turnwise.worlds.web.sites.listing import ROWS, grouped, tick

__all__ = ["hard"]

hard = Tasks()

_OPEN = "stage NOT IN ('Won', 'Lost')"


class _Deals(NamedTuple):
    """Open deals to hand over: their owner, lowest value, latest due date ("" for any), and ids."""

    owner: int
    name: str
    least: int
    before: str
    ids: list[int]


@hard.template(4)
def price_change(world: World, draw: Draw) -> Draft | None:
    """Ask for new prices of a brand and category; some tasks exclude expensive products, without a filter."""
    rows = world("crm").rows(
        "SELECT brand, category, id, sku, price FROM product WHERE active ORDER BY brand, category, name, id"
    )
    groups = {key: found for key, found in grouped(rows, 2).items() if len(found) > 1}
    if not groups:
        return None
    traps = world("crm").rows("SELECT DISTINCT brand, category FROM product WHERE NOT active")
    tempting = {key: found for key, found in groups.items() if key in traps}
    (brand, category), found = draw.choice(list((tempting or groups).items()))
    prices = sorted(price for *_, price in found)
    below = prices[draw.integer(min(2, len(prices) - 1), len(prices) - 1)] // 100
    cheap = [row for row in found if row[2] < below * 100]
    some = bool(cheap) and len(found) <= ROWS and draw.chance(0.7)
    percent = draw.choice((-20, -15, -10, -5, 5, 10, 15, 20))
    way = "Raise" if percent > 0 else "Lower"
    text = (
        f"{way} the prices of all active products of the brand {brand} in the category {category}"
        f"{f' that cost less than {below} EUR' * some} by {abs(percent)} percent. Disabled products keep their "
        "prices."
    )
    plan = (
        click("Products"),
        select("Brand", brand),
        select("Category", category),
        select("State", "Active"),
        click("Filter"),
        *tick([sku for _, sku, _ in (cheap if some else found)], others=some),
        select("Action", "Change price by percent"),
        fill("Value", str(percent)),
        click("Apply"),
    )
    changes = (
        update("crm.product", id, price=price * (100 + percent) // 100) for id, _, price in (cheap if some else found)
    )
    return Draft(text, plan, tuple(changes))


@hard.template(4)
def moderate_reviews(world: World, draw: Draw) -> Draft | None:
    """Ask to approve some reviews, delete others and leave the rest."""
    rows = world("crm").rows(
        "SELECT p.brand, r.stars, r.id FROM review r JOIN product p ON p.id = r.product WHERE r.status = "
        "'waiting' ORDER BY p.brand, r.stars, r.day, r.id"
    )
    good, bad = draw.choice((4, 5)), draw.choice((1, 2))
    groups = {key: found for key, found in grouped(rows, 1).items()
              if min(f[0] for f in found) <= bad and max(f[0] for f in found) >= good}  # fmt: skip
    if not groups:
        return None
    (brand,), found = draw.choice(list(groups.items()))
    up = "5 stars" if good == 5 else "4 or 5 stars"
    down = "1 star" if bad == 1 else "1 or 2 stars"
    text = (
        f"Go through the waiting reviews of products of the brand {brand}: approve those with {up}, delete those "
        f"with {down}, and leave the others waiting."
    )
    plan: list[Step] = [click("Reviews"), select("Brand", brand), select("Status", "Waiting")]
    changes = []
    for (stars,), ids in grouped(found, 1).items():
        if bad < stars < good:
            continue
        does = "Approve" if stars >= good else "Delete"
        names = [f"review {id}" for (id,) in ids]
        plan += [select("Stars", str(stars)), click("Filter"), *tick(names), select("Action", does), click("Apply")]
        for (id,) in ids:
            changes.append(
                update("crm.review", id, status="approved") if does == "Approve" else delete("crm.review", id)
            )
    return Draft(text, tuple(plan), tuple(changes))


@hard.template(4)
def product_with_variants(world: World, draw: Draw) -> Draft | None:
    """Ask to fill in a form of which a part is collapsed."""
    db = world("crm")
    brand, category = draw.choice(db.rows("SELECT DISTINCT brand, category FROM product ORDER BY 1, 2"))
    name = (
        f"{draw.choice(('Kilo', 'Pera', 'Sola', 'Tondo', 'Vito'))} "
        f"{draw.choice(('Classic', 'Deluxe', 'Junior', 'Plus'))}"
    )
    sku = f"{brand[:2].upper()}-{category[:2].upper()}-{draw.integer(20000, 29999)}"
    price, variants = (
        draw.integer(45, 900) * 20,
        draw.sample(("black", "green", "natural", "red", "white"), draw.integer(2, 3)),
    )
    stock = [draw.integer(1, 30) for _ in variants]
    listed = ", ".join(f"{v} ({s} in stock)" for v, s in zip(variants, stock, strict=True))
    text = (
        f'Create the product "{name}" of the brand {brand} in the category {category}: SKU {sku}, price '
        f"{money(price)} EUR, "
        f"with these variants: {listed}."
    )
    plan: list[Step] = [
        click("Products"),
        click("New product"),
        fill("SKU", sku),
        fill("Name", name),
        select("Brand", brand),
        select("Category", category),
        fill("Price (EUR)", money(price)),
        click("Add variants"),
    ]
    id, first = db.row("SELECT max(id) + 1, (SELECT coalesce(max(id), 0) FROM variant) FROM product")
    changes = [insert("crm.product", sku=sku, name=name, brand=brand, category=category, price=price, stock=sum(stock))]
    for n, (variant, count) in enumerate(zip(variants, stock, strict=True), 1):
        plan += [fill(f"Variant {n}", variant), fill(f"Stock of variant {n}", str(count))]
        changes.append(insert("crm.variant", id=first + n, product=id, name=Said(variant), stock=count))
    return Draft(text, (*plan, click("Save product")), tuple(changes))


def _deals_of(world: World, draw: Draw, condition: str) -> _Deals | None:
    """Draw one owner's deals from a value on, in some tasks due before a day, for which there is no filter."""
    rows = world("crm").rows(
        f"SELECT owner, value, due, id FROM deal WHERE {_OPEN} AND {condition} ORDER BY owner, value, id"
    )
    groups = {key: found for key, found in grouped(rows, 1).items() if len(found) > 2}
    if not groups:
        return None
    (owner,), found = draw.choice(list(groups.items()))
    least = found[draw.integer(1, len(found) - 2)][0]
    matching = [(due, id) for value, due, id in found if value >= least]
    days = sorted(due for due, _ in matching)
    before = days[draw.integer(min(2, len(days) - 1), len(days) - 1)]
    ids = [id for due, id in matching if due < before]
    if not ids or len(matching) > ROWS or draw.chance(0.3):
        before, ids = "", [id for _, id in matching]
    return _Deals(owner, world.cast.people[owner - 1].name, least // 100, before, ids)


def _reassign(draw: Draw, deals: _Deals, new: str) -> tuple[str, Plan]:
    old, least, before = deals.name, deals.least, deals.before
    text = draw.either(
        f"Hand over to {new} all deals of {old} that are neither won nor lost{',' if before else ' and'} are "
        f"worth at least {least} EUR{f' and are due before {before}' if before else ''}.",
        f"{new} takes over every deal of {old} with a value of {least} EUR or more"
        f"{f' that is due before {before}' if before else ''}, but not the won and lost "
        f"ones. Make {new} the owner.",
    )
    return text, (click("Deals"), select("Owner", old), select("Stage", "Not won or lost"),
                  fill("Value from (EUR)", str(least)), click("Filter"))  # fmt: skip


@hard.template(4)
def reassign_deals(world: World, draw: Draw) -> Draft | None:
    """Ask for a bulk edit under three or four conditions."""
    deals = _deals_of(world, draw, "1")
    if deals is None:
        return None
    new, name = draw.choice(
        world("crm").rows("SELECT id, name FROM account WHERE role = 'sales' AND id <> ? ORDER BY id", deals.owner)
    )
    text, plan = _reassign(draw, deals, name)
    ticks = tick([f"deal {id}" for id in deals.ids], others=bool(deals.before))
    plan = (*plan, *ticks, select("New owner", name), click("Apply"))
    return Draft(text, plan, tuple(update("crm.deal", id, owner=new) for id in deals.ids))


@hard.template(4, infeasible=True)
def reassign_to_former(world: World, draw: Draw) -> Draft | None:
    """Ask to give deals to somebody who has left the company: not possible."""
    deals = _deals_of(world, draw, "owner <> 6")
    if deals is None:
        return None
    new = world.cast.people[5].name
    text, plan = _reassign(draw, deals, new)
    return Draft(text, (*plan, click("Staff")), infeasible=f"{new} has left the company and cannot own deals.")


@hard.template(5)
def merge_customers(world: World, draw: Draw) -> Draft | None:
    """Ask to merge two entries; which is older stands in a column that must be chosen first."""
    db = world("crm")
    names = db.rows("SELECT name FROM customer GROUP BY name HAVING count(*) = 2 ORDER BY name")
    if not names:
        return None
    name = draw.choice(names)
    old, new = db.rows("SELECT id, email, town, since FROM customer WHERE name = ? ORDER BY since", name)
    email, town = draw.choice((("newer", "older"), ("older", "newer"), ("newer", "newer")))
    text = (
        f"{name} is in the list of customers twice. Merge the two entries: the entry that has been a customer for "
        f"longer stays, with the e-mail of the {email} entry and the town of the {town} entry."
    )
    plan = [
        click("Customers"),
        fill("Search", name),
        click("Choose columns"),
        check("Customer since"),
        click("Filter"),
        click(name, near=old[3]),
        click("Merge a duplicate"),
        click(f"{name}, {new[1]}"),
    ]
    values: dict[str, object] = {}
    for field, label, chosen, value in (("email", "e-mail", email, new[1]), ("town", "town", town, new[2])):
        if chosen == "newer":
            plan.append(select(f"Keep the {label} of", f"customer {new[0]}"))
            values[field] = value
    changes = [update("crm.customer", old[0], **values), delete("crm.customer", new[0])]
    for table in ("sale", "ticket"):
        ids = db.rows(f"SELECT id FROM {table} WHERE customer = ? ORDER BY id", new[0])
        changes += [update(f"crm.{table}", id, customer=old[0]) for id in ids]
    return Draft(text, (*plan, click("Merge now")), tuple(changes))


@hard.template(5)
def disable_returned(world: World, draw: Draw) -> Draft | None:
    """Ask to disable the products that a long report shows to be bad, page by page."""
    limits = draw.shuffled((18, 22, 27, 32, 38, 42, 47, 53, 58, 62, 72, 78, 85, 92))  # rates are seldom just so
    for category in draw.shuffled(CATEGORIES):
        rows = world("crm").rows(f"{RETURNS} ORDER BY p.name, p.id", category)
        for limit in limits:
            bad = [(id, name) for id, _, name, _, active, sold, back_ in rows if active and back_ * 100 > limit * sold]
            close = any(abs(per_mille(back_, sold) - limit * 10) <= 1 for *_, sold, back_ in rows)
            if 1 <= len(bad) <= 4 and not close:
                return _disable(category, limit, bad)
    return None


def _disable(category: str, limit: int, bad: list[tuple[int, str]]) -> Draft:
    text = f"Disable every product of the category {category} with a return rate above {limit} percent."
    plan: list[Step] = [*REPORT, click("Returns by product"), select("Category", category), click("Show report")]
    for place, (_, name) in enumerate(bad):
        plan += [*((back(),) if place else ()), click(name), click("Disable")]
    return Draft(text, tuple(plan), tuple(update("crm.product", id, active=0) for id, _ in bad))
