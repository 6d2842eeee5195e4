"""Trains of the travel site: search, seats, passengers and payment."""

import datetime
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit, money
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.travel.data import (
    BAG,
    COMFORTS,
    FARES,
    INSURANCE,
    MOST_BAGS,
    SEATS,
    WINDOW,
    fare_price,
    reference,
)
from turnwise.worlds.web.sites.travel.pages.counter import arrival, card_field, chosen_card, weekday

__all__ = ["trains"]

trains = Pages()

_PER_PAGE = 4
_ORDERS = {"price": ("Price", "saver, departs, number"), "departs": ("Departure", "departs, number"),
           "minutes": ("Duration", "minutes, number")}  # fmt: skip
_FOUND = """
SELECT r.id, s.number, s.carrier, s.departs, s.minutes, s.changes, s.via, r.price AS saver,
       CASE WHEN ? = 'First' THEN r.first_left ELSE r.standard_left END AS seats
FROM service s JOIN run r ON r.service = s.id
WHERE s.origin = ? AND s.destination = ? AND r.date = ? AND s.changes <= ?
"""


# ---- searching --------------------------------------------------------------------------------------------------


@trains.page("/")
def home(visit: Visit) -> Answered:
    """Show the search form."""
    routes = visit.rows("SELECT origin, destination, count(*) FROM service GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 40")
    lines = [f"{origin} to {destination}: {m.counted(count, 'train')}" for origin, destination, count in routes]
    tomorrow = visit.now.date() + datetime.timedelta(1)
    last = visit.now.date() + datetime.timedelta(WINDOW)
    return visit.show(
        "Trains between our towns",
        m.paragraph(f"Today is {weekday(visit.now.date())}. Tickets are sold from {tomorrow} to {last}."),
        _form(visit, {}),
        m.button("Where we go", type="button", data_tw_toggle="routes", aria_expanded="false"),
        m.panel("routes", m.items(lines)),
    )


def _form(visit: Visit, errors: dict[str, str]) -> Markup:
    towns = visit.rows("SELECT origin FROM service UNION SELECT destination FROM service ORDER BY 1")
    options = [("", "Choose a town"), *((town, town) for town in towns)]
    fields = [
        m.choices("From", "origin", options, visit.text("origin"), errors.get("origin", "")),
        m.choices("To", "destination", options, visit.text("destination"), errors.get("destination", "")),
        m.date_field("Date", "date", visit.text("date"), errors.get("date", "")),
        m.number_field("Passengers", "passengers", visit.text("passengers") or 1, errors.get("passengers", "")),
        m.choices("Class", "comfort", COMFORTS, visit.text("comfort")),
        m.choices("Changes", "changes", [("9", "Any"), ("0", "Direct only"), ("1", "At most 1")],
                  visit.text("changes")),
    ]  # fmt: skip
    return m.form("/trains", fields, submit="Search trains", method="get")


@trains.page("/trains")
def show_trains(visit: Visit) -> Answered:
    """Show the trains of a day."""
    errors = _wrong(visit)
    if errors:
        return visit.show("Search trains", _form(visit, errors))
    day = visit.date("date")
    assert day is not None
    query = {
        "origin": visit.text("origin"),
        "destination": visit.text("destination"),
        "date": day.isoformat(),
        "passengers": visit.whole("passengers", 1),
        "comfort": visit.text("comfort") if visit.text("comfort") in COMFORTS else "Standard",
        "changes": visit.whole("changes", 9),
    }
    order = visit.text("sort") if visit.text("sort") in _ORDERS else "price"
    found = visit.rows(
        f"{_FOUND} ORDER BY {_ORDERS[order][1]}",
        query["comfort"],
        query["origin"],
        query["destination"],
        query["date"],
        query["changes"],
    )
    part = visit.part(len(found), _PER_PAGE)
    path = f"/trains?{urlencode(query)}"
    return visit.show(
        f"{query['origin']} to {query['destination']}",
        m.paragraph(
            f"{weekday(day)}, {query['comfort']} class, {m.counted(len(found), 'train')}. Prices are per passenger."
        ),
        m.sorts("Sort by: ", f"{path}&", {key: label for key, (label, _) in _ORDERS.items()}, order),
        [_result(row, query) for row in found[part.rows]]
        or m.paragraph("No train matches. Try another date or allow more changes."),
        part.links(f"{path}&sort={order}"),
        m.tag("nav", _neighbours(visit, query, day), aria_label="Other days"),
        m.section("Change the search", _form(visit, {})),
    )


def _wrong(visit: Visit) -> dict[str, str]:
    errors, day = {}, visit.date("date")
    if not visit.text("origin"):
        errors["origin"] = "Choose where you start."
    if not visit.text("destination"):
        errors["destination"] = "Choose where you go."
    elif visit.text("destination") == visit.text("origin"):
        errors["destination"] = "This is where you start."
    if day is None:
        errors["date"] = "Write the date as YYYY-MM-DD."
    elif not 1 <= (day - visit.now.date()).days <= WINDOW:
        errors["date"] = f"Tickets are sold from tomorrow on, for {WINDOW} days."
    if not 1 <= visit.whole("passengers", 0 if visit.text("passengers") else 1) <= 6:
        errors["passengers"] = "From 1 to 6 passengers."
    return errors


def _result(row: tuple[Any, ...], query: dict[str, Any]) -> Markup:
    run, number, carrier, departs, minutes, changes, via, saver, seats = row
    how = "direct" if not changes else f"{m.counted(changes, 'change')} in {via}"
    cost = f"from EUR {money(fare_price(saver, query['comfort'], 'Saver'))}"
    more = urlencode({"comfort": query["comfort"], "passengers": query["passengers"]})
    if seats >= query["passengers"]:
        end: str | Markup = m.link(f"/run/{run}?{more}", "Choose")
        cost += f" ({m.counted(seats, 'seat')} left)" if seats < 6 else ""
    else:
        end = m.tag("strong", "Sold out" if not seats else f"Only {m.counted(seats, 'seat')} left")
    return m.card(
        m.heading(f"{number} {carrier}", 3),
        m.paragraph(f"{departs} to {arrival(departs, minutes)}, {minutes} minutes, {how}"),
        m.paragraph(cost, " ", end),
    )


def _neighbours(visit: Visit, query: dict[str, Any], day: datetime.date) -> list[Markup]:
    links = []
    for step, text in ((-1, "Previous day"), (1, "Next day")):
        other = day + datetime.timedelta(step)
        if 1 <= (other - visit.now.date()).days <= WINDOW:
            links.append(m.join(m.link(f"/trains?{urlencode({**query, 'date': other})}", text), " "))
    return links


# ---- booking a train: fare, passengers, extras, payment ----------------------------------------------------------


@trains.page("/run/{number:int}")
def run_page(visit: Visit, number: int) -> Answered:
    """Show a train on a day, and its fares."""
    return _run_page(visit, number, "")


def _run_page(visit: Visit, number: int, error: str) -> Answered:
    train, carrier, origin, destination, departs, minutes, changes, via, date, saver = visit.row(
        "SELECT s.number, s.carrier, s.origin, s.destination, s.departs, s.minutes, s.changes, s.via, r.date, "
        "r.price"
        " FROM run r JOIN service s ON s.id = r.service WHERE r.id = ?",
        number,
    )
    comfort = visit.text("comfort") if visit.text("comfort") in COMFORTS else "Standard"
    passengers = min(max(visit.whole("passengers", 1), 1), 6)
    facts = [
        ("Train", f"{train} {carrier}"),
        ("Date", weekday(datetime.date.fromisoformat(date))),
        ("Time", f"{departs} to {arrival(departs, minutes)}"),
        ("Changes", f"{changes} in {via}" if changes else "0"),
        ("Class", comfort),
        ("Passengers", str(passengers)),
    ]
    rows = []
    for fare, rules in FARES.items():
        each = fare_price(saver, comfort, fare)
        change = "no changes" if rules.change is None else f"EUR {money(rules.change)} per passenger"
        rows.append((fare, f"EUR {money(each)}", f"EUR {money(each * passengers)}", change, f"{rules.refund} %"))
    return visit.show(
        f"{origin} to {destination}",
        m.definitions(facts),
        m.table(("Fare", "Each", "Together", "Fee for changes", "Refund"), rows),
        m.form(
            f"/run/{number}",
            m.hidden("comfort", comfort),
            m.hidden("passengers", passengers),
            m.radios("Fare", "fare", tuple(FARES), visit.text("fare"), error),
            submit="Continue",
        ),
    )


@trains.action("/run/{number:int}")
def choose(visit: Visit, number: int) -> Answered:
    """Choose a fare."""
    fare, comfort, passengers = visit.text("fare"), visit.text("comfort"), visit.whole("passengers", 1)
    if fare not in FARES or comfort not in COMFORTS or not 1 <= passengers <= 6:
        return _run_page(visit, number, "Choose a fare.")
    _seats(visit, number, comfort)
    draft = visit.add("draft", owner=visit.user, run=number, comfort=comfort, fare=fare, passengers=passengers)
    return visit.redirect(f"/draft/{draft}/passengers")


def _seats(visit: Visit, run: int, comfort: str) -> int:
    """Return the seats left on a train that has not left."""
    column = "first_left" if comfort == "First" else "standard_left"
    left: int = visit.row(f"SELECT {column} FROM run WHERE id = ? AND date > ?", run, visit.now.date().isoformat())
    return left


def _draft(visit: Visit, number: int) -> tuple[Any, ...]:
    found: tuple[Any, ...] = visit.row(
        "SELECT d.run, d.comfort, d.fare, d.passengers, d.names, d.seat, d.bags, d.insured, r.price, s.number, "
        "r.date"
        " FROM draft d JOIN run r ON r.id = d.run JOIN service s ON s.id = r.service WHERE d.id = ? AND d.owner = "
        "?",
        number,
        visit.user,
    )
    return found


@trains.page("/draft/{number:int}/passengers", signed_in=True)
def passengers_page(visit: Visit, number: int) -> Answered:
    """Show step 1: names."""
    return _passengers_page(visit, number, {})


def _passengers_page(visit: Visit, number: int, errors: dict[int, str]) -> Answered:
    count, names = _draft(visit, number)[3], _draft(visit, number)[4].split("\n")
    fields = []
    for n in range(1, count + 1):
        value = visit.text(f"name{n}") or (names[n - 1] if len(names) >= n else "")
        fields.append(m.field(f"Name of passenger {n}", f"name{n}", value, error=errors.get(n, "")))
    return visit.show("Passengers (step 1 of 3)", m.form(f"/draft/{number}/passengers", fields, submit="Continue"))


@trains.action("/draft/{number:int}/passengers")
def passengers(visit: Visit, number: int) -> Answered:
    """Check the names."""
    count = _draft(visit, number)[3]
    names = [" ".join(visit.text(f"name{n}").split())[:80] for n in range(1, count + 1)]
    errors = {n: "First and last name, please." for n, name in enumerate(names, 1) if len(name.split()) < 2}
    if errors:
        return _passengers_page(visit, number, errors)
    visit.change("draft", number, names="\n".join(names))
    return visit.redirect(f"/draft/{number}/extras")


@trains.page("/draft/{number:int}/extras", signed_in=True)
def extras_page(visit: Visit, number: int) -> Answered:
    """Show step 2: seat, bags, insurance."""
    return _extras_page(visit, number, "")


def _extras_page(visit: Visit, number: int, error: str) -> Answered:
    *_, seat, bags, insured, _, _, _ = _draft(visit, number)
    if visit.form:  # what was posted with an error
        seat, bags, insured = visit.text("seat"), visit.text("bags"), visit.text("insured")
    favourite = visit.get("SELECT seat FROM preference WHERE owner = ?", visit.user)
    return visit.show(
        "Extras (step 2 of 3)",
        m.form(
            f"/draft/{number}/extras",
            m.choices("Seat", "seat", SEATS, seat or favourite),
            m.number_field(f"Bags (EUR {money(BAG)} each, at most {MOST_BAGS})", "bags", bags or 0, error),
            m.checkbox(f"Travel insurance (EUR {money(INSURANCE)})", "insured", bool(insured)),
            submit="Continue",
        ),
        m.link(f"/draft/{number}/passengers", "Back"),
    )


@trains.action("/draft/{number:int}/extras")
def extras(visit: Visit, number: int) -> Answered:
    """Check the extras."""
    _draft(visit, number)
    seat, bags = visit.text("seat"), visit.whole("bags", -1 if visit.text("bags") else 0)
    if seat not in SEATS or not 0 <= bags <= MOST_BAGS:
        return _extras_page(visit, number, f"From 0 to {MOST_BAGS} bags.")
    insured = int(visit.text("insured") == "on")
    visit.change("draft", number, seat=seat, bags=bags, insured=insured)
    return visit.redirect(f"/draft/{number}/payment")


@trains.page("/draft/{number:int}/payment", signed_in=True)
def payment_page(visit: Visit, number: int) -> Answered:
    """Show step 3: the price, and how it is paid."""
    return _payment_page(visit, number, "", "")


def _payment_page(visit: Visit, number: int, card: str, terms: str) -> Answered:
    draft = _draft(visit, number)
    if not draft[4] or not draft[5]:
        return visit.redirect(f"/draft/{number}/passengers", flash="Tell us first who travels.")
    _, comfort, fare, _, names, seat, bags, insured, _, train, date = draft
    facts = [
        ("Train", f"{train} on {date}"),
        ("Class and fare", f"{comfort}, {fare}"),
        ("Passengers", ", ".join(names.split("\n"))),
        ("Seat", seat),
        ("Bags", str(bags)),
        ("Insurance", "yes" if insured else "no"),
        ("Total", f"EUR {money(_total(draft))}"),
    ]
    fields = [
        card_field(visit, card),
        m.checkbox("I accept the conditions of carriage", "terms"),
        m.note(terms, "alert") if terms else "",
    ]
    pay = m.form(f"/draft/{number}/payment", fields, submit="Pay and book")
    return visit.show("Payment (step 3 of 3)", m.definitions(facts), pay, m.link(f"/draft/{number}/extras", "Back"))


@trains.action("/draft/{number:int}/payment")
def payment(visit: Visit, number: int) -> Answered:
    """Book the trip."""
    draft = _draft(visit, number)
    run, comfort, fare, count, names, seat, bags, insured = draft[:8]
    card = chosen_card(visit)
    if not card or visit.text("terms") != "on" or not names or not seat:
        terms = "" if visit.text("terms") == "on" else "Please accept the conditions of carriage."
        return _payment_page(visit, number, "" if card else "Choose a card.", terms)
    if _seats(visit, run, comfort) < count:
        return visit.redirect(f"/run/{run}", flash="The last seats have just been sold.")
    booking = visit.get("SELECT coalesce(max(id), 0) + 1 FROM booking")
    code = reference("K", booking, visit.now)
    visit.add(
        "booking",
        id=booking,
        reference=code,
        owner=visit.user,
        run=run,
        comfort=comfort,
        fare=fare,
        seat=seat,
        bags=bags,
        insured=insured,
        price=_total(draft),
        card=card,
        booked=visit.now.isoformat(" ", "minutes"),
    )
    for name in names.split("\n"):
        visit.add("passenger", booking=booking, name=name)
    column = "first_left" if comfort == "First" else "standard_left"
    visit.run(f"UPDATE run SET {column} = {column} - ? WHERE id = ?", count, run)
    visit.run("DELETE FROM draft WHERE id = ?", number)
    return visit.redirect(f"/trip/{code}", flash=f"Booked: {code}.")


def _total(draft: tuple[Any, ...]) -> int:
    _, comfort, fare, count, _, _, bags, insured, saver, _, _ = draft
    total: int = fare_price(saver, comfort, fare) * count + bags * BAG + insured * INSURANCE
    return total
