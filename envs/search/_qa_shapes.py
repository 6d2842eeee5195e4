"""Read rows in the formats of question-answering data sets as questions with answers.

Source: the formats are those of HotpotQA (arXiv 1809.09600), 2WikiMultihopQA (arXiv 2011.01060), MuSiQue (arXiv
2108.00573), Natural Questions' open form (arXiv 1906.00300), TriviaQA (arXiv 1705.03551), Bamboogle (arXiv 2210.03350),
PopQA (arXiv 2212.10511), DPR (arXiv 2004.04906), FlashRAG (arXiv 2405.13576) and Search-R1 (arXiv 2503.09516).
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from turnwise.core.rows import Row
from turnwise.retrieval.base import Document

__all__ = ["FORMATS", "FileQuestion", "FileStep", "QaFormat", "format_of", "new_id"]

QaFormat = Literal[
    "auto", "hotpotqa", "2wiki", "musique", "nq", "triviaqa", "bamboogle", "popqa", "dpr", "flashrag", "search_r1",
    "plain",
]  # fmt: skip
_REFERENCE = re.compile(r"#(\d{1,2})\b")
_ASKED = re.compile(r"Question:\s*([^\n]+)\s*\Z")


@dataclass(frozen=True)
class FileStep:
    """A sub-question from the data.

    Attributes:
        question: The question, ready to search for: references to earlier answers are filled in.
        answers: All accepted forms of its answer.
        support: Titles of the documents that state it; () if the data does not say.
    """

    question: str
    answers: tuple[str, ...]
    support: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileQuestion:
    """A question of a user's data set, identified by its text.

    Attributes:
        text: The question.
        answers: The items of the answer, each with all its accepted forms; one item for a question with one answer, ()
            for one that cannot be answered.
        kind: The data's own type ("bridge", say), else the shape's name.
        hops: Number of documents that it takes; 0 if the data does not say.
        searches: Number of searches that it takes (the column ``searches``), 0 if none is needed; None if the data does
            not say.
        form: How answers are judged: "text" (also numbers and dates), "yes_no" or "items".
        steps: The data's decomposition.
        support: Titles of the documents that the answer rests on.
        contexts: The documents in the row, each with its own id.
        id: The data's own id.
        split: The value of the column ``split``.
        where: File and line.
    """

    text: str
    answers: tuple[tuple[str, ...], ...] = field(compare=False)
    kind: str = field(compare=False)
    hops: int = field(compare=False, default=0)
    searches: int | None = field(compare=False, default=None)
    form: Literal["text", "yes_no", "items"] = field(compare=False, default="text")
    steps: tuple[FileStep, ...] = field(compare=False, default=())
    support: tuple[str, ...] = field(compare=False, default=())
    contexts: tuple[Document, ...] = field(compare=False, default=())
    id: str = field(compare=False, default="")
    split: str = field(compare=False, default="")
    where: str = field(compare=False, default="")


def format_of(row: Row) -> QaFormat:
    """Return the format of a row, recognised by its columns.

    Raises:
        ValueError: The columns fit no format.
    """
    for name, (columns, fits) in _SHAPES.items():
        if columns <= set(row) and fits(row):
            return name
    shapes = "; ".join(f"{name}: {', '.join(sorted(columns))}" for name, (columns, _) in _SHAPES.items())
    raise ValueError(f"the columns are {', '.join(map(str, row))}; they must be those of one of {shapes}")


def new_id(title: str, counts: dict[str, int], taken: set[str]) -> str:
    """Return an unused id: the title, numbered from its second use."""
    while True:
        counts[title] = number = counts.get(title, 0) + 1
        id = title if number == 1 else f"{title} #{number}"
        if id not in taken:
            taken.add(id)
            return id


# ---- cells -----------------------------------------------------------------------------------------------------------


def _read(row: Row, column: str) -> Any:
    """Return the column's value, read as JSON where it is a text that looks like it."""
    value = row.get(column)
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"the column {column!r} is {value[:80]!r}, which is not JSON: {error}") from error
    return value


def _text(row: Row, *columns: str) -> str:
    """Return the text of the first of these columns that the row has."""
    column = next((column for column in columns if column in row), columns[0])
    value = row.get(column)
    if not isinstance(value, str):
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}; it must be a text")
    return value


def _rows(row: Row, column: str) -> Sequence[Row]:
    """Return the column's list of objects; () if there is none."""
    value = _read(row, column)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
        raise ValueError(f"the column {column!r} is {str(value)[:80]!r}; it must be a list of objects")
    return value


def _form(value: object, what: str) -> str:
    """Return an answer: a text, or a number written as one."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"{what} is {str(value)[:80]!r}; it must be a text or a number")
    return value


def _forms(value: object, what: str) -> tuple[str, ...]:
    """Return the forms of one answer: one, or a list of them."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(_form(form, what) for form in value)
    return (_form(value, what),)


def _optional(row: Row, *columns: str) -> tuple[str, ...]:
    return tuple(
        form for column in columns if row.get(column) is not None
        for form in _forms(_read(row, column), f"the column {column!r}")
    )  # fmt: skip


def _one(row: Row, column: str = "answer") -> tuple[tuple[str, ...], ...]:
    """Return one answer and its aliases; no answer where the row says that it has none."""
    if row.get("answerable") is False and row.get(column) is None:
        return ()
    return ((*_forms(row.get(column), f"the column {column!r}"), *_optional(row, "answer_aliases", "aliases")),)


# ---- documents and supporting facts --------------------------------------------------------------------------------


def _contexts(value: object) -> tuple[Document, ...]:
    """Read ``[[title, [sentence, ...]], ...]``, or the same as columns ``title`` and ``sentences`` (or ``content``)."""
    if value is None:
        return ()
    if isinstance(value, Mapping):
        texts = next((value[name] for name in ("sentences", "content", "paragraphs", "text") if name in value), None)
        value = _columns(value.get("title"), texts, "context")
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError(f"the column 'context' is {str(value)[:80]!r}; it must be a list of titles and sentences")
    pairs = []
    for part in value:
        if not isinstance(part, Sequence) or len(part) != 2 or not isinstance(part[0], str):
            raise ValueError(f"the column 'context' has {str(part)[:80]!r}; it must be a title and its sentences")
        sentences = [part[1]] if isinstance(part[1], str) else part[1]
        if not isinstance(sentences, Sequence) or not all(isinstance(sentence, str) for sentence in sentences):
            raise ValueError(f"the column 'context' has {str(part[1])[:80]!r}; it must be a list of sentences")
        pairs.append((part[0], " ".join(filter(None, (sentence.strip() for sentence in sentences)))))
    return _documents(pairs)


def _documents(pairs: Iterable[tuple[str, str]]) -> tuple[Document, ...]:
    counts: dict[str, int] = {}
    taken: set[str] = set()
    return tuple(Document(new_id(title, counts, taken), title, text) for title, text in pairs)


def _columns(first: object, second: object, what: str) -> list[tuple[Any, Any]]:
    lists = isinstance(first, Sequence) and isinstance(second, Sequence)
    if not lists or isinstance(first, str) or isinstance(second, str) or len(first) != len(second):  # type: ignore[arg-type]
        raise ValueError(f"the column {what!r} must have two lists of the same length")
    return list(zip(first, second, strict=True))  # type: ignore[call-overload]


def _support(value: object) -> tuple[str, ...]:
    """Return the titles of ``[[title, sentence number], ...]``, or of the same as columns, each once."""
    if value is None:
        return ()
    titles = value.get("title") if isinstance(value, Mapping) else value
    if not isinstance(titles, Sequence) or isinstance(titles, str):
        raise ValueError(f"the column 'supporting_facts' is {str(value)[:80]!r}; it must be a list of titles")
    names = [
        title[0] if isinstance(title, Sequence) and not isinstance(title, str) and title else title for title in titles
    ]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"the column 'supporting_facts' is {str(value)[:80]!r}; it must be a list of titles")
    return tuple(dict.fromkeys(names))


# ---- the shapes ----------------------------------------------------------------------------------------------------


def _hotpotqa(row: Row) -> FileQuestion:
    support = _support(_read(row, "supporting_facts"))
    return FileQuestion(
        _text(row, "question"), _one(row), str(row.get("type") or "hotpotqa"), max(2, len(support)), support=support,
        contexts=_contexts(_read(row, "context")),
    )  # fmt: skip


def _2wiki(row: Row) -> FileQuestion:
    question = _hotpotqa(row)
    evidences = _read(row, "evidences")
    if isinstance(evidences, Mapping):  # columns, as in Parquet
        parts = [evidences.get(name) for name in ("fact", "relation", "entity")]
        lists = all(isinstance(part, list) for part in parts)
        evidences = [list(triple) for triple in zip(*parts, strict=False)] if lists else None
    if not isinstance(evidences, Sequence) or not all(
        isinstance(triple, Sequence) and len(triple) == 3 and all(isinstance(part, str) for part in triple)
        for triple in evidences
    ):
        raise ValueError(f"the column 'evidences' is {str(evidences)[:80]!r}; it must be a list of three texts each")
    known = {title.partition(" (")[0].casefold(): title for title in question.support}
    steps = []
    for subject, relation, value in evidences:
        title = known.get(subject.partition(" (")[0].casefold())
        steps.append(FileStep(f"{subject} {relation}", (value,), (title,) if title else ()))
    return replace(question, kind=str(row.get("type") or "2wiki"), steps=tuple(steps))


def _musique(row: Row) -> FileQuestion:
    titles: dict[str, str] = {}
    pairs, support = [], []
    for number, paragraph in enumerate(_rows(row, "paragraphs")):
        title, text = _text(paragraph, "title"), _text(paragraph, "paragraph_text", "text")
        titles[str(paragraph.get("idx", number))] = title
        pairs.append((title, text))
        if paragraph.get("is_supporting"):
            support.append(title)
    steps: list[FileStep] = []
    for part in _rows(row, "question_decomposition"):
        asked, answer = _text(part, "question"), _form(part.get("answer"), "the answer of a sub-question")
        asked = _REFERENCE.sub(lambda match: _answer_of(steps, int(match[1])) or match[0], asked).replace(" >> ", " ")
        title = titles.get(str(part.get("paragraph_support_idx")), "")
        steps.append(FileStep(asked, (answer,), (title,) if title else ()))
    id = str(row.get("id") or "")
    kind = id.partition("__")[0] if "hop" in id else "musique"  # 2hop, 3hop1, 3hop2, ...
    return FileQuestion(
        _text(row, "question"), _one(row), kind, len(steps) or len(support),
        steps=tuple(steps), support=tuple(dict.fromkeys(support)), contexts=_documents(pairs),
    )  # fmt: skip


def _answer_of(steps: Sequence[FileStep], number: int) -> str:
    return steps[number - 1].answers[0] if 0 < number <= len(steps) else ""


def _nq(row: Row) -> FileQuestion:
    return FileQuestion(_text(row, "question"), (_forms(_read(row, "answer"), "the column 'answer'"),), "nq", 1)


def _triviaqa(row: Row) -> FileQuestion:
    gold = _read(row, "answer" if "answer" in row else "Answer")
    if not isinstance(gold, Mapping):
        raise ValueError(f"the column 'answer' is {str(gold)[:80]!r}; it must have a value and aliases")
    gold = {str(name).replace("_", "").casefold(): value for name, value in gold.items()}
    forms = _forms(gold.get("value"), "the answer's value")
    for name in ("aliases", "humananswers", "normalizedaliases"):
        if gold.get(name) is not None:
            forms += _forms(gold[name], f"the answer's {name}")
    return FileQuestion(_text(row, "question", "Question"), (forms,), "triviaqa")


def _bamboogle(row: Row) -> FileQuestion:
    return FileQuestion(_text(row, "Question"), _one(row, "Answer"), "bamboogle", 2)


def _popqa(row: Row) -> FileQuestion:
    forms = _forms(_read(row, "possible_answers"), "the column 'possible_answers'")
    if row.get("obj") in forms:
        forms = (str(row["obj"]), *forms)
    title = row.get("s_wiki_title") or row.get("subj")
    return FileQuestion(
        _text(row, "question"), (forms,), str(row.get("prop") or "popqa"), 1, support=(str(title),) if title else ()
    )


def _dpr(row: Row) -> FileQuestion:
    pairs, support = [], []
    for column in ("positive_ctxs", "negative_ctxs", "hard_negative_ctxs"):
        for context in _rows(row, column):
            pairs.append((_text(context, "title"), _text(context, "text")))
            if column == "positive_ctxs":
                support.append(pairs[-1][0])
    answers = (_forms(_read(row, "answers"), "the column 'answers'"),)
    return FileQuestion(
        _text(row, "question"), answers, "dpr", 1, support=tuple(dict.fromkeys(support)), contexts=_documents(pairs)
    )


def _flashrag(row: Row) -> FileQuestion:
    return _with_metadata(row, _forms(_read(row, "golden_answers"), "the column 'golden_answers'"), "flashrag")


def _search_r1(row: Row) -> FileQuestion:
    model = _read(row, "reward_model")
    truth = model.get("ground_truth") if isinstance(model, Mapping) else None
    target = truth.get("target") if isinstance(truth, Mapping) else truth
    return _with_metadata(row, _forms(target, "reward_model's ground_truth"), "search_r1")


def _with_metadata(row: Row, forms: tuple[str, ...], format: str) -> FileQuestion:
    metadata = _read(row, "metadata") or {}
    metadata = metadata if isinstance(metadata, Mapping) else {}
    support = _support(_read(metadata, "supporting_facts"))
    kind = metadata.get("type") or row.get("data_source") or format
    return FileQuestion(
        _asked(row), (forms,), str(kind), len(support), support=support, contexts=_contexts(_read(metadata, "context"))
    )


def _asked(row: Row) -> str:
    """Return the column ``question``; else the text after "Question:" at the end of the prompt."""
    if row.get("question") is not None:
        return _text(row, "question")
    messages = _read(row, "prompt")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, Mapping) else messages
    match = _ASKED.search(content) if isinstance(content, str) else None
    if match is None:
        raise ValueError("there is no column 'question', and no 'Question: ...' at the end of the column 'prompt'")
    return match[1]


def _plain(row: Row) -> FileQuestion:
    """Read our own format: ``answer``, or ``answers`` with forms of one answer, or with lists of forms for its items.

    ``kind``, ``hops``, ``support`` (titles) and ``steps`` (each with question, answer and support) are optional.
    """
    if "answers" in row and "answer" not in row:
        given = _read(row, "answers")
        lists = isinstance(given, Sequence) and not isinstance(given, str) and len(given) > 0
        if lists and all(isinstance(item, Sequence) and not isinstance(item, str) for item in given):
            answers = tuple(_forms(item, "the column 'answers'") for item in given)
        else:
            answers = _one({**row, "answers": given}, "answers")
    else:
        answers = _one(row)
    hops = row.get("hops")
    number = int(hops) if isinstance(hops, int) or (isinstance(hops, str) and hops.isdecimal()) else 0
    steps = tuple(
        FileStep(
            _text(step, "question"), _forms(step.get("answer"), "the answer of a step"), _optional(step, "support")
        )
        for step in _rows(row, "steps")
    )
    return FileQuestion(
        _text(row, "question"), answers, str(row.get("kind") or row.get("type") or "plain"), number or len(steps),
        steps=steps, support=_optional(row, "support"),
    )  # fmt: skip


def _any(_: Row) -> bool:
    return True


def _mapping(row: Row) -> bool:
    return isinstance(row.get("answer", row.get("Answer")), Mapping)


_SHAPES: dict[QaFormat, tuple[set[str], Callable[[Row], bool]]] = {
    "musique": ({"question", "question_decomposition"}, _any),
    "2wiki": ({"question", "evidences"}, _any),
    "hotpotqa": ({"question", "supporting_facts"}, _any),
    "search_r1": ({"reward_model"}, _any),
    "flashrag": ({"question", "golden_answers"}, _any),
    "popqa": ({"question", "possible_answers"}, _any),
    "dpr": ({"question", "answers", "positive_ctxs"}, _any),
    "triviaqa": (set(), _mapping),
    "bamboogle": ({"Question", "Answer"}, _any),
    "nq": ({"question", "answer"}, lambda row: isinstance(row["answer"], list)),
    "plain": ({"question"}, lambda row: "answer" in row or "answers" in row),
}
FORMATS: dict[QaFormat, Callable[[Row], FileQuestion]] = {
    "hotpotqa": _hotpotqa,
    "2wiki": _2wiki,
    "musique": _musique,
    "nq": _nq,
    "triviaqa": _triviaqa,
    "bamboogle": _bamboogle,
    "popqa": _popqa,
    "dpr": _dpr,
    "flashrag": _flashrag,
    "search_r1": _search_r1,
    "plain": _plain,
}
"""Readers of rows by format; each raises ValueError for a row that does not have it."""
