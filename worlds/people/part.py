"""What a scripted person is, knows and wants: frozen data, without a word of how it is played."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from turnwise.core.errors import SettingsError

__all__ = ["MANNERS", "Fact", "Hands", "Lexicon", "Part", "Persona", "Wish"]

_QUESTION: Final = frozenset({"which", "what", "when", "how", "where", "why", "who", "is", "are", "do", "does", "your"})
MANNERS: Final = ("plain", "chatty", "terse", "impatient", "formal", "hesitant")


class Hands(Protocol):
    """A person's own device, which they look at and handle step by step."""

    def __call__(self, step: str) -> str:
        """Carry out a named step, and return what the person sees, in their words."""

    def works(self, what: str) -> bool:
        """Return whether something works, as `Wish.seen` names it."""


@dataclass(frozen=True)
class Fact:
    """One detail that a person may be asked for.

    Attributes:
        slot: What it is: ``"email"``, ``"order_id"``.
        value: The value as the person would write it; empty if they do not know it.
        offered: Whether it is said together with the wish; otherwise only when asked for.
        also: Other spellings of the value.
        others: Values that somebody might name by mistake; the person corrects a proposal that names one of them.
    """

    slot: str
    value: str
    offered: bool = False
    also: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wish:
    """One thing that a person wants.

    Attributes:
        action: A key of `Lexicon.actions`.
        opening: How they bring it up, in a sentence or two that hold nothing that is not ``offered``.
        facts: Details of this wish.
        insists: How many times they push back before they accept a refusal.
        fallback: What they ask for once a refusal is accepted.
        slip: A wrong value of one slot, which they say first and correct in their next message.
        question: Whether they only want to know something; an answer fulfils such a wish.
        answer: Spellings of the right answer, by which it is noticed that one was given; never said.
        seen: What they look at on their own device to see whether it is fulfilled, as `Hands.works` calls it; they do
            not take it from the agent that it is.
        also: Further actions that the opening asks for, to be proposed as well.
    """

    action: str
    opening: str
    facts: tuple[Fact, ...] = ()
    insists: int = 0
    fallback: "Wish | None" = None
    slip: Fact | None = None
    question: bool = False
    answer: tuple[str, ...] = ()
    seen: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Persona:
    """How a person talks.

    Attributes:
        name: The name they go by.
        manner: One of `MANNERS`.
        patience: How many messages in a row may fail to help before they leave.
    """

    name: str
    manner: str = "plain"
    patience: int = 6

    def __post_init__(self) -> None:
        if self.manner not in MANNERS:
            raise SettingsError(f"manner={self.manner!r} is unknown: choose one of {', '.join(MANNERS)}")
        if self.patience < 1:
            raise SettingsError(f"patience={self.patience} must be at least 1")


@dataclass(frozen=True)
class Lexicon:
    """The words in which an agent of one domain will talk.

    Attributes:
        slots: The phrases for each slot; the first one is the person's own. Those under "phone|new_phone" may mean
            either.
        actions: The words for each action. "cancel" is a verb in any form, "put you on" a verb with words that follow;
            of "change|move: flight|date" either verb means the action for certain with one of the objects, and may mean
            it without; "=book|booked" are just these forms; with "*" among the objects anything may be one; "~charge"
            may as well be what another action brings with it; "issue: gift !refund" means it only where "refund" does
            not stand before it or beside it.
        steps: The phrases for each thing that a person can do or look at themselves. Of what is switched, the names end
            in ``_on`` and ``_off``, and the bare name means to look.
        values: Patterns of the values of a slot, by which a question that offers two of them asks for it.
        kinds: The nouns for the things that a slot chooses from: "which one" is asked after two bookings were named.
        ways: What somebody who wants an action takes for it as well, such as a roaming line for a repair.
        results: Patterns of how it is said that an action has been carried out, without its verb.
    """

    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    results: Mapping[str, str] = field(default_factory=dict)
    ways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A person's part in a conversation.

    Attributes:
        persona: How they talk.
        facts: Who they are: name, email, date of birth.
        wishes: What they want, in the order in which they bring it up.
        lexicon: The words of the domain.
        seed: Where the variation of their wording starts.
    """

    persona: Persona
    facts: tuple[Fact, ...]
    wishes: tuple[Wish, ...]
    lexicon: Lexicon
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.wishes:
            raise SettingsError("wishes=() must hold at least one wish: a person without one has nothing to say")

    def noun(self, slot: str) -> str:
        """What the person calls a detail: "my email", "the order number"."""
        mine = any(fact.slot == slot for fact in self.facts)
        phrases = self.lexicon.slots.get(slot, ())
        label = next((p for p in phrases if p.split()[0] not in _QUESTION), slot.replace("_", " "))
        return f"{'my' if mine else 'the'} {label}"

    def fact(self, slot: str, wish: Wish, current: int) -> Fact | None:
        """What they know under a name: of a wish, the one it stands in for, themselves, or an earlier wish."""
        earlier = self.wishes[: min(current, len(self.wishes) - 1) + 1]
        for facts in (wish.facts, earlier[-1].facts, self.facts, *(other.facts for other in earlier[-2::-1])):
            for fact in facts:
                if fact.slot == slot:
                    return fact
        return None
