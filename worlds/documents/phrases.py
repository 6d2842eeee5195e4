"""The phrases for relations in questions: noun phrases, whole questions, comparisons.

The words are in ``data/phrases.txt``, separate from those of the documents (``data/wording.txt``), so that a question
never copies the sentence that answers it. The first alternative is always the plainest. An empty tuple means that there
is not a natural phrase.
"""

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

__all__ = ["KIND_NOUNS", "PHRASES", "WITH_ARTICLE", "Phrases", "article", "phrases", "read_sections", "spoken"]

KIND_NOUNS: dict[str, tuple[str, str]] = {  # one, several
    "region": ("region", "regions"),
    "river": ("river", "rivers"),
    "city": ("city", "cities"),
    "person": ("person", "people"),
    "organisation": ("organisation", "organisations"),
    "university": ("university", "universities"),
    "work": ("work", "works"),
    "event": ("event", "events"),
    "species": ("species", "species"),
    "building": ("building", "buildings"),
    "award": ("award", "awards"),
}
WITH_ARTICLE = frozenset(("river", "event", "award"))


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of one relation.

    "{}" is the entity named, or a noun phrase that stands for one ("the spouse of {}" nests); in ``clause``, ``above``
    and ``below`` it may be a value. "{year}" is a year; "{s}" and "{o}" subject and object; "{a}" and "{b}" the two
    subjects of a comparison. "More" is always the larger number, the later year or date.

    Attributes:
        short: One word, for the shortest questions ("spouse of Bak?"); several relations may share it.
        key: Words to search for.
        item: The object as a point of a profile: "the capital"; empty: what stands before "of {}" in ``noun``.
        noun: The object: "the capital of {}". For a relation with terms: the present holder.
        ask: The question for it.
        noun_at, ask_at: For a relation with terms: the holder in a year.
        inverse: The subject, from the object: "the region whose capital is {}"; used only if there is one such subject.
        ask_inverse: The question for it.
        plural: All subjects, without an article: "cities in {}"; after "How many", "the", "Name all".
        plural_objects: All objects, if there may be several.
        count: The question for the number of subjects.
        count_objects: The question for the number of objects.
        clause: Clause after "the city" or "Which city is it", saying that its object is {}: "that lies in {}".
        above, below: Clause after a plural that keeps those with a larger, or smaller, value.
        more, less: The question which of two has the larger, or smaller, value.
        most, least: The question which of "{}", a plural, has the largest, or smallest.
        top, bottom: The same as a noun phrase, after "the" or "the second": "oldest of the {}".
        is_more, is_less: The same for two, as a yes-no question.
        check: The yes-no question whether a fact holds (at any time).
        check_at: The same for a year.
    """

    short: str
    key: str
    item: tuple[str, ...] = ()
    noun: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    noun_at: tuple[str, ...] = ()
    ask_at: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    ask_inverse: tuple[str, ...] = ()
    plural: tuple[str, ...] = ()
    plural_objects: tuple[str, ...] = ()
    count: tuple[str, ...] = ()
    count_objects: tuple[str, ...] = ()
    clause: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    most: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    is_more: tuple[str, ...] = ()
    is_less: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    check_at: tuple[str, ...] = ()


def phrases(relation: str) -> Phrases:
    """Return the phrases of a relation; raise KeyError if it is unknown.

    >>> phrases("capital").noun[0].format("Tarnol")
    'the capital of Tarnol'
    """
    return PHRASES[relation]


def spoken(kind: str, name: str) -> str:
    """Write a name as inside a sentence: with its article, if its kind has one.

    >>> spoken("river", "Tarn"), spoken("city", "Tarnol"), spoken("university", "University of Tarnol")
    ('the Tarn', 'Tarnol', 'the University of Tarnol')
    """
    return "the " + name if kind in WITH_ARTICLE or name.startswith("University of ") else name


def article(noun: str) -> str:
    """Put "a" or "an" before a noun.

    >>> article("engineer"), article("poet"), article("university")
    ('an engineer', 'a poet', 'a university')
    """
    return ("an " if noun[0] in "aeiou" and not noun.startswith("uni") else "a ") + noun


@cache
def read_sections(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Read a file in ``data``: "[section]" lines, then "key: first | second" lines; "#" starts a comment line.

    Values of a repeated key are joined.
    """
    sections: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in (Path(__file__).parent / "data" / name).read_text("utf-8").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, _, rest = line.partition(": ")
            section[key] = section.get(key, ()) + tuple(rest.split(" | "))
    return sections


def _table() -> dict[str, Phrases]:
    words = ("short", "key")
    known = {field.name for field in fields(Phrases)}
    table = {}
    for relation, section in read_sections("phrases.txt").items():
        if unknown := set(section) - known:
            raise ValueError(f"phrases.txt, [{relation}]: unknown keys {sorted(unknown)}")
        texts = {key: value for key, value in section.items() if key not in words}
        table[relation] = Phrases(short=section["short"][0], key=section["key"][0], **texts)
    return table


PHRASES: dict[str, Phrases] = _table()
