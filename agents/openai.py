"""An agent behind OpenAI's chat completions: OpenAI, vLLM, SGLang, llama.cpp, Ollama and many more.

Source: platform.openai.com, API reference, "Chat Completions"; docs.vllm.ai, "OpenAI-Compatible Server".
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from turnwise.agents.chat import Thoughts, continued, read_answer, read_top
from turnwise.agents.endpoint.address import with_path
from turnwise.agents.endpoint.agent import Again, EndpointAgent
from turnwise.agents.endpoint.options import Options
from turnwise.agents.endpoint.talk import Entry, Reply, Said, Talk
from turnwise.core.agent import Play
from turnwise.core.episode import Tokens
from turnwise.core.errors import FatalError, SettingsError
from turnwise.core.http.errors import Fatal, HttpError
from turnwise.core.tools import Tool
from turnwise.engine.routes import NEUTRAL, PROCESSED
from turnwise.engine.server import follow

__all__ = ["ChatOptions", "OpenAIAgent", "without_v1"]

LIMITS = {"max_tokens", "max_completion_tokens"}
TOKENS = {"return_token_ids": True, "logprobs": True}
NO_TOKENS = "missing: the endpoint returned no token ids for return_token_ids; vLLM and SGLang know it"
_OTHER_LIMIT = re.compile(r"max_tokens.{0,80}max_completion_tokens", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class ChatOptions(Options):
    """Options of an agent behind chat completions."""

    seed: int | None = None
    """Each request gets a seed derived from this, the episode and the turn; None sends none."""
    send_reasoning: Thoughts | None = None
    """Send the reasoning of earlier turns back with the answers, in the field of this name; None never does."""
    tokens: bool = False
    """Ask for token ids and log-probabilities, which vLLM and SGLang return, and keep them in the records of episodes
    (docs/rollouts.md). The temperature is then 1 unless given, and other settings of sampling are neutral unless
    ``extra`` has them: the log-probabilities are to be those of what was sampled."""
    api_key_env: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.reasoning, int):
            raise SettingsError(f"reasoning is {self.reasoning}; chat completions take an effort, such as 'low'")
        if self.tokens and self.stream:
            raise SettingsError("tokens and stream are both on: token ids are read from whole answers")

    def taken(self) -> set[str]:
        return {"messages", "stream", "n"}


class OpenAIAgent(EndpointAgent):
    """Sends every turn to ``base_url``/chat/completions.

    Args:
        model: The model's name at the endpoint.
        base_url: Address up to ``/v1``; by default the environment variable ``OPENAI_BASE_URL``, else OpenAI's.
        options: Those of `ChatOptions`.
    """

    OPTIONS: ClassVar[type[Options]] = ChatOptions
    KIND = "openai"
    HOST = "https://api.openai.com/v1"
    URL_ENV = "OPENAI_BASE_URL"
    options: ChatOptions

    def __init__(self, model: str, base_url: str | None = None, **options: Any) -> None:
        super().__init__(model, base_url, **options)
        self._processed = False  # seen that log-probabilities follow the temperature
        self._body = self._fields()

    def address(self, base: str) -> str:
        return with_path(base, "/chat/completions")

    def request(self, entries: Sequence[Entry], tools: Sequence[Tool], play: Play) -> dict[str, Any]:
        body = {**self._body, "messages": [message for entry in entries for message in self._messages(entry)]}
        if tools:
            body["tools"] = [tool.schema() for tool in tools]
        if self.options.seed is not None:
            body["seed"] = self.seed_for(play, self.options.seed)
        return body

    def read(self, body: bytes) -> Reply:
        return read_answer(body)

    def meaning(self, failure: HttpError, body: Mapping[str, Any], said: str, code: str) -> HttpError:
        limited = "max_tokens" in body and failure.status in (400, 413, 422)
        if limited and _OTHER_LIMIT.search(said) and "too large" not in said:  # OpenAI's reasoning models
            self._body = _renamed(self._body)
            raise Again(_renamed(body))
        if code == "insufficient_quota":
            return Fatal(failure.reason, status=failure.status)
        return without_v1(failure, self.url)

    def shorter(self, body: Mapping[str, Any], why: str) -> Mapping[str, Any] | None:
        """What is left of the context is less than the longest answer: a limit, too."""
        return {name: v for name, v in body.items() if name not in LIMITS} if LIMITS & body.keys() else None

    def ready(self) -> None:
        """Stop the run if the endpoint's log-probabilities leave the temperature out; it is asked once."""
        if not self.options.tokens or self._processed:
            return
        temperature = self._body.get("temperature", 1.0)
        if temperature in (0, 1):
            return
        limit = dict.fromkeys(LIMITS & self._body.keys(), 1) or {"max_tokens": 1}
        said = {"messages": [{"role": "user", "content": "The"}], "top_logprobs": 5, **limit}

        def top(at: float) -> Mapping[str, float]:
            content = json.dumps({**self._body, **said, "temperature": at}).encode()
            return self.client.ask("POST", content=content, read=read_top).value

        try:
            self._processed = follow(temperature, top, self.client.name, PROCESSED)
        except SettingsError as error:
            raise FatalError(str(error)) from error

    def tokens(self, reply: Reply, talk: Talk) -> Tokens | None:
        """The tokens of an answer as a continuation of the turns before."""
        if reply.tokens is None:
            return Tokens(fresh=True, fault=NO_TOKENS) if self.options.tokens else None
        found: Tokens = reply.tokens
        prompt, before = found.context, talk.row
        talk.row = (*prompt, *found.ids)
        return continued(found, before)

    def overfull(self) -> Tokens | None:
        kept = self.options.tokens
        return Tokens(fault="cut: the conversation has outgrown the model's context") if kept else None

    def _fields(self) -> dict[str, Any]:
        """The fields that all requests share."""
        options, extra = self.options, dict(self.options.extra or {})
        body: dict[str, Any] = {"model": self.model}
        body |= options.sent(temperature="temperature", top_p="top_p", reasoning_effort="reasoning")
        if options.max_tokens is not None and not LIMITS & extra.keys():
            body["max_tokens"] = options.max_tokens
        if options.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if options.tokens:
            return {"temperature": 1.0, **NEUTRAL, **body, **TOKENS, **extra}
        return body | extra

    def _messages(self, entry: Entry) -> list[dict[str, Any]]:
        """An entry of the conversation as messages."""
        if answers := entry.get("answers"):
            return [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text in answers]
        said: Said | None = entry.get("said")
        if said is None:
            return [{"role": entry["role"], "content": entry["content"]}]
        message: dict[str, Any] = {"role": "assistant", "content": entry["content"]}
        if said.calls:
            message["content"] = said.text or None
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _json(call.arguments)}}
                for call in said.calls
            ]
        if self.options.send_reasoning is not None and said.reasoning:
            message[self.options.send_reasoning] = said.reasoning
        return [message]


def without_v1(failure: HttpError, url: str) -> HttpError:
    """A failure that may come of an address without its ``/v1``."""
    if failure.status in (404, 405) and "/v1" not in url:
        failure.reason += "; base URLs usually end in /v1"
    return failure


def _json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _renamed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with its limit under the newer name, which OpenAI's reasoning models require."""
    return {"max_completion_tokens" if name == "max_tokens" else name: value for name, value in body.items()}
