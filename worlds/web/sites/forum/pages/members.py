"""Members of the forum: their pages, messages, settings; reports, the moderators' queue and warnings."""

from typing import Any

from turnwise.worlds.web.site import Answered, NotFound, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.forum.parts import thread_list, thread_row

__all__ = ["members"]

members = Pages()

RECENT = 15


def _stamp(visit: Visit) -> str:
    return f"{visit.now:%Y-%m-%d %H:%M}"


@members.page("/user/{number:int}")
def member(visit: Visit, number: int) -> Answered:
    """Show what a member wrote lately."""
    name = visit.row("SELECT name FROM account WHERE id = ?", number)
    about = visit.get("SELECT about FROM profile WHERE account = ?", number)
    threads, _ = thread_list(visit, "author = ?", "at DESC, thread.id DESC", (number,), RECENT)
    remarks = visit.rows(
        "SELECT thread.id, comment.id, title, comment.body, comment.at FROM comment JOIN thread ON thread.id = "
        "thread WHERE comment.author = ? AND comment.removed = 0 AND thread.removed = 0 ORDER BY "
        "comment.at DESC, comment.id DESC LIMIT ?",
        number,
        RECENT,
    )
    path = f"/user/{number}"
    listed = m.form("/vote", m.hidden("back", path), m.items([thread_row(row) for row in threads]), submit=None)
    cells = [
        [m.link(f"/thread/{id}?comment={comment}#comment-{comment}", title), f", {at}: {body}"]
        for id, comment, title, body, at in remarks
    ]
    tabs = m.tag(
        "div",
        m.button("Threads", type="button", data_tw_tab="threads", role="tab"),
        m.button("Comments", type="button", data_tw_tab="comments", role="tab"),
        role="tablist",
    )
    panels = (
        m.panel("threads", listed if threads else m.paragraph("No threads."), hidden=False, group="posts"),
        m.panel("comments", m.items(cells) if cells else m.paragraph("No comments."), group="posts"),
    )
    links: list[m.Content] = []
    if visit.user and visit.user != number:
        links.append(m.link(f"/message/new?to={number}", "Send a message"))
        board = visit.get("SELECT id FROM board WHERE moderator = ? ORDER BY id", visit.user)
        if board:
            links += [" ", m.link(f"/warn/{number}?board={board}", "Warn")]
    return visit.show(name, m.paragraph(about) if about else "", m.paragraph(links) if links else "", tabs, panels)


# ---- messages and settings ---------------------------------------------------------------------------------------


@members.page("/messages", signed_in=True)
def messages(visit: Visit) -> Answered:
    """Show messages that the user received and sent."""
    rows = visit.rows(
        "SELECT message.id, subject, sender, a.name, b.name, at FROM message JOIN account a ON a.id = sender "
        "JOIN account b ON b.id = recipient WHERE ? IN (sender, recipient) ORDER BY at DESC, message.id DESC "
        "LIMIT 40",
        visit.user,
    )
    cells = [
        (m.link(f"/message/{id}", subject), f"to {to}" if sender == visit.user else f"from {name}", at)
        for id, subject, sender, name, to, at in rows
    ]
    return visit.show("Messages", m.table(("Subject", "Who", "Date"), cells) if cells else m.paragraph("No messages."))


@members.page("/message/{number:int}", signed_in=True)
def message(visit: Visit, number: int) -> Answered:
    """Show one message."""
    subject, body, sender, recipient, at = visit.row(
        "SELECT subject, body, sender, recipient, at FROM message WHERE id = ? AND ? IN (sender, recipient)",
        number,
        visit.user,
    )
    other = recipient if sender == visit.user else sender
    name = visit.row("SELECT name FROM account WHERE id = ?", other)
    who = m.paragraph("To " if sender == visit.user else "From ", m.link(f"/user/{other}", name), f", {at}")
    return visit.show(subject, who, m.rich(body), m.paragraph(m.link(f"/message/new?to={other}", "Write back")))


@members.page("/message/new", signed_in=True)
def message_new(visit: Visit) -> Answered:
    """Show the form for a message."""
    return _message_form(visit, {})


def _message_form(visit: Visit, wrong: dict[str, str]) -> Answered:
    to = visit.whole("to")
    name = visit.row("SELECT name FROM account WHERE id = ?", to)
    fields = [
        m.hidden("to", to),
        m.field("Subject", "subject", visit.text("subject"), error=wrong.get("subject", "")),
        m.area("Text", "body", visit.text("body"), wrong.get("body", "")),
    ]
    return visit.show(f"Message to {name}", m.form("/message/new", fields, submit="Send message"))


@members.action("/message/new")
def message_send(visit: Visit) -> Answered:
    """Send a message."""
    to, subject, body, wrong = visit.whole("to"), visit.text("subject"), visit.text("body"), {}
    visit.row("SELECT 1 FROM account WHERE id = ?", to)
    if to == visit.user:
        raise Refused("You cannot write to yourself.")
    if not 1 <= len(subject) <= 120:
        wrong["subject"] = "A subject has 1 to 120 characters."
    if not 1 <= len(body) <= 5000:
        wrong["body"] = "Write a text of at most 5000 characters."
    if wrong:
        return _message_form(visit, wrong)
    visit.add("message", sender=visit.user, recipient=to, subject=subject, body=body, at=_stamp(visit))
    return visit.redirect("/messages", flash="Your message is sent.")


@members.page("/settings", signed_in=True)
def settings(visit: Visit) -> Answered:
    """Show the user's public profile as a form."""
    about, digest = visit.get("SELECT about, digest FROM profile WHERE account = ?", visit.user) or ("", 0)
    fields = m.area("About me", "about", about), m.checkbox("Send me a weekly digest", "digest", bool(digest))
    boards = visit.rows(
        "SELECT id, title FROM board JOIN subscription ON board = id WHERE account = ? ORDER BY id", visit.user
    )
    listed = m.items([m.link(f"/board/{id}", title) for id, title in boards]) if boards else m.paragraph("None.")
    form = m.form("/settings", fields, submit="Save settings")
    return visit.show("Settings", form, m.section("Subscriptions", listed))


@members.action("/settings")
def settings_save(visit: Visit) -> Answered:
    """Save the user's profile."""
    visit.run(
        "INSERT OR REPLACE INTO profile VALUES (?, ?, ?)",
        visit.user,
        visit.text("about")[:2000],
        int(bool(visit.text("digest"))),
    )
    return visit.redirect("/settings", flash="The settings are saved.")


# ---- reports -----------------------------------------------------------------------------------------------------


@members.page("/report", signed_in=True)
def report_form(visit: Visit) -> Answered:
    """Show the form for reporting a post to the moderators."""
    return _report_form(visit, "")


def _report_form(visit: Visit, error: str) -> Answered:
    board, _, _, name, body = _reported(visit)
    rules = visit.rows(
        "SELECT number, 'Rule ' || number || ': ' || text FROM rule WHERE board = ? ORDER BY number", board
    )
    fields = [
        m.hidden("thread", visit.whole("thread")),
        m.hidden("comment", visit.whole("comment")),
        m.choices("Which rule does it break?", "rule", [("", "Choose a rule"), *rules], visit.whole("rule"), error),
    ]
    return visit.show(
        "Report a post", m.card(m.paragraph(name), m.rich(body)), m.form("/report", fields, submit="Send report")
    )


@members.action("/report")
def report(visit: Visit) -> Answered:
    """Report a post to the moderators."""
    board, thread, comment, _, _ = _reported(visit)
    rule = visit.whole("rule")
    if visit.get("SELECT 1 FROM rule WHERE board = ? AND number = ?", board, rule) is None:
        return _report_form(visit, "Choose a rule.")
    known = visit.get(
        "SELECT 1 FROM report WHERE thread = ? AND comment = ? AND reporter = ? AND status = 'open'",
        thread,
        comment,
        visit.user,
    )
    if known:
        return visit.redirect(f"/thread/{thread}", flash="You have reported that already.")
    visit.add("report", board=board, thread=thread, comment=comment, reporter=visit.user, rule=rule, at=_stamp(visit))
    return visit.redirect(f"/thread/{thread}", flash="Thank you. A moderator will look at it.")


# ---- moderators --------------------------------------------------------------------------------------------------


@members.page("/queue", signed_in=True)
def queue(visit: Visit) -> Answered:
    """Show open reports of the boards that the user moderates."""
    boards = visit.rows("SELECT id, title FROM board WHERE moderator = ? ORDER BY id", visit.user)
    if not boards:
        raise Refused("Only moderators have a queue.")
    rows = visit.rows(
        "SELECT report.id, report.thread, comment, thread.title, coalesce(comment.body, thread.body), "
        "writer.name, snitch.name, report.rule, report.at FROM report JOIN thread ON thread.id = report.thread "
        "LEFT JOIN comment ON comment.id = report.comment JOIN account writer ON writer.id = "
        "coalesce(comment.author, thread.author) JOIN account snitch ON snitch.id = reporter JOIN board ON "
        "board.id = report.board WHERE board.moderator = ? AND status = 'open' ORDER BY report.at, report.id",
        visit.user,
    )
    cards = [
        m.card(
            m.paragraph(f"{'Comment' if comment else 'Thread'} by {writer} in ", m.link(f"/thread/{thread}", title)),
            m.tag("blockquote", m.rich(body)),
            m.paragraph(f"Reported by {snitch} on {at}: breaks rule {rule}."),
            m.tag(
                "div", m.button("Approve", name="approve", value=id), " ", m.button("Remove", name="remove", value=id)
            ),
        )
        for id, thread, comment, title, body, writer, snitch, rule, at in rows
    ]
    links = [[m.link(f"/board/{id}/rules", f"Rules of {title}"), " "] for id, title in boards]
    content = m.form("/queue", cards, submit=None) if cards else m.paragraph("Nothing is waiting.")
    return visit.show("Moderation queue", m.paragraph(f"{m.counted(len(rows), 'open report')}. ", links), content)


@members.action("/queue")
def decide(visit: Visit) -> Answered:
    """Approve or remove what was reported; this settles all open reports on it."""
    verb = "remove" if visit.text("remove") else "approve"
    thread, comment, moderator = visit.row(
        "SELECT thread, comment, moderator FROM report JOIN board ON board.id = board WHERE report.id = ? AND "
        "status = 'open'",
        visit.whole(verb),
    )
    if moderator != visit.user:
        raise Refused
    if verb == "remove":
        visit.run(f"UPDATE {'comment' if comment else 'thread'} SET removed = 2 WHERE id = ?", comment or thread)
    status = "removed" if verb == "remove" else "approved"
    visit.run(
        "UPDATE report SET status = ? WHERE thread = ? AND comment = ? AND status = 'open'", status, thread, comment
    )
    return visit.redirect("/queue", flash=f"The post is {status}.")


@members.action("/thread/{number:int}/moderate")
def moderate(visit: Visit, number: int) -> Answered:
    """Lock, pin or move a thread."""
    board, moderator = visit.row(
        "SELECT board, moderator FROM thread JOIN board ON board.id = board WHERE thread.id = ? AND removed = 0", number
    )
    if moderator != visit.user:
        raise Refused("Only the moderator of this board can do that.")
    do = visit.text("do")
    if do == "move":
        title = visit.row("SELECT title FROM board WHERE id = ? AND id <> ?", visit.whole("to"), board)
        visit.change("thread", number, board=visit.whole("to"))
        return visit.redirect(f"/thread/{number}", flash=f"The thread is in {title} now.")
    if do not in ("lock", "pin"):
        raise NotFound
    column = {"lock": "locked", "pin": "pinned"}[do]
    visit.run(f"UPDATE thread SET {column} = 1 - {column} WHERE id = ?", number)
    state = column if visit.row(f"SELECT {column} FROM thread WHERE id = ?", number) else f"un{column}"
    return visit.redirect(f"/thread/{number}", flash=f"The thread is {state}.")


@members.page("/warn/{number:int}", signed_in=True)
def warn_form(visit: Visit, number: int) -> Answered:
    """Show the form of a warning."""
    return _warn_form(visit, number, {})


def _warn_form(visit: Visit, number: int, wrong: dict[str, str]) -> Answered:
    name, board = visit.row("SELECT name FROM account WHERE id = ?", number), _moderated(visit)
    rules = visit.rows(
        "SELECT number, 'Rule ' || number || ': ' || text FROM rule WHERE board = ? ORDER BY number", board
    )
    fields = [
        m.hidden("board", board),
        m.choices("Broken rule", "rule", [("", "Choose a rule"), *rules], visit.whole("rule"), wrong.get("rule", "")),
        m.area("Text", "text", visit.text("text"), wrong.get("text", "")),
    ]
    known = visit.row("SELECT count(*) FROM warning WHERE account = ? AND board = ?", number, board)
    count = m.paragraph(f"{name} has had {m.counted(known, 'warning')} in this board.")
    return visit.show(f"Warn {name}", count, m.form(f"/warn/{number}", fields, submit="Send warning"))


@members.action("/warn/{number:int}")
def warn(visit: Visit, number: int) -> Answered:
    """Warn a member."""
    board, rule, text, wrong = _moderated(visit), visit.whole("rule"), visit.text("text"), {}
    visit.row("SELECT 1 FROM account WHERE id = ? AND id <> ?", number, visit.user)
    if visit.get("SELECT 1 FROM rule WHERE board = ? AND number = ?", board, rule) is None:
        wrong["rule"] = "Choose a rule."
    if not 1 <= len(text) <= 2000:
        wrong["text"] = "Write a text of at most 2000 characters."
    if wrong:
        return _warn_form(visit, number, wrong)
    visit.add("warning", account=number, moderator=visit.user, board=board, rule=rule, text=text, at=_stamp(visit))
    return visit.redirect(f"/user/{number}", flash="The warning is sent.")


def _moderated(visit: Visit) -> int:
    """Return the board of a form, if the user moderates it."""
    board = visit.whole("board")
    if visit.row("SELECT moderator FROM board WHERE id = ?", board) != visit.user:
        raise Refused("Only the moderator of this board can warn people.")
    return board


def _reported(visit: Visit) -> tuple[Any, ...]:
    """Return board, thread, comment (or 0), author's name and text of what is being reported."""
    number = visit.whole("comment")
    if number:
        found = visit.row(
            "SELECT board, thread, comment.id, name, comment.body, comment.author FROM comment JOIN thread ON "
            "thread.id = thread JOIN account ON account.id = comment.author WHERE comment.id = ? AND comment.removed "
            "= 0 AND thread.removed = 0",
            number,
        )
    else:
        found = visit.row(
            "SELECT board, thread.id, 0, name, body, author FROM thread JOIN account ON account.id = author "
            "WHERE thread.id = ? AND removed = 0",
            visit.whole("thread"),
        )
    if found[5] == visit.user:
        raise Refused("You cannot report what you wrote yourself.")
    return tuple(found[:5])
