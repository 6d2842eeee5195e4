"""The intent grammar on labelled utterances of agents, and on hostile text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.people import measure
from tests.worlds.people.domains import LEXICONS, SHOP
from tests.worlds.people.measure import rates
from turnwise.worlds.people.understanding import plain, understand


@pytest.mark.parametrize("domain", LEXICONS)
def test_utterances_for_tuning_are_understood(domain):
    right, wrong, _ = rates(domain, "tuning")
    assert right >= 0.95 and wrong <= 0.01


@pytest.mark.parametrize("domain", LEXICONS)
def test_other_utterances_are_understood(domain):
    right, wrong, _ = rates(domain, "measured")
    assert right >= 0.97 and wrong <= 0.01


@pytest.mark.parametrize("desk", measure.DESKS)
def test_utterances_at_the_desks_are_understood(desk):
    right, wrong, further = rates(desk, "tuning")
    assert right >= 0.92 and wrong <= 0.016 and further <= 0.045


@pytest.mark.parametrize("desk", measure.DESKS)
def test_utterances_that_nothing_was_changed_for_are_understood(desk):
    right, wrong, further = rates(desk, "measured")
    assert right >= 0.92 and wrong <= 0.02 and further <= 0.045


@pytest.mark.parametrize("desk", measure.DESKS)
def test_what_is_said_of_one_action_is_not_taken_for_another(desk):
    taken, count = measure.mistaken(desk, ("tuning",))
    assert count > 2000 and taken <= 0.01 * count


@pytest.mark.parametrize(
    "courtesy",
    [
        "{} Thank you for your understanding.",
        "{} I look forward to your response.",
        "{} Take your time.",
        "Your identity has been verified. {}",
        "I'm sorry to hear that. {}",
        "Your account is in good standing. {}",
        "I see what happened. {}",
        "Thanks for verifying your details, Mara. {}",
    ],
)
def test_courtesies_beside_it_change_nothing(courtesy):
    changed, count = 0, 0
    for desk in measure.DESKS:
        for wanted, text in measure.utterances(desk, "measured", "6")[::7]:
            if measure.judged(desk, wanted, text)[0]:
                changed += not measure.judged(desk, wanted, courtesy.format(text))[0]
                count += 1
    assert count > 150 and changed <= 0.02 * count


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("I'm checking, one moment.", {"wait"}),
        ("I can either cancel the order or change the address. What would you prefer?", {"offer", "ask_open"}),
        ("If you'd like to change anything, let me know. Shall I submit the exchange?", {"confirm"}),
        ("I don't have access to that information.", {"refuse"}),
        ("I can't do that: these details do not match our records.", {"refuse"}),
        ("I can't do that, as I could not verify your identity.", {"refuse"}),
        ("I can't do that: customers who owe more than $5 get no refunds until they have paid.", {"refuse"}),
        ("I can't do that until you have told me your email.", {"answer"}),
        ("I will cancel it once you have confirmed.", {"confirm"}),
        ("You don't need to give me your email.", {"answer"}),
        ("If you don't have the order number, your email works too. Could you tell me either?", {"ask"}),
        ("Your identity has been verified successfully.", {"answer"}),
        ("I'm sorry, but could you tell me what you need?", {"ask_open"}),
        ("Before I make any changes, I'd like to confirm the details with you.", {"answer"}),
        ("The order can't be transferred to another person.", {"refuse"}),
        ("Please tell me your email. Have a great day!", {"ask"}),
        ("", {"unclear"}),
        ("🤖", {"unclear"}),
    ],
)
def test_kinds_of_acts(text, kinds):
    assert {act.kind for act in understand(text, SHOP)} == kinds


@pytest.mark.parametrize(
    "text",
    ["a" * 10**6, "<" * 10**6, "[(" * 5 * 10**5, "order number? " * 10**5, "\n" * 10**6, "- ?\n" * 10**5,
     "do you " * 10**5,
     "if you would like to confirm, " * 10**5, "i " * 10**6, "\ud800" * 1000],
)  # fmt: skip
def test_hostile_text_is_cut_before_it_is_read(text):
    assert understand(text, SHOP)
    assert len(plain(text)) <= 8100


@given(st.text(max_size=300))
@settings(max_examples=50, deadline=None)
def test_any_text_is_some_act(text):
    assert all(act.kind for act in understand(text, SHOP))
