"""Games from the grammar: known games among them count the same, each is read as written, ends, and is well put."""

import re
from contextlib import suppress
from typing import Any

import pytest

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.games.connect_four import ConnectFour
from turnwise.worlds.games.game import OVER, Game, playout
from turnwise.worlds.games.generated.game import Generated
from turnwise.worlds.games.generated.grammar import SIZES, draw_rules
from turnwise.worlds.games.generated.library import shipped
from turnwise.worlds.games.generated.rules import read
from turnwise.worlds.games.generated.screen import FILTERS, screen
from turnwise.worlds.games.hex import Hex
from turnwise.worlds.games.players.search import Perfect
from turnwise.worlds.games.tic_tac_toe import TicTacToe


def counts(game: Game[Any, Any], depth: int) -> list[int]:
    """The numbers of lines of play of each length."""
    found, level = [], [game.start(Draw(0))]
    for _ in range(depth):
        level = [game.apply(s, move) for s in level if game.turn(s) != OVER for move in game.legal(s)]
        found.append(len(level))
    return found


@pytest.mark.parametrize(
    ("text", "known", "depth"),
    [
        ("grid-3x3c moves-place goal-line-3", TicTacToe(), 6),
        ("grid-3x3c moves-place goal-avoid-3", TicTacToe(misere=True), 5),
        ("grid-3x4c moves-drop goal-line-3", ConnectFour(3, 4, 3), 6),
        ("hex-3x3 moves-place goal-connect", Hex(3), 5),
    ],
)  # fmt: skip
def test_known_games_have_as_many_lines_of_play(text: str, known: Game[Any, Any], depth: int) -> None:
    game = Generated(text)
    assert counts(game, depth) == counts(known, depth)


@pytest.mark.parametrize("known", [TicTacToe(), Hex(3)], ids=repr)
def test_known_games_are_won_by_the_same_moves(known: Game[Any, Any]) -> None:
    game = Generated(
        {TicTacToe: "grid-3x3c moves-place goal-line-3", Hex: "hex-3x3 moves-place goal-connect"}[type(known)]
    )
    for seed in range(30):
        draw = Draw("known", seed)
        state, other = game.initial(), known.initial()
        while game.turn(state) != OVER:
            assert game.turn(state) == known.turn(other)
            move = draw.choice(game.legal(state))
            text = game.write(state, move)
            state, other = game.apply(state, move), known.apply(other, known.parse(other, text))
        assert known.turn(other) == OVER
        assert game.returns(state) == known.returns(other)


@pytest.mark.parametrize("cells", range(4, 9))
def test_kayles_is_won_by_the_first_in_a_line_and_by_the_second_in_a_ring(cells: int) -> None:
    """Guy and Smith, 1956: in a line no position of pins in a row is lost; a ring becomes a line."""
    stones = "-".join(map(str, range(cells)))
    for board, value in (("line", 1.0), ("ring", -1.0)):
        game = Generated(f"{board}-1x{cells} stones-{stones} moves-take longest-2 goal-last")
        assert Perfect(game).value(game.initial()) == value


@pytest.mark.parametrize(
    ("text", "moves", "board"),
    [
        ("grid-3x4c x-0-1-2-3 o-8-9-10-11 moves-step capture-step goal-capture-2 limit-40", "a1a2 b3a2", "O . ."),
        ("line-1x8 x-0-1 o-3-7 moves-step-jump forward capture-jump goal-reach", "2-3 8-7 3-5", ". . . X"),
        ("line-1x6 moves-place capture-flank goal-most limit-12", "1 2 3", "X . X"),
        ("line-1x6 moves-place capture-turn goal-most", "1 2 3", "X X X"),
        ("ring-1x6 moves-place capture-infect goal-most", "1 3 2", "X X X"),
        ("line-1x6 x-1-5 o-2 moves-step-push goal-capture-1 limit-9", "2-3", ". . X O"),
        ("line-1x6 x-4 o-0-5 moves-step-push goal-capture-1 limit-9", "5-6", ". . . X"),
        ("line-1x7 x-0 o-6 moves-slide goal-reach limit-9", "1-4 7-5", ". X O"),
    ],
)  # fmt: skip
def test_moves_and_captures(text: str, moves: str, board: str) -> None:
    game = Generated(text)
    state = game.initial()
    for written in moves.split():
        move = game.parse(state, written)
        assert move is not None, game.board(state)
        state = game.apply(state, move)
    assert board in re.sub(" +", " ", game.board(state))


def test_who_cannot_move_is_skipped_or_loses() -> None:
    skipping, skipped = Generated("line-1x9 moves-place near-apart goal-most"), 0
    for seed in range(30):
        draw, state = Draw("skip", seed), skipping.initial()
        while skipping.turn(state) != OVER:
            after = skipping.apply(state, draw.choice(skipping.legal(state)))
            assert after.seat != state.seat or not list(skipping.moves_of(after, 1 - state.seat))
            skipped += after.seat == state.seat and after.winner < 0
            state = after
        assert not [*skipping.moves_of(state, 0), *skipping.moves_of(state, 1)]
    assert skipped > 3
    stuck = Generated("line-1x4 x-0 o-3 moves-step forward goal-last")
    last, moves = playout(stuck, stuck.initial(), Draw(0))
    assert len(moves) == 2
    assert stuck.returns(last) == (-1.0, 1.0)


@pytest.mark.parametrize("size", SIZES)
def test_drawn_games_are_read_as_written_and_end(size: int) -> None:
    families, games = set(), []
    for number in range(40):
        rules = draw_rules(Draw("test", number), size)
        assert read(str(rules)) == rules
        assert rules == draw_rules(Draw("test", number), size)
        families.add((rules.verbs, rules.goal, rules.capture))
        with suppress(SettingsError):  # the first player cannot move
            games.append(Generated(str(rules)))
    assert len(games) >= 36
    for number, game in enumerate(games):
        last, moves = playout(game, game.initial(), Draw("play", number))
        assert game.draws or game.returns(last)[0] != 0
        assert len(moves) <= 120
        text = f"{game.rules()} {game.notation()}."
        assert "  " not in text
        assert re.fullmatch(r"[A-Z][^{}]+\.", text), text
    assert len(families) > 15


@pytest.mark.parametrize(
    "text",
    [
        "", "grid-3x3", "cube-3x3 moves-place goal-line-3", "grid-3x3 moves-fly goal-line-3", "grid-3x3 moves-place",
        "grid-3x3 moves-place goal-line", "grid-99x3 moves-place goal-most", "ring-2x5 moves-place goal-most",
        "grid-3x3 moves-place goal-most goal-last", "grid-3x3 moves-step x-0 o-8 goal-last",
        "grid-3x3 moves-step x-0 o-9 goal-last limit-9", "grid-3x3 moves-take goal-last",
        "line-1x9 moves-drop goal-most",
        "grid-3x3 moves-step goal-line-3 limit-9", "grid-3x3 moves-place goal-most " + "x" * 500,
        "line-1x9 moves-place goal-connect", "grid-3x3 moves-place goal-capture-1",
    ],
)  # fmt: skip
def test_what_is_no_game_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="rules"):
        Generated(text)


def test_shipped_games_differ_and_passed() -> None:
    games = shipped()
    assert len({each.rules_text for each in games}) == len(games) >= 100
    assert {each.size for each in games} == set(SIZES)
    for each in games:
        assert min(each.as_first, each.as_second) >= 0.65
        assert 0.2 <= each.opened <= 0.8
        assert each.game.rules_text == str(each.game.spec) == each.rules_text


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("grid-4x4 x-0-1 o-14-15 moves-step goal-last limit-60", 0),
        ("line-1x8 x-0 o-7 moves-step forward goal-last", 1),
        ("grid-3x9c moves-place goal-connect", 2),
    ],
)  # fmt: skip
def test_what_the_cheap_filters_say(text: str, failed: int) -> None:
    assert screen(Generated(text)).failed == FILTERS[failed]


@pytest.mark.slow
def test_shipped_figures_are_those_of_the_screen() -> None:
    for each in [each for each in shipped() if each.size == 1][:6]:
        found = screen(each.game)
        assert found.failed == ""
        measured = (found.first, found.opened, found.as_first, found.as_second)
        assert measured == pytest.approx(each[3:], abs=0.0051)
