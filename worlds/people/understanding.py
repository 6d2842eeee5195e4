"""An intent grammar: what a service agent does with a message, from its text."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from turnwise.worlds.people import cues
from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.asking import GIVEN, asked_slots, asks_for, focused, governed, is_label, is_wh, wants_slot
from turnwise.worlds.people.choices import (
    DESCRIBES,
    chooses_deeds,
    chosen_slots,
    deeds_listed,
    meant_slots,
    offers_deeds,
    renewed,
)
from turnwise.worlds.people.clauses import VALUE, Clause, clauses_of, main_actions, names_of, plain, plainest
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.naming import antecedents, in_context
from turnwise.worlds.people.part import Lexicon
from turnwise.worlds.people.phrases import Found, tokens_of
from turnwise.worlds.people.reports import done_actions, is_done, is_headed, main_part, refuses, results
from turnwise.worlds.people.vocabulary import Vocabulary, vocabulary_of
from turnwise.worlds.people.weighing import settled

__all__ = ["Act", "acts_of", "plain", "understand"]

_OWN: Final = re.compile(  # before a step: who takes it is not the person
    r"^if\b|^(?:very |more than )?(?:happy|glad|pleased) to\b|^(?:to )?order(?:ing)?\b|\bline was\b|"
    r"\bare you$|\bi(?:'ve|'ll|'m| have| will| can| could| may| am|'d| would| need)\b"
    r"(?! (?:(?:like|need|ask|want|have)? ?you|(?:like|love|need|want|have) to (?:know|hear|see)|need (?:is )?an?)\b)|"
    r"\bwe(?:'ve|'ll| have| will| can| could)\b|\b(?:may|can|could|shall|should) i\b|\b(?:me|us) to\b|"
    r"\byou(?:'d| would)? (?:want|like) to\b"
)
_OURS: Final = re.compile(
    r"\b(?:on|from) (?:our|my) (?:side|end)\b|\b(?:for|on|to) (?:your|the) (?:line|account|plan)\b"
)
_SUPPOSING: Final = re.compile(
    r"if (?!not\b|that (?:do|is|isn)|this do|it (?:do|still|isn)|you(?:'re)? still)[^,]{1,60}, (?!i\b|we\b)\w"
)
_SHOWN: Final = re.compile(r": (?:is )?(?:on|off|active|inactive|enabled|disabled|connected|yes|no|\d[\w. ]*)[.!]?$")
_SWITCHED: Final = re.compile(
    r"(?!.*\b(?:please|check|whether|if|sure|see|confirm|tell|look|needs?|must)\b).*"
    r"\b(?:(?:is|are|been) (?:now )?(?:switched|turned|set|enabled|activated)|(?:has|have) [\w ]{2,16} now)\b"
)
_PRINTED: Final = re.compile(r"\b(?:is|are|it's) (?:printed|shown|written|found|listed|given)\b")
_EXPLAINED: Final = frozenset({"reason", "damage"})
_GUESSED: Final = re.compile(r"(?:was|were|is) (?:it|the \w+) (?:the|too|because|a|an|that|just)\b.* or\b")
_PAID: Final = re.compile(r"\b(?:is|are|been|was|now) (?:now )?(?:paid|charged)\b")
_EXAMPLE: Final = re.compile(r"\(?\b(?:for example|for instance|e\.g\.|such as),? [^,)?]*\)?")
_COSTS: Final = frozenset({"charge", "charges", "fee", "fees", "cost", "costs"})
_LINKS: Final = frozenset({"and", "or", "the", "your", "both", "as", "well", "also", "plus"})
_AMISS: Final = re.compile(
    r"\b(?:doesn't|don't|isn't|not|no match|wrong|mismatch|"
    r"too (?:short|long)|digits? (?:short|missing)|incomplete|incorrect|invalid)\b"
)


_ASKED_ANEW = re.compile(r"(,? or) (?:shall|should) (?:i|we)(?: just| rather)? ")  # pay it, or shall we leave it?


def understand(text: str, lexicon: Lexicon) -> tuple[Act, ...]:
    """What a message does, in its order; always at least one act."""
    return acts_of(plain(text), vocabulary_of(lexicon))


def acts_of(text: str, vocabulary: Vocabulary) -> tuple[Act, ...]:
    """What a message in plain lower case does; `understand` with the lexicon already read."""
    clauses = in_context(clauses_of(_ASKED_ANEW.sub(r"\1 ", text), vocabulary), vocabulary)
    acts: list[Act] = []
    listing = False  # the lines below "please provide:" are asked for
    alone = True  # whether they were named without an action
    before: list[Found] = []  # the slots named last, which "could you share it?" asks for
    held: list[Found] = []  # the same with those whose value was told, which "what should it be?" asks for again
    for place, clause in enumerate(clauses):
        if clause.bullet or (listing and is_label(clause) and not TURNS["courtesy"].match(clause.text)):
            if listing and not (clause.asks and clause.cues & cues.CONFIRM):
                if not clause.cues & cues.NO_ASK and not _is_step(clause):
                    acts += asked_slots(clause, vocabulary, listed=True) or [
                        Act("ask", slot, (), clause.text)
                        for slot in chosen_slots(clause, vocabulary, ())
                        if clause.asks
                    ]
                continue
        else:
            listing = False
        if clause.cues & cues.CONFIRM and not clause.slots and _lists_slots(clauses[place + 1 : place + 2]):
            listing = True  # "please confirm these details:"
            continue
        clause = clause._replace(slots=governed(clause)) if clause.slots else clause
        found = _acts(clause, vocabulary, clauses[:place])
        if found and found[0].kind == "instruct":
            known = not any(act.kind == "instruct" for act in acts)
            found = antecedents(found, clauses[:place] if known else (), vocabulary)
        if held and not clause.slots and TURNS["afresh"].search(clause.text):
            before = held
        if before and clause.asks and clause.slots and TURNS["of_it"].search(clause.text):
            found = [Act("ask", slot.name, (), clause.text) for slot in before]  # "your card: what number is on it?"
        elif before and not clause.slots and _asks_again(clause, found, alone):
            again = renewed(list(dict.fromkeys(slot.name for slot in before)), clause.text, vocabulary)
            found = [Act("ask", name, (), clause.text) for name in again]
        if found and acts and acts[-1].slot in _EXPLAINED and _GUESSED.match(clause.text):
            continue  # "why? was it the size, or the color?"
        acts += found
        if clause.slots and not (before and DESCRIBES.match(clause.text)):
            given = GIVEN.search(clause.text) and not clause.cues & cues.NEGATED and not _AMISS.search(clause.text)
            held = _spoken_of(clause, found)
            before = [] if clause.bullet or given else held
            alone = not clause.actions
        if clause.text.endswith(":") or (not clause.bullet and clause.cues & cues.ASK and not clause.asks):
            listing = (
                bool(clause.cues & cues.ASK or TURNS["wanted_list"].search(clause.text))
                and not any(a.kind in ("done", "refuse") for a in found)
                and not (clause.cues & cues.CONFIRM and "confirm" in clause.text)
            )
            if clause.cues & cues.IDENTITY and clause.cues & cues.ASK:
                listing = True
            elif (
                clause.text.endswith(":")
                and not clause.slots
                and not clause.cues & (cues.DONE | cues.REFUSE | cues.SEEN)
                and not TURNS["state"].search(clause.text)
                and _lists_only_slots(clauses[place + 1 :])
            ):
                listing, acts = True, [act for act in acts if act.text != clause.text]  # "to verify you:"
    return settled(acts, clauses, vocabulary)


def _spoken_of(clause: Clause, found: Sequence[Act]) -> list[Found]:
    """The slots that "what is it?" asks for behind a clause: the one that it asks for, or those that it is about."""
    asked = {act.slot for act in found if act.kind == "ask"}
    named = [slot for slot in clause.slots if slot.name in asked]
    if len(named) == 1 and not clause.asks:
        return named
    slots = _main(clause)
    return focused(slots[:1] if _PRINTED.search(clause.text) else slots, clause.text)


def _main(clause: Clause) -> list[Found]:
    """The slots of a clause without those of the condition before it: "if you don't know the password, ..."."""
    lead = TURNS["condition"].match(clause.text)
    skip = len(tokens_of(clause.text[: lead.end()])) if lead else 0
    return [slot for slot in clause.slots if slot.start >= skip] or clause.slots


def _is_step(clause: Clause) -> bool:
    """Whether a line of a list says what is to be done: "cancel the check-up (no fee)"."""
    return any(
        (action.level > 2 or (action.level and not action.start))
        and not any(slot.start <= action.start < slot.stop for slot in clause.slots)  # "new phone number"
        for action in clause.actions
    )


def _lists_slots(following: Sequence[Clause]) -> bool:
    """Whether the next line names a slot without its value."""
    return any(clause.bullet and clause.slots and not VALUE.search(clause.text) for clause in following)


def _lists_only_slots(following: Sequence[Clause]) -> bool:
    """Whether each of the lines below is the name of a slot without its value."""
    lines = list(takewhile(lambda clause: clause.bullet, following))
    return lines != [] and all(
        clause.slots and not VALUE.search(clause.text) and not clause.text.endswith(":") and _is_called(clause)
        for clause in lines
    )


def _is_called(clause: Clause) -> bool:
    """Whether a line is hardly more than the name of a slot."""
    named = sum(slot.stop - slot.start for slot in clause.slots)
    return clause.text.isascii() and len(clause.words) - named <= 5 and (clause.slots[0].start <= 2 or clause.asks)


def _asks_again(clause: Clause, found: list[Act], alone: bool) -> bool:
    """Whether a clause asks for what was named before it: "could you share it?"."""
    text = clause.text
    if TURNS["ours"].match(text):
        return False
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
    if seen & cues.HANDOVER and not TURNS["stays"].search(text):
        offered = clause.asks or TURNS["offered"].search(text)
        if clause.asks and seen & cues.ASK_MORE and (ahead := _ahead(clause)):
            return [*ahead, Act("ask_more", "", (), text)]
        if offered:
            return [Act("confirm", "handover", (), text)]
        return [Act("handover", "", (), text, maybe=TURNS["announced"].search(text) is not None)]
    if not clause.asks and TURNS["outright"].search(text):  # whatever rule is quoted behind the colon
        return [Act("refuse", "", _refused(clause), text)]
    done = not clause.asks and is_done(clause, vocabulary)
    if done and _is_told(clause, vocabulary):
        return [Act("done", "", done_actions(clause, vocabulary), text, aside=_is_aside(clause, vocabulary))]
    steps = [
        step
        for step in vocabulary.steps(clause.words)
        if not _COSTS.issuperset(clause.words[step.stop : step.stop + 1] or ".")
    ]
    if (
        steps
        and (_SUPPOSING.match(text) or not _OWN.search(" ".join(clause.words[: steps[0].start])))
        and not _OURS.search(text)
        and (clause.asks or clause.bullet or TURNS["imperative"].search(text))
        and not seen & cues.NO_ASK
        and not text.startswith("let's try")
        and not (not clause.asks and TURNS["supposing"].search(text))
        and not TURNS["barred"].search(text)
        and not (clause.bullet and _SHOWN.search(text))  # "roaming: off"
        and not (not clause.asks and _SWITCHED.match(text))
        and not (clause.asks and seen & cues.CONFIRM and TURNS["deed"].match(text))  # "roaming is off. switch it on?"
        and not (clause.asks and clause.slots and TURNS["wh"].match(text) and clause.slots[0].start <= 2)
    ):
        return [Act("instruct", name, (), text) for name in _listed(steps, clause.words, vocabulary)]
    if seen & cues.REFUSE and refuses(clause) and (TURNS["barred"].search(text) or not asked_slots(clause, vocabulary)):
        return [Act("refuse", "", _refused(clause), text)]
    found: list[Act] = []
    if done:
        found.append(Act("done", "", done_actions(clause, vocabulary), text, aside=_is_aside(clause, vocabulary)))
    if seen & cues.ASK_MORE and clause.asks and TURNS["all_done"].search(text) and not clause.slots:
        return [*found, *_ahead(clause), Act("ask_more", "", (), text)]
    if clause.asks and TURNS["is_that"].match(text) and not seen & cues.ASK_MORE and not _is_doubtful(clause):
        return [*found, Act("confirm", "", actions, text, maybe=True)]
    chosen = chosen_slots(clause, vocabulary, before) if clause.asks else []
    if clause.asks and TURNS["choosing"].match(text):
        staying = not chosen and TURNS["staying"].search(text) is not None
        if staying or chooses_deeds(clause, vocabulary):
            return [*found, Act("ask_open", "", (), text), Act("offer", "", actions, text)]
    if chosen:
        return [*found, *_chosen(clause, chosen)]
    if seen & cues.ASK_MORE and (clause.asks or TURNS["more"].search(text)):
        return [*found, *_ahead(clause), Act("ask_more", "", (), text)]
    if seen & cues.BYE:
        found.append(Act("bye", "", (), text))
    if clause.asks and TURNS["doing_with"].search(text):
        return [*found, Act("ask_more", "", (), text)]
    if clause.asks and TURNS["openly"].search(text):
        return [*found, Act("ask_open", "", actions, text)]
    meant = _meant(clause, vocabulary, before)
    if meant:
        return [*found, *meant]
    if seen & cues.ASK_OPEN and not clause.slots and (clause.asks or not TURNS["aware"].match(text)):
        return [*found, Act("ask_open", "", actions, text)]
    questions = _questions(clause, vocabulary, before)
    found += questions
    if not found and clause.asks and TURNS["between"].search(text):
        if not TURNS["asking"].match(text):  # "Riverside or Central?"
            unnamed = [kind for kind in vocabulary.lexicon.kinds if kind not in vocabulary.values]
            found += [Act("ask", kind, (), text, maybe=True) for kind in unnamed]
        found.append(Act("offer", "", actions, text))
    if not found and not clause.asks and not seen & (cues.REFUSE | cues.SEEN) and TURNS["standing"].search(text):
        found.append(Act("done", "", (), text, maybe=True))
    if not found and clause.asks and TURNS["assent"].match(text) and _is_ventured(clause, before):
        return [Act("confirm", "", actions, text, maybe=True)]
    if not found and seen & cues.OFFER and not clause.asks and actions:
        found.append(Act("offer", "", actions, text))
    if not found and not clause.asks and not seen & cues.WAIT and TURNS["options"].search(text):
        found.append(Act("offer", "", actions, text))
    if not found and seen & cues.WAIT and not clause.asks:
        found.append(Act("wait", "", (), text))
    return found


def _ahead(clause: Clause) -> list[Act]:
    """The handover before which a clause asks something: "before I pass you on, is there anything else?"."""
    return [Act("handover", "", (), clause.text, maybe=True)] if TURNS["announced"].search(clause.text) else []


def _is_doubtful(clause: Clause) -> bool:
    """Whether a question about "that" is for what happened, as somebody asks who looks for a fault."""
    return TURNS["symptom"].search(clause.text) is not None


def _is_ventured(clause: Clause, before: Sequence[Clause]) -> bool:
    """Whether a question for a yes or no comes after what we could do, or what it would cost."""
    if TURNS["recital"].search(clause.text) or TURNS["past_fact"].match(clause.text):
        return False
    return not (clause.slots or clause.bullet) and any(TURNS["ventured"].search(other.text) for other in before[-2:])


def _is_told(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a clause says what the outcome is, rather than what to do."""
    if results(clause, vocabulary) or is_headed(clause):
        return True
    clause = main_part(clause)
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


def _is_aside(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether all that a clause names may come with something else, as a payment does, and is not told as such."""
    if _PAID.search(clause.text) and results(clause, vocabulary):
        return False
    named = plainest(clause.actions)
    return bool(named) and all(action.aside for action in named)


def _meant(clause: Clause, vocabulary: Vocabulary, before: Sequence[Clause]) -> list[Act]:
    """The questions for a slot that is not named: "the Visa or the Mastercard?", "which one?", "who is this?"."""
    text = clause.text
    if not clause.asks and not TURNS["tell_which"].search(text):
        return []
    if "name" in vocabulary.lexicon.slots and TURNS["yourself"].search(text):
        return [Act("ask", "name", (), text)]
    if "name" in vocabulary.lexicon.slots and TURNS["whom"].search(text):
        more = asked_slots(clause, vocabulary) if " and " in text else []
        return [Act("ask", "name", (), text), *(act for act in more if act.slot != "name")]
    if TURNS["one_of_them"].search(text):
        return [Act("offer", "", names_of(clause), text)]
    if clause.slots and not TURNS["which_of"].search(text):
        return []
    if TURNS["which_one"].search(text) and (deeds := deeds_listed(before)):
        return [Act("ask_open", "", (), text), Act("offer", "", deeds, text)]
    if (
        TURNS["which_one"].search(text)
        and not vocabulary.kinds(clause.words)
        and any(offers_deeds(other, vocabulary) for other in before[-2:])
    ):
        return [Act("ask_open", "", (), text), Act("offer", "", names_of(clause), text)]
    if clause.slots and TURNS["another_which"].search(text):  # "might you have another number, and if so, which?"
        return [Act("ask", slot.name, (), text) for slot in clause.slots[:1]]
    meant = meant_slots(clause, vocabulary, before)
    named = [slot.name for slot in clause.slots if asks_for(clause.words, slot)] if meant else []
    if named and not vocabulary.kinds(clause.words):
        return []
    asked = [Act("ask", name, (), text) for name in dict.fromkeys((*named, *renewed(meant, text, vocabulary)))]
    return [*asked, Act("offer", "", names_of(clause), text)] if asked else []


def _chosen(clause: Clause, chosen: list[str]) -> list[Act]:
    """The questions of a clause that offers values of slots."""
    text = clause.text
    these = re.search(r"\bwhich of (?:these|those|them)\b", text)
    _, comma, tail = text.rpartition(", ")  # "where should it go, to your address or to the branch?"
    options = len(tokens_of(tail)) if comma and " or " in tail else 0
    asked = (
        []
        if these or not is_wh(text)
        else [slot.name for slot in focused(clause.slots, text) if slot.start < len(clause.words) - options]
    )
    named = [slot.name for slot in clause.slots if slot.name in (*asked, *chosen)]
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
    if seen & cues.IDENTITY and not clause.asks and TURNS["verified"].search(text):
        seen &= ~cues.IDENTITY
    if TURNS["stranger"].search(text) and not asked_slots(clause, vocabulary):
        return [Act("ask_identity", "", (), text)]
    waits = seen & cues.WAIT and not clause.asks
    identifying = seen & cues.IDENTITY and not clause.asks and TURNS["identifying"].search(text)
    if identifying and not waits and not asked_slots(clause, vocabulary):
        return [Act("ask_identity", "", (), text)]
    if seen & cues.IDENTITY and not clause.slots and TURNS["who"].search(text) and (clause.asks or seen & cues.ASK):
        return [Act("ask_identity", "", (), text)]
    if (
        seen & cues.IDENTITY
        and TURNS["verifying"].match(text)
        and not (clause.asks and asked_slots(clause, vocabulary))
    ):
        return [Act("ask_identity", "", (), text)]
    proposed = clause.asks and TURNS["ours_to_try"].match(text) is not None
    wants = (
        (seen & cues.CONFIRM or proposed)
        and (clause.asks or not seen & cues.IDENTITY)
        and not TURNS["wh"].match(text)
        and not TURNS["recital"].search(text)
        and not TURNS["past_fact"].match(text)
        and (clause.asks or TURNS["confirming"].search(text) or TURNS["weak"].search(text))
    )
    if wants and clause.asks and " or " in text and TURNS["choice"].search(text):
        deeds = names_of(clause)
        if len(deeds) > 1:  # "shall I cancel it or move it?"
            return [Act("ask_open", "", (), text), Act("offer", "", deeds, text)]
        wants = False
    asked = asked_slots(clause, vocabulary)
    if asked or seen & cues.ASK:
        asked += _weighed_up(clause, vocabulary, asked)
    valued = VALUE.search(_EXAMPLE.sub("", text))
    if wants and asked and names_of(clause) and wants_slot(clause, asked):
        either = [act._replace(maybe=True) for act in asked]  # "would you like insurance?"
        return [*either, Act("confirm", "", names_of(clause), text, maybe=True)]
    if (
        wants
        and not (asked and wants_slot(clause, asked))
        and (
            not asked
            or (valued and clause.asks)
            or (
                not is_wh(text)
                and (_proposes(clause) or (proposed and clause.actions and clause.actions[0].start == 2))
            )
        )
    ):
        actions = _wanted(clause)
        if not actions and not asked and seen & cues.IDENTITY and TURNS["checking"].search(text):
            return [Act("ask_identity", "", (), text)]
        if not actions and not asked and clause.asks and TURNS["either"].search(text):
            return [Act("ask", next(iter(vocabulary.lexicon.kinds), ""), (), text)]
        return [Act("confirm", asked[0].slot if asked and not actions else "", actions, text)]
    if asked:
        named = len(asked) > 1 and GIVEN.search(text) is None  # "a short check: your name, your postcode?"
        if valued and clause.asks and not (" or " in text or named or is_wh(text) or wants_slot(clause, asked)):
            return [Act("confirm", asked[0].slot, (), text)]
        return asked
    if seen & cues.IDENTITY and not waits and (clause.asks or (seen & cues.ASK and "while i " not in text)):
        return [Act("ask_identity", "", (), text)]
    return []


def _weighed_up(clause: Clause, vocabulary: Vocabulary, asked: list[Act]) -> list[Act]:
    """What else a request asks for by two of its values: "which day, and whether you prefer mornings or afternoons"."""
    _, link, choice = clause.text.partition("whether you")
    if not link or " or " not in choice:
        return []
    left, _, right = choice.partition(" or ")
    known = {act.slot for act in asked}
    return [
        Act("ask", slot, (), clause.text)
        for slot, values in vocabulary.values.items()
        if slot not in known and values.search(left) and values.search(right)
    ]


def _proposes(clause: Clause) -> bool:
    """Whether a question with a slot in it asks for a yes to an action rather than for the slot."""
    text = clause.text
    return bool(names_of(clause)) or TURNS["proposal"].search(text) is not None or TURNS["deed"].match(text) is not None


def _wanted(clause: Clause) -> tuple[str, ...]:
    """The actions proposed, without those that are named as what is not meant."""
    cut = TURNS["wanted"].search(clause.text)
    if cut is None:
        return names_of(clause)
    first = len(tokens_of(clause.text[: cut.start()]))
    dropped = range(first, first + len(tokens_of(cut.group())))
    kept = plainest([action for action in main_actions(clause) if action.start not in dropped])
    return tuple(dict.fromkeys(action.name for action in kept)) or names_of(clause)
