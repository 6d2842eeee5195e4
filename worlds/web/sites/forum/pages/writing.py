"""Writing in the forum: threads, comments and votes; changing and deleting one's own posts."""

from typing import Any

from turnwise.worlds.web.site import Answered, NotFound, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.forum.parts import thread_of

__all__ = ["writing"]

writing = Pages()

MAX_TEXT = 10_000  # characters


@writing.action("/thread/{number:int}/reply")
def reply(visit: Visit, number: int) -> Answered:
    """Add a comment to a thread."""
    return _reply(visit, number, 0)


@writing.page("/comment/{number:int}/reply", signed_in=True)
def answer_form(visit: Visit, number: int) -> Answered:
    """Show the form for an answer to a comment."""
    return _answer_form(visit, number, "")


def _answer_form(visit: Visit, number: int, error: str) -> Answered:
    thread, body, name = visit.row(
        "SELECT thread, body, name FROM comment JOIN account ON account.id = author WHERE comment.id = ? AND "
        "removed = 0",
        number,
    )
    if thread_of(visit, thread)["locked"]:
        raise Refused("This thread is locked. Nobody can comment on it any more.")
    form = m.form(f"/comment/{number}/reply", m.area("Answer", "body", visit.text("body"), error), submit="Post answer")
    return visit.show("Answer a comment", m.card(m.paragraph(name), m.rich(body)), form)


@writing.action("/comment/{number:int}/reply")
def answer_comment(visit: Visit, number: int) -> Answered:
    """Add an answer; answers to answers belong to the comment above them."""
    thread, parent = visit.row("SELECT thread, parent FROM comment WHERE id = ? AND removed = 0", number)
    body = visit.text("body")
    if not 1 <= len(body) <= MAX_TEXT and not thread_of(visit, thread)["locked"]:
        return _answer_form(visit, number, "Write something." if not body else "That is too long.")
    return _reply(visit, thread, parent or number)


def _reply(visit: Visit, number: int, parent: int) -> Answered:
    if thread_of(visit, number)["locked"]:
        raise Refused("This thread is locked. Nobody can comment on it any more.")
    body = visit.text("body")
    if not 1 <= len(body) <= MAX_TEXT:
        return visit.redirect(f"/thread/{number}", flash=f"A comment needs a text of at most {MAX_TEXT} characters.")
    visit.add("comment", thread=number, parent=parent, author=visit.user, body=body, at=f"{visit.now:%Y-%m-%d %H:%M}")
    return visit.redirect(f"/thread/{number}", flash="Your comment is posted.")


@writing.page("/board/{number:int}/new", signed_in=True)
def thread_new(visit: Visit, number: int) -> Answered:
    """Show the form for a new thread."""
    path, hint = f"/board/{number}/new", Markup("")
    if visit.text("rules") != "read":
        rules = m.link(f"/board/{number}/rules", "Rules of this board")
        words = m.paragraph("Every board has rules of its own. Please read them first.")
        hint = m.dialog("hint", "Before you post", words, m.paragraph(rules))
    return _thread_form(visit, path, _board(visit, number), visit.text("title"), "", {}, hint)


def _thread_form(
    visit: Visit, path: str, board: str, title: str, body: str, wrong: dict[str, str], *more: Markup
) -> Answered:
    fields = (
        m.field("Title", "title", title, error=wrong.get("title", "")),
        m.area("Text", "body", body, wrong.get("body", "")),
    )
    new = path.endswith("/new")
    links = m.paragraph(m.link(path.removesuffix("/new") + "/rules", "Rules of this board")) if new else ""
    form = m.form(path, fields, submit="Post thread" if new else "Save changes")
    return visit.show(f"New thread in {board}" if new else f"Edit a thread in {board}", links, form, *more)


@writing.action("/board/{number:int}/new")
def thread_add(visit: Visit, number: int) -> Answered:
    """Start a thread."""
    board, (title, body, wrong) = _board(visit, number), _written(visit)
    if wrong:
        return _thread_form(visit, f"/board/{number}/new", board, title, body, wrong)
    new = visit.add("thread", board=number, author=visit.user, title=title, body=body, at=f"{visit.now:%Y-%m-%d %H:%M}")
    return visit.redirect(f"/thread/{new}", flash="Your thread is posted.")


@writing.page("/thread/{number:int}/edit", signed_in=True)
def thread_edit(visit: Visit, number: int) -> Answered:
    """Show the form for changing a thread."""
    row = _own_thread(visit, number)
    return _thread_form(visit, f"/thread/{number}/edit", row["board_title"], row["title"], row["body"], {})


@writing.action("/thread/{number:int}/edit")
def thread_change(visit: Visit, number: int) -> Answered:
    """Change one of the user's threads."""
    row = _own_thread(visit, number)
    title, body, wrong = _written(visit)
    if wrong:
        return _thread_form(visit, f"/thread/{number}/edit", row["board_title"], title, body, wrong)
    visit.change("thread", number, title=title, body=body, edited=f"{visit.now:%Y-%m-%d %H:%M}")
    return visit.redirect(f"/thread/{number}", flash="Your changes are saved.")


@writing.page("/comment/{number:int}/edit", signed_in=True)
def comment_edit(visit: Visit, number: int) -> Answered:
    """Show the form for changing one of the user's comments."""
    body = visit.row("SELECT body FROM comment WHERE id = ? AND author = ? AND removed = 0", number, visit.user)
    return _comment_form(visit, number, body, "")


def _comment_form(visit: Visit, number: int, body: str, error: str) -> Answered:
    form = m.form(f"/comment/{number}/edit", m.area("Text", "body", body, error), submit="Save changes")
    return visit.show("Edit a comment", form)


@writing.action("/comment/{number:int}/edit")
def comment_change(visit: Visit, number: int) -> Answered:
    """Change one of the user's comments."""
    thread = visit.row("SELECT thread FROM comment WHERE id = ? AND author = ? AND removed = 0", number, visit.user)
    body = visit.text("body")
    if not 1 <= len(body) <= MAX_TEXT:
        return _comment_form(visit, number, body, "Write something." if not body else "That is too long.")
    visit.change("comment", number, body=body, edited=f"{visit.now:%Y-%m-%d %H:%M}")
    return visit.redirect(f"/thread/{thread}", flash="Your changes are saved.")


@writing.action("/vote")
def vote(visit: Visit) -> Answered:
    """Vote, take a vote back, delete one's own post, or remove a post as a moderator."""
    back = visit.form.get("back", "/")
    back = back if back.startswith("/") and not back.startswith("//") else "/"
    for verb in ("up", "down", "delete", "remove"):
        if verb in visit.form:
            kind, _, number = visit.text(verb).partition("-")
            if kind not in ("thread", "comment") or not (number.isascii() and number.isdigit() and len(number) < 10):
                raise NotFound
            return _acted(visit, verb, kind, int(number), back)
    return visit.redirect(back)


def _acted(visit: Visit, verb: str, kind: str, number: int, back: str) -> Answered:
    thread = (
        number if kind == "thread" else visit.row("SELECT thread FROM comment WHERE id = ? AND removed = 0", number)
    )
    row = thread_of(visit, thread)
    author = row["author"] if kind == "thread" else visit.row("SELECT author FROM comment WHERE id = ?", number)
    if verb in ("delete", "remove"):
        if visit.user != (author if verb == "delete" else row["moderator"]):
            raise Refused
        visit.run(f"UPDATE {kind} SET removed = ? WHERE id = ?", 1 if verb == "delete" else 2, number)
        back = f"/board/{row['board']}" if kind == "thread" else f"/thread/{thread}"
        flash = f"Your {kind} is deleted." if verb == "delete" else f"The {kind} is removed."
        return visit.redirect(back, flash=flash)
    if author == visit.user:
        return visit.redirect(back, flash="You cannot vote on what you wrote yourself.")
    value = 1 if verb == "up" else -1
    known = visit.get("SELECT value FROM vote WHERE account = ? AND kind = ? AND item = ?", visit.user, kind, number)
    visit.run("DELETE FROM vote WHERE account = ? AND kind = ? AND item = ?", visit.user, kind, number)
    if known != value:
        visit.run("INSERT INTO vote VALUES (?, ?, ?, ?)", visit.user, kind, number, value)
    return visit.redirect(back, flash="Your vote is taken back." if known == value else "Your vote counts.")


def _own_thread(visit: Visit, number: int) -> dict[str, Any]:
    row = thread_of(visit, number)
    if row["author"] != visit.user:
        raise Refused("Only its author can edit a thread.")
    return row


def _board(visit: Visit, number: int) -> str:
    title: str = visit.row("SELECT title FROM board WHERE id = ?", number)
    return title


def _written(visit: Visit) -> tuple[str, str, dict[str, str]]:
    title, body, wrong = visit.text("title"), visit.text("body"), {}
    if not 3 <= len(title) <= 120:
        wrong["title"] = "A title has 3 to 120 characters."
    if not 1 <= len(body) <= MAX_TEXT:
        wrong["body"] = "Write a text." if not body else f"The text is too long: at most {MAX_TEXT} characters."
    return title, body, wrong
