"""Finding the program in a message, and what is said of programs that fail."""

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnwise.verifiers.code.feedback
import turnwise.verifiers.code.program
from tests._work import at_most, growth
from turnwise.sandbox import Result
from turnwise.verifiers.code import read_program, shown, shown_value
from turnwise.verifiers.code.feedback import described, error_line, one_line

F = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    "message",
    [
        f"<answer>{F}</answer>",
        f"<answer>\n\n{F}\n\n</answer>",
        f"<answer>\n```python\n{F}```\n</answer>",
        f"<answer>Here:\n```python\n{F}```\nDone.</answer>",
        f"<think>```python\nx\n``` <answer>1</answer></think>\n```python\n{F}```",
        f"first\n```python\nx = 1\n```\nthen\n```py\n{F}```\nprints\n```\n1\n```",
        f"```python\n{F}",
        f"~~~~python3\n{F}~~~~",
        f"```Python title=a.py\n{F}```",
        f"```\n{F}```",
        "1. so\n     ```python\n     def f(x):\n         return x\n     ```\n",
        "<answer>\n    def f(x):\n        return x\n</answer>",
        f"<answer> {F}</answer> again <answer>{F}</answer>",
        f"```text\nno\n```\n```python\n{F}```\n```bash\npython a.py\n```",
        f"```python\n{F}```".replace("\n", "\r\n"),
    ],
)
def test_programs_are_found(message):
    found = read_program(message).text
    assert found is not None
    assert found.strip().replace("\r\n", "\n") == F.strip()


def test_fences_inside_of_programs_stay():
    inner = "def f(x):\n    '''\n    ```python\n    f(1)\n    ```\n    '''\n    return x"
    assert read_program(f"<answer>\n{inner}\n</answer>").text == inner
    assert read_program(f"```python\n{inner}\n```").text == f"{inner}\n"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("", "no program"),
        ("so x = 1", "no program"),
        ("<answer> </answer>", "empty"),
        ("```python\n\n```", "empty"),
        ("<answer>a = 1</answer><answer>a = 2</answer>", "different"),
        ("<think>```python\nx\n```", "inside <think>"),
        ("```rust\nfn main() {}\n```", "no program"),
        (f"<answer>{'x' * 2_000_000}</answer>", "at most"),
    ],
)
def test_programs_that_are_not_there(message, problem):
    text, said = read_program(message)
    assert text is None and problem in said


def test_other_languages():
    message = "```python\nx\n```\n```c++\nint main() {}\n```\n```js\n1\n```"
    assert read_program(message, "cpp").text == "int main() {}\n"
    assert read_program(message, "javascript").text == "1\n"
    assert read_program(message, "rust").problem.endswith("```rust block")


@pytest.mark.slow
@given(
    st.text()
    | st.lists(st.sampled_from(["```", "\n", "python", "<answer>", "</answer>", "x", " ", "~~~"])).map("".join)
)
def test_any_message_is_read(message):
    text, problem = read_program(message)
    assert (text is None) == bool(problem)
    assert text is None or text in message.expandtabs() or len(text) <= len(message)


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "```py\ndef f(): 1\n```\n```py\nf()\n```\n",
        "```py\ndef f(): f()\n```\n",
        "<answer>",
        "```\n",
        "```python\n```\n",
        " " * 50 + "\n",
        "</answer><answer>",
        "`" * 30,
    ],
)
def test_long_messages_take_linear_time(part):
    assert growth(lambda size: read_program(part * (size // len(part))), 50_000, 400_000) < 24  # quadratic would be 64


def test_tags_within_a_fenced_program_are_its_own():
    code = "def f(x):\n    return x.count('<answer>1</answer>')\n"
    assert read_program(f"So:\n```python\n{code}```\n").text == code
    assert read_program(f"```python\n{code}```\n<answer>\nx = 1\n</answer>").text == "x = 1"
    assert read_program(f"<answer>\n```python\n{code}```\n</answer>").text == code
    assert read_program("```\n<answer>\nx = 1\n</answer>\n```").text == "x = 1"
    twice = "<answer>```python\nx = 1\n```\n</answer> again <answer>```python\nx = 1\n```\n</answer>"
    assert read_program(twice).text == read_program(twice.replace("again", "\n")).text is not None


def test_shown_is_the_same_every_time():
    told = [
        Result(
            f"<f object at 0x7f{n:010x}>\n",
            f'  File "/box/work/main/a.py", line 3\n  File "/usr/l{n}/python3.11/json/a.py"\n',
        )
        for n in (1, 2)
    ]
    assert shown(told[0]) == shown(told[1]) == '<f object at 0x...>\n  File "a.py", line 3\n  File "python/json/a.py"'
    assert shown(Result("<Thread(Thread-1, started 139876)>")) == "<Thread(Thread-1, started)>"
    assert shown(Result("\ud800")) == "?" and shown(Result()) == ""
    long = shown(Result("a" * 5000, "b" * 5000), 200)
    assert long.startswith("a" * 100 + "\n[... 9801 characters left out ...]") and long.endswith("b" * 100)
    killed = shown(Result("x" * 3000, killed_by="wall"))
    assert killed == "x" * 400 + "\n[... the rest is left out ...]"


@settings(max_examples=50)
@given(
    st.recursive(
        st.integers() | st.text() | st.none() | st.floats(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_values_are_shown_as_python_shows_them(value):
    assert shown_value(value, 10**6) == repr(value)
    assert len(shown_value(value, 20)) <= 20


def test_values_are_shown_in_bounded_time():
    with at_most(millions=20):
        assert shown_value([list(range(10**5))] * 10**6, 30) == "[[0, 1, 2, 3, 4, 5, 6, 7, 8..."
        assert shown_value({(n,): n for n in range(10**5)}, 12) == "{(0,): 0,..."
        assert shown_value(set(range(10**5)), 30) == "{...}" and shown_value(set()) == "set()"
        assert described(10 ** (10**6)).startswith("an int of 3321929 bits")
        assert described("x" * 10**7).endswith("(a str of 10000000 characters)")
        assert described({1: 2}) == "{1: 2} (a dict of 1 item)" and described(True) == "True"


def test_lines_of_errors():
    told = (
        'Traceback\n  File "program.py", line 3, in f\n  File "/box/work/program.py", line 71\n  File "x.py", line 9\nE'
    )
    assert error_line(told, "program.py") == 71 and error_line("E", "program.py") is None
    assert one_line("a\n\x1b[31m b\ud800" + "c" * 500).startswith("a ?[31m b?ccc")


def test_examples():
    for module in (turnwise.verifiers.code.program, turnwise.verifiers.code.feedback):
        assert doctest.testmod(module).failed == 0


USES = [
    "print(f(1))", "assert f(1) == 1", "from solution import f\n\ndef test_f():\n    assert f(1) == 1",
    "import unittest\n\nclass TestF(unittest.TestCase):\n    def test(self):\n        self.assertEqual(f(1), 1)",
    ">>> f(1)\n1", "for n in range(3):\n    print(n, f(n))", "if __name__ == '__main__':\n    print(f(2))",
]  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_a_block_that_only_uses_the_program_is_left_out(use):
    program = f"Here is the solution:\n```python\n{F}```\n"
    assert read_program(f"{program}Try it:\n```python\n{use}\n```\nIt prints\n```\n1\n```").text == F
    assert read_program(f"<answer>\n{program}Tests:\n```python\n{use}\n```\n</answer>").text == F
    assert read_program(f"{program}```py\n{use}\n```", examples=True).text == f"{use}\n"
    assert read_program(f"```python\n{use}\n```").text == f"{use}\n"  # alone it is all that there is
    plain = f"```\n{F}```\n```\n{use}\n```\nprints\n```\n[1, 2]\n```\nor\n```\nResult: 3\n```"
    assert read_program(plain).text == F


def test_the_last_whole_program_counts():
    wrong = F.replace("return x", "return 0")
    assert read_program(f"```python\n{wrong}```\nThat is wrong. Better:\n```python\n{F}```").text == F
    assert read_program(f"```python\n{F}```\n```python\n{wrong}```").text == wrong
    assert read_program(f"```python\n{F}```\n```python\n{wrong}```\n```python\nf(1)\n```").text == wrong
    assert read_program(f"```python\n{F}```\nor simply\n```python\nf = lambda x: x\n```").text == "f = lambda x: x\n"
    assert read_program(f"```python\n{F}```\n```python\ndef g(x): return (\n```").text == "def g(x): return (\n"


def test_blocks_that_belong_together_are_one_program():
    parts = ["class Node:\n    pass\n", "def f():\n    return Node()\n", "assert f()\n"]
    message = "\nthen\n".join(f"```python\n{part}```" for part in parts)
    assert read_program(message).text == parts[0] + "\n" + parts[1]
    main = "n = int(input())\nprint(f(n))\n"
    assert read_program(f"```python\n{F}```\n```python\n{main}```").text == f"{F}\n{main}"
    own = "from math import gcd\nprint(gcd(4, 6))\n"
    assert read_program(f"```python\ndef gcd(a, b):\n    return a\n```\n```python\n{own}```").text == own


@pytest.mark.parametrize("mark", ["python3.11", "Python", "py", "python3"])
def test_marks_of_versions(mark):
    assert read_program(f"```text\nx\n```\n```{mark}\n{F}```\n```\n1\n```").text == F
    assert read_program(f"```\n{F}```\n```diff\n-x\n+y\n```\n```console\n$ python a.py\n```").text == F


def test_a_message_may_be_the_program():
    assert read_program(F).text == F
    assert read_program(f"<think>so</think>\nimport math\n{F}").text == f"\nimport math\n{F}"
    for message in ("x", "yes", "f(1)", "The answer is def", f"Sure:\n{F}", "1\n", f"{F}It works.", "def f(x):"):
        assert read_program(message).problem
    assert read_program(F, "rust").problem


def test_programs_left_open():
    assert read_program(f"<answer>\n{F}").text == F.strip()
    assert read_program(f"<answer>\n```python\n{F}").text == F
    assert read_program(f"<answer>{F}</ans").text == F.strip()
    code = "def f(x):\n    return x.count('<answer>')\n"
    assert read_program(f"```python\n{code}```\n").text == code
    assert read_program(f"<answer>{F}</answer> <answer>x = 1").text == F.strip()
