"""Settings for a small desk: they hold at every desk, and change nothing unless they are set."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.envs.desks._clerks import earned
from tests.envs.desks.test_clerks import Made, desks
from turnwise.core.errors import SettingsError
from turnwise.envs.desks.clinic import ClinicDesk
from turnwise.envs.desks.library import LibraryDesk
from turnwise.worlds.desks.narrow import names_of
from turnwise.worlds.desks.scenario import Shape

PAGE = Path(__file__).parents[3] / "docs" / "desks.md"

SMALL: dict[str, Any] = {"policy": "clauses", "manual": "none", "signed_in": True, "form": "plain", "exact": False}


@desks
def test_a_clerk_earns_all_at_a_small_desk_without_asking_who_somebody_is(desk: Made) -> None:
    env = desk(**SMALL, beyond=0.0, impostors=1.0)
    refused = set()
    for seed in range(8):
        assert earned(env, seed) == 1.0 and earned(env, seed, "obey") <= 1.0
        refused.add(env.task.shape.refused)
        first = env.reset(seed=seed)[0]
        assert f"account {env.case.account}." in first and "Your tools" not in first and env.case.policy not in first
        assert "full name" not in env.oracle() and env.case.account in env.desk.verified
    assert refused == {0, 1}


@desks
def test_the_clauses_that_are_written_hold_all_that_is_refused_for(desk: Made) -> None:
    for settings in ({}, {"signed_in": True}):
        env = desk(policy="clauses", difficulty=7, impostors=0.0, **settings)
        for seed in range(4):
            first = env.reset(seed=seed)[0]
            broken = {name for one in env.case.settled for name in one.clauses}
            texts = {clause.name: clause.text for clause in env.case.opened.clauses}
            assert all(f"- {texts[name]}\n" in first for name in broken), broken
            assert (texts["identity"] in first) is not env.signed_in


@pytest.mark.slow
@desks
def test_every_kind_of_goal_can_be_had_alone(desk: Made) -> None:
    kinds = desk().goal_kinds
    for name in dict.fromkeys(kind.__name__ for kind in kinds.allowed):
        env = desk(goals=1, refused=0, kinds=name, impostors=0.0, beyond=0.0, people=10)
        assert earned(env, 1) == 1.0 and len(env.case.settled) == 1
        assert env.case.settled[0].option is not None


@desks
def test_the_kinds_of_goals_are_documented(desk: Made) -> None:
    env = desk()
    (row,) = (line for line in PAGE.read_text().splitlines() if line.startswith(f"| {type(env).__name__} | `"))
    assert set(re.findall(r"`(\w+)`", row)) == set(names_of(env.goal_kinds))


def test_goals_are_of_the_kinds_named() -> None:
    env = LibraryDesk(goals=1, refused=1, exact=False, kinds="pay, waive_reason", beyond=0.0)
    seen = set()
    for seed in range(30):
        env.reset(seed=seed)
        seen.add((env.task.shape.refused, env.case.settled[0].goal.kind))
    assert seen == {(0, "pay"), (1, "waive")}


@pytest.mark.parametrize(
    ("desk", "settings", "message"),
    [
        (LibraryDesk, {"kinds": "wave"}, "kinds has 'wave' .did you mean 'waive'"),
        (LibraryDesk, {"kinds": "pay,waive", "goals": 2, "refused": 0}, "too few for goals=2"),
        (LibraryDesk, {"kinds": "pay", "goals": 1}, "too few for goals=1 of which refused=1"),
        (LibraryDesk, {"kinds": "renew_limit", "goals": 1}, "nothing is ever granted"),
        (ClinicDesk, {"kinds": "pay", "goals": 1, "exact": False}, "refused=1"),
    ],
)
def test_kinds_of_which_no_conversation_can_be_made(desk: Made, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        desk(**settings)


@desks
def test_plain_calls_and_answers_are_the_same_ones(desk: Made) -> None:
    json, plain = desk(difficulty=4), desk(difficulty=4, form="plain")
    for seed in range(2):
        json.reset(seed=seed)
        plain.reset(seed=seed)
        over = False
        while not over:
            said, short = json.oracle(), plain.oracle()
            assert json.toolbox.parse(said) == json.toolbox.parse(short) and len(short) <= len(said)
            answer, _, over, _, _ = json.step(said)
            words, reward, _, _, _ = plain.step(short)
            assert "{" not in words and len(words) <= len(answer)
        assert reward == 1.0


def test_names_of_tools_without_their_descriptions() -> None:
    whole, names = (LibraryDesk(manual=manual).reset(seed=1)[0] for manual in ("whole", "names"))
    assert "- list_fines(member_id)\n" in names and "Call: <tool_call>" in names and len(names) < 0.6 * len(whole)


def test_a_desk_without_kinds_is_what_it_was() -> None:
    assert "kinds" not in repr(Shape()) and Shape().key() == tuple(Shape())[:-1]
    assert repr(Shape(kinds=("pay",))).endswith("kinds=('pay',))")
