"""benchmarks/message_sources.py: the rules that label what models wrote, on clones made here."""

import json
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sources():
    return SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "message_sources.py")))


def clone(sources, folder, name, files):
    """A repository with one commit, read at that commit."""
    git = ["git", "-C", str(folder / name), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for file, text in files.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run([*git[:3], "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "outputs"], check=True)
    return sources.Clone(folder, name, "HEAD")


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


def test_numbers(sources):
    assert sources.numbers("It costs $1,234.50, or 118 000 in all; -7 of A3.") == ["1,234.50", "118 000", "-7"]
    assert sources.same("$1,000", "1000") is True
    assert sources.same("17", "18") is False
    assert sources.same("9,00 $", "9") is True
    assert sources.same("18.1", "18") is None  # a rounding, perhaps: nobody's label
    assert sources.same("x", "18") is None


def test_the_only_box_after_a_program_decides(sources, tmp_path):
    rows = [
        {"question": "q1", "gt": "18", "code": ["```python\nprint(18)\n```\n```output\n18\n```\nIt is $\\boxed{18}$."]},
        {"question": "q2", "gt": "18", "code": ["```output\n17\n```\nIt is $\\boxed{17}$."]},
        {"question": "q3", "gt": "18", "code": ["It is $\\boxed{18}$ or $\\boxed{17}$."]},
    ]
    file = "src/outputs/llm-agents/{}/gsm8k/test_tora_-1_seed0_t0.0_s0_e1319.jsonl"
    files = {file.format(model): lines(*rows) for model in ("tora-code-34b-v1.0", "tora-70b-v1.0")}
    found = list(sources.tora(clone(sources, tmp_path, "ToRA", files)))
    assert [(row.question, row.right) for row in found[:2]] == [("q1", True), ("q2", False)]
    assert len(found) == 4


def test_prose_is_wrong_only_where_the_gold_is_not_beside(sources):
    assert sources.stated("She pays $64 for the 16 glasses.", "64", False) is None
    assert sources.stated("She pays $60.", "64", False) is False
    assert sources.last_sentence("He has 3. So he needs 4.") == "So he needs 4."


def test_another_number_is_no_kin_of_the_gold(sources):
    row = sources.Message("s", "q", "2 hours are 120 minutes; with 35 more it is 155. #### 155", "155", True)
    assert [found.gold for found in sources.with_other_numbers([row])] == ["35"]
    assert not list(sources.with_other_numbers([row._replace(right=False)]))
    assert not list(sources.with_other_numbers([row._replace(message="2 or 120", gold="2")]))


def test_a_question_is_in_one_part(sources):
    row = sources.Message("s", "q", "m", "g", True)
    assert row.part == row._replace(message="n", right=False).part
    parts = {row._replace(question=str(number)).part for number in range(20)}
    assert parts == {"dev", "measure"}


def test_missing_clones_are_named(sources, tmp_path, capsys):
    assert list(sources.messages(tmp_path)) == []
    said = capsys.readouterr().out
    assert all(f"git clone https://github.com/{source.repository}" in said for source in sources.SOURCES)
