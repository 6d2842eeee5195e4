"""Secretary: candidates come one after the other, and each is chosen or let go for good when it is seen.

Source: the secretary problem; Lindley, "Dynamic programming and decision theory", Applied Statistics 10, 1961 (ranks);
Gilbert and Mosteller, "Recognizing the maximum of a sequence", JASA 61, 1966 (known distribution, several choices);
Moser, "On a problem of Cayley", Scripta Mathematica 22, 1956 (the value counts), with a cost as in MacQueen and Miller,
"Optimal persistence policies", Operations Research 8, 1960; Samuels, "Minimax stopping rules when the underlying
distribution is uniform", JASA 76, 1981 (a scale that is unknown is of no use: only ranks are). Surveyed by Ferguson,
"Who solved the secretary problem?", Statistical Science 4, 1989. `advice` computes the optimal rule of each form by
dynamic programming.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, TypeAlias

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["HIGHEST", "MOVES", "Form", "Position", "Secretary", "advice", "expected", "opens", "played"]

Form: TypeAlias = Literal["ranks", "unknown", "values", "costs"]
MOVES = ("take", "pass")
HIGHEST = 100  # value of a candidate, where values are on a known scale
_SCALES = (1_000, 20_000, 500_000)  # upper ends of scales that are not known
_FLOORS = (0, 300, 7_000, 100_000)


class Position(NamedTuple):
    """All candidates' values; the series and candidate that are seen; the places chosen in it; what was won before."""

    series: tuple[tuple[int, ...], ...]
    at: int = 0
    seen: int = 0
    chosen: tuple[int, ...] = ()
    score: int = 0


@dataclass(frozen=True)
class Secretary(Game[Position, str]):
    """``rounds`` series of ``candidates``, ``picks`` of which may be chosen in each; won by a score of ``goal``.

    In all forms but "costs" a series in which a best candidate is chosen counts 1. In "costs" it counts the values of
    those chosen, less ``cost`` for each candidate seen.
    """

    form: Form = "ranks"
    candidates: Annotated[int, Range(3, 60)] = 10
    picks: Annotated[int, Range(1, 5)] = 1
    rounds: Annotated[int, Range(1, 60)] = 10
    goal: Annotated[int, Range(1, 10_000)] = 4
    cost: Annotated[int, Range(0, 50)] = 0

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        several = self.picks > 1
        known = {
            "ranks": "You do not see how good a candidate is, only its rank among those of its series seen so far; "
            "rank 1 is the best. The candidates of a series come in a random order, all orders equally likely.",
            "unknown": "You see a candidate's score; higher is better. Each series has a scale of scores of its own, "
            "which you do not know. The candidates come in a random order, all orders equally likely.",
            "values": f"You see a candidate's score; higher is better. All scores are whole numbers from 1 to "
            f"{HIGHEST}, each equally likely, drawn independently of each other.",
        }
        known["costs"] = known["values"]
        aim = (
            f"A series pays the scores of the candidates that you choose in it, less {self.cost} for each candidate "
            f"that you have seen. You win if all series together pay at least {self.goal} points."
            if self.form == "costs"
            else f"A series is a hit if {'one of those chosen is' if several else 'the one chosen is'} the best of all "
            f"its candidates, the unseen ones included{_EQUAL if self.form == 'values' else ''}. You win with "
            f"{self.goal} hit{'s' if self.goal > 1 else ''}."
        )
        most = f"up to {self.picks} candidates" if several else "one candidate"
        ends = f"{self.picks} have been chosen" if several else "one has been chosen"
        return (
            f"There are {self.rounds} series of {self.candidates} candidates, and in each you may choose {most}. You "
            "see one candidate at a time and either take it or pass; whoever is passed never comes back. A series ends "
            f"when {ends} or its last candidate has been passed. {known[self.form]} {aim}"
        )

    def notation(self) -> str:
        return "A move is take, which chooses the candidate that you see, or pass"

    def start(self, draw: Draw) -> Position:
        return Position(tuple([self._series(draw) for _ in range(self.rounds)]))

    def _series(self, draw: Draw) -> tuple[int, ...]:
        if self.form in ("values", "costs"):
            return tuple([draw.integer(1, HIGHEST) for _ in range(self.candidates)])
        if self.form == "ranks":
            return tuple(draw.shuffled(range(1, self.candidates + 1)))
        low, span, bend = draw.choice(_FLOORS), draw.choice(_SCALES), draw.integer(1, 4)
        found: dict[int, None] = {}
        while len(found) < self.candidates:
            share = 1.0
            for _ in range(bend):
                share *= draw.unit()
            found[low + 1 + int(span * share)] = None
        return tuple(draw.shuffled(list(found)))

    def initial(self) -> Position:
        return self.start(Draw("secretary", "initial"))

    def turn(self, state: Position) -> int:
        won = self.form != "costs" and state.score >= self.goal
        return OVER if won or state.at == len(state.series) else 0

    def legal(self, state: Position) -> tuple[str, ...]:
        return MOVES

    def apply(self, state: Position, move: str) -> Position:
        if move == "take":
            state = state._replace(chosen=(*state.chosen, state.seen))
        if state.seen + 1 < self.candidates and len(state.chosen) < self.picks:
            return state._replace(seen=state.seen + 1)
        return Position(state.series, state.at + 1, 0, (), state.score + self.paid(state))

    def paid(self, state: Position) -> int:
        """Return what the series at hand counts, if it ends now."""
        values = state.series[state.at]
        chosen = [values[place] for place in state.chosen]
        if self.form == "costs":
            return sum(chosen) - self.cost * (state.seen + 1)
        return int(max(values) in chosen)

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(state.score >= self.goal),)

    def board(self, state: Position) -> str:
        values = [f"{number}: {' '.join(map(str, series))}" for number, series in enumerate(state.series, 1)]
        return "\n".join([self._scored(state), "The series:", *values])

    def view(self, state: Position, seat: int) -> str:
        if self.turn(state) == OVER:
            return self._scored(state)
        values = state.series[state.at][: state.seen + 1]
        now = values[-1]
        rank = 1 + sum([value > now for value in values])
        of = f"rank {rank} of the {len(values)} seen" if len(values) > 1 else "the first one seen"
        shown = of if self.form == "ranks" else f"score {now}, {of}"
        lines = [f"Series {state.at + 1} of {self.rounds}, candidate {len(values)} of {self.candidates}: {shown}."]
        if self.picks > 1:
            named = ", ".join(str(place + 1) for place in state.chosen) or "none"
            lines.append(f"Chosen in this series: {named}. You may choose {self.picks - len(state.chosen)} more.")
        return "\n".join([*lines, self._scored(state)])

    def _scored(self, state: Position) -> str:
        if self.form == "costs":
            return f"Points of the series so far: {state.score}. Needed: {self.goal}."
        return f"Hits so far: {state.score}. Needed: {self.goal}."

    def write(self, state: Position, move: str) -> str:
        return move


_EQUAL = "; if several share the highest score, each of them is a best one"


@lru_cache(maxsize=256)
def _ranks(candidates: int, picks: int) -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return the chances of a hit by [candidates seen][picks left][whether the best so far is chosen]."""
    after = tuple([(0.0, 1.0)] * (picks + 1))
    table = [after]
    for seen in range(candidates - 1, -1, -1):
        rate = 1 / (seen + 1)  # that the next candidate is the best so far
        after = tuple(
            [
                tuple([  # type: ignore[misc]
                    (1 - rate) * after[left][held]
                    + rate * (max(after[left - 1][1], after[left][0]) if left else after[left][0])
                    for held in (0, 1)
                ])
                for left in range(picks + 1)
            ]
        )  # fmt: skip
        table.append(after)
    return tuple(table[::-1])


@lru_cache(maxsize=256)
def _values(candidates: int, picks: int) -> tuple[tuple[tuple[tuple[float, ...], ...], ...], ...]:
    """Return the chances of a hit by [candidates to come][picks left][whether the best so far is chosen][its value]."""
    after = tuple([tuple([(float(held),) * (HIGHEST + 1) for held in (0, 1)]) for _ in range(picks + 1)])
    table = [after]
    for _ in range(candidates):
        rows = []
        for left in range(picks + 1):
            # what a candidate of each value that is the best so far, alone, is worth
            alone = [max(after[left - 1][1][v], after[left][0][v]) if left else after[0][0][v] for v in _UPTO]
            above = [0.0] * (HIGHEST + 2)
            for value in range(HIGHEST, 0, -1):
                above[value] = above[value + 1] + alone[value]
            pair = []
            for held in (0, 1):
                old = after[left][held]
                equal = [max(after[left - 1][1][v], old[v]) if left else old[v] for v in _UPTO]
                found = [above[1] / HIGHEST]
                found += [((v - 1) * old[v] + equal[v] + above[v + 1]) / HIGHEST for v in range(1, HIGHEST + 1)]
                pair.append(tuple(found))
            rows.append(tuple(pair))
        after = tuple(rows)
        table.append(after)
    return tuple(table)


_UPTO = range(HIGHEST + 1)


@lru_cache(maxsize=256)
def _costs(candidates: int, picks: int, cost: int) -> tuple[tuple[float, ...], ...]:
    """Return the points to expect by [candidates to come][picks left]."""
    table = [(0.0,) * (picks + 1)]
    for _ in range(candidates):
        after, row = table[-1], [0.0]
        for left in range(1, picks + 1):
            gains = [max(value + after[left - 1], after[left]) for value in range(1, HIGHEST + 1)]
            row.append(sum(gains) / HIGHEST - cost)
        table.append(tuple(row))
    return tuple(table)


def expected(game: Secretary) -> float:
    """Return what the optimal rule gets from a series on average."""
    if game.form == "costs":
        return _costs(game.candidates, game.picks, game.cost)[game.candidates][game.picks]
    if game.form == "values":
        return _values(game.candidates, game.picks)[game.candidates][game.picks][0][0]
    return _ranks(game.candidates, game.picks)[0][game.picks][0]


def advice(game: Secretary, state: Position) -> str:
    """Return the move of the optimal rule, which knows no more than the player sees."""
    values = state.series[state.at][: state.seen + 1]
    now, best = values[-1], max(values)
    left, to_come = game.picks - len(state.chosen), game.candidates - len(values)
    if game.form == "costs":
        after = _costs(game.candidates, game.picks, game.cost)[to_come]
        return "take" if now + after[left - 1] >= after[left] else "pass"
    if now < best:
        return "pass"
    held = int(any(values[place] == best for place in state.chosen))
    if game.form == "values":
        rows = _values(game.candidates, game.picks)[to_come]
        return "take" if rows[left - 1][1][now] >= rows[left][held][now] else "pass"
    chances = _ranks(game.candidates, game.picks)[len(values)]
    return "take" if chances[left - 1][1] >= chances[left][0] else "pass"


def opens(game: Secretary, state: Position) -> int:
    """Return the first place still to come at which the optimal rule may take a candidate that is the best so far.

    It is the number of candidates if there is none. Known values may be taken anywhere.
    """
    left, coming = game.picks - len(state.chosen), range(state.seen + 1, game.candidates)
    if game.form in ("values", "costs"):
        return min(state.seen + 1, game.candidates)
    table = _ranks(game.candidates, game.picks)
    takes = (at for at in coming if table[at + 1][left - 1][1] >= table[at + 1][left][0])
    return next(takes, game.candidates)


def played(game: Secretary, state: Position) -> Position:
    """Return the position after the optimal rule has made all moves."""
    while game.turn(state) != OVER:
        state = game.apply(state, advice(game, state))
    return state
