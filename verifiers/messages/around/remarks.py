"""What stands behind the last statement of a message and states nothing: courtesies, signatures, checks, notes.

A sentence without a value, in any language, cannot state one. It is a remark, unless it takes back what stands before
it or answers in words ("So the limit does not exist."). One with a value is a remark if it speaks of the solution
instead of the question: a check, a reminder, how sure the author is, what else could be shown. Whether it offers
another value is asked for elsewhere (`offers`), of the whole message.
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.around.comments import is_comment
from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.clause import LEAD
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["is_on_form", "is_remark", "without_remarks"]

_MAX_REMARKS = 12
_VALUE = re.compile(r"[0-9=½¼¾²³₀-₉√π∞∅]|\$[^$\n]+\$|\\[a-zA-Z(\[]|\([A-J]\)|(?<![\w.'’])[B-HJ](?![\w'’])")
_WORD = re.compile(r"[^\W_]|[])}$]")
_HEADING = re.compile(
    r"\n[ \t]*(?:#{1,6}[ \t]*|\*\*)(?:verification|check(?:ing)?|sanity check|notes?|remarks?|further|bonus"
    r"|tips?)\b[^\n]{0,30}"
    r"(?:\n|$)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:done|solved|finished|complete[sd]?|proved|helps?|end|it)\W*$", re.IGNORECASE)
_TAKES_BACK = re.compile(
    STRONG.pattern
    + r"|\b(?:wrong|incorrect|mistaken|unsure|uncertain|not (?:so |very |really |100 ?% |entirely )?(?:sure|certain)"
    r"|impossible"
    r"|contradict\w*|invalid|guess\w*|doubt\w*|maybe|perhaps|possibly|retract|ignore (?:that|this|it)|disregard"
    r"|never ?mind"
    r"|reject\w*|unverified|unchecked|infeasible|no idea|give up|unless|ruled out|(?<!than )either)\b"
    r"|\b(?:it|that|this|which|the (?:[a-z]+ )?(?:answer|result|value|solution|total)|they)(?:['’]s)? (?:[a-z]+ ){0,2}?"
    r"(?:not|never|cannot|fails?|depends|might|may|could)\b"
    r"|\b(?:problems?|issues?|trouble) with (?:this|that|the|it)\b|^\W*(?:thought|action|observation)\b[^:\n]{0,20}:"
    r"|\b(?:isn|doesn|can|wasn)['’]?t\b(?! (?:it|that|this))"
    r"|\b(?:is|was|are|could|might|does) (?:it|that|this)(?: [a-z]+)?\s*[?？]|\b(?:right|correct|sure)\s*[?？]|不对|错"
    r"|不确定|也许|可能",
    re.IGNORECASE | re.MULTILINE,
)
_IN_WORDS = re.compile(  # an answer in words, for another gold than a number
    r"\W*(?:yes|no|true|false|none|never|always|both|neither)\b(?!\s+(?:problem|worries|need))"
    r"|.*\b(?:no (?:real |integer |such )?(?:solutions?|number|way)|exist|undefined|infinit\w+|diverges|converges"
    r"|impossible)\b"
    r"|\W*(?:the|its|his|her|their|our|there|(?!(?:This|That|It|You|We|These|Those|They|Here|What|Hope"
    r"|Let|By|With|Without|As|For|Of|At)\b)[A-Z][a-z]+)"
    r"(?! (?:solution|problem)\b)(?: [A-Za-z'’-]+){0,5}? (?:is|are|was|were|will be|wins?|has|have|falls? on"
    r"|equals?)\b",
    re.DOTALL,
)
_IN_BOLD = re.compile(r"\b(?:is|be|makes (?:it|that)|falls on(?: an?)?)\s\*\*[^*\n]{1,40}\*\*\W*$")  # it is **Friday**
_BRACKETED = re.compile(r"\([^()]*\)[.!]?")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_OF_SOLUTION = re.compile(
    r"\W*(?:(?:as a )?(?:quick |sanity )?check\b(?!.*\b(?:not|fails|wrong|but|so)\b)"
    r"|as a (?:quick |sanity )?check\b.*\b(?:makes sense|is (?:plausible|reasonable|right|as expected))\W*$"
    r"|(?:verification|proof|to (?:check|verify|double-check)|(?:we|you) can (?:also )?(?:check|verify|confirm"
    r"|double-check))\b"
    r"(?!.*\b(?:not|fails|wrong|but|so)\b)"
    r"|both (?:values |solutions |roots |answers |of them )?(?:check out|work|satisfy|are valid"
    r"|are solutions)\b[^0-9]*$"
    r"|do you (?:have|want|need)|(?:is|are) there any(?:thing)?\b|i (?:hope|trust|believe)|hope\b|let me know"
    r"|if you(?:['’]d| would)?"
    r" (?:have|need|like|want)|thank|feel free|please|\[?notes?\b|(?:and )?there you (?:go|have)(?! it: )"
    r"|would you like|want\b"
    r"|(?:this|that|it|which|the (?:fraction|result|expression|ratio)) (?:can(?:['’]t|not)|does(?:n['’]t| not))"
    r" (?:be )?(?:simplif|reduc)\w+(?: (?:any )?further)?\W*$"
    r"|(?:this|that|it|which|the (?:fraction|result|expression|ratio)) is (?:already )?in (?:its |the )?"
    r"(?:simplest|lowest)"
    r"|(?:(?:so|thus|hence|therefore),? )?(?:the|our|this) [a-z]+ is (?:indeed )?(?:correct|right|verified"
    r"|confirmed)\W*$"
    r"|(?:(?:let['’]s|let us|we|i) (?:quickly |also |now )?(?:check|verify|double-check)"
    r"(?: (?:this|that|it|by [a-z]+ing|(?:the|our) (?:answer|result|solution|inverse)))?|indeed)[:,]"
    r"(?!.*\b(?:not|fails|wrong|but|so)\b)"
    r"|shall (?:we|i)|great|nice|enjoy|good luck|isn't (?:that|it|math)"
    r"|(?:those|these|they) are (?:all |both )?(?:the |our )?(?:only )?(?:two |three )?(?:solutions|answers|roots)\b"
    r"|remember\b|recall\b|keep in mind|confidence\b|i(?:['’]m| am) (?:[0-9]+ ?%|about|confident|sure|certain)"
    r"|time (?:taken|spent)"
    r"|(?:it|this|that) (?:is|was|can be) (?:obtained|found|derived|computed|calculated|reached) (?:by"
    r"|from|using|via|with)\b"
    r"|this (?:follows|comes) (?:from|by|because)\b"
    r"|the (?:partial sums|graph|picture|simulation|numbers)\b[^.]*\b(?:indeed|confirm\w*|agree\w*"
    r"|match\w*|support\w*)\b"
    r"|(?:this|it|which) (?:took|completes|makes sense|checks out|is reasonable)\b|(?:written|created|generated"
    r"|posted|updated)"
    r" (?:on|in|at)\b|sources?\b|references?\b|see (?:also|chapter|page|section)\b|\[[0-9]+\]"
    r"|(?:a|the|one) (?:very )?(?:common|usual|frequent|tempting) (?:mistake|error|pitfall|slip|trap)\b"
    r"|that (?:fits|makes sense|checks out)(?=[:;,.])"
    r"|(?:these|those|they|all (?:three|four|of them))(?: [a-z]+)? (?:add up|sum|come) to\b"
    r"[^.]*\bas (?:they|it) should\W*$"
    r"|difficulty\b|fun fact|by the way|in other words, (?:about|roughly))"
    r"|\((?:note|notice|recall|remember|since|because|here|we|this|that is|check\w*)\b"
    r"(?!.*\b(?:or|but|answer|alternative\w*|wrong)\b).*\)"
    r"|\([^()]*[0-9] ?= ?[0-9(](?:(?!\b(?:or|but|answer|possible|wrong|maybe|also)\b)[^()])*\)$",
    re.IGNORECASE | re.DOTALL,
)
_CHECKED = re.compile(  # a line that announces a check, right before its calculation
    r"(?:^|\n|[.!] )[ \t]*(?:#{1,6}[ \t]*)?[*_]{0,3}(?:(?:as a )?(?:quick |sanity )?(?:check|verification|proof)"
    r"|indeed|to (?:check|verify|double-check)[^\n.]{0,40}"
    r"|(?:let['’]s|let us|we|you|we can|you can) (?:also )?(?:check|verify|confirm|double-check)[^\n.]{0,50})"
    r"[*_]{0,3}[:,]?[*_]{0,3}[ \t]*\n\s*$",
    re.IGNORECASE,
)
_UNEQUAL = re.compile(r"≠|\\neq?(?![a-z])|\b(?:so|but|not|hence|thus|therefore|answer)\b", re.IGNORECASE)
_OF_FORM = re.compile("lowest|simplest|reduced|simplified|irreducible|no common")
_LOWEST = re.compile(  # Since 13 is prime, that is already in lowest terms
    r"(?!.*(?:[0-9)}]\s?/|\\[dt]?frac|\b(?:or|but|answer)\b|\bnot (?:yet |quite )?(?:in|the)\b))"
    r".*(?:\b(?:it|this|that|which|the (?:fraction|result|expression|ratio))(?:['’]s| is)(?: (?:already|now|thus"
    r"|therefore|indeed))?"
    r" (?:in (?:its |the )?(?:lowest|simplest) (?:terms|form)|the (?:lowest|simplest) (?:terms|form)"
    r"|(?:fully |completely |already )?(?:reduced|simplified|irreducible))"
    r"|\b(?:it|this|that|which|the (?:fraction|result|expression|ratio)) (?:cannot|can['’]t|can not) be"
    r" (?:reduced|simplified)(?: any)?(?: further)?"
    r"|\b(?:have|share) no common (?:prime )?(?:factors?|divisors?)(?: (?:other than|besides|except) 1)?)\W*",
    re.IGNORECASE | re.DOTALL,
)

_NOTE = re.compile(  # **Important:** we divide by the rate, because 1.25 euros are worth a pound
    r"\W*(?:important|(?:pro )?tips?|remarks?|reminder|warning|caution|careful|watch out|attention|heads[- ]up|hint"
    r"|key (?:point|idea|insight|fact|takeaway)|side note|good to know|rule of thumb|background)(?: [a-z]+){0,2}"
    r"\**\s?:\**\s(?P<said>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_NOTE = re.compile(
    r"\b(?:answer|result|or|if|unless|without|count\w*|includ\w+|assum\w+|instead|actually|but|however|so|thus|hence"
    r"|therefore|should|must|needs?|total|correct\w*|wrong|not|other|another|also|only|still|forg[eo]t\w*|might|may|could"
    r"|would)\b|n['’]t\b|[?]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")


def _is_note(sentence: str, before: str) -> bool:
    """Whether a sentence is a note with a label that has no number but those before it, and decides nothing."""
    note = _NOTE.match(sentence) if len(sentence) < 400 else None
    if note is None or _NO_NOTE.search(note["said"]) is not None:
        return False
    return set(_NUMBER.findall(note["said"])) <= {*_NUMBER.findall(before[-2000:]), "1", "100"}


@lru_cache(maxsize=32)
def without_remarks(text: str) -> str:
    """A text without the remarks at its end.

    >>> without_remarks("So it is 8. Gracias."), without_remarks("So it is 8. I am 95% sure.")
    ('So it is 8.', 'So it is 8.')
    >>> without_remarks("So it is 8. That is wrong."), without_remarks("x = 8. So the limit does not exist.")
    ('So it is 8. That is wrong.', 'x = 8. So the limit does not exist.')
    """
    heading = _HEADING.search(text, max(0, len(text) - 2000))
    if heading is not None and _VALUE.search(text[: heading.start()]) is not None:
        text = text[: heading.start()]
    for _ in range(_MAX_REMARKS):
        body = text.rstrip()
        start = 0
        for match in END_OF_SENTENCE.finditer(body, max(0, len(body) - 1000)):
            if body[match.end() :].strip():
                start = match.end()
        if not start or not is_remark(body[start:].strip(), body[:start]):
            return text
        text = body[:start]
    return text


def is_on_form(sentence: str) -> bool:
    """Whether a sentence says no more than that a fraction is in lowest terms, and why.

    >>> is_on_form("Since 13 is prime, it cannot be reduced further."), is_on_form("In lowest terms it is 3/4.")
    (True, False)
    """
    return len(sentence) < 200 and _OF_FORM.search(sentence) is not None and _LOWEST.fullmatch(sentence) is not None


def is_remark(sentence: str, before: str) -> bool:
    """Whether a sentence behind others states nothing."""
    if _WORD.search(sentence) is None:
        return True
    if _VALUE.search(before[-1000:]) is None or sentence.endswith(("..", "…")):  # it goes on
        return False
    if _OF_SOLUTION.match(sentence) is not None or is_comment(sentence, before) or _is_note(sentence, before):
        return True
    if "\n" in before[-60:] and _CHECKED.search(before[-120:]) is not None and _UNEQUAL.search(sentence) is None:
        return True
    if is_on_form(sentence):
        return True
    if _IN_BOLD.search(sentence) is not None:
        return False
    words = _WORDS.findall(sentence.lower()) if _BRACKETED.fullmatch(sentence) is not None else []
    if len(words) > 1 and "answer" not in words:  # (12 m would need a steeper ladder.)
        return _TAKES_BACK.search(sentence) is None
    if _VALUE.search(sentence) is not None or NUMBER_WORDS.search(sentence) is not None:
        return False
    if LEAD.match(sentence) is not None and _ENDS.search(sentence) is None:
        return False
    return _TAKES_BACK.search(sentence) is None and (
        _ENDS.search(sentence) is not None or _IN_WORDS.match(sentence) is None
    )
