"""What holds for every game: random games end and repeat, moves are read as written, the hidden stays hidden."""

import copy
import dataclasses
import pickle
import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds.games.games_of import GAMES
from turnwise.core.draw import Draw
from turnwise.worlds.games.game import ALL, CHANCE, OVER, Game, playout
from turnwise.worlds.games.hex import SWAP, Hex
from turnwise.worlds.games.kuhn import Kuhn
from turnwise.worlds.games.leduc import Leduc
from turnwise.worlds.games.othello import PASS, Othello

every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
HOSTILE = (
    "",
    " ",
    "\x00",
    "a" * 10**6,
    "9" * 10**6,
    "\ud800",
    "a0",
    "z99",
    "-1",
    "٣",
    "None",
    "a1 b1 c1",
    "()",
    "a1,a2",
)


def played(game: Game[Any, Any], seed: int) -> tuple[list[Any], list[Any]]:
    """The positions and moves of a random game."""
    draw = Draw("game", seed)
    states = [game.start(draw)]
    _, moves = playout(game, states[0], draw)
    for move in moves:
        states.append(game.apply(states[-1], move))
    return states, moves


@pytest.mark.parametrize("games", [20, pytest.param(10_000, marks=pytest.mark.slow)])
@every_game
def test_random_games_end_and_repeat(game: Game[Any, Any], games: int) -> None:
    for seed in range(games):
        states, moves = played(game, seed)
        again, same = played(game, seed)
        assert (states, moves) == (again, same)
        assert game.turn(states[-1]) == OVER
        assert all(game.turn(state) != OVER for state in states[:-1])
        assert len(set(states)) > 1
        returns = game.returns(states[-1])
        assert len(returns) == game.seats
        assert sum(returns) == 0.0, "these games are all zero-sum"


@every_game
def test_positions_are_values(game: Game[Any, Any]) -> None:
    states, moves = played(game, 3)
    for state, move in zip(states, moves, strict=False):
        before = pickle.dumps(state)
        game.apply(state, move)
        assert pickle.dumps(state) == before
        assert copy.deepcopy(state) == state == pickle.loads(before)
        assert hash(pickle.loads(before)) == hash(state)
    assert pickle.loads(pickle.dumps(game)) == game
    assert hash(game) == hash(dataclasses.replace(game))  # type: ignore[type-var]


@every_game
def test_moves_are_read_as_written(game: Game[Any, Any]) -> None:
    for seed in range(2):
        for state in played(game, seed)[0][:-1:3]:
            if game.turn(state) in (CHANCE, ALL):
                continue
            legal = game.legal(state)
            written = [game.write(state, move) for move in legal]
            assert len(set(written)) == len(legal)
            for move, text in zip(legal, written, strict=True):
                assert game.parse(state, text) == game.parse(state, f"  {text.upper()} . ".replace(" .", ".")) == move


@every_game
def test_what_is_no_move_is_none(game: Game[Any, Any]) -> None:
    states, _ = played(game, 1)
    for state in states[:-1]:
        if game.turn(state) >= 0:
            for text in HOSTILE:
                assert game.parse(state, text) is None, text


@settings(max_examples=20)
@given(st.text(max_size=12), st.integers(0, len(GAMES) - 1), st.integers(0, 50))
def test_any_text_is_a_legal_move_or_none(text: str, number: int, seed: int) -> None:
    game = GAMES[number]
    state = next(s for s in played(game, seed)[0] if game.turn(s) >= 0)
    move = game.parse(state, text)
    assert move is None or move in game.legal(state)


@every_game
def test_texts_are_plain(game: Game[Any, Any]) -> None:
    states, _ = played(game, 5)
    for state in states:
        for text in (game.board(state), *(game.view(state, seat) for seat in range(game.seats))):
            assert text == text.strip("\n")
            assert not re.search(r"[ \t]\n", text)
    assert game.rules().endswith(".")
    assert len(game.rules()) < 800


def relabelled(game: Game[Any, Any], state: Any, seat: int) -> list[Any]:
    """The positions that differ from this one only in the card of the other seat."""
    deck = 3 if isinstance(game, Kuhn) else 6
    used = {state.cards[seat], getattr(state, "public", -1)}
    others = [card for card in range(deck) if card not in used]
    cards = [(state.cards[0], c) if seat == 0 else (c, state.cards[1]) for c in others]
    return [state._replace(cards=pair) for pair in cards]


@pytest.mark.parametrize("game", [Kuhn(), Leduc()], ids=repr)
def test_a_view_does_not_depend_on_what_is_hidden(game: Game[Any, Any]) -> None:
    compared = 0
    for seed in range(60):
        for state in played(game, seed)[0]:
            if state.cards and game.turn(state) != OVER:
                for seat in (0, 1):
                    others = relabelled(game, state, seat)
                    compared += len(others)
                    assert {game.view(other, seat) for other in others} == {game.view(state, seat)}
                    assert {tuple(game.legal(other)) for other in others if game.turn(state) >= 0} <= {
                        tuple(game.legal(state))
                    }
                assert len({game.view(other, 0) for other in relabelled(game, state, 1)}) > 1, "their own is seen"
    assert compared > 300


def test_othello_passes_only_if_nothing_else_is_legal() -> None:
    seen = 0
    for seed in range(40):
        for state in played(Othello(4), seed)[0][:-1]:
            legal = Othello(4).legal(state)
            seen += legal == [PASS]
            assert legal == [PASS] or PASS not in legal
    assert seen > 5


def test_a_swap_mirrors_the_first_stone() -> None:
    game = Hex(3, swap=True)
    state = game.apply(game.initial(), 1)
    assert game.legal(state)[-1] == SWAP == game.parse(state, "swap")
    assert game.apply(state, SWAP).cells == "...O....."
    assert game.turn(game.apply(state, SWAP)) == 0


def test_hex_has_one_winner_when_the_board_is_full() -> None:
    """Nash: no draw, whatever the filling; checked over all orders of four cells and random ones of nine."""
    game = Hex(2)
    for order in permutations(range(4)):
        state = game.initial()
        for cell in order:
            if game.turn(state) != OVER:
                state = game.apply(state, cell)
        assert state.winner in (0, 1)
