"""Tasks across sites about customers, deals and issues."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

from turnwise.worlds.web.site import Draft, Draw, Plan, Said, Tasks, World, click, fill, insert, select, tab, update
from turnwise.worlds.web.sites.across.steps import CRM, FORUM, MAIL, TRACKER, other_tab, written, written_to
from turnwise.worlds.web.sites.across.words import NOTES, worded
from turnwise.worlds.web.sites.across.words.work import (
    ASSIGNEE,
    DEAL,
    DEAL_SUBJECTS,
    MILESTONE,
    MILESTONE_TITLES,
    PHONE,
    THREAD,
)
from turnwise.worlds.web.sites.forum.tasks.moderation import stamp
from turnwise.worlds.web.sites.mail.tasks.mails import find, sent
from turnwise.worlds.web.sites.tracker.data import OPEN, PRIORITIES
from turnwise.worlds.web.sites.tracker.tasks.everyday import ANY_OPEN, own_projects

__all__ = ["work"]

work = Tasks()

_ABOUT = {
    ("Pixel Barn", "Aperture"),
    ("Tiller", "The Potting Shed"),
    ("Moss", "The Potting Shed"),
    ("Velo", "Spokes"),
    ("Quay", "Old Stones"),
    ("Halyard", "Slow Tracks"),
}
"""Projects and the boards of the forum that have to do with them."""
_AGES = {"oldest": ("min", "lowest"), "newest": ("max", "highest")}
"""Issues by their age: the function of SQL that finds their number, and what that number is."""


# ---- mail and back office ---------------------------------------------------------------------------------------


@work.template(3, sites=("mail", "crm"), needs_size=40)
def customer_phone(world: World, draw: Draw) -> Draft | None:
    """Ask to copy a new phone number from the signature of a mail to the customer's entry."""
    rows = [
        (row, customer)
        for row in _signed(world)
        for customer in _customers(world, row[0], row[1])
        if customer[1] == row[0] and customer[2] != row[4]
    ]
    if not rows:
        return None
    (address, name, subject, when, new), (id, _, _) = draw.choice(rows)
    text = _phone_words(draw, name)
    plan = (
        *_signature(name, subject, when),
        CRM,
        click("Customers"),
        fill("Search", address),
        click("Filter"),
        click(name),
        click("Edit"),
        fill("Phone", new),
        click("Save"),
    )
    return Draft(text, plan, (update("crm.customer", id, phone=new),))


@work.template(3, sites=("mail", "crm"), infeasible=True)
def no_customer_phone(world: World, draw: Draw) -> Draft | None:
    """Ask the same about a writer who is not a customer, or who never signed with a number."""
    signed = _signed(world)
    strangers = [row for row in signed if not _customers(world, row[0], row[1])]
    if strangers and draw.chance(0.6):
        address, name, subject, when, _ = draw.choice(strangers)
        plan = (
            *_signature(name, subject, when),
            CRM,
            click("Customers"),
            fill("Search", address),
            click("Filter"),
            fill("Search", name),
            click("Filter"),
        )
        return Draft(_phone_words(draw, name), plan, infeasible=f"{name} is not among the customers.")
    writers = world("mail").rows(
        "SELECT name, sender FROM mail WHERE owner = 1 AND kind = 'letter' AND folder IN ('inbox', 'archive') AND "
        "sender NOT IN (SELECT sender FROM mail WHERE body LIKE '%phone%') GROUP BY sender ORDER BY sender"
    )
    known = set(world("crm").rows("SELECT email FROM customer"))
    names = [name for name, address in writers if address in known]
    if not names:
        return None
    name = draw.choice(names)
    plan = (*find(name), *find(f"{name} Phone"))
    return Draft(_phone_words(draw, name), plan, infeasible=f"No mail from {name} is signed with a phone number.")


@work.template(3, sites=("crm", "mail"))
def write_deal_owner(world: World, draw: Draw) -> Draft | None:
    """Ask to write to the owner of a deal, whose first name another employee may share."""
    rows = world("crm").rows(
        "SELECT min(d.id), d.title, d.owner, d.due FROM deal d GROUP BY d.title HAVING count(*) = 1 ORDER BY 1"
    )
    alike = [row for row in rows if row[2] in (4, 5)]  # their first names are those of 8 and 9
    rows = alike if alike and draw.chance(0.6) else rows
    if not rows:
        return None
    _, title, owner, due = draw.choice(rows)
    person = world.cast.people[owner - 1]
    subject = draw.choice(DEAL_SUBJECTS).format(title)
    plan = (
        click("Deals"),
        fill("Search", title),
        click("Filter"),
        other_tab(MAIL),
        *written(person.name, subject, due),
    )
    text = worded(draw, DEAL, title=title, subject=subject)
    return Draft(text, plan, (sent(world, person.email, subject, Said(due)),))


# ---- tracker ----------------------------------------------------------------------------------------------------


@work.template(4, sites=("tracker", "mail"))
def write_assignee(world: World, draw: Draw) -> Draft | None:
    """Ask to write to whoever the oldest or newest open issue of a kind is assigned to."""
    age = draw.choice(tuple(_AGES))
    found = [row for row in _issues(world, age) if row[4] > 1]
    if not found:
        return None
    name, priority, key, title, assignee = draw.choice(found)
    person, body = world.cast.people[assignee - 1], draw.choice(NOTES)
    plan = (
        *_listed(name, priority),
        click(f"{key} {title}", via="Next"),
        click("Members"),
        MAIL,
        *written_to(person.email, key, body),
    )
    return Draft(_assignee_words(draw, age, name, priority, body), plan, (sent(world, person.email, key, Said(body)),))


@work.template(3, sites=("tracker", "mail"), infeasible=True)
def write_no_assignee(world: World, draw: Draw) -> Draft | None:
    """Ask the same about an issue without an assignee."""
    age = draw.choice(tuple(_AGES))
    found = [row for row in _issues(world, age) if not row[4]]
    if not found:
        return None
    name, priority, key, title, _ = draw.choice(found)
    text = _assignee_words(draw, age, name, priority, draw.choice(NOTES))
    plan = (*_listed(name, priority), click(f"{key} {title}", via="Next"))
    return Draft(text, plan, infeasible=f"The issue {key} has no assignee.")


@work.template(5, sites=("forum", "tracker"))
def thread_to_issue(world: World, draw: Draw) -> Draft | None:
    """Ask to file the newest thread of a board as an issue, and to post its key in the thread."""
    newest: dict[str, list[Any]] = {}
    for row in world("forum").rows(
        "SELECT b.title, t.id, t.title, t.author, t.locked, t.at FROM thread t JOIN board b ON b.id = t.board "
        "WHERE t.removed = 0 ORDER BY t.at DESC, t.id"
    ):
        newest.setdefault(row[0], []).append(row)
    rows = [found[0] for found in newest.values() if len(found) == 1 or found[0][5] != found[1][5]]
    rows = [row for row in rows if row[3] != 1 and not row[4]]
    if not rows:
        return None
    (board, number, title, author, *_), (project, short, name) = draw.choice(
        _at_home(product(rows, own_projects(world)), lambda pair: (pair[1][2], pair[0][0]))
    )
    priority, who = draw.choice(("Low", "High", "Urgent")), world.cast.people[author - 1].name
    count = world("tracker").row("SELECT max(number) + 1 FROM issue WHERE project = ?", project)
    text = worded(draw, THREAD, board=board, project=name, priority=priority)
    plan = (
        click(board, "link"),
        click(title, "link"),
        other_tab(TRACKER),
        click(name),
        click("New issue"),
        fill("Title", title),
        fill("Description", who),
        select("Priority", priority),
        click("Save issue"),
        tab(1),
        fill("Comment", f"{short}-{count}"),
        click("Post comment"),
    )
    issue = insert(
        "tracker.issue",
        project=project,
        number=count,
        title=title,
        body=Said(who),
        priority=priority,
        reporter=1,
        created=f"{world.now:%Y-%m-%d}",
    )
    comment = insert("forum.comment", thread=number, author=1, body=Said(f"{short}-{count}"), at=stamp(world))
    return Draft(text, plan, (issue, comment))


@work.template(2, sites=("tracker", "forum"))
def announce_milestone(world: World, draw: Draw) -> Draft | None:
    """Ask to announce the date of a milestone in a new thread."""
    rows = world("tracker").rows(
        "SELECT p.name, s.title, s.due FROM milestone s JOIN project p ON p.id = s.project WHERE s.state = 'open' "
        "ORDER BY s.id"
    )
    boards = world("forum").rows("SELECT id, title FROM board ORDER BY id")
    (name, release, due), (board, place) = draw.choice(
        _at_home(product(rows, boards), lambda pair: (pair[0][0], pair[1][1]))
    )
    title = draw.choice(MILESTONE_TITLES).format(name, release)
    text = worded(draw, MILESTONE, release=release, project=name, board=place, title=title)
    plan = (
        click(name),
        click("Milestones"),
        FORUM,
        click(place, "link"),
        click("New thread"),
        click("Close"),
        fill("Title", title),
        fill("Text", due),
        click("Post thread"),
    )
    change = insert("forum.thread", board=board, author=1, title=title, body=Said(due), at=stamp(world))
    return Draft(text, plan, (change,))


# ---- draws and steps -------------------------------------------------------------------------------------------------


def _at_home(pairs: Iterable[Any], named: Callable[[Any], tuple[str, str]]) -> list[Any]:
    """Return the pairs whose project and board are about the same things, or all if there are none."""
    found = list(pairs)
    return [pair for pair in found if named(pair) in _ABOUT] or found


def _signed(world: World) -> list[tuple[str, str, str, str, str]]:
    """Return (address, name, subject, time, number) of each writer's newest mail signed with a phone number."""
    return [
        (address, name, subject, when, number)
        for address, name, subject, when, number in world("mail").rows(
            "SELECT sender, name, subject, max(sent), fact FROM mail WHERE kind = 'signature' AND owner = 1 GROUP BY "
            "sender ORDER BY sender"
        )
    ]


def _customers(world: World, address: str, name: str) -> list[tuple[int, str, str]]:
    """Return (id, e-mail, phone) of the back office's entries with that address or name."""
    return world("crm").rows(
        "SELECT id, email, phone FROM customer WHERE email = ? OR name = ? ORDER BY id", address, name
    )


def _signature(name: str, subject: str, when: str) -> Plan:
    return (*find(f"{name} Phone"), click(subject, "link", near=when, via="Next"))


def _phone_words(draw: Draw, name: str) -> str:
    return worded(draw, PHONE, name=name)


def _issues(world: World, age: str) -> list[Any]:
    """Return (project, priority, key, title, assignee) of the oldest or newest open issue by project and priority."""
    rows = world("tracker").rows(
        f"SELECT p.name, i.priority, p.key || '-' || i.number, i.title, i.assignee, {_AGES[age][0]}(i.number) FROM "
        f"issue i JOIN project p ON p.id = i.project WHERE i.{OPEN} GROUP BY i.project, i.priority HAVING count(*) > 1 "
        "ORDER BY i.project, i.priority"
    )
    return [row[:5] for row in rows if row[1] in PRIORITIES]


def _listed(name: str, priority: str) -> Plan:
    return click(name), select("Status", ANY_OPEN), select("Priority", priority), click("Filter")


def _assignee_words(draw: Draw, age: str, name: str, priority: str, body: str) -> str:
    return worded(draw, ASSIGNEE, age=age, extreme=_AGES[age][1], project=name, priority=priority, body=body)
