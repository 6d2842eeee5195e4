"""Werewolf: hidden wolves, a seer and villagers speak in set phrases, and vote one of them out each day.

Source: Davidoff's Mafia of 1986 in Plotkin's form of 1997; for language agents, Xu et al., "Exploring large language
models for communication games" (arXiv 2309.04658).
"""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.worlds.games.game import OVER, Game

__all__ = ["Awake", "Move", "Position", "Werewolf"]

Move = tuple[str, int]
"""A verb and the seat that it is about, or -1."""
_ROLES = {"w": "a wolf", "s": "the seer", "v": "a villager"}
_SPEECH = ("accuse", "trust", "wolf", "good")
_NOW = {
    "night": "It is night {}.",
    "talk": "It is day {}, and the players speak.",
    "vote": "It is day {}, and the players vote.",
}


class Position(NamedTuple):
    """Roles (w, s, v), who is alive, the day and phase, what was chosen in it, and what has happened.

    ``events`` holds (day, phase, seat, move) of all days; a death has the phase "killed" or "out".
    """

    roles: str
    alive: tuple[bool, ...]
    day: int = 1
    phase: str = "night"
    chosen: tuple[tuple[int, Move], ...] = ()
    events: tuple[tuple[int, str, int, Move], ...] = ()


@dataclass(frozen=True)
class Werewolf(Game[Position, Move]):
    """Night, talk and vote follow each other. Each seat that is alive makes a move in each, so that turns tell nothing.

    The winning side gets 1 each, the other -1.
    """

    seats: Annotated[int, Range(4, 12)] = 6
    wolves: Annotated[int, Range(1, 4)] = 1
    seer: bool = True

    names = tuple(f"Player {number}" for number in range(1, 13))
    draws = False
    zero_sum = False
    hidden = True

    def __post_init__(self) -> None:
        if 2 * self.wolves + 2 > self.seats:
            raise SettingsError(f"wolves is {self.wolves}; {self.seats} players have at most {self.seats // 2 - 1}")

    def rules(self) -> str:
        wolves = "one wolf" if self.wolves == 1 else f"{self.wolves} wolves, who know each other"
        seer = ", a seer" if self.seer else ""
        checks = " and the seer learns whether a player is a wolf" if self.seer else ""
        return (
            f"Werewolf for {self.seats} players: {wolves}{seer} and villagers. Every night the wolves kill a player "
            f"(the last wolf's choice counts){checks}; others sleep. Every day each player says one thing: accuse 3, "
            "trust 3, wolf 3 or good 3 (which claims to be the seer and to have learned it), or quiet. True or not is "
            "up to them. Then all vote, unseen until all have; most votes put a player out, equal numbers nobody. "
            "Roles are shown on leaving. The village wins once no wolf is left; the wolves win once they are as many "
            "as the others."
        )

    def notation(self) -> str:
        return (
            "A move is a word and the number of a player: kill 3, check 3, accuse 3, vote 3, or sleep, quiet, abstain"
        )

    def start(self, draw: Draw) -> Position:
        roles = "w" * self.wolves + "s" * self.seer
        return Position("".join(draw.shuffled(roles.ljust(self.seats, "v"))), (True,) * self.seats)

    def initial(self) -> Position:
        return self.start(Draw("werewolf"))

    def turn(self, state: Position) -> int:
        if not state.chosen:
            living = [role for alive, role in zip(state.alive, state.roles, strict=True) if alive]
            wolves = living.count("w")
            if not wolves or 2 * wolves >= len(living):
                return OVER
        seat = (state.chosen[-1][0] + 1 if state.chosen else state.day) % self.seats
        while not self.acts(state, seat):
            seat = (seat + 1) % self.seats
        return seat

    def acts(self, state: Position, seat: int) -> bool:
        """Return whether a seat makes a move in this phase."""
        return state.alive[seat]

    def legal(self, state: Position) -> list[Move]:
        seat = self.turn(state)
        others = [other for other, alive in enumerate(state.alive) if alive and other != seat]
        if state.phase == "talk":
            return [("quiet", -1), *((verb, other) for verb in _SPEECH for other in others)]
        if state.phase == "vote":
            return [*(("vote", other) for other in others), ("abstain", -1)]
        if state.roles[seat] == "w":
            return [("kill", other) for other in others if state.roles[other] != "w"]
        return [("check", other) for other in others] if state.roles[seat] == "s" else [("sleep", -1)]

    def apply(self, state: Position, move: Move) -> Position:
        seat = self.turn(state)
        chosen = (*state.chosen, (seat, move))
        events = (*state.events, (state.day, state.phase, seat, move))
        if len(chosen) < sum([self.acts(state, other) for other in range(self.seats)]):
            return state._replace(chosen=chosen, events=events)
        if state.phase == "talk":
            return state._replace(phase="vote", chosen=(), events=events)
        if state.phase == "night":
            gone = [other for _, (verb, other) in chosen if verb == "kill"][-1]
            return self._left(state._replace(phase="talk", chosen=(), events=events), gone, "killed", state.day)
        votes = Counter(other for _, (verb, other) in chosen if verb == "vote").most_common(2)
        state = state._replace(phase="night", day=state.day + 1, chosen=(), events=events)
        if votes and (len(votes) == 1 or votes[0][1] > votes[1][1]):
            return self._left(state, votes[0][0], "out", state.day - 1)
        return state

    def _left(self, state: Position, gone: int, how: str, day: int) -> Position:
        alive = tuple(a and seat != gone for seat, a in enumerate(state.alive))
        return state._replace(alive=alive, events=(*state.events, (day, how, gone, ("", -1))))

    def returns(self, state: Position) -> tuple[float, ...]:
        village = not any(a and r == "w" for a, r in zip(state.alive, state.roles, strict=True))
        return tuple(1.0 if (role != "w") == village else -1.0 for role in state.roles)

    def open_events(self, state: Position, seat: int) -> list[tuple[int, str, int, Move]]:
        """Return what a seat knows to have happened: its own and its pack's nights, and no vote that goes on."""
        wolf = state.roles[seat] == "w"
        return [
            event
            for event in state.events
            if (event[1] != "night" or event[2] == seat or (wolf and state.roles[event[2]] == "w"))
            and (event[1] != "vote" or event[2] == seat or state.phase != "vote" or event[0] != state.day)
        ]

    def board(self, state: Position) -> str:
        roles = ", ".join(f"{self.names[s]} is {_ROLES[r]}" for s, r in enumerate(state.roles))
        return "\n".join([f"{roles}.", *self._told(state, list(state.events))])

    def view(self, state: Position, seat: int) -> str:
        role = state.roles[seat]
        rows = [f"You are {_ROLES[role]}."]
        if role == "w" and self.wolves > 1:
            pack = [self.names[s] for s, r in enumerate(state.roles) if r == "w" and s != seat]
            rows = [f"You are a wolf; so {'is' if len(pack) == 1 else 'are'} {' and '.join(pack)}."]
        return "\n".join([*rows, *self._told(state, self.open_events(state, seat))])

    def occasion(self, state: Position, seat: int) -> tuple[int, int]:
        return state.day, seat

    def _told(self, state: Position, events: list[tuple[int, str, int, Move]]) -> list[str]:
        rows: list[str] = []
        label = {"night": "Night", "talk": "Day", "vote": "Vote"}
        last: tuple[int, str] | None = None
        for day, phase, seat, (verb, other) in events:
            name = self.names[seat]
            if phase in ("killed", "out"):
                how = "was killed in the night" if phase == "killed" else "was voted out"
                rows.append(f"{name} {how}; {name} was {_ROLES[state.roles[seat]]}.")
                last = None
                continue
            learned = f" ({'a wolf' if state.roles[other] == 'w' else 'no wolf'})" if verb == "check" else ""
            text = f"{name}: {verb}{f' {other + 1}' if other >= 0 else ''}{learned}"
            if last == (day, phase):
                rows[-1] += f"; {text}"
            else:
                rows.append(f"{label[phase]} {day}: {text}")
            last = (day, phase)
        alive = ", ".join(str(s + 1) for s, a in enumerate(state.alive) if a)
        now = "" if self.turn(state) == OVER else f" {_NOW[state.phase].format(state.day)}"
        return [*rows, f"Alive: players {alive}.{now}"]

    def write(self, state: Position, move: Move) -> str:
        return f"{move[0]} {move[1] + 1}" if move[1] >= 0 else move[0]


@dataclass(frozen=True)
class Awake(Werewolf):
    """Werewolf without moves of those who sleep, for a seat among scripted players, whom turns tell nothing."""

    def acts(self, state: Position, seat: int) -> bool:
        return state.alive[seat] and (state.phase != "night" or state.roles[seat] != "v")
