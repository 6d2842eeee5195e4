"""Speed of the search environments: turns, resets, and 64 episodes that share one index.

    python benchmarks/search_env.py [--documents 10000] [--episodes 64] [--turns 20] [--processes 2]

Turns and resets are per CPU-second of this process (`time.process_time`); no query is asked twice, so no answer is kept
from before. The 64 episodes run in as many threads of one process, then in processes that open the index each for
themselves after a fork (pages are shared); their wall time is told, and that all of them ended.
"""

import argparse
import multiprocessing
import resource
import threading
import time
from collections.abc import Iterator

import gymnasium

import turnwise  # noqa: F401  (registers)
from turnwise.core.env import seed_of
from turnwise.envs.search._episode import SearchEnv


def made(documents: int, **settings: object) -> SearchEnv:
    """Return an environment with its one training world open."""
    env = gymnasium.make("turnwise/SearchQA-v0", documents=documents, worlds=1, split="train", **settings).unwrapped
    assert isinstance(env, SearchEnv)
    env.reset(seed=0)
    return env


def queries(env: SearchEnv) -> Iterator[str]:
    """Queries like an agent's: the title of a document and two words of its text, each document once in a round."""
    corpus = env.library.corpus
    assert corpus is not None
    for turn in range(10**9):
        for number in range(len(corpus)):
            document = corpus[number]
            words = document.text.split()
            yield f"{document.title} {words[turn % len(words)]} {words[(7 * turn + 5) % len(words)]}"


def turns_per_second(env: SearchEnv, seconds: float) -> float:
    """Search turns per CPU-second, resets left out."""
    asked = queries(env)
    used, turns, seed = 0.0, 0, 0
    while used < seconds:
        seed += 1
        env.reset(seed=seed)
        actions = [f"<search>{next(asked)}</search>" for _ in range(env.max_turns - 1)]
        start = time.process_time()
        for action in actions:
            env.step(action)
        used += time.process_time() - start
        turns += len(actions)
    return turns / used


def resets_per_second(env: SearchEnv, seconds: float) -> float:
    """Tasks generated and shown per CPU-second."""
    start, count = time.process_time(), 0
    env.reset(seed=1)
    while (used := time.process_time() - start) < seconds:
        env.reset()
        count += 1
    return count / used


def episode(documents: int, number: int, turns: int) -> int:
    """One episode of that many searches and an answer; returns its turns."""
    env = made(documents, max_turns=100)
    asked = queries(env)
    for _ in range(37 * number):
        next(asked)
    env.reset(seed=seed_of("benchmark", number))
    for _ in range(turns):
        env.step(f"<search>{next(asked)}</search>")
    assert env.step(env.reference())[1] == 1.0
    return turns + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--episodes", type=int, default=64)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    args = parser.parse_args()
    start = time.process_time()
    env = made(args.documents, max_turns=51)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"open {args.documents} documents: {time.process_time() - start:.2f} CPU-s, {peak:.0f} MiB peak")
    print(f"search turns per CPU-second: {turns_per_second(env, args.seconds):.0f}")
    print(f"resets per CPU-second: {resets_per_second(env, args.seconds):.0f}")
    done: list[int] = []
    threads = [
        threading.Thread(target=lambda n=number: done.append(episode(args.documents, n, args.turns)))
        for number in range(args.episodes)
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - start
    print(f"{len(done)} of {args.episodes} episodes in threads: {sum(done)} turns, {sum(done) / wall:.0f}/s (wall)")
    start = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(args.processes) as pool:
        done = pool.starmap(episode, [(args.documents, number, args.turns) for number in range(args.episodes)])
    wall = time.perf_counter() - start
    where = f"{args.processes} processes"
    print(f"{len(done)} of {args.episodes} episodes in {where}: {sum(done)} turns, {sum(done) / wall:.0f}/s (wall)")


if __name__ == "__main__":
    main()
