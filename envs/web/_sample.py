"""A random agent that knows the grammar and nothing else."""

import re
from typing import TYPE_CHECKING

import numpy as np

from turnwise.envs.web._mutants import usable
from turnwise.web.actions import Action, written
from turnwise.web.dom import Node, options_of, role_of, text_of

if TYPE_CHECKING:
    from turnwise.envs.web._episode import WebEnv

__all__ = ["random_action"]

_ENDS = 0.06
_MOVES = 0.1


def random_action(env: "WebEnv", rng: np.random.Generator) -> str:
    """Mostly something with a random element; now and then a move without one, or an end."""
    draw = rng.random(4).tolist()
    if draw[0] < _ENDS:
        return _end(env, draw[1], draw[2])
    numbers = usable(env.page)
    if draw[0] < _ENDS + _MOVES or not numbers:
        moves = ("back()", "forward()", "scroll('down')", "wait()", "press('Enter')", f"goto({env.task.start!r})")
        return moves[int(draw[1] * len(moves))]
    number = numbers[int(draw[1] * len(numbers))]
    return written(_with(env.page.elements[number], number, env.task.instruction, draw[2], draw[3]))


def _end(env: "WebEnv", first: float, second: float) -> str:
    if first < 0.4:
        return "done()"
    if first < 0.5:
        return "infeasible('I do not see how.')"
    words = re.findall(r"[\w.-]+", text_of(env.page.root)[:4000]) or ["x"]
    return written(Action("answer", None, words[int(second * len(words))]))


def _with(node: Node, number: int, instruction: str, first: float, second: float) -> Action:
    if first < 0.05:
        return Action("hover", number)
    role = role_of(node)
    if node.tag == "select":
        options = options_of(node)
        return Action("select", number, text_of(options[int(second * len(options))]) if options else "x")
    if role in ("textbox", "searchbox", "spinbutton"):
        words = re.findall(r"[\w.@-]+", instruction) or ["x"]
        return Action("fill", number, words[int(second * len(words))])
    if role in ("checkbox", "radio"):
        return Action("check", number)
    return Action("click", number)
