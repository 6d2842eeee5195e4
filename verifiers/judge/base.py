"""The base of all judges: their items, the bound on texts, and the way from opinions to a verdict."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from turnwise.core.agent import Agent
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.verifiers.judge.ask import Asker, Costs, Opinion
from turnwise.verifiers.judge.prompt import Request
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["Criterion", "Item", "Judge", "check_given", "verdict_of_yes"]

MAX_GIVEN_CHARS = 200_000  # of a question or a reference


@dataclass(frozen=True)
class Criterion:
    """One line of a rubric.

    Attributes:
        name: In ``Verdict.parts``; not empty, without a slash, not "mean".
        text: What a good response does, as a statement: "The response names the capital."
        weight: Positive.
        grades: 2 asks for yes or no; a larger number, up to 10, asks for a grade from 1 to that number.
    """

    name: str
    text: str
    weight: float = 1.0
    grades: int = 2

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name or self.name == "mean":
            raise SettingsError(f"a criterion is named {self.name!r}; it needs a name without '/', other than 'mean'")
        if not self.text.strip() or len(self.text) > MAX_GIVEN_CHARS:
            raise SettingsError(f"the criterion {self.name!r} says nothing, or more than {MAX_GIVEN_CHARS} characters")
        if not 0 < self.weight < float("inf"):
            raise SettingsError(f"weight of {self.name!r} is {self.weight}; it must be positive")
        if not 2 <= self.grades <= 10:
            raise SettingsError(f"grades of {self.name!r} is {self.grades}; it must be from 2 to 10")


class Item(NamedTuple):
    """A text to judge, with its question, reference or rubric.

    Attributes:
        text: The judged text, without the thoughts of a reasoning model.
        question: The question that it answers; may be empty.
        reference: A good answer, if the judge uses one; may be empty.
        rubric: Criteria in place of the judge's own (for a `RubricJudge`).
    """

    text: str
    question: str = ""
    reference: str = ""
    rubric: tuple[Criterion, ...] = ()


class Judge(ABC):
    """A verifier that asks an agent; ``partial(judge.score, question=...)`` is a function of the text alone.

    An empty text and one longer than ``max_chars`` are wrong without a call. Texts are shown whole or not at all.

    Args:
        agent: The judging agent.
        max_chars: Longest text that is judged. With the prompt it must fit the agent's context.
        options: Options of the `Asker`: samples, retries, seed, cache, name.
    """

    def __init__(
        self, agent: Agent, *, max_chars: Annotated[int, Range(1, MAX_GIVEN_CHARS)] = 20_000, **options: Any
    ) -> None:
        check_arguments(Judge.__init__, max_chars=max_chars)
        self.max_chars = max_chars
        self.asker = Asker(agent, **options)

    @property
    def costs(self) -> Costs:
        """The costs of all judgements so far."""
        return self.asker.costs

    def score(self, text: str, question: str = "", reference: str = "") -> Verdict:
        """Return the verdict on one text.

        Raises:
            InfrastructureError: The agent failed.
            ValueError: The question or the reference is too long, or a required reference is missing.
        """
        return self.score_many([Item(text, question, reference)])[0]

    def score_many(self, items: Sequence[Item]) -> list[Verdict]:
        """Return the verdicts on many texts, asked together.

        Raises:
            InfrastructureError: The agent failed.
            ValueError: A question or a reference is too long, or a required reference is missing.
        """
        refused = [self._refused(item) for item in items]
        requests = [[] if no else self._requests(item) for item, no in zip(items, refused, strict=True)]
        opinions = iter(self.asker.ask([request for row in requests for request in row]))
        verdicts = []
        for item, no, row in zip(items, refused, requests, strict=True):
            verdicts.append(no or self._verdict(item, [next(opinions) for _ in row]))
        return verdicts

    @abstractmethod
    def _requests(self, item: Item) -> list[Request]:
        """Return the requests about an item."""

    @abstractmethod
    def _verdict(self, item: Item, opinions: list[Opinion]) -> Verdict:
        """Turn the opinions into a verdict."""

    def _refused(self, item: Item) -> Verdict | None:
        """Return the verdict on a text that is not shown to the judge."""
        check_given(question=item.question, reference=item.reference)
        if problem := self._problem(item.text):
            return wrong(problem)
        return None

    def _problem(self, text: str) -> str:
        if not text.strip():
            return "the text is empty"
        return f"the text is longer than {self.max_chars} characters" if len(text) > self.max_chars else ""


def check_given(**texts: str) -> None:
    """Raise `ValueError` for a text of the data set that is too long to show."""
    for name, text in texts.items():
        if len(text) > MAX_GIVEN_CHARS:
            raise ValueError(f"the {name} {text[:60]!r}... is longer than {MAX_GIVEN_CHARS} characters")


def verdict_of_yes(choice: str | None) -> Verdict:
    """Return the verdict that a yes, a no or neither stands for."""
    if choice is None:
        return undecided("the judge gave no clear verdict")
    return right(choice) if choice == "yes" else wrong("not met", choice)
