"""A second look with the question in hand, where the rules have read no value that can answer it.

"So 330 - 65 = 265 committees have at least two women." has a form that nobody listed, but only one of its values can be
what is asked for: those of the question, of another unit, in brackets, of bounds and circumstances cannot. Of several
that can, the one counts whose clause alone speaks of what the question asks. Sentences behind it are passed over where
they only comment, or where none of their values can be the answer. Nothing is read that way beside an offer, a doubt or
a correction.
"""

import itertools
import re
from typing import NamedTuple

from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.around.offers import kind_of
from turnwise.verifiers.messages.around.remarks import is_remark, without_remarks
from turnwise.verifiers.messages.base import DIFFERENT, STRONG, Found
from turnwise.verifiers.messages.clause import DOUBTED, FIRST, NOT_STATED, PLACE, weakened
from turnwise.verifiers.messages.closing import derived
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.last_line import read_last_line
from turnwise.verifiers.messages.prose import is_value
from turnwise.verifiers.messages.skeleton import ASIDE, GOES_ON, NO_RESULT, NUMBER_WORDS, OTHER_SCRIPT, POSED, UNIT, P
from turnwise.verifiers.messages.sought.subject import ASKS_REST, Sought, stem
from turnwise.verifiers.messages.sought.weighed import ABOUT
from turnwise.verifiers.messages.values import Masked, equated, mask_values, result_of
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, says_again

__all__ = ["concluded_after", "second_look"]

_MAX_BACK = 4
_MAX_CHARS = 1200
_MAX_SENTENCE = 500
_CLAUSES = re.compile(
    rf",?\s(?:and (?:hence|thus|therefore|so)|and|while|whereas|so|which|although|though|compared (?:with|to)|leaving"
    rf"|making|giving|along with)\s|[;:]\s|,\s(?=[A-Za-z'’]+\s|{P})|\s[—–-]\s|—"
)
_JOINT = re.compile(r"^\W*(?:and|while|whereas|so|which|along with)\s")
_NOUN = re.compile(r"\s(?!in\b|on\b|at\b|if\b|when\b|or\b|and\b|for\b|to\b|too\b|also\b|is\b|as\b|by\b)[a-z]{3,}")
_RESULT = re.compile(r"=\s*[$*\\]*([-−]?[$€£]?[0-9][0-9.,/]*[0-9]|[0-9])(?![^\n=]{0,20}=)")
_PARTED = re.compile(r"[,;:(—–]| and | while | which | so ")
_NUMBER = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_PLAIN = re.compile(r"[-−]?[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?")
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")
_NO_ANSWER = re.compile(  # right before a value
    r"(?:\b(?:of|with|from|per|by|than|over|under|above|below|between|after|before|within|during|until|since"
    r"|every|each|first|last|next|step|case|part|page|line|mod|modulo|base|out of|divided by|times|plus|minus|about"
    r"|roughly|around|approximately|almost|nearly|not|up to|at (?:least|most)|the|these|those|all|both)"
    r"|[-+*/×÷^<>(])[\s$*]*$",
    re.IGNORECASE,
)
_OF = re.compile(r"\ban? (?:[a-z]+ ){1,3}of[\s$*]*$", re.IGNORECASE)  # a total of, an edge length of
_OTHERS = re.compile(r"\b(?:other|remaining|rest)[\s$*]*$", re.IGNORECASE)
_MEASURED = re.compile(r"\b(?:after|in|for|of|within|with|by)\s(?:exactly |only |just )?[$*]*$", re.IGNORECASE)
_OFFERS = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|otherwise|unless|intuition|guess\w*|claims?"
    r"|double-check|whether|more like)\b"
    r"|[≠?]|\\neq?(?![a-z])",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:might|may|could|would|also|another|between|says?|said|verify|if|rather|although|though|compared)\b|['’]d\b|n['’]t\b",
    re.IGNORECASE,
)
_SIDE = re.compile(  # The area would then be 60. This parabola has its zeros at 3 and -5.
    r"(?:the|its|their|his|her|an?)\b[^.]*\bwould\b|(?:they|s?he|it)(?:['’]ll"
    r"| will) (?:then )?be\b[^.]*\b(?:by )?then\b|th(?:is|ese|at) (?:[a-z]+ )?[a-z]+ (?:has|have)\b|the (?:other"
    r"|remaining)\b",
    re.IGNORECASE,
)
_SEVERAL = frozenset(
    map(stem, ["roots", "solve", "solutions", "zeros", "values", "all"])
)  # of these no single one is the answer
_NO_SENTENCE = re.compile(rf"{OTHER_SCRIPT.pattern}|[→⇒]|->|=>")
_FORM = re.compile(  # , i.e. 87.5 %; or about 283 cm³; or two hours
    rf"(?:,? (?:i\.e\.|that is)[,:]?|,? or|,(?= (?:about|approximately|roughly)))(?P<near> (?:about|approximately"
    rf"|roughly|around))? "
    rf"(?P<value>{P})(?P<unit>(?:\s(?!or\b|and\b|is\b|if\b|for\b|in\b|at\b|when\b)[%A-Za-z][\w²³/]*){{0,3}})"
    r"(?: as an? [a-z]+(?: [a-z]+)?)?(?: if (?:you|one)\b[^.]*)?\W*$"
)
_NAME = re.compile(r"^[A-Za-z]\s*=\s*")
_BOLD = re.compile(r"\*\*([^*\n]{1,60})\*\*")
_REFERS = re.compile(r"\W*(?:this|that|it|which) (?:equals|is|gives|comes to|simplifies to|makes)\b", re.IGNORECASE)
_IN, _SHORT_UNIT = re.compile(r"\b[Ii]n $"), re.compile(r"\s[a-z]{1,3}\b")  # in 2 s
_DENIES = re.compile(r"\bnot\b|n['’]t\b|\bno\b", re.IGNORECASE)
_SOLID = re.compile(r"[0-9√π∞½⅓⅔¼¾\\]|\b(?:pi|one|half|none|no|zero|infinit\w+)\b", re.IGNORECASE)
_WHEN = re.compile(r",? (?:when|at which point|by which time)\b.*", re.DOTALL)
_RATE = re.compile(  # That's 11 for each person. In an hour that makes 480 litres.
    r"(?:that|this|it)(?:['’]s| is| makes| means| comes to) [^.]{0,30}?[0-9][^.]{0,30}? (?:for each|per|each|every"
    r"|an?) (?P<of>[a-z]+)\W*$"
    r"|(?:in|over) (?:an?|one|two|three|ten|[0-9]+) (?P<in>[a-z]+)(?: \([^()]*\))?,? (?:that|this|it)(?:['’]s"
    r"|\s(?:makes|is|comes to"
    r"|would be)) [^.]*[0-9][^.]*$",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(r"(?<![A-Za-z\\])[a-df-hj-z](?![A-Za-z])")
_PER = re.compile(r"\b(?:per|an?|each|every)\b(?: (?P<of>[a-z]+))?")
_WITH = re.compile(r"\b(?:along |together )?with $")
_PARALLEL = re.compile(rf"(?:an? |the |its )?[a-z]+(?: of)? {P}")
_ROUNDED = re.compile(
    r"\b(?:about|approximately|approx|roughly|around|nearly|almost|rounded)\b|≈|\\approx", re.IGNORECASE
)
_SUPPOSED = re.compile(r"\b(?:if|with|without|had|otherwise|suppos\w+|assum\w+)\b", re.IGNORECASE)
_NEEDED = re.compile(r"(?:\bwould|['’]d) (?=(?:need|take|have to|pay|cost|require)\b)")
_CONCLUDED = re.compile(r"\*\*[^*]*[0-9][^*]*\*\*|\b(?:so|thus|hence|therefore|answer)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"\W*(?:so|thus|hence|therefore|consequently|in (?:conclusion|total|summary)|altogether|overall|finally)\b",
    re.IGNORECASE,
)
_OF_CONCLUSION = frozenset(map(stem, [  # words of a sentence that says no more than its value
    "so", "thus", "hence", "therefore", "consequently", "conclusion", "total", "summary", "altogether", "overall",
    "finally", "in", "the", "a", "an", "it", "its", "this", "that", "there", "we", "you", "he", "she", "they",
    "his", "her", "their", "our", "your", "is", "are", "was", "were", "be", "has", "have", "had", "will", "would",
    "must", "can", "takes", "take", "took", "need", "needs", "get", "gets", "got", "gives", "makes", "comes",
    "equals", "costs", "cost", "pay", "pays", "of", "for", "to", "as", "and", "then", "at", "all", "answer",
    "result", "value", "solution", "final", "correct", "required", "desired", "needed", "exactly", "x", "y", "n",
    "k",
]))  # fmt: skip
_NAMED_AS = re.compile(r"\s(?:as|being) (?:its|the|their|our)\b")
_AMONG = re.compile(rf"(?<=[a-z])\s(?:between|from) {P} (?:and|to) {P}")
_RANGE = re.compile(rf"{P} (?:to|[-–]) {P}")
_BOUND = re.compile(rf"\b(?:at (?:least|most)|exactly|more than|fewer than|less than) (?:{P}|[a-z]+)(?=\s[a-z])")
_ASIDE_OFFERS = re.compile(r"\b(?:or|not|maybe|perhaps|possibly|might|another|also)\b|n['’]t\b|[?]", re.IGNORECASE)
_FOLLOWS = re.compile(
    r"\b(?:so|thus|hence|therefore|in total|a total of|altogether|which (?:leaves|makes|gives|means)|leaving|making"
    r"|giving)\b",
    re.I,
)
_AND_HENCE = re.compile(r",?\sand (?:so|thus|hence|therefore)\b")  # it has radius 4, and hence diameter 8
_UNITS = re.compile(r"[0-9]\s?(?:[A-Za-z°%$€£]|\\text)|[$€£][0-9]")
_WORDS = re.compile(r"(?<!\\)\b[A-Za-z]{3,}|[^\W\d_A-Za-z]{3,}")
_DRESS = re.compile(r"\*\*|__|`")


class _Candidate(NamedTuple):
    """A value that can be the answer.

    Attributes:
        value: The value, with its unit.
        clause: Its clause, with a sign for each value.
        about: How many words of the question its clause has.
        sure: Whether it is worked out, has a unit, or stands in a clause that is about what is asked.
        asked: Whether its unit is the one that is asked for.
        follows: Whether its clause says that it follows from what stands before it.
        bare: Whether its clause begins with it: "8, six in a good year".
        worked: Whether the sentence works it out.
    """

    value: str
    clause: str
    about: int
    sure: bool
    asked: bool
    follows: bool
    bare: bool
    worked: bool


def second_look(text: str, found: Found, sought: Sought) -> tuple[Found, str] | None:
    """What can be what is asked for, where that which was found cannot, with the sentence that it stands in.

    Args:
        text: What was read.
        found: What the rules have found in it.
        sought: What is asked for.
    """
    if len(found.candidates) > 1 or found.problem == DIFFERENT or STRONG.search(text) is not None:
        return None
    first = found.candidates[0] if found.candidates else ""
    first = first if is_value(first) or not _WORDS.search(first) else ""
    if sought.subject.numeric and _SOLID.search(first) is None and NUMBER_WORDS.search(first) is None:
        first = ""  # "favourable", where an amount is asked for
    beside: list[list[str]] = []  # numbers of sentences that were passed over
    if first and _alone(first, text):
        return None
    numbers = {number.strip(".,") for number in _NUMBER.findall(first)}
    settled = bool(numbers) and not numbers <= sought.subject.given and is_value(first) and sought.suits(text, first)
    body = flattened(text).rstrip()
    start = max(0, len(body) - _MAX_CHARS)
    ends = [start, *(match.end() for match in END_OF_SENTENCE.finditer(body, start)), len(body)]
    spans = [(a, b) for a, b in itertools.pairwise(ends) if body[a:b].strip(" *\n")]
    for start, stop in spans[: -_MAX_BACK - 1 : -1]:
        sentence, before = body[start:stop].strip(), body[:start]
        if len(sentence) > _MAX_SENTENCE:
            return None
        if before and is_remark(sentence, before):
            continue
        if before and _is_beside(sentence, before, sought):
            beside.append(_digits(sentence))
            continue
        if settled and not beside and not _has_others(sentence):
            return None
        if says_again(sentence, before):
            return None
        chosen = _chosen(sentence, before, first, beside, sought)
        if chosen is not None:
            return (Found(chosen[0], end=_end(text, sentence)), chosen[1]) if chosen[0] else None
        if _CONCLUDED.search(sentence) and ("**" in sentence or not _is_elsewhere(sentence, sought)):
            return None
    return None


def _has_others(sentence: str) -> bool:
    """Whether a sentence may give another value than one that was read from it."""
    several = len(set(_NUMBER.findall(sentence))) > 1 or NUMBER_WORDS.search(sentence) is not None
    return several and _PARTED.search(sentence) is not None


def _alone(first: str, text: str) -> bool:
    """Whether the last line of a text has no other number than the value that was read."""
    line = text.rstrip().rpartition("\n")[2]
    return set(_digits(line)) <= set(_digits(first)) and is_value(first) and NUMBER_WORDS.search(line) is None


def concluded_after(text: str, found: Found, sought: Sought) -> tuple[str, ...]:
    r"""What a message concludes of what is asked for behind its answer: this then was a step.

    Args:
        text: What was read.
        found: The answer, and where it ends.
        sought: What is asked for.

    >>> from turnwise.verifiers.messages.sought.subject import Subject, stem
    >>> subject = Subject(frozenset(map(stem, ["minutes", "take", "empty"])))
    >>> text = "\\boxed{15}. So it takes 18 minutes."
    >>> concluded_after(text, Found(("15",), end=10), Sought(lambda text, value: True, subject))
    ('18 minutes',)
    """
    tail = text[found.end :] if 0 <= found.end < len(text) and len(found.candidates) == 1 else ""
    ends = [match.end() for match in END_OF_SENTENCE.finditer(tail)]
    rest = flattened(tail[ends[0] :] if ends else "").strip()
    parts = [part for part in END_OF_SENTENCE.split(without_remarks(rest)) if part and part.strip()]
    if (
        not parts
        or not (_CONCLUDED.search(parts[-1]) or _OPENS.match(parts[-1]))
        or _ROUNDED.search(parts[-1]) is not None
    ):
        return ()
    words = set(map(stem, _WORD.findall(parts[-1])))
    about = sought.subject.words & words
    stated = read_last_line(parts[-1].strip())
    known = sought.subject.words | _OF_CONCLUSION | set(map(stem, _WORD.findall(sought.subject.asking)))
    if len(about) < 2 and (_OPENS.match(parts[-1]) is None or not words <= known):
        return ()
    if len(stated.candidates) != 1 or not is_value(stated.candidates[0]):
        return ()
    kinds = [kind_of(one.candidates[0]) for one in (stated, found)]
    if kinds[0] != kinds[1] and (len(about) < 2 or not set(kinds) <= {"number", "expression", "relation"}):
        return ()
    given = set(_digits(stated.candidates[0])) <= sought.subject.given and len(about) < 2
    return stated.candidates if not given and sought.suits(rest, stated.candidates[0]) else ()


def _end(text: str, sentence: str) -> int:
    """Where a sentence of a text ends; -1 where it does not stand there as it is."""
    place = text.rfind(sentence[-20:])
    return place + len(sentence[-20:]) if place >= 0 else -1


_UNCLEAR: tuple[tuple[str, ...], str] = ((), "")


def _is_elsewhere(sentence: str, sought: Sought) -> bool:
    """Whether a sentence has no word of what is asked."""
    return sought.subject.words.isdisjoint(map(stem, _WORD.findall(sentence)))


def _is_beside(sentence: str, before: str, sought: Sought) -> bool:
    """Whether a sentence behind a result says in none of the question's words what else would be the case."""
    sentence = sentence.lstrip("(* ")
    rate = _RATE.match(sentence)
    if rate is not None and stem(rate["of"] or rate["in"]) not in sought.subject.words | {"each"}:
        return "each" not in sought.subject.words or "each" not in rate[0]
    if _SIDE.match(sentence) is None or _CONCLUDED.search(sentence) or not any(c.isdigit() for c in before[-100:]):
        return False
    if not sought.subject.words.isdisjoint(map(stem, _WORD.findall(sentence))) or _DENIES.search(sentence):
        return False
    parts = [part for part in END_OF_SENTENCE.split(before[-500:]) if part and part.strip()]
    about = sought.subject.words & set(map(stem, _WORD.findall(parts[-1]))) if parts else ()
    return len(about) > 1 or not sentence.lower().startswith(("the other", "the remaining"))


def _chosen(
    sentence: str, before: str, first: str, beside: list[list[str]], sought: Sought
) -> tuple[tuple[str, ...], str] | None:
    """The value of a sentence that can be what is asked for, in each form, and its clause; None where it holds none."""
    masked = mask_values(_DRESS.sub("", sentence)) if _NO_SENTENCE.search(sentence) is None else None
    if masked is None or not (masked.values or NUMBER_WORDS.search(sentence)):
        return _UNCLEAR
    words = masked.words
    asides = ASIDE.findall(words)
    if any(_ASIDE_OFFERS.search(aside) for aside in asides):
        return _UNCLEAR
    if doubts(sentence):
        return _UNCLEAR
    words = _BOUND.sub("", ASIDE.sub("", words))
    words = NUMBER_WORDS.sub(lambda match: _taken(masked, match), _AMONG.sub("", words))
    if (when := _WHEN.search(words)) is not None and re.search(P, words[: when.start()]):
        words = words[: when.start()]
    form = _FORM.search(words)
    words = words[: form.start()] if form is not None else words
    if form is not None and (per := _PER.search(form["unit"] or "")) and not form["near"]:
        if per["of"] and re.search(rf"\b(?:per|an?|each|every) {per['of']}\b", sought.subject.asking):
            return _UNCLEAR  # 200 or 220 minutes per month
        form = None  # 75 euros, that is, 6.25 a month
    if DOUBTED.search(words) or NOT_STATED.search(words) or NO_RESULT.search(words) or _OFFERS.search(words):
        return _UNCLEAR
    if _RANGE.search(words):  # 700 to 750 g; 3 to 10
        return _UNCLEAR
    found, passed = _candidates(words, masked, before, sought, " ".join(_BOLD.findall(sentence)))
    if not found:
        return None if passed is not None else _UNCLEAR
    several = not sought.subject.words.isdisjoint(_SEVERAL) and (form is not None or len({x.value for x in found}) > 1)
    chosen = _one_of(found, sentence, before) if not several else None
    if chosen is None or not any(one.sure for one in found):
        return _UNCLEAR
    aside = [_digits(masked.at(place)) for aside in asides for place in re.findall(PLACE, aside)]
    stated = [_digits(one.value) for one in found]
    passed = [*aside, *(passed or []), *beside]
    if form is not None and form["near"] and _digits(first) == _digits(masked.at(form["value"])):
        better = True  # 20√3 m, roughly 35 metres
    elif first and any(set(_digits(first)) <= set(one) for one in passed) and _digits(first) not in stated:
        better = True  # what was read first stands in brackets, or in a clause about what is not so
    else:
        better = _better(chosen, first, found, f"{before} {sentence}", sought)
    if not better:
        return _UNCLEAR
    forms: tuple[str, ...] = (chosen.value,)
    if form is not None and "=" in masked.at(form["value"]):  # x = 5 or x = -1/2
        return _UNCLEAR
    if form is not None:
        again = masked.at(form["value"]) + (form["unit"] or "")
        forms = (f"{chosen.value} (about {again})",) if form["near"] else (chosen.value, again)
    return forms, re.sub(PLACE, lambda m: masked.at(m[0]), chosen.clause)


def _one_of(found: list[_Candidate], sentence: str, before: str) -> _Candidate | None:
    """The candidate that a sentence gives as the answer: the one about it, or the last result; None where unclear."""
    best = max(one.about for one in found)
    last = found[-1]
    if len({one.value for one in found}) == 1 or (last.follows and (last.about > 0 or not best)):
        return last
    if last.worked and last.about == best:
        return last
    results = _RESULT.findall(before)
    result = [one for one in found if results and _digits(one.value) == _digits(results[-1])]
    about = [one for one in found if one.about == best > 0 and one.worked] or [one for one in found if one.about > 0]
    if len(about) == 1 and len(result) == 1 and about != result:
        return None
    about = about if len(about) == 1 else result
    if len(about) != 1:
        return None
    for other in found[found.index(about[0]) + 1 :]:
        number = _NUMBER.search(other.value)
        used = about[0].about < 2 and number and derived(number[0], sentence[: sentence.rfind(number[0])])
        used = used and not _PARALLEL.match(other.clause)
        if other.follows or other.bare or used:
            return None
    return about[0]


def _digits(value: str) -> list[str]:
    """The numbers of a value, as they are compared."""
    return [number.replace(",", "").removesuffix(".00") for number in _NUMBER.findall(value)]


def _better(second: _Candidate, first: str, found: list[_Candidate], text: str, sought: Sought) -> bool:
    """Whether a value is what is asked for rather than the one that was read first."""
    numbers = {number.strip(".,") for number in _NUMBER.findall(first)}
    if not first or not sought.suits(text, first):
        return True
    known = {number.strip(".,") for number in _NUMBER.findall(second.value)}
    if known and known <= sought.subject.given:
        return False
    place = found.index(second)
    if any(
        _digits(one.value) == _digits(first) and (n > place or one.about < second.about) for n, one in enumerate(found)
    ):
        return True
    given = bool(numbers) and numbers <= sought.subject.given and not any(equated(first, text))
    return given or (second.asked and _UNITS.search(first) is None and f"{first} " not in f"{second.value} ")


def _taken(masked: Masked, match: re.Match[str]) -> str:
    """A number in words as a value; that of "a ten-dollar bill" stays."""
    if match.string.startswith("-", match.end()):
        return match[0]
    masked.values.append(match[0].lower())
    return chr(ord(FIRST) + len(masked.values) - 1)


def _candidates(
    words: str, masked: Masked, before: str, sought: Sought, emphasised: str
) -> tuple[list[_Candidate], list[list[str]] | None]:
    """The values that can be the answer, and the numbers of those that are only supposed; ([], None) where unclear."""
    found: list[_Candidate] = []
    passed: list[list[str]] = []
    unclear = False
    cuts = [0, *(match.start() for match in _CLAUSES.finditer(words)), len(words)]
    supposed = _SUPPOSED.search(words) is not None
    for start, stop in itertools.pairwise(cuts):
        clause = words[start:stop]
        about = len(sought.subject.words & set(map(stem, _WORD.findall(clause))))
        follows = _FOLLOWS.search(clause) is not None and (
            about > 0 or emphasised != "" or _AND_HENCE.match(clause) is None
        )
        unreal = _UNREAL.search(clause if supposed else _NEEDED.sub("", clause)) is not None
        clause = _JOINT.sub("", clause)
        for match in re.finditer(PLACE, clause):
            value = result_of(masked.at(match[0]))
            head, tail = clause[: match.start()], clause[match.end() :]
            if (
                _OTHERS.search(head)
                and not follows
                and not _DENIES.search(words)
                and sought.subject.words.isdisjoint(ASKS_REST)
            ):
                continue
            unit = UNIT.match(tail)
            plain = _PLAIN.fullmatch(value) is not None or NUMBER_WORDS.fullmatch(value) is not None
            shown = f"{value} {unit[1]}" if unit is not None and plain else value
            unknown = sought.subject.numeric and _UNKNOWN.search(_NAME.sub("", value)) is not None
            if unknown or not sought.suits(f"{head}{shown}{tail}", shown):
                continue
            numbers = {number.strip(".,") for number in _NUMBER.findall(value)}
            worked = match[0] in masked.results or any(equated(value, before))
            near = re.split(PLACE, head)[-1]
            near = ABOUT.sub("", near) if sought.subject.rounded else near
            named = _NAMED_AS.match(tail) is not None
            apart = (_NO_ANSWER.search(near) or (_IN.search(near) and _SHORT_UNIT.match(tail))) and not (
                named or _OF.search(near) or (unit and _MEASURED.search(near))
            )
            given = bool(numbers) and "=" not in value and numbers <= sought.subject.given and not worked
            if given and unit is not None and len(numbers) == 1:  # 12 minutes, where 12 litres are given
                given = f"{min(numbers)} {stem(unit[1])}" in sought.subject.given
            if unreal and (found or given):
                passed.append(_digits(value))
                unclear = unclear or about > 0 or (follows and not given)
            elif (
                POSED.fullmatch(_NAME.sub("", value))
                or GOES_ON.match(tail)
                or given
                or apart
                or weakened(near)
                or unreal
            ):
                counts = about == 0 and _WITH.search(near) is not None and _NOUN.match(tail) is not None
                unclear = unclear or not found or about > 0 or not (given or counts) or follows
            else:
                asked = bool(sought.subject.unit) and tail.lstrip().lower().startswith(sought.subject.unit.lower())
                sure = worked or unit is not None or about > 0 or "=" in value
                sure = sure or _REFERS.match(clause) is not None or f" {value} " in f" {emphasised} "
                bare = _WORD.search(head) is None and _NOUN.match(tail) is None
                found.append(
                    _Candidate(
                        shown,
                        clause if len(cuts) > 2 else words,
                        about,
                        sure,
                        asked,
                        follows or named,
                        bare,
                        match[0] in masked.results,
                    )
                )
                unclear = False
    return ([], None) if unclear else (found, passed)
