"""The phrases of a lexicon, found in the words of a sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from turnwise.worlds.people.part import Lexicon

__all__ = ["Found", "Vocabulary", "tokens_of", "vocabulary_of"]

_TOKEN: Final = re.compile(r"[a-z0-9']+|#")
_IRREGULAR: Final = {
    "send": ("sent",),
    "take": ("took", "taken"),
    "make": ("made",),
    "hold": ("held",),
    "pay": ("paid",),
    "buy": ("bought",),
    "give": ("gave", "given"),
    "get": ("got", "gotten"),
    "lend": ("lent",),
    "lose": ("lost",),
    "find": ("found",),
    "withdraw": ("withdrew", "withdrawn"),
    "bring": ("brought",),
    "tell": ("told",),
    "leave": ("left",),
    "freeze": ("froze", "frozen"),
    "rebook": ("rebooked",),
    "put": ("put",),
    "set": ("set",),
}
_JOINS: Final = frozenset({"and", "or"})
_ARTICLES: Final = frozenset({"a", "an", "the", "your"})
_WHOSE: Final = ("your", "our", "the", "these", "those")
_CHANGES: Final = frozenset({"change", "changes", "updates"})
_DETERMINERS: Final = frozenset(
    {"make", "making", "made", "these", "those", "any", "the", "that", "further", "no", "such"}
)
_MOST_WORDS: Final = 20_000  # remembered; beyond that the memory starts over


class Found(NamedTuple):
    """A phrase of the lexicon at a place among the words: its name, first word, and the word after its last."""

    name: str
    start: int
    stop: int


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _TOKEN.findall(text)


class Vocabulary:
    """The lexicon's phrases, indexed by their first words."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._slots = _phrases(lexicon.slots, turned=True)
        self._steps = _phrases(lexicon.steps, turned=False)
        self._actions = [
            (name, _roots(words[0]), tuple(word for word in words[1:] if word not in _ARTICLES))
            for name, stems in lexicon.actions.items()
            for words in (tokens_of(stem.lower()) for stem in stems)
            if words
        ]
        self._known: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {}

    def slots(self, words: Sequence[str]) -> list[Found]:
        """The slots that the words name, the longest phrase at each place."""
        return list(_at(words, self._slots))

    def steps(self, words: Sequence[str]) -> list[Found]:
        """The steps that the words name."""
        return list(_at(words, self._steps))

    def actions(self, words: Sequence[str]) -> list[Found]:
        """The actions that the words name, in any form of the verb."""
        found = []
        known = self._known
        for place, word in enumerate(words):
            heads = known.get(word)
            if heads is None:
                heads = self._learn(word)
            if (
                heads
                and word in _CHANGES
                and (words[place - 1] in _DETERMINERS or words[place + 1 : place + 2] in (["anything"], ["something"]))
            ):
                continue  # "if you want to make changes"
            for name, rest in heads:
                stop = _follows(words, place + 1, rest, 4) if rest else place + 1
                if not stop and len(rest[-1]) > 3 and _precedes(words, place, rest[-1]):
                    stop = place + 1  # "the hold has been placed"
                if stop:
                    found.append(Found(name, place, stop))
        return found

    def _learn(self, word: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if len(self._known) > _MOST_WORDS:
            self._known.clear()
        found = tuple(dict.fromkeys((name, rest) for name, roots, rest in self._actions if _is_form(word, roots)))
        if len(word) <= 40:
            self._known[word] = found
        return found


def _roots(stem: str) -> tuple[str, ...]:
    """A verb's stem as its forms begin, then its irregular forms."""
    root = stem[:-1] if len(stem) > 3 and stem[-1] in "ey" else stem
    return (root, *_IRREGULAR.get(stem, ()))


_ENDINGS: Final = re.compile(
    r"(?:[bdglmnprt])?(?:|e|s|es|y|ed|ied|ies|ing|ying|al|als|er|ers|ation|ations|lation|lations|ment|ments|tion|"
    r"tions|ion|ions|able|sal|ication|ications|ge|ure)"
)


def _is_form(word: str, roots: tuple[str, ...]) -> bool:
    root = roots[0]
    return (word.startswith(root) and _ENDINGS.fullmatch(word, len(root)) is not None) or word in roots[1:]


def _phrases(names: Mapping[str, tuple[str, ...]], turned: bool) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    index: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, phrases in names.items():
        for phrase in phrases:
            words = tuple(tokens_of(phrase.lower()))
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
    for found in index.values():
        found.sort(key=lambda entry: -len(entry[0]))
    return index


def _at(words: Sequence[str], index: Mapping[str, list[tuple[tuple[str, ...], str]]]) -> Iterator[Found]:
    if not index:
        return
    place, count, get = 0, len(words), index.get
    while place < count:
        entries = get(words[place])
        step = 1
        if entries:
            for phrase, name in entries:
                stop = place + 1 if len(phrase) == 1 else _phrase_end(words, place, phrase)
                if stop:
                    yield Found(name, place, stop)
                    step = max(1, min(stop, place + len(phrase)) - place)
                    break
        place += step


def _phrase_end(words: Sequence[str], place: int, phrase: tuple[str, ...]) -> int:
    """Where a phrase that starts here ends, 0 if it does not; "order and card numbers" holds "order number"."""
    stop = place + len(phrase)
    if stop <= len(words) and all(_same(words[place + k], phrase[k]) for k in range(1, len(phrase))):
        return stop
    if len(phrase) == 2 and stop + 2 <= len(words) and words[place + 1] in _JOINS and _same(words[stop + 1], phrase[1]):
        return stop + 2
    return 0


def _same(word: str, wanted: str) -> bool:
    return word == wanted or (word[-1:] == "s" and wanted in (word[:-1], word[:-2] if word[-2:] == "es" else ""))


def _follows(words: Sequence[str], place: int, rest: tuple[str, ...], gap: int) -> int:
    """Where the rest of a separable verb ends if it follows with few words between, else 0."""
    for wanted in rest:
        for ahead in range(place, min(place + gap, len(words))):
            if _same(words[ahead], wanted):
                place = ahead + 1
                break
        else:
            return 0
    return place


def _precedes(words: Sequence[str], place: int, wanted: str) -> bool:
    """Whether a verb's object stands before it, as in the passive, within a few words."""
    return any(_same(word, wanted) for word in words[max(0, place - 7) : place])


_VOCABULARIES: dict[int, tuple[Lexicon, Vocabulary]] = {}


def vocabulary_of(lexicon: Lexicon) -> Vocabulary:
    """The vocabulary of a lexicon, made once for the same object."""
    held = _VOCABULARIES.get(id(lexicon))
    if held is not None and held[0] is lexicon:
        return held[1]
    for known, made in _VOCABULARIES.values():
        if known == lexicon:
            return made
    if len(_VOCABULARIES) >= 64:
        _VOCABULARIES.clear()
    made = Vocabulary(lexicon)
    _VOCABULARIES[id(lexicon)] = (lexicon, made)
    return made
