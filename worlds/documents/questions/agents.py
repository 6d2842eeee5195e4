"""Agents that do not reason, for audits: questions that they solve are too easy.

None of them knows the world. ``closed_book`` and ``majority`` repeat frequent answers; ``first_hit`` takes the first
value of the right type from the first document that a search for the question's own words finds.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turnwise.worlds.documents.questions.base import Question

__all__ = ["Prior", "closed_book", "first_hit", "majority"]

ABSTAIN = "unanswerable"
_NAME = re.compile(r"[A-Z][\w'-]*(?: (?:(?:of|in|to|the) )*[A-Z][\w'-]*)*")
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{3,4}|[A-Z][a-z]+ \d{1,2}, \d{3,4}|\d{4}-\d{2}-\d{2}")
_YEAR = re.compile(r"(?<![\d,.])\d{4}(?![\d,.]\d)")
_NUMBER = re.compile(r"(?<![\w,.])\d+(?:,\d{3})*(?![\w]|[,.]\d)")


@dataclass(frozen=True, slots=True)
class Prior:
    """The most frequent answers to other questions.

    Attributes:
        by_relation: By kind and by the relation of the answer, which the wording reveals.
        by_kind: By kind.
    """

    by_relation: dict[tuple[str, str], str]
    by_kind: dict[str, str]

    @classmethod
    def of(cls, questions: Iterable[Question]) -> "Prior":
        """Count answers; of equally frequent ones the first wins."""
        relations: dict[tuple[str, str], Counter[str]] = {}
        kinds: dict[str, Counter[str]] = {}
        for question in questions:
            relations.setdefault((question.kind, question.relation), Counter())[question.gold] += 1
            kinds.setdefault(question.kind, Counter())[question.gold] += 1
        return cls(
            {key: counts.most_common(1)[0][0] for key, counts in relations.items()},
            {key: counts.most_common(1)[0][0] for key, counts in kinds.items()},
        )


def closed_book(question: Question, prior: Prior) -> str:
    """Guess from the words: a candidate that the question names, or the relation's most frequent answer."""
    if question.kind == "comparison" and question.chance:
        return question.names[0]
    return prior.by_relation.get((question.kind, question.relation)) or majority(question, prior)


def majority(question: Question, prior: Prior) -> str:
    """Return the most frequent answer to questions of the kind."""
    return prior.by_kind.get(question.kind, ABSTAIN)


def first_hit(question: Question, documents: Sequence[str]) -> str:
    """Return the first value of the answer's form in the first document that is not part of the question.

    Args:
        question: The question; only its words, form and candidates are read.
        documents: Results of a search for its text, best first.

    Returns:
        A value; "yes" for a yes-no question; all names of the document for a list; "unanswerable" if nothing fits.
    """
    if question.form == "yes_no":
        return "yes"
    text = documents[0] if documents else ""
    asked = question.text.casefold()
    if question.form == "number":
        found = [m[0] for m in _NUMBER.finditer(text)]
    elif question.form == "date":
        found = [m[0] for m in (_DATE if question.relation.endswith("_on") else _YEAR).finditer(text)]
    else:
        found = [m[0] for m in _NAME.finditer(text)]
    if question.kind == "comparison" and question.chance:
        return next((name for name in question.names if name.casefold() in text.casefold()), question.names[0])
    new = [value for value in found if value.casefold() not in asked]
    if not new:
        return ABSTAIN
    return "; ".join(dict.fromkeys(new)) if question.form == "items" else new[0]
