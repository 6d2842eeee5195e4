"""An intent grammar: what a service agent does with a message, from its text."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from turnwise.worlds.people import cues
from turnwise.worlds.people.choices import chosen_slots, meant_slots, renewed
from turnwise.worlds.people.clauses import VALUE, Clause, clauses_of, main_actions, names_of, plain, plainest
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.naming import in_context, proposed
from turnwise.worlds.people.part import Lexicon
from turnwise.worlds.people.reports import done_actions, is_done, refuses, results
from turnwise.worlds.people.vocabulary import TOKEN, Found, Vocabulary, tokens_of, vocabulary_of

__all__ = ["Act", "acts_of", "plain", "understand"]

_GIVEN: Final = re.compile(r"@\w|\d{3}|#\s?\w*\d|\"[^\"]+\"")
_DETAIL: Final = re.compile(r":\s*[^\s(]")
_OWN: Final = re.compile(  # before a step: who takes it is not the person
    r"^if\b|\bi(?:'ve|'ll|'m| have| will| can| could| may| am|'d| would| need)\b"
    r"(?! (?:like|need|ask|want|have)? ?you\b)|"
    r"\bwe(?:'ve|'ll| have| will| can| could)\b|\b(?:may|can|could|shall|should) i\b|\b(?:me|us) to\b|"
    r"\byou(?:'d| would)? (?:want|like) to\b"
)
_OURS: Final = re.compile(
    r"\b(?:on|from) (?:our|my) (?:side|end)\b|\b(?:for|on|to) (?:your|the) (?:line|account|plan)\b"
)
_SUPPOSING: Final = re.compile(
    r"if (?!not\b|that (?:do|is|isn)|this do|it (?:do|still|isn)|you(?:'re)? still)[^,]{1,60}, (?!i\b|we\b)\w"
)
_LINKS: Final = frozenset({"and", "or", "the", "your", "both", "as", "well", "also", "plus"})
_EXAMPLE: Final = re.compile(r"\b(?:for example|e\.g|such as|like|starts?|starting|format|looks)\b")
_ASKING: Final = frozenset({"why", "when", "where", "which", "what", "how", "who", "whose", "whom"})
_APART: Final = re.compile(r"[,/&;(\n]|\b(?:and|or|plus|whether|as well as|along with|together with)\b")
_FIRM: Final = ("firm", "unable_that")
_FAILED: Final = re.compile(r"\b(?:could not|couldn't|cannot|can't|unable to|not able to|did not|didn't|failed to)\b")
_LABELLED: Final = re.compile(r"[\w' ]{2,30}: \S")
_AMISS: Final = re.compile(r"\b(?:doesn't|don't|isn't|not|no match|wrong|mismatch|incomplete|incorrect|invalid)\b")
_QUOTED: Final = re.compile(r"\"[^\"]{0,120}\"")


class Act(NamedTuple):
    """One thing that a message does.

    Attributes:
        kind: ``ask``, ``ask_open``, ``ask_more``, ``confirm``, ``done``, ``refuse``, ``offer``, ``answer``,
            ``instruct``, ``wait``, ``handover``, ``bye``, ``ask_identity`` or ``unclear``.
        slot: The slot asked for, or the step asked for; empty for other kinds.
        actions: The actions named.
        text: The words, in lower case without markup, in which it was said.
        instead: Whether it is asked only in case the question before it cannot be answered.
        aside: Whether it may be no more than what comes with another action.
    """

    kind: str
    slot: str = ""
    actions: tuple[str, ...] = ()
    text: str = ""
    instead: bool = False
    aside: bool = False


_MOST_HEAD, _MOST_TAIL, _MOST_CLAUSES = 6000, 2000, 160


def understand(text: str, lexicon: Lexicon) -> tuple[Act, ...]:
    """What a message does, in its order; always at least one act."""
    return acts_of(plain(text), vocabulary_of(lexicon))


def acts_of(text: str, vocabulary: Vocabulary) -> tuple[Act, ...]:
    """What a message in plain lower case does; `understand` with the lexicon already read."""
    clauses = in_context(clauses_of(text, vocabulary), vocabulary)
    acts: list[Act] = []
    listing = False  # the lines below "please provide:" are asked for
    alone = True  # whether they were named without an action
    before: list[Found] = []  # the slots named last, which "could you share it?" asks for
    for place, clause in enumerate(clauses):
        if clause.bullet or (listing and _is_label(clause)):
            if listing and not (clause.asks and clause.cues & cues.CONFIRM):
                if not clause.cues & cues.NO_ASK:
                    acts += _asked(clause, vocabulary, listed=True)
                continue
        else:
            listing = False
        if clause.cues & cues.CONFIRM and not clause.slots and _lists_slots(clauses[place + 1 : place + 2]):
            listing = True  # "please confirm these details:"
            continue
        found = _acts(clause, vocabulary, clauses[:place])
        if before and not clause.slots and _asks_again(clause, found, alone):
            again = renewed(list(dict.fromkeys(slot.name for slot in before)), clause.text, vocabulary)
            found = [Act("ask", name, (), clause.text) for name in again]
        acts += found
        if clause.slots:
            given = _GIVEN.search(clause.text) and not clause.cues & cues.NEGATED and not _AMISS.search(clause.text)
            before = [] if clause.bullet or given else _focused(clause.slots, clause.text)
            alone = not clause.actions
        if clause.text.endswith(":") or (not clause.bullet and clause.cues & cues.ASK and not clause.asks):
            listing = (
                bool(clause.cues & cues.ASK or TURNS["wanted_list"].search(clause.text))
                and not any(a.kind in ("done", "refuse") for a in found)
                and not (clause.cues & cues.CONFIRM and "confirm" in clause.text)
            )
            if clause.cues & cues.IDENTITY and clause.cues & cues.ASK:
                listing = True
    return _settle(acts, clauses, vocabulary)


def _lists_slots(following: Sequence[Clause]) -> bool:
    """Whether the next line names a slot without its value."""
    return any(clause.bullet and clause.slots and not VALUE.search(clause.text) for clause in following)


_POLITE: Final = re.compile(
    r"\W*(?:thank|thanks|sure|of course|certainly|great|glad|happy|sorry|please|welcome|hello|hi\b|dear|take care|"
    r"have a|good (?:morning|afternoon|evening|day)|my pleasure|no problem|you're welcome|let me(?! tell)|"
    r"if (?:you|there)|feel free|don't hesitate|we |"
    r"i(?:'m| am| do| hope|'d| would| will|'ll| can| want| understand| appreciate| apologi))"
)


def _asks_again(clause: Clause, found: list[Act], alone: bool) -> bool:
    """Whether a clause asks for what was named before it: "could you share it?"."""
    text = clause.text
    if clause.asks and TURNS["again"].search(text):
        return True
    if (
        found
        and found[0].kind not in ("ask_identity", "wait")
        and (found[0].kind, found[0].slot) != ("instruct", "look")
        and not (found[0].kind == "confirm" and TURNS["supply"].search(text) and not found[0].actions)
    ):
        return False
    if (clause.asks or "please" in text) and TURNS["pronoun"].search(text):
        return True
    return not found and clause.asks and alone and TURNS["wh"].match(text) is not None


def _acts(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[Act]:
    """What one clause does by itself."""
    seen, text = clause.cues, clause.text
    actions = names_of(clause)
    if seen & cues.HANDOVER:
        offered = clause.asks or TURNS["offered"].search(text)
        return [Act("confirm", "handover", (), text)] if offered else [Act("handover", "", (), text)]
    if not clause.asks and _is_told(clause, vocabulary) and is_done(clause, vocabulary):
        return [Act("done", "", done_actions(clause, vocabulary), text, aside=_is_aside(clause))]
    steps = vocabulary.steps(clause.words)
    if (
        steps
        and (_SUPPOSING.match(text) or not _OWN.search(" ".join(clause.words[: steps[0].start])))
        and not _OURS.search(text)
        and (clause.asks or clause.bullet or TURNS["imperative"].search(text))
        and not seen & cues.NO_ASK
        and not text.startswith("let's try")
        and not TURNS["barred"].search(text)
        and not (clause.asks and clause.slots and TURNS["wh"].match(text) and clause.slots[0].start <= 2)
    ):
        return [Act("instruct", name, (), text) for name in _listed(steps, clause.words, vocabulary)]
    if seen & cues.REFUSE and refuses(clause) and (TURNS["barred"].search(text) or not _asked(clause, vocabulary)):
        return [Act("refuse", "", _refused(clause), text)]
    found: list[Act] = []
    if is_done(clause, vocabulary):
        found.append(Act("done", "", done_actions(clause, vocabulary), text, aside=_is_aside(clause)))
    if clause.asks and (chosen := chosen_slots(clause, vocabulary, before)):
        return [*found, *_chosen(clause, chosen)]
    if seen & cues.ASK_MORE and (clause.asks or TURNS["more"].search(text)):
        return [*found, Act("ask_more", "", (), text)]
    if seen & cues.BYE:
        found.append(Act("bye", "", (), text))
    if clause.asks and TURNS["openly"].search(text):
        return [*found, Act("ask_open", "", actions, text)]
    meant = _meant(clause, vocabulary, before)
    if meant:
        return [*found, *meant]
    if seen & cues.ASK_OPEN and not clause.slots:
        return [*found, Act("ask_open", "", actions, text)]
    questions = _questions(clause, vocabulary, before)
    found += questions
    if not found and seen & cues.OFFER and not clause.asks and actions:
        found.append(Act("offer", "", actions, text))
    if not found and not clause.asks and not seen & cues.WAIT and TURNS["options"].search(text):
        found.append(Act("offer", "", actions, text))
    if not found and seen & cues.WAIT and not clause.asks:
        found.append(Act("wait", "", (), text))
    return found


def _is_told(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a clause says what the outcome is, rather than what to do."""
    if results(clause, vocabulary):
        return True
    reported = TURNS["reported"].search(clause.text) is not None
    return reported and bool(clause.actions) and not clause.cues & (cues.REFUSE | cues.ASK_MORE | cues.HANDOVER)


def _refused(clause: Clause) -> tuple[str, ...]:
    """The actions that a clause refuses, without those named as the grounds: "no change, as you have no insurance"."""
    cut = TURNS["grounds"].search(clause.text)
    stop = len(tokens_of(clause.text[: cut.start()])) if cut else len(clause.words)
    main = main_actions(clause)
    named = plainest([action for action in main if action.start < stop]) or plainest(main)
    if not TURNS["no_pay"].search(clause.text) or any(not action.aside for action in named):
        named = [action for action in named if not action.aside]  # what it would cost
    return tuple(dict.fromkeys(action.name for action in named))


def _is_aside(clause: Clause) -> bool:
    """Whether all that a clause names may come with something else, as a payment does."""
    named = plainest(clause.actions)
    return bool(named) and all(action.aside for action in named)


def _meant(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[Act]:
    """The questions for a slot that is not named: "the Visa or the Mastercard?", "which one?", "who is this?"."""
    text = clause.text
    if not clause.asks and not TURNS["tell_which"].search(text):
        return []
    if "name" in vocabulary.lexicon.slots and TURNS["whom"].search(text):
        return [Act("ask", "name", (), text)]
    if clause.slots and not TURNS["which_of"].search(text):
        return []
    meant = meant_slots(clause, vocabulary, before)
    named = [slot.name for slot in clause.slots if _asks_for(clause.words, slot)] if meant else []
    if named and not vocabulary.kinds(clause.words):
        return []
    asked = [Act("ask", name, (), text) for name in dict.fromkeys((*named, *renewed(meant, text, vocabulary)))]
    return [*asked, Act("offer", "", names_of(clause), text)] if asked else []


def _chosen(clause: Clause, chosen: list[str]) -> list[Act]:
    """The questions of a clause that offers values of slots."""
    text = clause.text
    these = re.search(r"\bwhich of (?:these|those|them)\b", text)
    named = [slot.name for slot in clause.slots if (_wh(text) and not these) or slot.name in chosen]
    return [Act("ask", name, (), text) for name in dict.fromkeys([*named, *chosen])]


def _listed(steps: list[Found], words: list[str], vocabulary: Vocabulary) -> list[str]:
    """The steps, by name; in "turn off A and B", which names ``a_off`` and ``b``, the second is ``b_off`` as well."""
    names: list[str] = []
    for place, step in enumerate(steps):
        name = step.name
        if names and _LINKS.issuperset(words[steps[place - 1].stop : step.start]):
            carried = f"{name}_{names[-1].rpartition('_')[2]}"
            name = carried if carried in vocabulary.lexicon.steps else name
        names.append(name)
    return names


def _questions(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[Act]:
    """The questions of a clause: slots asked for, a proposal to confirm, a proof of identity."""
    seen, text = clause.cues, clause.text
    if seen & cues.NO_ASK and not clause.asks:
        return []
    waits = seen & cues.WAIT and not clause.asks
    identifying = seen & cues.IDENTITY and not clause.asks and TURNS["identifying"].search(text)
    if identifying and not waits and not _asked(clause, vocabulary):
        return [Act("ask_identity", "", (), text)]
    if seen & cues.IDENTITY and not clause.slots and TURNS["who"].search(text) and (clause.asks or seen & cues.ASK):
        return [Act("ask_identity", "", (), text)]
    if seen & cues.IDENTITY and TURNS["verifying"].match(text):
        return [Act("ask_identity", "", (), text)]
    proposed = clause.asks and clause.actions and TURNS["may_i"].match(text)
    wants = (
        (seen & cues.CONFIRM or proposed)
        and (clause.asks or not seen & cues.IDENTITY)
        and not TURNS["wh"].match(text)
        and (clause.asks or TURNS["confirming"].search(text) or TURNS["weak"].search(text))
    )
    asked = _asked(clause, vocabulary)
    valued = VALUE.search(text)
    if (
        wants
        and not (asked and _wants_slot(clause, asked))
        and (not asked or (valued and clause.asks) or (not _wh(text) and _proposes(clause)))
    ):
        actions = _wanted(clause)
        return [Act("confirm", asked[0].slot if asked and not actions else "", actions, text)]
    if asked:
        if valued and clause.asks and not _wh(text) and not _wants_slot(clause, asked):
            return [Act("confirm", asked[0].slot, (), text)]
        return asked
    if seen & cues.IDENTITY and not waits and (clause.asks or (seen & cues.ASK and "while i " not in text)):
        return [Act("ask_identity", "", (), text)]
    return []


def _wants_slot(clause: Clause, asked: list[Act]) -> bool:
    """Whether it is asked if the person wants what a slot is about: "would you like insurance?"."""
    found = TURNS["wanting"].search(clause.text)
    if found is None:
        return False
    place = len(tokens_of(clause.text[: found.end()]))
    return any(
        slot.start in (place - 1, place, place + 1) for slot in clause.slots if slot.name in {act.slot for act in asked}
    )


def _is_label(clause: Clause) -> bool:
    """Whether a line begins with the name of a slot and a colon, or is hardly more than the name."""
    if not clause.slots:
        return False
    return len(clause.words) <= 4 or (clause.slots[0].start <= 2 and ":" in clause.text[:40])


def _wh(text: str) -> bool:
    return TURNS["open_question"].search(text) is not None


def _proposes(clause: Clause) -> bool:
    """Whether a question with a slot in it asks for a yes to an action rather than for the slot."""
    return bool(names_of(clause)) or TURNS["proposal"].search(clause.text) is not None


def _wanted(clause: Clause) -> tuple[str, ...]:
    """The actions proposed, without those that are named as what is not meant."""
    cut = TURNS["wanted"].search(clause.text)
    if cut is None:
        return names_of(clause)
    first = len(tokens_of(clause.text[: cut.start()]))
    dropped = range(first, first + len(tokens_of(cut.group())))
    kept = plainest([action for action in main_actions(clause) if action.start not in dropped])
    return tuple(dict.fromkeys(action.name for action in kept)) or names_of(clause)


def _asked(clause: Clause, vocabulary: Vocabulary, listed: bool = False) -> list[Act]:
    """The slots that a clause asks for."""
    seen, text = clause.cues, clause.text
    if not clause.slots or (seen & cues.NO_ASK and not clause.asks):
        return []
    please = text.rstrip(".!").endswith("please") and len(clause.words) <= 12
    short = please or (len(clause.words) <= 5 and clause.asks)
    if seen & cues.WAIT and not clause.asks and not listed and TURNS["looks"].search(text):
        return []
    if not (listed or short or clause.asks) and not TURNS["request"].search(_QUOTED.sub("", text)):
        return []
    if (listed or clause.bullet) and _DETAIL.search(text) and not clause.asks:
        return []  # a detail with its value
    if not listed and not clause.asks and TURNS["statement"].search(text):
        return []
    if not clause.asks and _LABELLED.match(text) and clause.slots[0].start == 0:
        return []
    if _GIVEN.search(text) and not clause.asks and not listed and not _EXAMPLE.search(text):
        return []
    lead = TURNS["condition"].match(text)
    skip = len(tokens_of(text[: lead.end()])) if lead else 0
    tail = TURNS["purpose"].search(text)
    slots = clause.slots
    if tail:  # up to the next comma
        first, last = (len(tokens_of(text[:place])) for place in (tail.start(), tail.end()))
        slots = [slot for slot in slots if not first <= slot.start < last]
        if not slots and not clause.asks:
            return []
    after = [slot for slot in slots if slot.start >= skip]
    if lead and not after and not clause.asks and text.startswith(("for ", "to ")):
        return []
    slots = after or slots or clause.slots
    slots = _focused(slots, text)
    if "please name" in text:
        slots = [slot for slot in slots if text.count("name") > 1 or clause.words[slot.start] != "name"]
    instead = TURNS["instead"].search(text) is not None
    whole = any(slot.name.endswith("address") for slot in clause.slots)
    names = list(dict.fromkeys(slot.name for slot in slots))
    if whole or not any(slot.name.startswith("new_") for slot in clause.slots):
        names = renewed(names, text, vocabulary, whole)
    return [Act("ask", name, (), text, instead) for name in names]


def _focused(slots: list[Found], text: str) -> list[Found]:
    """Of the slots in a question, what its question word asks for, and what is joined to that: "why this item?"."""
    if len(slots) < 2:
        return slots
    spans = [found.span() for found in TOKEN.finditer(text)]
    words = [text[first:last] for first, last in spans]
    kept = [next((slot for slot in slots if _asks_for(words, slot)), slots[0])]
    place = slots.index(kept[0])
    after = slots[place + 1 : place + 2]
    if (
        kept[0].stop - kept[0].start == 1
        and after
        and after[0].start - kept[0].stop <= 2
        and words[kept[0].start] in _ASKING
    ):
        kept = after  # "when's your birthday?"
    for slot in slots[slots.index(kept[0]) + 1 :]:
        between = text[spans[kept[-1].stop - 1][1] : spans[slot.start][0]]
        if _APART.search(between) or _asks_for(words, slot) or slot.start < kept[-1].stop:
            kept.append(slot)
    for slot in reversed(slots[: slots.index(kept[0])]):
        if _APART.search(text[spans[slot.stop - 1][1] : spans[kept[0].start][0]]):
            kept.insert(0, slot)
    return kept


def _asks_for(words: list[str], slot: Found) -> bool:
    """Whether a slot's phrase begins with a question word, or follows one."""
    return any(word in _ASKING for word in words[max(0, slot.start - 1) : slot.start + 1])


def _settle(acts: list[Act], clauses: list[Clause], vocabulary: Vocabulary) -> tuple[Act, ...]:
    """The acts of a whole message: what a part of it says is read in the light of the rest."""
    kinds = {act.kind for act in acts}
    if "confirm" in kinds and kinds & {"ask", "ask_identity"}:
        acts = [act for act in acts if act.kind != "confirm" or "?" in act.text or not TURNS["weak"].search(act.text)]
    if "confirm" in kinds:  # a restriction on what is proposed
        acts = [act for act in acts if act.kind != "refuse" or act.actions or _is_firm(act)]
    if "confirm" in kinds:
        refused = {act.text for act in acts if act.kind == "refuse" and _is_firm(act)}
        body = "\n".join(clause.text for clause in clauses if clause.text not in refused)
        places = {clause.text: place for place, clause in enumerate(clauses)}
        acts = [
            act._replace(
                text=body, actions=act.actions or proposed(clauses, places.get(act.text, 0), vocabulary, refused)
            )
            if act.kind == "confirm" and not act.slot
            else act
            for act in acts
        ]
        meant = {name for act in acts if act.kind == "confirm" for name in act.actions}
        acts = [act for act in acts if act.kind != "refuse" or _is_firm(act) or not set(act.actions) & meant]
    acts = _weighed(acts)
    if "refuse" in kinds:  # why it is refused, not a question
        acts = [act for act in acts if act.kind != "ask_identity" or _FAILED.search(act.text) is None]
    if kinds & {"handover", "done"}:
        acts = [act for act in acts if act.kind != "refuse" or act.actions]
    if "bye" in kinds and kinds & {"ask", "ask_open", "confirm", "ask_identity", "instruct"}:
        acts = [act for act in acts if act.kind != "bye"]
    if "wait" in kinds and len(kinds) > 1:
        acts = [act for act in acts if act.kind != "wait"]
    if acts and all(act.kind in ("ask_more", "bye", "offer") for act in acts):
        known = {act.text for act in acts}
        stated = [clause.text for clause in clauses if clause.text not in known and _states(clause)]
        acts = [*([Act("answer", "", (), "\n".join(stated))] if stated else []), *acts]
    if acts:
        return tuple(dict.fromkeys(acts))
    said = "\n".join(clause.text for clause in clauses if not clause.asks)
    if any(clause.asks for clause in clauses) or not said:
        return (Act("unclear", text="\n".join(clause.text for clause in clauses)),)
    return (Act("answer", "", (), said),)


def _weighed(acts: list[Act]) -> list[Act]:
    """The acts without those that only give the grounds for another one."""
    kinds = {act.kind for act in acts}
    if "refuse" in kinds:
        if kinds & {"ask", "ask_identity"}:  # what has to be known first
            acts = [act for act in acts if act.kind != "refuse" or not TURNS["waits"].search(act.text)]
        if "ask" in kinds:
            acts = [act for act in acts if act.kind != "refuse" or _is_firm(act)]
        flat = [act for act in acts if act.kind == "refuse" and TURNS["flat"].search(act.text)]
        if flat:
            acts = [act for act in acts if act.kind != "refuse" or act in flat]
        acts = [act for act in acts if act.kind != "done" or TURNS["first_hand"].search(act.text)]
    if "confirm" in kinds:
        acts = [act for act in acts if act.kind != "done" or (TURNS["reported"].search(act.text))]
    if kinds & {"ask", "ask_identity", "handover", "confirm"}:  # "I've done what I can"
        acts = [act for act in acts if act.kind != "done" or act.actions or act.text.startswith(("done", "all "))]
    done = [act for act in acts if act.kind == "done" and not act.aside]
    if done:
        acts = [act for act in acts if act.kind != "done" or not act.aside]
    if any(act.kind == "confirm" and (act.slot == "handover" or "beyond" in act.actions) for act in acts):
        acts = [act for act in acts if act.kind != "refuse" or not (act.actions == () or "beyond" in act.actions)]
    if "handover" in kinds and any(act.kind == "confirm" for act in acts):
        acts = [act for act in acts if act.kind != "handover" or TURNS["just_now"].search(act.text)]
    return acts


def _is_firm(act: Act) -> bool:
    """Whether a refusal stands whatever else is said beside it."""
    return any(TURNS[name].search(act.text) for name in (*_FIRM, "flat"))


def _states(clause: Clause) -> bool:
    """Whether a clause says something, and is not just polite."""
    return not clause.asks and len(clause.words) >= 3 and _POLITE.match(clause.text) is None
