r"""MathWithPython: questions of mathematics, with a Python interpreter to work them out.

Source: the setting of ReTool (arXiv 2504.11536) and ZeroTIR (arXiv 2505.07773): a model may run code while it reasons,
in an interpreter that keeps its variables, and only the answer earns reward.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import env_class, full_id, register
from turnwise.core.settings import Range, named_settings
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.sandbox import DurableSession, Limits, check_sandbox
from turnwise.verifiers.code import read_program, shown
from turnwise.verifiers.extract import marked

MIXED = ("ArithmeticChain", "Countdown", "Equations", "NumberTheory")
TOOLS = Toolbox([text_tool("python", "Runs Python.", lambda env, code: env.run(code), code="Python source.")])


@dataclass(frozen=True)
class Task:
    """A question of an environment, named by its class."""

    env: str
    question: Any


@register("MathWithPython-v0")
class MathWithPython(Env[Task]):
    r"""Answer a mathematical question, with Python at hand; the reward is that of the answer.

    ``<python>...</python>`` runs code in an interpreter that keeps its variables during the episode; a turn of it uses
    up one of the episode's turns. Any other message is the answer, and final, unless it cannot be read. With
    ``fences``, a fenced block of Python (of several the last) is run too, where the message holds no answer. Nothing
    that code prints is an answer. ``metrics`` count ``tool_calls`` and ``tool_errors`` (code that raised or ran out of
    a limit).
    """

    env: str = "mixed"
    """The environment that asks: its name, or mixed (ArithmeticChain, Countdown, Equations, NumberTheory). Any
    registered environment that runs no programs itself will do, your own and Dataset too."""
    env_settings: Mapping[str, Any] = {}
    """Settings of that environment. With mixed, those of all."""
    env_difficulty: Annotated[int, Range(1, 10)] | None = 3
    """Its level, 1 to 10; None leaves it at its defaults."""
    max_turns: int = 6
    """Messages of an episode, the answer included."""
    fences: bool = True
    """Whether fenced blocks are run."""
    wall_s: Annotated[float, Range(0.01, 600.0)] = 5.0
    """Seconds for the code of one turn."""
    memory_mb: Annotated[int, Range(16, 10**6)] = 512
    """MiB for the interpreter."""
    max_chars: Annotated[int, Range(20, 50_000)] = 2000
    """Longest output that is shown; the middle of a longer one is left out."""
    packages: str = ""
    """Installed packages that code may import, with commas: "sympy,numpy". The standard library is there."""
    sandbox: str = "auto"
    """Where the code runs: "auto", a backend's name or the address of a sandbox server."""

    levels = tuple({"env_difficulty": d} for d in range(1, 11))
    chance = (0.02, 0.02, 0.005, 0.005, 0.004, 0.001, 0.002, 0.0, 0.001, 0.0)
    chance_default = 0.007
    cheats = (
        "<python>print('<answer>1</answer>')</python>",
        "<python>print('Correct.')</python>",
        lambda env: f"<python>print({env.inner.oracle()!r})</python>",
        lambda env: f"{env.inner.oracle()}<python>pass</python>",
        lambda env: f"```python\nprint('boxed', {env.inner.oracle()[8:-9]!r})\n```",
        "<python>import os\nos._exit(0)</python>",
        "<python>import turnwise; print(turnwise.__file__)</python>",
        "<answer><python>1</python></answer>",
        lambda env: f"<think>{env.inner.oracle()}",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox, self._packages)
        names = MIXED if self.env == "mixed" else (self.env,)
        settings = dict(self.env_settings)
        if self.env_difficulty is not None:
            settings.setdefault("difficulty", self.env_difficulty)
        self._envs = {}
        for name in names:
            cls = env_class(full_id(name))
            if "sandbox" in named_settings(cls):
                raise SettingsError(f"env is {self.env!r}, which runs programs itself; it must be another environment")
            if not cls.levels and self.env_difficulty is not None:
                settings.pop("difficulty", None)
            self._envs[cls.__name__] = cls(**settings)

    @property
    def _packages(self) -> tuple[str, ...]:
        return tuple(filter(None, self.packages.replace(" ", "").split(",")))

    def generate(self, rng: np.random.Generator) -> Task:
        names = list(self._envs)
        name = names[int(rng.random() * len(names))]
        return Task(name, self._envs[name].generate(rng))

    def identity(self, task: Task) -> object:
        return task.env, self._envs[task.env].identity(task.question)

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.release()
        self.inner = self._envs[self.task.env]
        self.calls = self.errors = 0
        limits = Limits(wall_s=self.wall_s, memory_mb=self.memory_mb, output_bytes=4 * self.max_chars + 1000)
        packages = self._packages
        self.session = DurableSession(limits=limits, sandbox=self.sandbox, packages=packages)
        question = self.inner.reset(seed=0, options={"task": self.task.question})[0]
        if self.max_turns == 1:
            return question
        also = " (or a ```python block)" if self.fences else ""
        modules = f" Besides the standard library it can import {', '.join(packages)}." if packages else ""
        return (
            f"{question}\n\nBefore you answer, you can run Python code: <python>print(6 * 7)</python>{also} runs in an "
            "interpreter that keeps its variables, and you see what it prints (at most "
            f"{self.max_chars} characters). Each run may take up to {self.wall_s:g} s.{modules} You have "
            f"{self.max_turns} messages in total, including your answer. Give the answer in a message without code."
        )

    def respond(self, action: str) -> Reply:
        calls = TOOLS.parse(action) if self.max_turns > 1 else []
        if calls:
            return Reply("\n".join(TOOLS.run_all(calls, self).texts) + self._left())
        code = self._fenced(action) if self.fences and self.max_turns > 1 else None
        if code is not None:
            return Reply(f"```output\n{self.run(code)}\n```{self._left()}")
        self.inner.turn += 1
        reply = self.inner.respond(action)
        if self.inner.max_turns == 1 and not reply.invalid:
            reply = reply._replace(done=True)
        return reply

    @staticmethod
    def _fenced(action: str) -> str | None:
        """Return the fenced Python of a message without an answer; the last one of several blocks."""
        said = action.rpartition("</think>")[2]
        if "```py" not in said or marked(said):
            return None
        return read_program(action, examples=True).text

    def _left(self) -> str:
        return "\nYou have one message left: give your answer now." if self.turn == self.max_turns - 1 else ""

    def run(self, code: str) -> str:
        """Run code of the agent and return its output."""
        self.calls += 1
        result = self.session.execute(code)
        self.errors += not result.ok
        return shown(result, self.max_chars)

    def release(self) -> None:
        session: DurableSession | None = self.__dict__.pop("session", None)
        if session is not None:
            session.close()
        if "inner" in self.__dict__:
            self.inner.release()

    def fork(self) -> Self:
        """Return an independent copy: the question's environment and the interpreter continue separately."""
        twin = super().fork()
        if "inner" in twin.__dict__:
            twin._envs = {**self._envs, self.task.env: self.inner.fork()}
            twin.inner = twin._envs[self.task.env]
        return twin

    def metrics(self) -> dict[str, float]:
        return {**self.inner.metrics(), "tool_calls": float(self.calls), "tool_errors": float(self.errors)}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values()) if self.max_turns > 1 else ()

    def oracle(self) -> str:
        return self.inner.oracle()

    def paraphrases(self) -> Sequence[str]:
        return self.inner.paraphrases()

    def right_answers(self) -> Literal["one", "many", "message"]:
        return self.inner.right_answers()

    def sample_action(self, rng: np.random.Generator) -> str:
        return self.inner.sample_action(rng)
