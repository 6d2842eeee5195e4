"""MultiTurnCalls: a person asks for one thing after another, each carried out by calls of stateful functions.

Sources: Patil et al., "The Berkeley Function Calling Leaderboard" (ICML 2025), version 3, for several turns over
stateful APIs judged by their state after each turn, with missing functions, missing parameters and long contexts; Chen
et al., ACEBench (arXiv 2501.12851), for judging by the end state. The APIs, the people and the requests are our own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Call, Tool, Toolbox, call_text
from turnwise.worlds.calls.conversation import Shape, Talk, Turn, talk_of, toolbox_of
from turnwise.worlds.calls.replies import asks, declines, scattered

__all__ = ["MultiTurnCalls", "Task"]

MAX_MESSAGE = 600
PATIENCE = 2
"""Questions to which the person answers in a turn in which nothing is missing."""
_NUDGES = (
    "Please do just what I asked for; you have everything that I can tell you.",
    "I have nothing to add. Please go ahead with what I asked for, and nothing else.",
)


@dataclass(frozen=True)
class Task:
    """A conversation, drawn from a number."""

    number: int
    shape: Shape


@lru_cache(maxsize=256)
def _talk(task: Task) -> Talk:
    return talk_of(Draw("calls", task.number, *task.shape), task.shape)


@register("MultiTurnCalls-v0")
class MultiTurnCalls(Env[Task]):
    """Do what a user asks for, turn by turn, by calling functions; reward 1 if every turn was right.

    A message either calls functions or is written to the user. What is written ends the turn, unless it is a question.
    A turn is right if the tables of all APIs are then exactly as the request makes them, and a question that was asked
    has been answered. In some turns a detail is missing, and the agent has to ask for it; in others a function is
    missing, and it has to say that it cannot do it; in both nothing may change yet. Calls that only look something up
    are free, whatever they are and in whatever order. ``metrics`` give the share of turns that were right
    (``turns_right``), and the same for turns of each kind.
    """

    turns: Annotated[int, Range(1, 8)] = 3
    """Turns in which the user asks for something; where something is missing, another one follows."""
    requests: Annotated[int, Range(1, 4)] = 1
    """Most requests in one turn."""
    apis: Annotated[int, Range(1, 7)] = 2
    """APIs that the requests are about: files, trading, travel, vehicle, messages, tickets, maths."""
    distractors: Annotated[int, Range(0, 6)] = 1
    """Further APIs whose functions are offered, though nothing is asked about them."""
    rows: Annotated[int, Range(15, 100)] = 20
    """About how many rows the larger tables have, and with them the longer results."""
    back: Annotated[float, Range(0.0, 1.0)] = 0.4
    """Share of requests that refer to something earlier in the conversation, where there is something."""
    questions: Annotated[float, Range(0.0, 1.0)] = 0.25
    """Share of requests that are questions; the last request never is one."""
    missing_functions: Annotated[int, Range(0, 4)] = 0
    """Turns in which a function is missing, which is added one turn later."""
    missing_details: Annotated[int, Range(0, 4)] = 1
    """Turns in which a detail is missing, which the user gives when asked."""
    partial: bool = False
    """Pay half of the share of turns that were right if not all were."""
    max_turns = 40

    levels = tuple(
        {"turns": t, "requests": r, "apis": a, "distractors": d, "rows": n, "back": b, "missing_functions": f,
         "missing_details": m, "max_turns": most}
        for t, r, a, d, n, b, f, m, most in [
            (1, 1, 1, 0, 15, 0.0, 0, 0, 12), (2, 1, 1, 0, 15, 0.2, 0, 0, 20), (2, 1, 2, 0, 20, 0.4, 0, 1, 25),
            (3, 1, 2, 1, 20, 0.4, 1, 0, 35), (3, 2, 2, 1, 30, 0.5, 0, 1, 45), (4, 2, 3, 1, 30, 0.5, 1, 1, 60),
            (4, 2, 3, 3, 50, 0.6, 1, 1, 60), (5, 2, 4, 3, 60, 0.6, 1, 2, 80), (6, 3, 4, 3, 80, 0.7, 2, 2, 110),
            (8, 3, 5, 2, 100, 0.7, 2, 2, 140),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        "Done.",
        "I'm sorry, I can't do that.",
        "Which one do you mean?",
        "I can't do that. Could you tell me which one you mean?",
        lambda env: " ".join(a.said.text for turn in env.talk.turns for a in turn.answers) or "Done.",
        lambda env: call_text("turn_is_right", {"turn": env.place}),
    )

    def check(self) -> None:
        if self.apis + self.distractors > 7:
            raise SettingsError(
                f"distractors is {self.distractors}; with apis={self.apis} it must be at most {7 - self.apis}: "
                "there are 7 APIs"
            )
        if self.missing_functions + self.missing_details > self.turns:
            raise SettingsError(
                f"missing_functions={self.missing_functions} and missing_details={self.missing_details} are turns of "
                f"their own: with turns={self.turns}, their sum must be at most that"
            )

    def generate(self, rng: np.random.Generator) -> Task:
        shape = Shape(self.apis, self.distractors, self.rows, self.turns, self.requests, self.back, self.questions,
                      self.missing_functions, self.missing_details)  # fmt: skip
        return Task(int(rng.integers(2**53)), shape)

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.talk = _talk(self.task)
        self.world = self.talk.opened.fork()
        self.place = 0
        self.hidden = self.talk.hidden
        self.said: tuple[str, ...] = ()  # in this turn
        self.asked = 0
        self.rights: tuple[bool, ...] = ()
        self.calls = self.errors = 0
        self._queue: tuple[Call, ...] = self._turn.calls
        return (
            f"You help a user by calling functions. Today is {self.talk.today:%A}, {self.talk.today.isoformat()}.\n\n"
            "## How to work\n"
            "- In each message, either call functions or write to the user, not both: text beside a call is not "
            "delivered. Several calls in one message are carried out in order, up to the first that fails.\n"
            "- What you write to the user ends your work on what they have just asked for, unless it is a question. "
            f"Write at most {MAX_MESSAGE} characters, and answer questions without lists of other values.\n"
            "- Do exactly what the user asks for, in their order, and change nothing else. Looking things up is free.\n"
            "- If a detail is missing that you cannot look up, ask the user for it before you change anything.\n"
            "- If you have no function for what they want, say that you cannot do it, and change nothing.\n"
            f"- You have {self.max_turns} messages.\n\n"
            f"## Functions\n{self._toolbox.describe()}\n\n## The user\n{self._turn.text}"
        )

    @property
    def _turn(self) -> Turn:
        return self.talk.turns[min(self.place, len(self.talk.turns) - 1)]

    @property
    def _toolbox(self) -> Toolbox:
        return toolbox_of(self.talk.apis, self.hidden)

    def respond(self, action: str) -> Reply:
        calls = self._toolbox.parse(action)
        if calls:
            carried = self._toolbox.run_all(calls, self.world)
            self.calls += len(carried.answers)
            self.errors += carried.failed
            if self._queue and calls[: len(self._queue)] == list(self._queue):
                self._queue = ()
            return Reply("\n".join(carried.texts))
        text = action.rpartition("</think>")[2].strip()
        problem = _problem(text)
        if problem:
            return Reply(f"Your message {problem} and was not delivered. Call a function, or write to the user.",
                         invalid=True)  # fmt: skip
        self.said = (*self.said, text)
        question = asks(text)
        open_ = self._turn.kind == "plain" or (self._turn.kind == "function" and not declines(text))
        if question and open_ and self.asked < PATIENCE:
            self.asked += 1
            return Reply(f"The user: {_NUDGES[self.asked - 1]}")
        return self._next(question)

    def _next(self, question: bool) -> Reply:
        """Judge the turn that is over, and go on to the next one."""
        self.rights = (*self.rights, self._is_right(question))
        self.place += 1
        self.said, self.asked = (), 0
        if self.place == len(self.talk.turns):
            solved = all(self.rights)
            share = sum(self.rights) / len(self.rights)
            return Reply("The user: Thank you, that is all.", 0.5 * share if self.partial and not solved else 0.0,
                         done=True, solved=solved)  # fmt: skip
        turn = self._turn
        self._queue = turn.calls
        if not turn.granted:
            return Reply(f"The user: {turn.text}")
        self.hidden -= turn.granted
        new = [tool for tool in self._toolbox.tools.values() if tool.name in turn.granted]
        return Reply(f"The user: {turn.text}\n\nNew function:\n{Toolbox(new).describe()}")

    def _is_right(self, question: bool) -> bool:
        turn, heard = self._turn, "\n".join(self.said)
        if self.world.store.changes() != turn.changes:
            return False
        if turn.kind == "detail":
            return question
        if turn.kind == "function":
            return declines(heard)
        if turn.answers and scattered(heard):
            return False
        return all(
            one.said.within(heard) and sum(rival.within(heard) for rival in one.rivals) <= 1 for one in turn.answers
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "talk"}  # it is drawn again

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if "world" in state:
            self.talk = _talk(self.task)

    def metrics(self) -> Mapping[str, float]:
        turns = self.talk.turns
        found = {"turns_right": sum(self.rights) / len(turns), "tool_calls": float(self.calls),
                 "tool_errors": float(self.errors)}  # fmt: skip
        for kind in ("plain", "detail", "function"):
            of_kind = [right for turn, right in zip(turns, self.rights, strict=False) if turn.kind == kind]
            if any(turn.kind == kind for turn in turns):
                found[f"{kind}_right"] = sum(of_kind) / sum(turn.kind == kind for turn in turns)
        return found

    # ---- agents ---------------------------------------------------------------------------------------------------

    def tools(self) -> Sequence[Tool]:
        """The functions that are there now: hosts that ask at each turn see those that were added."""
        return tuple(self._toolbox.tools.values())

    def right_answers(self) -> Literal["message"]:
        return "message"

    def oracle(self) -> str:
        turn = self._turn
        if self._queue:
            return "\n".join(call_text(one.name, one.arguments) for one in self._queue)
        if turn.kind == "detail":
            return "Could you tell me exactly what you have in mind? A detail is missing."
        if turn.kind == "function":
            return "I'm sorry, I don't have a function for that, so I can't do it."
        told = ", ".join(answer.said.text for answer in turn.answers)
        return f"The answer is {told}." if told else "That is done now."

    def paraphrases(self) -> Sequence[str]:
        action = self.oracle()
        return f"<think>What was it again?</think>{action}", f"\n{action}\n"

    def sample_action(self, rng: np.random.Generator) -> str:
        if rng.random() < 0.4:
            words = ("That is done.", "I can't do that, sorry.", "Which one, please?", "It is 7.")
            return words[int(rng.random() * len(words))]
        names = list(self._toolbox.tools)
        return call_text(names[int(rng.random() * len(names))], {})


def _problem(text: str) -> str:
    """Return what is wrong with a message to the user; "" if nothing is."""
    if not text:
        return "is empty"
    if len(text) > MAX_MESSAGE:
        return f"is longer than {MAX_MESSAGE} characters"
    return "contains control characters" if any(ord(c) < 32 and c not in "\t\r\n" for c in text) else ""
