"""GuessNumber: find a secret number by guesses that are answered higher or lower.

Source: the folk game; as an environment for language agents, GEM (arXiv 2510.01051) and TextArena (arXiv 2504.11442).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_integer

_HIGHER, _LOWER, _CORRECT = Reply("Higher."), Reply("Lower."), Reply("Correct.", solved=True)


@dataclass(frozen=True)
class Task:
    """The secret and the range it is drawn from."""

    secret: int
    low: int
    high: int


@register("GuessNumber-v0")
class GuessNumber(Env[Task]):
    """Guess a secret number from answers of higher or lower; reward 1 for naming it within the turns.

    Chance is below 5 % at every level; the small default settings, which a tiny model can learn, admit 17 %.
    """

    max_number: Annotated[int, Range(8, 10**9)] = 32
    """The range of the secret lies within 1 to this."""
    vary: Annotated[float, Range(0, 0.4)] = 0.25
    """How far the range may begin after 1 and end before max_number, each end on its own, as a share of max_number.
    With 0 the range is always the same and instances differ by their secret alone: then a split holds out secrets, and
    what is never right in training is what an agent learns never to say."""
    max_turns: Annotated[int, Range(1, 100)] = 6
    """Guesses; bisection needs ceil(log2(max_number + 1))."""
    rules: bool = True
    """Whether the first observation explains the game; otherwise it is the bare range."""

    levels = tuple(
        {"max_number": n, "max_turns": t}
        for n, t in [
            (300, 10), (300, 9), (400, 9), (600, 10), (1000, 10),
            (2000, 11), (5000, 13), (20_000, 15), (100_000, 17), (1_000_000, 20),
        ]
    )  # fmt: skip
    own_wordings = ("reworded", "terse")
    chance = (0.045, 0.036, 0.03, 0.018, 0.01, 0.0057, 0.0025, 0.0008, 0.0002, 0.0)
    chance_default = 0.21
    cheats = (
        lambda env: " ".join(map(str, range(1, min(env.max_number, 60) + 1))),
        lambda env: f"<answer>{env.task.secret}</answer><answer>{env.task.secret % env.max_number + 1}</answer>",
        lambda env: f"{env.task.secret - 1}..{env.task.secret + 1}",
        lambda env: f"{env.task.secret} or {env.task.secret % env.max_number + 1}",
        "<answer>the secret</answer>",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        if not self.vary:
            return Task(1 + int(rng.random() * self.max_number), 1, self.max_number)
        places = int(self.vary * self.max_number) + 1
        u, v, w = rng.random(3).tolist()
        low, high = 1 + int(u * places), self.max_number - int(v * places)
        return Task(low + int(w * (high - low + 1)), low, high)

    def begin(self) -> str:
        low, high = self.task.low, self.task.high
        self.low, self.top = low, high
        if not self.rules:
            return f"{low} to {high}"
        return (
            f"I am thinking of a whole number from {low} to {high}. Find it in at most {self.max_turns} guesses. After "
            "each wrong guess I say whether my number is higher or lower than it. Answer with one number N, alone or "
            "in the form <answer>N</answer>."
        )

    def reworded(self, wording: str) -> str:
        low, high = self.task.low, self.task.high
        if not self.rules:
            return f"{low}-{high}" if wording == "terse" else f"from {low} to {high}"
        if wording == "terse":
            return (
                f"Guess my whole number, {low} to {high}, in at most {self.max_turns} guesses. To a wrong guess I "
                "reply higher or lower. One number N at a time, alone or as <answer>N</answer>."
            )
        return (
            f"There is a secret whole number; it is at least {low} and at most {high}. You have {self.max_turns} "
            "guesses. If a guess is wrong, you learn whether the secret number is higher or lower than your guess. "
            "Write a single number N in each message, by itself or in the form <answer>N</answer>."
        )

    def respond(self, action: str) -> Reply:
        if action.isdecimal() and action.isascii() and len(action) < 11:  # the common move, without the general parser
            guess = int(action)
        else:
            text, problem = final_answer(action)
            number = None if text is None else parse_integer(text)
            if number is None:
                return Reply(f"Not a guess: {problem or 'answer with one whole number'}.", invalid=True)
            guess = number
        task = self.task
        if guess < task.secret:
            if guess < task.low:
                return Reply(f"Out of range: from {task.low} to {task.high}.", invalid=True)
            if guess >= self.low:
                self.low = guess + 1
            return _HIGHER
        if guess == task.secret:
            return _CORRECT
        if guess > task.high:
            return Reply(f"Out of range: from {task.low} to {task.high}.", invalid=True)
        if guess <= self.top:
            self.top = guess - 1
        return _LOWER

    def oracle(self) -> str:
        """Bisection while it lasts the turns; on the last turn, the secret."""
        if self.turn == self.max_turns - 1:
            return str(self.task.secret)
        return str((self.low + self.top) // 2)

    def reference(self) -> str:
        return str(self.task.secret)

    def paraphrases(self) -> Sequence[str]:
        move = self.oracle()
        return (f"<answer>{move}</answer>", f"My guess: \\boxed{{{move}}}", f"{int(move):,}", f"{move}.")

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(self.task.low + int(rng.random() * (self.task.high - self.task.low + 1)))
