"""What a visitor of the map keeps there: lists of places, home and work, the look of the map."""

from collections.abc import Sequence
from typing import Any

from turnwise.worlds.web.site import Answered, NotFound, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m

__all__ = ["lists"]

lists = Pages()


# ---- lists -------------------------------------------------------------------------------------------------------


@lists.page("/lists", signed_in=True)
def show_lists(visit: Visit) -> Answered:
    """Show the visitor's lists, and those that others share."""
    return _lists_page(visit, "")


def _lists_page(visit: Visit, error: str) -> Answered:
    mine = visit.rows(
        "SELECT l.id, l.name, count(s.place) FROM list l LEFT JOIN saved s ON s.list = l.id WHERE l.owner = ?"
        " GROUP BY l.id ORDER BY l.name, l.id",
        visit.user,
    )
    others = visit.rows(
        "SELECT l.id, l.name, a.name FROM list l JOIN account a ON a.id = l.owner WHERE l.shared AND l.owner != ?"
        " ORDER BY a.name, l.id",
        visit.user,
    )
    rows = [(m.link(f"/list/{number}", name), m.counted(count, "place")) for number, name, count in mine]
    return visit.show(
        "My lists",
        m.table(("List", "Places"), rows),
        m.section("New list", m.form("/lists", m.field("Name of the list", "name", visit.text("name"), error=error),
                                     submit="Create list")),
        m.section("Shared by others", m.items(m.link(f"/list/{n}", f"{name} by {who}") for n, name, who in others)),
    )  # fmt: skip


@lists.action("/lists")
def create_list(visit: Visit) -> Answered:
    """Create a list."""
    name = " ".join(visit.text("name").split())[:60]
    if not name:
        return _lists_page(visit, "A list needs a name.")
    if visit.get("SELECT 1 FROM list WHERE owner = ? AND name = ? COLLATE NOCASE", visit.user, name):
        return _lists_page(visit, "You have a list of that name.")
    visit.add("list", owner=visit.user, name=name)
    return visit.redirect("/lists", flash=f"The list {name} is there.")


@lists.page("/list/{number:int}", signed_in=True)
def list_(visit: Visit, number: int) -> Answered:
    """Show the places of a list."""
    owner, name, shared = visit.row("SELECT owner, name, shared FROM list WHERE id = ?", number)
    if owner != visit.user and not shared:
        raise Refused("This list is private.")
    rows: list[Sequence[Any]] = []
    for place, title, category, note in visit.rows(
        "SELECT p.id, p.name, p.category, s.note FROM saved s JOIN place p ON p.id = s.place WHERE s.list = ?"
        " ORDER BY p.name, p.id",
        number,
    ):
        end = m.post_button(f"/list/{number}/remove", "Remove", place=place) if owner == visit.user else ""
        rows.append((m.link(f"/place/{place}", title), category, note, end))
    content = m.table(("Place", "Category", "Note", ""), rows) if rows else m.paragraph("Nothing is saved here.")
    return visit.show(name, content)


@lists.action("/list/{number:int}/remove")
def remove(visit: Visit, number: int) -> Answered:
    """Remove a place from a list."""
    if visit.row("SELECT owner FROM list WHERE id = ?", number) != visit.user:
        raise Refused("This list is another person's.")
    visit.row("SELECT 1 FROM saved WHERE list = ? AND place = ?", number, visit.whole("place"))
    visit.run("DELETE FROM saved WHERE list = ? AND place = ?", number, visit.whole("place"))
    return visit.redirect(f"/list/{number}", flash="Removed.")


# ---- settings ----------------------------------------------------------------------------------------------------


@lists.page("/settings", signed_in=True)
def settings(visit: Visit) -> Answered:
    """Show home, work and the look of the map as forms."""
    return _settings_page(visit, {})


def _settings_page(visit: Visit, errors: dict[str, str]) -> Answered:
    streets = visit.rows("SELECT DISTINCT street FROM address ORDER BY street")
    forms = []
    for kind in ("home", "work"):
        found = visit.get(
            "SELECT a.street, a.number FROM spot s JOIN address a ON a.id = s.address WHERE s.owner = ? AND s.kind = ?",
            visit.user,
            kind,
        )
        typed = visit.path == f"/settings/{kind}"
        street, number = (visit.text("street"), visit.text("number")) if typed else found or ("", "")
        fields = [
            m.choices("Street", "street", streets, street),
            m.number_field("House number", "number", number, errors.get(kind, "")),
        ]
        now = f"Now {found[1]} {found[0]}." if found else "Not set."
        form = m.form(f"/settings/{kind}", fields, submit=f"Save {kind} address")
        forms.append(m.section(f"{kind.capitalize()} address", m.paragraph(now), form))
    colours, shares = visit.row("SELECT colours, shares FROM setting WHERE owner = ?", visit.user)
    look = [
        m.choices("Colours", "colours", ("Day", "Night"), colours),
        m.checkbox("Share my position with friends", "shares", bool(shares)),
    ]
    return visit.show("Settings", forms, m.section("The map", m.form("/settings", look, submit="Save settings")))


@lists.action("/settings")
def save_settings(visit: Visit) -> Answered:
    """Save colours and sharing."""
    colours = visit.text("colours")
    if colours not in ("Day", "Night"):
        return visit.redirect("/settings", flash="There are no such colours.")
    shares = int(visit.text("shares") == "on")
    visit.run("UPDATE setting SET colours = ?, shares = ? WHERE owner = ?", colours, shares, visit.user)
    return visit.redirect("/settings", flash="Saved.")


@lists.action("/settings/{kind}")
def save_spot(visit: Visit, kind: str) -> Answered:
    """Save the address of home or work."""
    if kind not in ("home", "work"):
        raise NotFound
    street, number = visit.text("street"), visit.whole("number")
    found = visit.get("SELECT id FROM address WHERE street = ? AND number = ?", street, number)
    if found is None:
        near = visit.rows("SELECT number FROM address WHERE street = ? ORDER BY number", street)
        text = f"The map has no such number; {street} has {', '.join(map(str, near))}." if near else "Choose a street."
        return _settings_page(visit, {kind: text})
    visit.run(
        "INSERT INTO spot VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET address = excluded.address",
        visit.user,
        kind,
        found,
    )
    return visit.redirect("/settings", flash=f"Your {kind} address is saved.")
