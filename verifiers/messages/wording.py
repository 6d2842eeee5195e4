"""The words that announce an answer, and where a sentence ends."""

import re
from functools import lru_cache

__all__ = [
    "END_OF_SENTENCE", "SAYS", "announced", "last_place", "place_of", "says_again", "sentence", "sentence_of",
]  # fmt: skip

_ENGLISH = (
    r"\b(?:(?:final|correct|my|our|the|a|so)\s{1,9}){0,5}(?<!expected )(?<!reference )(?<!gold )(?<!model )\banswer\b"
    r"(?:\s\([^()\n]{1,40}\))?(?:\s{1,9}(?:to|of|for)\s[^.:=\n]{0,80}?)?\s{0,9}(?:\*\*)?\s{0,9}"
    r"(?:\bis(?!n['’]t)(?:\s+(?:thus|therefore|then|simply|just|equal to|given by))?|\bare\b|:|=|[-–—](?=\s)|→|⇒|=>"
    r"|would be"
    r"|must be"
    r"|should be|equals|comes? (?:out )?to)\s*:?\s*"
)
_TITLE = r"^[#* \t]*(?:final )?answer[*: \t]*\n+|^answer\s+(?=[$\\])"  # a line of its own
_ABBREVIATED = r"(?:^|(?<=\n)|(?<=[.] ))\**ans(?:\.:?|:|\s?=)\**\s*(?=[-−$\\(\[\d]|[a-z] ?[=∈<>≤≥])"  # Ans. 4.8 m/s^2
_CHOSEN = r"\b(?:correct|right|best) (?:option|choice)(?:\*\*)?\s*(?:is|:)\s*"
_RESULT = r"\b(?:final (?:result|value)|solution set)(?:\*\*)?\s*(?:is|:|=)\s*"
_CHINESE = (
    r"(?:【答案】\s*[:：]?|(?<!假设)(?<!如果)(?<!若)(?:答案|结果)(?:选项)?(?:应该?)?(?:是|为|：|:)|^[ \t*]*答[：:]"
    r"|(?:正确|错误|符合题意)的?选项(?:应该?)?(?:是|为)"
    r"|(?<!不)(?:故|应|所以|因此)?选(?:择)?\s*[:：]?(?=\s*[A-J](?![A-Za-z]))"
    r")\s*"
)
_ROMANCE = (
    r"\b(?:la (?:respuesta|réponse|risposta|resposta)|el resultado|le résultat|il risultato|o resultado)"
    r"(?: final[e]?)? (?:est|es|è|é)(?!\w)\s*:?\s*"
)
_GERMAN = r"\b(?:die (?:antwort|lösung)|das ergebnis)(?: lautet| ist| beträgt|:)\s*:?\s*"
_HEADED = (
    r"\b(?:réponse|respuesta|risposta|resposta|antwort|lösung|ответ|odpowiedź|cevap|jawaban|答え|정답)"
    r"(?: finale?)?(?:\*\*)?\s*[:：—-]\s*"
)
SAYS = re.compile(
    "|".join((_ENGLISH, _CHINESE, _ROMANCE, _GERMAN, _HEADED, _TITLE, _ABBREVIATED, _RESULT, _CHOSEN)), re.I | re.M
)
_MAY_SAY = re.compile(  # in small letters, a word without which `SAYS` finds nothing: most bare answers have none
    r"answer|\bans\b|final|option|choice|答|选|结果|respuesta|réponse|risposta|resposta|antwort|lösung|ergebnis|result"
    r"|résultat|risultato|ответ|odpowiedź|cevap|jawaban|정답|solution set"
)
END_OF_SENTENCE = re.compile(  # what it may start with comes first: the engine looks for that quickly
    r"[.!?。！？\s](?:(?<=[.!?])(?<![0-9A-Z][.].)(?<!\b(?:sq|ft|in|hr|oz|lb|Mr|Ms|Dr|St).)(?<!\bMrs.)(?<!\bi\.e.)"
    r"(?<!\be\.g.)[”\"]?(?=\s+[A-ZÀ-ÖØ-ÞĀÁČĐĘĞİŁŃŐŚŠÜŻŽΑ-ΩА-ЯЁ¿¡\"'*(#\[]|\s*$)|(?<=[。！？\n])"
    r"|(?<=\s)\s*(?=####)"
    r"|(?<=[.!?]\*\*[ ])[ ]*(?=[(])|(?<=[.!?]\$\s)\s*(?=[A-Z])|(?<=[.!?]\\\)\s)\s*(?=[A-Z]))",
    re.MULTILINE,
)
_FORMULAS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_MAX_BEFORE, _MAX_AFTER = 100, 300  # of an announcement: before its word, and behind it
_MAX_SENTENCE = 2000


def announced(text: str) -> list[re.Match[str]]:
    """Where a text says that its answer follows; only the text around the words of `_MAY_SAY` is searched."""
    found: list[re.Match[str]] = []
    start = stop = 0
    small = text.lower() if text.isascii() else "".join(char.lower()[:1] for char in text)  # as long as the text
    for hint in _MAY_SAY.finditer(small):
        if hint.start() - _MAX_BEFORE > stop:
            found += SAYS.finditer(text, start, stop)
            start = hint.start() - _MAX_BEFORE
        stop = hint.end() + _MAX_AFTER
    return [*found, *SAYS.finditer(text, start, stop)] if stop else []


def sentence(text: str, start: int) -> str:
    """The rest of the sentence that is being said at ``start``; a formula may go over several lines."""
    while start < len(text) and text[start] in ' \n*:：}>"#':
        start += 1
    stop = END_OF_SENTENCE.search(text, start, start + _MAX_SENTENCE + 100)
    said = text[start : stop.start() if stop else start + _MAX_SENTENCE + 100].strip()
    for left, right in _FORMULAS:
        if said.startswith(left) and right not in said[len(left) :]:
            close = text.find(right, start + len(left))
            return text[start : close + len(right)] if 0 <= close <= start + _MAX_SENTENCE else said
    said = said.rstrip(" .*")
    return said if len(said) <= _MAX_SENTENCE else ""


def last_place(text: str, shown: str, before: re.Pattern[str], behind: re.Pattern[str]) -> int:
    """Where a string last stands in a text, between what the two patterns allow there; -1 if nowhere.

    A pattern made of the string itself would be compiled for each message, which takes longer than most verdicts.
    """
    place = text.rfind(shown) if shown else -1
    while place >= 0 and not (before.match(text, place) and behind.match(text, place + len(shown))):
        place = text.rfind(shown, 0, place + len(shown) - 1)
    return place


_WORD_BEGINS, _WORD_ENDS = re.compile(r"(?<![A-Za-z])"), re.compile(r"(?![A-Za-z])")
_NUMBER_BEGINS, _NUMBER_ENDS = re.compile(r"(?<![0-9])(?<![0-9][.,])"), re.compile(r"(?![0-9]|[.,][0-9])")
_ANSWERS = frozenset(["Yes", "No", "True", "False"])
_ANSWER_ENDS = re.compile(r"\**(?:[,.!:;]|\s[—–-]\s|\W*$)")
_DRESS = re.compile(r"[\s$*]+")
_SHOWN = re.compile(r"\([A-J]\)|[0-9][0-9.,]*[0-9]|[0-9]")


def place_of(text: str, answer: str) -> tuple[int, int]:
    """Where an answer last stands in a text, whatever the blanks and signs of emphasis; its end if nowhere."""
    start = text.rfind(answer)
    if len(answer) == 1 and answer.isalpha():  # an option's label, no letter of a word
        start = last_place(text, answer, _WORD_BEGINS, _WORD_ENDS)
    elif answer in _ANSWERS:  # no word of a sentence
        start = last_place(text.lower(), answer.lower(), _WORD_BEGINS, _ANSWER_ENDS)
    elif answer[:1].isdigit() and (place := last_place(text, answer, _NUMBER_BEGINS, _NUMBER_ENDS)) >= 0:
        start = place  # 2%, not that of 102%
    if start >= 0:
        return start, start + len(answer)
    nowhere = len(text), len(text)
    signs = _DRESS.sub("", answer)
    if len(signs) < 2:
        return nowhere
    kept = [place for place, sign in enumerate(text) if sign not in "$*" and not sign.isspace()]
    start = "".join(text[place] for place in kept).rfind(signs)
    if start >= 0:
        return kept[start], kept[start + len(signs) - 1] + 1
    if (shown := _SHOWN.search(answer)) is not None:
        start = text.rfind(shown[0])  # another spelling of it
        return (start, start + len(shown[0])) if start >= 0 else nowhere
    return nowhere


def sentence_of(text: str, answer: str) -> str:
    """The sentence that an answer stands in, the last one if nowhere."""
    text = text.strip()
    start, end = place_of(text, answer)
    begin = max((position for position in _ends_of_sentences(text) if position <= start), default=0)
    stop = END_OF_SENTENCE.search(text, end)
    return text[begin : stop.start() if stop is not None else len(text)].strip()


@lru_cache(maxsize=16)
def _ends_of_sentences(text: str) -> tuple[int, ...]:
    """Where the sentences of a text end, but for the last one."""
    return tuple(match.end() for match in END_OF_SENTENCE.finditer(text) if match.end() < len(text))


_NUMBERS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")
_AROUND = " *.!\n"


def says_again(said: str, before: str) -> bool:
    r"""Whether a sentence says the same as the one before it with other numbers, and so answers a second time.

    >>> says_again("It takes 18 minutes.", "It takes 15 minutes.\n\n"), says_again("5 + 3 = 8", "2 + 3 = 5\n")
    (True, False)
    """
    words = _NUMBERS.sub("#", said.strip(_AROUND))
    if "=" in words or "#" not in words or not before.rstrip(_AROUND).endswith(words.rpartition("#")[2]):
        return False
    last = [part for part in END_OF_SENTENCE.split(before[-_MAX_AFTER:]) if part and part.strip(_AROUND)]
    return bool(last) and _NUMBERS.sub("#", last[-1].strip(_AROUND)) == words
