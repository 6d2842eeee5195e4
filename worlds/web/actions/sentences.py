"""Whether a sentence makes a call or only mentions it; for English, by the words around it."""

import re

from turnwise.worlds.web.words import words

__all__ = ["announced", "goes_on", "made"]

_MAX_CHARS = 400  # of a line that are looked at
_DOUBT = words(
    "no not never cannot can't couldn't don't doesn't didn't won't wouldn't shouldn't isn't wasn't haven't hasn't "
    "could can may might would whether or either instead rather without avoid already tried did was were had been "
    "earlier previous last past example examples e.g eg i.e such like option options possible possibly perhaps "
    "maybe candidate candidates alternative alternatives ways forms wrong fails failed failing than mentions says said "
    "suggests suggested wants wanted asks format syntax usage valid available allowed tempted considered considering"
)
_CONDITION = words("if when whenever once unless until before after later afterwards eventually whether otherwise")
_READY = words(
    "i we do run use call perform execute try action choose now then next first please is be to output give take issue "
    "emit go with using by need just simply step"
)
_DECIDES = re.compile(
    r"\b(?:(?:i|we)(?: will|'ll| shall| must| should| have to| need to| want to| choose| pick| go with)|(?:i|we)"
    r"(?:'d| would) like to|(?:i am|i'm|we are|we're) (?:now )?going to|let me|let's|let us|so|thus|therefore|hence"
    r"|(?:next|best|right|correct) (?:action|step|move|call)(?: is| will be)?)\b(?! that| far| many| much)"
)
_SENTENCE = re.compile(r"(?<![\s(])[.!?;](?=\s)")
_WORD = re.compile(r"[a-z][a-z.']*")
_CALL = re.compile(r"\w+\([^()]{0,200}\)|\[[^\[\]]{0,200}\]|`[^`]{0,200}`")
_COLON = re.compile(
    r"(?:[:：]|```|\b(?:action|step|call|command|move)\s+(?:is|will be))[ \t]*[`*\"']{0,6}[ \t]*$", re.IGNORECASE
)
_QUESTION = re.compile(r"[^.!?\n]{0,200}\?")
_GOES_ON = re.compile(
    r"[`*\"'’”)\]]{0,6}[ \t]{0,4}(?:$|[\n.!;)…]|(?:,|–|—|-{1,2})(?![ \t]*(?:or|but|if|unless|not|when)\b)"
    r"|\((?!or\b|not\b)|(?:to|in|so|because|since|as|which|for|now|next|first|where|on|at|again|#|//)(?=\W|$)"
    r"(?![ \t]*(?:not|would|could|might|is|was)\b)(?<!which would))",
    re.IGNORECASE,
)


def announced(before: str) -> bool:
    """Whether the text before a call, on its line, ends in a colon (or the like) and so makes the call.

    >>> announced("I could click(1) or click(2), so: "), announced("Options: ")
    (True, False)
    """
    before = before[-_MAX_CHARS:]
    match = _COLON.search(before)
    return match is not None and _decided(before[: match.start() + 1], True)


def made(before: str) -> bool:
    """Whether the sentence that leads to a call, from its line, makes it rather than considers it.

    >>> made("I will "), made("I could "), made("The button is red. ")
    (True, False, True)
    """
    before = before[-_MAX_CHARS:]
    return not _COLON.search(before) and _decided(before, False)


def goes_on(after: str) -> bool:
    """Whether what follows a call leaves it valid: nothing, an end, a reason; not "or", not a question mark.

    >>> goes_on(" to open the cart."), goes_on(" would be wrong."), goes_on("?")
    (True, False, False)
    """
    return _GOES_ON.match(after) is not None and _QUESTION.match(after) is None


def _decided(before: str, colon: bool) -> bool:
    sentence = _SENTENCE.split(before)[-1].lower().replace("’", "'")
    decides = list(_DECIDES.finditer(sentence))
    tail = _CALL.sub(" ", sentence[decides[-1].end() :] if decides else sentence)
    spoken = [word.strip(".'") for word in _WORD.findall(tail)]
    if not _DOUBT.isdisjoint(spoken) or not _CONDITION.isdisjoint(_WORD.findall(_CALL.sub(" ", sentence))):
        return False
    return colon or bool(decides) or not spoken or spoken[-1] in _READY
