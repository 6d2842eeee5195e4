"""The text of pages: wiki-like, with links, made only from a page's statements.

Every statement of a page occurs in its text exactly once, in one of several wordings, as a sentence or in an infobox, a
list or a table; the text states no other fact of the schema. Names are written as the page specifies (name or alias);
an entity that shares its name is written as its unique title. A figure that changes with time comes with the year of
the edition. The choice of words is a pure function of the page and the names, the same everywhere.
"""

from turnwise.worlds.documents.schema import OPEN, Page, Statement
from turnwise.worlds.documents.wording.lists import write_disambiguation, write_list, write_table, write_terse
from turnwise.worlds.documents.wording.pen import Named, Pen, capitalised
from turnwise.worlds.documents.wording.text import (
    ASIDES,
    BOX_PAIRS,
    CLOSINGS,
    FILLER,
    LEADS,
    OPENINGS,
    TEXTS,
    WRITERS,
    Texts,
)
from turnwise.worlds.documents.wording.values import years

__all__ = ["plain", "write"]

_ORDER = {relation: place for place, relation in enumerate(TEXTS)}
_Said = tuple[bool, str]  # whether it has a pronoun, and the sentence


def write(page: Page, world: Named, terse: bool = False) -> str:
    """Write the text of a page, without its title, with links as ``[[Title|shown]]`` or ``[[Title]]``.

    Args:
        page: The page to write.
        world: Provides ``name``, ``title``, ``aliases``, ``kind`` and ``female`` of an entity.
        terse: Write names, one word per relation, and objects, without sentences, units or filler: "Bak spouse [[Fes]]
            father [[Gor]]".
    """
    pen = Pen(page, world)
    if terse:
        return write_terse(pen)
    if page.kind == "disambiguation":
        return write_disambiguation(pen)
    if page.kind == "list":
        return write_list(pen)
    if page.kind == "table":
        return write_table(pen)
    return _write_article(pen)


def plain(markup: str) -> str:
    """Remove links from a text, keeping what ``[[Title|shown]]`` shows.

    >>> plain("[[Bak (river)|Bak]] flows past [[Fes]].")
    'Bak flows past Fes.'
    """
    head, *rest = markup.split("[[")
    parts = [head]
    for piece in rest:
        link, _, after = piece.partition("]]")
        parts.append(link[link.find("|") + 1 :])
        parts.append(after)
    return "".join(parts)


def _write_article(pen: Pen) -> str:
    page, own = pen.page, pen.own
    kind = pen.world.kind(own)
    mine, theirs, strays = [], [], []
    for x in page.statements:
        if x.subject == own:
            mine.append(x)
        elif x.object == own and TEXTS[x.relation].object == "entity":
            theirs.append(x)
        else:
            strays.append(x)
    lead, clear, mine = _lead(pen, kind, mine)
    box, mine = _box(pen, mine)
    sentences, lists = _about_subject(pen, kind, clear, mine)
    more, more_lists = _about_object(pen, kind, theirs)
    sentences += more
    for text in _filler(pen, kind):
        place = pen.pick(len(sentences) + 1)
        while place < len(sentences) and sentences[place][0]:  # a pronoun would seem to refer to the filler's subject
            place += 1
        sentences.insert(place, (False, text))
    lines = []
    if page.genre:
        lines.append(pen.choose(OPENINGS[page.genre]).format(year=page.year))
    boxed_first = pen.pick(2)
    texts = [lead, *(text for _, text in sentences)]
    body = _paragraphs(pen, texts)
    lines += [*box, *body] if boxed_first else [*body[:1], *box, *body[1:]]
    lines += lists + more_lists + [pen.choose(ASIDES) + pen.sentence(x, "s")[1] for x in strays]
    if page.genre == "letter":
        lines.append(pen.choose(CLOSINGS))
    return "\n".join(lines)


def _paragraphs(pen: Pen, texts: list[str]) -> list[str]:
    """Divide the sentences as the genre does: into paragraphs, posts of a forum, or lines of a catalogue."""
    if pen.page.genre == "catalogue":
        return texts
    forum = pen.page.genre == "forum"
    parts, first = [], 0
    while first < len(texts):
        length = 1 + pen.pick(3) if forum else (2 if first == 0 else 3) + pen.pick(4)
        writer = f"{pen.choose(WRITERS)}: " if forum else ""
        parts.append(writer + " ".join(texts[first : first + length]))
        first += length
    return parts


def _lead(pen: Pen, kind: str, mine: list[Statement]) -> tuple[str, bool, list[Statement]]:
    """Return the first sentence, whether a pronoun may follow, and the remaining statements."""
    known = {x.relation: x for x in mine if not x.subject_form}
    fitting = [lead for lead in LEADS[kind] if all(relation in known for relation in lead.relations)]
    lead = fitting[pen.pick(min(3, len(fitting)))]
    slots = {"s": pen.spoken(pen.own, 0, kind)}
    clear = True
    for relation in lead.relations:
        texts = TEXTS[relation]
        slots[relation] = pen.value(known[relation], texts)
        if texts.object == "term":
            slots["an_" + relation] = texts.terms[known[relation].object][1]
        clear = clear and _leaves_clear(kind, texts)
    text = capitalised(pen.choose(lead.texts).format_map(slots))
    return text, clear, [x for x in mine if x.relation not in lead.relations or x is not known[x.relation]]


def _leaves_clear(kind: str, texts: Texts) -> bool:
    """Tell whether, after a sentence about the page's subject and that object, a pronoun can only mean the subject."""
    return texts.object != "entity" or (texts.relation.object == "person") != (kind == "person")


def _box(pen: Pen, mine: list[Statement]) -> tuple[list[str], list[Statement]]:
    """Return the lines of an infobox, which has none, some or nearly all statements, and the remaining statements."""
    share = (0, 0, 2, 3, 5)[pen.pick(5)]
    if not share:
        return [], mine
    boxed = {x.relation: x for x in mine if not x.subject_form and _fits_box(x) and pen.pick(6) < share}
    if not boxed:
        return [], mine
    left = [x for x in mine if boxed.get(x.relation) is not x]
    lines = []
    for (first, second), label in BOX_PAIRS.items():
        if first in boxed and second in boxed and pen.pick(2):
            one, other = boxed.pop(first), boxed.pop(second)
            lines.append(f"{label}: {pen.value(one, TEXTS[first], True)}, {pen.value(other, TEXTS[second], True)}")
    for relation, x in boxed.items():
        texts = TEXTS[relation]
        value = pen.value(x, texts, True) + texts.unit
        if x.start >= 0:
            value += f" ({years(x.start, x.end)})"
        lines.append(f"{pen.choose(texts.box).format(year=pen.page.year)}: {value}")
    return lines, left


def _fits_box(x: Statement) -> bool:
    """Tell whether a statement is the only fact of its relation, or the present one."""
    return TEXTS[x.relation].relation.shape == "one" or x.end == OPEN


def _about_subject(pen: Pen, kind: str, clear: bool, mine: list[Statement]) -> tuple[list[_Said], list[str]]:
    """Write sentences with the page's subject as subject, and lists of its terms and sets."""
    groups: dict[str, list[Statement]] = {}
    rest = []
    for x in mine:
        if TEXTS[x.relation].relation.shape != "one" and not x.subject_form:
            groups.setdefault(x.relation, []).append(x)
        else:
            rest.append(x)
    sentences: list[_Said] = []
    lines = []
    for relation, group in groups.items():
        texts = TEXTS[relation]
        if len(group) > 1 and texts.s_list and pen.pick(3):
            lines.append(pen.choose(texts.s_list).format(s=pen.spoken(pen.own, 0, kind)) + ":")
            for x in group:
                lines.append(f"- {pen.value(x, texts, True)}" + (f", {years(x.start, x.end)}" if x.start >= 0 else ""))
        elif 1 < len(group) < 7 and texts.s_many:
            sentences.append((False, pen.together(group, "s")))
            clear = False
        else:
            rest += group
    for x in sorted(rest, key=_place):
        texts = TEXTS[x.relation]
        sentences.append(pen.sentence(x, "s", clear and not x.subject_form and pen.pick(6) > 0))
        clear = _leaves_clear(kind, texts)
    return sentences, lines


def _place(x: Statement) -> tuple[bool, int, int]:
    """Return where a statement stands in an account: in the schema's order, but the end of a life last."""
    return x.relation in ("died_on", "died_in"), _ORDER[x.relation], x.start


def _about_object(pen: Pen, kind: str, theirs: list[Statement]) -> tuple[list[_Said], list[str]]:
    """Write sentences with the page's subject as object, and lists of several such."""
    groups: dict[str, list[Statement]] = {}
    rest = []
    for x in theirs:
        if x.object_form or not TEXTS[x.relation].o_many:
            rest.append(x)
        else:
            groups.setdefault(x.relation, []).append(x)
    sentences: list[_Said] = []
    lines = []
    for relation, group in groups.items():
        texts = TEXTS[relation]
        if len(group) > 1 and texts.o_list and (len(group) > 5 or pen.pick(2)):
            lines.append(pen.choose(texts.o_list).format(o=pen.value(group[0], texts)) + ":")
            lines += ["- " + pen.link(x.subject, x.subject_form) for x in group]
        elif 1 < len(group) < 7:
            sentences.append((False, pen.together(group, "o")))
        else:
            rest += group
    clear = False
    for x in pen.shuffled(rest):
        sentences.append(pen.sentence(x, "o", clear and not x.object_form and pen.pick(3) > 0))
        clear = (TEXTS[x.relation].relation.subject == "person") != (kind == "person")
    return sentences, lines


def _filler(pen: Pen, kind: str) -> list[str]:
    """Return different sentences that state no fact."""
    texts, count = FILLER[kind], pen.page.filler
    if not count:
        return []
    start = pen.pick(len(texts))
    past = pen.page.year - 20 - pen.pick(150)
    return [
        texts[(start + 3 * i) % len(texts)].format(past=past + i, year=pen.page.year)
        for i in range(min(count, len(texts)))
    ]
