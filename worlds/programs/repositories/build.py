"""Make repositories with faults from packages with tests: ``python -m turnwise.worlds.programs.repositories.build``.

Each fault is shown to matter by the package's own tests, run in the sandbox. Each deciding test gets a twin: the same
test with another expected value, which the right program fails.
"""

import argparse
import ast
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.sandbox import Limits
from turnwise.verifiers.code.syntax import parse
from turnwise.worlds.programs.faults.kinds import Text
from turnwise.worlds.programs.faults.mutations import functions, mutants, unimplemented
from turnwise.worlds.programs.repositories.repo import Fault, Repo, Span, dumped, replaced, unseen_twins
from turnwise.worlds.programs.repositories.suite import Outcomes, Suite, cut, run_suite, test_functions

__all__ = ["build", "fetch", "main", "read_folder"]

LIMITS = Limits(wall_s=60.0, memory_mb=1024, output_bytes=1 << 21)
_ROUNDS = 8  # when searching for twins
_MOST_FAILING = 0.4  # of the tests: a fault that breaks more is too obvious
_MAX_FILE_BYTES = 300_000
_SLOW_S, _SLOWER = 1.0, 3.0


def fetch(requirement: str, folder: Path) -> dict[str, str]:
    """Download a package's source distribution from the package index and return its text files.

    Raises:
        SettingsError: pip cannot download it; the message has the end of pip's output.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:", "-d", str(folder)]
    for isolation in (["--no-build-isolation"], []):  # the first is faster and enough for most
        done = subprocess.run([*command, *isolation, requirement], capture_output=True, text=True, check=False)
        archives = sorted(folder.glob("*.tar.gz"))
        if archives:
            break
    else:
        raise SettingsError(f"{requirement!r} cannot be had from the package index: {done.stderr.strip()[-300:]}")
    files = {}
    with tarfile.open(archives[-1]) as archive:
        for member in archive:
            inside = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isfile() and member.size <= _MAX_FILE_BYTES else None
            if content is not None and inside.endswith((".py", ".txt", ".md", ".rst", ".json", ".cfg", ".toml")):
                try:
                    files[inside] = content.read().decode()
                except UnicodeDecodeError:
                    continue
    return files


def read_folder(folder: Path) -> dict[str, str]:
    """Read the text files of a folder."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if (
            file.is_file()
            and file.suffix in (".py", ".txt", ".md", ".rst", ".json")
            and "__pycache__" not in file.parts
        ):
            found[file.relative_to(folder).as_posix()] = file.read_text()
    return found


def build(
    name: str,
    files: Mapping[str, str],
    *,
    about: str = "",
    pytest: bool = True,
    packages: Sequence[str] = (),
    num_faults: int = 40,
    seed: int = 0,
    workers: int = 2,
    limits: Limits = LIMITS,
    sandbox: str = "auto",
) -> Repo:
    """Build a repository with faults.

    Args:
        name: Its name.
        files: By path; tests are ``test_*.py``, ``*_test.py``, ``test.py`` and ``tests.py``.
        about: A description in one sentence.
        pytest: Whether pytest runs the tests.
        packages: Installed distributions that the tests import.
        num_faults: Number of faults to find; one in four removes a function.
        seed: Draws the faults.
        workers: Number of suites run in parallel.
        limits: Limits of one run of the suite.
        sandbox: The name of the shared sandbox.

    Raises:
        SettingsError: Its tests do not run, or no fault was found.
    """
    tests = tuple(path for path in sorted(files) if is_test(path))
    suite = Suite(tests, pytest, tuple(packages))

    def run(tree: Mapping[str, str], only: Sequence[str] = (), described: int = 0) -> Outcomes:
        return run_suite(tree, suite, limits, only, described, sandbox)

    begun = time.monotonic()
    runs = [run(files) for _ in range(2)]
    longest = time.monotonic() - begun
    places = test_functions(files, tests)
    passing = [n for n, o in runs[0].by_test.items() if o == "passed" and runs[1].by_test.get(n) == o and n in places]
    if not passing:
        raise SettingsError(f"no test of {name} passes: {runs[0].problem or list(runs[0].by_test.items())[:5]}")
    files = cut(files, tests, [test for test in runs[0].by_test if test not in passing])
    suite = suite._replace(files=tuple(path for path in tests if any(t.startswith(f"{path}::") for t in passing)))
    check = run(files)
    passing = [test for test in passing if check.by_test.get(test) == "passed"]
    twins = _twins(files, passing, run)
    found: list[Fault] = []

    def tried(candidate: tuple[str, Span, str]) -> Fault | None:
        kind, span, function = candidate
        start = time.monotonic()
        outcomes = run(replaced(files, [span]), (), 1)
        if time.monotonic() - start > _SLOW_S + _SLOWER * longest:
            return None  # it exhausts the memory, or ends only by luck
        failing = tuple(test for test in passing if outcomes.by_test.get(test) != "passed")
        if outcomes.problem or not 0 < len(failing) <= max(1, _MOST_FAILING * len(passing)):
            return None
        fault = Fault(kind, span, failing, symptom_of(outcomes), function)
        return fault if unseen_twins(files, twins, failing, fault.symptom, failing) else None

    candidates = _candidates(files, random.Random(seed_of("repo", name, seed)))
    with ThreadPoolExecutor(workers) as pool:
        while len(found) < num_faults:
            batch = [c for _, c in zip(range(2 * workers), candidates, strict=False)]
            if not batch:
                break
            found += [fault for fault in pool.map(tried, batch) if fault is not None]
    if not found:
        raise SettingsError(f"no fault of {name} is noticed by its tests")
    return Repo(name, about, files, suite, tuple(passing), twins, tuple(sorted(found[:num_faults])))


def is_test(path: str) -> bool:
    """Tell by its name whether a file contains tests."""
    last = path.rpartition("/")[2]
    return last.endswith(".py") and (
        last.startswith("test_") or last.endswith("_test.py") or last in ("test.py", "tests.py")
    )


def is_source(path: str) -> bool:
    """Tell whether a file is part of the program: Python, and neither test nor setup."""
    parts = path.split("/")
    aside = {
        "tests",
        "test",
        "docs",
        "examples",
        "setup.py",
        "conftest.py",
        "noxfile.py",
        "versioneer.py",
        "bench",
        "benchmarks",
    }
    return path.endswith(".py") and not is_test(path) and not aside & set(parts)


def _candidates(files: Mapping[str, str], rng: random.Random) -> Iterator[tuple[str, Span, str]]:
    """Yield faults to try, from all source files in turn; one in four removes a function."""
    sources = [path for path in sorted(files) if is_source(path) and _functions(files[path])]
    faults = {path: mutants(files[path], Draw.of(rng.random)) for path in sources}
    removed = [
        (path, function.name)
        for path in sources
        for function in functions(files[path])
        if function.doc and 2 <= function.statements <= 25
    ]
    rng.shuffle(removed)
    weights = {path: files[path].count("\n") for path in sources}
    seen: set[tuple[str, str]] = set()
    while faults:
        if removed and rng.random() < 0.25:
            path, name = removed.pop()
            try:
                edit = unimplemented(files[path], name).edit
            except ValueError:
                continue
            yield "removed", Span(path, edit.start, edit.end, edit.text), name
            continue
        path = rng.choices(list(faults), [weights[p] for p in faults])[0]
        mutant = next(faults[path], None)
        if mutant is None:
            del faults[path]
            continue
        inside = [f.name for f in functions(files[path]) if f.line <= mutant.line <= f.end_line]
        name = inside[-1] if inside else ""
        place = f"{name}{mutant.line}"
        if (path, place) not in seen and not in_signature(files[path], mutant.edit.start):  # one fault per line
            seen.add((path, place))
            edit = mutant.edit
            yield "bug", Span(path, edit.start, edit.end, edit.text), name


def _functions(source: str) -> int:
    """Count the functions that faults can be put into; 0 if this Python cannot parse the source."""
    try:
        return len(functions(source))
    except SyntaxError:
        return 0


def symptom_of(outcomes: Outcomes) -> str:
    """Describe how the first test failed: the line of the test, and the exception."""
    for text in outcomes.texts.values():
        lines = text.strip().split("\n")
        raised = [line[1:].strip() for line in lines if line.startswith("E ")] or lines[-1:]
        asserted = [line.strip() for line in lines if line.strip().startswith(("assert ", "self.assert"))]
        return "\n".join([*asserted[:1], *raised[:2]])[:400]
    return ""


def in_signature(source: str, start: int) -> bool:
    """Tell whether a place is on the line of a ``def``: defaults are stated only there, so they cannot be inferred."""
    line = source[source.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    return line.lstrip().startswith(("def ", "async def ", "class "))


# ---- twins --------------------------------------------------------------------------------------------------------


def _twins(files: Mapping[str, str], passing: Sequence[str], run: Callable[..., Outcomes]) -> dict[str, Span]:
    """Find for test functions a changed value with which they fail: several tries each, all functions together."""
    options = {test: _values(files, test) for test in passing}
    found: dict[str, Span] = {}
    for number in range(_ROUNDS):
        chosen: dict[str, Span] = {}
        for test, spans in options.items():
            if test not in found and number < len(spans) and _beside(spans[number], chosen.values()):
                chosen[test] = spans[number]
        if chosen:
            outcomes = run(replaced(files, list(set(chosen.values()))))
            found |= {test: span for test, span in chosen.items() if outcomes.by_test.get(test) == "failed"}
    while found:  # they are used together, so they must also fail together
        together: list[Span] = []
        for span in found.values():
            if _beside(span, together) and span not in together:
                together.append(span)
        found = {test: span for test, span in found.items() if span in together}
        outcomes = run(replaced(files, together))
        failing = {test: span for test, span in found.items() if outcomes.by_test.get(test) == "failed"}
        if failing == found:
            break
        found = failing
    return found


def _beside(span: Span, others: Iterable[Span]) -> bool:
    """Tell whether a span overlaps only with spans equal to it."""
    return all(s == span or s.path != span.path or s.end <= span.start or span.end <= s.start for s in others)


def _values(files: Mapping[str, str], test: str) -> list[Span]:
    """Return values in a test that could be changed, compared ones first."""
    path = test.partition("::")[0]
    tree, text = parse(files[path]), Text(files[path])
    place = test_functions(files, [path])[test]
    compared: list[ast.Constant] = []
    others: list[ast.Constant] = []
    for node in ast.walk(tree):
        if not place.first <= getattr(node, "lineno", 0) <= place.last:
            continue
        if isinstance(node, ast.Assert) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert")
        ):
            inner = node.test if isinstance(node, ast.Assert) else node
            sides = (
                [inner.left, *inner.comparators] if isinstance(inner, ast.Compare) else list(getattr(inner, "args", ()))
            )
            compared += [c for side in sides for c in _constants(side)]
        elif isinstance(node, ast.FunctionDef):
            calls = [d for d in node.decorator_list if isinstance(d, ast.Call)]  # values of parametrize, not its names
            others += [c for call in calls for value in call.args[1:] for c in _constants(value)][::-1]
            others += [c for inner in node.body for c in _constants(inner)]
    found = []
    for constant in [*compared[::-1][:4], *others[:4]]:
        start, end = text.span(constant)
        found.append(Span(path, start, end, _other(constant.value)))
    return list(dict.fromkeys(found))


def _constants(node: ast.AST) -> list[ast.Constant]:
    """Yield constants used as values, except inside f-strings, whose positions are unknown."""
    if isinstance(node, ast.JoinedStr):
        return []
    if isinstance(node, ast.Constant):
        return [node] if type(node.value) in (int, float, str, bool) else []
    return [c for child in ast.iter_child_nodes(node) for c in _constants(child)]


def _other(value: object) -> str:
    if isinstance(value, bool):
        return repr(not value)
    if isinstance(value, str):  # must not reveal the twin: the same letters in another order
        swapped = next((k for k in range(len(value) - 1, 0, -1) if value[k] != value[k - 1]), 0)
        return repr(
            value[: swapped - 1] + value[swapped] + value[swapped - 1] + value[swapped + 1 :]
            if swapped
            else value * 2 or "a"
        )
    assert isinstance(value, (int, float))
    return repr(value + 1)


def main() -> None:
    """Build repositories from packages of the package index, or from folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="+", help="name==version of packages, or folders")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the JSON files")
    parser.add_argument("--num-faults", type=int, default=40)
    parser.add_argument("--plain", action="store_true", help="call test functions plainly, without pytest")
    parser.add_argument("--packages", nargs="*", default=[], help="installed packages that the tests import")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for source in options.sources:
        if Path(source).is_dir():
            name, files = Path(source).name, read_folder(Path(source))
        else:
            with tempfile.TemporaryDirectory() as folder:
                name, files = source.partition("==")[0], fetch(source, Path(folder))
        about = files.get("ABOUT.txt", "").strip()
        files.pop("ABOUT.txt", None)
        repo = build(
            name, files, about=about, pytest=not options.plain, packages=options.packages, num_faults=options.num_faults
        )
        (options.out / f"{name}.json").write_text(dumped(repo))
        sys.stdout.write(f"{name}: {len(repo.faults)} faults, {len(repo.passing)} tests, {len(repo.twins)} twins\n")


if __name__ == "__main__":
    main()
