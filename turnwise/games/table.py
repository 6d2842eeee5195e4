"""A game in play, in text: what each seat sees, which moves it has, what it is paid in the end."""

import copy
from functools import lru_cache
from importlib import import_module
from typing import Any, Self

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError, UsageError
from turnwise.core.settings import check, check_all, check_names, settings_of
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game
from turnwise.worlds.games.ladders import ladder_of

__all__ = ["Table", "make", "names", "opponents"]

_GAMES = {  # the modules of turnwise.worlds.games that hold them
    "Auction": "hidden.auction",
    "Battleship": "hidden.battleship",
    "Blackjack": "hidden.blackjack",
    "Breakthrough": "breakthrough",
    "Checkers": "checkers",
    "Chess": "chess",
    "CircleTheCat": "solo.circle_the_cat",
    "Clues": "hidden.clues",
    "ConnectFour": "connect_four",
    "DotsAndBoxes": "dots_and_boxes",
    "FreeCell": "solo.freecell",
    "Game2048": "solo.game_2048",
    "Generated": "generated.game",
    "Go": "go",
    "Hanabi": "hidden.hanabi",
    "Hangman": "solo.hangman",
    "Hex": "hex",
    "Holdem": "hidden.holdem",
    "Kitchen": "hidden.kitchen",
    "Kuhn": "hidden.kuhn",
    "LaneDefence": "solo.lane_defence",
    "Leduc": "hidden.leduc",
    "LiarsDice": "hidden.liars_dice",
    "LightsOut": "solo.lights_out",
    "Match3": "solo.match3",
    "Matrix": "hidden.matrix",
    "Minesweeper": "solo.minesweeper",
    "NPoint": "hidden.n_point",
    "Negotiation": "hidden.negotiation",
    "Nim": "nim",
    "Othello": "othello",
    "PegSolitaire": "solo.peg_solitaire",
    "Pig": "pig",
    "Planned2048": "solo.planned_2048",
    "Platformer": "solo.platformer",
    "Secretary": "solo.secretary",
    "Snake": "solo.snake",
    "Tetris": "solo.tetris",
    "TicTacToe": "tic_tac_toe",
    "Ultimate": "ultimate",
    "Werewolf": "hidden.werewolf",
}


def names() -> tuple[str, ...]:
    """Return the names of the games that `make` knows."""
    return tuple(_GAMES)


def opponents(name: str) -> tuple[str, ...]:
    """Return the players that a game's seats can be given to, from the weakest to the strongest.

    They are the ones whose order was measured (docs/games.md has the tables); () if a game has none.
    """
    return ladder_of(_game(name, None))


def make(name: str, players: int | None = None, seed: int = 0, **settings: Any) -> "Table":
    """Open a table for a game: ``make("Hanabi", players=3, seed=7, lives=2)``.

    Args:
        name: One of `names`.
        players: The number of seats, where the game leaves a choice.
        seed: Decides everything that is drawn: cards, dice, fleets.
        settings: Those of the game, which the class of its rules names.

    Raises:
        SettingsError: A name or a value is not accepted.
    """
    settings = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    plain = all(isinstance(value, (int, float, str)) for value in settings.values())  # others may lack a hash
    return Table((_game if plain else _game.__wrapped__)(name, players, **settings), seed)


@lru_cache(maxsize=256, typed=True)
def _game(name: str, players: int | None, **settings: Any) -> Game[Any, Any]:
    """Return the rules that `make` is asked for. They never change, so tables share them and what they remember."""
    check_names("game", [name], _GAMES)
    rules = getattr(import_module(f"turnwise.worlds.games.{_GAMES[name]}"), name)
    known = {setting.name: setting for setting in settings_of(rules)}
    if players is not None and "seats" in known:
        check("players", players, known["seats"])
        settings["seats"] = players
    elif players not in (None, rules.seats):
        raise SettingsError(f"players is {players!r}; {name} has {rules.seats} seats")
    check_names(f"setting of {name}", settings, known)
    game: Game[Any, Any] = rules(**settings)
    check_all(game)
    return game


class Table:
    """A game in play. What is drawn depends on the seed and the moves made so far, nothing else.

    Attributes:
        game: The rules.
        seats: The number of seats.
        seed: Decides what is drawn.
    """

    def __init__(self, game: Game[Any, Any], seed: int = 0) -> None:
        self.game, self.seed = game, seed
        self.seats = game.seats
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin again, with another seed if one is given."""
        self.seed = self.seed if seed is None else seed
        drawn = type(self.game).start is not Game.start  # most games begin with nothing drawn, which is quicker
        self.state = self.game.start(Draw.brief("table", self.game, self.seed)) if drawn else self.game.initial()
        self._made = 0  # moves, those of chance among them
        self._chosen: dict[int, Any] = {}  # where all move at the same time: by those who have moved
        self._chance()

    @property
    def state(self) -> Any:
        """The position, with everything that is hidden."""
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state, self._turn = state, self.game.turn(state)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._turn == OVER

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats whose move is awaited: one, several if they move at the same time, or none."""
        if self._turn == ALL:
            return tuple(seat for seat in range(self.seats) if seat not in self._chosen)
        return (self._turn,) if self._turn >= 0 else ()

    @property
    def returns(self) -> tuple[float, ...]:
        """What each seat gets; nothing before the end.

        Raises:
            UsageError: The game is not over.
        """
        if not self.over:
            raise UsageError("the game is not over; `over` says when it is")
        return self.game.returns(self.state)

    def rules(self) -> str:
        """Explain how the game is played and how a move is written."""
        return f"{self.game.rules()}\n\n{self.game.notation()}."

    def observe(self, seat: int) -> str:
        """Describe the game as a seat sees it."""
        if seat == self._turn >= 0:
            return f"You are {self.game.names[seat]}. It is your turn.\n{self.game.view(self._state, seat)}"
        self._check(seat)
        if seat in self.to_move:
            whose = "It is your turn."
        elif self.over:
            whose = f"The game is over. You get {self.returns[seat]:g}."
        elif seat in self._chosen:
            whose = "You have chosen; others have not."
        else:
            whose = f"It is the turn of {self.game.names[self.to_move[0]]}."
        return f"You are {self.game.names[seat]}. {whose}\n{self.game.view(self._state, seat)}"

    def legal(self, seat: int) -> list[str]:
        """Return the moves that a seat has now, in writing; none if it is not to move."""
        self._check(seat)
        if seat not in self.to_move:
            return []
        return [self.game.write(self.state, move) for move in self.game.moves(self.state, seat)]

    def play(self, seat: int, text: str) -> bool:
        """Make the move of a seat; return whether the text is a legal one. If it is not, nothing changes.

        Raises:
            UsageError: The seat is not to move.
        """
        if seat != self._turn or seat < 0:
            self._check(seat)
            if seat not in self.to_move:
                raise UsageError(f"seat {seat} is not to move; `to_move` is {self.to_move}")
        move = self.game.parse(self._state, text, seat if self._turn == ALL else None)
        if move is None:
            return False
        if self._turn == ALL:
            self._chosen[seat] = move
            if len(self._chosen) < self.seats:
                return True
            move = tuple(self._chosen[other] for other in range(self.seats))
            self._chosen = {}
        self._apply(move)
        if self._turn == CHANCE:
            self._chance()
        return True

    def fork(self) -> Self:
        """Return a copy that goes on by itself; with the same moves it draws the same."""
        twin = copy.copy(self)
        twin._chosen = dict(self._chosen)
        return twin

    def _check(self, seat: int) -> None:
        if not 0 <= seat < self.seats:
            raise UsageError(f"seat is {seat}; it must be from 0 to {self.seats - 1}")

    def _apply(self, move: Any) -> None:
        self._state = self.game.apply(self._state, move)
        self._turn = self.game.turn(self._state)
        self._made += 1

    def _chance(self) -> None:
        """Let chance move as long as it is its turn."""
        while self._turn == CHANCE:
            draw = Draw.brief("chance", self.seed, self._made)
            self._apply(draw.weighted(self.game.legal(self._state), self.game.odds(self._state)))
