"""Users' questions: rows of a data set in a known format, each with a gold that an answer can match."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from turnwise.core.errors import SettingsError
from turnwise.core.rows import Reading, Row, read_located, stamp
from turnwise.core.settings import Setting, check
from turnwise.envs.search._qa_shapes import FORMATS, FileQuestion, FileStep, QaFormat, format_of, new_id
from turnwise.retrieval.base import Document
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.qa import verify_answer, verify_items, verify_yes_no

__all__ = [
    "DEMO_CORPUS", "DEMO_QUESTIONS", "FORMATS", "FileQuestion", "FileStep", "QaFormat", "Unanswerable", "corpus_of",
    "format_of", "load_questions", "read_questions",
]  # fmt: skip

Unanswerable = Literal["refuse", "keep", "skip"]
DEMO_QUESTIONS = os.path.join(os.path.dirname(__file__), "data", "demo_questions.jsonl")
DEMO_CORPUS = os.path.join(os.path.dirname(__file__), "data", "demo_corpus.jsonl")


def read_questions(
    path: str, format: QaFormat = "auto", *, split: str = "", unanswerable: Unanswerable = "refuse",
    reading: Reading | None = None,
) -> Iterator[FileQuestion]:  # fmt: skip
    """Yield the questions of a data set, in its order.

    Args:
        path: A .jsonl, .json, .csv, .tsv or .parquet file, or hf:owner/name or hf:owner/name:configuration.
        format: The format of the rows; "auto" recognises it by the columns of the first.
        split: Only rows with this value in the column ``split`` (a hub data set has it); empty: all.
        unanswerable: Rows with ``answerable`` false (MuSiQue-Full) cannot be answered from their own paragraphs, but
            mostly from those of a whole corpus: they are problems ("refuse"), questions with no answers, for which
            abstaining is right ("keep"), or left out and counted ("skip").
        reading: Collects unusable rows. None: the first one raises.

    Raises:
        SettingsError: The file cannot be read, its format is unknown, or a row is unusable: a column is missing or
            holds something else, or no answer can match the gold; with file and line.
    """
    for name, value, accepted in (("format", format, QaFormat), ("unanswerable", unanswerable, Unanswerable)):
        check(name, value, Setting(name, accepted))
    reading = reading or Reading()
    for row, _, where in read_located(path, reading):
        if split and row.get("split") != split:
            reading.skipped["rows of other splits"] += 1
            continue
        try:
            format = format_of(row) if format == "auto" else format
        except ValueError as error:
            raise SettingsError(f"{where}: {error}") from error
        try:
            question = _question(row, format, where, reading)
        except ValueError as error:
            reading.problem(where, str(error))
            continue
        if question.answers or unanswerable == "keep":
            yield question
        elif unanswerable == "skip":
            reading.skipped["unanswerable questions"] += 1
        else:
            reading.problem(where, "it cannot be answered from its own paragraphs; over a whole corpus it may well be")
    reading.finish()


def load_questions(
    path: str, format: QaFormat = "auto", *, split: str = "", unanswerable: Unanswerable = "refuse",
    contexts: bool = True,
) -> tuple[FileQuestion, ...]:  # fmt: skip
    """Return all questions of a data set; read once per process while the file stays the same.

    Without ``contexts`` they have none, since the documents of HotpotQA's training set are half a gigabyte.

    Raises:
        SettingsError: As for `read_questions`, or there are no questions.
    """
    return _load(path, stamp(path), format, split, unanswerable, contexts)


@lru_cache(maxsize=8)
def _load(
    path: str, _stamp: tuple[int, int], format: QaFormat, split: str, unanswerable: Unanswerable, contexts: bool
) -> tuple[FileQuestion, ...]:
    found = read_questions(path, format, split=split, unanswerable=unanswerable)
    questions = tuple(found if contexts else (replace(question, contexts=()) for question in found))
    if not questions:
        raise SettingsError(f"{path} has no questions{f' with split={split!r}' if split else ''}")
    return questions


def corpus_of(questions: Iterable[FileQuestion]) -> Iterator[Document]:
    """Yield the documents contained in the questions, each once; ids are titles, numbered if texts share one."""
    seen: set[tuple[str, str]] = set()
    counts: dict[str, int] = {}
    taken: set[str] = set()
    for question in questions:
        for document in question.contexts:
            if (document.title, document.text) not in seen:
                seen.add((document.title, document.text))
                yield replace(document, id=new_id(document.title, counts, taken))


def _question(row: Row, format: QaFormat, where: str, reading: Reading) -> FileQuestion:
    question = FORMATS[format](row)
    if not question.text.strip():
        raise ValueError("the question is empty")
    answerable = row.get("answerable", True)
    if answerable not in (True, False, "true", "false", "True", "False"):
        raise ValueError(f"the column 'answerable' is {answerable!r}; it must be true or false")
    if str(answerable).lower() == "false":
        question = replace(question, answers=(), steps=(), support=())
    else:
        question = _judged(question, reading)
    id = next((str(row[name]) for name in ("id", "_id", "question_id", "QuestionId") if row.get(name) is not None), "")
    text, split = question.text.strip(), str(row.get("split") or "")
    return replace(question, text=text, id=id, split=split, where=where, searches=_searches(row, question))


def _searches(row: Row, question: FileQuestion) -> int | None:
    """Return the column ``searches``, if the row has one.

    Raises:
        ValueError: It is not a number of searches, or says that a question with steps needs none.
    """
    given = row.get("searches")
    if given is None or given == "":
        return None
    number = int(given) if str(given).isascii() and str(given).isdecimal() and not isinstance(given, bool) else -1
    if not 0 <= number <= 1000:
        raise ValueError(f"the column 'searches' is {given!r}; it must be a whole number from 0 to 1000")
    if number == 0 and question.steps:
        raise ValueError(f"the column 'searches' is 0, but there are {len(question.steps)} steps to search for")
    return number


def _judged(question: FileQuestion, reading: Reading) -> FileQuestion:
    """Return the question with its answers in order, its form, and the check that they can be given.

    Raises:
        ValueError: No answer could be right.
    """
    items = []
    for forms in question.answers:
        kept = tuple(dict.fromkeys(form.strip() for form in forms if form.strip()))
        if not kept or not forms[0].strip():
            raise ValueError(f"the gold is {list(forms)!r}; there must be one, and it must not be empty")
        reading.skipped["empty aliases"] += sum(not form.strip() for form in forms)
        items.append(kept)
    if not items:
        raise ValueError("there is no gold")
    for form in (form for forms in items for form in forms):
        said = final_answer(f"<answer>{form}</answer>").text
        if said is None or not verify_answer(said, form).correct:
            raise ValueError(f"the gold is {form[:80]!r}, which no answer can give")
    if len(items) > 1:
        if not verify_items("\n".join(forms[0] for forms in items), items).correct:
            raise ValueError(f"the golds are {str(items)[:200]}, which no list can give: two of them may be the same")
        return replace(question, answers=tuple(items), form="items")
    words = {form.casefold().rstrip(".") for form in items[0]}
    if words <= {"yes", "no"}:
        if len(words) > 1 or not verify_yes_no(items[0][0], "yes" in words).correct:
            raise ValueError(f"the gold is {list(items[0])!r}; it must be yes, or no")
        return replace(question, answers=(tuple(words),), form="yes_no")
    return replace(question, answers=tuple(items), form="text")
