"""Writing in the forum: threads, comments, votes; changing and deleting one's own."""

from typing import Any

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, NotFound, Refused, Visit, WebSite, action, page
from turnwise.worlds.web.sites.forum.parts import thread_of

__all__ = ["WritingPages"]

MAX_TEXT = 10_000  # characters


class WritingPages(WebSite):
    """Forms and actions of those who write."""

    @action("/thread/{number:int}/reply")
    def reply(self, visit: Visit, number: int) -> Answered:
        """Adds a comment to a thread."""
        return self._reply(visit, number, 0)

    @page("/comment/{number:int}/reply", signed_in=True)
    def answer_form(self, visit: Visit, number: int) -> Answered:
        """The form for an answer to a comment."""
        return self._answer_form(visit, number, "")

    def _answer_form(self, visit: Visit, number: int, error: str) -> Answered:
        thread, body, name = visit.row(
            "SELECT thread, body, name FROM comment JOIN account ON account.id = author WHERE comment.id = ? AND "
            "removed = 0",
            number,
        )
        if thread_of(visit, thread)["locked"]:
            raise Refused("This thread is locked. Nobody can comment on it any more.")
        form = m.form(
            f"/comment/{number}/reply", m.area("Answer", "body", visit.text("body"), error), submit="Post answer"
        )
        return self.show(visit, "Answer a comment", m.card(m.paragraph(name), m.rich(body)), form)

    @action("/comment/{number:int}/reply")
    def answer_comment(self, visit: Visit, number: int) -> Answered:
        """Adds an answer; answers to answers belong to the comment above them."""
        thread, parent = visit.row("SELECT thread, parent FROM comment WHERE id = ? AND removed = 0", number)
        body = visit.text("body")
        if not 1 <= len(body) <= MAX_TEXT and not thread_of(visit, thread)["locked"]:
            return self._answer_form(visit, number, "Write something." if not body else "That is too long.")
        return self._reply(visit, thread, parent or number)

    def _reply(self, visit: Visit, number: int, parent: int) -> Answered:
        if thread_of(visit, number)["locked"]:
            raise Refused("This thread is locked. Nobody can comment on it any more.")
        body = visit.text("body")
        if not 1 <= len(body) <= MAX_TEXT:
            return self.redirect(f"/thread/{number}", flash=f"A comment needs a text of at most {MAX_TEXT} characters.")
        visit.run(
            "INSERT INTO comment (thread, parent, author, body, at) VALUES (?, ?, ?, ?, ?)",
            number,
            parent,
            visit.user,
            body,
            f"{visit.now:%Y-%m-%d %H:%M}",
        )
        return self.redirect(f"/thread/{number}", flash="Your comment is posted.")

    @page("/board/{number:int}/new", signed_in=True)
    def thread_new(self, visit: Visit, number: int) -> Answered:
        """The form for a new thread."""
        path, hint = f"/board/{number}/new", Markup("")
        if visit.text("rules") != "read":
            rules = m.link(f"/board/{number}/rules", "Rules of this board")
            words = m.paragraph("Every board has rules of its own. Please read them first.")
            hint = m.dialog("hint", "Before you post", words, m.paragraph(rules))
        return self._thread_form(visit, path, _board(visit, number), visit.text("title"), "", {}, hint)

    def _thread_form(
        self, visit: Visit, path: str, board: str, title: str, body: str, wrong: dict[str, str], *more: Markup
    ) -> Answered:
        fields = (
            m.field("Title", "title", title, error=wrong.get("title", "")),
            m.area("Text", "body", body, wrong.get("body", "")),
        )
        new = path.endswith("/new")
        links = m.paragraph(m.link(path.removesuffix("/new") + "/rules", "Rules of this board")) if new else ""
        form = m.form(path, fields, submit="Post thread" if new else "Save changes")
        return self.show(visit, f"New thread in {board}" if new else f"Edit a thread in {board}", links, form, *more)

    @action("/board/{number:int}/new")
    def thread_add(self, visit: Visit, number: int) -> Answered:
        """Starts a thread."""
        board, (title, body, wrong) = _board(visit, number), _written(visit)
        if wrong:
            return self._thread_form(visit, f"/board/{number}/new", board, title, body, wrong)
        new = visit.run(
            "INSERT INTO thread (board, author, title, body, at) VALUES (?, ?, ?, ?, ?)",
            number,
            visit.user,
            title,
            body,
            f"{visit.now:%Y-%m-%d %H:%M}",
        )
        return self.redirect(f"/thread/{new}", flash="Your thread is posted.")

    @page("/thread/{number:int}/edit", signed_in=True)
    def thread_edit(self, visit: Visit, number: int) -> Answered:
        """The form, filled in."""
        row = _own_thread(visit, number)
        return self._thread_form(visit, f"/thread/{number}/edit", row["board_title"], row["title"], row["body"], {})

    @action("/thread/{number:int}/edit")
    def thread_change(self, visit: Visit, number: int) -> Answered:
        """Changes a thread of one's own."""
        row = _own_thread(visit, number)
        title, body, wrong = _written(visit)
        if wrong:
            return self._thread_form(visit, f"/thread/{number}/edit", row["board_title"], title, body, wrong)
        visit.run(
            "UPDATE thread SET title = ?, body = ?, edited = ? WHERE id = ?",
            title,
            body,
            f"{visit.now:%Y-%m-%d %H:%M}",
            number,
        )
        return self.redirect(f"/thread/{number}", flash="Your changes are saved.")

    @page("/comment/{number:int}/edit", signed_in=True)
    def comment_edit(self, visit: Visit, number: int) -> Answered:
        """The form for a comment of one's own."""
        body = visit.row("SELECT body FROM comment WHERE id = ? AND author = ? AND removed = 0", number, visit.user)
        return self._comment_form(visit, number, body, "")

    def _comment_form(self, visit: Visit, number: int, body: str, error: str) -> Answered:
        form = m.form(f"/comment/{number}/edit", m.area("Text", "body", body, error), submit="Save changes")
        return self.show(visit, "Edit a comment", form)

    @action("/comment/{number:int}/edit")
    def comment_change(self, visit: Visit, number: int) -> Answered:
        """Changes a comment of one's own."""
        thread = visit.row("SELECT thread FROM comment WHERE id = ? AND author = ? AND removed = 0", number, visit.user)
        body = visit.text("body")
        if not 1 <= len(body) <= MAX_TEXT:
            return self._comment_form(visit, number, body, "Write something." if not body else "That is too long.")
        visit.run("UPDATE comment SET body = ?, edited = ? WHERE id = ?", body, f"{visit.now:%Y-%m-%d %H:%M}", number)
        return self.redirect(f"/thread/{thread}", flash="Your changes are saved.")

    @action("/vote")
    def vote(self, visit: Visit) -> Answered:
        """Votes for a thread or a comment, takes a vote back; deletes one's own; removes, for moderators."""
        back = visit.form.get("back", "/")
        back = back if back.startswith("/") and not back.startswith("//") else "/"
        for verb in ("up", "down", "delete", "remove"):
            if verb in visit.form:
                kind, _, number = visit.text(verb).partition("-")
                if kind not in ("thread", "comment") or not (
                    number.isascii() and number.isdigit() and len(number) < 10
                ):
                    raise NotFound
                return self._acted(visit, verb, kind, int(number), back)
        return self.redirect(back)

    def _acted(self, visit: Visit, verb: str, kind: str, number: int, back: str) -> Answered:
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
            return self.redirect(back, flash=flash)
        if author == visit.user:
            return self.redirect(back, flash="You cannot vote on what you wrote yourself.")
        value = 1 if verb == "up" else -1
        known = visit.get(
            "SELECT value FROM vote WHERE account = ? AND kind = ? AND item = ?", visit.user, kind, number
        )
        visit.run("DELETE FROM vote WHERE account = ? AND kind = ? AND item = ?", visit.user, kind, number)
        if known != value:
            visit.run("INSERT INTO vote VALUES (?, ?, ?, ?)", visit.user, kind, number, value)
        return self.redirect(back, flash="Your vote is taken back." if known == value else "Your vote counts.")


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
