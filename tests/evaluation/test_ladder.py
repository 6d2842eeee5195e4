"""`turnwise ladder` on real environments: what it finds, how it continues, and what it does not score."""

import dataclasses
import json
import re
from pathlib import Path

import pytest

from turnwise.agents.scripted import GradedAgent
from turnwise.cli.main import run
from turnwise.core.agent import Action, Play
from turnwise.core.episode import read_episodes
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.evaluation.ladder.climb import LadderConfig, climb
from turnwise.evaluation.ladder.model import Located
from turnwise.evaluation.ladder.scale import Place, Scale, load_scale, write_scale


class Killed(BaseException):
    """The process ends here."""


class Faulty(GradedAgent):
    """Its infrastructure fails in some episodes, as long as it is faulty."""

    faulty = True

    def act(self, plays: "list[Play]") -> list[Action]:  # type: ignore[override]
        if self.faulty and any(play.rng_key[0] % 3 == 0 for play in plays):
            raise InfrastructureError("out of order")
        return super().act(plays)


def test_a_graded_agent_is_found_at_its_skill(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    line = ["ladder", "GuessNumber", "Countdown", "--agent", "graded:5.5", "--out", out, "--json", f"{out}.json"]
    assert run(line) == 0
    shown = capsys.readouterr().out
    found = json.loads(Path(f"{out}.json").read_text())
    assert found == json.loads((tmp_path / "run" / "ladder.json").read_text())
    for climbed in found["climbs"]:
        low, high = climbed["located"]["ci95"]
        assert low <= 5.5 <= high and high - low <= 1.5
        assert climbed["why"] == "width" and climbed["says"] in shown and climbed["misfit"] > 0.01
        assert climbed["episodes"] == sum(step["played"] for step in climbed["levels"]) <= 100
    low, high = found["ability"]["ends"]
    assert low <= 5.5 <= high and f"ability over 2 environments: {found['ability']['value']:.2f}" in shown
    assert found["scale"] == ["levels-1", load_scale("levels-1").hash] and found["scale"][1] in shown
    episodes = list(read_episodes(tmp_path / "run" / "episodes.jsonl"))
    assert (
        len(episodes) == len({episode.job.name for episode in episodes}) == sum(c["episodes"] for c in found["climbs"])
    )


def test_a_killed_ladder_continues_to_the_same_bytes(tmp_path: Path) -> None:
    def config(name: str, **more: float) -> LadderConfig:
        return LadderConfig(envs=("GuessNumber",), agent="graded:5", out=str(tmp_path / name), **more)  # type: ignore[arg-type]

    def kill(env: str, episodes: int, located: Located) -> None:
        if episodes >= 16:
            raise Killed

    climb(config("whole"))
    with pytest.raises(Killed):
        climb(config("cut"), progress=kill)
    path = tmp_path / "cut" / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-40])  # in the middle of a line
    climb(config("cut"))
    for name in ("ladder.json", "episodes.jsonl"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "cut" / name).read_bytes()
    before = path.read_bytes()
    narrower = climb(config("cut", width=1.0)).climbs[0]
    assert narrower.located.width <= 1.0 and set(before.splitlines()) < set(path.read_bytes().splitlines())
    with pytest.raises(SettingsError, match="agent was 'graded:5'"):
        climb(LadderConfig(envs=("GuessNumber",), agent="graded:6", out=str(tmp_path / "cut")))


def test_failed_episodes_are_not_scored_and_are_played_again(tmp_path: Path) -> None:
    agent = Faulty(5.0)
    config = LadderConfig(envs=("GuessNumber",), out=str(tmp_path / "run"), retries=0)
    first = climb(config, agent).climbs[0]
    assert first.failed and first.episodes == sum(step.played for step in first.levels)
    assert first.located.ci95[0] <= 5 <= first.located.ci95[1]
    agent.faulty = False
    second = climb(config, agent).climbs[0]
    assert second.failed == 0
    assert second == climb(LadderConfig(envs=("GuessNumber",)), agent).climbs[0]  # as if nothing had failed


def test_an_overall_width_ends_the_ladder_early() -> None:
    envs = ("GuessNumber", "Countdown")
    whole = climb(LadderConfig(envs=envs, agent="graded:5"))
    early = climb(LadderConfig(envs=envs, agent="graded:5", overall_width=1.7, batch=2))
    assert sum(each.episodes for each in early.climbs) < 0.7 * sum(each.episodes for each in whole.climbs)
    assert {each.why for each in early.climbs} <= {"overall", "width"} and "overall" in {e.why for e in early.climbs}
    for found in (whole, early):
        assert found.ability.ci95[0] <= 5 <= found.ability.ci95[1]
    assert whole.ability.width < early.ability.width < 1.9


def test_what_no_level_can_say_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """The oracle is above all levels: its ability has no upper end, and the output names how many environments."""
    assert run(["ladder", "GuessNumber", "Countdown", "--agent", "oracle"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"ability over 2 environments: at least (9\.9|10\.0)\d on the scale levels-1", shown)
    assert "expected in another environment: at least" in shown
    assert "beyond the levels: 2 above the top level, of 2" in shown


def test_a_ladder_on_a_scale_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The levels of a calibrated environment stay what they are; the ability is on the scale."""
    place = Place(difficulty=tuple(i + 3.0 for i in range(10)), offset_se=0.1, slope=1.0, slope_sd=0.3)
    scale = Scale(environments={"turnwise/GuessNumber-v0": place})
    write_scale(tmp_path / "mine.json", scale)
    words = ["ladder", "GuessNumber", "--agent", "graded:5", "--json", str(tmp_path / "found.json")]
    assert run([*words, "--scale", str(tmp_path / "mine.json")]) == 0
    found = json.loads((tmp_path / "found.json").read_text())
    low, high = found["climbs"][0]["located"]["ci95"]
    assert low <= 5 <= high and found["climbs"][0]["on_scale"]["value"] == pytest.approx(
        found["climbs"][0]["located"]["ability"] + 2
    )
    assert found["scale"][1] == scale.hash
    short = dataclasses.replace(place, difficulty=(1.0, 2.0))
    write_scale(tmp_path / "short.json", Scale(environments={"turnwise/GuessNumber-v0": short}))
    capsys.readouterr()
    assert run([*words, "--scale", str(tmp_path / "short.json")]) == 2
    assert "has 2 levels of turnwise/GuessNumber-v0, which has 10; calibrate again" in capsys.readouterr().err
    assert run([*words, "--scale", "levels-2"]) == 2
    assert "scale is 'levels-2', which does not exist (did you mean 'levels-1'?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("agent", "says"), [("oracle", "the top level, 10, more than half"), ("random", "level 1 less than half")]
)
def test_agents_outside_the_levels(agent: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ladder", "GuessNumber", "--agent", agent, "--max-episodes", "200"]) == 0
    assert says in capsys.readouterr().out


def test_families_are_climbed_without_what_has_no_levels(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ladder", "data", "GuessNumber", "GuessNumber", "--max-episodes", "4"]) == 0
    shown = capsys.readouterr()
    assert "left out turnwise/Dataset-v0: it has no difficulty levels" in shown.err
    assert shown.out.count("| GuessNumber") == 1 and "stopped at --max-episodes" in shown.err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "name at least one environment"),
        (["Dataset"], "has no difficulty levels"),
        (["GuessNumber:difficulty=3"], "chooses the difficulty itself"),
        (["GuessNumber", "--width", "0"], "width is 0"),
        (["GuessNumber", "--max-episodes", "501"], "max_episodes is 501"),
    ],
)
def test_what_is_refused(words: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ladder", *words]) == 2
    assert error in capsys.readouterr().err


def test_every_environment_may_fail_to_answer(tmp_path: Path) -> None:
    """With nothing scored there is no location, and the ladder ends at its maximum."""

    class Broken(GradedAgent):
        def act(self, plays: "list[Play]") -> list[Action]:  # type: ignore[override]
            raise InfrastructureError("out of order")

    found = climb(LadderConfig(envs=("GuessNumber",), max_episodes=8, retries=0), Broken(5.0)).climbs[0]
    assert (found.episodes, found.failed, found.why) == (0, 8, "episodes")
    assert found.says().startswith("not located")
