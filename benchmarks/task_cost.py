"""What tasks cost to generate: the median of a reset at the defaults and at level 10, and the first one of a process.

    python benchmarks/task_cost.py CodeSynthesis Sql SearchQA [--seeds 30]
    python benchmarks/task_cost.py CodeSynthesis Sql SearchQA --levels 1,3,5,8,10

Processor time, in a process of its own for each figure; the last two columns are the reset alone, and the process with
its imports, each the median of three processes. With levels, the median and the mean at each of them instead; the mean
counts the worlds that are built when they are first drawn.
"""

import argparse
import json
import statistics
import subprocess
import sys

RESETS = """
import json, sys, time
import turnwise
name, settings, seeds = json.loads(sys.argv[1])
env = turnwise.make(f"turnwise/{name}-v0", **settings)
taken = []
for seed in range(seeds + 1):
    start = time.process_time()
    env.reset(seed=seed)
    taken.append(time.process_time() - start)
print(json.dumps([taken, time.process_time()]))
"""


def resets(name: str, seeds: int, **settings: int) -> tuple[list[float], float]:
    """Return the CPU-seconds of each reset in a fresh process, and of all of the process."""
    command = [sys.executable, "-c", RESETS, json.dumps([name, settings, seeds])]
    taken, whole = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return taken, whole


def by_level(envs: list[str], seeds: int, levels: list[int]) -> None:
    """Print the median and the mean of each level, in milliseconds."""
    sys.stdout.write(f"| environment | {' | '.join(f'level {level}' for level in levels)} |\n")
    sys.stdout.write(f"|---|{'--:|' * len(levels)}\n")
    for name in envs:
        taken = [resets(name, seeds, difficulty=level)[0][1:] for level in levels]
        cells = [f"{1000 * statistics.median(each):.1f} ({1000 * statistics.fmean(each):.1f})" for each in taken]
        sys.stdout.write(f"| `{name}` | {' | '.join(cells)} |\n")
        sys.stdout.flush()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("envs", nargs="+", metavar="ENV")
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--levels", default="", help="levels to measure, separated by commas")
    options = parser.parse_args()
    if options.levels:
        by_level(options.envs, options.seeds, [int(level) for level in options.levels.split(",")])
        return
    sys.stdout.write("| environment | default, ms | level 10, ms | first reset, CPU-s | its process, CPU-s |\n")
    sys.stdout.write("|---|--:|--:|--:|--:|\n")
    for name in options.envs:
        default, hardest = (
            1000 * statistics.median(resets(name, options.seeds, **settings)[0][1:])
            for settings in ({}, {"difficulty": 10})
        )
        fresh = [resets(name, 0) for _ in range(3)]
        first, whole = (statistics.median(each) for each in zip(*((t[0], w) for t, w in fresh), strict=True))
        sys.stdout.write(f"| `{name}` | {default:.1f} | {hardest:.1f} | {first:.2f} | {whole:.2f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
