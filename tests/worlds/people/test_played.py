"""A part written out for a model that plays it, and the marker that ends the talk."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.people.domains import shopper
from turnwise.worlds.people.part import MANNERS
from turnwise.worlds.people.played import ENDINGS, prompt_of, read_message


def test_a_prompt_says_what_they_know_want_and_keep_to_themselves():
    prompt = prompt_of(shopper())
    for value in ("Mia Stone", "mia.stone@example.com", "#W4410927", "#W4410972", "the gift card", "80203"):
        assert value in prompt
    assert "phone number: you do not know it" in prompt
    assert "push back 2 times, then accept it and ask for this instead" in prompt
    assert prompt.index("swap a T-shirt") > prompt.index("cancel an order")
    assert prompt.index("Mention right away") < prompt.index("the blue T-shirt") < prompt.rindex("Say only when asked")
    assert all(marker in prompt for marker in ENDINGS)


def test_manners_and_patience_change_the_prompt():
    prompts = {prompt_of(shopper(manner)) for manner in MANNERS}
    assert len(prompts) == len(MANNERS)
    patient = shopper()
    patient = dataclasses.replace(patient, persona=dataclasses.replace(patient.persona, patience=9))
    assert "If 9 messages in a row" in prompt_of(patient)


@pytest.mark.parametrize(("marker", "ended"), ENDINGS.items())
def test_each_marker_ends_the_talk_and_is_taken_out(marker, ended):
    assert read_message(f"Thanks, bye! {marker}") == ("Thanks, bye!", ended)
    assert read_message(f"{marker.lower()}\nBye") == ("Bye", ended)


def test_a_message_without_a_marker_goes_on():
    assert read_message(" I'm done with [that]. ") == ("I'm done with [that].", "")


@given(st.text(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_text_is_read(text):
    said, ended = read_message(text)
    assert ended in {"", *ENDINGS.values()} and len(said) <= len(text)
