"""Drafts of questions, and their checks: the plan works with the real retriever, and nothing shorter does."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.core.rows import stamp
from turnwise.envs.search._library import NO_WORLD, Library
from turnwise.envs.search._qa_files import FileQuestion, load_questions
from turnwise.retrieval.base import Document
from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions import KINDS, Question, Step, make_question, mentions
from turnwise.worlds.documents.questions.known import stated_in, suffices
from turnwise.worlds.documents.questions.surfaces import shows

if TYPE_CHECKING:
    from turnwise.envs.search._task import Task

__all__ = [
    "GROUPS",
    "KINDS_OF",
    "MIX",
    "WORLDS",
    "Enough",
    "Shown",
    "as_question",
    "drawn",
    "enough_in",
    "facts_of",
    "gold_documents",
    "held",
    "own_rows",
    "own_task",
    "refusal",
    "step_refusal",
]

KINDS_OF = tuple(KINDS)
WORLDS = 32
"""Worlds of a level: many, so that few questions, and few answers about a world, come twice."""
MIX = {
    "chain": 5.0, "bridge": 4.0, "intersection": 2.0, "temporal": 2.0, "superlative": 1.5, "adversarial": 1.5,
    "set": 1.5, "comparison": 1.0, "unanswerable": 1.2, "count": 0.4, "yes_no": 0.4, "inverted": 10.0, "total": 1.5,
    "supposed": 1.5, "during": 2.0,
}  # fmt: skip
"""How often "mixed" draws each kind: guessable kinds are so rare that no constant answer is worth 5 %."""

_LABORIOUS = ("inverted", "total", "supposed", "during")
_GUESSED = ("yes_no", "count", "comparison", "unanswerable")
GROUPS = {
    "mixed": tuple(MIX),
    "basic": tuple(kind for kind in MIX if kind not in _LABORIOUS),
    "deep": tuple(kind for kind in MIX if kind not in _GUESSED),
    "hard": (*_LABORIOUS, "superlative", "temporal", "adversarial", "set"),
    "hardest": _LABORIOUS,
}
"""Kinds under one name: all; without those that need many documents; without those that can be guessed; those where
one path is not enough; and those that a scripted agent which looks up one fact after another cannot answer."""

Shown = Callable[[str], tuple[Sequence[Document], Sequence[str]]]
"""A search function: returns the documents shown, and the text shown of each."""
Enough = Callable[[Sequence[Document]], bool]


def drawn(
    rng: np.random.Generator,
    world: World,
    kinds: Sequence[str],
    hops: int,
    aliases: float,
    paraphrase: bool,
    terse: bool,
) -> Question | None:
    """Return a question of one of the kinds, with the frequencies of `MIX`."""
    at = rng.random() * sum(MIX.get(kind, 1.0) for kind in kinds)
    for kind in kinds:
        at -= MIX.get(kind, 1.0)
        if at < 0:
            break
    return make_question(world, rng, kind, hops, aliases=aliases, paraphrase=paraphrase, terse=terse)


def refusal(question: Question, plan: Sequence[Sequence[str]], look: Shown, enough: Enough = lambda _: False) -> str:
    """Return why a draft is rejected; "" if it is accepted.

    Each search of the plan must show a document that states its answer, with the answer in the part shown. If it takes
    several hops, a single search for the question or for a name in it must not suffice: it must not show the answer or,
    if many documents name the answer among others, all facts that distinguish it from them.

    Args:
        question: The draft.
        plan: For each step the ids of the documents that state its answer.
        look: The search function.
        enough: Tells whether documents state everything that the answer rests on.
    """
    for step, wanted in zip(question.steps, plan, strict=True):
        if reason := step_refusal(step, wanted, look):
            return reason
    told = question.answerable and question.form != "yes_no" and all(shows(question.text, x) for x in question.answers)
    if told and not question.chance:
        return "the question names its answer"
    if question.hops > 1 and question.answers:
        for query in (question.text, *question.names):
            documents, texts = look(query)
            if (not told and mentions(question, "\n".join(texts))) or (question.contested and enough(documents)):
                return "one search shows the answer"
    return ""


def step_refusal(step: Step, wanted: Sequence[str], look: Shown) -> str:
    """Return why the search of a step is of no use; "" if it shows one of the documents wanted, with the answer."""
    documents, texts = look(" ".join(step.query.split()))
    found = [text for document, text in zip(documents, texts, strict=True) if document.id in wanted]
    if wanted and not found:
        return "the plan's search does not find the document"
    if wanted and step.answer and not any(held(text, step.answer) for text in found):
        return "the answer is not in what is shown of the document"
    return ""


def enough_in(place: Library, question: Question) -> Enough:
    """Return whether documents state everything that a question rests on."""

    def enough(documents: Sequence[Document]) -> bool:
        assert place.world is not None
        numbers = [number for document in documents if (number := place.number(document.id)) is not None]
        return suffices(place.world, question, numbers)

    return enough


def held(text: str, forms: Sequence[str]) -> bool:
    """Return whether one of the forms is in the text, ignoring case."""
    folded = text.casefold()
    return any(form.casefold() in folded for form in forms)


def facts_of(place: Library | None, task: "Task", told: Iterable[int]) -> tuple[tuple[str, ...], ...]:
    """Return the facts that the answer rests on: for each, the ids of the documents that state it.

    Facts given in the prompt, or needed only to find those, are left out: reading them gains nothing.

    Args:
        place: Where a question about a world is asked; None for one of the user's.
        task: The question.
        told: Numbers of the plan's steps whose answers the prompt gives.
    """
    question, known = task.question, set(told)
    if place is not None and place.world is not None:
        world = place.world
        facts = dict.fromkeys(min(fact, fact.reverse) for fact in (*question.needed, *question.besides))
        stated = [place.ids(stated_in(world, fact)) for fact in facts]
        if not known:
            return tuple(stated)
        told_in = [set(task.plan[number]) for number in known if task.plan[number]]
        left = {document for n, documents in enumerate(task.plan) if n not in known for document in documents}
        return tuple(ids for ids in stated if left & set(ids) and not any(said <= set(ids) for said in told_in))
    steps = [documents for number, documents in enumerate(task.plan) if documents and number not in known]
    planned = {document for documents in task.plan for document in documents}
    return (*steps, *((document,) for document in task.gold if document not in planned))


def gold_documents(place: Library, task: "Task") -> list[Document]:
    """Return the documents that the answer rests on, as far as the retriever has them."""
    if task.world != NO_WORLD and place.world is not None:
        return [place.document(number) for number in task.question.support]
    return [found for id in task.gold if (found := place.retriever.document(id)) is not None]


# ---- questions of the user's -----------------------------------------------------------------------------------------


def own_task(rng: np.random.Generator, path: str, kinds: Sequence[str], make: "type[Task]") -> "Task":
    """Return a question of a file."""
    found = own_rows(path, tuple(kinds))
    row = found[int(rng.random() * len(found))]
    question = as_question(row)
    plan = tuple(step.support for step in row.steps) or ((),) * len(question.steps)
    searches = len(row.steps) or row.hops or 1 if row.searches is None else row.searches
    return make(NO_WORLD, question, row.support, plan, searches=searches)


def own_rows(path: str, kinds: tuple[str, ...], contexts: bool = False) -> tuple[FileQuestion, ...]:
    """Return the questions of a file, of some kinds or () for all.

    Args:
        path: The file.
        kinds: Kinds as named in the file.
        contexts: Whether to include the documents in each row; these may lack the answer.

    Raises:
        SettingsError: There are none, or a row cannot be read.
    """
    return _rows(path, kinds, contexts, stamp(path))


@lru_cache(16)
def _rows(path: str, kinds: tuple[str, ...], contexts: bool, _: object) -> tuple[FileQuestion, ...]:
    rows = load_questions(path, contexts=contexts, unanswerable="keep" if contexts else "refuse")
    if not kinds:
        return rows
    found = tuple(row for row in rows if row.kind in kinds)
    if not found:
        known = ", ".join(sorted({row.kind for row in rows}))
        raise SettingsError(f"kinds is {','.join(kinds)!r}; the questions in {path} are of {known}")
    return found


def as_question(row: FileQuestion) -> Question:
    """Return a question of a file as a `Question`; without sub-questions the plan is to search for the question itself.

    There is no plan if the row says that no search is needed.
    """
    steps = tuple(Step(step.question, step.answers, ()) for step in row.steps)
    if not steps and row.searches != 0:
        steps = (Step(row.text[:1000], (), ()),)
    return Question(row.text, row.kind, row.hops, row.answers, row.form, steps, (), answerable=bool(row.answers))
