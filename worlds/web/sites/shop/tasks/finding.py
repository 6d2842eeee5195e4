"""Tasks at the shop: questions, reviews, wishes, addresses."""

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
    Said,
    Tasks,
    World,
    check,
    click,
    delete,
    fill,
    insert,
    money,
    select,
    update,
)
from turnwise.worlds.web.sites.shop.parts import euro, long_day, stars
from turnwise.worlds.web.sites.shop.tasks.common import find, opened, order_with, pairs

__all__ = ["finding"]

finding = Tasks()

_IN_STOCK = "EXISTS (SELECT 1 FROM variant v WHERE v.product = p.id AND v.stock > 0)"
_CONTENT = (
    ("Good value", "Just right", "Happy so far", "A keeper"),
    (
        "I have had it for a week now and use it every day.",
        "It looks as it does in the pictures, only a little smaller.",
        "Delivery was quick, and nothing was missing.",
        "My neighbour would like to have the same one.",
    ),
)
_HALF_CONTENT = (
    ("It will do", "Not bad, not great", "As one would expect"),
    ("It does its work, but I had hoped for more.", "Good material, but a little dear for what it is."),
)
_NOT_CONTENT = (
    ("Not quite", "Could be better", "I would not buy it again"),
    ("It looks better in the pictures.", "I hardly use it.", "It did not keep what the description says."),
)
_WORDS = (_NOT_CONTENT, _NOT_CONTENT, _HALF_CONTENT, _CONTENT, _CONTENT)  # for 1 to 5 stars
_PER_PAGE, _REVIEWS = 6, 4
_FILTERS, _MOST = 16, (40, 60, 80, 100, 150)


# ---- answers --------------------------------------------------------------------------------------------------


@finding.template(1)
def price(world: World, draw: Draw) -> Draft | None:
    """Ask what a product costs."""
    title, price = draw.choice(world("shop").rows("SELECT title, price FROM product ORDER BY id"))
    ask = draw.either(
        "How much does the “{}” cost?", "What is the price of the “{}”?", "Tell me the price of the “{}”."
    )
    return Draft(ask.format(title), (*opened(world), *find(title)[1:3]), answer=Answer.of("money", money(price)))


@finding.template(2)
def warranty(world: World, draw: Draw) -> Draft | None:
    """Ask what a specification says."""
    title, months, article, weight = draw.choice(
        world("shop").rows("SELECT title, warranty, article, weight FROM product ORDER BY id")
    )
    plan, what = (*opened(world), *find(title)[1:], click("Specification")), draw.choice(("months", "grams", ""))
    if what == "months":
        ask = f"How many months of warranty come with the “{title}”?"
        return Draft(ask, plan, answer=Answer.of("number", months))
    if what == "grams":
        ask = f"How many grams does the “{title}” weigh?"
        return Draft(ask, plan, answer=Answer.of("number", weight, f"{weight} g"))
    return Draft(f"What is the article number of the “{title}”?", plan, answer=Answer.of("text", article))


@finding.template(2)
def cheapest(world: World, draw: Draw) -> Draft | None:
    """Ask for the cheapest product of a category that is in stock and well rated."""
    for kind, rating in pairs(world, draw, (30, 35, 40, 45)):
        id, category = kind
        rows = world("shop").rows(
            f"SELECT title, price, rating, {_IN_STOCK} FROM product p WHERE category = ? ORDER BY price, id", id
        )
        fit = [row for row in rows if row[2] >= rating and row[3]]
        if fit and fit[0][1] not in [row[1] for row in fit[1:]] and fit[0] is not rows[0]:
            break
    else:
        return None
    ask = draw.either(
        "Which is the cheapest product in {0} that is in stock and rated {1} or better? Answer with its whole name.",
        "I want the cheapest thing in {0} with a rating of at least {1}, and it must be in stock. What is it "
        "called, in full?",
    )
    plan = (
        *opened(world),
        click("Products"),
        select("Category", category),
        select("Rating", f"{rating / 10} and up"),
        check("In stock only"),
        click("Apply filters"),
        click("Price, low to high"),
    )
    return Draft(ask.format(category, rating / 10), plan, answer=Answer.of("text", fit[0][0]))


@finding.template(2)
def count_live(world: World, draw: Draw) -> Draft | None:
    """Ask how many products a live filter finds; of several filters the one nearest to a drawn count."""
    shop, wanted = world("shop"), draw.integer(4, 26)
    kinds = [(0, ""), *shop.rows("SELECT id, name FROM category ORDER BY id")]
    goods = shop.rows(
        "SELECT category, price, rating, '|' || (SELECT group_concat(colour, '|') FROM variant v WHERE v.product = "
        "p.id) || '|' FROM product p ORDER BY id"
    )
    colours = ("", *shop.rows("SELECT DISTINCT colour FROM variant WHERE colour != '' ORDER BY colour"))
    found: list[tuple[int, int, int, tuple[int, str], int, int, str]] = []
    for _ in range(_FILTERS):
        kind = draw.choice((kinds[0], draw.choice(kinds)))
        most, rating, colour = (draw.choice(_MOST), draw.choice((30, 35, 40)), draw.choice(("", draw.choice(colours))))
        made = f"|{colour}|" if colour else ""
        count = sum(
            kind[0] in (0, category) and price <= most * 100 and given >= rating and made in words
            for category, price, given, words in goods
        )
        if count >= 4:
            found.append((abs(count - wanted), len(found), count, kind, most, rating, colour))
    if not found:
        return None
    _, _, count, (id, category), most, rating, colour = min(found)
    plan = [
        *opened(world),
        click("Quick finder"),
        select("Price up to", f"€{most}.00"),
        select("Rating", f"{rating / 10} and up"),
    ]
    words = f"How many products{f' in {category}' if id else ''}, sold out or not, cost at most €{most}.00"
    words += f" and are rated {rating / 10} or better"
    if id:
        plan.append(select("Category", category))
    if colour:
        plan.append(select("Colour", colour))
        words += f", counting only those made in {colour}"
    return Draft(f"{words}?", tuple(plan), answer=Answer.of("number", count))


@finding.template(3)
def heavier(world: World, draw: Draw) -> Draft | None:
    """Ask by how much one product is heavier than another."""
    rows = world("shop").rows("SELECT title, weight FROM product ORDER BY id")
    (heavy, more), (light, less) = sorted(draw.sample(rows, 2), key=lambda row: -row[1])
    if more == less:
        return None
    ask = draw.either(
        "How many grams heavier is the “{0}” than the “{1}”?",
        "What is the difference in weight between the “{1}” and the “{0}”, in grams?",
    )
    plan = (*opened(world), *find(heavy)[1:], click("Specification"), *find(light), click("Specification"))
    return Draft(ask.format(heavy, light), plan, answer=Answer.of("number", more - less, f"{more - less} g"))


@finding.template(3)
def review_author(world: World, draw: Draw) -> Draft | None:
    """Ask who wrote the only review with a number of stars."""
    shop = world("shop")
    single: list[int] = []
    for product in draw.sample(shop.rows("SELECT id, title FROM product WHERE reviews >= 3 ORDER BY id"), 8):
        id, title = product
        rows = shop.rows(
            "SELECT r.stars, a.name, a.id FROM review r JOIN account a ON a.id = r.account WHERE r.product = ? "
            "ORDER BY r.written DESC, r.id DESC",
            id,
        )
        given = [row[0] for row in rows]
        single = [place for place, row in enumerate(rows) if given.count(row[0]) == 1 and row[2] != 1]
        if single:
            break
    if not single:
        return None
    place = draw.choice(single)
    count = stars(rows[place][0]).replace(" ", "-").removesuffix("s")
    plan = (*opened(world), *find(title)[1:], click("Reviews"), *[click("More reviews")] * (place // _REVIEWS))
    ask = f"One customer gave the “{title}” exactly {stars(rows[place][0])}. Who wrote that {count} review?"
    ask += " Give the full name."
    return Draft(ask, plan, answer=Answer.of("text", rows[place][1]))


@finding.template(3)
def month_total(world: World, draw: Draw) -> Draft | None:
    """Ask for the total of a month's orders."""
    rows = world("shop").rows("SELECT id, placed, status, total FROM purchase WHERE account = 1 ORDER BY id DESC")
    kinds = [(row[1][:7], row[2]) for row in rows]
    several = sorted({kind for kind in kinds if kinds.count(kind) > 1})
    if not several:
        return None
    month, status = draw.choice(several)
    listed = [row for row in rows if row[2] == status]
    fit = [place for place, row in enumerate(listed) if row[1][:7] == month]
    total = sum(listed[place][3] for place in fit)
    when = long_day(f"{month}-01")[2:]
    ask = draw.either(
        "What is the sum of the totals of my orders placed in {0} that have the status {1}?",
        "I placed some orders in {0}. What do those with the status {1} come to in all?",
    )
    plan = (*opened(world), click("Orders"), select("Status", status), *[click("Next")] * (fit[-1] // _PER_PAGE))
    return Draft(ask.format(when, status), plan, answer=Answer.of("money", money(total)))


@finding.template(2)
def tracking(world: World, draw: Draw) -> Draft | None:
    """Ask for the tracking number of an order that has been sent."""
    orders, title, order = order_with(world, draw, "Shipped")
    if not order:
        return None
    number = world("shop").row("SELECT tracking FROM purchase WHERE id = ?", order)
    plan = [*opened(world)]
    for seen in orders[: orders.index(order) + 1]:
        plan += [click("Orders"), select("Status", "Shipped"), click(f"Order {seen}")]
    ask = draw.either(
        "What is the tracking number of my order with the “{}” that has the status Shipped?",
        "My “{}” is on its way (status Shipped). Which tracking number does that order have?",
    )
    return Draft(ask.format(title), tuple(plan), answer=Answer.of("text", number))


# ---- reviews, wishes, addresses -------------------------------------------------------------------------------


@finding.template(3)
def write_review(world: World, draw: Draw) -> Draft | None:
    """Ask for a review of the most expensive item of an order."""
    shop = world("shop")
    for order in draw.shuffled(
        shop.rows("SELECT id FROM purchase WHERE account = 1 AND status = 'Delivered' ORDER BY id DESC")
    ):
        rows = shop.rows(
            "SELECT p.id, p.title, l.price FROM line l JOIN variant v ON v.id = l.variant JOIN product p ON p.id "
            "= v.product WHERE l.purchase = ? ORDER BY l.price DESC, l.id",
            order,
        )
        product, name, price = rows[0]
        known = shop.row("SELECT id FROM review WHERE product = ? AND account = 1", product)
        if known is None and (len(rows) == 1 or rows[1][2] != price):
            break
    else:
        return None
    count = draw.integer(1, 5)
    title, text = (draw.choice(words) for words in _WORDS[count - 1])
    ask = (
        f"Review the item of my order {order} that had the highest price for one piece: {stars(count)}, title "
        f"“{title}”, text “{text}”"
    )
    plan = (
        *opened(world),
        click("Orders"),
        click(f"Order {order}", via="Next"),
        click(name),
        click("Write a review"),
        select("Stars", stars(count)),
        fill("Title", title),
        fill("Your review", text),
        click("Send review"),
    )
    change = insert(
        "shop.review",
        product=product,
        account=1,
        stars=count,
        title=Said(title),
        text=Said(text),
        written=f"{world.cast.today}",
    )
    return Draft(ask, plan, (change,))


@finding.template(2)
def change_stars(world: World, draw: Draw) -> Draft | None:
    """Ask to change the stars of a review."""
    found = _own_review(world, draw)
    if found is None:
        return None
    id, title, before = found
    count = draw.choice([number for number in range(1, 6) if number != before])
    ask = draw.either(
        "Change my review of the “{0}” to {1}; leave its title and text as they are.",
        "I now think that the “{0}” deserves {1}. Correct my review of it, but keep the words.",
    )
    plan = (
        *opened(world),
        click("Account"),
        click("Your reviews"),
        click("Edit", near=title, via="Next"),
        select("Stars", stars(count)),
        click("Send review"),
    )
    return Draft(ask.format(title, stars(count)), plan, (update("shop.review", id, stars=count),))


@finding.template(2)
def take_review_back(world: World, draw: Draw) -> Draft | None:
    """Ask to delete a review."""
    found = _own_review(world, draw)
    if found is None:
        return None
    ask = draw.either(
        "Delete my review of the “{}”.", "I no longer stand by what I wrote about the “{}”: delete that review."
    )
    plan = (
        *opened(world),
        click("Account"),
        click("Your reviews"),
        click("Delete", near=found[1], via="Next"),
        click("Yes, delete it"),
    )
    return Draft(ask.format(found[1]), plan, (delete("shop.review", found[0]),))


@finding.template(4)
def wish_for_brand(world: World, draw: Draw) -> Draft | None:
    """Ask to put all products of a brand and category below a price on the wish list."""
    shop = world("shop")
    wished = set(shop.rows("SELECT product FROM wish WHERE account = 1"))
    id, category, brand = draw.choice(
        shop.rows(
            "SELECT c.id, c.name, p.brand FROM product p JOIN category c ON c.id = p.category WHERE p.id NOT IN "
            "(SELECT product FROM wish WHERE account = 1) GROUP BY c.id, p.brand HAVING count(*) >= 2 ORDER BY "
            "c.id, p.brand"
        )
        or [(0, "", "")]
    )
    rows = shop.rows(
        "SELECT id, title, price FROM product WHERE category = ? AND brand = ? ORDER BY price, id", id, brand
    )
    keep = draw.integer(2, 4)
    limit = rows[keep][2] // 100 * 100 if keep < len(rows) else rows[-1][2] // 100 * 100 + 100 if rows else 0
    wanted = [row for row in rows if row[2] <= limit]
    if not 2 <= len(wanted) <= 4 or wished.issuperset(row[0] for row in wanted):
        return None
    plan = [*opened(world)]
    for product, title, _ in wanted:
        if product in wished:  # the product's page says so, and has no button for it
            continue
        plan += [
            click("Products"),
            select("Category", category),
            select("Brand", brand),
            fill("Price to", money(limit)),
            click("Apply filters"),
            click(title, via="Next"),
            click("Add to wish list"),
        ]
    ask = draw.either(
        "Put every {0} product of the brand {1} that costs at most {2} on my wish list, sold out or not.",
        "Add to my wish list all that {1} makes in {0} for {2} or less, whether it is in stock or not.",
    )
    changes = [insert("shop.wish", account=1, product=row[0]) for row in wanted if row[0] not in wished]
    return Draft(ask.format(category, brand, euro(limit)), tuple(plan), tuple(changes))


@finding.template(2)
def tidy_wishes(world: World, draw: Draw) -> Draft | None:
    """Ask to remove what is sold out from the wish list."""
    rows = world("shop").rows(
        f"SELECT p.id, p.title || ' ' || p.brand || ' ·', {_IN_STOCK} FROM wish w JOIN product p ON p.id = "
        f"w.product "
        "WHERE w.account = 1 ORDER BY p.title, p.id"
    )
    gone = [row for row in rows if not row[2]]
    if not gone or len(gone) == len(rows):
        return None
    ask = draw.either(
        "Remove everything that is sold out from my wish list.",
        "My wish list has things that are sold out. Take those off, and only those.",
    )
    plan = (*opened(world), click("Wish list"), *[click("Remove", near=row[1]) for row in gone])
    return Draft(ask, plan, tuple(delete("shop.wish", {"account": 1, "product": row[0]}) for row in gone))


@finding.template(2)
def change_address_entry(world: World, draw: Draw) -> Draft | None:
    """Ask to correct an address."""
    book = world("shop").rows("SELECT id, label, postcode FROM address WHERE account = 1 ORDER BY id")
    id, label, _ = draw.choice(book)
    known = {row[2] for row in book}
    person = draw.choice([person for person in world.cast.people[6:] if person.postcode not in known])
    ask = draw.either(
        "My {0} address has changed: the street is now {1}, the postcode {2} and the town {3}. The rest stays.",
        "In my address book, set the street of the {0} entry to {1}, its postcode to {2} and its town to {3}.",
    )
    values = {"street": person.street, "postcode": person.postcode, "town": person.town}
    plan = (
        *opened(world),
        click("Account"),
        click("Edit", near=f"{label}: "),
        *[fill(name.capitalize(), text) for name, text in values.items()],
        click("Save address"),
    )
    return Draft(ask.format(label, *values.values()), plan, (update("shop.address", id, **values),))


def _within_another(title: str, titles: list[str]) -> bool:
    return any(title in other and title != other for other in titles)


def _own_review(world: World, draw: Draw) -> tuple[int, str, int] | None:
    """Draw (id, product, stars) of a review by the user."""
    rows = world("shop").rows(
        "SELECT r.id, p.title, r.stars FROM review r JOIN product p ON p.id = r.product WHERE r.account = 1 ORDER BY "
        "r.id"
    )
    titles = [row[1] for row in rows]
    rows = [row for row in rows if not _within_another(row[1], titles)]
    return draw.choice(rows) if rows else None
