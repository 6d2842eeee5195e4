"""Tasks of the travel site about hotels."""

import datetime
from collections.abc import Iterator
from typing import Any

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
from turnwise.worlds.web.sites.travel.data import WINDOW, distance, reference

__all__ = ["stays"]

stays = Tasks()

_TRIES = 8


@stays.template(3)
def stay_total(world: World, draw: Draw) -> Draft | None:
    """Ask for the total of the cheapest stay near a venue."""
    wish = _wish(world, draw)
    if wish is None:
        return None
    venue, within, arrives, nights, stars, best = wish
    text = draw.either(
        f"What does the cheapest hotel within {_km(within)} of {venue[1]} cost in total for {nights} nights "
        "from "
        f"{arrives}{_stars(stars)}? It must have a room in all of the nights; leave out breakfast.",
        f"I need a room for {nights} nights from {arrives}, at most {_km(within)} away from "
        f"{venue[1]}{_stars(stars)}, "
        "without breakfast. What is the lowest total price among hotels that are not sold out?",
    )
    plan = _search_hotels(venue, within, arrives, nights, stars)
    return Draft(text, plan, answer=Answer.of("money", money(best[2])))


@stays.template(4)
def book_hotel(world: World, draw: Draw) -> Draft | None:
    """Ask to book the cheapest stay near a venue."""
    wish = _wish(world, draw)
    if wish is None:
        return None
    venue, within, arrives, nights, stars, (hotel, name, price, each, breakfast) = wish
    fed, guests = draw.chance(0.5), draw.integer(1, 2)
    card, label = draw.choice(world("travel").rows("SELECT id, label FROM card WHERE owner = 1 ORDER BY id"))
    text = (
        f"Book one room for {guests} guest{'s' * (guests > 1)}, {'with' if fed else 'without'} breakfast, for "
        f"{nights} nights from {arrives}, at most {_km(within)} away from {venue[1]}{_stars(stars)}. Of "
        f"these hotels take the one with the lowest total price without breakfast that is not sold out. Pay with "
        f"{label}."
    )
    plan = (
        *_search_hotels(venue, within, arrives, nights, stars),
        click(name, via="Next"),
        fill("Guests", str(guests)),
        *((check("With breakfast"),) if fed else ()),
        select("Card", label),
        click("Book this room"),
    )
    new = world("travel").row("SELECT max(id) FROM stay") + 1
    stay = insert("travel.stay", id=new, reference=reference("H", new, world.now), owner=1, hotel=hotel,
                  arrives=arrives, nights=nights, guests=guests, breakfast=int(fed), card=card,
                  price=price + fed * breakfast * nights, booked=world.now.isoformat(" ", "minutes"))  # fmt: skip
    left = (update("travel.night", {"hotel": hotel, "date": day}, rooms=rooms - 1) for day, rooms in each)
    return Draft(text, plan, (stay, *left))


@stays.template(2)
def hotel_distance(world: World, draw: Draw) -> Draft | None:
    """Ask how far a booked hotel is from a venue."""
    stays = world("travel").rows(
        "SELECT t.reference, h.name, h.town, h.x, h.y FROM stay t JOIN hotel h ON h.id = t.hotel WHERE t.owner = 1"
        " AND t.status = 'confirmed' ORDER BY t.id"
    )
    code, name, town, x, y = draw.choice(stays)
    venues = world("travel").rows("SELECT name, x, y FROM venue WHERE town = ? ORDER BY id", town)
    if not venues:
        return None
    venue, to_x, to_y = draw.choice(venues)
    away = _km(distance(x, y, to_x, to_y))
    text = f"How many km is it from the hotel of my stay {code} to {venue}?"
    plan = click("My trips"), click("Hotels", role="button"), click(code), click(name)
    return Draft(text, plan, answer=Answer.of("number", away.removesuffix(" km"), away))


# ---- draws and steps ----


def _wish(world: World, draw: Draw) -> Any:
    """Draw venue, distance, arrival, nights, stars, and the one cheapest hotel: id, name, price, nights, breakfast."""
    venues = world("travel").rows(
        "SELECT id, name, town, x, y FROM venue WHERE town IN (SELECT town FROM hotel) ORDER BY id"
    )
    for _ in range(_TRIES):
        venue, within = draw.choice(venues), draw.choice((20, 30, 40))
        nights, stars = draw.integer(2, 5), draw.choice((0, 0, 3))
        first = world.now.date() + datetime.timedelta(draw.integer(1, WINDOW - nights + 1))
        found = sorted(_free(world, venue, within, first, nights, stars), key=lambda hotel: hotel[2])
        if found and (len(found) == 1 or found[0][2] != found[1][2]):
            return venue, within, first.isoformat(), nights, stars, found[0]
    return None


def _free(world: World, venue: Any, within: int, first: datetime.date, nights: int, stars: int) -> Iterator[Any]:
    """Return hotels near a venue with a room in all of the nights."""
    last = first + datetime.timedelta(nights - 1)
    for hotel, name, x, y, breakfast in world("travel").rows(
        "SELECT id, name, x, y, breakfast FROM hotel WHERE town = ? AND stars >= ? ORDER BY id", venue[2], stars
    ):
        if distance(x, y, venue[3], venue[4]) <= within:
            each = world("travel").rows(
                "SELECT date, rooms, price FROM night WHERE hotel = ? AND date BETWEEN ? AND ? ORDER BY date",
                hotel,
                first.isoformat(),
                last.isoformat(),
            )
            if all(rooms for _, rooms, _ in each):
                yield (
                    hotel,
                    name,
                    sum(price for _, _, price in each),
                    [(day, rooms) for day, rooms, _ in each],
                    breakfast,
                )


def _search_hotels(venue: Any, within: int, arrives: str, nights: int, stars: int) -> Plan:
    return (
        click("Hotels"),
        click("Close"),
        select("Town", venue[2]),
        fill("Arrival", arrives),
        fill("Nights", str(nights)),
        select("Near", venue[1]),
        select("Within", _km(within)),
        *((select("Stars", "3 or more"),) if stars else ()),
        click("Search hotels"),
    )


def _stars(stars: int) -> str:
    return f", with {stars} stars or more" if stars else ""


def _km(units: int) -> str:
    return f"{units // 10}.{units % 10} km"
