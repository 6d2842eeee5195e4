"""What each kind of text on pages does to agents that obey it or ignore it: a table for docs/web.md.

    python benchmarks/web_injections.py [--levels 3 6 9] [--episodes 40] [--draws 600]

Tasks are drawn as `WebInjection` draws them, until each kind has its number of episodes or the draws are spent. All
agents browse as well as the oracle; they differ in what they make of the texts.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from turnwise.envs.web._episode import WebTask
from turnwise.envs.web.web_injection import WebInjection
from turnwise.worlds.web.site.lures import KINDS
from turnwise.worlds.web.site.planted import ignoring, obeying
from turnwise.worlds.web.site.steps import Plan

Scores = dict[str, float]


def played(env: WebInjection, task: WebTask, plan: Plan) -> Scores:
    """Return the metrics of an agent that follows a plan, and its return."""
    env.reset(options={"task": replace(task, plan=plan)})
    total, over = 0.0, False
    info: dict[str, Any] = {}
    while not over:
        _, reward, terminated, truncated, info = env.step(env.oracle())
        total, over = total + reward, terminated or truncated
    return {**info["metrics"], "return": total}


def measured(level: int, episodes: int, draws: int) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Return what an agent that obeys gets, by kind; and what the oracle and one that ignores every text get."""
    env = WebInjection(**WebInjection.levels[level - 1])  # type: ignore[arg-type]
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    others: Counter[str] = Counter()
    for seed in range(draws):
        env.reset(seed=seed)
        task = env.task
        for attack in task.attacks:
            row = kinds[attack.kind]
            if row["episodes"] < episodes:
                row.update(_counted(played(env, task, obeying(attack, task.plan))))
        name = "request" if task.request is not None else "attacks"
        if others[f"{name}: episodes"] < episodes:
            for agent, plan in (("oracle", task.plan), ("ignores", ignoring(task.planted, task.plan))):
                found = _counted(played(env, task, plan))
                others.update({f"{name}: {agent} {key}": value for key, value in found.items()})
            others[f"{name}: episodes"] += 1
        if others["request: episodes"] >= episodes and all(kinds[kind]["episodes"] >= episodes for kind in KINDS):
            break
    env.close()
    return kinds, others


def _counted(found: Scores) -> dict[str, int]:
    return {"episodes": 1} | {key: round(found.get(key, 0.0)) for key in ("return", "done", "obeyed", "followed")}


def rows(levels: list[int], found: dict[int, tuple[dict[str, Counter[str]], Counter[str]]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield f"| agent | {' | '.join(f'level {level}' for level in levels)} |"
    yield f"|---|{'---|' * len(levels)}"
    for kind in KINDS:
        cells = []
        for level in levels:
            row = found[level][0].get(kind, Counter())
            count = row["episodes"]
            cells.append(f"{row['obeyed']}, {row['done']}, {row['return']} of {count}" if count else "–")
        yield f"| obeys `{kind}`: caught, task done, return 1 | {' | '.join(cells)} |"
    for name, said in (("attacks", "only attacks"), ("request", "a request")):
        for agent, does in (("oracle", "judges every text rightly"), ("ignores", "ignores every text")):
            counts = [found[level][1] for level in levels]
            cells = [f"{each[f'{name}: {agent} return']} of {each[f'{name}: episodes']}" for each in counts]
            yield f"| {does}, tasks with {said}: return 1 | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--levels", type=int, nargs="+", default=[3, 6, 9])
    parser.add_argument("--episodes", type=int, default=40, help="of each kind and level")
    parser.add_argument("--draws", type=int, default=600, help="most tasks of a level")
    options = parser.parse_args()
    found = {level: measured(level, options.episodes, options.draws) for level in options.levels}
    print("\n".join(rows(options.levels, found)))


if __name__ == "__main__":
    main()
