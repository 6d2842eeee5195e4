"""The names of entities: first names, second names, and shared ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.names import invented_pairs, invented_words, listed_words, pairs, spread
from turnwise.worlds.documents.schema import Kind
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["FORMS", "NAME_WORDS", "TYPED", "Names", "Strings", "make_names"]

FORMS: dict[Kind, tuple[str, ...]] = {
    "university": ("University of {}", "{} University", "{} College", "{} Academy", "{} Institute"),
    "award": ("{} Prize", "{} Medal", "{} Award", "{} Cup"),
}
"""Forms of names of kinds without types."""
TYPED: dict[Kind, tuple[tuple[str, ...], ...]] = {  # by the words of the vocabulary, in their order
    "organisation": (
        ("{} Shipyard", "{} Boatworks"), ("{} Press", "{} Books"), ("{} Bank", "{} Savings Bank"),
        ("{} Mining Company", "{} Colliery"), ("{} Mills", "{} Weavers"), ("{} Brewery", "{} Breweries"),
        ("{} Railway", "{} Lines"), ("{} Glassworks", "{} Crystal"), ("{} Assurance", "{} Mutual"),
        ("{} Timber", "{} Sawmills"),
    ),
    "work": (
        ("The House of {}", "The {} Letters", "A Winter in {}", "The Road to {}", "The Last {}"),
        ("{} Remembered", "Lines to {}", "Beyond {}", "Night over {}"),
        ("The {} Symphony", "The {} Variations", "{} Nocturne", "Songs from {}"),
        ("Portrait of {}", "The {} Garden", "View of {}", "The Harbour at {}"),
        ("The {} Mirror", "Nine Nights in {}", "The Trial of {}", "The {} Inheritance"),
    ),
    "event": (
        ("{} Conference", "{} Symposium"), ("{} Festival", "{} Days"), ("{} Exhibition", "{} Show"),
        ("{} Congress", "{} Assembly"), ("{} Regatta", "{} Sailing Week"), ("{} Fair", "{} Trade Fair"),
    ),
    "building": (
        ("{} Bridge", "{} Viaduct"), ("{} Museum", "{} Gallery"), ("{} Theatre", "{} Playhouse"),
        ("{} Lighthouse", "{} Light"), ("{} Library", "{} Reading Rooms"), ("{} Tower", "{} Belfry"),
        ("{} Observatory",),
    ),
}  # fmt: skip
_NEUTRAL: dict[Kind, tuple[str, ...]] = {"organisation": ("{} & Sons", "{} Company", "{} Brothers", "{} Group")}
"""Forms that do not reveal the type, for two organisations in five."""
NAME_WORDS = frozenset(
    word
    for forms in (*FORMS.values(), *_NEUTRAL.values(), *(some for typed in TYPED.values() for some in typed))
    for form in forms
    for word in form.split()
)
"""Words of names that are not invented, and "{}"."""


class Strings(Sequence[str]):
    """Many texts in two arrays: all letters, and the end of each text.

    Attributes:
        letters: uint8, the UTF-8 of all texts.
        ends: int64, one for each text.
    """

    def __init__(self, letters: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> None:
        self.letters, self.ends = letters, ends

    @classmethod
    def of(cls, texts: list[str]) -> "Strings":
        """Store texts, which must be ASCII."""
        letters = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8)
        return cls(letters, np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))))

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, n: int) -> str:  # type: ignore[override]  # no slices
        start = int(self.ends[n - 1]) if n else 0
        return self.letters[start : int(self.ends[n])].tobytes().decode("ascii")

    def __iter__(self) -> Iterator[str]:
        text, start = self.letters.tobytes().decode("ascii"), 0
        for end in self.ends.tolist():
            yield text[start:end]
            start = end


@dataclass(frozen=True)
class Names:
    """All names of a world.

    Attributes:
        names: By entity; two entities may share one.
        alias_of: The entities with a second name, ascending.
        aliases: Their second names, each unlike all other names.
        twins: Pairs of entities with one name, shape (pairs, 2), ascending in both directions.
    """

    names: Strings
    alias_of: Ints
    aliases: Strings
    twins: Ints


def make_names(
    settings: WorldSettings,
    draw: Streams,
    ranges: dict[Kind, range],
    twins: Ints,
    women: Ints,
    types: Mapping[Kind, Ints],
) -> Names:
    """The names of the entities of a world.

    Args:
        settings: Settings of the world.
        draw: Random numbers of the world.
        ranges: The entity numbers of each kind.
        twins: Pairs that share a name, shape (pairs, 2); the second entity takes the name of the first.
        women: By person, 1 for women.
        types: By kind and entity, the number of its type in `TYPED`.
    """
    if settings.name_style == "pairs":
        words = invented_pairs(draw, settings.split)
    elif settings.name_style == "words":
        words = listed_words(draw)
    else:
        words = invented_words(draw, settings.split, settings.name_style)
    full = settings.name_style == "full"
    names: list[str] = []
    named = {relation.subject: relation.name for relation in settings.chosen() if relation.object == "name"}
    alias_of: list[Ints] = []
    aliases: list[str] = []
    for kind, entities in ranges.items():
        count = len(entities)
        second = (
            np.flatnonzero(draw.chance(f"aliases/{kind}", settings.aliases, count))
            if kind in named
            else np.empty(0, int)
        )
        if kind == "person" and full:
            made, others = _people(draw, words, women, second)
        else:
            made = spread(draw, words, count, kind)
            others = spread(draw, words, len(second), f"{kind}/second")
            if full and kind == "species":
                made = _binomials(draw, words, made)
            elif full:
                made = _dressed(draw, kind, made, types.get(kind), "first")
                others = _dressed(draw, kind, others, types[kind][second], "second") if kind == "work" else others
        names += made
        aliases += others
        alias_of.append(second + entities.start)
    for first, other in twins.tolist():
        names[other] = names[first]
    whose = np.concatenate(alias_of) if alias_of else np.empty(0, dtype=np.int64)
    return Names(Strings.of(names), whose.astype(np.int64), Strings.of(aliases), twins)


def _people(draw: Streams, words: Iterator[str], women: Ints, second: Ints) -> tuple[list[str], list[str]]:
    """Make given names and surnames, each shared with others but unique as pairs; a pen name's surname is unique.

    Given names of women end with a vowel, those of men with a consonant.
    """
    count = len(women)
    num_given, num_surnames = min(800, max(16, count // 4)), max(16, count // 6)
    given: tuple[list[str], list[str]] = [], []
    while min(map(len, given)) < num_given:
        word = next(words)
        which = given[word[-1] in "aeiou"]
        if len(which) < num_given and len(word) < 8:
            which.append(word)
    surnames = spread(draw, words, num_surnames, "surname")
    made = [""] * count
    for sex in (0, 1):
        who = np.flatnonzero(women == sex)
        firsts, lasts = pairs(draw, f"person/{sex}", len(who), num_given, num_surnames)
        order = draw.order(f"person/order/{sex}", len(who))
        for person, a, b in zip(who.tolist(), firsts[order].tolist(), lasts[order].tolist(), strict=True):
            made[person] = f"{given[sex][a]} {surnames[b]}"
    which_given = draw.below("person/pen", num_given, len(second)).tolist()
    sexes = women[second].tolist()
    pens = spread(draw, words, len(second), "pen")
    return made, [f"{given[sex][a]} {name}" for sex, a, name in zip(sexes, which_given, pens, strict=True)]


def _binomials(draw: Streams, words: Iterator[str], epithets: list[str]) -> list[str]:
    """Make species names from a shared genus and an epithet."""
    genera = spread(draw, words, max(4, len(epithets) // 6), "genus")
    which = draw.below("genus/which", len(genera), len(epithets)).tolist()
    return [f"{genera[g]} {epithet.lower()}" for g, epithet in zip(which, epithets, strict=True)]


def _dressed(draw: Streams, kind: Kind, words: list[str], types: Ints | None, stream: str) -> list[str]:
    """Turn words into names of a kind, and of a type if the kind has types."""
    if kind not in FORMS and kind not in TYPED:
        return words
    pick = draw.below(f"form/{kind}/{stream}", 60, len(words)).tolist()
    if types is None or kind not in TYPED:
        forms = FORMS[kind]
        return [forms[p % len(forms)].format(word) for p, word in zip(pick, words, strict=True)]
    plain = draw.chance(f"form/{kind}/{stream}/neutral", 0.4, len(words)) & (kind in _NEUTRAL)
    found = []
    for p, word, number, neutral in zip(pick, words, types.tolist(), plain.tolist(), strict=True):
        forms = _NEUTRAL[kind] if neutral else TYPED[kind][number]
        found.append(forms[p % len(forms)].format(word))
    return found
