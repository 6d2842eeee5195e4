"""Serves an embedded sandbox over the standard streams, as the main process of a container does.

Run as ``python -m turnwise.sandbox.serving.streams``, with the settings of the sandbox as JSON in the argument.
"""

import contextlib
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from turnwise.sandbox.backends.embedded.sandbox import EmbeddedSandbox
from turnwise.sandbox.interface import messages
from turnwise.sandbox.interface.records import Limits
from turnwise.sandbox.serving.service import Service
from turnwise.sandbox.wire import frames

__all__ = ["main"]


def main(arguments: list[str]) -> None:
    """Serve an embedded sandbox over the standard streams until they close."""
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing else writes among the frames
    settings = json.loads(arguments[0]) if arguments else {}
    writing = threading.Lock()

    def send(number: int, answer: messages.Frame) -> None:
        data = memoryview(frames.pack({**answer[0], "id": number}, answer[1]))
        with writing, contextlib.suppress(BrokenPipeError):
            while data:
                data = data[target.write(data) or 0 :]

    try:
        if "limits" in settings:
            settings["limits"] = Limits(**settings["limits"])
        sandbox = EmbeddedSandbox(**settings)
    except Exception as error:
        send(0, messages.pack_error(error))
        return
    service = Service(sandbox)
    send(0, ({"workers": sandbox.workers}, []))
    pool = ThreadPoolExecutor(4 * sandbox.workers + 64)
    while (got := frames.read_frame(source.read)) is not None:
        message, blobs = got
        pool.submit(lambda m, b: send(m["id"], service.answer(m, b)), message, blobs)
    os._exit(0)  # nobody waits for what still runs: it ends with this process


if __name__ == "__main__":
    main(sys.argv[1:])
