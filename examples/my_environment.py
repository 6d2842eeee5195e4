"""Your own environment in one file: Nim against an opponent who knows the game.

Run it:      python examples/my_environment.py
Use it:      import my_environment; gymnasium.make("mine/Nim-v0", stones=21)
Check it:    turnwise audit examples/my_environment.py:Nim-v0     (from the command line)
Train on it: turnwise train quickstart_guess --env examples/my_environment.py:Nim-v0

Source: Bouton (1901), "Nim, a game with a complete mathematical theory", Annals of Mathematics 3.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from turnwise import Env, Range, Reply, register
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_integer


@dataclass(frozen=True)
class Task:
    """One instance: equal whenever the same game is played again."""

    stones: int
    opponent_seed: int


@register("mine/Nim-v0")
class Nim(Env[Task]):
    """Reward 1 for taking the last stone."""

    stones: Annotated[int, Range(16, 160)] = 40
    """Most stones at the start, 13 the fewest; no start is a multiple of four, so the agent can always win."""
    max_turns: int = 40
    cheats = ("4", "0", "-1", "<answer>1</answer><answer>2</answer>", "take all")

    def generate(self, rng: np.random.Generator) -> Task:
        stones = 4 * int(rng.integers(4, self.stones // 4 + 1)) - int(rng.integers(1, 4))
        return Task(stones, int(rng.integers(2**32)))

    def begin(self) -> str:
        self.left = self.task.stones
        self.opponent = np.random.default_rng(self.task.opponent_seed)
        return f"There are {self.left} stones. In turn we take 1, 2 or 3; who takes the last one wins. How many?"

    def respond(self, action: str) -> Reply:
        answer = final_answer(action)
        number = None if answer.text is None else parse_integer(answer.text)
        if number is None or not 1 <= number <= min(3, self.left):
            return Reply("Take 1, 2 or 3 stones, no more than there are.", invalid=True)
        self.left -= number
        if self.left == 0:
            return Reply("You took the last stone.", solved=True)
        taken = self.left % 4 or int(self.opponent.integers(1, 4))  # the winning move, if there is one
        self.left -= taken
        if self.left == 0:
            return Reply(f"I take {taken}, the last.", done=True)
        return Reply(f"I take {taken}. {self.left} left.")

    def oracle(self) -> str:
        return str(self.left % 4 or 1)

    def sample_action(self, rng: np.random.Generator) -> str:
        return str(int(rng.integers(1, 4)))


def main() -> None:
    """Play one game with the oracle."""
    import gymnasium

    env = gymnasium.make("mine/Nim-v0", stones=20)
    observation, _ = env.reset(seed=1)
    over = False
    while not over:
        move = env.unwrapped.oracle()
        print(f"{observation}\n> {move}")
        observation, reward, terminated, truncated, _ = env.step(move)
        over = terminated or truncated
    print(f"{observation}\nreward {reward}")


if __name__ == "__main__":
    main()
