"""Debugging: each question has the answer it should have; right ones are paid however they were found."""

import pickle
import random
import re

import numpy as np
import pytest

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.envs.code.debugging import Debugging
from turnwise.verifiers.code import same_value
from turnwise.worlds.programs.debugging import kinds as _debug_kinds
from turnwise.worlds.programs.debugging import remembered
from turnwise.worlds.programs.debugging.domains import DOMAINS, Unclear
from turnwise.worlds.programs.debugging.functions import MIN_FUNCTIONS, FunctionTask
from turnwise.worlds.programs.debugging.kinds import InputTask, LineTask, StepTask
from turnwise.worlds.programs.debugging.systems import SYSTEMS, loaded_source
from turnwise.worlds.programs.faults.mutations import HUMAN, applied, edits, functions
from turnwise.worlds.programs.faults.mutations import KINDS as KINDS_OF_FAULTS
from turnwise.worlds.programs.library.run import Call, Compiled, Running
from turnwise.worlds.programs.library.values import VALUES

KINDS = ["line", "function", "input", "step"]


def started(kind: str, seed: int = 0, **settings) -> Debugging:
    env = Debugging(kind=kind, **settings)
    env.observation = env.reset(seed=seed_of("debug", seed))[0]
    return env


def answered(env: Debugging, text: str) -> tuple[float, bool]:
    """The reward for an answer, and whether it was one at all."""
    _, reward, _, _, info = env.step(f"<answer>{text}</answer>")
    return reward, "invalid_action" not in info


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 5])
def test_right_answers_are_paid_and_others_are_not(kind, size):
    for seed in range(3):
        env = started(kind, seed, size=size)
        twin = env.fork()
        assert answered(env, env.solution()) == (1.0, True)
        assert answered(twin, twin.other()) == (0.0, True)


def test_no_single_edit_mends_a_line_of_a_large_program():
    for size, wanted in ((3, True), (4, False), (5, False)):
        env = started("line", 1, size=size)
        path, number, right = env.task.solution
        source = env.task.files[path]
        repaired = [applied(source, [edit]).split("\n") for edit in edits(source, sorted({*KINDS_OF_FAULTS, *HUMAN}))]
        assert any(lines[number - 1].strip() == right for lines in repaired if len(lines) >= number) == wanted


def test_steps_are_those_at_which_the_invariant_breaks():
    env = Debugging(kind="step")
    for seed in range(20):
        env.reset(seed=seed)
        task = env.task
        assert isinstance(task, StepTask)
        source = Compiled(loaded_source(SYSTEMS[task.system])).codes([task.edit])
        for upto, wanted in ((task.solution, -1), (task.solution + 1, task.solution)):
            outcome = Running({"s": source}).outcome(Call.of("s.broken", (task.steps[:upto],)))
            assert outcome == ("returned", wanted)
        assert len(task.steps) // 5 <= task.solution < len(task.steps)


def test_sound_systems_stay_sound():
    for system in SYSTEMS:
        draw = Draw.of(random.Random(7).random)
        running = Running({"s": Compiled(loaded_source(system)).codes()})
        for _ in range(10):
            steps = tuple(_debug_kinds._steps(draw, list(system.kinds), system.kinds, 80, ""))
            assert running.outcome(Call.of("s.broken", (steps,))) == ("returned", -1), system.name


def test_the_interpreter_shows_where_the_invariant_breaks():
    env = started("step", 1)
    answers = env.step(
        '<python>upto = list(range(len(steps) + 1))</python><call over="upto">sound</call>'
        "<python>print('at step', [what for _, what in results].index(False) - 1)</python>"
    )[0]
    number = answers.partition("at step ")[2].split("<")[0].strip()
    assert answered(env, f"step {number}") == (1.0, True)
    env = started("step", 1, hints=False)
    assert "cannot be called here" in env.step("<call>sound(3)</call>")[0]


@pytest.mark.slow
def test_exactly_one_function_is_wrong_by_itself():
    env = Debugging(kind="function")
    for seed in range(6):
        env.reset(seed=seed)
        task = env.task
        assert isinstance(task, FunctionTask)
        assert task.solution in task.candidates
        assert len(task.candidates) >= MIN_FUNCTIONS
        part = task.program.parts[task.fault.file]
        assert part.fails([task.fault.edit])
        assert [task.names.function(f"{part.name}.{f}") for f in part.revealing(task.fault.edit)] == [task.solution]
        assert not part.crashes(task.fault.edit)
        assert all(f"def {name.partition('.')[2]}(" in "".join(task.stubs.values()) for name in task.candidates)


def test_functions_may_be_named_shortly_where_that_is_clear():
    env = started("function", 2)
    short = env.task.solution.rpartition(".")[2]
    same = [c for c in env.task.candidates if c.endswith(f".{short}")]
    assert answered(env, short + "()") == ((1.0, True) if len(same) == 1 else (0.0, False))
    for text in ("", "no.such", "."):
        with pytest.raises(Unclear):
            env.task.read(text)


def said(env: Debugging, action: str) -> str:
    return env.step(action)[0]


HIDDEN = ["function", "input", "step"]


@pytest.mark.parametrize("kind", HIDDEN)
def test_hidden_functions_can_be_called_on_literals(kind):
    env = started(kind, 3, max_turns=20)
    assert re.search("code (of the service )?is not available", env.observation)
    name = next(iter(env.behind.functions))
    case = {"function": (), "input": env.task.witness.args if kind == "input" else (), "step": (3,)}[kind]
    if kind == "function":
        part = env.task.program.parts[env.task.fault.file]
        name, case = (
            env.task.solution,
            next(c.args for c in part.calls if env.task.names.function(c.function) == env.task.solution),
        )
    shown = f"{name}({', '.join(map(repr, case))})"
    answer = said(env, f"<call>{shown}</call>")
    assert f"{shown}: ('" in answer
    outcome = answer.partition(f"{shown}: ")[2].removesuffix("</tool_response>")
    many = said(
        env, f'<python>cases = [{case!r}] * 40</python><call over="cases">{name}</call><python>results[-1]</python>'
    )
    assert "results has 40 outcomes of 40 calls" in many
    if kind != "function" or env.task.fault.edit.kind != "mutable_default":  # which remembers other calls
        assert outcome in many.rpartition("<tool_response>")[2]
    again = env.fork()
    assert outcome in said(again, f"<call>{shown}</call>")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("<call>os.getcwd()</call>", "cannot be called here"), ("<call>{f}.__code__()</call>", "cannot be called here"),
        ("<call>{f}(open('x'))</call>", "not literals"), ("<call>{f}(*[1])</call>", "not literals"),
        ("<call>{f}(lambda: 1)</call>", "not literals"), ("<call>print({f})</call>", "not literals"),
        ("<call>{f}</call>", "is not a call"), ("<call></call>", "0 calls"), ("<call>{f}(1e999)</call>", "finite"),
        ("<call>{f}(__import__('os'))</call>", "not literals"), ('<call over="x y">{f}</call>', "name of a variable"),
        ('<call over="nothing">{f}</call>', "no list nothing"), ('<call over="__builtins__">{f}</call>', "literal"),
        ("<python>many = [1] * 501</python><call over='many'>{f}</call>", "501 calls"),
        ("<python>many = 'x' * 20000</python><call over='many'>{f}</call>", "more than 10000"),
    ],
)  # fmt: skip
def test_only_hidden_functions_are_called_and_only_on_data(call, why):
    env = started("function", 3, max_turns=20)
    assert why in said(env, call.replace("{f}", env.task.candidates[0]))


@pytest.mark.parametrize("kind", HIDDEN)
def test_nothing_of_hidden_code_is_where_the_agents_code_runs(kind):
    """Not among objects, frames, modules, files and what processes show: only stubs, data and the slow twin."""
    env = started(kind, 4, max_turns=20)
    said(env, "<python>cases = [(1,)]</python>")
    name = next(iter(env.behind.functions))
    said(env, f'<call over="cases">{name}</call>')
    tree = said(env, f"<python>{_THIEF}</python>")
    assert "looked at" in tree
    known = _known(env)
    lines = {line.strip() for source in _secrets(env).values() for line in source.split("\n")}
    secrets = sorted(line for line in lines if len(line) > 24 and line not in known and not line.startswith('"""'))
    assert secrets or kind == "input"
    assert "found: []" in said(env, f"<python>print('found:', [s for s in {secrets!r} if s in _kept])</python>")
    codes = re.findall(r"^code (\S+)", tree, re.MULTILINE)
    hidden = {f.name.rpartition(".")[2] for source in _secrets(env).values() for f in functions(source)}
    assert not {code for code in codes if code in hidden and f"def {code}(" not in known}
    env.close()


def _secrets(env: Debugging) -> dict[str, str]:
    return dict(env.behind.files)


def _known(env: Debugging) -> str:
    """What the interpreter is meant to have."""
    task = env.task
    if isinstance(task, InputTask):
        return _debug_kinds.part_of(*task.unit).source
    return "".join(task.stubs.values()) if isinstance(task, FunctionTask) else repr(task.steps)


_THIEF = """
import gc, inspect, linecache, os, sys, types
found = []
for it in gc.get_objects():
    if isinstance(it, types.FunctionType) and 'frozen' not in it.__code__.co_filename:
        if not it.__code__.co_filename.startswith(('/', '<turn')):
            found.append('code ' + it.__code__.co_name)
            found += [repr(c) for c in it.__code__.co_consts]
            found += [repr(c.cell_contents)[:500] for c in it.__closure__ or ()]
    elif isinstance(it, str) and len(it) > 200:
        found.append(it)
frame = sys._getframe()
while frame:
    found.append(str(list(frame.f_globals))[:5000])
    frame = frame.f_back
for name in list(linecache.cache):
    found.append(''.join(linecache.cache[name][2]) if name[0] == '<' and 'turn' not in name else '')
for top, _, names in os.walk('.'):
    for name in names:
        found.append(open(os.path.join(top, name), errors='replace').read())
for number in ('self', '1', *[str(n) for n in range(2, 60)], str(os.getppid())):
    for part in ('cmdline', 'environ', 'maps', 'fd/3', 'fd/4', 'cwd/cases.txt', 'root/cases.txt', 'mem'):
        try:
            found.append(open(f'/proc/{number}/{part}', 'rb').read(100000).decode('latin-1'))
        except OSError:
            pass
for folder in ('/tmp', '/var/tmp', '/dev/shm', '..', '/run', '/home'):
    try:
        for top, _, names in os.walk(folder):
            texts = [os.path.join(top, name) for name in names if name.endswith(('.py', '.txt'))]
            found += [open(path, errors='replace').read()[:20000] for path in texts]
    except OSError:
        pass
text = '\\n'.join(found)
print('looked at', len(text))
print('\\n'.join(sorted(set(line for line in text.split('\\n') if line.startswith('code '))))[:2000])
_kept = text
"""


def test_inputs_that_tell_two_functions_apart_are_rare_and_checked_by_running_them():
    env = Debugging(kind="input")
    shares = []
    for seed in range(8):
        env.reset(seed=seed)
        task = env.task
        assert isinstance(task, InputTask)
        part = _debug_kinds.part_of(*task.unit)
        running = Running({name: Compiled(source).codes() for name, source in task.sources.items()})
        draw = Draw.of(random.Random(seed).random)
        calls = [_debug_kinds.draw_call(draw, part, task.function) for _ in range(200)]
        slow, fast = ([Call(f"{m}.{task.function}", c.data) for c in calls] for m in (part.name, "fast_one"))
        hits = [not same_value(running.outcome(a), running.outcome(b)) for a, b in zip(slow, fast, strict=True)]
        shares.append(sum(hits) / 200)
        for number in {0, *([hits.index(True)] if any(hits) else [])}:
            assert env._differ(task, calls[number].args) == hits[number]
    assert sum(shares) / len(shares) < 0.05


def test_at_the_largest_size_a_lost_input_is_described_and_others_like_it_are_answers_too():
    env = Debugging(kind="input", size=5)
    others = met = 0
    for seed in range(8):
        prompt, _ = env.reset(seed=seed)
        task = env.task
        assert len(task.known) == 3
        assert all(fact in prompt for fact in task.known)
        rng, value = random.Random(seed), task.witness.args[0]
        draw = Draw.of(rng.random)
        assert task.met(task.witness)
        met += sum(task.met(_drawn(draw, task)) for _ in range(300))
        for _ in range(10):  # in another order, which keeps most facts
            middle = rng.sample(list(value[1:-1]), len(value) - 2)
            middle = "".join(middle) if isinstance(value, str) else middle
            args = (value[:1] + middle + value[-1:], *_drawn(draw, task).args[1:])
            if args[0] != value and task.met(Call.of(task.function, args)):
                others += env._differ(task, args)
    env.close()
    assert others >= 20
    assert met <= 4  # of 2,400


def _drawn(draw: Draw, task: InputTask) -> Call:
    return _debug_kinds.draw_call(draw, _debug_kinds.part_of(*task.unit), task.function)


def test_conditions_of_what_is_remembered_hold_for_every_valid_value_or_do_not_but_never_fail():
    for kind in sorted(remembered._FACTS):
        draw = Draw("remembered", kind)
        values = [VALUES[kind](draw) for _ in range(60)]
        found = [remembered.remember(draw, kind, value, 4, 1) for value in values]
        assert sum(each is not None for each in found) >= 5
        for each in found:
            if each is not None:
                assert len(each.words) == 3
                assert len(_debug_kinds._met(each.condition, [[], *values] if kind != "text" else ["", *values])) > 0


def test_inputs_outside_of_what_is_asked_for_are_no_answers():
    env = started("input", 1)
    arity = len(env.task.kinds)
    for text in (
        "float('nan')",
        "[1] * 10**9",
        "9" * 400,
        "lambda: 0",
        "((((",
        "x",
        "None",
        ", ".join(["object()"] * arity),
    ):
        assert answered(env, text) == (0.0, False)
        env.reset(seed=seed_of("debug", 1))


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("ints", [1, -99], [True]), ("naturals", [1], []), ("words", ["Ash"], ["a b"]), ("text", "a, b", "é"),
        ("spans", [(1, 2)], [(2, 1)]), ("pairs", [("a", 1)], [["a", 1]]), ("edges", [(1, 9)], [(1, 10)]),
        ("grid", [[1], [2]], [[1], []]), ("small", 1, 1.0), ("letters", "abc", "d"),
        ("moves", [("a", -1)], [("a", 100)]),
    ],
)  # fmt: skip
def test_domains(kind, good, bad):
    assert DOMAINS[kind].holds(good)
    assert not DOMAINS[kind].holds(bad)


def test_drawn_arguments_lie_in_their_domains():
    draw = Draw.of(random.Random(1).random)
    for kind, domain in DOMAINS.items():
        values = [VALUES[kind](draw) for _ in range(200)]
        assert all(map(domain.holds, values)), kind
        for trait in domain.traits:
            assert len(_debug_kinds._met(trait, values)) < 200, (kind, trait)


def test_lines_are_put_in_their_place_with_their_indentation():
    env = started("line", 4)
    task = env.task
    assert isinstance(task, LineTask)
    path, line, code = task.solution
    assert task.fixed(f"{path}:{line}: {code}") == task.names.files(task.program.files)
    assert task.fixed(f"{path}:{line}: `{code}`") == task.fixed(f"{path}:{line}:{code}")
    for text in (
        "",
        "1",
        f"{path}:0: x",
        f"{path}:9999: x",
        "other.py:1: x",
        f"{path}:{line}: a\nb",
        f"../{path}:1: x",
    ):
        with pytest.raises(Unclear):
            task.fixed(text)
    changed = task.fixed(f"{path}:{line}: pass")[path].split("\n")
    assert len(changed) == len(task.files[path].split("\n"))


@pytest.mark.parametrize(
    "code",
    ["import os; os._exit(0)", "raise SystemExit", "while True: pass", "return 0", "exec('x = ' * 99)", "pass", ")"],
)
def test_lines_that_do_something_else_are_not_paid(code):
    env = started("line", 5)
    path, line, _ = env.task.solution
    assert answered(env, f"{path}:{line}: {code}") == (0.0, True)


def test_variables_stay_from_turn_to_turn_and_in_a_fork():
    env = started("step", 6, max_turns=20)
    env.step("<python>x = [len(steps)]</python>")
    twin = env.fork()
    env.step("<python>x.append(1)</python>")
    stored = pickle.loads(pickle.dumps(env))
    length = len(env.task.steps)
    assert f"[{length}]" in twin.step("<python>x</python>")[0]
    assert f"[{length}, 1]" in env.step("<python>x</python>")[0] == stored.step("<python>x</python>")[0]
    for e in (env, twin, stored):
        e.close()


def test_a_turn_that_runs_too_long_is_stopped_and_the_rest_stays(monkeypatch):
    env = started("step", 7, max_turns=20)
    env.session.limits = env.session.limits.__class__(wall_s=0.5, memory_mb=256)
    env.step("<python>y = 5</python>")
    assert "[" in env.step("<python>while True: pass</python>")[0]
    assert "5" in env.step("<python>y</python>")[0]
    gone = env.step("<python>import os; os._exit(1)</python>")[0]
    assert "was restarted" in gone
    assert str(len(env.task.steps)) in env.step("<python>len(steps)</python>")[0]


def test_what_is_done_in_the_interpreter_has_no_say():
    for kind in KINDS:
        env = started(kind, 8)
        text = env.solution()
        env.step(
            "<python>import builtins, os, sys\nfor p in os.listdir('.'):\n    open(p, 'w').write('x')\n"
            "sys.modules.clear()\nbuiltins.len = lambda x: 0</python>"
        )
        assert answered(env, text) == (1.0, True)


def test_hints_are_given_only_where_they_should_be():
    for kind, shown in (("line", "def "), ("function", "They are:"), ("input", "def "), ("step", "sound(n)")):
        for hints in (True, False):
            observation, _ = Debugging(kind=kind, hints=hints).reset(seed=1)
            assert (shown in observation) == hints


def test_an_answer_beside_a_tool_is_not_read():
    env = started("step", 9)
    observation, reward, *_ = env.step(f"<python>1 + 1</python><answer>{env.solution()}</answer>")
    assert reward == 0.0
    assert "2" in observation
    assert not env._over


def test_a_random_agent_guesses_well_formed_answers():
    rng = np.random.default_rng(2)
    for kind in KINDS:
        env = started(kind, 10, max_turns=1)
        kinds = set()
        for _ in range(12):
            twin = env.fork()
            info = twin.step(twin.sample_action(rng))[4]
            kinds.add("invalid_action" in info)
        assert kinds == {False}
