"""Programs judged by what they print, in Python and in other languages."""
# ruff: noqa: E501 (programs, one a line)

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnwise.verifiers.code.stdio
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.sandbox import Limits, use_sandbox
from turnwise.verifiers.code import Exchange, Failure, same_output, verify_stdio
from turnwise.verifiers.code.languages import LANGUAGES, LanguageMissing, available_languages, compiler_sandbox

LIMITS = Limits(wall_s=2, memory_mb=128, output_bytes=4096)
SUMS = [Exchange("1 2\n", "3\n"), Exchange("10 -10", "0"), Exchange("5 6\n", "11\n\n")]


@pytest.fixture(scope="module")
def check(sandbox):
    def check(source, exchanges=SUMS, **settings):
        return verify_stdio(source, exchanges, sandbox=sandbox, **{"limits": LIMITS, **settings})

    return check


RIGHT = [
    "print(sum(map(int, input().split())))",
    "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())), end='')\nsys.exit(0)",
    "import os\na, b = os.read(0, 100).split()\nos.write(1, b'%d  \\r\\n\\n' % (int(a) + int(b)))\nos._exit(0)",
    "import sys\nprint('noise', file=sys.stderr)\nif __name__ == '__main__':\n    print(sum(int(x) for x in open(0).read().split()))",
    "import atexit\natexit.register(lambda: print(s))\ns = sum(map(int, input().split()))",
    "\ufefffrom __future__ import annotations\nprint(eval(input().replace(' ', '+')))",
]  # fmt: skip


@pytest.mark.parametrize("source", RIGHT)
def test_right_programs(check, source):
    verdict = check(source, limits=Limits(wall_s=10, memory_mb=128))
    assert verdict.correct and verdict.parts == {"passed": 3, "tests": 3} and verdict.value == source


WRONG = [
    ("print(3)", 1 / 3, "test 2: printed '3\\n' (a str of 2 characters), which is wrong"),
    ("print(sum(map(int, input().split())))\nraise ValueError('late')", 0, "test 1: ended with status 1: ValueError: late (line 2)"),
    ("print(sum(map(int, input().split())), flush=True)\nimport os\nos.kill(os.getpid(), 9)", 0, "test 1: was ended by signal 9"),
    ("import sys\nprint(sum(map(int, input().split())))\nsys.exit(2)", 0, "test 1: ended with status 2"),
    ("while True: pass", 0, "test 1: ran out of time (2 s)"),
    ("print('x' * 10**7)", 0, "test 1: printed too much"),
    ("print('x' * 20000)", 0, "test 1: printed "),
    ("x = bytearray(10**9)", 0, "test 1: ran out of memory (128 MB)"),
    ("print(sum(map(int, input().split())", 0, "test 1: ended with status 1: SyntaxError"),
    ("print('3 3')", 0, "test 1: printed "),
    ("import os\nos._exit(0)", 0, "test 1: printed '' (a str of 0 characters), which is wrong"),
    ("\ud800", 0, "test 1: ended with status 1"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "score", "reason"), WRONG)
def test_wrong_programs(check, source, score, reason):
    verdict = check(source)
    assert not verdict.correct and verdict.score == score and verdict.reason.startswith(reason)
    assert isinstance(verdict.value, Failure)


def test_large_outputs_have_room(check):
    expected = "\n".join(map(str, range(50_000)))
    assert check("for n in range(50000): print(n)", [Exchange("", expected)]).correct


def test_a_checker_judges_instead(check):
    def factors(stdin, expected, got):
        a, b = map(int, got.split())
        return min(a, b) > 1 and a * b == int(stdin)

    exchanges = [Exchange("15", ""), Exchange("21", "")]
    assert check("n = int(input())\nprint(n // 3, 3)", exchanges, checker=factors).correct
    assert check("print('a b')", exchanges, checker=factors).score == 0


def test_stopping_and_telling(check):
    early = check("print(3)", [SUMS[0], SUMS[1], SUMS[0]], all_tests=False)
    assert early.score == 1 / 3 and early.value.index == 1 and early.value.args == ("10 -10",)
    assert check("print(3)", [SUMS[0], SUMS[1], SUMS[0]]).score == 2 / 3
    assert "not '0'" in check("print(3)", reveal=True).reason and "not '0'" not in check("print(3)").reason
    assert check("print(open('n').read())", [Exchange("", "7")], files={"n": "7"}).correct
    with pytest.raises(ValueError, match="at least one"):
        check("print(1)", [])
    with pytest.raises(SettingsError, match="cobol"):
        check("print(1)", language="cobol")


@given(st.lists(st.lists(st.text("ab1.", min_size=1))), st.text(" \t", max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_blanks_at_the_ends_of_lines_mean_nothing(lines, blanks, end):
    expected = "\n".join(" ".join(words) for words in lines)
    got = end.join(" ".join(words) + blanks for words in lines) + end * 2
    assert same_output(got, expected) and same_output(got, expected, "tokens")
    assert not same_output(f"{expected} x", expected) and not same_output(f"x{got}", expected, "tokens")


DIFFERENT = [
    ("1 2", "1  2"), ("1\n\n2", "1\n2"), (" 1", "1"), ("\n1", "1"), ("Yes", "yes"), ("1.0", "1"), ("", "0"), ("01", "1"),
    ("1\n2", "1 2"), ("12", "1 2"),
]  # fmt: skip


@pytest.mark.parametrize(("got", "expected"), DIFFERENT)
def test_outputs_that_differ(got, expected):
    assert not same_output(got, expected)


def test_numbers_within_a_tolerance():
    assert same_output("a 1.0000001\n-0.0 1e3", "a 1\n0 1000", float_tolerance=1e-6)
    assert same_output("1e17 5", "100000000000000001\n5", "tokens", 1e-6)
    for got in ("nan", "inf", "1.1", "0x1", "1_0", "1e999", "1" * 5000, "1.0.0", "١"):
        assert not same_output(got, "1", float_tolerance=1e-6)
    assert not same_output("1.0\n2", "1 2", float_tolerance=1e-6) and not same_output(
        "1e999", "1e998", float_tolerance=1
    )


PROGRAMS = {
    "python": "print(sum(map(int, input().split())))",
    "bash": "read a b; echo $((a + b))",
    "c": "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", a + b); return 0; }",
    "cpp": "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }",
    "java": "import java.util.*;\nclass Helper { static int add(int a, int b) { return a + b; } }\npublic class Sum {\n"
    "  public static void main(String[] args) { Scanner s = new Scanner(System.in);\n"
    "    System.out.println(Helper.add(s.nextInt(), s.nextInt())); } }",
    "javascript": "const [a, b] = require('fs').readFileSync(0, 'utf8').split(/\\s+/).map(Number);\nconsole.log(a + b);",
    "rust": "use std::io;\nfn main() { let mut s = String::new(); io::stdin().read_line(&mut s).unwrap();\n"
    "  let n: i64 = s.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum(); println!(\"{}\", n); }",
    "go": "package main\nimport \"fmt\"\nfunc main() { var a, b int; fmt.Scan(&a, &b); fmt.Println(a + b) }",
}  # fmt: skip
BROKEN = {
    "c": "int main(void) { return x; }",
    "cpp": "int main() { std::cout << 1; }",
    "java": "class A { public static void main(String[] a) { x(); } }",
    "rust": "fn main() { x(); }",
    "go": "package main\nfunc main() { x() }",
}  # fmt: skip


@pytest.fixture(scope="module")
def compilers():
    try:
        made = compiler_sandbox(workers=1)
        made.layers_of("shell")
    except InfrastructureError as error:
        pytest.skip(f"no sandbox for compilers here: {error}")
    with made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_languages(compilers, language):
    limits = Limits(wall_s=20, memory_mb=256)
    exchanges = [*SUMS, Exchange("1 1", "3")]
    missing = ""
    try:
        verdict = verify_stdio(PROGRAMS[language], exchanges, language=language, sandbox=compilers, limits=limits)
    except LanguageMissing as error:
        missing = str(error)
    if missing:
        assert language in missing and available_languages(compilers)[language] == missing
        pytest.skip(missing)
    assert verdict.score == 3 / 4 and verdict.reason.startswith("test 4: printed '2"), verdict
    if language in BROKEN:
        broken = verify_stdio(BROKEN[language], SUMS, language=language, sandbox=compilers, limits=limits)
        assert broken.score == 0 and broken.reason.startswith("test 1: does not compile: ") and "error" in broken.reason


@pytest.mark.slow
def test_limits_of_compiled_programs(compilers):
    limits = Limits(wall_s=0.5, memory_mb=64)
    for body, reason in (
        ("for (;;);", "ran out of time"),
        ("return 3;", "ended with status 3"),
        ("*(volatile int *)0 = 1;", "was ended by signal 11"),
        ('for (;;) puts("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");', "printed too much"),
        ('puts("3"); return execl("./main", "main", (char *)0);', "ran out of time"),
    ):
        source = f"#include <stdio.h>\n#include <unistd.h>\nint main(void) {{ {body} }}"
        try:
            verdict = verify_stdio(source, SUMS[:1], language="c", sandbox=compilers, limits=limits)
        except LanguageMissing as missing:
            pytest.skip(str(missing))
        assert not verdict.correct and verdict.reason.startswith(f"test 1: {reason}"), verdict


def test_examples(sandbox):
    use_sandbox(sandbox)
    assert doctest.testmod(turnwise.verifiers.code.stdio).failed == 0
