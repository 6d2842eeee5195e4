"""What the scripts beside this file share: code of the pages, an environment that fails, and a model that knows all.

They run in an environment of another framework, with turnwise installed; nothing of the checkout can be imported there.
"""

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))  # it is also imported as a file of environments, from anywhere
import numpy as np
from pages import blocks

import turnwise
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError
from turnwise.core.registration import make

__all__ = ["Outage", "blocks", "endpoint", "knowing", "outside"]


def outside() -> Path:
    """Go to an empty folder; what is installed must do."""
    folder = Path(tempfile.mkdtemp(prefix="interop-"))
    os.chdir(folder)
    return folder


@dataclass(frozen=True)
class Word:
    """The word to say."""

    word: str


@turnwise.register("Outage-v0")
class Outage(Env[Word]):
    """Say the word. The environment fails when it hears "fail", as often as `left` says."""

    max_turns = 3
    left = int(os.environ.get("OUTAGES", "0"))

    def generate(self, rng: np.random.Generator) -> Word:
        return Word(f"w{int(rng.integers(1 << 40))}")

    def begin(self) -> str:
        return f"say {self.task.word}"

    def respond(self, action: str) -> Reply:
        if action == "fail" and Outage.left:
            Outage.left -= 1
            raise InfrastructureError("the sandbox is gone")
        return Reply("heard", solved=action == self.task.word)

    def oracle(self) -> str:
        return self.task.word

    def sample_action(self, rng: np.random.Generator) -> str:
        return "w0"


def knowing(rows: Sequence[Mapping[str, Any]]) -> Callable[[Sequence[Mapping[str, Any]]], str]:
    """A model that knows the tasks of a data set: it answers a conversation with the oracle's next action."""
    tasks = {}
    for row in rows:
        env = make(row["env"], **json.loads(row["settings"]))
        tasks[env.reset(seed=row["seed"])[0]] = row
    assert len(tasks) == len(rows), "the tasks do not begin differently"

    def answer(messages: Sequence[Mapping[str, Any]]) -> str:
        row = next(tasks[m["content"]] for m in messages if m["role"] == "user" and m["content"] in tasks)
        env = make(row["env"], **json.loads(row["settings"]))
        env.reset(seed=row["seed"])
        for message in messages:
            if message["role"] == "assistant":
                env.step(message["content"])
        return str(env.unwrapped.oracle())

    return answer


@contextmanager
def endpoint(answer: Callable[[Sequence[Mapping[str, Any]]], str]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A chat-completions endpoint on this machine; yields its address up to ``/v1`` and the requests that it got."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            message = {"role": "assistant", "content": answer(body["messages"])}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            shown = {"id": f"r{len(asked)}", "object": "chat.completion", "created": 1, "model": body["model"]}
            data = json.dumps({**shown, "choices": [choice], "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
