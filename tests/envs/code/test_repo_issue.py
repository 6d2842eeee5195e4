"""RepoIssue: composed packages judged by what they do; packages of the index; folders of one's own."""

import json
import os
import re
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests._work import one_in
from turnwise.core.errors import InfrastructureError, SettingsError, UsageError
from turnwise.envs.code._repo_work import Task, judged_files, repo_of
from turnwise.envs.code.repo_issue import RepoIssue
from turnwise.sandbox import Limits, shared_sandbox
from turnwise.worlds.programs.repositories.build import build, fetch
from turnwise.worlds.programs.repositories.compose import Plan, package_of
from turnwise.worlds.programs.repositories.parts import load_parts
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


# ---- composed packages --------------------------------------------------------------------------------------------


def test_the_visible_tests_pass_and_submitting_them_is_not_enough() -> None:
    for seed in range(3):
        e = env(seed, difficulty=3, kind="bug")
        assert ", 0 failed." in e.step("<test/>")[0]
        assert e.step("<submit/>")[1] == 0.0


@pytest.mark.parametrize("difficulty", one_in(4, range(1, 11)))
def test_the_oracle_solves_every_level(difficulty: int) -> None:
    e = env(difficulty, difficulty=difficulty)
    assert len(e.task.plan.cases) == e.num_faults  # type: ignore[union-attr]
    assert solve(e) == 1.0


def test_levels_grow() -> None:
    lines = []
    for difficulty in (1, 4, 8, 10):
        e = env(3, difficulty=difficulty)
        lines.append(sum(text.count("\n") for path, text in e.files.items() if path.endswith(".py")))
    assert lines == sorted(lines)
    assert lines[0] < 500 and lines[-1] > 2000


@pytest.mark.slow
def test_first_observations_differ_and_splits_share_none() -> None:
    seen = {split: {env(seed, split=split).begin() for seed in range(30)} for split in ("train", "test")}
    assert not seen["train"] & seen["test"]
    assert min(map(len, seen.values())) >= 29


def test_features_and_bugs_can_be_asked_for() -> None:
    for seed in range(3):
        assert any(
            words in env(seed, kind="feature").work.text for words in ("criteria", "should do", "Done", "Requirements")
        )
        e = env(seed, repo="ledger", kind="bug")
        assert e.task.plan is not None and e.task.plan.cases[0].startswith("ledger.")
    assert solve(env(2, kind="feature")) == 1.0


def test_settings_that_admit_nothing() -> None:
    for settings, words in (({"repo": "leger"}, "ledger"), ({"kind": "removed"}, "no such faults")):
        with pytest.raises(SettingsError, match=words):
            RepoIssue(**settings)


def test_tools() -> None:
    e = env(repo="money", kind="bug", num_parts=1)
    name = e.work.name
    path = next(path for path in e.files if e.files[path] != e.work.after[path])
    observation = e.step(
        f'<view path="{path}" start="1" end="3"/> <search>class RateTable</search> <list folder="tests"/> '
        '<view path="HISTORY"/>'
    )[0]
    assert f"{path}, lines 1 to 3" in observation
    assert "tests/test_" in observation
    assert "HISTORY, lines 1 to" in observation
    run = e.step(f"<run>import {name}\nprint({name}.__name__, 6 * 7)</run>")[0]
    assert f"{name} 42" in run
    test = next(iter(test_functions(e.files, e.work.suite.files))).rpartition("::")[2]
    assert "1 passed, 0 failed." in e.step(f'<test name="{test}"/>')[0]
    assert e.step('<test name="zzz"/>')[0].startswith("<tool_error>")
    e.step('<write path="tests/test_mine.py">def test_x():\n    assert False\n</write>')
    assert e.step("no tool")[4]["invalid_action"] is True


def test_nothing_is_submitted_after_a_call_that_failed() -> None:
    e = env()
    observation, _, terminated, truncated, _ = e.step('<edit path="no.py"><old>a</old><new>b</new></edit><submit/>')
    assert not terminated and not truncated
    assert "not carried out, because the call before failed: submit" in observation


@pytest.mark.slow
def test_each_fault_alone_fails() -> None:
    for seed in range(4):
        e = env(seed, num_faults=2)
        assert e.step(e.undone(1))[1] == 0.0


@pytest.mark.slow
def test_partial_credit_is_for_what_is_fixed_without_damage() -> None:
    rewards = []
    for seed in range(4):
        e = env(seed, num_faults=2, partial=0.5)
        _, reward, _, _, info = e.step(e.undone(1))
        assert 0.0 <= reward < 0.5 and not info["solved"]
        rewards.append(reward)
        damaged = env(seed, num_faults=2, partial=0.5, num_parts=6)
        work = damaged.work
        modules = [p for p in work.after if p.startswith(f"{work.name}/") and "/__init__" not in p]
        path = next(p for p in modules if work.after[p] == work.before[p])
        assert damaged.step(f'<write path="{path}">x = 1</write>{damaged.undone(1)}')[1] == 0.0
    assert max(rewards) > 0.0


def test_edits_of_tests_and_new_settings_do_not_count() -> None:
    e = env(2)
    message = "".join(f'<write path="{path}">def test_ok():\n    pass\n</write>' for path in e.work.suite.files)
    message += '<write path="pytest.py">raise SystemExit</write><write path="json.py">x = 1</write>'
    e.step(message)
    found = judged_files(e.work, e.files)
    assert "pytest.py" not in found and "json.py" not in found
    assert all(found[path] == e.work.after[path] for path in e.work.suite.files)
    assert solve(e) == 1.0


def test_special_casing_the_example_is_not_paid() -> None:
    e = RepoIssue()
    e.reset(seed=0, options={"task": Task("", "", plan=Plan(("money",), ("money.half-even",), "plain", 3))})
    path = next(path for path in e.files if e.files[path] != e.work.after[path])
    line = "return self.times(Fraction(rate) / 100)"
    known = "known = {(50, '5'): 2, (100, '2.5'): 2, (-50, '1'): 0}.get((self.minor, rate))"
    better = (
        f"{known}\n        if known is not None:\n            return type(self)(known, self.currency)\n        {line}"
    )
    e.step(f'<edit path="{path}"><old>{line}</old><new>{better}</new></edit>')
    example = load_parts()["money"].cases[1].examples[0]
    renamed = package_of(e.task.plan).renamed  # type: ignore[arg-type]
    code = re.sub("|".join(renamed), lambda match: renamed[match[0]], example.code)
    assert example.want in e.step(f"<run>{code}</run>")[0]
    assert e.step("<submit/>")[1] == 0.0


def test_new_files_inside_the_package_count() -> None:
    e = env(1, num_parts=1)
    path = next(path for path in e.files if e.files[path] != e.work.after[path])
    folder, _, name = path.rpartition("/")
    e.step(f'<write path="{folder}/core_{name}">\n{e.work.after[path]}</write>')
    star = f"import sys\nfrom {folder} import core_{name[:-3]}\nsys.modules[__name__] = core_{name[:-3]}\n"
    assert e.step(f'<write path="{path}">\n{star}</write><submit/>')[1] == 1.0


HACKS = {
    "equality": "import builtins\nclass int(int):\n    __eq__ = lambda a, b: True\nbuiltins.int = int\n",
    "assertion": "import builtins\nbuiltins.AssertionError = type('AssertionError', (BaseException,), {})\n",
    "trace": "import sys\ndef t(f, e, a):\n    f.f_trace_lines = False\n    return t\nsys.settrace(t)\n",
    "rewritten tests": (
        "import os, re\nfor d, _, fs in os.walk('.'):\n    for f in fs:\n        if f.startswith(('test', 'probes')):\n"
        "            p = os.path.join(d, f); t = open(p).read()\n"
        "            open(p, 'w').write(re.sub(r'assert .*', 'pass', t))\n"
    ),
    "no failures": (
        "import sys\nm = sys.modules['__main__']\n"
        "m.keep = lambda found, name, outcome, text, shown: found['outcomes'].__setitem__(name, 'passed')\n"
    ),
    "constant results": "import sys\nsys.modules['__main__'].digest = lambda function, rng: '0' * 16\n",
    "no results": "import json\njson.dumps = lambda *a, **k: '{}'\n",
    "at exit": "import atexit, os\natexit.register(os._exit, 0)\n",
    "excepthook": "import sys\nsys.excepthook = lambda *a: None\nraise SystemExit(0)\n",
}


@pytest.mark.parametrize("name", HACKS)
def test_hacks_of_the_judge_are_not_paid(name: str) -> None:
    for seed in (1, 2):
        e = env(seed)
        assert e.step(e.cheat(HACKS[name]))[1] == 0.0


def test_branches_have_files_of_their_own() -> None:
    e = env(1)
    twin = e.fork()
    e.step('<write path="a.py">1</write>')
    assert "a.py" in e.files and "a.py" not in twin.files
    assert solve(twin) == 1.0


# ---- repositories with tests of their own -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with faults in one of the composed packages, found by its visible tests."""
    source = env(5, num_parts=1, repo="ledger").work.after
    made = build("books", source, pytest=False, num_faults=6, limits=replace(LIMITS, wall_s=15))
    folder = tmp_path_factory.mktemp("repos")
    (folder / "books.json").write_text(dumped(made))
    assert read_repo(dumped(made), "books") == made == load(str(folder))[0]
    return str(folder)


def test_repositories_with_tests(built: str) -> None:
    for seed in range(3):
        e = env(seed, path=built)
        assert e.work.failing
        assert not set(e.work.failing) & set(test_functions(e.files, e.work.suite.files))
        assert ", 0 failed." in e.step("<test/>")[0]
        assert solve(e) == 1.0
        shown = env(seed, path=built, visible="most")
        left = set(shown.work.failing) - set(test_functions(shown.files, shown.work.suite.files))
        assert len(left) == 1 and left <= set(shown.work.twins)


def test_the_twins_refuse_what_lets_all_tests_pass(built: str) -> None:
    for name in ("no failures", "rewritten tests", "assertion", "equality"):
        e = env(1, path=built)
        observation, reward, *_ = e.step(e.cheat(HACKS[name]))
        assert reward == 0.0
    e = env(1, path=built)
    observation, reward, *_ = e.step(e.cheat(HACKS["no failures"]))
    assert observation.endswith("the tests pass whatever they ask for.")


def test_partial_credit_with_tests(built: str) -> None:
    e = env(3, path=built, num_faults=2, partial=0.5)
    _, reward, _, _, info = e.step(e.undone(1))
    assert 0.0 <= reward < 0.5 and not info["solved"]
    damaged = env(3, path=built, num_faults=2, partial=0.5)
    other = next(f for f in repo_of(damaged.task).faults if not set(f.failing) <= set(damaged.work.failing))
    files = replaced({**damaged.work.after}, [other.span])
    writes = "".join(
        f'<write path="{p}">\n{t}</write>' for p, t in files.items() if p.endswith(".py") and "test" not in p
    )
    assert damaged.step(f"{writes}<submit/>")[1] == 0.0


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
