"""CPU-seconds per rollout: the engine against transformers' generate and TRL's rollout path, on multi-turn episodes.

    python benchmarks/rollout_vs_generate.py [--rows 64] [--turns 6] [--new-tokens 8] [--rounds 5]

All play the same episodes with the same tiny model on one thread: groups of eight share a prompt, every turn adds an
observation, and either all turns have the same length or one token in twenty ends a turn. `generate` gets the rows
left-padded and reads them again in every turn. TRL's path is the function that its GRPOTrainer calls for every turn of
a tool conversation (`pip install trl datasets`; left out where it is missing). Neither of the two returns
log-probabilities; the engine does. The three take turns, and a round's ratio is taken within the round.
"""

import argparse
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch

import turnwise
from turnwise.baselines.trainer.model.tiny import tiny_model, tiny_tokenizer
from turnwise.engine.kv import KVEngine

GROUP = 8
Turn = Callable[[list[list[int]], list[list[int]], int], list[list[int]]]
"""(rows so far, what each must read now, number of the turn) -> the sampled tokens of each."""


class Episodes:
    """What the rows read: random tokens, the first text shared by groups."""

    def __init__(self, args: argparse.Namespace, vocab: int, stops: list[int]) -> None:
        self.args, self.vocab, self.stops = args, vocab, stops
        self.tokens = 0  # sampled in the last `play`

    def play(self, turn: Turn) -> float:
        """Return the CPU-seconds."""
        rng = np.random.default_rng(0)
        rows: list[list[int]] = [[] for _ in range(self.args.rows)]
        self.tokens = 0
        start = time.process_time()
        for number in range(self.args.turns):
            size = self.args.observation if number else self.args.prompt
            texts = rng.integers(len(self.stops), self.vocab, (len(rows), size)).tolist()
            new = texts if number else [texts[i // GROUP] for i in range(len(rows))]
            sampled = turn(rows, new, number)
            for row, read, got in zip(rows, new, sampled, strict=True):
                row += read + got
                self.tokens += len(got)
        return time.process_time() - start


def engine_turns(model: Any, args: argparse.Namespace, stops: list[int]) -> Callable[[], Turn]:
    """Return the engine; a function that begins new episodes."""
    engine = KVEngine(model, args.rows, model.config.max_position_embeddings)
    handles: list[int] = []

    def turn(_: list[list[int]], new: list[list[int]], number: int) -> list[list[int]]:
        engine.extend(handles, new)
        keys = [(i, number) for i in range(len(new))]
        got = engine.sample(handles, max_new=args.new_tokens, stop_ids=stops, temperature=1.0, keys=keys)
        return [g.ids for g in got]

    def begin() -> Turn:
        engine.close(handles)
        handles[:] = engine.open(args.rows)
        return turn

    return begin


def generate_turns(model: Any, args: argparse.Namespace, stops: list[int], pad: int) -> Callable[[], Turn]:
    """Return transformers' own loop."""

    def turn(rows: list[list[int]], new: list[list[int]], _: int) -> list[list[int]]:
        whole = [row + read for row, read in zip(rows, new, strict=True)]
        width = max(map(len, whole))
        ids = torch.tensor([[pad] * (width - len(row)) + row for row in whole])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in whole])
        with torch.no_grad():
            out = model.generate(
                input_ids=ids, attention_mask=mask, do_sample=True, top_k=0, top_p=1.0, temperature=1.0,
                max_new_tokens=args.new_tokens, eos_token_id=stops or None, pad_token_id=pad,
            )  # fmt: skip
        return [cut(line, stops) for line in out[:, width:].tolist()]

    return lambda: turn


def trl_turns(model: Any, tokenizer: Any, args: argparse.Namespace, stops: list[int]) -> Callable[[], Turn]:
    """Return the generation of TRL's GRPOTrainer, as its tool loop calls it."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    config = GRPOConfig(
        output_dir=tempfile.mkdtemp(), per_device_train_batch_size=args.rows, num_generations=GROUP, use_cpu=True,
        bf16=False, report_to=[], max_completion_length=args.new_tokens, temperature=1.0, top_k=0, beta=0.0,
        gradient_checkpointing=False, generation_kwargs={"eos_token_id": stops or None},
    )  # fmt: skip
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": "x"}]}] * args.rows)
    trainer = GRPOTrainer(
        model=model, processing_class=tokenizer, args=config, train_dataset=data, reward_funcs=lambda **_: [0.0]
    )
    trainer.eos_token_ids = stops or [-1]

    def turn(rows: list[list[int]], new: list[list[int]], _: int) -> list[list[int]]:
        whole = [row + read for row, read in zip(rows, new, strict=True)]
        ids: list[list[int]] = trainer._generate_single_turn(whole, None, {}, 1)[0]
        return ids

    return lambda: turn


def cut(line: list[int], stops: list[int]) -> list[int]:
    """Return a turn up to its stop token."""
    ends = [i for i, token in enumerate(line) if token in stops]
    return line[: ends[0] + 1] if ends else line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("rows", 64), ("turns", 6), ("prompt", 48), ("observation", 12), ("new-tokens", 8)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    import transformers

    transformers.utils.logging.set_verbosity_error()
    tokenizer = tiny_tokenizer(["one two three"])
    model, vocab = tiny_model(tokenizer, 0), len(tokenizer)
    print(f"turnwise {turnwise.__version__}, torch {torch.__version__}, transformers {transformers.__version__}")
    print(f"{args.rows} rows, prompt {args.prompt}, {args.turns} turns of {args.new_tokens} tokens, ", end="")
    print(f"observations of {args.observation}")
    for kind, stops in (("equal lengths", []), ("one token in twenty stops", list(range(vocab // 20)))):
        begins = {
            "turnwise": engine_turns(model, args, stops),
            "generate": generate_turns(model, args, stops, tokenizer.pad_token_id),
        }
        if find_spec("trl") and find_spec("datasets"):
            begins["trl"] = trl_turns(model, tokenizer, args, stops)
        else:
            print("trl is left out: trl or datasets is not installed")
        episodes = Episodes(args, vocab, stops)
        costs: dict[str, list[float]] = {name: [] for name in begins}
        for number in range(args.rounds + 1):
            for name, begin in begins.items():
                seconds = episodes.play(begin())
                if number:  # the first round warms up
                    costs[name].append(1e6 * seconds / episodes.tokens)
        for name, values in costs.items():
            ratios = [theirs / mine for theirs, mine in zip(values, costs["turnwise"], strict=True)]
            print(
                f"  {kind}: {name:9} {statistics.median(values):7.1f} CPU-us a token,"
                f" {statistics.median(ratios):.2f} times turnwise's"
            )


if __name__ == "__main__":
    main()
