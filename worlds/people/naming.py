"""Which actions are meant: by a clause in the light of those beside it, and by a proposal that names none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.clauses import Clause, main_actions, plainest
from turnwise.worlds.people.phrases import tokens_of
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["antecedents", "in_context", "proposed"]

_OURS: Final = re.compile(
    r"\b(?:i|we)(?:'ll|'d| will| would| can| could|'m going to| am going to|'m ready to|'m able to)\b|"
    r"\b(?:can be|could be|would be|you want|you'd like|you can have)\b"
)
_SUPPOSED: Final = re.compile(
    r"if (?:i|we) (?!can\b|could\b|may\b|have\b|had\b|need\b|don't\b|didn't\b|do not\b|am\b|was\b|were\b)[^,]+,"
)
_BOTH: Final = re.compile(
    r"\b(?:both|all (?:of )?(?:that|this|those|these|three|two|it)|everything|(?:these|those) changes)\b"
)
_HISTORY: Final = re.compile(
    r"\b(?:already|ago|yesterday|last (?:week|month|year|time)|was|were|had been|originally|because|since|as you|"
    r"isn't|aren't|not|hasn't|no longer|you (?:booked|paid|ordered|used))\b"
)
_TOLD: Final = re.compile(r"(?:i|we)(?:'ve| have)?(?: now| just)? \w+ (?:it|that|this|them|those)\b")
_EFFECT: Final = re.compile(r"(?:then |that way,? )?you(?:'d| would|'ll| will) (?:then )?be able to\b")


def in_context(clauses: Sequence[Clause], vocabulary: Vocabulary) -> list[Clause]:
    """The clauses, with verbs of many meanings read by what is spoken of beside them: "three bags. I can add them"."""
    read = list(clauses)
    for place, clause in enumerate(clauses):
        found = clause.actions
        if not found or any(action.level for action in found) or len({action.name for action in found}) < 2:
            continue
        names = {action.name for action in found}
        back = _TOLD.match(clause.text) is not None  # "I've removed it": what was spoken of before
        for other in _nearest(clauses[: place + 1] if back else clauses, place):
            told = [action for action in other.actions if action.level >= 2]
            spoken = {action.name for action in told if not action.aside}
            things = spoken or {thing.name for thing in vocabulary.objects(other.words)}
            beside = names & things or (names & {action.name for action in told} if clause.asks else set())
            if beside and beside != names:
                kept = [action._replace(level=1) for action in found if action.name in beside]
                read[place] = clause._replace(actions=kept)
                break
    return read


def proposed(clauses: Sequence[Clause], place: int, vocabulary: Vocabulary, left_out: Iterable[str]) -> tuple[str, ...]:
    """The actions that a question for consent is about if it names none itself; ``left_out`` refuse or report."""
    skipped = set(left_out)
    rest = [other for other in _nearest(clauses, place, back_first=True) if other.text not in skipped]
    if place and (supposed := _supposed(clauses[place - 1])):
        return supposed
    if headed := _headed(clauses, place):
        return headed
    own = {action.name for action in clauses[place].actions}
    refused = any(other.actions for other in clauses if other.text in skipped)
    if own and refused and len(told := own & {thing.name for thing in vocabulary.objects(clauses[place].words)}) == 1:
        return tuple(told)  # "no renewal is possible; I could take care of the fines"
    both = _BOTH.search(clauses[place].text) is not None
    for least in (2, 1):
        for other in rest:
            if _EFFECT.match(other.text) or (_HISTORY.search(other.text) and not _OURS.search(other.text)):
                continue
            found = plainest(main_actions(other))
            if any(action.level >= least and not action.aside for action in found):
                more = [
                    action
                    for clause in rest
                    if least == 2 and (both or (clause is not other and _OURS.search(clause.text)))
                    for action in main_actions(clause)
                    if action.level >= 2 and (both or not action.aside)
                ]
                named = tuple(dict.fromkeys(action.name for action in (*found, *more)))
                return tuple(dict.fromkeys((*named, *_hinted(rest, vocabulary)))) if both and len(named) < 2 else named
    asides = [
        action
        for other in rest
        if _OURS.search(other.text)
        for action in main_actions(other)
        if action.aside and action.level
    ]
    if asides:
        return tuple(dict.fromkeys(action.name for action in asides))
    weak = {action.name for action in clauses[place].actions} or {
        action.name for other in rest if _OURS.search(other.text) for action in other.actions if not action.level
    }
    for other in rest:
        names = tuple(dict.fromkeys(thing.name for thing in vocabulary.objects(other.words)))
        if kept := tuple(name for name in names if name in weak):
            return kept
    return tuple(dict.fromkeys(action.name for other in rest for action in plainest(other.actions) if not action.aside))


def _hinted(clauses: Iterable[Clause], vocabulary: Vocabulary) -> Iterator[str]:
    """The actions that are told by a noun for them or by what they are done to: "$40 for the bag"."""
    for clause in clauses:
        yield from (action.name for action in clause.actions if action.level and action.start)
        yield from (thing.name for thing in vocabulary.objects(clause.words))


def _supposed(clause: Clause) -> tuple[str, ...]:
    """The actions of a condition that is ours to bring about: "if I report it as lost, you'll be charged $20"."""
    lead = _SUPPOSED.match(clause.text)
    if lead is None:
        return ()
    stop = len(tokens_of(lead.group()))
    return tuple(dict.fromkeys(action.name for action in plainest([a for a in clause.actions if a.start < stop])))


def _headed(clauses: Sequence[Clause], place: int) -> tuple[str, ...]:
    """The actions in the heading of the list before a clause: "a summary of the return:"."""
    top = place - 1
    while top > 0 and clauses[top].bullet:
        top -= 1
    if top >= place - 2 or top < 0 or not clauses[top].text.endswith(":"):
        return ()
    named = plainest(main_actions(clauses[top]))
    return tuple(dict.fromkeys(action.name for action in named if action.level and not action.aside))


def _nearest(clauses: Sequence[Clause], place: int, back_first: bool = False) -> Iterator[Clause]:
    """The other clauses, the nearest first; all that stand before it first if asked for."""
    before, after = range(place - 1, -1, -1), range(place + 1, len(clauses))
    if back_first:
        order = [*before, *after]
    else:
        order = sorted([*before, *after], key=lambda other: (abs(other - place), other > place))
    return (clauses[other] for other in order)


def antecedents(steps: Sequence[Act], before: Sequence[Clause], vocabulary: Vocabulary) -> list[Act]:
    """The steps with what "it" is: "airplane mode is on. Switch it off", "look for the network mode and set it to 5G".

    A step that is looked at and set at once is only set.

    Args:
        steps: The steps of a clause.
        before: The clauses before it, as far as "it" may be named there.
        vocabulary: The words; the steps of "it" begin with ``it_``, those of what it stands for with its name.
    """
    read: list[Act] = []
    for step in steps:
        if not step.slot.startswith("it_"):
            read.append(step)
            continue
        way = step.slot.removeprefix("it")
        own = [act.slot for act in read[-1:]]
        if own and way in ("_on", "_off"):  # "is it on? If so, turn it off"
            read.append(step)
            continue
        named = [found.name for clause in before for found in vocabulary.steps(clause.words)]
        meant = [_switched(name, way, vocabulary) for name in (*own, *reversed(named))]
        name = next((each for each in meant if each), step.slot)
        if own and meant[0]:
            read.pop()
        read.append(step._replace(slot=name))
    return read


def _switched(name: str, way: str, vocabulary: Vocabulary) -> str:
    """The step that switches what another step looks at or switches; empty if there is none."""
    steps = vocabulary.lexicon.steps
    bare = name.removesuffix("_on").removesuffix("_off")
    return next((each for each in (f"{name}{way}", f"{bare}{way}") if each in steps), "")
