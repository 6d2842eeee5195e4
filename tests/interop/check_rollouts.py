# requires: torch>=2.9,<2.14 trl>=1.16,<1.17 transformers>=5.13 datasets>=4.7
"""TRL's `GRPOTrainer`, unchanged, trains a step on a file of `turnwise rollout`, which it reads as nothing but JSON."""

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1", "CUDA_VISIBLE_DEVICES": ""}
import torch
import trl
from datasets import Dataset
from players import outside
from tiny import save
from transformers import AutoModelForCausalLM, AutoTokenizer

from turnwise.cli.main import run

MODEL, GROUP = "my-model", 4
WORDS = ["rollout", "GuessNumber:max_turns=3", "--agent", f"hf:{MODEL}", "--agent-options", "max_new_tokens=20"]


class Kept(trl.GRPOTrainer):
    """The trainer; what became of a batch is kept."""

    def _generate_and_score_completions(self, inputs: Any) -> Any:
        self.batch = super()._generate_and_score_completions(inputs)
        return self.batch


def of_file(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def the_rows_are_the_models(rows: list[dict[str, Any]]) -> None:
    """Teacher forcing by transformers gives the log-probabilities in the file."""
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32)
    for row in rows:
        ids = torch.tensor(row["ids"])
        with torch.no_grad():
            logps = model(ids[None]).logits[0, :-1].log_softmax(-1).gather(-1, ids[1:, None])[:, 0]
        sampled = torch.tensor(row["mask"][1:]).bool()
        assert (logps - torch.tensor(row["logps"][1:]))[sampled].abs().max() < 1e-4


def trl_trains(rows: list[dict[str, Any]]) -> None:
    """The columns are those of docs/rollouts.md; only sampled tokens are trained."""
    cut = [row["prompt_length"] for row in rows]

    def rollout_func(prompts: list[Any], trainer: Any) -> dict[str, list[Any]]:
        assert len(prompts) == len(rows)
        return {
            "prompt_ids": [row["ids"][:n] for row, n in zip(rows, cut, strict=True)],
            "completion_ids": [row["ids"][n:] for row, n in zip(rows, cut, strict=True)],
            "env_mask": [row["mask"][n:] for row, n in zip(rows, cut, strict=True)],
            "logprobs": [row["logps"][n:] for row, n in zip(rows, cut, strict=True)],
            "worth": [row["episode_return"] + row["sample"] for row in rows],
        }

    config = trl.GRPOConfig(
        output_dir="out", per_device_train_batch_size=len(rows), num_generations=GROUP, max_steps=1,
        max_completion_length=1024, use_cpu=True, bf16=False, report_to=[], save_strategy="no",
    )  # fmt: skip
    trainer = Kept(
        model=AutoModelForCausalLM.from_pretrained(MODEL),
        processing_class=AutoTokenizer.from_pretrained(MODEL),
        reward_funcs=lambda worth, **_: list(worth),
        args=config,
        train_dataset=Dataset.from_list([{"prompt": row["observations"][0]} for row in rows[::GROUP]]),
        rollout_func=rollout_func,
    )
    before = [weights.clone() for weights in trainer.model.parameters()]
    trainer.train()
    batch = trainer.batch
    trained = (batch["completion_mask"] * batch["tool_mask"]).sum().item()
    assert trained == sum(sum(row["mask"]) for row in rows) > 0
    assert any(not torch.equal(a, b) for a, b in zip(before, trainer.model.parameters(), strict=True))


if __name__ == "__main__":
    outside()
    save(MODEL, ["Guess the number. Answer with <answer>5</answer>."] * 20)
    assert run([*WORDS, "--num-tasks", "2", "--num-samples", str(GROUP), "--keep-cut", "--out", "runs"]) == 0
    found = of_file("runs/rollouts.jsonl")
    assert len(found) == 2 * GROUP and all(row["valid"] and row["num_rows"] == 1 for row in found)
    for check in (the_rows_are_the_models, trl_trains):
        check(found)
        print("ok", check.__name__, flush=True)
