"""Tasks of lm-evaluation-harness; the harness itself plays them in tests/interop/check_lm_eval.py."""

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import turnwise
from turnwise.cli.main import run
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import make


@dataclass(frozen=True)
class Number:
    """The only field."""

    number: int


@turnwise.register("tests/Unjudged-v0")
class Unjudged(Env[Number]):
    """Fails when it hears anything but 1."""

    def generate(self, rng: Any) -> Number:
        return Number(int(rng.integers(1 << 40)))

    def begin(self) -> str:
        return f"task {self.task.number}"

    def respond(self, action: str) -> Reply:
        if action != "1":
            raise InfrastructureError("the judge is gone")
        return Reply("heard", solved=True)


def utils(folder: Path) -> Any:
    """The file that the tasks import."""
    spec = importlib.util.spec_from_file_location("utils_of_tasks", folder / "utils.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_in(path: Path) -> list[dict[str, Any]]:
    """What the tasks' data set is made of."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_one_message_environment_of_a_family(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["Countdown:num_numbers=5", "math", str(tmp_path), "--num-tasks", "3", "--split", "train"]
    assert run(["export", "lm-eval", *words]) == 0
    names = {path.stem for path in tmp_path.glob("*.yaml")}
    assert {"_turnwise", "turnwise_countdown", "turnwise_countdown_num_numbers_5", "turnwise_equations"} <= names
    assert "turnwise_mathwithpython" not in names, "it takes several messages"
    assert {Path(line).stem for line in capsys.readouterr().out.splitlines()} == names
    tasks = utils(tmp_path)
    for path in tmp_path.glob("*.jsonl"):
        docs = rows_in(path)
        assert len(docs) == 3 and {doc["split"] for doc in docs} == {"train"}
        for doc in docs:
            env: Any = make(doc["env"], **json.loads(doc["settings"]))
            assert env.reset(seed=doc["seed"])[0] == doc["prompt"]
            right = {"episode_return": 1.0, "solved": 1.0, "failed": 0.0}
            assert tasks.process_results(doc, [env.unwrapped.oracle()]) == right
            assert tasks.process_results(doc, ["no"]) == {"episode_return": 0.0, "solved": 0.0, "failed": 0.0}


def test_its_files_do_not_change(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert run(["export", "lm-eval", "KSat:difficulty=2", str(tmp_path / folder), "--num-tasks", "2"]) == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_what_could_not_be_judged_has_no_score(tmp_path: Path) -> None:
    assert run(["export", "lm-eval", f"{__name__}:Unjudged", str(tmp_path), "--num-tasks", "1"]) == 0
    tasks = utils(tmp_path)
    [doc] = rows_in(tmp_path / "turnwise_unjudged.jsonl")
    assert doc["env"] == f"{__name__}:tests/Unjudged-v0", "who loads the rows can make it"
    assert tasks.process_results(doc, ["2"]) == {"failed": 1.0}
    assert tasks.process_results(doc, ["1"])["episode_return"] == 1.0
    with pytest.raises(SettingsError, match="export the tasks again"):
        tasks.process_results({**doc, "prompt": "another"}, ["1"])


def test_what_cannot_be_exported_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        (["GuessNumber", str(tmp_path)], "GuessNumber takes several messages"),
        (["games", str(tmp_path)], "none of these"),
        (["KSat", str(tmp_path), "--num-tasks", "0"], "num_tasks is 0"),
        ([str(tmp_path)], "takes ENV... OUT"),
        ([], "takes ENV... OUT"),
    ):
        assert run(["export", "lm-eval", *words]) == 2
        assert why in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
