r"""Load test of a retrieval server: many clients with Search-R1's requests, every answer checked.

    python benchmarks/retrieval_server.py --seconds 60 --clients 200
    python benchmarks/retrieval_server.py --seconds 60 --clients 200 --client remote   # with our client, in threads

A generated corpus of `--documents` documents is indexed (BM25, embedded) and served by a process of its own; this
process plays the clients. Each sends Search-R1's request, waits for the answer, compares every list of documents with
what the same index says in this process, and sends the next. The clients are

- `requests`: the bytes that `requests.post(url, json=payload)` sends, over a new connection each time, as Search-R1's
  trainer does it (`search_r1/llm_agent/generation.py`);
- `pooled`: the same over connections that stay open;
- `remote`: `RemoteRetriever`, one thread per client.

`cpu` is the processor time of a process, in milliseconds for a request; memory is that of the server's process. Clients
and server share the cores, so that the rate is that of both together.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from turnwise.retrieval.base import Document, Retriever
from turnwise.retrieval.corpora.documents import MemoryCorpus
from turnwise.retrieval.http.remote import RemoteRetriever
from turnwise.retrieval.http.server import serve
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.local import LocalRetriever

NUM_QUESTIONS = 2000


def make_retriever(num_documents: int, seed: int = 0) -> Retriever:
    """Make BM25 over documents of eighty words with Zipf-distributed frequencies."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(20_000)])
    drawn = words[np.minimum(rng.zipf(1.3, (num_documents, 80)), len(words)) - 1]
    documents = [Document(f"d{number}", f"Title {number}", " ".join(row)) for number, row in enumerate(drawn)]
    return LocalRetriever(MemoryCorpus(documents), Bm25Index.build(d.contents for d in documents))


def questions(retriever: Retriever, k: int) -> tuple[list[str], list[list[str]]]:
    """Make queries, and the documents that answer them."""
    rng = random.Random(1)
    texts = [
        f"w{rng.randrange(3, 60)} w{rng.randrange(100, 4000)} title {rng.randrange(900)}" for _ in range(NUM_QUESTIONS)
    ]
    return texts, [[hit.document.id for hit in hits] for hits in retriever.search(texts, k)]


class Tally:
    """The observations of the clients."""

    def __init__(self, num_queries: int, k: int, asked: tuple[list[str], list[list[str]]]) -> None:
        self.num_queries, self.k = num_queries, k
        self.texts, self.expected = asked
        self.latencies: list[float] = []
        self.errors: list[str] = []
        self.wrong = 0

    def draw(self, rng: random.Random) -> list[int]:
        return [rng.randrange(NUM_QUESTIONS) for _ in range(self.num_queries)]

    def check(self, drawn: list[int], found: list[list[str]]) -> None:
        self.wrong += found != [self.expected[number] for number in drawn]


async def play(place: tuple[str, int], tally: Tally, pooled: bool, until: float, seed: int) -> None:
    """Play one client of Search-R1."""
    rng = random.Random(seed)
    reader = writer = None
    while time.perf_counter() < until:
        drawn = tally.draw(rng)
        payload = {"queries": [tally.texts[n] for n in drawn], "topk": tally.k, "return_scores": True}
        body = json.dumps(payload).encode()
        head = (
            f"POST /retrieve HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nUser-Agent: python-requests/2.32.4\r\n"
            "Accept-Encoding: gzip, deflate\r\nAccept: */*\r\nConnection: keep-alive\r\n"
            f"Content-Length: {len(body)}\r\nContent-Type: application/json\r\n\r\n"
        )
        started = time.perf_counter()
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection(*place)
            assert reader is not None
            writer.write(head.encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = int(answer.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            data = await reader.readexactly(length)
            if not answer.startswith(b"HTTP/1.1 200"):
                raise OSError(f"{answer[:20]!r} {data[:200]!r}")
            found = [[item["document"]["id"] for item in items] for items in json.loads(data)["result"]]
        except (OSError, EOFError) as error:
            tally.errors.append(repr(error))
            if writer is not None:
                writer.close()
            writer = None
            await asyncio.sleep(0.1)
            continue
        tally.latencies.append(time.perf_counter() - started)
        tally.check(drawn, found)
        if not pooled:
            writer.close()
            writer = None
    if writer is not None:
        writer.close()


async def play_all(place: tuple[str, int], tally: Tally, pooled: bool, until: float, clients: int) -> None:
    await asyncio.gather(*(play(place, tally, pooled, until, seed) for seed in range(clients)))


def play_remote(url: str, tally: Tally, until: float, clients: int) -> None:
    """Play our client, shared by threads."""

    def one(seed: int) -> None:
        rng = random.Random(seed)
        while time.perf_counter() < until:
            drawn = tally.draw(rng)
            started = time.perf_counter()
            try:
                found = retriever.search([tally.texts[n] for n in drawn], tally.k)
            except Exception as error:
                tally.errors.append(repr(error))
                continue
            tally.latencies.append(time.perf_counter() - started)
            tally.check(drawn, [[hit.document.id for hit in hits] for hits in found])

    with RemoteRetriever(url) as retriever:
        threads = [threading.Thread(target=one, args=(seed,)) for seed in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> dict[str, float]:
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--client", choices=["requests", "pooled", "remote"], default="requests")
    parser.add_argument("--queries", type=int, default=4, help="queries of a request")
    parser.add_argument("--topk", type=int, default=3)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1, help="searches at once")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(make_retriever(options.documents), "127.0.0.1", 0, workers=options.workers)
        return
    command = [sys.executable, __file__, "--serve", f"--documents={options.documents}", f"--workers={options.workers}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        tally = Tally(options.queries, options.topk, questions(make_retriever(options.documents), options.topk))
        url = json.loads(server.stdout.readline())["url"]
        before = memory_mib(server.pid)["VmRSS"]
        cpu, own, started = cpu_s(server.pid), time.process_time(), time.perf_counter()
        until = started + options.seconds
        if options.client == "remote":
            play_remote(url, tally, until, options.clients)
        else:
            parts = urlsplit(url)
            place = (str(parts.hostname), int(parts.port or 80))
            asyncio.run(play_all(place, tally, options.client == "pooled", until, options.clients))
        wall = time.perf_counter() - started
        cpu, own, memory = cpu_s(server.pid) - cpu, time.process_time() - own, memory_mib(server.pid)
        server.send_signal(signal.SIGTERM)
        status = server.wait(40)
    done = max(len(tally.latencies), 1)
    p50, p95, p99, most = (1000 * float(np.quantile(tally.latencies or [0.0], q)) for q in (0.5, 0.95, 0.99, 1.0))
    print(f"{options.clients} clients ({options.client}), {options.queries} queries a request, {wall:.1f} s")
    print(f"requests {len(tally.latencies)} = {done / wall:.0f}/s, queries {options.queries * done / wall:.0f}/s")
    print(f"latency ms: p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f}, most {most:.1f}")
    print(f"errors {len(tally.errors)}, wrong answers {tally.wrong} {tally.errors[:1] or ''}")
    print(f"cpu ms a request: server {1000 * cpu / done:.3f}, clients {1000 * own / done:.3f}")
    print(f"server memory MiB: {before:.0f} before, {memory['VmRSS']:.0f} after, most {memory['VmHWM']:.0f}")
    own_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"server ended with {status}; clients' memory MiB {own_memory:.0f}")


if __name__ == "__main__":
    main()
