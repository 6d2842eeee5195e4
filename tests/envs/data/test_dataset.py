"""Dataset: layouts, verifiers, columns, splits, and rows that must be refused when they are loaded."""

import importlib.resources
import json
import os
import pickle
import re
import sys
import types
from pathlib import Path

import pytest

from turnwise.core.errors import MissingDependencyError, SettingsError
from turnwise.envs.data import loading
from turnwise.envs.data.dataset import DEMO, Dataset
from turnwise.verifiers.arithmetic import evaluate


@pytest.fixture
def write(tmp_path):
    """Writes rows to a JSONL file and returns its path."""

    def to_file(*rows, name="rows.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return to_file


def reward_of(path, answer, index=0, **settings):
    env = Dataset(path=path, index=index, **settings)
    env.reset(seed=0)
    return env.step(answer if "<" in answer or "\\boxed" in answer else f"<answer>{answer}</answer>")[1]


# ---- the demonstration file ---------------------------------------------------------------------------------------


def test_every_line_of_the_demonstration_is_sound():
    with open(DEMO, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert len(rows) == len({row["question"] for row in rows}) == 40
    for row in rows:
        work, gold = row["answer"].split("\n#### ")
        steps = [step.split(" = ") for step in work.rstrip(".").split("; ")]
        for expression, value in steps:
            assert evaluate(expression)[0] == int(value), row
        assert int(steps[-1][1]) == int(gold.replace(",", "")), row


def test_the_demonstration_is_package_data():
    assert importlib.resources.files("turnwise.envs.data").joinpath("data/demo.jsonl").is_file()


# ---- layouts and golds --------------------------------------------------------------------------------------------

PLAIN = {"question": "2 + 2?", "answer": "4"}
GSM8K = {"question": "600 twice?", "answer": "It is 2 * 600 = <<2*600=1200>>1,200\n#### 1,200"}
MATH = {"problem": "Half?", "level": "Level 1", "solution": r"First \boxed{3}. So $\boxed{\frac{1}{\sqrt{2}}}$."}


@pytest.mark.parametrize("answer", ["1200", "1,200", "1200.0", "$1,200$", r"\$1200", r"\boxed{1200}", "2400/2"])
@pytest.mark.parametrize("layout", ["auto", "gsm8k"])
def test_gsm8k_golds_are_numbers(write, answer, layout):
    assert reward_of(write(GSM8K), answer, format=layout) == 1.0


@pytest.mark.parametrize("answer", ["1,2,00", "1200 or 1201", "1,200.01", "12e3", "1200 1200", "2*600", "600"])
def test_gsm8k_takes_no_other_number(write, answer):
    assert reward_of(write(GSM8K), answer) == 0


def test_math_takes_the_last_box_with_nested_braces(write):
    path = write(MATH, MATH | {"problem": "Quarter?", "solution": r"\boxed{0.25}"})
    assert Dataset(path=path, index=0).reset(seed=0) is not None
    assert reward_of(path, r"\boxed{\dfrac{1}{\sqrt{2}}}") == 1.0
    assert reward_of(path, "3") == 0
    assert reward_of(path, r"\boxed{\frac{\sqrt 2}{2}}") == 1.0  # another form of the same number
    assert reward_of(path, r"\boxed{\frac{\sqrt 3}{2}}") == 0
    assert reward_of(path, r"\boxed{\frac{1}{4}}", index=1) == 1.0  # a number is compared as one
    assert reward_of(write({"problem": "P?", "solution": r"\boxed{10,\!000}"}), "10000") == 1.0


def test_plain_golds_are_judged_by_their_look(write):
    path = write(
        PLAIN, {"question": "Capital of France?", "answer": "Paris"}, {"question": "x?", "answer": "x^2"},
        {"question": "3/4?", "answer": 0.75}, {"question": "Author?", "answer": ["Twain", "Mark Twain"]},
    )  # fmt: skip
    assert [reward_of(path, a, i) for i, a in enumerate(["4.0", "paris.", "$x^{2}$", "3/4", "mark twain"])] == [
        1,
        1,
        1,
        1,
        1,
    ]
    assert reward_of(path, "$x^3$", 2) == 0
    assert reward_of(path, "$x^2$", 2) == 1
    assert reward_of(path, "Samuel", 4) == 0
    assert reward_of(path, "4.0", 0, verifier="exact") == 0


def test_letters_alone_are_choices(write):
    path = write({"question": "Which? A, B or C", "answer": "B"}, {"question": "And now?", "answer": "A"})
    assert reward_of(path, "(b)") == 1 and reward_of(path, "B or A") == 0 and reward_of(path, "A", 1) == 1


@pytest.mark.parametrize("gold", [1, "B", "a tern"])
def test_options_may_have_a_column(write, gold):
    path = write({"question": "Which is a bird?", "choices": ["a trout", "a tern", "a toad"], "answer": gold})
    env = Dataset(path=path, choices_column="choices")
    assert "(A) a trout\n(B) a tern\n(C) a toad" in env.reset(seed=0)[0]
    for answer in ("B", "(B) a tern", "a tern"):
        assert reward_of(path, answer, choices_column="choices") == 1
    for answer in ("A", "(A) a tern", "a toad", "2", "ABC"):
        assert reward_of(path, answer, choices_column="choices") == 0


@pytest.mark.parametrize(
    ("row", "settings", "message"),
    [
        ({"question": "q", "answer": "no marker"}, {"format": "gsm8k"}, r"\.jsonl:2: .*'no marker'.*####"),
        ({"question": "q", "answer": "#### twelve"}, {"format": "gsm8k"}, r"\.jsonl:2: .*'twelve'"),
        ({"question": "q", "answer": r"\boxed{"}, {"format": "math"}, r"\.jsonl:2: .*boxed"),
        ({"question": "q", "answer": "many"}, {"verifier": "number"}, r"\.jsonl:2: .*'many'.*number"),
        ({"question": "q", "answer": "BC"}, {"verifier": "choice"}, r"\.jsonl:2: .*'BC'"),
        ({"question": "q", "answer": " . "}, {}, r"\.jsonl:2: .*'.'"),
        ({"question": "q", "answer": "a</answer>b"}, {}, r"\.jsonl:2: .*no answer can give"),
        ({"question": "q", "answer": []}, {}, r"\.jsonl:2: .*empty list"),
        ({"question": "q", "answer": None}, {}, r"\.jsonl:2: .*'answer'"),
        ({"question": "  ", "answer": "4"}, {}, r"\.jsonl:2: .*'question'"),
        ({"question": "q"}, {}, r"\.jsonl:2: .*'answer'"),
        ({"question": "q", "answer": "1"}, {"verifier": "sat"}, r"\.jsonl:1: .*'sat'"),
        ({"question": "q", "answer": "1"}, {"format": "saturn", "verifier": "number"}, r"\.jsonl:1: .*'saturn'"),
        ({"question": "q", "answer": "1"}, {"format": "saturn"}, r"\.jsonl:1: .*n_sat"),
        (["q", "a"], {}, r"\.jsonl:2: row 1.*object"),
        ({"question": "q", "answer": "1"}, {"answer_column": "gold"}, "answer_column, which is 'gold'"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_used_are_named_at_load(write, row, settings, message):
    good = {"gsm8k": GSM8K, "math": {"question": "q", "answer": r"\boxed{1}"}}.get(settings.get("format"), PLAIN)
    good = {"question": "q", "answer": "B"} if settings.get("verifier") == "choice" else good
    with pytest.raises(SettingsError, match=message) as caught:
        Dataset(path=write(good, row), **settings)
    assert "rows.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"path": "none.jsonl"}, "none.jsonl"), ({"path": "rows.txt"}, "rows.txt"), ({"path": "a\0.jsonl"}, "read"),
     ({"verifier": "judge"}, "'auto' or one of exact, number"), ({"prompt": "Solve!"}, r"\{question\}"),
     ({"index": 40}, "rows 0 to 39"), ({"index": 0, "split": "test"}, "leave one"), ({"difficulty": 1}, "difficulty")],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(settings, message):
    with pytest.raises(SettingsError, match=message):
        Dataset(**settings)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.jsonl", b'{"question": 1'), ("b.json", b"[1, 2"), ("c.json", b'{"a": [], "b": []}'), ("d.jsonl", b"\xff\xfe"),
     ("e.parquet", b"PAR"), ("f.jsonl", b"\n\n"), ("g.json", b"[" * 10**5)],
)  # fmt: skip
def test_broken_files_are_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=re.escape(name)):
        Dataset(path=str(tmp_path / name))


# ---- where rows come from -----------------------------------------------------------------------------------------


def test_json_and_parquet_hold_the_same_rows(tmp_path, write):
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra data")
    import pyarrow

    rows = [{"question": f"What is {i} + 1?", "answer": str(i + 1)} for i in range(5)]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    (tmp_path / "object.json").write_text(json.dumps({"version": 1, "data": rows}))
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    ids = []
    for path in (write(*rows), *(str(tmp_path / n) for n in ("list.json", "object.json", "rows.parquet"))):
        ids.append([Dataset(path=path, index=i).reset(seed=0)[1]["task_id"] for i in range(5)])
        assert reward_of(path, "4", 3) == 1
    assert len(set(map(tuple, ids))) == 1 and len(set(ids[0])) == 5


@pytest.mark.parametrize(
    ("path", "package", "extra"), [("x.parquet", "pyarrow", "data"), ("hf:a/b", "datasets", "hub")]
)
def test_a_missing_package_names_its_extra(tmp_path, monkeypatch, path, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    if not path.startswith("hf:"):
        path = str(tmp_path / path)
        open(path, "w").close()
    with pytest.raises(MissingDependencyError, match=rf"'{package}'.*turnwise\[{extra}\]"):
        Dataset(path=path)


def test_a_hub_data_set_brings_its_splits(monkeypatch):
    asked = []

    def load_dataset(name, configuration):
        asked.append((name, configuration))
        return {"train": [PLAIN], "test": [GSM8K | {"answer": "1200"}]}

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    loading.load.cache_clear()
    try:
        for split, question in (("train", "2 + 2?"), ("test", "600 twice?")):
            env = Dataset(path="hf:owner/name:main", split_column="split", split=split)
            assert {env.reset(seed=s)[0].splitlines()[0] for s in range(10)} == {question}
    finally:
        loading.load.cache_clear()
    assert asked == [("owner/name", "main")]


def test_a_file_is_read_once_until_it_changes(write, monkeypatch):
    path = write(PLAIN)
    reads = []
    real = loading.read_located
    monkeypatch.setattr(loading, "read_located", lambda path, reading: reads.append(path) or real(path, reading))
    for _ in range(3):
        Dataset(path=path).reset(seed=0)
    assert len(reads) == 1
    write(PLAIN | {"question": "Two and two?"})
    os.utime(path, (1, 1))
    assert Dataset(path=path).reset(seed=0)[0].startswith("Two and two?")
    assert len(reads) == 2


# ---- splits, prompts, episodes ------------------------------------------------------------------------------------


def test_a_given_split_is_kept_and_train_has_no_question_of_test(write):
    rows = [{"question": f"q{i}", "answer": "1", "part": "train" if i < 6 else "test"} for i in range(9)]
    path = write(*rows, {"question": "q8", "answer": "1", "part": "train"})
    drawn = {}
    for split in ("train", "test", None):
        env = Dataset(path=path, split_column="part", split=split)
        env.reset(seed=0)
        drawn[split] = {env.reset()[0].split("\n")[0] for _ in range(200)}
    assert drawn["train"] == {f"q{i}" for i in range(6)} and drawn["test"] == {"q6", "q7", "q8"}
    assert drawn[None] == drawn["train"] | drawn["test"]
    with pytest.raises(SettingsError, match="'train'"):
        Dataset(path=write(rows[0]), split_column="part", split="test")


def test_the_hash_split_parts_the_rows():
    drawn = {}
    for split in ("train", "test"):
        env = Dataset(split=split)
        env.reset(seed=0)
        drawn[split] = {env.reset()[0] for _ in range(300)}
    assert len(drawn["train"] | drawn["test"]) == 40 and not drawn["train"] & drawn["test"]


def test_the_template_expands_the_question_and_nothing_else(write):
    path = write({"question": "{question} {0.__class__} {index}", "answer": "1"})
    env = Dataset(path=path, prompt="{question.__class__} {0} {path} Q: {question}!")
    assert env.reset(seed=0)[0] == "{question.__class__} {0} {path} Q: {question} {0.__class__} {index}!"


def test_the_task_id_is_of_the_question_alone(write):
    one = Dataset(path=write(PLAIN)).reset(seed=0)[1]
    two = Dataset(path=write(PLAIN | {"answer": "5", "id": 3}, name="other.jsonl"), prompt="Q {question}").reset(
        seed=0
    )[1]
    assert one == two


def test_no_copy_of_the_rows_travels_with_an_environment(write):
    path = write(*({"question": f"q{i} " + "x" * 100, "answer": "1"} for i in range(500)))
    env = Dataset(path=path)
    env.reset(seed=0)
    assert len(pickle.dumps(env)) < 10_000
    assert pickle.loads(pickle.dumps(env)).step("<answer>1</answer>")[1] == 1.0


def test_further_tries(write):
    env = Dataset(path=write(PLAIN), max_turns=3)
    env.reset(seed=0)
    assert env.step("<answer>no idea</answer>")[4] == {"invalid_action": True}
    assert env.step("<answer>5</answer>")[:4] == ("The value differs.", 0.0, False, False)
    assert env.step("<answer>4</answer>")[1] == 1.0


# ---- rows that cannot be used, and conversations as questions ----


def test_bad_rows_may_be_left_out_named_and_counted(tmp_path, caplog):
    path = tmp_path / "own.jsonl"
    lines = [
        '{"other": 1}',
        '{"question": "1+1?", "answer": ""}',
        '{"question": "2+2?", "answer": "4"}',
        "{broken",
        "[1, 2]",
        "",
        '{"question": "3+3?", "answer": ["", "6"]}',
        '{"question": "", "answer": "8"}',
        '{"question": {"text": "4+4?"}, "answer": "8"}',
    ]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SettingsError, match=r"own\.jsonl:"):
        Dataset(path=str(path))
    env = Dataset(path=str(path), bad_rows="skip")
    assert env.num_skipped == 6
    assert [problem.where.rpartition(":")[2] for problem in env.skipped] == ["4", "5", "1", "2", "8", "9"]
    assert "left out 6 of 8 rows" in caplog.text and f"{path}:2: the gold is ''" in caplog.text
    assert sorted({env.reset(seed=seed)[0].partition("\n")[0] for seed in range(20)}) == ["2+2?", "3+3?"]
    caplog.clear()
    Dataset(path=str(path), bad_rows="skip")
    assert not caplog.text, "said once"
    kept = [task.row for task in env._load().tasks]
    for row, asked in zip(kept, ("2+2?", "3+3?"), strict=True):
        assert Dataset(path=str(path), bad_rows="skip", index=row).reset(seed=0)[0].startswith(asked)
    with pytest.raises(SettingsError, match=r"index is 1, which was left out"):
        Dataset(path=str(path), bad_rows="skip", index=1)
    with pytest.raises(SettingsError, match=r"index is 99; there are the rows 0 to"):
        Dataset(path=str(path), bad_rows="skip", index=99)
    path.write_text("\n".join(lines[:2]))
    with pytest.raises(SettingsError, match=r"has no rows that can be used(.|\n)*own\.jsonl:2"):
        Dataset(path=str(path), bad_rows="skip")


def test_the_layout_goes_by_the_first_row_that_has_a_gold(write):
    path = write({"question": "q", "answer": ""}, {"question": "3*4?", "answer": "So 12.\n#### 12"})
    assert Dataset(path=path, bad_rows="skip", index=1).reset(seed=0) and reward_of(path, "12", 1, bad_rows="skip") == 1


def said(role, content):
    return {"role": role, "content": content}


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        ([said("user", "2+2?")], "2+2?"),
        ([said("system", "Be brief."), said("user", "2+2?")], "Be brief.\n\n2+2?"),
        (
            [said("user", "1+1?"), said("assistant", "2"), said("user", "2+2?")],
            "User: 1+1?\n\nAssistant: 2\n\nUser: 2+2?",
        ),
        ([said("user", [{"type": "text", "text": "2+"}, {"type": "text", "text": "2?"}])], "2+\n2?"),
    ],
)
def test_a_prompt_of_messages_is_told_as_text(write, messages, shown):
    row = {"prompt": messages, "data_source": "own", "reward_model": {"style": "rule", "ground_truth": "4"}}  # verl's
    path = write(row)
    assert Dataset(path=path, prompt="{question}").reset(seed=0)[0] == shown
    assert reward_of(path, "4") == 1 and reward_of(path, "5") == 0
    assert "'role'" not in Dataset(path=path).reset(seed=0)[0]
    cells = write({"prompt": json.dumps(messages), "answer": "4"})  # as a CSV file has it
    assert Dataset(path=cells, prompt="{question}").reset(seed=0)[0] == shown


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prompt": [said("user", "x"), said("assistant", "y")], "answer": "1"}, "must be the user's"),
        ({"prompt": [said("system", "x")], "answer": "1"}, "must be the user's"),
        ({"prompt": [said("tool", "x"), said("user", "y")], "answer": "1"}, "'tool'; it must be"),
        ({"prompt": [said("user", None)], "answer": "1"}, "it must be a text"),
        ({"prompt": [said("user", [{"type": "image_url"}])], "answer": "1"}, "only text can be played"),
        ({"prompt": ["x"], "answer": "1"}, "a list; it must be a text"),
        ({"prompt": {"x": 1}, "answer": "1"}, "a dict; it must be a text"),
        ({"prompt": "x", "answer": {"value": 1}}, "the gold is .* a dict"),
        ({"prompt": "x", "answer": [["1"]]}, "the gold is .* a list"),
    ],
)
def test_nothing_is_shown_in_pythons_notation(write, row, message):
    with pytest.raises(SettingsError, match=rf"\.jsonl:1: .*{message}"):
        Dataset(path=write(row))


def test_a_rationale_is_what_is_said_before_the_answer(write):
    math = r"We add them. Then 5+6=11. So it is $\boxed{11}$."
    path = write({"problem": "5+6?", "solution": math})
    env = Dataset(path=path)
    env.reset(seed=0)
    assert env.rationale() == "We add them. Then 5+6=11."
    path = write({"question": "5+6?", "answer": "11", "why": "Count on."})
    for column, told in (("", None), ("why", "Count on.")):
        env = Dataset(path=path, rationale_column=column)
        env.reset(seed=0)
        assert env.rationale() == told


def test_the_page_about_rows_of_ones_own(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block, {})
    assert capsys.readouterr().out == "1 rows.jsonl:2 the gold is ''; there is nothing after ####\n"


# ---- how golds are judged -------------------------------------------------------------------------------------------

AUTO = [
    ("(6,31,-1)", "math", r"\boxed{(6, 31, -1)}", r"\boxed{(6, 31, 1)}"),
    ("x+2", "math", "The quotient is $2 + x$.", "The quotient is $2 - x$."),
    ("6 - 5i", "math", r"\boxed{6-5i}", r"\boxed{6+5i}"),
    ("1024", "math", r"\boxed{2^{10}}", r"\boxed{2^{11}}"),
    ("no solution", "math", r"\boxed{\emptyset}", r"\boxed{0}"),
    (r"\text{circle}", "math", r"\boxed{a circle}", r"\boxed{a square}"),
    ("Au", "exact", "<answer>au</answer>", "<answer>uA</answer>"),
    ("Paris", "exact", "<answer>paris</answer>", "<answer>Lyon</answer>"),
]


@pytest.mark.parametrize(("gold", "name", "right", "wrong"), AUTO)
def test_auto_goes_by_how_each_gold_reads_and_says_so(write, gold, name, right, wrong):
    path = write({"question": "q?", "answer": "7"}, {"question": "r?", "answer": gold})
    env = Dataset(path=path, index=1)
    env.reset(seed=0)
    info = env.step(right)[4]
    assert info["solved"] and info["metrics"][f"judged_as_{name}"] == 1.0
    assert reward_of(path, wrong, 1) == 0


CHAINS = [r"\boxed{m + n = 1200}", r"\boxed{x = 2 \cdot 600 = 1200}", r"\boxed{|z| = 1200}", r"\boxed{2*600 = 1200}"]


@pytest.mark.parametrize("message", [*CHAINS, "She earns $1200 every day. #### 1200", "Thus, she has $1,200 left."])
@pytest.mark.parametrize("verifier", ["auto", "math", "arithmetic"])
def test_the_last_member_of_a_chain_and_whole_messages_are_judged(write, message, verifier):
    env = Dataset(path=write(GSM8K), verifier=verifier)
    env.reset(seed=0)
    assert env.step(message)[1] == 1.0


def test_only_arithmetic_asks_for_numbers_worked_out(write):
    path = write(GSM8K)
    for answer in (r"\boxed{2 \cdot 600}", "<answer>2*600</answer>", r"\boxed{1200 = 2*600}"):
        assert reward_of(path, answer) == reward_of(path, answer, verifier="arithmetic") == 0
        assert reward_of(path, answer, verifier="math") == 1.0


@pytest.mark.parametrize("answer", ["17*23", r"$17 \times 23$", r"\boxed{17 \cdot 23}", "<answer>17 × 23</answer>"])
def test_arithmetic_copied_from_the_question_answers_nothing(write, answer):
    path = write({"question": "What is 17 × 23?", "answer": "391"})
    assert reward_of(path, answer) == 0
    assert reward_of(path, "17*23 = 391") == reward_of(path, r"\boxed{400 - 9}") == 1.0


def test_two_values_earn_nothing_through_a_data_set(write):
    path = write({"question": "q?", "answer": "8"})
    for message in (r"\boxed{8} or 9", r"9, or \boxed{8}", "#### 8\n#### 9", "The answer is 8 or 9.", "8, 9", "8 or 9"):
        assert reward_of(path, message) == 0
