"""Mastermind: find a secret code by guesses that are answered with counts of exact and misplaced digits.

Source: the board game by Meirowitz (1970) and its forerunner Bulls and Cows; Knuth, "The computer as Master Mind",
J. Recreational Mathematics 9(1), 1976; for language agents, TextArena (arXiv 2504.11442).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import eq
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.verifiers.extract import final_answer

_DIGITS = "0123456789"
_SEPARATORS = str.maketrans("", "", " ,-[]()")
_SIGNED = re.compile("-[0-9]")
_MAX_CHARS = 100
_MAX_NODES = 20_000  # in the oracle's search: a few dozen milliseconds
_CORRECT = Reply("Correct.", solved=True)
_COUNTS = [[Reply(f"{exact} exact, {near} misplaced") for near in range(9)] for exact in range(9)]


@dataclass(frozen=True)
class Task:
    """The secret code, the number of available digits, and whether digits may repeat."""

    code: str
    num_symbols: int
    duplicates: bool


@register("Mastermind-v0")
class Mastermind(Env[Task]):
    """Find a secret code of digits from counts of exact and misplaced ones; reward 1 for naming it within the turns.

    A guess must be a possible code; anything else is an invalid move.
    """

    code_length: Annotated[int, Range(2, 8)] = 4
    """Digits in the code."""
    num_symbols: Annotated[int, Range(4, 10)] = 6
    """Digits to choose from: 0 up to this less one."""
    duplicates: bool = True
    """Whether a digit may occur more than once, in the code and in guesses."""
    max_turns: Annotated[int, Range(1, 100)] = 10
    """Guesses."""

    levels = tuple(
        {"code_length": n, "num_symbols": s, "duplicates": d, "max_turns": t}
        for n, s, d, t in [
            (3, 7, False, 8), (3, 7, True, 9), (4, 6, False, 9), (4, 6, True, 10), (4, 8, True, 10),
            (4, 10, False, 10), (5, 8, True, 12), (5, 10, True, 12), (6, 10, True, 12), (8, 10, True, 14),
        ]
    )  # fmt: skip
    own_wordings = ("reworded", "terse")
    chance = (0.038, 0.0255, 0.025, 0.008, 0.0024, 0.002, 0.0005, 0.0001, 0.0, 0.0)
    chance_default = 0.012
    cheats = (
        lambda env: f"{env.task.code}, {_other(env.task.code)}",
        lambda env: f"<answer>{_other(env.task.code)}</answer><answer>{env.task.code}</answer>",
        lambda env: f"{env.task.code}{_DIGITS[: env.num_symbols]}",
        lambda env: f"not {env.task.code}",
        lambda env: "*" * env.code_length,
        lambda env: f"{env.code_length} exact, 0 misplaced",
    )

    def check(self) -> None:
        if not self.duplicates and self.code_length > self.num_symbols:
            raise SettingsError(
                f"code_length is {self.code_length} with num_symbols={self.num_symbols} and duplicates=False; "
                "raise num_symbols or set duplicates=True"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        draws: list[float] = rng.random(self.code_length).tolist()
        if self.duplicates:
            code = "".join([_DIGITS[int(u * self.num_symbols)] for u in draws])
        else:
            rest = list(_DIGITS[: self.num_symbols])
            code = "".join([rest.pop(int(u * len(rest))) for u in draws])
        return Task(code, self.num_symbols, self.duplicates)

    def begin(self) -> str:
        code = self.task.code
        self.history: list[tuple[str, int, int]] = []  # (guess, exact, misplaced)
        self._digits = frozenset(code)
        self._counts = [(digit, code.count(digit)) for digit in sorted(self._digits)]
        return (
            f"Find my secret code of {len(code)} digits, each from 0 to {self.task.num_symbols - 1}, "
            f"{'repeats allowed' if self.task.duplicates else 'all different'}. After each wrong guess I say how "
            "many digits are exact (right digit, right place) and how many are misplaced (right digit, wrong place). "
            f"You have {self.max_turns} guesses. Answer with one code, its {len(code)} digits without spaces, alone or "
            f"in the form <answer>{'D' * len(code)}</answer>, with a digit in place of each D."
        )

    def reworded(self, wording: str) -> str:
        length, top = len(self.task.code), self.task.num_symbols - 1
        repeats = "repeats allowed" if self.task.duplicates else "all different"
        form = f"<answer>{'D' * length}</answer>"
        if wording == "terse":
            return (
                f"Secret code: {length} digits from 0 to {top}, {repeats}. {self.max_turns} guesses. To a wrong guess "
                "I reply how many digits are exact (right digit, right place) and misplaced (right digit, wrong "
                "place). "
                f"One code, no spaces: alone or {form}, a digit for each D."
            )
        return (
            f"I have chosen a code and you are to find it. It has {length} digits; each is between 0 and {top}, "
            f"{repeats}. A guess that is wrong is answered with two numbers: the exact digits, which are right and in "
            f"their place, and the misplaced ones, which are right but elsewhere. You may guess {self.max_turns} "
            f"times. Write one code in each message, its digits without spaces, by itself or in the form {form} "
            "with a digit for each D."
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"Not a guess: {problem}.", invalid=True)
        code = self.task.code
        if len(text) != len(code) and not _SIGNED.match(text):
            text = text.rstrip(".").translate(_SEPARATORS) if len(text) <= _MAX_CHARS else ""
        if text == code:
            return _CORRECT
        if fault := _fault(text, len(code), self.task.num_symbols, self.task.duplicates):
            return Reply(f"Not a guess: {fault}.", invalid=True)
        exact: int = sum(map(eq, text, code))
        if self.task.duplicates:
            common = sum([min(n, text.count(digit)) for digit, n in self._counts])
        else:
            common = len(self._digits.intersection(text))
        self.history.append((text, exact, common - exact))
        return _COUNTS[exact][common - exact]

    def oracle(self) -> str:
        """Return the first code that agrees with every answer so far; on the last turn, the secret."""
        if self.turn == self.max_turns - 1:
            return self.task.code
        return self._consistent() or self.task.code

    def reference(self) -> str:
        return self.task.code

    def _consistent(self) -> str | None:
        """Return the first code in dictionary order that explains the history, by depth-first search with pruning."""
        length, symbols = len(self.task.code), _DIGITS[: self.task.num_symbols]
        stack = [""]
        for _ in range(_MAX_NODES):
            if not stack:
                break
            prefix = stack.pop()
            if not all(_feasible(prefix, guess, exact, exact + near) for guess, exact, near in self.history):
                continue
            if len(prefix) == length:
                return prefix
            stack += [prefix + s for s in reversed(symbols) if self.task.duplicates or s not in prefix]
        return None

    def paraphrases(self) -> Sequence[str]:
        code = self.oracle()
        return (
            f"<answer>{code}</answer>",
            f"My guess is \\boxed{{{code}}}",
            " ".join(code),
            f"<think>0000?</think>[{', '.join(code)}]",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        return self.generate(rng).code


@lru_cache(maxsize=2**14)
def _fault(text: str, length: int, num_symbols: int, duplicates: bool) -> str:
    """Return why a text is not a possible code, or ''."""
    if len(text) != length or text.strip(_DIGITS[:num_symbols]):
        return f"give {length} digits from 0 to {num_symbols - 1} and nothing else"
    if not duplicates and len(set(text)) < len(text):
        return "the digits must all be different"
    return ""


def _feasible(prefix: str, guess: str, exact: int, common: int) -> bool:
    """Return whether codes that start with ``prefix`` can have ``exact`` and ``common`` digits with ``guess``."""
    left = len(guess) - len(prefix)
    same = sum(map(eq, prefix, guess))
    if not exact - left <= same <= exact:
        return False
    shared = sum([min(prefix.count(digit), guess.count(digit)) for digit in set(prefix)])
    return common - left <= shared <= common


def _other(code: str) -> str:
    """Return a code other than ``code``, made of the same digits if possible."""
    turned = code[1:] + code[0]
    return turned if turned != code else code[:-1] + ("1" if code[-1] == "0" else "0")
