"""What a scripted person says next to what an agent says."""

import dataclasses
import pickle
import re
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.worlds.people.domains import LIBRARY, shopper
from turnwise.core.errors import SettingsError
from turnwise.worlds.desks.clinic.words import LEXICON as CLINIC
from turnwise.worlds.people.part import MANNERS, Fact, Lexicon, Part, Persona, Wish
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.voice import LINES

AGENT = (
    "How can I help you today?",
    "Could you please provide your email and your order number?",
    "What's your name? And your phone number, zip code and the reason?",
    "I'm sorry, but our policy doesn't allow that.",
    "I'm unable to cancel this order. However, I could set up a return. Would you like that?",
    "I will cancel order #W4410927 and refund the credit card. Do you confirm (yes/no)?",
    "I will cancel order #W4410927 and refund the gift card. Do you confirm (yes/no)?",
    "Your order has been cancelled. Is there anything else I can help with?",
    "I've set up the return for you.",
    "I've exchanged the T-shirt for a size L. Anything else?",
    "I'll exchange it for XL. Is that right?",
    "One moment, please.",
    "Is there anything else?",
    "Have a great day!",
    "The weather is nice. Do you like the sea?",
    "",
    "## <b>**?**</b>",
)
talks = st.lists(st.one_of(st.sampled_from(AGENT), st.text(max_size=60)), max_size=25)
manners = st.sampled_from(MANNERS)


def sentences(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.!?])\s+", text) if part]


def test_a_conversation_goes_its_way():
    person = Person(shopper())
    assert "cancel an order" in person.open() and not person.disclosed
    said = person.hear("Sure! Could you please provide:\n- Your **email address**\n- Your zip code")
    assert "mia.stone@example.com" in said and "80203" in said and "#W" not in said
    assert person.disclosed == {"email", "zip"}
    assert "#W4410972" in person.hear("Thanks, Mia. What's the order number?")
    assert "#W4410927" in person.hear("I can't find that order.") and not person.agreed
    said = person.hear("I'll cancel order #W4410927 and refund the gift card. Do you confirm (yes/no)?")
    assert "the credit card" in said and not person.agreed
    person.hear("I'll cancel order #W4410927 and refund the credit card. Do you confirm (yes/no)?")
    assert person.agreed and person.closed == ("", "")
    said = person.hear("Your order has been cancelled. Is there anything else I can help you with?")
    assert "T-shirt" in said and person.current == 1 and not person.agreed and "item" in person.disclosed
    assert "L" in person.hear("Which size would you like, and what is the order number?")
    person.hear("I'll exchange the blue T-shirt for a size L. Shall I proceed?")
    assert person.agreed
    person.hear("Done! I've exchanged the T-shirt.")
    assert person.closed == ("done", "done") and person.current == 2 and not person.ended
    assert person.hear("Is there anything else?") and person.ended == "satisfied"
    assert person.hear("Bye") == ""


def test_refusals_are_pushed_back_then_accepted_with_a_fallback():
    person = Person(shopper())
    person.open()
    no = "I'm sorry, but this order has already shipped, so it can't be cancelled."
    first, second = person.hear(no), person.hear(no)
    assert first != second and person.closed[0] == "" and "send it back" not in first + second
    assert "send it back" in person.hear(no) and person.current == 0
    said = person.hear("I'm afraid I can't accept a return either.")
    assert person.closed == ("refused", "") and "T-shirt" in said
    person.hear("I cannot exchange it.")
    person.hear("I cannot exchange it.")
    assert person.closed == ("refused", "refused")
    person.hear("Is there anything else?")
    assert person.ended == "refused"


def test_what_may_be_a_refusal_is_asked_about_once():
    person = Person(shopper())
    person.open()
    said = person.hear("Orders are fixed as soon as they are packed.")
    assert any(line in said for line in LINES["doubt"]["plain"]) and person.closed[0] == ""
    pushed = person.hear("Orders are fixed as soon as they are packed.")
    assert any(line in pushed for line in LINES["insist"]["plain"])


def test_who_asks_for_what_was_offered_instead_has_agreed():
    person = Person(shopper())
    person.open()
    no = "I'm unable to cancel this order. However, I could set up a return. Would you like me to set it up?"
    while not person.agreed and person.current == 0 and not person.ended:
        said = person.hear(no)
    assert "send it back" in said and person.agreed


def test_of_two_things_that_are_offered_they_say_which():
    person = Person(shopper())
    person.open()
    said = person.hear("I can cancel the order or change the address. Which would you like?")
    assert "cancel an order" in said and person.agreed


def test_they_object_only_where_nothing_speaks_of_what_they_want():
    person = Person(shopper())
    person.open()
    never = [line for lines in LINES["never"].values() for line in lines]
    said = person.hear("The cancellation is ready. Shall I also change the address?")
    assert not any(line in said for line in never) and not person.agreed
    said = person.hear("Shall I change the address?")
    assert any(line in said for line in never)


def test_what_they_do_not_know_they_say():
    person = Person(shopper())
    person.open()
    assert re.search("phone", person.hear("Could you give me your phone number?"))
    assert "phone" not in person.disclosed


def test_things_never_wished_for_are_declined():
    person = Person(shopper())
    person.open()
    person.hear("I can change the address of your order for you. Do you confirm?")
    assert not person.agreed
    person.hear("I have returned the item for you.")
    assert person.closed == ("", "")


def mover(*facts):
    """Somebody who wants an appointment to be cancelled."""
    wish = Wish("cancel", "Please cancel my appointment.", facts)
    return Person(Part(Persona("Ann"), (Fact("name", "Ann Lee"),), (wish,), CLINIC))


def test_a_question_that_may_be_for_two_details_is_answered_with_both():
    person = mover(Fact("practitioner", "Dr. Varga"), Fact("date", "July 1"))
    person.open()
    text = "You have two appointments with Dr. Varga, one on June 24 and one on July 1. Which of them do you mean?"
    said = person.hear(text)
    assert "Dr. Varga" in said and "July 1" in said
    assert "Dr. Varga" not in mover(Fact("date", "July 1")).hear(text)


def test_a_proposal_whose_action_is_named_before_it_is_asked_about_if_it_is_not_wished_for():
    person = mover()
    person.open()
    said = person.hear("I can put you on the waiting list of Dr. Varga. There are four people on it. Shall I?")
    assert not person.agreed and "?" in said
    assert "cancel" not in said  # they do not say that they never wanted it


def test_options_listed_without_a_question_are_chosen_from():
    slots = (Fact("practitioner", "Dr. Varga", others=("Dr. Holm",)), Fact("type", "check-up"))
    wish = Wish("book", "I'd like to see Dr. Varga for a check-up.", slots)
    person = Person(Part(Persona("Mia Stone", "plain"), (), (wish,), CLINIC))
    person.open()
    said = person.hear("Dr. Varga is free on Tuesday at 10:00, and Dr. Holm on Wednesday at 11:20.")
    assert "Dr. Varga" in said and "Holm" not in said and not person.agreed
    other = Person(Part(Persona("Mia Stone", "plain"), (), (Wish("cancel", "Please cancel my check-up."),), CLINIC))
    other.open()
    said = other.hear("Dr. Varga is free on Tuesday at 10:00, and Dr. Holm on Wednesday at 11:20.")
    assert not other.agreed and said and not other.ended and "Holm" not in said


def test_a_state_is_a_report_to_those_who_agreed():
    state = "The appointment is off. Is there anything else I can help you with?"
    person = mover()
    person.open()
    person.hear(state)
    assert person.closed == ("",)
    person.hear("I can cancel your appointment. Shall I?")
    person.hear(state)
    assert person.closed == ("done",)


def test_handing_over_ends_the_talk_and_an_offer_of_it_does_not():
    person = Person(shopper())
    person.open()
    person.hear("Would you like me to transfer you to a human agent?")
    assert not person.ended and not person.agreed
    person.hear("I'm transferring you to a human agent.")
    assert person.ended == "transferred"


def test_conditions_and_promises_close_nothing():
    person = Person(shopper())
    person.open()
    for text in (
        "I have not cancelled the order yet.",
        "I will cancel the order as soon as I can.",
        "If the order has shipped, it can be returned after delivery.",
        "Pending orders can be cancelled at any time.",
    ):
        person.hear(text)
    assert person.closed == ("", "")


def test_a_question_is_settled_by_an_answer():
    wish = Wish("renew", "Until when can I keep my book?", question=True, answer=("June 14", "14 June"))
    person = Person(Part(Persona("Ann"), (Fact("card", "2211"),), (wish,), LIBRARY))
    person.open()
    assert "2211" in person.hear("What's your library card number?") and person.closed == ("",)
    person.hear("Let me check.")
    assert person.closed == ("",)
    person.hear("You can keep it until June 14.")
    assert person.closed == ("done",)


def test_hands_carry_out_steps():
    lexicon = Lexicon({}, {"repair": ("repair", "fix")}, {"restart": ("restart", "reboot"), "signal": ("signal bars",)})
    part = Part(Persona("Bo"), (), (Wish("repair", "My phone has no signal."),), lexicon)
    carried = []
    person = Person(part, lambda step: carried.append(step) or f"Okay, {step} shows nothing new.")
    person.open()
    assert "restart shows" in person.hear("Please restart your phone, and tell me what the signal bars show.")
    assert carried == ["restart", "signal"]


@pytest.mark.slow
@given(talks, manners, st.integers(0, 50))
@settings(max_examples=300, deadline=None)
def test_many_talks_say_no_sentence_twice_in_a_row(texts, manner, seed):
    talk(texts, manner, seed)


@given(talks, manners, st.integers(0, 50))
@settings(max_examples=12, deadline=None)
@example([""] * 20, "terse", 0)
@example(["One moment, please."] * 20, "plain", 1)
@example(["How can I help you today?"] * 20, "formal", 2)
@example(["What's your email?"] * 20, "impatient", 3)
@example(["I will cancel order #W4410927. Do you confirm (yes/no)?"] * 20, "hesitant", 4)
def test_no_sentence_twice_in_a_row_and_no_value_of_their_own(texts, manner, seed):
    talk(texts, manner, seed)


def talk(texts, manner, seed):
    part = shopper(manner, seed)
    person = Person(part)
    last = person.open()
    values = " ".join(fact.value for fact in part.facts) + "".join(
        f" {wish.opening} {wish.slip} {wish.fallback} {wish.facts}" for wish in part.wishes
    )
    for text in texts:
        twin = person.fork()
        said = person.hear(text)
        assert twin.hear(text) == said and twin.ended == person.ended and twin.closed == person.closed
        if not said:
            assert person.ended
            break
        assert said != last and not set(sentences(said)) & set(sentences(last))
        for number in re.findall(r"#\w+|\d{2,}|\S+@\S+\w", said):
            assert number in values or number in text.lower()
        last = said


@given(talks, st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_nothing_is_disclosed_that_was_not_asked_for(texts, seed):
    kept = re.compile("(mia.stone@|80203|#W44|#W77|by mistake)")
    person = Person(shopper(seed=seed))
    assert not kept.search(person.open())
    for text in texts:
        if re.search(r"email|name|number|zip|order|reason|which|what|return|refund", text):
            continue
        said = person.hear(text)
        assert not kept.search(said) and person.disclosed <= {"item", "payment", "size"}


@given(st.text(max_size=80), manners)
@settings(max_examples=30, deadline=None)
def test_every_talk_ends_by_patience(text, manner):
    person = Person(shopper(manner, patience=4))
    person.open()
    for _ in range(60):
        if person.ended:
            return
        person.hear(text)
    raise AssertionError(text)


@pytest.mark.parametrize("text", AGENT)
def test_every_talk_about_one_thing_ends(text):
    person = Person(shopper())
    person.open()
    for _ in range(60):
        person.hear(text)
    assert person.ended


def test_people_pickle_compare_by_seed_and_fork_apart():
    part = shopper("chatty")
    assert pickle.loads(pickle.dumps(part)) == part
    first = {Person(dataclasses.replace(part, seed=seed)).open() for seed in range(40)}
    assert len(first) >= 4
    person = Person(part)
    person.open()
    twin = person.fork()
    twin.hear("I've cancelled your order.")
    assert person.closed == ("", "") and twin.closed == ("done", "")


def test_wordings_are_many():
    lines = {line for by_manner in LINES.values() for found in by_manner.values() for line in found}
    assert len(lines) >= 500
    for occasion, by_manner in LINES.items():
        assert set(by_manner) == {"any"} or set(by_manner) == set(MANNERS), occasion


@pytest.mark.slow
def test_a_person_says_the_same_in_any_process():
    code = (
        "from tests.worlds.people.domains import shopper\nfrom turnwise.worlds.people.person import Person\n"
        "p = Person(shopper('chatty', 7)); print(p.open())\n"
        "for t in ('Your email, zip code, name and reason, please?', 'Order number?', 'Hm', 'No.'): print(p.hear(t))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1 and "80203" in said.pop()


def test_parts_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError, match="manner='rude'"):
        Persona("A", "rude")
    with pytest.raises(SettingsError, match="patience=0"):
        Persona("A", patience=0)
    with pytest.raises(SettingsError, match="wishes"):
        Part(Persona("A"), (), (), Lexicon())
