"""Tasks of the project tracker, up to level 3."""

import datetime
from collections import Counter
from itertools import product
from typing import Any

from turnwise.worlds.web.site import (
    Answer,
    Change,
    Draft,
    Draw,
    Plan,
    Said,
    Step,
    Tasks,
    World,
    check,
    click,
    fill,
    insert,
    select,
    update,
)
from turnwise.worlds.web.sites.listing import ROWS, grouped
from turnwise.worlds.web.sites.tracker.data import OPEN, PRIORITIES

__all__ = ["ANY_OPEN", "EDITS", "ISSUE", "assignable", "everyday", "own_project", "own_projects"]

everyday = Tasks()

ANY_OPEN = "Open (all but Done and Duplicate)"
EDITS = "EXISTS (SELECT 1 FROM member m WHERE m.project = i.project AND m.account = 1 AND m.role <> 'viewer')"
ISSUE = (
    "SELECT p.key || '-' || i.number, i.id, i.title, p.name, p.key, p.id FROM issue i JOIN project p ON p.id = "
    "i.project"
)


def own_projects(world: World) -> list[Any]:
    """Return id, key and name of the projects that the user may change."""
    return world("tracker").rows(
        "SELECT id, key, name FROM project i WHERE " + EDITS.replace("i.project", "i.id") + " ORDER BY id"
    )


def own_project(world: World, draw: Draw) -> Any:
    """Draw one of them."""
    return draw.choice(own_projects(world))


def assignable(world: World, project: int) -> list[tuple[int, str]]:
    """Return ids and names of members that a project's issues can be assigned to."""
    return world("tracker").rows("SELECT a.id, a.name FROM member m JOIN account a ON a.id = m.account "
                                 "WHERE m.project = ? AND m.role <> 'viewer' ORDER BY a.id", project)  # fmt: skip


@everyday.template(1)
def write_comment(world: World, draw: Draw) -> Draft | None:
    """Ask for a comment on the page where the task starts."""
    key, id, *_ = draw.choice(world("tracker").rows(f"{ISSUE} WHERE {EDITS} AND i.{OPEN} ORDER BY i.id"))
    words = draw.either(
        f"Fixed in build {draw.integer(100, 999)}",
        f"I will look at it on day {draw.integer(2, 28)}",
        f"Same on my phone, version {draw.integer(2, 9)}.{draw.integer(0, 9)}",
    )
    text = draw.either(
        f"Write a comment on issue {key} that says: {words}", f"Comment on {key} with this text: {words}"
    )
    at = world.now.strftime("%Y-%m-%d %H:%M")
    change = insert("tracker.comment", issue=id, author=1, text=Said(words), at=at)
    return Draft(
        text, (fill("New comment", words), click("Comment")), (change,), start=f"http://tracker.test/issue/{key}"
    )


@everyday.template(1)
def hand_over(world: World, draw: Draw) -> Draft | None:
    """Ask to change one field of the page on which the task starts."""
    key, id, _, _, _, project = draw.choice(world("tracker").rows(f"{ISSUE} WHERE {EDITS} AND i.{OPEN} ORDER BY i.id"))
    old = world("tracker").row("SELECT assignee FROM issue WHERE id = ?", id)
    person, name = draw.choice([p for p in assignable(world, project) if p[0] != old])
    text = draw.choice((f"Assign issue {key} to {name}.", f"{name} takes over issue {key}. Make {name} the assignee."))
    plan = (select("Assignee", name), click("Save"))
    return Draft(text, plan, (update("tracker.issue", id, assignee=person),), start=f"http://tracker.test/issue/{key}")


@everyday.template(2)
def count_issues(world: World, draw: Draw) -> Draft | None:
    """Ask for a count under two or three filters and a day, drawn so that counts are about equally likely."""
    wanted, groups = draw.integer(3, 16), dict[tuple[str, str, str], list[str]]()
    for name, is_open, priority, due in world("tracker").rows(
        f"SELECT p.name, i.{OPEN}, i.priority, i.due FROM issue i JOIN project p ON p.id = i.project WHERE i.due "
        "<> '' ORDER BY i.due, i.id"
    ):
        for key in product((name,), ("", ANY_OPEN) if is_open else ("",), ("", priority)):
            groups.setdefault(key, []).append(due)
    fit = sorted(key for key, days in groups.items() if len(days) > wanted and days[wanted - 1] < days[wanted])
    if not fit:
        return None
    name, status, priority = draw.choice(fit)
    before = groups[name, status, priority][wanted]
    what = "open issues" if status else "issues"
    which = "all but those with the status Done or Duplicate" if status else "whatever their status"
    with_ = f" have the priority {priority} and" if priority else ""
    text = f"How many {what} of the project {name} ({which}){with_} are due before {before}? Answer with the number."
    plan = (click(name), *((select("Status", status),) if status else ()),
            *((select("Priority", priority),) if priority else ()), fill("Due before", before),
            click("Filter"))  # fmt: skip
    return Draft(text, plan, answer=Answer.of("number", wanted))


@everyday.template(3)
def busiest(world: World, draw: Draw) -> Draft | None:
    """Ask who has the most issues in a filtered list; in the whole project it is often somebody else."""
    rows = world("tracker").rows(
        "SELECT p.name, x.kind, x.value, a.name, i.id FROM issue i JOIN project p ON p.id = i.project JOIN account "
        "a ON a.id = i.assignee JOIN (SELECT id AS issue, '' AS kind, '' AS value FROM issue UNION ALL SELECT id, "
        "'Priority', priority FROM issue UNION ALL SELECT t.id, 'Milestone', s.title FROM issue t JOIN milestone s "
        "ON s.id = t.milestone UNION ALL SELECT t.issue, 'Label', l.name FROM issue_label t JOIN label l ON l.id = "
        f"t.label) x ON x.issue = i.id WHERE i.{OPEN} ORDER BY i.project, x.kind, x.value, a.name, i.id"
    )
    ranked = {group: Counter(name for name, _ in found).most_common() for group, found in grouped(rows, 3).items()}
    found = [
        (group, counts)
        for group, counts in ranked.items()
        if group[1] and len(counts) > 1 and counts[0][1] > counts[1][1] and sum(n for _, n in counts) <= ROWS
    ]
    other = [(group, counts) for group, counts in found if counts[0][0] != ranked[group[0], "", ""][0][0]]
    if not found:
        return None
    (name, kind, value), counts = draw.choice(other if other and draw.chance(0.7) else found)
    what = f"{'in' if kind == 'Milestone' else 'with'} the {kind.lower()} {value}"
    text = draw.either(
        f"Which member of the project {name} has the most open issues {what}? Answer with the name.",
        f"Who has the most open issues {what} in the project {name} at the moment? Give the full name.",
    )
    plan = (click(name), select("Status", ANY_OPEN), select(kind, value), click("Filter"))
    return Draft(text, plan, answer=Answer.of("text", counts[0][0]))


@everyday.template(2)
def block_issue(world: World, draw: Draw) -> Draft | None:
    """Ask for a link in the right direction."""
    db = world("tracker")
    project, *_ = own_project(world, draw)
    rows = db.rows(
        f"{ISSUE} WHERE i.project = ? AND i.{OPEN} AND i.id NOT IN (SELECT source FROM link UNION SELECT target "
        "FROM link) ORDER BY i.id",
        project,
    )
    if len(rows) < 2:
        return None
    (key, id, *_), (other, blocker, *_) = draw.sample(rows, 2)
    text = draw.either(
        f"Issue {key} has to wait for {other}. Record in the tracker that {key} is blocked by {other}.",
        f"Link the issues {key} and {other} so that {other} blocks {key}.",
    )
    plan = (
        fill("Search all issues", key),
        click("Search all issues", "button"),
        click("Links"),
        select("This issue", "is blocked by"),
        fill("Key of the other issue", other),
        click("Add link"),
    )
    return Draft(text, plan, (insert("tracker.link", kind="blocks", source=blocker, target=id),))


@everyday.template(2, infeasible=True)
def comment_as_viewer(world: World, draw: Draw) -> Draft | None:
    """Ask for a comment in a project that the user may only view: not possible."""
    rows = world("tracker").rows(f"{ISSUE} WHERE NOT {EDITS} AND i.{OPEN} ORDER BY i.id")
    key, _, _, name, *_ = draw.choice(rows)
    words = f"Fixed in build {draw.integer(100, 999)}"
    plan = (fill("Search all issues", key), click("Search all issues", "button"))
    return Draft(
        f"Write a comment on issue {key} that says: {words}",
        plan,
        infeasible=f"The user is a viewer of the project {name}, and viewers cannot comment.",
    )


def _new_issue(world: World, draw: Draw, state: str) -> tuple[str, Plan, tuple[Change, ...], str]:
    db = world("tracker")
    project, _, name = own_project(world, draw)
    milestone, release = draw.choice(
        db.rows("SELECT id, title FROM milestone WHERE project = ? AND state = ? ORDER BY id", project, state)
    )
    person, who = draw.choice(assignable(world, project))
    labels = draw.sample(
        db.rows("SELECT id, name FROM label WHERE project = ? ORDER BY id", project), draw.integer(1, 2)
    )
    title = (
        f"{draw.choice(('Rewrite', 'Replace', 'Remove', 'Measure'))} the "
        f"{draw.choice(('cache', 'footer', 'parser', 'installer'))}"
    )
    due = (world.now.date() + datetime.timedelta(draw.integer(5, 90))).isoformat()
    points, priority = draw.choice((1, 2, 3, 5, 8)), draw.choice(("Low", "High", "Urgent"))
    tags = " and ".join(label for _, label in labels)
    text = (
        f'Create an issue in the project {name} with the title "{title}", the priority {priority}, the '
        f"milestone {release}, "
        f"due on {due}, estimated at {points} points, assigned to {who}, with the "
        f"label{'s' * (len(labels) > 1)} {tags}. "
        "Leave the description empty."
    )
    plan: Plan = (
        click(name),
        click("New issue"),
        fill("Title", title),
        select("Priority", priority),
        select("Assignee", who),
        select("Milestone", release),
        fill("Due date", due),
        fill("Estimate in points", str(points)),
        *(check(label) for _, label in labels),
        click("Save issue"),
    )
    id = db.row("SELECT max(id) FROM issue") + 1
    number = db.row("SELECT max(number) FROM issue WHERE project = ?", project) + 1
    new = insert(
        "tracker.issue",
        project=project,
        number=number,
        title=title,
        priority=priority,
        assignee=person,
        reporter=1,
        milestone=milestone,
        due=due,
        estimate=points,
        created=world.now.date().isoformat(),
    )
    return (text, plan, (new, *(insert("tracker.issue_label", issue=id, label=label) for label, _ in labels)), release)


@everyday.template(3)
def new_issue_with_fields(world: World, draw: Draw) -> Draft | None:
    """Ask for a new issue with eight fields."""
    text, plan, changes, _ = _new_issue(world, draw, "open")
    return Draft(text, plan, changes)


@everyday.template(3, infeasible=True)
def new_issue_closed(world: World, draw: Draw) -> Draft | None:
    """Ask for a new issue in a milestone that is closed: not possible."""
    text, plan, _, release = _new_issue(world, draw, "closed")
    return Draft(text, (*plan[:2], click("Tracker"), plan[0], click("Milestones")),
                 infeasible=f"The milestone {release} is closed.")  # fmt: skip


@everyday.template(3)
def first_blocker(world: World, draw: Draw) -> Draft | None:
    """Ask for the end of a chain of links between issues."""
    db = world("tracker")
    above = dict(db.rows("SELECT target, source FROM link WHERE kind = 'blocks' ORDER BY source"))
    starts = [issue for issue in above if above[issue] in above]
    if not starts:
        return None
    chain = [draw.choice(starts)]
    while chain[-1] in above:
        chain.append(above[chain[-1]])
    called = {id: (key, title, name, short) for key, id, title, name, short, _ in db.rows(
        f"{ISSUE} WHERE i.id IN ({', '.join('?' * len(chain))})", *chain)}  # fmt: skip
    key = called[chain[0]][0]
    if called[chain[-1]][0] in key:
        return None
    text = (
        f"Issue {key} is blocked by another issue, which is itself blocked, and so on. Follow the chain: what is "
        "the key of the issue at its end, which nothing blocks?"
    )
    plan: list[Step] = [fill("Search all issues", key), click("Search all issues", "button")]
    for issue in chain[1:]:
        plan += [click("Links"), click(f"{called[issue][0]} {called[issue][1]}", near="Is blocked by")]
    return Draft(text, (*plan, click("Links")), answer=Answer.of("text", called[chain[-1]][0]))


@everyday.template(3)
def undo_priority(world: World, draw: Draw) -> Draft | None:
    """Ask to restore an earlier priority, which the activity log shows."""
    rows = world("tracker").rows(
        "SELECT p.key || '-' || i.number, i.id, e.text FROM activity e JOIN issue i ON i.id = e.issue JOIN "
        f"project p ON p.id = i.project WHERE {EDITS} AND e.text LIKE 'changed the priority%' ORDER BY i.id, e.id"
    )
    histories = [
        (key, id, [word for (said,) in texts for word in PRIORITIES if f"from {word} " in said])
        for (key, id), texts in grouped(rows, 2).items()
    ]
    several = [(*issue, old[-1]) for *issue, old in histories if old[0] != old[-1]]  # one change is not "the last"
    if not several:
        return None
    key, id, old = draw.choice(several)
    text = draw.either(
        f"The last change of the priority of issue {key} was a mistake. Set the priority back to what it was "
        "before that change.",
        f"Undo the latest change of priority on issue {key}.",
    )
    plan = (fill("Search all issues", key), click("Search all issues", "button"), click("Activity", "button"),
            select("Priority", old), click("Save"))  # fmt: skip
    return Draft(text, plan, (update("tracker.issue", id, priority=old),))


@everyday.template(3)
def overdue_issues(world: World, draw: Draw) -> Draft | None:
    """Ask for the keys of overdue issues."""
    today = world.now.date().isoformat()
    rows = world("tracker").rows(
        f"SELECT p.name, a.name, i.priority, p.key || '-' || i.number, i.{OPEN} FROM issue i JOIN project p ON "
        "p.id = i.project LEFT JOIN account a ON a.id = i.assignee AND a.id IN (SELECT account FROM member WHERE "
        "project = p.id AND role <> 'viewer') WHERE i.due <> '' AND i.due < ? ORDER BY p.id, i.due, i.id",
        today,
    )
    groups: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for project, person, priority, *issue in rows:
        for kind, value in (("Assignee", person), ("Priority", priority)):
            if value:
                groups.setdefault((project, kind, value), []).append((issue[0], issue[1]))
    fit: list[tuple[tuple[str, str, str], list[str]]] = []
    mixed = fit[:]  # where some of them are not open
    for group, issues in groups.items():
        keys = [key for key, is_open in issues if is_open]
        if 2 <= len(keys) <= 8:
            (mixed if len(keys) < len(issues) else fit).append((group, keys))
    if not fit and not mixed:
        return None
    (project, kind, value), keys = draw.choice(mixed if mixed and (not fit or draw.chance(0.8)) else fit)
    which = f"are assigned to {value}" if kind == "Assignee" else f"have the priority {value}"
    text = (
        f"Today is {today}. Which open issues of the project {project} that {which} were due before today? Answer "
        "with their keys, separated by commas."
    )
    plan = (click(project), select("Status", ANY_OPEN), select(kind, value), fill("Due before", today), click("Filter"))
    return Draft(text, plan, answer=Answer.items(keys))


@everyday.template(3)
def points_left(world: World, draw: Draw) -> Draft | None:
    """Ask for the sum of a column over open issues."""
    rows = world("tracker").rows(
        "SELECT p.name, s.title, sum(i.estimate) FROM issue i JOIN milestone s ON s.id = i.milestone JOIN "
        f"project p ON p.id = i.project WHERE i.{OPEN} GROUP BY s.id HAVING count(*) BETWEEN 2 AND 25 AND "
        "sum(i.estimate) > 2 ORDER BY s.id"
    )
    if not rows:
        return None
    name, release, total = draw.choice(rows)
    text = (
        f"How many points of work are left in the milestone {release} of the project {name}? Add up the estimates "
        "of its issues that are neither Done nor Duplicate."
    )
    return Draft(text, (click(name), click("Milestones"), click(release)), answer=Answer.of("number", total))
