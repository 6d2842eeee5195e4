"""Random games move by move against OpenSpiel's rules: legal moves, whose turn, the end and its returns."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.cells import name
from turnwise.worlds.games.checkers import Checkers
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.hidden.blackjack import Blackjack
from turnwise.worlds.games.hidden.hanabi import Hanabi, Move
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.hidden.liars_dice import LIAR, LiarsDice
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import PASS, Othello
from turnwise.worlds.games.pig import Pig
from turnwise.worlds.games.tic_tac_toe import TicTacToe
from turnwise.worlds.games.ultimate import Ultimate

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")

# Each function writes our move as OpenSpiel's actions: several where it moves in steps.
Actions = Callable[[Any, Any], tuple[int, ...]]


def same(state: Any, move: Any) -> tuple[int, ...]:
    return (move,)


def unused(state: Any, move: Any) -> tuple[int, ...]:
    """A card of the rank that is not dealt yet; hit and stand are 0 and 1."""
    if isinstance(move, str):
        return (("hit", "stand").index(move),)
    return (13 * [card for hand in (*state.hands, state.dealer) for card in hand].count(move) + move,)


def dice(state: Any, move: Any) -> tuple[int, ...]:
    if isinstance(move, int):
        return (move - 1,)
    return (12,) if move == LIAR else ((move[0] - 1) * 6 + move[1] - 1,)


def jumps(state: Any, move: Any) -> tuple[str, ...]:
    cells = [name(*divmod(cell, 8)) for cell in move]
    return tuple(a + b for a, b in pairwise(cells))


def forward(state: Any, move: Any) -> tuple[str, ...]:
    """OpenSpiel's first player starts at the top: rows are counted from the other side."""
    return ("".join(name(7 - cell // 8, cell % 8) for cell in move),)


WORDS = ("breakthrough", "checkers")  # their actions are compared as words
CASES: list[tuple[Game[Any, Any], str, Any]] = [
    (TicTacToe(), "tic_tac_toe", same),
    (Ultimate(), "ultimate_tic_tac_toe", lambda s, m: (m % 9,) if s.target >= 0 else divmod(m, 9)),
    (ConnectFour(), "connect_four", same),
    (Nim(heaps=(1, 3, 5, 7), misere=True), "nim(pile_sizes=1;3;5;7)", lambda s, m: (m[0] + (m[1] - 1) * 4,)),
    (Nim(heaps=(1, 3, 5, 7)), "nim(pile_sizes=1;3;5;7,is_misere=False)", lambda s, m: (m[0] + (m[1] - 1) * 4,)),
    (Othello(), "othello", lambda s, m: (64 if m == PASS else m,)),
    (Breakthrough(), "breakthrough", forward),
    (DotsAndBoxes(2, 2), "dots_and_boxes(num_rows=2,num_cols=2)", same),
    (DotsAndBoxes(3, 4), "dots_and_boxes(num_rows=3,num_cols=4)", same),
    (Hex(5), "hex(board_size=5)", same),
    (Kuhn(), "kuhn_poker", lambda s, m: m if isinstance(m, tuple) else ("pb".index(m),)),
    (Checkers(), "checkers", jumps),
    (Pig(), "pig", lambda s, m: (("roll", "hold").index(m) if isinstance(m, str) else m - 1,)),
    (Blackjack(), "blackjack", unused),
    (LiarsDice(dice=1, wild=6, rounds=False), "liars_dice", dice),
    (Leduc(), "leduc_poker", lambda s, m: m if isinstance(m, tuple) else (m if type(m) is int else "fcr".index(m),)),
]  # fmt: skip


@pytest.mark.parametrize("games", [100, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("game", "theirs", "actions"), CASES, ids=[case[1] for case in CASES])
def test_random_games_agree(game: Game[Any, Any], theirs: str, actions: Actions, games: int) -> None:
    other = pyspiel.load_game(theirs)
    for seed in range(games):
        draw = Draw("open_spiel", seed)
        state, mirror = game.start(draw), other.new_initial_state()
        while (turn := game.turn(state)) != OVER:
            assert mirror.current_player() == turn == (-1 if turn == CHANCE else turn)
            moves = game.legal(state)
            if turn != CHANCE:
                legal = {mirror.action_to_string(turn, a) if theirs in WORDS else a for a in mirror.legal_actions()}
                first = {actions(state, move)[0] for move in moves}
                assert first == {a.rstrip("*") if isinstance(a, str) else a for a in legal}
            move = draw.choice(moves)
            for action in actions(state, move):
                if isinstance(action, str):
                    action = next(
                        a for a in mirror.legal_actions() if mirror.action_to_string(turn, a).rstrip("*") == action
                    )
                mirror.apply_action(action)
            state = game.apply(state, move)
        assert mirror.is_terminal()
        assert tuple(mirror.returns()) == game.returns(state)


def spoken(game: Hanabi, state: Any, move: Move) -> str:
    """A move in OpenSpiel's words."""
    if move.kind in ("play", "discard"):
        return f"({move.kind.title()} {move.which})"
    what = f"color {'RYGWB'[move.which]}" if move.kind == "colour" else f"rank {move.which + 1}"
    return f"(Reveal player +{(move.seat - state.seat) % game.seats} {what})"


@pytest.mark.parametrize("games", [30, pytest.param(3_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_random_games_of_hanabi_agree(seats: int, games: int) -> None:
    """Their chance deals the cards of our deck."""
    game, theirs = Hanabi(seats), pyspiel.load_game(f"hanabi(players={seats})")
    for seed in range(games):
        draw = Draw("hanabi", seed)
        state, mirror = game.start(draw), theirs.new_initial_state()
        cards = [(c.colour, c.rank) for hand in state.hands for c in hand] + list(state.deck[::-1])
        while True:
            while mirror.is_chance_node():
                colour, rank = cards.pop(0)
                mirror.apply_action(mirror.string_to_action(-1, f"(Deal {'RYGWB'[colour]}{rank + 1})"))
            if game.turn(state) == OVER:
                break
            assert mirror.current_player() == state.seat
            legal = {spoken(game, state, move): move for move in game.legal(state)}
            assert set(legal) == {mirror.action_to_string(state.seat, a) for a in mirror.legal_actions()}
            word = draw.choice(sorted(legal))
            mirror.apply_action(mirror.string_to_action(state.seat, word))
            state = game.apply(state, legal[word])
        assert mirror.is_terminal()
        assert tuple(mirror.returns()) == game.returns(state)
