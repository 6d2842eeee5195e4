"""An agent behind Google's Gemini API (generateContent).

Source: ai.google.dev, API reference, "Generating content", and the guides "Function calling", "Thinking", "Thought
signatures", "Safety settings"; google.rpc.RetryInfo.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from turnwise.agents.endpoint.address import with_path
from turnwise.agents.endpoint.agent import EndpointAgent
from turnwise.agents.endpoint.options import Options
from turnwise.agents.endpoint.reading import cut, data_of, error_of, number, numbers, readable, texts
from turnwise.agents.endpoint.talk import Call, Entry, Reply, Said
from turnwise.core.agent import Play
from turnwise.core.errors import SettingsError
from turnwise.core.http.errors import MAX_RETRY_AFTER_S, Fatal, HttpError
from turnwise.core.tools import Tool

__all__ = ["GeminiAgent", "GeminiOptions"]

_FINISH = {"STOP": "stop", "MAX_TOKENS": "length"}
_BLOCKED = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"}
UNSIGNED = "skip_thought_signature_validator"
"""In place of the signature of a call that the model has not made itself: an example."""
_DELAY = re.compile(r"(\d{1,6}(?:\.\d+)?)s")


@dataclass(frozen=True, kw_only=True)
class GeminiOptions(Options):
    """Options of an agent behind the Gemini API.

    ``reasoning`` in tokens is the thinking budget (0 switches thinking off where the model allows it), in a word the
    thinking level, which newer models take.
    """

    seed: int | None = None
    """Each request gets a seed derived from this, the episode and the turn; None sends none."""
    safety: str | None = None
    """Threshold of all safety settings, such as BLOCK_NONE; None leaves them to the server."""
    api_key_env: str = "GEMINI_API_KEY"
    """Environment variable that holds the key; without it, ``GOOGLE_API_KEY``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reasoning in ("none", "max"):
            raise SettingsError(f"reasoning is {self.reasoning!r}; Gemini takes minimal, low, medium, high, xhigh, or "
                                "a number of tokens, 0 for none")  # fmt: skip

    def taken(self) -> set[str]:
        return {"contents", "systemInstruction", "stream"}


_CATEGORIES = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")


class GeminiAgent(EndpointAgent):
    """Sends every turn to ``base_url``/v1beta/models/MODEL:generateContent. Thought signatures are sent back.

    Args:
        model: The model's name.
        base_url: Address of the API; by default the environment variable ``GOOGLE_GEMINI_BASE_URL``, else Google's.
        options: Those of `GeminiOptions`.
    """

    OPTIONS: ClassVar[type[Options]] = GeminiOptions
    KIND = "gemini"
    HOST = "https://generativelanguage.googleapis.com"
    URL_ENV = "GOOGLE_GEMINI_BASE_URL"
    TOKEN_HEADER = "x-goog-api-key"
    options: GeminiOptions

    def address(self, base: str) -> str:
        version = "" if re.search(r"/v\d\w*/?$", base.partition("?")[0]) else "/v1beta"
        return with_path(base, f"{version}/models/{self.model.removeprefix('models/')}")

    def path(self) -> str:
        return ":streamGenerateContent?alt=sse" if self.options.stream else ":generateContent"

    def key_names(self) -> tuple[str, ...]:
        return (*super().key_names(), "GOOGLE_API_KEY")

    def request(self, entries: Sequence[Entry], tools: Sequence[Tool], play: Play) -> dict[str, Any]:
        options = self.options
        config = options.sent(maxOutputTokens="max_tokens", temperature="temperature", topP="top_p")
        if options.seed is not None:
            config["seed"] = self.seed_for(play, options.seed)
        if isinstance(options.reasoning, int):
            config["thinkingConfig"] = {"thinkingBudget": options.reasoning, "includeThoughts": options.reasoning > 0}
        elif options.reasoning is not None:
            config["thinkingConfig"] = {"thinkingLevel": options.reasoning.upper(), "includeThoughts": True}
        body: dict[str, Any] = {"contents": _contents(entries)}
        if head := [entry["content"] for entry in entries if entry["role"] == "system"]:
            body["systemInstruction"] = {"parts": [{"text": head[0]}]}
        if tools:
            body["tools"] = [{"functionDeclarations": [_declared(tool) for tool in tools]}]
        if options.safety is not None:
            names = [f"HARM_CATEGORY_{category}" for category in _CATEGORIES]
            body["safetySettings"] = [{"category": name, "threshold": options.safety} for name in names]
        extra = dict(options.extra or {})
        config |= extra.pop("generationConfig", {})
        return {**body, **({"generationConfig": config} if config else {}), **extra}

    def read(self, body: bytes) -> Reply:
        return _read(body)

    def meaning(self, failure: HttpError, body: Mapping[str, Any], said: str, code: str) -> HttpError:
        details = _details(failure.body)
        if failure.status == 400 and (any(d.get("reason") == "API_KEY_INVALID" for d in details) or "API key" in said):
            return Fatal(failure.reason, status=failure.status)
        for detail in details:
            if found := _DELAY.fullmatch(str(detail.get("retryDelay", ""))):
                failure.pause_s = max(failure.pause_s, min(float(found[1]), MAX_RETRY_AFTER_S))
        return failure


def _details(body: bytes) -> list[Mapping[str, Any]]:
    """The machine-readable part of an error."""
    try:
        data = json.loads(body)
        error = (data[0] if isinstance(data, list) else data)["error"]
        return [detail for detail in error.get("details") or () if isinstance(detail, Mapping)]
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return []


def _declared(tool: Tool) -> dict[str, Any]:
    found = {"name": tool.name, "description": tool.description}
    return {**found, "parametersJsonSchema": tool.schema()["function"]["parameters"]} if tool.properties else found


def _contents(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """The conversation; neighbours of one role are one content, and nothing is empty."""
    found: list[dict[str, Any]] = []
    for entry in entries:
        role = {"assistant": "model"}.get(entry["role"], "user")
        parts = [] if entry["role"] == "system" else _parts(entry)
        if parts and found and found[-1]["role"] == role:
            found[-1]["parts"] += parts
        elif parts:
            found.append({"role": role, "parts": parts})
    return found


def _parts(entry: Entry) -> list[dict[str, Any]]:
    if answers := entry.get("answers"):
        return [{"functionResponse": _response(call, text)} for call, text in answers]
    said: Said | None = entry.get("said")
    if said is not None and said.native is not None:
        return list(said.native)
    text = said.text if said is not None and said.calls else entry["content"]
    found: list[dict[str, Any]] = [{"text": text}] if text else []
    for place, call in enumerate(said.calls if said is not None else ()):
        signed = {} if place else {"thoughtSignature": UNSIGNED}
        found.append({"functionCall": {**_id(call), "name": call.name, "args": call.arguments}, **signed})
    return found or ([{"text": "(empty)"}] if entry["role"] == "user" else [])


def _response(call: Call, text: str) -> dict[str, Any]:
    return {**_id(call), "name": call.name, "response": {"output": text}}


def _id(call: Call) -> dict[str, str]:
    return {"id": call.id} if call.id else {}


@readable
def _read(body: bytes) -> Reply:
    data = data_of(body, _assembled)
    data = data[0] if isinstance(data, list) and data else data
    if "error" in data:
        raise error_of(data["error"])
    usage = data.get("usageMetadata") or {}
    served = {**texts(data, model="modelVersion", id="responseId"), **({"usage": numbers(usage)} if usage else {})}
    cached = number(usage.get("cachedContentTokenCount"))
    read = number(usage.get("promptTokenCount")) + number(usage.get("toolUsePromptTokenCount"))
    written = number(usage.get("candidatesTokenCount")) + number(usage.get("thoughtsTokenCount"))
    blocked = (data.get("promptFeedback") or {}).get("blockReason")
    if blocked and not data.get("candidates"):  # the prompt itself: the model has nothing to say
        served |= {"refusal": True, "blocked": str(blocked)[:40]}
        return Reply(Said("", native=[]), "content_filter", read, written, cached, served=served)
    candidate = data["candidates"][0]
    reason = str(candidate.get("finishReason") or "STOP")[:40]
    parts = (candidate.get("content") or {}).get("parts") or []
    said = _said(parts)
    if reason in _BLOCKED or reason.startswith("IMAGE_"):
        served |= {"refusal": True, "blocked": reason}
        finish = "content_filter"
    else:
        finish = "tool_calls" if said.calls and reason == "STOP" else _FINISH.get(reason, reason.lower())
    return Reply(said, finish, read, written, cached, served=served)


def _said(parts: Sequence[Mapping[str, Any]]) -> Said:
    """What the parts of an answer say. Summaries of thoughts are not sent back, signatures are."""
    text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
    thoughts = "".join(part["text"] for part in parts if "text" in part and part.get("thought"))
    calls = []
    for part in parts:
        if call := part.get("functionCall"):
            calls.append(Call(str(call.get("id") or ""), str(call["name"]), call.get("args") or {}))
    native = [dict(p) for p in parts if not p.get("thought") and (p.get("text") != "" or "thoughtSignature" in p)]
    return Said(text, tuple(calls), thoughts, native)


def _assembled(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer that the events of a stream amount to."""
    whole: dict[str, Any] = {}
    parts: list[dict[str, Any]] = []
    candidate: dict[str, Any] = {}
    for event in events:
        if "error" in event:
            raise error_of(event["error"])
        whole |= {name: value for name, value in event.items() if name != "candidates"}
        for piece in (event.get("candidates") or ())[:1]:
            candidate |= {name: value for name, value in piece.items() if name != "content"}
            for part in (piece.get("content") or {}).get("parts") or ():
                _add(parts, part)
    if not candidate and "promptFeedback" not in whole:
        raise cut("an answer")
    if candidate and "finishReason" not in candidate:
        raise cut("a reason for its end")
    return {**whole, "candidates": [{**candidate, "content": {"parts": parts}}]} if candidate else whole


def _add(parts: list[dict[str, Any]], part: Mapping[str, Any]) -> None:
    """Add a piece; words go on where words of the same kind ended, unless one of both is signed."""
    last = parts[-1] if parts else {}
    plain = {"text", "thought"}
    if set(part) <= plain and set(last) <= plain and last and part.get("thought") == last.get("thought"):
        last["text"] += part["text"]
    else:
        parts.append(dict(part))
