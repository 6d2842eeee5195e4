"""Batches the server's searches: all queries that wait when a search ends form the next one."""

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from turnwise.core.errors import InfrastructureError
from turnwise.retrieval.base import Retriever
from turnwise.retrieval.http import dialects

__all__ = ["Answer", "Batcher", "Job", "complaint"]

_log = logging.getLogger(__name__)


class Job:
    """A request in progress.

    Attributes:
        queries: Queries to search for, or ids to look up.
        k: Documents for each query; 0: the queries are ids.
        write: Makes the answer from the results.
        answer: Called with the job, the HTTP status and the body.
        packed: Whether the answer is MessagePack.
        until: Deadline of the answer, on the monotonic clock.
        taken: How many queries were handed to a search.
        found: Results of the first of them.
        over: Whether it was answered or the client has left.
    """

    __slots__ = ("answer", "found", "k", "over", "packed", "queries", "taken", "until", "write")

    def __init__(
        self,
        queries: list[str],
        k: int,
        write: Callable[[list[Any]], dict[str, Any]],
        answer: Callable[["Job", int, bytes], None],
    ) -> None:
        self.queries = queries
        self.k = k
        self.write = write
        self.answer = answer
        self.packed = False
        self.until = 0.0
        self.taken = 0
        self.found: list[Any] = []
        self.over = False


Answer = tuple[Job, int, bytes]
"""A finished job, and the status and body of its answer."""


class Batcher:
    """Threads that search for waiting queries, as many in one call as fit.

    A request that arrives when nothing runs does not wait for others. Queries of a call have the same ``k``: with an
    approximate retriever, the best three documents need not be the first three of the best ten.

    Args:
        retriever: What searches.
        batch: Most queries per call.
        workers: Concurrent calls.
        most_waiting: Most queries that may wait.
        deliver: Called with the answers, on a worker's thread.

    Attributes:
        num_waiting: Number of waiting queries.
        num_queries: Number of queries searched for.
        num_calls: Number of calls of the retriever.
    """

    def __init__(
        self,
        retriever: Retriever,
        batch: int,
        workers: int,
        most_waiting: int,
        deliver: Callable[[list[Answer]], None],
    ) -> None:
        self._retriever = retriever
        self._batch = batch
        self._most_waiting = most_waiting
        self._deliver = deliver
        self._jobs: deque[Job] = deque()
        self._ready = threading.Condition()
        self._stopped = False
        self.num_waiting = self.num_calls = self.num_queries = 0
        for number in range(workers):
            threading.Thread(target=self._work, name=f"retriever-{number}", daemon=True).start()

    def submit(self, job: Job) -> bool:
        """Accept a job and return True if there is room for it; a job that comes alone is always accepted."""
        with self._ready:
            if self._stopped or (self.num_waiting and self.num_waiting + len(job.queries) > self._most_waiting):
                return False
            self.num_waiting += len(job.queries)
            self._jobs.append(job)
            self._ready.notify()
            return True

    def stop(self) -> None:
        """Accept no more jobs; those that were accepted are finished."""
        with self._ready:
            self._stopped = True
            self._ready.notify_all()

    def _work(self) -> None:
        while True:
            with self._ready:
                while not self._jobs and not self._stopped:
                    self._ready.wait()
                if not self._jobs:
                    return
                parts = self._take()
            if parts:
                self._deliver(self._do(parts))

    def _take(self) -> list[tuple[Job, list[str]]]:
        """Take the queries of the next call; the rest of a long request goes to the end of the queue."""
        parts: list[tuple[Job, list[str]]] = []
        others: list[Job] = []
        room = self._batch
        while self._jobs and room:
            job = self._jobs.popleft()
            if job.over:
                self.num_waiting -= len(job.queries) - job.taken
            elif parts and job.k != parts[0][0].k:
                others.append(job)
            else:
                part = job.queries[job.taken : job.taken + room]
                job.taken += len(part)
                room -= len(part)
                self.num_waiting -= len(part)
                parts.append((job, part))
        self._jobs.extendleft(reversed(others))
        self.num_calls += bool(parts)
        self.num_queries += self._batch - room
        if self._jobs:
            self._ready.notify()  # for another worker
        return parts

    def _do(self, parts: list[tuple[Job, list[str]]]) -> list[Answer]:
        """Search for parts of requests; return the answers of those that are finished."""
        texts = list(dict.fromkeys(text for _, part in parts for text in part))
        try:
            found = dict(zip(texts, self._search(texts, parts[0][0].k), strict=True))
        except InfrastructureError as error:
            return [_failure(job, error) for job, _ in parts]
        except Exception as error:
            if len(parts) > 1:  # only one of them may have caused the failure
                return [answer for part in parts for answer in self._do([part])]
            return [_failure(parts[0][0], error)]
        answers = []
        for job, part in parts:
            job.found += [found[text] for text in part]
            if len(job.found) == len(job.queries):
                answers.append(_success(job))
            else:
                with self._ready:
                    self._jobs.append(job)
                    self._ready.notify()
        return answers

    def _search(self, texts: Sequence[str], k: int) -> Iterable[Any]:
        if k:
            return self._retriever.search(texts, k)
        return [self._retriever.document(text) for text in texts]


def _success(job: Job) -> Answer:
    try:
        return job, 200, dialects.encode(job.write(job.found), job.packed)
    except Exception as error:
        return _failure(job, error)


def _failure(job: Job, error: Exception) -> Answer:
    if isinstance(error, InfrastructureError):
        return job, 503, complaint(str(error))
    _log.error("the retriever failed", exc_info=error)
    return job, 500, complaint(f"the retriever failed: {type(error).__name__}: {error}")


def complaint(text: str) -> bytes:
    """Return the body of an error answer."""
    return json.dumps({"error": text}).encode()
