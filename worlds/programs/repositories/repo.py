"""Small repositories with faults that their own tests detect, and issues drawn from them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from turnwise.core.errors import SettingsError
from turnwise.worlds.programs.repositories.suite import Suite, cut

__all__ = ["Fault", "Issue", "Repo", "Span", "dumped", "issue_of", "load", "read_repo", "replaced", "unseen_twins"]

_ISSUE_FILE, _TASK_FILE = "issue.md", "task.json"
_MAX_FILE_BYTES = 1 << 20


class Span(NamedTuple):
    """A text that replaces some characters of a file."""

    path: str
    start: int
    end: int
    text: str


class Fault(NamedTuple):
    """A fault that makes tests fail.

    Attributes:
        kind: "bug" or "removed" (the body of a function).
        span: The change of the reference.
        failing: The test functions that fail because of it.
        symptom: How the first of them fails.
        function: The function that contains it.
    """

    kind: str
    span: Span
    failing: tuple[str, ...]
    symptom: str
    function: str


@dataclass(frozen=True)
class Repo:
    """A repository.

    Attributes:
        name: Its name.
        about: A description in one sentence.
        files: All correct files, by path.
        suite: Its test suite.
        passing: The test functions that always pass on these files.
        twins: Changes of a value in a test, by test function: with it, that test fails on these files.
        faults: Faults to draw from.
        given: For a repository with its own issue: the issue's text, the files that the agent gets, and the tests that
            must pass afterwards; else None.
    """

    name: str
    about: str
    files: Mapping[str, str]
    suite: Suite
    passing: tuple[str, ...]
    twins: Mapping[str, Span]
    faults: tuple[Fault, ...]
    given: "Given | None" = None


@dataclass(frozen=True)
class Given:
    """An issue that comes with its repository."""

    issue: str
    before: Mapping[str, str]
    failing: tuple[str, ...]
    solved: bool = field(default=True)


class Issue(NamedTuple):
    """The issue of an episode.

    Attributes:
        before: The files that the agent gets, without the tests that fail.
        after: The correct files.
        suite: The test suite.
        failing: The tests that fail before.
        passing: All tests that must pass afterwards, including those.
        twins: Changes that make tests fail on the correct files, in lines that the agent was not given.
    """

    before: Mapping[str, str]
    after: Mapping[str, str]
    suite: Suite
    failing: tuple[str, ...]
    passing: tuple[str, ...]
    twins: Mapping[str, Span]


def replaced(files: Mapping[str, str], spans: Sequence[Span]) -> dict[str, str]:
    """Replace spans in files; overlapping spans must be equal."""
    after = dict(files)
    for span in sorted(set(spans), key=lambda s: (s.path, -s.start)):
        text = after[span.path]
        after[span.path] = text[: span.start] + span.text + text[span.end :]
    return after


def unseen_twins(
    files: Mapping[str, str], twins: Mapping[str, Span], failing: Sequence[str], told: str, hidden: Sequence[str]
) -> dict[str, Span]:
    """Return the twins of hidden tests that change a line of which the agent has no copy.

    A program that knows the line could tell the test from its twin, and behave differently for the twin.

    Args:
        files: The correct files.
        twins: All twins.
        failing: The tests that fail.
        told: The issue text that the agent reads.
        hidden: The tests that are removed from its files.
    """
    left = cut(files, {test.partition("::")[0] for test in failing}, hidden)
    found = {}
    for test in failing:
        if test in twins and test in hidden:
            span = twins[test]
            text = files[span.path]
            line = text[text.rfind("\n", 0, span.start) + 1 : span.end + text[span.end :].find("\n")].strip()
            if line not in told and not any(line in left[path] for path in {span.path}):
                found[test] = span
    return found


def issue_of(repo: Repo, faults: Sequence[Fault], told: str, *, most_shown: bool = False) -> Issue:
    """Make an issue from faults in a repository.

    Args:
        repo: The repository.
        faults: Faults in different places; empty for a repository with its own issue.
        told: The issue text that the agent reads.
        most_shown: Whether the agent gets all but one of the failing tests.
    """
    if repo.given is not None:
        return Issue(repo.given.before, repo.files, repo.suite, repo.given.failing, repo.passing, {})
    failing = tuple(dict.fromkeys(name for fault in faults for name in fault.failing))
    hidden: Sequence[str] = failing
    twins = unseen_twins(repo.files, repo.twins, failing, told, hidden)
    if most_shown and twins:
        hidden = [list(twins)[-1]]
        twins = unseen_twins(repo.files, repo.twins, failing, told, hidden)
    broken = replaced(repo.files, [fault.span for fault in faults])
    return Issue(cut(broken, repo.suite.files, hidden), repo.files, repo.suite, failing, repo.passing, twins)


# ---- files --------------------------------------------------------------------------------------------------------


def dumped(repo: Repo) -> str:
    """Write the repository as JSON, one line per fault, so that diffs of the file are readable."""
    head = {
        "name": repo.name,
        "about": repo.about,
        "pytest": repo.suite.pytest,
        "packages": repo.suite.packages,
        "tests": repo.suite.files,
        "files": repo.files,
        "passing": repo.passing,
        "twins": {name: list(span) for name, span in repo.twins.items()},
    }
    faults = [[f.kind, list(f.span), list(f.failing), f.symptom, f.function] for f in repo.faults]
    text = json.dumps(head, indent=1)[:-2]
    return text + ',\n "faults": [\n' + ",\n".join(json.dumps(fault) for fault in faults) + "\n ]\n}\n"


def read_repo(text: str, where: str) -> Repo:
    """Read a repository written by `dumped`.

    Raises:
        SettingsError: The text is not a repository; the message says why.
    """
    try:
        data = json.loads(text)
        suite = Suite(tuple(data["tests"]), bool(data["pytest"]), tuple(data["packages"]))
        twins = {name: Span(*span) for name, span in data["twins"].items()}
        faults = tuple(Fault(f[0], Span(*f[1]), tuple(f[2]), f[3], f[4]) for f in data["faults"])
        files = {str(path): str(content) for path, content in data["files"].items()}
        repo = Repo(data["name"], data["about"], files, suite, tuple(data["passing"]), twins, faults)
        for span in (*twins.values(), *(fault.span for fault in faults)):
            if not 0 <= span.start <= span.end <= len(files[span.path]):
                raise ValueError(f"a change of {span.path} at {span.start} to {span.end} lies outside of it")
        if not faults:
            raise ValueError("it has no faults")
        return repo
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise SettingsError(f"{where} is not a repository with faults: {type(error).__name__}: {error}") from error


@lru_cache(maxsize=8)
def load(path: str) -> tuple[Repo, ...]:
    """Load the repositories at a path: a JSON file, a folder of such files, a task's folder, or a folder of these.

    Raises:
        SettingsError: There are none, or one cannot be read.
    """
    place = Path(path)
    if place.is_file():
        return (read_repo(_text(place), path),)
    if (place / _ISSUE_FILE).is_file():
        return (_folder(place),)
    if not place.is_dir():
        raise SettingsError(f"path is {path!r}; it must be a JSON file, a folder of them, or a folder of tasks")
    found = [read_repo(_text(file), str(file)) for file in sorted(place.glob("*.json"))]
    found += [_folder(inner.parent) for inner in sorted(place.glob(f"*/{_ISSUE_FILE}"))]
    if not found:
        raise SettingsError(f"path is {path!r}; there is no .json in it and no folder with {_ISSUE_FILE}")
    return tuple(found)


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} cannot be read: {error}") from error


def _tree(folder: Path) -> dict[str, str]:
    """The text files of a folder."""
    found = {}
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).as_posix()
        if file.is_file() and not file.is_symlink() and not inside.startswith(".git/"):
            if file.stat().st_size > _MAX_FILE_BYTES:
                continue
            try:
                found[inside] = file.read_text()
            except UnicodeDecodeError:
                continue  # images and other binary files
    return found


def _folder(folder: Path) -> Repo:
    """Read a user's task: ``repo/``, ``issue.md``, ``tests/`` (copied over it), ``task.json``, ``solution/``."""
    task: dict[str, Any] = {}
    if (folder / _TASK_FILE).is_file():
        try:
            task = json.loads(_text(folder / _TASK_FILE))
        except ValueError as error:
            raise SettingsError(f"{folder / _TASK_FILE} is no JSON: {error}") from error
    before, tests, solution = (_tree(folder / name) for name in ("repo", "tests", "solution"))
    if not before or not tests:
        raise SettingsError(f"{folder} needs files in repo/ and tests in tests/")
    lists = [task.get(name, []) for name in ("fail_to_pass", "pass_to_pass")]
    if not all(isinstance(names, list) and all(isinstance(n, str) for n in names) for names in lists):
        raise SettingsError(f"{folder / _TASK_FILE}: fail_to_pass and pass_to_pass must be lists of test ids")
    failing, passing = (tuple(dict.fromkeys(name.partition("[")[0] for name in names)) for names in lists)
    if not failing:
        raise SettingsError(f"{folder / _TASK_FILE} must name the tests that are to pass, as fail_to_pass")
    files = tuple(sorted({name.partition("::")[0] for name in (*failing, *passing)}))
    missing = [name for name in files if name not in tests and name not in before]
    if missing:
        raise SettingsError(
            f"{folder / _TASK_FILE} names tests in {missing[0]}, which is neither in tests/ nor in repo/"
        )
    suite = Suite(files, bool(task.get("pytest", True)), tuple(task.get("packages", ())))
    after = {**before, **solution, **tests}
    given = Given(_text(folder / _ISSUE_FILE).strip(), before, failing, bool(solution))
    return Repo(folder.name, str(task.get("about", "")), after, suite, (*failing, *passing), {}, (), given)
