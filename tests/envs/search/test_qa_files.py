"""Users' questions: every shape that is read, and rows that cannot be used are named with file and line."""

import copy
import json
from pathlib import Path

import pytest

from turnwise.core.errors import SettingsError
from turnwise.core.rows import Reading, read_located
from turnwise.envs.search._qa_files import (
    DEMO_CORPUS,
    DEMO_QUESTIONS,
    FORMATS,
    corpus_of,
    format_of,
    load_questions,
    read_questions,
)
from turnwise.retrieval.corpora.documents import MemoryCorpus
from turnwise.retrieval.corpora.readers import read_corpus
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.local import LocalRetriever
from turnwise.verifiers.qa import verify_answer, verify_items, verify_yes_no

DATA = Path(__file__).parents[2] / "data" / "search"
SHAPES = {
    "hotpotqa.json": "hotpotqa", "hotpotqa_hf.jsonl": "hotpotqa", "2wiki.json": "2wiki", "2wiki_strings.jsonl": "2wiki",
    "musique_ans.jsonl": "musique", "musique_full.jsonl": "musique", "nq_open.jsonl": "nq", "triviaqa.json": "triviaqa",
    "triviaqa_hf.jsonl": "triviaqa", "bamboogle.csv": "bamboogle", "bamboogle.json": "bamboogle",
    "popqa.tsv": "popqa", "dpr.json": "dpr", "flashrag.jsonl": "flashrag", "search_r1.jsonl": "search_r1",
    "plain.jsonl": "plain",
}  # fmt: skip


def questions(name, **settings):
    return list(read_questions(str(DATA / name), **{"unanswerable": "keep", **settings}))


@pytest.fixture
def write(tmp_path):
    """Writes rows to a JSONL file and returns its path."""

    def to_file(*rows, name="own.jsonl"):
        path = tmp_path / name
        path.write_text("".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return to_file


# ---- the shapes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_shapes_are_known_by_their_first_row(name, shape):
    first = next(read_located(str(DATA / name))).row
    assert format_of(first) == shape
    assert questions(name) == questions(name, format=shape) != []
    for question in questions(name):
        assert question.where.startswith(f"{DATA / name}:") and question.text == question.text.strip() != ""


def test_every_shape_has_a_file():
    assert set(SHAPES.values()) == set(FORMATS)


@pytest.mark.parametrize("name", ["hotpotqa.json", "hotpotqa_hf.jsonl"])
def test_hotpotqa(name):
    bridge, comparison = questions(name)
    assert (bridge.text, bridge.answers, bridge.form) == (
        "Where was the mayor of Ostrevik born?", (("Quennby",),), "text",
    )  # fmt: skip
    assert (bridge.kind, bridge.hops, bridge.id, bridge.steps) == ("bridge", 2, "5a01", ())
    assert bridge.support == ("Ostrevik", "Mira Tolvane")
    assert [d.title for d in bridge.contexts] == ["Ostrevik", "Mira Tolvane", "Saltmere"]
    assert bridge.contexts[0].text == "Ostrevik is a town on the Varn. Its mayor is Mira Tolvane."
    assert (comparison.answers, comparison.form, comparison.kind) == ((("yes",),), "yes_no", "comparison")


@pytest.mark.parametrize("name", ["2wiki.json", "2wiki_strings.jsonl"])
def test_2wikimultihopqa(name):
    (question,) = questions(name)
    assert (question.answers, question.kind, question.hops) == ((("1958",),), "compositional", 2)
    assert [(s.question, s.answers, s.support) for s in question.steps] == [
        ("Mira Tolvane spouse", ("Tobin Arkwell",), ("Mira Tolvane (engineer)",)),
        ("Tobin Arkwell year of birth", ("1958",), ("Tobin Arkwell",)),
    ]
    assert question.contexts[1].text == "Tobin Arkwell was born in 1958. He is a pilot."


def test_musique():
    (question,) = questions("musique_ans.jsonl")
    assert question.answers == (("Ostrevik", "Ostre Vik", "Town of Ostrevik"),)
    assert (question.kind, question.hops, question.support) == ("2hop", 2, ("The Salt Ledger", "Lise Corrin"))
    assert [(s.question, s.answers, s.support) for s in question.steps] == [
        ("The Salt Ledger author", ("Lise Corrin",), ("The Salt Ledger",)),
        ("Where was Lise Corrin born?", ("Ostrevik",), ("Lise Corrin",)),
    ]
    assert [d.id for d in question.contexts] == ["Saltmere", "The Salt Ledger", "Lise Corrin", "Saltmere #2"]


def test_what_a_few_paragraphs_do_not_answer_is_no_gold_over_a_corpus():
    name = str(DATA / "musique_full.jsonl")
    with pytest.raises(SettingsError, match=r"musique_full\.jsonl:2: it cannot be answered from its own paragraphs"):
        load_questions(name)
    assert [q.answers for q in load_questions(name, unanswerable="keep")][1] == ()
    assert load_questions(name, unanswerable="keep")[1].steps == ()
    reading = Reading()
    assert len(list(read_questions(name, unanswerable="skip", reading=reading))) == 1
    assert reading.skipped["unanswerable questions"] == 1


def test_open_questions_and_their_aliases():
    first, second = questions("nq_open.jsonl")
    assert first.answers == (("Mira Tolvane", "Tolvane"),) and second.answers == (("212 km",),)
    for name in ("triviaqa.json", "triviaqa_hf.jsonl"):
        (question,) = questions(name)
        assert question.text == "On which river does Ostrevik lie?" and question.id == "tc_1"
        assert question.answers[0][:3] == ("Varn", "The Varn", "River Varn")
    (question,) = questions("popqa.tsv")
    assert question.text == "What is Anselm Reik's occupation?" and question.kind == "occupation"
    assert question.answers == (("horologist", "clockmaker", "clock maker"),) and question.support == ("Anselm Reik",)


def test_bamboogle_dpr_flashrag_and_search_r1():
    assert [q.answers[0][0] for q in questions("bamboogle.csv")] == ["Lise Corrin", "Oskar Thule"]
    assert questions("bamboogle.csv")[1].text == 'In "Nine Bells for Tarvo", who taught the composer?'
    assert questions("bamboogle.csv")[1].where.endswith("bamboogle.csv:3")
    (dpr,) = questions("dpr.json")
    assert dpr.support == ("Maps of the Lower Varn",) and len(dpr.contexts) == 2
    plain, rich = questions("flashrag.jsonl")
    assert (plain.answers, plain.support, plain.kind) == ((("Tarvo",),), (), "flashrag")
    assert (rich.answers, rich.support, rich.kind) == ((("Quennby",),), ("Ostrevik", "Mira Tolvane"), "bridge")
    asked, given = questions("search_r1.jsonl")
    assert (asked.text, asked.answers) == ("who is the mayor of tarvo?", (("Anselm Reik",),))
    assert (given.text, given.answers, given.kind) == ("who is the mayor of saltmere?", (("Tobin Arkwell",),), "nq")


def test_parquet_rows_of_search_r1(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    import pyarrow

    rows = [json.loads(line) for line in (DATA / "search_r1.jsonl").read_text().splitlines()]
    rows = [{"question": "q?", "golden_answers": ["x"], **row} for row in rows]
    rows[0]["question"] = None  # then the prompt has it
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "train.parquet")
    found = list(read_questions(str(tmp_path / "train.parquet")))
    assert [q.text for q in found] == ["who is the mayor of tarvo?", "who is the mayor of saltmere?"]
    assert found[1].where == f"{tmp_path / 'train.parquet'} row 1"


def test_plain_rows(write):
    year, mayor, towns, nobody = questions("plain.jsonl")
    assert year.answers == (("1349",),) and mayor.answers == (("Anselm Reik", "Reik"),) and nobody.answers == ()
    assert towns.answers == (("Dunharrow Cross",), ("Tarvo", "Tarvo Town")) and towns.form == "items"
    assert [q.split for q in questions("plain.jsonl", split="train")] == ["train"]
    path = write(
        {"question": "Is it?", "answer": True}, {"question": "a", "answers": ["x", "y"]},
        {"question": "b", "answer": "x", "aliases": ["z", "x", " "], "hops": 3, "support": ["T"],
         "steps": [{"question": "s", "answer": "v", "support": "T"}]},
    )  # fmt: skip
    reading = Reading()
    yes, forms, rich = read_questions(path, reading=reading)
    assert (yes.answers, yes.form) == ((("yes",),), "yes_no") and forms.answers == (("x", "y"),)
    assert (rich.answers, rich.hops, rich.support) == ((("x", "z"),), 3, ("T",))
    assert [(s.question, s.answers, s.support) for s in rich.steps] == [("s", ("v",), ("T",))]
    assert +reading.skipped == {"empty aliases": 1}


def test_only_the_text_makes_a_question_this_one(write):
    one, other = read_questions(write({"question": " Who? ", "answer": "A"}, {"question": "Who?", "answer": "B"}))
    assert one == other and hash(one) == hash(other)


# ---- what cannot be used -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q"}, "'answer'.*'None'"),
        ({"question": " ", "answer": "x"}, "empty"),
        ({"question": 7, "answer": "x"}, "'question'.*'7'"),
        ({"question": "q", "answer": " "}, "gold.*empty"),
        ({"question": "q", "answer": []}, "gold"),
        ({"question": "q", "answer": ["", "x"]}, "gold"),
        ({"question": "q", "answer": {"a": 1}}, "text or a number"),
        ({"question": "q", "answer": [["x"]]}, "text or"),
        ({"question": "q", "answer": "a</answer>b"}, "no answer can give"),
        ({"question": "q", "answer": "x" * 10001}, "give"),
        ({"question": "q", "answer": ["yes", "no"]}, "yes, or no"),
        ({"question": "q", "answers": [["a"], ["a"]]}, "same"),
        ({"question": "q", "answers": [["a"], []]}, "gold"),
        ({"question": "q", "answers": [[str(i)] for i in range(300)]}, "200"),
        ({"question": "q", "answer": "x", "answerable": "maybe"}, "answerable"),
        ({"question": "q", "answer": "x", "aliases": "[1"}, "not JSON"),
    ],
)
def test_rows_that_cannot_be_used_are_named(write, row, message):
    path = write({"question": "ok", "answer": "fine"}, "\n", row, {"question": "ok", "answer": "too"})
    with pytest.raises(SettingsError, match=message) as caught:
        list(read_questions(path, "plain"))
    assert str(caught.value).startswith(f"{path}:3: ")
    reading = Reading("skip")
    assert len(list(read_questions(path, "plain", reading=reading))) == 2
    assert [p.where for p in reading.problems] == [f"{path}:3"]


def test_all_problems_are_told_at_once(write):
    rows = [{"question": f"q{i}", "answer": "" if i % 3 == 0 else "x"} for i in range(10)]
    path = write(*rows, "{broken\n", '["no object"]\n')
    with pytest.raises(SettingsError) as caught:
        list(read_questions(path, reading=Reading("collect", limit=5)))
    text = str(caught.value)
    assert text.startswith("6 rows cannot be used") and "and 1 more" in text
    assert [f"{path}:{n}:" in text for n in (1, 4, 7, 10, 11, 12)] == [True] * 5 + [False]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_no_value_in_any_column_is_more_than_a_named_problem(name, write):
    """Every value, at any depth, is put in place of by values of other kinds."""
    row = next(read_located(str(DATA / name))).row
    named = []
    for place in places(row):
        for value in (None, 0, "", "[", [], {}, [[]], [{}], {"title": 1}, True, ["\ud800"]):
            bad = copy.deepcopy(row)
            inner = bad
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            path = write(bad)
            try:
                (question,) = read_questions(path, SHAPES[name], unanswerable="keep")
            except SettingsError as error:
                named.append(str(error).startswith(f"{path}:1: "))
            else:
                named.append(all(isinstance(form, str) and form for forms in question.answers for form in forms))
    assert len(named) > 20 and all(named)


def places(value, depth=0):
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys if depth < 4 else ():
        yield (key,)
        yield from ((key, *rest) for rest in places(value[key], depth + 1))


def test_unknown_shapes_and_settings_are_named(write):
    with pytest.raises(
        SettingsError, match=r"own\.jsonl:1: the columns are a, b; .*hotpotqa: question, supporting_facts"
    ):
        list(read_questions(write({"a": 1, "b": 2})))
    for settings in ({"format": "squad"}, {"unanswerable": "drop"}):
        with pytest.raises(SettingsError, match=r"(squad|drop).*must be"):
            list(read_questions(DEMO_QUESTIONS, **settings))
    with pytest.raises(SettingsError, match="no questions with split='dev'"):
        load_questions(str(DATA / "plain.jsonl"), split="dev", unanswerable="keep")


def test_questions_are_read_once_until_the_file_changes(write):
    path = write({"question": "q", "answer": "x"})
    assert load_questions(path) is load_questions(path)
    write({"question": "another", "answer": "x"})
    assert [q.text for q in load_questions(path)] == ["another"]
    assert load_questions(str(DATA / "hotpotqa.json"), contexts=False)[0].contexts == ()


# ---- corpora of what the questions carry, and the demonstration ----------------------------------------------------


def test_contexts_make_a_corpus():
    found = [*questions("hotpotqa.json"), *questions("musique_ans.jsonl")]
    documents = list(corpus_of(found))
    assert len({d.id for d in documents}) == len(documents) == 8  # Ostrevik twice the same, Saltmere three texts
    assert [d.id for d in documents if d.title == "Saltmere"] == ["Saltmere", "Saltmere #2", "Saltmere #3"]
    assert MemoryCorpus(documents).number_of("Saltmere #3") is not None


def right(question, text):
    if question.form == "items":
        return verify_items(text, question.answers).correct
    if question.form == "yes_no":
        return verify_yes_no(text, question.answers[0][0] == "yes").correct
    return verify_answer(text, question.answers[0]).correct


def test_the_demonstration_is_sound():
    """Answers can be given, and each step's answer stands in a document that the step's search finds first."""
    corpus = MemoryCorpus(read_corpus(DEMO_CORPUS))
    retriever = LocalRetriever(corpus, Bm25Index.build(d.contents for d in corpus))
    titles = {d.title for d in corpus}
    found = load_questions(DEMO_QUESTIONS)
    assert len({q.text for q in found}) == len(found) >= 30
    for question in found:
        assert right(question, "\n".join(forms[0] for forms in question.answers)) and not right(question, "Narnia")
        assert set(question.support) <= titles and question.hops == len(question.support)
        for step in question.steps:
            hits = retriever.search([step.question], 3)[0]
            assert any(h.document.title in step.support and step.answers[0] in h.document.text for h in hits), step
        if question.kind in ("chain", "single"):
            assert right(question, question.steps[-1].answers[0]) and len(question.steps) == question.hops
