"""The writer of one page: its choices, names and links, and single sentences."""

from functools import cached_property
from typing import Protocol

from turnwise.worlds.documents.phrases import WITH_ARTICLE
from turnwise.worlds.documents.schema import OPEN, Page, Statement
from turnwise.worlds.documents.wording.text import TEXTS, Texts
from turnwise.worlds.documents.wording.values import date_forms, number_forms

__all__ = ["Named", "Pen", "capitalised", "joined"]

_MASK = 2**64 - 1
_WHEN = ("from {} to {}", "in the years {} to {}", "from {} through {}")
_STARTS = {"s": "{s} ", "o": "{o} "}
_PRONOUNS = ({"He": "It", "he": "it", "His": "Its", "his": "its"}, {"He": "He", "he": "he", "His": "His", "his": "his"},
             {"He": "She", "he": "she", "His": "Her", "his": "her"})  # fmt: skip


class Named(Protocol):
    """The part of a world's interface that the wording needs."""

    def name(self, e: int, /) -> str:
        """Return the name, which may be shared."""

    def title(self, e: int, /) -> str:
        """Return the title, which is unique."""

    def aliases(self, e: int, /) -> tuple[str, ...]:
        """Return the second names."""

    def female(self, e: int, /) -> bool:
        """Tell whether to use female pronouns."""

    def kind(self, e: int, /) -> str:
        """Return the kind, a name in ``KINDS``."""


def capitalised(text: str) -> str:
    """Capitalise a sentence, which may start with the article of a name."""
    return "T" + text[1:] if text.startswith("the ") else text


def joined(parts: list[str]) -> str:
    """Join several parts as in English.

    >>> joined(["Bak", "Fes", "Gor"]), joined(["Bak", "Fes"])
    ('Bak, Fes and Gor', 'Bak and Fes')
    """
    return ", ".join(parts[:-1]) + " and " + parts[-1]


class Pen:
    """Writes a page's sentences; every choice follows from ``page.seed`` and the choices before.

    Args:
        page: The page to write.
        world: The names of its entities.
    """

    def __init__(self, page: Page, world: Named) -> None:
        self.page, self.world = page, world
        self._state = page.seed
        self.own = page.subject if page.kind in ("entity", "stale", "copy") else -1  # never linked on its page
        self._slots = {"year": str(page.year)}

    def pick(self, n: int) -> int:
        """Draw a number below n: the upper bits of a linear congruential generator with Knuth's MMIX constants."""
        self._state = state = (self._state * 6364136223846793005 + 1442695040888963407) & _MASK
        return (state >> 33) * n >> 31

    def choose(self, texts: tuple[str, ...]) -> str:
        """Choose one of the texts."""
        return texts[self.pick(len(texts))]

    def shuffled(self, items: list[Statement]) -> list[Statement]:
        """Return the list in another order."""
        for i in range(len(items) - 1, 0, -1):
            j = self.pick(i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    def link(self, e: int, form: int = 0) -> str:
        """Write the name or alias of an entity as a link, except on its own page; for a shared name, show the title."""
        if e == self.own:
            return self.world.aliases(e)[form - 1] if form else self.world.name(e)
        title = self.world.title(e)
        return f"[[{title}|{self.world.aliases(e)[form - 1]}]]" if form else f"[[{title}]]"

    def spoken(self, e: int, form: int, kind: str) -> str:
        """Write the same as inside a sentence, with its article."""
        text = self.link(e, form)
        if kind in WITH_ARTICLE or (
            kind == "university" and not form and text.lstrip("[").startswith("University of ")
        ):
            return "the " + text
        return text

    def value(self, statement: Statement, texts: Texts, boxed: bool = False) -> str:
        """Write the object as in a sentence, or ``boxed``: in a line, list or table, without an article."""
        kind, value = texts.object, statement.object
        if kind == "entity":
            if boxed:
                return self.link(value, statement.object_form)
            return self.spoken(value, statement.object_form, texts.relation.object)
        if kind == "number":
            forms = number_forms(value)
            which = self.pick(8) - 5  # three quarters of all numbers in the usual form
            return forms[which] if 0 < which < len(forms) else forms[0]
        if kind == "date":
            return date_forms(value)[self.pick(3 if boxed else 2)]
        if kind == "term":
            return texts.terms[value][0]
        if kind == "name":
            return self.world.aliases(statement.subject)[value]
        return str(value)

    def sentence(self, statement: Statement, side: str, pronoun: bool = False) -> tuple[bool, str]:
        """Write one statement as a sentence; return also whether it has a pronoun.

        Args:
            statement: The statement.
            side: "s", or "o" for a sentence that usually starts with the object.
            pronoun: Whether a pronoun may replace the page's subject, which is the statement's subject or, with "o",
                its object.
        """
        texts, slots = TEXTS[statement.relation], self._slots
        relation = texts.relation
        slots["o"] = self.value(statement, texts)
        if texts.object == "term":
            slots["an"] = texts.terms[statement.object][1]
        if pronoun and side == "s" and texts.p and self.pick(2):
            slots.update(self.pronouns)
            return True, self.choose(texts.p).format_map(slots)
        slots["s"] = self.spoken(statement.subject, statement.subject_form, relation.subject)
        choices = texts.o if side == "o" else texts.s
        if relation.shape == "terms":
            if statement.end == OPEN:
                slots["a"] = str(statement.start)
                choices = texts.o_open if side == "o" else texts.s_open
            else:
                slots["when"] = when = self.when(statement)
                slots["when_s"] = when[0].upper() + when[1:]
        text = choices[self.pick(len(choices))]
        if pronoun and text.startswith(_STARTS[side]):
            slots[side] = self.pronouns["He"]
            return True, text.format_map(slots)
        return False, capitalised(text.format_map(slots))

    def together(self, statements: list[Statement], side: str) -> str:
        """Write several statements that share their subject ("s") or object ("o") as one sentence."""
        first = statements[0]
        texts = TEXTS[first.relation]
        relation, slots = texts.relation, self._slots
        if side == "s":
            slots["s"] = self.spoken(first.subject, first.subject_form, relation.subject)
            slots["list"] = joined([self.value(statement, texts) for statement in statements])
            return capitalised(self.choose(texts.s_many).format_map(slots))
        slots["o"] = self.value(first, texts)
        slots["list"] = joined([self.spoken(x.subject, x.subject_form, relation.subject) for x in statements])
        return capitalised(self.choose(texts.o_many).format_map(slots))

    def when(self, statement: Statement) -> str:
        """Write the years of a term that has ended, both inclusive."""
        if statement.start == statement.end:
            return f"in {statement.start}"
        return _WHEN[self.pick(3)].format(statement.start, statement.end)

    @cached_property
    def pronouns(self) -> dict[str, str]:
        """Return the pronouns of the page's subject."""
        if self.world.kind(self.own) != "person":
            return _PRONOUNS[0]
        return _PRONOUNS[2 if self.world.female(self.own) else 1]
