"""Agents of graded skill for WebInjection.

No program without a language model does these tasks from their words; what can be written reads names off the page.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from turnwise.agents.shortcuts import Shortcut
from turnwise.core.agent import Action, Agent, Play
from turnwise.envs.web._episode import WebEnv

__all__ = ["SHORTCUTS", "SKILLS", "extent", "task_text"]

_ELEMENT = re.compile(r"\[(\d+)\] (\w+) (?:'([^'\n]*)'|\"([^\"\n]*)\")")
_QUOTED = re.compile(r"[\"“]([^\"”\n]{2,80})[\"”]")
_ENDS_A_FORM = re.compile(r"(?:Save|Send|Search|Find|Post|Add|Create|Continue|Confirm|Show|Apply|Place|Comment|Keep)\b")
_MOST_ACTIONS = 25


def task_text(observation: str) -> str:
    """Return the task in words."""
    return observation.partition("Task: ")[2].partition("\n\n")[0]


class _Names(Agent):
    """Clicks, chooses and fills what the task names, and says that it is done when nothing is left.

    Args:
        name: Name in records.
        fills: It also writes quoted texts into fields, in the order of the task.
        follows: It also takes the texts of the page for its task.
    """

    batched = True
    concurrency = 64

    def __init__(self, name: str, *, fills: bool, follows: bool) -> None:
        self.name, self.fills, self.follows = name, fills, follows

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(f"<action>{self._next(play)}</action>") for play in plays]

    def _next(self, play: Play) -> str:
        used: set[tuple[str, str]] = play.state if play.state is not None else set()
        play.state = used
        page = play.messages[-1]["content"]
        task = task_text(play.messages[0]["content"])
        text = f"{task} {page}" if self.follows else task
        quoted = [each for each in _QUOTED.findall(text) if ("fill", each) not in used]
        elements = [(int(n), role, one or two) for n, role, one, two in _ELEMENT.findall(page.partition("\nmain\n")[2])]
        named = [e for e in elements if len(e[2]) > 3 and e[2].casefold() in text.casefold() and e[1:] not in used]
        if play.turn < _MOST_ACTIONS:
            for number, role, name in elements if self.fills else ():
                if role in ("textbox", "searchbox") and quoted and (role, name) not in used:
                    used |= {(role, name), ("fill", quoted[0])}
                    return f"fill({number}, {quoted[0]!r})"
            for number, role, name in sorted(named, key=lambda each: -len(each[2])):
                if role in ("link", "button", "tab", "checkbox", "radio"):
                    used.add((role, name))
                    return f"click({number})"
            for number, role, name in elements:
                if role == "button" and _ENDS_A_FORM.match(name) and (role, name) not in used:
                    used.add((role, name))
                    return f"click({number})"
        numbers = re.findall(r"\d+(?:[.,:]\d+)*", page.partition("\nmain\n")[2])
        return f"answer({numbers[-1]!r})" if task.rstrip().endswith("?") and numbers else "done()"


def _at_once(text: str) -> Callable[[], Agent]:
    return lambda: Shortcut(lambda heard, turn: f"<action>{text}</action>", text)


def _from_page(heard: Sequence[str], turn: int) -> str:
    """Answer with the number of the first page that stands next to a word of the task."""
    task, page = task_text(heard[0]), heard[0].partition("\nmain\n")[2]
    words = set(re.findall(r"\w{4,}", task))
    lines = [line for line in page.splitlines() if re.search(r"\d", line)]
    best = max(lines, key=lambda line: len(words & set(re.findall(r"\w{4,}", line))), default="0")
    number = re.findall(r"\d[\d.,:-]*", best)[-1] if best else "0"
    return f"<action>answer({number!r})</action>"


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "done at once": _at_once("done()"),
    "infeasible at once": _at_once("infeasible('It cannot be done.')"),
    "from the first page": lambda: Shortcut(_from_page, "from the first page"),
    "follows every text": lambda: _Names("follows every text", fills=True, follows=True),
}
SKILLS: Mapping[str, Callable[[], Agent]] = {
    "clicks names": lambda: _Names("clicks names", fills=False, follows=False),
    "clicks names and fills": lambda: _Names("clicks names and fills", fills=True, follows=False),
}


def extent(env: WebEnv) -> tuple[int, int]:
    """Return the steps of the oracle's plan, and the pages that it opens together with the texts to judge there."""
    task = env.task
    opened = {(step.verb, step.name, step.near, step.text) for step in task.plan if step.verb in ("click", "goto")}
    return len(task.plan), len(opened) + len(task.planted)
