"""A player of blackjack who counts the cards that are gone, and bets by those that are left.

Sources: what is best by the odds of the next card, Thorp, Beat the Dealer, 1962, and Griffin, The Theory of Blackjack,
1979; the count is Dubner's of 1963, +1 for 2 to 6 and -1 for tens and aces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.worlds.games.hidden.blackjack import points
from turnwise.worlds.games.hidden.shoe import Position, Shoe
from turnwise.worlds.games.players.player import Player

__all__ = ["Counter", "best_play", "true_count"]

_MOST, _DRAWS_TO, _BUST = 21, 17, 22
Odds = tuple[float, ...]
"""How likely the next card counts 1 (an ace) to 10."""


def true_count(unseen: Sequence[int]) -> float:
    """Return the count of the cards that are gone, by decks that are left: above 0 if many tens and aces are left."""
    return 52 * (sum(unseen[9:]) + unseen[0] - sum(unseen[1:6])) / max(1, sum(unseen))


def _odds(unseen: Sequence[int]) -> Odds:
    total = sum(unseen)
    return tuple(count / total for count in (*unseen[:9], sum(unseen[9:])))


def _plus(total: int, soft: bool, card: int) -> tuple[int, bool]:
    """Return the points with a further card, and whether an ace counts 11."""
    total += card
    if card == 1 and total + 10 <= _MOST:
        total, soft = total + 10, True
    if total > _MOST and soft:
        return total - 10, False
    return min(total, _BUST), soft


class _Draws:
    """What draws are worth if every card is as likely as the next one; a few cards fewer change little."""

    def __init__(self, odds: Odds, shown: int) -> None:
        self.odds = odds
        self._ends: dict[tuple[int, bool], tuple[float, ...]] = {}
        self._best: dict[tuple[int, bool], float] = {}
        self.dealer = self._second(shown)

    def _second(self, shown: int) -> tuple[float, ...]:
        """Return how likely the dealer ends with 17 to 21 and over, who has looked and has no 21 yet."""
        total = [0.0] * 6
        weight = 0.0
        for card, p in enumerate(self.odds, 1):
            if {card, shown} == {1, 10}:
                continue
            weight += p
            at = _plus(*_plus(0, False, shown), card)
            total = [a + p * b for a, b in zip(total, self._dealer(*at), strict=True)]
        return tuple(a / weight for a in total) if weight else tuple(total)

    def _dealer(self, total: int, soft: bool) -> tuple[float, ...]:
        if total >= _DRAWS_TO:
            return tuple(float(total == end) for end in range(_DRAWS_TO, _BUST + 1))
        if (total, soft) not in self._ends:
            found = [0.0] * 6
            for card, p in enumerate(self.odds, 1):
                if p:
                    found = [a + p * b for a, b in zip(found, self._dealer(*_plus(total, soft, card)), strict=True)]
            self._ends[total, soft] = tuple(found)
        return self._ends[total, soft]

    def stand(self, total: int) -> float:
        """Return what standing wins on average."""
        if total > _MOST:
            return -1.0
        ends = zip(range(_DRAWS_TO, _BUST + 1), self.dealer, strict=True)
        return sum(p * (1 if end > _MOST or end < total else -1 if end > total else 0) for end, p in ends)

    def hit(self, total: int, soft: bool) -> float:
        """Return what a card and the best after it win."""
        return sum(p * self.best(*_plus(total, soft, card)) for card, p in enumerate(self.odds, 1) if p)

    def best(self, total: int, soft: bool) -> float:
        """Return what the best of standing and drawing wins."""
        if total >= _MOST:
            return self.stand(total)
        if (total, soft) not in self._best:
            self._best[total, soft] = max(self.stand(total), self.hit(total, soft))
        return self._best[total, soft]

    def double(self, total: int, soft: bool) -> float:
        """Return what one last card for a doubled bet wins."""
        return 2 * sum(p * self.stand(_plus(total, soft, card)[0]) for card, p in enumerate(self.odds, 1) if p)


@lru_cache(maxsize=2**14)
def best_play(unseen: tuple[int, ...], total: int, soft: bool, shown: int, doubles: bool) -> str:
    """Return hit, stand or double: what wins most on average with the cards that are left.

    Args:
        unseen: How many cards of each rank are left, from the ace.
        total: The player's points.
        soft: Whether one of the player's aces counts 11.
        shown: The dealer's rank that is seen.
        doubles: Whether the bet may be doubled.
    """
    draws = _draws(_odds(unseen), min(shown, 9) + 1)
    worth = {"stand": draws.stand(total), "hit": draws.hit(total, soft)}
    if doubles:
        worth["double"] = draws.double(total, soft)
    return max(worth, key=lambda move: worth[move])


@lru_cache(maxsize=64)
def _draws(odds: Odds, shown: int) -> _Draws:
    return _Draws(odds, shown)


@dataclass(frozen=True)
class Counter(Player):
    """Plays every round as it is best with a full shoe, and bets more the more tens and aces are left.

    Attributes:
        top: The true count from which on the most is bet.
        flat: A bet for every round, whatever the count; 0 to bet by it.
    """

    top: float = 4.0
    flat: int = 0

    def choose(self, state: Any) -> Any:
        game = self.game
        assert isinstance(game, Shoe)
        assert isinstance(state, Position)
        if not state.bet:
            return f"bet {min(state.chips, self.flat or self._bet(game, state))}"
        total = points(state.hand)
        soft = total != sum([min(rank, 9) + 1 for rank in state.hand])
        return best_play((4,) * 13, total, soft, min(state.dealer[0], 9), len(game.legal(state)) == 3)

    def _bet(self, game: Shoe, state: Position) -> int:
        share = max(0.0, true_count(game.unseen(state)) - 0.5) / (self.top - 0.5)
        return max(1, round(game.most * min(1.0, share)))
