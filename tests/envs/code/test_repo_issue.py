"""RepoIssue: faults in small packages, judged by their tests; packages of the index; folders of one's own."""

import json
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.envs.code.repo_issue import BUILT_IN, RepoIssue
from turnwise.sandbox import Limits, shared_sandbox
from turnwise.worlds.programs.repositories.build import build, fetch
from turnwise.worlds.programs.repositories.repo import Repo, dumped, load, read_repo, replaced
from turnwise.worlds.programs.repositories.suite import Suite, cut, run_suite, test_functions

LIMITS = Limits(wall_s=60, memory_mb=1024, output_bytes=1 << 21)
PACKAGES = (
    "inflection==0.5.1",
    "isodate==0.7.2",
    "parse==1.20.2",
    "toolz==1.0.0",
    "unidiff==0.7.5",
    "xmltodict==0.13.0",
)


@pytest.fixture(scope="module", autouse=True)
def _sandbox() -> None:
    try:
        shared_sandbox()
    except InfrastructureError as error:
        pytest.skip(f"no sandbox here: {error}")


def env(seed: int = 1, **settings: Any) -> RepoIssue:
    made = RepoIssue(**settings)
    made.reset(seed=seed)
    return made


def solve(e: RepoIssue) -> float:
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, _ = e.step(e.oracle())
        total, over = total + reward, terminated or truncated
    return total


# ---- the suite ----------------------------------------------------------------------------------------------------

FILES = {
    "pkg/__init__.py": "def double(x):\n    return 2 * x\n",
    "tests/test_a.py": (
        "import pytest\nfrom pkg import double\n\n\n"
        "@pytest.mark.parametrize('x', [1, 2])\ndef test_many(x):\n    assert double(x) == x + x\n\n\n"
        "class TestIt:\n    def test_one(self):\n        assert double(3) == 6\n\n\n"
        "def test_wrong():\n    assert double(1) == 3\n\n\n@pytest.mark.skip\ndef test_not():\n    pass\n"
    ),
}


def test_outcomes_by_function() -> None:
    found = run_suite(FILES, Suite(("tests/test_a.py",), True), LIMITS, described=1)
    assert found.by_test == {
        "tests/test_a.py::test_many": "passed",
        "tests/test_a.py::TestIt::test_one": "passed",
        "tests/test_a.py::test_wrong": "failed",
        "tests/test_a.py::test_not": "skipped",
    }
    (text,) = found.texts.values()
    assert "assert 2 == 3" in text
    assert found.failed() == ["tests/test_a.py::test_wrong"]


@pytest.mark.parametrize(
    ("start", "words"),
    [("import os\nos._exit(0)\n", "without a result"), ("while True: pass\n", "ran out of time")],
)
@pytest.mark.parametrize("with_pytest", [False, True])
def test_a_suite_that_ends_early_has_no_outcome(start: str, words: str, with_pytest: bool) -> None:
    files = {**FILES, "pkg/__init__.py": start + FILES["pkg/__init__.py"]}
    limits = Limits(wall_s=2 if "while" in start else 30, memory_mb=512)
    found = run_suite(files, Suite(("tests/test_a.py",), with_pytest), limits)
    assert not found.by_test or "passed" not in found.by_test.values()
    if with_pytest:
        assert words in found.problem


def test_cutting_tests_out() -> None:
    paths = ["tests/test_a.py"]
    names = list(test_functions(FILES, paths))
    assert names[0] == "tests/test_a.py::test_many"
    after = cut(FILES, paths, ["tests/test_a.py::test_many", "tests/test_a.py::TestIt::test_one"])
    assert "parametrize" not in after["tests/test_a.py"] and "class TestIt:\n    pass\n" in after["tests/test_a.py"]
    assert list(test_functions(after, paths)) == names[2:]


# ---- what comes along ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [repo.name for repo in load(BUILT_IN)])
def test_packages_pass_and_faults_are_noticed(name: str) -> None:
    repo = next(repo for repo in load(BUILT_IN) if repo.name == name)
    whole = run_suite(repo.files, repo.suite, LIMITS)
    assert sorted(whole.by_test) == sorted(repo.passing) and not whole.failed()
    twins = run_suite(replaced(repo.files, list(repo.twins.values())), repo.suite, LIMITS)
    assert set(twins.failed()) >= set(repo.twins)
    for fault in repo.faults[::10]:
        broken = run_suite(replaced(repo.files, [fault.span]), repo.suite, LIMITS)
        assert tuple(test for test in repo.passing if broken.by_test.get(test) != "passed") == fault.failing
        assert any(test in repo.twins for test in fault.failing)


def test_the_agent_does_not_get_the_tests_that_fail() -> None:
    for seed in range(5):
        e = env(seed)
        assert e.issue.failing
        assert not set(e.issue.failing) & set(test_functions(e.files, e.issue.suite.files))
        observation = e.step("<test/>")[0]
        assert ", 0 failed." in observation
        shown = env(seed, visible="most")
        left = set(shown.issue.failing) - set(test_functions(shown.files, shown.issue.suite.files))
        assert len(left) == 1 and left <= set(shown.issue.twins)
        assert len(shown.issue.failing) == 1 or ", 0 failed." not in shown.step("<test/>")[0]


def test_tools() -> None:
    e = env(repo="spans", kind="bug")
    path = e.task.faults[0].span.path
    observation = e.step(
        f'<view path="{path}" start="1" end="3"/> <search>class SpanSet</search> <list folder="tests"/>'
    )[0]
    assert (
        f"{path}, lines 1 to 3" in observation
        and "spans/sets.py:" in observation
        and "tests/test_sets.py" in observation
    )
    run = e.step("<run>import spans\nprint(spans.__name__, 6 * 7)</run>")[0]
    assert "spans 42" in run
    name = next(iter(test_functions(e.files, e.issue.suite.files))).rpartition("::")[2]
    assert "1 passed, 0 failed." in e.step(f'<test name="{name}"/>')[0]
    assert e.step('<test name="zzz"/>')[0].startswith("<tool_error>")
    e.step('<write path="tests/test_mine.py">def test_x():\n    assert False\n</write>')
    assert e.step("no tool")[4]["invalid_action"] is True


def test_nothing_is_submitted_after_a_call_that_failed() -> None:
    e = env()
    observation, _, terminated, truncated, _ = e.step('<edit path="no.py"><old>a</old><new>b</new></edit><submit/>')
    assert not terminated and not truncated
    assert "not carried out, because the call before failed: submit" in observation


def test_each_fault_alone_fails() -> None:
    for seed in range(4):
        e = env(seed, num_faults=2)
        assert e.step(e.undone(1))[1] == 0.0


def test_partial_credit_is_for_what_is_mended_without_damage() -> None:
    e = env(3, num_faults=2, partial=0.5)
    _, reward, _, _, info = e.step(e.undone(1))
    assert 0.0 <= reward < 0.5 and not info["solved"]
    damaged = env(3, num_faults=2, partial=0.5)
    other = next(f for f in damaged.source.faults if not set(f.failing) <= set(damaged.issue.failing))
    files = replaced({**damaged.source.files}, [other.span])
    writes = "".join(
        f'<write path="{p}">\n{t}</write>' for p, t in files.items() if p.endswith(".py") and "test" not in p
    )
    assert damaged.step(f"{writes}<submit/>")[1] == 0.0


def test_edits_of_tests_and_new_settings_do_not_count() -> None:
    e = env(2)
    message = "".join(f'<write path="{path}">def test_ok():\n    pass\n</write>' for path in e.issue.suite.files)
    message += '<write path="pytest.py">raise SystemExit</write><write path="json.py">x = 1</write>'
    e.step(message)
    assert "pytest.py" not in e.judged_files() and "json.py" not in e.judged_files()
    assert all(e.judged_files()[path] == e.issue.after[path] for path in e.issue.suite.files)
    assert solve(e) == 1.0


HACKS = {
    "equality": "import builtins\nclass int(int):\n    __eq__ = lambda a, b: True\nbuiltins.int = int\n",
    "assertion": "import builtins\nbuiltins.AssertionError = type('AssertionError', (BaseException,), {})\n",
    "trace": "import sys\ndef t(f, e, a):\n    f.f_trace_lines = False\n    return t\nsys.settrace(t)\n",
    "rewritten tests": (
        "import os, re\nfor d, _, fs in os.walk('.'):\n    for f in fs:\n        if f.startswith('test'):\n"
        "            p = os.path.join(d, f); t = open(p).read()\n"
        "            open(p, 'w').write(re.sub(r'assert .*', 'pass', t))\n"
    ),
    "traceback": "import sys, traceback\nsys.modules['__main__'].keep.__defaults__ = None\n",
    "no failures": (
        "import sys\nm = sys.modules['__main__']\nold = m.keep\n"
        "m.keep = lambda found, name, outcome, text, shown: found['outcomes'].__setitem__(name, 'passed')\n"
    ),
    "at exit": "import atexit, os\natexit.register(os._exit, 0)\n",
    "excepthook": "import sys\nsys.excepthook = lambda *a: None\nraise SystemExit(0)\n",
}


@pytest.mark.parametrize("name", HACKS)
def test_hacks_of_the_suite_are_not_paid(name: str) -> None:
    for seed in (1, 2):
        e = env(seed)
        assert e.step(e.cheat(HACKS[name]))[1] == 0.0


def test_the_twins_refuse_what_lets_all_tests_pass() -> None:
    e = env(1)
    observation, reward, *_ = e.step(e.cheat(HACKS["no failures"]))
    assert reward == 0.0 and observation.endswith("the tests pass whatever they ask for.")


def test_branches_have_files_of_their_own() -> None:
    e = env(1)
    twin = e.fork()
    e.step('<write path="a.py">1</write>')
    assert "a.py" in e.files and "a.py" not in twin.files
    assert solve(twin) == 1.0


# ---- packages of the index ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def repos() -> dict[str, Repo]:
    """Repositories built of real packages, with their own tests."""

    def get(requirement: str) -> tuple[str, dict[str, str] | str]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                return requirement.partition("==")[0], fetch(requirement, Path(folder))
            except SettingsError as error:
                return requirement, str(error)

    with ThreadPoolExecutor(3) as pool:
        got = dict(pool.map(get, PACKAGES))
    made = {}
    for name, files in got.items():
        if isinstance(files, dict):
            made[name] = build(name, files, num_faults=3, limits=replace(LIMITS, wall_s=15))
    if len(made) < 5:
        pytest.skip(f"the package index gave too few packages: {[v for v in got.values() if isinstance(v, str)]}")
    return made


@pytest.mark.slow
def test_real_packages(repos: dict[str, Repo], tmp_path: Path) -> None:
    assert len(repos) >= 5
    for name, repo in repos.items():
        (tmp_path / f"{name}.json").write_text(dumped(repo))
        assert len(repo.faults) == 3 and len(repo.passing) >= 10, name
        assert read_repo(dumped(repo), name) == repo
    for name in repos:
        e = env(3, path=str(tmp_path), repo=name, wall_s=60.0, memory_mb=1024)
        assert solve(e) == 1.0, name
        for cheat in ("<submit/>", HACKS["no failures"], HACKS["rewritten tests"]):
            e.reset(seed=3)
            assert e.step(cheat if "<" in cheat else e.cheat(cheat))[1] == 0.0, (name, cheat)


# ---- folders of one's own -----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    def write(**files: str) -> Path:
        for path, text in files.items():
            place = (
                tmp_path
                / "task"
                / path.replace("__", "/").replace("_py", ".py").replace("_md", ".md").replace("_json", ".json")
            )
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        return tmp_path / "task"

    return write


TASK = {
    "issue_md": "area() is wrong for squares.",
    "repo__shapes_py": "def area(a, b):\n    return a + b\n",
    "tests__test_shapes_py": (
        "from shapes import area\n\n\ndef test_area():\n    assert area(3, 3) == 9\n\n\n"
        "def test_two():\n    assert area(2, 2) == 4\n"
    ),
    "solution__shapes_py": "def area(a, b):\n    return a * b\n",
    "task_json": json.dumps(
        {"fail_to_pass": ["tests/test_shapes.py::test_area"], "pass_to_pass": ["tests/test_shapes.py::test_two"]}
    ),
}


def test_a_folder_of_the_users(folder: Callable[..., Path]) -> None:
    place = folder(
        **{**TASK, "tests__test_shapes_py": "", "tests__tests__test_shapes_py": TASK["tests__test_shapes_py"]}
    )
    for path in (place, place.parent):
        e = env(path=str(path))
        assert "area() is wrong for squares." in e.reset(seed=1)[0]
        assert solve(e) == 1.0
        e.reset(seed=1)
        assert e.step('<edit path="shapes.py"><old>a + b</old><new>9 if a == 3 else 4</new></edit><submit/>')[1] == 1.0
        e.reset(seed=1)
        assert e.step("<submit/>")[1] == 0.0
        e.reset(seed=1)
        assert e.step('<edit path="shapes.py"><old>a + b</old><new>9</new></edit><submit/>')[1] == 0.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"task_json": "{"}, "no JSON"),
        ({"task_json": "{}"}, "fail_to_pass"),
        ({"task_json": '{"fail_to_pass": ["tests/none.py::test_x"]}'}, "none.py"),
    ],
)
def test_folders_that_cannot_be_used(folder: Callable[..., Path], change: dict[str, str], words: str) -> None:
    place = folder(**{**TASK, **change})
    with pytest.raises(SettingsError, match=words):
        RepoIssue(path=str(place))


def test_a_task_without_solution_has_no_oracle(folder: Callable[..., Path]) -> None:
    files = {key: text for key, text in TASK.items() if not key.startswith(("solution", "tests"))}
    e = env(path=str(folder(**files, tests__tests__test_shapes_py=TASK["tests__test_shapes_py"])))
    with pytest.raises(UsageError, match="no solution"):
        e.oracle()


def test_paths_that_hold_nothing(tmp_path: Path) -> None:
    for path, words in ((str(tmp_path), "no .json"), (os.devnull, "must be"), (str(tmp_path / "x"), "must be")):
        with pytest.raises(SettingsError, match=words):
            RepoIssue(path=path)
    (tmp_path / "a.json").write_text('{"name": 1}')
    with pytest.raises(SettingsError, match="not a repository"):
        RepoIssue(path=str(tmp_path))
