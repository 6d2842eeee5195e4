"""Find out whether a generated game is worth playing: it ends, is open until late, and rewards search.

    python -m turnwise.worlds.games.generated.screen --size 1 --count 100   # prints games, for data/games.txt

Each filter is cheaper than those after it. Games that pass are shipped; environments draw from them.
"""

# ruff: noqa: T201  (command-line output)

import argparse
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import OVER, Game, playout
from turnwise.worlds.games.generated.game import Generated
from turnwise.worlds.games.generated.grammar import SIZES, draw_rules
from turnwise.worlds.games.players.mcts import MCTS
from turnwise.worlds.games.players.player import Player

__all__ = ["FILTERS", "Screened", "candidates", "duel", "screen"]

FILTERS = ("ends", "has choices", "is open", "is not decided by the first move", "rewards search")
STRONG, WEAK = 60, 6  # simulations
_RANDOM_GAMES, _PAIRS = 40, 5
_MARGIN = 0.65  # the strong player's share of the points that each seat needs


@dataclass(frozen=True)
class Screened:
    """What was found out about a game.

    Attributes:
        failed: The first filter that it does not pass; empty if it passes all.
        moves: Moves of a random game, on average.
        first: The first seat's share of the points between random players.
        opened: The first seat's share of the points between strong players after one random move.
        as_first: The strong player's share of the points against the weak one in the first seat.
        as_second: The same in the second seat.
    """

    failed: str = ""
    moves: float = 0.0
    first: float = 0.0
    opened: float = 0.0
    as_first: float = 0.0
    as_second: float = 0.0


def duel(game: Game[Any, Any], first: Player, second: Player, opening: int, draw: Draw) -> float:
    """Play a game after random first moves; return the first seat's points: 1, a half or 0."""
    state = game.start(draw)
    for _ in range(opening):
        if game.turn(state) != OVER:
            state = game.apply(state, draw.choice(game.legal(state)))
    while (turn := game.turn(state)) != OVER:
        state = game.apply(state, (first, second)[turn].choose(state))
    return (game.returns(state)[0] + 1) / 2


def screen(game: Generated) -> Screened:
    """Put a game through the filters, up to the first that it does not pass."""
    points, lengths, choices, drawn = [], [], [], 0
    for seed in range(_RANDOM_GAMES):
        draw = Draw("screen", game, seed)
        last, moves = playout(game, game.initial(), draw)
        points.append((game.returns(last)[0] + 1) / 2)
        drawn += game.returns(last)[0] == 0
        lengths.append(len(moves))
        choices.append(len(game.legal(game.apply(game.initial(), moves[0]))))
    length, first = fmean(lengths), fmean(points)
    if drawn > 0.3 * _RANDOM_GAMES or length > 50:
        return Screened(FILTERS[0], length, first)
    if length < 6 or fmean(choices) < 3:
        return Screened(FILTERS[1], length, first)
    if not 0.25 <= first <= 0.75:
        return Screened(FILTERS[2], length, first)
    opened = _balance(game, 1)
    if not 0.2 <= opened <= 0.8 or not 0.1 <= _balance(game, 0) <= 0.9:
        return Screened(FILTERS[3], length, first, opened)
    shares = [_margin(game, seat) for seat in (0, 1)]
    failed = FILTERS[4] if min(shares) < _MARGIN else ""
    return Screened(failed, length, first, opened, *shares)


def _balance(game: Generated, opening: int) -> float:
    """Return the first seat's share of the points between strong players after some random moves."""
    points = []
    for seed in range(2 * _PAIRS):
        first, second = (MCTS(game, 2 * seed + seat, simulations=STRONG // 2) for seat in (0, 1))
        points.append(duel(game, first, second, opening, Draw("open", game, seed)))
    return fmean(points)


def _margin(game: Generated, seat: int) -> float:
    """Return the strong player's share of the points in a seat; stop once it is too small to be enough."""
    found, lost = [], 0.0
    for seed in range(2 * _PAIRS):
        strong, weak = MCTS(game, seed, simulations=STRONG), MCTS(game, seed, simulations=WEAK)
        pair = (strong, weak) if seat == 0 else (weak, strong)
        won = duel(game, *pair, 0, Draw("margin", game, seed))
        found.append(won if seat == 0 else 1 - won)
        lost += 1 - found[-1]
        if lost > (1 - _MARGIN) * 2 * _PAIRS:
            return min(fmean(found), _MARGIN - 0.01)
    return fmean(found)


def candidates(size: int, key: str = "candidate") -> Iterator[Generated]:
    """Yield games as the grammar draws them, each once."""
    seen: set[str] = set()
    number = 0
    while True:
        text = str(draw_rules(Draw(key, size, number), size))
        number += 1
        if text not in seen:
            seen.add(text)
            with suppress(SettingsError):  # nobody could move at the start
                yield Generated(text)


def main() -> None:
    """Print games that pass, with what was measured, until there are enough."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, choices=SIZES, required=True)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    kept = 0
    for game in candidates(arguments.size):
        found = screen(game)
        if not found.failed:
            kept += 1
            figures = (f"{value:.2f}" for value in (found.first, found.opened, found.as_first, found.as_second))
            print("\t".join([str(arguments.size), f"{found.moves:.0f}", *figures, game.rules_text]), flush=True)
        if kept >= arguments.count:
            return


if __name__ == "__main__":
    main()
