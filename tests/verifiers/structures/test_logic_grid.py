"""Tables of logic grids: every spelling says the same, hedges say nothing."""

import doctest
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.structures.logic_grid
from tests._work import at_most
from turnwise.verifiers.structures.logic_grid import GridError, grid_of, parse_table, verify_table

GRID = grid_of([1, 2, 3], {"name": ["Ada", "Ben", "Cleo"], "color": ["red", "dark blue", "green"], "age": [30, 40, 50]})
SOLUTION = (("Ben", "red", "50"), ("Cleo", "dark blue", "30"), ("Ada", "green", "40"))
NAMES = tuple(name for name, _ in GRID.categories)


def as_lines(table, mark=": ", between="\n", label="House "):
    return between.join(f"{label}{i}{mark}{', '.join(row)}" for i, row in enumerate(table, 1))


def as_markdown(table, corner="House"):
    head = f"| {corner} | " + " | ".join(NAMES) + " |\n|---|:-:|---|---|\n"
    return head + "\n".join(f"| {i} | " + " | ".join(row) + " |" for i, row in enumerate(table, 1))


def as_columns(table):
    lines = [f"| {name} | " + " | ".join(row[j] for row in table) + " |" for j, name in enumerate(NAMES)]
    return "| | House 1 | House 2 | House 3 |\n|---|---|---|---|\n" + "\n".join(lines)


def as_objects(table):
    return {f"House {i}": dict(zip(NAMES, row, strict=True)) for i, row in enumerate(table, 1)}


SPELLINGS = {
    "lines": as_lines, "one line": lambda t: as_lines(t, between="; "), "numbers": lambda t: as_lines(t, ". ",
        label=""),
    "equals": lambda t: as_lines(t, " = "), "bullets": lambda t: as_lines(t, label="- House "),
    "bold": lambda t: as_lines(t, ":** ", label="**House "),
    "markdown": as_markdown, "no corner": lambda t: as_markdown(t, ""), "columns": as_columns,
    "bare bars": lambda t: "\n".join(line.strip("| ") if i != 1 else line.strip("|") for i, line in
                                     enumerate(as_markdown(t).split("\n"))).replace("House |", "|House |", 1),
    "named": lambda t: "\n".join(f"House {i}: " + ", ".join(f"{a}: {v}" for a, v in zip(NAMES, row, strict=True))
                                 for i, row in enumerate(t, 1)),
    "upper case": lambda t: as_lines(t).upper(), "cells in bars": lambda t: "\n".join(
        f"| {i} | " + " | ".join(row) + " |" for i, row in enumerate(t, 1)),
    "json": lambda t: json.dumps(as_objects(t)),
        "fence": lambda t: f"```json\n{json.dumps(as_objects(t), indent=1)}\n```",
    "wrapped": lambda t: json.dumps({"solution": as_objects(t)}), "list": lambda t: json.dumps(
        [{"house": i, **dict(zip(NAMES, row, strict=True))} for i, row in enumerate(t, 1)]),
    "bare list": lambda t: json.dumps([dict(zip(NAMES, row, strict=True)) for row in t]),
    "json rows": lambda t: json.dumps({str(i): list(row) for i, row in enumerate(t, 1)}),
    "json columns": lambda t: json.dumps({name: [row[j] for row in t] for j, name in enumerate(NAMES)}),
    "json by value": lambda t: json.dumps(
        {name: {f"house {i}": row[j] for i, row in enumerate(t, 1)} for j, name in enumerate(NAMES)}),
    "header": lambda t: json.dumps({"header": ["House", *NAMES], "rows": [[str(i), *r] for i, r in enumerate(t, 1)]}),
    "numbers in json": lambda t: json.dumps(
        [{"House": i, "name": r[0], "color": r[1], "age": int(r[2])} for i, r in enumerate(t, 1)]),
}  # fmt: skip


@st.composite
def tables(draw):
    columns = [draw(st.permutations(values)) for _, values in GRID.categories]
    return tuple(zip(*columns, strict=True))


@pytest.mark.parametrize("name", SPELLINGS)
@settings(max_examples=20)
@given(table=tables())
def test_every_spelling_is_read_and_the_share_of_cells_is_right(name, table):
    text = SPELLINGS[name](table)
    assert parse_table(text, GRID) == table, text
    verdict = verify_table(text, GRID, SOLUTION, partial=True)
    share = sum(a == b for row, other in zip(table, SOLUTION, strict=True) for a, b in zip(row, other, strict=True)) / 9
    assert verdict.correct == (table == SOLUTION) and verdict.parts == {"cells": share}
    assert verdict.score == pytest.approx(share) and (verdict.score == 1) == verdict.correct
    assert verify_table(text, GRID, SOLUTION).score == float(table == SOLUTION)


def test_lines_may_come_in_any_order():
    lines = as_lines(SOLUTION).split("\n")
    assert verify_table("\n".join(reversed(lines)), GRID, SOLUTION).correct
    assert verify_table(as_lines([row[::-1] for row in SOLUTION]), GRID, SOLUTION).correct


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no table"), ("House 1: Ben, red, 50", "has no name"), (as_lines(SOLUTION) + ", red", "twice"),
        (as_lines(SOLUTION) + "\n" + as_lines(SOLUTION), "twice"), (as_lines(SOLUTION) + "\nHouse 4: Ada",
        "not readable"),
        (as_lines(SOLUTION).replace("Cleo", "Ben"), "in both"), (as_lines(SOLUTION).replace("red", "red or green"),
        "none"),
        (as_lines(SOLUTION).replace("House 2", "House 1"), "twice"), (as_lines(SOLUTION) + "\nor so", "not readable"),
        (as_markdown(SOLUTION) + "\n| 1 | Ben | red | 50 |", "twice"), (as_markdown(SOLUTION) + "\n| 1 | Ben |",
        "cells"),
        (as_markdown(SOLUTION).replace("| 2 |", "| 5 |"), "no house"), (as_markdown(SOLUTION).replace("color", "hue"),
        "first"),
        (as_columns(SOLUTION).replace("House 3", "House 2"), "twice"), ("| Name | x |\n|---|---|", "no table"),
        (as_columns(SOLUTION).replace("color", "hue"), "first line"), ("{", "begins like JSON"), ("[]", "no table"),
        ("{}", "no table"),
        ("[1, 2]", "objects"), ('{"1": 3}', "must hold"), ('{"1": {"name": ["Ada"]}}', "must hold"),
        ('{"1": {"name": true}}', "must hold"), ('{"1": {"name": "Ada"}, "1": {"name": "Ben"}}', "key twice"),
        ('{"1": {"name": "Ada", "NAME": "Ben"}}', "key twice"), ('{"4": {"name": "Ada"}, "1": {}}', "is not a house"),
        ('{"1": {"name": "red"}}', "is not a listed name"), ('{"1": {"hue": "red"}}', "none of the values"),
        ('{"House 1": {"name": "Ada"}, "1": {"name": "Ben"}}', "has its name twice"),
        ('[{"name": "Ada"}, {"name": "Ada"}]', "in both"), ('[{"name": "Ada"}]' + " " * 9, "has no color"),
        ('[{}, {}, {}, {"name": "Ada"}]', "more than 3"), ('[{"house": 1, "street": 2}]', "is not a category"),
        ('{"1": NaN}', "must hold"), ('"Ada"', "not readable"), ("[" * 5000, "deeply"), ('{"1":' * 3000, "deeply"),
        ('{"1": {"age": ' + "9" * 5000 + "}}", "begins like JSON"), ("x" * 30_000, "longer"),
    ],
)  # fmt: skip
def test_what_is_refused_and_why(text, why):
    verdict = verify_table(text, GRID, SOLUTION)
    assert not verdict.correct and verdict.score == 0 and why in verdict.reason, verdict.reason


def test_a_hedge_earns_no_share_and_an_open_cell_does():
    half = as_lines(SOLUTION).replace("Cleo", "?").replace("green", "-")
    assert verify_table(half, GRID, SOLUTION, partial=True).score == pytest.approx(7 / 9)
    assert verify_table(as_markdown((("Ben", "", "50"), *SOLUTION[1:])), GRID, SOLUTION, partial=True).score == 8 / 9
    everywhere = "\n".join(f"House {i}: Ben, red, 50" for i in (1, 2, 3))
    assert verify_table(everywhere, GRID, SOLUTION, partial=True).score == 0


def test_a_check_decides_and_is_asked_for_full_tables_only():
    asked = []

    def ada_is_not_first(table):
        asked.append(table)
        return "Ada is first" if table[0][0] == "Ada" else ""

    assert verify_table(as_lines(SOLUTION), GRID, check=ada_is_not_first).correct
    wrong = (SOLUTION[2], SOLUTION[1], SOLUTION[0])
    assert verify_table(as_lines(wrong), GRID, check=ada_is_not_first).reason == "Ada is first"
    verdict = verify_table(as_lines(wrong), GRID, SOLUTION, ada_is_not_first, partial=True)
    assert not verdict.correct and verdict.score == pytest.approx(1 / 3)
    assert not verify_table("1: Ben", GRID, check=ada_is_not_first).correct
    assert asked == [SOLUTION, wrong, wrong]


def test_a_value_of_two_categories_counts_by_its_label_or_its_place():
    grid = grid_of(["Ann", "Bo"], {"hat": ["red", "blue"], "coat": ["blue", "red"]}, "person")
    solution = [("red", "blue"), ("blue", "red")]
    assert verify_table("Ann: red, blue; Bo: blue, red", grid, solution).correct
    assert verify_table("Ann: coat: blue, hat: red; Bo: hat = blue, coat = red", grid, solution).correct
    assert not verify_table("Ann: blue, red; Bo: red, blue", grid, solution).correct
    assert "several categories" in verify_table("Ann: red; Bo: blue, red", grid, solution).reason


@pytest.mark.parametrize(
    ("rows", "categories", "why"),
    [([1], {"a": ["x", "y"]}, "2 values for 1"), ([1, 1], {"a": ["x", "y"]}, "not different"), ([], {}, "not there"),
     ([1, 2], {"a": ["x", "X"]}, "not different"), ([1, 2], {"a": ["x, y", "z"]}, "separator"), ([1, 2], {},
     "not there"),
     ([1, 2], {"a:": ["x", "y"]}, "separator"), ([1, 2], {"a": ["x", " "]}, "empty")]
)  # fmt: skip
def test_grids_that_make_no_sense_are_errors(rows, categories, why):
    with pytest.raises(GridError, match=why):
        grid_of(rows, categories)


def test_solutions_that_make_no_sense_are_errors():
    for solution in ((), SOLUTION[:2], (("Ben",),) * 3, (SOLUTION[0],) * 3):
        with pytest.raises(GridError, match="does not fit"):
            verify_table("", GRID, solution)
    with pytest.raises(GridError, match="needed"):
        verify_table("", GRID)


HOSTILE = ["|" * 19_000, "1:" * 9_000, "House " * 3_000, "1: " + "Ada," * 4_900, ";" * 19_000, "|1|" * 6_000,
    "- " * 9_000,
           "{" * 19_000, '{"1": "' + "[" * 19_000, "|House" + "|name" * 3_000 + "\n" + "|1" * 3_000, "```\n" * 4_000,
           "*" * 19_000, "=" * 19_000 + "x", ("| 1 | " + "-" * 50 + "\n") * 300, "House 1" + "." * 18_000,
           "[{},"  * 4_000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_refused_soon(text):
    for answer in (text, text * 6):
        with at_most(millions=4):
            assert not verify_table(answer, GRID, SOLUTION).correct


@given(st.text(alphabet='123:|-,;{}[]"\n AdaBenred ', max_size=60))
def test_any_text_has_a_verdict(text):
    assert not verify_table(text, GRID, SOLUTION).correct


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(turnwise.verifiers.structures.logic_grid).failed == 0
