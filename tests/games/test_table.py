"""Tables for many seats: text in and out, seeds, forks, and nothing hidden in what a seat reads."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import turnwise
from tests.worlds.games.test_rules import likewise
from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError, UsageError
from turnwise.games.table import Table, make, names, opponents
from turnwise.worlds.games.players.make import make_player

HIDING = [
    "Auction", "Battleship", "Blackjack", "Clues", "Hanabi", "Holdem", "Kuhn", "Leduc", "LiarsDice", "NPoint",
    "Negotiation", "Werewolf",
]  # fmt: skip
every_game = pytest.mark.parametrize("name", names())


def played(table: Table, seed: int, most: int = 10_000) -> list[str]:
    """Everything that the seats read in a game of random moves."""
    draw, log = Draw("played", seed), [table.observe(seat) for seat in range(table.seats)]
    while not table.over and len(log) < most:
        seat = table.to_move[0]
        assert table.play(seat, draw.choice(table.legal(seat)))
        log += [table.observe(other) for other in range(table.seats)]
    return log


@every_game
def test_a_seed_decides_the_game(name: str) -> None:
    first, again = make(name, seed=3), make(name, seed=3)
    most = 300 if name == "Chess" else 10_000
    assert played(first, 1, most) == played(again, 1, most)
    again.reset()
    assert played(again, 1, most) == played(make(name, seed=3), 1, most)
    if name != "Chess":
        assert len(first.returns) == first.seats
        assert first.legal(0) == []
        assert "The game is over. You get" in first.observe(0)


def test_opponents_of_a_game_take_its_seats() -> None:
    """Weakest first, for a game with players, and none for a game of one seat without any."""
    assert opponents("Hex") == ("random", "greedy", "alphabeta:1", "alphabeta:2")
    assert opponents("Snake") == ()
    for name in names():
        for player in opponents(name):
            assert make_player(player, make(name).game)
    with pytest.raises(SettingsError, match="game"):
        opponents("Checkerz")


def test_another_seed_deals_otherwise() -> None:
    for name in ("Battleship", "Blackjack", "Hanabi", "Kuhn", "Leduc", "LiarsDice", "Negotiation", "Nim"):
        assert len({make(name, seed=seed).observe(0) for seed in range(12)}) > 2


@every_game
def test_a_fork_goes_on_by_itself_and_draws_the_same(name: str) -> None:
    table = make(name, seed=5)
    table.play(table.to_move[0], table.legal(table.to_move[0])[0])
    if not table.over:
        twin, other, before = table.fork(), table.fork(), [table.observe(seat) for seat in range(table.seats)]
        assert played(twin, 2, 60) == played(other, 2, 60)
        assert [table.observe(seat) for seat in range(table.seats)] == before


@every_game
def test_what_is_no_move_changes_nothing(name: str) -> None:
    table = make(name)
    before = [table.observe(seat) for seat in range(table.seats)]
    for text in ("", "pass me", "a0", "\ud800", "9" * 10**5):
        assert not table.play(table.to_move[0], text)
    assert [table.observe(seat) for seat in range(table.seats)] == before
    with pytest.raises(UsageError, match="seat is 9"):
        table.play(9, "a1")
    with pytest.raises(UsageError, match="not over"):
        _ = table.returns


def test_only_who_is_to_move_moves() -> None:
    table = make("TicTacToe")
    with pytest.raises(UsageError, match="seat 1 is not to move; `to_move` is \\(0,\\)"):
        table.play(1, "a1")


def test_choices_at_the_same_time_are_hidden_until_all_are_made() -> None:
    one, two = make("Matrix", rounds=2), make("Matrix", rounds=2)
    assert one.to_move == (0, 1)
    assert one.play(0, "cooperate")
    assert two.play(0, "defect")
    assert one.to_move == (1,)
    assert one.observe(1) == two.observe(1)
    assert "You have chosen; others have not." in one.observe(0)
    one.play(1, "defect")
    assert "Round 1: cooperate and defect" in one.observe(0)
    assert one.to_move == (0, 1)


@pytest.mark.parametrize("name", HIDING)
def test_nothing_hidden_is_read(name: str) -> None:
    compared = 0
    for seed in range(6):
        table, draw = make(name, seed=seed), Draw("hidden", seed)
        for _ in range(8):
            if table.over:
                break
            for seat in range(table.seats):
                for state in likewise(table.game, table.state, seat, draw):
                    twin = table.fork()
                    twin.state = state
                    if not twin.over:
                        compared += 1
                        assert twin.observe(seat) == table.observe(seat)
                        assert twin.legal(seat) == table.legal(seat)
            seat = table.to_move[0]
            table.play(seat, draw.choice(table.legal(seat)))
    assert compared > 5


@pytest.mark.parametrize(
    ("name", "players", "settings", "words"),
    [
        ("Whist", None, {}, "Whist"), ("Hanabi", 6, {}, "players is 6; it must be from 2 to 5"),
        ("Nim", 3, {}, "Nim has 2 seats"), ("Hanabi", 3, {"lifes": 2}, "lives"), ("Go", None, {"size": 0}, "size is 0"),
        ("Battleship", None, {"size": 3, "ships": (5,)}, "must fit"), ("Matrix", None, {"table": "war"}, "table is"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(name: str, players: int | None, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        make(name, players, **settings)


@pytest.mark.parametrize(
    ("name", "players"),
    [("Hanabi", 5), ("LiarsDice", 4), ("Pig", 10), ("Blackjack", 1), ("Holdem", 6), ("Werewolf", 12), ("Auction", 8)],
)
def test_seats_may_be_many(name: str, players: int) -> None:
    table = make(name, players)
    played(table, 0)
    assert len(table.returns) == players == table.seats


def test_games_are_imported_when_asked_for() -> None:
    assert turnwise.games.make("Kuhn").seats == 2
    code = (
        "import sys, turnwise; print(sum('games' in m for m in sys.modules)); turnwise.games; print(len(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found[0] == "0"
    with pytest.raises(AttributeError, match="no attribute 'sports'"):
        _ = turnwise.sports


PAGE = Path(__file__).parents[2] / "docs" / "games.md"


@pytest.mark.skipif(not PAGE.is_file(), reason="needs the checkout, not an installed copy")
@pytest.mark.parametrize("number", [0, 1])
def test_the_blocks_of_the_page_run(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    block = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[number]
    if "pettingzoo" in block and importlib.util.find_spec("pettingzoo") is None:
        pytest.skip("PettingZoo is not installed: pip install turnwise[pettingzoo]")
    exec(block, {})
    assert ("Hanabi" in block) == bool(capsys.readouterr().out)
