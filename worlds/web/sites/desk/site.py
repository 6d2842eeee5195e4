"""A directory of two kinds of pages, small enough for a small model to learn on."""

import sqlite3

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.site import Answered, Visit, WebSite, action, page, register_site
from turnwise.worlds.web.site.tasks import Answer, Draft, World, click, goto, select, template, update

__all__ = ["Desk"]

TEAMS = ("red", "green", "blue", "grey")
PEOPLE = 6


@register_site
class Desk(WebSite):
    """Who sits in which room, in which team."""

    name, title = "desk", "Desk"
    style = "#41606b"
    schema = """
    CREATE TABLE seat (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, room INTEGER NOT NULL, team TEXT NOT NULL,
                       starred INTEGER NOT NULL DEFAULT 0);
    """
    signs_in = False
    strays = ((goto("http://desk.test/seat/1"), click("Star")),)

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        names = sorted({person.first for person in cast.people})
        rooms = draw.sample(range(10, 100), PEOPLE)
        for name, room in zip(draw.sample(names, PEOPLE), rooms, strict=True):
            db.execute("INSERT INTO seat (name, room, team) VALUES (?, ?, ?)", (name, room, draw.choice(TEAMS)))

    @page("/")
    def home(self, visit: Visit) -> Answered:
        seats = visit.rows("SELECT id, name FROM seat ORDER BY name")
        return self.show(visit, "People", m.items(m.link(f"/seat/{number}", name) for number, name in seats))

    @page("/seat/{number:int}")
    def seat(self, visit: Visit, number: int) -> Answered:
        name, room, team, starred = visit.row("SELECT name, room, team, starred FROM seat WHERE id = ?", number)
        return self.show(
            visit,
            name,
            m.paragraph(f"Room {room}"),
            m.form(f"/seat/{number}", m.choices("Team", "team", TEAMS, team)),
            m.paragraph("Starred") if starred else m.post_button(f"/seat/{number}/star", "Star"),
        )

    @action("/seat/{number:int}", signed_in=False)
    def save(self, visit: Visit, number: int) -> Answered:
        if visit.text("team") in TEAMS:
            visit.run("UPDATE seat SET team = ? WHERE id = ?", visit.text("team"), number)
        return self.redirect(f"/seat/{number}")

    @action("/seat/{number:int}/star", signed_in=False)
    def star(self, visit: Visit, number: int) -> Answered:
        visit.run("UPDATE seat SET starred = 1 WHERE id = ?", number)
        return self.redirect(f"/seat/{number}")

    @template(1)
    def room(self, world: World, draw: Draw) -> Draft | None:
        """Read a number on the second page."""
        name, room = draw.choice(world("desk").rows("SELECT name, room FROM seat ORDER BY id"))
        return Draft(f"Room of {name}?", (click(name),), answer=Answer.of("number", room))

    @template(1)
    def team(self, world: World, draw: Draw) -> Draft | None:
        """Change a field on the second page."""
        number, name, old = draw.choice(world("desk").rows("SELECT id, name, team FROM seat ORDER BY id"))
        team = draw.choice([team for team in TEAMS if team != old])
        plan = (click(name), select("Team", team), click("Save"))
        return Draft(f"Set the team of {name} to {team}.", plan, (update("desk.seat", number, team=team),))
