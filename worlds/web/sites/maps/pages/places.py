"""The map's search, places with hours and reviews, directions, and suggested edits."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.maps.data import DAYS
from turnwise.worlds.web.sites.maps.network import MODES, Network, network_of

__all__ = ["places"]

places = Pages()

_PER_PAGE, _REVIEWS = 6, 2
_ORDERS = {"distance": "Distance", "rating": "Rating", "name": "Name"}
_RANGES = (("0", "Any distance"), ("300", "300 m"), ("500", "500 m"), ("800", "800 m"), ("1200", "1200 m"))
_MODE_NAMES = {"walking": "On foot", "driving": "By car"}
_FIELDS = ("Phone", "Website", "Name", "Closed for good")


class _Point(NamedTuple):
    node: int
    name: str


# ---- finding ----------------------------------------------------------------------------------------------------


def _network(visit: Visit) -> Network:
    return network_of(visit.row("SELECT data FROM network ORDER BY id"))


def _point(visit: Visit, text: str) -> _Point | None:
    """Return where a place's name, an address, "Home" or "Work" is."""
    text = " ".join(text.split())
    if text.lower() in ("home", "work"):
        found = visit.get(
            "SELECT a.node, a.street, a.number FROM spot s JOIN address a ON a.id = s.address"
            " WHERE s.owner = ? AND s.kind = ?",
            visit.user,
            text.lower(),
        )
        return None if found is None else _Point(found[0], f"{text.capitalize()} ({found[2]} {found[1]})")
    found = visit.get("SELECT a.node, p.name FROM place p JOIN address a ON a.id = p.address WHERE p.name = ?", text)
    if found is None:
        number, _, street = text.partition(" ")
        if number.isascii() and number.isdigit() and len(number) < 6:
            found = visit.get(
                "SELECT node, number || ' ' || street FROM address WHERE street = ? COLLATE NOCASE AND number = ?",
                street,
                int(number),
            )
    return None if found is None else _Point(*found)


@places.page("/")
def home(visit: Visit) -> Answered:
    """Show the search by words or by category."""
    town = visit.row("SELECT town FROM network ORDER BY id")
    kinds = visit.rows("SELECT category, count(*) FROM place GROUP BY category ORDER BY category")
    field = m.void("input", type="search", name="q", aria_label="Place or address", data_tw_get="/hints",
                   data_tw_on="input", data_tw_target="hints")  # fmt: skip
    links = [m.link(f"/search?{urlencode({'category': kind})}", f"{kind} ({count})") for kind, count in kinds]
    return visit.show(
        f"Map of {town}",
        m.form("/search", field, submit="Find", method="get", role="search"),
        m.tag("div", id="hints"),
        m.section("By kind", m.items(links)),
        m.section("Search nearby", _search_form(visit, "")),
        m.paragraph(m.link("/streets", "All streets and house numbers")),
    )


@places.page("/hints")
def hints(visit: Visit) -> Answered:
    """Return places whose names begin with what was typed."""
    text = visit.text("q")
    if len(text) < 2:
        return visit.fragment()
    found = visit.rows(
        "SELECT id, name FROM place WHERE name LIKE ? ESCAPE '!' ORDER BY name, id LIMIT 5",
        like(text).removeprefix("%"),
    )
    return visit.fragment(m.items(m.link(f"/place/{place}", name) for place, name in found) if found else "")


def _search_form(visit: Visit, error: str) -> Markup:
    kinds = visit.rows("SELECT DISTINCT category FROM place ORDER BY category")
    fields = [
        m.choices("Category", "category", [("", "All"), *((kind, kind) for kind in kinds)], visit.text("category")),
        m.field("Near", "near", visit.text("near") or ("Home" if visit.user else ""), error=error),
        m.choices("Within", "within", _RANGES, visit.text("within")),
        m.checkbox("Open now", "open", visit.text("open") == "on"),
    ]
    return m.form("/search", fields, submit="Search nearby", method="get")


@places.page("/search")
def search(visit: Visit) -> Answered:
    """Find places by words, category, distance and hours."""
    point = _point(visit, visit.text("near")) if visit.text("near") else None
    if visit.text("near") and point is None:
        error = "There is no such place or address; write it as the map does, or Home or Work."
        return visit.show("Search", _search_form(visit, error))
    words = like(visit.text("q"))
    rows = visit.rows(
        "SELECT p.id, p.name, p.category, p.rating, p.reviews, a.street, a.number, a.node, h.opens, h.closes FROM "
        "place p"
        " JOIN address a ON a.id = p.address LEFT JOIN hours h ON h.place = p.id AND h.day = ?"
        " WHERE (p.name LIKE ? ESCAPE '!' OR a.number || ' ' || a.street LIKE ? ESCAPE '!') AND ? IN ('', "
        "p.category)"
        " ORDER BY p.name, p.id",
        visit.now.weekday(),
        words,
        words,
        visit.text("category"),
    )
    network, now = _network(visit), f"{visit.now:%H:%M}"
    found = [(network.metres(point.node, row[7]) if point else 0, _is_open(row[8], row[9], now), row) for row in rows]
    within = visit.whole("within")
    if point and within > 0:
        found = [entry for entry in found if entry[0] <= within]
    if visit.text("open") == "on":
        found = [entry for entry in found if entry[1]]
    order = visit.text("sort") if visit.text("sort") in _ORDERS else "distance" if point else "name"
    if order == "distance":
        found.sort(key=lambda entry: (entry[0], entry[2][0]))
    elif order == "rating":
        found.sort(key=lambda entry: (-entry[2][3], entry[2][0]))
    part = visit.part(len(found), _PER_PAGE)
    kept = {name: visit.text(name) for name in ("q", "category", "near", "within", "open") if visit.text(name)}
    path = f"/search?{urlencode(kept)}"
    return visit.show(
        "Places",
        m.paragraph(m.counted(len(found), "place") + (f", distances on foot from {point.name}." if point else ".")),
        m.sorts("Sort by: ", f"{path}&", _ORDERS, order),
        [_card(entry, point) for entry in found[part.rows]]
        or m.paragraph("Nothing matches. Search wider, or take a filter off."),
        part.links(f"{path}&sort={order}"),
        m.section("Search nearby", _search_form(visit, "")),
    )


@places.page("/streets")
def streets(visit: Visit) -> Answered:
    """List all addresses on one long page."""
    lines: dict[str, list[str]] = {}
    for street, number in visit.rows("SELECT street, number FROM address ORDER BY street, number"):
        lines.setdefault(street, []).append(str(number))
    rows = [(street, ", ".join(numbers)) for street, numbers in lines.items()]
    return visit.show("Streets and house numbers", m.table(("Street", "Numbers"), rows))


# ---- places -----------------------------------------------------------------------------------------------------


@places.page("/place/{number:int}")
def place(visit: Visit, number: int) -> Answered:
    """Show a place."""
    name, category, phone, website, rating, count, street, house = visit.row(
        "SELECT p.name, p.category, p.phone, p.website, p.rating, p.reviews, a.street, a.number FROM place p"
        " JOIN address a ON a.id = p.address WHERE p.id = ?",
        number,
    )
    hours = {
        d: (o, c) for d, o, c in visit.rows("SELECT day, opens, closes FROM hours WHERE place = ? ORDER BY day", number)
    }
    facts = [
        ("Category", category),
        ("Address", f"{house} {street}"),
        ("Phone", phone),
        ("Website", website),
        ("Rating", f"{_stars(rating)} ({count} reviews)"),
    ]
    week = [(day, f"{hours[n][0]} to {hours[n][1]}" if n in hours else "closed") for n, day in enumerate(DAYS)]
    opens, closes = hours.get(visit.now.weekday(), (None, None))
    state = "Open" if _is_open(opens, closes, f"{visit.now:%H:%M}") else "Closed"
    links = [
        m.link(f"/directions?{urlencode({'to': name})}", "Directions to here"),
        m.link(f"/place/{number}/suggest", "Suggest an edit"),
    ]
    return visit.show(
        name,
        m.paragraph(f"{state} now ({DAYS[visit.now.weekday()]}, {visit.now:%H:%M})."),
        m.definitions(facts),
        m.items(links),
        m.button("Opening hours", type="button", data_tw_toggle="hours", aria_expanded="false"),
        m.panel("hours", m.table(("Day", "Hours"), week)),
        _save_form(visit, number) if visit.user else "",
        m.section(
            "Reviews",
            m.tag("div", _some_reviews(visit, number, _REVIEWS), id="reviews"),
            m.button("All reviews", type="button", data_tw_get=f"/place/{number}/reviews", data_tw_target="reviews")
            if count > _REVIEWS
            else "",
        ),
    )


def _save_form(visit: Visit, number: int) -> Markup:
    lists = visit.rows("SELECT id, name FROM list WHERE owner = ? ORDER BY name, id", visit.user)
    in_ = visit.rows(
        "SELECT l.name FROM saved s JOIN list l ON l.id = s.list WHERE s.place = ? AND l.owner = ? ORDER BY "
        "l.name, l.id",
        number,
        visit.user,
    )
    fields = [m.choices("List", "list", [("", "Choose a list"), *lists]), m.field("Note", "note")]
    saved = m.paragraph(f"Saved in: {', '.join(in_)}.") if in_ else ""
    return m.section("Save", saved, m.form(f"/place/{number}/save", fields, submit="Save place"))


@places.page("/place/{number:int}/reviews")
def reviews(visit: Visit, number: int) -> Answered:
    """Return all reviews, as a fragment."""
    return visit.fragment(_some_reviews(visit, number, 100))


def _some_reviews(visit: Visit, number: int, count: int) -> list[Markup]:
    rows = visit.rows(
        "SELECT r.stars, r.date, r.text, a.name FROM review r JOIN account a ON a.id = r.author WHERE r.place = ?"
        " ORDER BY r.date DESC, r.id LIMIT ?",
        number,
        count,
    )
    return [
        m.card(m.heading(f"{stars} of 5 stars, {name}, {date}", 3), m.rich(text)) for stars, date, text, name in rows
    ]


@places.action("/place/{number:int}/save")
def save(visit: Visit, number: int) -> Answered:
    """Put a place on a list."""
    visit.row("SELECT id FROM place WHERE id = ?", number)
    name = visit.get("SELECT name FROM list WHERE id = ? AND owner = ?", visit.whole("list"), visit.user)
    if name is None:
        return visit.redirect(f"/place/{number}", flash="Choose one of your lists.")
    if visit.get("SELECT 1 FROM saved WHERE list = ? AND place = ?", visit.whole("list"), number):
        return visit.redirect(f"/place/{number}", flash=f"It is in {name} already.")
    visit.run("INSERT INTO saved VALUES (?, ?, ?)", visit.whole("list"), number, visit.text("note")[:200])
    return visit.redirect(f"/place/{number}", flash=f"Saved in {name}.")


@places.page("/place/{number:int}/suggest", signed_in=True)
def suggest_page(visit: Visit, number: int) -> Answered:
    """Show the form for reporting a wrong entry."""
    return _suggest_page(visit, number, "")


def _suggest_page(visit: Visit, number: int, error: str) -> Answered:
    name, phone, website = visit.row("SELECT name, phone, website FROM place WHERE id = ?", number)
    fields = [
        m.choices("What is wrong", "field", _FIELDS, visit.text("field")),
        m.field("Right value", "value", visit.text("value"), error=error),
        m.area("Comment", "comment", visit.text("comment")),
    ]
    shown = m.definitions([("Name", name), ("Phone", phone), ("Website", website)])
    form = m.form(f"/place/{number}/suggest", fields, submit="Send suggestion")
    return visit.show(f"Suggest an edit: {name}", shown, form)


@places.action("/place/{number:int}/suggest")
def suggest(visit: Visit, number: int) -> Answered:
    """Keep the suggestion for review."""
    visit.row("SELECT id FROM place WHERE id = ?", number)
    field, value = visit.text("field"), " ".join(visit.text("value").split())[:120]
    if field not in _FIELDS or (not value and field != "Closed for good"):
        return _suggest_page(visit, number, "What is the right value?")
    if field == "Phone" and not value.replace(" ", "").isdigit():
        return _suggest_page(visit, number, "A phone number has digits and blanks.")
    visit.add(
        "suggestion",
        place=number,
        author=visit.user,
        field=field,
        value=value,
        comment=visit.text("comment")[:500],
        made=visit.now.isoformat(" ", "minutes"),
    )
    return visit.redirect(f"/place/{number}", flash="Thank you. We check your suggestion.")


# ---- directions --------------------------------------------------------------------------------------------------


@places.page("/directions")
def directions(visit: Visit) -> Answered:
    """Show the way from one place to another."""
    start, end = _point(visit, visit.text("from")), _point(visit, visit.text("to"))
    mode = visit.text("mode") if visit.text("mode") in MODES else "walking"
    asked = "from" in visit.query
    unknown = "There is no such place or address; write it as the map does, or Home or Work."
    fields = [
        m.field("From", "from", visit.text("from"), error=unknown if asked and start is None else ""),
        m.field("To", "to", visit.text("to"), error=unknown if asked and end is None else ""),
        m.radios("Travel mode", "mode", _MODE_NAMES.items(), mode),
    ]
    form = m.form("/directions", fields, submit="Get directions", method="get")
    if not asked or start is None or end is None:
        return visit.show("Directions", form)
    way = _network(visit).way(start.node, end.node, mode)
    facts = [
        ("From", start.name),
        ("To", end.name),
        ("Travel mode", _MODE_NAMES[mode]),
        ("Distance", f"{way.metres} m"),
        ("Time", f"{way.minutes} min"),
    ]
    back = urlencode({"from": visit.text("to"), "to": visit.text("from"), "mode": mode})
    steps = m.items([*way.steps, f"Arrive at {end.name}"], ordered=True)
    reverse = m.paragraph(m.link(f"/directions?{back}", "The way back"))
    return visit.show("Directions", m.definitions(facts), m.section("Steps", steps), reverse, form)


def _card(entry: tuple[int, bool, tuple[Any, ...]], point: _Point | None) -> Markup:
    metres, is_open, (place, name, category, rating, count, street, house, _, opens, closes) = entry
    state = f"{'open' if is_open else 'closed'} now, today {opens} to {closes}" if opens else "closed today"
    facts = [category, f"{house} {street}", f"{_stars(rating)} ({count} reviews)", state]
    away = m.paragraph(f"{metres} m on foot") if point else ""
    return m.card(m.tag("h3", m.link(f"/place/{place}", name)), m.paragraph(", ".join(facts)), away)


def _is_open(opens: str | None, closes: str | None, now: str) -> bool:
    return opens is not None and closes is not None and opens <= now < closes


def _stars(rating: int) -> str:
    return f"{rating // 10}.{rating % 10} stars"
