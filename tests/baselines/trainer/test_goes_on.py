"""Runs over several environments, and runs that are stopped, changed and continued, as a user would from the shell."""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.baselines.trainer._small import small, train
from turnwise.baselines.methods.curricula import make_arms
from turnwise.baselines.methods.curricula.base import Arm
from turnwise.baselines.methods.curricula.fixed import Uniform
from turnwise.baselines.trainer.advantage import Batch
from turnwise.baselines.trainer.run.log import read_metrics
from turnwise.baselines.trainer.train import Run
from turnwise.cli.main import run as turnwise
from turnwise.cli.train import train_command
from turnwise.core.errors import SettingsError

LAKE = {"env": "turnwise/FrozenLake-v0", "settings": {"size": 3, "rules": False}}
NUMBER = {"env": "turnwise/GuessNumber-v0", "settings": {"max_number": 8}}
TWO = {
    "env": LAKE["env"],
    "env_settings": LAKE["settings"],
    "curriculum": "mixture",
    "curriculum.arms": [{"env": LAKE["env"]}, NUMBER],
    "max_turns": 3,
    "eval_tasks": 4,
    "warm_steps": 4,
    "steps": 2,
}
OWN = """
from dataclasses import dataclass
from turnwise import Env, Reply, register
from turnwise.baselines.methods.loss_settings import PpoClip
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, LossConfig, Optim, Rollout, RunConfig, WarmStart

@dataclass(frozen=True)
class Word:
    word: str

@register("mine/Say-v0")
class Say(Env[Word]):
    def generate(self, rng):
        return Word("".join(rng.choice(list("abcd"), 3)))
    def begin(self):
        return f"Say {self.task.word}"
    def respond(self, action):
        return Reply("", solved=action == self.task.word)
    def oracle(self):
        return self.task.word
    def sample_action(self, rng):
        return self.generate(rng).word

def recipe() -> TrainConfig:
    return TrainConfig(
        env=EnvConfig(id="mine/Say-v0"),
        warm_start=WarmStart(steps=2),
        rollout=Rollout(groups_per_step=2, group_size=2, max_new_tokens=4),
        loss=LossConfig(objective=PpoClip(clip_high=0.4)),
        optim=Optim(lr=1e-3, minibatches=1),
        eval=Evaluation(tasks=4),
        run=RunConfig(steps=2, trackers=(), out="runs/say", save_every=1),
    )
"""


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """Also where the tests are a background job, which ignores it, and so would the processes that it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own", raising=False)
    return tmp_path


def shell(capsys: pytest.CaptureFixture[str], line: str, status: int = 0) -> str:
    """What a command prints on both streams."""
    assert turnwise(line.split()) == status
    shown = capsys.readouterr()
    return shown.out + shown.err


def test_an_arm_of_another_environment_has_only_its_own_settings() -> None:
    lake, number = make_arms(LAKE["env"], {"size": 3}, Uniform(arms=(Arm(settings={"rules": False}), Arm(**NUMBER))))
    assert lake.settings == {"size": 3, "rules": False}
    assert number.settings == {"max_number": 8}


def test_a_mixture_is_cloned_and_evaluated_on_every_environment(tmp_path: Path) -> None:
    run = train(small(tmp_path, **TWO))
    before, after = read_metrics(run.folder, "eval")
    labels = ["FrozenLake-v0(size=3,rules=False)", "GuessNumber-v0(max_number=8)"]
    for record in (before, after):
        rates = [record[f"sampled_solved/{label}"] for label in labels]
        assert record["sampled_solved"] == pytest.approx(sum(rates) / 2)
    text = "".join(run.policy.tokenizer.get_vocab())
    assert "higher" in text or set("higher") <= set(text), "the vocabulary has the words of both environments"
    run.source.close()


def test_levels_of_one_environment_are_evaluated_as_before(tmp_path: Path) -> None:
    cfg = small(tmp_path, **{**TWO, "curriculum.arms": [{}, {"settings": {"size": 4}}]})
    assert [arm.label for arm in cfg.targets] == ["FrozenLake-v0(size=3,rules=False)"]


@pytest.mark.parametrize("arm", [{"env": NUMBER["env"], "settings": {"max_numbr": 8}}, {"env": "turnwise/Nimm-v0"}])
def test_an_arm_that_cannot_be_made_is_refused_before_the_warm_start(tmp_path: Path, arm: dict[str, object]) -> None:
    cfg = small(tmp_path, **{**TWO, "curriculum.arms": [{"env": LAKE["env"]}, arm]})
    with pytest.raises(
        SettingsError, match=r"GuessNumber-v0\(max_numbr=8\), train split|no environment 'turnwise/Nimm"
    ):
        train(cfg)
    assert not (tmp_path / "metrics.jsonl").exists()


def test_settings_of_methods_are_added_to_the_recipes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def of(flags: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(shell(capsys, f"train own.py:recipe --dry-run {flags}"))
        return found

    def clip(flags: str) -> tuple[object, object]:
        found = of(flags)
        return found["loss.clip_low"], found["loss.clip_high"]

    assert clip("") == (0.2, 0.4)
    assert clip("--loss.clip-low 0.1") == (0.1, 0.4)
    assert clip("--loss.clip-high 0.3") == (0.2, 0.3)
    assert clip("--loss ppo_clip --loss.clip-low 0.1") == (0.1, 0.4)
    assert clip("--loss gspo --loss.clip-low 0.1") == (0.1, 4e-4)  # another method has its own defaults
    maze = of("--env Maze:size=3 --env-settings rules=false")
    assert maze["env"] == "turnwise/Maze-v0" and maze["env_settings"] == {"size": 3, "rules": False}


def test_arms_are_named_as_everywhere(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arms = '[{"env":"own.py:Say-v0"},{"env":"GuessNumber:max_number=8","weight":2}]'
    shown = shell(capsys, f"train own.py:recipe --dry-run --curriculum mixture --curriculum.arms {arms}")
    number = {"env": "turnwise/GuessNumber-v0", "settings": {"max_number": 8}}
    assert json.loads(shown)["curriculum.arms"] == [{"env": "mine/Say-v0"}, {**number, "weight": 2}]
    shown = shell(capsys, "train own.py:recipe --dry-run --curriculum sec --curriculum.arms GuessNumber:max_number=8")
    assert json.loads(shown)["curriculum.arms"] == [number]


@pytest.mark.slow
def test_a_run_goes_on_with_its_own_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not with the recipe's: what was given when it began need not be given again, and may not be changed."""
    shell(capsys, "train own.py:recipe --seed 3 --out runs/a --steps 2")
    assert "add --resume" in shell(capsys, "train runs/a", 2)
    shown = shell(capsys, "train runs/a --resume --steps 3 --eval-tasks 8")
    assert "steps is 3 from here on, it was 2" in shown
    config = json.loads((folder / "runs/a/config.json").read_text())
    assert (config["seed"], config["steps"], config["eval_tasks"]) == (3, 3, 8)
    assert [r["step"] for r in read_metrics(folder / "runs/a", "train")] == [1, 2, 3]
    shell(capsys, "train own.py:recipe --out runs/a --resume --steps 4")  # the recipe's own seed is not given: 3 stays
    assert "may change steps," in shell(capsys, "train runs/a --resume --lr 0.1", 2)
    assert "steps is 1; it must be at least 4" in shell(capsys, "train runs/a --resume --steps 1", 2)
    assert "a run of the recipe own.py:recipe, not smoke" in shell(capsys, "train smoke --out runs/a --resume", 2)
    assert "leave --out away" in shell(capsys, "train runs/a --resume --out runs/b", 2)
    assert "name a folder" in shell(capsys, "train own.py:recipe --out own.py", 2)
    assert "runs/none is not the folder of a run" in shell(capsys, "train runs/none --resume", 2)
    assert "name the run to go on with" in shell(capsys, "train --resume", 2)


@pytest.mark.slow
def test_a_run_finds_the_file_of_its_environment_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a new process, in another folder."""
    shell(capsys, "train own.py:recipe --out runs/a")
    line = [sys.executable, "-m", "turnwise", "train", str(folder / "runs/a"), "--resume", "--steps", "3"]
    (folder / "elsewhere").mkdir()
    ended = subprocess.run(line, cwd=folder / "elsewhere", capture_output=True, text=True, env=environment())
    assert ended.returncode == 0, ended.stderr
    assert "step    3/3" in ended.stdout


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "OMP_NUM_THREADS": "1"}


FLAGS = "own.py:recipe --save-every 0 --steps 4"
STOPS = """
import os, sys
from turnwise.baselines.trainer import train as trainer
from turnwise.cli.main import main

stop = int(sys.argv.pop())

def credit(run, batch, plain=trainer.credit):
    if run.step == 1:
        os.kill(os.getpid(), stop)
    return plain(run, batch)

trainer.credit = credit
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_is_saved_and_says_how_to_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stop: signal.Signals
) -> None:
    """Ctrl-C during a step: the step ends, is saved, and going on gives the metrics of a run that was not stopped."""
    trainer = importlib.import_module("turnwise.baselines.trainer.train")
    plain = trainer.credit

    def credit(run: Run, batch: Batch) -> object:
        if run.step == 1:
            signal.raise_signal(stop)
        return plain(run, batch)

    with monkeypatch.context() as patch:
        patch.setattr(trainer, "credit", credit)
        shown = shell(capsys, f"train {FLAGS} --out runs/a", 130)
    assert "stopping after this step" in shown and "`turnwise train runs/a --resume`" in shown
    assert [r["step"] for r in read_metrics(folder / "runs/a", "train")] == [1, 2]
    shell(capsys, "train runs/a --resume")
    shell(capsys, f"train {FLAGS} --out runs/b")
    assert (folder / "runs/a/metrics.jsonl").read_bytes() == (folder / "runs/b/metrics.jsonl").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_stopped_says_so_by_its_status(folder: Path, stop: signal.Signals) -> None:
    command = [sys.executable, "-c", STOPS, "train", *FLAGS.split(), "--out", "runs/a", str(int(stop))]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert ended.returncode == 130, ended.stderr
    assert len(read_metrics(folder / "runs/a", "train")) == 2


def test_a_second_interrupt_stops_at_once() -> None:
    from turnwise.baselines.trainer.run.interrupt import interruptible

    with interruptible() as interrupt:
        signal.raise_signal(signal.SIGINT)
        assert interrupt.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stays_ignored() -> None:
    from turnwise.baselines.trainer.run.interrupt import interruptible

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interruptible() as interrupt:
        signal.raise_signal(signal.SIGINT)
        assert not interrupt.requested


def test_signals_are_left_alone_outside_the_main_thread() -> None:
    from turnwise.baselines.trainer.run.interrupt import interruptible

    found = []

    def look() -> None:
        with interruptible() as interrupt:
            found.append((interrupt.requested, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [(False, signal.default_int_handler)]


def test_the_model_of_an_unfinished_run_can_be_exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from transformers import AutoModelForCausalLM

    from turnwise.baselines.trainer.config import TrainConfig
    from turnwise.baselines.trainer.run.checkpoint import load_checkpoint
    from turnwise.baselines.trainer.train import train as whole_train

    shell(capsys, "train own.py:recipe --dry-run")
    cfg = TrainConfig.from_json(shell(capsys, "train own.py:recipe --out runs/a --dry-run"))
    assert "holds no checkpoint" in shell(capsys, f"export {empty_run(folder, cfg)}", 2)
    assert "no config.json" in shell(capsys, "export .", 2)
    whole_train(cfg, stop_after=1, quiet=True)
    (folder / "runs/a/model/config.json").unlink()
    assert "after 1 of 2 steps" in shell(capsys, "export runs/a")
    saved = load_checkpoint(folder / "runs/a")
    assert saved is not None
    model = AutoModelForCausalLM.from_pretrained(folder / "runs/a/model")
    for name, value in saved.parts["model"].items():
        assert value.equal(model.state_dict()[name])


def empty_run(folder: Path, cfg: object) -> Path:
    (folder / "empty").mkdir()
    cfg.changed({"out": "empty"}).save(folder / "empty")  # type: ignore[type-var]
    return folder / "empty"


def test_the_command_lists_recipes_without_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        train_command(["--help"])
    assert "quickstart_guess" in capsys.readouterr().err
