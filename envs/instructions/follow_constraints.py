"""FollowConstraints: write a text that satisfies every one of several constraints.

Source: after IFEval (arXiv 2311.07911); levels and dimensions after arXiv 2505.07591.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.instructions._topics import FORMS, SUBJECTS, careless_texts, plain_text
from turnwise.verifiers.constraints.base import Constraint, Dimension
from turnwise.verifiers.constraints.drawing import DIMENSIONS, LEVELS, draw_set, drawable
from turnwise.verifiers.constraints.language import UNSPACED, Script
from turnwise.verifiers.constraints.length import Characters
from turnwise.verifiers.constraints.sets import labels, verify_constraints
from turnwise.verifiers.constraints.units import DEFINITIONS, Reading, response_of
from turnwise.verifiers.constraints.witness import witness
from turnwise.verifiers.verdict import Verdict

MIN_CHARS, MIN_CHARS_UNSPACED = 150, 60  # so that a phrase does not count as a text
MAX_DRAWS = 400
_CLAIM = "I have satisfied all constraints: every condition that was listed above holds for this text. "


@dataclass(frozen=True)
class Task:
    """The kind and subject of a text, its constraints, and the wording of each."""

    form: str
    subject: str
    constraints: tuple[Constraint, ...]
    wordings: tuple[int, ...] = field(compare=False)

    @property
    def request(self) -> str:
        """The request without the constraints."""
        return f"Write {self.form} about {self.subject}."

    @property
    def least(self) -> Characters:
        """The minimum length of the text."""
        unspaced = any(isinstance(c, Script) and c.script in UNSPACED for c in self.constraints)
        return Characters(low=MIN_CHARS_UNSPACED if unspaced else MIN_CHARS)

    @property
    def whole(self) -> tuple[Constraint, ...]:
        """The minimum length and the constraints."""
        return (self.least, *self.constraints)


@register("FollowConstraints-v0")
class FollowConstraints(Env[Task]):
    """Write a text under constraints; reward 1 if it satisfies all of them, as checked by code.

    The text is the message after its last ``</think>``, whole: there is no tag for an answer, and what stands around
    the text belongs to it. Only the constraints are judged. Whether the text is about its subject, or good, code
    cannot tell: keep another judge beside this reward where that matters. A set is posed only where a text that
    satisfies it was written, and where no careless text (of a stock, the request itself, a mere claim) does.

    Chance: a careless text solves at most 0.3 % at any level. A constant one, made for it (all capitals in quotation
    marks), fits 17 % of the tasks with one constraint, 3 % of those with two and hardly any with four.
    """

    level: Annotated[int, Range(1, 4)] = 2
    """1 to 4: from how many dimensions (content, format, language, length) the constraints come."""
    num_constraints: Annotated[int, Range(0, 10)] = 0
    """Number of constraints; 0 draws 1-2, 2-4, 3-6 or 4-8, by level."""
    dimensions: str = "content,format,language,length"
    """The dimensions to draw from, separated by commas."""
    max_effort: Annotated[int, Range(1, 3)] = 3
    """1 to 3: the hardest kind: 1 to end with a phrase, 2 to repeat a word exactly three times, 3 never to use a
    letter."""
    partial: bool = False
    """Whether a text that is long enough earns the share of its constraints that hold, over all turns the best share; a
    share below 1 does not solve the task."""
    feedback: Literal["nothing", "failed", "reasons"] = "failed"
    """What the reply to a text that fails says, if there are more turns: nothing, which constraints failed (failed), or
    also what was counted (reasons)."""

    levels = tuple(
        {"level": level, "num_constraints": n, "max_effort": effort}
        for level, n, effort in [
            (1, 1, 1), (1, 1, 2), (1, 2, 2), (2, 2, 2), (2, 3, 3),
            (2, 4, 3), (3, 4, 3), (3, 6, 3), (4, 6, 3), (4, 8, 3),
        ]
    )  # fmt: skip
    chance = (0.002, 0.0025, 0.0007, 0.001, 0.001, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.001
    cheats = (
        "I satisfied all constraints.",
        2 * _CLAIM,
        lambda env: env.prompt,
        lambda env: env.repeated(),
        lambda env: f"<think>{env.oracle()}</think>",
        lambda env: f"<think>{env.oracle()}",
        lambda env: f"{env.oracle()}</think>Done.",
        lambda env: env.near_miss(0),
        lambda env: env.near_miss(1),
        lambda env: env.near_miss(2),
    )

    def check(self) -> None:
        names = self.dimensions.split(",")
        if not set(names) <= set(DIMENSIONS) or len(set(names)) < len(names):
            accepted = ",".join(DIMENSIONS)
            hint = next(filter(None, (did_you_mean(name, DIMENSIONS) for name in names if name not in DIMENSIONS)), "")
            raise SettingsError(f"dimensions is {self.dimensions!r}{hint}; it must be some of {accepted!r} with commas")
        if self.level > len(names):
            raise SettingsError(f"level is {self.level}; with dimensions={self.dimensions!r} at most {len(names)}")
        if 0 < self.num_constraints < self.level:
            raise SettingsError(f"num_constraints is {self.num_constraints}; it must be at least level={self.level}")
        chosen: list[Dimension] = [d for d in DIMENSIONS if d in names]
        self._kinds = [drawable(dimension, self.max_effort) for dimension in chosen]

    def generate(self, rng: np.random.Generator) -> Task:
        low, high = LEVELS[self.level]
        for _ in range(MAX_DRAWS):
            draw = Draw.of(iter(rng.random(600).tolist()).__next__)
            form, subject = draw.choice(FORMS), draw.choice(SUBJECTS)
            number = self.num_constraints or draw.integer(low, high)
            left = list(self._kinds)
            kinds = [draw.take(left) for _ in range(self.level)]
            task = Task(form, subject, (), tuple(int(3 * draw.unit()) for _ in range(number)))
            drawn = draw_set(draw, number, kinds, task.request, always=(Characters(low=MIN_CHARS),))
            if drawn is not None:
                task = dataclasses.replace(task, constraints=drawn)
                shorter = task.least.low < MIN_CHARS and witness(task.whole) is None
                if not shorter and not self._careless(task):
                    return task
        raise SettingsError(
            f"no set of constraints was found for level={self.level}, num_constraints={self.num_constraints}, "
            f"dimensions={self.dimensions!r}, max_effort={self.max_effort}; lower num_constraints"
        )

    def _careless(self, task: Task) -> bool:
        """Return whether some text written without regard to the constraints satisfies them."""
        texts = (Reading(text) for text in (self._prompt(task), _repeated(task), 2 * _CLAIM))
        whole = task.whole
        return any(
            all(not constraint.problem(reading) for constraint in whole)
            for readings in (careless_texts(), texts)
            for reading in readings
        )

    def identity(self, task: Task) -> object:
        return task.form, task.subject, tuple(sorted(map(repr, task.constraints)))

    # ---- play -----------------------------------------------------------------------------------------------------

    def _prompt(self, task: Task) -> str:
        lines = [f"{k}. {text}" for k, text in enumerate(_described(task), 1)]
        return "\n".join([
            f"{task.request} {task.least.describe(1)} All of this must hold:",
            *lines,
            f"{DEFINITIONS} Everything after your reasoning counts as the text, so write only the text.",
        ])  # fmt: skip

    def begin(self) -> str:
        self.prompt = self._prompt(self.task)
        self.best = 0.0
        self.held = 0.0
        return self.prompt

    def respond(self, action: str) -> Reply:
        text = response_of(action)
        if isinstance(text, Verdict):
            return Reply(text.reason.capitalize() + ".", invalid=True)
        whole = self.task.whole
        verdict = verify_constraints(text, whole, partial=True)
        parts = verdict.parts or {}
        held = [parts[label] == 1.0 for label in labels(whole)]
        self.held = sum(held[1:]) / len(held[1:])
        if verdict.correct:
            return Reply("All constraints are satisfied.", solved=True)
        reward = 0.0
        if self.partial and held[0]:
            reward = max(0.0, self.held - self.best)
            self.best += reward
        return Reply(self._told(text, held), reward)

    def _told(self, text: str, held: Sequence[bool]) -> str:
        if self.feedback == "nothing":
            return "Not all constraints are satisfied."
        reading = Reading(text)
        lines = []
        for number, (constraint, ok) in enumerate(zip(self.task.whole, held, strict=True)):
            if not ok:
                what = f"Constraint {number}" if number else "The minimum length"
                lines.append(f"{what} is not satisfied" + (
                    f": {constraint.problem(reading)}." if self.feedback == "reasons" else "."
                ))  # fmt: skip
        return "\n".join(lines)

    def metrics(self) -> dict[str, float]:
        return {"constraints_satisfied": self.held}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        return self._witness(0)

    def _witness(self, variant: int) -> str:
        text = witness(self.task.whole, variant=variant)
        if text is None and variant:
            return self.oracle()
        assert text is not None, "a set is posed only with a text that satisfies it"
        return text

    def paraphrases(self) -> Sequence[str]:
        text = self.oracle()
        return (
            f"<think>Let me count.</think>\n\n{text}\n",
            f"<think>Or so?</think>No.</think>{text}",
            self._witness(1),
            self._witness(2),
        )

    def near_miss(self, number: int) -> str:
        """Return a text that narrowly breaks one constraint and satisfies the others; "" if none was found."""
        whole = self.task.whole
        place = 1 + number % (len(whole) - 1)
        others = [*whole[:place], *whole[place + 1 :]]
        for sets in (*([*others, near] for near in whole[place].near_misses()), others):
            text = witness(sets)
            if text is not None and not verify_constraints(text, whole).correct:
                return text
        return ""

    def repeated(self) -> str:
        """Return the descriptions of the constraints, twice."""
        return _repeated(self.task)

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"

    def sample_action(self, rng: np.random.Generator) -> str:
        return plain_text(rng, self.task.subject)


def _described(task: Task) -> list[str]:
    return [c.describe(variant) for c, variant in zip(task.constraints, task.wordings, strict=True)]


def _repeated(task: Task) -> str:
    return "\n".join(2 * _described(task))
