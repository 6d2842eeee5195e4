"""Attacks earn nothing, odd but right programs earn everything, on every backend; and the attacks do bite."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests._work import at_most, one_in
from tests.verifiers.code import naive
from tests.verifiers.code.attacks import ATTACKS
from tests.verifiers.code.attacks_stdio import MESSAGES, STDIO_ATTACKS
from tests.verifiers.code.odd import ODD, ODD_MESSAGES
from tests.verifiers.code.targets import ASSERTS, CASES, EXCHANGES, RIGHT, verify
from turnwise.core.errors import InfrastructureError, MissingDependencyError
from turnwise.sandbox import Limits, Sandbox, make_sandbox
from turnwise.sandbox.backends.bundle import write
from turnwise.sandbox.wire.values import ValueFormatError, decode
from turnwise.verifiers.code import Example, candidate, read_program, unordered, verify_asserts, verify_function

PATIENT = Limits(wall_s=20, memory_mb=256, output_bytes=65536)  # for right programs, on a busy machine
WRONG = {"list": "[-77]", "float": "-77.5", "text": "'no'", "dict": "{'q': -7}"}
# graders that pay whatever is of a kind, right or wrong
CARELESS = {"exit", "skip", "pattern", "marker", "tests"}


@contextlib.contextmanager
def remote(folder: Path) -> Iterator[Sandbox]:
    """A sandbox behind a server on loopback."""
    write(folder)
    token = secrets.token_urlsafe(24)
    command = [sys.executable, "-S", "-P", "-m", "turnwise.sandbox", "--port", "0", "--workers", "1"]
    environment = {"PYTHONPATH": str(folder), "PATH": os.environ["PATH"], "TURNWISE_SANDBOX_TOKEN": token}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout
            with make_sandbox("remote", urls=json.loads(server.stdout.readline())["url"], token=token) as made:
                yield made
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def embedded() -> Iterator[Sandbox]:
    try:
        made = make_sandbox("embedded", workers=1)
    except InfrastructureError as error:
        pytest.skip(f"no embedded sandbox here: {error}")
    with made:
        yield made


@pytest.fixture(scope="module", params=["docker", "remote"])
def other(request, tmp_path_factory) -> Iterator[Sandbox]:
    with contextlib.ExitStack() as stack:
        try:
            if request.param == "remote":
                made = stack.enter_context(remote(tmp_path_factory.mktemp("bundle")))
            else:
                made = stack.enter_context(make_sandbox("docker", workers=1))
        except (InfrastructureError, MissingDependencyError, ImportError) as error:
            pytest.skip(f"no {request.param} sandbox here: {error}")
        yield made


@pytest.fixture(autouse=True)
def _soon(monkeypatch) -> None:
    monkeypatch.setattr(candidate, "_LOAD_S", 0.5)


def rows(table: list) -> list:
    return [pytest.param(row, target, id=f"{row.name}-{target}") for row in table for target in row.on]


def problem(attack, target: str, sandbox: Sandbox) -> str:
    """What is wrong with the verdict on an attack."""
    try:
        verdict = verify(target, attack.source, sandbox, all_tests=target not in ("int", "general"))
        verdict.reason.encode()  # lone surrogates cannot be written anywhere
    except Exception as error:
        return f"{attack.name} on {target}: raised {type(error).__name__}: {error}"
    if verdict.correct or verdict.score >= 1 or verdict.undecided or not verdict.reason:
        return f"{attack.name} on {target}: {verdict.correct, verdict.score, verdict.undecided, verdict.reason}"
    return ""


@pytest.mark.parametrize(("attack", "target"), one_in(6, rows([*ATTACKS, *STDIO_ATTACKS])))
def test_attacks_earn_nothing(embedded, attack, target):
    assert problem(attack, target, embedded) == ""


@pytest.mark.parametrize(("odd", "target"), one_in(3, rows(ODD)))
def test_odd_programs_are_right(embedded, odd, target):
    verdict = verify(target, odd.source, embedded, PATIENT)
    assert verdict.correct, verdict


@pytest.mark.slow
def test_other_backends_pay_no_attack(other):
    """The runner inside is the embedded one's, so every fourth attack is enough to see that it is that one."""
    problems = [problem(row, target, other) for row in [*ATTACKS, *STDIO_ATTACKS][::4] for target in row.on]
    assert list(filter(None, problems)) == []


@pytest.mark.slow
def test_other_backends_take_odd_programs(other):
    verdicts = {(row.name, target): verify(target, row.source, other, PATIENT) for row in ODD for target in row.on}
    assert {name: verdict for name, verdict in verdicts.items() if not verdict.correct} == {}


@pytest.mark.parametrize("attack", one_in(6, (pytest.param(row, id=row.name) for row in ATTACKS if row.beats)))
def test_attacks_beat_a_naive_grader(embedded, attack):
    if attack.beats == "process":
        try:
            embedded.layers_of("shell")
        except InfrastructureError as error:
            pytest.skip(f"no processes in the sandbox here: {error}")
    assert naive.pays_function(attack.beats, attack.source, attack.on[0], embedded)


@pytest.mark.parametrize("attack", one_in(6, (pytest.param(row, id=row.name) for row in STDIO_ATTACKS if row.beats)))
def test_outputs_beat_a_naive_grader(embedded, attack):
    assert naive.pays_output(attack.beats, attack.source, attack.on[0], embedded)


USED = sorted({(row.beats, row.on[0]) for row in ATTACKS if row.beats and row.on[0] not in ASSERTS})
USED_OUTPUT = sorted({(row.beats, row.on[0]) for row in STDIO_ATTACKS if row.beats})


@pytest.mark.parametrize(("grader", "target"), USED)
def test_naive_graders_tell_right_from_wrong(embedded, grader, target):
    assert naive.pays_function(grader, RIGHT.get(target, RIGHT["int"]), target, embedded)
    if grader not in CARELESS:
        wrong = f"def solve(values): return {WRONG.get(target, '-77')}"
        assert not naive.pays_function(grader, wrong, target, embedded)


@pytest.mark.parametrize(("grader", "target"), USED_OUTPUT)
def test_naive_graders_of_output_tell_right_from_wrong(embedded, grader, target):
    if grader not in CARELESS:
        assert naive.pays_output(grader, RIGHT.get(target, RIGHT["sums"]), target, embedded)
        assert not naive.pays_output(grader, "print('zzz')", target, embedded)


def test_the_targets_can_be_solved_and_missed(embedded):
    for target in (*CASES, *EXCHANGES, "fast", "general", "property", "mapped", "raises", "bare", "after", "mutate"):
        right = RIGHT.get(target, RIGHT["sums" if target in EXCHANGES else "mutate" if target == "after" else "int"])
        assert verify(target, right, embedded, PATIENT).correct, target
        assert not verify(target, "print(7)\ndef solve(values): return {7}", embedded).correct, target
    assert verify("aliased", RIGHT["list"], embedded, PATIENT).correct
    assert verify("near", RIGHT["float"], embedded, PATIENT).correct


def solves(text: str | None, sandbox: Sandbox) -> bool:
    return text is not None and verify("int", text, sandbox, PATIENT).correct


@pytest.mark.parametrize("message", [pytest.param(text, id=name) for name, text in MESSAGES.items()])
def test_messages_without_a_right_program(embedded, message):
    assert not solves(read_program(message).text, embedded)


@pytest.mark.parametrize("message", [pytest.param(text, id=name) for name, text in ODD_MESSAGES.items()])
def test_messages_with_a_right_program(embedded, message):
    assert solves(read_program(message).text, embedded), read_program(message)


@pytest.mark.parametrize(
    "message",
    [
        "```" + " " * 10**6 + "!", "`" * 10**6, "```\n" * 10**5, "~~~x\n```\n" * 10**5, " " * 10**6 + "```",
        "<answer>" * 10**5 + "</answer>" * 10**5, "<answer></answer>" * 10**5, "</answer>" * 10**5 + "<answer>",
        "<think>" * 10**5 + "</think>" * 10**5, "```python\n" + "\t" * 10**6, "```" + "a" * 10**6,
        "<answer>" + "```\n" * 10**5 + "</answer>", "\x0b\x0c\x1c\u2028```" * 10**5,
    ],
    ids=range(13),
)  # fmt: skip
def test_long_messages_are_read_in_bounded_time(message):
    with at_most(millions=60):
        read_program(message)


def test_a_program_must_bring_the_function_itself(embedded):
    for name in ("max", "sum", "sorted", "max.__call__"):
        expected = [2] if name == "sorted" else 2
        assert not verify_function("", name, [Example(([2],), {}, expected)], sandbox=embedded).correct
    for tests in (
        "def check(candidate):\n    assert candidate([1, 2]) == 2",
        "for n in [1]: assert max([n, 2]) == 2",
    ):
        assert not verify_asserts("x = 1", tests, "max", sandbox=embedded).correct


def test_tests_must_not_build_on_what_the_program_brings(embedded):
    with pytest.raises(ValueError, match="helper"):
        verify("helper", "def helper(values): return 0\ndef solve(values): return 0", embedded)


@pytest.mark.parametrize("form", ['{"~":["set",[%s]]}', '{"~":["frozenset",[%s]]}', '{"~":["dict",[%s]]}'])
def test_replies_of_one_hash_are_read_in_bounded_time(form):
    item = "[%d,0]" if "dict" in form else "%d"
    text = form % ",".join(item % (k * (2**61 - 1)) for k in range(1, 30_000))
    with at_most(millions=30), contextlib.suppress(ValueFormatError):
        decode(text)


def test_comparisons_of_hostile_values_take_bounded_time():
    same_hash = [k * (2**61 - 1) for k in range(1, 200_000)]
    with at_most(millions=60):
        for got in ([same_hash], [[same_hash]], [tuple(same_hash)], same_hash):
            for levels in (1, 2, 3):
                assert not unordered(levels)(got, [[1, 2]])


def test_the_benchmarks_page_counts_them() -> None:
    page = Path(__file__).parents[3] / "docs" / "benchmarks.md"
    if not page.exists():
        pytest.skip("needs the checkout, not an installed copy")
    text = page.read_text(encoding="utf-8")
    assert f"none of our {len(ATTACKS) + len(STDIO_ATTACKS)} attacks is paid" in text
    assert f"all of {len(ODD)} right programs in unusual styles are" in text
