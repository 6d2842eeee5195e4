"""Every game in a few sizes and variants, for tests."""

from typing import Any

from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.checkers import Checkers
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import Game
from turnwise.worlds.games.generated.library import shipped
from turnwise.worlds.games.go import Go
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.hidden.auction import Auction
from turnwise.worlds.games.hidden.battleship import Battleship
from turnwise.worlds.games.hidden.blackjack import Blackjack
from turnwise.worlds.games.hidden.clues import Clues
from turnwise.worlds.games.hidden.encounters import Encounters
from turnwise.worlds.games.hidden.hanabi import Hanabi
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.hidden.holdem import Holdem
from turnwise.worlds.games.hidden.kitchen import Kitchen
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.hidden.liars_dice import LiarsDice
from turnwise.worlds.games.hidden.matrix import TABLES, Matrix
from turnwise.worlds.games.hidden.n_point import NPoint
from turnwise.worlds.games.hidden.negotiation import Negotiation
from turnwise.worlds.games.hidden.shoe import Shoe
from turnwise.worlds.games.hidden.werewolf import Werewolf
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.pig import Pig
from turnwise.worlds.games.solo.circle_the_cat import CircleTheCat
from turnwise.worlds.games.solo.freecell import FreeCell
from turnwise.worlds.games.solo.game_2048 import Game2048
from turnwise.worlds.games.solo.hangman import Hangman
from turnwise.worlds.games.solo.lane_defence import LaneDefence
from turnwise.worlds.games.solo.lights_out import LightsOut
from turnwise.worlds.games.solo.match3 import Match3
from turnwise.worlds.games.solo.minesweeper import Minesweeper
from turnwise.worlds.games.solo.peg_solitaire import PegSolitaire
from turnwise.worlds.games.solo.planned_2048 import Planned2048
from turnwise.worlds.games.solo.platformer import Platformer
from turnwise.worlds.games.solo.secretary import Secretary
from turnwise.worlds.games.solo.snake import Snake
from turnwise.worlds.games.solo.tetris import Tetris
from turnwise.worlds.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.ultimate import Ultimate

GAMES: tuple[Game[Any, Any], ...] = (
    TicTacToe(), TicTacToe(misere=True), TicTacToe(wild=True), TicTacToe(5, 4, 4), Ultimate(),
    ConnectFour(), ConnectFour(4, 5, 3), Nim(), Nim(misere=True, count=4), Nim(heaps=(21,), most=3),
    Othello(), Othello(4), Othello(6), Breakthrough(), Breakthrough(5, 4), Breakthrough(4, 3),
    DotsAndBoxes(), DotsAndBoxes(2, 3), Hex(), Hex(3, swap=True), Checkers(), Checkers(6, 2), Go(), Go(3, 4.0),
    Kuhn(), Leduc(), Hands(count=5), Hands(Leduc(), 4),
    LiarsDice(dice=3), LiarsDice(3, 2, wild=1), LiarsDice(dice=2, rounds=False), Pig(goal=40),
    Pig(3, 20, 10), Blackjack(), Blackjack(3, 2), Shoe(), Shoe(1, 5, 20),
    Battleship(), Battleship(5, (3, 2), placed=False), Hanabi(),
    Hanabi(4), Hanabi(3, 2, 4, 3, 1), *(Matrix(table) for table in TABLES), Encounters("trust", 4, 3),
    Negotiation(), Negotiation(4, 2),
    Game2048(3, 128), Game2048(2, 64), LightsOut(most=12), LightsOut(3, 2, 1, most=5), PegSolitaire(),
    PegSolitaire("english", pegs=20), Minesweeper(), Minesweeper(4, 7, 5, guessing=True),
    Kitchen(), Kitchen(4, 7, 2, 60, "divided", 1, 2),
    Holdem(hands=3), Holdem(4, 2, 20, fixed=False), Holdem(hands=3, ranks=4, suits=3), Clues(), Clues(9, 8, 3, 5),
    NPoint(), NPoint(3, 30, 30),
    Werewolf(), Werewolf(9, 2), Auction(), Auction(4, 3, "second", money=80), Auction(3, 4, "common"),
    Snake(), Snake(5, 7, 3, 8, 60), Tetris(), Tetris(5, 4, 20, 3, 2),
    Platformer(most=40), Platformer(40, 2, 2, 2, 2, most=60), Hangman(), Hangman(7, 12),
    CircleTheCat(), CircleTheCat(6, 3), Planned2048(), Planned2048(2, 32, 40, 3),
    FreeCell(most=40), FreeCell(2, 5, 3, 1, 60), Match3(swaps=12, goal=60), Match3(3, 6, 3, 1),
    Secretary("ranks", 5, 2, 3), Secretary("unknown", 6, 1, 3), Secretary("values", 4, 1, 3, 2),
    Secretary("costs", 5, 2, 2, 150, 5), LaneDefence(), LaneDefence(2, 5, 6, 4, 8, 3, 150, 30),
    *(each.game for each in shipped()[::30]),
)  # fmt: skip
