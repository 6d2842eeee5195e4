"""The order of strength of players: measurements bear it out, levels keep to it, and docs/games.md has the tables."""

import importlib
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import turnwise  # noqa: F401  (registers)
from turnwise.core.registration import env_class, env_ids
from turnwise.envs.games._match import Match
from turnwise.envs.games.generated_game import GeneratedGame
from turnwise.envs.tables._duel import Duel
from turnwise.envs.tables._points import Points
from turnwise.worlds.games.hidden.hands import Hands
from turnwise.worlds.games.hidden.kuhn import Kuhn
from turnwise.worlds.games.ladders import LADDERS, ladder_of, rank_of

ROOT = Path(__file__).resolve().parents[2]
OPPONENTS = [
    cls
    for cls in map(env_class, env_ids())
    if issubclass(cls, (Match, Points)) and cls.levels and cls.__name__ not in ("Blackjack", "Matrix", "NPoint")
]  # Blackjack is played alone, and the strategies of Matrix and the habits of NPoint have no order
by_env = pytest.mark.parametrize("cls", OPPONENTS, ids=lambda cls: cls.__name__)


@pytest.fixture(scope="module")
def bench() -> Any:
    """The modules of the benchmarks."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(f"games_{name}") for name in ("points", "table")})
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture(scope="module")
def measured(bench: SimpleNamespace) -> list[list[Any]]:
    """The rows of each board and measure."""
    return bench.table.boards(bench.table.load())


def opponents(cls: Any) -> dict[str, list[str]]:
    """Return the opponents of the levels in order, by the rules that they play."""
    found = defaultdict(list)
    for level in cls.levels:
        env = cls(**level)
        game = env.rules().inner if isinstance(env.rules(), Hands) else env.rules()
        rules = f"Generated, size {env.size}" if cls is GeneratedGame else repr(game)
        if isinstance(env.rules(), Hands):
            rules += f" {env.hands}"
        name = env.opponent if hasattr(env, "opponent") else env.others
        if name != "any":
            found[rules].append(name)
    return found


@by_env
def test_opponents_of_levels_stand_in_the_ladder(cls: Any) -> None:
    game = cls(**cls.levels[0]).rules()
    names = {name for each in opponents(cls).values() for name in each}
    if issubclass(cls, Duel):
        names |= set(cls.opponents[: cls.drawn])
    assert names
    assert all(rank_of(game, name) >= 0 for name in names)


@by_env
def test_levels_go_up_the_ladder_at_equal_size(cls: Any, measured: list[list[Any]]) -> None:
    """An opponent may stand below that of an easier level only where the measurement does not separate the two."""
    game = cls(**cls.levels[0]).rules()
    for rules, names in opponents(cls).items():
        for easier, harder in pairwise(names):
            if rank_of(game, harder) < rank_of(game, easier):
                [rows] = [rows for rows in measured if rows[0].rules == rules and rows[0].measure == "Elo"]
                steps = {row.player: row for row in rows}
                below = [row.player for row in rows][[row.player for row in rows].index(easier) - 1]
                assert (below, steps[easier].step_low <= 0) == (harder, True), (rules, names)


@by_env
def test_opponents_of_equal_size_are_measured_at_that_size(cls: Any, measured: list[list[Any]]) -> None:
    for rules, names in opponents(cls).items():
        if len(set(names)) > 1:
            plain = (
                rules.rsplit(" ", 1)[0] if issubclass(cls, Points) and rules.startswith(("Kuhn", "Leduc")) else rules
            )
            boards = [{row.player for row in rows if row.placed} for rows in measured if rows[0].rules == plain]
            assert any(set(names) <= players for players in boards), rules


def test_every_ladder_is_measured_and_no_step_is_refuted(measured: list[list[Any]]) -> None:
    whole = set()
    for rows in measured:
        placed = [row for row in rows if row.placed]
        if not placed:
            continue
        ladder = LADDERS[rows[0].game]
        places = [ladder.index(row.player) for row in placed]
        assert places == sorted(places), rows[0][:4]
        slack = 0.001 if "computed" in rows[0].measure else 0.0  # the equilibrium of Kuhn is close to one, within this
        assert all(row.step_high >= -slack for row in placed), rows[0][:4]
        if len(placed) == len(ladder):
            whole.add(rows[0].game)
    assert whole == set(LADDERS)


def test_docs_have_the_tables(bench: SimpleNamespace) -> None:
    text = (ROOT / "docs" / "games.md").read_text()
    assert [line for table in bench.table.tables() for line in table if line not in text] == []


def test_played_and_computed_chips_agree(measured: list[list[Any]]) -> None:
    """They differ by at most the width of the 95 % interval: almost four standard errors."""
    found = {(row.game, row.measure, row.player): row for rows in measured for row in rows}
    played = [row for (game, measure, _), row in found.items() if f"{measure}, computed" in {m for _, m, _ in found}]
    assert len(played) == 2 * (len(LADDERS["Kuhn"]) + len(LADDERS["Leduc"]))
    for row in played:
        computed = found[row.game, f"{row.measure}, computed", row.player].value
        assert abs(row.value - computed) <= row.high - row.low + 1e-9, row


def test_both_seatings_have_the_same_cards(bench: SimpleNamespace) -> None:
    """What one wins the other loses, and a player who always bets against one who always folds wins every deal."""
    got = bench.points.round_robin(Kuhn(), ("random", "equilibrium"), 6)
    assert got.shape == (2, 2, 6)
    assert np.allclose(got[0, 1], -got[1, 0])
    assert np.allclose(got[0, 0], 0.0)
    assert got[0, 1].any()


def test_lines_say_who_is_told_apart(bench: SimpleNamespace) -> None:
    got = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [5.0, 6.0, 5.0, 7.0], [9.0, 9.0, 9.0, 9.0]])
    rows = bench.table.rows_of(Kuhn(), "", "points", ("a", "b", "c", "d"), got, others=("d",))
    assert bench.table.line_of(rows).startswith("`a` 0.50 (")
    assert [sign for sign in bench.table.line_of(rows) if sign in "<≈"] == ["≈", "<"]
    assert bench.table.line_of(rows).endswith("; without a place: `d` 9.00")
    assert bench.table.line_of(rows[3:]) == "`d` 9.00"


def test_rows_are_kept_in_place_of_older_ones(bench: SimpleNamespace, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    for points in (1.0, 2.0):
        got = np.full((2, 3), points)
        bench.table.save(bench.table.rows_of(Kuhn(), "", "points", ("a", "b"), got, others=("b",)), file)
    rows = bench.table.load(file)
    assert [(row.player, row.value, row.placed) for row in rows] == [("a", 2.0, True), ("b", 2.0, False)]


def test_ladders_of_matches_and_of_games_without_one() -> None:
    assert ladder_of(Hands()) == LADDERS["Kuhn"]
    assert rank_of(Kuhn(), "equilibrium") == len(LADDERS["Kuhn"]) - 1
    with pytest.raises(ValueError, match=r"not in tuple"):
        rank_of(Kuhn(), "heuristic:1")
