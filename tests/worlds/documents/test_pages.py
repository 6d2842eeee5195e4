"""Pages: exactly as many as asked for, every fact stated somewhere, nothing withheld, outdated claims known."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.worlds.documents import Page, Statement, World, WorldSettings, open_world
from turnwise.worlds.documents import pages as layout
from turnwise.worlds.documents.build import build
from turnwise.worlds.documents.pages import LONGEST_LIST
from turnwise.worlds.documents.schema import GENRES, NONE, relation_named

STYLES = [
    {},
    {"placement": "subject"},
    {"placement": "object", "withheld": 0.2},
    {"stale": 0.3, "copies": 0.2, "lists": 0.0, "namesakes": 0.4},
    {"stale": 0.0, "copies": 0.0, "lists": 0.3, "aliases": 1.0},
    {"relations": "born_in,located_in,population,mayor", "name_style": "short", "lists": 0.3},
    {"relations": "spouse"},
]
styles = st.sampled_from(STYLES)


def pages(world: World) -> list[Page]:
    return [world.page(n) for n in range(world.num_documents)]


def all_facts(world: World) -> list[tuple[int, str, int]]:
    return [
        (subject, relation.name, object_)
        for relation in world.relations
        for subject, object_ in zip(*(world.table(relation.name)[c].tolist() for c in (0, 1)), strict=True)
    ]


@settings(max_examples=18)
@given(st.integers(0, 10**6), st.sampled_from([60, 100, 237, 500]), styles)
def test_pages_and_lookups_agree(seed: int, size: int, style: dict[str, object]) -> None:
    """``where`` is the brute-force reading of all pages; all titles differ; all stated facts are on a page."""
    if size == 60 and "stale" in style:
        size = 100
    world = open_world(seed, size, **style)
    assert world.num_documents == size
    stating: dict[tuple[int, str, int], set[int]] = {}
    terms: dict[tuple[int, str, int, int], set[int]] = {}
    titles = Counter()
    for page in pages(world):
        titles[page.title] += 1
        assert page.title == world.page_title(page.number)
        assert len({s[:5] for s in page.statements}) == len(page.statements), "said twice"
        for s in page.statements:
            if s.current:
                stating.setdefault((s.subject, s.relation, s.object), set()).add(page.number)
                if relation_named(s.relation).symmetric:
                    stating.setdefault((s.object, s.relation, s.subject), set()).add(page.number)
                terms.setdefault((s.subject, s.relation, s.object, s.start), set()).add(page.number)
            else:
                assert page.kind == "stale" and relation_named(s.relation).mutable
    assert max(titles.values()) == 1
    facts = all_facts(world)
    assert set(facts) == set(stating)
    for subject, relation, object_ in facts:
        assert world.where(subject, relation, object_).tolist() == sorted(stating[subject, relation, object_])
    for (subject, relation, object_, start), numbers in terms.items():
        assert world.where_term(subject, relation, object_, start).tolist() == sorted(numbers)
    for relation in world.relations:
        hidden = world.withheld(relation.name)
        for subject, object_ in zip(hidden.subjects.tolist(), hidden.objects.tolist(), strict=True):
            if relation.shape != "terms":
                assert (subject, relation.name, object_) not in stating


@settings(max_examples=10)
@given(st.integers(0, 10**6), styles)
def test_pages_of_each_kind(seed: int, style: dict[str, object]) -> None:
    world = open_world(seed, 400, **style)
    assert sorted(world.page_of(e) for e in range(world.num_entities)) == [
        page.number for page in pages(world) if page.kind == "entity"
    ]
    for page in pages(world):
        about = page.subject
        own = world.page(world.page_of(about)) if about != NONE else None
        assert page.number in (world.pages_of(about) if about != NONE else (page.number,))
        if page.kind != "stale":
            assert page.year == world.year
        if page.kind == "entity":
            assert page.title == world.title(about) and page.number == world.page_of(about)
            assert all(
                about not in (s.subject, s.object) or s.subject_form == 0 or s.subject != about for s in page.statements
            )
        elif page.kind == "copy":
            mark = GENRES[page.genre].format(year=page.year)
            assert own is not None and page.title.startswith(f"{world.title(about)} ({mark}")
            assert {s[:5] for s in page.statements} <= {s[:5] for s in own.statements}
        elif page.kind == "stale":
            assert page.title.startswith(f"{world.title(about)} ({GENRES[page.genre].format(year=page.year)}")
            assert (page.year == world.year) == (page.genre == "forum") and page.year <= world.year
            check_stale(world, page)
        elif page.kind == "disambiguation":
            assert all(world.name(e) == page.title != world.title(e) for e in page.members) and len(page.members) == 2
            assert world.named(page.title) == page.members
            assert {s.subject for s in page.statements} <= set(page.members)
        else:
            check_list(world, page)


def check_stale(world: World, page: Page) -> None:
    """It claims something that has changed since, and knows nothing of later years."""
    assert any(not s.current for s in page.statements)
    for s in page.statements:
        relation = relation_named(s.relation)
        assert s.subject == page.subject and s.current != relation.mutable
        if not s.current:
            now = world.value(s.relation, s.subject)
            assert now != NONE and now != s.object
            assert len(world.where(s.subject, s.relation, s.object)) == 0
            if s.relation == "kept_in":
                assert world.value("completed", s.object) <= page.year
        if relation.object in ("year", "date"):
            assert s.object // (10000 if relation.object == "date" else 1) <= page.year


def check_list(world: World, page: Page) -> None:
    """All of one relation's facts about one entity, and the columns of their rows."""
    relation = relation_named(page.relation)
    assert page.title == relation.list_title.format(world.title(page.subject))
    assert world.listing(page.relation, page.subject) == page.number
    expected = (world.objects if relation.shape == "terms" else world.subjects)(page.relation, page.subject)
    assert sorted(page.members) == expected.tolist()
    listed = [s for s in page.statements if s.relation == page.relation]
    assert 2 <= len(listed) <= LONGEST_LIST
    others = [s for s in page.statements if s.relation != page.relation]
    assert bool(page.columns) == (page.kind == "table") and {s.relation for s in others} <= set(page.columns)
    cells = {(s.subject, s.relation): s.object for s in others}
    for member in page.members:
        for column in page.columns:
            value = world.value(column, member)
            assert cells.get((member, column), NONE) == value
    rows = [s.subject for s in page.statements]
    if relation.shape != "terms":
        assert list(dict.fromkeys(rows)) == [r for i, r in enumerate(rows) if i == 0 or rows[i - 1] != r], (
            "rows in one piece"
        )


def test_outdated_claims_are_known() -> None:
    world = open_world(4, 2000, stale=0.2)
    claims = 0
    for relation in world.relations:
        for subject, claim, document in zip(*(column.tolist() for column in world.stale(relation.name)), strict=True):
            page = world.page(document)
            assert (page.kind, page.subject) == ("stale", subject)
            assert Statement(subject, relation.name, claim, NONE, NONE, 0, 0, False)[:5] in {
                s[:5] for s in page.statements
            }
            claims += 1
    said = sum(not s.current for page in pages(world) for s in page.statements)
    assert claims == said >= 400


def kinds(world: World) -> Counter[str]:
    return Counter(page.kind for page in pages(world))


def test_knobs_set_the_shares() -> None:
    world = open_world(1, 2000, stale=0.1, copies=0.05, lists=0.2, namesakes=0.1)
    count = kinds(world)
    assert (count["stale"], count["copy"], count["list"] + count["table"]) == (200, 100, 400)
    shared = sum(world.is_shared(e) for e in range(world.num_entities))
    assert shared == 2 * count["disambiguation"] and 0.09 < shared / world.num_entities < 0.11
    bare = open_world(1, 2000, stale=0, copies=0, lists=0, namesakes=0, aliases=0, filler=0, distractors=0, withheld=0)
    assert kinds(bare) == {"entity": 2000}
    assert not any(bare.aliases(e) for e in range(bare.num_entities)) and not any(p.filler for p in pages(bare))
    stray = [s for p in pages(bare) for s in p.statements if p.subject not in (s.subject, s.object)]
    assert not stray
    filled = open_world(1, 2000, filler=6)
    assert {page.filler for page in pages(filled)} == set(range(7))


def test_placement() -> None:
    """Where facts about two entities stand: here, there, both, or on a list only."""
    share: dict[str, Counter[str]] = {}
    for how in ("mixed", "subject", "object"):
        world = open_world(3, 1500, placement=how, distractors=0, stale=0, copies=0, namesakes=0)
        count = share[how] = Counter[str]()
        for subject, relation, object_ in all_facts(world):
            if relation in ("author", "born_in", "stands_in"):
                where = world.where(subject, relation, object_)
                places = [
                    "list" if world.page(n).relation else "subject" if world.page(n).subject == subject else "object"
                    for n in where.tolist()
                ]
                count["+".join(sorted(set(places)))] += 1
                count["all"] += 1
    assert share["subject"]["object"] == share["subject"]["list"] == 0
    assert share["mixed"]["list"] > 20
    assert 0.3 < share["mixed"]["subject"] / share["mixed"]["all"] < 0.6
    assert 0.15 < share["mixed"]["object"] / share["mixed"]["all"] < 0.4
    assert share["object"]["object"] + share["object"]["list+object"] > 0.9 * share["object"]["all"]


def test_couples_are_on_one_page_or_both() -> None:
    world = open_world(3, 1500, distractors=0, stale=0, copies=0, lists=0)
    table = world.table("spouse")
    pairs = [(a, b) for a, b in zip(table.subjects.tolist(), table.objects.tolist(), strict=True) if a < b]
    places = Counter(
        tuple(world.page_of(e) in world.where(a, "spouse", b) for e in (a, b)) for a, b in pairs
    )  # fmt: skip
    assert set(places) == {(True, False), (False, True), (True, True)} and min(places.values()) > len(pairs) / 6


def test_long_lists_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = WorldSettings(3, 500, lists=0.3)
    longest = max(len(page.members) for page in pages(World(settings, build(settings))))
    monkeypatch.setattr(layout, "LONGEST_LIST", 4)
    short = World(settings, build(settings))
    assert longest > 4 == max(len(page.members) for page in pages(short))
    assert kinds(short)["list"] + kinds(short)["table"] < 150 and short.num_documents == 500  # copies fill up


def test_nobody_is_on_lists_only() -> None:
    world = open_world(2, 500, relations="author,published", lists=0.3, distractors=0)
    known = {subject for subject, _, _ in all_facts(world)}
    assert len(known) > 100 and all(world.page(world.page_of(e)).statements for e in known)


def test_aliases_are_stated_used_and_nobody_elses() -> None:
    world = open_world(6, 2000, aliases=0.5)
    found = [(e, alias) for e in range(world.num_entities) for alias in world.aliases(e)]
    names = {world.name(e) for e in range(world.num_entities)}
    assert len({alias for _, alias in found}) == len(found) > 600 and not {alias for _, alias in found} & names
    away = 0
    for entity, alias in found:
        relation = next(r.name for r in world.relations if (r.object, r.subject) == ("name", world.kind(entity)))
        documents = world.where(entity, relation, 0)
        assert len(documents) and world.named(alias) == (entity,)
        away += world.page_of(entity) not in documents
    assert 0.2 < away / len(found) < 0.4
    used = Counter(
        form
        for page in pages(world)
        for s in page.statements
        for entity, form in ((s.subject, s.subject_form), (s.object, s.object_form))
        if s.relation == "author" and page.subject not in (NONE, entity) and world.aliases(entity)
    )
    assert 0.3 < used[1] / used.total() < 0.5


def test_namesakes_have_titles_of_their_own() -> None:
    world = open_world(8, 1000, namesakes=0.4)
    shared = [e for e in range(world.num_entities) if world.is_shared(e)]
    assert len(shared) > 200
    for entity in shared:
        title = world.title(entity)
        assert title.startswith(world.name(entity) + " (") and world.named(title) == (entity,)
        assert len(world.named(world.name(entity))) == 2
        assert world.named(world.name(entity) + " (nobody)") == ()
    assert {title.split("(")[1].split()[0].strip(")") for title in map(world.title, shared)} >= {
        "city",
        "river",
        "born",
    }


def test_a_page_that_is_not_there() -> None:
    world = open_world(1, 100)
    for number in (-1, 100):
        with pytest.raises(IndexError, match=f"{number} of 100"):
            world.page(number)


def test_no_page_of_an_entity_is_empty_in_a_whole_world() -> None:
    world = open_world(9, 1000)
    assert all(page.statements for page in pages(world))
