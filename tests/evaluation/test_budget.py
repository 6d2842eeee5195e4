"""Budgets, estimates and the log of requests, on real evaluations against a server on this machine."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_openai import ok, said, serving
from turnwise.agents.scripted import OracleAgent
from turnwise.cli.main import run
from turnwise.core.episode import Episode, Job, Turn, read_episodes
from turnwise.core.errors import FatalError, SettingsError
from turnwise.evaluation.budget import FIRST, Affordable
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.estimate import Bounds, estimate
from turnwise.evaluation.evaluate import env_maker, evaluate

ENV = "turnwise/Countdown-v0"
PRICES = '["m"]\ninput = 1000000\noutput = 0\n'  # one a token read, for easy sums


def episode(seed: int, cost: int | None, status: Any = "done") -> Episode:
    turn = Turn("", "", 0.0, prompt_tokens=cost or 0)
    return Episode("E", {}, "m", seed, 0, "", (turn,), "", 0.0, False, True, False, {}, status)


def afford(number: int, budget: float, *played: Episode) -> Affordable:
    jobs = (Job("E", seed) for seed in range(number))
    return Affordable(jobs, budget, lambda e: float(e.turns[0].prompt_tokens) or None, iter(played))


def test_no_episode_begins_that_is_expected_to_exceed_the_budget() -> None:
    jobs = afford(100, 50)
    first = list(jobs)
    assert len(first) == FIRST, "nobody knows yet what one costs"
    jobs.ended(episode(0, 10))
    assert len(list(jobs)) == 1, "four under way and one more at 10 each, with the 10 that are spent"
    for seed in range(1, 5):
        jobs.ended(episode(seed, 8))
    assert jobs.spent == 42 and jobs.left
    assert list(jobs) == [], "another one would cost 8.4"
    cheap = afford(100, 50, episode(0, 2), episode(1, 4))
    assert len(list(cheap)) == 14 and cheap.left
    whole = afford(5, 1e9, episode(9, 1))
    assert len(list(whole)) == 5 and not whole.left


def test_episodes_that_failed_cost_what_they_cost() -> None:
    jobs = afford(9, 100, episode(0, 30, "error"), episode(1, 20))
    assert jobs.spent == 50
    assert len(list(jobs)) == 1, "the mean of those that ended is 50"
    with pytest.raises(FatalError, match=r"budget is 5, but .* table for 'm', and the agent must report its tokens"):
        afford(3, 5, episode(0, None))
    afford(3, 5, episode(0, None, "error"))


def answers(number: int, body: dict[str, Any]) -> Any:
    return ok({**said("<answer>1</answer>"), "usage": {"prompt_tokens": 10, "completion_tokens": 3}})


def test_a_run_stops_at_its_budget_and_goes_on_with_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.toml").write_text(PRICES)
    with serving(answers) as server:
        words = ["eval", "Countdown", "--num-tasks", "30", "--agent", f"openai:m@{server.url}", "--concurrency", "8"]
        words += ["--prices", str(tmp_path / "p.toml"), "--out", str(tmp_path / "run")]
        assert run([*words, "--budget", "105"]) == 1
        assert "stopped at the budget: 100 of 105 is spent, 20 episodes are not played" in capsys.readouterr().err
        kept = (tmp_path / "run" / "episodes.jsonl").read_bytes()
        assert [e.status for e in read_episodes(tmp_path / "run" / "episodes.jsonl")] == ["done"] * 10
        assert json.loads((tmp_path / "run" / "summary.json").read_text())["overall"]["num_episodes"] == 10
        assert run([*words, "--budget", "105"]) == 1 and len(server.bodies) == 10, "what was spent counts"
        assert (tmp_path / "run" / "episodes.jsonl").read_bytes() == kept
        log = tmp_path / "requests.jsonl"
        assert run([*words, "--budget", "1000", "--request-log", str(log)]) == 0
        assert len(server.bodies) == 30
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(lines) == 20 and all(line["status"] == 200 and line["request"]["messages"] for line in lines)


def test_a_budget_needs_prices(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"budget is 5, but nothing has a price.*--prices FILE"):
        EvalConfig(envs=(ENV,), budget=5)
    (tmp_path / "p.toml").write_text('["other"]\ninput = 1\noutput = 1\n')
    config = EvalConfig(envs=(ENV,), num_tasks=9, chance_episodes=0, prices=str(tmp_path / "p.toml"), budget=5)
    with pytest.raises(FatalError, match="must have a table for 'oracle'"):
        evaluate(config, OracleAgent())
    with pytest.raises(SettingsError, match="the agent 'oracle' has no option 'request_log'"):
        evaluate(EvalConfig(envs=(ENV,), request_log=str(tmp_path / "log")))


# ---- estimates -------------------------------------------------------------------------------------------------------


def estimated(env: str, **options: Any) -> tuple[Bounds, Bounds | None]:
    given = {"num_tasks": 10, "num_samples": 2, "agent": "openai:m@http://localhost:9/v1", **options}
    config = EvalConfig(envs=(env,), **given)
    [found] = estimate(config, env_maker(config))
    assert found.episodes == 20
    return found.least, found.most


def test_an_estimate_by_hand(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('["m"]\ninput = 2\noutput = 10\n')
    options = {"agent_options": {"max_tokens": 100}, "prices": str(tmp_path / "p.toml")}
    config = EvalConfig(envs=("Countdown",), num_tasks=10)
    env: Any = env_maker(config)(config.jobs_of(config.envs[0])[0])
    sizes = []
    for job in config.jobs_of(config.envs[0])[:5]:
        observation, _ = env.reset(seed=job.seed)
        sizes.append((len(observation), len(env.oracle())))
    read, written = (sum(column) / 5 / 4 * 20 for column in zip(*sizes, strict=True))
    least, most = estimated("Countdown", **options)
    assert (least.requests, least.read, least.written) == pytest.approx((20, read, written))
    assert least.cost == pytest.approx((2 * read + 10 * written) / 1e6)
    assert most is not None and (most.requests, most.read, most.written) == pytest.approx((20, read, 2000))
    system, _ = estimated("Countdown", **options, system="x" * 400)
    assert system.read == pytest.approx(read + 20 * 100)
    shots, _ = estimated("Countdown", agent_options={"max_tokens": 100, "shots": 2})
    assert 2.5 * read < shots.read < 4 * read


def test_bounds_of_several_turns() -> None:
    least, most = estimated("GuessNumber", settings={"max_turns": 6}, agent_options={"max_tokens": 50})
    assert most is not None and least.requests < most.requests == 120
    assert most.written == 120 * 50 and least.read < most.read
    _, window = estimated(
        "GuessNumber", settings={"max_turns": 6}, agent_options={"max_tokens": 50, "context": "window:1"}
    )
    assert window is not None and window.read < most.read
    assert estimated("GuessNumber", agent_options={"max_tokens": None})[1] is None


def test_a_dry_run_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.toml").write_text('["m"]\ninput = 2\noutput = 10\n')
    with serving(answers) as server:
        words = ["eval", "Countdown", "GuessNumber", "--num-tasks", "10", "--agent", f"openai:m@{server.url}"]
        out = tmp_path / "run"
        assert (
            run([*words, "--dry-run", "--prices", str(tmp_path / "p.toml"), "--budget", "0.001", "--out", str(out)])
            == 0
        )
        assert server.bodies == [] and not out.exists()
    shown = capsys.readouterr()
    assert "| all" in shown.out and "tokens read" in shown.out and " to " in shown.out
    assert "4 characters are a token" in shown.err and "a budget of 0.001 does not suffice" in shown.err
    assert run([*words, "--dry-run"]) == 0
    assert "no cost without prices" in capsys.readouterr().err
