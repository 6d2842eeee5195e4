"""The agents of four APIs against servers that are as strict as their documentation: tests/agents/_apis.py."""

import dataclasses
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests._http import answer
from tests.agents._apis import APIS, KEY, KEYS, Anthropic, Api, Said, speaking
from turnwise.agents.endpoint.agent import EndpointAgent
from turnwise.agents.make import make_agent
from turnwise.core.env import Env, Reply
from turnwise.core.episode import Episode, Job
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.player import play_in
from turnwise.core.tools import Tool, Toolbox, text_tool

KINDS = tuple(APIS)
WORDS = {"north": 3, "south": 5, "east": 8}


@dataclasses.dataclass(frozen=True)
class Task:
    word: str
    other: int


class Lookup(Env[Task]):
    """Add two numbers that a tool knows."""

    max_turns = 4

    def generate(self, rng: np.random.Generator) -> Task:
        return Task(str(rng.choice(list(WORDS))), int(rng.integers(10**6)))

    def begin(self) -> str:
        look = text_tool("look", "Looks up a word.", lambda word: str(WORDS.get(word, "unknown")), word="the word")
        stop = Tool("stop", "Gives up.", {"type": "object", "properties": {}}, lambda: "")
        self.box = Toolbox([look, stop])
        return f"What is the number of {self.task.word} plus {self.task.other}?"

    def respond(self, action: str) -> Reply:
        if calls := self.box.parse(action):
            return Reply("\n".join(self.box.run_all(calls).texts), metrics={"calls": float(len(calls))})
        return Reply("", done=True, solved=f"<answer>{WORDS[self.task.word] + self.task.other}</answer>" in action)

    def oracle(self) -> str:
        if self.turn == 0:
            return f"<look>{self.task.word}</look>"
        return f"<answer>{WORDS[self.task.word] + self.task.other}</answer>"

    def sample_action(self, rng: np.random.Generator) -> str:
        return "<answer>1</answer>"

    def tools(self) -> Any:
        return tuple(self.box.tools.values())


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS.values():
        monkeypatch.setenv(name, KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)


def agent_at(kind: str, url: str, **options: Any) -> EndpointAgent:
    made = make_agent(f"{kind}:m@{url}", concurrency=4, **{"backoff_s": 0.001, "timeout_s": 20.0, **options})
    assert isinstance(made, EndpointAgent)
    return made


def played(agent: EndpointAgent, seed: int = 7, **settings: Any) -> Episode:
    env = Lookup(**settings)
    job = Job("Lookup", seed)
    try:
        return play_in(env, lambda play: agent.act([play])[0], job, agent=agent.name)
    finally:
        agent.close()


def texts(value: Any) -> Iterator[str]:
    """All texts in a request."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts(item)


def solving(number: int, body: dict[str, Any]) -> Said:
    """A model that calls the tool twice, then reads its answer."""
    said = " ".join(texts(body))
    task = [text for text in texts(body) if text.rpartition("task.\n\n")[2].startswith("What is the number of")][-1]
    _, _, rest = task.rpartition("number of ")
    word, other = rest.split()[0], int(rest.split()[2].strip("?"))
    common = {"read": 1000, "written": 20, "cached": 300}
    if "unknown" not in said.rpartition("number of")[2]:
        calls = (("look", {"word": "nowhere"}), ("look", {"word": word}))
        return Said("Let me see.", calls, thoughts="First the tool.", **common)
    return Said(f"<answer>{WORDS[word] + other}</answer>", thoughts="Now I know.", **common)


# ---- tools, streams, thoughts, usage ---------------------------------------------------------------------------------

REASONING: dict[str, Any] = {"openai": "low", "openai-responses": "low", "anthropic": 2048, "gemini": 512}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_an_episode_with_native_tools(kind: str, stream: bool) -> None:
    options: dict[str, Any] = {"tools": "native", "stream": stream, "reasoning": REASONING[kind]}
    options |= {"temperature": 0.5, "top_p": 0.9} | ({"cache": "1h"} if kind == "anthropic" else {})
    with speaking(kind, solving) as (api, url):
        episode = played(agent_at(kind, url, **options))
    assert api.wrong == []
    assert (episode.solved, len(episode.turns), episode.metrics["calls"]) == (True, 2, 2)
    first, second = episode.turns
    assert first.action.count("<tool_call>") == 2 and first.action.startswith("Let me see.\n")
    assert (first.finish, second.finish) == ("tool_calls", "stop")
    assert [turn.reasoning for turn in episode.turns] == ["First the tool.", "Now I know."]
    assert [(turn.prompt_tokens, turn.completion_tokens) for turn in episode.turns] == [(1000, 20)] * 2
    for number, turn in enumerate(episode.turns):
        assert turn.served is not None and turn.served["cached_tokens"] == 300
        assert turn.served["id"] and turn.served["model"] and turn.served["usage"]
        assert kind == "gemini" or turn.served["request_id"] == f"req_{number}"
    assert Episode.from_json(episode.to_json()) == episode
    results = re.findall("<tool_response>(.*)</tool_response>", second.observation)
    assert results[0] == "unknown" and set(results) <= set(texts(api.bodies[1])), (
        "a message for each call, without tags"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_without_native_tools_nothing_about_tools_is_sent(kind: str) -> None:
    def model(number: int, body: dict[str, Any]) -> Said:
        return Said("<look>north</look>" if number == 0 else "<answer>1</answer>")

    with speaking(kind, model) as (api, url):
        episode = played(agent_at(kind, url))
    assert api.wrong == [] and not any("tools" in body for body in api.bodies)
    assert [turn.action for turn in episode.turns] == ["<look>north</look>", "<answer>1</answer>"]
    assert [turn.invalid for turn in episode.turns] == [False, False]


def test_anthropic_caches_thinks_and_counts() -> None:
    said = Said("<answer>1</answer>", thoughts="hm", read=500, cached=400, cache_written=60, written=7)
    options = {"cache": "5m", "reasoning": "minimal", "tools": "native"}
    with speaking("anthropic", lambda number, body: said) as (api, url):
        played(agent_at("anthropic", url, temperature=0.0))
        assert isinstance(api, Anthropic) and api.version == "2023-06-01", "the newest takes no temperature"
        api.bodies.clear()
        [turn] = played(agent_at("anthropic", url, **options)).turns
    body = api.bodies[0]
    assert api.version == "2026-10-21" and api.wrong == []
    assert body["tools"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    assert (body["thinking"], body["output_config"]) == ({"type": "adaptive"}, {"effort": "low"})
    assert turn.prompt_tokens == 500 and turn.served is not None
    assert (turn.served["cached_tokens"], turn.served["cache_write_tokens"]) == (400, 60)
    assert turn.served["usage"]["input_tokens"] == 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stream", [False, True])
def test_refusals_and_cut_answers_are_the_models(kind: str, stream: bool) -> None:
    endings = {
        "openai": [Said("", refusal="I cannot."), Said("so far", finish="length")],
        "openai-responses": [Said("", refusal="I cannot."), Said("so far", finish="max_output_tokens")],
        "anthropic": [Said("I can", finish="refusal"), Said("so far", finish="max_tokens")],
        "gemini": [Said("", finish="SAFETY"), Said("so far", finish="MAX_TOKENS")],
    }[kind]
    with speaking(kind, lambda number, body: endings[number]) as (api, url):
        agent = agent_at(kind, url, stream=stream)
        env = Lookup()
        env.reset(seed=1)
        refused = played(agent, max_turns=1).turns[0]
        cut = played(agent_at(kind, url, stream=stream), max_turns=1).turns[0]
    assert api.wrong == []
    assert refused.served is not None and refused.served["refusal"] is True
    assert (cut.finish, cut.action) == ("length", "so far")


def test_a_prompt_that_gemini_blocks_is_no_infrastructure_error() -> None:
    data = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}
    blocked = answer(200, json.dumps(data).encode())
    with speaking("gemini", solving, {0: blocked}) as (_, url):
        [turn] = played(agent_at("gemini", url, safety="BLOCK_NONE"), max_turns=1).turns
    assert (turn.action, turn.finish, turn.prompt_tokens) == ("", "content_filter", 9)
    assert turn.served is not None and turn.served["blocked"] == "PROHIBITED_CONTENT"


# ---- failures --------------------------------------------------------------------------------------------------------


def cut_stream(api: Api, body: dict[str, Any]) -> Any:
    """A stream whose connection ends in the middle."""
    return api.sent(api.events(Said("<answer>1</answer>"), 0, body))[:3]


def short_stream(api: Api, body: dict[str, Any]) -> Any:
    """A stream that ends properly, but without its last events."""
    events = api.events(Said("<answer>1</answer>"), 0, body)
    return api.sent(events[:3])


def broken_stream(api: Api, body: dict[str, Any]) -> Any:
    """A stream with an error in place of its end."""
    events = api.events(Said("<answer>1</answer>"), 0, body)[:2]
    inner = {"type": "overloaded_error", "message": "Overloaded", "code": "server_error"}
    event = {"type": "error", **inner} if api.name == "responses" else {"type": "error", "error": inner}
    return api.sent([*events, event] if api.name != "gemini" else [*events, {"error": {"code": 503, "message": "x"}}])


def failing(status: int, kind: str = "overloaded_error", **headers: str) -> Callable[[Api, dict[str, Any]], bytes]:
    return lambda api, body: api.error(status, "Please wait", kind, **headers)


FAULTS: dict[str, Any] = {
    "429": failing(429, "rate_limit_error", Retry_After="0.01"),
    "500": failing(500, "api_error"),
    "503": failing(503, "UNAVAILABLE"),
    "529": failing(529),
    "html": answer(502, b"<html>Bad gateway</html>"),
    "empty": answer(200, b"{}"),
    "no json": answer(200, b"<html>"),
    "dropped": None,
    "cut": cut_stream,
    "short": short_stream,
    "broken": broken_stream,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_failure_is_sent_again(kind: str) -> None:
    with speaking(kind, solving, dict(enumerate(FAULTS.values()))) as (api, url):
        told: list[str] = []
        agent = agent_at(kind, url, stream=True, tools="native", max_retries=len(FAULTS), give_up_after=100)
        agent.notify = told.append
        episode = played(agent)
    assert api.wrong == [] and episode.solved
    assert episode.turns[0].served is not None and episode.turns[0].served["retries"] == len(FAULTS)
    assert len(api.bodies) == len(FAULTS) + 2
    assert api.bodies[0] == api.bodies[len(FAULTS)], "what is sent again is the same"
    assert KEY not in "".join(told)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_key_stops_the_run_and_is_not_shown(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEYS[kind], "wrong-key-123")
    with speaking(kind, solving) as (_, url), pytest.raises(FatalError) as raised:
        played(agent_at(kind, url))
    assert "key" in str(raised.value) and "wrong-key-123" not in str(raised.value)


def test_busy_servers_say_how_long() -> None:
    """Gemini says it in the body, others in a header."""
    with speaking("gemini", solving, {0: failing(429, delay="7.5s")}) as (_, url):
        agent = agent_at("gemini", url, tools="native", max_retries=1)
        paused: list[float] = []
        wait = agent.client.stop.wait
        agent.client.stop.wait = lambda pause: (paused.append(pause or 0.0), wait(0))[1]  # type: ignore[method-assign]
        assert played(agent).solved
    assert len(paused) == 1 and 7.5 <= paused[0] < 8


TOO_LONG = {
    "openai": "This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens.",
    "openai-responses": "Your input exceeds the context window of this model.",
    "anthropic": "prompt is too long: 205000 tokens > 200000 maximum",
    "gemini": "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_that_outgrows_the_context_is_the_models_failure(kind: str) -> None:
    def long(api: Api, body: dict[str, Any]) -> bytes:
        return api.error(400, TOO_LONG[kind])

    faults = dict.fromkeys(range(1, 9), long)
    with speaking(kind, lambda number, body: Said("<look>north</look>"), faults) as (api, url):
        episode = played(agent_at(kind, url))
    assert [turn.finish for turn in episode.turns] == ["stop", "context_length"]
    assert len(api.bodies) <= 3, "it is tried without a limit where there is one, and not again"
    with speaking(kind, solving, {0: long, 1: long}) as (_, url):
        episode = played(agent_at(kind, url))
    assert episode.status == "error" and "the first message does not fit" in str(episode.error)


def test_anthropic_lowers_its_limit_to_what_is_allowed() -> None:
    most = "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for m"
    room = "input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length"
    faults = {n: lambda api, body, text=text: api.error(400, text) for n, text in enumerate([most, room])}
    with speaking("anthropic", lambda number, body: Said("<answer>1</answer>"), faults) as (api, url):
        agent = agent_at("anthropic", url, reasoning=10_000)
        played(agent, max_turns=1)
    assert [body["max_tokens"] for body in api.bodies] == [16384, 8192, 5000]
    assert [body["thinking"]["budget_tokens"] for body in api.bodies] == [10_000, 8191, 4999]
    assert api.wrong == []


# ---- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_shots_come_first_and_are_of_training_tasks(kind: str) -> None:
    for tools in ("text", "native"):
        with speaking(kind, solving) as (api, url):
            options: dict[str, Any] = {"shots": 2, "tools": tools}
            episode = played(agent_at(kind, url, **options), split="test")
            again = played(agent_at(kind, url, **options), split="test")
        assert api.wrong == []
        assert episode.solved and again.turns == episode.turns
        said = list(texts(api.bodies[0]))
        tasks = [text for text in said if "What is the number of" in text]
        assert len(tasks) == 3 and tasks[-1].endswith(episode.turns[0].observation)
        assert sum("Here is another task." in text for text in said) == 2
        assert sum(text.startswith("<answer>") for text in said) == 2
        assert (sum("<look>" in text for text in said) == 2) == (tools == "text")
    env = Lookup(split="train")
    trained = set()
    for seed in range(300):
        env.reset(seed=seed)
        trained.add(env.task)
    assert len(trained) > 100


def test_what_is_read_of_a_long_conversation() -> None:
    def model(number: int, body: dict[str, Any]) -> Said:
        sums = "sum up what matters" in body["messages"][-1]["content"]
        return Said("SUMMARY" if sums else f"<look>{number}</look>", read=100 * (number + 1))

    def lengths(context: str) -> tuple[list[int], Api, Episode]:
        with speaking("openai", model) as (api, url):
            episode = played(agent_at("openai", url, context=context))
        return [len(body["messages"]) for body in api.bodies], api, episode

    assert lengths("append")[0] == [1, 3, 5, 7]
    sizes, api, _ = lengths("window:1")
    assert sizes == [1, 3, 3, 3]
    assert api.bodies[3]["messages"][1]["content"] == "<look>2</look>"
    assert api.bodies[3]["messages"][0] == api.bodies[0]["messages"][0]
    sizes, api, _ = lengths("drop_observations:1")
    assert sizes == [1, 3, 5, 7]
    assert [m["content"] for m in api.bodies[3]["messages"][2::2]] == [
        "(omitted)",
        "(omitted)",
        "<tool_response>unknown</tool_response>",
    ]
    sizes, api, episode = lengths("summarise:150")
    internal = [turn.internal for turn in episode.turns]
    assert internal == [False, False, True, False, True, False]
    assert sizes == [1, 3, 5, 3, 5, 3]
    assert [m["content"] for m in api.bodies[3]["messages"][1:]] == ["SUMMARY", episode.turns[2].observation]


def test_how_the_prompt_is_put() -> None:
    for prompt, says in (("steps", "step by step"), ("direct", "nothing beside")):
        with speaking("openai", lambda number, body: Said("<look>a</look>")) as (api, url):
            played(agent_at("openai", url, prompt=prompt))
        assert all(says in body["messages"][0]["content"] for body in api.bodies)
    with speaking("openai", lambda number, body: Said("<look>a</look>")) as (api, url):
        played(agent_at("openai", url, prompt="transcript"))
    assert [len(body["messages"]) for body in api.bodies] == [1] * 4
    assert api.bodies[2]["messages"][0]["content"].count("You:\n<look>a</look>") == 2


def test_the_request_log_has_everything_but_the_key(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    faults = {0: failing(529), 1: lambda api, body: api.error(429, f"slow down, {KEY}", "rate_limit_error")}
    with speaking("anthropic", solving, faults) as (_, url):
        played(agent_at("anthropic", url, tools="native", request_log=str(path)))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["status"] for line in lines] == [529, 429, 200, 200]
    assert [line["request_id"] for line in lines] == ["req_failed", "req_failed", "req_2", "req_3"]
    assert lines[2]["request"]["messages"] and lines[2]["answer"]["content"]
    assert "error" in lines[0] and "error" not in lines[3]
    assert KEY not in path.read_text() and "slow down, ***" in path.read_text()


def test_requests_and_tokens_are_spaced_out() -> None:
    with speaking("openai", lambda number, body: Said("<look>a</look>", read=900, written=100)) as (_, url):
        agent = agent_at("openai", url, requests_per_minute=6000, tokens_per_minute=6_000_000)
        waits: list[float] = []
        reserve = agent._pace.reserve
        agent._pace.reserve = lambda tokens=0.0: waits.append(reserve(tokens)) or 0.0  # type: ignore[method-assign,func-returns-value]
        played(agent)
        assert len(waits) == 4


@pytest.mark.parametrize(
    ("spec", "options", "says"),
    [
        ("openai:m@http://h/v1", {"reasoning": 100}, "take an effort"),
        ("openai:m@http://h/v1", {"reasoning": "hihg"}, "did you mean 'high'"),
        ("openai:m@http://h/v1", {"context": "windw:2"}, "did you mean 'window'"),
        ("openai:m@http://h/v1", {"context": "window:0"}, "context is 'window:0'"),
        ("openai:m@http://h/v1", {"tools": "nativ"}, "did you mean 'native'"),
        ("openai:m@http://h/v1", {"tools": "native", "prompt": "transcript"}, "calls and their results"),
        ("openai-responses:m@http://h/v1", {"seed": 1}, "no option 'seed'"),
        ("anthropic:m@http://h", {"reasoning": 100}, "from 1024 to less than max_tokens"),
        ("anthropic:m@http://h", {"extra": {"system": "x"}}, "extra must not have system"),
        ("anthropic:m@http://h", {"version": "2026-10-21", "top_p": 0.5}, "takes no temperature and no top_p"),
        ("gemini:m@http://h", {"reasoning": "none"}, "0 for none"),
        ("gemini:m@http://h", {"shots": -1}, "shots is -1; it must be from 0 to 64"),
        ("gemini:m@http://h", {"request_log": "/no/such/folder/x"}, "cannot be written"),
        ("antropic:m", {}, r"did you mean 'anthropic:MODEL\[@BASE_URL\]'"),
    ],
)
def test_what_is_refused(spec: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        make_agent(spec, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_the_makers_own_hosts_need_a_key(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEYS[kind])
    for variable in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(SettingsError, match=f"requires a key: set the environment variable {KEYS[kind]}"):
        make_agent(f"{kind}:m")


def test_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec, url in (
        ("anthropic:m", "https://api.anthropic.com/v1/messages"),
        ("anthropic:m@http://h:1", "http://h:1/v1/messages"),
        ("anthropic:m@http://h:1/proxy/v1/", "http://h:1/proxy/v1/messages"),
        ("gemini:m", "https://generativelanguage.googleapis.com/v1beta/models/m"),
        ("gemini:models/m@http://h:1", "http://h:1/v1beta/models/m"),
        ("gemini:m@http://h:1/v1", "http://h:1/v1/models/m"),
        ("openai-responses:m", "https://api.openai.com/v1/responses"),
    ):
        agent = make_agent(spec)
        assert isinstance(agent, EndpointAgent) and agent.url == url
        agent.close()
    monkeypatch.delenv("GEMINI_API_KEY")
    monkeypatch.setenv("GOOGLE_API_KEY", "other")
    agent = make_agent("gemini:m")
    assert isinstance(agent, EndpointAgent) and agent.client.token == "other"


def test_threads_share_the_examples() -> None:
    """They are played once, however many episodes begin together."""
    with speaking("openai", lambda number, body: Said("<answer>1</answer>")) as (api, url):
        agent = agent_at("openai", url, shots=1)
        threads = [threading.Thread(target=played, args=(agent, seed)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({body["messages"][0]["content"] for body in api.bodies}) == 1


def test_signatures_of_other_thoughts_are_noticed() -> None:
    """The server is strict: thoughts that were changed on the way would be refused."""
    api = Anthropic(solving)
    block = {"type": "thinking", "thinking": "changed", "signature": "signed:1:1"}
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [block]}]
    assert "Invalid `signature`" in api.problem({"model": "m", "max_tokens": 9, "messages": messages})
