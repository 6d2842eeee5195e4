"""Whether a clause refuses something, or reports it as done, rather than promising, denying or explaining it."""

import re
from collections.abc import Sequence
from typing import Final

from turnwise.worlds.people import cues
from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.clauses import Clause, names_of, plainest
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.phrases import tokens_of
from turnwise.worlds.people.vocabulary import Vocabulary

__all__ = ["before_consent", "done_actions", "is_done", "is_headed", "main_part", "refuses", "results"]

_NOW: Final = re.compile(r"\b(?:now|currently|today|at (?:the moment|present)|as things stand|so far)\b")
_DEED: Final = re.compile(
    r"\b(?:i|we)(?:'ve| have)\b|\b(?:has|have|'s) (?:\w+ )?been\b|^(?:and |so )?(?:i|we) (?:\w+ )?\w+ed\b|"
    r"^\W*(?:\w+, )?(?:done|all (?:set|done))\b|\b(?:is|are) (?:now )?(?:done|paid|cancell?ed|booked|all set)\b"
)
_PROPOSED: Final = re.compile(  # "I'd cancel the whole order, since single items can't be taken out"
    r"(?:i|we)(?:'d|'ll| would| will| can| could) (?!not\b|n't|be\b|have to\b|only\b)\w[^,]+, (?:since|because|as) "
)
_GROUNDS: Final = re.compile(  # "since it can only be done once, please let me know that you're sure"
    r"(?:since|because|as) [^,]+, (?:please|let me know|just|could you|can you|would you|tell me)\b"
)
_RULE: Final = re.compile(r"\b(?:policy|eligible|allowed|permitted)\b")
_FLAT: Final = re.compile(
    r"\b(?:can't|cannot|can not|won't|unable to|not able to) (?:do|help (?:you )?with|grant) (?:that|this|it)\b"
)
_SUPPOSED: Final = re.compile(r"(?:if|once|before|unless|should you|in case) ")
_REPORTS: Final = re.compile(r"(?:i've|i have|your|the|done)")
_PAST: Final = re.compile(r"(?:ed|(?<!m)ent|elt|ought|aid|en|lost|ade|old|ave|ook|put|cut|set|sent)$")
_SHORT: Final = re.compile(r"\w+ed\b|\bdone\b|\bcomplete\b")
_COLON: Final = re.compile(r"[:,(]")
_ENTRY: Final = re.compile(r": \w+ed[.!]?$")  # "room R3, Tuesday: reserved"
_HEAD: Final = re.compile(  # "it's changed: you'll find it at Central", whatever is told behind it
    r"\W*(?:(?:okay|right|great|perfect|there (?:we|you) (?:go|are))[,.!] )?(?:and )?"
    r"(?:(?:now |that's |it's )?all|both(?: are)?|(?:it|that|this|everything|all of (?:it|that))(?:'s| is| has been)|"
    r"they(?:'re| are| have been))(?: now| all| just| been)* (?:done|set|through|sent|paid|gone|sorted|settled|"
    r"arranged|booked|cancell?ed|renewed|changed|moved|saved|waived|removed|reserved|updated|activated|blocked|suspended|resumed|added|exchanged|extended|refunded|credited|ordered|placed|"
    r"registered|upgraded|corrected|switched|swapped|cleared|completed?)(?: now| for you| then)?: "
)
_IS: Final = re.compile(
    r"([a-z0-9])'s (?=(?:\w+ ){0,2}(?:now|on|off|in|set|gone|yours|active|done|paid|back|booked|up)\b)"
)
_AFTER: Final = re.compile(
    r", (?:so|and|with|which|leaving|meaning|without)\b|[:;(]|"
    r" and (?=\$|you'll |the |your |it |i'll |you (?:\w+ )?(?:owe|don't|have|are)|there)"
)
_SYMPATHY: Final = re.compile(
    r"(?:that|this|it)(?:'s| is| sounds| must (?:be|have been)| was) (?:\w+ ){0,3}(?:annoying|frustrating|bad|hard|sad|"
    r"terrible|awful|tough|unpleasant|inconvenient|stressful|difficult|disappointing|pity|shame|nuisance)\b"
)
_MONEY: Final = re.compile(
    r"return(?:ed)? (?:the |your |those )?\$\d|sen[dt] (?:the |your |those )?\$\d[\d.,]* back|"
    r"(?:\$\d[\d.,]*|amount|difference|money|sum)\b[^.;]{0,40}(?:was|were|is|(?:has|have|"
    r"will) be(?:en)?|being) returned\b"
)
_POSSIBLE: Final = re.compile(
    r"\b(?:eligible|due|ready|free) to be \w+ed\b|\bwould (?:then |now )?be\b|"
    r"\b(?:it|they|you) (?:was|were) \w+ed (?:for|with|on|in|by)[.!]?$"
)
_SO: Final = re.compile(
    r", (?:so (?:nobody|no one|nothing|it|they|whoever|the \w+ (?:can't|cannot|won't) (?:use|call|get|see|"
    r"reach|open|find|read))|and (?:nobody|nothing|none))\b|"
    r"(?:,? and|, so|,) (?:you|there|that|it|the account|your \w+)(?:'s|'re)?"
    r"(?! (?:can't|cannot|won't|must))(?: \w+){0,3} "
    r"(?:nothing|no longer|no|not|free|clear)\b"
    r"(?=.*\b(?:ow\w+|debts?|due|left|outstanding|open|pay|more|longer|worry)\b)"
)  # what follows from an outcome
_PASSIVE: Final = re.compile(r"\b(?:is|are|has been|have been)(?: now| all| just)? \w+(?:ed|en|aid|ent)\b")
_BOTH: Final = re.compile(r"\b(?:both|all)\b.*\b(?:been|are|were)\b|\b(?:been|are|were|have) (?:both|all)\b")
_FIRST: Final = re.compile(r"\b(?:i|we)(?:'ve| have)(?: now| just)? \w+(?:ed|en|ut|et|ent|ade)\b")


def refuses(clause: Clause) -> bool:
    """Whether a clause that speaks of what cannot be refuses a request."""
    text = clause.text
    if (
        clause.asks
        or _PROPOSED.match(text)
        or (text.startswith("please ") and not TURNS["barred"].search(text))
        or TURNS["reversal"].search(text)
        or TURNS["precondition"].search(text)
        or _SYMPATHY.match(text)
        or TURNS["spared"].search(text)
        or TURNS["stranger"].search(text)
        or (TURNS["comprehending"].search(text) and not TURNS["barred"].search(text))
        or (TURNS["caveat"].search(text) and not TURNS["flat"].search(text))
    ):
        return False
    if TURNS["apology"].search(text) and not _RULE.search(text):
        return (_FLAT.search(text) is not None and TURNS["waits"].search(text) is None) or (
            TURNS["barred"].search(text) is not None and TURNS["on_you"].search(text) is None
        )
    if _GROUNDS.match(text):
        return False
    lead = TURNS["lead"].match(text) if text.startswith("if ") else None  # "if it can't be changed, you could"
    barred = TURNS["barred"].search(text[lead.end() :] if lead else text) is not None
    return not _SUPPOSED.match(text) or barred


def main_part(clause: Clause) -> Clause:
    """A first-hand report without what follows from it: "I've dropped the fee, so nothing is owed any longer"."""
    if not clause.cues & (cues.NEGATED | cues.FUTURE | cues.REFUSE):
        return clause
    cut = _AFTER.search(clause.text)
    text = clause.text[: cut.start()] if cut else ""
    told = cut is not None and _SO.match(clause.text[cut.start() :]) is not None
    if not _FIRST.search(text) and (
        (clause.cues & (cues.NEGATED | cues.REFUSE) and not told) or not _PASSIVE.search(text)
    ):
        return clause
    words = tokens_of(text)
    actions = [action for action in clause.actions if action.stop <= len(words)]
    return clause._replace(text=text, words=words, cues=cues.cues_of(text, words), actions=actions)


def is_done(clause: Clause, vocabulary: Vocabulary) -> bool:
    """Whether a clause reports that something has been carried out."""
    if is_headed(clause):
        return True
    clause = main_part(clause)
    text, seen = clause.text, clause.cues
    if (
        clause.asks
        or TURNS["wished"].search(text)
        or TURNS["not_yet"].match(text)
        or TURNS["heard"].search(text)
        or TURNS["habitual"].search(text)
        or TURNS["elsewhen"].search(text)
        or _POSSIBLE.search(text)
        or (TURNS["past"].search(text) and not TURNS["first_hand"].search(text))
    ):
        return False
    if results(clause, vocabulary):
        return True
    if seen & cues.SEEN or (seen & cues.NEGATED and not TURNS["free"].search(text)):
        return False
    if seen & cues.FUTURE and not TURNS["able"].search(text) and not TURNS["done_now"].search(text):
        return False
    if TURNS["depends"].search(text) and not _REPORTS.match(text):
        return False
    if done_actions(clause, vocabulary):
        head = _COLON.split(text, maxsplit=1)[0]  # "appointment moved: Friday, 9:40"
        short = text if len(clause.words) <= 6 else head if head.count(" ") < 6 else ""
        return bool(seen & cues.DONE) or _SHORT.search(short) is not None or _ENTRY.search(text) is not None
    acted = any(_PAST.search(clause.words[action.start]) for action in clause.actions)
    if acted and seen & cues.DONE and TURNS["just_now"].search(text):
        return True
    return TURNS["generic"].search(text) is not None and TURNS["not_done"].search(text) is None


def is_headed(clause: Clause) -> bool:
    """Whether a clause begins with the report that it is done: "all settled: $8.75 was paid by card"."""
    head = None if clause.asks else _HEAD.match(clause.text)
    return head is not None and TURNS["barred"].search(clause.text[head.end() :]) is None


def results(clause: Clause, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The actions whose outcome a clause tells: "you're on the list now", "your bill is now due on May 3"."""
    text = _IS.sub(r"\1 is ", clause.text) if "'s " in clause.text else clause.text
    matches = list(vocabulary.results(text))
    found = tuple(name for name, match in matches if not TURNS["supposed"].search(text[: match.start()]))
    now = None if matches else TURNS["now"].search(text)
    if now is not None and not TURNS["supposed"].search(text[: now.end()]):
        named = [action for action in clause.actions if action.level >= 2 and not action.aside]
        found = tuple(dict.fromkeys(action.name for action in named or vocabulary.objects(clause.words)))
    return found


def _carried_out(clause: Clause) -> tuple[str, ...]:
    """What the beginning of a clause reports at first hand: "I've blocked the line, and a new SIM is on its way"."""
    head, comma, _ = clause.text.partition(", and ")
    if not comma or not _FIRST.match(head):
        return ()
    stop = len(tokens_of(head))
    named = [action for action in clause.actions if action.stop <= stop and action.level >= 2 and not action.aside]
    return tuple(dict.fromkeys(action.name for action in named))


def done_actions(clause: Clause, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The actions that a clause reports, by their outcome, a past form, or a noun that has come about."""
    if is_headed(clause):
        named = plainest([action for action in clause.actions if action.level])
        return tuple(dict.fromkeys(action.name for action in named))
    clause = main_part(clause)
    text = clause.text
    if outcome := results(clause, vocabulary):
        return (*outcome, *(name for name in _carried_out(clause) if name not in outcome))
    if not clause.actions or (TURNS["asked_for"].search(text) and not TURNS["generic"].search(text)):
        return ()
    words = clause.words
    if TURNS["able"].search(text):
        return names_of(clause)
    told = [
        action
        for action in clause.actions
        if not (words[action.start].startswith(("return", "sen")) and _MONEY.search(text))
    ]
    past = [action for action in told if _PAST.search(words[action.start]) and words[action.start - 1] != "be"]
    reported = TURNS["generic"].search(text) or (_FIRST.search(text) and not clause.cues & cues.NEGATED)
    if past or (reported and not TURNS["not_done"].search(text)):
        named = plainest(past) or plainest(told)
        if _FIRST.search(text):  # "I've dropped the fee and charged the copay"
            named += [
                action for action in past if action.aside and action not in named and words[action.start - 1] == "and"
            ]
        if _BOTH.search(text):  # "insurance and the second bag have both been added"
            named += [action for action in clause.actions if action.level >= 2 and action not in named]
        if all(action.aside for action in named):  # "the exchange is complete and $6.00 was charged to your card"
            named = [action for action in plainest(told) if not action.aside] or named
        return tuple(dict.fromkeys(action.name for action in named))
    return ()


def before_consent(acts: list[Act], clauses: Sequence[Clause]) -> list[Act]:
    """The acts without what leads up to a question for consent: how things are now, what would not be refunded."""
    if not any(act.kind == "confirm" for act in acts) or not any(
        clause.asks and TURNS["leave"].search(clause.text) for clause in clauses
    ):
        return acts
    places = {clause.text: place for place, clause in enumerate(clauses)}
    return [
        act
        for act in acts
        if not (act.kind == "refuse" and TURNS["left_out"].search(act.text))
        and not (act.kind == "done" and _is_superseded(act, clauses[places.get(act.text, len(clauses)) + 1 :]))
    ]


def _is_superseded(act: Act, after: Sequence[Clause]) -> bool:
    """Whether a report says how things are, and what follows would change it: "it's due on May 3 now; I'd move it"."""
    if not _NOW.search(act.text) or _DEED.search(act.text):
        return False
    for clause in after:
        if not clause.asks and TURNS["ventured"].search(clause.text):
            named = {action.name for action in clause.actions if action.level >= 2 and not action.aside}
            return not named or bool(named & set(act.actions))
    return False
