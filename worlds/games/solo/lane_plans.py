"""Plans for LaneDefence: builders that count, lane by lane, whether the attackers that they know of will be stopped."""

from dataclasses import dataclass
from typing import NamedTuple

from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.solo.lane_defence import (
    ATTACKERS,
    DEFENDERS,
    SHOT,
    WAIT,
    LaneDefence,
    Move,
    Position,
)

__all__ = ["BUILDERS", "Builder", "by_price", "in_turn", "line_of", "plan"]

_LATE = 3  # rounds before an attacker gets through in which something cheap has to stop it


class Threat(NamedTuple):
    """An attacker that is on its way: the rounds until it gets through, its health, and its column, if it is there."""

    left: int
    health: int
    column: int


@dataclass(frozen=True)
class Builder:
    """Builds an archer where the ones that are there do not suffice, traps and walls in need, and mints in between.

    Attributes:
        mints: The mints that it wants.
        ahead: The rounds ahead whose arrivals it counts.
        cannons: The lanes that a cannon must be of use to before it is built in place of an archer; 0 for none.
    """

    mints: int = 0
    ahead: int = 0
    cannons: int = 0

    def choose(self, game: LaneDefence, state: Position) -> Move:
        """Return the move in a position."""
        lanes = self._threats(game, state)
        short = [(when, lane) for lane, threats in enumerate(lanes) if (when := _short(game, state, lane, threats))]
        if short:
            when, lane = min(short)
            return self._mended(game, state, lane, when, lanes[lane], len(short))
        if sum([kind == "mint" for _, kind, _ in state.guards]) < self.mints and state.coming:
            quiet = max(range(game.lanes), key=lambda lane: (min([t.left for t in lanes[lane]], default=99), -lane))
            return _built(game, state, "mint", quiet)
        return WAIT

    def _threats(self, game: LaneDefence, state: Position) -> list[list[Threat]]:
        """Return the attackers of each lane that are known of, the first to get through first."""
        lanes: list[list[Threat]] = [[] for _ in range(game.lanes)]
        for foe in state.foes:
            lanes[foe.lane].append(Threat(_rounds(foe.column + 1, foe.kind, state.round), foe.health, foe.column))
        for when, lane, kind in state.coming:
            if when >= state.round + self.ahead:
                break
            left = when + 1 - state.round + _rounds(game.columns + 1, kind, when + 1)
            lanes[lane].append(Threat(left, ATTACKERS[kind].health, -1))
        for threats in lanes:
            threats.sort()
        return lanes

    def _mended(
        self, game: LaneDefence, state: Position, lane: int, when: int, threats: list[Threat], short: int
    ) -> Move:
        """Return what helps a lane: a cannon or an archer in time, a trap or a wall when it is late."""
        near = min([threat.column for threat in threats if threat.column >= 0], default=-1)
        if near > 0 and when <= _LATE + 1:
            for kind in ("trap", "wall"):
                move = kind, lane * game.columns + near - 1
                if state.coins >= DEFENDERS[kind].cost and _free(state, move[1]):
                    return move
        if self.cannons and short >= self.cannons:
            if state.coins >= DEFENDERS["cannon"].cost:
                return _built(game, state, "cannon", lane)
            if when > _LATE + 2:
                return WAIT
        return _built(game, state, "archer", lane)


def _rounds(steps: int, kind: str, number: int) -> int:
    """Return the rounds that an attacker takes for so many steps, from a round on, if nothing is in its way."""
    pace = ATTACKERS[kind].steps
    return 2 * steps - (1 - number % 2) if pace == 1 else -(-2 * steps // pace)


def _short(game: LaneDefence, state: Position, lane: int, threats: list[Threat]) -> int:
    """Return in how many rounds the first attacker gets through that the shots of a lane do not stop, or 0."""
    shots, low = 0, lane * game.columns
    for cell, kind, _ in state.guards:
        shots += (kind in ("archer", "cannon")) and low <= cell < low + game.columns
        shots += (kind == "cannon") and abs(cell // game.columns - lane) == 1
    total = 0
    for left, health, _ in threats:
        total += -(-health // SHOT)
        if total > shots * max(0, left - 1):
            return max(1, left)
    return 0


def _free(state: Position, cell: int) -> bool:
    return all(each[0] != cell for each in state.guards)


def _built(game: LaneDefence, state: Position, kind: str, lane: int) -> Move:
    """Return the move that builds something as far left as it can in a lane, or a wait if that cannot be done."""
    if state.coins < DEFENDERS[kind].cost:
        return WAIT
    spots = range(lane * game.columns, (lane + 1) * game.columns)
    cell = next((cell for cell in spots if _free(state, cell)), -1)
    return WAIT if cell < 0 else (kind, cell)


def by_price(game: LaneDefence, state: Position) -> Move:
    """Return the dearest defender that there are coins for, in the lane of the attacker that is furthest."""
    lane = min(state.foes, key=lambda foe: foe.column).lane if state.foes else 0
    able = [kind for kind, each in DEFENDERS.items() if each.cost <= state.coins]
    return _built(game, state, max(able, key=lambda kind: DEFENDERS[kind].cost), lane) if able else WAIT


def in_turn(game: LaneDefence, state: Position, first: int) -> Move:
    """Return an archer in the lane whose turn it is, from a first one on, whatever comes; all lanes in a row."""
    built = sum([kind == "archer" for _, kind, _ in state.guards])
    return _built(game, state, "archer", (first + built) % game.lanes)


BUILDERS = tuple(
    Builder(mints, ahead, cannons) for ahead in (8, 14, 4, 24) for cannons in (0, 2) for mints in (2, 1, 3, 0, 5)
)
"""Builders from which a plan is chosen."""


def line_of(game: LaneDefence, state: Position, builder: Builder) -> tuple[Move, ...] | None:
    """Return the moves of a builder to the end if they win, or None."""
    line = []
    while game.turn(state) != OVER:
        line.append(builder.choose(game, state))
        state = game.apply(state, line[-1])
    return tuple(line) if game.returns(state)[0] else None


def plan(game: LaneDefence, state: Position, builders: int = len(BUILDERS)) -> tuple[Move, ...] | None:
    """Return moves that win, those of the first of some builders that wins, or None; it knows all arrivals."""
    lines = (line_of(game, state, builder) for builder in BUILDERS[:builders])
    return next((line for line in lines if line is not None), None)
