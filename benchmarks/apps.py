"""Speed of the app world: turns of code per CPU-second, the jailed processes included, and forks."""

import argparse
import resource
import time

from turnwise.core.draw import Draw
from turnwise.envs.apps.app_tasks import AppTasks
from turnwise.sandbox import make_sandbox, use_sandbox
from turnwise.worlds.apps.bridge import Turns
from turnwise.worlds.apps.checks import same, writes_of
from turnwise.worlds.apps.tasks import draw_app_task, opened


def spent() -> float:
    """CPU seconds of this process and of its ended children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def solved(number: int) -> int:
    """How many tasks of all levels the programs solve in the sandbox."""
    right = 0
    for seed in range(number):
        level = AppTasks.levels[seed % 10]
        task = draw_app_task(
            Draw("bench", seed), seed, level["size"], level["goals"], level["depth"], level["hostile"], seed % 4 == 0
        )
        apps, turns = opened(task), Turns(20, "auto")
        end = turns.run(task.program_shown, apps)
        right += same(task.writes, writes_of(apps.store.changes())) and end.output.strip() == task.answer
        turns.close()
    return right


def main() -> None:
    """Print all numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--num-tasks", type=int, default=1000)
    parser.add_argument("--turns", type=int, default=3000)
    given = parser.parse_args()
    with make_sandbox() as box:
        use_sandbox(box, "measured")
        print("layers in force:", ", ".join(sorted(box.layers)))
        env = AppTasks(difficulty=5, max_turns=1000, sandbox="measured")
        env.reset(seed=1)
        env.run("p = {e['app']: e for e in apps.account.show_passwords()}['mail']")
        env.run("t = apps.mail.login(username=p['username'], password=p['password'])['access_token']")
        started, before = time.perf_counter(), spent()
        for number in range(given.turns):
            env.run(f"for m in apps.mail.search_mails(access_token=t, page_index={number % 3}): print(m['subject'])")
        wall = time.perf_counter() - started
        env.close()
    total = spent() - before  # with the jailed processes, which have ended
    print(f"turns: {given.turns / total:.0f} per CPU-second of all processes, {given.turns / wall:.0f} per second")
    print(f"solved by programs in the sandbox: {solved(given.num_tasks)} of {given.num_tasks}")
    env.reset(seed=1)
    started = time.perf_counter()
    for _ in range(1000):
        env.fork()
    print(f"fork: {time.perf_counter() - started:.3f} ms")


if __name__ == "__main__":
    main()
