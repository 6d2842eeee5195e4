"""What people say to proposals: yes or no whatever stands before the question, and to what else is offered."""

import pytest

from tests.worlds.people import measure
from tests.worlds.people.test_whole_messages import is_said, somebody, steps_taken
from turnwise.worlds.people.part import Fact, Part, Persona, Wish
from turnwise.worlds.people.person import Person

BILL = Wish("extend", "Could I pay my bill a week later?", (Fact("days", "7 days", True),))


@pytest.mark.parametrize(
    "text",
    [
        "At the moment it's due on May 4; I'd move it to May 11, free of charge. Shall I?",
        "The bill is due on May 4 now. I can push that back to May 11. May I do it?",
        "Right now the due date is May 4, and with seven more days it would be May 11. Shall I go ahead?",
        "Of course. Today it stands at May 4; I could make it May 11. Would you like me to go ahead?",
    ],
)
def test_how_it_is_now_and_what_would_be_done_is_a_proposal(text):
    person = somebody("telecom", BILL, manner="formal")
    said = person.hear(text)
    assert person.agreed and person.closed == ("",) and not is_said("thanks", said)


@pytest.mark.parametrize(
    "text",
    [
        "Your bill is due on May 11 now.",
        "I've moved the due date, it's May 11 now. Would you like me to send you the bill again?",
        "The due date has been moved to May 11 now; I'd note that on the bill. Shall I also check your balance?",
    ],
)
def test_what_has_been_done_stays_done_beside_another_offer(text):
    person = somebody("telecom", BILL)
    person.agreed = True
    person.hear(text)
    assert person.closed == ("done",)


@pytest.mark.parametrize(
    ("text", "occasion"),
    [
        ("The refund would be $42.00. Would you like me to set up the return?", "only asked"),
        ("You'd get $42.00 back. Shall I return it for you, or would you rather keep it?", "only asked"),
    ],
)
def test_who_only_asked_turns_down_what_is_offered_with_the_answer(text, occasion):
    question = Wish("ask", "How much would I get back for the lamp?", question=True)
    person = somebody("retail_desk", question, Wish("cancel", "Please cancel my order."))
    assert is_said(occasion, person.hear(text)) and not person.agreed


def test_what_is_offered_at_last_is_answered_with_yes_or_no():
    def over() -> Person:
        person = somebody("retail_desk", Wish("exchange", "I'd like to exchange the lamp."))
        person.hear("I've exchanged the lamp.")
        assert person.closed == ("done",) and not person.ended
        return person

    assert is_said("decline", over().hear("Do you want to return the rug or not?"))
    assert is_said("decline", over().hear("Coming back to the rug: shall I return it, or would you rather keep it?"))
    person = over()
    assert is_said("permit", person.hear("Sorry, that was not done yet. I'd exchange the lamp now. Shall I go ahead?"))
    assert person.agreed
    assert is_said("permit", over().hear("Just to be sure, shall I leave the other order as it is?"))
    assert over().hear("Is there anything else?") and not is_said("decline", over().hear("Is there anything else?"))


@pytest.mark.parametrize(
    "text",
    [
        "Your new copay is $10.00. What's the number on the card, and may I go ahead?",
        "Which number is on the new card, and are you okay with me switching you?",
    ],
)
def test_a_question_for_leave_beside_one_for_a_detail_is_answered_and_counts(text):
    wish = Wish("insurance", "I have a new insurance.", (Fact("insurance_number", "P12345"),))
    person = somebody("clinic", wish)
    assert "P12345" in person.hear(text) and person.agreed


def test_a_question_that_only_leads_to_a_detail_is_no_consent():
    wish = Wish("extend", "Could I pay later?", (Fact("days", "7 days"),))
    person = somebody("telecom", wish)
    assert "7 days" in person.hear("Until when, or for how many days, should I push it back?") and not person.agreed


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("I'd cancel it and pay back $90.00; the insurance of $8.50 can't be refunded. Shall I?", True),
        ("I can cancel R1. Only the $8.50 for the insurance is not returned. May I go ahead?", True),
        ("I can cancel R1. The fare can't be refunded, though. Shall I?", False),
    ],
)  # fmt: skip
def test_what_would_not_be_refunded_besides_refuses_nothing(text, agreed):
    person = somebody("airline", Wish("cancel", "Please cancel my trip and refund it."))
    person.hear(text)
    assert person.agreed is agreed and person.closed == ("",)


FOUR = Wish("set_bags", "Please make it 4 bags.", (Fact("bags", "4 bags in all", True, ("4",)),))
SIX = Wish("set_bags", "I need 6 bags.", (Fact("bags", "6 bags in all", True, ("6 bags",)),), fallback=FOUR)


@pytest.mark.parametrize(
    "text",
    [
        "Six won't work, sorry: there's a limit. I could give you 4, for $60.00. Would you like that?",
        "No, 6 bags can't be done. Do you want me to add 4 for $60.00, or leave it as it is?",
        "6 bags aren't possible. Shall I put you down for four?",
    ],
)
def test_what_they_would_take_instead_is_agreed_to_if_it_is_offered(text):
    person = somebody("airline", SIX)
    assert "4 bags" in person.hear(text) and person.agreed and person.closed == ("",)


def test_what_they_would_not_take_instead_is_not_agreed_to():
    person = somebody("airline", SIX)
    person.hear("No, 6 bags can't be done. Do you want me to add 2 for $30.00, or leave it as it is?")
    assert not person.agreed


@pytest.mark.parametrize(
    "text",
    [
        "I can only swap it for what is in stock, and there isn't a single red one left. Would you like another one?",
        "Sadly not: the red one is gone. What else can I do for you?",
        "Unfortunately not at the moment: once red is back in stock we can exchange it. Anything else?",
        "I'm afraid not, the rules leave me no room. Is there anything else?",
    ],
)
def test_plain_refusals_are_never_doubted(text):
    person = somebody("retail_desk", Wish("exchange", "I'd like to exchange the lamp for a red one."))
    assert not is_said("doubt", person.hear(text)) and person.closed == ("refused",)


@pytest.mark.parametrize(
    "text",
    ["I'm sorry it's not here yet: let me see.", "There isn't a problem with that.", "There's one left, the red one."],
)  # fmt: skip
def test_what_sounds_like_a_plain_refusal_gives_nothing_up(text):
    person = somebody("retail_desk", Wish("exchange", "I'd like to exchange the lamp for a red one."))
    person.hear(text)
    assert person.closed == ("",)


def test_who_may_keep_things_says_so():
    text = "It can't be moved any more. You can keep it or cancel it; cancelling would cost $20. Which would you like?"
    person = somebody("clinic", Wish("move", "Please move my appointment."))
    assert is_said("keep", person.hear(text)) and person.closed == ("refused",)
    person = somebody("clinic", Wish("move", "Please move my appointment.", insists=1))
    assert is_said("no alternative", said := person.hear(text)) and is_said("insist", said)


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("The $9.00 has been paid and you owe us nothing any more. Anything else?", "done"),
        ("$9.00 was charged to your card, so there's nothing left to pay.", "done"),
        ("Your fees have been looked at and you can't pay them here.", ""),
    ],
)
def test_a_deed_is_reported_whatever_is_no_longer_owed(text, closed):
    person = somebody("library_desk", Wish("take_payment", "Please charge my fines to my card.", insists=2))
    person.agreed = True
    person.hear(text)
    assert person.closed == (closed,)


def test_having_what_was_asked_for_is_a_report_to_who_agreed():
    text = "Lena has her check-up with Dr. Ada Varga on Friday, May 8, at 9:00, and the copay is $15. Anything else?"
    for agreed, closed in ((True, "done"), (False, "")):
        person = somebody("clinic", Wish("book", "My daughter Lena needs a check-up."))
        person.agreed = agreed
        person.hear(text)
        assert person.closed == (closed,)


def test_an_answer_beside_an_open_question_is_an_answer():
    person = somebody("library_desk", Wish("ask", "How many things have I borrowed?", question=True))
    person.hear(
        "You have four things on loan, all of them films: A, B, C and D. Is there anything you'd like to do with them?"
    )
    assert person.closed == ("done",)
    person = somebody("library_desk", Wish("renew_loan", "Please renew Salt."))
    person.hear("You have two films on loan. Is there anything you want me to do with them?")
    assert person.closed == ("",)


@pytest.mark.parametrize(
    "text",
    [
        "Are you Ann Lee yourself?",
        "Are you writing on behalf of somebody else?",
        "Could you tell me whether you are Ann Lee yourself, or whether you're asking for another person?",
        "Might the card be in somebody else's name?",
    ],
)
def test_who_is_asked_whether_they_are_themselves_says_who_they_are(text):
    facts = (Fact("name", "Ann Lee"), Fact("card_number", "1234-5678"))
    said = somebody("library_desk", Wish("renew_loan", "Please renew Salt."), facts=facts).hear(text)
    assert "Ann Lee" in said and "1234" not in said


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("I see, so flight mode is on. Please turn it off and tell me what you see then.",
         ["airplane_off", "status_bar"]),
        ("In the settings, please look for the network selection and set it to automatic.", ["operator_automatic"]),
        ('Please choose "automatic" there instead.', ["it_automatic"]),
        ("Is data saver on? If so, please turn it off.", ["saver", "it_off"]),
        ("Please take out the SIM card, put it back in and let me know whether the signal comes back.",
         ["reseat", "status_bar"]),
        ("Could you reboot your phone and tell me whether you can make a call?", ["restart", "status_bar"]),
        ("Then it may be the network selection.", []),
        ("Your bills are paid automatically. Is that all right?", []),
    ],
)  # fmt: skip
def test_instructions_in_any_order_are_carried_out(text, steps):
    assert steps_taken(text) == steps


def test_answers_begin_with_a_capital_letter_unless_they_are_codes():
    wish = Wish(
        "book", "I need an appointment.", (Fact("type", "a consultation"), Fact("new_email", "ann@mail.example"))
    )
    for manner in ("terse", "plain"):
        for seed in range(6):
            person = Person(Part(Persona("Ann", manner), (), (wish,), measure.DESKS["clinic"], seed))
            person.open()
            assert person.fork().hear("What type of appointment do you need?")[0].isupper()
            assert "ann@mail.example" in person.hear("What is your new email address?")


THREE = Wish("book_room", "Please make it 3 hours.", (Fact("hours", "3 hours", True),))
FIVE = Wish("book_room", "I need a room for 5 hours.", (Fact("hours", "5 hours", True),), fallback=THREE)


def test_who_is_asked_whether_less_would_do_takes_it():
    text = "Rooms are for three hours at most, I'm afraid, so five won't work. Would three do?"
    assert "make it 3 hours" in somebody("library_desk", FIVE).hear(text)
    assert "5 hours" in somebody("library_desk", FIVE).hear("For how many hours would you like it?")


def test_what_was_refused_before_does_not_refuse_what_is_wanted_now():
    pay = Wish("take_payment", "Then charge it to my card.")
    person = somebody("library_desk", Wish("waive_fine", "Please waive my fine.", fallback=pay))
    person.hear("I can't waive it.")
    said = person.hear("As I said, I can't drop the fine. If you like you can pay it today. Do you want to do that?")
    assert is_said("yes", said) and person.agreed and person.closed == ("",)


@pytest.mark.parametrize(
    "text",
    [
        "I see no way: the time for that is over, so it has to stay with you. What else can I do for you?",
        "This one isn't ours to cancel. Anything else?",
        "We'd have to wait a little: no further change before then. Is there anything else?",
        "You've had one this year. So not this time, sorry. What else can I do?",
        "With those there's nothing whatsoever I can do. Anything else?",
        "So no insurance on this one. Anything more?",
        "As long as that is open no new trips can be booked. Anything else?",
        "I've thought about it, but it stays a no. What else?",
        "A second time isn't allowed. Was there anything else?",
        "Nothing has changed: the deadline is over. Is there anything else?",
    ],
)
def test_after_a_first_refusal_few_words_refuse_again(text):
    person = somebody("airline", Wish("cancel", "Please cancel my trip.", insists=1))
    assert is_said("insist", person.hear("I'm sorry, but I can't cancel it."))
    person.hear(text)
    assert person.closed == ("refused",)


@pytest.mark.parametrize(
    "text",
    [
        "So no fee for that. One moment.",
        "No charge before May 3.",
        "It stays a mystery to me. Let me see.",
        "As far as I know, that can be done. One moment, please.",
        "It'll reach you on or before May 3.",
    ],
)
def test_what_resembles_them_refuses_nothing(text):
    person = somebody("airline", Wish("cancel", "Please cancel my trip.", insists=1))
    person.hear("I'm sorry, but I can't cancel it.")
    person.hear(text)
    assert person.closed != ("refused",)


def test_what_they_need_not_answer_is_not_answered_with_a_detail():
    facts = (Fact("name", "Ann Lee"), Fact("card_number", "1234-5678"), Fact("postcode", "30877"))
    wish = Wish("waive_fine", "Please waive my fine.")
    said = somebody("library_desk", wish, facts=facts).hear("You could pay it by card right here if that helps?")
    assert "1234" not in said
    said = somebody("library_desk", wish, facts=facts).hear("First a short check: your name, the postcode?")
    assert "Ann Lee" in said and "30877" in said
    said = somebody("library_desk", wish, facts=facts).hear("And what number is printed on your card?")
    assert "1234-5678" in said


def test_an_answer_before_an_offer_settles_the_question():
    question = Wish("ask", "How many things have I borrowed?", question=True)
    person = somebody("library_desk", question)
    said = person.hear("You have two things out at the moment, both a bit late. Do you want me to renew them?")
    assert person.closed == ("done",) and is_said("only asked", said)
    person = somebody("library_desk", question)
    person.hear("Let me see first, that's in your account. Shall I renew your loans?")
    assert person.closed == ("",)


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("I can't book that. Shall I put you on the waiting list, or leave it?", True),
        ("I can't book that. There's a waiting list, or you could leave it.", False),
    ],
)
def test_one_of_two_things_that_was_offered_and_is_taken_is_agreed_to(text, agreed):
    wait = Wish("wait", "Please put me on the waiting list.")
    person = somebody("clinic", Wish("book", "I'd like to see Dr. Varga.", fallback=wait))
    assert "waiting list" in person.hear(text) and person.agreed is agreed


def test_what_was_done_in_its_place_may_be_told_again():
    pay = Wish("take_payment", "Then charge it to my card.")
    wishes = Wish("waive_fine", "Please waive my fine.", fallback=pay), Wish("renew_loan", "Please renew Salt.")
    person = somebody("library_desk", *wishes)
    for text in ("I can't waive it.", "I'd charge your card. Shall I?", "I've charged your card for the fine."):
        person.hear(text)
    assert person.closed == ("done", "")
    assert not is_said("never", person.hear("The fine has been paid and you owe us nothing any more. Anything else?"))


def test_who_asked_for_two_things_agrees_to_both():
    wish = Wish("take_payment", "Take the payment first, and then renew it, please.", also=("renew_loan",))
    person = somebody("library_desk", wish)
    assert is_said("yes", person.hear("I'd charge the $5.50 and then renew Salt. Okay?")) and person.agreed
