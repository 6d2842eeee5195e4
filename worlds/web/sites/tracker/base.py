"""What all pages of the tracker share: projects by their keys, who may change what, and the record of activity."""

import re
from typing import NamedTuple

from turnwise.worlds.web.site import markup as m
from turnwise.worlds.web.site.markup import Markup
from turnwise.worlds.web.site.site import NotFound, Refused, Visit, WebSite

__all__ = ["Issue", "Project", "TrackerBase", "key_of"]

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
    """An issue's key: "ORB-12"."""
    return f"{project}-{number}"


class TrackerBase(WebSite):
    """Look-ups and checks."""

    def nav(self, visit: Visit) -> list[tuple[str, str]]:
        """For everyone who is signed in."""
        return [("/mine", "My issues"), ("/preferences", "Notification preferences")] if visit.user else []

    def project(self, visit: Visit, key: str) -> Project:
        """The project with that key."""
        return Project(*visit.row("SELECT id, key, name, about FROM project WHERE key = ?", key))

    def issue(self, visit: Visit, key: str) -> tuple[Project, Issue]:
        """The issue with that key, and its project."""
        found = self.found(visit, key)
        if found is None:
            raise NotFound
        return found

    def found(self, visit: Visit, key: str) -> tuple[Project, Issue] | None:
        """As `issue`, with None where there is none."""
        match = _KEY.fullmatch(key)
        if match is None:
            return None
        row = visit.get("SELECT t.* FROM issue t JOIN project p ON p.id = t.project WHERE p.key = ? AND t.number = ?",
                        match[1], int(match[2]))  # fmt: skip
        return None if row is None else (self.project(visit, match[1]), Issue(*row))

    def role(self, visit: Visit, project: Project) -> str:
        """The visitor's role in the project; "" for who is no member."""
        return visit.get("SELECT role FROM member WHERE project = ? AND account = ?", project.id, visit.user) or ""

    def may_edit(self, visit: Visit, project: Project) -> bool:
        """Whether the visitor may change things in the project."""
        return self.role(visit, project) in ("lead", "developer")

    def needs_member(self, visit: Visit, project: Project) -> None:
        """Raises `Refused` unless the visitor may change things in the project."""
        if self.role(visit, project) == "viewer":
            raise Refused(f"You are a viewer of the project {project.name}; viewers cannot change it.")
        if not self.may_edit(visit, project):
            raise Refused(f"You may look at the project {project.name}, but only its members may change it.")

    def members(self, visit: Visit, project: Project) -> list[tuple[int, str]]:
        """Ids and names of those who can be assigned."""
        return visit.rows("SELECT a.id, a.name FROM member m JOIN account a ON a.id = m.account "
                          "WHERE m.project = ? AND m.role <> 'viewer' ORDER BY a.name, a.id", project.id)  # fmt: skip

    def milestones(self, visit: Visit, project: Project, and_closed: bool = False) -> list[tuple[int, str]]:
        """Ids and titles of the milestones, the open ones alone if not said otherwise."""
        states = "('open', 'closed')" if and_closed else "('open')"
        return visit.rows(
            f"SELECT id, title FROM milestone WHERE project = ? AND state IN {states} ORDER BY due, id", project.id
        )

    def labels(self, visit: Visit, project: Project) -> list[tuple[int, str]]:
        """Ids and names of the project's labels."""
        return visit.rows("SELECT id, name FROM label WHERE project = ? ORDER BY name, id", project.id)

    def record(self, visit: Visit, issue: int, text: str) -> None:
        """Notes an activity, which does not count when an episode is judged."""
        at = visit.now.strftime("%Y-%m-%d %H:%M")
        visit.run("INSERT INTO activity (issue, at, who, text) VALUES (?, ?, ?, ?)", issue, at, visit.user, text)

    def parts(self, project: Project) -> Markup:
        """Links to the pages of a project."""
        pages = (
            ("issues", "Issues"),
            ("board", "Board"),
            ("milestones", "Milestones"),
            ("members", "Members"),
            ("activity", "Activity"),
        )
        return m.tag("nav", [m.join(m.link(f"/project/{project.key}/{path}", text), " ") for path, text in pages],
                     aria_label=f"Project {project.name}")  # fmt: skip
