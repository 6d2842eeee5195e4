"""What people really answer to the labelled utterances: each is said to somebody whom it may be meant for.

`measure` compares what is recognized with the labels. This plays it: the person comes from a scenario of a desk, wants
what the utterance is about (or knows what it asks for), has agreed if it reports something, and hears it as their next
message. What they do then is compared with the labels.
"""

import dataclasses
import functools
import random
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from tests.worlds.people.measure import ALSO, DESKS, Label, utterances
from turnwise.core.draw import Streams
from turnwise.envs.desks.airline import AirlineDesk
from turnwise.envs.desks.clinic import ClinicDesk
from turnwise.envs.desks.library import LibraryDesk
from turnwise.envs.desks.retail import RetailDesk
from turnwise.envs.desks.telecom import TelecomDesk
from turnwise.worlds.people.part import Fact, Part, Wish
from turnwise.worlds.people.person import Person
from turnwise.worlds.people.voice import Voice

ENVIRONMENTS: Final = {"airline": AirlineDesk, "clinic": ClinicDesk, "library_desk": LibraryDesk,
                       "retail_desk": RetailDesk, "telecom": TelecomDesk}  # fmt: skip
SEEDS = 120  # scenarios drawn with a refused goal, and as many without
PEOPLE = 3  # who hear each utterance
_OBJECTS: Final = frozenset({"never"})
_TELLS: Final = frozenset({"wrong", "choose", "right"})


class Answer(NamedTuple):
    """What somebody does on hearing an utterance.

    Attributes:
        said: The kinds of their sentences, keys of the lines in `data/lines.txt`.
        slots: The details that they answer with, or say that they do not know.
        steps: What they do on their own device.
        closed: "done" or "refused" if their wish is settled, else "".
    """

    said: frozenset[str]
    slots: frozenset[str]
    steps: tuple[str, ...]
    closed: str


class Recorder(Voice):
    """A voice that remembers on what occasions it spoke."""

    def __init__(self, manner: str, streams: Streams) -> None:
        super().__init__(manner, streams)
        self.keys: list[str] = []

    def say(self, occasion: str, **fields: str) -> str:
        self.keys.append(occasion)
        return super().say(occasion, **fields)


class Listener(Person):
    """Somebody whose answer is taken down."""

    def __init__(self, part: Part, agreed: bool) -> None:
        self.steps: list[str] = []
        super().__init__(part, self._step)
        self.open()
        self.agreed = agreed
        self.looked_up: list[str] = []
        self._voice = self._recorder = Recorder(part.persona.manner, Streams("people/answers"))

    @property
    def wanted(self) -> str:
        """The action that they have come for."""
        return self.part.wishes[0].action

    def _step(self, step: str) -> str:
        self.steps.append(step)
        return "I did that."

    def _look_up(self, slot: str, known: list, unknown: list, fresh: bool) -> None:  # type: ignore[type-arg]
        self.looked_up.append(slot)
        super()._look_up(slot, known, unknown, fresh)

    def answer(self, text: str) -> Answer:
        """What they do on hearing a text."""
        self.hear(text)
        return Answer(frozenset(self._recorder.keys), frozenset(self.looked_up), tuple(self.steps), self.closed[0])


@functools.cache
def parts(domain: str) -> tuple[Part, ...]:
    """People of a desk's scenarios, one wish each."""
    found = []
    for refused in (0, 1):
        env = ENVIRONMENTS[domain](goals=1, refused=refused, beyond=0.3, impostors=0.0)
        for seed in range(SEEDS):
            env.reset(seed=seed)
            part = env.case.part
            found += [dataclasses.replace(part, wishes=(plain_wish(wish),)) for wish in part.wishes]
    return tuple(found)


def plain_wish(wish: Wish) -> Wish:
    """A wish that a refusal settles at once, and a report as well."""
    return dataclasses.replace(wish, insists=0, fallback=None, seen="", slip=None)


def listeners(domain: str, labels: set[Label], text: str) -> Iterator[Listener]:
    """People whom an utterance may be meant for."""
    draw = random.Random(f"{domain}|{text}")
    named = {kind: sorted(name for k, name in labels if k == kind and name) for kind in ("done", "refuse", "confirm")}
    asked = {name for kind, name in labels if kind == "ask"}
    wanted = named["done"] or named["refuse"] or named["confirm"]
    agreed = any(kind == "done" for kind, _ in labels)
    everybody = parts(domain)
    for _ in range(PEOPLE):
        if wanted:
            action = draw.choice(wanted)
            fitting = [part for part in everybody if part.wishes[0].action == action]
            if not fitting:  # nobody comes for it
                part = draw.choice(everybody)
                wish = dataclasses.replace(part.wishes[0], action=action, question=False)
                fitting = [dataclasses.replace(part, wishes=(wish,))]
        else:
            fitting = [part for part in everybody if not part.wishes[0].question and part.wishes[0].action != "beyond"]
        knowing = [len(asked & {fact.slot for fact in (*p.facts, *p.wishes[0].facts) if fact.value}) for p in fitting]
        part = draw.choice([p for p, known in zip(fitting, knowing, strict=True) if known == max(knowing)])
        missing = asked - {fact.slot for fact in (*part.facts, *part.wishes[0].facts) if fact.value}
        kept = tuple(fact for fact in part.wishes[0].facts if fact.slot not in missing)
        told = tuple(Fact(slot, f"the one with K{draw.randrange(1000, 9999)}") for slot in sorted(missing))
        first = dataclasses.replace(part.wishes[0], facts=(*kept, *told))
        part = dataclasses.replace(part, wishes=(first,))
        more = [name for name in named["confirm"] if named["done"] and name not in named["done"]]
        if more:  # "that is done; shall I do the other thing as well?"
            others = [p.wishes[0] for p in everybody if p.wishes[0].action == more[0]] or [
                dataclasses.replace(first, action=more[0], question=False)
            ]
            part = dataclasses.replace(part, wishes=(first, draw.choice(others)))
        yield Listener(part, agreed)


def judged(domain: str, labels: set[Label], wish: str, answer: Answer) -> tuple[bool, bool, bool]:
    """Whether an answer is what the labels call for, whether it is wrong, and whether it tells more than was asked.

    Who asks whether something was a refusal has understood it. Beside a refusal it is right to answer what else is
    asked, or to turn the alternative down.
    """
    kinds = {kind for kind, _ in labels}
    asked = {also for kind, name in labels if kind == "ask" for also in (name, *ALSO.get(domain, {}).get(name, ()))}
    told = {
        name for kind, name in labels if kind == "ask" and answer.slots & {name, *ALSO.get(domain, {}).get(name, ())}
    }
    yes = bool(answer.said & {"yes", "permit", "unopposed", "may transfer"})
    moved = bool(answer.said & _TELLS)
    proposed = {name for kind, name in labels if kind == "confirm" and name}
    ways = DESKS[domain].ways.get(wish, ())
    mine = not proposed or bool(proposed & {wish, "beyond", *ways}) or bool(kinds & {"done"})
    expected = {
        "handover": "transfer" in answer.said,
        "done": answer.closed == "done",
        "refuse": answer.closed == "refused"
        or "doubt" in answer.said
        or "handover" in kinds
        or ("confirm" in kinds and (yes or moved or bool(answer.said & _OBJECTS)))
        or bool(told),
        "confirm": yes or moved or bool(kinds & {"done", "refuse"}),
        "ask": told == {name for kind, name in labels if kind == "ask"},
        "instruct": bool(answer.steps),
    }
    more = bool(answer.slots - asked) and "offer" not in kinds
    wrong = (
        ("transfer" in answer.said and "handover" not in kinds)
        or (yes and not ("confirm" in kinds and mine))
        or (answer.closed == "done" and "done" not in kinds)
        or (answer.closed == "refused" and "refuse" not in kinds)
        or (bool(answer.said & _OBJECTS) and not ("confirm" in kinds and "refuse" in kinds))
        or (moved and not kinds & {"confirm", "ask", "offer"})
        or (bool(answer.steps) and not kinds & {"instruct", "confirm"})
        or (more and not told)
    )
    return all(fine for kind, fine in expected.items() if kind in kinds) and not wrong, wrong, more and bool(told)


def rates(domain: str, turn: str = "", purpose: str = "measured") -> Counter[str]:
    """How many utterances of a round (of all, if none is named) are answered rightly, wrongly, with more than asked."""
    tally = Counter[str]()
    for labels, text in utterances(domain, purpose, turn):
        seen = [
            judged(domain, labels, listener.wanted, listener.answer(text))
            for listener in listeners(domain, labels, text)
        ]
        tally["all"] += 1
        for place, name in enumerate(("rightly", "wrongly", "more")):
            tally[name] += sum(each[place] for each in seen) / len(seen)  # type: ignore[assignment]
    return tally


def main() -> None:
    """Print the rates of the rounds named as arguments, and what is answered wrongly in those with a "+" behind."""
    for turn in sys.argv[1:]:
        tally = Counter[str]()
        for domain in DESKS:
            tally += rates(domain, turn.rstrip("+"))
        shares = ", ".join(f"{name} {tally[name] / tally['all']:.1%}" for name in ("rightly", "wrongly", "more"))
        sys.stdout.write(f"round {turn}: answered {shares} of {tally['all']}\n")
        for domain in DESKS if turn.endswith("+") else ():
            for labels, text in utterances(domain, "measured", turn.rstrip("+")):
                for listener in listeners(domain, labels, text):
                    answer = listener.answer(text)
                    if judged(domain, labels, listener.wanted, answer)[1]:
                        sys.stdout.write(f"{domain} {sorted(labels)} wants {listener.wanted} {answer}\n    {text}\n")
                        break


if __name__ == "__main__":
    main()
