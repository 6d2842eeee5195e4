"""Questions that offer a choice: two values of a detail, "which one" after a list, or one thing to do or another."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from turnwise.worlds.people.clauses import Clause, names_of
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.phrases import Found, tokens_of
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = [
    "DESCRIBES",
    "candidates",
    "chooses_deeds",
    "chosen_slots",
    "deeds_listed",
    "meant_slots",
    "offers_deeds",
    "renewed",
]

_OPINIONS: Final = frozenset({"preference", "option"})
_OR: Final = re.compile(r"(?:,|\bor\b)")
_REST: Final = re.compile(
    r"^(?:[\w']+ ){0,6}?(?:other|another|both|neither|something|someone|somebody|anything|more|less|later|earlier|"
    r"different|else|new|not|none|no|without|rather|leave)\b"
)
_MOMENT: Final = re.compile(
    r"\d|january|february|march|april|june|july|august|september|october|november|december|\wday\b"
)
DESCRIBES: Final = re.compile(  # where it is found, or what it looks like
    r"(?:it|that|this|they|you|you'll|you can)(?:'s| is| are| has| have|'ll)? (?:also |usually |normally )?"
    r"(?:begins?|starts?|consists?|printed|on|at|in|looks?|find|see|stands?|shown|written|listed)\b|(?:it's|"
    r"it is|that's) (?:the letters?|an? \w+ followed)\b"
)
_OWED: Final = frozenset({"fine", "fee", "bill"})
_AMOUNT: Final = re.compile(r"\$\d")
_OPEN: Final = re.compile(r"\b(?:open|ow(?:e|es|ed|ing)|due|unpaid|outstanding|overdue|charges?|fees?|fines?|bills?)\b")
_COUNTS: Final = frozenset({"two", "three", "four", "five", "several", "some", "few", "both", "these", "2", "3", "4"})
_SEVERAL: Final = frozenset({"one", "another", "those", "two", "three", "both"})
_VERBS: Final = frozenset({"would", "should", "do", "did", "can", "shall", "is", "was"})
_ONE: Final = re.compile(r"^(?:for |on |with |to )?(?:the|that) one\b")
_BOTH: Final = re.compile(r"\b(?:old|current|previous|present)\b.*\b(?:new|replace)\b")
_MEANT: Final = re.compile(
    r"\b(?:do|did) you mean\b|\bis (?:it|that) the\b|\bare you (?:talking|speaking|writing|asking|calling) about\b"
)
_MEANS: Final = re.compile(
    r"\b(?:do you mean|did you mean|are you (?:talking|speaking|writing|asking|calling|contacting us) about|"
    r"is (?:it|that|this)|was it)\b|"
    r"\bthe one\b|\bwhich of\b"
)


def chosen_slots(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[str]:
    """The slots of which a question offers values: "in economy or in business?"."""
    text = clause.text
    if clause.slots and TURNS["with_or_without"].search(text):
        return [clause.slots[-1].name]
    if TURNS["enough"].search(text):
        return [slot for slot, values in vocabulary.values.items() if values.search(text)][:1]
    if " or " not in text:
        return _leaning(clause, vocabulary)
    left, _, right = text.rpartition(" or ")
    if (_ONE.match(right) or right.endswith(" one?")) and (kinds := vocabulary.kinds(clause.words)):
        if kinds[0].name in _OPINIONS and _MEANS.search(text):  # "is it about the flight to Bergen or the one to Riga?"
            return list(vocabulary.lexicon.kinds)[:1]
        return [next((s.name for s in clause.slots if s.start <= kinds[0].start < s.stop), kinds[0].name)]
    if right.startswith(("both?", "both of ")) and vocabulary.lexicon.kinds:
        return [next(iter(vocabulary.lexicon.kinds))]
    owed = next((kind for kind in vocabulary.lexicon.kinds if kind in _OWED), "")
    if owed and _AMOUNT.search(left) and _AMOUNT.match(right.removeprefix("the ")):
        return [owed]
    if _MEANS.search(text) and (meant := _several(before, vocabulary)):
        return meant
    open_ = _REST.search(right) is not None
    between = left.rpartition(", ")[2]
    for slot, values in vocabulary.values.items():
        if values.search(between) and values.search(right) and clause.actions and not open_:
            return [slot]
    for slot, values in vocabulary.values.items():
        if values.search(left) and (open_ or values.search(right)):
            return [slot]
    if not any(action.level for action in clause.actions):  # "another day or the morning"
        sides = [
            next((slot for slot, values in vocabulary.values.items() if values.search(side)), "")
            for side in (left, right)
        ]
        if all(sides):
            return sides
        if not clause.slots and _MEANT.search(text):  # by names that are not known here
            return list(vocabulary.lexicon.kinds)[:1]
    return []


def _leaning(clause: Clause, vocabulary: Vocabulary) -> list[str]:
    """The slot of the one value that a short question suggests: "would you prefer business?"."""
    text = clause.text
    if len(clause.words) > 8 or clause.actions or _MOMENT.search(text) or not TURNS["leaning"].match(text):
        return []
    return [slot for slot, values in vocabulary.values.items() if values.search(text)][:1]


def meant_slots(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[str]:
    """The slots that "which one?" asks for, by what was listed before it or is named in it."""
    found = TURNS["which_one"].search(clause.text)
    if found is None:
        return []
    place = next((k for k, word in enumerate(clause.words) if word == "which"), 0)
    after = clause.words[place + 1 : place + 2]
    if after and after[0] in _VERBS:
        return _listed(before, vocabulary)[:1]
    if own := [kind for kind in vocabulary.kinds(clause.words) if kind.start - place <= 5]:
        named = [kind for kind in own if not any(s.start <= kind.start < s.stop for s in clause.slots)]
        return [kind.name for kind in named[:1]]
    return _listed(before, vocabulary)[:1] or (
        list(vocabulary.lexicon.kinds)[:1] if TURNS["which_of"].search(clause.text) else []
    )


def candidates(slot: str, clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[str]:
    """The slots that a question may be for which was taken for ``slot`` but names none, the likeliest first."""
    near = (clause, *reversed(before[-3:]))
    several = [kind.name for other in before[-3:] for kind in vocabulary.kinds(other.words, several=True)]
    which = TURNS["which_one"].search(clause.text) is not None
    found: list[str] = []
    if slot in several:  # "two appointments, one on June 24 and one on July 1"
        text = "\n".join(other.text for other in near)
        found = [name for name, values in vocabulary.values.items() if len(set(values.findall(text))) > 1]
    elif not which and any(named.name == slot for other in before for named in other.slots):  # "could you check it?"
        told = [other for other in before if other.slots]
        last = next((other for other in reversed(told) if not DESCRIBES.match(other.text)), told[-1])
        found = [slot, *(named.name for named in last.slots)]
    else:
        for other in near:
            found += [kind.name for kind in vocabulary.kinds(other.words)]
            found += [named.name for named in other.slots]
            found += [name for name, values in vocabulary.values.items() if values.search(other.text)]
        if which and not several:
            found += list(vocabulary.lexicon.kinds)[: 1 if found else None]
    return list(dict.fromkeys((slot, *found) if slot in found or slot in several else found))


def _listed(before: Sequence[Clause], vocabulary: Vocabulary) -> list[str]:
    """The slots of which several were named, in the clauses nearest first; the nouns of things before the values."""
    lines = "\n".join(clause.text for clause in before)
    for slot, values in vocabulary.values.items():
        if not slot.endswith(("date", "start", "part", "days")) and len(set(values.findall(lines))) >= 2:
            return [slot]
    owed = next((kind for kind in vocabulary.lexicon.kinds if kind in _OWED), "")
    if owed and len(_AMOUNT.findall("\n".join(clause.text for clause in before[-2:]))) >= 2 and _OPEN.search(lines):
        return [owed]
    if several := _several(before, vocabulary):
        return several
    text = "\n".join(clause.text for clause in before)
    counts = {
        slot: len({found.group() for found in values.finditer(text)}) for slot, values in vocabulary.values.items()
    }
    most = [slot for slot, count in sorted(counts.items(), key=lambda item: -item[1]) if count >= 2]
    if most:
        return most
    return [kinds[-1].name for clause in reversed(before) if (kinds := vocabulary.kinds(clause.words))]


def _several(before: Sequence[Clause], vocabulary: Vocabulary) -> list[str]:
    """The slot of the things of which several were spoken of last: "two bookings", "one bill and another"."""
    for clause in reversed(before):
        if kinds := vocabulary.kinds(clause.words, several=True):
            counted = [
                kind for kind in kinds if _COUNTS.intersection(clause.words[max(0, kind.start - 2) : kind.start])
            ]
            return [(counted or kinds)[-1].name]  # "two fees for missed appointments"
    for clause in reversed(before):
        if (kinds := vocabulary.kinds(clause.words)) and _SEVERAL & set(clause.words):
            return [kinds[0].name]
    return []


def renewed(slots: list[str], text: str, vocabulary: Vocabulary, whole: bool = False) -> list[str]:
    """The slots asked for, as the new ones where a clause asks for what shall hold from now on."""
    known = vocabulary.lexicon.slots
    if TURNS["replacing"].search(text) and not any(slot.startswith("new_") for slot in slots):
        both = _BOTH.search(text) is not None  # "your old postcode and the new one"
        slots = [
            name for slot in slots for name in ((slot, f"new_{slot}") if both else (f"new_{slot}",)
                                                if f"new_{slot}" in known else (slot,))
            if name == slot or name in known
        ]  # fmt: skip
    if whole:  # "including the postcode"
        address = [name for name in known if name.endswith("address")]
        slots = [slot if slot not in ("postcode", "zip") or not address else address[0] for slot in slots]
    return list(dict.fromkeys(slots))


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
