"""Learns the weights of the model that picks the answer of a message (`turnwise.verifiers.messages.picked`).

    python benchmarks/message_weights.py                 # writes turnwise/verifiers/messages/picked/data/weights.json
    python benchmarks/message_weights.py --check 6       # what it says of messages by others, in six folds

It reads the labelled messages of `tests/verifiers/messages`, but for those files that measure (`HELD_APART`). Messages
with a box or an `<answer>` are left out, as the rules read them.
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
from turnwise.verifiers.math.message import case_for
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
PENALTY = 1.0  # on the squares of the weights
WRONG = 3.0  # how much more a wrong message counts than a right one
HIDDEN, DROPOUT = 16, 0.3  # units, and the share of them that is left out in a step
EPOCHS, SIZE, RATE = 10, 256, 0.01  # how often each message is seen, how many in a step, and how far it goes at first
SEED = 0


class Sample(NamedTuple):
    """A message: whether the rules read the gold, its mentions' features, which are the gold, which are barred."""

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
    """The samples of one file, or of the hedges if no file is given."""
    found = []
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path is not None else hedges()
    for n, row in enumerate(rows):
        case, reading = case_for(row["message"], row["gold"], row["question"])
        if case is None:
            continue
        read, is_right = read_of(case), takes(case)
        values = [right_value(case, mention, is_right) for mention in read.mentions]
        barred = [
            bool(value) and is_barred(case, mention, value)
            for mention, value in zip(read.mentions, values, strict=True)
        ]
        paid = any(is_right(text) for text in reading.candidates)
        features = [dict(mention.features) for mention in read.mentions]
        right, file = row["label"] == "right", path.stem if path is not None else "hedges"
        found.append(Sample(file, n, right, paid, features, list(map(bool, values)), barred, read.none))
    return found


class Batch(NamedTuple):
    """Messages as tensors: the features of their mentions, whose mention each is, which are the gold or others."""

    features: torch.Tensor  # of all mentions, one behind the other
    values: torch.Tensor  # of these features
    starts: torch.Tensor  # where those of a mention start
    owner: torch.Tensor  # the message of a mention
    gold: torch.Tensor  # whether a mention is the gold, and not barred
    other: torch.Tensor  # whether it is another value
    none: torch.Tensor  # the features against all values of a message
    none_starts: torch.Tensor


class Model(torch.nn.Module):
    """The conditional logit: what speaks for a mention is linear in its features, and a layer of hidden units."""

    def __init__(self, learnt: list[Sample]) -> None:
        super().__init__()
        counts = Counter(name for sample in learnt for features in sample.features for name in features)
        against = Counter(name for sample in learnt for name in sample.none)
        self.names = {name: n for n, name in enumerate(sorted(n for n, count in counts.items() if count >= LEAST))}
        self.against = {name: n for n, name in enumerate(sorted(n for n, count in against.items() if count >= LEAST))}
        torch.manual_seed(SEED)
        self.linear = torch.nn.EmbeddingBag(len(self.names), 1, mode="sum")
        self.hidden = torch.nn.EmbeddingBag(len(self.names), HIDDEN, mode="sum")
        self.none = torch.nn.EmbeddingBag(len(self.against), 1, mode="sum")
        self.out = torch.nn.Linear(HIDDEN, 1, bias=False)
        self.bias = torch.nn.Parameter(torch.zeros(HIDDEN))
        self.dropout = torch.nn.Dropout(DROPOUT)
        for table, scale in ((self.linear, 0.0), (self.none, 0.0), (self.hidden, 0.05), (self.out, 0.1)):
            torch.nn.init.normal_(table.weight, std=scale)
        self.double()

    def batch(self, samples: list[Sample]) -> Batch:
        """Some messages as tensors."""
        features, values, starts, owner, gold, other, none, none_starts = ([] for _ in range(8))
        for n, sample in enumerate(samples):
            for mention, is_gold, barred in zip(sample.features, sample.gold, sample.barred, strict=True):
                starts.append(len(features))
                known = [(self.names[name], value) for name, value in mention.items() if name in self.names]
                features += [place for place, _ in known]
                values += [value for _, value in known]
                owner.append(n)
                gold.append(is_gold and not barred)
                other.append(not is_gold)
            none_starts.append(len(none))
            none += [self.against[name] for name in sample.none if name in self.against]
        return Batch(
            torch.tensor(features), torch.tensor(values, dtype=torch.float64), torch.tensor(starts),
            torch.tensor(owner), torch.tensor(gold), torch.tensor(other), torch.tensor(none), torch.tensor(none_starts),
        )  # fmt: skip

    def forward(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """For each message the chance of the gold, and that of any other value."""
        linear, hidden = (
            table(batch.features, batch.starts, per_sample_weights=batch.values) for table in (self.linear, self.hidden)
        )
        scores = (linear + self.out(self.dropout(torch.relu(hidden + self.bias))))[:, 0]
        against = self.none(batch.none, batch.none_starts)[:, 0]
        most = against.detach().scatter_reduce(0, batch.owner, scores.detach(), "amax")
        shares = torch.exp(scores - most[batch.owner])
        empty = torch.zeros_like(against)
        total = torch.exp(against - most) + empty.index_add(0, batch.owner, shares)
        return tuple(empty.index_add(0, batch.owner, shares * chosen) / total for chosen in (batch.gold, batch.other))

    def fit(self, learnt: list[Sample]) -> "Model":
        """Learn the weights."""
        learnt = [sample for sample in learnt if any(sample.gold)]
        optimizer = torch.optim.Adam(self.parameters(), lr=RATE)
        shuffle = random.Random(SEED)
        self.train()
        for epoch in range(EPOCHS):
            optimizer.param_groups[0]["lr"] = RATE * (1 - epoch / EPOCHS)
            shuffle.shuffle(learnt)
            for start in range(0, len(learnt), SIZE):
                samples = learnt[start : start + SIZE]
                right = torch.tensor([sample.right for sample in samples])
                chance = self(self.batch(samples))[0].clamp(1e-6, 1 - 1e-6)
                missed = -torch.log(chance[right]).sum() - WRONG * torch.log(1 - chance[~right]).sum()
                tables = (self.linear, self.none, self.hidden, self.out)
                squares = sum(table.weight.square().sum() for table in tables)
                optimizer.zero_grad()
                (missed + PENALTY * squares * len(samples) / len(learnt)).backward()
                optimizer.step()
        return self.eval()

    def save(self) -> None:
        """Write the weights: a line for each feature, what it adds to a mention's score and to the hidden units."""

        def shown(numbers: torch.Tensor) -> list[float]:
            return [round(number, 2) for number in numbers.tolist()]

        table = torch.cat([self.linear.weight, self.hidden.weight], 1).detach()
        found = {
            "bias": shown(self.bias),
            "out": shown(self.out.weight[0]),
            "none": dict(zip(self.against, shown(self.none.weight[:, 0]), strict=True)),
            "mention": {name: shown(table[n]) for name, n in self.names.items()},
        }
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(json.dumps(found, separators=(",", ":")).replace('],"', '],\n"') + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--check", type=int, default=0, metavar="FOLDS", help="learn from some files, try on the others"
    )
    parser.add_argument("--without", nargs="*", default=[], help="files that are left out as well")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
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
        with torch.no_grad():
            gold, _ = model(model.batch(tried))
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
