"""Harder tasks of the project tracker, and those that need a browser."""

import datetime

from turnwise.worlds.web.site import Change, Draft, Draw, Plan, Step, Tasks, World, click, fill, insert, select, update
from turnwise.worlds.web.sites.listing import MONTHS, grouped, tick
from turnwise.worlds.web.sites.tracker.data import LANES, OPEN, PRIORITIES
from turnwise.worlds.web.sites.tracker.tasks.everyday import ANY_OPEN, EDITS, ISSUE, assignable, own_project

__all__ = ["hard"]

hard = Tasks()


def dated(day: datetime.date) -> str:
    """Format a day as the calendar names it: "12 May 2027"."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _assign(world: World, draw: Draw, member: bool) -> tuple[str, Plan, tuple[Change, ...], str] | None:
    db = world("tracker")
    rows = db.rows(
        "SELECT i.project, p.name, l.name, s.title, p.key || '-' || i.number, i.id FROM issue i JOIN project p "
        "ON p.id = i.project JOIN issue_label x ON x.issue = i.id JOIN label l ON l.id = x.label JOIN milestone "
        f"s ON s.id = i.milestone WHERE {EDITS} AND i.assignee = 0 AND i.{OPEN} ORDER BY i.project, l.id, s.id, "
        "i.id"
    )
    groups = grouped(rows, 4)
    several = {group: found for group, found in groups.items() if len(found) > 1}
    if not several:
        return None
    (project, name, label, release), found = draw.choice(list(several.items()))
    people = assignable(world, project)
    outside = [(p.id, p.name) for p in world.cast.people[1:30] if p.id not in dict(people)]
    person, who = draw.choice(people if member else outside)
    due = (world.now.date() + datetime.timedelta(draw.integer(7, 80))).isoformat()
    text = draw.either(
        f"Assign all unassigned open issues with the label {label} in the milestone {release} of the project "
        f"{name} to {who} and set their due date to {due}.",
        f"In the project {name}, {who} takes every open issue of the milestone {release} that has the label "
        f"{label} and no assignee. These issues are due on {due}; enter that, too.",
    )
    plan: Plan = (click(name), select("Status", ANY_OPEN), select("Label", label), select("Assignee", "Nobody"),
                  select("Milestone", release), click("Filter"))  # fmt: skip
    if member:
        plan = (
            *plan,
            *tick([key for key, _ in found]),
            click("Edit ticked issues"),
            select("New assignee", who),
            fill("New due date", due),
            click("Apply"),
        )
    return text, plan, tuple(update("tracker.issue", id, assignee=person, due=due) for _, id in found), who


@hard.template(4)
def assign_label(world: World, draw: Draw) -> Draft | None:
    """Ask for a bulk edit under four conditions."""
    found = _assign(world, draw, member=True)
    return found and Draft(*found[:3])


@hard.template(4, infeasible=True)
def assign_stranger(world: World, draw: Draw) -> Draft | None:
    """Ask to assign issues to somebody who is not a member: not possible."""
    found = _assign(world, draw, member=False)
    return found and Draft(
        found[0], (*found[1], click("Members")), infeasible=f"{found[3]} is not a member of the project."
    )


@hard.template(4)
def raise_priority(world: World, draw: Draw) -> Draft | None:
    """Ask for a bulk edit of issues of one priority that are due soon."""
    rows = world("tracker").rows(
        "SELECT p.name, p.key, i.priority, i.due, i.id, i.number FROM issue i JOIN project p ON p.id = i.project "
        f"WHERE {EDITS} AND i.priority <> 'Urgent' AND i.{OPEN} AND i.due <> '' ORDER BY p.id, i.priority, i.due, "
        "i.id"
    )
    groups = grouped(rows, 3)
    (name, key, old), due = draw.choice([group for group in groups.items() if group[1][0][0] < group[1][-1][0]])
    days = sorted({day for day, _, _ in due})
    before = days[draw.integer(1, len(days) - 1)]
    new = draw.choice([p for p in PRIORITIES[1:] if p != old])
    found = [row for row in due if row[0] < before]
    text = draw.either(
        f"Give every open issue of the project {name} with the priority {old} that is due before {before} the "
        f"priority {new}.",
        f"In the project {name}, change the priority of all open issues due before {before} from {old} to {new}.",
    )
    plan = (
        click(name),
        select("Status", ANY_OPEN),
        select("Priority", old),
        fill("Due before", before),
        click("Filter"),
        *tick([f"{key}-{number}" for _, _, number in found]),
        click("Edit ticked issues"),
        select("New priority", new),
        click("Apply"),
    )
    return Draft(text, plan, tuple(update("tracker.issue", id, priority=new) for _, id, _ in found))


@hard.template(5)
def finish_milestone(world: World, draw: Draw) -> Draft | None:
    """Ask to move open issues to the next milestone, and to close the old one."""
    db, today = world("tracker"), world.now.date().isoformat()
    rows = db.rows(
        "SELECT p.id, p.key, p.name, s.id, s.title, i.number, i.id FROM issue i JOIN milestone s ON s.id = "
        f"i.milestone JOIN project p ON p.id = i.project WHERE {EDITS} AND i.{OPEN} AND s.state = 'open' AND "
        "s.due < ? ORDER BY s.id, i.number",
        today,
    )
    several = [(group, found) for group, found in grouped(rows, 5).items() if len(found) > 1]
    if not several:
        return None
    (project, key, name, old, release), found = draw.choice(several)
    new, following = db.row(
        "SELECT id, title FROM milestone WHERE project = ? AND state = 'open' AND due >= ? ORDER BY due", project, today
    )
    text = (
        f"Today is {today}. In the project {name}, one open milestone is past its due date. Move its open issues "
        "to the open milestone with the next due date after today, then close the milestone that is past its date."
    )
    plan = (
        click(name),
        click("Milestones"),
        click("Issues"),
        select("Status", ANY_OPEN),
        select("Milestone", release),
        click("Filter"),
        *tick([f"{key}-{number}" for number, _ in found]),
        click("Edit ticked issues"),
        select("New milestone", following),
        click("Apply"),
        click("Milestones"),
        click("Close milestone", near=release),
    )
    changes = tuple(update("tracker.issue", id, milestone=new) for _, id in found)
    return Draft(text, plan, (*changes, update("tracker.milestone", old, state="closed")))


@hard.template(5)
def close_duplicates(world: World, draw: Draw) -> Draft | None:
    """Ask to link several issues to the oldest as duplicates."""
    rows = world("tracker").rows(
        "SELECT i.project, p.name, p.key, i.title, i.number, i.id FROM issue i JOIN project p ON p.id = "
        f"i.project WHERE {EDITS} ORDER BY i.project, i.number"
    )
    groups = grouped(rows, 4)
    several = {group: found for group, found in groups.items() if len(found) > 1}
    if not several:
        return None
    (_, name, short, title), found = draw.choice(list(several.items()))
    (number, original), copies = found[0], found[1:]
    text = draw.either(
        f'In the project {name}, the issue "{title}" was reported more than once. Keep the issue with the '
        "lowest number and mark each of the others that have exactly this title as a duplicate of it.",
        f'Several issues of the project {name} have the title "{title}". Mark all of them but the oldest '
        "(lowest number) as duplicates of the oldest.",
    )
    plan: list[Step] = []
    changes: list[Change] = []
    for copy, id in copies:
        plan += [
            click("Tracker"),
            click(name),
            fill("Search issues", title),
            click("Filter"),
            click(f"{short}-{copy} {title}", via="Next"),
            click("Links"),
            select("This issue", "is a duplicate of"),
            fill("Key of the other issue", f"{short}-{number}"),
            click("Add link"),
        ]
        changes += [
            update("tracker.issue", id, status="Duplicate"),
            insert("tracker.link", kind="duplicates", source=id, target=original),
        ]
    return Draft(text, tuple(plan[1:]), tuple(changes))


@hard.template(2, browser=True)
def move_card_to_top(world: World, draw: Draw) -> Draft | None:
    """Ask for an order that can be changed only on the board."""
    db = world("tracker")
    project, key, name = own_project(world, draw)
    number, id, title, lane = draw.choice(
        db.rows(f"SELECT number, id, title, status FROM issue WHERE project = ? AND {OPEN} ORDER BY id", project)
    )
    target = draw.choice([other for other in LANES[:4] if other != lane])
    top = db.row("SELECT min(rank) FROM issue WHERE project = ? AND status = ?", project, target)
    text = draw.either(
        f"On the board of the project {name}, move the card {key}-{number} to the top of the column {target}.",
        f"Put {key}-{number} first in the column {target} on the board of {name}.",
    )
    card = f"{key}-{number} {title}"
    plan = (click(name), click("Board"), click("Move", near=card), click(f"To the top of {target}", near=card))
    return Draft(text, plan, (update("tracker.issue", id, status=target, rank=0 if top is None else top - 1),))


@hard.template(3, browser=True)
def remind_me(world: World, draw: Draw) -> Draft | None:
    """Ask for a reminder, whose day is chosen on a calendar that a script draws."""
    key, id, *_ = draw.choice(world("tracker").rows(f"{ISSUE} ORDER BY i.id"))
    day = world.now.date() + datetime.timedelta(draw.integer(3, 100))
    text = draw.either(
        f"Set yourself a reminder for issue {key} on {dated(day)}.",
        f"I want to be reminded of {key} on {dated(day)}. Set it up.",
    )
    plan = (fill("Search all issues", key), click("Search all issues", "button"), click("Remind me"),
            click(dated(day), via="Next month"), click("Set reminder"))  # fmt: skip
    return Draft(text, plan, (insert("tracker.reminder", account=1, issue=id, day=day.isoformat()),))
