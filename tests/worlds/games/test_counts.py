"""How many ways a game can go, against published numbers."""

from functools import cache
from typing import Any

import pytest

from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.checkers import Checkers
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.go import Go
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.tic_tac_toe import TicTacToe

SLOW = pytest.mark.slow


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """The number of lines of play of a length."""
    if game.turn(state) == OVER:
        return 0
    moves = game.legal(state)
    return len(moves) if depth == 1 else sum(perft(game, game.apply(state, move), depth - 1) for move in moves)


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (Othello(), (4, 12, 56, 244, 1396, 8200)),
        pytest.param(Othello(), (4, 12, 56, 244, 1396, 8200, 55092, 390216), marks=SLOW),
        (ConnectFour(), (7, 49, 343, 2401, 16807)),
        pytest.param(ConnectFour(), (7, 49, 343, 2401, 16807, 117649, 823536), marks=SLOW),
        (TicTacToe(), (9, 72, 504, 3024)),
        (Breakthrough(), (22, 22**2, 11132)),
        (Checkers(), (7, 49, 302, 1469, 7361)),
        pytest.param(Checkers(), (7, 49, 302, 1469, 7361, 36768, 179740, 845931), marks=SLOW),
    ],
)
def test_lines_of_play(game: Game[Any, Any], counts: tuple[int, ...]) -> None:
    """Othello and checkers: the usual perft tables; Connect Four: 7 to the n less full columns."""
    assert tuple(perft(game, game.initial(), depth) for depth in range(1, len(counts) + 1)) == counts


def whole(game: Game[Any, Any], state: Any) -> tuple[int, int, dict[tuple[float, ...], int]]:
    """Positions, games, and games by their returns, of the whole tree."""
    positions = set()

    @cache
    def below(at: Any) -> dict[tuple[float, ...], int]:
        positions.add(at)
        if game.turn(at) == OVER:
            return {game.returns(at): 1}
        found: dict[tuple[float, ...], int] = {}
        for move in game.legal(at):
            for result, count in below(game.apply(at, move)).items():
                found[result] = found.get(result, 0) + count
        return found

    results = below(state)
    return len(positions), sum(results.values()), results


def test_tic_tac_toe_is_counted_whole() -> None:
    positions, games, results = whole(TicTacToe(), TicTacToe().initial())
    assert (positions, games) == (5478, 255168)
    assert results == {(1.0, -1.0): 131184, (-1.0, 1.0): 77904, (0.0, 0.0): 46080}
    _, games, results = whole(TicTacToe(misere=True), TicTacToe().initial())
    assert (games, results[-1.0, 1.0]) == (255168, 131184)


def test_poker_trees_have_their_known_sizes() -> None:
    """Kuhn: 6 deals of 5 ends, 12 information sets; Leduc: 936 information sets of cards, 288 of ranks."""
    for game, ends, cards in ((Kuhn(), 30, 12), (Leduc(), 5520, 288)):
        seen: set[tuple[int, str]] = set()
        found, stack = 0, [game.initial()]
        while stack:
            state = stack.pop()
            turn = game.turn(state)
            found += turn == OVER
            if turn >= 0:
                seen.add((turn, game.view(state, turn)))
            if turn != OVER:
                stack += [game.apply(state, move) for move in game.legal(state)]
            if turn == CHANCE:
                assert sum(game.odds(state)) == pytest.approx(1.0)
        assert (found, len(seen)) == (ends, cards)


def value(game: Game[Any, Any], state: Any) -> float:
    """What the first seat wins if all play perfectly."""

    @cache
    def of(at: Any) -> float:
        turn = game.turn(at)
        if turn == OVER:
            return game.returns(at)[0]
        return (max, min)[turn](of(game.apply(at, move)) for move in game.legal(at))

    return of(state)


@pytest.mark.parametrize(
    ("game", "won"),
    [
        (TicTacToe(), 0.0), (TicTacToe(misere=True), 0.0), (TicTacToe(wild=True), 1.0),
        (Nim(heaps=(1, 2, 3)), -1.0), (Nim(heaps=(3, 4, 5)), 1.0), (Nim(heaps=(8,), most=3), -1.0),
        pytest.param(ConnectFour(4, 4), 0.0, marks=SLOW),
        pytest.param(Othello(4), -1.0, marks=SLOW),
    ],
)  # fmt: skip
def test_solved_games_have_their_known_values(game: Game[Any, Any], won: float) -> None:
    """3 x 3 draws in both forms, wild tic-tac-toe is a first player's win, 4 x 4 Othello and Connect Four as known."""
    assert value(game, game.initial()) == won


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("most", [0, 2])
def test_bouton_agrees_with_search(misere: bool, most: int) -> None:
    game = Nim(count=3, size=4, most=most, misere=misere)
    for a in range(5):
        for b in range(5):
            for c in range(1, 5):
                state = game.initial()._replace(heaps=(a, b, c))
                assert game.lost(state) == (value(game, state) < 0), state


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), pytest.param(3, 12675, marks=SLOW)])
def test_go_reaches_every_legal_board(size: int, count: int) -> None:
    """The numbers of legal boards: Tromp and Farnebäck, "Combinatorics of Go", 2007."""
    game = Go(size)
    seen = {game.initial().cells}
    stack = [(board, seat) for board in seen for seat in (0, 1)]
    while stack:
        board, seat = stack.pop()
        state = game.initial()._replace(cells=board, seat=seat)  # without what was there before
        for move in game.legal(state):
            after = game.apply(state, move).cells
            if after not in seen:
                seen.add(after)
                stack += [(after, 0), (after, 1)]
    assert len(seen) == count


def test_go_on_two_by_two_is_worth_a_point() -> None:
    """Black's best score under positional superko and area scoring is 1 (Tromp)."""

    def best(state: Any, alpha: int, beta: int) -> int:
        if game.turn(state) == OVER:
            first, second = game.area(state)
            return first - second
        for move in game.legal(state)[::-1]:
            value = best(game.apply(state, move), alpha, beta)
            alpha, beta = (max(alpha, value), beta) if state.seat == 0 else (alpha, min(beta, value))
            if alpha >= beta:
                break
        return alpha if state.seat == 0 else beta

    game = Go(2, 0.0)
    assert best(game.initial(), -4, 4) == 1
