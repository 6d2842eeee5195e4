"""The record of a question: its words, its answers in all accepted forms, the oracle's plan, and its logical form."""

from dataclasses import dataclass, field

from turnwise.worlds.documents.questions.logic import Fact, Query

__all__ = ["FORMS", "Question", "Step"]

FORMS = ("text", "number", "date", "items", "yes_no")


@dataclass(frozen=True, slots=True)
class Step:
    """One search of the oracle's plan.

    Attributes:
        query: The search query: names from the question, answers of earlier steps, words of a relation.
        answer: What the oracle reads there, as the documents write it; () if the search shows that nothing is stated.
        documents: Numbers of the documents each of which states that answer; () if none does.
    """

    query: str
    answer: tuple[str, ...]
    documents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a generated world, with its checked answer.

    Attributes:
        text: The question, as the agent reads it.
        kind: A name in ``turnwise.worlds.documents.questions.KINDS``.
        hops: Facts in the longest chain from a name in the question to the answer.
        answers: The items of the answer, each with all its accepted forms, the best one first. One item for a closed
            question; () if the right answer is to abstain.
        form: Form of the answer: "text", "number", "date" (also a bare year), "items" (a list in any order) or
            "yes_no".
        steps: The oracle's plan. The last step's answer is the question's, or what decides it.
        support: For every fact that the answer rests on, the number of one document; ascending.
        query: The question as an expression; ``logic.evaluate(query, facts)`` finds all its answers.
        relation: The relation that the answer is an object of; "" if there is none (yes or no, abstention).
        names: The entities named in the question, as it writes them.
        answerable: False if the right answer is to abstain.
        chance: Probability that an agent is right which knows the kind and the question, but not the world: 0.5 for yes
            or no, 1/n if the question names n candidates, else 0.
        needed: The facts each of which is necessary: without it the answer changes or cannot be found.
        besides: Further facts needed to be sure, such as the values of losing candidates.
        contested: Whether the answer is one of several that documents name together (the winner of a comparison, all of
            a list), so that a document which names it does not reveal it.
        twin: For kind "unanswerable", the question that was not chosen. Filters should keep a question only if both
            pass; otherwise abstaining becomes more likely to be right.
        lies: Numbers of documents that state another value for a fact of the question (outdated, or of a namesake).
    """

    text: str
    kind: str
    hops: int
    answers: tuple[tuple[str, ...], ...]
    form: str
    steps: tuple[Step, ...]
    support: tuple[int, ...]
    query: Query | None = field(default=None, compare=False, repr=False)
    relation: str = ""
    names: tuple[str, ...] = ()
    answerable: bool = True
    chance: float = 0.0
    contested: bool = False
    needed: tuple[Fact, ...] = field(default=(), compare=False, repr=False)
    besides: tuple[Fact, ...] = field(default=(), compare=False, repr=False)
    lies: tuple[int, ...] = ()
    twin: "Question | None" = field(default=None, compare=False, repr=False)

    @property
    def gold(self) -> str:
        """The answer in its best form: "; " between items, "unanswerable" if it is to abstain."""
        return "; ".join(item[0] for item in self.answers) or "unanswerable"
