"""An endpoint that is dead, mistaken, thoughtful, or particular about its limits."""

import dataclasses
import datetime
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests._work import one_in
from tests.agents.test_openai import (
    ENV,
    KEY,
    PASSING,
    Answer,
    a_play,
    asking,
    config,
    guess,
    ok,
    refuse,
    said,
    serving,
)
from turnwise.agents.endpoint.address import with_path
from turnwise.agents.make import make_agent
from turnwise.agents.openai import OpenAIAgent
from turnwise.agents.scripted import ConstantAgent, HumanAgent
from turnwise.core.episode import Episode, Job, read_episodes
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.player import rollout
from turnwise.evaluation.evaluate import evaluate


def test_a_missing_or_impossible_key_is_refused_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    for key in ("", "  "):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        with pytest.raises(SettingsError, match=r"api\.openai\.com requires a key.*OPENAI_API_KEY"):
            make_agent("openai:gpt")
    make_agent("openai:gpt@http://localhost:1/v1").close()
    monkeypatch.setenv("MY_KEY", "schl\u00fcssel")
    with pytest.raises(SettingsError, match="MY_KEY contains characters") as raised:
        make_agent("openai:gpt@http://localhost:1/v1", api_key_env="MY_KEY")
    assert "schl" not in str(raised.value)
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000/v1")
    with pytest.raises(SettingsError, match=r"OPENAI_BASE_URL is 'localhost:8000/v1'.*http://localhost:8000/v1"):
        make_agent("openai:gpt")


def test_a_base_url_keeps_its_query() -> None:
    url = "https://x.org/deployments/m?api-version=2"
    whole = with_path(url, "/chat/completions")
    assert whole == "https://x.org/deployments/m/chat/completions?api-version=2"
    assert with_path(whole, "/chat/completions") == whole


# ---- a dead server, thoughts, limits, the clock --------------------------------------------------------------------


@pytest.mark.parametrize("kind", one_in(5, ["500", "drop", "no json", "refused", "400"]))
def test_a_dead_server_stops_the_run_soon(kind: str, tmp_path: Path) -> None:
    """After as many requests as `give_up_after` says, and those in flight, however many tasks there are."""
    answer = refuse(400, {"error": "no such setting"}) if kind == "400" else PASSING.get(kind, "drop")
    with serving(lambda n, body: answer) as server:
        url = server.url
        if kind == "refused":
            url = "http://127.0.0.1:9/v1"  # the port of "discard", where nobody listens
        options = {"backoff_s": 0.01, "give_up_after": 12}
        made = dataclasses.replace(config(server, tmp_path), agent=f"openai:m@{url}", agent_options=options)
        with pytest.raises(FatalError, match="answered none of the first 12 requests, at last: ") as raised:
            evaluate(made)
        assert url in str(raised.value)
        assert kind != "refused" or "ConnectError" in str(raised.value)
        assert len(server.bodies) <= 12 + 2 * 16
        server.script = lambda n, body: guess(body)
        if kind != "refused":
            assert evaluate(made).overall.num_episodes == 120, "what was stopped goes on"


@pytest.mark.slow
def test_a_server_that_dies_stops_the_run_and_what_was_played_is_kept(tmp_path: Path) -> None:
    with serving(lambda n, body: guess(body) if n < 60 else "drop") as server:
        made = dataclasses.replace(
            config(server, tmp_path), agent_options={"backoff_s": 0.001, "max_retries": 2, "give_up_after": 20}
        )
        with pytest.raises(FatalError, match="has not answered 20 requests in a row, at last: "):
            evaluate(made)
        kept = {e.job.name for e in read_episodes(tmp_path / "episodes.jsonl") if e.status == "done"}
        assert kept
        server.script = lambda n, body: guess(body)
        with pytest.raises(SettingsError, match=r"agent_options was \{\}, is \{'max_tokens': 5\}"):
            evaluate(dataclasses.replace(made, agent_options={"max_tokens": 5}))
        again = evaluate(dataclasses.replace(made, agent_options={"timeout_s": 9, "max_retries": 3}))  # more patience
        assert again.overall.num_episodes == 120
        done = [e.job.name for e in read_episodes(tmp_path / "episodes.jsonl") if e.status == "done"]
        assert len(done) == len(set(done)) == 120, "what was kept is not played again"


def test_leaving_does_not_wait_for_an_answer() -> None:
    """A request in flight is cut off: a server that never answers holds nobody for the length of a time-out."""
    asked, never = threading.Event(), threading.Event()

    def script(number: int, body: dict[str, Any]) -> Answer:
        if number == 0:
            return guess(body)
        asked.set()
        never.wait()
        return guess(body)

    with asking(script, timeout_s=10_000.0, concurrency=4) as (agent, _):
        episodes = rollout(agent, [Job("turnwise/Countdown-v0", i) for i in range(50)])
        next(episodes)
        asked.wait()
        episodes.close()  # a test that hangs here has failed
        never.set()
        assert agent.act([a_play()])[0].text, "the agent itself goes on"


def test_thoughts_are_kept_and_sent_back_only_if_asked(tmp_path: Path) -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        return ok(said(f"<answer>{number + 1}</answer>", reasoning_content=f"thought {number} \ud800"))

    job = Job(ENV, 5, 0, {"max_number": 10**6, "max_turns": 3})
    for field in (None, "reasoning"):
        with asking(script, send_reasoning=field) as (agent, server):
            [episode] = rollout(agent, [job])
        assert [turn.reasoning for turn in episode.turns] == [f"thought {n} \ud800" for n in range(3)]
        sent = [m.get("reasoning") for m in server.bodies[-1]["messages"] if m["role"] == "assistant"]
        assert sent == ([None, None] if field is None else ["thought 0 ?", "thought 1 ?"])
        assert "thought" not in "".join(m["content"] for m in server.bodies[-1]["messages"])
        assert Episode.from_json(episode.to_json()) == episode


def test_the_clock_and_the_servers_own_words_are_kept_apart(tmp_path: Path) -> None:
    usage = {
        "prompt_tokens": 11,
        "completion_tokens": 3,
        "completion_tokens_details": {"reasoning_tokens": 2},
        "x": "y",
    }
    answer = {**said("<answer>1</answer>"), "model": "m-2026-01-01", "id": "chatcmpl-7", "usage": usage}
    with asking(lambda n, body: refuse(500) if n == 0 else ok(answer)) as (agent, _):
        [episode] = rollout(agent, [Job("turnwise/Countdown-v0", 5)])
    [turn] = episode.turns
    assert turn.served is not None
    at = datetime.datetime.fromisoformat(turn.served["at"])
    assert at.utcoffset() == datetime.timedelta(0)
    assert turn.served["latency_s"] >= 0
    assert (turn.served["retries"], turn.served["model"]) == (1, "m-2026-01-01")
    assert turn.served["id"] == "chatcmpl-7"
    assert turn.served["usage"] == {k: v for k, v in usage.items() if k != "x"}
    assert Episode.from_json(episode.to_json()).turns[0].served == turn.served
    assert replace(turn, served=None) == turn, "no part of what is compared"
    with asking(lambda n, body: ok(said(None, refusal="I cannot."))) as (agent, _):
        assert (agent.act([a_play()])[0].served or {})["refusal"] is True


def test_the_limit_goes_by_the_name_that_the_server_takes() -> None:
    """OpenAI's reasoning models refuse ``max_tokens``."""
    why = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def script(number: int, body: dict[str, Any]) -> Answer:
        return (
            refuse(400, {"error": {"message": why, "code": "unsupported_parameter"}})
            if "max_tokens" in body
            else guess(body)
        )

    with asking(script, max_tokens=77) as (agent, server):
        agent.act([a_play()])
        agent.act([a_play()])
        assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 77, 77]
    with asking(lambda n, body: guess(body), extra={"max_completion_tokens": 5}) as (agent, server):
        agent.act([a_play()])
        assert "max_tokens" not in server.bodies[0]


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192",
        "max_tokens is too large: 16384. This model supports at most 4096 completion tokens, not so many.",
    ],
)
def test_a_limit_beyond_the_context_is_left_out(message: str) -> None:
    with asking(lambda n, body: refuse(400, {"message": message}) if "max_tokens" in body else guess(body)) as (
        agent,
        server,
    ):
        assert agent.act([a_play()])[0].text
        assert [body.get("max_tokens") for body in server.bodies] == [16384, None]


# ---- by name -----------------------------------------------------------------------------------------------------


def test_make_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for spec, url in [
        ("openai:org/m:free@http://localhost:1/v1/", "http://localhost:1/v1/chat/completions"),
        ("openai:m@2024@https://x.org/v1/chat/completions", "https://x.org/v1/chat/completions"),
        ("openai:gpt", "https://api.openai.com/v1/chat/completions"),
        ("openai:claude@20240620", "https://api.openai.com/v1/chat/completions"),
        ("openai:@cf/meta/llama-3", "https://api.openai.com/v1/chat/completions"),
        ("openai:m@http://[::1]:8000/v1//", "http://[::1]:8000/v1/chat/completions"),
    ]:
        agent = make_agent(spec, concurrency=3, max_tokens=5)
        assert isinstance(agent, OpenAIAgent)
        assert (agent.url, agent.concurrency) == (url, 3)
        assert f"openai:{agent.model}" == spec.partition("@http")[0]
        agent.close()
    constant = make_agent("constant:a:b", concurrency=2)
    assert isinstance(constant, ConstantAgent)
    assert (constant.name, constant.concurrency) == ("constant:a:b", 2)
    assert make_agent("constant:").name == "constant:"
    human = make_agent("human", ask=lambda text: text + "!")
    assert isinstance(human, HumanAgent)
    assert human.act([a_play()])[0].text == "hello!"
    assert [make_agent(spec).name for spec in ("oracle", "random")] == ["oracle", "random"]


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("oracel", {}, "did you mean 'oracle'"),
        ("openia:m", {}, r"did you mean 'openai:MODEL"),
        ("openai:", {}, "did you mean 'openai:MODEL"),
        ("hf", {}, "the agent 'hf' does not exist"),
        ("oracle:x", {}, "does not exist"),
        ("zzz", {}, "there are oracle, random"),
        ("oracle", {"temperature": 1}, "no option 'temperature'"),
        ("openai:m", {"temprature": 1}, "did you mean 'temperature'"),
        ("openai:m", {"api_key": KEY}, "api_key_env"),
        ("openai:m@ftp://x", {}, "did you mean 'openai:m@http://x'"),
        ("openai:m@localhost:8000/v1", {}, "did you mean 'openai:m@http://localhost:8000/v1'"),
        ("openai:m@localhost", {}, "did you mean 'openai:m@http://localhost'"),
        ("openai:m@my-host:8000", {}, "did you mean 'openai:m@http://my-host:8000'"),
        ("openai:m@my-host/v1", {}, "did you mean 'openai:m@http://my-host/v1'"),
        ("openai:m@llm.example.org/v1", {}, "did you mean 'openai:m@http://llm.example.org/v1'"),
        ("openai:m@10.0.0.7:8000/v1", {}, "did you mean 'openai:m@http://10.0.0.7:8000/v1'"),
        ("openai:m@https//h/v1", {}, "did you mean 'openai:m@http://h/v1'"),
        ("openai:m@http:/h:1/v1", {}, "did you mean 'openai:m@http://h:1/v1'"),
        ("openai:m@ http://h:1/v1", {}, "did you mean 'openai:m@http://h:1/v1'"),
        ("openai:@http://h:1/v1", {}, "names no model"),
        ("openai: ", {}, "names no model"),
        ("openai:m @http://h:1/v1", {}, "spaces around it"),
        ("openai:m@http://h:1/v1 ", {}, "must not contain spaces"),
        ("openai:m@http://", {}, "must look like"),
        ("openai:m@http://h:70000/v1", {}, "out of range"),
        ("openai:m@http://h:eighty/v1", {}, "base_url is"),
        ("openai:m@http://h:0/v1", {}, "base_url is .*; it must look like"),
        ("openai:m", {"send_reasoning": "yes"}, "send_reasoning is 'yes'"),
        ("openai:m", {"give_up_after": 0}, "give_up_after is 0"),
        ("openai:m@http://u:p@x/v1", {}, "user or password"),
        ("openai:m@http://x/v1", {"base_url": "http://y/v1"}, "given twice"),
        ("openai:m", {"base_url": "localhost:8000"}, "base_url is"),
        ("openai:m", {"timeout_s": 0}, "timeout_s is 0"),
        ("openai:m", {"max_retries": -1}, "max_retries is -1; it must be at least 0"),
        ("openai:m", {"extra": {"stream": True}}, "extra must not have stream"),
    ],
)
def test_bad_agents(spec: str, options: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(SettingsError, match=message):
        make_agent(spec, **options)
