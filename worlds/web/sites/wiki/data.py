"""The wiki's pages: those of a generated world, with overviews, histories, and some damage to repair."""

import datetime
import sqlite3
from typing import NamedTuple

from turnwise.worlds.documents import World as Encyclopedia
from turnwise.worlds.documents import open_world
from turnwise.worlds.documents.phrases import KIND_NOUNS
from turnwise.worlds.documents.questions.surfaces import value_forms
from turnwise.worlds.documents.schema import VOCABULARY, relation_named
from turnwise.worlds.web.site import Cast, Draw
from turnwise.worlds.web.sites.wiki.text import composed, infobox, links

__all__ = ["LABELS", "SCHEMA", "encyclopedia", "fill_wiki"]

SCHEMA = """
CREATE TABLE about (id INTEGER PRIMARY KEY, seed INTEGER NOT NULL, documents INTEGER NOT NULL);
CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, revision INTEGER NOT
    NULL, protected INTEGER NOT NULL DEFAULT 0);
CREATE TABLE revision (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, editor INTEGER NOT NULL, made TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '', minor INTEGER NOT NULL DEFAULT 0, text TEXT NOT NULL);
CREATE INDEX revision_page ON revision (page);
CREATE INDEX revision_editor ON revision (editor);
CREATE TABLE category (name TEXT NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (name, page)) WITHOUT ROWID;
CREATE TABLE link (source INTEGER NOT NULL, title TEXT NOT NULL, PRIMARY KEY (source, title)) WITHOUT ROWID;
CREATE INDEX link_title ON link (title);
CREATE TABLE watch (owner INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (owner, page)) WITHOUT ROWID;
CREATE TABLE talk (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, author INTEGER NOT NULL, made TEXT NOT NULL, text
    TEXT NOT NULL);
CREATE TABLE preference (owner INTEGER PRIMARY KEY, skin TEXT NOT NULL DEFAULT 'Classic', mails INTEGER NOT NULL
    DEFAULT 0);
CREATE TABLE planted (id INTEGER PRIMARY KEY, page INTEGER NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL
    DEFAULT '', value TEXT NOT NULL DEFAULT '', revision INTEGER NOT NULL DEFAULT 0);
"""

LABELS = {
    "area": "Area in square kilometres", "river_length": "Length in kilometres", "population": "Population",
    "city_founded": "Founded", "born_on": "Born", "died_on": "Died", "org_founded": "Founded", "employees": "Employees",
    "uni_founded": "Founded", "students": "Students", "published": "Published", "held_on": "Held",
    "attendance": "Visitors", "described": "Described", "wild_population": "Individuals", "completed": "Completed",
    "height": "Height in metres", "award_established": "Established", "prize_money": "Prize money in crowns",
}  # fmt: skip
"""How infoboxes call what is stated of a page's subject."""

_LISTED = {
    "population": "population", "employees": "number of employees", "published": "year of publication",
    "height": "height", "completed": "year of completion", "area": "area", "city_founded": "year of foundation",
    "org_founded": "year of foundation", "attendance": "number of visitors", "described": "year of description",
    "born_on": "date of birth",
}  # fmt: skip
_WHO = ("An old song", "A local legend", "A note in the archive", "One visitor", "A travel guide", "A retired teacher",
        "The last census", "A letter of unknown date")  # fmt: skip
_SAYS = ("mentions", "describes", "praises", "complains about", "makes fun of", "leaves out")
_WHAT = ("the cold winters here", "a bell that nobody could ring", "the smell of the fish market", "a white horse",
         "the long speeches", "the price of bread", "a lost key", "the view at sunrise",
         "three brothers and a goat")  # fmt: skip
_NONSENSE = (
    "THIS PAGE IS BORING!!!", "Tom was here and he is the greatest.", "lol nobody reads this anyway",
    "Buy cheap watches at watches dot test.", "My cat wrote this: asdfghjkl.",
    "Everything above is a lie told by penguins.",
)  # fmt: skip
_EXCUSES = ("", "", "small correction", "new information", "as everybody knows", "much better now")
_ADDED, _CUT, _FIXED = (
    ("more detail", "add a fact", "expand", "from the archive"),
    ("no source", "shorten", "off topic", "remove gossip"),
    ("typo", "spelling", "tidy up"),
)
_TALK = (
    "Is the date in the second line right? My book says otherwise.",
    "I have added what I found in the library.",
    "This page could do with a picture.",
    "Please give a source when you change numbers.",
    "Good work, everybody.",
    "Should this be split into two pages?",
)


_RECENT = 60 * 24 * 6  # minutes in which pages were spoilt


def encyclopedia(seed: int, documents: int) -> Encyclopedia:
    """Return the generated world behind a wiki, without older editions and copies: a wiki has histories."""
    return open_world(seed, documents, stale=0.0, copies=0.0, aliases=0.1, distractors=0.1, filler=3)


class _Written(NamedTuple):
    title: str
    kind: str
    text: str
    categories: tuple[str, ...]


def fill_wiki(db: sqlite3.Connection, draw: Draw, cast: Cast, size: int) -> None:
    """Write all rows; ``size`` is the number of pages of the generated world, at least 50."""
    seed, documents = draw.integer(0, 10**6), max(50, size)
    db.execute("INSERT INTO about (seed, documents) VALUES (?, ?)", (seed, documents))
    world = encyclopedia(seed, documents)
    pages = [_document(world, number) for number in range(world.num_documents)]
    pages += _overviews(world)
    pump = "Here we talk about the wiki itself.\nAsk for help, and sign with your name."
    pages.append(_Written("Village pump", "project", pump, ()))
    texts = {number: page.text for number, page in enumerate(pages, 1)}
    current = dict(texts)
    damage = _damage(draw, pages, current)
    guarded = set(draw.sample([n for n, page in enumerate(pages, 1) if page.kind == "entity" and n not in damage], 3))
    for number, page in enumerate(pages, 1):
        db.execute("INSERT INTO page VALUES (?, ?, ?, 0, ?)", (number, page.title, page.kind, int(number in guarded)))
        db.executemany("INSERT INTO category VALUES (?, ?)", [(name, number) for name in page.categories])
        db.executemany("INSERT INTO link VALUES (?, ?)", [(number, title) for title in links(current[number])])
    _histories(db, draw, cast, texts, current, damage)
    _talk(db, draw, cast, len(pages))
    db.executemany("INSERT INTO preference (owner) VALUES (?)", [(person.id,) for person in cast.people])
    entities = [n for n, page in enumerate(pages, 1) if page.kind == "entity"]
    db.executemany("INSERT INTO watch VALUES (1, ?)", [(page,) for page in draw.sample(entities, 4)])


def _document(world: Encyclopedia, number: int) -> _Written:
    page = world.page(number)
    text = "\n".join(line.rstrip() for line in world.markup(number).strip().split("\n"))
    if page.kind != "entity":
        names = ("Disambiguations",) if page.kind == "disambiguation" else ("Lists",)
        return _Written(page.title, "list" if page.kind == "table" else page.kind, text, names)
    kind = KIND_NOUNS[world.kind(page.subject)][1].capitalize()
    box, categories = [], [kind]
    for said in page.statements:
        if said.subject == page.subject and said.current and relation_named(said.relation).shape == "one":
            if said.relation in LABELS:
                box.append((LABELS[said.relation], value_forms(said.relation, said.object)[0]))
            elif said.relation in VOCABULARY:
                categories.append(f"{kind} ({VOCABULARY[said.relation][said.object]})")
    return _Written(page.title, "entity", composed(dict(box).items(), text), tuple(dict.fromkeys(categories)))


def _overviews(world: Encyclopedia) -> list[_Written]:
    """Return pages that list all stated values of a relation: "List of cities by population"."""
    found = []
    for name, words in _LISTED.items():
        table, relation = world.table(name), relation_named(name)
        if len(table.subjects) < 3:
            continue
        title = f"List of {KIND_NOUNS[relation.subject][1]} by {words}"
        rows = [f"| {KIND_NOUNS[relation.subject][0].capitalize()} | {LABELS[name]} |"]
        entries = zip(table.subjects.tolist(), table.objects.tolist(), strict=True)
        for subject, value in sorted((world.title(subject), value) for subject, value in entries):
            rows.append(f"| [[{subject}]] | {value_forms(name, value)[0]} |")
        found.append(_Written(title, "overview", "\n".join(["What our pages tell, in one table.", *rows]), ("Lists",)))
    return found


# ---- damage ----------------------------------------------------------------------------------------------------------


class _Damage(NamedTuple):
    kind: str
    label: str = ""
    value: str = ""
    vandal: int = 0


def _damage(draw: Draw, pages: list[_Written], current: dict[int, str]) -> dict[int, _Damage]:
    """Draw vandals' edits, and infoboxes that differ from the overviews, and apply them to ``current``."""
    found: dict[int, _Damage] = {}
    entities = draw.shuffled([n for n, page in enumerate(pages, 1) if page.kind == "entity"])
    first, second = draw.sample(range(40, 61), 2)
    hands = [first] * draw.integer(2, 4) + [second] * draw.integer(2, 3)
    for number, vandal in zip(entities, hands, strict=False):
        lines = current[number].split("\n")
        spoilt = draw.choice(_NONSENSE)
        how = draw.choice(("end", "middle", "instead"))
        if how == "end":
            lines.append(spoilt)
        elif how == "middle":
            lines.insert(max(len(lines) // 2, len(infobox(current[number]))) + 1, spoilt)
        else:
            lines[-1] = spoilt
        current[number] = "\n".join(lines)
        found[number] = _Damage("vandalism", vandal=vandal)
    overviews = [page for page in pages if page.kind == "overview"]
    by_title = {page.title: n for n, page in enumerate(pages, 1)}
    rows = []
    for page in overviews:
        label = page.text.split("\n")[1].strip("| ").split(" | ")[1]
        for line in page.text.split("\n")[2:]:
            name, value = line.strip("| ").split(" | ")
            number = by_title[name[2:-2]]
            if number not in found and f"| {label} = {value}\n" in current[number]:
                rows.append((number, label, value))
    wrong = 0
    for number, label, value in draw.shuffled(rows):
        if number in found or wrong == 5:
            continue
        other = _other_value(draw, value)
        current[number] = current[number].replace(f"| {label} = {value}\n", f"| {label} = {other}\n", 1)
        found[number] = _Damage("wrong", label, value)
        wrong += 1
    return found


def _other_value(draw: Draw, value: str) -> str:
    """Return the value with another last digit."""
    at = max(place for place, letter in enumerate(value) if letter.isdigit())
    return f"{value[:at]}{(int(value[at]) + draw.integer(1, 9)) % 10}{value[at + 1 :]}"


# ---- histories -------------------------------------------------------------------------------------------------------


def _histories(
    db: sqlite3.Connection,
    draw: Draw,
    cast: Cast,
    texts: dict[int, str],
    current: dict[int, str],
    damage: dict[int, _Damage],
) -> None:
    """Write revisions of all pages, oldest first, the last of each its current text."""
    editors = [person.id for person in draw.sample(cast.people[1:39], 10 + len(texts) // 30)]
    rows, planted = [], []
    histories: dict[int, list[tuple[int, str, int, str, str]]] = {}
    for page, text in texts.items():
        chain = _backwards(draw, text)
        editor = draw.choice(editors)
        made = histories[page] = []
        for summary, older, cut in chain:
            if not draw.chance(0.6 if len(chain) > 4 else 0.45):
                editor = draw.choice(editors)
            made.append((editor, summary, int(summary in _FIXED), older, cut))
    _harmless(draw, histories, damage)
    for page, made in histories.items():
        hurt = damage.get(page)
        if hurt is not None:
            who = hurt.vandal or draw.choice(editors)
            made.append((who, draw.choice(_EXCUSES) if hurt.vandal else "update figure", 0, current[page], ""))
        latest = 60 * 24 * (60 if draw.chance(0.4) else 365)
        ago = sorted((draw.integer(90, latest) for _ in made), reverse=True)
        if hurt is not None:
            ago[-1] = draw.integer(30, min(ago[-2], _RECENT if hurt.vandal else 90) - 1)
        for (who, summary, minor, older, cut), minutes in zip(made, ago, strict=True):
            rows.append((minutes, page, who, summary, minor, older, cut))
        if hurt is not None:
            planted.append((page, hurt.kind, hurt.label, hurt.value))
    rows.sort(key=lambda row: -row[0])
    for number, (minutes, page, who, summary, minor, text, cut) in enumerate(rows, 1):
        when = (cast.now - datetime.timedelta(minutes=minutes)).isoformat(" ", "minutes")
        db.execute("INSERT INTO revision VALUES (?, ?, ?, ?, ?, ?, ?)", (number, page, who, when, summary, minor, text))
        if cut:
            db.execute("INSERT INTO planted (page, kind, value, revision) VALUES (?, 'cut', ?, ?)", (page, cut, number))
    db.execute("UPDATE page SET revision = (SELECT max(r.id) FROM revision r WHERE r.page = page.id)")
    db.executemany("INSERT INTO planted (page, kind, label, value) VALUES (?, ?, ?, ?)", planted)


def _harmless(
    draw: Draw, histories: dict[int, list[tuple[int, str, int, str, str]]], damage: dict[int, _Damage]
) -> None:
    """Give vandals an edit or two that only correct a word: not all that they do is damage."""
    whole = [page for page, made in histories.items() if page not in damage and made[-1][1] in _FIXED]
    vandals = list(dict.fromkeys(hurt.vandal for hurt in damage.values() if hurt.vandal))
    hands = [vandal for vandal in vandals for _ in range(draw.integer(0, 2))]
    for page, vandal in zip(draw.sample(whole, len(hands)), hands, strict=False):
        histories[page][-1] = (vandal, *histories[page][-1][1:])


def _backwards(draw: Draw, text: str) -> list[tuple[str, str, str]]:
    """Return a page's past, oldest first: summary of the edit, the text it left, the sentence it removed."""
    chain: list[tuple[str, str, str]] = []
    gossip: set[str] = set()
    for _ in range(draw.weighted((1, 2, 3, 4, 7), (3, 3, 3, 1, 1))):
        how = draw.choice(("added", "cut", "fixed"))
        lines = text.split("\n")
        at = draw.integer(0, len(lines) - 1)
        if how == "cut" or lines[at].startswith(("|", "-")) or not lines[at]:
            sentence = f"{draw.choice(_WHO)} {draw.choice(_SAYS)} {draw.choice(_WHAT)}."
            if sentence in gossip:
                continue
            gossip.add(sentence)
            chain.append((draw.choice(_CUT), text, sentence))
            text = f"{text}\n{sentence}"
        elif how == "added" and lines[at].count(". ") > 0:
            chain.append((draw.choice(_ADDED), text, ""))
            first = lines[at].rpartition(". ")[0]
            text = "\n".join([*lines[:at], f"{first}.", *lines[at + 1 :]])
        else:
            place = lines[at].find(" the ")
            if place < 0:
                continue
            chain.append((draw.choice(_FIXED), text, ""))
            text = "\n".join([*lines[:at], f"{lines[at][:place]} teh {lines[at][place + 5 :]}", *lines[at + 1 :]])
    chain.append(("new page", text, ""))
    return chain[::-1]


def _talk(db: sqlite3.Connection, draw: Draw, cast: Cast, count: int) -> None:
    rows = []
    for page in [*draw.sample(range(1, count), count // 4), count, count, count]:
        minutes = draw.integer(100, 60 * 24 * 100)
        made = (cast.now - datetime.timedelta(minutes=minutes)).isoformat(" ", "minutes")
        rows.append((page, draw.integer(2, len(cast.people)), made, draw.choice(_TALK)))
    rows.sort(key=lambda row: (row[2], row[0], row[1]))
    db.executemany("INSERT INTO talk (page, author, made, text) VALUES (?, ?, ?, ?)", rows)
