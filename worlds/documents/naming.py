"""The names of entities: first names, second names, and shared ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turnwise.core.draw import Ints, Streams
from turnwise.worlds.documents.names import invented_pairs, invented_words, listed_words, pairs, spread
from turnwise.worlds.documents.schema import Kind
from turnwise.worlds.documents.style import WorldSettings

__all__ = ["Names", "Strings", "make_names"]

FORMS: dict[Kind, tuple[str, ...]] = {
    "organisation": (
        "{} Company", "{} Society", "{} Union", "{} Brothers", "{} Bank", "{} Press", "{} Group", "{} Trust",
    ),
    "university": ("University of {}", "{} University", "{} College", "{} Academy"),
    "work": (
        "The Lantern of {}", "The {} Letters", "Song of {}", "A Winter in {}", "The {} Garden", "The Road to {}",
        "{} Remembered", "The Last {}", "Nine Nights in {}", "The {} Variations", "Beyond {}", "The House of {}",
        "Portrait of {}", "The {} Mirror",
    ),
    "event": ("{} Assembly", "{} Week", "{} Gathering", "{} Days", "{} Jubilee"),
    "building": ("{} Hall", "{} House", "{} Court", "{} Gate"),
    "award": ("{} Prize", "{} Medal", "{} Award"),
}  # fmt: skip


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


def make_names(settings: WorldSettings, draw: Streams, ranges: dict[Kind, range], twins: Ints) -> Names:
    """The names of the entities of a world.

    Args:
        settings: Settings of the world.
        draw: Random numbers of the world.
        ranges: The entity numbers of each kind.
        twins: Pairs that share a name, shape (pairs, 2); the second entity takes the name of the first.
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
            made, others = _people(draw, words, count, second)
        else:
            made = spread(draw, words, count, kind)
            others = spread(draw, words, len(second), f"{kind}/second")
            if full and kind == "species":
                made = _binomials(draw, words, made)
            elif full and kind in FORMS:
                made = _dressed(draw, kind, made, "first")
                others = _dressed(draw, kind, others, "second") if kind == "work" else others
        names += made
        aliases += others
        alias_of.append(second + entities.start)
    for first, other in twins.tolist():
        names[other] = names[first]
    whose = np.concatenate(alias_of) if alias_of else np.empty(0, dtype=np.int64)
    return Names(Strings.of(names), whose.astype(np.int64), Strings.of(aliases), twins)


def _people(draw: Streams, words: Iterator[str], count: int, second: Ints) -> tuple[list[str], list[str]]:
    """Make given names and surnames, each shared with others but unique as pairs; a pen name's surname is unique."""
    num_given, num_surnames = min(800, max(16, count // 4)), max(16, count // 6)
    given = spread(draw, words, num_given, "given")
    surnames = spread(draw, words, num_surnames, "surname")
    firsts, lasts = pairs(draw, "person", count, num_given, num_surnames)
    order = draw.order("person/order", count)
    made = [f"{given[a]} {surnames[b]}" for a, b in zip(firsts[order].tolist(), lasts[order].tolist(), strict=True)]
    which = draw.below("person/pen", num_given, len(second)).tolist()
    pens = [f"{given[a]} {surname}" for a, surname in zip(which, spread(draw, words, len(second), "pen"), strict=True)]
    return made, pens


def _binomials(draw: Streams, words: Iterator[str], epithets: list[str]) -> list[str]:
    """Make species names from a shared genus and an epithet."""
    genera = spread(draw, words, max(4, len(epithets) // 6), "genus")
    which = draw.below("genus/which", len(genera), len(epithets)).tolist()
    return [f"{genera[g]} {epithet.lower()}" for g, epithet in zip(which, epithets, strict=True)]


def _dressed(draw: Streams, kind: Kind, words: list[str], stream: str) -> list[str]:
    """Turn words into names of a kind."""
    choice = draw.below(f"form/{kind}/{stream}", len(FORMS[kind]), len(words)).tolist()
    return [FORMS[kind][c].format(word) for c, word in zip(choice, words, strict=True)]
