"""Record what turnwise does, and compare two recordings, to prove that a restructuring has changed nothing.

    python benchmarks/references.py record DIR           # about two CPU minutes
    python benchmarks/references.py record DIR --full    # 50 seeds, every variant, every recipe: about eight
    python benchmarks/references.py compare OLD NEW      # exit status 1 and what differs first, if anything does
    python benchmarks/references.py compare OLD NEW --masked

A recording holds episodes of every environment, played by the oracle and by the random agent at three levels; the
verdicts on the labelled pairs of tests/verifiers/pairs; what the command line prints; the files of evaluations and of
short training runs. Every entry has facts (task ids, rewards, lengths, metrics, verdicts, exit statuses) and texts
(prompts, actions, reasons, help). With --masked only facts are compared: they stay when words change. The numbers of
a tiny model's training count as texts, since its tokenizer is made from the prompts.

Modules may move freely between two recordings: environments are made by their ids and everything else is a command
line, except for what `TOUCHES` names.
"""

import argparse
import contextlib
import gzip
import importlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

TOUCHES = {
    "package": "turnwise",  # importing it registers the environments
    "pairs": "turnwise.verifiers.math:verify",
    "adapters": "turnwise.worlds.web.adapters",  # modules of environments that are registered by importing them
}
"""Everything imported from turnwise by name, in one place, to be updated after moves."""

ROOT = Path(__file__).resolve().parent.parent
"""The checkout to record, whichever version is installed."""
LEVELS = (1, 5, 10)
SEEDS, SEEDS_FULL = 10, 50
MORE = {
    "turnwise/WebTasks-v0 in Chromium": ("turnwise/WebTasks-v0", {"driver": "chromium"}, ""),
    "turnwise/MiniWob-v0": ("turnwise/MiniWob-v0", {"tasks": "click-*"}, "miniwob"),
}
"""Environments that need more than a checkout: id, settings, and the adapter that registers it."""
MORE_SEEDS = 2  # of those, which start a browser

COMMANDS = [
    ["--help"], [], ["--version"], ["lst"], ["list"], ["list", "games"], ["list", "hop"], ["list", "nothing-like-it"],
    ["show", "Contdown"], ["show", "gmes"], ["show", "Countdown", "--max-nmber", "5"], ["show", "Countdown:size=3"],
    ["show", "Countdown", "--help"], ["show", "Countdown", "--seed", "1"], ["show", "GuessNumber:max_number=8"],
    ["show", "missing_file.py:Nim"], ["show", "missing_module:Nim"], ["show", "examples/my_environment.py:Nim"],
    ["eval", "Countdown", "--agent", "orcle"], ["eval", "--num-tsks", "3"], ["eval", "Countdown", "--difficulty", "11"],
    ["train"], ["train", "smoek"], ["train", "smoke", "--help"], ["train", "smoke", "--credit", "grop", "--dry-run"],
    ["train", "smoke", "--lr", "fast"], ["train", "smoke", "--stpes", "3"], ["train", "smoke", "--dry-run"],
    ["report", "no/such/folder"], ["reverify", "no/such/folder"], ["export", "no/such/folder"],
]  # fmt: skip
"""Command lines in addition to the --help of every command; none may print a time."""
EVALUATIONS = {
    "random": ["Countdown", "games", "--agent", "random"],
    "oracle": ["logic", "SearchQA", "--agent", "oracle", "--difficulty", "2"],
    "tries": ["Countdown", "Equations", "--agent", "random", "--tries", "3", "--feedback", "verdict"],
}
SHORT = ["--steps", "4", "--warm-steps", "40", "--groups-per-step", "6", "--group-size", "4", "--eval-tasks", "8",
         "--save-every", "0", "--sample-every", "2", "--minibatches", "2"]  # fmt: skip
RECIPE = ["--warm-steps", "20", "--steps", "10", "--groups-per-step", "4", "--group-size", "4", "--eval-tasks", "8",
          "--save-every", "0", "--eval-every", "0", "--stop-at", "0"]  # fmt: skip
NEED_MORE = ("qwen3_0_6b",)  # recipes of downloaded models
VARIANTS: dict[str, list[str]] = {
    "default": [],
    "turns": ["--credit", "turn_rtg_loo", "--aggregation", "constant"],
    "tokens": ["--credit", "tempo", "--loss", "gspo", "--aggregation", "sequence_mean", "--old-logps", "recompute",
               "--token-weights", "importance", "steer", "high_entropy_mask", "--token-weights.high-entropy-mask.keep",
               "0.5", "--entropy-coef", "0.01", "--advantage-shaping", "ucas", "exploration",
               "--shaping", "turn_cost", "overlong", "repetition", "--shaping.turn-cost.cost", "0.1",
               "--shaping.overlong.max-len", "8", "--shaping.overlong.cache", "4", "--shaping.repetition.ngram", "1"],
    "kl": ["--kl-coef", "0.05", "--kl-estimator", "k2", "--credit", "rloo", "--epochs", "2", "--optimizer", "adamw"],
    "filter": ["--sampling", "dynamic", "--sampling.max-refills", "2", "--credit", "dr_grpo", "--temperature",
               "0.8", "--replay.max-mean", "0.6", "--replay.max-std", "0.6", "--curriculum.num-tasks", "12"],
    "plain": ["--engine", "reprefill", "--gradient-checkpointing", "--token-budget", "150"],
    "rows": ["--context", "row_per_turn", "--credit", "gigpo", "--wait-share", "0.3", "--max-rows", "10"],
    "summaries": ["--context", "summarise", "--context.max-tokens", "8", "--sampling", "reinforce_ada"],
}  # fmt: skip
"""Flags of the recipe `smoke`; the quick mode runs the first three."""
QUICK_VARIANTS = 3


NEEDS = {"Missing", "ImportError", "InfrastructureError"}
"""Names of the errors for what this machine lacks."""


class Missing(Exception):
    """Something that an environment needs has failed."""


class Entry(NamedTuple):
    """One recorded item: lines that must stay the same, and lines that rewording may change."""

    name: str
    facts: list[str]
    texts: list[str]


def touched(part: str) -> Any:
    """Return what `TOUCHES` names."""
    module, _, attribute = TOUCHES[part].partition(":")
    loaded = importlib.import_module(module)
    return getattr(loaded, attribute) if attribute else loaded


def plain(value: Any) -> str:
    """Return a value as one line of canonical JSON."""
    return json.dumps(value, sort_keys=True, default=repr)


# ---- episodes ------------------------------------------------------------------------------------------------------


def separated(value: Any) -> tuple[Any, Any]:
    """Separate the numbers and the texts of an info; a task id counts as a number."""
    if not isinstance(value, Mapping):
        return (None, value) if isinstance(value, (str, list, tuple)) else (value, None)
    facts, texts = {}, {}
    for key, inner in value.items():
        facts[key], texts[key] = (inner, None) if key == "task_id" else separated(inner)
    return facts, texts


def episode(env: gymnasium.Env[str, str], agent: str, seed: int) -> tuple[list[str], list[str], bool]:
    """Return an episode's facts and texts, and whether its rewards are valid."""
    base: Any = env.unwrapped
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    numbers, words = separated(info)
    facts, texts = [plain(numbers)], [*observation.split("\n"), plain(words)]
    over = False
    while not over:
        action = base.oracle() if agent == "oracle" else base.sample_action(rng)
        observation, reward, terminated, truncated, info = env.step(action)
        numbers, words = separated(info)
        facts.append(plain([reward, terminated, truncated, numbers]))
        texts += [f"action: {action!r}", *observation.split("\n"), plain(words)]
        over = terminated or truncated
    return facts, texts, info.get("reward_valid", True)


def episodes(env_id: str, settings: Mapping[str, Any], seeds: int) -> Iterator[Entry]:
    """Episodes of both agents at each level, or at the default settings of an environment without levels.

    Raises:
        Missing: What the environment needs failed.
    """
    probe: Any = gymnasium.make(env_id, **settings).unwrapped
    for level in LEVELS if probe.levels else (None,):
        env = gymnasium.make(env_id, **settings, **({} if level is None else {"difficulty": level}))
        for agent in ("oracle", "random"):
            for seed in range(seeds):
                facts, texts, valid = episode(env, agent, seed)
                if not valid:
                    raise Missing(f"an episode failed: {texts[-1]}")
                yield Entry(f"level {level}, seed {seed}, {agent}", facts, texts)
        env.close()


# ---- verdicts, commands, runs --------------------------------------------------------------------------------------


def verdicts(folder: Path) -> Iterator[tuple[str, list[Entry]]]:
    """Return the verifier's verdicts on every labelled pair, by file."""
    verify = touched("pairs")
    for file in sorted(folder.glob("*.jsonl")):
        found = []
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            pair = json.loads(line)
            try:
                verdict = verify(pair["answer"], pair["gold"])
            except Exception as error:  # recorded as anything else that the verifier does
                facts, texts = [f"raises {type(error).__name__}"], [str(error)]
            else:
                facts = [plain([verdict.correct, verdict.undecided, verdict.score])]
                texts = [f"{pair['answer']!r} for {pair['gold']!r}", verdict.reason]
            found.append(Entry(f"line {number}", facts, texts))
        yield file.stem, found


def turnwise(*argv: str) -> subprocess.CompletedProcess[str]:
    """Run a command line as a user would, in a terminal of fixed width."""
    env = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", TOUCHES["package"], *argv]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=env, cwd=ROOT, stdin=subprocess.DEVNULL
    )


def command_entry(argv: Sequence[str]) -> Entry:
    """Record the output of a command line; the ids of a list count as facts."""
    done = turnwise(*argv)
    ids = re.findall(r"^\S+/\S+-v\d+", done.stdout, re.MULTILINE) if argv[:1] == ["list"] else []
    texts = [*done.stdout.split("\n"), *(f"stderr: {line}" for line in done.stderr.split("\n"))]
    return Entry(" ".join(["turnwise", *argv]), [f"exit status {done.returncode}", *ids], texts)


def commands() -> list[Entry]:
    """Return the command lines of `COMMANDS`, and the help of every command that `turnwise --help` names."""
    names = re.findall(r"^  ([a-z][a-z-]*)  ", turnwise("--help").stdout, re.MULTILINE)
    return [command_entry(argv) for argv in [*COMMANDS, *([name, "--help"] for name in names)]]


def evaluation(argv: Sequence[str]) -> list[Entry]:
    """Return the files that an evaluation writes."""
    with tempfile.TemporaryDirectory() as folder:
        done = turnwise("eval", *argv, "--num-tasks", "4", "--num-samples", "2", "--out", f"{folder}/run")
        entries = [Entry("exit status", [str(done.returncode)], done.stdout.split("\n"))]
        for line in _lines(Path(folder, "run", "episodes.jsonl")):
            row = json.loads(line)
            name = f"{row['env']} seed {row['seed']} sample {row['sample']}"
            facts = {key: value for key, value in row.items() if isinstance(value, (int, float, bool))}
            entries.append(Entry(name, [plain({**facts, "task_id": row["task_id"]})], [line]))
        entries.append(Entry("summary", [], _lines(Path(folder, "run", "summary.json"))))
    return entries


def training(argv: Sequence[str]) -> list[Entry]:
    """Return the metrics and the sample episodes of a training run."""
    with tempfile.TemporaryDirectory() as folder:
        done = turnwise("train", *argv, "--out", f"{folder}/run", "--trackers")
        if done.returncode:
            last = done.stderr.strip().split("\n")[-1].replace(folder, "")
            return [Entry("exit status", [str(done.returncode)], [last])]
        entries = [Entry("exit status", ["0"], [])]
        for number, line in enumerate(_lines(Path(folder, "run", "metrics.jsonl")), 1):
            row = json.loads(line)
            entries.append(Entry(f"metrics line {number}", [plain([row["kind"], row["step"], sorted(row)])], [line]))
        entries.append(Entry("samples", [], _lines(Path(folder, "run", "samples.jsonl"))))
    return entries


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


# ---- recording -----------------------------------------------------------------------------------------------------


class Recording:
    """A folder of entries, a file for each environment, file of pairs, run.

    Args:
        folder: Where it is written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.left_out: dict[str, str] = {}

    def write(self, section: str, name: str, entries: Callable[[], Sequence[Entry]]) -> None:
        """Record a part; leave it out if a requirement is missing, and keep the reason."""
        try:
            found = entries()
        except Exception as error:
            if not NEEDS & {kind.__name__ for kind in type(error).__mro__}:
                raise
            self.left_out[f"{section}/{name}"] = reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            print(f"left out {section}/{name}: {reason}", flush=True)
            return
        path = self.folder / section / (name.replace("/", "-").replace(" ", "_") + ".jsonl.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(plain(entry) + "\n" for entry in found)
        path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0))
        print(f"{section}/{name}: {len(found)}", flush=True)

    def close(self, full: bool) -> None:
        """Print what was recorded, where, and what is missing."""
        versions = {name: _version(name) for name in ("numpy", "gymnasium", "torch", "transformers")}
        about = {"full": full, "python": platform.python_version(), "machine": platform.machine(), **versions}
        about["left_out"] = self.left_out
        (self.folder / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def _version(name: str) -> str:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(name)
    return "not installed"


def record(folder: Path, full: bool) -> int:
    """Record everything into a folder."""
    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty", file=sys.stderr)
        return 2
    sys.path.insert(0, str(ROOT))
    touched("package")
    out = Recording(folder)
    seeds = SEEDS_FULL if full else SEEDS
    for env_id in sorted(i for i in gymnasium.registry if i.startswith("turnwise/")):
        out.write("environments", env_id, lambda env_id=env_id: list(episodes(env_id, {}, seeds)))
    for name, (env_id, settings, adapter) in MORE.items():
        out.write("environments", name, lambda a=adapter, e=env_id, s=settings: more_episodes(a, e, s))
    for name, entries in verdicts(ROOT / "tests/verifiers/pairs"):
        out.write("pairs", name, lambda entries=entries: entries)
    out.write("commands", "all", commands)
    for name, argv in EVALUATIONS.items():
        out.write("evaluations", name, lambda argv=argv: evaluation(argv))
    for name, argv in list(VARIANTS.items())[: None if full else QUICK_VARIANTS]:
        out.write("training", name, lambda argv=argv: training(["smoke", *SHORT, *argv]))
    for name in recipes() if full else ():
        out.write("recipes", name, lambda name=name: training([name, *RECIPE]))
    out.close(full)
    return 0


def more_episodes(adapter: str, env_id: str, settings: Mapping[str, Any]) -> list[Entry]:
    """Episodes of an environment of `MORE`."""
    if adapter:
        importlib.import_module(f"{TOUCHES['adapters']}.{adapter}")
    return list(episodes(env_id, settings, MORE_SEEDS))


def recipes() -> list[str]:
    """Return the recipes that `turnwise train` lists, except for those of downloaded models."""
    listed = re.findall(r"^  ([a-z]\w+)  ", turnwise("train").stderr, re.MULTILINE)
    return [name for name in listed if name not in NEED_MORE]


# ---- comparing -----------------------------------------------------------------------------------------------------


def load(path: Path) -> dict[str, Entry]:
    """Return the entries of a file by name."""
    rows = map(json.loads, gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass").splitlines())
    return {row[0]: Entry(*row) for row in rows}


def first_difference(old: Sequence[str], new: Sequence[str]) -> str:
    """Return the first line that differs, in both versions."""
    for number in range(max(len(old), len(new))):
        before, after = (lines[number] if number < len(lines) else "(nothing)" for lines in (old, new))
        if before != after:
            alike = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
            start = max(0, alike - 40)  # what differs in a long line is shown
            was, now = ("..." * bool(start) + line[start : start + 160] for line in (before, after))
            return f"line {number + 1}\n    was: {was}\n    is:  {now}"
    return ""


def differences(old: Path, new: Path, masked: bool) -> Iterator[str]:
    """Return what differs between two recordings: the first line of every entry, at most three entries per file."""
    files = {path.relative_to(folder) for folder in (old, new) for path in folder.rglob("*.jsonl.gz")}
    if not files:
        yield "there is nothing recorded"
    for file in sorted(files):
        name = str(file).removesuffix(".jsonl.gz")
        if missing := [str(folder) for folder in (old, new) if not (folder / file).is_file()]:
            yield f"{name}: not in {missing[0]}"
            continue
        before, after = load(old / file), load(new / file)
        found = list(_of_entries(before, after, masked))
        yield from (f"{name}: {text}" for text in found[:3])
        if len(found) > 3:
            yield f"{name}: and {len(found) - 3} more of {len(before)}"


def _of_entries(before: Mapping[str, Entry], after: Mapping[str, Entry], masked: bool) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        if key not in before or key not in after:
            yield f"{key}: only in the {'new' if key in after else 'old'} recording"
        elif text := first_difference(before[key].facts, after[key].facts):
            yield f"{key}: facts, {text}"
        elif not masked and (text := first_difference(before[key].texts, after[key].texts)):
            yield f"{key}: texts, {text}"


def compare(old: Path, new: Path, masked: bool) -> int:
    """Print what differs, and what neither could record."""
    abouts = [json.loads((folder / "about.json").read_text(encoding="utf-8")) for folder in (old, new)]
    for key in abouts[0]:
        if abouts[0][key] != abouts[1].get(key):
            print(f"note: {key} was {abouts[0][key]}, is {abouts[1].get(key)}")
    for name, reason in abouts[1]["left_out"].items():
        print(f"not compared: {name} ({reason})")
    found = list(differences(old, new, masked))
    print("\n".join(found) if found else f"equal{', texts masked' * masked}")
    return 1 if found else 0


def main() -> int:
    """Record or compare, depending on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parts = parser.add_subparsers(dest="what", required=True)
    recorder = parts.add_parser("record", help="Record into an empty folder.")
    recorder.add_argument("folder", type=Path)
    recorder.add_argument("--full", action="store_true", help="More seeds, every variant, ten steps of every recipe.")
    comparer = parts.add_parser("compare", help="Compare two recordings.")
    comparer.add_argument("old", type=Path)
    comparer.add_argument("new", type=Path)
    comparer.add_argument("--masked", action="store_true", help="Compare facts only, not texts.")
    options = parser.parse_args()
    if options.what == "record":
        return record(options.folder, options.full)
    return compare(options.old, options.new, options.masked)


if __name__ == "__main__":
    raise SystemExit(main())
