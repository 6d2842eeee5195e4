"""LiarsDice: bid on the dice under all cups, doubt, and be the last with dice, against an opponent.

Source: the family of Dudo and Perudo; for language agents, TextArena (arXiv 2504.11442).
"""

from typing import Annotated, Any

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.games._match import Match
from turnwise.worlds.games.game import CHANCE, OVER
from turnwise.worlds.games.game import Game as Rules
from turnwise.worlds.games.hidden.liars_dice import LiarsDice as Game
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.player import Player
from turnwise.worlds.games.players.seer import Seer


@register("LiarsDice-v0")
class LiarsDice(Match):
    """Win Liar's Dice against an opponent who sees only its own dice; reward 1 for a win.

    Dice are drawn, so that the best play does not win every task: a player that sees all dice does.
    """

    dice: Annotated[int, Range(2, 10)] = 4
    """Dice of each player at the start."""
    sides: Annotated[int, Range(4, 10)] = 6
    """Sides of a die."""
    wild: Annotated[int, Range(0, 10)] = 0
    """A face that counts as every face; 0 for none."""
    opponent = "heuristic:2"
    opening = 1
    """Rounds that are over before the agent takes over."""
    max_turns = 60

    levels = tuple(
        {"dice": d, "opponent": f"heuristic:{k}", "wild": w, "max_turns": 20 * d}
        for d, k, w in [
            (3, 1, 0), (4, 1, 0), (5, 1, 0), (3, 2, 0), (4, 2, 0), (5, 2, 1), (3, 3, 0),
            (4, 3, 0), (5, 3, 1), (6, 3, 1),
        ]
    )  # fmt: skip

    chance = (0.01, 0.0, 0.0, 0.015, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0)
    chance_default = 0.0

    def check(self) -> None:
        super().check()
        if self.wild > self.sides:
            raise SettingsError(f"wild is {self.wild}; it must be a face of {self.sides}, or 0")
        if self.opening >= self.dice:
            raise SettingsError(f"opening is {self.opening}; it must be less than the {self.dice} dice")

    def rules(self) -> Game:
        return Game(2, self.dice, self.sides, self.wild)

    def example(self, game: Rules[Any, Any]) -> str:
        return "2x3"

    def position(self, game: Rules[Any, Any], seat: int, draw: Draw) -> Any:
        """Return a position in which a seat is to move after some rounds between two cautious players."""
        state = game.start(draw)
        players = [make_player("heuristic:1", game, draw.below(2**30)) for _ in range(2)]
        while (turn := game.turn(state)) != OVER and (state.number < self.opening or turn != seat):
            if turn == CHANCE:
                state = game.apply(state, draw.choice(game.legal(state)))
            else:
                state = game.apply(state, players[turn].choose(state))
        return state

    def scouts(self, game: Rules[Any, Any]) -> tuple[Player, ...]:
        return (Seer(game),)
