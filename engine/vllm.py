"""Sampling by vLLM, in a server or in this process, behind the same protocol as our own engines.

Token ids go in, token ids and log-probabilities come out; text is never read. A row's tokens live here and every turn
sends the whole row, which the prefix cache of vLLM makes cheap. Temperature is the only change to the model's
distribution, as in `engine.draw`. What a seeded row samples may still depend on its batch-mates to the extent that
vLLM's kernels do: for bitwise repetition take `KVEngine`.

A server is started with::

    VLLM_SERVER_DEV_MODE=1 vllm serve MODEL --logprobs-mode processed_logprobs --generation-config vllm

The first setting opens the endpoints that change weights and caches (keep such a server off public networks); the
second makes log-probabilities those of the distribution that was sampled from, temperature included.

Source: vLLM's OpenAI-compatible server (docs.vllm.ai, "OpenAI-Compatible Server", "Sleep Mode", "Weight Transfer").
"""

import importlib
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from turnwise.core.errors import FatalError, InfrastructureError, MissingDependencyError, SettingsError
from turnwise.engine.remote import Answer, FolderSync, RemoteRows, Request, WeightSync

__all__ = ["FolderSync", "VLLMEngine", "VLLMServerEngine", "WeightSync"]

RETRIED = (408, 409, 425, 429)  # and 5xx
MAX_PAUSE_S = 30.0
NEUTRAL = {
    "top_p": 1.0,
    "top_k": -1,
    "min_p": 0.0,
    "repetition_penalty": 1.0,
    "presence_penalty": 0.0,
    "frequency_penalty": 0.0,
}
"""Said in every request: what is left out, a server takes from the model's own generation config."""


class VLLMServerEngine(RemoteRows):
    """Rows sampled by a vLLM server, many requests at once.

    Dropped connections, timeouts, 408, 409, 425, 429 and 5xx are tried again after a pause, with the same seed, and
    then raise `InfrastructureError`; what every request would meet (a refused key, no such model, a row that is too
    long for the server, an answer that cannot be right) raises `FatalError`.

    Args:
        base_url: of the server, such as ``http://localhost:8000`` (with or without ``/v1``).
        model: the name that it is served under.
        vocab_size: ids are refused from here on.
        max_len: the longest row, at most the server's ``--max-model-len``.
        max_rows: how many rows may be open.
        sync: brings new weights; without it, `load` raises.
        concurrency: requests in flight, each on a thread of its own.
        timeout_s: for one request.
        retries: tries after the first.
        pause_s: before the second try; doubles with each.
        api_key_env: the environment variable that holds the key, if the server wants one.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        vocab_size: int,
        max_len: int,
        max_rows: int = 1 << 20,
        sync: WeightSync | None = None,
        concurrency: int = 64,
        timeout_s: float = 600.0,
        retries: int = 5,
        pause_s: float = 0.5,
        api_key_env: str = "VLLM_API_KEY",
    ) -> None:
        super().__init__(vocab_size, max_len, max_rows, sync)
        if not base_url.startswith(("http://", "https://")):
            raise SettingsError(f"base_url is {base_url!r}; it must look like 'http://localhost:8000'")
        if concurrency < 1 or retries < 0 or not timeout_s > 0 or not pause_s >= 0:
            raise SettingsError(
                "concurrency must be at least 1, retries and pause_s at least 0, timeout_s positive, not "
                f"{concurrency}, {retries}, {pause_s}, {timeout_s}"
            )
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self.model, self.concurrency, self.retries, self.pause_s = model, concurrency, retries, pause_s
        key = os.environ.get(api_key_env)
        self._http = httpx.Client(
            timeout=timeout_s,
            headers={"authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        )
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="vllm")
        self._processed = False  # seen that log-probabilities follow the temperature

    def __str__(self) -> str:
        return f"the vLLM server {self.base_url}"

    def shutdown(self) -> None:
        """End the threads and close the connections."""
        self._pool.shutdown(cancel_futures=True)
        self._http.close()

    def begin(self, requests: Sequence[Request]) -> list[Future[Answer]]:
        scaled = [request for request in requests if request.temperature != 1 and not request.greedy]
        if scaled and not self._processed:
            self._check_mode(scaled[0])
        return [self._pool.submit(self._sample, request) for request in requests]

    def _sample(self, request: Request) -> Answer:
        return self._answer(request, self._ask(request))

    def rpc(self, method: str, **kwargs: Any) -> Any:
        return self.post("/collective_rpc", {"method": method, "kwargs": kwargs})

    def reset_prefix_cache(self) -> None:
        # The server says 200 also where nothing was dropped because requests were running; hence the salt.
        self.post("/reset_prefix_cache?reset_running_requests=true", None)

    def post(self, path: str, body: Mapping[str, Any] | None) -> Any:
        """POST to the server with retries; the JSON that it answers, None where it answers nothing."""
        reason = ""
        for attempt in range(self.retries + 1):
            if attempt:
                time.sleep(min(self.pause_s * 2 ** (attempt - 1), MAX_PAUSE_S))
            try:
                response = self._http.post(self.base_url + path, json=body)
            except httpx.TransportError as error:
                reason = f"{type(error).__name__}: {error}"
                continue
            if response.status_code == 200:
                try:
                    return response.json() if response.content else None
                except ValueError:
                    reason = f"no JSON: {response.text[:200]!r}"
                    continue
            reason = f"{response.status_code}: {response.text[:500]}"
            if response.status_code not in RETRIED and response.status_code < 500:
                dev = "/v1/" not in path and response.status_code in (404, 405)
                hint = "; start it with VLLM_SERVER_DEV_MODE=1, which opens this endpoint" if dev else ""
                raise FatalError(f"{self} refused {path.partition('?')[0]} with {reason}{hint}")
        raise InfrastructureError(f"{self} did not answer {path} in {self.retries + 1} tries, the last: {reason}")

    def _ask(self, request: Request, *, logprobs: int = 0) -> Mapping[str, Any]:
        """The only choice of a completion."""
        body = {
            **NEUTRAL,
            "temperature": 0.0 if request.greedy else request.temperature,
            "stop_token_ids": list(request.stop_ids),
            "model": self.model,
            "prompt": request.prompt,
            "max_tokens": request.max_new,
            "seed": request.seed,
            "logprobs": logprobs,  # of the sampled token, and of so many of the likeliest
            "ignore_eos": True,  # stop_token_ids say where a turn ends
            "add_special_tokens": False,
            "skip_special_tokens": False,
            "return_token_ids": True,
            "return_tokens_as_token_ids": True,
            "cache_salt": self.salt,
        }
        data = self.post("/v1/completions", body)
        try:
            choice: Mapping[str, Any] = data["choices"][0]
            if not isinstance(choice, Mapping):
                raise TypeError
        except (TypeError, KeyError, IndexError):
            raise FatalError(f"{self} returned no choice: {str(data)[:300]}") from None
        return choice

    def _answer(self, request: Request, choice: Mapping[str, Any]) -> Answer:
        logprobs = choice.get("logprobs") or {}
        names = [str(name) for name in logprobs.get("tokens") or []]
        named = [int(n[9:]) for n in names if n.startswith("token_id:") and n[9:].isdigit()]
        ids = choice.get("token_ids")
        if ids is None and named and len(named) == len(names):
            ids = named  # servers older than return_token_ids
        if ids is None:
            raise SettingsError(
                f"{self} returned no token ids: it must know return_token_ids (vLLM 0.10.2 or later) or be started "
                "with --return-tokens-as-token-ids"
            )
        if "token_logprobs" not in logprobs:
            raise SettingsError(f"{self} returned no log-probabilities: it must allow them (--max-logprobs 1 or more)")
        if named and len(named) == len(names) and named != list(ids):
            raise FatalError(f"{self} returned the ids {list(ids)[:8]}... and log-probabilities of {named[:8]}...")
        read = choice.get("prompt_token_ids")
        if read is not None and list(read) != request.prompt:
            raise FatalError(f"{self} read {len(read)} tokens that are not the {len(request.prompt)} it was sent")
        return Answer(ids, logprobs["token_logprobs"] or [], choice.get("finish_reason"))

    def _check_mode(self, request: Request) -> None:
        """Refuse a server whose log-probabilities leave the temperature out.

        log p_T(a) - log p_T(b) = (log p_1(a) - log p_1(b)) / T for any two tokens.
        """
        temperature, tops = request.temperature, []
        for t in (1.0, temperature):
            one = Request(request.prompt, max_new=1, seed=0, temperature=t)
            logprobs = self._ask(one, logprobs=5).get("logprobs") or {}
            tops.append((logprobs.get("top_logprobs") or [{}])[0] or {})
        both = sorted(tops[0].keys() & tops[1].keys(), key=lambda name: float(tops[0][name]))
        if len(both) < 2:
            raise SettingsError(f"{self} returned no likeliest tokens: it must allow 5 of them (--max-logprobs 5)")
        plain, scaled = (float(top[both[-1]]) - float(top[both[0]]) for top in tops)
        if plain < 1e-3:
            return  # too flat to tell; the next request looks again
        if abs(scaled - plain) <= abs(scaled - plain / temperature):
            raise SettingsError(
                f"{self} returns log-probabilities without the temperature ({temperature}): "
                "start it with --logprobs-mode processed_logprobs"
            )
        self._processed = True


class VLLMEngine(RemoteRows):
    """Rows sampled by vLLM in this process (``pip install 'turnwise[vllm]'``), on the trainer's GPU or another.

    Args:
        model: folder or hub name.
        vocab_size: ids are refused from here on.
        max_len: the longest row.
        max_rows: how many rows may be open.
        sync: brings new weights; without it, `load` raises.
        options: of ``vllm.LLM``, such as ``gpu_memory_utilization`` or ``tensor_parallel_size``.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        vocab_size: int,
        max_len: int,
        max_rows: int = 1 << 20,
        sync: WeightSync | None = None,
        **options: Any,
    ) -> None:
        super().__init__(vocab_size, max_len, max_rows, sync)
        try:
            self._vllm = importlib.import_module("vllm")
        except ImportError:
            raise MissingDependencyError.of("vllm", "vllm") from None
        settings = {
            "max_model_len": max_len,
            "enable_prefix_caching": True,
            "logprobs_mode": "processed_logprobs",
            "generation_config": "vllm",
        }
        self.llm = self._vllm.LLM(str(model), **{**settings, **options})

    def __str__(self) -> str:
        return "vLLM"

    def begin(self, requests: Sequence[Request]) -> list[Future[Answer]]:
        """Sample all of them: here, turns are over when they are submitted."""
        params = [
            self._vllm.SamplingParams(
                **NEUTRAL,
                temperature=0.0 if request.greedy else request.temperature,
                max_tokens=request.max_new,
                seed=request.seed,
                stop_token_ids=list(request.stop_ids),
                ignore_eos=True,
                logprobs=0,
                detokenize=False,
            )
            for request in requests
        ]
        prompts = [{"prompt_token_ids": request.prompt, "cache_salt": self.salt} for request in requests]
        futures = []
        for output in self.llm.generate(prompts, params, use_tqdm=False):
            turn = output.outputs[0]
            logps = [at[i].logprob for i, at in zip(turn.token_ids, turn.logprobs, strict=True)]
            futures.append(Future[Answer]())
            futures[-1].set_result(Answer(list(turn.token_ids), logps, turn.finish_reason))
        return futures

    def rpc(self, method: str, **kwargs: Any) -> Any:
        return self.llm.collective_rpc(method, kwargs=kwargs)

    def reset_prefix_cache(self) -> None:
        if self.llm.reset_prefix_cache() is False:
            raise InfrastructureError("vLLM could not drop its prefix cache after new weights: requests are running")
