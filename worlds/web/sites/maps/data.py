"""The map's tables, and the places with hours and reviews, addresses and lists it starts with."""

import datetime
import sqlite3

from turnwise.worlds.web.site import Cast, Draw
from turnwise.worlds.web.sites.maps.network import draw_network

__all__ = ["CATEGORIES", "DAYS", "SCHEMA", "fill_maps"]

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CATEGORIES = ("Pharmacy", "Bakery", "Library", "Bank", "Supermarket", "Restaurant", "Post office", "Gym", "Bookshop",
              "Hairdresser", "Florist", "Hardware shop")  # fmt: skip

SCHEMA = """
CREATE TABLE network (id INTEGER PRIMARY KEY, town TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE address (id INTEGER PRIMARY KEY, street TEXT NOT NULL, number INTEGER NOT NULL, node INTEGER NOT NULL,
    UNIQUE (street, number));
CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, category TEXT NOT NULL,
    address INTEGER NOT NULL, phone TEXT NOT NULL, website TEXT NOT NULL, rating INTEGER NOT NULL, reviews INTEGER
    NOT NULL);
CREATE INDEX place_category ON place (category);
CREATE TABLE hours (place INTEGER NOT NULL, day INTEGER NOT NULL, opens TEXT NOT NULL, closes TEXT NOT NULL,
    PRIMARY KEY (place, day)) WITHOUT ROWID;
CREATE TABLE review (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, author INTEGER NOT NULL, stars INTEGER NOT
    NULL, date TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX review_place ON review (place);
CREATE TABLE spot (owner INTEGER NOT NULL, kind TEXT NOT NULL, address INTEGER NOT NULL, PRIMARY KEY (owner, kind))
    WITHOUT ROWID;
CREATE TABLE list (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, name TEXT NOT NULL, shared INTEGER NOT NULL
    DEFAULT 0);
CREATE TABLE saved (list INTEGER NOT NULL, place INTEGER NOT NULL, note TEXT NOT NULL DEFAULT '', PRIMARY KEY
    (list, place)) WITHOUT ROWID;
CREATE TABLE suggestion (id INTEGER PRIMARY KEY, place INTEGER NOT NULL, author INTEGER NOT NULL, field TEXT NOT
    NULL, value TEXT NOT NULL, comment TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'pending', made TEXT
    NOT NULL);
CREATE TABLE setting (owner INTEGER PRIMARY KEY, colours TEXT NOT NULL DEFAULT 'Day', shares INTEGER NOT NULL
    DEFAULT 0);
"""

_STREETS = (
    "Abbey", "Acorn", "Amber", "Anchor", "Arch", "Aspen", "Baker", "Barley", "Beech", "Bell", "Birch", "Brewer",
    "Brick", "Brook", "Candle", "Cedar", "Cherry", "Clover", "Cooper", "Coral", "Crane", "Crown", "Daisy", "Dove",
    "Eagle", "Elm", "Falcon", "Fern", "Field", "Finch", "Flint", "Forge", "Fox", "Glen", "Grange", "Hazel", "Heron",
    "Holly", "Ivy", "Juniper", "Kiln", "Lantern", "Larch", "Lark", "Laurel", "Lime", "Linen", "Maple", "Mason",
    "Meadow", "Minster", "Moat", "Nettle", "Oak", "Orchard", "Otter", "Pear", "Pilgrim", "Pine", "Plum", "Poplar",
    "Quarry", "Raven", "Reed", "Robin", "Rope", "Rowan", "Saddle", "Sage", "Salt", "Silver", "Spring", "Swan",
    "Thistle", "Thorn", "Tower", "Vine", "Walnut", "Weaver", "Well", "Willow", "Wren",
)  # fmt: skip
_WAYS = ("Road", "Lane", "Avenue", "Row")
_NOUNS = {"Post office": "Post Office", "Hardware shop": "Hardware", "Restaurant": "Kitchen", "Gym": "Fitness",
          "Bookshop": "Books", "Hairdresser": "Hair Studio", "Florist": "Flowers"}  # fmt: skip
_HOURS = {
    "Pharmacy": ((8, 18), (9, 19), (8, 13), (14, 20)),
    "Bakery": ((6, 12), (7, 13), (6, 17), (6, 11)),
    "Library": ((10, 18), (13, 19), (14, 20), (9, 13)),
    "Bank": ((9, 16), (9, 13), (8, 12), (13, 17)),
    "Supermarket": ((7, 20), (8, 21), (9, 14), (15, 22)),
    "Restaurant": ((11, 22), (12, 15), (17, 23), (18, 23)),
    "Post office": ((8, 12), (9, 17), (14, 18), (9, 13)),
    "Gym": ((6, 22), (7, 12), (15, 22), (16, 23)),
    "Bookshop": ((10, 18), (9, 13), (14, 19), (10, 16)),
    "Hairdresser": ((9, 18), (10, 14), (13, 20), (8, 13)),
    "Florist": ((8, 13), (9, 18), (14, 19), (8, 16)),
    "Hardware shop": ((7, 12), (8, 17), (9, 13), (13, 18)),
}
"""For each category the hours from which those of a place are drawn."""
_SUNDAYS = {"Restaurant": 0.9, "Gym": 0.9, "Bakery": 0.5, "Pharmacy": 0.5, "Florist": 0.4}
_SUNDAY = 0.1  # the chance that a place of another category is open on Sundays
_DAYS_OFF = (0, 0, 2, 4, 5, 5)
_SERVICE = (
    "Friendly people who know their trade.",
    "I have come here for years and was never let down.",
    "Quick, clean and fair.",
    "Worth the walk.",
)
_TROUBLE = (
    "I waited half an hour although nobody else was there.",
    "Closed early without a note on the door.",
    "The lady at the counter was in a bad mood.",
)
_GOOD = {
    "Pharmacy": "They had my medicine within the hour.",
    "Bakery": "The rye bread is the best in town.",
    "Library": "Quiet rooms and all the newspapers.",
    "Bank": "They explained every fee to me.",
    "Supermarket": "Fresh vegetables and short queues.",
    "Restaurant": "The soup alone is worth a visit.",
    "Post office": "My parcel was on its way in two minutes.",
    "Gym": "There is always a free rowing machine.",
    "Bookshop": "They found the book that I had looked for in a minute.",
    "Hairdresser": "They listen before they cut.",
    "Florist": "The flowers lasted for two weeks.",
    "Hardware shop": "They cut the boards to size at once.",
}
_BAD = {
    "Pharmacy": "They had to order everything that I needed.",
    "Bakery": "The rolls were from the day before.",
    "Library": "The book that I had reserved was not there.",
    "Bank": "They sent me from one desk to the next.",
    "Supermarket": "Half of the shelves were empty.",
    "Restaurant": "The food was cold when it came.",
    "Post office": "They could not find my parcel.",
    "Gym": "Half of the machines are broken.",
    "Bookshop": "Hardly anything but postcards.",
    "Hairdresser": "I wanted the tips cut, not half of it.",
    "Florist": "The roses hung their heads the next day.",
    "Hardware shop": "Dearer than the shop round the corner.",
}
_MORE = (
    "There is a ramp for wheelchairs.",
    "It is noisy when the school next door is out.",
    "Parking is hopeless on market days.",
    "Dogs have to wait outside.",
    "The entrance is in the yard.",
)


def fill_maps(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write all rows; ``size`` is the number of places."""
    side = next(n for n in range(6, 60) if n * n >= size * 1.2 + 8)
    user_street = cast.user.street.split(" ", 1)[1]
    words = [f"{word} {way}" for way in _WAYS for word in _STREETS]
    names = draw.sample(words, 2 * side)
    names[draw.integer(1, side - 2)] = user_street
    text = draw_network(draw, side, names)
    db.execute("INSERT INTO network (town, data) VALUES (?, ?)", (cast.user.town, text))
    home, corners = _addresses(db, draw, cast, side, names)
    nodes = [node for node in draw.shuffled(range(side * side)) if node != home[1]]
    _places(db, draw, cast, size, {node: draw.choice(corners[node]) for node in nodes[:size]}, names)
    _lists(db, draw, size)
    spots = [(1, "home", home[0]), (1, "work", draw.choice(corners[nodes[-1]]))]
    spots += [(owner, "home", draw.choice(corners[draw.choice(nodes)])) for owner in range(2, 12)]
    db.executemany("INSERT INTO spot VALUES (?, ?, ?)", spots)
    db.executemany("INSERT INTO setting (owner) VALUES (?)", [(person.id,) for person in cast.people])


def _addresses(
    db: sqlite3.Connection, draw: Draw, cast: Cast, side: int, names: list[str]
) -> tuple[tuple[int, int], dict[int, list[int]]]:
    """Return id and crossing of the user's home, and the addresses of each crossing."""
    number, street = cast.user.street.split(" ", 1)
    rows, home = [], (0, 0)
    corners: dict[int, list[int]] = {}
    for place, name in enumerate(names):
        numbers = draw.sample([n for n in range(1, 99) if str(n) != number or name != street], side)
        if name == street:
            numbers[0] = int(number)
        for position, house in enumerate(sorted(numbers)):
            node = place * side + position if place < side else position * side + place - side
            rows.append((name, house, node))
            corners.setdefault(node, []).append(len(rows))
            if name == street and str(house) == number:
                home = (len(rows), node)
    db.executemany("INSERT INTO address (street, number, node) VALUES (?, ?, ?)", rows)
    return home, corners


def _places(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int, at: dict[int, int], streets: list[str]) -> None:
    kinds = CATEGORIES[: max(4, min(len(CATEGORIES), size // 8))]
    owners = [person.name.split(" ", 1)[1] for person in cast.people]
    words = [street.split(" ")[0] for street in streets]
    used: set[str] = set()
    places, hours, reviews = [], [], []
    for number, address in enumerate(at.values(), 1):
        category = kinds[(number - 1) % len(kinds)]
        noun = _NOUNS.get(category, category)
        name = ""
        while not name or name in used:
            pattern = draw.choice(("{} {}", "Old {} {}", "New {} {}", "{} {} North", "{} {} South"))
            name = pattern.format(draw.choice(owners if draw.chance(0.4) else words), noun)
        used.add(name)
        off = {draw.choice(_DAYS_OFF)} if draw.chance(0.6) else set()
        if not draw.chance(_SUNDAYS.get(category, _SUNDAY)):
            off.add(6)
        usual, minutes = draw.choice(_HOURS[category]), [draw.choice((0, 0, 30, 30, 15, 45)) for _ in range(2)]
        for day in range(7):
            if day not in off:
                opens, closes = draw.choice(_HOURS[category]) if draw.chance(0.25) else usual
                hours.append((number, day, f"{opens:02d}:{minutes[0]:02d}", f"{closes:02d}:{minutes[1]:02d}"))
        stars = []
        level = draw.unit() * 0.8 + 0.1
        for _ in range(draw.integer(2, 6)):
            good = draw.chance(level)
            stars.append(draw.integer(4, 5) if good else draw.integer(1, 3))
            date = cast.today - datetime.timedelta(draw.integer(3, 500))
            said = (*_SERVICE, _GOOD[category]) if good else (*_TROUBLE, _BAD[category])
            text = f"{draw.choice(said)} {draw.choice(_MORE)}"
            reviews.append((number, draw.integer(2, len(cast.people)), stars[-1], date.isoformat(), text))
        rating = (sum(stars) * 20 + len(stars)) // (2 * len(stars))
        phone = f"0{draw.integer(200, 799)} {draw.integer(1000, 9999)}"
        website = f"{name.lower().replace(' ', '-')}.test"
        places.append((number, name, category, address, phone, website, rating, len(stars)))
    db.executemany("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?, ?)", places)
    db.executemany("INSERT INTO hours VALUES (?, ?, ?, ?)", hours)
    db.executemany("INSERT INTO review (place, author, stars, date, text) VALUES (?, ?, ?, ?, ?)", reviews)


def _lists(db: sqlite3.Connection, draw: Draw, size: int) -> None:
    names = ("Favourites", "Want to go", "For visitors")
    for number, name in enumerate(names, 1):
        db.execute("INSERT INTO list (owner, name) VALUES (1, ?)", (name,))
        for place in draw.sample(range(1, size + 1), draw.integer(2, 4)):
            db.execute("INSERT INTO saved (list, place) VALUES (?, ?)", (number, place))
    for owner in range(2, 6):
        number = (
            db.execute("INSERT INTO list (owner, name, shared) VALUES (?, 'Shared tips', 1)", (owner,)).lastrowid or 0
        )
        for place in draw.sample(range(1, size + 1), 3):
            db.execute("INSERT INTO saved (list, place) VALUES (?, ?)", (number, place))
