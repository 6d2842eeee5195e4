# requires: reasoning-gym>=0.1.25,<0.2
"""All of reasoning-gym's data sets through our adapter: gold earns 1, wrong answers less, hostile ones nothing."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from contract import contract

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import make
from turnwise.outside.frame import needed
from turnwise.outside.reasoning_gym import NO_ANSWER, PAYERS, ReasoningGym, safe
from turnwise.outside.scoring import BoundedScorer

ID = "turnwise.outside.reasoning_gym:ReasoningGym-v0"
ITEMS, AT_LEAST = 3, 105
HOSTILE = ("__import__('os').system('id')", "9**9**9**9", "", "wrong", "[].__class__", "(lambda: 1)()", "len('yyy')")


def wrong(gold: str) -> list[str]:
    """Texts that are another answer than the gold: a number changed, the sign changed, the front alone."""
    found = []
    if re.fullmatch(r"\d+", gold):
        found += [str(int(gold) + 1), f"-{gold}" if int(gold) else "1"]
    return found


def paid(env: ReasoningGym, seed: int, answer: str) -> float:
    env.reset(seed=seed)
    return env.step(f"<answer>{answer}</answer>")[1] if answer else env.step("<answer></answer>")[1]


def check(name: str) -> list[str]:
    """What is wrong with a data set."""
    env = make(ID, dataset=name, allow_wrong=True).unwrapped
    seeds = [seed_of(name, i) for i in range(ITEMS)]
    problems, golds = [], []
    for seed in seeds:
        first = env.reset(seed=seed)
        if env.reset(seed=seed) != first:
            problems.append("the same seed gave another item")
        golds.append(env.task.entry["answer"])
        if (golds[-1] is None) != (name in NO_ANSWER):
            problems.append("NO_ANSWER is not what the data set says")
        if golds[-1] is not None and env.step(env.oracle())[1] != 1.0:
            problems.append(f"the gold {golds[-1]!r:.60} does not earn 1")
    for place, seed in enumerate(seeds):
        for answer in HOSTILE:
            if paid(env, seed, answer) >= 1.0:
                problems.append(f"{answer!r} earns 1")
        gold = golds[place]
        for other in [g for g in golds if g is not None and g != gold] + (wrong(gold) if gold else []):
            if gold is not None and paid(env, seed, other) >= 1.0:
                problems.append(f"{other!r:.60} earns 1 where the gold is {gold!r:.60}")
    return problems


COSTLY = "(x**9+sin(x)*exp(x))**60*(cos(x)+log(x)*x)**50/(x+exp(sin(x)))**33"
"""Short, allowed, and more than SymPy simplifies in an hour."""


def bounded() -> None:
    """A costly answer ends with the scorer's process; the next answer gets another."""
    name = "intermediate_integration"
    env = make(ID, dataset=name).unwrapped
    env.reset(seed=1)
    assert safe(name, COSTLY), "no answer that the scorer is not shown anyway"
    scorer = BoundedScorer(name, 42, 500, {}, cpu_s=2)
    entry = env.task.entry
    for answer, score in ((entry["answer"], 1.0), (COSTLY, 0.0), (entry["answer"], 1.0)):
        assert scorer.score(answer, entry) == score, answer
    scorer.close()
    print("ok scorers by SymPy are bounded")


def main() -> int:
    for name in ("chain_sum", "intermediate_integration"):
        contract(lambda name=name, **more: make(ID, dataset=name, **more).unwrapped)
    print("ok the contract")
    bounded()
    factory = needed("reasoning_gym", "reasoning-gym").factory
    names = sorted(set(factory.DATASETS) - {"composite"})
    failed = 0
    for name in names:
        problems = check(name)
        if problems and name not in PAYERS:
            failed += 1
            print(f"{name}: {'; '.join(problems[:3])}")
    for name in PAYERS:
        try:
            make(ID, dataset=name)
        except SettingsError:
            continue
        failed += 1
        print(f"{name} pays wrong answers and was not refused")
    held = not failed and len(names) >= AT_LEAST
    print(f"\n{'ok ' * held}{len(names)} data sets, gold 1 and wrong < 1; {len(PAYERS)} refused, {failed} failed")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
