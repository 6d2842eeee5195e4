"""The shop's tables, and the function that draws a shop."""

import datetime
import sqlite3

from turnwise.worlds.web.site import Cast, Draw
from turnwise.worlds.web.sites.shop.words import (
    ABOUT,
    BLAME,
    CATEGORIES,
    COLOURS,
    EDITIONS,
    FAIR,
    MODELS,
    PRAISE,
    Texts,
)

__all__ = ["DELIVERY", "REASONS", "RETURN_DAYS", "SCHEMA", "fill_shop", "shipping_cost"]

DELIVERY = (
    ("standard", "Standard, 3 to 5 days", 490),
    ("express", "Express, next day", 990),
    ("pickup", "Pick-up point near the address", 0),
)
"""Ways of delivery: key, what it is called, cost in cents."""
FREE_FROM = 6000
REASONS = ("Damaged on arrival", "Wrong item sent", "Does not fit", "No longer needed", "Not as described")
RETURN_DAYS = 30

SCHEMA = """
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE product (id INTEGER PRIMARY KEY, title TEXT NOT NULL, brand TEXT NOT NULL, category INTEGER NOT NULL,
    price INTEGER NOT NULL, description TEXT NOT NULL, material TEXT NOT NULL, weight INTEGER NOT NULL,
    warranty INTEGER NOT NULL, made_in TEXT NOT NULL, article TEXT NOT NULL,
    rating INTEGER NOT NULL DEFAULT 0, reviews INTEGER NOT NULL DEFAULT 0, photo TEXT NOT NULL DEFAULT '');
CREATE TABLE variant (id INTEGER PRIMARY KEY, product INTEGER NOT NULL, size TEXT NOT NULL, colour TEXT NOT NULL,
    stock INTEGER NOT NULL);
CREATE INDEX variant_product ON variant (product);
CREATE TABLE review (id INTEGER PRIMARY KEY, product INTEGER NOT NULL, account INTEGER NOT NULL, stars INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, written TEXT NOT NULL);
CREATE INDEX review_product ON review (product);
CREATE TABLE coupon (code TEXT PRIMARY KEY, percent INTEGER NOT NULL, amount INTEGER NOT NULL, minimum INTEGER NOT NULL,
    starts TEXT NOT NULL, ends TEXT NOT NULL);
CREATE TABLE address (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, label TEXT NOT NULL, name TEXT NOT NULL,
    street TEXT NOT NULL, postcode TEXT NOT NULL, town TEXT NOT NULL);
CREATE TABLE payment (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, brand TEXT NOT NULL, last4 TEXT NOT NULL,
    expires TEXT NOT NULL);
CREATE TABLE purchase (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, placed TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'Processing', delivered TEXT NOT NULL DEFAULT '',
    tracking TEXT NOT NULL DEFAULT '', ship_to TEXT NOT NULL, delivery TEXT NOT NULL, payment INTEGER NOT NULL,
    coupon TEXT NOT NULL DEFAULT '',
    subtotal INTEGER NOT NULL, discount INTEGER NOT NULL DEFAULT 0, shipping INTEGER NOT NULL, total INTEGER NOT NULL);
CREATE TABLE line (id INTEGER PRIMARY KEY, purchase INTEGER NOT NULL, variant INTEGER NOT NULL, price INTEGER NOT NULL,
    quantity INTEGER NOT NULL);
CREATE INDEX line_purchase ON line (purchase);
CREATE TABLE refund (id INTEGER PRIMARY KEY, purchase INTEGER NOT NULL, line INTEGER NOT NULL,
    quantity INTEGER NOT NULL, reason TEXT NOT NULL, comment TEXT NOT NULL DEFAULT '', requested TEXT NOT NULL);
CREATE TABLE wish (account INTEGER NOT NULL, product INTEGER NOT NULL, PRIMARY KEY (account, product));
CREATE TABLE cart (account INTEGER NOT NULL, variant INTEGER NOT NULL, quantity INTEGER NOT NULL,
    PRIMARY KEY (account, variant));
CREATE TABLE checkout (account INTEGER PRIMARY KEY, coupon TEXT NOT NULL DEFAULT '', address INTEGER NOT NULL DEFAULT 0,
    delivery TEXT NOT NULL DEFAULT '', payment INTEGER NOT NULL DEFAULT 0);
CREATE TABLE profile (account INTEGER PRIMARY KEY, newsletter TEXT NOT NULL DEFAULT '',
    offers INTEGER NOT NULL DEFAULT 0, tips INTEGER NOT NULL DEFAULT 0, public INTEGER NOT NULL DEFAULT 0);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


def shipping_cost(delivery: str, subtotal: int) -> int:
    """Return the cost of a delivery in cents; standard delivery is free above a subtotal (before discounts)."""
    if delivery == "standard" and subtotal >= FREE_FROM:
        return 0
    return next(cost for key, _, cost in DELIVERY if key == delivery)


def fill_shop(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write a shop with about ``size`` products."""
    texts = _fill_products(db, draw, cast, max(24, size))
    _fill_customers(db, draw, cast)
    _fill_orders(db, draw, cast, 7 + min(40, size // 12))
    _fill_reviews(db, draw, cast, texts)
    _fill_coupons(db, draw, cast)
    db.execute("INSERT INTO setting VALUES ('popup', ?)", ("1" if draw.chance(0.3) else "",))


# ---- products --------------------------------------------------------------------------------------------------------


def _price(draw: Draw, low: int, high: int) -> int:
    return draw.integer(low, high) * 100 - draw.choice((1, 5, 10, 50))


def _fill_products(db: sqlite3.Connection, draw: Draw, cast: Cast, number: int) -> list[Texts]:
    """Write the products, and return what is said of each, in the order of their ids."""
    kinds = draw.sample(CATEGORIES, max(4, min(len(CATEGORIES), number // 6)))
    brands = [company.name.split(" ")[0] for company in draw.sample(cast.companies, 16)]
    db.executemany("INSERT INTO category VALUES (?, ?)", [(i, kind[0]) for i, kind in enumerate(kinds, 1)])
    of_kind = [draw.sample(brands, 4) for _ in kinds]
    known: set[str] = set()
    last: dict[int, tuple[str, str, str, int]] = {}
    said: list[Texts] = []
    products, variants = [], []
    for id in range(1, number + 1):
        place = (id - 1) % len(kinds)
        _, goods, low, high, weights, sizes, coloured, texts = kinds[place]
        if place in last and draw.chance(0.25):  # the neighbour of another product: same name, another edition
            stem, brand, noun, price = last[place]
            title, price = f"{stem} {draw.choice(EDITIONS)}", price + draw.choice((-300, 400, 700, 1000))
        else:
            brand, noun, price = draw.choice(of_kind[place]), draw.choice(tuple(goods)), _price(draw, low, high)
            title = stem = f"{brand} {draw.choice(MODELS)} {noun}"
        if title in known or price <= 0:
            brand, noun, price = draw.choice(of_kind[place]), draw.choice(tuple(goods)), _price(draw, low, high)
            title = stem = f"{brand} {draw.choice(MODELS)} {noun}"
            while title in known:
                title = stem = f"{brand} {draw.choice(MODELS)} {draw.choice(MODELS)} {noun}"
        known.add(title)
        last[place] = (stem, brand, noun, price)
        said.append(texts)
        material = draw.choice(goods[noun].split(","))
        middles = " ".join(draw.sample(texts.middles, 2)).replace("{material}", material)
        description = f"{draw.choice(texts.openings)}. {middles}"
        weight, warranty = draw.integer(*weights), draw.choice((6, 12, 18, 24, 36, 48, 60))
        article = f"{brand[:2].upper()}-{draw.integer(100, 999)}{id:03d}"
        products.append(
            (
                id,
                title,
                brand,
                place + 1,
                price,
                description,
                material,
                weight,
                warranty,
                draw.choice(cast.towns),
                article,
            )
        )
        colours = draw.sample(COLOURS, draw.integer(2, 3)) if draw.chance(coloured) else [""]
        sold_out = draw.chance(0.12) or id in (5, 12)
        for size in sizes or ("",):
            for colour in colours:
                stock = 0 if sold_out or draw.chance(0.15) else draw.integer(3, 30)
                if stock and draw.chance(0.12):
                    stock = draw.integer(1, 2)
                variants.append((id, size, colour, stock))
    columns = "id, title, brand, category, price, description, material, weight, warranty, made_in, article"
    db.executemany(f"INSERT INTO product ({columns}) VALUES ({'?,' * 10}?)", products)
    db.executemany("INSERT INTO variant (product, size, colour, stock) VALUES (?, ?, ?, ?)", variants)
    return said


# ---- customers and orders --------------------------------------------------------------------------------------------


def _fill_customers(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    user = cast.user
    rows = [(1, "Home", user.name, user.street, user.postcode, user.town)]
    for label, person in zip(("Work", "Parents", "Neighbour"), draw.sample(cast.people[1:], 3), strict=True):
        name = user.name if label == "Work" else person.name
        rows.append((1, label, name, person.street, person.postcode, person.town))
    for person in cast.people[1:6]:
        rows.append((person.id, "Home", person.name, person.street, person.postcode, person.town))
    db.executemany("INSERT INTO address (account, label, name, street, postcode, town) VALUES (?, ?, ?, ?, ?, ?)", rows)
    year = cast.now.year
    first = draw.integer(1000, 4999)
    cards = [(1, "Visa", first, year + 2), (1, "Mastercard", draw.integer(5000, 7999), year + 1),
             (1, "Visa", draw.integer(8000, 9999), year - 1)]  # fmt: skip
    cards += [(person.id, "Visa", draw.integer(1000, 9999), year + 3) for person in cast.people[1:6]]
    db.executemany("INSERT INTO payment (account, brand, last4, expires) VALUES (?, ?, ?, ?)",
                   [(a, b, str(c), f"{y}-{draw.integer(1, 12):02d}") for a, b, c, y in cards])  # fmt: skip
    db.executemany("INSERT INTO profile (account) VALUES (?)", [(person.id,) for person in cast.people])
    wishes = draw.sample(range(1, 1 + db.execute("SELECT count(*) FROM product").fetchone()[0]), 6)
    sold_out = [
        row[0]
        for row in db.execute("SELECT product FROM variant GROUP BY product HAVING max(stock) = 0 ORDER BY product")
    ]
    wishes += draw.sample(sold_out, 2)
    db.executemany("INSERT OR IGNORE INTO wish VALUES (1, ?)", [(product,) for product in wishes])


def _fill_orders(db: sqlite3.Connection, draw: Draw, cast: Cast, old: int) -> None:
    """Write orders of the user up to today, with a few of others in between."""
    plan = [(1, age, "Processing") for age in (0, 1, 2)] + [(1, age, "Shipped") for age in (3, 4)]
    plan += [(1, age, "Delivered") for age in (9, 14, 20, 26)]
    plan += [(1, draw.integer(48, 60 + 9 * old), "Delivered" if draw.chance(0.75) else "Cancelled") for _ in range(old)]
    plan += [(draw.integer(2, 6), draw.integer(9, 90), "Delivered") for _ in range(5)]
    plan.sort(key=lambda entry: (-entry[1], entry[0], entry[2]))
    of_product: dict[int, list[int]] = {}
    for variant, product in db.execute("SELECT id, product FROM variant ORDER BY id"):
        of_product.setdefault(product, []).append(variant)
    prices = dict(db.execute("SELECT id, price FROM product").fetchall())
    book = db.execute("SELECT account, name, street, postcode, town FROM address WHERE label = 'Home'")
    homes = {account: f"{name}, {street}, {postcode} {town}" for account, name, street, postcode, town in book}
    cards = dict(db.execute("SELECT account, min(id) FROM payment GROUP BY account").fetchall())
    id = draw.integer(2000, 6000)
    purchases, lines = [], []
    for account, age, status in plan:
        id += draw.integer(1, 9)
        placed = cast.now - datetime.timedelta(days=age, minutes=draw.integer(10, 400))
        way = _way(draw, status, age)
        took = datetime.timedelta(days=1 if way == "express" else draw.integer(3, 5))
        delivered = f"{(placed + took).date()}" if status == "Delivered" else ""
        tracking = f"TR{draw.integer(100000, 999999)}" if status in ("Delivered", "Shipped") else ""
        subtotal = 0
        for product in draw.sample(range(1, 1 + len(prices)), draw.integer(1 if age > 30 else 2, 4)):
            quantity = draw.weighted((1, 2, 3), (6, 3, 1))
            subtotal += prices[product] * quantity
            lines.append((id, draw.choice(of_product[product]), prices[product], quantity))
        shipping = shipping_cost(way, subtotal)
        purchases.append((id, account, f"{placed:%Y-%m-%d %H:%M}", status, delivered, tracking, homes[account], way,
                          cards[account], subtotal, shipping, subtotal + shipping))  # fmt: skip
    columns = "id, account, placed, status, delivered, tracking, ship_to, delivery, payment, subtotal, shipping, total"
    db.executemany(f"INSERT INTO purchase ({columns}) VALUES ({'?,' * 11}?)", purchases)
    db.executemany("INSERT INTO line (purchase, variant, price, quantity) VALUES (?, ?, ?, ?)", lines)


def _way(draw: Draw, status: str, age: int) -> str:
    """Draw a delivery by which an order can still be on its way after a number of days."""
    if status == "Shipped":
        return "standard"
    return draw.choice([key for key, _, _ in DELIVERY if key != "express" or status != "Processing" or not age])


# ---- reviews and coupons ---------------------------------------------------------------------------------------------


def _words_of(draw: Draw, cast: Cast, stars: int, material: str, texts: Texts, writer: int) -> tuple[str, str]:
    title = draw.choice(PRAISE if stars > 3 else FAIR if stars == 3 else BLAME)
    first, second = (
        (texts.good, texts.good) if stars > 3 else (texts.good, texts.bad) if stars == 3 else (texts.bad, texts.bad)
    )
    friend = draw.choice(cast.people[1:-1])
    if friend.id >= writer:  # nobody speaks of himself as of a friend, nor of the user
        friend = cast.people[friend.id]
    about = draw.choice(ABOUT).format(
        name=friend.first, town=draw.choice(cast.towns), days=draw.integer(2, 5), number=draw.integer(2, 9)
    )
    text = " ".join(dict.fromkeys((about, draw.choice(first), draw.choice(second))))
    return title, text.replace("{material}", material)


def _fill_reviews(db: sqlite3.Connection, draw: Draw, cast: Cast, texts: list[Texts]) -> None:
    bought = db.execute(
        "SELECT DISTINCT v.product FROM purchase o JOIN line l ON l.purchase = o.id JOIN variant v ON v.id = "
        "l.variant WHERE o.account = 1 AND o.status = 'Delivered' ORDER BY v.product"
    ).fetchall()
    own = {row[0] for place, row in enumerate(bought) if draw.chance(0.35) or place == 4}
    rows, ratings = [], []
    for id, material in db.execute("SELECT id, material FROM product ORDER BY id").fetchall():
        good = draw.choice((0.5, 0.7, 0.85, 0.95))
        writers = [
            person.id for person in draw.sample(cast.people[1:], draw.weighted((0, 2, 3, 5, 8, 11), (1, 4, 5, 5, 3, 1)))
        ]
        if id in own:
            writers.insert(draw.integer(0, len(writers)), 1)
        days = sorted(draw.integer(2, 500) for _ in writers)[::-1]
        total = 0
        for account, age in zip(writers, days, strict=True):
            stars = draw.choice((4, 5, 5)) if draw.chance(good) else draw.choice((1, 2, 3, 3))
            total += stars
            title, text = _words_of(draw, cast, stars, material, texts[id - 1], account)
            rows.append((id, account, stars, title, text, f"{cast.today - datetime.timedelta(days=age)}"))
        if writers:
            ratings.append(((total * 20 + len(writers)) // (2 * len(writers)), len(writers), id))
    db.executemany("INSERT INTO review (product, account, stars, title, text, written) VALUES (?, ?, ?, ?, ?, ?)", rows)
    db.executemany("UPDATE product SET rating = ?, reviews = ? WHERE id = ?", ratings)


def _fill_coupons(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    def day(offset: int) -> str:
        return f"{cast.today + datetime.timedelta(days=offset)}"

    words = draw.sample(
        ("BREEZE", "CORNER", "FRIEND", "GARDEN", "HELLO", "LANTERN", "MARKET", "SUNNY", "THANKS", "WINDOW"), 7
    )
    dear = draw.shuffled(
        [
            (draw.choice((12, 15)), 0, draw.choice((5000, 6000, 8000))),
            (20, 0, draw.choice((12000, 15000, 18000))),
            (draw.choice((25, 30)), 0, draw.choice((0, 4000, 10000))),
            (0, draw.choice((1200, 1500, 1800)), draw.choice((9000, 11000, 13000))),
            (0, draw.choice((2000, 2500)), draw.choice((4000, 6000, 14000))),
        ]
    )
    terms = [
        (draw.choice((5, 8, 10)), 0, 0, -40, 30),
        (0, draw.choice((400, 500, 600)), draw.choice((2500, 3000)), -60, draw.choice((0, 1, 45))),
        (*dear[0], -90, -draw.choice((1, 2, 9, 20))),  # over
        (*dear[1], draw.choice((1, 2, 8, 20)), 60),  # not yet
        (*dear[2], -20, draw.choice((0, 1, 12))),
        (*dear[3], draw.choice((-10, -1, 0)), 20),
        (*dear[4], -15, 25),
    ]
    rows = []
    for word, (percent, amount, minimum, starts, ends) in zip(words, draw.shuffled(terms), strict=True):
        rows.append((f"{word}{percent or amount // 100}", percent, amount, minimum, day(starts), day(ends)))
    db.executemany("INSERT INTO coupon VALUES (?, ?, ?, ?, ?, ?)", rows)
