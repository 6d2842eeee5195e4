"""Issues: the list with bulk edit, one issue, and its form."""

from collections.abc import Mapping
from typing import Any

from turnwise.worlds.web.site import Answered, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.listing import Listing, bulk_form, chosen, day_of, tabs, whole_of
from turnwise.worlds.web.sites.tracker.data import PRIORITIES, STATUSES
from turnwise.worlds.web.sites.tracker.pages.access import (
    Issue,
    Project,
    issue_named,
    key_of,
    labels_of,
    may_edit,
    members_of,
    milestones_of,
    needs_member,
    parts,
    project_named,
    record,
)
from turnwise.worlds.web.sites.tracker.pages.panels import comments_of, links_of

__all__ = ["issues", "show_issue"]

issues = Pages()

_RANK = "CASE t.priority WHEN 'Low' THEN 1 WHEN 'Normal' THEN 2 WHEN 'High' THEN 3 ELSE 4 END"


# ---- the list ---------------------------------------------------------------------------------------------------


def _list(visit: Visit, project: Project) -> Listing:
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


@issues.page("/project/{key}/issues", signed_in=True)
def show_issues(visit: Visit, key: str) -> Answered:
    """Show filters, the table, and bulk edit for members."""
    return _issues(visit, key)


def _issues(visit: Visit, key: str, error: str = "", alert: str = "") -> Answered:
    project = project_named(visit, key)
    edits = may_edit(visit, project)
    found = _list(visit, project)
    members, nobody = members_of(visit, project), (0, "Nobody")
    milestones = milestones_of(visit, project, and_closed=True)
    filters = found.form(
        m.field("Search issues", "q", visit.text("q"), type="search"),
        m.choices(
            "Status",
            "status",
            [("", "Any"), ("open", "Open (all but Done and Duplicate)"), *STATUSES],
            visit.text("status"),
        ),
        m.choices("Label", "label", [("", "Any"), *labels_of(visit, project)], visit.text("label")),
        m.choices("Assignee", "assignee", [("", "Any"), nobody, *members], visit.text("assignee")),
        m.choices("Milestone", "milestone", [("", "Any"), (0, "None"), *milestones], visit.text("milestone")),
        m.choices("Priority", "priority", [("", "Any"), *PRIORITIES], visit.text("priority")),
        m.date_field("Due before", "before", visit.text("before"), error=found.errors.get("before", "")),
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
            [same, (0, "None"), *milestones_of(visit, project)],
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
    return visit.show(
        f"{project.name}: issues",
        m.note(alert, "alert") if alert else "",
        parts(project),
        filters,
        m.paragraph(f"{count}. " if count else "", new),
        table,
    )


@issues.action("/project/{key}/issues/bulk")
def bulk_issues(visit: Visit, key: str) -> Answered:
    """Change assignee, milestone, priority, status and due date of the ticked issues."""
    project = project_named(visit, key)
    needs_member(visit, project)
    found = _list(visit, project)
    ids, due = chosen(visit, found), visit.text("new_due")
    if due and day_of(due) is None:
        return _issues(visit, key, "Write the date as YYYY-MM-DD.")
    values: dict[str, object] = {"due": due} if due else {}
    allowed = (
        ("assignee", {"0", *(str(id) for id, _ in members_of(visit, project))}),
        ("priority", set(PRIORITIES)),
        ("milestone", {"0", *(str(id) for id, _ in milestones_of(visit, project))}),
        ("status", set(STATUSES[:5])),
    )
    for name, known in allowed:
        value = visit.text(f"new_{name}")
        if value and value not in known:
            return _issues(visit, key, alert=f"Nothing was changed: choose a {name} from the list.")
        if value:
            values[name] = int(value) if name in ("assignee", "milestone") else value
    if not ids or not values:
        return _issues(visit, key, alert="Tick at least one issue and choose what to change.")
    for id in ids:
        visit.change("issue", id, **values)
        record(visit, id, f"changed {', '.join(values)}")
    return visit.redirect(found.href(), flash=f"Changed {m.counted(len(ids), 'issue')}.")


# ---- one issue --------------------------------------------------------------------------------------------------


@issues.page("/issue/{key}", signed_in=True)
def issue_page(visit: Visit, key: str) -> Answered:
    """Show an issue."""
    return show_issue(visit, key, {})


def show_issue(visit: Visit, key: str, wrong: Mapping[str, str]) -> Answered:
    """Show an issue's page; ``wrong`` says what is wrong in one of its forms."""
    project, issue = issue_named(visit, key)
    name = dict(visit.rows("SELECT id, name FROM account WHERE id IN (?, ?)", issue.assignee, issue.reporter))
    milestone = visit.get("SELECT title FROM milestone WHERE id = ?", issue.milestone)
    labels = visit.rows(
        "SELECT l.name FROM issue_label i JOIN label l ON l.id = i.label WHERE i.issue = ? ORDER BY l.name", issue.id
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
    edits = may_edit(visit, project)
    watching = visit.get("SELECT 1 FROM watch WHERE account = ? AND issue = ?", visit.user, issue.id)
    tools = [
        m.join(m.link(f"/issue/{key}/edit", "Edit"), " ") if edits else "",
        m.link(f"/issue/{key}/reminder", "Remind me"),
        m.post_button(f"/issue/{key}/watch", "Stop watching" if watching else "Watch", on=int(not watching)),
    ]
    events = visit.rows("SELECT e.at, a.name, e.text FROM activity e JOIN account a ON a.id = e.who "
                        "WHERE e.issue = ? ORDER BY e.id DESC LIMIT 30", issue.id)  # fmt: skip
    panels = [("comments", "Comments", comments_of(visit, project, issue, wrong)),
              ("links", "Links", links_of(visit, project, issue, wrong)),
              ("events", "Activity", m.table(("When", "Who", "What"), events))]  # fmt: skip
    if "link" in wrong or visit.query.get("tab") == "links":
        panels.insert(0, panels.pop(1))
    quick = m.section("Quick edit", m.form(
        f"/issue/{key}/quick",
        m.choices("Status", "status", STATUSES[:5] if issue.status != "Duplicate" else STATUSES, issue.status),
        m.choices("Priority", "priority", PRIORITIES, issue.priority),
        m.choices("Assignee", "assignee", [(0, "Nobody"), *members_of(visit, project)], issue.assignee),
    )) if edits else ""  # fmt: skip
    body = m.section("Description", m.rich(issue.body))
    alert = m.note(wrong["quick"], "alert") if "quick" in wrong else ""
    return visit.show(f"{key} {issue.title}", alert, parts(project), tools, data, body, quick, tabs("issue", panels))


@issues.action("/issue/{key}/watch")
def watch(visit: Visit, key: str) -> Answered:
    """Watch an issue, or stop watching it."""
    _, issue = issue_named(visit, key)
    visit.run("DELETE FROM watch WHERE account = ? AND issue = ?", visit.user, issue.id)
    if visit.whole("on") == 1:
        visit.run("INSERT INTO watch VALUES (?, ?)", visit.user, issue.id)
    return visit.redirect(f"/issue/{key}", flash="Saved.")


@issues.action("/issue/{key}/quick")
def quick_edit(visit: Visit, key: str) -> Answered:
    """Change status, priority and assignee."""
    project, issue = issue_named(visit, key)
    needs_member(visit, project)
    status, priority, who = visit.text("status"), visit.text("priority"), visit.whole("assignee", -1)
    known = {0, *dict(members_of(visit, project))}
    if status not in {*STATUSES[:5], issue.status} or priority not in PRIORITIES or who not in known:
        return show_issue(visit, key, {"quick": "Nothing was saved: choose from the lists."})
    if priority != issue.priority:
        record(visit, issue.id, f"changed the priority from {issue.priority} to {priority}")
    if (status, who) != (issue.status, issue.assignee):
        record(visit, issue.id, "changed the status or the assignee")
    visit.change("issue", issue.id, status=status, priority=priority, assignee=who)
    return visit.redirect(f"/issue/{key}", flash="The issue has been saved.")


# ---- the form ---------------------------------------------------------------------------------------------------


@issues.page("/project/{key}/new", signed_in=True)
def new_issue(visit: Visit, key: str) -> Answered:
    """Show the form for a new issue."""
    project = project_named(visit, key)
    needs_member(visit, project)
    return _form(visit, project, None, {"priority": "Normal", "assignee": 0, "milestone": 0}, set(), {})


@issues.page("/issue/{key}/edit", signed_in=True)
def edit_issue(visit: Visit, key: str) -> Answered:
    """Show the form for changing an issue."""
    project, issue = issue_named(visit, key)
    needs_member(visit, project)
    labels = set(visit.rows("SELECT label FROM issue_label WHERE issue = ?", issue.id))
    return _form(visit, project, issue, issue._asdict(), labels, {})


def _form(
    visit: Visit,
    project: Project,
    issue: Issue | None,
    value: Mapping[str, Any],
    labels: set[int],
    wrong: Mapping[str, str],
) -> Answered:
    milestones = [(0, "None"), *milestones_of(visit, project)]
    if issue is not None and issue.milestone not in dict(milestones):  # a closed one stays if it is not changed
        milestones.append((issue.milestone, visit.row("SELECT title FROM milestone WHERE id = ?", issue.milestone)))
    boxes = [m.checkbox(name, "label", id in labels, str(id)) for id, name in labels_of(visit, project)]
    return visit.show(
        f"Edit {key_of(project.key, issue.number)}" if issue else f"New issue in {project.name}",
        m.form(
            f"/issue/{key_of(project.key, issue.number)}/edit" if issue else f"/project/{project.key}/new",
            m.field("Title", "title", value.get("title", ""), error=wrong.get("title", "")),
            m.area("Description", "body", value.get("body", "")),
            m.choices("Priority", "priority", PRIORITIES, value.get("priority"), error=wrong.get("priority", "")),
            m.choices(
                "Assignee",
                "assignee",
                [(0, "Nobody"), *members_of(visit, project)],
                value.get("assignee"),
                error=wrong.get("assignee", ""),
            ),
            m.choices("Milestone", "milestone", milestones, value.get("milestone"), error=wrong.get("milestone", "")),
            m.paragraph("Closed milestones take no issues."),
            m.date_field("Due date", "due", value.get("due", ""), error=wrong.get("due", "")),
            m.number_field(
                "Estimate in points", "estimate", value.get("estimate", "0"), error=wrong.get("estimate", "")
            ),
            m.tag("fieldset", m.tag("legend", "Labels"), boxes),
            submit="Save issue",
        ),
    )


@issues.action("/project/{key}/new")
def create_issue(visit: Visit, key: str) -> Answered:
    """Check the form and add an issue."""
    return _save(visit, project_named(visit, key), None)


@issues.action("/issue/{key}/edit")
def save_issue(visit: Visit, key: str) -> Answered:
    """Check the form and save an issue."""
    project, issue = issue_named(visit, key)
    return _save(visit, project, issue)


def _save(visit: Visit, project: Project, issue: Issue | None) -> Answered:
    needs_member(visit, project)
    title, body, priority, due = (visit.text(name) for name in ("title", "body", "priority", "due"))
    who, milestone = visit.whole("assignee", -1), visit.whole("milestone", -1)
    estimate = whole_of(visit.text("estimate") or "0", 100)
    known = dict(labels_of(visit, project))
    labels = sorted({int(text) for text in visit.lists.get("label", ()) if whole_of(text) in known})
    wrong = {}
    if not 1 <= len(title) <= 120 or "\n" in title:
        wrong["title"] = "An issue needs a title of at most 120 signs."
    if priority not in PRIORITIES:
        wrong["priority"] = "Choose a priority."
    if who not in {0, *dict(members_of(visit, project))}:
        wrong["assignee"] = "Choose a member of the project."
    if milestone not in {0, issue.milestone if issue else 0, *dict(milestones_of(visit, project))}:
        wrong["milestone"] = "Choose an open milestone."
    if due and day_of(due) is None:
        wrong["due"] = "Write the date as YYYY-MM-DD."
    if estimate is None:
        wrong["estimate"] = "Write a whole number from 0 to 100."
    if wrong:
        return _form(visit, project, issue, visit.form, set(labels), wrong)
    number = visit.row("SELECT coalesce(max(number), 0) + 1 FROM issue WHERE project = ?", project.id)
    number = issue.number if issue else number
    new = {"project": project.id, "number": number, "reporter": visit.user, "created": f"{visit.now.date()}"}
    values = {"title": title, "body": body, "priority": priority, "assignee": who, "milestone": milestone}
    id = visit.save("issue", issue.id if issue else 0, new, **values, due=due, estimate=estimate)
    visit.run("DELETE FROM issue_label WHERE issue = ?", id)
    for label in labels:
        visit.run("INSERT INTO issue_label VALUES (?, ?)", id, label)
    record(visit, id, "edited the issue" if issue else "opened the issue")
    if issue is not None and priority != issue.priority:
        record(visit, id, f"changed the priority from {issue.priority} to {priority}")
    return visit.redirect(f"/issue/{key_of(project.key, number)}", flash="The issue has been saved.")
