"""The travel site's trains with prices by day, hotels with prices by night, and bookings."""

import datetime
import sqlite3
from functools import lru_cache
from math import isqrt

from turnwise.worlds.web.site import Cast, Draw

__all__ = [
    "BAG", "COMFORTS", "FARES", "INSURANCE", "MOST_BAGS", "SCHEMA", "SEATS", "WINDOW", "Fare", "distance", "fare_price",
    "fill_travel",
    "reference",
]  # fmt: skip

WINDOW = 20
"""Days from tomorrow on that can be booked."""
BAG, INSURANCE, MOST_BAGS = 800, 450, 4
COMFORTS = ("Standard", "First")
SEATS = ("No preference", "Window", "Aisle", "Table")


class Fare:
    """Rules of a fare.

    Args:
        factor: Per cent of the saver price.
        change: Fee in cents for each passenger of a change; None if changes are not allowed.
        refund: Per cent that is refunded.
    """

    def __init__(self, factor: int, change: int | None, refund: int) -> None:
        self.factor, self.change, self.refund = factor, change, refund


FARES = {"Saver": Fare(100, None, 0), "Regular": Fare(125, 1500, 50), "Flex": Fare(160, 0, 100)}

SCHEMA = """
CREATE TABLE service (id INTEGER PRIMARY KEY, number TEXT NOT NULL, carrier TEXT NOT NULL, origin TEXT NOT NULL,
    destination TEXT NOT NULL, departs TEXT NOT NULL, minutes INTEGER NOT NULL, changes INTEGER NOT NULL, via TEXT
    NOT NULL);
CREATE INDEX service_route ON service (origin, destination);
CREATE TABLE run (id INTEGER PRIMARY KEY, service INTEGER NOT NULL, date TEXT NOT NULL, price INTEGER NOT NULL,
    standard_left INTEGER NOT NULL, first_left INTEGER NOT NULL);
CREATE INDEX run_service ON run (service, date);
CREATE TABLE card (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, label TEXT NOT NULL);
CREATE TABLE booking (id INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, run INTEGER
    NOT NULL, comfort TEXT NOT NULL, fare TEXT NOT NULL, seat TEXT NOT NULL DEFAULT 'No preference', bags INTEGER
    NOT NULL DEFAULT 0, insured INTEGER NOT NULL DEFAULT 0, price INTEGER NOT NULL, card INTEGER NOT NULL, status
    TEXT NOT NULL DEFAULT 'confirmed', refund INTEGER NOT NULL DEFAULT 0, booked TEXT NOT NULL);
CREATE TABLE passenger (id INTEGER PRIMARY KEY, booking INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE venue (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, x INTEGER NOT NULL, y INTEGER
    NOT NULL);
CREATE TABLE hotel (id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, stars INTEGER NOT NULL, x
    INTEGER NOT NULL, y INTEGER NOT NULL, breakfast INTEGER NOT NULL, refundable INTEGER NOT NULL, about TEXT NOT
    NULL, photo TEXT NOT NULL DEFAULT '');
CREATE TABLE night (hotel INTEGER NOT NULL, date TEXT NOT NULL, price INTEGER NOT NULL, rooms INTEGER NOT NULL,
    PRIMARY KEY (hotel, date)) WITHOUT ROWID;
CREATE TABLE review (id INTEGER PRIMARY KEY, hotel INTEGER NOT NULL, author INTEGER NOT NULL, stars INTEGER NOT
    NULL, date TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX review_hotel ON review (hotel);
CREATE TABLE stay (id INTEGER PRIMARY KEY, reference TEXT NOT NULL UNIQUE, owner INTEGER NOT NULL, hotel INTEGER
    NOT NULL, arrives TEXT NOT NULL, nights INTEGER NOT NULL, guests INTEGER NOT NULL, breakfast INTEGER NOT NULL
    DEFAULT 0, price INTEGER NOT NULL, card INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'confirmed', refund
    INTEGER NOT NULL DEFAULT 0, booked TEXT NOT NULL);
CREATE TABLE favourite (owner INTEGER NOT NULL, hotel INTEGER NOT NULL, PRIMARY KEY (owner, hotel)) WITHOUT ROWID;
CREATE TABLE preference (owner INTEGER PRIMARY KEY, seat TEXT NOT NULL DEFAULT 'No preference', newsletter INTEGER
    NOT NULL DEFAULT 0);
CREATE TABLE draft (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, run INTEGER NOT NULL, comfort TEXT NOT NULL,
    fare TEXT NOT NULL, passengers INTEGER NOT NULL, names TEXT NOT NULL DEFAULT '', seat TEXT NOT NULL DEFAULT '',
    bags INTEGER NOT NULL DEFAULT 0, insured INTEGER NOT NULL DEFAULT 0);
"""

_CARRIERS = (("Northline", "NL"), ("Valley Express", "VX"), ("Coastway", "CW"), ("Interlink", "IL"))
_HOTELS = (
    "Anchor", "Bell", "Crown", "Dolphin", "Eagle", "Fountain", "Garden", "Harp", "Lion", "Mermaid", "Oak", "Post",
    "Rose", "Star", "Swan", "Tower",
)  # fmt: skip
_STYLES = ("{} Hotel", "Hotel {}", "The {} Inn", "{} Rooms", "Grand {}", "{} House", "Little {}", "{} Suites")
_VENUES = ("{} Arena", "{} Congress Hall", "{} Opera House", "{} Museum", "{} Trade Fair", "{} University")
_ABOUT = (
    "A quiet house with {} rooms and a small garden.",
    "Renovated two years ago, {} rooms, lift and bicycle store.",
    "A family business with {} rooms above a bakery.",
    "{} rooms behind the old post office; parking in the yard.",
    "Plain and clean: {} rooms, desk and kettle in each.",
)
_GOOD = (
    "The bed was comfortable and the staff kind.",
    "Breakfast was better than I had expected.",
    "Quiet at night, although the street is busy by day.",
    "Check-in took two minutes. We would come again.",
    "A large room with a view of the church.",
    "Spotless, and the tea in the lounge is free.",
)
_BAD = (
    "The lift was out of order for the whole stay.",
    "Thin walls: we heard the neighbours' television.",
    "The shower stayed cold until nine.",
    "They had lost our booking and took half an hour to find it.",
    "The wireless network did not reach the third floor.",
)
_MORE = (
    "Ask for a room to the yard.",
    "The station is a short walk away.",
    "Parking costs extra.",
    "Our children liked the parrot at the desk.",
    "We paid by card without trouble.",
    "The key is a real one, made of brass.",
)


def reference(letter: str, number: int, now: datetime.datetime) -> str:
    """Return the reference of a booking by its id: a letter for its kind and four more, all different.

    The time of the world and the kind are in it, so that a reference reveals nothing about other kinds and worlds.
    """
    factor, start = _series(letter, now)
    rest, letters = (number * factor + start) % 26**4, ""
    for _ in range(4):
        rest, place = divmod(rest, 26)
        letters += chr(65 + place)
    return letter + letters


@lru_cache(256)
def _series(letter: str, now: datetime.datetime) -> tuple[int, int]:
    """Return step and start of a kind's references; a step coprime to 26 makes them all differ."""
    draw = Draw("travel reference", letter, now.isoformat())
    units = (1, 3, 5, 7, 9, 11, 15, 17, 19, 21, 23, 25)
    return 26 * draw.integer(26, 26**3 - 1) + draw.choice(units), draw.integer(0, 26**4 - 1)


def fare_price(saver: int, comfort: str, fare: str) -> int:
    """Return cents per passenger, in steps of ten, from the saver price of the standard class."""
    return saver * (170 if comfort == "First" else 100) * FARES[fare].factor // 100_000 * 10


def distance(x: int, y: int, to_x: int, to_y: int) -> int:
    """Return the straight-line distance in units of 100 metres."""
    return isqrt((x - to_x) ** 2 + (y - to_y) ** 2)


def fill_travel(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write all rows; ``size`` is the number of train services."""
    _trains(db, draw, cast, size)
    _hotels(db, draw, cast, size)
    for person in cast.people[:20]:
        for kind in draw.sample(("Visa", "Mastercard", "Amex", "Giro"), 2 if person.id == 1 else 1):
            label = f"{kind} ending {draw.integer(1000, 9999)}"
            db.execute("INSERT INTO card (owner, label) VALUES (?, ?)", (person.id, label))
    db.executemany("INSERT INTO preference (owner) VALUES (?)", [(person.id,) for person in cast.people])
    _booked_trains(db, draw, cast)
    _booked_stays(db, draw, cast)


def _days(cast: Cast) -> list[datetime.date]:
    return [cast.today + datetime.timedelta(n) for n in range(1, WINDOW + 1)]


def _trains(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    towns = [cast.user.town, *(town for town in cast.towns if town != cast.user.town)]
    per_route = 6 if size < 200 else 10
    routes = [(a, b) for a in towns for b in towns if a != b]
    home = [route for route in routes if towns[0] in route]
    chosen = [*draw.shuffled(home), *draw.shuffled([route for route in routes if towns[0] not in route])]
    days, runs = _days(cast), []
    gone = [draw.sample(days, 2) for _ in chosen]  # on these days all trains of the route are sold out
    served = list(dict.fromkeys(town for pair in chosen[: -(-size // per_route)] for town in pair))
    for number in range(1, size + 1):
        route = (number - 1) // per_route % len(chosen)
        origin, destination = chosen[route]
        carrier, code = draw.choice(_CARRIERS)
        changes = draw.weighted((0, 1, 2), (5, 5, 3))
        between = [town for town in (served if len(served) > 3 else towns) if town not in (origin, destination)]
        via = draw.sample(between, changes)
        minutes = 60 + route % 7 * 17 + changes * draw.integer(25, 60) + draw.integer(0, 30)
        departs = f"{draw.integer(5, 19):02d}:{draw.integer(0, 11) * 5:02d}"
        service = (number, f"{code} {100 + number * 7}", carrier, origin, destination, departs, minutes, changes)
        db.execute("INSERT INTO service VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*service, ", ".join(via)))
        base, runs_at = draw.integer(250, 700) - changes * 70, draw.choice((127, 127, 127, 31, 111))
        for day in days:
            if runs_at >> day.weekday() & 1:
                busy = 130 if day.weekday() in (4, 6) else 100
                price = base * busy * draw.integer(80, 125) // 10_000 * 10
                left = 0 if draw.chance(0.12) else draw.integer(1, 60)
                first = 0 if draw.chance(0.15) else draw.integer(1, 14)
                seats = (0, 0) if day in gone[route] else (left, first)
                runs.append((number, day.isoformat(), price, *seats))
        past = cast.today - datetime.timedelta(draw.integer(5, 60))
        runs.append((number, past.isoformat(), base * 10, 12, 3))
    runs.sort(key=lambda run: (run[1], run[0]))
    db.executemany("INSERT INTO run (service, date, price, standard_left, first_left) VALUES (?, ?, ?, ?, ?)", runs)


def _hotels(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    towns = draw.shuffled(cast.towns)[: max(2, min(12, size // 15))]
    for town in towns:
        for style in draw.sample(_VENUES, 2):
            place = (draw.integer(20, 60), draw.integer(20, 60))
            db.execute("INSERT INTO venue (name, town, x, y) VALUES (?, ?, ?, ?)", (style.format(town), town, *place))
    names = draw.sample([style.format(word) for word in _HOTELS for style in _STYLES], max(12, size // 3))
    days, nights, reviews = _days(cast), [], []
    for number, name in enumerate(names, 1):
        stars, town = draw.weighted((2, 3, 4, 5), (3, 5, 4, 1)), towns[number % len(towns)]
        hotel = (number, name, town, stars, draw.integer(10, 70), draw.integer(10, 70), draw.integer(8, 18) * 100)
        about = draw.choice(_ABOUT).format(draw.integer(9, 80))
        db.execute("INSERT INTO hotel VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '')", (*hotel, draw.choice((1, 3, 7)), about))
        base = 350 + stars * 150 + draw.integer(0, 300)
        for day in days:
            price = base * (125 if day.weekday() in (4, 5) else 100) * draw.integer(90, 115) // 10_000 * 10
            nights.append((number, day.isoformat(), price, 0 if draw.chance(0.06) else draw.integer(1, 9)))
        for _ in range(draw.integer(2, 7)):
            good = draw.chance(0.65)
            text = f"{draw.choice(_GOOD if good else _BAD)} {draw.choice(_MORE)}"
            day = cast.today - datetime.timedelta(draw.integer(10, 400))
            given = draw.integer(4, 5) if good else draw.integer(1, 3)
            reviews.append((number, draw.integer(2, len(cast.people)), given, day.isoformat(), text))
    db.executemany("INSERT INTO night VALUES (?, ?, ?, ?)", nights)
    db.executemany("INSERT INTO review (hotel, author, stars, date, text) VALUES (?, ?, ?, ?, ?)", reviews)


def _booked_trains(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    today = cast.today.isoformat()
    later = db.execute("SELECT id, price FROM run WHERE date > ? ORDER BY id", (today,)).fetchall()
    past = db.execute("SELECT id, price FROM run WHERE date < ? ORDER BY id", (today,)).fetchall()
    chosen = [*draw.sample(later, 18), *draw.sample(past, 5)]
    fares = [*draw.shuffled(("Saver", "Regular", "Flex", "Regular", "Flex", "Saver", "Regular")), "Flex"]
    for number, (run, saver) in enumerate(chosen, 1):
        mine = number <= 8 or number > 20
        owner = 1 if mine else draw.integer(2, 20)
        card = db.execute("SELECT min(id) FROM card WHERE owner = ?", (owner,)).fetchone()[0]
        comfort, fare = draw.weighted(COMFORTS, (3, 1)), fares[(number - 1) % len(fares)]
        names = [cast.people[owner - 1].name]
        if draw.chance(0.3):
            names.append(draw.choice(cast.people[20:]).name)
        bags = draw.choice((0, 0, 1))
        price = fare_price(saver, comfort, fare) * len(names) + bags * BAG
        gone = number == 8
        refund = price * FARES[fare].refund // 100 if gone else 0
        booked = (cast.now - datetime.timedelta(draw.integer(3, 30))).isoformat(" ", "minutes")
        db.execute(
            "INSERT INTO booking (reference, owner, run, comfort, fare, bags, price, card, status, refund, booked)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (reference("K", number, cast.now), owner, run, comfort, fare, bags, price, card,
             "cancelled" if gone else "confirmed", refund, booked),
        )  # fmt: skip
        db.executemany("INSERT INTO passenger (booking, name) VALUES (?, ?)", [(number, name) for name in names])


def _booked_stays(db: sqlite3.Connection, draw: Draw, cast: Cast) -> None:
    count = db.execute("SELECT count(*) FROM hotel").fetchone()[0]
    for number in range(1, 9):
        owner, hotel, nights = 1 if number <= 4 else draw.integer(2, 20), draw.integer(1, count), draw.integer(1, 4)
        arrives = cast.today + datetime.timedelta(draw.integer(2, WINDOW - 4))
        last = arrives + datetime.timedelta(nights - 1)
        price = db.execute(
            "SELECT sum(price) FROM night WHERE hotel = ? AND date BETWEEN ? AND ?",
            (hotel, arrives.isoformat(), last.isoformat()),
        ).fetchone()[0]
        card = db.execute("SELECT min(id) FROM card WHERE owner = ?", (owner,)).fetchone()[0]
        booked = (cast.now - datetime.timedelta(draw.integer(3, 30))).isoformat(" ", "minutes")
        db.execute(
            "INSERT INTO stay (reference, owner, hotel, arrives, nights, guests, price, card, booked)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                reference("H", number, cast.now),
                owner,
                hotel,
                arrives.isoformat(),
                nights,
                draw.integer(1, 2),
                price,
                card,
                booked,
            ),
        )
