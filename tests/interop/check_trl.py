# requires: torch>=2.9,<2.14 trl>=1.16,<1.17 transformers>=5.13 datasets>=4.7
"""TRL's `GRPOTrainer`, unchanged, trains five steps with tools and five in words; a failed sandbox is masked.

The model is tiny and random, so that half of the rows get their turns from here, in the place of its samples.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "CUDA_VISIBLE_DEVICES": ""}
import torch
import trl
from datasets import Dataset
from players import Outage, blocks, knowing, outside
from tiny import conversation, save
from transformers import AutoModelForCausalLM, AutoTokenizer

from turnwise.adapters.trl import dataset, environment, episode_return, rollout_func, text_dataset
from turnwise.core.registration import make
from turnwise.core.tools import call_text

PAGE, MODEL, GROUP = "use_in_trl.md", "my-model", 4
Speak = Callable[[int, list[dict[str, str]]], str]


class Led(trl.GRPOTrainer):
    """The trainer; every second row says what ``speak`` says, and what became of each batch is kept."""

    speak: Speak

    def __init__(self, *args: Any, **options: Any) -> None:
        self.rows: list[Any] = []
        self.batches: list[Any] = []
        super().__init__(*args, **options)

    def _generate_single_turn(self, prompt_ids: Any, *args: Any, **options: Any) -> Any:
        texts = self.processing_class.batch_decode(prompt_ids)
        if not any(message["role"] == "assistant" for message in conversation(texts[0])):
            self.rows = [{"ids": list(ids), "led": i % 2 == 0, "sampled": []} for i, ids in enumerate(prompt_ids)]
        free, numbers = list(range(len(self.rows))), []
        for ids in prompt_ids:
            numbers.append(next(n for n in free if ids[: len(self.rows[n]["ids"])] == self.rows[n]["ids"]))
            free.remove(numbers[-1])
        if all(self.rows[number]["led"] for number in numbers):  # sampling would be for nothing
            said: list[Any] = [None] * len(numbers)
        else:
            said, _ = super()._generate_single_turn(prompt_ids, *args, **options)
        for i, (number, ids, text) in enumerate(zip(numbers, prompt_ids, texts, strict=True)):
            row = self.rows[number]
            if row["led"]:
                words = self.speak(number, conversation(text))
                said[i] = [*self.processing_class.encode(words), self.processing_class.eos_token_id]
            row["sampled"] += said[i]
            row["ids"] = list(ids) + said[i]
        return said, [[-0.5 - 0.001 * k for k in range(len(turn))] for turn in said]

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        out = super()._generate_and_score_completions(inputs)
        rewards = list(self._logs["rewards"]["episode_return"])[-len(inputs) :]
        self.batches.append((inputs, out, rewards, self.rows))
        return out


def train(
    speak: Speak, data: Iterator[Any], steps: int = 5, prompts: int = 2, length: int = 220, **options: Any
) -> Led:
    config = trl.GRPOConfig(
        output_dir="out", max_steps=steps, per_device_train_batch_size=prompts * GROUP, num_generations=GROUP,
        max_completion_length=length, max_tool_calling_iterations=12, learning_rate=1e-2, use_cpu=True, bf16=False,
        report_to=[], save_strategy="no", disable_tqdm=True, shuffle_dataset=False, gradient_checkpointing=False,
        logging_steps=1,
    )  # fmt: skip
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32)
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    trainer = Led(
        model=model, processing_class=AutoTokenizer.from_pretrained(MODEL), reward_funcs=episode_return, args=config,
        train_dataset=Dataset.from_list(list(data)), **options,
    )  # fmt: skip
    trainer.speak = speak
    trainer.train()
    assert trainer.state.global_step == steps and len(trainer.batches) == steps
    assert any(not torch.equal(before[name], weight) for name, weight in model.state_dict().items())
    return trainer


def right(trainer: Led, want: Callable[[int], float | None]) -> None:
    """Rewards, advantages, seeds of groups, masks and tokens of every batch."""
    seeds = []
    for inputs, out, rewards, rows in trainer.batches:
        for start in range(0, len(inputs), GROUP):
            group = slice(start, start + GROUP)
            assert len({row["seed"] for row in inputs[group]}) == 1
            assert len({tuple(ids.tolist()) for ids in out["prompt_ids"][group]}) == 1, "a group plays one task"
            seeds.append(inputs[start]["seed"])
            got = [None if reward != reward else reward for reward in rewards[group]]
            assert got == [want(start + i) for i in range(GROUP)], got
            known = torch.tensor([reward for reward in got if reward is not None])
            for reward, advantage in zip(got, out["advantages"][group].tolist(), strict=True):
                expected = 0.0 if reward is None else ((reward - known.mean()) / (known.std() + 1e-4)).item()
                assert abs(advantage - expected) < 1e-5, (advantage, expected)
        for i, row in enumerate(rows):
            length = int(out["completion_mask"][i].sum())
            ids, mask = out["completion_ids"][i][:length], out["tool_mask"][i][:length].bool()
            assert ids[mask].tolist() == row["sampled"][: int(mask.sum())], "tokens are the sampled ones"
            assert int(mask.sum()) == len(row["sampled"]) or length == trainer.max_completion_length
            if "sampling_per_token_logps" in out:
                logps = out["sampling_per_token_logps"][i][:length]
                assert (logps[~mask] == 0).all() and (logps[mask] <= -0.5).all()
    assert len(set(seeds)) == len(seeds), "no task twice"


def the_page() -> None:
    space: dict[str, Any] = {}
    for block in blocks(PAGE, "python"):
        exec(block, space)
    assert space["with_tools"].state.global_step == space["in_words"].state.global_step == 2


def answer_of(row: dict[str, Any]) -> str:
    env = make(row["env"], **json.loads(row["settings"]))
    env.reset(seed=row["seed"])
    return str(env.unwrapped.oracle())  # type: ignore[attr-defined]


def calls(code: str = "print(6 * 7)") -> str:
    return call_text("python", {"code": code})


def with_tools() -> None:
    """A call, its answer, and the last message in words, which only the reward function can play."""
    data = list(dataset("MathWithPython", 10, env="Countdown", env_difficulty=None))
    found = {make(row["env"], **json.loads(row["settings"])).reset(seed=row["seed"])[0]: row for row in data}

    def speak(number: int, said: list[dict[str, str]]) -> str:
        [start] = [message["content"] for message in said if message["content"] in found]
        return answer_of(found[start]) if said[-1]["role"] == "user" and len(said) > 3 else calls()

    kind = environment("MathWithPython", env="Countdown", env_difficulty=None)
    trainer = train(speak, iter(data), environment_factory=kind)
    right(trainer, lambda i: 1.0 if i % 2 == 0 else 0.0)
    for _, out, _, rows in trainer.batches:
        read = trainer.processing_class.decode(out["completion_ids"][0][out["tool_mask"][0] == 0])
        assert "<tool_response>\n42\n</tool_response>" in read and rows[0]["led"], read
        assert out["tool_mask"][1].all(), "a row without a call has no answer of a tool"
    schema = trainer.processing_class.decode(trainer.batches[0][1]["prompt_ids"][0])
    assert '"name": "python"' in schema and "Python source." in schema


def in_words() -> None:
    data = list(text_dataset("FrozenLake", 10, system="Be brief.", size=4))
    solve = knowing(data)
    trainer = train(lambda number, said: solve(said), iter(data), rollout_func=rollout_func())
    right(trainer, lambda i: 1.0 if i % 2 == 0 else 0.0)
    for _, out, _, _ in trainer.batches:
        assert "sampling_per_token_logps" in out
        whole = trainer.processing_class.decode([*out["prompt_ids"][0], *out["completion_ids"][0]])
        said = conversation(whole)
        assert [message["role"] for message in said[:3]] == ["system", "user", "assistant"] and len(said) > 4
        read = trainer.processing_class.decode(out["completion_ids"][0][out["tool_mask"][0] == 0])
        assert [m["content"] for m in conversation("<|im_start|>" + read.partition("<|im_start|>")[2])]


def several_environments() -> None:
    """A dictionary of them; one is played by calls of ``act``, and the model speaks on after its end."""
    kinds: dict[str, Any] = {"MathWithPython": {"env": "Countdown", "env_difficulty": None}, "FrozenLake": {"size": 4}}
    data = [next(dataset(name, 1, **given)) for name, given in kinds.items()]
    factories = {f"turnwise/{name}-v0": environment(name, **given) for name, given in kinds.items()}
    playing: dict[int, Any] = {}
    over: set[int] = set()

    def speak(number: int, said: list[dict[str, str]]) -> str:
        row = data[number // GROUP]
        if number not in playing:
            playing[number] = make(row["env"], **json.loads(row["settings"]))
            playing[number].reset(seed=row["seed"])
        if number in over:
            return "Done."
        action = str(playing[number].unwrapped.oracle())
        if row is data[0] or playing[number].step(action)[2]:
            over.add(number)
        return action if row is data[0] else call_text("act", {"message": action})

    trainer = train(speak, iter(data), steps=1, length=600, environment_factory=factories)
    right(trainer, lambda i: 1.0 if i % 2 == 0 else 0.0)
    [(_, out, _, _)] = trainer.batches
    assert "Done." in trainer.processing_class.decode(out["completion_ids"][GROUP])


@contextmanager
def sandbox() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A sandbox server of this machine: its address and its process."""
    os.environ["TURNWISE_SANDBOX_TOKEN"] = secrets.token_hex(16)
    words = [sys.executable, "-m", "turnwise.sandbox", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"], process
        finally:
            process.kill()


def a_sandbox_that_fails() -> None:
    """It dies in the middle of the first row's episode: reward None, advantage 0, and out of its group's mean."""
    with sandbox() as (url, process):
        given = {"env": "Countdown", "env_difficulty": None, "sandbox": url}
        data = list(dataset("MathWithPython", 1, **given))

        def speak(number: int, said: list[dict[str, str]]) -> str:
            if len(said) <= 3:
                return calls()
            process.kill()
            process.wait()
            return calls() if number == 0 else answer_of(data[0])

        kind = environment("MathWithPython", retries=0, **given)
        trainer = train(speak, iter(data), steps=1, prompts=1, environment_factory=kind)
    right(trainer, lambda i: {0: None, 2: 1.0}.get(i, 0.0))
    [(_, out, _, _)] = trainer.batches
    assert "The environment failed" in trainer.processing_class.decode(out["completion_ids"][0])


def an_environment_that_fails_in_words() -> None:
    Outage.left = 1
    data = list(text_dataset("Outage", 1))
    word = lambda said: next(m for m in said if m["role"] == "user")["content"].split()[1]  # noqa: E731
    speak: Speak = lambda number, said: "fail" if number == 0 else word(said)  # noqa: E731
    trainer = train(speak, iter(data), steps=1, prompts=1, rollout_func=rollout_func(retries=0))
    right(trainer, lambda i: {0: None, 2: 1.0}.get(i, 0.0))
    Outage.left = 1
    trainer = train(speak, iter(data), steps=1, prompts=1, rollout_func=rollout_func(retries=1))
    right(trainer, lambda i: {2: 1.0}.get(i, 0.0))
    assert Outage.left == 0, "begun again"


CHECKS = (
    the_page,
    in_words,
    with_tools,
    several_environments,
    a_sandbox_that_fails,
    an_environment_that_fails_in_words,
)

if __name__ == "__main__":
    torch.set_num_threads(1)
    outside()
    save(MODEL, ["Move on the ice. Answer with <answer>up</answer>."] * 20, trl.chat_template_utils.qwen3_chat_template)
    for check in CHECKS:
        check()
        print("ok", check.__name__, flush=True)
