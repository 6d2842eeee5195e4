"""Players of Kuhn and Leduc poker with a fixed style, and the best answer to each.

Sources: styles from tight to loose and from passive to aggressive, Billings, Davidson, Schaeffer and Szafron, "The
challenge of poker", Artificial Intelligence 134, 2002; their use in Kuhn poker, Hoehn, Southey, Holte and Bulitko,
AAAI 2005.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.hidden.hands import Position as Match
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.players.cfr import Strategy, best_response, equilibrium, strategy_of
from turnwise.worlds.games.players.player import Player

__all__ = ["STYLES", "BestAnswer", "EachHand", "Styled", "odds_of", "outcomes", "plan_against", "strategy_named"]

STYLES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "rock": ((0.0, 0.0, 1.0), (0.0, 0.05, 1.0)),
    "station": ((0.0, 0.0, 0.2), (0.7, 1.0, 1.0)),
    "maniac": ((0.9, 0.9, 1.0), (0.6, 1.0, 1.0)),
    "bluffer": ((0.9, 0.1, 0.6), (0.0, 0.4, 1.0)),
    "trapper": ((0.0, 0.6, 0.0), (0.0, 0.8, 1.0)),
    "timid": ((0.0, 0.3, 0.9), (0.0, 0.0, 0.7)),
    "sound": ((0.25, 0.0, 0.8), (0.0, 0.4, 1.0)),
}
"""For each style how often it bets or raises unasked, and how often it stays in when it is asked to pay, with a weak,
a middling and a strong hand."""


def _strength(game: Game[Any, Any], state: Any, seat: int) -> int:
    """Return 0 for a weak hand, 1 for a middling one and 2 for a strong one."""
    if isinstance(game, Kuhn):
        return int(state.cards[seat])
    rank = int(state.cards[seat]) // 2
    if state.public < 0:
        return rank
    return 2 if rank == state.public // 2 else min(1, rank)


def odds_of(game: Game[Any, Any], state: Any, seat: int, style: str) -> tuple[float, ...]:
    """Return the probabilities of the legal moves of a seat that plays in a style."""
    strength = _strength(game, state, seat)
    bets, stays = (numbers[strength] for numbers in STYLES[style])
    if isinstance(game, Kuhn):
        bets = stays if state.actions.endswith("b") else bets
        return (1 - bets, bets)
    legal = game.legal(state)
    if "f" not in legal:
        return (1 - bets, bets)
    if "r" not in legal:
        return (1 - stays, stays)
    raises = bets * stays / 2  # raised, the style raises again half as readily
    return (1 - stays, stays - raises, raises)


@lru_cache(maxsize=32)
def _strategy(game: Game[Any, Any], style: str) -> Strategy:
    return strategy_of(game, lambda state, seat: odds_of(game, state, seat, style))


@dataclass(frozen=True)
class Styled(Player):
    """Plays Kuhn or Leduc poker in a style of `STYLES`; it looks at its own view alone."""

    style: str = "rock"

    def __post_init__(self) -> None:
        if not isinstance(self.game, (Kuhn, Leduc)):
            raise SettingsError(f"style:{self.style} plays Kuhn and Leduc poker, not {self.game!r}")
        if self.style not in STYLES:
            raise SettingsError(f"style:{self.style} plays matches of several hands, not {self.game!r}")

    def choose(self, state: Hashable) -> Any:
        seat = self.game.turn(state)
        draw = self.draw(self.game.view(state, seat))
        return draw.weighted(self.game.legal(state), odds_of(self.game, state, seat, self.style))


def strategy_named(game: Game[Any, Any], name: str) -> Strategy:
    """Return how a player of Kuhn or Leduc poker decides in every view of both seats.

    Raises:
        SettingsError: How that player decides is not known.
    """
    kind, _, style = name.partition(":")
    if kind == "style":
        return _strategy(game, style)
    if name == "equilibrium":
        return equilibrium(game, 300)
    if name == "random":
        return strategy_of(game, lambda state, seat: (1 / len(game.legal(state)),) * len(game.legal(state)))
    raise SettingsError(f"no best answer to {name!r} is known")


@lru_cache(maxsize=64)
def plan_against(game: Game[Any, Any], name: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return for each seat and each of its views the number of the legal move that does best against a player's name.

    Raises:
        SettingsError: How that player decides is not known.
    """
    strategy = strategy_named(game, name)
    return best_response(game, 0, strategy), best_response(game, 1, strategy)


@dataclass(frozen=True)
class BestAnswer(Player):
    """Knows how the opponent plays, but not its card, and plays the best there is against that."""

    against: str = "equilibrium"

    def choose(self, state: Any) -> Any:
        seat = self.game.turn(state)
        view = f"{seat} {self.game.view(state, seat)}"
        return self.game.legal(state)[plan_against(self.game, self.against)[seat].get(view, 0)]


@dataclass(frozen=True)
class EachHand(Player):
    """Plays each hand of a match as one of some players does, one after another, each for as many hands.

    Chances are others in every hand.
    """

    inner: tuple[Player, ...] = ()

    def choose(self, state: Any) -> Any:
        assert isinstance(state, Match)
        assert isinstance(self.game, Hands)
        present = self.inner[state.hand * len(self.inner) // self.game.count]
        return replace(present, seed=seed_of(self.seed, state.hand)).choose(state.inner)


def outcomes(
    state: Match, seat: int, opponent: Player, ways: Sequence[Callable[[Match], Any]]
) -> tuple[dict[int, float], list[int]]:
    """Return how likely random moves win a seat each number of chips from an opponent, and what each of some ways wins.

    The cards are those of the match. The opponent plays every hand by itself, so that all lines of play of a hand are
    looked at, hand by hand.
    """
    game = opponent.game
    assert isinstance(game, Hands)
    odds, totals = {0: 1.0}, [0] * len(ways)
    for hand in range(state.hand, game.count):
        ends: list[tuple[int, float]] = []
        paths = [(state._replace(chips=0), 1.0, tuple(range(len(ways))))]
        while paths:
            at, p, here = paths.pop()
            turn = game.turn(at)
            if at.hand > hand:
                chips = at.chips * (1 - 2 * seat)
                ends.append((chips, p))
                for way in here:
                    totals[way] += chips
                state = at
            elif turn == seat:
                legal, chosen = game.legal(at), {way: ways[way](at) for way in here}
                for move in legal:
                    follow = tuple(way for way in here if chosen[way] == move)
                    paths.append((game.apply(at, move), p / len(legal), follow))
            else:
                paths.append((game.apply(at, opponent.choose(at)), p, here))
        after: dict[int, float] = {}
        for chips, p in odds.items():
            for won, q in ends:
                after[chips + won] = after.get(chips + won, 0.0) + p * q
        odds = after
    return odds, totals
