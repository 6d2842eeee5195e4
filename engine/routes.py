"""Tokens in, tokens out: the requests and answers of vLLM's two routes and of SGLang's.

Every request has all settings of sampling, neutral ones included: a server takes missing ones from the model's own
generation config.

Source: docs.vllm.ai, "OpenAI-Compatible Server", and vLLM's ``entrypoints/serve/disagg/protocol.py``; docs.sglang.io,
"SGLang Native APIs" and "Sampling Parameters".
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from turnwise.core.errors import FatalError, SettingsError
from turnwise.engine.remote import OTHER_END, Answer, Request

__all__ = ["NEUTRAL", "PROCESSED", "ROUTES", "Route", "RouteName", "no_tokens"]

RouteName = Literal["completions", "generate", "sglang"]
NEUTRAL = {
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
PROCESSED = "start it with --logprobs-mode processed_logprobs"
_NAMED = "token_id:"


class Route(Protocol):
    """A way to ask a server for the tokens that follow some tokens.

    Attributes:
        path: Where requests go.
        spare: Tokens of the server's longest context that it does not let a row use.
        processed: How a server is started whose log-probabilities follow the temperature.
        opened: How a server is started that has the route.
    """

    path: str
    spare: int
    processed: str
    opened: str

    def body(self, request: Request, model: str, salt: str, top: int) -> dict[str, Any]:
        """Return a request, which asks for the log-probabilities of the ``top`` likeliest tokens, too."""

    def answer(self, data: Mapping[str, Any], request: Request, source: str) -> Answer:
        """Read an answer of ``source``.

        Raises:
            SettingsError: The server leaves out what its settings could make it send.
            FatalError: It says that it has read other tokens, or names tokens that it did not send.
            LookupError, TypeError, ValueError, AttributeError: This is not an answer.
        """


class Completions:
    """vLLM's ``/v1/completions`` with token ids as the prompt: every vLLM server has it."""

    path = "/v1/completions"
    spare = 0
    processed = PROCESSED
    opened = ""

    def body(self, request: Request, model: str, salt: str, top: int) -> dict[str, Any]:
        return {
            **_vllm(request),
            "model": model,
            "prompt": request.prompt,
            "logprobs": top,  # of the sampled token, and of so many of the likeliest
            "add_special_tokens": False,
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
            "cache_salt": salt,
        }

    def answer(self, data: Mapping[str, Any], request: Request, source: str) -> Answer:
        choice = data["choices"][0]
        logprobs = choice.get("logprobs") or {}
        named = _ids(logprobs.get("tokens") or [])
        ids = choice.get("token_ids")
        if ids is None:
            ids = named  # servers older than return_token_ids
        if ids is None:
            raise SettingsError(
                f"{source} returned no token ids: it must know return_token_ids (vLLM 0.10.2 or later) or be started "
                "with --return-tokens-as-token-ids"
            )
        if "token_logprobs" not in logprobs:
            raise _no_logprobs(source)
        _same(ids, named, source)
        read = choice.get("prompt_token_ids")
        if read is not None and list(read) != request.prompt:
            raise FatalError(f"{source} read {len(read)} tokens that are not the {len(request.prompt)} it was sent")
        tops = (logprobs.get("top_logprobs") or [{}])[0] or {}
        served = _texts({"id": data.get("id"), "model": data.get("model")})
        return Answer(ids, logprobs["token_logprobs"] or [], choice.get("finish_reason"), tops, served)


class Generate:
    """vLLM's ``/inference/v1/generate``, of servers that run with --enable-scale-out or --tokens-only."""

    path = "/inference/v1/generate"
    spare = 0
    processed = PROCESSED
    opened = "vLLM opens this route with --enable-scale-out or --tokens-only"

    def body(self, request: Request, model: str, salt: str, top: int) -> dict[str, Any]:
        return {
            "model": model,
            "token_ids": request.prompt,
            "sampling_params": {**_vllm(request), "logprobs": top, "detokenize": False},
            "cache_salt": salt or None,
            "output_mode": "tokens",
        }

    def answer(self, data: Mapping[str, Any], request: Request, source: str) -> Answer:
        choice = data["choices"][0]
        content = (choice.get("logprobs") or {}).get("content")
        if content is None:
            raise _no_logprobs(source)
        ids = choice["token_ids"]
        _same(ids, _ids([entry.get("token") for entry in content]), source)
        _count(data.get("usage") or {}, request, source)
        tops = {top["token"]: top["logprob"] for entry in content[:1] for top in entry.get("top_logprobs") or ()}
        served = _texts({"id": data.get("request_id") or data.get("id"), "model": data.get("model")})
        return Answer(ids, [entry["logprob"] for entry in content], choice.get("finish_reason"), tops, served)


class SGLang:
    """SGLang's ``/generate``. Its ``ignore_eos`` would switch ``stop_token_ids`` off, too, and is left alone."""

    path = "/generate"
    spare = 8  # it cuts turns, without a word, that would come closer to its context length
    processed = "start it without SGLANG_RETURN_ORIGINAL_LOGPROB"
    opened = ""

    def body(self, request: Request, model: str, salt: str, top: int) -> dict[str, Any]:
        sampling = {
            **NEUTRAL,
            "temperature": 0.0 if request.greedy else request.temperature,
            "max_new_tokens": request.max_new,
            "stop_token_ids": list(request.stop_ids),
            "sampling_seed": request.seed >> 32,  # minded by servers with --enable-deterministic-inference
            "skip_special_tokens": False,
            "no_stop_trim": True,
        }
        return {
            "input_ids": request.prompt,
            "sampling_params": sampling,
            "return_logprob": True,
            "logprob_start_len": -1,
            "top_logprobs_num": top,
            "stream": False,
        }

    def answer(self, data: Mapping[str, Any], request: Request, source: str) -> Answer:
        meta = data["meta_info"]
        finish = meta["finish_reason"]
        reason = finish["type"] if isinstance(finish, Mapping) else finish
        found = meta.get("output_token_logprobs")
        if found is None and reason != "abort":
            raise SettingsError(f"{source} returned no log-probabilities for return_logprob")
        ids = [entry[1] for entry in found or ()]
        if (whole := data.get("output_ids")) is not None:
            _same(whole, ids, source)
        if reason == "stop" and ids and finish.get("matched") == ids[-1] and ids[-1] not in request.stop_ids:
            reason = OTHER_END  # of the model's generation config
        _count(meta, request, source)
        tops = {f"{_NAMED}{entry[1]}": entry[0] for entry in (meta.get("output_top_logprobs") or [()])[0] or ()}
        served = _texts({"id": meta.get("id"), "weight_version": meta.get("weight_version")})
        return Answer(ids, [entry[0] for entry in found or ()], reason, tops, served)


ROUTES: Mapping[RouteName, Route] = {"completions": Completions(), "generate": Generate(), "sglang": SGLang()}


def no_tokens(data: Any, source: str) -> FatalError:
    """Return the error for something that is not an answer."""
    return FatalError(f"{source} returned no completion: {str(data)[:300]}")


def _vllm(request: Request) -> dict[str, Any]:
    """Return the settings of sampling that both routes of vLLM call alike."""
    return {
        **NEUTRAL,
        "temperature": 0.0 if request.greedy else request.temperature,
        "stop_token_ids": list(request.stop_ids),
        "max_tokens": request.max_new,
        "seed": request.seed,
        "ignore_eos": True,  # stop_token_ids say where a turn ends
        "skip_special_tokens": False,
    }


def _ids(names: Sequence[Any]) -> list[int] | None:
    """Return the ids in names such as ``token_id:17``; None if the names are others."""
    found = [str(name).removeprefix(_NAMED) for name in names if str(name).startswith(_NAMED)]
    whole = found and len(found) == len(names) and all(text.isdecimal() for text in found)
    return [int(text) for text in found] if whole else None


def _same(ids: Sequence[Any], named: Sequence[int] | None, source: str) -> None:
    if named is not None and list(named) != list(ids):
        raise FatalError(f"{source} returned the ids {list(ids)[:8]}... and log-probabilities of {list(named)[:8]}...")


def _count(usage: Mapping[str, Any], request: Request, source: str) -> None:
    read = usage.get("prompt_tokens")
    if read is not None and read != len(request.prompt):
        raise FatalError(f"{source} read {read} tokens that are not the {len(request.prompt)} it was sent")


def _no_logprobs(source: str) -> SettingsError:
    return SettingsError(f"{source} returned no log-probabilities: it must allow them (--max-logprobs 1 or more)")


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: value[:200] for name, value in values.items() if isinstance(value, str)}
