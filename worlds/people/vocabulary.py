"""The phrases of a lexicon, found in the words of a sentence."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.gates import Gates
from turnwise.worlds.people.memory import Memory
from turnwise.worlds.people.part import Lexicon

__all__ = ["TOKEN", "Found", "Vocabulary", "tokens_of", "vocabulary_of"]

TOKEN: Final = re.compile(r"[a-z0-9']+|#")
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
_NOUN: Final = re.compile(r"(?:ing|ings|als?|ments?|ions?|ures?|ers?)$")
_FEES: Final = frozenset(
    {"fee", "fees", "of", "number", "date", "reference"}
)  # after a verb's form they make it a noun
_BEFORE: Final = frozenset({"and", "or", "know", "me", "us", "say", "until", "from", "to", "is", "ask"})
_SUBJECTS: Final = frozenset({"you", "i", "we", "it", "he", "she", "they", "the", "your"})
_GAP: Final = ".."  # in a phrase: up to four words
_WORDS: Final = re.compile(r"\.\.|[a-z0-9']+|#")
_BE: Final = frozenset({"be", "been", "being", "is", "are", "get", "now"})
_POINTS: Final = frozenset({"the", "your", "this", "these", "a", "an", "my", "our"})
_JOINS: Final = frozenset({"and", "or"})
_ARTICLES: Final = frozenset({"a", "an", "the", "your"})
_WHOSE: Final = ("your", "our", "the", "these", "those")
_CHANGES: Final = frozenset({"change", "changes", "updates"})
_DETERMINERS: Final = frozenset(
    {"make", "making", "made", "these", "those", "any", "the", "that", "this", "further", "no", "such", "other"}
)
_START: Final = 2
_MOST_WORDS: Final = 20_000  # remembered; beyond that the memory starts over


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


class _Verb(NamedTuple):
    """An entry of `Lexicon.actions`."""

    name: str
    heads: tuple[tuple[str, ...], ...]  # the roots and irregular forms of its first word; of "=word" only the word
    rest: tuple[frozenset[str], ...]
    objects: frozenset[str]
    aside: bool
    unless: frozenset[str]  # words beside which it means something else


def tokens_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return TOKEN.findall(text)


class Vocabulary:
    """The lexicon's phrases, indexed by their first words."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.lines: Memory[Any] = Memory()  # clauses of what was split before
        self.messages: Memory[tuple[Act, ...]] = Memory()
        self._slots = _phrases(lexicon.slots, turned=True)
        self._steps = _phrases(lexicon.steps, turned=False)
        verbs = [_verb(name, entry) for name, entries in lexicon.actions.items() for entry in entries]
        self._verbs: dict[str, list[_Verb]] = {}  # by the first letters of their forms
        for verb in verbs:
            for start in {form[:_START] for roots in verb.heads for form in roots if form}:
                self._verbs.setdefault(start, []).append(verb)
        self._known: dict[str, tuple[_Verb, ...]] = {}
        self._objects: dict[str, tuple[str, ...]] = {}
        for verb in verbs:
            for word in () if verb.aside else verb.objects:
                self._objects[word] = tuple(dict.fromkeys((*self._objects.get(word, ()), verb.name)))
        self.values = {slot: re.compile(rf"\b(?:{pattern})") for slot, pattern in lexicon.values.items()}
        self._gates = Gates()
        self._results = {name: self._gates.pattern(rf"\b(?:{pattern})") for name, pattern in lexicon.results.items()}
        self._kinds = {
            form: slot for slot, nouns in lexicon.kinds.items() for noun in nouns for form in (noun, _plural(noun))
        }
        self._plurals = {_plural(noun) for nouns in lexicon.kinds.values() for noun in nouns}

    def __reduce__(self) -> tuple[Callable[[Lexicon], "Vocabulary"], tuple[Lexicon]]:
        return vocabulary_of, (self.lexicon,)  # without what was learnt and remembered

    def slots(self, words: Sequence[str]) -> list[Found]:
        """The slots that the words name, the longest phrase at each place."""
        return list(_at(words, self._slots))

    def steps(self, words: Sequence[str]) -> list[Found]:
        """The steps that the words name."""
        return list(_at(words, self._steps))

    def kinds(self, words: Sequence[str], several: bool = False) -> list[Found]:
        """The slots of the things that the words speak of: "your bookings"; ``several`` leaves out the singular."""
        get = self._kinds.get
        return [
            Found(slot, place, place + 1)
            for place, word in enumerate(words)
            if (slot := get(word)) is not None and (not several or word in self._plurals)
        ]

    def results(self, text: str) -> Iterator[tuple[str, re.Match[str]]]:
        """The actions whose outcome a text tells, and where."""
        if self._gates.may_match(text):
            for name, pattern in self._results.items():
                if (match := pattern.search(text)) is not None:
                    yield name, match

    def objects(self, words: Sequence[str]) -> list[Found]:
        """The actions whose objects the words name."""
        get = self._objects.get
        return [Found(name, place, place + 1, 0) for place, word in enumerate(words) for name in get(word, ())]

    def actions(self, words: Sequence[str]) -> list[Found]:
        """The actions that the words name, in any form of the verb; of a verb's readings the plainest."""
        found: list[Found] = []
        get = self._known.get
        for place, word in enumerate(words):
            verbs = get(word)
            if verbs is None:
                verbs = self._learn(word)
            if not verbs or _is_general(words, place):
                continue
            read = [reading for verb in verbs if (reading := _reading(verb, words, place)) is not None]
            if read:
                best = max(rank for rank, _ in read)
                sure = max((rank for rank, named in read if not named.aside), default=0.0)
                found += [named for rank, named in read if rank in (best, sure) or (rank >= 2 and best < 3)]
        return found

    def _learn(self, word: str) -> tuple[_Verb, ...]:
        if len(self._known) > _MOST_WORDS:
            self._known.clear()
        alike = self._verbs.get(word[:_START], ())
        found = tuple(verb for verb in alike if any(_is_form(word, roots) for roots in verb.heads))
        if len(word) <= 40:
            self._known[word] = found
        return found


def _verb(name: str, entry: str) -> _Verb:
    """Read an entry: "change|move: flight|date", "put you on", "~charge", "=book|booked", "issue: gift !refund"."""
    entry, _, unless = entry.partition(" !")
    aside = entry.startswith("~")
    head, _, objects = entry.lower().removeprefix("~").partition(":")
    exact = head.startswith("=")
    first, *rest = [word for word in head.removeprefix("=").split() if word not in _ARTICLES] or [""]
    heads = tuple(("", word) if exact else _roots(word) for word in first.split("|"))
    return _Verb(
        name,
        heads,
        tuple(_forms(word) for word in rest),
        _forms(objects.strip()) if objects else frozenset(),
        aside,
        _forms(unless) if unless else frozenset(),
    )


def _distance(thing: int, place: int, passive: bool) -> float:
    """How far an object is from its verb; of a passive's subject the first noun is the closest."""
    if passive:
        return 0.1 * thing + 0.1 if thing < place else thing - place + 3.0
    return thing - place if thing > place else place - thing + 1.5


def _forms(words: str) -> frozenset[str]:
    """Words with bars between, and their plurals."""
    return frozenset(form for word in words.split("|") for form in (word, _plural(word)))


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun + "s"


def _is_general(words: Sequence[str], place: int) -> bool:
    """Whether a verb's form stands for no certain action: "to make changes", "the change fee"."""
    if words[place + 1 : place + 2] and words[place + 1] in _FEES and not words[place].endswith("ed"):
        return True
    return words[place] in _CHANGES and (
        (place > 0 and words[place - 1] in _DETERMINERS)
        or words[place + 1 : place + 2] in (["anything"], ["something"])
    )


def _reading(verb: _Verb, words: Sequence[str], place: int) -> tuple[float, Found] | None:
    """How plainly a verb at a place names its action; None if the words that it needs are missing."""
    if verb.unless and not verb.unless.isdisjoint(words[: place + 4]):
        return None
    stop = place + 1
    if verb.rest:
        stop = _follows(words, stop, verb.rest, 4)
        if not stop and len(verb.rest) == 1 and _precedes(words, place, verb.rest[-1]):
            stop = place + 1  # "the hold has been placed"
        if not stop:
            return None
    noun = not verb.rest and verb.heads[0][0] != "" and place > 2 and _NOUN.search(words[place]) is not None
    passive = place > 0 and words[place - 1] in _BE
    if not verb.objects:
        level = 1 if noun else 2
        return level + len(verb.rest) / 10, Found(verb.name, place, stop, level, verb.aside)
    away = min(
        (_distance(k, place, passive) for k in range(max(0, place - 8), min(len(words), place + 10))
         if k != place and words[k] in verb.objects), default=0.0,
    )  # fmt: skip
    if away:
        level = 1 if noun else 3
        return level + 0.9 - away / 20, Found(verb.name, place, stop, level, verb.aside)
    if "*" in verb.objects and words[place + 1 : place + 2] and words[place + 1] in _POINTS:
        return 1.5, Found(verb.name, place, stop, 2, verb.aside)
    return 0.0, Found(verb.name, place, stop, 0, verb.aside)


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
    return word in roots[1:] or (
        root != "" and word.startswith(root) and _ENDINGS.fullmatch(word, len(root)) is not None
    )


class _Starts:
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


def _phrases(names: Mapping[str, tuple[str, ...]], turned: bool) -> dict[str, _Starts]:
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
    return {first: _Starts(found) for first, found in index.items()}


def _at(words: Sequence[str], index: Mapping[str, _Starts]) -> Iterator[Found]:
    place, count, get = 0, len(words), index.get
    while place < count:
        word = words[place]
        starts = get(word)
        if starts is None:
            starts = get(word[:-2]) if word[-2:] == "'s" else None
        step = 1
        if starts is not None:
            for _, phrase, name, gapped in starts.before(words[place + 1] if place + 1 < count else ""):
                stop = place + 1 if len(phrase) == 1 else _phrase_end(words, place, phrase, gapped)
                if stop:
                    if len(phrase) > 1 or not _links(words, place):
                        yield Found(name, place, stop)
                    step = max(1, (stop if gapped else min(stop, place + len(phrase))) - place)
                    break
        place += step


def _links(words: Sequence[str], place: int) -> bool:
    """Whether a question word joins clauses instead of asking: "the address you used when you signed up"."""
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
    at, gap = place, 0
    for wanted in phrase:
        if wanted == _GAP:
            gap = 4
            continue
        ahead = next((k for k in range(at, min(at + gap + 1, len(words))) if _same(words[k], wanted)), -1)
        if ahead < 0:
            return 0
        at, gap = ahead + 1, 0
    return at


def _same(word: str, wanted: str) -> bool:
    return word == wanted or (word[-1:] == "s" and wanted in _singulars(word))


def _singulars(word: str) -> tuple[str, ...]:
    """What a word that ends in s may be a form of: "customer's", "orders", "boxes"."""
    if word[-2:] == "'s":
        return word[:-2], word[:-1]
    return (word[:-1], word[:-2]) if word[-2:] == "es" else (word[:-1],)


def _follows(words: Sequence[str], place: int, rest: tuple[frozenset[str], ...], gap: int) -> int:
    """Where the rest of a separable verb ends if it follows with few words between, else 0."""
    for wanted in rest:
        for ahead in range(place, min(place + gap, len(words))):
            if words[ahead] in wanted:
                place = ahead + 1
                break
        else:
            return 0
    return place


def _precedes(words: Sequence[str], place: int, wanted: frozenset[str]) -> bool:
    """Whether a verb's object stands before it, as in the passive, within a few words."""
    return any(word in wanted and len(word) > 3 for word in words[max(0, place - 7) : place])


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
