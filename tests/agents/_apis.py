"""Servers on this machine that speak the four chat APIs as their documentation has them, and are strict about requests.

Each checks the key, the version, and the body against a JSON schema of the documented request (``schemas/``), and what
a schema cannot say: that calls are answered, that signed thoughts come back unchanged. ``model`` answers a request with
a `Said`; ``faults`` replaces the answer to a request by its number.

Source: the API references of OpenAI ("Chat Completions", "Responses"), Anthropic ("Messages") and Google ("Generating
content"); the shapes are those that the makers' own Python clients read.
"""

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests._http import Asked, Server, answer, serving

KEY = "key-0123456789-secret"
SCHEMAS = Path(__file__).parent / "schemas"


@dataclass(frozen=True)
class Said:
    """What the model answers: words, calls as (name, arguments), thoughts, and how it ended (the API's own word)."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    thoughts: str = ""
    finish: str = ""
    refusal: str = ""
    read: int = 100
    written: int = 10
    cached: int = 0
    cache_written: int = 0


Model = Callable[[int, dict[str, Any]], Said]


@dataclass
class Api:
    """A server's behaviour; see the module."""

    model: Model
    faults: dict[int, Any] = field(default_factory=dict)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    name = ""
    path = ""
    header, prefix = "authorization", "Bearer "

    def __call__(self, asked: Asked) -> Any:
        """Answer a request."""
        found = self.refused(asked)
        if found is not None:
            return found
        body = json.loads(asked.body)
        number = len(self.bodies)
        self.bodies.append(body)
        problem = self.problem(body)
        if problem:
            self.wrong.append(problem)
            return self.error(400, problem)
        if number in self.faults:
            fault = self.faults[number]
            return fault(self, body) if callable(fault) else fault
        said = self.model(number, body)
        if self.streams(asked, body):
            return self.sent(self.events(said, number, body), number)
        return answer(200, json.dumps(self.whole(said, number, body)).encode(), **self.headers(number))

    def headers(self, number: int) -> dict[str, str]:
        return {"Content_Type": "application/json", "x_request_id": f"req_{number}"}

    def streams(self, asked: Asked, body: dict[str, Any]) -> bool:
        return bool(body.get("stream"))

    def refused(self, asked: Asked) -> bytes | None:
        if asked.headers.get(self.header) != self.prefix + KEY:
            return self.error(401, "invalid key")
        if self.path not in asked.line:
            return self.error(404, "no such path")
        return None

    def problem(self, body: dict[str, Any]) -> str:
        """What is wrong with a request."""
        import jsonschema

        schema = json.loads((SCHEMAS / f"{self.name}.json").read_text())
        found = jsonschema.Draft202012Validator(schema).iter_errors(body)
        deep = [jsonschema.exceptions.best_match([error]) for error in found]
        return "; ".join(f"{list(error.absolute_path)}: {error.message[:300]}" for error in deep) or self.unanswered(
            body
        )

    def unanswered(self, body: dict[str, Any]) -> str:
        return ""

    def sent(self, events: list[Any], number: int = 0) -> list[bytes]:
        """A stream, in pieces that do not end where events do; as chunked transfer."""
        lines = []
        for event in events:
            kind = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            lines.append(f"{kind}data: {event if isinstance(event, str) else json.dumps(event)}\n\n")
        data = "".join(lines).encode()
        named = {**self.headers(number), "Content_Type": "text/event-stream", "Transfer_Encoding": "chunked"}
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
        head = "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()
        pieces = [data[i : i + 97] for i in range(0, len(data), 97)]
        chunks = [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces]
        return [head, *chunks, b"0\r\n\r\n"]

    def error(self, status: int, message: str, kind: str = "invalid_request_error", **headers: str) -> bytes:
        raise NotImplementedError

    def whole(self, said: Said, number: int, body: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def events(self, said: Said, number: int, body: dict[str, Any]) -> list[Any]:
        raise NotImplementedError


class OpenAI(Api):
    """What OpenAI's two APIs share."""

    def error(self, status: int, message: str, kind: str = "invalid_request_error", **headers: str) -> bytes:
        error = {"message": message, "type": kind, "param": None, "code": kind if status == 429 else None}
        return answer(status, json.dumps({"error": error}).encode(), x_request_id="req_failed", **headers)


class Chat(OpenAI):
    """OpenAI's chat completions."""

    name, path = "chat", "POST /v1/chat/completions"

    def unanswered(self, body: dict[str, Any]) -> str:
        open_calls: list[str] = []
        for message in body["messages"]:
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_calls:
                    return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
                open_calls.remove(message["tool_call_id"])
            elif open_calls:
                return f"tool_call_ids did not have response messages: {open_calls}"
            open_calls += [call["id"] for call in message.get("tool_calls", ())]
        return f"tool_call_ids did not have response messages: {open_calls}" if open_calls else ""

    def _usage(self, said: Said) -> dict[str, Any]:
        details = {"cached_tokens": said.cached, "audio_tokens": 0}
        written = {"reasoning_tokens": 0, "accepted_prediction_tokens": 0}
        counts = {
            "prompt_tokens": said.read,
            "completion_tokens": said.written,
            "total_tokens": said.read + said.written,
        }
        return {**counts, "prompt_tokens_details": details, "completion_tokens_details": written}

    def _calls(self, said: Said, number: int) -> list[dict[str, Any]]:
        return [
            {"id": f"call_{number}_{i}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, (n, a) in enumerate(said.calls)
        ]

    def whole(self, said: Said, number: int, body: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": said.text or None, "refusal": said.refusal or None}
        if said.thoughts:
            message["reasoning_content"] = said.thoughts
        if said.calls:
            message["tool_calls"] = self._calls(said, number)
        finish = said.finish or ("tool_calls" if said.calls else "stop")
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        head = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": "m-2030-01-01"}
        return {**head, "choices": [choice], "usage": self._usage(said)}

    def events(self, said: Said, number: int, body: dict[str, Any]) -> list[Any]:
        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
            return {**head, "choices": [choice], "usage": None}

        head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "m-2030-01-01"}
        found = [chunk({"role": "assistant", "content": ""})]
        for name, text in (("reasoning_content", said.thoughts), ("content", said.text), ("refusal", said.refusal)):
            found += [chunk({name: text[i : i + 5]}) for i in range(0, len(text), 5)]
        for i, call in enumerate(self._calls(said, number)):
            whole = call["function"]["arguments"]
            found.append(
                chunk({"tool_calls": [{**call, "index": i, "function": {**call["function"], "arguments": ""}}]})
            )
            for start in range(0, len(whole), 4):
                part = {"index": i, "function": {"arguments": whole[start : start + 4]}}
                found.append(chunk({"tool_calls": [part]}))
        found.append(chunk({}, said.finish or ("tool_calls" if said.calls else "stop")))
        if body.get("stream_options", {}).get("include_usage"):
            found.append({**head, "choices": [], "usage": self._usage(said)})
        return [*found, "[DONE]"]


class Responses(OpenAI):
    """OpenAI's Responses API."""

    name, path = "responses", "POST /v1/responses"

    def unanswered(self, body: dict[str, Any]) -> str:
        items = body["input"] if isinstance(body["input"], list) else []
        calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
        outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
        for place, item in enumerate(items):
            if item.get("type") == "reasoning":
                signed = item.get("encrypted_content", "").removeprefix("enc:")
                following = items[place + 1].get("type") if place + 1 < len(items) else None
                if item["id"] != f"rs_{signed}" or following not in ("message", "function_call"):
                    return f"Item {item['id']!r} of type 'reasoning' was provided without its required following item."
            elif str(item.get("id", "")).startswith("msg_") and body.get("store") is False and not place:
                return f"Item with id {item['id']!r} not found"
        missing = [call for call in calls if call not in outputs]
        if missing:
            return f"No tool output found for function call {missing[0]}."
        other = [call for call in outputs if call not in calls]
        return f"No tool call found for function call output with call_id {other[0]}." if other else ""

    def _items(self, said: Said, number: int, body: dict[str, Any]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if said.thoughts:
            summary = [{"type": "summary_text", "text": said.thoughts}]
            found.append({"id": f"rs_{number}", "type": "reasoning", "summary": summary})
            if "reasoning.encrypted_content" in body.get("include", ()):
                found[-1]["encrypted_content"] = f"enc:{number}"
        content: list[dict[str, Any]] = []
        if said.refusal:
            content = [{"type": "refusal", "refusal": said.refusal}]
        elif said.text or not said.calls:
            content = [{"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}]
        status = "incomplete" if said.finish else "completed"
        if content:
            message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": status}
            found.append({**message, "content": content})
        for i, (name, arguments) in enumerate(said.calls):
            call = {"id": f"fc_{number}_{i}", "type": "function_call", "call_id": f"call_{number}_{i}", "name": name}
            found.append({**call, "arguments": json.dumps(arguments), "status": "completed"})
        return found

    def whole(self, said: Said, number: int, body: dict[str, Any]) -> dict[str, Any]:
        usage = {
            "input_tokens": said.read, "input_tokens_details": {"cached_tokens": said.cached, "cache_write_tokens": 0},
            "output_tokens": said.written, "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": said.read + said.written,
        }  # fmt: skip
        return {
            "id": f"resp_{number}", "object": "response", "created_at": 1, "model": "m-2030-01-01", "error": None,
            "status": "incomplete" if said.finish else "completed", "instructions": body.get("instructions"),
            "incomplete_details": {"reason": said.finish} if said.finish else None, "metadata": {}, "tools": [],
            "output": self._items(said, number, body), "parallel_tool_calls": True, "tool_choice": "auto",
            "temperature": 1.0, "top_p": 1.0, "usage": usage,
        }  # fmt: skip

    def events(self, said: Said, number: int, body: dict[str, Any]) -> list[Any]:
        whole = self.whole(said, number, body)
        begun = {**whole, "status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        found: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
        found.append({"type": "response.in_progress", "response": begun})
        for place, item in enumerate(whole["output"]):
            at = {"output_index": place, "item_id": item["id"]}
            empty = {**item, "status": "in_progress", **({"content": []} if item["type"] == "message" else {})}
            found.append({"type": "response.output_item.added", "output_index": place, "item": empty})
            if item["type"] == "message" and item["content"][0]["type"] == "output_text":
                part, text = item["content"][0], item["content"][0]["text"]
                within = {**at, "content_index": 0}
                found.append({"type": "response.content_part.added", **within, "part": {**part, "text": ""}})
                for i in range(0, len(text), 6):
                    delta = {"delta": text[i : i + 6], "logprobs": []}
                    found.append({"type": "response.output_text.delta", **within, **delta})
                found.append({"type": "response.output_text.done", **within, "text": text, "logprobs": []})
                found.append({"type": "response.content_part.done", **within, "part": part})
            if item["type"] == "function_call":
                delta = {"delta": item["arguments"]}
                found.append({"type": "response.function_call_arguments.delta", **at, **delta})
                done = {"arguments": item["arguments"], "name": item["name"]}
                found.append({"type": "response.function_call_arguments.done", **at, **done})
            found.append({"type": "response.output_item.done", "output_index": place, "item": item})
        found.append({"type": f"response.{whole['status']}", "response": whole})
        return [{**event, "sequence_number": i} for i, event in enumerate(found)]


class Anthropic(Api):
    """Anthropic's Messages API."""

    name, path = "anthropic", "POST /v1/messages"
    header, prefix = "x-api-key", ""
    version = "2026-10-21"

    def headers(self, number: int) -> dict[str, str]:
        return {"Content_Type": "application/json", "request_id": f"req_{number}"}

    def refused(self, asked: Asked) -> bytes | None:
        self.version = asked.headers.get("anthropic-version", "")
        if self.version not in ("2023-06-01", "2026-10-21"):
            return self.error(400, "anthropic-version: header is required")
        if asked.headers.get("authorization") == f"Bearer {KEY}":  # as the newest client sends it
            return None
        return super().refused(asked)

    def error(self, status: int, message: str, kind: str = "invalid_request_error", **headers: str) -> bytes:
        kind = {401: "authentication_error", 404: "not_found_error"}.get(status, kind)
        data = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_failed"}
        return answer(status, json.dumps(data).encode(), request_id="req_failed", **headers)

    def unanswered(self, body: dict[str, Any]) -> str:
        if self.version == "2026-10-21" and {"temperature", "top_p", "top_k"} & body.keys():
            return "temperature, top_p and top_k: Extra inputs are not permitted"
        if body["messages"][0]["role"] != "user":
            return "messages: first message must use the user role"
        marks = json.dumps(body).count('"cache_control"')
        if marks > 4:
            return f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."
        thinking = body.get("thinking", {})
        if thinking.get("type") == "enabled" and thinking["budget_tokens"] >= body["max_tokens"]:
            return "`max_tokens` must be greater than `thinking.budget_tokens`"
        calls: list[str] = []
        for place, message in enumerate(body["messages"]):
            blocks = message["content"] if isinstance(message["content"], list) else []
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            if sorted(results) != sorted(calls):
                return f"messages.{place}: tool_use ids {calls} were found without tool_result blocks immediately after"
            calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
            for block in blocks:
                if block["type"] == "thinking" and block["signature"] != _signature(block["thinking"]):
                    return f"messages.{place}: Invalid `signature` in `thinking` block"
                if block["type"] == "tool_use" and thinking and blocks[0]["type"] != "thinking":
                    return f"messages.{place}: Expected `thinking`, but found `{blocks[0]['type']}`"
        return "tool_use without tool_result" if calls else ""

    def _blocks(self, said: Said, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        if said.thoughts:
            found.append({"type": "thinking", "thinking": said.thoughts, "signature": _signature(said.thoughts)})
        if said.text:
            found.append({"type": "text", "text": said.text, "citations": None})
        for i, (name, arguments) in enumerate(said.calls):
            found.append({"type": "tool_use", "id": f"toolu_{number}_{i}", "name": name, "input": dict(arguments)})
        return found

    def whole(self, said: Said, number: int, body: dict[str, Any]) -> dict[str, Any]:
        usage = {
            "input_tokens": said.read - said.cached - said.cache_written, "output_tokens": said.written,
            "cache_read_input_tokens": said.cached, "cache_creation_input_tokens": said.cache_written,
            "service_tier": "standard",
        }  # fmt: skip
        return {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"],
            "content": self._blocks(said, number), "stop_sequence": None, "usage": usage,
            "stop_reason": said.finish or ("tool_use" if said.calls else "end_turn"),
        }  # fmt: skip

    def events(self, said: Said, number: int, body: dict[str, Any]) -> list[Any]:
        whole = self.whole(said, number, body)
        usage = {**whole["usage"], "output_tokens": 1}
        begun = {**whole, "content": [], "stop_reason": None, "usage": usage}
        found: list[Any] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
        for i, block in enumerate(whole["content"]):
            deltas: list[dict[str, Any]] = []
            if block["type"] == "thinking":
                start = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": t} for t in _split(block["thinking"])]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            elif block["type"] == "text":
                start = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": t} for t in _split(block["text"])]
            else:
                start = {**block, "input": {}}
                text = json.dumps(block["input"]) if block["input"] else ""
                deltas = [{"type": "input_json_delta", "partial_json": t} for t in ["", *_split(text)]]
            found.append({"type": "content_block_start", "index": i, "content_block": start})
            found += [{"type": "content_block_delta", "index": i, "delta": delta} for delta in deltas]
            found.append({"type": "content_block_stop", "index": i})
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        found.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": said.written}})
        return [*found, {"type": "message_stop"}]


class Gemini(Api):
    """Google's generateContent."""

    name, path = "gemini", "/models/m:"  # below /v1beta, or, as the newest client has it, /v1
    header, prefix = "x-goog-api-key", ""

    def problem(self, body: dict[str, Any]) -> str:
        return super().problem(_camel(body))

    def streams(self, asked: Asked, body: dict[str, Any]) -> bool:
        return ":streamGenerateContent?alt=sse" in asked.line

    def error(self, status: int, message: str, kind: str = "INVALID_ARGUMENT", **headers: str) -> bytes:
        details = []
        if status == 401:  # this is how it says it
            status, message = 400, "API key not valid. Please pass a valid API key."
            details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        if status == 429:
            kind = "RESOURCE_EXHAUSTED"
            delay = headers.pop("delay", "0.01s")
            details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
        error = {"code": status, "message": message, "status": kind, "details": details}
        return answer(status, json.dumps({"error": error}).encode(), **headers)

    def unanswered(self, body: dict[str, Any]) -> str:
        if body["contents"][0].get("role") != "user":
            return "Please ensure that the first turn is a user turn"
        calls = 0
        for content in body["contents"]:
            answers = sum("functionResponse" in part for part in content["parts"])
            if answers != calls:
                return "the number of function response parts is not equal to the number of function call parts"
            own = [part for part in content["parts"] if "functionCall" in part]
            calls = len(own)
            if own and "thoughtSignature" not in own[0]:
                return "Function call is missing a thought_signature in functionCall parts."
        return ""

    def headers(self, number: int) -> dict[str, str]:
        return {"Content_Type": "application/json; charset=UTF-8"}

    def _parts(self, said: Said, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"text": said.thoughts, "thought": True}] if said.thoughts else []
        found += [{"text": said.text}] if said.text else []
        for i, (name, arguments) in enumerate(said.calls):
            call = {"functionCall": {"id": f"fc{number}{i}", "name": name, "args": dict(arguments)}}
            found.append({**call, **({} if i else {"thoughtSignature": "c2lnbmVk"})})
        return found

    def _usage(self, said: Said) -> dict[str, Any]:
        counts = {"promptTokenCount": said.read, "candidatesTokenCount": said.written - 4, "thoughtsTokenCount": 4}
        return {**counts, "totalTokenCount": said.read + said.written, "cachedContentTokenCount": said.cached}

    def whole(self, said: Said, number: int, body: dict[str, Any]) -> dict[str, Any]:
        content = {"role": "model", "parts": self._parts(said, number)}
        candidate = {"content": content, "finishReason": said.finish or "STOP", "index": 0}
        head = {"modelVersion": "m-001", "responseId": f"r{number}"}
        return {"candidates": [candidate], "usageMetadata": self._usage(said), **head}

    def events(self, said: Said, number: int, body: dict[str, Any]) -> list[Any]:
        whole = self.whole(said, number, body)
        pieces = []
        for part in self._parts(said, number):
            kinds = {name: value for name, value in part.items() if name != "text"}
            pieces += [{"text": text, **kinds} for text in _split(part["text"])] if "text" in part else [part]
        found = []
        for piece in pieces or [{"text": ""}]:
            candidate = {"content": {"role": "model", "parts": [piece]}, "index": 0}
            usage = {"promptTokenCount": said.read}
            found.append({**whole, "candidates": [candidate], "usageMetadata": usage})
        last = {"content": {"role": "model", "parts": [{"text": ""}]}, "index": 0}
        last["finishReason"] = whole["candidates"][0]["finishReason"]
        return [*found, {**whole, "candidates": [last]}]


def _camel(value: Any) -> Any:
    """Names as they are documented: Google's servers take them in both spellings."""
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    names = {name: re.sub(r"_([a-z])", lambda found: found[1].upper(), name) for name in value}
    own = ("args", "response", "parametersJsonSchema")
    return {names[name]: item if names[name] in own else _camel(item) for name, item in value.items()}


def _split(text: str) -> list[str]:
    return [text[i : i + 5] for i in range(0, len(text), 5)]


def _signature(thoughts: str) -> str:
    return f"signed:{len(thoughts)}:{hash_of(thoughts)}"


def hash_of(text: str) -> int:
    """A number that another text is unlikely to have."""
    return sum(place * ord(letter) for place, letter in enumerate(text, 1)) % 9973


APIS: dict[str, type[Api]] = {
    "openai": Chat, "openai-responses": Responses, "anthropic": Anthropic, "gemini": Gemini
}  # fmt: skip
KEYS = {
    "openai": "OPENAI_API_KEY", "openai-responses": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}  # fmt: skip


@contextlib.contextmanager
def speaking(kind: str, model: Model, faults: Mapping[int, Any] | None = None) -> Iterator[tuple[Api, str]]:
    """A server for a kind of agent, and the address to name."""
    api = APIS[kind](model, dict(faults or {}))
    with serving(api) as server:
        yield api, server.url + ("/v1" if kind.startswith("openai") else "")


__all__ = ["APIS", "KEY", "KEYS", "Api", "Said", "Server", "speaking"]
