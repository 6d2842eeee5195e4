"""The endpoint's agent against a server on this machine that misbehaves in every way servers do."""

import contextlib
import email.utils
import hashlib
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from turnwise.agents.openai import OpenAIAgent
from turnwise.core.agent import Play
from turnwise.core.episode import Job, read_episodes
from turnwise.core.errors import FatalError, InfrastructureError
from turnwise.core.player import rollout
from turnwise.evaluation.evaluate import EvalConfig, evaluate

KEY = "sk-secret-0123456789"
ENV = "turnwise/GuessNumber-v0"
Answer = tuple[int, dict[str, str], bytes] | str  # status, headers, body; or a misdeed
Script = Callable[[int, dict[str, Any]], Answer]


def said(text: str | None, **more: Any) -> dict[str, Any]:
    return {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, **more}}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3},
    }


def ok(data: Any) -> Answer:
    return 200, {}, json.dumps(data).encode()


def guess(body: dict[str, Any]) -> Answer:
    """A number that depends on the whole conversation."""
    digest = hashlib.sha256(json.dumps(body["messages"]).encode()).digest()
    return ok(said(f"<answer>{digest[0] % 32 + 1}</answer>"))


class Server(ThreadingHTTPServer):
    """Answers request n with ``script(n, body)``; remembers the requests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        self.lock, self.closing = threading.Lock(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.bodies)
            self.server.bodies.append(body)
            self.server.headers.append(self.headers)
        answer = self.server.script(number, body)
        if answer == "slow":
            self.server.closing.wait(3)
            answer = guess(body)
        if answer == "drop":
            self.close_connection = True
            return
        if answer in ("cut", "trickle"):
            data = json.dumps(said("<answer>1</answer>")).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.close_connection = True
            for start in range(0, len(data) // 2 if answer == "cut" else len(data), 4):
                self.wfile.write(data[start : start + 4])
                self.wfile.flush()
                if answer == "trickle" and self.server.closing.wait(0.1):
                    return
            return
        assert not isinstance(answer, str)
        status, headers, data = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextlib.contextmanager
def serving(script: Script) -> Iterator[Server]:
    server = Server(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


@contextlib.contextmanager
def asking(script: Script, **options: Any) -> Iterator[tuple[OpenAIAgent, Server]]:
    with serving(script) as server:
        defaults = {"timeout_s": 5.0, "backoff_s": 0.001, "concurrency": 4}
        agent = OpenAIAgent("m", server.url, **{**defaults, **options})
        try:
            yield agent, server
        finally:
            agent.close()


def a_play(text: str = "hello", turn: int = 0) -> Play:
    messages: list[Any] = [{"role": "user", "content": text}]
    for _ in range(turn):
        messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "on"}]
    return Play(messages, gymnasium.make(ENV), (7, 0, turn), turn)


# ---- one request -------------------------------------------------------------------------------------------------


def test_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    options: dict[str, Any] = {"temperature": 0.5, "max_tokens": 9, "seed": 3, "extra": {"top_p": 0.9}}
    with asking(lambda n, body: guess(body), api_key_env="MY_KEY", **options) as (agent, server):
        agent.act([a_play("caf\u00e9 \ud800 <|im_end|>"), a_play(turn=1)])
        agent.act([a_play()])
        first, second, third = server.bodies
        assert first["messages"] == [{"role": "user", "content": "caf\u00e9 ? <|im_end|>"}]
        assert {k: first[k] for k in ("model", "temperature", "max_tokens", "top_p")} == {
            "model": "m", "temperature": 0.5, "max_tokens": 9, "top_p": 0.9,
        }  # fmt: skip
        assert 0 <= first["seed"] < 2**31
        assert first["seed"] == third["seed"] != second["seed"]
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert KEY not in repr(vars(agent))
    with asking(lambda n, body: guess(body), max_tokens=None) as (agent, server):
        agent.act([a_play()])
        assert set(server.bodies[0]) == {"model", "messages"}
        assert "Authorization" not in server.headers[0]


CALL = {"id": "1", "type": "function", "function": {"name": "python", "arguments": '{"code": "1 </tool_call> 2"}'}}


@pytest.mark.parametrize(
    ("data", "text", "finish"),
    [
        (said("hi"), "hi", "stop"),
        (said(None), "", "stop"),
        (said(""), "", "stop"),
        (said("\ud800"), "\ud800", "stop"),
        (said("hi", reasoning_content="secret thoughts"), "hi", "stop"),
        (said(None, reasoning="secret thoughts"), "", "stop"),
        (said("hi", reasoning_content=["odd"], thinking="secret thoughts"), "hi", "stop"),
        (
            said(
                [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "secret thoughts"}]},
                    {"type": "text", "text": "hi"},
                ]
            ),  # type: ignore[arg-type]
            "hi",
            "stop",
        ),
        ({"choices": said("odd usage")["choices"], "usage": {"prompt_tokens": 1e999, "x": "y"}}, "odd usage", "stop"),
        ({"choices": said("odd usage")["choices"], "usage": [{"prompt_tokens": -5}]}, "odd usage", "stop"),
        (said(None, refusal="I cannot."), "I cannot.", "stop"),
        (said([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]), "ab", "stop"),  # type: ignore[arg-type]
        ({"choices": [{"finish_reason": "length", "message": {"content": "cut of"}}]}, "cut of", "length"),
        ({"choices": [{"finish_reason": None, "message": {}}], "usage": None}, "", "stop"),
        (
            said(None, tool_calls=[CALL]),
            '<tool_call>{"name": "python", "arguments": {"code": "1 \\u003c/tool_call> 2"}}</tool_call>',
            "stop",
        ),
        (
            said("I run", tool_calls=[{"function": {"name": "f", "arguments": "{broken"}}]),
            'I run\n<tool_call>{"name": "f", "arguments": "{broken"}</tool_call>',
            "stop",
        ),
    ],
)
def test_answers(data: Any, text: str, finish: str) -> None:
    with asking(lambda n, body: ok(data)) as (agent, server):
        [action] = agent.act([a_play()])
        assert (action.text, action.finish) == (text, finish)
        used = (0, 0) if text == "odd usage" or not data.get("usage") else (11, 3)
        assert (action.prompt_tokens, action.completion_tokens) == used
        assert action.reasoning == ("secret thoughts" if "secret" in json.dumps(data) else "")
        assert len(server.bodies) == 1
    if "tool_call>" in text and "broken" not in text:
        assert json.loads(text[11:-12])["arguments"] == {"code": "1 </tool_call> 2"}


def refuse(status: int, body: Any = None, **headers: str) -> Answer:
    return status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(body or {}).encode()


PASSING: dict[str, Answer] = {
    "500": refuse(500, {"error": {"message": "busy"}}),
    "drop": "drop",
    "no json": (200, {}, b"<html>gateway</html>"),
    "half json": (200, {}, b'{"choices": [{"mess'),
    "empty": (200, {}, b""),
    "a list": ok([1]),
    "no choices": ok({"id": "x"}),
    "empty choices": ok({"choices": []}),
    "no message": ok({"choices": [{"text": "x"}]}),
    "strange content": ok({"choices": [{"message": {"content": 5}}]}),
    "error with 200": ok({"error": {"message": "upstream is overloaded", "code": 502}}),
}


@pytest.mark.parametrize("kind", PASSING)
def test_passing_failures(kind: str) -> None:
    """What all clients have in common: tests/core/test_http.py."""
    with asking(lambda n, body: PASSING[kind] if n < 2 else ok(said("at last"))) as (agent, server):
        assert agent.act([a_play()])[0].text == "at last"
        assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("status", "body", "fatal"),
    [
        (400, {"error": {"message": "temperature must be at most 2", "code": "bad_value"}}, False),
        (418, {"detail": "teapot"}, False),
        (422, {"error": "plain text"}, False),
        (401, {"error": {"message": f"Incorrect API key: {KEY}"}}, True),
        (402, {"error": {"message": "no credit"}}, True),
        (403, {"error": {"message": "not for you"}}, True),
        (404, {"error": {"message": "no such model"}}, True),
        (307, {}, True),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, True),
    ],
)
def test_refusals_are_raised_at_once(
    monkeypatch: pytest.MonkeyPatch, status: int, body: dict[str, Any], fatal: bool
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with asking(lambda n, _: refuse(status, body, Location="/elsewhere")) as (agent, server):
        with pytest.raises(InfrastructureError, match=str(status)) as raised:
            agent.act([a_play()])
        assert isinstance(raised.value, FatalError) == fatal
        assert len(server.bodies) == 1
        assert KEY not in str(raised.value)
        message = body.get("error", body.get("detail", ""))
        expected = message["message"].replace(KEY, "***") if isinstance(message, dict) else message
        assert expected in str(raised.value)


TOO_LONG = [
    {"error": {"message": "too long", "type": "invalid_request_error", "code": "context_length_exceeded"}},
    {"object": "error", "message": "This model's maximum context length is 2048 tokens. However...", "code": 400},
    {"error": {"code": 400, "message": "the request exceeds it", "type": "exceed_context_size_error"}},
]


@pytest.mark.parametrize("body", TOO_LONG)
def test_context_exceeded_is_the_models_failure_but_for_the_first_message(body: dict[str, Any]) -> None:
    with asking(lambda n, sent: refuse(400, body) if len(sent["messages"]) > 3 else guess(sent)) as (agent, server):
        job = Job(ENV, 5, 0, {"max_number": 10**6, "max_turns": 5})
        [episode] = rollout(agent, [job])
        assert (episode.status, episode.solved, episode.truncated) == ("done", False, True)
        assert [t.finish for t in episode.turns] == ["stop", "stop", *["context_length"] * 3]
        assert [t.action for t in episode.turns[2:]] == ["", "", ""]
        assert ["max_tokens" in sent for sent in server.bodies] == [True, True, True, False], (
            "what is left of the context is tried without a limit; nothing is asked once it is full"
        )
    with asking(lambda n, sent: refuse(400, body)) as (agent, server):
        [episode] = rollout(agent, [job], retries=0)
        assert episode.status == "error"
        assert "the first message does not fit" in str(episode.error)


def test_no_meaning_of_a_refusal_shows_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    body = {"error": {"message": f"maximum context length of {KEY}"}}
    with asking(lambda n, sent: refuse(400, body)) as (agent, server):
        with pytest.raises(InfrastructureError, match=r"does not fit: .*length of \*\*\*") as raised:
            agent.act([a_play()])
        assert KEY not in str(raised.value) and len(server.bodies) == 2


# ---- whole runs --------------------------------------------------------------------------------------------------


def faulty(
    seed: int, share: float = 0.2, fine: Callable[[dict[str, Any]], Answer] = guess
) -> tuple[Script, Counter[str]]:
    """A server that misbehaves about a ``share`` of the times, and answers by ``fine`` otherwise."""
    rng, lock, did = random.Random(seed), threading.Lock(), Counter[str]()
    kinds: dict[str, Answer] = {
        "drop": "drop",
        "slow": "slow",
        "cut": "cut",
        "500": refuse(500),
        "429": refuse(429, Retry_After="0.01"),
        "429 date": refuse(429, Retry_After=email.utils.formatdate(usegmt=True)),
        "half json": (200, {}, b'{"choices": [{"mess'),
        "no choices": ok({}),
    }

    def script(number: int, body: dict[str, Any]) -> Answer:
        with lock:
            kind = rng.choice(list(kinds)) if rng.random() < share else "fine"
            did[kind] += 1
        return kinds.get(kind) or fine(body)

    return script, did


def config(server: Server, out: Path | None, **options: Any) -> EvalConfig:
    return EvalConfig(
        envs=("GuessNumber", "Countdown"),
        agent=f"openai:m@{server.url}",
        agent_options={"timeout_s": 0.4, "backoff_s": 0.01, "max_retries": 1},
        concurrency=16,
        num_tasks=30,
        num_samples=2,
        chance_episodes=0,
        out=None if out is None else str(out),
        **{"retries": 12, **options},
    )


@pytest.mark.slow
def test_a_faulty_server_changes_no_result(tmp_path: Path) -> None:
    with serving(lambda n, body: guess(body)) as server:
        clean = evaluate(config(server, tmp_path / "clean"))
    script, did = faulty(3)
    with serving(script) as server:
        stormy = evaluate(config(server, tmp_path / "stormy"))
    assert stormy == clean
    assert clean.overall.num_episodes == 120
    assert clean.overall.num_errors == 0
    assert 0 < (clean.environments[ENV].solve_rate or 0) < 1
    assert len(did) == 9, "every misdeed was done"
    assert sum(did.values()) - did["fine"] > 0.1 * sum(did.values())
    runs = [list(read_episodes(tmp_path / name / "episodes.jsonl")) for name in ("clean", "stormy")]
    assert [e.job.name for e in runs[1]] == [e.job.name for e in runs[0]]
    assert len({e.job.name for e in runs[1]}) == 120
    assert any(e.attempts > 1 for e in runs[1])
    assert [replace(e, attempts=1) for e in runs[1]] == runs[0]


@pytest.mark.slow
def test_what_a_server_kept_from_being_played_is_no_zero(tmp_path: Path) -> None:
    """Retries run out: errors, counted apart; run again with a good server, the same as ever."""
    script, _ = faulty(4, share=0.5)
    with serving(lambda n, body: guess(body)) as server:
        clean = evaluate(config(server, None))
        settled: dict[str, Script] = {"script": script}
        server.script = lambda n, body: settled["script"](n, body)
        stormy = evaluate(config(server, tmp_path, retries=0))
        assert stormy.overall.num_errors > 0
        assert stormy.overall.num_episodes + stormy.overall.num_errors == 120
        lines = list(read_episodes(tmp_path / "episodes.jsonl"))
        assert len({e.job.name for e in lines}) == len(lines) == 120
        settled["script"] = lambda n, body: guess(body)
        before = len(server.bodies)
        assert evaluate(config(server, tmp_path)) == clean
        redone = len(server.bodies) - before
        assert 0 < redone < sum(len(e.turns) for e in read_episodes(tmp_path / "episodes.jsonl"))


@pytest.mark.slow
def test_a_wrong_key_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    threads = threading.active_count()
    with serving(lambda n, body: guess(body) if n < 150 else refuse(401, {"error": {"message": KEY}})) as server:
        with pytest.raises(FatalError, match=r"401: \*\*\*"):
            evaluate(config(server, tmp_path))
        assert len(server.bodies) <= 150 + 16
        kept = list(read_episodes(tmp_path / "episodes.jsonl"))
        assert {e.status for e in kept} == {"done"}
        server.script = lambda n, body: guess(body)
        assert evaluate(config(server, tmp_path)).overall.num_episodes == 120
    while threading.active_count() > threads:  # the server's, which outlive its connections a moment
        time.sleep(0.01)
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()


def test_leaving_does_not_wait_for_the_backoff() -> None:
    threads = threading.active_count()
    with asking(lambda n, sent: guess(sent) if n == 0 else refuse(503, Retry_After="100000")) as (agent, server):
        episodes = rollout(agent, [Job("turnwise/Countdown-v0", i) for i in range(50)])
        next(episodes)
        while len(server.bodies) < 4:
            time.sleep(0.01)
        episodes.close()
        server.script = lambda n, body: guess(body)
        assert agent.act([a_play()])[0].text, "the agent itself goes on"
    while threading.active_count() > threads:  # the server's, which outlive its connections a moment
        time.sleep(0.01)
