"""The rule "last line": a short message as it stands, else what the last sentence that states anything states."""

import re

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.around.selected import selected
from turnwise.verifiers.messages.base import DIFFERENT, MAX_BARE_CHARS, NO_COMMITMENT, Found, none
from turnwise.verifiers.messages.chain import letters, reduced, value_of
from turnwise.verifiers.messages.chinese import in_chinese, is_chinese
from turnwise.verifiers.messages.clause import DOUBTED, LEAD, SPAN, weakened, without_asides
from turnwise.verifiers.messages.closing import BOUND, closing_value, worked_later
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prepare import prepared
from turnwise.verifiers.messages.prose import concluding_values, is_value, last_step, plain, two_stated
from turnwise.verifiers.messages.said import only_number
from turnwise.verifiers.messages.sentence import alike, in_sentence
from turnwise.verifiers.messages.skeleton import GOES_ON, NO_LABEL
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["concluded", "opening_word", "read_last_line"]

_MAX_SENTENCE_CHARS = 1000
_FENCE = re.compile(r"```[a-z]*[ \t]*\n([^`]*)\n[ \t]*```", re.IGNORECASE)
_DENIAL = re.compile(r"\b(?:not|never|false|wrong|incorrect|fails?|doubt|cannot)\b|n't\b", re.IGNORECASE)
_BRACKETS = re.compile(r"(?<=[0-9]) \((?![^()]*\b(?:or|not)\b)[^()]{1,80}\)")  # 997 (the next, 998, fails)
_WORDY = re.compile(r"(?:[A-Za-z']{2,}\s+){3}[a-z0-9]")
_FIRST_LINE = re.compile(
    r"(?=(?:[a-z]\s*=)?[^a-z]*[0-9])"
    r"(?:[A-Za-z]{1,2}(?:\([a-z]\))?\s*=\s*)?[-+0-9.,/()\\{}^a-z$%π√ ]{1,30}(?: [a-z]{2,8})?"
)
_EXPLAINS = re.compile(r"[A-Za-z]{2,}(?:\s+\S+){3}")
_ANOTHER = re.compile(
    r"(?:^|\n)[^A-Za-z\n]*[0-9][^A-Za-z\n]*\s*$|\b(?:or|alternatively)\b[^.\n]{0,30}[0-9]", re.IGNORECASE
)
_REASONED = re.compile(r"[-$\\(0-9][^,\n]{0,60},?\s+(?:because|since)\b")
_OPENING = re.compile(r"\W{0,4}(yes|no|true|false)\**(?:[,.!:;]|\s[—–-]\s|$)", re.IGNORECASE)
_SO_WORD = re.compile(  # ..., so no, they are not independent
    r"(?:^|[,;:—–])\W*(?:and )?(?:so|thus|hence|therefore|which means|in short)[,:]?\s+\**(yes|no|true|false)\**"
    r"(?:[,.!:;]|\s[—–-]\s|$)",
    re.IGNORECASE,
)
_UNSETTLED = re.compile(
    r"\b(?:maybe|perhaps|not sure|or no|or yes|wait|actually|on second thought|unless)\b|\?\s*$", re.I
)
_RELATIVE = re.compile(  # there are 3 groups that contain at least one of them
    r"(there (?:is|are|were) (?:\*\*)?[0-9]+(?:\*\*)?(?: \([^()0-9]{1,60}\))?(?: [a-z]+){1,4}(?: \([^()0-9]{1,60}\))?)"
    r" (?:that|who|which) (?!(?:is|are) (?:not|the|right|correct)\b)"
    r"(?:(?!\b(?:or|maybe|perhaps|might|may|could)\b)[^.;:?])+$"
)
_NAME = re.compile(r"\$?([A-Za-z](?:_\w+)?)\s*=\s*[^=]+$|(guess|option|candidate|value)\b", re.IGNORECASE)
_NAMED = re.compile(r"\$?[A-Za-z](?:_\w+)?\s*=")
_SOLVED = re.compile(r"([A-Za-z])\s*=(?:[^=]*[0-9][^=]*=)+\s*[-−]?[0-9][^=]*")
_NUMBERS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_SO_ROOTS = re.compile(  # x - 3 = 5 or x - 3 = -5, so x = 8 or x = -2
    r".*[=<>][^=]*,\s(?:so|hence|thus|therefore|which gives|giving)\s+(?P<said>(?P<name>[a-z])\s*=\s*[-−]?[0-9][0-9./]*"
    r"\s+(?:or|and)\s+(?P=name)\s*=\s*[-−]?[0-9][0-9./]*)\W*"
)
_SO = re.compile(r"(?:so|thus|hence|therefore|in total|altogether|overall|finally)\b", re.IGNORECASE)
_HEADING = re.compile(r"\**#{0,6} *[A-Za-z][A-Za-z' -]{3,60}:?\**:?")
_LABELLED = re.compile(r"(?:[-*•] )?\*\*([A-Za-z][^*:\n0-9]{2,50}):?\*\*:?\s")
_ALONE = re.compile(r"\W{0,3}\(?([A-J])\)?\W{0,3}|.*=\s*(True|False)\W{0,3}")
_CHOSEN = re.compile(  # So option B is correct; the one that fits is (B)
    r"(?:.*\s)?(?:option|choice|answer|Option|Choice|Answer) \(?([A-J])\)? is (?:the )?(?:correct|right"
    r"|best)(?: one| answer| option| choice)?\W*"
    r"|.*\b(?:is|are|be) (?:option |choice |answer )?\(?([A-J])\)?\W*"
    r"|.*\b(?:is|are|be) \**(?:option |choice |answer )?\**(\([A-J]\)\**:?\s[^.;,!?]{1,60}?)\W*"
)
_TOTAL_ROW = re.compile(  # | **Total** | **55** | **$110** |
    r"\|\s*\**(?:(?:grand|whole|overall|final)\s)?(?:total|sum|result|answer|altogether|all"
    r"|overall)[^|0-9]*\|(?:[^|]*\|)*?\s*\**([^|*]+?)\**\s*\||(?:\|\s*\*\*[^|*]*\*\*\s*)+\|\s*\*\*([^|*]+)\*\*\s*\|",
    re.IGNORECASE,
)
_ONE_BOLD = re.compile(r"(?:\|[^|*]*)+\|\s*\*\*([^|*]+)\*\*\s*\|")  # | 15 | 2 | **13** |
_CONVERTED = re.compile(  # 2.5 h = 150 min: one amount in two units; 8 h = 9 h is two amounts
    r"[0-9][0-9.,/]*\s?(?P<one>[a-zA-Z]{1,12})\s*=\s*(?P<value>[0-9][0-9.,/]*\s?(?P<two>[a-zA-Z]{1,12}))\.?"
)
_NAMED_LINES = re.compile(
    r"\n\s*((?:[-*•+][ \t]+\$?(?:[A-Za-zλμθαβφω]|\\[a-z]{2,7})(?:_\{?\w\}?|[₀-₉])?\$?\s*=\s*"
    r"[^\n=]{1,40}(?:\n|$)){2,6})\s*$"
)
_SPELLED = re.compile(r"(?:[A-Za-z,]+ ){3}[^0-9]*\.$")  # a sentence without a number: it may have one in words
_BEFORE_NUMBER = re.compile(r"(?<=[a-z)'’][a-z)][.!])\s+(?=\$?[0-9])")  # ... eats 7 apples. 12 - 7 leaves 5
_TWO_NAMES = re.compile(r"[A-Za-z]\w?\s*=\s*\$?[A-Za-z]\s*=")  # x = y=0: nobody can say of which
_TWO_NAMED = re.compile(r"(?:^|\n)[ \t]*[-*•+][ \t]+" + _TWO_NAMES.pattern)  # - x = y = 0
_AMOUNT = re.compile(r"\$?([0-9][0-9.,]*(?:/[0-9]+)?)\s?[A-Za-zµ°%²³/^0-9]{0,12}(?:\s[a-z]+)?")  # 28.8 m, $15
_STEP = re.compile(  # S = 10/2 (6 + 76) = 410: worked out, and no coordinate
    r"(?:[-*•]\s+)?\$?(?![xyz]\s*=)[A-Za-z][\w_{}()]{0,12}\s*=\s*[^=]*[0-9)}]\s*(?:[-+*/×·(]|\\(?:cdot|times|[,;]))[^=]*=\s*[^=]+$"
)
_FORMULA_LINE = re.compile(  # dy/dx = u'v + uv' = 2x e^(-3x) - 3x^2 e^(-3x)
    r"(?:[A-Za-z]{1,2}'?(?:\([a-z]\))?|d[a-z]/d[a-z])\s*=\s*"
    r"(?:(?:sin|cos|tan|sec|csc|cot|log|ln|exp|sqrt|pi)(?![a-z])|[A-Za-z](?![A-Za-z]{2})|[^A-Za-z\n?])+"
)
_ITEM = re.compile(r"^[-*•+]\s+(?=\$[^$]*=[^$]*=[^$]*\$$)")  # - $S_20 = 10 * 82 = 820$: the last step of a list
_OPERATED = re.compile(r"[0-9A-Za-z)}]\s*[-+*/^·×÷(]|\\(?:d?frac|sqrt|cdot|times)(?![a-z])|√|_\{?10\}?\s*$")
_LETTER = re.compile(r"(?<![\\A-Za-z])[A-Za-z]")
_QUOTED = re.compile(r"^> ?", re.MULTILINE)
_EXPLANATION = re.compile(  # Because of that; not: Because 1 litre is 1,000 cm³, the box holds 9 litres
    r"\W*(?:because\b(?!(?:[^,]|,(?=[0-9]))*,\s.*[0-9])|here(?:'s|’s| is) (?:why|how)|explanation|reason(?:ing)?|why"
    r"|to see (?:this|that|why)|(?:you|we|one) (?:can|could) (?:find|see|get|derive|check|verify) (?:this|it|that|them)"
    r"|i (?:found|got|obtained|derived|computed|worked) (?:this|it|that|them)|this (?:follows|comes from|is because"
    r"|can be (?:seen|found))|(?:working|workings|derivation|calculation|justification|proof|details)(?=\W*:)"
    r"|the (?:reason|calculation|derivation|working)\b(?! (?:gives|yields|shows)))\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*\n]{1,60})\*\*")
_MAKES_IT = re.compile(r"\b(?:is|be|it['’]s|makes (?:it|that)|falls on(?: an?)?|=)\s*$", re.IGNORECASE)
_EVENT = re.compile(r"\b(?:Pr?|E)\s?\((?=[^()=]*[A-Za-z]{2})[^()=]{2,60}\)(?=\s*=)")  # P(same colour) = 19/66
_OF_WHAT = re.compile(r"\b(?:Pr?|E|Var)\s?\([^()]*\)(?=\s*=)")  # P(at least 2) = : no bound
_BESIDE = re.compile(r"[0-9].*(?:\band|[,&/;])\s*$", re.DOTALL)  # one of 8 and **9**
_GIVEN = re.compile(r"\W*(?:since|because|if|given|when|as|with|at|after|for|from|of|once|until|let)\b[^,]*$", re.I)
_GOES_ON_SO = re.compile(r"\s*(?:\.\.+|…)\s*(?:so|thus|hence|therefore)\b.*[0-9]", re.IGNORECASE)
_ABOUT = re.compile(r"(?<=[0-9)}\]π²³!%$])\s*(?:≈|\\approx(?![a-z]))\s*[0-9.,]+\s*\$?[.]?\s*$")
_LIST = re.compile(r":[ *]*\n\s*((?:[-*•+][ \t]+[^\n]{1,60}(?:\n|$)){2,20})\s*$")


def read_last_line(text: str) -> Found:
    """A short message as it stands; of a longer one what its last sentence states."""
    text = _EVENT.sub("P", without_remarks(reduced(flattened(text))))
    if (step := last_step(text)) is not None:
        return Found((step,))
    if (amount := _CONVERTED.fullmatch(text.strip())) is not None:
        return Found((amount["value"],)) if amount["one"] != amount["two"] else none(DIFFERENT)
    if _TWO_NAMED.search(text):
        return none(NO_COMMITMENT)
    said = in_prose(text) if not is_value(text) or _SPELLED.search(text) else None
    if said is not None and ("\n" not in text or _first_line(text) is None):
        return Found(said)
    found = _read(text, said)
    if said is None and (closing := _closing(text, found)) is not None:
        return closing
    if not found.candidates and found.problem != DIFFERENT and (exact := _ABOUT.sub("", text)) != text:
        return read_last_line(exact)  # ... = 8√2 ≈ 11.31
    return Found(said) if said is not None and len(found.candidates) <= 1 else found


def _closing(text: str, found: Found) -> Found | None:
    """The value that a worked solution closes with, where what was found is no value."""
    if len(found.candidates) > 1:
        return None
    sentences = _sentences(text)
    if len(sentences) > 1 and alike(*sentences[-2:]):
        return None
    if found.candidates and is_value(found.candidates[0]):
        numbered = any(c.isdigit() for c in found.candidates[0]) or "." in found.candidates[0]
        if numbered or not sentences or not any(c.isdigit() for c in sentences[-1]) or len(text.split()) < 5:
            return None  # a number, or a word beside numbers: The other 20 birds are owls
    value = closing_value(sentences[-1], " ".join(sentences[:-1])) if sentences else None
    return Found((value,)) if value is not None else None


def in_prose(text: str) -> tuple[str, ...] | None:
    """The value that the last sentence with a value concludes, where only courtesies follow it."""
    if _NAMED_LINES.search("\n" + text[-600:]) is not None:
        return None
    sentences = _sentences(text)
    if not sentences:
        return None
    if is_chinese(sentences[-1]):
        value = in_chinese(sentences[-1])
        return (value,) if value else None
    if (total := _TOTAL_ROW.fullmatch(sentences[-1]) or _ONE_BOLD.fullmatch(sentences[-1])) is not None:
        return (next(group for group in total.groups() if group is not None).strip(),)
    label = _ALONE.fullmatch(sentences[-1]) or _CHOSEN.fullmatch(sentences[-1])
    if label is not None and ((label.re is _ALONE and not DOUBTED.search(sentences[-1])) or plain(sentences[-1])):
        return (next(group for group in label.groups() if group).replace("*", ""),)
    if (
        len(sentences) > 1 and sentences[-2].startswith(sentences[-1]) and len(sentences[-1]) < len(sentences[-2])
    ):  # cut off
        sentences.pop()
    if (
        len(sentences) > 1 and alike(*sentences[-2:]) and not _differ(*sentences[-2:])
    ):  # The total is 8. The total is 9.
        return None
    if (emphasised := _emphasised(sentences[-1])) is not None:
        return (emphasised,)
    if chosen := selected(sentences[-1]):
        return (chosen,)
    opening = sentences[0]
    if any(_EXPLANATION.match(sentence) for sentence in sentences[1:3]) and not _concludes_anew(sentences):
        return (value_of(undressed(opening)),) if is_value(opening) else concluding_values(opening)
    if (roots := _SO_ROOTS.fullmatch(sentences[-1])) is not None:
        return (roots["said"],)
    known = " ".join(sentences[:-1])
    said = concluding_values(sentences[-1])
    if said is not None and len(said) == 1 and (closing := worked_later(said[0], sentences[-1], known)) is not None:
        return (closing,)
    return said


def _concludes_anew(sentences: list[str]) -> bool:
    """Whether the last sentence concludes something else than the first one states."""
    opening, last = (set(_NUMBERS.findall(sentence)) for sentence in (sentences[0], sentences[-1]))
    return _SO.match(sentences[-1]) is not None and bool(last) and not opening <= last


def _emphasised(sentence: str) -> str | None:
    """The only value in bold of a sentence that doubts and offers nothing: it loses **1,200 litres**, so ... remain."""
    bold = [match for match in _BOLD.finditer(sentence) if not match[1].rstrip().endswith(":")]
    if len(bold) != 1 or not plain(sentence):
        return None
    if not is_value(bold[0][1].strip()):  # **A notebook costs $3** and a pen costs $2.
        said = concluding_values(bold[0][1].replace("\\$", "$")) if two_stated(sentence.replace("*", "")) else None
        return said[0] if said is not None and len(said) == 1 else None
    head, tail = sentence[: bold[0].start()], sentence[bold[0].end() :]
    if not any(c.isdigit() for c in bold[0][1]):
        return bold[0][1].strip(" .") if _MAKES_IT.search(head) and not tail.strip(" .!") else None
    if _GOES_ON_SO.match(tail) is not None:  # it is always **20**... so he will be 30
        return None
    head = _OF_WHAT.sub("", head)
    if _GIVEN.match(head) or _BESIDE.search(head) or BOUND.search(head) or GOES_ON.match(tail) or weakened(head):
        return None
    if not any(c.isdigit() for c in head + tail) or not head.strip():
        return None  # nothing to choose from: the whole sentence is read
    said = concluding_values(f"Thus it is {bold[0][1]}")
    return said[0] if said is not None and len(said) == 1 else None


def _sentences(text: str) -> list[str]:
    """The sentences of the end of a text, without the checks, notes and courtesies that follow the last statement."""
    text = _BEFORE_NUMBER.sub("\n", flattened(text[-4000:]))
    sentences = [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip(" *")]
    return sentences


def _read(text: str, said: tuple[str, ...] | None) -> Found:
    if (fence := _FENCE.fullmatch(text)) is not None:
        text = fence[1].strip()
    text = _QUOTED.sub("", text)
    line = text.rstrip(" .\n").rpartition("\n")[2].strip()
    if (
        said is None
        and "\n" in text.strip()
        and len(line) <= MAX_BARE_CHARS
        and _FORMULA_LINE.fullmatch(line)
        and len(re.findall(rf"(?:^|\n)\W*{re.escape(line.partition('=')[0].strip())}\s*=", text)) == 1
    ):
        return Found((line.rpartition("=")[2].strip() if line.startswith("d") else value_of(line),))
    if "\n" in text or len(text) > MAX_BARE_CHARS:
        found, first = concluded(text), _first_line(text)
        found = said[0] if said and found is not None else found
        explained = first is not None and _EXPLANATION.match(text.partition("\n")[2].lstrip()) is not None
        if first is not None and (explained or found is None or not _concludes(text)):
            return Found((first,))
        if first is not None and found is not None:
            return Found((first, found))
        return Found((found,)) if found else none("no answer found; give it as <answer>...</answer>")
    if _REASONED.match(text) and (core := without_asides(text)) is not None:  # 42, because 6 * 7 = 42
        return Found((core,))
    if _is_sentence(text) and (concluding := concluded(text)) is not None:  # Thus, it is $42$.
        return Found((concluding,))
    denied = _DENIAL.search(text) and _DENIAL.search(_BRACKETS.sub("", SPAN.sub("", text)))
    if denied and (any(c.isdigit() for c in text) or SPAN.search(text)):
        stated = in_sentence(text)
        return Found((stated,)) if stated else none("the message denies something; give the answer")
    return Found((value_of(undressed(text)),))


def _is_sentence(text: str) -> bool:
    """Whether a short message is one or more sentences, not a value as it stands; one that goes on ("...") is not."""
    if LEAD.match(text) is not None:
        return True
    if text.endswith(("..", "…")):
        return False
    several = sum(bool(part.strip()) for part in END_OF_SENTENCE.split(text) if part) > 1
    return several or (SPAN.search(text) is not None and text.endswith("."))


def concluded(text: str) -> str | None:
    """What the last sentence that states anything states."""
    text = flattened(without_remarks(text[-4000:]))
    sentences = [part.strip() for part in END_OF_SENTENCE.split(text) if part and part.strip()]
    if not sentences or len(sentences[-1]) > _MAX_SENTENCE_CHARS:
        return None
    last, before = sentences[-1], sentences[-2] if len(sentences) > 1 else ""
    if (lines := _NAMED_LINES.search("\n" + text[-600:])) is not None:
        return _joined(lines[1])
    last = _ITEM.sub("", last)
    again = "=" in last and _shown(last) == _shown(before)  # a = 5 * 64 = 320. Hence, a = 320
    bare = value_of(undressed(last))
    if "=" in before and _AMOUNT.fullmatch(bare) and _shown(before) == _AMOUNT.sub(r"\1", bare):
        return bare  # h = 576 / 20 = 28.8. **28.8 m**
    if bare != last and _WORDY.search(bare):  # **The ladder reaches 12 ft up the wall.**
        return in_sentence(bare)
    if bare != last and len(bare) <= MAX_BARE_CHARS:  # a line that is all formula, or all bold
        other = undressed(before)
        if again:
            return bare
        worked = _STEP.match(undressed(last)) or _solves(bare, other) or last_step(f"{other}, {bare}") is not None
        if worked or _is_worked(bare, other) or _differ(before, last):
            return bare
        return f"{other}, {bare}" if other != before and len(other) <= MAX_BARE_CHARS and other != bare else bare
    listed = _listed(text)
    if listed is not None:
        return listed
    names = [match[1] if (match := _NAME.match(line)) else None for line in (before, last)]
    concludes = LEAD.match(last) is not None and _is_worked(LEAD.sub("", last).strip(" ,$."), before.strip(" $."))
    if not (again or concludes) and (
        (names[0] is not None and names[0] == names[1]) or (alike(before, last) and not _differ(before, last))
    ):  # x = 4, then x = 5
        return f"{in_sentence(before) or before}, {in_sentence(last) or last}"
    last = _RELATIVE.sub(r"\1", last)
    said = in_sentence(last)
    return said if said is not None or len(sentences) == 1 else only_number(last)


def _solves(line: str, before: str) -> bool:
    """Whether a line gives the letter of the equation before it: 0.3 (80 - T) = 0.5 (T - 20), T = 34/0.8 = 42.5."""
    solved = _SOLVED.fullmatch(line)
    return solved is not None and "=" in before and _NAMED.match(before) is None and solved[1] in letters(before)


def _is_worked(line: str, before: str) -> bool:
    """Whether a line works out an expression, and not what the line before it is about: √2 + √8 = 3√2."""
    left, equals, rest = line.partition("=")
    if not equals or _OPERATED.search(left) is None or before.partition("=")[0].strip() == left.strip():
        return False
    return "=" in rest or ")(" in rest or _LETTER.search(left) is None


def _shown(line: str) -> str:
    """What stands behind the last sign of equality."""
    return line.rpartition("=")[2].strip(" $.*")


def _differ(before: str, last: str) -> bool:
    """Whether two lines are a heading and what it is about, or name two quantities: **Total:** 8, **Chance:** 3/8."""
    if not any(c.isdigit() for c in before) and len(before) > 2 and any(c.isdigit() for c in last):
        return _HEADING.fullmatch(before) is not None
    one, two = (_LABELLED.match(line) for line in (before, last))
    return (
        one is not None
        and two is not None
        and one[1].lower() != two[1].lower()
        and not (NO_LABEL.search(one[1]) or NO_LABEL.search(two[1]))
    )


def opening_word(text: str) -> str | None:
    """The word Yes or No (True or False) with which a message begins, where it is not taken back.

    >>> opening_word("No, it isn't! The digits add up to 11."), opening_word("Yes and no."), opening_word("No 5")
    ('No', None, None)
    """
    text = prepared(text)[0].strip()
    last = [part for part in END_OF_SENTENCE.split(text[-1000:]) if part and part.strip()]
    match = _OPENING.match(text[:400]) or (_OPENING.match(last[-1].strip()) if last else None)
    if match is None:
        concluded = [found for part in last[-2:] for found in _SO_WORD.finditer(part.strip())]
        match = concluded[0] if len({found[1].lower() for found in concluded}) == 1 else None
    return None if match is None or _UNSETTLED.search(text[:2000]) else match[1].capitalize()


def _first_line(text: str) -> str | None:
    """The answer that a message gives in a line of its own before it explains it: **k = 12**; None without one."""
    line, _, rest = text.partition("\n")
    line, bare = line.strip(), undressed(line)
    if (
        not _EXPLAINS.search(rest)
        or _ANOTHER.search(rest)
        or len(bare) > 40
        or _FIRST_LINE.fullmatch(bare) is None
        or DOUBTED.search(rest)
    ):
        return None
    return value_of(bare) if bare != line or bare.isdecimal() else None


def _concludes(text: str) -> bool:
    """Whether the last sentence gives a result: "So ...", or a formula of its own line."""
    last = [part.strip() for part in END_OF_SENTENCE.split(flattened(text[-4000:])) if part and part.strip()][-1]
    return LEAD.match(last) is not None or undressed(last) != last or "=" in last


def _listed(text: str) -> str | None:
    """The values that the last lines list, one by one, after a colon."""
    match = _LIST.search(text[-2000:])
    if match is None:
        return None
    return _joined(match[1])


def _joined(lines: str) -> str | None:
    items = [undressed(line.strip()[1:].strip()) for line in lines.strip().split("\n")]
    if any(_TWO_NAMES.match(item) for item in items):
        return None
    return ", ".join(items) if len(items) > 1 and all(items) else None
