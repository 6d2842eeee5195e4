"""Hold'em poker: two cards each, up to five common ones, and bets of fixed sizes or of any.

Source: Robert's Rules of Poker, version 11; the bets of the fixed form are those of Bowling, Burch, Johanson and
Tammelin, "Heads-up limit hold'em poker is solved", Science 347, 2015.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Holdem", "Position", "strength"]

_RANKS, _SUITS = "23456789TJQKA", "shdc"
_STREETS = (0, 3, 4, 5)
_NAMES = (
    "high card", "a pair", "two pairs", "three of a kind", "a straight", "a flush", "a full house", "four of a kind",
    "a straight flush",
)  # fmt: skip


class Position(NamedTuple):
    """The deck, where hand ``hand`` lies in it, chips, what each paid in this hand and street, and who is in.

    The deck holds the cards of all hands to come: two for each seat and five common ones for each hand.
    """

    deck: tuple[tuple[int, ...], ...]
    chips: tuple[int, ...]
    paid: tuple[int, ...]
    bets: tuple[int, ...]
    folded: tuple[bool, ...]
    acted: tuple[bool, ...]
    seat: int
    street: int = 0
    raises: int = 1
    hand: int = 0
    dealer: int = 0
    said: tuple[str, ...] = ()
    last: str = ""


@dataclass(frozen=True)
class Holdem(Game[Position, tuple[str, int]]):
    """``hands`` hands of hold'em. A move is fold, call (or check) or raise to so many chips in this street.

    Attributes:
        ranks: Ranks in the deck, from the ace down; 13 for all.
        suits: Suits in the deck; 4 for all.
        stack: Chips of each seat at the start.
        fixed: Whether raises have a fixed size: the big blind, and twice that from the fourth common card on.
        most: Raises in a street, the big blind among them, in the fixed form.
    """

    seats: Annotated[int, Range(2, 6)] = 2
    hands: Annotated[int, Range(1, 200)] = 6
    stack: Annotated[int, Range(4, 10000)] = 40
    fixed: bool = True
    ranks: Annotated[int, Range(3, 13)] = 13
    suits: Annotated[int, Range(2, 4)] = 4
    most: Annotated[int, Range(2, 6)] = 4

    names = tuple(f"Player {number}" for number in range(1, 7))
    hidden = True

    def __post_init__(self) -> None:
        if self.ranks * self.suits < (need := 2 * self.seats + 5):
            raise SettingsError(
                f"ranks is {self.ranks} and suits is {self.suits}; {self.seats} players need {need} cards or more"
            )

    def rules(self) -> str:
        cards = "52 cards" if self.ranks == 13 and self.suits == 4 else f"{self.ranks * self.suits} cards"
        lowest, suits = _RANKS[13 - self.ranks], ", ".join(_SUITS[: self.suits])
        size = (
            f"A raise adds 2 chips, and 4 once there are four common cards; there are at most {self.most} bets in a "
            "round."
            if self.fixed
            else "A raise adds at least 2 chips and at least as much as is open, at most all you have."
        )
        return (
            f"Hold'em for {self.seats} players with {self.stack} chips each, {self.hands} hands, {cards} from "
            f"{lowest} to A (suits {suits}). In each hand everybody gets two cards of their own. The dealer changes "
            "with every hand; the two players after the dealer (with two players the dealer and the other) pay 1 and "
            "2 chips. There are four rounds of betting, with 0, 3, 4 and 5 common cards: call pays what is open, "
            f"check pays nothing, fold gives up. {size} The best five of one's own and the common cards win the pot; "
            "equals share it. Whoever has no chips left is out. At the end each player gets the chips won or lost."
        )

    def notation(self) -> str:
        return "A move is fold, check, call or raise with the total of your bets in this round (raise 4)"

    def start(self, draw: Draw) -> Position:
        cards = [rank * 4 + suit for rank in range(13 - self.ranks, 13) for suit in range(self.suits)]
        need = 2 * self.seats + 5
        deck = tuple(tuple(draw.sample(cards, need)) for _ in range(self.hands))
        none = (0,) * self.seats
        state = Position(deck, (self.stack,) * self.seats, none, none, (), (), 0, hand=-1)
        return self._deal(state)

    def initial(self) -> Position:
        return self.start(Draw("holdem"))

    def cards(self, state: Position, seat: int) -> tuple[int, ...]:
        """Return the cards of a seat: rank times 4 plus suit."""
        return state.deck[state.hand][2 * seat : 2 * seat + 2]

    def common(self, state: Position) -> tuple[int, ...]:
        """Return the common cards that are shown."""
        deal = state.deck[state.hand]
        return deal[2 * self.seats : 2 * self.seats + _STREETS[min(3, state.street)]]

    def _deal(self, state: Position) -> Position:
        """Return the position with the next hand dealt and blinds paid; one without a seat to move at the end."""
        alive = [seat for seat, chips in enumerate(state.chips) if chips]
        hand = state.hand + 1
        if len(alive) < 2 or hand == self.hands:
            return state._replace(seat=-1)
        dealer = next(s for i in range(self.seats) if (s := (hand + i) % self.seats) in alive)
        order = [s for i in range(self.seats) if (s := (dealer + i + 1) % self.seats) in alive]
        small, big = (dealer, order[0]) if len(alive) == 2 else order[:2]
        chips, paid = list(state.chips), [0] * self.seats
        for seat, blind in ((small, 1), (big, 2)):
            paid[seat] = min(blind, chips[seat])
            chips[seat] -= paid[seat]
        folded = tuple(seat not in alive for seat in range(self.seats))
        state = Position(
            state.deck, tuple(chips), tuple(paid), tuple(paid), folded, (False,) * self.seats, big, 0, 1, hand,
            dealer, (), state.last,
        )  # fmt: skip
        return self._on(state)

    def turn(self, state: Position) -> int:
        return OVER if state.seat < 0 else state.seat

    def legal(self, state: Position) -> list[tuple[str, int]]:
        seat, top = state.seat, max(state.bets)
        open_, chips = top - state.bets[seat], state.chips[seat]
        moves = [("fold", 0), ("call", 0)] if open_ else [("check", 0)]
        others = any(c and not f for s, (c, f) in enumerate(zip(state.chips, state.folded, strict=True)) if s != seat)
        if chips <= open_ or not others:
            return moves
        if not self.fixed:
            least = min(state.bets[seat] + chips, top + max(2, open_))
            return [*moves, *(("raise", total) for total in range(least, state.bets[seat] + chips + 1))]
        size = 2 if state.street < 2 else 4
        if state.raises < self.most:
            moves.append(("raise", min(top + size, state.bets[seat] + chips)))
        return moves

    def apply(self, state: Position, move: tuple[str, int]) -> Position:
        seat, (kind, total) = state.seat, move
        said = (*state.said, f"{self.names[seat]} {self.write(state, move)}")
        acted = tuple(done or s == seat for s, done in enumerate(state.acted))
        if kind == "fold":
            folded = tuple(gone or s == seat for s, gone in enumerate(state.folded))
            return self._on(state._replace(folded=folded, acted=acted, said=said))
        if kind == "raise":
            acted = tuple(s == seat for s in range(self.seats))
            state = state._replace(raises=state.raises + 1)
        wanted = total if kind == "raise" else max(state.bets)
        pay = min(wanted - state.bets[seat], state.chips[seat])
        more = [pay if s == seat else 0 for s in range(self.seats)]
        return self._on(
            state._replace(
                chips=tuple(c - m for c, m in zip(state.chips, more, strict=True)),
                paid=tuple(p + m for p, m in zip(state.paid, more, strict=True)),
                bets=tuple(b + m for b, m in zip(state.bets, more, strict=True)),
                acted=acted,
                said=said,
            )
        )

    def _on(self, state: Position) -> Position:
        """Return the position in which the next seat has a choice: later in the street, the hand or the match."""
        while True:
            within = [s for s, gone in enumerate(state.folded) if not gone]
            if len(within) == 1:
                return self._deal(self._settled(state, within))
            top = max(state.bets)
            able = [s for s in within if state.chips[s]]
            waiting = [s for s in able if state.bets[s] < top or (not state.acted[s] and len(able) > 1)]
            if waiting:
                after = [s for i in range(self.seats) if (s := (state.seat + 1 + i) % self.seats) in waiting]
                return state._replace(seat=after[0])
            if state.street == 3:
                return self._deal(self._settled(state, within))
            state = state._replace(
                bets=(0,) * self.seats,
                acted=(False,) * self.seats,
                seat=state.dealer,  # whoever is next to the dealer begins
                street=state.street + 1,
                raises=0,
            )
            state = state._replace(said=(*state.said, f"common cards {_cards(self.common(state))}"))

    def _settled(self, state: Position, within: list[int]) -> Position:
        """Return the position after the pot, with side pots for those without chips, is paid out."""
        won = [0] * self.seats
        common = state.deck[state.hand][2 * self.seats :]
        rank = {s: strength((*self.cards(state, s), *common)) if len(within) > 1 else (0,) for s in within}
        levels = sorted({state.paid[s] for s in within})
        below = 0
        for level in [*levels[:-1], max(state.paid)]:
            pot = sum([min(paid, level) - min(paid, below) for paid in state.paid])
            able = [s for s in within if state.paid[s] >= min(level, levels[-1])]
            best = max(rank[s] for s in able)
            takers = [s for s in able if rank[s] == best]
            for number, seat in enumerate(takers):
                won[seat] += pot // len(takers) + (number < pot % len(takers))
            below = level
        compared = within if len(within) > 1 else []
        shown = "; ".join(f"{self.names[s]} had {_cards(self.cards(state, s))}, {_NAMES[rank[s][0]]}" for s in compared)
        gains = ", ".join(
            f"{self.names[s]} {won[s] - state.paid[s]:+d}" for s in range(self.seats) if won[s] != state.paid[s]
        )
        end = f"{shown + '. ' if shown else ''}{gains or 'The pot is shared'}"
        last = f"Hand {state.hand + 1}: {'; '.join(state.said)}. {end}."
        return state._replace(chips=tuple(c + w for c, w in zip(state.chips, won, strict=True)), last=last)

    def returns(self, state: Position) -> tuple[float, ...]:
        return tuple(float(chips - self.stack) for chips in state.chips)

    def board(self, state: Position) -> str:
        if state.seat < 0:
            return self._open(state)
        held = [f"{self.names[s]} has {_cards(self.cards(state, s))}." for s in range(self.seats)]
        return "\n".join([*held, self._open(state)])

    def view(self, state: Position, seat: int) -> str:
        if state.seat < 0:
            return self._open(state)
        return f"Your cards: {_cards(self.cards(state, seat))}.\n{self._open(state)}"

    def _open(self, state: Position) -> str:
        chips = ", ".join(f"{self.names[s]} {c}" for s, c in enumerate(state.chips))
        last = [state.last] if state.last else []
        if state.seat < 0:
            return "\n".join([*last, f"Chips: {chips}. The match is over."])
        bets = ", ".join(f"{self.names[s]} {b}" for s, b in enumerate(state.bets) if not state.folded[s])
        to_call = max(state.bets) - state.bets[state.seat]
        return "\n".join(
            [
                *last,
                f"Hand {state.hand + 1} of {self.hands}. Chips: {chips}.",
                f"Common cards: {_cards(self.common(state)) or 'none'}. Pot: {sum(state.paid)}.",
                f"Bets in this round: {bets}. To call: {to_call}.",
                f"This hand: {'; '.join(state.said) or 'nothing yet'}.",
            ]
        )

    def write(self, state: Position, move: tuple[str, int]) -> str:
        return f"raise {move[1]}" if move[0] == "raise" else move[0]


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(_RANKS[card // 4] + _SUITS[card % 4] for card in cards)


@lru_cache(maxsize=2**15)
def strength(cards: tuple[int, ...]) -> tuple[int, ...]:
    """Return how strong the best five of five to seven cards are, as a tuple that compares as hands do."""
    a = b = c = d = 0  # the ranks of each suit, as bits
    for card in cards:
        bit, suit = 1 << (card >> 2), card & 3
        if suit == 0:
            a |= bit
        elif suit == 1:
            b |= bit
        elif suit == 2:
            c |= bit
        else:
            d |= bit
    ranks, pairs = a | b | c | d, (a & b) | (c & d) | ((a | b) & (c | d))
    flush = next((suit for suit in (a, b, c, d) if suit.bit_count() >= 5), 0)
    if flush and (top := _straight(flush)) >= 0:
        return (8, top)
    if pairs:
        threes = (a & b & (c | d)) | (c & d & (a | b))
        if four := a & b & c & d:
            return (7, _high(four)[0], _high(ranks & ~four)[0])
        if threes:
            three = _high(threes)[0]
            if two := pairs & ~(1 << three):
                return (6, three, _high(two)[0])
    if flush:
        return (5, *_high(flush)[:5])
    if (top := _straight(ranks)) >= 0:
        return (4, top)
    if not pairs:
        return (0, *_high(ranks)[:5])
    if threes:
        return (3, three, *_high(ranks & ~threes)[:2])
    first, *second = _high(pairs)[:2]
    if second:
        return (2, first, *second, _high(ranks & ~(1 << first | 1 << second[0]))[0])
    return (1, first, *_high(ranks & ~pairs)[:3])


@lru_cache(maxsize=2**13)
def _high(ranks: int) -> tuple[int, ...]:
    """Return some ranks, the highest first."""
    return tuple(rank for rank in range(12, -1, -1) if ranks >> rank & 1)


@lru_cache(maxsize=2**13)
def _straight(ranks: int) -> int:
    """Return the highest rank of five in a row, or -1; the ace also counts below the two."""
    return next((top for top in range(12, 2, -1) if all(ranks >> (top - i) % 13 & 1 for i in range(5))), -1)
