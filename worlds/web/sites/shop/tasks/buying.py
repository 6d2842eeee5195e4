"""Tasks at the shop: ordering, cancelling, returning."""

from turnwise.worlds.web.site import (
    ANYTHING,
    Change,
    Draft,
    Draw,
    Goal,
    Plan,
    Tasks,
    World,
    check,
    click,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.sites.shop.data import REASONS, RETURN_DAYS
from turnwise.worlds.web.sites.shop.parts import coupon_problem, discount_of, euro
from turnwise.worlds.web.sites.shop.tasks.common import (
    find,
    opened,
    option_steps,
    option_words,
    order_with,
    pairs,
    terms_of,
)

__all__ = ["buying", "cancelled"]

buying = Tasks()

_IN_STOCK = "EXISTS (SELECT 1 FROM variant o WHERE o.product = p.id AND o.stock > 0)"


@buying.template(3)
def buy(world: World, draw: Draw) -> Draft | None:
    """Ask to order a number of a product."""
    quantity = draw.weighted((1, 2, 3), (3, 2, 1))
    return _bought(world, draw, quantity, f"v.stock >= {quantity}")


@buying.template(3, infeasible=True)
def buy_sold_out(world: World, draw: Draw) -> Draft | None:
    """Ask to order a size and colour that is sold out, or more than there are: not possible."""
    quantity = draw.weighted((1, 2, 3), (3, 2, 1))
    left = draw.choice((0, 1)) if quantity > 1 else 0
    return _bought(world, draw, quantity, f"v.stock BETWEEN {left} AND {quantity - 1} AND {_IN_STOCK}")


@buying.template(4)
def buy_to_new_address(world: World, draw: Draw) -> Draft | None:
    """Ask to order to an address that is not in the address book."""
    found = _variant(world, draw, "v.stock > 0")
    if found is None:
        return None
    variant, title, price, size, colour = found
    person, label = draw.choice(world.cast.people[6:]), draw.choice(("Cabin", "Studio", "Club", "Aunt"))
    terms = terms_of(world, draw)._replace(
        label=label, address=(person.name, person.street, person.postcode, person.town)
    )
    fields = zip(("Label", "Name", "Street", "Postcode", "Town"), (label, *terms.address), strict=True)
    to = (click("Enter a new address"), *[fill(name, text) for name, text in fields], click("Save and use"))
    entry = dict(zip(("name", "street", "postcode", "town"), terms.address, strict=True))
    ask = (
        f"Order one “{title}”{option_words(size, colour)}. Send it to a new address, which gets the label "
        f"{label}: {person.name}, {person.street}, {person.postcode} {person.town}. Choose {terms.paying}"
    )
    plan = (*opened(world), *find(title)[1:], *option_steps(size, colour, 1), *terms.plan(price, to))
    changes = (insert("shop.address", account=1, label=label, **entry), *terms.changes(world, [(variant, price, 1)]))
    return Draft(ask, plan, changes)


@buying.template(4)
def buy_best(world: World, draw: Draw) -> Draft | None:
    """Ask to order the best rated product of a category below a price."""
    shop, found = world("shop"), None
    for kind, most in pairs(world, draw, (4000, 6000, 8000, 10000, 15000)):
        id, category = kind
        listed = shop.rows(
            f"SELECT id, title, price, rating, price <= ? AND {_IN_STOCK} FROM product p WHERE category = ? ORDER "
            "BY rating DESC, price, id",
            most,
            id,
        )
        rows = [row[:4] for row in listed if row[4]]
        if len(rows) < 2 or not rows[0][3] or rows[0][2:] == rows[1][2:]:
            continue
        hard = len(rows) > 2 and rows[0] != listed[0][:4]  # some choice, and a better one that will not do
        if found is None or hard:
            found = most, category, rows[0]
        if hard:
            break
    if found is None:
        return None
    most, category, (product, title, price, _) = found
    variants = shop.rows("SELECT id, size, colour FROM variant WHERE product = ? AND stock > 0 ORDER BY id", product)
    (_, size, colour), terms = variants[0], terms_of(world, draw)
    choice = "If there is a choice of size or colour, any that is in stock will do."
    ask = draw.either(
        "From {0}, order one piece of the best rated product that is in stock and costs at most {1}; if "
        "several have the same rating, the cheapest of them.",
        "From the category {0}, buy me one product for at most {1}: of those in stock the one with the "
        "highest rating, and of equally rated ones the cheapest.",
    ).format(category, euro(most))
    plan = (
        *opened(world),
        click("Products"),
        select("Category", category),
        fill("Price to", money(most)),
        check("In stock only"),
        click("Apply filters"),
        click("Best rated"),
        click(title, via="Next"),
        click("Stock"),
        *option_steps(size, colour, 1),
        *terms.plan(price),
    )
    goals = [terms.changes(world, [(variant, price, 1)]) for variant, _, _ in variants]
    return Draft(
        f"{ask} {choice} {terms.words()}", plan, goals[0], others=tuple(Goal(changes) for changes in goals[1:])
    )


@buying.template(5)
def buy_in_colour(world: World, draw: Draw) -> Draft | None:
    """Ask to order the cheapest well rated product of a category in a colour."""
    sold_out = draw.chance(0.6)  # whether a cheaper one is made in that colour, but cannot be had in it
    for kind, rating in pairs(world, draw, (30, 35, 40)):
        id, category = kind
        rows = world("shop").rows(
            "SELECT p.id, p.title, p.price, v.colour, v.size, v.stock, v.id FROM product p JOIN variant v ON "
            "v.product = p.id WHERE p.category = ? AND p.rating >= ? ORDER BY p.price, p.id, v.id",
            id,
            rating,
        )
        coloured = [row for row in rows if row[3]]
        if not coloured:
            continue
        colour, size = draw.choice(coloured)[3:5]
        listed = list(dict.fromkeys(row[:3] for row in rows if row[3] == colour))
        fit = [row for row in rows if row[3:5] == (colour, size) and row[5]]
        if not fit or len(listed) < 2 or fit[0][2] in [row[2] for row in fit[1:]] or fit[0][:3] not in listed[:6]:
            continue
        cheaper = any(row[5] and row[2] < fit[0][2] for row in rows)
        if cheaper and (fit[0][:3] != listed[0] or not sold_out):
            break
    else:
        return None
    terms = terms_of(world, draw)
    price, variant = fit[0][2], fit[0][6]
    plan = [*opened(world)]
    for _, seen, _ in listed[: listed.index(fit[0][:3]) + 1]:
        plan += [
            click("Quick finder"),
            select("Category", category),
            select("Colour", colour),
            select("Rating", f"{rating / 10} and up"),
            click(seen),
            click("Stock"),
        ]
    made = f"{colour}, size {size}" if size else colour
    ask = (
        f"Find the cheapest product in {category} that is rated {rating / 10} or better and that is in stock in "
        f"{made}. Order one piece of it in {made}. {terms.words()}"
    )
    return Draft(
        ask, (*plan, *option_steps(size, colour, 1), *terms.plan(price)), terms.changes(world, [(variant, price, 1)])
    )


@buying.template(5)
def best_coupon(world: World, draw: Draw) -> Draft | None:
    """Ask to order with the coupon that saves most."""
    shop, today = world("shop"), f"{world.cast.today}"
    coupons = shop.rows("SELECT * FROM coupon ORDER BY code")
    goods = shop.rows(
        "SELECT v.id, p.title, p.price, v.size, v.colour, v.stock FROM variant v JOIN product p ON p.id = "
        "v.product WHERE v.stock > 0 ORDER BY v.id"
    )
    found: dict[str, list[tuple[int, int, int, tuple[int, str, int, str, str]]]] = {}
    for row in draw.sample(goods, 40):
        quantity = draw.integer(1, min(3, row[5]))
        best = _best_coupon(coupons, row[2], quantity, today)
        if best is not None:
            code, discount, tempting = best
            found.setdefault(code, []).append((tempting, quantity, discount, row[:5]))
    if not found:
        return None
    code = draw.choice(sorted(found))
    least = draw.choice((0, 1, 2, 2))
    harder = [each for each in found[code] if each[0] >= least] or found[code]
    _, quantity, discount, (variant, title, price, size, colour) = draw.choice(harder)
    subtotal, terms = price * quantity, terms_of(world, draw)
    ask = (
        f"Order {_many(quantity)} “{title}”{option_words(size, colour)} with the coupon from the Offers page that "
        f"saves the most on it today. {terms.words('it' if quantity == 1 else 'them')}"
    )
    plan = (
        *opened(world),
        click("Offers"),
        *find(title),
        *option_steps(size, colour, quantity),
        fill("Coupon code", code),
        click("Apply"),
        *terms.plan(subtotal),
    )
    return Draft(ask, plan, terms.changes(world, [(variant, price, quantity)], code, discount))


@buying.template(4)
def order_again(world: World, draw: Draw) -> Draft | None:
    """Ask to order what an old order had, as far as it is in stock."""
    shop, terms = world("shop"), terms_of(world, draw)
    orders = shop.rows(
        "SELECT id FROM purchase WHERE account = 1 AND status IN ('Delivered', 'Cancelled') ORDER BY id DESC"
    )
    for order in draw.shuffled(orders):  # several things, and one of them sold out in every other task
        rows = shop.rows(
            "SELECT l.variant, l.price, l.quantity, v.stock, p.title FROM line l JOIN variant v ON v.id = "
            "l.variant JOIN product p ON p.id = v.product WHERE l.purchase = ? ORDER BY l.id",
            order,
        )
        lines = [row for row in rows if row[3]]
        if len(lines) < 2 or any(row[3] < row[2] for row in lines):
            continue
        changed = draw.choice(lines)
        alone = not any(changed[4] in row[4] for row in lines if row is not changed)
        if alone and changed[3] > 2 and (len(lines) < len(rows) or draw.chance(0.3)):
            break
    else:
        return None
    title, count = changed[4], draw.choice([number for number in (1, 2, 3) if number != changed[2]])
    bought = [
        (variant, price, count if row is changed else held) for row in lines for variant, price, held in (row[:3],)
    ]
    ask = draw.either(
        "Order again what was in my order {0}, but leave out what is sold out now, and take {1} of the “{2}” "
        "this time; of the rest as many as then.",
        "I want the same things as in order {0}, without what is sold out now: {1} of the “{2}”, and of all "
        "others the quantity of that order.",
    )
    plan = (
        *opened(world),
        click("Orders"),
        click(f"Order {order}", via="Next"),
        click("Order again"),
        fill("Quantity", str(count), near=title),
        click("Update", near=title),
        *terms.plan(sum(price * quantity for _, price, quantity in bought)),
    )
    pieces = "one piece" if count == 1 else f"{('two', 'three')[count - 2]} pieces"
    words = terms.words("everything")
    return Draft(f"{ask.format(order, pieces, title)} {words}", plan, terms.changes(world, bought))


@buying.template(3)
def cancel_order(world: World, draw: Draw) -> Draft | None:
    """Ask to cancel the order that contains a product."""
    found = cancelled(world, draw)
    if found is None:
        return None
    title, plan, changes = found
    ask = draw.either(
        "Cancel my order that contains the “{}” and is still Processing.",
        "I do not need the “{}” any more: cancel the order that contains it and is still Processing.",
    )
    return Draft(ask.format(title), plan, changes)


def cancelled(world: World, draw: Draw) -> tuple[str, Plan, tuple[Change, ...]] | None:
    """Return a product in one order that may be cancelled, the steps that cancel it, and what they change."""
    orders, title, order = order_with(world, draw, "Processing")
    if not order:
        return None
    plan = [*opened(world)]
    for seen in orders[: orders.index(order) + 1]:
        plan += [click("Orders"), click(f"Order {seen}", via="Next")]
    plan += [click("Cancel order"), click("Yes, cancel it")]
    stock: dict[int, int] = {}
    for variant, quantity in world("shop").rows(
        "SELECT variant, quantity FROM line WHERE purchase = ? ORDER BY id", order
    ):
        held = world("shop").row("SELECT stock FROM variant WHERE id = ?", variant)
        stock[variant] = stock.get(variant, held) + quantity
    changes = (
        update("shop.purchase", order, status="Cancelled"),
        *[update("shop.variant", id, stock=n) for id, n in stock.items()],
    )
    return title, tuple(plan), changes


@buying.template(3)
def send_items_back(world: World, draw: Draw) -> Draft | None:
    """Ask to return an item of an order."""
    return _returned(world, draw, "julianday(?) - julianday(delivered) <= ?")


@buying.template(3, infeasible=True)
def send_back_too_late(world: World, draw: Draw) -> Draft | None:
    """Ask to return an item after the return period: not possible."""
    return _returned(world, draw, "julianday(?) - julianday(delivered) > ?")


def _many(quantity: int) -> str:
    return ("one", "two pieces of the", "three pieces of the")[quantity - 1]


def _variant(world: World, draw: Draw, condition: str) -> tuple[int, str, int, str, str] | None:
    """Draw (variant, title, price, size, colour) of something that is, or is not, in stock."""
    shop, tables = world("shop"), f"FROM variant v JOIN product p ON p.id = v.product WHERE {condition}"
    count = shop.row(f"SELECT count(*) {tables}")
    found: tuple[int, str, int, str, str] | None = shop.row(
        f"SELECT v.id, p.title, p.price, v.size, v.colour {tables} ORDER BY v.id LIMIT 1 OFFSET ?",
        draw.integer(0, max(0, count - 1)),
    )
    return found


def _best_coupon(
    coupons: list[tuple[str, int, int, int, str, str]], price: int, quantity: int, today: str
) -> tuple[str, int, int] | None:
    """Return the coupon that saves most, how much, and the number of traps; None if two save the same.

    Traps: an expired coupon would save more; the coupon needs more than one piece.
    """
    subtotal = price * quantity
    savings, least, dreamt = [], {}, 0
    for code, percent, amount, minimum, starts, ends in coupons:
        saved, least[code] = discount_of((percent, amount), subtotal), minimum
        if not coupon_problem(minimum, starts, ends, today, subtotal):
            savings.append((saved, code))
        elif subtotal >= minimum:
            dreamt = max(dreamt, saved)
    savings.sort(reverse=True)
    if len(savings) < 2 or savings[0][0] == savings[1][0]:
        return None
    saved, code = savings[0]
    return code, saved, (dreamt > saved) + (least[code] > price)


def _bought(world: World, draw: Draw, quantity: int, condition: str) -> Draft | None:
    found = _variant(world, draw, condition)
    if found is None:
        return None
    variant, title, price, size, colour = found
    terms = terms_of(world, draw)
    ask = draw.choice(("Order {0} “{1}”{2}.", "Buy me {0} “{1}”{2}.", "I would like to have {0} “{1}”{2}."))
    what = option_words(size, colour)
    ask = f"{ask.format(_many(quantity), title, what)} {terms.words('it' if quantity == 1 else 'them')}"
    stock = world("shop").row("SELECT stock FROM variant WHERE id = ?", variant)
    if stock < quantity:
        text = f"Only {stock} of the “{title}”{what} are in stock." if stock else f"The “{title}”{what} is sold out."
        return Draft(ask, (*opened(world), *find(title)[1:], click("Stock")), infeasible=text)
    plan = (*opened(world), *find(title)[1:], *option_steps(size, colour, quantity), *terms.plan(price * quantity))
    return Draft(ask, plan, terms.changes(world, [(variant, price, quantity)]))


def _returned(world: World, draw: Draw, window: str) -> Draft | None:
    shop, today = world("shop"), f"{world.cast.today}"
    rows = shop.rows(
        f"SELECT id FROM purchase WHERE account = 1 AND status = 'Delivered' AND {window} ORDER BY id DESC",
        today,
        RETURN_DAYS,
    )
    if not rows:
        return None
    order = draw.choice(rows)
    line, title, size, colour, held = draw.choice(
        shop.rows(
            "SELECT l.id, p.title, v.size, v.colour, l.quantity FROM line l JOIN variant v ON v.id = l.variant JOIN "
            "product p ON p.id = v.product WHERE l.purchase = ? ORDER BY l.id",
            order,
        )
    )
    count, reason = draw.integer(1, held), draw.choice(REASONS)
    ask = draw.either(
        "Return {0} “{1}” from my order {2}. Reason: {3}.",
        "I want to send back {0} “{1}” from order {2}. Reason: {3}.",
    )
    part = "the" if held == 1 else f"all {held}" if count == held else f"{count} of the {held}"
    ask = ask.format(part, title, order, reason)
    plan = (*opened(world), click("Orders"), click(f"Order {order}", via="Next"), click("Return items"))
    if ">" in window:
        return Draft(ask, plan, infeasible=f"The {RETURN_DAYS} days for returning items of order {order} are over.")
    option = ", ".join(part for part in (size, colour) if part)
    plan += (
        select(f"{title} ({option})" if option else title, str(count)),
        select("Reason", reason),
        click("Request return"),
    )
    change = insert(
        "shop.refund", purchase=order, line=line, quantity=count, reason=reason, comment=ANYTHING, requested=today
    )
    return Draft(ask, plan, (change,))
