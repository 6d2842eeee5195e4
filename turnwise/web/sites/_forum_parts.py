"""Pieces that several pages of the forum show: lists of threads, comments, votes."""

from collections.abc import Sequence
from typing import Any

from turnwise.web import markup as m
from turnwise.web.markup import Markup
from turnwise.web.site import Visit

__all__ = ["POINTS", "comments_of", "like", "thread_list", "thread_of", "thread_row", "vote_buttons"]

COMMENTS = 10  # comments, with their answers, that are loaded at a time
POINTS = "points + (SELECT coalesce(sum(value), 0) FROM vote WHERE kind = 'thread' AND item = thread.id)"
"""Points of a thread: those it started with, and the votes since."""
_REMOVED = {1: "(deleted by its author)", 2: "(removed by a moderator)"}


def like(text: str) -> str:
    """A pattern for LIKE, with a backslash as its escape, that finds ``text`` anywhere."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def thread_list(
    visit: Visit, where: str, order: str, values: Sequence[object], limit: int, page: int = 1
) -> tuple[list[tuple[Any, ...]], int]:
    """A page of threads with what `thread_row` shows of them, and how many there are in all."""
    ids = visit.rows(
        f"SELECT thread.id FROM thread JOIN account ON account.id = author WHERE {where} AND removed = 0 ORDER BY "
        f"{order}",
        *values,
    )
    page = min(page, max(1, -(-len(ids) // limit)))
    shown = ids[limit * (page - 1) : limit * page]
    rows = visit.rows(
        f"SELECT thread.id, thread.title, author, account.name, at, {POINTS}, pinned, locked, (SELECT count(*) FROM "
        "comment WHERE thread = thread.id AND removed = 0), (SELECT value FROM vote WHERE kind = 'thread' AND item "
        "= thread.id AND account = ?), board.title FROM thread JOIN account ON account.id = author JOIN board ON "
        f"board.id = board WHERE thread.id IN ({', '.join('?' * len(shown))})",
        visit.user,
        *shown,
    )
    rows.sort(key=lambda row: shown.index(row[0]))
    return rows, len(ids)


def thread_row(row: tuple[Any, ...]) -> list[m.Content]:
    """One line of a list of threads: title, author, date, points, comments, vote buttons."""
    number, title, author, name, at, points, pinned, locked, count, vote, board = row
    marks = f"{' (pinned)' if pinned else ''}{' (locked)' if locked else ''}"
    return [
        m.link(f"/thread/{number}", title),
        f"{marks} in {board}, by ",
        m.link(f"/user/{author}", name),
        f", {at}, {points} points, {count} comments ",
        vote_buttons("thread", number, vote),
    ]


def vote_buttons(kind: str, number: int, vote: int | None) -> Markup:
    """Buttons that vote, or take back the vote."""
    up = m.button("Take back upvote" if vote == 1 else "Upvote", name="up", value=f"{kind}-{number}")
    down = m.button("Take back downvote" if vote == -1 else "Downvote", name="down", value=f"{kind}-{number}")
    return m.join(up, " ", down, " ")


def comments_of(visit: Visit, thread: int, sort: str, first: int, moderates: bool, locked: bool) -> Markup:
    """Comments from the ``first`` on, each with its answers, and a button that loads the next ones."""
    rows = visit.rows(
        "SELECT comment.id, parent, author, name, body, at, points + (SELECT coalesce(sum(value), 0) FROM vote WHERE "
        "kind = 'comment' AND item = comment.id), removed, edited, (SELECT value FROM vote WHERE account = ? AND "
        "kind = 'comment' AND item = comment.id) FROM comment JOIN account ON account.id = author WHERE thread = ? "
        "ORDER BY at, comment.id",
        visit.user,
        thread,
    )
    answers: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        if row[1] and not row[7]:
            answers.setdefault(row[1], []).append(row)
    tops = [row for row in rows if not row[1] and (not row[7] or row[0] in answers)]
    if sort == "new":
        tops.reverse()
    elif sort == "top":
        tops.sort(key=lambda row: (-row[6], row[0]))
    parts: list[Markup] = []
    for row in tops[first : first + COMMENTS]:
        parts.append(_comment(visit, row, "", moderates, locked))
        parts += [_comment(visit, answer, row[3], moderates, locked) for answer in answers.get(row[0], ())]
    left = len(tops) - first - COMMENTS
    if left > 0:
        after = first + COMMENTS
        query = f"/thread/{thread}/more?sort={sort}&from={after}"
        load = m.button("Load more comments", type="button", data_tw_get=query, data_tw_target=f"more{after}")
        parts.append(m.tag("div", f"{left} more. ", load, id=f"more{after}"))
    return m.join(parts)


def _comment(visit: Visit, row: tuple[Any, ...], to: str, moderates: bool, locked: bool) -> Markup:
    number, _, author, name, body, at, points, removed, edited, vote = row
    if removed:
        return m.card(m.paragraph(_REMOVED[removed]), class_="comment")
    facts = m.paragraph(
        m.link(f"/user/{author}", name),
        f" to {to}" if to else "",
        f", {at}, {points} points",
        f", edited {edited}" if edited else "",
    )
    tools: list[Markup] = []
    if visit.user:
        tools.append(vote_buttons("comment", number, vote))
        if not locked:
            tools.append(m.link(f"/comment/{number}/reply", "Answer"))
        if author == visit.user:
            tools += [
                m.link(f"/comment/{number}/edit", "Edit"),
                m.button("Delete", name="delete", value=f"comment-{number}"),
            ]
        else:
            tools.append(m.link(f"/report?comment={number}", "Report"))
            if moderates:
                tools.append(m.button("Remove", name="remove", value=f"comment-{number}"))
    return m.card(
        facts, m.rich(body), m.tag("div", [[tool, " "] for tool in tools]), class_="comment reply" if to else "comment"
    )


def thread_of(visit: Visit, number: int) -> dict[str, Any]:
    """A thread with its author, its board and the visitor's vote."""
    names = (
        "board",
        "author",
        "title",
        "body",
        "at",
        "points",
        "locked",
        "pinned",
        "edited",
        "name",
        "board_title",
        "moderator",
        "vote",
    )
    row = visit.row(
        f"SELECT board, author, thread.title, body, at, {POINTS}, locked, pinned, edited, name, board.title, "
        "moderator, (SELECT value FROM vote WHERE account = ? AND kind = 'thread' AND item = thread.id) FROM thread "
        "JOIN account ON account.id = author JOIN board ON board.id = board WHERE thread.id = ? AND removed = 0",
        visit.user,
        number,
    )
    return dict(zip(names, row, strict=True))
