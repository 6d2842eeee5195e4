"""CodeOutput: the programs, the reader of literals, what is asked, and the verdicts against the sandbox."""

import ast
import doctest
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.envs.code import code_output
from turnwise.envs.code.code_output import CodeOutput
from turnwise.sandbox import Program as Run
from turnwise.sandbox import shared_sandbox, use_sandbox
from turnwise.worlds.programs.generated import literal as _program_literal
from turnwise.worlds.programs.generated.domain import ALPHABETS, Domain
from turnwise.worlds.programs.generated.functions import Function, draw_function, function_names
from turnwise.worlds.programs.generated.literal import LiteralError, read_literal, same, written
from turnwise.worlds.programs.generated.running import TooLong, Watched, points_of
from turnwise.worlds.programs.generated.scripts import load_scripts
from turnwise.worlds.programs.generated.templates import Filling

SEEDS = st.integers(0, 2**40)


# ---- programs ------------------------------------------------------------------------------------------------------


def extremes(domain: Domain) -> list[object]:
    """Members at the edges of a domain."""
    if domain.kind == "int":
        return [domain.low, domain.high, (domain.low + domain.high) // 2]
    if domain.kind == "ints":
        rising = [min(domain.low + place, domain.high) for place in range(domain.most)]
        items = (domain.low, domain.high, max(domain.low, 0))
        return [rising, *([item] * size for item in items for size in (domain.least, domain.most))]
    if domain.kind == "words":
        return [["a" * domain.low] * domain.least, ["z" * domain.high] * domain.most]
    signs = ALPHABETS[domain.alphabet][1].strip()
    return [sign * size for sign in (signs[0], signs[-1]) for size in (domain.least, domain.most)]


@cache
def functions() -> list[Function]:
    """Every function, in several variations and with lists of several lengths."""
    found = [draw_function(Draw("functions", number), 4 + number % 6) for number in range(2500)]
    assert {function.name for function in found} == set(function_names())
    return found


def test_names_tell_functions_and_programs_apart() -> None:
    assert len(function_names()) == len(set(function_names())) > 120
    assert len({script.name for script in load_scripts()}) == len(load_scripts()) > 25


@settings(max_examples=400)
@given(st.integers(0, 2499), SEEDS)
def test_functions_end_on_all_of_their_domain_and_change_nothing_of_it(number: int, seed: int) -> None:
    function = functions()[number]
    run = Watched(function.source, function.name)
    draw = Draw.of(random.Random(seed).random)
    edges = [extremes(domain) for _, domain in function.parameters]
    tries = [tuple(domain.draw(draw) for _, domain in function.parameters) for _ in range(4)]
    for args in [*list(product(*edges))[:12], *tries]:
        for (_, domain), arg in zip(function.parameters, args, strict=True):
            assert domain.holds(arg), (domain, arg)
        before = repr(args)
        value = run.call(*args)
        assert repr(args) == before, function.source
        assert same(read_literal(repr(value)), value)
        assert repr(run.call(*args)) == repr(value)


def test_functions_use_what_they_are_given_and_nothing_is_left_open() -> None:
    for function in functions()[:600]:
        tree = ast.parse(function.source)
        main = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function.name)
        read = {n.id for n in ast.walk(main) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        arguments = [arg.arg for arg in main.args.args]
        assert arguments[: len(function.parameters)] == [name for name, _ in function.parameters]
        assert set(arguments) <= read, function.source
        assert "{%" not in function.source
        assert not re.search("~| $", function.source, re.MULTILINE), function.source


def test_a_program_that_does_not_end_is_stopped() -> None:
    with pytest.raises(TooLong):
        Watched("def f():\n    while True:\n        pass\n", "f").call()


def test_statements_are_counted_and_changes_in_loops_are_found() -> None:
    source = """\
def f(numbers):
    total, seen = 0, []
    for number in numbers:
        if number > 1:
            total += number
        seen.append(total)
    for number in numbers:
        if number:
            continue
        total += 1
    return total
"""
    run = Watched(source, "f")
    assert run.call([1, 2]) == 2
    assert run.steps == 1 + 1 + (2 + 3) + 1 + 2 * 2 + 1
    points = points_of(source, "f")
    assert [(point.loop, point.name) for point in points] == [(3, "seen"), (3, "total")]
    watched = Watched(source, "f", points[1])
    watched.call([1, 2, 3])
    assert watched.log == ["0", "2", "5"]


def test_choices_and_data_are_filled_in() -> None:
    def filled(text: str, seed: int = 1) -> str:
        return Filling(Draw("filled", seed), 3).fill(text)

    assert {filled("{%kind=even|odd%} {%kind?0|1%}", seed) for seed in range(9)} == {"even 0", "odd 1"}
    assert {filled("{%2|3%}-{%2|3%}", seed) for seed in range(9)} == {"2-2", "3-3"}
    assert re.fullmatch(r"    (\d, ){2}\d", filled("    ~ <1..9 *>"))
    assert re.fullmatch(r"[ab]{3}", filled("~ <a|b +>"))
    rows = filled("~* <+2..2> <clock 5..5> <date 1..1>")
    assert rows == "2 08:05 2024-01-09\n4 08:10 2024-01-10\n6 08:15 2024-01-11"
    assert set(filled("~2 <x|y!>").split()) == {"x", "y"}
    assert len(set(filled("~2 <name/2!>\n~2 <name/2!>").split())) == 2
    assert len(set(filled("~ <name@0> <name@1> <name@2> <name@3>\n~9 <name>").split())) == 4
    assert filled("~/3 <5..5>") == "5"


@given(SEEDS, st.sampled_from(["int", "ints", "str", "words"]), st.sampled_from(sorted(ALPHABETS)))
def test_domains_hold_what_they_draw_and_nothing_else(seed: int, kind: Any, alphabet: str) -> None:
    domain = Domain(kind, 3, 8, 2, 5, alphabet)
    assert domain.holds(domain.draw(Draw.of(random.Random(seed).random)))
    assert not domain.holds(domain.beyond())
    for value in (True, 5.0, None, (4, 4), "A\u00e9", " a", "a  b", ["a"], [4, True], [4], {}, [[4]], ["abc", 4], 2, 9):
        assert not domain.holds(value), value


# ---- literals ------------------------------------------------------------------------------------------------------

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.integers() | st.text(), inner, max_size=4)
        | st.sets(st.integers() | st.text(), min_size=1, max_size=3)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_every_plain_value_is_read_as_python_does(value: object) -> None:
    text = repr(value)
    if "inf" not in text:
        assert same(read_literal(text), value)
        assert same(read_literal(f" ( {text} ) "), value)
        assert same(read_literal(f"{text},"), (value,))


@settings(max_examples=500)
@given(
    st.lists(
        st.sampled_from(["1", "-", "+", "2.5", "'", '"', "a", "[", "]", "(", ")", "{", "}", ",", ":", " ", "\\", "True",
                         "None", "_", "0x", "e", "'a'", "#", ".", "u", "b", "*", "or", "if", "f("]),
        max_size=9,
    ).map("".join)
)  # fmt: skip
def test_what_is_read_is_what_python_reads(text: str) -> None:
    try:
        value = read_literal(text)
    except LiteralError:
        return
    assert same(value, ast.literal_eval(text.strip()))


@pytest.mark.parametrize(
    "text",
    ["f(3)", "2+3", "1 2", "3  # or 4", "[1 2]", "1,,2", "[,]", "01", "1__0", "_1", "a", "[1", "1]", "{1: 2, 3}",
     "{[1]}", "--1", "'a", "'a\nb'", "b'a'", "f'a'", "1 if 2 else 3", "1 or 2", "1j", "1+2j", "...", "set()", "True1",
     "*1", "[*[1]]", "not 1", "1;2", "lambda: 1", "[1][0]", "'a'\n'b'", "'a' * 3", "٣", "１", "'\\q'", "'\\N{DASH}'",
     "", "(,)", "-", "[" * 9_000, "(" * 21 + "1" + ")" * 21, "1" * 301, "1," * 6_000, "'" * 9_001, "'\\U00110000'",
     "-True", "{**{}}"],
)  # fmt: skip
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(LiteralError):
        read_literal(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("[1,2]", [1, 2]), ("[ 1 ,\n2, ]", [1, 2]), ("1_000", 1000), ("+5", 5), ("0x1F", 31), ("3, 'a'", (3, "a")),
     ('"it\'s"', "it's"), ("'''a'''", "a"), ("'a' 'b'", "ab"), ("'\\x41\\n'", "A\n"), ("{'a': 1,}", {"a": 1}),
     ("1e3", 1000.0)],
)  # fmt: skip
def test_layout_does_not_matter(text: str, value: object) -> None:
    assert same(read_literal(text), value)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (0, False), ([1], (1,)), ("1", 1), ({1: 2}, {True: 2}), ([[0]], [[False]]), ({1}, {1.0}),
     ({"a": 1}, {"a": 1, "b": 2}), ("a", "A"), ([], ()), (None, False)],
)  # fmt: skip
def test_types_are_compared(one: object, other: object) -> None:
    assert not same(one, other)
    assert not same(other, one)
    assert same(one, one)


def test_the_order_of_a_dictionary_does_not_matter() -> None:
    assert same({"a": 1, "b": [2]}, {"b": [2], "a": 1})


@given(PLAIN)
def test_what_is_written_in_another_style_is_the_same(value: object) -> None:
    if not any(sign in repr(value) for sign in ("\\", '"', "inf")):
        assert same(read_literal(written(value, quote='"', comma=",", trailing=True)), value)


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(_program_literal).failed == 0


# ---- verdicts ------------------------------------------------------------------------------------------------------


def env_of(**knobs: Any) -> CodeOutput:
    return CodeOutput(**knobs)


def answer(env: CodeOutput, text: str) -> tuple[str, float, bool]:
    said, reward, _, _, info = env.fork().step(text)
    return said, reward, bool(info.get("invalid_action"))


def test_the_value_asked_for_is_what_the_sandbox_finds() -> None:
    source = []
    wanted = []
    for number in range(200):
        env = env_of(mode="output", difficulty=1 + number % 10)
        env.reset(seed=seed_of("agree", number))
        space = f"space = {{}}\nexec({env.task.source!r}, space)\n"
        source.append(f"{space}print(repr(space[{env.task.name!r}](*{env.task.args})))\n")
        wanted.append(env.task.result)
    found = shared_sandbox().run(Run("".join(source)))
    assert found.ok, found.stderr
    assert found.stdout.splitlines() == wanted


@pytest.mark.parametrize("number", range(12))
def test_every_input_that_gives_the_value_counts_and_no_other(number: int) -> None:
    """Over all of a small domain, against a run in this process."""
    env = env_of(form="expression", mode="input", max_number=12)
    env.reset(seed=number)
    space: dict[str, Any] = {}
    exec(env.task.source, space)
    domains = [range(domain.low, domain.high + 1) for _, domain in env.task.parameters]
    every = list(product(*domains))
    right = [args for args in every if repr(space[env.task.name](*args)) == env.task.result]
    wrong = [args for args in every if args not in right]
    assert 0 < len(right) < len(every)
    pick = random.Random(number)
    for args in right[:10] + pick.sample(wrong, min(len(wrong), 15)):
        said, reward, invalid = answer(env, f"<answer>{', '.join(map(repr, args))}</answer>")
        assert reward == (1.0 if args in right else 0.0), (args, said)
        assert not invalid
    outside = tuple(domain.beyond() for _, domain in env.task.parameters)
    said, reward, invalid = answer(env, f"<answer>{', '.join(map(repr, outside))}</answer>")
    assert (reward, invalid) == (0.0, True)
    assert "must be an integer from" in said


def test_an_input_of_another_kind_is_no_input() -> None:
    env = env_of(mode="input", steps=12)
    env.reset(seed=next(s for s in range(50) if _reset(env, s) == ["ints"]))
    assert answer(env, env.oracle())[1] == 1.0
    items = env.args()[0]
    for text in (repr(tuple(items)), repr([float(i) for i in items]), repr(items + [100] * 9), f"{items!r}, 1", "[]",
                 repr([True, *items[1:]]), f"{{{items[0]}}}", f"[{items!r}]", f"list({items!r})"):  # fmt: skip
        said, reward, invalid = answer(env, f"<answer>{text}</answer>")
        assert (reward, invalid) == (0.0, True), (text, said)


def _reset(env: CodeOutput, seed: int) -> list[str]:
    env.reset(seed=seed)
    return [domain.kind for _, domain in env.task.parameters]


@pytest.mark.parametrize("mode", ["output", "trace"])
def test_a_value_counts_by_what_it_is(mode: str) -> None:
    env = env_of(mode=mode)
    for seed in range(40):
        env.reset(seed=seed)
        result = read_literal(env.task.result)
        for text in (env.task.result, written(result, quote='"', comma=",", trailing=True), f"({env.task.result})"):
            assert answer(env, f"<answer>{text}</answer>")[1] == 1.0
        for text in (env.other_types(), env.beyond(), f"{env.task.result},", repr(env.task.result), env.call()):
            assert answer(env, f"<answer>{text}</answer>")[1] == 0.0, text


def test_a_variable_is_traced_as_a_debugger_shows_it() -> None:
    env = env_of(mode="trace", difficulty=5)
    for seed in range(25):
        env.reset(seed=seed)
        task = env.task
        lines = task.source.split("\n")
        indent = len(lines[task.loop - 1]) - len(lines[task.loop - 1].lstrip())
        last = next(
            (i for i in range(task.loop, len(lines)) if lines[i] and len(lines[i]) - len(lines[i].lstrip()) <= indent),
            len(lines),
        )
        watched = f"{' ' * (indent + 4)}_met.append(repr({task.variable}))"
        space: dict[str, Any] = {"_met": []}
        exec("\n".join([*lines[:last], watched, *lines[last:]]), space)
        space[task.name](*env.args())
        assert space["_met"][task.rounds - 1] == task.result
        assert lines[task.loop - 1].strip() in env.begin()


@pytest.mark.parametrize("level", range(1, 6))
def test_results_say_something_and_depend_on_the_input(level: int) -> None:
    env = env_of(difficulty=level, mode="output")
    results = []
    for seed in range(30):
        env.reset(seed=seed)
        results.append(env.task.result)
        assert len(env.task.result) <= 100
        assert env.task.result not in ("0", "1", "[]", "''", "{}", "None")
        assert env.task.result not in map(repr, env.args())
        exec(env.task.source, space := {})
        draw = Draw.of(random.Random(seed).random)
        others = {repr(space[env.task.name](*(d.draw(draw) for _, d in env.task.parameters))) for _ in range(20)}  # type: ignore[operator]
        assert len(others) > 3, env.task.source
    assert len(set(results)) > 20


def test_feedback_over_turns_says_what_came_out() -> None:
    env = env_of(form="expression", mode="input", max_number=30, max_turns=3)
    env.reset(seed=3)
    args = env.args()
    wrong = tuple(a - 1 if a else a + 1 for a in args)
    shown = ", ".join(map(repr, wrong))
    said = env.step(f"<answer>{shown}</answer>")[0]
    assert said.startswith(f"f({shown}) returns ")
    assert said.endswith(f", not {env.task.result}.")
    assert env.step(env.oracle())[1] == 1.0
    bare = CodeOutput(**env.settings() | {"rules": False})
    bare.reset(seed=3)
    assert bare.step(shown)[0].startswith(f"f({shown}) == ")
    assert bare.step(bare.oracle())[1] == 1.0


def test_a_sandbox_that_fails_is_not_the_agents_fault() -> None:
    class Failing:
        def run(self, *_: object) -> object:
            raise InfrastructureError("gone")

        def close(self) -> None: ...

    use_sandbox(Failing(), "failing-for-code-output")  # type: ignore[arg-type]
    env = env_of(mode="input", sandbox="failing-for-code-output")
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(env.oracle())
    assert (reward, terminated, truncated, info["reward_valid"]) == (0.0, False, True, False)


def test_an_expression_has_no_loop_to_trace() -> None:
    with pytest.raises(SettingsError, match="trace"):
        env_of(form="expression", mode="trace")


def test_settings_without_programs_say_what_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_output, "draw_task", lambda *_: None)
    with pytest.raises(SettingsError, match="steps=400"):
        env_of(steps=400).reset(seed=1)


@pytest.mark.parametrize("level", range(1, 11))
def test_about_as_many_statements_are_executed_as_asked_for(level: int) -> None:
    env = env_of(difficulty=level)
    for seed in range(15):
        env.reset(seed=seed)
        run = Watched(env.task.source, env.task.name)
        run.call(*env.args())
        assert 0.6 * env.steps <= run.steps <= 1.6 * env.steps


def test_what_is_asked_tells_tasks_apart() -> None:
    env = env_of(mode="trace", difficulty=5)
    env.reset(seed=1)
    task = env.task
    ids = {
        env.identity(replace(task, **change)) for change in ({}, {"rounds": 90}, {"variable": "x"}, {"args": "(1,)"})
    }
    assert len(ids) == 4
    assert env.identity(replace(task, result="7")) == env.identity(task)
    inverse = replace(task, mode="input")
    assert env.identity(replace(inverse, args="(1,)")) == env.identity(inverse) != env.identity(task)
    assert env.identity(replace(inverse, result="7")) != env.identity(inverse)


@pytest.mark.parametrize("steps", [4, 25, 100])
@pytest.mark.parametrize("mode", ["output", "input", "mixed"])
def test_small_and_odd_settings_have_tasks(mode: str, steps: int) -> None:
    for form, length in (("function", 3 if steps < 100 else 8), ("expression", 3), ("function", 12)):
        env = env_of(mode=mode, form=form, steps=steps, length=length, max_number=5)
        for seed in range(3):
            env.reset(seed=seed)
            assert env.step(env.oracle())[1] == 1.0


CALLS: list[Callable[[CodeOutput], str]] = [lambda env: env.call(), lambda env: f"{env.right()} + 0"]


@pytest.mark.parametrize("mode", ["output", "input", "trace"])
def test_code_is_no_answer(mode: str) -> None:
    env = env_of(mode=mode)
    env.reset(seed=5)
    for make in CALLS:
        said, reward, invalid = answer(env, f"<answer>{make(env)}</answer>")
        assert (reward, invalid) == (0.0, True)
        assert "not a Python literal" in said
