"""Settings of training as flags: what they take, what help says of them, how mistakes are answered."""

import json
import re
from pathlib import Path

import pytest

from turnwise.baselines.methods import kinds
from turnwise.baselines.methods.registry import Kind
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.flat import leaves, offered
from turnwise.baselines.trainer.parts import EnvConfig
from turnwise.cli.main import run
from turnwise.cli.run_flags import all_flags, dashed
from turnwise.core.settings import settings_of

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]
PARTS = [setting.name.replace("_", " ") for setting in settings_of(TrainConfig)]


def shown(capsys: Capture, *argv: str) -> dict[str, object]:
    """The settings that a command line gives."""
    assert run(["train", "smoke", "--dry-run", *argv]) == 0, capsys.readouterr().err
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def refused(capsys: Capture, *argv: str) -> str:
    """What is said of a command line that is refused."""
    assert run(["train", "smoke", "--dry-run", *argv]) == 2
    return capsys.readouterr().err


def help_of(capsys: Capture, *argv: str) -> str:
    assert run(["train", "smoke", *argv, "--help"]) == 0
    return capsys.readouterr().out


def test_flags_that_are_typed_daily_are_short(capsys: Capture) -> None:
    flags = "--steps 3 --lr 1e-3 --group-size 4 --seed 7 --out runs/x --env Maze --env-settings size=4 --model m/n"
    found = shown(capsys, *flags.split())
    assert (found["steps"], found["lr"], found["group_size"], found["seed"], found["out"]) == (3, 1e-3, 4, 7, "runs/x")
    assert (found["env"], found["env_settings"], found["model"]) == ("turnwise/Maze-v0", {"size": 4}, "m/n")


def test_a_method_is_a_name_and_its_settings_are_flags_behind_it(capsys: Capture) -> None:
    found = shown(capsys, "--credit.step-weight", "2", "--credit", "gigpo", "--loss.clip_high=0.4", "--shard")
    assert (found["credit"], found["credit.step_weight"], found["credit.gamma"]) == ("gigpo", 2.0, 0.95)
    assert found["loss.clip_high"] == 0.4 and found["shard"] is True
    found = shown(
        capsys, "--shaping", "turn_cost", "ufo", "--shaping.turn-cost.cost", "0.1", "--replay.max-age", "None"
    )
    assert found["shaping"] == ["turn_cost", "ufo"] and found["shaping.turn_cost.cost"] == 0.1
    assert found["replay"] is True and found["replay.max_age"] is None
    guided = "--guidance imitation --guidance.objective rl_plus --guidance.objective.gamma 1"
    found = shown(capsys, *guided.split(), "--guidance.amft", "--guidance.amft.low", "0.1")
    assert found["guidance.objective.gamma"] == 1.0 and found["guidance.amft.low"] == 0.1
    found = shown(capsys, "--lora", "--lora.targets", "q_proj", "v_proj", "--ray.workers", "2", "--ray.options", "a=1")
    assert found["lora.targets"] == ["q_proj", "v_proj"] and found["ray.options"] == {"a": 1}
    assert shown(capsys, "--no-shard", "--lora.targets", "all-linear")["lora.targets"] == "all-linear"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ("--stpes 3", "there is no flag --stpes (did you mean --steps?)"),
        ("--credit grop", "credit is 'grop' (did you mean 'grpo'?); it must be one of grpo, dr_grpo"),
        ("--credit gigpo --credit.gama 1", "--credit gigpo has no setting gama (did you mean --credit.gamma?)"),
        ("--credit.lambda 1", "--credit grpo has no setting lambda; it has ddof, eps"),
        ("--credit.step-weight 1", "--credit.step-weight is a setting of gigpo, and --credit is grpo"),
        ("--credit gae --credit.critic.lrr 1", "did you mean --credit.critic.lr?"),
        ("--replay.per-tsk 3", "there is no flag --replay.per-tsk (did you mean --replay.per-task?)"),
        ("--optim.lr 3", "there is no flag --optim.lr (did you mean --lr?)"),
        ("--rollout.temprature 3", "there is no flag --rollout.temprature (did you mean --temperature?)"),
        (
            "--sampling.max-refils 3",
            "--sampling all has no setting max-refils; it has ddof (did you mean --sampling.max-refills?)",
        ),
        ("--lora.rnk 3", "there is no flag --lora.rnk (did you mean --lora.rank?)"),
        ("--shaping turn_csot", "turn_cost, repetition and ufo; 'turn_csot' is not"),
        ("--shaping turn_cost", "turn_cost needs a value for cost"),
        ("--credit gigpo --credit.gamma 2", "credit.gamma is 2.0; it must be from 0 to 1"),
        ("--credit gigpo --credit.gamma x", "--credit.gamma is 'x'; it must be a number"),
        ("--group-size 1", "group_size is 1; it must be at least 2"),
        ("--credit-settings gamma=1", "settings of methods are flags of their own, such as --credit.gamma 0.95"),
        ("--shaping turn_cost=1", "--shaping turn_cost --shaping.turn-cost.SETTING VALUE"),
        ("--lora rank=1", "unexpected rank=1"),
        ("--curriculum sec --curriculum.arms [1", "--curriculum.arms is '[1', which is not JSON"),
    ],
)
def test_a_mistake_is_answered_with_the_nearest(capsys: Capture, argv: str, said: str) -> None:
    assert said in refused(capsys, *argv.split())


def test_help_explains_every_flag(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = help_of(capsys, "--credit", "gae", "--shaping", "turn_cost")
    flat = re.sub(r"[\s│]+", " ", text)
    chosen = TrainConfig(env=EnvConfig(id="Maze")).changed(
        {"credit": "gae", "shaping": ["turn_cost"], "shaping.turn_cost.cost": 1}
    )
    for leaf in [*leaves(chosen), *offered(TrainConfig, {"credit": "gae"})]:
        assert re.search(rf"--{re.escape(dashed(leaf.name))}\b", text), leaf.name
        assert re.sub(r"\s+", " ", leaf.setting.doc.replace("``", "")) in flat, leaf.name
    assert [part for part in PARTS if f"─ {part} ─" not in text] == []
    assert max(map(len, text.splitlines())) <= 100


def test_help_has_a_line_for_every_method(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = re.sub(r"[\s│]+", " ", help_of(capsys))
    for kind in vars(kinds).values():
        for name, sentence in kind.documented().items() if isinstance(kind, Kind) else ():
            if "/" not in name:  # a test's own
                assert f" {name} {sentence} " in text, name


def test_flags_of_all_methods_take_their_values_before_the_method_is_known() -> None:
    flags = all_flags()
    assert flags["credit.gamma"].kind == "scalar" and flags["guidance.shares"].kind == "sequence"
    assert (
        flags["lora"].kind == "switch"
        and flags["shaping"].kind == "sequence"
        and flags["env-settings"].kind == "mapping"
    )
    assert len(flags) > 180


def test_docs_write_settings_behind_the_flags_that_take_them() -> None:
    """Fragments such as ``--lora.rank 16`` are not whole commands; test_commands.py parses those."""
    flags, found = all_flags(), 0
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for flag in re.findall(r"--([a-z][a-z.-]*) [a-z_]+=", page.read_text(encoding="utf-8")):
            if flag in flags:
                found += 1
                assert flags[flag].kind == "mapping", f"{page.name}: --{flag} takes no NAME=VALUE"
    assert found >= 5
