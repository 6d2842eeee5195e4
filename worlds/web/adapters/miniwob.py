"""MiniWoB++ by text: its pages through our serialiser, our actions through its own.

The gymnasium environments of the package ``miniwob`` (extra ``turnwise[miniwob]``) play in a Chromium driven by
Selenium. What the agent reads is the live page, written down by ``data/miniwob.js``; what it does is
`turnwise.worlds.web.actions.actions`, by way of `turnwise.worlds.web.adapters.selenium`.

Source: Liu et al., Reinforcement Learning on Web Interfaces using Workflow-Guided Exploration (arXiv 1802.08802), for
MiniWoB++; Shi et al., World of Bits (ICML 2017), for its first tasks.
"""

import difflib
import fnmatch
import importlib.util
import re
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from turnwise.core.env import Reply
from turnwise.core.errors import SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.worlds.web.actions.actions import Action, Dialect, parse_actions, too_many, units_of, written
from turnwise.worlds.web.adapters import AdaptedEnv, AdaptedTask
from turnwise.worlds.web.adapters.oracles import ORACLES
from turnwise.worlds.web.adapters.selenium import VERBS, MiniWobBrowser
from turnwise.worlds.web.browser.page import forms
from turnwise.worlds.web.browser.page.dom import Node, options_of, text_of, visible
from turnwise.worlds.web.browser.text.plain import plain
from turnwise.worlds.web.browser.text.read import View, render

__all__ = ["PLAYABLE", "MiniWob"]

_UNSOLVED = (
    "book-flight", "book-flight-nodelay", "click-checkboxes-soft", "click-shades", "email-inbox",
    "email-inbox-forward", "email-inbox-forward-nl", "email-inbox-noscroll", "email-inbox-reply",
    "email-inbox-star-reply", "find-greatest", "form-sequence", "form-sequence-3", "generate-number",
    "login-user-popup", "order-food", "phone-book", "social-media", "tic-tac-toe", "use-slider", "use-slider-2",
)  # fmt: skip
PLAYABLE = tuple(sorted((*ORACLES, *_UNSOLVED)))
"""Tasks that text actions can do, and whose pages say in text what is needed; those in `ORACLES` are solved."""

_RULES = """\
In each message write one action in the form <action>...</action>; [n] is the number of an element. The task ends by
itself.
click(n): click on element [n]
fill(n, 'text'): replace the text of field [n]
select(n, 'option'): choose an option of list [n]; select(n, 'one', 'two') if it allows several
check(n), uncheck(n): set or clear check box [n]; check(n) also chooses radio button [n]
press('Enter'), press(n, 'Enter'): press a key in the focused element or in [n]
hover(n): move the pointer over [n]
scroll('down'), scroll('up'): turn the wheel over the focused element, or over the page
wait(): wait a second"""


@register("MiniWob-v0")
class MiniWob(AdaptedEnv):
    """Small tasks on single pages of MiniWoB++, in a browser.

    The reward is 1 where MiniWoB++'s own reward, without its loss over time, is the full 1. What it pays for less, as
    0.1 for a wrong card in find-greatest, is reported only as the metric ``raw_reward``. There is no time limit but
    `max_turns`. Each episode loads its page again, on 2020-01-01 UTC. Moving elements are waited for, at most 1 s.

    Settings:
        tasks: Names of MiniWoB++'s tasks with commas, with ``*`` for anything ("click-tab*"); "all" is `PLAYABLE`.
            Others may be named, too; not all can be done by text.
        view: "full" (indented, with landmarks) or "compact".
        actions_per_turn: Actions that a message may have, done until one fails; none is done if there are more.
        dialect: Whose names of actions are read: "any", "native", "browsergym" or "webrl".
        timeout_s: Longest time that a call of the browser may take, in seconds.
        max_turns: Messages of an episode.
    """

    tasks: str = "click-test"
    """Names of MiniWoB++'s tasks with commas, with ``*`` for anything ("click-tab*"); "all" is `PLAYABLE`. Others may
    be named, too; not all can be done by text.
    """
    view: Literal["full", "compact"] = "full"
    """"full" (indented, with landmarks) or "compact"."""
    actions_per_turn: Annotated[int, Range(1, 20)] = 1
    """Actions that a message may have, done until one fails; none is done if there are more."""
    dialect: Dialect = "any"
    """Whose names of actions are read: "any", "native", "browsergym" or "webrl"."""
    timeout_s: Annotated[float, Range(1, 600)] = 60.0
    """Longest time that a call of the browser may take, in seconds."""
    max_turns: Annotated[int, Range(1, 1000)] = 20
    """Messages of an episode."""

    def check(self) -> None:
        self._names = _named(self.tasks)

    def generate(self, rng: np.random.Generator) -> AdaptedTask:
        return self._drawn(self._names, rng)

    def begin(self) -> str:
        self.release()
        self._counts = {"actions": 0.0, "action_errors": 0.0, "raw_reward": 0.0}
        self._said: list[str] = []
        live = self._live = MiniWobBrowser(self.timeout_s)
        live.start(self.task)
        return f"Task: {plain(live.utterance)}\n\n{_RULES}\nYou have {self.max_turns} messages.\n\n{self._page()}"

    @property
    def browser(self) -> MiniWobBrowser:
        """The browser of the running episode."""
        assert isinstance(self._live, MiniWobBrowser)
        return self._live

    def _page(self, problem: str = "") -> str:
        return render(self.browser.page, View(self.view), error=problem)

    def respond(self, action: str) -> Reply:
        try:
            actions = parse_actions(action, self.dialect)
        except ValueError as error:
            return Reply(self._page(str(error)), invalid=True)
        if len(units := units_of(actions)) > self.actions_per_turn:
            return Reply(self._page(too_many(units, self.actions_per_turn)), invalid=True)
        browser, problem, done = self.browser, "", 0
        for each in actions:
            unknown = each.verb not in VERBS or (each.element is not None and each.element not in browser.page.elements)
            problem = browser.do(each)
            if unknown and not done:
                return Reply(self._page(problem), invalid=True)
            done += 1
            self._said.append(written(each))
            self._counts["actions"] += 1
            self._counts["action_errors"] += bool(problem)
            if browser.over or problem:
                break
        if browser.over:
            self._counts["raw_reward"] = browser.raw_reward
            solved = browser.raw_reward >= 1
            return Reply("The task is solved." if solved else "The task has ended unsolved.", done=True, solved=solved)
        if len(actions) > done:
            problem = f"{problem} ({len(actions) - done} more of the message's actions not done.)".strip()
        return Reply(self._page(problem))

    def metrics(self) -> dict[str, float]:
        return self._counts

    def oracle(self) -> str:
        solve = ORACLES.get(self.task.name)
        if solve is None:
            return super().oracle()
        page = render(self.browser.page, View()).partition("\n\n")[2]
        return f"<action>{solve(self.browser.utterance, page, self._said)}</action>"

    def sample_action(self, rng: np.random.Generator) -> str:
        page = self.browser.page
        shown = [node for node in page.elements.values() if visible(node)]
        if not shown:
            return "<action>wait()</action>"
        return f"<action>{written(_random_action(shown[int(rng.integers(len(shown)))], self, rng))}</action>"


def _named(tasks: str) -> tuple[str, ...]:
    names: list[str] = []
    for pattern in tasks.split(","):
        pattern = pattern.strip()
        found = PLAYABLE if pattern == "all" else fnmatch.filter(PLAYABLE, pattern)
        if not found and "*" not in pattern and _exists(pattern):
            found = [pattern]
        if not found:
            close = difflib.get_close_matches(pattern, PLAYABLE, 3)
            hint = f"did you mean {' or '.join(close)}?" if close else "'all' is " + ", ".join(PLAYABLE)
            raise SettingsError(f"tasks has {pattern!r}, which is not a task of MiniWoB++; {hint}")
        names += found
    return tuple(dict.fromkeys(names))


def _exists(name: str) -> bool:
    """Whether MiniWoB++ has that task."""
    found = importlib.util.find_spec("miniwob")
    if found is None or found.origin is None or re.fullmatch(r"[a-z0-9-]+", name) is None:
        return False
    return (Path(found.origin).parent / "html" / "miniwob" / f"{name}.html").is_file()


def _random_action(node: Node, env: MiniWob, rng: np.random.Generator) -> Action:
    """Return an action that fits the element."""
    if node.tag == "select":
        options = [text_of(option) for option in options_of(node)]
        return Action("select", node.number, options[int(rng.integers(len(options)))] if options else "")
    if forms.is_text(node) and "readonly" not in node.attrs and rng.random() < 0.8:
        words = re.findall(r"[^\W_]+", env.browser.utterance) or ["text"]
        return Action("fill", node.number, words[int(rng.integers(len(words)))])
    return Action("click", node.number)
