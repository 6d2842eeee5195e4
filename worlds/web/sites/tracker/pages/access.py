"""What all pages of the tracker share: projects by their keys, permissions, and the activity log."""

import re
from typing import NamedTuple

from turnwise.worlds.web.site import NotFound, Refused, Visit
from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup

__all__ = [
    "Issue",
    "Project",
    "find_issue",
    "issue_named",
    "key_of",
    "labels_of",
    "may_edit",
    "members_of",
    "milestones_of",
    "nav",
    "needs_member",
    "parts",
    "project_named",
    "record",
    "role",
]

_KEY = re.compile(r"([A-Z]{3})-([0-9]{1,6})", re.ASCII)


class Project(NamedTuple):
    """A row of ``project``."""

    id: int
    key: str
    name: str
    about: str


class Issue(NamedTuple):
    """A row of ``issue``."""

    id: int
    project: int
    number: int
    title: str
    body: str
    status: str
    priority: str
    assignee: int
    reporter: int
    milestone: int
    due: str
    estimate: int
    created: str
    rank: int


def key_of(project: str, number: int) -> str:
    """Return an issue's key: "ORB-12"."""
    return f"{project}-{number}"


def nav(visit: Visit) -> list[tuple[str, str]]:
    """Return the links for everyone who is signed in."""
    return [("/mine", "My issues"), ("/preferences", "Notification preferences")] if visit.user else []


def project_named(visit: Visit, key: str) -> Project:
    """Return the project with that key."""
    return Project(*visit.row("SELECT id, key, name, about FROM project WHERE key = ?", key))


def issue_named(visit: Visit, key: str) -> tuple[Project, Issue]:
    """Return the issue with that key, and its project."""
    found = find_issue(visit, key)
    if found is None:
        raise NotFound
    return found


def find_issue(visit: Visit, key: str) -> tuple[Project, Issue] | None:
    """Return the same as `issue_named`, or None if there is no such issue."""
    match = _KEY.fullmatch(key)
    if match is None:
        return None
    row = visit.get("SELECT t.* FROM issue t JOIN project p ON p.id = t.project WHERE p.key = ? AND t.number = ?",
                    match[1], int(match[2]))  # fmt: skip
    return None if row is None else (project_named(visit, match[1]), Issue(*row))


def role(visit: Visit, project: Project) -> str:
    """Return the visitor's role in the project, or "" for visitors who are not members."""
    return visit.get("SELECT role FROM member WHERE project = ? AND account = ?", project.id, visit.user) or ""


def may_edit(visit: Visit, project: Project) -> bool:
    """Whether the visitor may change things in the project."""
    return role(visit, project) in ("lead", "developer")


def needs_member(visit: Visit, project: Project) -> None:
    """Raise `Refused` unless the visitor may change things in the project."""
    if role(visit, project) == "viewer":
        raise Refused(f"You are a viewer of the project {project.name}; viewers cannot change it.")
    if not may_edit(visit, project):
        raise Refused(f"You may look at the project {project.name}, but only its members may change it.")


def members_of(visit: Visit, project: Project) -> list[tuple[int, str]]:
    """Return ids and names of members that issues can be assigned to."""
    return visit.rows("SELECT a.id, a.name FROM member m JOIN account a ON a.id = m.account "
                      "WHERE m.project = ? AND m.role <> 'viewer' ORDER BY a.name, a.id", project.id)  # fmt: skip


def milestones_of(visit: Visit, project: Project, and_closed: bool = False) -> list[tuple[int, str]]:
    """Return ids and titles of the milestones, by default only the open ones."""
    states = "('open', 'closed')" if and_closed else "('open')"
    return visit.rows(
        f"SELECT id, title FROM milestone WHERE project = ? AND state IN {states} ORDER BY due, id", project.id
    )


def labels_of(visit: Visit, project: Project) -> list[tuple[int, str]]:
    """Return ids and names of the project's labels."""
    return visit.rows("SELECT id, name FROM label WHERE project = ? ORDER BY name, id", project.id)


def record(visit: Visit, issue: int, text: str) -> None:
    """Log an activity, which does not count when an episode is judged."""
    at = visit.now.strftime("%Y-%m-%d %H:%M")
    visit.add("activity", issue=issue, at=at, who=visit.user, text=text)


def parts(project: Project) -> Markup:
    """Return links to the pages of a project."""
    pages = (
        ("issues", "Issues"),
        ("board", "Board"),
        ("milestones", "Milestones"),
        ("members", "Members"),
        ("activity", "Activity"),
    )
    return m.tag("nav", [m.join(m.link(f"/project/{project.key}/{path}", text), " ") for path, text in pages],
                 aria_label=f"Project {project.name}")  # fmt: skip
