"""A travel agency: flights, hotels and bookings of both."""

import datetime

from turnwise.core.draw import Draw
from turnwise.worlds.calls.api import Answer, Api, Do, Place, Request, asked, dump
from turnwise.worlds.desks.declare import desk_tool
from turnwise.worlds.desks.said import Said, money, number, words
from turnwise.worlds.desks.store import Row, Store, Tables
from turnwise.worlds.names import FIRST, LAST, TOWNS, listed

__all__ = ["TRAVEL"]

HOUSES = listed("Anchor Astoria Bellevue Corona Excelsior Grand Linden Metropol Palace Regent Savoy Victoria")


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError(f"{text[:20]!r} is not a date; write it like 2026-03-31") from None


def search_flights(store: Store, origin: str, destination: str, date: str) -> str:
    """List the flights between two towns on a day."""
    found = store.rows("flights", origin=origin, destination=destination, date=_date(date))
    return dump([{"flight_id": key, **row} for key, row in found])


def get_flight(store: Store, flight_id: str) -> str:
    """Show a flight."""
    return dump({"flight_id": flight_id, **store.row("flights", flight_id)})


def book_flight(store: Store, flight_id: str, passenger: str) -> str:
    """Book a seat for a passenger, given by full name; no bags are included."""
    flight = store.row("flights", flight_id)
    if not flight["seats"]:
        raise ValueError(f"{flight_id} is full")
    if not 3 <= len(passenger) <= 60:
        raise ValueError("the passenger's full name is needed")
    booking = store.next_key("bookings", "B")
    store.change("flights", flight_id, seats=flight["seats"] - 1)
    row = {"flight_id": flight_id, "passenger": passenger, "bags": 0, "status": "booked"}
    store.put("bookings", booking, row)
    return dump({"booking_id": booking, **row, "price": flight["price"]})


def _booked(store: Store, booking_id: str) -> Row:
    row = store.row("bookings", booking_id)
    if row["status"] != "booked":
        raise ValueError(f"{booking_id} is cancelled")
    return row


def set_bags(store: Store, booking_id: str, bags: int) -> str:
    """Set the number of bags of a flight booking."""
    _booked(store, booking_id)
    if not 0 <= bags <= 5:
        raise ValueError("bags must be from 0 to 5")
    return dump({"booking_id": booking_id, **store.change("bookings", booking_id, bags=bags)})


def cancel_booking(store: Store, booking_id: str) -> str:
    """Cancel a flight booking; the seat is free again."""
    row = _booked(store, booking_id)
    seats = store.row("flights", row["flight_id"])["seats"]
    store.change("flights", row["flight_id"], seats=seats + 1)
    return dump({"booking_id": booking_id, **store.change("bookings", booking_id, status="cancelled")})


def list_bookings(store: Store, passenger: str = "") -> str:
    """List the flight bookings, of one passenger if a full name is given."""
    found = store.rows("bookings", passenger=passenger) if passenger else store.rows("bookings")
    return dump([{"booking_id": key, **row} for key, row in found])


def search_hotels(store: Store, town: str, most: float = 10_000.0) -> str:
    """List the hotels of a town, up to a price in dollars for a night."""
    return dump([{"hotel_id": k, **row} for k, row in store.rows("hotels", town=town) if row["price"] <= most])


def book_hotel(store: Store, hotel_id: str, guest: str, arrival: str, nights: int) -> str:
    """Book a room for a guest, given by full name."""
    hotel = store.row("hotels", hotel_id)
    if not 1 <= nights <= 30 or not 3 <= len(guest) <= 60:
        raise ValueError("nights must be from 1 to 30, and the guest's full name is needed")
    stay = store.next_key("stays", "S")
    row = {"hotel_id": hotel_id, "guest": guest, "arrival": _date(arrival), "nights": nights, "status": "booked"}
    store.put("stays", stay, row)
    return dump({"stay_id": stay, **row, "total": round(hotel["price"] * nights, 2)})


def cancel_stay(store: Store, stay_id: str) -> str:
    """Cancel a booking of a hotel room."""
    if store.row("stays", stay_id)["status"] != "booked":
        raise ValueError(f"{stay_id} is cancelled")
    return dump({"stay_id": stay_id, **store.change("stays", stay_id, status="cancelled")})


def list_stays(store: Store, guest: str = "") -> str:
    """List the bookings of hotel rooms, of one guest if a full name is given."""
    found = store.rows("stays", guest=guest) if guest else store.rows("stays")
    return dump([{"stay_id": key, **row} for key, row in found])


def fill(draw: Draw, rows: int, today: datetime.date) -> Tables:
    """Draw flights between a few towns, hotels there, and bookings."""
    towns = draw.sample(TOWNS, 4)
    flights = {}
    for place in range(2 * rows):
        origin, destination = draw.sample(towns, 2)
        flights[f"F{2001 + place}"] = {
            "origin": origin, "destination": destination,
            "date": (today + datetime.timedelta(draw.integer(3, 6))).isoformat(),
            "departs": f"{draw.integer(6, 21):02d}:{draw.either('05', '20', '35', '50')}",
            "price": float(draw.integer(49, 690)), "seats": draw.integer(1, 60),
        }  # fmt: skip
    hotels: dict[str, Row] = {}
    for place, house in enumerate(draw.shuffled(HOUSES)):
        hotels[f"H{3001 + place}"] = {"name": f"Hotel {house}", "town": towns[place % 4], "stars": draw.integer(2, 5),
                                      "price": float(draw.integer(55, 320))}  # fmt: skip
    people = [f"{first} {last}" for first, last in zip(draw.sample(FIRST, 6), draw.sample(LAST, 6), strict=True)]
    bookings = {
        f"B{4001 + place}": {"flight_id": flight, "passenger": people[place], "bags": draw.below(3), "status": "booked"}
        for place, flight in enumerate(draw.sample(list(flights), 4))
    }
    stays = {
        f"S{5001 + place}": {"hotel_id": hotel, "guest": people[place],
                             "arrival": (today + datetime.timedelta(draw.integer(2, 20))).isoformat(),
                             "nights": draw.integer(1, 6), "status": "booked"}
        for place, hotel in enumerate(draw.sample(list(hotels), 3))
    }  # fmt: skip
    return {"flights": flights, "hotels": hotels, "bookings": bookings, "stays": stays}


# ---- what people ask for --------------------------------------------------------------------------------------------


def _day(text: str) -> str:
    date = datetime.date.fromisoformat(text)
    return f"{date:%B} {date.day}"


def _person(place: Place) -> str:
    return f"{place.draw.choice(FIRST)} {place.draw.choice(LAST)}"


def _route(place: Place) -> tuple[str, str, str] | None:
    """Return a route and a day with several flights, one of which is the cheapest and has a seat."""
    routes: dict[tuple[str, str, str], list[Row]] = {}
    for _, row in place.store.rows("flights"):
        routes.setdefault((row["origin"], row["destination"], row["date"]), []).append(row)
    good = []
    for route, rows in routes.items():
        prices = sorted(row["price"] for row in rows)
        if len(prices) > 1 and prices[0] < prices[1] and all(row["seats"] for row in rows):
            good.append(route)
    return place.draw.choice(good) if good else None


def _cheapest(do: Do, route: tuple[str, str, str]) -> Row:
    found = do("search_flights", origin=route[0], destination=route[1], date=route[2])
    cheapest: Row = min(found, key=lambda one: one["price"])
    return cheapest


def fly(place: Place) -> Request | None:
    draw, route = place.draw, _route(place)
    if route is None:
        return None
    who = _person(place)

    def program(do: Do) -> None:
        booked = do("book_flight", flight_id=_cheapest(do, route)["flight_id"], passenger=who)
        do.memory.update(booking=booked["booking_id"], traveller=who)

    base = f"book the cheapest flight from {route[0]} to {route[1]}"
    text, blank = asked(draw, f"{base} on {_day(route[2])} for {who}", f"{base} on {_day(route[2])}")
    if draw.chance(0.5):
        return Request(text, program, blank, draw.either(f"It's for {who}.", f"For {who}.", who))
    form = text.replace(f" on {_day(route[2])}", "")
    return Request(text, program, form, draw.either(f"On {_day(route[2])}.", _day(route[2])))


def bags_for_last(place: Place) -> Request | None:
    booking, bags = place.memory.get("booking"), place.draw.integer(1, 4)
    if booking is None:
        return None
    row = place.store.row("bookings", booking)
    if row["status"] != "booked" or row["bags"]:
        return None

    def program(do: Do) -> None:
        do("set_bags", booking_id=booking, bags=bags)

    plural = "bag" if bags == 1 else "bags"
    text, blank = asked(place.draw, f"add {bags} {plural} to the flight that you booked last",
                        "add some bags to the flight that you booked last")  # fmt: skip
    return Request(text, program, blank, f"{bags} {plural}.", back=True)


def stay(place: Place) -> Request | None:
    draw = place.draw
    town = draw.choice(sorted({row["town"] for _, row in place.store.rows("hotels")}))
    prices = sorted(row["price"] for _, row in place.store.rows("hotels", town=town))
    if len(prices) < 2 or prices[0] == prices[1]:
        return None
    who = place.memory.get("traveller") if draw.chance(0.5) else None
    guest, nights = who or _person(place), draw.integer(1, 7)
    arrival = (place.today + datetime.timedelta(draw.integer(3, 6))).isoformat()

    def program(do: Do) -> None:
        hotel = min(do("search_hotels", town=town), key=lambda one: one["price"])
        booked = do("book_hotel", hotel_id=hotel["hotel_id"], guest=guest, arrival=arrival, nights=nights)
        do.memory["stay"] = booked["stay_id"]

    plural = "night" if nights == 1 else "nights"
    name = "the passenger whose flight you booked last" if who else guest
    base = f"book a room in the cheapest hotel in {town} for {name}"
    text, blank = asked(draw, f"{base}, arriving on {_day(arrival)}, for {nights} {plural}",
                        f"{base}, arriving on {_day(arrival)}")  # fmt: skip
    return Request(text, program, blank, f"{nights} {plural}.", back=who is not None)


def drop_flight(place: Place) -> Request | None:
    booked = [row["passenger"] for _, row in place.store.rows("bookings", status="booked")]
    single = [name for name in booked if booked.count(name) == 1]
    if not single:
        return None
    who = place.draw.choice(single)

    def program(do: Do) -> None:
        rows = [row for row in do("list_bookings", passenger=who) if row["status"] == "booked"]
        do("cancel_booking", booking_id=rows[0]["booking_id"])

    text, blank = asked(place.draw, f"cancel {who}'s flight", "cancel one of the booked flights")
    return Request(text, program, blank, place.draw.either(f"The one of {who}.", f"{who}'s."))


def drop_stay(place: Place) -> Request | None:
    last = place.memory.get("stay")
    if last is None or place.store.row("stays", last)["status"] != "booked":
        return None

    def program(do: Do) -> None:
        do("cancel_stay", stay_id=last)

    return Request(asked(place.draw, "cancel the hotel room that you booked last")[0], program, back=True)


def fare(place: Place) -> Request | None:
    route = _route(place)
    if route is None:
        return None

    def program(do: Do) -> Said:
        price = _cheapest(do, route)["price"]
        do.memory["figure"] = f"{price:.2f}"
        return money(round(price * 100))

    return Request(
        place.draw.either(f"What does the cheapest flight from {route[0]} to {route[1]} cost on {_day(route[2])}?",
                          f"How much would the cheapest flight from {route[0]} to {route[1]} on {_day(route[2])} be?"),
        program,
    )  # fmt: skip


def best_hotel(place: Place) -> Request | None:
    town = place.draw.choice(sorted({row["town"] for _, row in place.store.rows("hotels")}))
    prices = sorted(row["price"] for _, row in place.store.rows("hotels", town=town))
    if len(prices) < 2 or prices[0] == prices[1]:
        return None

    def program(do: Do) -> Answer:
        name = min(do("search_hotels", town=town), key=lambda one: one["price"])["name"].removeprefix("Hotel ")
        return Answer(words(name), tuple(words(other) for other in HOUSES if other != name))

    return Request(f"Which hotel in {town} has the lowest price?", program)


def seats(place: Place) -> Request | None:
    booking = place.memory.get("booking")
    if booking is None:
        return None
    flight = place.store.row("bookings", booking)["flight_id"]

    def program(do: Do) -> Said:
        left = do("get_flight", flight_id=flight)["seats"]
        do.memory["figure"] = str(left)
        return number(left)

    return Request("How many seats are left now on the flight that you booked last?", program, back=True)


_BOOKING, _NAME = "The booking, like B4001.", "Full name."
TRAVEL = Api(
    "travel",
    (
        desk_tool(search_flights, False, origin="Town.", destination="Town.", date="Like 2026-03-31."),
        desk_tool(get_flight, False, flight_id="The flight, like F2001."),
        desk_tool(book_flight, True, flight_id="The flight, like F2001.", passenger=_NAME),
        desk_tool(set_bags, True, booking_id=_BOOKING, bags="From 0 to 5."),
        desk_tool(cancel_booking, True, booking_id=_BOOKING),
        desk_tool(list_bookings, False, passenger=_NAME),
        desk_tool(search_hotels, False, town="Town.", most="Highest price."),
        desk_tool(book_hotel, True, hotel_id="The hotel, like H3001.", guest=_NAME, arrival="Like 2026-03-31.",
                  nights="Number of nights."),
        desk_tool(cancel_stay, True, stay_id="The booking, like S5001."),
        desk_tool(list_stays, False, guest=_NAME),
    ),
    fill,
    (fly, bags_for_last, stay, drop_flight, drop_stay),
    (fare, best_hotel, seats),
    frozenset({"book_flight", "set_bags", "cancel_booking", "book_hotel", "cancel_stay"}),
)  # fmt: skip
