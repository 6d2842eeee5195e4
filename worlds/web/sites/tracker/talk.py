"""What is said of an issue: comments, and links to other issues."""

from collections.abc import Mapping

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import Answered, Refused, Visit, action, page
from turnwise.worlds.web.sites.tracker.base import Issue, Project, TrackerBase, key_of

__all__ = ["TalkPages"]

_SHOWN = 4  # comments that an issue's page shows at first
_LINKS = {"blocks": "blocks", "blocked": "is blocked by", "duplicates": "is a duplicate of"}
_TOLD = {
    ("blocks", True): "Blocks",
    ("blocks", False): "Is blocked by",
    ("duplicates", True): "Is a duplicate of",
    ("duplicates", False): "Has the duplicate",
}


class TalkPages(TrackerBase):
    """Handlers, and two parts of an issue's page."""

    def _page(self, visit: Visit, key: str, wrong: Mapping[str, str]) -> Answered:
        raise NotImplementedError

    # ---- comments ---------------------------------------------------------------------------------------------------

    def _comments(self, visit: Visit, project: Project, issue: Issue, wrong: Mapping[str, str]) -> Markup:
        key = key_of(project.key, issue.number)
        count = visit.row("SELECT count(*) FROM comment WHERE issue = ?", issue.id)
        more = (
            m.tag(
                "div",
                m.button(
                    "Show older comments", type="button", data_tw_get=f"/issue/{key}/older", data_tw_target="older"
                ),
                id="older",
            )
            if count > _SHOWN
            else ""
        )
        if self.may_edit(visit, project):
            form = m.form(
                f"/issue/{key}/comment",
                m.area("New comment", "text", visit.text("text"), error=wrong.get("text", "")),
                submit="Comment",
            )
        elif self.role(visit, project):
            form = m.paragraph("You are a viewer of this project; viewers cannot comment.")
        else:
            form = m.paragraph("Only members of the project may comment.")
        latest = self._cards(visit, project, issue, f"DESC LIMIT {_SHOWN}")[::-1]
        return m.join(more, latest or m.paragraph("No comments yet."), form)

    def _cards(self, visit: Visit, project: Project, issue: Issue, order: str) -> list[Markup]:
        rows = visit.rows("SELECT c.id, c.author, a.name, c.at, c.text FROM comment c JOIN account a ON "
                          f"a.id = c.author WHERE c.issue = ? ORDER BY c.id {order}", issue.id)  # fmt: skip
        edits = self.may_edit(visit, project)
        return [
            m.card(
                m.paragraph(m.tag("b", name), f", {at}"),
                m.rich(text),
                m.link(f"/comment/{id}/edit", "Edit comment") if edits and author == visit.user else "",
            )
            for id, author, name, at, text in rows
        ]

    @page("/issue/{key}/older", signed_in=True)
    def older(self, visit: Visit, key: str) -> Answered:
        """The comments that an issue's page leaves out."""
        return self.fragment(self._cards(visit, *self.issue(visit, key), "")[:-_SHOWN])

    @action("/issue/{key}/comment")
    def comment(self, visit: Visit, key: str) -> Answered:
        """A comment in the visitor's name."""
        project, issue = self.issue(visit, key)
        self.needs_member(visit, project)
        text, error = _comment_of(visit)
        if error:
            return self._page(visit, key, {"text": error})
        at = visit.now.strftime("%Y-%m-%d %H:%M")
        visit.run("INSERT INTO comment (issue, author, text, at) VALUES (?, ?, ?, ?)", issue.id, visit.user, text, at)
        self.record(visit, issue.id, "commented")
        return self.redirect(f"/issue/{key}", flash="The comment has been added.")

    def _own(self, visit: Visit, id: int) -> tuple[str, int, str]:
        """The key and the id of the issue, and the text, of a comment that the visitor may change."""
        short, number, issue, author, text = visit.row(
            "SELECT p.key, i.number, i.id, c.author, c.text FROM comment c JOIN issue i ON i.id = c.issue JOIN project "
            "p ON p.id = i.project WHERE c.id = ?",
            id,
        )
        self.needs_member(visit, self.project(visit, short))
        if author != visit.user:
            raise Refused("Only who wrote a comment may change it.")
        return key_of(short, number), issue, text

    @page("/comment/{id:int}/edit", signed_in=True)
    def edit_comment(self, visit: Visit, id: int) -> Answered:
        """The form, and a button that deletes the comment."""
        key, _, text = self._own(visit, id)
        return self._comment_form(visit, id, key, text, "")

    def _comment_form(self, visit: Visit, id: int, key: str, text: str, error: str) -> Answered:
        form = m.form(f"/comment/{id}/edit", m.area("Comment", "text", text, error=error), submit="Save comment")
        drop = m.post_button(f"/comment/{id}/delete", "Delete comment")
        return self.show(visit, f"Edit your comment on {key}", form, drop, " ", m.link(f"/issue/{key}", "Back"))

    @action("/comment/{id:int}/edit")
    def save_comment(self, visit: Visit, id: int) -> Answered:
        """Another text; it stays from the time at which it was written."""
        key, issue, _ = self._own(visit, id)
        text, error = _comment_of(visit)
        if error:
            return self._comment_form(visit, id, key, visit.text("text"), error)
        visit.run("UPDATE comment SET text = ? WHERE id = ?", text, id)
        self.record(visit, issue, "edited a comment")
        return self.redirect(f"/issue/{key}", flash="The comment has been saved.")

    @action("/comment/{id:int}/delete")
    def delete_comment(self, visit: Visit, id: int) -> Answered:
        """For good."""
        key, issue, _ = self._own(visit, id)
        visit.run("DELETE FROM comment WHERE id = ?", id)
        self.record(visit, issue, "deleted a comment")
        return self.redirect(f"/issue/{key}", flash="The comment has been deleted.")

    # ---- links ------------------------------------------------------------------------------------------------------

    def _links(self, visit: Visit, project: Project, issue: Issue, wrong: Mapping[str, str]) -> Markup:
        key, edits = key_of(project.key, issue.number), self.may_edit(visit, project)
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
            m.choices("This issue", "kind", list(_LINKS.items()), visit.text("kind")),
            m.field("Key of the other issue", "other", visit.text("other"), error=wrong.get("link", "")),
            m.paragraph("An issue that is marked as a duplicate is closed with the status Duplicate."),
            submit="Add link",
        )
        return m.join(table, form if edits else "")

    @action("/issue/{key}/link")
    def add_link(self, visit: Visit, key: str) -> Answered:
        """Blocks, is blocked by, is a duplicate of."""
        project, issue = self.issue(visit, key)
        self.needs_member(visit, project)
        kind, found = visit.text("kind"), self.found(visit, visit.text("other").upper())
        error = ""
        if kind not in _LINKS:
            error = "Choose the kind of link."
        elif found is None or found[0].id != project.id:
            error = f"There is no such issue in the project {project.name}."
        elif found[1].id == issue.id:
            error = "An issue cannot be linked to itself."
        if error or found is None:
            return self._page(visit, key, {"link": error})
        other = found[1].id
        source, target = (other, issue.id) if kind == "blocked" else (issue.id, other)
        stored = "duplicates" if kind == "duplicates" else "blocks"
        if visit.get("SELECT 1 FROM link WHERE kind = ? AND source = ? AND target = ?", stored, source, target):
            return self._page(visit, key, {"link": "There is such a link already."})
        if self._reaches(visit, stored, target, source):
            return self._page(visit, key, {"link": "This would make a circle of links."})
        visit.run("INSERT INTO link VALUES (?, ?, ?)", stored, source, target)
        said = f"{_LINKS[kind]} {key_of(project.key, found[1].number)}"
        if stored == "duplicates":
            visit.run("UPDATE issue SET status = 'Duplicate' WHERE id = ?", issue.id)
            said += f", the status was {issue.status}"
        self.record(visit, issue.id, said)
        return self.redirect(f"/issue/{key}?tab=links", flash="The link has been added.")

    @action("/issue/{key}/unlink")
    def remove_link(self, visit: Visit, key: str) -> Answered:
        """A link from or to the issue goes. A duplicate keeps its status: which other it should have is not known."""
        project, issue = self.issue(visit, key)
        self.needs_member(visit, project)
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
        self.record(visit, issue.id, "removed a link")
        kept = " The status is still Duplicate." if kind == "duplicates" and status == "Duplicate" else ""
        return self.redirect(f"/issue/{key}?tab=links", flash=f"The link has been removed.{kept}")

    def _reaches(self, visit: Visit, kind: str, start: int, end: int) -> bool:
        """Whether links of that kind lead from one issue to another."""
        sql = ("WITH RECURSIVE far(id) AS (SELECT ? UNION SELECT l.target FROM link l JOIN far ON l.source = far.id "
               "WHERE l.kind = ?) SELECT 1 FROM far WHERE id = ?")  # fmt: skip
        return visit.get(sql, start, kind, end) is not None


def _comment_of(visit: Visit) -> tuple[str, str]:
    """The text of a comment, and what is wrong with it."""
    text = visit.text("text")
    return text, "" if 1 <= len(text) <= 5000 else "A comment has 1 to 5000 signs."
