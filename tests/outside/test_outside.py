"""Environments of others: our own server on loopback, a text environment of Gymnasium, what needs no package."""

import contextlib
import random
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import turnwise
from tests.serve.clients import until
from turnwise.core.errors import InfrastructureError, MissingDependencyError, SettingsError, UsageError
from turnwise.core.registration import env_class
from turnwise.outside.frame import needed
from turnwise.outside.openenv import action_field
from turnwise.outside.randomness import Randomness, canonical
from turnwise.outside.reasoning_gym import safe
from turnwise.serve.run import ServeConfig, serving
from turnwise.serve.table import Limits

HOME = "turnwise.outside"
IDS = [f"{HOME}.{name}" for name in (
    "openenv:OpenEnvClient-v0", "ors:OrsClient-v0", "text_gym:TextGym-v0", "reasoning_gym:ReasoningGym-v0",
    "textarena:TextArena-v0", "gem:Gem-v0", "harbor:HarborTask-v0", "tau2:Tau2-v0", "appworld:AppWorld-v0",
)]  # fmt: skip


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(ServeConfig(["GuessNumber"], port=0)) as found:
        yield found


def env_of(name: str, **settings: Any) -> Any:
    return turnwise.make(f"{HOME}.{name}", **settings).unwrapped


def halves(env: Any, text: str) -> tuple[float, dict[str, Any]]:
    """Play GuessNumber by halves of the range that its answers leave."""
    low, high, total = 1, 100, 0.0
    while True:
        guess = (low + high) // 2
        text, reward, terminated, truncated, info = env.step(f"<answer>{guess}</answer>")
        total += reward
        if terminated or truncated:
            return total, info
        higher = "higher" in text.lower()
        low, high = (guess + 1, high) if higher else (low, guess - 1)


@pytest.mark.parametrize("env_id", IDS)
def test_every_one_is_declared_in_full(env_id: str) -> None:
    cls = env_class(env_id)
    assert not cls.in_all and len(cls.cheats) >= 4 and "Chance" in (cls.__doc__ or "")


@pytest.mark.parametrize("name", ["openenv:OpenEnvClient-v0", "ors:OrsClient-v0"])
def test_a_server_of_ours_is_an_environment(url: str, name: str) -> None:
    env = env_of(name, url=url)
    first = env.reset(seed=5)
    total, info = halves(env, first[0])
    assert total == 1.0 and info["solved"] and info["reward_valid"]
    assert env.reset(seed=5) == first
    assert env.reset(seed=6)[1] != first[1]
    env.close()


def test_a_copy_of_an_episode_on_a_server(url: str) -> None:
    env = env_of("openenv:OpenEnvClient-v0", url=url)
    env.reset(seed=5)
    env.step("<answer>50</answer>")
    twin = env.fork()
    assert twin.step("<answer>3</answer>") == env.step("<answer>3</answer>")
    twin.close()
    env.close()
    other = env_of("ors:OrsClient-v0", url=url)
    other.reset(seed=5)
    with pytest.raises(UsageError, match="play it again"):
        other.fork()
    other.close()


@pytest.mark.slow
def test_splits_of_a_server(url: str) -> None:
    for name in ("openenv:OpenEnvClient-v0", "ors:OrsClient-v0"):
        ids: dict[str, set[str]] = {}
        for split in ("train", "test"):
            with contextlib.closing(env_of(name, url=url, split=split)) as env:
                ids[split] = {env.reset(seed=i)[1]["task_id"] for i in range(6)}
        assert not ids["train"] & ids["test"], name


def test_a_server_that_fails_is_no_reward() -> None:
    with serving(ServeConfig(["GuessNumber"], port=0)) as found:
        env = env_of("openenv:OpenEnvClient-v0", url=found, timeout_s=60.0)
        env.reset(seed=1)
    *_, info = env.step("<answer>5</answer>")
    assert info["reward_valid"] is False and "step" in info["error"]
    with pytest.raises(InfrastructureError, match=r"cannot be reached|failed"):
        env_of("openenv:OpenEnvClient-v0", url=found, action_field="message", timeout_s=2.0).reset(seed=1)


@pytest.mark.slow
def test_a_session_is_pinged_while_its_agent_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server gives up what is idle for four seconds; the episode goes on after six, and ends with its copy's."""
    monkeypatch.setattr("turnwise.outside.ors.PING_S", 0.2)
    monkeypatch.setattr("turnwise.serve.app.SWEEP_S", 0.1)
    with serving(ServeConfig(["GuessNumber"], port=0, limits=Limits(idle_s=4.0))) as found:
        env = env_of("ors:OrsClient-v0", url=found)
        first = env.reset(seed=5)
        time.sleep(6.0)
        total, info = halves(env, first[0])
        assert total == 1.0 and info["reward_valid"]
        env.close()
        monkeypatch.setattr("turnwise.outside.ors.PING_S", 60.0)
        until(lambda: not [t for t in threading.enumerate() if t.name == "ors-pings"], "the thread goes on for nothing")
        env = env_of("ors:OrsClient-v0", url=found)
        env.reset(seed=5)
        time.sleep(6.0)
        assert env.step("<answer>5</answer>")[4]["reward_valid"] is False, "what is not pinged is given up"
        env.close()


def test_an_action_needs_one_text() -> None:
    text = {"type": "string"}
    assert action_field({"action": {"properties": {"say": text}, "required": ["say"]}}) == "say"
    for properties in ({}, {"a": text, "b": text}, {"a": text, "n": {"type": "integer"}}):
        with pytest.raises(SettingsError, match="action_field"):
            action_field({"action": {"properties": properties, "required": list(properties)}})


def test_a_text_environment_of_gymnasium() -> None:
    env = env_of("text_gym:TextGym-v0", arguments='{"max_number": 100}')
    first = env.reset(seed=3)
    assert env.reset(seed=3) == first
    twin_start = env.fork()
    total, info = halves(env, first[0])
    assert total == 1.0 and info["solved"]
    assert halves(twin_start, first[0])[0] == 1.0
    with pytest.raises(SettingsError, match=r"CartPole.*one of texts"):
        env_of("text_gym:TextGym-v0", env_id="CartPole-v1")
    with pytest.raises(SettingsError, match="lowest must be less"):
        env_of("text_gym:TextGym-v0", lowest=1.0)


@pytest.mark.parametrize(
    ("name", "extra"), [("reasoning_gym:ReasoningGym-v0", "reasoning-gym"), ("textarena:TextArena-v0", "textarena"),
                        ("gem:Gem-v0", "gem")],
)  # fmt: skip
def test_a_missing_package_names_its_extra(name: str, extra: str) -> None:
    try:
        needed(name.partition(":")[0], extra)
    except MissingDependencyError:
        with pytest.raises(MissingDependencyError, match=rf"turnwise\[{extra}\]"):
            env_of(name)
    else:
        pytest.skip(f"{extra} is installed; tests/interop plays it")


def test_global_generators_are_lent_and_given_back() -> None:
    random.seed(4)
    np.random.seed(4)
    before = random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[union-attr, index]
    draws = []
    for _ in range(2):
        mine, other = Randomness(9), Randomness(8)
        found = []
        for _ in range(3):
            with mine.lent():
                found.append((random.random(), float(np.random.rand())))
            with other.lent():
                random.random()
        draws.append(found)
    assert draws[0] == draws[1] and len(set(draws[0])) == 3
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # type: ignore[union-attr, index]


def test_what_an_object_holds_is_written_without_addresses_and_order() -> None:
    class Thing:
        def __init__(self, order: int) -> None:
            self.words = {"a", "b", "c"} if order else {"c", "b", "a"}
            self.inner = {"x": [1, (2.0, None)], "call": len}
            self.me = self

    assert canonical(vars(Thing(0))["inner"]) == canonical(vars(Thing(1))["inner"])
    assert canonical({"s": {"a", "b"}}) == canonical({"s": {"b", "a"}}) != canonical({"s": {"a"}})
    assert "0x" not in canonical(Thing(0))


@pytest.mark.parametrize(
    ("dataset", "answer", "shown"),
    [
        ("n_queens", "[['Q', '_'], ['_', 'Q']]", True), ("n_queens", "Q _\n_ Q", True),
        ("n_queens", "__import__('os').system('id')", False), ("n_queens", "[x for x in (1,)]", False),
        ("n_queens", "[1] * 10**9", False), ("n_queens", "(" * 5000, False),
        ("countdown", "(75 - 3)*4 + 2", True), ("countdown", "len('yy')", False), ("countdown", "139e0", False),
        ("countdown", "9**9", False), ("polynomial_multiplication", "3*x**2 - 4*x*y + 7", True),
        ("polynomial_multiplication", "9**9**9", False), ("polynomial_multiplication", "x.diff()", False),
        ("polynomial_multiplication", "9**999", False), ("simple_integration", "x**3/3 + sin(x)*exp(2*x) + C", True),
        ("simple_integration", "(2*x + 1)**(3/2)", True), ("simple_integration", "exec(x)", False),
        ("simple_integration", "x or 1", False), ("chain_sum", "__import__('os')", True),
    ],
)  # fmt: skip
def test_what_a_scorer_may_see(dataset: str, answer: str, shown: bool) -> None:
    assert safe(dataset, answer) is shown
