"""Trips that are booked: the list, changing the date, adding bags, cancelling, and preferences."""

import datetime
from typing import NamedTuple

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.travel.data import BAG, COMFORTS, FARES, MOST_BAGS, SEATS, WINDOW, fare_price
from turnwise.worlds.web.sites.travel.pages.counter import arrival, weekday

__all__ = ["trips"]

trips = Pages()

_TRIP = """
SELECT b.id, b.reference, b.run, b.comfort, b.fare, b.seat, b.bags, b.insured, b.price, c.label, b.status, b.refund,
       s.id, s.number, s.origin, s.destination, s.departs, s.minutes, r.date, r.price
FROM booking b JOIN run r ON r.id = b.run JOIN service s ON s.id = r.service JOIN card c ON c.id = b.card
WHERE b.owner = ?
"""


class _Trip(NamedTuple):
    id: int
    reference: str
    run: int
    comfort: str
    fare: str
    seat: str
    bags: int
    insured: int
    price: int
    card: str
    status: str
    refund: int
    service: int
    number: str
    origin: str
    destination: str
    departs: str
    minutes: int
    date: str
    saver: int


@trips.page("/trips", signed_in=True)
def show_trips(visit: Visit) -> Answered:
    """Show all bookings: trains on one tab, hotels on the other."""
    found = [_Trip(*row) for row in visit.rows(f"{_TRIP} ORDER BY r.date, b.id", visit.user)]
    stays = visit.rows(
        "SELECT t.reference, h.name, h.town, t.arrives, t.nights, t.status FROM stay t JOIN hotel h ON h.id = "
        "t.hotel"
        " WHERE t.owner = ? ORDER BY t.arrives, t.id",
        visit.user,
    )
    today = visit.now.date().isoformat()
    off = [t for t in found if t.status == "cancelled"]
    coming = [t for t in found if t.date >= today and t not in off]
    past = [t for t in found if t.date < today and t not in off]
    headers = ("Reference", "Journey", "Train", "Date", "Status")
    hotels = [
        (m.link(f"/stay/{reference}", reference), f"{hotel}, {town}", arrives, f"{nights}", status)
        for reference, hotel, town, arrives, nights, status in stays
    ]
    return visit.show(
        "My trips",
        m.tag(
            "div",
            m.button("Trains", type="button", data_tw_tab="trains", aria_selected="true"),
            m.button("Hotels", type="button", data_tw_tab="hotels", aria_selected="false"),
        ),
        m.panel(
            "trains",
            m.section("To come", m.table(headers, map(_line, coming)) if coming else m.paragraph("Nothing.")),
            m.section("Past", m.table(headers, map(_line, past)) if past else m.paragraph("Nothing.")),
            m.section("Cancelled", m.table(headers, map(_line, off))) if off else "",
            hidden=False,
            group="trips",
        ),
        m.panel("hotels", m.table(("Reference", "Hotel", "Arrival", "Nights", "Status"), hotels), group="trips"),
        m.paragraph(m.link("/preferences", "Preferences")),
    )


def _trip(visit: Visit, reference: str) -> _Trip:
    return _Trip(*visit.row(f"{_TRIP} AND b.reference = ?", visit.user, reference))


def _open(visit: Visit, reference: str) -> _Trip:
    """Return a trip that can still be changed or cancelled."""
    trip = _trip(visit, reference)
    if trip.status != "confirmed" or trip.date <= visit.now.date().isoformat():
        raise Refused("This trip is cancelled or over.")
    return trip


@trips.page("/trip/{reference}", signed_in=True)
def trip(visit: Visit, reference: str) -> Answered:
    """Show one booking."""
    return _trip_page(visit, _trip(visit, reference), "")


def _trip_page(visit: Visit, trip: _Trip, error: str) -> Answered:
    names = visit.rows("SELECT name FROM passenger WHERE booking = ? ORDER BY id", trip.id)
    facts: list[tuple[str, str]] = [
        ("Reference", trip.reference),
        ("Status", trip.status),
        ("Journey", f"{trip.origin} to {trip.destination}"),
        ("Train", trip.number),
        ("Date", weekday(datetime.date.fromisoformat(trip.date))),
        ("Time", f"{trip.departs} to {arrival(trip.departs, trip.minutes)}"),
        ("Class", trip.comfort),
        ("Fare", trip.fare),
        ("Passengers", ", ".join(names)),
        ("Seat", trip.seat),
        ("Bags", str(trip.bags)),
        ("Insurance", "yes" if trip.insured else "no"),
        ("Paid", f"EUR {money(trip.price)} by {trip.card}"),
    ]
    if trip.refund:
        facts.append(("Refunded", f"EUR {money(trip.refund)}"))
    doing: list[Markup] = []
    if trip.status == "confirmed" and trip.date > visit.now.date().isoformat():
        fields = m.number_field("Bags to add", "bags", visit.text("bags") or 1, error)
        more: tuple[Markup, ...] = (
            m.paragraph(f"EUR {money(BAG)} each, at most {MOST_BAGS} in all."),
            m.form(f"/trip/{trip.reference}/bags", fields, submit="Add bags"),
        )
        if trip.bags >= MOST_BAGS:
            more = (m.paragraph(f"You have {trip.bags} bags, which is the most there can be."),)
        doing = [
            m.section("Bags", *more),
            m.items([m.link(f"/trip/{trip.reference}/change", "Change the date"),
                     m.link(f"/trip/{trip.reference}/cancel", "Cancel this trip")]),
        ]  # fmt: skip
    return visit.show(f"Trip {trip.reference}", m.definitions(facts), doing)


@trips.action("/trip/{reference}/bags")
def more_bags(visit: Visit, reference: str) -> Answered:
    """Add bags at their price."""
    trip, more = _open(visit, reference), visit.whole("bags")
    if more < 1 or trip.bags + more > MOST_BAGS:
        return _trip_page(visit, trip, f"You have {trip.bags}; at most {MOST_BAGS} in all.")
    visit.run("UPDATE booking SET bags = bags + ?, price = price + ? WHERE id = ?", more, more * BAG, trip.id)
    return visit.redirect(f"/trip/{reference}", flash="The bags are added.")


# ---- changing the date -------------------------------------------------------------------------------------------


@trips.page("/trip/{reference}/change", signed_in=True)
def change_page(visit: Visit, reference: str) -> Answered:
    """Ask for the new date, then show what the change costs."""
    trip = _open(visit, reference)
    if FARES[trip.fare].change is None:
        text = f"The {trip.fare} fare cannot be changed."
        return visit.show(f"Change {reference}", m.note(text, "alert"), m.link(f"/trip/{reference}", "Back"))
    comfort = visit.text("comfort") or trip.comfort
    error, quote = "", Markup("")
    if "date" in visit.query:
        error, quote = _quote(visit, trip, comfort)
    fields = [
        m.date_field("New date", "date", visit.text("date"), error),
        m.choices("Class", "comfort", COMFORTS, comfort),
    ]
    form = m.form(f"/trip/{reference}/change", fields, submit="Show the price", method="get")
    now = m.paragraph(f"Train {trip.number}, now on {trip.date} in {trip.comfort} class.")
    return visit.show(f"Change {reference}", now, form, quote)


def _quote(visit: Visit, trip: _Trip, comfort: str) -> tuple[str, Markup]:
    error, _, cost = _changed(visit, trip, comfort)
    if error:
        return error, Markup("")
    facts = [
        ("New date", str(visit.date("date"))),
        ("Class", comfort),
        ("Change fee", f"EUR {money((FARES[trip.fare].change or 0) * _count(visit, trip))}"),
        ("To pay now", f"EUR {money(cost)}"),
    ]
    confirm = m.post_button(
        f"/trip/{trip.reference}/change", "Confirm the change", date=visit.text("date"), comfort=comfort
    )
    return "", m.section("Your change", m.definitions(facts), confirm)


def _count(visit: Visit, trip: _Trip) -> int:
    count: int = visit.row("SELECT count(*) FROM passenger WHERE booking = ?", trip.id)
    return count


def _changed(visit: Visit, trip: _Trip, comfort: str) -> tuple[str, int, int]:
    """Return what is wrong with a change, the new run, and what is to be paid."""
    day, fee = visit.date("date"), FARES[trip.fare].change
    if day is None:
        return "Write the date as YYYY-MM-DD.", 0, 0
    if fee is None or comfort not in COMFORTS or not 1 <= (day - visit.now.date()).days <= WINDOW:
        return f"Choose a day from tomorrow on, within {WINDOW} days.", 0, 0
    found = visit.get(
        "SELECT id, price, CASE WHEN ? = 'First' THEN first_left ELSE standard_left END FROM run"
        " WHERE service = ? AND date = ?",
        comfort,
        trip.service,
        day.isoformat(),
    )
    if found is None:
        return f"Train {trip.number} does not run on that day.", 0, 0
    run, saver, seats = found
    count = _count(visit, trip)
    if run == trip.run and comfort == trip.comfort:
        return "This is the date of your trip.", 0, 0
    if seats < count:
        return "That day is sold out in this class.", 0, 0
    more = fare_price(saver, comfort, trip.fare) - fare_price(trip.saver, trip.comfort, trip.fare)
    return "", run, (max(0, more) + fee) * count


@trips.action("/trip/{reference}/change")
def change(visit: Visit, reference: str) -> Answered:
    """Move the booking."""
    trip, comfort = _open(visit, reference), visit.text("comfort")
    error, run, cost = _changed(visit, trip, comfort)
    if error:
        return visit.redirect(f"/trip/{reference}/change", flash=error)
    count = _count(visit, trip)
    _give(visit, trip.run, trip.comfort, count)
    _give(visit, run, comfort, -count)
    visit.run("UPDATE booking SET run = ?, comfort = ?, price = price + ? WHERE id = ?", run, comfort, cost, trip.id)
    return visit.redirect(f"/trip/{reference}", flash="Your trip is changed.")


# ---- cancelling --------------------------------------------------------------------------------------------------


@trips.page("/trip/{reference}/cancel", signed_in=True)
def cancel_page(visit: Visit, reference: str) -> Answered:
    """Show the refund."""
    trip = _open(visit, reference)
    rules = [(fare, f"{rules.refund} % of the price") for fare, rules in FARES.items()]
    return visit.show(
        f"Cancel {reference}",
        m.table(("Fare", "Refund"), rules),
        m.paragraph(f"You paid EUR {money(trip.price)} at the {trip.fare} fare."),
        m.paragraph(f"Your refund will be EUR {money(_refund(trip))}."),
        m.post_button(f"/trip/{reference}/cancel", "Cancel the trip now"),
        m.link(f"/trip/{reference}", "Keep the trip"),
    )


@trips.action("/trip/{reference}/cancel")
def cancel(visit: Visit, reference: str) -> Answered:
    """Cancel a trip, whose seats are free again."""
    trip = _open(visit, reference)
    visit.run("UPDATE booking SET status = 'cancelled', refund = ? WHERE id = ?", _refund(trip), trip.id)
    _give(visit, trip.run, trip.comfort, _count(visit, trip))
    return visit.redirect(f"/trip/{reference}", flash=f"Cancelled. EUR {money(_refund(trip))} goes back to your card.")


# ---- preferences -------------------------------------------------------------------------------------------------


@trips.page("/preferences", signed_in=True)
def preferences(visit: Visit) -> Answered:
    """Show favourite seat and newsletter as a form."""
    seat, newsletter = visit.row("SELECT seat, newsletter FROM preference WHERE owner = ?", visit.user)
    fields = [
        m.choices("Favourite seat", "seat", SEATS, seat),
        m.checkbox("Send me offers", "newsletter", bool(newsletter)),
    ]
    return visit.show("Preferences", m.form("/preferences", fields, submit="Save preferences"))


@trips.action("/preferences")
def save_preferences(visit: Visit) -> Answered:
    """Save the preferences."""
    seat = visit.text("seat")
    if seat not in SEATS:
        return visit.redirect("/preferences", flash="There is no such seat.")
    news = int(visit.text("newsletter") == "on")
    visit.run("UPDATE preference SET seat = ?, newsletter = ? WHERE owner = ?", seat, news, visit.user)
    return visit.redirect("/preferences", flash="Saved.")


def _line(trip: _Trip) -> tuple[Markup, str, str, str, str]:
    journey = f"{trip.origin} to {trip.destination}"
    return m.link(f"/trip/{trip.reference}", trip.reference), journey, trip.number, trip.date, trip.status


def _refund(trip: _Trip) -> int:
    return trip.price * FARES[trip.fare].refund // 100


def _give(visit: Visit, run: int, comfort: str, count: int) -> None:
    """Release seats, or take them if ``count`` is negative."""
    column = "first_left" if comfort == "First" else "standard_left"
    visit.run(f"UPDATE run SET {column} = {column} + ? WHERE id = ?", count, run)
