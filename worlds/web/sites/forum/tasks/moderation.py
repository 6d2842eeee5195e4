"""Tasks for the forum's moderators, and reports to them."""

from collections import Counter
from typing import Any

from turnwise.worlds.web.site import Draft, Draw, Plan, Said, Tasks, World, click, fill, insert, select, update
from turnwise.worlds.web.sites.forum.words import BOARDS, RULES

__all__ = ["WORDS", "find_thread", "moderation", "stamp", "threads_of"]

moderation = Tasks()

WORDS = "Words in title or text"  # what the search calls its field
_AMONG = 4  # comments, at least, among which one breaks a rule
_WARNINGS = (
    "Please read the rules of this board.",
    "This is your first warning.",
    "Please keep to the rules from now on.",
)
_OFFENCES = {
    "sale": "offers something for sale",
    "phone": "gives a phone number",
    "caps": "is written all in capital letters",
    "link": "names the address of another web site",
    "insult": "calls people names",
}


def threads_of(world: World, where: str, *values: object) -> list[Any]:
    """Return visible threads: id, title, author's id and name, board's id and title, body, locked."""
    return world("forum").rows(
        "SELECT thread.id, thread.title, author, name, board, board.title, body, locked FROM thread JOIN account ON "
        f"account.id = author JOIN board ON board.id = board WHERE removed = 0 AND {where} ORDER BY thread.id",
        *values,
    )


def find_thread(title: str, board: str = "") -> Plan:
    """Return the steps that search for a thread and open it."""
    steps = (click("Search", "link"), fill(WORDS, title), *((select("Board", board),) if board else ()))
    return (*steps, click("Search threads"), click(title, "link", via="Next"))


def stamp(world: World) -> str:
    """Return the present time as the forum writes it."""
    return f"{world.now:%Y-%m-%d %H:%M}"


def _mine(world: World) -> Any:
    """Return the board that the user moderates: id, title, about, prefix."""
    return world("forum").row("SELECT id, title, about, prefix FROM board WHERE moderator = 1 ORDER BY id")


def _subject(title: str) -> str:
    """Return the board that is about what a title mentions, or ""."""
    return next((board.title for board in BOARDS if any(thing in title for thing in board.things)), "")


@moderation.template(4)
def report_offence(world: World, draw: Draw) -> Draft | None:
    """Ask to report the comment that breaks a rule, under the number of that rule."""
    rows = world("forum").rows(
        "SELECT comment.id, thread.id, title, comment.body, comment.breaks, board, number FROM comment "
        "JOIN thread ON thread.id = thread JOIN rule USING (board) WHERE comment.breaks <> '' "
        "AND rule.key = comment.breaks AND comment.removed = 0 AND comment.author <> 1 "
        "AND comment.id NOT IN (SELECT comment FROM report) AND NOT EXISTS (SELECT 1 FROM comment o "
        "WHERE o.thread = comment.thread AND o.breaks = comment.breaks AND o.id <> comment.id) AND (SELECT "
        "count(*) FROM comment o WHERE o.thread = comment.thread) >= ? ORDER BY comment.id",
        _AMONG,
    )
    if not rows:
        return None
    number, thread, title, said, key, board, rule = draw.choice(rows)
    text = draw.either(
        'A comment in the thread "{0}" {1}. Report it under the rule that it breaks.',
        'Somebody in the thread "{0}" wrote a comment that {1}. Report that comment and choose the broken rule.',
    )
    plan = (
        *find_thread(title),
        click("Report", near=said, via="Load more comments"),
        select("Which rule does it break?", f"Rule {rule}: {RULES[key]}"),
        click("Send report"),
    )
    change = insert("forum.report", board=board, thread=thread, comment=number, reporter=1, rule=rule, at=stamp(world))
    return Draft(text.format(title, _OFFENCES[key]), plan, (change,))


@moderation.template(3)
def lock_thread(world: World, draw: Draw) -> Draft | None:
    """Ask a moderator to lock or pin a thread."""
    number, title, *_ = draw.choice(threads_of(world, "moderator = 1 AND locked = 0 AND pinned = 0"))
    verb, column = draw.choice((("Lock", "locked"), ("Pin", "pinned")))
    plan = (*find_thread(title), click("Moderator tools"), click(f"{verb} thread"))
    return Draft(f'{verb} the thread "{title}".', plan, (update("forum.thread", number, **{column: 1}),))


@moderation.template(3, infeasible=True)
def lock_elsewhere(world: World, draw: Draw) -> Draft | None:
    """Ask to lock or pin a thread of a board that somebody else moderates: not possible."""
    _, title, *_ = draw.choice(threads_of(world, "moderator <> 1 AND locked = 0 AND pinned = 0"))
    verb = draw.choice(("Lock", "Pin"))
    return Draft(
        f'{verb} the thread "{title}".', find_thread(title), infeasible="I am no moderator of the board of that thread."
    )


@moderation.template(3)
def move_thread(world: World, draw: Draw) -> Draft | None:
    """Ask to move a thread to the board that is about its subject."""
    places = {row[1]: row for row in world("forum").rows("SELECT id, title, about FROM board ORDER BY id")}
    threads = [(*row, _subject(row[1])) for row in threads_of(world, "moderator = 1")]
    number, title, *_, name, _, _, other = draw.choice(
        [row for row in threads if row[-1] in places and row[-1] != row[5]]
    )
    to, _, about = places[other]
    text = draw.either(
        'The thread "{0}" does not belong in {1}. Move it to the board about {2}.',
        'As the moderator of {1}, move the thread "{0}" to the board about {2}.',
    )
    plan = (*find_thread(title), click("Moderator tools"), select("Move to", other), click("Move thread"))
    return Draft(text.format(title, name, about), plan, (update("forum.thread", number, board=to),))


@moderation.template(4)
def warn_author(world: World, draw: Draw) -> Draft | None:
    """Ask to warn the author who broke a rule in a thread; the rule's number must be looked up."""
    board, name, *_ = _mine(world)
    posts = world("forum").rows(
        "SELECT thread.id, thread.title, thread.body, thread.breaks, thread.author, 0 FROM thread UNION ALL SELECT "
        "thread.id, title, comment.body, comment.breaks, comment.author, comment.id FROM comment JOIN thread ON "
        "thread.id = thread ORDER BY 1, 6"
    )
    own = {row[0] for row in threads_of(world, "moderator = 1")}
    broken = Counter((row[0], row[3]) for row in posts)
    posts = [row for row in posts if row[0] in own and row[3] and row[4] != 1 and broken[row[0], row[3]] == 1]
    _, title, said, key, author, comment = draw.choice(posts)
    rule = world("forum").row("SELECT number FROM rule WHERE board = ? AND key = ?", board, key)
    body = draw.choice(_WARNINGS)
    text = (
        f'A post in the thread "{title}" in {name} {_OFFENCES[key]}. Warn its author, and choose the rule against '
        f'that. The text of the warning: "{body}"'
    )
    way: Plan = click("Moderator tools"), click("Warn the author")
    if comment:
        who = world.cast.people[author - 1].name
        way = click(who, "link", near=said, via="Load more comments"), click("Warn")
    plan = (
        *find_thread(title),
        *way,
        select("Broken rule", f"Rule {rule}: {RULES[key]}"),
        fill("Text", body),
        click("Send warning"),
    )
    change = insert(
        "forum.warning", account=author, moderator=1, board=board, rule=rule, text=Said(body), at=stamp(world)
    )
    return Draft(text, plan, (change,))


@moderation.template(5)
def clear_queue(world: World, draw: Draw) -> Draft | None:
    """Ask to remove reported posts that break a rule, and to approve the rest."""
    board, name, *_ = _mine(world)
    rows = world("forum").rows(
        "SELECT report.id, report.thread, comment, coalesce(comment.body, thread.body), coalesce(comment.breaks, "
        "thread.breaks) FROM report JOIN thread ON thread.id = report.thread LEFT JOIN comment ON comment.id = "
        "report.comment WHERE report.board = ? AND status = 'open' ORDER BY report.at, report.id",
        board,
    )
    keys = sorted({row[4] for row in rows if row[4]})
    if not keys or len({row[3] for row in rows}) < len(rows):
        return None
    key = draw.choice(keys)
    rule = world("forum").row("SELECT number FROM rule WHERE board = ? AND key = ?", board, key)
    text = draw.either(
        "Work through my moderation queue: remove every reported post that breaks rule {0} of {1}, and "
        "approve all others, even if "
        "they break another rule. Judge by the posts, not by what the reports say.",
        "In the moderation queue, what really breaks rule {0} of the board {1} is to be removed. Approve "
        "everything else there, whatever it was reported for.",
    )
    plan: list[Plan] = [(click("Moderation"), click(f"Rules of {name}"), click("Moderation"))]
    changes = []
    for report, thread, comment, said, breaks in rows:
        bad = breaks == key
        plan.append((click("Remove" if bad else "Approve", near=said),))
        changes.append(update("forum.report", report, status="removed" if bad else "approved"))
        if bad:
            changes.append(update("forum.comment" if comment else "forum.thread", comment or thread, removed=2))
    return Draft(text.format(rule, name), tuple(step for part in plan for step in part), tuple(changes))
