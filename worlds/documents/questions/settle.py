"""From a draft to a question: the answer must be the only one, stated, and out of reach without any of its facts."""

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
    """A question as a kind proposes it.

    Attributes:
        text: The question in words.
        hops: As ``Question.hops``.
        query: The question as an expression.
        meant: The answers that the kind means, as the evaluator gives them.
        relation: What the answer is an object of, or a subject's relation that says its kind; "" for no relation.
        needed: Facts without any of which the answer must be out of reach.
        besides: Facts that the answer rests on as well, such as the values of those that lost a comparison.
        steps: The plan.
        names: Entities named in the text, as it writes them.
        form: As ``Question.form``; "" finds it from the relation.
        answers: Only where they are neither the entities nor the values meant, such as "yes".
        entities: The answers are entities.
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
    """The question, if it holds: None where it has another answer, an unstated fact, or a fact that is not needed.

    The answers are found anew over whole columns, and once more without each needed fact. A draft that is not
    answerable must have no answer at all, or several for one name.
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
    """The form of an answer that is an object of that relation."""
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
