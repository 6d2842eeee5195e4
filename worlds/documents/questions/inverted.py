"""Inverted questions: many weak clues, of which only all together fit a single entity.

Source: the shape of BrowseComp (Wei et al., arXiv 2504.12516): an answer that is easy to check and hard to find.
"""

from turnwise.worlds.documents.phrases import KIND_NOUNS, article, spoken
from turnwise.worlds.documents.questions.compare import property_of
from turnwise.worlds.documents.questions.context import Context, Lost
from turnwise.worlds.documents.questions.hints import TYPES, YEARS, Clue, clues_of, described, linked, period, typed
from turnwise.worlds.documents.questions.known import Columns
from turnwise.worlds.documents.questions.logic import Both, Fact, Follow, Having, Query, evaluate
from turnwise.worlds.documents.questions.settle import Draft
from turnwise.worlds.documents.schema import NONE, VOCABULARY, Kind, relation_named

__all__ = ["inverted"]

_MOST = 6
_WEAK = 3
"""The fewest entities that each clue fits, so that none of them gives the answer away."""
_BRIEF = 3  # words of a description that may stand inside a predicate: "once had a poet as mayor"
_MADE = {
    "novel": ("wrote", "written"),
    "poem": ("wrote", "written"),
    "play": ("wrote", "written"),
    "symphony": ("composed", "composed"),
    "painting": ("painted", "painted"),
}
_SOUGHT: tuple[Kind, ...] = ("person", "work", "organisation", "event", "building", "species", "city")


def inverted(ctx: Context) -> Draft:
    """Ask for the one entity that fits up to seven clues; from three hops on for a fact about it.

    One clue names an entity, from four hops on an entity that is two or three facts away; the others describe.
    """
    kinds = [kind for kind in _SOUGHT if kind in ctx.shelf.kinds and kind not in ctx.shelf.minor]
    entity = ctx.shelf.entity(ctx.draw, ctx.draw.choice(kinds)) if kinds else None
    if entity is None:
        raise Lost
    kind = ctx.world.kind(entity)
    links = ctx.draw.shuffled(clues_of(ctx, entity))
    anchored, link = _anchored(ctx, entity, links, max(1, ctx.hops - 2))
    head, clues = _own(ctx, entity)
    left = [anchored, *clues]
    for predicate, side, fact in links:
        if len(left) < _MOST and fact is not link and fact.relation not in {f.relation for c in left for f in c.facts}:
            other = fact.object if side == "s" else fact.subject
            if ctx.world.is_shared(other) or (clue := described(ctx, other)) is None:
                continue
            if fact.relation == "author" and [known.relation for known in clue.facts] in (
                ["occupation"],
                ["work_type"],
            ):
                continue  # "a poem written by a poet"
            if not predicate.endswith("{}") and len(clue.words.split()) > _BRIEF:
                continue
            fits = linked(side, fact.relation, clue.query)
            left.append(Clue(predicate.format(clue.words), fits, (fact, *clue.facts)))
    chosen, queries = _enough(ctx, entity, head, left)
    noun = KIND_NOUNS[kind][0]
    clues_said = [_in_trade(clue.words, head.words) for clue in chosen if clue.words]
    it = "This person" if kind == "person" else "It"
    said = ctx.draw.shuffled(clues_said)
    opening = ctx.one(("I am trying to identify {}.", "I am looking for {}.", "Help me identify {}."))
    sought = head.words
    if (
        clues
        and clues[0].words in said
        and (kind == "person" or any(words.startswith("was founded by") for words in said) or ctx.draw.unit() < 0.5)
    ):  # "a poet born in the 1890s"
        said.remove(clues[0].words)
        sought += f" {'that ' * (kind == 'work')}{clues[0].words.removeprefix('was ')}"
    text = f"{opening.format(sought)} {_sentences(it, said)}"
    _plan(ctx, entity, anchored, chosen)
    facts = tuple(fact for clue in chosen for fact in clue.facts)
    query: Query = Both(tuple(queries))
    if ctx.hops < 3:
        ask = "Who is it?" if kind == "person" else ctx.one((f"Which {noun} is it?", "What is its name?"))
        return Draft(
            text=f"{text} {ask}",
            hops=1 + len(anchored.facts),
            query=query,
            meant=frozenset({entity}),
            relation=_named_by(entity, facts),
            needed=anchored.facts,
            besides=facts,
            form="text",
            entities=True,
            contested=True,
        )
    sought = head.words.partition(" ")[2]
    ask, last = property_of(ctx, entity, "", f"that {sought}")
    if sought in _MADE:
        ask = ask.replace("Who created", f"Who {_MADE[sought][0]}")
    if last in facts or (relation_named(last.relation).to_entity and last.object == anchored.anchor):
        raise Lost
    return Draft(
        text=f"{text} {ask}",
        hops=2 + len(anchored.facts),
        query=Follow(query, last.relation),
        meant=frozenset({last.object}),
        relation=last.relation,
        needed=(*anchored.facts, last),
        besides=facts,
    )


def _in_trade(words: str, head: str) -> str:
    """Say of a work how works of its type are made.

    >>> _in_trade("was created by a poet born in the 1890s", "a play"), _in_trade("created a novel", "a person")
    ('was written by a poet born in the 1890s', 'wrote a novel')
    """
    for noun, (did, done) in _MADE.items():
        words = words.replace(f"created a {noun}", f"{did} a {noun}")
        if head.endswith(f" {noun}"):
            words = words.replace("was created by", f"was {done} by", 1)
        words = words.replace(f"a {noun} that was created by", f"a {noun} {done} by")
    return words


def _named_by(entity: int, facts: tuple[Fact, ...]) -> str:
    """Return a relation that the entity is the subject of, or else any."""
    return next((fact.relation for fact in facts if fact.subject == entity), facts[0].relation)


def _own(ctx: Context, entity: int) -> tuple[Clue, list[Clue]]:
    """Return the head noun, by the entity's type, and a clue for its time."""
    kind = ctx.world.kind(entity)
    noun, relation = KIND_NOUNS[kind][0], TYPES.get(kind, "")
    value = ctx.shelf.value(entity, relation) if relation in ctx.shelf.relations else NONE
    head = Clue(article(noun), Both(()), ())
    if value != NONE:
        noun = typed(kind, VOCABULARY[relation][value])
        head = Clue(article(noun), Having(relation, "==", value), (Fact(entity, relation, value),))
    time, participle = YEARS.get(kind, ("", ""))
    value = ctx.shelf.value(entity, time) if time in ctx.shelf.relations else NONE
    if value == NONE:
        return head, []
    decades = 2 + ctx.draw.below(4)
    words, when = period(time, value, decades, ctx.draw.below(decades), ctx.world.year)
    verb = participle.removeprefix("that ") if participle.startswith("that ") else f"was {participle}"
    return head, [Clue(f"{verb} {words}", when, (Fact(entity, time, value),))]


def _anchored(ctx: Context, entity: int, links: list[tuple[str, str, Fact]], depth: int) -> tuple[Clue, Fact]:
    """Return a clue that names an entity ``depth`` facts away, which fits several, and the link that it uses."""
    for predicate, side, fact in links:
        other = fact.object if side == "s" else fact.subject
        if depth > 1 and not predicate.endswith("{}"):
            continue
        clue = _about(ctx, other, depth - 1, {entity, other}) if _usable(ctx, fact, other) else None
        if clue is None:
            continue
        query = linked(side, fact.relation, clue.query)
        if len(evaluate(query, Columns(ctx.world))) >= _WEAK:
            if depth == 1:
                clue = Clue(ctx.name(other), clue.query, (), other)
            else:
                ctx.name(clue.anchor)
            return Clue(predicate.format(clue.words), query, (*clue.facts, fact), clue.anchor), fact
    raise Lost


def _about(ctx: Context, entity: int, depth: int, met: set[int]) -> Clue | None:
    """Describe an entity as a noun phrase by a chain of that many facts from a name; None if the draw finds none."""
    kind = ctx.world.kind(entity)
    if not depth:
        return Clue(spoken(kind, ctx.world.name(entity)), ctx.named_as(entity), (), entity)
    for predicate, side, fact in ctx.draw.shuffled(clues_of(ctx, entity))[:4]:
        other = fact.object if side == "s" else fact.subject
        if other in met or not predicate.endswith("{}") or not _usable(ctx, fact, other):
            continue
        inner = _about(ctx, other, depth - 1, met | {other})
        if inner is not None:
            query = linked(side, fact.relation, inner.query)
            noun = KIND_NOUNS[kind][0]
            several = len(evaluate(query, Columns(ctx.world))) > 1
            which = f"{article(noun) if several else f'the {noun}'} {'who' if kind == 'person' else 'that'}"
            words = f"{which} {predicate.format(inner.words)}"
            words = words.replace("the city that is the birthplace of", "the birthplace of")
            return Clue(words, query, (*inner.facts, fact), inner.anchor)
    return None


def _usable(ctx: Context, fact: Fact, other: int) -> bool:
    return not ctx.world.is_shared(other) and relation_named(fact.relation).shape != "terms"


def _enough(ctx: Context, entity: int, head: Clue, clues: list[Clue]) -> tuple[list[Clue], list[Query]]:
    """Take clues, the anchored one first, until only the entity fits and they are enough; each of them is weak.

    Raises:
        Lost: They do not suffice, or two do.
    """
    facts = Columns(ctx.world)
    least = max(3, ctx.hops)
    chosen, left = [head] if head.facts else [], frozenset[int]()
    if head.facts:
        left = evaluate(head.query, facts)
    for clue in clues:
        fits = evaluate(clue.query, facts)
        if entity not in fits:
            raise Lost
        rest = fits & left if chosen else fits
        if len(fits) >= _WEAK and (not chosen or len(rest) < len(left) or left == {entity}):
            chosen.append(clue)
            left = rest
        elif clue is clues[0]:
            raise Lost
        if left == {entity} and len(chosen) >= least:
            break
    if left != {entity} or len(chosen) < least:
        raise Lost
    said = [Clue("", clue.query, clue.facts) if clue is head else clue for clue in chosen]
    return said, [clue.query for clue in chosen]


def _sentences(it: str, said: list[str]) -> str:
    """Write predicates as one or two sentences."""
    half = (len(said) + 1) // 2 if len(said) > 3 else len(said)
    parts = [said[:half], said[half:]] if len(said) > half else [said]
    return " ".join(f"{it} {_joined(part)}." for part in parts)


def _joined(parts: list[str]) -> str:
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _plan(ctx: Context, entity: int, anchored: Clue, chosen: list[Clue]) -> None:
    """Add the steps: from the name in the text inwards, then a look at everything else that is said."""
    known = anchored.anchor
    for fact in anchored.facts:
        if fact.subject == known:
            ctx.find(fact)
            known = fact.object
        else:
            ctx.find_subject([fact])
            known = fact.subject
    for clue in chosen:
        if clue is anchored:
            continue
        at = entity
        for fact in clue.facts:
            if fact.subject == at or fact.object != at or not relation_named(fact.relation).to_entity:
                ctx.find(fact)
                if relation_named(fact.relation).to_entity:
                    at = fact.object
            else:
                ctx.find_back(fact)
                at = fact.subject
