"""The rollout for slime and Miles, against stand-ins of their samples and a router on this machine."""

import asyncio
import json
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

import turnwise
from tests._http import Asked, Server, answer, serving
from tests.engine._tokenizers import FAMILIES, build
from turnwise.adapters.slime import dataset, generate, group_rewards
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import make
from turnwise.engine.tokens import Renderer, make_renderer

PAGE = Path(__file__).parents[2] / "docs" / "use_in_slime.md"
[ROW] = dataset("FrozenLake", 1, system="Be brief.", size=4)


@dataclass(frozen=True)
class Word:
    """The word to say."""

    word: str


@turnwise.register("tests/Collapsing-v0")
class Collapsing(Env[Word]):
    """Say the word. It fails at the beginning, or at "fail", as often as it is told to."""

    max_turns = 3
    at_start = at_step = 0

    def generate(self, rng: np.random.Generator) -> Word:
        return Word(f"w{int(rng.integers(1 << 40))}")

    def begin(self) -> str:
        if Collapsing.at_start:
            Collapsing.at_start -= 1
            raise InfrastructureError("no sandbox")
        return f"say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if action == "fail" and Collapsing.at_step:
            Collapsing.at_step -= 1
            raise InfrastructureError("the sandbox is gone")
        return Reply("heard", solved=action == self.task.word)

    def oracle(self) -> str:
        return self.task.word


@dataclass
class Sample:
    """Theirs, in shape: Miles's."""

    prompt: Any = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)
    response: str = ""
    response_length: int = 0
    reward: float | None = None
    loss_mask: list[int] | None = None
    rollout_log_probs: list[float] | None = None
    remove_sample: bool = False
    group_index: int | None = None

    class Status(Enum):
        """Theirs."""

        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"

    status: Status = Status.PENDING

    def get_reward_value(self, args: Any) -> Any:
        return self.reward


class SlimeSample(Sample):
    """slime's, which appends tokens itself and refuses those that do not fit."""

    def append_response_tokens(
        self, args: Any = None, *, tokens: Any, log_probs: Any = None, trainable: bool, meta_info: Any = None, text: str
    ) -> None:
        assert (log_probs is not None) == trainable == (meta_info is not None)
        assert self.loss_mask is not None
        assert self.rollout_log_probs is not None
        self.tokens += tokens
        self.response, self.response_length = self.response + text, self.response_length + len(tokens)
        self.loss_mask += [int(trainable)] * len(tokens)
        self.rollout_log_probs += log_probs if trainable else [0.0] * len(tokens)


Field = tuple[Callable[..., Sample], Server, Renderer]
Speak = Callable[[str], str]


@pytest.fixture(scope="module")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Renderer:
    folder = tmp_path_factory.mktemp("checkpoint")
    build(FAMILIES["qwen2.5"]).save_pretrained(folder)
    found = make_renderer(build(FAMILIES["qwen2.5"]))
    found.folder = str(folder)  # type: ignore[attr-defined]
    return found


@pytest.fixture(params=[Sample, SlimeSample])
def rollout(request: pytest.FixtureRequest, renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Plays a row: returns the sample and what the router was asked."""

    async def post(url: str, payload: Any) -> Any:
        async with httpx.AsyncClient() as http:
            return (await http.post(url, json=payload)).json()

    for name in ("trainer", "trainer.utils", "trainer.utils.types", "trainer.utils.http_utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["trainer.utils.http_utils"].post = post  # type: ignore[attr-defined]
    monkeypatch.setattr(request.param, "__module__", "trainer.utils.types")

    def play(row: Mapping[str, Any], speak: Speak, most: int = 4000, **more: Any) -> tuple[Any, list[Any]]:
        asked: list[Any] = []

        def script(request: Asked) -> Iterator[bytes]:
            body = json.loads(request.body)
            asked.append(body)
            said = speak(renderer.tokenizer.decode(body["input_ids"]))
            ids = renderer.action(said)[: body["sampling_params"]["max_new_tokens"]]
            reason = "abort" if said == "ABORT" else "stop" if ids[-1] in renderer.stop_ids else "length"
            meta = {"finish_reason": {"type": reason}, "output_token_logprobs": [[-0.5, token, None] for token in ids]}
            yield answer(200, json.dumps({"text": said, "meta_info": meta}).encode())

        with serving(script) as server:
            where = {"sglang_router_ip": "127.0.0.1", "sglang_router_port": server.port}
            args = SimpleNamespace(hf_checkpoint=renderer.folder, **where, **more)  # type: ignore[attr-defined]
            sample = request.param(prompt=row["prompt"], metadata=dict(row["metadata"]))
            sample = asyncio.run(generate(args, sample, {"max_new_tokens": most, "temperature": 1.0}))
        return sample, asked

    return play


def oracle_of(row: Mapping[str, Any]) -> Speak:
    """A model that reads the printed conversation and knows the task."""

    def speak(printed: str) -> str:
        env: Any = make(row["metadata"]["env"], **json.loads(row["metadata"]["settings"]))
        env.reset(seed=row["metadata"]["seed"])
        for said in re.findall(r"<\|im_start\|>assistant\n(.*?)<\|im_end\|>", printed, re.DOTALL):
            env.step(said)
        return str(env.unwrapped.oracle())

    return speak


def test_the_tokens_are_those_that_were_sampled(rollout: Callable[..., Any], renderer: Renderer) -> None:
    sample, asked = rollout(ROW, oracle_of(ROW))
    assert sample.reward == 1.0 and sample.status is Sample.Status.COMPLETED and not sample.remove_sample
    assert sample.metadata["turnwise"]["solved"] and sample.metadata["seed"] == ROW["metadata"]["seed"]
    assert len(asked) == sample.metadata["turnwise"]["turns"] > 1
    lengths = {len(sample.loss_mask), len(sample.rollout_log_probs), sample.response_length}
    assert lengths == {sample.response_length}
    prompt = sample.tokens[: -sample.response_length]
    assert asked[0]["input_ids"] == prompt and "Be brief." in sample.prompt
    assert all(body["return_logprob"] for body in asked)
    for before, after in pairwise(asked):
        assert after["input_ids"][: len(before["input_ids"])] == before["input_ids"], "it only grows"
    said = [
        row for body in asked for row in renderer.action(oracle_of(ROW)(renderer.tokenizer.decode(body["input_ids"])))
    ]
    response = sample.tokens[len(prompt) :]
    assert [token for token, one in zip(response, sample.loss_mask, strict=True) if one] == said
    assert {p for p, one in zip(sample.rollout_log_probs, sample.loss_mask, strict=True) if one} == {-0.5}
    assert {p for p, one in zip(sample.rollout_log_probs, sample.loss_mask, strict=True) if not one} == {0.0}
    assert len([one for one, _ in groupby(sample.loss_mask) if one]) == len(asked)
    assert sample.response == renderer.tokenizer.decode(response)
    spent = asked[1]["sampling_params"]["max_new_tokens"] - asked[0]["sampling_params"]["max_new_tokens"]
    assert asked[1]["sampling_params"]["temperature"] == 1.0
    assert -spent == len(asked[1]["input_ids"]) - len(prompt)


def test_wrong_answers_and_limits(rollout: Callable[..., Any]) -> None:
    sample, asked = rollout(ROW, lambda printed: "I do not know.")
    assert sample.reward == 0.0 and sample.status is Sample.Status.COMPLETED
    assert sample.metadata["turnwise"]["truncated"] and len(asked) == 10
    sample, asked = rollout(ROW, lambda printed: "I do not know." * 20, most=50)
    assert sample.status is Sample.Status.TRUNCATED and len(asked) == 1 and sample.metadata["turnwise"]["turns"] == 0
    assert sample.response_length == 50 == sum(sample.loss_mask)
    sample, asked = rollout(ROW, lambda printed: "no", most=8)
    assert sample.status is Sample.Status.TRUNCATED and len(asked) == 1, "nothing is left for a second message"
    assert sample.response_length > 8 > sum(sample.loss_mask) > 0
    sample, _ = rollout(ROW, lambda printed: "ABORT")
    assert sample.status is Sample.Status.ABORTED and sample.tokens == [] and sample.reward is None
    with pytest.raises(SettingsError, match="partial_rollout"):
        rollout(ROW, lambda printed: "no", partial_rollout=True)


def test_an_environment_that_fails(rollout: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(iter(dataset(f"{__name__}:Collapsing", 1)))
    speak = lambda printed: "fail" if "heard" not in printed else printed.split("say ")[1].split("<")[0]  # noqa: E731
    monkeypatch.setattr(Collapsing, "at_step", 2)
    sample, _ = rollout(row, speak)
    assert sample.reward == 1.0 and not sample.remove_sample, "begun again, unseen"
    monkeypatch.setattr(Collapsing, "at_step", 100)
    sample, asked = rollout(row, speak)
    assert sample.remove_sample and sample.reward == 0.0 and sample.response_length > 0 and len(asked) == 1
    assert sample.metadata["turnwise"] == {"error": "the sandbox is gone"}
    monkeypatch.setattr(Collapsing, "at_start", 100)
    sample, asked = rollout(row, speak)
    assert sample.remove_sample and not asked and sample.response_length == 1 == len(sample.loss_mask)
    assert len(sample.tokens) > 1 and sample.loss_mask == [0]


def test_removed_samples_are_in_no_baseline() -> None:
    rewards = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    samples = [Sample(reward=reward, group_index=number // 3) for number, reward in enumerate(rewards)]
    samples[2].remove_sample = samples[4].remove_sample = samples[5].remove_sample = True
    asks = {"advantage_estimator": "grpo", "rewards_normalization": True, "n_samples_per_prompt": 3}
    args = SimpleNamespace(**asks, grpo_std_normalization=False)
    assert group_rewards(args, samples) == (rewards, [0.5, -0.5, 0.0, 0.0, 0.0, 0.0])
    raw, found = group_rewards(SimpleNamespace(**asks, grpo_std_normalization=True), samples)
    deviation = 0.5**0.5 + 1e-6
    assert raw == rewards and found == pytest.approx([0.5 / deviation, -0.5 / deviation, 0.0, 0.0, 0.0, 0.0])
    for sample in samples:
        sample.group_index = None
    assert group_rewards(args, samples)[1] == [0.5, -0.5, 0.0, 0.0, 0.0, 0.0], "by place"
    other = SimpleNamespace(**{**asks, "advantage_estimator": "ppo"})
    assert group_rewards(other, samples) == (rewards, rewards)


def test_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, {})
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text().splitlines()]
    assert len(rows) == 4 and rows[0] == ROW
    for path in re.findall(r"-path (\S+)", text):
        module, _, name = path.rpartition(".")
        assert callable(getattr(sys.modules[module], name)), path
