"""Tasks of the travel site about trains and trips."""

import datetime
from typing import Any, NamedTuple

from turnwise.worlds.web.site import (
    Answer,
    Draft,
    Draw,
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
from turnwise.worlds.web.sites.travel.data import (
    BAG,
    COMFORTS,
    FARES,
    INSURANCE,
    MOST_BAGS,
    WINDOW,
    fare_price,
    reference,
)

__all__ = ["book_train", "cheapest_fare", "journeys"]

journeys = Tasks()

_TRIP = """
SELECT b.id, b.reference, b.run, b.comfort, b.fare, b.bags, b.price, s.id, s.number, s.origin, s.destination, s.departs,
       r.date, r.price, (SELECT count(*) FROM passenger p WHERE p.booking = b.id)
FROM booking b JOIN run r ON r.id = b.run JOIN service s ON s.id = r.service
WHERE b.owner = 1 AND b.status = 'confirmed' AND r.date > ? ORDER BY b.id
"""
_TRAINS = """
SELECT r.id, s.number, s.carrier, s.departs, s.minutes, s.changes, r.price, r.standard_left, r.first_left
FROM service s JOIN run r ON r.service = s.id WHERE s.origin = ? AND s.destination = ? AND r.date = ? ORDER BY r.id
"""
_TRIES = 8
_LIMITS = {9: "Any", 0: "Direct only", 1: "At most 1"}
_LIMIT_WORDS = {9: "", 0: "direct ", 1: ""}
_LIMIT_ENDS = {9: "", 0: "", 1: " with at most one change"}


# ---- trains -----------------------------------------------------------------------------------------------------


@journeys.template(1)
def add_bags(world: World, draw: Draw) -> Draft | None:
    """Ask for one more bag for a trip."""
    trip = _trip(world, draw, tuple(FARES))
    if trip is None or trip[5] >= MOST_BAGS:
        return None
    booking, code, bags, price = trip[0], trip[1], trip[5], trip[6]
    more = draw.integer(1, MOST_BAGS - bags)
    words = f"{more} more bag{'s' * (more > 1)}"
    text = draw.either(
        f"Add {words} to my train trip {code}.",
        f"I travel with {words} on trip {code}: add {'them' if more > 1 else 'it'}.",
    )
    plan = click("My trips"), click(code), fill("Bags to add", str(more)), click("Add bags")
    return Draft(text, plan, (update("travel.booking", booking, bags=bags + more, price=price + more * BAG),))


@journeys.template(2)
def cheapest_fare(world: World, draw: Draw) -> Draft | None:
    """Ask what the cheapest train costs, with a limit on changes."""
    limit, comfort = draw.choice((0, 1, 1, 9)), draw.choice(COMFORTS)
    route, best = _offer(world, draw, comfort, limit, 1)
    if best is None:
        return None
    origin, destination, date = route
    kind = f"{_LIMIT_WORDS[limit]}train from {origin} to {destination} on {date}{_LIMIT_ENDS[limit]}"
    question = draw.either(
        f"What is the lowest Saver fare for one passenger in {comfort} class on a {kind}? Leave out trains "
        f"that are sold out in {comfort} class.",
        f"Find the {kind} that has the lowest Saver fare in {comfort} class and still has a seat there. What "
        "is that fare for one passenger?",
    )
    return Draft(
        question,
        _search(*route, 1, comfort, limit),
        answer=Answer.of("money", money(fare_price(best[6], comfort, "Saver"))),
    )


@journeys.template(3)
def compare_dates(world: World, draw: Draw) -> Draft | None:
    """Ask for the cheapest of several days."""
    for _ in range(_TRIES):
        origin, destination, first = _route(world, draw)
        start, steps = datetime.date.fromisoformat(first), sorted(draw.sample(range(7), draw.integer(2, 3)))
        days = [(start + datetime.timedelta(n)).isoformat() for n in steps]
        found = [_cheapest(world, origin, destination, day, "Standard", 9, 1, tie=True) for day in days]
        if all(found):  # a day beyond the last has no trains
            break
    else:
        return None
    prices = [fare_price(best[6], "Standard", "Saver") for best in found]
    either = "either day" if len(days) == 2 else "any of these days"
    text = draw.either(
        f"I can travel from {origin} to {destination} on {', '.join(days[:-1])} or {days[-1]}. What is the "
        f"lowest Saver fare for one passenger in Standard class on {either}? Leave out sold-out trains.",
        f"Compare the trains from {origin} to {destination} on {', on '.join(days[:-1])} and on {days[-1]}. "
        f"What is the lowest Saver fare in Standard class (one passenger, a train that is not sold out) on "
        f"{either}?",
    )
    plan: Plan = _search(origin, destination, days[0], 1, "Standard", 9)
    for day in days[1:]:
        plan += fill("Date", day), click("Search trains")
    return Draft(text, plan, answer=Answer.of("money", money(min(prices))))


@journeys.template(3)
def fastest_train(world: World, draw: Draw) -> Draft | None:
    """Ask for the number of the fastest train after some hour."""
    after = draw.choice(("08:00", "10:00", "12:00"))
    for _ in range(_TRIES):
        origin, destination, date = _route(world, draw)
        trains = [t for t in world("travel").rows(_TRAINS, origin, destination, date) if t[3] >= after and t[7] > 0]
        shortest = sorted(t[4] for t in trains)
        if len(trains) > 1 and shortest[0] != shortest[1]:
            break
    else:
        return None
    best = next(t for t in trains if t[4] == shortest[0])
    text = (
        f"Which train is the fastest from {origin} to {destination} on {date} among those that depart at {after} "
        "or later "
        "and have a seat left in Standard class? Answer with its number, such as AB 12."
    )
    plan = (
        *_search(origin, destination, date, 1, "Standard", 9),
        click("Duration"),
        click("Choose", near=f"{best[1]} {best[2]}", via="Next"),
    )
    return Draft(text, plan, answer=Answer.of("text", best[1], f"{best[1]} {best[2]}"))


@journeys.template(5)
def book_train(world: World, draw: Draw) -> Draft | None:
    """Ask for a whole booking."""
    wish = _booking(world, draw)
    limit, comfort, fare, names, seat, bags, insured, card, label = wish
    count = len(names)
    route, best = _offer(world, draw, comfort, limit, count)
    if best is None:
        return None
    plan = (
        *_search(*route, count, comfort, limit),
        click("Choose", near=f"{best[1]} {best[2]}", via="Next"),
        check(fare),
        click("Continue"),
        *(fill(f"Name of passenger {n}", name) for n, name in enumerate(names, 1)),
        click("Continue"),
        select("Seat", seat),
        fill("Bags (EUR 8.00 each, at most 4)", str(bags)),
        *((check("Travel insurance (EUR 4.50)"),) if insured else ()),
        click("Continue"),
        select("Card", label),
        check("I accept the conditions of carriage"),
        click("Pay and book"),
    )
    new, first = world("travel").row("SELECT max(id) + 1, (SELECT max(id) + 1 FROM passenger) FROM booking")
    price = fare_price(best[6], comfort, fare) * count + bags * BAG + insured * INSURANCE
    left = {"first_left": best[8] - count} if comfort == "First" else {"standard_left": best[7] - count}
    changes = (
        insert("travel.booking", id=new, reference=reference("K", new, world.now), owner=1, run=best[0],
               comfort=comfort, fare=fare, seat=seat, bags=bags, insured=int(insured), price=price, card=card,
               booked=world.now.isoformat(" ", "minutes")),
        *(insert("travel.passenger", id=id, booking=new, name=name) for id, name in enumerate(names, first)),
        update("travel.run", best[0], **left),
    )  # fmt: skip
    return Draft(wish.text(*route), plan, changes)


@journeys.template(3)
def change_trip(world: World, draw: Draw) -> Draft | None:
    """Ask to move a trip to another date in the same class."""
    found = _move(world, draw, ("Regular", "Flex"))
    if found is None:
        return None
    text, trip, (new, day, base, left) = found
    booking, code, run, comfort, fare, _, price, _, _, _, _, _, _, saver, count = trip
    column = "first_left" if comfort == "First" else "standard_left"
    more = fare_price(base, comfort, fare) - fare_price(saver, comfort, fare)
    cost = (max(0, more) + (FARES[fare].change or 0)) * count
    before = world("travel").row(f"SELECT {column} FROM run WHERE id = ?", run)
    plan = (
        click("My trips"),
        click(code),
        click("Change the date"),
        fill("New date", day),
        click("Show the price"),
        click("Confirm the change"),
    )
    moved = {"run": new, "price": price + cost} if cost else {"run": new}
    seats = (update("travel.run", run, **{column: before + count}), update("travel.run", new, **{column: left - count}))
    return Draft(text, plan, (update("travel.booking", booking, **moved), *seats))


@journeys.template(3)
def cancel_trip(world: World, draw: Draw) -> Draft | None:
    """Ask to cancel a trip, named by its journey, and for the refund."""
    trip = _trip(world, draw, ("Regular", "Flex"))
    if trip is None:
        return None
    booking, code, run, comfort, fare, _, price, _, _, origin, destination, _, date, _, count = trip
    trips = world("travel").rows(_TRIP, world.now.date().isoformat())
    if sum(t[9:11] == (origin, destination) and t[12] == date for t in trips) > 1:
        return None
    column = "first_left" if comfort == "First" else "standard_left"
    before = world("travel").row(f"SELECT {column} FROM run WHERE id = ?", run)
    refund = price * FARES[fare].refund // 100
    text = draw.either(
        f"Cancel my train trip from {origin} to {destination} on {date}. How much do I get back?",
        f"I do not need the train from {origin} to {destination} on {date} any more. Cancel it and tell me the refund.",
    )
    plan = click("My trips"), click(code), click("Cancel this trip"), click("Cancel the trip now")
    changes = (
        update("travel.booking", booking, status="cancelled", refund=refund),
        update("travel.run", run, **{column: before + count}),
    )
    return Draft(text, plan, changes, Answer.of("money", money(refund)))


@journeys.template(2, infeasible=True)
def change_saver_trip(world: World, draw: Draw) -> Draft | None:
    """Ask to change a trip whose fare does not allow it: not possible."""
    found = _move(world, draw, ("Saver",))
    if found is None:
        return None
    text, trip, _ = found
    plan = click("My trips"), click(trip[1]), click("Change the date")
    return Draft(text, plan, infeasible="The Saver fare of this trip cannot be changed.")


@journeys.template(3, infeasible=True)
def book_missing_train(world: World, draw: Draw) -> Draft | None:
    """Ask to book when no train of the wanted kind has a seat: not possible."""
    wish = _booking(world, draw)
    routes = world("travel").rows("SELECT DISTINCT origin, destination FROM service ORDER BY 1, 2")
    for origin, destination in draw.sample(routes, _TRIES):
        dates = world("travel").rows(
            "SELECT r.date FROM service s JOIN run r ON r.service = s.id WHERE s.origin = ? AND s.destination = ? "
            "AND r.date > ? GROUP BY r.date HAVING NOT max(s.changes <= ? AND "
            f"r.{wish.comfort.lower()}_left >= ?) ORDER BY r.date",
            origin,
            destination,
            world.now.date().isoformat(),
            wish.limit,
            len(wish.names),
        )
        if dates:
            break
    else:
        return None
    route = (origin, destination, draw.choice(dates))
    plan = _search(*route, len(wish.names), wish.comfort, wish.limit)
    return Draft(wish.text(*route), plan, infeasible="No such train has enough seats on that day.")


# ---- draws and steps -------------------------------------------------------------------------------------------------


def _trip(world: World, draw: Draw, fares: tuple[str, ...]) -> Any:
    """Draw one of the user's future trips with one of these fares."""
    trips = [t for t in world("travel").rows(_TRIP, world.now.date().isoformat()) if t[4] in fares]
    return draw.choice(trips) if trips else None


def _move(world: World, draw: Draw, fares: tuple[str, ...]) -> Any:
    """Draw a trip and a day with seats to move it to: the request, the trip, and the train; None if there is none."""
    trip = _trip(world, draw, fares)
    if trip is None:
        return None
    column = "first_left" if trip[3] == "First" else "standard_left"
    options = world("travel").rows(
        f"SELECT id, date, price, {column} FROM run WHERE service = ? AND date > ? AND id != ? AND {column} >= ? "
        "ORDER BY id",
        trip[7],
        world.now.date().isoformat(),
        trip[2],
        trip[14],
    )
    if not options:
        return None
    new = draw.choice(options)
    text = draw.either(
        f"Change my train trip {trip[1]} to {new[1]} in the same class. Do not book a new ticket.",
        f"I cannot travel from {trip[9]} to {trip[10]} on {trip[12]}. Change trip {trip[1]} to {new[1]} in the "
        "same class, without booking a new ticket.",
    )
    return text, trip, new


class _Booking(NamedTuple):
    """What is wanted of a train, whether there is one or not."""

    limit: int
    comfort: str
    fare: str
    names: tuple[str, ...]
    seat: str
    bags: int
    insured: bool
    card: int
    label: str

    def text(self, origin: str, destination: str, date: str) -> str:
        """Return the request."""
        who = "me" if len(self.names) == 1 else f"me and {self.names[1]}"
        return (
            f"Book the cheapest {_LIMIT_WORDS[self.limit]}train from {origin} to {destination} on "
            f"{date}{_LIMIT_ENDS[self.limit]} that has seats left for {who}: {self.comfort} class, {self.fare} fare, "
            f"seat: {self.seat}, {self.bags or 'no'} bag{'s' * (self.bags != 1)}, "
            f"{'with' if self.insured else 'no'} travel insurance. Pay with {self.label}. My name is {self.names[0]}."
        )


def _booking(world: World, draw: Draw) -> _Booking:
    limit, comfort = draw.choice((0, 1, 1)), draw.choice(COMFORTS)
    fare, count = draw.choice(tuple(FARES)), draw.integer(1, 2)
    names = (world.cast.user.name, draw.choice(world.cast.people[1:]).name)[:count]
    seat, bags, insured = draw.choice(("Window", "Aisle", "Table")), draw.integer(0, 2), draw.chance(0.4)
    card, label = draw.choice(world("travel").rows("SELECT id, label FROM card WHERE owner = 1 ORDER BY id"))
    return _Booking(limit, comfort, fare, names, seat, bags, insured, card, label)


def _route(world: World, draw: Draw) -> tuple[str, str, str]:
    origin, destination = draw.choice(
        world("travel").rows("SELECT DISTINCT origin, destination FROM service ORDER BY 1, 2")
    )
    return origin, destination, (world.now.date() + datetime.timedelta(draw.integer(1, WINDOW))).isoformat()


def _cheapest(
    world: World, origin: str, destination: str, date: str, comfort: str, limit: int, count: int, tie: bool = False
) -> Any:
    """Return the one cheapest train with that many seats, or None if there is none, or two (unless ``tie``)."""
    trains = world("travel").rows(_TRAINS, origin, destination, date)
    good = [t for t in trains if t[5] <= limit and t[8 if comfort == "First" else 7] >= count]
    good.sort(key=lambda t: fare_price(t[6], comfort, "Saver"))
    if not good or (not tie and len(trains) < 2):
        return None
    saver = [fare_price(t[6], comfort, "Saver") for t in good]
    return None if not tie and len(good) > 1 and saver[0] == saver[1] else good[0]


def _offer(world: World, draw: Draw, comfort: str, limit: int, count: int) -> tuple[tuple[str, str, str], Any]:
    """Draw a route and a day, and return the one cheapest train, or None if none was found."""
    for _ in range(_TRIES):
        route = _route(world, draw)
        best = _cheapest(world, *route, comfort, limit, count)
        if best is not None:
            break
    return route, best


def _search(origin: str, destination: str, date: str, count: int, comfort: str, limit: int) -> Plan:
    return (
        select("From", origin),
        select("To", destination),
        fill("Date", date),
        *((fill("Passengers", str(count)),) if count > 1 else ()),
        *((select("Class", comfort),) if comfort != "Standard" else ()),
        *((select("Changes", _LIMITS[limit]),) if limit != 9 else ()),
        click("Search trains"),
    )
