"""The conversation at a service desk, the same for every domain."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from turnwise.core.draw import Draw, uncollected
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.settings import Range
from turnwise.core.tools import Call, Tool, Toolbox
from turnwise.envs.desks._form import plain_answer, tagged
from turnwise.envs.desks._opening import Manual, Policy, first_observation
from turnwise.envs.desks._oracle import next_action
from turnwise.envs.desks._played import PlayedPerson
from turnwise.games.opponent import PREFIX
from turnwise.worlds.desks.drafting import Kinds
from turnwise.worlds.desks.narrow import check_kinds
from turnwise.worlds.desks.scenario import Case, Shape
from turnwise.worlds.people.person import Person

__all__ = ["DeskEnv", "Task"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MANNERS = ("plain", "chatty", "terse", "formal", "hesitant", "impatient")


@dataclass(frozen=True)
class Task:
    """A desk and somebody who comes to it, drawn from a number."""

    domain: str
    number: int
    shape: Shape


@lru_cache(maxsize=64)  # a step's groups; each holds a database, which slows garbage collection down
@uncollected()  # a database has thousands of rows
def _case(draft: Callable[[Draw, Shape], Case], task: Task) -> Case:
    return draft(Draw(task.domain, task.number, *task.shape.key()), task.shape)


class DeskEnv(Env[Task]):
    """An agent at a service desk, between a person and a database.

    In each turn the agent either calls tools or says something to the person. The episode ends when the person leaves,
    or when the agent hands over to a colleague. Solved means all of these, each a metric: the database has exactly the
    changes that the policy asks for (``database``), everything was said that had to be (``said``) and nothing that must
    not be (``discreet``), no clause of the policy was broken (``followed``), and where the person has a device of their
    own, what was to be put right on it works (``works``).
    """

    people: Annotated[int, Range(10, 1000)] = 60
    """People in the database."""
    goals: Annotated[int, Range(1, 5)] = 2
    """Things that the person wants."""
    refused: Annotated[int, Range(0, 5)] = 1
    """How many of these the policy forbids, or grants only in part."""
    insists: Annotated[int, Range(0, 4)] = 1
    """Most times that the person pushes back against a refusal."""
    slips: bool = False
    """Whether the person may give a wrong detail first and correct it."""
    impostors: Annotated[float, Range(0.0, 1.0)] = 0.04
    """Share of scenarios in which the person is not who they claim to be."""
    beyond: Annotated[float, Range(0.0, 1.0)] = 0.04
    """Share of scenarios with a request that only a colleague can handle."""
    manners: Annotated[int, Range(1, len(MANNERS))] = 4
    """How many of the manners of speaking occur: plain, chatty, terse, formal, hesitant, impatient."""
    user: str = "scripted"
    """Who plays the person: "scripted", or "agent:SPEC" with any agent of `turnwise eval --agent`, such as
    "agent:openai:MODEL@URL". The scripted one is the same every time; a model is not, and may make mistakes."""
    kinds: str = ""
    """Kinds of goals that occur, such as "pay,waive,waive_amount"; empty for all. docs/desks.md lists them."""
    exact: bool = True
    """Whether exactly `refused` of the goals are refused each time; otherwise a number from none to that is drawn."""
    policy: Policy = "whole"
    """What is written of the policy: "whole"; "clauses": the day and the clauses about what this person will ask for,
    without introduction and headings; "none". What is solved stays the same."""
    manual: Manual = "whole"
    """What is written about how to work: "whole"; "names": the tools' names and arguments without their descriptions;
    "none", for agents that know, or are told about the tools elsewhere."""
    signed_in: bool = False
    """Whether the person has signed in: their account is named in the first message and verified, and nobody is an
    impostor."""
    form: Literal["json", "plain"] = "json"
    """How calls and answers look: "json"; "plain": answers are lines such as "id=F609 amount=4.5", and the oracle calls
    by tags such as <list_fines>M1025</list_fines>. Agents may always call in both ways."""
    partial: bool = False
    """Pay half of the share of right changes to the database if an episode is not solved."""
    max_turns = 40

    levels = tuple(
        {"people": n, "goals": g, "refused": r, "insists": i, "slips": s, "manners": m, "impostors": p, "beyond": b,
         "max_turns": t}
        for n, g, r, i, s, m, p, b, t in [
            (20, 1, 0, 0, False, 1, 0.0, 0.0, 24), (30, 1, 1, 0, False, 2, 0.0, 0.0, 24),
            (40, 2, 1, 0, False, 3, 0.04, 0.0, 36), (60, 2, 1, 1, False, 4, 0.04, 0.04, 40),
            (80, 3, 1, 1, True, 4, 0.04, 0.04, 50), (100, 3, 2, 1, True, 5, 0.04, 0.04, 60),
            (120, 3, 2, 2, True, 6, 0.05, 0.05, 60), (160, 4, 2, 2, True, 6, 0.05, 0.05, 80),
            (200, 4, 3, 3, True, 6, 0.05, 0.05, 80), (250, 5, 3, 3, True, 6, 0.05, 0.05, 100),
        ]
    )  # fmt: skip
    cheats = (
        "I have taken care of everything. Is there anything else?",
        "Unfortunately that is not possible.",
        "yes",
        lambda env: '<tool_call>{"name": "hand_over", "arguments": {"reason": "everything"}}</tool_call>',
        lambda env: " ".join(said.text for one in env.case.settled if one.calls for said in one.say) or "Done.",
    )

    domain: ClassVar[str] = ""
    toolbox: ClassVar[Toolbox]
    goal_kinds: ClassVar[Kinds[Any]]

    @staticmethod
    def drafted(draw: Draw, shape: Shape) -> Case:
        """Draw a scenario of this domain."""
        raise NotImplementedError

    def check(self) -> None:
        if self.user != "scripted" and not self.user.startswith(PREFIX):
            raise SettingsError(f'user is {self.user!r}; it must be "scripted" or "{PREFIX}SPEC"')
        if not self.kinds:
            return
        shape, most = self.shape()._replace(people=10, impostors=0.0), min(self.refused, self.goals)
        for refused in range(most if self.exact else 0, most + 1):
            check_kinds(self.goal_kinds, shape.kinds, self.goals, refused)
            type(self).drafted(Draw("check"), shape._replace(refused=refused))  # raises where no scenario is fit

    def generate(self, rng: np.random.Generator) -> Task:
        shape, number = self.shape(), int(rng.integers(2**53))
        if not self.exact:
            shape = shape._replace(refused=int(rng.integers(min(self.refused, self.goals) + 1)))
        return Task(self.domain, number, shape)

    def shape(self) -> Shape:
        """Return how large and difficult the scenarios are."""
        return Shape(
            self.people, self.goals, self.refused, self.insists, slips=self.slips,
            impostors=0.0 if self.signed_in else self.impostors, beyond=self.beyond, manners=MANNERS[: self.manners],
            kinds=tuple(name.strip() for name in self.kinds.split(",") if name.strip()),
        )  # fmt: skip

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.case = _case(type(self).drafted, self.task)
        self.desk = self.case.opened.fork()
        self.device = self.case.hands(self.desk) if self.case.hands is not None else None
        self.person = (
            PlayedPerson(self.case.part, self.device, self.user.removeprefix(PREFIX))
            if self.user.startswith(PREFIX)
            else Person(self.case.part, self.device)
        )
        known = self.signed_in and self.case.genuine
        if known:
            self.toolbox.run(self.case.identify, self.desk)
        self.said: tuple[str, ...] = ()
        self.errors = 0
        self.best = 0.0
        return first_observation(
            self.case, self.toolbox, self.person.open(), policy=self.policy, manual=self.manual,
            signed_in=known, messages=self.max_turns,
        )  # fmt: skip

    def respond(self, action: str) -> Reply:
        calls = self.toolbox.parse(action)
        if calls:
            return self._called(calls)
        text = action.rpartition("</think>")[2].strip()
        if not text or _CONTROL.search(text):
            problem = "contains control characters" if text else "is empty"
            return Reply(f"Your message {problem} and was not delivered. Call a tool, or write to the person.",
                         invalid=True)  # fmt: skip
        self.said = (*self.said, text)
        answer = self.person.hear(text)
        if self.person.ended:
            return self._finish(answer)
        return Reply(answer)

    def _called(self, calls: Sequence[Call]) -> Reply:
        self.desk.agreed = self.person.agreed
        carried = self.toolbox.run_all(calls, self.desk)
        texts = carried.texts if self.form == "json" else [plain_answer(text) for text in carried.texts]
        self.errors += carried.failed
        if self.desk.handed_over:
            return self._finish("\n".join(texts))
        progress = self._progress()
        gained, self.best = progress - self.best, progress
        return Reply("\n".join(texts), shaping=gained)

    def _finish(self, text: str) -> Reply:
        parts = self._outcome()
        solved = all(parts.values())
        reward = 0.5 * max(0.0, self._progress()) if self.partial and not solved else 0.0
        return Reply(text, reward, done=True, solved=solved)

    def fork(self) -> Self:
        twin = super().fork()
        device = getattr(self, "device", None)
        if device is not None:  # it acts on the twin's desk, in the hands of the twin's person
            twin.device = device.fork(twin.desk)
            twin.person = self.person.fork(twin.device)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "case"}  # it is drawn again

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if "desk" in state:
            self.case = _case(type(self).drafted, self.task)

    # ---- what is paid ---------------------------------------------------------------------------------------------

    def _outcome(self) -> dict[str, bool]:
        """The parts of the reward, which is their product."""
        case, heard = self.case, self.said
        device = {"works": all(map(self.device.works, case.works))} if self.device is not None else {}
        return {
            **device,
            "database": self.desk.store.changes() == case.changes,
            "said": all(s.among(heard) for one in case.settled for s in one.say),
            "discreet": not any(s.among(heard) for s in case.unsayable),
            "followed": not self.desk.broken and bool(self.desk.handed_over) == case.beyond and self._checked(),
        }

    def _checked(self) -> bool:
        """Whether the person's identity was checked where it had to be; writes have clauses about that."""
        if not self.case.genuine:
            return any(made.tool == self.case.identify.name for made in self.desk.made)
        return not self.case.private or self.case.account in self.desk.verified

    def _progress(self) -> float:
        """Share of the right changes that have been made, less the wrong ones; 1 to -1."""
        gold, now = self.case.changes, self.desk.store.changes()
        right = sum(1 for place, row in now.items() if place in gold and gold[place] == row)
        return max(-1.0, (right - (len(now) - right)) / max(1, len(gold)))

    def metrics(self) -> Mapping[str, float]:
        broken = {f"broken_{name}": 1.0 for name in self.desk.broken}
        parts = {name: float(value) for name, value in self._outcome().items()}
        calls = {"tool_calls": float(len(self.desk.made) - self.signed_in), "tool_errors": float(self.errors)}
        return {**parts, **broken, **calls, "progress": self._progress()}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def tools(self) -> Sequence[Tool]:
        return tuple(self.toolbox.tools.values())

    def right_answers(self) -> Literal["message"]:
        return "message"

    def oracle(self) -> str:
        text = next_action(self.case, self.desk, self.person)
        return text if self.form == "json" else tagged(text, self.toolbox)

    def sample_action(self, rng: np.random.Generator) -> str:
        words = ("How can I help you?", "Could you tell me your full name?", "Anything else?", "I am sorry, no.")
        return words[int(rng.random() * len(words))]
