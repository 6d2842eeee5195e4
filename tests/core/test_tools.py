"""The grammar of tool calls."""

import doctest

import pytest

from tests._work import at_most
from turnwise.core import tools
from turnwise.core.errors import FatalError, InfrastructureError, MissingDependencyError, SettingsError
from turnwise.core.tools import Call, Tool, Toolbox, text_tool

VIEW = Tool(
    "view",
    "Shows lines.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "start": {"type": "integer"}},
        "required": ["path"],
    },
    lambda path, start=1: f"{path}:{start}",
)
EDIT = text_tool("edit", "Replaces.", lambda path, old, new: f"{path}: {old!r} -> {new!r}", path="", old="", new="")
RUN = text_tool("run", "Runs.", lambda code: code, code="Python.")
STOP = Tool("stop", "Stops.", {"type": "object", "properties": {}}, lambda: "stopped")
BOX = Toolbox([VIEW, EDIT, RUN, STOP])


def answers(message: str) -> list[str]:
    return [BOX.run(call).text for call in BOX.parse(message)]


def test_calls_after_one_that_failed_are_not_carried_out() -> None:
    said: list[str] = []
    note = text_tool("note", "Notes.", lambda text: said.append(text) or "noted", text="")
    box = Toolbox([VIEW, note, STOP])
    calls = box.parse("<note>1</note><view/><note>2</note><stop/>")
    done = box.run_all(calls, ends="stop")
    assert said == ["1"] and done.failed and not done.ended
    assert [answer.failed for answer in done.answers] == [False, True]
    assert done.texts[2:] == ["<tool_error>not carried out, because the call before failed: note, stop</tool_error>"]
    done = box.run_all(box.parse("<note>3</note><stop/><note>4</note>"), ends="stop")
    assert said == ["1", "3"] and done.ended and not done.failed and len(done.texts) == 1
    many = box.run_all([Call("", {}, "unreadable")] * 20)
    assert many.texts[1].count("a call that cannot be read") == 8 and "11 more" in many.texts[1]


@pytest.mark.parametrize("name", ["edit", "tool_call"])
def test_what_stands_after_a_call_that_is_not_closed_is_not_carried_out(name: str) -> None:
    done = BOX.run_all(BOX.parse(f"<{name}>x <run>1</run> <stop/>"), ends="stop")
    assert done.texts == [
        f"<tool_error><{name}> is not closed by </{name}></tool_error>",
        "<tool_error>not carried out, because the call before failed: run, stop</tool_error>",
    ]


def test_doctests() -> None:
    assert doctest.testmod(tools).failed == 0


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("<run>x = 1</run>", ["x = 1"]),
        ("<run>\n  if x:\n    y\n</run> and <run>z</run>", ["  if x:\n    y", "z"]),
        ("<run></run>", [""]),
        ('<view path="a.py"/>', ["a.py:1"]),
        ('<view path="a.py" start="7" />', ["a.py:7"]),
        ('<view start="7">a.py</view>', ["a.py:7"]),
        ("<view><path>a.py</path><start>7</start></view>", ["a.py:7"]),
        ('<edit path="a.py"><old>\n x\n</old>\n<new>\n y\n</new></edit>', ["a.py: ' x' -> ' y'"]),
        ('<edit path="a.py" old="x">y</edit>', ["a.py: 'x' -> 'y'"]),
        ("<stop/>", ["stopped"]),
        ("<stop></stop>", ["stopped"]),
        ('<tool_call>{"name": "run", "arguments": {"code": "<run>2</run>"}}</tool_call>', ["<run>2</run>"]),
        ("<run>a = '<stop/>'</run>", ["a = '<stop/>'"]),
        ("<think><run>1</run></think><run>2</run>", ["2"]),
        ("<think><run>1</run>", []),
        ("<run>\n\nx\n\n\n</run>", ["\nx\n\n"]),
        ("<run>\r\nx\r\n</run>", ["x"]),
        ("<run>  x \n</run>", ["  x "]),
        ("<run>\n</run>", [""]),
        ("<run> </run>", [" "]),
        ('<edit path="a"><old>x\n\n</old><new>\n\n y\n\n</new></edit>', ["a: 'x\\n' -> '\\n y\\n'"]),
        ("<stop/> and <edit> and <run>", ["stopped"]),
        ("<runs>1</runs> <run >1</run> <run\n>2</run>", ["1", "2"]),
        ("<run>1", []),
        ("<answer>1</answer>", []),
        ("I will end with `<stop/>`. <run>1</run>", ["1"]),
        ("`<stop/>", []),
        ("```\n<stop/>\n```", ["stopped"]),
        ("<run>\n```python\nx = 1\n```\n</run>", ["x = 1"]),
        ("<run>```python\nx\n``` and ```\ny\n```</run>", ["```python\nx\n``` and ```\ny\n```"]),
        ("<view path='a.py' start='7'/>", ["a.py:7"]),
    ],
)
def test_calls(message: str, expected: list[str]) -> None:
    assert answers(message) == [f"<tool_response>{text}</tool_response>" for text in expected]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("<stop>now</stop>", "takes no content"),
        ('<view path="a" start="x"/>', "start must be of type integer"),
        ('<view path="a" end="3"/>', "has no argument 'end'"),
        ("<edit>x</edit>", "needs the argument 'path'"),
        ("<tool_call>[]</tool_call>", "the call is not"),
    ],
)
def test_bad_calls(message: str, words: str) -> None:
    (text,) = answers(message)
    assert text.startswith("<tool_error>") and words in text


@pytest.mark.parametrize(
    "unit",
    ["<run>", "<run ", '<view path="a" ', "<tool_call>", "</run>", "<edit><old>", "<run></run>", "<think>", "<run\n"],
)
def test_long_messages_take_bounded_time(unit: str) -> None:
    with at_most(millions=40):
        assert len(BOX.parse(unit * (1_000_000 // len(unit)))) <= tools.MAX_CALLS


def test_context_stands_before_the_arguments() -> None:
    box = Toolbox([text_tool("say", "", lambda who, text: f"{who} says {text}", text="")])
    assert box.run(Call("say", {"text": "hi"}), "she").text == "<tool_response>she says hi</tool_response>"


class Odd(Exception):
    """Cannot even be written."""

    def __str__(self) -> str:
        raise RuntimeError


class Thing:
    """Its repr is an address."""


FAILURES: dict[str, BaseException] = {
    "key": KeyError("x"),
    "empty": RuntimeError(),
    "zero": ZeroDivisionError("division by zero"),
    "value": ValueError("no such city"),
    "nothing": ValueError(),
    "address": TypeError(f"cannot add {Thing()}"),
    "long": OSError("y" * 10_000),
    "odd": Odd(),
    "deep": RecursionError("maximum recursion depth exceeded"),
    "server": InfrastructureError("down"),
    "wrong key": FatalError("401"),
    "package": MissingDependencyError("numpy"),
    "ctrl-c": KeyboardInterrupt(),
}


def fail(*context: object, how: str) -> str:
    raise FAILURES[how]


FAILING = Toolbox([text_tool("fail", "Fails.", fail, how=""), Tool("count", "", {"properties": {}}, lambda: 3)], 300)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("key", "KeyError: 'x'"),
        ("empty", "RuntimeError"),
        ("zero", "ZeroDivisionError: division by zero"),
        ("value", "no such city"),
        ("nothing", "ValueError"),
        ("address", "TypeError: cannot add <tests.core.test_tools.Thing object>"),
        ("odd", "Odd"),
        ("deep", "RecursionError: maximum recursion depth exceeded"),
    ],
)
def test_what_a_tool_raises_is_read_by_the_agent(how: str, said: str) -> None:
    answer = FAILING.run(Call("fail", {"how": how}))
    assert answer.failed
    assert answer.text.replace("<test_tools", "<tests.core.test_tools") == f"<tool_error>{said}</tool_error>"


def test_a_long_failure_is_shortened() -> None:
    answer = FAILING.run(Call("fail", {"how": "long"}))
    assert answer.failed and "OSError: yyy" in answer.text and "characters left out" in answer.text
    assert len(answer.text) < 400


@pytest.mark.parametrize("how", ["server", "wrong key", "package", "ctrl-c"])
def test_what_is_not_the_call_s_fault_is_raised(how: str) -> None:
    with pytest.raises(type(FAILURES[how])):
        FAILING.run(Call("fail", {"how": how}))


def test_a_fault_of_an_environment_s_own_tool_is_raised() -> None:
    with pytest.raises(KeyError):
        FAILING.run(Call("fail", {"how": "key"}), object())
    assert FAILING.run(Call("fail", {"how": "value"}), object()).failed


def test_an_answer_that_is_no_text_is_written() -> None:
    assert FAILING.run(Call("count", {})) == ("<tool_response>3</tool_response>", False)


def test_a_tool_whose_function_takes_other_arguments_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"'upper' is called with text=\.\.\.; its function takes \(self, /\)"):
        text_tool("upper", "Capitals.", str.upper, text="The text.")
    with pytest.raises(SettingsError, match="'view' is called with path="):
        text_tool("view", "Shows a file.", lambda file: str(file), path="The file.")
    with pytest.raises(SettingsError, match="'now' is called with no arguments"):
        text_tool("now", "The time.", lambda env, zone: str(zone))
    text_tool("view", "Shows a file.", lambda env, path, start=1: str(path), path="The file.")
    text_tool("any", "Anything.", lambda **given: str(given), path="The file.")


def test_only_tools_go_into_a_toolbox() -> None:
    with pytest.raises(SettingsError, match="it must be a Tool, such as text_tool makes"):
        Toolbox([len])  # type: ignore[list-item]
