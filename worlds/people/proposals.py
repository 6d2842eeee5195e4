"""What proposals and refusals ask of somebody: leave to do it, to keep things as they are, something else instead."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from turnwise.worlds.people.acts import Act
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.part import Fact, Wish
from turnwise.worlds.people.values import mentions, mismatch, named

__all__ = [
    "answers_first",
    "asked_too",
    "is_anew",
    "is_denied",
    "is_kept",
    "is_known",
    "is_other",
    "is_otherwise",
    "keeps",
    "may_be_open",
    "names_fallback",
    "proposes",
]

_COUNT: Final = re.compile(r"\d+(?= [a-z])")
_FIGURE: Final = re.compile(r"\d|\b(?:no|none|nothing|one|two|three|four|five|six|seven|eight|nine|ten)\b")
_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def proposes(act: Act) -> bool:
    """Whether a question asks for leave to do something, so that it has to be answered with yes or no."""
    return any(TURNS["leave"].search(line) for line in act.text.split("\n") if line.endswith("?"))


def is_kept(acts: Iterable[Act]) -> bool:
    """Whether it is proposed to leave everything as it is."""
    return any(TURNS["keeping"].search(line) for act in acts for line in act.text.split("\n"))


def is_other(act: Act) -> bool:
    """Whether something else is proposed in place of what was wanted: "would you like one of the others instead?"."""
    return any(TURNS["other_one"].search(line) for line in act.text.split("\n"))


def keeps(by: Mapping[str, Sequence[Act]]) -> bool:
    """Whether they may choose to leave everything as it is: "you can keep it or cancel it; which would you like?"."""
    if "ask_open" not in by:
        return False
    return any(TURNS["kept"].search(act.text) for kind in ("offer", "ask_open") for act in by.get(kind, ()))


_MEANT = re.compile(r"\?$|\b(?:i|we)(?: (?:can|could|will|would)\b|['’](?:ll|d)\b)")  # no mere possibility


def names_fallback(wish: Wish, heard: str) -> bool:
    """Whether a text names what somebody would ask for instead, by a detail that differs, and by its number if any."""
    if wish.fallback is None:
        return False
    wanted = {fact.slot: fact.value for fact in wish.facts}
    return any(wanted.get(fact.slot, fact.value) != fact.value and _counts(heard, fact) for fact in wish.fallback.facts)


def offered_instead(wish: Wish, by: Mapping[str, Sequence[Act]], suits: bool) -> list[Act]:
    """What a message proposes that may be what somebody asks for instead; ``suits`` if it names that by a detail.

    One of two things to do counts if it is something else than what was wanted: "shall I cancel it, or leave it?", "it
    can be paid later, or I can charge it to your card".
    """
    other = wish.fallback is not None and wish.fallback.action != wish.action
    offers = [act for act in by.get("offer", ()) if suits or (other and _MEANT.search(act.text) is not None)]
    return [*by.get("confirm", ()), *offers]


def offers_fallback(wish: Wish, by: Mapping[str, Sequence[Act]], heard: str) -> bool:
    """Whether a message offers, or asks about, what somebody would ask for instead: "would three hours do?"."""
    if by.keys() & {"confirm", "offer"}:
        return names_fallback(wish, heard)
    return any(names_fallback(wish, act.text) for act in by.get("ask", ()))


def offers_wanted(wish: Wish, offers: Iterable[Act]) -> bool:
    """Whether an offer names the number that somebody wants: "shall I add 4, or leave it?"."""
    return any(_COUNT.match(fact.value) and _counts(act.text, fact) for act in offers for fact in wish.facts)


def _counts(text: str, fact: Fact) -> bool:
    """Whether a text names a fact, or its number."""
    if named(text, fact):
        return True
    if (count := _COUNT.match(fact.value)) is None or (number := int(count.group())) >= len(_WORDS):
        return False
    return mentions(text, count.group()) or mentions(text, _WORDS[number])


def is_anew(act: Act) -> bool:
    """Whether a refusal refuses for certain what was refused before."""
    return any(TURNS[turn].search(act.text) for turn in ("barred", "still_no"))


def is_otherwise(by: Mapping[str, Sequence[Act]], facts: Iterable[Fact], slip: Fact | None) -> bool:
    """Whether a message refuses something by a detail, and proposes it with another one."""
    facts = tuple(facts)
    wrong = [mismatch(act.text, facts, slip) for act in by.get("confirm", ())]
    told = "\n".join(act.text for act in by.get("refuse", ()))
    return any(pair is not None and named(told, pair[0]) for pair in wrong)


def may_be_open(proposals: Iterable[Act], wishes: Sequence[Wish], closed: Sequence[str]) -> bool:
    """Whether what is proposed at last may be what somebody took for done, or what only a colleague can do."""
    if any(act.slot for act in proposals):
        return any(wish.action == "beyond" for wish in wishes)
    done = [wish for wish, outcome in zip(wishes, closed, strict=True) if outcome == "done"]
    wanted = {name for wish in done for one in (wish, wish.fallback) if one for name in (one.action, *one.also)}
    return all(
        wanted & set(act.actions)
        if act.actions
        else closed[-1] == "done" and any(TURNS["bare_leave"].search(line) for line in act.text.split("\n"))
        for act in proposals
    )


def asked_too(actions: set[str], settled: Iterable[Wish]) -> bool:
    """Whether the opening of something that is settled asked for one of the actions as well."""
    return any(not actions.isdisjoint(wish.fallback.also) for wish in settled if wish.fallback is not None)


def is_denied(proposals: Iterable[Act], refusals: Iterable[Act], wanted: Callable[[tuple[str, ...]], bool]) -> bool:
    """Whether what is wanted may be refused, and what is proposed beside that may be something else."""
    return all(act.maybe for act in proposals) and any(not act.actions or wanted(act.actions) for act in refusals)


def answers_first(by: Mapping[str, Sequence[Act]], wanted: Callable[[tuple[str, ...]], bool]) -> bool:
    """Whether a message tells a number or a day before it offers to do something that nobody asked for."""
    offered = by.get("confirm", ())
    if not offered or by.keys() - {"confirm", "offer", "answer", "ask_more", "bye"}:
        return False
    if not all(act.actions and proposes(act) and not wanted(act.actions) for act in offered):
        return False
    told = [line for act in offered for line in act.text.split("\n") if not line.endswith("?")]
    return any(_FIGURE.search(line) and not TURNS["pending"].search(line) for line in told)


def is_known(acts: Iterable[Act], settled: Sequence[Wish], closed: Sequence[str]) -> bool:
    """Whether some act is about what was settled before, or what was done in its place."""
    known = {wish.action for wish in settled}
    known |= {
        wish.fallback.action
        for wish, outcome in zip(settled, closed, strict=False)
        if wish.fallback is not None and outcome == "done"
    }
    return any(known & set(act.actions) for act in acts)
