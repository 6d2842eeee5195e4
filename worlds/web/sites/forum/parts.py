"""Parts that several pages of the forum share: lists of threads, comments, votes."""

from collections.abc import Sequence
from typing import Any

from turnwise.worlds.web.site import Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup

__all__ = [
    "PAGE", "POINTS", "comments_of", "report_mark", "thread_list", "thread_of", "thread_row", "vote_buttons",
]  # fmt: skip

_PIECE = 50  # characters of a text among what a search finds
COMMENTS = 10  # comments, with their answers, that are loaded at a time
PAGE = 10
"""Threads on a page."""
POINTS = "points + (SELECT coalesce(sum(value), 0) FROM vote WHERE kind = 'thread' AND item = thread.id)"
"""Points of a thread: those it started with, and the votes since."""
_REMOVED = {1: "(deleted by its author)", 2: "(removed by a moderator)"}


def thread_list(
    visit: Visit, where: str, order: str, values: Sequence[object], limit: int, page: int = 1
) -> tuple[list[tuple[Any, ...]], int]:
    """Return a page of threads as `thread_row` needs them, and how many there are in all."""
    ids = visit.rows(
        f"SELECT thread.id FROM thread JOIN account ON account.id = author WHERE {where} AND removed = 0 ORDER BY "
        f"{order}",
        *values,
    )
    page = min(max(1, page), max(1, -(-len(ids) // limit)))
    shown = ids[limit * (page - 1) : limit * page]
    rows = visit.rows(
        f"SELECT thread.id, thread.title, author, account.name, at, {POINTS}, pinned, locked, (SELECT count(*) FROM "
        "comment WHERE thread = thread.id AND removed = 0), (SELECT value FROM vote WHERE kind = 'thread' AND item "
        "= thread.id AND account = ?), board.title, thread.body FROM thread JOIN account ON account.id = "
        "author JOIN board ON "
        f"board.id = board WHERE thread.id IN ({', '.join('?' * len(shown))})",
        visit.user,
        *shown,
    )
    rows.sort(key=lambda row: shown.index(row[0]))
    return rows, len(ids)


def thread_row(row: tuple[Any, ...], in_board: bool = False, words: Sequence[str] = ()) -> list[m.Content]:
    """Return one line of a list of threads: title, author, date, points, comments, vote buttons.

    Args:
        row: A row of `thread_list`.
        in_board: The list is the board's, which need not be named.
        words: What was searched for; a piece of the text is shown unless the title has all of it.
    """
    number, title, author, name, at, points, pinned, locked, count, vote, board, body = row
    missing = [word for word in words if word.lower() not in title.lower()]
    marks = f"{' (pinned)' if pinned else ''}{' (locked)' if locked else ''}"
    return [
        m.link(f"/thread/{number}", title),
        f"{marks} by " if in_board else f"{marks} in {board}, by ",
        m.link(f"/user/{author}", name),
        f", {at}, {m.counted(points, 'point')}, {m.counted(count, 'comment')} ",
        vote_buttons("thread", number, vote),
        m.paragraph(_piece(body, missing[0])) if missing else "",
    ]


def _piece(text: str, word: str) -> str:
    """Return some words of a text around a word."""
    text = " ".join(text.split())
    at = text.lower().find(word.lower())
    start = text.find(" ", at - _PIECE // 2) + 1 if at > _PIECE // 2 else 0
    piece = text[start : start + _PIECE]
    return piece if start + _PIECE >= len(text) else f"{piece.rpartition(' ')[0] or piece} …"


def report_mark(reports: int, mine: int, moderates: bool) -> str:
    """Return a note on a post's open reports: all of them for moderators, their own for others."""
    if moderates and reports:
        return f", {m.counted(reports, 'open report')}"
    return ", reported by you" if mine else ""


def vote_buttons(kind: str, number: int, vote: int | None) -> Markup:
    """Return buttons that vote, or take back the vote."""
    up = m.button("Take back upvote" if vote == 1 else "Upvote", name="up", value=f"{kind}-{number}")
    down = m.button("Take back downvote" if vote == -1 else "Downvote", name="down", value=f"{kind}-{number}")
    return m.join(up, " ", down, " ")


def comments_of(
    visit: Visit, thread: int, sort: str, first: int, moderates: bool, locked: bool, wanted: int = 0
) -> Markup:
    """Return comments from ``first`` on with their answers, and a button that loads the next ones.

    There are enough of them to show the comment ``wanted``.
    """
    rows = visit.rows(
        "SELECT comment.id, parent, author, name, body, at, points + (SELECT coalesce(sum(value), 0) FROM vote WHERE "
        "kind = 'comment' AND item = comment.id), removed, edited, (SELECT value FROM vote WHERE account = ? AND "
        "kind = 'comment' AND item = comment.id), (SELECT count(*) FROM report WHERE comment = comment.id AND status "
        "= 'open'), EXISTS (SELECT 1 FROM report WHERE comment = comment.id AND status = 'open' AND reporter = ?) "
        "FROM comment JOIN account ON account.id = author WHERE thread = ? "
        "ORDER BY at, comment.id",
        visit.user,
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
    after = first + COMMENTS
    for place, row in enumerate(tops):
        if wanted and wanted in (row[0], *(answer[0] for answer in answers.get(row[0], ()))):
            after = max(after, place + 1)
    for row in tops[first:after]:
        parts.append(_comment(visit, row, "", moderates, locked))
        parts += [_comment(visit, answer, row[3], moderates, locked) for answer in answers.get(row[0], ())]
    left = sum((not row[7]) + len(answers.get(row[0], ())) for row in tops[after:])
    if left:
        query = f"/thread/{thread}/more?sort={sort}&from={after}"
        load = m.button("Load more comments", type="button", data_tw_get=query, data_tw_target=f"more{after}")
        parts.append(m.tag("div", f"{m.counted(left, 'more comment')}. ", load, id=f"more{after}"))
    return m.join(parts)


def _comment(visit: Visit, row: tuple[Any, ...], to: str, moderates: bool, locked: bool) -> Markup:
    number, _, author, name, body, at, points, removed, edited, vote, reports, mine = row
    if removed:
        return m.card(m.paragraph(_REMOVED[removed]), class_="comment")
    facts = m.paragraph(
        m.link(f"/user/{author}", name),
        f" to {to}" if to else "",
        f", {at}, {m.counted(points, 'point')}",
        f", edited {edited}" if edited else "",
        report_mark(reports, mine, moderates),
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
        facts,
        m.rich(body),
        m.tag("div", [[tool, " "] for tool in tools]),
        class_="comment reply" if to else "comment",
        id=f"comment-{number}",
    )


def thread_of(visit: Visit, number: int) -> dict[str, Any]:
    """Return a thread with its author, its board and the visitor's vote."""
    reports = "SELECT count(*) FROM report WHERE thread = thread.id AND comment = 0 AND status = 'open'"
    columns = {
        **{name: name for name in ("board", "author", "body", "at", "locked", "pinned", "edited", "name", "moderator")},
        "title": "thread.title",
        "board_title": "board.title",
        "points": POINTS,
        "reports": f"({reports})",
        "vote": "(SELECT value FROM vote WHERE account = ? AND kind = 'thread' AND item = thread.id)",
        "reported": f"({reports} AND reporter = ?) > 0",
    }
    row = visit.row(
        f"SELECT {', '.join(columns.values())} FROM thread JOIN account ON account.id = author "
        "JOIN board ON board.id = board WHERE thread.id = ? AND removed = 0",
        visit.user,
        visit.user,
        number,
    )
    return dict(zip(columns, row, strict=True))
