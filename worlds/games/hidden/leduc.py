"""Leduc poker: two rounds of betting, a private card each and one public card.

Source: Southey, Bowling, Larson, Piccione, Burch, Billings and Rayner, "Bayes' bluff: opponent modelling in poker",
UAI 2005.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["Leduc", "Position"]

_CARDS = "JQK"
_WORDS = {"f": "fold", "c": "call", "r": "raise"}
_MOST_RAISES = 2


class Position(NamedTuple):
    """The cards of the seats and the public one (rank is card // 2), what each paid, and the actions of each round."""

    cards: tuple[int, ...] = ()
    public: int = -1
    paid: tuple[int, int] = (1, 1)
    rounds: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Leduc(Game[Position, tuple[int, ...] | int | str]):
    """Six cards, two of each rank. Moves of a seat are ``f`` (fold), ``c`` (call or check) and ``r`` (raise or bet)."""

    names = ("Player 1", "Player 2")
    hidden = True

    def rules(self) -> str:
        return (
            "Leduc poker: there are six cards, two jacks, two queens and two kings. Both players pay 1 chip and get "
            "one card each, which only they see. There are two rounds of betting, and player 1 begins both. You may "
            "call (pay what the other has paid more than you, or nothing), raise (pay that and 2 chips more in the "
            "first round, 4 in the second; at most two raises a round) or fold (give up what you paid; only when the "
            "other has raised). After the first round a public card is shown. At the end a pair with the public card "
            "wins, or else the higher card; equal cards share the pot."
        )

    def notation(self) -> str:
        return "A move is fold, call or raise"

    def initial(self) -> Position:
        return Position()

    def turn(self, state: Position) -> int:
        actions = state.rounds[-1]
        if not state.cards:
            return CHANCE
        if actions.endswith("f"):
            return OVER
        if len(actions) >= 2 and actions[-1] == "c":
            return OVER if state.public >= 0 else CHANCE
        return len(actions) % 2

    def legal(self, state: Position) -> list[tuple[int, ...] | int | str]:
        if not state.cards:
            return list(permutations(range(6), 2))
        if self.turn(state) == CHANCE:
            return [card for card in range(6) if card not in state.cards]
        actions = state.rounds[-1]
        moves: list[tuple[int, ...] | int | str] = ["f", "c"] if actions.endswith("r") else ["c"]
        return [*moves, "r"] if actions.count("r") < _MOST_RAISES else moves

    def apply(self, state: Position, move: tuple[int, ...] | int | str) -> Position:
        if isinstance(move, tuple):
            return state._replace(cards=move)
        if isinstance(move, int):
            return state._replace(public=move, rounds=(*state.rounds, ""))
        seat, actions = len(state.rounds[-1]) % 2, state.rounds[-1] + move
        paid = list(state.paid)
        if move != "f":
            paid[seat] = max(paid) + (2 * len(state.rounds) if move == "r" else 0)
        return state._replace(paid=(paid[0], paid[1]), rounds=(*state.rounds[:-1], actions))

    def returns(self, state: Position) -> tuple[float, ...]:
        actions = state.rounds[-1]
        if actions.endswith("f"):
            winner = len(actions) % 2
        else:
            first, second = (self._strength(card, state.public) for card in state.cards)
            if first == second:
                return (0.0, 0.0)
            winner = int(second > first)
        stake = float(state.paid[1 - winner])
        return (stake, -stake) if winner == 0 else (-stake, stake)

    def _strength(self, card: int, public: int) -> tuple[bool, int]:
        return card // 2 == public // 2, card // 2

    def board(self, state: Position) -> str:
        held = " ".join(f"{self.names[s]} has {_CARDS[c // 2]}." for s, c in enumerate(state.cards))
        return f"{held or 'No cards are dealt yet.'}\n{_open(state.public, state.paid, state.rounds)}"

    def view(self, state: Position, seat: int) -> str:
        card = f"Your card is {_CARDS[state.cards[seat] // 2]}." if state.cards else "No card is dealt yet."
        return f"{card}\n{_open(state.public, state.paid, state.rounds)}"

    def write(self, state: Position, move: tuple[int, ...] | int | str) -> str:
        if isinstance(move, str):
            return _WORDS[move]
        return "".join(_CARDS[card // 2] for card in (move if isinstance(move, tuple) else (move,)))


@lru_cache(maxsize=2**10)
def _open(public: int, paid: tuple[int, int], rounds: tuple[str, ...]) -> str:
    """Describe what both seats see."""
    card = f"The public card is {_CARDS[public // 2]}." if public >= 0 else "No public card yet."
    made = [
        f"Round {number}: " + (", ".join(f"{Leduc.names[i % 2]} {_WORDS[a]}" for i, a in enumerate(actions)) or "none")
        for number, actions in enumerate(rounds, 1)
    ]
    return "\n".join([card, *made, f"Paid: {paid[0]} and {paid[1]} chips."])
