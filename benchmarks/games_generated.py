"""Generated games: how many pass which filter, and how much more simulations win in those that do.

    python benchmarks/games_generated.py                     # 100 games as the grammar draws them
    python benchmarks/games_generated.py --games 30 --curve 5

The first table counts the games that are left after each filter of `turnwise.worlds.games.generated.screen`. The second
plays shipped games: MCTS with more and more simulations, random and alpha-beta against MCTS with few simulations, each
game from both seats; the shares are points (1 for a win, a half for a draw) with 95 % intervals from games drawn again.
The rows of gg-bench: it keeps a game if stronger MCTS beats weaker MCTS, and reports win rates against MCTS.
"""

import argparse
from collections import Counter

import numpy as np

from turnwise.core.draw import Draw
from turnwise.worlds.games.generated.game import Generated
from turnwise.worlds.games.generated.grammar import SIZES
from turnwise.worlds.games.generated.library import shipped
from turnwise.worlds.games.generated.screen import FILTERS, candidates, duel, screen
from turnwise.worlds.games.players.make import make_player

CURVE = ("random", "greedy", "alphabeta:1", "alphabeta:2", "mcts:2", "mcts:20", "mcts:60", "mcts:180")
RIVAL = "mcts:6"


def filters(count: int) -> None:
    """Print how many of some new games are left after each filter."""
    print(f"| filter | {' | '.join(f'size {size}' for size in SIZES)} | all |\n|---|{'---:|' * (len(SIZES) + 1)}")
    failed = {}
    for size in SIZES:
        share = count // len(SIZES) + (size <= count % len(SIZES))
        games = zip(range(share), candidates(size, "benchmark"), strict=False)
        failed[size] = Counter(screen(game).failed for _, game in games)
    left = {size: sum(found.values()) for size, found in failed.items()}
    for name in ("drawn", *FILTERS):
        for size in SIZES:
            left[size] -= failed[size][name]
        print(f"| {name} | {' | '.join(str(left[size]) for size in SIZES)} | {sum(left.values())} |", flush=True)


def curve(count: int) -> None:
    """Print the points of players against a weak one in some shipped games of each size."""
    rng = np.random.default_rng(0)
    games = [each for size in SIZES for each in [g for g in shipped() if g.size == size][:count]]
    print(f"\n| against `{RIVAL}` | as first | as second | both | 95 % |\n|---|---:|---:|---:|---:|")
    for name in CURVE:
        points = np.array([
            [points_of(each.rules_text, each.game, name, seat, seed) for seat in (0, 1) for seed in (0, 1)]
            for each in games
        ])  # fmt: skip
        again = [points[rng.integers(len(points), size=len(points))].mean() for _ in range(1000)]
        low, high = np.quantile(again, [0.025, 0.975])
        shares = " | ".join(f"{100 * part.mean():.0f}" for part in (points[:, :2], points[:, 2:], points))
        print(f"| `{name}` | {shares} | {100 * low:.0f} to {100 * high:.0f} |", flush=True)


def points_of(text: str, game: Generated, name: str, seat: int, seed: int) -> float:
    """Return the points of a player in a seat of a game against the weak one."""
    players = [make_player(RIVAL, game, 2 * seed), make_player(name, game, 2 * seed + 1)]
    won = duel(game, players[1 - seat], players[seat], 1, Draw("curve", text, seed))
    return 1 - won if seat else won


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="new games that are put through the filters")
    parser.add_argument("--curve", type=int, default=10, help="shipped games of each size that are played")
    arguments = parser.parse_args()
    filters(arguments.games)
    curve(arguments.curve)


if __name__ == "__main__":
    main()
