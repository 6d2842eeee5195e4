"""Solved chess endgames: published longest mates, and agreement with the rules of chess move by move."""

from typing import cast

import numpy as np
import pytest

from turnwise.core.draw import Draw
from turnwise.worlds.games.chess import Chess, Position, in_check
from turnwise.worlds.games.game import OVER
from turnwise.worlds.games.players.endgames import KINDS, NEVER, Kind, plies, solved
from turnwise.worlds.games.players.make import make_player

LONGEST = {"queen": 10, "rook": 16, "pawn": 28}
every_kind = pytest.mark.parametrize("kind", LONGEST)


def placed(kind: str, draw: Draw, seat: int, black: bool = False) -> Position:
    """A random legal position with the piece, of White or of Black, and a seat to move."""
    letter = next(name for name, other in KINDS.items() if other == kind)
    while True:
        squares = draw.sample(range(64), 3)
        board = ["."] * 64
        for square, mark in zip(squares, ("K", "k", letter), strict=True):
            board[square] = mark.swapcase() if black else mark
        rows = [square // 8 for square in squares]
        near = max(abs(rows[0] - rows[1]), abs(squares[0] % 8 - squares[1] % 8)) < 2
        if not near and not (kind == "pawn" and rows[2] in (0, 7)) and not in_check("".join(board), 1 - seat):
            return Position("".join(board), seat, "", -1, 0, 1)


@every_kind
def test_the_longest_mates_are_as_published(kind: str) -> None:
    white = solved(cast(Kind, kind)).white
    assert (white[white < NEVER].max() + 1) // 2 == LONGEST[kind]


def test_with_white_to_move_every_legal_position_is_won() -> None:
    """The usual counts of legal positions: 144,508 with a queen and 175,168 with a rook."""
    for kind in ("queen", "rook"):
        table = solved(cast(Kind, kind))
        won = table.white < NEVER
        assert won.sum() == {"queen": 144508, "rook": 175168}[kind]


@pytest.mark.parametrize("positions", [60, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("black", [False, True])
@every_kind
def test_tables_agree_with_the_rules(kind: str, black: bool, positions: int) -> None:
    """A position is one half-move further from mate than the best one after it."""
    game, strong = Chess(), int(black)
    draw = Draw("endgames", kind, black)
    for _ in range(positions):
        seat = draw.below(2)
        state = placed(kind, draw, seat, black)
        after = [plies(game.apply(state, move)) for move in game.legal(state)]
        lengths = [NEVER if left is None else left for left in after]
        if not lengths:
            expected = 0 if seat != strong and in_check(state.board, seat) else NEVER
        else:
            best = min(lengths) if seat == strong else max(lengths)
            expected = NEVER if best == NEVER else best + 1
        found = plies(state)
        assert (NEVER if found is None else found) == expected, state.board


@every_kind
def test_perfect_play_mates_in_time_and_holds_out_as_long(kind: str) -> None:
    game = Chess()
    for seed in range(6):
        draw, black = Draw("mates", seed), bool(seed % 2)
        state = placed(kind, draw, int(black), black)
        left = plies(state)
        if left is None:
            continue
        player, made, at = make_player("perfect", game, seed), 0, state
        while game.turn(at) != OVER:
            at, made = game.apply(at, player.choose(at)), made + 1
        assert made == left
        assert game.returns(at)[int(black)] == 1.0


def test_a_defender_takes_the_draw_that_is_there() -> None:
    game = Chess("8/8/8/8/8/2k5/3Q4/K7 b - - 0 1")
    move = make_player("perfect", game).choose(game.initial())
    assert game.write(game.initial(), move) == "c3d2"
    assert plies(game.apply(game.initial(), move)) is None


def test_other_pieces_are_refused() -> None:
    with pytest.raises(KeyError, match="more than three"):
        plies(Chess().initial())
    assert plies(Chess("8/8/8/8/8/2k5/3N4/K7 w - - 0 1").initial()) is None
    assert np.all(solved("pawn").white[:, :, :8] == NEVER)
