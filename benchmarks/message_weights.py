"""Learns the weights of the model that picks the answer of a message (`turnwise.verifiers.messages.picked`).

    python benchmarks/message_weights.py                 # writes turnwise/verifiers/messages/picked/data/weights.json
    python benchmarks/message_weights.py --check 6       # what it says of messages by others, in six folds

It reads the labelled messages of `tests/verifiers/messages`, but for those files that measure (`HELD_APART`). Messages
with a box or an `<answer>` are left out, as the rules read them. Same messages, same weights.
"""

import argparse
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import torch

from tests.verifiers.hedges.audit import written
from tests.verifiers.hedges.templates import HEDGES, NONE
from turnwise.verifiers.math.message import case_for, verify
from turnwise.verifiers.math.picked import LIKELY, is_barred, read_of, right_value, takes
from turnwise.verifiers.messages.picked.model import FILE

FOLDER = Path(__file__).parents[1] / "tests" / "verifiers" / "messages"
HELD_APART = (
    "measure",
    "fresh_measure",
    "round_z",
    "round_aa",
    "round_ff",
    "round_jj",
    "round_mm",
    "round_oo",
    "round_rr",
)
LEAST = 15  # mentions with a feature, below which it has no weight
PENALTY = 0.5  # on the squares of the weights
WRONG = 3.0  # how much more a wrong message counts than a right one


class Sample(NamedTuple):
    """A message: its mentions' features, which are the gold, and which are but are barred."""

    file: str
    row: int
    right: bool
    paid: bool
    features: list[dict[str, float]]
    gold: list[bool]
    barred: list[bool]
    none: dict[str, float]


def hedges() -> Iterator[dict[str, str]]:
    """Hedges of one value, doubts, denials and talk to the grader, as wrong messages."""
    for template in itertools.chain(NONE, *HEDGES.values()):
        for gold, question in itertools.product(
            ("8", "\\frac{3}{7}"), ("How many has Ann now?", "Find the value of x.")
        ):
            yield {"message": written(template, gold, "13"), "gold": gold, "question": question, "label": "wrong"}


def samples(paths: list[Path]) -> list[Sample]:
    """The messages of some files of which the model has something to say, and hedges; two processes read them."""
    with ProcessPoolExecutor(2) as pool:
        return [sample for found in pool.map(_samples_of, [*paths, None]) for sample in found]


def _samples_of(path: Path | None) -> list[Sample]:
    """Those of one file; of the hedges where there is none."""
    found = []
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path is not None else hedges()
    for n, row in enumerate(rows):
        case, _ = case_for(row["message"], row["gold"], row["question"])
        if case is None:
            continue
        read, is_right = read_of(case), takes(case)
        values = [right_value(case, mention, is_right) for mention in read.mentions]
        barred = [
            bool(value) and is_barred(case, mention, value)
            for mention, value in zip(read.mentions, values, strict=True)
        ]
        paid = verify(row["message"], row["gold"], question=row["question"]).correct
        features = [dict(mention.features) for mention in read.mentions]
        right, file = row["label"] == "right", path.stem if path is not None else "hedges"
        found.append(Sample(file, n, right, paid, features, list(map(bool, values)), barred, read.none))
    return found


class Model:
    """The conditional logit; its gradient is worked out by torch."""

    def __init__(self, learnt: list[Sample]) -> None:
        counts = Counter(name for sample in learnt for features in sample.features for name in features)
        against = Counter(name for sample in learnt for name in sample.none)
        self.names = {name: n for n, name in enumerate(sorted(n for n, count in counts.items() if count >= LEAST))}
        self.against = {name: n for n, name in enumerate(sorted(n for n, count in against.items() if count >= LEAST))}
        self.weights = torch.zeros(len(self.names), dtype=torch.float64, requires_grad=True)
        self.none = torch.zeros(len(self.against), dtype=torch.float64, requires_grad=True)

    def tensors(
        self, chosen: list[Sample]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """The features of all mentions and of all messages, whose mention each is, and which are the gold or others."""
        rows, columns, values, owner, gold, other, lines, kinds, sizes = ([] for _ in range(9))
        for n, sample in enumerate(chosen):
            for features, is_gold, barred in zip(sample.features, sample.gold, sample.barred, strict=True):
                for name, value in features.items():
                    if name in self.names:
                        rows.append(len(owner))
                        columns.append(self.names[name])
                        values.append(value)
                owner.append(n)
                gold.append(is_gold and not barred)
                other.append(not is_gold)
            for name, value in sample.none.items():
                if name in self.against:
                    lines.append(n)
                    kinds.append(self.against[name])
                    sizes.append(value)

        def sparse(one: list[int], two: list[int], size: list[float], shape: tuple[int, int]) -> torch.Tensor:
            places = torch.tensor([one, two], dtype=torch.long)
            return torch.sparse_coo_tensor(places, torch.tensor(size, dtype=torch.float64), shape).coalesce()

        mentions = sparse(rows, columns, values, (len(owner), len(self.names)))
        messages = sparse(lines, kinds, sizes, (len(chosen), len(self.against)))
        return mentions, messages, torch.tensor(owner), torch.tensor(gold), torch.tensor(other)

    def chances(self, tensors: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, torch.Tensor]:
        """For each message the chance of the gold, and that of any other value."""
        mentions, messages, owner, gold, other = tensors
        scores = torch.sparse.mm(mentions, self.weights[:, None])[:, 0]
        against = torch.sparse.mm(messages, self.none[:, None])[:, 0]
        most = against.detach().scatter_reduce(0, owner, scores.detach(), "amax")
        shares = torch.exp(scores - most[owner])
        empty = torch.zeros_like(against)
        total = torch.exp(against - most) + empty.index_add(0, owner, shares)
        return empty.index_add(0, owner, shares * gold) / total, empty.index_add(0, owner, shares * other) / total

    def fit(self, learnt: list[Sample]) -> "Model":
        """Learn the weights."""
        learnt = [sample for sample in learnt if any(sample.gold)]
        tensors = self.tensors(learnt)
        right = torch.tensor([sample.right for sample in learnt])
        optimizer = torch.optim.LBFGS([self.weights, self.none], max_iter=60, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            optimizer.zero_grad()
            chance = self.chances(tensors)[0].clamp(1e-6, 1 - 1e-6)
            missed = -torch.log(chance[right]).sum() - WRONG * torch.log(1 - chance[~right]).sum()
            whole = missed + PENALTY * (self.weights.square().sum() + self.none.square().sum())
            whole.backward()
            return whole

        optimizer.step(loss)
        return self

    def save(self) -> None:
        """Write the weights."""
        shown = [
            {name: round(float(values[n]), 3) for name, n in names.items() if abs(float(values[n])) >= 0.0005}
            for names, values in ((self.names, self.weights.detach()), (self.against, self.none.detach()))
        ]
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(json.dumps({"mention": shown[0], "none": shown[1]}, indent=0) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--check", type=int, default=0, metavar="FOLDS", help="learn from some files, try on the others"
    )
    parser.add_argument("--without", nargs="*", default=[], help="files that are left out as well")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    paths = sorted(path for path in FOLDER.glob("*.jsonl") if path.stem not in (*HELD_APART, *arguments.without))
    known = samples(paths)
    print(f"{len(known)} messages, {sum(sample.right for sample in known)} right")
    if not arguments.check:
        model = Model(known).fit(known)
        model.save()
        print(f"{len(model.names)} features of values, {len(model.against)} against all: {FILE}")
        return
    files = sorted({sample.file for sample in known})
    random.Random(0).shuffle(files)
    print("refused by the rules, of these won | paid by the model, of the wrong ones that the rules do not pay")
    for fold in range(arguments.check):
        apart = set(files[fold :: arguments.check])
        model = Model(known).fit([sample for sample in known if sample.file not in apart])
        tried = [sample for sample in known if sample.file in apart]
        gold, _ = model.chances(model.tensors(tried))
        for name in sorted(apart):
            missed = won = paid = wrong = 0
            for sample, chance in zip(tried, gold.tolist(), strict=True):
                if sample.file == name and not sample.paid:
                    missed += sample.right
                    wrong += not sample.right
                    won += sample.right and chance >= LIKELY
                    paid += not sample.right and chance >= LIKELY
            print(f"{name:16} {missed:4} {won:4} | {paid:3} {wrong:4}   ")


if __name__ == "__main__":
    main()
