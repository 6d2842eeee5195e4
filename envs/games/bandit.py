"""Bandit: find the best arms of a slot machine with a limited number of pulls.

Source: best-arm identification with a fixed budget, Lattimore & Szepesvári, Bandit Algorithms (2020), ch. 33; the best
several arms, Kalyanakrishnan & Stone (ICML 2010); for language agents, RAGEN's two-armed bandit (arXiv 2504.20073).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer

_NAMES = (
    "amber", "azure", "basil", "cedar", "cherry", "clover", "copper", "coral", "cotton", "crimson", "ebony", "fern",
    "ginger", "hazel", "indigo", "ivory", "jade", "lemon", "lilac", "lotus", "maple", "olive", "opal", "pearl",
    "quartz", "ruby", "saffron", "silver", "topaz", "walnut",
)  # fmt: skip
_LOWEST, _HIGHEST = 50, 950  # mean payouts, in thousandths
_MAX_CHARS = 2000


@dataclass(frozen=True)
class Task:
    """Named arms with mean payout and probability of paying, in thousandths, and the seed of the pulls."""

    names: tuple[str, ...]
    means: tuple[int, ...]
    odds: tuple[int, ...]
    seed: int


@register("Bandit-v0")
class Bandit(Env[Task]):
    """Find the best arms of a slot machine in limited pulls; reward 1 for exactly the ``top`` with the highest means.

    An agent spends its pulls as it likes and then commits, which ends the episode. Cumulative payout would reward luck
    and every random pull; identification is right or wrong, and a blind commitment is right only once in
    C(num_arms, top), 36 or more at every level. The n-th pull of an arm pays the same whenever it is made.

    The settings num_arms=2, top=1, payouts="risky" are RAGEN's bandit (a safe arm against a risky one) with unnamed
    risks; a coin toss solves it half the time, so its success rate does not measure skill.
    """

    num_arms: Annotated[int, Range(2, len(_NAMES))] = 9
    """Arms to choose from."""
    top: Annotated[int, Range(1, 10)] = 2
    """How many of the best to name, in any order."""
    gap: Annotated[float, Range(0.01, 0.8)] = 0.3
    """The least difference of mean payout between the last arm to name and the next."""
    payouts: Literal["bernoulli", "gaussian", "risky"] = "bernoulli"
    """What an arm pays: "bernoulli" pays 1 or 0; "gaussian" pays the mean plus normal noise; "risky" pays an amount
    with a chance of 1, 1/2 or 1/4 that differs between arms, so that a rich payout is not a rich arm."""
    noise: Annotated[float, Range(0.0, 10.0)] = 0.3
    """Standard deviation of the noise of gaussian payouts."""
    num_pulls: Annotated[int, Range(1, 5000)] = 180
    """Pulls in all."""
    max_turns: Annotated[int, Range(1, 1000)] = 12
    """Messages; one may pull several arms several times."""

    levels = tuple(
        {"num_arms": k, "top": m, "gap": g, "payouts": p, "noise": s, "num_pulls": n, "max_turns": t}
        for k, m, g, p, s, n, t in [
            (9, 2, 0.4, "gaussian", 0.1, 18, 15), (9, 2, 0.3, "gaussian", 0.2, 36, 15),
            (9, 2, 0.2, "gaussian", 0.3, 120, 15), (9, 2, 0.4, "bernoulli", 0.0, 150, 15),
            (9, 2, 0.3, "bernoulli", 0.0, 240, 15), (10, 3, 0.3, "risky", 0.0, 500, 15),
            (12, 3, 0.2, "bernoulli", 0.0, 400, 15), (15, 3, 0.2, "risky", 0.0, 1200, 15),
            (20, 3, 0.15, "bernoulli", 0.0, 1000, 12), (30, 4, 0.1, "bernoulli", 0.0, 2400, 12),
        ]
    )  # fmt: skip
    chance = (0.027, 0.027, 0.027, 0.027, 0.027, 0.008, 0.0042, 0.0022, 0.001, 0.0)
    chance_default = 0.027
    cheats = (
        lambda env: f"best {', '.join(env.task.names)}",
        lambda env: f"best {', '.join(_best(env.task, env.top))}, {_worst(env.task)}",
        lambda env: f"best {', '.join([_worst(env.task)] * env.top)}",
        lambda env: (
            f"<answer>best {_worst(env.task)}</answer><answer>best {', '.join(_best(env.task, env.top))}</answer>"
        ),
        lambda env: f"not best {', '.join(_best(env.task, env.top))}",
        lambda env: f"pull {_worst(env.task)} 999999999",
        "best the best arms",
        "best *",
    )

    def check(self) -> None:
        if self.top >= self.num_arms:
            raise SettingsError(f"top is {self.top} with num_arms={self.num_arms}; it must be smaller than num_arms")

    def generate(self, rng: np.random.Generator) -> Task:
        k, gap = self.num_arms, max(1, round(self.gap * 1000))
        draws: list[float] = rng.random(3 * k + 1).tolist()
        # a gap of `gap` between the arms to name, above it, and the others, below it
        cut = _LOWEST + (0.25 + 0.5 * draws.pop()) * (_HIGHEST - _LOWEST - gap)
        above, below = _HIGHEST - cut - gap, cut - _LOWEST
        means = [
            round(cut + gap + u * above) + 1 if i < self.top else round(cut - u * below)
            for i, u in enumerate(draws[:k])
        ]
        order = sorted(range(k), key=draws[k : 2 * k].__getitem__)
        means = [means[i] for i in order]
        rest = list(_NAMES)
        names = tuple([rest.pop(int(u * len(rest))) for u in draws[2 * k :]])
        if self.payouts == "risky":
            odds = [(250, 500, 1000)[int(w)] for w in rng.random(k) * 3]
        else:
            odds = means if self.payouts == "bernoulli" else [1000] * k
        return Task(names, tuple(means), tuple(odds), int(rng.random() * 2**53))

    def begin(self) -> str:
        task = self.task
        rng = np.random.Generator(np.random.PCG64(task.seed))
        shape = (len(task.names), self.num_pulls)
        means, odds = np.array(task.means)[:, None] / 1000, np.array(task.odds)[:, None] / 1000
        if self.payouts == "gaussian":
            self._pays = means + self.noise * rng.standard_normal(shape)
        else:
            self._pays = (rng.random(shape) < odds) * (means / odds)
        self._index = {name: i for i, name in enumerate(task.names)}
        self.pulled = [0] * len(task.names)
        self.left = self.num_pulls
        goal = "the arm" if self.top == 1 else f"the {self.top} arms"
        first, second = task.names[:2]
        highest = "mean payout" if self.top == 1 else "mean payouts"
        return (
            f"A slot machine has the arms {', '.join(task.names)}. Each arm pays random amounts around its own fixed "
            f"mean. Find {goal} with the highest true {highest}. You have {self.num_pulls} pulls and {self.max_turns} "
            "messages, including the one with your choice; you need not use all of them. Each message makes one move:\n"
            f"- <answer>pull {first} 2, {second} 1</answer> or <answer>pull all 3</answer>: pull arms that many times "
            "and see what each paid on average\n"
            f"- <answer>best {', '.join(['...'] * self.top)}</answer>: name the best, in any order; this ends the game"
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"Not a move: {problem}.", invalid=True)
        verb, _, rest = text[:_MAX_CHARS].rstrip(".").partition(" ")
        parts = [part.split() for part in rest.lower().split(",")]
        if len(text) > _MAX_CHARS or verb.lower() not in ("pull", "best"):
            return Reply('Not a move: write "pull" or "best", then arms separated by commas.', invalid=True)
        if parts[0][:1] == ["all"] and len(parts) == 1 and verb.lower() == "pull":
            parts = [[name, *parts[0][1:]] for name in self.task.names]
        for part in parts:
            if not part or part[0] not in self._index:
                return Reply(f"Not a move: {part[0][:20] if part else 'an empty name'!r} is not an arm.", invalid=True)
        return self._pull(parts) if verb.lower() == "pull" else self._commit(parts)

    def _pull(self, parts: Sequence[Sequence[str]]) -> Reply:
        orders = []
        for name, *count in parts:
            if len(count) > 1 or (count and not (count[0].isascii() and count[0].isdecimal() and len(count[0]) < 9)):
                return Reply(f"Not a move: write one number of pulls after {name}.", invalid=True)
            orders.append((name, int(count[0]) if count else 1))
        total = sum(n for _, n in orders)
        if total > self.left or min(n for _, n in orders) == 0:
            return Reply(f"Not a move: pull each arm at least once; {self.left} pulls are left.", invalid=True)
        self.left -= total
        lines = []
        for name, n in orders:
            i = self._index[name]
            paid = self._pays[i, self.pulled[i] : self.pulled[i] + n]
            self.pulled[i] += n
            lines.append(
                f"{name} paid {paid[0]:.3f}" if n == 1 else f"{name} paid {paid.mean():.3f} on average over {n} pulls"
            )
        return Reply(f"{'; '.join(lines)}. Pulls left: {self.left}.")

    def _commit(self, parts: Sequence[Sequence[str]]) -> Reply:
        chosen = {part[0] for part in parts}
        if len(chosen) != self.top or len(parts) != self.top or any(len(part) > 1 for part in parts):
            return Reply(f"Not a move: name exactly {self.top} different arms.", invalid=True)
        hits = len(chosen & set(_best(self.task, self.top)))
        if hits == self.top:
            return Reply("Correct.", solved=True)
        return Reply(f"Wrong: {hits} of {self.top} right.", done=True)

    def oracle(self) -> str:
        return f"best {', '.join(_best(self.task, self.top))}"

    def paraphrases(self) -> Sequence[str]:
        names = _best(self.task, self.top)
        return (
            f"<answer>Best {', '.join(reversed(names))}</answer>",
            f"I commit: \\boxed{{best {','.join(name.upper() for name in names)}}}",
            f"<think>pull all</think>best  {' , '.join(names)}.",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        names: list[str] = rng.permutation(self.task.names).tolist()
        if self.left == 0 or rng.random() < 0.2:
            return f"best {', '.join(names[: self.top])}"
        return f"pull {names[0]} {1 + int(rng.random() * min(self.left, 10))}"


def _best(task: Task, top: int) -> list[str]:
    """Return the names of the arms with the highest means, the best first."""
    order = sorted(range(len(task.means)), key=lambda i: -task.means[i])
    return [task.names[i] for i in order[:top]]


def _worst(task: Task) -> str:
    return task.names[min(range(len(task.means)), key=task.means.__getitem__)]
