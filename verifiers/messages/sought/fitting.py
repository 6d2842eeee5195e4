"""The value that fits what is asked for, where the end of a message states another quantity.

"So the diagonal is 13 cm. For comparison, the area is 60 cm²": a reader who was asked for a length goes back to the
last clause that gives one. "Nadia is 24.", with a paragraph of working behind it: there it is the opening that states
the answer. Whether a value fits is decided elsewhere; what stands behind the clause that is read may still offer
another value of its kind (`offers`).
"""

import itertools
import re
from functools import lru_cache

from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.around.selected import selected
from turnwise.verifiers.messages.base import STRONG, Found
from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.clause import DOUBTED, LEAD
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.last_line import read_last_line
from turnwise.verifiers.messages.prose import concluding_values, is_value, plain, two_stated
from turnwise.verifiers.messages.sought.named import named, weekday
from turnwise.verifiers.messages.sought.shares import share_of_each
from turnwise.verifiers.messages.sought.subject import ASKS_REST, Sought, stem
from turnwise.verifiers.messages.values import COMPOUND
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["clause_about", "fitting", "solved_for"]


_MAX_CUTS = 6
_NUMBERED = re.compile(r"(?:^|\n)\s*[0-9]{1,2}[.)]\s*$")  # the number of an item
_MAX_BACK = 700
_JOINT = re.compile(
    r"\s[—–-]\s|—|;\s|[,，]\s*(?=(?:and|while|whereas|which|that is|that's|so|but|with|leaving)\b)"
    "|[，,](?=[^，,。]{0,20}[\u4e00-\u9fff])"
)
_CONCLUDES = re.compile(  # it is meant as the answer
    r"^\W*(?:so|thus|hence|therefore|in total|altogether|overall|answer)\b"
    r"|\b(?:therefore|thus|hence|the answer)\b.*\*\*"
    r"|\*\*[^*\n]*\*\*\W*$",
    re.IGNORECASE,
)


_TOPICS = (  # openings of a sentence about another quantity, and the words of a question about that
    (
        re.compile(r"(?:together|combined|altogether|in total|all in all)\b", re.I),
        "together total altogether all combined",
    ),
    (
        re.compile(r"(?:the|all|those) (?:other|remaining|rest)\b|that leaves\b", re.I),
        "other remaining remain rest left over leave still",
    ),
)


@lru_cache(maxsize=32)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip(" *"))


_STATES_RESULT = re.compile(  # works on with what was said, or says itself that it states the result
    r"[:=<>≤≥∈\\]|\b(?:answers?|options?|choices?|correct|solutions?|equation|result|so|thus|hence|therefore|value"
    r"|interval)\b"
    r"|^\W*(?:then|now|next|and|but|finally|adding|subtracting|multiply\w*|dividing|this|that|it"
    r"|its|s?he|they|his|her|their|we|you|i|in total|altogether|overall|each|which|half|twice|double)\b",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(r"\b(?:so|thus|hence|therefore|the answer)\b|\*\*[^*\n]*[0-9][^*\n]*\*\*", re.IGNORECASE)


def _off_topic(body: str, words: frozenset[str]) -> bool:
    """Whether the last sentence is about another quantity (together, the others), and the one before is not."""
    parts = _sentences(body[-_MAX_BACK:])
    if len(parts) > 1 and _CONCLUDED.search(parts[-2]) and not _STATES_RESULT.search(parts[-1]):
        before, last = (words & set(map(stem, _WORD.findall(part))) for part in parts[-2:])
        if before and not last:  # the current is 2 km/h. In still water, the barge does 10 km/h.
            return True
    if (
        len(parts) < 2
        or _CONCLUDED.search(parts[-1])
        or not any(
            topic.match(parts[-1].lstrip(" *")) and words.isdisjoint(map(stem, about.split()))
            for topic, about in _TOPICS
        )
    ):
        return False
    before, last = (words & set(map(stem, _WORD.findall(part))) for part in parts[-2:])
    return len(last) < len(before)


_SIDE = re.compile(  # 17 are goats, and the other 30 are hens; 34 take both, which leaves 41 who take one
    r",?\s(?:(?:and|with|while|whereas)\s(?:the|all)\s(?:other|others|remaining|rest)|the (?:other|remaining) [0-9]"
    r"|which leaves|leaving|and that leaves)\b"
)


def _without_side(body: str, words: frozenset[str]) -> str | None:
    """The text without the clause at its end on what the others do, where the clause before it is to the point."""
    parts = _sentences(body[-_MAX_BACK:])
    side = _SIDE.search(parts[-1]) if parts and words.isdisjoint(ASKS_REST) else None
    if side is None or not any(c.isdigit() for c in parts[-1][: side.start()]):
        return None
    head, tail = (
        words & set(map(stem, _WORD.findall(part))) for part in (parts[-1][: side.start()], side.string[side.start() :])
    )
    place = body.rfind(side.string)
    return body[: place + side.start()] + "." if len(head) > len(tail) and place >= 0 else None


_MAX_OPENING = 160
_ROOTS = re.compile(r"\*\*([a-z]) = [^*=]{1,30} or \1 = [^*=]{1,30}\*\*[.!]?")  # **k = 6 or k = -2.**
_WORKS = re.compile(  # a first step, no statement
    r"^\W{0,3}(?:first|let|we|start|note|given|since|because|if|when|suppose|step|to|by|using|from|there"
    r"|so|thus|hence|therefore|[a-z]{4,}ing)\b"
    r"|^[-*•+]\s|^[0-9]{1,2}[.)]\s"
    r"|[0-9)](?:(?!and\b)[^=,;]){0,30}?(?:[-+*/×·÷^]|\b(?:x|times|plus|minus)\b|\\(?:cdot|times|frac))"
    r"(?:(?!and\b)[^=,;]){0,40}=",
    re.IGNORECASE,
)
_CORRECTS = re.compile(r"\b(?:in fact|actually|in reality|strictly speaking)\b", re.IGNORECASE)
_ANSWER_LINE = re.compile(r"(?:A|Ans|Answer)\s?[:.]")
_DIGITS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")


_AFTER = re.compile(r"^\W*(?:in|after|at|on)\s(?=[0-9])", re.IGNORECASE)  # In 8 years.


def _is_number(text: str) -> bool:
    """Whether a text is a value with a number in it, or a word or two."""
    return is_value(text) and (any(c.isdigit() for c in text) or len(text.split()) < 3)


def _opened(text: str, sought: Sought) -> Found | None:
    """The value of the statement that a message opens with, where what stands behind only explains it; None elsewhere.

    The opening must be about what is asked for, more than the sentence at the end, and give what the question does not.
    """
    body = flattened(text.strip())
    parts = _sentences(body)
    if (
        len(parts) < 2
        or len(parts[0]) > _MAX_OPENING
        or not (plain(parts[0]) or _ROOTS.fullmatch(parts[0]))
        or STRONG.search(body) is not None
        or sought.subject.unknowns
    ):
        return None
    if (
        _CONCLUDES.search(parts[-1])
        or LEAD.match(parts[-1]) is not None
        or parts[0].rstrip(" *").endswith((":", "?", "？"))
    ):
        return None
    if _WORKS.search(parts[0]) or _CORRECTS.search(parts[-1]):
        return None
    if _ANSWER_LINE.match(parts[-1]) or _is_number(parts[-1]):
        return None
    said = concluding_values(parts[0])
    if said is None:
        again = read_last_line(_AFTER.sub("", parts[0]))
        said = again.candidates if again.candidates and all(map(is_value, again.candidates)) else None
    if said is None or len(said) > 1 or not any(c.isdigit() for c in said[0]) or not sought.suits(text, said[0]):
        return None
    numbers = {number.strip(".,") for number in _DIGITS.findall(said[0])}
    if numbers <= sought.subject.given:
        return None
    first, last = (
        {word for word in sought.subject.words & set(map(stem, _WORD.findall(part))) if len(word) > 1}
        for part in (parts[0], parts[-1])
    )
    results = _DIGITS.findall(body.rpartition("=")[2].partition("\n")[0]) if "=" in body else []
    derived = bool(results) and {one.strip(".,") for one in results} == numbers
    derived = derived or [one.strip(".,") for one in _DIGITS.findall(parts[-1])][-1:] == list(numbers)
    apart = body.startswith(parts[0]) and re.match(r"[.!*]*\s*\n", body[len(parts[0]) :]) is not None
    alone = re.fullmatch(r"\*\*[^*]+\*\*[.!]?", parts[0].strip()) is not None  # a line of its own in bold
    derived = derived or (
        apart and bool(first) and re.search(rf"=\s*[$*]*{re.escape(said[0])}(?![\w.]*[0-9])", body) is not None
    )
    if not derived and not (alone or (apart and len(first) > len(last))):
        return None
    place = text.find(parts[0][-20:])
    return Found(said, end=place + len(parts[0][-20:])) if place >= 0 else None


_BOLD_LINE = re.compile(r"(?:^|\n)[ \t]*\*\*([^*\n]{1,60})\*\*[.!]?[ \t]*\n\s*(?=\S)(?P<rest>[^\n]{1,300}\s*)$")


def _bold_line(text: str, sought: Sought) -> Found | None:
    """The value that stands alone in a line in bold, before one last line that concludes and works out nothing."""
    line = _BOLD_LINE.search(flattened(text))
    if (
        line is None
        or not any(c.isdigit() for c in line[1])
        or not is_value(line[1])
        or not sought.suits(text, line[1])
    ):
        return None
    rest = line["rest"]
    if (
        _CONCLUDED.search(rest)
        or LEAD.match(rest) is not None
        or "**" in rest
        or not plain(rest)
        or re.search(r"=\s*[-−]?[0-9]", rest)
        or STRONG.search(rest)
    ):
        return None
    return Found((value_of(line[1].strip(" .")),), end=len(text))


_WORKS_ON = re.compile(
    r"\W*(?:(?:that|this|which) (?:leaves|makes|means|gives)|together|in total|adding|then|now|next|finally|but|and"
    r"|with"
    r"|multiply\w*|dividing|subtracting|altogether|overall|answer|so|thus|hence|therefore)\b|.*\b(?:answer|or|instead|also|another|wrong)\b|.*[?]",
    re.IGNORECASE | re.DOTALL,
)


def _bold_stated(text: str, sought: Sought) -> Found | None:
    """The value in bold of a statement on the subject, where one or two sentences behind it say less of the subject."""
    if "**" not in text:
        return None
    parts = _sentences(flattened(text))
    at = next((n for n in range(len(parts) - 1, -1, -1) if _BOLD_VALUE.search(parts[n])), -1)
    if not max(0, len(parts) - 3) <= at < len(parts) - 1 or len(_BOLD_VALUE.findall(parts[at])) != 1:
        return None
    rest = parts[at + 1 :]
    if STRONG.search(text) is not None or any(
        "**" in part or _WORKS_ON.match(part) or DOUBTED.search(part) for part in rest
    ):
        return None
    about = [len(sought.subject.words & set(map(stem, _WORD.findall(part)))) for part in parts[at:]]
    said = read_last_line(parts[at])
    if about[0] <= max(about[1:]) or len(said.candidates) != 1 or not is_value(said.candidates[0]):
        return None
    bold = _BOLD_VALUE.search(parts[at])
    if bold is None or not set(_DIGITS.findall(said.candidates[0])) <= set(_DIGITS.findall(bold[0])):
        return None
    end = text.rfind(parts[at][-12:])
    return Found(said.candidates, end=end + 12) if end >= 0 and sought.suits(parts[at], said.candidates[0]) else None


_BOLD_VALUE = re.compile(r"\*\*[^*\n:]{0,40}[0-9][^*\n:]{0,40}\*\*")


_NEAR = re.compile(r"≈|\\approx(?![a-z])")
_ROUNDED = re.compile(  # \$5{,}634.13
    r"\s*(?P<value>\\?\$?\s?[-−]?[0-9](?:\{,\}|[0-9.,])*)(?:\\[,;: ]|\s)*(?P<unit>\\?%)?[\s.$*]*"
)
_NO_FORMULA = re.compile(
    r"(?<![\\A-Za-z])(?!(?:arc)?(?:sin|cos|tan)(?![A-Za-z])|(?:log|exp|sqrt)(?![A-Za-z]))[A-Za-z]{3,}|\bor\b|[?;]|,\s"
)
_STYLED = re.compile(r"\\(?:text|mathrm)\s*\{[^{}]*\}")


def _rounded(body: str, sought: Sought) -> str:
    """The rounded value that the formula in the last line ends in, where the question asks for one; empty elsewhere."""
    if not sought.subject.rounded or _NEAR.search(body, max(0, len(body) - 300)) is None:
        return ""
    line = without_remarks(flattened(body[-_MAX_BACK:])).rstrip().rpartition("\n")[2]
    members = _NEAR.split(line)
    rounded = _ROUNDED.fullmatch(members[-1]) if len(members) > 1 and len(line) <= 300 else None
    if (
        rounded is None
        or not any(map(str.isdigit, members[0]))
        or _NO_FORMULA.search(_STYLED.sub("", line)) is not None
    ):
        return ""
    value = rounded["value"].replace("{,}", ",").replace("\\", "").replace(" ", "").rstrip(".,") + (
        rounded["unit"] or ""
    )
    return value if sought.suits(body, value) else ""


def fitting(text: str, found: Found, sought: Sought) -> Found:
    """What the last clause that gives a fitting value states; what was found where it fits, or nothing does."""
    if sought.subject.member and len(found.candidates) == 1:  # a_2 = 4, a_3 = 10, a_4 = 28
        letter, _, index = sought.subject.member.partition("_")
        last = re.search(rf"[,;]\s*(?:and\s)?\$?{letter}_\{{?{index}\}}?\s*=\s*([^,=$]+)\$?$", found.candidates[0])
        return Found((last[1].strip(),)) if last is not None else found
    body = text.rstrip()
    if sought.subject.weekday:
        day = weekday(body)
        return Found((day,)) if day else found
    if sought.subject.names and (name := named(body, sought.subject)):
        return Found((name,))
    if rounded := _rounded(body, sought):
        return Found((rounded,))
    parts = _sentences(without_remarks(flattened(body[-_MAX_BACK:]))) if len(found.candidates) > 1 else ()
    if parts and (each := share_of_each(parts[-1], sought.subject.asking)):
        return Found((each,))
    if (first := _opened(text, sought)) is not None:
        return first
    if (line := _bold_line(body, sought)) is not None:
        return line
    if (stated := _bold_stated(body, sought)) is not None:
        return stated
    if (share := _PERCENT_OF.search(body)) is not None:  # 20 is 40% of 50: the one of the three that is asked for
        new = [one for one in share.groups() if one.strip("$\\% ") not in sought.subject.given]
        return Found((new[0],)) if len(new) == 1 else found
    if (rest := _without_side(without_remarks(flattened(body)).rstrip(), sought.subject.words)) is not None:
        again = read_last_line(rest)
        if len(again.candidates) == 1 and is_value(again.candidates[0]) and sought.suits(rest, again.candidates[0]):
            return again._replace(end=len(body))
    if any(" or " in text for text in found.candidates):
        return found  # y = -2x + 3 or y = 2x + 7: what is left open is not told by an earlier clause
    if not found.candidates or (
        all(sought.suits(text, one) for one in found.candidates) and not _off_topic(body, sought.subject.words)
    ):
        return found
    if any(_CONCLUDES.search(part) for part in _sentences(body[-_MAX_BACK:])[-1:]):
        return found
    start = max(0, len(body) - _MAX_BACK)
    cuts = {match.end() for match in END_OF_SENTENCE.finditer(body, start) if body[match.end() :].strip()}
    cuts |= {match.start() for match in _JOINT.finditer(body, start)}
    for cut in sorted(cuts, reverse=True)[:_MAX_CUTS]:
        if _NUMBERED.search(body[:cut]):
            continue
        again = read_last_line(body[:cut].strip())
        if not again.candidates or not all(is_value(one) for one in again.candidates):
            continue
        if all(sought.suits(body[:cut], one) for one in again.candidates):
            return again._replace(end=cut)
    return found


def solved_for(text: str, value: str, unknowns: tuple[str, ...]) -> str | None:
    r"""The values of all unknowns, where a message was read as that of one of them; None where one has none.

    >>> solved_for("13x = 52, so\nx = 4\n\nand then y = 20 - 24 = -4.", "-4", ("x", "y"))
    'x = 4, y = -4'
    """
    found = []
    for name in unknowns:
        solved = list(
            re.finditer(
                rf"(?<![\w+*/^=(-])(?<![+*/^-] ){name}\$?\s*=\s*(?:(?:[^=\n,;$.]|\.[0-9]){{1,60}}=\s*)*?"
                r"(?P<value>[-−]?(?:[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?|\\[dt]?frac\{-?[0-9]+\}\{[0-9]+\}))"
                r"(?=\s*(?:[$,;!]|\.(?![0-9])|\\[)\]]|$|\n|✓|and\b))",
                text,
            )
        )
        if not solved:
            return None
        found.append((name, solved[-1]["value"].replace("−", "-")))
    if value.rpartition("=")[2].strip(" $.").replace("−", "-") not in [number for _, number in found]:
        return None
    return ", ".join(f"{name} = {number}" for name, number in found)


_NUMBER = r"\\?\$?[0-9][0-9,]*(?:\.[0-9]+)?"
_PERCENT_OF = re.compile(
    rf"(?:^|[.!:\n]\s*|\b(?:so|thus|hence|therefore),?\s)[*$]*({_NUMBER})[*$]*(?:\s[a-z]+)? (?:is|are|=) "
    rf"[*$]*([0-9][0-9,]*(?:\.[0-9]+)?\s?\\?(?:%|percent))[*$]* of [*$]*({_NUMBER})[*$]*(?:\s[a-z]+)?[.!]?\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r",?\s(?:and|while|whereas)\s|,\s(?=[$£€]?[0-9][0-9.,]*\s?[A-Za-z]+\sof\s)|;\s|,\s(?=the\b)|\s\((?=[^()]*\)[.!]?$)"
)
_ITEM = re.compile(r"[$£€]?[0-9]")  # of "80 kg of cement, 200 kg of sand and 280 kg of gravel"
_LEAD = re.compile(r"^\W*(?:so|thus|hence|therefore|then|now|finally)\b,?\s", re.IGNORECASE)
_WORDS = re.compile(r"(?<![\w\\])[A-Za-z]{2,}(?!\w)")
_WORD = re.compile(r"(?<![\w\\])[A-Za-z]+(?!\w)")


def clause_about(
    text: str, words: frozenset[str], read: str | None = None, preferred: str = ""
) -> tuple[str, str] | None:
    """The clause of the last sentence that is about what is asked for, and its value, where others stand beside it.

    Args:
        text: What was read.
        words: The words that say of what is asked.
        read: The value that the sentence was read as without them, if it is one: then its clauses must be statements of
            which none follows from another.
        preferred: The word that decides between clauses that are about it alike.

    >>> clause_about("So Mark is 36 years old now, and he will be 48 when his son is 24.", frozenset({"old", "mark"}))
    ('So Mark is 36 years old now', '36 years')
    """
    body = without_remarks(flattened(text[-2000:])).rstrip()
    parts = _sentences(body)
    if not parts or len(parts[-1]) > 400 or not plain(parts[-1]) or selected(parts[-1]):
        return None
    kept = [match.span() for match in COMPOUND.finditer(parts[-1])]  # 2 hours and 24 minutes
    joints = [match for match in _CLAUSE.finditer(parts[-1]) if not any(a < match.start() < b for a, b in kept)]
    cuts = [0, *(match.end() for match in joints), len(parts[-1]) + 1]
    clauses = [parts[-1][a:b].strip(" ,") for a, b in itertools.pairwise(cuts)]
    clauses = [re.sub(r",?\s(?:and|while|whereas)$", "", one) for one in clauses]
    held = [clause for clause in clauses if any(c.isdigit() for c in clause)]
    if not 2 <= len(held) <= 4 or any(len(_WORDS.findall(clause)) < 2 for clause in held):
        return None
    about = [words & set(map(stem, _WORD.findall(clause))) for clause in held]
    common = frozenset.intersection(*map(frozenset, about))
    scores = [len(one - common) for one in about]
    best = max(scores)
    if preferred and scores.count(best) > 1:
        scores = [score + (preferred in one) for score, one in zip(scores, about, strict=True)]
        best = max(scores)
    if not best or scores.count(best) > 1:
        return None
    chosen = held[scores.index(best)]
    said = concluding_values(chosen if _LEAD.match(chosen) else f"Thus, {chosen[0].lower()}{chosen[1:]}")
    if said is None and read is not None and read not in chosen and two_stated(parts[-1].replace("*", "")):
        return chosen, ""  # what is read belongs to another clause
    if said is None or len(said) > 1:
        return None
    if read is not None and said[0] != read and not _ITEM.match(chosen) and not two_stated(parts[-1].replace("*", "")):
        return None
    return chosen, said[0]
