"""Kuhn poker: one card each, one round of betting.

Source: Kuhn, "A simplified two-person poker", Contributions to the Theory of Games I, 1950.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from turnwise.worlds.games.game import CHANCE, OVER, Game

__all__ = ["Kuhn", "Position"]

_CARDS = "JQK"
_OVER = ("pp", "bp", "bb", "pbp", "pbb")
_WORDS = {"p": "pass", "b": "bet"}
_DEALS = tuple(permutations(range(3), 2))
_MOVES = {word: letter for letter, word in _WORDS.items()}


class Position(NamedTuple):
    """The card of each seat (0 jack, 1 queen, 2 king), () before the deal, and the actions as letters p and b."""

    cards: tuple[int, ...] = ()
    actions: str = ""


@dataclass(frozen=True)
class Kuhn(Game[Position, tuple[int, ...] | str]):
    """Two players, three cards. Chance deals a tuple of cards; a seat's move is ``p`` (pass) or ``b`` (bet)."""

    names = ("Player 1", "Player 2")
    hidden = True

    def rules(self) -> str:
        return (
            "Kuhn poker: there are three cards, a jack, a queen and a king. Both players pay 1 chip into the pot and "
            "get one card each, which only they see. A player may pass or bet 1 more chip. If both pass, or if a bet "
            "is answered by a bet, the higher card takes the pot; if a bet is answered by a pass, the player who bet "
            "takes it. Player 1 begins; after a pass and a bet, player 1 decides once more."
        )

    def notation(self) -> str:
        return "A move is pass or bet"

    def initial(self) -> Position:
        return Position()

    def turn(self, state: Position) -> int:
        if not state.cards:
            return CHANCE
        return OVER if state.actions in _OVER else len(state.actions) % 2

    def legal(self, state: Position) -> Sequence[tuple[int, ...] | str]:
        return ("p", "b") if state.cards else _DEALS

    def apply(self, state: Position, move: tuple[int, ...] | str) -> Position:
        if isinstance(move, tuple):
            return Position(move)
        return Position(state.cards, state.actions + move)

    def returns(self, state: Position) -> tuple[float, ...]:
        actions = state.actions
        if actions[-2:] == "bp":
            winner, stake = len(actions) % 2, 1.0
        else:
            winner, stake = int(state.cards[1] > state.cards[0]), 2.0 if actions[-1] == "b" else 1.0
        return (stake, -stake) if winner == 0 else (-stake, stake)

    def board(self, state: Position) -> str:
        held = " ".join(f"{self.names[s]} has {_CARDS[c]}." for s, c in enumerate(state.cards))
        return f"{held or 'No cards are dealt yet.'}\n{_so_far(state.actions)}"

    def view(self, state: Position, seat: int) -> str:
        return _view(state.cards[seat] if state.cards else -1, state.actions)

    def named(self, state: Position, text: str) -> str | None:
        return _MOVES.get(text) if state.cards and state.actions not in _OVER else None

    def write(self, state: Position, move: tuple[int, ...] | str) -> str:
        return _WORDS[move] if isinstance(move, str) else "".join(_CARDS[card] for card in move)


@lru_cache(maxsize=64)
def _view(card: int, actions: str) -> str:
    """Describe what a seat sees that has a card, or -1 before the deal."""
    return f"{f'Your card is {_CARDS[card]}.' if card >= 0 else 'No card is dealt yet.'}\n{_so_far(actions)}"


def _so_far(actions: str) -> str:
    made = ", ".join(f"{Kuhn.names[i % 2]} {_WORDS[a]}" for i, a in enumerate(actions))
    return f"Moves: {made or 'none'}"
