"""A random agent that knows only the grammar."""

import re

import numpy as np

from turnwise.worlds.web.actions.actions import Action, written
from turnwise.worlds.web.browser.page.dom import Node, Page, disabled, options_of, role_of, text_of, visible

__all__ = ["random_action", "usable"]

_ENDS = 0.06
_MOVES = 0.1


def usable(page: Page) -> list[int]:
    """Return the numbers of the elements that are visible and enabled."""
    return [number for number, node in page.elements.items() if visible(node) and not disabled(node)]


def random_action(page: Page, start: str, instruction: str, rng: np.random.Generator) -> str:
    """Draw mostly an action on a random element; now and then one without an element, or an end.

    Args:
        page: The page as it is.
        start: The address at which the task began.
        instruction: The task in words: what is typed is drawn from them.
        rng: Draws.
    """
    draw = rng.random(4).tolist()
    if draw[0] < _ENDS:
        return _end(page, draw[1], draw[2])
    numbers = usable(page)
    if draw[0] < _ENDS + _MOVES or not numbers:
        moves = ("back()", "forward()", "scroll('down')", "wait()", "press('Enter')", f"goto({start!r})")
        return moves[int(draw[1] * len(moves))]
    number = numbers[int(draw[1] * len(numbers))]
    return written(_with(page.elements[number], number, instruction, draw[2], draw[3]))


def _end(page: Page, first: float, second: float) -> str:
    if first < 0.4:
        return "done()"
    if first < 0.5:
        return "infeasible('I do not see how.')"
    words = re.findall(r"[\w.-]+", text_of(page.root)[:4000]) or ["x"]
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
