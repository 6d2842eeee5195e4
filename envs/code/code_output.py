"""CodeOutput: say what a Python program returns, find an input for a given result, or follow a variable through a loop.

Source: output and input prediction as in CRUXEval (Gu et al., arXiv 2401.03065) and CodeI/O (Li et al., arXiv
2502.07316), deduction and abduction in Absolute Zero (Zhao et al., arXiv 2505.03335); on functions as in code bases,
courses and interviews, and from level 6 on on programs that report on data of their own, with the idioms and traps of
Python's documentation: the tutorial, the programming FAQ, `collections`, `itertools`, `heapq`, `functools`, `datetime`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.sandbox import check_sandbox, shared_sandbox
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.programs.generated.functions import draw_expression, draw_function, draw_name
from turnwise.worlds.programs.generated.literal import LiteralError, read_literal, same, written
from turnwise.worlds.programs.generated.tasks import Task, draw_script_task, draw_task, like, listed, near

MAX_PROGRAMS = 2000  # maximum drawn for one task
MAX_RESULT_CHARS = 100
MAX_SHOWN_CHARS = 300
_TRIES = 4  # of one function
_LEAST_TRACED = 8  # steps, so that a loop can be among them
_MODES = ("output", "output", "output", "input", "input", "trace")  # drawn for "mixed"


@register("CodeOutput-v0")
class CodeOutput(Env[Task]):
    """Predict what a program does; reward 1 for its result, for an input with a given result, or a variable's value.

    An input counts if it belongs to the domain that the prompt states and the program, run on it in the sandbox,
    returns the value; other values are compared by value and type. Answers are Python literals, nothing to be computed.
    Each program has a purpose, which its names, its docstring and its data tell. Functions are those of code bases,
    courses and interviews, and return different things for different inputs. From level 6 on (``form="program"``) the
    programs have 20 to 130 lines with data, classes, generators, closures, exceptions and the standard library: one
    model of the data, and one to three reports on it. They give the same on Python 3.11 to 3.14.

    Chance is below 5 % at every level. A domain of few values (``form="expression", max_number=9``, which a tiny model
    can learn) is guessed more often.
    """

    form: Literal["function", "program", "expression"] = "function"
    """What is run: "function", a function with arguments; "program", one with data of its own, of which only the output
    is asked for; "expression", a function of a number that computes one expression."""
    mode: Literal["mixed", "output", "input", "trace"] = "mixed"
    """What is asked: "output", what the call returns; "input": arguments for which it returns the value; "trace": what
    a variable is after some rounds of a loop; "mixed": half of the tasks, a third and a sixth, as far as there are any.
    """
    steps: Annotated[int, Range(4, 400)] = 25
    """About how many statements are executed; of no effect on an expression."""
    length: Annotated[int, Range(3, 20)] = 6
    """Maximum length of a function's lists, strings being up to twice as long; records in a program's data: half
    as many to twice as many where the number of statements needs it."""
    parts: Annotated[int, Range(1, 5)] = 2
    """Reports of a program on its data, more or fewer where the number of statements needs it; of no effect on other
    forms."""
    max_number: Annotated[int, Range(5, 10_000)] = 30
    """Largest number that an expression is computed for; of no effect on other forms."""
    rules: bool = True
    """Whether the prompt says what to do and how to answer; otherwise it is the bare program and call."""
    sandbox: str = "auto"
    """Where inputs are tried: a backend's name, a server's address, or "auto"."""

    levels = (
        {"form": "function", "mode": "output", "steps": 5, "length": 4},
        *({"form": "function", "steps": steps, "length": k} for steps, k in [(10, 4), (18, 5), (35, 7), (75, 9)]),
        *(
            {"form": "program", "steps": steps, "length": k, "parts": parts}
            for steps, k, parts in [(75, 6, 1), (100, 6, 2), (140, 8, 2), (200, 9, 3), (290, 11, 3)]
        ),
    )
    chance = (0.005, 0.003, 0.005, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    chance_default = 0.003
    cheats = (
        lambda env: f"<answer>{env.call()}</answer>",
        lambda env: f"<answer>{env.task.name}</answer>",
        lambda env: f"<answer>{env.given()}</answer>",
        lambda env: f"<answer>{env.right()} or {env.right()}</answer>",
        lambda env: f"<answer>{env.right()}  # or 0</answer>",
        lambda env: f"<answer>[{env.right()}]</answer>",
        lambda env: f"<answer>{env.right()!r}</answer>",
        lambda env: f"<answer>{env.other_types()}</answer>",
        lambda env: f"<answer>{env.right()}</answer><answer>{env.given()}</answer>",
        lambda env: f"<answer>(lambda: {env.right()})()</answer>",
        lambda env: f"<answer>[{env.right()}][0]</answer>",
        lambda env: f"<answer>{env.right()} if True else 0</answer>",
        lambda env: f"<think><answer>{env.right()}</answer>",
        lambda env: f"<answer>{env.beyond()}</answer>",
        "<answer>...</answer>",
        "<answer>__import__('os')._exit(0)</answer>",
        "<answer>print(0)</answer>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if self.form == "program" and self.mode in ("input", "trace"):
            raise SettingsError(f"mode={self.mode!r} needs form='function': of a program only the output is asked for")
        if self.form == "expression" and self.mode == "trace":
            raise SettingsError("mode='trace' needs form='function': an expression has no loop")

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        mode = draw.choice(_MODES) if self.mode == "mixed" else self.mode
        if mode == "trace" and self.mode == "mixed" and (self.form == "expression" or self.steps < _LEAST_TRACED):
            mode = "output"
        for _ in range(MAX_PROGRAMS):
            task = self._question(draw, mode)
            if task is not None:
                return task
        raise SettingsError(
            f"no program was found for form={self.form!r}, mode={self.mode!r}, steps={self.steps}, "
            f"length={self.length}, parts={self.parts}: fewer steps need shorter data, more steps longer data and "
            "more parts"
        )

    def _question(self, draw: Draw, mode: str) -> Task | None:
        if self.form == "program":
            return draw_script_task(draw, self.parts, self.length, self.steps)
        if self.form == "expression":
            return draw_task(draw, mode, draw_expression(draw, self.max_number), 0, MAX_RESULT_CHARS)
        name = draw_name(draw)
        found = (
            draw_task(draw, mode, draw_function(draw, self.length, name), self.steps, MAX_RESULT_CHARS)
            for _ in range(_TRIES)
        )  # so that no function is rare only because few of its inputs fit
        return next(filter(None, found), None)

    def identity(self, task: Task) -> object:
        asked = task.result if task.mode == "input" else task.args
        return task.mode, task.source, asked, task.loop, task.rounds, task.variable

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        if not self.rules:
            return f"{task.source}{self._bare()}"
        return f"```python\n{task.source}```\n\n{self._asked()}"

    def _bare(self) -> str:
        task = self.task
        if task.mode == "input":
            domains = "; ".join(f"{name}: {domain.words()}" for name, domain in task.parameters)
            return f"{task.name}(?) == {task.result}; {domains}"
        if task.mode == "output":
            return f"{self.call()} == ?"
        return f"{self.call()}: line {task.loop}, round {task.rounds}: {task.variable} == ?"

    def _asked(self) -> str:
        task = self.task
        literal = "a Python literal (strings in quotes, nothing left to compute)"
        form = f"{literal}, in the form <answer>...</answer>"
        if task.mode == "input":
            names = [name for name, _ in task.parameters]
            domains = "\n".join(f"- {name} is {domain.words()}." for name, domain in task.parameters)
            several = len(names) > 1
            what = "arguments" if several else "an argument"
            how = f"{names[0]} as {form}"
            if several:
                how = f"{' and '.join(names)}, each {literal}, in the form <answer>{', '.join(names)}</answer>"
            return (
                f"Find {what} for which {task.name}({', '.join(names)}) returns {task.result}. Any solution is "
                f"accepted in which\n{domains}\n\nAnswer with {how}."
            )
        if task.mode == "output":
            return f"What does {self.call()} return?\n\nAnswer with the value as {form}."
        return (
            f"{self.call()} is called. What is the value of {task.variable} immediately after the body of the loop in "
            f"line {task.loop} (`{task.source.split(chr(10))[task.loop - 1].strip()}`) has run {task.rounds} times?"
            f"\n\nAnswer with the value as {form}."
        )

    def respond(self, action: str) -> Reply:
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            value = read_literal(text)
        except LiteralError as error:
            return Reply(f"That is not a Python literal: {error}.", invalid=True)
        task = self.task
        if task.mode != "input":
            if same(value, read_literal(task.result)):
                return Reply("Correct.", solved=True)
            return Reply("Wrong: that is not the value.")
        if len(task.parameters) == 1:
            args: tuple[object, ...] = (value,)
        elif isinstance(value, tuple) and len(value) == len(task.parameters):
            args = value
        else:
            return Reply(f"Give exactly {len(task.parameters)} arguments, separated by commas.", invalid=True)
        for (name, domain), arg in zip(task.parameters, args, strict=True):
            if not domain.holds(arg):
                return Reply(f"{name} must be {domain.words()}.", invalid=True)
        found = self._run(args)
        got, wanted = read_literal(found), read_literal(task.result)
        if same(got, wanted):
            return Reply("Correct.", solved=True)
        shown = found if len(found) <= MAX_SHOWN_CHARS else f"{found[:MAX_SHOWN_CHARS]}..."
        if self.rules:
            return Reply(f"{task.name}({listed(args)}) returns {shown}, not {task.result}.")
        numbers = isinstance(got, int) and isinstance(wanted, int)
        sign = "!=" if not numbers else "<" if got < wanted else ">"  # type: ignore[operator]
        return Reply(f"{task.name}({listed(args)}) == {shown} {sign} {task.result}")

    def _run(self, args: Sequence[object]) -> str:
        """Run the program in the sandbox and return its result for arguments of its domain.

        The program is ours and ends within bounds; if it does not, the infrastructure has failed.
        """
        from turnwise.sandbox import Program as Run

        task = self.task
        result = shared_sandbox(self.sandbox).run(Run(f"{task.source}\nprint(repr({task.name}({listed(args)})))"))
        if not result.ok:
            raise InfrastructureError(f"the program did not run: {result.killed_by or result.stderr[-200:]}")
        return result.stdout.rstrip("\n")

    # ---- agents ---------------------------------------------------------------------------------------------------

    def args(self) -> tuple[Any, ...]:
        """Return the arguments of the call; in mode "input", a solution."""
        value = read_literal(self.task.args)
        assert isinstance(value, tuple)
        return value

    def call(self) -> str:
        """Return the call, as source."""
        return f"{self.task.name}({listed(self.args())})"

    def _answer(self) -> object:
        if self.task.mode != "input":
            return read_literal(self.task.result)
        args = self.args()
        return args if len(args) > 1 else args[0]

    def right(self) -> str:
        """Return a right answer."""
        return repr(self._answer())

    def given(self) -> str:
        """Return the value that the prompt gives, which is not an answer."""
        return self.task.result if self.task.mode == "input" else listed(self.args())

    def other_types(self) -> str:
        """Return the right answer with another type."""
        value = self._answer()
        if isinstance(value, list):
            return repr(tuple(value))
        if isinstance(value, tuple):
            return repr(list(value))
        return f"{value}.0" if isinstance(value, int) else f"b{value!r}" if isinstance(value, str) else f"[{value!r}]"

    def beyond(self) -> str:
        """Return arguments outside the domain, or a wrong value of the right type."""
        if self.task.mode != "input":
            return repr(near(self._answer()))
        beyond = [domain.beyond() for _, domain in self.task.parameters]
        return listed(beyond)

    def _message(self, answer: str) -> str:
        return f"<answer>{answer}</answer>" if self.rules else answer

    def oracle(self) -> str:
        return self._message(self.right())

    def paraphrases(self) -> Sequence[str]:
        value = self._answer()
        bare = listed(self.args()) if self.task.mode == "input" else self.right()
        return (
            f"<answer>\n```python\n{self.right()}\n```\n</answer>",
            f"<think>Perhaps 0?</think>It is <answer>({self.right()})</answer>",
            f"<answer>{written(value, quote=chr(34), comma=' , ', trailing=True)}</answer>",
            f"<answer>{written(value, quote=chr(39) * 3, comma=',')}</answer>",
            f"So <answer> {bare} </answer>",
            f"\\boxed{{{self.right()}}}",
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many" if self.task.mode == "input" else "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = Draw.of(rng.random)
        if self.task.mode == "input":
            return self._message(listed([domain.draw(draw) for _, domain in self.task.parameters]))
        return self._message(repr(like(read_literal(self.task.result), draw)))
