"""Forms of an issue's page: comments, and links to other issues."""

from turnwise.worlds.web.site import Answered, Pages, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.tracker.pages.access import (
    find_issue,
    issue_named,
    key_of,
    needs_member,
    project_named,
    record,
)
from turnwise.worlds.web.sites.tracker.pages.issues import show_issue
from turnwise.worlds.web.sites.tracker.pages.panels import LINKS, SHOWN, cards

__all__ = ["talk"]

talk = Pages()

# ---- comments ---------------------------------------------------------------------------------------------------


@talk.page("/issue/{key}/older", signed_in=True)
def older(visit: Visit, key: str) -> Answered:
    """Return the comments that an issue's page leaves out."""
    return visit.fragment(cards(visit, *issue_named(visit, key), "")[:-SHOWN])


@talk.action("/issue/{key}/comment")
def comment(visit: Visit, key: str) -> Answered:
    """Add a comment in the visitor's name."""
    project, issue = issue_named(visit, key)
    needs_member(visit, project)
    text, error = _comment_of(visit)
    if error:
        return show_issue(visit, key, {"text": error})
    at = visit.now.strftime("%Y-%m-%d %H:%M")
    visit.add("comment", issue=issue.id, author=visit.user, text=text, at=at)
    record(visit, issue.id, "commented")
    return visit.redirect(f"/issue/{key}", flash="The comment has been added.")


def _own(visit: Visit, id: int) -> tuple[str, int, str]:
    """Return issue key, issue id and text of a comment that the visitor may change."""
    short, number, issue, author, text = visit.row(
        "SELECT p.key, i.number, i.id, c.author, c.text FROM comment c JOIN issue i ON i.id = c.issue JOIN project "
        "p ON p.id = i.project WHERE c.id = ?",
        id,
    )
    needs_member(visit, project_named(visit, short))
    if author != visit.user:
        raise Refused("Only who wrote a comment may change it.")
    return key_of(short, number), issue, text


@talk.page("/comment/{id:int}/edit", signed_in=True)
def edit_comment(visit: Visit, id: int) -> Answered:
    """Show the form, and a button that deletes the comment."""
    key, _, text = _own(visit, id)
    return _comment_form(visit, id, key, text, "")


def _comment_form(visit: Visit, id: int, key: str, text: str, error: str) -> Answered:
    form = m.form(f"/comment/{id}/edit", m.area("Comment", "text", text, error=error), submit="Save comment")
    drop = m.post_button(f"/comment/{id}/delete", "Delete comment")
    return visit.show(f"Edit your comment on {key}", form, drop, " ", m.link(f"/issue/{key}", "Back"))


@talk.action("/comment/{id:int}/edit")
def save_comment(visit: Visit, id: int) -> Answered:
    """Change a comment, which keeps its time."""
    key, issue, _ = _own(visit, id)
    text, error = _comment_of(visit)
    if error:
        return _comment_form(visit, id, key, visit.text("text"), error)
    visit.change("comment", id, text=text)
    record(visit, issue, "edited a comment")
    return visit.redirect(f"/issue/{key}", flash="The comment has been saved.")


@talk.action("/comment/{id:int}/delete")
def delete_comment(visit: Visit, id: int) -> Answered:
    """Delete a comment for good."""
    key, issue, _ = _own(visit, id)
    visit.run("DELETE FROM comment WHERE id = ?", id)
    record(visit, issue, "deleted a comment")
    return visit.redirect(f"/issue/{key}", flash="The comment has been deleted.")


# ---- links ------------------------------------------------------------------------------------------------------


@talk.action("/issue/{key}/link")
def add_link(visit: Visit, key: str) -> Answered:
    """Add a link: blocks, is blocked by, is a duplicate of."""
    project, issue = issue_named(visit, key)
    needs_member(visit, project)
    kind, found = visit.text("kind"), find_issue(visit, visit.text("other").upper())
    error = ""
    if kind not in LINKS:
        error = "Choose the kind of link."
    elif found is None or found[0].id != project.id:
        error = f"There is no such issue in the project {project.name}."
    elif found[1].id == issue.id:
        error = "An issue cannot be linked to itself."
    if error or found is None:
        return show_issue(visit, key, {"link": error})
    other = found[1].id
    source, target = (other, issue.id) if kind == "blocked" else (issue.id, other)
    stored = "duplicates" if kind == "duplicates" else "blocks"
    if visit.get("SELECT 1 FROM link WHERE kind = ? AND source = ? AND target = ?", stored, source, target):
        return show_issue(visit, key, {"link": "There is such a link already."})
    if _reaches(visit, stored, target, source):
        return show_issue(visit, key, {"link": "This would make a circle of links."})
    visit.run("INSERT INTO link VALUES (?, ?, ?)", stored, source, target)
    said = f"{LINKS[kind]} {key_of(project.key, found[1].number)}"
    if stored == "duplicates":
        visit.run("UPDATE issue SET status = 'Duplicate' WHERE id = ?", issue.id)
        said += f", the status was {issue.status}"
    record(visit, issue.id, said)
    return visit.redirect(f"/issue/{key}?tab=links", flash="The link has been added.")


@talk.action("/issue/{key}/unlink")
def remove_link(visit: Visit, key: str) -> Answered:
    """Remove a link. A duplicate keeps its status, since its earlier one is not known."""
    project, issue = issue_named(visit, key)
    needs_member(visit, project)
    kind, source, target = visit.text("kind"), visit.whole("source"), visit.whole("target")
    status = visit.row(
        "SELECT i.status FROM link l JOIN issue i ON i.id = l.source WHERE l.kind = ? AND l.source = ? AND "
        "l.target = ? AND ? IN (l.source, l.target)",
        kind,
        source,
        target,
        issue.id,
    )
    visit.run("DELETE FROM link WHERE kind = ? AND source = ? AND target = ?", kind, source, target)
    record(visit, issue.id, "removed a link")
    kept = " The status is still Duplicate." if kind == "duplicates" and status == "Duplicate" else ""
    return visit.redirect(f"/issue/{key}?tab=links", flash=f"The link has been removed.{kept}")


def _reaches(visit: Visit, kind: str, start: int, end: int) -> bool:
    """Whether links of that kind lead from one issue to another."""
    sql = ("WITH RECURSIVE far(id) AS (SELECT ? UNION SELECT l.target FROM link l JOIN far ON l.source = far.id "
           "WHERE l.kind = ?) SELECT 1 FROM far WHERE id = ?")  # fmt: skip
    return visit.get(sql, start, kind, end) is not None


def _comment_of(visit: Visit) -> tuple[str, str]:
    """Return the text of a comment, and what is wrong with it."""
    text = visit.text("text")
    return text, "" if 1 <= len(text) <= 5000 else "A comment has 1 to 5000 signs."
