"""Players of Kuhn and Leduc poker with a fixed style, and the best answer to each.

Sources: styles from tight to loose and from passive to aggressive, Billings, Davidson, Schaeffer and Szafron, "The
challenge of poker", Artificial Intelligence 134, 2002; their use in Kuhn poker, Hoehn, Southey, Holte and Bulitko,
AAAI 2005.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.hidden.hands import Position as Match
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.players.cfr import Strategy, best_response, equilibrium, positions, strategy_of
from turnwise.worlds.games.players.player import Player

__all__ = [
    "STYLES",
    "BestAnswer",
    "EachHand",
    "Replays",
    "Styled",
    "Unvaried",
    "odds_of",
    "plan_against",
    "strategy_named",
]

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
        return self.seeded(state.hand).choose(state.inner)

    def of(self, hand: int) -> Player:
        """Return which of the players has a hand."""
        assert isinstance(self.game, Hands)
        return self.inner[hand * len(self.inner) // self.game.count]

    def seeded(self, hand: int) -> Player:
        """Return the player of a hand, with the chances of that hand."""
        return replace(self.of(hand), seed=seed_of(self.seed, hand))


@dataclass(frozen=True)
class Unvaried(Player):
    """Plays a hand without a look at it: the move of a name, or the last one where that is not legal.

    Without a name, it plays the move at a share of the way through the list of the legal ones.
    """

    word: str = ""
    share: float = 0.0

    def choose(self, state: Any) -> Any:
        legal = self.game.legal(state)
        if not self.word:
            return legal[int(self.share * len(legal))]
        return next((move for move in legal if self.game.write(state, move) == self.word), legal[-1])


@lru_cache(maxsize=256)
def _settled(player: Player) -> dict[str, int]:
    """Return the number of the move in each view in which a player of hands never makes another."""
    game, found = player.game, {}
    if isinstance(player, Styled):
        strategy = _strategy(game, player.style)
        return {view: odds.index(1.0) for view, odds in strategy.items() if 1.0 in odds}
    if isinstance(player, BestAnswer):
        first, second = plan_against(game, player.against)
        return first | second
    if isinstance(player, Unvaried):
        for view, (state, _) in positions(game).items():
            found[view] = game.legal(state).index(player.choose(state))
    return found


class _Point(NamedTuple):
    """A position of a hand whose cards are all known: who moves, its view, and what follows each move or is won."""

    state: Any
    turn: int
    view: str
    moves: tuple[Any, ...]
    children: "tuple[_Point, ...]"
    chips: int  # of the first place, at the end


@lru_cache(maxsize=2**10)
def _hand(game: Game[Any, Any], state: Any, public: Any) -> _Point:
    """Return what may follow in a hand; ``public`` is what chance still does in it."""
    return _point(game, state, public)


def _point(game: Game[Any, Any], state: Any, public: Any) -> _Point:
    while (turn := game.turn(state)) == CHANCE:
        state = game.apply(state, public)
    if turn == OVER:
        return _Point(state, turn, "", (), (), int(game.returns(state)[0]))
    moves = tuple(game.legal(state))
    below = tuple(_point(game, game.apply(state, move), public) for move in moves)
    return _Point(state, turn, f"{turn} {game.view(state, turn)}", moves, below, 0)


class Replays:
    """What a seat may win in a match of hands, with the cards of the match, from a player who decides hand by hand."""

    def __init__(self, state: Match, seat: int, opponent: EachHand) -> None:
        game = opponent.game
        assert isinstance(game, Hands)
        self.seat, self.opponent = seat, opponent
        self.hands: list[tuple[int, _Point]] = []
        self._replies: dict[tuple[int, str], int] = {}
        for hand in range(state.hand, game.count):
            deal, *public = game.chance(state.luck, hand)
            inner = state.inner if hand == state.hand else game.inner.apply(game.inner.initial(), deal)
            self.hands.append((hand, _hand(game.inner, inner, public[0] if public else None)))

    def _reply(self, hand: int, point: _Point) -> _Point:
        """Return what follows the opponent's move."""
        number = self._replies.get((hand, point.view))
        if number is None:
            number = _settled(self.opponent.of(hand)).get(point.view)
            if number is None:
                number = point.moves.index(self.opponent.seeded(hand).choose(point.state))
            self._replies[hand, point.view] = number
        return point.children[number]

    def won(self, way: EachHand) -> int:
        """Return the chips that a player wins whose every move is settled by what it sees."""
        total = 0
        for hand, point in self.hands:
            place, settled = self.seat ^ hand & 1, _settled(way.of(hand))
            while point.turn != OVER:
                mine = point.turn == place
                point = point.children[settled[point.view]] if mine else self._reply(hand, point)
            total += point.chips * (1 - 2 * place)
        return total

    def odds(self) -> dict[int, float]:
        """Return how likely random moves win each number of chips."""
        odds = {0: 1.0}
        for hand, point in self.hands:
            place = self.seat ^ hand & 1
            ends: dict[int, float] = {}
            paths = [(point, 1.0)]
            while paths:
                point, p = paths.pop()
                if point.turn == OVER:
                    chips = point.chips * (1 - 2 * place)
                    ends[chips] = ends.get(chips, 0.0) + p
                elif point.turn == place:
                    paths += [(child, p / len(point.children)) for child in point.children]
                else:
                    paths.append((self._reply(hand, point), p))
            after: dict[int, float] = {}
            for chips, p in odds.items():
                for won, q in ends.items():
                    after[chips + won] = after.get(chips + won, 0.0) + p * q
            odds = after
        return odds
