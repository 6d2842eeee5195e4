"""LongContextQA: the documents are in the prompt, the relevant ones among many others.

Source: reading among distractors as in HotpotQA's distractor setting (Yang et al., arXiv 1809.09600) and multi-hop
tracing in long contexts as in RULER (Hsieh et al., arXiv 2404.06654), on a generated world.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Annotated, ClassVar

import numpy as np

from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.search._cheats import READING_CHEATS
from turnwise.envs.search._draft import GROUPS, WORLDS, as_question, held, own_rows
from turnwise.envs.search._episode import SearchEnv, Task
from turnwise.envs.search._library import NO_WORLD, Library
from turnwise.envs.search._qa_files import FileQuestion
from turnwise.retrieval.base import Document
from turnwise.retrieval.show import shown
from turnwise.worlds.documents.questions.known import Columns, Excerpt
from turnwise.worlds.documents.questions.logic import evaluate

__all__ = ["LongContextQA"]

_HARD = 20  # documents found by searching for the question or a name in it


@register("LongContextQA-v0")
class LongContextQA(SearchEnv):
    """Answer a question about the documents in the prompt; reward 1 for the right answer. There are no searches.

    The prompt has the documents that the answer rests on, outdated or misleading ones where the question has such, and
    others: first those that a search for the question or for its names would find, then any. They stand in random
    order, up to ``chars`` characters in all. Where no document tells, to abstain is right.

    With ``questions`` of your own the documents are those that each row carries (HotpotQA, 2Wiki, MuSiQue).

    Chance: a random agent is right now and then where the question names the candidates (comparison).

    The settings top_k, snippet_chars, max_obs_chars, tags and retriever of all search environments have no effect here.
    """

    chars: Annotated[int, Range(500, 110_000)] = 20_000
    """Characters of the documents in the prompt, about: documents are added while they fit."""
    max_turns: int = 1

    levels = tuple(
        {"hops": h, "kinds": k, "chars": c, "aliases": a, "documents": d, "worlds": WORLDS}
        for h, k, c, a, d in [
            (1, "chain", 2_000, 0.0, 200), (1, "basic", 8_000, 0.0, 200), (2, "basic", 4_000, 0.0, 200),
            (2, "mixed", 10_000, 0.0, 1000), (3, "mixed", 20_000, 0.0, 1000), (3, "mixed", 20_000, 0.3, 1000),
            (3, "hard", 40_000, 0.3, 1000), (4, "hard", 40_000, 0.3, 1000), (4, "hard", 60_000, 0.3, 1000),
            (5, "hardest", 100_000, 0.5, 1000),
        ]
    )  # fmt: skip
    chance = (0.0, 0.008, 0.0, 0.007, 0.003, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0
    cheats = READING_CHEATS
    searches: ClassVar[bool] = False

    def check_sources(self) -> None:
        if self.retriever:
            raise SettingsError(f"retriever is {self.retriever!r}; LongContextQA searches nothing: leave it empty")
        if self.questions:
            self._own()

    def _own(self) -> tuple[Sequence[FileQuestion], list[int]]:
        """Return the questions of the file, and the numbers of those of the chosen kinds."""
        rows = own_rows(self.questions, (), contexts=True)
        kinds = None if self.kinds in GROUPS else self._kinds
        numbers = [number for number, row in enumerate(rows) if kinds is None or row.kind in kinds]
        if not numbers:
            known = ", ".join(sorted({row.kind for row in rows}))
            raise SettingsError(f"kinds is {self.kinds!r}; the questions in {self.questions} are of {known}")
        return rows, numbers

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        if not self.questions:
            return super().generate(rng)
        rows, numbers = self._own()
        number = numbers[int(rng.random() * len(numbers))]
        row = rows[number]
        if not row.contexts:
            raise SettingsError(f"{row.where} carries no documents; LongContextQA needs rows that do")
        question = as_question(row)
        plan = tuple(step.support for step in row.steps) or ((),) * len(question.steps)
        return Task(NO_WORLD, question, row.support, plan, told=(number,))  # two rows may have the same question

    def draft(self, rng: np.random.Generator, seed: int, place: Library) -> Task | None:
        task = super().draft(rng, seed, place)
        if task is None:
            return None
        assert place.corpus is not None
        question = task.question
        chosen: dict[int, None] = dict.fromkeys((*question.support, *question.lies))
        for step in question.steps:
            if not chosen.keys() & set(step.documents):
                chosen |= dict.fromkeys(step.documents[:1])
        room = self.chars - sum(_size(place.document(number)) for number in chosen)
        if room < 0:
            return None
        hard = [hit.document.id for query in (*question.names, question.text) for hit in place.search(query, _HARD)]
        first = [number for id in hard if (number := place.corpus.number_of(id)) is not None]
        size = len(place)
        for number in chain(first, (int(rng.random() * size) for _ in range(size))):
            if number in chosen:
                continue
            room -= _size(place.document(number))
            if room < 0:
                break
            chosen[number] = None
        numbers = list(chosen)
        order = np.argsort(rng.random(len(numbers)), kind="stable").tolist()
        return Task(seed, question, task.gold, task.plan, tuple(numbers[i] for i in order))

    def refuses(self, task: Task, place: Library) -> str:
        """Check that the prompt's documents show each step's answer and lead only to the question's answers."""
        there = set(task.told)
        for step in task.question.steps:
            texts = [_text(place.document(number)) for number in step.documents if number in there]
            if step.documents and not any(held(text, step.answer) for text in texts):
                return "the documents do not show the answer"
        question = task.question
        assert place.world is not None
        assert question.query is not None
        found = evaluate(question.query, Excerpt(place.world, task.told))
        if question.answerable:
            return "" if found == evaluate(question.query, Columns(place.world)) else "its documents answer differently"
        return "its documents answer it" if len(found) == 1 else ""

    # ---- play -----------------------------------------------------------------------------------------------------

    def introduction(self) -> str:
        documents = self._documents()
        text = shown(documents, "turnwise" if self.rules else "plain", 10**6, 125_000)[0]
        if not self.rules:
            return text
        invented = (
            " They describe an invented world, so knowledge from elsewhere does not help." if not self.questions else ""
        )
        return f"Here are {len(documents)} documents.{invented}{self.trust()}\n\n{text}"

    def _documents(self) -> Sequence[Document]:
        if self.task.world != NO_WORLD:
            place = self.library
            return [place.document(number) for number in self.task.told]
        contexts = own_rows(self.questions, (), contexts=True)[self.task.told[0]].contexts
        order = np.random.Generator(np.random.PCG64(seed_of("contexts", self.task.question.text))).random(len(contexts))
        return [contexts[i] for i in np.argsort(order, kind="stable").tolist()]

    def _how(self) -> str:
        return "Answer the question from these documents."


def _text(document: Document) -> str:
    return f"{document.title} {document.text}"


def _size(document: Document) -> int:
    return len(document.title) + len(document.text) + 18  # with its heading
