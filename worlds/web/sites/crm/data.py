"""What the back office holds: its tables, and the customers, products, orders, tickets and deals of a world."""

import datetime
import sqlite3
from collections.abc import Iterator
from typing import Any

from turnwise.worlds.web.site import Cast, Draw

__all__ = [
    "BRANDS", "CATEGORIES", "KINDS", "PRIORITIES", "REGIONS", "ROLES", "SCHEMA", "SEGMENTS", "STAGES", "fill_crm",
]  # fmt: skip

SCHEMA = """
CREATE TABLE town (name TEXT PRIMARY KEY, region TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL,
    town TEXT NOT NULL, segment TEXT NOT NULL, owner INTEGER NOT NULL, since TEXT NOT NULL,
    remark TEXT NOT NULL DEFAULT '');
CREATE TABLE product (id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT NOT NULL, brand TEXT NOT NULL,
    category TEXT NOT NULL, price INTEGER NOT NULL, stock INTEGER NOT NULL, active INTEGER NOT NULL DEFAULT 1);
CREATE TABLE variant (id INTEGER PRIMARY KEY, product INTEGER NOT NULL, name TEXT NOT NULL, stock INTEGER NOT NULL);
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, day TEXT NOT NULL, status TEXT NOT NULL,
    total INTEGER NOT NULL);
CREATE TABLE line (sale INTEGER NOT NULL, product INTEGER NOT NULL, quantity INTEGER NOT NULL, price INTEGER NOT NULL,
    PRIMARY KEY (sale, product)) WITHOUT ROWID;
CREATE TABLE ticket (id INTEGER PRIMARY KEY, customer INTEGER NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
    kind TEXT NOT NULL, priority TEXT NOT NULL, status TEXT NOT NULL, assignee INTEGER NOT NULL, opened TEXT NOT NULL);
CREATE TABLE note (id INTEGER PRIMARY KEY, ticket INTEGER NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL,
    at TEXT NOT NULL);
CREATE TABLE deal (id INTEGER PRIMARY KEY, title TEXT NOT NULL, company TEXT NOT NULL, value INTEGER NOT NULL,
    stage TEXT NOT NULL, owner INTEGER NOT NULL, due TEXT NOT NULL);
CREATE TABLE review (id INTEGER PRIMARY KEY, product INTEGER NOT NULL, author TEXT NOT NULL, stars INTEGER NOT NULL,
    text TEXT NOT NULL, status TEXT NOT NULL, day TEXT NOT NULL);
CREATE TABLE setting (account INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (account, name));
CREATE TABLE reminder (id INTEGER PRIMARY KEY, text TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);
CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, subject TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE INDEX line_product ON line (product);
CREATE INDEX sale_customer ON sale (customer);
"""
REGIONS = ("North", "East", "South", "West")
SEGMENTS = ("Private", "Retail", "Wholesale")
STAGES = ("Lead", "Qualified", "Proposal", "Won", "Lost")
KINDS = ("Delivery", "Billing", "Defect", "Account", "Return")
PRIORITIES = ("Low", "Normal", "High", "Urgent")
ROLES = {
    "manager": "Manager",
    "sales": "Sales",
    "support": "Support",
    "admin": "Administrator",
    "former": "Left the company",
}
BRANDS = ("Fjordal", "Hexley", "Kestrine", "Norvik", "Ombra", "Tallis")
CATEGORIES = ("Chairs", "Desks", "Lamps", "Rugs", "Shelves", "Storage")
_THINGS = {
    "Chairs": ("Armchair", "Bar Stool", "Dining Chair", "Office Chair", "Rocking Chair"),
    "Desks": ("Corner Desk", "Lap Desk", "Standing Desk", "Writing Desk"),
    "Lamps": ("Ceiling Lamp", "Desk Lamp", "Floor Lamp", "Night Light", "Wall Lamp"),
    "Rugs": ("Door Mat", "Hall Runner", "Round Rug", "Wool Rug"),
    "Shelves": ("Book Shelf", "Corner Shelf", "Shoe Rack", "Wall Shelf"),
    "Storage": ("Chest of Drawers", "Linen Basket", "Storage Box", "Wardrobe"),
}  # fmt: skip
_LINES = ("Alto", "Arbo", "Bello", "Brio", "Cora", "Dune", "Echo", "Fern", "Grano", "Iris", "Lago",
          "Luna", "Mesa", "Nova", "Opal", "Pino", "Rona", "Salto", "Terra", "Vela")  # fmt: skip
_FINISH = ("", ", black", ", oak", ", white", ", small", ", large", ", grey")
_SUBJECT = {
    "Delivery": ("Parcel has not come", "Delivered to the wrong door", "One box is missing", "Can the delivery wait?"),
    "Billing": (
        "Charged twice",
        "Invoice shows the old address",
        "Discount was not taken off",
        "Need a copy of the bill",
    ),
    "Defect": ("Leg is loose", "Scratch on the top", "Switch does not work", "Drawer gets stuck"),
    "Account": ("Cannot sign in", "Wrong name on the account", "Please change my e-mail", "Too many newsletters"),
    "Return": (
        "Wants to send it back",
        "Return label is missing",
        "Where is my refund?",
        "Exchange for another colour",
    ),
}
_BODY = (
    "I have waited for {n} days now and nobody has called me back.",
    "This is about my order of last month. Could someone look into it?",
    "It is the second time that this happens to me.",
    "No hurry, but I would like to know before the weekend.",
    "My neighbour in {town} had the same trouble with you.",
    "Please answer by e-mail, I cannot be reached by phone.",
    "I only noticed it after {n} days, sorry.",
)
_STAFF_NOTE = (
    "Called the customer, no answer.",
    "The warehouse in {town} is looking into it.",
    "Asked for {n} photos.",
)
_CUSTOMER_NOTE = (
    "Any news on this?",
    "Thank you for the quick reply!",
    "I have sent you {n} photos.",
    "Still the same as before.",
)
_REVIEW = {
    5: ("Better than I had hoped.", "Would buy it again at once.", "Sturdy, and it looks lovely in our flat."),
    4: ("Good, though it took {n} days to arrive.", "Nice colour, easy to put together.", "Does what it should."),
    3: ("It is all right for the price.", "Smaller than it looks on the picture.", "Neither good nor bad."),
    2: ("It wobbles a little.", "The finish came off after {n} weeks.", "Two screws were missing."),
    1: ("Broke after {n} days.", "Never again.", "Came damaged, and nobody answers the phone."),
}  # fmt: skip
_STATUS = ("pending", "paid", "shipped", "cancelled", "returned")


def fill_crm(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write all of the content."""
    people = cast.people
    roles = {
        1: "manager",
        2: "sales",
        3: "sales",
        4: "sales",
        5: "sales",
        6: "former",
        7: "support",
        8: "support",
        9: "admin",
    }
    db.executemany("UPDATE account SET role = ? WHERE id = ?", [(role, id) for id, role in roles.items()])
    db.executemany("INSERT INTO town VALUES (?, ?)", [(t, REGIONS[i % 4]) for i, t in enumerate(sorted(cast.towns))])
    customers = list(_customers(draw, cast, max(24, size)))
    db.executemany("INSERT INTO customer VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", customers)
    products = list(_products(draw, max(30, size)))
    db.executemany("INSERT INTO product VALUES (?, ?, ?, ?, ?, ?, ?, ?)", products)
    variants = [
        (product[0], name, draw.integer(0, 12))
        for product in products
        if product[2].endswith(", oak")
        for name in ("plain", "oiled")
    ]
    db.executemany("INSERT INTO variant (product, name, stock) VALUES (?, ?, ?)", variants)
    _sales(db, draw, cast, customers, products, max(70, size * 5 // 2))
    tickets = list(_tickets(draw, cast, len(customers), 24 + size * 3 // 5))
    db.executemany("INSERT INTO ticket VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", tickets)
    db.executemany("INSERT INTO note (ticket, author, text, at) VALUES (?, ?, ?, ?)", _notes(draw, cast, tickets))
    db.executemany("INSERT INTO deal VALUES (?, ?, ?, ?, ?, ?, ?)", _deals(draw, cast, 28 + size // 2))
    db.executemany("INSERT INTO review VALUES (?, ?, ?, ?, ?, ?, ?)", _reviews(draw, cast, products, 30 + size // 2))
    settings = [
        (p.id, name, "on") for p in people[:9] for name in ("weekly summary", "low stock alert", "new review alert")
    ]
    db.executemany("INSERT INTO setting VALUES (?, ?, ?)", settings)
    texts = (
        "Order new business cards",
        "Check the price list of the rivals",
        f"Lunch with {people[1].first}",
        "Hand in the travel costs",
    )
    reminders = [f"Call {draw.choice(people[9:]).first} back", *draw.sample(texts, 3)]
    db.executemany("INSERT INTO reminder (text) VALUES (?)", [(text,) for text in reminders])
    for _ in range(12):
        at = (cast.now - datetime.timedelta(hours=draw.integer(2, 400))).strftime("%Y-%m-%d %H:%M")
        number, who = draw.integer(1, len(customers)), people[draw.integer(1, 7)].name
        text = draw.choice(("address corrected", "phone number changed", "segment changed", "opened"))
        db.execute(
            "INSERT INTO log (at, who, subject, text) VALUES (?, ?, ?, ?)", (at, who, f"customer {number}", text)
        )


def _customers(draw: Draw, cast: Cast, count: int) -> Iterator[tuple[Any, ...]]:
    """Return people and companies of the world, others with mixed names, and a few entered twice."""
    twice = max(2, count // 15)
    entries: list[tuple[str, str, str, str, str]] = [
        (p.name, p.email, p.phone, p.town, "Private") for p in draw.shuffled(cast.people[9:])
    ]
    business = [(c.name, f"office@{c.domain}", f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}", c.town,
                 draw.choice(SEGMENTS[1:])) for c in draw.shuffled(cast.companies)]  # fmt: skip
    entries = entries[: count * 2 // 3] + business[: count // 4]
    names = {entry[0] for entry in entries} | {p.name for p in cast.people}
    while len(entries) < count - twice:
        name = f"{draw.choice(cast.people).first} {draw.choice(cast.people).name.split(' ')[1]}"
        if name not in names:
            names.add(name)
            email = f"{name.replace(' ', '.')}@{draw.choice(('post', 'mailbox', 'inbox'))}.test".lower()
            phone = f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}"
            entries.append((name, email, phone, draw.choice(cast.towns), "Private"))
    entries = entries[: count - twice]
    for name, email, phone, _, _ in [e for e in entries if e[4] == "Private"][:twice]:
        entries.append((name, email.partition("@")[0] + "@work.test", phone, draw.choice(cast.towns), "Private"))
    first, last = cast.today - datetime.timedelta(2200), cast.today - datetime.timedelta(450)
    days = draw.sample(range((last - first).days), count)
    for id, (entry, day) in enumerate(zip(draw.shuffled(entries), days, strict=True), 1):
        yield (id, *entry, draw.integer(2, 6), (first + datetime.timedelta(day)).isoformat(), "")


def _products(draw: Draw, count: int) -> Iterator[tuple[Any, ...]]:
    """Return products; a pair of brand and category has several, which differ by line and finish."""
    names: set[str] = set()
    brands, categories = (BRANDS, CATEGORIES) if count >= 60 else (BRANDS[:3], CATEGORIES[:3])
    id = 0
    while len(names) < count:
        category = draw.choice(categories)
        name = f"{draw.choice(_LINES)} {draw.choice(_THINGS[category])}{draw.choice(_FINISH)}"
        if name in names:
            continue
        names.add(name)
        id += 1
        price = draw.integer(45, 1900) * 20  # five per cent of it is a whole number of cents
        stock = draw.weighted((0, draw.integer(1, 9), draw.integer(10, 120)), (1, 3, 6))
        brand = draw.choice(brands)
        sku = f"{brand[:2].upper()}-{category[:2].upper()}-{1000 + id}"
        yield id, sku, name, brand, category, price, stock, int(not draw.chance(0.12))


def _sales(
    db: sqlite3.Connection, draw: Draw, cast: Cast, customers: list[Any], products: list[Any], count: int
) -> None:
    first = cast.today - datetime.timedelta(420)
    sales, lines = [], []
    days = sorted(int(draw.unit() * 420) for _ in range(count))
    buyers = draw.shuffled(customers)[: max(12, len(customers) * 3 // 5)]
    once = [customer for customer in buyers if sum(other[1] == customer[1] for other in customers) == 1]
    fussy, rival = once[:2]  # who cancels most, by one order, and who comes next
    for id, day in enumerate(days, 1001):
        recent = day > 395
        status = draw.weighted(_STATUS, (8, 3, 2, 1, 0) if recent else (1, 1, 9, 3, 3))
        total = 0
        for product in draw.sample(products, draw.integer(1, 3)):
            quantity = draw.weighted((1, 2, 3, 4), (6, 3, 1, 1))
            lines.append((id, product[0], quantity, product[5]))
            total += quantity * product[5]
        buyer = buyers[int(draw.unit() ** 1.5 * len(buyers))]
        while status == "cancelled" and buyer in (fussy, rival):
            buyer = draw.choice(buyers)
        sales.append((id, buyer[0], (first + datetime.timedelta(day)).isoformat(), status, total))
    cancelled = [place for place, sale in enumerate(sales) if sale[3] == "cancelled"]
    for number, place in enumerate(draw.sample(cancelled, len(cancelled) // 2 | 1 if cancelled else 0)):
        sales[place] = (sales[place][0], (rival if number % 2 else fussy)[0], *sales[place][2:])
    db.executemany("INSERT INTO sale VALUES (?, ?, ?, ?, ?)", sales)
    db.executemany("INSERT INTO line VALUES (?, ?, ?, ?)", lines)


def _tickets(draw: Draw, cast: Cast, customers: int, count: int) -> Iterator[tuple[Any, ...]]:
    days = sorted(int(draw.unit() * 120) for _ in range(count))
    for id, day in enumerate(days, 1):
        kind = draw.choice(KINDS)
        body = " ".join(draw.sample(_BODY, 2)).format(n=draw.integer(2, 9), town=draw.choice(cast.towns))
        status = draw.weighted(("open", "waiting", "closed"), (4, 2, 4) if day > 40 else (1, 1, 4))
        opened = (cast.today - datetime.timedelta(120 - day)).isoformat()
        priority = draw.weighted(PRIORITIES[:3], (2, 5, 3))
        yield (id, draw.integer(1, customers), draw.choice(_SUBJECT[kind]), body, kind, priority, status,
               draw.choice((7, 8)), opened)  # fmt: skip


def _notes(draw: Draw, cast: Cast, tickets: list[Any]) -> Iterator[tuple[Any, ...]]:
    for ticket in tickets:
        for number in range(draw.integer(0, 2)):
            staff = draw.chance(0.5)
            author = draw.choice(cast.people[6:8]).name if staff else "Customer"
            text = draw.choice(_STAFF_NOTE if staff else _CUSTOMER_NOTE).format(
                n=draw.integer(2, 5), town=draw.choice(cast.towns)
            )
            yield ticket[0], author, text, f"{ticket[8]} {10 + number}:{draw.integer(10, 59)}"


def _deals(draw: Draw, cast: Cast, count: int) -> Iterator[tuple[Any, ...]]:
    what = ("office chairs", "lighting", "a new reception", "shelving", "the canteen", "home offices", "storage rooms")
    for id in range(1, count + 1):
        company = draw.choice(cast.companies).name
        due = cast.today + datetime.timedelta(draw.integer(-60, 120))
        stage = draw.weighted(STAGES, (3, 3, 3, 2, 2))
        title = f"{company}: {draw.choice(what)}"
        yield id, title, company, draw.integer(4, 240) * 25000, stage, draw.integer(2, 6), due.isoformat()


def _reviews(draw: Draw, cast: Cast, products: list[Any], count: int) -> Iterator[tuple[Any, ...]]:
    reviewed = draw.sample(products, max(8, len(products) // 3))
    for id in range(1, count + 1):
        stars = draw.integer(1, 5)
        text = draw.choice(_REVIEW[stars]).format(n=draw.integer(2, 9))
        day = cast.today - datetime.timedelta(draw.integer(1, 90))
        status = "waiting" if draw.chance(0.6) else "approved"
        author = draw.choice(cast.people[9:]).name
        yield id, draw.choice(reviewed)[0], author, stars, text, status, day.isoformat()
