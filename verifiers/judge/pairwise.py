"""Judging which of two texts is better, in both orders.

Models favour a position: asked about the same two texts in the other order, many change their verdict. Only a
preference that survives the swap counts. Source: position bias and the swap against it: arXiv 2306.05685, sections 3.3
and 3.4.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from turnwise.core.agent import Agent
from turnwise.core.errors import SettingsError
from turnwise.core.settings import check_arguments
from turnwise.verifiers.judge.ask import Opinion
from turnwise.verifiers.judge.base import Item, Judge, check_given
from turnwise.verifiers.judge.prompt import Request
from turnwise.verifiers.verdict import Verdict, right, undecided, wrong

__all__ = ["PairwiseJudge", "Preference"]

Winner = Literal["A", "B", "tie"]
_SWAPPED: dict[str, Winner] = {"A": "B", "B": "A", "tie": "tie"}
_STRAIGHT: dict[str, Winner] = {"A": "A", "B": "B", "tie": "tie"}


class Preference(NamedTuple):
    """Which of two texts, A and B, is better.

    Attributes:
        winner: "A", "B" or "tie"; None if undecided.
        votes: The winner when A was shown first, and when B was; None if there was no clear verdict.
    """

    winner: Winner | None
    votes: tuple[Winner | None, Winner | None]

    @property
    def consistent(self) -> bool:
        """Whether both orders gave the same verdict."""
        return self.votes[0] is not None and self.votes[0] == self.votes[1]


class PairwiseJudge(Judge):
    """Prefers one of two texts, or neither.

    An empty text, or one longer than ``max_chars``, loses without a call; two such tie. As a verifier it compares the
    text with ``reference``: better is right, a tie earns 0.5 and worse 0. ``Verdict.parts`` has "consistent".

    Args:
        agent: The judging agent.
        criterion: What makes a response better.
        disagreement: The result if the two orders disagree: a "tie", as in the source, or "undecided".
        options: Options of `Judge` and `Asker`.
    """

    def __init__(
        self,
        agent: Agent,
        criterion: str = "It answers the question more correctly and more helpfully. Length and tone are no merits.",
        *,
        disagreement: Literal["tie", "undecided"] = "tie",
        **options: Any,
    ) -> None:
        super().__init__(agent, **options)
        check_arguments(PairwiseJudge.__init__, disagreement=disagreement)
        if not criterion.strip():
            raise SettingsError("criterion is empty; it must say what makes a response better")
        self.criterion, self.disagreement = criterion, disagreement

    def compare(self, a: str, b: str, question: str = "") -> Preference:
        """Return the better one of ``a`` and ``b``.

        Raises:
            InfrastructureError: The agent failed.
            ValueError: The question is too long.
        """
        return self.compare_many([(a, b, question)])[0]

    def compare_many(self, pairs: Sequence[tuple[str, str, str]]) -> list[Preference]:
        """Return the better ones of many pairs ``(a, b, question)``, asked together.

        Raises:
            InfrastructureError: The agent failed.
            ValueError: A question is too long.
        """
        for _, _, question in pairs:
            check_given(question=question)
        forfeits = [self._forfeit(a, b) for a, b, _ in pairs]
        requests = [
            [] if forfeit else self._requests(Item(a, question, b))
            for (a, b, question), forfeit in zip(pairs, forfeits, strict=True)
        ]
        opinions = iter(self.asker.ask([request for row in requests for request in row]))
        return [
            forfeit or self._preference([next(opinions) for _ in row])
            for forfeit, row in zip(forfeits, requests, strict=True)
        ]

    def _forfeit(self, a: str, b: str) -> Preference | None:
        lost = bool(self._problem(a)), bool(self._problem(b))
        if not any(lost):
            return None
        winner: Winner = "tie" if all(lost) else "B" if lost[0] else "A"
        return Preference(winner, (winner, winner))

    def _refused(self, item: Item) -> Verdict | None:
        if not item.reference.strip():
            raise ValueError(f"the reference is {item.reference!r}; a text to compare with is needed")
        return super()._refused(item)

    def _requests(self, item: Item) -> list[Request]:
        return [self._request(item.question, item.text, item.reference),
                self._request(item.question, item.reference, item.text)]  # fmt: skip

    def _request(self, question: str, first: str, second: str) -> Request:
        asked = (("question", question),) if question.strip() else ()
        return Request(
            "You compare two responses, A and B. Their order says nothing about them.",
            (*asked, ("A", first), ("B", second)),
            f"What makes a response better: {self.criterion}\n\n"
            "Which response is better, A or B? Say tie where neither is clearly better.",
            ("A", "B", "tie"),
        )

    def _preference(self, opinions: list[Opinion]) -> Preference:
        first, second = (opinion.choice for opinion in opinions)
        votes = (_STRAIGHT[first] if first else None, _SWAPPED[second] if second else None)
        if votes[0] is None or votes[1] is None:
            return Preference(None, votes)
        disputed: Winner | None = "tie" if self.disagreement == "tie" else None
        return Preference(votes[0] if votes[0] == votes[1] else disputed, votes)

    def _verdict(self, item: Item, opinions: list[Opinion]) -> Verdict:
        preference = self._preference(opinions)
        winner, parts = preference.winner, {"consistent": float(preference.consistent)}
        if winner is None:
            return undecided("the judge has no clear preference")._replace(parts=parts)
        if winner == "A":
            return right(winner, parts)
        if winner == "tie":
            return wrong("it is not better than the reference", winner, 0.5, parts)
        return wrong("the reference is better", winner, 0.0, parts)
