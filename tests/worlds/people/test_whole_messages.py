"""What people say to whole messages: a refusal with its reason and an offer, a question behind an explanation."""

import pytest

from tests.worlds.people import measure
from turnwise.worlds.people.part import Fact, Part, Persona, Wish
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.voice import LINES


def somebody(desk: str, *wishes: Wish, facts: tuple[Fact, ...] = (), manner: str = "plain") -> Person:
    """Somebody at a desk who has said what they want."""
    person = Person(Part(Persona("Ann Lee", manner), facts, wishes, measure.DESKS[desk]))
    person.open()
    return person


def is_said(occasion: str, text: str) -> bool:
    """Whether a text holds a sentence for an occasion."""
    return any(line in text for lines in LINES[occasion].values() for line in lines)


MAST = Wish("beyond", "There's no reception at our farm. Will you put up a mast?")


@pytest.mark.parametrize(
    "text",
    [
        "That's nothing for this desk, so I would connect you with a colleague in our network team. Any other "
        "question first?",
        "A mast is a matter for the network team. Before I hand you over, is that all for today?",
        "I'll put you through to a colleague for that. What else can I do for you?",
    ],
)
def test_who_is_asked_before_a_handover_what_else_there_is_waits_for_it(text):
    person = somebody("telecom", MAST)
    assert is_said("nothing else", person.hear(text)) and not person.ended and person.closed == ("",)


@pytest.mark.parametrize(
    "text",
    [
        "I can't take that on, so I'll connect you with a specialist. Would that suit you?",
        "I'd transfer you to our network team. Do you agree?",
        "I would hand you over to a colleague for that.",
    ],
)
def test_an_announced_handover_is_agreed_to_and_ends_nothing(text):
    person = somebody("telecom", MAST)
    assert is_said("yes", person.hear(text)) and not person.ended and person.closed == ("",)


def test_a_handover_to_come_leaves_other_questions_and_other_wishes_open():
    person = somebody("telecom", MAST, facts=(Fact("birth_date", "May 3, 1980"),))
    assert "May 3, 1980" in person.hear("I'll put you through to a colleague; what is your date of birth?")
    person = somebody("telecom", Wish("pay", "I'd like to pay my bill."))
    said = person.hear("Before I pass you on, is there anything else you need?")
    assert is_said("still", said) and not person.ended


def test_a_handover_without_a_question_still_ends_the_talk():
    person = somebody("telecom", MAST)
    person.hear("I'm sorry, a mast isn't something I can promise. I'm handing you over to a colleague.")
    assert person.ended == "transferred"
