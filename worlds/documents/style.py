"""The settings of a world, with checks, and what follows from them: its digest, split and relations."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range, check_all, settings_of
from turnwise.worlds.documents.schema import KINDS, RELATIONS, Kind, Relation

__all__ = ["FORMAT", "MAX_DOCUMENTS", "MIN_DOCUMENTS", "WorldSettings"]

FORMAT = 2  # incremented when the same settings give other facts, names or pages
MIN_DOCUMENTS, MAX_DOCUMENTS = 50, 1_000_000
TEST_SHARE = 0.2  # of all worlds; the same rule as for the instances of an environment


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """Settings of a world; equal settings give equal worlds, byte for byte."""

    seed: Annotated[int, Range(0)]
    """Different seeds give different worlds."""
    documents: Annotated[int, Range(MIN_DOCUMENTS, MAX_DOCUMENTS)]
    """The exact number of pages of all kinds."""
    relations: str = "all"
    """Relations of the world: "all", or names separated by commas; the world has only the kinds of entities they need.
    """
    name_style: Literal["full", "short", "pairs", "words"] = "full"
    """How entities are named. "full"; "short": one word of two syllables where enough of them are left, also for
    people; or "pairs": two words of one syllable, "Bak Sil", from a list that all worlds share, so that a small
    tokenizer knows them; whole names belong to one split. "words": one such word, "Bav", from a list, then two; of this
    style alone the names are those of all worlds, and only the facts differ."""
    wording: Literal["prose", "terse"] = "prose"
    """How pages are written: "prose"; or "terse": a line for each subject, "Bak Sil spouse Fes Kor mother Gor Rus"."""
    aliases: Annotated[float, Range(0, 1)] = 0.2
    """Share of the entities (of the kinds that can) with a second name. Pages use it in 2 of 5 mentions; it is
    stated on the entity's own page, for a third of them on another page only."""
    namesakes: Annotated[float, Range(0, 0.5)] = 0.05
    """Share of the entities that share their name with another one."""
    stale: Annotated[float, Range(0, 0.3)] = 0.05
    """Share of the documents that are older editions."""
    copies: Annotated[float, Range(0, 0.3)] = 0.03
    """Share of the documents that are near-duplicates or excerpts. Where there are fewer lists or older
    editions to be made than asked for, copies fill up."""
    lists: Annotated[float, Range(0, 0.3)] = 0.1
    """Share of the documents that are lists and tables."""
    filler: Annotated[int, Range(0, 50)] = 2
    """Most sentences of a page that state no fact; a page has between none and that many."""
    distractors: Annotated[float, Range(0, 1)] = 0.2
    """Share of the entities' pages with a stray fact about another entity."""
    withheld: Annotated[float, Range(0, 0.5)] = 0.04
    """Share of the facts that no page states."""
    placement: Literal["mixed", "subject", "object"] = "mixed"
    """Where facts are stated. "mixed": a fact about two entities is on the subject's page (45 %), the object's (25 %)
    or both, some on a list page only. "subject": always on the subject's page. "object": on the object's page only,
    while it has fewer than eight of that relation."""

    def __post_init__(self) -> None:
        check_all(self)
        if self.stale + self.copies + self.lists > 0.6:
            raise SettingsError(
                f"stale={self.stale}, copies={self.copies}, lists={self.lists}: together at most 0.6 of the documents"
            )
        self.chosen()  # raises

    def chosen(self) -> tuple[Relation, ...]:
        """Return the relations of the world, in the schema's order.

        Raises:
            SettingsError: A name is not a relation.
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
        """Return the kinds of entities of the world, in the schema's order."""
        needed = {relation.subject for relation in self.chosen()} | {relation.object for relation in self.chosen()}
        return tuple(kind for kind in KINDS if kind in needed)

    @property
    def digest(self) -> str:
        """A hash of the settings and the format, as 32 hexadecimal digits."""
        text = f"world {FORMAT} " + " ".join(f"{name}={value!r}" for name, value in self._canonical().items())
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def split(self) -> Literal["train", "test"]:
        """The split, decided by the first 32 bits of the digest: "test" for a fifth of all worlds."""
        return "test" if int(self.digest[:8], 16) < TEST_SHARE * 2**32 else "train"

    def _canonical(self) -> dict[str, object]:
        values = asdict(self)
        values["relations"] = ",".join(relation.name for relation in self.chosen())
        shares = [setting.name for setting in settings_of(WorldSettings) if setting.hint is float]
        return {name: float(value) if name in shares else value for name, value in values.items()}
