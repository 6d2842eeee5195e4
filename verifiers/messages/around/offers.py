r"""Which other values a message offers beside its answer.

Only a clause that holds a value can offer one, and only if it ties that value to what was asked for: "or 9", "9 is also
possible", "it could be 9", "if zero counts, it is 9", "sorry, 9", "some would say 9", "second guess: 9". All other
clauses say what they like: courtesies, names, other languages, checks, units, steps, what else could be shown.
"""

import re

from turnwise.verifiers.messages.around.comments import is_rejected
from turnwise.verifiers.messages.around.remarks import is_on_form
from turnwise.verifiers.messages.base import Found
from turnwise.verifiers.messages.clause import FIRST
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.skeleton import NOUN, NUMBER_WORDS, UNIT, P
from turnwise.verifiers.messages.statement import committed
from turnwise.verifiers.messages.values import Masked, mask_values, result_of
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, announced, last_place, sentence

__all__ = ["kind_of", "offered", "offered_last"]

_MAX_CHARS = 1500
_MAX_SENTENCES = 20
_V = rf"(?P<value>{P})"
_START = (
    rf"(?:^|(?<!{P})[.,;:(!?—–\n]|(?<={P})[.;:(!?—–\n]|\s-)[\s\"'*>)\]]*(?:(?:and|but|so|hmm+|well|oh|yet)\b[\s,]*)?"
)
_OR = (
    r"(?:or(?!,? equivalently)|alternatively|otherwise|else|or else|instead|unless|if not|maybe|perhaps|possibly"
    r"|oder|oder auch|ou|o|или|либо|lub|albo|eller|atau|veya|ya da|hoặc|ή)\b"
    r"|(?:或者?|也可能是?|也可以是?|または|もしくは|あるいは|또는)"
)
_IT = r"(?:it|that|this|(?:the|my|an?|another)(?: [a-z]+)? (?:answer|result|solution|value|total|sum|number|count))"
_MODAL = (
    r"(?:could|might|may|would|should|can)(?: (?:also|well|just|equally|as well|instead|even|still|possibly|really|then"
    r"|very))*(?: have)? (?:been|be|become|equal|come to|make|go up to|rise to|drop to)(?: (?:also|just|really))?"
)
_TIE = (  # between the connective and the value: nothing but who is it and that it is
    r"(?:[\s,:$*(—–-]|\b(?:it|its|that|this|there|is|was|are|be|have|been|s|even|also|maybe|perhaps|possibly|simply"
    r"|just"
    r"|rather|else|the|a|an|my|correct|right|true|final|actual|answer|result|value|total|say|try|take|make|get|we"
    r"|you|i|x"
    r"|ist|es|sind|auch|alors|tal vez|quizás|peut-être|c['’]est|vielleicht|è|forse|talvez|no|wait|sorry|actually|should"
    r"|could|might|may|would|must|meant?|to|in which case|case|then|again)\b|['’]){0,12}?"
)
_CLOSES = (
    rf"(?=(?:\s{NOUN}){{0,2}}\s*(?:[.,;:!?)\"*—–]|$|instead|too\b|as well|as (?:an|the)\b|if\b|when|with"
    f"|though|depend|in case))"
)
_GOOD = (
    r"(?:possib\w+|valid|accept\w+|plausible|fine|right|correct|(?:an|the|another|a) (?:[a-z]+ )?"
    r"(?:answer|solution|option|possibility|alternative|candidate)|good|better|defensible|reasonable|fair|do)\b"
)
_ANOTHER = (
    r"(?:another|other|second|alternative|alternate|backup|new|corrected|revised|different|possible|final|correct)"
)
_ANSWER = (
    r"(?:answer|guess|option|possibility|alternative|plan b|edit|update|correction|candidate|choice|solution|reading)"
)
_RULES = (
    # or 9; otherwise 9
    re.compile(rf"(?:{_START}(?:{_OR}){_TIE}|^\s*/\s*){_V}{_CLOSES}", re.I),
    # sorry, 9; I meant 9; edit: 9
    re.compile(
        rf"{_START}(?:wait|no(?=[,:])|actually|correction|sorry|oops|whoops|scratch that|edit|update"
        rf"|on second thoughts?"
        rf"|rather|i mean|i meant|my bad|my mistake|hold on|or rather|then again)\b{_TIE}{_V}{_CLOSES}",
        re.I,
    ),
    # 9 is also possible; 9 would do; 9 works too
    re.compile(
        rf"(?:^|[.,;:(—–]|(?<!{P} )\band|\b(?:but|so|that|though|although|while|then|again|or|both {P} and)\b)[\s\"'(]*"
        rf"(?:{_ANSWER} )?{_V}(?:\s{NOUN}){{0,2}}\s(?:(?:also |equally )?(?:works?|fits?)\b(?! (?:with|in|into|for)\b)"
        rf"|(?:is|are|was|would|could|might|may|can|should|seems?|looks?)\s"
        rf"(?:(?!not\b|wrong\b|never\b|no\b)[a-z]+ ){{0,4}}?{_GOOD})",
        re.I,
    ),
    # it could be 9; it would also be 9; the answer might be 9
    re.compile(
        rf"(?:\b{_IT}(?:['’]d be|\s{_MODAL})|{_START}{_MODAL})\s(?:either )?(?:{P}(?:\s{NOUN})? or )?{_V}", re.I
    ),
    # if zero counts, it is 9; unless the order matters, in which case we get 9
    re.compile(
        rf"\b(?:if|unless|in case|otherwise|depending|assuming|with|without|under|counting|should)\b[^;.]*?"
        rf"\b(?:{_IT}(?:['’]s|\s(?:is|becomes|was|equals|comes to|changes to|would be|will be))|in which case)\s"
        rf"(?:instead |it is |it's |it becomes |then )?{_V}{_CLOSES}",
        re.I,
    ),
    # if zero counts: 9
    re.compile(rf"^\W*(?:if|unless|in case|assuming|with|without|counting|when)\b[^:.]*:\s*{_V}\W*$", re.I),
    # either 8 or 9; both 8 and 9 would do
    re.compile(
        rf"(?:^|\b{_IT}(?:['’]s|\sis|\sequals|\scan be)\s|[:;—–]\s*)(?:so |still |probably )?(?:it(?:['’]s| is) )?"
        rf"(?:either |between |pick |choose |take )?{P}(?:\s{NOUN})? or (?:maybe |perhaps )?{_V}",
        re.I,
    ),
    # some would say 9; the book gives 9; I'd also accept 9
    re.compile(
        r"\b(?:some|others?|many|people|someone|the (?:book|key|textbook|teacher)|one|you|i)(?: [a-z]+)?"
        r"(?: (?:might|may|would|could|will|can)|['’]d)? (?:also )?(?:say|says|argue|answer|claims?|accept|gives?"
        r"|lists?"
        rf"|prefer)(?: for| that it is| it is| it's)? (?:also )?{_V}{_CLOSES}",
        re.I,
    ),
    # pick 9; if you prefer, take 9
    re.compile(
        rf"(?:^|[,;:]\s*)(?:please )?(?:pick|choose|take|try|accept|go with|call it|make it|use|say) {_V}"
        r"(?=\s*(?:[.!?)]*$|instead|too\b|as well))",
        re.I,
    ),
    # another possible answer is 9; a different approach gives 9
    re.compile(
        rf"\b{_ANOTHER} (?:[a-z]+ ){{0,2}}(?:answers?|solution|value|possibility|option|result|choice|reading|root"
        rf"|interpretation|convention|approach|method)(?:,? such as|[^;.,]*? (?:is|are|gives|yields|would be)) {_V}",
        re.I,
    ),
    # 8, which is 9; 8 (9); 8 for x = 2 and 9 for x = 3
    re.compile(
        rf"^[\s,$]*(?:which|because it|since it) (?:is|equals|are) {_V}{_CLOSES}"
        rf"|^[\s$]*\(\s*{_V.replace('value', 'again')}\s*\)",
        re.I,
    ),
    re.compile(rf"\b(?:for|if|when)\b[^,;]*?(?:,|\band|\bbut)\s(?:it is )?{_V}\s(?:for|if|when|otherwise)\b", re.I),
    # it is more like 9
    re.compile(
        rf"\b{_IT}(?:['’]s|\s(?:is|would be|comes to|should be)) (?:really |probably |actually )?more like {_V}", re.I
    ),
    # second guess: 9
    re.compile(rf"^\W*(?:{_ANOTHER} )?(?:[a-z]+ )?{_ANSWER}(?: [a-z0-9]+)?\W*[:=]\W*{_V}\W*$", re.I),
)
_LAST = re.compile(  # Yes. If not, I would say no.
    r"[.;!]\W+(?:if not|failing (?:that|this)|otherwise|(?:or )?else|alternatively|(?:my )?second (?:choice|guess):?)"
    r"(?!\w),?\s+(?:then\s+|(?:it|the answer)(?: is|['’]s)\s+|i(?: would|['’]d)? (?:say|answer|choose|pick)\s+)?"
    r"(?P<offer>\$[^$]{1,40}\$|\S{1,40})[\s.]*$",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(  # words of choice, condition and correction: a small class in every language
    r"\b(?:or|either|else|while|whereas|should|can|cannot|shall|under|assuming|suppose|in case|revised?|corrected"
    r"|backup|otherwise|alternative(?:ly)?|alternate|instead|unless|if|though|although|but|however|maybe|perhaps"
    r"|possibl[ey]|possibility|may|might|could|would|another|(?<!the )others?|some|second|candidate|guess|option|choice"
    rf"|(?<!{P} )choose|pick"
    r"|prefer\w*|accept\w*|plausible|likely|valid|correct|depend\w*|different(?:ly)?|strictly|rather|actually|wait"
    r"|sorry"
    r"|apolog\w+|correction|edit|update|meant|again|thought|interpretation"
    r"|reading|convention|both(?! (?:by|sides|the|of|terms|numbers|parts)\b)|also"
    r"|oder|eventuell|vielleicht|möglicherweise|bien|quizás?|tal vez|acaso|peut-être|ou|o|forse|oppure|talvez|или|либо"
    r"|возможно|może|lub|albo|belki|veya|mungkin|atau|eller|auch|könnte|también|podría|aussi|pourrait|anche|potrebbe"
    r"|também|poderia|также|может)\b|或|可能|または|かも|또는|아마",
    re.IGNORECASE,
)
_BARE = re.compile(  # a value that is no measure, label or object of a preposition
    rf"(?P<value>{P})(?=\W*$|\s*[,;:.)!?—–\"]|\s(?:is|are|was|would|could|can|may|might"
    r"|if|when|as|too|instead|because|since|though|but|or|and|also|works?|fits?|seems?|looks?|for|given|unless"
    r"|depending|just)\b)"
)
_NO_COMPLEMENT = frozenset([
    "of", "by", "than", "from", "at", "in", "on", "over", "per", "under", "above", "below", "between", "after",
    "before", "about", "roughly", "approximately", "around", "nearly", "step", "steps", "part", "parts", "question",
    "questions", "problem", "problems", "chapter", "page", "pages", "case", "equation", "example", "examples",
    "exercise", "exercises", "figure", "line", "lines", "section", "number", "least", "most", "divisible", "times",
    "plus", "minus", "since", "because", "and", "with", "without", "not", "that", "n't", "other", "remaining", "only",
    "all",
])  # fmt: skip
_CHAIN = re.compile(  # multiples of 3 or 4; x is 5 or 1: what is counted, another name's value
    rf"(?:\b(?:{'|'.join(sorted(_NO_COMPLEMENT))}|[a-z]+ing|(?<!s )to)|(?<![^\W\d_]|['’])[a-z] (?:is|are|(?:cannot"
    rf"|must|can't|should) be|be))\s+{P}(?:(?:,? (?:and|or)|,)\s+{P})*",
    re.IGNORECASE,
)
_MAX_BARE = 2  # more are a list, no alternatives
_NO_OFFER = re.compile(  # what else could be shown; how the answer is checked; what is denied
    r"\b(?:let me know|would you like|do you want|want (?:me|another|to|a)|if you(?:['’]d| would) (?:like|want)"
    r"|if you (?:want|need)"
    r"|feel free|shall (?:i|we)|ask|mistak\w+|wrongly|incorrectly"
    r"|which (?:is|was|would be) (?:wrong|incorrect|not right)|verif\w+|plug\w*|substitut\w+|sanity|double-check)\b"
    r"|^\W*(?:for (?:comparison|reference|context)|check|proof|test)\b"
    r"|\bas (?:it|they|one|that) (?:should|must|would)\b"
    r"|\b(?:never|no|not|n['’]t) (?:even )?(?:need|have|necessary) to (?:find|know|solve|work out)\b"
    r"|(?:\bnot\b|n['’]t\b|\b(?:rather than|instead of)\b)[^.;]*[,(]\s*"
    r"(?:which|that) (?:would|might|could) (?:be|give|have|make)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9\\$=]|[½¼¾√π∞]")
_LABEL = re.compile(r"(?<![A-Za-z\\])(?:\(([A-J])\)|([B-HJ])|(A(?=\W*$)))(?![A-Za-z'’])")
_WORD_AFTER_OR = re.compile(rf"(?<=\bor )(?:(?:maybe|perhaps|possibly) )?({NUMBER_WORDS.pattern})", re.IGNORECASE)
_REST_OF_FORMULA = re.compile(r"^(?:\\[A-Za-z]+|\{[^{}]*\}|[^A-Za-z$\n\\/,]|\\[,;:! ])*(?:\$\$?|\\\]|\\\))")
_NAME = re.compile(r"^[A-Za-z]\w?\s*=\s*(?!.*[=<>])")
_RELATION = re.compile(r"[=<>≤≥≠≈]|\\(?:[lg]eq?|ne|neq|lt|gt|approx|equiv|in|pmod)(?![A-Za-z])")
_TUPLE = re.compile(r"\\?(?:left)?\s*[(\[{].*,|.*,\s")
_ASSIGNED = re.compile(r"[A-Za-z]\w?\s*=[^=<>,;]+(?:(?:[,;]|\band\b)\s*[A-Za-z]\w?\s*=[^=<>,;]+)+")  # x = 7, y = 3
_COMMAND = re.compile(r"\\[A-Za-z]+|\b(?:sqrt|pi)\b|[√π∞½¼¾]")
_VARIABLE = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_ALONE = re.compile(r"[\s.*$)\]]*\n[\s*$]*-?[$€£]?(?:[0-9][0-9.,/]*|\\[dt]?frac\S+|\(?[B-J]\)?)%?[\s.*$]*")
_EMPHASIS = re.compile(r"\*\*|__|`")
_RUN_OF_CJK = re.compile("([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+)")
_NUMBER = re.compile(r"[0-9][0-9.,]*[0-9]|[0-9]")


def offered(text: str, found: Found) -> tuple[str, ...]:
    r"""The values that what follows an answer offers beside it.

    Args:
        text: What was read.
        found: What a rule found in it.

    >>> offered("It is 8. Or 9.", Found(("8",))), offered("It is 8.\n\nIf zero counts, it is 9.", Found(("8",)))
    (('9',), ('9',))
    >>> offered("8. Gracias.", Found(("8",))), offered("8\n\nLet me know if you want 3 or 4 examples.", Found(("8",)))
    ((), ())
    """
    if not found.candidates:
        return ()
    end = found.end if found.end >= 0 else _end(text, found.candidates[-1])
    if end >= len(text) or not text[end : end + _MAX_CHARS].strip(" \n.$*)]}\\"):
        return ()
    tail = _REST_OF_FORMULA.sub("", text[end : end + _MAX_CHARS])
    if _DIGIT.search(tail) is None and NUMBER_WORDS.search(tail) is None and _LABEL.search(tail) is None:
        return ()
    kinds = {kind_of(one) for one in found.candidates}
    offers = [committed(sentence(tail, match.end())) for match in announced(tail)]
    if "\n" in tail and _ALONE.fullmatch(tail) is not None:
        offers.append(tail.strip("\n .*$"))
    own = {_bare(value) for one in found.candidates for value in [one, *_values(one)]}
    named: list[str] = []
    for part in [one for one in END_OF_SENTENCE.split(flattened(tail)) if one and one.strip()][:_MAX_SENTENCES]:
        masked = (
            None
            if _NO_OFFER.search(part) or is_rejected(part) or is_on_form(part.strip())
            else mask_values(_RUN_OF_CJK.sub(r" \1 ", _EMPHASIS.sub("", part)))
        )
        if masked is None:
            continue
        offers += _tied(masked, "label" in kinds)
        if _ALTERNATIVE.search(masked.words) is not None:
            named += _bare_values(masked)
        elif any(_bare(result_of(value)) in own for value in masked.values):
            named = []  # what led to the answer once more
    offers += [] if any(_bare(one) in own for one in offers) else named
    unit = "" if _unit(found.candidates[-1]) else _unit(f"1{tail}")  # \boxed{2} hours, or 120 minutes
    return tuple(
        dict.fromkeys(
            value
            for value in offers
            if _bare(value) not in own
            and (kind_of(value) in kinds or NUMBER_WORDS.fullmatch(value))
            and not (unit and _unit(value) not in ("", unit))
        )
    )


def offered_last(message: str) -> tuple[str, ...]:
    """What the last words of a message offer in place of its answer, whatever kind of thing it is: words, letters.

    >>> offered_last("Yes. If not, no."), offered_last("Yes. If not, the sum would be odd.")
    (('no',), ())
    """
    match = _LAST.search(message[-120:])
    return () if match is None else (match["offer"].strip(" .$"),)


def _unit(value: str) -> str:
    match = re.match(r"[-+0-9.,/]+", value)
    unit = UNIT.match(value, match.end()) if match is not None else None
    return unit[1].rstrip("s") if unit is not None else ""


def kind_of(value: str) -> str:
    """What kind of thing a value is: only a value of its kind competes with an answer."""
    value = _NAME.sub("", value.strip(" $"))
    if _LABEL.fullmatch(value):
        return "label"
    if _TUPLE.match(value) if _RELATION.search(value) is None else _ASSIGNED.fullmatch(value):
        return "tuple"
    if _RELATION.search(value):
        return "relation"
    plain = _COMMAND.sub("", value)
    if not any(c.isdigit() for c in value) and not _COMMAND.search(value):
        return "number" if NUMBER_WORDS.fullmatch(value) else "expression" if len(value) < 3 else "word"
    return "expression" if _VARIABLE.search(plain) else "number"


_NUMBER_BEGINS, _NUMBER_ENDS = re.compile(r"(?<![\w.])"), re.compile(r"(?![0-9])")


def _end(text: str, answer: str) -> int:
    """Where an answer last stands in a text, its end if nowhere."""
    for shown in (answer, *_NUMBER.findall(answer)[-1:]):
        place = last_place(text, shown, _NUMBER_BEGINS, _NUMBER_ENDS)
        if place >= 0:
            return place + len(shown)
    return len(text)


def _tied(masked: Masked, labels: bool) -> list[str]:
    """The values that a sentence ties to the answer."""

    def taken(match: re.Match[str]) -> str:
        masked.values.append(next(group for group in match.groups() if group is not None))
        return match[0][: match.start(match.lastindex or 0) - match.start()] + chr(ord(FIRST) + len(masked.values) - 1)

    words = _WORD_AFTER_OR.sub(taken, masked.words)
    words = _LABEL.sub(taken, words) if labels else words
    return [_value(masked, match) for rule in _RULES for match in rule.finditer(words)] if masked.values else []


def _bare_values(masked: Masked) -> list[str]:
    """The values of a sentence that stand alone as a subject or object: no measures, no numbers of steps."""
    bare = [match["value"] for match in _BARE.finditer(_CHAIN.sub("", masked.words))]
    shown = [masked.at(place) for place in bare if place not in masked.results and "=" not in masked.at(place)]
    return shown if len(_BARE.findall(masked.words)) <= _MAX_BARE else []


def _value(masked: Masked, match: re.Match[str]) -> str:
    name = match.lastgroup or "value"
    value = result_of(masked.at(match[name]))
    unit = UNIT.match(match.string, match.end(name))
    return f"{value} {unit[1]}" if unit is not None and "$" not in value else value


def _values(text: str) -> list[str]:
    masked = mask_values(text)
    return [result_of(value) for value in masked.values] if masked is not None else []


def _bare(value: str) -> str:
    return re.sub(r"[\s$]|\\[,;! ]", "", value).lower()
