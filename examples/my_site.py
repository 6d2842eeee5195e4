"""Your own site and its tasks in one file: a library, with a task that asks a question and one that acts.

Try it:      python -m turnwise.worlds.web.site.tryout examples/my_site.py --seeds 20
             (plays the oracle, which must earn 1, and agents that must earn 0)
Play it:     turnwise play examples/my_site.py:Library-v0
Check it:    turnwise audit examples/my_site.py:Library-v0
Evaluate:    turnwise eval examples/my_site.py:Library-v0 --agent openai:my-model@http://localhost:8000/v1

Source: none; libraries lend books.
"""

import sqlite3

from turnwise.core.registration import register
from turnwise.envs.web import WebEnv
from turnwise.worlds.web import site as web
from turnwise.worlds.web.site import click, fill
from turnwise.worlds.web.site import markup as m

SCHEMA = """
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, author INTEGER NOT NULL, shelf TEXT NOT NULL,
                   reader INTEGER NOT NULL DEFAULT 0);
"""
SUBJECTS = ("Rivers", "Clocks", "Owls", "Bridges", "Salt", "Kites", "Glass", "Moss", "Chess", "Harbours")
KINDS = ("A History of {}", "The Book of {}", "{} for Beginners", "All about {}", "Songs of {}", "{} at Night")
STRAY = (fill("Search", "Book"), click("Search", "button"), click("Borrow", near="Book of Owls"))
pages, tasks = web.Pages(), web.Tasks()


def fill_library(db: sqlite3.Connection, draw: web.Draw, cast: web.Cast, size: int) -> None:
    """Write the books; the databases of every episode start as this leaves them."""
    for title in draw.shuffled([kind.format(subject) for kind in KINDS for subject in SUBJECTS]):
        author, shelf = draw.choice(cast.people[1:]).id, f"{draw.choice('ABCDEF')}{draw.integer(10, 99)}"
        reader = draw.integer(2, 60) if draw.chance(0.3) and title != "The Book of Owls" else 0
        row = (title, author, shelf, reader)
        db.execute("INSERT INTO book (title, author, shelf, reader) VALUES (?, ?, ?, ?)", row)


@pages.page("/")
def home(visit: web.Visit) -> web.Answered:
    words = visit.text("q")
    found = visit.rows("SELECT id, title FROM book WHERE instr(lower(title), lower(?)) ORDER BY title", words)
    books = [
        m.card(m.link(f"/book/{number}", title), m.post_button(f"/book/{number}/borrow", "Borrow"))
        for number, title in found[:8]
    ]
    return visit.show("Find a book", m.search_form("/", words), m.paragraph(f"{len(found)} books"), books)


@pages.page("/book/{number:int}")
def book(visit: web.Visit, number: int) -> web.Answered:
    title, author, shelf, reader = visit.row(
        "SELECT title, name, shelf, reader FROM book JOIN account ON account.id = author WHERE book.id = ?", number
    )
    state = "On loan" if reader else "On the shelf"
    return visit.show(title, m.definitions([("Author", author), ("Shelf", shelf), ("State", state)]))


@pages.action("/book/{number:int}/borrow")
def borrow(visit: web.Visit, number: int) -> web.Answered:
    if visit.row("SELECT reader FROM book WHERE id = ?", number):
        return visit.redirect(f"/book/{number}", flash="Somebody else has it.")
    visit.run("UPDATE book SET reader = ? WHERE id = ?", visit.user, number)
    return visit.redirect(f"/book/{number}", flash="It is yours for a month.")


@tasks.template(1)
def shelf(world: web.World, draw: web.Draw) -> web.Draft | None:
    """Ask a question: the answer stands on a page that must be found."""
    title, shelf = draw.choice(world("reading").rows("SELECT title, shelf FROM book ORDER BY id"))
    plan = (fill("Search", title), click("Search", "button"), click(title))
    return web.Draft(f"On which shelf is '{title}'?", plan, answer=web.Answer.of("text", shelf))


@tasks.template(2)
def loan(world: web.World, draw: web.Draw) -> web.Draft | None:
    """Ask for a change: exactly this row may differ at the end."""
    number, title = draw.choice(world("reading").rows("SELECT id, title FROM book WHERE reader = 0 ORDER BY id"))
    if title == "The Book of Owls":  # what the stray plan borrows
        return None
    plan = (fill("Search", title), click("Search", "button"), click("Borrow", near=title))
    return web.Draft(f"Borrow '{title}' for me.", plan, (web.update("reading.book", number, reader=1),))


reading = web.Site(
    "reading", title="Reading Room", schema=SCHEMA, fill=fill_library, pages=(pages,), tasks=(tasks,), strays=(STRAY,)
)
web.register_site(reading)


@register("mine/Library-v0")
class Library(WebEnv):
    """Tasks at the library."""

    sites: str = "reading"
    infeasible: float = 0.0
