"""TestWriting: what is read of tests, what faulty programs are, the judgement and the feedback."""

import contextlib
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests._work import at_most, one_in
from turnwise.core.draw import Draw
from turnwise.core.env import seed_of
from turnwise.envs.code._writing_text import fenced
from turnwise.envs.code.test_writing import TestWriting as Writing
from turnwise.verifiers.code import same_value
from turnwise.worlds.programs.faults.special import SPECIAL
from turnwise.worlds.programs.library.domains import ALLOWED
from turnwise.worlds.programs.library.interface import interface, parameters, used_by
from turnwise.worlds.programs.library.programs import UNITS, draw_call, part_of
from turnwise.worlds.programs.library.trials import Asked, Wrong, draw_trial, running
from turnwise.worlds.programs.library.values import VALUES
from turnwise.worlds.programs.specifications.asserts import BadTests, Case, read_cases

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**11), 10**11) | st.text(st.characters(codec="ascii"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(st.integers(-9, 9) | st.text("ab", max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def read(text: str, most: int = 9) -> list[Case]:
    return read_cases(text, {"f": ("xs",), "g": ("a", "by")}, most, "mod")


# ---- reading --------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(PLAIN, PLAIN)
def test_literals_are_read_as_python_reads_them(argument: Any, expected: Any) -> None:
    text = f"assert f({argument!r}) == {expected!r}\n"
    if "\\x" in text or "\\r" in text:
        with pytest.raises(BadTests, match="escape"):
            read(text)
    else:
        case = read(text)[0]
        assert (case.arguments, case.expected) == ((argument,), expected)
        assert repr(case.arguments) == repr((argument,))


@pytest.mark.parametrize(
    "text",
    [
        "assert f([1, -2]) == {'a': 1}",
        "assert {'a': 1} == f([1, -2])",
        "assert (f(xs=[1, -2]) == {'a': 1}), 'it failed'",
        "assert f(\n    [1,\n     -2],  # a comment\n) == {\n    'a': 1}",
        "from solution import f\nimport pytest\n\ndef test_it():\n    '''Says it.'''\n    v = [1, -2]\n    assert "
        "f(v) == {'a': 1}",
        "class TestF(unittest.TestCase):\n    def test_it(self) -> None:\n        assert f([1, -2]) == {'a': "
        "1}\n\nunittest.main()",
        "def test_a():\n    assert f([1, -2]) == {'a': 1}\n\nif __name__ == '__main__':\n    test_a()\n    "
        "print('fine')",
        "pass; assert f([1, -2]) == {'a': (1)};",
        "import mod\n\nassert mod.f(xs=[1, -2]) == {'a': 1}",
    ],
)
def test_common_forms_are_read(text: str) -> None:
    assert [case[:3] for case in read(text)] == [("f", ([1, -2],), {"a": 1})]


@pytest.mark.parametrize(
    "text",
    [
        "", "assert True", "assert f(1)", "assert f(1) != 2", "assert f(1) is 1", "assert f(1) == f(1)",
        "assert not f(1)",
        "assert f(1) == 1 or True", "assert f(1) == 1 == 1", "assert f([0] * 9) == 1", "assert f(1, 2) == 3",
        "assert h(1) == 1", "assert other.f(1) == 1", "assert g(1) == 1", "assert g(1, 2, 3) == 1",
        "assert g(1, a=2) == 1", "assert g(by=1, 2) == 1", "assert g(1, to=2) == 1", "assert mod(1) == 1",
        "f(1) == 1", "x = f(1)", "for i in [1]:\n    assert f(i) == i",
        "try:\n    assert f(1) == 1",
        "with x: pass", "def f(xs):\n    return 1", "lambda: 0", "assert f(1) == 1, print('x')", "raise AssertionError",
        "if f(1) == 1:\n    pass", "@mark\ndef test_a():\n    assert f(1) == 1",
        "def test_a(tmp):\n    assert f(1) == 1",
        "assert f(y) == 1", "assert f({1}) == 1", "assert f({[]: 1}) == 1", "assert f('a' 'b') == 1",
        "assert f(r'a') == 1",
        "assert f('\\x41') == 1", "assert f('abc) == 1", "assert f(1e999999) == 1", "assert f(9999999999999) == 1",
        "exec('1')", "del f", "assert f(-'a') == 1", "assert f(" + "[" * 30 + "]" * 30 + ") == 1", "def test_a()",
        "assert (",
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(BadTests):
        read(text)


def test_number_and_size_of_tests_are_bounded() -> None:
    assert len(read("assert f(1) == 1\n" * 9)) == 9
    with pytest.raises(BadTests, match="10 tests"):
        read("assert f(1) == 1\n" * 10)
    with pytest.raises(BadTests, match="characters"):
        read("#" * 60_000)
    names = "x = [1]\n" + "".join(f"x{i} = [x{i - 1 if i else ''}, x{i - 1 if i else ''}]\n" for i in range(40))
    with pytest.raises(BadTests, match="values"):
        read(f"{names}assert f(x39) == 1")


@pytest.mark.parametrize(
    "text",
    ["[" * 40_000, "-" * 40_000, "'" * 40_001, "'\\" * 20_000, '"""\\' * 9_000, "a." * 20_000,
     "(" * 20_000 + ")" * 20_000,
     "\\\n" * 20_000, "1_" * 20_000, "assert f(" + "[1," * 12_000, "assert f(1) == 1\n" * 2_900],
)  # fmt: skip
def test_reading_is_linear(text: str) -> None:
    with at_most(millions=40):
        for prefix in ("", "assert f("):
            with pytest.raises(BadTests):
                read(prefix + text)


@settings(max_examples=200)
@given(st.text(st.sampled_from("assert f(1)='\"\\\n[]{},:-#xdeftestpass01.;")))
def test_no_text_makes_reading_fail_otherwise(text: str) -> None:
    with contextlib.suppress(BadTests):
        assert read(text)


# ---- faulty versions ------------------------------------------------------------------------------------------------


def test_arguments_may_be_named_and_in_any_order() -> None:
    for call in ("g(1, 2)", "g(1, by=2)", "g(a=1, by=2,)", "mod.g(by=2, a=1)"):
        assert read(f"assert {call} == 3") == [Case("g", (1, 2), 3, 1)]


def test_all_typical_arguments_are_allowed() -> None:
    draw = Draw("allowed", 1)
    kinds = {kind for unit in UNITS for signature in unit.functions.values() for kind in signature.arguments}
    assert kinds == set(ALLOWED)
    for kind in kinds:
        refused = sum(not ALLOWED[kind].holds(VALUES[kind](draw)) for _ in range(60))
        assert refused <= 1, kind


@pytest.mark.parametrize("number", one_in(8, range(len(UNITS))))
def test_every_faulty_version_is_told_by_the_kept_calls(number: int) -> None:
    draw = Draw("trial", number)
    functions = tuple(UNITS[number].functions)[:3]
    trial = next(found for _ in range(40) if (found := draw_trial(draw, number, 0, functions, Asked(4, 6))) is not None)
    assert len(trial.wrong) == 4
    assert len(trial.telling) <= 6
    assert {call.function.partition(".")[2] for call in trial.telling} <= set(functions)
    for wrong in trial.wrong:
        pairs = [(running(number, Wrong(0)), running(number, wrong), call) for call in trial.telling]
        assert any(right and bad and not same_value(right.outcome(c), bad.outcome(c)) for right, bad, c in pairs)


def test_special_faults_are_wrong_in_their_case_alone_and_as_many_as_asked() -> None:
    asked = Asked(6, 8, special=0.5)
    found = 0
    for number in range(0, len(UNITS), 5):
        trial = draw_trial(Draw("special", number), number, 0, tuple(UNITS[number].functions)[:4], asked)
        if trial is None:
            continue
        found += 1
        special = [wrong for wrong in trial.wrong if wrong.special]
        assert len(special) == 3
        part = part_of(number, 0)
        for wrong, call in itertools.product(special, part.calls):
            right, bad = running(number, Wrong(0)), running(number, wrong)
            assert right is not None
            assert bad is not None
            if not SPECIAL[wrong.special].holds(call.args):
                assert same_value(right.outcome(call), bad.outcome(call))
    assert found >= 2


def test_special_cases_are_what_their_words_say() -> None:
    def cases(*args: Any) -> set[str]:
        return {name for name, case in SPECIAL.items() if case.holds(args)}

    assert cases([3, 1, 3]) == {"repeated", "around", "falling"}
    assert cases([1, 1, 2, 5, 6, 7, 8], 7) == {"long list", "repeated", "neighbours", "ordered", "within", "length"}
    assert cases("anna") == set()
    assert cases("(())", 2) == {"doubled"}
    assert cases("a/b/a" * 5) == {"long text", "doubled", "same ends"}
    assert cases(6, 3) == {"smaller", "multiple"}
    assert cases([4], 4) == {"alone", "within"}
    assert cases(5, 5) == {"equal", "multiple"}


def test_what_an_interface_says_decides_what_the_module_does() -> None:
    for number, unit in enumerate(UNITS):
        seen: dict[str, int] = {}
        for variant in range(unit.num_variants):
            shown = interface(part_of(number, variant).source)
            first = seen.setdefault(shown, variant)
            if first != variant:
                assert part_of(number, variant).source == part_of(number, first).source, unit.name


def test_interfaces_show_docstrings_and_no_code() -> None:
    names = [unit.name for unit in UNITS]
    source = part_of(names.index("ledger"), 0).source
    shown = interface(source)
    assert "_booked" not in shown and "for kind" not in shown
    assert all(f"def {name}(" in shown for name in ("deposit", "balances", "history"))
    assert shown.count("...") == 8
    compile(shown, "shown", "exec")
    assert parameters(source, ["history"]) == {"history": ("payments", "name")}
    assert used_by(source, ["refusals"]) == ["Ledger", "_booked", "balances", "refusals"]


# ---- the environment ------------------------------------------------------------------------------------------------


def made(seed: int = 0, **options: Any) -> Writing:
    env = Writing(**options)
    env.reset(seed=seed)
    return env


def test_what_is_shown() -> None:
    env = Writing(show="source")
    question, _ = env.reset(seed=3)
    assert env.reference().strip() in question
    assert env.step(env.oracle())[1] == 1.0
    question, _ = Writing().reset(seed=3)
    assert "    ..." in question and "    return" not in question


def test_requests_name_at_most_two_special_cases() -> None:
    env = Writing(difficulty=8)
    for seed in range(3):
        question, _ = env.reset(seed=seed)
        named = [case.words for case in SPECIAL.values() if case.words in question]
        assert len(named) == min(2, len({wrong.special for wrong in env.task.faulty} - {""}))
    assert "special case" not in Writing(difficulty=3).reset(seed=0)[0]


def test_feedback_counts_wrong_tests_and_survivors() -> None:
    env = made(max_turns=5)
    right = env.lines("assert {call} == {result}").split("\n")[0]
    spoiled = right.partition(" == ")[0] + " == 'no'"
    told = env.step(fenced(f"{right}\n{spoiled}"))[0]
    assert "1 of your 2 tests are wrong (on the lines 2)" in told
    told = env.step(fenced(spoiled))[0]
    assert told.endswith("6 of 6 faulty versions pass all your other tests.")
    env = made(max_turns=5, feedback="counts")
    assert "on the lines" not in env.step(fenced(spoiled))[0]
    env = made(max_turns=5, feedback="none")
    assert env.step(fenced(spoiled))[0] == "Wrong."


def test_arguments_beyond_the_request_are_refused() -> None:
    for seed in range(6):
        env = made(seed, max_turns=9)
        form = env.lines("{module}.{name}(BAD{rest}) == 1").split("\n")[0]
        for argument in ("10**9", "1.5", "None", "{}", "'\\n'", "True", str([1] * 99), "(1, 2, 3, 4, 5)"):
            told, reward, _, _, info = env.step(fenced(f"assert {form.replace('BAD', argument)}"))
            assert "cannot be used" in told
            assert reward == 0.0
            assert info["invalid_action"]


def test_arguments_that_the_right_version_refuses_are_no_tests() -> None:
    number = [unit.name for unit in UNITS].index("versions")
    env = made(max_turns=5)
    while env.task.unit != number or "compare" not in env.task.functions:
        env.reset()
    name = next(name for name, own in env.own.items() if own == "compare")
    told = env.step(fenced(f"assert {name}('1.x', '1') == 0"))[0]
    assert "must be a version" in told
    told = env.step(fenced(f"assert {name}('1.2.3.4', '1') == 0"))[0]
    assert "the correct version raises ValueError for these arguments" in told


def test_one_wrong_test_spoils_all_and_kill_rate_forgives() -> None:
    settings = {"num_faulty": 10, "num_functions": 3}
    seed = next(s for s in range(99) if len(made(s, **settings).task.telling) > 2)
    env = made(seed, **settings)
    first = fenced(env.lines("assert {call} == {result}").split("\n")[0])
    assert env.step(first)[1] == 0.0
    env = made(seed, kill_rate=0.1, **settings)
    assert env.step(first)[1] == 1.0
    env = made(seed, partial=0.5, **settings)
    assert 0.0 < env.step(first)[1] < 0.5
    env = made(seed, kill_rate=0.1, **settings)
    assert env.step(env.filled("assert {call} == {result}\nassert {call} == [{result}]"))[1] == 0.0


def test_partial_credit_grows_with_the_best_only() -> None:
    seed = next(s for s in range(99) if len(made(s, num_faulty=8).task.telling) > 2)
    env = made(seed, num_faulty=8, partial=0.5, max_turns=5)
    first = fenced(env.lines("assert {call} == {result}").split("\n")[0])
    gain = env.step(first)[1]
    assert 0.0 < gain < 0.5
    assert env.step(first)[1] == 0.0
    assert env.step(env.oracle())[1] == pytest.approx(1.0 - gain)


_LONGEST: dict[str, Any] = {
    "text": "z 9" * 26, "spans": [(0, 99)] * 8, "edges": [(0, 9),
    (9, 8)] * 6, "grid": [[99] * 6] * 6, "parents": [-1, *range(11)],
    "expression": "(" * 30 + "9" + ")" * 30, "brackets": "()" * 10, "ballots": [["a", "b", "c", "d", "e", "f"]] * 8,
    "jobs": [(f"j{i}", 20, 9) for i in range(8)], "cache steps": [("put", "a", 9), ("get", "b", 1)] * 10,
    "payments": [("move", "a:b", 99)] * 12, "csv line": '"' * 80, "csv lines": ["," * 60] * 8,
    "durations": ["9999d 9999h"] * 6, "ini lines": ["a = " + "b" * 36] * 12, "query": "a=&" * 26,
    "titles": ["a b c d e f g h i j k l m n o p q r s t"] * 8, "log lines": ["09:00 ERROR web: " + "x" * 40] * 12,
    "tickets": [(f"T{i}", 9, 20) for i in range(8)], "times": [0] * 14 + [999],
    "naturals": [99] * 12, "words": ["a", "b"] * 6, "shifts": [(6, 1439, 1438)] * 8,
    "results": [("a", "b", 20, 20), ("b", "c", 1, 0)] * 5, "visits": [("u", i * 70) for i in range(14)],
}  # fmt: skip


@pytest.mark.parametrize("number", one_in(8, range(len(UNITS))))
def test_the_largest_arguments_are_judged_fast(number: int) -> None:
    draw, part = Draw("largest", number), part_of(number, 0)
    version = running(number, Wrong(0))
    assert version is not None
    for name, signature in part.signatures.items():
        call = draw_call(draw, part, name)
        arguments = [_LONGEST.get(kind, value) for kind, value in zip(signature.arguments, call.args, strict=True)]
        assert all(ALLOWED[kind].holds(value) for kind, value in zip(signature.arguments, arguments, strict=True))
        with at_most(millions=3):
            outcome = version.outcome(call.of(call.function, arguments))
        assert outcome[0] == "returned" or outcome[1] == "ValueError", (name, outcome)


def test_levels_ask_for_more_functions_and_rarer_faults() -> None:
    rows = Writing.levels
    for row, harder in itertools.pairwise(rows):
        assert row["num_functions"] <= harder["num_functions"]
        assert row["num_faulty"] <= harder["num_faulty"]
        assert row["rare"] >= harder["rare"]
        assert row["common"] >= harder["common"]
        assert row["special"] <= harder["special"]
    env = Writing(difficulty=8)
    for seed in range(3):
        env.reset(seed=seed_of("rare", seed))
        assert len(env.task.telling) <= env.max_tests
        assert env.step(env.oracle())[1] == 1.0
