"""Any BrowserGym environment by text: its accessibility tree written as our pages, its own strings as actions.

Works with what a gymnasium environment of BrowserGym's shape gives (``goal`` or ``goal_object``, ``axtree_object``,
``extra_element_properties``, ``url``, ``open_pages_urls``, ``last_action_error`` ...), so that WebArena, WorkArena,
MiniWoB++ and tasks of one's own can be played, evaluated and trained on; nothing of BrowserGym is imported here.

Source: ServiceNow/BrowserGym, browsergym/core/env.py and browsergym/core/action/functions.py, for the keys of its
observations and the names of its actions.
"""

import contextlib
import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import gymnasium
import numpy as np

from turnwise.core.env import Reply
from turnwise.core.errors import InfrastructureError, SettingsError
from turnwise.core.registration import register
from turnwise.core.settings import Range
from turnwise.worlds.web.actions.literals import Call, Value
from turnwise.worlds.web.actions.message import MessageReader
from turnwise.worlds.web.adapters import AdaptedEnv, AdaptedTask, Live
from turnwise.worlds.web.adapters.axtree import bids_of, escaped, lines_of
from turnwise.worlds.web.adapters.worker import done_by_worker
from turnwise.worlds.web.browser.text.plain import with_form
from turnwise.worlds.web.words import words

__all__ = ["BrowserGym", "located_calls"]

_BY_BID = words("check clear click dblclick drag_and_drop fill focus hover press select_option uncheck upload_file")
_OTHERS = words(
    "go_back go_forward goto keyboard_down keyboard_insert_text keyboard_press keyboard_type keyboard_up mouse_click "
    "mouse_dblclick mouse_down mouse_drag_and_drop mouse_move mouse_up mouse_upload_file new_tab noop "
    "report_infeasible scroll send_msg_to_user tab_close tab_focus"
)
_MOST_PARTIAL = 0.999
_RULES = """\
In each message write one action in the form <action>...</action>: click('12'), fill('a5', 'text'),
select_option('7', 'Large'), check('8'), press('5', 'Enter'), hover('9'), scroll(0, 300), goto('url'), go_back(),
noop(), send_msg_to_user('answer'), report_infeasible('reason'). On the page, [12] precedes element '12'."""


@register("BrowserGym-v0")
class BrowserGym(AdaptedEnv):
    """Tasks of a BrowserGym environment.

    Reward and end are its own: the task is solved when its rewards reach 1 in sum; less is paid as it comes, as partial
    credit, and negative rewards are reported only as the metric ``raw_reward``. If the task's info has MiniWoB++'s own
    reward, that one counts: BrowserGym pays 1 for any that is above 0. Its truncation is a truncation here.

    All environments of a process share one thread, as Playwright's synchronous interface demands: one step at a time.
    """

    env_ids: str = "browsergym/miniwob.click-test"
    """Ids of gymnasium environments with commas; an episode is one of them."""
    imports: str = "browsergym.miniwob"
    """Modules that register them, with commas."""
    arguments: str = "{}"
    """Arguments for `gymnasium.make`, as a JSON object, such as '{"pre_observation_delay": 0}' where pages need no half
    a second before each observation.
    """
    timeout_s: Annotated[float, Range(1, 3600)] = 120.0
    """Longest time of a reset or step, in seconds."""
    max_turns: Annotated[int, Range(1, 1000)] = 30
    """Messages of an episode."""

    def check(self) -> None:
        self._names = tuple(name.strip() for name in self.env_ids.split(",") if name.strip())
        if not self._names:
            raise SettingsError("env_ids names no environment")
        try:
            self._arguments = json.loads(self.arguments)
        except ValueError as error:
            raise SettingsError(f"arguments is {self.arguments!r}, which is not JSON: {error}") from error
        if not isinstance(self._arguments, dict):
            raise SettingsError(f"arguments is {self.arguments!r}; it must be a JSON object")

    def generate(self, rng: np.random.Generator) -> AdaptedTask:
        return self._drawn(self._names, rng)

    def begin(self) -> str:
        self.release()
        self._raw = self._paid = 0.0
        self._cut = False
        modules = tuple(name.strip() for name in self.imports.split(",") if name.strip())
        live = self._live = _Session(self.task.name, modules, self._arguments, self.timeout_s)
        self._observation = live.reset(self.task.seed)
        goal = _goal(self._observation)
        return f"Task: {goal}\n\n{_RULES}\nYou have {self.max_turns} messages.\n\n{self._page()}"

    def _page(self, problem: str = "") -> str:
        return _written(self._observation, problem)

    def respond(self, action: str) -> Reply:
        try:
            calls = located_calls(action)
        except ValueError as error:
            return Reply(self._page(str(error)), invalid=True)
        assert isinstance(self._live, _Session)
        self._observation, reward, terminated, truncated, info = self._live.step(calls)
        reward = _own_reward(float(reward), info)
        self._raw += reward
        solved = self._raw >= 1 - 1e-9
        owed = max(0.0, min(self._raw, _MOST_PARTIAL) - self._paid) if not solved else 0.0
        self._paid += owed
        self._cut = truncated and not terminated
        if solved or terminated or truncated:
            said = "The task is solved." if solved else "The task has ended unsolved."
            return Reply(said, owed, done=True, solved=solved)
        return Reply(self._page(), owed)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = super().step(action)
        if terminated and self._cut and not info["solved"]:
            terminated, truncated = False, True
        return observation, reward, terminated, truncated, info

    def metrics(self) -> Mapping[str, float]:
        return {"raw_reward": self._raw}

    def sample_action(self, rng: np.random.Generator) -> str:
        bids = bids_of(self._observation.get("axtree_object") or {}, _extra(self._observation))
        return f"<action>click({bids[int(rng.integers(len(bids)))]!r})</action>" if bids else "<action>noop()</action>"


# ---- actions --------------------------------------------------------------------------------------------------------


def located_calls(message: str) -> str:
    """Return the calls of a message, one a line, with literals only; found as in our own environments.

    Raises:
        ValueError: There are none; with a text for the agent.

    >>> located_calls("<think>click('1')</think> I press it. <action>click('a12', button='left')</action>")
    "click('a12', button='left')"
    """
    return "\n".join(_READER.read(message))


def _code(call: Call) -> list[str]:
    given = [_literal(value, call.name in _BY_BID and not place) for place, value in enumerate(call.given)]
    named = [f"{name}={_literal(value, name == 'bid')}" for name, value in call.named.items()]
    return [f"{call.name}({', '.join(given + named)})"]


_READER: MessageReader[str] = MessageReader(
    _BY_BID | _OTHERS,
    _code,
    lambda code: code.startswith(("send_msg_to_user(", "report_infeasible(")),
    None,
    lambda name: "write one as <action>click('12')</action>",
)


def _literal(value: Value, bid: bool) -> str:
    if value.kind == "list":
        return repr(list(value.items))
    bare = value.kind == "number" or value.text in ("True", "False", "None")
    return value.text if bare and value.kind != "text" and not bid else repr(value.text)


# ---- what the agent reads --------------------------------------------------------------------------------------------


def _extra(observation: Mapping[str, Any]) -> Mapping[str, Any]:
    return observation.get("extra_element_properties") or {}


def _goal(observation: Mapping[str, Any]) -> str:
    parts = observation.get("goal_object") or ()
    text = "\n".join(str(part["text"]) for part in parts if part.get("type") == "text")
    return "\n".join(map(escaped, (text or str(observation.get("goal", ""))).splitlines()))


def _written(observation: Mapping[str, Any], problem: str) -> str:
    urls, titles = observation.get("open_pages_urls") or (), observation.get("open_pages_titles") or ()
    error = problem or str(observation.get("last_action_error") or "")
    head = [f"URL: {_one_line(observation.get('url', ''))}"]
    if len(urls) > 1:
        active = int(np.ravel(observation.get("active_page_index", 0))[0])
        names = [f"{i} '{_one_line(t or u)}'" for i, (u, t) in enumerate(zip(urls, titles or urls, strict=False))]
        names[active : active + 1] = [f"{name} (active)" for name in names[active : active + 1]]
        head.append("Tabs: " + ", ".join(names))
    if observation.get("focused_element_bid"):
        head.append(f"Focused: [{_one_line(observation['focused_element_bid'])}]")
    said = [message for message in observation.get("chat_messages") or () if message.get("role") == "user"]
    if len(said) > 1:  # the first is the goal
        head.append(f"Message: {_one_line(said[-1].get('message', ''))}")
    if error:
        head.append(f"Error: {with_form(_one_line(error))[:500]}")
    return "\n".join([*head, "", *lines_of(observation.get("axtree_object") or {}, _extra(observation))])


def _one_line(text: object) -> str:
    return escaped(" ".join(str(text).split()))


def _own_reward(reward: float, info: Mapping[str, Any]) -> float:
    """Return the reward, no higher than MiniWoB++'s own if the task reports it.

    Source: ServiceNow/BrowserGym, issue 392.
    """
    told = info.get("task_info")
    raw = told.get("RAW_REWARD_GLOBAL") if isinstance(told, dict) else None
    return min(reward, float(raw)) if isinstance(raw, (int, float)) and reward > 0 else reward


# ---- the wrapped environment ----------------------------------------------------------------------------------------


class _Session(Live):
    """An episode's environment, used by the one thread for all of them."""

    def __init__(self, name: str, modules: Sequence[str], arguments: Mapping[str, Any], timeout_s: float) -> None:
        self._name, self._timeout_s = name, timeout_s
        self._env: gymnasium.Env[Any, Any] | None = None
        self._env = done_by_worker(lambda: _made(name, modules, arguments), timeout_s)

    def reset(self, seed: int) -> Mapping[str, Any]:
        """Return the first observation."""
        assert self._env is not None
        env = self._env
        found: tuple[Mapping[str, Any], Any] = self._run(lambda: env.reset(seed=seed))
        return found[0]

    def step(self, calls: str) -> tuple[Mapping[str, Any], Any, bool, bool, Mapping[str, Any]]:
        """Return what the environment answers."""
        assert self._env is not None
        env = self._env
        observation, reward, terminated, truncated, info = self._run(lambda: env.step(calls))
        return observation, reward, bool(terminated), bool(truncated), info

    def close(self) -> None:
        env, self._env = self._env, None
        if env is not None:
            with contextlib.suppress(InfrastructureError):  # the episode is over all the same
                self._run(env.close)

    def _run(self, work: Any) -> Any:
        try:
            return done_by_worker(work, self._timeout_s)
        except InfrastructureError:
            raise
        except Exception as error:  # an action's own errors come in the observation
            raise InfrastructureError(f"{self._name}: {type(error).__name__}: {error}") from error


def _made(name: str, modules: Sequence[str], arguments: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise SettingsError(f"imports has {module!r}, which cannot be imported ({error}); install it") from error
    try:
        return gymnasium.make(name, disable_env_checker=True, **arguments)
    except gymnasium.error.Error as error:
        raise SettingsError(f"env_ids has {name!r}: {error}") from error
