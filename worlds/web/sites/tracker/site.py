"""A tracker of software projects: issues with labels, milestones, links and comments, a board, and notifications."""

import sqlite3
from typing import ClassVar

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.cast import Cast
from turnwise.worlds.web.site.draw import Draw
from turnwise.worlds.web.site.site import Answered, NotFound, Visit, action, page, register_site
from turnwise.worlds.web.site.tasks import Plan, click, fill, uncheck
from turnwise.worlds.web.sites._admin import Listing
from turnwise.worlds.web.sites.tracker.base import Project, key_of
from turnwise.worlds.web.sites.tracker.board import BoardPages
from turnwise.worlds.web.sites.tracker.data import OPEN, SCHEMA, SETTINGS, fill_tracker
from turnwise.worlds.web.sites.tracker.hard_tasks import HardTrackerTasks
from turnwise.worlds.web.sites.tracker.issues import IssuePages

__all__ = ["Tracker"]


@register_site
class Tracker(IssuePages, BoardPages, HardTrackerTasks):
    """Members may change a project, viewers look at it. The record of activity does not count."""

    name = "tracker"
    title = "Tracker"
    schema = SCHEMA
    volatile = frozenset({"activity"})
    untrusted = (("comment", "text"), ("issue", "body"))
    style = "#3f5d3a"
    strays: ClassVar[tuple[Plan, ...]] = (
        (click("Notification preferences"), uncheck("Write to me when I am assigned"), click("Save preferences")),
        (fill("Scratch pad", "Ask about the release"), click("Keep")),
        (click("Pause all notifications"),),
    )

    def fill(self, db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
        """See ``_tracker_data``."""
        fill_tracker(db, draw, cast, size)

    @page("/", signed_in=True)
    def home(self, visit: Visit) -> Answered:
        """The projects, a scratch pad, and a switch for notifications."""
        rows = visit.rows(
            f"SELECT p.key, p.name, p.about, (SELECT count(*) FROM issue i WHERE i.project = p.id AND {OPEN}), "
            "coalesce((SELECT role FROM member WHERE project = p.id AND account = ?), 'none') FROM project p ORDER "
            "BY p.name",
            visit.user,
        )
        body = [
            (key, m.link(f"/project/{key}/issues", name), about, str(count), role)
            for key, name, about, count, role in rows
        ]
        pad = visit.get("SELECT value FROM preference WHERE account = ? AND name = 'pad'", visit.user) or ""
        paused = visit.get("SELECT value FROM preference WHERE account = ? AND name = 'paused'", visit.user) == "on"
        switch = m.post_button(
            "/pause", "Resume notifications" if paused else "Pause all notifications", on=int(not paused)
        )
        return self.show(
            visit,
            "Projects",
            m.search_form("/find", "", "Search all issues"),
            m.table(("Key", "Project", "About", "Open issues", "Your role"), body),
            m.section("For yourself", m.form("/pad", m.area("Scratch pad", "text", pad), submit="Keep"), switch),
        )

    @action("/pad")
    def keep_pad(self, visit: Visit) -> Answered:
        """The visitor's own notes."""
        self._prefer(visit, "pad", visit.text("text")[:2000])
        return self.redirect("/", flash="Kept.")

    @action("/pause")
    def pause(self, visit: Visit) -> Answered:
        """All notifications off, or on again."""
        self._prefer(visit, "paused", "on" if visit.whole("on") == 1 else "off")
        return self.redirect("/", flash="Saved.")

    @staticmethod
    def _prefer(visit: Visit, name: str, value: str) -> None:
        visit.run(
            "INSERT INTO preference VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            visit.user,
            name,
            value,
        )

    @page("/preferences", signed_in=True)
    def preferences(self, visit: Visit) -> Answered:
        """When to write to the visitor."""
        on = dict(visit.rows("SELECT name, value FROM preference WHERE account = ?", visit.user))
        boxes = [m.checkbox(f"Write to me when {name}", name, on.get(name) == "on") for name in SETTINGS]
        return self.show(visit, "Notification preferences", m.form("/preferences", boxes, submit="Save preferences"))

    @action("/preferences")
    def save_preferences(self, visit: Visit) -> Answered:
        """Check boxes."""
        for name in SETTINGS:
            self._prefer(visit, name, "on" if visit.form.get(name) else "off")
        return self.redirect("/preferences", flash="The preferences have been saved.")

    def _everywhere(self, visit: Visit, path: str) -> Listing:
        source = "issue t JOIN project p ON p.id = t.project"
        return Listing(visit, path, source, {"issue": "p.key, t.number", "due": "t.due = '', t.due"})

    def _found(self, visit: Visit, title: str, found: Listing, *above: m.Markup) -> Answered:
        rows = [
            (m.link(f"/issue/{key_of(key, number)}", f"{key_of(key, number)} {name}"), status, priority, due or "-")
            for key, number, name, status, priority, due in found.rows(
                "p.key, t.number, t.title, t.status, t.priority, t.due"
            )
        ]
        heads = (found.header("issue", "Issue"), "Status", "Priority", found.header("due", "Due"))
        table = m.table(heads, rows) if rows else m.paragraph("No issue matches.")
        return self.show(visit, title, *above, m.paragraph(found.count("issue")), table, found.pager())

    @page("/mine", signed_in=True)
    def mine(self, visit: Visit) -> Answered:
        """Open issues of the visitor's, in all projects."""
        found = self._everywhere(visit, "/mine")
        found.where("t.assignee = ?", visit.user)
        found.where(f"t.{OPEN}")
        return self._found(visit, "My open issues", found)

    @page("/find", signed_in=True)
    def find(self, visit: Visit) -> Answered:
        """Search in titles and descriptions, or straight to an issue by its key."""
        words = visit.text("q")
        if self.found(visit, words.upper()) is not None:
            return self.redirect(f"/issue/{words.upper()}")
        found = self._everywhere(visit, "/find")
        found.search("q", "t.title", "t.body")
        return self._found(visit, "Search", found, m.search_form("/find", words, "Search all issues"))

    # ---- the rest of a project --------------------------------------------------------------------------------------

    @page("/project/{key}/milestones", signed_in=True)
    def milestone_list(self, visit: Visit, key: str) -> Answered:
        """With progress."""
        return self._milestones(visit, self.project(visit, key), "")

    def _milestones(self, visit: Visit, project: Project, alert: str) -> Answered:
        edits = self.may_edit(visit, project)
        rows = []
        for id, title, due, state in visit.rows(
            "SELECT id, title, due, state FROM milestone WHERE project = ? ORDER BY due, id", project.id
        ):
            total, left = visit.row(f"SELECT count(*), coalesce(sum({OPEN}), 0) FROM issue WHERE milestone = ?", id)
            button = m.post_button(f"/milestone/{id}/close", "Close milestone") if edits and state == "open" else ""
            rows.append(
                (
                    m.link(f"/milestone/{id}", title),
                    due,
                    state,
                    f"{total - left} of {m.counted(total, 'issue')} closed",
                    button,
                )
            )
        return self.show(visit, f"{project.name}: milestones", m.note(alert, "alert") if alert else "",
                         self.parts(project), m.table(("Milestone", "Due", "State", "Progress", ""), rows))  # fmt: skip

    @page("/milestone/{id:int}", signed_in=True)
    def milestone(self, visit: Visit, id: int) -> Answered:
        """All of its issues on one page."""
        project_key, title, due, state = visit.row("SELECT p.key, t.title, t.due, t.state FROM milestone t "
                                                   "JOIN project p ON p.id = t.project WHERE t.id = ?", id)  # fmt: skip
        rows = visit.rows("SELECT number, title, status, estimate FROM issue WHERE milestone = ? ORDER BY number", id)
        body = [
            (
                m.link(f"/issue/{key_of(project_key, number)}", f"{key_of(project_key, number)} {name}"),
                status,
                str(estimate),
            )
            for number, name, status, estimate in rows
        ]
        project = self.project(visit, project_key)
        table = m.table(("Issue", "Status", "Estimate in points"), body) if body else m.paragraph("No issues.")
        return self.show(
            visit, f"{project.name}: {title}", self.parts(project), m.paragraph(f"Due {due}, {state}."), table
        )

    @action("/milestone/{id:int}/close")
    def close_milestone(self, visit: Visit, id: int) -> Answered:
        """For good, and only one without open issues."""
        key, title = visit.row(
            "SELECT p.key, t.title FROM milestone t JOIN project p ON p.id = t.project WHERE t.id = ?", id
        )
        project = self.project(visit, key)
        self.needs_member(visit, project)
        left = visit.row(f"SELECT count(*) FROM issue WHERE milestone = ? AND {OPEN}", id)
        if left:
            return self._milestones(
                visit, project, f"{title} has {m.counted(left, 'open issue')} and cannot be closed."
            )
        visit.run("UPDATE milestone SET state = 'closed' WHERE id = ?", id)
        return self.redirect(f"/project/{key}/milestones", flash=f"{title} is now closed.")

    @page("/project/{key}/members", signed_in=True)
    def member_list(self, visit: Visit, key: str) -> Answered:
        """With the number of open issues of each."""
        project = self.project(visit, key)
        rows = visit.rows(
            "SELECT a.name, a.email, m.role, (SELECT count(*) FROM issue i WHERE i.project = m.project AND "
            f"i.assignee = a.id AND {OPEN}) FROM member m JOIN account a ON a.id = m.account WHERE m.project = ? "
            "ORDER BY a.name, a.id",
            project.id,
        )
        body = [(name, email, role, str(count)) for name, email, role, count in rows]
        return self.show(
            visit,
            f"{project.name}: members",
            self.parts(project),
            m.table(("Name", "E-mail", "Role", "Open issues"), body),
        )

    @page("/project/{key}/activity", signed_in=True)
    def activity(self, visit: Visit, key: str) -> Answered:
        """What happened in the project."""
        project = self.project(visit, key)
        found = Listing(
            visit,
            f"/project/{key}/activity",
            "activity t JOIN issue i ON i.id = t.issue JOIN account a ON a.id = t.who",
            {"at": "t.at"},
            25,
        )
        found.where("i.project = ?", project.id)
        rows = [(at, name, text, m.link(f"/issue/{key_of(key, number)}", key_of(key, number)))
                for at, name, text, number in found.rows("t.at, a.name, t.text, i.number")]  # fmt: skip
        heads = (found.header("at", "When"), "Who", "What", "Issue")
        if not rows:
            raise NotFound
        return self.show(visit, f"{project.name}: activity", self.parts(project), m.table(heads, rows), found.pager())
