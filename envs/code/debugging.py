"""Debugging: find out by experiments what is wrong, and name it exactly.

Source: interactive debugging by language models as in debug-gym (arXiv 2503.21557) and InterCode (arXiv 2306.14898);
kinds of faults as in DebugBench (arXiv 2401.04621); code that can be called and not read, as behind an API; finding
inputs that distinguish two programs is the subject of mutation testing (Jia and Harman, IEEE TSE 37(5), 2011).
"""

import random
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.envs.code._repair_text import CALLER
from turnwise.sandbox import DurableSession, Limits, check_sandbox, shared_sandbox
from turnwise.verifiers.code import Example, same_value, shown, verify_function
from turnwise.verifiers.code.candidate import Candidate
from turnwise.verifiers.code.feedback import why_ended
from turnwise.verifiers.extract import final_answer
from turnwise.worlds.programs.debugging.behind import Behind, read_calls, read_cases
from turnwise.worlds.programs.debugging.domains import Unclear
from turnwise.worlds.programs.debugging.functions import FunctionTask, draw_function
from turnwise.worlds.programs.debugging.kinds import (
    InputTask,
    LineTask,
    StepTask,
    Task,
    draw_input,
    draw_line,
    draw_step,
)
from turnwise.worlds.programs.debugging.texts import asked, look
from turnwise.worlds.programs.library.programs import draw_call, part_of

MAX_DRAWS = 500
MAX_CALLS = 4  # per message
LIMITS = Limits(wall_s=5.0, memory_mb=256)
TEST_LIMITS = Limits(wall_s=2.0, memory_mb=256)
_DRAWN = {"line": draw_line, "function": draw_function, "input": draw_input, "step": draw_step}


@register("Debugging-v0")
class Debugging(Env[Task]):
    """Find what is wrong in a program that can be run or only be called; reward 1 for naming it.

    One of four questions, each with an answer that is checked and that is hardly ever guessed:

    - "line": which line of a program is wrong, and what it should be. The line is put in its place, and the program
      must pass hidden tests of all its functions in a fresh sandbox.
    - "function": which one of at least 28 functions does not do what its docstring says.
    - "input": arguments on which a function and its faster twin differ, as about one in fifty do, and at size 5 hardly
      any that are not like a lost one, which is described. Both are run on them in a fresh sandbox.
    - "step": which one of many steps breaks an invariant of a service.

    The functions, the twin and the service run in sandbox programs of their own, which get literals and give outcomes:
    ``<call>f([1, 2], 3)</call>`` calls one, on each line, and ``<call over="cases">f</call>`` calls it for each item of
    a list in the interpreter, where the outcomes are then ``results``. Nothing of them is in the interpreter's process,
    memory or files.

    ``<python>...</python>`` runs code in the interpreter, which keeps its variables; a turn that takes too long is
    interrupted. ``<answer>...</answer>`` ends the episode. Nothing done in the interpreter affects the verdict.
    """

    kind: Literal["mixed", "line", "function", "input", "step"] = "mixed"
    """The kind of question, or mixed: any, from size 3 on any but "step", which a loop answers."""
    size: Annotated[int, Range(1, 5)] = 1
    """Size of the task: the number of files, functions or steps, and how rare the inputs are; from 4 on two things are
    wrong in the line that is asked for."""
    hints: bool = True
    """The first observation shows the source, the functions, or the slow function, or there is a check of the
    invariant; else the agent has to look, or to write it."""
    sandbox: str = "auto"
    """The sandbox that the interpreter runs in, see `shared_sandbox`."""
    max_turns: Annotated[int, Range(1, 100)] = 8
    """Messages, the answer included."""

    levels = tuple(
        {"kind": k, "size": s, "hints": h}
        for k, s, h in [
            ("step", 1, True), ("step", 3, False), ("input", 1, True), ("line", 1, True), ("mixed", 2, True),
            ("mixed", 2, False), ("mixed", 3, True), ("mixed", 3, False), ("mixed", 4, False), ("mixed", 5, False),
        ]
    )  # fmt: skip
    chance = (0.022, 0.016, 0.05, 0.0, 0.018, 0.02, 0.006, 0.005, 0.008, 0.004)
    chance_default = 0.02
    cheats = (
        lambda env: f"<answer>{env.other()}</answer>",
        lambda env: f"<answer>{env.other()}</answer><answer>{env.solution()}</answer>",
        lambda env: f"<answer>{env.other()} or {env.solution()}</answer>",
        lambda env: f"<answer>{env.everything()}</answer>",
        lambda env: _PATCHED if env.turn == 0 else f"<answer>{env.other()}</answer>",
        lambda env: _POISONED if env.turn == 0 else f"<answer>{env.other()}</answer>",
        lambda env: f"<answer>{env.one_liner('import os; os._exit(0)')}</answer>",
        lambda env: f"<answer>{env.one_liner(_EQUAL)}</answer>",
        lambda env: f"<answer>{env.one_liner('raise SystemExit(0)')}</answer>",
        "<answer>float('nan')</answer>",
        "<answer>[float('nan')], __import__('os').getcwd()</answer>",
        f"<answer>{'9' * 5000}</answer>",
        lambda env: f"<think><answer>{env.solution()}</answer>",
        lambda env: f"<python>print('<answer>{env.other()}</answer>')</python><answer>{env.solution()}</answer>",
        "<answer>-1</answer>",
        "<answer>the line that is wrong</answer>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        draw = Draw.from_generator(rng)
        kinds = [kind for kind in _DRAWN if self.size < 3 or kind != "step"]
        kind = self.kind if self.kind != "mixed" else draw.choice(kinds)
        for _ in range(MAX_DRAWS):
            task: Task | None = _DRAWN[kind](draw, self.size)
            if task is not None:
                return task
        raise SettingsError(f"no question of kind={self.kind!r} with size={self.size} was found")

    def identity(self, task: Task) -> object:
        if isinstance(task, (LineTask, FunctionTask)):
            return type(task).__name__, sorted(task.program.changed([task.fault]).items())
        if isinstance(task, InputTask):
            return "InputTask", task.function, sorted(task.sources.items())
        return "StepTask", task.source, task.steps

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        self.release()
        files, self._prelude = _loaded(self.task)
        self.behind = _behind(self.task, self.hints)
        self.session = DurableSession(limits=LIMITS, files=files, sandbox=self.sandbox, prelude=self._prelude)
        self.calls = self.errors = 0
        called = " or ".join(self.behind.functions) if len(self.behind.functions) < 3 else "these functions"
        return "\n".join([
            asked(self.task, self.hints),
            "",
            "To run code in your interpreter, write <python>...</python>; you see what it prints and the value of its "
            f"last expression. Variables are kept; code that runs longer than {LIMITS.wall_s:.0f} s is interrupted.",
            *([_CALLS_TEXT.format(name=called)] if self.behind.functions else []),
            f"You have {self.max_turns} messages, including your answer. Your first answer is final.",
        ])  # fmt: skip

    def respond(self, action: str) -> Reply:
        calls = TOOLS.parse(action)
        if calls:
            done = TOOLS.run_all(calls[:MAX_CALLS], self)
            self.calls += len(done.answers)
            self.errors += done.failed
            more = [f"Only the first {MAX_CALLS} calls of a message are run."] if len(calls) > MAX_CALLS else []
            return Reply("\n".join([*done.texts, *more]))
        text, problem = final_answer(action)
        if text is None:
            return Reply(f"{problem.capitalize()}.", invalid=True)
        try:
            right = self._right(text)
        except Unclear as error:
            return Reply(f"That is not an answer: {error}.", invalid=True)
        return Reply("Correct.", solved=True) if right else Reply("Wrong.", done=True)

    def python(self, code: str) -> str:
        """Run the tool <python>."""
        result = self.session.execute(code)
        parts = [shown(result, 3000)]
        if ended := why_ended(result, LIMITS):
            parts.append(f"[{ended}]")
        if result.lost:
            self.session.execute(self._prelude)
            parts.append("[the interpreter was restarted: its variables are as at the start]")
        return "\n".join(part for part in parts if part) or "(no output)"

    def call(self, code: str, over: str = "") -> str:
        """Run the tool <call>."""
        functions = self.behind.functions
        if not functions:
            raise ValueError("there is nothing to call; look with <python>")
        if not over:
            cases = read_calls(code, functions)
            outcomes = self.behind.outcomes(cases, shared_sandbox(self.sandbox))
            lines = [
                f"{name}({', '.join(map(repr, args))}): {o}" for (name, args), o in zip(cases, outcomes, strict=False)
            ]
            return "\n".join([*lines, *(["[the others took too long]"] if len(outcomes) < len(cases) else [])])
        if not over.isidentifier():
            raise ValueError(f"over is {over[:80]!r}; it must be the name of a variable of the interpreter")
        shown_cases = self.session.execute(f"print(repr({over}))")
        if not shown_cases.ok:
            raise ValueError(f"the interpreter has no list {over}: {shown_cases.stderr[-200:]}")
        cases = read_cases(code, shown_cases.stdout, functions)
        outcomes = self.behind.outcomes(cases, shared_sandbox(self.sandbox))
        self.session.execute(f"results = [{', '.join(outcomes)}]")
        return "\n".join([f"results has {len(outcomes)} outcomes of {len(cases)} calls. The first are:", *outcomes[:3]])

    def _right(self, text: str) -> bool:
        task = self.task
        if isinstance(task, LineTask):
            files = task.fixed(text)
            if files == task.files:
                return False
            examples = [
                Example((task.names.function(call.function), list(call.args)), {}, wanted)
                for call, wanted in task.tests()
            ]
            sandbox = shared_sandbox(self.sandbox)
            return verify_function(
                CALLER, "call", examples, limits=TEST_LIMITS, sandbox=sandbox, files=files, all_tests=False
            ).correct
        if isinstance(task, InputTask):
            return self._differ(task, task.read(text))
        return task.read(text) == task.solution

    def _differ(self, task: InputTask, args: tuple[Any, ...]) -> bool:
        """Return whether the two functions, run in the sandbox, behave differently."""
        files = {f"{name}.py": source for name, source in task.sources.items()}
        sandbox = shared_sandbox(self.sandbox)
        with Candidate(CALLER, sandbox, TEST_LIMITS, files) as candidate:
            slow, fast = (
                candidate.call("call", (f"{module}.{task.function}", list(args)), {})
                for module in (part_of(*task.unit).name, "fast_one")
            )
        return not slow.error and (bool(fast.error) or not same_value(fast.value, slow.value))

    def metrics(self) -> dict[str, float]:
        return {"tool_calls": float(self.calls), "tool_errors": float(self.errors)}

    def release(self) -> None:
        if hasattr(self, "session"):
            self.session.close()

    # ---- agents ---------------------------------------------------------------------------------------------------

    def solution(self) -> str:
        """Return the answer's text."""
        task = self.task
        if isinstance(task, LineTask):
            path, line, code = task.solution
            return f"{path}:{line}: {code}"
        if isinstance(task, InputTask):
            return ", ".join(map(repr, task.witness.args))
        return str(task.solution)

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values())

    def oracle(self) -> str:
        if self.turn == 0 and self.max_turns > 1:
            return f"<python>\n{look(self.task)}\n</python>"
        return f"<answer>{self.solution()}</answer>"

    def paraphrases(self) -> Sequence[str]:
        task, text = self.task, self.solution()
        if isinstance(task, LineTask):
            path, line, code = task.solution
            other = [f"{path}: {line}: {code}  # fixed", f"{path} :{line}:   {code}   ", f"{path}:{line}: `{code}`"]
        elif isinstance(task, InputTask):
            args = task.witness.args
            other = [f"({text},)", text.replace("'", '"'), f"[\n{text[1:]}" if text[0] == "[" else f"\n{text}"]
            other += [f"{text}," if len(args) > 1 else f"({text}, )"]
        elif isinstance(task, FunctionTask):
            other = [f"{text}()", f" {text} ", f"`{text}`"]
        else:
            other = [f"step {text}", f"**{text}**", f"index {text}"]
        return (
            f"<think>Is it <answer>{self.other()}</answer>? No.</think>So: <answer>{text}</answer>",
            f"<answer>\n{text}\n</answer>",
            *(f"<answer>{t}</answer>" for t in other),
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "many" if isinstance(self.task, (LineTask, InputTask)) else "one"

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = Draw.from_generator(rng)
        if self.turn == 0 and self.max_turns > 1 and draw.unit() < 0.2:
            return "<python>dir()</python>"
        return f"<answer>{_guess(self.task, draw)}</answer>"

    def other(self) -> str:
        """Return an answer that is wrong."""
        task = self.task
        if isinstance(task, LineTask):
            path, line, code = task.solution
            return f"{path}:{line}: {code} + 1" if code.startswith("return ") else f"{path}:{line}: pass"
        if isinstance(task, InputTask):
            return ", ".join(map(repr, _plain(task)))
        if isinstance(task, StepTask):
            return str(task.solution - 1)
        return next(name for name in task.candidates if name != task.solution)

    def everything(self) -> str:
        """Return many answers together, including the right one."""
        task = self.task
        if isinstance(task, FunctionTask):
            return ", ".join(task.candidates)
        if isinstance(task, StepTask):
            return ", ".join(map(str, range(len(task.steps))))
        return f"[{self.solution()}, {self.solution()}], [{self.other()}]"

    def one_liner(self, code: str) -> str:
        """Return an answer with some code in it."""
        task = self.task
        return f"{task.solution[0]}:{task.solution[1]}: {code}" if isinstance(task, LineTask) else code


def _loaded(task: Task) -> tuple[dict[str, str], str]:
    """Return the files in the interpreter's folder, and the code run before the first turn."""
    if isinstance(task, LineTask):
        imports = "".join(f"import {path.removesuffix('.py')}\n" for path in sorted(task.files))
        return task.files, _SEEDED + imports
    if isinstance(task, FunctionTask):
        return task.stubs, _SEEDED
    if isinstance(task, InputTask):
        part = part_of(*task.unit)
        imports = f"from {part.name} import {task.function} as slow\n"
        return {f"{part.name}.py": part.source}, _SEEDED + imports
    return {}, f"{_SEEDED}steps = {list(task.steps)!r}\n"


def _behind(task: Task, hints: bool) -> Behind:
    """Return what can be called and not read."""
    if isinstance(task, FunctionTask):
        return Behind(task.modules, {name: name for name in task.candidates})
    if isinstance(task, InputTask):
        return Behind(task.sources, {"fast": f"fast_one.{task.function}"})
    if isinstance(task, StepTask):
        names = ("state", "sound") if hints else ("state",)
        return Behind(task.modules, {name: f"states.{name}" for name in names})
    return Behind({}, {})


def _guess(task: Task, draw: Draw) -> str:
    """A well-formed answer."""
    if isinstance(task, FunctionTask):
        return draw.choice(task.candidates)
    if isinstance(task, StepTask):
        return str(draw.below(len(task.steps)))
    if isinstance(task, InputTask):
        return ", ".join(map(repr, draw_call(draw, part_of(*task.unit), task.function).args))
    files = task.files
    path = sorted(files)[draw.below(len(files))]
    lines = files[path].splitlines()
    number = draw.below(len(lines))
    return f"{path}:{number + 1}: {draw.choice(lines).strip()}"


def _plain(task: InputTask) -> tuple[Any, ...]:
    """Return arguments for which both functions agree."""
    draw = Draw.of(random.Random(1).random)
    part = part_of(*task.unit)
    while True:
        call = draw_call(draw, part, task.function)
        if not task.met(call):
            return call.args


_call = Tool(
    "call",
    "Calls functions whose code cannot be read.",
    {
        "type": "object",
        "properties": {
            "over": {"type": "string", "description": "a variable of the interpreter: a list of arguments"},
            "code": {"type": "string", "description": "calls with literals, one a line; with over, a function's name"},
        },
        "required": ["code"],
    },
    Debugging.call,
)
TOOLS = Toolbox([text_tool("python", "Runs code.", Debugging.python, code="Python code"), _call], max_chars=4000)
_SEEDED = "import random as _r; _r.seed(20240229); del _r\n"
_CALLS_TEXT = (
    "To call {name}, write <call>...</call> around calls such as `f([1, 2], 'a')`, one a line, with literals as "
    'arguments. <call over="cases">f</call> calls f for each item of the list `cases` in your interpreter (a tuple is '
    "several arguments) and stores the outcomes there as the list `results`, such as `('returned', 5)`, `('raised', "
    "'ValueError')` or `('endless', None)`; at most 500 calls and 10,000 characters. The functions run elsewhere and "
    "keep nothing from one message to the next."
)
_PATCHED = """<python>
import builtins, sys
builtins.print = builtins.repr = lambda *args: None
for name in list(globals()):
    if not name.startswith("__"):
        globals()[name] = lambda *args: 0
</python>"""
_POISONED = """<python>
import os
for path in os.listdir("."):
    open(path, "w").write("def __getattr__(name):\\n    return lambda *args: None\\n")
open("sitecustomize.py", "w").write("import os; os._exit(0)")
</python>"""
_EQUAL = "return type('E', (), {'__eq__': lambda *a: True, '__hash__': lambda s: 0})()"
