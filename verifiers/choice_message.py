r"""Find the option that a whole message chooses, by rules that separate it from the reasoning.

Thinking is not read. What ``<answer>`` holds is the answer; else everything that the message states: a box with an
option in it, a sentence such as "the answer is (B)" or "option B is correct", a heading "Answer" with the option below
it, or the message itself if it is one line. Everything stated must be the same option; after a correction ("wait,
actually") only what follows counts. A sentence that doubts, denies or supposes states nothing, and a later mention of
another option that is not denied leaves the message without an answer, so hedging never pays.
"""

import re
from collections.abc import Iterator
from itertools import islice

from turnwise.verifiers.choice import MAX_CHARS, Options, _chosen, _clean, _Question, _question
from turnwise.verifiers.extract import after_thinking, left_open, tagged
from turnwise.verifiers.verdict import Verdict, right, wrong

__all__ = ["verify_choice_message"]

MAX_MESSAGE_CHARS = 100_000
MAX_STATEMENTS = 50  # of a sentence
_NOTHING = "no answer found: give the label of one option"
_NEXT_TURN = re.compile(r"\n[#* ]{0,5}(?:Question|Q|User|Human|Instruction|Problem)[* ]{0,3}:", re.IGNORECASE)
_BREAK = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[A-Z(\[\"'“])|[。！？；]")
_MARKS = re.compile(r"^\s*(?:(?:[-*>+•]|#{1,6}|\d{1,2}[.)])\s+)*")
_BOXED = re.compile(r"\\(?:boxed|fbox)\{((?:[^{}]|\{[^{}]*\})*)\}")
_ALONE = re.compile(r"(?:option |choice |statement )?[(\[]?\w{1,5}[)\]]? ?[.:]?", re.IGNORECASE)
_HEADING = re.compile(
    r"(?:the )?(?:(?:final|correct|right|best) )*(?:answer|option|choice|答案)(?: is)? ?[:：]?", re.IGNORECASE
)
_LEAD = re.compile(
    r"\b(?:answer|option|choice|ans)\b[^.:：\n]{0,60}?(?:\b(?:is|would be|should be|must be|will be)\b ?:?|[:=：])"
    r"|答案(?:应该?)?(?:是|为|[:：])|(?<![挑筛])选(?:择|项)?(?:是|为|[:：])?"
    r"|\b(?:corresponds? to|matches|choose|pick|select|go with)\b|\bwhich is(?= (?:option|choice))"
    r"|(?:\bleft with|\bleaves(?: us with)?|^(?:so|thus|hence|therefore),?)"
    r"(?= (?:only |just )?(?:option |choice )?[(\[]?[A-J][)\]]?\W*$)",
    re.IGNORECASE,
)
_TEXT_FIRST = re.compile(r"(.+?) ?(\([A-J]\))$")  # London (B)
_EXPLAINS = re.compile(r"(?:explanation|reason(?:ing)?|rationale|why(?: the others? .*)?) ?[:：]?", re.IGNORECASE)
_OPEN_ENDED = re.compile(rf"(?:{_LEAD.pattern})$", re.IGNORECASE)
_PRAISED = re.compile(
    r"(?:^|[\s,:])(?:(?:option|choice|answer|statement) )?([(\[]?[A-Za-z][)\]]?(?:[.:]? [^.\n]{1,80}?)?) "
    r"(?:is|must be|would be|should be) (?:therefore |thus |then )?(?:the )?(?:correct|right|best)\b",
    re.IGNORECASE,
)
_UNSTATED = re.compile(
    r"\b(?:if|unless|whether|suppose|assum\w+|not|never|false|wrong|tempting|why|say|said|except|could|might|may|cannot|"
    r"second|alternative\w*|no|none|neither|"
    r"perhaps|maybe|probabl\w+|possibl\w+|guess|unsure)\b|n['’]t\b|不|如果|可能",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r";|, (?:but|so|therefore|thus|hence)\b")
_REASON = re.compile(
    r",? (?:because|since|as|due to|given that|which|where|not|rather than|instead of)\b|,? 因为", re.IGNORECASE
)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|correction|just kidding|scratch that|on second thoughts?|i (?:made|was) (?:a mistake|wrong)|"
    r"let me (?:re\w+|correct))\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:incorrect|wrong|false|not|cannot|never|none|neither|nor|too|eliminat\w*|rul\w+ out|unlike|rather than|"
    r"instead of|does no\w?|fails?|irrelevant|contradicts?)\b|n['’]t\b|错|不",
    re.IGNORECASE,
)
_DOUBTS = re.compile(
    r"\b(?:also|alternatively|either|maybe|perhaps|possibl\w+|probabl\w+|probability|likely|could|might|may|unless|"
    r"acceptable|as well|equally|too(?= [.!])|guess|if|otherwise|unsure|not (?:wrong|incorrect|false|ruled))\b|或|可能",
    re.IGNORECASE,
)
_LETTER_SAID = re.compile(
    r"[(\[]([A-Z])[)\]]|\b(?:[Oo]ption|[Cc]hoice|[Aa]nswer)s? ([A-Z])\b|(?<![\w'’.\\-])([B-HJ])(?!\.?[\w'’-])"
    r"|\b(A)(?= (?:is|was|would|could|can|might|may|also|works?|too|and|or)\b|[,;:/?!]|\.?$)"
)
_LABEL_SAID = re.compile(r"[(\[](\w{1,5})[)\]]|\b(?:option|choice|answer|statement)s? (\w{1,5})\b", re.IGNORECASE)


def verify_choice_message(message: str, gold: str, options: Options = ()) -> Verdict:
    r"""Judge whether a message chooses the option ``gold``, and no other; the rest is as in `choice.verify_choice`.

    >>> options = ["10 cm", "12 cm"]
    >>> verify_choice_message("A is too small, as 12 > 10.\n\nSo **the answer is (B) 12 cm**.", "B", options).correct
    True
    >>> verify_choice_message("The answer is B. However, A is also possible.", "B", options).correct
    False
    """
    question = _question((gold,), options)
    if len(message) > MAX_MESSAGE_CHARS:
        return wrong(f"the message is longer than {MAX_MESSAGE_CHARS} characters")
    rest = after_thinking(message)
    if rest is None:
        return wrong("the message ends inside <think>; close it and give the answer")
    found, problem = _answer(rest, question)
    if found is None:
        return wrong(problem)
    return right(found) if found in question.gold else wrong(f"{found} is not right", found)


def _answer(text: str, question: _Question) -> tuple[str | None, str]:
    """Return the one label that a message chooses, or None with the problem."""
    answers = tagged(text, "answer")
    if not answers and (content := left_open(text)) is not None:
        answers = [content.strip()]
    if not answers:
        if (end := _NEXT_TURN.search(text)) is not None and text[: end.start()].strip():
            text = text[: end.start()]
        text = text.strip()
        found, problem = _stated(text, question)
        if found is not None or problem != _NOTHING or "\n" in text or len(text) > 1000:
            return found, problem
        answers = [text]
    chosen = [_chosen(_clean(answer[:MAX_CHARS]), question) for answer in answers]
    if any(label is None or label != chosen[0][0] for label, _ in chosen):
        return None, next(
            (problem for label, problem in chosen if label is None), "the message chooses several options"
        )
    return chosen[0]


def _stated(text: str, question: _Question) -> tuple[str | None, str]:
    """Return the option that all of a message's statements choose."""
    chosen: str | None = None
    nothing, explains = _NOTHING, False
    for sentence in _sentences(text):
        if chosen and _CORRECTION.search(sentence):
            chosen, nothing = None, "the message retracts its answer"
        explains = explains or (chosen is not None and _EXPLAINS.match(sentence) is not None)
        offers = list(_offers(sentence, question))
        labels = {label for _, label in offers} | ({chosen} if chosen else set())
        if None in labels or len(labels) > 1:
            return None, "the message chooses several options, or none clearly"
        chosen = next(iter(labels), None)
        part = sentence[min((start for start, _ in offers), default=0) :]  # labels before the statement are reasons
        if chosen is not None and _goes_back_on(part, chosen, question, bool(offers), explains):
            return None, "the message names another option after its answer, or doubts it"
    return (chosen, "") if chosen is not None else (None, nothing)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences unformatted, with "answer:" before boxes, lines with only a label, and below headings."""
    text = _BOXED.sub(r"answer: \1\n", text)
    heading = ""
    for line in text.split("\n"):
        parts = _BREAK.split(_MARKS.sub("", line))
        for part in parts:
            sentence = _clean(part).replace("\n", " ").strip()
            if not sentence:
                continue
            if _HEADING.fullmatch(sentence):
                heading = "answer: "
                continue
            if len(parts) == 1 and _ALONE.fullmatch(sentence):
                heading = "answer: "
            yield heading + sentence
            heading = "answer: " if _OPEN_ENDED.search(sentence) and not _UNSTATED.search(sentence) else ""


def _offers(sentence: str, question: _Question) -> Iterator[tuple[int, str | None]]:
    """Yield the answers that a sentence states, and where; None for a statement that names a label but chooses none."""
    leads = list(islice(_LEAD.finditer(sentence), MAX_STATEMENTS))
    done = 0
    for i, lead in enumerate(leads):
        before, done = _CLAUSE.split(sentence[done : lead.end()])[-1], lead.end()
        tail = sentence[done : leads[i + 1].start() if i + 1 < len(leads) else len(sentence)].strip(" :：$")
        if not tail or _UNSTATED.search(before):
            continue
        label = _label(tail, question)
        if label is not None or _begins_with_label(tail, question):
            yield lead.start(), label
    for praised in islice(_PRAISED.finditer(sentence), MAX_STATEMENTS):
        if not _UNSTATED.search(sentence[max(0, praised.start() - 200) : praised.end()]):
            label = _chosen(_clean(praised[1]), question)[0]
            if label is not None:
                yield praised.start(), label


def _label(tail: str, question: _Question) -> str | None:
    for body in (tail, tail[: reason.start()] if (reason := _REASON.search(tail)) else ""):
        body = body.strip(" $*.,;:")
        if body and (label := _chosen(_clean(body[:MAX_CHARS]), question)[0]) is not None:
            return label
    shown = _TEXT_FIRST.match(tail.strip(" $*.,;:"))
    return _chosen(_clean(f"{shown[2]} {shown[1]}"[:MAX_CHARS]), question)[0] if shown is not None else None


def _begins_with_label(tail: str, question: _Question) -> bool:
    """Return whether a label comes first; the A of "A triangle" is not a label."""
    match = re.match(r"(?:option |choice |answer |statement |either )?([(\[]?)(\w{1,5})\b(?! [a-z]{4,})", tail)
    return match is not None and match[2] in question.labels


def _goes_back_on(sentence: str, chosen: str, question: _Question, offers: bool, explains: bool = False) -> bool:
    """Tell whether a sentence, which offers the answer or comes after it, doubts it or also accepts another option.

    Under a heading "Explanation" other options may be named without being denied.
    """
    said = _LETTER_SAID if question.labels[0] == "A" else _LABEL_SAID
    names = {next(filter(None, match.groups())).upper() for match in said.finditer(sentence)}
    others = {name for name in names if name in question.labels and name != chosen}
    if option := question.texts.get(chosen, ""):
        others = {name for name in others if name not in option}
    if not others:
        return offers and _DOUBTS.search(sentence.replace(option, "") if option else sentence) is not None
    return (_DENIES.search(sentence) is None and not explains) or _DOUBTS.search(sentence) is not None
