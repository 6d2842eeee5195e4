"""The values of a sentence, and what each can be where the gold is known: the gold itself, its rival, or neither."""

import itertools
import re
from collections.abc import Callable
from typing import NamedTuple

from turnwise.verifiers.messages.clause import FIRST, weakened
from turnwise.verifiers.messages.skeleton import GOES_ON, NOUN, NUMBER_WORDS, POSED, UNIT, P
from turnwise.verifiers.messages.sought.subject import Sought, stem
from turnwise.verifiers.messages.values import Masked, equated, mask_values, result_of

__all__ = ["ABOUT", "NAMED", "NUMBER", "PLAIN", "Judge", "Value", "weighed"]

NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:/[0-9]+)?")
PLAIN = re.compile(r"[-−+$€£]{0,2}[0-9][0-9,]*(?:\.[0-9]+)?(?:/[0-9]+)?[%°]?")
NAMED = re.compile(r"[A-Za-z]\s*=[^=]*$")
_CLAUSES = re.compile(
    r",?\s(?:and (?:hence|thus|therefore|so)|and|while|whereas|so|which|although|though|but|compared (?:with|to)"
    r"|leaving|making|giving|along with|because|since)\s|[;:]\s"
    rf"|,\s(?=[A-Za-z'’]+\s|{P})|\s[—–-]\s|—|\s(?=\()"
)
_WORD = re.compile(r"(?<![\w\\])(?:[A-Za-z]{2,}|[B-HJ-Z])(?!\w)")
_DRESS = re.compile(r"\*\*|__|`")
_BOUND = re.compile(  # right before a value that it makes a bound, a rounded value or one that is only compared
    r"(?:\b(?:than|above|below|under|over|between|from|at (?:least|most)"
    r"|(?:about|roughly|around|approximately|almost|nearly)(?: an?)?|just (?:under|over|below|above)"
    r"|a (?:bit|little|shade) (?:over|under)|up to|(?:divid|multipl)[a-z]+ by"
    r"|plus|minus|per|every|each|step|case|part|page|line|mod|modulo|base|not|of|within|times|since|until|first|the"
    r"|these|those|his|(?<!take )(?<!takes )(?<!took )(?<!cost )(?<!costs )(?<!gives )(?<!gave )(?<!leaves )"
    r"(?<!leaving )(?<!giving )(?<!makes )her|their|its|our|my)"
    r"|[-+*/×÷^<>≈])[\s$*(]*$",
    re.IGNORECASE,
)
_ALL = re.compile(r"\b(?:all|both)\s$", re.IGNORECASE)  # all three angles
_OF = re.compile(
    r"\b(?:an? (?:[a-z]+ ){1,3}|(?:total|sum|value|length|area|volume|height|speed|price|cost) )of[\s$*]*$", re.I
)
_BETWEEN = re.compile(rf"\b(?:between|from) {P}[^,;]*\b(?:and|to)[\s$*]*$")
_AT = re.compile(r"\b(?:at|when|where|for|if|with|let|set(?:ting)?|put(?:ting)?|take|given)[\s$*(]*$", re.IGNORECASE)
_PER = re.compile(
    r"\s(?:(?!(?:in|of|on|at|for|to|as|is|are|with|from|by)\b)[a-z]+ ){0,2}(?:per|each|every|an?)\s(?P<of>[a-z]+)"
)
_RATES = frozenset(
    map(stem, ["speed", "rate", "per", "each", "every", "fast", "pace", "daily", "hourly", "average", "unit"])
)
_SCALE = re.compile(r"\s(?:hundred|thousand|million|billion|dozen)\b")
_LIST = re.compile(
    rf"{P}(?:(?:\s{NOUN})?(?:[,;]|,?\s(?:and|or|&)|[,;]?\s*\\q?quad)\s*{P})+(?!(?:\s{NOUN}){{0,2}}\s(?:would|could)\b)"
)
_UNEQUAL = re.compile(r"[!<>≤≥≠]=?|\\(?:[lg]eq?|neq?)(?![a-z])")
_IN_ONE_FORMULA = re.compile(r"[^({\[]*[,;]\s|.*(?:\\q?quad|\\text\s*\{\s*(?:and|or)\b)", re.DOTALL)
_ROOT = re.compile(rf"(?:\bthe )?\b(?P<kind>[Ss]quare|[Cc]ube) root of (?P<value>{P})")
_THAT_IS = re.compile(
    r"\b(?:that is|i\.e\.|in other words|equivalently|namely|(?:in|as) [a-z]+ (?:notation|form))[,:]?[\s$]*$", re.I
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|equals?|gives?|gets?|be|becomes?|makes?|yields?)(?: (?:the|exactly|simply|then))?[\s$*]*$"
)
_NEAR = (
    r"(?:about|approximately|roughly|around|a (?:little|bit|shade) (?:over|under)|just (?:over|under)|almost|nearly)\s"
)
_AGAIN = re.compile(  # or about 55.6%; (28.8 %); which is 265 minutes
    rf"[,;]?\s(?:\(|\(?(?:or|i\.e\.,?|that is,?|which (?:is|equals)|equivalently|=|≈),?\s?|\(?(?={_NEAR}))"
    rf"(?:(?:or )?{_NEAR})?(?P<value>{P})(?:\s{NOUN}){{0,3}}\)?"
)
ABOUT = re.compile(r"\b(?:about|approximately|approx\.?|roughly|around)\s[\s$*]*$|[≈~]\s?[$*]*$")
_SPELLED = re.compile(rf"{NUMBER_WORDS.pattern}|(?<=\b[Ee]xactly )one\b", re.IGNORECASE)
_OPERATOR = re.compile("[-+*/×÷·^√%]")
_PARTS = re.compile(rf"({P}),? (?:that is|i\.e\.|with|so|where),? (?P<parts>{P})")


class Judge(NamedTuple):
    """What is right, and what is asked for.

    Attributes:
        is_right: Whether a value is the gold.
        is_again: Whether a value is the gold or only another form of it: rounded, in another unit.
        is_asked: Whether the left side of an equation is what is asked for.
        named: Whether the gold is an equation: then a value with another name is not right.
    """

    is_right: Callable[[str], bool]
    is_again: Callable[[str], bool]
    is_asked: Callable[[str], bool]
    named: bool = False


class Value(NamedTuple):
    """A value of a sentence.

    Attributes:
        shown: The ways to write it.
        written: All of its calculation.
        clause: The clause that it stands in, values masked.
        said: The same as it stands.
        about: How many words of the question that has.
        worked: Whether it is the result of a calculation.
        right: Whether it is the gold, and nothing before or behind it makes it another value.
        form: Whether it is the gold or another form of it, whatever stands beside it.
        other: Whether it is another value that could be asked for.
        rival: The same, of a value that the question does not give.
        again: Whether it only says once more what stands before it: "that is, x > 4".
        asked: Whether its unit is the one that is asked for.
        states: Whether a verb that states it stands before it.
    """

    shown: tuple[str, ...]
    written: str
    clause: str
    said: str
    about: int
    worked: bool
    right: bool
    form: bool
    other: bool
    rival: bool
    again: bool
    asked: bool
    states: bool


class _Place(NamedTuple):
    """Where a value stands: its sign, the words before it in its clause and in the sentence, and those behind it."""

    sign: str
    head: str
    before: str
    tail: str


def weighed(sentence: str, before: str, sought: Sought, judge: Judge) -> list[Value]:
    """The values of a sentence, but for the other forms of the gold behind it.

    Args:
        sentence: A sentence, or a row of a table.
        before: The text before it.
        sought: What is asked for.
        judge: What is right.
    """
    if sentence.startswith("|"):
        sentence = ": ".join(cell for cell in map(str.strip, sentence.strip("|").split("|")) if cell)
    masked = mask_values(_DRESS.sub("", sentence))
    if masked is None:
        return []
    lists: dict[str, list[str]] = {}
    words = _gathered(masked, lists, judge)
    found = []
    for start, clause in _clauses(words):
        about = len(sought.subject.words & set(map(stem, _WORD.findall(clause))))
        for match in re.finditer(P, clause):
            place = _Place(match[0], clause[: match.start()], words[: start + match.start()], clause[match.end() :])
            value = _weighed(place, masked, lists.get(match[0]), before, sought, judge)
            said = re.sub(P, lambda sign: masked.at(sign[0]), clause)
            found.append(value._replace(clause=clause, said=said, about=about + value.about))
    return found if any(value.right for value in found) else [*found, *_roots(found, judge)]


def _weighed(
    place: _Place, masked: Masked, members: list[str] | None, before: str, sought: Sought, judge: Judge
) -> Value:
    """A value at its place; its clause and that one's words are still to be told."""
    written = masked.at(place.sign)
    shown = _shown(written) if members is None else [written]
    scale = _SCALE.match(place.tail)
    if scale is not None:
        shown = [f"{one}{scale[0]}" for one in shown]
    unit = UNIT.match(place.tail, scale.end() if scale is not None else 0)
    if unit is not None:
        shown = [f"{one} {unit[1]}" for one in shown]
    worked = place.sign in masked.results or "=" in written or _is_result(shown[0], before)
    plain = PLAIN.fullmatch(shown[0]) is not None and "/" not in shown[0]
    numbers = {number.strip(".,") for number in NUMBER.findall(shown[0])}
    given = plain and numbers <= sought.subject.given and not worked
    fits = any(sought.suits(f"{place.head}{one}{place.tail}", one) for one in members or shown[-1:])
    changed = _is_changed(place, masked, shown, sought)
    goes_on = scale is None and GOES_ON.match(place.tail) is not None
    same = any(map(judge.is_right, shown[:1] if judge.named and "=" in shown[0] else shown))
    form = same or any(map(judge.is_again, shown))
    parts = set(re.findall(r"[0-9]+(?:\.[0-9]+)?", shown[0]))
    copied = PLAIN.fullmatch(shown[0]) is not None and parts <= sought.subject.given and not worked
    right = (
        same
        and not changed
        and not goes_on
        and not (given or copied)
        and not weakened(place.head[-30:])
        and (fits or worked)
    )
    return Value(
        shown=tuple(shown),
        written=written,
        clause="",
        said="",
        about=2 * judge.is_asked(_name_of(written)),
        worked=worked,
        right=right,
        form=form,
        other=fits and not changed and not form,
        rival=fits and not changed and not form and not given,
        again=_THAT_IS.search(place.head) is not None,
        asked=unit is not None and bool(sought.subject.unit) and unit[1] == sought.subject.unit.lower(),
        states=_STATES.search(place.head) is not None,
    )


def _is_changed(place: _Place, masked: Masked, shown: list[str], sought: Sought) -> bool:
    """Whether what stands beside a value makes it a bound, a rate, a circumstance or a part of a calculation."""
    written = masked.at(place.sign)
    near = place.head.rstrip("-+*/×÷^( ") if "=" in written else place.head  # 100 * 0.75 = 75
    near = ABOUT.sub("", near) if sought.subject.rounded else near
    named = "=" in shown[0] and "," not in shown[0] and place.sign not in masked.results
    return (
        (_BOUND.search(near) is not None and _OF.search(near) is None)
        or (NUMBER_WORDS.fullmatch(written) is not None and _ALL.search(near) is not None)
        or (named and _AT.search(place.head) is not None)
        or _is_rate(place.tail, sought)
        or (shown[-1] == "0" and re.search("[A-Za-z]", written) is not None)  # x² - 9 = 0
        or _BETWEEN.search(place.before) is not None
        or POSED.fullmatch(shown[0]) is not None
    )


def _is_rate(tail: str, sought: Sought) -> bool:
    """Whether a value is one per something, where the question asks for no rate, or for none of that kind."""
    per = _PER.match(tail)
    if per is None or not sought.subject.words.isdisjoint(_RATES):
        return False
    return re.search(rf"\b(?:per|an?|each|every)\s{per['of']}\b", sought.subject.asking) is None


def _gathered(masked: Masked, lists: dict[str, list[str]], judge: Judge) -> str:
    """The words with a list as one value, numbers in words as values, and without further forms of the gold."""

    def taken(value: str) -> str:
        masked.values.append(value)
        return chr(ord(FIRST) + len(masked.values) - 1)

    def joined(match: re.Match[str]) -> str:
        written = [masked.at(sign) for sign in re.findall(P, match[0])]
        members, names = [_shown(one) for one in written], [_name_of(one) for one in written]
        if len(set(names)) == len(names) and any(map(judge.is_asked, names)):
            return match[0]  # x = 3, y = 4 and x + y = 7, where x + y is asked for
        if any(map(judge.is_right, members[0])) and all(any(map(judge.is_again, one)) for one in members):
            return match[0]
        sign = taken(re.sub(P, lambda one: result_of(masked.at(one[0])), match[0]))
        lists[sign] = [one[-1] for one in members]
        return sign

    def rooted(match: re.Match[str]) -> str:
        return taken(f"\\sqrt{'[3]' if match['kind'].lower() == 'cube' else ''}{{{masked.at(match['value'])}}}")

    def spelled(match: re.Match[str]) -> str:  # that of "a ten-dollar bill" stays
        return match[0] if match.string.startswith("-", match.end()) else taken(match[0].lower())

    def without_parts(match: re.Match[str]) -> str:  # -1/2 + 5/2 i, that is, a = -1/2 and b = 5/2
        several = len(re.findall(r"[A-Za-z]\s*=", masked.at(match["parts"]))) > 1 and "=" not in masked.at(match[1])
        return match[1] if several and is_gold(match[1]) else match[0]

    def is_gold(sign: str) -> bool:
        return any(map(judge.is_right, _shown(masked.at(sign))))

    def once(match: re.Match[str]) -> str:
        return "" if any(map(judge.is_again, _shown(masked.at(match["value"])))) else match[0]

    words = _SPELLED.sub(spelled, _LIST.sub(joined, _ROOT.sub(rooted, masked.words)))
    words = _PARTS.sub(without_parts, words)
    first = next((match.end() for match in re.finditer(P, words) if is_gold(match[0])), len(words))
    return words[:first] + _AGAIN.sub(once, words[first:])


def _clauses(words: str) -> list[tuple[int, str]]:
    """The clauses of a sentence with where they start; one without a value belongs to the next."""
    cuts = [0]
    for match in _CLAUSES.finditer(words):
        if re.search(P, words[cuts[-1] : match.start()]):
            cuts.append(match.start())
    return [(start, words[start:stop]) for start, stop in itertools.pairwise([*cuts, len(words)])]


def _shown(written: str) -> list[str]:
    """The value that is written, with its name and without."""
    if _IN_ONE_FORMULA.match(written):
        return [written]
    value = result_of(written)
    if "=" not in value or _UNEQUAL.search(value):
        return [value]
    last = value.rpartition("=")[2].strip()
    return [value, last] if re.search("[A-Za-z]", value.partition("=")[0]) else [last]


def _roots(values: list[Value], judge: Judge) -> list[Value]:
    """The values of one name as a list: x = 4 from the first factor and x = -5/6 from the second."""
    named = [value for value in values if NAMED.match(value.shown[0])]
    if len(named) < 2 or len({value.shown[0][0] for value in named}) > 1:
        return []
    listed = ", ".join(value.shown[0] for value in named)
    if not judge.is_right(listed):
        return []
    return [named[-1]._replace(shown=(listed,), right=True, form=True, other=False, rival=False, worked=True)]


def _name_of(written: str) -> str:
    """The left side of an equation; empty for none."""
    return written.partition("=")[0].strip() if "=" in written else ""


def _is_result(value: str, before: str) -> bool:
    """Whether a text works out a value: it stands behind the sign of equality of a calculation."""
    for place in equated(value, before):
        line = max(before.rfind("\n", 0, place), before.rfind("=", 0, place))
        if _OPERATOR.search(before, line + 1, place) is not None:
            return True
    return False
