"""The acts of a whole message, each read in the light of the others."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from turnwise.worlds.people import cues
from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.choices import candidates
from turnwise.worlds.people.clauses import Clause
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.naming import proposed
from turnwise.worlds.people.reports import before_consent
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["settled"]

_FIRM: Final = ("firm", "unable_that")
_FAILED: Final = re.compile(r"\b(?:could not|couldn't|cannot|can't|unable to|not able to|did not|didn't|failed to)\b")
_CARRIED: Final = re.compile(  # whatever else is refused beside it
    r"(?:is|are|has been|have been) (?:renewed|cancell?ed|booked|waived|refunded|exchanged|moved|"
    r"extended) (?:for|until|to|on)\b"
)
_LIMIT: Final = re.compile(r"[\w$.' ]{2,24} (?:is|are|being) the (?:maximum|limit|most)\b")
_STATE: Final = re.compile(r"\b(?:runs?|lasts?|active|working|valid|on the)\b")
_ENABLED: Final = re.compile(r"(?:i|we)(?: can|'m able to| am able to|'re able to| are able to)\b")
_ALL: Final = re.compile(r"all (?:of )?(?:the|your)\b(?!.*[.!]$)")
_BEYOND: Final = frozenset({"ask", "ask_open", "confirm", "done", "offer"})  # what a refusal may stand before
_MERE: Final = frozenset({"ask_more", "bye", "offer", "done", "refuse"})  # beside which something may be stated
_HELPED: Final = _MERE | {"confirm"}
_ANSWERED: Final = frozenset({"ask", "confirm", "ask_open", "ask_identity", "instruct", "wait"})  # whatever is refused
_CONSEQUENCE: Final = re.compile(r", (?:so|which|and then|and so)\b(?! no\b| not\b).*")
_ASKED: Final = frozenset({"ask", "ask_more", "ask_open", "confirm", "ask_identity"})  # before a handover
_BESIDE: Final = frozenset({"ask_more", "bye", "instruct", "offer"})  # what goes with a report
_BOTH: Final = re.compile(r"\b(?:both|all|everything|these|two|three)\b")
_ELSEWHERE: Final = ("beyond",)
_ONE_OF: Final = re.compile(
    r"(?:and )?(?:would|do|does|could|can|is|are|will|might) (?:either|one|any)(?: one)? of "
    r"(?:those|these|them|the two)\b"
)
_IT: Final = re.compile(r"(?:and )?(?:when|what|where|which|who) (?:is|was|are|were) (?:it|that|they)\b")
_OPTION: Final = re.compile(r"(?:so |and )?which (?:option|of (?:these|those|the two))\b")
_OPINIONS: Final = frozenset({"preference", "option"})
_LONG: Final = 6  # blanks
_STREET: Final = re.compile(r"\b(?:street|city|town)\b")
_THEN: Final = re.compile(r"(?:and )?(?:then|afterwards)\b")
_POLITE: Final = re.compile(
    r"\W*(?:thank|thanks|sure|of course|certainly|great|glad|happy|sorry|please|welcome|hello|hi\b|dear|take care|"
    r"have a|good (?:morning|afternoon|evening|day)|my pleasure|no problem|you're welcome|let me(?! tell)|"
    r"if (?:you|there)|feel free|don't hesitate|we |"
    r"i(?:'m| am| do| hope|'d| would| will|'ll| can| want| understand| appreciate| apologi))"
)


def settled(acts: list[Act], clauses: list[Clause], vocabulary: Vocabulary) -> tuple[Act, ...]:
    """The acts of a whole message: what a part of it says is read in the light of the rest."""
    acts = before_consent(acts, clauses)
    denied = [
        act._replace(actions=(), maybe=True)
        for act in acts
        if act.kind == "refuse" and not TURNS["sorry"].match(act.text)
    ]
    asking = {clause.text for clause in clauses if clause.asks}
    settling = {act.text for act in acts if act.kind in ("done", "refuse")}
    if settling and not any(TURNS["ventured"].search(clause.text) for clause in clauses if clause.text not in settling):
        # "it's non-refundable. Does that make sense?"
        acts = [act for act in acts if act.kind != "confirm" or not TURNS["helped"].match(act.text)]
    last = clauses[-1] if clauses else None
    if last and last.asks and last.text not in {act.text for act in acts} and not TURNS["helped"].match(last.text):
        acts = [act for act in acts if _is_clear(act)]  # what is said before a question that is not understood
    kinds = {act.kind for act in acts}
    if "handover" in kinds and (kinds & _ASKED or (clauses and clauses[-1].asks)):
        acts = _announced(acts)
        kinds = {act.kind for act in acts}
    if "confirm" in kinds and kinds & {"ask", "ask_identity"}:
        acts = [act for act in acts if act.kind != "confirm" or act.text in asking or not _is_beside(act, kinds)]
    elif "confirm" in kinds and "refuse" in kinds:
        acts = [act for act in acts if act.kind != "confirm" or not TURNS["bare_yes"].search(act.text)]
    if "ask" in kinds:  # "I need your birthday; when is it?"
        sure = any(act.kind == "ask" and not (act.maybe or "|" in act.slot) for act in acts)
        acts = [
            act for act in acts
            if not (sure and act.kind == "ask" and (act.maybe or "|" in act.slot) and _IT.match(act.text))
        ]  # fmt: skip
    if "ask" in kinds and "offer" in kinds:  # of what is to be done rather than for a detail
        acts = [act._replace(maybe=True) if act.slot in _OPINIONS and _OPTION.match(act.text) else act for act in acts]
    if "ask" in kinds:  # "your full name first, shall we?"
        acts = [act for act in acts if act.kind != "confirm" or act.actions or act.text.count(" ") > 1]
    if "confirm" in kinds:  # a restriction on what is proposed
        acts = [act for act in acts if act.kind != "refuse" or act.actions or _is_firm(act)]
        acts = [act for act in acts if act.kind != "refuse" or act.actions != _ELSEWHERE]  # "but a colleague can: ..."
    if "offer" in kinds:
        acts = [act for act in acts if act.kind != "confirm" or not _ONE_OF.match(act.text)]
    if "confirm" in kinds:
        refused = {act.text for act in acts if act.kind == "refuse" and _is_firm(act)}
        body = "\n".join(clause.text for clause in clauses if clause.text not in refused)
        places = {clause.text: place for place, clause in enumerate(clauses)}
        done = {act.text for act in acts if _is_told(act)}
        told = (done | {act.text for act in denied}, done | refused)
        acts = [
            act._replace(
                text=body,
                actions=act.actions or _meant(clauses, places.get(act.text, 0), vocabulary, told),
                maybe=act.maybe or not act.actions,
            )
            if act.kind == "confirm" and not act.slot
            else act
            for act in acts
        ]
        meant = {name for act in acts if act.kind == "confirm" for name in act.actions}
        acts = [act for act in acts if act.kind != "refuse" or _is_firm(act) or not set(act.actions) & meant]
        acts = [act for act in acts if act.kind != "done" or act.text not in _means(clauses)]
    acts = _doubted(_weighed(acts, asking), clauses, vocabulary)
    kinds = {act.kind for act in acts}
    if "confirm" in kinds:
        acts = [act._replace(maybe=True) if _is_unsure(act, clauses, vocabulary) else act for act in acts]
    if "done" in kinds:
        acts = _outcomes(acts, clauses)
    if "refuse" in kinds:
        acts = _refusals(acts)
    if "bye" in kinds and kinds & {"ask", "ask_open", "confirm", "ask_identity", "instruct", "wait"}:
        kinds.discard("bye")
        acts = [act for act in acts if act.kind != "bye"]
    if "wait" in kinds and len(kinds) > 1:
        acts = [act for act in acts if act.kind != "wait"]
    if "confirm" in kinds:  # "look it over and tell me if I may go ahead"
        acts = [
            act._replace(actions=tuple(name for name in act.actions if name != "ask")) if act.kind == "confirm" else act
            for act in acts
        ]
    if "confirm" in kinds and "refuse" in kinds:
        acts = [_apart(act, acts) for act in acts]
    if "instruct" in kinds and "offer" in kinds:  # "there are three ways: / turn off roaming / ... / which one?"
        listed = {clause.text for clause in clauses if clause.bullet}
        acts = [act for act in acts if act.kind != "instruct" or act.text not in listed]
    if denied and kinds & _BEYOND and not any(act.kind == "refuse" for act in acts):
        acts = [*acts, denied[0]]  # "I can't move it; shall I cancel it instead?"
    return _completed(acts, clauses, vocabulary)


def _announced(acts: list[Act]) -> list[Act]:
    """The acts of a message that asks something before it hands over: "I'd pass you on to a colleague. All right?"."""
    place = next(place for place, act in enumerate(acts) if act.kind == "handover")
    if any(act.kind == "confirm" and not (act.slot or act.actions) for act in acts[place:]):
        return [
            act._replace(slot="handover") if act.kind == "confirm" and not (act.slot or act.actions) else act
            for act in acts
            if act.kind != "handover"
        ]
    return [act._replace(maybe=True) if act.kind == "handover" else act for act in acts]


def _apart(act: Act, acts: list[Act]) -> Act:
    """A proposal of several things without what is refused beside it: "I can't move it, but I could cancel it"."""
    if act.kind != "confirm" or act.slot or not act.actions:
        return act
    refused = {name for other in acts if other.kind == "refuse" for name in other.actions}
    kept = tuple(name for name in act.actions if name not in refused)
    return act._replace(actions=kept) if kept and "beyond" not in kept else act


def _outcomes(acts: list[Act], clauses: list[Clause]) -> list[Act]:
    """The acts with the reports in the light of each other, and of the list below them."""
    if any(act.kind == "done" and act.actions and not act.maybe for act in acts):  # how things stand besides
        acts = [act for act in acts if act.kind != "done" or not act.maybe or not _STATE.search(act.text)]
    acts = [act._replace(maybe=True) if _is_vague(act) else act for act in acts]
    heads = _heads(clauses)
    if heads:
        acts = [
            act._replace(actions=(), maybe=True) if act.kind == "done" and act.text in heads else act for act in acts
        ]
    return acts


def _refusals(acts: list[Act]) -> list[Act]:
    """The acts with the refusals in the light of the rest: why it is refused, what else is asked or reported."""
    acts = [act for act in acts if act.kind != "ask_identity" or _FAILED.search(act.text) is None]
    if any(act.kind == "refuse" and _is_firm(act) for act in acts):  # "I've gone over it, but I can't"
        acts = [act for act in acts if act.kind != "done" or act.actions or _stands(act)]
    if any(act.kind == "done" for act in acts):
        acts = [act for act in acts if act.kind != "refuse" or act.actions]
    beside = any(act.kind in _ANSWERED for act in acts)
    return [act._replace(maybe=True) if _is_slight(act, beside) else act for act in acts]


def _completed(acts: list[Act], clauses: list[Clause], vocabulary: Vocabulary) -> tuple[Act, ...]:
    """The acts, with what a message may do of which little or nothing is understood."""
    kinds = {act.kind for act in acts}
    if kinds <= _BESIDE and (stated := _stated(clauses, acts, vocabulary)):
        acts = [*acts, *stated]
    if "refuse" in kinds and not kinds & {"ask", "confirm", "offer"}:  # what there is instead
        acts += [Act("offer", "", (), clause.text) for clause in clauses if TURNS["listing"].search(clause.text)][:1]
    asked = [act for act in acts if act.kind == "ask"]
    if len(asked) == 1 and "offer" not in kinds and _picks(asked[0], clauses, vocabulary):
        acts = [act._replace(maybe=True) if act.kind == "ask" else act for act in acts]
        acts.append(Act("offer", "", (), asked[0].text))
    if acts:
        helped = kinds <= _HELPED and all(act.maybe for act in acts if act.kind == "confirm")
        if (kinds <= _MERE or helped) and all(act.maybe for act in acts if act.kind in ("done", "refuse")):
            known = {act.text for act in acts if not act.maybe}
            said = [clause.text for clause in clauses if _states(clause) and clause.text not in known]
            acts = [*([Act("answer", "", (), "\n".join(said))] if said else []), *acts]
        if any("|" in act.slot for act in acts):
            acts = [each for act in acts for each in _either(act)]
        return tuple(dict.fromkeys(acts))
    said = [clause.text for clause in clauses if not clause.asks]
    offers = [Act("offer", "", (), "\n".join(said))] if TURNS["listing"].search("\n".join(said)) else []
    if len(said) == len(clauses) > 0:
        return (Act("answer", "", (), "\n".join(said)), *offers)
    whole = "\n".join(clause.text for clause in clauses)
    return (*([] if offers else _guessed(clauses, vocabulary)), Act("unclear", text=whole), *offers)


def _heads(clauses: list[Clause]) -> set[str]:
    """The clauses that say of all in the list below them that it is done: "both are updated:"."""
    return {
        clause.text
        for clause, then in pairwise(clauses)
        if then.bullet and not clause.bullet and _BOTH.search(clause.text)
    }


def _guessed(clauses: list[Clause], vocabulary: Vocabulary) -> list[Act]:
    """What the last question may be for of which no more is understood than its question word."""
    last = next((clause for clause in reversed(clauses) if clause.asks), None)
    if last is None or TURNS["wh"].match(last.text) is None:
        return []
    slots = dict.fromkeys(slot for name in vocabulary.asked_by(last.words) for slot in name.split("|"))
    return [Act("ask", slot, (), last.text, maybe=True) for slot in slots]


def _stated(clauses: list[Clause], acts: list[Act], vocabulary: Vocabulary) -> list[Act]:
    """What a message may do that only states something: refuse, or report how things stand."""
    known = {act.text for act in acts}
    told = [clause for clause in clauses if clause.text not in known and not TURNS["besides"].match(clause.text)]
    if any(clause.asks or clause.cues & cues.NO_ASK or _is_pending(clause.text) for clause in told):
        return []
    against = [clause for clause in told if TURNS["against"].search(_CONSEQUENCE.sub("", clause.text))]
    states = [
        clause for clause in told if TURNS["state"].search(clause.text) and not TURNS["heard"].search(clause.text)
    ]
    if any(act.kind == "instruct" for act in acts):  # with something to do comes what was done, by its name
        states = [clause for clause in states if clause.actions or vocabulary.objects(clause.words)]
        against = [clause for clause in against if clause in states]
    if against:
        said = next((clause for clause in against if clause.cues & cues.REFUSE), against[0])
        return [Act("refuse", "", (), said.text, maybe=True)]
    return [Act("done", "", (), clause.text, maybe=True) for clause in states]


def _is_pending(text: str) -> bool:
    """Whether a clause speaks of what is still to come, or to be chosen."""
    return any(TURNS[name].search(text) for name in ("pending", "listing"))


def _picks(act: Act, clauses: list[Clause], vocabulary: Vocabulary) -> bool:
    """Whether a question is which of what was listed before it the person would like: "which flight suits you?"."""
    place = next((place for place, clause in enumerate(clauses) if clause.text == act.text), 0)
    if place == 0 or TURNS["pick"].search(act.text) is None:
        return False
    before = clauses[:place]
    if sum(clause.bullet for clause in before) >= 2:
        return True
    if any(TURNS[name].search(clause.text) for clause in before[-2:] for name in ("listing", "options")):
        return True
    values = vocabulary.values.get(act.slot)
    return values is not None and len({found for clause in before[-4:] for found in values.findall(clause.text)}) >= 2


def _stands(act: Act) -> bool:
    """Whether a report is one whatever is said beside it: "all done", "your file now shows it"."""
    return TURNS["finished"].match(act.text) is not None or TURNS["standing"].search(act.text) is not None


def _is_vague(act: Act) -> bool:
    """Whether a report names nothing and is long enough to be about something else: "installing it is done by ..."."""
    return act.kind == "done" and not act.actions and act.text.count(" ") >= _LONG and not _stands(act)


def _either(act: Act) -> Iterator[Act]:
    """A question for one of two details as a question that may be for each of them."""
    if "|" not in act.slot:
        yield act
    for slot in act.slot.split("|") if "|" in act.slot else ():
        yield act._replace(slot=slot, maybe=True)


def _is_told(act: Act) -> bool:
    """Whether an act says that something has been carried out, and not how things stand."""
    return act.kind == "done" and TURNS["surely"].search(act.text) is not None


def _meant(clauses: list[Clause], place: int, vocabulary: Vocabulary, told: tuple[set[str], ...]) -> tuple[str, ...]:
    """What a proposal is about that names no action: nothing that is reported, and what is restricted only at last."""
    return next((found for texts in told if (found := proposed(clauses, place, vocabulary, texts))), ())


def _is_clear(act: Act) -> bool:
    """Whether an act stands for itself, whatever is asked behind it."""
    if act.kind == "refuse":
        return _is_firm(act)
    return not act.maybe and (
        act.kind != "done" or (act.actions != () and TURNS["surely"].search(act.text) is not None)
    )


def _is_unsure(act: Act, clauses: list[Clause], vocabulary: Vocabulary) -> bool:
    """Whether what a proposal is about is told by a verb of many meanings, and something else is spoken of beside it.

    "With Meridian you'd pay $10 for a visit. Shall I switch you over?" may be about the visit or about the plan.
    """
    if act.kind != "confirm" or act.slot or act.maybe or not act.actions:
        return False
    named = [action for clause in clauses if clause.asks for action in clause.actions if action.name in act.actions]
    named = named or [action for clause in clauses for action in clause.actions if action.name in act.actions]
    level = max((action.level for action in named), default=0)
    if level >= 3:  # by a verb and its object, and another action as plainly beside it
        return any(
            found.level >= 3 and not found.aside and found.name not in act.actions
            for clause in clauses
            for found in clause.actions
        )
    return level < 2 or any(
        found.name not in act.actions
        for clause in clauses
        for found in (*(action for action in clause.actions if action.level >= 2), *vocabulary.objects(clause.words))
    )


def _is_beside(act: Act, kinds: set[str]) -> bool:
    """Whether what looks like a proposal, in a message that asks for something, only goes with the question."""
    if any(TURNS[name].search(act.text) for name in ("weak", "bare_yes")):
        return True
    return "ask" in kinds and not act.actions and TURNS["plea"].search(act.text) is None


def _means(clauses: list[Clause]) -> set[str]:
    """The clauses that say what allows us to do more: "all the bills have been paid, so I can resume it"."""
    return {clause.text for clause, then in pairwise(clauses) if _ALL.match(clause.text) and _ENABLED.match(then.text)}


def _weighed(acts: list[Act], asking: set[str]) -> list[Act]:
    """The acts without those that only give the grounds for another one; ``asking`` are the clauses that ask."""
    kinds = {act.kind for act in acts}
    if "confirm" in kinds:
        acts = _proposing(acts, kinds, asking)
        kinds = {act.kind for act in acts}
    if "refuse" in kinds:
        if kinds & {"ask", "ask_identity"}:  # what has to be known first
            acts = [act for act in acts if act.kind != "refuse" or not TURNS["waits"].search(act.text)]
        if "ask" in kinds:
            acts = [act for act in acts if act.kind != "refuse" or _is_denial(act)]
            acts = [act for act in acts if act.kind != "refuse" or act.actions or not _LIMIT.match(act.text)]
        elif kinds & {"ask_open", "ask_identity"}:
            acts = [act for act in acts if act.kind != "refuse" or act.actions or _is_firm(act)]
        flat = [act for act in acts if act.kind == "refuse" and TURNS["flat"].search(act.text)]
        if flat:
            acts = [act for act in acts if act.kind != "refuse" or act in flat]
    acts = _reported(acts, kinds)
    proposes = any(act.kind == "confirm" and "?" in act.text for act in acts)
    if proposes or kinds & {"ask", "ask_identity", "ask_open", "handover"}:  # "I've done what I can"
        acts = [act for act in acts if act.kind != "done" or act.actions or _stands(act)]
    if kinds & {"ask", "confirm"}:
        acts = [act for act in acts if act.kind != "done" or TURNS["surely"].search(act.text) or _stands(act)]
    if any(act.kind == "done" and not act.aside for act in acts):
        first = {act.text for act, then in pairwise(acts) if then.kind == "done" and _THEN.match(then.text)}
        acts = [act for act in acts if act.kind != "done" or not act.aside or act.text in first]
    if any(act.kind == "confirm" and (act.slot == "handover" or "beyond" in act.actions) for act in acts):
        acts = [act for act in acts if act.kind != "refuse" or not (act.actions == () or "beyond" in act.actions)]
    if "handover" in kinds and any(act.kind == "confirm" for act in acts):
        acts = [act for act in acts if act.kind != "handover" or TURNS["just_now"].search(act.text)]
    return acts


def _reported(acts: list[Act], kinds: set[str]) -> list[Act]:
    """The acts without reports that only say how things are, for which something is refused or proposed."""
    for kind, turn in (("refuse", "first_hand"), ("confirm", "reported")):
        if kind in kinds:
            named = {name for act in acts if act.kind == kind for name in act.actions}
            acts = [
                act
                for act in acts
                if act.kind != "done"
                or TURNS[turn].search(act.text)
                or _stands(act)
                or (kind == "refuse" and act.actions and _CARRIED.search(act.text))
                or (act.actions and not named & set(act.actions) and TURNS["surely"].search(act.text))
            ]
    return acts


def _proposing(acts: list[Act], kinds: set[str], asking: set[str]) -> list[Act]:
    """The acts of a message with a proposal in it, without what only belongs to the proposal, or is taken for one."""
    acts = [act for act in acts if act.kind != "refuse" or not TURNS["only_after"].search(act.text)]
    acts = [act for act in acts if act.kind != "instruct" or not TURNS["later"].search(act.text)]  # once it is agreed
    if any(act.kind == "instruct" for act in acts):  # "does that help?"
        acts = [act for act in acts if act.kind != "confirm" or not act.maybe]
    if any(act.kind == "ask" and TURNS["wh"].match(act.text) and "?" not in act.text for act in acts):
        acts = [
            act for act in acts if act.kind != "confirm" or act.slot or _is_leave(act)
        ]  # "on which day / would you like to book it?"
    told = {act.text for act in acts if act.kind == "ask" and act.text not in asking}
    if any(act.kind == "confirm" and act.actions and not act.slot for act in acts) and told:
        acts = [act for act in acts if act.kind != "ask" or act.text not in told or TURNS["asserting"].search(act.text)]
    return acts


def _is_leave(act: Act) -> bool:
    """Whether a proposal ends in a question for leave to do it: "and may I go ahead?"."""
    lines = (line for line in act.text.split("\n") if "?" in line)
    return any(TURNS["bare_leave"].search(line) and not TURNS["opposed"].search(line) for line in lines)


def _doubted(acts: list[Act], clauses: list[Clause], vocabulary: Vocabulary) -> list[Act]:
    """The acts, with questions for a slot that they do not name, and states that may be outcomes, as what may be."""
    acts = [
        act._replace(maybe=True) if act.kind == "done" and not TURNS["surely"].search(act.text) else act for act in acts
    ]
    if not any(act.kind == "ask" for act in acts):
        return acts
    places = {clause.text: place for place, clause in enumerate(clauses)}
    read: list[Act] = []
    for act in acts:
        place = places.get(act.text, -1)
        if act.kind != "ask" or act.instead or act.maybe or place < 0 or _names(clauses[place], act.slot, vocabulary):
            read.append(act)
            continue
        if (
            place
            and TURNS["again"].search(act.text)
            and {slot.name for slot in clauses[place - 1].slots} == {act.slot}
            and not any(vocabulary.kinds(clause.words, several=True) for clause in clauses[:place])
        ):  # "that postcode isn't ours; might we have an older one?"
            read.append(act)
            continue
        may_be = candidates(act.slot, clauses[place], vocabulary, clauses[:place])
        read += [act._replace(slot=slot, maybe=True) for slot in may_be or [act.slot]]
    return read


def _names(clause: Clause, slot: str, vocabulary: Vocabulary) -> bool:
    """Whether a question names a slot itself: by its phrase, by a noun for what it chooses from, or by its values."""
    if any(slot in (found.name, f"new_{found.name}", found.name.removeprefix("new_")) for found in clause.slots) or any(
        TURNS[name].search(clause.text) for name in ("whom", "yourself")
    ):
        return True
    if slot.endswith("address") and _STREET.search(clause.text):
        return True
    values = vocabulary.values.get(slot)
    return any(kind.name == slot for kind in vocabulary.kinds(clause.words)) or (
        values is not None and values.search(clause.text) is not None
    )


def _is_firm(act: Act) -> bool:
    """Whether a refusal stands whatever else is said beside it."""
    return any(TURNS[name].search(act.text) for name in (*_FIRM, "flat"))


def _is_slight(act: Act, beside: bool) -> bool:
    """Whether a refusal does not say that it can't be, or names nothing and goes with a question."""
    if act.kind != "refuse":
        return False
    return (beside and not act.actions) or not (_is_firm(act) or TURNS["barred"].search(act.text))


def _is_denial(act: Act) -> bool:
    """Whether a refusal stands beside a question, which would ask for what is needed to go on."""
    return _is_firm(act) and (act.actions != () or TURNS["apology"].search(act.text) is None)


def _states(clause: Clause) -> bool:
    """Whether a clause says something, and is not just polite."""
    return not clause.asks and len(clause.words) >= 3 and _POLITE.match(clause.text) is None
