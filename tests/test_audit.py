"""The audit finds what is wrong, and only that."""

from collections.abc import Sequence
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.audit import HOSTILE, LUCKY, LevelChance, audit, chance_line, generation_rate, measure_levels
from turnwise.core import Env, Reply
from turnwise.errors import SettingsError
from turnwise.registration import register


@dataclass(frozen=True)
class Task:
    number: int


class Honest(Env[Task]):
    """Reward 1 for saying the number that is shown."""

    high: int = 1000
    levels = tuple({"high": 10 * 2**n} for n in range(10))
    chance = tuple(1 / (10 * 2**n) for n in range(10))
    cheats = ("9 or 10", lambda env: f"not {env.task.number}")

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(self.high)))

    def begin(self) -> str:
        return f"Say the number after {self.task.number - 1}."

    def respond(self, action: str) -> Reply:
        return Reply("Yes.", solved=True) if action.strip() == str(self.task.number) else Reply("No.")

    def oracle(self) -> str:
        return str(self.task.number)

    def paraphrases(self) -> Sequence[str]:
        return (f" {self.task.number}", f"{self.task.number}\n")

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(rng.integers(self.high))


@register("audited/Honest-v0")
class _Honest(Honest):
    pass


@register("audited/Picky-v0")
class _Picky(Honest):
    """Refuses a paraphrase."""

    def respond(self, action: str) -> Reply:
        return Reply("Strip it.") if action.endswith("\n") else super().respond(action)


@register("audited/Leaky-v0")
class _Leaky(Honest):
    """Pays one of its cheats a little, and a text that says nothing."""

    def respond(self, action: str) -> Reply:
        if action.startswith("not ") and self.task.number % 2:
            return Reply("Half right.", reward=0.25, done=True)
        return Reply("Fine.", solved=True) if action == "I give up." else super().respond(action)


@register("audited/Guessable-v0")
class _Guessable(Honest):
    """A constant answer is right too often."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(2)))


@register("audited/Unlucky-v0")
class _Unlucky(Honest):
    """A constant answer is right now and then: no more than chance."""

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(int(rng.integers(25)))


@register("audited/Broken-v0")
class _Broken(Honest):
    """Raises on an empty answer."""

    def respond(self, action: str) -> Reply:
        action[0]
        return super().respond(action)


@register("audited/Poor-v0")
class _Poor(Honest):
    """The oracle fails on some tasks."""

    def oracle(self) -> str:
        return str(min(self.task.number, 500))


def found(name: str, tasks: int = 40) -> list[tuple[str, str]]:
    return [(f.kind, f.agent) for f in audit(f"audited/{name}-v0", num_tasks=tasks).findings]


def test_nothing_is_found_in_an_honest_environment() -> None:
    result = audit("audited/Honest-v0", {"high": 5000}, num_tasks=30, seed=3)
    assert result.ok
    assert result.settings == {"high": 5000}
    assert result.played["oracle"] == 30
    assert result.played["paraphrase"] == 60
    assert result.played["cheat"] == 60
    assert result.played["hostile"] == 30 * len(HOSTILE)
    assert result.played["lucky"] == 30 * (len(LUCKY) + 1)
    assert result.random_rate < 0.1
    assert result.tasks_per_second > 100


def test_a_refused_paraphrase_is_a_false_reject() -> None:
    result = audit("audited/Picky-v0", num_tasks=20)
    [finding] = result.findings
    assert (finding.kind, finding.agent, finding.wrong, finding.episodes) == ("false reject", "paraphrase 2", 20, 20)
    assert finding.first.turns[0].action.endswith("\n")


def test_an_oracle_that_fails_is_a_false_reject() -> None:
    result = audit("audited/Poor-v0", num_tasks=40)
    assert [(f.kind, f.agent) for f in result.findings] == [("false reject", "oracle")]
    assert 5 < result.findings[0].wrong < 35
    assert not result.findings[0].first.solved


def test_a_paid_cheat_is_a_false_accept_however_little_it_earns() -> None:
    result = audit("audited/Leaky-v0", num_tasks=40)
    kinds = [(f.kind, f.agent) for f in result.findings]
    assert kinds == [("false accept", "cheat 2"), ("false accept", "hostile text: 'I give up.'")]
    assert result.findings[0].first.episode_return == 0.25
    assert 0 < result.findings[0].wrong < 40
    assert result.findings[1].wrong == 40


def test_constants_may_be_lucky_but_not_more() -> None:
    assert found("Unlucky") == []
    assert ("false accept", "constant: '1'") in found("Guessable")


def test_an_exception_is_an_error_and_the_audit_goes_on() -> None:
    result = audit("audited/Broken-v0", num_tasks=5)
    [finding] = result.findings
    assert (finding.kind, finding.agent) == ("error", "hostile text: ''")
    assert "IndexError" in (finding.first.error or "")


def test_levels() -> None:
    levels = list(measure_levels("audited/Honest-v0", episodes=400))
    assert [level.level for level in levels] == list(range(1, 11))
    assert levels[0].recorded == 0.1
    assert all(level.ok for level in levels)
    assert 0.05 < levels[0].rate < 0.16
    line = chance_line(levels)
    assert line.startswith("chance = (0.")
    assert len(eval(line.partition("=")[2])) == 10


def test_a_wrong_or_missing_chance_rate_is_told() -> None:
    assert LevelChance(1, 100, 1000, 0.1).ok
    assert not LevelChance(1, 100, 1000, 0.02).ok
    assert not LevelChance(1, 0, 1000, 0.1).ok
    assert not LevelChance(1, 0, 1000, None).ok
    assert LevelChance(1, 1, 40, 0.0).ok


def test_bad_requests() -> None:
    with pytest.raises(SettingsError, match="did you mean audited/Honest-v0"):
        audit("audited/Honst-v0")
    with pytest.raises(SettingsError, match="num_tasks is 0"):
        audit("audited/Honest-v0", num_tasks=0)
    with pytest.raises(SettingsError, match="no setting 'hihg'"):
        audit("audited/Honest-v0", {"hihg": 3})


def test_generation_rate_counts_tasks() -> None:
    assert generation_rate(gymnasium.make("audited/Honest-v0"), seconds=0.05) > 100


@pytest.mark.parametrize("env_id", ["Countdown", "GuessNumber"])
def test_shipped_environments(env_id: str) -> None:
    result = audit(env_id, num_tasks=10)
    assert result.ok, result.findings
