"""Turn a draft into a question: its answer must be unique, stated, and unreachable without any one of its facts."""

from dataclasses import dataclass

from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions.base import Question, Step
from turnwise.worlds.documents.questions.known import Columns, Lacking, stated_in
from turnwise.worlds.documents.questions.logic import Fact, Query, evaluate
from turnwise.worlds.documents.questions.surfaces import entity_forms, value_forms
from turnwise.worlds.documents.schema import relation_named

__all__ = ["Draft", "settle"]


@dataclass(slots=True)
class Draft:
    """A question as proposed by a kind.

    Attributes:
        text: The question in words.
        hops: As ``Question.hops``.
        query: The question as an expression.
        meant: The intended answers, in the evaluator's form.
        relation: The relation that the answer is an object of, or one that tells the kind of a subject; "" for none.
        needed: Facts each of which must be necessary for the answer.
        besides: Facts that the answer rests on as well, such as the values of those that lost a comparison.
        steps: The plan.
        names: Entities named in the text, as it writes them.
        form: As ``Question.form``; "" finds it from the relation.
        answers: Set only if they are neither the intended entities nor values, such as "yes".
        entities: Whether the answers are entities.
        answerable, chance, contested, lies, twin: As in ``Question``.
    """

    text: str
    hops: int
    query: Query
    meant: frozenset[int]
    relation: str
    needed: tuple[Fact, ...]
    besides: tuple[Fact, ...] = ()
    steps: tuple[Step, ...] = ()
    names: tuple[str, ...] = ()
    form: str = ""
    answers: tuple[tuple[str, ...], ...] = ()
    entities: bool | None = None
    answerable: bool = True
    chance: float = 0.0
    contested: bool = False
    lies: tuple[int, ...] = ()
    twin: Question | None = None


def settle(world: World, kind: str, draft: Draft | None) -> Question | None:
    """Return the question if it holds; None if it has another answer, an unstated fact, or an unnecessary fact.

    The answers are computed again over whole columns, and once more without each needed fact. An unanswerable draft
    must have no answer at all, or several for one name.
    """
    if draft is None:
        return None
    found = evaluate(draft.query, Columns(world))
    if found != draft.meant or draft.answerable != (len(found) == 1 or (draft.form == "items" and len(found) > 1)):
        return None
    support: set[int] = set()
    for fact in draft.needed + draft.besides:
        documents = stated_in(world, fact)
        if not documents:
            return None
        support.add(documents[0])
    for fact in draft.needed if draft.answerable else ():
        if evaluate(draft.query, Lacking(world, (fact,))) == found:
            return None
    return Question(
        text=draft.text,
        kind=kind,
        hops=draft.hops,
        answers=_answers(world, draft) if draft.answerable else (),
        form=draft.form or form_of(draft.relation),
        steps=draft.steps,
        support=tuple(sorted(support)),
        query=draft.query,
        relation=draft.relation,
        names=draft.names,
        answerable=draft.answerable,
        chance=draft.chance,
        contested=draft.contested,
        needed=draft.needed,
        besides=draft.besides,
        lies=draft.lies,
        twin=draft.twin,
    )


def form_of(relation: str) -> str:
    """Return the form of an answer that is an object of that relation."""
    described = relation_named(relation) if relation else None
    if described is None or described.object == "term" or described.to_entity:
        return "text"
    return "number" if described.object == "number" else "date"


def _answers(world: World, draft: Draft) -> tuple[tuple[str, ...], ...]:
    if draft.answers:
        return draft.answers
    entities = relation_named(draft.relation).to_entity if draft.entities is None else draft.entities
    values = sorted(draft.meant)
    return tuple(entity_forms(world, v) if entities else value_forms(draft.relation, v) for v in values)
