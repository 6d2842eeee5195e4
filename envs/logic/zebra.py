"""Zebra: who lives where and has what, from clues with exactly one solution.

Source: the "zebra puzzle" (Life International, 17 December 1962); as a test of language models, ZebraLogic
(arXiv 2502.01100).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import numpy as np

from turnwise.core import Env, Reply
from turnwise.errors import SettingsError
from turnwise.registration import register
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
SENTENCES = {
    "same": "{a} is {b}",
    "not": "{a} is not {b}",
    "left": "{a} lives directly to the left of {b}",
    "beside": "{a} lives next to {b}",
    "before": "{a} lives somewhere to the left of {b}",
    "gap": "There is exactly one house between {a} and {b}",
    "at": "{a} lives in house {k}",
    "off": "{a} does not live in house {k}",
}
_LABEL = re.compile(rf"\A(?:{'|'.join(name for name, _, _ in ATTRIBUTES)})\s*[:=]\s*")
KINDS = {
    "easy": ("same", "same", "same", "left", "beside", "at"),
    "all": ("same", "same", "same", "not", "left", "beside", "before", "gap", "at", "off"),
    "hard": ("same", "not", "not", "left", "beside", "beside", "before", "gap", "off"),
}
MAX_NODES = 50  # of a search for a second solution, before a clue is kept unseen
Clue = tuple[str, int, int]
"""A key of ``SENTENCES``; a value as ``attribute * size + number``; another value, or of "at" and "off" the house."""
Rule = tuple[int, int, Sequence[int], Sequence[int]]
Draw = Callable[[], float]


@dataclass(frozen=True)
class Task:
    """Houses in a row, attributes, clues, and the house (from 0) of each value."""

    size: int
    attributes: int
    clues: tuple[Clue, ...]
    houses: tuple[int, ...] = field(compare=False)


@register("Zebra-v0")
class Zebra(Env[Task]):
    """Reward 1 for the whole table, checked against every clue.

    Settings:
        num_houses: How many houses.
        num_attributes: How many things differ from house to house, names included.
        clues: easy (who has what, neighbours, house numbers), all kinds, or hard (few positive and no house number).
        guessing: Whether the solution may need "suppose it were so"; otherwise each step follows from one clue or from
            one attribute.
        partial: Pay a wrong table the share of its values that are in the right house (over several turns, what it
            is better than the best before). Always below 1.
    """

    num_houses: int = 4
    num_attributes: int = 4
    clues: Literal["easy", "all", "hard"] = "all"
    guessing: bool = False
    partial: bool = False

    limits = {"num_houses": (3, 6), "num_attributes": (3, 6)}
    levels = tuple(
        {"num_houses": n, "num_attributes": m, "clues": c, "guessing": g}
        for n, m, c, g in [
            (3, 3, "easy", False), (3, 4, "all", False), (4, 3, "all", False), (4, 4, "all", False),
            (4, 5, "all", False), (5, 4, "all", False), (5, 5, "all", False), (5, 5, "hard", True),
            (6, 5, "hard", True), (6, 6, "hard", True),
        ]
    )  # fmt: skip
    chance = (0.005,) + (0.0,) * 9
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
        draw = _stream(rng).__next__
        for _ in range(100):
            houses: list[int] = []
            for _ in range(m):
                houses += [k for _, k in sorted((draw(), k) for k in range(n))]
            clues = self._enough_clues(draw, houses)
            if clues is not None:
                kept = self._pruned(clues)
                kept = [clue for _, clue in sorted((draw(), clue) for clue in kept)]
                return Task(n, m, tuple(kept), tuple(houses))
        raise SettingsError(f"no set of clues={self.clues!r} was found; use another")

    def _enough_clues(self, draw: Draw, houses: Sequence[int]) -> list[Clue] | None:
        """True clues, each new at its time, until simple steps solve the puzzle."""
        n = self.num_houses
        where = [houses[base : base + n] for base in range(0, len(houses), n)]
        value_at = [[base * n + row.index(k) for k in range(n)] for base, row in enumerate(where)]  # attribute, house
        options = KINDS[self.clues]
        tables, domains = relations(n), [(1 << n) - 1] * len(houses)
        clues: list[Clue] = []
        rules: list[Rule] = []
        for _ in range(60 * n):
            clue = _true_clue(draw, options[int(draw() * len(options))], value_at)
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
        """The clues without those that the others make superfluous, the latest looked at first."""
        n, m = self.num_houses, self.num_attributes
        kept = list(clues)
        for nodes in (1, MAX_NODES) if self.guessing else (1,):  # the cheap look first leaves less for the dear one
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
        lines = [f"{n} houses stand in a row, 1 to {n} from left to right. In each lives one person. These all differ:"]
        lines += [f"- {name}: {', '.join(values[:n])}" for name, _, values in chosen]
        lines.append("Clues:")
        for i, (kind, a, b) in enumerate(task.clues, 1):
            unary = kind in ("at", "off")
            text = SENTENCES[kind].format(a=phrases[a], b="" if unary else phrases[b], k=b + 1)
            lines.append(f"{i}. {text[0].upper()}{text[1:]}.")
        form = ", ".join(name for name, _, _ in chosen)
        lines.append(f"Who lives where? Answer with one line per house:\n<answer>\n1: {form}\n2: ...\n</answer>")
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
        return Reply(f"Clue {broken} does not hold.", reward=gain)

    def _table(self, text: str) -> list[int] | str:
        """The house of each value, or what is wrong with the text."""
        if len(text) > MAX_ANSWER_CHARS:
            return f"The answer is longer than {MAX_ANSWER_CHARS} characters."
        n, m = self.task.size, self.task.attributes
        number = {value.lower(): i for i, value in enumerate(self.values)}
        houses: dict[int, int] = {}
        seen: set[int] = set()
        for line in re.split(r"[\n;]", text.lower()):
            line = line.strip("|*-. \t")
            match = re.fullmatch(r"(?:house\b)?[ #]*([1-9])\b[ *]*[:.)|,=-]([^\n]*)", line)
            if match is None:
                if not line or re.fullmatch(r"[-|: ]*", line) or line.startswith("house |"):
                    continue  # a table's frame
                return f"Not readable: {line[:40]!r}. Write lines like 1: {', '.join(self.values[::n])}."
            house = int(match[1]) - 1
            items = [_LABEL.sub("", item.strip(" *\t")).strip(" *") for item in re.split(r"[,|]", match[2])]
            found = [number.get(item) for item in items if item]
            if None in found:
                return f"Not readable: {line[:40]!r}. There are only the values listed."
            if house in seen or house >= n or len(found) != m or len({i // n for i in found if i is not None}) != m:
                return f"House {house + 1} needs one line with {m} different attributes."
            seen.add(house)
            houses.update((i, house) for i in found if i is not None)
        if len(seen) != n or len(houses) != n * m:
            return f"Each of the {n} houses needs a line, and each value belongs into one house."
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

    def sample_action(self, rng: np.random.Generator) -> str:
        n = self.task.size
        houses = [k for _ in range(self.task.attributes) for k in rng.permutation(n).tolist()]
        return "\n".join(["<answer>", *self._lines(houses), "</answer>"])


# ---- clues and their solver ---------------------------------------------------------------------------------------


def holds(clue: Clue, houses: Sequence[int]) -> bool:
    """Whether a clue is true where ``houses`` has the house of each value, from 0."""
    kind, a, b = clue
    if kind in ("at", "off"):
        return (houses[a] == b) == (kind == "at")
    return _related(kind, houses[a], houses[b])


def _related(kind: str, x: int, y: int) -> bool:
    match kind:
        case "same":
            return x == y
        case "not":
            return x != y
        case "left":
            return x + 1 == y
        case "beside":
            return abs(x - y) == 1
        case "before":
            return x < y
    return abs(x - y) == 2  # gap


def _true_clue(draw: Draw, kind: str, value_at: Sequence[Sequence[int]]) -> Clue:
    """A random clue of that kind that holds; ``value_at`` has the value of each attribute and house."""
    m, n = len(value_at), len(value_at[0])
    one, other = int(draw() * m), int(draw() * (m - 1))
    x = int(draw() * n)
    if kind == "at":
        return kind, value_at[one][x], x
    if kind == "off":
        return kind, value_at[one][x], (x + 1 + int(draw() * (n - 1))) % n
    if kind in ("same", "not"):
        y = x if kind == "same" else (x + 1 + int(draw() * (n - 1))) % n
        other += other >= one
    else:
        step = {"left": 1, "beside": 1, "gap": 2}.get(kind) or 1 + int(draw() * (n - 1))
        x = int(draw() * (n - step))
        y = x + step
        other = int(draw() * m)
    a, b = value_at[one][x], value_at[other][y]
    return (kind, a, b) if kind in ("left", "before") or a < b else (kind, b, a)


@cache
def relations(size: int) -> dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """For each kind of clue about two values, three tables over masks of houses.

    With the first value anywhere in the mask: where the second may be; the same the other way round; and where the
    second may be whatever house of the mask the first is in.
    """
    found = {}
    full = (1 << size) - 1
    for kind in SENTENCES:
        ahead = [sum(1 << y for y in range(size) if _related(kind, x, y)) for x in range(size)]
        back = [sum(1 << x for x in range(size) if _related(kind, x, y)) for y in range(size)]
        forward, backward, always = [0], [0], [full]
        for mask in range(1, full + 1):
            low, rest = (mask & -mask).bit_length() - 1, mask & (mask - 1)
            forward.append(forward[rest] | ahead[low])
            backward.append(backward[rest] | back[low])
            always.append(always[rest] & ahead[low])
        found[kind] = (tuple(forward), tuple(backward), tuple(always))
    return found


def start(clues: Sequence[Clue], size: int, attributes: int) -> tuple[list[int], list[Rule]]:
    """The possible houses of each value by clues about one value, as masks, and the clues about two values."""
    tables = relations(size)
    domains = [(1 << size) - 1] * (size * attributes)
    rules: list[Rule] = []
    for kind, a, b in clues:
        if kind == "at":
            domains[a] &= 1 << b
        elif kind == "off":
            domains[a] &= ~(1 << b)
        else:
            rules.append((a, b, tables[kind][0], tables[kind][1]))
    return domains, rules


def propagate(domains: list[int], rules: Sequence[Rule], size: int) -> bool:
    """Narrow the domains in place by each clue and by "all differ" until nothing changes; False if they contradict."""
    full = (1 << size) - 1
    changed = True
    while changed:
        changed = False
        for a, b, forward, backward in rules:
            x, y = domains[a], domains[b]
            y_new = y & forward[x]
            x_new = x & backward[y_new]
            if x_new != x or y_new != y:
                if not x_new:
                    return False
                domains[a], domains[b] = x_new, y_new
                changed = True
        for base in range(0, len(domains), size):
            group = domains[base : base + size]
            once = twice = known = 0
            for mask in group:
                twice |= once & mask
                once |= mask
                if mask & (mask - 1) == 0:
                    if known & mask or not mask:
                        return False
                    known |= mask
            if once != full:
                return False
            if known == full:
                continue
            single = once & ~twice  # houses that one value alone can have
            for i, mask in enumerate(group):
                if mask & (mask - 1):
                    new = mask & single or mask & ~known
                    if new != mask:
                        domains[base + i] = new
                        changed = True
    return True


def count_solutions(domains: list[int], rules: Sequence[Rule], size: int, nodes: list[int]) -> int:
    """0, 1 or 2 for none, one, or more solutions; 2 too where ``nodes[0]`` nodes of search do not decide."""
    if nodes[0] <= 0:
        return 2
    nodes[0] -= 1
    if not propagate(domains, rules, size):
        return 0
    open_ = [(mask.bit_count(), i) for i, mask in enumerate(domains) if mask & (mask - 1)]
    if not open_:
        return 1
    _, value = min(open_)
    total, mask = 0, domains[value]
    while mask and total < 2:
        bit = mask & -mask
        mask ^= bit
        total += count_solutions([*domains[:value], bit, *domains[value + 1 :]], rules, size, nodes)
    return min(total, 2)


def _stream(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(128).tolist()
