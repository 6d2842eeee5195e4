"""An agent behind Anthropic's Messages API.

Source: platform.claude.com, API reference, "Messages", "Errors", "Versions" (2026-10-21 and 2023-06-01), and the guides
"Extended thinking", "Tool use", "Prompt caching", "Streaming".
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from turnwise.agents.endpoint.address import with_path
from turnwise.agents.endpoint.agent import Again, EndpointAgent
from turnwise.agents.endpoint.options import Options
from turnwise.agents.endpoint.reading import cut, data_of, error_of, number, numbers, readable, texts
from turnwise.agents.endpoint.talk import Call, Entry, Reply, Said
from turnwise.core.agent import Play
from turnwise.core.errors import SettingsError
from turnwise.core.http.errors import Fatal, HttpError
from turnwise.core.settings import Range
from turnwise.core.tools import Tool

__all__ = ["AnthropicAgent", "AnthropicOptions"]

NEWEST, OLDER = "2026-10-21", "2023-06-01"
LEAST_THINKING = 1024
_SPENT = re.compile(r"credit balance|spend.limit|usage limits", re.IGNORECASE)
_MOST = re.compile(r"max_tokens: \d+ > (\d+), which is the maximum")
_ROOM = re.compile(r"context limit: (\d+) \+ (\d+) > (\d+)")
_FINISH = {
    "end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}  # fmt: skip
_EFFORTS = {"minimal": "low"}  # the API's words for efforts it does not know


@dataclass(frozen=True, kw_only=True)
class AnthropicOptions(Options):
    """Options of an agent behind the Messages API.

    ``reasoning`` in tokens is the budget of extended thinking, in a word the effort of adaptive thinking, which newer
    models take; "none" switches thinking off. ``temperature`` and ``top_p`` are for older models: the API's newest
    version refuses them, so that requests with them are sent as of the version before.
    """

    max_tokens: Annotated[int, Range(1)] = 16_384
    """Longest answer, thinking included; lowered to what the model and the context allow."""
    cache: Literal["off", "5m", "1h"] = "off"
    """How long the API keeps the conversation so far in its cache, at its prices for that (``cache_control``)."""
    version: Literal["2026-10-21", "2023-06-01"] | None = None
    """Version of the API; None is the newest that takes the other options."""
    api_key_env: str = "ANTHROPIC_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.version == NEWEST and self._samples():
            raise SettingsError(
                f"version is {NEWEST!r}, which takes no temperature and no top_p; leave one of them out"
            )
        budget = self.reasoning if isinstance(self.reasoning, int) else None
        if budget and not LEAST_THINKING <= budget < self.max_tokens:
            raise SettingsError(
                f"reasoning is {budget}; it must be 0, or from {LEAST_THINKING} to less than max_tokens, which is "
                f"{self.max_tokens}"
            )

    def taken(self) -> set[str]:
        return {"model", "messages", "system", "stream"}

    @property
    def spoken(self) -> str:
        """The version of the API that requests are sent as of."""
        return self.version or (OLDER if self._samples() else NEWEST)

    def _samples(self) -> bool:
        given = {"temperature": self.temperature, "top_p": self.top_p, **(self.extra or {})}
        return any(given.get(name) is not None for name in ("temperature", "top_p", "top_k"))


class AnthropicAgent(EndpointAgent):
    """Sends every turn to ``base_url``/v1/messages. Thinking blocks are sent back as they came.

    Args:
        model: The model's name.
        base_url: Address of the API; by default the environment variable ``ANTHROPIC_BASE_URL``, else Anthropic's.
        options: Those of `AnthropicOptions`.
    """

    OPTIONS: ClassVar[type[Options]] = AnthropicOptions
    KIND = "anthropic"
    HOST = "https://api.anthropic.com"
    URL_ENV = "ANTHROPIC_BASE_URL"
    TOKEN_HEADER = "x-api-key"
    options: AnthropicOptions

    def __init__(self, model: str, base_url: str | None = None, **options: Any) -> None:
        super().__init__(model, base_url, **options)
        self._most = self.options.max_tokens  # less if the model's own limit is lower

    def headers(self) -> Mapping[str, str]:
        return {"anthropic-version": self.options.spoken}

    def address(self, base: str) -> str:
        return with_path(base.rstrip("/").removesuffix("/messages"), "/messages", version="/v1")

    def request(self, entries: Sequence[Entry], tools: Sequence[Tool], play: Play) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {"model": self.model, "max_tokens": self._most}
        body |= options.sent(temperature="temperature", top_p="top_p") | self._thinking()
        mark = {} if options.cache == "off" else {"cache_control": {"type": "ephemeral", "ttl": options.cache}}
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
            body["tools"][-1] |= mark
        head = [entry["content"] for entry in entries if entry["role"] == "system"]
        if head:
            body["system"] = [{"type": "text", "text": head[0], **mark}]
        body["messages"] = _messages(entries)
        if mark:
            _marked(body["messages"], mark)
        if options.stream:
            body["stream"] = True
        return body | dict(options.extra or {})

    def _thinking(self) -> dict[str, Any]:
        wanted = self.options.reasoning
        if wanted is None:
            return {}
        if wanted in (0, "none"):
            return {"thinking": {"type": "disabled"}}
        if isinstance(wanted, int):
            return {"thinking": {"type": "enabled", "budget_tokens": min(wanted, max(self._most - 1, LEAST_THINKING))}}
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": _EFFORTS.get(wanted, wanted)}}

    def read(self, body: bytes) -> Reply:
        return _read(body)

    def meaning(self, failure: HttpError, body: Mapping[str, Any], said: str, code: str) -> HttpError:
        if _SPENT.search(failure.body.decode("utf-8", "replace")):
            return Fatal(failure.reason, status=failure.status)
        if (found := _MOST.search(said)) and int(found[1]) < body["max_tokens"]:
            self._most = int(found[1])
            raise Again(_limited(body, self._most))
        return failure

    def shorter(self, body: Mapping[str, Any], why: str) -> Mapping[str, Any] | None:
        """A lower ``max_tokens``, which the API demands: what the error says is left of the context."""
        found = _ROOM.search(why)
        room = int(found[3]) - int(found[1]) if found else 0
        thinks = body.get("thinking", {}).get("type") == "enabled"
        return _limited(body, room) if (LEAST_THINKING if thinks else 0) < room < body["max_tokens"] else None


def _limited(body: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The request with another longest answer, of which thinking must be less."""
    thinking = dict(body.get("thinking", {}))
    if thinking.get("budget_tokens", 0) >= most:
        thinking["budget_tokens"] = max(most - 1, LEAST_THINKING)
    return {**body, "max_tokens": most, **({"thinking": thinking} if thinking else {})}


def _tool(tool: Tool) -> dict[str, Any]:
    function = tool.schema()["function"]
    return {"name": tool.name, "description": tool.description, "input_schema": function["parameters"]}


def _messages(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The conversation; neighbours of one role are one message, and nothing is empty, which the API refuses."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        blocks = [] if entry["role"] == "system" else _blocks(entry)
        if blocks and found and found[-1]["role"] == entry["role"]:
            found[-1]["content"] += blocks
        elif blocks:
            found.append({"role": entry["role"], "content": blocks})
    return found


def _blocks(entry: Entry) -> list[dict[str, Any]]:
    if answers := entry.get("answers"):
        return [{"type": "tool_result", "tool_use_id": call.id, "content": text} for call, text in answers]
    said: Said | None = entry.get("said")
    if said is not None and said.native is not None:
        return [dict(block) for block in said.native]
    text = said.text if said is not None and said.calls else entry["content"]
    if not text.strip():
        text = "" if entry["role"] == "assistant" else "(empty)"
    found: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for call in said.calls if said is not None else ():
        arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
        found.append({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments})
    return found


def _marked(messages: list[dict[str, Any]], mark: Mapping[str, Any]) -> None:
    """Let the cache hold the conversation up to its last block that may have the mark."""
    for message in reversed(messages):
        for block in reversed(message["content"]):
            if block["type"] in ("text", "tool_result", "tool_use"):
                block |= mark
                return


@readable
def _read(body: bytes) -> Reply:
    data = data_of(body, _assembled)
    if data.get("type") == "error":
        raise error_of(data["error"])
    blocks = data["content"]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [Call(str(b["id"]), str(b["name"]), b["input"]) for b in blocks if b["type"] == "tool_use"]
    thoughts = [str(block.get("thinking") or "") for block in blocks if block["type"] == "thinking"]
    usage = data.get("usage") or {}
    cached, written = (number(usage.get(f"cache_{what}_input_tokens")) for what in ("read", "creation"))
    reason = str(data.get("stop_reason") or "end_turn")[:40]
    served = {**texts(data, model="model", id="id"), **({"usage": numbers(usage)} if usage else {})}
    if reason == "refusal":
        served["refusal"] = True
    native = [_sent_back(block) for block in blocks if block["type"] != "text" or block["text"].strip()]
    return Reply(
        Said(text, tuple(calls), "\n\n".join(filter(None, thoughts)), native),
        _FINISH.get(reason, reason),
        number(usage.get("input_tokens")) + cached + written,
        number(usage.get("output_tokens")),
        cached,
        written,
        served=served,
    )


def _sent_back(block: Mapping[str, Any]) -> dict[str, Any]:
    """A block of an answer as the API takes it in a request."""
    fields = {
        "text": ("type", "text"),
        "thinking": ("type", "thinking", "signature"),
        "redacted_thinking": ("type", "data"),
        "tool_use": ("type", "id", "name", "input"),
    }.get(block["type"])
    return dict(block) if fields is None else {name: block[name] for name in fields}


def _assembled(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer that the events of a stream amount to."""
    message: dict[str, Any] = {}
    blocks: dict[int, dict[str, Any]] = {}
    ended = False
    for event in events:
        kind = event.get("type")
        if kind == "error":
            raise error_of(event["error"])
        if kind == "message_start":
            message = dict(event["message"])
        elif kind == "content_block_start":
            blocks[event["index"]] = dict(event["content_block"])
        elif kind == "content_block_delta":
            _grow(blocks[event["index"]], event["delta"])
        elif kind == "message_delta":
            message |= {name: value for name, value in event["delta"].items() if value is not None}
            message["usage"] = {**message.get("usage", {}), **(event.get("usage") or {})}
        ended = ended or kind == "message_stop"
    if not ended:
        raise cut("message_stop")
    for block in blocks.values():
        if "partial" in block:
            block["input"] = json.loads(block.pop("partial") or "{}")
    return {**message, "content": [blocks[index] for index in sorted(blocks)]}


def _grow(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add a piece to a block."""
    kind = delta["type"]
    for name, field in (("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")):
        if kind == name:
            block[field] = block.get(field, "") + delta[field]
    if kind == "input_json_delta":
        block["partial"] = block.get("partial", "") + delta["partial_json"]
