"""A small site with everything that checks and plans meet: notes of several people, tabs, a pager, a list, comments."""

import sqlite3

from turnwise.core.draw import Draw
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.pages import Pages
from turnwise.worlds.web.site.site import Site, register_site
from turnwise.worlds.web.site.steps import click, fill, goto, select
from turnwise.worlds.web.site.tasks import Answer, Draft, Tasks, World, delete, insert, update
from turnwise.worlds.web.site.visit import Answered, Refused, Visit

__all__ = ["pad"]

COLOURS = ("white", "yellow", "blue")
SCHEMA = """
    CREATE TABLE note (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, title TEXT NOT NULL,
                       colour TEXT NOT NULL DEFAULT 'white', body TEXT NOT NULL DEFAULT '',
                       views INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE remark (note INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
                         PRIMARY KEY (note, number));
    """

pages, tasks = Pages(), Tasks()


def fill_pad(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    for number, who in enumerate(draw.sample(cast.people, size), 1):
        body = f"The number is {draw.integer(100, 999)}."
        db.execute("INSERT INTO note (owner, title, body) VALUES (1, ?, ?)", (f"Call {who.name}", body))
        db.execute("INSERT INTO remark VALUES (?, 1, ?)", (number, f"I know {who.first}, a good man."))


@pages.page("/", signed_in=True)
def home(visit: Visit) -> Answered:
    at = max(1, visit.whole("page", 1))
    rows = visit.rows("SELECT id, title, colour FROM note ORDER BY id LIMIT 10 OFFSET ?", 10 * at - 10)
    count = visit.row("SELECT count(*) FROM note")
    cells = [(m.link(f"/note/{i}", title), colour, m.post_button(f"/drop/{i}", "Delete")) for i, title, colour in rows]
    return visit.show("Notes", m.link("/new", "New note"), m.table(("Title", "Colour", ""), cells),
        m.pager("/?", at, -(-count // 10)),
    )  # fmt: skip


@pages.page("/note/{number:int}", signed_in=True)
def note(visit: Visit, number: int) -> Answered:
    title, colour, body = visit.row("SELECT title, colour, body FROM note WHERE id = ?", number)
    remarks = visit.rows("SELECT text FROM remark WHERE note = ? ORDER BY number", number)
    return visit.show(
        title, m.button("Details", type="button", data_tw_toggle="more"), m.panel("more", m.paragraph(body)),
        m.form(f"/note/{number}", m.choices("Colour", "colour", COLOURS, colour), submit="Save"),
        m.section("Remarks", m.items(m.rich(text) for text in remarks)),
    )  # fmt: skip


@pages.action("/note/{number:int}")
def colour(visit: Visit, number: int) -> Answered:
    if visit.text("colour") not in COLOURS:
        raise Refused
    visit.run("UPDATE note SET colour = ? WHERE id = ?", visit.text("colour"), number)
    return visit.redirect(f"/note/{number}", flash="Saved.")


@pages.page("/new", signed_in=True)
def new(visit: Visit) -> Answered:
    return visit.show("New note", m.form("/new", m.field("Title", "title"), submit="Save"))


@pages.action("/new")
def add(visit: Visit) -> Answered:
    visit.run("INSERT INTO note (owner, title) VALUES (?, ?)", visit.user, visit.text("title"))
    return visit.redirect("/", flash="Saved.")


@pages.action("/drop/{number:int}")
def drop(visit: Visit, number: int) -> Answered:
    visit.run("DELETE FROM note WHERE id = ?", number)
    visit.run("DELETE FROM remark WHERE note = ?", number)
    return visit.redirect("/", flash="Deleted.")


@tasks.template(1)
def write(world: World, draw: Draw) -> Draft | None:
    title = f"Write to {draw.choice(world.cast.people).name}"
    return Draft(
        f"Add a note with the title {title}.", (click("New note"), fill("Title", title), click("Save")),
        changes=(insert("pad.note", owner=1, title=title),),
    )  # fmt: skip


@tasks.template(2)
def paint(world: World, draw: Draw) -> Draft | None:
    number, title = draw.choice(world("pad").rows("SELECT id, title FROM note"))
    colour = draw.choice(COLOURS[1:])
    return Draft(
        f"Make the note “{title}” {colour}.", (click(title, via="Next"), select("Colour", colour), click("Save")),
        changes=(update("pad.note", number, colour=colour),),
    )  # fmt: skip


@tasks.template(3)
def remove(world: World, draw: Draw) -> Draft | None:
    number, title = draw.choice(world("pad").rows("SELECT id, title FROM note"))
    return Draft(
        f"Delete the note “{title}”.", (click("Delete", near=title, via="Next"),),
        changes=(delete("pad.note", number), delete("pad.remark", {"note": number, "number": 1})),
    )  # fmt: skip


@tasks.template(2)
def number(world: World, draw: Draw) -> Draft | None:
    _, title, body = draw.choice(world("pad").rows("SELECT id, title, body FROM note"))
    return Draft(
        f"Which number is in the details of “{title}”?", (click(title, via="Next"), click("Details")),
        answer=Answer.of("number", body.split()[-1].rstrip(".")),
    )  # fmt: skip


@tasks.template(1)
def open_form(world: World, draw: Draw) -> Draft | None:
    return Draft("Open the form for a new note and stay there.", (click("New note"),), url="http://pad.test/new")


@tasks.template(2, infeasible=True)
def paint_missing(world: World, draw: Draw) -> Draft | None:
    title = f"Call {draw.choice(world.cast.people).first} Nobody"
    return Draft(
        f"Make the note “{title}” blue.", (goto("http://pad.test/?page=2"),), infeasible="There is no such note."
    )


pad = Site(
    "pad",
    title="Pad",
    schema=SCHEMA,
    fill=fill_pad,
    pages=(pages,),
    tasks=(tasks,),
    volatile=frozenset({"note.views"}),
    untrusted=(("remark", "text"),),
    strays=((click("New note"), fill("Title", "Buy milk"), click("Save")),),
)
register_site(pad)
