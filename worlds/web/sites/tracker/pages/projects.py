"""The tracker's overview, projects, milestones, members and notifications."""

from turnwise.worlds.web.site import Answered, NotFound, Pages, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.sites.listing import Listing
from turnwise.worlds.web.sites.tracker.data import OPEN, SETTINGS
from turnwise.worlds.web.sites.tracker.pages.access import (
    Project,
    find_issue,
    key_of,
    may_edit,
    needs_member,
    parts,
    project_named,
)

__all__ = ["projects"]

projects = Pages()


@projects.page("/", signed_in=True)
def home(visit: Visit) -> Answered:
    """Show the projects, a scratch pad, and a switch for notifications."""
    rows = visit.rows(
        f"SELECT p.key, p.name, p.about, (SELECT count(*) FROM issue i WHERE i.project = p.id AND {OPEN}), "
        "coalesce((SELECT role FROM member WHERE project = p.id AND account = ?), 'none') FROM project p ORDER "
        "BY p.name",
        visit.user,
    )
    body = [
        (key, m.link(f"/project/{key}/issues", name), about, str(count), role) for key, name, about, count, role in rows
    ]
    pad = visit.get("SELECT value FROM preference WHERE account = ? AND name = 'pad'", visit.user) or ""
    paused = visit.get("SELECT value FROM preference WHERE account = ? AND name = 'paused'", visit.user) == "on"
    switch = m.post_button(
        "/pause", "Resume notifications" if paused else "Pause all notifications", on=int(not paused)
    )
    return visit.show(
        "Projects",
        m.search_form("/find", "", "Search all issues"),
        m.table(("Key", "Project", "About", "Open issues", "Your role"), body),
        m.section("For yourself", m.form("/pad", m.area("Scratch pad", "text", pad), submit="Keep"), switch),
    )


@projects.action("/pad")
def keep_pad(visit: Visit) -> Answered:
    """Save the visitor's notes."""
    _prefer(visit, "pad", visit.text("text")[:2000])
    return visit.redirect("/", flash="Kept.")


@projects.action("/pause")
def pause(visit: Visit) -> Answered:
    """Turn all notifications off, or on again."""
    _prefer(visit, "paused", "on" if visit.whole("on") == 1 else "off")
    return visit.redirect("/", flash="Saved.")


def _prefer(visit: Visit, name: str, value: str) -> None:
    visit.run(
        "INSERT INTO preference VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        visit.user,
        name,
        value,
    )


@projects.page("/preferences", signed_in=True)
def preferences(visit: Visit) -> Answered:
    """Show when the visitor is notified, as a form."""
    on = dict(visit.rows("SELECT name, value FROM preference WHERE account = ?", visit.user))
    boxes = [m.checkbox(f"Write to me when {name}", name, on.get(name) == "on") for name in SETTINGS]
    return visit.show("Notification preferences", m.form("/preferences", boxes, submit="Save preferences"))


@projects.action("/preferences")
def save_preferences(visit: Visit) -> Answered:
    """Save when the visitor is notified."""
    for name in SETTINGS:
        _prefer(visit, name, "on" if visit.form.get(name) else "off")
    return visit.redirect("/preferences", flash="The preferences have been saved.")


def _everywhere(visit: Visit, path: str) -> Listing:
    source = "issue t JOIN project p ON p.id = t.project"
    return Listing(visit, path, source, {"issue": "p.key, t.number", "due": "t.due = '', t.due"})


def _found(visit: Visit, title: str, found: Listing, *above: m.Markup) -> Answered:
    rows = [
        (m.link(f"/issue/{key_of(key, number)}", f"{key_of(key, number)} {name}"), status, priority, due or "-")
        for key, number, name, status, priority, due in found.rows(
            "p.key, t.number, t.title, t.status, t.priority, t.due"
        )
    ]
    heads = (found.header("issue", "Issue"), "Status", "Priority", found.header("due", "Due"))
    table = m.table(heads, rows) if rows else m.paragraph("No issue matches.")
    return visit.show(title, *above, m.paragraph(found.count("issue")), table, found.pager())


@projects.page("/mine", signed_in=True)
def mine(visit: Visit) -> Answered:
    """Show the visitor's open issues, in all projects."""
    found = _everywhere(visit, "/mine")
    found.where("t.assignee = ?", visit.user)
    found.where(f"t.{OPEN}")
    return _found(visit, "My open issues", found)


@projects.page("/find", signed_in=True)
def find(visit: Visit) -> Answered:
    """Search titles and descriptions, or go straight to an issue by its key."""
    words = visit.text("q")
    if find_issue(visit, words.upper()) is not None:
        return visit.redirect(f"/issue/{words.upper()}")
    found = _everywhere(visit, "/find")
    found.search("q", "t.title", "t.body")
    return _found(visit, "Search", found, m.search_form("/find", words, "Search all issues"))


# ---- the rest of a project --------------------------------------------------------------------------------------


@projects.page("/project/{key}/milestones", signed_in=True)
def milestone_list(visit: Visit, key: str) -> Answered:
    """Show the milestones with their progress."""
    return _milestones(visit, project_named(visit, key), "")


def _milestones(visit: Visit, project: Project, alert: str) -> Answered:
    edits = may_edit(visit, project)
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
    return visit.show(f"{project.name}: milestones", m.note(alert, "alert") if alert else "",
                     parts(project), m.table(("Milestone", "Due", "State", "Progress", ""), rows))  # fmt: skip


@projects.page("/milestone/{id:int}", signed_in=True)
def milestone(visit: Visit, id: int) -> Answered:
    """Show all issues of a milestone on one page."""
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
    project = project_named(visit, project_key)
    table = m.table(("Issue", "Status", "Estimate in points"), body) if body else m.paragraph("No issues.")
    return visit.show(f"{project.name}: {title}", parts(project), m.paragraph(f"Due {due}, {state}."), table)


@projects.action("/milestone/{id:int}/close")
def close_milestone(visit: Visit, id: int) -> Answered:
    """Close a milestone without open issues, for good."""
    key, title = visit.row(
        "SELECT p.key, t.title FROM milestone t JOIN project p ON p.id = t.project WHERE t.id = ?", id
    )
    project = project_named(visit, key)
    needs_member(visit, project)
    left = visit.row(f"SELECT count(*) FROM issue WHERE milestone = ? AND {OPEN}", id)
    if left:
        return _milestones(visit, project, f"{title} has {m.counted(left, 'open issue')} and cannot be closed.")
    visit.run("UPDATE milestone SET state = 'closed' WHERE id = ?", id)
    return visit.redirect(f"/project/{key}/milestones", flash=f"{title} is now closed.")


@projects.page("/project/{key}/members", signed_in=True)
def member_list(visit: Visit, key: str) -> Answered:
    """Show the members with the number of their open issues."""
    project = project_named(visit, key)
    rows = visit.rows(
        "SELECT a.name, a.email, m.role, (SELECT count(*) FROM issue i WHERE i.project = m.project AND "
        f"i.assignee = a.id AND {OPEN}) FROM member m JOIN account a ON a.id = m.account WHERE m.project = ? "
        "ORDER BY a.name, a.id",
        project.id,
    )
    body = [(name, email, role, str(count)) for name, email, role, count in rows]
    return visit.show(
        f"{project.name}: members", parts(project), m.table(("Name", "E-mail", "Role", "Open issues"), body)
    )


@projects.page("/project/{key}/activity", signed_in=True)
def activity(visit: Visit, key: str) -> Answered:
    """Show what happened in the project."""
    project = project_named(visit, key)
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
    return visit.show(f"{project.name}: activity", parts(project), m.table(heads, rows), found.pager())
