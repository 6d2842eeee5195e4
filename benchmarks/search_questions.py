"""Questions over a generated world: how many hold, whether a real search finds the plan, what agents without one solve.

    python benchmarks/search_questions.py [--documents 1000] [--questions 1000] [--top-k 5] [--kinds chain set ...]

One row for each kind, its hops drawn evenly from what it supports. The columns:

- drafted: drafts per question that held (unique, stated, each needed fact needed, by the columns of the world).
- unique: share of those with exactly that answer by a second evaluator, which reads the statements of all pages.
- needed: share of their needed facts without whose documents, all removed, the answer is out of reach.
- plan: share whose every step finds one of its documents among the first k of the retriever.
- one search: share of those of two hops and more where one search, for the question's text or a name in it, is enough
  (`mentions`, `suffices`): shortcuts, which an environment refuses.
- closed book, majority, first hit: solve rates of the agents of ``turnwise.worlds.documents.questions.agents``; the
  first two
  learn from as many other questions about the same world, more than they would know. Questions with a shortcut or a
  failed plan are left out here.
- chance: the mean of what the questions declare.
- per second: questions per CPU-second, failed drafts included, plans and searches not.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from turnwise.retrieval.base import Document, Retriever
from turnwise.retrieval.corpora.documents import MemoryCorpus
from turnwise.retrieval.index.bm25 import Bm25Index
from turnwise.retrieval.local import LocalRetriever
from turnwise.verifiers.qa import verify_answer, verify_items, verify_yes_no
from turnwise.worlds.documents import World, open_world
from turnwise.worlds.documents.questions import KIND_HOPS, KINDS, Question, make_question, mentions
from turnwise.worlds.documents.questions.agents import Prior, closed_book, first_hit, majority
from turnwise.worlds.documents.questions.known import Pages, stated_in, suffices
from turnwise.worlds.documents.questions.logic import evaluate


def drawn(world: World, kind: str, number: int, seed: int, **knobs: float) -> tuple[list[Question], float, float]:
    """That many different questions, drafts per question that held, and such questions per CPU-second."""
    rng = np.random.default_rng(seed)
    low, high = KIND_HOPS[kind]
    found: dict[object, Question] = {}
    drafts, held, begin, hops, failed = 0, 0, time.process_time(), low, 0
    while len(found) < number and drafts < 40 * number:
        drafts += 1
        failed += 1
        question = make_question(world, rng, kind, hops, **knobs)
        if question is not None:
            held += 1
            found.setdefault(question.query, question)
        if question is not None or failed > 100:
            hops, failed = low + (hops - low + 1) % (high - low + 1), 0
    return list(found.values()), drafts / held, held / (time.process_time() - begin)


def solved(question: Question, answer: str) -> bool:
    if question.form == "yes_no":
        return verify_yes_no(answer, question.answers[0][0] == "yes").correct
    if question.form == "items":
        return verify_items(answer, question.answers).correct
    return verify_answer(answer, question.answers[0] if question.answers else None).correct


def both(question: Question) -> list[Question]:
    """Return a question and its twin, if it has one: a filter keeps both or none."""
    return [question] if question.twin is None else [question, question.twin]


def plan_found(question: Question, retriever: Retriever, titles: Sequence[str], k: int) -> bool:
    steps = [step for step in question.steps if step.documents]
    if not steps:
        return True
    hits = retriever.search([step.query for step in steps], k)
    return all(
        {hit.document.id for hit in found} & {titles[n] for n in step.documents}
        for step, found in zip(steps, hits, strict=True)
    )


def shortcut(world: World, question: Question, retriever: Retriever, numbers: dict[str, int], k: int) -> bool:
    found = retriever.search([question.text, *question.names], k)
    shown = ([hit.document for hit in hits] for hits in found)
    return any(
        mentions(question, " ".join(document.contents for document in documents))
        or suffices(world, question, [numbers[document.id] for document in documents])
        for documents in shown
    )


def needed_share(world: World, pages: Pages, question: Question) -> tuple[int, int]:
    """Return how many of the facts marked as needed are, and how many there are."""
    if not question.answerable:
        return 0, 0
    with_all = evaluate(question.query, pages)
    good = 0
    for fact in question.needed:
        pages.without = set(stated_in(world, fact))
        good += evaluate(question.query, pages) != with_all
    pages.without = ()
    return good, len(question.needed)


def row(world: World, pages: Pages, retriever: Retriever, titles: list[str], kind: str, args: Any) -> str:
    knobs = {"aliases": args.aliases, "distractors": args.distractors}
    drafted, drafts, speed = drawn(world, kind, 2 * args.questions, args.seed, **knobs)
    questions, prior = drafted[::2], Prior.of(drafted[1::2])
    unique = sum(len(evaluate(q.query, pages)) == max(1, len(q.answers)) for q in questions if q.answerable)
    unique += sum(len(evaluate(q.query, pages)) != 1 for q in questions if not q.answerable)
    needed = np.sum([needed_share(world, pages, q) for q in questions[:200]], axis=0)
    planned = [q for q in questions if all(plan_found(x, retriever, titles, args.top_k) for x in both(q))]
    several = [q for q in planned if q.hops > 1]
    numbers = {title: n for n, title in enumerate(titles)}
    short = {q.query for q in several if any(shortcut(world, x, retriever, numbers, args.top_k) for x in both(q))}
    kept = [q for q in planned if q.query not in short]
    tops = retriever.search([q.text for q in kept], 1)
    texts = [[hit.document.text for hit in hits] for hits in tops]

    def rate(agent: Callable[[int, Question], str]) -> str:
        return f"{sum(solved(q, agent(n, q)) for n, q in enumerate(kept)) / max(1, len(kept)):.1%}"

    low, high = KIND_HOPS[kind]
    cells = [
        kind, f"{low}-{high}", str(len(questions)), f"{drafts:.1f}",
        f"{unique / max(1, len(questions)):.1%}", f"{needed[0] / max(1, needed[1]):.1%}",
        f"{len(planned) / max(1, len(questions)):.1%}", f"{len(short) / len(several):.1%}" if several else "-",
        rate(lambda n, q: closed_book(q, prior)), rate(lambda n, q: majority(q, prior)),
        rate(lambda n, q: first_hit(q, texts[n])), f"{np.mean([q.chance for q in kept] or [0]):.1%}",
        f"{speed:,.0f}",
    ]  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--top-k", type=int, default=5)
    parser.add_argument("--aliases", type=float, default=0.0)
    parser.add_argument("--distractors", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    args = parser.parse_args()
    world = open_world(args.seed, args.documents)
    documents = [Document(d.id, d.title, d.text) for d in world.documents()]
    retriever = LocalRetriever(MemoryCorpus(documents), Bm25Index.build([d.contents for d in documents]))
    titles = [document.id for document in documents]
    pages = Pages(world)
    heads = "kind,hops,questions,drafted,unique,needed,plan,one search,closed book,majority,first hit,chance,per second"
    names = heads.split(",")
    print(f"`python {' '.join(sys.argv)}`\n\n| {' | '.join(names)} |\n|" + "---|" * len(names), flush=True)
    for kind in args.kinds:
        print(row(world, pages, retriever, titles, kind, args), flush=True)


if __name__ == "__main__":
    main()
