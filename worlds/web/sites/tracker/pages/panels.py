"""Panels of an issue's page: its comments, and its links to other issues."""

from collections.abc import Mapping

from turnwise.worlds.web.site import Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.sites.tracker.pages.access import Issue, Project, key_of, may_edit, role

__all__ = ["LINKS", "SHOWN", "cards", "comments_of", "links_of"]

SHOWN = 4  # comments that an issue's page shows at first
LINKS = {"blocks": "blocks", "blocked": "is blocked by", "duplicates": "is a duplicate of"}
_TOLD = {
    ("blocks", True): "Blocks",
    ("blocks", False): "Is blocked by",
    ("duplicates", True): "Is a duplicate of",
    ("duplicates", False): "Has the duplicate",
}


def comments_of(visit: Visit, project: Project, issue: Issue, wrong: Mapping[str, str]) -> Markup:
    """Return the panel of an issue's latest comments; ``wrong`` says what is wrong in its form."""
    key = key_of(project.key, issue.number)
    count = visit.row("SELECT count(*) FROM comment WHERE issue = ?", issue.id)
    more = (
        m.tag(
            "div",
            m.button("Show older comments", type="button", data_tw_get=f"/issue/{key}/older", data_tw_target="older"),
            id="older",
        )
        if count > SHOWN
        else ""
    )
    if may_edit(visit, project):
        form = m.form(
            f"/issue/{key}/comment",
            m.area("New comment", "text", visit.text("text"), error=wrong.get("text", "")),
            submit="Comment",
        )
    elif role(visit, project):
        form = m.paragraph("You are a viewer of this project; viewers cannot comment.")
    else:
        form = m.paragraph("Only members of the project may comment.")
    latest = cards(visit, project, issue, f"DESC LIMIT {SHOWN}")[::-1]
    return m.join(more, latest or m.paragraph("No comments yet."), form)


def cards(visit: Visit, project: Project, issue: Issue, order: str) -> list[Markup]:
    """Return an issue's comments, in an order that may have a limit."""
    rows = visit.rows("SELECT c.id, c.author, a.name, c.at, c.text FROM comment c JOIN account a ON "
                      f"a.id = c.author WHERE c.issue = ? ORDER BY c.id {order}", issue.id)  # fmt: skip
    edits = may_edit(visit, project)
    return [
        m.card(
            m.paragraph(m.tag("b", name), f", {at}"),
            m.rich(text),
            m.link(f"/comment/{id}/edit", "Edit comment") if edits and author == visit.user else "",
        )
        for id, author, name, at, text in rows
    ]


def links_of(visit: Visit, project: Project, issue: Issue, wrong: Mapping[str, str]) -> Markup:
    """Return the panel of an issue's links; ``wrong`` says what is wrong in its form."""
    key, edits = key_of(project.key, issue.number), may_edit(visit, project)
    rows = visit.rows("SELECT l.kind, l.source, l.target, p.key, o.number, o.title, o.status FROM link l "
                      "JOIN issue o ON o.id = CASE l.source WHEN ? THEN l.target ELSE l.source END "
                      "JOIN project p ON p.id = o.project WHERE l.source = ? OR l.target = ? "
                      "ORDER BY l.kind, l.source, l.target", issue.id, issue.id, issue.id)  # fmt: skip
    body = []
    for kind, source, target, short, number, title, status in rows:
        other = key_of(short, number)
        drop = m.post_button(f"/issue/{key}/unlink", "Remove link", kind=kind, source=source, target=target)
        cells = (_TOLD[kind, source == issue.id], m.link(f"/issue/{other}", f"{other} {title}"), status)
        body.append((*cells, drop) if edits else cells)
    heads = ("This issue", "Issue", "Status", "")[: 4 if edits else 3]
    table = m.table(heads, body) if body else m.paragraph("No links.")
    form = m.form(
        f"/issue/{key}/link",
        m.choices("This issue", "kind", list(LINKS.items()), visit.text("kind")),
        m.field("Key of the other issue", "other", visit.text("other"), error=wrong.get("link", "")),
        m.paragraph("An issue that is marked as a duplicate is closed with the status Duplicate."),
        submit="Add link",
    )
    return m.join(table, form if edits else "")
