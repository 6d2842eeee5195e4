"""CodeRepair: find and fix the faults of a small program, with an editor, an interpreter and some tests.

Source: automated program repair judged by hidden tests, as in QuixBugs (Lin et al., SPLASH 2017) and DebugBench
(arXiv 2401.04621), over turns with tools as in SWE-agent (arXiv 2405.15793); the faults are those that people make,
after both and the programming FAQ of Python, put into programs of our own as mutations are (Jia and Harman, IEEE TSE
37(5), 2011).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.envs.code._repair_draws import draw_faults, draw_tests
from turnwise.envs.code._repair_report import Seen, reported, unseen
from turnwise.envs.code._repair_text import (
    ALWAYS,
    CALLER,
    LOOKUP,
    PATCHES,
    RUNNER,
    TOOLS_TEXT,
    as_json,
    as_nested,
    as_tags,
    tests_text,
)
from turnwise.sandbox import Limits, check_sandbox, shared_sandbox
from turnwise.sandbox import Program as Run
from turnwise.verifiers.code import Example, same_value, shown, verify_function
from turnwise.verifiers.code.feedback import why_ended
from turnwise.worlds.programs.faults.mutations import applied, edits
from turnwise.worlds.programs.library.names import Names
from turnwise.worlds.programs.library.programs import (
    Fault,
    Key,
    draw_call,
    draw_key,
    program_of,
)
from turnwise.worlds.programs.library.run import Call, CallOutcome, same_outcome
from turnwise.worlds.programs.repositories import workspace as _workspace

MAX_DRAWS = 200
MAX_AGENT_FILES = 60
EXTRA_CALLS = 16  # per function, drawn for one task in addition to those shared by all tasks with a behaviour
FAULTY_CALLS = 48  # the same in files with bugs: a wrong fix may be right for most inputs
RUN_LIMITS = Limits(wall_s=3.0, memory_mb=256)
TEST_LIMITS = Limits(wall_s=2.0, memory_mb=256)
TESTS = "tests.py"
_SHORT = ("boundary", "comparison", "constant", "off_by_one", "branches", "arguments")  # tried by a random agent


@dataclass(frozen=True)
class Task:
    """A program, its bugs, the calls of the visible tests, and a seed for names and hidden calls."""

    key: Key
    faults: tuple[Fault, ...]
    tests: tuple[Call, ...] = field(compare=False)
    seed: int = field(compare=False)


@register("CodeRepair-v0")
class CodeRepair(Env[Task]):
    """Fix the bugs of a small program; reward 1 if it passes all hidden tests at <submit/> or after the last turn.

    The program is put together from small modules in one of their many behaviours, described by docstrings, under names
    that are drawn; some of them use others. Somebody reports a result that is wrong. A fault is a small change of a
    kind that people make and overlook: a boundary, a tie that is broken the other way, a value that is kept from call
    to call or reset too often, a lost copy, a default, an order of statements; from level 4 on, it can also be a
    function that follows another rule than its docstring's. Hidden tests call all functions: some
    calls are the same for a behaviour, others drawn for the task.
    Every fault fails some of the first, alone and together with any of the others. What the program answers is compared
    outside of the sandbox; expected values never enter it.
    """

    num_files: Annotated[int, Range(1, 6)] = 2
    """Files of the program; of several, one uses the functions of the others."""
    num_bugs: Annotated[int, Range(1, 4)] = 1
    """Bugs, each in a function of its own."""
    visible: Literal["failing test", "none"] = "failing test"
    """What the agent gets: with "failing test" there is a file of tests, at least one of which fails. With "none" there
    are no tests."""
    show_source: bool = True
    """The first observation shows the files."""
    subtle: Annotated[float, Range(0.1, 1.0)] = 0.7
    """Largest share of typical calls of any one function that reveal a bug, by itself."""
    misread: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Share of the bugs in which a function follows another rule than its docstring's, so that several places of it are
    wrong or statements are missing; the others are one small change each."""
    far: bool = False
    """The failing visible tests call functions that use the functions with bugs, not those themselves."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward for a program that is still wrong, times the share of the hidden tests that failed at first and pass now;
    nothing if a test fails that passed before."""
    sandbox: str = "auto"
    """The sandbox that programs run in, see `shared_sandbox`."""
    max_turns: Annotated[int, Range(1, 100)] = 10
    """Messages; each may call several tools."""

    levels = tuple(
        {"num_files": f, "num_bugs": b, "visible": v, "show_source": s, "subtle": r, "misread": m, "far": a,
         "max_turns": t}
        for f, b, v, s, r, m, a, t in [
            (1, 1, "failing test", True, 1.0, 0.0, False, 8), (2, 1, "failing test", True, 0.7, 0.0, False, 8),
            (3, 1, "failing test", True, 0.6, 0.0, False, 10), (2, 2, "failing test", True, 0.6, 0.3, False, 10),
            (4, 1, "failing test", False, 0.5, 0.7, True, 14), (5, 1, "failing test", False, 0.4, 0.7, True, 14),
            (4, 2, "failing test", False, 0.5, 0.7, True, 16), (6, 2, "failing test", False, 0.4, 0.7, True, 18),
            (4, 2, "none", False, 0.4, 0.7, False, 18), (6, 3, "none", False, 0.4, 0.7, False, 24),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        "<submit/>",
        f'<write path="{TESTS}"></write><submit/>',
        f'<write path="{TESTS}">def test_1():\n    pass</write><test/><submit/>',
        lambda env: env.cheat_files("import os\nos._exit(0)\n"),
        lambda env: env.cheat_files("import sys\nsys.exit(0)\n"),
        lambda env: env.cheat_files("def __getattr__(name):\n    return lambda *args: None\n"),
        lambda env: env.cheat_files(ALWAYS),
        lambda env: env.hard_coded(),
        lambda env: env.cheat_more(PATCHES),
        lambda env: env.cheat_more("import sys\nsys.modules['tests'] = sys\n"),
        lambda env: env.cheat_more("raise SystemExit(0)\n"),
        lambda env: env.fixed(1) if env.num_bugs > 1 else "<submit/>",
        '<write path="conftest.py">collect_ignore = ["tests.py"]</write><write path="sitecustomize.py">x = 1</write>'
        "<submit/>",
        '<write path="../../etc/passwd">root</write><write path="/tests.py">x</write><submit/>',
        "<run>import os; os.symlink('/etc/passwd', 'main.py'); open('tests.py', 'w').write('')</run><submit/>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if self.far and self.num_files == 1:
            raise SettingsError("far=True needs functions that use others: num_files must be at least 2")

    # ---- generation -----------------------------------------------------------------------------------------------

    def generate(self, rng: np.random.Generator) -> Task:
        source = random.Random(int(rng.integers(2**62)))
        draw = Draw.of(source.random)
        for _ in range(MAX_DRAWS):
            key = draw_key(draw, self.num_files)
            program = program_of(key)
            faults = draw_faults(draw, program, self.num_bugs, self.subtle, self.misread)
            tests = draw_tests(draw, program, faults, self.far) if faults and self.visible != "none" else ()
            if faults and (tests or self.visible == "none"):
                return Task(key, faults, tests, source.getrandbits(53))
        raise SettingsError(
            f"no program of num_files={self.num_files} with num_bugs={self.num_bugs} was found; raise subtle="
            f"{self.subtle} or num_files"
        )

    def identity(self, task: Task) -> object:
        return sorted(program_of(task.key).changed(task.faults).items())

    # ---- play -----------------------------------------------------------------------------------------------------

    def begin(self) -> str:
        task = self.task
        program, names = program_of(task.key), self.names
        self.files = names.files(program.changed(task.faults))
        paths = sorted(self.files)
        if task.tests:
            right = program.running()
            self.files[TESTS] = tests_text([(call, right.outcome(call)[1]) for call in task.tests], names)
        self.first = dict(self.files)
        self.calls = self.errors = 0
        shown_files = [f"--- {path}\n{self.files[path]}" for path in sorted(self.files)] if self.show_source else []
        return "\n".join([
            self.brief(),
            "",
            "Files: " + ", ".join(f"{path} ({self.files[path].count(chr(10))} lines)" for path in paths),
            "",
            TOOLS_TEXT,
            f"You have {self.max_turns} messages; after the last one the files are judged without <submit/>.",
            *([""] if shown_files else []),
            *shown_files,
        ])  # fmt: skip

    def brief(self) -> str:
        """What to do, without a word about tools, for hosts that have their own."""
        draw = Draw("CodeRepair report", self.task.seed)
        if not self.task.tests:
            program = program_of(self.task.key)
            unit = draw.choice(sorted(program.users or program.parts))
            report = unseen(draw, unit, self.names.file(unit), self.num_bugs)
            tests = "There are no visible tests."
        else:
            report = reported(draw, self._seen(), self.num_bugs)
            tests = f"{TESTS} has some of the tests, at least one of which fails. Changes to that file have no effect."
        return (
            f"{report}\n\n---\n\nFix the program so that it does everything its docstrings say. The docstrings "
            f"are correct, and hidden tests call every function. {tests}"
        )

    def _seen(self) -> Seen:
        """Return the visible test that fails with the shortest call and outcome, as its reporter describes it."""
        program = program_of(self.task.key)
        right, wrong = program.running(), program.running(self.task.faults)
        found: list[tuple[int, Seen]] = []
        for call in self.task.tests:
            (_, wanted), (how, got) = right.outcome(call), wrong.outcome(call)
            if how == "returned" and same_value(got, wanted):
                continue
            unit, _, function = call.function.partition(".")
            called = f"{self.names.function(call.function)}({', '.join(map(repr, call.args))})"
            doc = program.parts[unit].doc(function)
            raised = how == "raised"
            shown = str(got) if raised else "^C" if how == "endless" else repr(got)
            found.append((len(called) + len(shown), Seen(unit, called, shown, raised, repr(wanted), doc)))
        return min(found)[1]

    def respond(self, action: str) -> Reply:
        calls = TOOLS.parse(action)
        done = TOOLS.run_all(calls, self, ends="submit")
        self.calls += len(done.answers) + done.ended
        self.errors += done.failed
        if done.ended:
            return self._judged(done.texts, over=True)
        text = "\n".join(done.texts) if calls else "Call a tool, such as <test/>."
        if self.turn >= self.max_turns:
            return self._judged([text], over=False, invalid=not calls)
        return Reply(text, invalid=not calls)

    def _judged(self, answers: Sequence[str], over: bool, invalid: bool = False) -> Reply:
        if self.files == self.first:
            why, credit = "nothing was changed", 0.0
        else:
            why, credit = self._verdict()
        if not why:
            return Reply("\n".join([*answers, "All hidden tests pass."]), solved=True)
        return Reply("\n".join([*answers, f"Not fixed: {why}."]), reward=credit, done=over, invalid=invalid)

    def _verdict(self) -> tuple[str, float]:
        """Return what is still wrong, or "", and the partial credit."""
        broken, tests = self._hidden()
        examples = [
            Example((self.names.function(call.function), list(call.args)), {}, wanted)
            for call, wanted in (*broken, *tests)
        ]
        arguments = {"limits": TEST_LIMITS, "sandbox": shared_sandbox(self.sandbox), "files": self.files}
        verdict = verify_function(CALLER, "call", examples, all_tests=False, **arguments)  # type: ignore[arg-type]
        if verdict.correct:
            return "", 0.0
        place = round((verdict.parts or {})["passed"])
        why = f"a hidden test of {examples[place].args[0]} fails"
        if not self.partial:
            return why, 0.0
        kept = [example for example, test in zip(examples[len(broken) :], tests, strict=True) if test not in broken]
        whole = verify_function(CALLER, "call", kept, all_tests=False, **arguments)  # type: ignore[arg-type]
        if not whole.correct:
            return why, 0.0
        return why, self.partial * verify_function(CALLER, "call", examples[: len(broken)], **arguments).score  # type: ignore[arg-type]

    def _hidden(self) -> tuple[list[tuple[Call, CallOutcome]], list[tuple[Call, CallOutcome]]]:
        """Return the hidden tests with expected results: those that the given program fails, and all.

        The first are tried first, as most wrong programs fail one of them; but what a program keeps from call to call
        shows only if the others come in between.
        """
        program = program_of(self.task.key)
        draw = Draw("CodeRepair", self.task.seed)
        faulty_files = {fault.file for fault in self.task.faults}
        extra = [
            draw_call(draw, part, name)
            for file, part in program.parts.items()
            for name in part.signatures
            for _ in range(FAULTY_CALLS if file in faulty_files else EXTRA_CALLS)
        ]
        right, faulty = program.running(), program.running(self.task.faults)
        sharp = program.sharp(self.task.faults)
        tests = [(call, right.outcome(call)) for call in (*program.calls, *sharp, *extra)]
        return [(call, wanted) for call, wanted in tests if not same_outcome(faulty.outcome(call), wanted)], tests

    def metrics(self) -> dict[str, float]:
        return {"tool_calls": float(self.calls), "tool_errors": float(self.errors)}

    # ---- tools ----------------------------------------------------------------------------------------------------

    def view(self, path: str, start: int = 1, end: int | None = None) -> str:
        """Run the tool <view>."""
        return _workspace.view(self.files, path, start, end)

    def edit(self, path: str, old: str, new: str) -> str:
        """Run the tool <edit>."""
        return _workspace.edit(self.files, path, old, new)

    def write(self, path: str, content: str) -> str:
        """Run the tool <write>."""
        if len(self.files) >= MAX_AGENT_FILES and path not in self.files:
            raise ValueError(f"there are {MAX_AGENT_FILES} files already")
        return _workspace.write(self.files, path, content)

    def run(self, code: str) -> str:
        """Run the tool <run>: the code runs next to copies of the files."""
        result = shared_sandbox(self.sandbox).run(Run(code, files=self.files), RUN_LIMITS)
        ended = why_ended(result, RUN_LIMITS)
        return "\n".join(part for part in (shown(result), ended and f"[{ended}]") if part) or "(no output)"

    def test(self) -> str:
        """Run the tool <test>: the tests as they currently are in the files."""
        if TESTS not in self.files:
            raise ValueError("there are no visible tests; look with <run>")
        return self.run(RUNNER)

    # ---- agents ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> Names:
        """The names used in this task's program."""
        draw = Draw("CodeRepair names", self.task.seed)
        return Names(program_of(self.task.key), draw)

    def _mended(self) -> dict[str, str]:
        return self.names.files(program_of(self.task.key).files)

    def _plan(self, hurry: bool) -> tuple[list[_workspace.Change], dict[str, str], str]:
        """Return the next edits, files to write, and the call after them."""
        wanted = self._mended()
        changes = _workspace.changes(self.files, wanted)
        edited = {change.path for change in changes}
        written = {path: text for path, text in wanted.items() if self.files.get(path) != text and path not in edited}
        if hurry or self.turn + 1 >= self.max_turns:
            return changes, written, "<submit/>"
        if not changes and not written:
            return [], {}, "<submit/>"
        rest = len(changes) + len(written) > 1
        return changes[:1], written if not changes else {}, "" if rest or TESTS not in self.files else "<test/>"

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values())

    def oracle(self) -> str:
        return as_tags(*self._plan(hurry=False))

    def paraphrases(self) -> Sequence[str]:
        plan, all_at_once = self._plan(hurry=False), self._plan(hurry=True)
        return (
            as_json(*plan),
            as_nested(*plan),
            f"<think>The docstring says otherwise. <submit/>?</think>\nI change this:\n{as_tags(*plan)}\nThat is it.",
            as_tags(*all_at_once),
            as_tags([], self._mended(), "<submit/>"),
            as_json(*all_at_once),
            f'<run>print("looking")</run>\n<view path="{sorted(self.files)[0]}"/>\n{as_tags(*all_at_once)}',
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"  # text next to tool calls is ignored

    def sample_action(self, rng: np.random.Generator) -> str:
        draw = Draw.from_generator(rng)
        path = sorted(self.files)[draw.below(len(self.files))]
        other = draw.below(10)
        if other < 4:
            return "<submit/>"
        if other < 6:
            stem = path.removesuffix(".py").replace("/", ".")
            return (f'<view path="{path}"/>', f"<run>import {stem}\nprint(1)</run>")[other - 4]
        try:
            found = edits(self.files[path], _SHORT)
        except (SyntaxError, ValueError):
            found = []
        if not found:
            return f'<write path="{path}">pass</write>'
        changed = applied(self.files[path], [draw.choice(found)])
        return as_tags(_workspace.changes({path: self.files[path]}, {path: changed}), {}, "") or "<test/>"

    def fixed(self, number: int) -> str:
        """Return the message that fixes the first ``number`` bugs and submits."""
        program = program_of(self.task.key)
        left = self.names.files(program.changed(self.task.faults[number:]))
        return as_tags(_workspace.changes(self.files, left), {}, "<submit/>")

    def cheat_files(self, text: str) -> str:
        """Return the message that replaces every file with a text and submits."""
        return as_tags([], {path: text for path in self.files if path != TESTS}, "<submit/>")

    def cheat_more(self, text: str) -> str:
        """Return the message that appends a text to every file and submits."""
        return as_tags([], {p: self.files[p] + "\n" + text for p in self.files if p != TESTS}, "<submit/>")

    def hard_coded(self) -> str:
        """Return the message that hard-codes the answers of the visible tests and submits."""
        return as_tags([], self.looked_up(), "<submit/>")

    def looked_up(self) -> dict[str, str]:
        """Return the files with the answers of the visible tests hard-coded."""
        right = program_of(self.task.key).running()
        table: dict[str, dict[str, object]] = {}
        for call in self.task.tests:
            place, _, name = self.names.function(call.function).partition(".")
            table.setdefault(f"{place}.py", {}).setdefault(name, {})[repr(call.args)] = right.outcome(call)[1]  # type: ignore[index]
        return {path: self.files[path] + LOOKUP.format(table=functions) for path, functions in table.items()}


_view = Tool(
    "view",
    "Shows numbered lines of a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "start": {"type": "integer"}, "end": {"type": "integer"}},
        "required": ["path"],
    },
    CodeRepair.view,
)
TOOLS = Toolbox(
    [
        _view,
        text_tool("edit", "Replaces a text in a file.", CodeRepair.edit, path="the file", old="once there", new="new"),
        text_tool("write", "Makes or replaces a file.", CodeRepair.write, path="the file", content="all of it"),
        text_tool("run", "Runs Python code beside the files.", CodeRepair.run, code="Python code"),
        text_tool("test", "Runs the visible tests.", CodeRepair.test),
        text_tool("submit", "Ends the episode.", lambda env: ""),
    ],
    max_chars=6000,
)  # fmt: skip
