"""Calls in other notations than ``name(values)``: JSON function calls, and the brackets of WebArena and WebVoyager.

Sources: the chat templates of OpenAI, Anthropic, Hermes and Qwen for the keys of a function call; Zhou et al., WebArena
(arXiv 2307.13854) and He et al., WebVoyager (arXiv 2401.13919) for theirs.
"""

import json
import re
from typing import Any

from turnwise.worlds.web.actions.literals import Call, Value, bounded, short
from turnwise.worlds.web.words import words

__all__ = ["ACTION_LIKE", "BARE_WORDS", "BRACKETED", "bare_call", "calls_of_json", "read_brackets", "read_json"]

_NAMES = ("name", "action", "function", "tool", "tool_name", "action_type", "action_name", "function_name")
_ARGUMENTS = ("arguments", "parameters", "args", "params", "kwargs", "input", "action_input", "action_args")
_SEVERAL = ("tool_calls", "function_calls", "actions", "calls")
_SAID = words(
    "thought thoughts thinking reasoning explanation rationale plan observation id call_id tool_call_id description "
    "element_description step confidence"
)
_WRAPPERS = ("function", "tool_use", "tool_call", "function_call")
ACTION_LIKE = "|".join((*_NAMES, *_SEVERAL, *sorted(_SAID), "type", "function_call", "tool_call"))
"""Keys that JSON with a call in it may begin with, as a pattern."""
_MAX_DEPTH = 8

BRACKETED = words("answer check click fill goto hover press scroll select select_option stop tab_focus type uncheck")
"""Names that stand before brackets; ``type [5] [red] [1]``."""
BARE_WORDS = {
    "new_tab": "new_tab", "go_back": "go_back", "goback": "go_back", "go back": "go_back", "go_forward": "go_forward",
    "goforward": "go_forward", "close_tab": "close_tab", "tab_close": "tab_close", "noop": "noop", "wait": "wait",
    "back": "back", "forward": "forward", "scroll down": "scroll", "scroll up": "scroll", "google": "google",
}  # fmt: skip
"""Names that may stand alone where nothing but an action can stand."""

_GROUP = re.compile(r"[ \t]{0,2}\[")
_BRACKET = re.compile(r"[\[\]\n]")
_SEMICOLON = re.compile(r"[ \t]{0,4};[ \t]{0,4}")


class _Twice(ValueError):
    """A key occurs twice in a JSON object."""


def read_json(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at a place of the text, and where it ends.

    Raises:
        ValueError: It is unfinished or no JSON.
    """
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_once).raw_decode(text, at)
    except _Twice:
        raise
    except (ValueError, RecursionError):
        raise ValueError("the JSON of the call cannot be read; close its quotes and braces") from None
    return value, end


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise _Twice("the JSON of the call has a key twice")
    return read


def calls_of_json(value: Any, known: frozenset[str], depth: int = 0) -> list[Call | str]:
    """Return the calls in a JSON value, or none if it is something else; a text is a call in our own notation.

    Raises:
        ValueError: It is one, with arguments that none has.

    >>> calls_of_json({"name": "click", "arguments": '{"bid": "12"}'}, frozenset(["click"]))
    [Call(name='click', given=[], named={'bid': Value(kind='text', text='12', items=())})]
    """
    if depth > _MAX_DEPTH:
        return []
    if isinstance(value, list):
        return [call for item in value[:64] for call in calls_of_json(item, known, depth + 1)]
    if not isinstance(value, dict):
        return []
    for key in (*_SEVERAL, "function_call", "tool_call"):
        if isinstance(value.get(key), list | dict):
            return calls_of_json(value[key], known, depth + 1)
    rest = {key: item for key, item in value.items() if key not in _SAID and item is not None}
    if rest.get("type") in _WRAPPERS:
        del rest["type"]
    for key in _NAMES:
        name = rest.pop(key, None)
        if isinstance(name, dict | list):
            return calls_of_json(name, known, depth + 1)
        if isinstance(name, str):
            given = next((rest[each] for each in _ARGUMENTS if each in rest), rest)
            if "(" in name or "[" in name:
                return [name]
            name = name.strip().lower().replace(" ", "_")
            return [_call(name, given)] if given is not rest or name in known else []
    if len(rest) == 1:
        ((name, given),) = rest.items()
        if name in known and isinstance(given, dict | list | str | int):
            return [_call(name, given)]
    return []


def _call(name: str, given: Any) -> Call:
    if isinstance(given, str):
        text = given.strip()
        if text.startswith(("{", "[")):
            given, end = read_json(text, 0)
            if text[end:].strip():
                raise ValueError(f"the arguments of {short(name)} cannot be read")
        else:
            given = [given] if text else []
    if isinstance(given, list):
        return Call(name, [_value(item) for item in given[:64]], {})
    if not isinstance(given, dict):
        return Call(name, [_value(given)], {})
    return Call(name, [], {key: _value(item) for key, item in given.items() if item is not None})


def _value(item: Any) -> Value:
    if isinstance(item, str):
        return Value("text", bounded(item))
    if isinstance(item, bool):
        return Value("word", str(item))
    if isinstance(item, int | float):
        return Value("number", format(item, ".15g") if isinstance(item, float) else _digits(item))
    if isinstance(item, list) and all(isinstance(each, str | int) for each in item):
        return Value("list", "", tuple(_value(each).text for each in item[:64]))
    raise ValueError("the arguments of a call are texts, numbers and lists of texts")


def _digits(number: int) -> str:
    return str(number) if abs(number) < 10**30 else "1" + "0" * 30


def read_brackets(text: str, name: str, at: int) -> tuple[Call, int]:
    """The call whose brackets, or whose semicolon, begin at a place of the text, and where it ends.

    Raises:
        ValueError: A bracket is not closed on its line.

    >>> read_brackets("type [5] [red] [1]", "type", 4)[0].given[1].text
    'red'
    """
    values: list[str] = []
    while len(values) < 4 and (match := _GROUP.match(text, at)) is not None:
        end = _closing(text, match.end())
        if end < 0:
            raise ValueError(f"a bracket of {name} is not closed")
        values.append(text[match.end() : end])
        at = end + 1
    if (match := _SEMICOLON.match(text, at)) is not None and len(values) < 2:
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        rest = text[match.end() : line_end].strip().rstrip("`").rstrip()
        if rest.startswith("["):
            end = _closing(rest, 1)
            if end < 0:
                raise ValueError(f"a bracket of {name} is not closed")
            rest = rest[1:end] if end == len(rest) - 1 else rest
        values.append(rest)
        at = line_end
    return _of_brackets(name, [bounded(value.strip()) for value in values]), at


def _closing(text: str, at: int) -> int:
    depth = 1
    for match in _BRACKET.finditer(text, at):
        if match[0] == "\n":
            break
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.start()
    return -1


def _of_brackets(name: str, values: list[str]) -> Call:
    if name == "type":
        enter = values.pop() if len(values) == 3 and values[2] in ("0", "1") else "1"  # WebArena's default
        texts = [Value("text", value) for value in values]
        return Call(name, texts, {"press_enter_after": Value("number", enter)})
    if name == "scroll" and len(values) == 2:  # WebVoyager: what is scrolled, and where to
        values = values[1:]
    if name == "stop" and values == [""]:
        values = []
    if name in ("stop", "answer") and len(values) > 1:
        values = ["] [".join(values)]
    return Call(name, [Value("text", value) for value in values], {})


def bare_call(word: str) -> Call | None:
    """The call that a word means where nothing but an action can stand.

    >>> bare_call("GoBack")
    Call(name='go_back', given=[], named={})
    """
    word = " ".join(word.lower().strip(" \t\r\n.`*;").split())
    name = BARE_WORDS.get(word)
    if name is None:
        return None
    return Call(name, [Value("text", word.rpartition(" ")[2])] if name == "scroll" else [], {})
