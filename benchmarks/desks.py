"""Measures of the service desks: what clerks of several habits solve, how reliable they are, and how fast desks run.

    python benchmarks/desks.py [--envs LibraryDesk ...] [--scenarios 300] [--reliability 100] [--seed 0]

All tables are at the default settings, over every registered environment whose name ends in Desk, unless ``--envs``
names some. The clerks know the scenario (envs/desks/_oracle.py): the first table has what each habit of breaking the
policy still solves. In the second, the clerk follows the policy, but in each step with a certain probability acts by
another habit, drawn at random; every scenario is played four times, and pass^k is the share of scenarios that k such
plays would all solve.
"""

import argparse
import time
from unittest.mock import patch

from turnwise.core.draw import Draw
from turnwise.core.metrics import pass_hat_k, wilson
from turnwise.core.registration import env_class, env_ids, full_id
from turnwise.envs.desks._desk import DeskEnv
from turnwise.envs.desks._oracle import HABITS, Habit, next_action
from turnwise.worlds.people.memory import Memory

SLIPS = (0.0, 0.02, 0.05, 0.1, 0.2)
TRIALS = 4
GROUP = 8  # rollouts of a scenario, as in a group of GRPO
_OTHERS = tuple(habit for habit in HABITS if habit != "follow")


def desks() -> list[str]:
    """Return the names of all desks."""
    return [env.removeprefix("turnwise/").partition("-v")[0] for env in env_ids() if "Desk-v" in env]


def played(env: DeskEnv, seed: int, habit: Habit = "follow", slips: float = 0.0, trial: int = 0) -> bool:
    """Play a scenario by a habit, with slips into others, and return whether it was solved."""
    env.reset(seed=seed)
    draw = Draw("slips", seed, trial)
    over = False
    while not over:
        now = draw.choice(_OTHERS) if draw.chance(slips) else habit
        _, _, ended, cut, info = env.step(next_action(env.case, env.desk, env.person, now))
        over = ended or cut
    return bool(info["solved"])


def rate(solved: int, number: int) -> str:
    """Write a share with Wilson's interval."""
    low, high = wilson(solved, number)
    return f"{solved / number:.1%} ({low:.1%} to {high:.1%})"


def made(name: str) -> DeskEnv:
    """Make a desk at its default settings."""
    env = env_class(full_id(name))()
    assert isinstance(env, DeskEnv)
    return env


def habits(names: list[str], scenarios: int, seed: int) -> None:
    """Print what each habit solves."""
    print(
        f"## Solved by habit, {scenarios} scenarios\n\n| desk | {' | '.join(HABITS)} |\n|{'---|' * (len(HABITS) + 1)}"
    )
    for name in names:
        env = made(name)
        row = [rate(sum(played(env, seed + i, habit) for i in range(scenarios)), scenarios) for habit in HABITS]
        print(f"| {name} | {' | '.join(row)} |", flush=True)


def reliability(names: list[str], scenarios: int, seed: int) -> None:
    """Print pass^k of clerks that slip."""
    ks = range(1, TRIALS + 1)
    print(f"\n## pass^k of clerks that slip, {scenarios} scenarios played {TRIALS} times\n")
    print(f"| desk | slips per step | {' | '.join(f'pass^{k}' for k in ks)} |\n|{'---|' * (TRIALS + 2)}")
    for name in names:
        env = made(name)
        for slips in SLIPS:
            solved = [sum(played(env, seed + i, slips=slips, trial=t) for t in range(TRIALS)) for i in range(scenarios)]
            row = [sum(pass_hat_k(TRIALS, won, k) for won in solved) / scenarios for k in ks]
            print(f"| {name} | {slips:.0%} | {' | '.join(f'{value:.1%}' for value in row)} |", flush=True)


def speed(names: list[str], scenarios: int, seed: int) -> None:
    """Print turns per CPU-second, drawing the scenarios included, and the time of a fork.

    Twice: as it is, and with nothing remembered of what the agent said before.
    """
    print(
        f"\n## Speed\n\n| desk | turns per CPU-second, scenarios played once | the same, nothing remembered | played "
        f"{GROUP} times, as a group | the same, nothing remembered | scenarios drawn per CPU-second | ms a fork |\n"
        "|---|---|---|---|---|---|---|"
    )
    for name in names:
        env = made(name)
        before = time.process_time()
        for i in range(scenarios):
            env.reset(seed=10_000 + seed + i)
        drawn = time.process_time() - before
        rates = []
        for first, times in ((20_000, 1), (30_000, GROUP)):
            for most, away in ((Memory.most, 0), (0, 5000)):
                with patch.object(Memory, "most", most):
                    turns, before = 0, time.process_time()
                    for i in range(scenarios // times):
                        for _ in range(times):
                            played(env, first + away + seed + i)
                            turns += env.turn
                    rates.append(turns / (time.process_time() - before))
        env.reset(seed=seed)
        for _ in range(3):
            env.step(env.oracle())
        before = time.process_time()
        for _ in range(1000):
            env.fork()
        fork = time.process_time() - before
        print(f"| {name} | {' | '.join(f'{rate:.0f}' for rate in rates)} | {scenarios / drawn:.0f} | {fork:.2f} |")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", nargs="+", default=desks())
    parser.add_argument("--scenarios", type=int, default=300)
    parser.add_argument("--reliability", type=int, default=100, help="scenarios of the second table")
    parser.add_argument("--seed", type=int, default=0, help="of the first scenario")
    given = parser.parse_args()
    habits(given.envs, given.scenarios, given.seed)
    reliability(given.envs, given.reliability, given.seed)
    speed(given.envs, min(200, given.scenarios), given.seed)


if __name__ == "__main__":
    main()
