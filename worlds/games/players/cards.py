"""Scripted players of hold'em: one that looks at its own cards, and one that sees all, to find what can be won.

Source: the odds of the pot and of the hand by random deals, Billings, Davidson, Schaeffer and Szafron, "The challenge
of poker", Artificial Intelligence 134, 2002.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.holdem import Holdem, Position, strength
from turnwise.worlds.games.players.player import Player

__all__ = ["CardSeer", "poker"]

_DEALS = 40


def poker(game: Holdem, state: Position, seat: int, skill: int, draw: Draw) -> Any:
    """Call most bets (skill 1), bet by rough classes of hands (2), or by odds estimated with random deals (3)."""
    legal = game.legal(state)
    kinds = {kind for kind, _ in legal}
    own, common = game.cards(state, seat), game.common(state)
    open_ = max(state.bets) - state.bets[seat]
    if skill == 1:
        want = "raise" if draw.chance(0.1) else "fold" if open_ > 2 and draw.chance(0.15) else "call"
    elif skill == 2:
        good = _rough(own, common)
        want = "raise" if good >= 2 else "call" if good == 1 or open_ <= 1 else "fold"
    else:
        rivals = sum(not gone for gone in state.folded) - 1
        pressed = max(0, state.raises - (state.street == 0)) if open_ else 0
        odds = _odds(game, own, common, rivals) - 0.06 * pressed  # who raises has more than a random hand
        price = min(open_, state.chips[seat])
        pays = odds * (sum(state.paid) + price) >= price
        want = "raise" if odds > 0.5 + 0.12 / rivals else "call" if pays else "fold"
        if want == "fold" and "check" in kinds and draw.chance(0.1):
            want = "raise"
    return _move(game, state, legal, want)


def _move(game: Holdem, state: Position, legal: list[tuple[str, int]], want: str) -> tuple[str, int]:
    """Return the legal move nearest to what is wanted; a raise of any size is one by half the pot."""
    raises = [move for move in legal if move[0] == "raise"]
    if want == "raise" and raises:
        aim = max(state.bets) + sum(state.paid) // 2
        return min(raises, key=lambda move: abs(move[1] - aim))
    plain = [move for move in legal if move[0] in ("check", "call")]
    return plain[0] if want != "fold" or plain[0][0] == "check" else ("fold", 0)


def _rough(own: tuple[int, ...], common: tuple[int, ...]) -> int:
    """Return 2 for a hand to bet on, 1 for one to look on with, 0 for none."""
    high, low = sorted((card // 4 for card in own), reverse=True)
    if not common:
        return 2 if high == low or low >= 9 else 1 if high >= 9 or own[0] % 4 == own[1] % 4 else 0
    made, board = strength((*own, *common))[0], strength(common)[0] if len(common) >= 5 else _pairs(common)
    if made > board:
        return 2 if made > 1 or high >= max(card // 4 for card in common) else 1
    return 1 if high >= 11 and len(common) < 5 else 0


def _pairs(cards: tuple[int, ...]) -> int:
    ranks = [card // 4 for card in cards]
    return int(len(set(ranks)) < len(ranks))


@lru_cache(maxsize=4096)
def _odds(game: Holdem, own: tuple[int, ...], common: tuple[int, ...], rivals: int) -> float:
    """Return the share of the pot that a hand wins on average, over random deals of what is hidden."""
    draw = Draw("odds", own, common, rivals)
    deck = [rank * 4 + suit for rank in range(13 - game.ranks, 13) for suit in range(game.suits)]
    rest = [card for card in deck if card not in own and card not in common]
    total = 0.0
    for _ in range(_DEALS):
        cards = draw.sample(rest, 2 * rivals + 5 - len(common))
        board = (*common, *cards[2 * rivals :])
        mine = strength((*own, *board))
        others = [strength((*cards[2 * i : 2 * i + 2], *board)) for i in range(rivals)]
        best = max(others)
        total += 1.0 if mine > best else 1 / (1 + others.count(mine)) if mine == best else 0.0
    return total / _DEALS


@dataclass(frozen=True)
class CardSeer(Player):
    """Sees all cards, those to come too: raises with what will win (by a little if ``shy``), gives up what will not."""

    shy: bool = False

    def choose(self, state: Any) -> Any:
        game, seat = self.game, state.seat
        assert isinstance(game, Holdem)
        board = state.deck[state.hand][2 * game.seats :]
        rank = {s: strength((*game.cards(state, s), *board)) for s, gone in enumerate(state.folded) if not gone}
        wins = rank[seat] >= max(rank.values())
        want = ("call" if self.shy and state.street < 2 else "raise") if wins else "fold"
        return _move(game, state, game.legal(state), want)
