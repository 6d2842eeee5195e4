"""Chess: counts of the usual test positions, notation both ways, and every way in which a game ends."""

from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.chess import START, Chess, Position
from turnwise.worlds.games.game import OVER, playout

SLOW = pytest.mark.slow
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ENDING = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
CASTLING = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
MIDDLE = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"


def perft(game: Chess, state: Position, depth: int) -> int:
    moves = game.legal(state)
    return len(moves) if depth == 1 else sum(perft(game, game.apply(state, move), depth - 1) for move in moves)


def after(game: Chess, moves: str) -> Position:
    state = game.initial()
    for text in moves.split():
        move = game.parse(state, text)
        assert move is not None, text
        state = game.apply(state, move)
    return state


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (START, (20, 400, 8902)), (KIWIPETE, (48, 2039)), (ENDING, (14, 191, 2812)), (PROMOTIONS, (6, 264, 9467)),
        (CASTLING, (44, 1486)), (MIDDLE, (46, 2079)), pytest.param(START, (20, 400, 8902, 197281), marks=SLOW),
        pytest.param(KIWIPETE, (48, 2039, 97862), marks=SLOW), pytest.param(ENDING, (14, 191, 2812, 43238), marks=SLOW),
        pytest.param(CASTLING, (44, 1486, 62379), marks=SLOW), pytest.param(MIDDLE, (46, 2079, 89890), marks=SLOW),
    ],
)  # fmt: skip
def test_lines_of_play(fen: str, counts: tuple[int, ...]) -> None:
    """The start and the five standard positions of the chess programming wiki's page of perft results."""
    game = Chess(fen)
    assert tuple(perft(game, game.initial(), depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize("fen", [START, KIWIPETE, PROMOTIONS])
def test_moves_and_positions_are_read_as_written(fen: str) -> None:
    game, state = Chess(fen), Chess(fen).initial()
    assert game.fen_of(state) == fen
    draw = Draw("chess", fen)
    for _ in range(8):
        if game.turn(state) == OVER:
            break
        legal = game.legal(state)
        sans = [game.san(state, move) for move in legal]
        assert len(set(sans)) == len(legal)
        for move, san in zip(legal, sans, strict=True):
            assert game.parse(state, san) == game.parse(state, game.write(state, move)) == move
        assert game.from_fen(game.fen_of(state))[:6] == state[:6]
        state = game.apply(state, draw.choice(legal))


@pytest.mark.parametrize(
    ("fen", "moves", "san"),
    [
        (START, "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1", "O-O"), (START, "e2e4 a7a6 e4e5 d7d5 e5d6", "exd6"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q+"), ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "h1d1", "Rhd1"),
        ("7k/8/8/R7/8/8/4K3/R7 w - - 0 1", "a1a3", "R1a3"), (START, "f2f3 e7e5 g2g4 d8h4", "Qh4#"),
    ],
)  # fmt: skip
def test_algebraic_notation(fen: str, moves: str, san: str) -> None:
    game, *early, last = Chess(fen), *moves.split()  # type: ignore[assignment]
    state = after(game, " ".join(early))
    move = game.parse(state, last)
    assert move is not None
    assert game.san(state, move) == san


@pytest.mark.parametrize(
    ("fen", "moves", "returns"),
    [
        (START, "f3 e5 g4 Qh4#", (-1.0, 1.0)),
        ("7k/8/5QK1/8/8/8/8/8 w - - 0 1", "Qg7", (1.0, -1.0)), ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "Qf7", (0.0, 0.0)),
        ("7k/8/8/8/8/8/8/KQ6 w - - 99 90", "Qb2", (0.0, 0.0)), ("7k/8/8/8/8/8/1p6/K7 w - - 0 1", "Kxb2", (0.0, 0.0)),
        (START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", None), (START, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", (0.0, 0.0)),
        ("7k/8/8/8/8/3b4/8/KN6 b - - 0 1", "Kg8", None), ("6bk/8/8/8/8/8/1p6/KB6 w - - 0 1", "Kxb2", (0.0, 0.0)),
    ],
)  # fmt: skip
def test_ends(fen: str, moves: str, returns: tuple[float, ...] | None) -> None:
    """Mate, stalemate, fifty moves, bare kings, the third occurrence, bishops of one colour; None: it goes on."""
    game = Chess(fen)
    state = after(game, moves)
    if returns is None:
        assert game.turn(state) != OVER
    else:
        assert game.turn(state) == OVER
        assert game.returns(state) == returns


@pytest.mark.parametrize("fen", ["", "8/8 w - - 0 1", START.replace("w", "x"), START.replace("K", "P", 1), "8 " * 6])
def test_what_is_no_fen_is_refused(fen: str) -> None:
    with pytest.raises(SettingsError, match="fen is"):
        Chess(fen).initial()


@pytest.mark.parametrize("games", [1, pytest.param(300, marks=SLOW)])
def test_random_games_agree_with_open_spiel(games: int) -> None:
    pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    game = Chess()
    for seed in range(games):
        draw, state, mirror = Draw("chess", seed), game.initial(), pyspiel.load_game("chess").new_initial_state()
        while game.turn(state) != OVER:
            legal = {mirror.action_to_string(mirror.current_player(), a): a for a in mirror.legal_actions()}
            sans = {game.san(state, move).rstrip("+#"): move for move in game.legal(state)}
            assert {san.rstrip("+#") for san in legal} == set(sans)
            san = draw.choice(sorted(legal))
            mirror.apply_action(legal[san])
            state = game.apply(state, sans[san.rstrip("+#")])
        assert mirror.is_terminal()
        seats = mirror.returns()
        assert tuple(seats[::-1]) == game.returns(state)


@pytest.mark.parametrize("games", [1, pytest.param(300, marks=SLOW)])
def test_random_games_end_and_repeat(games: int) -> None:
    game = Chess("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1") if games == 1 else Chess()
    for seed in range(games):
        last, moves = playout(game, game.initial(), Draw("ends", seed))
        assert game.turn(last) == OVER
        state = game.initial()
        for move in moves:
            assert game.turn(state) == state.seat
            state = game.apply(state, move)
        assert state == last
        assert hash(state) == hash(last)


def test_what_is_no_move_is_none() -> None:
    game, state = Chess(), Chess().initial()
    for text in ("", "e9", "e2e5", "Nf6", "O-O", "e2e4q", "e4e5", "x" * 10**6, "\ud800", "e2 e4 e5", "=", "+"):
        assert game.parse(state, text) is None, text
