r"""Compare false rejects and false accepts of turnwise and other libraries on the same labelled pairs.

    pip install math-verify[antlr4_13_2]
    pip install --no-deps trl gem-llm verl verifiers && pip install pylatexenc openai   # scorers only, no torch
    python benchmarks/math_verifiers.py [--by-category] [--failures turnwise] [--only NAME]... [more.jsonl]
    python benchmarks/math_verifiers.py --speed [--seed 0]

The pairs are those of tests/verifiers/pairs (how they are labelled: tests/verifiers/pairs/README.md) and of every
.jsonl file or folder named. Each verifier runs in a process of its own and has ten seconds a pair; then the process is
killed, which counts as a timeout and as a rejection. Peers get what they ask for: golds in mathematics delimiters,
bare answers in a box (only the categories about messages are given as they stand), option letters with the
configuration for letters as well. Peers that are not installed are left out, and said to be. verl's prime_math
evaluates parts of the model's text as Python; every payload among the pairs is harmless.

`--speed` times turnwise and Math-Verify in one process, CPU time of the thread, one pair of each gold of the ordinary
categories in a seeded order, so that neither can have seen the gold before. Math-Verify is in its recommended
configuration in both tables.
"""

import argparse
import collections
import importlib
import importlib.util
import json
import os
import random
import re
import select
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PAIRS = Path(__file__).resolve().parent.parent / "tests" / "verifiers" / "pairs"
LIMIT_S = 10.0
MESSAGES = {"extraction", "extraction_multiple", "self_correction", "hedging"}  # categories given as they stand
HOSTILE = {"injections", "near_miss"}  # not ordinary: left out of the speed table

Judge = Callable[[str, str, str, str], bool]  # answer, gold, category, question -> taken as right


class Pair(NamedTuple):
    """One labelled pair."""

    category: str
    answer: str
    gold: str
    equal: bool
    reason: str
    question: str = ""  # where it is known: Dataset refuses arithmetic copied from it


def load(paths: list[Path]) -> list[Pair]:
    files = [file for path in paths for file in (sorted(path.glob("*.jsonl")) if path.is_dir() else [path])]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [Pair(*(row[field] for field in Pair._fields[:5])) for row in rows]


# What each verifier is given.


def boxed(answer: str, category: str) -> str:
    """Return the message for a verifier that reads boxes: a bare answer is boxed, a message stays."""
    if category in MESSAGES or re.search(r"\\f?box|<answer>|answer|答", answer, re.IGNORECASE):
        return answer
    return f"\\boxed{{{bare(answer)}}}"


def bare(text: str) -> str:
    """Return a text without one pair of mathematics delimiters round it."""
    for left, right in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        inner = text[len(left) : -len(right)]
        if text.startswith(left) and text.endswith(right) and inner and left not in inner:
            return inner
    return text


def delimited(gold: str) -> str:
    return gold if "$" in gold.replace(r"\$", "") or r"\boxed" in gold else f"${gold}$"


# The verifiers. Each function imports what it needs, so that a missing peer fails alone.


def turnwise() -> Judge:
    from turnwise.verifiers.math import verify

    return lambda answer, gold, category, question: verify(answer, gold).correct


def through_dataset(verifier: str) -> Callable[[], Judge]:
    """Judge as the environment Dataset does for a row with that gold in a plain column."""

    def load_judge() -> Judge:
        from turnwise.envs.data.grading import grader_for, judge

        def judged(answer: str, gold: str, category: str, question: str) -> bool:
            return judge(grader_for(gold) if verifier == "auto" else verifier, answer, gold, question).correct

        return judged

    return load_judge


def math_verify() -> Judge:
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, StringExtractionConfig, parse, verify

    def judge(answer: str, gold: str, category: str, question: str) -> bool:
        if re.fullmatch("[A-J]", gold):
            letters: list[Any] = [StringExtractionConfig(strings=tuple("ABCDEFGHIJ"))]
            if verify(parse(gold, letters), parse(answer, letters)):
                return True
        golds = parse(delimited(gold), [LatexExtractionConfig(), ExprExtractionConfig()])
        reading = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]
        return bool(verify(golds, parse(boxed(answer, category), reading)))

    return judge


def trl_accuracy() -> Judge:
    from trl.rewards import accuracy_reward

    def judge(answer: str, gold: str, category: str, question: str) -> bool:
        return bool(accuracy_reward([[{"content": boxed(answer, category)}]], [delimited(gold)])[0])

    return judge


def gem_boxed() -> Judge:
    boxed_reward_fn = scorer("gem.utils", "math_grader").boxed_reward_fn

    return lambda answer, gold, category, question: boxed_reward_fn(boxed(answer, category), bare(gold))[1] > 0


def verl_math_verify() -> Judge:
    compare = scorer("verl.utils.reward_score", "math_verify")._verify_in_subprocess  # we are in a process of its own
    return lambda answer, gold, category, question: compare(f"\\boxed{{{bare(gold)}}}", boxed(answer, category)) > 0


def verl_prime_math() -> Judge:
    sys.modules["verl.utils.metric"] = ModuleType("verl.utils.metric")  # needs torch, and no scorer needs it
    sys.modules["verl.utils.metric"].Metric = None  # type: ignore[attr-defined]
    score = scorer("verl.utils.reward_score", "prime_math").compute_score
    return lambda answer, gold, category, question: bool(score(boxed(answer, category), bare(gold))[0])


def verl_math_dapo() -> Judge:
    score = scorer("verl.utils.reward_score", "math_dapo").compute_score
    return lambda answer, gold, category, question: bool(score(boxed(answer, category), bare(gold))["acc"])


def verifiers_boxed() -> Judge:
    score = scorer("verifiers.v1.utils", "score").verify_boxed_math_answer
    return lambda answer, gold, category, question: score(boxed(answer, category), bare(gold)) > 0


def exact() -> Judge:
    return lambda answer, gold, category, question: bare(answer) == bare(gold)


def scorer(package: str, module: str) -> Any:
    """Return a module of a package whose own import pulls in far more (ray, torch), imported without it."""
    root, *inner = package.split(".")
    found = importlib.util.find_spec(root)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(f"No module named {root!r}")
    path, name = Path(found.origin).parent, root
    for part in ["", *inner]:
        path, name = path / part, f"{name}.{part}".rstrip(".")
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [str(path)]
    return importlib.import_module(f"{package}.{module}")


VERIFIERS: dict[str, tuple[Callable[[], Judge], str]] = {
    "turnwise": (turnwise, "pip install -e ."),
    "turnwise Dataset math": (through_dataset("math"), "pip install -e ."),
    "turnwise Dataset auto": (through_dataset("auto"), "pip install -e ."),
    "math-verify": (math_verify, "pip install math-verify[antlr4_13_2]"),
    "trl accuracy_reward": (trl_accuracy, "pip install --no-deps trl"),
    "gem boxed_reward_fn": (gem_boxed, "pip install --no-deps gem-llm && pip install pylatexenc"),
    "verl math_verify": (verl_math_verify, "pip install --no-deps verl"),
    "verl prime_math": (verl_prime_math, "pip install --no-deps verl && pip install pylatexenc"),
    "verl math_dapo": (verl_math_dapo, "pip install --no-deps verl"),
    "verifiers boxed": (verifiers_boxed, "pip install --no-deps verifiers && pip install openai"),
    "exact string": (exact, ""),
}


# One process a verifier.


def work(name: str) -> None:
    """Judge pairs from standard input, one JSON line each, discarding the verifier's output."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        judge = VERIFIERS[name][0]()
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"), file=out)
        return
    print(json.dumps("ready"), file=out)
    for line in sys.stdin:
        try:
            verdict: Any = bool(judge(*json.loads(line)))
        except BaseException as error:  # a peer's SystemExit is a crash too
            verdict = f"crash: {type(error).__name__}"
        print(json.dumps(verdict), file=out)


class Worker:
    """The process of one verifier, restarted after a kill."""

    def __init__(self, name: str, script: str = __file__):
        self.name = name
        self.script = script
        self.problem = ""
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-W", "ignore", self.script, "--worker", self.name]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
        )
        ready = self._read(limit_s=180.0)
        self.problem = "" if ready == "ready" else str(ready)

    def _read(self, limit_s: float) -> Any:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], limit_s)[0]:
            return "timeout"
        line = self._process.stdout.readline()
        return json.loads(line) if line else "crash: the process died"

    def judge(self, pair: Pair) -> Any:
        """True, False, "timeout" or "crash: ..."."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([pair.answer, pair.gold, pair.category, pair.question]).encode() + b"\n")
        verdict = self._read(LIMIT_S)
        if verdict == "timeout" or verdict == "crash: the process died":
            self.stop()
            self._start()
        return verdict

    def stop(self) -> None:
        """Kill the process and its children."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Result(NamedTuple):
    """The verdicts of one verifier on every pair."""

    name: str
    verdicts: list[Any]

    def wrong(self, pairs: list[Pair], equal: bool) -> list[Pair]:
        """Return the pairs with that label that the verifier got wrong."""
        return [pair for pair, said in zip(pairs, self.verdicts, strict=True) if pair.equal == equal != (said is True)]

    def count(self, prefix: str) -> int:
        return sum(isinstance(said, str) and said.startswith(prefix) for said in self.verdicts)


def results(names: list[str], pairs: list[Pair]) -> Iterator[Result]:
    for name in names:
        worker = Worker(name)
        if worker.problem:
            print(f"{name}: left out ({worker.problem}); {VERIFIERS[name][1]}")
            continue
        yield Result(name, [worker.judge(pair) for pair in pairs])
        worker.stop()


# The tables.


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part})" if whole else "-"


def table(found: list[Result], pairs: list[Pair]) -> None:
    right = sum(pair.equal for pair in pairs)
    print(f"\n{len(pairs)} pairs: {right} equal, {len(pairs) - right} not\n")
    print("| verifier | false rejects | false accepts | crashes | timeouts |\n|---|---|---|---|---|")
    for result in found:
        rejects, accepts = len(result.wrong(pairs, True)), len(result.wrong(pairs, False))
        figures = [share(rejects, right), share(accepts, len(pairs) - right)]
        print("|", " | ".join([result.name, *figures, str(result.count("crash")), str(result.count("timeout"))]), "|")


def table_by_category(found: list[Result], pairs: list[Pair]) -> None:
    """Write false rejects and accepts by category, as counts; ! if a library has fewer than the first verifier."""
    total = collections.Counter((pair.category, pair.equal) for pair in pairs)
    counts = {
        (result.name, equal): collections.Counter(pair.category for pair in result.wrong(pairs, equal))
        for result in found
        for equal in (True, False)
    }
    print("\nrejected / accepted wrongly, by category\n")
    print("| category | equal / not |", " | ".join(result.name for result in found), "|")
    print("|---|---|" + "---|" * len(found))
    for category in dict.fromkeys(pair.category for pair in pairs):
        cells = []
        for number, result in enumerate(found):
            cell = [counts[result.name, equal][category] for equal in (True, False)]
            peers = [[counts[peer.name, equal][category] for equal in (True, False)] for peer in found[1:]]
            worse = not number and any(sum(peer) < sum(cell) for peer in peers)
            cells.append(f"{cell[0]} / {cell[1]}" + " !" * worse)
        print(f"| {category} | {total[category, True]} / {total[category, False]} |", " | ".join(cells), "|")


def list_failures(result: Result, pairs: list[Pair]) -> None:
    for equal in (True, False):
        print(f"\n{result.name} {'rejects wrongly' if equal else 'accepts wrongly'}:")
        for pair in result.wrong(pairs, equal):
            print(f"  [{pair.category}] {pair.answer!r} for {pair.gold!r}: {pair.reason}")
    for pair, said in zip(pairs, result.verdicts, strict=True):
        if isinstance(said, str):
            print(f"\n{result.name}, {said}: {pair.answer!r} for {pair.gold!r}")


def speed(pairs: list[Pair], seed: int) -> None:
    """Print microseconds of CPU time per pair, alternating between turnwise (with questions: twice) and Math-Verify."""
    with_questions = ["turnwise Dataset math"] if any(pair.question for pair in pairs) else []
    judges = {name: VERIFIERS[name][0]() for name in ("turnwise", *with_questions, "math-verify")}
    rng = random.Random(seed)
    for judge in judges.values():  # imports and first-use tables are not what is measured
        judge("x^2 - 17.5", r"\frac{7}{19}", "warm-up", "")
    times: dict[str, list[float]] = {name: [] for name in judges}
    for pair in pairs:
        for name in rng.sample(list(judges), len(judges)):
            start = time.thread_time_ns()
            judges[name](pair.answer, pair.gold, pair.category, pair.question)
            times[name].append((time.thread_time_ns() - start) / 1000)
    print(f"\n{len(pairs)} pairs, seed {seed}; microseconds of CPU time a pair\n")
    print("| verifier | median | p99 | max |\n|---|---|---|---|")
    rows = {
        name: [statistics.median(taken), statistics.quantiles(taken, n=100)[98], max(taken)]
        for name, taken in times.items()
    }
    for name, row in rows.items():
        print(f"| {name} |", " | ".join(f"{figure:,.0f}" for figure in row), "|")
    ratios = [theirs / ours for ours, theirs in zip(rows["turnwise"], rows["math-verify"], strict=True)]
    print("| ratio |", " | ".join(f"{ratio:,.1f}" for ratio in ratios), "|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders of pairs, tests/verifiers/pairs if none")
    parser.add_argument("--only", action="append", choices=VERIFIERS, metavar="NAME")
    parser.add_argument("--by-category", action="store_true")
    parser.add_argument("--failures", action="append", choices=VERIFIERS, default=[], metavar="NAME")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--worker", choices=VERIFIERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker)
        return
    pairs = load(options.paths or [PAIRS])
    if options.speed:
        shuffled = random.Random(options.seed).sample(pairs, len(pairs))
        speed(list({pair.gold: pair for pair in shuffled if pair.category not in HOSTILE}.values()), options.seed)
        return
    found = list(results(options.only or list(VERIFIERS), pairs))
    for result in found:
        if result.name in options.failures:
            list_failures(result, pairs)
    table(found, pairs)
    if options.by_category:
        table_by_category(found, pairs)


if __name__ == "__main__":
    main()
