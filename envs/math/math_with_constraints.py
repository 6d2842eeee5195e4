r"""MathWithConstraints: answer a question of mathematics in a message that satisfies constraints.

Source: after MathIF (arXiv 2505.14810): constraints of length, wording, format and affixes on a solution.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.envs.math.arithmetic_chain import ArithmeticChain
from turnwise.envs.math.equations import Equations
from turnwise.envs.math.number_theory import NumberTheory
from turnwise.verifiers.constraints.base import Constraint
from turnwise.verifiers.constraints.drawing import draw_set
from turnwise.verifiers.constraints.sets import verify_constraints
from turnwise.verifiers.constraints.units import DEFINITIONS, Reading, response_of
from turnwise.verifiers.constraints.witness import witness
from turnwise.verifiers.verdict import Verdict

Family = Literal["arithmetic", "number_theory", "equations"]
FAMILIES: dict[Family, type[Env[Any]]] = {
    "arithmetic": ArithmeticChain, "number_theory": NumberTheory, "equations": Equations,
}  # fmt: skip
KINDS = (  # by the groups of MathIF; kinds that allow a box with numbers
    ("words", "sentences", "paragraphs", "lines"),
    ("include", "exclude", "word_count", "language", "lipogram"),
    ("bullets", "numbered_list", "title", "highlights", "sections", "no_markdown", "separators", "mark_count",
     "capital_words", "all_lower", "placeholders", "code_blocks", "table"),
    ("start_phrase", "end_phrase", "postscript", "quoted", "first_word", "last_word", "ends_with_mark",
     "question_first"),
)  # fmt: skip
MAX_DRAWS = 400


@dataclass(frozen=True)
class Task:
    """A question of a family, the constraints on the message that answers it, and the wording of each."""

    family: Family
    question: Any
    constraints: tuple[Constraint, ...]
    wordings: tuple[int, ...] = field(compare=False)


@register("MathWithConstraints-v0")
class MathWithConstraints(Env[Task]):
    r"""Answer a mathematical question in a message under constraints; reward 1 if the answer and all constraints hold.

    The constraints are on the message after its last ``</think>``, whole, its ``\boxed{}`` included.
    """

    family: Literal["mixed", "arithmetic", "number_theory", "equations"] = "mixed"
    """arithmetic (as in ArithmeticChain), number_theory (NumberTheory), equations (Equations), or mixed."""
    math_difficulty: Annotated[int, Range(1, 10)] = 2
    """1 to 10: the level of the question, as its own environment has it."""
    num_constraints: Annotated[int, Range(1, 4)] = 2
    """How many constraints, each of another group: length, wording, format, affixes."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """What a right answer earns that breaks constraints: this times the share of those that hold. A wrong one earns
    nothing."""

    levels = tuple(
        {"math_difficulty": d, "num_constraints": n}
        for d, n in [(1, 1), (2, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 3), (7, 3), (8, 4), (10, 4)]
    )
    chance = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.0
    cheats = (
        lambda env: env.boxed,
        lambda env: f"The answer is {env.boxed}.",
        lambda env: env.written("\\boxed{}"),
        lambda env: env.written("\\boxed{0.12345}"),
        lambda env: env.written(f"{env.boxed} \\boxed{{0.12345}}"),
        lambda env: f"<think>{env.oracle()}</think>",
        lambda env: f"{env.written('x')}</think>{env.boxed}",
        lambda env: f"{env.oracle()}</think>{env.written('x')}",
        lambda env: env.near_miss(0),
        lambda env: env.near_miss(1),
        "I satisfied all constraints and the answer is right.",
    )

    def check(self) -> None:
        names: Sequence[Family] = tuple(FAMILIES) if self.family == "mixed" else (self.family,)
        self._families = {name: FAMILIES[name](difficulty=self.math_difficulty) for name in names}

    def generate(self, rng: np.random.Generator) -> Task:
        names = list(self._families)
        for _ in range(MAX_DRAWS):
            draw = Draw.of(iter(rng.random(400).tolist()).__next__)
            family = draw.choice(names)
            left = list(KINDS)
            kinds = [draw.take(left) for _ in range(self.num_constraints)]
            wordings = tuple(int(3 * draw.unit()) for _ in kinds)
            question = self._families[family].generate(rng)
            box = _boxed(self._at(family, question)[0].oracle())
            constraints = draw_set(draw, len(kinds), kinds, literals=(box,))
            if constraints is not None and not _careless(constraints, box):
                return Task(family, question, constraints, wordings)
        raise SettingsError(
            f"no constraints were found for family={self.family!r} with num_constraints={self.num_constraints}; "
            "lower it"
        )

    def _at(self, family: Family, question: Any) -> tuple[Env[Any], str]:
        """Return the environment of a family at a question, and its prompt."""
        env = self._families[family]
        return env, env.reset(seed=0, options={"task": question})[0]

    def identity(self, task: Task) -> object:
        question = self._families[task.family].identity(task.question)
        return task.family, question, tuple(sorted(map(repr, task.constraints)))

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.math, question = self._at(self.task.family, self.task.question)
        self.boxed = _boxed(self.math.oracle())
        self.correct = self.held = self.best = 0.0
        described = [c.describe(v) for c, v in zip(self.task.constraints, self.task.wordings, strict=True)]
        return "\n".join([
            _boxed(question),
            "Your reply (everything after your reasoning, including the box) must also satisfy these constraints:",
            *(f"{k}. {text}" for k, text in enumerate(described, 1)),
            DEFINITIONS,
        ])  # fmt: skip

    def respond(self, action: str) -> Reply:
        self.correct = self.held = 0.0
        text = response_of(action)
        if isinstance(text, Verdict):
            return Reply(text.reason.capitalize() + ".", invalid=True)
        judged = self.math.respond(action)
        verdict = verify_constraints(text, self.task.constraints, partial=True)
        self.correct, self.held = float(judged.solved), verdict.score
        if judged.solved and verdict.correct:
            return Reply("Correct, and all constraints are satisfied.", solved=True)
        comment = "The answer is right." if judged.solved else judged.observation
        broken = [k for k, held in enumerate((verdict.parts or {}).values(), 1) if not held]
        if broken:
            comment += f" Constraints not satisfied: {', '.join(map(str, broken))}."
        else:
            comment += " All constraints are satisfied."
        reward = max(0.0, self.partial * self.correct * self.held - self.best)
        self.best += reward
        return Reply(comment, reward, invalid=judged.invalid)

    def metrics(self) -> dict[str, float]:
        return {"math_correct": self.correct, "constraints_satisfied": self.held}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def oracle(self) -> str:
        return self.written(self.boxed)

    def written(self, literal: str, variant: int = 0) -> str:
        """Return a text that satisfies the constraints and contains a literal; "" if none was found."""
        return witness(self.task.constraints, (literal,), variant) or ""

    def paraphrases(self) -> Sequence[str]:
        text = self.oracle()
        tagged = self.written(f"<answer>{self.boxed[7:-1]}</answer>")
        return (
            f"<think>So \\boxed{{0}}?</think>\n{text}\n",
            self.written(self.boxed, 1) or text,
            self.written(self.boxed, 2) or text,
            tagged or text,
        )

    def near_miss(self, number: int) -> str:
        """Return a right answer in a text that narrowly breaks one constraint; "" if none was found."""
        whole = self.task.constraints
        place = number % len(whole)
        others = [*whole[:place], *whole[place + 1 :]]
        for sets in (*([*others, near] for near in whole[place].near_misses()), others):
            text = witness(sets, (self.boxed,)) if sets else self.boxed
            if text is not None and not verify_constraints(text, whole).correct:
                return text
        return ""

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"

    def sample_action(self, rng: np.random.Generator) -> str:
        return f"I worked it out step by step. The answer is {_boxed(self.math.sample_action(rng))}."


def _boxed(text: str) -> str:
    r"""Return a text with ``\boxed{...}`` in place of answer tags."""
    return text.replace("<answer>", "\\boxed{").replace("</answer>", "}")


def _careless(constraints: Sequence[Constraint], box: str) -> bool:
    """Return whether a solution written without regard to the constraints satisfies them."""
    texts = (
        box,
        f"The answer is {box}.",
        f"I worked it out step by step. The answer is {box}.",
        f"Let us work it out.\n\nFirst, we look at the numbers. Then we do what is asked.\n\n**Answer:** {box}",
        f"### Solution\n\n1. Read the question.\n2. Work it out, step by step.\n\nTherefore, the answer is {box}.",
    )
    return any(all(not c.problem(reading) for c in constraints) for reading in map(Reading, texts))
