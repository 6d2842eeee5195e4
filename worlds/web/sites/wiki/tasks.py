"""Tasks of the wiki: finding facts, following histories, and editing."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from turnwise.worlds.documents import World as Encyclopedia
from turnwise.worlds.documents.questions import Question, make_question
from turnwise.worlds.documents.questions.known import stated_in
from turnwise.worlds.documents.questions.logic import Fact
from turnwise.worlds.documents.schema import relation_named
from turnwise.worlds.web.site import Answer, Change, Draft, Draw, OneOf, Plan, Tasks, World, click, fill, insert, update
from turnwise.worlds.web.sites.wiki.data import encyclopedia
from turnwise.worlds.web.sites.wiki.text import infobox, links, shown_as

__all__ = ["damaged_pages", "open_page", "reading"]

reading = Tasks()

_TRIES = 12
_PAGE = "SELECT p.id, p.title, r.text, p.revision FROM page p JOIN revision r ON r.id = p.revision"
_YEARS = ("Founded", "Published", "Described", "Completed", "Established")
_SUMMARIES = ("as agreed in the discussion", "checked with the list", "correction", "from my notes", "small addition")
_LINES = (
    "A photograph of 1931 is kept in the town archive.",
    "The subject is taught in schools.",
    "A small exhibition is being prepared.",
    "See also {}.",
    "Compare {}.",
    "More on this is found under {}.",
)


# ---- questions --------------------------------------------------------------------------------------------------


@reading.template(2)
def lookup(world: World, draw: Draw) -> Draft | None:
    """Ask for one fact, on the page of its subject or elsewhere."""
    return _question(world, draw, (1,))


@reading.template(4)
def hops(world: World, draw: Draw) -> Draft | None:
    """Ask for the end of a chain of facts over links."""
    return _question(world, draw, (2, 2, 3, 3, 4))


@reading.template(3, infeasible=True)
def unanswerable(world: World, draw: Draw) -> Draft | None:
    """Ask for something that no page says."""
    wiki = _encyclopedia(world)
    rng = np.random.default_rng(draw.integer(0, 2**31))
    hurt, there = damaged_pages(world), draw.chance(0.75)  # most ask of something that has a page
    for _ in range(8 * _TRIES):
        made = make_question(wiki, rng, "unanswerable", 1 + draw.integer(0, 1))
        if made is None or made.answerable or any(len(wiki.named(name)) > 1 for name in made.names):
            continue
        if re.search(r" in [0-9]{4}\?$", made.text):  # chains of facts, which have answers, never ask of a year
            continue
        subjects = wiki.named(made.names[0]) if made.names else ()
        if bool(subjects) != there:
            continue
        if not subjects:
            plan: Plan | None = fill("Search the wiki", made.names[0]), click("Search")
        elif wiki.page_of(subjects[0]) + 1 in hurt:
            continue
        else:
            plan = _walk(world, wiki, subjects[0], made.needed)
        if plan is not None:
            return Draft(_asked(made), plan, infeasible="No page of the wiki says so.")
    return None


@reading.template(4)
def category_members(world: World, draw: Draw) -> Draft | None:
    """Ask for the pages of a category whose infobox says more, or less, than some number."""
    names = world("wiki").rows(
        "SELECT name FROM category GROUP BY name HAVING count(*) BETWEEN 3 AND 8 AND name != 'Lists' ORDER BY name"
    )
    wrong = world("wiki").rows("SELECT p.title, d.label FROM planted d JOIN page p ON p.id = d.page")
    for name in draw.sample(names, _TRIES):
        pages = world("wiki").rows(f"{_PAGE} JOIN category c ON c.page = p.id WHERE c.name = ? ORDER BY p.title", name)
        boxes = {title: dict(infobox(text)) for _, title, text, _ in pages}
        labels = sorted({label for box in boxes.values() for label in box})
        for label in draw.shuffled(labels):
            values = {title: _number(box[label]) for title, box in boxes.items() if label in box}
            if len(values) < 3 or any((title, label) in wrong for title in values):  # overviews must agree
                continue
            ranked = sorted(values.values())
            bound = draw.choice(ranked[1:-1])
            above = draw.chance(0.5)
            good = [title for title, value in values.items() if (value > bound if above else value < bound)]
            if not 1 <= len(good) <= 4:
                continue
            if label in ("Born", "Died", "Held"):
                edge = f"a date {'after' if above else 'before'} the year {bound}"
            elif label in _YEARS:
                edge = f"a year {'after' if above else 'before'} {bound}"
            else:
                edge = f"a number {'above' if above else 'below'} {bound:,}"
            text = (
                f'List the titles of all pages in the category "{name}" that give {edge} for "{label}" in the infobox. '
                "Leave out pages without such an entry, and separate the titles by semicolons."
            )
            plan: Plan = click("Categories"), click(name)
            for title in boxes:
                plan += click(title), click(name)
            return Draft(text, plan, answer=Answer.items(good))
    return None


# ---- histories --------------------------------------------------------------------------------------------------


@reading.template(3)
def who_removed(world: World, draw: Draw) -> Draft | None:
    """Ask who removed a sentence from a page."""
    page, sentence, number = draw.choice(
        world("wiki").rows(  # of pages that somebody else has cut, too
            "SELECT d.page, d.value, d.revision FROM planted d JOIN revision r ON r.id = d.revision WHERE "
            "d.kind = 'cut' AND EXISTS (SELECT 1 FROM planted o JOIN revision q ON q.id = o.revision WHERE "
            "o.kind = 'cut' AND o.page = d.page AND q.editor != r.editor) ORDER BY d.id"
        )
    )
    texts = world("wiki").rows("SELECT id, text FROM revision WHERE page = ? ORDER BY id", page)
    held = [sentence in text for _, text in texts]
    if sum(a and not b for a, b in pairwise(held)) != 1:
        return None
    title = world("wiki").row("SELECT title FROM page WHERE id = ?", page)
    who, made = world("wiki").row(
        "SELECT a.name, r.made FROM revision r JOIN account a ON a.id = r.editor WHERE r.id = ?", number
    )
    text = draw.either(
        f'The page "{title}" once said: "{sentence}" Who removed this sentence? Answer with the name of the editor.',
        f'Which editor took the sentence "{sentence}" off the page "{title}"? Give the name.',
    )
    plan: Plan = *open_page(title), click("Page tools"), click("History")
    for _, other in reversed(world("wiki").rows("SELECT id, made FROM revision WHERE page = ? ORDER BY id", page)):
        plan += (click("diff", near=other),)
        if other == made:
            break
        plan += (click("History of the page"),)
    return Draft(text, plan, answer=Answer.of("text", who))


@reading.template(4)
def most_edited(world: World, draw: Draw) -> Draft | None:
    """Ask for the page that somebody has edited most often since a day."""
    editors = world("wiki").rows("SELECT editor FROM revision GROUP BY editor HAVING count(*) > 5 ORDER BY editor")
    cases: list[tuple[int, int, str, str, int]] = []
    for editor in draw.sample(editors, _TRIES):
        edits = _edits_of(world, editor)
        ever = Counter(title for _, title in edits)
        for since in sorted({made[:10] for made, _ in edits[3:20]}):
            counts = Counter(title for made, title in edits if made >= since).most_common(2)
            (title, best), others = counts[0], [count for other, count in ever.items() if other != counts[0][0]]
            # all edits together must not reveal the answer
            met = any(title not in other for other in ever)  # nor must the instruction
            if met and len(counts) == 2 and best > counts[1][1] and max(others) >= ever[title]:
                cases.append((min(best, 3), editor, since, title, sum(made >= since for made, _ in edits)))
    if not cases:
        return None
    most = max(case[0] for case in cases)
    _, editor, since, title, total = draw.choice([case for case in cases if case[0] == most])
    who = world("wiki").row("SELECT name FROM account WHERE id = ?", editor)
    last_made, last_title = next(edit for edit in _edits_of(world, editor) if title not in edit[1])
    text = (
        f"Which page has {who} edited most often since {since} (that day included)? You find {who} in the "
        f'history of "{last_title}" (edit of {last_made}). Answer with the title of the page.'
    )
    plan: Plan = (
        *open_page(last_title),
        click("Page tools"),
        click("History"),
        click(who, near=last_made),
        fill("Since", since),
        click("Show"),
        *(click("Next"),) * (-(-total // 12) - 1),
    )
    return Draft(text, plan, answer=Answer.of("text", title))


@reading.template(3)
def undo_vandal(world: World, draw: Draw) -> Draft | None:
    """Ask to undo the last edit of a page."""
    page = draw.choice(world("wiki").rows("SELECT page FROM planted WHERE kind = 'vandalism' ORDER BY id"))
    title = world("wiki").row("SELECT title FROM page WHERE id = ?", page)
    text = draw.either(
        f'The last edit of the page "{title}" is vandalism. Undo it with a button of the page\'s history.',
        f'Somebody has spoilt the page "{title}" with the latest edit. Use a button of its history to bring '
        "back the version before.",
    )
    plan = *open_page(title), click("Page tools"), click("History"), click("Undo")
    return Draft(text, plan, _undone(world, (page,)))


@reading.template(5)
def undo_all(world: World, draw: Draw) -> Draft | None:
    """Ask to undo all edits of a vandal, known from one page."""
    vandals = world("wiki").rows(
        "SELECT DISTINCT r.editor, a.name FROM planted d JOIN page p ON p.id = d.page JOIN revision r ON r.id = "
        "p.revision"
        " JOIN account a ON a.id = r.editor WHERE d.kind = 'vandalism' ORDER BY 1"
    )
    vandal, who = draw.choice(vandals)
    pages = world("wiki").rows(
        f"{_PAGE} JOIN planted d ON d.page = p.id WHERE d.kind = 'vandalism' AND r.editor = ? ORDER BY p.revision DESC",
        vandal,
    )
    first = draw.choice(pages)[1]
    text = (
        f'The last edit of the page "{first}" is vandalism, and its editor has spoilt other pages, too. Undo all '
        "their vandalism, which is the last edit of each of these pages, with a button of the page's history. "
        "Leave edits of theirs that do no harm."
    )
    plan: Plan = *open_page(first), click("Page tools"), click("History"), click(who)
    for place, (_, title, _, _) in enumerate(pages):
        if place:
            plan += click("Page tools"), click("History"), click(who)
        plan += click(title), click("Page tools"), click("History"), click("Undo")
    return Draft(text, plan, _undone(world, [page[0] for page in pages]))


# ---- edits ------------------------------------------------------------------------------------------------------


@reading.template(1)
def watch(world: World, draw: Draw) -> Draft | None:
    """Ask to watch a page, or to stop watching it."""
    page, title = draw.choice(world("wiki").rows("SELECT id, title FROM page WHERE kind = 'entity' ORDER BY id"))
    if world("wiki").row("SELECT 1 FROM watch WHERE owner = 1 AND page = ?", page):
        return None
    text = draw.choice((f'Put the page "{title}" on my watchlist.', f'I want to watch the wiki page "{title}".'))
    plan = *open_page(title), click("Page tools"), click("Watch this page")
    return Draft(text, plan, (insert("wiki.watch", owner=1, page=page),))


@reading.template(2)
def add_line(world: World, draw: Draw) -> Draft | None:
    """Ask for a new last line."""
    return _line(world, draw, protected=False)


@reading.template(2, infeasible=True)
def add_line_protected(world: World, draw: Draw) -> Draft | None:
    """Ask the same on a page that is protected: not possible."""
    return _line(world, draw, protected=True)


@reading.template(3)
def fix_field(world: World, draw: Draw) -> Draft | None:
    """Ask to correct an infobox by what an overview says."""
    planted = world("wiki").rows("SELECT page, label, value FROM planted WHERE kind = 'wrong' ORDER BY id")
    if not planted:
        return None
    page, label, value = draw.choice(planted)
    _, title, text, _ = world("wiki").row(f"{_PAGE} WHERE p.id = ?", page)
    rows = world("wiki").rows(f"{_PAGE} WHERE p.kind = 'overview' ORDER BY p.id")
    overview = next(t for _, t, body, _ in rows if f"| {label} |" in body and f"| [[{title}]] | {value} |" in body)
    wrong = dict(infobox(text))[label]
    summary = draw.choice(_SUMMARIES)
    right = text.replace(f"| {label} = {wrong}\n", f"| {label} = {value}\n", 1)
    instruction = (
        f'The infobox of the page "{title}" has a wrong value for "{label}". Correct it to what the page '
        f'"{overview}" says, '
        f'change nothing else, and give the summary "{summary}".'
    )
    plan = (
        *open_page(overview),
        *open_page(title),
        click("Page tools"),
        click("Edit"),
        fill(label, value),
        fill("Summary of the edit", summary),
        click("Save page"),
    )
    return Draft(instruction, plan, _edited(world, page, right, summary))


# ---- draws and steps -------------------------------------------------------------------------------------------------


def _encyclopedia(world: World) -> Encyclopedia:
    return encyclopedia(*world("wiki").row("SELECT seed, documents FROM about ORDER BY id"))


def damaged_pages(world: World) -> set[int]:
    """Return the ids of pages that are damaged at the start."""
    return set(world("wiki").rows("SELECT page FROM planted WHERE kind != 'cut'"))


def open_page(title: str) -> Plan:
    """Return the steps that open a page by the search."""
    return click("Main page"), fill("Search the wiki", title), click("Search"), click(title)


def _asked(made: Question) -> str:
    return f"Find the answer on the wiki: {made.text}"


def _question(world: World, draw: Draw, lengths: Sequence[int]) -> Draft | None:
    """Draw a chain of facts that the wiki states, with a reader's way over its pages."""
    wiki, hurt = _encyclopedia(world), damaged_pages(world)
    rng = np.random.default_rng(draw.integer(0, 2**31))
    for _ in range(_TRIES):
        hops = draw.choice(lengths)
        made = make_question(wiki, rng, "chain", hops)
        if made is None or made.hops != hops or made.lies:
            continue
        pages = {number + 1 for fact in made.needed for number in (*stated_in(wiki, fact), wiki.page_of(fact.subject))}
        if pages & hurt:
            continue
        plan = _walk(world, wiki, made.needed[0].subject, made.needed)
        if plan is not None:
            return Draft(_asked(made), plan, answer=_answer(made))
    return None


def _answer(made: Question) -> Answer:
    (forms,) = made.answers
    if made.form == "number":
        return Answer("number", (forms,))
    if made.form == "date":
        dated = relation_named(made.relation).object == "date"
        return Answer.of("date", forms[2]) if dated else Answer.of("number", forms[0])
    return Answer("text", (forms,))


def _walk(world: World, wiki: Encyclopedia, start: int, facts: Sequence[Fact]) -> Plan | None:
    """Return the steps from the search to the page with the last fact, or None if a link is missing."""
    title = wiki.title(start)
    plan: Plan = fill("Search the wiki", title), click("Search"), click(title)
    for place, fact in enumerate(facts):
        documents, here = stated_in(wiki, fact), wiki.page_of(fact.subject)
        if here not in documents:
            told = wiki.page_title(documents[0])
            if not world("wiki").row(
                "SELECT 1 FROM link WHERE source = ? AND title = ?", documents[0] + 1, wiki.title(fact.subject)
            ):
                return None
            plan += click("Page tools"), click("What links here"), click(told, via="Next")
            here = documents[0]
        if place + 1 < len(facts) and here != wiki.page_of(fact.object):
            text = world("wiki").row(f"{_PAGE} WHERE p.id = ?", here + 1)[2]
            name = shown_as(text, wiki.title(fact.object))
            same = [other for other in links(text) if shown_as(text, other) == name]
            if not name or len(same) > 1:
                return None
            plan += (click(name),)
    return plan


def _edits_of(world: World, editor: int) -> list[tuple[str, str]]:
    """Return times and titles of somebody's edits, the latest first."""
    return world("wiki").rows(
        "SELECT r.made, p.title FROM revision r JOIN page p ON p.id = r.page WHERE r.editor = ? ORDER BY r.id DESC",
        editor,
    )


def _number(value: str) -> int:
    """Return a number, or the year of a date."""
    digits: str = re.findall(r"\d+", value.replace(",", ""))[-1]
    return int(digits)


def _edited(world: World, page: int, text: Any, summary: str, place: int = 0, minor: int = 0) -> tuple[Change, Change]:
    """Return the changes of a new revision of a page, before which ``place`` other edits come."""
    number = world("wiki").row("SELECT max(id) FROM revision") + 1 + place
    made = world.now.isoformat(" ", "minutes")
    revision = insert(
        "wiki.revision", id=number, page=page, editor=1, made=made, summary=summary, minor=minor, text=text
    )
    return revision, update("wiki.page", page, revision=number)


def _undone(world: World, pages: Sequence[int]) -> tuple[Change, ...]:
    """Return the changes that undo the last edits of pages, in any order."""
    changes: list[Change] = []
    first = world("wiki").row("SELECT max(id) FROM revision") + 1
    numbers = OneOf(tuple(range(first, first + len(pages))))
    made = world.now.isoformat(" ", "minutes")
    for page in pages:
        edit, who = world("wiki").row(
            "SELECT r.id, a.name FROM page p JOIN revision r ON r.id = p.revision JOIN account a ON a.id = r.editor "
            "WHERE p.id = ?",
            page,
        )
        before = world("wiki").row(
            "SELECT text FROM revision WHERE page = ? AND id < ? ORDER BY id DESC LIMIT 1", page, edit
        )
        same = world("wiki").rows(  # versions to which the page can be restored with the same outcome
            "SELECT 'Restore edit ' || r.id || ' by ' || a.name FROM revision r JOIN account a ON a.id = r.editor "
            "WHERE page = ? AND text = ? ORDER BY r.id",
            page,
            before,
        )
        summary = OneOf((f"Undo edit {edit} by {who}", *same))
        changes += (
            insert("wiki.revision", page=page, editor=1, made=made, summary=summary, text=before),
            update("wiki.page", page, revision=numbers),
        )
    return tuple(changes)


def _line(world: World, draw: Draw, protected: bool) -> Draft | None:
    hurt = damaged_pages(world)
    pages = world("wiki").rows(f"{_PAGE} WHERE p.kind = 'entity' AND p.protected = ? ORDER BY p.id", int(protected))
    page, title, text, _ = draw.choice([entry for entry in pages if entry[0] not in hurt])
    other = draw.choice(
        world("wiki").rows("SELECT title FROM page WHERE kind = 'entity' AND id != ? ORDER BY id", page)
    )
    line, summary = draw.choice(_LINES).format(f"[[{other}]]"), draw.choice(_SUMMARIES)
    if line in text:
        return None
    added = draw.either(
        f'Add "{line}" as the new last line of the page "{title}".',
        f'The page "{title}" is to have the line "{line}" at its end, after all others.',
    )
    keep = " Keep the double brackets, which make a link." if "[[" in line else ""
    instruction = f'{added}{keep} Give the edit the summary "{summary}".'
    plan: Plan = *open_page(title), click("Page tools"), click("Edit")
    if protected:
        return Draft(instruction, plan, infeasible="The page is protected.")
    plan += fill("New last line", line), fill("Summary of the new line", summary), click("Add line")
    return Draft(instruction, plan, _edited(world, page, OneOf((f"{text}\n{line}", f"{text}\n\n{line}")), summary))
