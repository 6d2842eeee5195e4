"""benchmarks/games_elo.py: ratings from points, and a ladder that is monotone for a player that never loses."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest


@pytest.fixture(scope="module")
def elo() -> SimpleNamespace:
    folder = Path(__file__).resolve().parents[2] / "benchmarks"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        return SimpleNamespace(**runpy.run_path(str(folder / "games_elo.py")))


def test_ratings_recover_the_odds_of_the_model(elo: SimpleNamespace) -> None:
    """With points in the shares of Bradley and Terry's model, differences in rating are those that made them."""
    true = np.array([0.0, 100.0, 400.0])
    odds = 1 / (1 + 10 ** ((true[None, :] - true[:, None]) / 400))
    wins = 100_000 * (odds - np.diag(np.diag(odds)))
    assert elo.ratings(wins) == pytest.approx(true, abs=1.0)


def test_a_player_who_wins_everything_has_a_rating(elo: SimpleNamespace) -> None:
    found = elo.ratings(np.array([[0.0, 0.0], [20.0, 0.0]]))
    assert found[0] == pytest.approx(0.0)
    assert found[1] == pytest.approx(400 * np.log10(20.5 / 0.5))


def test_perfect_nim_is_above_random(elo: SimpleNamespace) -> None:
    [board] = [board for board in elo.BOARDS if board.game == "Nim"]
    rows = {row.player: row for row in elo.rated(board, 4, 20)}
    assert rows["perfect"].value > rows["random"].value == 0.0
    assert rows["perfect"].low <= rows["perfect"].value <= rows["perfect"].high
