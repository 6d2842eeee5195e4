"""A directory of two kinds of pages, small enough for a small model to learn on."""

import sqlite3

from turnwise.worlds.web.site import (
    Answer,
    Answered,
    Cast,
    Draft,
    Draw,
    Pages,
    Site,
    Tasks,
    Visit,
    World,
    click,
    goto,
    register_site,
    select,
    update,
)
from turnwise.worlds.web.site import markup as m

__all__ = ["desk"]

pages, tasks = Pages(), Tasks()

TEAMS = ("red", "green", "blue", "grey")
PEOPLE = 6
SCHEMA = """
    CREATE TABLE seat (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, room INTEGER NOT NULL, team TEXT NOT NULL,
                       starred INTEGER NOT NULL DEFAULT 0);
    """


def fill_desk(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Seat a few people, whatever the size."""
    names = sorted({person.first for person in cast.people})
    rooms = draw.sample(range(10, 100), PEOPLE)
    for name, room in zip(draw.sample(names, PEOPLE), rooms, strict=True):
        db.execute("INSERT INTO seat (name, room, team) VALUES (?, ?, ?)", (name, room, draw.choice(TEAMS)))


@pages.page("/")
def home(visit: Visit) -> Answered:
    """List the people."""
    seats = visit.rows("SELECT id, name FROM seat ORDER BY name")
    return visit.show("People", m.items(m.link(f"/seat/{number}", name) for number, name in seats))


@pages.page("/seat/{number:int}")
def seat(visit: Visit, number: int) -> Answered:
    """Show a person's room and team."""
    name, room, team, starred = visit.row("SELECT name, room, team, starred FROM seat WHERE id = ?", number)
    return visit.show(
        name,
        m.paragraph(f"Room {room}"),
        m.form(f"/seat/{number}", m.choices("Team", "team", TEAMS, team)),
        m.paragraph("Starred") if starred else m.post_button(f"/seat/{number}/star", "Star"),
    )


@pages.action("/seat/{number:int}", signed_in=False)
def save(visit: Visit, number: int) -> Answered:
    """Change a person's team."""
    if visit.text("team") in TEAMS:
        visit.change("seat", number, team=visit.text("team"))
    return visit.redirect(f"/seat/{number}")


@pages.action("/seat/{number:int}/star", signed_in=False)
def star(visit: Visit, number: int) -> Answered:
    """Star a person."""
    visit.run("UPDATE seat SET starred = 1 WHERE id = ?", number)
    return visit.redirect(f"/seat/{number}")


@tasks.template(1)
def room(world: World, draw: Draw) -> Draft | None:
    """Read a number on the second page."""
    name, room = draw.choice(world("desk").rows("SELECT name, room FROM seat ORDER BY id"))
    return Draft(f"Room of {name}?", (click(name),), answer=Answer.of("number", room))


@tasks.template(1)
def team(world: World, draw: Draw) -> Draft | None:
    """Change a field on the second page."""
    number, name, old = draw.choice(world("desk").rows("SELECT id, name, team FROM seat ORDER BY id"))
    team = draw.choice([team for team in TEAMS if team != old])
    plan = (click(name), select("Team", team), click("Save"))
    return Draft(f"Set the team of {name} to {team}.", plan, (update("desk.seat", number, team=team),))


desk = Site(
    "desk",
    title="Desk",
    schema=SCHEMA,
    fill=fill_desk,
    pages=(pages,),
    tasks=(tasks,),
    strays=((goto("http://desk.test/seat/1"), click("Star")),),
    style="#41606b",
    signs_in=False,
)
register_site(desk)
