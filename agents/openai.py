"""An agent behind an HTTP endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, SGLang, llama.cpp, Ollama...

Whose failure is what:
    The model's, scored: an empty answer, one cut by the token limit, a conversation that has outgrown the context
    (``finish="context_length"``, the action is empty, also in the turns that follow; where already the first message
    does not fit beside ``max_tokens``, that is an error and not scored).
    The server's, never scored: 408, 409, 429, 5xx, timeouts, dropped connections and answers that cannot be read are
    tried again after a pause and then raise `InfrastructureError`; other 4xx raise it at once. What every request
    would meet (wrong key, no such model, no credit left) raises `FatalError`, which ends the run.
"""

import contextlib
import datetime
import email.utils
import json
import os
import random
import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from turnwise.agents.base import Action, Agent, Play
from turnwise.core import seed_of
from turnwise.errors import FatalError, InfrastructureError, SettingsError

__all__ = ["OpenAIAgent"]

DEFAULT_URL = "https://api.openai.com/v1"
RETRIED = (408, 409, 429)  # and 5xx
FATAL = (401, 402, 403, 404, 405)  # and redirections
MAX_PAUSE_S = 60.0  # longest pause of our own choice
MAX_RETRY_AFTER_S = 600.0  # longest pause that a server may ask for
MAX_BODY_BYTES = 2**26
_TOO_LONG = re.compile(r"context.?length|context.?window|context.?size|maximum context|max_model_len", re.IGNORECASE)


class _Unanswered(Exception):
    """An attempt that may be repeated; ``pause_s`` is what the server asked for."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class _ContextExceeded(Exception):
    """The conversation is longer than the model's context."""


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
        max_tokens: Longest answer; None leaves it to the server.
        temperature: None leaves it to the server.
        seed: Gives each request its own seed, made of this, the episode and the turn; None sends none.
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
        max_tokens: int | None = 1024,
        temperature: float | None = None,
        seed: int | None = None,
        extra: Mapping[str, Any] | None = None,
        api_key_env: str = "OPENAI_API_KEY",
    ) -> None:
        self.name = self.model = model
        self.url = _endpoint(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_URL)
        _positive(concurrency=concurrency, timeout_s=timeout_s, max_tokens=max_tokens)
        if max_retries < 0 or backoff_s < 0 or (temperature is not None and temperature < 0):
            raise SettingsError(
                f"max_retries={max_retries}, backoff_s={backoff_s}, temperature={temperature}: none may be negative"
            )
        self.concurrency, self.seed = concurrency, seed
        self.timeout_s, self.max_retries, self.backoff_s = timeout_s, max_retries, backoff_s
        self._body: dict[str, Any] = {"model": model}
        if max_tokens is not None:
            self._body["max_tokens"] = max_tokens
        if temperature is not None:
            self._body["temperature"] = temperature
        self._body |= dict(extra or {})
        if clash := {"messages", "stream", "n"} & set(extra or {}):
            raise SettingsError(f"extra must not have {', '.join(sorted(clash))}: the agent sets them itself")
        self._key = os.environ.get(api_key_env, "").strip()
        self._jitter = random.Random(seed)
        self._stop = threading.Event()
        local = urlsplit(self.url).hostname in ("localhost", "127.0.0.1", "::1")
        self._client = httpx.Client(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else {},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 30.0)),
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
            trust_env=not local,  # a proxy cannot reach this machine's own servers
        )

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [self._act(play) for play in plays]

    def interrupt(self) -> None:
        stop, self._stop = self._stop, threading.Event()
        stop.set()

    def close(self) -> None:
        self.interrupt()
        self._client.close()

    def _act(self, play: Play) -> Action:
        if play.state == "full":  # conversations only grow
            return Action("", finish="context_length")
        messages = [{"role": m["role"], "content": _plain(m["content"])} for m in play.messages]
        body = {**self._body, "messages": messages}
        if self.seed is not None:
            body["seed"] = seed_of("openai", self.seed, *play.rng_key) >> 32  # servers take 31 bits
        content = json.dumps(body).encode()
        stop = self._stop
        for attempt in range(self.max_retries + 1):
            try:
                return self._ask(content)
            except _ContextExceeded as error:
                if play.turn == 0:  # nothing of it is the model's
                    raise InfrastructureError(f"the first message does not fit, lower max_tokens: {error}") from None
                play.state = "full"
                return Action("", finish="context_length")
            except _Unanswered as failure:
                if attempt == self.max_retries:
                    raise InfrastructureError(
                        f"{self.url} gave no answer in {attempt + 1} attempts, at last: {self._hide(str(failure))}"
                    ) from None
                pause = self._jitter.uniform(0.0, min(MAX_PAUSE_S, self.backoff_s * 2.0**attempt))
                if stop.wait(pause + (failure.pause_s or 0.0)):
                    raise InfrastructureError("the run was given up") from None
        raise AssertionError("unreachable")

    def _ask(self, content: bytes) -> Action:
        """One request."""
        try:
            status, headers, body = self._post(content)
        except httpx.TimeoutException as error:
            raise _Unanswered(f"no answer within {self.timeout_s:g} s ({type(error).__name__})") from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise _Unanswered(self._hide(f"{type(error).__name__}: {error}")) from error
        if status == 200:
            return _read(body)
        code, message = _complaint(body)
        text = self._hide(f"{self.url} answered {status}: {message}")
        if status in (400, 413, 422) and _TOO_LONG.search(f"{code} {message}"):
            raise _ContextExceeded(text)
        if status in FATAL or 300 <= status < 400 or code == "insufficient_quota":
            raise FatalError(text)
        if status in RETRIED or status >= 500:
            raise _Unanswered(text, _retry_after(headers))
        raise InfrastructureError(text)

    def _post(self, content: bytes) -> tuple[int, httpx.Headers, bytes]:
        """Send a request and read the answer; httpx limits each wait, this the time for the whole."""
        deadline = time.monotonic() + self.timeout_s
        headers = {"Content-Type": "application/json"}
        body = bytearray()
        with self._client.stream("POST", self.url, content=content, headers=headers) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the answer trickles")
                if len(body) > MAX_BODY_BYTES:
                    raise httpx.DecodingError(f"the answer is longer than {MAX_BODY_BYTES} bytes")
            return response.status_code, response.headers, bytes(body)

    def _hide(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _read(body: bytes) -> Action:
    """The action in an answer; `_Unanswered` where there is none."""
    try:
        data = json.loads(body)
        if "choices" not in data and "error" in data:  # some gateways say 200 and mean an error
            raise _Unanswered(f"an error in place of an answer: {_complaint(body)[1]}")
        choice = data["choices"][0]
        message = choice["message"]
        text = _text(message.get("content")) or _text(message.get("refusal"))
        text += "".join(_call(call["function"]) for call in message.get("tool_calls") or ())
        usage = data.get("usage") or {}
        return Action(
            text,
            str(choice.get("finish_reason") or "stop"),
            int(usage.get("prompt_tokens") or 0),
            int(usage.get("completion_tokens") or 0),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise _Unanswered(f"an answer that cannot be read ({type(error).__name__}): {body[:200]!r}") from error


def _text(content: Any) -> str:
    """Content as text: a string, or a list of parts; null is empty."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError(f"content is a {type(content).__name__}")
    return content or ""


def _call(function: Mapping[str, Any]) -> str:
    """A native function call in the grammar of the environments' tools."""
    arguments: Any = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):  # else it stays a string, which the environment refuses
            arguments = json.loads(arguments)
    call = json.dumps({"name": function["name"], "arguments": arguments})
    return f"<tool_call>{call.replace('</', '<' + chr(92) + '/')}</tool_call>"  # JSON reads <\/ as </


def _complaint(body: bytes) -> tuple[str, str]:
    """Code and message of an error answer, whatever its shape."""
    text = body[:2000].decode("utf-8", "replace").strip() or "(nothing)"
    try:
        data = json.loads(body)
        error = data.get("error", data) if isinstance(data, dict) else data
        if not isinstance(error, dict):
            return "", str(error)[:2000]
        code = " ".join(str(error[name]) for name in ("code", "type") if error.get(name))
        return str(error.get("code") or code), f"{error.get('message') or text} {code}".strip()[:2000]
    except (ValueError, RecursionError):
        return "", text


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that the server asks to wait: Retry-After in seconds or as a date (RFC 9110, section 10.2.3)."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(value)
        except ValueError:
            return None
        if when.tzinfo is None:
            when = when.replace(tzinfo=datetime.UTC)
        seconds = (when - datetime.datetime.now(datetime.UTC)).total_seconds()
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S) if seconds == seconds else None


def _endpoint(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"base_url is {base_url!r}; it must look like 'http://localhost:8000/v1'")
    if parts.username or parts.password:
        raise SettingsError("base_url must not hold a user or password: give the key by an environment variable")
    return base_url.rstrip("/").removesuffix("/chat/completions") + "/chat/completions"


def _positive(**values: float | None) -> None:
    for name, value in values.items():
        if value is not None and not value > 0:
            raise SettingsError(f"{name} is {value}; it must be positive")


def _plain(text: str) -> str:
    """The text without lone surrogates, which are no valid JSON to many servers."""
    return text.encode("utf-8", "replace").decode("utf-8")
