"""LaneDefence: build defenders in lanes, one a round, against attackers whose arrival is announced.

Source: Plants vs. Zombies (PopCap, 2009), as text; for language models, PVZ of KORGym (arXiv 2505.14552), whose score
is the rounds survived.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypeAlias

from turnwise.core.draw import Draw
from turnwise.core.settings import Range
from turnwise.worlds.games import cells
from turnwise.worlds.games.game import OVER, Game

__all__ = ["ATTACKERS", "DEFENDERS", "SHOT", "WAIT", "Attacker", "Foe", "LaneDefence", "Move", "Position"]

Move: TypeAlias = tuple[str, int]
"""What is built, and its cell, lane by lane; ("wait", 0) for nothing."""
WAIT: Move = ("wait", 0)


class Defender(NamedTuple):
    """What a defender costs, and how much damage it takes."""

    cost: int
    health: int


class Attacker(NamedTuple):
    """How much damage an attacker takes and does, and its steps in two rounds."""

    health: int
    bite: int
    steps: int


class Foe(NamedTuple):
    """An attacker on the field; column 0 is the leftmost one."""

    lane: int
    column: int
    kind: str
    health: int
    leaps: bool = False


class Position(NamedTuple):
    """The round from 1; coins; (cell, kind, health) of defenders; attackers; those to come with round and lane."""

    round: int
    coins: int
    guards: tuple[tuple[int, str, int], ...]
    foes: tuple[Foe, ...]
    coming: tuple[tuple[int, int, str], ...]
    destroyed: int = 0
    overrun: bool = False


DEFENDERS = {
    "mint": Defender(50, 4), "archer": Defender(60, 4), "cannon": Defender(110, 4), "wall": Defender(30, 16),
    "trap": Defender(25, 1),
}  # fmt: skip
ATTACKERS = {
    "walker": Attacker(8, 1, 2), "runner": Attacker(6, 1, 4), "brute": Attacker(24, 3, 1), "jumper": Attacker(8, 1, 2)
}  # fmt: skip
SHOT, _BLAST, _COINED = 2, 12, 6
_SIGNS = {"mint": "M", "archer": "A", "cannon": "C", "wall": "W", "trap": "T"}


@dataclass(frozen=True)
class LaneDefence(Game[Position, Move]):
    """``lanes`` lanes of ``columns`` cells; ``attackers`` of the first ``kinds`` kinds come within ``rounds`` rounds.

    The arrivals of the next ``announced`` rounds are seen. There are ``coins`` coins at the start, and ``income`` more
    in each round.
    """

    lanes: Annotated[int, Range(1, 7)] = 3
    columns: Annotated[int, Range(4, 12)] = 6
    attackers: Annotated[int, Range(1, 60)] = 10
    kinds: Annotated[int, Range(1, 4)] = 2
    rounds: Annotated[int, Range(1, 60)] = 18
    announced: Annotated[int, Range(0, 60)] = 8
    coins: Annotated[int, Range(0, 500)] = 100
    income: Annotated[int, Range(0, 50)] = 10

    seats = 1
    names = ("the player",)
    draws = False
    zero_sum = False
    hidden = True

    def rules(self) -> str:
        return (
            f"Stop all attackers in {self.lanes} lane{'s' if self.lanes > 1 else ''} of {self.columns} cells. You lose "
            "when one leaves a lane at the left. Each round you build on a cell without a defender, or wait. Then, "
            f"lane by lane, left to right, each archer hits for {SHOT} the nearest attacker in its lane that is not to "
            "its left (on one cell the first to come), and each cannon does the same to all attackers in the column "
            "that it aims at, in its lane and those beside it. Attackers act in the order they came. A step leads one "
            "cell to the left; if a defender is there, the attacker bites it instead, and if a trap is there, it goes "
            f"off: {_BLAST} damage to all on that attacker's cell, and its own steps of the round end. New attackers "
            f"enter at >, where you cannot build. You then get {self.income} coins, and {_COINED} for each mint."
        )

    def _kinds(self) -> str:
        """Return what each kind of attacker does, in a line."""
        steps = {"walker": "1 step", "runner": "2 steps", "brute": "1 step in even rounds only"}
        steps["jumper"] = "1 step; once steps over a defender, but no trap, to the next cell if that has no defender"
        kinds = [f"{kind} ({each.health}, {each.bite}, {steps[kind]})" for kind, each in ATTACKERS.items()]
        return f"Kinds of attackers (health, damage of a bite, steps in a round): {', '.join(kinds[: self.kinds])}"

    def notation(self) -> str:
        costs = [f"{kind} ({each.cost} coins, health {each.health})" for kind, each in DEFENDERS.items()]
        return (
            f"A move is wait, or a defender and its cell, such as archer b1: {', '.join(costs)}; letters are columns, "
            "numbers lanes, and each move is a round"
        )

    def start(self, draw: Draw) -> Position:
        names = list(ATTACKERS)[: self.kinds]
        coming = []
        for number in range(self.attackers):
            # more and more of them: the square root of a number that is drawn evenly
            when = 1 + max(draw.below(self.rounds), draw.below(self.rounds)) if number else 1 + draw.below(3)
            coming.append((when, draw.below(self.lanes), draw.choice(names)))
        return Position(1, self.coins, (), (), tuple(sorted(coming)))

    def initial(self) -> Position:
        return self.start(Draw("lanes", "initial"))

    def turn(self, state: Position) -> int:
        return OVER if state.overrun or not (state.foes or state.coming) else 0

    def legal(self, state: Position) -> list[Move]:
        taken = {cell for cell, *_ in state.guards}
        free = [cell for cell in range(self.lanes * self.columns) if cell not in taken]
        return [WAIT, *((kind, cell) for kind, each in DEFENDERS.items() if each.cost <= state.coins for cell in free)]

    def apply(self, state: Position, move: Move) -> Position:
        guards = {cell: (kind, health) for cell, kind, health in state.guards}
        coins = state.coins
        if move[0] != "wait":
            coins -= DEFENDERS[move[0]].cost
            guards[move[1]] = move[0], DEFENDERS[move[0]].health
        foes = list(state.foes)
        for cell in sorted(guards):
            if guards[cell][0] in ("archer", "cannon") and foes:
                foes = self._shot(foes, cell, guards[cell][0] == "cannon")
        foes, overrun = self._advance(foes, guards, state.round)
        here = [each for each in state.coming if each[0] == state.round]
        foes += [Foe(lane, self.columns, kind, ATTACKERS[kind].health, kind == "jumper") for _, lane, kind in here]
        coins += self.income + _COINED * sum([kind == "mint" for kind, _ in guards.values()])
        came = len(state.foes) + len(here) - len(foes)
        kept = tuple([(cell, *guards[cell]) for cell in sorted(guards)])
        coming = state.coming[len(here) :]
        return Position(state.round + 1, coins, kept, tuple(foes), coming, state.destroyed + came, overrun)

    def _shot(self, foes: list[Foe], cell: int, wide: bool) -> list[Foe]:
        """Return the attackers after a shot from a cell."""
        lane, column = divmod(cell, self.columns)
        ahead = [foe for foe in foes if foe.lane == lane and foe.column >= column]
        if not ahead:
            return foes
        aim = min(ahead, key=lambda foe: foe.column)
        after = []
        for foe in foes:
            if foe is aim or (wide and foe.column == aim.column and abs(foe.lane - lane) <= 1):
                if foe.health <= SHOT:
                    continue
                foe = Foe(foe.lane, foe.column, foe.kind, foe.health - SHOT, foe.leaps)
            after.append(foe)
        return after

    def _advance(self, foes: list[Foe], guards: dict[int, tuple[str, int]], number: int) -> tuple[list[Foe], bool]:
        """Return the attackers after their steps, and whether one has left a lane; ``guards`` are bitten."""
        foes, overrun = list(foes), False
        for i in range(len(foes)):
            steps = ATTACKERS[foes[i].kind].steps
            for _ in range(steps // 2 if steps > 1 else 1 - number % 2):
                foe = foes[i]
                if foe.health <= 0:
                    break
                if not foe.column:
                    overrun = True
                    break
                ahead = foe.lane * self.columns + foe.column - 1
                if ahead not in guards:
                    foes[i] = Foe(foe.lane, foe.column - 1, foe.kind, foe.health, foe.leaps)
                elif guards[ahead][0] == "trap":
                    del guards[ahead]
                    foes = [
                        each._replace(health=each.health - _BLAST) if each[:2] == foe[:2] else each for each in foes
                    ]
                    break
                elif foe.leaps and foe.column > 1 and ahead - 1 not in guards:
                    foes[i] = foe._replace(column=foe.column - 2, leaps=False)
                else:
                    kind, health = guards[ahead]
                    health -= ATTACKERS[foe.kind].bite
                    if health > 0:
                        guards[ahead] = kind, health
                    else:
                        del guards[ahead]
        return [foe for foe in foes if foe.health > 0], overrun

    def returns(self, state: Position) -> tuple[float, ...]:
        return (float(not state.overrun and not state.foes and not state.coming),)

    def board(self, state: Position) -> str:
        return self._drawn(state, self.rounds)

    def view(self, state: Position, seat: int) -> str:
        return self._drawn(state, self.announced)

    def foreseen(self, state: Position) -> Position:
        """Return a position without the arrivals that are not announced yet."""
        return state._replace(coming=tuple([each for each in state.coming if each[0] < state.round + self.announced]))

    def _drawn(self, state: Position, ahead: int) -> str:
        guards = {cell: _SIGNS[kind] for cell, kind, _ in state.guards}
        signs = [guards.get(cell, ".") for cell in range(self.lanes * self.columns)]
        rows = [[*signs[i : i + self.columns], ">"] for i in range(0, len(signs), self.columns)]
        for foe in state.foes[::-1]:  # the one that came first is drawn
            if rows[foe.lane][foe.column] in ".>":
                rows[foe.lane][foe.column] = foe.kind[0]
        lines = [f"Round {state.round}. Coins: {state.coins}. Destroyed: {state.destroyed}."]
        letters, *body = cells.drawn(rows).split("\n")
        lines += [letters[:-2], *body]
        if state.guards:
            named = [
                f"{kind} {self._cell(cell)}{f' (health {health})' if health < DEFENDERS[kind].health else ''}"
                for cell, kind, health in state.guards
            ]
            lines.append(f"Defenders: {', '.join(named)}")
        lines.append(f"Attackers: {', '.join(map(self._foe, state.foes)) or 'none'}")
        return "\n".join([*lines, *self._told(state, ahead), self._kinds()])

    def _told(self, state: Position, ahead: int) -> list[str]:
        """Return what is known of the attackers to come."""
        if not state.coming:
            return ["No more attackers come."]
        named = [
            f"round {when} {kind} in lane {lane + 1}" for when, lane, kind in state.coming if when < state.round + ahead
        ]
        last = f"rounds {state.round} to {state.round + ahead - 1}"
        later = Counter(kind for when, _, kind in state.coming if when >= state.round + ahead)
        lines = [f"Arriving in {last}: {', '.join(named) or 'none'}"] if ahead else []
        if later:
            counts = ", ".join(
                f"{later[kind]} {kind}{'s' if later[kind] > 1 else ''}" for kind in ATTACKERS if later[kind]
            )
            lines.append(f"Later, up to round {state.coming[-1][0]}: {counts}")
        return lines

    def _cell(self, cell: int) -> str:
        return cells.name(*divmod(cell, self.columns))

    def _foe(self, foe: Foe) -> str:
        where = cells.name(foe.lane, foe.column) if foe.column < self.columns else f"entry of lane {foe.lane + 1}"
        leapt = ", has jumped" if foe.kind == "jumper" and not foe.leaps else ""
        return f"{foe.kind} on {where} (health {foe.health}{leapt})"

    def write(self, state: Position, move: Move) -> str:
        return "wait" if move[0] == "wait" else f"{move[0]} {self._cell(move[1])}"

    def parse(self, state: Position, text: str, seat: int | None = None) -> Move | None:
        words = text[:40].lower().rstrip(". ").split()
        if len(text) > 40 or words == ["wait"]:
            return WAIT if words == ["wait"] and len(text) <= 40 else None
        if len(words) != 2 or words[0] not in DEFENDERS or DEFENDERS[words[0]].cost > state.coins:
            return None
        cell = cells.named(self.lanes, self.columns).get(words[1])
        return None if cell is None or any(each[0] == cell for each in state.guards) else (words[0], cell)
