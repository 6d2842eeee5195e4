"""Zebra: who lives where and has what, from clues with exactly one solution.

Source: the "zebra puzzle" (Life International, 17 December 1962); as a test of language models, ZebraLogic
(arXiv 2502.01100).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.logic._houses import (
    SENTENCES,
    Clue,
    Rule,
    count_solutions,
    holds,
    propagate,
    relations,
    start,
    true_clue,
)
from turnwise.verifiers.extract import final_answer

MAX_ANSWER_CHARS = 4000
ATTRIBUTES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("name", "{}", ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")),
    ("color", "the owner of the {} house", ("red", "blue", "green", "white", "yellow", "pink")),
    ("drink", "the {} drinker", ("tea", "coffee", "milk", "water", "juice", "cocoa")),
    ("pet", "the keeper of the {}", ("dog", "cat", "horse", "fox", "snail", "zebra")),
    ("job", "the {}", ("baker", "doctor", "farmer", "judge", "pilot", "tailor")),
    ("sport", "the one who likes {}", ("chess", "tennis", "golf", "rowing", "judo", "hockey")),
)
_LABEL = re.compile(rf"\A(?:{'|'.join(name for name, _, _ in ATTRIBUTES)})\s*[:=]\s*")
KINDS = {
    "easy": ("same", "same", "same", "left", "beside", "at"),
    "all": ("same", "same", "same", "not", "left", "beside", "before", "gap", "at", "off"),
    "hard": ("same", "not", "not", "left", "beside", "beside", "before", "gap", "off"),
}
MAX_NODES = 50  # of a search for a second solution; beyond, the clue is kept


@dataclass(frozen=True)
class Task:
    """Houses in a row, attributes, clues, and the house (from 0) of each value."""

    size: int
    attributes: int
    clues: tuple[Clue, ...]
    houses: tuple[int, ...] = field(compare=False)


@register("Zebra-v0")
class Zebra(Env[Task]):
    """Work out from clues who lives in which house; reward 1 for a full table that satisfies every clue."""

    num_houses: Annotated[int, Range(3, 6)] = 4
    """Number of houses."""
    num_attributes: Annotated[int, Range(3, 6)] = 4
    """Number of attributes that differ from house to house, names included."""
    clues: Literal["easy", "all", "hard"] = "all"
    """easy (who has what, neighbours, house numbers), all kinds, or hard (few positive and no house number)."""
    guessing: bool = False
    """Whether solving may require assumptions that are refuted later; otherwise each step follows from one clue or one
    attribute."""
    partial: bool = False
    """Pay a wrong table the share of its values that are in the right house (over several turns, what it is better than
    the best before). Always below 1."""

    levels = tuple(
        {"num_houses": n, "num_attributes": m, "clues": c, "guessing": g}
        for n, m, c, g in [
            (3, 3, "easy", False), (3, 4, "all", False), (4, 3, "all", False), (4, 4, "all", False),
            (4, 5, "all", False), (5, 4, "all", False), (5, 5, "all", False), (5, 5, "hard", True),
            (6, 5, "hard", True), (6, 6, "hard", True),
        ]
    )  # fmt: skip
    chance = (0.005,) + (0.0,) * 9
    chance_default = 0.0
    cheats = (
        lambda env: f"<answer>{env.oracle()[8:-9].strip().rpartition(chr(10))[0]}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9].strip()}, {env.values[0]}</answer>",
        lambda env: (
            f"<answer>{chr(10).join(f'{k + 1}: ' + ', '.join(env.values) for k in range(env.task.size))}</answer>"
        ),
        lambda env: f"<answer>{env.oracle()[8:-9].strip().replace('1:', '2:')}</answer>",
        lambda env: f"<answer>{env.oracle()[8:-9].strip().replace(',', ' or')}</answer>",
        lambda env: f"{env.oracle()} <answer>1: {env.values[0]}</answer>",
        "<answer>1: anything, 2: anything</answer>",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        n, m = self.num_houses, self.num_attributes
        draw = Draw.ahead(rng, 128)
        for _ in range(100):
            houses: list[int] = []
            for _ in range(m):
                houses += [k for _, k in sorted((draw.unit(), k) for k in range(n))]
            clues = self._enough_clues(draw, houses)
            if clues is not None:
                kept = self._pruned(clues)
                kept = [clue for _, clue in sorted((draw.unit(), clue) for clue in kept)]
                return Task(n, m, tuple(kept), tuple(houses))
        raise SettingsError(f"no set of clues={self.clues!r} was found; use another")

    def _enough_clues(self, draw: Draw, houses: Sequence[int]) -> list[Clue] | None:
        """Draw true clues, each with new information, until simple steps solve the puzzle."""
        n = self.num_houses
        where = [houses[base : base + n] for base in range(0, len(houses), n)]
        value_at = [[base * n + row.index(k) for k in range(n)] for base, row in enumerate(where)]  # attribute, house
        options = KINDS[self.clues]
        tables, domains = relations(n), [(1 << n) - 1] * len(houses)
        clues: list[Clue] = []
        rules: list[Rule] = []
        for _ in range(60 * n):
            clue = true_clue(draw, draw.choice(options), value_at)
            kind, a, b = clue
            if kind in ("at", "off"):
                mask = 1 << b if kind == "at" else ~(1 << b)
                if domains[a] & mask == domains[a]:
                    continue
                domains[a] &= mask
            else:
                forward, backward, always = tables[kind]
                if domains[b] & ~always[domains[a]] == 0:
                    continue  # known already
                rules.append((a, b, forward, backward))
            clues.append(clue)
            propagate(domains, rules, n)
            if all(mask & (mask - 1) == 0 for mask in domains):
                return clues
        return None

    def _pruned(self, clues: list[Clue]) -> list[Clue]:
        """Return the clues without redundant ones, examining the latest first."""
        n, m = self.num_houses, self.num_attributes
        kept = list(clues)
        for nodes in (1, MAX_NODES) if self.guessing else (1,):  # a cheap pass first leaves less to the expensive one
            for clue in reversed(clues):
                rest = [other for other in kept if other is not clue]
                if len(rest) < len(kept) and count_solutions(*start(rest, n, m), n, [nodes]) == 1:
                    kept = rest
        return kept

    def identity(self, task: Task) -> object:
        return task.size, task.attributes, tuple(sorted(task.clues))

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task, n = self.task, self.task.size
        chosen = ATTRIBUTES[: task.attributes]
        self.values = [value for _, _, values in chosen for value in values[:n]]
        self.best = 0.0
        phrases = [phrase.format(value) for _, phrase, values in chosen for value in values[:n]]
        lines = [
            f"There are {n} houses in a row, numbered 1 to {n} from left to right. One person lives in each house. "
            "Each house has a different value of each of these attributes:"
        ]
        lines += [f"- {name}: {', '.join(values[:n])}" for name, _, values in chosen]
        lines.append("Clues:")
        for i, (kind, a, b) in enumerate(task.clues, 1):
            unary = kind in ("at", "off")
            text = SENTENCES[kind].format(a=phrases[a], b="" if unary else phrases[b], k=b + 1)
            lines.append(f"{i}. {text[0].upper()}{text[1:]}.")
        form = ", ".join(name for name, _, _ in chosen)
        lines.append(
            f"Find the values of every house. Answer with {n} lines, one for each house, in the form\n<answer>\n"
            f"1: {form}\n2: ...\n</answer>\nwith a value in place of the name of each attribute."
        )
        return "\n".join(lines)

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(problem.capitalize() + ".", invalid=True)
        houses = self._table(text)
        if isinstance(houses, str):
            return Reply(houses, invalid=True)
        broken = next((i for i, clue in enumerate(self.task.clues, 1) if not holds(clue, houses)), None)
        if broken is None:
            return Reply("Correct.", solved=True)
        gain = 0.0
        if self.partial:
            share = sum(map(int.__eq__, houses, self.task.houses)) / len(houses)
            gain, self.best = max(0.0, share - self.best), max(share, self.best)
        return Reply(f"Wrong: clue {broken} is not satisfied.", reward=gain)

    def _table(self, text: str) -> list[int] | str:
        """Return the house of each value, or what is wrong with the text."""
        if len(text) > MAX_ANSWER_CHARS:
            return f"The answer is longer than {MAX_ANSWER_CHARS} characters."
        n, m = self.task.size, self.task.attributes
        number = {value.lower(): i for i, value in enumerate(self.values)}
        houses: dict[int, int] = {}
        seen: set[int] = set()
        for line in re.split(r"[\n;]", text.lower()):
            line = line.strip("|*-. \t\r")
            match = re.fullmatch(r"(?:house\b)?[ #]*([1-9])\b[ *]*[:.)|,=-]([^\n]*)", line)
            if match is None:
                if not line or re.fullmatch(r"[-|: ]*", line) or re.match(r"(?:house|#|no\.?)? *\|", line):
                    continue  # a table's frame
                return f"Cannot read {line[:40]!r}. Write lines like 1: {', '.join(self.values[::n])}."
            house = int(match[1]) - 1
            items = [_LABEL.sub("", item.strip(" *\t")).strip(" *") for item in re.split(r"[,|]", match[2])]
            found = [number.get(item) for item in items if item]
            if None in found:
                return f"Cannot read {line[:40]!r}. Use only the listed values."
            if house in seen or house >= n or len(found) != m or len({i // n for i in found if i is not None}) != m:
                return f"House {house + 1} needs exactly one line, with one value of each of the {m} attributes."
            seen.add(house)
            houses.update((i, house) for i in found if i is not None)
        if len(seen) != n or len(houses) != n * m:
            return f"Each of the {n} houses needs a line, and each value belongs to exactly one house."
        return [houses[i] for i in range(n * m)]

    def _lines(self, houses: Sequence[int], comma: str = ", ") -> list[str]:
        n = self.task.size
        rows = [[v for v, at in zip(self.values, houses, strict=True) if at == k] for k in range(n)]
        return [f"{k + 1}: {comma.join(row)}" for k, row in enumerate(rows)]

    def oracle(self) -> str:
        return "\n".join(["<answer>", *self._lines(self.task.houses), "</answer>"])

    def paraphrases(self) -> Sequence[str]:
        lines = self._lines(self.task.houses)
        table = [f"| {line.replace(': ', ' | ').replace(', ', ' | ')} |" for line in lines]
        names = [name for name, _, _ in ATTRIBUTES[: self.task.attributes]]
        named = [", ".join(f"{a}: {v}" for a, v in zip(names, line[3:].split(", "), strict=True)) for line in lines]
        return (
            f"<answer>{'; '.join(lines)}</answer>",
            "<answer>" + "\n".join(reversed(lines)).upper() + "</answer>",
            "<answer>\n| House | " + " | ".join(names) + " |\n|---|---|\n" + "\n".join(table) + "\n</answer>",
            "<answer>" + "\n".join(f"House {k}: {text}" for k, text in enumerate(named, 1)) + "</answer>",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        n = self.task.size
        houses = [k for _ in range(self.task.attributes) for k in rng.permutation(n).tolist()]
        return "\n".join(["<answer>", *self._lines(houses), "</answer>"])
