"""SearchBudget: some of the needed facts are given; searches are limited or cost a price.

Sources: IKEA (Huang et al., arXiv 2505.07596) and SEM (Sha et al., arXiv 2505.07903): an agent should search for what
it does not know, and only for that. There a model's knowledge must be guessed; here it is given.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.search._cheats import CHEATS
from turnwise.envs.search._draft import WORLDS, drawn
from turnwise.envs.search._episode import SearchEnv, Task
from turnwise.envs.search._library import Library, library
from turnwise.worlds.documents.questions import Question

__all__ = ["SearchBudget"]

_MEMBERS = {
    "set": 8, "count": 8, "superlative": 8, "comparison": 4, "intersection": 4, "yes_no": 4, "inverted": 10,
    "total": 10, "supposed": 10, "during": 12,
}  # fmt: skip
"""Additional searches for kinds that look at several entities."""


@register("SearchBudget-v0")
class SearchBudget(SearchEnv):
    """Answer a question within a limit on searches; notes in the prompt state some of the facts, sometimes all.

    The first facts of the chain to the answer are given as notes, among others that are true but irrelevant. Facts that
    are not given must be searched for; if all are given, any search is wasted.

    With ``calls="limited"`` a further search is refused; with "priced" each costs ``price``, which is shaping (for a
    learner, ``info["shaping"]``) and no part of the reward. ``metrics`` have ``calls_needed`` and ``calls_wasted``.
    ``shaping="ikea"`` adds that paper's reward, "needless_search" takes the reward back where no search was needed.

    Chance: a random agent occasionally guesses right if the notes give the answer or the question lists the candidates.
    """

    known: Annotated[float, Range(0, 1)] = 0.5
    """Probability that a fact of the plan is given, from the first fact on until one is not."""
    notes: Annotated[int, Range(0, 30)] = 3
    """Number of irrelevant notes."""
    slack: Annotated[int, Range(0, 20)] = 1
    """Searches allowed beyond one for each of the ``hops`` that is not given; questions about the members of a set
    allow eight to ten more, those that compare candidates four: the number reveals nothing about the answer."""
    calls: Literal["limited", "priced"] = "limited"
    """Whether searches are "limited" in number or "priced"."""
    price: Annotated[float, Range(0, 10)] = 0.1
    """Cost of each search, if priced."""

    levels = tuple(
        {
            "hops": h, "kinds": q, "documents": d, "worlds": WORLDS, "known": k, "notes": n, "slack": s,
            "aliases": a,
        }
        for h, q, d, k, n, s, a in [
            (1, "chain", 200, 0.7, 2, 2, 0.0), (2, "basic", 200, 0.7, 2, 2, 0.0), (2, "basic", 1000, 0.6, 3, 2, 0.0),
            (2, "mixed", 1000, 0.5, 3, 1, 0.0), (3, "mixed", 1000, 0.5, 4, 1, 0.0), (3, "mixed", 1000, 0.5, 4, 1, 0.3),
            (3, "hard", 1000, 0.4, 5, 0, 0.3), (4, "hard", 1000, 0.3, 6, 0, 0.3), (4, "hard", 1000, 0.2, 8, 0, 0.3),
            (5, "hardest", 1000, 0.2, 10, 0, 0.5),
        ]
    )  # fmt: skip
    chance = (0.003, 0.0, 0.0, 0.002, 0.0, 0.002, 0.002, 0.0, 0.002, 0.0)
    chance_default = 0.0
    cheats = (
        *CHEATS,
        lambda env: "".join(f"<search>{word}</search>" for word in env.task.question.text.split()[:8]),
        lambda env: env.wrong("; ".join(note.rpartition(": ")[2] for note in env.task.notes) or "nothing"),
    )

    def check(self) -> None:
        super().check()
        if self.calls == "priced" and self.price:
            self._weights["tool_calls"] = self._weights.get("tool_calls", 0.0) - self.price

    def generate(self, rng: np.random.Generator) -> Task:
        task = super().generate(rng)
        steps = task.question.steps
        told = 0
        while told < len(steps) and steps[told].answer and self._tells(task) and rng.random() < self.known:
            told += 1
        own = [self._note(task.question, number) for number, step in enumerate(steps) if step.answer]
        notes = own[:told]
        world = library(self.place(task.world)).world
        for _ in range(self.notes):
            other = drawn(rng, world, ("chain",), 1, 0.0, False, self.terse) if world is not None else None
            if other is not None and (note := self._note(other, 0)) not in own:
                notes.append(note)
        order = np.argsort(rng.random(len(notes)), kind="stable").tolist()
        return replace(task, told=tuple(range(told)), notes=tuple(notes[i] for i in order))

    @staticmethod
    def _tells(task: Task) -> bool:
        """Tell whether notes may be given: they would distinguish an answerable question from its unanswerable twin."""
        return task.question.kind != "unanswerable"

    @staticmethod
    def _note(question: Question, number: int) -> str:
        step = question.steps[number]
        listed = question.kind in (
            "set",
            "count",
            "superlative",
            "total",
            "supposed",
            "during",
        )  # here a step's answer has several members
        return f"{step.query}: {'; '.join(step.answer) if listed else step.answer[0]}"

    # ---- play -----------------------------------------------------------------------------------------------------

    @property
    def budget(self) -> int:
        """The number of searches allowed: equal for all questions of a kind, so as not to reveal answerability."""
        return self.hops + _MEMBERS.get(self.task.question.kind, 0) + self.slack - len(self.task.told)

    def refuses(self, task: Task, place: Library) -> str:
        most = self.hops + _MEMBERS.get(task.question.kind, 0) + self.slack
        return "the plan is longer than the budget" if len(task.question.steps) > most else super().refuses(task, place)

    def needed(self) -> int:
        if self.task.searches is not None:
            return max(0, self.task.searches - len(self.task.told))
        return len(self.task.question.steps) - len(self.task.told)

    def told(self) -> Sequence[int]:
        return self.task.told

    def asked(self) -> str:
        if not self.task.notes:
            return super().asked()
        return "\n".join(
            [
                super().asked(),
                "Notes from earlier searches (what was searched for: what was found):",
                *(f"- {note}" for note in self.task.notes),
            ]
        )

    def _how(self) -> str:
        if self.calls == "priced":
            return f"{super()._how()} A search costs {self.price:g}: search only for what you need."
        times = {0: "You may not search", 1: "You may search once"}.get(
            self.budget, f"You may search {self.budget} times"
        )
        return f"{super()._how()} {times}."

    def search(self, query: str) -> str:
        if self.calls == "limited" and self.calls_made >= self.budget:
            raise ValueError("no searches are left; answer with what you know")
        return super().search(query)

    def metrics(self) -> dict[str, float]:
        needed = self.needed()
        wasted = float(max(0, self.calls_made - needed))
        return {**super().metrics(), "calls_needed": float(needed), "calls_wasted": wasted}
