"""The checker: exact differences, answers in any usual writing, nothing that is nearly right."""

import datetime
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tests.worlds.web._pad  # noqa: F401  (registers the site)
from turnwise.worlds.web.site.judging import Judged, answers, judge, same_address
from turnwise.worlds.web.site.plan import open_store
from turnwise.worlds.web.site.state import Store
from turnwise.worlds.web.site.tasks import (
    ANYTHING,
    Answer,
    Change,
    Goal,
    OneOf,
    Said,
    World,
    delete,
    insert,
    money,
    update,
)

WORLD = World(3, 20)


def store_with(*statements: str) -> Store:
    store = open_store(WORLD, WORLD)
    db = store.db("pad")
    for statement in statements:
        db.execute(statement)
    return store


def judged(changes: tuple[Change, ...], *statements: str) -> Judged:
    return judge(store_with(*statements), [Goal(changes)], "done")


BLUE = "UPDATE note SET colour = 'blue' WHERE id = 3"
ADD = "INSERT INTO note (owner, title) VALUES (1, 'Tea')"
TEA = insert("pad.note", owner=1, title="Tea")


@pytest.mark.parametrize(
    ("wanted", "statements"),
    [
        ((), ()),
        ((update("pad.note", 3, colour="blue"),), (BLUE,)),
        ((update("pad.note", 3, colour="white"),), ()),  # it is white from the start
        ((update("pad.note", {"id": 3}, colour="blue", owner=1),), (BLUE,)),
        ((TEA,), (ADD,)),
        ((TEA, TEA), (ADD, ADD)),
        ((insert("pad.note", id=21, owner=1, title="Tea"),), (ADD,)),
        ((insert("pad.note", owner=1, title=Said("tea.")),), (ADD,)),
        ((insert("pad.note", owner=OneOf((1, 2)), title=ANYTHING),), (ADD,)),
        ((insert("pad.note", owner=1, title=ANYTHING), TEA), (ADD, ADD.replace("Tea", "Milk"))),
        ((delete("pad.note", 20),), ("DELETE FROM note WHERE id = 20",)),
        ((delete("pad.note", 20), TEA), ("DELETE FROM note WHERE id = 20", ADD)),  # the new row gets the old key
        ((delete("pad.remark", {"note": 4, "number": 1}),), ("DELETE FROM remark WHERE note = 4",)),
        ((insert("pad.remark", note=4, number=2, text="a\nb"),), ("INSERT INTO remark VALUES (4, 2, ' a\r\nb\n')",)),
        ((), ("UPDATE note SET views = 9",)),  # volatile
        ((), (BLUE, "UPDATE note SET colour = 'white' WHERE id = 3")),
    ],
)
def test_right_changes(wanted: tuple[Change, ...], statements: tuple[str, ...]) -> None:
    assert judged(wanted, *statements) == (True, 1.0, "", (), True)
    goal = pickle.loads(pickle.dumps(Goal(wanted)))
    assert judge(store_with(*statements), [goal], "done").correct


@pytest.mark.parametrize(
    ("wanted", "statements", "collateral"),
    [
        ((), (BLUE,), 1),
        ((TEA,), (), 0),
        ((TEA,), (ADD, ADD), 1),
        ((TEA, TEA), (ADD,), 0),
        ((TEA,), (ADD.replace("1, ", "2, "),), 1),
        ((TEA,), ("INSERT INTO note (owner, title, colour) VALUES (1, 'Tea', 'blue')",), 1),
        ((TEA,), (ADD.replace("Tea", "tea"),), 1),
        ((update("pad.note", 3, colour="blue"),), (BLUE.replace("3", "4"),), 1),
        ((update("pad.note", 3, colour="blue"),), (BLUE.replace("blue", "yellow"),), 1),
        ((update("pad.note", 3, colour="blue"),), (BLUE, "UPDATE note SET title = 'x' WHERE id = 3"), 1),
        ((update("pad.note", 3, colour="blue"),), ("UPDATE note SET colour = 'blue' WHERE id IN (3, 4)",), 1),
        ((delete("pad.note", 20),), ("DELETE FROM note WHERE id = 19",), 1),
        ((delete("pad.note", 20),), ("DELETE FROM note WHERE id = 20", ADD), 1),
        ((insert("pad.note", owner="1", title="Tea"),), (ADD,), 1),
    ],
)
def test_wrong_changes(wanted: tuple[Change, ...], statements: tuple[str, ...], collateral: int) -> None:
    found = judged(wanted, *statements)
    assert not found.correct
    assert found.progress < 1.0
    assert found.why
    assert len(found.collateral) == collateral


def test_every_single_stray_change_fails() -> None:
    """Whatever row and column is changed beside the wanted change."""
    for column in ("owner", "title", "colour", "body"):
        for row in (1, 3, 20):
            extra = f"UPDATE note SET {column} = 'other' WHERE id = {row}"
            assert not judged((update("pad.note", 5, colour="blue"),), BLUE.replace("3", "5"), extra).correct
    assert not judged((), "UPDATE account SET role = 'admin' WHERE id = 9").correct


def test_progress_counts_what_holds() -> None:
    wanted = (TEA, update("pad.note", 3, colour="blue"))
    assert judged(wanted).progress == pytest.approx(1 / 3)
    assert judged(wanted, ADD).progress == pytest.approx(2 / 3)
    assert judge(store_with(ADD), [Goal(wanted)], "").progress == pytest.approx(1 / 3)
    assert 2 / 3 < judged(wanted, ADD, BLUE, BLUE.replace("3", "4")).progress < 1.0


def test_unknown_columns_are_told() -> None:
    for change in (insert("pad.note", owner=1, titel="Tea"), insert("pad.note", owner=1, title="Tea", views=0)):
        with pytest.raises(KeyError, match="no column"):
            judged((change,), ADD)
    with pytest.raises(KeyError, match="no column"):
        judged((update("pad.note", 3, color="blue"),), BLUE)


def test_endings() -> None:
    store = store_with()
    number, nothing = Goal(answer=Answer.of("number", 12)), Goal()
    never = Goal(infeasible=True)
    right = [(number, "answer", "12"), (nothing, "done", ""), (nothing, "answer", "I did it."),
             (never, "infeasible", "no such thing"), (never, "answer", "N/A")]  # fmt: skip
    wrong = [(number, "done", ""), (number, "infeasible", "12"), (number, "answer", "13"), (number, "", "12"),
             (nothing, "infeasible", ""), (nothing, "", ""), (never, "done", ""), (never, "answer", "no")]  # fmt: skip
    for goal, said, text in right:
        assert judge(store, [goal], said, text).correct, (goal, said, text)  # type: ignore[arg-type]
    for goal, said, text in wrong:
        assert not judge(store, [goal], said, text).correct, (goal, said, text)  # type: ignore[arg-type]
    assert judge(store, [number, never], "infeasible").correct
    assert not judge(store_with(BLUE), [number, never], "infeasible").correct


def test_addresses() -> None:
    goal = Goal(url="http://pad.test/list?sort=price&q=a%20b")
    store = store_with()
    assert judge(store, [goal], "done", url="http://PAD.test/list?q=a+b&sort=price&page=#top").correct
    for other in ("http://pad.test/list?q=a+b", "http://pad.test/list?q=a+b&sort=price&page=2", "http://pad.test/",
                  "http://bank.test/list?sort=price&q=a%20b", "", "http://[bad"):  # fmt: skip
        assert not judge(store, [goal], "done", url=other).correct, other
    assert same_address("http://pad.test", "http://pad.test/")


ACCEPTED = [
    ("money", "1234.50", ["1234.50", "1,234.50", "1234.5", "$1,234.50", "€ 1234.50", "1234.50 EUR", "1,234.50 euros",
                          "The answer is $1234.50.", "**$1,234.50**", "it is 1234.50 dollars", "US$1,234.50",
                          "1.234,50 €", "1234,50"]),
    ("money", "12.00", ["12", "$12", "12.0", "12 dollars", "12.00 €"]),
    ("money", "-5.00", ["-5", "-$5.00", "$-5.00", "−5.00"]),
    ("number", "12", ["12", "twelve", "12.", "12 orders", "12.0", "Answer: 12"]),
    ("date", "2027-05-03", ["by 3 May 2027", "until 3 May 2027", "on May 3, 2027"]),
    ("money", "12.50", ["12.50 in all", "12.50 EUR in total"]),
    ("number", "1200", ["1200", "1,200", "1200 orders"]),
    ("date", "2027-03-04", ["2027-03-04", "4 March 2027", "March 4, 2027", "4th of March 2027", "Mar 4, 2027",
                            "Thursday, 4 March 2027", "2027/3/4", "on 4 March 2027"]),
    ("time", "14:30", ["14:30", "2:30 pm", "2:30pm", "2:30 p.m.", "2.30 PM", "14.30", "at 14:30", "14:30:00", "14h30"]),
    ("time", "00:05", ["00:05", "0:05", "12:05 am"]),
    ("time", "12:00", ["12:00", "noon", "12 pm", "12:00 p.m."]),
    ("time", "09:00", ["9:00", "09:00", "9 am", "9 o'clock", "9 a.m."]),
    ("text", "Ada Frost", ["Ada Frost", "ada frost", "Ada  Frost.", "**Ada Frost**", "The answer is Ada Frost",
                          "It is Ada Frost"]),
    ("text", "Who moved my desk?", ["Who moved my desk?", "who moved my desk"]),
    ("text", "ada.frost@lumen.example", ["ada.frost@lumen.example", "Ada.Frost@Lumen.example.",
                                         "`ada.frost@lumen.example`", "The answer is ada.frost@lumen.example",
                                         "mailto:ada.frost@lumen.example"]),
    ("items", ("Red Mug", "Blue Mug"), ["Blue Mug; Red Mug", "Red Mug, Blue Mug", "- Red Mug\n- Blue Mug",
                                        "Red Mug and Blue Mug", "red mug;blue mug."]),
    ("yes_no", "yes", ["yes", "Yes.", "Yes, it is."]),
    ("yes_no", "no", ["no", "No.", "No, it is not."]),
]  # fmt: skip
REFUSED = [
    ("money", "1234.50", ["1234", "1234.05", "123450", "12,34.50", "1234.50 or 1235", "1234.50-1300", "-1234.50",
                          "$1,234.50 $1,234.60", "1234.50 km", "about 1234.50", "between 1234 and 1235", "", " ",
                          "1.234,5", "1.2345,00", "not 1234.50", "1.234.50", "1234.50?5", "--1234.50"]),
    ("number", "12", ["~12", "> 12", "12+", "24/2", "12 or not", "about 12", "at least 12", "12 not orders"]),
    ("number", "12", ["13", "12 or 13", "11-12", "12 days", "1200", "12 thousand orders", "not 12", "12 of 14", "-12",
                      "12%", "0012 13", "orders", "12 orders or 13 orders"]),
    ("date", "2027-03-04", ["04/03/2027", "3/4/2027", "4 March", "March 2027", "2027-04-03", "2027-03-04 or 2027-03-05",
                            "4 April 2027", "2027"]),
    ("time", "14:30", ["2:30", "2:30 am", "14:31", "14:30-15:00", "14:30 or 15:00", "14", "1430", "2 pm", "25:30"]),
    ("time", "02:00", ["2", "02", "2 pm", "200"]),
    ("number", "12", ["12?", "12 orders?", "12？", "¿12?"]),
    ("money", "12.50", ["12.50?"]),
    ("date", "2027-03-04", ["4 March 2027?"]),
    ("time", "14:30", ["14:30?"]),
    ("text", "ada.frost@lumen.example", ["adafrost@lumen.example", "ada.frost@lumenexample",
                                         "ada frost@lumen.example", "ada.frost@lumen.example?",
                                         "ada.frost at lumen.example", "ada.frost"]),
    ("text", "Ada Frost", ["Ada Frost?", "Ada", "Frost", "Ada Frost or Bo Lee", "Ada Frost, Bo Lee", "not Ada Frost",
                           "Frosty", "yes"]),
    ("items", ("Red Mug", "Blue Mug"), ["Red Mug; Blue Mug?", "Red Mug", "Red Mug; Blue Mug; Green Mug",
                                        "Red Mug; Blue", "Mug", "Red Mug; Red Mug"]),
    ("yes_no", "yes", ["yes?", "no", "yes and no", "yes or no", "maybe", "Yes, but no", "", "yesterday"]),
]  # fmt: skip


def an_answer(form: str, gold: object) -> Answer:
    return Answer.items(gold) if form == "items" else Answer.of(form, gold)  # type: ignore[arg-type]


@pytest.mark.parametrize(("form", "gold", "texts"), ACCEPTED)
def test_accepted_answers(form: str, gold: object, texts: list[str]) -> None:
    asked = "How many orders are there?" if form == "number" else ""
    assert [text for text in texts if not answers(text, an_answer(form, gold), asked)] == []
    assert answers(an_answer(form, gold).text, an_answer(form, gold))


@pytest.mark.parametrize(("form", "gold", "texts"), REFUSED)
def test_refused_answers(form: str, gold: object, texts: list[str]) -> None:
    asked = "How many orders are there?" if form == "number" else ""
    assert [text for text in texts if answers(text, an_answer(form, gold), asked)] == []


def test_other_accepted_forms() -> None:
    answer = Answer.of("number", 35, "35 minutes")
    assert answers("35 min", answer) or answers("35 minutes", answer)
    assert not answers("36 minutes", answer)
    assert answers("35 minutes", Answer.of("number", 35), "How many minutes does it take?")


@settings(max_examples=150)
@given(st.integers(0, 10**7), st.integers(-3, 3), st.sampled_from(["{}", "${}", "{} EUR", "€{}", "The answer is {}."]))
def test_money_property(cents: int, off: int, form: str) -> None:
    """Any writing of the amount is right, and no other amount is."""
    answer = Answer.of("money", money(cents))
    other = max(0, cents + off)
    for text in (money(other), f"{other // 100:,}.{other % 100:02d}"):
        assert answers(form.format(text), answer) == (other == cents)


@settings(max_examples=150)
@given(st.integers(0, 1439), st.integers(0, 1439))
def test_time_property(minute: int, other: int) -> None:
    """Twelve-hour and 24-hour writings agree with the clock, for every minute of the day."""
    answer = Answer.of("time", f"{minute // 60:02d}:{minute % 60:02d}")
    at = datetime.time(other // 60, other % 60)
    for text in (at.strftime("%H:%M"), at.strftime("%I:%M %p"), at.strftime("%I:%M%p").lower().lstrip("0")):
        assert answers(text, answer) == (minute == other)


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_any_text_is_judged(text: str) -> None:
    for form, gold in (
        ("money", "77.31"),
        ("number", "7731"),
        ("date", "2027-07-31"),
        ("time", "17:31"),
        ("text", "Qoph"),
    ):
        answer = an_answer(form, gold)
        assert answers(text, answer) in (False, True)
        assert not answers(f"{answer.text} {text} 99", answer)
