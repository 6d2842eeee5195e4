"""Pages in words say what they are to say, and nothing else: a reader made of the templates reads them back."""

import random
import re
from collections import Counter
from dataclasses import replace
from datetime import date
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.worlds.documents._wording_reader import Reader, Relinker, normal, read, told
from turnwise.verifiers.qa import exact_match
from turnwise.worlds.documents import World, open_world
from turnwise.worlds.documents.phrases import PHRASES, phrases, read_sections
from turnwise.worlds.documents.schema import (
    GENRES,
    KINDS,
    OPEN,
    RELATIONS,
    VOCABULARY,
    Page,
    Relation,
    Statement,
    relation_named,
)
from turnwise.worlds.documents.wording.pages import plain, write
from turnwise.worlds.documents.wording.text import FILLER
from turnwise.worlds.documents.wording.values import date_forms, number_forms


class ToyWorld:
    """Entities with names, and nothing else."""

    each = 9

    def __init__(self) -> None:
        words = [
            a + b + c
            for a in ("Bre", "Zvo", "Tka", "Ruz")
            for b in ("lva", "kro", "zni", "mra", "gde")
            for c in "kxnmv"
        ]
        form = {
            "university": "University of {}",
            "award": "{} Prize",
            "work": "A Winter in {}",
            "person": "Ola {}",
            "event": "{} Days",
        }
        aliased = {r.subject for r in RELATIONS if r.object == "name"}
        self.num_entities = self.each * len(KINDS)
        self.names, self.titles, self.seconds = [], [], []
        for k, kind in enumerate(KINDS):
            for i in range(self.each):
                shared = i == 0 and kind in ("river", "city")
                name = "Tvarn" if shared else form.get(kind, "{}").format(words[(k * self.each + i) % len(words)])
                self.names.append(name)
                self.titles.append(f"{name} ({kind})" if shared else name)
                self.seconds.append((f"Nulgo{'abcdefghijk'[k]}{'abcdefghi'[i]}",) if kind in aliased and i % 2 else ())

    def name(self, e: int) -> str:
        return self.names[e]

    def title(self, e: int) -> str:
        return self.titles[e]

    def aliases(self, e: int) -> tuple[str, ...]:
        return self.seconds[e]

    def female(self, e: int) -> bool:
        return e % 2 == 0

    def kind(self, e: int) -> str:
        return KINDS[e // self.each]

    def range(self, kind: str) -> range:
        return range(KINDS.index(kind) * self.each, (KINDS.index(kind) + 1) * self.each)


TOY = ToyWorld()


def random_value(rng: random.Random, object_: str, relation: str) -> int:
    if object_ == "number":
        return rng.choice((rng.randrange(1, 10**7), 100 * rng.randrange(1, 10**5), 10_000 * rng.randrange(1, 900)))
    if object_ == "year":
        return rng.randrange(1600, 1990)
    if object_ == "date":
        return rng.randrange(1600, 1990) * 10_000 + rng.randrange(1, 13) * 100 + rng.randrange(1, 29)
    return rng.randrange(len(VOCABULARY[relation])) if object_ == "term" else 0


def random_fact(
    rng: random.Random, name: str, subject: int | None = None, object_: int | None = None
) -> Statement | None:
    relation = relation_named(name)
    subject = rng.choice(TOY.range(relation.subject)) if subject is None else subject
    if object_ is None:
        entity = relation.to_entity
        object_ = rng.choice(TOY.range(relation.object)) if entity else random_value(rng, relation.object, name)
    if (relation.object == "name" and not TOY.aliases(subject)) or (relation.to_entity and subject == object_):
        return None
    start, end = -1, -1
    if relation.shape == "terms":
        start = rng.randrange(1800, 1990)
        end = start if name == "laureate" else rng.choice((start, start + rng.randrange(1, 9), OPEN))
    forms = [
        1 if entity is not None and TOY.aliases(entity) and rng.random() < 0.3 else 0
        for entity in (subject, object_ if relation.to_entity else None)
    ]
    if relation.object == "name":
        forms[0] = 0
    return Statement(subject, name, object_, start, end, *forms, True)


def random_article(seed: int) -> Page:
    """An entity's page, older edition or copy with all that a page can hold."""
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    own = rng.choice(TOY.range(kind))
    found: dict[tuple[int, str, int, int], Statement | None] = {}
    for relation in RELATIONS:
        picks: list[Statement | None] = []
        if relation.subject == kind and rng.random() < 0.6:
            times = 1 if relation.shape == "one" and not relation.symmetric else rng.randrange(1, 6)
            picks += [random_fact(rng, relation.name, subject=own) for _ in range(times)]
        if relation.object == kind and not relation.symmetric and rng.random() < 0.4:
            picks += [random_fact(rng, relation.name, object_=own) for _ in range(rng.choice((1, 2, 4, 9)))]
        if rng.random() < 0.02:
            picks.append(random_fact(rng, relation.name))
        for x in picks:
            if x is not None and x[:4] not in found:
                found[x[:4]] = x
    facts = tuple(x for x in found.values() if x is not None)
    page_kind = rng.choice(("entity", "entity", "entity", "stale", "copy"))
    year = 1990 + rng.randrange(20) if page_kind == "stale" else 2015
    genre = (
        ""
        if page_kind == "entity"
        else rng.choice([genre for genre in GENRES if genre != "excerpt" or page_kind == "copy"])
    )
    return Page(
        seed, TOY.title(own), page_kind, own, facts, (), "", (), year, rng.randrange(5), rng.getrandbits(63), genre
    )


def random_listing(seed: int) -> Page:
    rng = random.Random(seed)
    listed = [relation for relation in RELATIONS if relation.list_title]
    relation = listed[seed % len(listed)]
    terms = relation.shape == "terms"
    anchor = rng.choice(TOY.range(relation.subject if terms else relation.object))
    made = [
        random_fact(rng, relation.name, **({"subject": anchor} if terms else {"object_": anchor}))
        for _ in range(rng.randrange(2, 12))
    ]
    facts = {x[:4]: x for x in made if x is not None}
    if not terms:
        facts = {x.subject: x for x in facts.values()}  # type: ignore[misc]
    columns = []
    if not terms and rng.random() < 0.5:
        values = [
            r.name
            for r in RELATIONS
            if r.subject == relation.subject and r.object in ("number", "year", "date", "term")
        ]
        columns = rng.sample(values, min(2, len(values)))
    rows = []
    for x in facts.values():
        rows.append(x)
        cells = [random_fact(rng, name, subject=x.subject) for name in columns if rng.random() < 0.8]
        rows += [y._replace(subject_form=0) for y in cells if y is not None]
    members = tuple(dict.fromkeys(x.object if terms else x.subject for x in facts.values()))
    title = relation.list_title.format(TOY.title(anchor))
    kind = "table" if columns else "list"
    return Page(
        seed, title, kind, anchor, tuple(rows), members, relation.name, tuple(columns), 2015, 0, rng.getrandbits(63)
    )


@cache
def real() -> World:
    return open_world(3, 700, aliases=0.4, namesakes=0.1, lists=0.2, stale=0.1, copies=0.1, distractors=0.4)


@pytest.mark.parametrize("start", range(0, 330, 33))
def test_an_article_reads_back_exactly(start: int) -> None:
    for seed in range(start, start + 33):
        page = random_article(seed)
        assert read(page, TOY, write(page, TOY)) == told(page), seed


def test_a_list_or_table_reads_back_exactly() -> None:
    for seed in range(150):
        page = random_listing(seed)
        assert read(page, TOY, write(page, TOY)) == told(page), seed


@pytest.mark.parametrize("start", range(0, 700, 70))
def test_pages_of_a_world_read_back_exactly(start: int) -> None:
    world = real()
    for n in range(start, start + 70):
        page = world.page(n)
        assert read(page, world, write(page, world)) == told(page), n


def test_the_plain_text_says_as_much_as_the_links() -> None:
    relinked = Relinker(TOY)
    for seed in range(110):
        page = random_article(seed) if seed % 2 else random_listing(seed)
        assert read(page, TOY, relinked(plain(write(page, TOY)))) == told(page), seed


def test_a_page_is_the_same_each_time_and_depends_on_its_seed() -> None:
    pages = [random_article(seed) for seed in range(40)]
    texts = [write(page, TOY) for page in pages]
    assert texts == [write(page, TOY) for page in pages]
    others = [write(replace(page, seed=page.seed ^ 1), TOY) for page in pages]
    assert sum(a != b for a, b in zip(texts, others, strict=True)) > 35


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_every_wording_of_a_relation_is_used_and_reads_back(relation: Relation) -> None:
    """On pages that say little else. A template that never comes up is a mistake in its key."""
    rng = random.Random(relation.name)
    texts = []
    for seed in range(160):
        facts: dict[tuple[int, str, int, int], Statement] = {}
        anchor = rng.choice(TOY.range(relation.object if seed % 2 and relation.to_entity else relation.subject))
        for _ in range(seed % 8 // 2 % (2 if relation.shape == "one" and not seed % 2 else 4) + 1):
            whom = {"object_": anchor} if seed % 2 and relation.to_entity else {"subject": anchor}
            x = random_fact(rng, relation.name, **whom)
            if x is not None and (relation.shape != "one" or seed % 2 or not facts):
                facts[x[:4]] = x._replace(subject_form=0, object_form=0)
        title = TOY.title(anchor)
        page = Page(seed, title, "entity", anchor, tuple(facts.values()), (), "", (), 2015, 0, rng.getrandbits(63))
        texts.append(write(page, TOY))
        assert read(page, TOY, texts[-1]) == told(page)
    everything = "\n".join(texts)
    for key, templates in read_sections("wording.txt")[relation.name].items():
        for text in templates:
            pieces = (re.escape(piece) for piece in re.split(r"\{\w+\}", text))
            assert re.search("[^.\n]*".join(pieces), everything), (key, text)


def test_each_relation_has_words_enough() -> None:
    for relation in RELATIONS:
        keys = read_sections("wording.txt")[relation.name]
        terms = relation.shape == "terms"
        for key in ("s_past", "o_past") if terms else ("s",):
            assert len(keys[key]) >= (4 if key[0] == "s" else 3), (relation.name, key)
        if terms and relation.name != "laureate":
            assert len(keys["s_open"]) >= 4 and len(keys["o_open"]) >= 3
        if relation.to_entity and not relation.symmetric and not terms:
            assert len(keys["o"]) >= 3, relation.name
        for key, texts in keys.items():
            if relation.mutable and key in ("s", "o", "p", "box"):
                assert all("{year}" in text for text in texts), (relation.name, key)


def test_a_page_calls_everybody_as_it_says() -> None:
    for seed in range(150):
        page = random_article(seed)
        text = plain(write(page, TOY))
        wanted: Counter[str] = Counter()
        for x in page.statements:
            wanted[TOY.aliases(x.subject)[0] if x.subject_form else ""] += 1
            wanted[TOY.aliases(x.object)[0] if x.object_form else ""] += 1
        assert all(len(re.findall(rf"\b{alias}\b", text)) >= count for alias, count in wanted.items() if alias), seed


@pytest.mark.parametrize("kind", KINDS)
def test_filler_speaks_of_nothing_that_is_a_relation(kind: str) -> None:
    near = [PHRASES[r.name].key for r in RELATIONS if kind in (r.subject, r.object)]
    words = {word for key in near for word in key.split() if len(word) > 3}
    for text in FILLER[kind]:
        assert words.isdisjoint(re.findall(r"\w+", text.replace("{year}", "").lower())), text
        assert not re.search(r"(?<!^)(?<![.] )[A-Z]", re.sub("October|November|Thursdays|Sundays|April", "", text)), (
            text
        )
        assert set(re.findall(r"\{\w+\}", text)) <= {"{year}", "{past}"}


def test_a_page_without_statements_names_its_subject() -> None:
    for kind in KINDS:
        e = TOY.range(kind)[2]
        page = Page(0, TOY.title(e), "entity", e, (), (), "", (), 2015, 0, 5)
        assert read(page, TOY, write(page, TOY)) == ()
        assert TOY.name(e) in write(page, TOY) and write(page, TOY, terse=True) == TOY.name(e)


def test_an_older_account_says_so_first() -> None:
    pages = [page for page in map(random_article, range(200)) if page.kind == "stale"]
    assert len(pages) > 10
    for page in pages:
        assert str(page.year) in write(page, TOY).split("\n")[0]


def test_terse_pages_are_a_line_for_each_subject() -> None:
    for seed in range(60):
        page = random_article(seed)
        reader = Reader(page, TOY)
        facts = []
        lines = reader.linked(write(page, TOY, terse=True)).split("\n")
        if page.kind == "stale":
            assert lines.pop(0) == str(page.year)
        for line in lines:
            words = re.findall(r"\[\[[^\]]*\]\]|\S+", line)
            subject, at = reader.entity(words[0].strip("[]")), 1
            shorts = {phrases(r.name).short: r for r in RELATIONS if r.subject == TOY.kind(subject)}
            while at < len(words):
                relation = shorts[words[at]]
                end = (
                    at + 2
                    if relation.object != "term"
                    else at
                    + 1
                    + len(
                        max(
                            (v for v in VOCABULARY[relation.name] if " ".join(words[at + 1 :]).startswith(v)), key=len
                        ).split()
                    )
                )
                value = reader.value(" ".join(words[at + 1 : end]).strip("[]"), relation.name)
                years = words[end : end + 2] if relation.shape == "terms" else []
                at = end + len(years)
                start, last = [OPEN if y == "now" else int(y) for y in years] or (-1, -1)
                facts.append((subject, relation.name, value, start, last))
        assert normal(facts) == told(page), seed


def test_the_aliases_a_page_uses_are_stated_somewhere() -> None:
    world = real()
    stated = {
        x.subject
        for n in range(world.num_documents)
        for x in world.page(n).statements
        if relation_named(x.relation).object == "name"
    }
    shown = set()
    for n in range(world.num_documents):
        for title, alias in re.findall(r"\[\[([^\]|]*)\|([^\]]*)\]\]", write(world.page(n), world)):
            (e,) = world.named(title)
            assert alias in world.aliases(e)
            shown.add(e)
    assert shown and shown <= stated


@given(st.integers(0, 10**9))
def test_figures_are_accepted_in_every_form(number: int) -> None:
    for n in (number, number // 100 * 100, number // 10_000 * 10_000):
        assert all(exact_match(form, str(n)) for form in number_forms(n))


@given(st.dates())
def test_dates_are_accepted_in_every_form(day: date) -> None:
    forms = date_forms(day.year * 10_000 + day.month * 100 + day.day)
    assert all(exact_match(form, day.isoformat()) for form in forms) or day.year < 100


def test_what_is_not_said_is_noticed() -> None:
    """The reader itself can fail: another name, another year, a fact too many."""
    page = random_article(3)
    text = write(page, TOY)
    link = re.search(r"\[\[([^\]|]+)\]\]", text)
    assert link
    other = next(TOY.title(e) for e in TOY.range(TOY.kind(TOY.titles.index(link[1]))) if TOY.title(e) != link[1])
    assert read(page, TOY, text.replace(f"[[{link[1]}]]", f"[[{other}]]")) != told(page)
    assert read(page, TOY, text + f"\n[[{TOY.title(TOY.range('city')[3])}]] was founded in 1802.") != told(page)
    with pytest.raises(AssertionError):
        read(page, TOY, text + "\nThis is no sentence of ours.")
