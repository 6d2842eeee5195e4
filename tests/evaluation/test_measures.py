"""Further figures of an evaluation, against enumeration, numbers by hand, and agents of known behaviour."""

import itertools
import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.test_openai import ok, said, serving
from turnwise.agents.scripted import FunctionAgent
from turnwise.cli.main import run
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Measure, Scores, overall, wilson
from turnwise.core.registration import make
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.measures.calibration import brier, calibration, expected_calibration_error, reliability
from turnwise.evaluation.measures.collect import answer_of
from turnwise.evaluation.measures.confidence import ASKING, StatedConfidence, stated_confidence
from turnwise.evaluation.measures.diversity import differing, distinct_ngrams
from turnwise.evaluation.measures.intervals import share_interval
from turnwise.evaluation.measures.majority import best_of_k, majority_at_k
from turnwise.evaluation.measures.verifying import confusion, verifying
from turnwise.evaluation.measures.wordings import by_wording, permutation_test

VOTES = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.just(False)), min_size=1, max_size=7).map(
    lambda votes: [(answer, answer == "a") for answer, _ in votes]
)


# ---- majority vote and best of k -------------------------------------------------------------------------------------


def voted(sample: Sequence[tuple[str | None, bool]]) -> bool:
    """The rule as it is declared: most votes, of ties the answer that was given first."""
    counts = Counter(answer for answer, _ in sample if answer is not None)
    if not counts:
        return False
    winner = next(answer for answer, _ in sample if answer is not None and counts[answer] == max(counts.values()))
    return next(solved for answer, solved in sample if answer == winner)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(VOTES, st.integers(1, 7))
def test_majority_is_the_mean_over_all_orders(votes: list[tuple[str | None, bool]], k: int) -> None:
    k = min(k, len(votes), 4)
    outcomes = [voted(sample) for sample in itertools.permutations(votes, k)]
    assert majority_at_k(votes, k) == pytest.approx(sum(outcomes) / len(outcomes), abs=1e-12)


def test_majority_by_hand() -> None:
    votes = [("4", True)] * 3 + [("5", False)] * 2
    assert majority_at_k(votes, 1) == pytest.approx(3 / 5)
    assert majority_at_k(votes, 2) == pytest.approx(3 / 10 + 6 / 10 / 2)  # both right; one of each is a tie
    assert majority_at_k(votes, 3) == pytest.approx(7 / 10)  # of 10 triples, 1 + 6 have two right ones
    assert majority_at_k(votes, 5) == 1.0
    assert majority_at_k([(None, False)] * 4, 3) == 0.0
    assert majority_at_k([("x", True), (None, False), (None, False)], 3) == 1.0, "silence does not vote"
    big = [("4", True)] * 33 + [(f"wrong {i}", False) for i in range(31)]
    assert 0.99 < majority_at_k(big, 32) <= 1.0  # 64 samples without enumeration


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.sampled_from([None, 0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6),
    st.integers(1, 6),
)
def test_best_of_k_is_the_mean_over_all_subsets(scored: list[tuple[float | None, bool]], k: int) -> None:
    k = min(k, len(scored))
    values = []
    for sample in itertools.combinations(scored, k):
        best = max(-1.0 if score is None else score for score, _ in sample)
        taken = [solved for score, solved in sample if (-1.0 if score is None else score) == best]
        values.append(sum(taken) / len(taken))
    assert best_of_k(scored, k) == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_a_perfect_scorer_reaches_pass_at_k() -> None:
    scored = [(float(solved), solved) for solved in (True, False, False, True, False)]
    assert best_of_k(scored, 2) == pytest.approx(1 - math.comb(3, 2) / math.comb(5, 2))


# ---- calibration -----------------------------------------------------------------------------------------------------


def test_calibration_by_hand() -> None:
    stated = [(0.95, True), (0.95, True), (0.95, False), (0.42, False), (1.0, True), (0.0, False)]
    # bins: [0.9, 1] has 4 answers, confidence 3.85, 3 right; [0.4, 0.5) one, 0.42 wrong; [0, 0.1) one, right to say 0
    assert expected_calibration_error(stated) == pytest.approx((abs(3.85 - 3) + 0.42 + 0) / 6)
    assert brier(stated) == pytest.approx((2 * 0.05**2 + 0.95**2 + 0.42**2) / 6)
    assert [(row["from"], row["answers"], row["accuracy"]) for row in reliability(stated)] == [
        (0.0, 1, 0.0),
        (0.4, 1, 0.0),
        (0.9, 4, 0.75),
    ]
    found = calibration("x", [stated[:3], stated[3:]], 8)
    assert found["stated"].value == 0.75 and found["ECE"].unit == "share" and found["Brier"].unit == "number"
    assert calibration("x", [[]], 3)["ECE"].value is None


def test_an_agent_that_knows_its_chances_is_calibrated() -> None:
    rng = random.Random(3)
    honest = [[(p, rng.random() < p)] for p in (rng.choice([0.05, 0.35, 0.65, 0.95]) for _ in range(300))]
    boastful = [[(0.99, right)] for [(_, right)] in honest]
    good, bad = (calibration("a", tasks, 300) for tasks in (honest, boastful))
    assert (good["ECE"].value or 1) < 0.1 < 0.4 < (bad["ECE"].value or 0)
    assert (good["Brier"].value or 1) < 0.2 < 0.4 < (bad["Brier"].value or 0)
    for found in (good, bad):
        for name in ("ECE", "Brier"):
            assert found[name].ci95 is not None
            low, high = found[name].ci95 or (1, 0)
            assert low <= (found[name].value or 0) <= high


@pytest.mark.slow
def test_the_interval_of_the_brier_score_covers_the_truth() -> None:
    covered = 0
    truth = 0.5 * 0.1 * 0.9 + 0.5 * 0.3 * 0.7  # of an honest agent that says 10 % or 70 %
    for trial in range(100):
        rng = random.Random(trial)
        tasks = [[(p, rng.random() < p)] for p in (rng.choice([0.1, 0.7]) for _ in range(100))]
        low, high = calibration(f"{trial}", tasks, 100)["Brier"].ci95 or (1, 0)
        covered += low <= truth <= high
    assert covered >= 88


@pytest.mark.parametrize(
    ("text", "value"),
    [("85", 0.85), (" 85% ", 0.85), ("0.85", 0.85), (".5", 0.5), ("100", 1.0), ("0", 0.0), ("1", 0.01), ("1.0", 1.0),
     ("99.5", 0.995), ("120", None), ("high", None), ("-3", None), ("", None), ("9" * 400, None), ("٣٤", None)],
)  # fmt: skip
def test_how_a_confidence_is_read(text: str, value: float | None) -> None:
    found = stated_confidence(f"<confidence>1</confidence> no: <confidence>{text}</confidence>")
    assert found == (value if value is None else pytest.approx(value))


def test_the_environment_never_sees_the_confidence() -> None:
    env = StatedConfidence(make("GuessNumber", max_number=8))
    observation, _ = env.reset(seed=1)
    assert observation.endswith(ASKING)
    number = env.unwrapped.oracle()  # type: ignore[attr-defined]
    *_, info = env.step(f"{number} <confidence>70</confidence>")
    while "metrics" not in info:
        *_, info = env.step(f"{env.unwrapped.oracle()}\n<confidence>80 %</confidence>")  # type: ignore[attr-defined]
    assert info["solved"] and info["metrics"]["confidence"] == (0.8 if info["metrics"]["turns"] > 1 else 0.7)
    assert info["metrics"]["format_errors"] == 0
    env.reset(seed=2)
    for _ in range(20):
        *_, over, cut, info = env.step("9 9 9")
        if over or cut:
            break
    assert "confidence" not in info["metrics"], "that of the episode before is forgotten"


# ---- diversity -------------------------------------------------------------------------------------------------------


def test_diversity_by_hand() -> None:
    assert differing("aab") == pytest.approx(2 / 3) and differing("aaa") == 0 and differing("abc") == 1
    assert differing("a") is None
    assert distinct_ngrams(["the cat sat", "the cat ran"]) == pytest.approx(3 / 4)
    assert distinct_ngrams(["one", ""]) is None
    assert distinct_ngrams(["a a a a"], 1) == 0.25


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=8))
def test_differing_is_the_share_of_pairs(items: list[str]) -> None:
    pairs = list(itertools.combinations(items, 2))
    assert differing(items) == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))


def test_equal_answers_are_equal_texts() -> None:
    assert answer_of("<answer>0.50</answer>") == answer_of(r"\boxed{\frac{1}{2}}") == "1/2"
    assert answer_of("<answer>The  Cat</answer>") == answer_of("the cat")
    assert answer_of("<answer>1</answer> <answer>2</answer>") is None


# ---- wordings and verifying ------------------------------------------------------------------------------------------


def test_wordings_by_hand() -> None:
    tasks = [{"plain": [True], "exam": [False]}] * 8 + [{"plain": [True], "exam": [True]}] * 2 + [{"plain": [True]}]
    found = by_wording("k", tasks)
    assert found["spread"].value == pytest.approx(0.8) and found["same in all"].value == pytest.approx(0.2)
    assert found["worst wording"].value == pytest.approx(0.2) and found["worst wording"].detail["wording"] == "exam"
    detail = found["spread"].detail
    assert detail["tasks"] == 10 and detail["p_value"] == pytest.approx(2 * 0.5**8, abs=0.01)  # sign test of 8 pairs
    assert by_wording("k", [{"plain": [True]}])["spread"].value is None


def test_the_permutation_test_keeps_its_level() -> None:
    rng, rejected, trials = np.random.default_rng(5), 0, 60
    for trial in range(trials):
        tasks = [[[bool(rng.random() < 0.6)] for _ in range(3)] for _ in range(15)]
        p_value, expected = permutation_test(f"{trial}", tasks)
        rejected += p_value < 0.05
        assert 0 < expected < 0.5
    assert rejected <= 9  # 5 % of 60 are 3


def test_verifying_by_hand() -> None:
    judged = [(True, True)] * 6 + [(True, False)] * 2 + [(False, False)] * 3 + [(False, True), (False, None)]
    found = verifying("k", [[one] for one in judged])["balanced accuracy"]
    assert found.value == pytest.approx((6 / 8 + 3 / 5) / 2)
    assert confusion(judged) == found.detail and found.detail["wrong_undecided"] == 1
    assert found.ci95 is not None and found.ci95[0] < found.value < found.ci95[1]
    assert verifying("k", [[(True, True)]])["balanced accuracy"].value is None
    flattering = [[(truth, True)] for truth, _ in judged]
    assert verifying("k", flattering)["balanced accuracy"].value == 0.5


# ---- intervals and means ---------------------------------------------------------------------------------------------


def test_an_interval_of_yes_and_no_is_wilson_s() -> None:
    assert share_interval([1, 0, 0, 1, 1], 5) == pytest.approx(wilson(3, 5))
    assert share_interval([1, 1], 8) == wilson(2, 2), "without variance a task is one trial"
    low, high = share_interval([0.5] * 10, 40)
    assert (low, high) == pytest.approx(wilson(20, 40)), "never more trials than samples"
    assert share_interval([], 0) == (0.0, 1.0)


def test_means_over_environments() -> None:
    one = Scores(4, 0, 4, 0.5, (0.2, 0.8), measures={"a": Measure(0.4, (0.3, 0.5)), "b": Measure(2.0, unit="number")})
    two = Scores(4, 0, 4, 0.5, (0.2, 0.8), measures={"a": Measure(0.8, (0.6, 0.9)), "b": Measure(None, unit="number")})
    found = overall([one, two]).measures
    assert found["a"].value == pytest.approx(0.6) and found["b"].value is None
    assert found["a"].ci95 == pytest.approx((0.6 - math.hypot(0.1, 0.2) / 2, 0.6 + math.hypot(0.1, 0.1) / 2))
    assert overall([one, Scores(4, 0, 4, 0.5, (0.2, 0.8))]).measures["a"].value is None, "another set of environments"


# ---- whole evaluations -----------------------------------------------------------------------------------------------


class Unsure(Agent):
    """Solves a task with the probability that it states."""

    name = "unsure"
    batched = True
    concurrency = 16

    def __init__(self, chances: Sequence[float] = (0.25, 0.75)) -> None:
        self.chances = chances

    def act(self, plays: Sequence[Play]) -> list[Action]:
        found = []
        for play in plays:
            rng = np.random.default_rng(seed_of("unsure", *play.rng_key))
            chance = self.chances[int(rng.integers(len(self.chances)))]
            env: Any = play.env.unwrapped
            text = env.oracle() if rng.random() < chance else "<answer>1 + 1</answer>"
            found.append(Action(f"I think so.\n{text}\n<confidence>{100 * chance:.0f}</confidence>"))
        return found


def measures(summary: Summary) -> dict[str, Measure]:
    [scores] = summary.environments.values()
    return dict(scores.measures)


def test_confidence_in_an_evaluation(tmp_path: Path) -> None:
    config = EvalConfig(envs=("Countdown",), num_tasks=60, num_samples=4, confidence=True, out=str(tmp_path))
    found = measures(evaluate(config, Unsure()))
    assert found["stated"].value == 1.0
    assert (found["ECE"].value or 1) < 0.12 and 0.15 < (found["Brier"].value or 1) < 0.22  # 0.1875 is expected
    again = Summary.from_json((tmp_path / "summary.json").read_text())
    assert measures(again) == found
    first = (tmp_path / "summary.json").read_bytes()
    (tmp_path / "summary.json").unlink()
    evaluate(config, Unsure())
    assert (tmp_path / "summary.json").read_bytes() == first, "played again from the folder: the same bytes"


def test_majority_and_diversity_in_an_evaluation() -> None:
    config = EvalConfig(envs=("Countdown:difficulty=2",), num_tasks=30, num_samples=5, ks=(1, 5))
    found = measures(evaluate(config, Unsure((0.7,))))
    expected = sum(math.comb(5, i) * 0.7**i * 0.3 ** (5 - i) for i in (3, 4, 5))  # the wrong answer is always the same
    low, high = found["maj@5"].ci95 or (1, 0)
    assert low <= expected <= high and "maj@1" not in found
    assert found["solutions"].value == 1.0 and found["differing"].value == 0.0
    several = evaluate(
        EvalConfig(envs=("GuessNumber",), num_tasks=3, num_samples=3), FunctionAgent(lambda env: env.oracle())
    )
    assert measures(several)["maj@2"].value is None, "votes on moves of a game mean nothing"


def test_majority_is_not_known_where_answers_cannot_be_compared() -> None:
    config = EvalConfig(envs=("FollowConstraints",), num_tasks=3, num_samples=2)
    found = measures(evaluate(config, FunctionAgent(lambda env: env.oracle())))
    assert found["maj@2"].value is None and found["distinct-2"].value is not None


class Grader(Agent):
    """Grades answers by whether they say "1 + 1", which is never right here."""

    name = "grader"
    batched = True
    concurrency = 8
    calls = 0

    def act(self, plays: Sequence[Play]) -> list[Action]:
        type(self).calls += len(plays)
        return [Action(self.reply(play.messages[-1]["content"])) for play in plays]

    def reply(self, prompt: str) -> str:
        grade = 1 if "<answer>1 + 1</answer>" in prompt else 10
        return re.findall(rf"<verdict-\w+>{grade}</verdict-\w+>", prompt)[-1]


def test_a_scorer_that_knows_reaches_pass_at_k(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnwise.evaluation.measures.rerank.make_agent", lambda spec, **options: Grader())
    config = EvalConfig(envs=("Countdown",), num_tasks=12, num_samples=4, rerank="hf:grader", out=str(tmp_path))
    Grader.calls = 0
    [scores] = evaluate(config, Unsure((0.3,))).environments.values()
    assert scores.pass_at_k is not None
    for k in (2, 4):
        assert scores.measures[f"best of {k}"].value == pytest.approx(scores.pass_at_k[k])
    calls = Grader.calls
    assert 12 <= calls <= 24, "equal answers are graded once"
    evaluate(config, Unsure((0.3,)))
    assert Grader.calls == calls, "grades are kept in the folder"


def test_options_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "Countdown", "--num-tasks", "4", "--agent", "oracle", "--out", str(tmp_path / "a")]
    assert run([*words, "--wordings", "plain", "exam", "--num-samples", "2", "--confidence"]) == 0
    shown = capsys.readouterr().out
    for name in ("maj@2", "solutions", "differing", "spread", "worst wording", "same in all"):
        assert name in shown, shown
    assert json.loads((tmp_path / "a" / "config.json").read_text())["config"]["wordings"] == ["plain", "exam"]
    assert run(["report", str(tmp_path / "a")]) == 0
    assert "maj@2" in capsys.readouterr().out and "maj@2" in (tmp_path / "a" / "report.html").read_text()
    assert run([*words[:-1], str(tmp_path / "b"), "--wordings", "exma"]) == 2
    assert "did you mean 'exam'" in capsys.readouterr().err
    with pytest.raises(SettingsError, match="wordings has plain twice"):
        EvalConfig(envs=("Countdown",), wordings=("plain", "plain"))


def test_an_endpoint_plays_and_another_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over HTTP: one states a confidence in every message, one grades by the answer alone and fails now and then."""

    def player(n: int, body: dict[str, Any]) -> Any:
        question = body["messages"][0]["content"]
        assert question.endswith(ASKING)
        target, *numbers = re.findall(r"\d+", question.partition(".")[0])
        sure = n % 2 == 0
        text = " + ".join(numbers) if sure else target
        return ok(said(f"<answer>{text}</answer>\n<confidence>{90 if sure else 10}%</confidence>"))

    def grader(n: int, body: dict[str, Any]) -> Any:
        prompt = body["messages"][0]["content"]
        assert "confidence" not in prompt, "what an agent says about itself does not sway the grade"
        if n % 3 == 0:
            return 503, {}, "busy"
        grade = 9 if "+" in prompt.partition("<response-")[2].partition("</response-")[0] else 2
        return ok(said(re.findall(rf"<verdict-\w+>{grade}</verdict-\w+>", prompt)[-1]))

    words = ["eval", "Countdown:num_numbers=3", "--num-tasks", "3", "--num-samples", "4", "--confidence"]
    words += ["--chance-episodes", "0", "--out", str(tmp_path)]
    with serving(player) as one, serving(grader) as two:
        words += ["--agent", f"openai:m@{one.url}", "--agent-options", "backoff_s=0.001", "--concurrency", "1"]
        judged = [*words, "--rerank", f"openai:judge@{two.url}", "--rerank-options", "backoff_s=0.001", "max_tokens=50"]
        assert run(words) == 0, capsys.readouterr().err
        asked = len(one.bodies)
        assert run(judged) == 0, capsys.readouterr().err
        assert len(one.bodies) == asked == 12 and two.bodies, "graded afterwards, without playing again"
        assert all(body["max_tokens"] == 50 for body in two.bodies)
        graded = len(two.bodies)
        assert run(judged) == 0 and len(two.bodies) == graded
    [scores] = Summary.from_json((tmp_path / "summary.json").read_text()).environments.values()
    found = scores.measures
    assert found["stated"].value == 1.0 and found["best of 2"].value is not None
    assert [row["answers"] for row in found["ECE"].detail["bins"]] == [6, 6]
    assert "graded 12 answers" in capsys.readouterr().err


@pytest.mark.slow
def test_the_interval_of_the_majority_covers_the_truth() -> None:
    """Tasks of different difficulty; the truth is the mean over tasks of the chance that 3 of 5 samples are right."""
    covered = 0
    rng = random.Random(11)
    chances = [rng.random() for _ in range(20_000)]
    truth = sum(sum(math.comb(5, i) * p**i * (1 - p) ** (5 - i) for i in (3, 4, 5)) for p in chances) / len(chances)
    for _ in range(300):
        values = []
        for p in rng.sample(chances, 40):
            votes = [("right", True) if rng.random() < p else ("wrong", False) for _ in range(8)]
            values.append(majority_at_k(votes, 5))
        low, high = share_interval(values, 320)
        covered += low <= truth <= high
    assert covered >= 0.93 * 300
