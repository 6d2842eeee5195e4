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
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

from turnwise.core.errors import InfrastructureError, MissingDependencyError
from turnwise.core.http.errors import HttpError
from turnwise.core.settings import Range, check_arguments
from turnwise.engine.remote import Answer, FolderSync, RemoteRows, Request, WeightSync
from turnwise.engine.routes import NEUTRAL
from turnwise.engine.server import TokenServer

__all__ = ["FolderSync", "VLLMEngine", "VLLMServerEngine", "WeightSync"]

REPEATABLE = ("reload_weights",)
"""Methods of workers that may safely run twice: an unanswered call may already have run."""


class VLLMServerEngine(RemoteRows):
    """Rows sampled by a vLLM server, many requests at once.

    Requests that fail are sent again with the same seed, as docs/http.md says. What the server refuses (no such model,
    a row that is too long for it) and an answer that cannot be right raise `FatalError`.

    Args:
        base_url: of the server, such as ``http://localhost:8000`` (with or without ``/v1``).
        model: the name that it is served under.
        vocab_size: ids from here on are refused.
        max_len: the longest row, at most the server's ``--max-model-len``.
        max_rows: how many rows may be open.
        sync: brings new weights; without it, `load` raises.
        concurrency: requests in flight, each on a thread of its own.
        timeout_s: for one request.
        retries: tries after the first.
        backoff_s: the longest pause before the second try; doubles with each.
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
        concurrency: Annotated[int, Range(1)] = 64,
        timeout_s: float = 600.0,
        retries: int = 5,
        backoff_s: float = 0.5,
        api_key_env: str = "VLLM_API_KEY",
    ) -> None:
        super().__init__(vocab_size, max_len, max_rows, sync)
        check_arguments(VLLMServerEngine.__init__, concurrency=concurrency)
        self.concurrency = concurrency
        self._server = TokenServer(
            base_url,
            model,
            "completions",
            name="the vLLM server",
            token=os.environ.get(api_key_env, "").strip(),
            timeout_s=timeout_s,
            retries=retries,
            backoff_s=backoff_s,
            connections=concurrency,
        )
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="vllm")

    def __str__(self) -> str:
        return str(self._server)

    def shutdown(self) -> None:
        """End the threads and close the connections."""
        self._pool.shutdown(cancel_futures=True)
        self._server.client.close()

    def begin(self, requests: Sequence[Request]) -> list[Future[Answer]]:
        for request in requests[:1]:
            self._server.check_mode(request)
        return [self._pool.submit(self._server.ask, request, salt=self.salt) for request in requests]

    def rpc(self, method: str, **kwargs: Any) -> Any:
        return self.post("/collective_rpc", {"method": method, "kwargs": kwargs}, repeatable=method in REPEATABLE)

    def reset_prefix_cache(self) -> None:
        # The server says 200 also where nothing was dropped because requests were running; hence the salt.
        self.post("/reset_prefix_cache?reset_running_requests=true", None)

    def post(self, path: str, body: Mapping[str, Any] | None, *, repeatable: bool = True) -> Any:
        """Send a request to the server and return the JSON that it answers, None where the answer is empty.

        Args:
            path: Where to.
            body: What is sent, as JSON.
            repeatable: Send it again after a failure although it may have had its effect.
        """

        def hint(failure: HttpError) -> str:
            missing = "/v1/" not in path and failure.status in (404, 405)
            return "; start it with VLLM_SERVER_DEV_MODE=1, which opens this endpoint" if missing else ""

        return self._server.post(path, body, repeatable=repeatable, hint=hint)


class VLLMEngine(RemoteRows):
    """Rows sampled by vLLM in this process (``pip install 'turnwise[vllm]'``), on the trainer's GPU or another.

    Args:
        model: folder or hub name.
        vocab_size: ids from here on are refused.
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
        """Sample all of them: in this process, turns are finished when they are submitted."""
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
