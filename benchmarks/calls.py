"""Measures of MultiTurnCalls: what agents that slip solve at each level, and how fast conversations run.

    python benchmarks/calls.py [--conversations 100] [--seed 0]

The agents are the oracle, but in each turn with a certain probability make one mistake: they leave out the last call of
a turn, guess instead of asking for a missing detail, or claim to have done what they have no function for.
"""

import argparse
import time
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.tools import call_text
from turnwise.envs.calls.multi_turn_calls import MultiTurnCalls

SLIPS = (0.02, 0.05, 0.1, 0.2)


def slipped(env: MultiTurnCalls) -> str:
    """Return what an agent does that makes a mistake in this turn."""
    turn = env.talk.turns[env.place]
    calls = env.talk.turns[env.place + 1].calls if turn.kind == "detail" else turn.calls[:-1]
    return "\n".join(call_text(one.name, one.arguments) for one in calls)


def played(env: MultiTurnCalls, seed: int, slips: float) -> bool:
    """Play a conversation and return whether it was solved."""
    env.reset(seed=seed)
    draw, place, bad, over = Draw("slips", seed), -1, False, False
    while not over:
        if env.place != place:
            place, bad = env.place, draw.chance(slips)
            action = slipped(env) if bad else env.oracle()
        else:
            action = "That is done now." if bad else env.oracle()
        _, _, ended, cut, info = env.step(action or "That is done now.")
        over = ended or cut
    return bool(info["solved"])


def made(level: int) -> MultiTurnCalls:
    """Make the environment at a level."""
    settings: dict[str, Any] = {"difficulty": level}
    return MultiTurnCalls(**settings)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first conversation")
    given = parser.parse_args()
    seeds = range(given.seed, given.seed + given.conversations)
    print("| level | turns | " + " | ".join(f"{slips:.0%} slips a turn" for slips in (0.0, *SLIPS)) + " |")
    print("|---" * (len(SLIPS) + 3) + "|")
    for level in range(1, 11):
        env = made(level)
        solved = [sum(played(env, seed, slips) for seed in seeds) / len(seeds) for slips in (0.0, *SLIPS)]
        print(f"| {level} | {len(env.talk.turns)} | {' | '.join(f'{share:.0%}' for share in solved)} |", flush=True)
    print("\n| level | messages per CPU-second | ms to draw a conversation | ms a fork |\n|---|---|---|---|")
    for level in (1, 5, 10):
        env, turns = made(level), 0
        before = time.process_time()
        for seed in seeds:
            env.reset(seed=100_000 + seed)
        drawn = (time.process_time() - before) / len(seeds)
        before = time.process_time()
        for seed in seeds:
            played(env, 200_000 + seed, 0.0)
            turns += env.turn
        spent = time.process_time() - before
        env.reset(seed=given.seed)
        env.step(env.oracle())
        before = time.process_time()
        for _ in range(1000):
            env.fork()
        print(f"| {level} | {turns / spent:.0f} | {1000 * drawn:.1f} | {time.process_time() - before:.2f} |")


if __name__ == "__main__":
    main()
