"""Agents that try to win any task without its work: they answer from the words on the screen."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from turnwise.core.agent import Action, Agent, Play

__all__ = ["SHORTCUTS", "Shortcut", "form_of", "from_prompt", "task_of"]

_EXAMPLE = re.compile(r"<(answer|action|move|guess)>(?:.|\n)*?</\1>|\\boxed\{[^{}]*\}")
_CALL = re.compile(r"\banswer\((['\"])")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|'([^'\n]{2,80})'(?!\w)")
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")


class Shortcut(Agent):
    """Plays what a function reads out of the conversation; it sees no more than a model does.

    Args:
        read: Returns the next message, given the texts that the environment has sent and the turn's number.
        name: Name in records.
    """

    batched = True
    concurrency = 64

    def __init__(self, read: Callable[[Sequence[str], int], str], name: str) -> None:
        self.read, self.name = read, name

    def act(self, plays: Sequence[Play]) -> list[Action]:
        return [Action(self.read(_heard(play), play.turn)) for play in plays]


def _heard(play: Play) -> list[str]:
    return [message["content"] for message in play.messages if message["role"] == "user"]


def form_of(prompt: str) -> Callable[[str], str]:
    """Return what writes an answer as the first observation asks for it: a tag, a box, a call, or the bare text.

    >>> form_of("Give it as <answer>12</answer>.")("7")
    '<answer>7</answer>'
    """
    if "<answer>" in prompt:
        return lambda text: f"<answer>{text}</answer>"
    if "\\boxed" in prompt:
        return lambda text: f"\\boxed{{{text}}}"
    if "<action>" in prompt and _CALL.search(prompt):
        return lambda text: f"<action>answer({text!r})</action>"
    tag = re.search(r"<(action|move|guess)>", prompt)
    return (lambda text: f"<{tag[1]}>{text}</{tag[1]}>") if tag else str


def task_of(prompt: str) -> str:
    """Return a first observation without the examples of its answer's format."""
    return _EXAMPLE.sub(" ", prompt)


def from_prompt(pick: Callable[[str], str], name: str) -> Callable[[], Agent]:
    """Return the maker of an agent that answers what ``pick`` reads in the task; later, what it reads in the reply."""

    def read(heard: Sequence[str], turn: int) -> str:
        return form_of(heard[0])(pick(task_of(heard[0] if turn == 0 else heard[-1])))

    return lambda: Shortcut(read, name)


def _example(heard: Sequence[str], turn: int) -> str:
    found = _EXAMPLE.search(heard[0])
    return found[0] if found else heard[0][:200]


def _last_number(text: str) -> str:
    return str((_NUMBER.findall(text) or ["0"])[-1])


def _first_quoted(text: str) -> str:
    found = _QUOTED.search(text)
    words = [word for word in found.groups() if word] if found else text.split()
    return str(words[0]) if words else "x"


def _most_frequent(text: str) -> str:
    words = Counter(_WORD.findall(text))
    return str(max(words, key=lambda word: (words[word], len(word), word))) if words else "0"


SHORTCUTS: Mapping[str, Callable[[], Agent]] = {
    "last number": from_prompt(_last_number, "last number"),
    "first quotation": from_prompt(_first_quoted, "first quotation"),
    "most frequent word": from_prompt(_most_frequent, "most frequent word"),
    "the example": lambda: Shortcut(_example, "the example"),
}
"""Makers of the shortcuts that are tried in every environment."""
