"""An agent behind OpenAI's Responses API; nothing is stored at the server, and reasoning comes back encrypted.

Source: platform.openai.com, API reference, "Responses", and the guides "Reasoning", "Function calling", "Streaming".
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from turnwise.agents.endpoint.address import with_path
from turnwise.agents.endpoint.agent import EndpointAgent
from turnwise.agents.endpoint.options import Options
from turnwise.agents.endpoint.reading import cache_of, cut, data_of, error_of, number, numbers, readable, texts
from turnwise.agents.endpoint.talk import Call, Entry, Reply, Said
from turnwise.agents.openai import without_v1
from turnwise.core.agent import Play
from turnwise.core.errors import SettingsError
from turnwise.core.http.errors import Fatal, HttpError
from turnwise.core.tools import Tool

__all__ = ["ResponsesAgent", "ResponsesOptions"]

_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_FINISH = {"max_output_tokens": "length", "content_filter": "content_filter"}


@dataclass(frozen=True, kw_only=True)
class ResponsesOptions(Options):
    """Options of an agent behind the Responses API."""

    api_key_env: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.reasoning, int):
            raise SettingsError(f"reasoning is {self.reasoning}; the Responses API takes an effort, such as 'low'")

    def taken(self) -> set[str]:
        return {"model", "input", "stream", "store", "previous_response_id"}


class ResponsesAgent(EndpointAgent):
    """Sends every turn to ``base_url``/responses.

    Args:
        model: The model's name.
        base_url: Address up to ``/v1``; by default the environment variable ``OPENAI_BASE_URL``, else OpenAI's.
        options: Those of `ResponsesOptions`.
    """

    OPTIONS: ClassVar[type[Options]] = ResponsesOptions
    KIND = "openai-responses"
    HOST = "https://api.openai.com/v1"
    URL_ENV = "OPENAI_BASE_URL"
    options: ResponsesOptions

    def address(self, base: str) -> str:
        return with_path(base, "/responses")

    def request(self, entries: Sequence[Entry], tools: Sequence[Tool], play: Play) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {"model": self.model, "store": False}
        body |= options.sent(max_output_tokens="max_tokens", temperature="temperature", top_p="top_p")
        if options.reasoning is not None:
            body["reasoning"] = {"effort": options.reasoning}
            if options.reasoning != "none":
                body["reasoning"]["summary"] = "auto"
                body["include"] = ["reasoning.encrypted_content"]
        if tools:
            body["tools"] = [_function(tool) for tool in tools]
        if options.stream:
            body["stream"] = True
        head = [entry["content"] for entry in entries if entry["role"] == "system"]
        if head:
            body["instructions"] = head[0]
        body["input"] = [item for entry in entries for item in _items(entry)]
        return body | dict(options.extra or {})

    def read(self, body: bytes) -> Reply:
        return _read(body)

    def meaning(self, failure: HttpError, body: Mapping[str, Any], said: str, code: str) -> HttpError:
        if code == "insufficient_quota":
            return Fatal(failure.reason, status=failure.status)
        return without_v1(failure, self.url)

    def shorter(self, body: Mapping[str, Any], why: str) -> Mapping[str, Any] | None:
        limit = "max_output_tokens"
        return {name: value for name, value in body.items() if name != limit} if limit in body else None


def _function(tool: Tool) -> dict[str, Any]:
    return {"type": "function", **tool.schema()["function"], "strict": False}


def _items(entry: Entry) -> list[dict[str, Any]]:
    """An entry of the conversation as input items; the system message is sent apart."""
    if entry["role"] == "system":
        return []
    if answers := entry.get("answers"):
        return [{"type": "function_call_output", "call_id": call.id, "output": text} for call, text in answers]
    said: Said | None = entry.get("said")
    if said is not None and said.native is not None:
        return list(said.native)
    found = [{"role": entry["role"], "content": entry["content"]}]
    if said is not None and said.calls:
        found = [{"role": "assistant", "content": said.text}] if said.text else []
        found += [
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": _json(call.arguments)}
            for call in said.calls
        ]
    return found


@readable
def _read(body: bytes) -> Reply:
    data = data_of(body, _assembled)
    if data.get("error"):
        raise error_of(data["error"])
    said = _said(data["output"])
    usage = data.get("usage") or {}
    status, why = data.get("status"), (data.get("incomplete_details") or {}).get("reason")
    if status not in ("completed", "incomplete", None):
        raise cut(f"the model had answered (its status is {str(status)[:40]!r})")
    refused = any(part.get("type") == "refusal" for item in data["output"] for part in item.get("content") or ())
    finish = _FINISH.get(str(why), str(why)[:40]) if status == "incomplete" else "tool_calls" if said.calls else "stop"
    served = {**texts(data, model="model", id="id"), **({"usage": numbers(usage)} if usage else {})}
    if refused:
        served["refusal"] = True
    return Reply(
        said,
        finish,
        number(usage.get("input_tokens")),
        number(usage.get("output_tokens")),
        *cache_of(usage, "input_tokens_details"),
        served=served,
    )


def _said(output: Sequence[Mapping[str, Any]]) -> Said:
    """What the items of an answer say."""
    words, thoughts, calls, native = [], [], [], []
    for item in output:
        kind = item["type"]
        if kind == "message":
            words += [str(part.get("text") or part.get("refusal") or "") for part in item["content"]]
            native.append({name: item[name] for name in ("id", "type", "role", "content", "status") if name in item})
        elif kind == "function_call":
            calls.append(Call(str(item["call_id"]), str(item["name"]), item.get("arguments") or "{}"))
            native.append({name: item[name] for name in ("type", "call_id", "name", "arguments")})
        elif kind == "reasoning":
            parts = [*(item.get("summary") or ()), *(item.get("content") or ())]
            thoughts += [str(part.get("text") or "") for part in parts]
            if item.get("encrypted_content"):  # without it, the server would look for an item that it did not store
                native.append({name: item[name] for name in ("id", "type", "summary", "encrypted_content")})
    if not any(item["type"] == "reasoning" for item in native):  # ids of what was never stored
        native = [{name: value for name, value in item.items() if name != "id"} for item in native]
        native = [_plain(item) for item in native]
    return Said("".join(words), tuple(calls), "\n\n".join(filter(None, thoughts)), native)


def _plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """A message as one that the client wrote: it needs no id."""
    if item["type"] != "message":
        return dict(item)
    text = "".join(str(part.get("text") or part.get("refusal") or "") for part in item["content"])
    return {"role": "assistant", "content": text}


def _assembled(events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The answer that the events of a stream amount to: the last one has all of it."""
    for event in events:
        if event.get("type") == "error":
            raise error_of(event.get("error") or {name: event.get(name) for name in ("code", "message")})
        if event.get("type") in _ENDS:
            whole: Mapping[str, Any] = event["response"]
            return whole
    raise cut("response.completed")


def _json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
