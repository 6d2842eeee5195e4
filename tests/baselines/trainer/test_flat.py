"""Every setting of a run has one name: in flags, in config.json, in messages."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from turnwise.baselines.methods.credit import CREDIT
from turnwise.baselines.methods.credit.shaping import TurnCost, Ufo
from turnwise.baselines.methods.credit.tokens import Gae
from turnwise.baselines.methods.credit.turns import GiGPO
from turnwise.baselines.methods.curricula.bandits import Sec
from turnwise.baselines.methods.curricula.base import Arm
from turnwise.baselines.methods.loss_settings import Amft, Importance, RlPlus
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.flat import leaves, offered
from turnwise.baselines.trainer.parts import EnvConfig, Imitation, Lora, LossConfig, ModelConfig, RewardConfig
from turnwise.baselines.trainer.run.checkpoint import FREE, LOOSE
from turnwise.core.errors import SettingsError

ROOT = Path(__file__).parents[3]
PLAIN = TrainConfig(env=EnvConfig(id="turnwise/Maze-v0"))
RICH = replace(
    PLAIN,
    env=EnvConfig(id="turnwise/Maze-v0", settings={"size": 3, "style": {"a": [1]}}),
    model=ModelConfig(lora=Lora(rank=4, targets=("q_proj",))),
    reward=RewardConfig(shaping=(TurnCost(cost=0.1), Ufo())),
    curriculum=Sec(arms=(Arm(settings={"size": 3}), Arm(env="turnwise/GuessNumber-v0", weight=2.0))),
    guidance=Imitation(objective=RlPlus(gamma=0.2), amft=Amft(low=0.1)),
    credit=Gae(lam=0.9),
    loss=LossConfig(token_weights=(Importance(high=5.0),)),
)


def test_names_are_unique_and_complete() -> None:
    for config in (PLAIN, RICH):
        names = [leaf.name for leaf in leaves(config)]
        assert len(names) == len(set(names)) == len(config.flat())
    assert {*FREE, *LOOSE} <= set(PLAIN.flat())
    every = [leaf.name for leaf in offered(TrainConfig, {})]
    assert len(every) == len(set(every)) > 90


@pytest.mark.parametrize("config", [PLAIN, RICH])
def test_json_gives_the_same_settings(config: TrainConfig) -> None:
    assert TrainConfig.from_json(config.to_json()) == config
    assert TrainConfig.of(config.flat()) == config
    assert config.changed({}) == config


def test_flat_names_are_those_of_the_parts() -> None:
    flat = RICH.flat()
    assert flat["credit"] == "gae" and flat["credit.lam"] == 0.9 and flat["credit.critic.value_clip"] == 0.2
    assert flat["shaping"] == ["turn_cost", "ufo"] and flat["shaping.turn_cost.cost"] == 0.1
    assert flat["lora"] is True and flat["lora.targets"] == ["q_proj"] and flat["guidance.amft.low"] == 0.1
    assert flat["curriculum.arms"][1] == {"env": "turnwise/GuessNumber-v0", "weight": 2.0}
    assert PLAIN.flat()["lora"] is False and "lora.rank" not in PLAIN.flat()


def test_another_method_begins_with_its_own_defaults() -> None:
    gigpo = PLAIN.changed({"credit": "gigpo", "credit.gamma": 0.5})
    assert gigpo.credit == GiGPO(gamma=0.5)
    assert gigpo.changed({"credit": "gigpo", "lr": 1.0}).credit == GiGPO(gamma=0.5)
    assert gigpo.changed({"credit": "gae"}).credit == Gae()
    assert RICH.changed({"shaping": ["ufo"]}).reward.shaping == (Ufo(),)
    assert RICH.changed({"shaping": ["ufo", "turn_cost"]}).reward.shaping == (Ufo(), TurnCost(cost=0.1))
    assert RICH.changed({"lora": False}).model.lora is None
    assert PLAIN.changed({"lora.rank": 2}).model.lora == Lora(rank=2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lrr": 1.0}, r"no setting 'lrr' \(did you mean 'lr'\?\)"),
        ({"credit": "gigop"}, r"credit is 'gigop' \(did you mean 'gigpo'\?\)"),
        (
            {"credit": "gigpo", "credit.gama": 1.0},
            r"credit is 'gigpo', which has no setting 'gama' \(did you mean 'gamma'",
        ),
        ({"credit.gamma": 1.0}, "credit is 'grpo', which has no setting 'gamma'; it has ddof, eps"),
        ({"credit": "gigpo", "credit.gamma": 2}, r"credit\.gamma is 2; it must be from 0 to 1"),
        ({"credit": "gae", "credit.critic.lr": 0}, r"credit\.critic\.lr is 0; it must be above 0"),
        ({"warm_skill": 2}, "warm_skill is 2; it must be from 0 to 1"),
        ({"kl_coef": -1}, "kl_coef is -1; it must be at least 0"),
        ({"shaping": ["turn_csot"]}, r"shaping is 'turn_csot' \(did you mean 'turn_cost'\?\)"),
        ({"shaping": ["turn_cost"]}, r"shaping\.turn_cost: turn_cost needs a value for cost"),
        ({"lora": "yes"}, "lora is 'yes'; it must be True or False"),
        ({"replay.per_tsk": 1}, r"no setting 'replay.per_tsk' \(did you mean 'replay.per_task'\?\)"),
        ({"curriculum.arms": [{"envv": 1}]}, r"curriculum\.arms: Arm has no setting 'envv' \(did you mean 'env'\?\)"),
        ({"curriculum.arms": ["Maze"]}, "curriculum.arms has 'Maze'; it must have mappings of env, settings, weight"),
    ],
)
def test_mistakes_are_answered_with_the_nearest(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        PLAIN.changed(given)


def test_settings_of_version_0_1_are_read() -> None:
    old = {
        "env": "turnwise/Maze-v0", "env_settings": {"size": 3}, "lora": {"rank": 4}, "ray": {}, "replay": {},
        "curriculum": "sec", "curriculum_settings": {"arms": [{"settings": {"size": 3}}], "tau": 0.2},
        "shaping": {"turn_cost": {"cost": 0.1}}, "token_weights": {"steer": {}}, "credit": "spa",
        "credit_settings": {"alpha": 2.0}, "critic": {"updates": 3}, "loss": "gspo", "loss_settings": {"clip_low": 0.1},
        "guidance": "imitation", "guidance_settings": {"amft": {"low": 0.1}, "objective": "rl_plus"},
        "kl_in": "reward", "trackers": [],
    }  # fmt: skip
    flat = TrainConfig.from_json(json.dumps(old)).flat()
    assert flat["lora.rank"] == 4 and flat["replay"] is False and flat["curriculum.tau"] == 0.2
    assert flat["credit.alpha"] == 2.0 and flat["credit.estimator.updates"] == 3 and flat["loss.clip_low"] == 0.1
    assert flat["shaping.turn_cost.cost"] == 0.1 and flat["token_weights"] == ["steer"] and flat["kl_in"] == "reward"
    assert flat["guidance.amft.low"] == 0.1 and flat["guidance.objective"] == "rl_plus"
    with pytest.raises(SettingsError, match=r"credit is 'grpo', which has no setting 'gamma'"):
        TrainConfig.from_json(json.dumps({"env": "Maze", "credit": "grpo", "credit_settings": {"gamma": 1}}))


@pytest.mark.skipif(not (ROOT / "baselines" / "results").is_dir(), reason="needs the checkout, not an installed copy")
def test_the_runs_of_the_results_are_read() -> None:
    folders = sorted((ROOT / "baselines" / "results").rglob("config.json"))
    assert len(folders) > 100
    for path in folders[::10]:
        text = path.read_text(encoding="utf-8")
        assert TrainConfig.from_json(text).flat()["lr"] == json.loads(text)["lr"]


def test_no_mapping_but_the_environments() -> None:
    """The only untyped mappings of a run are settings of environments, and options of Ray's actors and of agents."""
    mappings = {leaf.name for leaf in offered(TrainConfig, {}) if "Mapping" in str(leaf.setting.hint)}
    assert mappings == {"env_settings", "ray.options", "opponents.options"}
    for settings in CREDIT.known.values():
        assert not [leaf.name for leaf in offered(settings, {}) if "Mapping" in str(leaf.setting.hint)]
