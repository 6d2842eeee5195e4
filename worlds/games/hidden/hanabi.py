"""Hanabi: play cards in order together, each seat seeing every hand but its own.

Source: the game of Antoine Bauza, 2010, in the form of Bard et al., "The Hanabi challenge", Artificial Intelligence
280, 2020.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Card", "Hanabi", "Move", "Position", "hinted"]

_COLOURS = ("red", "yellow", "green", "white", "blue")


class Card(NamedTuple):
    """A colour and a rank from 0, and the colours and ranks, as bits, that hints have left to its holder."""

    colour: int
    rank: int
    colours: int
    ranks: int


class Move(NamedTuple):
    """Play or discard the card at a place of one's hand, or hint a colour or rank to a seat."""

    kind: Literal["play", "discard", "colour", "rank"]
    which: int
    seat: int = -1


class Position(NamedTuple):
    """The deck (drawn from its end), hands, highest ranks played, discards, tokens, and the last moves in words."""

    deck: tuple[tuple[int, int], ...]
    hands: tuple[tuple[Card, ...], ...]
    fireworks: tuple[int, ...]
    discarded: tuple[tuple[int, int], ...]
    hints: int
    lives: int
    seat: int = 0
    turns: int = -1  # turns left once the deck is empty; -1 before
    said: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hanabi(Game[Position, Move]):
    """Every seat gets the points that all have made together: the cards played, or 0 if all lives are lost."""

    seats: Annotated[int, Range(2, 5)] = 2
    colours: Annotated[int, Range(1, 5)] = 5
    ranks: Annotated[int, Range(2, 9)] = 5
    hints: Annotated[int, Range(1, 20)] = 8
    lives: Annotated[int, Range(1, 20)] = 3

    names = tuple(f"Player {number}" for number in range(1, 6))
    zero_sum = False
    hidden = True

    @property
    def held(self) -> int:
        """The number of cards in a hand."""
        return 5 if self.seats < 4 else 4

    def _copies(self, rank: int) -> int:
        return 3 if rank == 0 else 1 if rank == self.ranks - 1 else 2

    def rules(self) -> str:
        return (
            f"Hanabi for {self.seats} players, all on one side. Of each colour ({', '.join(_COLOURS[: self.colours])}) "
            f"there are three cards of rank 1, one of rank {self.ranks} and two of each other. You see all hands but "
            "your own. On your turn you play a card, discard one, or hint: name all cards of a colour or rank in "
            "another's hand. A card played must be the next rank of its colour, or a life is lost. A hint costs a "
            f"hint token ({self.hints} at most); a discard or a completed colour brings one back. Then you draw. The "
            f"game ends with the last of {self.lives} lives, which loses all points, with all colours complete, or one "
            "turn of everybody after the last card is drawn. Each card played is a point for all."
        )

    def notation(self) -> str:
        return "A move is play 1, discard 1 (places in your hand from 1), or hint 2 red, hint 2 3 (to player 2)"

    def start(self, draw: Draw) -> Position:
        deck = [(c, r) for c in range(self.colours) for r in range(self.ranks) for _ in range(self._copies(r))]
        return self.dealt(tuple(draw.shuffled(deck)))

    def initial(self) -> Position:
        return self.start(Draw("hanabi"))

    def dealt(self, deck: tuple[tuple[int, int], ...]) -> Position:
        """Return the first position with a deck, from whose end the hands are dealt, seat by seat."""
        every = (1 << self.colours) - 1, (1 << self.ranks) - 1
        hands = []
        for _ in range(self.seats):
            hands.append(tuple(Card(*card, *every) for card in deck[: -self.held - 1 : -1]))
            deck = deck[: -self.held]
        return Position(deck, tuple(hands), (0,) * self.colours, (), self.hints, self.lives)

    def turn(self, state: Position) -> int:
        done = state.lives == 0 or state.turns == 0 or min(state.fireworks) == self.ranks
        return OVER if done else state.seat

    def legal(self, state: Position) -> list[Move]:
        places = range(len(state.hands[state.seat]))
        moves = [Move("play", place) for place in places]
        if state.hints < self.hints:
            moves += [Move("discard", place) for place in places]
        if state.hints:
            for i in range(1, self.seats):
                other = (state.seat + i) % self.seats
                hand = state.hands[other]
                moves += [Move("colour", c, other) for c in sorted({card.colour for card in hand})]
                moves += [Move("rank", r, other) for r in sorted({card.rank for card in hand})]
        return moves

    def apply(self, state: Position, move: Move) -> Position:
        said = f"{self.names[state.seat]}: {self.write(state, move)}"
        if move.kind in ("colour", "rank"):
            hand = state.hands[move.seat]
            places = [i + 1 for i, card in enumerate(hand) if getattr(card, move.kind) == move.which]
            told = tuple(hinted(card, move) for card in hand)
            hands = (*state.hands[: move.seat], told, *state.hands[move.seat + 1 :])
            after = state._replace(hands=hands, hints=state.hints - 1)
            return self._passed(after, f"{said} (cards {' '.join(map(str, places))})")
        card = state.hands[state.seat][move.which]
        outcome = f"{said} ({_COLOURS[card.colour]} {card.rank + 1}"
        after = self._drawn(state, move.which)
        if move.kind == "play" and state.fireworks[card.colour] == card.rank:
            row = tuple(top + (c == card.colour) for c, top in enumerate(state.fireworks))
            bonus = card.rank + 1 == self.ranks and state.hints < self.hints
            return self._passed(after._replace(fireworks=row, hints=state.hints + bonus), f"{outcome})")
        discarded = tuple(sorted((*state.discarded, (card.colour, card.rank))))
        if move.kind == "play":
            return self._passed(after._replace(discarded=discarded, lives=state.lives - 1), f"{outcome}, a life lost)")
        return self._passed(after._replace(discarded=discarded, hints=state.hints + 1), f"{outcome})")

    def _drawn(self, state: Position, place: int) -> Position:
        """Return the position after a card has left the hand of the seat to move and another is drawn."""
        hand = state.hands[state.seat]
        hand = (*hand[:place], *hand[place + 1 :])
        if state.deck:
            every = (1 << self.colours) - 1, (1 << self.ranks) - 1
            hand = (*hand, Card(*state.deck[-1], *every))
        hands = (*state.hands[: state.seat], hand, *state.hands[state.seat + 1 :])
        return state._replace(deck=state.deck[:-1], hands=hands)

    def _passed(self, after: Position, said: str) -> Position:
        turns = after.turns
        if turns > 0:
            turns -= 1
        elif not after.deck:
            turns = self.seats
        told = (*after.said, said)[-self.seats :]
        return after._replace(seat=(after.seat + 1) % self.seats, turns=turns, said=told)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(sum(state.fireworks)) if state.lives else 0.0,) * self.seats

    def board(self, state: Position) -> str:
        return self._text(state, -1)

    def view(self, state: Position, seat: int) -> str:
        return self._text(state, seat)

    def _text(self, state: Position, hidden: int) -> str:
        names = _COLOURS[: self.colours]
        rows = ["Fireworks: " + ", ".join(f"{name} {top}" for name, top in zip(names, state.fireworks, strict=True))]
        left = f", {state.turns} turns left" if state.turns >= 0 else ""
        rows.append(f"Hints {state.hints}, lives {state.lives}, cards in the deck {len(state.deck)}{left}")
        gone = Counter(state.discarded)
        rows.append("Discarded: " + (", ".join(f"{n} {names[c]} {r + 1}" for (c, r), n in gone.items()) or "none"))
        for seat, hand in enumerate(state.hands):
            cards = []
            for place, card in enumerate(hand, 1):
                held = "" if seat == hidden else f"{names[card.colour]} {card.rank + 1}, "
                cards.append(f"  {place}: {held}{self._known(card)}")
            whose = "Your hand (you know)" if seat == hidden else f"{self.names[seat]} holds (and knows)"
            rows.append("\n".join([f"{whose}:", *cards]))
        return "\n".join([*rows, "Last moves: " + ("; ".join(state.said) or "none")])

    def _known(self, card: Card) -> str:
        """Describe what hints have left possible."""
        return _possible(card.colours, card.ranks, self.colours, self.ranks)

    def write(self, state: Position, move: Move) -> str:
        if move.kind in ("play", "discard"):
            return f"{move.kind} {move.which + 1}"
        return f"hint {move.seat + 1} {_COLOURS[move.which] if move.kind == 'colour' else move.which + 1}"


@lru_cache(maxsize=2**12)
def _possible(colours: int, ranks: int, all_colours: int, all_ranks: int) -> str:
    """Describe the colours and ranks that are set, of so many."""
    names = [name for c, name in enumerate(_COLOURS[:all_colours]) if colours >> c & 1]
    numbers = [str(r + 1) for r in range(all_ranks) if ranks >> r & 1]
    colour = "any colour" if len(names) == all_colours else "/".join(names)
    return f"{colour}, {'any rank' if len(numbers) == all_ranks else 'rank ' + '/'.join(numbers)}"


def hinted(card: Card, move: Move) -> Card:
    """Return a card after a hint to its holder."""
    colour, rank, colours, ranks = card
    bit = 1 << move.which
    if move.kind == "colour":
        return Card(colour, rank, bit if colour == move.which else colours & ~bit, ranks)
    return Card(colour, rank, colours, bit if rank == move.which else ranks & ~bit)
