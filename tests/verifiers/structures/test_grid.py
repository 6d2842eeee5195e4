"""Moves, placements, grids, and the rules of sudoku."""

import doctest
import itertools
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import at_most
from turnwise.verifiers.structures.grid import (
    DIRECTIONS,
    check_sudoku,
    parse_grid,
    parse_moves,
    parse_placement,
    sudoku_box,
)

VALID = ("1234", "3412", "2143", "4321")


def test_doctests() -> None:
    assert doctest.testmod(sys.modules["turnwise.verifiers.structures.grid"]).failed == 0


@pytest.mark.parametrize(
    ("text", "limit", "moves"),
    [
        ("UP", 1, ["up"]),
        ("Move north.", 1, ["up"]),
        ("`left`", 1, ["left"]),
        ("→", 1, ["right"]),
        ("⬅️", 1, ["left"]),
        ("e", 1, ["right"]),
        ("up||up", 2, ["up", "up"]),
        ("up, then left", 2, ["up", "left"]),
        ("['up', 'down']", 2, ["up", "down"]),
        ("go up\nmove down", 2, ["up", "down"]),
        ("lurd", 4, ["left", "up", "right", "down"]),
        ("up -> right", 2, ["up", "right"]),
    ],
)
def test_moves_that_are_read(text: str, limit: int, moves: list[str]) -> None:
    assert parse_moves(text, limit) == moves


@pytest.mark.parametrize(
    ("text", "limit"),
    [("", 1), ("move", 1), ("not up", 1), ("up or down", 2), ("up up", 1), ("UU", 1), ("uq", 2), ("up" * 3, 3),
     ("u u u", 2), ("upp", 1), ("up 2", 2), ("up\x00", 1), ("don't go up", 2)],
)  # fmt: skip
def test_moves_that_are_not(text: str, limit: int) -> None:
    assert parse_moves(text, limit) is None


@given(st.text(max_size=60), st.integers(1, 5))
def test_moves_of_any_text(text: str, limit: int) -> None:
    moves = parse_moves(text, limit)
    assert moves is None or (1 <= len(moves) <= limit and set(moves) <= set(DIRECTIONS))


@given(st.lists(st.sampled_from(DIRECTIONS), min_size=2, max_size=12), st.sampled_from([" || ", ", ", "\n", " ", ";"]))
def test_moves_round_trip(moves: list[str], separator: str) -> None:
    assert parse_moves(separator.join(moves), 12) == moves
    assert parse_moves("".join(move[0] for move in moves).upper(), 12) == moves
    assert parse_moves(separator.join(moves), len(moves) - 1) is None


@pytest.mark.parametrize(
    "text", ["r3c4=7", "R3C4 = 7", "row 3, column 4: 7", "(3, 4) = 7", "3,4:7", "r3c4 -> 7.", "r3 c4 7"]
)
def test_placements_that_are_read(text: str) -> None:
    assert parse_placement(text) == (3, 4, "7")


@pytest.mark.parametrize(
    "text", ["r3c4", "r3c4.", "r3c4=", "347", "r33c4=7", "r3c4=77", "r3c4=7 r1c1=2", "r3c4=7 or 8", ""]
)
def test_placements_that_are_not(text: str) -> None:
    assert parse_placement(text) is None


def test_erasing() -> None:
    assert parse_placement("r1c2=.") == (1, 2, ".")


@given(
    st.integers(1, 6).flatmap(lambda w: st.lists(st.text("123x", min_size=w, max_size=w), min_size=1, max_size=6)),
    st.sampled_from(["", " ", ",", ", ", " | ", "\t"]),
    st.sampled_from(["\n", "\r\n", "\n\n", "\n---+---\n", ";\n"]),
    st.booleans(),
)
def test_grids_round_trip(rows: list[str], between: str, after: str, fenced: bool) -> None:
    text = after.join(between.join(row) for row in rows)
    text = f"```text\n{text}\n```" if fenced else text
    assert parse_grid(text, len(rows), len(rows[0]), "123x") == tuple(rows)


@given(st.text("12 \n,|[]x3", max_size=40))
def test_grids_are_exact_in_content(text: str) -> None:
    """What is read holds the text's symbols in their order, and nothing else was in the text."""
    grid = parse_grid(text, 2, 2, "12")
    if grid is not None:
        assert "".join(grid) == "".join(c for c in text if c in "12")
        assert not set(text) & set("x3")
        assert [len(row) for row in grid] == [2, 2]


@pytest.mark.parametrize(
    "text", ["", "1 2", "1 2\n2", "1 2\n2 1 1", "121\n2", "12 21 12", "1 2\n2 3", "1 2\n2 １", "a 12 21"]
)
def test_grids_that_are_not(text: str) -> None:
    assert parse_grid(text, 2, 2, "12") is None


def test_separators_that_are_symbols_count() -> None:
    assert parse_grid("-+\n+-", 2, 2, "+-") == ("-+", "+-")
    assert parse_grid(".# #.", 2, 2, ".#") == (".#", "#.")


@settings(max_examples=50)
@given(st.text(max_size=50))
def test_any_text(text: str) -> None:
    parse_grid(text * 3, 9, 9, "123456789")
    parse_placement(text)


def test_long_texts_are_refused_at_once() -> None:
    with at_most(millions=10):
        for text in ("1" * 10**6, "r1c1=" * 10**5, "up " * 10**5, " " * 10**6):
            assert parse_grid(text, 9, 9, "123456789") is None
            assert parse_placement(text) is None
            assert parse_moves(text, 9) is None


def test_sudoku_by_brute_force() -> None:
    """Of all 4 x 4 grids with rows that are permutations, exactly the 288 sudokus pass."""
    rows = ["".join(p) for p in itertools.permutations("1234")]
    count = 0
    for a, b in itertools.product(rows, repeat=2):
        if {*a[:2], *b[:2]} == set("1234"):  # else no grid below can be right
            count += sum(
                check_sudoku((a, b, c, d), ("....",) * 4).correct
                for c in rows
                if all(x not in (y, z) for x, y, z in zip(c, a, b, strict=True))
                for d in rows
            )
    assert count == 288


def test_sudoku_reasons() -> None:
    blank = ("....",) * 4
    assert check_sudoku(VALID, blank).score == 1.0
    assert check_sudoku(VALID, ("2...", *blank[1:])).reason == "r1c1 is given as 2, not 1"
    assert check_sudoku(("1134", *VALID[1:]), blank).reason == "row 1 has 1 twice"
    assert check_sudoku(("1234", "2341", "3412", "4123"), blank).reason == "the box at r1c1 has 2 twice"
    assert check_sudoku(("1235", *VALID[1:]), blank).reason == "row 1 has something that is not a digit from 1 to 4"
    assert not check_sudoku(VALID[:3], blank).correct
    assert [sudoku_box(n) for n in (4, 6, 9)] == [(2, 2), (2, 3), (3, 3)]
