"""The task of a search environment."""

from dataclasses import dataclass, field

from turnwise.worlds.documents.questions import Question

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """A question, and the place that it is about.

    Attributes:
        world: Seed of the world; -1 for a question of the user's.
        question: The question with its answers and the oracle's plan.
        gold: Ids of the documents that the answer rests on.
        plan: For each step of the plan, the ids of the documents that state its answer.
        told: What the prompt gives in addition to the question: numbers of plan steps, or of documents.
        notes: The same in words, among other notes.
        searches: Searches that a question of the user's takes; None for the world's, whose plan says it.
    """

    world: int
    question: Question
    gold: tuple[str, ...] = field(compare=False)
    plan: tuple[tuple[str, ...], ...] = field(compare=False)
    told: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    searches: int | None = field(default=None, compare=False)
