"""The values of several things that a question asks for at once: "How old are the three sisters?".

They stand in the lines of a list ("- Youngest: 16 years"), or in one sentence, each beside the word for what it is the
value of ("a pen costs $1.10 and a notebook costs $2.40"). Where the question names letters for them ("the price p of a
pen"), each value gets the letter of the word beside it. A number of values other than is asked for is no answer.
"""

import re
from functools import lru_cache

from turnwise.verifiers.messages.around.remarks import without_remarks
from turnwise.verifiers.messages.clause import weakened
from turnwise.verifiers.messages.display import flattened
from turnwise.verifiers.messages.prose import plain
from turnwise.verifiers.messages.skeleton import P
from turnwise.verifiers.messages.sought.subject import stem
from turnwise.verifiers.messages.values import mask_values, result_of
from turnwise.verifiers.messages.wording import END_OF_SENTENCE

__all__ = ["values_of_all"]

_MAX_CHARS = 1500
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "both": 2, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6}
_N = rf"({'|'.join(_COUNTS)})"
_SEVERAL = re.compile(
    rf"\bhow (?:old|tall|long|heavy|wide|high|big|large|many years old) are (?:the |these |all )?{_N} (?!of\b)[a-z]+"
    rf"|\bwhat are the {_N} [a-z]+s\b|\b(?:find|determine|give|compute|calculate|state) the {_N} [a-z]+s\b"
    r"|\b(?:what are|find|determine|give|compute|calculate|state) the (?:[a-z]+ )?(?:ages|lengths|sizes|values|prices"
    r"|weights|heights|numbers|measures|speeds|shares|widths|masses|amounts) of (?:the |these |all )?"
    rf"(?:[a-z]+ of (?:the )?)?{_N} [a-z]+",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:sum|total|together|altogether|product|difference|average|mean|median|ratio|[a-z]+est|larger|smaller|older"
    r"|younger|longer|shorter|in all|how much)\b",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"\b[a-z]{3,} \$?([b-hj-z])\$? of (?:an?|the|one|each) ([a-z]{3,})")
_LIST = re.compile(r"(?:^|\n)((?:[ \t]*[-*•+][ \t]+[^\n]{1,80}(?:\n|$)){2,6})\s*$")
_ITEM = re.compile(
    r"[ \t]*[-*•+][ \t]+(?P<label>[A-Za-z][A-Za-z'’ -]{1,40}):(?:[^\n]{0,50}=)?\s*"
    r"(?P<value>\\?[$€£]?[0-9][0-9,]*(?:\.[0-9]+)?(?:\s?[A-Za-z°%²³/]{1,12})?)(?: old)?[.,;]?\s*"
)
_JOINT = re.compile(r",?\s(?:and|while|whereas)\s|[,;]\s")
_WORD = re.compile(r"[A-Za-z]+")
_DRESS = re.compile(r"\*\*|__|`|\$(?=\\?\$?[0-9][0-9.,]*\$)|(?<=[0-9])\$")


@lru_cache(maxsize=256)
def _asked(asking: str) -> tuple[int, tuple[tuple[str, str], ...]]:
    """How many values a question asks for, and the letters for them with the word that each belongs to."""
    lettered = tuple(dict(_LETTERED.findall(asking)).items())
    if len(lettered) > 1:
        return len(lettered), lettered
    several = _SEVERAL.search(asking) if _ONE.search(asking) is None else None
    count = next((group for group in several.groups() if group), "") if several is not None else ""
    return _COUNTS.get(count.lower(), 0), ()


def values_of_all(text: str, asking: str) -> tuple[str, str]:
    r"""The values of all that is asked for, as a list, and the part of a text that gives them; empty where none does.

    >>> values_of_all("So:\n- Youngest: 16 years\n- Oldest: 18 years", "How old are the two sisters?")[0]
    '16 years, 18 years'
    >>> asking = "Find the price p of a pen and the price n of a notebook."
    >>> values_of_all("So a notebook costs $2.40 and a pen costs $1.10.", asking)[0]
    'p = $1.10, n = $2.40'
    """
    count, lettered = _asked(asking)
    if not count:
        return "", ""
    body = without_remarks(flattened(text[-_MAX_CHARS:])).rstrip()
    listed = _LIST.search(_DRESS.sub("", body))
    found = _in_lines(listed[1]) if listed is not None else None
    within = listed[1].strip() if listed is not None else ""
    if found is None:
        parts = [part.strip() for part in END_OF_SENTENCE.split(body) if part and part.strip(" *")]
        within = parts[-1] if parts else ""
        found = _in_sentence(_DRESS.sub("", within))
    if found is None or len(found) != count:
        return "", ""
    if lettered:
        return _by_letters(found, lettered), within
    labels = {" ".join(map(stem, _WORD.findall(label))) for label, _ in found}
    return (", ".join(value for _, value in found), within) if len(labels) == count else ("", "")


def _in_lines(lines: str) -> list[tuple[str, str]] | None:
    """The labels and values of the lines of a list; None where one has no value alone."""
    items = [_ITEM.fullmatch(line) for line in lines.rstrip().split("\n")]
    found = [(item["label"], item["value"]) for item in items if item is not None]
    return found if len(found) == len(items) else None


def _in_sentence(sentence: str) -> list[tuple[str, str]] | None:
    """The words and values of the clauses of a sentence that each give one; None for any other sentence."""
    if len(sentence) > 300 or not plain(sentence):
        return None
    masked = mask_values(sentence)
    if masked is None or masked.results or weakened(masked.words):
        return None
    found = []
    for clause in _JOINT.split(masked.words):
        places = re.findall(P, clause)
        if len(places) != 1 or "=" in masked.at(places[0]):
            return None
        found.append((re.sub(P, " ", clause), result_of(masked.at(places[0]))))
    return found


def _by_letters(found: list[tuple[str, str]], lettered: tuple[tuple[str, str], ...]) -> str:
    """The equations of letters and the values beside their words; empty where one has none or several."""
    said = []
    for letter, word in lettered:
        values = [value for label, value in found if stem(word) in map(stem, _WORD.findall(label))]
        if len(values) != 1:
            return ""
        said.append(f"{letter} = {values[0]}")
    return ", ".join(said)
