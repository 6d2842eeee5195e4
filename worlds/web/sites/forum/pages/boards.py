"""The forum's boards, threads and search."""

from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.forum import parts
from turnwise.worlds.web.sites.listing import like

__all__ = ["boards"]

boards = Pages()

_SORTS = {
    "new": ("Newest first", "at DESC, thread.id DESC"),
    "top": ("Top", f"{parts.POINTS} DESC, thread.id DESC"),
    "old": ("Oldest first", "at, thread.id"),
}


# ---- boards -----------------------------------------------------------------------------------------------------


@boards.page("/")
def show_boards(visit: Visit) -> Answered:
    """List all boards."""
    rows = visit.rows(
        "SELECT id, title, about, (SELECT count(*) FROM thread WHERE board = board.id AND removed = 0), "
        "EXISTS (SELECT 1 FROM subscription WHERE board = board.id AND account = ?) FROM board ORDER BY id",
        visit.user,
    )
    cells = [
        (m.link(f"/board/{id}", title), f"About {about}", str(count), "subscribed" if mine else "")
        for id, title, about, count, mine in rows
    ]
    return visit.show("Boards", m.table(("Board", "About", "Threads", ""), cells))


@boards.page("/board/{number:int}")
def board(visit: Visit, number: int) -> Answered:
    """Show the threads of a board, pinned ones first."""
    title, about, moderator, name = visit.row(
        "SELECT title, about, moderator, name FROM board JOIN account ON account.id = moderator WHERE board.id = ?",
        number,
    )
    sort = visit.text("sort") if visit.text("sort") in _SORTS else "new"
    at = visit.whole("page", 1)
    rows, total = parts.thread_list(visit, "board = ?", f"pinned DESC, {_SORTS[sort][1]}", (number,), parts.PAGE, at)
    part = visit.part(total, parts.PAGE)
    base = f"/board/{number}"
    path = base if sort == "new" else f"{base}?sort={sort}"
    links = [m.link(f"{base}/new", "New thread"), " ", m.link(f"{base}/rules", "Rules of this board")]
    mine = visit.get("SELECT 1 FROM subscription WHERE account = ? AND board = ?", visit.user, number)
    listed = m.items([parts.thread_row(row, in_board=True) for row in rows], empty="No threads yet.", class_="threads")
    here = f"{path}{'&' if '?' in path else '?'}page={part.page}" if part.page > 1 else path
    return visit.show(
        title,
        m.paragraph(f"About {about}. Moderator: ", m.link(f"/user/{moderator}", name)),
        m.paragraph(links),
        m.post_button(f"{base}/subscribe", "Unsubscribe" if mine else "Subscribe"),
        m.sorts("Sort: ", f"{base}?", {key: text for key, (text, _) in _SORTS.items()}, sort),
        m.form("/vote", m.hidden("back", here), listed, submit=None),
        part.links(path),
    )


@boards.page("/board/{number:int}/rules")
def rules(visit: Visit, number: int) -> Answered:
    """Show what may be written in a board."""
    title = visit.row("SELECT title FROM board WHERE id = ?", number)
    rows = visit.rows("SELECT 'Rule ' || number, text FROM rule WHERE board = ? ORDER BY number", number)
    return visit.show(
        f"Rules of {title}",
        m.definitions(rows),
        m.link(f"/board/{number}", f"Back to {title}"),
        " ",
        m.link(f"/board/{number}/new?rules=read", "New thread"),
    )


@boards.action("/board/{number:int}/subscribe")
def subscribe(visit: Visit, number: int) -> Answered:
    """Subscribe to a board, or unsubscribe."""
    title = visit.row("SELECT title FROM board WHERE id = ?", number)
    if visit.get("SELECT 1 FROM subscription WHERE account = ? AND board = ?", visit.user, number):
        visit.run("DELETE FROM subscription WHERE account = ? AND board = ?", visit.user, number)
        return visit.redirect(f"/board/{number}", flash=f"You are no longer subscribed to {title}.")
    visit.run("INSERT INTO subscription VALUES (?, ?)", visit.user, number)
    return visit.redirect(f"/board/{number}", flash=f"You are subscribed to {title} now.")


@boards.page("/search")
def search(visit: Visit) -> Answered:
    """Find threads by words, board and author."""
    where: list[str] = []
    values: list[object] = []
    words = visit.text("q").split()[:8]
    for word in words:
        where.append("thread.title || ' ' || thread.body LIKE ? ESCAPE '!'")
        values.append(like(word))
    author, board = visit.text("author")[:80], visit.whole("board")
    if author:
        where.append("account.name LIKE ? ESCAPE '!'")
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
        return visit.show("Search", form)
    at = visit.whole("page", 1)
    rows, total = parts.thread_list(visit, " AND ".join(where or ["1"]), _SORTS["new"][1], values, parts.PAGE, at)
    part = visit.part(total, parts.PAGE)
    path = f"/search?{urlencode({name: value for name, value in visit.query.items() if name != 'page'})}"
    found = m.form(
        "/vote",
        m.hidden("back", f"{path}&page={part.page}"),
        m.items([parts.thread_row(row, words=words) for row in rows]),
        submit=None,
    )
    count = m.paragraph(f"{m.counted(total, 'thread')} found." if total else "No thread was found.")
    return visit.show("Search", form, count, found if rows else "", part.links(path))


# ---- threads ----------------------------------------------------------------------------------------------------


@boards.page("/thread/{number:int}")
def thread(visit: Visit, number: int) -> Answered:
    """Show a thread with its first comments."""
    row = parts.thread_of(visit, number)
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
        parts.report_mark(row["reports"], row["reported"], moderates),
    )
    mine = row["author"] == visit.user
    tools: list[Any] = [parts.vote_buttons("thread", number, row["vote"]) if visit.user else ""]
    if mine:
        tools += [
            m.link(f"/thread/{number}/edit", "Edit thread"),
            " ",
            m.button("Delete thread", name="delete", value=f"thread-{number}"),
        ]
    elif visit.user:
        tools.append(m.link(f"/report?thread={number}", "Report"))
    count = visit.row("SELECT count(*) FROM comment WHERE thread = ? AND removed = 0", number)
    post = m.card(facts, m.rich(row["body"]), m.tag("div", tools))
    listed = parts.comments_of(visit, number, sort, 0, moderates, bool(row["locked"]), wanted)
    form = m.form(
        "/vote",
        m.hidden("back", path),
        post,
        m.heading(m.counted(count, "comment"), 2),
        m.sorts("Sort: ", f"/thread/{number}?", {key: text for key, (text, _) in _SORTS.items()}, sort),
        listed,
        submit=None,
    )
    if row["locked"]:
        reply = m.note("This thread is locked. Nobody can comment on it any more.", "status")
    elif visit.user:
        reply = m.form(f"/thread/{number}/reply", m.area("Comment", "body"), submit="Post comment")
    else:
        reply = m.paragraph(m.link(f"/login?next=/thread/{number}", "Sign in to comment"))
    return visit.show(row["title"], _moderator_tools(visit, number, row) if moderates else "", form, reply)


@boards.page("/thread/{number:int}/more")
def more(visit: Visit, number: int) -> Answered:
    """Return further comments, for "Load more"."""
    row = parts.thread_of(visit, number)
    sort = visit.text("sort") if visit.text("sort") in _SORTS else "old"
    first = max(0, visit.whole("from"))
    return visit.fragment(
        parts.comments_of(visit, number, sort, first, row["moderator"] == visit.user, bool(row["locked"]))
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
