"""Players of the games: what they must find, how strong they are, and that a seed and a position decide the move."""

import pickle
from functools import cache
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.breakthrough import Breakthrough
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.dots_and_boxes import DotsAndBoxes
from turnwise.worlds.games.game import CHANCE, OVER, Game
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.hidden.leduc import Leduc
from turnwise.worlds.games.nim import Nim
from turnwise.worlds.games.othello import Othello
from turnwise.worlds.games.players.cfr import equilibrium, expected, exploitability
from turnwise.worlds.games.players.make import make_player
from turnwise.worlds.games.players.search import AlphaBeta, Perfect
from turnwise.worlds.games.players.winning import advance, winning_line
from turnwise.worlds.games.tic_tac_toe import TicTacToe

BOARDS: tuple[Game[Any, Any], ...] = (
    TicTacToe(), ConnectFour(4, 5), Othello(4), Breakthrough(5, 4), DotsAndBoxes(2, 2), Hex(3), Nim(),
)  # fmt: skip
NAMES = ("random", "greedy", "alphabeta:1", "alphabeta:3", "mcts:20")


def result(game: Game[Any, Any], names: tuple[str, str], seed: int, opening: int = 0) -> float:
    """What the first seat of a game between two players gets."""
    draw = Draw("match", seed)
    state = game.start(draw)
    for _ in range(opening):
        if game.turn(state) != OVER:
            state = game.apply(state, draw.choice(game.legal(state)))
    players = [make_player(name, game, 2 * seed + seat) for seat, name in enumerate(names)]
    while (turn := game.turn(state)) != OVER:
        state = game.apply(state, draw.choice(game.legal(state)) if turn == CHANCE else players[turn].choose(state))
    return game.returns(state)[0]


def score(game: Game[Any, Any], strong: str, weak: str, pairs: int) -> float:
    """The share of points of the first named over pairs of games with seats swapped."""
    results = [result(game, (strong, weak), i, 2) for i in range(pairs)]
    results += [-result(game, (weak, strong), i, 2) for i in range(pairs)]
    return sum((r + 1) / 2 for r in results) / len(results)


@pytest.mark.parametrize("game", BOARDS, ids=repr)
@pytest.mark.parametrize("name", NAMES)
def test_a_seed_and_a_position_decide_the_move(game: Game[Any, Any], name: str) -> None:
    state = game.start(Draw(5))
    player = make_player(name, game, 9)
    move = player.choose(state)
    assert move in game.legal(state)
    assert pickle.loads(pickle.dumps(player)).choose(state) == move
    assert {make_player(name, game, seed).choose(state) for seed in range(20)} > {move} or name != "random"


@pytest.mark.parametrize("name", ["greedy", "alphabeta:1", "alphabeta:2", "mcts:300", "perfect"])
def test_a_win_in_one_is_taken(name: str) -> None:
    game = TicTacToe()
    state = game.initial()
    for cell in (0, 3, 1, 4):
        state = game.apply(state, cell)
    assert {make_player(name, game, seed).choose(state) for seed in range(5)} == {2}
    assert {make_player("greedy", game, seed).choose(game.apply(state, 8)) for seed in range(5)} == {5}


@pytest.mark.parametrize("name", ["greedy", "alphabeta:2", "mcts:300"])
def test_a_loss_in_one_is_prevented(name: str) -> None:
    game = ConnectFour(4, 4, 3)
    state = game.initial()
    for column in (0, 3, 0):
        state = game.apply(state, column)
    assert {make_player(name, game, seed).choose(state) for seed in range(5)} == {0}


@pytest.mark.parametrize(
    ("game", "strong", "weak", "pairs"),
    [
        (ConnectFour(5, 6), "greedy", "random", 10), (ConnectFour(5, 6), "alphabeta:4", "alphabeta:1", 5),
        (ConnectFour(4, 5), "mcts:60", "random", 4), (Breakthrough(5, 4), "alphabeta:3", "alphabeta:1", 8),
        (Othello(6), "alphabeta:2", "random", 6), (DotsAndBoxes(2, 2), "alphabeta:2", "random", 10),
        (Hex(4), "alphabeta:2", "random", 8), (TicTacToe(4, 4, 3), "greedy", "random", 10),
    ],
)  # fmt: skip
def test_the_stronger_wins_more(game: Game[Any, Any], strong: str, weak: str, pairs: int) -> None:
    assert score(game, strong, weak, pairs) > 0.6


@cache
def plain(game: Game[Any, Any], state: Any) -> float:
    """What the first seat gets by minimax without cuts."""
    turn = game.turn(state)
    if turn == OVER:
        return game.returns(state)[0]
    return (max, min)[turn](plain(game, game.apply(state, move)) for move in game.legal(state))


@pytest.mark.parametrize(
    "game", [TicTacToe(), TicTacToe(misere=True), Breakthrough(4, 3), DotsAndBoxes(1, 2)], ids=repr
)
def test_perfect_play_keeps_the_value_against_anyone(game: Game[Any, Any]) -> None:
    perfect = Perfect(game, seed=1)
    for seed in range(30):
        draw, state = Draw("perfect", seed), game.initial()
        for _ in range(seed % 4):
            if game.turn(state) != OVER:
                state = game.apply(state, draw.choice(game.legal(state)))
        seat, sign = seed % 2, 1 - 2 * (seed % 2)
        value = plain(game, state)
        assert perfect.value(state) == value
        while (turn := game.turn(state)) != OVER:
            move = perfect.choose(state) if turn == seat else draw.choice(game.legal(state))
            state = game.apply(state, move)
        assert sign * game.returns(state)[0] >= sign * value


@pytest.mark.parametrize("game", [TicTacToe(), Breakthrough(4, 3)], ids=repr)
def test_alpha_beta_sees_wins_within_its_depth(game: Game[Any, Any]) -> None:
    deep = AlphaBeta(game, depth=10)
    for seed in range(10):
        draw, state = Draw("deep", seed), game.initial()
        for _ in range(3):
            state = game.apply(state, draw.choice(game.legal(state))) if game.turn(state) != OVER else state
        value = deep.value(state)
        assert (value > 1e5) - (value < -1e5) == plain(game, state)


def test_nim_is_won_from_every_won_position() -> None:
    for misere in (False, True):
        game = Nim(count=3, size=6, misere=misere)
        for seed in range(40):
            draw = Draw("nim", seed)
            state = game.start(draw)
            winner = 1 if game.lost(state) else 0
            while (turn := game.turn(state)) != OVER:
                perfect = make_player("perfect", game, seed)
                state = game.apply(state, perfect.choose(state) if turn == winner else draw.choice(game.legal(state)))
            assert game.returns(state)[winner] == 1.0


def test_kuhn_is_solved() -> None:
    strategy = equilibrium(Kuhn(), 300)
    assert exploitability(Kuhn(), strategy) < 1e-3
    assert expected(Kuhn(), strategy) == pytest.approx(-1 / 18, abs=1e-3)
    uniform = dict.fromkeys(strategy, (0.5, 0.5))
    assert exploitability(Kuhn(), uniform) > 0.2


@pytest.mark.slow
def test_leduc_comes_close() -> None:
    """The value of the game is -0.0856 for the first seat."""
    strategy = equilibrium(Leduc(), 200)
    assert exploitability(Leduc(), strategy) < 0.02
    assert expected(Leduc(), strategy) == pytest.approx(-0.0856, abs=0.01)


def test_an_equilibrium_does_not_look_at_hidden_cards() -> None:
    game, player = Kuhn(), make_player("equilibrium", Kuhn(), 4)
    for own in range(3):
        states = [game.apply(game.initial(), (own, other)) for other in range(3) if other != own]
        assert len({player.choose(state) for state in states}) == 1
    moves = {make_player("equilibrium", game, seed).choose(game.apply(game.initial(), (2, 0))) for seed in range(40)}
    assert moves <= {"p", "b"}


def test_a_winning_line_wins() -> None:
    game, found = ConnectFour(5, 6), 0
    for seed in range(6):
        opponent = make_player("greedy", game, seed)
        scouts = (AlphaBeta(game, depth=2),)
        line = winning_line(game.initial(), 0, opponent, scouts, Draw(seed), 12, 15)
        if line is not None:
            found += 1
            state = game.initial()
            for move in line:
                state, _ = advance(game.apply(state, move), 0, opponent)
            assert game.returns(state)[0] == 1.0
            assert len(line) <= 15
    assert found >= 4


@pytest.mark.parametrize(
    "name", ["", "strong", "alphabeta", "alphabeta:0", "alphabeta:13", "mcts:-1", "mcts:٣", "random:2"]
)
def test_unknown_players_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="it must be random, greedy"):
        make_player(name, Nim())
