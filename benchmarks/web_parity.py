"""The same tasks through both drivers: are observations, databases and rewards equal, step by step?

    python benchmarks/web_parity.py [--seeds 1] [--sites shop,across] [--walk 0]

Every template of every site and of the tasks across sites (those with free JavaScript excepted) is played by the oracle
through ``driver="http"`` and ``driver="chromium"``; with ``--walk N`` also N random actions a site. Prints a row a
site, and the first differences. Fifty seeds are 9,000 episodes a driver: an hour and a half on one core.
"""

import argparse
import time
from itertools import islice

import numpy as np

from turnwise.core.env import seed_of
from turnwise.envs.web import WebEnv
from turnwise.envs.web._draw import WebTask, task_of
from turnwise.envs.web._worlds import ACROSS
from turnwise.envs.web.web_flow import WebFlow
from turnwise.envs.web.web_tasks import WebTasks
from turnwise.worlds.web.browser.page.dom import to_html
from turnwise.worlds.web.site.registry import BUILT_IN
from turnwise.worlds.web.site.site import site_named
from turnwise.worlds.web.site.tasks import World
from turnwise.worlds.web.sites.across.site import across


def tasks_of(site: str, seeds: int) -> list[WebTask]:
    """Return a task of each template and seed, wherever its world has one."""
    found: list[WebTask] = []
    for template in (across if site == ACROSS else site_named(site)).templates():
        drawn = (task_of(template, World(seed_of("parity", site, n), 60), n) for n in range(20 * seeds))
        if not template.browser:
            found += islice((task for task in drawn if task is not None), seeds)
    return found


def played(driver: str, task: WebTask, actions: list[str] | None) -> tuple[list[object], list[str]]:
    """What was read and earned, what was left in the databases, and the actions; the oracle's where none are given."""
    env: WebEnv = (WebTasks, WebFlow)[len(task.sites) > 1](driver=driver, level=5, max_turns=200, timeout_s=120.0)
    read: list[object] = [env.reset(options={"task": task})[0]]
    done: list[str] = []
    while not env._over and (actions is None or len(done) < len(actions)):
        done.append(env.oracle() if actions is None else actions[len(done)])
        changes = env.live.store.changes() if "done()" in done[-1] or "answer(" in done[-1] else None
        read.append((env.step(done[-1])[:4], changes))
    env.close()
    return read, done


def walk(site: str, seed: int, length: int) -> tuple[WebTask, list[str]]:
    """Return a task of the site, and random actions that do not end it, drawn on the fast driver."""
    task, rng = tasks_of(site, 1)[seed % 5], np.random.default_rng(seed)
    env: WebEnv = (WebTasks, WebFlow)[site == ACROSS](max_turns=1000)
    env.reset(options={"task": task})
    actions: list[str] = []
    while len(actions) < length:
        action = env.sample_action(rng)
        if not any(word in action for word in ("answer(", "done(", "infeasible(")):
            env.step(action)
            actions.append(action)
            if "data-tw-needs-browser" in to_html(env.page.root):  # there the drivers must differ
                return task, actions[:-1]
    env.close()
    return task, actions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sites", default=",".join((*BUILT_IN, ACROSS)))
    parser.add_argument("--walk", type=int, default=0)
    options = parser.parse_args()
    print(f"{'site':10}{'episodes':>9}{'steps':>7}{'solved':>8}{'differ':>8}{'wall s':>8}")
    shown = 0
    for site in options.sites.split(","):
        begun, steps, solved, differing = time.perf_counter(), 0, 0, 0
        plays: list[tuple[WebTask, list[str] | None]] = [(task, None) for task in tasks_of(site, options.seeds)]
        plays += [walk(site, seed, min(40, options.walk)) for seed in range(-(-options.walk // 40))]
        for task, actions in plays:
            ours, done = played("http", task, actions)
            theirs, _ = played("chromium", task, done)
            steps += len(done)
            solved += actions is None and "That is right." in repr(ours[-1]) and "That is right." in repr(theirs[-1])
            wrong = [n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b]
            if wrong or len(ours) != len(theirs):
                differing += 1
                if shown < 5 and wrong:
                    shown += 1
                    print(f"--- {task.template}, world {task.world}, step {wrong[0]} after {done[: wrong[0]][-1:]}")
                    print(ours[wrong[0]], theirs[wrong[0]], sep="\n---\n")
        wall = time.perf_counter() - begun
        print(f"{site:10}{len(plays):9}{steps:7}{solved:8}{differing:8}{wall:8.0f}", flush=True)


if __name__ == "__main__":
    main()
