"""Hangman: find the letters of a hidden word before the misses run out.

Source: a pencil-and-paper game of the 19th century; for language models, KORGym (arXiv 2505.14552) and TextArena
(arXiv 2504.11442). The words are those of Wordle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games.wordle import words_of
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.hangman import Hangman as Game
from turnwise.worlds.games.solo.hangman import Position


@dataclass(frozen=True)
class Task:
    """The hidden word, and how many misses lose."""

    word: str
    misses: int


@register("Hangman-v0")
class Hangman(Env[Task]):
    """Find all letters of a word; reward 1 for the last one. The last miss loses.

    The oracle knows the word. Whoever does not cannot be sure of it: docs/games.md has how far counting letters in the
    whole list goes.
    """

    length: Annotated[int, Range(4, 8)] = 6
    """Letters of the word."""
    misses: Annotated[int, Range(1, 15)] = 7
    """Wrong letters that lose."""
    max_turns = 30

    levels = tuple(
        {"length": n, "misses": m}
        for n, m in [(8, 9), (8, 8), (7, 8), (7, 7), (6, 7), (6, 6), (5, 6), (5, 5), (4, 5), (4, 4)]
    )
    chance = (0.01, 0.006, 0.007, 0.005, 0.006, 0.002, 0.003, 0.002, 0.008, 0.002)
    chance_default = 0.006
    cheats = (
        lambda env: f"<answer>{env.task.word}</answer>",
        lambda env: f"{env.task.word[0]} or {env.task.word[1]}",
        lambda env: " ".join(env.task.word),
        lambda env: f"<answer>{env.task.word[0]}</answer><answer>{env.task.word[-1]}</answer><answer>*</answer>",
        "<answer>the word is found</answer>",
        "_",
    )

    def generate(self, rng: np.random.Generator) -> Task:
        words = words_of(None, self.length)[0]
        return Task(words[int(rng.random() * len(words))], self.misses)

    def begin(self) -> str:
        self.game, self.state = Game(len(self.task.word), self.task.misses), Position(self.task.word)
        return (
            f"{self.game.rules()}\n\nAnswer with one letter, alone or in the form <answer>e</answer>. Anything else, "
            f"such as a letter that you have guessed before, changes nothing but uses up a turn. You have "
            f"{self.max_turns} turn{'' if self.max_turns == 1 else 's'}.\n\n{self.game.view(self.state, 0)}"
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        move = None if text is None else self.game.parse(self.state, text.strip("\"'"))
        if move is None:
            why = problem or f"{self.game.notation()[0].lower()}{self.game.notation()[1:]}"
            return Reply(f"Not a guess: {why}. Guessed so far: {', '.join(self.state.guessed) or 'none'}", invalid=True)
        self.state = self.game.apply(self.state, move)
        if self.game.turn(self.state) == OVER:
            won = self.game.returns(self.state)[0] > 0
            return Reply(f"{'You win.' if won else 'You lose.'}\n{self.game.board(self.state)}", solved=won, done=True)
        return Reply(self.game.view(self.state, 0))

    def metrics(self) -> dict[str, float]:
        found = set(self.task.word) & set(self.state.guessed)
        missed = float(len(self.game.missed(self.state)))
        return {"misses": missed, "share_found": sum([c in found for c in self.task.word]) / len(self.task.word)}

    def oracle(self) -> str:
        return f"<answer>{next((c for c in self.task.word if c not in self.state.guessed), 'a')}</answer>"

    def paraphrases(self) -> Sequence[str]:
        letter = self.oracle()[8]
        return (
            letter,
            letter.upper(),
            f"<answer> {letter.upper()}. </answer>",
            f"<think>e?</think>\\boxed{{{letter}}}",
        )

    def sample_action(self, rng: np.random.Generator) -> str:
        legal = self.game.legal(self.state)
        return legal[int(rng.random() * len(legal))]
