"""Issues: the list with bulk edit, one issue, and its form."""

from collections.abc import Mapping
from typing import Any

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.site import Answered, Visit, action, page
from turnwise.worlds.web.sites._admin import Listing, bulk_form, chosen, day_of, tabs, whole_of
from turnwise.worlds.web.sites.tracker.base import Issue, Project, key_of
from turnwise.worlds.web.sites.tracker.data import PRIORITIES, STATUSES
from turnwise.worlds.web.sites.tracker.talk import TalkPages

__all__ = ["IssuePages"]

_RANK = "CASE t.priority WHEN 'Low' THEN 1 WHEN 'Normal' THEN 2 WHEN 'High' THEN 3 ELSE 4 END"


class IssuePages(TalkPages):
    """Handlers."""

    # ---- the list ---------------------------------------------------------------------------------------------------

    def _list(self, visit: Visit, project: Project) -> Listing:
        source = "issue t LEFT JOIN account a ON a.id = t.assignee LEFT JOIN milestone s ON s.id = t.milestone"
        sorts = {"number": "t.number", "title": "t.title", "priority": _RANK, "due": "t.due = '', t.due"}
        found = Listing(visit, f"/project/{project.key}/issues", source, sorts)
        found.where("t.project = ?", project.id)
        found.search("q", "t.title", "t.body")
        status = found.param("status")
        if status == "open":
            found.where("t.status NOT IN ('Done', 'Duplicate')")
        elif status:
            found.where("t.status = ?", status)
        found.equal("priority", "t.priority")
        found.limit("label", "EXISTS (SELECT 1 FROM issue_label l WHERE l.issue = t.id AND l.label = ?)", "whole")
        found.limit("assignee", "t.assignee = ?", "whole")
        found.limit("milestone", "t.milestone = ?", "whole")
        found.limit("before", "t.due <> '' AND t.due < ?", "date")
        return found

    @page("/project/{key}/issues", signed_in=True)
    def issues(self, visit: Visit, key: str) -> Answered:
        """Filters, the table, and bulk edit for members."""
        return self._issues(visit, key)

    def _issues(self, visit: Visit, key: str, error: str = "", alert: str = "") -> Answered:
        project = self.project(visit, key)
        edits = self.may_edit(visit, project)
        found = self._list(visit, project)
        members, nobody = self.members(visit, project), (0, "Nobody")
        milestones = self.milestones(visit, project, and_closed=True)
        filters = m.form(
            found.path,
            m.field("Search issues", "q", visit.text("q"), type="search"),
            m.choices(
                "Status",
                "status",
                [("", "Any"), ("open", "Open (all but Done and Duplicate)"), *STATUSES],
                visit.text("status"),
            ),
            m.choices("Label", "label", [("", "Any"), *self.labels(visit, project)], visit.text("label")),
            m.choices("Assignee", "assignee", [("", "Any"), nobody, *members], visit.text("assignee")),
            m.choices("Milestone", "milestone", [("", "Any"), (0, "None"), *milestones], visit.text("milestone")),
            m.choices("Priority", "priority", [("", "Any"), *PRIORITIES], visit.text("priority")),
            m.date_field("Due before", "before", visit.text("before"), error=found.errors.get("before", "")),
            submit="Filter",
            method="get",
        )
        rows = [
            (
                id,
                key_of(key, number),
                (
                    m.link(f"/issue/{key_of(key, number)}", f"{key_of(key, number)} {title}"),
                    status,
                    priority,
                    assignee or "-",
                    milestone or "-",
                    due or "-",
                ),
            )
            for id, number, title, status, priority, assignee, milestone, due in found.rows(
                "t.id, t.number, t.title, t.status, t.priority, a.name, s.title, t.due"
            )
        ]
        heads = (
            found.header("number", "Issue"),
            "Status",
            found.header("priority", "Priority"),
            "Assignee",
            "Milestone",
            found.header("due", "Due"),
        )
        same = ("", "Unchanged")
        edit = [
            m.choices("New assignee", "new_assignee", [same, nobody, *members], visit.form.get("new_assignee")),
            m.choices(
                "New milestone",
                "new_milestone",
                [same, (0, "None"), *self.milestones(visit, project)],
                visit.form.get("new_milestone"),
            ),
            m.choices("New priority", "new_priority", [same, *PRIORITIES], visit.form.get("new_priority")),
            m.choices("New status", "new_status", [same, *STATUSES[:5]], visit.form.get("new_status")),
            m.date_field("New due date", "new_due", visit.form.get("new_due", ""), error=error),
        ]
        change = (  # folded: its lists are long, and most visits only look
            m.button(
                "Edit ticked issues",
                type="button",
                data_tw_toggle="change",
                aria_expanded=str(bool(error or alert)).lower(),
            ),
            m.panel("change", edit, hidden=not (error or alert)),
        )
        if edits or not rows:
            table = bulk_form(found, f"{found.path}/bulk", heads, rows, change, "No issue matches.")
        else:
            table = m.join(m.table(heads, [cells for *_, cells in rows]), found.pager())
        count, new = found.count("issue"), m.link(f"/project/{key}/new", "New issue") if edits else ""
        return self.show(
            visit,
            f"{project.name}: issues",
            m.note(alert, "alert") if alert else "",
            self.parts(project),
            filters,
            m.paragraph(f"{count}. " if count else "", new),
            table,
        )

    @action("/project/{key}/issues/bulk")
    def bulk_issues(self, visit: Visit, key: str) -> Answered:
        """Assignee, milestone, priority, status and due date of the ticked ones."""
        project = self.project(visit, key)
        self.needs_member(visit, project)
        found = self._list(visit, project)
        ids, due = chosen(visit, found), visit.text("new_due")
        if due and day_of(due) is None:
            return self._issues(visit, key, "Write the date as YYYY-MM-DD.")
        values: dict[str, object] = {"due": due} if due else {}
        allowed = (
            ("assignee", {"0", *(str(id) for id, _ in self.members(visit, project))}),
            ("priority", set(PRIORITIES)),
            ("milestone", {"0", *(str(id) for id, _ in self.milestones(visit, project))}),
            ("status", set(STATUSES[:5])),
        )
        for name, known in allowed:
            value = visit.text(f"new_{name}")
            if value and value not in known:
                return self._issues(visit, key, alert=f"Nothing was changed: choose a {name} from the list.")
            if value:
                values[name] = int(value) if name in ("assignee", "milestone") else value
        if not ids or not values:
            return self._issues(visit, key, alert="Tick at least one issue and choose what to change.")
        sets = ", ".join(f"{name} = ?" for name in values)
        for id in ids:
            visit.run(f"UPDATE issue SET {sets} WHERE id = ?", *values.values(), id)
            self.record(visit, id, f"changed {', '.join(values)}")
        return self.redirect(found.href(), flash=f"Changed {m.counted(len(ids), 'issue')}.")

    # ---- one issue --------------------------------------------------------------------------------------------------

    @page("/issue/{key}", signed_in=True)
    def issue_page(self, visit: Visit, key: str) -> Answered:
        """Everything about it."""
        return self._page(visit, key, {})

    def _page(self, visit: Visit, key: str, wrong: Mapping[str, str]) -> Answered:
        project, issue = self.issue(visit, key)
        name = dict(visit.rows("SELECT id, name FROM account WHERE id IN (?, ?)", issue.assignee, issue.reporter))
        milestone = visit.get("SELECT title FROM milestone WHERE id = ?", issue.milestone)
        labels = visit.rows(
            "SELECT l.name FROM issue_label i JOIN label l ON l.id = i.label WHERE i.issue = ? ORDER BY l.name",
            issue.id,
        )
        data = m.definitions(
            [
                ("Project", m.link(f"/project/{project.key}/issues", project.name)),
                ("Status", issue.status),
                ("Priority", issue.priority),
                ("Assignee", name.get(issue.assignee, "Nobody")),
                ("Reporter", name[issue.reporter]),
                ("Labels", ", ".join(labels) or "-"),
                ("Milestone", milestone or "-"),
                ("Due", issue.due or "-"),
                ("Estimate", m.counted(issue.estimate, "point")),
                ("Opened", issue.created),
            ]
        )
        edits = self.may_edit(visit, project)
        watching = visit.get("SELECT 1 FROM watch WHERE account = ? AND issue = ?", visit.user, issue.id)
        tools = [
            m.join(m.link(f"/issue/{key}/edit", "Edit"), " ") if edits else "",
            m.link(f"/issue/{key}/reminder", "Remind me"),
            m.post_button(f"/issue/{key}/watch", "Stop watching" if watching else "Watch", on=int(not watching)),
        ]
        events = visit.rows("SELECT e.at, a.name, e.text FROM activity e JOIN account a ON a.id = e.who "
                            "WHERE e.issue = ? ORDER BY e.id DESC LIMIT 30", issue.id)  # fmt: skip
        panels = [("comments", "Comments", self._comments(visit, project, issue, wrong)),
                  ("links", "Links", self._links(visit, project, issue, wrong)),
                  ("events", "Activity", m.table(("When", "Who", "What"), events))]  # fmt: skip
        if "link" in wrong or visit.query.get("tab") == "links":
            panels.insert(0, panels.pop(1))
        quick = m.section("Quick edit", m.form(
            f"/issue/{key}/quick",
            m.choices("Status", "status", STATUSES[:5] if issue.status != "Duplicate" else STATUSES, issue.status),
            m.choices("Priority", "priority", PRIORITIES, issue.priority),
            m.choices("Assignee", "assignee", [(0, "Nobody"), *self.members(visit, project)], issue.assignee),
        )) if edits else ""  # fmt: skip
        body = m.section("Description", m.rich(issue.body))
        alert = m.note(wrong["quick"], "alert") if "quick" in wrong else ""
        return self.show(
            visit, f"{key} {issue.title}", alert, self.parts(project), tools, data, body, quick, tabs("issue", panels)
        )

    @action("/issue/{key}/watch")
    def watch(self, visit: Visit, key: str) -> Answered:
        """Watch or not."""
        _, issue = self.issue(visit, key)
        visit.run("DELETE FROM watch WHERE account = ? AND issue = ?", visit.user, issue.id)
        if visit.whole("on") == 1:
            visit.run("INSERT INTO watch VALUES (?, ?)", visit.user, issue.id)
        return self.redirect(f"/issue/{key}", flash="Saved.")

    @action("/issue/{key}/quick")
    def quick_edit(self, visit: Visit, key: str) -> Answered:
        """Status, priority, assignee."""
        project, issue = self.issue(visit, key)
        self.needs_member(visit, project)
        status, priority, who = visit.text("status"), visit.text("priority"), visit.whole("assignee", -1)
        known = {0, *dict(self.members(visit, project))}
        if status not in {*STATUSES[:5], issue.status} or priority not in PRIORITIES or who not in known:
            return self._page(visit, key, {"quick": "Nothing was saved: choose from the lists."})
        if priority != issue.priority:
            self.record(visit, issue.id, f"changed the priority from {issue.priority} to {priority}")
        if (status, who) != (issue.status, issue.assignee):
            self.record(visit, issue.id, "changed the status or the assignee")
        visit.run(
            "UPDATE issue SET status = ?, priority = ?, assignee = ? WHERE id = ?", status, priority, who, issue.id
        )
        return self.redirect(f"/issue/{key}", flash="The issue has been saved.")

    # ---- the form ---------------------------------------------------------------------------------------------------

    @page("/project/{key}/new", signed_in=True)
    def new_issue(self, visit: Visit, key: str) -> Answered:
        """The form."""
        project = self.project(visit, key)
        self.needs_member(visit, project)
        return self._form(visit, project, None, {"priority": "Normal", "assignee": 0, "milestone": 0}, set(), {})

    @page("/issue/{key}/edit", signed_in=True)
    def edit_issue(self, visit: Visit, key: str) -> Answered:
        """The form."""
        project, issue = self.issue(visit, key)
        self.needs_member(visit, project)
        labels = set(visit.rows("SELECT label FROM issue_label WHERE issue = ?", issue.id))
        return self._form(visit, project, issue, issue._asdict(), labels, {})

    def _form(
        self,
        visit: Visit,
        project: Project,
        issue: Issue | None,
        value: Mapping[str, Any],
        labels: set[int],
        wrong: Mapping[str, str],
    ) -> Answered:
        milestones = [(0, "None"), *self.milestones(visit, project)]
        if issue is not None and issue.milestone not in dict(milestones):  # a closed one stays if it is not changed
            milestones.append((issue.milestone, visit.row("SELECT title FROM milestone WHERE id = ?", issue.milestone)))
        boxes = [m.checkbox(name, "label", id in labels, str(id)) for id, name in self.labels(visit, project)]
        return self.show(
            visit,
            f"Edit {key_of(project.key, issue.number)}" if issue else f"New issue in {project.name}",
            m.form(
                f"/issue/{key_of(project.key, issue.number)}/edit" if issue else f"/project/{project.key}/new",
                m.field("Title", "title", value.get("title", ""), error=wrong.get("title", "")),
                m.area("Description", "body", value.get("body", "")),
                m.choices("Priority", "priority", PRIORITIES, value.get("priority"), error=wrong.get("priority", "")),
                m.choices(
                    "Assignee",
                    "assignee",
                    [(0, "Nobody"), *self.members(visit, project)],
                    value.get("assignee"),
                    error=wrong.get("assignee", ""),
                ),
                m.choices(
                    "Milestone", "milestone", milestones, value.get("milestone"), error=wrong.get("milestone", "")
                ),
                m.paragraph("Closed milestones take no issues."),
                m.date_field("Due date", "due", value.get("due", ""), error=wrong.get("due", "")),
                m.number_field(
                    "Estimate in points", "estimate", value.get("estimate", "0"), error=wrong.get("estimate", "")
                ),
                m.tag("fieldset", m.tag("legend", "Labels"), boxes),
                submit="Save issue",
            ),
        )

    @action("/project/{key}/new")
    def create_issue(self, visit: Visit, key: str) -> Answered:
        """Checks and inserts."""
        return self._save(visit, self.project(visit, key), None)

    @action("/issue/{key}/edit")
    def save_issue(self, visit: Visit, key: str) -> Answered:
        """Checks and saves."""
        project, issue = self.issue(visit, key)
        return self._save(visit, project, issue)

    def _save(self, visit: Visit, project: Project, issue: Issue | None) -> Answered:
        self.needs_member(visit, project)
        title, body, priority, due = (visit.text(name) for name in ("title", "body", "priority", "due"))
        who, milestone = visit.whole("assignee", -1), visit.whole("milestone", -1)
        estimate = whole_of(visit.text("estimate") or "0", 100)
        known = dict(self.labels(visit, project))
        labels = sorted({int(text) for text in visit.lists.get("label", ()) if whole_of(text) in known})
        wrong = {}
        if not 1 <= len(title) <= 120 or "\n" in title:
            wrong["title"] = "An issue needs a title of at most 120 signs."
        if priority not in PRIORITIES:
            wrong["priority"] = "Choose a priority."
        if who not in {0, *dict(self.members(visit, project))}:
            wrong["assignee"] = "Choose a member of the project."
        if milestone not in {0, issue.milestone if issue else 0, *dict(self.milestones(visit, project))}:
            wrong["milestone"] = "Choose an open milestone."
        if due and day_of(due) is None:
            wrong["due"] = "Write the date as YYYY-MM-DD."
        if estimate is None:
            wrong["estimate"] = "Write a whole number from 0 to 100."
        if wrong:
            return self._form(visit, project, issue, visit.form, set(labels), wrong)
        values = (title, body, priority, who, milestone, due, estimate)
        if issue is None:
            number = visit.row("SELECT coalesce(max(number), 0) + 1 FROM issue WHERE project = ?", project.id)
            id = visit.run(
                "INSERT INTO issue (title, body, priority, assignee, milestone, due, estimate, project, number, "
                "reporter, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *values,
                project.id,
                number,
                visit.user,
                visit.now.date().isoformat(),
            )
        else:
            id, number = issue.id, issue.number
            visit.run(
                "UPDATE issue SET title = ?, body = ?, priority = ?, assignee = ?, milestone = ?, due = ?, estimate "
                "= ? WHERE id = ?",
                *values,
                id,
            )
            visit.run("DELETE FROM issue_label WHERE issue = ?", id)
        for label in labels:
            visit.run("INSERT INTO issue_label VALUES (?, ?)", id, label)
        self.record(visit, id, "edited the issue" if issue else "opened the issue")
        if issue is not None and priority != issue.priority:
            self.record(visit, id, f"changed the priority from {issue.priority} to {priority}")
        return self.redirect(f"/issue/{key_of(project.key, number)}", flash="The issue has been saved.")
