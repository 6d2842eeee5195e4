"""A server on this machine that speaks what `vllm.py` uses of vLLM's API, with a model made here.

Its prefix cache is as stale as vLLM's: keys and values stay when weights change, until somebody drops them.
"""

import copy
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import DynamicCache

from turnwise.engine.sampling import cache_argument

__all__ = ["Misdeed", "Server"]

Body = dict[str, Any]
Misdeed = Callable[[int, str, Body, Body | None], Any]
"""(number of the request, path, request, choice) -> status to fail with, "drop", or a choice to answer instead.

Asked twice for a completion: before with None, where a status or "drop" may come back, and after with the choice.
"""


class Server(ThreadingHTTPServer):
    """Completions of token ids, weights from a folder, a prefix cache.

    Args:
        model: its own copy is served.
        salted: mind ``cache_salt``, as vLLM does and older versions do not.
        mode: log-probabilities "processed" by the temperature, or "raw".
        resets: whether `/reset_prefix_cache` does what it says: "yes", "no" (as vLLM with requests running), "missing".
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, model: Any, *, salted: bool = False, mode: str = "processed", resets: str = "yes") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model = copy.deepcopy(model).eval()
        self.cache_argument = cache_argument(model)
        self.salted, self.mode, self.resets = salted, mode, resets
        self.misdeed: Misdeed = lambda number, path, body, choice: choice
        self.requests: list[tuple[str, Body]] = []
        self.keys: list[str | None] = []
        self.reused = 0  # tokens that came from the cache
        self.lock = threading.Lock()
        self._cached: list[tuple[str, list[int], DynamicCache]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""

    def answer(self, path: str, body: Body) -> Any:
        with self.lock:
            if path == "/reset_prefix_cache" and self.resets != "missing":
                if self.resets == "yes":
                    self._cached.clear()
                return None
            if path == "/collective_rpc" and body["method"] == "reload_weights":
                state = load_file(Path(body["kwargs"]["weights_path"]) / "model.safetensors")
                missing, unexpected = self.model.load_state_dict(state, strict=False)
                assert not unexpected and set(missing) <= {"lm_head.weight"}  # tied
                return {"results": [None]}
            if path == "/v1/completions":
                return {"object": "text_completion", "model": body["model"], "choices": [self.complete(body)]}
        return 404

    @torch.no_grad()
    def complete(self, body: Body) -> Body:
        ids, logps, tops = list(body["prompt"]), [], []
        salt = str(body.get("cache_salt")) if self.salted else ""
        cache, seen = self._longest(ids, salt)
        self.reused += seen
        dice = torch.Generator().manual_seed(body["seed"])
        finish, length = "length", len(ids)
        while len(ids) < length + body["max_tokens"]:
            out = self.model(torch.tensor([ids[seen:]]), use_cache=True, **{self.cache_argument: cache})
            cache, seen = getattr(out, self.cache_argument), len(ids)
            token, logp, top = self._draw(out.logits[0, -1].float(), body, dice)
            ids.append(token)
            logps.append(logp)
            tops.append(top)
            if token in body["stop_token_ids"]:
                finish = "stop"
                break
        self._cached.append((salt, ids[:seen], cache))
        new = ids[length:]
        return {
            "index": 0,
            "text": "never read",
            "token_ids": new,
            "prompt_token_ids": ids[:length],
            "finish_reason": finish,
            "logprobs": {
                "tokens": [f"token_id:{i}" for i in new],
                "token_logprobs": logps,
                "top_logprobs": tops,
            },
        }

    def _draw(self, logits: Tensor, body: Body, dice: torch.Generator) -> tuple[int, float, dict[str, float]]:
        greedy = body["temperature"] == 0
        scaled = (logits if greedy else logits / body["temperature"]).log_softmax(-1)
        token = int(scaled.argmax() if greedy else torch.multinomial(scaled.exp(), 1, generator=dice))
        told = scaled if self.mode == "processed" else logits.log_softmax(-1)
        best = told.topk(body["logprobs"]).indices.tolist() if body["logprobs"] else []
        return token, float(told[token]), {f"token_id:{i}": float(told[i]) for i in {*best, token}}

    def _longest(self, ids: list[int], salt: str) -> tuple[DynamicCache, int]:
        """The keys and values of the longest prefix that some request has left behind."""
        best, best_ids, length = None, [], 0
        for of, held, cache in self._cached:
            same = 0
            while same < min(len(held), len(ids) - 1) and held[same] == ids[same]:
                same += 1
            if of == salt and same > length:
                best, best_ids, length = cache, held, same
        if best is None:
            return DynamicCache(config=self.model.config), 0
        cache = copy.deepcopy(best)
        if spare := len(best_ids) - length:
            cache.crop(-spare)
        return cache, length


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"] or 0))
        body = json.loads(raw) if raw else {}
        path, server = urlsplit(self.path).path, self.server
        with server.lock:
            number = len(server.requests)
            server.requests.append((self.path, body))
            server.keys.append(self.headers["Authorization"])
        answer = server.misdeed(number, path, body, None)
        if answer is None:
            answer = server.answer(path, body)
            if isinstance(answer, dict) and "choices" in answer:
                answer["choices"] = [server.misdeed(number, path, body, answer["choices"][0])]
        if answer == "drop":
            self.close_connection = True
            return
        status = answer if isinstance(answer, int) else 200
        data = b"" if answer is None else json.dumps({"error": "no"} if isinstance(answer, int) else answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
