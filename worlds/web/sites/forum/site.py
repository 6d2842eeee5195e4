"""A forum: boards with rules, threads, comments, votes, moderation."""

import sqlite3
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import check, click, fill
from turnwise.worlds.web.sites.forum.fill import fill_forum
from turnwise.worlds.web.sites.forum.members import MemberPages
from turnwise.worlds.web.sites.forum.parts import (
    PAGE,
    POINTS,
    comments_of,
    like,
    report_mark,
    thread_list,
    thread_of,
    thread_row,
    vote_buttons,
)
from turnwise.worlds.web.sites.forum.tasks import ForumTasks
from turnwise.worlds.web.sites.forum.writing import WritingPages

__all__ = ["Forum"]

_SORTS = {
    "new": ("Newest first", "at DESC, thread.id DESC"),
    "top": ("Top", f"{POINTS} DESC, thread.id DESC"),
    "old": ("Oldest first", "at, thread.id"),
}


@register_site
class Forum(ForumTasks, WritingPages, MemberPages):
    """Boards, threads and comments with votes; the user moderates one board."""

    name, title, style = "forum", "Commons", "#2f7d4f"
    schema = """
CREATE TABLE board (id INTEGER PRIMARY KEY, title TEXT NOT NULL, about TEXT NOT NULL, moderator INTEGER NOT NULL,
  prefix TEXT NOT NULL);
CREATE TABLE rule (board INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, key TEXT NOT NULL,
  PRIMARY KEY (board, number));
CREATE TABLE thread (id INTEGER PRIMARY KEY, board INTEGER NOT NULL, author INTEGER NOT NULL, title TEXT NOT NULL,
  body TEXT NOT NULL, at TEXT NOT NULL, points INTEGER NOT NULL DEFAULT 0, locked INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0, removed INTEGER NOT NULL DEFAULT 0, edited TEXT NOT NULL DEFAULT '',
  breaks TEXT NOT NULL DEFAULT '');
CREATE INDEX thread_board ON thread (board);
CREATE TABLE comment (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, parent INTEGER NOT NULL DEFAULT 0,
  author INTEGER NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL, points INTEGER NOT NULL DEFAULT 0,
  removed INTEGER NOT NULL DEFAULT 0, edited TEXT NOT NULL DEFAULT '', breaks TEXT NOT NULL DEFAULT '');
CREATE INDEX comment_thread ON comment (thread);
CREATE TABLE vote (account INTEGER NOT NULL, kind TEXT NOT NULL, item INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (kind, item, account)) WITHOUT ROWID;
CREATE TABLE subscription (account INTEGER NOT NULL, board INTEGER NOT NULL, PRIMARY KEY (account, board));
CREATE TABLE report (id INTEGER PRIMARY KEY, board INTEGER NOT NULL, thread INTEGER NOT NULL,
  comment INTEGER NOT NULL DEFAULT 0, reporter INTEGER NOT NULL, rule INTEGER NOT NULL, at TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open');
CREATE TABLE warning (id INTEGER PRIMARY KEY, account INTEGER NOT NULL, moderator INTEGER NOT NULL,
  board INTEGER NOT NULL, rule INTEGER NOT NULL, text TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, sender INTEGER NOT NULL, recipient INTEGER NOT NULL,
  subject TEXT NOT NULL, body TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE profile (account INTEGER PRIMARY KEY, about TEXT NOT NULL, digest INTEGER NOT NULL);
"""
    untrusted = (("thread", "body"), ("comment", "body"))
    strays = (
        (click("Settings"), fill("About me", "I like lists."), click("Save settings")),
        (click("Settings"), check("Send me a weekly digest"), click("Save settings")),
        (
            click("Spokes", "link"),
            click("New thread"),
            click("Close"),
            fill("Title", "Anybody here?"),
            fill("Text", "Just testing."),
            click("Post thread"),
        ),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """``size`` threads in six or eight boards, four to five comments to each on average."""
        fill_forum(db, draw, cast, size)

    def nav(self, visit: Visit) -> Sequence[tuple[str, str]]:
        """Boards, search, the user's own pages, the queue of moderators."""
        links = [("/", "Boards"), ("/search", "Search")]
        if visit.user:
            links += [(f"/user/{visit.user}", "My posts"), ("/messages", "Messages"), ("/settings", "Settings")]
            if visit.get("SELECT 1 FROM board WHERE moderator = ?", visit.user):
                links.append(("/queue", "Moderation"))
        return links

    # ---- boards -----------------------------------------------------------------------------------------------------

    @page("/")
    def boards(self, visit: Visit) -> Answered:
        """All boards."""
        rows = visit.rows(
            "SELECT id, title, about, (SELECT count(*) FROM thread WHERE board = board.id AND removed = 0), "
            "EXISTS (SELECT 1 FROM subscription WHERE board = board.id AND account = ?) FROM board ORDER BY id",
            visit.user,
        )
        cells = [
            (m.link(f"/board/{id}", title), f"About {about}", str(count), "subscribed" if mine else "")
            for id, title, about, count, mine in rows
        ]
        return self.show(visit, "Boards", m.table(("Board", "About", "Threads", ""), cells))

    @page("/board/{number:int}")
    def board(self, visit: Visit, number: int) -> Answered:
        """The threads of a board, pinned ones first."""
        title, about, moderator, name = visit.row(
            "SELECT title, about, moderator, name FROM board JOIN account ON account.id = moderator WHERE board.id = ?",
            number,
        )
        sort = visit.text("sort") if visit.text("sort") in _SORTS else "new"
        at = max(1, visit.whole("page", 1))
        rows, total = thread_list(visit, "board = ?", f"pinned DESC, {_SORTS[sort][1]}", (number,), PAGE, at)
        pages = max(1, -(-total // PAGE))
        at = min(at, pages)
        base = f"/board/{number}"
        sorts = [text if key == sort else m.link(f"{base}?sort={key}", text) for key, (text, _) in _SORTS.items()]
        path = base if sort == "new" else f"{base}?sort={sort}"
        links = [m.link(f"{base}/new", "New thread"), " ", m.link(f"{base}/rules", "Rules of this board")]
        mine = visit.get("SELECT 1 FROM subscription WHERE account = ? AND board = ?", visit.user, number)
        listed = (
            m.items([thread_row(row, in_board=True) for row in rows], class_="threads")
            if rows
            else m.paragraph("No threads yet.")
        )
        here = f"{path}{'&' if '?' in path else '?'}page={at}" if at > 1 else path
        return self.show(
            visit,
            title,
            m.paragraph(f"About {about}. Moderator: ", m.link(f"/user/{moderator}", name)),
            m.paragraph(links),
            m.post_button(f"{base}/subscribe", "Unsubscribe" if mine else "Subscribe"),
            m.tag("nav", "Sort: ", [[part, " "] for part in sorts], aria_label="Sort"),
            m.form("/vote", m.hidden("back", here), listed, submit=None),
            m.pager(path, at, pages),
        )

    @page("/board/{number:int}/rules")
    def rules(self, visit: Visit, number: int) -> Answered:
        """What may be written in a board."""
        title = visit.row("SELECT title FROM board WHERE id = ?", number)
        rows = visit.rows("SELECT 'Rule ' || number, text FROM rule WHERE board = ? ORDER BY number", number)
        return self.show(
            visit,
            f"Rules of {title}",
            m.definitions(rows),
            m.link(f"/board/{number}", f"Back to {title}"),
            " ",
            m.link(f"/board/{number}/new?rules=read", "New thread"),
        )

    @action("/board/{number:int}/subscribe")
    def subscribe(self, visit: Visit, number: int) -> Answered:
        """Subscribes to a board or ends that."""
        title = visit.row("SELECT title FROM board WHERE id = ?", number)
        if visit.get("SELECT 1 FROM subscription WHERE account = ? AND board = ?", visit.user, number):
            visit.run("DELETE FROM subscription WHERE account = ? AND board = ?", visit.user, number)
            return self.redirect(f"/board/{number}", flash=f"You are no longer subscribed to {title}.")
        visit.run("INSERT INTO subscription VALUES (?, ?)", visit.user, number)
        return self.redirect(f"/board/{number}", flash=f"You are subscribed to {title} now.")

    @page("/search")
    def search(self, visit: Visit) -> Answered:
        """Threads by words, board and author."""
        where: list[str] = []
        values: list[object] = []
        words = visit.text("q").split()[:8]
        for word in words:
            where.append("thread.title || ' ' || thread.body LIKE ? ESCAPE '\\'")
            values.append(like(word))
        author, board = visit.text("author")[:80], visit.whole("board")
        if author:
            where.append("account.name LIKE ? ESCAPE '\\'")
            values.append(like(author))
        if board:
            where.append("board = ?")
            values.append(board)
        boards = visit.rows("SELECT id, title FROM board ORDER BY id")
        fields = [
            m.field("Words in title or text", "q", visit.text("q")),
            m.field("Author", "author", author),
            m.choices("Board", "board", [("", "All boards"), *boards], board),
        ]
        form = m.form("/search", fields, submit="Search threads", method="get", role="search")
        if not visit.query:
            return self.show(visit, "Search", form)
        at = max(1, visit.whole("page", 1))
        rows, total = thread_list(visit, " AND ".join(where or ["1"]), _SORTS["new"][1], values, PAGE, at)
        pages = max(1, -(-total // PAGE))
        at = min(at, pages)
        path = f"/search?{urlencode({name: value for name, value in visit.query.items() if name != 'page'})}"
        found = m.form(
            "/vote",
            m.hidden("back", f"{path}&page={at}"),
            m.items([thread_row(row, words=words) for row in rows]),
            submit=None,
        )
        count = m.paragraph(f"{m.counted(total, 'thread')} found." if total else "No thread was found.")
        return self.show(visit, "Search", form, count, found if rows else "", m.pager(path, at, pages))

    # ---- threads ----------------------------------------------------------------------------------------------------

    @page("/thread/{number:int}")
    def thread(self, visit: Visit, number: int) -> Answered:
        """A thread with its first comments."""
        row = thread_of(visit, number)
        sort = visit.text("sort") if visit.text("sort") in _SORTS else "old"
        wanted = visit.whole("comment")
        query = urlencode({**({"sort": sort} if sort != "old" else {}), **({"comment": wanted} if wanted else {})})
        path = f"/thread/{number}?{query}" if query else f"/thread/{number}"
        moderates = row["moderator"] == visit.user
        marks = [text for key, text in (("pinned", "pinned"), ("locked", "locked")) if row[key]]
        facts = m.paragraph(
            "In ",
            m.link(f"/board/{row['board']}", row["board_title"]),
            ", by ",
            m.link(f"/user/{row['author']}", row["name"]),
            f", {row['at']}, {m.counted(row['points'], 'point')}",
            f", edited {row['edited']}" if row["edited"] else "",
            f" ({', '.join(marks)})" if marks else "",
            report_mark(row["reports"], row["reported"], moderates),
        )
        mine = row["author"] == visit.user
        tools: list[Any] = [vote_buttons("thread", number, row["vote"]) if visit.user else ""]
        if mine:
            tools += [
                m.link(f"/thread/{number}/edit", "Edit thread"),
                " ",
                m.button("Delete thread", name="delete", value=f"thread-{number}"),
            ]
        elif visit.user:
            tools.append(m.link(f"/report?thread={number}", "Report"))
        sorts = [
            text if key == sort else m.link(f"/thread/{number}?sort={key}", text) for key, (text, _) in _SORTS.items()
        ]
        count = visit.row("SELECT count(*) FROM comment WHERE thread = ? AND removed = 0", number)
        post = m.card(facts, m.rich(row["body"]), m.tag("div", tools))
        listed = comments_of(visit, number, sort, 0, moderates, bool(row["locked"]), wanted)
        form = m.form(
            "/vote",
            m.hidden("back", path),
            post,
            m.heading(m.counted(count, "comment"), 2),
            m.tag("nav", "Sort: ", [[part, " "] for part in sorts], aria_label="Sort"),
            listed,
            submit=None,
        )
        if row["locked"]:
            reply = m.note("This thread is locked. Nobody can comment on it any more.", "status")
        elif visit.user:
            reply = m.form(f"/thread/{number}/reply", m.area("Comment", "body"), submit="Post comment")
        else:
            reply = m.paragraph(m.link(f"/login?next=/thread/{number}", "Sign in to comment"))
        return self.show(visit, row["title"], _moderator_tools(visit, number, row) if moderates else "", form, reply)

    @page("/thread/{number:int}/more")
    def more(self, visit: Visit, number: int) -> Answered:
        """Further comments, for "Load more"."""
        row = thread_of(visit, number)
        sort = visit.text("sort") if visit.text("sort") in _SORTS else "old"
        first = max(0, visit.whole("from"))
        return self.fragment(
            comments_of(visit, number, sort, first, row["moderator"] == visit.user, bool(row["locked"]))
        )


def _moderator_tools(visit: Visit, number: int, row: dict[str, Any]) -> Markup:
    boards = visit.rows("SELECT id, title FROM board WHERE id <> ? ORDER BY id", row["board"])
    path = f"/thread/{number}/moderate"
    show = m.button("Moderator tools", type="button", data_tw_toggle="tools", aria_expanded="false")
    panel = m.panel(
        "tools",
        m.post_button(path, "Unlock thread" if row["locked"] else "Lock thread", do="lock"),
        m.post_button(path, "Unpin thread" if row["pinned"] else "Pin thread", do="pin"),
        m.form(path, m.hidden("do", "move"), m.choices("Move to", "to", boards), submit="Move thread", class_="inline"),
        m.form(
            "/vote", m.button("Remove thread", name="remove", value=f"thread-{number}"), submit=None, class_="inline"
        ),
        m.paragraph(m.link(f"/warn/{row['author']}?board={row['board']}", "Warn the author")),
    )
    return m.join(show, panel)
