"""Plans: steps that name elements as the page shows them, never their numbers."""

from typing import NamedTuple

__all__ = [
    "Plan", "Step", "answer", "back", "check", "click", "close_tab", "done", "fill", "goto", "hover", "infeasible",
    "new_tab", "press", "select", "tab", "uncheck",
]  # fmt: skip


class Step(NamedTuple):
    """One action of a plan, on an element named as a reader of the page would name it.

    Attributes:
        verb: As in ``turnwise.worlds.web.actions.actions``.
        name: Accessible name of the element, whole.
        role: Its role; "" for any.
        text: What is filled in, selected, pressed, answered, or the URL.
        near: Text in the row, list item, article, section or form around it, if the name alone is ambiguous.
        via: Name of a link or button that is clicked again and again until the element is there ("Next").
    """

    verb: str
    name: str = ""
    role: str = ""
    text: str = ""
    near: str = ""
    via: str = ""


Plan = tuple[Step, ...]


def click(name: str, role: str = "", near: str = "", via: str = "") -> Step:
    """Click the link, button or other element of that name."""
    return Step("click", name, role, "", near, via)


def fill(name: str, text: str, role: str = "", near: str = "", via: str = "") -> Step:
    """Write into a field, replacing what is there."""
    return Step("fill", name, role, text, near, via)


def select(name: str, option: str, near: str = "", via: str = "") -> Step:
    """Choose an option of a drop-down list by its text."""
    return Step("select", name, "", option, near, via)


def check(name: str, near: str = "", via: str = "") -> Step:
    """Tick a check box, or choose a radio button."""
    return Step("check", name, "", "", near, via)


def uncheck(name: str, near: str = "", via: str = "") -> Step:
    """Clear a check box."""
    return Step("uncheck", name, "", "", near, via)


def press(name: str, key: str, role: str = "", near: str = "") -> Step:
    """Press a key in a field: ``press("Search", "Enter")``."""
    return Step("press", name, role, key, near)


def hover(name: str, role: str = "", near: str = "") -> Step:
    """Move the pointer over an element."""
    return Step("hover", name, role, "", near)


def goto(url: str) -> Step:
    """Open an address that the agent can know: from the task, or seen on a page."""
    return Step("goto", text=url)


def back() -> Step:
    """Go back in the tab's history."""
    return Step("back")


def new_tab(url: str = "") -> Step:
    """Open another tab."""
    return Step("new_tab", text=url)


def tab(number: int) -> Step:
    """Go to a tab, counted from 1."""
    return Step("tab", text=str(number))


def close_tab() -> Step:
    """Close the tab."""
    return Step("close_tab")


def answer(text: str) -> Step:
    """Give the answer, which ends the episode."""
    return Step("answer", text=text)


def done() -> Step:
    """Report that the task is done, which ends the episode."""
    return Step("done")


def infeasible(reason: str) -> Step:
    """Report that the task cannot be done, which ends the episode."""
    return Step("infeasible", text=reason)
