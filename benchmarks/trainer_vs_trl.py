"""CPU-seconds per training step against TRL's GRPOTrainer: same tiny model, same tasks, same completions per step.

    pip install trl accelerate
    python benchmarks/trainer_vs_trl.py [--groups 16] [--group-size 8] [--new-tokens 32] [--steps 12]

Both train a model with random initial weights on questions of Countdown with one answer (TRL's trainer in its common
form plays one turn), with one optimiser update per batch of completions, AdamW, no divergence penalty, one thread. The
reward is a checksum of the completion: such a model never solves Countdown, and where all rewards are equal turnwise
would leave work out that TRL does. The learning rate is next to zero, so the model and with it the lengths of the
completions stay the same throughout. The two take turns; each round's figure is CPU-seconds of this process per step
without the first steps, which warm up.
"""

import argparse
import contextlib
import io
import os
import statistics
import tempfile
import time
import warnings
import zlib
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import gymnasium
import torch

import turnwise
from turnwise.baselines.trainer.config import TrainConfig
from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, ModelConfig, Optim, Rollout, RunConfig
from turnwise.baselines.trainer.train import train
from turnwise.core.env import seed_of
from turnwise.envs.math.countdown import Countdown

WARM = 3
LEARNING_RATE = 1e-9
ENV = "benchmark/Checksum-v0"


@turnwise.register(ENV)
class Checksum(Countdown):
    """The questions of Countdown; the reward is a checksum of the answer, between 0 and 1."""

    def respond(self, action: str) -> turnwise.Reply:
        return turnwise.Reply("", reward=zlib.crc32(action.encode()) / 2**32, done=True)


def question(seed: int) -> str:
    return str(gymnasium.make(ENV).reset(seed=seed)[0])


def ours(args: argparse.Namespace, model: Path) -> float:
    """CPU-seconds per step of turnwise's trainer."""

    def run(steps: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            config = TrainConfig(
                env=EnvConfig(id=ENV),
                model=ModelConfig(name=str(model)),
                rollout=Rollout(
                    groups_per_step=args.groups, group_size=args.group_size, max_new_tokens=args.new_tokens
                ),
                optim=Optim(name="adamw", lr=LEARNING_RATE, minibatches=1, token_budget=8192),
                eval=Evaluation(tasks=0),
                run=RunConfig(steps=steps, trackers=(), out=folder),
            )
            start = time.process_time()
            train(config, quiet=True)
            return time.process_time() - start

    run(1)  # what a process does once, which TRL's first steps take in as well
    return (run(WARM + args.steps) - run(WARM)) / args.steps


def trl(args: argparse.Namespace, model: Path) -> float:
    """CPU-seconds per step of TRL's trainer."""
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    steps = WARM + args.steps
    seeds = [seed_of("train", i) for i in range(steps * args.groups)]
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": question(s)}], "seed": s} for s in seeds])
    env = gymnasium.make(ENV)

    def reward(completions: Any, seed: Any, **_: Any) -> list[float]:
        scores = []
        for completion, number in zip(completions, seed, strict=True):
            env.reset(seed=number)
            scores.append(float(env.step(completion[0]["content"])[1]))
        return scores

    times: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *_: Any, **__: Any) -> None:
            times.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder, max_steps=steps, per_device_train_batch_size=args.groups * args.group_size,
            num_generations=args.group_size, steps_per_generation=1, num_iterations=1, beta=0.0,
            max_completion_length=args.new_tokens, temperature=1.0, learning_rate=LEARNING_RATE, use_cpu=True,
            bf16=False, report_to=[], save_strategy="no", logging_steps=1000, disable_tqdm=True,
            gradient_checkpointing=False, dataloader_num_workers=0, log_completions=False,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32),
            processing_class=AutoTokenizer.from_pretrained(model),
            reward_funcs=reward,
            args=config,
            train_dataset=data,
            callbacks=[Clock()],
        )
        with contextlib.redirect_stdout(io.StringIO()):
            trainer.train()
    return (times[-1] - times[WARM - 1]) / args.steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", type=int, default=16)
    parser.add_argument("--group-size", type=int, default=8)
    parser.add_argument("--new-tokens", type=int, default=32)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    import transformers
    import trl as package

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    print(f"turnwise {turnwise.__version__}, trl {package.__version__}, transformers {transformers.__version__}")
    print(f"{args.groups} tasks x {args.group_size} completions of up to {args.new_tokens} tokens per step")
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tiny_tokenizer([question(seed_of("text", i)) for i in range(64)])
        save(tiny_model(tokenizer, 0), tokenizer, Path(folder))
        ratios = []
        for _ in range(args.rounds):
            mine, theirs = ours(args, Path(folder)), trl(args, Path(folder))
            ratios.append(theirs / mine)
            print(f"  turnwise {mine:.3f} s   trl {theirs:.3f} s   trl / turnwise {ratios[-1]:.2f}")
    print(f"median trl / turnwise: {statistics.median(ratios):.2f}  (CPU-seconds per step)")


if __name__ == "__main__":
    main()
