"""Compare search engines: building, memory, disk and query time, on one thread.

    pip install turnwise[search] bm25s numba rank_bm25     # peers; those that are not there are left out, by name
    python benchmarks/retrieval.py [--sizes 10000 100000] [--engines turnwise bm25s ...] [--corpus world|zipf]

Documents are those of a generated world (`--corpus zipf`: sentences about invented names, filled up with words of
Zipf's law to some 85), queries read "Who is the spouse of the director of X Y?" with the name of a document drawn at
random; ten documents are asked for. Every engine gets the same words from `turnwise.retrieval.index.text` (FTS5
tokenises by
itself), builds in one process and answers in another, which opens what the first one left on disk (rank_bm25 cannot,
and builds again). Times are of CPU where not said otherwise; memory is what building added at its peak, and what
opening and answering added, of which pages of mapped files are given apart: processes share them. "same" is the share
of queries whose best document is among the first engine's best three. An engine stops after `--seconds` of queries.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from turnwise.retrieval.index.text import query_tokens, tokens

K = 10
Search = Callable[[str], list[int]]


# --- documents and queries


def zipf_documents(size: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yield (title, text) about invented people and films that are related."""
    rng = random.Random(seed)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "el")]

    def invented(parts: int) -> str:
        return "".join(rng.choices(syllables, k=parts)).title()

    words = [invented(rng.choice((1, 2, 2, 3))).lower() for _ in range(30_000)]
    weights = np.cumsum([1 / (rank + 10) for rank in range(len(words))]).tolist()
    family = [invented(3) for _ in range(max(size // 20, 10))]
    names = [f"{invented(rng.choice((2, 3)))} {rng.choice(family)}" for _ in range(size)]
    relations = ("spouse", "director", "author", "mayor", "founder", "child", "pupil", "rival")
    for name in names:
        lines = [f"{name} was born in {rng.randint(1700, 2000)} in the town of {rng.choice(names)}."]
        lines += [f"The {relation} of {name} is {rng.choice(names)}." for relation in rng.sample(relations, 3)]
        lines.append(" ".join(rng.choices(words, cum_weights=weights, k=48)).capitalize() + ".")
        yield name, " ".join(lines)


def world_documents(size: int) -> Iterator[tuple[str, str]]:
    from turnwise.worlds.documents import open_world

    return ((document.title, document.text) for document in open_world(0, size).documents())


def write(folder: Path, corpus: str, size: int, num_queries: int) -> None:
    documents = world_documents(size) if corpus == "world" else zipf_documents(size)
    titles = []
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for title, text in documents:
            titles.append(title)
            file.write(json.dumps(f"{title}\n{text}") + "\n")
    names = random.Random(1).choices(titles, k=num_queries)
    (folder / "queries.json").write_text(json.dumps([f"Who is the spouse of the director of {n}?" for n in names]))


def texts(folder: Path) -> Iterator[str]:
    with (folder / "texts.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


# --- engines: (build into a folder, open it to search); one without files returns the search from building


class Turnwise:
    """Our NumPy index, from a folder."""

    def build(self, source: Iterator[str], folder: Path) -> None:
        from turnwise.retrieval.index.bm25 import Bm25Index

        Bm25Index.build(source, folder=folder)

    def open(self, folder: Path) -> Search:
        from turnwise.retrieval.index.bm25 import Bm25Index

        index = Bm25Index.open(folder)
        return lambda query: index.top(query, K)[0].tolist()


class Tantivy:
    """Tantivy behind our interface."""

    def build(self, source: Iterator[str], folder: Path) -> None:
        from turnwise.retrieval.index.tantivy import TantivyIndex

        TantivyIndex.build(source, folder=folder)

    def open(self, folder: Path) -> Search:
        from turnwise.retrieval.index.tantivy import TantivyIndex

        index = TantivyIndex.open(folder)
        return lambda query: index.top(query, K)[0].tolist()


class Bm25s:
    """bm25s, memory-mapped, with our words and its Lucene formula."""

    backend = "numpy"

    def build(self, source: Iterator[str], folder: Path) -> None:
        import bm25s

        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend=self.backend)
        vocabulary: dict[str, int] = {}
        ids = [[vocabulary.setdefault(word, len(vocabulary)) for word in tokens(text)] for text in source]
        index.index((ids, vocabulary), show_progress=False)
        index.save(str(folder))

    def open(self, folder: Path) -> Search:
        import bm25s

        index = bm25s.BM25.load(str(folder), mmap=True)
        index.backend = self.backend
        if self.backend == "numba":
            index.activate_numba_scorer()

        def search(query: str) -> list[int]:
            found, _ = index.retrieve([query_tokens(query)], k=K, show_progress=False, n_threads=0)
            return [int(number) for number in found[0]]

        return search


class Bm25sNumba(Bm25s):
    """The same with its compiled scorer."""

    backend = "numba"


class RankBm25:
    """rank_bm25's BM25Okapi: its idf differs, so ranks differ where scores are close."""

    def build(self, source: Iterator[str], folder: Path) -> Search:
        import rank_bm25

        index = rank_bm25.BM25Okapi([tokens(text) for text in source], k1=1.2, b=0.75)

        def search(query: str) -> list[int]:
            scores = index.get_scores(query_tokens(query))
            return [int(number) for number in np.argsort(-scores, kind="stable")[:K]]

        return search


class Fts5:
    """SQLite's FTS5 with a query of all words joined by OR."""

    def build(self, source: Iterator[str], folder: Path) -> None:
        with contextlib.closing(sqlite3.connect(folder / "fts.db")) as base:
            base.execute("CREATE VIRTUAL TABLE pages USING fts5(text, content='', tokenize='unicode61')")
            base.executemany("INSERT INTO pages(rowid, text) VALUES (?, ?)", enumerate(source))
            base.commit()

    def open(self, folder: Path) -> Search:
        base = sqlite3.connect(folder / "fts.db")

        def search(query: str) -> list[int]:
            wanted = " OR ".join(f'"{word}"' for word in query_tokens(query))
            rows = base.execute("SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ?", (wanted, K))
            return [row[0] for row in rows]

        return search


ENGINES: dict[str, tuple[type[Any], tuple[str, ...]]] = {
    "turnwise": (Turnwise, ()),
    "turnwise tantivy": (Tantivy, ("tantivy",)),
    "bm25s": (Bm25s, ("bm25s",)),
    "bm25s numba": (Bm25sNumba, ("bm25s", "numba")),
    "FTS5": (Fts5, ()),
    "rank_bm25": (RankBm25, ("rank_bm25",)),
}


# --- one process


def memory() -> tuple[float, float]:
    """Return resident MB, in total and of mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssFile"))  # type: ignore[return-value]


def cpu() -> float:
    """Return the CPU seconds of this process and of finished workers."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def child(name: str, phase: str, folder: Path, data: Path, seconds: float) -> dict[str, Any]:
    engine = ENGINES[name][0]()
    result: dict[str, Any] = {}
    if phase == "build":
        source = texts(data)
        before, _ = memory()
        started, wall = cpu(), time.perf_counter()
        search = engine.build(source, folder)
        result = {"build_cpu_s": cpu() - started, "build_wall_s": time.perf_counter() - wall}
        result["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
        result["disk_mb"] = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6
        if search is None:
            return result
        result["open_mb"], result["mapped_mb"] = memory()[0] - before, 0.0
    else:
        before, mapped = memory()
        search = engine.open(folder)
    queries = json.loads((data / "queries.json").read_text())
    search(queries[-1])  # warm-up, and compilation by numba
    times, answers = [], []
    for query in queries:
        started = time.process_time_ns()
        answers.append(search(query))
        times.append((time.process_time_ns() - started) / 1000)
        if sum(times) > seconds * 1e6:
            break
    if phase == "query":
        after, mapped_after = memory()
        result["open_mb"], result["mapped_mb"] = after - before, mapped_after - mapped
    p50, p95 = np.percentile(times, [50, 95]).tolist()
    return result | {"p50_us": p50, "p95_us": p95, "qps": 1e6 / float(np.mean(times)), "answers": answers}


def run(name: str, phase: str, folder: Path, data: Path, seconds: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--child", name, phase, str(folder), str(data), "--seconds", str(seconds)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{name}, {phase}:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


# --- the table


def table(sizes: list[int], names: list[str], corpus: str, num_queries: int, seconds: float) -> None:
    versions = f"Python {sys.version.split()[0]}, NumPy {np.__version__}"
    print(f"{K} documents a query, {num_queries} queries, corpus {corpus}, {versions}\n")
    heads = "documents, engine, build s CPU (wall), peak MB, disk MB, open MB (mapped), p50 µs, p95 µs, queries/s, same"
    print("| " + heads.replace(", ", " | ") + " |\n" + "|---" * 10 + "|")
    for size in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            data = Path(temporary)
            write(data, corpus, size, num_queries)
            first: list[list[int]] = []
            for name in names:
                row = measured(name, data, seconds)
                answers = row["answers"]
                first = first or answers
                same = sum(bool(set(one[:3]) & set(two[:1])) for one, two in zip(first, answers, strict=False))
                cells = [
                    f"{size:,}",
                    name,
                    f"{row['build_cpu_s']:.1f} ({row['build_wall_s']:.1f})",
                    f"{row['peak_mb']:.0f}",
                    f"{row['disk_mb']:.0f}",
                    f"{row['open_mb']:.0f} ({row['mapped_mb']:.0f})",
                    *(f"{row[value]:,.0f}" for value in ("p50_us", "p95_us", "qps")),
                    f"{same / len(answers):.3f}",
                ]
                print("| " + " | ".join(cells) + " |", flush=True)


def measured(name: str, data: Path, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=data) as folder:
        row = run(name, "build", Path(folder), data, seconds)
        return row if "answers" in row else row | run(name, "query", Path(folder), data, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--corpus", choices=("world", "zipf"), default="world")
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        name, phase, folder, data = chosen.child
        print(json.dumps(child(name, phase, Path(folder), Path(data), chosen.seconds)))
        return
    missing = {name: [p for p in ENGINES[name][1] if importlib.util.find_spec(p) is None] for name in chosen.engines}
    for name, packages in missing.items():
        if packages:
            print(f"left out: {name} (not installed: {', '.join(packages)})")
    table(chosen.sizes, [n for n in chosen.engines if not missing[n]], chosen.corpus, chosen.queries, chosen.seconds)


if __name__ == "__main__":
    main()
