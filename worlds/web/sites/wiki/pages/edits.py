"""Edits of the wiki: lists, histories, differences, forms, undoing and restoring."""

from typing import NamedTuple

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.wiki.text import changed, composed, infobox, links, page_path, render, without_box

__all__ = ["Entry", "edits", "known"]

edits = Pages()

_EDITS, _LONGEST = 12, 20_000


class Entry(NamedTuple):
    """A page as it is now."""

    id: int
    title: str
    kind: str
    revision: int
    protected: int
    text: str


def entry(visit: Visit, title: str) -> Entry:
    """Return a page by its title."""
    return Entry(
        *visit.row(
            "SELECT p.id, p.title, p.kind, p.revision, p.protected, r.text FROM page p"
            " JOIN revision r ON r.id = p.revision WHERE p.title = ?",
            title,
        )
    )


def edit_table(visit: Visit, where: str, values: tuple[object, ...], number: int, size: int) -> Markup:
    """Return a table of edits, the latest first."""
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


def edit_list(visit: Visit, path: str, where: str, *values: object) -> Markup:
    """Show a page of edits; ``where`` is an SQL condition with its values."""
    count = visit.row(f"SELECT count(*) FROM revision r {where}", *values)
    part = visit.part(count, _EDITS)
    edits = edit_table(visit, where, values, part.page, _EDITS)
    return m.join(m.paragraph(f"{count} edit{'' if count == 1 else 's'}"), edits, part.links(path))


@edits.page("/changes")
def changes(visit: Visit) -> Answered:
    """Show the latest edits of all pages."""
    return visit.show("Recent changes", edit_list(visit, "/changes", ""))


@edits.page("/user/{number:int}")
def user(visit: Visit, number: int) -> Answered:
    """Show what a user edited since a day."""
    who, since = visit.row("SELECT name FROM account WHERE id = ?", number), visit.date("since")
    form = m.form(f"/user/{number}", m.date_field("Since", "since", visit.text("since")), submit="Show", method="get")
    day = since.isoformat() if since else ""
    edits = edit_list(visit, f"/user/{number}?since={day}", "WHERE r.editor = ? AND r.made >= ?", number, day)
    return visit.show(f"Edits by {who}", form, edits)


@edits.page("/history/{title}")
def history(visit: Visit, title: str) -> Answered:
    """Show the edits of a page."""
    shown = entry(visit, title)
    rows = visit.rows(
        "SELECT r.id, r.made, r.editor, a.name, r.summary, r.minor FROM revision r JOIN account a ON a.id = "
        "r.editor"
        " WHERE r.page = ? ORDER BY r.id DESC",
        shown.id,
    )
    part = visit.part(len(rows), _EDITS)
    lines = []
    for edit, made, editor, who, summary, minor in rows[part.rows]:
        end: Markup | str = ""
        if edit != shown.revision:
            end = m.post_button(f"/restore/{edit}", "Restore this version")
        elif len(rows) > 1:
            end = m.post_button(f"/undo/{edit}", "Undo")
        lines.append(
            (made, m.link(f"/user/{editor}", who), summary + " (minor)" * minor, m.link(f"/diff/{edit}", "diff"), end)
        )
    table = m.table(("Time", "Editor", "Summary", "", ""), lines)
    back = m.paragraph(m.link(page_path(title), "Back to the page"))
    return visit.show(f"History of {title}", back, table, part.links(page_path(title, "history")))


@edits.page("/diff/{number:int}")
def diff(visit: Visit, number: int) -> Answered:
    """Show what an edit removed and added."""
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
    return visit.show(
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


def _store(visit: Visit, target: Entry, text: str, summary: str, minor: bool = False) -> None:
    """Write a new revision, and what it links to."""
    edit = visit.add(
        "revision",
        page=target.id,
        editor=visit.user,
        made=visit.now.isoformat(" ", "minutes"),
        summary=summary,
        minor=int(minor),
        text=text,
    )
    visit.change("page", target.id, revision=edit)
    visit.run("DELETE FROM link WHERE source = ?", target.id)
    visit.db.executemany("INSERT INTO link VALUES (?, ?)", [(target.id, title) for title in links(text)])


def _open(target: Entry) -> None:
    if target.protected:
        raise Refused(f"The page {target.title} is protected: only administrators may edit it.")


@edits.page("/edit/{title}", signed_in=True)
def edit_page(visit: Visit, title: str) -> Answered:
    """Show the form: infobox, text, summary; and a short one that adds a line."""
    target = entry(visit, title)
    _open(target)
    return _edit_form(visit, target, target.text, "")


def _edit_form(visit: Visit, target: Entry, text: str, error: str, preview: bool = False) -> Answered:
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
    return visit.show(
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


@edits.action("/edit/{title}")
def edit(visit: Visit, title: str) -> Answered:
    """Save the text, or preview it."""
    target = entry(visit, title)
    _open(target)
    box = []
    for place, (label, value) in enumerate(infobox(target.text)):
        given = visit.form.get(f"box{place}", value)
        box.append((label, " ".join(given.replace("|", " ").replace("\x00", "").split())[:200]))
    text = composed(box, visit.text("text"))
    if visit.text("do") == "preview":
        return _edit_form(visit, target, text, "", preview=True)
    error = ""
    if visit.whole("seen") != target.revision:
        error = "Somebody has edited this page since you began."
    elif not visit.text("text") or len(text) > _LONGEST:
        error = f"A page has a text, of at most {_LONGEST} letters."
    elif text == target.text:
        error = "You have changed nothing."
    if error:
        return _edit_form(visit, target, text, error)
    _store(visit, target, text, visit.text("summary")[:200], visit.text("minor") == "on")
    return visit.redirect(page_path(title), flash="Your edit is saved.")


@edits.action("/append/{title}")
def append(visit: Visit, title: str) -> Answered:
    """Append a line to a page."""
    target, line = entry(visit, title), " ".join(visit.text("line").split())
    _open(target)
    if not line or len(target.text) + len(line) > _LONGEST:
        return _edit_form(visit, target, target.text, "What shall the line say?")
    _store(visit, target, f"{target.text}\n{line}", visit.text("summary")[:200])
    return visit.redirect(page_path(title), flash="Your line is added.")


def _revision(visit: Visit, number: int) -> tuple[Entry, str, str]:
    """Return page, text and editor of a revision."""
    title, text, who = visit.row(
        "SELECT p.title, r.text, a.name FROM revision r JOIN page p ON p.id = r.page JOIN account a ON a.id = "
        "r.editor"
        " WHERE r.id = ?",
        number,
    )
    target = entry(visit, title)
    _open(target)
    return target, text, who


@edits.action("/undo/{number:int}")
def undo(visit: Visit, number: int) -> Answered:
    """Undo the last edit of a page."""
    target, _, who = _revision(visit, number)
    before = visit.get(
        "SELECT text FROM revision WHERE page = ? AND id < ? ORDER BY id DESC LIMIT 1", target.id, number
    )
    if number != target.revision or before is None:
        return visit.redirect(page_path(target.title, "history"), flash="Only the last edit can be undone.")
    _store(visit, target, before, f"Undo edit {number} by {who}")
    return visit.redirect(page_path(target.title), flash="The edit is undone.")


@edits.action("/restore/{number:int}")
def restore(visit: Visit, number: int) -> Answered:
    """Restore an older version of a page."""
    target, text, who = _revision(visit, number)
    if text == target.text:
        return visit.redirect(page_path(target.title, "history"), flash="This is what the page says now.")
    _store(visit, target, text, f"Restore edit {number} by {who}")
    return visit.redirect(page_path(target.title), flash="The version is restored.")


def known(visit: Visit, titles: list[str]) -> set[str]:
    """Return those of the titles that are pages."""
    marks = ", ".join("?" * len(titles[:900]))
    return set(visit.rows(f"SELECT title FROM page WHERE title IN ({marks})", *titles[:900]))
