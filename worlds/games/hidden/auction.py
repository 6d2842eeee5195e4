"""Auctions of sealed bids: first price, second price, and things of the same unknown worth to all.

Sources: Vickrey, "Counterspeculation, auctions, and competitive sealed tenders", Journal of Finance 16, 1961; Wilson,
"Competitive bidding with disparate information", Management Science 15, 1969 (common values).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Auction", "Lot", "Position"]


class Lot(NamedTuple):
    """What a lot is worth to each seat, and what each seat knows of it: its worth, or a guess in common values."""

    worth: tuple[int, ...]
    known: tuple[int, ...]


class Position(NamedTuple):
    """All lots, the bids on each lot so far, what each seat has gained, and its money left."""

    lots: tuple[Lot, ...]
    bids: tuple[tuple[int, ...], ...] = ((),)
    gains: tuple[int, ...] = ()
    money: tuple[int, ...] = ()


@dataclass(frozen=True)
class Auction(Game[Position, int]):
    """``lots`` lots one after another. A move is a bid; nobody sees it until all have bid.

    Attributes:
        form: "first" price (the winner pays the bid), "second" price (the highest other bid) or "common" (first price,
            and the worth is the same to all, who have guesses that miss it by up to ``noise``).
        high: The highest worth; the lowest is a fifth of it.
        money: What each seat may spend in all; 0: without bounds.
    """

    seats: Annotated[int, Range(2, 8)] = 3
    lots: Annotated[int, Range(1, 50)] = 5
    form: Literal["first", "second", "common"] = "first"
    high: Annotated[int, Range(10, 1000)] = 50
    noise: Annotated[int, Range(1, 500)] = 10
    money: Annotated[int, Range(0, 100_000)] = 0

    names = tuple(f"Player {number}" for number in range(1, 9))
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if self.form not in ("first", "second", "common"):
            raise SettingsError(f"form is {self.form!r}; it must be first, second or common")

    def rules(self) -> str:
        low = self.high // 5
        if self.form == "common":
            worth = (
                f"A lot has the same worth to all, a number from {low} to {self.high}. Nobody knows it; each player "
                f"has a guess of their own that is wrong by up to {self.noise} either way, any error as likely."
            )
        else:
            worth = f"A lot is worth something else to each player, from {low} to {self.high}, any number as likely."
        pays = "the highest bid of the others" if self.form == "second" else "the bid"
        money = f" Nobody can spend more than {self.money} in all." if self.money else ""
        return (
            f"An auction of {self.lots} lots for {self.seats} players. {worth} All bid a whole number, unseen until "
            f"all have bid. The highest bid wins the lot (of equal ones that of the player first in the list) and "
            f"pays {pays}; a bid of 0 buys nothing. The winner gains the worth less the price, others nothing. After "
            f"each lot all bids, the price and the gain are shown.{money} Each player wants the highest total gain."
        )

    def notation(self) -> str:
        return "A move is a bid, a whole number such as 12; 0 stays out"

    def start(self, draw: Draw) -> Position:
        lots = []
        for _ in range(self.lots):
            if self.form == "common":
                worth = draw.integer(self.high // 5, self.high)
                known = tuple(max(0, worth + draw.integer(-self.noise, self.noise)) for _ in range(self.seats))
                lots.append(Lot((worth,) * self.seats, known))
            else:
                values = tuple(draw.integer(self.high // 5, self.high) for _ in range(self.seats))
                lots.append(Lot(values, values))
        return Position(tuple(lots), ((),), (0,) * self.seats, (self.money,) * self.seats)

    def initial(self) -> Position:
        return self.start(Draw("auction"))

    def turn(self, state: Position) -> int:
        return OVER if len(state.bids) > self.lots else len(state.bids[-1])

    def legal(self, state: Position) -> list[int]:
        most = self.high + self.noise if self.form == "common" else self.high
        return list(range((min(most, state.money[len(state.bids[-1])]) if self.money else most) + 1))

    def apply(self, state: Position, move: int) -> Position:
        bids = (*state.bids[-1], move)
        if len(bids) < self.seats:
            return state._replace(bids=(*state.bids[:-1], bids))
        number = len(state.bids) - 1
        winner, price = self.sold(bids)
        gains, money = list(state.gains), list(state.money)
        if winner >= 0:
            gains[winner] += state.lots[number].worth[winner] - price
            money[winner] -= price if self.money else 0
        return Position(state.lots, (*state.bids[:-1], bids, ()), tuple(gains), tuple(money))

    def sold(self, bids: tuple[int, ...]) -> tuple[int, int]:
        """Return who wins a lot, or -1, and the price."""
        best = max(bids)
        if not best:
            return -1, 0
        winner = bids.index(best)
        return winner, max(b for s, b in enumerate(bids) if s != winner) if self.form == "second" else best

    def returns(self, state: Position) -> tuple[float, ...]:
        return tuple(map(float, state.gains))

    def board(self, state: Position) -> str:
        lots = [
            f"Lot {n}: worth {_listed(lot.worth)}, known as {_listed(lot.known)}" for n, lot in enumerate(state.lots, 1)
        ]
        made = [f"Bids on this lot so far: {_listed(state.bids[-1])}"] if state.bids[-1] else []
        return "\n".join([*lots, *self._past(state), *made])

    def view(self, state: Position, seat: int) -> str:
        rows = self._past(state)
        number = len(state.bids) - 1
        if number < self.lots:
            known = state.lots[number].known[seat]
            about = f"your guess of its worth is {known}" if self.form == "common" else f"it is worth {known} to you"
            rows.append(f"Lot {number + 1} of {self.lots}: {about}.")
            if len(state.bids[-1]) > seat:
                rows.append(f"You have bid {state.bids[-1][seat]}.")
        if self.money:
            rows.append(f"You have {state.money[seat]} left to spend.")
        return "\n".join([*rows, f"Your total gain: {state.gains[seat]}."])

    def _past(self, state: Position) -> list[str]:
        return [
            _sale(self, number, bids, state.lots[number - 1].worth) for number, bids in enumerate(state.bids[:-1], 1)
        ]

    def write(self, state: Position, move: int) -> str:
        return str(move)


def _listed(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


@lru_cache(maxsize=2**12)
def _sale(game: Auction, number: int, bids: tuple[int, ...], worth: tuple[int, ...]) -> str:
    """Tell how a lot was sold."""
    winner, price = game.sold(bids)
    end = "nobody buys it"
    if winner >= 0:
        end = f"{game.names[winner]} buys it for {price} and gains {worth[winner] - price}"
    return f"Lot {number}: bids {_listed(bids)}; {end}."
