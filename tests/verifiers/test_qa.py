"""Answers to questions: what is the same answer, what is partly right, and what must not pay."""

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.nations
import turnwise.verifiers.qa
import turnwise.verifiers.qa_forms
from tests._work import at_most
from turnwise.envs.data.grading import judge
from turnwise.verifiers.qa import (
    abstains,
    exact_match,
    token_f1,
    tokens,
    verify_answer,
    verify_items,
    verify_yes_no,
)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("the Eiffel Tower.", "Eiffel Tower"), ("EIFFEL TOWER", "Eiffel Tower"),
        ('"Eiffel Tower"', "The Eiffel Tower"), ("The answer is Paris.", "Paris"), ("Answer: Paris", "Paris"),
        ("**Paris**", "Paris"), ("U.S.", "US"), ("U.S.A.", "usa"), ("Rock 'n' Roll", "rock n roll"),
        ("well-known", "well known"), ("e-mail", "email"), ("Jean–Luc", "Jean-Luc"), ("Beyonce", "Beyoncé"),
        ("Sao Paulo", "São Paulo"), ("Ｐａｒｉｓ", "Paris"), ("Xi'an", "Xi’an"), ("AC/DC", "ACDC"),
        ("東京", "東京"), ("东京 ", "东京。"), ("Москва", "москва"), ("12", "twelve"), ("twenty-three", "23"),
        ("1,234", "1234"), ("1234.0", "1,234"), ("5 million", "5,000,000"), ("$5 million", "5 million dollars"),
        ("3 km", "3,000 metres"), ("5 kilometers", "5 km"), ("-5", "minus five"), ("0.50", ".5"), ("a dozen", "12"),
        ("5%", "5 percent"), ("two children", "2 children"), ("3rd", "third"), ("60 minutes", "1 hour"),
        ("July 4, 1776", "4 July 1776"), ("July 4th, 1776", "1776-07-04"), ("the 4th of July, 1776", "July 4 1776"),
        ("Thursday, July 4, 1776", "4 July 1776"), ("Jul. 4, 1776", "1776/7/4"),
        ("25/12/2020", "December 25, 2020"), ("12/25/2020", "2020-12-25"), ("2020年12月25日", "25 December 2020"),
        ("July 1776", "jul 1776"), ("4 July", "July 4"), ("The", "the"), ("A", "a"), ("?", "?"), ("C++", "c++"),
        ("The Who", "Who"), ("vitamin A", "Vitamin A"),
    ],
)  # fmt: skip
def test_the_same_answer(text, gold):
    assert exact_match(text, gold) == exact_match(gold, text)
    verdict = verify_answer(text, gold)
    assert verdict.correct and verdict.parts == {"exact": 1.0, "f1": 1.0, "abstained": 0.0}


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("", "Paris"), (" ", "Paris"), ("Paris or London", "Paris"), ("Paris, London", "Paris"),
        ("not Paris", "Paris"), ("Paris/London", "Paris"), ("Par is", "Paris"), ("Pari", "Paris"),
        ("Paris; London", "Paris"), ("Obama Barack", "Barack Obama"), ("5", "-5"), ("35", "3.5"), ("1.2", "12"),
        ("1,2", "12"), ("10/12", "1012"), ("3 km", "3 miles"), ("€5", "$5"), ("5 kg", "5 m"),
        ("1776", "July 4, 1776"), ("July 5, 1776", "July 4, 1776"), ("July 4", "July 4, 1776"),
        ("06/07/2020", "07/06/2020"), ("06/07/2020", "2020-07-06"), ("3.10", "3.1.0"), ("C", "C++"), ("C#", "C"),
        ("vitamin", "vitamin A"), ("hepatitis B", "hepatitis A"), ("The", "A"), ("Python 3.1", "Python 3.10"),
        ("half", "halves"), ("京都", "東京都"), ("が", "か"), ("й", "и"), ("twelve", "13"),
        ("1990–1995", "19901995"), ("!", "?"), ("007", "7.5"), ("32 °F", "32 °C"), ("the", "Paris"),
        ("I don't know", "Paris"), ("5 or 6", "5"), ("A\u0300" * 5, "b"),
    ],
)  # fmt: skip
def test_not_the_same_answer(text, gold):
    verdict = verify_answer(text, gold)
    assert not verdict.correct and verdict.score < 1
    assert not exact_match(text, gold) or not text.strip()


FORMS = [
    # titles and professions
    ("President Barack Obama", "Barack Obama"), ("Barack Obama", "President Barack Obama"),
    ("President Obama", "Obama"), ("King Henry II", "Henry II"), ("Henry II", "King Henry II"),
    ("Dr. Martin Luther King Jr.", "Martin Luther King Jr."), ("Sir Isaac Newton", "Isaac Newton"),
    ("Prime Minister Winston Churchill", "Winston Churchill"), ("former President Bill Clinton", "Bill Clinton"),
    ("Swedish botanist Carl Linnaeus", "Carl Linnaeus"), ("Carl Linnaeus", "Swedish botanist Carl Linnaeus"),
    ("the poet Dylan Thomas", "Dylan Thomas"), ("Pope Francis", "Francis"), ("Queen Elizabeth II", "Elizabeth II"),
    # containing places
    ("Paris, France", "Paris"), ("Paris", "Paris, France"), ("Paris (France)", "Paris"), ("Tucson", "Tucson, Arizona"),
    ("Landover, Maryland", "Landover"), ("Springfield, Illinois, USA", "Springfield, Illinois"),
    ("Springfield, IL", "Springfield"), ("Dover, England", "Dover"), ("Toronto, Ontario, Canada", "Toronto"),
    ("Texas, USA", "Texas"), ("Scotland, UK", "Scotland"), ("London, England", "London"), ("London, UK", "London"),
    ("Sydney, New South Wales", "Sydney"),
    # nations
    ("French", "France"), ("France", "French"), ("American", "United States"), ("USA", "the United States of America"),
    ("UK", "United Kingdom"), ("the Dutch", "Netherlands"), ("Holland", "The Netherlands"), ("Burma", "Myanmar"),
    ("Filipino", "the Philippines"), ("Britain", "Great Britain"), ("Czech", "Czechia"),
    # middle names and initials
    ("Franklin Delano Roosevelt", "Franklin Roosevelt"), ("Wilhelm Röntgen", "Wilhelm Conrad Röntgen"),
    ("Franklin D. Roosevelt", "Franklin Delano Roosevelt"), ("J. K. Rowling", "J.K. Rowling"),
    ("JK Rowling", "J. K. Rowling"), ("J.R.R. Tolkien", "John Ronald Reuel Tolkien"), ("James Flynn", "James P. Flynn"),
    ("B. R. Ambedkar", "Bhimrao Ramji Ambedkar"), ("John F. Kennedy", "John Fitzgerald Kennedy"),
    ("barack hussein obama", "Barack Obama"), ("President Barack Hussein Obama", "Barack Obama"),
    # dates
    ("4 July 1776", "1776"), ("November 1995", "1995"), ("July 17, 2012", "July 2012"), ("in 1973", "1973"),
    ("2012-07-17", "July 2012"), ("in July 2012", "July 2012"),
    # possessives, plurals, places in a sentence
    ("Alzheimer disease", "Alzheimer's disease"), ("St. Paul Cathedral", "St Paul's Cathedral"),
    ("peaches", "peach"), ("Violins", "violin"), ("fungi", "fungus"), ("red blood cell", "red blood cells"),
    ("countries", "country"), ("in the bone marrow", "bone marrow"), ("bone marrow", "in the bone marrow"),
    ("In the bone marrow", "bone marrow"), ("in Paris", "Paris"), ("by photosynthesis", "photosynthesis"),
]  # fmt: skip
OTHERS = [
    ("President Clinton", "President Obama"), ("King Charles", "Prince Charles"), ("Doctor Who", "The Who"),
    ("King Crimson", "Crimson"), ("Queen Mary I", "Queen Mary II"), ("Michelle Obama", "Barack Obama"),
    ("Mrs. Obama", "Obama"), ("president of Barack Obama", "Barack Obama"), ("the general theory", "theory"),
    ("King Henry III", "Henry II"), ("Saint Paul", "Paul"), ("the brother of Barack Obama", "Barack Obama"),
    ("Paris, Texas", "Paris, France"), ("Paris, Texas", "Paris"), ("Paris", "Paris, Texas"),
    ("London, Ontario", "London"),
    ("Texas, Ohio", "Texas"), ("Ohio, Texas", "Texas"), ("France, Germany", "France"),
    ("Scotland, England", "Scotland"),
    ("New York, California", "New York"), ("Rome, Georgia", "Rome"), ("Paris, Lyon", "Paris"),
    ("France", "Paris, France"),
    ("Arizona", "Tucson, Arizona"), ("Athens, Georgia", "Athens"), ("Springfield, Ohio", "Springfield, Illinois"),
    ("England, France", "England"), ("Paris, France or Texas", "Paris"), ("Paris, Not France", "Paris"),
    ("Austrian", "Australia"), ("Nigerian", "Niger"), ("English", "United Kingdom"), ("South Korea", "North Korea"),
    ("Dutch", "Germany"), ("French fries", "France"), ("Swiss", "Sweden"), ("Korean", "South Korea"),
    ("George Bush", "George W. Bush"), ("George W. Bush", "George Bush"), ("George H. W. Bush", "George W. Bush"),
    ("John Adams", "John Quincy Adams"), ("Michael B. Jordan", "Michael Jordan"), ("J. Smith", "John Smith"),
    ("John Kennedy Jr.", "John Kennedy"), ("South Asia", "South East Asia"), ("New Wales", "New South Wales"),
    ("Red Peppers", "Red Hot Peppers"), ("Henry James Smith", "Henry Paul Smith"), ("M. L. King", "A. B. King"),
    ("4 July 1776", "1777"), ("July 1776", "August 1776"), ("1776", "July 1776"), ("July 2012", "2012 or 2013"),
    ("1776-1777", "1776"), ("4 July 1776 or 1777", "1776"), ("before 1776", "1776"), ("by 1776", "1776"),
    ("Rolling Stone", "Rolling Stones"), ("glasses", "glass"), ("new", "news"), ("Window", "Windows"), ("bus", "bu"),
    ("On the Road", "The Road"), ("The Road", "On the Road"), ("In Rainbows", "Rainbows"), ("not in Paris", "Paris"),
    ("in Paris or Lyon", "Paris"), ("near Paris", "Paris"), ("Levi", "Levi's"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gold"), FORMS)
def test_another_form_of_the_same_answer(text, gold):
    verdict = verify_answer(text, gold)
    assert verdict.correct and verdict.score == 1
    assert verify_answer(f"The answer is {text}.", ["something else", gold]).correct


@pytest.mark.parametrize(("text", "gold"), OTHERS)
def test_another_answer_that_looks_alike(text, gold):
    assert not verify_answer(text, gold).correct


@pytest.mark.parametrize("template", [
    "{} or {}", "{}, {}", "{} and {}", "{}/{}", "{} ({})", "{}; {}", "{}, or {}", "{} {}", "either {} or {}",
    "{}, maybe {}",
    "{}, not {}", "{} but {}", "in {} or in {}", "{}, formerly {}", "President {} or {}", "{} – {}", "{} = {}",
    "{}\n{}",
])  # fmt: skip
def test_two_answers_never_pay(template):
    pairs = [("Paris", "Lyon"), ("France", "Germany"), ("Texas", "Ohio"), ("Barack Obama", "Bill Clinton"),
    ("1776", "1777"),
        ("Henry II", "Henry III"), ("4 July 1776", "5 July 1776"), ("peach", "plum"), ("French", "German"),
        ("London", "England"), ("Georgia", "Florida"), ("New York", "Washington"), ("Jordan", "Lebanon")]  # fmt: skip
    for one, other in [*pairs, *((b, a) for a, b in pairs)]:
        if {one, other} == {"London", "England"} and template in ("{}, {}", "{} ({})"):
            continue  # a town and its country are one place
        text = template.format(one, other)
        for question in ("", f"Which is it, {one} or {other}?", "What is the answer?"):
            assert not verify_answer(text, one, question).correct, text
            assert not verify_answer(text, other, question).correct, text


@pytest.mark.parametrize(
    ("text", "gold", "question", "correct"),
    [
        ("The capital of Nicaragua is Managua.", "Managua", "What is the capital of Nicaragua?", True),
        ("Managua is the capital of Nicaragua.", "Managua", "What is the capital of Nicaragua?", True),
        ("Picasso died in 1973.", "1973", "In which year did Picasso die?", True),
        ("There are 775 rooms in Buckingham Palace.", "775", "how many rooms is there in buckingham palace", True),
        ("A curling team consists of four players.", "4", "How many players does a curling team consist of?", True),
        ("It was written by Harper Lee.", "Harper Lee", "Who wrote To Kill a Mockingbird?", False),
        ("9 seasons", "9", "how many seasons of the rugrats are there", True),
        ("The capital of Nicaragua is not Managua.", "Managua", "What is the capital of Nicaragua?", False),
        ("The capital of Nicaragua is León, not Managua.", "Managua", "What is the capital of Nicaragua?", False),
        ("The capital of Nicaragua is Managua or León.", "Managua", "What is the capital of Nicaragua?", False),
        ("The capital is Managua León.", "Managua", "What is the capital of Nicaragua?", False),
        ("Paris is larger than London.", "Paris", "Which is larger, Paris or London?", False),
        ("London is larger than Paris.", "Paris", "Which is larger, Paris or London?", False),
        ("There are 775 or 776 rooms.", "775", "how many rooms are there", False),
        ("10 seasons", "9", "how many seasons of the rugrats are there", False),
        ("Picasso died in 1973.", "1973", "", False),
        ("capital", "capital", "What is the capital?", True),
    ],
)
def test_sentences_that_repeat_the_question(text, gold, question, correct):
    assert verify_answer(text, gold, question).correct is correct


def test_any_alias_will_do_and_the_best_counts():
    aliases = ["New York City", "NYC", "the Big Apple"]
    for text in ("nyc", "Big Apple", "New York City"):
        assert verify_answer(text, aliases).correct
    verdict = verify_answer("York City", aliases)
    assert not verdict.correct and verdict.parts["f1"] == pytest.approx(0.8) and verdict.score == pytest.approx(2 / 3)


@pytest.mark.parametrize("golds", ["", " ", [], ["Paris", ""]])
def test_golds_that_cannot_be_used(golds):
    with pytest.raises(ValueError, match="golds"):
        verify_answer("Paris", golds)


@pytest.mark.parametrize(
    "text",
    [
        "Paris or London", "either Paris or London", "not Paris", "maybe Paris", "Paris/London", "neither Paris",
        "unknown, Paris", "Paris, but the passage does not say",
    ],
)  # fmt: skip
def test_hedges_negations_and_abstentions_earn_nothing(text):
    assert verify_answer(text, "Paris").score == 0


def test_another_number_or_date_earns_nothing():
    for text, gold in (("5 July 1776", "4 July 1776"), ("5 million", "6 million"), ("3 km", "4 km"), ("1777", "1776")):
        assert verify_answer(text, gold).score == 0


CITIES = ["Paris", "London", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Vaduz", "Minsk", "Sofia"]


@given(st.lists(st.sampled_from(CITIES), min_size=1, unique=True))
def test_naming_all_candidates_pays_no_more_than_one_guess(candidates):
    # One of them is the gold, each with the same chance: what a list of the first few of them earns on average.
    n = len(candidates)
    for size in range(1, n + 1):
        text = " ".join(candidates[:size])
        assert sum(verify_answer(text, gold).score for gold in candidates) / n <= 1 / n + 1e-9
    items = ", ".join(candidates)
    assert sum(verify_items(items, [gold]).score for gold in candidates) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "unknown", "Unanswerable.", "The question is unanswerable.", "I don't know", "I do not know who won.",
        "No answer", "N/A", "The passage does not say.", "The passage doesn't mention who won the race.",
        "It is not stated in the text.", "This cannot be determined from the given information.",
        "Not enough information.", "Sorry, I don't know.", "Based on the passage, it is unknown.",
        "There is insufficient information to answer.", "It is impossible to tell", "The answer is unknown",
        "unanswerable based on the passage", "It is not mentioned in the text",
        "The answer is not provided in the context.", "无法回答", "文中没有提到。", "I can’t answer that",
        "I don't know. The text does not say.",
    ],
)  # fmt: skip
def test_abstention(text):
    assert abstains(text)
    assert verify_answer(text, None).correct
    verdict = verify_answer(text, "Paris")
    assert not verdict.correct and verdict.score == 0 and verdict.parts["abstained"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Paris", "", "I don't know, Paris", "I don't know but Paris", "I don't know. Paris.", "unknown Paris",
        "Unanswerable: Paris", "Probably Paris; the passage does not say",
        "The passage does not say, but it is Paris", "Paris (not stated)", "maybe unknown", "The Unknown Soldier",
        "Paris\nunknown", "I know", "The answer is Paris", "no", "unknown - Paris", "a" * 2000,
    ],
)  # fmt: skip
def test_no_abstention(text):
    assert not abstains(text)
    assert not verify_answer(text, None).correct


def test_a_gold_may_read_like_an_abstention():
    assert verify_answer("Unknown", "unknown").correct
    assert verify_answer("Unknown", ["The Unknown"]).correct


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Yes", True), ("yes.", True), ("**Yes**", True), ("Yes, they were both French.", True),
        ("The answer is yes", True), ("Sí", True), ("是", True), ("True", True), ("No", False), ("no!", False),
        ("No, they were not.", False), ("No. It is older.", False), ("Nope", False), ("nein", False),
        ("不是", False), ("No - it came later", False),
    ],
)  # fmt: skip
def test_yes_and_no(text, value):
    assert verify_yes_no(text, value).correct
    assert not verify_yes_no(text, not value).correct


@pytest.mark.parametrize(
    "text",
    [
        "", "yes and no", "yes or no", "Yes, no", "No, yes", "maybe", "not yes", "Yes, but no", "no idea",
        "yesterday", "Yes, or perhaps not", "Yes, it is not", "Yes, it isn't", "both", "It depends", "no, maybe",
    ],
)  # fmt: skip
def test_neither_yes_nor_no(text):
    assert not verify_yes_no(text, True).correct and not verify_yes_no(text, False).correct


@pytest.mark.parametrize(
    "text",
    [
        "Paris, Rome, Oslo", "Oslo; Rome; Paris", "Paris, Rome and Oslo", "Paris, Rome, and Oslo",
        "- Paris\n- Rome\n- Oslo", "1. Oslo\n2. Roma\n3. Paris", "[Paris, Rome, Oslo]", '["Paris", "Rome", "Oslo"]',
        "paris and rome and oslo", "Paris, Paris, Rome, Oslo", "Paris、Rome、Oslo",
        "The answer is Rome, Oslo, Paris.",
    ],
)  # fmt: skip
def test_lists_of_items(text):
    verdict = verify_items(text, ["Paris", ["Rome", "Roma"], "Oslo"])
    assert verdict.correct and verdict.parts == {"precision": 1.0, "recall": 1.0, "f1": 1.0}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Paris", 1 / 3), ("Paris, Rome", 2 / 3), ("Paris, Rome, Bern", 1 / 3), ("Paris, Rome, Oslo, Bern", 2 / 3),
        ("Bern", 0), ("", 0), ("Paris or Rome or Oslo", 0), ("not Paris, Rome, Oslo", 1 / 3),
        ("Rome, Roma, Paris", 1 / 3), ("Paris Rome Oslo", 0),
    ],
)  # fmt: skip
def test_other_lists(text, score):
    verdict = verify_items(text, ["Paris", ["Rome", "Roma"], "Oslo"])
    assert not verdict.correct and verdict.score == pytest.approx(score)


def test_items_may_hold_commas_and_and():
    golds = ["Washington, D.C.", "Simon and Garfunkel", "1,200"]
    assert verify_items("Washington, D.C.; Simon and Garfunkel; 1,200", golds).correct
    assert verify_items("Simon and Garfunkel\n1200\nWashington, DC", golds).correct


def test_items_are_matched_one_to_one():
    golds = [["X", "Y"], ["X"]]
    assert verify_items("X, Y", golds).correct
    assert not verify_items("Y", golds).correct
    assert verify_items("Y", golds).parts["recall"] == 0.5


@pytest.mark.parametrize("golds", [[], [""], [[]], [["a", ""]], ["a"] * 201])
def test_golds_of_lists_that_cannot_be_used(golds):
    with pytest.raises(ValueError, match="golds"):
        verify_items("a", golds)


@pytest.mark.parametrize(
    ("text", "gold", "f1"),
    [
        ("Paris", "Paris", 1), ("the city of Paris", "Paris", 0.5), ("東京都", "東京", 0.8), ("x", "Paris", 0),
        ("yes it is", "yes", 0), ("yes", "no", 0), ("Paris Paris", "Paris", 2 / 3), ("", "Paris", 0),
    ],
)  # fmt: skip
def test_token_f1(text, gold, f1):
    assert token_f1(text, gold) == pytest.approx(f1)


@settings(max_examples=50)
@given(st.text(max_size=200), st.text(max_size=50))
def test_nothing_raises_and_scores_are_in_bounds(text, gold):
    tokens(text), abstains(text)
    assert 0 <= token_f1(text, gold) <= 1
    if gold.strip():
        verdict = verify_answer(text, gold)
        assert (verdict.score == 1) == verdict.correct and 0 <= verdict.score <= 1
        listed = verify_items(text, [gold])
        assert (listed.score == 1) == listed.correct and 0 <= listed.score <= 1
        assert verify_answer(text, None).correct is abstains(text) or text.strip() != text or text[:1] in "*`$\\"
    assert not (verify_yes_no(text, True).correct and verify_yes_no(text, False).correct)


PARTS = ["Paris", "France", "Texas", "the", "King", "Dr.", "J.", "John", "II", "in", "of", "or", "s", "'s", "1776"]
WORDS = st.lists(st.sampled_from([*PARTS, *",.()'\"-/ ’:"]), max_size=8).map(" ".join)


@given(WORDS | st.text(",.()' aA1", max_size=6), WORDS | st.text(",.()' aA1", max_size=6), WORDS)
def test_no_form_raises_and_none_says_two_things(text, gold, question):
    if not gold.strip():
        return
    verdict = verify_answer(text, gold, question)
    if verdict.correct and "or" not in gold.split():
        assert "or" not in text.split() and "/" not in set(text) - set(gold)
    assert (verdict.score == 1) == verdict.correct


@given(st.text(min_size=1, max_size=80))
def test_every_gold_is_its_own_answer(gold):
    if gold.strip():
        assert exact_match(gold, gold)
        assert exact_match(gold.upper(), gold.upper())


@given(st.integers(1, 12), st.integers(1, 28), st.integers(1000, 2100))
def test_dates_are_equal_however_written(month, day, year):
    name = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November",
            "December"][month - 1]  # fmt: skip
    spellings = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}",
        f"{name[:3]} {day} {year}",
                 f"{year}年{month}月{day}日", f"the {day}th of {name}, {year}"]  # fmt: skip
    for spelling in spellings:
        assert exact_match(spelling, spellings[0]), spelling
        assert not exact_match(spelling, f"{day} {name} {year + 1}")


@pytest.mark.parametrize(
    "text",
    [
        "Paris " * 20_000, "a" * 100_000, "unknown. " * 110, ", " * 4_999, "1,000" * 2_000,
        "0." + "0" * 9_990 + "1", "not stated " * 900, "东" * 10_000, "A, " * 3_300, "does not " * 110,
        "a,b;c\n" * 1_600, ",".join(map(str, range(200))), "\u0300" * 10_000, "x and " * 190,
    ],
)  # fmt: skip
def test_hostile_texts_take_no_time(text):
    golds = [f"item {i}" for i in range(200)]
    with at_most(millions=20):
        assert not verify_answer(text, "Paris").correct
        assert not verify_items(text, golds).correct
        assert not verify_yes_no(text, True).correct
        assert not verify_answer(text, [f"item {i}" for i in range(200)], text[:5000]).correct
        tokens(text), abstains(text), token_f1(text, "Paris"), exact_match(text, "Paris")


def test_doctests():
    for module in (turnwise.verifiers.qa, turnwise.verifiers.qa_forms, turnwise.verifiers.nations):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("message", "correct"),
    [
        ("<answer>Picasso died in 1973.</answer>", True),
        ("Picasso died in 1973.", True),
        ("<answer>1973", True),
        ("<answer>Picasso died in 1973 or 1974.</answer>", False),
        ("<answer>In 1974 Picasso did not die; in 1973.</answer>", False),
        ("<think>1973</think>", False),
    ],
)
def test_data_sets_judge_short_answers_with_their_question(message, correct):
    assert judge("qa", message, "1973", "In which year did Picasso die?").correct is correct
