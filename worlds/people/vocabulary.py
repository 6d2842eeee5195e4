"""What the words of a sentence name of a lexicon: slots, steps, things, and actions by their verbs."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.gates import Gates
from turnwise.worlds.people.memory import Memory
from turnwise.worlds.people.part import Lexicon
from turnwise.worlds.people.phrases import Found, found_in, indexed

__all__ = ["Vocabulary", "vocabulary_of"]

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
    "forgive": ("forgave", "forgiven"),
    "write": ("wrote", "written"),
    "strike": ("struck",),
    "sell": ("sold",),
    "undo": ("undid", "undone"),
}
_NOUN: Final = re.compile(r"(?:ing|ings|als?|ments?|ions?|ures?|ers?)$")
_FEES: Final = frozenset(
    {"fee", "fees", "of", "number", "date", "reference"}
)  # after a verb's form they make it a noun
_FREE: Final = frozenset({"of", "no", "without", "extra", "any", "additional"})  # before a charge
_BE: Final = frozenset({"be", "been", "being", "is", "are", "get", "now"})
_POINTS: Final = frozenset({"the", "your", "this", "these", "a", "an", "my", "our"})
_ARTICLES: Final = frozenset({"a", "an", "the", "your"})
_CHANGES: Final = frozenset({"change", "changes", "updates"})
_DETERMINERS: Final = frozenset(
    {"make", "making", "made", "these", "those", "any", "the", "that", "this", "further", "no", "such", "other"}
)
_ANYTHING: Final = frozenset({"account", "accounts", "*"})  # of which too many things are said
_WH: Final = frozenset({"when", "where", "who", "whom", "whose", "why", "how"})
_MEASURES: Final = frozenset({"many", "much", "long", "big", "large", "soon"})
_START: Final = 2
_MOST_WORDS: Final = 20_000  # remembered; beyond that the memory starts over


class _Verb(NamedTuple):
    """An entry of `Lexicon.actions`."""

    name: str
    heads: tuple[tuple[str, ...], ...]  # the roots and irregular forms of its first word; of "=word" only the word
    rest: tuple[frozenset[str], ...]
    objects: frozenset[str]
    aside: bool
    unless: frozenset[str]  # words beside which it means something else


class Vocabulary:
    """The lexicon's phrases, indexed by their first words."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.lines: Memory[Any] = Memory()  # clauses of what was split before
        self.messages: Memory[tuple[Act, ...]] = Memory()
        self._slots = indexed(lexicon.slots, turned=True)
        self._steps = indexed(lexicon.steps, turned=False)
        verbs = [_verb(name, entry) for name, entries in lexicon.actions.items() for entry in entries]
        self._verbs: dict[str, list[_Verb]] = {}  # by the first letters of their forms
        for verb in verbs:
            for start in {form[:_START] for roots in verb.heads for form in roots if form}:
                self._verbs.setdefault(start, []).append(verb)
        self._known: dict[str, tuple[_Verb, ...]] = {}
        self._objects: dict[str, tuple[str, ...]] = {}
        for verb in verbs:
            for word in () if verb.aside else verb.objects - _ANYTHING:
                self._objects[word] = tuple(dict.fromkeys((*self._objects.get(word, ()), verb.name)))
        self.values = {slot: re.compile(rf"\b(?:{pattern})") for slot, pattern in lexicon.values.items()}
        self._gates = Gates()
        self._results = {name: self._gates.pattern(rf"\b(?:{pattern})") for name, pattern in lexicon.results.items()}
        self._kinds = {
            form: slot for slot, nouns in lexicon.kinds.items() for noun in nouns for form in (noun, _plural(noun))
        }
        self._wh: dict[tuple[str, ...], dict[str, None]] = {}  # the slots that are asked for by a question word
        for slot, phrases in lexicon.slots.items():
            for words in (phrase.split() for phrase in phrases):
                opening = tuple(words[: 2 if words[0] == "how" else 1])
                if opening[0] in _WH and (len(opening) == 1 or opening[1] in _MEASURES):
                    self._wh.setdefault(opening, {})[slot] = None
        self._plurals = {_plural(noun) for nouns in lexicon.kinds.values() for noun in nouns}

    def __reduce__(self) -> tuple[Callable[[Lexicon], "Vocabulary"], tuple[Lexicon]]:
        return vocabulary_of, (self.lexicon,)  # without what was learnt and remembered

    def slots(self, words: Sequence[str]) -> list[Found]:
        """The slots that the words name, the longest phrase at each place."""
        return list(found_in(words, self._slots))

    def steps(self, words: Sequence[str]) -> list[Found]:
        """The steps that the words name."""
        return list(found_in(words, self._steps))

    def kinds(self, words: Sequence[str], several: bool = False) -> list[Found]:
        """The slots of the things that the words speak of: "your bookings"; ``several`` leaves out the singular."""
        get = self._kinds.get
        return [
            Found(slot, place, place + 1)
            for place, word in enumerate(words)
            if (slot := get(word)) is not None and (not several or word in self._plurals)
        ]

    def asked_by(self, words: Sequence[str]) -> Iterator[str]:
        """The slots that a question may be for by its question word: "where", "how many"."""
        place = next((place for place, word in enumerate(words) if word in _WH or word in ("what", "which")), 0)
        yield from self._wh.get(tuple(words[place : place + (2 if words[place] == "how" else 1)]), ())

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
    """Whether a verb's form stands for no certain action: "to make changes", "the change fee", "free of charge"."""
    if words[place + 1 : place + 2] and words[place + 1] in _FEES and not words[place].endswith("ed"):
        return words[place + 1] != "of" or words[place] in _CHANGES or words[place + 2 : place + 3] != ["the"]
    if words[place] in ("charge", "charges") and place and words[place - 1] in _FREE:
        return True
    return words[place] in _CHANGES and (
        (place > 0 and words[place - 1] in _DETERMINERS)
        or words[place + 1 : place + 2] in (["anything"], ["something"])
    )


def _reading(verb: _Verb, words: Sequence[str], place: int) -> tuple[float, Found] | None:
    """How plainly a verb at a place names its action; None if the words that it needs are missing."""
    if verb.unless and not verb.unless.isdisjoint(words[: place + 6]):
        return None
    stop = place + 1
    if verb.rest:
        stop = _follows(words, stop, verb.rest, 7 if "off" in verb.rest[0] else 4)
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
