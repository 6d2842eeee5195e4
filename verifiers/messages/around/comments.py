"""Sentences behind a conclusion that comment on it: comparisons, conversions, checks, what would have been otherwise.

They hold values, but none that answers: "For comparison, the area is 60 cm²", "Numerically this is about 282.7",
"Without the leak it would take 60 minutes", "Sure enough, 17 + 19 + 21 = 57". What makes them comments is their form;
whether such a sentence still offers another answer is asked for elsewhere (`offers`). One that only states a value once
more ("numerically, it is 7") has to agree with the conclusion, where that is a number: else it contradicts it.
"""

import re

from turnwise.verifiers.messages.skeleton import UNIT

__all__ = ["is_comment", "is_rejected"]

_DIGIT = r"[0-9√π½¼¾]"
_OPENS = re.compile(  # says itself that it only comments
    r"\W*(?:for (?:comparison|reference|instance|example|the record|context|what it['’]s worth)"
    r"|equivalently|numerically"
    r"|incidentally|by the way|as an aside|sure enough|as expected|(?:plugging|substituting)\b[^.]*\bback(?: in)?\b"
    r"|(?:as a )?(?:quick )?(?:sanity )?check|in decimal(?:s| form)?|as a decimal|in metric|by symmetry"
    r"|the (?:complementary|opposite) (?:probability|chance|event))\b",
    re.IGNORECASE,
)
_CONFIRM = re.compile(r"confirm|agree|consistent|match|check|verif", re.IGNORECASE)
_MAY_REJECT = re.compile(
    r"\b(?:but|tempting)\b|\b[wc]ould have\b|\b(?:wrong|incorrect|error|mistake|slip|trap|pitfall)\b"
)
_CONFIRMS = re.compile(  # the same result by another way
    r".*\b(?:confirms?|confirmed|agrees? with|(?:is )?consistent with|matche?s|checks? out|verif(?:y|ies))(?: (?:the"
    r"|this|our"
    r"|that)(?: [a-z]+)?)?\W*",
    re.IGNORECASE | re.DOTALL,
)
_REJECTED = re.compile(  # with g = 9.81 one would get 29.4, but the problem says 10
    r"(?!.*\b(?:answer|or)\b).*\b(?:would|['’]d)\b.*,? but (?:here\b|(?:that|this|it)(?: is"
    r"|['’]s) not (?:the question|relevant|asked|what)\b|(?:the |this )?(?:problem|question|task|exercise)\b"
    r"|(?:that|this|it)(?: is|['’]s|) ?(?:not|n['’]t) (?:what|asked)).*"
    r"|.*\btempt(?:ing|ed)\b(?:(?!\bbut\b).)*(?:,? but\b(?!.*(?:=|\b(?:is|are|equals|gives)\s\$?[0-9])).*)?"
    r"|(?:(?:with|had|at|using|for)\b[^,.]*,?\s)(?:it|that|this|they|we|you|one|the [a-z]+) (?:would"
    r"|could) have [a-z]+\b.*"
    r"|.*\b(?:would|will) (?:give|yield|lead to|result in) (?:the |an? )?(?:wrong|incorrect)\b.*"
    r"|.*\b(?:would|will) (?:give|yield|lead to|result in)\b[^,;]*(?:,|[—–-]) (?:an?|the|which is an?|one)"
    r" (?:[a-z]+ ){0,3}(?:error|mistake|slip|trap|pitfall)\W*"
    r"|.*\b(?:would|will) be an? (?:[a-z]+ ){0,3}(?:error|mistake|slip|trap|pitfall)\b[^0-9]*",
    re.IGNORECASE | re.DOTALL,
)
_CLOSES = re.compile(  # for a reader with another question
    r",\s(?:in case (?:you|that|it)\b|(?:just )?if you(?:['’]re|['’]d| are| want| need| prefer| wish"
    r"| would)\b)[^,.]*\W*$"
    r"|\bif you(?:['’]re| are) (?:[a-z]+ing|curious|interested|wondering)\b[^.]*\W*$"
    r"|,\sfor (?:example|instance)(?:,|\W*$)",
    re.IGNORECASE,
)
_UNREAL = re.compile(  # what would have been otherwise
    r"\W*(?:without\b[^,.]*,?\s(?:[a-z]+\s)?(?:[a-z]+ (?:would|could)|[a-z]+['’]d)\b"
    r"|(?:if|had|were)\b(?=[^,]*(?:n['’]t\b|\bnot\b|\binstead\b|\bhad\b))"
    r"[^,]*,\s(?:[a-z]+ ){0,3}?(?:[a-z]+['’]d|would)\b"
    r"|.*\b(?:misread|forget|overlook|mistakenly|tempting)\b.*\bwould have\b"
    r"|.*\bwould be the (?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|[0-9]+th)\b"
    r"|the next\b[^.]*\bafter (?:it|that|this)\b"
    r"|(?:in other words|put differently|to put it differently),\s(?!so\b)(?:[a-z'’$0-9,.%-]+ )+would (?:grow|turn"
    r"|become|rise|increase|accumulate|amount|bring|be back|again)\b(?!.*\b(?:or|not)\b))",
    re.IGNORECASE | re.DOTALL,
)
_RESTATES = re.compile(  # the same again, rounded or in another unit
    rf"\W*(?:that|this|it|which)(?:['’]s| is| would be)(?: just| only)? (?:about|approximately|"
    rf"roughly|around|nearly|almost"
    rf"|a (?:bit|little|shade)|just (?:over|under)|slightly|the same as|equivalent to)\b.*{_DIGIT}"
    rf"|\W*(?:that|this|it|which)(?:['’]s| is) (?:just |only |exactly |about )?"
    r"(?:[a-z]+ )?\$?[0-9][0-9.,]*%?(?: [a-z]+)?"
    r" (?:more|less|fewer|greater|higher|lower|older|younger|longer|shorter|larger|smaller) than\b"
    rf"|\W*(?:that|this|it|which)(?:['’]s| is) (?:just |only |exactly |about )?(?:{_DIGIT}+|[a-z]+)(?: [a-z]+)?"
    r" (?:short of|away from|shy of)\b"
    r"|.*\b(?:gives?|yields?|leads? to|get|gets) (?:you |us )?(?:exactly )?the same (?:thing|result"
    r"|answer|value|number)\b"
    r"|.*\b(?:is|are|do|does|equals?) indeed\b.*\b(?:times|more|less|twice|half|the same|equal|around"
    r"|greater|smaller|=)"
    r"|\W*(?:it|that|this)(?:['’]s| is) (?:smaller|larger|less|more|greater|bigger|higher|lower|shorter|longer|older"
    r"|younger)\b[^.]*\bthan\b",
    re.IGNORECASE | re.DOTALL,
)
_NO_COMMENT = re.compile(  # it concludes or corrects
    r"^\W*(?:so|thus|hence|therefore|then|but|or|wait|no|actually|however)\b|\b(?:therefore|answer|correct|wrong"
    r"|mistake in|also (?:possible|valid|works))\b|\*\*",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(  # before a comment: a value at the end of a sentence that is no question and no plan
    rf"{_DIGIT}[^?\n]*[.!\]}}$)*]\s*$"
)
_NUMBER = r"[0-9][0-9,]*(?:\.[0-9]+)?"
_STATES = re.compile(  # nothing but a value: it is about 7, Ben has 7 apples, x = 7
    r"\W*(?:(?:that|this|it|which|(?:the )?[A-Za-z]+)"
    r"(?:['’]s|\s(?:is|was|has|had|would be|comes to|works out to))?\s*=?\s*)?"
    r"(?:(?:just |only )?(?:about|approximately|roughly|around|nearly|almost|exactly|equal to|a (?:bit|little|shade)"
    r" (?:over|under)|just (?:over|under)|the same as|equivalent to)\s)?"
    rf"\$?(?P<value>{_NUMBER})\s*(?P<unit>[A-Za-z%°²³/]+)?(?:\s[a-z]+)?\W*",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(rf"(?<![\w./^\\{{,√])({_NUMBER})(?:\s*[A-Za-z%°²³/]+){{0,3}}[\W]*$")
_NEAR = 0.02  # a rounded value differs by less


_ROUNDED = re.compile(  # So there's roughly a 35% chance: the value before it once more, rounded
    r"\W*(?:(?:so|that means|meaning|in other words),? )?(?:there['’]s|there is|that['’]s|that is|it['’]s"
    r"|this is|i\.e\.)?"
    r"\s?(?:(?:just |only )?(?:about|roughly|approximately|around|nearly|almost|just (?:over|under)|a (?:bit|little) "
    rf"(?:over|under)) )(?:an? )?\$?(?P<value>{_NUMBER})\s?(?P<percent>%|percent)?(?P<rest>[^0-9]*)",
    re.IGNORECASE,
)


def _rounds(sentence: str, before: str) -> bool:
    """Whether a sentence gives the value right before it once more, rounded, or as a percentage."""
    again = _ROUNDED.fullmatch(sentence)
    concluded = _CONCLUSION.search(before.rstrip()[-80:])
    if again is None or concluded is None or re.search(r"\b(?:or|not|but)\b|[?]", again["rest"]):
        return False
    value, known = (float(text.replace(",", "")) for text in (again["value"], concluded[1]))
    return abs(value / (100 if again["percent"] and known <= 1 else 1) - known) <= _NEAR * abs(known)


def is_comment(sentence: str, before: str) -> bool:
    """Whether a sentence with values only comments on a conclusion that stands before it.

    >>> is_comment("Without the leak, it'd take just 60 minutes.", "Filling it takes 900 / 12 = 75 minutes.")
    True
    >>> is_comment("That is 12 apples.", "She has 5 red and 7 green ones."), is_comment("If so, it is 9.", "It is 8.")
    (False, False)
    >>> is_comment("Numerically, that is about 7.07.", "It is 7."), is_comment("Numerically, it is 7.", "It is 9.")
    (True, False)
    """
    if len(sentence) < 200 and _rounds(sentence, before):
        return True
    if is_rejected(sentence):
        return _CONCLUDED.search(before[-400:]) is not None
    if len(sentence) > 300 or _NO_COMMENT.search(sentence) or _CONCLUDED.search(before[-400:]) is None:
        return False
    commented = (
        _OPENS.match(sentence)
        or _CLOSES.search(sentence)
        or _UNREAL.match(sentence)
        or _RESTATES.match(sentence)
        or (_CONFIRM.search(sentence) and _CONFIRMS.fullmatch(sentence))
    )
    return commented is not None and not _contradicts(sentence, before)


def is_rejected(sentence: str) -> bool:
    """Whether a sentence says what would be the case, and that it is not.

    >>> is_rejected("With g = 9.81 it would be 29.4 m, but the problem says 10."), is_rejected("It would be 29.4 m.")
    (True, False)
    """
    if len(sentence) > 300 or _MAY_REJECT.search(sentence) is None:
        return False
    return _REJECTED.fullmatch(sentence.strip()) is not None


def _contradicts(sentence: str, before: str) -> bool:
    """Whether a comment states nothing but another number than the conclusion before it, in no other unit."""
    opens = _OPENS.match(sentence)
    states = _STATES.fullmatch(_CLOSES.sub("", sentence[opens.end() if opens else 0 :]).lstrip(" ,:"))
    concluded = _CONCLUSION.search(before[-80:])
    if states is None or concluded is None:
        return False
    if states["unit"] and states["unit"] not in before[-400:] and UNIT.fullmatch(states["unit"]):
        return False
    value, known = (float(text.replace(",", "")) for text in (states["value"], concluded[1]))
    return abs(value - known) > _NEAR * abs(known)
