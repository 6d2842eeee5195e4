"""Agents by the folder of a model or of a training run, and what is said where there is none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests._work import one_in
from turnwise.agents.folder import model_folder
from turnwise.agents.make import make_agent
from turnwise.core.errors import SettingsError


def a_folder(path: Path, **config: str) -> Path:
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps(config))
    return path


def test_the_model_of_a_run_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = a_folder(tmp_path / "runs" / "guess", env="turnwise/GuessNumber-v0")
    model = a_folder(run / "model", model_type="llama")
    assert model_folder(str(run)) == model_folder(str(run) + "/") == model_folder(str(model)) == str(model)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert model_folder("~/runs/guess") == str(model)
    assert [model_folder(name) for name in ("gpt2", "Qwen/Qwen3-0.6B")] == ["gpt2", "Qwen/Qwen3-0.6B"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unfinished", "has not written its model yet"),
        ("interrupted", "turnwise export .*interrupted"),
        ("empty", "contains no model: .*config.json with its model_type"),
        ("parent", "did you mean hf:.*parent/guess"),
        ("broken", "contains no model"),
        ("file.safetensors", "is a file"),
        ("nowhere", "does not exist"),
        ("parent/nowhere", "does not exist"),
    ],
)
def test_a_folder_without_a_model(tmp_path: Path, name: str, message: str) -> None:
    (a_folder(tmp_path / "unfinished", env="x") / "metrics.jsonl").write_text("")
    (a_folder(tmp_path / "interrupted", env="x") / "checkpoint.pt").write_text("")
    a_folder(tmp_path / "empty")
    a_folder(tmp_path / "parent" / "guess" / "model", model_type="llama")
    (a_folder(tmp_path / "broken") / "config.json").write_bytes(b"\xff{")
    (tmp_path / "file.safetensors").write_text("")
    with pytest.raises(SettingsError, match=message):
        make_agent(f"hf:{tmp_path / name}")


def test_a_relative_path_is_no_name_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path)
    for path in ("runs/guess", "./guess", "runs/guess/model", "../x"):
        with pytest.raises(SettingsError, match="does not exist"):
            make_agent(f"hf:{path}")


WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from turnwise.cli.main import run
sys.exit(run(sys.argv[2:]))
"""


@pytest.mark.parametrize("package", ["torch", "transformers"])
@pytest.mark.parametrize(
    "command",
    one_in(
        3,
        [
            pytest.param(["eval", "Countdown", "--agent", "hf:{model}"], id="eval folder"),
            pytest.param(["eval", "Countdown", "--agent", "hf:org/name"], id="eval name"),
            pytest.param(["train", "quickstart_guess", "--out", "{model}/run"], id="train"),
        ],
    ),
)
def test_without_pytorch_one_line_says_what_to_install(tmp_path: Path, package: str, command: list[str]) -> None:
    model = a_folder(tmp_path / "model", model_type="llama")
    words = [word.format(model=model) for word in command]
    done = subprocess.run([sys.executable, "-c", WITHOUT, package, *words], capture_output=True, text=True)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert f"needs the package '{package}'" in line
    assert "pip install 'turnwise[train]'" in line and "pip install '.[train]'" in line
