"""Draws are the same on every machine, and each helper is the arithmetic that it says."""

import random
from collections import Counter

import numpy as np

from turnwise.core.draw import Draw, Streams
from turnwise.core.env import seed_of


def test_a_key_gives_the_same_numbers_everywhere() -> None:
    draw = Draw("key", 3)
    assert [draw.unit() for _ in range(3)] == [random.Random(seed_of("key", 3)).random(), draw_at(1), draw_at(2)]
    assert Draw("key", 3).unit() != Draw("key", 4).unit()
    assert [int(bits) for bits in Streams("key").bits("stream", 2)] == [3693586905725412190, 11569262286369431831]


def draw_at(place: int) -> float:
    unit = random.Random(seed_of("key", 3)).random
    return [unit() for _ in range(place + 1)][place]


def test_numbers_from_elsewhere() -> None:
    numbers = [0.0, 0.5, 0.999]
    draw = Draw.of(iter(numbers * 4).__next__)
    assert [draw.below(10) for _ in numbers] == [0, 5, 9]
    assert [draw.integer(2, 4) for _ in numbers] == [2, 3, 4]
    assert [draw.choice("abc") for _ in numbers] == ["a", "b", "c"]
    assert [draw.weighted("ab", (1, 3)) for _ in numbers] == ["a", "b", "b"]


def test_generators() -> None:
    ahead, numbers = Draw.ahead(np.random.default_rng(1), 250), np.random.default_rng(1).random(600).tolist()
    assert [ahead.unit() for _ in range(600)] == numbers
    seed = int(np.random.default_rng(1).integers(2**62))
    assert Draw.from_generator(np.random.default_rng(1)).unit() == random.Random(seed).random()


def test_orders_have_every_item_once() -> None:
    draw, items = Draw("orders"), list(range(20))
    assert sorted(draw.shuffled(items)) == items != draw.shuffled(items)
    assert len(set(draw.sample(items, 7))) == 7 and sorted(draw.sample(items, 99)) == items
    left = [*items]
    assert sorted(draw.take(left) for _ in items) == items and left == []
    seen = Counter(draw.shuffled("abc")[0] for _ in range(3000))
    assert all(900 < count < 1100 for count in seen.values()) and len(seen) == 3
