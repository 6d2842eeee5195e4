"""A suite through an endpoint that fails: every episode is accounted for, and kills change no number."""

import signal
from pathlib import Path

import pytest

from tests._killing import COMMAND_LINE, num_lines, run
from tests.agents.test_openai import Server, faulty, serving
from tests.evaluation._models import knowing
from tests.evaluation.test_suite import SMALL, small
from turnwise.core.episode import read_episodes
from turnwise.evaluation.config import EvalConfig
from turnwise.evaluation.evaluate import Summary, evaluate
from turnwise.evaluation.suite import Suite

OPTIONS = {"timeout_s": 0.5, "backoff_s": 0.01, "max_retries": 2}


def asked(suite: Suite, server: Server, out: Path) -> EvalConfig:
    agent = f"openai:m@{server.url}"
    return suite.config(agent, out=str(out), concurrency=16, retries=12, agent_options=OPTIONS)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_faults_and_five_kills_change_no_number(tmp_path: Path) -> None:
    suite = small(tmp_path, SMALL.replace("num_tasks = 3", "num_tasks = 40"))
    model = knowing(suite.config(), 0.6)
    with serving(model) as server:
        clean = evaluate(asked(suite, server, tmp_path / "clean"))
    assert clean.suite is not None and clean.suite.headline.score is not None
    assert 0.4 < clean.suite.headline.score < 0.8
    assert (clean.overall.num_errors, clean.overall.num_episodes) == (0, suite.num_episodes)
    storm, did = faulty(5, fine=lambda body: model(0, body))
    out = tmp_path / "stormy"
    with serving(storm) as server:
        pairs = [f"{key}={value}" for key, value in OPTIONS.items()]
        words = ["--agent", f"openai:m@{server.url}", "--concurrency", "16", "--retries", "12"]
        words += ["--out", str(out), "--agent-options", *pairs]
        command, part = ["eval", f"suite:{suite.path}", *words], suite.num_episodes // 8
        for round_ in range(1, 6):
            assert run(COMMAND_LINE, *command, end=f"die_in_line({part})") == -signal.SIGKILL
            assert num_lines(out / "episodes.jsonl") == round_ * part
        assert run(COMMAND_LINE, *command) == 0
    assert {"429", "429 date", "cut", "drop", "slow", "500"} <= did.keys()
    names = [episode.job.name for episode in read_episodes(out / "episodes.jsonl")]
    assert len(names) == len(set(names)) == suite.num_episodes
    assert Summary.from_json((out / "summary.json").read_text()) == clean


def test_an_endpoint_that_is_not_there_leaves_errors_and_no_score(tmp_path: Path) -> None:
    suite = small(tmp_path)
    with serving(lambda n, body: "drop") as server:
        config = asked(suite, server, tmp_path / "out")
        options = {**config.agent_options, "max_retries": 0, "give_up_after": 1000}
        summary = evaluate(
            EvalConfig.from_dict({**config.to_dict(), "retries": 0, "agent_options": options, "chance_episodes": 0})
        )
    assert summary.overall.num_errors == suite.num_episodes
    assert summary.suite is not None
    assert summary.suite.headline.score is None and len(summary.suite.missing) == len(suite.cells)
