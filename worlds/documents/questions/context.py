"""The context of a draft: draws, names, words, and the oracle's plan as it grows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from turnwise.core.draw import Draw
from turnwise.worlds.documents import World
from turnwise.worlds.documents.phrases import KIND_NOUNS, article, phrases, spoken
from turnwise.worlds.documents.questions.base import Step
from turnwise.worlds.documents.questions.draw import Shelf
from turnwise.worlds.documents.questions.known import stated_in
from turnwise.worlds.documents.questions.logic import Fact, Follow, Named, Query
from turnwise.worlds.documents.questions.surfaces import entity_forms, value_forms
from turnwise.worlds.documents.schema import VOCABULARY, relation_named

__all__ = ["Context", "Lost", "follow", "kin", "listed"]

_MAX_TEXT = 600
_SHORT = 7  # words of a description that may stand before a verb: "When was the university that X attended founded?"
_RIGHT = re.compile(r"\{\}(?: in \{year\})?\??$")
_FAR_FETCHED = frozenset(
    (step, "city_founded")
    for step in (
        "born_in",
        "died_in",
        "residence",
        "held_in",
        "set_in",
        "stands_in",
        "headquarters",
        "campus",
        "twin_city",
    )
) | {("based_on", "based_on"), ("twin_city", "twin_city"), ("flows_into", "flows_into")}
"""Facts in a row that nobody would ask for together: when the city was founded in which somebody died."""
_FIRST = (
    "I am reading about {}.",
    "My question is about {}.",
    "I have come across a mention of {}.",
    "I would like to know more about {}.",
)
_GRANDPARENT = re.compile(r"\bthe (mo|fa)ther of the (mo|fa)ther of ")


class Lost(Exception):
    """The draft has failed."""


@dataclass(slots=True)
class Context:
    """One draft of a question.

    Attributes:
        world, shelf, draw: Where facts come from.
        hops: The requested number.
        aliases: Probability that an entity is called by its alias, if it has one.
        paraphrase: Use any of the phrases of a relation; else always the plainest.
        distractors: Maximum number of unnecessary true facts that the text adds to a named entity.
        terse: Use the shortest wording ("spouse of mentor of Bak?") and queries with only names.
        steps: The plan so far.
        names: The names as the text writes them.
        plain: The names, with their articles: what is not a description.
    """

    world: World
    shelf: Shelf
    draw: Draw
    hops: int
    aliases: float = 0.0
    paraphrase: bool = True
    distractors: int = 0
    terse: bool = False
    steps: list[Step] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    _called: dict[int, str] = field(default_factory=dict)

    def fresh(self) -> "Context":
        """Return the same draft from its beginning, without names and steps."""
        return replace(self, steps=[], names=[], _called={}, plain=set())

    # ---- words ----------------------------------------------------------------------------------------------------

    def one(self, options: Sequence[str]) -> str:
        """Choose one of the phrases; a draft without one fails."""
        if not options:
            raise Lost
        return options[self.draw.below(len(options)) if self.paraphrase and len(options) > 1 else 0]

    def name(self, entity: int, bare: bool = False) -> str:
        """Name an entity in the text; its name must be unique."""
        world = self.world
        if world.is_shared(entity):
            raise Lost
        surface = world.name(entity)
        if self.aliases and self.draw.unit() < self.aliases and (others := world.aliases(entity)):
            surface = self.draw.choice(others)
        self._called[entity] = surface
        self.names.append(surface)
        text = surface if self.terse else spoken(world.kind(entity), surface)
        self.plain.add(text)
        return text if bare or not self.distractors else text + self._aside(entity)

    def named(self, entity: int) -> Named:
        """Return the expression for an entity that `name` has named."""
        return Named(self._called[entity])

    def named_as(self, entity: int) -> Named:
        """Return the expression for an entity that a clue may name."""
        return Named(self._called.get(entity, self.world.name(entity)))

    def _aside(self, entity: int) -> str:
        """Write true but irrelevant facts about an entity, in parentheses."""
        said = []
        facts = [f for f in self.shelf.steps_from(entity) if phrases(f.relation).clause]
        for _ in range(1 + self.draw.below(self.distractors)):
            if facts:
                said.append(self.clause(self.draw.take(facts)))
        noun = KIND_NOUNS[self.world.kind(entity)][0]
        return f" (the {noun} {' and '.join(said)})" if said else ""

    def value(self, fact: Fact) -> str:
        """Write the object of a fact in words; its name need not be unique."""
        relation = relation_named(fact.relation)
        if relation.to_entity:
            return spoken(relation.object, self.world.name(fact.object))
        if relation.object == "number":
            return f"{fact.object:,}"
        return value_forms(fact.relation, fact.object)[0]

    def clause(self, fact: Fact, object: str = "") -> str:
        """Write the clause after "the city" that states the fact; ``object`` replaces its object, if given."""
        value = object or self.value(fact)
        if relation_named(fact.relation).object == "term" and fact.relation != "industry":
            value = article(value)
        return self.one(phrases(fact.relation).clause).format(value)

    def fitting(self, options: Sequence[str], inner: str) -> str:
        """Choose a phrase; for a description, one that ends with it, so that descriptions do not pile up before verbs.

        >>> _RIGHT.search("the river into which {} flows"), bool(_RIGHT.search("the river fed by {}"))
        (None, True)
        """
        if inner in self.plain or inner.startswith("that "):
            return self.one(options)
        return self.one([text for text in options if _RIGHT.search(text)] or options)

    def noun(self, relation: str, inner: str) -> str:
        """Return the noun phrase for the object of a relation."""
        if self.terse:
            return f"{phrases(relation).short} of {inner}"
        options = phrases(relation).noun
        begins = " ".join(inner.split()[:2])  # not "the person married to the person who"
        if inner not in self.plain:
            options = tuple(text for text in options if not text.startswith(begins)) or options
        return self.fitting(options, inner).format(inner)

    def ask(self, relation: str, inner: str) -> str:
        """Return the question for the object of a relation."""
        if self.terse:
            return f"{phrases(relation).short} of {inner}?"
        options = phrases(relation).ask
        text = (self.one(options) if len(inner.split()) <= _SHORT else self.fitting(options, inner)).format(inner)
        if len(text) > _MAX_TEXT:
            raise Lost
        return text

    def ask_path(self, path: Sequence[Fact], inner: str) -> str:
        """Return the question for the end of a path of facts that begins at the entity described by ``inner``.

        A path of more than three facts is told in several sentences: "I am reading about the teacher of the author of
        X. Which river runs through the birthplace of that person?"
        """
        before, facts = "", list(path)
        if any((one.relation, then.relation) in _FAR_FETCHED for one, then in pairwise(path)):
            raise Lost
        if len(facts) > 3 and not self.terse:
            for fact in facts[:-3]:
                inner = self.noun(fact.relation, inner)
            before, inner = self.introduced(inner, relation_named(facts[-4].relation).object)
            del facts[:-3]
        for fact in facts[:-1]:
            inner = self.noun(fact.relation, inner)
        return before + kin(self.ask(facts[-1].relation, inner))

    def introduced(self, shown: str, kind: str) -> tuple[str, str]:
        """Give a description a sentence of its own; return that, and how to refer to what it describes."""
        return self.one(_FIRST).format(kin(shown)) + " ", f"that {KIND_NOUNS[kind][0]}"

    # ---- the plan -------------------------------------------------------------------------------------------------

    def known(self, entity: int) -> str:
        """Return the name of an entity; if only an alias is known so far, add a step that finds the name."""
        surface, name = self._called[entity], self.world.name(entity)
        if surface != name:
            relation, number = self._alias(entity, surface)
            documents = tuple(stated_in(self.world, Fact(entity, relation, number)))
            if not documents:
                raise Lost
            words = surface if self.terse else f"{surface} {phrases(relation).key}"
            self.steps.append(Step(words, entity_forms(self.world, entity), documents))
            self._called[entity] = name
        return name

    def _alias(self, entity: int, surface: str) -> tuple[str, int]:
        kind = self.world.kind(entity)
        for relation in self.world.relations:
            if relation.object == "name" and relation.subject == kind:
                return relation.name, self.world.aliases(entity).index(surface)
        raise Lost

    def met(self, entity: int, surface: str = "") -> None:
        """Record that the oracle has read about an entity."""
        self._called.setdefault(entity, surface or self.world.name(entity))

    def _read_of(self, entity: int, surface: str) -> tuple[str, ...]:
        """Record that the oracle reads about an entity; return its accepted forms, the document's first."""
        self.met(entity, surface)
        return tuple(dict.fromkeys((surface, *entity_forms(self.world, entity))))

    def find(self, fact: Fact, more: str = "") -> None:
        """Add a step that finds the object of a fact from its subject."""
        surface = self.known(fact.subject)
        documents, form = self._told(fact, subject=False)
        words = surface if self.terse else f"{surface} {self._sought(fact, documents)}{more}"
        if relation_named(fact.relation).to_entity:
            answer = self._read_of(fact.object, form)
        else:
            answer = value_forms(fact.relation, fact.object)
        self.steps.append(Step(words, answer, documents))

    def _sought(self, fact: Fact, documents: Sequence[int]) -> str:
        """Return what to search for besides the subject: the relation, or the object's kind if only its page tells."""
        object = relation_named(fact.relation).object
        if object == "person" or object not in KIND_NOUNS or self.world.page_of(fact.subject) in documents:
            return phrases(fact.relation).key
        return KIND_NOUNS[object][0]

    def find_path(self, path: Sequence[Fact]) -> None:
        """Add steps along a path."""
        for fact in path:
            self.find(fact)

    def find_subject(self, facts: Sequence[Fact]) -> None:
        """Add steps that find the subject of several facts from their objects.

        One step is enough if one page states everything. Otherwise the first finds it by one fact, if possible on the
        object's page, possibly among others; the next ones look up the other facts.
        """
        subject = facts[0].subject
        words = [self._condition(fact) for fact in facts]
        told = [self._told(fact, subject=True) for fact in facts]
        together = set.intersection(*(set(documents) for documents, _ in told))
        if together:
            kept = tuple(n for n in told[0][0] if n in together)
            self.steps.append(Step(" ".join(words), self._read_of(subject, told[0][1]), kept))
            return
        linked = [n for n, fact in enumerate(facts) if relation_named(fact.relation).to_entity]
        first = next((n for n in linked if self.world.page_of(facts[n].object) in told[n][0]), linked[0])
        self.steps.append(Step(words[first], self._read_of(subject, told[first][1]), told[first][0]))
        for n, fact in enumerate(facts):
            if n != first:
                self.find(fact)

    def find_back(self, fact: Fact) -> None:
        """Add a step that finds the subject of a fact from its object, which is known."""
        documents, form = self._told(fact, subject=True)
        self.steps.append(Step(self._condition(fact), self._read_of(fact.subject, form), documents))

    def find_members(self, relation: str, entity: int, members: Sequence[int]) -> None:
        """Add a step that finds all subjects (of terms: objects) of one entity, in a document that states all."""
        described = relation_named(relation)
        terms = described.shape == "terms"
        surface = self.known(entity)
        documents = self.together(relation, entity, members)
        if not documents:
            raise Lost
        title = described.list_title.format(surface)
        words = surface if self.terse else title or f"{surface} {phrases(relation).key}"
        told = {number: listed(self.world, number, relation, terms) for number in documents}
        forms = told[documents[0]]
        documents = tuple(number for number in documents if told[number] == forms)
        for member in members:
            self.met(member, forms.get(member, ""))
        answer = tuple(self._called[member] for member in members)
        self.steps.append(Step(words, answer, documents))

    def together(self, relation: str, entity: int, members: Sequence[int]) -> tuple[int, ...]:
        """Return the documents each of which states all members."""
        world, found = self.world, None
        terms = relation_named(relation).shape == "terms"
        for member in members:
            pair = (entity, relation, member) if terms else (member, relation, entity)
            here = set(world.where(*pair).tolist())
            found = here if found is None else found & here
            if not found:
                return ()
        return tuple(sorted(found or ()))

    def _condition(self, fact: Fact) -> str:
        key = phrases(fact.relation).key
        if relation_named(fact.relation).to_entity:
            return f"{self.known(fact.object)} {KIND_NOUNS[relation_named(fact.relation).subject][0]} {key}"
        if fact.relation in VOCABULARY:
            return self.value(fact)
        return f"{self.value(fact)} {key}"

    def _told(self, fact: Fact, subject: bool) -> tuple[tuple[int, ...], str]:
        """Return documents that state a fact with one form of its subject (or object), and that form."""
        documents = stated_in(self.world, fact)
        if not documents:
            raise Lost
        if not subject and not relation_named(fact.relation).to_entity:
            return tuple(documents), ""
        entity = fact.subject if subject else fact.object
        others = self.world.aliases(entity)
        if not others:
            return tuple(documents), self.world.name(entity)
        forms = {n: self._form(n, fact, entity) for n in documents}
        form = min(forms.values())
        kept = tuple(n for n in documents if forms[n] == form)
        return kept, others[form - 1] if form else self.world.name(entity)

    def _form(self, number: int, fact: Fact, entity: int) -> int:
        """Return the form in which a document writes an entity when it states a fact: 0 for its name."""
        page = self.world.page(number)
        if page.subject == entity:
            return 0
        pairs = ((fact.subject, fact.object), (fact.object, fact.subject))
        for said in page.statements:
            if said.relation == fact.relation and (said.subject, said.object) in pairs:
                return said.subject_form if said.subject == entity else said.object_form
        return 0


def kin(text: str) -> str:
    """Call a parent of a parent what people call them.

    >>> kin("Who was the mother of the father of Bak?")
    'Who was the paternal grandmother of Bak?'
    """
    sides = {"mo": "maternal", "fa": "paternal"}
    return _GRANDPARENT.sub(lambda found: f"the {sides[found[2]]} grand{found[1]}ther of ", text)


def listed(world: World, number: int, relation: str, terms: bool) -> dict[int, str]:
    """Return the names that a document uses for the members of the relation that it lists."""
    forms = {}
    for said in world.page(number).statements:
        if said.relation == relation:
            member, form = (said.object, said.object_form) if terms else (said.subject, said.subject_form)
            forms[member] = world.aliases(member)[form - 1] if form else world.name(member)
    return forms


def follow(start: Query, path: Sequence[Fact]) -> Query:
    """Return the expression for the end of a path."""
    for fact in path:
        start = Follow(start, fact.relation)
    return start
