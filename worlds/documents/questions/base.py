"""What a question is: its words, its answers in all accepted forms, the oracle's plan, and its logical form."""

from dataclasses import dataclass, field

from turnwise.worlds.documents.questions.logic import Fact, Query

__all__ = ["FORMS", "Question", "Step"]

FORMS = ("text", "number", "date", "items", "yes_no")


@dataclass(frozen=True, slots=True)
class Step:
    """One search of the oracle's plan.

    Attributes:
        query: What the oracle searches for: names from the question, answers of earlier steps, words of a relation.
        answer: What it reads there, as the documents write it; () where the search shows that there is nothing.
        documents: Numbers of the documents of which any one states that answer; () where none does.
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
            question; () where the answer is to abstain.
        form: What the answer is: "text", "number", "date" (also a bare year), "items" (a list in any order) or
            "yes_no".
        steps: The oracle's plan. The last step's answer is the question's, or what decides it.
        support: Numbers of one document for every fact that the answer rests on, ascending.
        query: The question as an expression; ``logic.evaluate(query, facts)`` finds all its answers.
        relation: The relation that the answer is an object of; "" where it is none (yes or no, abstention).
        names: The entities named in the question, as it writes them.
        answerable: False where the answer is to abstain.
        chance: Probability that an agent which knows the kind and what the question offers, but not the world, is
            right: 0.5 for yes or no, 1/n where the question names n candidates, else 0.
        needed: The facts without any of which the answer is another one, or out of reach.
        besides: Facts that it takes as well to be sure, such as the values of those that did not win.
        contested: The answer is one of several that documents name side by side (the winner of a comparison, all of a
            list), so that a document which names it gives nothing away.
        twin: Of kind "unanswerable", the question that the coin did not choose. Whoever filters questions should keep
            one only if both pass, or abstaining becomes likelier to be right.
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
        """The answer in its best form: "; " between items, "unanswerable" where it is to abstain."""
        return "; ".join(item[0] for item in self.answers) or "unanswerable"
