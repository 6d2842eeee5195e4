"""Methods declare themselves: names, settings, what they need; and methods of a user's own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

from turnwise.baselines.methods import kinds
from turnwise.baselines.methods.credit.turns import GiGPO, gigpo
from turnwise.baselines.methods.kinds import Credit, Shaping, credit, shaping
from turnwise.baselines.methods.registry import Kind, Settings, summary_of
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.flat import offered
from turnwise.baselines.trainer.parts import EnvConfig, RewardConfig, Vllm
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, settings_of

KINDS = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, Kind)}
OWN = '''
from typing import Annotated

from turnwise.baselines.methods.kinds import Credit, credit
from turnwise.core.settings import Range

@credit("plain", needs=("returns",))
def plain(returns):
    """The return itself."""
    return returns * 1.0

class Halves(Credit, name="halves"):
    """A share of the return."""
    share: Annotated[float, Range(0, 1)] = 0.5
    """What part of it."""

@credit(Halves, needs=("returns",))
def halves(returns, settings):
    return settings.share * returns
'''


@pytest.fixture(autouse=True)
def _methods_of_a_test_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in KINDS.values():
        monkeypatch.setattr(kind, "_settings", dict(kind.known))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_method_and_every_setting_says_what_it_is(kind: str) -> None:
    for name, settings in KINDS[kind].known.items():
        assert summary_of(settings).endswith("."), name
        for setting in settings_of(settings):
            assert setting.doc.split(". ")[0].rstrip().endswith((".", '."')) or setting.doc, f"{name}.{setting.name}"
            assert setting.doc[:1].isupper() or setting.doc.startswith("mu "), f"{name}.{setting.name}: {setting.doc!r}"


def test_every_setting_of_a_run_is_a_sentence() -> None:
    for leaf in offered(TrainConfig, {}):
        assert leaf.setting.doc.endswith((".", '."')), leaf.name


def test_a_method_takes_data_and_settings() -> None:
    data = {"rewards": np.ones((2, 1)), "turns": np.ones((2, 1)), "groups": [0, 0], "anchors": np.zeros((2, 1))}
    assert (gigpo.needs, gigpo.gives) == (tuple(data), "turn")
    own = gigpo.run(list(data.values()), GiGPO(gamma=0.5))
    assert own.tolist() == gigpo(*data.values(), gamma=0.5).tolist() == gigpo(**data, gamma=0.5).tolist()
    with pytest.raises(SettingsError, match=r"gigpo has no setting 'gama' \(did you mean 'gamma'\?\)"):
        gigpo(*data.values(), gama=0.5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GiGPO(gama=0.9), r"gigpo has no setting 'gama' \(did you mean 'gamma'\?\)"),
        (lambda: GiGPO(gamma=1.5), "gamma is 1.5; it must be from 0 to 1"),
        (lambda: GiGPO(0.9), "settings of GiGPO are given by name: gamma, step_weight"),
        (lambda: EnvConfig(), "EnvConfig needs a value for id"),
        (lambda: TrainConfig(env=EnvConfig(id="Maze"), loss=GiGPO()), "loss is GiGPO"),
        (
            lambda: TrainConfig(env=EnvConfig(id="Maze"), credt=GiGPO()),
            r"no setting 'credt' \(did you mean 'credit'\?\)",
        ),
        (lambda: RewardConfig(shaping=(GiGPO(),)), "shaping is GiGPO"),
        (lambda: kinds.credit.settings_of("gigop"), r"credit is 'gigop' \(did you mean 'gigpo'\?\)"),
    ],
)
def test_mistakes_in_python_are_answered_with_the_nearest(make: object, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make()  # type: ignore[operator]


def test_settings_are_values() -> None:
    assert GiGPO() == GiGPO(gamma=0.95) != GiGPO(gamma=0.9)
    with pytest.raises(AttributeError):
        GiGPO().gamma = 0.5  # type: ignore[misc]


def test_a_method_of_ones_own_with_and_without_settings() -> None:
    @credit("tests_doubled", needs=("returns",))
    def doubled(returns: np.ndarray) -> np.ndarray:
        """Twice the return."""
        return 2 * returns

    class Extra(Shaping, name="tests_extra"):
        """A constant."""

        amount: Annotated[float, Range(0)] = 1.0
        """How much."""

    @shaping(Extra, needs=("lengths",))
    def extra(lengths: np.ndarray, settings: Extra) -> np.ndarray:
        return np.full(len(lengths), settings.amount)

    assert doubled(np.ones(2)).tolist() == [2, 2] and isinstance(doubled.settings(), Credit)
    config = TrainConfig(env=EnvConfig(id="Maze"), credit=doubled.settings(), reward=RewardConfig(shaping=(Extra(),)))
    assert config.measured == {"returns"}
    again = config.changed({f"shaping.{config.flat()['shaping'][0].rpartition(':')[2]}.amount": 3.0})
    assert again.reward.shaping == (Extra(amount=3.0),)
    assert TrainConfig.from_json(again.to_json()) == again


def test_a_method_in_a_file_is_chosen_by_the_command_line_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "own_methods.py"
    path.write_text(OWN, encoding="utf-8")
    flags = ["--credit", "own_methods.py:halves", "--credit.share", "0.25"]
    command = [sys.executable, "-m", "turnwise", "train", "smoke", "--dry-run", *flags]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["credit"] == f"{path}:halves" and found["credit.share"] == 0.25
    config = TrainConfig.from_json(done.stdout)  # this process has not imported the file
    assert getattr(config.credit, "share") == 0.25  # noqa: B009  (mypy does not know the class)
    assert config.changed({"credit": f"{path}:plain"}).measured == {"returns"}
    with pytest.raises(SettingsError, match=r"credit\.share is 3; it must be from 0 to 1"):
        config.changed({"credit.share": 3})
    with pytest.raises(SettingsError, match=r"declares no credit 'halvs' \(did you mean 'halves'\?\)"):
        config.changed({"credit": f"{path}:halvs"})


def test_data_that_there_are_not_are_refused_where_a_method_is_declared() -> None:
    with pytest.raises(SettingsError, match=r"needs what credit does not have: 'retruns' \(did you mean 'returns'\?\)"):
        credit("tests_typo", needs=("retruns",))(lambda returns: returns)


def test_the_names_of_data_are_those_of_the_trainer() -> None:
    from turnwise.baselines.trainer.advantage import Arrays
    from turnwise.baselines.trainer.measure import TOGETHER, Measures
    from turnwise.baselines.trainer.objective import StepTokens

    for name in kinds.ROLLOUTS:
        assert hasattr(Arrays, f"_{name}") or hasattr(Measures, f"_{TOGETHER.get(name, name)}"), name
    fields = {*StepTokens.__dataclass_fields__, *(n for n, v in vars(StepTokens).items() if isinstance(v, property))}
    assert set(kinds.TOKENS) - {"prox_logps"} <= fields and "prox_logps" in dir(StepTokens)


def test_the_settings_of_the_vllm_server_are_those_of_its_client() -> None:
    from turnwise.engine.vllm import VLLMServerEngine

    taken = {setting.name: setting.default for setting in settings_of(VLLMServerEngine.__init__)}
    own = {setting.name: setting.default for setting in settings_of(Vllm) if setting.name != "folder"}
    assert own.items() <= taken.items()


def test_bases_are_no_methods() -> None:
    assert "" not in kinds.credit.known and Credit not in kinds.credit.known.values()
    assert issubclass(GiGPO, Settings)
