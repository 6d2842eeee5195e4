"""A server on this machine that speaks vLLM's and SGLang's routes for tokens, with our own engine behind them.

Written from the two servers' documentation and source: what they ask for, refuse, and return; what they do without a
word (SGLang cuts a turn short that comes too close to its context length, its ``ignore_eos`` switches
``stop_token_ids`` off) is done here, too. Requests are sampled one at a time.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch

from turnwise.engine.kv import KVEngine

__all__ = ["Fault", "TokenServer", "serving_tokens"]

Body = dict[str, Any]
Fault = Callable[[int, str, Body, Body | None], Any]
"""(number of the request, path, request, answer) -> a status, "drop", bytes to answer, an answer, or None for the true
one. Asked before sampling, with None, and after."""

VLLM = (
    "n presence_penalty frequency_penalty repetition_penalty temperature top_p top_k min_p seed stop stop_token_ids "
    "ignore_eos max_tokens min_tokens logprobs prompt_logprobs detokenize skip_special_tokens"
)
SGLANG = (
    "max_new_tokens stop stop_token_ids stop_regex temperature top_p top_k min_p frequency_penalty presence_penalty "
    "repetition_penalty min_new_tokens n ignore_eos skip_special_tokens spaces_between_special_tokens no_stop_trim "
    "sampling_seed logit_bias custom_params"
)


class Refusal(Exception):
    """What a server answers with 400."""


class TokenServer(ThreadingHTTPServer):
    """One model, both servers' routes.

    Args:
        model: Is served as it is.
        tokenizer: Renders the conversations of the chat route.
        max_len: The context.
        name: Of the model.
        sglang: Whose chat route it is: SGLang's, or vLLM's.
        eos: Further tokens that the model's generation config ends turns with.
        raw: Log-probabilities leave the temperature out.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        max_len: int = 512,
        *,
        name: str = "tiny",
        sglang: bool = False,
        eos: tuple[int, ...] = (),
        raw: bool = False,
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model, self.tokenizer, self.max_len = model, tokenizer, max_len
        self.name, self.sglang, self.raw = name, sglang, raw
        self.eos = (tokenizer.eos_token_id, *eos)
        self.engine = KVEngine(model, 1, max_len)
        self.fault: Fault = lambda number, path, body, answer: None
        self.requests: list[tuple[str, Body]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""

    def answer(self, path: str, body: Body) -> Any:
        routes = {
            "/v1/completions": self.completions,
            "/inference/v1/generate": self.generate,
            "/generate": self.native,
            "/v1/chat/completions": self.chat,
            "/v1/models": self.models,
        }
        if path not in routes:
            return 404
        with self.lock:
            try:
                return routes[path](body)
            except Refusal as refusal:
                return 400, {"error": {"message": str(refusal), "type": "BadRequestError", "code": 400}}

    def models(self, body: Body) -> Body:
        return {"object": "list", "data": [{"id": self.name, "object": "model", "max_model_len": self.max_len}]}

    # ---- vLLM ----------------------------------------------------------------------------------------------------

    def completions(self, body: Body) -> Body:
        prompt, limit = body["prompt"], body["max_tokens"]
        self._fits(prompt, limit)
        ids, logps, finish = self.sample(prompt, limit, body["temperature"], body["seed"], self._stops(body))
        named = body.get("return_tokens_as_token_ids")
        words = [f"token_id:{i}" if named else self.tokenizer.decode([i]) for i in ids]
        logprobs = {
            "text_offset": [0] * len(ids),
            "token_logprobs": logps,
            "tokens": words,
            "top_logprobs": [self.top(prompt, body["temperature"], body["logprobs"]), *([None] * (len(ids) - 1))],
        }
        choice = {"index": 0, "text": "never read", "logprobs": logprobs, "finish_reason": finish, "stop_reason": None}
        if body.get("return_token_ids"):
            choice |= {"token_ids": ids, "prompt_token_ids": prompt}
        return {"id": "cmpl-1", "object": "text_completion", "model": body["model"], "choices": [choice],
                "usage": self._usage(prompt, ids)}  # fmt: skip

    def generate(self, body: Body) -> Body:
        prompt, params = body["token_ids"], body["sampling_params"]
        if unknown := params.keys() - set(VLLM.split()):
            raise Refusal(f"unknown sampling parameters: {sorted(unknown)}")
        self._fits(prompt, params["max_tokens"])
        ids, logps, finish = self.sample(
            prompt, params["max_tokens"], params["temperature"], params["seed"], self._stops(params)
        )
        tops = self.top(prompt, params["temperature"], params["logprobs"])
        listed = [[{"token": name, "logprob": logp} for name, logp in tops.items()], *([[]] * (len(ids) - 1))]
        content = [
            {"token": f"token_id:{i}", "logprob": max(logp, -9999.0), "bytes": None, "top_logprobs": top}
            for i, logp, top in zip(ids, logps, listed, strict=True)
        ]
        choice = {"index": 0, "logprobs": {"content": content}, "finish_reason": finish, "token_ids": ids}
        return {"request_id": "1", "choices": [choice], "prompt_logprobs": None, "kv_transfer_params": None,
                "output_mode": body.get("output_mode")}  # fmt: skip

    def _stops(self, params: Body) -> list[int]:
        return [*params["stop_token_ids"], *(() if params.get("ignore_eos") else self.eos)]

    def _fits(self, prompt: list[int], limit: int) -> None:
        if len(prompt) + limit > self.max_len:
            raise Refusal(
                f"This model's maximum context length is {self.max_len} tokens. However, you requested {limit} output "
                f"tokens and your prompt contains {len(prompt)} input tokens."
            )

    # ---- SGLang --------------------------------------------------------------------------------------------------

    def native(self, body: Body) -> Body:
        prompt, params = body["input_ids"], body["sampling_params"]
        if unknown := params.keys() - set(SGLANG.split()):
            raise Refusal(f"SamplingParams.__init__() got an unexpected keyword argument {min(unknown)!r}")
        if len(prompt) >= self.max_len - 6:
            raise Refusal(f"The input ({len(prompt)} tokens) is longer than the model's context length")
        limit = min(params["max_new_tokens"], self.max_len - len(prompt) - 2)
        stops = [] if params.get("ignore_eos") else [*params["stop_token_ids"], *self.eos]
        ids, logps, finish = self.sample(prompt, limit, params["temperature"], params["sampling_seed"], stops)
        length = {"type": "length", "length": limit}
        meta = {
            "id": "abc",
            "finish_reason": {"type": "stop", "matched": ids[-1]} if finish == "stop" and len(ids) < limit else length,
            "prompt_tokens": len(prompt),
            "completion_tokens": len(ids),
            "weight_version": "default",
        }
        if body.get("return_logprob"):
            meta["output_token_logprobs"] = [[logp, i, None] for logp, i in zip(logps, ids, strict=True)]
            if body.get("top_logprobs_num"):
                tops = self.top(prompt, params["temperature"], body["top_logprobs_num"])
                named = [[logp, int(name.removeprefix("token_id:")), None] for name, logp in tops.items()]
                meta["output_top_logprobs"] = [named, *([None] * (len(ids) - 1))]
        return {"text": "never read", "output_ids": ids, "meta_info": meta}

    # ---- both ----------------------------------------------------------------------------------------------------

    def chat(self, body: Body) -> Body:
        prompt = self.tokenizer.apply_chat_template(body["messages"], add_generation_prompt=True, return_dict=False)
        limit = body.get("max_tokens") or max(self.max_len - len(prompt), 1)
        self._fits(prompt, limit)
        stops = [*self.eos]
        ids, logps, finish = self.sample(
            prompt, limit, body["temperature"], body.get("seed", len(self.requests)), stops
        )
        content = [
            {"token": self.tokenizer.decode([i]), "logprob": max(logp, -9999.0), "bytes": None, "top_logprobs": []}
            for i, logp in zip(ids, logps, strict=True)
        ]
        if number := body.get("top_logprobs"):
            tops = self.top(prompt, body["temperature"], number)
            content[0]["top_logprobs"] = [{"token": name, "logprob": logp} for name, logp in tops.items()]
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        choice: Body = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        choice["logprobs"] = {"content": content} if body.get("logprobs") else None
        answer = {"id": "chatcmpl-1", "object": "chat.completion", "model": body["model"], "choices": [choice],
                  "usage": self._usage(prompt, ids)}  # fmt: skip
        if body.get("return_token_ids"):
            choice["token_ids"] = ids
            (choice if self.sglang else answer)["prompt_token_ids"] = prompt
        return answer

    def sample(
        self, prompt: list[int], limit: int, temperature: float, seed: int, stops: list[int]
    ) -> tuple[list[int], list[float], str]:
        [row] = self.engine.open(1)
        try:
            self.engine.extend([row], [prompt])
            [turn] = self.engine.sample(
                [row],
                max_new=limit,
                stop_ids=stops,
                temperature=temperature or 1.0,
                keys=[(seed,)],
                greedy=temperature == 0,
            )
        finally:
            self.engine.close([row])
        return turn.ids, turn.logps, "stop" if turn.stopped else "length"

    @torch.no_grad()
    def top(self, prompt: list[int], temperature: float, number: int) -> dict[str, float]:
        """The likeliest first tokens."""
        logits = self.model(torch.tensor([prompt])).logits[0, -1].float()
        logps = (logits if self.raw or not temperature else logits / temperature).log_softmax(-1)
        return {f"token_id:{int(i)}": float(logps[i]) for i in logps.topk(number).indices}

    @staticmethod
    def _usage(prompt: list[int], ids: list[int]) -> Body:
        total = len(prompt) + len(ids)
        return {"prompt_tokens": len(prompt), "completion_tokens": len(ids), "total_tokens": total}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: TokenServer

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._respond(self.server.answer(self.path, {}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        server = self.server
        with server.lock:
            number = len(server.requests)
            server.requests.append((self.path, body))
        answer = server.fault(number, self.path, body, None)
        if answer is None:
            answer = server.answer(self.path, body)
            if isinstance(answer, dict):
                answer = server.fault(number, self.path, body, answer) or answer
        self._respond(answer)

    def _respond(self, answer: Any) -> None:
        if answer == "drop":
            self.close_connection = True
            return
        status, content = answer if isinstance(answer, tuple) else (200, answer)
        if isinstance(answer, int):
            status, content = answer, {"error": {"message": "injected"}}
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextlib.contextmanager
def serving_tokens(*args: Any, **options: Any) -> Iterator[TokenServer]:
    server = TokenServer(*args, **options)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
