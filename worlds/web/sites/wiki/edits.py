"""Edits of the wiki: lists of them, histories, differences, the forms, undoing and restoring."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, Refused, Visit, WebSite, action, page
from turnwise.worlds.web.sites.wiki.text import changed, composed, infobox, links, page_path, render, without_box

__all__ = ["Edits", "Entry", "known", "paged"]

_EDITS, _LONGEST = 12, 20_000


class Entry(NamedTuple):
    """A page as it is now."""

    id: int
    title: str
    kind: str
    revision: int
    protected: int
    text: str


class Edits(WebSite):
    """What has been edited, and how one edits."""

    @staticmethod
    def entry(visit: Visit, title: str) -> Entry:
        """A page by its title."""
        return Entry(
            *visit.row(
                "SELECT p.id, p.title, p.kind, p.revision, p.protected, r.text FROM page p"
                " JOIN revision r ON r.id = p.revision WHERE p.title = ?",
                title,
            )
        )

    def edit_table(self, visit: Visit, where: str, values: tuple[object, ...], number: int, size: int) -> Markup:
        """A table of edits, the latest first."""
        rows = visit.rows(
            "SELECT r.id, r.made, p.title, r.editor, a.name, r.summary, r.minor FROM revision r JOIN page p ON p.id = "
            "r.page"
            f" JOIN account a ON a.id = r.editor {where} ORDER BY r.id DESC LIMIT ? OFFSET ?",
            *values,
            size,
            (number - 1) * size,
        )
        lines = [
            (
                made,
                m.link(page_path(title), title),
                m.link(f"/user/{editor}", who),
                summary + " (minor)" * minor,
                m.link(f"/diff/{edit}", "diff"),
            )
            for edit, made, title, editor, who, summary, minor in rows
        ]
        return m.table(("Time", "Page", "Editor", "Summary", ""), lines) if lines else m.paragraph("No edits.")

    def edit_list(self, visit: Visit, path: str, where: str, *values: object) -> Markup:
        """A page of edits; ``where`` is an SQL condition with its values."""
        count = visit.row(f"SELECT count(*) FROM revision r {where}", *values)
        _, number, pages = paged(visit, range(count), _EDITS)
        edits = self.edit_table(visit, where, values, number, _EDITS)
        return m.join(m.paragraph(f"{count} edit{'' if count == 1 else 's'}"), edits, m.pager(path, number, pages))

    @page("/changes")
    def changes(self, visit: Visit) -> Answered:
        """The latest edits of all pages."""
        return self.show(visit, "Recent changes", self.edit_list(visit, "/changes", ""))

    @page("/user/{number:int}")
    def user(self, visit: Visit, number: int) -> Answered:
        """What somebody edited, since a day."""
        who, since = visit.row("SELECT name FROM account WHERE id = ?", number), visit.date("since")
        form = m.form(
            f"/user/{number}", m.date_field("Since", "since", visit.text("since")), submit="Show", method="get"
        )
        day = since.isoformat() if since else ""
        edits = self.edit_list(visit, f"/user/{number}?since={day}", "WHERE r.editor = ? AND r.made >= ?", number, day)
        return self.show(visit, f"Edits by {who}", form, edits)

    @page("/history/{title}")
    def history(self, visit: Visit, title: str) -> Answered:
        """The edits of a page."""
        shown = self.entry(visit, title)
        rows = visit.rows(
            "SELECT r.id, r.made, r.editor, a.name, r.summary, r.minor FROM revision r JOIN account a ON a.id = "
            "r.editor"
            " WHERE r.page = ? ORDER BY r.id DESC",
            shown.id,
        )
        part, number, pages = paged(visit, rows, _EDITS)
        lines = []
        for edit, made, editor, who, summary, minor in part:
            end: Markup | str = ""
            if edit != shown.revision:
                end = m.post_button(f"/restore/{edit}", "Restore this version")
            elif len(rows) > 1:
                end = m.post_button(f"/undo/{edit}", "Undo")
            lines.append(
                (
                    made,
                    m.link(f"/user/{editor}", who),
                    summary + " (minor)" * minor,
                    m.link(f"/diff/{edit}", "diff"),
                    end,
                )
            )
        table = m.table(("Time", "Editor", "Summary", "", ""), lines)
        back = m.paragraph(m.link(page_path(title), "Back to the page"))
        return self.show(visit, f"History of {title}", back, table, m.pager(page_path(title, "history"), number, pages))

    @page("/diff/{number:int}")
    def diff(self, visit: Visit, number: int) -> Answered:
        """What an edit took away and put in."""
        page_id, title, last, editor, who, made, summary, text = visit.row(
            "SELECT p.id, p.title, p.revision, r.editor, a.name, r.made, r.summary, r.text FROM revision r"
            " JOIN page p ON p.id = r.page"
            " JOIN account a ON a.id = r.editor WHERE r.id = ?",
            number,
        )
        before, old = visit.get(
            "SELECT id, text FROM revision WHERE page = ? AND id < ? ORDER BY id DESC LIMIT 1", page_id, number
        ) or (0, "")
        after = visit.get("SELECT min(id) FROM revision WHERE page = ? AND id > ?", page_id, number)
        gone, come = changed(old, text)
        facts = [
            ("Page", m.link(page_path(title), title)),
            ("Editor", m.link(f"/user/{editor}", who)),
            ("Time", made),
            ("Summary", summary),
        ]
        ways = [(before, "Previous edit"), (after, "Next edit")]
        return self.show(
            visit,
            f"Edit of {title}",
            m.definitions(facts),
            m.section("Removed", m.items(gone) if gone else m.paragraph("Nothing.")),
            m.section("Added", m.items(come) if come else m.paragraph("Nothing.")),
            m.post_button(f"/undo/{number}", "Undo") if number == last and before else "",
            m.paragraph(
                m.link(page_path(title, "history"), "History of the page"),
                [m.join(" ", m.link(f"/diff/{edit}", name)) for edit, name in ways if edit],
            ),
        )

    def _store(self, visit: Visit, target: Entry, text: str, summary: str, minor: bool = False) -> None:
        """A new revision, and what it links to."""
        edit = visit.run(
            "INSERT INTO revision (page, editor, made, summary, minor, text) VALUES (?, ?, ?, ?, ?, ?)",
            target.id,
            visit.user,
            visit.now.isoformat(" ", "minutes"),
            summary,
            int(minor),
            text,
        )
        visit.run("UPDATE page SET revision = ? WHERE id = ?", edit, target.id)
        visit.run("DELETE FROM link WHERE source = ?", target.id)
        visit.db.executemany("INSERT INTO link VALUES (?, ?)", [(target.id, title) for title in links(text)])

    @staticmethod
    def _open(target: Entry) -> None:
        if target.protected:
            raise Refused(f"The page {target.title} is protected: only administrators may edit it.")

    @page("/edit/{title}", signed_in=True)
    def edit_page(self, visit: Visit, title: str) -> Answered:
        """The form: infobox, text, summary; and a short one to add a line."""
        target = self.entry(visit, title)
        self._open(target)
        return self._edit_form(visit, target, target.text, "")

    def _edit_form(self, visit: Visit, target: Entry, text: str, error: str, preview: bool = False) -> Answered:
        box = infobox(text)
        fields = [m.field(label, f"box{place}", value) for place, (label, value) in enumerate(box)]
        end = [
            m.field("Summary of the edit", "summary", visit.text("summary")),
            m.checkbox("Minor edit", "minor", visit.text("minor") == "on"),
            m.button("Save page", name="do", value="save"),
            m.button("Preview", name="do", value="preview"),
        ]
        line = [m.field("New last line", "line"), m.field("Summary of the new line", "summary")]
        shown = m.section("Preview", render(text, known(visit, links(text)))) if preview else ""
        return self.show(
            visit,
            f"Edit {target.title}",
            m.note(error, "alert") if error else "",
            shown,
            m.section("Add a line", m.form(page_path(target.title, "append"), line, submit="Add line")),
            m.section(
                "Edit everything",
                m.form(
                    page_path(target.title, "edit"),
                    m.hidden("seen", target.revision),
                    m.tag("fieldset", m.tag("legend", "Infobox"), fields) if fields else "",
                    m.area("Text", "text", without_box(text)),
                    end,
                    submit=None,
                ),
            ),
        )

    @action("/edit/{title}")
    def edit(self, visit: Visit, title: str) -> Answered:
        """Saves or shows the text."""
        target = self.entry(visit, title)
        self._open(target)
        box = []
        for place, (label, value) in enumerate(infobox(target.text)):
            given = visit.form.get(f"box{place}", value)
            box.append((label, " ".join(given.replace("|", " ").replace("\x00", "").split())[:200]))
        text = composed(box, visit.text("text"))
        if visit.text("do") == "preview":
            return self._edit_form(visit, target, text, "", preview=True)
        error = ""
        if visit.whole("seen") != target.revision:
            error = "Somebody has edited this page since you began."
        elif not visit.text("text") or len(text) > _LONGEST:
            error = f"A page has a text, of at most {_LONGEST} letters."
        elif text == target.text:
            error = "You have changed nothing."
        if error:
            return self._edit_form(visit, target, text, error)
        self._store(visit, target, text, visit.text("summary")[:200], visit.text("minor") == "on")
        return self.redirect(page_path(title), flash="Your edit is saved.")

    @action("/append/{title}")
    def append(self, visit: Visit, title: str) -> Answered:
        """Adds a last line."""
        target, line = self.entry(visit, title), " ".join(visit.text("line").split())
        self._open(target)
        if not line or len(target.text) + len(line) > _LONGEST:
            return self._edit_form(visit, target, target.text, "What shall the line say?")
        self._store(visit, target, f"{target.text}\n{line}", visit.text("summary")[:200])
        return self.redirect(page_path(title), flash="Your line is added.")

    def _revision(self, visit: Visit, number: int) -> tuple[Entry, str, str]:
        """Page, text and editor of a revision."""
        title, text, who = visit.row(
            "SELECT p.title, r.text, a.name FROM revision r JOIN page p ON p.id = r.page JOIN account a ON a.id = "
            "r.editor"
            " WHERE r.id = ?",
            number,
        )
        target = self.entry(visit, title)
        self._open(target)
        return target, text, who

    @action("/undo/{number:int}")
    def undo(self, visit: Visit, number: int) -> Answered:
        """Takes the last edit of a page back."""
        target, _, who = self._revision(visit, number)
        before = visit.get(
            "SELECT text FROM revision WHERE page = ? AND id < ? ORDER BY id DESC LIMIT 1", target.id, number
        )
        if number != target.revision or before is None:
            return self.redirect(page_path(target.title, "history"), flash="Only the last edit can be undone.")
        self._store(visit, target, before, f"Undo edit {number} by {who}")
        return self.redirect(page_path(target.title), flash="The edit is undone.")

    @action("/restore/{number:int}")
    def restore(self, visit: Visit, number: int) -> Answered:
        """Brings an older version back."""
        target, text, who = self._revision(visit, number)
        if text == target.text:
            return self.redirect(page_path(target.title, "history"), flash="This is what the page says now.")
        self._store(visit, target, text, f"Restore edit {number} by {who}")
        return self.redirect(page_path(target.title), flash="The version is restored.")


def paged(visit: Visit, entries: Sequence[Any], size: int) -> tuple[Sequence[Any], int, int]:
    """The entries of the page asked for, its number, and how many there are."""
    pages = max(1, -(-len(entries) // size))
    number = min(max(visit.whole("page", 1), 1), pages)
    return entries[(number - 1) * size : number * size], number, pages


def known(visit: Visit, titles: list[str]) -> set[str]:
    """Those of the titles that are pages."""
    marks = ", ".join("?" * len(titles[:900]))
    return set(visit.rows(f"SELECT title FROM page WHERE title IN ({marks})", *titles[:900]))
