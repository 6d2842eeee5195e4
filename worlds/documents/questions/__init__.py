"""Questions over a generated world: kinds, the check that an answer is the only one, plans of the oracle."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from turnwise.core.errors import SettingsError
from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions.absent import unanswerable
from turnwise.worlds.documents.questions.base import FORMS, Question, Step
from turnwise.worlds.documents.questions.chains import bridge, chain
from turnwise.worlds.documents.questions.compare import comparison, yes_no
from turnwise.worlds.documents.questions.context import Context, Lost
from turnwise.worlds.documents.questions.dated import temporal
from turnwise.worlds.documents.questions.draw import shelf_of
from turnwise.worlds.documents.questions.many import count, intersection, set_of, superlative
from turnwise.worlds.documents.questions.misled import adversarial
from turnwise.worlds.documents.questions.settle import Draft, settle
from turnwise.worlds.documents.questions.surfaces import mentions

__all__ = ["FORMS", "KINDS", "KIND_CHANCE", "KIND_HOPS", "Kind", "Question", "Step", "make_question", "mentions"]

KIND_HOPS: dict[str, tuple[int, int]] = {
    "chain": (1, 5),
    "bridge": (2, 5),
    "comparison": (1, 3),
    "yes_no": (1, 2),
    "intersection": (1, 3),
    "count": (1, 3),
    "superlative": (2, 4),
    "temporal": (1, 4),
    "unanswerable": (1, 4),
    "set": (1, 3),
    "adversarial": (1, 4),
}
"""The fewest and most hops of each kind; what is asked beyond them is taken for the nearest."""

KIND_CHANCE: dict[str, float] = {
    "chain": 0.02,
    "bridge": 0.02,
    "comparison": 0.16,
    "yes_no": 0.5,
    "intersection": 0.02,
    "count": 0.28,
    "superlative": 0.08,
    "temporal": 0.02,
    "unanswerable": 0.5,
    "set": 0.03,
    "adversarial": 0.04,
}
"""What guessing without a search solves, hops mixed, in a world of 10,000 documents: the better of the closed-book and
majority agents of ``agents``, who know a thousand other answers about the same world. In worlds of a tenth of that
size answers repeat, and it is up to 0.2 more."""

_DRAFTS: dict[str, Callable[[Context], Draft]] = {
    "chain": chain,
    "bridge": bridge,
    "comparison": comparison,
    "yes_no": yes_no,
    "intersection": intersection,
    "count": count,
    "superlative": superlative,
    "temporal": temporal,
    "unanswerable": unanswerable,
    "set": set_of,
    "adversarial": adversarial,
}


class Kind(Protocol):
    """A kind of question: one draft, checked; None where it did not hold."""

    def __call__(
        self,
        world: World,
        rng: np.random.Generator,
        hops: int,
        *,
        aliases: float = 0.0,
        paraphrase: bool = True,
        distractors: int = 0,
        terse: bool = False,
    ) -> Question | None:
        """See `make_question`."""


def make_question(
    world: World,
    rng: np.random.Generator,
    kind: str,
    hops: int = 2,
    *,
    aliases: float = 0.0,
    paraphrase: bool = True,
    distractors: int = 0,
    terse: bool = False,
) -> Question | None:
    """One draft of a question, checked against the whole world.

    Args:
        world: Where it comes from.
        rng: The only source of chance.
        kind: A name in ``KINDS``.
        hops: Facts on the longest way from a name in the question to its answer; see ``KIND_HOPS``.
        aliases: Share of the entities with a second name that the question calls by it, in [0, 1].
        paraphrase: Any of a relation's phrases; else always its plainest.
        distractors: Most true facts that the question adds to each name without need.
        terse: The shortest wording, "spouse of mentor of Bak?", and plans that search for names alone.

    Returns:
        The question; None where the draft did not hold (draw again).

    Raises:
        SettingsError: There is no such kind.
    """
    if kind not in KINDS:
        raise SettingsError(f"kind is {kind!r}; it must be one of {', '.join(KINDS)}")
    return KINDS[kind](world, rng, hops, aliases=aliases, paraphrase=paraphrase, distractors=distractors, terse=terse)


def _kind(name: str) -> Kind:
    low, high = KIND_HOPS[name]
    draw = _DRAFTS[name]

    def made(
        world: World,
        rng: np.random.Generator,
        hops: int,
        *,
        aliases: float = 0.0,
        paraphrase: bool = True,
        distractors: int = 0,
        terse: bool = False,
    ) -> Question | None:
        ctx = Context(
            world,
            shelf_of(world),
            rng,
            min(max(hops, low), high),
            aliases=aliases,
            paraphrase=paraphrase and not terse,
            distractors=distractors,
            terse=terse,
        )
        try:
            draft = draw(ctx)
        except Lost:
            return None
        draft.steps, draft.names = tuple(ctx.steps), tuple(ctx.names)
        draft.text = draft.text.replace(" now now", " now").replace(" today today", " today")  # phrases that met
        return settle(world, name, draft)

    made.__name__ = name
    return made


KINDS: dict[str, Kind] = {name: _kind(name) for name in _DRAFTS}
"""Every kind of question by its name."""
