r"""Compare turnwise and other libraries on whole messages of models: right ones refused, wrong ones paid.

    python benchmarks/math_messages.py --repos DIR [--part dev|measure|all] [--limit N] [--by-rule] [--speed]
    python benchmarks/math_messages.py --own [--file round_a.jsonl]... [--by-rule]

`--repos` reads outputs of some forty-odd models from clones of public repositories (`message_sources.py` says which, at
which commits, under which licences, and how each row is labelled without asking any verifier); `--own` reads
tests/verifiers/messages, written by hand for this repository. Messages are split by question into a part to work on
and one to measure on, and `--failures` shows only the former. `--limit` rows of each label are drawn from every source.

Each verifier gets the message as it stands, in a process of its own with ten seconds a message (`math_verifiers.py`,
which says how peers are installed and what else they are given). Beside them stand those that read messages:

    pip install --no-deps lm-eval reasoning-gym && pip install pyyaml numpy requests "antlr4-python3-runtime==4.11.*"

lm-evaluation-harness with the filters and metrics of its tasks gsm8k and minerva_math (they read what their prompts ask
for), verl's default for GSM8K, and reasoning-gym's reading of `<answer>` with its comparison of decimals, which expects
that tag. Golds that are letters are judged as letters by all.
"""

import argparse
import collections
import json
import random
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import math_verifiers
import message_sources
from math_verifiers import VERIFIERS, Judge, Pair, Result, Worker, scorer
from message_sources import Message, number

OWN = Path(__file__).resolve().parent.parent / "tests" / "verifiers" / "messages"
AS_IT_STANDS = "extraction"  # the category of pairs whose answers are whole messages


# Peers that read messages. Each function imports what it needs, so that a missing peer fails alone.


def verl_gsm8k() -> Judge:
    score = scorer("verl.utils.reward_score", "gsm8k").compute_score
    return lambda answer, gold, category, question: score(answer, gold.replace(",", "")) > 0


def reasoning_gym() -> Judge:
    scores = scorer("reasoning_gym", "utils")
    return lambda answer, gold, category, question: (
        scores.compute_decimal_reward(scores.extract_answer(answer), gold) == 1
    )


def lm_eval_gsm8k(which: str) -> Callable[[], Judge]:
    """Build the harness's task gsm8k: one of its filters, and exact match after dropping what the metric ignores."""

    def load_judge() -> Judge:
        import yaml

        extraction = scorer("lm_eval.filters", "extraction")
        path = Path(extraction.__file__).parents[1] / "tasks" / "gsm8k" / "gsm8k.yaml"
        task = yaml.safe_load(path.read_text(encoding="utf-8"))
        steps = next(entry["filter"] for entry in task["filter_list"] if entry["name"] == which)
        settings = {name: value for name, value in steps[0].items() if name != "function"}
        ignored = task["metric_list"][0]["regexes_to_ignore"]
        read = extraction.RegexFilter(**settings)

        def plain(text: str) -> str:
            for pattern in ignored:
                text = re.sub(pattern, "", text)
            return text.lower()

        return lambda answer, gold, category, question: plain(read.apply([[answer]], [])[0][0]) == plain(gold)

    return load_judge


def lm_eval_minerva(metric: str) -> Callable[[], Judge]:
    """Build the harness's task minerva_math with one of its two metrics."""

    def load_judge() -> Judge:
        task = scorer("lm_eval.tasks.minerva_math", "utils")

        def judge(answer: str, gold: str, category: str, question: str) -> bool:
            document = {"answer": task.normalize_final_answer(gold), "solution": f"$\\boxed{{{gold}}}$"}
            return bool(task.process_results(document, [answer])[metric])

        return judge

    return load_judge


HARNESS = 'pip install --no-deps lm-eval && pip install pyyaml numpy requests "antlr4-python3-runtime==4.11.*"'
VERIFIERS |= {
    "verl gsm8k": (verl_gsm8k, "pip install --no-deps verl"),
    "lm-eval gsm8k strict": (lm_eval_gsm8k("strict-match"), HARNESS),
    "lm-eval gsm8k flexible": (lm_eval_gsm8k("flexible-extract"), HARNESS),
    "lm-eval minerva_math": (lm_eval_minerva("exact_match"), HARNESS),
    "lm-eval minerva_math math_verify": (lm_eval_minerva("math_verify"), HARNESS),
    "reasoning-gym": (reasoning_gym, "pip install --no-deps reasoning-gym && pip install numpy"),
}
LEFT_OUT = {"exact string", "verl prime_math", "verifiers boxed"}  # they read no messages, or as another one does
MEASURED = [name for name in VERIFIERS if name not in LEFT_OUT]


# The messages.


def own_messages(folder: Path, names: list[str]) -> list[Message]:
    """Read the messages written for this repository, or only the named files; each file is a part."""
    rows: list[Message] = []
    for file in [folder / name for name in names] or sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows.append(Own(file.stem, row["question"], row["message"], row["gold"], row["label"] == "right"))
    return rows


class Own(Message):
    """One of our own messages; its part was decided when it was written."""

    @property
    def part(self) -> str:
        return "measure" if self.source.endswith("measure") else "dev"


def drawn(rows: Iterable[Message], limit: int, seed: int) -> list[Message]:
    """Draw at most `limit` rows per label and source."""
    groups: dict[tuple[str, bool], list[Message]] = collections.defaultdict(list)
    for row in rows:
        groups[row.source, row.right].append(row)
    rng = random.Random(seed)
    return [row for group in groups.values() for row in rng.sample(group, min(limit, len(group)))]


def judged(name: str, pairs: list[Pair]) -> Result | None:
    """Return the verdicts of one verifier, None if it cannot be imported."""
    worker = Worker(name, __file__)
    if worker.problem:
        print(f"{name}: left out ({worker.problem}); {VERIFIERS[name][1]}")
        return None
    verdicts = [worker.judge(pair) for pair in pairs]
    worker.stop()
    return Result(name, verdicts)


# The tables.


def cell(verdicts: list[tuple[bool, Any]]) -> str:
    """Format the percentages of right messages refused and of wrong ones paid."""
    refused = [said is not True for right, said in verdicts if right]
    paid = [said is True for right, said in verdicts if not right]
    return " / ".join(f"{100 * sum(part) / len(part):.1f}" if part else "-" for part in (refused, paid))


def table_of_all(found: list[Result], rows: list[Message]) -> None:
    """Write one line per verifier over all rows; numeric golds separately, since some libraries read nothing else."""
    kinds = [
        ("refused, of {:,} right", [row.right for row in rows]),
        ("refused, of {:,} right with a number as gold", [row.right and number(row.gold) is not None for row in rows]),
        ("paid, of {:,} wrong", [not row.right for row in rows]),
    ]
    print("\n| verifier |", " | ".join(title.format(sum(chosen)) for title, chosen in kinds), "| timeouts, crashes |")
    print("|---" * (len(kinds) + 2) + "|")
    for result in found:
        cells = []
        for _, chosen in kinds:
            said = [(row.right, verdict) for row, verdict, of in zip(rows, result.verdicts, chosen, strict=True) if of]
            bad = sum(right != (verdict is True) for right, verdict in said)
            cells.append(f"{100 * bad / len(said):.2f} % ({bad})" if said else "-")
        print(f"| {result.name} |", " | ".join(cells), f"| {result.count('timeout')}, {result.count('crash')} |")


def table_by_source(found: list[Result], rows: list[Message]) -> None:
    print("\npercent of right messages refused / of wrong ones paid, by source\n")
    print("| source | right / wrong |", " | ".join(result.name for result in found), "|")
    print("|---|---|" + "---|" * len(found))
    for source in dict.fromkeys(row.source for row in rows):
        chosen = [number for number, row in enumerate(rows) if row.source == source]
        right = sum(rows[number].right for number in chosen)
        cells = [cell([(rows[number].right, result.verdicts[number]) for number in chosen]) for result in found]
        print(f"| {source} | {right:,} / {len(chosen) - right:,} |", " | ".join(cells), "|")


def table_by_rule(rows: list[Message]) -> None:
    """Write how many messages each reading rule reads, how often its reading is right, and how many right ones it pays.

    Precision: of what the rule paid, the share that is labelled right. Recall: of the right messages that it read, the
    share that it paid. A message that no rule reads is under "none".
    """
    from turnwise.verifiers.math import verify
    from turnwise.verifiers.messages import read_message

    counts: dict[str, collections.Counter[tuple[bool, bool]]] = collections.defaultdict(collections.Counter)
    for row in rows:
        rule = str(read_message(row.message).rule or "none")
        counts[rule][row.right, verify(row.message, row.gold).correct] += 1
    print("\n| rule | messages | right | precision | recall |\n|---|---|---|---|---|")
    for rule, count in sorted(counts.items(), key=lambda entry: -entry[1].total()):
        right, paid = count[True, True] + count[True, False], count[True, True] + count[False, True]
        shares = [f"{100 * count[True, True] / whole:.2f} %" if whole else "-" for whole in (paid, right)]
        print(f"| {rule} | {count.total():,} | {right:,} |", " | ".join(shares), "|")


def list_failures(result: Result, rows: list[Message]) -> None:
    """List what one verifier gets wrong, only in the part for development."""
    for row, said in zip(rows, result.verdicts, strict=True):
        if row.right != (said is True) and row.part == "dev":
            print(f"\n{result.name}, {'refused' if row.right else 'paid'}, {row.source}, gold {row.gold!r}:")
            print(f"  ...{row.message[-300:]!r}")


def parser() -> argparse.ArgumentParser:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--repos", type=Path, help="the folder that the repositories were cloned into")
    arguments.add_argument("--own", action="store_true", help="our own messages, tests/verifiers/messages")
    arguments.add_argument("--file", action="append", default=[], metavar="NAME", help="of our own only this file")
    arguments.add_argument("--part", choices=["dev", "measure", "all"], default="all")
    arguments.add_argument("--limit", type=int, default=200, help="rows of each label of each source (200)")
    arguments.add_argument("--only", action="append", choices=VERIFIERS, metavar="NAME")
    arguments.add_argument("--failures", action="append", choices=VERIFIERS, default=[], metavar="NAME")
    arguments.add_argument("--by-rule", action="store_true", help="also what each reading rule read")
    arguments.add_argument("--speed", action="store_true", help="CPU time a message instead, beside Math-Verify")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--jobs", type=int, default=2, help="verifiers at a time (2)")
    arguments.add_argument("--worker", choices=VERIFIERS, help=argparse.SUPPRESS)
    return arguments


def main() -> None:
    arguments = parser()
    options = arguments.parse_args()
    if options.worker:
        math_verifiers.work(options.worker)
        return
    if not options.own and options.repos is None:
        arguments.error("--repos DIR or --own says which messages")
    rows = own_messages(OWN, options.file) if options.own else []
    if options.repos is not None:
        real = list(message_sources.messages(options.repos))
        rows += [*real, *message_sources.with_other_numbers(real)]
    rows = drawn([row for row in rows if options.part in ("all", row.part)], options.limit, options.seed)
    pairs = [Pair(AS_IT_STANDS, row.message, row.gold, row.right, row.source, row.question) for row in rows]
    if options.speed:
        math_verifiers.speed(pairs, options.seed)
        return
    with ThreadPoolExecutor(options.jobs) as pool:
        found = [result for result in pool.map(lambda name: judged(name, pairs), options.only or MEASURED) if result]
    for result in found:
        if result.name in options.failures:
            list_failures(result, rows)
    print(f"\n{len(rows):,} messages, part: {options.part}, at most {options.limit} of each label of each source")
    table_of_all(found, rows)
    table_by_source(found, rows)
    if options.by_rule:
        table_by_rule(rows)


if __name__ == "__main__":
    main()
