"""`turnwise eval` of a training run plays what the run was trained on, unless it is told otherwise."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnwise.cli.main import eval_options
from turnwise.core.errors import SettingsError

Run = Callable[..., Path]
GUESS = {"env": "turnwise/GuessNumber-v0", "env_settings": {"max_number": 8, "feedback": "direction"}, "max_turns": 4}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Writes the folder of a run: its settings, and a model beside them."""

    def write(**settings: Any) -> Path:
        (tmp_path / "model").mkdir()
        (tmp_path / "config.json").write_text(json.dumps(settings))
        (tmp_path / "model" / "config.json").write_text(json.dumps({"model_type": "llama"}))
        return tmp_path

    return write


@pytest.mark.parametrize("form", ["hf:{}", "--agent hf:{}", "--agent=hf:{}", "--num-tasks 5 --agent hf:{}/model"])
def test_environment_and_settings_come_from_the_run(run: Run, capsys: pytest.CaptureFixture[str], form: str) -> None:
    folder = run(**{**GUESS, "env_settings": {"max_number": 8}})
    config = eval_options(form.format(folder).split())
    assert config.envs == ("turnwise/GuessNumber-v0:max_number=8,max_turns=4",)
    assert config.agent.startswith(f"hf:{folder}") and config.tries == 1
    assert "was trained: turnwise/GuessNumber-v0:max_number=8,max_turns=4\n" in capsys.readouterr().err


def test_flags_win(run: Run) -> None:
    folder = run(env="turnwise/GuessNumber-v0", env_settings={"max_number": 8}, max_turns=4, tries=1)
    config = eval_options([f"hf:{folder}", "--max-number", "16", "--num-tasks", "7"])
    assert config.envs == ("turnwise/GuessNumber-v0:max_turns=4",)
    assert config.settings == {"max_number": 16} and config.num_tasks == 7


def test_a_named_environment_is_played_as_it_is_named(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run(env="turnwise/GuessNumber-v0", env_settings={"max_number": 8}, max_turns=4)
    assert eval_options(["GuessNumber", "--agent", f"hf:{folder}"]).envs == ("turnwise/GuessNumber-v0",)
    assert not capsys.readouterr().err


def test_tries_come_from_the_run_unless_given(run: Run) -> None:
    folder = run(env="turnwise/KSat-v0", env_settings={}, max_turns=0, tries=3)
    config = eval_options([f"hf:{folder}"])
    assert (config.envs, config.tries, config.feedback) == (("turnwise/KSat-v0",), 3, "try again")
    assert eval_options([f"hf:{folder}", "--feedback", "verdict"]).feedback == "verdict"
    assert eval_options([f"hf:{folder}", "--tries", "1"]).tries == 1


def test_each_environment_of_a_mixture_is_played(run: Run) -> None:
    arms = [
        {"env": "turnwise/Maze-v0", "settings": {"size": 5}, "weight": 2},
        {"env": "turnwise/GuessNumber-v0"},
        {"env": "turnwise/Maze-v0", "settings": {"size": 5}},
    ]
    folder = run(env="turnwise/Maze-v0", env_settings={}, curriculum="mixture", curriculum_settings={"arms": arms})
    assert eval_options([f"hf:{folder}"]).envs == ("turnwise/Maze-v0:size=5", "turnwise/GuessNumber-v0")


def test_levels_of_one_environment_are_the_run_s_own_settings(run: Run) -> None:
    arms = [{"settings": {"difficulty": 1}}, {"settings": {"difficulty": 4}}]
    folder = run(env="turnwise/Maze-v0", env_settings={"size": 6}, curriculum_settings={"arms": arms})
    assert eval_options([f"hf:{folder}"]).envs == ("turnwise/Maze-v0:size=6",)


def test_without_a_run_an_environment_must_be_named(tmp_path: Path) -> None:
    for agent in ("oracle", f"hf:{tmp_path}", "hf:owner/name"):
        with pytest.raises(SettingsError, match="ENV: name at least one environment"):
            eval_options(["--agent", agent])
