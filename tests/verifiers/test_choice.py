"""Multiple choice: what names an option, and what does not."""

import doctest
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.choice
from tests._work import at_most
from turnwise.verifiers.choice import read_label, verify_choice, verify_choices, verify_letter, verify_true_false

OPTIONS = ["10 cm", "12 cm", r"$\frac{1}{2}$", "30", "A or C", "Paris", "mm", "Mm", "0.5 kg"]


@pytest.mark.parametrize(
    "text",
    [
        "B", "b", "(B)", "(b)", "[B]", "{B}", "B.", "B)", "B:", " B ", "**B**", "`B`", "$B$", r"\text{B}",
        r"\textbf{(B)}", r"\mathrm{B}", r"\boxed{B}", r"\textbf{(B) }", "Option B", "option (b)", "Choice B",
        "Answer: B", "ANSWER: B.", "The answer is B", "The correct answer is (B).", "The answer is **B**.",
        "So the final answer is option B", "B is correct", "I choose B", "B is the correct answer.",
        "The answer is: B", "The correct option is B", "（Ｂ）", "Ｂ", "选B", "答案：B", "答案是B", "故选：B",
        "**Answer: B**", "Therefore, the correct choice is B.", "The best answer is B", "I think the answer is B",
        "statement B", "B. 12 cm", "(B) 12 cm", "B) 12 cm", "B: 12 cm", "B - 12 cm", "B 12 cm", "**B. 12 cm**",
        r"\textbf{(B)}\ 12 cm", r"\textbf{(B) } 12 cm", r"\text{(B) 12 cm}", "The answer is (B) 12 cm.", "B、12 cm",
        "12 cm", "12  CM.", r"\text{12 cm}", "The answer is 12 cm", "Option B: 12 cm",
    ],
)  # fmt: skip
def test_one_option_is_chosen(text):
    verdict = verify_choice(text, "B", OPTIONS)
    assert verdict.correct and verdict.value == "B"
    assert not verify_choice(text, "A", OPTIONS).correct


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "A or B", "B or C", "B, C", "A and B", "AB", "BB", "not B", "Not B", "B is wrong",
        "Neither B nor C", "B?", "!B", "B B", "(A) or (B)", "(A)(B)", "B (not A)", "B) C)", "(B) 10 cm",
        "(A) 12 cm", "B. 13 cm", "B. 12 cm or A. 10 cm", "12 cm or 10 cm", "12 cm, 10 cm", "B, wait, C", "maybe B",
        "isn't B", "The answer is not B", "The answer is B or C", "A. B", "all", "2", "ii", "(B", "12 m", "12",
        "B is not correct", "Either B or C", "B because C is wrong", "all of the above", "B. 12 cm A. 10 cm", "<B>",
        "B\nC", "B\n\nA", "é", "ß", "Option", "The answer is", "B and 12 cm",
    ],
)  # fmt: skip
def test_nothing_else_chooses_b(text):
    assert not verify_choice(text, "B", OPTIONS).correct


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        (r"\frac12", "C"), (r"\dfrac{1}{2}", "C"), ("1/2", "C"), ("(C) 0.5", "C"),
        (r"\textbf{(C)}\ \frac{1}{2}", "C"), ("30.0", "D"), (r"\textbf{(D)}\ 30", "D"), ("paris", "F"),
        ('"Paris"', "F"), ("(E) A or C", "E"), ("A or C", "E"), ("mm", "G"), ("Mm", "H"), ("G. mm", "G"),
        ("0.5  kg", "I"),
    ],
)  # fmt: skip
def test_the_text_of_an_option_stands_for_it(text, gold):
    assert verify_choice(text, gold, OPTIONS).correct
    assert not verify_choice(text, "A", OPTIONS).correct


def test_a_text_that_two_options_have_chooses_neither():
    assert not verify_choice("MM", "G", OPTIONS).correct
    assert not verify_choice("0.5", "A", ["1/2", "50/100"]).correct
    assert verify_choice("1/2", "A", ["1/2", "50/100"]).correct
    assert verify_choice("same", "B", ["other", "same", "same"]).correct is False
    assert verify_choice("same", "same", ["other", "same", "same"]).correct


def test_a_label_wins_over_the_text_of_another_option():
    assert verify_choice("B", "B", ["B", "A"]).correct and not verify_choice("B", "A", ["B", "A"]).correct
    assert verify_choice("2", "2", ["3", "1", "2"]).correct and not verify_choice("2", "3", ["3", "1", "2"]).correct


@pytest.mark.parametrize(
    "text",
    [
        "(B) 12", "B. The force doubles.", r"\textbf{(B)}\ 12", "(B) A or C", "B) It cannot be determined",
        "(b) all of A, C and D", "B",
    ],
)  # fmt: skip
def test_without_options_the_text_after_a_label_is_free(text):
    assert read_label(text) == "B"
    assert verify_choice(text, "B").correct and verify_letter(text, "b").correct
    assert not verify_choice(text, "C").correct and not verify_letter(text, "C").correct


@pytest.mark.parametrize(
    "text",
    [
        "(B) or (C)", "(B) 12, (C) 13", "B. and C", "B: wait, C", "B. C", "(B), (C)", "B or C", "12", "Paris",
        "not B", "(A) 12 or B) 13", "B = 5", "B 12", "x", "e = 2.7", "(B) is wrong", "B. no, C",
    ],
)  # fmt: skip
def test_without_options_several_labels_are_none(text):
    if text != "x":
        assert read_label(text) is None and verify_letter(text, "B") is None
    assert not verify_choice(text, "B").correct


def test_the_right_text_alone_can_be_known():
    known = {"C": "30"}
    for text in ("C", "30", "(C) 30", r"\textbf{(C)}\ 30"):
        assert verify_choice(text, "C", known).correct
    for text in ("(C) 31", "(D) 30", "D", "40", "(A) 10"):
        assert not verify_choice(text, "C", known).correct


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("2", ["2", "(2)", "2.", "option 2", "2) two", "two", "2: two"],
         ["1", "3", "B", "2 or 3", "2.5", "12", "2:30", "(1) two"]),
        ("ii", ["II", "ii", "(ii)", "ii.", "ii) two", "two"], ["i", "iii", "2", "B", "i or ii", "(i) two"]),
        ("two", ["B", "two", "(b) two"], ["A", "one", "2"]), ("(B)", ["b"], ["a"]),
    ],
)  # fmt: skip
def test_the_golds_style_of_label_is_the_answers(gold, right, wrong):
    for text in right:
        assert verify_choice(text, gold, ["one", "two", "three"]).correct, text
    for text in wrong:
        assert not verify_choice(text, gold, ["one", "two", "three"]).correct, text


def test_options_may_carry_their_labels():
    options = ["(A) Paris", "(B) London"]
    for text in ("B", "London", "(B) London"):
        assert verify_choice(text, "B", options).correct
    assert not verify_choice("(A) London", "B", options).correct


@pytest.mark.parametrize("gold", ["", " ", "Z", "4", "four"])
def test_a_gold_that_is_no_option_is_the_data_sets_error(gold):
    with pytest.raises(ValueError, match="the gold is"):
        verify_choice("A", gold, ["one", "two", "three"])
    with pytest.raises(ValueError, match="the gold is"):
        verify_choices("A", [gold], ["one", "two", "three"])


@pytest.mark.parametrize("gold", ["(B) 12 cm", "B. 12 cm", r"\textbf{(B)}\ 12\text{ cm}"])
def test_a_gold_may_carry_its_text(gold):
    for options in ((), OPTIONS):
        for text in ("B", "(B) 12 cm", "12 cm"):
            assert verify_choice(text, gold, options).correct
        for text in ("A", "(B) 10 cm", "(A) 12 cm", "10 cm"):
            assert not verify_choice(text, gold, options).correct
    with pytest.raises(ValueError, match="the gold B is '12 cm'"):
        verify_choice("B", gold, ["12 cm", "10 cm"])


def test_no_golds_and_too_many_options_are_errors():
    with pytest.raises(ValueError, match="gold"):
        verify_choices("A", [], ["one", "two"])
    with pytest.raises(ValueError, match="101 options"):
        verify_choice("A", "A", [str(i) for i in range(101)])


@pytest.mark.parametrize(
    "text",
    [
        "A, C", "C, A", "AC", "A C", "CA", "A and C", "A & C", "(A), (C)", "(A) (C)", "(A)(C)", "A; C", "[A, C]",
        "{A, C}", "(A, C)", '["A", "C"]', "a, c", "A, C.", "The answer is A and C", "A\nC", "A. one\nC. three",
        "A. one, C. three", "one and three", "one, three", "A, A, C", "A、C", "A和C", r"\text{A, C}", "**A, C**",
        "A + C", "A,C",
    ],
)  # fmt: skip
def test_several_options_are_a_set(text):
    verdict = verify_choices(text, ["C", "A"], ["one", "two", "three", "four"])
    assert verdict.correct and verdict.value == "A, C"


@pytest.mark.parametrize(
    "text",
    [
        "A", "A or C", "A, B", "A, B, C", "ABCD", "not A, C", "", "A, C, x", "A, (C) one", "A and not C", "ACE",
        "AAC", "four", "A. three, C. one", "neither",
    ],
)  # fmt: skip
def test_other_sets_are_wrong(text):
    assert not verify_choices(text, ["C", "A"], ["one", "two", "three", "four"]).correct


def test_partial_credit_gives_nothing_to_guessing():
    options = ["one", "two", "three", "four"]
    subsets = [subset for size in range(1, 5) for subset in combinations("ABCD", size)]
    scores = {subset: verify_choices("".join(subset), ["A", "B"], options).score for subset in subsets}
    assert scores[("A", "B")] == 1 and scores[("A", "B", "C", "D")] == scores[("C",)] == scores[("A", "C")] == 0
    assert scores[("A",)] == scores[("A", "B", "C")] == 0.5
    assert verify_choices("A", ["A", "B"]).score == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("True", True), ("true.", True), ("T", True), ("Yes", True), ("正确", True), ("The answer is true", True),
        (r"\text{True}", True), ("False", False), ("**false**", False), ("incorrect", False), ("(F)", False),
        ("错", False),
    ],
)  # fmt: skip
def test_true_and_false(text, value):
    assert verify_true_false(text, value).correct
    assert not verify_true_false(text, not value).correct


@pytest.mark.parametrize(
    "text", ["", "true or false", "not true", "true false", "truely", "1", "both", "True, False", "untrue"]
)
def test_neither_true_nor_false(text):
    assert not verify_true_false(text, True).correct and not verify_true_false(text, False).correct


@given(st.text(max_size=300) | st.text("ABCabc().,: \n$\\*{}or12一选", max_size=40))
def test_nothing_raises_and_at_most_one_option_is_chosen(text):
    verdicts = [verify_choice(text, gold, OPTIONS) for gold in "ABCDEFGHI"]
    assert sum(verdict.correct for verdict in verdicts) <= 1
    assert sum(verify_choices(text, [gold], OPTIONS).correct for gold in "ABCDEFGHI") <= 1
    assert not (verify_true_false(text, True).correct and verify_true_false(text, False).correct)
    label = read_label(text)
    assert label is None or label in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@given(st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=8), st.integers(0, 7))
def test_the_right_label_is_right_whatever_the_options_say(options, index):
    index %= len(options)
    label = "ABCDEFGH"[index]
    if all(option.strip() for option in options):
        assert verify_choice(label, label, options).correct
        assert verify_choice(f"({label})", label, options).correct
        assert not verify_choice(label, "ABCDEFGH"[(index + 1) % len(options)], options).correct


@pytest.mark.parametrize(
    "text",
    [
        "A" * 100_000, "A," * 50_000, "(" * 100_000, ")" * 3_999, "(A)" * 1_333, "A, " * 1_333, " " * 3_998 + "x",
        "\\text{" * 660, "[" * 3_999, "the answer is " * 280, "A\n" * 1_999, "**" * 1_999, "[(" * 1_999,
        "[" + "()" * 1_998 + "(",
    ],
)  # fmt: skip
def test_hostile_texts_take_no_time(text):
    options = [f"option number {i}" for i in range(26)]
    with at_most(millions=10):
        assert not verify_choice(text, "B", options).correct
        assert not verify_choices(text, ["B", "C"], options).correct
        assert not verify_true_false(text, True).correct


def test_doctests():
    assert doctest.testmod(turnwise.verifiers.choice).failed == 0


@pytest.mark.parametrize("text", ["B. 12, C. 13", "B. 12; C. 13", "b. x, c. y", "B. A, C, D", "B. 12, (C) 13"])
def test_several_options_with_texts(text):
    assert not verify_choice(text, "B").correct


@pytest.mark.parametrize(
    ("text", "correct"),
    [
        ("Option B is correct because $2+2=4$.", True),
        ("B is the right answer, since 2.5 > 2.", True),
        ("Option B is correct because of this. Wait, C", False),
        ("Option B is correct because it is not C", False),
        ("Option C is correct because $2+2=4$.", False),
    ],
)
def test_a_reason_may_follow(text, correct):
    assert verify_choice(text, "B").correct is correct
