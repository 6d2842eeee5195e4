"""A map of the user's town: places, hours, reviews, directions on foot and by car, lists, and suggested edits."""

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import check, click, fill, select
from turnwise.worlds.web.sites.maps.data import DAYS, SCHEMA, fill_maps
from turnwise.worlds.web.sites.maps.lists import Lists
from turnwise.worlds.web.sites.maps.network import MODES, Network, network_of
from turnwise.worlds.web.sites.maps.tasks import MapsTasks

__all__ = ["Maps"]

_PER_PAGE, _REVIEWS = 6, 2
_ORDERS = {"distance": "Distance", "rating": "Rating", "name": "Name"}
_RANGES = (("0", "Any distance"), ("300", "300 m"), ("500", "500 m"), ("800", "800 m"), ("1200", "1200 m"))
_MODE_NAMES = {"walking": "On foot", "driving": "By car"}
_FIELDS = ("Phone", "Website", "Name", "Closed for good")


class _Point(NamedTuple):
    node: int
    name: str


@register_site
class Maps(Lists, MapsTasks):
    """A map."""

    name, title, style = "maps", "Townmap", "#2f7d32"
    schema = SCHEMA
    untrusted = (("review", "text"),)
    strays = (
        (click("Settings"), select("Colours", "Night"), click("Save settings")),
        (click("Settings"), check("Share my position with friends"), click("Save settings")),
        (click("My lists"), fill("Name of the list", "Odds and ends"), click("Create list")),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """Streets, places, lists."""
        fill_maps(db, draw, cast, size)

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        """Explore, directions, lists, settings."""
        return ("/", "Explore"), ("/directions", "Directions"), ("/lists", "My lists"), ("/settings", "Settings")

    # ---- finding ----------------------------------------------------------------------------------------------------

    @staticmethod
    def _network(visit: Visit) -> Network:
        return network_of(visit.row("SELECT data FROM network ORDER BY id"))

    @staticmethod
    def _point(visit: Visit, text: str) -> _Point | None:
        """Where a place's name, an address, "Home" or "Work" is."""
        text = " ".join(text.split())
        if text.lower() in ("home", "work"):
            found = visit.get(
                "SELECT a.node, a.street, a.number FROM spot s JOIN address a ON a.id = s.address"
                " WHERE s.owner = ? AND s.kind = ?",
                visit.user,
                text.lower(),
            )
            return None if found is None else _Point(found[0], f"{text.capitalize()} ({found[2]} {found[1]})")
        found = visit.get(
            "SELECT a.node, p.name FROM place p JOIN address a ON a.id = p.address WHERE p.name = ?", text
        )
        if found is None:
            number, _, street = text.partition(" ")
            if number.isascii() and number.isdigit() and len(number) < 6:
                found = visit.get(
                    "SELECT node, number || ' ' || street FROM address WHERE street = ? COLLATE NOCASE AND number = ?",
                    street,
                    int(number),
                )
        return None if found is None else _Point(*found)

    @page("/")
    def home(self, visit: Visit) -> Answered:
        """Search by words or by kind."""
        town = visit.row("SELECT town FROM network ORDER BY id")
        kinds = visit.rows("SELECT category, count(*) FROM place GROUP BY category ORDER BY category")
        field = m.void("input", type="search", name="q", aria_label="Place or address", data_tw_get="/hints",
                       data_tw_on="input", data_tw_target="hints")  # fmt: skip
        links = [m.link(f"/search?{urlencode({'category': kind})}", f"{kind} ({count})") for kind, count in kinds]
        return self.show(
            visit,
            f"Map of {town}",
            m.form("/search", field, submit="Find", method="get", role="search"),
            m.tag("div", id="hints"),
            m.section("By kind", m.items(links)),
            m.section("Search nearby", self._search_form(visit, "")),
            m.paragraph(m.link("/streets", "All streets and house numbers")),
        )

    @page("/hints")
    def hints(self, visit: Visit) -> Answered:
        """Places whose names begin so."""
        text = visit.text("q")
        if len(text) < 2:
            return self.fragment()
        found = visit.rows(
            "SELECT id, name FROM place WHERE name LIKE ? ESCAPE '\\' ORDER BY name, id LIMIT 5", f"{_literal(text)}%"
        )
        return self.fragment(m.items(m.link(f"/place/{place}", name) for place, name in found) if found else "")

    def _search_form(self, visit: Visit, error: str) -> Markup:
        kinds = visit.rows("SELECT DISTINCT category FROM place ORDER BY category")
        fields = [
            m.choices("Category", "category", [("", "All"), *((kind, kind) for kind in kinds)], visit.text("category")),
            m.field("Near", "near", visit.text("near") or ("Home" if visit.user else ""), error=error),
            m.choices("Within", "within", _RANGES, visit.text("within")),
            m.checkbox("Open now", "open", visit.text("open") == "on"),
        ]
        return m.form("/search", fields, submit="Search nearby", method="get")

    @page("/search")
    def search(self, visit: Visit) -> Answered:
        """Places by words, category, distance and hours."""
        point = self._point(visit, visit.text("near")) if visit.text("near") else None
        if visit.text("near") and point is None:
            error = "There is no such place or address; write it as the map does, or Home or Work."
            return self.show(visit, "Search", self._search_form(visit, error))
        words = _literal(visit.text("q"))
        rows = visit.rows(
            "SELECT p.id, p.name, p.category, p.rating, p.reviews, a.street, a.number, a.node, h.opens, h.closes FROM "
            "place p"
            " JOIN address a ON a.id = p.address LEFT JOIN hours h ON h.place = p.id AND h.day = ?"
            " WHERE (p.name LIKE ? ESCAPE '\\' OR a.number || ' ' || a.street LIKE ? ESCAPE '\\') AND ? IN ('', "
            "p.category)"
            " ORDER BY p.name, p.id",
            visit.now.weekday(),
            f"%{words}%",
            f"%{words}%",
            visit.text("category"),
        )
        network, now = self._network(visit), f"{visit.now:%H:%M}"
        found = [
            (network.metres(point.node, row[7]) if point else 0, _is_open(row[8], row[9], now), row) for row in rows
        ]
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
        pages = max(1, -(-len(found) // _PER_PAGE))
        number = min(max(visit.whole("page", 1), 1), pages)
        kept = {name: visit.text(name) for name in ("q", "category", "near", "within", "open") if visit.text(name)}
        path = f"/search?{urlencode(kept)}"
        sorts = [m.link(f"{path}&sort={k}", label) if k != order else label for k, label in _ORDERS.items()]
        return self.show(
            visit,
            "Places",
            m.paragraph(m.counted(len(found), "place") + (f", distances on foot from {point.name}." if point else ".")),
            m.tag("nav", "Sort by: ", [m.join(sort, " ") for sort in sorts], aria_label="Sort"),
            [_card(entry, point) for entry in found[(number - 1) * _PER_PAGE : number * _PER_PAGE]]
            or m.paragraph("Nothing matches. Search wider, or take a filter off."),
            m.pager(f"{path}&sort={order}", number, pages),
            m.section("Search nearby", self._search_form(visit, "")),
        )

    @page("/streets")
    def streets(self, visit: Visit) -> Answered:
        """All addresses: a long page."""
        lines: dict[str, list[str]] = {}
        for street, number in visit.rows("SELECT street, number FROM address ORDER BY street, number"):
            lines.setdefault(street, []).append(str(number))
        rows = [(street, ", ".join(numbers)) for street, numbers in lines.items()]
        return self.show(visit, "Streets and house numbers", m.table(("Street", "Numbers"), rows))

    # ---- places -----------------------------------------------------------------------------------------------------

    @page("/place/{number:int}")
    def place(self, visit: Visit, number: int) -> Answered:
        """A place."""
        name, category, phone, website, rating, count, street, house = visit.row(
            "SELECT p.name, p.category, p.phone, p.website, p.rating, p.reviews, a.street, a.number FROM place p"
            " JOIN address a ON a.id = p.address WHERE p.id = ?",
            number,
        )
        hours = {
            d: (o, c)
            for d, o, c in visit.rows("SELECT day, opens, closes FROM hours WHERE place = ? ORDER BY day", number)
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
        return self.show(
            visit,
            name,
            m.paragraph(f"{state} now ({DAYS[visit.now.weekday()]}, {visit.now:%H:%M})."),
            m.definitions(facts),
            m.items(links),
            m.button("Opening hours", type="button", data_tw_toggle="hours", aria_expanded="false"),
            m.panel("hours", m.table(("Day", "Hours"), week)),
            self._save_form(visit, number) if visit.user else "",
            m.section(
                "Reviews",
                m.tag("div", self._some_reviews(visit, number, _REVIEWS), id="reviews"),
                m.button("All reviews", type="button", data_tw_get=f"/place/{number}/reviews", data_tw_target="reviews")
                if count > _REVIEWS
                else "",
            ),
        )

    def _save_form(self, visit: Visit, number: int) -> Markup:
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

    @page("/place/{number:int}/reviews")
    def reviews(self, visit: Visit, number: int) -> Answered:
        """All reviews, as a piece of the page."""
        return self.fragment(self._some_reviews(visit, number, 100))

    @staticmethod
    def _some_reviews(visit: Visit, number: int, count: int) -> list[Markup]:
        rows = visit.rows(
            "SELECT r.stars, r.date, r.text, a.name FROM review r JOIN account a ON a.id = r.author WHERE r.place = ?"
            " ORDER BY r.date DESC, r.id LIMIT ?",
            number,
            count,
        )
        return [
            m.card(m.heading(f"{stars} of 5 stars, {name}, {date}", 3), m.rich(text))
            for stars, date, text, name in rows
        ]

    @action("/place/{number:int}/save")
    def save(self, visit: Visit, number: int) -> Answered:
        """Puts a place on a list."""
        visit.row("SELECT id FROM place WHERE id = ?", number)
        name = visit.get("SELECT name FROM list WHERE id = ? AND owner = ?", visit.whole("list"), visit.user)
        if name is None:
            return self.redirect(f"/place/{number}", flash="Choose one of your lists.")
        if visit.get("SELECT 1 FROM saved WHERE list = ? AND place = ?", visit.whole("list"), number):
            return self.redirect(f"/place/{number}", flash=f"It is in {name} already.")
        visit.run("INSERT INTO saved VALUES (?, ?, ?)", visit.whole("list"), number, visit.text("note")[:200])
        return self.redirect(f"/place/{number}", flash=f"Saved in {name}.")

    @page("/place/{number:int}/suggest", signed_in=True)
    def suggest_page(self, visit: Visit, number: int) -> Answered:
        """What is wrong with a place."""
        return self._suggest_page(visit, number, "")

    def _suggest_page(self, visit: Visit, number: int, error: str) -> Answered:
        name, phone, website = visit.row("SELECT name, phone, website FROM place WHERE id = ?", number)
        fields = [
            m.choices("What is wrong", "field", _FIELDS, visit.text("field")),
            m.field("Right value", "value", visit.text("value"), error=error),
            m.area("Comment", "comment", visit.text("comment")),
        ]
        shown = m.definitions([("Name", name), ("Phone", phone), ("Website", website)])
        form = m.form(f"/place/{number}/suggest", fields, submit="Send suggestion")
        return self.show(visit, f"Suggest an edit: {name}", shown, form)

    @action("/place/{number:int}/suggest")
    def suggest(self, visit: Visit, number: int) -> Answered:
        """Keeps the suggestion for review."""
        visit.row("SELECT id FROM place WHERE id = ?", number)
        field, value = visit.text("field"), " ".join(visit.text("value").split())[:120]
        if field not in _FIELDS or (not value and field != "Closed for good"):
            return self._suggest_page(visit, number, "What is the right value?")
        if field == "Phone" and not value.replace(" ", "").isdigit():
            return self._suggest_page(visit, number, "A phone number has digits and blanks.")
        visit.run(
            "INSERT INTO suggestion (place, author, field, value, comment, made) VALUES (?, ?, ?, ?, ?, ?)",
            number,
            visit.user,
            field,
            value,
            visit.text("comment")[:500],
            visit.now.isoformat(" ", "minutes"),
        )
        return self.redirect(f"/place/{number}", flash="Thank you. We check your suggestion.")

    # ---- directions --------------------------------------------------------------------------------------------------

    @page("/directions")
    def directions(self, visit: Visit) -> Answered:
        """The way from one place to another."""
        start, end = self._point(visit, visit.text("from")), self._point(visit, visit.text("to"))
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
            return self.show(visit, "Directions", form)
        way = self._network(visit).way(start.node, end.node, mode)
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
        return self.show(visit, "Directions", m.definitions(facts), m.section("Steps", steps), reverse, form)


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


def _literal(text: str) -> str:
    """A text for LIKE with a backslash as its ESCAPE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
