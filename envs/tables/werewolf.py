"""Werewolf: help the village, in the middle of a game, to vote out all wolves, by what was said, voted and shown.

Sources: Davidoff's Mafia of 1986 in Plotkin's form of 1997; for language agents, Xu et al., "Exploring large language
models for communication games" (arXiv 2309.04658).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.tables._points import Task, company_of
from turnwise.envs.tables._seat import Seat
from turnwise.envs.tables._share import act
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.hidden.werewolf import Awake as Game
from turnwise.worlds.games.players.guides.suspicion import Believer, Follower, Informed
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.villagers import HABITS

_JUDGE = ("", " They judge the others by claims to be the seer and by whom others accuse on the same day.")
_HOW = (*_JUDGE, f"{_JUDGE[1][:-1]}, and by how others spoke and voted about those whose roles are shown.")


@register("Werewolf-v0")
class Werewolf(Seat):
    """Win a game of Werewolf for the village that has gone on for some days; reward 1 if the village wins.

    The others are scripted and keep to habits that the first message tells, so that much of who is a wolf follows from
    what was said, voted and shown. A player who knows all roles is known to win every task. Saying nothing and several
    games of random moves lose it. Roles are hidden, so that the best play does not win every task.

    Chance is how often random speech and votes are on the side that wins: the others play on, and now and then vote out
    the wolves without the agent's help, or with the help of a vote that happens to be right. Tasks in which that is
    likely are refused, as one of the random games that are tried would win; what is left is at most a few per cent.
    """

    seats: Annotated[int, Range(6, 12)] = 10
    """Players, the agent among them."""
    wolves: Annotated[int, Range(1, 4)] = 3
    """Wolves among them at the start."""
    role: Literal["villager", "seer"] = "villager"
    """The agent's role."""
    opening: Annotated[int, Range(0, 4)] = 2
    """Days that are over before the agent takes over."""
    unled: bool = False
    """Whether only games are played that are lost by whoever follows the others' accusations or the latest claim."""
    others = "heuristic:2"
    max_turns = 30

    draws, tries, easy, same = 400, 4, 16, ("quiet",)

    levels = tuple(
        {"seats": n, "wolves": w, "opening": d, "unled": u, "max_turns": 3 * n}
        for n, w, d, u in [
            (8, 2, 2, False), (9, 2, 2, False), (10, 3, 2, False), (10, 3, 2, True), (11, 3, 2, True),
            (12, 3, 1, True), (11, 3, 1, True), (10, 3, 1, True), (12, 4, 1, True), (12, 4, 2, True),
        ]
    )  # fmt: skip

    chance = (0.047, 0.045, 0.02, 0.007, 0.01, 0.022, 0.02, 0.005, 0.015, 0.008)
    chance_default = 0.02

    def check(self) -> None:
        super().check()
        self.rules()
        if 2 * self.opening + 2 * self.wolves > self.seats:
            raise SettingsError(
                f"opening is {self.opening}; with {self.seats} players and {self.wolves} wolves the game can be over "
                f"after {self.seats // 2 - self.wolves} days"
            )

    def rules(self) -> Game:
        return Game(self.seats, self.wolves)

    def placed(self, task: Task, draw: Draw) -> Task:
        """Let the others play the days of the opening; the agent takes the seat of one who is still alive."""
        game, state, players = task.game, task.state, company_of(task).players
        while (turn := game.turn(state)) != OVER and (state.day, state.phase) < (self.opening + 1, "talk"):
            state = game.apply(state, players[turn].act(state, turn))
        mine = [
            seat
            for seat, alive in enumerate(state.alive)
            if alive and state.roles[seat] == self.role[0] and self.place in (0, seat + 1)
        ]
        if not mine or turn == OVER:
            return replace(task, state=state._replace(alive=(False,) * game.seats))
        task = replace(task, state=state, seat=draw.choice(mine))
        return replace(task, state=company_of(task).until_turn(state))

    def guides(self, task: Task) -> tuple[Player, ...]:
        return (Informed(task.game), Informed(task.game, first=1), Informed(task.game, verb="wolf"))

    def plain(self, task: Task) -> list[Callable[[Any], Any]]:
        led = (Follower(task.game), Believer(task.game)) if self.unled else ()
        return [*super().plain(task), *(partial(act, player, task.seat) for player in led)]

    def known(self) -> str:
        kind, _, skill = self.others.partition(":")
        if kind == "random":
            return "The other players do anything that they may do."
        return f"The other players keep to this: {HABITS}{_HOW[int(skill) - 1]}"

    def aim(self) -> str:
        days = {0: "has just begun", 1: "has gone on for one day"}.get(
            self.opening, f"has gone on for {self.opening} days"
        )
        return (
            f"Win this game of Werewolf for the village, whether you are still alive at its end or not. It {days}, in "
            "which your player did as the others do."
        )

    def result(self, got: float) -> str:
        return f"The {'village' if got > 0 else 'wolves'} won."
