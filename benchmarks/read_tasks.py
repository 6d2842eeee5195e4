"""Print tasks in words, unedited, for the documentation and for careful readers.

`python benchmarks/read_tasks.py SearchQA --levels 3 6 9 --seed 200 --tasks 10`
"""

import argparse

import gymnasium

from turnwise.audit.depth import declared
from turnwise.core.registration import full_id


def main() -> None:
    """Print the tasks of consecutive seeds as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env")
    parser.add_argument("--levels", type=int, nargs="+", default=[3, 6, 9])
    parser.add_argument("--seed", type=int, default=0, help="of the first task")
    parser.add_argument("--tasks", type=int, default=10)
    options = parser.parse_args()
    task_text = declared(options.env).task_text
    for level in options.levels:
        env = gymnasium.make(full_id(options.env), difficulty=level)
        print(f"At level {level}:\n")
        for seed in range(options.seed, options.seed + options.tasks):
            words = task_text(env.reset(seed=seed)[0]).strip()
            print("- " + words.replace("\n", "\n  "))
        print()
        env.close()


if __name__ == "__main__":
    main()
