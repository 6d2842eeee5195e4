# requires: gem-llm>=0.1.0,<0.2
"""GEM's games through our adapter: the same seed is the same episode, though others are played in between."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import numpy as np
from contract import contract

from turnwise.core.env import seed_of
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import make
from turnwise.outside.frame import needed
from turnwise.outside.gem import UNPLAYABLE

AT_LEAST = 18
SLOW = ("game:Sokoban-v0-hard",)  # several seconds for a reset


def played(game: str, seed: int, disturb: bool) -> list[object]:
    env = make("turnwise.outside.gem:Gem-v0", game=game, max_turns=30).unwrapped
    found: list[object] = [env.reset(seed=seed)]
    rng, total = np.random.default_rng(seed % 2**32), 0.0
    while True:
        if disturb:
            other = make("turnwise.outside.gem:Gem-v0").unwrapped
            other.reset(seed=3)
            other.step("\\boxed{3}")
        action = env.sample_action(rng)
        answer = env.step(action)
        found.append((action, *answer))
        total += answer[1]
        if answer[2] or answer[3]:
            break
    assert 0.0 <= total <= 1.0 and (total == 1.0) == answer[4]["solved"], (game, total)
    return found


def main() -> int:
    game = "game:Mastermind-v0-hard"  # the default one has ten episodes, too few for a split
    contract(lambda **more: make("turnwise.outside.gem:Gem-v0", game=game, **more).unwrapped)
    print("ok the contract")
    games = [i for i in needed("gem.envs.registration", "gem").ENV_REGISTRY if i.startswith("game:")]
    same, without, failed = 0, [], []
    for game in games:
        if game in UNPLAYABLE or game in SLOW:
            continue
        try:
            first = played(game, seed_of(game), False)
        except InfrastructureError as error:
            without.append(f"{game}: not played here: {str(error)[:100]!r}")  # data that it downloads
            continue
        if played(game, seed_of(game), True) != first:
            failed.append(f"{game}: the same seed gave another episode")
        same += 1
    print(*without, *failed, sep="\n")
    held = not failed and same >= AT_LEAST
    print(f"{'ok ' * held}{same} games, same seed same episode; {len(failed)} failed")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
