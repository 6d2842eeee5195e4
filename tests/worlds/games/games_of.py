"""Every game in a few sizes and variants, for tests."""

from typing import Any

from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.kuhn import Kuhn
from turnwise.worlds.games.leduc import Leduc
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.ultimate import Ultimate

GAMES: tuple[Game[Any, Any], ...] = (
    TicTacToe(), TicTacToe(misere=True), TicTacToe(wild=True), TicTacToe(5, 4, 4), Ultimate(),
    ConnectFour(), ConnectFour(4, 5, 3), Nim(), Nim(misere=True, count=4), Nim(heaps=(21,), most=3),
    Othello(), Othello(4), Othello(6), Breakthrough(), Breakthrough(5, 4), Breakthrough(4, 3),
    DotsAndBoxes(), DotsAndBoxes(2, 3), Hex(), Hex(3, swap=True), Kuhn(), Leduc(),
)  # fmt: skip
