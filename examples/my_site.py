"""Your own site and its tasks in one file: a library, with one task that asks and one that acts.

Try it:      python -m turnwise.worlds.web.site.tryout examples/my_site.py --seeds 20   (the oracle, and agents that
must earn 0) Play it:     turnwise play examples/my_site.py:Library-v0
Check it:    turnwise audit examples/my_site.py:Library-v0
Evaluate:    turnwise eval examples/my_site.py:Library-v0 --agent openai:my-model@http://localhost:8000/v1

Source: none; libraries lend books.
"""

import sqlite3

from turnwise.core.registration import register
from turnwise.envs.web import WebEnv
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.site import Answered, Visit, WebSite, action, page, register_site
from turnwise.worlds.web.site.tasks import Answer, Draft, World, click, fill, template, update

SUBJECTS = ("Rivers", "Clocks", "Owls", "Bridges", "Salt", "Kites", "Glass", "Moss", "Chess", "Harbours")
KINDS = ("A History of {}", "The Book of {}", "{} for Beginners", "All about {}", "Songs of {}", "{} at Night")


@register_site
class Reading(WebSite):
    """A library that lends books; the databases of every episode begin as `fill` left them."""

    name, title = "reading", "Reading Room"
    schema = """
    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, author INTEGER NOT NULL, shelf TEXT NOT NULL,
                       reader INTEGER NOT NULL DEFAULT 0, due TEXT NOT NULL DEFAULT '');
    """
    strays = ((fill("Search", "Book"), click("Search", "button"), click("Borrow", near="Book of Owls")),)

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        titles = [kind.format(subject) for kind in KINDS for subject in SUBJECTS]
        for title in draw.shuffled(titles):
            author, shelf = draw.choice(cast.people[1:]).id, f"{draw.choice('ABCDEF')}{draw.integer(10, 99)}"
            reader = draw.integer(2, 60) if draw.chance(0.3) and title != "The Book of Owls" else 0
            db.execute(
                "INSERT INTO book (title, author, shelf, reader) VALUES (?, ?, ?, ?)", (title, author, shelf, reader)
            )

    @page("/")
    def home(self, visit: Visit) -> Answered:
        words = visit.text("q")
        found = visit.rows("SELECT id, title FROM book WHERE instr(lower(title), lower(?)) ORDER BY title", words)
        books = [
            m.card(m.link(f"/book/{number}", title), m.post_button(f"/book/{number}/borrow", "Borrow"))
            for number, title in found[:8]
        ]
        return self.show(visit, "Find a book", m.search_form("/", words), m.paragraph(f"{len(found)} books"), books)

    @page("/book/{number:int}")
    def book(self, visit: Visit, number: int) -> Answered:
        title, author, shelf, reader = visit.row(
            "SELECT title, name, shelf, reader FROM book JOIN account ON account.id = author WHERE book.id = ?", number
        )
        facts = m.definitions(
            [("Author", author), ("Shelf", shelf), ("State", "On loan" if reader else "On the shelf")]
        )
        return self.show(visit, title, facts)

    @action("/book/{number:int}/borrow")
    def borrow(self, visit: Visit, number: int) -> Answered:
        if visit.row("SELECT reader FROM book WHERE id = ?", number):
            return self.redirect(f"/book/{number}", flash="Somebody else has it.")
        visit.run("UPDATE book SET reader = ? WHERE id = ?", visit.user, number)
        return self.redirect(f"/book/{number}", flash="It is yours for a month.")

    @template(1)
    def shelf(self, world: World, draw: Draw) -> Draft | None:
        """A question: the answer stands on a page that must be found."""
        title, shelf = draw.choice(world("reading").rows("SELECT title, shelf FROM book ORDER BY id"))
        plan = (fill("Search", title), click("Search", "button"), click(title))
        return Draft(f"On which shelf is '{title}'?", plan, answer=Answer.of("text", shelf))

    @template(2)
    def loan(self, world: World, draw: Draw) -> Draft | None:
        """A change: exactly this row may differ at the end."""
        number, title = draw.choice(world("reading").rows("SELECT id, title FROM book WHERE reader = 0 ORDER BY id"))
        if title == "The Book of Owls":  # what `strays` borrows
            return None
        plan = (fill("Search", title), click("Search", "button"), click("Borrow", near=title))
        return Draft(f"Borrow '{title}' for me.", plan, (update("reading.book", number, reader=1),))


@register("mine/Library-v0")
class Library(WebEnv):
    """Tasks at the library. Settings: those of every web environment."""

    sites: str = "reading"
    infeasible: float = 0.0
