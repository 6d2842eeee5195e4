"""Hotels of the travel site: search by dates and distance, prices by night, reviews, stays."""

import datetime
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.travel.data import WINDOW, distance, reference
from turnwise.worlds.web.sites.travel.pages.counter import card_field, chosen_card, weekday

__all__ = ["hotels"]

hotels = Pages()

_PER_PAGE, _REVIEWS = 5, 2
_ORDERS = {"price": "Price", "distance": "Distance", "stars": "Stars"}
_RANGES = (("999", "Any distance"), ("10", "1.0 km"), ("20", "2.0 km"), ("30", "3.0 km"), ("40", "4.0 km"))


@hotels.page("/hotels")
def show_hotels(visit: Visit) -> Answered:
    """Show the search form, behind an offer."""
    offer = m.dialog("offer", "Members save more", m.paragraph("Sign up for our letter and hear of offers first."))
    return visit.show("Hotels", _hotel_form(visit, {}), m.paragraph(m.link("/hotels/all", "All hotels")), offer)


def _hotel_form(visit: Visit, errors: dict[str, str]) -> Markup:
    venues = visit.rows("SELECT id, name FROM venue ORDER BY name, id")
    towns = visit.rows("SELECT DISTINCT town FROM hotel ORDER BY town")
    fields = [
        m.choices("Town", "town", [("", "Choose a town"), *((town, town) for town in towns)], visit.text("town"),
                  errors.get("town", "")),
        m.date_field("Arrival", "arrives", visit.text("arrives"), errors.get("arrives", "")),
        m.number_field("Nights", "nights", visit.text("nights") or 1, errors.get("nights", "")),
        m.choices("Near", "venue", [("0", "Anywhere"), *venues], visit.text("venue"), errors.get("venue", "")),
        m.choices("Within", "within", _RANGES, visit.text("within")),
        m.choices("Stars", "stars", [("0", "Any"), ("3", "3 or more"), ("4", "4 or more")], visit.text("stars")),
    ]  # fmt: skip
    return m.form("/hotels/search", fields, submit="Search hotels", method="get")


@hotels.page("/hotels/all")
def all_hotels(visit: Visit) -> Answered:
    """Show every hotel, town by town, on one long page."""
    mine = visit.rows("SELECT hotel FROM favourite WHERE owner = ? ORDER BY hotel", visit.user)
    found = visit.rows("SELECT id, name, town, stars FROM hotel ORDER BY town, name, id")
    rows = [
        (
            f"No. {number} of {len(found)}",
            m.link(f"/hotel/{hotel}", name),
            town,
            "*" * stars,
            m.post_button(f"/favourite/{hotel}", "Remove favourite" if hotel in mine else "Save to favourites"),
        )
        for number, (hotel, name, town, stars) in enumerate(found, 1)
    ]
    return visit.show("All hotels", m.table(("", "Hotel", "Town", "Stars", ""), rows))


@hotels.action("/favourite/{number:int}")
def favour(visit: Visit, number: int) -> Answered:
    """Mark a hotel as a favourite, or unmark it."""
    visit.row("SELECT id FROM hotel WHERE id = ?", number)
    if visit.get("SELECT 1 FROM favourite WHERE owner = ? AND hotel = ?", visit.user, number):
        visit.run("DELETE FROM favourite WHERE owner = ? AND hotel = ?", visit.user, number)
        return visit.redirect("/hotels/all", flash="Taken off your favourites.")
    visit.run("INSERT INTO favourite VALUES (?, ?)", visit.user, number)
    return visit.redirect("/hotels/all", flash="Saved to your favourites.")


def _stay_wrong(visit: Visit) -> dict[str, str]:
    """Return what is wrong with the dates of a stay."""
    arrives, nights = visit.date("arrives"), visit.whole("nights", 0 if visit.text("nights") else 1)
    errors = {}
    if arrives is None:
        errors["arrives"] = "Write the date as YYYY-MM-DD."
    elif not 1 <= (arrives - visit.now.date()).days <= WINDOW:
        errors["arrives"] = f"Nights are sold from tomorrow on, for {WINDOW} days."
    elif not 1 <= nights <= 7 or (arrives - visit.now.date()).days + nights - 1 > WINDOW:
        errors["nights"] = f"From 1 to 7 nights, not beyond {WINDOW} days from today."
    return errors


@hotels.page("/hotels/search")
def search_hotels(visit: Visit) -> Answered:
    """Show hotels of a town with the price of the whole stay."""
    errors, town, venue = _stay_wrong(visit), visit.text("town"), visit.whole("venue")
    near = visit.get("SELECT name, town, x, y FROM venue WHERE id = ?", venue)
    if not town:
        errors["town"] = "Choose a town."
    elif near is not None and near[1] != town:
        errors["venue"] = f"{near[0]} is in {near[1]}."
    if errors:
        return visit.show("Search hotels", _hotel_form(visit, errors))
    arrives, nights = _day(visit), visit.whole("nights", 1)
    found = []
    for hotel, name, stars, x, y in visit.rows(
        "SELECT id, name, stars, x, y FROM hotel WHERE town = ? AND stars >= ? ORDER BY id", town, visit.whole("stars")
    ):
        away = distance(x, y, near[2], near[3]) if near is not None else 0
        if near is None or away <= visit.whole("within", 999):
            price, rooms, _ = _price(visit, hotel, arrives, nights)
            found.append((hotel, name, stars, away, price, rooms))
    order = visit.text("sort") if visit.text("sort") in _ORDERS else "price"
    key = {
        "price": lambda h: (not h[5], h[4], h[0]),
        "distance": lambda h: (h[3], h[0]),
        "stars": lambda h: (-h[2], h[0]),
    }[order]
    found.sort(key=key)
    part = visit.part(len(found), _PER_PAGE)
    kept = ("town", "arrives", "nights", "venue", "within", "stars")
    path = f"/hotels/search?{urlencode({name: visit.text(name) for name in kept})}"
    stay = urlencode({"arrives": arrives, "nights": nights})
    cards = []
    for hotel, name, stars, away, price, rooms in found[part.rows]:
        facts = [f"{stars} stars"] + ([f"{_km(away)} from {near[0]}"] if near is not None else [])
        left = (
            f"EUR {money(price)} for {m.counted(nights, 'night')}, {m.counted(rooms, 'room')} left"
            if rooms
            else "Sold out for these nights"
        )
        title = m.tag("h3", m.link(f"/hotel/{hotel}?{stay}", name))
        cards.append(m.card(title, m.paragraph(", ".join(facts)), m.paragraph(left)))
    return visit.show(
        f"Hotels in {town}",
        m.paragraph(
            f"{m.counted(nights, 'night')} from {weekday(datetime.date.fromisoformat(arrives))}: "
            f"{m.counted(len(found), 'hotel')}."
        ),
        m.sorts("Sort by: ", f"{path}&", _ORDERS, order),
        cards or m.paragraph("No hotel matches."),
        part.links(f"{path}&sort={order}"),
        m.section("Change the search", _hotel_form(visit, {})),
    )


@hotels.page("/hotel/{number:int}")
def hotel(visit: Visit, number: int) -> Answered:
    """Show a hotel: where it is, what guests say, what the nights cost."""
    return _hotel_page(visit, number, {})


def _hotel_page(visit: Visit, number: int, errors: dict[str, str]) -> Answered:
    name, town, stars, x, y, breakfast, refundable, about, photo = visit.row(
        "SELECT name, town, stars, x, y, breakfast, refundable, about, photo FROM hotel WHERE id = ?", number
    )
    venues = visit.rows("SELECT name, x, y FROM venue WHERE town = ? ORDER BY name, id", town)
    facts = [
        ("Town", town),
        ("Stars", str(stars)),
        *((f"To {venue}", _km(distance(x, y, to_x, to_y))) for venue, to_x, to_y in venues),
        ("Breakfast", f"EUR {money(breakfast)} per night"),
        ("Cancellation", f"in full until {refundable} days before arrival, then nothing"),
    ]
    return visit.show(
        name,
        m.picture(photo or f"{name}, seen from the street"),
        m.paragraph(about),
        m.definitions(facts),
        _nights(visit, number, breakfast, errors),
        m.section(
            "What guests say",
            m.tag("div", _reviews(visit, number, 0, _REVIEWS), id="reviews"),
            m.button("All reviews", type="button", data_tw_get=f"/hotel/{number}/reviews", data_tw_target="reviews"),
        ),
    )


def _nights(visit: Visit, number: int, breakfast: int, errors: dict[str, str]) -> Markup:
    arrives, nights = _day(visit), visit.whole("nights", 1)
    wrong = _stay_wrong(visit)
    errors = errors or (wrong if visit.text("arrives") else {})
    dates = [
        m.date_field("Arrival", "arrives", arrives, errors.get("arrives", "")),
        m.number_field("Nights", "nights", visit.text("nights") or 1, errors.get("nights", "")),
    ]
    ask = m.form(f"/hotel/{number}", dates, submit="Show prices", method="get")
    if wrong:
        return m.section("Prices", ask)
    total, rooms, each = _price(visit, number, arrives, nights)
    rows = [
        (weekday(datetime.date.fromisoformat(day)), f"EUR {money(p)}", str(r) if r else "sold out")
        for day, p, r in each
    ]
    table = m.table(("Night", "Price", "Rooms left"), rows)
    if not rooms:
        text = "This hotel is sold out for at least one of these nights."
        return m.section("Prices", table, m.note(text, "alert"), ask)
    book = m.form(
        f"/hotel/{number}",
        m.hidden("arrives", arrives),
        m.hidden("nights", nights),
        m.number_field("Guests", "guests", visit.text("guests") or 1, errors.get("guests", "")),
        m.checkbox("With breakfast", "breakfast", bool(visit.text("breakfast"))),
        m.paragraph(f"Breakfast for the stay: EUR {money(breakfast * nights)} per room."),
        card_field(visit, errors.get("card", "")),
        submit="Book this room",
    )
    return m.section(
        "Prices", table, m.paragraph(f"Total: EUR {money(total)} for {m.counted(nights, 'night')}."), book, ask
    )


@hotels.page("/hotel/{number:int}/reviews")
def reviews(visit: Visit, number: int) -> Answered:
    """Return all reviews, as a fragment."""
    return visit.fragment(_reviews(visit, number, 0, 100))


def _reviews(visit: Visit, number: int, first: int, count: int) -> Markup:
    rows = visit.rows(
        "SELECT r.stars, r.date, r.text, a.name FROM review r JOIN account a ON a.id = r.author WHERE r.hotel = ?"
        " ORDER BY r.date DESC, r.id LIMIT ? OFFSET ?",
        number,
        count,
        first,
    )
    cards = [m.card(m.heading(f"{stars} of 5, {name}, {date}", 3), m.rich(text)) for stars, date, text, name in rows]
    return m.join(cards or m.paragraph("Nobody has written yet."))


@hotels.action("/hotel/{number:int}")
def book_room(visit: Visit, number: int) -> Answered:
    """Book a room for the dates in the form's hidden fields."""
    breakfast = visit.row("SELECT breakfast FROM hotel WHERE id = ?", number)
    errors, card, guests = _stay_wrong(visit), chosen_card(visit), visit.whole("guests")
    if not card:
        errors["card"] = "Choose a card."
    if not 1 <= guests <= 2:
        errors["guests"] = "One or two guests to a room."
    if errors:
        return _hotel_page(visit, number, errors)
    arrives, nights, fed = _day(visit), visit.whole("nights", 1), visit.text("breakfast") == "on"
    total, rooms, each = _price(visit, number, arrives, nights)
    if not rooms:
        return _hotel_page(visit, number, {})
    stay = visit.get("SELECT coalesce(max(id), 0) + 1 FROM stay")
    code = reference("H", stay, visit.now)
    visit.add(
        "stay",
        id=stay,
        reference=code,
        owner=visit.user,
        hotel=number,
        arrives=arrives,
        nights=nights,
        guests=guests,
        breakfast=int(fed),
        price=total + fed * breakfast * nights,
        card=card,
        booked=visit.now.isoformat(" ", "minutes"),
    )
    for day, _, _ in each:
        visit.run("UPDATE night SET rooms = rooms - 1 WHERE hotel = ? AND date = ?", number, day)
    return visit.redirect(f"/stay/{code}", flash=f"Booked: {code}.")


# ---- stays -------------------------------------------------------------------------------------------------------


def _stay(visit: Visit, code: str) -> tuple[Any, ...]:
    found: tuple[Any, ...] = visit.row(
        "SELECT t.id, t.hotel, h.name, h.town, t.arrives, t.nights, t.guests, t.breakfast, t.price, t.status, "
        "t.refund,"
        " h.refundable FROM stay t JOIN hotel h ON h.id = t.hotel WHERE t.owner = ? AND t.reference = ?",
        visit.user,
        code,
    )
    return found


@hotels.page("/stay/{code}", signed_in=True)
def stay(visit: Visit, code: str) -> Answered:
    """Show one stay."""
    _, hotel, name, town, arrives, nights, guests, breakfast, price, status, refund, refundable = _stay(visit, code)
    facts: list[tuple[str, str | Markup]] = [
        ("Reference", code),
        ("Status", status),
        ("Hotel", m.link(f"/hotel/{hotel}", name)),
        ("Town", town),
        ("Arrival", weekday(datetime.date.fromisoformat(arrives))),
        ("Nights", str(nights)),
        ("Guests", str(guests)),
        ("Breakfast", "yes" if breakfast else "no"),
        ("Paid", f"EUR {money(price)}"),
    ]
    doing: Any = m.paragraph(f"Refunded: EUR {money(refund)}") if refund else ""
    if status == "confirmed":
        back = price if (datetime.date.fromisoformat(arrives) - visit.now.date()).days >= refundable else 0
        text = m.paragraph(f"If you cancel today, EUR {money(back)} goes back to your card.")
        ask = m.button("Cancel this stay", type="button", data_tw_toggle="sure", aria_expanded="false")
        doing = [text, ask, m.panel("sure", m.post_button(f"/stay/{code}/cancel", "Yes, cancel the stay"))]
    return visit.show(f"Stay {code}", m.definitions(facts), doing)


@hotels.action("/stay/{code}/cancel")
def cancel_stay(visit: Visit, code: str) -> Answered:
    """Cancel a stay, whose nights are free again."""
    number, hotel, _, _, arrives, nights, _, _, price, status, _, refundable = _stay(visit, code)
    first = datetime.date.fromisoformat(arrives)
    if status != "confirmed" or first <= visit.now.date():
        raise Refused("This stay is cancelled or over.")
    back = price if (first - visit.now.date()).days >= refundable else 0
    visit.run("UPDATE stay SET status = 'cancelled', refund = ? WHERE id = ?", back, number)
    for n in range(nights):
        day = (first + datetime.timedelta(n)).isoformat()
        visit.run("UPDATE night SET rooms = rooms + 1 WHERE hotel = ? AND date = ?", hotel, day)
    return visit.redirect(f"/stay/{code}", flash=f"Cancelled. EUR {money(back)} goes back to your card.")


def _price(visit: Visit, hotel: int, arrives: str, nights: int) -> tuple[int, int, list[tuple[str, int, int]]]:
    """Return the price of a stay, rooms left in all of its nights, and date, price and rooms of each night."""
    last = (datetime.date.fromisoformat(arrives) + datetime.timedelta(nights - 1)).isoformat()
    each = visit.rows(
        "SELECT date, price, rooms FROM night WHERE hotel = ? AND date BETWEEN ? AND ? ORDER BY date",
        hotel,
        arrives,
        last,
    )
    rooms = min((rooms for _, _, rooms in each), default=0) if len(each) == nights else 0
    return sum(price for _, price, _ in each), rooms, each


def _day(visit: Visit) -> str:
    """Return the arrival as the tables have it: dates may be typed without hyphens, too."""
    day = visit.date("arrives")
    return day.isoformat() if day else visit.text("arrives")


def _km(units: int) -> str:
    return f"{units // 10}.{units % 10} km"
