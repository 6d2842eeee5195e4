"""Actions as tools: the grammar reads every structured call as the action of that name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnwise.core.tools import call_text
from turnwise.envs.web._tools import tools_of
from turnwise.session.session import Session
from turnwise.worlds.web.actions.actions import Action, Dialect, parse_actions

VALUES = {
    "element": 3, "bid": "a3", "value": "red", "options": ["Large", "Small, 'x'"], "key": "Enter", "key_comb": "Enter",
    "direction": "up", "url": "https://a.test/b?c=(d)", "index": 2, "reason": "there is none", "argument": "red",
    "message": "42", "action": "Type",
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["any", "native", "browsergym", "webrl"])
@given(text=st.text(min_size=1, max_size=30))
@settings(max_examples=20, deadline=None)
def test_every_tool_is_read_as_its_action(dialect: Dialect, text: str) -> None:
    for tool in tools_of(dialect):
        arguments = {name: VALUES.get(name, text) for name in tool.properties}
        [action] = parse_actions(call_text(tool.name, arguments), dialect)
        assert action.element in (None, 3) and ("element" not in arguments or action.element == 3)
        if "text" in arguments:
            assert action.text == text


def test_an_episode_in_calls_is_the_episode_in_words() -> None:
    with Session("WebTasks") as calls, Session("WebTasks") as words:
        assert calls.start(5).messages == words.start(5).messages
        while not words.done:
            message = words.env.unwrapped.oracle()
            [action] = parse_actions(message)
            assert words.reply(message).text == calls.call(action.verb, _arguments(action)).text
        assert calls.episode.episode_return == words.episode.episode_return == 1.0


def _arguments(action: Action) -> dict[str, object]:
    named: dict[str, object] = {} if action.element is None else {"element": action.element}
    name = {"press": "key", "scroll": "direction", "goto": "url", "new_tab": "url"}.get(action.verb, "text")
    if action.verb == "select":
        return {**named, "options": [action.text, *action.more]}
    return {**named, name: action.text} if action.text or action.verb == "fill" else named
