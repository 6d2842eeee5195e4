"""Zebra: uniqueness by brute force, the solver, and how a table may be written."""

import itertools
from typing import Any

import numpy as np
import pytest

from tests._work import at_most
from turnwise.envs.logic._houses import SENTENCES, count_solutions, holds, relations, start
from turnwise.envs.logic.zebra import KINDS, Task, Zebra


def brute(task: Task) -> list[tuple[int, ...]]:
    """All tables that satisfy the clues, attribute by attribute, by trying every permutation."""
    n = task.size
    tables: list[tuple[int, ...]] = [()]
    for attribute in range(task.attributes):
        known = (attribute + 1) * n
        ready = [c for c in task.clues if c[1] < known and (c[0] in ("at", "off") or c[2] < known)]
        tables = [
            table + row
            for table in tables
            for row in itertools.permutations(range(n))
            if all(holds(clue, table + row) for clue in ready)
        ]
    return tables


@pytest.mark.parametrize("clues", list(KINDS))
@pytest.mark.parametrize("guessing", [False, True])
@pytest.mark.parametrize(("houses", "attributes"), [(3, 3), (3, 5), (4, 3), (4, 4)])
def test_unique_by_brute_force_and_without_idle_clues(clues: Any, guessing: bool, houses: int, attributes: int) -> None:
    env = Zebra(num_houses=houses, num_attributes=attributes, clues=clues, guessing=guessing)
    rng = np.random.default_rng(4)
    for _ in range(3):
        task = env.generate(rng)
        assert brute(task) == [task.houses]
        assert {kind for kind, _, _ in task.clues} <= set(KINDS[clues])
        if not guessing:  # simple steps are enough
            assert count_solutions(*start(task.clues, houses, attributes), houses, [1]) == 1
        else:  # no clue can go
            for i in range(len(task.clues)):
                rest = Task(houses, attributes, task.clues[:i] + task.clues[i + 1 :], ())
                assert len(brute(rest)) > 1


@pytest.mark.parametrize("difficulty", range(5, 11))
def test_unique_by_search(difficulty: int) -> None:
    env, rng = Zebra(difficulty=difficulty), np.random.default_rng(2)
    for _ in range(4):
        task = env.generate(rng)
        n, m = task.size, task.attributes
        assert all(holds(clue, task.houses) for clue in task.clues)
        assert all(sorted(task.houses[base : base + n]) == list(range(n)) for base in range(0, n * m, n))
        assert count_solutions(*start(task.clues, n, m), n, [100_000]) == 1
        assert len(set(task.clues)) == len(task.clues)


def test_solver_counts_as_brute_force_does() -> None:
    rng, env = np.random.default_rng(0), Zebra(num_houses=3, num_attributes=3)
    seen = set()
    for _ in range(60):
        task = env.generate(rng)
        for keep in (len(task.clues) // 2, len(task.clues) - 1):
            part = Task(3, 3, task.clues[:keep], ())
            number = min(2, len(brute(part)))
            assert count_solutions(*start(part.clues, 3, 3), 3, [100_000]) == number
            seen.add(number)
        broken = Task(3, 3, (*task.clues, ("at", 0, (task.houses[0] + 1) % 3)), ())
        assert count_solutions(*start(broken.clues, 3, 3), 3, [100_000]) == len(brute(broken)) == 0
    assert 2 in seen


def test_relations_against_the_definition() -> None:
    for size, (kind, (forward, backward, always)) in itertools.product((3, 6), relations(5).items()):
        forward, backward, always = relations(size)[kind]
        if kind in ("at", "off"):
            continue
        for mask in range(1, 2**size):
            inside = [x for x in range(size) if mask >> x & 1]
            for y in range(size):
                assert bool(forward[mask] >> y & 1) == any(holds((kind, 0, 1), (x, y)) for x in inside)
                assert bool(backward[mask] >> y & 1) == any(holds((kind, 0, 1), (y, x)) for x in inside)
                assert bool(always[mask] >> y & 1) == all(holds((kind, 0, 1), (x, y)) for x in inside)
    assert set(SENTENCES) == set(relations(4))


def test_fast_enough() -> None:
    """A fraction of a millisecond for each on a free core at the default settings; here it is ten times that."""
    env, rng = Zebra(), np.random.default_rng(0)
    with at_most(millions=6):
        for _ in range(60):
            env.generate(rng)


@pytest.fixture
def env() -> Zebra:
    made = Zebra(num_houses=3, num_attributes=3, clues="easy")
    made.reset(seed=5)
    return made


def test_spellings(env: Zebra) -> None:
    one, two, three = env._lines(env.task.houses)
    names = ("name", "color", "drink")
    named = [
        ", ".join(f"{k} = {v}" for k, v in zip(names, line[3:].split(", "), strict=True)) for line in (one, two, three)
    ]
    for text in (
        "\n".join((one, two, three)), "\n\n".join((three, one, two)), f"{one}; {two}; {three}.",
        f"House {one}\nhouse {two}\nHOUSE {three}".upper(), f"- House #{one}\n- House #{two}\n- House #{three}",
        f"**{one[0]}:**{one[2:]}\n**{two[0]}:**{two[2:]}\n**{three[0]}:**{three[2:]}",
        "\n".join(f"{k}) {', '.join(reversed(line[3:].split(', ')))}" for k, line in enumerate((one, two, three), 1)),
        "\n".join(f"{k}. {line}" for k, line in enumerate(named, 1)),
        "| House | Name | Color | Drink |\n|:---|:---|---:|---|\n" + "\n".join(
            f"| {line[0]} | {' | '.join(line[3:].split(', '))} |" for line in (one, two, three)),
    ):  # fmt: skip
        assert env.fork().step(f"<answer>\n{text}\n</answer>")[1] == 1.0, text


def test_refused(env: Zebra) -> None:
    one, two, three = env._lines(env.task.houses)
    first, second = one[3:].split(", "), two[3:].split(", ")
    for text in (
        f"{one}\n{two}", f"{one}\n{two}\n{three}\n{three}", f"{one}\n{two}\n{three}\n4: {one[3:]}",
        f"{one}\n{one}\n{three}",
        f"{one}, {second[0]}\n{two}\n{three}", f"1: {', '.join(first[:2])}\n{two}\n{three}",
        f"{one[3:]}\n{two[3:]}\n{three[3:]}",
        f"1: {second[0]}, {first[1]}, {first[2]}\n{two}\n{three}", f"{one} or {two[3:]}\n{two}\n{three}",
        f"1: {first[0]}, {first[0]}, {first[1]}\n{two}\n{three}", f"{one}\n{two}\n{three}\nI am not sure", "1:\n2:\n3:",
        f"0: {one[3:]}\n1: {two[3:]}\n2: {three[3:]}",
        f"1: {first[0]}/{second[0]}, {first[1]}, {first[2]}\n{two}\n{three}",
        f"1: {second[0]}={first[0]}, {first[1]}, {first[2]}\n{two}\n{three}", f"1: {two[3:]}\n2: {one[3:]}\n{three}",
        f"1-2: {one[3:]}\n{two}\n{three}",
    ):  # fmt: skip
        _, reward, _, _, info = env.fork().step(f"<answer>\n{text}\n</answer>")
        assert reward == 0.0 and not info["solved"], text


def test_every_table_is_judged_by_the_clues(env: Zebra) -> None:
    paid = []
    for rows in itertools.product(itertools.permutations(range(3)), repeat=3):
        houses = tuple(k for row in rows for k in row)
        action = "\n".join(["<answer>", *env._lines(houses), "</answer>"])
        if env.fork().step(action)[1] == 1.0:
            paid.append(houses)
    assert paid == [env.task.houses]


def test_partial_credit_stays_below_one_and_pays_only_progress() -> None:
    env = Zebra(num_houses=4, partial=True, max_turns=6)
    env.reset(seed=1)
    right = list(env.task.houses)
    swapped = right.copy()
    swapped[0], swapped[1] = swapped[1], swapped[0]

    def table(houses: list[int]) -> str:
        return "\n".join(["<answer>", *env._lines(houses), "</answer>"])

    worse = swapped.copy()
    worse[4:8] = [(h + 1) % 4 for h in worse[4:8]]
    assert env.step(table(worse))[1] == pytest.approx(10 / 16)
    assert env.step(table(swapped))[1] == pytest.approx(4 / 16)
    assert env.step(table(swapped))[1] == 0.0
    assert env.step(table(worse))[1] == 0.0
    assert env.step("nothing")[1] == 0.0
    assert env.step(table(right))[1] == pytest.approx(2 / 16)
    plain = Zebra(num_houses=4)
    plain.reset(seed=1)
    assert plain.step(table(swapped))[1] == 0.0, "off by default"


def test_the_text_says_what_is_checked() -> None:
    """Clues read back from the text by their words hold for the solution, and there are as many."""
    env = Zebra(num_houses=5, num_attributes=6)
    for seed in range(10):
        text = env.reset(seed=seed)[0]
        lines = text.split("Clues:\n")[1].split("\nFind the values")[0].split("\n")
        assert len(lines) == len(env.task.clues)
        for line, clue in zip(lines, env.task.clues, strict=True):
            words = line.lower().replace(".", " ").split()
            named = [words.index(v.lower()) for v in env.values if v.lower() in words]
            expected = {env.values[clue[1]].lower()} | (
                set() if clue[0] in ("at", "off") else {env.values[clue[2]].lower()}
            )
            assert {words[i] for i in named} == expected, line
            if clue[0] in ("left", "before"):
                assert words.index(env.values[clue[1]].lower()) < words.index(env.values[clue[2]].lower())
            if clue[0] in ("at", "off"):
                assert str(clue[2] + 1) in words[-1]


def test_the_head_of_a_narrow_table(env: Zebra) -> None:
    lines = env.oracle()[8:-9].strip().split("\n")
    rows = ["|" + line.replace(": ", "|").replace(", ", "|") + "|" for line in lines]
    head = "|House|" + "|".join("abcdef"[: env.task.attributes]) + "|"
    text = "\n".join([head, "|" + "---|" * (env.task.attributes + 1), *rows])
    assert env.step(f"<answer>```markdown\n{text}\n```</answer>")[1] == 1.0
