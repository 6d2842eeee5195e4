# requires: textarena>=0.7.4,<0.8
"""Ten of TextArena's games through our adapter: the same seed is the same game, in threads and beside each other."""

import random
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import numpy as np
from contract import contract

from turnwise.core.env import seed_of
from turnwise.core.registration import make

GAMES = ("Mastermind-v0", "GuessTheNumber-v0", "TicTacToe-v0", "Nim-v0", "ConnectFour-v0", "KuhnPoker-v0", "PigDice-v0",
         "Minesweeper-v0", "FrozenLake-v0", "TowerOfHanoi-v0", "LightsOut-v0", "Secretary-v0")  # fmt: skip


def played(game: str, seed: int, fork: bool = False) -> list[object]:
    """The transcript of a random agent, which goes on in a copy after its second message."""
    env = make("turnwise.outside.textarena:TextArena-v0", game=game, max_turns=30).unwrapped
    found: list[object] = [env.reset(seed=seed)]
    rng, total, turns = np.random.default_rng(seed % 2**32), 0.0, 0
    while True:
        action = env.sample_action(rng)
        answer = env.step(action)
        found.append((action, *answer))
        total, turns = total + answer[1], turns + 1
        if answer[2] or answer[3]:
            break
        if fork and turns == 2:
            copy = env.fork()
            env.step("[0]")
            env = copy
    assert 0.0 <= total <= 1.0 and (total == 1.0) == answer[4]["solved"], (game, total)
    assert answer[4]["reward_valid"]
    return found


def main() -> int:
    contract(lambda **settings: make("turnwise.outside.textarena:TextArena-v0", **settings).unwrapped)
    print("ok the contract")
    random.seed(1)
    before = random.getstate()
    alone = {(game, i): played(game, seed_of(game, i)) for game in GAMES for i in range(2)}
    failed = []
    if random.getstate() != before:
        failed.append("the global generator was written")
    results: dict[int, dict[object, object]] = {0: {}, 1: {}, 2: {}}

    def work(place: int) -> None:
        for game, i in alone:
            results[place][game, i] = played(game, seed_of(game, i), fork=place == 2)

    threads = [threading.Thread(target=work, args=(place,)) for place in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for key, transcript in alone.items():
        if any(found.get(key) != transcript for found in results.values()):
            failed.append(f"{key[0]}: the same seed gave another game, or a copy another end")
    print(*failed, sep="\n")
    print(f"{'ok ' * (not failed)}{len(GAMES)} games, same seed same game in threads; {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
