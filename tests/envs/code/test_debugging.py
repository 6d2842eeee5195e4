"""Debugging: each question has the answer it should have; right ones are paid however they were found."""

import dis
import pickle
import random
import re
import types
from collections import Counter

import numpy as np
import pytest

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.envs.code.debugging import Debugging
from turnwise.verifiers.code import same_value
from turnwise.worlds.programs.debugging import kinds as _debug_kinds
from turnwise.worlds.programs.debugging.domains import DOMAINS
from turnwise.worlds.programs.debugging.kinds import FunctionTask, InputTask, LineTask, StepTask, Unclear
from turnwise.worlds.programs.debugging.systems import SYSTEMS, loaded_source
from turnwise.worlds.programs.faults.mutations import functions
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
    told = env.step(
        "<python>s = System()\nfor i, step in enumerate(steps):\n    s.apply(step)\n    if not sound(s):\n"
        "        break\nprint(i)</python>"
    )[0]
    number = told.removeprefix("<tool_response>").removesuffix("</tool_response>").strip()
    assert answered(env, f"step {number}") == (1.0, True)
    env = started("step", 1, hints=False)
    assert "NameError" in env.step("<python>sound(system)</python>")[0]


def test_exactly_one_function_is_wrong_by_itself():
    env = Debugging(kind="function")
    for seed in range(6):
        env.reset(seed=seed)
        task = env.task
        assert isinstance(task, FunctionTask)
        assert task.solution in task.candidates
        assert len(task.candidates) >= _debug_kinds.MIN_FUNCTIONS
        right = {f"{m}.{f.name}": f for m, s in task.names.files(task.program.files).items() for f in functions(s)}
        assert all(f"{c.partition('.')[0]}.py.{c.partition('.')[2]}" in right for c in task.candidates)
        part = task.program.parts[task.fault.file]
        assert part.fails([task.fault.edit])


def test_functions_may_be_named_shortly_where_that_is_clear():
    env = started("function", 2)
    short = env.task.solution.rpartition(".")[2]
    same = [c for c in env.task.candidates if c.endswith(f".{short}")]
    assert answered(env, short + "()") == ((1.0, True) if len(same) == 1 else (0.0, False))
    for text in ("", "no.such", "."):
        with pytest.raises(Unclear):
            env.task.read(text)


@pytest.mark.parametrize("kind", ["function", "input", "step"])
def test_the_prompt_says_what_is_left_of_hidden_sources(kind):
    """The text is nowhere; the bytecode is there, and said to be."""
    env = started(kind, 3, max_turns=20)
    assert re.search("no source|source is not available", env.observation) and "bytecode" in env.observation
    found = env.step(f"<python>{_READER}</python>")[0]
    assert "RESUME" in found or "LOAD_FAST" in found
    assert "no source: True" in found and "remembered: ['<turn 2>']" in found


def test_odd_bytecode_does_not_give_the_function_away():
    env = Debugging(kind="function", size=4)
    hits = 0
    for seed in range(30):
        env.reset(seed=seed)
        hits += _oddest(env.task) == env.task.solution
    assert hits <= 6


_READER = """
import dis, gc, inspect, linecache, types
functions = [x for x in gc.get_objects() if isinstance(x, types.FunctionType) and x.__code__.co_filename[0] == '<'
             and 'frozen' not in x.__code__.co_filename and 'turn' not in x.__code__.co_filename]
dis.dis(functions[0])
try:
    print(inspect.getsource(functions[0]))
except OSError:
    print('no source: True')
print('remembered:', sorted(name for name in linecache.cache if name.startswith('<')))
"""


def _oddest(task: FunctionTask) -> str:
    """The function with most pairs of instructions that no other one has: what can be done without understanding."""
    codes = {}

    def walk(code, name):
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                walk(constant, f"{name}.{constant.co_name}")
        codes[name] = [instruction.opname for instruction in dis.get_instructions(code)]

    for module, source in task.modules.items():
        walk(compile(source, module, "exec"), module)
    pairs = {name: set(zip(codes[name], codes[name][1:], strict=False)) for name in task.candidates}
    count = Counter(pair for name in pairs for pair in pairs[name])
    return max(pairs, key=lambda name: sum(count[pair] == 1 for pair in pairs[name]) / max(1, len(pairs[name])))


def test_source_of_hidden_modules_is_not_at_hand():
    env = started("function", 3)
    module = sorted(env.task.modules)[0]
    assert "Error" in env.step(f"<python>import inspect; inspect.getsource({module})</python>")[0]
    assert module in env.step("<python>import sys; print(sorted(m for m in sys.modules))</python>")[0]
    assert "[]" in env.step("<python>import os; print(os.listdir('.'))</python>")[0]


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
    for kind, shown in (("line", "def "), ("function", "They are:"), ("input", "def "), ("step", "sound(system)")):
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
