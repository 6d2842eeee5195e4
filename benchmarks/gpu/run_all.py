"""Everything that needs a GPU, in one call of under nine minutes: checks and timings, as JSON and a table.

    python benchmarks/gpu/run_all.py [--out DIR] [--minutes 9] [--only SECTION ...] [--tiny]

The model has the published shape of Qwen3-0.6B and random weights in bf16. Each section runs in a process of its own,
so that one that fails or runs out of memory leaves the others alone, and writes what it measured to ``SECTION.json``:

    check       tokens and log-probabilities of the engine, CUDA graphs and all, against the reference engine in fp32
    rollout     tokens/s, share of peak FLOP/s, peak memory; the engine against generate at 64, 256 and 1024 rows
    gap         log-probabilities of the sampler in bf16 against a forward pass of the whole rows in bf16 and in fp32
    train       seconds, tokens/s, share of peak FLOP/s and peak memory of turnwise's training step
    trl         the same of TRL's GRPOTrainer, same model, tasks, rows and lengths; left out where TRL is missing
    learn       the FrozenLake quickstart, trained on this device: solve rates before and after

``--tiny`` runs all of it in a minute or two with a tiny model, on a CPU where there is no GPU.
"""

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

QWEN3_06B = {
    "vocab_size": 151_936, "hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28,
    "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "max_position_embeddings": 4096,
    "tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
}  # fmt: skip
TINY = {
    "vocab_size": 512, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 1024,
    "tie_word_embeddings": True,
}  # fmt: skip
PEAK_FLOPS = {"H100": 989e12, "H200": 989e12, "A100": 312e12}  # dense bf16, NVIDIA's data sheets
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
Result = dict[str, Any]


def build(args: argparse.Namespace, dtype: torch.dtype = torch.bfloat16) -> Any:
    """Return the model with random weights, on the device."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    with torch.device(DEVICE):
        return Qwen3ForCausalLM(Qwen3Config(**(TINY if args.tiny else QWEN3_06B))).to(dtype).eval()


def save_model(args: argparse.Namespace, folder: Path, env: str) -> str:
    """Model and a byte-level tokenizer, as a folder that both trainers load."""
    from turnwise.baselines.trainer.model.tiny import save, tiny_tokenizer

    save(build(args), tiny_tokenizer([question(env, seed) for seed in range(64)]), folder)
    return str(folder)


def question(env: str, seed: int) -> str:
    import gymnasium

    import turnwise  # noqa: F401  # registers the environments

    return str(gymnasium.make(env).reset(seed=seed)[0])


def synchronize() -> None:
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What ``work`` returns, its seconds, and the peak memory in GB."""
    if DEVICE == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    synchronize()
    start = time.perf_counter()
    out = work()
    synchronize()
    seconds = time.perf_counter() - start
    return out, seconds, torch.cuda.max_memory_allocated() / 1e9 if DEVICE == "cuda" else 0.0


def utilisation(flops: float, seconds: float) -> float | None:
    """Share of the device's peak, or None if that is not known."""
    name = torch.cuda.get_device_name() if DEVICE == "cuda" else ""
    peak = next((value for key, value in PEAK_FLOPS.items() if key in name), None)
    return None if peak is None else flops / seconds / peak


def rollout_once(engine: Any, rows: int, turns: int, new: int, texts: list[list[list[int]]]) -> list[list[int]]:
    """Return all tokens of multi-turn rows of equal lengths; eight rows share a prompt."""
    handles = engine.open(rows)
    whole: list[list[int]] = [[] for _ in handles]
    for turn in range(turns):
        engine.extend(handles, texts[turn])
        got = engine.sample(handles, max_new=new, stop_ids=(), temperature=1.0, keys=[(i, turn) for i in range(rows)])
        for line, read, sampled in zip(whole, texts[turn], got, strict=True):
            line += read + sampled.ids
    engine.close(handles)
    return whole


def generate_once(model: Any, turns: int, new: int, texts: list[list[list[int]]]) -> list[list[int]]:
    """Return the same with transformers' generate, which reads whole rows again in every turn."""
    whole: list[list[int]] = [[] for _ in texts[0]]
    for turn in range(turns):
        ids = torch.tensor([line + read for line, read in zip(whole, texts[turn], strict=True)], device=DEVICE)
        with torch.no_grad():
            out = model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, temperature=1.0,
                max_new_tokens=new, eos_token_id=None, pad_token_id=0,
            )  # fmt: skip
        whole = out.tolist()
    return whole


def contexts(rows: int, turns: int, prompt: int, observation: int, vocab: int) -> list[list[list[int]]]:
    """What every row reads in every turn."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, vocab, (-(-rows // 8), prompt)).tolist()
    later = [rng.integers(0, vocab, (rows, observation)).tolist() for _ in range(turns - 1)]
    return [[first[i // 8] for i in range(rows)], *later]


def check(args: argparse.Namespace) -> Result:
    from turnwise.engine.kv import KVEngine
    from turnwise.engine.sampling import ReprefillEngine

    model = build(argparse.Namespace(tiny=True), torch.float32)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3.0)  # sharper distributions, that differ between contexts
    rows, turns = 48, 3
    texts = [[line[: 4 + i % 9] for i, line in enumerate(turn)] for turn in contexts(rows, turns, 16, 16, 512)]
    kept = []
    for engine in (KVEngine(model, rows, 512, static=True, sync_every=4), ReprefillEngine(model, 512)):
        tokens: list[list[int]] = [[] for _ in range(rows)]
        logps: list[list[float]] = [[] for _ in range(rows)]
        for _ in range(2 if isinstance(engine, KVEngine) else 1):  # the second time from recorded graphs
            tokens, logps = [[] for _ in range(rows)], [[] for _ in range(rows)]
            handles = engine.open(rows)
            for turn in range(turns):
                engine.extend(handles, texts[turn])
                limits = [1 + (5 * i + turn) % 20 for i in range(rows)]
                got = engine.sample(
                    handles, max_new=limits, stop_ids=tuple(range(20)), temperature=1.0,
                    keys=[(i, turn) for i in range(rows)],
                )  # fmt: skip
                for i, sampled in enumerate(got):
                    tokens[i] += sampled.ids
                    logps[i] += sampled.logps
            engine.close(handles)
        kept.append((tokens, logps))
    same = [a == b for a, b in zip(kept[0][0], kept[1][0], strict=True)]
    gaps = [
        abs(a - b) for i, equal in enumerate(same) if equal for a, b in zip(kept[0][1][i], kept[1][1][i], strict=True)
    ]
    return {"rows": rows, "rows_with_equal_tokens": sum(same), "max_logp_gap": max(gaps, default=math.nan)}


def rollout(args: argparse.Namespace) -> Result:
    from turnwise.engine.kv import KVEngine

    model = build(args)
    vocab, weights = model.config.vocab_size, sum(p.numel() for p in model.parameters())
    sizes, turns, new, prompt, read = ((8, 16), 2, 8, 24, 4) if args.tiny else ((64, 256, 1024), 2, 64, 128, 16)
    out: Result = {"parameters": weights, "turns": turns, "new_tokens": new, "prompt": prompt, "observation": read}
    for rows in sizes:
        texts = contexts(rows, turns, prompt, read, vocab)
        engine = KVEngine(model, rows, turns * new + prompt + turns * read)
        runs = {
            "engine": partial(rollout_once, engine, rows, turns, new, texts),
            "generate": partial(generate_once, model, turns, new, texts),
        }
        for name, run in runs.items():
            try:
                _, cold, _ = timed(run)  # warms up; the engine records its graphs
                _, seconds, peak = timed(run)
            except torch.cuda.OutOfMemoryError:
                out[f"{name}_{rows}"] = {"skipped": "out of memory"}
                continue
            tokens = rows * turns * new
            out[f"{name}_{rows}"] = {
                "tokens_per_s": tokens / seconds, "seconds": seconds, "first_call_s": cold, "peak_gb": peak,
                "mfu": utilisation(2.0 * weights * tokens, seconds),
            }  # fmt: skip
        del engine, runs, run  # the next size needs the memory
    return out


def gap(args: argparse.Namespace) -> Result:
    from turnwise.engine.kv import KVEngine

    model = build(args)
    rows, turns, new = (8, 2, 8) if args.tiny else (32, 3, 64)
    texts = contexts(rows, turns, 64, 16, model.config.vocab_size)
    engine = KVEngine(model, rows, 512)
    handles = engine.open(rows)
    whole: list[list[int]] = [[] for _ in handles]
    logps: list[list[float]] = [[] for _ in handles]
    for turn in range(turns):
        engine.extend(handles, texts[turn])
        got = engine.sample(handles, max_new=new, stop_ids=(), temperature=1.0, keys=[(i, turn) for i in range(rows)])
        for i, sampled in enumerate(got):
            whole[i] += texts[turn][i] + sampled.ids
            logps[i] += [math.nan] * len(texts[turn][i]) + sampled.logps
    engine.close(handles)
    del engine
    ours, ids = torch.tensor(logps)[:, 1:], torch.tensor(whole, device=DEVICE)
    out: Result = {"sampled_tokens": int((~ours.isnan()).sum())}
    for name, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        model = model.to(dtype)
        forced = []
        with torch.no_grad():
            for line in torch.split(ids, 4):
                logits = model(input_ids=line).logits[:, :-1].float().log_softmax(-1)
                forced.append(logits.gather(-1, line[:, 1:, None])[..., 0].cpu())
        difference = (torch.cat(forced) - ours).abs()
        difference = difference[~difference.isnan()]
        out[f"mean_gap_to_{name}"], out[f"max_gap_to_{name}"] = float(difference.mean()), float(difference.max())
    return out


def train_sizes(args: argparse.Namespace) -> tuple[int, int, int, int]:
    """Tasks, rows of each, longest completion and steps of the two training sections."""
    return (2, 2, 4, 2) if args.tiny else (16, 8, 128, 6)


def train(args: argparse.Namespace) -> Result:
    from turnwise.baselines.trainer.config import TrainConfig
    from turnwise.baselines.trainer.parts import EnvConfig, Evaluation, ModelConfig, Optim, Rollout, RunConfig
    from turnwise.baselines.trainer.train import train as run

    env, (groups, size, new, steps) = "turnwise/Countdown-v0", train_sizes(args)
    with tempfile.TemporaryDirectory() as folder:
        config = TrainConfig(
            env=EnvConfig(id=env),
            model=ModelConfig(name=save_model(args, Path(folder) / "model", env), dtype="bf16"),
            rollout=Rollout(groups_per_step=groups, group_size=size, max_new_tokens=new),
            optim=Optim(name="adamw", lr=1e-9, minibatches=1),
            eval=Evaluation(tasks=0),
            run=RunConfig(steps=steps, trackers=(), out=f"{folder}/run"),
        )
        _, seconds, peak = timed(lambda: run(config, quiet=True))
        times, metrics = (records(Path(config.run.out) / f"{name}.jsonl", "train") for name in ("timings", "metrics"))
    warm = times[len(times) // 2 :]  # the first steps warm up
    collect, update = (float(np.median([t[key] for t in warm])) for key in ("collect_s", "update_s"))
    trained = float(np.median([t["trained_tokens"] for t in warm]))
    weights = sum(p.numel() for p in build(args).parameters())
    return {
        "rows": groups * size, "new_tokens": new, "step_s": collect + update, "collect_s": collect,
        "update_s": update, "trained_tokens": trained, "trained_tokens_per_s": trained / update,
        "mfu_update": utilisation(6.0 * weights * trained, update), "peak_gb": peak, "whole_run_s": seconds,
        "logp_gap": max(m.get("logp_gap", math.nan) for m in metrics),
    }  # fmt: skip


def trl(args: argparse.Namespace) -> Result:
    if not (find_spec("trl") and find_spec("datasets")):
        return {"skipped": "trl or datasets is not installed"}
    import gymnasium
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    from turnwise.core.env import seed_of

    env, (groups, size, new, steps) = "turnwise/Countdown-v0", train_sizes(args)
    seeds = [seed_of("train", i) for i in range(steps * groups)]
    data = Dataset.from_list([{"prompt": [{"role": "user", "content": question(env, s)}], "seed": s} for s in seeds])
    judge, times = gymnasium.make(env), [0.0]

    def reward(completions: Any, seed: Any, **_: Any) -> list[float]:
        scores = []
        for completion, number in zip(completions, seed, strict=True):
            judge.reset(seed=number)
            scores.append(float(judge.step(completion[0]["content"])[1]))
        return scores

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *_: Any, **__: Any) -> None:
            synchronize()
            times.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        path = save_model(args, Path(folder) / "model", env)
        config = GRPOConfig(
            output_dir=folder, max_steps=steps, per_device_train_batch_size=groups * size, num_generations=size,
            steps_per_generation=1, num_iterations=1, beta=0.0, max_completion_length=new, temperature=1.0,
            learning_rate=1e-9, use_cpu=DEVICE == "cpu", bf16=DEVICE == "cuda", report_to=[], save_strategy="no",
            logging_steps=1000, disable_tqdm=True, gradient_checkpointing=False,
        )  # fmt: skip
        trainer = GRPOTrainer(
            model=AutoModelForCausalLM.from_pretrained(path, dtype=torch.bfloat16 if DEVICE == "cuda" else None),
            processing_class=AutoTokenizer.from_pretrained(path),
            reward_funcs=reward,
            args=config,
            train_dataset=data,
            callbacks=[Clock()],
        )
        _, seconds, peak = timed(trainer.train)
    warm = np.diff(times[1:])[len(times) // 2 - 1 :]
    return {
        "rows": groups * size, "new_tokens": new, "step_s": float(np.median(warm)), "peak_gb": peak,
        "whole_run_s": seconds,
    }  # fmt: skip


def learn(args: argparse.Namespace) -> Result:
    from turnwise.baselines.recipes.quickstart import quickstart_frozen_lake
    from turnwise.baselines.trainer.collect import vocabulary_texts
    from turnwise.baselines.trainer.model.tiny import save, tiny_model, tiny_tokenizer
    from turnwise.baselines.trainer.train import train as run

    config = quickstart_frozen_lake().changed({"trackers": ()})
    if args.tiny:
        config = config.changed({
            "warm_steps": 2, "steps": 2, "groups_per_step": 2, "group_size": 2, "minibatches": 1, "eval_tasks": 4,
            "eval_every": 1,
        })  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = tiny_tokenizer(vocabulary_texts(config))
        save(tiny_model(tokenizer, config.run.seed), tokenizer, Path(folder) / "model")  # "tiny" would stay on the CPU
        config = config.changed({"model": f"{folder}/model", "out": f"{folder}/run"})
        _, seconds, peak = timed(lambda: run(config, quiet=True))
        solved = records(Path(config.run.out) / "metrics.jsonl", "eval")
    keep = ("step", "sampled_solved", "greedy_solved")
    first, last = ({key: line[key] for key in keep if key in line} for line in (solved[0], solved[-1]))
    return {"before": first, "after": last, "steps": config.steps, "seconds": seconds, "peak_gb": peak}


def records(path: Path, kind: str) -> list[Result]:
    """Return the lines of a run's log that are of one kind."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["kind"] == kind]


SECTIONS: dict[str, Callable[[argparse.Namespace], Result]] = {
    "check": check, "rollout": rollout, "gap": gap, "train": train, "trl": trl, "learn": learn,
}  # fmt: skip


def environment() -> Result:
    versions = {}
    for name in ("torch", "transformers", "trl", "turnwise", "numpy"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    device = torch.cuda.get_device_name() if DEVICE == "cuda" else platform.processor() or platform.machine()
    return {"device": device, "python": platform.python_version(), **versions}


def table(results: Result) -> str:
    """Return all numbers, one a line."""
    lines = ["| section | what | value |", "|---|---|---|"]

    def add(section: str, name: str, value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                add(section, f"{name} {key}".strip(), inner)
        else:
            lines.append(f"| {section} | {name} | {f'{value:.4g}' if isinstance(value, float) else value} |")

    for section, value in results.items():
        add(section, "", value)
    return "\n".join(lines) + "\n"


def run_section(name: str, args: argparse.Namespace, seconds: float) -> Result:
    """Run a section in a process of its own."""
    if seconds < 5:
        return {"skipped": "no time was left"}
    command = [sys.executable, __file__, "--section", name, "--out", str(args.out), *(["--tiny"] if args.tiny else [])]
    try:
        done = subprocess.run(command, timeout=seconds, capture_output=True, text=True, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {seconds:.0f} s"}
    path = args.out / f"{name}.json"
    if done.returncode or not path.exists():
        return {"failed": (done.stderr.strip().splitlines() or ["no output"])[-1], "status": done.returncode}
    found: Result = json.loads(path.read_text(encoding="utf-8"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/gpu"))
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--only", nargs="*", choices=list(SECTIONS), default=list(SECTIONS))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--section", choices=list(SECTIONS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.section:
        try:
            result = SECTIONS[args.section](args)
        except Exception:
            traceback.print_exc()
            sys.exit(1)
        (args.out / f"{args.section}.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
        return
    if DEVICE == "cpu" and not args.tiny:
        sys.exit("no GPU is here; --tiny runs everything on a CPU")
    end = time.monotonic() + 60 * args.minutes
    results: Result = {"environment": environment()}
    for name in args.only:
        (args.out / f"{name}.json").unlink(missing_ok=True)
        start = time.monotonic()
        results[name] = run_section(name, args, end - start)
        results[name]["section_s"] = time.monotonic() - start
        print(f"{name}: {json.dumps(results[name])}", flush=True)
        (args.out / "results.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
        (args.out / "results.md").write_text(table(results), encoding="utf-8")
    sys.exit(any("failed" in value for value in results.values()))


if __name__ == "__main__":
    main()
