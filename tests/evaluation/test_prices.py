"""Prices: what a run costs, by hand, and files that are wrong."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from turnwise.cli.main import run
from turnwise.core.episode import Episode, Turn
from turnwise.core.errors import SettingsError
from turnwise.core.metrics import score
from turnwise.evaluation.prices import read_prices

PRICES = '["m"]\ninput = 2\noutput = 10.0\ncached_input = 0.5\n["vendor/*"]\ninput = 1\noutput = 1\n'


def episode(agent: str, *turns: Turn, **more: Any) -> Episode:
    options = {"terminated": True, "truncated": False, "metrics": {}, **more}
    return Episode("E", {}, agent, 1, 0, "", turns, "", 1.0, True, **options)


def turn(read: int, written: int, **served: Any) -> Turn:
    return Turn("", "", 0.0, prompt_tokens=read, completion_tokens=written, served=served or None)


def prices(folder: Path, text: str = PRICES) -> Any:
    (folder / "p.toml").write_text(text)
    return read_prices(folder / "p.toml")


def test_costs_by_hand(tmp_path: Path) -> None:
    cost = prices(tmp_path)
    cached = {"prompt_tokens_details": {"cached_tokens": 600}}
    assert cost(episode("m", turn(1000, 100), turn(1000, 10, usage=cached))) == pytest.approx(
        (1000 * 2 + 100 * 10 + 400 * 2 + 600 * 0.5 + 10 * 10) / 1e6
    )
    assert cost(episode("proxy", turn(10, 10, model="vendor/large"))) == pytest.approx(20 / 1e6)
    assert cost(episode("unknown", turn(10, 10))) is None
    assert cost(episode("m", turn(0, 0))) is None, "nobody has counted its tokens"


def test_the_cost_of_a_run_is_known_only_if_every_episode_s_is(tmp_path: Path) -> None:
    cost = prices(tmp_path)
    known, unknown = episode("m", turn(1_000_000, 0)), episode("m", turn(0, 0))
    assert score([known, dataclasses.replace(known, seed=2)], price=cost).cost == 2.0
    assert score([known, unknown], price=cost).cost is None
    failed = dataclasses.replace(unknown, status="error")
    assert score([known, failed], price=cost).cost == 2.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[m", "cannot be read"),
        ("m = 3", r"\[m\]: it must be a table"),
        ("[m]\ninput = 1", r"\[m\]: output is missing"),
        ("[m]\ninput = -1\noutput = 1", r"\[m\]: input is -1.0; it must be at least 0"),
        ("[m]\ninput = 1\noutputs = 1", "no setting"),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        prices(tmp_path, text)


def test_refusals_and_seconds() -> None:
    one = episode("m", turn(1, 1, refusal=True, latency_s=1.5), turn(1, 1, latency_s=0.5))
    two = episode("m", dataclasses.replace(turn(1, 1, latency_s=4.0), finish="content_filter"))
    found = score([one, dataclasses.replace(two, seed=2), episode("m", turn(1, 1, latency_s=3.0))])
    assert (found.refusal_rate, found.latency_s) == (2 / 3, 3.0)


def test_a_run_without_a_price_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "prices.toml"
    path.write_text("[another]\ninput = 1\noutput = 2\n")
    words = ["eval", "GuessNumber:difficulty=1", "--agent", "oracle", "--num-tasks", "2"]
    assert run([*words, "--prices", str(path)]) == 0
    assert f"no cost: {path} has no price for oracle" in capsys.readouterr().err
    assert run(words) == 0
    assert "no cost" not in capsys.readouterr().err


def test_what_is_written_to_a_cache_may_have_a_price_of_its_own(tmp_path: Path) -> None:
    text = '["m"]\ninput = 2\noutput = 10\ncached_input = 0.5\ncache_write = 2.5\n'
    one = turn(1000, 100, cached_tokens=600, cache_write_tokens=300, usage={"input_tokens": 100})
    expected = (100 * 2 + 600 * 0.5 + 300 * 2.5 + 100 * 10) / 1e6
    assert prices(tmp_path, text)(episode("m", one)) == pytest.approx(expected)
    assert prices(tmp_path)(episode("m", one)) == pytest.approx((400 * 2 + 600 * 0.5 + 100 * 10) / 1e6)
