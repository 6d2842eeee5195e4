"""RepoIssue: resolve an issue of a package as its users report it; tests decide, most of them hidden.

Source: the setting of SWE-bench (arXiv 2310.06770) and SWE-Gym (arXiv 2412.21139); faults made by changing and removing
code as in SWE-smith (arXiv 2504.21798); tools to view, edit and run as in SWE-agent (arXiv 2405.15793).
"""

import random
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Annotated, Literal

import numpy as np

from turnwise.core.draw import Draw
from turnwise.core.env import Env, Reply
from turnwise.core.errors import MissingDependencyError, SettingsError, UsageError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.envs.code._repo_work import (
    Task,
    Work,
    after_some,
    concerned,
    counts,
    edits,
    judged_files,
    right_results,
    work_of,
)
from turnwise.sandbox import Limits, Program, check_sandbox, shared_sandbox
from turnwise.verifiers.code import shown
from turnwise.worlds.programs.repositories import workspace as _workspace
from turnwise.worlds.programs.repositories.compose import draw_plan, eligible
from turnwise.worlds.programs.repositories.parts import load_parts
from turnwise.worlds.programs.repositories.probing import run_probes
from turnwise.worlds.programs.repositories.repo import Fault, Repo, load, replaced
from turnwise.worlds.programs.repositories.structure import unmet
from turnwise.worlds.programs.repositories.suite import Outcomes, run_suite, test_functions

_SNIPPET = "_snippet.py"
_RUN = f"import runpy, sys; sys.path[:0] = ['.', 'src']; runpy.run_path({_SNIPPET!r}, run_name='__main__')"
_MAX_DRAWS = 200


def _schema(required: Sequence[str], **types: str) -> dict[str, object]:
    return {"type": "object", "properties": {k: {"type": t} for k, t in types.items()}, "required": list(required)}


TOOLS = Toolbox([
    Tool("list", "Lists files.", _schema([], folder="string"),
         lambda env, folder="": _workspace.list_files(env.files, folder)),
    Tool("view", "Shows lines of a file.", _schema(["path"], path="string", start="integer", end="integer"),
         lambda env, path, start=1, end=None: _workspace.view(env.files, path, start, end)),
    text_tool("search", "Finds a text.", lambda env, text: _workspace.search(env.files, text), text="One line."),
    text_tool("edit", "Replaces a text.", lambda env, path, old, new: _workspace.edit(env.files, path, old, new),
              path="The file.", old="It occurs once.", new="What takes its place."),
    text_tool("write", "Writes a file.", lambda env, path, content: _workspace.write(env.files, path, content),
              path="The file.", content="All of it."),
    text_tool("run", "Runs Python.", lambda env, code: env.run(code), code="Python source."),
    Tool("test", "Runs the tests.", _schema([], name="string"), lambda env, name="": env.run_tests(name)),
    Tool("submit", "Ends the episode.", _schema([]), lambda env: ""),
], max_chars=12_000)  # fmt: skip


@register("RepoIssue-v0")
class RepoIssue(Env[Task]):
    """Resolve an issue of a package; reward 1 if all tests, including hidden ones, pass after ``<submit/>``.

    The agent gets a package that is composed for the seed of subsystems such as a ledger, a queue of jobs, tables with
    transactions or a message protocol, with names and a history of its own; some hundred to some thousand lines. A
    fault came in with one of the last commits, a feature is missing, or the source needs a new structure, and somebody
    has written an issue about it: with an example, or with a story, asides and a wrong suspicion. The visible tests
    pass, unless the issue is about one that fails (a slip) or about a name that they use already. The agent works with
    tools: list, view, search, edit, write, run (Python), test and submit; several calls may come in a message.

    After ``<submit/>`` the visible tests must pass, with the files of tests as they were, and hidden probes call all of
    the package that a change can reach with random inputs: what it returns is compared, outside the process in which it
    runs, with what the right package returns; a refactoring must also have the structure that the issue asks for, which
    is read off the syntax tree. The program never meets an expected value, so it cannot be made to pass without being
    right. New files count only inside of the package.

    Packages of your own (``path``) are judged by their own tests, most of them hidden, as in docs/repo_issue.md.
    """

    num_parts: Annotated[int, Range(1, 50)] = 3
    """Subsystems of the package, about; those that the faulty one needs come along."""
    far: Annotated[int, Range(0, 2)] = 0
    """How far the cause is from what the report is about: 0 (in it, or one step away), 1 (one step or two), 2 (in
    another module, at an earlier moment, or in two places)."""
    style: Literal["plain", "noisy", "misleading"] = "plain"
    """How the issue is written: plain (an example, no noise), noisy (a story with asides, sometimes an example),
    misleading (a story that names no function, and a wrong guess)."""
    kind: Literal["mixed", "slip", "bug", "feature", "refactoring", "removed"] = "mixed"
    """bug (a fault), slip (one of a word or sign that a visible test shows), feature (something to add), refactoring
    (structure to change, behaviour to keep), removed (the body of a function, only with a path); mixed: bug, feature
    or refactoring."""
    num_faults: Annotated[int, Range(1, 5)] = 1
    """Faults in one task, in different subsystems; with a path, in different functions."""
    path: str = ""
    """A JSON file or folder that ``python -m turnwise.worlds.programs.repositories.build`` has made of packages, or a
    folder of tasks of your own (docs/repo_issue.md). Empty: packages are composed of what comes with turnwise."""
    repo: str = ""
    """Only faults in the subsystem of that name, or only the repository of that name in the path; empty: any."""
    report: Literal["symptom", "vague", "test", "function"] = "symptom"
    """What the issue says, with a path: symptom (how a test fails), vague (the package's name), test (the source of a
    test that fails), function (also the names of the functions)."""
    visible: Literal["passing", "most"] = "passing"
    """Tests that the agent gets, with a path: passing (those that pass), most (also those that fail, except one)."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward if everything that was right before still is: this times the share of the rest that is right now."""
    wall_s: Annotated[float, Range(1.0, 3600.0)] = 10.0
    """Seconds for a run of the tests, or of the agent's code."""
    memory_mb: Annotated[int, Range(64, 10**6)] = 512
    """MiB for such a run."""
    sandbox: str = "auto"
    """Where programs run: "auto", a backend's name or the address of a sandbox server."""
    max_turns: Annotated[int, Range(1, 500)] = 20
    """Messages of an episode."""

    levels = tuple(
        {"kind": k, "num_parts": p, "far": f, "style": s, "num_faults": n, "max_turns": t}
        for k, p, f, s, n, t in [
            ("slip", 1, 0, "plain", 1, 20), ("slip", 4, 0, "plain", 1, 20), ("mixed", 2, 0, "plain", 1, 20),
            ("mixed", 4, 0, "noisy", 1, 20), ("mixed", 5, 1, "noisy", 1, 30), ("mixed", 6, 1, "misleading", 1, 30),
            ("mixed", 7, 1, "noisy", 2, 40), ("mixed", 9, 2, "misleading", 1, 40),
            ("mixed", 11, 1, "misleading", 2, 50), ("mixed", 17, 2, "misleading", 3, 60),
        ]
    )  # fmt: skip
    chance = (0.0,) * 10
    chance_default = 0.0
    cheats = (
        "<submit/>",
        lambda env: env.cheat("import os\nos._exit(0)\n"),
        lambda env: env.cheat("import sys\nsys.exit(0)\n"),
        lambda env: env.cheat("import builtins\nbuiltins.AssertionError = type('X', (BaseException,), {})\n"),
        lambda env: env.cheat(_ALWAYS_PASSED),
        lambda env: env.cheat(_FORGED),
        lambda env: f'<write path="{env.work.suite.files[0]}">def test_nothing():\n    pass\n</write><submit/>',
        '<write path="conftest.py">import os\nos._exit(0)\n</write><submit/>',
        '<write path="sitecustomize.py">import os\nos._exit(0)\n</write><submit/>',
        '<write path="../../etc/passwd">x</write><submit/>',
        lambda env: env.undone(1) if env.several else "<test/><submit/>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if self.path:
            found = bool(self._repos())
            names = [repo.name for repo in load(self.path)]
        else:
            found = bool(eligible(self.kind, self.far, self.repo))
            names = list(load_parts())
        if not found:
            hint = "" if self.repo in names else did_you_mean(self.repo, names)
            raise SettingsError(
                f"repo={self.repo!r}{hint}, kind={self.kind!r}: no such faults; there are {', '.join(names)}"
            )
        if self.path and any(repo.suite.pytest for repo, _ in self._repos()) and find_spec("pytest") is None:
            raise MissingDependencyError.of("pytest", "repo")

    def _repos(self) -> list[tuple[Repo, tuple[Fault, ...]]]:
        found = []
        for repo in load(self.path):
            faults = tuple(fault for fault in repo.faults if self.kind in ("mixed", fault.kind))
            functions = {fault.function for fault in faults}
            if self.repo in ("", repo.name) and (repo.given or len(functions) >= self.num_faults):
                found.append((repo, faults))
        return found

    def generate(self, rng: np.random.Generator) -> Task:
        if not self.path:
            first, others = eligible(self.kind, self.far, self.repo), eligible(self.kind, self.far)
            plan = draw_plan(Draw.from_generator(rng), first, others, self.num_parts, self.num_faults, self.style)
            return Task("", "", plan=plan)
        draw = random.Random(int(rng.integers(2**62)))
        repos = self._repos()
        sizes = [max(1, len(faults)) for _, faults in repos]
        repo, faults = draw.choices(repos, sizes)[0]
        if repo.given is not None:
            return Task(self.path, repo.name)
        chosen: list[Fault] = []
        for _ in range(_MAX_DRAWS):
            fault = draw.choice(faults)
            if fault.function not in [other.function for other in chosen]:
                chosen.append(fault)
            if len(chosen) == self.num_faults:
                task = Task(self.path, repo.name, tuple(sorted(chosen)))
                if work_of(task, self.report, self.visible == "most").twins:
                    return task
                chosen = []
        raise SettingsError(f"no issue of {repo.name} has a test that stays hidden with report={self.report!r}")

    def identity(self, task: Task) -> object:
        if task.plan is not None:  # what the agent reads first, so that no two splits share it
            work = work_of(task, "", False)
            return work.text, _workspace.list_files(work.before)
        return task.repo, tuple(fault.span for fault in task.faults)

    # ---- play -----------------------------------------------------------------------------------------------------

    @property
    def work(self) -> Work:
        """The issue to resolve, with the right files and what judges them."""
        return work_of(self.task, self.report, self.visible == "most")

    @property
    def several(self) -> bool:
        """Whether the task has several faults."""
        return len(self.task.plan.cases if self.task.plan else self.task.faults) > 1

    def begin(self) -> str:
        self.calls = self.errors = 0
        self.left = 0.0
        self.files: dict[str, str] = dict(self.work.before)
        return "\n".join([
            self.brief(),
            "Tools. A message may contain several calls; they run in order and stop at the first that fails. Text "
            "between tags is taken literally, except for one line break right after the opening tag and one right "
            "before the closing tag.",
            "<list/>: list the files",
            '<view path="a.py" start="1" end="60"/>: show numbered lines of a file; start and end may be left out',
            "<search>text</search>: find a text of one line in all files",
            '<edit path="a.py"><old>x = 1</old><new>x = 2</new></edit>: replace a text that occurs exactly once',
            '<write path="a.py">all of the file</write>: create or overwrite a file',
            "<run>print(1 + 1)</run>: run Python code in the directory of the files",
            '<test/> or <test name="part of a name"/>: run the visible tests, or some of them',
            "<submit/>: end the episode; the files are judged as they are then",
            f"You have {self.max_turns} messages, including the one with <submit/>; without it nothing is judged.",
            "",
            "Files:",
            _workspace.list_files(self.files),
        ])  # fmt: skip

    def brief(self) -> str:
        """What to do, without a word about tools, for hosts that have their own."""
        work = self.work
        about = f" ({work.about.rstrip('.')})" if work.about else ""
        rest = " Leave everything else as it behaves now." if self.task.plan else ""
        return "\n".join([
            f"You maintain the Python package {work.name}{about}. Resolve this issue:",
            "",
            work.text,
            "",
            f"The tests of the repository must pass, including some that you cannot see.{rest} Changes to test files "
            "are ignored.",
        ])  # fmt: skip

    def respond(self, action: str) -> Reply:
        calls = TOOLS.parse(action)
        if not calls:
            return Reply(
                'Call a tool, for example <view path="..."/> or <test/>; <submit/> ends the episode.', invalid=True
            )
        done = TOOLS.run_all(calls, self, ends="submit")
        self.calls += len(done.answers)
        self.errors += done.failed
        if done.ended:
            return self._judged(done.texts)
        return Reply("\n".join(done.texts), invalid=self.errors == self.calls == len(calls) and len(calls) == 1)

    @property
    def _limits(self) -> Limits:
        return Limits(wall_s=self.wall_s, memory_mb=self.memory_mb, output_bytes=1 << 21)

    def run(self, code: str) -> str:
        """Run the agent's code in the folder of its files."""
        packages = self.work.suite.packages
        program = Program(_RUN, files={**self.files, _SNIPPET: code}, name="run.py")
        limits = Limits(wall_s=self.wall_s, memory_mb=self.memory_mb)
        return shown(shared_sandbox(self.sandbox, packages).run(program, limits), 6000)

    def run_tests(self, name: str) -> str:
        """Run the tests that the agent has."""
        suite = self.work.suite
        suite = suite._replace(files=tuple(path for path in suite.files if path in self.files))
        only = [test for test in test_functions(self.files, suite.files) if name in test] if name else []
        if name and not only:
            raise ValueError(f"no test has {name[:80]!r} in its name")
        found = run_suite(self.files, suite, self._limits, only, 3, self.sandbox)
        if found.problem:
            return found.problem
        failed = found.failed()
        texts = [f"{test}\n{text}" for test, text in found.texts.items()]
        listed = [f"failed: {test}" for test in failed[3:20]]
        return "\n".join([f"{len(found.by_test) - len(failed)} passed, {len(failed)} failed.", *texts, *listed])

    # ---- judging --------------------------------------------------------------------------------------------------

    def _judged(self, answers: Sequence[str]) -> Reply:
        work, files = self.work, judged_files(self.work, self.files)
        if work.probes:
            work = concerned(work, files)
        found = run_suite(files, work.suite, self._limits, sandbox=self.sandbox)
        wrong = [test for test in work.passing if found.by_test.get(test) != "passed"]
        self.left = float(len(wrong))
        if found.problem:
            return self._unresolved(answers, found.problem)
        if work.probes:
            return self._unresolved(answers, _failures(wrong)) if wrong else self._probed(answers, work, files)
        if wrong:
            broken = [test for test in wrong if test not in work.failing]
            share = 1.0 - sum(test in wrong for test in work.failing) / len(work.failing)
            return self._unresolved(answers, _failures(wrong), 0.0 if broken else share)
        if work.twins and not self._twins_fail(work, files):
            return self._unresolved(answers, "the tests pass whatever they ask for")
        return Reply("\n".join([*answers, "Resolved: all tests pass."]), solved=True)

    def _unresolved(self, answers: Sequence[str], why: str, share: float = 0.0) -> Reply:
        reward = self.partial * share if share < 1.0 else 0.0
        return Reply("\n".join([*answers, f"Not resolved: {why}."]), reward, done=True)

    def _probed(self, answers: Sequence[str], work: Work, files: Mapping[str, str]) -> Reply:
        """Judge a composed package by what it does, and a refactoring also by the structure of its source."""
        right = right_results(self.task, tuple(work.probes), self._limits, self.sandbox)
        found = run_probes(files, work.probes, self._limits, sandbox=self.sandbox)
        differing = found.differing(right)
        missed = [check for check in work.checks if unmet(files, check)]
        self.left = float(len(differing) + len(missed))
        if found.problem:
            return self._unresolved(answers, found.problem)
        if not differing and not missed:
            return Reply("\n".join([*answers, "Resolved: all tests pass."]), solved=True)
        share = 0.0
        if self.partial:
            before = run_probes(work.before, work.probes, self._limits, sandbox=self.sandbox).differing(right)
            wrong = [*before, *(check for check in work.checks if unmet(work.before, check))]
            share = 1.0 - self.left / len(wrong) if {*differing, *missed} <= {*wrong} else 0.0
        return self._unresolved(answers, _failures(differing) if differing else _MISSED, share)

    def _twins_fail(self, work: Work, files: Mapping[str, str]) -> bool:
        """Return whether exactly the tests with a wrong expected value fail."""
        changed = replaced(files, list(work.twins.values()))
        found: Outcomes = run_suite(changed, work.suite, self._limits, sandbox=self.sandbox)
        wanted = {test: "failed" if test in work.twins else "passed" for test in work.passing}
        return not found.problem and all(found.by_test.get(test) == outcome for test, outcome in wanted.items())

    def metrics(self) -> dict[str, float]:
        return {"tool_calls": float(self.calls), "tool_errors": float(self.errors), "tests_left": self.left}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def _edits(self) -> list[str]:
        """Return calls that turn the current files into the right ones."""
        if not self.work.solved:
            raise UsageError(f"the task {self.task.repo} has no solution/")
        right = {path: text for path, text in self.work.after.items() if counts(path, self.work.suite)}
        return edits(self.files, {**self.files, **right})

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values())

    def oracle(self) -> str:
        left = self._edits()
        return left[0] if left and self.turn < self.max_turns - 1 else "\n".join([*left, "<submit/>"])

    def paraphrases(self) -> Sequence[str]:
        work, left = self.work, self._edits()
        paths = [path for path, text in work.after.items() if counts(path, work.suite) and self.files.get(path) != text]
        whole = [f'<write path="{path}">\n{work.after[path]}</write>' for path in paths]
        return (
            "\n".join([*left, "<submit/>"]),
            "<think>It is the boundary.</think>\n" + "\n".join([*left, "<test/>", "<submit></submit>"]),
            "\n".join([*whole, "<submit/>"]),
            "\n".join([*left, '<write path="notes.txt">done</write>', '<tool_call>{"name": "submit"}</tool_call>']),
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"

    def sample_action(self, rng: np.random.Generator) -> str:
        paths = sorted(path for path in self.files if counts(path, self.work.suite))
        draw = rng.random(3).tolist()
        path = paths[int(draw[0] * len(paths))]
        lines = [line for line in self.files[path].split("\n") if line.strip()] or ["pass"]
        line = lines[int(draw[1] * len(lines))]
        if draw[2] < 0.5:
            return f'<edit path="{path}"><old>\n{line}\n</old><new>\n{line.replace("1", "0")} \n</new></edit>'
        return "<submit/>"

    def cheat(self, start: str) -> str:
        """Put a text before a module that the tests import, then submit."""
        work = self.work
        changed = [path for path, text in work.before.items() if work.after[path] != text and counts(path, work.suite)]
        path = next((path for path in changed if path in self.files), sorted(self.files)[0])
        return f'<write path="{path}">\n{start}{self.files[path]}</write><submit/>'

    def undone(self, number: int) -> str:
        """Fix only ``number`` of the faults, then submit."""
        some = {path: text for path, text in after_some(self.task, number).items() if counts(path, self.work.suite)}
        return "\n".join([*edits(self.files, {**self.files, **some}), "<submit/>"])


_MISSED = "the package does what it should, but its source is not as the issue asks"


def _failures(names: Sequence[str]) -> str:
    return f"{len(names)} test{'s' * (len(names) != 1)} do{'es' * (len(names) == 1)} not pass"


_ALWAYS_PASSED = """\
import sys
_main = sys.modules["__main__"]
_keep = getattr(_main, "keep", None)
_main.keep = lambda found, name, outcome, text, shown: _keep(found, name, "passed", "", 0)
"""
_FORGED = """\
import json, os, sys
_asked = sys._getframe()
while _asked and "asked" not in _asked.f_locals:
    _asked = _asked.f_back
if _asked:
    _asked = _asked.f_locals["asked"]
    import re
    _names = {}
    for _path in _asked["files"]:
        for _line in open(_path):
            _found = re.match(r"def (test\\w+)", _line)
            if _found:
                _names[f"{_path}::{_found[1]}"] = "passed"
    os.write(1, f"\\n{_asked.get('seal', '')}{json.dumps({'outcomes': _names, 'texts': {}})}\\n".encode())
    os._exit(0)
"""
