"""The reader of task texts finds what is wrong in English, and leaves good sentences alone."""

import doctest

import pytest

import turnwise.agents.shortcuts
import turnwise.audit.language
from turnwise.audit.language import diversity, masked, prose, tics


@pytest.mark.parametrize("module", [turnwise.audit.language, turnwise.agents.shortcuts], ids=lambda m: m.__name__)
def test_examples(module) -> None:
    assert doctest.testmod(module).failed == 0


WRONG = {
    "whose X is": ["List the students whose credits is above 12.", "Find orders whose total amount equals 5."],
    "a or an": ["Write a answer.", "It is an useful tool.", "Send a SMS to an user.", "Take a 8 and an 12.", "a hour"],
    "doubled word": ["Count the the rows.", "Open it and and close it.", "The the end."],
    "two relative clauses": ["Find the order that was sent by the customer that has the oldest account."],
    "double blank": ["Pay  the bill."],
    "unbalanced quotes or brackets": ['Rename it to "blue and stop.', "Use the first (or the second.", "Say “yes."],
    "one of many": ["There were 1 items.", "Return a rows.", "Each messages has a date."],
    "many of one": ["Return 3 row.", "It has two page.", "There are several issue here."],
    "is and are": ["There is 3 files.", "There are one file.", "These rows is wrong.", "There is several ways."],
    "blank before a mark": ["Pay the bill , then stop.", "Is it right ?"],
    "doubled mark": ["Pay it,, then stop.", "Pay it.. Then stop.", "Pay it,. Stop."],
    "left-over mark of a template": ["Pay {amount} to Ann.", "The limit is None.", "It costs nan euros."],
}
RIGHT = [
    "An hour, a user, a European, an MRI, a UFO, an X-ray, an 8, an 18-year-old, an 11th try, a 12th, a one-off, "
    "an SQL query, a unique key, an unimportant key, an heir, a hotel, a URL, an honest reply, an F, a UTF-8 file.",
    "I know that that is so, and he had had enough.",
    "Find the customer that placed it, and the shop that sold it.",
    "He says that the row that is missing has come back.",
    "There is 1 file, there are 2 files, there is no file, there are no files, there is one of them.",
    "Wait... and see e.g. the docs, etc., then 'stop'.",
    "It is 5\" wide; a) is first (and b) second).",
    "It took 1 second, 21 days, 3 row-level locks and 2 page's worth.",
    "```\na = {x}  # the the\n```\nRun `{x}  {y}` and look.",
    "| a | b |\n|  1 rows | x |",
    "    indented  code whose x is\nText.",
    "These columns have a header; those are wrong. All rows are there. This is a test.",
    "name      age    city\nEva       31     Bonn",
    "The person whose name you know may come, and so may the one with no name.",
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in WRONG.items() for text in texts])
def test_what_is_wrong_is_found(rule: str, text: str) -> None:
    assert rule in {tic.rule for tic in tics(text)}


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_is_left_alone(text: str) -> None:
    assert tics(text) == []


def test_a_tic_is_quoted_with_its_surroundings() -> None:
    (tic,) = tics("Please count all of the the rows in the table.")
    assert tic.excerpt == "Please count all of the the rows in the table."


def test_code_is_read_if_asked() -> None:
    assert not tics("`the the`")
    assert [tic.rule for tic in tics("`the the`", code=True)] == ["doubled word"]
    assert prose("a\n```\nb\n```\nc").split() == ["a", "c"]


def test_names_and_numbers_are_masked() -> None:
    assert masked("Pay Ada Lovelace 3 coins.") == masked("Pay Bo 44 coins.")
    assert masked("Pay Ada 3 coins.") != masked("Give Ada 3 coins.")
    assert masked('Rename it to "a b".') == masked('Rename it to "c".')
    assert masked("Fix total_of in lib/a.py.") == masked("Fix sumUp in src/main.c.")


def test_diversity_counts_what_differs() -> None:
    same = diversity(["Pay Ada 3 coins."] * 4)
    assert (same.texts, same.different, same.templates) == (4, 0.25, 250.0)
    varied = diversity(["Pay Ada 3 coins.", "Pay Bo 4 coins.", "Where is the key?", "Who has seen it?"])
    assert varied.different == 1.0
    assert varied.templates == 750.0
    assert varied.bigrams > same.bigrams
    assert same.bigrams == 0.25
