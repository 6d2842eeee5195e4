"""Task folders of Harbor.

Its own models read them in tests/interop/check_harbor.py; a Docker engine runs them in tests/outside/test_harbor.py.
"""

import gzip
import json
import os
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import turnwise
from turnwise.cli.main import run
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import make
from turnwise.export.harbor import ANSWER, TREE, WORK, write_harbor_tasks
from turnwise.export.harbor_judge import judge, main, tree_in

KINDS = ("Countdown", "CodeSynthesis:num_steps=1", "CodeRepair", "RepoIssue", "Shell:traps=3", "Shell:kind=question")


@dataclass(frozen=True)
class Word:
    """The word to say."""

    word: str


@turnwise.register("tests/Unstable-v0")
class Unstable(Env[Word]):
    """Fails whatever it hears, once it is told to."""

    broken = False

    def generate(self, rng: Any) -> Word:
        return Word(f"w{int(rng.integers(1 << 40))}")

    def begin(self) -> str:
        return f"say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if Unstable.broken:
            raise InfrastructureError("the judge is gone")
        return Reply("heard", solved=action == self.task.word)

    def oracle(self) -> str:
        return self.task.word


class Container:
    """A folder in the place of the agent's container; scripts see it in the place of the root."""

    def __init__(self, task: Path, root: Path) -> None:
        self.root, self.work = root, root / WORK.lstrip("/")
        self.work.mkdir(parents=True)
        self.task = json.loads((task / "tests" / "task.json").read_text())
        self.solution = (task / "solution" / "solve.sh").read_text()
        self.instruction = (task / "instruction.md").read_text()
        for file in (task / "environment" / "files").rglob("*"):
            if file.is_file():
                to = self.work / file.relative_to(task / "environment" / "files")
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(file.read_bytes())
        if (start := task / "environment" / "start.tar").exists():
            with tarfile.open(start) as archive:
                archive.extractall(self.work, filter="fully_trusted")

    def run(self, script: str) -> None:
        for path in (WORK, ANSWER):
            script = script.replace(f" {path}", f" {self.root}{path}")
        done = subprocess.run(["sh", "-c", script], cwd=self.work, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def reward(self) -> float:
        """What the judge says, after what Harbor collects."""
        if self.task["kind"] == "tree":
            archive = self.root / TREE.lstrip("/")
            archive.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["tar", "-C", str(self.work), "-cf", str(archive), "."], check=True)
        return judge(self.task, self.root)


@pytest.fixture(params=KINDS)
def container(request: pytest.FixtureRequest, tmp_path: Path) -> Container:
    [folder] = write_harbor_tasks(request.param, tmp_path / "tasks", 1)
    return Container(folder, tmp_path / "root")


def test_the_solution_earns_1_and_nothing_earns_0(container: Container) -> None:
    assert container.reward() == 0.0
    container.run(container.solution)
    assert container.reward() == 1.0
    if container.task["kind"] == "message":
        (container.root / "answer.txt").write_text("I do not know.")
    elif container.task["kind"] == "files":
        for path in container.work.rglob("*.py"):
            path.write_text("raise SystemExit(0)\n")
    else:
        (container.root / "answer.txt").write_text("-1")
        container.run("touch left-over")
    assert container.reward() == 0.0


def test_the_agents_image_holds_no_answer(container: Container, tmp_path: Path) -> None:
    [task] = (tmp_path / "tasks").iterdir()
    shown = [task / "instruction.md", *(path for path in (task / "environment").rglob("*") if path.is_file())]
    texts = b"\n".join(path.read_bytes() for path in shown)
    assert str(container.task["seed"]).encode() not in texts and container.task["task_id"].encode() not in texts
    env: Any = make(container.task["env"], **json.loads(container.task["settings"]))
    env.reset(seed=container.task["seed"])
    assert env.unwrapped.oracle().encode() not in texts and "<submit/>" not in container.instruction
    for path, text in getattr(env.unwrapped, "files", {}).items():
        assert (task / "environment" / "files" / path).read_text() == text, "as the agent of turnwise gets it"
    given = {path.relative_to(task).as_posix() for path in shown}
    assert not {path for path in given if path.startswith(("tests/", "solution/"))}


def test_what_the_folder_says(tmp_path: Path) -> None:
    words = ["Countdown:num_numbers=5", str(tmp_path), "--num-tasks", "2", "--split", "train", "--image", "mine:1"]
    assert run(["export", "harbor", *words, "--judge-image", "judge:1"]) == 0
    first, second = sorted(tmp_path.iterdir())
    assert (first.name, second.name) == ("countdown-train-0000", "countdown-train-0001")
    config = tomllib.loads((first / "task.toml").read_text())
    assert config["task"]["name"] == "turnwise/countdown-train-0000"
    assert config["verifier"]["environment_mode"] == "separate" and config["artifacts"] == [ANSWER]
    assert config["metadata"]["environment"] == "turnwise/Countdown-v0:num_numbers=5"
    assert (first / "environment" / "Dockerfile").read_text().startswith("FROM mine:1\n")
    assert (first / "tests" / "Dockerfile").read_text() == "FROM judge:1\nCOPY . /tests\n"
    assert os.access(first / "tests" / "test.sh", os.X_OK) and os.access(first / "solution" / "solve.sh", os.X_OK)
    assert (first / "instruction.md").read_text() != (second / "instruction.md").read_text()


def test_a_judge_that_fails_writes_no_reward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [folder] = write_harbor_tasks(f"{__name__}:Unstable", tmp_path / "tasks", 1)
    container = Container(folder, tmp_path / "root")
    container.run(container.solution)
    assert container.reward() == 1.0
    monkeypatch.setattr(Unstable, "broken", True)
    with pytest.raises(InfrastructureError, match="the judge is gone"):
        main([str(folder / "tests" / "task.json"), str(tmp_path / "reward.txt")])
    assert not (tmp_path / "reward.txt").exists()
    with pytest.raises(SettingsError, match="another task"):
        judge({**container.task, "task_id": "x"}, container.root)
    with pytest.raises(InfrastructureError):
        write_harbor_tasks(f"{__name__}:Unstable", tmp_path / "more", 1)  # its solution is not known to be one


@pytest.mark.slow
def test_hostile_leavings(tmp_path: Path) -> None:
    [folder] = write_harbor_tasks("CodeRepair", tmp_path / "tasks", 1)
    container = Container(folder, tmp_path / "root")
    container.run(container.solution)
    secret = tmp_path / "secret.py"
    secret.write_text("x = 1\n")
    container.run(f"ln -s {secret} link.py; ln -s / everything; mkdir .git __pycache__; mkfifo pipe; echo > a.bin")
    (container.work / "latin.py").write_bytes(b"\xff\xfe")
    assert container.reward() == 1.0, "what is no text of the program changes nothing"
    container.work.rename(tmp_path / "elsewhere")
    container.work.symlink_to(tmp_path / "elsewhere")
    assert container.reward() == 0.0, "a link may lead to what the judge has"
    (tmp_path / "bad.tar").write_bytes(b"no archive")
    assert tree_in(tmp_path / "bad.tar") == {} == tree_in(tmp_path / "missing.tar")
    with tarfile.open(tmp_path / "hard.tar", "w") as archive:
        one, two = tarfile.TarInfo("a"), tarfile.TarInfo("./b/../c")
        two.type, two.linkname = tarfile.LNKTYPE, "a"
        archive.addfile(one)
        archive.addfile(two)
    assert {path: entry.links for path, entry in tree_in(tmp_path / "hard.tar").items()} == {"a": 2, "c": 2}
    (tmp_path / "link.tar").symlink_to(tmp_path / "hard.tar")
    (tmp_path / "packed.tar").write_bytes(gzip.compress((tmp_path / "hard.tar").read_bytes()))
    os.mkfifo(tmp_path / "pipe.tar")
    assert tree_in(tmp_path / "link.tar") == tree_in(tmp_path / "packed.tar") == tree_in(tmp_path / "pipe.tar") == {}


def test_what_fits_no_container_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, why in (
        (["GuessNumber", str(tmp_path)], "it answers each message"),
        (["Countdown", str(tmp_path), "--num-tasks", "0"], "num_tasks is 0"),
        (["Countdown"], "takes ENV OUT"),
    ):
        assert run(["export", "harbor", *words]) == 2
        assert why in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
