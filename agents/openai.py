"""An agent behind an HTTP endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, SGLang, llama.cpp, Ollama...

Whose failure is what:
    The model's, scored: an empty answer, one cut by the token limit, a conversation that has outgrown the context
    (``finish="context_length"``, the action is empty, also in the turns that follow; where already the first message
    does not fit, that is an error and not scored).
    The server's, never scored: 408, 409, 429, 5xx, timeouts, dropped connections and answers that cannot be read are
    tried again after a pause and then raise `InfrastructureError`; other 4xx raise it at once. What every request
    would meet (wrong key, no such model, no credit left, a server that is not there) raises `FatalError`, which ends
    the run.
"""

import contextlib
import datetime
import json
import os
import random
import re
import socket
import threading
import time
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx

from turnwise.agents.address import api_key, endpoint, is_local
from turnwise.agents.chat import THOUGHTS, Unreadable, complaint, read_answer, retry_after
from turnwise.core.agent import Action, Agent, Play
from turnwise.core.env import seed_of
from turnwise.core.errors import FatalError, InfrastructureError, SettingsError

__all__ = ["OpenAIAgent"]

DEFAULT_URL = "https://api.openai.com/v1"
RETRIED = (408, 409, 429)  # and 5xx
FATAL = (401, 402, 403, 404, 405)  # and redirections
MAX_PAUSE_S = 60.0  # longest pause of our own choice
MAX_BODY_BYTES = 2**26
_TOO_LONG = re.compile(
    r"context.?length|context.?window|context.?size|maximum context|max_model_len"
    r"|max_(?:completion_)?tokens\W.{0,60}too large|max_tokens must be at least 1, got -",
    re.IGNORECASE,
)
_OTHER_LIMIT = re.compile(r"max_tokens.{0,80}max_completion_tokens", re.IGNORECASE | re.DOTALL)


class _Unanswered(Exception):
    """An attempt that may be repeated.

    ``kind`` is its reason in a word, ``pause_s`` what the server asked for, ``waits`` that it is there but busy.
    """

    def __init__(self, reason: str, kind: str, pause_s: float | None = None, *, waits: bool = False) -> None:
        super().__init__(reason)
        self.kind, self.pause_s, self.waits = kind, pause_s, waits


class _ContextExceeded(Exception):
    """The conversation, with the longest answer, is longer than the model's context."""


class _OtherLimit(Exception):
    """The server takes the longest answer under another name."""


@dataclass
class _Memory:
    """What the agent keeps of an episode, as ``play.state``."""

    full: bool = False
    thoughts: list[str] = field(default_factory=list)


class _Health:
    """Whether the server answers at all, seen by all threads.

    Args:
        url: Its address, for messages.
        limit: So many failed requests before the first answer, retries included, or later so many requests in a row
            whose retries were all used up, are a dead server.
    """

    def __init__(self, url: str, limit: int) -> None:
        self.url, self.limit = url, limit
        self.repeats: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._alive, self._failed, self._given_up = False, 0, 0

    def answered(self) -> None:
        with self._lock:
            self._alive, self._given_up = True, 0

    def failed(self, reason: str, *, busy: bool = False) -> None:
        """A request failed; raises `FatalError` if none has ever been answered and this is enough."""
        with self._lock:
            self._failed += not busy
            dead = not self._alive and self._failed >= self.limit
        if dead:
            raise FatalError(f"{self.url} answered none of the first {self.limit} requests, at last: {reason}")

    def repeating(self, kind: str) -> bool:
        """Count a request that is repeated; True for the first of its kind."""
        with self._lock:
            self.repeats[kind] += 1
            return self.repeats[kind] == 1

    def given_up(self, reason: str) -> None:
        """All tries of a request failed; raises `FatalError` if too many in a row did."""
        with self._lock:
            self._given_up += 1
            dead = self._given_up >= self.limit
        if dead:
            raise FatalError(f"{self.url} has not answered {self.limit} requests in a row, at last: {reason}")


class OpenAIAgent(Agent):
    """Asks ``base_url``/chat/completions for every turn, from as many threads as ``concurrency`` says.

    Args:
        model: The model's name at the endpoint.
        base_url: Up to and with ``/v1``. Default: the environment variable ``OPENAI_BASE_URL``, else OpenAI's.
        concurrency: Episodes played, hence requests made, at once.
        timeout_s: Longest time for one request, answer included.
        max_retries: How often a request is repeated.
        backoff_s: The pause before repetition n is drawn from 0 to backoff_s * 2**n, at most a minute; the server's
            Retry-After comes on top.
        give_up_after: The run stops when so many requests, retries included, have failed before the first answer, or
            so many requests in a row with all their retries. None: twice ``concurrency``, at least 8.
        max_tokens: Longest answer, thoughts included; less where the context has no room for it. None leaves it to the
            server.
        temperature: None leaves it to the server.
        seed: Gives each request its own seed, made of this, the episode and the turn; None sends none.
        send_reasoning: Send what the model thought in earlier turns back with its answers, under the name of a field:
            "reasoning_content", "reasoning" or "thinking"; None never does.
        extra: More fields of the request, such as ``{"top_p": 0.9}`` or ``{"tools": [...]}``.
        api_key_env: Environment variable that holds the key. The key is only ever sent, never stored or shown.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        concurrency: int = 16,
        timeout_s: float = 300.0,
        max_retries: int = 6,
        backoff_s: float = 1.0,
        give_up_after: int | None = None,
        max_tokens: int | None = 16_384,
        temperature: float | None = None,
        seed: int | None = None,
        send_reasoning: str | None = None,
        extra: Mapping[str, Any] | None = None,
        api_key_env: str = "OPENAI_API_KEY",
    ) -> None:
        self.name = self.model = model
        given = ("base_url", base_url) if base_url else ("OPENAI_BASE_URL", os.environ.get("OPENAI_BASE_URL"))
        self.url = endpoint(given[1] or DEFAULT_URL, given[0])
        _positive(concurrency=concurrency, timeout_s=timeout_s, max_tokens=max_tokens, give_up_after=give_up_after)
        if max_retries < 0 or backoff_s < 0 or (temperature is not None and temperature < 0):
            raise SettingsError(
                f"max_retries={max_retries}, backoff_s={backoff_s}, temperature={temperature}: none may be negative"
            )
        if send_reasoning is not None and send_reasoning not in THOUGHTS:
            raise SettingsError(f"send_reasoning is {send_reasoning!r}; it must be None or {' or '.join(THOUGHTS)}")
        self.concurrency, self.seed = concurrency, seed
        self.timeout_s, self.max_retries, self.backoff_s = timeout_s, max_retries, backoff_s
        self.send_reasoning = send_reasoning
        self._body = _fields(model, max_tokens, temperature, extra or {})
        self._key = api_key(self.url, api_key_env)
        self._jitter = random.Random(seed)
        self._stop = threading.Event()
        self._sockets: weakref.WeakSet[socket.socket] = weakref.WeakSet()
        self._health = _Health(self.url, give_up_after or max(8, 2 * concurrency))
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 30.0)),
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            trust_env=not is_local(self.url),  # a proxy cannot reach this machine's own servers
        )

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [self._act(play) for play in plays]

    def interrupt(self) -> None:
        stop, self._stop = self._stop, threading.Event()
        stop.set()
        for connection in list(self._sockets):
            with contextlib.suppress(OSError):  # socket's own: that of TLS would pull the state from under a reader
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def close(self) -> None:
        self.interrupt()
        self._client.close()
        repeats, self._health.repeats = self._health.repeats, Counter()
        if repeats:
            kinds = ", ".join(f"{count} x {kind}" for kind, count in repeats.most_common())
            self.notify(f"{self.url}: requests sent again: {repeats.total()} ({kinds})")

    def _act(self, play: Play) -> Action:
        memory = play.state = play.state or _Memory()
        if memory.full:  # conversations only grow
            return Action("", finish="context_length")
        stop, body, attempt = self._stop, self._request(play, memory), 0
        while True:
            try:
                action = self._ask(body)
            except _OtherLimit:
                self._body = _renamed(self._body)
                body = _renamed(body)
            except _ContextExceeded as error:
                if LIMITS & body.keys():  # what is left of the context is less than the longest answer: a limit, too
                    body = {name: value for name, value in body.items() if name not in LIMITS}
                    continue
                if play.turn == 0:  # nothing of it is the model's
                    raise InfrastructureError(f"the first message does not fit: {error}") from None
                memory.full = True
                return Action("", finish="context_length")
            except _Unanswered as failure:
                self._repeat(failure, attempt, stop)
                attempt += 1
            else:
                self._health.answered()
                memory.thoughts.append(action.reasoning)
                return replace(action, served={**(action.served or {}), "retries": attempt})

    def _request(self, play: Play, memory: _Memory) -> dict[str, Any]:
        """The fields of the request for the next turn."""
        messages = [{"role": m["role"], "content": _plain(m["content"])} for m in play.messages]
        if self.send_reasoning is not None:
            own = [message for message in messages if message["role"] == "assistant"]
            for message, thought in zip(reversed(own), reversed(memory.thoughts), strict=False):
                if thought:
                    message[self.send_reasoning] = _plain(thought)
        body = {**self._body, "messages": messages}
        if self.seed is not None:
            body["seed"] = seed_of("openai", self.seed, *play.rng_key) >> 32  # servers take 31 bits
        return body

    def _repeat(self, failure: _Unanswered, attempt: int, stop: threading.Event) -> None:
        """Pause before a request is sent again; raise where it is not."""
        if stop.is_set():
            raise InfrastructureError("the run was given up") from None
        reason = self._hide(str(failure))
        self._health.failed(reason, busy=failure.waits)
        if attempt == self.max_retries:
            self._health.given_up(reason)
            raise InfrastructureError(f"{self.url} gave no answer in {attempt + 1} attempts, at last: {reason}")
        if self._health.repeating(failure.kind):
            self.notify(f"{self.url}: {reason}; the request is sent again, up to {self.max_retries} times")
        pause = self._jitter.uniform(0.0, min(MAX_PAUSE_S, self.backoff_s * 2.0**attempt))
        if stop.wait(pause + (failure.pause_s or 0.0)):
            raise InfrastructureError("the run was given up")

    def _ask(self, request: Mapping[str, Any]) -> Action:
        """One request."""
        at, start = datetime.datetime.now(datetime.UTC), time.monotonic()
        try:
            status, headers, body = self._post(json.dumps(request).encode())
            latency = time.monotonic() - start
            if status == 200:
                action = read_answer(body)
                clock = {"at": at.isoformat(timespec="milliseconds"), "latency_s": round(latency, 3)}
                return replace(action, served={**clock, **(action.served or {})})
        except httpx.TimeoutException as error:
            kind = type(error).__name__
            raise _Unanswered(f"no answer within {self.timeout_s:g} s ({kind})", kind) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            kind = type(error).__name__
            raise _Unanswered(f"{kind}: {error}", kind) from error
        except Unreadable as error:
            raise _Unanswered(str(error), "unreadable answer") from error
        self._refused(status, headers, body, request)
        raise AssertionError("unreachable")

    def _refused(self, status: int, headers: httpx.Headers, body: bytes, request: Mapping[str, Any]) -> None:
        """Raise what an answer that is none means."""
        code, message = complaint(body)
        text = self._hide(f"{self.url} answered {status}: {message}")
        if status in (400, 413, 422):
            if "max_tokens" in request and _OTHER_LIMIT.search(message) and "too large" not in message:
                raise _OtherLimit(text)
            if _TOO_LONG.search(f"{code} {message}"):
                raise _ContextExceeded(text)
        if status in FATAL or 300 <= status < 400 or code == "insufficient_quota":
            hint = "; base URLs usually end in /v1" if status in (404, 405) and "/v1" not in self.url else ""
            raise FatalError(text + hint)
        if status in RETRIED or status >= 500:
            pause = retry_after(headers)
            raise _Unanswered(f"answered {status}: {message}", str(status), pause, waits=status == 429 or bool(pause))
        self._health.failed(f"it answered {status}: {self._hide(message)}")
        raise InfrastructureError(text)

    def _post(self, content: bytes) -> tuple[int, httpx.Headers, bytes]:
        """Send a request and read the answer; httpx limits each wait, this the time for the whole."""
        deadline = time.monotonic() + self.timeout_s
        headers = {"Content-Type": "application/json"}
        body = bytearray()
        watched = {"trace": self._connected}
        with self._client.stream("POST", self.url, content=content, headers=headers, extensions=watched) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer trickles")
                if len(body) > MAX_BODY_BYTES:
                    raise httpx.DecodingError(f"the answer is longer than {MAX_BODY_BYTES} bytes")
            return response.status_code, response.headers, bytes(body)

    def _connected(self, event: str, facts: Mapping[str, Any]) -> None:
        """Remember the socket of a new connection, for `interrupt`."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            connection = facts["return_value"].get_extra_info("socket")
            if connection is not None:
                self._sockets.add(connection)

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


LIMITS = {"max_tokens", "max_completion_tokens"}


def _fields(model: str, max_tokens: int | None, temperature: float | None, extra: Mapping[str, Any]) -> dict[str, Any]:
    """What all requests have in common."""
    if clash := {"messages", "stream", "n"} & set(extra):
        raise SettingsError(f"extra must not have {', '.join(sorted(clash))}: the agent sets them itself")
    body: dict[str, Any] = {"model": model}
    if max_tokens is not None and not LIMITS & set(extra):
        body["max_tokens"] = max_tokens
    if temperature is not None:
        body["temperature"] = temperature
    return body | dict(extra)


def _renamed(body: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its limit under the newer name, as OpenAI's reasoning models ask for it."""
    return {"max_completion_tokens" if name == "max_tokens" else name: value for name, value in body.items()}


def _positive(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not value > 0:
            raise SettingsError(f"{name} is {value}; it must be positive")


def _plain(text: str) -> str:
    """The text without lone surrogates, which are no valid JSON to many servers."""
    return text.encode("utf-8", "replace").decode("utf-8")
