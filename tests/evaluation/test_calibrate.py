"""`turnwise calibrate`: what it recovers, what few data do to it, what it reads, and the files it writes."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.evaluation._simulated import LEVELS, agents, uneven_world
from turnwise.cli.main import run
from turnwise.core.errors import SettingsError
from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.evaluation.ladder.calibrate import calibrated, scale_of
from turnwise.evaluation.ladder.results import Row, read_results
from turnwise.evaluation.ladder.scale import LEVELS_1, Scale, built_in_scales, load_scale, write_scale

OURS = Path(__file__).parents[2] / "turnwise" / "evaluation" / "ladder" / "data" / "scales"


def rows_of(envs: int, number: int, episodes: int, seed: int) -> tuple[list[Row], list[float], np.ndarray]:
    """Results of simulated agents, their general abilities, and the true difficulties."""
    world, rng = uneven_world(envs, seed), np.random.default_rng(seed)
    rows, general = [], []
    for i, (ability, abilities) in enumerate(agents(number, envs, 1.0, seed)):
        rows += world.rows(rng, f"a{i}", abilities, episodes)
        general.append(ability)
    return rows, general, np.array(world.difficulties)


def levels(rows: list[Row]) -> dict[str, int]:
    return {row.env: LEVELS for row in rows}


def test_difficulties_and_abilities_are_recovered() -> None:
    rows, general, truth = rows_of(5, 6, 8, seed=1)
    fit = calibrated(rows, levels(rows))
    off = np.array(fit.difficulty) - truth
    assert np.std(off) < 0.7 < np.std(truth - np.arange(1, 11))
    assert np.mean(np.abs(off) < 1.96 * np.array(fit.difficulty_se)) >= 0.85
    assert np.corrcoef(fit.ability, general)[0, 1] > 0.9
    assert 0.5 < fit.spread < 2.0
    assert fit.agent_separation is not None and fit.agent_separation[0] > 0.8
    assert min(fit.env_fit) > 0.02
    # the conditions that identify the scale
    assert np.mean([part.mean() for part in fit.difficulty]) == pytest.approx(5.5)
    assert np.mean([(part[-1] - part[0]) / 9 for part in fit.difficulty]) == pytest.approx(1)


@pytest.mark.slow
def test_the_intervals_of_a_calibration_hold() -> None:
    """Many worlds: errors of difficulties and abilities are what they are said to be."""
    inside: list[float] = []
    for seed in range(20):
        rows, _, truth = rows_of(6, 6, 6, seed)
        fit = calibrated(rows, levels(rows))
        inside += list((np.abs(np.array(fit.difficulty) - truth) < 1.96 * np.array(fit.difficulty_se)).ravel())
    print(f"\n20 calibrations: {np.mean(inside):.3f} of {len(inside)} difficulties within their 95 % interval")  # noqa: T201
    assert np.mean(inside) >= 0.92


@pytest.mark.parametrize(
    "rows",
    [
        [Row("a", "E00", 5, 1.0, 1, 0.0)],
        [Row("a", "E00", level, 20.0, 20, 0.3) for level in (9, 10)],
        [Row("a", "E00", 1, 0.0, 30, 0.0), Row("b", "E01", 10, 30.0, 30, 0.99)],
    ],
)
def test_few_data_and_extreme_ones_stay_near_the_level_numbers(rows: list[Row]) -> None:
    fit = calibrated(rows, levels(rows))
    for part, errors in zip(fit.difficulty, fit.difficulty_se, strict=True):
        assert np.all(np.isfinite(part)) and np.all(np.diff(part) > 0)
        assert np.max(np.abs(part - np.arange(1, 11))) < 4
        assert np.all(errors > 0)
    assert np.all(np.isfinite(fit.ability)) and 0.3 < fit.spread < 3


def test_levels_that_get_easier_give_no_scale() -> None:
    with pytest.raises(SettingsError, match="logits harder than the one before"):
        calibrated([Row("a", "E00", level, 30.0 * (level > 5), 30, 0.0) for level in range(1, 11)], {"E00": 10})


def test_levels_in_the_wrong_order_do_not_fit() -> None:
    rows, *_ = rows_of(3, 4, 20, seed=2)
    bent = [dataclasses.replace(row, solved=row.tasks - row.solved) if row.env == "E01" and row.agent in ("a0", "a2")
            else row for row in rows]  # fmt: skip
    right, wrong = calibrated(rows, levels(rows)), calibrated(bent, levels(bent))
    assert min(right.env_fit) > 0.02 > wrong.env_fit[1]


def test_graded_agents_can_only_say_what_they_are_made_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They go by the level's number, so a scale from them has the numbers, whatever the tasks: it is said."""
    folders = []
    for skill in (3, 5, 8):
        out = tmp_path / f"graded-{skill}"
        envs = tuple(f"{env}:difficulty={level}" for env in ("GuessNumber", "Countdown") for level in (2, 4, 6, 8))
        evaluate(EvalConfig(envs=envs, agent=f"graded:{skill}", num_tasks=6, out=str(out)))
        folders.append(str(out))
    assert run(["calibrate", *folders, "--out", str(tmp_path / "scale.json")]) == 0
    shown = capsys.readouterr()
    assert "graded agents go by the level's number" in shown.err
    scale = load_scale(str(tmp_path / "scale.json"))
    for env in ("turnwise/GuessNumber-v0", "turnwise/Countdown-v0"):
        place = scale.environments[env]
        assert np.abs(np.array(place.difficulty) - np.arange(1, 11)).max() < 1.5
        assert (place.agents, place.episodes) == (3, 3 * 4 * 6)
    assert [round(found["ability"]) for found in scale.sources["agents"].values()] == pytest.approx([3, 5, 8], abs=1)
    assert "reliability" in shown.out and scale.hash in shown.err


# ---- what is read ----------------------------------------------------------------------------------------------------


def test_what_counts_in_a_run(tmp_path: Path) -> None:
    """Levels of the test split, a task once however often it was played, ladders too; the rest is named."""
    one, two, ladder = (str(tmp_path / name) for name in ("one", "two", "ladder"))
    envs = ("GuessNumber:difficulty=2", "GuessNumber", "Countdown:difficulty=3,split=train")
    evaluate(EvalConfig(envs=envs, agent="graded:4", num_tasks=3, num_samples=2, out=one))
    evaluate(EvalConfig(envs=("GuessNumber",), settings={"difficulty": 2}, agent="graded:4", num_tasks=5, out=two))
    assert run(["ladder", "GuessNumber", "--agent", "graded:4", "--max-episodes", "12", "--out", ladder]) == 0
    said: list[str] = []
    rows = read_results([one, two], notify=said.append)
    assert [(row.agent, row.env, row.level, row.tasks) for row in rows] == [
        ("graded:4", "turnwise/GuessNumber-v0", 2, 5)
    ]
    assert (
        rows[0].chance == 0.036 and len(said) == 1 and "left out turnwise/GuessNumber-v0, turnwise/Countdown" in said[0]
    )
    assert sum(row.tasks for row in read_results([ladder])) == 12
    tries = str(tmp_path / "tries")
    evaluate(EvalConfig(envs=("Countdown:difficulty=1",), agent="oracle", tries=2, num_tasks=2, out=tries))
    assert read_results([tries], notify=said.append) == [] and "2 tries" in said[-1]
    with pytest.raises(SettingsError, match="holds no evaluation and no ladder"):
        read_results([tmp_path])


def test_options_make_another_agent(tmp_path: Path) -> None:
    for i, options in enumerate(({}, {"slope": 2.0})):
        evaluate(EvalConfig(envs=("GuessNumber:difficulty=2",), agent="graded:4", agent_options=options, num_tasks=2,
                            out=str(tmp_path / str(i))))  # fmt: skip
    names = {row.agent for row in read_results([tmp_path / "0", tmp_path / "1"])}
    assert len(names) == 2 and "graded:4" in names


# ---- files -----------------------------------------------------------------------------------------------------------


def test_a_scale_s_file_is_checked(tmp_path: Path) -> None:
    rows, *_ = rows_of(2, 3, 4, seed=3)
    scale = scale_of(calibrated(rows, levels(rows)), rows, "mine")
    path = tmp_path / "scale.json"
    write_scale(path, scale)
    assert load_scale(str(path)).to_json() == scale.to_json()
    assert dataclasses.replace(scale, title="another").hash == scale.hash != Scale().hash
    data = json.loads(path.read_text())
    for change, message in (
        ({"slope": 2.0}, "changed by hand"),
        ({"slope": -1.0}, "slope is -1.0"),
        ({"slops": 1}, "no setting"),
        ({"environments": 3}, "is not a scale"),
        ({"environments": {"E": {**data["environments"]["E00"], "difficulty": [1, 1e9]}}}, "from -100 to 100"),
        ({"environments": {"E": {**data["environments"]["E00"], "difficulty": [math.nan]}}}, "difficulty has nan"),
        ({"environments": {"E": {"difficulty": "x"}}}, "is not a scale"),
    ):
        path.write_text(json.dumps({**data, **change}))
        with pytest.raises(SettingsError, match=message):
            load_scale(str(path))


def test_our_scale_is_that_of_the_command(tmp_path: Path) -> None:
    assert built_in_scales() == [LEVELS_1]
    assert run(["calibrate", "--out", str(tmp_path / "again.json")]) == 0
    ours = json.loads((OURS / f"{LEVELS_1}.json").read_text())
    again = json.loads((tmp_path / "again.json").read_text())
    assert {**again, "turnwise": ""} == {**ours, "turnwise": ""}
    assert load_scale(LEVELS_1).place("GuessNumber").difficulty == tuple(range(1, 11))
