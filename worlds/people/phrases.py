"""The phrases of a lexicon by their first words, and where they stand among the words of a text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ["TOKEN", "Found", "Starts", "found_in", "indexed", "tokens_of"]

TOKEN: Final = re.compile(r"[a-z0-9']+|#")
_BEFORE: Final = frozenset({"and", "or", "know", "me", "us", "say", "until", "from", "to", "is", "ask"})
_SUBJECTS: Final = frozenset(
    {
        "you",
        "i",
        "we",
        "it",
        "he",
        "she",
        "they",
        "the",
        "your",
        "something",
        "somebody",
        "someone",
        "anything",
        "there",
    }
)
_PEOPLE: Final = frozenset(
    {"child", "person", "one", "patient", "passenger", "somebody", "someone", "anyone", "doctor"}
)
_GAP: Final = ".."  # in a phrase: up to four words
_WORDS: Final = re.compile(r"\.\.|[a-z0-9']+|#")
_JOINS: Final = frozenset({"and", "or"})
_WHOSE: Final = ("your", "our", "the", "these", "those")


class Found(NamedTuple):
    """A phrase of the lexicon at a place among the words.

    Attributes:
        name: What it names.
        start: Its first word.
        stop: The word after its last.
        level: How plainly it names an action: a verb with its object 3, a phrase of its own 2, a noun made of a verb 1,
            a verb that may mean other actions as well 0.
        aside: Whether it may as well be what another action brings with it, such as a payment.
    """

    name: str
    start: int
    stop: int
    level: int = 2
    aside: bool = False


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return TOKEN.findall(text)


class Starts:
    """The phrases that begin with a word, and which of them may follow from the next word."""

    def __init__(self, entries: Sequence[tuple[tuple[str, ...], str]]) -> None:
        ordered = sorted(entries, key=lambda entry: -len(entry[0]) + 1.5 * (_GAP in entry[0]))
        self._any: list[_Entry] = []  # whatever the next word
        self._joined: list[_Entry] = []  # "order and card numbers"
        self._by_second: dict[str, list[_Entry]] = {}
        for rank, (words, name) in enumerate(ordered):
            entry = _Entry(rank, words, name, _GAP in words)
            if len(words) == 1 or entry.gapped:
                self._any.append(entry)
            else:
                self._by_second.setdefault(words[1], []).append(entry)
                if len(words) == 2:
                    self._joined.append(entry)

    def before(self, word: str) -> Sequence["_Entry"]:
        """Those that may be meant before a word, the longest first."""
        found = self._by_second.get(word, ())
        if word[-1:] == "s":
            others = [self._by_second.get(form, ()) for form in _singulars(word)]
            found = [*found, *(entry for entries in others for entry in entries)]
        if word in _JOINS:
            found = [*found, *self._joined]
        if not found:
            return self._any
        return sorted({*self._any, *found}) if self._any or len(found) > 1 else found


class _Entry(NamedTuple):
    """A phrase; those with the lower rank come first."""

    rank: int
    words: tuple[str, ...]
    name: str
    gapped: bool


def indexed(names: Mapping[str, tuple[str, ...]], turned: bool) -> dict[str, Starts]:
    """The phrases of each name by their first words; ``turned`` adds "number of the order" to "order number"."""
    index: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, phrases in names.items():
        for phrase in phrases:
            words = tuple(word if word == _GAP else tokens_of(word)[0] for word in _WORDS.findall(phrase.lower()))
            forms = {words} if words else set()
            if turned and len(words) == 2 and words[1] in ("number", "id", "code", "name", "date", "address"):
                forms |= {(words[1], link, article, words[0]) for link in ("of", "for") for article in ("the", "your")}
                forms |= {(words[0] + "'s", words[1])}
                if words[1] == "number":
                    forms |= {(words[0], short) for short in ("no", "num", "#")}
            if len(words) > 1 and words[0] == "which" and words[1] not in ("one", "of"):
                forms |= {("what", *words[1:])}
                forms |= {("which", "of", whose, *words[1:]) for whose in _WHOSE} if len(words) == 2 else set()
            for form in forms:
                index.setdefault(form[0], []).append((form, name))
    for first, found in list(index.items()):
        index.setdefault(first + "s", []).extend(found)
    return {first: Starts(found) for first, found in index.items()}


def found_in(words: Sequence[str], index: Mapping[str, Starts]) -> Iterator[Found]:
    """What the words name, the longest phrase at each place."""
    place, count, get = 0, len(words), index.get
    named = 0  # where the last phrase ended
    while place < count:
        word = words[place]
        starts = get(word)
        if starts is None:
            starts = get(word[:-2]) if word[-2:] == "'s" else None
        step = 1
        if starts is not None:
            for _, phrase, name, gapped in starts.before(words[place + 1] if place + 1 < count else ""):
                stop = place + 1 if len(phrase) == 1 else _phrase_end(words, place, phrase, gapped)
                if stop and gapped and _holds_other(words, place, stop, phrase[1] == _GAP, name, index):
                    continue  # "which postcode do your bills go to?"
                if stop:
                    relative = place == named and place > 0 and word == "where"  # "the postcode where you live"
                    if ((len(phrase) > 1 and word != "who") and not relative) or not _links(words, place):
                        yield Found(name, place, stop)
                        named = stop
                    step = max(1, (stop if gapped else min(stop, place + len(phrase))) - place)
                    break
        place += step


def _holds_other(
    words: Sequence[str], place: int, stop: int, at_once: bool, name: str, index: Mapping[str, Starts]
) -> bool:
    """Whether something else is named behind the first word, or behind an "and": "name and account number"."""
    then = next((k + 1 for k in range(place, stop - 1) if words[k] == "and" and words[k - 1] != "first"), 0)
    return (at_once and _is_other(words, place + 1, name, index)) or (then > 0 and _is_other(words, then, name, index))


def _is_other(words: Sequence[str], place: int, name: str, index: Mapping[str, Starts]) -> bool:
    """Whether a word names something else by itself."""
    starts = index.get(words[place])
    return starts is not None and any(
        entry.name != name and not entry.gapped and _phrase_end(words, place, entry.words, False) > 0
        for entry in starts.before(words[place + 1] if place + 1 < len(words) else "")
    )


def _links(words: Sequence[str], place: int) -> bool:
    """Whether a question word joins clauses instead of asking: "the address you used when you signed up"."""
    if words[place] == "who":
        return words[place - 1 : place] != [] and words[place - 1] in _PEOPLE  # "the child who needs the appointment"
    return (
        words[place] in ("when", "where")
        and place > 0
        and words[place - 1] not in _BEFORE
        and words[place + 1 : place + 2] != []
        and words[place + 1] in _SUBJECTS
    )


def _phrase_end(words: Sequence[str], place: int, phrase: tuple[str, ...], gapped: bool) -> int:
    """Where a phrase that starts here ends, 0 if it does not; "order and card numbers" holds "order number"."""
    if gapped:
        return _gapped(words, place, phrase)
    stop = place + len(phrase)
    if stop <= len(words):
        for k in range(1, len(phrase)):
            if not _same(words[place + k], phrase[k]):
                break
        else:
            return stop
    if len(phrase) == 2 and stop + 2 <= len(words) and words[place + 1] in _JOINS and _same(words[stop + 1], phrase[1]):
        return stop + 2
    return 0


def _gapped(words: Sequence[str], place: int, phrase: tuple[str, ...]) -> int:
    """Where a phrase with a gap ends: "where .. flying" in "where will you be flying"."""
    at, gap, count = place, 0, len(words)
    for wanted in phrase:
        if wanted == _GAP:
            gap = 4
            continue
        stop = at + gap + 1
        if stop > count:
            stop = count
        while at < stop:
            word = words[at]
            if word == wanted or (word[-1:] == "s" and wanted in _singulars(word)):
                break
            at += 1
        else:
            return 0
        at, gap = at + 1, 0
    return at


def _same(word: str, wanted: str) -> bool:
    return word == wanted or (word[-1:] == "s" and wanted in _singulars(word))


def _singulars(word: str) -> tuple[str, ...]:
    """What a word that ends in s may be a form of: "customer's", "orders", "boxes"."""
    if word[-2:] == "'s":
        return word[:-2], word[:-1]
    return (word[:-1], word[:-2]) if word[-2:] == "es" else (word[:-1],)
