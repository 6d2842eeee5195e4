"""Cases of an audit: questions with a right answer, and a way to try any other text on them.

A case is a single question for a verifier, or the live state of an environment in which the oracle's next action solves
the task: any other text must not be paid there, unless it is also right.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from turnwise.audit.mutants import Code
from turnwise.core.agent import Action, Play
from turnwise.core.env import Env, seed_of
from turnwise.core.episode import Job
from turnwise.core.player import play_in
from turnwise.verifiers.extract import final_answer
from turnwise.verifiers.rational import parse_rational
from turnwise.verifiers.verdict import Verdict

__all__ = ["SLOW_S", "Case", "Tried", "Verify", "env_cases", "env_states", "verifier_case"]

SLOW_S = 5.0
"""Limit on the CPU seconds for judging one message."""

Verify = Callable[[str, str], "Verdict | bool | float"]
"""A verifier of (answer, gold); returns a `Verdict`, whether the answer is right, or a reward."""


class Tried(NamedTuple):
    """The result of trying a text.

    Attributes:
        reward: Reward of the step, or the verdict's score.
        solved: The goal was reached, or the verdict was "right".
        invalid: It could not be read as an answer or move.
        over: The episode ended.
        said: The reply of the environment, or the verdict's reason.
        error: The exception raised, or a note that it took too long.
    """

    reward: float
    solved: bool
    invalid: bool = False
    over: bool = True
    said: str = ""
    error: str = ""

    @property
    def paid(self) -> bool:
        """Whether the text earned anything."""
        return self.solved or self.reward > 0


@dataclass(frozen=True)
class Case:
    """A question with a right answer.

    Attributes:
        seed: Seed of the task, or number of a verifier's question.
        observation: The question.
        action: A right message.
        answer: The answer in it.
        right: "one" answer is right, "many" may be, or the whole "message" counts.
        rule: Whether answers are read by the rule of `turnwise.verifiers.extract`.
        respond: Tries a text; changes nothing.
        decisive: Whether the right message is paid here; otherwise it is only an intermediate move.
        code: Whether the answer is a string of bits or digits, not a number.
        luck: Share of random well-formed answers that solve the task here, where many may be right; 0 if not tried.
    """

    seed: int
    observation: str
    action: str
    answer: str
    right: Literal["one", "many", "message"]
    rule: bool
    respond: Callable[[str], Tried] = field(repr=False)
    decisive: bool = True
    code: Code = ""
    luck: float = 0.0

    def message(self, answer: str) -> str:
        """Write a message with another answer in the form of the right one."""
        opening = _OPENING.search(self.action)
        start = self.action.find(self.answer, opening.end() if opening else 0)
        return self.action[:start] + answer + self.action[start + len(self.answer) :]

    def read(self, text: str) -> str | None:
        """Return the answer in a message; None if it has none."""
        return final_answer(text).text if self.rule else _inside(text)

    @property
    def atomic(self) -> bool:
        """The answer is one number, one word or one letter."""
        return (
            bool(self.code) or parse_rational(self.answer) is not None or re.fullmatch(r"\w+", self.answer) is not None
        )

    def differs(self, text: str, *, by_addition: bool = False) -> str:
        """Return why a message is certainly not the right answer, if its words show that; otherwise "".

        Args:
            text: The message.
            by_addition: Also accept that it contains more than the right answer.
        """
        answer = self.read(text)
        if answer is None:
            return f"by the answer rule it has no answer ({final_answer(text).problem})"
        if " ".join(answer.split()).casefold() == " ".join(self.answer.split()).casefold():
            return ""
        if self.code:
            digits = re.sub(r"[^0-9]", "", answer)
            if self.code == "bits":  # other bits may be right too
                return "" if len(digits) == len(self.answer) else f"it is not {len(self.answer)} bits"
            return "" if digits == self.answer else f"it is not the code {self.answer}"
        if "%" in answer + self.answer and not by_addition:
            return ""  # 10 % may be written as 0.1
        value, other = parse_rational(self.answer), parse_rational(answer)
        if value is not None and other is not None:
            return "" if value == other else f"it is {answer}, not {self.answer}"
        if _letters(answer) == _letters(self.answer):
            return ""  # equal except for blanks and separators
        right = _tokens(self.answer)
        readings = [_tokens(answer), _tokens(answer.replace(",", " "))]  # 20,014 may be two numbers
        if right in readings:
            return ""
        gained, lost = readings[0] - right, right - readings[0]
        named = ", ".join(repr(t) for t in [*gained][:3])
        if lost and (gained or self.atomic):
            return f"it says {named or 'nothing'}, not {', '.join(repr(t) for t in [*lost][:3])}"
        if gained and (by_addition or self.atomic):
            return f"it also says {named}"
        return ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold().lstrip("0")


_OPENING = re.compile(r"<answer>|\\boxed\{")
_NAME = re.compile(r"\b[A-Za-z]_?[0-9]{1,2}\b")  # x1 is not a number
_TOKEN = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?|[^\W\d_]+")


def _tokens(text: str) -> Counter[str]:
    """Return the numbers and words of a text; single letters only if there is nothing else."""
    found = [t.casefold() for t in _TOKEN.findall(_NAME.sub(" ", text[:20_000]))]
    found = [t.rstrip("s") if len(t) > 3 and t.isalpha() else t for t in found]  # knights, knight
    found = [t.replace(",", "").lstrip("0") or "0" if t[0].isdecimal() else t for t in found]
    found = [t.rstrip("0").rstrip(".") if "." in t else t for t in found]
    return Counter([t for t in found if len(t) > 1 or t.isdecimal()] or found)


_CALLED = re.compile(r"<action>answer\('((?:[^'\\]|\\.)*)'\)</action>", re.DOTALL)
_WRAPPED = re.compile(r"<answer>(.*)</answer>|\\boxed\{(.*)\}|" + _CALLED.pattern, re.DOTALL)


def _inside(text: str) -> str | None:
    """Return the text without a tag, box or call around it, for environments without a known rule."""
    text = text.rpartition("</think>")[2].strip()
    match = _WRAPPED.fullmatch(text)
    return ((match[1] or match[2] or match[3] or "") if match else text).strip() or None


# ---- environments --------------------------------------------------------------------------------------------------

_RANDOM = 16  # answers that measure luck in a state


def env_states(env: Env[Any], seed: int, limit: int = 12) -> Iterator[Case]:
    """Yield at most ``limit`` states that the oracle passes through; the last is the one in which it solves the task.

    Nothing is yielded if the oracle fails to solve the task or raises.
    """
    states: list[tuple[Env[Any], str, str]] = []

    def act(play: Play) -> Action:
        before, action = env.fork(), env.oracle()
        states.append((before, play.messages[-1]["content"], action))
        return Action(action)

    if not play_in(env, act, Job("", seed)).solved:
        return
    asked = states[0][1]
    rule = "<answer>" in asked or "\\boxed" in asked
    kept = states[:: max(1, len(states) // limit)][: limit - 1]
    kept = kept if kept and kept[-1] is states[-1] else [*kept, states[-1]]
    for state in kept:
        before, observation, action = state
        right = before.right_answers()
        read = final_answer(action).text
        known = read is not None and read in action and not _CALLED.fullmatch(action)
        answer = read if known and read is not None else _inside(action) or action
        shown = observation if observation == asked else f"{asked}\n...\n{observation}"
        decisive = state is states[-1]
        luck = _luck(before, seed) if decisive and right == "many" else 0.0
        yield Case(seed, shown, action, answer, right, rule, _responder(before), decisive, luck=luck)


def env_cases(env: Env[Any], seeds: Sequence[int], limit: int = 12) -> list[list[Case]]:
    """Return the `env_states` of each seed whose task the oracle solves."""
    return [states for seed in seeds if (states := list(env_states(env, seed, limit)))]


def _luck(state: Env[Any], seed: int) -> float:
    """Return the share of random answers that solve the task: the last bid of an auction may not matter at all."""
    respond, rng = _responder(state), np.random.default_rng(seed_of("luck", seed))
    return sum(respond(state.sample_action(rng)).solved for _ in range(_RANDOM)) / _RANDOM


def _responder(state: Env[Any]) -> Callable[[str], Tried]:
    def respond(text: str) -> Tried:
        twin = state.fork()
        start = time.process_time()
        try:
            said, reward, terminated, truncated, info = twin.step(text)
        except Exception as error:
            return Tried(0.0, False, error=f"{type(error).__name__}: {error}")
        late = _late(start)
        over = terminated or truncated
        return Tried(float(reward), bool(info.get("solved")), bool(info.get("invalid_action")), over, said, late)

    return respond


def _late(start: float) -> str:
    seconds = time.process_time() - start
    return f"it took {seconds:.1f} seconds" if seconds > SLOW_S else ""


# ---- verifiers -----------------------------------------------------------------------------------------------------


def verifier_case(
    verify: Verify, gold: str, number: int, right: Literal["one", "many"], messages: bool, code: Code
) -> Case:
    """Build the case for a gold, for a verifier that takes answers or whole messages."""

    def respond(text: str) -> Tried:
        start = time.process_time()
        try:
            found = verify(text, gold)
        except Exception as error:
            return Tried(0.0, False, error=f"{type(error).__name__}: {error}")
        late = _late(start)
        if isinstance(found, Verdict):
            return Tried(found.score, found.correct, not found.readable, True, found.reason, late)
        return Tried(float(found), float(found) >= 1.0, error=late)

    action = f"<answer>{gold}</answer>" if messages else gold
    return Case(number, f"(gold {gold!r})", action, gold, right, messages, respond, True, code)
