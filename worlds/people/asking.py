"""Which slots a clause asks for."""

import re
from typing import Final

from turnwise.worlds.people import cues
from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.choices import renewed
from turnwise.worlds.people.clauses import Clause
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.phrases import TOKEN, Found, tokens_of
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["GIVEN", "asked_slots", "asks_for", "focused", "governed", "is_label", "is_wh", "wants_slot"]

GIVEN: Final = re.compile(r"[@#\"\d](?:(?<=@)\w|(?<=\d)\d\d|(?<=#)\s?\w*\d|(?<=\")[^\"]+\")")
_DETAIL: Final = re.compile(r":\s*[^\s(]")
_EXAMPLE: Final = re.compile(r"\b(?:for example|e\.g|such as|like|starts?|starting|format|looks)\b")
_ASKING: Final = frozenset({"why", "when", "where", "which", "what", "how", "who", "whose", "whom"})
_APART: Final = re.compile(r"[,/&;(\n]|\b(?:and|or|plus|whether|as well as|along with|together with)\b")
_LINKING: Final = frozenset(  # of these alone may stand between a question word and what is asked for
    re.findall(
        r"\w+",
        "is are was were be would will should do does did the your a an and or full exact current new correct old of "
        "these those please my our other this that his her their for first last so also then preferred on in at good "
        "best complete whole",
    )
)
_BARE: Final = frozenset(
    ["your", "the", "and", "on", "in", "our", "my", "account", "file", "profile", "record", "please", "also", "plus"]
)
_BE: Final = frozenset({"is", "are", "was", "were"})
_OURS: Final = re.compile(
    r"(?:i|we)(?:'ll|'d| will| would| can| could|'m| am|'re| are|'ve| have) (?!need|like|love|require)"
)
_PLACE: Final = re.compile(r"(?:can|could|do) you (?:see|find) (?:it|one|that|this) (?:in|on|at)\b")
_OFFERED: Final = re.compile(  # what they may do, with a question mark
    r"(?:and |so |but )?you (?:could|can|may|might) (?:also |just |still )?"
    r"(?!(?:tell|give|share|send|provide|read|find|see|name|confirm)\b)[^?]*\bif (?:that|it|you)\b"
)
_ON_IT: Final = re.compile(
    r"\bwhat (?:number|code|digits?)(?:'s| is| are| stands?| do you see)?(?: \w+ed)? (on) (?:your|the)\b"
)
_SENDING: Final = re.compile(r"(?:i|we)(?: can|'d|'ll| would| will) (?:either )?(?:e?mail|post|send)\b")
_BRACKETED: Final = re.compile(r"\([^()]*\)")
_EXPLAINED: Final = re.compile(  # why it is needed, what can be done with it
    r"(?:(?:i|we)(?:'ll| will|'d)? need (?:that|this|it|them|those)\b"
    r"|(?:only )?[^.?!]* can (?:only )?be (?:changed|updated)\b"
    r"|.*\bleave [^.?!,]* as (?:it is|they are)\b)"
)
_GROUNDS: Final = ("for ", "to ", "as ", "since ", "because ")
_CHANGES: Final = (["change"], ["changes"], ["update"], ["correction"])  # "two details for the address change: ..."
_PLEASE: Final = re.compile(r"please(?: \([^()]*\)|, [^.?!:]{1,24})?[.!]*$")
_WHOLE: Final = re.compile(r"\b(?:including|with) (?:the|your) (?:zip|post(?:al )?code)\b")
_LABELLED: Final = re.compile(r"[\w' ]{2,30}: \S")
_QUOTED: Final = re.compile(r"\"[^\"]{0,120}\"")


def asked_slots(clause: Clause, vocabulary: Vocabulary, listed: bool = False) -> list[Act]:
    """The slots that a clause asks for."""
    seen, text = clause.cues, clause.text
    if not clause.slots or (seen & cues.NO_ASK and not clause.asks) or TURNS["tag"].search(text):
        return []
    please = _PLEASE.search(text) is not None and len(clause.words) <= 12
    short = please or (len(clause.words) <= 5 and clause.asks)
    if seen & cues.WAIT and not clause.asks and not listed and TURNS["looks"].search(text):
        return []
    if not (listed or short or clause.asks or _is_bare(clause)) and not TURNS["request"].search(_QUOTED.sub("", text)):
        return []
    if (listed or clause.bullet) and _DETAIL.search(text) and not clause.asks:
        return []  # a detail with its value
    if not listed and not clause.asks and TURNS["statement"].search(text):
        return []
    if not clause.asks and _LABELLED.match(text) and clause.slots[0].start == 0:
        return []
    if (_PLACE.match(text) or _OFFERED.match(text)) if clause.asks else _SENDING.match(text):
        return []
    if (
        not clause.asks
        and not listed
        and (_EXPLAINED.match(text) or (GIVEN.search(text) and not _EXAMPLE.search(text)))
    ):
        return []
    lead = TURNS["condition"].match(text)
    skip = len(tokens_of(text[: lead.end()])) if lead else 0
    tail = None if _ON_IT.search(text) else TURNS["purpose"].search(text)
    slots = clause.slots
    if tail:  # up to the next comma
        first, last = (len(tokens_of(text[:place])) for place in (tail.start(), tail.end()))
        slots = [slot for slot in slots if not first <= slot.start < last]
        if not slots and not clause.asks:
            return []
    if not listed and (bracket := _BRACKETED.search(text)):  # "date of birth, please (month/day/year)"
        first, last = (len(tokens_of(text[:place])) for place in bracket.span())
        slots = [slot for slot in slots if not first <= slot.start < last] or slots
    after = [slot for slot in slots if slot.start >= skip]
    if lead and not after and not clause.asks and text.startswith(_GROUNDS):
        return []
    slots = after or slots or clause.slots
    slots = [slot for slot in slots if clause.words[slot.stop : slot.stop + 1] not in _CHANGES] or slots
    if "name of" in text:
        slots = [slot for slot in slots if not _is_of_a_thing(slot, clause.words)] or slots
    slots = focused(slots, text)
    if "please name" in text:
        slots = [slot for slot in slots if text.count("name") > 1 or clause.words[slot.start] != "name"]
    if not clause.asks and not listed and (ours := _OURS.match(text)) and (request := TURNS["request"].search(text)):
        first = len(tokens_of(text[: request.start()]))  # "I'll cancel the order, just let me know that you're sure"
        if ours.end() < request.start():
            slots = [slot for slot in slots if slot.start >= first]
    instead = TURNS["instead"].search(text) is not None
    if TURNS["on_file"].search(text) and not TURNS["replacing"].search(
        text
    ):  # "which number do we normally reach you on?"
        known = vocabulary.lexicon.slots
        slots = [
            s._replace(name=s.name.rpartition("new_")[2]) if s.name.rpartition("new_")[2] in known else s for s in slots
        ]
    elif TURNS["replacing"].search(text):
        slots = [s._replace(name=s.name.rpartition("|")[2]) if "|new_" in s.name else s for s in slots]
    whole = any(slot.name.endswith("address") for slot in slots) or "street" in clause.words or _WHOLE.search(text)
    names = list(dict.fromkeys(slot.name for slot in slots))
    if whole or not any(slot.name.startswith("new_") for slot in clause.slots):
        names = renewed(names, text, vocabulary, bool(whole))
    return [Act("ask", name, (), text, instead) for name in names]


def _is_bare(clause: Clause) -> bool:
    """Whether a clause is no more than a list of details: "your full name and the email on the account"."""
    named = {place for slot in clause.slots for place in range(slot.start, slot.stop)}
    rest = [word for place, word in enumerate(clause.words) if place not in named]
    return len(clause.slots) > 1 and len(named) > 2 and _BARE.issuperset(rest) and not GIVEN.search(clause.text)


def focused(slots: list[Found], text: str) -> list[Found]:
    """Of the slots in a question, what its question word asks for, and what is joined to that: "why this item?"."""
    if len(slots) < 2:
        return slots
    spans = [found.span() for found in TOKEN.finditer(text)]
    words = [text[first:last] for first, last in spans]
    kept = [next((slot for slot in slots if asks_for(words, slot)), slots[0]) if "?" in text else slots[0]]
    place = slots.index(kept[0])
    after = slots[place + 1 : place + 2]
    if (
        kept[0].stop - kept[0].start == 1
        and after
        and after[0].start - kept[0].stop <= 2
        and words[kept[0].start].removesuffix("'s") in _ASKING
    ):
        kept = after  # "when's your birthday?"
    for slot in slots[slots.index(kept[0]) + 1 :]:
        between = text[spans[kept[-1].stop - 1][1] : spans[slot.start][0]]
        if _APART.search(between) or ("?" in text and asks_for(words, slot)) or slot.start < kept[-1].stop:
            kept.append(slot)
    for slot in reversed(slots[: slots.index(kept[0])]):
        if _APART.search(text[spans[slot.stop - 1][1] : spans[kept[0].start][0]]):
            kept.insert(0, slot)
    return kept


def governed(clause: Clause) -> list[Found]:
    """The slots of a question without what its verb is about: "which would you like the order charged to?"."""
    slots, words = clause.slots, clause.words
    if not slots or not clause.asks or TURNS["changed_to"].search(clause.text):
        return slots
    if TURNS["ours_to_do"].match(clause.text):  # "do I have permission to charge your card?"
        return slots if TURNS["wh"].search(clause.text) or " or " in clause.text else _attributed(slots, words)
    if TURNS["wh"].match(clause.text) is None:
        return slots
    if found := _ON_IT.search(clause.text):  # "what number is on your card?"
        first = len(tokens_of(clause.text[: found.start(1)]))
        return [slot for slot in slots if slot.start >= first] or slots
    places = [k for k, word in enumerate(words) if word.removesuffix("'s") in _ASKING]
    if (
        not places
        or words[-1] == "be"
        or places[0] + 1 == len(words)
        or words[places[0]].endswith("'s")
        or words[places[0] + 1] in _BE
    ):
        return slots  # "what is", "what should the address be?"
    kept: list[Found] = []
    for slot in slots:
        place = max((k for k in places if k < slot.stop), default=0)
        if place >= slot.start - 1 or (kept and slot.start - kept[-1].stop <= 3) or not _is_object(words, place, slot):
            kept.append(slot)
    return kept


def _is_of_a_thing(slot: Found, words: list[str]) -> bool:
    """Whether a slot is no more than the word in "name of the tablets"."""
    return words[slot.start : slot.start + 2] == ["name", "of"] and slot.stop == slot.start + 1


def _attributed(slots: list[Found], words: list[str]) -> list[Found]:
    """The slots that are more than a noun."""
    return [slot for slot in slots if slot.stop - slot.start - (words[slot.start] == "the") > 1]


def _is_object(words: list[str], place: int, slot: Found) -> bool:
    """Whether a noun without an attribute stands behind the verb of the question that begins at ``place``."""
    between = words[place + 1 : slot.start]
    short = slot.stop - slot.start - (words[slot.start] == "the") <= 1
    return short and "new" not in between and not _LINKING.issuperset(between)


def asks_for(words: list[str], slot: Found) -> bool:
    """Whether a slot's phrase begins with a question word, or follows one."""
    return any(word in _ASKING for word in words[max(0, slot.start - 1) : slot.start + 1])


def wants_slot(clause: Clause, asked: list[Act]) -> bool:
    """Whether it is asked if the person wants what a slot is about: "would you like insurance?"."""
    found = TURNS["wanting"].search(clause.text)
    if found is None:
        return False
    place = len(tokens_of(clause.text[: found.end()]))
    return any(
        slot.start in (place - 1, place, place + 1)
        and not any(slot.start < action.start < slot.stop and not action.aside for action in clause.actions)
        for slot in clause.slots
        if slot.name in {act.slot for act in asked}
    )


def is_label(clause: Clause) -> bool:
    """Whether a line begins with the name of a slot and a colon, or is hardly more than the name."""
    if not clause.slots:
        return False
    return len(clause.words) <= 4 or (clause.slots[0].start <= 2 and ":" in clause.text[:40])


def is_wh(text: str) -> bool:
    """Whether a question asks for something rather than for a yes or no."""
    return TURNS["open_question"].search(text) is not None
