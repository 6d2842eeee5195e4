"""The labelled messages: what the verifier and `Dataset` say of them, and whether the files are sound."""

import json
from pathlib import Path

import pytest

from turnwise.envs.data.grading import grader_for, judge
from turnwise.verifiers.math import check_gold, verify

FOLDER = Path(__file__).parent / "messages"
FILES = {
    path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for path in sorted(FOLDER.glob("*.jsonl"))
}
GRADERS = {
    "verify": lambda row: verify(row["message"], row["gold"]).correct,
    "Dataset math": lambda row: judge("math", row["message"], row["gold"], row["question"]).correct,
    "Dataset auto": lambda row: judge(grader_for(row["gold"]), row["message"], row["gold"], row["question"]).correct,
}
# Shares, to be lowered with what the reader learns. The part to measure on is measured by the benchmark alone.
YOUNGEST = tuple(map("round_{}".format, ("ag", "ah", "al", "ap", "as", "au", "ax", "ba")))  # some, to save time
ROUNDS = ("round_a", "round_b", "round_c", "round_d", "round_e")
MOST_REFUSED = {"public": 0.03, "dev": 0.06, "fresh_dev": 0.15, "mixed_dev": 0.05, **dict.fromkeys(ROUNDS, 0.01)}
MOST_REFUSED |= {
    "round_f": 0.12,
    "round_g": 0.09,
    "round_h": 0.02,
    "round_i": 0.05,
    "round_j": 0.09,
    "round_k": 0.13,
    "round_l": 0.06,
    "round_m": 0.05,
    "round_n": 0.05,
    "round_o": 0.1,
    "round_p": 0.12,
    "round_q": 0.07,
    "round_r": 0.06,
    "round_s": 0.13,
    "round_u": 0.09,
    "round_v": 0.08,
    "round_w": 0.16,
    "round_w2": 0.46,
    "round_x": 0.36,
    "round_y": 0.12,
    "round_y2": 0.38,
    "round_z2": 0.24,
    "round_bb": 0.15,
    "round_cc": 0.06,
    "round_dd": 0.15,
    "round_ee": 0.14,
    "round_gg": 0.16,
    "round_hh": 0.16,
    "round_ii": 0.18,
    "round_kk": 0.15,
    "round_ll": 0.14,
    "round_nn": 0.09,
    "round_pp": 0.2,
    "round_qq": 0.17,
    "round_ss": 0.12,
    "round_tt": 0.27,
    "round_uu": 0.27,
    "round_vv": 0.27,
    "round_ww": 0.27,
    "round_xx": 0.27,
    "round_zy": 0.27,
    "round_ab": 0.14,
    "round_ac": 0.13,
    "round_ad": 0.2,
    "round_ae": 0.15,
    **dict.fromkeys(YOUNGEST, 0.21),
}
WITH_QUESTION = {  # of those who know the question
    "fresh_dev": 0.06,
    "round_f": 0.04,
    "round_g": 0.04,
    "round_h": 0.02,
    "round_i": 0.04,
    "round_j": 0.04,
    "round_k": 0.02,
    "round_l": 0.0,
    "round_m": 0.04,
    "round_n": 0.02,
    "round_o": 0.04,
    "round_p": 0.03,
    "round_q": 0.0,
    "round_r": 0.01,
    "round_s": 0.032,
    "round_u": 0.01,
    "round_v": 0.04,
    "round_w": 0.02,
    "round_w2": 0.19,
    "round_x": 0.07,
    "round_y": 0.05,
    "round_y2": 0.25,
    "round_z2": 0.15,
    "round_bb": 0.02,
    "round_cc": 0.01,
    "round_dd": 0.04,
    "round_ee": 0.04,
    "round_gg": 0.06,
    "round_hh": 0.05,
    "round_ii": 0.05,
    "round_kk": 0.05,
    "round_ll": 0.02,
    "round_nn": 0.01,
    "round_pp": 0.07,
    "round_qq": 0.06,
    "round_ss": 0.01,
    "round_tt": 0.06,
    "round_uu": 0.06,
    "round_vv": 0.06,
    "round_ww": 0.06,
    "round_xx": 0.06,
    "round_zy": 0.06,
    "round_ab": 0.04,
    "round_ac": 0.01,
    "round_ad": 0.07,
    "round_ae": 0.02,
    **dict.fromkeys(YOUNGEST, 0.035),
}
MOST_PAID = {"public": 0.0, "dev": 0.025, "fresh_dev": 0.02, "mixed_dev": 0.0, **dict.fromkeys(ROUNDS, 0.0)}
MOST_PAID |= {
    "round_f": 0.07,
    "round_g": 0.038,
    "round_h": 0.01,
    "round_i": 0.027,
    "round_j": 0.027,
    "round_k": 0.067,
    "round_l": 0.0,
    "round_m": 0.01,
    "round_n": 0.0,
    "round_o": 0.0,
    "round_p": 0.0,
    "round_q": 0.01,
    "round_r": 0.01,
    "round_s": 0.0,
    "round_u": 0.01,
    "round_v": 0.016,
    "round_w": 0.016,
    "round_w2": 0.1,
    "round_x": 0.06,
    "round_y": 0.0,
    "round_y2": 0.019,
    "round_z2": 0.39,  # nearly all of them can be told by their question alone
    "round_bb": 0.0,
    "round_cc": 0.0,
    "round_dd": 0.0,
    "round_ee": 0.0,
    "round_gg": 0.0,
    "round_hh": 0.0,
    "round_ii": 0.0,
    "round_kk": 0.0,
    "round_ll": 0.0,
    "round_nn": 0.0,
    "round_pp": 0.0,
    "round_qq": 0.0,
    "round_ss": 0.0,
    "round_tt": 0.0,
    "round_uu": 0.0,
    "round_vv": 0.0,
    "round_ww": 0.0,
    "round_xx": 0.0,
    "round_zy": 0.0,
    "round_ab": 0.0,
    "round_ac": 0.0,
    "round_ad": 0.0,
    "round_ae": 0.01,  # without the question nothing asks for primes
    **dict.fromkeys(YOUNGEST, 0.0),
}
PAID_WITH_QUESTION = {
    "round_z2": 4,
    "round_z": 1,
    "round_aa": 2,
    "round_ff": 1,
    "round_mm": 1,
}  # of the rounds, where the question is known
MEASURES = (
    "round_z",
    "round_aa",
    "round_ff",
    "round_jj",
    "round_mm",
    "round_oo",
    "round_rr",
)  # that nobody reads: they are counted only


@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("file", MOST_REFUSED)
def test_right_messages_are_paid_and_wrong_ones_are_not(file, grader):
    wrong = {"right": [], "wrong": []}
    for row in FILES[file]:
        if GRADERS[grader](row) != (row["label"] == "right"):
            wrong[row["label"]].append(
                f"[{row['family']}, {row['kind']}] {row['gold']!r}: ...{row['message'][-200:]!r}"
            )
    refused = MOST_REFUSED if grader == "verify" else MOST_REFUSED | WITH_QUESTION
    for label, most in (("wrong", MOST_PAID), ("right", refused)):
        bound = most[file] * sum(row["label"] == label for row in FILES[file])
        assert len(wrong[label]) <= bound, f"{len(wrong[label])} of the {label} ones:\n" + "\n".join(wrong[label])


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("round_")])
def test_hardly_a_wrong_message_is_paid_where_the_question_is_known(file):
    wrong = [row for row in FILES[file] if row["label"] == "wrong"]
    paid = [
        "" if file in MEASURES else row["message"][-200:]
        for row in wrong
        if verify(row["message"], row["gold"], question=row["question"]).correct
    ]
    assert len(paid) <= PAID_WITH_QUESTION.get(file, 0), "\n".join(paid)


LEARNT = [file for file in FILES if file.startswith("learn_")]  # the hardest: answers in prose alone


def test_of_what_the_model_learns_from_most_is_judged_rightly():
    rows = [row for file in LEARNT for row in FILES[file][::4]]
    judged = [(row["label"], GRADERS["Dataset math"](row)) for row in rows]
    assert len(rows) == 4560
    assert judged.count(("right", False)) <= 0.18 * 1560
    assert judged.count(("wrong", True)) <= 0.012 * 1560


@pytest.mark.parametrize("file", FILES)
def test_rows_are_whole(file):
    fields = {"question", "gold", "family", "message", "label", "kind"}
    for row in FILES[file]:
        assert fields <= row.keys()
        assert row["label"] in ("right", "wrong")
        assert row["message"].strip()
        check_gold(row["gold"])


def test_both_labels_are_about_as_frequent():
    for file in FILES.keys() - {"public"}:
        right = sum(row["label"] == "right" for row in FILES[file])
        assert 0.4 < right / len(FILES[file]) < 0.6


def test_no_question_is_on_both_sides():
    questions = {file: {row["question"] for row in rows} for file, rows in FILES.items()}
    sides = [{q for file in questions if file.endswith(side) for q in questions[file]} for side in ("dev", "measure")]
    assert not sides[0] & sides[1]


def test_samples_of_others_are_few_and_allowed():
    rows = FILES["public"]
    assert len(rows) <= 60
    assert {row["licence"] for row in rows} == {"MIT", "Apache-2.0"}
    named = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(row["source"].split()[0] in named for row in rows)
