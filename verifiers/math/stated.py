"""Whether a message states the gold, where the rules of reading find no answer in its prose, or another value.

A reader who knows the right answer does not have to know the form of every sentence: he looks for that value. It is
stated where the last sentence that holds it concludes with it, where nothing in that sentence doubts it or takes it
from its place, and where all that stands beside and behind it is accounted for: values of the question and of the
working, other quantities, checks, conversions, and what would have been otherwise. A value that is not accounted for
may be the answer that the message gives instead.
"""

import itertools
import re
from collections.abc import Callable
from typing import NamedTuple

from turnwise.verifiers.math.asked import Asked
from turnwise.verifiers.math.measured import in_another_unit, suits
from turnwise.verifiers.math.read.words import read_words
from turnwise.verifiers.messages import hedged, read_end
from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.around.offers import offered
from turnwise.verifiers.messages.around.remarks import is_remark
from turnwise.verifiers.messages.base import STRONG, Found
from turnwise.verifiers.messages.clause import DOUBTED, NOT_STATED, PLACE, weakened
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import is_value
from turnwise.verifiers.messages.sentence import alike
from turnwise.verifiers.messages.skeleton import GOES_ON, NO_RESULT, OTHER_SCRIPT, UNIT
from turnwise.verifiers.messages.sought.subject import stem
from turnwise.verifiers.messages.values import Masked, mask_values, result_of
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["states"]

_MAX_CHARS = 1500
_MAX_SENTENCE = 500
_MAX_BACK = 4
_MAX_VALUES = 16
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")
_NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?")
_NAME = (
    r"(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,5}teen|(?:twen|thir|for|fif|six|seven"
    r"|eigh|nine)ty)"
)
_IN_WORDS = re.compile(  # twenty-four; one hundred and five; two thirds; three and a half; exactly one
    rf"\b(?:(?:{_NAME}|one) (?:hundred|thousand|million)(?:(?: and)? {_NAME}(?:-[a-z]+)?)?"
    rf"|(?:{_NAME}|one)[ -](?:half|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)"
    rf"|{_NAME}(?:-(?:one|two|three|four|five|six|seven|eight|nine))?(?: and (?:a half|a quarter|three quarters))?"
    r"|(?<=\bexactly )one|(?<=\bonly )one|(?<=\bjust )one)\b(?!-)",
    re.IGNORECASE,
)
_WORDED = (  # what mathematics answers in words, and how sentences say it
    (
        "no solution",
        re.compile(
            r"\bno (?:real |integer |such )?(?:solutions?|roots?|values?)(?: exists?)?\b"
            r"(?! (?:other|except|but|besides|unless|if|when|for|less|greater|with|of)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "does not exist",
        re.compile(r"\b(?:does not exist|doesn['’]t exist|is (?:undefined|not defined))\b", re.IGNORECASE),
    ),
    ("infinitely many", re.compile(r"\binfinitely many(?: (?:real )?solutions?)?\b", re.IGNORECASE)),
)
_SIGN = "∅"  # stands for such words
_BREAKS_OFF = re.compile(
    r"(?:\b(?:and|so|thus|hence|therefore|then|the|this|that|which|of|to|is|are|we|with|by|for|an?|or|but)|[,;=])\s*$",
    re.IGNORECASE,
)
_DRESS = re.compile(r"\*\*|__|`")
_BOLD = re.compile(r"\*\*([^*\n]{1,80})\*\*")
_LEADS = re.compile(
    r"\b(?:so|thus|hence|therefore|consequently|altogether|overall|finally|in total|a total of|in all|in the end"
    r"|(?:this|that|which) (?:means|gives|leaves|makes|puts|yields|is)"
    r"|we (?:see|find|get|obtain|conclude|have|read off)"
    r"|leaving|giving|making|it follows|turns out)\b|^\W*[A-Z][a-z]+ing\b[^,]*,",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|consequently|altogether|overall|finally|in total|which (?:leaves|makes|gives|means)"
    r"|leaving|making|giving)\b|∴|⇒|=>|\\(?:therefore|implies|Rightarrow)(?![a-z])",
    re.IGNORECASE,
)
_REMAINS = re.compile(
    r"\b(?:still|next|now|remains?|yet|need(?:s|ed)? to|has to|have to|missing|unknown)\b", re.IGNORECASE
)
_EXCLUDED = re.compile(
    r"[^.;,]{0,40}\b(?:excluded|rejected|invalid|extraneous|ruled out|discarded|impossible"
    r"|does(?:n['’]t| not)|cannot|can['’]t"
    r"|is(?:n['’]t| not)|fails)\b"
)
_FIGURES = re.compile(r"[-−]?[0-9][0-9.,]*\s?(?:\\?%)?")
_HELD = re.compile("[0-9]")
_OR_ABOUT = re.compile(  # 63π cm³, or close to 198 cm³; 6 m, which is quite close to its length
    r",? or (?:about|roughly|approximately|around|close to|nearly)\b|,? which is (?:[a-z]+ )?close to\b", re.IGNORECASE
)
_GROUNDS = re.compile(r"\W*(?:since|because|as|given|from|with|by|when|after|out of|of)\b", re.IGNORECASE)
_PROSE = re.compile(r"(?:[A-Za-z]{2,}[ ,]+){3}")
_CONCLUDES_WITH = re.compile(rf"{_CONCLUDES.pattern}.*{PLACE}", re.IGNORECASE | re.DOTALL)
_STATES = re.compile(
    r"(?:\b(?:is|are|was|be|equals?|equal to|gives?|gets?|got|ha[sd]|have|makes?|leaves?|costs?|takes?|needs?"
    r"|pays?|earns?"
    r"|receives?|saves?|spends?|owes?|weighs?|holds?|contains?|covers?|lasts?|measures?|reaches|becomes|keeps?|shows?"
    r"|(?:comes|amounts|adds up|works out) (?:to|at|as))(?: (?:exactly|only|just))?|=)[\s$]*$"
)
_AT = re.compile(r"\b(?:at|for|where|when|if|with)[\s$*]*$", re.IGNORECASE)
_LISTED = re.compile(r"^(?:\s[A-Za-z]+)?(?:,|,? and|,? &)\s(?:[A-Za-z]\s?=\s?)?$")
_OFFERS = re.compile(
    r"\b(?:or|either|maybe|perhaps|possibly|alternatively|otherwise|unless|guess\w*|claims?|whether|if|suppose"
    r"|assum\w+|says?|said|neither|nor|except|might|may|could|instead|rather|wrong|incorrect|false|answers?)\b"
    r"|[?≠]|\\neq?(?![a-z])",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(  # right before a value
    r"(?:\b(?:of|with|from|per|by|than|over|under|above|below|between|after|before|within|during|until|since"
    r"|where|when|the|its|his|her|their|our|my|your|every|each|first|last|next|step|case|part|page|line|mod|modulo|base"
    r"|out of|divided by|times|plus|minus|about"
    r"|roughly|around|approximately|almost|nearly|not|up to|at (?:least|most)|these|those|all|both|other|remaining"
    r"|would be|twice|half|double|without|another|beyond|towards?|against|like)|n['’]t"
    r"|[-+*/×÷^<>≈(])[\s$*]*$",
    re.IGNORECASE,
)
_UNREAL = re.compile(
    r"\b(?:would|could have|might have|had|without|forgetting|ignoring|wouldn['’]t|instead|mistake|error|trap"
    r"|tempting|naive\w*"
    r"|only once|wrong\w*|overlook\w*|forget|mix\w* up|confus\w+)\b|['’]d\b",
    re.IGNORECASE,
)
_CHECKS = re.compile(
    r"\b(?:check\w*|verif\w+|confirm\w*|indeed|sanity|consistent|plausible|as (?:required|expected|it should|needed)"
    r"|adds? up|plugging|substitut\w+|(?:that|this|it) fits|makes sense|agrees|matches|holds?|satisf\w+|both sides|numerically|for comparison"
    r"|in other words|equivalently|by the way|incidentally|note)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"^\W*(?:but|yet|still)\b|\b(?:or|alternatively|otherwise|either|might|may|maybe|perhaps"
    r"|possibly|unless|however"
    r"|also (?:possible|works?|valid)"
    r"|another (?:answer|solution|possibility)|correct (?:answer|value|result)|the answer|should be(?! \w+er\b| more| less| between)|must be|actually"
    r"|impossible|contradict\w*|extraneous|reject\w*|not (?:right|correct|true|possible|so|the case)|isn['’]t (?:right"
    r"|correct|true|possible|so)|unsure|not sure|not certain|guess\w*"
    r"|(?:answer|result|that|this|it) (?:is|was) (?:wrong"
    r"|incorrect|false|off))\b|[?]",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|in degrees|in decimals?"
    r"|numerically)\b|≈|\\approx)",
    re.IGNORECASE,
)
_TUPLE = re.compile(r"(?:\\left)?\s*[(\[\]]")
_CONVERTED = re.compile(
    r"\s*(?:or |i\.e\.,? |that is,? )?(?:in degrees|in radians|in decimals?|numerically)\b", re.IGNORECASE
)
_CLAUSES = re.compile(
    rf",?\s(?:and (?:hence|thus|therefore|so)|and|while|whereas|so|which|although|though|compared (?:with|to)|leaving"
    rf"|making|giving|along with|because|since)\s|[;:]\s|,\s(?=[A-Za-z'’]+\s|{PLACE})|\s[—–-]\s|—"
)
_BETWEEN = re.compile(  # ... eats 7 apples. 12 - 7 leaves 5; **It is 6 N.** A force of 6 N
    r"(?<=[a-z)'’][a-z)][.!])\s+(?=\$?[0-9])|(?<=[.!]\*\*)\s+(?=[A-Z(])"
)
_JOINS = re.compile(r"(?:\s[A-Za-z]+)?\s*(?:,|,?\s(?:and|or)\b|,?\s*&)\s*(?:[A-Za-z]\s?=\s?)?")
_OF = re.compile(r"\b(?:an?|the) (?:[a-z]+ ){1,3}of[\s$*]*$", re.IGNORECASE)  # a current of
_ERRS = re.compile(
    r"\b(?:without|forgetting|ignoring|instead of|mistake|error|trap|tempting|naive\w*|only once|overlook\w*|forget"
    r"|mix\w* up|confus\w+|wrongly|slip|would (?:only )?be (?:right|correct|true|valid) (?:only )?if)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\([^()]*\)")


class _Sentence(NamedTuple):
    """A sentence of a message.

    Attributes:
        text: As it stands.
        masked: Its values, and its words with a sign for each.
        about: The words of what is asked that it has.
    """

    text: str
    masked: Masked
    about: frozenset[str]


def states(message: str, equal: Callable[[str], bool], asked: Asked, gold: str) -> str:
    """The value with which a message in prose states the gold as its answer; empty where it does not.

    Args:
        message: All that a model wrote.
        equal: Whether a text is the gold, however it is written.
        asked: What the question asks for.
        gold: The right answer.
    """
    body = flattened(read_end(message))[-_MAX_CHARS:].rstrip()
    given = asked.subject.given | {
        str(value) for word in asked.subject.words if (value := read_words(word)) is not None
    }
    asked = asked._replace(subject=asked.subject._replace(given=given))
    if not body or STRONG.search(body) or OTHER_SCRIPT.search(body):
        return ""
    cuts = {match.end() for pattern in (END_OF_SENTENCE, _BETWEEN) for match in pattern.finditer(body)}
    ends = sorted({0, *cuts, len(body)})
    parts = [(a, b) for a, b in itertools.pairwise(ends) if body[a:b].strip(" *\n")]
    parts = parts[-_MAX_BACK - 1 :]
    worded = next((pattern for name, pattern in _WORDED if equal(name)), None) if _SIGN not in body else None

    def is_gold(text: str) -> bool:
        return (worded is not None and text == _SIGN) or equal(text)

    read = [_read(body[start:stop].strip(), asked, worded) for start, stop in parts]
    behind: list[_Sentence] = []
    for n in range(len(parts) - 1, -1, -1):
        sentence, (start, stop) = read[n], parts[n]
        if sentence is None:
            return ""
        known = asked.subject.given | _numbers(body[:start])
        run = _run(sentence, is_gold, asked)
        if run and _concluded(sentence, run, known, body[:start], is_gold, asked):
            if any(one is None or _answers(one, sentence, is_gold, asked) for one in read[:n]):
                return ""
            if behind and _BREAKS_OFF.search(body):
                return ""
            if not all(_accounted(one, sentence, known, body[:stop], is_gold, asked) for one in behind):
                return ""
            shown = result_of(sentence.masked.at(run[-1][0]))
            if in_another_unit(body[:stop], _shown(sentence, run[-1]), asked, gold):
                return ""
            if hedged(body[:stop], "last line", [shown], gold):
                return ""
            tail = " ".join(one.text for one in behind if not _ERRS.search(one.text))
            offers = offered(f"{shown}. {tail}", Found((shown,), end=len(shown)))
            agreed = all(is_gold(one) or _numbers(one) <= known or not suits(asked, body, one) for one in offers)
            return _shown(sentence, run[-1]).replace(_SIGN, gold) if agreed else ""
        behind.insert(0, sentence)
    return ""


def _read(text: str, asked: Asked, worded: re.Pattern[str] | None) -> _Sentence | None:
    """A sentence with its values; None where it is too long. What `worded` finds in it is a value, too."""
    if len(text) > _MAX_SENTENCE:
        return None
    if worded is not None:
        text = worded.sub(_SIGN, text)
    text = _IN_WORDS.sub(_in_figures, text)
    masked = mask_values(_DRESS.sub("", text))
    if masked is None:
        return None
    return _Sentence(text, masked, frozenset(asked.subject.words & set(map(stem, _WORD.findall(masked.words)))))


def _in_figures(match: re.Match[str]) -> str:
    """A number in words in figures."""
    value = read_words(match[0].lower())
    return match[0] if value is None else str(value)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(number.strip(".,") for number in _NUMBER.findall(_IN_WORDS.sub(_in_figures, text)))


def _shown(sentence: _Sentence, match: re.Match[str]) -> str:
    """A value with the unit behind it."""
    value = result_of(sentence.masked.at(match[0]))
    unit = UNIT.match(sentence.masked.words, match.end())
    return f"{value} {unit[1]}" if unit is not None and "=" not in value and "$" not in value else value


def _run(sentence: _Sentence, equal: Callable[[str], bool], asked: Asked) -> list[re.Match[str]]:
    """The last values of a sentence, outside its brackets, that are the gold: one, or several side by side."""
    words = sentence.masked.words
    outside = _ASIDE.sub(lambda aside: " " * len(aside[0]), words)
    found = list(re.finditer(PLACE, outside))[:_MAX_VALUES]
    shown = [_shown(sentence, match) for match in found]
    for n in range(len(found) - 1, -1, -1):
        if equal(shown[n]) and suits(asked, words, shown[n]):
            return [found[n]]
    for stop in range(2, len(found) + 1):
        start = stop - 1
        while start and _JOINS.fullmatch(outside, found[start - 1].end(), found[start].start()):
            start -= 1
            if equal(", ".join(shown[start:stop])):
                return found[start:stop]
    return []


def _concluded(
    sentence: _Sentence,
    run: list[re.Match[str]],
    known: frozenset[str],
    before: str,
    equal: Callable[[str], bool],
    asked: Asked,
) -> bool:
    """Whether a sentence concludes with the gold, and accounts for all other values that it has."""
    text, words = _OR_ABOUT.sub(", about", sentence.text), _OR_ABOUT.sub(", about", sentence.masked.words)
    if doubts(text) or DOUBTED.search(words) or NOT_STATED.search(words) or NO_RESULT.search(words):
        return False
    if any(stem(match[0]) not in asked.subject.words for match in _OFFERS.finditer(words)):
        return False
    outside = _ASIDE.sub(lambda aside: " " * len(aside[0]), words)
    head, tail = outside[: run[0].start()], outside[run[-1].end() :]
    clause, value = _clause(outside, run[0]), result_of(sentence.masked.at(run[-1][0]))
    near = re.split(PLACE, clause.partition(run[0][0])[0])[-1]
    if (_NO_PLACE.search(head) and not _OF.search(head)) or ("=" in value and len(run) == 1 and _AT.search(head)):
        return False
    if _EXCLUDED.match(tail):
        return False
    if weakened(near.replace("be the case", "be so")) or GOES_ON.match(tail) or _UNREAL.search(clause):
        return False
    about = asked.subject.words & set(map(stem, _WORD.findall(clause)))
    bold = [part for part in _BOLD.findall(text) if _HELD.search(part)]
    if bold and not all(value in part for part in bold):
        return False
    worked = run[-1][0] in sentence.masked.results or re.search(
        rf"=\s*[$*\\]*{re.escape(value)}(?![\w.,/]*[0-9])", before
    )
    led = bool(bold) or _LEADS.search(head) is not None
    stated = (
        "=" in value
        or value == _SIGN
        or _STATES.search(near) is not None
        or (asked.kind == "time" and _AT.search(near) is not None)
    )
    only = asked.kind == "time" and stated and len(re.findall(PLACE, outside)) == 1
    if not (led or only or value == _SIGN or len(about) > 1 or (about and (worked or stated))):
        return False
    if _numbers(value) <= asked.subject.given and not worked and not stated:
        return False
    for match in re.finditer(PLACE, outside):
        shown, other = _shown(sentence, match), _clause(outside, match)
        if (
            match in run
            or any(match.start() == one.start() for one in run)
            or _CONVERTED.match(re.split("[;:]", outside[: match.start()])[-1])
        ):
            continue
        if _ABOUT.search(other[: other.find(match[0])]):
            if _FIGURES.fullmatch(shown) and not equal(f"{value} (about {shown})"):
                return False
            continue
        before_it = match.start() < run[0].start()
        between = outside[match.end() : run[0].start()] if before_it else outside[run[-1].end() : match.start()]
        if equal(shown) or (_TUPLE.match(shown) and not _TUPLE.match(value) and "," in shown):
            continue  # another form of it; a point, where a number is asked for
        if _TUPLE.match(value) and _numbers(shown) < _numbers(value):  # the interval from 1 to 6, (1, 6)
            continue
        if _LISTED.search(between):
            return False
        if not suits(asked, outside, shown):
            continue
        beside = asked.subject.words & set(map(stem, _WORD.findall(other)))
        new = not _numbers(shown) <= known and not (before_it and match[0] in sentence.masked.results)
        if before_it:
            if not (beside < about if new else beside <= about or _LEADS.search(between) or _GROUNDS.match(outside)):
                return False
        elif _CONCLUDES.search(between) or not (
            (led and beside < about) or _UNREAL.search(other) if new else beside <= about
        ):
            return False
    return True


def _clause(words: str, match: re.Match[str]) -> str:
    """The clause of a sentence that a value stands in."""
    start = max((cut.end() for cut in _CLAUSES.finditer(words) if cut.end() <= match.start()), default=0)
    stop = min((cut.start() for cut in _CLAUSES.finditer(words, match.end())), default=len(words))
    return words[start:stop]


def _answers(one: _Sentence, stated: _Sentence, equal: Callable[[str], bool], asked: Asked) -> bool:
    """Whether a sentence before the one that states the gold gives a value that is more to the point."""
    held = [part.strip(" .!") for part in _BOLD.findall(one.text) if _HELD.search(part) and is_value(part)]
    if "**" not in stated.text and any(not equal(part) and suits(asked, one.text, part) for part in held):
        return True
    concluded = _CONCLUDES.search(stated.text) is not None and _PROSE.search(stated.masked.words) is not None
    if alike(one.text, stated.text):
        return True
    if not one.about > stated.about or (concluded and "**" not in one.text):
        return False
    concludes = _CONCLUDES.search(one.text) is not None or any(map(_HELD.search, _BOLD.findall(one.text)))
    found = [(_shown(one, match), match[0]) for match in re.finditer(PLACE, one.masked.words)]
    return any(
        (concludes or place in one.masked.results)
        and not _numbers(shown) <= asked.subject.given
        and not equal(shown)
        and suits(asked, one.masked.words, shown)
        for shown, place in found
    )


def _accounted(
    one: _Sentence, stated: _Sentence, known: frozenset[str], before: str, equal: Callable[[str], bool], asked: Asked
) -> bool:
    """Whether a sentence behind the one that states the gold offers nothing in its place."""
    if alike(stated.text, one.text) or STRONG.search(one.text):
        return False
    if one.about - stated.about and _REMAINS.search(one.text) and not re.search(PLACE, one.masked.words):
        return False  # For the volume we still need the height.
    opening = re.match(rf"\W*(?:which leaves )?({PLACE})(?=\s|$|\W)", one.masked.words)
    if opening is not None and not equal(result_of(one.masked.at(opening[1]))):
        return False  # 9 has the lowest price; which leaves 9
    if is_remark(one.text, before):
        return True
    unreal = _UNREAL.search(one.text) is not None
    found = list(re.finditer(PLACE, one.masked.words))
    numbers = [_numbers(one.masked.at(match[0])) for match in found]
    if unreal and _ERRS.search(one.text) and all(some <= known for some in numbers) and not _CONCLUDES.search(one.text):
        return True
    aside = one.text.startswith("(") and one.text.rstrip(".!").endswith(")")
    if _REFUSES.search(one.text) or (doubts(one.text) and not unreal):
        return False
    if (
        _CONCLUDES_WITH.search(one.masked.words)
        or "therefore" in one.text
        or any(map(_HELD.search, _BOLD.findall(one.text)))
    ):
        return False
    if not found or aside or _ERRS.search(one.text) or _CHECKS.search(one.text):
        return True
    if one.about - stated.about:
        return False
    prose = re.match(rf"\W*(?!{PLACE})[A-Za-z]", one.masked.words) and _PROSE.search(one.masked.words) is not None
    if unreal or (prose and not one.about and any(map(_HELD.search, _BOLD.findall(stated.text)))):
        return True
    return all(
        (numbers[n] <= known and one.about < stated.about)
        or equal(_shown(one, match))
        or not suits(asked, one.masked.words, _shown(one, match))
        for n, match in enumerate(found)
    ) or (bool(prose) and one.about < stated.about and _LEADS.search(stated.text) is not None)
