"""How deep the tasks of Shell are: shortcuts, and agents that know the simple rules by their words."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Agent
from turnwise.worlds.programs.shell.goal import Goal
from turnwise.worlds.programs.shell.goals.deletes import Delete
from turnwise.worlds.programs.shell.goals.moves import Organise, Rename, Skeleton
from turnwise.worlds.programs.shell.goals.questions import Question
from turnwise.worlds.programs.shell.goals.texts import Replace

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]

_REQUEST = re.compile(r"^(?:\d+\. )?\w+ from [\w -]+: .*(?:\n   `.*)*", re.MULTILINE)
_SCOPE = re.compile(r"\b(?:[Ii]n|directly in) `([^`]*)`")
_ORGANISE = {
    "named after their extensions": "extension",
    "contain a date": "month",
    "by size": "size",
}
_RENAME = {
    "replace each space": "blanks",
    "upper-case letters (A-Z)": "lower",
    "to four digits": "pad",
    "the ending `.htm`": "extension",
    "turn dates DD-MM-YYYY": "date",
}
_DELETE = {
    "every file with a name ending": "ending",
    "every file of zero bytes": "empty",
    "every file larger than": "large",
    "contains the text": "word",
    "every empty directory": "folders",
    "that leads nowhere": "links",
    "all but the newest": "versions",
}
_ASK = {
    "do they have together": "level",
    "Which user has the most lines": "user",
    "`amount` add up to": "sum",
    "the `id` of the largest": "largest_row",
    "`quantity` add up to": "json",
    "How many bytes": "bytes",
    "has the most bytes": "largest",
    "How many different contents": "distinct",
    "For which file is the checksum wrong": "mismatch",
}


def task_text(observation: str) -> str:
    """Return the requests."""
    return "\n".join(_requests(observation))


def _requests(text: str) -> list[str]:
    return [match[0] for match in _REQUEST.finditer(text)]


def _found(rules: Mapping[str, str], text: str) -> str:
    return next((rule for words, rule in rules.items() if words in text), "")


def _understood(text: str) -> Goal | None:
    """Read a request of a single rule; None if it is something else."""
    scope = (_SCOPE.findall(text) or [""])[0]
    number = int((re.findall(r"(?:at least|larger than) (\d+) bytes", text) or ["0"])[0])
    if "   `" in text:
        return Skeleton(scope, tuple(re.findall(r"^   `(.*)`$", text, re.MULTILINE)))
    if by := _found(_ORGANISE, text):
        return Organise(scope, by, number)
    if rule := _found(_RENAME, text):
        return Rename(scope, rule)
    if "delete" in text.lower() and (rule := _found(_DELETE, text)):
        quoted = re.findall(r"the text `([^`]*)`", text)
        folder = re.findall(r"directory below `([^`]*)`", text)
        return Delete(folder[0] if folder else scope, rule, number, (quoted or [""])[0])
    if rule := _found(_ASK, text):
        words = re.findall(r"(?:level|region|status) `([^`]*)`", text)
        ending = re.findall(r"names ending in `\.([^`]*)`", text)
        sums = re.findall(r"`([^`]*)/SHA256SUMS`", text)
        return Question((sums or [scope])[0], rule, tuple(ending or words))
    ending = (re.findall(r"names ending in `([^`]*)`", text) or [""])[0]
    if change := re.search(r"replace the text `([^`]*)` with `([^`]*)`", text):
        return Replace(scope, "text", ending, change[1], change[2])
    if change := re.search(r"set `([^`]*)` to `([^`]*)`", text):
        return Replace(scope, "key", ending, change[1], change[2])
    if "comments out of" in text:
        return Replace(scope, "remove", ending, "", "")
    return None


# ---- skills ----------------------------------------------------------------------------------------------------------


def _careful(text: str) -> str:
    goal = _understood(text)
    return goal.script({}) if goal else ""


def _flat(text: str) -> str:
    """Write what a beginner types: a loop over the files of one directory, without quotation marks."""
    goal = _understood(text)
    inside = f"cd {shlex.quote(goal.scope)}" if goal else ""
    if isinstance(goal, Delete):
        what = {"ending": "*.tmp *.bak *~", "empty": "$(find -size 0)", "large": f"$(find -size +{goal.limit}c)"}
        return f"({inside} && rm -f {what.get(goal.rule, f'$(grep -l {goal.word} *)')})"
    if isinstance(goal, Rename):
        new = {"blanks": "y/ /_/", "lower": "y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/",
               "extension": "s/htm$/html/", "pad": r"s/img\([0-9]*\)/img000\1/"}.get(goal.rule, "s/x/x/")  # fmt: skip
        return f"({inside} && for f in *; do mv $f $(echo $f | sed '{new}'); done)"
    if isinstance(goal, Replace):
        return f"({inside} && sed -i 's/{goal.old}/{goal.new}/' *{goal.ending})"
    if isinstance(goal, Organise):
        return f"({inside} && for f in *.*; do mkdir -p ${{f##*.}}; mv $f ${{f##*.}}; done)"
    return goal.script({}) if goal else ""


def _worker(write: Callable[[str], str], most: int, name: str) -> Callable[[], Agent]:
    """Return the maker of an agent that does the first requests, one by one, and ends with what was printed last."""

    def read(heard: Sequence[str], turn: int) -> str:
        requests = _requests(heard[0])[:most]
        if turn < len(requests):
            return f"<bash>{write(requests[turn]) or 'true'}</bash>"
        return _ended(heard)

    return lambda: Shortcut(read, name)


def _ended(heard: Sequence[str]) -> str:
    if "<submit/>" in heard[0]:
        return "<submit/>"
    printed = re.sub(r"<tool_response>|\[exit status.*", "", heard[-1], flags=re.DOTALL).strip().splitlines()
    return f"<answer>{printed[-1] if printed else 0}</answer>"


SKILLS: Mapping[str, Callable[[], Agent]] = {
    "one loop": _worker(_flat, 1, "one loop"),
    "one request": _worker(_careful, 1, "one request"),
    "systematic": _worker(_careful, 9, "systematic"),
}


# ---- shortcuts -------------------------------------------------------------------------------------------------------


def _command(write: Callable[[str], str], name: str) -> Callable[[], Agent]:
    """Return the maker of an agent that runs one command made from the first message, and ends."""

    def read(heard: Sequence[str], turn: int) -> str:
        return f"<bash>{write(task_text(heard[0]))}</bash>" if turn == 0 else _ended(heard)

    return lambda: Shortcut(read, name)


def _quoted(text: str) -> list[str]:
    return [shlex.quote(word) for word in re.findall(r"`([^`\n]*)`", text)]


def _named(text: str) -> str:
    commands = [word for word in re.findall(r"`([^`\n]*)`", text) if " " in word and word.startswith(("python3", "sh"))]
    return commands[0] if commands else "true"


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "ends at once": lambda: Shortcut(lambda heard, turn: _ended(heard[:1]), "ends at once"),
    "runs the named command": _command(_named, "named command"),
    "largest file": _command(lambda text: "ls -lSR | awk 'NF > 8 {print $5, $9}' | sort -rn | head -1", "largest file"),
    "creates what is named": _command(lambda text: f"touch {' '.join(_quoted(text))} 2>/dev/null", "creates"),
    "deletes what is named": _command(lambda text: f"rm -rf {' '.join(_quoted(text)[-1:])}", "deletes"),
    "sorts what is named": _command(
        lambda text: f"grep -rh ERROR {_quoted(text)[0]} | sort -u > {_quoted(text)[-1]}" if _quoted(text) else "true",
        "sorts",
    ),
    "copies what is named": _command(
        lambda text: f"cp -r {_quoted(text)[0]} {_quoted(text)[-1]}" if _quoted(text) else "true", "copies"
    ),
    "number of files": _command(lambda text: f"find {(_quoted(text) or ['.'])[0]} -type f | wc -l", "number of files"),
}


def extent(env: Any) -> tuple[int, int]:
    """Return the commands of a shortest known solution and the end, and the files of different roles to be read."""
    works = [goal.work for goal in env.task.goals]
    return 1 + sum(steps for steps, _ in works), sum(facts for _, facts in works)
