"""The wiki's articles: reading, searching, categories, talk and preferences."""

from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, NotFound, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.wiki.pages.edits import edit_table, entry, known
from turnwise.worlds.web.sites.wiki.text import links, page_path, render, snippet

__all__ = ["articles"]

articles = Pages()

_FOUND = 8


# ---- finding ----------------------------------------------------------------------------------------------------


def _search_box(value: str = "") -> Markup:
    field = m.void("input", type="search", name="q", value=value, aria_label="Search the wiki",
                   data_tw_get="/hints", data_tw_on="input", data_tw_target="hints")  # fmt: skip
    return m.join(m.form("/search", field, submit="Search", method="get", role="search"), m.tag("div", id="hints"))


@articles.page("/")
def home(visit: Visit) -> Answered:
    """Show where to begin."""
    count = visit.row("SELECT count(*) FROM page")
    pages = visit.rows("SELECT title FROM page WHERE kind IN ('list', 'overview') ORDER BY title LIMIT 12")
    return visit.show(
        "Welcome",
        m.paragraph(f"An encyclopedia of {count} pages that everybody may edit."),
        _search_box(),
        m.section("Lists and overviews", m.items(m.link(page_path(title), title) for title in pages)),
        m.section("Latest edits", edit_table(visit, "", (), 1, 5)),
    )


@articles.page("/hints")
def hints(visit: Visit) -> Answered:
    """Return titles that begin with what was typed."""
    text = visit.text("q")
    if len(text) < 2:
        return visit.fragment()
    titles = visit.rows(
        "SELECT title FROM page WHERE title LIKE ? ESCAPE '!' ORDER BY title LIMIT 5", like(text).removeprefix("%")
    )
    return visit.fragment(m.items(m.link(page_path(title), title) for title in titles) if titles else "")


@articles.page("/search")
def search(visit: Visit) -> Answered:
    """Show pages that contain all words, first those whose titles do."""
    text = visit.text("q")[:200]
    words = text.split()[:8]
    if not words:
        return visit.show("Search", _search_box(), m.paragraph("What are you looking for?"))
    either = " AND ".join(["(p.title LIKE ? ESCAPE '!' OR r.text LIKE ? ESCAPE '!')"] * len(words))
    titled = " AND ".join(["p.title LIKE ? ESCAPE '!'"] * len(words))
    patterns = [like(word) for word in words]
    found = visit.rows(
        f"SELECT p.title, r.text FROM page p JOIN revision r ON r.id = p.revision WHERE {either}"
        f" ORDER BY p.title = ? COLLATE NOCASE DESC, ({titled}) DESC, p.title",
        *(pattern for pattern in patterns for _ in range(2)),
        text,
        *patterns,
    )
    part = visit.part(len(found), _FOUND)
    results = [
        m.join(m.link(page_path(title), title), m.paragraph(snippet(body, words))) for title, body in found[part.rows]
    ]
    return visit.show(
        "Search",
        _search_box(text),
        m.paragraph(f"{len(found)} page{'' if len(found) == 1 else 's'}"),
        m.items(results) if results else m.paragraph("No page contains these words."),
        part.links(f"/search?{urlencode({'q': text})}"),
    )


@articles.page("/categories")
def categories(visit: Visit) -> Answered:
    """List all categories."""
    rows = visit.rows("SELECT name, count(*) FROM category GROUP BY name ORDER BY name")
    entries = [m.join(m.link(page_path(name, "category"), name), f" ({count})") for name, count in rows]
    return visit.show("Categories", m.items(entries))


@articles.page("/category/{name}")
def category(visit: Visit, name: str) -> Answered:
    """Show the pages of a category; large ones make a long page."""
    titles = visit.rows(
        "SELECT p.title FROM category c JOIN page p ON p.id = c.page WHERE c.name = ? ORDER BY p.title", name
    )
    if not titles:
        raise NotFound
    return visit.show(f"Category: {name}", m.items(m.link(page_path(title), title) for title in titles))


# ---- reading ----------------------------------------------------------------------------------------------------


@articles.page("/page/{title}")
def read(visit: Visit, title: str) -> Answered:
    """Show a page."""
    shown = entry(visit, title)
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
    return visit.show(
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


@articles.page("/links/{title}")
def what_links(visit: Visit, title: str) -> Answered:
    """Show the pages that link to a page."""
    entry(visit, title)
    titles = visit.rows(
        "SELECT p.title FROM link l JOIN page p ON p.id = l.source WHERE l.title = ? ORDER BY p.title", title
    )
    part = visit.part(len(titles), 15)
    entries = [m.link(page_path(other), other) for other in titles[part.rows]]
    return visit.show(
        f"Pages that link to {title}", m.items(entries, empty="No page does."), part.links(page_path(title, "links"))
    )


# ---- talk, watchlist, preferences --------------------------------------------------------------------------------


@articles.page("/talk/{title}")
def talk(visit: Visit, title: str) -> Answered:
    """Show what people say about a page."""
    return _talk_page(visit, title, "")


def _talk_page(visit: Visit, title: str, error: str) -> Answered:
    target = entry(visit, title)
    rows = visit.rows(
        "SELECT a.name, t.made, t.text FROM talk t JOIN account a ON a.id = t.author WHERE t.page = ? ORDER BY t.id",
        target.id,
    )
    said = [m.card(m.heading(f"{who}, {made}", 3), m.rich(text)) for who, made, text in rows]
    form = m.form(page_path(title, "talk"), m.area("Your comment", "text", "", error), submit="Post comment")
    back = m.paragraph(m.link(page_path(title), "Back to the page"))
    content = said or m.paragraph("No comments yet.")
    return visit.show(f"Discussion of {title}", back, content, form if visit.user else "")


@articles.action("/talk/{title}")
def say(visit: Visit, title: str) -> Answered:
    """Add a comment."""
    text = visit.text("text")[:2000]
    if not text:
        return _talk_page(visit, title, "Write something first.")
    made = visit.now.isoformat(" ", "minutes")
    target = entry(visit, title)
    visit.add("talk", page=target.id, author=visit.user, made=made, text=text)
    return visit.redirect(page_path(title, "talk"), flash="Your comment is posted.")


@articles.page("/watchlist", signed_in=True)
def watchlist(visit: Visit) -> Answered:
    """Show the pages that the visitor watches."""
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
    return visit.show("Watchlist", content)


@articles.action("/watch/{title}")
def toggle_watch(visit: Visit, title: str) -> Answered:
    """Watch a page, or stop watching it."""
    target = entry(visit, title)
    if visit.get("SELECT 1 FROM watch WHERE owner = ? AND page = ?", visit.user, target.id):
        visit.run("DELETE FROM watch WHERE owner = ? AND page = ?", visit.user, target.id)
        return visit.redirect("/watchlist", flash=f"You no longer watch {title}.")
    visit.run("INSERT INTO watch VALUES (?, ?)", visit.user, target.id)
    return visit.redirect("/watchlist", flash=f"You watch {title} now.")


@articles.page("/preferences", signed_in=True)
def preferences(visit: Visit) -> Answered:
    """Show skin and mail settings as a form."""
    skin, mails = visit.row("SELECT skin, mails FROM preference WHERE owner = ?", visit.user)
    fields = [
        m.choices("Skin", "skin", ("Classic", "Plain"), skin),
        m.checkbox("Mail me when a watched page changes", "mails", bool(mails)),
    ]
    return visit.show("Preferences", m.form("/preferences", fields, submit="Save preferences"))


@articles.action("/preferences")
def save_preferences(visit: Visit) -> Answered:
    """Save skin and mail settings."""
    skin = visit.text("skin")
    if skin not in ("Classic", "Plain"):
        return visit.redirect("/preferences", flash="There is no such skin.")
    mails = int(visit.text("mails") == "on")
    visit.run("UPDATE preference SET skin = ?, mails = ? WHERE owner = ?", skin, mails, visit.user)
    return visit.redirect("/preferences", flash="Saved.")
