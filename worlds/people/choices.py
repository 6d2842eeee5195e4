"""Questions that ask for a slot without its name: by two of its values, or by "which one" after a list."""

import re
from collections.abc import Sequence
from typing import Final

from turnwise.worlds.people.clauses import Clause
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["chosen_slots", "meant_slots", "renewed"]

_OR: Final = re.compile(r"(?:,|\bor\b)")
_REST: Final = re.compile(
    r"\b(?:or|or is it|or was it) (?:the|an|a|some|any)? ?(?:other|another|both|neither|something|someone|somebody|anything|more|less|"
    r"later|earlier|different|else|new|not|none|no)\b"
)
_MEANT: Final = re.compile(r"\b(?:do|did) you mean\b|\bis (?:it|that) the\b|\bare you (?:talking|speaking|writing) about\b")
_MEANS: Final = re.compile(
    r"\b(?:do you mean|did you mean|are you (?:talking|speaking|writing|asking) about|is (?:it|that|this)|was it)\b|"
    r"\bthe one\b|\bwhich of\b"
)


def chosen_slots(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[str]:
    """The slots of which a question offers values: "in economy or in business?"."""
    text = clause.text
    if " or " not in text:
        return []
    means = _MEANS.search(text) is not None
    if means and (meant := _listed(before, vocabulary)):
        return meant[:1]
    left, _, right = text.rpartition(" or ")
    open_ = _REST.search(" or " + right) is not None
    chosen = [
        slot
        for slot, values in vocabulary.values.items()
        if values.search(left) and (values.search(right) or open_)
    ]  # fmt: skip
    if not chosen and not clause.slots and _MEANT.search(text):  # by names that are not known here
        chosen = list(vocabulary.lexicon.kinds)
    return chosen[:1]


def meant_slots(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[str]:
    """The slots that "which one?" asks for, by what was listed before it or is named in it."""
    found = TURNS["which_one"].search(clause.text)
    if found is None:
        return []
    if own := vocabulary.kinds(clause.words):
        return [own[0].name]
    return _listed(before, vocabulary)[:1]


def _listed(before: Sequence[Clause], vocabulary: Vocabulary) -> list[str]:
    """The slots of which several were named, in the clauses nearest first; the nouns of things before the values."""
    for clause in reversed(before):
        if kinds := vocabulary.kinds(clause.words, several=True):
            return [kinds[-1].name]
    text = "\n".join(clause.text for clause in before)
    counts = {slot: len({found.group() for found in values.finditer(text)}) for slot, values in vocabulary.values.items()}
    return [slot for slot, count in sorted(counts.items(), key=lambda item: -item[1]) if count >= 2]


def renewed(slots: list[str], text: str, vocabulary: Vocabulary) -> list[str]:
    """The slots asked for, as the new ones where a clause asks for what shall hold from now on."""
    known = vocabulary.lexicon.slots
    if TURNS["anew"].search(text):
        slots = [f"new_{slot}" if f"new_{slot}" in known else slot for slot in slots]
    whole = [slot for slot in slots if slot.endswith("address") and slot != "email"]
    if whole:  # "including the postcode"
        slots = [slot for slot in slots if slot != "postcode"]
    return list(dict.fromkeys(slots))
