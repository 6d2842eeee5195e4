"""Your own questions over your own corpus: JSONL -> index -> SearchQA -> solve rates.

Run it:      python examples/search_own_corpus.py
With yours:  python examples/search_own_corpus.py corpus.jsonl questions.jsonl

The corpus has rows with id, title and text; the questions are in HotpotQA's format. For other formats see
docs/search.md and docs/retrieval.md.
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from turnwise.evaluation.evaluate import EvalConfig, evaluate
from turnwise.retrieval.index.build import build_index

CORPUS = [
    {"id": "Varnmouth", "title": "Varnmouth", "text": "Varnmouth is a port. Its mayor is Ilse Torne."},
    {"id": "Ilse Torne", "title": "Ilse Torne", "text": "Ilse Torne was born in Hesk. She is a pilot."},
    {"id": "Hesk", "title": "Hesk", "text": "Hesk is a village on the river Ome."},
    {"id": "Olm", "title": "Olm", "text": "Olm is a port. Its mayor is Jarl Pedde."},
    {"id": "Jarl Pedde", "title": "Jarl Pedde", "text": "Jarl Pedde was born in Sarn. He is a baker."},
]
QUESTIONS = [
    {
        "question": "Where was the mayor of Varnmouth born?", "answer": "Hesk", "type": "bridge",
        "supporting_facts": [["Varnmouth", 1], ["Ilse Torne", 0]],
    },
    {
        "question": "Are Varnmouth and Olm both ports?", "answer": "yes", "type": "comparison",
        "supporting_facts": [["Varnmouth", 0], ["Olm", 0]],
    },
    {
        "question": "What is the trade of the mayor of Olm?", "answer": "baker", "type": "bridge",
        "supporting_facts": [["Olm", 1], ["Jarl Pedde", 1]],
    },
]  # fmt: skip


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows, one object per line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def run(corpus: str, questions: str, folder: Path) -> dict[str, float]:
    """Build the index, unless it is up to date, and let three agents play."""
    info = build_index(corpus, folder)
    print(f"{info.documents} documents indexed")
    settings = {"questions": questions, "retriever": f"{info.engine}:{folder}", "max_turns": 4}
    solved = {}
    for agent in ("oracle", "random", "constant:<answer>yes</answer>"):
        config = EvalConfig(
            envs=("SearchQA",), settings=settings, agent=agent, num_tasks=20, split=None, chance_episodes=0
        )
        solved[agent] = evaluate(config).overall.solve_rate or 0.0
        print(f"{agent:30} solves {solved[agent]:.0%}")
    return solved


def main() -> None:
    """Evaluate on the files named, or on the five documents above."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        if len(sys.argv) == 3:
            corpus, questions = sys.argv[1:]
        else:
            corpus = write_rows(here / "corpus.jsonl", CORPUS)
            questions = write_rows(here / "questions.jsonl", QUESTIONS)
        run(corpus, questions, here / "index")


if __name__ == "__main__":
    main()
