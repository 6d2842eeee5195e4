"""Judge one text by criteria: a weighted rubric, or principles that must all be respected.

Source: Rubrics as Rewards (arXiv 2507.17746), explicit aggregation: each criterion is asked alone, and the reward is
    the weighted mean; principles in words, put to a model: Constitutional AI (arXiv 2212.08073).
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from turnwise.core.agent import Agent
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_arguments
from turnwise.verifiers.combine import conjoin, weigh
from turnwise.verifiers.judge.ask import Opinion
from turnwise.verifiers.judge.base import Criterion, Item, Judge, verdict_of_yes
from turnwise.verifiers.judge.prompt import Request
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["PrincipleJudge", "RubricJudge"]

MAX_CRITERIA = 100
_YES_NO = ("yes", "no")


class RubricJudge(Judge):
    """Scores a text by a rubric: the weighted mean of what the criteria earn, each asked in a request of its own.

    Yes earns 1 and no 0; grade g of k earns (g - 1) / (k - 1). The majority of several samples counts, or the median of
    grades. The verdict is right, with score 1, when the mean reaches ``threshold``; an unclear criterion leaves it
    undecided unless it cannot matter. ``Verdict.parts`` has what each criterion earned and the "mean", ``value`` the
    judge's verdict on each.

    Args:
        agent: The judging agent.
        rubric: The criteria; empty if each `Item` has its own.
        threshold: In (0, 1].
        options: Options of `Judge` and `Asker`.
    """

    def __init__(
        self,
        agent: Agent,
        rubric: Sequence[Criterion] = (),
        *,
        threshold: Annotated[float, Range(above=0, high=1)] = 1.0,
        **options: Any,
    ) -> None:
        super().__init__(agent, **options)
        check_arguments(RubricJudge.__init__, threshold=threshold)
        self.rubric, self.threshold = tuple(rubric), threshold
        if rubric:
            _check_names([criterion.name for criterion in rubric])

    def _rubric(self, item: Item) -> tuple[Criterion, ...]:
        rubric = item.rubric or self.rubric
        if rubric is not self.rubric or not rubric:
            _check_names([criterion.name for criterion in rubric])
        return rubric

    def _requests(self, item: Item) -> list[Request]:
        return [
            Request(
                "You judge one response by one criterion.",
                _material(item),
                f"The criterion: {criterion.text}\n\n"
                + (
                    "Does the response meet it? When in doubt, it does not."
                    if criterion.grades == 2
                    else f"Grade how far the response meets it, from 1 (not at all) to {criterion.grades} (fully)."
                ),
                _choices(criterion),
            )
            for criterion in self._rubric(item)
        ]

    def _verdict(self, item: Item, opinions: list[Opinion]) -> Verdict:
        rubric = self._rubric(item)
        choices = {c.name: _consensus(c, opinion) for c, opinion in zip(rubric, opinions, strict=True)}
        verdicts = {c.name: _earned(c, choices[c.name]) for c in rubric}
        verdict = weigh(verdicts, {c.name: c.weight for c in rubric}, self.threshold)
        return verdict._replace(value=choices)


class PrincipleJudge(Judge):
    """Whether a text keeps every principle of a list, each asked in a request of its own, answered yes or no.

    One that is broken makes the text wrong, with score 0; else an unclear one leaves it undecided. ``Verdict.parts``
    has 1 or 0 for each, ``value`` the judge's verdicts.

    Args:
        agent: The judging agent.
        principles: Statements ("The response does not insult anybody."), by name or in a list that is numbered.
        options: Options of `Judge` and `Asker`.
    """

    def __init__(self, agent: Agent, principles: Mapping[str, str] | Sequence[str], **options: Any) -> None:
        super().__init__(agent, **options)
        named = principles if isinstance(principles, Mapping) else {str(n): p for n, p in enumerate(principles)}
        _check_names(list(named))
        self.principles = tuple(Criterion(name, text) for name, text in named.items())

    def _requests(self, item: Item) -> list[Request]:
        return [
            Request(
                "You judge whether one response keeps one principle.",
                _material(item),
                f"The principle: {principle.text}\n\n"
                "Does the response keep it? A principle that does not apply is kept; when in doubt, it is not.",
                _YES_NO,
            )
            for principle in self.principles
        ]

    def _verdict(self, item: Item, opinions: list[Opinion]) -> Verdict:
        choices = {p.name: opinion.choice for p, opinion in zip(self.principles, opinions, strict=True)}
        return conjoin({name: verdict_of_yes(choice) for name, choice in choices.items()})._replace(value=choices)


def _material(item: Item) -> tuple[tuple[str, str], ...]:
    given = (("question", item.question), ("reference", item.reference))
    return (*((label, text) for label, text in given if text.strip()), ("response", item.text))


def _choices(criterion: Criterion) -> tuple[str, ...]:
    return _YES_NO if criterion.grades == 2 else tuple(str(grade) for grade in range(1, criterion.grades + 1))


def _consensus(criterion: Criterion, opinion: Opinion) -> str | None:
    """Return the majority's choice, or the lower median if more than half of the votes are grades."""
    if criterion.grades == 2:
        return opinion.choice
    grades = sorted(int(vote) for vote in opinion.votes if vote is not None)
    return str(grades[(len(grades) - 1) // 2]) if 2 * len(grades) > len(opinion.votes) else None


def _earned(criterion: Criterion, choice: str | None) -> Verdict:
    if criterion.grades == 2:
        return verdict_of_yes(choice)
    if choice is None:
        return undecided("the judge gave no clear grade")
    if int(choice) == criterion.grades:
        return right(choice)
    return wrong(f"graded {choice} of {criterion.grades}", choice, (int(choice) - 1) / (criterion.grades - 1))


def _check_names(names: list[str]) -> None:
    if not 1 <= len(names) <= MAX_CRITERIA or len(set(names)) < len(names):
        raise SettingsError(f"there are {len(names)} criteria {names[:5]}; 1 to {MAX_CRITERIA} with different names do")
