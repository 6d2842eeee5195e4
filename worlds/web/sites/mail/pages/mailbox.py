"""The mailbox: folders, labels, search, mails and settings."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from turnwise.worlds.web.site import Answered, NotFound, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.listing import like
from turnwise.worlds.web.sites.mail.pages.calendar import invitation
from turnwise.worlds.web.sites.mail.pages.letters import mail_of

__all__ = ["mailbox"]

mailbox = Pages()

PAGE = 12
_FOLDERS = {"inbox": "Inbox", "archive": "Archive", "sent": "Sent", "drafts": "Drafts", "trash": "Trash"}


# ---- lists ------------------------------------------------------------------------------------------------------


@mailbox.page("/", signed_in=True)
def inbox(visit: Visit) -> Answered:
    """Show the inbox."""
    return folder(visit, "inbox")


@mailbox.page("/folder/{key}", signed_in=True)
def folder(visit: Visit, key: str) -> Answered:
    """Show the mails of a folder, the latest first."""
    if key not in _FOLDERS:
        raise NotFound
    count = visit.row("SELECT count(*) FROM mail WHERE owner = ? AND folder = ? AND unread = 1", visit.user, key)
    unread = m.paragraph(f"{count} unread") if count else ""
    return visit.show(_FOLDERS[key], _search(visit), unread, _list(visit, "folder = ?", (key,), key))


@mailbox.page("/label/{number:int}", signed_in=True)
def label(visit: Visit, number: int) -> Answered:
    """Show the mails with a label."""
    name = visit.row("SELECT name FROM label WHERE id = ? AND owner = ?", number, visit.user)
    where = "folder <> 'trash' AND id IN (SELECT mail FROM mail_label WHERE label = ?)"
    return visit.show(f"Label {name}", _search(visit), _list(visit, where, (number,), ""))


@mailbox.page("/search", signed_in=True)
def search(visit: Visit) -> Answered:
    """Find mails by words, sender, subject, label and folder."""
    where, values = ["folder <> 'drafts'"], []
    for word in visit.text("q").split()[:8]:
        where.append("subject || ' ' || body || ' ' || name || ' ' || sender LIKE ? ESCAPE '!'")
        values.append(like(word))
    if visit.text("sender"):
        where.append("(name LIKE ? ESCAPE '!' OR sender LIKE ? ESCAPE '!')")
        values += [like(visit.text("sender")[:100])] * 2
    if visit.text("subject"):
        where.append("subject LIKE ? ESCAPE '!'")
        values.append(like(visit.text("subject")[:200]))
    label = visit.whole("label")
    if label:
        where.append("id IN (SELECT mail FROM mail_label WHERE label = ?)")
        values.append(str(label))
    folder = visit.text("folder")
    if folder in _FOLDERS:
        where.append("folder = ?")
        values.append(folder)
    else:
        where.append("folder <> 'trash'")
    labels = visit.rows("SELECT id, name FROM label WHERE owner = ? ORDER BY name, id", visit.user)
    fields = [
        m.field("Words", "q", visit.text("q")),
        m.field("From", "sender", visit.text("sender")),
        m.field("Subject", "subject", visit.text("subject")),
        m.choices("With label", "label", [("", "Any"), *labels], label),
        m.choices("In folder", "folder", [("", "All but trash"), *_FOLDERS.items()], folder),
    ]
    more = m.button("More filters", type="button", data_tw_toggle="filters", aria_expanded="false")
    panel = m.panel("filters", m.form("/search", fields, submit="Filter", method="get"))
    found = _list(visit, " AND ".join(where), values, "")
    return visit.show("Search results", _search(visit), more, panel, found)


def _list(visit: Visit, where: str, values: Sequence[object], key: str) -> Markup:
    where = f"owner = ? AND {where}"
    found = visit.rows(f"SELECT id FROM mail WHERE {where} ORDER BY sent DESC, id DESC", visit.user, *values)
    part = visit.part(len(found), PAGE)
    ids = found[part.rows]
    rows = visit.rows(
        "SELECT id, name, recipients, subject, sent, unread, folder, (SELECT group_concat(name, ', ') FROM "
        "(SELECT name FROM label JOIN mail_label ON label.id = label WHERE mail = mail.id ORDER BY name)) "
        f"FROM mail WHERE id IN ({', '.join('?' * len(ids))}) ORDER BY sent DESC, id DESC",
        *ids,
    )
    if not rows:
        return m.join(_undo(visit), m.paragraph("There are no mails here."))
    kept = [
        (name, value)
        for name in visit.query
        for value in visit.lists[name]
        if value and name not in ("undo", "all", "page")
    ]
    path = f"{visit.path}?{urlencode(kept)}" if kept else visit.path
    here = f"{path}{'&' if kept else '?'}page={part.page}" if part.page > 1 else path
    every = m.link(f"{here}{'&' if '?' in here else '?'}all=1", "Select all on this page")
    heads = ("", "To" if key in ("sent", "drafts") else "From", "Subject", "Labels", "Date")
    lines = [_line(row, bool(visit.text("all")), key) for row in rows]
    table = m.tag("table", m.tag("thead", m.tag("tr", [m.tag("th", head) for head in heads])), m.tag("tbody", lines))
    return m.join(
        _undo(visit),
        m.form("/mails", m.hidden("back", here), _tools(visit, key), every, table, submit=None),
        part.links(path),
    )


@mailbox.action("/mails")
def change(visit: Visit) -> Answered:
    """Change all mails that are ticked."""
    back = visit.form.get("back", "/")
    back = back if back.startswith("/") and not back.startswith("//") else "/"
    asked = sorted(
        {int(text) for text in visit.lists.get("mail", ()) if text.isascii() and text.isdigit() and len(text) < 10}
    )
    mails = [
        row
        for number in asked
        if (row := visit.get("SELECT id, folder FROM mail WHERE id = ? AND owner = ?", number, visit.user))
    ]
    if not mails:
        return visit.redirect(back, flash="Select at least one mail first.")
    do, label = visit.text("do"), visit.whole("label")
    count = f"{len(mails)} mail{'s' if len(mails) > 1 else ''}"
    if do in ("label", "unlabel"):
        name = visit.get("SELECT name FROM label WHERE id = ? AND owner = ?", label, visit.user)
        if name is None:
            return visit.redirect(back, flash="Choose a label first.")
        sql = (
            "INSERT OR IGNORE INTO mail_label VALUES (?, ?)"
            if do == "label"
            else "DELETE FROM mail_label WHERE mail = ? AND label = ?"
        )
        for number, _ in mails:
            visit.run(sql, number, label)
        return visit.redirect(back, flash=f"{count}: label {name} {'added' if do == 'label' else 'removed'}.")
    if do not in _MOVES:
        raise NotFound
    allowed, sql, text = _MOVES[do]
    moved = [number for number, folder in mails if folder in allowed]
    for number in moved:
        visit.run(sql, number)
        if do in ("erase", "discard"):
            visit.run("DELETE FROM mail_label WHERE mail = ?", number)
    if not moved:
        return visit.redirect(back, flash="That cannot be done with mails of this folder.")
    if do == "delete":
        back += f"{'&' if '?' in back else '?'}undo={'-'.join(map(str, moved))}"
    return visit.redirect(back, flash=f"{len(moved)} mail{'s' if len(moved) > 1 else ''} {text}.")


# ---- one mail ----------------------------------------------------------------------------------------------------


@mailbox.page("/mail/{number:int}", signed_in=True)
def mail(visit: Visit, number: int) -> Answered:
    """Show a mail, and the earlier ones of its thread behind a button."""
    row = mail_of(visit, number)
    visit.run("UPDATE mail SET unread = 0 WHERE id = ? AND unread = 1", number)
    if row["folder"] == "drafts":
        return visit.redirect(f"/compose?draft={number}")
    labels = visit.rows(
        "SELECT id, name FROM label JOIN mail_label ON label.id = label WHERE mail = ? ORDER BY name, id", number
    )
    facts = [
        ("From", f"{row['name']} ({row['sender']})"),
        ("To", row["recipients"]),
        ("Date", row["sent"]),
        ("Folder", _FOLDERS[row["folder"]]),
        ("Labels", ", ".join(name for _, name in labels) or "none"),
    ]
    parts: list[Any] = [m.definitions(facts), m.card(m.rich(row["body"]))]
    if row["forward_of"]:
        parts.append(m.paragraph(m.link(f"/mail/{row['forward_of']}", "The forwarded mail")))
    event = visit.get("SELECT id FROM event WHERE mail = ? AND owner = ?", number, visit.user)
    if event is not None:
        parts.append(invitation(visit, event))
    links = [m.link(f"/compose?reply={number}", "Reply"), " ", m.link(f"/compose?forward={number}", "Forward")]
    home = "/" if row["folder"] == "inbox" else f"/folder/{row['folder']}"
    tools = m.form(
        "/mails", m.hidden("mail", number), m.hidden("back", home), _tools(visit, row["folder"], "read"), submit=None
    )
    parts += [m.paragraph(links), tools, _earlier(visit, number, row["thread"] or number)]
    return visit.show(row["subject"], *parts)


# ---- labels, settings --------------------------------------------------------------------------------------------


@mailbox.page("/labels", signed_in=True)
def labels(visit: Visit) -> Answered:
    """List all labels, with a form for a new one."""
    return _labels(visit, "")


def _labels(visit: Visit, error: str) -> Answered:
    rows = visit.rows(
        "SELECT id, name, (SELECT count(*) FROM mail_label WHERE label = label.id) FROM label WHERE owner = ? "
        "ORDER BY name, id",
        visit.user,
    )
    table = m.table(("Label", "Mails"), [(m.link(f"/label/{id}", name), str(count)) for id, name, count in rows])
    form = m.form("/labels", m.field("New label", "name", visit.text("name"), error=error), submit="Create label")
    return visit.show("Labels", table, form)


@mailbox.action("/labels")
def label_add(visit: Visit) -> Answered:
    """Create a label."""
    name = visit.text("name")[:40]
    if not name:
        return _labels(visit, "A label needs a name.")
    if visit.get("SELECT 1 FROM label WHERE owner = ? AND lower(name) = lower(?)", visit.user, name):
        return _labels(visit, "There is a label of that name.")
    visit.add("label", owner=visit.user, name=name)
    return visit.redirect("/labels", flash=f"The label {name} is created.")


@mailbox.page("/settings", signed_in=True)
def settings(visit: Visit) -> Answered:
    """Show the signature and the absence notice as a form."""
    known = dict(visit.rows("SELECT name, value FROM setting WHERE owner = ?", visit.user))
    fields = (
        m.area("Notice of absence", "away", known.get("away", "")),
        m.area("Signature", "signature", known.get("signature", "")),
    )
    return visit.show("Settings", m.form("/settings", fields, submit="Save settings"))


@mailbox.action("/settings")
def settings_save(visit: Visit) -> Answered:
    """Save the signature and the absence notice."""
    for name in ("away", "signature"):
        visit.run("INSERT OR REPLACE INTO setting VALUES (?, ?, ?)", visit.user, name, visit.text(name)[:2000])
    return visit.redirect("/settings", flash="The settings are saved.")


_MOVES = {
    "archive": (("inbox",), "UPDATE mail SET folder = 'archive' WHERE id = ?", "archived"),
    "inbox": (("archive",), "UPDATE mail SET folder = 'inbox' WHERE id = ?", "moved to the inbox"),
    "delete": (
        ("inbox", "archive", "sent"),
        "UPDATE mail SET was = folder, folder = 'trash' WHERE id = ?",
        "moved to the trash",
    ),
    "restore": (("trash",), "UPDATE mail SET folder = was, was = '' WHERE id = ?", "put back"),
    "erase": (("trash",), "DELETE FROM mail WHERE id = ?", "deleted for good"),
    "discard": (("drafts",), "DELETE FROM mail WHERE id = ?", "discarded"),
    "read": (tuple(_FOLDERS), "UPDATE mail SET unread = 0 WHERE id = ?", "marked as read"),
}
"""Folders from which a move is possible, what it does, what the flash says."""
_TOOLS = {
    "inbox": (("archive", "Archive"), ("delete", "Delete"), ("read", "Mark as read")),
    "archive": (("inbox", "Move to inbox"), ("delete", "Delete")),
    "sent": (("delete", "Delete"),),
    "drafts": (("discard", "Discard"),),
    "trash": (("restore", "Restore"), ("erase", "Delete for good")),
    "": (("archive", "Archive"), ("inbox", "Move to inbox"), ("delete", "Delete")),
}


def _line(row: tuple[Any, ...], ticked: bool, key: str) -> Markup:
    """Return a mail's line in a folder's list, or in a mixed one (""); built as one string for speed."""
    number, name, to, subject, sent, unread, folder, labels = row
    who = name if folder not in ("sent", "drafts") else to if key else f"To: {to}"
    box = f'<input type="checkbox" name="mail" value="{number}" aria-label="Select"{" checked" if ticked else ""}>'
    link = f'<a href="/mail/{number}">{m.escape(subject)}</a>{" (unread)" if unread else ""}'
    date = sent if key else f"{sent}, {_FOLDERS[folder]}"
    cells = (box, m.escape(who), link, m.escape(labels or ""), date)
    return Markup(f"<tr>{''.join([f'<td>{cell}</td>' for cell in cells])}</tr>")


def _search(visit: Visit) -> Markup:
    return m.search_form("/search", visit.text("q"), "Search mail")


def _tools(visit: Visit, key: str, without: str = "") -> Markup:
    """Return what can be done with mails of a folder, except for ``without``."""
    buttons = [[m.button(text, name="do", value=do), " "] for do, text in _TOOLS[key] if do != without]
    if key in ("drafts", "trash"):
        return m.tag("div", buttons)
    labels = visit.rows("SELECT id, name FROM label WHERE owner = ? ORDER BY name, id", visit.user)
    labelling = m.panel(
        "labelling",
        m.choices("Label", "label", [("", "-"), *labels]),
        m.button("Add label", name="do", value="label"),
        " ",
        m.button("Remove label", name="do", value="unlabel"),
    )
    show = m.button("Set labels", type="button", data_tw_toggle="labelling", aria_expanded="false")
    return m.tag("div", buttons, show, labelling)


def _undo(visit: Visit) -> Markup:
    """Return the offer to undo a deletion that has just been made."""
    asked = visit.text("undo").split("-")[:PAGE]
    mails = [int(text) for text in asked if text.isascii() and text.isdigit() and len(text) < 10]
    if not mails:
        return m.join()
    fields = [m.hidden("mail", number) for number in mails]
    return m.form(
        "/mails",
        fields,
        m.hidden("back", visit.path),
        m.button("Undo the deletion", name="do", value="restore"),
        submit=None,
    )


def _earlier(visit: Visit, number: int, root: int) -> Markup:
    rows = visit.rows(
        "SELECT id, name, sent, body FROM mail WHERE owner = ? AND (id = ? OR thread = ?) AND id <> ? AND folder NOT "
        "IN ('drafts', 'trash') ORDER BY sent, id",
        visit.user,
        root,
        root,
        number,
    )
    if not rows:
        return m.join()
    cards = [
        m.card(m.heading(f"{name}, {sent}", 3), m.rich(body), m.link(f"/mail/{id}", "Open"))
        for id, name, sent, body in rows
    ]
    show = m.button(f"Show the {len(rows)} other mails of this thread", type="button", data_tw_toggle="thread")
    return m.join(show, m.panel("thread", *cards))
