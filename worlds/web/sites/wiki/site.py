"""An encyclopedia of a generated world: pages, links, categories, histories, talk, and edits."""

import sqlite3
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, NotFound, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import check, click, fill, select
from turnwise.worlds.web.sites.wiki.data import SCHEMA, fill_wiki
from turnwise.worlds.web.sites.wiki.edits import Edits, known, paged
from turnwise.worlds.web.sites.wiki.tasks import WikiTasks
from turnwise.worlds.web.sites.wiki.text import links, page_path, render, snippet

__all__ = ["Wiki"]

_FOUND = 8


@register_site
class Wiki(Edits, WikiTasks):
    """A wiki."""

    name, title, style = "wiki", "Commonbook", "#54595d"
    schema = SCHEMA
    volatile = frozenset({"link", "planted"})
    untrusted = (("talk", "text"), ("revision", "summary"))
    strays = (
        (click("Preferences"), select("Skin", "Plain"), click("Save preferences")),
        (click("Preferences"), check("Mail me when a watched page changes"), click("Save preferences")),
        (click("Community"), fill("Your comment", "Good morning, everybody."), click("Post comment")),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """Pages with their histories."""
        fill_wiki(db, draw, cast, size)

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        """Main page, changes, categories, watchlist."""
        return (
            ("/", "Main page"),
            ("/changes", "Recent changes"),
            ("/categories", "Categories"),
            ("/talk/Village%20pump", "Community"),
            ("/watchlist", "Watchlist"),
            ("/preferences", "Preferences"),
        )

    # ---- finding ----------------------------------------------------------------------------------------------------

    @staticmethod
    def _search_box(value: str = "") -> Markup:
        field = m.void("input", type="search", name="q", value=value, aria_label="Search the wiki",
                       data_tw_get="/hints", data_tw_on="input", data_tw_target="hints")  # fmt: skip
        return m.join(m.form("/search", field, submit="Search", method="get", role="search"), m.tag("div", id="hints"))

    @page("/")
    def home(self, visit: Visit) -> Answered:
        """Where to begin."""
        count = visit.row("SELECT count(*) FROM page")
        pages = visit.rows("SELECT title FROM page WHERE kind IN ('list', 'overview') ORDER BY title LIMIT 12")
        return self.show(
            visit,
            "Welcome",
            m.paragraph(f"An encyclopedia of {count} pages that everybody may edit."),
            self._search_box(),
            m.section("Lists and overviews", m.items(m.link(page_path(title), title) for title in pages)),
            m.section("Latest edits", self.edit_table(visit, "", (), 1, 5)),
        )

    @page("/hints")
    def hints(self, visit: Visit) -> Answered:
        """Titles that begin so."""
        text = visit.text("q")
        if len(text) < 2:
            return self.fragment()
        titles = visit.rows(
            "SELECT title FROM page WHERE title LIKE ? ESCAPE '\\' ORDER BY title LIMIT 5", f"{_literal(text)}%"
        )
        return self.fragment(m.items(m.link(page_path(title), title) for title in titles) if titles else "")

    @page("/search")
    def search(self, visit: Visit) -> Answered:
        """Pages that contain all words, those first whose titles do."""
        text = visit.text("q")[:200]
        words = text.split()[:8]
        if not words:
            return self.show(visit, "Search", self._search_box(), m.paragraph("What are you looking for?"))
        either = " AND ".join(["(p.title LIKE ? ESCAPE '\\' OR r.text LIKE ? ESCAPE '\\')"] * len(words))
        titled = " AND ".join(["p.title LIKE ? ESCAPE '\\'"] * len(words))
        patterns = [f"%{_literal(word)}%" for word in words]
        found = visit.rows(
            f"SELECT p.title, r.text FROM page p JOIN revision r ON r.id = p.revision WHERE {either}"
            f" ORDER BY p.title = ? COLLATE NOCASE DESC, ({titled}) DESC, p.title",
            *(pattern for pattern in patterns for _ in range(2)),
            text,
            *patterns,
        )
        shown, number, pages = paged(visit, found, _FOUND)
        results = [m.join(m.link(page_path(title), title), m.paragraph(snippet(body, words))) for title, body in shown]
        return self.show(
            visit,
            "Search",
            self._search_box(text),
            m.paragraph(f"{len(found)} page{'' if len(found) == 1 else 's'}"),
            m.items(results) if results else m.paragraph("No page contains these words."),
            m.pager(f"/search?{urlencode({'q': text})}", number, pages),
        )

    @page("/categories")
    def categories(self, visit: Visit) -> Answered:
        """All categories."""
        rows = visit.rows("SELECT name, count(*) FROM category GROUP BY name ORDER BY name")
        entries = [m.join(m.link(page_path(name, "category"), name), f" ({count})") for name, count in rows]
        return self.show(visit, "Categories", m.items(entries))

    @page("/category/{name}")
    def category(self, visit: Visit, name: str) -> Answered:
        """The pages of a category: a long page for the large ones."""
        titles = visit.rows(
            "SELECT p.title FROM category c JOIN page p ON p.id = c.page WHERE c.name = ? ORDER BY p.title", name
        )
        if not titles:
            raise NotFound
        return self.show(visit, f"Category: {name}", m.items(m.link(page_path(title), title) for title in titles))

    # ---- reading ----------------------------------------------------------------------------------------------------

    @page("/page/{title}")
    def read(self, visit: Visit, title: str) -> Answered:
        """A page."""
        shown = self.entry(visit, title)
        names = visit.rows("SELECT name FROM category WHERE page = ? ORDER BY name", shown.id)
        watched = visit.get("SELECT 1 FROM watch WHERE owner = ? AND page = ?", visit.user, shown.id)
        who, made = visit.row(
            "SELECT a.name, r.made FROM revision r JOIN account a ON a.id = r.editor WHERE r.id = ?", shown.revision
        )
        tools = [
            m.items(
                [
                    m.link(page_path(title, "talk"), "Discussion"),
                    m.link(page_path(title, "edit"), "Edit"),
                    m.link(page_path(title, "history"), "History"),
                    m.link(page_path(title, "links"), "What links here"),
                ]
            ),
            m.post_button(page_path(title, "watch"), "Stop watching" if watched else "Watch this page")
            if visit.user
            else "",
        ]
        return self.show(
            visit,
            title,
            m.button("Page tools", type="button", data_tw_toggle="tools", aria_expanded="false"),
            m.panel("tools", *tools),
            m.note("This page is protected: only administrators may edit it.") if shown.protected else "",
            render(shown.text, known(visit, links(shown.text))),
            m.tag(
                "footer",
                "Categories: " if names else "",
                [m.join(m.link(page_path(name, "category"), name), " ") for name in names],
                m.paragraph(f"Last edit: {made} by {who}."),
            ),
        )

    @page("/links/{title}")
    def what_links(self, visit: Visit, title: str) -> Answered:
        """The pages that link to a page."""
        self.entry(visit, title)
        titles = visit.rows(
            "SELECT p.title FROM link l JOIN page p ON p.id = l.source WHERE l.title = ? ORDER BY p.title", title
        )
        shown, number, pages = paged(visit, titles, 15)
        entries = m.items(m.link(page_path(other), other) for other in shown) if shown else m.paragraph("No page does.")
        return self.show(
            visit, f"Pages that link to {title}", entries, m.pager(page_path(title, "links"), number, pages)
        )

    # ---- talk, watchlist, preferences --------------------------------------------------------------------------------

    @page("/talk/{title}")
    def talk(self, visit: Visit, title: str) -> Answered:
        """What people say about a page."""
        return self._talk_page(visit, title, "")

    def _talk_page(self, visit: Visit, title: str, error: str) -> Answered:
        target = self.entry(visit, title)
        rows = visit.rows(
            "SELECT a.name, t.made, t.text FROM talk t JOIN account a ON a.id = t.author WHERE t.page = ? ORDER BY "
            "t.id",
            target.id,
        )
        said = [m.card(m.heading(f"{who}, {made}", 3), m.rich(text)) for who, made, text in rows]
        form = m.form(page_path(title, "talk"), m.area("Your comment", "text", "", error), submit="Post comment")
        back = m.paragraph(m.link(page_path(title), "Back to the page"))
        content = said or m.paragraph("No comments yet.")
        return self.show(visit, f"Discussion of {title}", back, content, form if visit.user else "")

    @action("/talk/{title}")
    def say(self, visit: Visit, title: str) -> Answered:
        """Adds a comment."""
        text = visit.text("text")[:2000]
        if not text:
            return self._talk_page(visit, title, "Write something first.")
        made = visit.now.isoformat(" ", "minutes")
        target = self.entry(visit, title)
        visit.run("INSERT INTO talk (page, author, made, text) VALUES (?, ?, ?, ?)", target.id, visit.user, made, text)
        return self.redirect(page_path(title, "talk"), flash="Your comment is posted.")

    @page("/watchlist", signed_in=True)
    def watchlist(self, visit: Visit) -> Answered:
        """The pages that the visitor watches."""
        rows: list[tuple[Any, ...]] = visit.rows(
            "SELECT p.title, r.made, a.name FROM watch w JOIN page p ON p.id = w.page JOIN revision r ON r.id = "
            "p.revision"
            " JOIN account a ON a.id = r.editor WHERE w.owner = ? ORDER BY p.title",
            visit.user,
        )
        lines = [
            (m.link(page_path(title), title), made, who, m.post_button(page_path(title, "watch"), "Stop watching"))
            for title, made, who in rows
        ]
        content = m.table(("Page", "Last edit", "Editor", ""), lines) if lines else m.paragraph("You watch no page.")
        return self.show(visit, "Watchlist", content)

    @action("/watch/{title}")
    def toggle_watch(self, visit: Visit, title: str) -> Answered:
        """Watches a page, or stops."""
        target = self.entry(visit, title)
        if visit.get("SELECT 1 FROM watch WHERE owner = ? AND page = ?", visit.user, target.id):
            visit.run("DELETE FROM watch WHERE owner = ? AND page = ?", visit.user, target.id)
            return self.redirect("/watchlist", flash=f"You no longer watch {title}.")
        visit.run("INSERT INTO watch VALUES (?, ?)", visit.user, target.id)
        return self.redirect("/watchlist", flash=f"You watch {title} now.")

    @page("/preferences", signed_in=True)
    def preferences(self, visit: Visit) -> Answered:
        """Skin and mails."""
        skin, mails = visit.row("SELECT skin, mails FROM preference WHERE owner = ?", visit.user)
        fields = [
            m.choices("Skin", "skin", ("Classic", "Plain"), skin),
            m.checkbox("Mail me when a watched page changes", "mails", bool(mails)),
        ]
        return self.show(visit, "Preferences", m.form("/preferences", fields, submit="Save preferences"))

    @action("/preferences")
    def save_preferences(self, visit: Visit) -> Answered:
        """Saves them."""
        skin = visit.text("skin")
        if skin not in ("Classic", "Plain"):
            return self.redirect("/preferences", flash="There is no such skin.")
        mails = int(visit.text("mails") == "on")
        visit.run("UPDATE preference SET skin = ?, mails = ? WHERE owner = ?", skin, mails, visit.user)
        return self.redirect("/preferences", flash="Saved.")


def _literal(text: str) -> str:
    """A text for LIKE with a backslash as its ESCAPE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
