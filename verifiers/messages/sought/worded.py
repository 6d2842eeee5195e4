"""The look for a gold that is a word: whether the last sentence that states one of the alternatives states it.

"Since the limit is positive and the harmonic series diverges, the given series also **diverges**." What is stated is
found clause by clause: a clause states an alternative if all else that it says is what the question says (with
articles, verbs and connectives), so nothing narrows, turns or relates it. It must say so much of what is asked that it
answers no other question: its superlatives and ordinals, or some word of it at least. What is read is the same whatever
the gold is. A later sentence that concludes, doubts, offers or names another alternative ends the look, and so does a
sentence before that states another one.
"""

import re
from collections import Counter

from turnwise.verifiers.messages.around.comments import is_rejected
from turnwise.verifiers.messages.around.doubt import doubts
from turnwise.verifiers.messages.base import STRONG
from turnwise.verifiers.messages.clause import DOUBTED, LEAD
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.skeleton import OTHER_SCRIPT
from turnwise.verifiers.messages.sought.asking import (
    CALL,
    COMMAND,
    FUNCTION,
    IS,
    NEGATION,
    NUMBER,
    WORD,
    Asking,
    sentences,
)
from turnwise.verifiers.messages.sought.choices import MARK, Choices, choices_of, opposite, tidied
from turnwise.verifiers.messages.sought.subject import stem

__all__ = ["contradicted", "stated_word"]

_MAX_CHARS = 2500
_MAX_SENTENCE = 500
_MAX_BACK = 6
_LEAST_WORDS = 2
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_SPLIT = re.compile(
    r"[;:]\s|,\s|\s[—–-]\s|—|(?<![A-Za-z0-9])\(|\)"
    r"|\s(?=(?:so|which|while|whereas|because|since|and|but)\s)"
)
_REASON = re.compile(r"\W*(?:since|because|as|given that|seeing that)\b", re.IGNORECASE)
_CONTRAST = re.compile(
    r"\b(?:but|however|yet|although|though|unless|except|nor|either|whether|if|or|only when|provided)\b|[?？“”\"]",
    re.IGNORECASE,
)
_UNREAL = re.compile(r"\b(?:would|could|might|had|were to|suppose|otherwise|instead)\b|['’]d\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"^\W*(?:but|however|yet|on the other hand)\b|\b(?:answer|result|wrong|incorrect|mistake|cannot|can['’]t|also|too"
    r"|equally|both|depends?|really|alternatively|possible|unclear|pick)\b",
    re.IGNORECASE,
)
_BREAKS_OFF = re.compile(r"(?:\b(?:and|so|then|the|this|that|which|of|to|is|are|we|with|by|for)|,|[-+*/×=^(])\s*$")
_LEADING = re.compile(
    r"\W*(?:by (?:the )?(?:[a-z]+ ){1,4}(?:test|comparison|criterion|theorem|definition),? )?"
    r"(?:(?:so|thus|hence|therefore|then|and|which means|this means|that means|it follows|we (?:see|conclude|find|get)"
    r"|we have|in (?:fact|conclusion|short|total)|overall|finally|consequently|as a result|now|indeed|of course)\b,?\s*"
    r"(?:that\b\s*)?)*",
    re.IGNORECASE,
)
_ONE = frozenset(["one", "ones", "choice", "option", "makes", "making"])
_PLACED = frozenset(["with", "place", "position", "spot", "comes", "came", "come", "finish", "finished", "finishes",
                     "takes", "took", "ranked", "ranks"])  # fmt: skip
_PRONOUNS = frozenset(["it", "they", "this", "these"])
_ORDINAL = frozenset(["first", "second", "third", "fourth", "fifth", "sixth", "last"])
_LEAVES = re.compile(
    rf"{_LEADING.pattern}(?:(?:that|this|which|it) leaves?|leaving|we(?: are|['’]re) left with)"
    rf"(?: us)?(?: with)?(?: only| just)? (?P<mark>{MARK})(?: alone| only)?\W*",
    re.IGNORECASE,
)
_CORRECT = re.compile(
    rf"{_LEADING.pattern}(?:only )?(?P<mark>{MARK}) is (?:therefore |thus |clearly |indeed )?(?:the )?(?:only |one )?"
    rf"(?:right|correct|valid)(?: one| answer| choice| option)?\W*",
    re.IGNORECASE,
)
_SAYS = re.compile(
    rf"{_LEADING.pattern}(?:(?:the|our|my) )?(?:(?:final|correct|right) )?(?:answer|winner|choice)(?: is| must be| to"
    rf" this| here|:)*\s(?:therefore |thus |again )?(?:an? )?(?P<mark>{MARK}|yes\b|no\b|true\b|false\b)\W*",
    re.IGNORECASE,
)
_ONLY = re.compile(rf"^\W*(?:so |thus |therefore )?only (?={MARK})", re.IGNORECASE)
_IT_IS = re.compile(rf"{_LEADING.pattern}(?P<mark>{MARK}) it is\W*", re.IGNORECASE)
_ALIAS = re.compile(rf"(?:\b[A-Za-z]+(?: gas)? )?\(({MARK})\)|({MARK}) \([a-z]+(?: gas)?\)")
_JOINED = re.compile(
    rf"{MARK}(?:\)|['’]s)?(?:,? (?:and|or|nor)\b| ?/| &) ?(?:an? |the |on |option |\()?{MARK}(?! (?:is|was|has|does)\b)"
)
_COMPARED = re.compile(
    rf"\s(?:than|(?:just |shortly )?(?:ahead|in front) of|behind|followed by|rather than|instead of)\s.*{MARK}.*"
)
_RELATED = re.compile(
    rf"(?<!\bthat)\s(?:with|by|of|to|from|for|after|before|between|like|at|in|on) (?:an? |the )?{MARK}", re.IGNORECASE
)
_SERIES = re.compile(r"[0-9 ]+(?:, [0-9 ]+)*,? and (?=[0-9])")  # 3, 4 and 8
_DAY = re.compile(
    rf"(?P<head>.*?)\b(?:(?:is|was|be|it['’]s|that['’]s|falls?|fell|comes|arrive|reach|makes (?:it|that)|making it"
    rf"|(?:brings?|takes?|leads?) (?:us|you) to|lands?(?: us)?|due|returned|takes place|happens)"
    rf"(?: back| again| therefore| thus)?(?: on| at| to)?(?: an?| the)?) ?(?P<mark>{MARK})(?: again)?"
    rf"(?: in (?:that|this|the same) year| of that year)?\W*",
    re.IGNORECASE,
)
_APPOSED = re.compile(rf"\W*an? (?P<mark>{MARK})\W*")
_COUNTED_FROM = re.compile(rf"\b(?:is|was|it['’]s|be)\b.*\b(?:after|past|before|from|beyond) (?:an? |the )?{MARK}\W*")
_LATER = re.compile(r"\b(?:later|further|on from (?:there|that)|after (?:that|this)|more)\b", re.IGNORECASE)
_SPELLED = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|[a-z]+ty|hundred|full|complete|whole"
    r"|last|previous|next|preceding)\b",
    re.IGNORECASE,
)
_TODAY = re.compile(
    r"\b(?:today|yesterday|tomorrow|now)\b(?=\W*(?:is|was|['’]s|will)\b)|\bstart\w*\b|\bbegin\w*\b", re.I
)
_NONE = re.compile(
    r"(?:(?P<head>.*?)\b(?:has|have|having|there (?:is|are|exists?)|admits?|possess(?:es)?) no"
    r"(?P<kind>(?: (?:real|such|valid|possible|integer|rational|whole))?)"
    r"(?: number)? ?(?:solutions?|roots?|zeros|(?<=real )[a-z]|values?(?: of [a-z])?)(?: at all)?(?P<tail>.*)"
    r"|(?P<none>.*?)\bno(?: real| such)? (?:solutions?|roots?) exists?(?P<rest>.*))",
    re.IGNORECASE,
)
_EQUATED = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\s?(?:=|\\in|∈)")
_VALUE = re.compile(r"(?:=|-\\t?frac)\s?[^\s,;]+")
_DISCARDED = re.compile(
    r"\b(?:extraneous|excluded|invalid|undefined|impossible|not (?:defined|valid|allowed|a solution|in the domain)"
    r"|isn['’]t (?:defined|valid|allowed|a solution|in the domain))\b",
    re.IGNORECASE,
)
_DIRECT = re.compile(r"\W*(?:(?:so|thus|hence|therefore),? )?(yes|no|true|false)\W*", re.IGNORECASE)
_OPENED = re.compile(r"\W*(yes|no|true|false)\b(?=\W*(?:[,.!:;]|\s[—–-]\s|\n|$))", re.IGNORECASE)
_NOT_BUT = re.compile(r"\bbut\b", re.IGNORECASE)
_EACH = frozenset(["all", "every", "each", "any", "some", "always", "sometimes", "never", "only", "same", "both"])
_SUBJECT = re.compile(r"\b(?:is|are|was|does|do|can|will|that|whether) (?:the (?:number|integer|value) )?[0-9]", re.I)
_LIST = re.compile(r"[0-9]+(?:, [0-9]+)* and [0-9]+")
_ONLY_FOR = re.compile(r"\W*(?:for|when|on|except|apart|besides|until|under)\b", re.IGNORECASE)
_NUMBER_IS = re.compile(r"\W*(?:so |but |and )?([0-9]+(?:\.[0-9]+)?) (?:is|has|was|can)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|they)\b", re.IGNORECASE)
_REFUTED = re.compile(  # |x + 4| would have to be -2, so there is no solution
    r"(?:(?!\b(?:if|guess|maybe|perhaps|think|seems?|assum\w+|suppose|possibly|may|might|could|says?|said|claims?)\b)"
    r"[^;?])*,\s(?:so|hence|thus|therefore)\s",
    re.IGNORECASE,
)
_FUNCTION_OF = re.compile(r"\b(sin|cos|tan|log|ln|exp)\(([^()]*)\)")
_TUPLE = re.compile(r"(?<![A-Za-z])\(([-0-9./]+(?:, ?[-0-9./]+)+)\)")
_FALSE = re.compile(r"\bis(?: therefore| thus| clearly)? false\b", re.IGNORECASE)
_NOR = re.compile(r"\bnor\b(?= (?:is|are|does|do|has|have) )", re.IGNORECASE)
_CLAIM = re.compile(
    rf"{_LEADING.pattern}(?:the |this |our )?(?:statement|claim|assertion|proposition)(?: is|['’]s)"
    r"(?: therefore| thus| clearly)? (?P<mark>true|false)\W*",
    re.IGNORECASE,
)
_AFFIRMS = frozenset(["yes", "true"])


def stated_word(text: str, question: str, asking: str, choices: Choices) -> str:
    """The sentence of a message that states the gold as one of some alternatives; empty where none does.

    Args:
        text: The end of a message.
        question: The question.
        asking: The sentence of it that asks.
        choices: The alternatives, and which is right.
    """
    body = flattened(text[-_MAX_CHARS:]).rstrip()
    unsettled = _without_no(body) if choices.kind in ("answer", "none") else body
    if STRONG.search(unsettled) or OTHER_SCRIPT.search(body) or _BREAKS_OFF.search(body.rstrip("* ")[-40:]):
        return ""
    asked = Asking(question, asking, choices)
    said_in_turn = [choices.marked(part) for part in sentences(tidied(body))]
    for n, sentence in reversed(list(enumerate(said_in_turn))[-_MAX_BACK:]):
        if len(sentence) > _MAX_SENTENCE or sentence.startswith("|"):
            return ""
        said = _said(sentence, asked)
        if said is None:
            if not _passes(sentence, asked):
                return ""
            continue
        plain = _FALSE.sub("is so", sentence) if choices.kind == "answer" else sentence
        if choices.kind != "day" and (refuted := _REFUTED.match(plain)) is not None:
            plain = plain[refuted.end() :]
        if said != choices.gold or sentence.endswith(("..", "…")) or DOUBTED.search(plain) or doubts(plain):
            return ""
        return sentence if not _contradicted(said_in_turn, n, asked) else ""
    return ""


def contradicted(text: str, question: str, asking: str, gold: str) -> bool:
    """Whether the end of a message that opens with yes or no says the opposite of what the question asks.

    >>> question = "Are the lines parallel?"
    >>> contradicted("Yes, their slopes differ. So the lines are not parallel.", question, question, "Yes")
    True
    """
    choices = choices_of(gold, question)
    if choices is None or choices.kind != "answer":
        return False
    asked = Asking(question, asking, choices)
    for sentence in reversed(sentences(tidied(flattened(text[-_MAX_CHARS:])))[-3:]):
        clauses = [part for part in _SPLIT.split(sentence) if part and part.strip(" *.,")]
        opens = _OPENED.match(sentence)
        said = [one for one in (_answered(part, asked) for part in clauses[1 if opens else 0 :]) if one is not None]
        if said and len(sentence) <= _MAX_SENTENCE and not (_CONTRAST.search(_NOT_BUT.sub("", sentence))):
            return said[-1] != choices.gold
    return False


def _without_no(body: str) -> str:
    """The text without a "No" that begins it or a sentence: an answer, where it is one."""
    return re.sub(r"(?m)(^|[.!?]\s+)(?:\*\*)?no\b", r"\1", body, flags=re.IGNORECASE)


def _contradicted(parts: list[str], n: int, asked: Asking) -> bool:
    """Whether a sentence before the n-th one states another alternative."""
    kind, gold = asked.choices.kind, asked.choices.gold
    opened = _OPENED.match(parts[0])
    if kind == "answer" and opened is not None and (opened[1].lower() in _AFFIRMS) != (gold == "yes"):
        return True
    bare = re.fullmatch(rf"\W*({MARK})\W*", parts[0])
    if n and bare is not None and asked.choices.at(bare[1]) != gold:
        return True
    if kind == "none":
        return False
    for sentence in parts[max(0, n - 8) : n]:
        said = _said(sentence, asked)
        if said not in (None, gold) and (kind != "day" or LEAD.match(sentence) or "answer" in sentence.lower()):
            return True
    return False


def _passes(sentence: str, asked: Asking) -> bool:
    """Whether a sentence behind the one that states the gold leaves it as it is."""
    if is_rejected(sentence) or _is_discarded(sentence):
        return not re.search(MARK, sentence) and asked.choices.kind in ("none", "word")
    if LEAD.match(sentence) or DOUBTED.search(sentence) or doubts(sentence):
        return False
    if len(_LETTERS.findall(sentence)) < _LEAST_WORDS:
        return False  # no sentence, but another line of a list
    unreal = _UNREAL.search(sentence) is not None
    if re.search(r"[?？]|\b(?:either|maybe|perhaps|unless|whether|if)\b", sentence, re.IGNORECASE):
        return False
    if re.search(MARK, sentence) and not unreal:
        return False
    if _TAKES_BACK.search(sentence) and not (unreal and asked.choices.kind in ("none", "word")):
        return False
    if asked.value and asked.choices.kind == "word" and not unreal and re.search("[0-9]", sentence):
        return False
    if asked.choices.kind in ("none", "word") and not unreal:
        named = set(_EQUATED.findall(sentence))
        return not named & asked.letters and "=" not in (_EQUATED.sub("", sentence) if named else sentence)
    return asked.choices.kind != "answer" or not _OPENED.match(sentence)


def _without_commas(match: re.Match[str]) -> str:
    """A tuple or a list of numbers as one run of numbers."""
    return re.sub(r"[,()]|\band\b", " ", match[0])


def _is_discarded(sentence: str) -> bool:
    """Whether a sentence names one value and says that it counts for nothing: (x = 3 is excluded)."""
    if _DISCARDED.search(sentence) is None or re.search(
        r"\b(?:or|other|answer|works?)\b|[?？]", sentence, re.IGNORECASE
    ):
        return False
    return len(set(_VALUE.findall(sentence))) <= 1


def _said(sentence: str, asked: Asking) -> str | None:
    """The alternative that a sentence states, None for none; "" where it states two or leaves it open."""
    choices = asked.choices
    named = {choices.at(mark) for mark in re.findall(MARK, sentence)}
    if choices.kind in ("word", "answer"):
        if choices.kind == "answer":
            sentence = _TUPLE.sub(_without_commas, sentence)
        sentence = _SERIES.sub(_without_commas, _FUNCTION_OF.sub(r"\1 \2", CALL.sub(r"\1", sentence)))
    clauses = [part for part in _SPLIT.split(sentence) if part and part.strip(" *.,")]
    if choices.kind == "name":
        sentence = _ALIAS.sub(lambda match: match[1] or match[2], sentence)
        clauses = [part for part in _SPLIT.split(sentence) if part and part.strip(" *.,")]
    if choices.kind not in ("answer", "none") and not named:
        return None
    listed = _LIST.search(asked.asking) if choices.kind == "answer" else None
    found: list[str] = []
    before, reason = "", _REASON.match(sentence) is not None
    for n, clause in enumerate(clauses):
        clause = re.sub(r"\bthese (?:two|three|four)\b", "these", clause)
        if (reason and n == 0) or (n and _REASON.match(clause)) or _UNREAL.search(clause) or asked.narrowed(before):
            before = clause
            continue
        one = _clause(clause, before, sentence, asked)
        rest = sentence[max(0, sentence.find(clause)) :] if choices.kind in ("word", "answer") else clause
        if one is not None and choices.kind != "option" and not asked.holds(rest):
            one = None
        behind = clauses[n + 1] if n + 1 < len(clauses) else ""
        if one is not None and choices.kind != "option" and _ONLY_FOR.match(behind) and asked.narrowed(behind):
            return ""
        if one is not None and choices.kind in ("word", "answer") and _of_other_number(clause, before, asked):
            one = None
        if one is not None and listed is not None and not _whole(listed[0], clause):
            one = None
        if one is not None:
            found.append(one)
        before = clause
    if not found:
        return None
    if choices.kind == "day":
        last = re.findall(MARK, sentence)[-1]
        open_ = _CONTRAST.search(sentence) or _JOINED.search(sentence) or found[-1] != choices.at(last)
        return "" if open_ else found[-1]
    if len(set(found)) > 1 or (_JOINED.search(sentence) and not _JOINED.search(clauses[0])):
        return ""
    return "" if _CONTRAST.search(_NOR.sub("", sentence)) else found[0]


def _whole(listed: str, clause: str) -> bool:
    """Whether a clause names all numbers of a list or none."""
    numbers = set(NUMBER.findall(listed))
    named = numbers & set(NUMBER.findall(clause))
    return not named or named == numbers


def _of_other_number(clause: str, before: str, asked: Asking) -> bool:
    """Whether a pronoun stands for another number than that of the question: 13 is not composite, so it is prime."""
    subject = _NUMBER_IS.match(before)
    return subject is not None and subject[1] not in asked.numbers and _PRONOUN.search(clause) is not None


def _clause(clause: str, before: str, sentence: str, asked: Asking) -> str | None:
    """The alternative that a clause states."""
    choices = asked.choices
    if choices.kind == "day":
        return _day(clause, before, sentence, asked)
    if choices.kind == "answer":
        return _answered(clause, asked)
    if choices.kind == "none":
        return "none" if _none(clause, before, asked) else None
    if choices.kind == "name" and " than " not in asked.asking:
        clause = _COMPARED.sub("", clause) if re.search(MARK, clause) else clause
    for form in (_SAYS, _IT_IS):
        if (match := form.fullmatch(clause)) is not None and re.fullmatch(MARK, match["mark"]):
            return choices.at(match["mark"])
    if choices.kind in ("option", "name"):
        clause = _ONLY.sub("", clause, count=1)
    if choices.kind == "option":
        for form in (_LEAVES, _CORRECT):
            if (match := form.fullmatch(clause)) is not None:
                return choices.at(match["mark"])
    marks = set(re.findall(MARK, clause))
    if len(marks) != 1 or not _numbers(clause, asked):
        return None
    if choices.kind == "word" and not _same_numbers(clause, asked):
        return None
    alternative = choices.at(marks.pop())
    words = [word for word in WORD.findall(COMMAND.sub(" ", clause)) if not re.fullmatch(MARK, word)]
    low = {word.lower() for word in words}
    if choices.kind == "word":
        return _property(clause, alternative, before, asked)
    placed = bool(low & _PLACED) and bool(low & _ORDINAL)
    if not asked.knows(words, _ONE | _PLACED if placed else _ONE) or (
        bool(NEGATION.search(clause)) != bool(asked.denies)
    ):
        return None
    if not placed and not (IS.search(clause) or clause.rstrip().endswith(":") or _verb(words, asked)):
        head = before.strip(" .*") if f"{before.strip()}:" in sentence or f"{before}: " in sentence else ""
        if not head or re.fullmatch(rf"\W*{MARK}\W*", clause) is None:
            return None
    if re.fullmatch(rf"\W*{MARK}\W*", clause):  # Limiting reactant: oxygen
        words = WORD.findall(before)
        low = {word.lower() for word in words}
        if f"{before.strip(' .*')}:" not in sentence or re.search(MARK, before) or not asked.knows(words, _ONE):
            return None
    if not placed and _RELATED.search(f" {clause}"):
        return None
    needed = asked.ranks & low if placed else asked.ranks
    if not needed <= low or (placed and not needed):
        return None
    return alternative if asked.ranks or {stem(word) for word in words} & asked.content else None


def _verb(words: list[str], asked: Asking) -> bool:
    """Whether a clause has a verb that the question has: Brandt wins."""
    return any(word.islower() and word.endswith("s") and stem(word) in asked.content for word in words)


def _numbers(clause: str, asked: Asking) -> bool:
    """Whether the question has the numbers of a clause, each as often."""
    return Counter(number.strip(".,") for number in NUMBER.findall(clause)) <= asked.counts


def _same_numbers(clause: str, asked: Asking) -> bool:
    """Whether the numbers of a clause are all those that the question asks about, or none: no part of 2^31 - 1."""
    numbers, signs = asked.figures(clause)
    subject = _NUMBER_IS.match(clause)
    if subject is not None and f" {subject[1]} " in f" {asked.asking} " and _SUBJECT.search(asked.asking) is None:
        return False  # 100 is a square, where the sum of the first 100 odd numbers is asked about
    return (not numbers and not signs) or any((numbers, signs) == one for one in asked.about)


def _property(clause: str, alternative: str, before: str, asked: Asking) -> str | None:
    """What a clause says that something is, where its subject is that of the question: the series diverges."""
    bare = _LEADING.sub("", clause, count=1)
    if re.match(r"\W*(?:which|that|who)\b", bare, re.IGNORECASE) or not asked.knows(
        WORD.findall(re.sub(MARK, " ", COMMAND.sub(" ", bare)))
    ):
        return None
    subject = re.split(MARK, bare, maxsplit=1)[0]
    if not (IS.search(subject) or asked.verbs or alternative in ("conve", "diver")):
        label = re.fullmatch(rf"\W*(?:an? )?{MARK}\W*", clause) and before.rstrip().endswith(("is", "answer", "type"))
        if not label:
            return None
    if re.match(r"\W*(?:it|they|this|these)\b", bare, re.IGNORECASE) and re.search("(?i)compar|like|known", before):
        return None
    things = [word for word in map(str.lower, WORD.findall(subject)) if word in _PRONOUNS or word not in FUNCTION]
    if not any(len(word) > 1 for word in things):
        name = re.fullmatch(r"\W*([A-Za-z](?:\([a-z]\))?)\W+(?:is|are|has)\b.*", subject)
        if name is None or f"{name[1]}".replace(" ", "") not in asked.signs:
            return None
    denied = len(NEGATION.findall(clause))
    if denied > 1 or (denied and not asked.choices.binary):
        return None
    if not denied:
        return alternative
    return next(name for name in asked.choices.names if name != alternative)


def _day(clause: str, before: str, sentence: str, asked: Asking) -> str | None:
    """The day that a clause says it is."""
    apposed = _APPOSED.fullmatch(clause)
    if apposed is not None and _COUNTED_FROM.search(before) and not NEGATION.search(before):
        return asked.choices.at(apposed["mark"])
    match = _DAY.fullmatch(clause) or _SAYS.fullmatch(clause) or _IT_IS.fullmatch(clause)
    if match is None or NEGATION.search(clause) or (_TODAY.search(clause) and not _TODAY.search(asked.asking)):
        return None
    day, head = match["mark"], clause[: match.start("mark")]
    if re.search(MARK, head):
        return None
    last = bool(_LATER.search(head)) and re.search(MARK, sentence[: sentence.find(clause)]) is not None
    words = {stem(word) for word in WORD.findall(head)}
    spelled = {word.lower() for word in _SPELLED.findall(head)}
    counted = not spelled <= set(asked.asked) or not _numbers(clause, asked)
    if counted and not last:
        return None
    led = LEAD.match(clause.strip(" *")) or re.search(r"\b(?:so|thus|hence|therefore)\s*$", before) or last
    about = bool(words & (asked.content - set(map(stem, ["day", "days", "week", "today"]))))
    known = asked.choices.at(day) in {
        asked.choices.at(mark) for mark in re.findall(MARK, asked.choices.marked(asked.asking))
    }
    if not (led or about or match.re is not _DAY) and (
        known or not re.match(r"\W*(?:and )?(?:it|that|this)\b", clause, re.I)
    ):
        return None
    return asked.choices.at(day)


def _none(clause: str, before: str, asked: Asking) -> bool:
    """Whether a clause says that there is no solution of what is asked."""
    match = _NONE.fullmatch(_LEADING.sub("", clause.strip(" .*"), count=1))
    if match is None or not _numbers(clause, asked):
        return False
    words = WORD.findall(
        COMMAND.sub(" ", f"{match['head'] or ''} {match['tail'] or ''} {match['none'] or ''} {match['rest'] or ''}")
    )
    kind = (match["kind"] or "").strip()
    if kind and kind not in ("real", "such", "valid", "possible") and kind not in asked.asked:
        return False
    if re.match(r"\W*(?:for|when|if|in|with|at)\b", before, re.IGNORECASE) and not re.search(
        r"\b(?:any|every|all)\b", before
    ):
        return False
    return asked.knows(words, frozenset(["equation", "real", "original", "whole"]))


def _answered(clause: str, asked: Asking) -> str | None:
    """Yes or no, as a clause says it: by the word, or of what the question asks ("they are not independent")."""
    direct = _DIRECT.fullmatch(clause) or _SAYS.fullmatch(clause) or _CLAIM.fullmatch(clause)
    if direct is not None:
        word = direct[1] if direct.re is _DIRECT else direct["mark"]
        return "yes" if word.lower() in _AFFIRMS else "no"
    if not asked.predicate or not _numbers(clause, asked) or not _same_numbers(clause, asked):
        return None
    words = WORD.findall(COMMAND.sub(" ", _LEADING.sub("", clause, count=1)))
    if words and words[0].lower() in ("which", "who", "where"):
        return None
    turned = [word for word in words if any(opposite(word, one) for one in asked.predicate)]
    rest = [word for word in words if word not in turned]
    if len(turned) > 1 or not asked.knows(rest, frozenset(["no", "cannot"])):
        return None
    low = {stem(word) for word in rest}
    wanted = [one for one in asked.predicate if not any(opposite(word, one) for word in turned)]
    verbal = any(word.endswith("s") for word in turned)
    if not all(stem(one) in low for one in wanted) or not (IS.search(clause) or len(rest) > 1 or verbal):
        return None
    if not {word for word in asked.ranks if word in _EACH or word in asked.predicate} <= {
        word.lower() for word in rest
    }:
        return None
    denied = len(NEGATION.findall(clause)) + len(turned)
    if denied > 1 or "not" in asked.ranks or "no" in asked.asked:
        return None
    return "no" if denied else "yes"
