"""Scorers of others that may compute for ever, in a process of their own with a limit on its CPU time.

The limit counts the process's own seconds, so that a busy machine refuses no answer that a quiet one accepts.
"""

import json
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from turnwise.core.errors import InfrastructureError

__all__ = ["CPU_S", "BoundedScorer", "bounded_scorer"]

CPU_S = 5
"""Most CPU seconds for an answer; golds take hundredths."""
WALL_S = 300.0
MEMORY_BYTES = 2 << 30
PROGRAM = """
import io, os, pickle, resource, sys, warnings
warnings.simplefilter("ignore")
inside, outside = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
sys.stdout = io.StringIO()  # what a scorer prints is not a score
name, seed, size, config, cpu_s, memory = pickle.load(inside)
import reasoning_gym.factory as factory
data = factory.create_dataset(name, seed=seed, size=size, **config)
try:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
except (ValueError, OSError):
    pass  # macOS has no such limit
while True:
    try:
        answer, entry = pickle.load(inside)
    except EOFError:
        break
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + cpu_s, resource.RLIM_INFINITY))
    try:
        score = float(data.score_answer(answer, entry))
    except Exception:  # an answer that the scorer cannot read is wrong
        score = 0.0
    outside.write(repr(score).encode() + b"\\n")
    outside.flush()
"""
"""Needs no turnwise. What the system ends for its CPU time is started again."""


class BoundedScorer:
    """The scorer of a data set of reasoning-gym, one answer at a time.

    Args:
        dataset: Its name.
        seed: Seed of the data set.
        size: Its size.
        config: Its settings.
        cpu_s: Most CPU seconds for an answer.
    """

    def __init__(self, dataset: str, seed: int, size: int, config: Mapping[str, Any], cpu_s: int = CPU_S) -> None:
        self._opening = (dataset, seed, size, dict(config), cpu_s, MEMORY_BYTES)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            where = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            words = [sys.executable, "-c", PROGRAM]
            self._process = subprocess.Popen(
                words, env=where, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._send(self._process, self._opening)
        return self._process

    @staticmethod
    def _send(process: subprocess.Popen[bytes], what: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(pickle.dumps(what))
        process.stdin.flush()

    def score(self, answer: str, entry: Mapping[str, Any]) -> float:
        """The scorer's number; 0 for an answer that takes more than the limit.

        Raises:
            InfrastructureError: The process ended for another reason, or does not answer.
        """
        with self._lock:
            try:
                process = self._started()
                self._send(process, (answer, dict(entry)))
                line = self._line(process)
            except BrokenPipeError:
                line = b""
            if line.endswith(b"\n"):
                return float(line)
            return self._ended()

    @staticmethod
    def _line(process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        found, deadline = b"", time.monotonic() + WALL_S
        while not found.endswith(b"\n"):
            if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                break
            piece = os.read(process.stdout.fileno(), 4096)
            if not piece:
                break
            found += piece
        return found

    def _ended(self) -> float:
        """Why there was no answer; the next one gets another process."""
        process, self._process = self._process, None
        assert process is not None
        try:
            process.wait(1.0)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if process.returncode == -signal.SIGXCPU:
            return 0.0
        raise InfrastructureError(f"the scorer of {self._opening[0]} ended with status {process.returncode}")

    def __deepcopy__(self, memo: object) -> "BoundedScorer":
        return self  # copies of an episode share the process

    def close(self) -> None:
        """End the process."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                process.communicate()


@cache
def _scorer(pid: int, dataset: str, seed: int, size: int, config: str) -> BoundedScorer:
    return BoundedScorer(dataset, seed, size, json.loads(config))


def bounded_scorer(dataset: str, seed: int, size: int, config: Mapping[str, Any]) -> BoundedScorer:
    """The scorer of a data set that all environments of this process share; see `BoundedScorer` for the arguments."""
    return _scorer(os.getpid(), dataset, seed, size, json.dumps(dict(config), sort_keys=True))  # pid: a fork has none
