"""What an episode of RepoIssue works on, whether composed of our parts or read from a file of the user's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from turnwise.core.errors import InfrastructureError
from turnwise.sandbox import Limits
from turnwise.worlds.programs.repositories import workspace as _workspace
from turnwise.worlds.programs.repositories.compose import Plan, package_of
from turnwise.worlds.programs.repositories.probing import Probed, reaching, run_probes
from turnwise.worlds.programs.repositories.repo import Fault, Repo, Span, issue_of, load, replaced
from turnwise.worlds.programs.repositories.suite import Suite, test_functions

_NAMES_OF_TESTS = ("test", "conftest", "sitecustomize", "usercustomize", "probes_")


@dataclass(frozen=True)
class Task:
    """A package to compose, or a repository of the user's with the numbers of the faults in it."""

    path: str
    repo: str
    faults: tuple[Fault, ...] = ()
    plan: Plan | None = None


class Work(NamedTuple):
    """The issue of an episode.

    Attributes:
        name: The package's name.
        about: What it is.
        text: The issue.
        before: The files that the agent gets.
        after: The right files.
        suite: The tests that are run on its files.
        passing: The tests that must pass in the end.
        failing: Those of them that fail before.
        twins: Changes that make tests fail on the right files, in lines that the agent was not given.
        probes: Modules whose results must be those of the right files, by path.
        solved: Whether the right files are known.
        checks: Requirements on the source, as in `worlds.programs.repositories.structure`.
    """

    name: str
    about: str
    text: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    suite: Suite
    passing: tuple[str, ...]
    failing: tuple[str, ...]
    twins: Mapping[str, Span]
    probes: Mapping[str, str]
    solved: bool = True
    checks: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def work_of(task: Task, report: str, most_shown: bool) -> Work:
    """Return what a task is about."""
    if task.plan is not None:
        made = package_of(task.plan)
        return Work(
            made.name, "", made.issue, made.before, made.after, made.suite, made.tests, (), {}, made.probes,
            checks=made.checks,
        )  # fmt: skip
    repo = repo_of(task)
    text = _reported(repo, task.faults, report)
    issue = issue_of(repo, task.faults, text, most_shown=most_shown)
    solved = repo.given is None or repo.given.solved
    return Work(
        repo.name, repo.about, text, issue.before, issue.after, issue.suite, issue.passing, issue.failing, issue.twins,
        {}, solved,
    )  # fmt: skip


def repo_of(task: Task) -> Repo:
    """Return the user's repository of a task."""
    return next(repo for repo in load(task.path) if repo.name == task.repo)


def after_some(task: Task, number: int) -> dict[str, str]:
    """Return the files with only the first ``number`` of several faults fixed."""
    if task.plan is not None:
        left, whole = package_of(task.plan._replace(cases=task.plan.cases[number:])), package_of(task.plan)
        wrong = {path: text for path, text in left.before.items() if text != left.after[path]}
        return {
            **whole.before,
            **{path: wrong.get(path, whole.after[path]) for path in whole.after if _is_python(path)},
        }
    return replaced(repo_of(task).files, [fault.span for fault in task.faults[number:]])


def _is_python(path: str) -> bool:
    return path.endswith(".py")


@lru_cache(maxsize=64)
def right_results(task: Task, paths: tuple[str, ...], limits: Limits, sandbox: str) -> Probed:
    """Return what some modules of probes of a composed package find in the right files.

    Raises:
        InfrastructureError: They do not end even there, so that nothing can be judged here.
    """
    assert task.plan is not None
    made = package_of(task.plan)
    probes = {path: made.probes[path] for path in paths}
    found = run_probes(made.after, probes, replace(limits, wall_s=max(limits.wall_s, 60.0)), sandbox=sandbox)
    if found.problem:
        raise InfrastructureError(f"the right program cannot be run: {found.problem}")
    return found


def counts(path: str, suite: Suite) -> bool:
    """Return whether a file is part of the program, so that the agent's version of it is judged."""
    parts = path.split("/")
    return (
        path.endswith(".py")
        and path not in suite.files
        and not any(part.startswith(_NAMES_OF_TESTS) for part in parts)
        and parts[-1] not in ("setup.py", "noxfile.py")
    )


def judged_files(work: Work, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files to judge: the agent's files of the package, and everything else as given."""
    found = dict(work.after)
    folders = {path.rpartition("/")[0] for path in work.before if path.endswith(".py") and "/" in path}
    for path in work.before:
        if counts(path, work.suite):
            found.pop(path, None)
    for path, text in files.items():
        if counts(path, work.suite) and (path in work.before or path.rpartition("/")[0] in folders):
            found[path] = text
    return found


def concerned(work: Work, files: Mapping[str, str]) -> Work:
    """Leave of a composed package only the tests and probes that a change may concern.

    Those that concern the faults are always among them, so that every answer is run.

    Args:
        work: What the episode is about.
        files: The files to judge.
    """
    paths = {*files, *work.before, *work.after}
    changed = {
        path
        for path in paths
        if _is_python(path)
        and path not in work.suite.files
        and not files.get(path) == work.before.get(path) == work.after.get(path)
    }
    tests = reaching(files, {path: work.after[path] for path in work.suite.files}, changed)
    return work._replace(
        suite=work.suite._replace(files=tuple(tests)),
        passing=tuple(test for test in work.passing if test.partition("::")[0] in tests),
        probes=reaching(files, work.probes, changed),
    )


def edits(files: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """Return calls that turn some files into others."""
    changes = _workspace.changes(files, wanted)
    found = [f'<edit path="{c.path}"><old>\n{c.old}\n</old><new>\n{c.new}\n</new></edit>' for c in changes]
    done = {change.path for change in changes}
    for path, text in wanted.items():
        if files.get(path) != text and path not in done:
            found.append(f'<write path="{path}">\n{text}</write>')
    return found


def _reported(repo: Repo, faults: Sequence[Fault], report: str) -> str:
    """Return the text of an issue of the user's repository."""
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


def _source_of(files: Mapping[str, str], test: str) -> str:
    place = test_functions(files, [test.partition("::")[0]])[test]
    lines = files[test.partition("::")[0]].split("\n")[place.first - 1 : place.last]
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)
