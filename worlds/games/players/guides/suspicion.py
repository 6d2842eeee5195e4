"""Players of Werewolf, on the village's side, who say and vote whom they suspect: by counting what is possible, or not.

All but `Informed` see no more than their seat does.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from turnwise.worlds.games.hidden.werewolf import Position, Werewolf
from turnwise.worlds.games.players.player import Player

__all__ = ["Believer", "Counting", "Follower", "Informed", "Suspicious", "assignments"]

_CLAIMS = ("wolf", "good")


def assignments(game: Werewolf, state: Position, seat: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield which living seats can be wolves together, and who is the seer then (-1: there is none).

    Possible is what agrees with all that a seat of the village sees, if all others keep to their habits: wolves spare
    each other, only the seer and wolves claim, and the seer does not lie.
    """
    known = {s: state.roles[s] for s in range(game.seats) if s == seat or not state.alive[s]}
    hostile: set[tuple[int, int]] = set()
    claims = []
    good = set()
    for *_, who, (verb, other) in game.open_events(state, seat):
        if verb == "check":
            if state.roles[other] == "w":
                known[other] = "w"
            else:
                good.add(other)
        elif who != seat and verb in ("accuse", "vote", "wolf"):
            hostile |= {(who, other), (other, who)}
        if who != seat and verb in _CLAIMS:
            claims.append((who, verb == "wolf", other))
    shown = [s for s, role in known.items() if role == "w"]
    open_seats = [s for s in range(game.seats) if s not in known]
    able = [s for s in open_seats if s not in good and not any((s, wolf) in hostile for wolf in shown)]
    claimed = {who for who, *_ in claims}
    sure = [s for s, role in known.items() if role == "s"] or ([] if game.seer else [-1])
    for rest in combinations(able, game.wolves - len(shown)):
        if any(pair in hostile for pair in combinations(rest, 2)):
            continue
        wolves = {*rest, *shown}
        liars = claimed - wolves
        if len(liars) > 1:
            continue
        for seer in sure or [s for s in open_seats if s not in wolves]:
            true = all((other in wolves) == wolf for who, wolf, other in claims if who == seer)
            if true and liars <= {seer}:
                yield tuple(s for s in sorted(wolves) if state.alive[s]), seer


@dataclass(frozen=True)
class Suspicious(Player):
    """Accuses one player in each talk and votes for the same one; which, is for a subclass to say.

    Attributes:
        verb: The word of the accusation, "accuse" or "wolf".
    """

    verb: str = "accuse"

    def choose(self, state: Any) -> Any:
        return self.act(state, self.game.turn(state))

    def act(self, state: Any, seat: int) -> Any:
        others = [s for s, alive in enumerate(state.alive) if alive and s != seat]
        marks = self.marks(state, seat)
        worst = max(others, key=lambda other: marks.get(other, 0.0))
        if state.phase == "night":
            checked = {event[3][1] for event in state.events if event[2] == seat and event[3][0] == "check"}
            fresh = [other for other in others if other not in checked] or others
            return "check", max(fresh, key=lambda other: marks.get(other, 0.0))
        if state.phase == "vote":
            return "vote", worst
        caught = state.roles[seat] == "s" and any(e[2] == seat and e[3] == ("check", worst) for e in state.events)
        return "wolf" if caught and state.roles[worst] == "w" else self.verb, worst

    def marks(self, state: Position, seat: int) -> dict[int, float]:
        """Return how much each other living seat is suspected; 0 where one is missing."""
        raise NotImplementedError(f"{type(self).__name__} must define marks()")


class Counting(Suspicious):
    """Suspects who is a wolf in most of the `assignments`."""

    def marks(self, state: Position, seat: int) -> dict[int, float]:
        assert isinstance(self.game, Werewolf)
        return dict(Counter(wolf for wolves, _ in assignments(self.game, state, seat) for wolf in wolves))


class Follower(Suspicious):
    """Suspects whom most have spoken or voted against since the last vote began."""

    def marks(self, state: Position, seat: int) -> dict[int, float]:
        assert isinstance(self.game, Werewolf)
        said = [(e[0], e[1], e[3]) for e in self.game.open_events(state, seat) if e[2] != seat]
        recent = [
            other
            for day, phase, (verb, other) in said
            if verb in ("accuse", "wolf", "vote") and (day == state.day or (day == state.day - 1 and phase == "vote"))
        ]
        return dict(Counter(recent))


class Believer(Suspicious):
    """Suspects who was called a wolf last by somebody who claims to be the seer."""

    def marks(self, state: Position, seat: int) -> dict[int, float]:
        assert isinstance(self.game, Werewolf)
        called = [e[3][1] for e in self.game.open_events(state, seat) if e[2] != seat and e[3][0] == "wolf"]
        return {other: float(number) for number, other in enumerate(called, 1)}


@dataclass(frozen=True)
class Informed(Suspicious):
    """Knows all roles and speaks against the wolves, in their order from one of them on.

    Attributes:
        first: The number of the living wolf who is accused first.
    """

    first: int = 0

    def marks(self, state: Position, seat: int) -> dict[int, float]:
        wolves = [s for s, alive in enumerate(state.alive) if alive and state.roles[s] == "w"]
        return {wolves[self.first % len(wolves)]: 1.0}
