"""A scripted person: hears any text of an agent, and says what somebody with their wishes would say."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, cast

from turnwise.core.draw import Streams
from turnwise.worlds.people import proposals
from turnwise.worlds.people.acts import told_whether
from turnwise.worlds.people.cues import TURNS
from turnwise.worlds.people.part import Fact, Hands, Part, Wish
from turnwise.worlds.people.phrases import tokens_of
from turnwise.worlds.people.understanding import Act, acts_of, plain
from turnwise.worlds.people.values import choice_in, listed_in, mentions, mismatch, named
from turnwise.worlds.people.vocabulary import vocabulary_of
from turnwise.worlds.people.voice import Voice

__all__ = ["Hands", "Person"]

_ASKING: Final = frozenset({"ask", "confirm", "instruct", "refuse"})
_TALK: Final = ("ask", "confirm", "done", "refuse", "instruct", "ask_open", "ask_identity")


class Person:
    """Somebody who wants things, and says so in plain text until they have them, are refused, or have had enough.

    Everything they say is drawn from the part and its seed; the same texts heard give the same words.

    Args:
        part: Who they are and what they want.
        hands: Carries out a named step on the person's own device and returns what they see, in their words; a `Hands`
            where a wish is one that they see fulfilled on it.

    Attributes:
        ended: Empty while the talk goes on; then ``satisfied``, ``transferred``, ``left`` or ``refused``.
        disclosed: The slots that they have given a value for.
        closed: For each wish an empty text, ``done`` or ``refused``.
        current: The index of the wish talked about; the number of wishes once all are closed.
        agreed: Whether they have said yes to a proposal that agrees with the current wish since they brought it up.
    """

    __slots__ = (
        "_doubted",
        "_doubting",
        "_hands",
        "_insisted",
        "_slip",
        "_slipped",
        "_stalled",
        "_vocabulary",
        "_voice",
        "_wish",
        "agreed",
        "closed",
        "current",
        "disclosed",
        "ended",
        "part",
    )  # fmt: skip

    def __init__(self, part: Part, hands: Callable[[str], str] | None = None) -> None:
        self.part = part
        self._hands = hands
        self._vocabulary = vocabulary_of(part.lexicon)
        self._voice = Voice(part.persona.manner, Streams(f"person/{part.seed}"))
        self.ended = ""
        self.disclosed: frozenset[str] = frozenset()
        self.closed: tuple[str, ...] = ("",) * len(part.wishes)
        self.current = 0
        self.agreed = False
        self._wish = part.wishes[0]
        self._insisted = 0
        self._doubted = False  # whether they have asked if something was a refusal
        self._doubting = False  # whether that is what they said last
        self._stalled = 0
        self._slip: Fact | None = self._wish.slip  # still to be said
        self._slipped: Fact | None = None  # said, to be corrected next

    def open(self) -> str:
        """Their first message: a greeting and the first wish."""
        said = [] if self.part.persona.manner == "terse" and self._voice.below(2) else [self._voice.say("hello")]
        return self._voice.speak([*said, self._bring_up(self._wish)])

    def hear(self, text: str) -> str:
        """What they say next to a message of the agent; empty once the talk is over."""
        if self.ended:
            return ""
        heard = plain(text)
        messages = self._vocabulary.messages
        acts = messages.get(heard) or messages.keep(heard, acts_of(heard, self._vocabulary))
        if self._doubting:
            acts, self._doubting = told_whether(acts, heard), False
        before = (self.disclosed, self.closed, self.agreed, self._insisted, self._wish)
        said = self._react(acts, heard)
        if before == (self.disclosed, self.closed, self.agreed, self._insisted, self._wish):
            self._stalled += 1
        else:
            self._stalled = 0
        if self._hands is not None and any(act.kind == "instruct" for act in acts):
            self._stalled = 0  # they had something to do
        if not self.ended and self._stalled >= self.part.persona.patience:
            self.ended = "left"
            said = [self._voice.say("leave")]
        elif not self.ended and self._stalled and self._stalled >= self.part.persona.patience - 1:
            said = [self._voice.say("annoyed"), *said]
        return self._voice.speak(said)

    def fork(self, hands: Callable[[str], str] | None = None) -> "Person":
        """An independent copy with the same future; ``hands`` replaces the device that it acts on."""
        twin = Person.__new__(Person)
        for name in Person.__slots__:
            setattr(twin, name, getattr(self, name))
        twin._voice = self._voice.fork()
        if hands is not None:
            twin._hands = hands
        return twin

    def __deepcopy__(self, memo: object) -> "Person":
        return self.fork()

    @property
    def hands(self) -> Callable[[str], str] | None:
        """Their own device."""
        return self._hands

    @property
    def wish(self) -> Wish:
        """What they want now: a wish, or what they ask for instead once it has been refused."""
        return self._wish

    # What to say to all that a message does.

    def _react(self, acts: tuple[Act, ...], heard: str) -> list[str]:
        by: dict[str, list[Act]] = {}
        for act in acts:
            by.setdefault(act.kind, []).append(act)
        if any(not act.maybe for act in by.get("handover", ())):
            self.ended = "transferred"
            return [self._voice.say("transfer")]
        said = self._correction()
        if self.current == len(self.part.wishes):
            return self._close(said, by)
        corrected = bool(said)
        wish, insisted = self._wish, self._insisted
        ending = self._outcome(by, heard)
        said += ending
        if self.ended:
            return said
        fresh = self._wish is not wish
        if not ending and not corrected and "confirm" in by:
            said += self._confirm(by["confirm"], by, heard)
        steps = self._steps(by.get("instruct", ()))
        if fresh:  # what they see belongs to what they wanted before
            return [*steps, *said, *self._answers(self._asked(by), fresh)]
        asked = self._asked(by)
        if self._insisted > insisted:  # which of the others they would like is no question yet
            own = {fact.slot for fact in wish.facts} & self.disclosed
            asked = [act for act in asked if act.slot not in own]
        said += self._answers(asked, fresh) + steps
        if said:
            return said
        return self._rest(by, heard)

    def _outcome(self, by: dict[str, list[Act]], heard: str) -> list[str]:
        """What they say if the message settles the wish, or refuses it."""
        wish = self._wish
        asking = {kind for kind in by.keys() & _ASKING if kind != "refuse" or not all(act.maybe for act in by[kind])}
        if wish.seen and by.keys() & {"done", "ask_more", "bye"} and not asking:
            device = cast(Hands, self._hands)
            if device.works(wish.seen):
                return self._settle("done", by)
            if "done" in by:
                return [self._voice.say("broken"), device(wish.seen)]
        elif not wish.seen and self._is_done(by):
            return self._settle("done", by)
        if wish.question and not self._refusals(by) and self._is_answered(by, heard):
            return self._settle("done", by)
        wrong = [act for act in self._reports(by) if act.actions and not self._wanted(act.actions)]
        if wrong and not by.keys() & {"ask", "confirm"} and not self._known(wrong):
            if self.agreed:  # what they said yes to, in other words
                return self._settle("done", by)
            return [self._voice.say("unclear")] if self._speaks_of_it(heard) else self._object()
        if not self._is_refused(by, heard):
            return []
        if self._insisted < wish.insists:
            self._insisted += 1
            other = [act for act in by.get("confirm", ()) if act.actions and not self._wanted(act.actions)]
            turned = [self._voice.say("no alternative")] if other or ("offer" in by and proposals.keeps(by)) else []
            return [*turned, self._voice.say("insist")]
        if wish.fallback is not None:
            suits = proposals.names_fallback(wish, heard)
            asked = proposals.offered_instead(wish, by, suits)
            self._begin(wish.fallback)
            self.agreed = any(  # they ask for just that
                self._wanted(act.actions) or (suits and act.kind == "confirm" and not act.actions) for act in asked
            )
            return [self._voice.say("instead"), self._bring_up(self._wish, wish.facts)]
        return self._settle("refused", by)

    def _wanted(self, actions: Collection[str]) -> bool:
        """Whether some action is the one wished for, or a way to it."""
        wish = self._wish
        ways = self.part.lexicon.ways.get(wish.action, ())
        return any(action in actions for action in (wish.action, *wish.also, *ways))

    def _known(self, acts: Iterable[Act]) -> bool:
        """Whether some act is about a wish that was already settled."""
        return proposals.is_known(acts, self.part.wishes[: self.current], self.closed)

    def _reports(self, by: dict[str, list[Act]]) -> list[Act]:
        """What is reported; a state is a report to those who have agreed to what may have led to it."""
        return [act for act in by.get("done", ()) if self.agreed or not act.maybe]

    def _is_done(self, by: dict[str, list[Act]]) -> bool:
        wish, asked = self._wish, by.get("confirm", [])
        reports = self._reports(by)
        if wish.question or any(self._wanted(act.actions) for act in asked):
            return False
        if any(self._wanted(act.actions) for act in reports):
            return True
        return (
            any(not act.actions for act in reports)
            and not asked
            and (self.agreed or "ask" not in by)
            and "refuse" not in by
        )

    def _is_answered(self, by: dict[str, list[Act]], heard: str) -> bool:
        if any(mentions(heard, spelling) for spelling in self._wish.answer):
            return True
        if proposals.answers_first(by, self._wanted):
            return True
        busy = {kind for kind, acts in by.items() if not all(act.maybe for act in acts)}
        return "answer" in by and not busy & set(_TALK)

    def _refusals(self, by: dict[str, list[Act]]) -> list[Act]:
        """What is refused; what may be a refusal is one after another, if they asked, or beside an alternative."""
        other = [act for act in by.get("confirm", ()) if act.actions and not self._wanted(act.actions)]
        other += [act for act in by.get("offer", ()) if "ask_open" in by and not self._wanted(act.actions)]
        known = self._doubted or bool(other) or proposals.keeps(by) or self._is_otherwise(by)
        return [
            act for act in by.get("refuse", ()) if known or not act.maybe or (self._insisted and proposals.is_anew(act))
        ]

    def _is_refused(self, by: dict[str, list[Act]], heard: str) -> bool:
        refusals = self._refusals(by)
        if "confirm" in by and self._wish is not self.part.wishes[self.current]:  # not what was refused before
            refusals = [act for act in refusals if not act.actions or self._wanted(act.actions)]
        if "handover" in by or "refuse" not in by or proposals.offers_wanted(self._wish, by.get("offer", ())):
            return False
        if proposals.offers_fallback(self._wish, by, heard):
            return True
        if any(self._wanted(act.actions) for act in by.get("confirm", ())):
            plain = any(not act.maybe or proposals.is_anew(act) for act in by["refuse"])
            return self._is_otherwise(by) or (plain and any(map(proposals.is_other, by["confirm"])))
        if any(self._wanted(act.actions) for act in refusals):
            return True
        return not by.keys() & {"ask", "done", "ask_identity"} if refusals else False

    def _is_otherwise(self, by: dict[str, list[Act]]) -> bool:
        """Whether what they want is refused as they want it, and proposed in another way."""
        return proposals.is_otherwise(by, self._facts(), self._wish.slip)

    def _settle(self, outcome: str, by: dict[str, list[Act]]) -> list[str]:
        """Close the wish and go on to the next one, or be pleased or resigned after the last."""
        done = outcome == "done"
        place, wish = self.current, self._wish
        self.closed = (*self.closed[:place], outcome, *self.closed[place + 1 :])
        self.current += 1
        last = self.current == len(self.part.wishes)
        if not last:
            self._begin(self.part.wishes[self.current])
        said = self._turned_down(by, wish, done)
        if not last:
            return [*said, self._voice.say("next" if done else "onward"), self._bring_up(self._wish)]
        if by.keys() & {"ask_more", "bye"}:
            return self._end(said if done or said else [self._voice.say("accept")])
        return [self._voice.say("thanks"), *said] if done else said or [self._voice.say("accept")]

    def _turned_down(self, by: dict[str, list[Act]], wish: Wish, done: bool) -> list[str]:
        """What they say to what else is proposed beside what settles a wish: nothing, unless it calls for an answer."""
        if not done and proposals.keeps(by):
            return [self._voice.say("keep")]
        offered = [act for act in by.get("confirm", ()) if (act.actions or wish.question) and proposals.proposes(act)]
        if not offered or any(self._wanted(act.actions) for act in offered) or self._known(offered):
            return []
        return [self._voice.say("only asked" if wish.question else "decline")]

    def _begin(self, wish: Wish) -> None:
        self._wish = wish
        self._insisted = 0
        self._doubted = False
        self.agreed = False
        self._slip, self._slipped = wish.slip, None

    def _bring_up(self, wish: Wish, before: Sequence[Fact] = ()) -> str:
        """Say what is wanted, with the facts that go with it unless they were just told."""
        offered = [fact for fact in wish.facts if fact.offered and fact.value]
        self.disclosed |= {fact.slot for fact in offered}
        told = {(fact.slot, fact.value) for fact in before if fact.offered}
        opening = plain(wish.opening) if offered else ""
        missing = [f for f in offered if (f.slot, f.value) not in told and not named(opening, f)]
        if not missing:
            return wish.opening
        return f"{wish.opening} {self._voice.state(self._worded(missing))}"

    def _close(self, said: list[str], by: dict[str, list[Act]]) -> list[str]:
        asked = [act for act in by.get("confirm", ()) if act.slot == "handover" or proposals.proposes(act)]
        kept = proposals.is_kept(asked)
        if asked and (kept or not proposals.may_be_open(asked, self.part.wishes, self.closed)):
            said.append(self._voice.say("permit" if kept else "decline"))
            return self._end(said) if by.keys() & {"ask_more", "bye"} else said
        if asked:  # what they took for done
            self.agreed = True
            return [*said, self._voice.say("permit")]
        if by.keys() & {"ask", "confirm", "instruct"} and not by.keys() & {"ask_more", "bye", "done"}:
            said += self._answers(by.get("ask", ()), False) + self._steps(by.get("instruct", ()))
            return said or [self._voice.say("thanks")]
        return self._end(said)

    def _end(self, said: list[str]) -> list[str]:
        self.ended = "refused" if "refused" in self.closed else "satisfied"
        return [*said, self._voice.say("finish" if "done" in self.closed else "finish in vain")]

    def _correction(self) -> list[str]:
        if self._slipped is None:
            return []
        slot, self._slipped = self._slipped.slot, None
        fact = self._fact(slot)
        if fact is None or not fact.value:
            return []
        self.disclosed |= {slot}
        return [self._voice.say("slipped", what=self.part.noun(fact.slot), value=fact.value)]

    def _confirm(self, asked: list[Act], by: dict[str, list[Act]], heard: str, several: bool = False) -> list[str]:
        """What they say to proposals; ``several`` were offered, so that a yes would not say which."""
        wish = self._wish
        for act in asked:
            if act.slot == "handover":
                return [self._voice.say("yes" if wish.action == "beyond" else "may transfer")]
            chosen = choice_in(act.text, self._facts())
            if chosen is not None:
                self.disclosed |= {chosen.slot}
                return [self._voice.say("choose", value=chosen.value)]
            wrong = mismatch(act.text, self._facts(), wish.slip)
            if wrong is not None:
                fact, other = wrong
                self.disclosed |= {fact.slot}
                return [self._voice.say("wrong"), self._voice.say("rather", value=fact.value, other=other)]
            if act.slot:
                self.agreed |= act.slot.startswith("new_") and not wish.question  # what is to be written
                return [self._voice.say("right")]
        named = {name for act in asked for name in act.actions}
        if wish.question and named and not self._wanted(named) and all(map(proposals.proposes, asked)):
            return [self._voice.say("only asked")]
        if named and not self._wanted(named) and not wish.question:
            if all(act.maybe for act in asked):  # what is proposed may be something else
                return self._wonder(by)
            if self._known(asked):
                self.agreed |= proposals.asked_too(named, self.part.wishes[: self.current]) or any(
                    map(proposals.proposes, asked)
                )
                return [self._voice.say("right")]
            return [self._voice.say("unclear")] if self._speaks_of_it(heard) else self._object()
        elsewhere = wish.action == "beyond"  # what is refused here, and proposed to be given to somebody else
        if (
            "refuse" in by
            and not elsewhere
            and (proposals.is_denied(asked, by["refuse"], self._wanted) if named else not self._speaks_of_it(heard))
        ):
            return self._wonder(by, refused=True)  # something else instead?
        self.agreed = not wish.question or self._wanted(named)
        if several:
            return [self._voice.say("pick"), wish.opening]
        lines = [act.text.rpartition("\n")[2] for act in asked]
        kinds = (("opposed", "unopposed"), ("permitting", "permit"))
        return [self._voice.say(next((way for turn, way in kinds if any(map(TURNS[turn].search, lines))), "yes"))]

    def _wonder(self, by: dict[str, list[Act]], refused: bool = False) -> list[str]:
        """Ask what is meant, or if it is refused, unless there is a question to answer."""
        if "ask" in by:
            return []
        return self._doubt() if refused and not self._doubted else [self._voice.say("unclear")]

    def _doubt(self) -> list[str]:
        """Ask if it is refused."""
        self._doubted = self._doubting = True
        return [self._voice.say("doubt")]

    def _asked(self, by: dict[str, list[Act]]) -> list[Act]:
        """The questions for details; of what is offered, or not quite understood, those about what they want."""
        offered = {act.text for kind in ("offer", "unclear") for act in by.get(kind, ())}
        own = {fact.slot for fact in self._wish.facts if fact.value}
        return [
            act
            for act in by.get("ask", ())
            if not act.maybe or act.slot in own or not any(act.text in text for text in offered)
        ]

    def _answers(self, asked: Iterable[Act], fresh: bool) -> list[str]:
        known: list[Fact] = []
        unknown: list[str] = []
        asked = list(asked)
        for slot in dict.fromkeys(act.slot for act in asked if not act.instead and not act.maybe):
            self._look_up(slot, known, unknown, fresh)
        for _, either in itertools.groupby((act for act in asked if act.maybe), key=lambda act: act.text):
            for slot in self._meant([act.slot for act in either]):
                self._look_up(slot, known, unknown, fresh)
        if unknown or not known:
            for slot in dict.fromkeys(act.slot for act in asked if act.instead):
                self._look_up(slot, known, unknown, fresh)
        said = []
        if known:
            self.disclosed |= {fact.slot for fact in known}
            said.append(self._voice.give(self._worded(known)))
        if unknown:
            said.append(self._voice.say("unknown", what=" or ".join(self.part.noun(slot) for slot in unknown)))
        return said

    def _meant(self, slots: list[str]) -> list[str]:
        """Of the details that a question may be for, those of the wish, else the first one that they know."""
        own = {fact.slot for fact in self._wish.facts if fact.value}
        return [slot for slot in slots if slot in own] or [
            slot for slot in slots if (fact := self._fact(slot)) is not None and fact.value
        ][:1]

    def _look_up(self, slot: str, known: list[Fact], unknown: list[str], fresh: bool) -> None:
        fact = self._fact(slot)
        if fact is None or not fact.value:
            unknown.append(slot)
        elif fresh and ((fact.offered and fact.slot in self.disclosed) or named(plain(self._wish.opening), fact)):
            pass  # said a sentence ago
        elif self._slip is not None and self._slip.slot == slot:
            self._slipped, self._slip = self._slip, None
            known.append(self._slipped)
        elif fact not in known:
            known.append(fact)

    def _steps(self, steps: Iterable[Act]) -> list[str]:
        said = []
        for step, _ in itertools.groupby(act.slot for act in steps):
            if self._hands is None:
                return [self._voice.say("cannot")]
            said.append(self._hands(step))
        return said

    def _rest(self, by: dict[str, list[Act]], heard: str) -> list[str]:
        """What they say where nothing was asked that they can answer, and nothing settled."""
        wish = self._wish
        if "ask_identity" in by:
            return [self._voice.say("identity")]
        if "handover" in by and wish.action == "beyond":  # which is to come
            return [self._voice.say("nothing else" if "ask_more" in by else "yes")]
        if "ask_open" in by:
            fitting = [act for act in by.get("offer", ()) if self._wanted(act.actions)]
            return self._confirm(fitting, by, heard, several=True) if fitting else self._restate()
        if "refuse" in by and "offer" not in by and not self._doubted and not self._wish.question:
            return self._doubt()
        if by.keys() & {"ask_more", "bye"}:
            return [self._voice.say("still"), *self._restate()]
        if "wait" in by:
            return [self._voice.say("wait")]
        if "offer" in by and not self._wish.question:
            listed = listed_in("\n".join(act.text for act in by["offer"]), self._facts())
            if listed is None:
                return self._restate()
            self.disclosed |= {listed.slot}
            return [self._voice.say("choose", value=listed.value)]
        if "answer" in by and self._stalled < 2 and " " in by["answer"][0].text:
            return [self._voice.say("noted")]
        return [self._voice.say("unclear")]

    def _object(self) -> list[str]:
        """Say that it is not what they want, and what is."""
        return [self._voice.say("never"), *self._restate()]

    def _speaks_of_it(self, heard: str) -> bool:
        """Whether a message names what they want at all, though it may do something else."""
        named = {action.name for action in self._vocabulary.actions(tokens_of(heard)) if action.level}
        return self._wanted(named)

    def _restate(self) -> list[str]:
        opening = self._wish.opening
        if opening in self._voice.last or self._voice.below(3) == 0:
            return [self._voice.say("explained")]
        return [self._voice.say("again"), opening]

    # What they know.

    def _facts(self) -> Iterator[Fact]:
        yield from self._wish.facts
        yield from self.part.facts

    def _fact(self, slot: str) -> Fact | None:
        return self.part.fact(slot, self._wish, self.current)

    def _worded(self, facts: Iterable[Fact]) -> list[tuple[str, str]]:
        return [(self.part.noun(fact.slot), fact.value) for fact in facts]
