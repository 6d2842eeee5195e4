"""Scripted bidders: the truthful, the shading and the one who allows for the winner's curse.

Sources: the equilibrium bids for even odds, Vickrey 1961 and Krishna, Auction Theory, chapters 2 and 6.
"""

from dataclasses import dataclass
from typing import Any

from turnwise.core.draw import Draw
from turnwise.worlds.games.hidden.auction import Auction, Position
from turnwise.worlds.games.players.company import Company
from turnwise.worlds.games.players.player import Player

__all__ = ["LotSeer", "bidder"]


def bidder(game: Auction, state: Position, seat: int, skill: int, draw: Draw) -> int:
    """Bid near what is known (skill 1), a share of it (2), or what is best among equals (3)."""
    known, n = state.lots[len(state.bids) - 1].known[seat], game.seats
    low = game.high // 5
    if skill == 1:
        bid = known + draw.integer(-low // 2, low // 2 if game.form == "second" else 0)
    elif game.form == "second":
        bid = known - (draw.integer(1, max(1, low // 2)) if skill == 2 else 0)
    elif game.form == "first":
        bid = low + (known - low) * (n - 1) // n if skill == 3 else known * 9 // 10
    else:
        bid = known - (game.noise if skill == 3 else game.noise // 3)
    return max(0, min(bid, game.legal(state)[-1]))


@dataclass(frozen=True)
class LotSeer(Player):
    """Sees the bids of those after it and the true worth: buys for a little more than the others bid, if that pays."""

    company: Company | None = None

    def choose(self, state: Any) -> Any:
        game, seat = self.game, self.game.turn(state)
        assert isinstance(game, Auction)
        assert self.company is not None
        worth = state.lots[len(state.bids) - 1].worth[seat]
        at, bids = game.apply(state, 0), list(state.bids[-1])
        while len(bids) < game.seats - 1:
            other = game.turn(at)
            bids.append(self.company.players[other].act(at, other))
            at = game.apply(at, bids[-1])
        before = max(bids[:seat], default=-1)
        need = max(before + 1, max(bids[seat:], default=0), 1)
        return need if need < worth and need <= game.legal(state)[-1] else 0
