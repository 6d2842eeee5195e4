"""The settings of a world, checked, and what follows from them alone: its digest, its split, its relations."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Literal

from turnwise.core.errors import SettingsError
from turnwise.worlds.documents.schema import KINDS, RELATIONS, Kind, Relation

__all__ = ["FORMAT", "MAX_DOCUMENTS", "MIN_DOCUMENTS", "WorldSettings"]

FORMAT = 1  # rises when the same settings give other facts, names or pages
MIN_DOCUMENTS, MAX_DOCUMENTS = 50, 1_000_000
TEST_SHARE = 0.2  # of all worlds; the same rule as for the instances of an environment
_SHARES = {
    "stale": 0.3,
    "copies": 0.3,
    "lists": 0.3,
    "aliases": 1.0,
    "namesakes": 0.5,
    "distractors": 1.0,
    "withheld": 0.5,
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """What a world is made from; equal settings give equal worlds, byte for byte.

    Attributes:
        seed: Any integer from 0.
        documents: The exact number of pages of all kinds, 50 to 1,000,000.
        relations: "all", or names separated by commas; the world has only the kinds of entities they need.
        name_style: "full"; "short": one word of two syllables where enough of them are left, also for people; or
            "pairs": two words of one syllable, "Bak Sil", from a list that all worlds share, so that a small tokenizer
            knows them; whole names belong to one split. "words": one such word, "Bav", from a list, then two;
            of this style alone the names are those of all worlds, and only the facts differ.
        wording: "prose"; or "terse": a line for each subject, "Bak Sil spouse Fes Kor mother Gor Rus".
        aliases: Share of the entities (of the kinds that can) with a second name, 0 to 1. Pages use it in 2 of 5
            mentions; it is stated on the entity's own page, for a third of them on another page only.
        namesakes: Share of the entities that share their name with another one, 0 to 0.5.
        stale: Share of the documents that are older editions, 0 to 0.3.
        copies: Share of the documents that are near-duplicates or excerpts, 0 to 0.3. Where there are fewer lists or
            older editions to be made than asked for, copies fill up.
        lists: Share of the documents that are lists and tables, 0 to 0.3.
        filler: Most sentences of a page that state no fact, 0 to 50; a page has between none and that many.
        distractors: Share of the entities' pages with a stray fact about another entity, 0 to 1.
        withheld: Share of the facts that no page states, 0 to 0.5.
        placement: "mixed": a fact about two entities is on the subject's page (45 %), the object's (25 %) or both,
            some on a list page only. "subject": always on the subject's page. "object": on the object's page only,
            while it has fewer than eight of that relation.
    """

    seed: int
    documents: int
    relations: str = "all"
    name_style: Literal["full", "short", "pairs", "words"] = "full"
    wording: Literal["prose", "terse"] = "prose"
    aliases: float = 0.2
    namesakes: float = 0.05
    stale: float = 0.05
    copies: float = 0.03
    lists: float = 0.1
    filler: int = 2
    distractors: float = 0.2
    withheld: float = 0.04
    placement: Literal["mixed", "subject", "object"] = "mixed"

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SettingsError(f"seed={self.seed}: a world's seed is 0 or more")
        if not MIN_DOCUMENTS <= self.documents <= MAX_DOCUMENTS:
            raise SettingsError(f"documents={self.documents}: must be from {MIN_DOCUMENTS} to {MAX_DOCUMENTS:,}")
        for name, highest in _SHARES.items():
            if not 0 <= getattr(self, name) <= highest:
                raise SettingsError(f"{name}={getattr(self, name)}: must be from 0 to {highest:g}")
        if not 0 <= self.filler <= 50:
            raise SettingsError(f"filler={self.filler}: must be from 0 to 50")
        if self.stale + self.copies + self.lists > 0.6:
            raise SettingsError(
                f"stale={self.stale}, copies={self.copies}, lists={self.lists}: together at most 0.6 of the documents"
            )
        if self.name_style not in ("full", "short", "pairs", "words"):
            raise SettingsError(f"name_style={self.name_style!r}: must be 'full', 'short', 'pairs' or 'words'")
        if self.wording not in ("prose", "terse"):
            raise SettingsError(f"wording={self.wording!r}: must be 'prose' or 'terse'")
        if self.placement not in ("mixed", "subject", "object"):
            raise SettingsError(f"placement={self.placement!r}: must be 'mixed', 'subject' or 'object'")
        self.chosen()  # raises

    def chosen(self) -> tuple[Relation, ...]:
        """The relations of the world, in the schema's order.

        Raises:
            SettingsError: A name is no relation's.
        """
        if self.relations == "all":
            return RELATIONS
        names = [name.strip() for name in self.relations.split(",")]
        known = {relation.name for relation in RELATIONS}
        for name in names:
            if name not in known:
                raise SettingsError(
                    f"relations={self.relations!r}: there is no {name!r}; known: {', '.join(sorted(known))}"
                )
        return tuple(relation for relation in RELATIONS if relation.name in names)

    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entities of the world, in the schema's order."""
        needed = {relation.subject for relation in self.chosen()} | {relation.object for relation in self.chosen()}
        return tuple(kind for kind in KINDS if kind in needed)

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that stand for the settings and the format."""
        text = f"world {FORMAT} " + " ".join(f"{name}={value!r}" for name, value in self._canonical().items())
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def split(self) -> Literal["train", "test"]:
        """By the first 32 bits of the digest: "test" for a fifth of all worlds."""
        return "test" if int(self.digest[:8], 16) < TEST_SHARE * 2**32 else "train"

    def _canonical(self) -> dict[str, object]:
        values = asdict(self)
        values["relations"] = ",".join(relation.name for relation in self.chosen())
        return {name: float(value) if name in _SHARES else value for name, value in values.items()}
