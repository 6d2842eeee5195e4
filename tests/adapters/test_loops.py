"""`play` against an endpoint on this machine, and the adapters of frameworks that do not install here.

Those get stand-ins of the types that they name; their pages in docs/ say so, and their code runs here.
"""

import asyncio
import json
import pickle
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import turnwise
from tests._http import Asked, answer, serving
from turnwise.adapters.agent_lightning import main
from turnwise.adapters.areal import TurnwiseAgent
from turnwise.adapters.titan import TurnwiseMessageEnv as TitanEnv
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import make
from turnwise.session.play import play
from turnwise.session.rows import rows

[ROW] = rows("turnwise/FrozenLake-v0", 1, settings={"size": 4})
DOCS = Path(__file__).parents[2] / "docs"


def code_of(name: str) -> dict[str, Any]:
    """What the code of a page leaves.

    There are use_in_tinker.md, use_in_titan.md, use_in_areal.md, use_in_agent_lightning.md and use_in_rllm.md.
    """
    space: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / f"use_in_{name}.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, space)
    return space


@dataclass(frozen=True)
class Nothing:
    """The only task."""

    number: int = 1


@turnwise.register("tests/Unavailable-v0")
class Unavailable(Env[Nothing]):
    """Always fails."""

    max_turns = 2

    def generate(self, rng: object) -> Nothing:
        return Nothing()

    def begin(self) -> str:
        return "say something"

    def respond(self, action: str) -> Reply:
        raise InfrastructureError("the sandbox is gone")


DOWN = {**ROW, "env": "tests/Unavailable-v0", "settings": "{}"}


def solve(messages: Sequence[Mapping[str, Any]]) -> str:
    """The oracle's next action in the conversation of the row."""
    env = make(ROW["env"], **json.loads(ROW["settings"]))
    env.reset(seed=ROW["seed"])
    for message in messages:
        if message["role"] == "assistant":
            env.step(message["content"])
    return str(env.unwrapped.oracle())  # type: ignore[attr-defined]


def model(speak: Callable[..., str] = solve, seen: list[Asked] | None = None) -> Any:
    """An endpoint whose answers have ids; it takes events, too."""

    def script(asked: Asked) -> Iterator[bytes]:
        if seen is not None:
            seen.append(asked)
        if "chat/completions" not in asked.line:
            yield answer(200, b"{}")
            return
        said = {"role": "assistant", "content": speak(json.loads(asked.body)["messages"])}
        body = {"id": f"r{asked.number}", "choices": [{"message": said, "finish_reason": "stop"}]}
        yield answer(200, json.dumps(body).encode())

    return serving(script)


@pytest.mark.slow
def test_an_episode_with_a_model_behind_an_endpoint() -> None:
    settings = json.loads(ROW["settings"])
    seen: list[Asked] = []
    with model(seen=seen) as server:
        given = {"base_url": f"{server.url}/v1", "model": "m", "api_key": "k7", "system": "Be brief."}
        played = play("FrozenLake", settings, ROW["seed"], **given)
        assert play("FrozenLake", settings, ROW["seed"], **given).episode.turns == played.episode.turns
    assert played.valid and played.episode_return == 1.0 and played.episode.solved
    turns = len(played.episode.turns)
    assert turns > 1 and list(played.rewards) == [f"r{n}" for n in range(turns)]
    assert list(played.rewards.values()) == [turn.reward for turn in played.episode.turns]
    assert {asked.headers["authorization"] for asked in seen} == {"Bearer k7"}
    bodies = [json.loads(asked.body)["messages"] for asked in seen[:turns]]
    assert bodies[0][0] == {"role": "system", "content": "Be brief."}
    assert all(after[: len(before)] == before for before, after in pairwise(bodies)), "only grows"
    with model(lambda messages: "I do not know.") as server:
        lost = play("FrozenLake", settings, ROW["seed"], base_url=f"{server.url}/v1", model="m")
        assert lost.valid and lost.episode_return == 0.0 and set(lost.rewards.values()) == {0.0}
        failed = play("Unavailable", base_url=f"{server.url}/v1", model="m")
        assert not failed.valid and failed.episode.error == "the sandbox is gone"
    with pytest.raises(SettingsError, match="api_key"):
        play("FrozenLake", base_url="http://127.0.0.1:1/v1", model="m", api_key="a\nb")


def test_areal_gets_rewards_by_response_and_none_for_failures() -> None:
    with model() as server:
        agent = TurnwiseAgent(max_tokens=50)
        given: dict[str, Any] = {"base_url": f"{server.url}/v1", "api_key": "k", "http_client": None}
        earned = asyncio.run(agent.run(ROW, **given))
        assert earned is not None and len(earned) > 1 and sum(earned.values()) == 1.0
        assert asyncio.run(agent.run(DOWN, **given)) is None


def test_areal_by_the_code_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space = code_of("areal")
    data = [json.loads(line) for line in Path("train.jsonl").read_text().splitlines()]
    assert data[0] == ROW and len(data) == 4
    with model() as server:
        assert sum(asyncio.run(space["one"](data[0], f"{server.url}/v1")).values()) == 1.0


@pytest.mark.slow
def test_rllm_by_the_code_of_the_page() -> None:
    space = code_of("rllm")
    assert space["data"][0] == ROW
    with model() as server:
        played = asyncio.run(space["one"](ROW, f"{server.url}/v1", "m"))
        assert played.episode_return == 1.0 and played.valid and played.episode.solved
        with pytest.raises(RuntimeError, match="the sandbox is gone"):
            asyncio.run(space["one"](DOWN, f"{server.url}/v1", "m"))


@pytest.mark.slow
def test_agent_lightning_gets_an_event_and_none_for_failures() -> None:
    seen: list[Asked] = []
    with model(seen=seen) as server:
        given = {"AGL_OPENAI_BASE_URL": f"{server.url}/v1", "AGL_EVENT_URL": f"{server.url}/events", "AGL_KEY": "k"}
        given |= {"TURNWISE_ENV": ROW["env"], "TURNWISE_SETTINGS": ROW["settings"], "TURNWISE_SEED": str(ROW["seed"])}
        assert code_of("agent_lightning")["environments"][0].items() <= given.items()
        assert main(given) == 0
        [event] = [asked for asked in seen if "/events" in asked.line]
        assert json.loads(event.body) == {"event_type": "reward", "data": {"value": 1.0}}
        assert event.headers["authorization"] == "Bearer k"
        assert main({**given, "TURNWISE_ENV": "Unavailable", "TURNWISE_SETTINGS": ""}) == 1
        assert len([asked for asked in seen if "/events" in asked.line]) == 1
    with pytest.raises(SettingsError, match="AGL_EVENT_URL, TURNWISE_SEED"):
        main({**given, "AGL_EVENT_URL": "", "TURNWISE_SEED": ""})


def test_titan_by_the_code_of_the_page() -> None:
    space = code_of("titan")
    assert space["data"][0] == ROW
    assert asyncio.run(space["episode"](solve)) == 1.0
    assert asyncio.run(space["episode"](lambda messages: "I do not know.")) == 0.0

    async def fails() -> None:
        env = TitanEnv(DOWN)
        await env.init()
        await env.step({"role": "assistant", "content": "x"})

    with pytest.raises(InfrastructureError, match="the sandbox is gone"):
        asyncio.run(fails())


@dataclass
class StepResult:
    """Theirs, in shape."""

    reward: float
    episode_done: bool
    next_messages: list[Any]
    metrics: dict[str, float] = field(default_factory=dict)


class Wrapped:
    """Theirs, in shape."""

    def __init__(self, renderer: Any, message_env: Any, failed_parse_reward: float = -1.0, **options: Any) -> None:
        self.message_env, self.failed_parse_reward, self.options = message_env, failed_parse_reward, options


@pytest.fixture
def tinker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    names = ("tinker_cookbook", "tinker_cookbook.rl", "tinker_cookbook.rl.message_env", "tinker_cookbook.rl.types")
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    theirs = {"MessageEnv": object, "MessageStepResult": StepResult, "EnvFromMessageEnv": Wrapped}
    vars(sys.modules[names[2]]).update(theirs)
    vars(sys.modules[names[3]])["EnvGroupBuilder"] = object
    import turnwise.adapters.tinker as module

    yield module
    del sys.modules["turnwise.adapters.tinker"]


def test_tinker_by_the_code_of_the_page(tinker: Any) -> None:
    batch = code_of("tinker")["batch"]
    assert len(batch) == 4 and len(asyncio.run(batch[0].make_envs())) == 8


def test_tinker_gets_groups_of_message_environments(tinker: Any) -> None:
    group = pickle.loads(pickle.dumps(tinker.TurnwiseGroup(ROW, "renderer", 2, {"max_trajectory_tokens": 99})))
    envs = asyncio.run(group.make_envs())
    assert len(envs) == 2 and envs[0].failed_parse_reward == 0.0
    assert envs[0].options == {"context_overflow_reward": 0.0, "max_trajectory_tokens": 99}

    async def episode(env: Any, speak: Callable[[Any], Any]) -> tuple[Any, float, Any]:
        said = first = await env.initial_observation()
        total, done = 0.0, False
        while not done:
            result = await env.step({"role": "assistant", "content": speak(said)})
            assert result.next_messages[: len(said)] == said and len(result.next_messages) == len(said) + 2
            said, total, done = result.next_messages, total + result.reward, result.episode_done
        return first, total, result

    played = [asyncio.run(episode(env.message_env, solve)) for env in envs]
    assert played[0][0] == played[1][0], "a group plays one task"
    assert [total for _, total, _ in played] == [1.0, 1.0] and played[0][2].metrics["solved"] == 1.0

    parts = lambda said: [{"type": "thinking", "thinking": "up"}, {"type": "text", "text": "I do not know."}]  # noqa: E731
    _, total, result = asyncio.run(episode(tinker.TurnwiseMessageEnv(ROW), parts))
    assert total == 0.0 and result.metrics["truncated"] == 1.0

    async def fails() -> None:
        env = tinker.TurnwiseMessageEnv(DOWN)
        await env.initial_observation()
        await env.step({"role": "assistant", "content": "x"})

    with pytest.raises(InfrastructureError, match="the sandbox is gone"):
        asyncio.run(fails())
