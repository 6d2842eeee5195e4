"""KnightsKnaves: unique models by brute force over the statements, and how roles may be written."""

import itertools
from typing import Any

import numpy as np
import pytest

from turnwise.core.draw import Draw
from turnwise.envs.logic.knights_knaves import KnightsKnaves, Task, _english, _negated, holds, knights, parse_roles

# Ada: Cleo is a knight. Ben: Cleo and I are of different kinds. Cleo: Ben is a knave.
TASK = Task((("knight", 2), ("different", 1, 2), ("knave", 1)), (0, 1, 0))
NAMES = ("Ada", "Ben", "Cleo")


def models(task: Task) -> list[tuple[int, ...]]:
    size = len(task.statements)
    return [
        roles
        for roles in itertools.product((0, 1), repeat=size)
        if all(holds(s, roles) == bool(roles[i]) for i, s in enumerate(task.statements))
    ]


@pytest.mark.parametrize(
    "settings", [*KnightsKnaves.levels, {"num_people": 2, "depth": 0}, {"num_people": 2, "depth": 3}]
)
def test_one_model_and_it_is_the_planted_one(settings: dict[str, Any]) -> None:
    env, rng = KnightsKnaves(**settings), np.random.default_rng(3)
    for _ in range(4 if env.num_people > 8 else 15):
        task = env.generate(rng)
        assert models(task) == [task.roles]


@pytest.mark.parametrize("people", [2, 3, 6, 10])
@pytest.mark.parametrize("counts", [True, False])
def test_corners_of_the_settings(people: int, counts: bool) -> None:
    for depth in range(4):
        task = KnightsKnaves(num_people=people, depth=depth, counts=counts).generate(np.random.default_rng(0))
        assert len(task.statements) == people
        assert counts or not any(word in repr(task.statements) for word in ("exactly", "least", "most"))


def test_truth_tables_agree_with_the_statements() -> None:
    env, rng = KnightsKnaves(num_people=4, depth=3), np.random.default_rng(1)
    draw = Draw.ahead(rng, 256)
    seen = set()
    for _ in range(150):
        statement, table = env._statement(draw, draw.below(4), 3)
        seen.add(statement[0])
        for m in range(16):
            roles = [m >> i & 1 for i in range(4)]
            assert holds(statement, roles) == bool(table >> m & 1)
            assert holds(_negated(statement), roles) != holds(statement, roles)
    assert seen == {"and", "or", "if", "iff"}
    assert knights(2) == (0b1010, 0b1100)


def test_english() -> None:
    said = ("if", ("and", ("knight", 0), ("same", 0, 1)), ("not", ("or", ("knave", 2), ("at least", 2))))
    assert _english(said, "Ben") == (
        "if (Ada is a knight, and Ada and I are of the same kind), then "
        "(it is not true that (Cleo is a knave, or at least 2 of us are knights))"
    )
    assert _english(("exactly", 1), "Ada") == "exactly 1 of us is a knight"


@pytest.mark.parametrize(
    "text",
    [
        "Ada: knave, Ben: knight, Cleo: knave", "Ben is a knight, Ada is a knave and Cleo is a knave.",
        "ADA=KNAVE;BEN=KNIGHT;CLEO=KNAVE", "knights: Ben; knaves: Ada, Cleo", "Knaves: Cleo and Ada. Knights: Ben.",
        "Ada and Cleo are both knaves, and Ben is a knight", "1. Ada - knave\n2. Ben - knight\n3. Cleo - knave",
        "| Ada | knave |\n| Ben | knight |\n| Cleo | knave |", '{"Ada": "knave", "Ben": "knight", "Cleo": "knave"}',
        "**Ada**: knave, **Ben**: knight, **Cleo**: knave", "Ada -> knave, Ben → knight, Cleo => knave",
        r"\text{Ada: knave, Ben: knight, Cleo: knave}", "Ada is a knave, so Ben is the knight, Cleo: knave, Ada: knave",
        "Ben is a knight. Ada, Cleo: knaves",
    ],
)  # fmt: skip
def test_spellings(text: str) -> None:
    env = KnightsKnaves(num_people=3)
    env.reset(options={"task": TASK})
    assert env.step(f"<answer>{text}</answer>")[1] == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Ada: knave, Ben: knight", "Ben: knight", "knights: Ben", "knights: Ben; knaves: Cleo", "knave, knight, knave",
        "Ada: knave, Ben: knight, Cleo: knave, Cleo: knight", "Ada: knave, Ben: knight, Cleo: knight/knave",
        "Ada: knave, Ben: knight, Cleo: knight or knave", "Ada: knave, Ben: knight, Cleo: knave, Dan: knight",
        "Ada is not a knight, Ben is a knight, Cleo is a knave", "knights: Ben, Ada, Cleo; knaves: Ada, Cleo",
        "Ada != knight, Ben = knight, Cleo = knave", "Ada ≠ knight, Ben = knight, Cleo = knave",
        "Ada: ~knight, Ben: knight, Cleo: knave", "everyone but Ben is a knave", "knaves: none; knights: none",
        "knights: none Ben; knaves: Ada, Cleo", "Ada: knave, Ben: knight, Cleo: knave, Ada", "Ada: 0, Ben: 1, Cleo: 0",
        "Ada: knave, Ben: knight, Cleo: кnave", "Ada: knave, Ben: knight, Cleo: knave?", "knight knave " * 20,
        "Ada: knave, Ben: knight, Cleo: knight", "Ada: knight, Ben: knave, Cleo: knave", "none", "and", "Cleo " * 90,
    ],
)  # fmt: skip
def test_refused(text: str) -> None:
    env = KnightsKnaves(num_people=3)
    env.reset(options={"task": TASK})
    assert env.step(f"<answer>{text}</answer>")[1] == 0.0


def test_every_model_is_judged_by_the_statements() -> None:
    """The stored roles do not decide: a wrong stored solution changes nothing."""
    env = KnightsKnaves(num_people=3)
    assert models(TASK) == [(0, 1, 0)]
    for roles in itertools.product((0, 1), repeat=3):
        env.reset(options={"task": Task(TASK.statements, (1, 1, 1))})
        text = ", ".join(f"{n}: {'knight' if r else 'knave'}" for n, r in zip(NAMES, roles, strict=True))
        observation, reward, *_ = env.step(text)
        assert (reward == 1.0) == (roles == (0, 1, 0))
        assert reward == 1.0 or observation.startswith("Wrong: ")


def test_parse_roles_says_what_is_wrong() -> None:
    assert parse_roles("Ada: knight", NAMES) == "The role of Ben is missing."
    assert parse_roles("Ada: knight, Ada: knave", NAMES) == "Ada has two roles."
    assert "'maybe'" in str(parse_roles("Ada: maybe", NAMES))
    assert "longer" in str(parse_roles("knight " * 1000, NAMES))


def test_a_role_that_heads_nobody_is_not_read() -> None:
    names = ("Ada", "Ben")
    assert parse_roles("Knights: Ada; Knaves: Ben", names) == [1, 0]
    assert parse_roles("Knights: Ada, Ben; Knaves: none", names) == [1, 1]
    for text in ("Knight: Ada, Ben: Knave", "Knights: Knaves: Ada, Ben", "Knights: Ada none; Knaves: Ben"):
        assert isinstance(parse_roles(text, names), str), "either reading would do"
