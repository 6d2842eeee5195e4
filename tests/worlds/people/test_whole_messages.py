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


@pytest.mark.parametrize(
    ("desk", "wish", "text"),
    [
        ("library_desk", Wish("renew_loan", "Please renew Salt."),
         "To avoid any misunderstanding: Salt can't be renewed before the member in front of you has had it."),
        ("library_desk", Wish("place_hold", "Please put a hold on Salt."), "Your request for a hold was turned down, "
         "as Salt is a reference copy."),
        ("telecom", Wish("pack", "I need another data pack."),
         "Nobody in the team can change that rule, so no further data pack this month, I'm sorry."),
        ("clinic", Wish("repeat", "I need more Zephrolin."), "It was given out on May 2, and we have to leave a gap of "
         "ten days, so I can't put it through before May 12. Would you mind asking again then?"),
        ("library_desk", Wish("extend_membership", "Please renew my membership."),
         "I have to disappoint you: while you owe more than $5.00, no extension is possible. I could take the payment "
         "for the fines if you'd like."),
    ],
)  # fmt: skip
def test_a_refusal_with_its_reason_and_an_offer_is_heard(desk, wish, text):
    person = somebody(desk, Wish(wish.action, wish.opening, insists=1))
    assert is_said("insist", person.hear(text))
    person.hear(text)
    assert person.closed == ("refused",)


@pytest.mark.parametrize(
    ("desk", "wish", "text"),
    [
        ("retail_desk", Wish("return", "I want to return the lamp."), "Only things that have arrived can be returned, "
         "and your lamp is with the courier."),
        ("airline", Wish("set_bags", "I'd like six bags."), "I'm not able to stretch that, sorry. Four is the most. "
         "Shall I do it, or leave everything alone?"),
    ],
)  # fmt: skip
def test_what_may_be_a_refusal_is_doubted_first(desk, wish, text):
    person = somebody(desk, Wish(wish.action, wish.opening, insists=1))
    assert is_said("doubt", person.hear(text)) and not person.agreed and person.closed == ("",)
    assert is_said("insist", person.hear(text))


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("So, the lamp has to wait till it's here.", "refused"),
        ("There simply isn't, not at the moment.", "refused"),
        ("I've gone through it once more, but it's still the same.", "refused"),
        ("I'm not able to stretch that, sorry. Shall I do something else, or leave everything alone?", "refused"),
        ("You're in luck: it's not a problem after all.", ""),
        ("I'm sorry that you're upset. That wasn't my intention.", ""),
        ("It wasn't easy, but there may be a way.", ""),
    ],
)
def test_what_was_refused_before_is_refused_again_in_fewer_words(text, closed):
    person = somebody("retail_desk", Wish("return", "I want to return the lamp.", insists=1))
    assert is_said("insist", person.hear("I'm sorry, but that's not possible."))
    person.hear(text)
    assert person.closed == (closed,)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("Yes.", True), ("Correct.", True), ("I'm afraid so.", True), ("That's right, not before it arrives.", True),
        ("No, it can't be returned.", True), ("No, not at all! I only wanted to explain the rule.", False),
        ("That doesn't mean that I won't do it.", False), ("Right, one moment.", False),
        ("Yes, of course. May I have your name?", False),
    ],
)  # fmt: skip
def test_an_answer_to_is_that_a_no_is_heard(text, refused):
    wish = Wish("return", "I want to return the lamp.", insists=1)
    person = somebody("retail_desk", wish, facts=(Fact("name", "Ann Lee"),))
    assert is_said("doubt", person.hear("Only things that have arrived can be returned, and yours is on its way."))
    assert is_said("insist", person.hear(text)) is refused and person.closed == ("",)


@pytest.mark.parametrize(
    "text",
    [
        "Your card was declined. Do you have another one?",
        "You'll have to wait until Monday for the parcel. Shall I return the lamp?",
        "There's nothing I'd rather do than help. One moment, please.",
        "No hurry, you have until May 3.",
    ],
)
def test_what_only_sounds_like_a_refusal_gives_nothing_up(text):
    person = somebody("retail_desk", Wish("return", "I want to return the lamp."))
    for _ in range(2):
        person.hear(text)
    assert person.closed == ("",)


def test_what_is_refused_in_one_way_and_offered_in_another_is_asked_for_in_that_way():
    amex = Wish("return", "Please refund it to my Amex, then.", (Fact("payment", "my Amex", True, ("Amex",)),))
    facts = (Fact("payment", "my gift card", True, ("gift card",), ("Amex",)),)
    wish = Wish("return", "I'd like to return the lamp, and the money on my gift card.", facts, fallback=amex)
    text = (
        "You paid with an Amex, and money goes back to where it came from, so your gift card isn't possible. What I "
        "can do is return the lamp with $20.00 to your Amex. Would you like that, or would you rather keep it?"
    )
    person = somebody("retail_desk", wish)
    assert "to my Amex" in person.hear(text) and person.agreed
    person = somebody("retail_desk", wish)
    said = person.hear("I return the lamp, and $20.00 goes to your Amex. Would you like that?")
    assert "gift card" in said and not person.agreed  # nothing was refused


def test_what_a_proposal_leaves_as_it_is_refuses_nothing():
    person = somebody("retail_desk", Wish("default_address", "Please change my default address."))
    text = (
        "I'd make 12 Elm Road your new default address. Mind you, it doesn't alter the order that is under way. Are "
        "you happy for me to make the change?"
    )
    assert is_said("yes", person.hear(text)) and person.agreed


def test_a_question_about_what_was_refused_is_not_answered_with_what_they_bring_up_next():
    first = Wish("book", "I'd like a check-up.")
    then = Wish("wait", "Please put me on the list for Dr. Kovacs.", (Fact("practitioner", "Dr. Kovacs", True),))
    person = somebody("clinic", first, then)
    text = "I can't book it, because you already have three appointments. Which one, if any, would you give up?"
    assert person.hear(text).count("Kovacs") == 1 and person.closed == ("refused", "")


def test_what_they_see_on_their_phone_comes_before_the_next_request():
    wishes = Wish("plan", "Please move me to Stream 5."), Wish("pay", "I'd like to pay my bill.")
    part = Part(Persona("Bo"), (), wishes, measure.DESKS["telecom"])
    person = Person(part, lambda step: f"It shows the {step}.")
    person.open()
    person.agreed = True
    said = person.hear("I've switched 555-1001 to the plan Stream 5. Could you run a speed test?")
    assert person.closed == ("done", "") and said.index("speed_test") < said.index("pay my bill")


@pytest.mark.parametrize(
    "text",
    [
        "Right, it's been moved: from Friday on you'll find it at Central. Anything more?",
        "All arranged: the branch is Central and nothing changes in the queue. Was that the lot?",
        "There we go. That's changed: it was at Parkside by mistake. Are we done?",
    ],
)
def test_what_begins_with_it_is_done_is_a_report(text):
    person = somebody("library_desk", Wish("move_hold", "Please send my hold to Central."))
    person.hear("I'd move the hold to Central. Shall I?")
    person.hear(text)
    assert person.closed == ("done",) and person.ended == "satisfied"


@pytest.mark.parametrize(
    "text",
    ["It's fixed by the rules: a hold can't be moved.", "It's settled: I can't move it.", "Is it changed: yes or no?"],
)
def test_what_only_begins_like_a_report_is_none(text):
    person = somebody("library_desk", Wish("move_hold", "Please send my hold to Central."))
    person.hear(text)
    assert person.closed != ("done",)


@pytest.mark.parametrize(
    "text",
    [
        "Has that dealt with everything you came for?", "Is there something I've missed?", "Was that the lot?",
        "Are we done for today?", "Was there some other book you wanted to talk about?",
        "So, did we get to everything?", "That's all for today, then?",
    ],
)  # fmt: skip
def test_closing_questions_in_other_words_end_the_talk_once_all_is_settled(text):
    person = somebody("library_desk", Wish("move_hold", "Please send my hold to Central."))
    said = person.fork().hear(text)
    assert is_said("still", said)
    person.hear("I've moved your hold to Central.")
    assert person.closed == ("done",) and not person.ended
    person.hear(text)
    assert person.ended == "satisfied"


def test_to_turn_to_something_else_is_to_ask_for_it():
    person = somebody("telecom", Wish("credit", "I want $40 back."), Wish("pay", "And I'd like to pay my bill."))
    assert "pay my bill" in person.hear(
        "I'm not allowed to give you that. Let's see if I can do something else for you."
    )


@pytest.mark.parametrize(
    "text",
    [
        "To open your record, who do I have the pleasure of talking to, please, and what's the postcode on your file?",
        "Who's the holder of the account, and what's the postcode?",
        "So that I can find the line, who am I speaking to (full name, please), and which postcode do we have for you?",
    ],
)
def test_the_name_is_given_beside_another_detail(text):
    facts = (Fact("name", "Ann Lee"), Fact("postcode", "30877"))
    said = somebody("telecom", Wish("pay", "I'd like to pay my bill."), facts=facts).hear(text)
    assert "Ann Lee" in said and "30877" in said


def test_whoever_else_is_spoken_of_is_no_question_for_the_name():
    facts = (Fact("name", "Ann Lee"), Fact("postcode", "30877"))
    person = somebody("telecom", Wish("pay", "I'd like to pay my bill."), facts=facts)
    assert "Ann Lee" not in person.hear("Nobody knows who is the holder of that line. What's your postcode?")


def test_what_is_to_be_done_after_a_proposal_waits_until_it_is_agreed():
    steps = []
    part = Part(Persona("Bo"), (), (Wish("fix", "My phone has no signal."),), measure.DESKS["telecom"])
    person = Person(part, lambda step: steps.append(step) or "Done.")
    person.open()
    said = person.hear(
        "Nobody has activated the new card so far. I could do that from here, free of charge. Would that be all right? "
        "After that I'd ask you to reboot the phone."
    )
    assert is_said("yes", said) and not steps and person.agreed
    person.hear("Thanks. Nobody had activated it before. It's active as of now. Please reboot the phone.")
    assert steps == ["restart"]


@pytest.mark.parametrize(
    "text",
    [
        "Orders of garden things can be sent back for 20 days, so until June 14. Does that help?",
        "The bench arrived on May 25, which leaves you until June 14. Is that late enough for you?",
        "That's possible until June 14. Happy with that?",
    ],
)
def test_a_question_whether_an_answer_helps_does_not_hide_the_answer(text):
    question = Wish("ask", "By when could I send the bench back?", question=True)
    person = somebody("retail_desk", question)
    person.hear(text)
    assert person.closed == ("done",)


def test_a_question_about_an_intention_answers_nothing():
    person = somebody("retail_desk", Wish("ask", "By when could I send the bench back?", question=True))
    person.hear("I'd have to look at the order first. Is that all right?")
    assert person.closed == ("",)


@pytest.mark.parametrize(
    "text",
    [
        "May I cancel the hold for you now?",
        "I'll cancel the hold, which leaves you with none - shall I?",
        "So the hold on Salt is to be cancelled. Do I have your okay?",
        "Do you really want me to cancel the hold, or would you rather keep it?",
    ],
)
def test_who_is_asked_for_permission_gives_it(text):
    person = somebody("library_desk", Wish("cancel_hold", "Please cancel my hold on Salt."), manner="terse")
    assert is_said("permit", person.hear(text)) and person.agreed


def test_to_confirm_is_asked_for_in_a_word():
    person = somebody("airline", Wish("set_bags", "Four bags, please."))
    person.hear("Four it is, for $60.00 in all. Just confirm and I'll do it right now.")
    assert person.agreed
    person = somebody("airline", Wish("set_bags", "Four bags, please."))
    person.hear("I can confirm that four bags were on the last booking.")
    assert not person.agreed


def steps_taken(text: str) -> list[str]:
    """The steps that somebody without a signal takes on their phone."""
    steps: list[str] = []
    part = Part(Persona("Bo"), (), (Wish("fix", "My phone has no signal."),), measure.DESKS["telecom"])
    person = Person(part, lambda step: steps.append(step) or "Done.")
    person.open()
    person.hear(text)
    return steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("I'd love to know if your phone has a signal by now.", ["status_bar"]),
        ("How many bars can you count?", ["status_bar"]),
        ("So, any bars up there?", ["status_bar"]),
        ("Before I say anything more, is there a signal, and what do you read beside it?", ["status_bar"]),
        ("Please reboot the phone, and let me know if you see any bars.", ["restart", "status_bar"]),
        ("Could you pull down the menu and press the plane icon so that it's off?", ["airplane_off"]),
        ("Would you slide mobile data to on?", ["mobile_data_on"]),
        ("Have you reset the access points too?", ["apn_reset"]),
        ("Is there still that tiny airplane beside the battery?", ["status_bar"]),
        ("Would you look at the very top of your display, please?", ["status_bar"]),
        ("What's your account number? It's at the top of your bill.", []),
        ("Without a signal the phone shows no bars.", []),
        ("I'd like to know your account number now.", []),
        ("The plane icon stands for airplane mode.", []),
        ("Aha, that tiny airplane is what we're looking for next.", []),
    ],
)
def test_what_to_look_at_on_the_phone_is_asked_for_in_many_ways(text, steps):
    assert steps_taken(text) == steps


def test_who_is_asked_what_speaks_against_it_says_that_nothing_does():
    person = somebody("library_desk", Wish("place_hold", "Please put a hold on Salt."))
    assert is_said("unopposed", person.hear("I'm about to place the hold on Salt. Any objections?")) and person.agreed
    person = somebody("library_desk", Wish("place_hold", "Please put a hold on Salt."))
    assert is_said("unopposed", person.hear("Would you mind if I placed the hold at Central?")) and person.agreed


@pytest.mark.parametrize(
    "text",
    [
        "It was a present, right?",
        "Oh, you had it in your bag, yes?",
        "Do the others know?",
        "Let me see what I can do. May I ask who it's for?",
    ],
)
def test_a_question_about_the_past_is_no_proposal(text):
    person = somebody("retail_desk", Wish("return", "I want to return the lamp."))
    person.hear(text)
    assert not person.agreed and not person.ended


def test_whether_it_is_clear_is_not_what_a_message_asks_for():
    wish = Wish("return", "I want to return the lamp.", insists=1)
    person = somebody("retail_desk", wish)
    assert is_said("insist", person.hear("I can't return the lamp, as it was final sale. Does that make sense?"))
    person = somebody("retail_desk", wish)
    person.agreed = True
    person.hear("Your return's been registered! An email is under way. Did that all make sense?")
    assert person.closed == ("done",)
    for text in (
        "I'd return the lamp, with $20.00 to your Visa. Does that make sense?",
        "Your order has been confirmed as paid, so I'd return the lamp for $20.00. Are you happy with that?",
    ):
        person = somebody("retail_desk", wish)
        person.hear(text)
        assert person.agreed


def test_what_is_refused_here_and_proposed_to_be_passed_on_is_agreed_to():
    person = somebody("clinic", Wish("beyond", "I'd like to know what my results mean."))
    assert is_said("yes", person.hear("I don't judge results, but our nurse does. Shall I ask her to call you back?"))


def test_who_asks_what_they_came_for_is_told_again():
    person = somebody("clinic", Wish("cancel", "Please cancel my check-up."))
    person.hear("Let me see.")
    assert "cancel my check-up" in person.hear("Sorry, I got distracted. What was it you wanted?")


def test_a_full_calendar_is_a_refusal_beside_something_else():
    person = somebody("clinic", Wish("book", "I'd like to see Dr. Varga."))
    person.hear("Dr. Varga is fully booked in June. I can put you on the waiting list if you want.")
    assert person.closed == ("refused",) and not person.agreed


PAYS = Wish("pay", "Please take it from my card.")
WAIVED = Wish("waive", "Please waive the fee of $38.50.", fallback=PAYS)


@pytest.mark.parametrize(
    "text",
    [
        "Fees above $25.00 can't be waived. Shall I take the payment from your card, or shall we leave it open?",
        "I can't waive this fee. Would you like me to charge your card, or should I just leave it open for now?",
        "I'm sorry, the fee can't be waived. It can be paid later, or I can charge the $38.50 to your card now.",
    ],
)
def test_who_asks_for_one_of_two_things_that_were_offered_has_agreed_to_it(text):
    person = somebody("clinic", WAIVED)
    assert PAYS.opening in person.hear(text) and person.agreed


def test_who_asks_for_something_that_nobody_offered_has_not_agreed_to_it():
    person = somebody("clinic", WAIVED)
    assert PAYS.opening in person.hear("I'm sorry, the fee of $38.50 can't be waived.") and not person.agreed
