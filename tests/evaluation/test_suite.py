"""Suites: what their files say, environments that changed, the headline, fresh seeds, kills."""

import dataclasses
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests._killing import COMMAND_LINE, EVALUATE, num_lines
from tests._killing import run as run_program
from tests._work import one_in
from turnwise.agents.make import make_agent
from turnwise.cli.main import run
from turnwise.core.episode import read_episodes
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import Scores
from turnwise.core.registration import env_class
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.fingerprints import Fingerprints, changes, fingerprint, read_fingerprints, write_fingerprints
from turnwise.evaluation.headline import standing
from turnwise.evaluation.suite import Suite, built_in_suites, load_suite

PARTS = 15  # of each suite's environments: one in `make test`
SMALL = """
title = "Two domains"
seed = 7
num_tasks = 3

[domains.math]
weight = 3
environments = [{ env = "Countdown", levels = [2, 8] }, { env = "ArithmeticChain", num_tasks = 2 }]

[domains.games]
environments = [{ env = "GuessNumber", levels = [1], max_turns = 9, settings = { max_number = 20 } }]
"""


def small(folder: Path, text: str = SMALL, name: str = "small-1") -> Suite:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return load_suite(str(path))


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_file_says_what_is_played(tmp_path: Path) -> None:
    suite = small(tmp_path)
    assert (suite.name, suite.seed, suite.num_episodes) == ("small-1", 7, 3 + 3 + 2 + 3)
    assert [(cell.spec, cell.domain, cell.level, cell.num_tasks, cell.weight) for cell in suite.cells] == [
        ("turnwise/Countdown-v0:difficulty=2", "math", 2, 3, 3 / 16),
        ("turnwise/Countdown-v0:difficulty=8", "math", 8, 3, 3 / 16),
        ("turnwise/ArithmeticChain-v0", "math", None, 2, 3 / 8),
        ("turnwise/GuessNumber-v0:difficulty=1,max_number=20,max_turns=9", "games", 1, 3, 1 / 4),
    ]
    config = suite.config("random")
    assert [len(config.jobs_of(env)) for env in config.envs] == [3, 3, 2, 3]
    assert config.jobs_of(config.envs[3])[0].settings == {
        "split": "test", "difficulty": 1, "max_number": 20, "max_turns": 9,
    }  # fmt: skip


def test_the_hash_is_that_of_the_content(tmp_path: Path) -> None:
    one = small(tmp_path).hash
    assert small(tmp_path, SMALL.replace("Two domains", "Another title"), "other-3").hash == one
    for old, new in (("weight = 3", "weight = 2"), ("seed = 7", "seed = 8"), ("[2, 8]", "[2, 7]"), ("= 9", "= 8")):
        assert small(tmp_path, SMALL.replace(old, new)).hash != one


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "seeds = 7", r"no setting 'seeds'|no setting seeds"),
        ("seed = 7", 'seed = "7"', "seed is '7'; it must be a whole number"),
        ("num_tasks = 3", "num_tasks = 1", "num_tasks is 1; it must be at least 2"),
        ("weight = 3", "weight = 0", "weight is 0.0; it must be above 0"),
        ('env = "Countdown"', 'name = "Countdown"', "name"),
        ('env = "Countdown", ', "", "env is missing"),
        ('"Countdown"', '"Countdwn"', "did you mean .*Countdown"),
        ("[2, 8]", "[2, 2]", "twice"),
        ("seed = 7", "seed = ", "small-1.toml"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(SettingsError, match=message):
        small(tmp_path, SMALL.replace(old, new))


def test_an_unknown_suite_is_not_found() -> None:
    with pytest.raises(SettingsError, match=r"no suite 'quick-2' \(did you mean 'quick-1'\?\)"):
        load_suite("quick-2")
    assert {"agentic-1", "core-1", "quick-1", "reasoning-1", "safety-1"} <= set(built_in_suites())


def test_a_suite_sets_what_is_its_own(tmp_path: Path) -> None:
    suite = small(tmp_path)
    with pytest.raises(SettingsError, match="difficulty, split: small-1 sets this itself"):
        suite.config("random", split="train", difficulty=3)
    made = suite.config("openai:m@http://localhost:1/v1", seed=9, agent_options={"temperature": 0.5})
    assert made.agent_options == {"max_tokens": 16384, "temperature": 0.5}
    assert made.suite is not None and made.suite["changed"] == {"seed": [7, 9]}
    worded = suite.config("random", wordings=("plain", "exam"), confidence=True)
    assert worded.suite is not None
    assert worded.suite["changed"] == {"wordings": ["plain", "plain, exam"], "confidence": [False, True]}
    other = suite.config("hf:x", num_samples=2, agent_options={"max_new_tokens": 64})
    assert other.suite is not None and other.suite["changed"] == {"num_samples": [1, 2], "max_tokens": [16384, 64]}


# ---- environments that changed ---------------------------------------------------------------------------------------


def test_a_change_of_an_environment_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = small(tmp_path)
    assert suite.path is not None
    suite.config("random")  # nothing is recorded yet
    write_fingerprints(suite.path, fingerprint([cell.spec for cell in suite.cells], suite.split))
    suite.config("random")
    cls = env_class("GuessNumber")
    monkeypatch.setattr(cls, "begin", lambda self, before=cls.begin: before(self) + " Please.")
    with pytest.raises(SettingsError, match=r"GuessNumber-v0:difficulty=1,.*: the first observations of .* changed"):
        suite.config("random")


def test_each_part_of_a_fingerprint_is_compared() -> None:
    cell: dict[str, Any] = {"settings": {"size": 4}, "chance": 0.1, "prompts": "a", "moves": "b"}

    def found(**new: Any) -> list[str]:
        return changes(Fingerprints("1", {"E": cell}), Fingerprints("2", {"E": {**cell, **new}}))

    assert found() == found(settings={"size": 4, "added": 1}) == found(moves="") == []
    assert found(settings={"size": 5}) == ["E: size was 4, is 5"]
    assert found(settings={}) == ["E: the setting size was 4, is gone"]
    assert found(chance=None) == ["E: its recorded chance rate changed (was 0.1, is None)"]
    assert found(prompts="c") == ["E: the first observations of the same seeds changed"]
    assert found(moves="c") == ["E: what the same seeds of scripted moves lead to changed"]
    assert changes(Fingerprints("1", {"E": cell}), Fingerprints("1", {"F": cell})) == [
        "E is no longer played", "F was not recorded",
    ]  # fmt: skip


def test_other_rules_change_what_moves_lead_to(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = ["turnwise/GuessNumber-v0:difficulty=1"]
    before = fingerprint(specs, "test")
    cls = env_class("GuessNumber")
    monkeypatch.setattr(
        cls, "respond", lambda self, action, then=cls.respond: then(self, action)._replace(observation="Hm.")
    )
    assert changes(before, fingerprint(specs, "test")) == [
        f"{specs[0]}: what the same seeds of scripted moves lead to changed"
    ]


@pytest.mark.parametrize("part", one_in(PARTS, range(PARTS)))
@pytest.mark.parametrize("name", built_in_suites())
def test_the_environments_are_those_that_were_recorded(name: str, part: int) -> None:
    """If an environment changed: `turnwise suites record`, and after a release a new version of the suite."""
    suite = load_suite(name)
    recorded = suite.recorded
    assert recorded is not None and set(recorded.cells) == {cell.spec for cell in suite.cells}
    specs = sorted(recorded.cells)[part::PARTS]
    before = Fingerprints(recorded.turnwise, {spec: recorded.cells[spec] for spec in specs})
    assert changes(before, fingerprint(specs, suite.split)) == []


# ---- the headline ----------------------------------------------------------------------------------------------------


def test_the_headline_by_hand() -> None:
    names = [("A", "x", 1, 0.25), ("B", "x", 2, 0.25), ("C", "y", 1, 0.5)]
    cells = [{"spec": s, "env": d + "/env", "domain": d, "level": level, "weight": w} for s, d, level, w in names]
    tasks = {"A": [(1, 1), (1, 1)], "B": [(0, 1), (1, 1)], "C": [(2, 4), (0, 4)]}
    scores = {spec: Scores(2, 0, 2, solve_rate=0.5, ci95=(0, 1), chance=chance) for spec, chance in
              (("A", 0.5), ("B", 0.0), ("C", 0.2))}  # fmt: skip
    found = standing({}, cells, scores, tasks)
    assert found.domains["x"].score == pytest.approx((1 + 0.5) / 2)
    assert found.domains["y"].score == pytest.approx((0.25 - 0.2) / 0.8)
    assert found.headline.score == pytest.approx((0.75 + 0.0625) / 2)
    assert found.levels[1].score == pytest.approx((0.25 * 1 + 0.5 * 0.0625) / 0.75)
    assert found.headline.ci95 is not None and found.headline.ci95[0] < 0.40625 < found.headline.ci95[1]
    broken = standing({}, cells, {**scores, "B": Scores(0, 2, 0)}, {**tasks, "B": []})
    assert (broken.headline.score, broken.domains["x"].score, broken.missing) == (None, None, ["B"])
    assert broken.domains["y"].score is not None


def test_a_run_says_what_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = small(tmp_path)
    out = tmp_path / "run"
    assert run(["eval", f"suite:{suite.path}", "--agent", "oracle", "--seed", "5", "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert f"small-1: 100.0 (95 % interval 69.4–100.0); suite hash {suite.hash}; seed 5" in shown.out, shown.out
    assert "its environments' fingerprints were not recorded" in shown.out
    summary = Summary.from_json((out / "summary.json").read_text())
    assert summary.suite is not None and summary.suite.about["changed"] == {"seed": [7, 5]}
    assert summary.suite.headline.scores.num_episodes == 11
    assert run(["eval", f"suite:{suite.path}", "Countdown"]) == 2
    assert run(["eval", f"suite:{suite.path}", "--difficulty", "3"]) == 2
    assert "difficulty: small-1 sets this itself" in capsys.readouterr().err
    for words in ([f"suite:{suite.path}"], ["Countdown"]):
        assert run(["eval", *words, "--seed", "1", "--fresh"]) == 2
        assert "--seed and --fresh are both given" in capsys.readouterr().err


def test_a_fresh_seed_is_drawn_once_for_a_run(tmp_path: Path) -> None:
    suite = small(tmp_path)
    config = suite.config("random", fresh=True, out=str(tmp_path / "a"))
    said: list[str] = []
    first = evaluate(config, notify=said.append)
    assert first.suite is not None
    seed = first.suite.about["seed"]
    assert f"fresh seed is {seed}" in said[0] and first.suite.about["fresh"]
    assert evaluate(config) == first, "the same folder: the same seed"
    again = evaluate(suite.config("random", seed=seed, out=str(tmp_path / "b")))
    assert again.environments == first.environments
    other = evaluate(dataclasses.replace(config, out=None))
    assert other.suite is not None and other.suite.about["seed"] != seed


def test_the_commands_of_suites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = small(tmp_path).path
    assert run(["suites"]) == 0
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()] == built_in_suites()
    assert run(["suites", "show", str(path)]) == 0
    assert capsys.readouterr().out == SMALL
    assert run(["suites", "check", str(path)]) == 0 and "not recorded yet" in capsys.readouterr().out
    assert run(["suites", "record", str(path)]) == 0
    assert run(["suites", "check", str(path)]) == 0 and "as recorded" in capsys.readouterr().out
    assert path is not None
    recorded = read_fingerprints(path)
    assert recorded is not None
    cells = {spec: {**cell, "prompts": "x"} for spec, cell in recorded.cells.items()}
    write_fingerprints(path, Fingerprints("0.0.1", cells))
    assert run(["suites", "check", str(path)]) == 1
    assert "first observations of the same seeds changed" in capsys.readouterr().err
    assert run(["eval", f"suite:{path}"]) == 2


# ---- agents of graded skill, and kills -------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_graded_agent_falls_with_the_level() -> None:
    text = SMALL.replace("num_tasks = 3", "num_tasks = 40").replace("[2, 8]", "[1, 5, 9]")
    levels = {}
    for skill in (3, 5, 7):
        config = dataclasses.replace(_config(text), agent=f"graded:{skill}")
        summary = evaluate(config)
        levels[skill] = [summary.environments[env].solve_rate or 0 for env in config.envs[:3]]
    for rates in levels.values():
        assert rates == sorted(rates, reverse=True)
    assert levels[3][1] < levels[5][1] < levels[7][1]
    assert 0.3 < levels[5][1] < 0.7
    assert levels[7][0] > 0.9 and levels[3][2] < 0.15
    with pytest.raises(SettingsError, match="the skill must be a number"):
        make_agent("graded:good")


def _config(text: str) -> Any:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return small(Path(folder), text).config()


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("small", "graded:5"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("quick-1", "oracle"), ("small", "hf"))),
    ],
)
def test_killed_five_times_the_numbers_are_the_same(tmp_path: Path, name: str, agent: str) -> None:
    """Every episode is there once, and the files are the same to the last byte."""
    tasks = f"num_tasks = {16 if agent == 'hf' else 150}"
    suite = small(tmp_path, SMALL.replace("num_tasks = 3", tasks)) if name == "small" else load_suite(name)
    out, whole, plan = tmp_path / "killed", tmp_path / "whole", tmp_path / "config.json"
    options: dict[str, Any] = {}
    if agent == "hf":
        assert run_program(COMMAND_LINE, "train", "smoke", "--steps", "1", "--out", tmp_path / "model") == 0
        agent, options = f"hf:{tmp_path / 'model'}", {"agent_options": {"max_new_tokens": 12}}
    evaluate(suite.config(agent, out=str(whole), **options))
    plan.write_text(json.dumps(suite.config(agent, out=str(out), **options).to_dict()))
    episodes, part = out / "episodes.jsonl", suite.num_episodes // 8
    for round_ in range(1, 6):
        assert run_program(EVALUATE, plan, end=f"die_in_line({part})") == -signal.SIGKILL
        assert num_lines(episodes) == round_ * part
    assert run_program(EVALUATE, plan) == 0
    found = [episode.job.name for episode in read_episodes(episodes)]
    assert len(found) == len(set(found)) == suite.num_episodes
    for file in ("episodes.jsonl", "summary.json"):
        assert (out / file).read_bytes() == (whole / file).read_bytes()
    summary = json.loads((out / "summary.json").read_text())
    headline = summary["suite"]["headline"]["score"]
    low, high = {"oracle": (1, 1), "graded:5": (0.2, 0.95)}.get(agent, (-0.3, 0.1))
    assert low <= headline <= high
