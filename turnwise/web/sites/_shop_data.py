"""What the shop sells, and to whom: tables, words, and the function that draws a shop."""

import datetime
import sqlite3

from turnwise.web.cast import Cast
from turnwise.web.draw import Draw

__all__ = ["DELIVERY", "REASONS", "RETURN_DAYS", "SCHEMA", "fill_shop", "shipping_cost"]

DELIVERY = (
    ("standard", "Standard, 3 to 5 days", 490),
    ("express", "Express, next day", 990),
    ("pickup", "Pick-up point", 0),
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
    rating INTEGER NOT NULL DEFAULT 0, reviews INTEGER NOT NULL DEFAULT 0);
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

_CLOTHES, _SHOES, _BEDS, _LITRES = (
    ("S", "M", "L", "XL"),
    ("38", "39", "40", "41", "42"),
    ("single", "double", "king"),
    ("18 L", "24 L", "32 L"),
)
_COLOURS = ("black", "white", "grey", "blue", "red", "green", "yellow", "brown")
# name, what there is, lowest and highest price in whole units, grams, sizes, share of products with colours, materials
_CATEGORIES = (
    ("Kitchen", "Kettle,Toaster,Coffee Grinder,Hand Blender,Rice Cooker,Waffle Iron", 19, 119, (600, 3200),
     (), 0.6, "steel,glass,plastic"),
    ("Lighting", "Desk Lamp,Floor Lamp,Reading Light,Bedside Lamp,Lantern", 14, 159, (300, 4200),
     (), 0.7, "aluminium,paper,brass"),
    ("Bags", "Backpack,Daypack,Messenger Bag,Duffel,Weekender", 29, 169, (350, 1600),
     _LITRES, 0.8, "canvas,nylon,leather"),
    ("Audio", "Headphones,Earbuds,Speaker,Radio,Soundbar", 24, 249, (40, 2600),
     (), 0.7, "plastic,aluminium,walnut"),
    ("Clothing", "Rain Jacket,Fleece,Sweater,Hiking Trousers,Vest", 25, 149, (180, 900),
     _CLOTHES, 0.8, "wool,cotton,polyester"),
    ("Camping", "Tent,Sleeping Bag,Camping Stove,Sleeping Mat,Hammock", 22, 279, (250, 4800),
     (), 0.5, "nylon,steel,cotton"),
    ("Shoes", "Running Shoes,Hiking Boots,Sandals,Trainers,Slippers", 35, 179, (300, 1300),
     _SHOES, 0.6, "leather,mesh,suede"),
    ("Games", "Puzzle,Board Game,Building Set,Card Game,Kite", 9, 79, (150, 1900), (), 0.1, "card,wood,plastic"),
    ("Stationery", "Notebook,Fountain Pen,Planner,Desk Organiser,Sketchbook", 5, 69, (20, 900),
     (), 0.7, "paper,steel,bamboo"),
    ("Garden", "Watering Can,Pruning Shears,Planter,Garden Hose,Bird Feeder", 11, 99, (200, 5200),
     (), 0.5, "zinc,steel,terracotta"),
    ("Bedding", "Duvet,Pillow,Blanket,Sheet Set,Mattress Topper", 19, 199, (500, 3900),
     _BEDS, 0.5, "cotton,linen,down"),
    ("Cycling", "Bike Lock,Bike Light,Helmet,Pump,Pannier", 12, 139, (90, 1900), (), 0.6, "steel,rubber,plastic"),
)  # fmt: skip
_WORDS = (
    "Alto Amble Arbor Arc Aspen Basil Bayou Bloom Bolt Breeze Brook Cedar Cirrus Comet Coral Crest Dale Dune Echo "
    "Fable Fern Finch Fjord Flint Glade Grove Haven Heron Isle Jasper Kite Lark Ledge Loom Lyric Maple Mesa Moss Nova "
    "Oak Opal Otter Pebble Pine Plume Quill Reed Ridge River Rowan Sage Shale Sorrel Sparrow Stride Swift Tarn "
    "Thistle Tide Vale Wren Yew"
)
_MODELS = tuple(_WORDS.split())
_EDITIONS = ("Plus", "Mini", "II", "Pro", "Classic")
_OPENINGS = (
    "Made for every day", "Light, sturdy and easy to clean", "Our buyers' favourite of the season", "A quiet classic",
    "Small enough for any shelf", "Built to be repaired", "Simple in use and made to last",
    "Designed in a small workshop",
)  # fmt: skip
_MIDDLES = (
    "The {material} feels good in the hand and does not wear out soon.",
    "It comes well packed, without plastic.",
    "Spare parts stay available for ten years.",
    "All parts that matter are of {material}.",
    "It weighs less than it looks.",
    "The finish is even, and no two pieces are quite alike.",
    "You will find the measures under Specification.",
    "Care is easy: a damp cloth is enough.",
)
_PRAISE = (
    "Does what it should", "Very happy with it", "Better than expected", "A good buy", "Would buy again",
    "Lovely finish", "Sturdy and simple", "A present that was liked", "My second one",
)  # fmt: skip
_BLAME = (
    "Not what I hoped for", "Broke too soon", "Smaller than it looks", "Poor finish", "Sent it back",
    "Too expensive for this",
)  # fmt: skip
_FAIR = ("Fine for the price", "Some good, some bad", "It is all right", "Does the job", "Neither here nor there")
_ABOUT = (
    "Ordered for {name} in {town}, here after {days} days.",
    "It took {days} days to {town}, where {name} waited for it.",
    "{name} from {town} told me of it {days} weeks ago.",
    "We are {days} people in {town}, and {name} chose it.",
)
_GOOD_TEXT = (
    "I use it nearly every day and have nothing to complain about.",
    "It arrived two days early, well packed.",
    "My sister has the same one and is just as content.",
    "The {material} looks even better than in the picture.",
    "After three months it still looks new.",
    "Easy to set up, and the instructions are clear.",
    "I compared several and am glad that I took this one.",
)
_BAD_TEXT = (
    "After two weeks a part came loose.",
    "The {material} had a scratch on arrival.",
    "Customer service took a week to answer.",
    "It is louder than I thought it would be.",
    "The colour is not the one in the picture.",
    "I expected more for that money.",
)


def shipping_cost(delivery: str, subtotal: int) -> int:
    """Cost of a way of delivery in cents; the standard one is free from a subtotal (before discounts) on."""
    if delivery == "standard" and subtotal >= FREE_FROM:
        return 0
    return next(cost for key, _, cost in DELIVERY if key == delivery)


def fill_shop(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write a shop with about ``size`` products."""
    _fill_products(db, draw, cast, max(24, size))
    _fill_customers(db, draw, cast)
    _fill_orders(db, draw, cast, 7 + min(40, size // 12))
    _fill_reviews(db, draw, cast)
    _fill_coupons(db, draw, cast)
    db.execute("INSERT INTO setting VALUES ('popup', ?)", ("1" if draw.chance(0.3) else "",))


# ---- products --------------------------------------------------------------------------------------------------------


def _price(draw: Draw, low: int, high: int) -> int:
    return draw.integer(low, high) * 100 - draw.choice((1, 5, 10, 50))


def _fill_products(db: sqlite3.Connection, draw: Draw, cast: Cast, number: int) -> None:
    kinds = draw.sample(_CATEGORIES, max(4, min(len(_CATEGORIES), number // 6)))
    brands = [company.name.split(" ")[0] for company in draw.sample(cast.companies, 16)]
    db.executemany("INSERT INTO category VALUES (?, ?)", [(i, kind[0]) for i, kind in enumerate(kinds, 1)])
    of_kind = [draw.sample(brands, 4) for _ in kinds]
    known: set[str] = set()
    last: dict[int, tuple[str, str, int]] = {}
    products, variants = [], []
    for id in range(1, number + 1):
        place = (id - 1) % len(kinds)
        _, nouns, low, high, weights, sizes, coloured, materials = kinds[place]
        if place in last and draw.chance(0.25):  # the neighbour of another product: same name, another edition
            stem, brand, price = last[place]
            title, price = f"{stem} {draw.choice(_EDITIONS)}", price + draw.choice((-300, 400, 700, 1000))
        else:
            brand, price = draw.choice(of_kind[place]), _price(draw, low, high)
            title = stem = f"{brand} {draw.choice(_MODELS)} {draw.choice(nouns.split(','))}"
        if title in known or price <= 0:
            brand, price = draw.choice(of_kind[place]), _price(draw, low, high)
            title = stem = f"{brand} {draw.choice(_MODELS)} {draw.choice(nouns.split(','))}"
            while title in known:
                title = stem = f"{brand} {draw.choice(_MODELS)} {draw.choice(_MODELS)} {draw.choice(nouns.split(','))}"
        known.add(title)
        last[place] = (stem, brand, price)
        material = draw.choice(materials.split(","))
        middles = " ".join(draw.sample(_MIDDLES, 2)).replace("{material}", material)
        description = f"{draw.choice(_OPENINGS)}. {middles}"
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
        colours = draw.sample(_COLOURS, draw.integer(2, 3)) if draw.chance(coloured) else [""]
        sold_out = draw.chance(0.12) or id in (5, 12)
        for size in sizes or ("",):
            for colour in colours:
                stock = 0 if sold_out or draw.chance(0.15) else draw.integer(3, 30)
                variants.append((id, size, colour, stock))
    columns = "id, title, brand, category, price, description, material, weight, warranty, made_in, article"
    db.executemany(f"INSERT INTO product ({columns}) VALUES ({'?,' * 10}?)", products)
    db.executemany("INSERT INTO variant (product, size, colour, stock) VALUES (?, ?, ?, ?)", variants)


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
    """Orders of the user from today back, with a few of others between."""
    plan = [(1, age, "Processing") for age in (0, 1, 2)] + [(1, age, "Shipped") for age in (3, 4)]
    plan += [(1, age, "Delivered") for age in (9, 14, 20, 26)]
    plan += [(1, draw.integer(48, 60 + 9 * old), "Delivered" if draw.chance(0.75) else "Cancelled") for _ in range(old)]
    plan += [(draw.integer(2, 6), draw.integer(0, 90), "Delivered") for _ in range(5)]
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
        delivered = f"{(placed + datetime.timedelta(days=draw.integer(3, 5))).date()}" if status == "Delivered" else ""
        tracking = f"TR{draw.integer(100000, 999999)}" if status in ("Delivered", "Shipped") else ""
        subtotal = 0
        for product in draw.sample(range(1, 1 + len(prices)), draw.integer(1 if age > 30 else 2, 4)):
            quantity = draw.weighted((1, 2, 3), (6, 3, 1))
            subtotal += prices[product] * quantity
            lines.append((id, draw.choice(of_product[product]), prices[product], quantity))
        way = draw.choice(DELIVERY)[0]
        shipping = shipping_cost(way, subtotal)
        purchases.append((id, account, f"{placed:%Y-%m-%d %H:%M}", status, delivered, tracking, homes[account], way,
                          cards[account], subtotal, shipping, subtotal + shipping))  # fmt: skip
    columns = "id, account, placed, status, delivered, tracking, ship_to, delivery, payment, subtotal, shipping, total"
    db.executemany(f"INSERT INTO purchase ({columns}) VALUES ({'?,' * 11}?)", purchases)
    db.executemany("INSERT INTO line (purchase, variant, price, quantity) VALUES (?, ?, ?, ?)", lines)


# ---- reviews and coupons ---------------------------------------------------------------------------------------------


def _words_of(draw: Draw, cast: Cast, stars: int, material: str) -> tuple[str, str]:
    title = draw.choice(_PRAISE if stars > 3 else _FAIR if stars == 3 else _BLAME)
    first, second = (
        (_GOOD_TEXT, _GOOD_TEXT) if stars > 3 else (_GOOD_TEXT, _BAD_TEXT) if stars == 3 else (_BAD_TEXT, _BAD_TEXT)
    )
    about = draw.choice(_ABOUT).format(
        name=draw.choice(cast.people).first, town=draw.choice(cast.towns), days=draw.integer(2, 9)
    )
    text = " ".join(dict.fromkeys((about, draw.choice(first), draw.choice(second))))
    return title, text.replace("{material}", material)


def _fill_reviews(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
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
            title, text = _words_of(draw, cast, stars, material)
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
    terms = [
        (draw.choice((5, 8, 10)), 0, 0, -40, 30),
        (draw.choice((12, 15)), 0, draw.choice((6000, 8000)), -20, 12),
        (0, draw.choice((400, 500, 600)), 2500, -60, 45),
        (0, draw.choice((1200, 1500)), draw.choice((9000, 11000)), -10, 20),
        (20, 0, 15000, -15, 25),
        (draw.choice((25, 30)), 0, 0, -90, -draw.integer(1, 20)),  # over
        (0, 2000, 2000, draw.integer(3, 20), 60),  # not yet
    ]
    rows = []
    for word, (percent, amount, minimum, starts, ends) in zip(words, draw.shuffled(terms), strict=True):
        rows.append((f"{word}{percent or amount // 100}", percent, amount, minimum, day(starts), day(ends)))
    db.executemany("INSERT INTO coupon VALUES (?, ?, ?, ?, ?, ?)", rows)
