"""Reads the answers of chat-completions endpoints, whatever their variations."""

import contextlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from turnwise.agents.endpoint.reading import cache_of, cut, data_of, error_of, number, numbers, readable, texts
from turnwise.agents.endpoint.talk import Call, Reply, Said
from turnwise.core.episode import Tokens

__all__ = ["THOUGHTS", "Thoughts", "continued", "read_answer", "read_top"]

Thoughts = Literal["reasoning_content", "reasoning", "thinking"]
THOUGHTS: tuple[Thoughts, ...] = get_args(Thoughts)
"""Fields of a message that contain the model's reasoning: vLLM, SGLang and DeepSeek; OpenRouter and vLLM; Ollama."""
MAX_LOGP = 1e-3  # what rounding makes of 0


@readable
def read_answer(body: bytes) -> Reply:
    """Read an answer, or a stream of its parts.

    Raises:
        Unreadable: The answer does not contain one.
    """
    data = data_of(body, _assembled)
    if "choices" not in data and "error" in data:  # some gateways send errors with status 200
        raise error_of(data["error"])
    choice = data["choices"][0]
    message = choice["message"]
    refusal = _text(message.get("refusal"))
    text = _text(message.get("content")) or refusal
    usage = data.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}
    served: dict[str, Any] = {"usage": numbers(counts)} if counts else {}
    served |= texts(data, model="model", id="id")
    if refusal:
        served["refusal"] = True
    return Reply(
        Said(text, tuple(_calls(message)), _thoughts(message)),
        str(choice.get("finish_reason") or "stop")[:40],
        number(counts.get("prompt_tokens")),
        number(counts.get("completion_tokens")),
        *cache_of(counts, "prompt_tokens_details"),
        served=served,
        tokens=_tokens(data, choice, number(counts.get("completion_tokens"))),
    )


def _calls(message: Mapping[str, Any]) -> Iterator[Call]:
    for place, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        yield Call(str(call.get("id") or f"call_{place}"), str(function["name"]), function.get("arguments") or "{}")


def _assembled(events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answer that the events of a stream amount to."""
    whole: dict[str, Any] = {}
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish = None
    for event in events:
        if "error" in event:
            raise error_of(event["error"])
        whole |= {name: event[name] for name in ("id", "model", "usage") if event.get(name)}
        for choice in (event.get("choices") or ())[:1]:
            delta = choice.get("delta") or {}
            for name in ("content", "refusal", *THOUGHTS):
                if delta.get(name):
                    message[name] = message.get(name, "") + delta[name]
            for part in delta.get("tool_calls") or ():
                _add(calls.setdefault(int(part.get("index") or 0), {"function": {"arguments": ""}}), part)
            finish = choice.get("finish_reason") or finish
    if finish is None:
        raise cut("a reason for its end")
    message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**whole, "choices": [{"message": message, "finish_reason": finish}]}


def _add(call: dict[str, Any], part: Mapping[str, Any]) -> None:
    function = part.get("function") or {}
    call |= {"id": part["id"]} if part.get("id") else {}
    call["function"] |= {"name": function["name"]} if function.get("name") else {}
    call["function"]["arguments"] += function.get("arguments") or ""


@readable
def read_top(body: bytes) -> dict[str, float]:
    """Read the log-probabilities of the likeliest first tokens; empty if there are none.

    Raises:
        Unreadable: The answer has no choice.
    """
    logprobs = json.loads(body)["choices"][0].get("logprobs") or {}
    first = (logprobs.get("content") or [{}])[0]
    return {str(entry["token"]): float(entry["logprob"]) for entry in first.get("top_logprobs") or ()}


def continued(tokens: Tokens, before: Sequence[int]) -> Tokens:
    """Return the tokens of a later turn, whose prompt must begin with all tokens that came before it.

    Args:
        tokens: The turn's own, with its whole prompt as the context.
        before: The prompt of the turn before, and what was sampled there.
    """
    prompt, length = tokens.context, len(before)
    if tokens.fault or not length:
        return tokens
    if prompt[:length] == tuple(before):
        return replace(tokens, context=prompt[length:], fresh=False)
    same = next((i for i, (a, b) in enumerate(zip(prompt, before, strict=False)) if a != b), min(len(prompt), length))
    found = f"drift: the prompt of {len(prompt)} tokens departs at token {same} from the {length} before it"
    return replace(tokens, fault=found)


def _tokens(data: Mapping[str, Any], choice: Mapping[str, Any], count: int) -> Tokens | None:
    """Return the prompt, the sampled tokens and their log-probabilities; None if the server sent no ids.

    vLLM and SGLang send them for ``return_token_ids`` and ``logprobs``: the prompt's ids beside the choices (vLLM) or
    in each (SGLang).
    """
    prompt, ids = choice.get("prompt_token_ids", data.get("prompt_token_ids")), choice.get("token_ids")
    if ids is None and prompt is None:
        return None
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, Mapping) else None
    logps: list[Any] = [entry.get("logprob") if isinstance(entry, Mapping) else None for entry in _list(content)]
    ids, prompt = _list(ids), _list(prompt)
    wrong = ""
    if bad := [i for i in (*prompt, *ids) if type(i) is not int or i < 0]:
        wrong = f"missing: {bad[0]!r} is not a token id"
    elif not prompt or not ids:
        wrong = f"missing: {len(prompt)} ids of the prompt and {len(ids)} of the answer"
    elif not logps:
        wrong = "missing: no log-probabilities; the request must have logprobs: true"
    elif len(ids) != (count or len(ids)):
        wrong = f"cut: {len(ids)} ids of {count} tokens"
    elif len(logps) != len(ids):
        wrong = f"cut: {len(logps)} log-probabilities of {len(ids)} tokens"
    elif odd := [p for p in logps if not isinstance(p, int | float) or not (math.isfinite(p) and p <= MAX_LOGP)]:
        wrong = f"missing: {odd[0]!r} is not a log-probability"
    if wrong:
        return Tokens(fresh=True, fault=wrong)
    return Tokens(tuple(prompt), tuple(ids), tuple(min(float(p), 0.0) for p in logps), fresh=True)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(content: Any) -> str:
    """Return content as text: a string or a list of parts; null is empty."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    if content is not None and not isinstance(content, str):
        raise TypeError(f"content is a {type(content).__name__}")
    return content or ""


def _thoughts(message: Mapping[str, Any]) -> str:
    """Return the reasoning sent apart from the answer; no shape of it makes an answer unreadable."""
    for name in THOUGHTS:
        if isinstance(message.get(name), str) and message[name]:
            return str(message[name])
    content = message.get("content")
    if not isinstance(content, list):
        return ""
    parts = [part.get("thinking") for part in content if part.get("type") == "thinking"]
    with contextlib.suppress(TypeError, AttributeError):
        return "".join(part if isinstance(part, str) else _text(part) for part in parts)
    return ""
