"""The sentences of the documents, read from ``data/wording.txt``, ``data/leads.txt`` and ``data/filler.txt``.

Keys of ``wording.txt``: ``s`` sentences for any page, ``o`` sentences for the object's page, ``p`` sentences with a
pronoun for the subject, ``s_many`` one subject with several objects, ``o_many`` several subjects with one object;
``_past`` and ``_open`` for terms that ended and that go on; ``box`` labels of an infobox line, ``s_list`` and
``o_list`` list headings, ``unit`` of a number in an infobox line.
"""

from dataclasses import dataclass

from turnwise.worlds.documents.phrases import article, phrases, read_sections
from turnwise.worlds.documents.schema import KINDS, RELATIONS, VOCABULARY, Relation

__all__ = [
    "ASIDES",
    "BOX_PAIRS",
    "CLOSINGS",
    "DISAMBIGUATION",
    "FILLER",
    "LEADS",
    "LISTS",
    "OPENINGS",
    "TEXTS",
    "WRITERS",
    "Lead",
    "Texts",
]

BOX_PAIRS = {  # infobox lines with two facts: value, then value
    ("born_on", "born_in"): "Born",
    ("died_on", "died_in"): "Died",
    ("held_on", "held_in"): "Held",
    ("event_type", "held_in"): "Event",
    ("published", "publisher"): "Publication",
    ("org_founded", "founder"): "Foundation",
    ("completed", "designed_by"): "Construction",
}
OPENINGS: dict[str, tuple[str, ...]] = {  # first lines, by genre; {s} is the page's subject
    "edition": (
        "As of the {year} edition of the gazetteer. Later editions may differ.",
        "From the {year} edition of this work; some of it may since have changed.",
        "Text of the {year} edition, reprinted without changes.",
        "This is how the edition of {year} put it. It has not been brought up to date.",
    ),
    "excerpt": (
        "Excerpt from a longer article.",
        "Reprinted with small changes.",
        "A shorter version of the main article.",
        "From a digest of several articles.",
    ),
    "newspaper": (
        "From the morning paper, {year}.",
        "Clipping from a weekly, {year}. Our readers have asked for a portrait.",
        "Sunday supplement, {year}: people and places.",
    ),
    "letter": (
        "Dear Sir, thank you for your letter of last month. Here is what we have on file in {year}.",
        "Dear friend, you wanted to know more. This is what I could find by {year}.",
        "To the editor, {year}: since you ask, I pass on what I know.",
    ),
    "catalogue": ("Catalogue, {year}. One entry to a line.", "Card from the catalogue, checked in {year}."),
    "forum": (
        "Forum, {year}. Posts are not checked by anybody. Question: what do we know here?",
        "Thread from a discussion board, {year}. Nobody checks the posts. What have you found?",
    ),
}
CLOSINGS = ("With kind regards, the archivist.", "Yours in haste.", "I hope this helps. Yours sincerely.")  # of letters
WRITERS = ("oldmill", "quillpen", "riverside", "attic17", "lamplight", "topdrawer", "magpie")  # of posts in a forum
ASIDES = ("Elsewhere in this volume: ", "From the facing page: ", "From another entry: ")  # before a stray fact
LISTS = (  # opening lines of a list; {title} with a small letter
    "This page lists the {title}.",
    "The {title}, as far as they are on record.",
    "Below are the {title}.",
    "What follows is a list of the {title}.",
)
DISAMBIGUATION = ("{name} may refer to:", "{name} may stand for:", "The name {name} is shared by:", "{name} can mean:")


@dataclass(frozen=True, slots=True)
class Texts:
    """The wordings of one relation.

    Attributes:
        relation: Its schema.
        object: Its objects: "entity", "number", "year", "date", "term" or "name".
        short: One word.
        s, p, o, s_open, o_open, s_many, o_many, box, s_list, o_list: As in the file; for a relation with terms, ``s``
            and ``o`` are the sentences about terms that ended.
        column: Heading of its column in a table.
        unit: " " and the unit; "" without one.
        terms: Names of its values, without and with "a"; () for other objects.
    """

    relation: Relation
    object: str
    short: str
    s: tuple[str, ...]
    p: tuple[str, ...]
    o: tuple[str, ...]
    s_open: tuple[str, ...]
    o_open: tuple[str, ...]
    s_many: tuple[str, ...]
    o_many: tuple[str, ...]
    box: tuple[str, ...]
    s_list: tuple[str, ...]
    o_list: tuple[str, ...]
    column: str
    unit: str
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Lead:
    """First sentences, and the relations whose objects they state."""

    relations: tuple[str, ...]
    texts: tuple[str, ...]


def _texts(relation: Relation) -> Texts:
    read = read_sections("wording.txt")[relation.name]

    def get(key: str) -> tuple[str, ...]:
        return read.get(key, ())

    sentences = get("s") or get("s_past")
    return Texts(
        relation=relation,
        object="entity" if relation.to_entity else relation.object,
        short=phrases(relation.name).short,
        s=sentences,
        p=get("p"),
        o=get("o") or get("o_past") or sentences,  # for a symmetric relation either side will do
        s_open=get("s_open"),
        o_open=get("o_open"),
        s_many=get("s_many"),
        o_many=get("o_many"),
        box=get("box"),
        s_list=get("s_list"),
        o_list=get("o_list"),
        column=get("box")[0] if get("box") else "",
        unit=" " + get("unit")[0] if get("unit") else "",
        terms=tuple((term, article(term)) for term in VOCABULARY.get(relation.name, ())),
    )


def _leads(kind: str) -> tuple[Lead, ...]:
    """Return the first sentences for a kind, those with most relations first."""
    read = read_sections("leads.txt")[kind]
    leads = [Lead(() if key == "-" else tuple(key.split("+")), texts) for key, texts in read.items()]
    return tuple(sorted(leads, key=lambda lead: -len(lead.relations)))


TEXTS: dict[str, Texts] = {relation.name: _texts(relation) for relation in RELATIONS}
LEADS: dict[str, tuple[Lead, ...]] = {kind: _leads(kind) for kind in KINDS}
FILLER: dict[str, tuple[str, ...]] = {
    kind: read_sections("filler.txt")[kind]["text"] + read_sections("filler.txt")["any"]["text"] for kind in KINDS
}
