"""Environment speed against GEM, TextArena and reasoning-gym, side by side in one run.

    pip install gem-llm textarena reasoning-gym     # peers that are missing are left out, and said to be
    python benchmarks/env_throughput.py [--seconds 1.0] [--rounds 5] [--games GuessNumber ...]

Figures are per CPU-second of this process (`time.process_time`), the median over rounds in which every contestant
takes its turn. Each episode has a fresh seed. All contestants of a row play the same random moves, in each one's own
format, drawn and written beforehand. Games of the same name are set to the same size; where a peer's game differs, the
row says so. Generation (tasks per CPU-second at the default level) is measured for every registered environment.
"""

import argparse
import io
import random
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import gymnasium

import turnwise
from turnwise.core.registration import env_ids

Play = Callable[[int], int]  # seed -> steps played in that episode (or batch of episodes)


def cycle(actions: list[str]) -> Iterator[str]:
    while True:
        yield from actions


def moves(kind: str, number: int = 20_000) -> list[Any]:
    """Return random moves of a game, not yet in any library's format."""
    rng = random.Random(0)
    if kind == "number":
        return [rng.randint(1, 50) for _ in range(number)]
    if kind == "code":
        return [rng.sample(range(1, 9), 4) for _ in range(number)]
    if kind == "cell":
        return [[rng.randint(1, 4) for _ in range(3)] for _ in range(number)]
    return [rng.choice(["up", "down", "left", "right"]) for _ in range(number)]


def ours(actions: list[str], unwrapped: bool = False, name: str = "", **settings: Any) -> Play:
    env: Any = gymnasium.make(f"turnwise/{name}-v0", **settings)
    if unwrapped:
        env = env.unwrapped
    feed = cycle(actions)

    def play(seed: int) -> int:
        env.reset(seed=seed)
        steps = 0
        while True:
            _, _, terminated, truncated, _ = env.step(next(feed))
            steps += 1
            if terminated or truncated:
                return steps

    return play


def ours_vector(actions: list[str], name: str, num_envs: int = 64, **settings: Any) -> Play:
    env: Any = gymnasium.make_vec(f"turnwise/{name}-v0", num_envs=num_envs, **settings)
    feed = cycle(actions)
    env.reset(seed=0)  # later resets go on with each environment's generator, as gem's do

    def play(seed: int) -> int:
        for _ in range(16):
            _, _, terminated, truncated, _ = env.step([next(feed) for _ in range(num_envs)])
            over = terminated | truncated
            if over.any():
                env.reset(options={"reset_mask": over})
        return 16 * num_envs

    return play


def gem(env_id: str, actions: list[str]) -> Play:
    import gem as package

    env = package.make(env_id)
    feed = cycle(actions)

    def play(seed: int) -> int:
        env.reset(seed=seed)
        steps = 0
        while True:
            _, _, terminated, truncated, _ = env.step(next(feed))
            steps += 1
            if terminated or truncated:
                return steps

    return play


def gem_vector(env_id: str, actions: list[str], num_envs: int = 64) -> Play:
    import gem as package

    env = package.make_vec([env_id] * num_envs)  # resets each environment by itself, without a seed
    feed = cycle(actions)
    env.reset()

    def play(seed: int) -> int:
        for _ in range(16):
            env.step([next(feed) for _ in range(num_envs)])
        return 16 * num_envs

    return play


def textarena(env_id: str, actions: list[str]) -> Play:
    import textarena as package

    env = package.make(env_id)
    feed = cycle(actions)

    def play(seed: int) -> int:
        env.reset(num_players=1, seed=seed)
        steps = 0
        while True:
            env.get_observation()
            done, _ = env.step(next(feed))
            steps += 1
            if done:
                env.close()
                return steps

    return play


def reasoning_gym(name: str, **settings: Any) -> Play:
    import reasoning_gym as package

    def play(seed: int) -> int:
        data = package.create_dataset(name, size=20, seed=seed, **settings)
        for item in data:
            data.score_answer("<answer>1</answer>", item)
        return 20

    return play


def contestants(game: str) -> dict[str, Callable[[], Play]]:
    """Return builders for all libraries with a game, ours first."""
    kind = {"GuessNumber": "number", "Mastermind": "code", "Sudoku": "cell"}.get(game, "direction")
    drawn = moves(kind)
    boxed = [f"\\boxed{{{m if isinstance(m, (int, str)) else ' '.join(map(str, m))}}}" for m in drawn]
    bracketed = [a.replace("\\boxed{", "[").replace("}", "]") for a in boxed]
    mine = {
        "number": [str(m) for m in drawn],
        "code": ["".join(str(digit - 1) for digit in m) for m in drawn] if kind == "code" else [],
        "cell": [f"r{m[0]}c{m[1]}={m[2]}" for m in drawn] if kind == "cell" else [],
        "direction": drawn,
    }[kind]
    settings: dict[str, Any] = {
        "GuessNumber": {"max_number": 50, "vary": 0.0, "max_turns": 7},
        "Mastermind": {"code_length": 4, "num_symbols": 8, "max_turns": 30, "duplicates": False},
        "Sudoku": {"size": 4, "blanks": 6, "mode": "moves", "max_turns": 15},
        "Sokoban": {"size": 6, "num_boxes": 2, "max_turns": 20},
        "FrozenLake": {"size": 4, "max_turns": 20},
        "Countdown": {"num_numbers": 4},
    }[game]
    if game == "Countdown":
        mine = ["<answer>1</answer>"]
    table: dict[str, Callable[[], Play]] = {
        "turnwise make": lambda: ours(mine, name=game, **settings),
        "turnwise unwrapped": lambda: ours(mine, unwrapped=True, name=game, **settings),
        "turnwise make_vec 64": lambda: ours_vector(mine, game, **settings),
    }
    if game == "GuessNumber":
        table[r"turnwise make, \boxed{} moves"] = lambda: ours(boxed, name=game, **settings)
    peers: dict[str, dict[str, Callable[[], Play]]] = {
        "GuessNumber": {
            "gem": lambda: gem("game:GuessTheNumber-v0-hard", boxed),
            "gem make_vec 64": lambda: gem_vector("game:GuessTheNumber-v0-hard", boxed),
            "textarena raw": lambda: textarena("GuessTheNumber-v0-hardcore-raw", bracketed),
        },
        "Mastermind": {
            "gem": lambda: gem("game:Mastermind-v0-hard", boxed),
            "textarena raw": lambda: textarena("Mastermind-v0-hard-raw", bracketed),
        },
        "Sudoku": {
            "gem": lambda: gem("game:Sudoku-v0-easy", boxed),
            "textarena raw (9x9)": lambda: textarena("Sudoku-v0-easy-raw", bracketed),
            "reasoning-gym (single answer)": lambda: reasoning_gym("mini_sudoku"),
        },
        "Sokoban": {
            "gem": lambda: gem("game:Sokoban-v0-easy", boxed),
            "textarena raw": lambda: textarena("Sokoban-v0-raw", bracketed),
            "reasoning-gym (single answer)": lambda: reasoning_gym("sokoban"),
        },
        "FrozenLake": {"textarena raw": lambda: textarena("FrozenLake-v0-raw", bracketed)},
        "Countdown": {
            "reasoning-gym (single answer)": lambda: reasoning_gym("countdown", min_numbers=4, max_numbers=4),
            "textarena raw (one fixed task)": lambda: textarena("Countdown-v0-raw", ["[0 1 +]"]),
        },
    }
    return {**table, **peers[game]}


def race(game: str, seconds: float, rounds: int) -> None:
    """Print a game's rows: steps per CPU-second, and the ratio to each peer."""
    players: dict[str, Play] = {}
    notes: list[str] = []
    for name, build in contestants(game).items():
        try:
            players[name] = build()
        except Exception as error:
            notes.append(f"  {name}: left out ({type(error).__name__}: {str(error)[:100]})")
    rates: dict[str, list[float]] = {name: [] for name in players}
    seeds = iter(range(10**9))
    for round_number in range(rounds + 1):  # the first one warms up
        for name, play in players.items():
            steps, start = 0, time.process_time()
            with redirect_stdout(io.StringIO()):
                while time.process_time() - start < seconds:
                    steps += play(next(seeds))
            if round_number:
                rates[name].append(steps / (time.process_time() - start))
    base = next((name for name in players if not name.startswith("turnwise")), None)
    print(f"\n{game}: steps per CPU-second (reset included)")
    for name, values in rates.items():
        ratio = statistics.median(a / b for a, b in zip(values, rates[base], strict=True)) if base else float("nan")
        print(f"  {name:32s} {statistics.median(values):12,.0f}   {ratio:7.2f} x {base}")
    print("\n".join(notes) if notes else "", end="\n" if notes else "")


def generation(seconds: float) -> None:
    """Print the tasks per CPU-second that every environment generates at its default settings."""
    print("\nGeneration: tasks per CPU-second, default settings")
    for env_id in env_ids():
        env = gymnasium.make(env_id)
        count, start = 0, time.process_time()
        while time.process_time() - start < seconds:
            env.reset(seed=count)
            count += 1
        print(f"  {env_id:32s} {count / (time.process_time() - start):12,.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    games = ["GuessNumber", "Mastermind", "Sudoku", "Sokoban", "FrozenLake", "Countdown"]
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU-seconds of a contestant's turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", nargs="*", default=games, choices=games)
    parser.add_argument("--no-generation", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"turnwise {turnwise.__version__}, gymnasium {gymnasium.__version__}")
    for game in args.games:
        race(game, args.seconds, args.rounds)
    if not args.no_generation:
        generation(args.seconds)


if __name__ == "__main__":
    main()
