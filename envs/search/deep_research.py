"""DeepResearch: find out many facts, and report them with the documents that state them.

Sources: O²-Searcher (arXiv 2505.16582) for open-ended questions whose answer is a set, judged item by item; ALCE (Gao
et al., arXiv 2305.14627) for recall and precision of citations. Here every claim is checked against the facts of the
world, and every citation against what that document states: no model judges.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.env import Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.search._episode import Task
from turnwise.envs.search._library import Library
from turnwise.envs.search._research import report, survey
from turnwise.envs.search.browse_qa import BrowseQA
from turnwise.verifiers.claims import Claim, verify_claims
from turnwise.verifiers.verdict import Verdict

__all__ = ["DeepResearch"]


@dataclass(frozen=True)
class ResearchTask(Task):
    """A task with the claims that a report must make."""

    claims: tuple[Claim, ...] = field(default=(), compare=False)


def _cited(claim: Claim) -> str:
    return f" [{claim.sources[0]}]"


def _value(claim: Claim) -> str:
    return claim.values[0]


@register("DeepResearch-v0")
class DeepResearch(BrowseQA):
    """Write a report with citations; reward 1 for exactly the claims asked for, each supported by a cited document.

    A "report" is on one entity: some of its facts, each in all its values. A "survey" finds a set of entities and one
    further fact of each. The answer has a line for each claim, ``what: value [title]``; several titles stand between
    semicolons. A citation is right where that document states the claim as it is now (an older edition does not), or
    states that the entity belongs to the set, or leads to the entity. ``partial="f1"`` pays a report in part:
    supported claims less wrong lines, over all claims, times the precision of the citations. ``metrics`` have
    claim_precision, claim_recall, citation_precision and citation_recall.

    The other settings are those of `BrowseQA`; ``hops`` is 1 or 2 (with 2, half of the aspects that can be are about
    what another relation leads to), ``aliases``, ``paraphrase`` and ``terse`` do nothing here, and ``questions`` must
    be empty.
    """

    kinds: Literal["mixed", "report", "survey"] = "mixed"
    """What is asked for; "mixed" draws one of both."""
    aspects: Annotated[int, Range(1, 12)] = 4
    """Things that a report must state."""
    items: Annotated[int, Range(2, 12)] = 4
    """Most members of a survey's set; the fewest are two."""
    max_turns: int = 40

    levels = (
        {"kinds": "report", "aspects": 2, "hops": 1, "documents": 300},
        {"kinds": "report", "aspects": 3, "hops": 1, "documents": 300},
        {"kinds": "survey", "items": 2, "documents": 500},
        {"kinds": "mixed", "aspects": 4, "items": 3, "hops": 1, "documents": 1000},
        {"kinds": "mixed", "aspects": 4, "items": 4, "hops": 2, "documents": 1000},
        {"kinds": "mixed", "aspects": 5, "items": 4, "hops": 2, "documents": 1000},
        {"kinds": "mixed", "aspects": 6, "items": 5, "hops": 2, "documents": 1000, "max_turns": 50},
        {"kinds": "mixed", "aspects": 6, "items": 6, "hops": 2, "documents": 2000, "part_chars": 400, "max_turns": 60},
        {"kinds": "mixed", "aspects": 7, "items": 7, "hops": 2, "documents": 2000, "part_chars": 400, "max_turns": 80},
        {"kinds": "mixed", "aspects": 8, "items": 8, "hops": 2, "documents": 2000, "part_chars": 300, "max_turns": 100},
    )
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats: ClassVar[Sequence[str | Callable[[Any], str]]] = (
        *BrowseQA.cheats,
        lambda env: env.reporting(env.task.claims, cite=lambda claim: ""),
        lambda env: env.reporting(env.task.claims, cite=lambda claim: f" [{env.elsewhere(claim)}]"),
        lambda env: env.reporting(env.task.claims, cite=lambda claim: f" [{claim.sources[0]}; {env.elsewhere(claim)}]"),
        lambda env: env.reporting(env.task.claims[:-1]),
        lambda env: env.reporting(env.task.claims).replace("</answer>", "\nand: more [it]</answer>"),
        lambda env: env.reporting(env.task.claims, value=lambda claim: f"{claim.values[0]} or another"),
    )

    def check(self) -> None:
        if self.questions:
            raise SettingsError(f"questions is {self.questions!r}; here the world asks: leave it empty")
        wanted, self.kinds = self.kinds, "mixed"
        super().check()
        self.kinds = wanted

    def draft(self, rng: np.random.Generator, seed: int, place: Library) -> Task | None:
        world = place.world
        assert world is not None
        kind = self.kinds if self.kinds != "mixed" else "report" if rng.random() < 0.5 else "survey"
        found = report(world, rng, self.aspects, self.hops) if kind == "report" else survey(world, rng, 2, self.items)
        if found is None:
            return None
        question = found.question
        plan = tuple(place.ids(step.documents) for step in question.steps)
        return ResearchTask(seed, question, place.ids(question.support), plan, claims=found.claims)

    def _how_to_answer(self) -> str:
        return (
            "Give the report in the form <answer>...</answer>, with one claim per line and nothing else. Write a claim "
            'as "what: value [title]", where "what" is the number of a point of the report or the name of a member of '
            'the set, and "title" is the title of a document that states the claim (separate several titles by '
            'semicolons), for example "3: 12 May 1650 [Some Title]". Your first answer is final. You have '
            f"{self.max_turns} messages, including your answer."
        )

    @property
    def _claims(self) -> tuple[Claim, ...]:
        assert isinstance(self.task, ResearchTask)
        return self.task.claims

    def judge(self, text: str) -> Verdict:
        return verify_claims(text, self._claims)

    def begin(self) -> str:
        self._figures: dict[str, float] = {}
        return super().begin()

    def answered(self, text: str) -> Reply:
        verdict = self.judge(text)
        self._figures.update(verdict.parts or {})
        self._figures |= dict.fromkeys(("em", "alias_em"), float(verdict.correct))
        precision, recall = (self._figures.get(f"claim_{name}", 0.0) for name in ("precision", "recall"))
        self._figures["f1"] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return super().answered(text)

    def metrics(self) -> dict[str, float]:
        names = ("claim_precision", "claim_recall", "citation_precision", "citation_recall")
        return {**super().metrics(), **dict.fromkeys(names, 0.0), **self._figures}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reporting(
        self, claims: Sequence[Claim], cite: Callable[[Claim], str] = _cited, value: Callable[[Claim], str] = _value
    ) -> str:
        """Return a report of claims as an answer."""
        lines = [f"{claim.labels[0]}: {value(claim)}{cite(claim)}" for claim in claims]
        return "<answer>" + "\n".join(lines) + "</answer>"

    def elsewhere(self, claim: Claim) -> str:
        """Return a document that has nothing to do with a claim."""
        known = {*claim.sources, *claim.related}
        documents = (self.library.document(n).title for n in range(len(self.library)))
        return next(title for title in documents if title not in known)

    def reference(self) -> str:
        return self.reporting(self._claims)

    def paraphrases(self) -> Sequence[str]:
        moves = super().paraphrases()
        if "<answer>" not in moves[-1]:
            return moves
        claims = self._claims
        return (
            self.reporting(claims[::-1]),
            self.reporting(claims, value=lambda claim: claim.values[-1]),
            self.reporting(claims, cite=lambda claim: f" [{claim.sources[-1]}]."),
            self.reporting(claims).replace("<answer>", "<answer>\n- ").replace("]\n", "]\n- "),
            f"<think>{self.reporting(claims[:1])}</think>{self.reporting(claims)}",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many"
