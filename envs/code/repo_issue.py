"""RepoIssue: resolve an issue in a small repository; its tests decide, most of them hidden.

Source: the setting of SWE-bench (arXiv 2310.06770) and SWE-Gym (arXiv 2412.21139); faults made by changing and removing
code as in SWE-smith (arXiv 2504.21798); tools to view, edit and run as in SWE-agent (arXiv 2405.15793).
"""

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Env, Reply
from turnwise.core.errors import MissingDependencyError, SettingsError, UsageError, did_you_mean
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.core.tools import Tool, Toolbox, text_tool
from turnwise.sandbox import Limits, Program, check_sandbox, shared_sandbox
from turnwise.verifiers.code import shown
from turnwise.worlds.programs.repositories import workspace as _workspace
from turnwise.worlds.programs.repositories.repo import Fault, Issue, Repo, issue_of, load, replaced
from turnwise.worlds.programs.repositories.suite import Outcomes, run_suite, test_functions

BUILT_IN = os.path.join(os.path.dirname(__file__), "data", "repos")
_SNIPPET = "_snippet.py"
_RUN = f"import runpy, sys; sys.path[:0] = ['.', 'src']; runpy.run_path({_SNIPPET!r}, run_name='__main__')"
_NAMES_OF_TESTS = ("test", "conftest", "sitecustomize", "usercustomize")
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


@dataclass(frozen=True)
class Task:
    """The repository, and the numbers of the faults in it."""

    path: str
    repo: str
    faults: tuple[Fault, ...]


@register("RepoIssue-v0")
class RepoIssue(Env[Task]):
    """Resolve an issue of a repository; reward 1 if all tests, including hidden ones, pass after ``<submit/>``.

    The agent gets the files of a package in which a line was changed or the body of a function removed, a report, and
    the package's own tests without those that fail. It works with tools: list, view, search, edit, write, run (Python),
    test and submit; several calls may come in a message.

    The tests are judged with the files as they were given, whatever the agent did to them, and new files count only
    inside of the package. They run in the same process as the program, as tests of packages do; so they are run a
    second time with twins of hidden tests, in which a value that a test expects is another one: these must fail. A
    program that makes tests pass without doing what they ask for passes the twins, too, and is not paid.
    """

    path: str = ""
    """A JSON file or folder that ``python -m turnwise.worlds.programs.repositories.build`` has made of packages, or a
    folder of tasks of your own (docs/repo_issue.md). Empty: the repositories that come with turnwise."""
    repo: str = ""
    """Only the repository of that name; empty: any."""
    kind: Literal["mixed", "bug", "removed"] = "mixed"
    """bug (a changed line), removed (the body of a function), or mixed."""
    num_faults: Annotated[int, Range(1, 5)] = 1
    """Faults in one task, in different functions."""
    report: Literal["symptom", "vague", "test", "function"] = "symptom"
    """What the issue says: symptom (how a test fails), vague (the package's name), test (the source of a test that
    fails), function (also the names of the functions)."""
    visible: Literal["passing", "most"] = "passing"
    """Tests that the agent gets: passing (those that pass), most (also those that fail, except one)."""
    partial: Annotated[float, Range(0.0, 0.9)] = 0.0
    """Reward if all tests that passed before still pass: this times the share of the others that pass."""
    wall_s: Annotated[float, Range(1.0, 3600.0)] = 10.0
    """Seconds for a run of the tests, or of the agent's code."""
    memory_mb: Annotated[int, Range(64, 10**6)] = 512
    """MiB for such a run."""
    sandbox: str = "auto"
    """Where programs run: "auto", a backend's name or the address of a sandbox server."""
    max_turns: Annotated[int, Range(1, 500)] = 20
    """Messages of an episode."""

    levels = tuple(
        {"num_faults": n, "report": r, "visible": v, "kind": k}
        for n, r, v, k in [
            (1, "function", "most", "bug"), (1, "test", "most", "bug"), (1, "symptom", "most", "mixed"),
            (1, "function", "passing", "bug"), (1, "symptom", "passing", "mixed"), (2, "symptom", "most", "mixed"),
            (2, "symptom", "passing", "mixed"), (1, "vague", "passing", "bug"), (2, "vague", "passing", "mixed"),
            (3, "vague", "passing", "mixed"),
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
        lambda env: f'<write path="{env.issue.suite.files[0]}">def test_nothing():\n    pass\n</write><submit/>',
        '<write path="conftest.py">import os\nos._exit(0)\n</write><submit/>',
        '<write path="sitecustomize.py">import os\nos._exit(0)\n</write><submit/>',
        '<write path="../../etc/passwd">x</write><submit/>',
        lambda env: env.undone(1) if len(env.task.faults) > 1 else "<test/><submit/>",
    )

    def check(self) -> None:
        check_sandbox(self.sandbox)
        if not self._repos():
            names = [repo.name for repo in load(self.path or BUILT_IN)]
            hint = "" if self.repo in names else did_you_mean(self.repo, names)
            raise SettingsError(
                f"repo={self.repo!r}{hint}, kind={self.kind!r}: no such faults; there are {', '.join(names)}"
            )
        if any(repo.suite.pytest for repo, _ in self._repos()) and find_spec("pytest") is None:
            raise MissingDependencyError.of("pytest", "repo")

    def _repos(self) -> list[tuple[Repo, tuple[Fault, ...]]]:
        found = []
        for repo in load(self.path or BUILT_IN):
            faults = tuple(fault for fault in repo.faults if self.kind in ("mixed", fault.kind))
            functions = {fault.function for fault in faults}
            if self.repo in ("", repo.name) and (repo.given or len(functions) >= self.num_faults):
                found.append((repo, faults))
        return found

    def generate(self, rng: np.random.Generator) -> Task:
        draw = random.Random(int(rng.integers(2**62)))
        repos = self._repos()
        sizes = [max(1, len(faults)) for _, faults in repos]
        repo, faults = draw.choices(repos, sizes)[0]
        if repo.given is not None:
            return Task(self.path, repo.name, ())
        chosen: list[Fault] = []
        for _ in range(_MAX_DRAWS):
            fault = draw.choice(faults)
            if fault.function not in [other.function for other in chosen]:
                chosen.append(fault)
            if len(chosen) == self.num_faults:
                task = Task(self.path, repo.name, tuple(sorted(chosen)))
                if _issue(task, self.report, self.visible == "most").twins:
                    return task
                chosen = []
        raise SettingsError(f"no issue of {repo.name} has a test that stays hidden with report={self.report!r}")

    def identity(self, task: Task) -> object:
        return task.repo, tuple(fault.span for fault in task.faults)

    # ---- play -----------------------------------------------------------------------------------------------------

    @property
    def source(self) -> Repo:
        """The correct repository, and its faults."""
        return _repo(self.task)

    @property
    def issue(self) -> Issue:
        """The issue to resolve."""
        return _issue(self.task, self.report, self.visible == "most")

    def begin(self) -> str:
        self.calls = self.errors = 0
        self.left = 0.0
        self.files: dict[str, str] = dict(self.issue.before)
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
        about = f" ({self.source.about.rstrip('.')})" if self.source.about else ""
        return "\n".join([
            f"You maintain the Python package {self.task.repo}{about}. Resolve this issue:",
            "",
            _told(self.source, self.task.faults, self.report),
            "",
            "The tests of the repository must pass, including some that you cannot see. Changes to test files are "
            "ignored.",
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
        packages = self.issue.suite.packages
        program = Program(_RUN, files={**self.files, _SNIPPET: code}, name="run.py")
        limits = Limits(wall_s=self.wall_s, memory_mb=self.memory_mb)
        return shown(shared_sandbox(self.sandbox, packages).run(program, limits), 6000)

    def run_tests(self, name: str) -> str:
        """Run the tests that the agent has."""
        suite = self.issue.suite
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

    def judged_files(self) -> dict[str, str]:
        """The files to judge: the agent's files of the package, and everything else as given."""
        issue = self.issue
        files = dict(issue.after)
        folders = {path.rpartition("/")[0] for path in issue.before if path.endswith(".py") and "/" in path}
        for path in issue.before:
            if _counts(path, issue):
                files.pop(path, None)
        for path, text in self.files.items():
            if _counts(path, issue) and (path in issue.before or path.rpartition("/")[0] in folders):
                files[path] = text
        return files

    def _judged(self, answers: Sequence[str]) -> Reply:
        issue, files = self.issue, self.judged_files()
        found = run_suite(files, issue.suite, self._limits, sandbox=self.sandbox)
        wrong = [test for test in issue.passing if found.by_test.get(test) != "passed"]
        self.left = float(len(wrong))
        if wrong or found.problem:
            broken = [test for test in wrong if test not in issue.failing]
            share = 1.0 - sum(test in wrong for test in issue.failing) / len(issue.failing)
            reward = 0.0 if broken or found.problem or share == 1.0 else self.partial * share
            words = found.problem or f"{len(wrong)} test{'s' * (len(wrong) != 1)} do{'es' * (len(wrong) == 1)} not pass"
            return Reply("\n".join([*answers, f"Not resolved: {words}."]), reward, done=True)
        if issue.twins and not self._twins_fail(issue, files):
            return Reply("\n".join([*answers, "Not resolved: the tests pass whatever they ask for."]), done=True)
        return Reply("\n".join([*answers, "Resolved: all tests pass."]), solved=True)

    def _twins_fail(self, issue: Issue, files: Mapping[str, str]) -> bool:
        """Return whether exactly the tests with a wrong expected value fail."""
        changed = replaced(files, list(issue.twins.values()))
        found: Outcomes = run_suite(changed, issue.suite, self._limits, sandbox=self.sandbox)
        wanted = {test: "failed" if test in issue.twins else "passed" for test in issue.passing}
        return not found.problem and all(found.by_test.get(test) == outcome for test, outcome in wanted.items())

    def metrics(self) -> dict[str, float]:
        return {"tool_calls": float(self.calls), "tool_errors": float(self.errors), "tests_left": self.left}

    # ---- agents ---------------------------------------------------------------------------------------------------

    def _edits(self, faults: Sequence[Fault]) -> list[str]:
        """Return calls that fix faults in the current files."""
        if self.source.given is not None:
            if not self.source.given.solved:
                raise UsageError(f"the task {self.task.repo} has no solution/")
            wanted = {path: text for path, text in self.issue.after.items() if _counts(path, self.issue)}
        else:
            kept = [fault.span for fault in self.task.faults if fault not in faults]
            wanted = {**self.files}
            broken = replaced(self.source.files, kept)
            for fault in faults:
                wanted[fault.span.path] = broken[fault.span.path]
        found = [
            f'<edit path="{c.path}"><old>\n{c.old}\n</old><new>\n{c.new}\n</new></edit>'
            for c in _workspace.changes(self.files, wanted)
        ]
        shown = {c.path for c in _workspace.changes(self.files, wanted)}
        for path, text in wanted.items():
            if self.files.get(path) != text and path not in shown:
                found.append(f'<write path="{path}">\n{text}</write>')
        return found

    def tools(self) -> Sequence[Tool]:
        return tuple(TOOLS.tools.values())

    def oracle(self) -> str:
        edits = self._edits(self.task.faults)
        return edits[0] if edits and self.turn < self.max_turns - 1 else "\n".join([*edits, "<submit/>"])

    def paraphrases(self) -> Sequence[str]:
        edits = self._edits(self.task.faults)
        paths = sorted({fault.span.path for fault in self.task.faults})
        whole = [f'<write path="{path}">\n{self.source.files[path]}</write>' for path in paths]
        return (
            "\n".join([*edits, "<submit/>"]),
            "<think>It is the boundary.</think>\n" + "\n".join([*edits, "<test/>", "<submit></submit>"]),
            "\n".join([*whole, "<submit/>"]),
            "\n".join([*edits, '<write path="notes.txt">done</write>', '<tool_call>{"name": "submit"}</tool_call>']),
        )

    def right_answers(self) -> Literal["one", "many", "message"]:
        return "message"

    def sample_action(self, rng: np.random.Generator) -> str:
        paths = sorted(path for path in self.files if _counts(path, self.issue))
        draw = rng.random(3).tolist()
        path = paths[int(draw[0] * len(paths))]
        lines = [line for line in self.files[path].split("\n") if line.strip()] or ["pass"]
        line = lines[int(draw[1] * len(lines))]
        if draw[2] < 0.5:
            return f'<edit path="{path}"><old>\n{line}\n</old><new>\n{line.replace("1", "0")} \n</new></edit>'
        return "<submit/>"

    def cheat(self, start: str) -> str:
        """Put a text before a module that the tests import, then submit."""
        path = self.task.faults[0].span.path if self.task.faults else sorted(self.files)[0]
        return f'<write path="{path}">\n{start}{self.files[path]}</write><submit/>'

    def undone(self, number: int) -> str:
        """Fix only ``number`` of the faults, then submit."""
        return "\n".join([*self._edits(self.task.faults[:number]), "<submit/>"])


@lru_cache(maxsize=256)
def _issue(task: Task, report: str, most_shown: bool) -> Issue:
    repo = _repo(task)
    return issue_of(repo, task.faults, _told(repo, task.faults, report), most_shown=most_shown)


def _told(repo: Repo, faults: Sequence[Fault], report: str) -> str:
    """Return the text of an issue."""
    if repo.given is not None:
        return repo.given.issue
    if report == "vague":
        return "The last change broke something that used to work. Find out what, and fix it."
    lines = []
    for fault in faults:
        name = f"`{fault.function.rpartition('.')[2]}` in {fault.span.path}"
        if fault.kind == "removed":
            doc = "so that it does what its docstring and the rest of the package say"
            lines.append(f"- The body of {name} has been lost. Write it again, {doc}.")
        elif report == "test":
            lines.append(f"- This used to pass:\n```python\n{_source_of(repo.files, fault.failing[0])}\n```")
        else:
            where = f" It is in {name}." if report == "function" else ""
            lines.append(f"- A check that used to pass now fails:{where}\n```\n{fault.symptom}\n```")
    return "\n".join(lines)


def _repo(task: Task) -> Repo:
    return next(repo for repo in load(task.path or BUILT_IN) if repo.name == task.repo)


def _counts(path: str, issue: Issue) -> bool:
    """Return whether a file is part of the program, so that the agent's version of it is judged."""
    parts = path.split("/")
    return (
        path.endswith(".py")
        and path not in issue.suite.files
        and not any(part.startswith(_NAMES_OF_TESTS) for part in parts)
        and parts[-1] not in ("setup.py", "noxfile.py")
    )


def _source_of(files: Mapping[str, str], test: str) -> str:
    place = test_functions(files, [test.partition("::")[0]])[test]
    lines = files[test.partition("::")[0]].split("\n")[place.first - 1 : place.last]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


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
    os.write(1, f"\\n{_asked['seal']}{json.dumps({'outcomes': _names, 'texts': {}})}\\n".encode())
    os._exit(0)
"""
