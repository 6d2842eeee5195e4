"""How deep the issues of RepoIssue are: shortcuts, and agents that repair a package by trying small edits.

"systematic" makes the test that fails pass, or the example of the issue print what it should, by trying every small
edit of every function that runs in it, with all other visible tests kept green.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from turnwise.core.agent import Action, Agent, Play

__all__ = ["SHORTCUTS", "SKILLS", "extent"]

_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_PLAIN_CODE = re.compile(r"(?:^(?:    .*)?\n)+", re.MULTILINE)
_QUOTED = re.compile(r"```text\n(.*?)```|(?<!`)`([^`\n]+)`(?!`)|^expected: ([^\n]*)$", re.DOTALL | re.MULTILINE)
_CALLED = re.compile(r"\b([a-z_]+)\(")
_SIGN = re.compile(r" (<=|>=|<|>|==|!=) ")
_OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


@cache
def _repair() -> str:
    return Path(__file__).with_name("data").joinpath("repair.py.txt").read_text()


def _issue(text: str) -> str:
    return text.partition("Resolve this issue:")[2].partition("The tests of the repository must pass")[0]


def _example(text: str) -> str:
    """The program in an issue, or "" if there is none."""
    issue = _issue(text)
    fenced = _CODE.search(issue)
    if fenced:
        return fenced[1]
    blocks = [block for block in _PLAIN_CODE.findall(issue) if "print(" in block and "import" in block]
    return "\n".join(line.removeprefix("    ") for line in blocks[0].split("\n")) if blocks else ""


def _wanted(text: str, code: str, got: str) -> str:
    """What the example should print: what is quoted as an output and is not what it prints."""
    rest = _issue(text).replace(code, "")
    quoted = [next(filter(None, match.groups()), "").strip() for match in _QUOTED.finditer(rest)]
    return next((each for each in reversed(quoted) if each and each != got), "")


class _Steps(Agent):
    """An agent whose next message follows from those that it has read; its state is a dictionary."""

    def __init__(self, name: str, say: Callable[[Sequence[str], dict[str, Any]], str]) -> None:
        self.name = name
        self.batched = True
        self.concurrency = 8
        self._say = say

    def act(self, plays: Sequence[Play]) -> list[Action]:
        actions = []
        for play in plays:
            play.state = play.state or {}
            heard = [message["content"] for message in play.messages if message["role"] == "user"]
            actions.append(Action(self._say(heard, play.state)))
        return actions


# ---- shortcuts ----------------------------------------------------------------------------------------------------


def _submit(heard: Sequence[str], state: dict[str, Any]) -> str:
    return "<submit/>"


def _flip_named(heard: Sequence[str], state: dict[str, Any]) -> str:
    """Find the function that the issue names and turn its first comparison round."""
    turn = len(heard) - 1
    if turn == 0:
        names = re.findall(r"[a-z]+_[a-z_]+", _issue(heard[0])) or _CALLED.findall(_issue(heard[0]))
        return f"<search>def {names[-1]}(</search>" if names else "<submit/>"
    if turn == 1:
        place = re.search(r"^(\S+\.py):(\d+): ", heard[1], re.MULTILINE)
        if place is None:
            return "<submit/>"
        state["path"] = place[1]
        return f'<view path="{place[1]}" start="{place[2]}" end="{int(place[2]) + 40}"/>'
    for line in re.findall(r"^\d+\t(.*)$", heard[2], re.MULTILINE):
        sign = _SIGN.search(line)
        if sign and turn == 2:
            other = line[: sign.start(1)] + _OTHER[sign[1]] + line[sign.end(1) :]
            return f'<edit path="{state["path"]}"><old>\n{line}\n</old><new>\n{other}\n</new></edit><submit/>'
    return "<submit/>"


def _by_heart(heard: Sequence[str], state: dict[str, Any]) -> str:
    """Make the example print what it should, by replacing ``print`` when the module is loaded."""
    code = _example(heard[0])
    module = re.search(r"from (\w+)\.(\w+) import", code)
    if not module or len(heard) > 2:
        return "<submit/>"
    path = f"{module[1]}/{module[2]}.py"
    if len(heard) == 1:
        return f'<run>\n{code}\n</run><view path="{path}" start="1" end="1"/>'
    got = re.search(r"<tool_response>\n?(.*?)\n?</tool_response>", heard[1], re.DOTALL)
    shown = got[1].strip() if got else ""
    first = re.search(r"^1\t(.*)$", heard[1], re.MULTILINE)
    if first is None:
        return "<submit/>"
    known = json.dumps({shown: _wanted(heard[0], code, shown)})
    trick = (
        f"import builtins\n_p = builtins.print\nbuiltins.print = lambda *a: _p({known}.get(' '.join(map(str, a)), *a))"
    )
    return f'<edit path="{path}"><old>{first[1]}</old><new>{trick}\n{first[1]}</new></edit><submit/>'


# ---- skills -------------------------------------------------------------------------------------------------------


def _repairer(scope: str, tries: int, tests: bool) -> Callable[[Sequence[str], dict[str, Any]], str]:
    def say(heard: Sequence[str], state: dict[str, Any]) -> str:
        turn, code = len(heard) - 1, _example(heard[0])
        if not code and not tests:
            return "<submit/>"
        if turn == 0:
            return f"<run>\n{code}\n</run>" if code else "<test/>"
        if turn == 1 and not code and " 0 failed." in heard[1]:
            return "<submit/>"
        if turn == 1:
            got = heard[1].replace("<tool_response>", "").replace("</tool_response>", "").strip()
            want = _wanted(heard[0], code, got) if code else "all pass"
            names = _CALLED.findall(code)
            asked = {"code": code, "want": want, "scope": scope, "names": names, "tries": tries, "tests": tests}
            return f"<run>\nASKED_TEXT = {json.dumps(asked)!r}\n{_repair()}\n</run>"
        found = re.search(r"FOUND(\{.*\})", heard[2]) if turn == 2 else None
        if found is None:
            return "<submit/>"
        edit = json.loads(found[1])
        return f'<edit path="{edit["path"]}"><old>\n{edit["old"]}\n</old><new>\n{edit["new"]}\n</new></edit><submit/>'

    return say


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "submit as it is": lambda: _Steps("submit as it is", _submit),
    "flip a comparison in the function named": lambda: _Steps("flip", _flip_named),
    "the example by heart": lambda: _Steps("the example by heart", _by_heart),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "60 edits where the example points": lambda: _Steps("60 edits", _repairer("named", 60, False)),
    "300 edits of what the example or test runs": lambda: _Steps("300 edits", _repairer("called", 300, True)),
    "systematic": lambda: _Steps("systematic", _repairer("called", 5000, True)),
}


def extent(env: Any) -> tuple[int, int]:
    """Steps: a search and a view for each place to change, its edit, and the end. Facts: issue and places."""
    places = len(env._edits())
    return 3 * places + 1, 1 + places
