"""Questions about a generated world: kinds, the check that an answer is unique, plans of the oracle."""

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.errors import SettingsError
from turnwise.worlds.documents import World
from turnwise.worlds.documents.questions.absent import unanswerable
from turnwise.worlds.documents.questions.base import FORMS, Question, Step
from turnwise.worlds.documents.questions.chains import bridge, chain
from turnwise.worlds.documents.questions.compare import comparison, yes_no
from turnwise.worlds.documents.questions.context import Context, Lost
from turnwise.worlds.documents.questions.dated import temporal
from turnwise.worlds.documents.questions.draw import shelf_of
from turnwise.worlds.documents.questions.during import during
from turnwise.worlds.documents.questions.inverted import inverted
from turnwise.worlds.documents.questions.many import count, intersection, set_of, superlative
from turnwise.worlds.documents.questions.misled import adversarial
from turnwise.worlds.documents.questions.settle import Draft, settle
from turnwise.worlds.documents.questions.supposed import supposed
from turnwise.worlds.documents.questions.surfaces import mentions
from turnwise.worlds.documents.questions.totals import total

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
    "inverted": (2, 5),
    "total": (2, 4),
    "supposed": (2, 4),
    "during": (2, 4),
}
"""Minimum and maximum hops of each kind; a number outside is clamped."""

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
    "inverted": 0.02,
    "total": 0.0,
    "supposed": 0.05,
    "during": 0.15,
}
"""Solve rates of guessing without a search, with mixed hops, in a world of 10,000 documents: that of the better of the
closed-book and majority agents of ``agents``, which know a thousand other answers about the same world. In worlds of a
tenth of that size answers repeat, and the rate is up to 0.2 higher."""

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
    "inverted": inverted,
    "total": total,
    "supposed": supposed,
    "during": during,
}


class Kind(Protocol):
    """A kind of question: makes one draft and checks it; returns None if the draft fails."""

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
    """Draft one question and check it against the whole world.

    Args:
        world: The world.
        rng: The only source of randomness.
        kind: A name in ``KINDS``.
        hops: Facts on the longest path from a name in the question to its answer; see ``KIND_HOPS``.
        aliases: Probability, in [0, 1], that the question calls an entity by its second name, if it has one.
        paraphrase: Use any of a relation's phrases; else always its plainest.
        distractors: Maximum number of unnecessary true facts that the question adds to each name.
        terse: Use the shortest wording, "spouse of mentor of Bak?", and plans that search only for names.

    Returns:
        The question; None if the draft failed (draw again).

    Raises:
        SettingsError: The kind is unknown.
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
            Draw.of(rng.random),
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
        for word in (" now", " today"):  # nested phrases say it twice
            times = len(re.findall(rf"{word}\b", draft.text))
            draft.text = re.sub(rf"{word}\b", "", draft.text, count=times - 1) if times > 1 else draft.text
        return settle(world, name, draft)

    made.__name__ = name
    return made


KINDS: dict[str, Kind] = {name: _kind(name) for name in _DRAFTS}
"""Every kind of question by its name."""
