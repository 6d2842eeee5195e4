"""Reads the pages of a world back, by the templates they are written from, and notices what fits none or two."""

import re
from functools import cache

from turnwise.worlds.documents.phrases import KIND_NOUNS, article, read_sections
from turnwise.worlds.documents.schema import KINDS, OPEN, VOCABULARY, Page, relation_named
from turnwise.worlds.documents.wording.pen import Named
from turnwise.worlds.documents.wording.text import ASIDES, BOX_PAIRS, CLOSINGS, DISAMBIGUATION, LISTS, OPENINGS, WRITERS
from turnwise.worlds.documents.wording.values import date_forms

Fact = tuple[int, str, int, int, int]
END = "(?= |$)"
MONTHS = [date_forms(month * 100 + 1)[0].split()[1] for month in range(1, 13)]
ENTITY = r"(?:[Tt]he )?\[\[([^\]|]+(?:\|[^\]]+)?)\]\]"
PERIOD = r"(?:(?:[Ff]rom|[Ii]n the years) (\d+) (?:to|through) (\d+)|[Ii]n (\d+))"
VALUES = {
    "number": r"([\d,]+(?:\.\d+)?(?: thousand| million)?)",
    "year": r"(\d{1,4})",
    "date": rf"(\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|(?:{'|'.join(MONTHS)}) \d{{1,2}}, \d{{4}}|\d{{4}}-\d\d-\d\d)",
    "name": r"(?:\[\[[^\]|]*\|)?([^\]\"]+?)(?:\]\])?",
}


class Names(Named):
    """A world, or what stands for one."""

    num_entities: int


class Sentence:
    """A template as a regular expression; ``read`` gives the facts of a match."""

    def __init__(self, text: str, named: dict[str, str], kind: str, side: str = "s", about: str = "") -> None:
        """``named``: the relation of each slot; ``about``: the relation whose object a pronoun stands for."""
        self.kind, self.side, self.about, self.slots, parts = kind, side, about, [], []
        self.literal = max(re.split(r"\{\w+\}", text), key=len)
        self.filler, self.pronoun = False, "{He}" in text or "{His}" in text or "{he}" in text or "{his}" in text
        for piece in re.split(r"(\{\w+\})", text):
            slot = piece[1:-1] if piece.startswith("{") else ""
            if not slot:
                parts.append(re.escape(piece))
                continue
            name = named.get(slot, "")
            if slot in ("He", "he", "His", "his"):
                parts.append(
                    {"H": "(?:He|She|It)", "h": "(?:he|she|it)"}[slot[0]]
                    if len(slot) == 2
                    else "(?:[Hh]is|[Hh]er|[Ii]ts)"
                )
                continue
            if slot == "s":
                pattern = ENTITY
            elif slot == "list":
                pattern = rf"((?:{ENTITY}, )*{ENTITY} and {ENTITY})".replace("([^", "(?:[^")
            elif slot in ("when", "when_s"):
                pattern = PERIOD
            elif slot in ("year", "a"):
                pattern = r"(\d{4})"
            elif slot == "past":
                pattern = r"\d{4}"
            else:
                pattern = value_pattern(name)
                if slot.startswith("an"):
                    pattern = "an? " + pattern
            if slot != "past":
                self.slots.append((slot, name))
            parts.append(pattern)
        self.pattern = re.compile("".join(parts) + END)

    def read(self, match: re.Match[str], reader: "Reader") -> list[Fact] | None:
        """None where the entities are of other kinds than the sentence is about."""
        groups = list(match.groups())
        subject, year, start, end = reader.own, None, -1, -1
        objects = [(self.about, reader.own)] if self.about else []
        subjects = []
        for slot, name in self.slots:
            if slot in ("when", "when_s"):
                first, last, single = groups.pop(0), groups.pop(0), groups.pop(0)
                start, end = (int(single), int(single)) if single else (int(first), int(last))
                continue
            group = groups.pop(0)
            if slot == "s":
                subject = reader.entity(group)
            elif slot == "list":
                found = [reader.entity(x) for x in re.findall(ENTITY, group)]
                if self.side == "s":
                    objects += [(name, x) for x in found]
                else:
                    subjects = found
            elif slot == "year":
                year = int(group)
            elif slot == "a":
                start, end = int(group), OPEN
            else:
                objects.append((name, reader.value(group, name)))
        of_kinds = [relation_named(name).to_entity and (relation_named(name).object, v) for name, v in objects]
        of_kinds += [objects and (self.kind, e) for e in subjects or [subject]]
        if any(found and reader.world.kind(found[1]) != found[0] for found in of_kinds):
            return None
        if objects:
            assert (year is not None) == any(relation_named(name).mutable for name, _ in objects), match[0]
            assert year in (None, reader.page.year), match[0]
        return [(e, name, value, start, end) for e in subjects or [subject] for name, value in objects]


def value_pattern(name: str) -> str:
    relation = relation_named(name)
    if relation.to_entity:
        return ENTITY
    return "(" + "|".join(VOCABULARY[name]) + ")" if relation.object == "term" else VALUES[relation.object]


@cache
def sentences() -> dict[str, list[Sentence]]:
    """All templates for prose, by kind of the page's subject for those that only its page can have, and "" for any."""
    found: dict[str, list[Sentence]] = {kind: [] for kind in (*KINDS, "")}
    for name, keys in read_sections("wording.txt").items():
        kind = relation_named(name).subject
        for key in ("s", "o", "s_past", "o_past", "s_open", "o_open", "s_many", "o_many"):
            for text in keys.get(key, ()):
                found[""].append(Sentence(text, {"o": name, "an": name, "list": name}, kind, key[0]))
                if text.startswith("{s} ") and key[0] == "s":
                    found[kind].append(Sentence("{He}" + text[3:], {"o": name, "an": name, "list": name}, kind))
                if text.startswith("{o} ") and key[0] == "o":
                    object_ = relation_named(name).object
                    found[object_].append(Sentence("{He}" + text[3:], {}, kind, about=name))
        for text in keys.get("p", ()):
            found[kind].append(Sentence(text, {"o": name, "an": name}, kind))
    for kind, leads in read_sections("leads.txt").items():
        for key, texts in leads.items():
            names = [] if key == "-" else key.split("+")
            named = {slot: name for name in names for slot in (name, "an_" + name)}
            found[kind] += [Sentence(text, named, kind) for text in texts]
    for kind, section in read_sections("filler.txt").items():
        for target in KINDS if kind == "any" else (kind,):
            for text in section["text"]:
                found[target].append(Sentence(text, {}, target))
                found[target][-1].filler = True
    return found


def templates(texts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.sub(r"\\\{\w+\\\}", "(.+?)", re.escape(text)) for text in texts))


class Reader:
    """Reads a page's text back, with its title and the names of the world."""

    def __init__(self, page: Page, world: Names) -> None:
        self.page, self.world = page, world
        self.own = page.subject
        self.before = ""  # the last sentence, if it states something
        self.titles = {world.title(e): e for e in range(world.num_entities)}

    def entity(self, link: str) -> int:
        title, _, shown = link.partition("|")
        e = self.titles[title]
        assert not shown or shown in self.world.aliases(e)
        return e

    def value(self, text: str, name: str) -> int:
        relation = relation_named(name)
        if relation.to_entity:
            return self.entity(text)
        if relation.object == "number":
            figure, _, scale = text.replace(",", "").partition(" ")
            return round(float(figure) * {"": 1, "thousand": 1000, "million": 10**6}[scale])
        if relation.object == "date":
            if "-" in text:
                return int(text.replace("-", ""))
            day, month, year = (text.replace(",", "").split() if text[0].isdigit() else None) or [
                text.replace(",", "").split()[i] for i in (1, 0, 2)
            ]
            return int(year) * 10_000 + (MONTHS.index(month) + 1) * 100 + int(day)
        if relation.object == "term":
            return VOCABULARY[name].index(text)
        return int(text) if relation.object == "year" else 0

    def linked(self, text: str) -> str:
        """The subject's own mentions as links, too."""
        e = self.own
        names = {
            self.world.name(e): self.world.title(e),
            **{x: f"{self.world.title(e)}|{x}" for x in self.world.aliases(e)},
        }
        pattern = re.compile(
            r"\[\[[^\]]*\]\]|" + "|".join(rf"\b{re.escape(x)}\b" for x in sorted(names, key=len, reverse=True))
        )
        return pattern.sub(lambda m: m[0] if m[0].startswith("[[") else f"[[{names[m[0]]}]]", text)

    def prose(self, text: str) -> list[Fact]:
        facts, at = [], 0
        kind = self.world.kind(self.own) if self.own >= 0 else ""
        choices = [x for x in sentences()[""] + (sentences()[kind] if kind else []) if x.literal in text]
        while at < len(text):
            readings = {}
            for sentence in choices:
                if (match := sentence.pattern.match(text, at)) and (read := sentence.read(match, self)) is not None:
                    readings[match.end(), tuple(read)] = sentence
            assert len({(end, normal(r)) for end, r in readings}) == 1, (text[at:], readings)
            (end, read), sentence = next(iter(readings.items()))
            if sentence.pronoun:  # nobody else was spoken of that it could mean
                like = self.world.kind(self.own) == "person"
                others = [self.entity(x) for x in re.findall(ENTITY, self.before)]
                assert self.before
                assert all(e == self.own or (self.world.kind(e) == "person") != like for e in others), (
                    self.before,
                    text[at:],
                )
            self.before = "" if sentence.filler else text[at:end]
            facts += read
            at = end + 1
        return facts

    def box(self, line: str) -> list[Fact] | None:
        kind = self.world.kind(self.own)
        readings = []
        for name, keys in read_sections("wording.txt").items():
            if relation_named(name).subject == kind:
                unit = f" {keys['unit'][0]}" if "unit" in keys else ""
                for label in keys.get("box", ()):
                    head = re.escape(label).replace(r"\{year\}", str(self.page.year))
                    terms = r"(?: \((\d{4})(?:-(\d{4}|present))?\))?"
                    if match := re.fullmatch(rf"{head}: {value_pattern(name)}{unit}{terms}", line):
                        start, end = match[2], match[3]
                        last = (
                            -1
                            if start is None
                            else int(start)
                            if end is None
                            else OPEN
                            if end == "present"
                            else int(end)
                        )
                        readings.append([(self.own, name, self.value(match[1], name), int(start or -1), last)])
        for (first, second), label in BOX_PAIRS.items():
            match = re.fullmatch(rf"{label}: {value_pattern(first)}, {value_pattern(second)}", line)
            if match and relation_named(first).subject == kind:
                pair = ((1, first), (2, second))
                readings.append([(self.own, name, self.value(match[i], name), -1, -1) for i, name in pair])
        assert len(readings) < 2, (line, readings)
        return readings[0] if readings else None

    def heading(self, line: str) -> tuple[str, str] | None:
        kind, found = self.world.kind(self.own), []
        for name, keys in read_sections("wording.txt").items():
            relation = relation_named(name)
            for key, of in (("s_list", relation.subject), ("o_list", relation.object)):
                for text in keys.get(key, ()):
                    if of == kind and re.fullmatch(
                        Sentence(text, {"o": name}, kind).pattern.pattern[: -len(END)] + ":", line
                    ):
                        found.append((name, key))
        assert len(found) < 2, (line, found)
        return found[0] if found else None

    def entry(self, line: str, name: str, side: str) -> Fact:
        match = re.fullmatch(rf"- {ENTITY}(?:, (\d{{4}})(?:-(\d{{4}}|present))?)?", line)
        assert match, line
        e = self.entity(match[1])
        start = int(match[2] or -1)
        end = start if match[3] is None else OPEN if match[3] == "present" else int(match[3])
        return (self.own, name, e, start, end) if side == "s_list" else (e, name, self.own, start, end)

    def article(self, text: str) -> list[Fact]:
        facts: list[Fact] = []
        section = None
        lines = self.linked(text).split("\n")
        if self.page.genre:
            assert lines.pop(0) in [text.format(year=self.page.year) for text in OPENINGS[self.page.genre]]
        if self.page.genre == "letter":
            assert lines.pop() in CLOSINGS
        for line in lines:
            if self.page.genre == "forum" and line.startswith(tuple(f"{writer}: " for writer in WRITERS)):
                line = line.partition(": ")[2]
            if line.startswith(ASIDES):
                self.before = ""
                facts += self.prose(line.partition(": ")[2])
            elif line.startswith("- "):
                assert section, line
                facts.append(self.entry(line, *section))
            elif line.endswith(":"):
                section = self.heading(line)
                assert section, line
            else:
                section = None
                boxed = self.box(line)
                facts += self.prose(line) if boxed is None else boxed
        return facts

    def shared(self, text: str) -> list[Fact]:
        """A disambiguation page."""
        opening, *lines = text.split("\n")
        assert templates(DISAMBIGUATION).fullmatch(opening)
        facts = []
        for line, e in zip(lines, self.page.members, strict=True):
            entry = f"- [[{self.world.title(e)}]], {article(KIND_NOUNS[self.world.kind(e)][0])}."
            assert line.startswith(entry)
            facts += self.prose(line[len(entry) + 1 :])
        return facts

    def listing(self, text: str) -> list[Fact]:
        opening, *lines = text.split("\n")
        name = self.page.relation
        assert templates(LISTS).fullmatch(opening)
        if self.page.kind == "list":
            terms = relation_named(name).shape == "terms"
            return [self.entry(line, name, "s_list" if terms else "o_list") for line in lines]
        heads, rule, *rows = [line.strip("| ").split(" | ") for line in lines]
        assert heads[0] == KIND_NOUNS[relation_named(name).subject][0].capitalize() and rule
        keys = {read_sections("wording.txt")[c]["box"][0].format(year=self.page.year): c for c in self.page.columns}
        columns = [keys[head] for head in heads[1:]]
        facts = []
        for first, *cells in rows:
            match = re.fullmatch(ENTITY, first)
            assert match and len(cells) == len(columns)
            e = self.entity(match[1])
            facts.append((e, name, self.own, -1, -1))
            for column, cell in zip(columns, cells, strict=True):
                if cell != "-":
                    unit = f" {read_sections('wording.txt')[column].get('unit', ('',))[0]}".rstrip()
                    value = re.fullmatch(value_pattern(column) + unit, cell)
                    assert value, cell
                    facts.append((e, column, self.value(value[1], column), -1, -1))
        return facts


def normal(facts: object) -> tuple[Fact, ...]:
    """Symmetric relations read the same from both sides."""
    assert isinstance(facts, tuple | list)
    out = []
    for subject, name, value, start, end in facts:
        if relation_named(name).symmetric and value < subject:
            subject, value = value, subject
        out.append((subject, name, value, start, end))
    return tuple(sorted(out))


def told(page: Page) -> tuple[Fact, ...]:
    return normal([(x.subject, x.relation, x.object, x.start, x.end) for x in page.statements])


def read(page: Page, world: Names, text: str) -> tuple[Fact, ...]:
    """What a page's markup says."""
    reader = Reader(page, world)
    if page.kind in ("list", "table"):
        return normal(reader.listing(text))
    return normal(reader.shared(text) if page.kind == "disambiguation" else reader.article(text))


class Relinker:
    """Makes every name and alias in a plain text a link again, longest first: what a human sees."""

    def __init__(self, world: Names) -> None:
        every = range(world.num_entities)
        self.links = {world.title(e): world.title(e) for e in every}
        self.links |= {alias: f"{world.title(e)}|{alias}" for e in every for alias in world.aliases(e)}
        names = "|".join(map(re.escape, sorted(self.links, key=len, reverse=True)))
        self.pattern = re.compile(rf"(?<!\w)(?:{names})(?!\w)")

    def __call__(self, text: str) -> str:
        return self.pattern.sub(lambda m: f"[[{self.links[m[0]]}]]", text)
