"""DeepResearch: find out many facts, and report them with the documents that state them, and those that deny them.

Sources: O²-Searcher (arXiv 2505.16582) for open-ended questions whose answer is a set, judged item by item; ALCE (Gao
et al., arXiv 2305.14627) for recall and precision of citations. Here every claim is checked against the facts of the
world, and every citation against what that document states: no model judges.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.search._brief import brief
from turnwise.envs.search._draft import WORLDS, step_refusal
from turnwise.envs.search._episode import Task
from turnwise.envs.search._library import Library
from turnwise.envs.search._research import report, survey
from turnwise.envs.search.browse_qa import BrowseQA
from turnwise.verifiers.claims import Claim, verify_claims
from turnwise.verifiers.sections import Section, verify_briefing
from turnwise.verifiers.verdict import Verdict
from turnwise.worlds.documents.questions import Step

__all__ = ["DeepResearch"]


@dataclass(frozen=True)
class ResearchTask(Task):
    """A task with the claims that a report must make, and the sections of a briefing."""

    claims: tuple[Claim, ...] = field(default=(), compare=False)
    sections: tuple[Section, ...] = field(default=(), compare=False)


_LISTED = {"lists": 0.25, "stale": 0.12}
"""The style of worlds for briefings: more lists, and more documents that contradict others."""


def _cited(claim: Claim) -> str:
    return f" [{claim.sources[0]}]"


def _value(claim: Claim) -> str:
    return claim.values[0]


@register("DeepResearch-v0")
class DeepResearch(BrowseQA):
    """Write a report with citations; reward 1 for exactly the claims asked for, each supported by a cited document.

    A "report" is on one entity: some of its facts, each in all its values. A "survey" finds a set of entities and one
    further fact of each. A "brief" has sections: a profile of one entity, then sets of entities linked to it with a
    fact of each, from ``breadth`` documents or more; documents that contradict a claim must be named. The answer has a
    line for each claim, ``what: value [title]``; several titles stand between semicolons. A citation is right where
    that document states the claim as it is now (an older edition does not), or states that the entity belongs to the
    set, or leads to the entity. ``partial="f1"`` pays a report in part: supported claims less wrong lines, over all
    claims, times the precision of the citations. ``metrics`` have
    claim_precision, claim_recall, citation_precision and citation_recall; for a briefing also coverage (mean recall of
    the sections), redundancy (repeated lines), conflict_recall and conflict_precision.

    The other settings are those of `BrowseQA`; ``hops`` is 1 or 2 (with 2, half of the aspects that can be are about
    what another relation leads to), ``aliases``, ``paraphrase`` and ``terse`` do nothing here, and ``questions`` must
    be empty.
    """

    kinds: Literal["mixed", "report", "survey", "brief"] = "mixed"
    """What is asked for; "mixed" draws a report or a survey."""
    breadth: Annotated[int, Range(5, 30)] = 8
    """The fewest documents that a briefing must cite."""
    aspects: Annotated[int, Range(1, 12)] = 4
    """Things that a report must state."""
    items: Annotated[int, Range(2, 12)] = 4
    """Most members of a survey's set; the fewest are two."""
    max_turns: int = 40

    levels = (
        {"kinds": "report", "aspects": 1, "hops": 1, "documents": 300, "worlds": WORLDS},
        {"kinds": "report", "aspects": 2, "hops": 1, "documents": 300, "worlds": WORLDS},
        {"kinds": "survey", "items": 3, "documents": 500, "worlds": 2 * WORLDS},
        {"kinds": "mixed", "aspects": 5, "items": 6, "hops": 2, "documents": 1000, "worlds": WORLDS, "max_turns": 60},
        {"kinds": "brief", "style": _LISTED, "breadth": 5, "documents": 1000, "worlds": WORLDS, "max_turns": 120},
        {"kinds": "brief", "style": _LISTED, "breadth": 8, "documents": 1000, "worlds": WORLDS, "max_turns": 150},
        {"kinds": "brief", "style": _LISTED, "breadth": 12, "documents": 1000, "worlds": WORLDS, "max_turns": 200},
        {"kinds": "brief", "style": _LISTED, "breadth": 16, "documents": 1000, "worlds": WORLDS, "max_turns": 250},
        {
            "kinds": "brief",
            "style": _LISTED,
            "breadth": 20,
            "documents": 1200,
            "worlds": WORLDS,
            "part_chars": 600,
            "max_turns": 300,
        },
        {
            "kinds": "brief",
            "style": _LISTED,
            "breadth": 25,
            "documents": 1200,
            "worlds": WORLDS,
            "part_chars": 600,
            "max_turns": 300,
        },
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
        lambda env: env.hiding(),
        lambda env: env.hiding().replace("</answer>", f"\n{env.lines()[-1]}</answer>"),
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
        if self.kinds == "brief":
            drafted = brief(world, Draw.of(rng.random), self.breadth, lambda step: self._works(step, place))
            if drafted is None:
                return None
            question = drafted.question
            plan = tuple(place.ids(step.documents) for step in question.steps)
            claims = tuple(point.claim for section in drafted.sections for point in section.points)
            return ResearchTask(
                seed, question, place.ids(question.support), plan, claims=claims, sections=drafted.sections
            )
        kind = self.kinds if self.kinds != "mixed" else "report" if rng.random() < 0.5 else "survey"
        found = report(world, rng, self.aspects, self.hops) if kind == "report" else survey(world, rng, 2, self.items)
        if found is None:
            return None
        question = found.question
        plan = tuple(place.ids(step.documents) for step in question.steps)
        return ResearchTask(seed, question, place.ids(question.support), plan, claims=found.claims)

    def _works(self, step: Step, place: Library) -> bool:
        """Tell whether the search of a step of the plan finds a document that shows what it is for."""
        return not step_refusal(step, place.ids(step.documents), lambda query: self._found(place, query))

    def _how_to_answer(self) -> str:
        if self._sections:
            return (
                "Give the briefing in the form <answer>...</answer>. Begin each section with a line such as "
                '"## 2", and write one claim per line, each once and nothing else: "what: value [title]", where "what" '
                'is the letter of a point of the profile or the name of a member of the set, and "title" is the '
                "title of a document that states the claim (separate several titles by semicolons). If any document "
                "gives another value for a claim, name that document at the end of the line, for example "
                '"b: 12,400 [Some Title] contradicted by [Another Title]". Your first answer is final. You have '
                f"{self.max_turns} messages, including your answer."
            )
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

    @property
    def _sections(self) -> tuple[Section, ...]:
        assert isinstance(self.task, ResearchTask)
        return self.task.sections

    def judge(self, text: str) -> Verdict:
        return verify_briefing(text, self._sections) if self._sections else verify_claims(text, self._claims)

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
        names: tuple[str, ...] = ("claim_precision", "claim_recall", "citation_precision", "citation_recall")
        if self._sections:
            names += ("coverage", "redundancy", "conflict_recall", "conflict_precision")
        return {**super().metrics(), **dict.fromkeys(names, 0.0), **self._figures}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def reporting(
        self, claims: Sequence[Claim], cite: Callable[[Claim], str] = _cited, value: Callable[[Claim], str] = _value
    ) -> str:
        """Return a report of claims as an answer."""
        return "<answer>" + "\n".join(self.lines(claims, cite, value)) + "</answer>"

    def lines(
        self,
        claims: Sequence[Claim] | None = None,
        cite: Callable[[Claim], str] = _cited,
        value: Callable[[Claim], str] = _value,
        against: bool = True,
    ) -> list[str]:
        """Return the lines of a report of claims; of all, without ``claims``."""
        claims = self._claims if claims is None else claims
        if not self._sections:
            return [f"{claim.labels[0]}: {value(claim)}{cite(claim)}" for claim in claims]
        lines = []
        for number, section in enumerate(self._sections, 1):
            lines.append(f"## {number}")
            points = {id(point.claim): point for point in section.points}
            for point in [points[id(claim)] for claim in claims if id(claim) in points]:
                denied = f" contradicted by [{'; '.join(point.against)}]" if against and point.against else ""
                lines.append(f"{point.claim.labels[0]}: {value(point.claim)}{cite(point.claim)}{denied}")
        return lines

    def hiding(self) -> str:
        """Return a report that names no contradictions; a wrong one where there are none."""
        if any(point.against for section in self._sections for point in section.points):
            return "<answer>" + "\n".join(self.lines(against=False)) + "</answer>"
        lines = self.lines()
        return (
            "<answer>"
            + "\n".join([*lines[:-1], f"{lines[-1]} contradicted by [{self.elsewhere(self._claims[-1])}]"])
            + ("</answer>")
        )

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
