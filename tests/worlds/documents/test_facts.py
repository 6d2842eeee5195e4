"""Facts: consistent in time and place, and read back as they are stored."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.errors import SettingsError
from turnwise.worlds.documents import World, WorldSettings, open_world
from turnwise.worlds.documents.naming import TYPED
from turnwise.worlds.documents.schema import KINDS, NONE, OPEN, RELATIONS, VOCABULARY, relation_named

seeds = st.integers(0, 10**6)
sizes = st.sampled_from([100, 300, 900])


def years(world: World, relation: str) -> dict[int, int]:
    """The year of each subject of a year or date relation."""
    table, date = world.table(relation), relation_named(relation).object == "date"
    return {s: o // 10000 if date else o for s, o in zip(table.subjects.tolist(), table.objects.tolist(), strict=True)}


def rows(world: World, relation: str) -> list[tuple[int, int, int, int]]:
    return list(zip(*(column.tolist() for column in world.table(relation)), strict=True))


@settings(max_examples=15)
@given(seeds, sizes)
def test_lives_are_consistent(seed: int, size: int) -> None:
    world = open_world(seed, size, withheld=0)
    born, died = years(world, "born_on"), years(world, "died_on")

    def alive(person: int, year: int, age: int) -> None:
        assert born[person] + age <= year <= died.get(person, world.year)

    assert set(born) == set(world.range("person"))
    assert all(born[person] + 28 <= year < world.year for person, year in died.items())
    for parent in ("father", "mother"):
        for child, who, *_ in rows(world, parent):
            alive(who, born[child], 19)
            assert world.female(who) == (parent == "mother")
    for child, father, *_ in rows(world, "father"):
        assert world.value("spouse", father) == world.value("mother", child)
        spouse = world.value("spouse", child)
        assert spouse == NONE or world.value("father", spouse) != father
    for one, other, *_ in rows(world, "spouse"):
        assert world.value("spouse", other) == one != other
        assert max(born[one], born[other]) + 20 <= min(died.get(one, OPEN), died.get(other, OPEN))
    for student, teacher, *_ in rows(world, "student_of"):
        alive(teacher, born[student] + 19, 34)
    for relation, made in (
        ("author", "published"),
        ("discoverer", "described"),
        ("designed_by", "completed"),
        ("founder", "org_founded"),
    ):
        when = years(world, made)
        for thing, who, *_ in rows(world, relation):
            alive(who, when[thing], 20)
    held = years(world, "held_on")
    for event, speaker, *_ in rows(world, "speaker"):
        alive(speaker, held[event], 20)
    assert all(died[person] for person in world.table("died_in").subjects.tolist())
    assert not set(world.table("residence").subjects.tolist()) & set(died)


@settings(max_examples=15)
@given(seeds, sizes)
def test_terms_are_consistent(seed: int, size: int) -> None:
    world = open_world(seed, size, withheld=0)
    born, died = years(world, "born_on"), years(world, "died_on")
    since = years(world, "org_founded") | years(world, "uni_founded") | years(world, "award_established")
    since |= years(world, "completed") | years(world, "city_founded")
    for relation in RELATIONS:
        if relation.shape != "terms":
            assert (world.table(relation.name).starts == NONE).all()
            continue
        last: dict[int, int] = {}
        busy: dict[int, int] = {}
        for subject, holder, start, end in rows(world, relation.name):
            assert start <= end and start <= world.year and (end == OPEN or end <= world.year)
            assert start > last.get(subject, 0)
            last[subject] = end
            for kind, who in ((relation.subject, subject), (relation.object, holder)):
                if kind == "person":
                    assert born[who] + 20 <= start and min(end, world.year) <= died.get(who, world.year)
            assert start >= since.get(subject, 0) and start >= since.get(holder, 0)
            if relation.name == "laureate":
                assert start == end
        for _, holder, start, end in sorted(rows(world, relation.name), key=lambda row: row[2]):
            if relation.object == "person":
                assert start > busy.get(holder, 0)
                busy[holder] = end


@settings(max_examples=10)
@given(seeds, sizes)
def test_places_and_things_are_consistent(seed: int, size: int) -> None:
    world = open_world(seed, size, withheld=0)
    for region, city, *_ in rows(world, "capital"):
        assert world.value("located_in", city) == region
    assert len(world.table("capital").subjects) == len(world.range("region"))
    for relation in ("flows_into", "parent_org", "based_on"):
        above = dict(zip(*(world.table(relation)[column].tolist() for column in (0, 1)), strict=True))
        for start in above:
            step, count = start, 0
            while step in above:
                step, count = above[step], count + 1
                assert count <= len(above), f"{relation} runs in a circle"
    founded, published = years(world, "org_founded"), years(world, "published")
    assert all(founded[parent] < founded[child] for child, parent, *_ in rows(world, "parent_org"))
    assert all(published[source] < published[work] for work, source, *_ in rows(world, "based_on"))
    assert all(founded[who] < published[work] for work, who, *_ in rows(world, "publisher"))
    assert all(world.value("author", work) != person for work, person, *_ in rows(world, "dedicated_to"))
    jobs = {person: VOCABULARY["occupation"][job] for person, job, *_ in rows(world, "occupation")}
    kinds = ("novelist", "poet", "composer", "painter", "playwright")
    for work, who, *_ in rows(world, "author"):
        assert jobs[who] == kinds[world.value("work_type", work)]
    assert all(world.value("twin_city", other) == one != other for one, other, *_ in rows(world, "twin_city"))
    classes = {one: VOCABULARY["species_class"][number] for one, number, *_ in rows(world, "species_class")}
    eaten = {"bird": {"moth", "beetle", "fish", "lizard"}, "fish": {"moth", "beetle"}, "lizard": {"moth", "beetle"}}
    for hunter, prey, *_ in rows(world, "preys_on"):
        assert classes[prey] in (eaten | {"beetle": {"moth"}})[classes[hunter]]
    springs, mouth, length = (
        {one: value for one, value, *_ in rows(world, name)} for name in ("rises_in", "flows_into", "river_length")
    )
    for river, into in mouth.items():
        assert abs(springs[river] - springs[into]) <= 1 and length[river] < length[into]
    for city, river, *_ in rows(world, "on_river"):
        assert 0 <= world.value("located_in", city) - springs[river] <= 1


@settings(max_examples=8)
@given(seeds, sizes)
def test_names_and_facts_fit(seed: int, size: int) -> None:
    """Publishers publish, museums keep paintings, only stories have a setting; women have women's names."""
    world = open_world(seed, size, withheld=0, namesakes=0)

    def word(relation: str, entity: int) -> str:
        return VOCABULARY[relation][world.value(relation, entity)]

    for work, house, *_ in rows(world, "publisher"):
        assert word("industry", house) == "publishing" and word("work_type", work) != "painting"
    for work, house, *_ in rows(world, "kept_in"):
        assert (word("building_type", house) == "museum") == (word("work_type", work) == "painting")
    assert {word("work_type", work) for work, *_ in rows(world, "set_in")} <= {"novel", "play"}
    assert not {event for event, *_ in rows(world, "speaker") if word("event_type", event) == "regatta"}
    for building, height, *_ in rows(world, "height"):
        assert height < 90 or word("building_type", building) == "tower"
    for entity in world.range("building"):
        forms = TYPED["building"][world.value("building_type", entity)]
        assert any(world.name(entity).endswith(form.removeprefix("{}")) for form in forms)
    for person in world.range("person"):
        assert (world.name(person).split()[0][-1] in "aeiou") == world.female(person)


@settings(max_examples=8)
@given(seeds, sizes)
def test_offices_are_held_in_one_place_and_one_at_a_time(seed: int, size: int) -> None:
    world = open_world(seed, size, withheld=0)
    held: dict[int, list[tuple[int, int, str, int]]] = {}
    for office in ("governor", "mayor", "rector"):
        for place, person, start, end in rows(world, office):
            held.setdefault(person, []).append((start, end, office, place))
    for terms in held.values():
        assert len({place for _, _, office, place in terms}) == len({office for _, _, office, _ in terms})
        ordered = sorted(terms)
        assert all(before[1] < after[0] for before, after in itertools.pairwise(ordered))


@settings(max_examples=8)
@given(seeds)
def test_objects_are_of_the_kind_the_schema_names(seed: int) -> None:
    world = open_world(seed, 900, aliases=1)
    for relation in world.relations:
        table = world.table(relation.name)
        assert len(table.subjects), relation.name
        assert set(table.subjects.tolist()) <= set(world.range(relation.subject))
        if relation.to_entity:
            assert set(table.objects.tolist()) <= set(world.range(relation.object))  # type: ignore[arg-type]
        elif relation.object == "term":
            assert table.objects.min() >= 0 and table.objects.max() < len(VOCABULARY[relation.name])
        elif relation.object == "date":
            month, day = table.objects // 100 % 100, table.objects % 100
            assert ((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all()
            assert (table.objects // 10000 <= world.year).all()
        elif relation.object == "year":
            assert ((table.objects > 500) & (table.objects <= world.year)).all()
        elif relation.object == "number":
            assert (table.objects > 0).all()
        if relation.shape == "one":
            assert len(set(table.subjects.tolist())) == len(table.subjects)
        if relation.shape == "many":
            assert len({row[:2] for row in rows(world, relation.name)}) == len(table.subjects)


def test_lookups_agree_with_the_tables() -> None:
    world = open_world(3, 400, aliases=1)
    for relation in world.relations:
        facts = rows(world, relation.name)
        by_subject: dict[int, set[int]] = {}
        by_object: dict[int, set[int]] = {}
        for subject, object_, start, end in facts:
            by_subject.setdefault(subject, set()).add(object_)
            by_object.setdefault(object_, set()).add(subject)
            if relation.shape == "terms":
                assert world.holder(relation.name, subject, start) == object_
                assert world.holder(relation.name, subject, min(end, world.year)) == object_
        for entity in range(world.num_entities):
            if world.kind(entity) == relation.subject:
                assert world.objects(relation.name, entity).tolist() == sorted(by_subject.get(entity, ()))
                if relation.shape == "one":
                    assert world.value(relation.name, entity) == next(iter(by_subject.get(entity, [NONE])))
            if world.kind(entity) == relation.object:
                assert world.subjects(relation.name, entity).tolist() == sorted(by_object.get(entity, ()))
        if not relation.to_entity:
            value = facts[0][1]
            assert world.subjects(relation.name, value).tolist() == sorted(by_object[value])
    assert world.holder("mayor", world.range("city").start, 1) == NONE


def test_withheld_facts_are_not_seen() -> None:
    whole, world = open_world(5, 900, withheld=0), open_world(5, 900, withheld=0.3)
    assert not any(len(whole.withheld(relation.name).subjects) for relation in whole.relations)
    hidden = sum(len(world.withheld(relation.name).subjects) for relation in world.relations)
    stated = sum(len(world.table(relation.name).subjects) for relation in world.relations)
    assert 0.25 < hidden / (hidden + stated) < 0.33
    for relation in world.relations:
        table = world.withheld(relation.name)
        for subject, object_ in zip(table.subjects.tolist(), table.objects.tolist(), strict=True):
            if relation.shape == "one":
                assert world.value(relation.name, subject) == NONE
            if relation.shape != "terms":
                assert object_ not in world.objects(relation.name, subject)
            if relation.symmetric:
                assert world.value(relation.name, object_) == NONE
    assert set(world.withheld("father").subjects.tolist()) == set(world.withheld("mother").subjects.tolist())


def test_the_relations_chosen_decide_the_kinds() -> None:
    world = open_world(1, 100, relations="born_in, located_in", name_style="short")
    assert [relation.name for relation in world.relations] == ["located_in", "born_in"]
    assert [kind for kind in KINDS if len(world.range(kind))] == ["region", "city", "person"]
    assert len(world.table("born_in").subjects) > 20
    same = open_world(1, 100, relations="located_in,born_in", name_style="short")
    assert same is world  # the order of the names is no setting
    with pytest.raises(KeyError):
        world.table("mayor")
    for relation in RELATIONS:  # each works alone
        alone = open_world(2, 60, relations=relation.name)
        assert alone.num_documents == 60


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ({"documents": 49}, "documents is 49; it must be from 50 to 1000000"),
        ({"documents": 1_000_001}, "documents is 1000001"),
        ({"seed": -1}, "seed is -1; it must be at least 0"),
        ({"relations": "born_in,wears"}, "no 'wears'"),
        ({"aliases": 1.5}, "aliases is 1.5"),
        ({"stale": 0.3, "copies": 0.3, "lists": 0.1}, "together at most 0.6"),
        ({"documents": 50, "stale": 0.3, "copies": 0.3, "lists": 0}, "too few for 11 kinds"),
        ({"name_style": "long"}, "name_style is 'long'; it must be 'full'"),
        ({"placement": "nowhere"}, "placement is 'nowhere'"),
        ({"filler": 51}, "filler is 51; it must be from 0 to 50"),
        ({"fillers": 1}, "a world has no setting 'fillers' .did you mean 'filler'"),
    ],
)
def test_bad_settings_are_named(style: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {"seed": 0, "documents": 100} | style
    with pytest.raises(SettingsError, match=message):
        open_world(**arguments)  # type: ignore[arg-type]


def test_the_digest_is_of_the_settings() -> None:
    one = WorldSettings(1, 100)
    assert one.digest == WorldSettings(1, 100, relations=",".join(r.name for r in RELATIONS)).digest
    assert one.digest == WorldSettings(1, 100, stale=0.05).digest != WorldSettings(1, 100, stale=0.06).digest
    splits = [WorldSettings(seed, 100).split for seed in range(1000)]
    assert 150 < splits.count("test") < 250
    test = WorldSettings(splits.index("test"), 100).digest
    assert int(test[:8], 16) < 0.2 * 2**32


def test_some_entities_are_much_named() -> None:
    """Lists and counts need authors of several works and cities of several people."""
    world = open_world(2, 2000)
    works = np.bincount(world.table("author").objects)
    assert works.max() >= 8 and (works == 1).sum() > 20
