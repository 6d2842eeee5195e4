"""The intent grammar on labelled utterances of agents, and on hostile text."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.people import answers, measure
from tests.worlds.people.domains import LEXICONS, SHOP
from tests.worlds.people.measure import rates
from tests.worlds.people.paraphrases import paraphrases
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
    assert right >= 0.92 and wrong <= 0.016 and further <= 0.05


@pytest.mark.parametrize("desk", measure.DESKS)
def test_utterances_that_nothing_was_changed_for_are_understood(desk):
    right, wrong, further = rates(desk, "measured")
    assert right >= 0.92 and wrong <= 0.01 and further <= 0.065


@pytest.mark.parametrize("domain", LEXICONS)
def test_the_first_phrase_of_a_slot_can_be_said(domain):
    for slot, phrases in LEXICONS[domain].slots.items():
        assert ".." not in phrases[0], slot


@pytest.mark.parametrize("desk", measure.DESKS)
def test_people_answer_what_agents_say(desk):
    tally = sum((answers.rates(desk, turn) for turn in ("20", "26", "30")), Counter[str]())
    assert tally["rightly"] >= 0.94 * tally["all"] and tally["wrongly"] <= 0.01 * tally["all"] == 3
    assert tally["more"] <= 0.02 * tally["all"]


@pytest.mark.parametrize("desk", measure.DESKS)
def test_what_is_said_of_one_action_is_not_taken_for_another(desk):
    taken, count = measure.mistaken(desk, ("tuning",))
    assert count > 2000 and taken <= 0.01 * count


def test_paraphrases_are_understood_as_what_they_paraphrase():
    lost, wrong, count = 0, 0, 0
    for desk in measure.DESKS:
        for wanted, text in (line for turn in ("6", "10") for line in measure.utterances(desk, "measured", turn)[::6]):
            if not measure.judged(desk, wanted, text)[0]:
                continue
            for _, other in paraphrases(text):
                right, mistaken, _, _ = measure.judged(desk, wanted, other)
                lost, wrong, count = lost + (not right), wrong + mistaken, count + 1
    assert count > 1500 and lost <= 0.02 * count and wrong <= 0.005 * count


@pytest.mark.parametrize(
    ("desk", "text", "wanted"),
    [
        ("retail_desk", "You have a Visa and a gift card. Which would you like the order charged to?",
         {("ask", "payment"), ("ask", "order"), ("ask", "item")}),
        ("library_desk", "You owe $7.25 altogether. Do I have permission to debit your card?",
         {("confirm", ("take_payment",))}),
        ("clinic", "Who are you insured with now?", {("ask", "plan")}),
        ("telecom", "I'll happily cancel the line, just let me know that you're sure.", set()),
        ("telecom", "I'm sorry to hear that your line has been suspended.", set()),
        ("clinic", "I've dropped the $15.00 fee, so nothing is owed any longer.", {("done", ("waive",))}),
        ("clinic", "Shall I cancel the appointment or move it?", set()),
        ("clinic", "Check-up, Dr. Iyer, June 11, 10:20, copay $15.00. Reserve?", {("confirm", ("book",))}),
        ("telecom", "Roaming is off. Switch it on?", {("confirm", ("roam",))}),
        ("telecom", "To verify you:\n- password\n- date of birth", {("ask", "password"), ("ask", "birth_date")}),
        ("telecom", "Which postcode do your bills go to?", {("ask", "postcode")}),
        ("clinic", "What number do we normally reach you on?", {("ask", "phone")}),
        ("clinic", "Could I have a number to call you on?", {("ask", "phone"), ("ask", "new_phone")}),
        ("airline", "You booked only today, so it isn't too late. How many bags do you need?", {("ask", "bags")}),
        ("clinic", "Good news, somebody has just cancelled. Which day would suit you?", {("ask", "date")}),
        ("clinic", "The $18.00 charge is gone from your account.", {("done", ())}),
        ("library_desk", "Sorry, I got a bit confused there. What can I do for you?", set()),
        ("airline", "I've added the two bags. I can also cancel the trip. Shall I do that?",
         {("done", ("set_bags",)), ("confirm", ("cancel",))}),
        ("retail_desk", "I can't cancel it now. Let me know if there is another matter I can look into.",
         {("refuse", ("cancel",))}),
        ("telecom", "That's right, I have to say no to the credit. Next?", {("refuse", ("credit",))}),
        ("clinic", "It's too late to cancel free of charge: that costs $20.00. Do you still want me to cancel it?",
         {("confirm", ("cancel",))}),
        ("clinic", "You have two children registered with us, Noah and Lily. Who is it for?",
         {("ask", "person"), ("ask", "child")}),
        ("telecom", "Roaming: off", set()),
        ("retail_desk", "Your full name, your zip code, and the email address on the account.",
         {("ask", "name"), ("ask", "postcode"), ("ask", "email")}),
        ("airline", "Your ticket is in economy, which includes one free checked bag.", {("done", ())}),
        ("clinic", "You're on the waiting list now. If someone cancels, we'll call you.", {("done", ("wait",))}),
    ],
)  # fmt: skip
def test_rules_that_hold_for_any_words(desk, text, wanted):
    assert acts(desk, text) == wanted


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


def acts(desk: str, text: str) -> set[tuple[str, object]]:
    """The decisive acts, each with its slot or its actions."""
    found = understand(text, measure.DESKS[desk])
    return {(act.kind, act.slot or tuple(sorted(act.actions))) for act in found if act.kind in measure.DECISIVE}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("The exchange is complete and $6.00 was charged to your Visa.", "exchange"),
        ("Your exchange is confirmed: the navy one is on its way and $4.00 was charged to your Amex.", "exchange"),
        ("I've updated the payment: order W41027 will now be charged to your Amex.", "change_payment"),
        ("Your order is now paid with your gift card, thanks to the change.", "change_payment"),
        ("Return processed: $32.05 goes back to your gift card.", "return"),
    ],
)  # fmt: skip
def test_a_charge_is_a_change_of_payment_only_by_itself(text, action):
    assert acts("retail_desk", text) == {("done", (action,))}


@pytest.mark.parametrize(
    "text",
    [
        "A refund of $112.05 has been issued to your gift card.",
        "I've issued a refund of $20.00 to your gift card.",
        "The refund was credited to your gift card.",
    ],
)
def test_a_refund_to_a_gift_card_is_no_compensation(text):
    found = understand(text, measure.DESKS["retail_desk"])
    assert found and not any("compensate" in act.actions for act in found)
    given = understand("I've issued you a gift card of $20.00 for the delay.", measure.DESKS["retail_desk"])
    assert [act.actions for act in given] == [("compensate",)]


@pytest.mark.parametrize(
    ("desk", "text"),
    [
        ("retail_desk", "These variants are in stock: - Navy, size S, $34.00 - Black, size L, $38.00"),
        ("airline", "Here are the flights on December 8:\n- F1155 at 07:30\n- F1160 at 13:15"),
        ("clinic", "Dr. Varga is free on Tuesday at 10:00, and Dr. Holm on Wednesday at 11:20."),
        ("library_desk", "I found two editions: the 2011 hardback and the 2019 paperback."),
        ("telecom", "Your options would be Small with 5 GB or Large with 30 GB."),
        ("clinic", "The earliest appointment I have is Friday the 9th at 8:40."),
    ],
)
def test_a_list_of_options_is_an_offer_without_a_question(desk, text):
    assert "offer" in {act.kind for act in understand(text, measure.DESKS[desk])}


@pytest.mark.parametrize(
    ("desk", "text"),
    [
        ("airline", "Your flight is on June 30 at 07:15."),
        ("library_desk", "You have two books on loan, and both are due on June 4."),
        ("telecom", "You have two lines, 555-1000 and 555-2000."),
    ],
)
def test_what_is_the_case_is_no_offer(desk, text):
    assert {act.kind for act in understand(text, measure.DESKS[desk])} == {"answer"}


@pytest.mark.parametrize(
    ("desk", "text"),
    [
        ("airline", "Charter flights aren't something I can arrange myself, so I'm handing you over to a colleague."),
        ("library_desk", "Complaints about staff aren't something I can handle, so I'm transferring you now."),
        ("retail_desk", "I can't arrange a bulk order myself. I'm handing you over to a colleague now."),
    ],
)
def test_what_is_handed_over_may_be_refused_in_the_same_breath(desk, text):
    assert {act.kind for act in understand(text, measure.DESKS[desk])} == {"refuse", "handover"}


@pytest.mark.parametrize(
    ("desk", "text", "wanted"),
    [
        ("airline", "Adding three bags will come to $90.00. Do you want me to go ahead, and which card should I use?",
         {("confirm", ("set_bags",)), ("ask", "payment")}),
        ("airline", "I can switch your flight to F1055 for $45.00. Do you agree, and which card should I charge?",
         {("confirm", ("change_flights",)), ("ask", "payment")}),
        ("airline", "Insurance would be $48.00. Would you like me to add it, and to which card should it be charged?",
         {("confirm", ("insure",)), ("ask", "payment")}),
        ("retail_desk", "Which color would you like, and how should the difference be settled?",
         {("ask", "option"), ("ask", "payment")}),
        ("airline", "I can do both: move the flight to F1155, and add one bag. Shall I go ahead with both changes?",
         {("confirm", ("change_flights", "set_bags"))}),
    ],
)  # fmt: skip
def test_two_questions_in_one_sentence_are_both_heard(desk, text, wanted):
    assert acts(desk, text) == wanted


@pytest.mark.parametrize(
    ("desk", "text", "action"),
    [
        ("library_desk", "If I report the book as lost, you'll be charged $18.00. Shall I do so?", "report_lost"),
        (
            "library_desk",
            "If I cancel your hold, you'll lose your place in the queue. Should I go ahead?",
            "cancel_hold",
        ),
        ("retail_desk", "If I cancel the order, you get $64.00 back. Is that all right?", "cancel"),
    ],
)
def test_a_condition_of_ours_is_what_is_proposed(desk, text, action):
    assert acts(desk, text) == {("confirm", (action,))}


@pytest.mark.parametrize(
    ("desk", "text", "slot"),
    [
        ("retail_desk", "So you'd like a new default address for future orders. What should it be?", "new_address"),
        ("airline", "You currently have 2 bags on reservation R20890. What should the new total be?", "bags"),
        ("retail_desk", "That zip code doesn't match our records. Might there be an older one on file?", "postcode"),
        ("telecom", "To order a SIM card I have to check your postcode. What is it?", "postcode"),
    ],
)
def test_what_was_named_before_is_asked_for_without_its_name(desk, text, slot):
    assert ("ask", slot) in acts(desk, text)


def test_lists_in_one_line_are_lists():
    text = "I can book a room. Please let me know: 1. The branch 2. The date 3. Start time 4. How many hours you need"
    assert acts("library_desk", text) == {("ask", slot) for slot in ("branch", "date", "start", "hours")}


def test_gladness_is_no_report_but_glad_news_may_be():
    assert not acts("telecom", "Great to hear that it works again!")
    assert acts("library_desk", "I'm happy to say that your fine of $3.50 has been waived.") == {
        ("done", ("waive_fine",))
    }


def kinds_of(desk: str, text: str) -> set[str]:
    return {act.kind for act in understand(text, measure.DESKS[desk])}


@pytest.mark.parametrize(
    ("desk", "text", "wanted"),
    [
        ("airline", "Could you let me know the booking number (for example R20544)?", {("ask", "reservation")}),
        ("retail_desk", "May I have your order number, such as W41022?", {("ask", "order")}),
        ("clinic", "What's the full name of your son, so I can find his record?", {("ask", "child")}),
        ("telecom", "Could you tell me your full name, please, as it appears on your bill?", {("ask", "name")}),
        (
            "retail_desk",
            "To which of your cards should I move the order: the Visa or the Amex?",
            {("ask", "payment")},
        ),
        ("airline", "Where and when would you like to fly?", {("ask", "trip"), ("ask", "new_date")}),
        (
            "clinic",
            "Those details don't match. Please check your phone number and date of birth and send them again.",
            {("ask", "phone"), ("ask", "birth_date")},
        ),
    ],
)
def test_questions_ask_for_what_they_name_and_no_more(desk, text, wanted):
    assert acts(desk, text) == wanted


@pytest.mark.parametrize(
    ("desk", "text", "action"),
    [
        (
            "retail_desk",
            "A summary of the return:\n- Item: tea kettle\n- Refund: $31.05 to your Visa\n- Send off by: March 4\n\n"
            "Shall I set it up?",
            "return",
        ),
        ("telecom", "All the bills have been paid, so I can now resume your line. Should I go ahead?", "resume"),
        ("clinic", "I could charge the $45.00 fee to your card, and you'd be able to book. Shall I?", "pay"),
    ],
)  # fmt: skip
def test_what_goes_with_a_proposal_is_not_what_it_proposes(desk, text, action):
    assert acts(desk, text) == {("confirm", (action,))}


def test_a_recap_without_insurance_does_not_propose_insurance():
    text = "So that would be F1140 on May 9 in economy, two bags, no insurance, $210.00. Do you confirm?"
    assert not any("insure" in act.actions for act in understand(text, measure.DESKS["airline"]))


def test_whether_to_insure_a_trip_may_be_a_question_or_a_proposal():
    found = understand("Would you like to insure the trip?", measure.DESKS["airline"])
    assert {(act.kind, act.slot or act.actions, act.maybe) for act in found} == {
        ("ask", "insurance", True), ("confirm", ("insure",), True)
    }  # fmt: skip


def test_to_confirm_that_a_detail_is_correct_proves_no_identity():
    text = "Your new email address would be mara@mail.example. Please confirm that it's correct, and I'll save it."
    assert "ask_identity" not in kinds_of("library_desk", text) and "confirm" in kinds_of("library_desk", text)


@pytest.mark.parametrize(
    ("desk", "text", "wanted"),
    [
        (
            "clinic",
            "Your check-up has been moved to May 3. I can't waive the fee, I'm afraid.",
            {("done", ("move",)), ("refuse", ("waive",))},
        ),
        (
            "library_desk",
            'I was able to renew "Salt". "Tides" could not be renewed.',
            {("done", ("renew_loan",)), ("refuse", ("renew_loan",))},
        ),
        (
            "retail_desk",
            "The replacement is on its way. Shall I set up the return of the toaster as well?",
            {("done", ("replace",)), ("confirm", ("return",))},
        ),
        (
            "airline",
            "As this is a basic fare, its flights can't be changed, and because it was booked in May, it can't be "
            "canceled either.",
            {("refuse", ("change_flights",)), ("refuse", ("cancel",))},
        ),
        ("retail_desk", '"Arrives too late" isn\'t a reason for which we can cancel it.', {("refuse", ("cancel",))}),
        ("airline", "You're all set, Ann - your details match. What would you like to change?", set()),
    ],
)
def test_each_of_two_outcomes_is_heard_and_no_third(desk, text, wanted):
    assert acts(desk, text) == wanted


@pytest.mark.parametrize(
    ("desk", "text"),
    [
        ("airline", "You could:\n1. Move to a later flight\n2. Leave the booking as it is\n\nWhich would you prefer?"),
        ("clinic", "Two options:\n- Keep the appointment\n- Cancel it for $10.00\n\nWhat would you prefer?"),
        ("telecom", "These plans are dearer:\n- Lark L\n- Lark XL\n\nWould you be interested in one of them?"),
        ("retail_desk", "You have a choice: a replacement, or a return for $14.05. Which would you rather have?"),
    ],
)
def test_options_are_offered_whatever_the_question_behind_them(desk, text):
    assert "offer" in kinds_of(desk, text) and not kinds_of(desk, text) & measure.DECISIVE


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


@pytest.mark.parametrize("desk", list(measure.DESKS))
def test_a_refusal_with_its_reason_is_certain(desk):
    """Why it is refused is not taken for a question beside which a refusal would be in doubt."""
    text = "I'm sorry, but I can't do that: these details do not match our records, so I couldn't verify your identity."
    found = understand(f"{text} Is there anything else I can help you with?", measure.DESKS[desk])
    assert [act.maybe for act in found if act.kind == "refuse"] == [False]
    assert not any(act.kind == "answer" for act in found)
