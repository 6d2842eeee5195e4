"""Invented names: different, pronounceable, no English, and apart between the splits."""

import re
import subprocess
import sys
import zlib

import numpy as np
import pytest

from turnwise.core.draw import Streams
from turnwise.worlds.documents import World, WorldSettings, world_of
from turnwise.worlds.documents.build import build
from turnwise.worlds.documents.guard import ENGLISH
from turnwise.worlds.documents.names import Inventory, belongs, invented_words, pairs, spread
from turnwise.worlds.documents.naming import NAME_WORDS, Strings

KNOWN = 3733494703  # all arrays of the world of test_known_values


def words_of(world: World) -> set[str]:
    """All invented words in the names of a world, in lower case."""
    names = [world.name(e) for e in range(world.num_entities)]
    names += [alias for e in range(world.num_entities) for alias in world.aliases(e)]
    return {word.lower() for name in names for word in name.split() if word not in NAME_WORDS}


def worlds(split: str, count: int, **style: object) -> list[World]:
    found = (WorldSettings(seed, 400, **style) for seed in range(1000))  # type: ignore[arg-type]
    return [
        world_of(settings) for settings, _ in zip((s for s in found if s.split == split), range(count), strict=False)
    ]


@pytest.mark.parametrize("style", ["full", "short"])
def test_words_are_different_and_of_the_split(style: str) -> None:
    for split in ("train", "test"):
        draw = Streams(f"key {style}")
        words = spread(draw, invented_words(draw, split, style), 3000, "any")  # type: ignore[arg-type]
        assert len(set(words)) == 3000
        assert all(belongs(word, split) for word in words)  # type: ignore[arg-type]
        assert not {word.lower() for word in words} & ENGLISH
        assert all(re.fullmatch(r"[A-Z][a-z]+", word) for word in words)


def test_different_numbers_spell_different_words() -> None:
    inventory = Inventory.short()
    size = inventory.size(2)
    assert len(set(inventory.words(2, 0, size, 1))) == size
    assert len(set(inventory.words(2, 0, size, 7919))) == size  # no common factor: every number once


def test_tongues_are_easy_to_tell_apart() -> None:
    """Hardly any word can be spelled in two tongues, and few names of a world differ by one letter only."""
    tongues = Inventory.tongues()
    words = [set(tongue.words(2, 0, tongue.size(2), 1)) for tongue in tongues]
    for n, one in enumerate(words):
        for other in words[:n]:
            assert len(one & other) < 0.01 * min(len(one), len(other))
    world = worlds("train", 1)[0]
    names = [world.name(e) for e in range(world.num_entities) if " " not in world.name(e)]
    near = [(a, b) for i, a in enumerate(names) for b in names[:i] if a != b and _distance(a, b) < 2]
    assert len(names) > 40 and len(near) <= 2


def _distance(a: str, b: str) -> int:
    """The number of places in which two words of one length differ; 9 for others."""
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 9


def test_the_guard_is_needed() -> None:
    """Every guarded word can be spelled, so that none stands there in vain."""
    assert len(ENGLISH) > 300
    spelled = Inventory.short().words(2, 0, Inventory.short().size(2), 1)
    spelled += [word for tongue in Inventory.tongues() for word in tongue.words(2, 0, tongue.size(2), 1)]
    assert len(ENGLISH & set(spelled)) > 300
    assert not {word for word in spelled if word in ("bergen", "carolina", "boromir")} - ENGLISH


def test_worlds_of_different_splits_share_no_word() -> None:
    train, test = worlds("train", 6), worlds("test", 6)
    ours = set().union(*map(words_of, train))
    theirs = set().union(*map(words_of, test))
    assert len(ours) > 1500 and len(theirs) > 1500
    assert not ours & theirs
    titles = [{world.page_title(n) for world in group for n in range(400)} for group in (train, test)]
    assert not titles[0] & titles[1]


def test_short_worlds_of_different_splits_share_no_word() -> None:
    ours, theirs = (set().union(*map(words_of, worlds(split, 3, name_style="short"))) for split in ("train", "test"))
    assert not ours & theirs


def test_worlds_of_one_split_share_few_names() -> None:
    names = [{world.name(e) for e in range(world.num_entities)} for world in worlds("train", 12)]
    shared = [len(a & b) / len(a) for i, a in enumerate(names) for b in names[:i]]
    assert np.mean(shared) < 0.005


def test_short_names_are_short() -> None:
    world = worlds("train", 1, name_style="short")[0]
    names = [world.name(e) for e in range(world.num_entities)]
    assert all(re.fullmatch(r"[A-Z][a-z]{3,8}", name) for name in names)
    assert sum(len(name) <= 6 for name in names) > 0.9 * len(names)


def test_names_in_pairs_share_words_and_belong_to_one_split() -> None:
    def names_of(split: str) -> list[set[str]]:
        return [
            {w.name(e) for e in range(w.num_entities)} for w in worlds(split, 4, name_style="pairs", relations="mother")
        ]

    train, test = names_of("train"), names_of("test")
    assert not set().union(*train) & set().union(*test)
    known, new = ({word for names in group for name in names for word in name.split()} for group in (train, test))
    assert new <= known
    assert len(known) == 40
    assert all(re.fullmatch(r"[A-Z][a-z]{2} [A-Z][a-z]{2}( [A-Z][a-z]{2})?", name) for names in train for name in names)
    assert train[0] != train[1]


def test_listed_words_are_the_same_everywhere() -> None:
    names = []
    for split in ("train", "test"):
        for world in worlds(split, 2, name_style="words", relations="mother,spouse", namesakes=0.0):
            names.append([world.name(e) for e in range(world.num_entities)])
    single = [{name for name in found if " " not in name} for found in names]
    assert all(len(found) == len(single[0]) > 100 for found in single)
    assert single[0] == single[1] == single[2] == single[3]
    assert not {name.lower() for name in single[0]} & ENGLISH
    assert names[0] != names[1]


def test_pairs_are_different() -> None:
    first, second = pairs(Streams("any"), "people", 300, 20, 30)
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == 300
    assert first.max() < 20 and second.max() < 30
    assert np.bincount(second).max() <= 20
    with pytest.raises(ValueError, match="601 pairs"):
        pairs(Streams("any"), "people", 601, 20, 30)


def test_strings_read_back() -> None:
    texts = ["Velm", "", "A Winter in Kor", "x"]
    strings = Strings.of(texts)
    assert [strings[n] for n in range(4)] == texts == list(strings)


def test_draws_do_not_depend_on_each_other() -> None:
    draw = Streams("key")
    assert (draw.bits("a", 5) == draw.bits("a", 9)[:5]).all()
    assert (draw.bits("a", 5) != draw.bits("b", 5)).any() and (draw.bits("a", 5) != Streams("other").bits("a", 5)).any()
    assert [draw.one("a", n) for n in (0, 4)] == draw.bits("a", 5)[[0, 4]].tolist()
    counts = np.bincount(draw.below("dice", 6, 60_000))
    assert len(counts) == 6 and abs(counts - 10_000).max() < 500  # five standard deviations
    assert sorted(draw.order("o", 100).tolist()) == list(range(100))
    assert draw.below("none", np.array([0, 1, -3])).tolist() == [-1, 0, -1]
    assert draw.weighted("w", 3, 0).tolist() == [-1, -1, -1]


def test_known_values() -> None:
    """Worlds must not change with NumPy, Python or the machine: raise ``FORMAT`` if they have to."""
    assert [int(bits) for bits in Streams("key").bits("stream", 2)] == [3693586905725412190, 11569262286369431831]
    settings = WorldSettings(7, 200)
    world = world_of(settings)
    assert world.digest == "f5914564afdbdee07b7f7ecd4620e394"
    assert (world.name(0), world.name(100), world.year) == ("Linstad", "View of Pasconte", 2012)
    arrays = b"".join(array.astype(np.int64).tobytes() for _, array in sorted(build(settings).items()))
    assert zlib.crc32(arrays) == KNOWN


def test_the_same_in_every_process() -> None:
    script = (
        "import zlib; from turnwise.worlds.documents import open_world; w = open_world(11, 300); "
        "print(w.digest, zlib.crc32(repr([w.page(n) for n in range(300)]).encode()))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1
