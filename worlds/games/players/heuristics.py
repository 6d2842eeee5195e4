"""Scripted players of the games with hidden information: each looks at nothing but what its seat sees.

Sources: the hold-at-20 rule of Pig, Neller and Presser, UMAP Journal 25, 2004; for Battleship the counting of the
places that ships can still have, Rodin et al., "Developing a strategy for Battleship", Mathematical and Computer
Modelling 10, 1988; for Liar's Dice the binomial odds of a bid; for Hanabi the conventions of beginners: play what is
known to fit, hint what fits, discard the oldest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games import pig
from turnwise.worlds.games.hidden import (
    auction,
    battleship,
    blackjack,
    clues,
    hanabi,
    holdem,
    kitchen,
    liars_dice,
    negotiation,
    werewolf,
)
from turnwise.worlds.games.players.bargaining import worth_of
from turnwise.worlds.games.players.bidders import bidder
from turnwise.worlds.games.players.cards import poker
from turnwise.worlds.games.players.clues import clue
from turnwise.worlds.games.players.cooks import cook
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.villagers import villager

__all__ = ["Heuristic", "has_heuristic"]


@dataclass(frozen=True)
class Heuristic(Player):
    """Plays by simple rules of the game; a higher ``skill`` from 1 to 3 plays better."""

    skill: int = 3

    def choose(self, state: Any) -> Any:
        return self.act(state, self.game.turn(state))

    def act(self, state: Any, seat: int) -> Any:
        rule = _rule_of(self.game)
        if rule is None:
            raise SettingsError(f"there is no heuristic player of {type(self.game).__name__}")

        def begun() -> float:
            draw.unit = self.draw(self.game.occasion(state, seat)).unit
            return draw.unit()

        draw = Draw.of(begun)  # most moves need none
        return rule(self.game, state, seat, self.skill, draw)


def has_heuristic(game: Any) -> bool:
    """Return whether the player knows a game."""
    return _rule_of(game) is not None


def _rule_of(game: Any) -> Callable[..., Any] | None:
    return next((_RULES[each] for each in type(game).__mro__ if each in _RULES), None)


# Liar's Dice


def _truth(game: liars_dice.LiarsDice, own: tuple[int, ...], total: int, bid: tuple[int, int], lean: int) -> float:
    """Return the odds of a bid, given one's own dice and ``lean`` further dice assumed to match."""
    number, face = bid
    need = number - liars_dice.matching(own, face, game.wild) - lean
    unknown = total - len(own) - lean
    if need <= 0 or unknown < need:
        return float(need <= 0)
    p = (1 if game.wild in (0, face) else 2) / game.sides
    return sum(comb(unknown, k) * p**k * (1 - p) ** (unknown - k) for k in range(need, unknown + 1))


def _dice(game: liars_dice.LiarsDice, state: liars_dice.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Doubt what is unlikely; else bid what is likeliest, or, the least skilled, the next higher bid."""
    own, total = state.dice[seat], sum(state.left)
    bids = [move for move in game.legal(state) if isinstance(move, tuple) and move != liars_dice.LIAR]
    claimed = {face for s, _, face in state.bids if s != seat} if skill >= 3 else set()

    def odds(bid: Any) -> float:
        lean = 1 if bid[1] in claimed and total - len(own) > 1 else 0
        return _truth(game, own, total, bid, lean)

    if state.bids:
        believed = odds(state.bids[-1][1:])
        if believed < (0.05, 0.3, 0.35)[skill - 1] or not bids:
            return liars_dice.LIAR
    if skill == 1:
        return bids[0]
    near = [bid for bid in bids if bid[0] <= bids[0][0] + 1]
    best = max(odds(bid) for bid in near)
    if state.bids and best < 1 - believed:
        return liars_dice.LIAR
    good = [bid for bid in near if odds(bid) >= best - 1e-9]
    return max(good) if skill >= 3 else draw.choice(good)


# Battleship


def _shoot(game: battleship.Battleship, state: battleship.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Shoot next to hits, else anywhere (1), at one colour of a chequerboard (2), or where most ships fit (3)."""
    if game._placing(state) >= 0:
        return draw.choice(game.legal(state))
    misses, hits, sunk = game.shot_at(state, seat)
    open_hits, shots = hits & ~sum(sunk), state.shots[seat]
    left = list(game.ships)
    for ship in sunk:
        left.remove(ship.bit_count())
    free = game.legal(state)
    if skill >= 3:
        return _likeliest(game.size, left, misses | sum(sunk), open_hits, shots, free, draw)
    near = [cell for cell in free if _beside(cell, game.size) & open_hits]
    if not near and skill == 2:
        near = [cell for cell in free if (cell // game.size + cell % game.size) % 2 == 0]
    return draw.choice(near or free)


def _likeliest(size: int, left: list[int], shut: int, hits: int, shots: int, free: list[int], draw: Draw) -> int:
    counts = dict.fromkeys(draw.shuffled(free), 0)
    for length in left:
        for place in battleship.places(size, length):
            if place & shut:
                continue
            weight = 1 + 100 * (place & hits).bit_count() if hits else 1
            rest = place & ~shots
            while rest:
                counts[(rest & -rest).bit_length() - 1] += weight
                rest &= rest - 1
    return max(counts, key=lambda cell: counts[cell])


def _beside(cell: int, size: int) -> int:
    """Return the neighbours of a cell as bits."""
    column, bits = cell % size, 0
    if column:
        bits |= 1 << cell - 1
    if column < size - 1:
        bits |= 1 << cell + 1
    if cell >= size:
        bits |= 1 << cell - size
    return bits | 1 << cell + size


# The others


def _pig(game: pig.Pig, state: pig.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Hold at 10, 15 or 20 points, or once they are enough."""
    enough = state.scores[seat] + state.total >= game.goal
    return pig.HOLD if enough or state.total >= (10, 15, 20)[skill - 1] else pig.ROLL


def _blackjack(game: blackjack.Blackjack, state: blackjack.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Draw to 14, to 17, or, against a weak card of the dealer, to 13."""
    goal = (14, 17, 13 if 1 <= state.dealer[0] <= 5 else 17)[skill - 1]
    return blackjack.HIT if blackjack.points(state.hands[seat]) < goal else blackjack.STAND


def _bargain(game: negotiation.Negotiation, state: negotiation.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Concede from all to a share of the worth as offers run out; accept what is as good as the next own offer."""
    worth, made = worth_of(state.pool, state.values[seat]), len(state.offers)
    last = game.worth * (0.2, 0.4, 0.5)[skill - 1]
    aim = game.worth - (game.worth - last) * made / max(1, game.rounds - 1)
    if state.offers:
        got = worth[state.pool] - worth[state.offers[-1]]
        if got >= aim or (made == game.rounds - 1 and got > 0):
            return negotiation.ACCEPT
    offers = [kept for kept, gain in worth.items() if gain >= aim]
    return min(draw.shuffled(offers), key=lambda kept: (worth[kept] > aim + 2, sum(kept), worth[kept]))


def _hanabi(game: hanabi.Hanabi, state: hanabi.Position, seat: int, skill: int, draw: Draw) -> Any:
    """Play what is known to fit; hint what fits (skill 2) or best makes it known (3); discard the useless or oldest."""
    tops, legal = state.fireworks, game.legal(state)

    def possible(card: hanabi.Card) -> list[tuple[int, int]]:
        ranks = [r for r in range(game.ranks) if card.ranks >> r & 1]
        return [(c, r) for c in range(game.colours) if card.colours >> c & 1 for r in ranks]

    def fits(card: hanabi.Card) -> bool:
        if card.ranks & card.ranks - 1:
            return False
        rank = card.ranks.bit_length() - 1
        return all(top == rank for c, top in enumerate(tops) if card.colours >> c & 1)

    wanted = [
        [card for card in hand if tops[card.colour] == card.rank and not fits(card)] if other != seat else []
        for other, hand in enumerate(state.hands)
    ]

    def use(move: hanabi.Move) -> int:
        """Return what a hint brings: 10 for each card that is then known to fit, 1 for each that fits and is hinted."""
        total = 0
        for card in wanted[move.seat]:
            after = hanabi.hinted(card, move)
            if after != card:
                total += 10 if fits(after) and skill >= 3 else 1
        return total

    for place, card in enumerate(state.hands[seat]):
        if fits(card):
            return hanabi.Move("play", place)
    hints = [move for move in legal if move.kind in ("colour", "rank")]
    if hints and skill >= 2:
        best = max(hints, key=use)
        if use(best):
            return best
    discards = [move for move in legal if move.kind == "discard"]
    for move in discards:
        if all(tops[c] > r for c, r in possible(state.hands[seat][move.which])):
            return move
    return discards[0] if discards else draw.choice(hints)


_RULES: dict[type, Callable[..., Any]] = {
    liars_dice.LiarsDice: _dice,
    battleship.Battleship: _shoot,
    pig.Pig: _pig,
    blackjack.Blackjack: _blackjack,
    negotiation.Negotiation: _bargain,
    hanabi.Hanabi: _hanabi,
    kitchen.Kitchen: cook,
    holdem.Holdem: poker,
    clues.Clues: clue,
    auction.Auction: bidder,
    werewolf.Werewolf: villager,
}
