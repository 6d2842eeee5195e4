"""GuessNumber: find a secret number by guesses that are answered higher or lower.

Source: the folk game; as an environment for language agents, GEM (arXiv 2510.01051) and TextArena (arXiv 2504.11442).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from turnwise.core import Env, Reply
from turnwise.registration import register
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_integer

_HIGHER, _LOWER, _CORRECT = Reply("Higher."), Reply("Lower."), Reply("Correct.", solved=True)


@dataclass(frozen=True)
class Task:
    """The secret and the range it is drawn from."""

    secret: int
    high: int


@register("GuessNumber-v0")
class GuessNumber(Env[Task]):
    """Reward 1 for naming the secret within the turns.

    Chance is below 5 % at every level; the small default settings, which a tiny model can learn, admit 17 %.

    Settings:
        max_number: The secret is drawn from 1 to this.
        max_turns: Guesses; bisection needs ceil(log2(max_number + 1)).
    """

    max_number: int = 32
    max_turns: int = 6

    limits = {"max_number": (8, 10**9), "max_turns": (1, 100)}
    levels = tuple(
        {"max_number": n, "max_turns": t}
        for n, t in [
            (220, 10), (220, 8), (300, 9), (500, 9), (1000, 10),
            (2000, 11), (5000, 13), (20_000, 15), (100_000, 17), (1_000_000, 20),
        ]
    )  # fmt: skip
    chance = (0.045, 0.036, 0.03, 0.018, 0.01, 0.0057, 0.0025, 0.0008, 0.0002, 0.0)
    cheats = (
        lambda env: " ".join(map(str, range(1, min(env.max_number, 60) + 1))),
        lambda env: f"<answer>{env.task.secret}</answer><answer>{env.task.secret % env.max_number + 1}</answer>",
        lambda env: f"{env.task.secret - 1}..{env.task.secret + 1}",
        lambda env: f"{env.task.secret} or {env.task.secret % env.max_number + 1}",
        "<answer>the secret</answer>",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(1 + int(rng.random() * self.max_number), self.max_number)

    def begin(self) -> str:
        high = self.task.high
        self.low, self.top = 1, high
        return (
            f"I am thinking of a number from 1 to {high}. You have {self.max_turns} guesses; after each I say "
            "whether my number is higher or lower. Your guess?"
        )

    def respond(self, action: str) -> Reply:
        if action.isdecimal() and action.isascii() and len(action) < 11:  # the common move, without the general parser
            guess = int(action)
        else:
            text, problem = final_answer(action)
            number = None if text is None else parse_integer(text)
            if number is None:
                return Reply(f"Not a guess: {problem or 'say one whole number'}.", invalid=True)
            guess = number
        task = self.task
        if guess < task.secret:
            if guess < 1:
                return Reply(f"Out of range: from 1 to {task.high}.", invalid=True)
            if guess >= self.low:
                self.low = guess + 1
            return _HIGHER
        if guess == task.secret:
            return _CORRECT
        if guess > task.high:
            return Reply(f"Out of range: from 1 to {task.high}.", invalid=True)
        if guess <= self.top:
            self.top = guess - 1
        return _LOWER

    def oracle(self) -> str:
        """Bisection while it lasts the turns; on the last turn, the secret."""
        if self.turn == self.max_turns - 1:
            return str(self.task.secret)
        return str((self.low + self.top) // 2)

    def paraphrases(self) -> Sequence[str]:
        move = self.oracle()
        return (f"<answer>{move}</answer>", f"My guess: \\boxed{{{move}}}", f"{int(move):,}", f"{move}.")

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(1 + int(rng.random() * self.max_number))
