"""Questions that offer to do one thing or another, rather than to choose a detail."""

import re
from collections.abc import Sequence
from itertools import takewhile

from turnwise.worlds.people.clauses import Clause, names_of
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.phrases import Found, tokens_of
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["chooses_deeds", "deeds_listed", "offers_deeds"]


def offers_deeds(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a clause offers to do one thing or another, and not two values of a detail: "by post or by email"."""
    text = clause.text
    left, link, right = text.partition(" or ")
    if not (
        TURNS["deeds"].search(text)
        or (clause.actions and TURNS["offering"].search(text))
        or (link and _are_deeds(clause, len(tokens_of(left)), right))
    ):
        return False
    return not any(values.search(left) and values.search(right) for values in vocabulary.values.values())


def chooses_deeds(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a question is which of several things to do, and not whether to have one: "shall I add it, or not?"."""
    return (len(names_of(clause)) > 1 or not clause.slots) and offers_deeds(clause, vocabulary)


def _are_deeds(clause: Clause, place: int, right: str) -> bool:
    """Whether what stands before and behind the "or" at a place are two things to do: "move the trip, or cancel it"."""
    first = {action.name for action in clause.actions if action.start < place and action.level}
    then = {action.name for action in clause.actions if action.start > place and action.level}
    if re.match(r"(?:both|all)\b", right):
        return len(first) > 1
    return (
        bool(first and then - first)
        or bool(first and TURNS["left"].match(right))
        or (bool(then) and TURNS["left"].match(clause.text) is not None)
    )


def deeds_listed(before: Sequence[Clause]) -> tuple[str, ...]:
    """The actions of the list before a question if each of its lines says what may be done: "- keep it as it is"."""
    lines = list(takewhile(lambda clause: clause.bullet, reversed(before)))
    said = [line for line in lines if TURNS["left"].match(line.text) or any(_is_first(a) for a in line.actions)]
    if len(said) < 2 or len(lines) > len(said) + 1:
        return ()
    return tuple(dict.fromkeys(name for clause in reversed(lines) for name in names_of(clause)))


def _is_first(action: Found) -> bool:
    """Whether a line begins with what is to be done: "return them", "a free replacement"."""
    return (action.start < 2 and action.level > 0) or (action.start == 2 and action.level == 1)
