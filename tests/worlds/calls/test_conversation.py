"""Conversations of calls: programs can be repeated, what is missing is needed, every kind of request occurs."""

import itertools
import math
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from turnwise.core.draw import Draw
from turnwise.core.tools import Call
from turnwise.worlds.calls import conversation
from turnwise.worlds.calls.conversation import APIS, Shape, Talk, talk_of, toolbox_of
from turnwise.worlds.calls.replies import asks, declines, scattered

WIDE = Shape(apis=7, rows=25, turns=6, requests=2, back=0.6, missing_functions=1, missing_details=2)


@cache
def talk(number: int) -> Talk:
    return talk_of(Draw("test", number), WIDE)


def test_calls_lead_to_the_state_of_each_turn_with_the_functions_that_are_there():
    for number in range(12):
        one = talk(number)
        world, hidden = one.opened.fork(), one.hidden
        for turn in one.turns:
            hidden -= turn.granted
            carried = toolbox_of(one.apis, hidden).run_all(turn.calls, world)
            assert not carried.failed, carried.texts
            assert world.store.changes() == turn.changes
        assert not hidden
        assert one.opened.store.changes() == {}


def test_what_is_missing_is_needed():
    kinds = Counter(turn.kind for number in range(12) for turn in talk(number).turns)
    assert kinds["detail"] >= 20 and kinds["function"] >= 10
    for number in range(12):
        turns = talk(number).turns
        for turn, after in itertools.pairwise(turns):
            if turn.kind == "detail":
                assert turn.text and after.text and after.text.strip("?.").lower() not in turn.text.lower()
            if turn.kind == "function":
                (gone,) = after.granted
                assert any(call.name == gone for call in after.calls)
            if turn.kind != "plain":
                assert turn.changes != after.changes and not turn.calls


@pytest.mark.slow
def test_every_kind_of_request_occurs():
    goals = {goal for api in APIS.values() for goal in (*api.does, *api.asks)}
    seen = set()
    attempt = conversation._Writer._attempt

    def noting(writer, question, back):
        made = attempt(writer, question, back)
        seen.add(made.goal if made is not None else None)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conversation._Writer, "_attempt", noting)
        for number in range(300):
            talk_of(Draw("kinds", number), WIDE)
    assert goals <= seen


HOSTILE = ("", "x" * 5000, "../..", "/", "\ud800", "O1001", "nobody", "2026-13-45")


@pytest.mark.parametrize("name", APIS)
def test_functions_answer_whatever_they_are_given(name):
    api, one = APIS[name], talk(0)
    box = toolbox_of((name,), frozenset())
    for tool in api.tools:
        for text in HOSTILE:
            for number in (0, -1, 10**400, 3):
                given = {
                    key: {"string": text, "integer": number, "number": min(number, 10**12), "boolean": True}.get(
                        kind["type"], [float(min(number, 10**12))]
                    )
                    for key, kind in tool.properties.items()
                }
                world = one.opened.fork()
                answer = box.run(Call(tool.name, given), world)
                assert not answer.failed or not world.store.changes(), "a refused call changes nothing"
        numbers = {key: math.nan for key, kind in tool.properties.items() if kind["type"] == "number"}
        if numbers:
            rest = {key: next(iter(kind.get("enum", ["x"]))) if kind["type"] == "string" else 1
                    for key, kind in tool.properties.items() if key not in numbers}  # fmt: skip
            world = one.opened.fork()
            box.run(Call(tool.name, {**rest, **numbers}), world)
            assert not world.store.changes()


@pytest.mark.parametrize(
    ("text", "asking", "declining"),
    [
        ("How many shares would you like to buy?", True, False),
        ("Please tell me the limit price.", True, False),
        ("I need to know the date first.", True, False),
        ("Should I go ahead?", True, False),
        ("Done! Is there anything else I can help you with?", False, False),
        ("The order has been placed. Let me know if you need anything else.", False, False),
        ("Your cash balance is $12.50.", False, False),
        ("I'm sorry, but I don't have a tool that can sell shares.", False, True),
        ("Unfortunately, none of my functions can cancel orders.", False, True),
        ("I can\u2019t do that.", False, True),
        ("There is no function for deleting messages available to me.", False, True),
        ("That is done now.", False, False),
    ],
)
def test_what_a_message_amounts_to(text, asking, declining):
    assert (asks(text), declines(text)) == (asking, declining)


@pytest.mark.parametrize(("kind", "asking"), [("asks", True), ("declines", None), ("closes", False)])
def test_everyday_messages_are_taken_for_what_they_are(kind, asking):
    for text in (Path(__file__).parent / "replies" / f"{kind}.txt").read_text(encoding="utf-8").splitlines():
        assert asking is None or asks(text) == asking, text
        assert kind == "asks" or declines(text) == (kind == "declines"), text


def test_many_numbers_answer_nothing():
    assert scattered(", ".join(map(str, range(20)))) and not scattered("It is $1,204.50 for 3 bags on 2026-03-05.")
