"""CodeRepair: every fault shows, only fixed programs are paid, and the tools do what they say."""

import itertools
import pickle

import numpy as np
import pytest

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.core.errors import SettingsError
from turnwise.envs.code._repair_text import as_tags
from turnwise.envs.code.code_repair import TESTS, TOOLS, CodeRepair, Task
from turnwise.verifiers.code import same_value
from turnwise.worlds.programs.faults.mutations import applied
from turnwise.worlds.programs.library.interface import docstrings
from turnwise.worlds.programs.library.programs import ALL, Fault, draw_edits, draw_fault, program_of
from turnwise.worlds.programs.library.run import Call, Running
from turnwise.worlds.programs.repositories import workspace as _workspace


def started(seed: int = 0, **settings) -> CodeRepair:
    env = CodeRepair(**settings)
    env.reset(seed=seed_of("repair", seed))
    return env


def plain(**settings) -> CodeRepair:
    """One file, played with tests at hand."""
    return started(3, num_files=1, **settings)


@pytest.mark.parametrize("num_bugs", [1, 2, 3, 4])
def test_hidden_tests_show_every_set_of_faults_that_is_left(num_bugs):
    env = CodeRepair(num_files=3, num_bugs=num_bugs)
    for seed in range(5):
        env.reset(seed=seed_of("faults", seed))
        program = program_of(env.task.key)
        right = program.running()
        for size in range(1, num_bugs + 1):
            for left in itertools.combinations(env.task.faults, size):
                wrong = program.running(left)
                assert any(not same_value(wrong.outcome(c), right.outcome(c)) for c in program.calls), left
        faulty = program.running(env.task.faults)
        assert any(not same_value(faulty.outcome(c), right.outcome(c)) for c in env.task.tests)


def test_faults_are_in_different_functions():
    env = CodeRepair(num_files=1, num_bugs=3)
    for seed in range(10):
        env.reset(seed=seed)
        part = next(iter(program_of(env.task.key).parts.values()))
        places = [
            [f.name for f in part.functions if f.line <= fault.edit.line <= f.end_line] for fault in env.task.faults
        ]
        assert len({place[0] for place in places}) == 3


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_from_call_to_call_is_found_when_it_is_all_that_is_left(seed):
    place = {unit.name: number for number, unit in enumerate(ALL)}
    key = ((place["spans"], 0), (place["bookings"], 3))  # of the fitting slots, the last one is returned
    program = program_of(key)
    part = program.parts["bookings"]
    *_, kept = (e for f in part.functions for e in part.edits(f.name) if e.kind == "mutable_default")
    other = draw_fault(Draw("other", seed), program.parts["spans"])
    env = CodeRepair(visible="none", num_bugs=2)
    env.reset(seed=seed)
    env.task = Task(key, (Fault("spans", other), Fault("bookings", kept)), (), seed)
    env.begin()
    twin = env.fork()
    assert twin.step(twin.fixed(1))[1] == 0.0
    assert env.step(env.fixed(2))[1] == 1.0


def test_no_other_small_edit_of_the_function_with_the_bug_passes_the_hidden_tests():
    """Fixes that are right for nearly all arguments: only drawn calls let some of them pass."""
    missed = caught = 0
    for seed, level in ((9010, 1), (9022, 3), (9027, 8), (9044, 5), (9048, 9), (9049, 10)):  # such let one pass
        env = CodeRepair(difficulty=level)
        env.reset(seed=seed)
        program, [fault, *_] = program_of(env.task.key), env.task.faults
        part = program.parts[fault.file]
        names = [f.name for f in part.functions if f.line <= fault.edit.line <= f.end_line]
        _, tests = env._hidden()
        calls = set(program.sharp([fault]))
        for edit in draw_edits(Draw("edits", seed), part, names):
            if part.fails([edit]) or (codes := part.compiled.codes([edit])) is None:
                continue
            running = Running({**{other.name: other.compiled.codes() for other in part.beside}, part.name: codes})
            own = [(call, wanted) for call, wanted in tests if call.function.partition(".")[0] == part.name]
            seen = [call for call, wanted in own if not same_value(running.outcome(call), wanted)]
            caught += bool(seen)
            missed += bool(seen) and set(seen) <= calls
        assert calls <= {call for call, _ in tests}
        env.close()
    assert caught >= 4
    assert missed >= 1  # by the calls that are drawn for a task


def test_functions_that_follow_another_rule_are_no_small_edits_away():
    env = CodeRepair(num_files=3, misread=1.0, far=True)
    for seed in range(6):
        env.reset(seed=seed_of("misread", seed))
        (fault,) = env.task.faults
        part = program_of(env.task.key).parts[fault.file]
        wrong = applied(part.source, [fault.edit])
        assert fault.edit.kind == "misreading"
        assert docstrings(wrong) == docstrings(part.source)
        assert part.fails([fault.edit])
        changed = fault.edit.text.split(), part.source[fault.edit.start : fault.edit.end].split()
        assert changed[0] != changed[1]


@pytest.mark.slow
def test_mending_some_of_the_faults_is_not_enough():
    for seed in range(4):
        env = started(seed, num_files=3, num_bugs=3)
        for number in (1, 2):
            twin = env.fork()
            assert twin.step(twin.fixed(number))[1:3] == (0.0, True)
        assert env.step(env.fixed(3))[1:3] == (1.0, True)


def test_the_visible_tests_are_right_and_one_fails():
    for seed in range(4):
        env = started(seed)
        told = env.step("<test/>")[0]
        assert " failed" in told
        assert "AssertionError" in told or "Error" in told
        env.step(as_tags(_workspace.changes(env.files, env._mended()), {}, ""))
        assert "6 of 6 tests passed." in env.step("<test/>")[0]


def test_without_visible_tests_there_is_no_file_of_them():
    env = started(visible="none")
    assert TESTS not in env.files
    answer = env.step("<test/>")[0]
    assert answer == "<tool_error>there are no visible tests; look with <run></tool_error>"


def test_the_source_is_shown_only_where_it_should_be():
    env = CodeRepair(show_source=False)
    observation, _ = env.reset(seed=4)
    path = sorted(env.files)[0]
    assert "def " not in observation
    assert env.files[path].split("\n")[0] in env.step(f'<view path="{path}"/>')[0]


def test_tools_tell_what_is_wrong_with_a_call():
    env = plain(max_turns=50)
    path = next(p for p in env.files if p != TESTS)
    for action, answer in [
        ('<view path="../../etc/passwd"/>', "is not a path here"),
        ('<view path="/etc/passwd"/>', "is not a path here"),
        (f'<view path="{path}" start="900"/>', "but not line 900"),
        (f'<edit path="{path}"><old></old><new>x</new></edit>', "old is empty"),
        (f'<edit path="{path}"><old>return</old><new>x</new></edit>', "more than once"),
        (f'<edit path="{path}"><old>nowhere</old><new>{"x" * 900_000}</new></edit>', "does not occur"),
        (f'<write path="{path}">{"x" * 900_000}</write>', "at most 200000"),
        (f'<edit path="{path}">def</edit>', "needs the argument 'old'"),
        ('<tool_call>{"name": "shell", "arguments": {}}</tool_call>', "there is no tool 'shell'"),
    ]:
        observation, reward, _, _, info = env.step(action)
        assert answer in observation
        assert (reward, info) == (0.0, {})
    assert env.files == env.first
    assert env.errors == env.calls == 9
    assert env.step("I would fix it.")[4] == {"invalid_action": True}


@pytest.mark.slow
def test_code_runs_beside_the_files_and_is_stopped():
    env = plain()
    module = next(p for p in env.files if p != TESTS).removesuffix(".py")
    assert "<module" in env.step(f"<run>import {module}\nprint({module})</run>")[0]
    assert "ZeroDivisionError" in env.step("<run>1 / 0</run>")[0]
    assert "3" in env.step("<run>while True: pass</run>")[0]
    env.step("<run>open('tests.py', 'w').write('x')</run>")
    assert env.files == env.first


def test_what_is_in_the_files_when_the_turns_are_over_is_judged():
    env = started(num_bugs=1, max_turns=2)
    env.step("<test/>")
    _, reward, terminated, truncated, info = env.step(as_tags(_workspace.changes(env.files, env._mended()), {}, ""))
    assert (reward, terminated, truncated, info["solved"]) == (1.0, True, False, True)
    env = started(num_bugs=1, max_turns=1)
    assert env.step("<test/>")[1:3] == (0.0, True)


def test_another_right_program_is_as_good():
    """What is judged is what the functions do, not their text, and whatever else is there."""
    env = plain()
    files = env._mended()
    path = next(iter(files))
    odd = f"import sys\nprint('loaded')\n{files[path]}\nif __name__ == '__main__':\n    sys.exit(0)\n"
    assert env.step(as_tags([], {path: odd, "notes.txt": "x", TESTS: "raise SystemExit"}, "<submit/>"))[1] == 1.0


def test_overwriting_the_interpreter_s_own_does_not_help():
    for text in (
        "import builtins\nbuiltins.getattr = lambda *args: (lambda *args: None)\n",
        "import sys\nsys.modules['__main__'].call = lambda name, args: ('returned', None)\n",
        "import gc\nfor it in gc.get_objects():\n    if isinstance(it, list):\n        it.clear()\n",
        "import os\nfor n in range(3, 300):\n  try: os.write(n, b'{}')\n  except OSError: pass\n",
    ):
        env = plain()
        assert env.step(env.cheat_more(text))[1] == 0.0


def test_partial_credit_counts_mended_tests_only_where_none_broke():
    env = started(2, num_files=3, num_bugs=2, partial=0.5)
    twin, other = env.fork(), env.fork()
    reward = env.step(env.fixed(1))[1]
    assert 0.0 < reward < 0.5
    assert twin.step("<submit/>")[1] == 0.0
    broken = {p: t.replace("return", "return None and") for p, t in other._mended().items()}
    assert other.step(as_tags([], broken, "<submit/>"))[1] == 0.0


def test_tests_are_hidden_and_expected_values_stay_outside():
    env = plain()
    spy = "\nimport sys\n_seen = []\nf = sys._getframe()\nwhile f:\n    _seen += [str(f.f_globals)]\n    f = f.f_back\n"
    for path in list(env.files):
        env.files[path] += spy
    why, credit = env._verdict()
    assert why
    assert credit == 0.0
    broken, tests = env._hidden()
    assert len(tests) >= 40
    assert all(test in tests for test in broken)
    assert {c.function for c, _ in broken} <= {c.function for c in program_of(env.task.key).calls}


def test_a_live_episode_forks_and_pickles_with_its_files():
    env = started(2)
    path = next(p for p in env.files if p != TESTS)
    env.step(f'<write path="{path}">x = 1</write>')
    twin = pickle.loads(pickle.dumps(env.fork()))
    env.step(f'<write path="{path}">x = 2</write>')
    assert twin.files[path] == "x = 1\n"
    assert twin.step("<submit/>")[1] == 0.0
    while not env._over:
        info = env.step(env.oracle())[4]
    assert info["solved"]


def test_levels_get_harder_in_what_they_set():
    rows = CodeRepair.levels
    assert rows[0]["num_files"] * rows[0]["num_bugs"] == 1
    assert rows[-1]["num_files"] * rows[-1]["num_bugs"] == 18
    assert not rows[-1]["show_source"]
    env = CodeRepair(difficulty=10)
    observation, _ = env.reset(seed=1)
    assert "3 bugs" in observation and "in different functions" in observation
    assert len(env.files) == 6


def test_bugs_show_on_few_calls_and_elsewhere():
    """At the top levels: at most so many calls of any function reveal a bug, and failing tests call its users."""
    env = CodeRepair(difficulty=6)
    for seed in range(4):
        env.reset(seed=seed_of("far", seed))
        program = program_of(env.task.key)
        (fault,) = env.task.faults
        part = program.parts[fault.file]
        assert 0 < part.revealed(fault.edit) <= env.subtle
        own = {f"{fault.file}.{f.name}" for f in part.functions if f.line <= fault.edit.line <= f.end_line}
        right, wrong = program.running(), program.running(env.task.faults)
        failing = [c.function for c in env.task.tests if not same_value(right.outcome(c), wrong.outcome(c))]
        assert failing and not own & set(failing)


def test_a_bug_elsewhere_needs_functions_that_use_others():
    with pytest.raises(SettingsError, match="num_files"):
        CodeRepair(num_files=1, far=True)


def test_random_edits_hardly_ever_mend():
    env = CodeRepair()
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    kinds = {TOOLS.parse(env.sample_action(rng))[0].name for _ in range(80)}
    assert {"submit", "edit", "view", "run"} <= kinds


@pytest.mark.slow
def test_programs_differ_from_seed_to_seed():
    env = CodeRepair(num_files=1)
    rng = np.random.default_rng(3)
    assert len({env._digest(env.generate(rng)) for _ in range(120)}) > 110
    texts = {tuple(sorted(env.files)) for seed in range(30) if env.reset(seed=seed)}
    assert len(texts) > 12


def test_calls_can_be_stored():
    call = Call.of("a.f", ([1, (2, "x")], {"k": {3}}))
    assert call.args == ([1, (2, "x")], {"k": {3}})
    assert Running({}).outcome(Call.of("a.f", ()))[0] == "raised"


def test_nothing_is_submitted_after_an_edit_that_failed():
    env = plain()
    edits = env.fixed(1).removesuffix("<submit/>")
    path = sorted(env.files)[0]
    failing = f'<edit path="{path}"><old>no such text</old><new>x</new></edit>'
    unclosed = f'<edit path="{path}"><old>no such text</old><new>x</new>'
    for message in (f"{failing}{edits}<submit/>", f"{unclosed}\n<submit/>"):
        before = dict(env.files)
        observation, _, terminated, truncated, _ = env.step(message)
        assert not terminated and not truncated
        assert "not carried out, because the call before failed: " in observation and "submit" in observation
        assert env.files == before
    assert env.step(f"{edits}<submit/>")[1] == 1.0


def test_texts_between_tags_are_exact_but_for_one_line_break_at_each_end():
    env = plain()
    assert "except for one line break right after the opening tag and one right before the closing tag" in env.begin()
    env.step('<write path="a.py">\n\nx = 1\n\n\n</write>')
    assert env.files["a.py"] == "\nx = 1\n\n"
    env.step('<edit path="a.py"><old>x = 1\n\n</old><new>y = 2\n\n\n</new></edit>')
    assert env.files["a.py"] == "\ny = 2\n\n\n"
    env.step('<edit path="a.py">\n<old>\n\ny\n</old>\n<new>\nz\n</new>\n</edit>')
    assert env.files["a.py"] == "z = 2\n\n\n"
