"""The rules "marker" and "statement": what follows ``####``, and what is said to be the answer."""

import re
from itertools import pairwise

from turnwise.verifiers.extract import undressed
from turnwise.verifiers.messages.around.beside import other_forms
from turnwise.verifiers.messages.base import (
    DIFFERENT,
    MAX_SAID,
    NO_COMMITMENT,
    STRONG,
    TAKEN_BACK,
    TENTATIVE,
    Found,
    Span,
    merged,
    none,
)
from turnwise.verifiers.messages.chain import value_of
from turnwise.verifiers.messages.chinese import in_chinese
from turnwise.verifiers.messages.clause import LEAD, SPAN, spans_masked, weakened, without_asides
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.last_line import concluded
from turnwise.verifiers.messages.marker import fields, marked
from turnwise.verifiers.messages.prose import concluding_values, is_value, plain
from turnwise.verifiers.messages.said import UNDONE, counted, labels, only_number, without_noun, worked_out
from turnwise.verifiers.messages.sentence import in_sentence, stated
from turnwise.verifiers.messages.skeleton import NUMBER_WORDS, OFFERS
from turnwise.verifiers.messages.wording import announced, sentence

__all__ = ["committed", "read_markers", "read_statements"]

_DISOWNED = re.compile(
    r"\b(?:wrong|incorrect|false|suppose|assume|if|doubt|not|nobody|never|would|unless|whether|can't"
    r"|cannot|isn't|hardly|says|said|claims?|why|假设|如果)\b"
    r"[^.!?,\n]{0,60}$",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"吗\s*$|(?:[0-9]|\$)(?:\s[A-Za-z]{1,3}(?=\s))?\s*(?:[-+*/=^]|\b(?:times|plus|minus|and|or|divided by|to)\b)\s*$"
)
_CHOICE = re.compile(  # (B), because ...; D (mice); **(B)**: the letter with its reason behind it
    r"\(?\**\(?([A-J])\)?\**(?:,?\s+(?:because|since|as|which)\b(?!.*\bor\b).*|\s+\([^()]{1,80}\))$"
    r"|\(([A-J])\)(?:[.] [a-z].*)?$",
    re.DOTALL,
)
_CONTRASTED = re.compile(r"(?<=[a-z0-9])(?:,| and) not \$?[0-9][0-9.,]*(?: [a-z]+)?$")  # 7 apples, not 8
_ASIDE = re.compile(  # 60 paths (out of 126 in total)
    r"(?<=[a-z0-9$)*]) \((?:out of|of|with|from|using|not counting|including|excluding|the other) "
    r"(?:(?!\b(?:or|if|not|also|possibl[ey]|maybe|perhaps)\b)[^()?])*[A-Za-z]{2}[^()?]*\)$"
)
_VERB = re.compile(r"^(?:[Tt]he|[A-Z][a-z]+)(?: [a-z]+){1,6} by ")
_SENTENCE = re.compile(  # The answer: Jessica cut 25 roses.
    r"^(?:[A-Z][A-Za-z']*|[a-z]+)(?:\s+[A-Za-z'’]+){1,12}\s+\$?[0-9]|^\$?[0-9][0-9.,]*(?:\s[a-z]+){1,4}\s(?:is"
    r"|are|were|was)\b|^[0-9]+ has [0-9]+ [a-z]+"
)
_OPTION = re.compile(r"\(?[A-J][).:]\s")
_NOT_PLAIN = re.compile(  # a sentence, another language, a decimal comma; not 12 apples
    r"^[^0-9]*[^\W\d_]{2,}[^0-9]* [-$€£]?[0-9]|(?=[^\W\d_]{3})[a-zA-Z]*[^\W\da-zA-Z_]|[0-9],[0-9]{2}(?![0-9])"
    r"|^[0-9][0-9.,]* [a-z]+(?: [a-z]+)* (?:\w+ not|\w+n't|cannot)\b|^[0-9.,]+ US-Dollar"
)
_DATE = re.compile(  # March 14; 3rd of May 2021
    r"(?:[0-9]{1,2}(?:st|nd|rd|th)? (?:of )?)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
    r"(?: [0-9]{1,2}(?:st|nd|rd|th)?)?(?:,? [0-9]{4})?"
)
_SAYS_MORE = re.compile(  # behind a value in bold: a circumstance or reason, or words in brackets
    r"\s*[(（](?![^()]*(?:\b(?:also|possibl\w+|another|should)\b|[或若错]|可能|如果|也))[^()=]*[^\W\d_]{2}[^()=]*[)）][.!。]?$|,?\s(?:for|with|when|at|in|after|because|since|as|while|where)\s[^=]*$"
)
_NOT_SO = re.compile(r"\s*[(（](?:not|不是) [^()（）]{1,30}[)）]")  # (not 75 km/h)
_COUNTED = re.compile("(?<=[0-9])[\u4e00-\u9fff]{1,3}$")
_WITH_FIGURES = re.compile(r"([A-Za-z -]{3,60}?) \(\$([^$()]{1,20})\$((?: [A-Za-z/²³]{1,12})?)\)")  # fifteen ($15$)
_JOINED = re.compile(r"[\s,;.]+(?:(?:and|but|so|or|also|then)\b\s*)*$")
_FULL_WIDTH = str.maketrans({"，": ", ", "、": ", ", "；": "; ", "：": ": "})
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_TIMES = re.compile(r"total of [0-9]+ times$")
_STEPS = re.compile(r"Step 1\b|[A-Z][A-Za-z ]{2,} = [^\n]*[A-Za-z0-9][^\n]*[-+*/×x=]", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")
_YES_OR_NO = re.compile(
    r"[)*.:,]{0,3}\s{0,2}\**(?:yes|no)\b(?!,? (?:wait|sorry|actually|it is|the answer|that))", re.IGNORECASE
)
_CLOSED = re.compile(r"(?<=\))\}\s*\\\]$")  # \[ \text{The answer is (C)} \]
_CONSEQUENCE = re.compile(  # 7/15, so they are more likely to differ; 3 - 4i, so a = 3 and b = -4; 15% of the price
    r"([^,;]{1,60}?)(?:,\s(?:so|which|meaning|hence)\b(?!.*\b(?:or|not|maybe|perhaps|answer|approximately|about)\b)"
    r"(?:[^0-9=]+|(?:\s[a-z]+)? \$?[a-zA-Z]\$? = [^\s,]+ and \$?[a-zA-Z]\$? = [^\s,]+)|\sof the (?:[a-z]+ ){0,2}[a-z]+)"
)
_LABEL = re.compile(r"\W{0,3}[A-J]\W{0,3}")
_IN_DISPLAY = re.compile(r"\\\[\s*\\text\s*\{|[ *>#:\n]")
_GREEK_NAME = re.compile(r"^(?:[λμθαβφω]|\\[a-z]{2,7})(?:_\w|[₀-₉])?\s*=\s*")
_BULLET = re.compile(r"[-*•+]\s+(\S.{0,60})")
_WORKING = re.compile(r"[^\n=]{1,80}=[^\n]*$")
_PRAISED = re.compile(
    r"(?:correct|accurate|right|verified|confirmed|consistent|reasonable)\b(?!,? (?:if|but|or|answer)\b)"
)
_ELIMINATED = re.compile(r"not\s+\(?[A-J]\)?(?![A-Za-z])")


def read_markers(text: str) -> Found | None:
    """What stands after the markers, with what is said to be the answer; None without a marker."""
    marks = marked(text)
    return _offered(text, marks) if marks else None


def read_statements(text: str) -> Found | None:
    """What is said to be the answer; None where nothing is."""
    return _offered(text, fields(text))


def _offered(text: str, marks: list[Span]) -> Found | None:
    heard = announced(text)
    heard = [m for m in heard if not _PRAISED.match(text, m.end())]  # the answer is correct
    said = [m.span() for m in heard if not _DISOWNED.search(text[max(0, m.start() - 80) : m.start()])]
    if heard and not said and not marks:
        return none(NO_COMMITMENT)
    spans = [Span(start, end, sentence(text, end)) for start, end in said[-MAX_SAID:]]
    spans = sorted([span for span in spans if span.content] + marks)
    if len(spans) > 1 and text.rstrip().endswith(spans[-1].content):  # said again, and cut off: Answer: 1/6 Answer: 1/
        before, again = spans[-2].content, spans[-1].content
        spans = spans[:-1] if before.startswith(again) and not again[-1].isalnum() else spans
    if spans and text[spans[-1].end :].lstrip()[len(spans[-1].content) :].lstrip(" *$")[:1] in ("?", "？"):
        return none(NO_COMMITMENT)  # The answer is 5?
    for one, two in pairwise(spans):
        if one.end + len(one.content) > two.start and TENTATIVE.search(text[one.end : two.start]):
            return none(DIFFERENT)  # is 4 or the answer is 5
    spans = [s for s, then in pairwise(spans) if s in marks or _IN_DISPLAY.sub("", text[s.end : then.start])] + spans[
        -1:
    ]
    spans = [_up_to(span, following.start) for span, following in pairwise(spans)] + spans[-1:]
    last = len(spans) - 1
    spans = [s for i, s in enumerate(spans) if i == last or s in marks or s.end + len(s.content) <= spans[i + 1].start]
    spans = [s for i, s in enumerate(spans) if i == len(spans) - 1 or not _ELIMINATED.match(s.content)]
    return _spoken(text, spans) if spans else None


def _bulleted(said: str, tail: str) -> str:
    """The values of the items that stand one below the other under the heading "Answer"; empty where it has others."""
    lines = [line.strip() for line in tail.strip().split("\n") if line.strip()]
    if not lines or _BULLET.fullmatch(lines[-1]) is None:
        return ""
    lines = [said.strip() if _BULLET.match(said.strip()) else f"- {said.strip()}", *lines]
    items = [item[1].strip(" $.") for item in map(_BULLET.fullmatch, lines) if item is not None]
    values = [_GREEK_NAME.sub("", item) for item in items]
    return ", ".join(items) if 2 <= len(items) == len(lines) <= 8 and all(map(is_value, values)) else ""


def _worked(said: str, tail: str) -> str | None:
    """What lines of working under the heading "Answer" end in: each one an equation, the last one maybe a sentence."""
    lines = [line.strip() for line in tail.strip().split("\n") if line.strip()]
    if not lines or not all(_WORKING.match(line) for line in lines[:-1]):
        return None
    if not (_WORKING.match(lines[-1]) or LEAD.match(lines[-1]) or len(lines) > 1):
        return None
    return concluded("\n".join([said, *lines]))


def _up_to(span: Span, stop: int) -> Span:
    """What is said before the next statement of the same line, where that is a value: "Answer: 41 Answer: 42"."""
    before = _JOINED.sub("", span.content[: max(0, stop - span.end)]).strip(" *>#\n")
    return (
        Span(span.start, span.end, before) if before and len(before) < len(span.content) and is_value(before) else span
    )


def _spoken(text: str, spans: list[Span]) -> Found:
    """The answers that a text says are its answer, each with the rest of its sentence."""
    found = merged(text, [Span(a, b + len(said), committed(said)) for a, b, said in spans], joined=False)
    last = spans[-1]
    tail = text[
        max(text.find(last.content, last.end, last.end + len(last.content) + 40), last.end) + len(last.content) :
    ]
    if (option := _YES_OR_NO.match(tail)) is not None and _LABEL.fullmatch(last.content):  # The answer is (B). No.
        tail = tail[option.end() :]
    if STRONG.search(tail[:300]):  # The answer is 5. Wait, no, it is 4.
        better = concluded(tail) if not TENTATIVE.search(tail) else None
        return Found((better,)) if better else none(TAKEN_BACK)
    if len(spans) == 1 and _STEPS.match(last.content) and LEAD.match(tail.rpartition("\n")[2].strip()):
        better = concluded(tail)  # Answer: Step 1: ... Therefore, there are 5.
        return Found((better,)) if better else none(NO_COMMITMENT)
    if len(spans) == 1 and (items := _bulleted(last.content, tail)):
        return Found((items,))
    if len(spans) == 1 and _WORKING.match(last.content) and (better := _worked(last.content, tail)) is not None:
        return Found((better,))  # Answer: F = 2T = 250 ... Therefore, they make 500.
    if len(spans) == 1 and _STEPS.match(last.content) and re.search(r"=\s*[-$0-9.,]+", tail):
        return none(NO_COMMITMENT)
    if len(found) == 1 and (alone := _CONSEQUENCE.fullmatch(found[0])) is not None and is_value(alone[1]):
        found = (alone[1],)
    if len(found) == 1 and len(_NUMBER.findall(text)) > 2:
        found = (without_noun(found[0]),)
    beside = other_forms(text, last.start, last.end, False) if text.startswith("#", last.start) else []
    if not all(found) or beside is None:
        return none(DIFFERENT if all(found) else NO_COMMITMENT)
    shown = text.find(found[-1], last.end)
    end = shown + len(found[-1]) if shown >= 0 else len(text) - len(tail)
    return Found((*labels(found), *beside), end=end)


def committed(said: str) -> str:
    """What is said to be the answer; nothing where the words around a formula or a number take it back."""
    said = _CLOSED.sub("", said)
    if (closed := _closed(said)) is not None:
        said = closed
    if said.count("**") % 2:  # **The answer is 42**, which ...
        said = said.replace("**", "", 1) if said.startswith("**") else "".join(said.rsplit("**", 1))
    said = flattened(said) if "\n" in said else said
    if said.rstrip("$ *`").endswith(("?", "？")) or (_ASKED.search(said) and not _TIMES.search(said)):  # or cut off
        return ""
    if not said.isascii() and not _IDEOGRAPH.search(said):
        said = said.translate(_FULL_WIDTH)
    whole = undressed(said)
    if _DATE.fullmatch(whole):
        return whole
    if not said.isascii() and (value := in_chinese(said)) is not None:
        return value
    if (figures := _WITH_FIGURES.fullmatch(whole)) is not None and NUMBER_WORDS.match(whole):
        return f"{figures[1]} ({figures[2]}{figures[3]})"
    if (choice := _CHOICE.match(whole)) is not None:
        return choice[1] or choice[2]
    if whole != said or not (SPAN.search(said) or any(c.isdigit() for c in said)):
        return value_of(whole)
    if _OPTION.match(said):
        return said
    if (arithmetic := worked_out(said)) is not None:
        return arithmetic
    if (number := counted(said) or (only_number(said) if _NOT_PLAIN.search(said) else None)) is not None:
        return number
    said = _ASIDE.sub("", _CONTRASTED.sub("", said))
    if UNDONE.search(said) and (number := only_number(said)) is not None:
        return number
    core = without_asides(said)
    if core is None:
        return ""
    words, formulas = spans_masked(core)
    if weakened(words):
        values = concluding_values(f"Thus, {said}") if _SENTENCE.search(said) or _VERB.search(said) else None
        return values[0] if values is not None and len(values) == 1 else ""
    whole = undressed(core)
    if whole != core:
        return value_of(whole)
    if formulas:
        return stated(words, formulas) or in_sentence(core) or ""
    found = in_sentence(f"Thus, {core}") if _SENTENCE.search(core) else None
    return found or _in_prose(said, whole)


def _closed(said: str) -> str | None:
    """The value that a statement in bold closes with, where words behind it only say more: **Answer: 9 cm**, for ..."""
    head, marks, tail = said.partition("**")
    head = _COUNTED.sub("", head)
    if not marks or said.count("**") != 1 or not head.strip() or not is_value(head):
        return None
    tail = _NOT_SO.sub("", tail)
    more = _SAYS_MORE.match(tail) is not None and plain(tail) and not OFFERS.search(tail)
    return head if more or not tail.strip(" .!。") else None


def _in_prose(said: str, whole: str) -> str:
    """The only value of what is said in words; all of it where it has none or several."""
    found = None if is_value(whole) else concluding_values(f"It is {said}")
    return found[0] if found is not None and len(found) == 1 else whole
