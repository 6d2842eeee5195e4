"""What a question says, as the clauses of a message are compared with it: whether they say no more than it does."""

import itertools
import re
from collections import Counter

from turnwise.verifiers.messages.sought.choices import MARK, Choices, tidied
from turnwise.verifiers.messages.sought.subject import stem
from turnwise.verifiers.messages.wording import END_OF_SENTENCE, last_place

__all__ = ["CALL", "COMMAND", "FUNCTION", "IS", "NEGATION", "NUMBER", "WORD", "Asking", "sentences"]

_MAX_CHARS = 2500
WORD = re.compile(rf"[A-Za-z]+(?:['’-][A-Za-z]+)*|{MARK}")
NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
COMMAND = re.compile(r"\\[A-Za-z]+")
NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|none|cannot|nothing|fails?)\b|n['’]t\b", re.IGNORECASE)
FUNCTION = frozenset([  # words that say nothing beside those of a question
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "it's", "that's", "they", "they're", "he",
    "she", "there's", "we", "our", "us", "you", "is", "are", "was", "were", "be", "been", "being", "isn't", "aren't",
    "wasn't", "weren't", "doesn't", "don't", "didn't", "does", "do", "did", "has", "have", "had", "will", "must",
    "can", "so", "thus", "hence", "therefore", "then", "and", "indeed", "also", "clearly", "overall", "altogether",
    "finally", "now", "see", "conclude", "find", "get", "know", "means", "shows", "follows", "concluding",
    "conclusion", "answer", "final", "given", "original", "as", "of", "in", "at", "to", "for", "by", "on", "not",
    "no", "fact", "exactly", "precisely", "well", "consequently", "accordingly", "turns", "out", "already", "itself",
    "themselves",
])  # fmt: skip
_RANK = re.compile(
    r"(?:first|second|third|fourth|fifth|sixth|last|next|most|least|best|worst|more|less|fewer|all|every|each|always|some"
    r"|sometimes|any|only|half|before|after|without|middle|other|than|same|never|not"
    r"|(?!interest|test|rest|west|guest|invest|request|forest|contest)[a-z]{2,}(?:est|(?<!numb)(?<!wheth)(?<!ord)(?<!lett)er))"
)
_GENERIC = frozenset(map(stem, [
    "number", "numbers", "integer", "function", "set", "matrix", "vector", "vectors", "value", "values", "point",
    "system", "following", "statement", "statements", "equation", "of", "which", "who", "what", "one", "person",
    "shop", "team", "plan", "year", "true", "false", "yes", "no", "answer", "is", "it", "that", "or", "neither",
    "time", "correct", "there", "determine", "state", "evaluate", "find", "whether", "decide", "tell",
]))  # fmt: skip
_CONDITION = re.compile(r"(?<=[a-z])[,\s]\s?(?:if|when|given|where|assuming)\b.*", re.IGNORECASE | re.DOTALL)
IS = re.compile(
    r"\b(?:mak(?:es|ing)|is|are|was|were|be|has|have|had|remains?|becomes?)\b|['’]s\b|['’]re\b|n['’]t\b|:\s*$",
    re.IGNORECASE,
)
_FORMULAS = re.compile(
    r"[\[(]\s?-?[0-9.]+,-?[0-9.]+\s?[\])]|(?<![A-Za-z\\])[A-Za-z](?:\([a-z]\))?[=<>≤≥][^\s,;.]+"
    r"|(?<![A-Za-z\\])[A-Za-z]['′’]+(?![a-z])"
)
_EQUATION = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?:\([a-z]\))?=[^\s,;.]+")
_INTERVAL = re.compile(r"[\[(]-?[0-9.]+,-?[0-9.]+[\])]")
_COUNTED = re.compile(r"\b([0-9]+) ([a-z]{3,})")
_AS_WRITTEN = re.compile(r"[A-Za-z]-(?=[A-Za-z])")  # a hyphen
_OPERATOR = re.compile(r"[-+*/^·]")
_BEGINS, _ENDS = re.compile(r"(?<![\w+*/^)-])"), re.compile(r"(?![\w+*/^-])")
_BLANKS = re.compile(r"\s*([-=<>≤≥+*/^,])\s*")
_CIRCUMSTANCE = re.compile(
    r"\W*(?:at|for|when|if|in|on|with|without|after|before|except|apart|aside|under|over|between|during|within|outside"
    r"|along|near|restricted|relative|modulo|seen|viewed|besides|beyond|among|from|until|next)\b(?: for| from)?",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"\W*(?:without|except|apart|aside|besides|beyond|after|before|next)\b", re.IGNORECASE)
_AT_PRICE = re.compile(
    r"(?:at|with) (?:(?:his|her|its|their|only|just) )*(?:[$€£] ?)?[0-9.,]+(?: ?(?:km/h|m/s|cents|euros|dollars)| an?"
    r" [a-z]+| per [a-z]+)?|in (?:fact|total|short|conclusion|other words|this case)|on the whole|with (?:this|that)",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"(?:^|[,.:?!;]\s+|\n)\W*(?:then )?(?P<verb>is|are|was|were|does|do|did|can|will|has|have|must)\b(?P<rest>.*)"
    r"|\bwhether\b(?P<whether>.*)|\btrue or false\b:?(?P<claim>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ENGLISH = re.compile(r"\b(?:is|are|was|were|does|do|did|can|will|has|have|which|who)\b", re.IGNORECASE)
_AT_NUMBER = re.compile(r"\b(?:for|at|in|on|over|under|to)\b[^?]*[0-9][^?]*$", re.IGNORECASE)
_ASIDE = re.compile(r"\W*(?:answer|state|reply|write)\b.*|\([^()]*\byes\b[^()]*\)", re.IGNORECASE | re.DOTALL)
CALL = re.compile(r"\b([A-Za-z]['′’]*)\([a-z]\)")


class Asking:
    """What a question says, as clauses are compared with it."""

    def __init__(self, question: str, asking: str, choices: Choices) -> None:
        self.choices = choices
        if not asking:  # Is 221 prime? No word of it shows the language.
            parts = sentences(question[-_MAX_CHARS:]) if _ENGLISH.search(question) else []
            asking = next((part for part in reversed(parts) if part.endswith("?")), parts[-1] if parts else "")
        question, asking = tidied(question), tidied(asking)
        asking = asking[: match.start()] if (match := _CONDITION.search(asking)) is not None else asking
        asking = asking.partition(": ")[0] if choices.kind == "name" else asking
        self.asking = asking
        marked = choices.marked(asking)
        self.words = {stem(word) for word in WORD.findall(COMMAND.sub(" ", question))}
        self.words |= {part for word in WORD.findall(question) for part in map(stem, word.split("-"))}
        self.asked = [word.lower() for word in WORD.findall(COMMAND.sub(" ", marked))]
        self.counts = Counter(number.strip(".,") for number in NUMBER.findall(question))
        self.numbers = set(self.counts)
        names = {stem(part) for name in choices.names for part in name.split(" ")}
        self.ranks = {word for word in self.asked if _RANK.fullmatch(word)}
        plain = {stem(word) for word in self.asked if word not in FUNCTION and len(word) > 1}
        self.content = plain - _GENERIC - (names if choices.kind == "name" else set())
        self.denies = NEGATION.search(asking) is not None or re.search(r"\b(?:incorrect|false|except)\b", asking, re.I)
        self.predicate = _predicate(asking) if choices.kind == "answer" else []
        signs = _BLANKS.sub(r"\1", question)
        self.signs = signs + " " + CALL.sub(r"\1", signs)
        self.verbs = re.search(r"\b(?:does|do|did|will)\b[^?]*\bor\b", asking, re.IGNORECASE) is not None
        self.pairs = set(_COUNTED.findall(asking))
        every = NUMBER.findall(asking), Counter(_OPERATOR.findall(_AS_WRITTEN.sub("", asking)))
        self.about = (every, self.figures(asking, counted=False))
        self.value = re.match(r"\W*(?:evaluate|compute|calculate|find|solve)\b", asking, re.IGNORECASE) is not None
        self.letters = set(re.findall(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", question))

    def holds(self, text: str) -> bool:
        """Whether the intervals, equations and derivatives of a text stand in the question as well."""
        found = (match[0] for match in _FORMULAS.finditer(_BLANKS.sub(r"\1", text)))
        return all(
            one in self.signs if one[0] in "[(" else last_place(self.signs, one, _BEGINS, _ENDS) >= 0 for one in found
        )

    def figures(self, text: str, counted: bool = True) -> tuple[list[str], Counter[str]]:
        """The numbers, in their order, and the operators of a text, without equations and the interval of the question.

        Args:
            text: A clause, or the sentence that asks.
            counted: Whether numbers of things ("7 rolls") that the question has as well are left out.
        """
        bare = _EQUATION.sub("", _BLANKS.sub(r"\1", text))
        if self.choices.kind == "word":
            bare = _INTERVAL.sub(lambda match: "" if match[0] in self.signs else match[0], bare)
        if counted:
            bare = _COUNTED.sub(lambda match: match[2] if match.groups() in self.pairs else match[0], bare)
        numbers = [number.strip(".,") for number in NUMBER.findall(bare)]
        return numbers, Counter(_OPERATOR.findall(_AS_WRITTEN.sub("", bare)))

    def narrowed(self, before: str) -> bool:
        """Whether a clause says under which circumstances the next one holds, other than the question does."""
        if _CIRCUMSTANCE.match(before) is None or _AT_PRICE.fullmatch(before.strip()) or self.choices.kind == "day":
            return False
        if IS.search(before) and not re.match(r"\W*(?:if|when|for)\b", before, re.IGNORECASE):
            return False
        known = self.knows(WORD.findall(COMMAND.sub(" ", _CIRCUMSTANCE.sub("", before, count=1))))
        known = known and self.numbers.issuperset(NUMBER.findall(before))
        return not (known and self.holds(before) and _WITHOUT.match(before) is None)

    def knows(self, words: list[str], extra: frozenset[str] = frozenset()) -> bool:
        """Whether some words say no more than the question does."""
        for word in words:
            low = word.lower()
            if (
                low in extra
                or (low == "which" and "makes" in extra)
                or low in FUNCTION
                or (len(low) == 1 and (word.islower() or word in "AI"))
            ):
                continue
            if stem(word) not in self.words and stem(low) not in self.words:
                return False
            if _RANK.fullmatch(low) and low not in self.asked:
                return False
        return True


def _predicate(asking: str) -> list[str]:
    """The words of a question for yes or no that say what is asked of its subject."""
    match = _AUXILIARY.search(asking)
    if match is None:
        return []
    rest = _ASIDE.sub("", re.split(r"[?]", match["rest"] or match["whether"] or match["claim"] or "")[0])
    rest = _AT_NUMBER.sub("", rest)
    tail = re.split(r"[0-9(){}\[\]=^+*/\\]", rest)[-1]
    tail = re.split(r"\ban? ", tail)[-1]
    words = [word for word in WORD.findall(tail) if word.lower() not in FUNCTION and len(word) > 2]
    if not words:
        words = [word for word in WORD.findall(rest) if word.lower() not in FUNCTION and len(word) > 1][-2:]
    kept = [word for word in words if stem(word) not in _GENERIC]
    return kept[-3:]


def sentences(text: str) -> list[str]:
    """The sentences of a text with their marks at the end."""
    ends = [0, *(match.end() for match in END_OF_SENTENCE.finditer(text)), len(text)]
    return [part for a, b in itertools.pairwise(ends) if (part := text[a:b].strip()).strip(" *.")]
